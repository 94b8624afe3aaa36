"""BoTorch: hypervolume improvement, random scalarisations, and improvement divided by the true cost."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
import torch
from botorch.acquisition import AcquisitionFunction
from botorch.acquisition.logei import qLogNoisyExpectedImprovement
from botorch.acquisition.multi_objective.logei import qLogNoisyExpectedHypervolumeImprovement
from botorch.acquisition.multi_objective.objective import IdentityMCMultiOutputObjective
from botorch.acquisition.multi_objective.utils import get_default_partitioning_alpha
from botorch.acquisition.objective import GenericMCObjective
from botorch.fit import fit_gpytorch_mll
from botorch.models import SingleTaskGP
from botorch.optim import optimize_acqf
from botorch.sampling.normal import SobolQMCNormalSampler
from botorch.utils.multi_objective.scalarization import get_chebyshev_scalarization
from botorch.utils.transforms import t_batch_mode_transform
from gpytorch.mlls import ExactMarginalLogLikelihood

from camobo.problems.functions import Floats
from peers.problems import Contest, Measured

torch.set_num_threads(1)
torch.set_flush_denormal(True)  # sooner: see surroundings.py
warnings.filterwarnings("ignore")
NOISE_VARIANCE = 1e-6


class InBotorch:
    """qLogNEHVI: one process per outcome, with fixed noise variance (the problems have none), refitted at each ask."""

    def __init__(self, contest: Contest, seed: int) -> None:
        torch.manual_seed(seed)
        self._contest = contest
        self._units: list[Floats] = []
        self._rows: list[Floats] = []
        self._money: list[float] = []

    def tell(self, unit: Floats, measured: Measured) -> None:
        self._units.append(unit)
        self._rows.append(np.concatenate([-measured.values, measured.constraints]))
        self._money.append(measured.money)

    def ask(self) -> Floats:
        x, rows = torch.tensor(np.array(self._units)), np.array(self._rows)
        mean, deviation = rows.mean(axis=0), np.maximum(rows.std(axis=0, ddof=1), 1e-9)
        outcomes = torch.tensor((rows - mean) / deviation)
        shift = torch.tensor(mean / deviation)
        M = self._contest.objectives
        constraints = [lambda z, k=k: z[..., k] + shift[k] for k in range(M, outcomes.shape[1])]
        reference = torch.tensor((-np.array(self._contest.reference) - mean[:M]) / deviation[:M])
        acquisition = self._acquisition(_model(x, outcomes), x, outcomes, reference, constraints or None)
        bounds = torch.stack([torch.zeros(x.shape[1]), torch.ones(x.shape[1])]).double()
        # The effort of BoTorch's own tutorial on several objectives. All starts at once, and raw samples in batches
        # that fit the processor's cache, give the same points sooner. Raw samples are also taken around the best
        # points: with uniform ones alone it asked for the same point of ZDT2, whose front is an edge, over and over.
        effort = {"batch_limit": 10, "init_batch_limit": 32, "maxiter": 200, "sample_around_best": True}
        point, _ = optimize_acqf(acquisition, bounds, q=1, num_restarts=10, raw_samples=512, options=effort)
        return np.asarray(point.detach().numpy()[0]).clip(0.0, 1.0)

    def _acquisition(self, model: Any, x: Any, outcomes: Any, reference: Any, constraints: Any) -> Any:
        return qLogNoisyExpectedHypervolumeImprovement(
            model,
            ref_point=reference,
            X_baseline=x,
            sampler=SobolQMCNormalSampler(torch.Size([128])),
            objective=IdentityMCMultiOutputObjective(outcomes=list(range(self._contest.objectives))),
            constraints=constraints,
            prune_baseline=True,
            alpha=get_default_partitioning_alpha(self._contest.objectives),
        )


class ParEGO(InBotorch):
    """qLogNParEGO: noisy expected improvement of a random augmented Chebyshev scalarisation."""

    def _acquisition(self, model: Any, x: Any, outcomes: Any, reference: Any, constraints: Any) -> Any:
        M = self._contest.objectives
        weights = torch.distributions.Dirichlet(torch.ones(M).double()).sample()
        scalarise = get_chebyshev_scalarization(weights=weights, Y=outcomes[:, :M])
        return qLogNoisyExpectedImprovement(
            model,
            X_baseline=x,
            sampler=SobolQMCNormalSampler(torch.Size([128])),
            objective=GenericMCObjective(lambda samples, X=None: scalarise(samples[..., :M])),
            constraints=constraints,
            prune_baseline=True,
        )


class ChebyshevUCB(AcquisitionFunction):  # type: ignore[misc]
    """`min_m θ_m (μ_m + √β σ_m - worst_m) / range_m`, for a candidate set of one point."""

    def __init__(self, model: Any, weights: Any, worst: Any, spread: Any, beta: float) -> None:
        super().__init__(model)
        self.weights, self.worst, self.spread, self.beta = weights, worst, spread, beta

    @t_batch_mode_transform(expected_q=1)  # type: ignore[untyped-decorator]
    def forward(self, X: Any) -> Any:
        posterior = self.model.posterior(X)
        upper = posterior.mean + self.beta**0.5 * posterior.variance.clamp_min(1e-12).sqrt()
        return (self.weights * (upper - self.worst) / self.spread).squeeze(-2).min(dim=-1).values


class RandomWeights(InBotorch):
    """Chebyshev-scalarised UCB with weights uniform on the simplex; β = 0.125 ln(2t + 1), of Paria et al. (UAI 2019).

    Only for `timing`: it is not in the contest and ignores constraints.
    """

    def _acquisition(self, model: Any, x: Any, outcomes: Any, reference: Any, constraints: Any) -> Any:
        worst, best = outcomes.min(dim=0).values, outcomes.max(dim=0).values
        weights = torch.distributions.Dirichlet(torch.ones(outcomes.shape[1]).double()).sample()
        return ChebyshevUCB(model, weights, worst, best - worst, 0.125 * math.log(2 * len(x) + 1))


class Divided(AcquisitionFunction):  # type: ignore[misc]
    """A logarithmic acquisition minus the logarithm of the money, for a candidate set of one point."""

    def __init__(self, acquisition: Any, log_money: Any) -> None:
        super().__init__(acquisition.model)
        self.acquisition, self.log_money = acquisition, log_money
        # BoTorch reads these to find the best points so far.
        self.X_baseline, self.objective = acquisition.X_baseline, acquisition.objective
        self.constraints = getattr(acquisition, "constraints", None)

    def forward(self, X: Any) -> Any:
        return self.acquisition(X) - self.log_money(X).reshape(X.shape[0])


class PerMoney(InBotorch):
    """qLogNEHVI ÷ cost: the true cost if it is known in advance, otherwise a process of the log of what was paid."""

    def _acquisition(self, model: Any, x: Any, outcomes: Any, reference: Any, constraints: Any) -> Any:
        plain = super()._acquisition(model, x, outcomes, reference, constraints)
        if self._contest.price is None:
            paid = torch.tensor(np.log(self._money))[:, None]
            known = SingleTaskGP(x, paid)
            fit_gpytorch_mll(ExactMarginalLogLikelihood(known.likelihood, known))
            return Divided(plain, lambda X: known.posterior(X).mean)
        k = x.shape[1]
        prices = torch.tensor(self._contest.price(np.eye(k)) - 0.1)
        return Divided(plain, lambda X: (X @ prices + 0.1).log())


def _model(x: Any, outcomes: Any) -> Any:
    # All outcomes in one batch: half the time of a list of models, and log posteriors agree to 0.001.
    model = SingleTaskGP(x, outcomes, torch.full_like(outcomes, NOISE_VARIANCE), outcome_transform=None)
    fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
    return model
