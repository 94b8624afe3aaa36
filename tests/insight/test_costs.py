from __future__ import annotations

import numpy as np
import pytest

from camobo.cost.formula import AbsentFunction
from camobo.cost.ordered import OrderCost
from camobo.cost.prices import Prices
from camobo.history.trial import State, Trial
from camobo.insight.costs import costs_of
from camobo.insight.purse import purse_of
from camobo.strategy.plan import Plan
from tests.support.samples import SPACE

UNITS = np.array([[0.0, 0.0, 0.25], [1.0, 0.0, 0.25]])
TRIALS = tuple(Trial(i, SPACE.from_unit(unit), expected=7.0) for i, unit in enumerate(UNITS))


def test_what_points_cost_now_comes_before_what_was_expected_when_they_were_suggested() -> None:
    plan = Plan(SPACE, {"y": "max"}, cost=Prices({"nickel": 3.0}, per_trial=12.0))
    found = costs_of(purse_of(plan, TRIALS, UNITS), TRIALS, UNITS, 12.0)
    assert found is not None
    assert found.amounts == {0: pytest.approx(12.0), 1: pytest.approx(72.0)}


def test_what_was_expected_stands_in_where_a_function_was_not_given_again() -> None:
    plan = Plan(SPACE, {"y": "max"}, cost=AbsentFunction("price"))
    found = costs_of(purse_of(plan, TRIALS, UNITS), TRIALS, UNITS, None)
    assert found is not None
    assert found.amounts == {0: 7.0, 1: 7.0}
    assert found.in_money
    assert not found.paid


def test_receipts_of_nothing_teach_an_order_no_amounts() -> None:
    plan = Plan(SPACE, {"y": "max"}, cost=OrderCost("nickel"))
    trials = (Trial(0, TRIALS[0].params, State.COMPLETE, {"y": 1.0}, cost=0.0), Trial(1, TRIALS[1].params))
    found = costs_of(purse_of(plan, trials, UNITS), trials, UNITS, 0.1)
    assert found is not None
    assert (found.amounts, found.in_money) == ({0: 0.0}, True)
