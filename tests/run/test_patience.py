from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import pytest

from camobo.errors import StorageError, TrialStateError
from camobo.history.transitions import Request
from camobo.history.trial import State, Trial
from camobo.run import patience
from camobo.run.patience import PatientQueue, patiently
from camobo.run.trial_queue import TrialQueue
from tests.support.trial_queues import FakeQueue


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patience, "_RETRY_DELAYS", (0.001, 0.002))


@dataclass
class Away:
    """Raises some errors, one per call, and then answers."""

    errors: list[Exception] = field(default_factory=list)

    def __call__(self) -> str:
        if self.errors:
            raise self.errors.pop(0)
        return "there"


def test_a_storage_that_is_away_for_a_while_is_waited_for_and_each_wait_is_logged(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with caplog.at_level(logging.WARNING, logger="camobo"):
        assert patiently(Away([StorageError("server away")] * 2)) == "there"
    assert [record.getMessage() for record in caplog.records] == [
        "trying again in 0.001 s: server away",
        "trying again in 0.002 s: server away",
    ]


def test_one_that_stays_away_is_an_error() -> None:
    with pytest.raises(StorageError, match="server away"):
        patiently(Away([StorageError("server away")] * 3))


def test_what_is_refused_is_refused_at_once() -> None:
    away = Away([TrialStateError("already complete")])
    with pytest.raises(TrialStateError):
        patiently(away)
    assert patiently(away) == "there"


CALLS: dict[str, tuple[Callable[[TrialQueue], object], bool]] = {
    "plan": (lambda queue: queue.plan, True),
    "trials": (lambda queue: queue.trials, True),
    "spent": (lambda queue: queue.spent(), True),
    "hand_out": (lambda queue: queue.hand_out(Request(1)), True),
    "tell": (lambda queue: queue.tell(queue.trials[0], {"y": 1.0}, cost=2.0), True),
    "fail": (lambda queue: queue.fail(queue.trials[0], "cracked", cost=2.0, teaches=False), True),
    "release": (lambda queue: queue.release(queue.trials[0]), False),
    "retry": (lambda queue: queue.retry(0), False),
    "renew": (lambda queue: queue.renew(queue.trials[0], timedelta(hours=1)), False),
}


class Unsteady(FakeQueue):
    """Is away the first time that a chosen method is called."""

    def __init__(self, method: str) -> None:
        super().__init__()
        super().hand_out(Request(1))
        self.method = method

    def __getattribute__(self, name: str) -> Any:
        facts: Mapping[str, Any] = object.__getattribute__(self, "__dict__")
        if name == facts.get("method"):
            self.method = ""
            raise StorageError("server away")
        return object.__getattribute__(self, name)


@pytest.mark.parametrize(("name", "call", "waits"), [(name, *how) for name, how in CALLS.items()], ids=CALLS)
def test_what_is_measured_waits_for_the_storage_and_what_can_wait_does_not(
    name: str, call: Callable[[TrialQueue], object], waits: bool
) -> None:
    queue = PatientQueue(Unsteady(name))
    if waits:
        assert call(queue) == call(PatientQueue(Unsteady("")))
    else:
        with pytest.raises(StorageError):
            call(queue)
    assert queue.storage == "a.db"
    assert queue.now().tzinfo is not None


def test_what_is_told_arrives_whole() -> None:
    queue = PatientQueue(Unsteady(""))
    failed = queue.fail(queue.trials[0], "cracked", cost=2.0, teaches=False)
    assert (failed.state, failed.reason, failed.cost, failed.teaches) == (State.FAILED, "cracked", 2.0, False)
    (trial,) = queue.hand_out(Request(1))
    told: Trial = queue.tell(trial, {"y": 1.0}, cost=3.0)
    assert (dict(told.values or {}), told.cost) == ({"y": 1.0}, 3.0)
