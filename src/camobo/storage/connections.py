"""Connections to SQLite files and PostgreSQL servers, and what to do about their errors."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import quote

import sqlalchemy as sa
from sqlalchemy import event as hooks
from sqlalchemy.exc import DBAPIError, DisconnectionError, SQLAlchemyError

from camobo.errors import Advice, InvalidOptionError, MissingExtraError, OutcomeUnknown, StorageError, shown
from camobo.hints import HIDDEN, redacted
from camobo.storage.opened_file import OpenedFile, opened_file
from camobo.storage.stored_json import LONGEST, read_json, write_json

PATIENCE = 300
"""Seconds to wait for another process. Then a write fails, and a suggestion is computed without waiting its turn."""
_SMALLEST = 512
"""Bytes of the smallest SQLite file."""
_LONGEST_LOOK = 10
"""Seconds that finding out what a file holds may take."""


def read_url(text: str) -> sa.URL:
    """The URL of a database. No error shows it, nor what its reader said: that could be part of a password."""
    try:
        url = sa.make_url(text)
    except SQLAlchemyError:
        raise InvalidOptionError(
            "storage: cannot read the URL. Write it like postgresql+psycopg://user:password@server:5432/database."
        ) from None
    except ValueError:
        raise InvalidOptionError(
            "storage: cannot read the URL: its port is not a number. A password goes before the server: "
            "postgresql+psycopg://user:password@server/database."
        ) from None
    check_url(url)
    return url


def check_url(url: sa.URL) -> None:
    """Refuse a URL with its password in the wrong place, which the driver's error would show, or with none."""
    if "@" in (url.host or ""):
        raise InvalidOptionError("storage: the URL has more than one @. Write an @ of the password as %40.")
    if HIDDEN in (url.password, *url.query.values()):
        raise InvalidOptionError(
            f"storage: the password in the URL is {HIDDEN}, as it is shown. Write the real one, or leave it out and "
            "give it as PGPASSWORD or in ~/.pgpass."
        )


def shown_url(url: sa.URL) -> str:
    """A URL as messages show it."""
    return redacted(url.render_as_string(hide_password=False))


def file_engine(path: Path, *, create: bool) -> sa.Engine:
    """Connections to a SQLite file. Refuses other files without touching them."""
    place = str(path)
    _check_name(path)
    if not path.exists() and not create:
        raise StorageError(f"{place}: no such file.", advice=Advice.CREATE)
    if path.is_dir() or (path.exists() and not path.is_file()):
        raise StorageError(f"{place}: is not a file. Name a file, such as alloy.db.")
    if not path.absolute().parent.is_dir():
        raise StorageError(f"{place}: its folder does not exist. Create {path.absolute().parent} first.")
    _check_size(path)
    log = opened_file(path).log.exists()
    writable = (not path.exists() or os.access(path, os.W_OK)) and (log or os.access(path.absolute().parent, os.W_OK))
    options = {"uri": "true", "mode": ("rwc" if create else "rw") if writable else "ro"}
    engine = sa.create_engine(
        sa.URL.create("sqlite", database=f"file:{quote(str(path.absolute()))}", query=options),
        json_serializer=write_json,
        json_deserializer=read_json,
        connect_args={"timeout": PATIENCE},
        **({"pool_size": 1, "max_overflow": 4} if writable else {"poolclass": sa.NullPool}),
    )
    if not writable:
        hooks.listen(engine, "do_connect", partial(_connect_to_read, opened_file(path)))
    hooks.listen(engine, "connect", _settle_sqlite)
    hooks.listen(engine, "begin", _begin_sqlite)
    return _of_one_process(engine)


def _check_name(path: Path) -> None:
    """Refuse a name that no file can have, or that may not be accessed."""
    try:
        os.lstat(path)
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return  # the caller says what is missing
    except OSError as error:
        raise StorageError(
            f"{shown(str(path))}: cannot be accessed: {error.strerror or error}. Name a file."
        ) from error


def _of_one_process(engine: sa.Engine) -> sa.Engine:
    """Make a forked process open connections of its own: two processes cannot share one."""
    hooks.listen(engine, "connect", _remember_process)
    hooks.listen(engine, "checkout", _refuse_parents_connection)
    return engine


def _remember_process(_: object, record: Any) -> None:
    record.info["process"] = os.getpid()


def _refuse_parents_connection(_: object, record: Any, proxy: Any) -> None:
    if record.info["process"] != os.getpid():
        record.dbapi_connection = proxy.dbapi_connection = None
        raise DisconnectionError("the connection belongs to the parent process")


def _check_size(path: Path) -> None:
    """Refuse a file that is too small for SQLite's, which SQLite would overwrite.

    The file is not opened here: to close it would release the locks that another connection of this process has on it.
    """
    if path.exists() and 0 < path.stat().st_size < _SMALLEST:
        raise _of_another_kind(str(path))


def _of_another_kind(place: str) -> StorageError:
    return StorageError(f"{place}: is not a camobo study but another kind of file. It is unchanged.")


def _connect_to_read(file: OpenedFile, _: object, record: Any, arguments: list[str], __: object) -> None:
    """Connect for one use to a file that may not be written.

    While nobody uses the study there is no log, and SQLite would create one even to read: it is told that the file
    cannot change. Whether it changed all the same is looked at after the use (`OpenedFile.at_rest`).
    """
    record.info["at rest"] = rest = file.at_rest()
    if rest is not None:
        arguments[0] += "&immutable=1"


def _settle_sqlite(connection: Any, _: object) -> None:
    connection.isolation_level = None  # we begin transactions ourselves
    if hasattr(connection, "setlimit"):  # Python 3.11
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST)
    try:
        for setting in ("synchronous=FULL", "trusted_schema=OFF", "cell_size_check=ON"):
            connection.execute(f"PRAGMA {setting}")
    except UnicodeDecodeError as error:  # in what SQLite says, which quotes the damaged declaration of a table
        raise sqlite3.DatabaseError("malformed database schema: it is no text") from error


@contextmanager
def hurried(connection: sa.Connection) -> Iterator[None]:
    """Interrupt what takes SQLite longer than looking at a study may take: its tables can be made to hang a reader."""
    raw, end = connection.connection.driver_connection, time.monotonic() + _LONGEST_LOOK
    if not isinstance(raw, sqlite3.Connection):
        yield
        return
    raw.set_progress_handler(lambda: time.monotonic() > end, 100_000)
    try:
        yield
    finally:
        raw.set_progress_handler(None, 0)


def _begin_sqlite(connection: sa.Connection) -> None:
    connection.exec_driver_sql(connection.get_execution_options().get("begin", "BEGIN"))


def server_engine(url: sa.URL, schema: str | None) -> sa.Engine:
    """Connections to a PostgreSQL database."""
    if url.drivername == "postgresql":
        url = url.set(drivername="postgresql+psycopg")
    bare = url.difference_update_query(["schema"])
    try:
        engine = sa.create_engine(
            bare if "connect_timeout" in bare.query else bare.update_query_dict({"connect_timeout": "10"}),
            json_serializer=write_json,
            json_deserializer=read_json,
            pool_size=1,
            max_overflow=4,
            pool_pre_ping=True,  # after a restart of the server, reconnect instead of failing
            execution_options={"schema_translate_map": {None: schema}},
        )
    except ModuleNotFoundError as error:
        raise MissingExtraError(
            f"storage: PostgreSQL needs {error.name}, which is not installed. "
            "Install it with: pip install 'camobo[postgres]'"
        ) from error
    return _of_one_process(engine)


@contextmanager
def readable(place: str) -> Iterator[None]:
    """Turn errors from records that cannot be read into a StorageError: somebody changed what we wrote."""
    try:
        yield
    except StorageError as error:
        said = f"{place}: the study is damaged: {error.message}"
        raise StorageError(said, advice=Advice.REPAIR, place=place) from error
    except (ValueError, TypeError, AttributeError, LookupError, ArithmeticError, RecursionError) as error:
        said = f"{place}: the study is damaged, a record cannot be read: {error}."
        raise StorageError(said, advice=Advice.REPAIR, place=place) from error


@contextmanager
def whole(connection: sa.Connection, place: str, request: str | None) -> Iterator[None]:
    """A transaction: stored whole or not at all. If COMMIT itself raises, nobody knows which."""
    with connection.begin() as begun:
        yield
        try:
            begun.commit()
        except DBAPIError as error:
            said = f"{place}: {_said(error)}.{what_to_do(_said(error))}"
            text = f"{said} Whether the change was stored is unknown."
            raise OutcomeUnknown(text, advice=Advice.LOOK, said=said, request=request) from error


def given_back(connection: sa.Connection) -> None:
    """Close a connection with what it locks. If it is lost, the locks are gone as well, and nobody needs to know."""
    with suppress(SQLAlchemyError):
        connection.close()


def _said(error: DBAPIError) -> str:
    """What a database said, in one line."""
    return redacted(" ".join(str(error.orig).split()).rstrip(".?"))


@contextmanager
def storage_errors(place: str) -> Iterator[None]:
    """Turn errors of a database or its driver into a StorageError that says what to do."""
    try:
        yield
    except DBAPIError as error:
        if "file is not a database" in str(error.orig):
            raise _of_another_kind(place) from error
        text = _said(error)
        unchanged = "" if _is_damage(text) else " Everything stored before is unchanged."
        raise StorageError(f"{place}: {text}.{what_to_do(text)}{unchanged}") from error
    except SQLAlchemyError as error:
        raise StorageError(f"{place}: {redacted(' '.join(str(error).split()))}.") from error


_DAMAGE = {"malformed": " The file is damaged: restore it from a copy."}
_ADVICE = {
    **_DAMAGE,
    "readonly": " It cannot be written to: check the permissions of the file and its folder.",
    "read-only": " It cannot be written to: check its permissions.",
    "full": " Make room on the disk and try again.",
    "disk i/o": " The disk refused it: is it full or disconnected?",
    "too big": f" A text or table of a study has at most {LONGEST // 1_000_000} million bytes.",
    "interrupted": f" It took longer than {_LONGEST_LOOK} s to look at: the file is damaged or was made to do so.",
    "locked": " Other processes kept it busy for too long: try again.",
    "permission denied": " You may not write to it: use a user who may.",
    "unable to open": " Check that the file and its folder can be read and written.",
    "lock timeout": " Other processes kept it busy for too long: try again.",
    "connection": " Is the server running, and the URL right?",
}


def _is_damage(said: str) -> bool:
    """Whether a database error, recognised by its wording, says that the file is damaged."""
    return any(sign in said.lower() for sign in _DAMAGE)


def what_to_do(said: str) -> str:
    """Advice about a database error, recognised by its wording; empty if it is not known."""
    return next((advice for sign, advice in _ADVICE.items() if sign in said.lower()), "")
