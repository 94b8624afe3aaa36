from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from camobo.arrays import Array
from camobo.model.gp import condition
from camobo.model.hyper import Hyper
from camobo.model.transforms import Standard, of_constraint, of_objective, plain
from tests.support.strategies import law

KINDS = [plain, of_objective, of_constraint]
samples = hnp.arrays(
    np.float64,
    st.integers(1, 30),
    elements=st.one_of(st.floats(-1e3, 1e3), st.sampled_from([0.0, 1.0, -1e6, 1e6, -1e300, 1e300])),
)
kinds = st.sampled_from(KINDS)


@law
@given(kinds, samples)
def test_order_is_kept_and_every_number_is_finite(kind: Callable[[Array], Standard], values: Array) -> None:
    z = kind(values).of(values)
    assert np.isfinite(z).all()
    assert (np.diff(z[np.argsort(values, kind="stable")]) >= 0.0).all()


@law
@given(kinds, hnp.arrays(np.float64, st.integers(3, 30), elements=st.floats(-1e3, 1e3)))
def test_back_undoes_of(kind: Callable[[Array], Standard], values: Array) -> None:
    standard = kind(values)
    again, deviation = standard.back(standard.of(values), np.zeros(len(values)))
    np.testing.assert_allclose(again, values, rtol=1e-6, atol=1e-9 * max(1.0, np.abs(values).max()))
    assert not deviation.any()


@law
@given(kinds, samples)
def test_mirrored_it_standardises_the_values_with_opposite_sign(
    kind: Callable[[Array], Standard], values: Array
) -> None:
    standard = kind(values)
    np.testing.assert_array_equal(standard.mirrored().of(-values), -standard.of(values))


@pytest.mark.parametrize("kind", [of_objective, of_constraint])
def test_an_outlier_does_not_hide_differences_among_the_others(kind: Callable[[Array], Standard]) -> None:
    values = np.array([*np.linspace(-1.0, 1.0, 20), -1e9])
    assert np.ptp(plain(values).of(values)[:-1]) < 1e-7
    assert np.ptp(kind(values).of(values)[:-1]) > 0.1


def test_ordinary_values_and_good_outliers_are_left_as_they_are() -> None:
    values = np.random.default_rng(0).normal(size=200)
    np.testing.assert_allclose(of_objective(values).of(values), plain(values).of(values), rtol=1e-12, atol=1e-12)
    good = np.append(values, 1e6)
    np.testing.assert_allclose(of_objective(good).of(good), plain(good).of(good), rtol=1e-9, atol=1e-12)


def test_if_most_values_are_equal_there_are_no_fences() -> None:
    values = np.array([0.0] * 9 + [-5.0])  # the quartiles are equal: there is no scale for distances
    assert of_objective(values) == plain(values)
    assert of_constraint(values) == plain(values)


def test_a_deviation_grows_where_distances_were_compressed() -> None:
    standard = Standard(offset=0.0, scale=2.0, low=-10.0, width=5.0)
    z = np.array([0.0, -10.0 / 2.0, -20.0 / 2.0])
    step = 1e-6
    moved = standard.back(z + step, np.zeros(3))[0] - standard.back(z - step, np.zeros(3))[0]
    deviation = standard.back(z, np.ones(3))[1]
    np.testing.assert_allclose(deviation, moved / (2.0 * step), rtol=1e-3)
    assert deviation[2] > 10.0


def test_what_no_float_can_hold_is_clipped_to_the_largest() -> None:
    standard = Standard(offset=0.0, scale=1.0, low=-1.0, high=1.0, width=1.0)
    mean, deviation = standard.back(np.array([-1e6, 1e6]), np.ones(2))
    assert np.isfinite(mean).all()
    assert np.isfinite(deviation).all()
    assert (np.sign(mean) == [-1.0, 1.0]).all()


def test_constraints_near_the_largest_float_are_standardised_without_a_warning() -> None:
    assert np.isfinite(of_constraint(np.array([-1.7e308, 1.7e308])).of(np.array([-1.7e308, 0.0, 1.7e308]))).all()


def test_a_value_far_outside_the_data_stays_one_that_a_model_can_be_conditioned_on() -> None:
    gp = condition(np.array([[0.0], [1.0]]), np.array([1e-121, 3e-121]), Hyper(np.array([0.5])))
    after = gp.append(np.array([0.5]), -1.7e308)
    with np.errstate(all="raise"):
        mean, deviation = after.posterior(np.array([[0.25], [0.5]]))
        assert np.isfinite([mean, deviation]).all()
        assert mean[1] < -1e99
