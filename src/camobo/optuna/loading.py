"""Opening the storage of an Optuna study, and what its errors mean."""

from __future__ import annotations

import os
import re
from pathlib import Path

import optuna
import sqlalchemy
from optuna.storages import BaseStorage, JournalStorage, RDBStorage
from optuna.storages.journal import JournalFileBackend
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from camobo.connect import what_to_do
from camobo.errors import CamoboError, InvalidOptionError, StorageError
from camobo.tables import OPTUNAS

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
"""Drivers that pip knows by another name than Python."""


def load(storage: str, name: str | None = None) -> optuna.Study:
    """The Optuna study at a storage URL, or in a file; it needs no name if it is the only one there.

    The file may be an SQLite database or the journal of a JournalStorage. Creates nothing: a database without Optuna's
    tables is refused and left as it is.
    """
    url = _checked(storage)
    place = url.difference_update_query(["password"]).render_as_string(hide_password=True)
    path = (url.database or "").removeprefix("file:") if url.get_backend_name() == "sqlite" else ""  # a URI's too
    if path and not os.path.exists(path):  # Path raises an error of a name that is too long
        raise StorageError(f"{place}: there is no file {path!r}. Name the storage of the Optuna study.")
    try:
        kept: BaseStorage
        if path and _is_journal(Path(path)):
            kept = JournalStorage(JournalFileBackend(path))
        else:
            _check_tables(url, place)
            kept = RDBStorage(url.render_as_string(hide_password=False), skip_table_creation=True)
        names = [study.study_name for study in optuna.get_all_study_summaries(kept, include_best_trial=False)]
        if name is None and len(names) == 1:
            name = names[0]
        if name not in names:
            there = ", ".join(repr(known) for known in names) or "none"
            asked = "need the name of a study" if name is None else f"no Optuna study called {name!r}"
            raise InvalidOptionError(f"{place}: {asked}. There: {there}.")
        study = optuna.load_study(study_name=name, storage=kept)
        study.get_trials(deepcopy=False)  # of a damaged database, what cannot be read is only met there
        return study
    except CamoboError:
        raise
    except ImportError as error:
        raise StorageError(f"{place}: {_missing_driver(error)}") from error
    except _UNREADABLE as error:
        raise StorageError(f"{place}: {_why_unreadable(error)}") from error


def _missing_driver(error: ImportError) -> str:
    if error.name is None:
        return f"cannot be opened here: {_first_line(error)}. Install the driver its URL names with pip."
    driver = error.name.split(".")[0]
    return (
        f"needs the driver {driver}, which is not installed. "
        f"Install it with: pip install {_PACKAGES.get(driver, driver)}"
    )


def _why_unreadable(error: BaseException) -> str:
    """What is wrong and what to do: a database that is busy, or a server that is not there, is not a damaged one."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, DBAPIError) and cause.orig is not None:
            said = " ".join(str(cause.orig).split()).rstrip(".?")
            return f"cannot be read: {said}.{what_to_do(said) or ' See whether Optuna itself can load the study.'}"
        cause = cause.__cause__
    return (
        f"cannot be read as Optuna's storage: {type(error).__name__}: {_first_line(error)}. "
        "See whether Optuna itself can load the study; if not, its database is damaged."
    )


def _is_journal(path: Path) -> bool:
    with path.open("rb") as file:
        start = file.readline(10_000)
    return start.startswith(b"{") and b'"op_code"' in start


def _checked(storage: str) -> sqlalchemy.URL:
    if isinstance(storage, str) and os.path.isfile(storage):
        return sqlalchemy.URL.create("sqlite", database=storage)
    try:
        url = sqlalchemy.make_url(storage)
    except (SQLAlchemyError, ValueError):  # the latter of a port that is no number
        hidden = re.sub(r":(?!//).*@", ":***@", storage) if isinstance(storage, str) else storage
        raise InvalidOptionError(
            'storage: need a URL as Optuna writes it, such as "sqlite:///forest.db", or a file there is, got '
            f"{hidden!r}."
        ) from None
    if url.drivername.startswith("redis"):
        raise InvalidOptionError(
            'storage: need the URL of a database, such as "sqlite:///forest.db", got one of Redis. Optuna keeps '
            "studies there in a JournalStorage: load the study in Python and report on camobo.optuna.record(study)."
        )
    return url


def _check_tables(url: sqlalchemy.URL, place: str) -> None:
    """Refuse a database that is not Optuna's: opening it, Optuna would make its tables there."""
    engine = sqlalchemy.create_engine(url)
    try:
        there = sqlalchemy.inspect(engine).get_table_names()
    finally:
        engine.dispose()
    if not OPTUNAS.issubset(there):
        raise StorageError(
            f"{place}: is not Optuna's, it lacks the tables Optuna makes, and was left as it is. Name the storage of "
            "an Optuna study; camobo opens its own studies by their files, such as alloy.db."
        )


def _first_line(error: BaseException) -> str:
    return next(iter(str(error).strip().splitlines()), type(error).__name__)
