"""The tables of a stored study, and events and trials as their rows.

study    one row: the format of the stored data, and the plan as a document
events   everything that happened, in order; rows are only added, and rewritten by a change of format. `request` is a
         random id of the change that stored a row: it tells whether a change was stored whose reply was lost
trials   the trials as the events leave them, written in the same transaction for readers with SQL; never read back
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

import sqlalchemy as sa

from camobo.history.events import Event
from camobo.history.trial import Trial
from camobo.storage.formats import current_facts, current_kind

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


def read_events(connection: sa.Connection, since: int, until: int | None) -> list[Event]:
    """The events from number `since` to before `until`."""
    columns = (EVENTS.c[name] for name in ("number", "kind", "trial", "at", "who", "new", "old"))
    query = sa.select(*columns).where(EVENTS.c.number >= since).order_by(EVENTS.c.number)
    if until is not None:
        query = query.where(EVENTS.c.number < until)
    return [
        Event(
            number,
            current_kind(kind),
            trial,
            datetime.fromisoformat(at),
            who,
            current_facts(new) if kind == "asked" else new,
            old,
        )
        for number, kind, trial, at, who, new, old in connection.execute(query)
    ]


def is_stored(connection: sa.Connection, request: str) -> bool:
    """Whether a request has stored events."""
    query = sa.select(EVENTS.c.number).where(EVENTS.c.request == request).limit(1)
    return connection.execute(query).first() is not None


def event_row(event: Event) -> dict[str, Any]:
    """An event as a row."""
    return {
        "number": event.number,
        "kind": event.kind,
        "trial": event.trial,
        "at": event.when.isoformat(),
        "who": event.who,
        "new": event.new,
        "old": event.old,
    }


def trial_row(trial: Trial) -> dict[str, Any]:
    """A trial as a row."""
    facts = trial.as_dict()
    facts["results"] = facts.pop("values") or None
    return {column.name: facts[column.name] for column in TRIALS.c}
