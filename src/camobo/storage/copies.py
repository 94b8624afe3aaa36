"""Copies of a study in a new file: all of it, or what is whole of a damaged one. The original is never changed."""

from __future__ import annotations

import contextlib
import os
import secrets
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from camobo.errors import Advice, StorageError
from camobo.history.document import read_plan
from camobo.history.events import Event
from camobo.history.history import History, fold
from camobo.storage.connections import storage_errors
from camobo.storage.inspection import inspect
from camobo.storage.salvage import Finding, Salvage
from camobo.storage.sql import SqlStore, open_sql


@dataclass(frozen=True, slots=True)
class Repaired:
    """What `repair` wrote."""

    salvage: Salvage
    findings: tuple[Finding, ...]
    """What was wrong, and so what was dropped."""

    @property
    def renumbered(self) -> dict[int, int]:
        """The new number of each trial that got one."""
        return {old: new for old, new in self.salvage.trials.items() if old != new}


def backup(storage: str, target: str, *, force: bool = False) -> int:
    """Copy a study, which others may use meanwhile, into a file; returns how many events it has.

    A study on a server is written as a file. The copy is verified before it takes its name.
    """
    with _new_file(storage, target, force=force) as fresh:
        with contextlib.closing(open_sql(storage, create=False)) as store:
            if store.file is None:
                document, events = store.document(), store.events()
            else:
                _copy(store, fresh)
        if store.file is None:
            _write(fresh, document, events, fold(History(read_plan(document)), events))
        found = inspect(str(fresh))
        if not found.sound or found.salvage is None:
            said = f"{storage}: the copy is not sound, and was not kept: {'; '.join(map(str, found.findings[:3]))}."
            raise StorageError(said, advice=Advice.REPAIR, place=storage)
        return found.salvage.history.count


def repair(storage: str, target: str, *, force: bool = False) -> Repaired:
    """Write a new file with every event of a study that is as it was stored and can follow on the others."""
    with _new_file(storage, target, force=force) as fresh:
        found = inspect(storage)
        if found.document is None or found.salvage is None:
            said = "; ".join(map(str, found.findings[:3]))
            raise StorageError(
                f"{storage}: nothing can be saved without its description: {said}. Restore it from a copy."
            )
        _write(fresh, dict(found.document), found.salvage.events, found.salvage.history)
        return Repaired(found.salvage, found.findings)


def _copy(store: SqlStore, fresh: Path) -> None:
    """SQLite's online backup, in one step: a state that was stored, whoever writes meanwhile."""

    def copy(connection: sa.Connection) -> None:
        raw: Any = connection.connection.driver_connection
        try:
            with contextlib.closing(sqlite3.connect(fresh)) as target:
                raw.backup(target)
        except sqlite3.Error as error:
            raise StorageError(f"{fresh.parent}: the copy could not be written: {error}.") from error

    with storage_errors(store.place):
        store.read(copy)


def _write(fresh: Path, document: dict[str, Any], events: Sequence[Event], history: History) -> None:
    """A new study with these events."""
    with contextlib.closing(open_sql(str(fresh), create=True)) as store:
        store.create(document)
        with store.transaction() as transaction:
            transaction.append(events, history.trials)


@contextlib.contextmanager
def _new_file(storage: str, target: str, *, force: bool) -> Iterator[Path]:
    """A file to write, which gets its name when the block ends without an error."""
    path = Path(target)
    if "://" in target:
        raise StorageError(f"{target}: need the name of a file to write, such as copy.db, not a URL.")
    if path.exists() and "://" not in storage and Path(storage).exists() and path.samefile(storage):
        raise StorageError(f"{target}: is the study itself. Name another file.")
    if path.exists() and not force:
        raise StorageError(f"{target}: exists already. Choose another name, or overwrite it with --force.")
    if path.with_name(path.name + "-wal").exists():
        raise StorageError(f"{target}: {path.name}-wal is there, so {path.name} is in use. Choose another name.")
    fresh = path.absolute().parent / f".camobo-{secrets.token_hex(6)}"
    try:
        yield fresh
        with fresh.open("rb") as file:
            os.fsync(file.fileno())
        os.replace(fresh, path)
    finally:
        for ending in ("", "-wal", "-shm", "-journal", "-ask", "-owners"):
            fresh.with_name(fresh.name + ending).unlink(missing_ok=True)
