"""A cost-aware acquisition in a BoTorch loop, notebook style: run it as a script, or cell by cell.

pip install 'camobo[botorch]' && python examples/botorch_ucb.py
"""

# %% [markdown]
# # A cost-aware acquisition for a BoTorch loop
# DTLZ2 over three inputs, of which the first is the dearest. The same loop runs three times: with the order "x1 > x2",
# which stands for the paper's cost; with camobo's additive cost; and with no cost.

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

from camobo import AdditiveCost
from camobo.botorch import CostAwareUCB
from camobo.problems import dtlz2

torch.set_default_dtype(torch.float64)
warnings.filterwarnings("ignore")  # GPyTorch speaks of settings of its own
problem = dtlz2(inputs=3, objectives=2)
Cost = str | AdditiveCost | None
bounds = torch.tensor([[0.0] * 3, [1.0] * 3])


def measured(X: torch.Tensor) -> torch.Tensor:
    """(n, 2) values; BoTorch maximises, the problem is to be minimised."""
    return -torch.tensor(problem.evaluate(X.numpy()))


# %% [markdown]
# One step: fit, build the acquisition, maximise it. `step` and `budget` tell the cost when it is; the reference point
# is the worst value seen of each objective.


# %%
def next_point(
    X: torch.Tensor, Y: torch.Tensor, cost: str | AdditiveCost | None, step: int, budget: int
) -> torch.Tensor:
    """(1, 3) the point to measure next."""
    model = ModelListGP(*(SingleTaskGP(X, Y[:, m : m + 1], outcome_transform=Standardize(1)) for m in range(2)))
    fit_gpytorch_mll(SumMarginalLogLikelihood(model.likelihood, model))
    span = Y.max(dim=0).values - Y.min(dim=0).values
    weights = torch.distributions.Dirichlet(torch.ones(2)).sample() / span
    acquisition = CostAwareUCB(
        model,
        names=["x1", "x2", "x3"],
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
def run(cost: Cost, budget: int) -> tuple[float, float]:
    """Share of the best hypervolume reached, and how much of x1 was used."""
    torch.manual_seed(0)
    X = torch.rand(4, 3) * torch.tensor([0.5, 0.5, 1.0])
    Y = measured(X)
    for step in range(1, budget - len(X) + 1):
        point = next_point(X, Y, cost, step, budget)
        X, Y = torch.cat([X, point]), torch.cat([Y, measured(point)])
    return problem.hypervolume(-Y.numpy()) / problem.best_hypervolume, float(X[:, 0].sum())


budget = int(sys.argv[1]) if len(sys.argv) > 1 else 24
for name, cost in (
    ("paper", "x1 > x2"),
    ("additive", AdditiveCost("x1 > x2", strength=4.0, power=0.0)),
    ("none", None),
):
    share, used = run(cost, budget)
    print(f"cost {name}: {share:.1%} of the best hypervolume, x1 used {used:.1f}")
