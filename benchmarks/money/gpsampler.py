"""Optuna's GPSampler as a method of the judge, told that the problems have no noise."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import optuna

import camobo as cm
from camobo.space.inputs import Input
from money.case import Case

optuna.logging.set_verbosity(optuna.logging.ERROR)
warnings.filterwarnings("ignore", module="optuna")


def distribution(given: Input) -> optuna.distributions.BaseDistribution:
    """The same range or choices for Optuna."""
    if isinstance(given, cm.Categorical):
        return optuna.distributions.CategoricalDistribution(given.choices)
    if isinstance(given, cm.Integer):
        return optuna.distributions.IntDistribution(given.low, given.high, log=given.log)
    return optuna.distributions.FloatDistribution(given.low, given.high, log=given.log, step=given.step)


@dataclass(frozen=True, slots=True)
class Asked:
    """A trial of Optuna's, and its params."""

    trial: optuna.Trial
    params: Mapping[str, Any]


class InOptuna:
    """A study of Optuna's."""

    def __init__(self, case: Case, seed: int) -> None:
        self._space = {name: distribution(given) for name, given in case.space.inputs.items()}
        sampler = optuna.samplers.GPSampler(seed=seed, deterministic_objective=True)
        goals = {"min": optuna.study.StudyDirection.MINIMIZE, "max": optuna.study.StudyDirection.MAXIMIZE}
        directions = [goals[goal] for goal in case.objectives.values()]
        self._study = optuna.create_study(directions=directions, sampler=sampler)

    def ask(self) -> Asked:
        """The next trial."""
        trial = self._study.ask(self._space)
        return Asked(trial, trial.params)

    def tell(self, asked: Asked, values: Mapping[str, float], *, cost: float | None = None) -> None:
        """Its values; cost is ignored."""
        self._study.tell(asked.trial, list(values.values()))
