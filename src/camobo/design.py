"""Where a study begins, as long as nothing tells a model anything: points spread evenly, from the cheap side."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from camobo.cost import Discount
from camobo.inputs import Array
from camobo.maximize import maximise
from camobo.plan import Data, Plan
from camobo.scalarize import quasi_random
from camobo.space import Space, is_new


def begins(plan: Plan, data: Data) -> bool:
    """Whether a study is still at its initial design."""
    return len(data.units) + len(data.pending) < plan.initial or not _tells(plan, data.values)


def _tells(plan: Plan, values: Array) -> bool:
    """Whether (n, M + K) observations tell a model anything.

    A model of equal values knows nothing, and would repeat itself. Nor does one of a constraint that is violated by the
    same everywhere, as one of yes and no is until it holds once.
    """
    if len(values) == 0:
        return False
    size = np.abs(values).max(axis=0)
    varies = np.ptp(values / np.where(size > 0.0, size, 1.0), axis=0) > 1e-12
    hopeless = ~varies & (values[0] > 0.0)
    return bool(varies.any() and not hopeless[len(plan.objectives) :].any())


def first_point(plan: Plan, data: Data, number: int) -> tuple[Array, str]:
    """(d,) point `number` of an even sequence, from the cheap side of the inputs the cost names, and what it is.

    From the cheap half, and with more than two objectives or a small budget from more of it: what a start in a corner
    does not show of a large front is missed for long, and in thirty evaluations for good. Beyond the planned number of
    points, as long as nothing tells a model anything, it widens to the whole.
    """
    first = plan.moment(1, plan.budget)
    unit = even_point(plan, data, number, min(1.0, first.cheap_side * max(1.0, number / plan.initial)))
    if unit is not None:
        return unit, "initial design"
    space, rng = plan.space, plan.stream("initial spare", number)
    discount = None if plan.cost is None else plan.cost.at(first, space.names, rng)
    unit = maximise(_Cheapest(space, discount, rng), space, best=data.tried, taken=data.tried, rng=rng)
    how = "drawn at random" if discount is None else "the cheapest left"
    return unit, f"initial design, {how}: the space is small"


def even_point(plan: Plan, data: Data, place: int, share: float) -> Array | None:
    """(d,) that point of an even sequence over the cube, over a share of it along inputs the cost names.

    None if it has been tried. A place that failed gives way to the next.
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
    """A surface that prefers cheap points, and among equals a random one."""

    space: Space
    discount: Discount | None
    rng: np.random.Generator

    def __call__(self, units: Array) -> Array:
        among_equals = 1e-9 * self.rng.random(len(units))
        return among_equals if self.discount is None else among_equals + self.discount.log(self.space.expense(units))

    def with_gradient(self, units: Array) -> tuple[Array, Array]:
        return self(units), np.zeros_like(units)

    def softened(self) -> _Cheapest:
        return self
