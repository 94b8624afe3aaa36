"""A simulated server that keeps one study, and connections to it that fail as real ones do. Nothing waits.

A witness at the server checks each event as it is stored, by rules of its own: it shares no code with what is tested.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from datetime import datetime, timezone
from random import Random
from typing import Any

import camobo as cm
from camobo.errors import Advice, OutcomeUnknown, StorageError
from camobo.history.events import Event
from camobo.storage.stored_json import read_json, write_json

START = datetime(2026, 1, 1, tzinfo=timezone.utc)
OBJECTIVES = ("y", "z")
LONGEST = 600
"""Seconds of the longest lease that is asked for."""


class Violation(AssertionError):
    """A promise was broken."""


class Vanished(BaseException):
    """A worker's process is gone: whatever it still does in the simulation has no effect."""


def mark_of(new: dict[str, Any]) -> int | None:
    """The number by which a simulated change is told from all others: its values, its reason or its note carry it."""
    marks = {int(value) for value in (new.get("values") or {}).values()}
    marks |= {int(new[name].split()[-1]) for name in ("reason", "note") if str(new.get(name, "")).startswith("mark ")}
    if len(marks) > 1:
        raise Violation(f"an event mixes the changes {marks}")
    return marks.pop() if marks else None


@dataclass
class Holding:
    """What the witness knows of a trial."""

    owner: str | None
    expires: datetime | None
    state: str = "held"
    known: set[str] = field(default_factory=set)

    def may_go_to(self, owner: str | None, now: datetime) -> bool:
        ended = self.expires is not None and self.expires <= now
        mine = owner is not None and owner == self.owner
        return self.state == "free" or (self.state == "held" and (ended or mine))


class Witness:
    """Sees every event that is stored, and raises at the first that breaks a promise."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.trials: list[Holding] = []
        self.suggested = 0
        self.points: list[dict[str, float]] = []
        self.stored: dict[int, dict[str, Any]] = {}
        """The event of each mark."""

    def sees(self, event: dict[str, Any], now: datetime) -> None:
        kind, number, new = event["kind"], event["trial"], event["new"]
        mark = mark_of(new)
        if mark is not None:
            if mark in self.stored:
                raise Violation(f"change {mark} is stored twice")
            self.stored[mark] = event
        if kind == "added" or (kind == "asked" and "params" in new):
            if number != len(self.trials):
                raise Violation(f"a new trial is {number} where {len(self.trials)} was next")
            if kind == "asked" and any(new["params"] == point for point in self.points):
                raise Violation(f"trial {number} is suggested at the point of another, {new['params']}")
            self.points.append(new["params"])
            self.suggested += kind == "asked"
            if self.suggested > self.most:
                raise Violation(f"{self.suggested} trials are suggested, {self.most} are in the budget")
            state = "held" if kind == "asked" else "settled"
            self.trials.append(Holding(new.get("owner"), _time(new.get("expires")), state))
            return
        trial = self.trials[number]
        if kind == "asked":
            if not trial.may_go_to(new["owner"], now):
                raise Violation(f"trial {number} goes to {new['owner']} at {now}, but is {trial}")
            trial.owner, trial.expires, trial.state = new["owner"], _time(new["expires"]), "held"
        elif kind == "renewed":
            trial.expires = _time(new["expires"])
        elif kind == "released":
            trial.owner, trial.expires, trial.state = None, None, "free"
        elif kind in ("told", "failed") and trial.state == "settled" and (kind == "failed" or "values" in new):
            raise Violation(f"trial {number} is settled, and {kind} once more")
        elif kind == "told":
            trial.known |= set(new.get("values", ()))
            trial.state = "settled" if trial.known >= set(OBJECTIVES) else trial.state
        elif kind == "failed":
            trial.state = "settled"

    def nobody_waits_longer_than_a_lease(self, now: datetime) -> None:
        for number, trial in enumerate(self.trials):
            left = 0.0 if trial.expires is None else (trial.expires - now).total_seconds()
            if trial.state == "held" and left > LONGEST:
                raise Violation(f"trial {number} is held for longer than any lease lasts: {now}, {trial}")


def _time(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text)


class Server:
    """Keeps the study as text, and tells the time by which leases end."""

    def __init__(self, most: int) -> None:
        self.now = START
        self.document: str | None = None
        self.rows: list[str] = []
        self.requests: set[str] = set()
        self.witness = Witness(most)
        self.writing = False

    def events(self, since: int, until: int | None = None) -> list[Event]:
        rows = map(read_json, self.rows[since:until])
        return [Event(**{**row, "when": datetime.fromisoformat(row["when"])}) for row in rows]

    def store(self, events: Sequence[Event], request: str | None) -> None:
        for event in events:
            if event.number != len(self.rows):
                raise Violation(f"event {event.number} is stored where {len(self.rows)} was next")
            self.rows.append(write_json(event.as_dict()))
            self.witness.sees(json.loads(self.rows[-1]), self.now)
        if any(event.kind == "asked" for event in events):
            self.witness.nobody_waits_longer_than_a_lease(self.now)
        if events and request is not None:
            self.requests.add(request)


@dataclass
class Draft:
    """A transaction under way."""

    connection: Connection
    now: datetime
    added: list[Event] = field(default_factory=list)

    def events(self, since: int) -> list[Event]:
        return self.connection.server.events(since)

    def holds(self, request: str) -> bool:
        return request in self.connection.server.requests

    def append(self, events: Sequence[Event], trials: Sequence[cm.Trial]) -> None:
        self.connection.may_fail("while it writes")
        self.added.extend(events)
        self.connection.may_fail("with a full disk")


@dataclass
class Connection:
    """One worker's connection: a `Store` that fails as the seed says."""

    server: Server
    draw: Random
    rate: float
    """How often each seam fails."""
    interlude: Callable[[], None]
    """Called wherever other workers may come between."""
    say: Callable[[str], None]
    place: str = "simulated"
    gone: bool = False
    away: int = 0
    """How many further attempts will not reach the server."""
    stored: int = 0
    """How many events it has stored."""
    losses: int = 0
    """How many replies it has lost."""
    signalled: bool = False
    """Whether Ctrl-C may come in the middle of a change: it may in a block, nowhere else."""

    def may_fail(self, where: str) -> None:
        if self.gone:
            raise Vanished
        if self.away:
            self.away -= 1
            raise StorageError(f"{self.place}: cannot be reached.")
        if self.draw.random() < self.rate:
            if self.draw.random() < 0.2:
                self.vanish(where)
            self.say(f"fails {where}")
            raise StorageError(f"{self.place}: fails {where}.")

    def vanish(self, where: str) -> None:
        self.say(f"vanishes {where}")
        self.gone = True
        raise Vanished

    def create(self, document: dict[str, Any]) -> dict[str, Any]:
        self.server.document = self.server.document or write_json(document)
        return self.document()

    def document(self) -> dict[str, Any]:
        self.may_fail("reading the description")
        found: dict[str, Any] = read_json(self.server.document or "{}")
        return found

    def events(self, since: int = 0, until: int | None = None) -> list[Event]:
        self.interlude()
        self.may_fail("reading")
        return self.server.events(since, until)

    @contextmanager
    def transaction(self, request: str | None = None) -> Iterator[Draft]:
        self.interlude()
        self.may_fail("before the change")
        draft = Draft(self, self.server.now)
        self.server.writing = True
        try:
            yield draft
            self._commit(draft.added, request)
        finally:
            self.server.writing = False

    def _commit(self, added: list[Event], request: str | None) -> None:
        self.may_fail("before COMMIT")
        lost = self.draw.random() < self.rate
        if not lost or self.draw.random() < 0.5:
            self.server.store(added, request)
            self.stored += len(added)
            for event in added:
                self.say(f"stored {event}")
        if lost and self.draw.random() < 0.2:
            self.vanish("at COMMIT")
        if lost and self.signalled and self.draw.random() < 0.5:
            self.say("gets Ctrl-C at COMMIT")
            raise KeyboardInterrupt
        if lost:
            self.losses += 1
            self.away = self.draw.choice([0, 0, 1, 3, 4, 6])
            self.say(f"loses the reply to COMMIT; the server is away for {self.away} attempts")
            said = f"{self.place}: connection lost."
            text = f"{said} Whether the change was stored is unknown."
            raise OutcomeUnknown(text, advice=Advice.LOOK, said=said, request=request)

    @contextmanager
    def asking(self) -> Iterator[None]:
        """The lock is advisory, so here it does not even hold others up."""
        self.interlude()
        self.may_fail("waiting for its turn")
        yield

    def at_work(self, owner: str) -> AbstractContextManager[bool]:
        return nullcontext(True)

    def close(self) -> None:
        pass
