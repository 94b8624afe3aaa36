"""Whether cost and budget fit each other and the space: all that is named can cost, and the budget pays for a trial."""

from __future__ import annotations

import math

import numpy as np

from camobo.arrays import Array
from camobo.cost.budget import Budget
from camobo.cost.protocol import CostModel
from camobo.cost.reading import known_at_once
from camobo.cost.receipts import wants_durations
from camobo.cost.sweep import cheapest_of
from camobo.cost.thrift import ROUNDING
from camobo.errors import InvalidOptionError
from camobo.space.inputs import Categorical
from camobo.space.space import written_params
from camobo.strategy.plan import Data, Plan

_SECONDS = ("", "s", "sec", "second", "seconds")


def check_terms(plan: Plan) -> None:
    """Refuse a cost and a budget that cannot mean what they say, of a study that begins."""
    _refuse_unranked(plan)
    check_budget(plan)


def _refuse_unranked(plan: Plan) -> None:
    """Refuse an order that names choices of which none is said to be expensive: it would be silently ignored."""
    order = None if plan.cost is None else plan.cost.order
    for name in () if order is None else order.names:
        given = plan.space.inputs[name]
        if isinstance(given, Categorical) and not given.expensive:
            raise InvalidOptionError(
                f"cost: {name!r} is in the order {order}, but none of its choices is said to be expensive. "
                f"List those that are, most expensive first: Categorical({list(given.choices)!r}, expensive=[…])."
            )


def check_budget(plan: Plan) -> None:
    """Refuse a budget in money that does not pay for the cheapest trial, and one in euros for a cost in seconds.

    Of a price list the cheapest trial is found exactly, of a formula by the search that a suggestion uses. That takes
    long to load, so it decides only where the budget does not pay for what a sweep along the inputs finds.
    """
    cost, budget = plan.cost, plan.budget
    if budget is not None and budget.cost is not None and wants_durations(cost):
        _refuse_other_than_seconds(budget)
    if budget is None or budget.cost is None or cost is None or not known_at_once(cost):
        return
    model, most = cost.over(plan.space), math.log(budget.cost) + ROUNDING
    unit = cheapest_of(model, plan.space)
    if _log_cost(model, unit) > most:
        unit = min(unit, _searched(plan, model), key=lambda one: _log_cost(model, one))
    if _log_cost(model, unit) > most:
        least = f"{math.exp(_log_cost(model, unit)):.6g} {budget.unit}".rstrip()
        raise InvalidOptionError(
            f"budget: need at least {least}, which the cheapest trial costs "
            f"({written_params(plan.space.from_unit(unit))}), got {budget}. Raise the budget, or correct the cost."
        )


def _refuse_other_than_seconds(budget: Budget) -> None:
    if budget.unit.strip().casefold() not in _SECONDS:
        raise InvalidOptionError(
            f"budget: need an amount in seconds, as the cost is learned from durations, got {budget}. "
            'Give seconds, such as Budget(cost=7200, unit="s"), or learn from amounts that are told: LearnedCost().'
        )


def _log_cost(model: CostModel, unit: Array) -> float:
    return float(model.log_cost(unit[None, :])[0])


def _searched(plan: Plan, model: CostModel) -> Array:
    """(d,) the cheapest point that the search of a suggestion finds before anything was tried."""
    from camobo.strategy.cheapest import cheapest_untried  # late: SciPy takes longer to load than all else here

    none = np.zeros((0, plan.space.dimension))
    nothing = Data(none, np.zeros((0, len(plan.objectives))), none, none, 1)
    return cheapest_untried(plan, nothing, 0, model)
