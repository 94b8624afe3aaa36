"""The peers that `make bench` sets beside a bare study: seconds a suggestion, and runs.

    gpsampler        Optuna's GPSampler (log expected hypervolume improvement), with deterministic_objective=True
    chebyshev-ucb    BoTorch: Chebyshev-scalarised UCB with fresh random weights each ask; the closest relative of
                     camobo without cost
    qlognehvi        BoTorch: log noisy expected hypervolume improvement against the problem's own reference point

Each is given what suits it best. The problems have no noise, so no peer has to infer any: GPSampler is told that the
objective is deterministic, and BoTorch's models, refitted at every ask, get a fixed noise variance (with inferred noise
qLogNEHVI reaches 1.005 instead of 1.319 of 1.332 on ZDT3). Both of BoTorch's are set up as in the contest (in_botorch).
Everything runs on one thread, in an environment as people have it: not in the contest's `surroundings`, which make
GPSampler a fifth faster.

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
    """Optuna's; points it did not suggest enter the study as finished trials, at no cost in time."""

    def __init__(self, contest: Contest, seed: int) -> None:
        self._space: dict[str, Any] = {
            f"x{j + 1}": optuna.distributions.FloatDistribution(0, 1) for j in range(contest.inputs)
        }
        # The caller brings the first points, so the sampler needs no random start of its own.
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
    """The versions that decide a peer's figures."""
    return {package: version(package) for package in ("optuna", "botorch", "gpytorch", "torch", "numpy", "scipy")}


def asks_in_seconds(peer: str, problem: Problem, units: Floats, asks: int = 5, seed: int = 0) -> Iterator[float]:
    """Seconds of each of `asks` suggestions, refit included, given the observations `units` (n, d).

    After each, the point suggested is evaluated and told.
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
    """Median seconds of one suggestion given the observations `units` (n, d)."""
    return statistics.median(asks_in_seconds(peer, problem, units, asks, seed))


def steps(
    peer: str, problem: Problem, seed: int, evaluations: int = 100, initial: int = 5
) -> Iterator[tuple[Floats, Floats]]:
    """One run, point by point: (d,) units and (M,) values; the first `initial` points are uniform from `seed`."""
    contest = synthetic(problem)
    session = PEERS[peer](contest, seed)
    starts = np.random.default_rng(seed).random((initial, contest.inputs))
    for number in range(evaluations):
        unit = starts[number] if number < initial else session.ask()
        measured = contest.measure(unit)
        session.tell(unit, measured)
        yield unit, measured.values
