"""What every store of a study can do.

A study is changed only inside a transaction. It sees all earlier events, excludes other writers, and is stored
completely or not at all.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Any, Protocol, runtime_checkable

from camobo.history.events import Event
from camobo.history.trial import Trial


class Transaction(Protocol):
    """One change of a study, with other writers excluded."""

    @property
    def now(self) -> datetime:
        """The time, by one clock for everybody who shares the study."""
        ...

    def events(self, since: int) -> list[Event]:
        """The events from number `since` on."""
        ...

    def holds(self, request: str) -> bool:
        """Whether events of a request are stored: an earlier change, of which that may be unknown."""
        ...

    def append(self, events: Sequence[Event], trials: Sequence[Trial]) -> None:
        """Add events, and the trials as they are after them, for readers with SQL."""
        ...


@runtime_checkable
class Store(Protocol):
    """A place that holds one study."""

    @property
    def place(self) -> str:
        """Its name in messages: a path, a URL without its password, or "memory"."""
        ...

    def create(self, document: dict[str, Any]) -> dict[str, Any]:
        """Create the study and return its document; if one exists, return that one's."""
        ...

    def document(self) -> dict[str, Any]:
        """The plan of the study as plain data."""
        ...

    def events(self, since: int = 0, until: int | None = None) -> list[Event]:
        """The events from number `since` to before `until`."""
        ...

    def transaction(self, request: str | None = None) -> AbstractContextManager[Transaction]:
        """A change: stored when the block ends, undone if it raises.

        request: an id of the change, stored with its events. Raises OutcomeUnknown if the change was sent to be stored
        and no reply came.
        """
        ...

    def asking(self) -> AbstractContextManager[None]:
        """Advisory lock for computing suggestions; the transaction revalidates."""
        ...

    def at_work(self, owner: str) -> AbstractContextManager[bool]:
        """Reserve an owner's name for this process until the block ends; False if another process has it."""
        ...

    def close(self) -> None:
        """Close files and connections."""
        ...
