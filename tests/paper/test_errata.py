"""What in the paper cannot be used as it stands: the errata of `docs/paper-items.md` that no other test shows.

C is Eq. 8, and 1 − C what it leaves of a point's promise. "Mean weights" are the mean of the sorted Dirichlet's draws.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from camobo.acquisition.scalarisation import chebyshev
from camobo.acquisition.utilities import ScalarisedUCB
from camobo.arrays import Array
from camobo.cost.order import Order
from camobo.cost.paper import ExponentialProduct, PaperCost
from camobo.model.hyper import Hyper
from camobo.paper import regret
from camobo.paper.experiments import experiment
from camobo.problems import cross_holder, functions
from camobo.space.inputs import Integer, Real
from camobo.space.space import Space


def cube(inputs: int) -> Space:
    return Space({f"x{j + 1}": Real(0, 1) for j in range(inputs)})


def left(t: int, points: list[list[float]]) -> Array:
    """(n,) 1 − C at step t of (n, k) points, with mean weights, the smallest for x1."""
    space = cube(len(points[0]))
    w = Order.parse(space.names).reversed().centre()
    return np.asarray(np.exp(ExponentialProduct(space, np.arange(len(w)), 1.0 / (w * t + 1.0)).log(np.array(points))))


def leverage(t: int, inputs: int) -> float:
    """How many times more is left of the cheapest point than of the most expensive one, the mean over draws of w."""
    space, rng, ends = cube(inputs), np.random.default_rng(t), np.array([[0.0] * inputs, [1.0] * inputs])
    cost = PaperCost(list(space.names))
    both = [np.exp(cost.at(t, space, rng).log(ends)) for _ in range(2000)]
    return float(np.mean([cheapest / most for cheapest, most in both]))


class TestReadingsOfPi:
    """π ~ Exp(x, λ): what it is. C should lie in (0, 1), rise with x at t = 1, and tend to 1 as t grows."""

    @staticmethod
    def cost(pi: Callable[[Array, Array], Array], t: float, level: float) -> float:
        rates = 1.0 / (np.array([0.25, 0.75]) * t + 1.0)
        return float(np.prod(1.0 - pi(np.full(2, level), rates)))

    def as_the_text_says(self, pi: Callable[[Array, Array], Array]) -> tuple[bool, bool, bool]:
        costs = [self.cost(pi, t, x) for t in (1, 10, 1000) for x in (0.01, 0.5, 0.99)]
        rises = self.cost(pi, 1, 0.9) > self.cost(pi, 1, 0.1)
        return 0.0 < min(costs) < max(costs) < 1.0, rises, self.cost(pi, 1e9, 0.01) > 0.999

    def test_a_density_does_all_that_the_text_says(self) -> None:
        assert self.as_the_text_says(lambda x, rate: rate * np.exp(-rate * x)) == (True, True, True)

    @pytest.mark.parametrize(
        ("pi", "does"),
        [
            (lambda x, rate: np.exp(-rate * x), (True, True, False)),
            (lambda x, rate: 1.0 - np.exp(-rate * x), (True, False, True)),
            (lambda x, mean: np.exp(-x / mean) / mean, (False, True, True)),
        ],
        ids=["survival", "distribution function", "density with mean λ"],
    )
    def test_no_other_reading_does(self, pi: Callable[[Array, Array], Array], does: tuple[bool, bool, bool]) -> None:
        assert self.as_the_text_says(pi) == does


def test_of_five_inputs_the_most_expensive_alone_costs_almost_nothing() -> None:
    nothing, first, everything = left(1, [[0.0] * 5, [1.0, 0.0, 0.0, 0.0, 0.0], [1.0] * 5])
    assert first > 0.999 * nothing
    assert everything < 0.9 * nothing


def test_of_two_inputs_the_cost_s_leverage_is_weak_and_soon_gone() -> None:
    assert [leverage(t, 2) for t in (1, 50)] == pytest.approx([1.63, 1.14], abs=0.02)


def test_of_five_inputs_the_leverage_rises_before_it_falls() -> None:
    assert [leverage(t, 5) for t in (1, 20, 500)] == pytest.approx([1.12, 1.26, 1.10], abs=0.02)


class TestTheSignOfQ:
    SHARES = left(1, [[0.1, 0.2], [0.9, 0.9]])

    def test_where_q_is_negative_the_printed_product_prefers_the_expensive_point(self) -> None:
        cheap, expensive = -1.0 * self.SHARES
        assert expensive > cheap

    def test_here_the_cheap_point_is_preferred(self) -> None:
        q = ScalarisedUCB(np.ones(1), np.zeros(1), beta=0.0).log(np.array([[-1.0], [-1.0]]), np.zeros((2, 1)))
        cheap, expensive = q + np.log(self.SHARES)
        assert cheap > expensive

    def test_the_reference_is_a_hidden_price_the_lower_it_is_the_more_cost_decides(self) -> None:
        better_but_expensive = np.array([[1.0, 1.0], [2.0, 2.0]])
        chosen = [
            int(np.argmax(chebyshev(better_but_expensive, np.full(2, 0.5), np.full(2, R)) * self.SHARES))
            for R in (0.0, -10.0)
        ]
        assert chosen == [1, 0]


def test_what_cost_leaves_falls_like_one_over_t() -> None:
    steps = [10**3, 10**5, 10**7]
    scaled = [t * left(t, [[0.0, 0.0], [1.0, 1.0]]) for t in steps]
    np.testing.assert_allclose(scaled[1], scaled[2], rtol=1e-3)  # times t it tends to a constant, …
    assert left(steps[-1], [[0.5, 0.5]])[0] < 1e-6  # … so any absolute tolerance is passed in the end


def test_the_printed_dominant_set_is_empty() -> None:
    values = np.random.default_rng(0).random((20, 2))
    as_printed = [y for y in values if not any(np.all(other >= y) for other in values)]  # ∄ (x, y) ∈ D: y ⪰ y*
    assert as_printed == []


def test_a_point_that_nothing_beats_everywhere_can_be_dominated() -> None:
    """The words before Eq. 3 allow it on the front, Eq. 3 does not."""
    one, other = np.array([1.0, 0.0]), np.array([1.0, 1.0])
    assert not np.all(other > one)
    assert np.all(other >= one)
    assert np.any(other > one)


def test_the_printed_booth_has_no_minimum_where_booth_has_one() -> None:
    at, beside = (np.array([x]) for x in (1.0, 0.0))
    level = np.array([3.0])
    assert functions.booth(at, level)[0] == functions.printed_booth(at, level)[0] == 0.0
    assert functions.booth(beside, level)[0] > 0.0 > functions.printed_booth(beside, level)[0]


class TestRegretOfAnyPolicy:
    def test_it_is_at_most_what_cost_leaves_of_the_cheapest_point(self) -> None:
        problem, T = cross_holder(), 30
        surveyed = regret.survey(problem.space, lambda units: -problem.evaluate(units), count=1 << 10)
        rng, cost = np.random.default_rng(0), PaperCost("x1 > x2")
        discounts = [cost.at(t, problem.space, rng) for t in range(1, T + 1)]
        found = regret.instantaneous(surveyed, rng.random((T, 2)), rng.dirichlet([1.0, 1.0], T), discounts)
        assert np.all(found <= [math.exp(d.log(np.zeros((1, 2)))[0]) for d in discounts])

    def test_the_sum_of_that_grows_like_a_squared_logarithm(self) -> None:
        steps = np.arange(1, 10**5 + 1)
        w = np.sort(np.random.default_rng(0).dirichlet([1.0, 1.0], len(steps)), axis=1)
        sums = np.cumsum(1.0 - np.prod(1.0 - 1.0 / (w * steps[:, None] + 1.0), axis=1))
        shares = sums[[10**3 - 1, 10**5 - 1]] / np.log([10**3, 10**5]) ** 2
        assert 0.5 < shares[1] < shares[0] < 1.1


class TestTheProof:
    def test_with_alpha_for_q_its_first_step_fails(self) -> None:
        """r ≤ (I) + (II) needs A(x_t) (1 − C(x_t)) ≥ A(x*) (1 − C(x*)): that is how x_t is chosen for A = Q, not α."""
        q, share = np.array([10.0, 1.0]), np.array([0.1, 0.9])  # x_t, x*
        alpha = q * share
        assert alpha[0] > alpha[1]
        assert alpha[0] * share[0] < alpha[1] * share[1]
        assert q[0] * share[0] > q[1] * share[1]

    @pytest.mark.parametrize("T", [1, 15])
    def test_the_printed_sum_of_variances_misses_a_factor_of_two(self, T: int) -> None:
        """Σ σ² ≤ 2 γ_T / ln(1 + σ⁻²), not γ_T / ln(1 + σ⁻²): for points far apart both sides are known."""
        noise, hyper = 0.01, Hyper(np.ones(1), signal=1.0, noise=0.01)
        apart: Array = 100.0 * np.arange(T, dtype=np.float64)[:, None]
        gain = regret.information_gain(apart, hyper, "se", T)[-1] * (1.0 - 1.0 / math.e)
        assert gain == pytest.approx(0.5 * T * math.log1p(1.0 / noise))
        variances, printed = float(T), gain / math.log1p(1.0 / noise)
        assert printed < variances
        assert variances == pytest.approx(2.0 * printed)

    def test_with_it_the_first_term_of_the_bound_is_the_root_of_two_larger(self) -> None:
        weights = np.tile([0.5, 0.5], (9, 1))
        priors = [regret.Prior(np.linspace(1, 2, 9), 0.01, 1.0)] * 2
        none, one, two = (
            regret.theorem_bound(weights, priors, math.log(1e4), factor)[-1] for factor in (0.0, 1.0, 2.0)
        )
        assert (two - none) / (one - none) == pytest.approx(math.sqrt(2.0))

    def test_it_bounds_the_expected_regret_and_a_single_run_can_exceed_the_bound(self) -> None:
        """One objective, two unrelated points, T = 1, C → 0: β_1 = 0 leaves π²/3, whatever the function drawn."""
        bound = regret.theorem_bound(np.ones((1, 1)), [regret.Prior(np.ones(1), 1.0, 1.0)], math.log(2.0))[0]
        assert bound == pytest.approx(math.pi**2 / 3.0)
        drawn = np.random.default_rng(0).standard_normal((10**4, 2))
        regrets = drawn.max(axis=1) - drawn[:, 0]
        assert regrets.mean() < bound < regrets.max()


def test_the_network_s_published_sums_are_no_layers_and_no_levels() -> None:
    """205.7 and 349.5 over 300 iterations: layers make 300 at least, levels in [0, 1] 300 at most."""
    given = experiment("network", {})
    assert given.published is not None
    layers, T = given.space.inputs["layers"], given.paper.iterations
    assert isinstance(layers, Integer)
    assert given.published.cost_aware < layers.low * T
    assert given.published.blind > 1.0 * T
