"""Why a trial was suggested: its suggestion made again from the data of that time, and once more without cost."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from camobo.arrays import Array
from camobo.cost.protocol import CostModel
from camobo.cost.sweep import cheapest_of, costs_at
from camobo.history.history import History, data_of
from camobo.history.trial import Trial
from camobo.space.inputs import Param, Params
from camobo.space.space import written_params
from camobo.strategy.plan import Data, Plan


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a trial was suggested; `print` it to read it."""

    trial: Trial
    predictions: Mapping[str, tuple[float, float]]
    """Mean and standard deviation that the models expected, per objective; empty if there were no models yet."""
    utility: float | None
    """Q: the promise of the point before cost; None if there were no models yet."""
    cost: float | None
    """What the point was expected to cost: money if `in_money`, else a multiple of the cheapest; None without one."""
    in_money: bool
    without_cost: Mapping[str, Param] | None
    """What would have been suggested without cost-awareness; None if the study has none."""
    fixed: Mapping[str, Param] = field(default_factory=dict)
    """The values that some inputs had to have."""

    def __str__(self) -> str:
        lines = [str(self.trial), *(f"  {note}" for note in self.trial.notes)]
        lines += [f"  fixed: {written_params(self.fixed)}"] if self.fixed else []
        for name, (mean, deviation) in self.predictions.items():
            measured = (self.trial.values or {}).get(name)
            seen = "" if measured is None else f", measured {measured:.6g}"
            lines.append(f"  {name}: expected {mean:.6g} ± {deviation:.2g}{seen}")
        if self.utility is not None:
            lines.append(f"  promise: {self.utility:.3g}")
        if self.cost is not None:
            paid = "" if self.trial.cost is None else f", paid {self.trial.cost:.6g}"
            lines.append(f"  cost: expected {self.cost:.4g}{'' if self.in_money else ' × the cheapest trial'}{paid}")
        if self.without_cost is not None:
            lines.append(f"  without cost: {written_params(self.without_cost)}")
        lines += [f"  came too late to count: {result}" for result in self.trial.late]
        return "\n".join(line.replace("\n", "\\n") for line in lines)

    def as_dict(self) -> dict[str, Any]:
        """The explanation as plain data that JSON can hold."""
        measured = self.trial.values or {}
        return {
            "trial": self.trial.as_dict(),
            "predictions": {
                name: {"mean": mean, "deviation": deviation, "measured": measured.get(name)}
                for name, (mean, deviation) in self.predictions.items()
            },
            "promise": self.utility,
            "cost": self.cost,
            "cost_in_money": self.in_money,
            "without_cost": None if self.without_cost is None else dict(self.without_cost),
            "fixed": dict(self.fixed),
        }


def explain(trial: Trial, before: History, fixed: Params | None = None) -> Explanation:
    """Why a trial was suggested; `before` is the history up to its suggestion, `fixed` what some inputs had to be."""
    if trial.added:
        return Explanation(trial, {}, None, None, False, None)
    plan = before.plan
    held = plan.space.check_fixed(fixed or {})
    found = account(plan, data_of(before), trial.number, plan.space.to_unit(trial.params), plan.space.coordinates(held))
    without_cost = None if found.without_cost is None else plan.space.from_unit(found.without_cost)
    return Explanation(trial, found.predictions, found.utility, found.cost, found.in_money, without_cost, held)


@dataclass(frozen=True, slots=True)
class Account:
    """An explanation of a point of the unit cube; the fields mean what they do in `Explanation`."""

    predictions: Mapping[str, tuple[float, float]]
    utility: float | None
    cost: float | None
    in_money: bool
    without_cost: Array | None
    """(d,) the point suggested without cost-awareness."""


def account(plan: Plan, data: Data, number: int, unit: Array, fixed: Mapping[str, float] | None = None) -> Account:
    """Why `unit` was suggested as trial `number`; `fixed` as in `suggest`."""
    from camobo.strategy.suggest import suggest  # here: SciPy takes as long to load as a small study takes to open

    without_cost = suggest(replace(plan, cost=None), data, number, fixed=fixed).unit if plan.cost is not None else None
    found = suggest(plan, data, number, fixed=fixed)
    model, surface = found.fitted.cost, found.acquisition
    in_money = model is not None and model.in_money
    cost = None if model is None else _expected(plan, model, unit)
    if surface is None:
        return Account({}, None, cost, in_money, without_cost)
    features = plan.space.features(unit[None, :])
    moments = [gp.posterior(features) for gp in surface.gps]
    predicted = [gp.in_units(*moment) for gp, moment in zip(surface.gps, moments, strict=True)]
    rows = zip(plan.objectives, plan.signs.tolist(), predicted, strict=False)  # constraints come after
    predictions = {name: (sign * float(mean[0]), float(deviation[0])) for name, sign, (mean, deviation) in rows}
    mean, deviation = (np.array([[moment[i][0] for moment in moments]]) for i in (0, 1))
    utility = math.exp(float(surface.utility.log(mean, deviation)[0]))
    return Account(predictions, utility, cost, in_money, without_cost)


def _expected(plan: Plan, model: CostModel, unit: Array) -> float:
    """What a (d,) point is expected to cost, in money or as a multiple of the cheapest point."""
    start = cheapest_of(model, plan.space) if plan.space.constraints else plan.space.cheapest()
    here, cheapest = costs_at(model, np.stack([unit, start])).tolist()
    return float(here if model.in_money else here / cheapest)
