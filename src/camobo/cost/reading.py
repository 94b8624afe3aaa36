"""A cost from what a user gives, in Python or in a document."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from camobo.cost.formula import AbsentFunction, Formula, stored_whole
from camobo.cost.order import Order
from camobo.cost.ordered import OrderCost
from camobo.cost.paper import PaperCost
from camobo.cost.prices import Prices
from camobo.cost.protocol import Cost
from camobo.cost.receipts import LearnedCost
from camobo.errors import InvalidOptionError, InvalidOrderError, shown
from camobo.hints import meant
from camobo.space.space import Space

Function: TypeAlias = Callable[[Mapping[str, Any]], float]
CostLike: TypeAlias = "str | Sequence[str] | Order | Cost | Callable[[dict[str, Any]], float] | None"
"""What a user may give as a cost: an order in any form, one of the costs, a function of the params, or None."""

KINDS: Mapping[str, type[Any]] = {
    "order": OrderCost,
    "prices": Prices,
    "formula": Formula,
    "function": AbsentFunction,
    "learned": LearnedCost,
    "paper": PaperCost,
}
"""The costs by their name in a document."""
_KEYS: Mapping[str, tuple[str, ...]] = {
    "order": ("order",),
    "prices": ("prices", "per_trial", "rest"),
    "formula": ("formula",),
    "function": ("name",),
    "learned": ("prior", "of"),
    "paper": ("order", "weights"),
}
_EXAMPLES = {
    "order": 'order = "nickel > chromium"',
    "prices": "prices = { nickel = 13.9 }",
    "formula": 'formula = "0.36*wc + 5"',
    "name": 'name = "price"',
    "prior": 'prior = "width > depth"',
}
_CALLS = {
    "OrderCost": 'OrderCost("nickel > chromium")',
    "Prices": 'Prices({"nickel": 13.9})',
    "Formula": 'Formula("0.36*wc + 5")',
    "LearnedCost": "LearnedCost()",
    "PaperCost": 'PaperCost("nickel > chromium")',
}


def as_cost(given: Any, *, paper: bool = False) -> Cost | None:
    """The cost that `given` stands for. A bare order is an OrderCost, or with `paper` a PaperCost."""
    if given is None:
        return None
    if isinstance(given, type):
        raise InvalidOptionError(
            f"cost: need a cost, got the class {given.__name__} itself. "
            f"Give it what it needs, for example cost={_CALLS.get(given.__name__, _CALLS['OrderCost'])}."
        )
    if isinstance(given, tuple(KINDS.values())):
        own: Any = given
        return _of_method(own, paper=paper)
    if isinstance(given, Mapping):
        raise InvalidOptionError(
            f"cost: need an order or a cost, got {shown(given)}. For prices use cost=Prices({{…}})."
        )
    if callable(given):
        return _of_method(Formula(given), paper=paper)
    if not isinstance(given, (str, Order, Sequence)):
        raise InvalidOrderError(f'cost: need an order such as "nickel > chromium", a cost or None, got {shown(given)}.')
    return PaperCost(given) if paper else OrderCost(given)


def check_cost(cost: Cost, space: Space) -> None:
    """Refuse a cost that does not fit a space, or a formula or function that gives no cost somewhere in it."""
    cost.over(space)
    if isinstance(cost, Formula):
        cost.try_out(space)


def known_at_once(cost: Cost) -> bool:
    """Whether the money of every point is known before the first receipt: by a whole price list or a formula."""
    return (isinstance(cost, Prices) and cost.rest is None) or (isinstance(cost, Formula) and stored_whole(cost))


def _of_method(cost: Cost, *, paper: bool) -> Cost:
    """The cost, if it goes with the study's method."""
    if isinstance(cost, PaperCost) and not paper:
        raise InvalidOptionError(
            'cost: PaperCost needs method="paper", got method="default". Give the order itself, or change the method.'
        )
    if paper and not isinstance(cost, PaperCost):
        raise InvalidOptionError(
            f'cost: method="paper" needs an order or a PaperCost, got {type(cost).__name__}, '
            'which goes with method="default". Give an order, or leave the method out.'
        )
    return cost


def read_cost(document: Any) -> Cost | str | list[str] | None:
    """The cost that plain data describes: an order, or a table with a type."""
    if document is None or isinstance(document, (str, list)):
        return document
    if not isinstance(document, Mapping):
        raise InvalidOptionError(f'need an order such as "nickel > chromium" or a table, got {shown(document)}.')
    kind = document.get("type", _implied(document))
    if not isinstance(kind, str) or kind not in KINDS:
        raise InvalidOptionError(
            f"type must be one of {', '.join(map(repr, KINDS))}, got {shown(kind)}.{meant(str(kind), KINDS)}"
        )
    options = {key: value for key, value in document.items() if key != "type"}
    for key in options:
        if key not in _KEYS[kind]:
            known = ("type", *_KEYS[kind])
            raise InvalidOptionError(f"unknown key {key!r}.{meant(str(key), known)} Known keys: {', '.join(known)}.")
    needed = _KEYS[kind][0]
    if kind != "learned" and needed not in options:
        raise InvalidOptionError(f"{needed} is missing. Example: {_EXAMPLES[needed]}.")
    make: Callable[..., Cost] = KINDS[kind]
    first = options.pop(needed, None)
    kinds: tuple[type, ...] = (str, list) if needed in ("order", "prior") else (str,)
    if needed != "prices" and first is not None and not isinstance(first, kinds):
        raise InvalidOptionError(f"{needed}: need text, got {shown(first)}. Example: {_EXAMPLES[needed]}.")
    return make(first, **options)


def _implied(document: Mapping[Any, Any]) -> str:
    """The type of a table that does not say it: `prices = …` can only be a price list."""
    return next((kind for kind in ("prices", "formula", "learned") if _KEYS[kind][0] in document), "order")
