"""Why a trial was suggested: its suggestion made again from the data of that time, and once more without cost."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from camobo.arrays import Array
from camobo.history.history import History, data_of
from camobo.history.trial import Trial, written_params
from camobo.space.inputs import Param
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
    """C in [0, 1): the share of the promise that the cost took away; None without cost-awareness."""
    without_cost: Mapping[str, Param] | None
    """What would have been suggested without cost-awareness; None if the study has none."""

    def __str__(self) -> str:
        lines = [str(self.trial), *(f"  {note}" for note in self.trial.notes)]
        for name, (mean, deviation) in self.predictions.items():
            measured = (self.trial.values or {}).get(name)
            seen = "" if measured is None else f", measured {measured:.6g}"
            lines.append(f"  {name}: expected {mean:.6g} ± {deviation:.2g}{seen}")
        if self.utility is not None:
            lines.append(
                f"  promise Q = {self.utility:.3g}" + ("" if self.cost is None else f", cost C = {self.cost:.3f}")
            )
        if self.without_cost is not None:
            lines.append(f"  without cost: {written_params(self.without_cost)}")
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
            "without_cost": None if self.without_cost is None else dict(self.without_cost),
        }


def explain(trial: Trial, before: History) -> Explanation:
    """Why a trial was suggested; `before` is the history up to its suggestion."""
    if trial.added:
        return Explanation(trial, {}, None, None, None)
    plan = before.plan
    found = account(plan, data_of(before), trial.number, plan.space.to_unit(trial.params))
    without_cost = None if found.without_cost is None else plan.space.from_unit(found.without_cost)
    return Explanation(trial, found.predictions, found.utility, found.cost, without_cost)


@dataclass(frozen=True, slots=True)
class Account:
    """An explanation of a point of the unit cube; the fields mean what they do in `Explanation`."""

    predictions: Mapping[str, tuple[float, float]]
    utility: float | None
    cost: float | None
    without_cost: Array | None
    """(d,) the point suggested without cost-awareness."""


def account(plan: Plan, data: Data, number: int, unit: Array) -> Account:
    """Why `unit` was suggested as trial `number`."""
    from camobo.strategy.suggest import suggest  # here: SciPy takes as long to load as a small study takes to open

    without_cost = suggest(replace(plan, cost=None), data, number).unit if plan.cost is not None else None
    surface = suggest(plan, data, number).acquisition
    if surface is None:
        return Account({}, None, None, without_cost)
    features = plan.space.features(unit[None, :])
    predicted = [model.predict(features) for model in surface.gps[: len(plan.objectives)]]
    rows = zip(plan.objectives, plan.signs.tolist(), predicted, strict=True)
    predictions = {name: (sign * float(mean[0]), float(deviation[0])) for name, sign, (mean, deviation) in rows}
    moments = [model.posterior(features) for model in surface.gps]
    mean, deviation = (np.array([[moment[i][0] for moment in moments]]) for i in (0, 1))
    promise, cost = surface.terms[0], None
    if promise.discount is not None:
        cost = -math.expm1(float(promise.discount.log(plan.space.expense(unit[None, :]))[0]))
    return Account(predictions, math.exp(float(promise.utility.log(mean, deviation)[0])), cost, without_cost)
