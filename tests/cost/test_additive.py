from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from camobo.cost.additive import AdditiveCost
from camobo.cost.moment import Moment
from camobo.cost.order import Order
from camobo.errors import InvalidOptionError, shown
from tests.support.strategies import label, law, moments


class TestDiscount:
    def test_an_additive_cost_is_an_exponential_of_the_weighted_levels_over_a_guessed_price(self) -> None:
        order = Order.parse("a > b = c")
        cost = AdditiveCost(order, strength=3.0, cooling=2.0, power=0.5)
        levels = np.random.default_rng(1).random((5, 3))
        weighted = levels @ order.centre()
        for step, left, power in ((1, 1.0, 0.5), (71, 0.3, 0.5), (98, 0.03, 0.045)):
            discount = cost.at(Moment(step, 100), order.names, np.random.default_rng(0))
            price = (0.1 + weighted) / 0.1
            expected = np.exp(-3.0 * left**2 * weighted) / price**power
            np.testing.assert_allclose(np.exp(discount.log(levels)), expected, rtol=1e-12)

    def test_an_additive_cost_yields_sooner_to_more_objectives_than_two(self) -> None:
        cost, corner = AdditiveCost("a > b", power=0.0), np.ones((1, 2))
        one, two, three, ten = (
            cost.at(Moment(51, 100, objectives), ["a", "b"], np.random.default_rng(0)).log(corner)[0]
            for objectives in (1, 2, 3, 10)
        )
        assert one == two < three < ten < 0.0
        assert three == pytest.approx(two * 0.5**cost.cooling / 4.0)

    def test_a_promise_for_the_money_counts_less_with_more_objectives_than_two(self) -> None:
        cost, corner = AdditiveCost("a > b", strength=0.0), np.ones((1, 2))
        one, two, three = (
            cost.at(Moment(1, 100, objectives), ["a", "b"], np.random.default_rng(0)).log(corner)[0]
            for objectives in (1, 2, 3)
        )
        assert one == two == pytest.approx(-np.log(11.0))
        assert three == pytest.approx(two / 4.0)

    def test_without_strength_and_power_there_is_no_cost(self) -> None:
        cost = AdditiveCost("a > b", strength=0.0, power=0.0)
        discount = cost.at(Moment(1, 10), ["a", "b"], np.random.default_rng(0))
        assert np.all(discount.log(np.random.default_rng(0).random((5, 2))) == 0.0)

    def test_the_centre_of_an_order_needs_no_draw(self) -> None:
        rng = np.random.default_rng(0)
        before = rng.bit_generator.state
        AdditiveCost("a > b").at(Moment(5), ["a", "b"], rng)
        assert rng.bit_generator.state == before

    def test_drawn_weights_are_one_sample_of_the_order_per_discount(self) -> None:
        cost, names = AdditiveCost("a > b", weights="drawn", strength=2.0, power=0.0), ["b", "a"]
        discount = cost.at(Moment(1, 10), names, np.random.default_rng(7))
        weights = cost.order.sample(np.random.default_rng(7))
        np.testing.assert_allclose(discount.log(np.eye(2)), -2.0 * weights[::-1], rtol=1e-12)


class TestSmallBudgetsAndTheBonus:
    def test_a_small_budget_is_spared_unless_numbers_are_given(self) -> None:
        corner = np.ones((1, 2))

        def at_the_top(cost: AdditiveCost, budget: int | None) -> float:
            return float(cost.at(Moment(1, budget, inputs=5), ["a", "b"], np.random.default_rng(0)).log(corner)[0])

        own, given = AdditiveCost("a > b"), AdditiveCost("a > b", strength=8.0, indifference=0.035)
        assert at_the_top(own, 500) == at_the_top(own, 75) < at_the_top(own, 50) < at_the_top(own, 10) < -np.log(11.0)
        assert at_the_top(own, 50) < at_the_top(own, None) < at_the_top(own, 30)
        many, enough, few = (
            own.exploration_bonus(Moment(1 + budget // 2, budget, inputs=2)) for budget in (500, 52, 50)
        )
        assert many == enough > few > 0.0
        assert at_the_top(given, 10) == at_the_top(given, 100) == at_the_top(own, 100)
        half = [Moment(6, 10), Moment(51, 100)]
        assert given.exploration_bonus(half[0]) == given.exploration_bonus(half[1]) == own.exploration_bonus(half[1])

    @law
    @given(moments(), st.floats(0.0, 1.0))
    def test_the_bonus_grows_as_the_budget_is_spent_and_ends_with_it(self, moment: Moment, share: float) -> None:
        cost = AdditiveCost("a > b", indifference=share)
        now, later = (Moment(step, moment.budget) for step in (moment.step, moment.step + 1))
        assert share >= cost.exploration_bonus(now) >= 0.0
        assert cost.exploration_bonus(now) <= cost.exploration_bonus(later) or later.left < 0.1
        assert 0.0 < now.left < 1.0 or cost.exploration_bonus(now) == 0.0

    def test_with_three_objectives_only_a_given_indifference_makes_a_bonus(self) -> None:
        half = Moment(51, 100, objectives=3, inputs=2)
        assert AdditiveCost("a > b").exploration_bonus(half) == 0.0
        assert AdditiveCost("a > b", indifference=0.1).exploration_bonus(half) == pytest.approx(0.1 * 0.5**4.25)


class TestOptions:
    @pytest.mark.parametrize("weights", ["mean", "", None, 1, np.array(["centre", "drawn"])], ids=label)
    def test_unknown_weights_are_refused_with_what_is_possible(self, weights: Any) -> None:
        with pytest.raises(
            InvalidOptionError, match=r'^AdditiveCost: weights must be "centre" or "drawn", got '
        ) as caught:
            AdditiveCost("a > b", weights=weights)
        assert repr(weights) in str(caught.value)

    def test_numbers_of_numpy_are_as_good_as_python_s(self) -> None:
        numbers: Any = {"strength": np.int64(4), "cooling": np.float32(2), "indifference": np.float16(0.5)}
        assert AdditiveCost("a", **numbers) == AdditiveCost("a", strength=4, cooling=2, indifference=0.5)
        assert type(AdditiveCost("a", **numbers).strength) is float

    @pytest.mark.parametrize("option", ["strength", "cooling", "indifference", "power"])
    @pytest.mark.parametrize(
        "value",
        [-1.0, float("inf"), float("nan"), "4", True, np.True_, np.ones(2), [], 1e3, 10**400, 10**5000],
        ids=label,
    )
    def test_a_number_of_a_cost_model_that_cannot_be_is_refused_by_name(self, option: str, value: Any) -> None:
        with pytest.raises(InvalidOptionError, match=f"AdditiveCost: {option}") as caught:
            AdditiveCost("a > b", **{option: value})
        assert shown(value) in str(caught.value)
