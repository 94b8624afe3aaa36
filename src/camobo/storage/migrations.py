"""Converts what is stored of a study from one format to the next, inside the caller's transaction."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import sqlalchemy as sa

from camobo.storage.formats import current_document, current_facts, current_kind
from camobo.storage.schema import EVENTS, STUDY


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
    widen = sa.DDL("ALTER TABLE %(fullname)s ADD COLUMN request TEXT")  # type: ignore[no-untyped-call]
    connection.execute(widen.against(EVENTS))


MIGRATIONS: Mapping[int, Callable[[sa.Connection], None]] = {1: _from_1, 2: _from_2, 3: _from_3}
"""By format: converts a study of that format to the next."""
