"""Converts what is stored of a study from one format to the next, inside the caller's transaction."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import sqlalchemy as sa

from camobo.storage.chain import Links, hash_of_description, hash_of_event
from camobo.storage.formats import current_document, current_facts, current_kind
from camobo.storage.schema import EVENTS, STUDY, on_table, rows_of_events, text_of
from camobo.storage.tables import NEW_IN_4


def _from_1(connection: sa.Connection) -> None:
    document = connection.execute(sa.select(STUDY.c.document)).scalar_one()
    connection.execute(sa.update(STUDY).values(document=current_document(document)))
    asked = sa.select(EVENTS.c.number, EVENTS.c.new).where(EVENTS.c.kind == "asked")
    changed = [{"event": number, "facts": current_facts(new)} for number, new in connection.execute(asked).all()]
    if changed:
        update = sa.update(EVENTS).where(EVENTS.c.number == sa.bindparam("event"))
        connection.execute(update.values(new=sa.bindparam("facts")), changed)


def _from_2(connection: sa.Connection) -> None:
    document = connection.execute(sa.select(STUDY.c.document)).scalar_one()
    connection.execute(sa.update(STUDY).values(document=current_document(document)))
    connection.execute(sa.update(EVENTS).where(EVENTS.c.kind == "planned").values(kind=current_kind("planned")))


def _from_3(connection: sa.Connection) -> None:
    rows = connection.execute(rows_of_events(connection.dialect, hashed=False)).all()
    hashes = [hash_of_event(*row[:7]) for row in rows]
    text = text_of(STUDY.c.document, connection.dialect)
    first = hash_of_description(*connection.execute(sa.select(text, STUDY.c.created)).one())
    links = Links(0, first).after(hashes)
    widen = _widen_in_file if connection.dialect.name == "sqlite" else _widen_on_server
    widen(connection, STUDY, [{"key": 1, "hash": first, "count": links.count, "chain": links.chain}])
    widen(
        connection,
        EVENTS,
        [{"key": row[0], "request": None, "hash": each} for row, each in zip(rows, hashes, strict=True)],
    )


def _widen_in_file(connection: sa.Connection, table: sa.Table, rows: list[dict[str, object]]) -> None:
    """Make a table anew with the columns it lacks: SQLite cannot add one that is never empty.

    `rows` has the new columns of each row, by `key`. A process of an older camobo that still has the study open cannot
    add rows any more: they would lack these columns.
    """
    aside = f"{table.name}_3"
    for index in table.indexes:
        connection.execute(sa.schema.DropIndex(index))
    connection.exec_driver_sql(f"ALTER TABLE {table.name} RENAME TO {aside}")
    connection.execute(sa.schema.CreateTable(table))
    for index in table.indexes:
        connection.execute(sa.schema.CreateIndex(index))
    added = NEW_IN_4[table.name]
    kept = [column.name for column in table.c if column.name not in added]
    key = next(iter(table.primary_key)).name
    copy = f"INSERT INTO {table.name} ({', '.join([*kept, *added])}) SELECT {', '.join(kept)}"
    values = ", ".join(f":{name}" for name in added)
    if rows:
        connection.execute(sa.text(f"{copy}, {values} FROM {aside} WHERE {key} = :key"), rows)
    connection.exec_driver_sql(f"DROP TABLE {aside}")


def _widen_on_server(connection: sa.Connection, table: sa.Table, rows: list[dict[str, object]]) -> None:
    """Add the columns that a table lacks, and fill them."""
    added = [table.c[name] for name in NEW_IN_4[table.name]]
    for column in added:
        kind = column.type.compile(connection.dialect)
        connection.execute(on_table(table, f"ALTER TABLE %(fullname)s ADD COLUMN {column.name} {kind}"))
    (key,) = table.primary_key
    values: dict[str, Any] = {column.name: sa.bindparam(f"new_{column.name}") for column in added}
    if rows:
        renamed = [{"key": row["key"], **{f"new_{name}": row[name] for name in values}} for row in rows]
        connection.execute(sa.update(table).where(key == sa.bindparam("key")).values(values), renamed)
    for column in added:
        if not column.nullable:
            connection.execute(on_table(table, f"ALTER TABLE %(fullname)s ALTER COLUMN {column.name} SET NOT NULL"))


MIGRATIONS: Mapping[int, Callable[[sa.Connection], None]] = {1: _from_1, 2: _from_2, 3: _from_3}
"""By format: converts a study of that format to the next."""
