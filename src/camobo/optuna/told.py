"""What an Optuna study's objectives and a trial's constraints are, whatever was stored there."""

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
    """The objectives' names, as the study has them or else value0, value1, …, and which way is better.

    Names that repeat or are blank get their objective's number.
    """
    goals: list[Goal] = ["max" if given == StudyDirection.MAXIMIZE else "min" for given in study.directions]
    default = ["value"] if len(goals) == 1 else [f"value{m}" for m in range(len(goals))]
    named = getattr(study, "metric_names", None) or default  # a bracket of Hyperband's is a study without the former
    if len(set(named)) < len(named) or not all(name.strip() for name in named):
        named = [f"{name.strip() or 'value'} ({m})" for m, name in enumerate(named)]
    return dict(zip(named, goals, strict=True))


def constraints_of(trial: FrozenTrial) -> dict[str, float]:
    """What the trial's constraints came out at, by name; it is feasible if all are zero or below.

    Whatever else than numbers somebody stored there is NaN.
    """
    stored = trial.system_attrs.get("constraints")
    if stored is not None and not isinstance(stored, (list, tuple)):
        return {"0": math.nan}
    told: Mapping[Any, Any] = trial.constraints if _KNOWS_CONSTRAINTS else dict(enumerate(stored or ()))
    return {str(name): _number(value) for name, value in told.items()}


def _number(given: Any) -> float:
    """A float, NaN for what is no number."""
    if isinstance(given, (str, bytes)):
        return math.nan
    try:
        return float(given)
    except OverflowError:
        return math.inf if given > 0 else -math.inf
    except (TypeError, ValueError):
        return math.nan
