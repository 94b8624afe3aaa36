"""The initial design: evenly spread points, from the cheap side, until there is enough data for models."""

from __future__ import annotations

import numpy as np

from camobo.arrays import Array
from camobo.cost.protocol import CostModel
from camobo.space.sampling import quasi_random
from camobo.space.space import is_new
from camobo.strategy.cheapest import cheapest_untried, within_means
from camobo.strategy.funds import Funds
from camobo.strategy.notes import Note, Reason
from camobo.strategy.plan import Data, Plan
from camobo.strategy.protocol import Fitted, Suggestion

CHEAPEST_OF = 2
"""How many points of the even sequence each point of the initial design is the cheapest of, if there is a cost."""


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
    """Point `number` of the initial design: the cheapest of a few points of an even sequence over the space.

    If the data does not inform a model after twice the planned number of points, cost no longer decides.
    """
    few = 1 if means.model is None else CHEAPEST_OF
    deciding = means.model if number < 2 * plan.initial else None
    unit, reason = even_point(plan, data, number, few, deciding), Reason.INITIAL_DESIGN
    if unit is None:
        unit = cheapest_untried(plan, data, number, means.model)
        reason = Reason.RANDOM_LEFT if means.model is None else Reason.CHEAPEST_LEFT
    return Suggestion(within_means(plan, data, number, means, unit), (Note(reason),), Fitted(cost=means.model))


def even_point(plan: Plan, data: Data, place: int, few: int, model: CostModel | None) -> Array | None:
    """(d,) the cheapest untried one of `few` points of an even sequence over the cube, or None.

    The sequence is cut into runs of `few` points; the run is number `place`, or for each failed point one later.
    """
    space = plan.space
    runs = place + 1 + len(data.failed)
    sequence = space.snap(quasi_random(runs * few, space.dimension, plan.stream("initial design", 0)))
    tried = data.tried
    for run in range(place, runs):
        fresh = [unit for unit in sequence[run * few : (run + 1) * few] if is_new(unit, tried)]
        if fresh:
            best = 0 if model is None else int(np.argmin(model.log_cost(np.array(fresh))))
            return np.asarray(fresh[best])
    return None
