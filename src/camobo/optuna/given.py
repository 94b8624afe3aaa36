"""What a user gives for a study that is not known yet: a cost, which ends are dear, numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from numbers import Real as Number
from typing import Any

import numpy as np

from camobo.cost import AdditiveCost, CostLike, PaperCost, as_cost
from camobo.errors import InvalidOptionError, InvalidValueError, shown
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
    """Dear ends by parameter; a category's choices are looked at when it is known."""
    if given is None:
        return {}
    if not isinstance(given, Mapping) or not all(isinstance(name, str) for name in given):
        raise InvalidOptionError(
            f'dear: need a mapping of parameters\' names, such as {{"rate": "low"}}, got {shown(given)}.'
        )
    for name, end in given.items():
        if isinstance(end, str) and end not in ("high", "low"):
            raise InvalidOptionError(
                f'dear: for {name!r} need "low" or "high", or of a category a list of its dear choices, dearest first; '
                f"got {end!r}."
            )
    return dict(given)


def finite_numbers(what: str, values: Any) -> tuple[float, ...]:
    """Numbers, none of them infinite."""
    found = numbers(what, values)
    if not all(map(math.isfinite, found)):
        raise InvalidValueError(f"{what}: need finite numbers, got {values!r}.")
    return found


def numbers(what: str, values: Any) -> tuple[float, ...]:
    """Numbers, infinity among them."""
    listed = values.ndim == 1 if isinstance(values, np.ndarray) else isinstance(values, Sequence)
    if not listed or isinstance(values, (str, bytes)):
        raise InvalidValueError(f"{what}: need a list of numbers, got {values!r}.")
    try:
        for value in values:
            if isinstance(value, bool) or not isinstance(value, Number) or math.isnan(value):
                raise InvalidValueError(f"{what}: need numbers, got {shown(value)}.")
        return tuple(float(value) for value in values)
    except OverflowError:
        raise InvalidValueError(f"{what}: need numbers that a float can hold, got {shown(values)}.") from None
