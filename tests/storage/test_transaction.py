from __future__ import annotations

import contextlib
from pathlib import Path

import pytest

from camobo.errors import StorageError
from camobo.history.document import to_document
from camobo.storage.sql import open_sql
from tests.support.histories import NEW, PLAN, added
from tests.support.sqlite_files import rows
from tests.support.tampering import change


def test_every_change_moves_the_end_of_the_chain_and_an_undone_one_does_not(tmp_path: Path) -> None:
    path, history = tmp_path / "alloy.db", NEW
    store = open_sql(str(path), create=True)
    store.create(to_document(PLAN))
    ends = rows(path, "SELECT count, chain FROM study")
    for number in range(3):
        made = added(history, number)
        history = made.history
        with store.transaction() as transaction:
            transaction.append(made.events, [made.trial])
        ends += rows(path, "SELECT count, chain FROM study")
    with contextlib.suppress(RuntimeError), store.transaction() as transaction:
        transaction.append(added(history, 3).events, [])
        raise RuntimeError
    assert rows(path, "SELECT count, chain FROM study") == ends[-1:]
    assert [count for count, _ in ends] == [0, 1, 2, 3]
    assert len({chain for _, chain in ends}) == 4
    assert [event.number for event in store.events()] == [0, 1, 2]
    store.close()


def test_several_changes_of_one_transaction_are_one_chain(tmp_path: Path) -> None:
    store = open_sql(str(tmp_path / "alloy.db"), create=True)
    store.create(to_document(PLAN))
    one = added(NEW)
    two = added(one.history, 1)
    with store.transaction() as transaction:
        transaction.append(one.events, [])
        transaction.append([], [one.trial])
        transaction.append(two.events, [two.trial])
        assert transaction.events(0) == [*one.events, *two.events]
    assert store.events() == [*one.events, *two.events]
    store.close()


def test_a_damaged_study_takes_no_change(tmp_path: Path) -> None:
    path = tmp_path / "alloy.db"
    store = open_sql(str(path), create=True)
    store.create(to_document(PLAN))
    made = added(NEW)
    with store.transaction() as transaction:
        transaction.append(made.events, [made.trial])
    change(path, "UPDATE study SET chain = 'x'")
    with pytest.raises(StorageError, match="not the list that was stored"), store.transaction() as transaction:
        transaction.events(1)
    store.close()
