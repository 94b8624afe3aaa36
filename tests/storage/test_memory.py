from __future__ import annotations

import pytest

from camobo.errors import Advice, StorageError
from camobo.storage.memory import MemoryStore
from camobo.storage.protocol import Store
from tests.support.histories import NEW, added


def test_it_is_a_store() -> None:
    assert isinstance(MemoryStore(), Store)
    assert MemoryStore().place == "memory"


def test_a_study_is_created_once() -> None:
    store = MemoryStore()
    assert store.create({"study": 1}) == {"study": 1}
    assert store.create({"study": 2}) == store.document() == {"study": 1}


def test_without_a_study_it_says_so() -> None:
    with pytest.raises(StorageError, match="memory: contains no study") as caught:
        MemoryStore().document()
    assert caught.value.advice is Advice.CREATE


def test_a_transaction_is_stored_when_its_block_ends() -> None:
    store, change = MemoryStore(), added(NEW)
    with store.transaction() as transaction:
        transaction.append(change.events, [change.trial])
        assert store.events() == []
        assert transaction.events(0) == []
        assert transaction.now.tzinfo is not None
    assert store.events() == list(change.events)
    with store.transaction() as transaction:
        assert transaction.events(0) == list(change.events)
        assert transaction.events(1) == []


def test_a_transaction_that_raises_leaves_nothing() -> None:
    store, change = MemoryStore(), added(NEW)

    def half() -> None:
        with store.transaction() as transaction:
            transaction.append(change.events, [])
            raise RuntimeError

    with pytest.raises(RuntimeError):
        half()
    assert store.events() == []


def test_a_list_of_events_is_a_copy() -> None:
    store, change = MemoryStore(), added(NEW)
    with store.transaction() as transaction:
        transaction.append(change.events, [])
    store.events().clear()
    assert len(store.events(0, 1)) == 1
    assert store.events(1) == store.events(0, 0) == []


def test_nobody_else_is_there_to_wait_for() -> None:
    store = MemoryStore()
    with store.asking(), store.at_work("anna") as mine, store.at_work("anna") as again:
        assert mine
        assert again
    store.close()
    assert store.events() == [], "closed, it can be used again"
