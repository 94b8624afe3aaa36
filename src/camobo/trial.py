"""One evaluation: what was tried, what came of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from enum import Enum
from types import MappingProxyType
from typing import Any

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

    def __post_init__(self) -> None:
        object.__setattr__(self, "params", MappingProxyType(dict(self.params)))
        if self.values is not None:
            object.__setattr__(self, "values", MappingProxyType(dict(self.values)))

    def __reduce__(self) -> tuple[Any, ...]:
        """Plain dicts on the way to another process: a read-only view cannot travel."""
        plain = {f.name: getattr(self, f.name) for f in fields(self)}
        return _restored, ({name: dict(v) if isinstance(v, MappingProxyType) else v for name, v in plain.items()},)

    def __str__(self) -> str:
        shown = ", ".join(
            f"{name}={value:.6g}" if isinstance(value, float) else f"{name}={value}"
            for name, value in self.params.items()
        )
        if self.values is not None:
            return f"trial {self.number}: {shown} -> " + ", ".join(f"{k}={v:.6g}" for k, v in self.values.items())
        return f"trial {self.number}: {shown} ({self.state}{': ' + self.reason if self.reason else ''})"


def _restored(plain: dict[str, Any]) -> Trial:
    return Trial(**plain)
