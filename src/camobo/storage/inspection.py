"""Looks through a stored study for all that is wrong with it, also one that cannot be opened. Changes nothing."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError

from camobo.errors import CamoboError, StorageError
from camobo.history.document import read_plan
from camobo.history.events import Event
from camobo.history.history import History
from camobo.storage.chain import Row, check_end, check_row
from camobo.storage.connections import storage_errors
from camobo.storage.reading import read_document, read_links
from camobo.storage.salvage import Finding, Salvage, salvaged
from camobo.storage.schema import EVENTS, TRIALS, read_events, rows_of_events, text_of, trial_row
from camobo.storage.sql import SqlStore, store_at
from camobo.storage.stored_json import read_json
from camobo.storage.tables import FIRST_HASHED
from camobo.strategy.plan import Plan

Found: TypeAlias = list[Finding]
_BROKEN = (CamoboError, DBAPIError, ValueError, TypeError, AttributeError, LookupError, ArithmeticError, RecursionError)
"""What reading damaged records raises."""
_SMALLEST_ROW = 40
"""Bytes: a file holds no more events than this allows, whatever it says."""


@dataclass(frozen=True, slots=True)
class Inspection:
    """What a stored study holds, and all that is wrong with it."""

    place: str
    format: int | None = None
    document: Mapping[str, Any] | None = None
    salvage: Salvage | None = None
    findings: tuple[Finding, ...] = ()

    @property
    def sound(self) -> bool:
        """Whether nothing is wrong."""
        return not self.findings


def inspect(storage: str) -> Inspection:
    """What the study in a file or at a URL holds, and all that is wrong with it."""
    with _examined(storage) as (store, found):
        try:
            with storage_errors(store.place):
                return store.read(lambda connection: _inspected(store, connection, list(found)))
        except StorageError as error:
            if store.file is None:
                raise
            return Inspection(storage, findings=(*found, Finding("file", _said(error, store.place))))


@contextmanager
def _examined(storage: str) -> Iterator[tuple[SqlStore, Found]]:
    """The study, or if its log is damaged a copy of it: SQLite would throw away what it does not read."""
    store = store_at(storage, create=False)
    try:
        harm = None if store.file is None else store.file.harm_to_log()
        if harm is None or store.file is None:
            yield store, []
            return
        with tempfile.TemporaryDirectory() as folder:  # not connected yet: to close a file would release SQLite's locks
            copy = Path(folder) / "copy.db"
            shutil.copyfile(store.file.path, copy)
            if store.file.log.exists():
                shutil.copyfile(store.file.log, copy.with_name("copy.db-wal"))
            copied = store_at(str(copy), create=False)
            try:
                yield copied, [Finding("log", harm)]
            finally:
                copied.close()
    finally:
        store.close()


def _inspected(store: SqlStore, connection: sa.Connection, found: Found) -> Inspection:
    try:
        number = store.format_in(connection)
        if number is None:
            raise StorageError(f"{store.place}: contains no study.")
        store.check_format(number)
    except (StorageError, DBAPIError) as error:
        return Inspection(store.place, findings=(*found, Finding("tables", _said(error, store.place))))
    hashed = number >= FIRST_HASHED
    document, plan = _description(connection, hashed, found)
    rows = _rows(store, connection, hashed, found)
    salvage = None if plan is None else salvaged(plan, rows)
    found += () if salvage is None else salvage.dropped
    if salvage is not None and not found:
        found += _wrong_trials(connection, salvage.history)
    if store.file is not None:
        found += _structure(connection)
    return Inspection(store.place, number, document, salvage, tuple(found))


def _said(error: BaseException, place: str = "") -> str:
    """An error in one line, without the place."""
    text = error.message if isinstance(error, CamoboError) else str(getattr(error, "orig", error))
    return " ".join(text.removeprefix(f"{place}: ").split()).rstrip(".")


def _description(connection: sa.Connection, hashed: bool, found: Found) -> tuple[dict[str, Any] | None, Plan | None]:
    """The description of the study, and its plan if it makes sense, though it may not be as it was stored."""
    document = None
    for strict in (True, False) if hashed else (False,):
        try:
            document = read_document(connection, hashed=strict)
            return document, read_plan(document)
        except _BROKEN as error:
            found.append(Finding("description", _said(error)))
    return document, None


def _rows(store: SqlStore, connection: sa.Connection, hashed: bool, found: Found) -> list[Event]:
    """The events that are as they were stored."""
    first = last = None
    if hashed:
        try:
            first, last = read_links(connection)
        except _BROKEN as error:
            found.append(Finding("chain", _said(error)))
    most = last.count if last is not None else 0
    if store.file is not None:
        most = min(most, store.file.path.stat().st_size // _SMALLEST_ROW)
    events, hashes, before = list[Event](), list[str](), len(found)
    for number, row in _each_row(connection, hashed, most, found):
        try:
            if hashed:
                check_row(row, number)
            events += read_events([row])
            hashes.append(str(row[7]))
        except _BROKEN as error:
            found.append(Finding("event", _said(error), number))
    if first is not None and last is not None and len(found) == before:
        try:
            check_end(first.after(hashes), last)
        except StorageError as error:
            found.append(Finding("chain", _said(error)))
    return events


def _each_row(connection: sa.Connection, hashed: bool, most: int, found: Found) -> Iterator[tuple[int, Row]]:
    """Every event that can be read, by number; what is missing between them is found."""
    query, number = rows_of_events(connection.dialect, hashed=hashed), 0
    while True:
        try:
            with connection.execute(query.where(EVENTS.c.number >= number)) as rows:
                for row in rows:
                    if not isinstance(row[0], int) or row[0] < number:
                        raise StorageError("the numbers of the events are out of order.")
                    _note_gap(number, row[0], found)
                    number = row[0] + 1
                    yield row[0], row
            _note_gap(number, most, found)
            return
        except (DBAPIError, StorageError) as error:
            found.append(Finding("event", f"cannot be read: {_said(error)}", number))
            number += 1
            if number >= most or connection.dialect.name != "sqlite":
                return


def _note_gap(start: int, end: int, found: Found) -> None:
    if start < end:
        said = "is missing" if end == start + 1 else f"is missing, and so are all to event {end - 1}"
        found.append(Finding("event", said, start))


def _wrong_trials(connection: sa.Connection, history: History) -> Found:
    """Rows of the table of trials that are not what the events say."""
    texts = {"params", "results"}
    columns = [text_of(column, connection.dialect) if column.name in texts else column for column in TRIALS.c]
    expected = {trial.number: trial_row(trial) for trial in history.trials}
    found = list[Finding]()
    try:
        for row in connection.execute(sa.select(*columns)).all():
            facts = dict(zip(dict(TRIALS.c), row, strict=True))
            wanted = expected.pop(facts["number"], None)
            read = {name: read_json(fact) if name in texts and fact else fact for name, fact in facts.items()}
            if wanted is None:
                found.append(Finding("trial", "is in the table of trials, but no event speaks of it", facts["number"]))
            elif wrong := [name for name, fact in wanted.items() if fact != read[name]]:
                said = f"{wrong[0]} in the table of trials is not what the events say"
                found.append(Finding("trial", said, facts["number"]))
    except _BROKEN as error:
        return [Finding("trials", f"the table of trials cannot be read: {_said(error)}")]
    return [*found, *(Finding("trial", "is missing in the table of trials", number) for number in expected)]


def _structure(connection: sa.Connection) -> Found:
    """What SQLite finds wrong with the structure of the file."""
    try:
        lines = connection.exec_driver_sql("PRAGMA integrity_check(20)").scalars().all()
    except DBAPIError as error:
        return [Finding("file", _said(error))]
    said = [" ".join(str(line).split()) for line in lines if line != "ok"]
    return [Finding("index" if "index" in line else "file", line) for line in said]
