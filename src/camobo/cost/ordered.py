"""A cost of which only an order of inputs is known: "nickel > chromium"."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from camobo.arrays import Array
from camobo.cost.learned import learned
from camobo.cost.levels import Levels
from camobo.cost.order import Order
from camobo.cost.protocol import CostModel
from camobo.space.space import Space

PER_TRIAL = 0.1
"""Assumed cost of a trial with every input at its cheap end, as a share of what the expensive ends add."""


@dataclass(frozen=True, slots=True)
class OrderCost:
    """The expected cost is in proportion to 0.1 + v·u: levels u, weighted by the centre v of the order.

    Of all price vectors that agree with the order, v is the mean. The magnitude is unknown until receipts come; then
    the order is where learning starts.

    >>> OrderCost("nickel > chromium").names()
    ('nickel', 'chromium')
    """

    order: Order

    def __init__(self, order: str | Sequence[str] | Order) -> None:
        object.__setattr__(self, "order", Order.parse(order).weighable())

    def names(self) -> tuple[str, ...]:
        """The inputs of the order."""
        return self.order.names

    def over(self, space: Space) -> CostModel:
        """Its model over a space."""
        return LevelSum(Levels(space, self.order.columns(space.names)), self.order.centre(), PER_TRIAL)

    def among(self, names: Collection[str]) -> OrderCost | None:
        """What the order says about these inputs."""
        order = self.order.among(names)
        return None if order is None else OrderCost(order)

    def document(self) -> Any:
        """As plain data."""
        return self.order.spelled

    def __str__(self) -> str:
        return str(self.order)


@dataclass(frozen=True, slots=True)
class LevelSum:
    """c(u) = base + Σ_j weight_j level_j(u)."""

    levels: Levels
    weights: Array
    base: float
    in_money: bool = False

    def fitted(self, units: Array, paid: Array, earlier: CostModel | None = None) -> CostModel:
        """Learned from receipts, starting from this sum."""
        return learned(self, self.levels.space, units, paid, earlier)

    def log_cost(self, units: Array) -> Array:
        """(n,) log of the sum."""
        return np.asarray(np.log(self.base + self.levels.of(units) @ self.weights))

    def log_cost_slope(self, units: Array) -> Array:
        """(n, d) gradient of `log_cost`."""
        slope = np.zeros(units.shape)
        slope[:, self.levels.columns] = self.levels.slopes(units) * self.weights
        return slope * np.exp(-self.log_cost(units))[:, None]
