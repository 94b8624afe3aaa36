"""Optuna studies for tests: two bowls, and trials that ended."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import numpy as np
import optuna
from optuna.distributions import FloatDistribution
from optuna.trial import FrozenTrial, TrialState, create_trial

from camobo.optuna import CostAwareSampler

Direction: TypeAlias = Literal["minimize", "maximize"]
TWO: list[Direction] = ["minimize", "maximize"]
UNIT = FloatDistribution(0, 1)


def study_of(sampler: CostAwareSampler, directions: list[Direction] | None = None) -> optuna.Study:
    return optuna.create_study(directions=directions or ["minimize", "minimize"], sampler=sampler)


def bumps(trial: optuna.Trial) -> tuple[float, float]:
    """Two bowls apart along the dear parameter; the best of the first is at its cheap end."""
    dear, cheap = trial.suggest_float("dear", 0, 1), trial.suggest_float("cheap", 0, 1)
    return (dear - 0.1) ** 2 + (cheap - 0.3) ** 2, (dear - 0.9) ** 2 + (cheap - 0.3) ** 2


def points(study: optuna.Study, *names: str) -> np.ndarray[Any, Any]:
    return np.array([[trial.params[name] for name in names] for trial in study.trials])


def ended(x: float, value: float, state: TrialState) -> FrozenTrial:
    return create_trial(state=state, params={"x": x}, distributions={"x": UNIT}, value=value)
