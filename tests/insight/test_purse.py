from __future__ import annotations

from datetime import datetime, timezone
from typing import Any

import pytest

from camobo.cost.budget import Budget
from camobo.cost.formula import AbsentFunction
from camobo.cost.ordered import OrderCost
from camobo.cost.prices import Prices
from camobo.history.history import History, data_of
from camobo.history.trial import Measurement, State, Trial
from camobo.insight.purse import Purse
from camobo.insight.record import Record
from camobo.insight.spending import spend
from camobo.insight.summary import headline
from camobo.strategy.plan import Plan
from tests.support.samples import SPACE

PARAMS = SPACE.from_unit([0.5, 0.5, 0.5])


def purse(cost: Any, *trials: Trial, budget: Budget | None = None) -> Purse:
    return Record(Plan(SPACE, {"y": "max"}, cost=cost, budget=budget), trials).purse


def test_settled_trials_are_paid_or_estimated_and_open_ones_reserved() -> None:
    found = purse(
        Prices({"nickel": 3.0}, per_trial=12.0),
        Trial(0, PARAMS, State.COMPLETE, {"y": 1.0}, cost=40.0),
        Trial(1, PARAMS, State.FAILED),
        Trial(2, PARAMS),
        Trial(3, PARAMS, State.COMPLETE, {"y": 1.0}, cost=1e6, added=True),
        budget=Budget(cost=150, unit="EUR"),
    )
    assert [found.paid, found.estimated, found.reserved] == pytest.approx([40.0, 42.0, 42.0])
    assert [found.spent, found.remaining] == pytest.approx([82.0, 26.0])
    assert found.unit == "EUR"


def test_what_is_left_is_never_less_than_nothing_and_unknown_without_a_budget_in_money() -> None:
    expensive = Trial(0, PARAMS, State.COMPLETE, {"y": 1.0}, cost=40.0)
    assert purse(None, expensive, budget=Budget(cost=10)).remaining == 0.0
    assert purse(None, expensive, budget=Budget(10)).remaining is None


def late(cost: float | None) -> tuple[Measurement, ...]:
    return (Measurement({"y": 1.0}, "anna", datetime(2026, 1, 1, tzinfo=timezone.utc), cost=cost),)


def test_what_late_results_cost_is_spent_beside_what_their_trial_cost_or_may_cost() -> None:
    trials = (
        Trial(0, PARAMS, State.COMPLETE, {"y": 1.0}, cost=40.0, late=late(7.0)),
        Trial(1, PARAMS, late=late(5.0)),
        Trial(2, PARAMS, State.COMPLETE, {"y": 1.0}, late=late(6.0)),
        Trial(3, PARAMS, State.COMPLETE, {"y": 1.0}, late=late(None)),
        Trial(4, PARAMS, State.COMPLETE, {"y": 1.0}, added=True, late=late(1e6)),
    )
    plan = Plan(SPACE, {"y": "max"}, cost=Prices({"nickel": 3.0}, per_trial=12.0), budget=Budget(cost=500))
    record = Record(plan, trials)
    found = record.purse
    assert [found.paid, found.estimated, found.reserved] == pytest.approx([58.0, 42.0, 42.0])
    assert headline(record)[1] == found
    receipts = data_of(fold_of(plan, trials)).receipts
    assert receipts is not None
    assert (receipts.spent, len(receipts.unpaid), receipts.paid.tolist()) == (58.0, 2, [40.0]), "the strategy agrees"
    spent = spend(record)
    assert spent is not None
    assert spent.amounts.tolist() == pytest.approx([47.0, 6.0, 42.0, 0.0])


def fold_of(plan: Plan, trials: tuple[Trial, ...]) -> History:
    return History(plan, trials, tuple(plan.space.to_unit(trial.params) for trial in trials))


def test_an_order_knows_amounts_only_after_receipts() -> None:
    settled = [Trial(i, PARAMS, State.COMPLETE, {"y": 1.0}) for i in range(3)]
    before = purse(OrderCost("nickel"), *settled)
    assert (before.in_money, before.spent) == (False, 0.0)
    paid = Trial(3, PARAMS, State.COMPLETE, {"y": 1.0}, cost=40.0)
    after = purse(OrderCost("nickel"), *settled, paid)
    assert after.in_money
    assert after.estimated == pytest.approx(120.0, rel=1e-3)


def test_without_the_function_that_was_its_cost_a_study_goes_by_what_it_wrote_down() -> None:
    found = purse(
        AbsentFunction("price"),
        Trial(0, PARAMS, State.COMPLETE, {"y": 1.0}, cost=40.0, expected=35.0),
        Trial(1, PARAMS, State.COMPLETE, {"y": 1.0}, expected=30.0),
        Trial(2, PARAMS, expected=20.0),
    )
    assert (found.paid, found.estimated, found.reserved, found.in_money) == (40.0, 30.0, 20.0, True)
    assert found.model is None


def test_a_cost_of_nothing_is_an_amount_too() -> None:
    record = Record(Plan(SPACE, {"y": "max"}), (Trial(0, PARAMS, State.COMPLETE, {"y": 1.0}, cost=0.0),))
    for found in (record.purse, headline(record)[1]):
        assert (found.in_money, found.receipts, found.spent) == (True, 1, 0.0)
    assert not purse(None, Trial(0, PARAMS, State.COMPLETE, {"y": 1.0})).in_money
