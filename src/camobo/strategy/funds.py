"""What points cost, and what is left to spend."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from camobo.arrays import Array
from camobo.cost.budget import share_left
from camobo.cost.protocol import CostModel
from camobo.cost.thrift import ROUNDING, Thrift
from camobo.strategy.plan import Data, Plan, Receipts
from camobo.strategy.protocol import LOG_MOST

COOLING = 10.0
"""γ falls in proportion to the share of the budget left, once less than 1 / COOLING of it is left."""

_NOTHING = math.ulp(0.0)  # of money: the least there is, for a budget that is spent, so that it has a logarithm


@dataclass(frozen=True, slots=True)
class Funds:
    """The cost model after all receipts, and what is left of the budget.

    spent: money paid, and reserved for trials without a receipt; 0 as long as costs are not in money.
    left: the share of the budget left.
    most: the money left; infinite without a budget in money, and until it is spent as long as costs are not in money.
    """

    model: CostModel | None
    spent: float
    left: float
    most: float = math.inf

    def thrift(self, plan: Plan) -> Thrift | None:
        """The discount at this moment; None without a cost."""
        most = max(self.most, _NOTHING)
        return None if self.model is None else Thrift(self.model, gamma(plan.thrift, self.left), most)

    def affords(self, unit: Array) -> bool:
        """Whether what is left pays for a (d,) point, up to rounding."""
        if self.model is None or math.isinf(self.most):
            return math.isinf(self.most)
        if self.most == 0.0:
            return False
        return float(self.model.log_cost(unit[None, :])[0]) <= math.log(self.most) + ROUNDING


def gamma(thrift: float, left: float) -> float:
    """γ_t: how much cost counts when a share of the budget is left."""
    return thrift * min(1.0, COOLING * left)


def funds(plan: Plan, data: Data, earlier: CostModel | None) -> Funds:
    """What points cost after the receipts in the data, and what is left; `earlier` only saves time."""
    model = None if plan.cost is None else plan.cost.over(plan.space)
    receipts = data.receipts
    if model is not None and receipts is not None and len(receipts.paid):
        model = model.fitted(receipts.units, receipts.paid, earlier)
    spent = 0.0 if receipts is None else spending(model, receipts)
    left = share_left(plan.budget, data.step - 1, spent)
    return Funds(model, spent, left, money_left(plan, model, spent))


def money_left(plan: Plan, model: CostModel | None, spent: float) -> float:
    """What is left of a budget in money, at least 0; infinite without one.

    As long as costs are not in money, nothing is known to be unaffordable, until it is spent.
    """
    limit = None if plan.budget is None else plan.budget.cost
    blind = model is None or not model.in_money
    return math.inf if limit is None or (blind and spent < limit) else max(limit - spent, 0.0)


def spending(model: CostModel | None, receipts: Receipts) -> float:
    """Money paid, and what the model expects for the trials without a receipt."""
    if model is None or not model.in_money or len(receipts.unpaid) == 0:
        return receipts.spent
    with np.errstate(over="ignore"):  # of costs near the largest float
        return receipts.spent + float(np.exp(np.minimum(model.log_cost(receipts.unpaid), LOG_MOST)).sum())
