from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from camobo.errors import StorageError
from camobo.history.document import to_document
from camobo.history.events import Event
from camobo.storage.sql import SqlStore, open_sql
from tests.support.histories import NEW, PLAN, added
from tests.support.tampering import change


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "alloy.db"


@pytest.fixture
def store(path: Path) -> Iterator[SqlStore]:
    """A study of five events."""
    with contextlib.closing(open_sql(str(path), create=True)) as store:
        store.create(to_document(PLAN))
        add(store, 5)
        yield store


def add(store: SqlStore, count: int) -> list[Event]:
    history, events = NEW, store.events()
    for number in range(len(events) + count):
        history = added(history, number).history if number < len(events) else history
    with store.transaction() as transaction:
        for number in range(len(events), len(events) + count):
            made = added(history, number)
            history = made.history
            transaction.append(made.events, [made.trial])
            events += made.events
    return events


def test_any_part_is_read(store: SqlStore) -> None:
    events = store.events()
    assert [event.number for event in events] == [0, 1, 2, 3, 4]
    for since in range(6):
        assert store.events(since) == events[since:]
        for until in range(7):
            assert store.events(since, until) == events[since:until]


def test_a_further_part_continues_what_was_read_before(store: SqlStore, path: Path) -> None:
    store.events()
    with contextlib.closing(open_sql(str(path), create=False)) as other:
        events = add(other, 2)
    assert store.events(5) == events[5:]
    assert store.events(7) == []


def test_what_was_read_before_may_not_change_into_another_past(store: SqlStore, path: Path, tmp_path: Path) -> None:
    store.events()
    change(path, "UPDATE events SET who = 'eve' WHERE number = 2", forge=True)
    with pytest.raises(StorageError, match="together they are not the list that was stored"):
        store.events(5)
    with contextlib.closing(open_sql(str(path), create=False)) as other:
        assert other.events()[2].who == "eve", "whoever opens it anew cannot know"


def test_what_was_read_before_may_not_be_lost(store: SqlStore, path: Path) -> None:
    store.events()
    change(path, "DELETE FROM events WHERE number = 4", forge=True)
    with pytest.raises(StorageError, match="has 4 events, and 5 were stored before"):
        store.events(5)


def test_the_first_events_are_read_though_later_ones_are_damaged(store: SqlStore, path: Path) -> None:
    change(path, "UPDATE events SET who = 'eve' WHERE number = 4")
    assert len(store.events(0, 4)) == 4
    with pytest.raises(StorageError, match="event 4 is not as it was stored"):
        store.events()


def test_a_damaged_description_is_found(store: SqlStore, path: Path) -> None:
    change(path, "UPDATE study SET document = replace(document, '20', '30')")
    with pytest.raises(StorageError, match="its description is not as it was stored"):
        store.document()
