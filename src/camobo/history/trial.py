"""A trial: one point of the space, and what is known of its evaluation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum
from typing import Any

from camobo.space.inputs import Param
from camobo.space.read_only import ReadOnly
from camobo.space.space import written_params
from camobo.strategy.notes import Note


class State(str, Enum):
    """The state of a trial."""

    PENDING = "pending"
    RELEASED = "released"
    """Handed back by its holder: the next `ask` hands it out again."""
    COMPLETE = "complete"
    FAILED = "failed"

    @property
    def open(self) -> bool:
        """Whether results can still be recorded."""
        return self in (State.PENDING, State.RELEASED)

    def __str__(self) -> str:
        return self.value


@dataclass(frozen=True, slots=True)
class Trial:
    """One trial as it is now; a study replaces it when something changes.

    `asked`, `held` and `told` are event numbers: when it was suggested, last handed out, and completed or failed.
    `step` counts suggestions up to this one.
    """

    number: int
    params: Mapping[str, Param]
    state: State = State.PENDING
    values: Mapping[str, float] | None = None
    """What was measured; for an open trial, the values so far."""
    reason: str | None = None
    """Why it failed, or why it was last amended."""
    notes: tuple[Note, ...] = field(default=())
    """Why it was chosen, and any numerical rescue that was needed."""
    added: bool = False
    """Whether it was recorded with `add` rather than suggested."""
    asked: int = 0
    told: int | None = None
    step: int = 0
    expected: float | None = None
    """What it was expected to cost when it was suggested, if costs were in money then."""
    cost: float | None = None
    """What it cost, if recorded."""
    teaches: bool = True
    """Whether its cost says what its point costs; not if it is how long an evaluation took that failed."""
    note: str | None = None
    """A remark by whoever recorded it."""
    owner: str | None = None
    """Who holds it."""
    expires: datetime | None = None
    """When its lease ends; None: never."""
    held: int = 0
    amended: bool = False
    """Whether its values were corrected."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "params", ReadOnly(self.params))
        if any(isinstance(note, str) for note in self.notes):  # of a trial made by hand
            notes = tuple(Note.of_sentence(note) if isinstance(note, str) else note for note in self.notes)
            object.__setattr__(self, "notes", notes)
        if self.values is not None:
            object.__setattr__(self, "values", ReadOnly(self.values))

    @property
    def evaluated(self) -> bool:
        """Whether it was suggested and has ended, complete or failed."""
        return not self.added and not self.state.open

    def __str__(self) -> str:
        return self.outcome if self.cost is None else f"{self.outcome}; cost {self.cost:.6g}"

    @property
    def outcome(self) -> str:
        """Its params and what came of them, in a line; without what it cost."""
        text = f"trial {self.number}: {written_params(self.params)}"
        if self.values:
            text += " -> " + ", ".join(f"{k}={v:.6g}" for k, v in self.values.items())
        if self.state is State.COMPLETE:
            return text
        return text + f" ({self.state}{': ' + self.reason if self.reason else ''})"

    def as_dict(self) -> dict[str, Any]:
        """The trial as plain data that JSON can hold, for every interface."""
        return {
            "number": self.number,
            "state": self.state.value,
            "params": dict(self.params),
            "values": dict(self.values or {}),
            "expected": self.expected,
            "cost": self.cost,
            "note": self.note,
            "reason": self.reason,
            "owner": self.owner,
            "expires": None if self.expires is None else self.expires.isoformat(),
            "added": self.added,
            "amended": self.amended,
            "chosen": [str(note) for note in self.notes],
            "notes": [note.as_dict() for note in self.notes],
        }
