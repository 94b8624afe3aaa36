"""A study in memory."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import Any

from camobo.errors import Advice, StorageError
from camobo.history.events import Event
from camobo.history.trial import Trial
from camobo.storage.protocol import Transaction


@dataclass(slots=True, eq=False)
class MemoryStore:
    """A study that lasts as long as the process."""

    _document: dict[str, Any] | None = field(default=None, repr=False)
    _events: list[Event] = field(default_factory=list, repr=False)
    _requests: set[str] = field(default_factory=set, repr=False)

    @property
    def place(self) -> str:
        """Its name in messages."""
        return "memory"

    def create(self, document: dict[str, Any]) -> dict[str, Any]:
        """Create the study and return its document; if one exists, return that one's."""
        if self._document is None:
            self._document = document
        return self._document

    def document(self) -> dict[str, Any]:
        """The plan of the study as plain data."""
        if self._document is None:
            raise StorageError("memory: contains no study.", advice=Advice.CREATE)
        return self._document

    def events(self, since: int = 0, until: int | None = None) -> list[Event]:
        """The events from number `since` to before `until`."""
        return self._events[since:until]

    @contextmanager
    def transaction(self, request: str | None = None) -> Iterator[Transaction]:
        """A change: stored when the block ends, undone if it raises."""
        draft = _Draft(datetime.now(timezone.utc), self._events, self._requests)
        yield draft
        self._events.extend(draft.added)
        if request is not None and draft.added:
            self._requests.add(request)

    def asking(self) -> AbstractContextManager[None]:
        """No lock: no other process sees this study."""
        return nullcontext()

    def at_work(self, owner: str) -> AbstractContextManager[bool]:
        """Always True: no other process sees this study."""
        return nullcontext(True)

    def close(self) -> None:
        """Nothing to close."""


@dataclass(slots=True)
class _Draft:
    now: datetime
    stored: Sequence[Event]
    requests: Collection[str]
    added: list[Event] = field(default_factory=list)

    def events(self, since: int) -> list[Event]:
        return list(self.stored[since:])

    def holds(self, request: str) -> bool:
        return request in self.requests

    def append(self, events: Sequence[Event], trials: Sequence[Trial]) -> None:
        self.added.extend(events)
