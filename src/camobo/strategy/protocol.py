"""What a strategy is: a pure function from a plan and the data so far to the next point."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from camobo.acquisition.acquisition import Acquisition
from camobo.arrays import Array
from camobo.model.models import Models
from camobo.strategy.notes import Note
from camobo.strategy.plan import Data, Plan


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A point (d,) of the unit cube, why it was chosen, and the models to pass to the next call."""

    unit: Array
    notes: tuple[Note, ...]
    models: Models | None = None
    acquisition: Acquisition | None = field(default=None, repr=False)


class Strategy(Protocol):
    """A method of choosing what to try next. Pure: no disk, no clock, no global random state."""

    def models(self, plan: Plan, data: Data, cached: Models | None) -> Models:
        """Models of all the data; a cache that matches the data saves the fits."""
        ...

    def suggest(self, plan: Plan, data: Data, number: int, models: Models | None) -> Suggestion:
        """The point to try as trial `number`; `models` come from an earlier call and only save time."""
        ...
