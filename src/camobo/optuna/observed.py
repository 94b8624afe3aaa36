"""What an Optuna study's trials say, as the engine's `Data`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import datetime

import numpy as np
from optuna.trial import FrozenTrial, TrialState

from camobo.inputs import Array
from camobo.optuna import claims
from camobo.optuna.inputs import Inputs
from camobo.optuna.told import constraints_of
from camobo.plan import Data, Plan

_EPOCH = datetime(1970, 1, 1)


def data(trials: Sequence[FrozenTrial], step: int, inputs: Inputs, plan: Plan) -> Data:
    """The trials in the order they came to an end, so that what was known before is a beginning of what is known now.

    A trial without one of the parameters, or with a value outside today's range, says nothing.
    """
    units: list[Array] = []
    values: list[list[float]] = []
    pending: list[Array] = []
    failed: list[Array] = []
    placed: dict[int, tuple[FrozenTrial, Array | None]] = {}
    for trial in sorted(trials, key=_ended):
        finished = trial.state.is_finished()
        if finished:
            known, unit = inputs.units.get(id(trial), (None, None))
            placed[id(trial)] = trial, unit if known is trial else inputs.unit(trial.params)
        unit = placed[id(trial)][1] if finished else claims.unit(trial, inputs)
        if unit is None:
            continue
        row = outcome(trial, plan, values)
        if row is not None:
            units.append(unit)
            values.append(row)
        else:
            (failed if finished else pending).append(unit)
    inputs.units.clear()
    inputs.units.update(placed)
    d, width = inputs.space.dimension, len(plan.objectives) + len(plan.constraints)
    rows = np.array(units).reshape(-1, d), np.array(values).reshape(-1, width)
    return Data(*rows, np.array(pending).reshape(-1, d), np.array(failed).reshape(-1, d), step)


def outcome(trial: FrozenTrial, plan: Plan, earlier: Sequence[Sequence[float]]) -> list[float] | None:
    """Signed values and constraints of a trial; None if it has none that a model may see.

    A pruned trial counts as what it last reported, but neither better than the median of the results before it nor
    worse than the worst: it was stopped because it was behind, and early reports are on a scale of their own. A
    constraint that was not told counts as just held, which is how Optuna reads it. One at minus infinity surely holds
    and counts as the best before it; one at infinity, or that is no number, leaves nothing to model.
    """
    if trial.state not in (TrialState.COMPLETE, TrialState.PRUNED) or not trial.values:
        return None
    row = [
        value if goal == "max" else -value for value, goal in zip(trial.values, plan.objectives.values(), strict=True)
    ]
    told = constraints_of(trial)
    for name in plan.constraints:
        value = told.get(name, 0.0)
        row.append(min([0.0, *(before[len(row)] for before in earlier)]) if value == -math.inf else value)
    if not all(map(math.isfinite, row)) or any(map(math.isnan, told.values())):
        return None
    if trial.state is TrialState.PRUNED:
        if not earlier:
            return None
        before = np.array(earlier)[:, : len(trial.values)]
        kept = np.clip(row[: len(trial.values)], before.min(axis=0), np.median(before, axis=0))
        row[: len(trial.values)] = kept.tolist()
    return row


def _ended(trial: FrozenTrial) -> tuple[bool, float, int]:
    at = trial.datetime_complete
    since = 0.0 if at is None else (at.replace(tzinfo=None) - _EPOCH).total_seconds()  # timestamp() fails in year 1
    return at is None, since, trial.number
