from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

from camobo.cost.budget import Budget
from camobo.cost.formula import Formula
from camobo.cost.ordered import OrderCost
from camobo.cost.prices import Prices
from camobo.cost.receipts import LearnedCost
from camobo.errors import InvalidOptionError
from camobo.space.inputs import Categorical, Real
from camobo.space.space import Space
from camobo.strategy.affordable import check_budget, check_terms
from tests.support.plans import PRICES, plan
from tests.support.strategies import label

SPACE = Space({"nickel": Real(0, 20), "soak": Real(20, 900, free=40), "quench": Categorical(["oil", "air"])})
LISTED = Prices({"nickel": 13.9, "soak": 0.1, "quench": {"oil": 5.0, "air": 2.0}}, per_trial=12.0)
VALLEY = "10 + 30*(1 - exp(-400*((expensive - 0.71)^2 + (cheap - 0.33)^2)))"
"""10 in a valley that no sweep along one input crosses, 40 elsewhere."""


def euros(amount: float) -> Budget:
    return Budget(cost=amount, unit="EUR")


def test_a_budget_below_the_cheapest_trial_of_a_price_list_says_which_that_is_and_what_to_do() -> None:
    with pytest.raises(InvalidOptionError) as caught:
        check_budget(plan(SPACE, cost=LISTED, budget=euros(13.0)))
    assert str(caught.value) == (
        "budget: need at least 14 EUR, which the cheapest trial costs (nickel=0, soak=40, quench=air), got 13 EUR. "
        "Raise the budget, or correct the cost."
    )


def test_a_budget_of_exactly_the_cheapest_trial_is_enough() -> None:
    check_budget(plan(SPACE, cost=LISTED, budget=euros(14.0)))


def test_the_cheapest_trial_of_a_formula_is_searched_for_as_a_suggestion_would() -> None:
    check_budget(plan(cost=Formula(VALLEY), budget=euros(10.5)))
    with pytest.raises(InvalidOptionError, match=r"need at least 10.*expensive=0\.71.*got 9 EUR"):
        check_budget(plan(cost=Formula(VALLEY), budget=euros(9.0)))


@pytest.mark.parametrize(
    "cost",
    [
        None,
        OrderCost("cheap"),
        LearnedCost(),
        Formula(lambda params: 5.0),
        Prices({"cheap": 5.0}, rest="expensive"),
    ],
    ids=label,
)
def test_a_cost_that_is_not_known_before_the_first_receipt_refuses_no_budget(cost: Any) -> None:
    check_budget(plan(cost=cost, budget=euros(0.01)))


def test_a_budget_in_trials_is_not_in_money() -> None:
    check_budget(plan(cost=PRICES, budget=1))


def test_a_budget_that_is_enough_is_checked_without_loading_scipy() -> None:
    code = (
        "import sys, camobo as cm\n"
        "cm.Study(cm.Space({'x': cm.Real(0, 1)}), {'y': 'max'}, cost=cm.Formula('2 + x'), budget=cm.Budget(cost=9))\n"
        "assert 'scipy.optimize' not in sys.modules and 'camobo.strategy.cheapest' not in sys.modules"
    )
    assert subprocess.run([sys.executable, "-c", code], timeout=60).returncode == 0


@pytest.mark.parametrize("unit", ["", "s", "Seconds "])
def test_durations_are_counted_in_seconds(unit: str) -> None:
    check_budget(plan(SPACE, cost=LearnedCost(of="seconds"), budget=Budget(cost=7200.0, unit=unit)))


@pytest.mark.parametrize("unit", ["EUR", "h", "min"])
def test_and_in_nothing_else(unit: str) -> None:
    given = plan(SPACE, cost=LearnedCost("nickel", of="seconds"), budget=Budget(trials=9, cost=7200.0, unit=unit))
    with pytest.raises(InvalidOptionError, match=f"need an amount in seconds, .* got 9 trials, 7200 {unit}") as caught:
        check_budget(given)
    assert str(caught.value).endswith(
        'Give seconds, such as Budget(cost=7200, unit="s"), or learn from amounts that are told: LearnedCost().'
    )
    check_budget(plan(SPACE, cost=LearnedCost("nickel"), budget=Budget(cost=7200.0, unit=unit)))


@pytest.mark.parametrize(
    "cost",
    ["nickel > quench", LearnedCost("nickel > quench"), Prices({"nickel": 3.0}, rest="quench")],
    ids=["order", "learned", "prices"],
)
def test_choices_in_an_order_of_which_none_is_expensive_are_refused_with_what_to_write(cost: Any) -> None:
    silent, spoken = Categorical(["air", "oil"]), Categorical(["air", "oil"], expensive=["oil"])
    said = r"'quench' is in the order .*Categorical\(\['air', 'oil'\], expensive="
    with pytest.raises(InvalidOptionError, match=said):
        check_terms(plan(Space({"nickel": Real(0, 20), "quench": silent}), cost=cost))
    check_terms(plan(Space({"nickel": Real(0, 20), "quench": spoken}), cost=cost))
