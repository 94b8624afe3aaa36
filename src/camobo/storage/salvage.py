"""What of a list of events can be kept if some are lost: those that still follow on one another.

Numbers of events and trials have no gaps. What is kept moves up, and so do the trials after one that is lost.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from camobo.errors import StorageError
from camobo.history.events import Event
from camobo.history.history import History, fold
from camobo.strategy.plan import Plan


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that is wrong with a stored study, and where."""

    where: str
    """"file", "log", "tables", "description", "event", "chain", "index" or "trial"."""
    said: str
    number: int | None = None
    """Of the event or the trial."""

    def __str__(self) -> str:
        place = self.where if self.number is None else f"{self.where} {self.number}"
        return self.said if self.said.startswith(place) else f"{place}: {self.said}"

    def as_dict(self) -> dict[str, Any]:
        """The finding as plain data."""
        return {"where": self.where, "number": self.number, "said": self.said}


@dataclass(frozen=True, slots=True)
class Salvage:
    """What was kept of a list of events."""

    history: History
    events: tuple[Event, ...]
    dropped: tuple[Finding, ...]
    trials: Mapping[int, int]
    """The number of each trial that was kept, by the one it had."""


def salvaged(plan: Plan, events: Iterable[Event]) -> Salvage:
    """The events that can follow on one another, in order; the others are dropped."""
    history, kept, dropped = History(plan), list[Event](), list[Finding]()
    places, trials = list[int](), dict[int, int]()
    for event in events:
        first = event.trial is not None and "params" in event.new
        trial = len(history.trials) if first else trials.get(-1 if event.trial is None else event.trial)
        if trial is None and event.trial is not None:
            dropped.append(Finding("event", f"is about trial {event.trial}, which was lost", event.number))
            continue
        moved = replace(event, number=len(kept), trial=trial, new=_known_of_kept(event, places))
        try:
            history = fold(history, [moved])
        except StorageError as error:
            said = error.message.partition("cannot be read: ")[2] or error.message
            dropped.append(Finding("event", f"cannot follow on those before it: {said.rstrip('.')}", event.number))
            continue
        kept.append(moved)
        places.append(event.number)
        if first and event.trial is not None:
            trials[event.trial] = len(history.trials) - 1
    return Salvage(history, tuple(kept), tuple(dropped), trials)


def _known_of_kept(event: Event, places: list[int]) -> Mapping[str, Any]:
    """The facts of an event; how many events its suggestion knew is counted among those that were kept."""
    known, beside = event.new.get("known"), event.new.get("beside")
    if not isinstance(known, int) or not isinstance(beside, int):
        return event.new
    before, after = bisect_left(places, known), bisect_left(places, event.number - beside)
    return {**event.new, "known": before, "beside": len(places) - max(before, after)}
