from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from camobo.arrays import Array
from camobo.model.fitting import fit
from camobo.model.kernels import KERNELS, KernelName, Shape, correlations, matern52, near_and_far, squared_exponential
from tests.support.strategies import law

MATERN_AND_HUMPS: list[KernelName] = ["humps", "matern52"]
every_shape = pytest.mark.parametrize("shape", [squared_exponential, matern52, near_and_far])


class TestShapes:
    @every_shape
    def test_a_point_has_correlation_one_with_itself(self, shape: Shape) -> None:
        assert shape(np.zeros((1, 1)))[0] == pytest.approx(1.0, rel=1e-15)

    @every_shape
    def test_correlation_falls_with_distance(self, shape: Shape) -> None:
        k, _ = shape(np.linspace(0.0, 50.0, 100)[None, :])
        assert np.all(np.diff(k) < 0.0)
        assert np.all(k > 0.0)

    @every_shape
    def test_the_slope_is_twice_the_derivative_by_the_squared_distance(self, shape: Shape) -> None:
        r2 = np.linspace(0.1, 30.0, 40)[None, :]
        step = 1e-6
        numeric = (shape(r2 + step)[0] - shape(r2 - step)[0]) / step
        np.testing.assert_allclose(shape(r2)[1], numeric, rtol=1e-5, atol=1e-9)

    @every_shape
    def test_given_arrays_receive_what_is_returned_otherwise(self, shape: Shape) -> None:
        r2 = np.random.default_rng(0).random((3, 4)) * 9
        before = r2.copy()
        expected = shape(r2)
        np.testing.assert_array_equal(r2, before)
        k, g = np.empty((2, 3, 4))
        found = shape(r2, out=(k, g))
        assert found[0] is k
        assert found[1] is g
        np.testing.assert_array_equal(found, expected)


@law
@given(seed=st.integers(0, 10**6), f=st.integers(1, 5), kernel=st.sampled_from(list(KERNELS)))
def test_the_slopes_of_a_kernel_are_its_gradient(seed: int, f: int, kernel: KernelName) -> None:
    rng = np.random.default_rng(seed)
    points, x, lengths = rng.random((2, f)), rng.random((3, f)), rng.uniform(0.2, 2.0, f)
    _, slopes = correlations(kernel, points, x, lengths)
    for j in range(f):
        step = np.zeros(f)
        step[j] = 1e-6
        ahead, behind = (correlations(kernel, points + sign * step, x, lengths)[0] for sign in (1, -1))
        g = sum(part for seen, part in slopes if j in range(f)[seen])
        analytic = g * np.subtract.outer(points[:, j], x[:, j]) / lengths[j] ** 2
        np.testing.assert_allclose(analytic, (ahead - behind) / 2e-6, rtol=1e-4, atol=1e-7)


@pytest.mark.parametrize("kernel", KERNELS)
def test_correlations_are_the_same_in_given_arrays(kernel: KernelName) -> None:
    rng = np.random.default_rng(0)
    points, x, lengths = rng.random((2, 3)), rng.random((4, 3)), rng.uniform(0.2, 2.0, 3)
    expected, slopes = correlations(kernel, points, x, lengths)
    given_arrays = (np.empty((2, 4)), np.empty((2, 4)), np.empty((2, 4)))
    found, found_slopes = correlations(kernel, points, x, lengths, out=given_arrays)
    assert found is given_arrays[1]
    assert found_slopes[0][1] is given_arrays[2]
    np.testing.assert_array_equal(found, expected)
    for (_, ours), (_, theirs) in zip(found_slopes, slopes, strict=True):
        np.testing.assert_array_equal(ours, theirs)


def rows_of_humps(x: Array) -> Array:
    """Five humps along each input, on a plane that rises with the first."""
    return np.asarray(np.sin(30 * x).sum(axis=1) + 2 * x[:, 0])


def humps_without_rows(x: Array) -> Array:
    """A chequerboard on the same plane: no input has an effect of its own but the rise."""
    return np.asarray(np.sin(20 * x).prod(axis=1) + 2 * x[:, 0])


class TestHumps:
    @staticmethod
    def predicted(
        function: Callable[[Array], Array], kernel: KernelName, seed: int, *, seen: float
    ) -> tuple[float, float]:
        """Error on unseen points, and how far predictions there lie above the data, which have x1 < `seen`."""
        rng = np.random.default_rng(seed)
        x, unseen = rng.random((60, 2)), rng.random((300, 2))
        x[:, 0] *= seen
        if seen < 1.0:
            unseen[:, 0] = seen + (1.0 - seen) * unseen[:, 0]
        mean, _ = fit(x, function(x), kernel=kernel).predict(unseen)
        error = np.sqrt(np.mean((mean - function(unseen)) ** 2))
        return float(error), float(mean.mean() - function(x).mean())

    @pytest.mark.parametrize("seed", range(4))
    def test_humps_in_rows_are_predicted_where_rows_cross(self, seed: int) -> None:
        errors = [self.predicted(rows_of_humps, kernel, seed, seen=1.0)[0] for kernel in MATERN_AND_HUMPS]
        assert errors[0] < 0.6 * errors[1]

    def test_humps_without_rows_are_predicted_hardly_worse_than_by_a_matern_process(self) -> None:
        ours, matern = (
            np.mean([self.predicted(humps_without_rows, kernel, seed, seen=1.0)[0] for seed in range(40)])
            for kernel in MATERN_AND_HUMPS
        )
        assert ours < 1.1 * matern

    def test_a_trend_below_the_humps_is_followed_beyond_the_data(self) -> None:
        ours, matern = (
            np.mean([self.predicted(humps_without_rows, kernel, seed, seen=0.7)[1] for seed in range(8)])
            for kernel in MATERN_AND_HUMPS
        )
        assert ours > 1.5 * matern > 0.0
