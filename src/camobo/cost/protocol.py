"""What the rest of camobo needs from a cost.

    Cost       what the user said about cost; one per study, frozen, stored with it
    CostModel  the expected money of evaluating a point of a space, c(x) > 0; learns from receipts
    Discount   what a cost takes off the logarithm of a point's promise, at one moment

Points come as (n, d) snapped points of the unit cube. A new kind of cost implements `Cost` and gets a case in
`reading`.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Protocol

from camobo.arrays import Array
from camobo.cost.order import Order
from camobo.space.space import Space


class Discount(Protocol):
    """What a cost adds to the logarithm of a point's promise; never more for the more expensive of two points."""

    def log(self, units: Array) -> Array:
        """(n,) logarithms of the share of the promise that is left."""
        ...

    def log_slope(self, units: Array) -> Array:
        """(n, d) gradient of `log`; 0 along inputs that are not continuous."""
        ...


class CostModel(Protocol):
    """The expected cost of evaluating points of one space."""

    @property
    def in_money(self) -> bool:
        """Whether costs are amounts of money; otherwise only their ratios mean something."""
        ...

    def fitted(self, units: Array, paid: Array, earlier: CostModel | None = None) -> CostModel:
        """The model after receipts: (r,) paid at (r, d) points. Itself, unless it learns from receipts.

        `earlier` is an earlier result for fewer receipts; it saves time and changes nothing, to the bit.
        """
        ...

    def log_cost(self, units: Array) -> Array:
        """(n,) log of the expected cost."""
        ...

    def log_cost_slope(self, units: Array) -> Array:
        """(n, d) gradient of `log_cost`; 0 along inputs that are not continuous."""
        ...


class Cost(Protocol):
    """What a user said about the cost of points."""

    @property
    def order(self) -> Order | None:
        """The order of inputs it states, to show it and to compare it with receipts; nothing decides by it."""
        ...

    def names(self) -> tuple[str, ...]:
        """The inputs it speaks of."""
        ...

    def over(self, space: Space) -> CostModel:
        """What it means over a space, or an error that shows what does not fit."""
        ...

    def among(self, names: Collection[str]) -> Cost | None:
        """What it says about spaces with only these inputs; None if that is nothing."""
        ...

    def document(self) -> Any:
        """Itself as plain data that JSON and TOML can hold; `reading.read_cost` reads it."""
        ...
