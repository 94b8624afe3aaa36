from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import cast

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from camobo.acquisition.acquisition import Acquisition, Term
from camobo.acquisition.utilities import ExplorationBonus, ScalarisedUCB
from camobo.arrays import Array
from camobo.cost.additive import AdditiveCost
from camobo.cost.moment import Moment
from camobo.cost.paper import PaperCost
from camobo.cost.protocol import Discount
from camobo.model.gp import GP, condition
from camobo.model.hyper import Hyper
from camobo.space.inputs import Categorical, Integer, Real
from camobo.space.space import Space
from tests.support.strategies import law, spaces, units
from tests.support.utilities import UNIT_FRONT, UTILITIES, AnyUtility, improvement, ucb


@dataclass(frozen=True)
class Known:
    """A process with the same prediction everywhere."""

    mean: float
    deviation: float

    def posterior(self, points: Array) -> tuple[Array, Array]:
        return np.full(len(points), self.mean), np.full(len(points), self.deviation)


def flat_acquisition(space: Space, kind: str, mean: Array, deviation: Array, cost: Discount) -> Acquisition:
    gps = [Known(float(m), float(d)) for m, d in zip(mean, deviation, strict=True)]
    return Acquisition(space, cast("list[GP]", gps), tuple(Term(utility, cost) for utility in REASONS[kind]))


REASONS: dict[str, list[AnyUtility]] = {name: [utility] for name, utility in UTILITIES.items()} | {
    "two reasons": [improvement(UNIT_FRONT), ExplorationBonus(0.01)]
}
every_reason = pytest.mark.parametrize("kind", REASONS.keys())


class TestCostDecides:
    @law
    @given(spaces(), st.integers(1, 10_000), st.none() | st.integers(1, 10_000), st.integers(0, 2**32), st.data())
    def test_of_two_points_that_promise_the_same_the_more_expensive_is_never_preferred_whatever_the_sign_of_q(
        self, space: Space, step: int, budget: int | None, seed: int, data: st.DataObject
    ) -> None:
        rng = np.random.default_rng(seed)
        model = data.draw(st.sampled_from([PaperCost, AdditiveCost]))(list(space.names))
        cost = model.at(Moment(step, budget), space.names, rng)
        cheap = space.snap(data.draw(units(space, most=1)))
        expensive = cheap.copy()
        column = data.draw(st.integers(0, space.dimension - 1))
        expensive[0, column] = space.at_expense(np.ones((1, space.dimension)))[0, column]
        pair = np.vstack([cheap, expensive])
        assume(np.all(np.diff(space.expense(pair), axis=0) >= 0.0))
        for kind, sign in itertools.product(REASONS, (1.0, 0.0, -1.0)):
            value = flat_acquisition(space, kind, sign * rng.random(2), rng.random(2), cost)(pair)
            assert np.all(np.isfinite(value))
            assert value[1] <= value[0] + 1e-9

    @law
    @given(st.integers(1, 10_000), st.none() | st.integers(1, 10_000), st.integers(0, 2**32), st.data())
    def test_of_two_points_that_promise_the_same_the_one_with_more_of_the_more_expensive_input_is_never_preferred(
        self, step: int, budget: int | None, seed: int, data: st.DataObject
    ) -> None:
        rng = np.random.default_rng(seed)
        space = Space(
            {"expensive": Real(0, 20, expensive="low"), "unnamed": Real(0, 1), "cheap": Real(1, 10, log=True)}
        )
        model = data.draw(st.sampled_from([PaperCost, AdditiveCost]))("expensive > cheap")
        cost = model.at(Moment(step, budget), space.names, rng)
        less, more = np.sort(rng.random(2))
        pair = space.at_expense(np.array([[less, 0.5, more], [more, 0.5, less]]))
        for kind, sign in itertools.product(REASONS, (1.0, 0.0, -1.0)):
            value = flat_acquisition(space, kind, sign * rng.random(2), rng.random(2), cost)(pair)
            assert value[1] <= value[0] + 1e-9

    @every_reason
    def test_a_clearly_more_expensive_point_is_clearly_worse_even_where_q_is_negative(self, kind: str) -> None:
        space = Space({"a": Real(0, 1), "b": Real(0, 1)})
        cost = AdditiveCost("a > b", strength=1.0).at(Moment(1, 10), space.names, np.random.default_rng(0))
        for mean in (0.9, 0.0, -0.9):
            surface = flat_acquisition(space, kind, np.full(2, mean), np.full(2, 0.1), cost)
            cheap, expensive = surface(np.array([[0.1, 0.5], [0.9, 0.5]]))
            assert expensive < cheap - 0.1


MIXED = Space(
    {
        "nickel": Real(0, 20),
        "soak": Integer(1, 12),
        "quench": Categorical(["air", "oil", "vacuum"], expensive=["vacuum", "oil"]),
        "purity": Real(0.1, 10, log=True, expensive="low"),
        "passes": Integer(1, 5, expensive="low"),
    }
)


def trained(space: Space, objectives: int = 2) -> list[GP]:
    rng = np.random.default_rng(0)
    x = space.snap(rng.random((14, space.dimension)))
    features = space.features(x)
    lengths = np.asarray(0.4 + rng.random(features.shape[1]))
    return [
        condition(features, np.sin((m + 2) * x).sum(axis=1), Hyper(lengths, noise=1e-4), kernel="matern52")
        for m in range(objectives)
    ]


COST = AdditiveCost("nickel > purity, quench > passes", strength=2.0)
DISCOUNT = COST.at(Moment(1, 10), MIXED.names, np.random.default_rng(0))


def mixed_acquisition(kind: str, *, discounted: bool = True) -> Acquisition:
    discount = DISCOUNT if discounted else None
    return Acquisition(MIXED, trained(MIXED), tuple(Term(utility, discount) for utility in REASONS[kind]))


class TestAcquisition:
    @every_reason
    @pytest.mark.parametrize("discounted", [True, False])
    def test_gradients_are_those_of_differences_on_a_mixed_space(self, kind: str, discounted: bool) -> None:
        surface = mixed_acquisition(kind, discounted=discounted)
        points = MIXED.snap(0.05 + 0.9 * np.random.default_rng(1).random((30, MIXED.dimension)))
        value, gradient = surface.with_gradient(points)
        np.testing.assert_allclose(value, surface(points), rtol=1e-9, atol=1e-9)
        step, checked = 1e-5, 0
        for j in np.flatnonzero(MIXED.continuous):
            move = step * np.eye(MIXED.dimension)[j]
            ahead, behind = (surface(points + move) - value) / step, (value - surface(points - move)) / step
            smooth = np.abs(ahead - behind) <= 2e-3 * (1.0 + np.abs(ahead))
            np.testing.assert_allclose(gradient[smooth, j], 0.5 * (ahead + behind)[smooth], rtol=2e-3, atol=2e-3)
            checked += int(smooth.sum())
        assert checked >= 40
        assert np.all(gradient[:, ~MIXED.continuous] == 0.0)

    @every_reason
    def test_points_are_snapped_to_those_that_can_be_evaluated(self, kind: str) -> None:
        surface = mixed_acquisition(kind)
        points = np.random.default_rng(2).random((20, MIXED.dimension))
        snapped = MIXED.snap(points)
        assert not np.allclose(points, snapped)
        np.testing.assert_array_equal(surface(points), surface(snapped))
        for ours, theirs in zip(surface.with_gradient(points), surface.with_gradient(snapped), strict=True):
            np.testing.assert_array_equal(ours, theirs)

    def test_many_points_at_once_have_the_values_that_each_has_alone(self) -> None:
        surface = mixed_acquisition("two reasons")
        points = np.random.default_rng(5).random((600, MIXED.dimension))
        alone = np.concatenate([surface(points[i : i + 1]) for i in range(len(points))])
        np.testing.assert_allclose(surface(points), alone, rtol=1e-9, atol=1e-9)

    def test_it_is_the_utility_of_the_posterior_times_one_minus_cost(self) -> None:
        surface, undiscounted = (mixed_acquisition("scalarised UCB", discounted=given) for given in (True, False))
        points = MIXED.snap(np.random.default_rng(3).random((10, MIXED.dimension)))
        moments = [model.posterior(MIXED.features(points)) for model in surface.gps]
        expected = ucb().log(np.column_stack([m for m, _ in moments]), np.column_stack([d for _, d in moments]))
        np.testing.assert_allclose(undiscounted(points), expected)
        np.testing.assert_allclose(surface(points) - undiscounted(points), DISCOUNT.log(MIXED.expense(points)))

    def test_several_reasons_to_try_a_point_add_up_each_with_its_own_cost(self) -> None:
        promise, learn = improvement(UNIT_FRONT), ExplorationBonus(0.01)
        points = MIXED.snap(np.random.default_rng(4).random((10, MIXED.dimension)))
        gps = trained(MIXED)
        both = Acquisition(MIXED, gps, (Term(promise), Term(learn, DISCOUNT)))
        each = [Acquisition(MIXED, gps, (term,))(points) for term in both.terms]
        np.testing.assert_allclose(np.exp(both(points)), np.exp(each).sum(axis=0), rtol=1e-12)

    def test_softening_reaches_the_utility_and_leaves_the_rest(self) -> None:
        surface = mixed_acquisition("scalarised UCB")
        soft = surface.softened()
        (term,) = soft.terms
        assert isinstance(term.utility, ScalarisedUCB)
        assert term.utility.softness > 0.0
        assert term.discount is DISCOUNT
        assert soft.gps is surface.gps
