"""A study in a database: the same tables in SQLite (a file) and PostgreSQL (a server), through SQLAlchemy Core.

A writer first takes a lock: SQLite's `BEGIN IMMEDIATE`, PostgreSQL's row lock on `study`. Readers do not wait. Every
commit is on disk when it returns (`synchronous=FULL`; PostgreSQL's default).
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import time
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from camobo.errors import Advice, InvalidOptionError, StorageError, shown
from camobo.hints import redacted
from camobo.history.events import Event
from camobo.history.trial import Trial
from camobo.storage.connections import (
    PATIENCE,
    file_engine,
    given_back,
    read_url,
    readable,
    server_engine,
    shown_url,
    storage_errors,
    what_to_do,
    whole,
)
from camobo.storage.file_locks import alone, claimed, number_of
from camobo.storage.formats import FORMAT, OLDEST, current_document
from camobo.storage.migrations import MIGRATIONS
from camobo.storage.opened_file import OpenedFile, opened_file
from camobo.storage.schema import EVENTS, OPTUNAS, STUDY, TABLES, TRIALS, event_row, is_stored, read_events, trial_row

APPLICATION = 0x63616D6F  # "camo" in the header of a SQLite file
_CREATING = 0


def open_sql(storage: str, *, create: bool) -> SqlStore:
    """The study in a file or at a URL; `?schema=alloy` separates studies. `create` allows a new file or tables."""
    if "://" not in storage:
        if redacted(storage) != storage:
            raise InvalidOptionError(
                "storage: this looks like a connection string, or a URL with a mistake. Write it like "
                "postgresql+psycopg://user:password@server/database."
            )
        return _open_file(Path(storage), create=create)
    url = read_url(storage)
    kind = url.get_backend_name()
    if kind == "sqlite" and url.database not in (None, "", ":memory:"):
        return _open_file(Path(str(url.database)), create=create)
    if kind != "postgresql":
        raise InvalidOptionError(
            f'storage: need a file such as "alloy.db" or a URL "postgresql+psycopg://…", got {shown_url(url)!r}.',
            advice=Advice.IN_MEMORY,
        )
    schema = url.query.get("schema", None)
    if schema is not None and not (isinstance(schema, str) and schema):
        raise InvalidOptionError(f"storage: need one schema in the URL, got {schema!r}.")
    return _opened(SqlStore(shown_url(url), server_engine(url, schema), schema), create=create)


def _open_file(path: Path, *, create: bool) -> SqlStore:
    return _opened(SqlStore(str(path), file_engine(path, create=create), file=opened_file(path)), create=create)


def _opened(store: SqlStore, *, create: bool) -> SqlStore:
    try:
        store.open(create=create)
    except BaseException:
        store.close()
        raise
    return store


@dataclass(frozen=True, slots=True)
class SqlStore:
    """A study in SQLite or PostgreSQL."""

    place: str
    engine: sa.Engine = field(repr=False)
    schema: str | None = None
    process: int = field(default_factory=os.getpid)
    file: OpenedFile | None = None

    @property
    def _is_file(self) -> bool:
        return self.file is not None

    def open(self, *, create: bool) -> None:
        """Check that this is a study of a format we read. Refuse anything else; write nothing."""
        with storage_errors(self.place):
            found = self._format()
            if self.file is not None:
                self.file.remember()
            if found is None and not create:
                raise StorageError(f"{self.place}: contains no study.", advice=Advice.CREATE)
            if found is not None:
                self._check_format(found)

    def _check_format(self, found: Any) -> None:
        if not isinstance(found, int):
            raise StorageError(f"{self.place}: the study is damaged, its format is {shown(found)}.")
        if not OLDEST <= found <= FORMAT:
            raise StorageError(
                f"{self.place}: the study has format {found}, this camobo reads formats {OLDEST} to {FORMAT}. "
                f"Use {'a newer' if found > FORMAT else 'an older'} camobo. The study is unchanged."
            )

    def _format(self) -> int | None:
        """The format of the stored study; None if nothing is stored."""
        with self._reading() as connection:
            look = sa.inspect(connection)
            names = set(look.get_table_names(schema=self.schema))
            columns = look.get_columns("study", schema=self.schema) if "study" in names else []
            ours = {column["name"] for column in columns} >= {"format", "document"}
            if self._is_file:
                application = connection.exec_driver_sql("PRAGMA application_id").scalar_one()
                ours = ours and application == APPLICATION
                foreign = bool(names or application) and not ours
            else:
                foreign = "study" in names and not ours
            if foreign:
                hint = " It has Optuna's tables: see camobo report --optuna." if names >= OPTUNAS else ""
                raise StorageError(f"{self.place}: is a database, but not a camobo study. It is unchanged.{hint}")
            return connection.execute(sa.select(STUDY.c.format)).scalar_one_or_none() if ours else None

    def _convert(self, connection: sa.Connection) -> None:
        """Convert a study of an older format, as part of its first change."""
        found = connection.execute(sa.select(STUDY.c.format)).scalar_one()
        self._check_format(found)
        for version in range(found, FORMAT):
            MIGRATIONS[version](connection)
            connection.execute(sa.update(STUDY).values(format=version + 1))

    def create(self, document: dict[str, Any]) -> dict[str, Any]:
        """Create the study and return its document; if one exists, return that one's."""
        with storage_errors(self.place):
            if self._format() is not None:
                return self.document()
            if self._is_file:
                self._use_wal()
            with self._writing(lock=False) as connection:
                if self._is_file:
                    connection.exec_driver_sql(f"PRAGMA application_id={APPLICATION}")
                else:
                    self._prepare_server(connection)
                TABLES.create_all(connection)
                existing = connection.execute(sa.select(STUDY.c.document)).scalar_one_or_none()
                if existing is None:
                    row = {"id": 1, "format": FORMAT, "document": document, "created": _now().isoformat()}
                    connection.execute(sa.insert(STUDY), row)
                return document if existing is None else current_document(existing)

    def _use_wal(self) -> None:
        """Let readers work during a write; the file remembers it. Wait for others that create the same study."""
        for _ in range(200):
            with self.engine.connect() as connection:
                raw: Any = connection.connection.driver_connection
                try:
                    raw.execute("PRAGMA journal_mode=WAL")
                    return
                except sqlite3.OperationalError as error:
                    if "locked" not in str(error):
                        raise StorageError(f"{self.place}: {error}.{what_to_do(str(error))}") from error
            time.sleep(0.05)

    def _prepare_server(self, connection: sa.Connection) -> None:
        # PostgreSQL's IF NOT EXISTS can fail if two create at once.
        connection.execute(_advisory_lock(_CREATING))
        if self.schema is not None:
            connection.execute(sa.schema.CreateSchema(self.schema, if_not_exists=True))

    def document(self) -> dict[str, Any]:
        """The plan of the study as plain data."""
        with storage_errors(self.place), self._reading() as connection, readable(self.place):
            return current_document(connection.execute(sa.select(STUDY.c.document)).scalar_one())

    def events(self, since: int = 0, until: int | None = None) -> list[Event]:
        """The events from number `since` to before `until`."""
        with storage_errors(self.place), self._reading() as connection, readable(self.place):
            return read_events(connection, since, until)

    @contextmanager
    def transaction(self, request: str | None = None) -> Iterator[SqlTransaction]:
        """A change: stored when the block ends, undone if it raises."""
        with storage_errors(self.place), self._writing(request=request) as connection:
            with readable(self.place):
                self._convert(connection)
            # The server's clock, so that leases end at the same time for everybody.
            now = _now() if self._is_file else connection.execute(sa.select(sa.func.clock_timestamp())).scalar_one()
            yield SqlTransaction(self.place, connection, now.astimezone(timezone.utc), request)

    @contextmanager
    def asking(self) -> Iterator[None]:
        """Advisory lock for computing suggestions; it does not hold up results. The transaction revalidates."""
        if self._is_file:
            with alone(Path(self.place + "-ask"), PATIENCE):
                yield
            return
        key = zlib.crc32((self.schema or "").encode())
        with contextlib.ExitStack() as lock:
            with storage_errors(self.place):
                connection = self.engine.connect()
                lock.callback(given_back, connection)
                connection.exec_driver_sql(f"SET LOCAL lock_timeout = '{PATIENCE}s'")
                connection.execute(_advisory_lock(key))
            yield

    @contextmanager
    def at_work(self, owner: str) -> Iterator[bool]:
        """Reserve an owner's name for this process until the block ends; False if another process has it."""
        if self._is_file:
            with claimed(Path(self.place + "-owners"), owner) as free:
                yield free
            return
        with storage_errors(self.place):
            connection = self.engine.connect().execution_options(isolation_level="AUTOCOMMIT")
        try:
            with storage_errors(self.place):
                connection.detach()  # from the pool: the lock lasts as long as the session
                free = _claim_on_server(connection, number_of(f"{self.schema or ''}/{owner}"))
            yield free
        finally:
            connection.close()

    @contextmanager
    def _reading(self) -> Iterator[sa.Connection]:
        if self.file is not None:
            self.file.check()  # before connecting, which could apply this study's log to another file
        with self.engine.connect() as connection, connection.begin():
            yield connection

    @contextmanager
    def _writing(self, *, lock: bool = True, request: str | None = None) -> Iterator[sa.Connection]:
        if self.file is not None:
            self.file.check()
        with self.engine.connect().execution_options(begin="BEGIN IMMEDIATE") as connection:
            with whole(connection, self.place, request):
                if self.file is not None:
                    self.file.check(connection.info)
                else:
                    self._lock_server(connection, row=lock)
                yield connection
            if self.file is not None:
                self.file.check(connection.info)  # a change to a file that is gone is not stored

    @staticmethod
    def _lock_server(connection: sa.Connection, *, row: bool) -> None:
        connection.exec_driver_sql(f"SET LOCAL lock_timeout = '{PATIENCE}s'")
        if row:
            connection.execute(sa.select(STUDY.c.id).with_for_update()).scalar_one()

    def close(self) -> None:
        """Close files and connections; a forked process leaves its parent's open."""
        self.engine.dispose(close=os.getpid() == self.process)


def _put(insert: Any) -> Any:
    """Insert a trial, or update its row."""
    changing = {column.name: insert.excluded[column.name] for column in TRIALS.c if column.name != "number"}
    return insert.on_conflict_do_update(index_elements=["number"], set_=changing)


_PUT_TRIAL = {"sqlite": _put(sqlite.insert(TRIALS)), "postgresql": _put(postgresql.insert(TRIALS))}


@dataclass(frozen=True, slots=True)
class SqlTransaction:
    """One change of a study, with other writers excluded."""

    place: str
    connection: sa.Connection
    now: datetime
    request: str | None = None

    def events(self, since: int) -> list[Event]:
        """The events from number `since` on."""
        with readable(self.place):
            return read_events(self.connection, since, None)

    def holds(self, request: str) -> bool:
        """Whether events of a request are stored."""
        return is_stored(self.connection, request)

    def append(self, events: Sequence[Event], trials: Sequence[Trial]) -> None:
        """Add events, and the trials as they are after them."""
        put = _PUT_TRIAL[self.connection.dialect.name]
        with storage_errors(self.place):
            if events:
                self.connection.execute(
                    sa.insert(EVENTS), [{**event_row(event), "request": self.request} for event in events]
                )
            if trials:
                self.connection.execute(put, [trial_row(trial) for trial in trials])


def _advisory_lock(key: int) -> sa.Select[Any]:
    return sa.select(sa.func.pg_advisory_xact_lock(sa.literal(APPLICATION << 32 | key, sa.BigInteger)))


def _claim_on_server(connection: sa.Connection, key: int) -> bool:
    """Take a lock that lasts as long as the session. A server may need a moment to notice that its last holder died."""
    claim = sa.select(sa.func.pg_try_advisory_lock(sa.literal(key, sa.BigInteger)))
    for _ in range(10):
        if connection.execute(claim).scalar_one():
            return True
        time.sleep(0.1)
    return False


def _now() -> datetime:
    return datetime.now(timezone.utc)
