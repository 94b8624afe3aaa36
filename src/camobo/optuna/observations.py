"""The trials of an Optuna study as `Data`, which suggestions are made from."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import datetime

import numpy as np
from optuna.trial import FrozenTrial, TrialState

from camobo.arrays import Array
from camobo.optuna import claims
from camobo.optuna.costs import Source
from camobo.optuna.outcomes import constraints_of
from camobo.optuna.search_space import Inputs
from camobo.strategy.plan import Data, Plan, Receipts

_EPOCH = datetime(1970, 1, 1)


class TrialReader:
    """Reads trials as points of one set of inputs.

    It changes: it caches the points of finished trials, since working out hundreds of them takes long.
    """

    def __init__(self, inputs: Inputs) -> None:
        self.inputs = inputs
        self._points: dict[int, tuple[FrozenTrial, Array | None]] = {}
        """The trial, which keeps its id from being used again, and its point, by the trial's id."""

    def data(self, trials: Sequence[FrozenTrial], step: int, plan: Plan, source: Source | None = None) -> Data:
        """The trials as data, in the order they ended, so that the data of an earlier call comes first.

        A trial that lacks a parameter, or has one outside its range, is left out.
        """
        units: list[Array] = []
        values: list[list[float]] = []
        pending: list[Array] = []
        failed: list[Array] = []
        ordered = sorted(trials, key=_ended)
        self._cache(trials)
        for trial in ordered:
            finished, unit = trial.state.is_finished(), self._point(trial)
            if unit is None:
                continue
            row = outcome(trial, plan, values)
            if row is not None:
                units.append(unit)
                values.append(row)
            else:
                (failed if finished else pending).append(unit)
        measured = np.array(values).reshape(-1, len(plan.objectives) + len(plan.constraints))
        receipts = None if plan.cost is None else self._receipts(ordered, source)
        return Data(self._rows(units), measured, self._rows(pending), self._rows(failed), step, receipts)

    def _receipts(self, trials: Sequence[FrozenTrial], source: Source | None) -> Receipts:
        """What the trials cost: what was paid counts wherever it was paid, and teaches where a point is known."""
        known: list[Array] = []
        paid: list[float] = []
        unpaid: list[Array] = []
        spent = 0.0
        for trial in trials:
            unit, finished = self._point(trial), trial.state.is_finished()
            if finished and source is not None and not source.ran(trial):
                continue
            amount = source.paid(trial) if finished and source is not None else None
            spent += amount or 0.0
            if unit is None:
                continue
            if amount is None:
                unpaid.append(unit)
            elif source is not None and source.teaches(trial):
                known.append(unit)
                paid.append(amount)
        return Receipts(self._rows(known), np.array(paid), spent, self._rows(unpaid))

    def _rows(self, units: list[Array]) -> Array:
        return np.array(units).reshape(-1, self.inputs.space.dimension)

    def _point(self, trial: FrozenTrial) -> Array | None:
        """(d,) where a trial was or is, if that is known."""
        return self._points[id(trial)][1] if trial.state.is_finished() else claims.unit(trial, self.inputs)

    def _cache(self, trials: Sequence[FrozenTrial]) -> None:
        """Cache the points of the trials that are finished, and of no others."""
        points: dict[int, tuple[FrozenTrial, Array | None]] = {}
        for trial in trials:
            if trial.state.is_finished():
                known, unit = self._points.get(id(trial), (None, None))
                points[id(trial)] = trial, unit if known is trial else self._ended_at(trial)
        self._points = points

    def _ended_at(self, trial: FrozenTrial) -> Array | None:
        """(d,) the point of a finished trial; of one that failed before it asked for everything, what it claimed."""
        return claims.unit(trial, self.inputs) if trial.state is TrialState.FAIL else self.inputs.unit(trial.params)


def outcome(trial: FrozenTrial, plan: Plan, earlier: Sequence[Sequence[float]]) -> list[float] | None:
    """The trial's objectives, signed so that larger is better, then its constraints; None if a model cannot use them.

    A pruned trial counts as what it last reported, but no better than the median of the results before it and no worse
    than the worst: it was stopped because it was behind, and early reports have a scale of their own. A missing
    constraint counts as zero, as in Optuna; one at minus infinity as the best before it. A constraint at infinity, or
    that is not a number, gives None.
    """
    if trial.state not in (TrialState.COMPLETE, TrialState.PRUNED) or not trial.values:
        return None
    row = [
        value if goal == "max" else -value for value, goal in zip(trial.values, plan.objectives.values(), strict=True)
    ]
    measured = constraints_of(trial)
    for name in plan.constraints:
        value = measured.get(name, 0.0)
        row.append(min([0.0, *(before[len(row)] for before in earlier)]) if value == -math.inf else value)
    if not all(map(math.isfinite, row)) or any(map(math.isnan, measured.values())):
        return None
    if trial.state is TrialState.PRUNED:
        if not earlier:
            return None
        before = np.array(earlier)[:, : len(trial.values)]
        clipped = np.clip(row[: len(trial.values)], before.min(axis=0), np.median(before, axis=0))
        row[: len(trial.values)] = clipped.tolist()
    return row


def _ended(trial: FrozenTrial) -> tuple[bool, float, int]:
    """Sorts trials by when they ended, unfinished ones last."""
    at = trial.datetime_complete
    since = 0.0 if at is None else (at.replace(tzinfo=None) - _EPOCH).total_seconds()  # timestamp() fails in year 1
    return at is None, since, trial.number
