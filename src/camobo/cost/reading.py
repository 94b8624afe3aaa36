"""A cost model from what a user gives."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from camobo.cost.additive import AdditiveCost
from camobo.cost.order import Order
from camobo.cost.paper import PaperCost
from camobo.errors import InvalidOptionError, InvalidOrderError, shown

CostLike: TypeAlias = str | Sequence[str] | Order | PaperCost | AdditiveCost | None
"""What a user may give as a cost: an order in any form, a cost model, or None for no cost."""


def as_cost(given: Any, names: Sequence[str], *, paper: bool = False) -> PaperCost | AdditiveCost | None:
    """The cost model that `given` stands for, checked against the inputs' names.

    A bare order becomes an AdditiveCost, or with `paper` a PaperCost.
    """
    if given is None:
        return None
    if isinstance(given, (PaperCost, AdditiveCost)):
        given.order.columns(names)
        return given
    if isinstance(given, type) and given in (PaperCost, AdditiveCost):
        raise InvalidOptionError(
            f"cost: need a cost model, got the class {given.__name__} itself. "
            f'Give it an order, for example cost={given.__name__}("nickel > chromium").'
        )
    if isinstance(given, (Mapping, Callable)):  # type: ignore[arg-type]
        raise InvalidOptionError(
            f"cost: prices and cost functions are not supported yet, got {shown(given)}. "
            'Say which inputs are more expensive, for example cost="nickel > chromium".'
        )
    if not isinstance(given, (str, Order, Sequence)):
        raise InvalidOrderError(
            f'cost: need an order such as "nickel > chromium", a cost model or None, got {shown(given)}.'
        )
    cost = PaperCost(given) if paper else AdditiveCost(given)
    cost.order.columns(names)
    return cost
