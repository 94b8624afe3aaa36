"""The initial design: points spread over the space, denser where trials are cheap, until models have enough data."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from camobo.arrays import Array
from camobo.cost.sweep import cheapest_of, costs_at
from camobo.cost.thrift import Thrift
from camobo.space.space import Space, is_new
from camobo.strategy.cheapest import cheapest_untried, within_means
from camobo.strategy.funds import Funds
from camobo.strategy.notes import Note, Reason
from camobo.strategy.plan import FEWEST_INITIAL, Data, Plan
from camobo.strategy.protocol import Fitted, Suggestion

_POOL = 1024  # points that those of the initial design are kept from
_FIRST = 256  # of them that are drawn at first: with constraints, draws take long
_HALVINGS = 10  # at most: then all points lie within a thousandth of the cheapest one
_AT_ONCE = 16  # of them: a cost may be a function that is slow


def in_initial_design(plan: Plan, data: Data, points: int) -> bool:
    """Whether a study that has so many points is still in its initial design."""
    return points < plan.initial or not _informative(plan, data.values)


def rarely_tried(plan: Plan, tried: Array) -> NDArray[np.bool_]:
    """(d,) which inputs fewer of (n, d) points have than an initial design of their own would.

    One point says nothing about a branch of a space: if it is bad, so is all of the branch, to a model. The first
    points give each input its share; if they do not, as in a branch that is hardly ever met, the models go on.
    """
    least = min(FEWEST_INITIAL, plan.initial)
    few = len(tried) < least * plan.space.dimension
    return np.asarray(few & (plan.space.has(tried).sum(axis=0) < least))


def _informative(plan: Plan, values: Array) -> bool:
    """Whether a model can learn from (n, M + K) observations.

    Not if all values are equal: the model would suggest the same again and again. Nor if a constraint is violated by
    the same amount everywhere, as a yes-or-no constraint is until it holds once.
    """
    if len(values) == 0:
        return False
    size = np.abs(values).max(axis=0)
    varies = np.ptp(values / np.where(size > 0.0, size, 1.0), axis=0) > 1e-12
    hopeless = ~varies & (values[0] > 0.0)
    return bool(varies.any() and not hopeless[len(plan.objectives) :].any())


def initial_suggestion(plan: Plan, data: Data, number: int, means: Funds) -> Suggestion:
    """The next point of the initial design, as dense as the discount says: c^−γ.

    If twice the planned number of results inform no model, of cost only the budget decides.
    """
    discount, unpaid = means.thrift(plan), plan.initial - len(data.units) - len(data.pending)
    if discount is not None:
        thrift = discount.gamma if len(data.units) + len(data.failed) < 2 * plan.initial else 0.0
        discount = replace(discount, gamma=thrift, most=_most_of_one(plan.space, discount, max(1, unpaid)))
    unit, reason = next_of_design(plan, data.tried, discount), Reason.INITIAL_DESIGN
    if unit is None:
        unit = cheapest_untried(plan, data, number, means.model)
        reason = Reason.RANDOM_LEFT if means.model is None else Reason.CHEAPEST_LEFT
    return Suggestion(within_means(plan, data, number, means, unit), (Note(reason),), Fitted(cost=means.model))


def _most_of_one(space: Space, discount: Thrift, unpaid: int) -> float:
    """The most that one of the points to come may cost: its share of half of the money, or twice the cheapest point."""
    cheapest = float(costs_at(discount.model, cheapest_of(discount.model, space)[None, :])[0])
    return min(discount.most, max(discount.most / (2 * unpaid), 2.0 * cheapest, math.ulp(0.0)))  # above 0


def next_of_design(plan: Plan, tried: Array, discount: Thrift | None) -> Array | None:
    """(d,) the first point of an even sequence that is not tried and that its density keeps; None if all are tried.

    As long as inputs are rarely tried, only points that have one of them count.

    A point is kept if its coordinate along one more dimension is below its density, 1 at the cheapest point; so those
    kept are as even as the density allows. If none is kept, the one that misses least.
    """
    cheapest = None if discount is None else cheapest_of(discount.model, plan.space)
    kept, unit = False, None
    for length in (min(_FIRST, _POOL), _POOL + len(tried)):
        if not kept:
            sequence = plan.space.region.spread(length, plan.stream("initial design", 0), beside=1)
            kept, unit = _first_kept(plan, tried, sequence, discount, cheapest)
    return unit


def _first_kept(
    plan: Plan, tried: Array, sequence: Array, discount: Thrift | None, cheapest: Array | None
) -> tuple[bool, Array | None]:
    """Whether one of the points in a (n, d + 1) sequence is kept, and the first; else the one that misses least."""
    region, points, densest = plan.space.region, sequence[:, :-1], 0.0
    if discount is not None and cheapest is not None:
        densest = float(discount.log(cheapest[None, :])[0])
        points = cheapest + _payable(plan.space, discount, cheapest, points[:_AT_ONCE]) * (points - cheapest)
    least, missing, rare = np.inf, None, rarely_tried(plan, tried)
    for start in range(0, len(sequence), _AT_ONCE):
        units = region.settle(points[start : start + _AT_ONCE])
        density = np.zeros(len(units)) if discount is None else discount.log(units) - densest
        excess = np.log(np.maximum(sequence[start : start + _AT_ONCE, -1], 1e-12)) - density
        if rare.any():
            excess[~plan.space.has(units)[:, rare].any(axis=1)] = np.inf
        for unit, over in zip(units, excess.tolist(), strict=True):
            if over < max(least, 0.0) and is_new(unit, tried):
                if over <= 0.0:
                    return True, np.asarray(unit)
                least, missing = over, unit
    return False, missing


def _payable(space: Space, discount: Thrift, cheapest: Array, points: Array) -> float:
    """How much of the way from the cheapest point to the others is kept: halved until half of them can be paid."""
    for halvings in range(_HALVINGS):
        if discount.pays(space.region.settle(cheapest + 0.5**halvings * (points - cheapest))).mean() >= 0.5:
            return float(0.5**halvings)
    return float(0.5**_HALVINGS)
