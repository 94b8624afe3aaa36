"""Plans of small made-up studies, and what is known of them after some trials."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from camobo.cost import AdditiveCost, PaperCost
from camobo.engine import suggest
from camobo.inputs import Array, Categorical, Integer, Real
from camobo.models import Models
from camobo.plan import Data, Plan
from camobo.space import Space

PLANE = Space({"dear": Real(0, 1), "cheap": Real(0, 1)})
MIXED = Space(
    {
        "nickel": Real(0, 20),
        "soak": Integer(1, 12),
        "quench": Categorical(["air", "oil", "vacuum"], dear=["vacuum", "oil"]),
        "purity": Real(0.1, 10, log=True, dear="low"),
    }
)
TWO = {"f": "max", "g": "max"}


def plan(space: Space = PLANE, *, cost: str | None = None, **options: Any) -> Plan:
    model = None
    if cost is not None:
        model = PaperCost(cost) if options.get("method") == "paper" else AdditiveCost(cost)
    return Plan(space=space, objectives=options.pop("objectives", TWO), cost=model, **options)


def measure(units: Array) -> Array:
    """(n, 2) two bumps apart along the first input."""
    away = ((units[:, 1:] - 0.3) ** 2).sum(axis=1)
    return np.column_stack([-((units[:, 0] - 0.2) ** 2) - away, -((units[:, 0] - 0.8) ** 2) - away])


def data(given: Plan, units: Array, *, pending: Array | None = None, failed: Array | None = None) -> Data:
    none = np.zeros((0, given.space.dimension))
    pending, failed = none if pending is None else pending, none if failed is None else failed
    step = 1 + len(units) + len(pending) + len(failed)
    return Data(units, measure(units)[:, : len(given.objectives)], pending, failed, step)


def some(given: Plan, count: int, seed: int = 0) -> Array:
    return given.space.snap(np.random.default_rng(seed).random((count, given.space.dimension)))


def nearest(points: Array, others: Array) -> float:
    return float(np.linalg.norm(points[:, None, :] - others[None, :, :], axis=2).min())


@dataclass
class Run:
    """A study without a study: suggestions measured at once."""

    units: Array
    models: list[Models | None] = field(default_factory=list)


def run(given: Plan, count: int, *, cached: bool = True) -> Run:
    done = Run(np.zeros((0, given.space.dimension)))
    models: Models | None = None
    for number in range(count):
        found = suggest(given, data(given, done.units), number, models if cached else None)
        models = found.models or models
        done.units = np.vstack([done.units, found.unit])
        done.models.append(found.models)
    return done


PLANS: dict[str, Callable[[], Plan]] = {
    "default": lambda: plan(seed=1),
    "default with cost": lambda: plan(cost="dear > cheap", budget=30, seed=1),
    "default on a mixed space": lambda: plan(MIXED, cost="nickel > purity, quench", budget=30, seed=1),
    "paper": lambda: plan(method="paper", cost="dear > cheap", seed=1),
    "paper by the theorem's beta": lambda: plan(MIXED, method="paper", beta="theory", cost="nickel > soak", seed=1),
}
every_plan = pytest.mark.parametrize("made", PLANS.values(), ids=PLANS.keys())


def constrained(units: Array, limit: float) -> Data:
    """Measured with a constraint: the first input must not exceed the limit."""
    values = np.column_stack([measure(units), units[:, 0] - limit])
    none = np.zeros((0, 2))
    return Data(units, values, none, none, 1 + len(units))


def with_outliers(given: Plan, count: int) -> Data:
    """As many outcomes as the plan has, each with one far outlier on the bad side."""
    units, outcomes = some(given, count), len(given.objectives) + len(given.constraints)
    values = np.random.default_rng(1).normal(size=(count, outcomes))
    values[0] = [-1e6] * len(given.objectives) + [1e6] * len(given.constraints)
    none = np.zeros((0, given.space.dimension))
    return Data(units, values, none, none, step=count + 1)
