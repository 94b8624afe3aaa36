from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given as drawn
from hypothesis import strategies as st

from camobo.arrays import Array
from camobo.cost.budget import Budget
from camobo.cost.formula import Formula
from camobo.cost.receipts import LearnedCost
from camobo.strategy.funds import COOLING, Funds, funds, spending
from camobo.strategy.plan import Data, Plan, Receipts
from tests.support.plans import PLANE, PRICES, data, plan, some, with_receipts
from tests.support.strategies import law

CHEAP, EXPENSIVE = np.array([0.0, 0.0]), np.array([1.0, 1.0])  # 2 and 13 by the price list


def known(given: Plan, *, spent: float = 0.0, unpaid: Array | None = None, made: int = 0) -> Data:
    """No trial measured, so many made, so much spent."""
    nothing = np.zeros((0, 2))
    receipts = Receipts(nothing, np.zeros(0), spent, nothing if unpaid is None else unpaid)
    return replace(data(given, nothing), step=made + 1, receipts=receipts)


class TestWhatIsLeft:
    def test_of_money_it_is_the_budget_less_what_was_paid_and_what_is_reserved(self) -> None:
        given = plan(cost=PRICES, budget=Budget(cost=100.0))
        found = funds(given, known(given, spent=30.0, unpaid=np.vstack([CHEAP, EXPENSIVE])), None)
        assert found.spent == pytest.approx(45.0)
        assert found.most == pytest.approx(55.0)
        assert found.left == pytest.approx(0.55)

    def test_of_trials_it_is_those_not_yet_suggested(self) -> None:
        given = plan(cost=PRICES, budget=40)
        found = funds(given, known(given, spent=30.0, made=10), None)
        assert (found.left, found.most) == (0.75, math.inf)

    def test_of_both_it_is_the_smaller_share(self) -> None:
        given = plan(cost=PRICES, budget=Budget(trials=40, cost=100.0))
        assert funds(given, known(given, spent=30.0, made=20), None).left == 0.5
        assert funds(given, known(given, spent=80.0, made=20), None).left == pytest.approx(0.2)

    @law
    @drawn(st.lists(st.floats(0.0, 1e6), min_size=2, max_size=6), st.integers(0, 99), st.floats(1.0, 1e6))
    def test_it_never_grows_as_money_is_spent(self, paid: list[float], made: int, limit: float) -> None:
        given = plan(cost=PRICES, budget=Budget(cost=limit))
        found = [funds(given, known(given, spent=spent, made=made), None) for spent in sorted(paid)]
        for one, other in pairwise(found):
            assert 0.0 <= other.left <= one.left <= 1.0
            assert 0.0 <= other.most <= one.most <= limit

    def test_a_budget_without_end_is_never_spent(self) -> None:
        given = plan(cost=PRICES)
        lefts = [funds(given, known(given, spent=1e9, made=made), None).left for made in (0, 10, 1000)]
        assert lefts == sorted(lefts, reverse=True)
        assert lefts[0] == 1.0
        assert lefts[-1] > 0.0

    def test_as_long_as_only_an_order_is_known_no_money_is_spent(self) -> None:
        given = plan(cost="expensive > cheap", budget=Budget(cost=100.0))
        found = funds(given, known(given, unpaid=np.vstack([CHEAP, EXPENSIVE])), None)
        assert (found.spent, found.left, found.most) == (0.0, 1.0, math.inf)
        assert found.affords(EXPENSIVE)

    def test_without_a_cost_a_budget_in_money_ends_when_it_is_paid(self) -> None:
        given = plan(budget=Budget(cost=100.0))
        assert funds(given, known(given, spent=99.0), None).affords(EXPENSIVE)
        assert not funds(given, known(given, spent=100.0), None).affords(CHEAP)


class TestAffording:
    @pytest.mark.parametrize(("spent", "affordable"), [(87.0, True), (87.1, False), (100.0, False), (200.0, False)])
    def test_a_point_is_paid_for_if_it_costs_no_more_than_what_is_left(self, spent: float, affordable: bool) -> None:
        given = plan(cost=PRICES, budget=Budget(cost=100.0))
        assert funds(given, known(given, spent=spent), None).affords(EXPENSIVE) is affordable

    def test_a_receipt_higher_than_the_budget_leaves_nothing(self) -> None:
        given = plan(cost=PRICES, budget=Budget(cost=100.0))
        found = funds(given, known(given, spent=1e9), None)
        assert found.left == 0.0
        assert found.most == 0.0
        assert not found.affords(CHEAP)

    def test_a_point_whose_cost_a_function_cannot_tell_is_never_paid_for(self) -> None:
        cost = Formula(lambda params: 1.0 if params["cheap"] != 0.625 else math.nan)
        given = plan(cost=cost, budget=Budget(cost=1e300))
        untold = np.array([[0.5, 0.625]])
        found = funds(given, known(given), None)
        assert found.affords(CHEAP)
        assert not found.affords(untold[0])
        assert not funds(given, known(given, unpaid=untold), None).affords(CHEAP)


class TestThrift:
    def test_it_is_the_plans_until_the_budget_runs_low_and_falls_to_nothing(self) -> None:
        given = plan(cost=PRICES, budget=100, thrift=1.5)
        gammas = [
            thrift.gamma for made in range(101) if (thrift := funds(given, known(given, made=made), None).thrift(given))
        ]
        assert gammas[0] == 1.5
        assert gammas == sorted(gammas, reverse=True)
        assert gammas[-1] == 0.0
        low = 1.0 / COOLING
        assert all(gamma == 1.5 for made, gamma in enumerate(gammas) if 1.0 - made / 100 >= low)

    def test_it_knows_what_is_left(self) -> None:
        given = plan(cost=PRICES, budget=Budget(cost=100.0))
        thrift = funds(given, known(given, spent=95.0), None).thrift(given)
        assert thrift is not None
        assert thrift.most == pytest.approx(5.0)
        cheap, expensive = thrift.log(np.vstack([CHEAP, EXPENSIVE]))
        assert expensive < cheap - 100.0

    def test_without_a_cost_there_is_none(self) -> None:
        assert funds(plan(), known(plan()), None).thrift(plan()) is None


class TestReceipts:
    @pytest.mark.parametrize("cost", ["expensive > cheap", LearnedCost(), LearnedCost("cheap > expensive")])
    def test_they_teach_the_cost(self, cost: Any) -> None:
        given = plan(cost=cost, budget=Budget(cost=1000.0))
        units = some(given, 25)
        paid = 4.0 + 20.0 * units[:, 1]
        found = funds(given, with_receipts(data(given, units), paid), None)
        assert found.model is not None
        assert found.model.in_money
        np.testing.assert_allclose(np.exp(found.model.log_cost(units)), paid, rtol=0.1)
        assert found.spent == pytest.approx(paid.sum())

    @pytest.mark.parametrize("cost", [PRICES, "10*expensive + cheap + 2"])
    def test_what_is_exact_does_not_learn(self, cost: Any) -> None:
        given = plan(cost=Formula(cost) if isinstance(cost, str) else cost)
        assert given.cost is not None
        units = some(given, 25)
        found = funds(given, with_receipts(data(given, units), np.full(25, 99.0)), None)
        assert found.model is not None
        np.testing.assert_array_equal(found.model.log_cost(units), given.cost.over(PLANE).log_cost(units))

    def test_those_that_say_nothing_change_nothing(self) -> None:
        given = plan(cost="expensive > cheap")
        units = some(given, 5)
        free = funds(given, with_receipts(data(given, units), np.zeros(5)), None)
        assert free.model is not None
        assert not free.model.in_money

    def test_an_earlier_model_saves_the_fit_and_changes_nothing(self) -> None:
        given = plan(cost="expensive > cheap")
        units = some(given, 12)
        paid = 4.0 + units[:, 0]
        earlier = funds(given, with_receipts(data(given, units[:11]), paid[:11]), None).model
        told = with_receipts(data(given, units), paid)
        one, other = funds(given, told, earlier).model, funds(given, told, None).model
        assert one is not None
        assert other is not None
        grid = some(given, 50, seed=3)
        np.testing.assert_array_equal(one.log_cost(grid), other.log_cost(grid))


class TestSpending:
    UNPAID = np.vstack([CHEAP, EXPENSIVE])

    def test_trials_without_a_receipt_are_expected_to_cost_what_the_model_says(self) -> None:
        receipts = Receipts(self.UNPAID[:0], np.zeros(0), 7.0, self.UNPAID)
        assert spending(PRICES.over(PLANE), receipts) == pytest.approx(7.0 + 2.0 + 13.0)

    def test_without_amounts_only_receipts_count(self) -> None:
        receipts = Receipts(self.UNPAID[:0], np.zeros(0), 7.0, self.UNPAID)
        assert spending(None, receipts) == 7.0
        assert spending(LearnedCost().over(PLANE), receipts) == 7.0

    def test_with_every_receipt_in_it_is_what_was_paid(self) -> None:
        receipts = Receipts(self.UNPAID[:0], np.zeros(0), 7.0, self.UNPAID[:0])
        assert spending(PRICES.over(PLANE), receipts) == 7.0


def test_without_a_budget_in_money_everything_is_paid_for() -> None:
    assert Funds(PRICES.over(PLANE), 0.0, 1.0).affords(EXPENSIVE)
