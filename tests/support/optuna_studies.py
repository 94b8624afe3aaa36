"""Optuna studies for tests: two bowls, and single trials."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Literal, TypeAlias

import numpy as np
import optuna
from optuna.distributions import BaseDistribution, FloatDistribution
from optuna.trial import FrozenTrial, TrialState, create_trial

from camobo.optuna import CostAwareSampler

Direction: TypeAlias = Literal["minimize", "maximize"]
TWO: list[Direction] = ["minimize", "maximize"]
UNIT = FloatDistribution(0, 1)


def study_of(sampler: CostAwareSampler, directions: list[Direction] | None = None) -> optuna.Study:
    return optuna.create_study(directions=directions or ["minimize", "minimize"], sampler=sampler)


def bumps(trial: optuna.Trial) -> tuple[float, float]:
    """Two bowls apart along the expensive parameter; the best of the first is near its cheap end."""
    expensive, cheap = trial.suggest_float("expensive", 0, 1), trial.suggest_float("cheap", 0, 1)
    return (expensive - 0.1) ** 2 + (cheap - 0.3) ** 2, (expensive - 0.9) ** 2 + (cheap - 0.3) ** 2


def points(study: optuna.Study, *names: str) -> np.ndarray[Any, Any]:
    return np.array([[trial.params[name] for name in names] for trial in study.trials])


def ended(x: float, value: float, state: TrialState) -> FrozenTrial:
    return create_trial(state=state, params={"x": x}, distributions={"x": UNIT}, value=value)


def trial_with(
    params: Mapping[str, Any],
    distributions: Mapping[str, BaseDistribution] | None = None,
    *,
    number: int = 0,
    value: float | None = 1.0,
    state: TrialState = TrialState.COMPLETE,
    system_attrs: Mapping[str, Any] | None = None,
) -> FrozenTrial:
    """A trial of a given number; its parameters are floats from 0 to 1 unless distributions say otherwise."""
    trial = create_trial(
        state=state,
        params=dict(params),
        distributions=dict.fromkeys(params, UNIT) if distributions is None else dict(distributions),
        value=value if state is TrialState.COMPLETE else None,
        system_attrs=dict(system_attrs or {}),
    )
    trial.number = number
    return trial


def took(
    seconds: float,
    params: Mapping[str, Any],
    *,
    state: TrialState = TrialState.COMPLETE,
    values: Sequence[float] = (1.0,),
) -> FrozenTrial:
    """A finished trial that ran for so long; its parameters are floats from 0 to 1."""
    trial = create_trial(
        state=state,
        params=dict(params),
        distributions=dict.fromkeys(params, UNIT),
        values=values if state is TrialState.COMPLETE else None,
    )
    trial.datetime_start = datetime(2024, 5, 1, 12)
    trial.datetime_complete = datetime(2024, 5, 1, 12) + timedelta(seconds=seconds)
    return trial


def running(study: optuna.Study, space: dict[str, BaseDistribution] | None = None) -> FrozenTrial:
    """A trial asked for just now, without parameters unless a space is given."""
    number = study.ask(space).number
    return study.get_trials(deepcopy=False)[number]
