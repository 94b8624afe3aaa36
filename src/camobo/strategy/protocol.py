"""What a strategy is: a pure function from a plan and the data so far to the next point."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Protocol

from camobo.acquisition.acquisition import Acquisition
from camobo.arrays import Array
from camobo.cost.protocol import CostModel
from camobo.model.models import Models
from camobo.strategy.notes import Note
from camobo.strategy.plan import Data, Plan

LOG_MOST = 700.0
"""Logarithm of an amount beyond all money: a point whose cost a function cannot tell has more."""


@dataclass(frozen=True, slots=True)
class Fitted:
    """Models fitted for a suggestion: of the outcomes, once there is enough data, and of the cost."""

    outcomes: Models | None = None
    cost: CostModel | None = None


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A point (d,) of the unit cube, why it was chosen, and the models to pass to the next call."""

    unit: Array
    notes: tuple[Note, ...]
    fitted: Fitted = field(default=Fitted(), repr=False)
    acquisition: Acquisition | None = field(default=None, repr=False)

    @property
    def expected(self) -> float | None:
        """What the point is expected to cost, if costs are in money and this one can be told."""
        model = self.fitted.cost
        return math.exp(self._log_cost) if model is not None and model.in_money and self.has_cost else None

    @property
    def has_cost(self) -> bool:
        """Whether the cost can be told, or there is no cost to tell."""
        return self._log_cost < LOG_MOST

    @property
    def _log_cost(self) -> float:
        model = self.fitted.cost
        return 0.0 if model is None else float(model.log_cost(self.unit[None, :])[0])


class Strategy(Protocol):
    """A method of choosing what to try next. Pure: no disk, no clock, no global random state."""

    def models(self, plan: Plan, data: Data, cached: Models | None) -> Models:
        """Models of all the data; a cache that matches the data saves the fits."""
        ...

    def suggest(self, plan: Plan, data: Data, number: int, earlier: Fitted) -> Suggestion:
        """The point to try as trial `number`; `earlier` comes from an earlier call and only saves time."""
        ...
