"""The methods: what each tells a study about cost, and one rival that cannot be told."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import camobo as cm
from money.case import Case, PerLevel

BLIND = "blind"
"""The same study without cost: what all others are compared with."""


GPSAMPLER = "Optuna GPSampler"
WITHOUT_COST = (BLIND, GPSAMPLER)
"""The methods whose runs end with their number of trials, whatever those cost."""


class Session(Protocol):
    """What is asked and told: a study, or a rival's."""

    def ask(self) -> Any: ...
    def tell(self, trial: Any, values: Any, *, cost: float | None = None) -> Any: ...


def camobo_study(case: Case, **keywords: Any) -> Session:
    """A study of camobo's."""
    return cm.Study(case.space, case.objectives, **keywords)


def gpsampler_study(case: Case, *, budget: int, seed: int) -> Session:
    """One of Optuna's with its sampler of Gaussian processes."""
    from money.gpsampler import InOptuna

    return InOptuna(case, seed)


@dataclass(frozen=True, slots=True)
class Method:
    """One way to tell a study about cost.

    Attributes:
        name: as in `--methods`.
        keywords: a case and the name of a price function to keywords of `Study`, besides seed and budget.
        tells_receipts: whether every result is told with what it cost.
        depends_on_prices: whether its suggestions depend on the hidden prices, so that each of them takes a run.
        begin: makes the study from a case, budget, seed and the keywords.
    """

    name: str
    keywords: Callable[[Case, str], Mapping[str, Any]]
    tells_receipts: bool = False
    depends_on_prices: bool = False
    begin: Callable[..., Session] = camobo_study

    def __post_init__(self) -> None:
        if self.tells_receipts and not self.depends_on_prices:
            raise ValueError(f"method {self.name!r}: receipts are the hidden prices: it needs depends_on_prices=True.")


def true_prices(case: Case, price: str) -> cm.Formula:
    """The hidden prices as a formula."""
    hidden = case.prices[price]
    if not isinstance(hidden, PerLevel):
        raise SystemExit(f"{case.name}: its prices are measured; no formula says them")
    return cm.Formula(hidden.formula(case.space))


METHODS: dict[str, Method] = {
    method.name: method
    for method in (
        Method(BLIND, lambda case, price: {"cost": None}),
        Method("order", lambda case, price: {"cost": case.order}),
        Method("true prices", lambda case, price: {"cost": true_prices(case, price)}, depends_on_prices=True),
        Method("order + receipts", lambda case, price: {"cost": case.order}, True, True),
        Method(GPSAMPLER, lambda case, price: {}, begin=gpsampler_study),
    )
}


def chosen(names: str) -> list[Method]:
    """The methods of a list such as "blind,order"."""
    for name in names.split(","):
        if name not in METHODS:
            raise SystemExit(f"unknown method {name}: need one of {', '.join(METHODS)}")
    return [METHODS[name] for name in names.split(",")]
