"""Opens the storage of an Optuna study, and explains what is wrong where it cannot."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import optuna
import sqlalchemy
from optuna.storages import BaseStorage, JournalStorage, RDBStorage
from optuna.storages.journal import JournalFileBackend
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from camobo.errors import CamoboError, InvalidOptionError, StorageError
from camobo.hints import redacted
from camobo.storage.connections import check_url, shown_url, what_to_do
from camobo.storage.schema import OPTUNAS

_UNREADABLE = (
    SQLAlchemyError,
    optuna.exceptions.OptunaError,
    RuntimeError,
    OSError,
    ValueError,
    LookupError,
    TypeError,
    AssertionError,
)
"""What Optuna and SQLAlchemy raise where a storage cannot be read."""

_PACKAGES = {"psycopg": "'camobo[postgres]'", "psycopg2": "psycopg2-binary", "MySQLdb": "mysqlclient"}
"""Drivers whose package has another name than their module."""


def load(storage: str, name: str | None = None) -> optuna.Study:
    """The Optuna study in a storage, given as a URL or a file. The only study in it needs no name.

    A file may be an SQLite database or the journal of a JournalStorage. Writes nothing: a database without Optuna's
    tables is refused and not changed.
    """
    url = _read_url(storage)
    place = shown_url(url)
    try:
        opened = _open(url, place)
        names = [study.study_name for study in optuna.get_all_study_summaries(opened, include_best_trial=False)]
        study = optuna.load_study(study_name=_choose(names, name, place), storage=opened)
        study.get_trials(deepcopy=False)  # only this reads all that may be damaged
        return study
    except CamoboError:
        raise
    except ImportError as error:
        raise StorageError(f"{place}: {_missing_driver(error)}") from error
    except _UNREADABLE as error:
        raise StorageError(f"{place}: {_why_unreadable(error)}") from error


def _read_url(storage: str) -> sqlalchemy.URL:
    """The URL given, or that of a file."""
    if isinstance(storage, str) and os.path.isfile(storage):
        return sqlalchemy.URL.create("sqlite", database=storage)
    try:
        url = sqlalchemy.make_url(str(storage))  # old versions pass what is not text through
    except (SQLAlchemyError, ValueError):  # ValueError: the port is not a number
        hidden = redacted(storage) if isinstance(storage, str) else storage
        raise InvalidOptionError(
            f'storage: need a URL such as "sqlite:///forest.db", or an existing file, got {hidden!r}.'
        ) from None
    check_url(url)
    if url.drivername.startswith("redis"):
        raise InvalidOptionError(
            'storage: need the URL of a database, such as "sqlite:///forest.db", got a Redis URL. Optuna stores '
            "studies in Redis through a JournalStorage: load the study in Python and use camobo.optuna.record(study)."
        )
    return url


def _open(url: sqlalchemy.URL, place: str) -> BaseStorage:
    """The storage, whose file or tables exist already."""
    path = ""
    if url.get_backend_name() == "sqlite":
        path = (url.database or "").removeprefix("file:")  # SQLite's URI form
    if path and not os.path.exists(path):  # Path.exists raises an error for a name that is too long
        raise StorageError(f"{place}: file {path!r} does not exist. Give the storage of an Optuna study.")
    if path and _is_journal(Path(path)):
        return JournalStorage(JournalFileBackend(path))
    _check_tables(url, place)
    return RDBStorage(url.render_as_string(hide_password=False), skip_table_creation=True)


def _is_journal(path: Path) -> bool:
    with path.open("rb") as file:
        start = file.readline(10_000)
    return start.startswith(b"{") and b'"op_code"' in start


def _check_tables(url: sqlalchemy.URL, place: str) -> None:
    """Refuse a database without Optuna's tables: Optuna would create them on opening it."""
    engine = sqlalchemy.create_engine(url)
    try:
        tables = sqlalchemy.inspect(engine).get_table_names()
    finally:
        engine.dispose()
    if not OPTUNAS.issubset(tables):
        raise StorageError(
            f"{place}: is not an Optuna storage: it lacks Optuna's tables. It was not changed. Give the storage of an "
            "Optuna study; a study of camobo's is opened by its file, such as alloy.db."
        )


def _choose(names: Sequence[str], name: str | None, place: str) -> str:
    """The name asked for, or the only one, if it is among the names."""
    if not names:
        raise InvalidOptionError(f"{place}: it has no studies. Give the storage of an Optuna study.")
    if name is None and len(names) == 1:
        return names[0]
    if name is None or name not in names:
        problem = "need the name of a study" if name is None else f"unknown study {name!r}"
        raise InvalidOptionError(f"{place}: {problem}. Studies in it: {', '.join(map(repr, names))}.")
    return name


def _missing_driver(error: ImportError) -> str:
    if error.name is None:
        return f"cannot be opened: {_first_line(error)}. Install the driver that its URL names."
    driver = error.name.split(".")[0]
    return (
        f"needs the driver {driver}, which is not installed. "
        f"Install it with: pip install {_PACKAGES.get(driver, driver)}"
    )


def _why_unreadable(error: BaseException) -> str:
    """What is wrong and what to do. A busy database, or a server that does not answer, is not a damaged one."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, DBAPIError) and cause.orig is not None:
            text = redacted(" ".join(str(cause.orig).split()).rstrip(".?"))
            return f"cannot be read: {text}.{what_to_do(text) or ' Check whether Optuna itself can load the study.'}"
        cause = cause.__cause__
    return (
        f"cannot be read as an Optuna storage: {type(error).__name__}: {_first_line(error)}. "
        "Check whether Optuna itself can load the study; if not, its database is damaged."
    )


def _first_line(error: BaseException) -> str:
    return redacted(next(iter(str(error).strip().splitlines()), type(error).__name__))
