"""What the trials of a study used and cost, whether the order was kept, and how the cost faded. All from a `Record`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from camobo.cost import Moment
from camobo.gp import evenly
from camobo.inputs import Array
from camobo.insight import Record
from camobo.order import Order
from camobo.plan import Plan
from camobo.trial import Trial

_DRAWS = 64  # of a cost's weights where it draws them anew for every suggestion


@dataclass(frozen=True, slots=True)
class Spend:
    """What each settled trial cost."""

    trials: tuple[Trial, ...]
    amounts: Array
    told: bool
    """Whether these are costs that were told; otherwise levels, weighted by the centre of what the order allows."""
    missing: int = 0
    """Trials counted as free because no cost was told."""


def spend(record: Record) -> Spend | None:
    """Told costs if there are any, else use weighted by the order; None if there is neither."""
    settled = record.settled
    told = [getattr(trial, "cost", None) for trial in settled]  # only a study that stores costs has them
    if any(cost is not None for cost in told):
        return Spend(settled, np.array([float(cost or 0.0) for cost in told]), True, sum(c is None for c in told))
    if record.order is None:
        return None
    return Spend(settled, weighted_use(record, settled), False)


def weighted_use(record: Record, trials: Sequence[Trial]) -> Array:
    """(n,) 0 with every input the order names at its cheap end, 1 with all at their dear ends."""
    order = record.order
    if order is None:
        return np.zeros(len(trials))
    return np.asarray(record.levels(trials)[:, order.columns(record.plan.space.names)] @ order.centre())


@dataclass(frozen=True, slots=True)
class Use:
    """How far one input was used in each settled trial."""

    input: str
    weight: float | None
    """Its weight at the centre of what the order allows; None if the order does not name it."""
    levels: Array

    def mean(self, rows: slice | NDArray[np.bool_] = slice(None)) -> float | None:
        """The mean level over some of the trials; None over none."""
        chosen = self.levels[rows]
        return float(chosen.mean()) if len(chosen) else None


def uses(record: Record) -> tuple[Use, ...]:
    """One an input: those the order names, dearest first, then the others as the space lists them."""
    levels, names = record.levels(record.settled), record.plan.space.names
    order = record.order
    weights = {} if order is None else dict(zip(order.names, order.centre().tolist(), strict=True))
    found = [Use(name, weights.get(name), levels[:, j]) for j, name in enumerate(names)]
    return tuple(sorted(found, key=lambda use: -1.0 if use.weight is None else -1.0 - use.weight))


@dataclass(frozen=True, slots=True)
class Comparison:
    """One thing the order says, and the mean levels of the trials suggested so far."""

    dear: tuple[str, ...]
    cheap: tuple[str, ...]
    dear_level: float
    cheap_level: float

    @property
    def kept(self) -> bool:
        """Whether the dearer was used no more than the cheaper, each as a share of its own range."""
        return self.dear_level <= self.cheap_level


def comparisons(record: Record) -> tuple[Comparison, ...]:
    """Every direct comparison of the order against what was used. Trials added by hand are not the method's doing."""
    order, suggested = record.order, [trial for trial in record.settled if not trial.added]
    if order is None or not suggested:
        return ()
    mean = dict(zip(record.plan.space.names, record.levels(suggested).mean(axis=0).tolist(), strict=True))
    level = [float(np.mean([mean[name] for name in group])) for group in order.groups]
    direct = sorted((i, j) for i, j in order.above if not _between(order, i, j))
    return tuple(Comparison(order.groups[i], order.groups[j], level[i], level[j]) for i, j in direct)


def _between(order: Order, i: int, j: int) -> bool:
    return any((i, g) in order.above and (g, j) in order.above for g in range(len(order.groups)))


@dataclass(frozen=True, slots=True)
class Fading:
    """How the cost's hold loosens: powers of ten by which a dear point must promise more than the cheapest."""

    steps: tuple[int, ...]
    inputs: tuple[str, ...]
    """The order's, dearest first."""
    powers: Array
    """(steps, inputs) of a point with that input alone at its dear end."""
    trials: tuple[Trial, ...]
    """The suggested ones."""
    trial_powers: Array
    """(n,) of each of them, when it was suggested."""


def fading(record: Record) -> Fading | None:
    """The cost over the budget, or over the steps made and half as many again if there is none; None without a cost."""
    order, plan = record.order, record.plan
    if order is None:
        return None
    names = tuple(use.input for use in uses(record) if use.weight is not None)
    suggested = tuple(trial for trial in record.trials if not trial.added and trial.step > 0)
    made = max((trial.step for trial in suggested), default=0)
    last = max(made, plan.budget) if plan.budget is not None else max(60, made * 3 // 2)
    steps = tuple(i + 1 for i in evenly(last, 120))
    corners = np.zeros((1 + len(names), plan.space.dimension))
    for i, name in enumerate(names):
        corners[i + 1, plan.space.names.index(name)] = 1.0
    curves = [_powers(plan, plan.moment(step, plan.budget), corners) for step in steps]
    levels = np.vstack([np.zeros((1, plan.space.dimension)), record.levels(suggested)])
    own = [
        float(_powers(plan, plan.moment(trial.step, trial.budget), levels[[0, i + 1]])[0])
        for i, trial in enumerate(suggested)
    ]
    return Fading(steps, names, np.array(curves).reshape(-1, len(names)), suggested, np.array(own))


def _powers(plan: Plan, moment: Moment, levels: Array) -> Array:
    """log₁₀ (1 − C) of the first row less that of the others, the mean over draws of the weights."""
    if plan.cost is None:
        return np.zeros(len(levels) - 1)
    draws = 1 if getattr(plan.cost, "weights", "") == "centre" else _DRAWS
    rng = np.random.default_rng(0)
    logs = np.mean([plan.cost.at(moment, plan.space.names, rng).log(levels) for _ in range(draws)], axis=0)
    return np.asarray((logs[0] - logs[1:]) / math.log(10.0))
