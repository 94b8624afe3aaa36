"""The tables of a stored study, and events and trials as their rows.

study    one row: the format of the stored data, the plan as a document, and what its events must come to (`chain`)
events   everything that happened, in order, each with a hash; rows are only added, and rewritten by a change of format.
         `request` is a random id of the change that stored a row: it tells whether a change was stored whose reply was
         lost
trials   the trials as the events leave them, written in the same transaction for readers with SQL; never read back
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import sqlalchemy as sa

from camobo.history.events import Event, when_of
from camobo.history.trial import Trial
from camobo.storage.chain import Row, hash_of_event
from camobo.storage.formats import current_facts, current_kind
from camobo.storage.stored_json import read_json, write_json

OPTUNAS = {"studies", "trials", "version_info", "alembic_version"}
"""The tables that every Optuna since 2.0 creates: its databases are recognised by them."""
TABLES = sa.MetaData()
_json = sa.JSON(none_as_null=True)
STUDY = sa.Table(
    "study",
    TABLES,
    sa.Column("id", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("format", sa.Integer, nullable=False),
    sa.Column("document", _json, nullable=False),
    sa.Column("created", sa.Text, nullable=False),
    sa.Column("hash", sa.Text, nullable=False),
    sa.Column("count", sa.Integer, nullable=False),
    sa.Column("chain", sa.Text, nullable=False),
)
EVENTS = sa.Table(
    "events",
    TABLES,
    sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("trial", sa.Integer, index=True),
    sa.Column("at", sa.Text, nullable=False),
    sa.Column("who", sa.Text, nullable=False),
    sa.Column("new", _json, nullable=False),
    sa.Column("old", _json),
    sa.Column("request", sa.Text),
    sa.Column("hash", sa.Text, nullable=False),
)
TRIALS = sa.Table(
    "trials",
    TABLES,
    sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("state", sa.Text, nullable=False),
    sa.Column("params", _json, nullable=False),
    sa.Column("results", _json),
    sa.Column("cost", sa.Float),
    sa.Column("note", sa.Text),
    sa.Column("reason", sa.Text),
    sa.Column("owner", sa.Text),
    sa.Column("expires", sa.Text),
    sa.Column("added", sa.Boolean, nullable=False),
    sa.Column("amended", sa.Boolean, nullable=False),
)


def text_of(column: sa.ColumnElement[Any], dialect: sa.Dialect) -> sa.ColumnElement[Any]:
    """A column of JSON as the text that is stored; SQLite gives whatever is there, of any type."""
    return sa.type_coerce(column, sa.Text) if dialect.name == "sqlite" else sa.cast(column, sa.Text)


def on_table(table: sa.Table, statement: str) -> sa.DDL:
    """A statement about a table, which it calls %(fullname)s."""
    ddl: sa.DDL = sa.DDL(statement).against(table)  # type: ignore[no-untyped-call]
    return ddl


def rows_of_events(dialect: sa.Dialect, *, hashed: bool) -> sa.Select[Any]:
    """The rows of events in order, each as `chain.Row`; before format 4 they had no hash."""
    facts = (text_of(EVENTS.c.new, dialect), text_of(EVENTS.c.old, dialect))
    link = EVENTS.c.hash if hashed else sa.literal("")
    plain = (EVENTS.c[name] for name in ("number", "kind", "trial", "at", "who"))
    return sa.select(*plain, *facts, link).order_by(EVENTS.c.number)


def read_events(rows: Iterable[Row]) -> list[Event]:
    """The events that rows hold; ValueError or the like if one makes no sense."""
    return [
        Event(
            number,
            current_kind(kind),
            trial,
            when_of(at),
            who,
            current_facts(read_json(new)) if kind == "asked" else read_json(new),
            None if old is None else read_json(old),
        )
        for number, kind, trial, at, who, new, old, _ in rows
    ]


def is_stored(connection: sa.Connection, request: str) -> bool:
    """Whether a request has stored events."""
    query = sa.select(EVENTS.c.number).where(EVENTS.c.request == request).limit(1)
    return connection.execute(query).first() is not None


def event_row(event: Event) -> dict[str, Any]:
    """An event as a row."""
    number, kind, trial, at, who = event.number, event.kind, event.trial, event.when.isoformat(), event.who
    new, old = write_json(event.new), None if event.old is None else write_json(event.old)
    plain = {"number": number, "kind": kind, "trial": trial, "at": at, "who": who}
    return {**plain, "new": event.new, "old": event.old, "hash": hash_of_event(number, kind, trial, at, who, new, old)}


def trial_row(trial: Trial) -> dict[str, Any]:
    """A trial as a row."""
    facts = trial.as_dict()
    facts["results"] = facts.pop("values") or None
    return {column.name: facts[column.name] for column in TRIALS.c}
