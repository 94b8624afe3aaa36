"""What the strategy and the acquisition need from a cost model.

A cost C(x, t) lies in [0, 1): the share of a point's promise that its cost takes away at step t. The acquisition
multiplies the promise by 1 − C, so it needs only log(1 − C) and its gradient. The two protocols are the two stages:

    Cost        what the user said about cost; one per study, frozen
    Discount    log(1 − C) at one moment; the cost model makes one per suggestion

A `Moment` holds the step t and the budget, because a cost fades as the budget is spent. Points come as (n, d) *levels*:
0 at an input's cheap end, 1 at its expensive end (`Space.expense`). Inputs the cost does not name have no effect.

A new cost model implements `Cost`, and gets a case in `as_cost` and in a study's document form.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

import numpy as np

from camobo.arrays import Array
from camobo.cost.moment import Moment
from camobo.cost.order import Order


class Discount(Protocol):
    """log(1 − C) at one moment, over (n, d) levels."""

    def log(self, levels: Array) -> Array:
        """(n,) log(1 − C)."""
        ...

    def log_slope(self, levels: Array) -> Array:
        """(n, d) gradient of `log` with respect to the levels."""
        ...


@runtime_checkable
class Cost(Protocol):
    """A cost model: what the user said about the cost of points."""

    @property
    def order(self) -> Order:
        """Which of the inputs it names are more expensive than which."""
        ...

    def at(self, moment: Moment, names: Sequence[str], rng: np.random.Generator) -> Discount:
        """The discount at a moment, over the inputs called `names`; `rng` draws what the order leaves open."""
        ...

    def exploration_bonus(self, moment: Moment) -> float:
        """The worth of an unknown outcome at low cost, as a share of what the front reaches."""
        ...
