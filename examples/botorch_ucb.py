# %% [markdown]
# # A cost-aware acquisition for a BoTorch loop
# Branin and Currin over two inputs, of which the first is dear. The same loop runs twice: with the order "x1 > x2", and
# with no cost. Run it as a script, or cell by cell in an editor that knows `# %%`.
#
#     pip install 'camobo[botorch]' && python examples/botorch_ucb.py

# %%
from __future__ import annotations

import sys
import warnings

import torch
from botorch.fit import fit_gpytorch_mll
from botorch.models import ModelListGP, SingleTaskGP
from botorch.models.transforms import Standardize
from botorch.optim import optimize_acqf
from gpytorch.mlls import SumMarginalLogLikelihood

from camobo.botorch import CostAwareUCB
from camobo.problems import branin_currin

torch.set_default_dtype(torch.float64)
warnings.filterwarnings("ignore")  # GPyTorch speaks of settings of its own
problem = branin_currin()
bounds = torch.tensor([[0.0, 0.0], [1.0, 1.0]])


def measured(X: torch.Tensor) -> torch.Tensor:
    """(n, 2) values; BoTorch maximises, the problem is to be minimised."""
    return -torch.tensor(problem.evaluate(X.numpy()))


# %% [markdown]
# One step: fit, build the acquisition, maximise it. `step` and `budget` tell the cost when it is; the reference point is
# the worst value seen of each objective.


# %%
def next_point(X: torch.Tensor, Y: torch.Tensor, cost: str | None, step: int, budget: int) -> torch.Tensor:
    """(1, 2) the point to measure next."""
    model = ModelListGP(*(SingleTaskGP(X, Y[:, m : m + 1], outcome_transform=Standardize(1)) for m in range(2)))
    fit_gpytorch_mll(SumMarginalLogLikelihood(model.likelihood, model))
    span = Y.max(dim=0).values - Y.min(dim=0).values
    weights = torch.distributions.Dirichlet(torch.ones(2)).sample() / span
    acquisition = CostAwareUCB(
        model,
        names=["x1", "x2"],
        cost=cost,
        bounds=bounds,
        ref_point=Y.min(dim=0).values,
        weights=weights,
        step=step,
        budget=budget,
    )
    point, _ = optimize_acqf(acquisition, bounds, q=1, num_restarts=4, raw_samples=128)
    return point


# %% [markdown]
# The loop, with a cost and without.


# %%
def run(cost: str | None, budget: int) -> tuple[float, float]:
    """Share of the best hypervolume reached, and how much of x1 was used."""
    torch.manual_seed(0)
    X = torch.rand(4, 2) * torch.tensor([0.5, 1.0])
    Y = measured(X)
    for step in range(1, budget - len(X) + 1):
        point = next_point(X, Y, cost, step, budget)
        X, Y = torch.cat([X, point]), torch.cat([Y, measured(point)])
    return problem.hypervolume(-Y.numpy()) / problem.best_hypervolume, float(X[:, 0].sum())


budget = int(sys.argv[1]) if len(sys.argv) > 1 else 30
for cost in ("x1 > x2", None):
    share, used = run(cost, budget)
    print(f"cost={cost!r:10}: {share:.1%} of the best hypervolume, x1 used {used:.1f}")
