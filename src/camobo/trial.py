"""One evaluation: what was tried, what came of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from datetime import datetime
from enum import Enum
from types import MappingProxyType
from typing import Any

from camobo.inputs import Param


class State(str, Enum):
    """Where a trial stands."""

    PENDING = "pending"
    RELEASED = "released"
    """Handed back: the next `ask` gives it to somebody."""
    COMPLETE = "complete"
    FAILED = "failed"

    @property
    def open(self) -> bool:
        """Whether results can still be told."""
        return self in (State.PENDING, State.RELEASED)

    def __str__(self) -> str:
        return self.value


@dataclass(frozen=True, slots=True)
class Trial:
    """A frozen record; a study replaces it when results come in.

    `asked`, `held` and `told` number the study's events: when it was suggested, last handed out, and settled. `step`
    and `budget` say where it stood in the plan. Together they tell again what was known when it was suggested.
    """

    number: int
    params: Mapping[str, Param]
    state: State = State.PENDING
    values: Mapping[str, float] | None = None
    """What was measured; of a trial that is still open, what has come in so far."""
    reason: str | None = None
    """Why it failed, or why it was amended last."""
    notes: tuple[str, ...] = field(default=())
    """How it was chosen, and any numerical rescue that took."""
    added: bool = False
    """Whether it was brought in with `add` rather than suggested."""
    asked: int = 0
    told: int | None = None
    step: int = 0
    budget: int | None = None
    cost: float | None = None
    """What it cost, if that was told."""
    note: str | None = None
    """What whoever told it wished to remember."""
    owner: str | None = None
    """Who holds it."""
    expires: datetime | None = None
    """When its lease ends; None: it may take as long as it takes."""
    held: int = 0
    amended: bool = False
    """Whether its values were corrected."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "params", MappingProxyType(dict(self.params)))
        if self.values is not None:
            object.__setattr__(self, "values", MappingProxyType(dict(self.values)))

    def __reduce__(self) -> tuple[Any, ...]:
        """Plain dicts on the way to another process: a read-only view cannot travel."""
        plain = {f.name: getattr(self, f.name) for f in fields(self)}
        return _restored, ({name: dict(v) if isinstance(v, MappingProxyType) else v for name, v in plain.items()},)

    def __str__(self) -> str:
        text = f"trial {self.number}: " + ", ".join(
            f"{name}={value:.6g}" if isinstance(value, float) else f"{name}={value}"
            for name, value in self.params.items()
        )
        if self.values:
            text += " -> " + ", ".join(f"{k}={v:.6g}" for k, v in self.values.items())
        if self.state is State.COMPLETE:
            return text
        return text + f" ({self.state}{': ' + self.reason if self.reason else ''})"


def _restored(plain: dict[str, Any]) -> Trial:
    return Trial(**plain)
