"""Whether a database holds exactly the tables of a study, before anything is read from them.

A file may come from anybody. A view or a trigger in place of a table, or a table with a default or a check of its own,
would run whenever a study is opened or changed: for minutes, or to drop a result without a word.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

import sqlalchemy as sa
from sqlalchemy.dialects import sqlite

from camobo.errors import Advice, StorageError, shown
from camobo.storage.formats import OLDEST
from camobo.storage.schema import OPTUNAS, STUDY, TABLES

APPLICATION = 0x63616D6F  # "camo" in the header of a SQLite file
_MOST = 50
"""Tables, indexes, views and triggers that are looked at: ours are four."""
Names = Mapping[tuple[str, str], str]
"""What a file declares: by kind and name the statement that created it, without spaces and quotes."""

FIRST_HASHED = 4
"""The first format whose events have hashes."""
NEW_IN_4 = {"study": ("hash", "count", "chain"), "events": ("request", "hash")}
"""The columns that format 4 added, by table."""


def _plain(statement: object) -> str:
    return re.sub(r"[\s\"'`\[\]]+", "", str(statement)).lower()


def _declared() -> Names:
    """What the file of a new study declares."""
    dialect = sqlite.dialect()
    found = {}
    for table in TABLES.sorted_tables:
        found["table", table.name] = _plain(sa.schema.CreateTable(table).compile(dialect=dialect))
        for index in table.indexes:
            found["index", str(index.name)] = _plain(sa.schema.CreateIndex(index).compile(dialect=dialect))
    return found


_NOW = _declared()
_BEFORE_4 = {
    **_NOW,
    ("table", "study"): _plain(
        "CREATE TABLE study (id INTEGER NOT NULL, format INTEGER NOT NULL, document JSON NOT NULL, "
        "created TEXT NOT NULL, PRIMARY KEY (id))"
    ),
    ("table", "events"): _plain(
        "CREATE TABLE events (number INTEGER NOT NULL, kind TEXT NOT NULL, trial INTEGER, at TEXT NOT NULL, "
        "who TEXT NOT NULL, new JSON NOT NULL, old JSON, PRIMARY KEY (number))"
    ),
}


def format_in_file(connection: sa.Connection, place: str, newest: int) -> int | None:
    """The format of the study in a SQLite file, None if it has none; an error if the file holds anything else.

    Tables are compared up to the newest format that is known. Others are for a newer camobo to judge.
    """
    application = connection.exec_driver_sql("PRAGMA application_id").scalar_one()
    found = _declarations(connection)
    if not found and not application:
        return None
    now, before = _differences(found, _NOW), _differences(found, _BEFORE_4)
    if application != APPLICATION and now and before:
        refuse_foreign(place, {name for kind, name in found if kind == "table"})
    if application != APPLICATION:
        raise _damaged(place, "the header of the file does not say that it is one")
    number = stored_format(connection, place) if ("table", STUDY.name) in found else newest
    if not OLDEST <= number <= newest:
        return number
    expected, other = (now, before) if number >= FIRST_HASHED else (before, now)
    if expected and not other:
        raise _damaged(place, f"its format is {number}, but its tables are of another")
    if expected:
        raise StorageError(
            f"{place}: the study is damaged, or was changed to do harm: {expected[0]}. It is unchanged, and nothing "
            "more was read from it. Restore it from a copy, or undo with SQL what camobo did not do."
        )
    return number


def _declarations(connection: sa.Connection) -> Names:
    """What the file declares, apart from what SQLite's ANALYZE adds."""
    declared = connection.exec_driver_sql(
        f"SELECT type, name, sql FROM sqlite_master WHERE type != 'table' OR name NOT IN ('sqlite_stat1', "
        f"'sqlite_stat4') LIMIT {_MOST}"
    )
    return {(str(kind), str(name)): _plain(sql) for kind, name, sql in declared}


def _differences(found: Names, expected: Names) -> list[str]:
    """Where the declarations of a file are not the expected ones, in words."""
    names = {name: kind for kind, name in expected}
    strange = [
        f"there is a {kind} in place of its {names[name]} {name}"
        if name in names
        else f"it has a{'n' * (kind == 'index')} {kind} {shown(name)}"
        for kind, name in found
        if (kind, name) not in expected
    ]
    missing = [f"its {kind} {name} is missing" for kind, name in expected if (kind, name) not in found]
    changed = [f"its {kind} {name} is declared in another way" for (kind, name) in expected if (kind, name) in found
               and found[kind, name] != expected[kind, name]]  # fmt: skip
    return [*strange, *missing, *changed]


def format_on_server(connection: sa.Connection, place: str, newest: int, schema: str | None) -> int | None:
    """The format of the study in a schema of a server, None if it has none; an error if a table is somebody else's."""
    look = sa.inspect(connection)
    names = set(look.get_table_names(schema=schema))
    if STUDY.name not in names:
        return None
    now = {(name, column) for name, table in TABLES.tables.items() for column in [each.name for each in table.c]}
    found = {
        (name, column["name"])
        for name in names & set(TABLES.tables)
        for column in look.get_columns(name, schema=schema)
    }
    if not found >= now - {(name, column) for name, added in NEW_IN_4.items() for column in added}:
        refuse_foreign(place, names)
    number = stored_format(connection, place)
    if OLDEST <= number <= newest and (number >= FIRST_HASHED) != (found >= now):
        raise _damaged(place, f"its format is {number}, but its tables are of another")
    return number


def refuse_foreign(place: str, tables: set[str]) -> None:
    """Refuse a database of somebody else."""
    hint = " It has Optuna's tables: see camobo report --optuna." if tables >= OPTUNAS else ""
    raise StorageError(f"{place}: is a database, but not a camobo study. It is unchanged.{hint}")


def stored_format(connection: sa.Connection, place: str) -> int:
    """The format in the row of the study."""
    stored = connection.execute(sa.select(STUDY.c.format).limit(2)).scalars().all()
    if len(stored) != 1:
        raise _damaged(place, "its description is there twice" if stored else "its description is missing")
    if not isinstance(stored[0], int):
        shape = shown(stored[0]) if isinstance(stored[0], str) and len(stored[0]) < _MOST else "no number"
        raise _damaged(place, f"its format is {shape}")
    return stored[0]


def _damaged(place: str, said: str) -> StorageError:
    return StorageError(f"{place}: the study is damaged, {said}.", advice=Advice.REPAIR, place=place)
