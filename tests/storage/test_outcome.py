"""A change whose reply was lost, on a store in memory. On a real server: tests/faults/test_lost_replies.py."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from camobo.errors import OutcomeUnknown, StorageError
from camobo.storage import outcome
from camobo.storage.memory import MemoryStore
from camobo.storage.outcome import new_request, settled
from camobo.storage.protocol import Transaction
from tests.support.histories import added


class Shaky(MemoryStore):
    """Loses the reply to a change, and then does not answer for a while."""

    def __init__(self, *, stores: bool, away: int = 0) -> None:
        super().__init__()
        self.stores, self.away = stores, away
        self.looks = 0

    @contextmanager
    def transaction(self, request: str | None = None) -> Iterator[Transaction]:
        self.looks += request is None
        if request is None and self.looks <= self.away:
            raise StorageError("memory: the server is away.")
        with super().transaction(request) as transaction:
            yield transaction
            if request is not None and not self.stores:
                raise lost(request)
        if request is not None:
            raise lost(request)


def lost(request: str) -> OutcomeUnknown:
    said = "memory: the connection was lost."
    return OutcomeUnknown(f"{said} Unknown.", said=said, request=request)


def change(store: Shaky, request: str) -> None:
    with settled(store, request), store.transaction(request) as transaction:
        transaction.append(added().events, [])


@pytest.fixture(autouse=True)
def no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outcome, "_PAUSES", (0.0, 0.0, 0.0))


@pytest.mark.parametrize("away", [0, 2])
def test_a_change_that_was_stored_is_no_error_though_its_reply_was_lost(away: int) -> None:
    store = Shaky(stores=True, away=away)
    change(store, new_request())
    assert len(store.events()) == 1
    assert store.looks == away + 1


@pytest.mark.parametrize("away", [0, 2])
def test_a_change_that_was_not_stored_is_an_error_that_says_so(away: int) -> None:
    store = Shaky(stores=False, away=away)
    with pytest.raises(StorageError, match=r"connection was lost\. The change was not stored; everything") as caught:
        change(store, new_request())
    assert not isinstance(caught.value, OutcomeUnknown)
    assert store.events() == []


@pytest.mark.parametrize("stores", [True, False])
def test_if_that_cannot_be_found_out_it_is_unknown(stores: bool) -> None:
    store = Shaky(stores=stores, away=3)
    with pytest.raises(OutcomeUnknown, match="Unknown"):
        change(store, new_request())
    assert store.looks == 3


def test_where_one_look_had_to_wait_for_long_there_is_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outcome, "_LONG", -1.0)
    store = Shaky(stores=True, away=1)
    with pytest.raises(OutcomeUnknown):
        change(store, new_request())
    assert store.looks == 0


def test_what_another_study_lost_in_the_same_block_is_not_taken_for_its_own() -> None:
    store = Shaky(stores=True)
    with pytest.raises(OutcomeUnknown), settled(store, new_request()):
        raise lost(new_request())
    assert store.looks == 0


def test_every_request_has_another_id() -> None:
    assert len({new_request() for _ in range(1000)}) == 1000
