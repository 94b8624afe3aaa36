"""An Optuna study as camobo's frozen records, for whatever reads those: reports, figures, tables."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import optuna
from optuna.study import StudyDirection
from optuna.trial import FrozenTrial, TrialState

from camobo.optuna.inputs import Dear, Inputs
from camobo.space import Space
from camobo.trial import State, Trial

Goal = Literal["min", "max"]


@dataclass(frozen=True, slots=True)
class Record:
    """What an Optuna study has tried, in camobo's words."""

    space: Space | None
    """The parameters every complete trial has with one and the same range; a categorical's choices by position."""
    objectives: Mapping[str, Goal]
    trials: tuple[Trial, ...]
    """All of them, numbered from 0 as in Optuna; pruned and infeasible ones count as failed, with the reason."""


def read(study: optuna.Study, *, dear: Dear | None = None) -> Record:
    """The study's trials as frozen records; values by the names of its objectives.

    >>> optuna.logging.set_verbosity(optuna.logging.WARNING)
    >>> study = optuna.create_study(direction="minimize")
    >>> study.add_trial(optuna.create_trial(
    ...     params={"x": 0.5}, distributions={"x": optuna.distributions.FloatDistribution(0, 1)}, value=2.0
    ... ))
    >>> record = read(study)
    >>> print(record.trials[0], record.space.names)
    trial 0: x=0.5 -> value=2 ('x',)
    """
    trials = study.get_trials(deepcopy=False)
    shared = optuna.search_space.intersection_search_space(trials)
    shared = {name: given for name, given in shared.items() if not given.single()}
    objectives = objectives_of(study)
    return Record(
        Inputs.of(shared, dear or {}).space if shared else None,
        objectives,
        tuple(_record(trial, objectives) for trial in trials),
    )


def objectives_of(study: optuna.Study) -> dict[str, Goal]:
    """The objectives' names, as the study has them or else value0, value1, …, and which way is better."""
    goals: list[Goal] = ["max" if given == StudyDirection.MAXIMIZE else "min" for given in study.directions]
    default = ["value"] if len(goals) == 1 else [f"value{m}" for m in range(len(goals))]
    named = getattr(study, "metric_names", None)  # a bracket of Hyperband's is a study without this
    return dict(zip(named or default, goals, strict=True))


def constraints_of(trial: FrozenTrial) -> dict[str, float]:
    """What the trial's constraints came out at, by name; it is feasible if none is above zero."""
    if hasattr(FrozenTrial, "constraints"):  # Optuna 5
        return dict(trial.constraints)
    return {str(k): value for k, value in enumerate(trial.system_attrs.get("constraints") or ())}


def _record(trial: FrozenTrial, objectives: Mapping[str, Goal]) -> Trial:
    if not trial.state.is_finished():
        return Trial(trial.number, trial.params, asked=trial.number)
    reason = _why_not(trial)
    told = trial.number
    if reason is not None:
        return Trial(trial.number, trial.params, State.FAILED, reason=reason, asked=told, told=told)
    values = dict(zip(objectives, trial.values, strict=True))
    return Trial(trial.number, trial.params, State.COMPLETE, values, asked=told, told=told)


def _why_not(trial: FrozenTrial) -> str | None:
    """Why a finished trial is no result; None if it is one."""
    if trial.state is TrialState.PRUNED:
        return f"pruned at step {trial.last_step}" if trial.last_step is not None else "pruned"
    if trial.state is not TrialState.COMPLETE:
        return str(trial.system_attrs.get("fail_reason", "failed"))
    violated = [name for name, value in constraints_of(trial).items() if value > 0]
    if violated:
        return f"infeasible: constraint {', '.join(violated)} is violated"
    if not all(math.isfinite(value) for value in trial.values):
        return f"a value is not finite: {', '.join(map(str, trial.values))}"
    return None
