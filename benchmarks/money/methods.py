"""The methods: what each tells a study about cost."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from money.case import Case

BLIND = "blind"
"""The same study without cost: what all others are compared with."""


@dataclass(frozen=True, slots=True)
class Method:
    """One way to tell a study about cost.

    Attributes:
        name: as in `--methods`.
        keywords: a case and the name of a price function to keywords of `Study`, besides seed and budget.
        tells_receipts: whether every result is told with what it cost.
        depends_on_prices: whether its suggestions depend on the hidden prices, so that each of them takes a run.
    """

    name: str
    keywords: Callable[[Case, str], Mapping[str, Any]]
    tells_receipts: bool = False
    depends_on_prices: bool = False

    def __post_init__(self) -> None:
        if self.tells_receipts and not self.depends_on_prices:
            raise ValueError(f"method {self.name!r}: receipts are the hidden prices: it needs depends_on_prices=True.")


METHODS: dict[str, Method] = {
    method.name: method
    for method in (
        Method(BLIND, lambda case, price: {"cost": None}),
        Method("order", lambda case, price: {"cost": case.order}),
        Method("order + receipts", lambda case, price: {"cost": case.order}, True, True),
    )
}


def chosen(names: str) -> list[Method]:
    """The methods of a list such as "blind,order"."""
    for name in names.split(","):
        if name not in METHODS:
            raise SystemExit(f"unknown method {name}: need one of {', '.join(METHODS)}")
    return [METHODS[name] for name in names.split(",")]
