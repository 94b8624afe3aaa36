"""What an Optuna study measures: its objectives, and the constraints of a trial, whatever was stored for them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import optuna
from optuna.study import StudyDirection
from optuna.trial import FrozenTrial

from camobo.checks import Goal

_KNOWS_CONSTRAINTS = hasattr(FrozenTrial, "constraints")  # from Optuna 5 on


def objectives_of(study: optuna.Study) -> dict[str, Goal]:
    """The objectives' names and goals; names default to value, or value0, value1, …

    Names that repeat or are blank get their objective's number.
    """
    goals: list[Goal] = ["max" if given == StudyDirection.MAXIMIZE else "min" for given in study.directions]
    default = ["value"] if len(goals) == 1 else [f"value{m}" for m in range(len(goals))]
    names = getattr(study, "metric_names", None) or default  # a Hyperband bracket is a study without metric_names
    if len(set(names)) < len(names) or not all(name.strip() for name in names):
        names = [f"{name.strip() or 'value'} ({m})" for m, name in enumerate(names)]
    return dict(zip(names, goals, strict=True))


def constraints_of(trial: FrozenTrial) -> dict[str, float]:
    """The trial's constraints by name; it is feasible if all are zero or below. What is not a number is NaN."""
    stored = trial.system_attrs.get("constraints")
    if stored is not None and not isinstance(stored, (list, tuple)):
        return {"0": math.nan}
    found: Mapping[Any, Any] = trial.constraints if _KNOWS_CONSTRAINTS else dict(enumerate(stored or ()))
    return {str(name): _number(value) for name, value in found.items()}


def _number(given: Any) -> float:
    """The given value as a float; NaN if it is not a number."""
    if isinstance(given, (str, bytes)):
        return math.nan
    try:
        return float(given)
    except OverflowError:
        return math.inf if given > 0 else -math.inf
    except (TypeError, ValueError):
        return math.nan
