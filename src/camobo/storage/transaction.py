"""One change of a study in a database."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from camobo.history.events import Event
from camobo.history.trial import Trial
from camobo.storage.connections import readable, storage_errors
from camobo.storage.reading import Known, read_links, read_since
from camobo.storage.schema import EVENTS, STUDY, TRIALS, event_row, is_stored, trial_row


def _put(insert: Any) -> Any:
    """Insert a trial, or update its row."""
    changing = {column.name: insert.excluded[column.name] for column in TRIALS.c if column.name != "number"}
    return insert.on_conflict_do_update(index_elements=["number"], set_=changing)


_PUT_TRIAL = {"sqlite": _put(sqlite.insert(TRIALS)), "postgresql": _put(postgresql.insert(TRIALS))}


@dataclass(frozen=True, slots=True)
class SqlTransaction:
    """One change of a study, with other writers excluded."""

    place: str
    connection: sa.Connection
    now: datetime
    known: Known
    request: str | None = None

    def events(self, since: int) -> list[Event]:
        """The events from number `since` on."""
        with readable(self.place):
            return read_since(self.connection, self.known, since)[0]

    def holds(self, request: str) -> bool:
        """Whether events of a request are stored."""
        return is_stored(self.connection, request)

    def append(self, events: Sequence[Event], trials: Sequence[Trial]) -> None:
        """Add events, and the trials as they are after them."""
        put = _PUT_TRIAL[self.connection.dialect.name]
        with storage_errors(self.place):
            if events:
                rows = [event_row(event) for event in events]
                links = read_links(self.connection)[1].after(row["hash"] for row in rows)
                self.connection.execute(sa.insert(EVENTS), [{**row, "request": self.request} for row in rows])
                self.connection.execute(sa.update(STUDY).values(count=links.count, chain=links.chain))
            if trials:
                self.connection.execute(put, [trial_row(trial) for trial in trials])
