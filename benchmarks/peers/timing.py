"""The peers that `make bench` compares with a bare study: seconds per suggestion, and runs.

    gpsampler        Optuna's GPSampler (log expected hypervolume improvement), with deterministic_objective=True
    chebyshev-ucb    BoTorch: Chebyshev-scalarised UCB with new random weights at each ask, as in MO-UCB
    qlognehvi        BoTorch: log noisy expected hypervolume improvement against the problem's own reference point

Each gets the settings that suit it best. The problems have no noise, and no peer has to infer any: GPSampler is told
that the objective is deterministic, and BoTorch's models, refitted at every ask, have a fixed noise variance (with
inferred noise qLogNEHVI reaches 1.005 instead of 1.319 of 1.332 on ZDT3). Both of BoTorch's are set up as in the
contest (in_botorch). Everything runs on one thread, in an ordinary environment: not in the contest's `surroundings`,
which make GPSampler a fifth faster.

Needs the `bench` extra.
"""

from __future__ import annotations

import os

os.environ["OMP_NUM_THREADS"] = "1"
os.environ["OPENBLAS_NUM_THREADS"] = "1"
os.environ["MKL_NUM_THREADS"] = "1"

import statistics
import time
import warnings
from collections.abc import Callable, Iterator
from importlib.metadata import version
from typing import Any

import numpy as np
import optuna

from camobo.problems import Problem
from camobo.problems.functions import Floats
from peers.in_botorch import InBotorch, RandomWeights
from peers.problems import Contest, Measured, synthetic
from peers.session import Session

optuna.logging.set_verbosity(optuna.logging.WARNING)
warnings.filterwarnings("ignore", category=optuna.exceptions.ExperimentalWarning)


class GPSampler:
    """Optuna's GPSampler; points it did not suggest enter the study as finished trials."""

    def __init__(self, contest: Contest, seed: int) -> None:
        self._space: dict[str, Any] = {
            f"x{j + 1}": optuna.distributions.FloatDistribution(0, 1) for j in range(contest.inputs)
        }
        # The caller gives the first points, so the sampler needs no random ones.
        sampler = optuna.samplers.GPSampler(seed=seed, n_startup_trials=1, deterministic_objective=True)
        self._study = optuna.create_study(directions=["minimize"] * contest.objectives, sampler=sampler)
        self._open: Any = None

    def ask(self) -> Floats:
        self._open = self._study.ask(self._space)
        return np.array([self._open.params[name] for name in self._space])

    def tell(self, unit: Floats, measured: Measured) -> None:
        values = measured.values.tolist()
        if self._open is not None:
            self._study.tell(self._open, values)
            self._open = None
            return
        params = dict(zip(self._space, unit.tolist(), strict=True))
        self._study.add_trial(optuna.trial.create_trial(params=params, distributions=self._space, values=values))


PEERS: dict[str, Callable[[Contest, int], Session]] = {
    "gpsampler": GPSampler,
    "chebyshev-ucb": RandomWeights,
    "qlognehvi": InBotorch,
}


def versions() -> dict[str, str]:
    """The versions of the packages that the peers use."""
    return {package: version(package) for package in ("optuna", "botorch", "gpytorch", "torch", "numpy", "scipy")}


def asks_in_seconds(peer: str, problem: Problem, units: Floats, asks: int = 5, seed: int = 0) -> Iterator[float]:
    """Seconds of each of `asks` suggestions, refit included, after (n, d) observations `units`.

    Each suggested point is evaluated and told.
    """
    contest = synthetic(problem)
    session = PEERS[peer](contest, seed)
    for unit in units:
        session.tell(unit, contest.measure(unit))
    for _ in range(asks):
        start = time.perf_counter()
        unit = session.ask()
        yield time.perf_counter() - start
        session.tell(unit, contest.measure(unit))


def seconds_per_ask(peer: str, problem: Problem, units: Floats, asks: int = 5, seed: int = 0) -> float:
    """Median seconds per suggestion after (n, d) observations `units`."""
    return statistics.median(asks_in_seconds(peer, problem, units, asks, seed))


def steps(
    peer: str, problem: Problem, seed: int, evaluations: int = 100, initial: int = 5
) -> Iterator[tuple[Floats, Floats]]:
    """One run, point by point: (d,) units and (M,) values. The first `initial` points are uniform."""
    contest = synthetic(problem)
    session = PEERS[peer](contest, seed)
    starts = np.random.default_rng(seed).random((initial, contest.inputs))
    for number in range(evaluations):
        unit = starts[number] if number < initial else session.ask()
        measured = contest.measure(unit)
        session.tell(unit, measured)
        yield unit, measured.values
