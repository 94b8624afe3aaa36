"""Cost, budget and money as the commands word them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from camobo.arrays import Array
from camobo.cli import output
from camobo.cost.formula import Formula
from camobo.cost.ordered import OrderCost
from camobo.cost.protocol import CostModel
from camobo.cost.reading import CostLike, read_cost
from camobo.cost.receipts import LearnedCost
from camobo.cost.sweep import costs_at
from camobo.history.document import read_budget
from camobo.history.trial import Trial
from camobo.insight.record import HasTrials, Record, record_of
from camobo.run.money import amount
from camobo.space.inputs import Categorical
from camobo.space.space import Space
from camobo.strategy.plan import Plan

_SAMPLED = 256  # points among which the search for the most expensive one starts
_SWEPT = 33  # values of a number at which it looks
_ROUNDS = 8


def in_words(name: str, fact: Any) -> str:
    """A budget, cost or thrift of a document, as people read it.

    >>> in_words("budget", {"trials": 60, "cost": 2000, "unit": "EUR"}), in_words("cost", None)
    ('60 trials, 2000 EUR', 'none')
    """
    if fact is None:
        return "none"
    if name == "budget":
        return str(read_budget(fact))
    if name == "cost":
        found = read_cost(fact)
        return str(OrderCost(found) if isinstance(found, (str, list)) else found)
    return output.cell(fact)


def cost_of(space: Space, text: str | None, formula: str | None) -> CostLike:
    """A cost from a command line: a formula, an order, "learned" or, for no cost, "none"."""
    if formula is not None:
        return Formula(formula)
    word = (text or "").strip().casefold()
    if word in ("none", "learned") and word not in space.names:
        return None if word == "none" else LearnedCost()
    return text


def remark_on_budget(study: HasTrials | Record) -> str | None:
    """What to know about a budget in money: nothing is left of it, or no amount is known yet."""
    purse = record_of(study).purse
    if purse.budget is None:
        return None
    if not purse.in_money:
        return "Nothing says yet how much money a trial costs. The budget counts what is told with camobo tell --cost."
    if purse.remaining == 0.0:
        return f"{about(purse.spent + purse.reserved, purse.unit)} are spent or reserved: nothing is left for a trial."
    return None


def remark_on_unit(old: Any, new: Any) -> str | None:
    """What to know about a budget that was in money and no longer is, as documents: a unit may have been forgotten."""
    before, now = read_budget(old), read_budget(new)
    if before is None or before.cost is None or now is None or now.cost is not None:
        return None
    amount_meant = f"{now.trials} {before.unit}".rstrip()
    return f'The budget is no longer in money. If you meant an amount: --budget "{amount_meant}"'


def unit_of(plan: Plan) -> str:
    """The unit of money, such as EUR; empty if the budget gives none."""
    return "" if plan.budget is None else plan.budget.unit


def money(paid: float, unit: str) -> str:
    """An amount with its unit, all digits that a receipt has."""
    return f"{output.cell(float(paid))} {unit}".rstrip()


def about(expected: float, unit: str) -> str:
    """An expected amount, four digits of it, with its unit."""
    return f"{amount(expected)} {unit}".rstrip()


def receipt(plan: Plan, trial: Trial, before: float | None) -> str:
    """What a trial cost in all, and how much of it was told before, to append to a line; empty if unknown.

    Example: "; cost 25 EUR in all, 20 EUR of it told before".
    """
    if trial.cost is None:
        return ""
    unit = unit_of(plan)
    told = "" if before is None else f" in all, {money(before, unit)} of it told before"
    return f"; cost {money(trial.cost, unit)}{told}"


def corrected(plan: Plan, trial: Trial, before: float | None) -> str:
    """A corrected cost, to append to a line; empty if it did not change."""
    if trial.cost is None or trial.cost == before:
        return ""
    was = "" if before is None else f", before {money(before, unit_of(plan))}"
    return f"; cost {money(trial.cost, unit_of(plan))}{was}"


def costs_of_inputs(plan: Plan) -> Mapping[str, str] | None:
    """Per input what it adds to the cost of the cheapest trial; None unless amounts of money are known."""
    record = Record(plan, ())
    model, cheapest = record.purse.model, record.cheapest
    if model is None or cheapest is None or not model.in_money:
        return None
    return {
        name: f"up to {amount(record.effects[name] * cheapest)}" if name in record.effects else "0"
        for name in plan.space.names
    }


def range_of_costs(plan: Plan) -> tuple[float, float] | None:
    """What the cheapest and the most expensive trial cost; None unless amounts of money are known.

    With a formula the most expensive one is searched for, and so only as good as the search.
    """
    record = Record(plan, ())
    model, cheapest = record.purse.model, record.cheapest
    if model is None or cheapest is None or not model.in_money:
        return None
    return cheapest, _most(model, plan.space)


def _most(model: CostModel, space: Space) -> float:
    """The largest cost found from the best of many points by moving one input at a time; where there is none, 0."""
    ends = np.stack([space.cheapest(), space.at_expense(np.ones((1, space.dimension)))[0]])
    region = space.region
    points = np.vstack([region.settle(ends), region.sample(_SAMPLED, np.random.default_rng(0))])
    costs = _known(model, points)
    best, most = points[int(np.argmax(costs))], float(costs.max())
    for _ in range(_ROUNDS):
        before = most
        for j, given in enumerate(space.inputs.values()):
            values = given.stops() if isinstance(given, Categorical) else np.linspace(0.0, 1.0, _SWEPT)
            moved = np.repeat(best[None, :], len(values), axis=0)
            moved[:, j] = values
            moved = region.settle(moved)
            costs = _known(model, moved)
            best, most = moved[int(np.argmax(costs))], float(costs.max())
        if most <= before:
            break
    return most


def _known(model: CostModel, points: Array) -> Array:
    """(n,) costs; 0 where a formula gives none."""
    costs = costs_at(model, points)
    return np.where(np.isfinite(costs), costs, 0.0)
