"""The initial design: spread points, for equal money everywhere, until there is enough data for models."""

from __future__ import annotations

import numpy as np

from camobo.arrays import Array
from camobo.cost.protocol import Discount
from camobo.space.sampling import quasi_random
from camobo.space.space import is_new
from camobo.strategy.cheapest import cheapest_untried, within_means
from camobo.strategy.funds import Funds
from camobo.strategy.notes import Note, Reason
from camobo.strategy.plan import Data, Plan
from camobo.strategy.protocol import Fitted, Suggestion

_POOL = 1024  # points that those of the initial design are kept from


def in_initial_design(plan: Plan, data: Data) -> bool:
    """Whether a study is still in its initial design."""
    return len(data.units) + len(data.pending) < plan.initial or not _informative(plan, data.values)


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
    """The next point of the initial design: as dense as the discount says, so that equal volumes get equal money.

    If the data does not inform a model after twice the planned number of points, cost no longer decides.
    """
    discount = means.thrift(plan) if number < 2 * plan.initial else None
    unit, reason = next_spread(plan, data, discount), Reason.INITIAL_DESIGN
    if unit is None:
        unit = cheapest_untried(plan, data, number, means.model)
        reason = Reason.RANDOM_LEFT if means.model is None else Reason.CHEAPEST_LEFT
    return Suggestion(within_means(plan, data, number, means, unit), (Note(reason),), Fitted(cost=means.model))


def next_spread(plan: Plan, data: Data, discount: Discount | None) -> Array | None:
    """(d,) the first point of the design that is not tried yet, or None."""
    tried = data.tried
    return next((unit for unit in spread(plan, discount, len(tried) + 1) if is_new(unit, tried)), None)


def spread(plan: Plan, discount: Discount | None, count: int) -> Array:
    """(k, d) at least `count` points spread over the space, as dense as the discount says; evenly without one.

    A point of an even sequence is kept if its coordinate along one more dimension is below its density, so those kept
    are as even as the density allows. The densest point has density 1, or more if else too few were kept.
    """
    sequence = quasi_random(_POOL + count, plan.space.dimension + 1, plan.stream("initial design", 0))
    units = plan.space.snap(sequence[:, :-1])
    if discount is None:
        return units
    density = discount.log(units)
    excess = np.log(sequence[:, -1]) - density + density.max()
    return np.asarray(units[excess <= max(0.0, float(np.partition(excess, count - 1)[count - 1]))])
