from __future__ import annotations

import math
from collections.abc import Callable

import moocore
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.stats import kstest
from scipy.stats.qmc import discrepancy

from camobo.acquisition.pareto import on_front
from camobo.acquisition.scalarisation import chebyshev, directions, flat_weights, normal, reach
from camobo.arrays import Array
from camobo.space.sampling import quasi_random
from tests.support.effort import Counted, assert_linear
from tests.support.strategies import law

counts = st.integers(1, 12)
objective_counts = st.integers(1, 6)


@st.composite
def outcomes(draw: st.DrawFn) -> Array:
    """(n, M) values."""
    shape = (draw(counts), draw(objective_counts))
    return draw(hnp.arrays(np.float64, shape, elements=st.floats(-1e3, 1e3)))


class TestChebyshev:
    @law
    @given(outcomes(), st.integers(0, 2**32))
    def test_it_is_equation_5_written_as_a_loop(self, values: Array, seed: int) -> None:
        rng = np.random.default_rng(seed)
        M = values.shape[1]
        theta, R = flat_weights(M, rng), rng.standard_normal((M,))
        expected = [min(theta[m] * (row[m] - R[m]) for m in range(M)) for row in values]
        np.testing.assert_array_equal(chebyshev(values, theta, R), expected)

    @law
    @given(outcomes())
    def test_every_point_of_a_front_is_the_best_for_some_weights_if_the_reference_lies_below(
        self, values: Array
    ) -> None:
        reference = values.min(axis=0) - 1.0
        for point in values[on_front(values)]:
            theta = 1.0 / (point - reference)
            scores = chebyshev(values, theta / theta.sum(), reference)
            own = chebyshev(point, theta / theta.sum(), reference)
            assert own >= scores.max() * (1.0 - 1e-12)

    @law
    @given(outcomes(), st.integers(0, 2**32))
    def test_the_best_for_any_weights_is_dominated_nowhere_in_all_objectives(self, values: Array, seed: int) -> None:
        M = values.shape[1]
        theta = flat_weights(M, np.random.default_rng(seed))
        best = values[np.argmax(chebyshev(values, theta, values.min(axis=0) - 1.0))]
        assert not np.any(np.all(values > best + 1e-9, axis=1))


class TestWeights:
    @pytest.mark.parametrize("objectives", [1, 2, 3, 6])
    def test_flat_weights_are_uniform_over_the_simplex(self, objectives: int) -> None:
        rng = np.random.default_rng(0)
        weights = np.array([flat_weights(objectives, rng) for _ in range(4_000)])
        assert np.all(weights >= 0.0)
        np.testing.assert_allclose(weights.sum(axis=1), 1.0)
        error = 4.0 * weights.std(axis=0) / math.sqrt(len(weights)) + 1e-12
        assert np.all(np.abs(weights.mean(axis=0) - 1 / objectives) < error)
        if objectives > 1:  # a coordinate of a flat Dirichlet is beta(1, M − 1)
            assert kstest(1.0 - (1.0 - weights[:, 0]) ** (objectives - 1), "uniform").pvalue > 1e-3


def largest_gap(sample: Array) -> float:
    """The longest stretch of [0, 1] between neighbours, worst column."""
    ends = np.vstack([np.zeros(sample.shape[1]), np.sort(sample, axis=0), np.ones(sample.shape[1])])
    return float(np.diff(ends, axis=0).max())


class TestQuasiRandom:
    @pytest.mark.parametrize("dimension", [1, 2])
    @pytest.mark.parametrize("count", [64, 1024])
    def test_the_largest_gap_along_any_axis_is_much_smaller_than_that_of_random_points(
        self, dimension: int, count: int
    ) -> None:
        gaps = [largest_gap(quasi_random(count, dimension, np.random.default_rng(seed))) for seed in range(20)]
        random = [largest_gap(np.random.default_rng(seed).random((count, dimension))) for seed in range(20)]
        assert max(gaps) < 0.75 * np.mean(random)

    @pytest.mark.parametrize(("dimension", "most"), [(1, 0.05), (2, 0.1), (4, 0.4), (8, 0.7)])
    def test_its_discrepancy_is_a_fraction_of_that_of_random_points(self, dimension: int, most: float) -> None:
        even = [discrepancy(quasi_random(384, dimension, np.random.default_rng(seed))) for seed in range(5)]
        random = [discrepancy(np.random.default_rng(seed).random((384, dimension))) for seed in range(5)]
        assert max(even) < most * np.mean(random)

    @pytest.mark.parametrize("dimension", [2, 3, 6])
    def test_it_integrates_more_accurately_than_random_points(self, dimension: int) -> None:
        def error(sample: Array) -> float:
            return float(abs((np.prod(1.5 * np.sqrt(sample), axis=1)).mean() - 1.0))

        even = [error(quasi_random(512, dimension, np.random.default_rng(seed))) for seed in range(20)]
        random = [error(np.random.default_rng(seed).random((512, dimension))) for seed in range(20)]
        assert np.mean(even) < 0.5 * np.mean(random)


class TestNormal:
    def test_uniform_numbers_become_standard_normal_ones(self) -> None:
        assert kstest(normal(np.random.default_rng(0).random(4_000)), "norm").pvalue > 1e-3
        assert normal(np.array([0.5]))[0] == pytest.approx(0.0, abs=1e-12)

    def test_the_ends_stay_finite(self) -> None:
        assert np.all(np.isfinite(normal(np.array([0.0, 1.0]))))


class TestDirections:
    @law
    @given(st.data(), objective_counts)
    def test_they_lead_into_the_positive_orthant_for_any_uniform_numbers(
        self, data: st.DataObject, objectives: int
    ) -> None:
        number = st.floats(0.0, 1.0, exclude_max=True) | st.sampled_from([0.0, 0.5, 0.25])
        uniforms = data.draw(hnp.arrays(np.float64, (3, objectives), elements=number))
        rays = directions(uniforms)
        assert rays.shape == (3, objectives)
        assert np.all(rays > 0.0)
        np.testing.assert_allclose(np.linalg.norm(rays, ord=2 if objectives == 2 else np.inf, axis=1), 1.0, rtol=1e-9)

    @pytest.mark.parametrize("objectives", [2, 3, 5])
    def test_no_objective_is_preferred(self, objectives: int) -> None:
        rays = directions(np.random.default_rng(0).random((20_000, objectives)))
        np.testing.assert_allclose(rays.mean(axis=0), rays.mean(), atol=0.01)
        np.testing.assert_allclose(np.cov(rays.T).diagonal(), np.cov(rays.T).diagonal().mean(), atol=0.01)

    def test_with_many_objectives_most_lead_close_to_a_face(self) -> None:
        rays = directions(np.random.default_rng(0).random((20_000, 8)))
        assert ((rays < 0.1).sum(axis=1) >= 1).mean() > 0.5
        assert ((rays > 0.9).sum(axis=1) >= 2).mean() > 0.5


def constant(objectives: int) -> float:
    """The constant in hypervolume = constant × mean reach^M: that of a quarter disc, or of a box."""
    return math.pi / 4.0 if objectives == 2 else 1.0


class TestReach:
    @law
    @given(outcomes(), st.integers(0, 2**32))
    def test_the_end_of_a_reach_is_dominated_and_what_lies_beyond_is_not(self, values: Array, seed: int) -> None:
        rng = np.random.default_rng(seed)
        M = values.shape[1]
        rays, reference = 0.1 + rng.random((5, M)), np.median(values, axis=0) - rng.random(M)
        found = reach(values, reference, rays)
        assert np.all(found >= 0.0)
        for length, ray in zip(found, rays, strict=True):
            if length > 0.0:
                assert np.any(np.all(values - reference >= length * ray - 1e-9 * (1 + length), axis=1))
            assert not np.any(np.all(values - reference > length * ray + 1e-9 * (1 + length), axis=1))

    def test_an_empty_front_or_one_below_the_reference_reaches_nowhere(self) -> None:
        assert reach(np.zeros((0, 2)), np.zeros(2), np.ones((3, 2))).tolist() == [0.0, 0.0, 0.0]
        assert reach(-np.ones((2, 2)), np.zeros(2), np.ones((3, 2))).tolist() == [0.0, 0.0, 0.0]

    @pytest.mark.parametrize(("objectives", "rays", "within"), [(2, 4_000, 0.005), (3, 8_000, 0.01), (4, 16_000, 0.02)])
    def test_its_power_averaged_over_directions_is_the_hypervolume(
        self, objectives: int, rays: int, within: float
    ) -> None:
        rng = np.random.default_rng(objectives)
        for _ in range(4):
            front, reference, span = (
                rng.random((8, objectives)),
                np.full(objectives, -0.2),
                0.5 + rng.random(objectives),
            )
            scaled = directions(quasi_random(rays, objectives, rng)) * span
            estimate = constant(objectives) * span.prod() * (reach(front, reference, scaled) ** objectives).mean()
            assert estimate == pytest.approx(moocore.hypervolume(front, ref=reference, maximise=True), rel=within)


def reaching(objectives: int) -> Callable[[], object]:
    rng = np.random.default_rng(0)
    front, rays = rng.random((50, objectives)).view(Counted), 0.1 + rng.random((128, objectives))
    return lambda: reach(front, np.zeros(objectives), rays)


def test_work_and_memory_grow_at_most_linearly_with_the_number_of_objectives() -> None:
    assert_linear(reaching)
