from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.stats import norm

from camobo.acquisition.scalarisation import reach
from camobo.acquisition.utilities import (
    Feasible,
    ScalarisedUCB,
    beta_practical,
    beta_theory,
    power_of,
)
from camobo.arrays import Array
from tests.support.effort import Counted, assert_linear
from tests.support.strategies import law
from tests.support.utilities import UNIT_FRONT, UTILITIES, AnyUtility, improvement, ucb

every_utility = pytest.mark.parametrize("utility", UTILITIES.values(), ids=UTILITIES.keys())


class TestBeta:
    def test_the_practical_beta_is_an_eighth_of_a_logarithm(self) -> None:
        assert beta_practical(1) == pytest.approx(0.125 * math.log(3))
        assert beta_practical(100) == pytest.approx(0.125 * math.log(201))

    def test_the_theoretical_beta_is_that_of_theorem_1_and_never_negative(self) -> None:
        points, step = 1e6, 17
        expected = 2 * math.log(step**2 * points / math.sqrt(2 * math.pi))
        assert beta_theory(step, math.log(points)) == pytest.approx(expected)
        assert beta_theory(1, 0.0) == 0.0

    @law
    @given(st.integers(1, 10**6), st.floats(0.0, 60.0))
    def test_both_grow_with_the_steps(self, step: int, log_points: float) -> None:
        assert beta_practical(step + 1) > beta_practical(step)
        assert beta_theory(step + 1, log_points) >= beta_theory(step, log_points) >= 0.0


def q_of_equation_7(utility: ScalarisedUCB, mean: Array, deviation: Array) -> Array:
    rows = [
        min(
            theta * (mu + math.sqrt(utility.beta) * sigma - R)
            for theta, mu, sigma, R in zip(utility.weights, *row, utility.reference, strict=True)
        )
        for row in zip(mean, deviation, strict=True)
    ]
    return np.array(rows)


class TestScalarisedUCB:
    @law
    @given(st.integers(1, 5), st.integers(0, 2**32))
    def test_it_is_the_logarithm_of_equation_7_where_q_is_clearly_positive(self, objectives: int, seed: int) -> None:
        rng = np.random.default_rng(seed)
        utility = ucb(objectives)
        mean, deviation = rng.normal(1.0, 1.0, (40, objectives)), rng.random((40, objectives))
        q = q_of_equation_7(utility, mean, deviation)
        assume(np.any(q >= 1e-3))
        log = utility.log(mean, deviation)
        np.testing.assert_allclose(log[q >= 1e-3], np.log(q[q >= 1e-3]), rtol=1e-10, atol=1e-12)
        assert np.all(log[q < 1e-3] <= math.log(1e-3))

    def test_it_rises_without_a_jump_or_a_kink_through_zero(self) -> None:
        utility = ScalarisedUCB(np.ones(1), np.zeros(1), 0.0)
        q = np.linspace(-3e-3, 5e-3, 4001)[:, None]
        value, slope, _ = utility.log_slopes(q, np.ones_like(q))
        assert np.all(np.isfinite(value))
        assert np.all(np.diff(value) > 0.0)
        assert np.abs(np.diff(value)).max() < 3e-3  # 1000 × the step of 2e-6, plus rounding
        assert np.abs(np.diff(slope[:, 0])).max() < 3.0  # of 1000 at the joint
        np.testing.assert_allclose(np.diff(value) / np.diff(q[:, 0]), 0.5 * (slope[1:] + slope[:-1])[:, 0], rtol=1e-5)

    def test_very_negative_q_stays_finite_and_ordered(self) -> None:
        mean = np.array([[-1e6, 1.0], [-1e3, 1.0], [-1.0, 1.0]])
        log = ucb().log(mean, np.zeros_like(mean))
        assert np.all(np.isfinite(log))
        assert np.all(np.diff(log) > 0)

    def test_the_softened_minimum_is_close_to_the_minimum_and_not_above_it(self) -> None:
        rng = np.random.default_rng(0)
        mean, deviation = 1.0 + rng.random((50, 2)), 0.1 + rng.random((50, 2))
        hard, soft = ucb().log(mean, deviation), ucb().softened().log(mean, deviation)
        assert np.all(soft <= hard)
        assert np.abs(soft - hard).max() < 0.2


def assert_slopes_are_differences(utility: AnyUtility, mean: Array, deviation: Array, *, step: float = 1e-6) -> None:
    """Compare slopes with central differences where there is no kink: there both one-sided differences agree."""
    value, by_mean, by_deviation = utility.log_slopes(mean, deviation)
    np.testing.assert_allclose(value, utility.log(mean, deviation), rtol=1e-12)
    checked = 0
    for slope, moves_mean in ((by_mean, 1.0), (by_deviation, 0.0)):
        assert slope.shape == mean.shape
        for m in range(mean.shape[1]):
            move = step * np.eye(mean.shape[1])[m]
            ahead, behind = (
                (utility.log(mean + sign * moves_mean * move, deviation + sign * (1.0 - moves_mean) * move) - value)
                / (sign * step)
                for sign in (1.0, -1.0)
            )
            smooth = np.abs(ahead - behind) <= 1e-4 * (1.0 + np.abs(ahead))
            np.testing.assert_allclose(slope[smooth, m], 0.5 * (ahead + behind)[smooth], rtol=1e-4, atol=1e-5)
            checked += int(smooth.sum())
    assert checked > 0.7 * 2 * mean.size


class TestSlopes:
    @every_utility
    def test_slopes_are_those_of_differences(self, utility: AnyUtility) -> None:
        rng = np.random.default_rng(1)
        assert_slopes_are_differences(utility, rng.random((60, 2)), 0.05 + 0.5 * rng.random((60, 2)))

    @every_utility
    def test_slopes_are_those_of_differences_where_no_improvement_is_expected(self, utility: AnyUtility) -> None:
        rng = np.random.default_rng(2)
        assert_slopes_are_differences(utility, -2.0 - rng.random((60, 2)), 0.01 + 0.05 * rng.random((60, 2)))

    @pytest.mark.parametrize("objectives", [1, 3, 5])
    def test_slopes_are_those_of_differences_for_any_number_of_objectives(self, objectives: int) -> None:
        rng = np.random.default_rng(objectives)
        mean, deviation = rng.random((40, objectives)), 0.1 + 0.4 * rng.random((40, objectives))
        assert_slopes_are_differences(ucb(objectives).softened(), mean, deviation)
        front = rng.random((6, objectives))
        assert_slopes_are_differences(improvement(front), mean, deviation)

    @every_utility
    def test_better_means_are_never_worth_less(self, utility: AnyUtility) -> None:
        rng = np.random.default_rng(3)
        mean, deviation = rng.normal(0.3, 0.6, (200, 2)), 0.05 + 0.3 * rng.random((200, 2))
        assert np.all(utility.log(mean + 0.1 * rng.random((200, 2)), deviation) >= utility.log(mean, deviation) - 1e-12)

    def test_where_nothing_can_improve_the_surface_still_leads_towards_the_front(self) -> None:
        far = np.linspace(-5.0, -0.5, 20)[:, None] * np.ones(2)
        values = improvement(UNIT_FRONT).log(far, np.full_like(far, 1e-4))
        assert np.all(np.isfinite(values))
        assert np.all(np.diff(values) > 0.0)

    def test_extremely_hopeless_points_stay_finite_with_finite_slopes(self) -> None:
        mean = np.array([[-1e9, -1e9], [-1e4, 0.5], [-800.0, -800.0]])
        for part in improvement(UNIT_FRONT).log_slopes(mean, np.full_like(mean, 1e-6)):
            assert np.all(np.isfinite(part))


def exact_improvement(front: Array, mean: Array, deviation: Array) -> float:
    """E[hypervolume improvement] of an independent normal outcome over a 2-D front above the origin.

    ∫∫ P(Y₁ ≥ a) P(Y₂ ≥ b) over the region above the origin that is not dominated: a sum over the front's steps.
    """

    def beyond(bound: float, m: int) -> float:
        """∫_bound^∞ P(Y_m ≥ a) da."""
        if math.isinf(bound):
            return 0.0
        gap = (mean[m] - bound) / deviation[m]
        return float(deviation[m] * (gap * norm.cdf(gap) + norm.pdf(gap)))

    steps = front[np.argsort(front[:, 0])]
    edges = [0.0, *steps[:, 0].tolist(), math.inf]
    heights = [*steps[:, 1].tolist(), 0.0]
    return sum(
        (beyond(left, 0) - beyond(right, 0)) * beyond(height, 1)
        for left, right, height in zip(edges[:-1], edges[1:], heights, strict=True)
    )


def dominated_area(points: Array, size: float = 2.0, cells: int = 200) -> NDArray[np.bool_]:
    """(cells, cells) which cells of [0, size]² are dominated by (n, 2) points."""
    middles = (np.arange(cells) + 0.5) * size / cells
    inside = (points[:, 0, None, None] >= middles[:, None]) & (points[:, 1, None, None] >= middles[None, :])
    return np.asarray(inside.any(axis=0))


POINTS = [([0.6, 0.7], [0.1, 0.1]), ([0.9, 0.9], [0.05, 0.3]), ([0.3, 0.3], [0.4, 0.4]), ([0.1, 1.2], [0.1, 0.1])]


class TestExpectedReach:
    def test_the_oracle_agrees_with_counting_cells(self) -> None:
        mean, deviation = np.array([0.6, 0.7]), np.array([0.15, 0.2])
        front = dominated_area(UNIT_FRONT)
        rng = np.random.default_rng(0)
        drawn = mean + deviation * rng.standard_normal((1500, 2))
        gains = [(dominated_area(row[None, :]) & ~front).sum() for row in drawn]
        estimate, error = np.mean(gains) * 1e-4, np.std(gains) * 1e-4 / math.sqrt(len(gains))
        assert abs(estimate - exact_improvement(UNIT_FRONT, mean, deviation)) < 4 * error + 2e-3

    @pytest.mark.parametrize(("mean", "deviation"), POINTS)
    def test_with_many_rays_it_is_the_exact_expected_improvement(
        self, mean: list[float], deviation: list[float]
    ) -> None:
        at, of = np.array(mean), np.array(deviation)
        utility = improvement(UNIT_FRONT, rays=30_000)
        q = 0.25 * math.pi * math.exp(utility.log(at[None, :], of[None, :])[0])
        assert q == pytest.approx(exact_improvement(UNIT_FRONT, at, of), rel=0.03)

    def test_with_as_many_rays_as_a_study_uses_it_still_ranks_points_as_the_exact_one_does(self) -> None:
        rng = np.random.default_rng(5)
        mean, deviation = rng.random((60, 2)), 0.05 + 0.3 * rng.random((60, 2))
        exact = [exact_improvement(UNIT_FRONT, m, d) for m, d in zip(mean, deviation, strict=True)]
        ours = improvement(UNIT_FRONT).log(mean, deviation)
        ranks = [np.argsort(np.argsort(values)) for values in (np.array(exact), ours)]
        assert np.asarray(np.corrcoef(ranks))[0, 1] > 0.97

    @pytest.mark.parametrize("objectives", [3, 5])
    def test_with_more_than_two_objectives_it_is_the_mean_gain_in_reach(self, objectives: int) -> None:
        front = np.full((1, objectives), 0.5) + 0.3 * np.eye(objectives)
        utility, better = improvement(front), np.full((1, objectives), 0.9)
        origin, rays = np.zeros(objectives), utility.rays
        gain = np.maximum(reach(better, origin, rays), reach(front, origin, rays)) - reach(front, origin, rays)
        assert math.exp(utility.log(better, np.full((1, objectives), 1e-12))[0]) == pytest.approx(gain.mean(), rel=1e-6)
        assert_slopes_are_differences(utility, better, np.full((1, objectives), 0.1))

    def test_its_volume_is_the_hypervolume_reached(self) -> None:
        area = 0.2 * 0.9 + 0.3 * 0.6 + 0.3 * 0.1
        assert 0.25 * math.pi * improvement(UNIT_FRONT, rays=4_000).volume == pytest.approx(area, rel=0.01)

    @pytest.mark.parametrize(("objectives", "power"), [(1, 1), (2, 2), (3, 1), (8, 1)])
    def test_the_power_is_the_number_of_objectives_up_to_two_and_one_beyond(self, objectives: int, power: int) -> None:
        assert power_of(objectives) == improvement(np.full((1, objectives), 0.5)).power == power


class TestFeasible:
    def test_it_is_the_utility_times_the_probability_that_every_constraint_holds(self) -> None:
        rng = np.random.default_rng(3)
        mean, deviation, limits = rng.normal(size=(6, 4)), rng.uniform(0.2, 2.0, size=(6, 4)), np.array([0.3, -0.5])
        holds = np.prod(norm.cdf(limits, loc=mean[:, 2:], scale=deviation[:, 2:]), axis=1)
        found = Feasible(ucb(), limits).log(mean, deviation)
        assert found == pytest.approx(ucb().log(mean[:, :2], deviation[:, :2]) + np.log(holds))
        assert Feasible(None, limits).log(mean[:, 2:], deviation[:, 2:]) == pytest.approx(np.log(holds))

    @pytest.mark.parametrize(
        "utility", [ucb(softness=0.02), improvement(UNIT_FRONT), None], ids=["UCB", "improvement", "none"]
    )
    def test_its_slopes_are_differences(self, utility: Any) -> None:
        rng = np.random.default_rng(5)
        width = 4 if utility is not None else 2
        mean, deviation = rng.normal(size=(5, width)), rng.uniform(0.2, 2.0, size=(5, width))
        assert_slopes_are_differences(Feasible(utility, np.array([0.3, -0.5])), mean, deviation)

    def test_a_hopeless_point_keeps_a_finite_value_and_a_slope_towards_feasibility(self) -> None:
        given = Feasible(None, np.zeros(1))
        value, by_mean, _ = given.log_slopes(np.array([[1e3], [1.0]]), np.full((2, 1), 1e-3))
        assert np.isfinite(value).all()
        assert (by_mean < 0.0).all()

    def test_softened_it_holds_a_softened_utility(self) -> None:
        softened = Feasible(ucb(), np.zeros(1)).softened().utility
        assert isinstance(softened, ScalarisedUCB)
        assert softened.softness == ucb().softened().softness > 0.0

    def test_softened_without_a_utility_it_is_itself(self) -> None:
        probability = Feasible(None, np.zeros(1))
        assert probability.softened() is probability


def value_and_slopes(objectives: int) -> Callable[[], object]:
    rng = np.random.default_rng(0)
    utility = improvement(rng.random((10, objectives)))
    object.__setattr__(utility, "lines", utility.lines.view(Counted))
    mean, deviation = (rng.random((100, objectives)).view(Counted) for _ in range(2))
    return lambda: (utility.log(mean, deviation), utility.log_slopes(mean, deviation))


def test_work_and_memory_grow_at_most_linearly_with_the_number_of_objectives() -> None:
    assert_linear(value_and_slopes)
