"""Where a study lives: memory, a SQLite file, or a PostgreSQL server.

A store keeps one study: the document that says what it is about, and its events. Everything that changes it happens in
a transaction, which sees all events before it, excludes every other writer, and is kept whole or not at all.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from datetime import datetime, timezone
from typing import Any, Protocol, TypeAlias, runtime_checkable

from camobo.document import differences, read_plan, to_document
from camobo.errors import CamoboError, InvalidOptionError, StorageError
from camobo.history import Event
from camobo.plan import Plan
from camobo.trial import Trial


class Transaction(Protocol):
    """One change of a study, alone with it."""

    @property
    def now(self) -> datetime:
        """The time, by the clock all who share the study go by."""
        ...

    def events(self, since: int) -> list[Event]:
        """The events from number `since` on."""
        ...

    def append(self, events: Sequence[Event], trials: Sequence[Trial]) -> None:
        """Add events, and the trials as they are after them for those who look with SQL."""
        ...


@runtime_checkable
class Store(Protocol):
    """What keeps a study."""

    @property
    def place(self) -> str:
        """Where it is, to show to people."""
        ...

    def create(self, document: dict[str, Any]) -> dict[str, Any]:
        """Begin a study; if there is one already, its document."""
        ...

    def document(self) -> dict[str, Any]:
        """What the study is about."""
        ...

    def events(self, since: int = 0, until: int | None = None) -> list[Event]:
        """The events from number `since` to before `until`."""
        ...

    def transaction(self) -> AbstractContextManager[Transaction]:
        """A change; leaving it normally keeps it, with an exception undoes it."""
        ...

    def asking(self) -> AbstractContextManager[None]:
        """One at a time works out suggestions. This only saves effort: a transaction sees whether one still fits."""
        ...

    def at_work(self, owner: str) -> AbstractContextManager[bool]:
        """Whether no other process works under that name; until the end of this none can."""
        ...

    def close(self) -> None:
        """Let go of files and connections."""
        ...


Storage: TypeAlias = str | os.PathLike[str] | Store | None


def open_store(storage: Storage, *, create: bool) -> Store:
    """The store a user means; `create` allows to make a new file or tables."""
    if storage is None:
        return MemoryStore()
    if isinstance(storage, Store):
        return storage
    if not isinstance(storage, (str, os.PathLike)) or not str(storage).strip():
        raise InvalidOptionError(
            f'storage: need a file such as "alloy.db", a URL "postgresql+psycopg://…" or None, got {storage!r}.'
        )
    from camobo.sql import open_sql  # SQLAlchemy takes a third of a second to import; studies in memory do without

    return open_sql(os.fspath(storage), create=create)


def begin_study(plan: Plan, storage: Storage, *, any_seed: bool) -> tuple[Store, Plan]:
    """A new study, or the same one again if it is there already; `any_seed`: whatever its seed."""
    if storage is None:
        return MemoryStore(), plan
    document = to_document(plan)
    store = open_store(storage, create=True)
    try:
        kept = _stored_plan(store.place, store.create(document))
        given = to_document(replace(plan, seed=kept.seed)) if any_seed else document
        found = differences(to_document(kept), given)
        if found:
            raise InvalidOptionError(
                f"storage: {store.place} holds another study:\n    " + "\n    ".join(found) + "\n"
                f"To go on with it as it is use Study.load({store.place!r}); for a new one give another place."
            )
    except BaseException:
        store.close()
        raise
    return store, kept


def load_study(storage: Storage) -> tuple[Store, Plan]:
    """The study that is there."""
    if storage is None:
        raise InvalidOptionError('storage: need the file or URL of a study, such as "alloy.db", got None.')
    store = open_store(storage, create=False)
    try:
        return store, _stored_plan(store.place, store.document())
    except BaseException:
        store.close()
        raise


def _stored_plan(place: str, document: dict[str, Any]) -> Plan:
    try:
        return read_plan(document)
    except CamoboError as error:
        raise StorageError(f"{place}: the study is damaged, its description cannot be read: {error}") from error


@dataclass(frozen=True, slots=True)
class MemoryStore:
    """A study that lasts as long as the process."""

    _documents: list[dict[str, Any]] = field(default_factory=list, repr=False)
    _events: list[Event] = field(default_factory=list, repr=False)

    @property
    def place(self) -> str:
        """Where it is."""
        return "memory"

    def create(self, document: dict[str, Any]) -> dict[str, Any]:
        """Begin a study; if there is one already, its document."""
        if not self._documents:
            self._documents.append(document)
        return self._documents[0]

    def document(self) -> dict[str, Any]:
        """What the study is about."""
        if not self._documents:
            raise StorageError("memory: there is no study here. Begin one with Study(...).")
        return self._documents[0]

    def events(self, since: int = 0, until: int | None = None) -> list[Event]:
        """The events from number `since` to before `until`."""
        return self._events[since:until]

    @contextmanager
    def transaction(self) -> Iterator[Transaction]:
        """A change; leaving it normally keeps it, with an exception undoes it."""
        draft = _Draft(datetime.now(timezone.utc), self._events, [])
        yield draft
        self._events.extend(draft.added)

    def asking(self) -> AbstractContextManager[None]:
        """Whoever asks is alone in memory."""
        return nullcontext()

    def at_work(self, owner: str) -> AbstractContextManager[bool]:
        """No other process gets to see what is in memory."""
        return nullcontext(True)

    def close(self) -> None:
        """Nothing to let go of."""


@dataclass(frozen=True, slots=True)
class _Draft:
    now: datetime
    kept: list[Event]
    added: list[Event]

    def events(self, since: int) -> list[Event]:
        return self.kept[since:]

    def append(self, events: Sequence[Event], trials: Sequence[Trial]) -> None:
        self.added.extend(events)
