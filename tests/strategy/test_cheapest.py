from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from camobo.cost.budget import Budget
from camobo.cost.formula import Formula
from camobo.errors import BudgetSpent, SpaceExhausted
from camobo.space.inputs import Integer, Real
from camobo.space.space import Space
from camobo.strategy.cheapest import cheapest_untried, within_means
from camobo.strategy.funds import Funds
from tests.support.plans import MIXED, PLANE, PRICES, data, plan

SMALL = Space({"a": Integer(0, 2), "b": Integer(0, 2)})


class TestCheapestUntried:
    def test_it_is_the_cheap_end_of_everything(self) -> None:
        given = plan(cost=PRICES)
        found = cheapest_untried(given, data(given, np.zeros((0, 2))), 0, PRICES.over(PLANE))
        np.testing.assert_allclose(found, 0.0, atol=1e-6)

    def test_it_is_found_where_a_formula_has_its_least(self) -> None:
        given = plan(cost=Formula("1 + (expensive - 0.4)^2 + 3*(cheap - 0.7)^2"))
        assert given.cost is not None
        found = cheapest_untried(given, data(given, np.zeros((0, 2))), 0, given.cost.over(PLANE))
        np.testing.assert_allclose(found, [0.4, 0.7], atol=0.01)

    def test_with_inputs_fixed_it_is_the_cheapest_of_the_rest(self) -> None:
        given = plan(cost=PRICES)
        nothing = data(given, np.zeros((0, 2)))
        found = cheapest_untried(given, nothing, 0, PRICES.over(PLANE), {"expensive": 0.7})
        np.testing.assert_allclose(found, [0.7, 0.0], atol=1e-6)
        both = cheapest_untried(given, nothing, 0, PRICES.over(PLANE), {"cheap": 0.2, "expensive": 0.7})
        np.testing.assert_array_equal(both, [0.7, 0.2])

    def test_points_come_from_the_cheapest_to_the_most_expensive(self) -> None:
        given = plan(SMALL, cost=Formula("1 + 3*a + b"))
        assert given.cost is not None
        model, tried = given.cost.over(SMALL), np.zeros((0, 2))
        for number in range(9):
            found = cheapest_untried(given, data(given, tried[:0], failed=tried), number, model)
            tried = np.vstack([tried, found])
        costs = model.log_cost(tried)
        assert costs.tolist() == sorted(costs)
        with pytest.raises(SpaceExhausted):
            cheapest_untried(given, data(given, tried[:0], failed=tried), 9, model)

    def test_without_a_cost_it_is_a_random_one_of_its_own_for_each_trial(self) -> None:
        given = plan(MIXED, seed=1)
        nothing = data(given, np.zeros((0, 4)))
        one, same, other = (cheapest_untried(given, nothing, number, None) for number in (3, 3, 4))
        np.testing.assert_array_equal(one, same)
        assert np.any(one != other)


class TestWithinMeans:
    GIVEN = plan(cost=PRICES, budget=Budget(cost=100.0, unit="EUR"))
    NOTHING = data(GIVEN, np.zeros((0, 2)))
    EXPENSIVE = np.array([1.0, 1.0])

    def means(self, most: float) -> Funds:
        return Funds(PRICES.over(PLANE), 100.0 - most, most / 100.0, most)

    def test_a_point_that_is_paid_for_stays(self) -> None:
        found = within_means(self.GIVEN, self.NOTHING, 0, self.means(13.0), self.EXPENSIVE)
        np.testing.assert_array_equal(found, self.EXPENSIVE)

    def test_one_that_is_not_gives_way_to_the_cheapest(self) -> None:
        found = within_means(self.GIVEN, self.NOTHING, 0, self.means(12.0), self.EXPENSIVE)
        np.testing.assert_allclose(found, 0.0, atol=1e-6)

    def test_if_the_cheapest_is_not_either_the_sentence_names_price_rest_and_budget(self) -> None:
        with pytest.raises(BudgetSpent) as caught:
            within_means(self.GIVEN, self.NOTHING, 0, self.means(1.25), self.EXPENSIVE)
        said = r"the cheapest trial left costs about 2 EUR, and 1\.25 EUR of the budget.* are left\. To go on, raise"
        assert re.match(said, str(caught.value))

    def test_nothing_left_is_written_as_zero(self) -> None:
        with pytest.raises(BudgetSpent, match=r"2 EUR, and 0 EUR of the budget"):
            within_means(self.GIVEN, self.NOTHING, 0, self.means(0.0), self.EXPENSIVE)

    @pytest.mark.parametrize("unit", ["", "EUR"])
    def test_amounts_have_the_unit_if_there_is_one(self, unit: str) -> None:
        given: Any = plan(cost=PRICES, budget=Budget(trials=9, cost=50.0, unit=unit))
        amount = f" {unit}".rstrip()
        said = f"costs about 2{amount}, and 1{amount} of the budget.* are left"
        with pytest.raises(BudgetSpent, match=said):
            within_means(given, self.NOTHING, 0, self.means(1.0), self.EXPENSIVE)

    def test_without_a_cost_no_price_is_named(self) -> None:
        with pytest.raises(BudgetSpent, match=r"^0 EUR of the budget.* are left\. To go on"):
            within_means(self.GIVEN, self.NOTHING, 0, Funds(None, 100.0, 0.0, 0.0), self.EXPENSIVE)


def test_with_constraints_it_is_the_cheapest_that_meets_them_and_then_the_next() -> None:
    space = Space(
        {name: Real(0, 100, step=0.5) for name in ("expensive", "cheap")}, constraints=["expensive + cheap == 100"]
    )
    given = plan(space, cost=PRICES)
    model = PRICES.over(space)
    first = cheapest_untried(given, data(given, np.zeros((0, 2))), 0, model)
    assert space.from_unit(first) == {"expensive": 0.0, "cheap": 100.0}
    then = cheapest_untried(given, data(given, first[None, :]), 1, model)
    assert space.from_unit(then) == {"expensive": 0.5, "cheap": 99.5}
