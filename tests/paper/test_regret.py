from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from camobo.acquisition.scalarisation import chebyshev
from camobo.arrays import Array
from camobo.cost.paper import PaperCost
from camobo.cost.protocol import Discount
from camobo.model.gp import condition
from camobo.model.hyper import Hyper
from camobo.paper import regret
from camobo.problems import Problem, cross_holder, matyas_booth, zdt3
from camobo.space.inputs import Integer, Real
from camobo.space.space import Space

SQUARE = Space({"x1": Real(0, 1), "x2": Real(0, 1)})


class Steep:
    """1 − C = exp(−4 x1)."""

    def log(self, units: Array) -> Array:
        return -4.0 * units[:, 0]

    def log_slope(self, units: Array) -> Array:
        return np.tile([-4.0, 0.0], (len(units), 1))


def signed(problem: Problem) -> regret.Survey:
    return regret.survey(problem.space, lambda units: -problem.evaluate(units), count=1 << 12)


def draws(problem: Problem, steps: int, seed: int = 0) -> tuple[Array, list[Discount | None]]:
    rng = np.random.default_rng(seed)
    cost = PaperCost(" > ".join(problem.space.names))
    discounts: list[Discount | None] = [cost.at(t, problem.space, rng) for t in range(1, steps + 1)]
    return rng.dirichlet([1.0, 1.0], steps), discounts


@pytest.mark.parametrize("problem", [zdt3(), cross_holder(), matyas_booth()], ids=lambda p: p.name)
class TestTheInnerMaximum:
    def test_no_point_of_a_dense_sample_scores_higher(self, problem: Problem) -> None:
        made, steps = signed(problem), 12
        weights, discounts = draws(problem, steps)
        best = regret.best_scores(made, weights, discounts, np.zeros((steps, problem.space.dimension)))
        rng = np.random.default_rng(9)
        units = rng.random((40_000, problem.space.dimension)) * (rng.random((40_000, problem.space.dimension)) < 0.7)
        values = made.mapped(units)
        for t, discount in enumerate(discounts):
            assert discount is not None
            score = chebyshev(values, weights[t], np.zeros(2)) * np.exp(discount.log(units))
            assert score.max() <= best[t] + 1e-3 * best[t]

    def test_regret_is_never_negative_and_zero_at_the_maximum(self, problem: Problem) -> None:
        made, steps = signed(problem), 6
        weights, discounts = draws(problem, steps)
        rng = np.random.default_rng(1)
        assert (regret.instantaneous(made, rng.random((steps, problem.space.dimension)), weights, discounts) >= 0).all()

    def test_the_ranges_are_those_of_the_whole_space(self, problem: Problem) -> None:
        made = signed(problem)
        values = -problem.evaluate(np.random.default_rng(3).random((50_000, problem.space.dimension)))
        assert (values <= made.best + 1e-6).all()
        assert (values >= made.worst - 1e-6).all()


def test_without_cost_the_inner_maximum_of_a_linear_trade_off_is_known() -> None:
    made = regret.survey(SQUARE, lambda u: np.column_stack([u[:, 0], 1.0 - u[:, 0]]), count=512)
    weights = np.array([[0.5, 0.5], [0.8, 0.2]])  # θ1 x = θ2 (1 − x) at x = θ2: the best score is θ1 θ2
    chosen = np.array([[0.5, 0.1], [0.7, 0.1]])
    found = regret.instantaneous(made, chosen, weights, [None, None])
    assert found == pytest.approx([0.0, 0.16 - 0.2 * 0.3], abs=1e-6)


def test_with_a_cost_the_inner_maximum_weighs_it() -> None:
    made = regret.survey(SQUARE, lambda u: u[:, :1], count=512)
    found = regret.instantaneous(made, np.array([[1.0, 0.0]]), np.ones((1, 1)), [Steep()])
    best = 0.25 * math.exp(-1.0)  # x exp(−4x) is highest at x = 1/4
    assert found == pytest.approx([best - math.exp(-4.0)], abs=1e-6)


def test_discounts_are_asked_for_points_of_the_cube_not_for_how_expensive_they_are() -> None:
    space = Space({"x": Real(0, 1, expensive="low")})
    made = regret.survey(space, lambda u: u[:, :1], count=512)
    found = regret.instantaneous(made, np.array([[0.25]]), np.ones((1, 1)), [Steep()])
    assert found == pytest.approx([0.0], abs=1e-6)  # x exp(−4x) is highest at x = 1/4, whichever end is expensive


def test_a_space_of_whole_numbers_is_searched_at_whole_numbers() -> None:
    space = Space({"n": Integer(0, 4), "x": Real(0, 1)})
    made = regret.survey(space, lambda u: -(np.abs(u[:, :1] - 0.4)), count=256)
    assert made.best == pytest.approx([-0.1])  # at n = 2, whose place is 0.5


def test_an_objective_that_never_changes_has_no_regret() -> None:
    made = regret.survey(SQUARE, lambda u: np.full((len(u), 1), 7.0), count=64)
    assert regret.instantaneous(made, np.array([[0.3, 0.3]]), np.ones((1, 1)), [None]) == pytest.approx([0.0])


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_the_average_is_the_sum_so_far_over_the_steps_so_far(regrets: list[float]) -> None:
    sums = regret.cumulative(np.array(regrets))
    assert sums[-1] == pytest.approx(math.fsum(regrets))
    assert regret.average(np.array(regrets)) == pytest.approx(sums / np.arange(1, len(regrets) + 1))


class TestInformationGain:
    HYPER = Hyper(np.array([0.3, 0.3]), signal=2.0, noise=0.02)

    def test_no_choice_of_points_tells_more(self) -> None:
        rng = np.random.default_rng(0)
        points = rng.random((300, 2))
        gains = regret.information_gain(points, self.HYPER, "se", 12)
        for _ in range(20):
            some = points[rng.choice(300, 12, replace=False)]
            factor = condition(some, np.arange(12.0), self.HYPER).factor
            told = np.log(factor.diagonal()).sum() - 6.0 * math.log(self.HYPER.noise)
            assert told <= gains[-1]

    def test_it_is_what_greedy_points_tell_over_one_minus_one_over_e(self) -> None:
        points = np.array([[0.0, 0.0], [5.0, 5.0]])  # far apart: each tells ½ ln(1 + a/s)
        gains = regret.information_gain(points, self.HYPER, "se", 2)
        assert gains == pytest.approx(np.array([0.5, 1.0]) * math.log(101.0) / (1.0 - 1.0 / math.e))

    def test_each_further_point_tells_less(self) -> None:
        gains = regret.information_gain(np.random.default_rng(1).random((100, 2)), self.HYPER, "matern52", 40)
        steps = np.diff(gains, prepend=0.0)
        assert (steps > 0).all()
        assert (np.diff(steps) <= 1e-9).all()


def test_the_bound_is_theorem_one_s_formula() -> None:
    weights = np.array([[0.25, 0.75], [0.5, 0.5]])
    priors = [regret.Prior(np.array([1.0, 1.5]), 0.1, 1.0), regret.Prior(np.array([2.0, 2.5]), 0.2, 1.0)]
    found = regret.theorem_bound(weights, priors, math.log(100.0))
    beta = 2.0 * math.log(4.0 * 100.0 / math.sqrt(2.0 * math.pi))
    spread = 1.5 / math.log(11.0) + 2.5 / math.log(6.0)
    steep = math.sqrt((0.75**2 + 0.5**2) / 2.0)
    expected = steep * math.sqrt(2 * 2 * beta * spread) + math.pi**2 / 3.0 * 2 * (0.75 + 0.5) / 2
    assert found[1] == pytest.approx(expected)
    assert found[0] < found[1]
