"""What a study has found and used, in a few numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from camobo.errors import UnknownTrialError
from camobo.history.trial import Trial
from camobo.insight.purse import Purse
from camobo.insight.record import Record
from camobo.space.inputs import Categorical, Param


def compromise(record: Record) -> Trial | None:
    """The trial of the front closest to the best of every objective, each scaled to the range of the front."""
    front = record.front
    if not front:
        return None
    values = record.signed(front)
    best, span = values.max(axis=0), np.ptp(values, axis=0)
    away = (best - values) / np.where(span > 0.0, span, 1.0)
    return front[int(np.argmin((away**2).sum(axis=1)))]


def chosen_trial(record: Record, number: int | None) -> Trial | None:
    """The trial of that number, or the compromise without a number."""
    if number is None:
        return compromise(record)
    found = next((trial for trial in record.trials if trial.number == number), None)
    if found is None:
        raise UnknownTrialError(
            f"trial {number}: none of the {len(record.trials)} trials of this study has that number."
        )
    return found


def usage(record: Record) -> dict[str, Any]:
    """How much of each input the settled trials used: the sum of its values, or the count per choice.

    Choices that are equal as keys, such as 0 and False, are keyed by their repr.
    """
    used: dict[str, Any] = {}
    for name, given in record.plan.space.inputs.items():
        column = [trial.params[name] for trial in record.settled]
        used[name] = _counts(given, column) if isinstance(given, Categorical) else sum(column)
    return used


def _counts(given: Categorical, column: Sequence[Param]) -> dict[Param, int]:
    """How often each choice occurs; equal choices of different types, such as 0 and False, are counted apart."""
    chosen = [given.check(value) for value in column]
    clash = len(set(given.choices)) < len(given.choices)
    return {repr(own) if clash else own: sum(one is own for one in chosen) for own in given.choices}


def headline(record: Record) -> tuple[float, Purse, dict[str, Any]]:
    """The hypervolume, the money, and the use of the inputs that the cost names."""
    used = usage(record)
    named = () if record.plan.cost is None else record.plan.cost.names()
    return record.hypervolume(), _quick_purse(record), {name: used[name] for name in named}


def _quick_purse(record: Record) -> Purse:
    """The purse, without its model if every settled trial has a receipt: fitting 600 receipts takes half a second."""
    counted = [trial for trial in record.trials if not trial.added]
    if any(trial.unpaid for trial in counted if not trial.state.open):
        return record.purse
    budget = record.plan.budget
    limit, unit = (None, "") if budget is None else (budget.cost, budget.unit)
    paid = [trial.cost for trial in counted if trial.cost is not None]
    late = sum(trial.late_cost for trial in counted)
    reserved = sum(trial.expected or 0.0 for trial in counted if trial.cost is None)
    return Purse(sum(paid) + late, len(paid), 0.0, reserved, limit, unit, None)
