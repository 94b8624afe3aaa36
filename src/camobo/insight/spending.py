"""What the trials of a study cost and used, whether the order was kept, and how the cost fades."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from camobo.arrays import Array, evenly
from camobo.cost.moment import Moment
from camobo.cost.order import Order
from camobo.cost.protocol import Cost
from camobo.history.trial import Trial
from camobo.insight.record import Record
from camobo.space.inputs import Categorical, Input
from camobo.strategy.plan import Plan

_DRAWS = 64  # of the weights, averaged, if a cost draws new ones per suggestion


@dataclass(frozen=True, slots=True)
class Spend:
    """What each settled trial cost."""

    trials: tuple[Trial, ...]
    amounts: Array
    recorded: bool
    """True: amounts are recorded costs. False: levels, weighted by the centre of the order."""
    missing: int = 0
    """Trials counted as free because no cost was recorded."""


def spend(record: Record) -> Spend | None:
    """Recorded costs if there are any, else levels weighted by the order; None if there is neither."""
    settled = record.settled
    costs = [trial.cost for trial in settled]
    if any(cost is not None for cost in costs):
        return Spend(settled, np.array([float(cost or 0.0) for cost in costs]), True, sum(c is None for c in costs))
    if record.order is None:
        return None
    return Spend(settled, weighted_levels(record, settled), False)


def weighted_levels(record: Record, trials: Sequence[Trial]) -> Array:
    """(n,) 0 with every input that the order names at its cheap end, 1 with all at their expensive ends."""
    order = record.order
    if order is None:
        return np.zeros(len(trials))
    return np.asarray(record.levels(trials)[:, order.columns(record.plan.space.names)] @ order.centre())


def has_expensive_end(given: Input) -> bool:
    """Whether some values cost more than others: always, but for a categorical without expensive choices."""
    return not isinstance(given, Categorical) or bool(given.expensive)


@dataclass(frozen=True, slots=True)
class Comparison:
    """One "a > b" of the order, and the mean levels of both sides in the trials suggested so far."""

    expensive: tuple[str, ...]
    cheap: tuple[str, ...]
    expensive_level: float
    cheap_level: float

    @property
    def kept(self) -> bool:
        """Whether the level of the expensive side is no larger than that of the cheap one."""
        return self.expensive_level <= self.cheap_level

    def as_dict(self) -> dict[str, Any]:
        """The comparison as plain data that JSON can hold."""
        return {
            "more_expensive": list(self.expensive),
            "cheaper": list(self.cheap),
            "levels": [self.expensive_level, self.cheap_level],
            "kept": self.kept,
        }


def comparisons(record: Record) -> tuple[Comparison, ...]:
    """Each direct comparison of the order with what was used; trials added by hand do not count."""
    order, mean = record.order, record.mean_levels
    if order is None or not mean:
        return ()
    level = [float(np.mean([mean[name] for name in group])) for group in order.groups]
    direct = sorted((i, j) for i, j in order.above if not _between(order, i, j))
    return tuple(Comparison(order.groups[i], order.groups[j], level[i], level[j]) for i, j in direct)


def _between(order: Order, i: int, j: int) -> bool:
    return any((i, g) in order.above and (g, j) in order.above for g in range(len(order.groups)))


@dataclass(frozen=True, slots=True)
class Fading:
    """How the cost fades: log₁₀ of how many times more an expensive point must promise than the cheapest."""

    steps: tuple[int, ...]
    inputs: tuple[str, ...]
    """Those the order names, most expensive first."""
    powers: Array
    """(steps, inputs) for a point with only that input at its expensive end."""
    trials: tuple[Trial, ...]
    """The trials that were suggested."""
    trial_powers: Array
    """(n,) for each of them at the step of its suggestion."""


def fading(record: Record) -> Fading | None:
    """The cost over the budget, or without one over 1.5 times the steps made (at least 60); None without a cost."""
    plan, cost = record.plan, record.plan.cost
    if cost is None:
        return None
    names = tuple(use.input for use in record.uses if use.weight is not None)
    suggested = tuple(trial for trial in record.suggested if trial.step > 0)
    made = max((trial.step for trial in suggested), default=0)
    last = max(made, plan.budget) if plan.budget is not None else max(60, made * 3 // 2)
    steps = tuple(i + 1 for i in evenly(last, 120))
    corners = np.zeros((1 + len(names), plan.space.dimension))
    for i, name in enumerate(names):
        corners[i + 1, plan.space.names.index(name)] = 1.0
    curves = [_powers(cost, plan, plan.moment(step, plan.budget), corners) for step in steps]
    levels = np.vstack([np.zeros((1, plan.space.dimension)), record.levels(suggested)])
    own = [
        float(_powers(cost, plan, plan.moment(trial.step, trial.budget), levels[[0, i + 1]])[0])
        for i, trial in enumerate(suggested)
    ]
    return Fading(steps, names, np.array(curves).reshape(-1, len(names)), suggested, np.array(own))


def _powers(cost: Cost, plan: Plan, moment: Moment, levels: Array) -> Array:
    """log₁₀ (1 − C) of the first row minus that of the others, averaged over draws of the weights."""
    draws = 1 if getattr(cost, "weights", "") == "centre" else _DRAWS
    rng = np.random.default_rng(0)
    logs = np.mean([cost.at(moment, plan.space.names, rng).log(levels) for _ in range(draws)], axis=0)
    return np.asarray((logs[0] - logs[1:]) / math.log(10.0))
