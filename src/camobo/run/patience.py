"""A run waits for a storage that is away, such as a server that restarts: what it measures is expensive."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TypeVar

from camobo.checks import Values
from camobo.errors import StorageError
from camobo.history.transitions import Ahead, Request
from camobo.history.trial import Trial
from camobo.run.trial_queue import TrialQueue
from camobo.strategy.plan import Plan

_log = logging.getLogger("camobo")
_RETRY_DELAYS = (1.0, 2.0, 4.0, 8.0, 15.0)
"""Seconds between attempts."""
T = TypeVar("T")


def patiently(act: Callable[[], T]) -> T:
    """Do something that needs the storage; while that is away, try again for half a minute.

    A study finds out whether an attempt was stored whose reply was lost, so nothing is done twice.
    """
    for delay in _RETRY_DELAYS:
        try:
            return act()
        except StorageError as error:
            _log.warning("trying again in %g s: %s", delay, error)
            time.sleep(delay)
    return act()


@dataclass(frozen=True, slots=True)
class PatientQueue:
    """A queue that is asked and told patiently. Leases and trials that are given back can wait for the next time."""

    queue: TrialQueue

    @property
    def plan(self) -> Plan:
        """What the study is about."""
        return patiently(lambda: self.queue.plan)

    @property
    def storage(self) -> str:
        """Where it is stored, as messages name it."""
        return self.queue.storage

    @property
    def trials(self) -> tuple[Trial, ...]:
        """All trials, whoever holds them."""
        return patiently(lambda: self.queue.trials)

    def now(self) -> datetime:
        """The time by which leases end."""
        return self.queue.now()

    def spent(self) -> float:
        """Money spent so far."""
        return patiently(lambda: self.queue.spent())

    def look_ahead(self, request: Request) -> Ahead | None:
        """Suggestions for a `hand_out` to come; without the storage they are computed when they are needed."""
        try:
            return self.queue.look_ahead(request)
        except StorageError:
            return None

    def hand_out(self, request: Request, ahead: Ahead | None = None) -> list[Trial]:
        """Trials as requested."""
        return patiently(lambda: self.queue.hand_out(request, ahead))

    def tell(self, trial: Trial, values: Values, cost: float | None = None) -> Trial:
        """Record results."""
        return patiently(lambda: self.queue.tell(trial, values, cost=cost))

    def fail(self, trial: Trial, reason: str, cost: float | None = None, *, teaches: bool = True) -> Trial:
        """Record that the evaluation gave no results."""
        return patiently(lambda: self.queue.fail(trial, reason, cost=cost, teaches=teaches))

    def release(self, trial: Trial) -> Trial:
        """Give a trial back, or leave it until its lease ends."""
        return self.queue.release(trial)

    def retry(self, trial: int) -> Trial:
        """Give a failed trial back, to be evaluated again."""
        return self.queue.retry(trial)

    def renew(self, trial: Trial, lease: timedelta | None) -> Trial:
        """Extend a trial's lease, or let the next attempt do it."""
        return self.queue.renew(trial, lease)
