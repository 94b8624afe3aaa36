"""A trial: one point of the space, and what is known of its evaluation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
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
class Measurement:
    """What somebody measured at a trial's point: one of those in `trial.late`, which came too late to count.

    >>> print(Measurement({"y": 3.0}, "anna", datetime(2026, 1, 1, 12), cost=12.5))
    y=3, cost 12.5, by anna, 2026-01-01 12:00:00
    """

    values: Mapping[str, float] | None
    """What was measured; None if it failed, or if only a cost or a note was told."""
    who: str
    when: datetime
    """When it was recorded."""
    reason: str | None = None
    """Why it failed."""
    cost: float | None = None
    """What it cost, if recorded: it is spent, though the values do not count."""
    note: str | None = None
    """A remark by whoever recorded it."""
    event: int = 0
    """The number of the event that recorded it."""

    def __post_init__(self) -> None:
        if self.values is not None:
            object.__setattr__(self, "values", ReadOnly(self.values))

    def __str__(self) -> str:
        parts = [measured(self.values, self.reason, self.cost), f"by {self.who}", shown_time(self.when), self.note]
        return ", ".join(part for part in parts if part)

    def as_dict(self) -> dict[str, Any]:
        """The measurement as plain data that JSON can hold."""
        return {
            "values": None if self.values is None else dict(self.values),
            "reason": self.reason,
            "cost": self.cost,
            "note": self.note,
            "who": self.who,
            "when": self.when.isoformat(),
            "event": self.event,
        }


def measured(values: Mapping[str, float] | None, reason: str | None, cost: float | None) -> str:
    """What an evaluation gave, in a few words: "y=3, cost 12.5" or "failed: cracked"."""
    parts = [f"{name}={value:.6g}" for name, value in (values or {}).items()]
    failed = [] if reason is None else [f"failed: {reason}"]
    return ", ".join([*parts, *failed, *([] if cost is None else [f"cost {cost:.6g}"])])


def shown_time(when: datetime) -> str:
    """A time as messages give it: with its date, in the local time zone."""
    return f"{when.astimezone():%Y-%m-%d %H:%M:%S}"


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
    lease: timedelta | None = None
    """How long its lease was when it was granted or last renewed."""
    held: int = 0
    amended: bool = False
    """Whether its values were corrected."""
    teller: str | None = None
    """Who recorded values of it, or that it failed."""
    late: tuple[Measurement, ...] = ()
    """What was told after somebody else had taken or settled it: it does not count, but what it cost is spent."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "params", ReadOnly(self.params))
        if any(isinstance(note, str) for note in self.notes):  # of a trial made by hand
            notes = tuple(Note.of_sentence(note) if isinstance(note, str) else note for note in self.notes)
            object.__setattr__(self, "notes", notes)
        if self.values is not None:
            object.__setattr__(self, "values", ReadOnly(self.values))

    @property
    def late_cost(self) -> float:
        """What its late results cost, beside its own `cost`."""
        return sum(result.cost or 0.0 for result in self.late)

    @property
    def unpaid(self) -> bool:
        """Whether what it cost is still to be estimated or, while it is open, reserved."""
        return self.cost is None and (self.state.open or not self.late_cost)

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
            "late": [result.as_dict() for result in self.late],
            "chosen": [str(note) for note in self.notes],
            "notes": [note.as_dict() for note in self.notes],
        }
