"""Plans of small made-up studies, and the data of some trials."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pytest

from camobo.arrays import Array
from camobo.cost.budget import Budget, as_budget
from camobo.cost.prices import Prices
from camobo.cost.reading import CostLike, as_cost
from camobo.space.inputs import Categorical, Integer, Real
from camobo.space.space import Space
from camobo.strategy.notes import Reason
from camobo.strategy.plan import Data, Plan, Receipts
from camobo.strategy.protocol import Fitted, Suggestion
from camobo.strategy.suggest import suggest

PLANE = Space({"expensive": Real(0, 1), "cheap": Real(0, 1)})
MIXED = Space(
    {
        "nickel": Real(0, 20),
        "soak": Integer(1, 12),
        "quench": Categorical(["air", "oil", "vacuum"], expensive=["vacuum", "oil"]),
        "purity": Real(0.1, 10, log=True, expensive="low"),
    }
)
TWO = {"f": "max", "g": "max"}
PRICES = Prices({"expensive": 10, "cheap": 1}, per_trial=2)


def plan(space: Space = PLANE, *, cost: CostLike = None, **options: Any) -> Plan:
    model, budget = as_cost(cost, paper=options.get("method") == "paper"), as_budget(options.pop("budget", None))
    return Plan(space=space, objectives=options.pop("objectives", TWO), cost=model, budget=budget, **options)


def measure(units: Array) -> Array:
    """(n, 2) two bumps apart along the first input."""
    away = ((units[:, 1:] - 0.3) ** 2).sum(axis=1)
    return np.column_stack([-((units[:, 0] - 0.2) ** 2) - away, -((units[:, 0] - 0.8) ** 2) - away])


def data(given: Plan, units: Array, *, pending: Array | None = None, failed: Array | None = None) -> Data:
    none = np.zeros((0, given.space.dimension))
    pending, failed = none if pending is None else pending, none if failed is None else failed
    step = 1 + len(units) + len(pending) + len(failed)
    return Data(units, measure(units)[:, : len(given.objectives)], pending, failed, step)


def with_receipts(known: Data, paid: Array, *, spent: float | None = None, unpaid: Array | None = None) -> Data:
    """The same with (n,) receipts for its measured points.

    spent: what of them counts against the budget; all unless given. unpaid: (q, d) points without a receipt; the
    pending ones unless given.
    """
    total, waiting = float(paid.sum()) if spent is None else spent, known.pending if unpaid is None else unpaid
    return replace(known, receipts=Receipts(known.units[: len(paid)], paid, total, waiting))


def some(given: Plan, count: int, seed: int = 0) -> Array:
    return given.space.snap(np.random.default_rng(seed).random((count, given.space.dimension)))


def nearest(points: Array, others: Array) -> float:
    return float(np.linalg.norm(points[:, None, :] - others[None, :, :], axis=2).min())


def reason(found: Suggestion) -> Reason:
    """The main reason of a suggestion."""
    return found.notes[0].reason


@dataclass
class Run:
    """A study without a study: suggestions measured at once."""

    units: Array
    fitted: list[Fitted] = field(default_factory=list)
    reasons: list[Reason] = field(default_factory=list)


def run(
    given: Plan,
    count: int,
    *,
    outcomes: Callable[[Array], Array] | None = None,
    start: Array | None = None,
    first: int | None = None,
    cached: bool = True,
    until: Callable[[Array], bool] = lambda units: False,
) -> Run:
    """`count` suggestions in a row, each measured before the next; fewer if `until` holds earlier.

    outcomes: (n, M + K) values of (n, d) points; a row must not depend on later ones, or the cache is of no use.
    start: (n, d) points that are known before.
    first: the number of the first suggestion; that of points known unless given.
    """
    done = Run(np.zeros((0, given.space.dimension)) if start is None else start)
    first = len(done.units) if first is None else first
    fitted = Fitted()
    for number in range(first, first + count):
        known = data(given, done.units)
        known = known if outcomes is None else replace(known, values=outcomes(done.units))
        found = suggest(given, known, number, fitted if cached else None)
        fitted = found.fitted
        done.units = np.vstack([done.units, found.unit])
        done.fitted.append(found.fitted)
        done.reasons.append(reason(found))
        if until(found.unit):
            break
    return done


PLANS: dict[str, Callable[[], Plan]] = {
    "default": lambda: plan(seed=1),
    "default with cost": lambda: plan(cost="expensive > cheap", budget=30, seed=1),
    "default with prices": lambda: plan(cost=PRICES, budget=Budget(cost=200, unit="EUR"), seed=1),
    "default on a mixed space": lambda: plan(MIXED, cost="nickel > purity, quench", budget=30, seed=1),
    "paper": lambda: plan(method="paper", cost="expensive > cheap", seed=1),
    "paper by the theorem's beta": lambda: plan(MIXED, method="paper", beta="theory", cost="nickel > soak", seed=1),
}
every_plan = pytest.mark.parametrize("made", PLANS.values(), ids=PLANS.keys())


def with_limit(limit: float) -> Callable[[Array], Array]:
    """`measure`, and a constraint: the first input must not exceed the limit."""
    return lambda units: np.column_stack([measure(units), units[:, 0] - limit])


def constrained(units: Array, limit: float) -> Data:
    """Points measured with that constraint."""
    none = np.zeros((0, 2))
    return Data(units, with_limit(limit)(units), none, none, 1 + len(units))


def with_outliers(given: Plan, count: int) -> Data:
    """Random outcomes for everything the plan measures, each with one far outlier on the bad side."""
    units, outcomes = some(given, count), len(given.objectives) + len(given.constraints)
    values = np.random.default_rng(1).normal(size=(count, outcomes))
    values[0] = [-1e6] * len(given.objectives) + [1e6] * len(given.constraints)
    none = np.zeros((0, given.space.dimension))
    return Data(units, values, none, none, step=count + 1)
