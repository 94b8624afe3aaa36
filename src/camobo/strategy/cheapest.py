"""The cheapest point left, and whether the money left pays for it."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from camobo.acquisition.maximise import maximise
from camobo.arrays import Array
from camobo.cost.protocol import CostModel
from camobo.errors import BudgetSpent
from camobo.space.space import Space
from camobo.strategy.funds import Funds
from camobo.strategy.plan import Data, Plan
from camobo.strategy.protocol import LOG_MOST


def cheapest_untried(plan: Plan, data: Data, number: int, model: CostModel | None) -> Array:
    """(d,) the cheapest untried point that a search finds; without a cost, a random one."""
    rng = plan.stream("cheapest", number)
    surface = _Cheapness(plan.space, model, rng)
    return maximise(surface, plan.space, best=plan.space.cheapest()[None, :], taken=data.tried, rng=rng)


def within_means(plan: Plan, data: Data, number: int, means: Funds, unit: Array) -> Array:
    """(d,) a suggested point, or the cheapest one left if the money left does not pay for it; else BudgetSpent."""
    if means.affords(unit):
        return unit
    unit = cheapest_untried(plan, data, number, means.model)
    if means.affords(unit):
        return unit
    left, cheapest = _money(plan, means.most if means.most > 1e-200 else 0.0), ""
    if means.model is not None:
        price = math.exp(min(float(means.model.log_cost(unit[None, :])[0]), LOG_MOST))
        cheapest = f"the cheapest trial left costs about {_money(plan, price)}, and "
    raise BudgetSpent(f"{cheapest}{left} of the budget are left. To go on, raise the budget.")


def _money(plan: Plan, amount: float) -> str:
    unit = "" if plan.budget is None else plan.budget.unit
    return f"{amount:.6g} {unit}".rstrip()


@dataclass(frozen=True, slots=True)
class _Cheapness:
    """A surface that prefers cheap points and breaks ties at random."""

    space: Space
    model: CostModel | None
    rng: np.random.Generator

    def __call__(self, units: Array) -> Array:
        tie_break = 1e-9 * self.rng.random(len(units))
        return tie_break if self.model is None else tie_break - self.model.log_cost(self.space.snap(units))

    def with_gradient(self, units: Array) -> tuple[Array, Array]:
        slope = np.zeros_like(units) if self.model is None else -self.model.log_cost_slope(self.space.snap(units))
        return self(units), slope

    def softened(self) -> _Cheapness:
        return self
