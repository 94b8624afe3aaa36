from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import cast

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from camobo.acquisition.acquisition import Acquisition
from camobo.acquisition.utilities import ScalarisedUCB
from camobo.arrays import Array
from camobo.cost.formula import Formula
from camobo.cost.ordered import OrderCost
from camobo.cost.paper import PaperCost
from camobo.cost.prices import Prices
from camobo.cost.protocol import CostModel, Discount
from camobo.cost.receipts import LearnedCost
from camobo.cost.thrift import Thrift
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


def flat_acquisition(
    space: Space, utility: AnyUtility, mean: Array, deviation: Array, discount: Discount | None
) -> Acquisition:
    gps = [Known(float(m), float(d)) for m, d in zip(mean, deviation, strict=True)]
    return Acquisition(space, cast("list[GP]", gps), utility, discount)


every_utility = pytest.mark.parametrize("utility", UTILITIES.values(), ids=UTILITIES.keys())


def discount_of(space: Space, data: st.DataObject, rng: np.random.Generator) -> Discount:
    """A discount of any kind, at any moment of a study."""
    order = list(space.names)
    if data.draw(st.booleans()):
        return PaperCost(order).at(data.draw(st.integers(1, 10_000)), space, rng)
    gamma = data.draw(st.sampled_from([0.0, 0.2, 1.0, 10.0]))
    return Thrift(OrderCost(order).over(space), gamma, data.draw(st.sampled_from([math.inf, 1.0, 0.2, 1e-300])))


class TestCostDecides:
    @law
    @given(spaces(), st.integers(0, 2**32), st.data())
    def test_of_two_points_that_promise_the_same_the_more_expensive_is_never_preferred_whatever_the_sign_of_q(
        self, space: Space, seed: int, data: st.DataObject
    ) -> None:
        rng = np.random.default_rng(seed)
        discount = discount_of(space, data, rng)
        cheap = space.snap(data.draw(units(space, most=1)))
        expensive = cheap.copy()
        column = data.draw(st.integers(0, space.dimension - 1))
        expensive[0, column] = space.at_expense(np.ones((1, space.dimension)))[0, column]
        pair = np.vstack([cheap, expensive])
        assume(np.all(np.diff(space.expense(pair), axis=0) >= 0.0))
        for utility, sign in itertools.product(UTILITIES.values(), (1.0, 0.0, -1.0)):
            value = flat_acquisition(space, utility, sign * rng.random(2), rng.random(2), discount)(pair)
            assert np.all(np.isfinite(value))
            assert value[1] <= value[0] + 1e-9

    @law
    @given(st.integers(0, 2**32), st.data())
    def test_of_two_points_that_promise_the_same_the_one_with_more_of_the_more_expensive_input_is_never_preferred(
        self, seed: int, data: st.DataObject
    ) -> None:
        rng = np.random.default_rng(seed)
        space = Space({"expensive": Real(0, 20, expensive="low"), "cheap": Real(1, 10)})
        discount = discount_of(space, data, rng)
        less, more = np.sort(rng.random(2))
        pair = space.at_expense(np.array([[less, more], [more, less]]))
        for utility, sign in itertools.product(UTILITIES.values(), (1.0, 0.0, -1.0)):
            value = flat_acquisition(space, utility, sign * rng.random(2), rng.random(2), discount)(pair)
            assert value[1] <= value[0] + 1e-9

    @law
    @given(st.integers(0, 2**32), st.floats(0.01, 10.0))
    def test_of_two_points_that_promise_the_same_the_one_that_costs_more_by_any_model_is_never_preferred(
        self, seed: int, gamma: float
    ) -> None:
        rng = np.random.default_rng(seed)
        space = Space({"a": Real(0, 1), "b": Real(0, 1)})
        points = rng.random((6, 2))
        receipts = np.exp(rng.normal(size=6))
        for cost in (Prices({"a": 5.0}, per_trial=1.0), Formula("2 + a*b")):
            self.never_prefers_the_more_expensive(cost.over(space), space, points, gamma)
        self.never_prefers_the_more_expensive(LearnedCost().over(space).fitted(points, receipts), space, points, gamma)

    def never_prefers_the_more_expensive(self, model: CostModel, space: Space, points: Array, gamma: float) -> None:
        by_cost = points[np.argsort(model.log_cost(points))]
        for utility in UTILITIES.values():
            surface = flat_acquisition(space, utility, np.full(2, 0.3), np.full(2, 0.2), Thrift(model, gamma))
            assert np.all(np.diff(surface(by_cost)) <= 1e-9)

    @every_utility
    def test_a_clearly_more_expensive_point_is_clearly_worse_even_where_q_is_negative(
        self, utility: AnyUtility
    ) -> None:
        space = Space({"a": Real(0, 1), "b": Real(0, 1)})
        discount = Thrift(OrderCost("a > b").over(space), 1.0)
        for mean in (0.9, 0.0, -0.9):
            surface = flat_acquisition(space, utility, np.full(2, mean), np.full(2, 0.1), discount)
            cheap, expensive = surface(np.array([[0.1, 0.5], [0.9, 0.5]]))
            assert expensive < cheap - 0.1

    @every_utility
    def test_no_promise_makes_up_for_a_point_that_what_is_left_does_not_pay_for(self, utility: AnyUtility) -> None:
        space = Space({"a": Real(0, 1), "b": Real(0, 1)})
        model = Prices({"a": 10.0}, per_trial=1.0).over(space)
        points = np.array([[0.05, 0.5], [0.9, 0.5]])  # 1.5 and 10
        worthless, promising = (
            flat_acquisition(space, utility, np.full(2, mean), np.full(2, 0.1), Thrift(model, 0.0, 9.9))(points)
            for mean in (-5.0, 5.0)
        )
        assert promising[1] < worthless[0]


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


COST = OrderCost("nickel > purity, quench > passes")
DISCOUNTS: dict[str, Discount | None] = {
    "none": None,
    "thrift": Thrift(COST.over(MIXED), 1.5),
    "thrift and little left": Thrift(COST.over(MIXED), 1.5, 0.5),
    "paper": PaperCost(COST.order).at(3, MIXED, np.random.default_rng(0)),
}
every_discount = pytest.mark.parametrize("discount", DISCOUNTS.values(), ids=DISCOUNTS.keys())


def mixed_acquisition(utility: AnyUtility, discount: Discount | None) -> Acquisition:
    return Acquisition(MIXED, trained(MIXED), utility, discount)


class TestAcquisition:
    @every_utility
    @every_discount
    def test_gradients_are_those_of_differences_on_a_mixed_space(
        self, utility: AnyUtility, discount: Discount | None
    ) -> None:
        surface = mixed_acquisition(utility, discount)
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

    @every_utility
    @every_discount
    def test_points_are_snapped_to_those_that_can_be_evaluated(
        self, utility: AnyUtility, discount: Discount | None
    ) -> None:
        surface = mixed_acquisition(utility, discount)
        points = np.random.default_rng(2).random((20, MIXED.dimension))
        snapped = MIXED.snap(points)
        assert not np.allclose(points, snapped)
        np.testing.assert_array_equal(surface(points), surface(snapped))
        for ours, theirs in zip(surface.with_gradient(points), surface.with_gradient(snapped), strict=True):
            np.testing.assert_array_equal(ours, theirs)

    @every_discount
    def test_many_points_at_once_have_the_values_that_each_has_alone(self, discount: Discount | None) -> None:
        surface = mixed_acquisition(improvement(UNIT_FRONT), discount)
        points = np.random.default_rng(5).random((600, MIXED.dimension))
        alone = np.concatenate([surface(points[i : i + 1]) for i in range(len(points))])
        np.testing.assert_allclose(surface(points), alone, rtol=1e-9, atol=1e-9)

    @pytest.mark.parametrize("discount", [one for one in DISCOUNTS.values() if one is not None])
    def test_it_is_the_utility_of_the_posterior_and_the_discount_of_the_cost(self, discount: Discount) -> None:
        surface, undiscounted = mixed_acquisition(ucb(), discount), mixed_acquisition(ucb(), None)
        points = MIXED.snap(np.random.default_rng(3).random((10, MIXED.dimension)))
        moments = [model.posterior(MIXED.features(points)) for model in surface.gps]
        expected = ucb().log(np.column_stack([m for m, _ in moments]), np.column_stack([d for _, d in moments]))
        np.testing.assert_allclose(undiscounted(points), expected)
        np.testing.assert_allclose(surface(points), expected + discount.log(points))

    def test_with_thrift_it_is_promise_for_the_money(self) -> None:
        model = Prices({"nickel": 3.0}, per_trial=2.0).over(MIXED)
        points = MIXED.snap(np.random.default_rng(3).random((10, MIXED.dimension)))
        promise = mixed_acquisition(improvement(UNIT_FRONT), None)(points)
        for gamma in (0.0, 0.5, 1.0):
            surface = mixed_acquisition(improvement(UNIT_FRONT), Thrift(model, gamma))
            np.testing.assert_allclose(surface(points), promise - gamma * model.log_cost(points))

    def test_a_discount_of_nothing_changes_no_bit(self) -> None:
        points = np.random.default_rng(3).random((50, MIXED.dimension))
        for utility in UTILITIES.values():
            free = mixed_acquisition(utility, None)
            indifferent = mixed_acquisition(utility, Thrift(COST.over(MIXED), 0.0))
            np.testing.assert_array_equal(indifferent(points), free(points))
            for ours, theirs in zip(indifferent.with_gradient(points), free.with_gradient(points), strict=True):
                np.testing.assert_array_equal(ours, theirs)

    def test_softening_reaches_the_utility_and_leaves_the_rest(self) -> None:
        surface = mixed_acquisition(ucb(), DISCOUNTS["thrift"])
        soft = surface.softened()
        assert isinstance(soft.utility, ScalarisedUCB)
        assert soft.utility.softness > 0.0
        assert soft.discount is DISCOUNTS["thrift"]
        assert soft.gps is surface.gps
