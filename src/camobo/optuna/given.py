"""What a user gives for parameters that are not known yet: a cost, and which ends are dear."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from camobo.cost import AdditiveCost, CostLike, PaperCost, as_cost
from camobo.errors import InvalidOptionError, shown
from camobo.order import Order


def read_cost(given: CostLike, *, paper: bool = False) -> PaperCost | AdditiveCost | None:
    """A cost model; which parameters there are is not known yet, so every name is taken."""
    if isinstance(given, (str, list, tuple)):
        given = Order.parse(given)
    names: Sequence[str] = ()
    if isinstance(given, (PaperCost, AdditiveCost)):
        names = given.order.names
    elif isinstance(given, Order):
        names = given.names
    return as_cost(given, names, paper=paper)


def cost_among(cost: PaperCost | AdditiveCost | None, names: Sequence[str]) -> PaperCost | AdditiveCost | None:
    """What the cost says about these parameters; None if nothing."""
    order = None if cost is None else cost.order.among(names)
    return None if cost is None or order is None else replace(cost, order=order)


def read_dear(given: Any) -> dict[str, Any]:
    """Dear ends by parameter; the ends are looked at when the parameters are known."""
    if given is None:
        return {}
    if not isinstance(given, Mapping) or not all(isinstance(name, str) for name in given):
        raise InvalidOptionError(
            f'dear: need a mapping of parameters\' names, such as {{"rate": "low"}}, got {shown(given)}.'
        )
    return dict(given)
