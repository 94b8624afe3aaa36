"""The initial design: evenly spread points, from the cheap side, until there is enough data for models."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from camobo.acquisition.maximise import maximise
from camobo.arrays import Array
from camobo.cost.protocol import Discount
from camobo.space.sampling import quasi_random
from camobo.space.space import Space, is_new
from camobo.strategy.notes import Note, Reason
from camobo.strategy.plan import Data, Plan
from camobo.strategy.protocol import Suggestion


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


def initial_suggestion(plan: Plan, data: Data, number: int) -> Suggestion:
    """Point `number` of an even sequence over the cheap side of the inputs that the cost names.

    The cheap side is the cheap half, or more of the range with more than two objectives or a small budget: a large
    front extends beyond the corner, and a study that starts there finds the rest late or, in thirty trials, never. If
    the data does not inform a model after the planned number of points, the design widens to the whole range.
    """
    first = plan.moment(1, plan.budget)
    unit = even_point(plan, data, number, min(1.0, first.cheap_side * max(1.0, number / plan.initial)))
    if unit is not None:
        return Suggestion(unit, (Note(Reason.INITIAL_DESIGN),))
    space, rng = plan.space, plan.stream("initial spare", number)
    discount = None if plan.cost is None else plan.cost.at(first, space.names, rng)
    unit = maximise(_Cheapest(space, discount, rng), space, best=data.tried, taken=data.tried, rng=rng)
    return Suggestion(unit, (Note(Reason.RANDOM_LEFT if discount is None else Reason.CHEAPEST_LEFT),))


def even_point(plan: Plan, data: Data, place: int, share: float) -> Array | None:
    """(d,) the first untried point from `place` on in an even sequence over the cube, or None.

    It tries `place` and, for each failed point, one place more.

    share: inputs that the cost names are spread over this share of their range, from the cheap end.
    """
    space = plan.space
    levels = quasi_random(place + 1 + len(data.failed), space.dimension, plan.stream("initial design", 0))
    if plan.cost is not None:
        levels[:, plan.cost.order.columns(space.names)] *= share
    tried = data.tried
    fresh = (unit for unit in space.at_expense(levels[place:]) if is_new(unit, tried))
    return next(fresh, None)


@dataclass(frozen=True, slots=True)
class _Cheapest:
    """A surface that prefers cheap points and breaks ties at random."""

    space: Space
    discount: Discount | None
    rng: np.random.Generator

    def __call__(self, units: Array) -> Array:
        tie_break = 1e-9 * self.rng.random(len(units))
        return tie_break if self.discount is None else tie_break + self.discount.log(self.space.expense(units))

    def with_gradient(self, units: Array) -> tuple[Array, Array]:
        return self(units), np.zeros_like(units)

    def softened(self) -> _Cheapest:
        return self
