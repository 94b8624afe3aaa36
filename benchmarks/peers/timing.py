"""The peers camobo is measured against, behind one face: unit-cube inputs, all objectives minimised.

    gpsampler        Optuna's GPSampler (log expected hypervolume improvement), with deterministic_objective=True
    chebyshev-ucb    BoTorch: one SingleTaskGP an objective in a ModelListGP, Chebyshev-scalarised UCB with fresh
                     random weights each ask; the closest relative of camobo without cost
    qlognehvi        BoTorch: the same models, log noisy expected hypervolume improvement against the problem's own
                     reference point

Each is given what suits it best. The problems have no noise, so no peer has to infer any: GPSampler is told that
the objective is deterministic, the BoTorch models get a fixed noise variance of 1e-6 on standardised outcomes (with
inferred noise qLogNEHVI reaches 1.005 instead of 1.319 of 1.332 on ZDT3). BoTorch refits its models at every ask and
maximises with `optimize_acqf(num_restarts=10, raw_samples=512)`. Everything runs on one thread.

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
from typing import Any, Protocol

import numpy as np
import optuna
import torch
from botorch.acquisition import AcquisitionFunction
from botorch.acquisition.multi_objective.logei import qLogNoisyExpectedHypervolumeImprovement
from botorch.fit import fit_gpytorch_mll
from botorch.models import ModelListGP, SingleTaskGP
from botorch.optim import optimize_acqf
from botorch.sampling.normal import SobolQMCNormalSampler
from botorch.utils.transforms import t_batch_mode_transform
from gpytorch.mlls import SumMarginalLogLikelihood

from camobo.problems import Problem
from camobo.problems.functions import Floats

torch.set_num_threads(1)
optuna.logging.set_verbosity(optuna.logging.WARNING)
warnings.filterwarnings("ignore", category=optuna.exceptions.ExperimentalWarning)

NOISE_VARIANCE = 1e-6
RESTARTS = 10
RAW_SAMPLES = 512


class Session(Protocol):
    """One run of one peer: `ask` gives a point (d,) of the unit cube, `tell` its values (M,)."""

    def ask(self) -> Floats: ...
    def tell(self, unit: Floats, values: Floats) -> None: ...


class OptunaSession:
    """Optuna's GPSampler; earlier points enter the study as finished trials."""

    def __init__(self, problem: Problem, seed: int) -> None:
        self._space: dict[str, Any] = {
            name: optuna.distributions.FloatDistribution(0, 1) for name in problem.space.names
        }
        # The caller brings the first points, so the sampler needs no random start of its own.
        sampler = optuna.samplers.GPSampler(seed=seed, n_startup_trials=1, deterministic_objective=True)
        self._study = optuna.create_study(directions=["minimize"] * len(problem.objectives), sampler=sampler)
        self._open: Any = None

    def ask(self) -> Floats:
        self._open = self._study.ask(self._space)
        return np.array([self._open.params[name] for name in self._space])

    def tell(self, unit: Floats, values: Floats) -> None:
        if self._open is not None:
            self._study.tell(self._open, values.tolist())
            self._open = None
            return
        params = dict(zip(self._space, unit.tolist(), strict=True))
        trial = optuna.trial.create_trial(params=params, distributions=self._space, values=values.tolist())
        self._study.add_trial(trial)


class BotorchSession:
    """What both BoTorch peers share: the data, the models, and the search for the best point."""

    def __init__(self, problem: Problem, seed: int) -> None:
        torch.manual_seed(seed)
        self._random = np.random.default_rng([seed, 1])
        self._reference = np.array(problem.reference)
        self._units: list[Floats] = []
        self._values: list[Floats] = []

    def tell(self, unit: Floats, values: Floats) -> None:
        self._units.append(unit)
        self._values.append(values)

    def _standardised(self) -> tuple[Any, Any, Any]:
        """Inputs (n, d), outcomes (n, M) and reference (M,), outcomes standardised and negated: BoTorch maximises."""
        values = np.array(self._values)
        mean, deviation = values.mean(axis=0), values.std(axis=0, ddof=1)
        outcomes, reference = (mean - values) / deviation, (mean - self._reference) / deviation
        return torch.tensor(np.array(self._units)), torch.tensor(outcomes), torch.tensor(reference)

    def _model(self, inputs: Any, outcomes: Any) -> Any:
        noise = torch.full_like(outcomes[:, :1], NOISE_VARIANCE)
        columns = outcomes.split(1, dim=1)
        model = ModelListGP(*(SingleTaskGP(inputs, column, noise, outcome_transform=None) for column in columns))
        fit_gpytorch_mll(SumMarginalLogLikelihood(model.likelihood, model))
        return model

    def _best(self, acquisition: Any) -> Floats:
        inputs = len(self._units[0])
        bounds = torch.stack([torch.zeros(inputs), torch.ones(inputs)]).double()
        point, _ = optimize_acqf(acquisition, bounds, q=1, num_restarts=RESTARTS, raw_samples=RAW_SAMPLES)
        return np.asarray(point.detach().numpy()[0]).clip(0.0, 1.0)


class ChebyshevUCB(AcquisitionFunction):  # type: ignore[misc]  # botorch is untyped here
    """`min_m θ_m (μ_m + √β σ_m - worst_m) / range_m`, for a candidate set of one point."""

    def __init__(self, model: Any, weights: Any, worst: Any, spread: Any, beta: float) -> None:
        super().__init__(model)
        self.weights, self.worst, self.spread, self.beta = weights, worst, spread, beta

    @t_batch_mode_transform(expected_q=1)  # type: ignore[untyped-decorator]
    def forward(self, X: Any) -> Any:
        posterior = self.model.posterior(X)
        upper = posterior.mean + self.beta**0.5 * posterior.variance.clamp_min(1e-12).sqrt()
        return (self.weights * (upper - self.worst) / self.spread).squeeze(-2).min(dim=-1).values


class ChebyshevSession(BotorchSession):
    """Random weights, uniform on the simplex; β = 0.125 ln(2t + 1), the value of Paria et al. (UAI 2019)."""

    def ask(self) -> Floats:
        inputs, outcomes, _ = self._standardised()
        worst, best = outcomes.min(dim=0).values, outcomes.max(dim=0).values
        weights = torch.tensor(self._random.dirichlet(np.ones(outcomes.shape[1])))
        beta = 0.125 * float(np.log(2 * len(inputs) + 1))
        return self._best(ChebyshevUCB(self._model(inputs, outcomes), weights, worst, best - worst, beta))


class NehviSession(BotorchSession):
    """Log noisy expected hypervolume improvement, 128 quasi-random samples, pruned baseline."""

    def ask(self) -> Floats:
        inputs, outcomes, reference = self._standardised()
        acquisition = qLogNoisyExpectedHypervolumeImprovement(
            self._model(inputs, outcomes),
            ref_point=reference,
            X_baseline=inputs,
            sampler=SobolQMCNormalSampler(torch.Size([128])),
            prune_baseline=True,
        )
        return self._best(acquisition)


PEERS: dict[str, Callable[[Problem, int], Session]] = {
    "gpsampler": OptunaSession,
    "chebyshev-ucb": ChebyshevSession,
    "qlognehvi": NehviSession,
}


def versions() -> dict[str, str]:
    """The versions that decide a peer's figures."""
    return {package: version(package) for package in ("optuna", "botorch", "gpytorch", "torch", "numpy", "scipy")}


def asks_in_seconds(peer: str, problem: Problem, units: Floats, asks: int = 5, seed: int = 0) -> Iterator[float]:
    """Seconds of each of `asks` suggestions, refit included, given the observations `units` (n, d).

    After each, the point suggested is evaluated and told.
    """
    session = PEERS[peer](problem, seed)
    for unit, values in zip(units, problem.evaluate(units), strict=True):
        session.tell(unit, values)
    for _ in range(asks):
        start = time.perf_counter()
        unit = session.ask()
        yield time.perf_counter() - start
        session.tell(unit, problem.evaluate(unit[None])[0])


def seconds_per_ask(peer: str, problem: Problem, units: Floats, asks: int = 5, seed: int = 0) -> float:
    """Median seconds of one suggestion given the observations `units` (n, d)."""
    return statistics.median(asks_in_seconds(peer, problem, units, asks, seed))


def steps(
    peer: str, problem: Problem, seed: int, evaluations: int = 100, initial: int = 5
) -> Iterator[tuple[Floats, Floats]]:
    """One run, point by point: (d,) units and (M,) values; the first `initial` points are uniform from `seed`."""
    session = PEERS[peer](problem, seed)
    starts = np.random.default_rng(seed).random((initial, len(problem.space.names)))
    for number in range(evaluations):
        unit = starts[number] if number < initial else session.ask()
        values = problem.evaluate(unit[None])[0]
        session.tell(unit, values)
        yield unit, values


def run(peer: str, problem: Problem, seed: int, evaluations: int = 100, initial: int = 5) -> tuple[Floats, Floats]:
    """One whole run: units (n, d) and values (n, M)."""
    units, values = zip(*steps(peer, problem, seed, evaluations, initial), strict=True)
    return np.array(units), np.array(values)
