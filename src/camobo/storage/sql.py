"""A study in a database: the same tables in SQLite (a file) and PostgreSQL (a server), through SQLAlchemy Core.

A writer first takes a lock: SQLite's `BEGIN IMMEDIATE`, PostgreSQL's row lock on `study`. Readers do not wait. Every
commit is on disk when it returns (`synchronous=FULL`; PostgreSQL's default), and in the file itself rather than in
SQLite's log as soon as no reader needs the state before. What is read is verified (`chain`).
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, TypeVar

import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError

from camobo.errors import Advice, InvalidOptionError, StorageError
from camobo.hints import redacted
from camobo.history.events import Event
from camobo.storage.chain import hash_of_description
from camobo.storage.connections import (
    PATIENCE,
    file_engine,
    given_back,
    hurried,
    read_url,
    readable,
    server_engine,
    shown_url,
    storage_errors,
    what_to_do,
    whole,
)
from camobo.storage.file_locks import alone, claimed, number_of
from camobo.storage.formats import FORMAT, OLDEST
from camobo.storage.migrations import MIGRATIONS
from camobo.storage.opened_file import OpenedFile, opened_file
from camobo.storage.reading import Known, read_document, read_links, read_since
from camobo.storage.schema import STUDY, TABLES, on_table
from camobo.storage.stored_json import write_json
from camobo.storage.tables import APPLICATION, format_in_file, format_on_server
from camobo.storage.transaction import SqlTransaction

T = TypeVar("T")

_CREATING = 0
_LOOKS, _PAUSE = 50, 0.02
"""How often a file that may not be written is read anew because it changed meanwhile."""


def open_sql(storage: str, *, create: bool) -> SqlStore:
    """The study in a file or at a URL; `?schema=alloy` separates studies. `create` allows a new file or tables."""
    store = store_at(storage, create=create)
    try:
        store.open(create=create)
    except BaseException:
        store.close()
        raise
    return store


def store_at(storage: str, *, create: bool) -> SqlStore:
    """The store in a file or at a URL, before anything is read from it."""
    if "://" not in storage:
        if redacted(storage) != storage:
            raise InvalidOptionError(
                "storage: this looks like a connection string, or a URL with a mistake. Write it like "
                "postgresql+psycopg://user:password@server/database."
            )
        return _in_file(Path(storage), create=create)
    url = read_url(storage)
    kind = url.get_backend_name()
    if kind == "sqlite" and url.database not in (None, "", ":memory:"):
        return _in_file(Path(str(url.database)), create=create)
    if kind != "postgresql":
        raise InvalidOptionError(
            f'storage: need a file such as "alloy.db" or a URL "postgresql+psycopg://…", got {shown_url(url)!r}.',
            advice=Advice.IN_MEMORY,
        )
    schema = url.query.get("schema", None)
    if schema is not None and not (isinstance(schema, str) and schema):
        raise InvalidOptionError(f"storage: need one schema in the URL, got {schema!r}.")
    return SqlStore(shown_url(url), server_engine(url, schema), schema)


def _in_file(path: Path, *, create: bool) -> SqlStore:
    return SqlStore(str(path), file_engine(path, create=create), file=opened_file(path))


@dataclass(frozen=True, slots=True)
class SqlStore:
    """A study in SQLite or PostgreSQL."""

    place: str
    engine: sa.Engine = field(repr=False)
    schema: str | None = None
    process: int = field(default_factory=os.getpid)
    file: OpenedFile | None = None
    known: Known = field(default_factory=Known, repr=False)

    @property
    def _is_file(self) -> bool:
        return self.file is not None

    def open(self, *, create: bool) -> None:
        """Check that this is a study of a format we read. Refuse anything else; write nothing."""
        if self.file is not None:
            self.file.check_log()  # before SQLite reads it
        with storage_errors(self.place):
            found = self._look()
            if self.file is not None:
                self.file.remember()
            if found is None and self.file is not None:
                self._refuse_emptied()
            if found is None and not create:
                raise StorageError(f"{self.place}: contains no study.", advice=Advice.CREATE)
            if found is not None:
                self.check_format(found)

    def _refuse_emptied(self) -> None:
        """Refuse an empty file beside which a study has left its lock file: it was cut short."""
        lock = Path(self.place + "-ask")
        if lock.exists():
            raise StorageError(
                f"{self.place}: is empty, but {lock.name} beside it says that it was a study. Restore it from a copy; "
                f"to begin a new study here, remove {lock.name}."
            )

    def check_format(self, found: int) -> None:
        """Refuse a format that this version does not read."""
        if not OLDEST <= found <= FORMAT:
            raise StorageError(
                f"{self.place}: the study has format {found}, this camobo reads formats {OLDEST} to {FORMAT}. "
                f"Use {'a newer' if found > FORMAT else 'an older'} camobo. The study is unchanged."
            )

    def _look(self) -> int | None:
        """The format of the stored study; None if nothing is stored."""
        self.known.format = self.read(self.format_in)
        return self.known.format

    def format_in(self, connection: sa.Connection) -> int | None:
        """The format of the study that a connection shows; None if nothing is stored, an error if it is no study."""
        if not self._is_file:
            return format_on_server(connection, self.place, FORMAT, self.schema)
        with hurried(connection):
            return format_in_file(connection, self.place, FORMAT)

    def _convert(self, connection: sa.Connection) -> None:
        """Convert a study of an older format, as part of its first change."""
        found = self.format_in(connection)
        if found is None:
            raise StorageError(f"{self.place}: contains no study any more.")
        self.check_format(found)
        with readable(self.place):
            for version in range(found, FORMAT):
                MIGRATIONS[version](connection)
                connection.execute(sa.update(STUDY).values(format=version + 1))

    def create(self, document: dict[str, Any]) -> dict[str, Any]:
        """Create the study and return its document; if one exists, return that one's."""
        with storage_errors(self.place):
            if self._look() is not None:
                return self.document()
            if self._is_file:
                self._use_wal()
            with self._writing(lock=False) as connection:
                if self._is_file:
                    connection.exec_driver_sql(f"PRAGMA application_id={APPLICATION}")
                else:
                    self._prepare_server(connection)
                TABLES.create_all(connection)
                if connection.execute(sa.select(STUDY.c.id)).first() is None:
                    self._describe(connection, document)
            self._look()
            return self.document()

    @staticmethod
    def _describe(connection: sa.Connection, document: dict[str, Any]) -> None:
        created = _now().isoformat()
        first = hash_of_description(write_json(document), created)
        row = {"id": 1, "format": FORMAT, "document": document, "created": created}
        connection.execute(sa.insert(STUDY), {**row, "hash": first, "count": 0, "chain": first})

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

        def read(connection: sa.Connection) -> dict[str, Any]:
            hashed = self._hashed(connection)
            with readable(self.place):
                return read_document(connection, hashed=hashed)

        with storage_errors(self.place):
            return self.read(read)

    def events(self, since: int = 0, until: int | None = None) -> list[Event]:
        """The events from number `since` to before `until`."""

        def read(connection: sa.Connection) -> list[Event]:
            hashed = self._hashed(connection)
            with readable(self.place):
                events, links = read_since(connection, self.known, since, until)
            if hashed and until is None:
                self.known.links = links
            return events

        with storage_errors(self.place):
            return self.read(read)

    def _hashed(self, connection: sa.Connection) -> bool:
        """Whether the study has hashes; an old one may have been converted since the last look."""
        if not self.known.hashed and (found := self.format_in(connection)) is not None:
            self.check_format(found)
            self.known.format = found
        return self.known.hashed

    @contextmanager
    def transaction(self, request: str | None = None) -> Iterator[SqlTransaction]:
        """A change: stored when the block ends, undone if it raises."""
        with storage_errors(self.place), self._writing(request=request) as connection:
            self._convert(connection)
            # The server's clock, so that leases end at the same time for everybody.
            now = _now() if self._is_file else connection.execute(sa.select(sa.func.clock_timestamp())).scalar_one()
            known = Known(FORMAT, self.known.links)
            yield SqlTransaction(self.place, connection, now.astimezone(timezone.utc), known, request)
            with readable(self.place):
                known.links = read_links(connection)[1]
        self.known.format, self.known.links = known.format, known.links

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

    def read(self, query: Callable[[sa.Connection], T]) -> T:
        """What a query finds in one state of the study, whoever changes it meanwhile; it may be asked again."""
        for _ in range(_LOOKS):
            if self.file is not None:
                self.file.check()  # before connecting, which could apply this study's log to another file
            with self._connection() as connection:  # which ends the transaction: COMMIT would fail in a damaged file
                rest = connection.info.get("at rest")
                try:
                    found = query(connection)
                except (StorageError, DBAPIError):
                    if self._is_still(rest):
                        self._blame_log()
                        raise
                else:
                    if self._is_still(rest):
                        return found
            time.sleep(_PAUSE)
        raise StorageError(f"{self.place}: is changed by others all the time, and cannot be read. Try again.")

    def _connection(self) -> sa.Connection:
        connection = self.engine.connect()
        return connection if self._is_file else connection.execution_options(isolation_level="REPEATABLE READ")

    def _is_still(self, rest: object) -> bool:
        """Whether a file that was read as one that cannot change has not."""
        return rest is None or self.file is None or rest == self.file.at_rest()

    def _blame_log(self) -> None:
        """Raise if what could not be read lies in a damaged log."""
        if self.file is not None:
            self.file.check_log()

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
                try:
                    yield connection
                except DBAPIError:
                    self._blame_log()
                    raise
            if self.file is not None:
                self.file.check(connection.info)  # a change to a file that is gone is not stored
                _move_into_file(connection)

    def _lock_server(self, connection: sa.Connection, *, row: bool) -> None:
        connection.exec_driver_sql(f"SET LOCAL lock_timeout = '{PATIENCE}s'")
        if row and self.known.format is not None and self.known.format < FORMAT:
            # First of all: whoever waits for the row already has a weaker lock on the table, and would be waited for.
            connection.execute(on_table(STUDY, "LOCK TABLE %(fullname)s IN ACCESS EXCLUSIVE MODE"))
        elif row:
            connection.execute(sa.select(STUDY.c.id).with_for_update()).scalar_one()

    def close(self) -> None:
        """Close files and connections; a forked process leaves its parent's open."""
        self.engine.dispose(close=os.getpid() == self.process)


def _move_into_file(connection: sa.Connection) -> None:
    """Copy what is in SQLite's log into the file, so that nothing is lost with the log.

    It waits for nobody: a reader of an earlier state or another process that does the same may be in the way.
    """
    raw: Any = connection.connection.driver_connection
    with suppress(sqlite3.OperationalError):  # the change is stored in the log, and the next one copies both
        raw.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()


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
