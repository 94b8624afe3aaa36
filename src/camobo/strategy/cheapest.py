"""The cheapest point left, and whether the money left pays for it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from camobo.acquisition.maximise import maximise
from camobo.arrays import Array
from camobo.cost.protocol import CostModel
from camobo.cost.sweep import cheapest_of
from camobo.errors import Advice, BudgetSpent, InvalidOptionError
from camobo.space.space import Space, written_params
from camobo.strategy.funds import Funds
from camobo.strategy.plan import Data, Plan
from camobo.strategy.protocol import LOG_MOST


def cheapest_untried(
    plan: Plan, data: Data, number: int, model: CostModel | None, fixed: Mapping[str, float] | None = None
) -> Array:
    """(d,) the cheapest untried point that a search finds; without a cost, a random one.

    fixed: unit-cube coordinates, by name, of inputs whose value is given; if that is all of them, it is their point.
    """
    if fixed and len(fixed) == plan.space.dimension:
        return np.array([fixed[name] for name in plan.space.names])
    rng = plan.stream("cheapest", number)
    surface = _Cheapness(plan.space, model, rng)
    start = plan.space.cheapest() if model is None or not plan.space.constraints else cheapest_of(model, plan.space)
    return maximise(surface, plan.space, best=start[None, :], taken=data.tried, rng=rng, fixed=fixed)


def within_means(
    plan: Plan, data: Data, number: int, means: Funds, unit: Array, fixed: Mapping[str, float] | None = None
) -> Array:
    """(d,) a suggested point, or the cheapest one left if the money left does not pay for it; else BudgetSpent.

    fixed: as in `cheapest_untried`.
    """
    if means.affords(unit):
        return unit
    unit = cheapest_untried(plan, data, number, means.model, fixed)
    if means.affords(unit):
        return unit
    if means.model is not None and float(means.model.log_cost(unit[None, :])[0]) >= LOG_MOST:
        place = written_params(plan.space.from_unit(unit))
        raise InvalidOptionError(
            f"cost: need an amount to spend a budget in money by, but it gives none for {place}, nor for any other "
            "point that was looked at. Check the cost function, or change the cost."
        )
    raise BudgetSpent(_why_nothing(plan, means, unit, fixed or {}), advice=None if fixed else Advice.SPEND_MORE)


def _why_nothing(plan: Plan, means: Funds, unit: Array, fixed: Mapping[str, float]) -> str:
    """What the cheapest point costs, what is left, and what to do."""
    left, cheapest = _money(plan, means.most), ""
    params = plan.space.from_unit(unit)
    if means.model is not None:
        price = math.exp(min(float(means.model.log_cost(unit[None, :])[0]), LOG_MOST))
        at = f" ({written_params(params)})" if fixed else ""
        cheapest = f"the cheapest trial left costs about {_money(plan, price)}{at}, and "
    if not fixed:
        return f"{cheapest}{left} of the budget are left."
    given = written_params({name: params[name] for name in fixed if name in params})
    return f"with {given} fixed, {cheapest}{left} of the budget are left. Fix other values, or raise the budget."


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
