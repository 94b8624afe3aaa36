"""Reads a study from a connection to its database, and verifies what it reads (`chain`)."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import Any

import sqlalchemy as sa

from camobo.errors import StorageError
from camobo.history.events import Event
from camobo.storage.chain import Links, hash_of_description, verified
from camobo.storage.formats import current_document
from camobo.storage.schema import EVENTS, STUDY, read_events, rows_of_events, text_of
from camobo.storage.stored_json import read_json
from camobo.storage.tables import FIRST_HASHED


@dataclass(slots=True)
class Known:
    """What a store knows of its study from before: whatever it reads next must continue that."""

    format: int | None = None
    """None before it is known, and if there is no study yet."""
    links: Links | None = None

    @property
    def hashed(self) -> bool:
        """Whether its events have hashes; before its first change, an old study's have none."""
        return self.format is not None and self.format >= FIRST_HASHED


def read_document(connection: sa.Connection, *, hashed: bool) -> dict[str, Any]:
    """The description of the study."""
    columns = [text_of(STUDY.c.document, connection.dialect), STUDY.c.created]
    text, created, *found = connection.execute(sa.select(*columns, *([STUDY.c.hash] if hashed else []))).one()
    if hashed and not (isinstance(text, str) and hash_of_description(text, created) == found[0]):
        raise StorageError("its description is not as it was stored: its hash is another.")
    return current_document(read_json(text))


def read_links(connection: sa.Connection) -> tuple[Links, Links]:
    """Where the chain of the events begins, and where it ends."""
    first, count, chain = connection.execute(sa.select(STUDY.c.hash, STUDY.c.count, STUDY.c.chain)).one()
    if not isinstance(count, int) or count < 0:
        raise StorageError("the number of its events is not one.")
    return Links(0, str(first)), Links(count, str(chain))


def read_since(
    connection: sa.Connection, known: Known, since: int, until: int | None = None
) -> tuple[list[Event], Links]:
    """The events from number `since` to before `until`, and where they lead if they were all read to the end."""
    query = rows_of_events(connection.dialect, hashed=known.hashed)
    if until is not None:
        query = query.where(EVENTS.c.number < until)
    if not known.hashed:
        with connection.execute(query.where(EVENTS.c.number >= since)) as rows:
            return read_events(rows), Links(0, "")
    first, last = read_links(connection)
    before = known.links
    start = before if before is not None and before.count <= since else first
    if last.count < start.count:
        raise StorageError(
            f"it has {last.count} events, and {start.count} were stored before: its latest changes were lost, "
            "or an older copy was put in its place."
        )
    with connection.execute(query.where(EVENTS.c.number >= start.count)) as rows:  # closed, whatever is wrong with them
        whole = verified(rows, start, last if until is None else None)
        return read_events(islice(whole, since - start.count, None)), last
