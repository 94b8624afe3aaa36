"""A cost that is learned from receipts, with or without an order to start from."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from camobo.cost.learned import Constant
from camobo.cost.order import Order
from camobo.cost.ordered import OrderCost
from camobo.cost.protocol import Cost, CostModel
from camobo.errors import InvalidOptionError, shown
from camobo.space.space import Space


@dataclass(frozen=True, slots=True)
class LearnedCost:
    """Learned from what each trial turned out to cost: `tell(trial, values, cost=41.5)`.

    prior: which inputs are probably more expensive than which, "width > depth"; None: nothing is known yet.
    of: "seconds" takes the measured duration of an evaluation as its cost where the evaluation gives none.

    >>> LearnedCost("width > depth", of="seconds").names()
    ('width', 'depth')
    """

    prior: Order | None = None
    of: Literal["seconds"] | None = None

    def __init__(
        self, prior: str | Sequence[str] | Order | None = None, *, of: Literal["seconds"] | None = None
    ) -> None:
        if of is not None and (not isinstance(of, str) or of != "seconds"):
            raise InvalidOptionError(f'LearnedCost: of must be "seconds" or None, got {shown(of)}.')
        object.__setattr__(self, "prior", None if prior is None else Order.parse(prior).weighable())
        object.__setattr__(self, "of", of)

    @property
    def order(self) -> Order | None:
        """The one learning starts from."""
        return self.prior

    def names(self) -> tuple[str, ...]:
        """The inputs of the prior order."""
        return () if self.prior is None else self.prior.names

    def over(self, space: Space) -> CostModel:
        """Its model over a space, before any receipt."""
        return Constant(space) if self.prior is None else OrderCost(self.prior).over(space)

    def among(self, names: Collection[str]) -> LearnedCost:
        """The same, starting from what the prior says about these inputs."""
        return LearnedCost(None if self.prior is None else self.prior.among(names), of=self.of)

    def document(self) -> Any:
        """As plain data."""
        written: dict[str, Any] = {"type": "learned"}
        if self.prior is not None:
            written["prior"] = self.prior.spelled
        return written if self.of is None else written | {"of": self.of}

    def __str__(self) -> str:
        start = "" if self.prior is None else f", starting from {self.prior}"
        return f"learned from {'durations' if self.of else 'receipts'}{start}"


def wants_durations(cost: Cost | None) -> bool:
    """Whether the seconds an evaluation takes are its cost where nothing else is told."""
    return isinstance(cost, LearnedCost) and cost.of == "seconds"
