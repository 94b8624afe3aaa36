"""One evaluation: what was tried, what came of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from camobo.space import Param


class State(str, Enum):
    """Where a trial stands."""

    PENDING = "pending"
    COMPLETE = "complete"
    FAILED = "failed"

    def __str__(self) -> str:
        return self.value


@dataclass(frozen=True, slots=True)
class Trial:
    """A frozen record; a study replaces it when results come in.

    `asked` and `told` number the study's events, `step` and `budget` say where it stood in the plan: together they tell
    again what was known when the trial was suggested.
    """

    number: int
    params: Mapping[str, Param]
    state: State = State.PENDING
    values: Mapping[str, float] | None = None
    reason: str | None = None
    """Why it failed."""
    notes: tuple[str, ...] = field(default=())
    """How it was chosen, and any numerical rescue that took."""
    added: bool = False
    """Whether it was brought in with `add` rather than suggested."""
    asked: int = 0
    told: int | None = None
    step: int = 0
    budget: int | None = None

    def __str__(self) -> str:
        shown = ", ".join(
            f"{name}={value:.6g}" if isinstance(value, float) else f"{name}={value}"
            for name, value in self.params.items()
        )
        if self.values is not None:
            return f"trial {self.number}: {shown} -> " + ", ".join(f"{k}={v:.6g}" for k, v in self.values.items())
        return f"trial {self.number}: {shown} ({self.state}{': ' + self.reason if self.reason else ''})"
