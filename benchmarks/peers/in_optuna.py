"""camobo's sampler and Optuna's own, in an Optuna study."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import optuna

from camobo.optuna import CostAwareSampler
from camobo.problems.functions import Floats
from peers.problems import Contest, Measured

optuna.logging.set_verbosity(optuna.logging.ERROR)
warnings.filterwarnings("ignore", module="optuna")
Make = Callable[..., optuna.samplers.BaseSampler]


class InOptuna:
    """A study with a sampler; points it did not suggest become enqueued trials."""

    def __init__(self, contest: Contest, make: Make) -> None:
        uniform: Any = optuna.distributions.FloatDistribution(0, 1)
        self._space = {f"x{j + 1}": uniform for j in range(contest.inputs)}
        constraints: Any = {}
        if contest.constraints:
            constraints = {"constraints_func": lambda trial: trial.user_attrs["constraints"]}
        self._study = optuna.create_study(directions=["minimize"] * contest.objectives, sampler=make(**constraints))
        self._open: Any = None

    def ask(self) -> Floats:
        self._open = self._study.ask(self._space)
        return np.array([self._open.params[name] for name in self._space])

    def tell(self, unit: Floats, measured: Measured) -> None:
        if self._open is None:
            self._study.enqueue_trial(dict(zip(self._space, unit.tolist(), strict=True)))
            self._open = self._study.ask(self._space)
        self._open.set_user_attr("constraints", measured.constraints.tolist())
        self._study.tell(self._open, measured.values.tolist())
        self._open = None


def camobo(contest: Contest, seed: int) -> InOptuna:
    """With the order x1 > x2 > …, the number of evaluations and the reference."""
    return _camobo(contest, seed, [f"x{j + 1}" for j in range(contest.inputs)])


def camobo_blind(contest: Contest, seed: int) -> InOptuna:
    """With no cost."""
    return _camobo(contest, seed, None)


def _camobo(contest: Contest, seed: int, order: list[str] | None) -> InOptuna:
    given: dict[str, Any] = {"budget": contest.evaluations, "reference": contest.reference, "seed": seed}
    return InOptuna(contest, lambda **more: CostAwareSampler(order, **given, **more))


def gpsampler(contest: Contest, seed: int) -> InOptuna:
    """Optuna's GPSampler, told that the problem has no noise."""
    return InOptuna(
        contest,
        lambda **more: optuna.samplers.GPSampler(seed=seed, n_startup_trials=1, deterministic_objective=True, **more),
    )


def tpe(contest: Contest, seed: int) -> InOptuna:
    """Optuna's TPE, multivariate."""
    return InOptuna(contest, lambda **more: optuna.samplers.TPESampler(seed=seed, multivariate=True, **more))


def nsga2(contest: Contest, seed: int) -> InOptuna:
    """Optuna's NSGA-II with a population of 20."""
    return InOptuna(contest, lambda **more: optuna.samplers.NSGAIISampler(population_size=20, seed=seed, **more))
