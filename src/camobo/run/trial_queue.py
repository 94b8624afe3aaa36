"""What the loop needs of a study, and one run's view of it."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Protocol

from camobo.checks import Values
from camobo.cost.receipts import wants_durations
from camobo.history.transitions import Ahead, Request, holds
from camobo.history.trial import Trial
from camobo.run.evaluate import Outcome
from camobo.run.faults import Fault
from camobo.strategy.plan import Plan


class TrialQueue(Protocol):
    """Where trials come from and results go: all the loop needs of a study. `Study` is one."""

    @property
    def plan(self) -> Plan:
        """What the study is about."""
        ...

    @property
    def storage(self) -> str:
        """Where it is stored, as messages name it."""
        ...

    @property
    def trials(self) -> tuple[Trial, ...]:
        """All trials, whoever holds them."""
        ...

    def now(self) -> datetime:
        """The time by which leases end."""
        ...

    def spent(self) -> float:
        """Money spent so far; 0 as long as no amount is known."""
        ...

    def look_ahead(self, request: Request) -> Ahead | None:
        """Suggestions for a `hand_out` to come; None if it will need none. May be called from another thread."""
        ...

    def hand_out(self, request: Request, ahead: Ahead | None = None) -> list[Trial]:
        """Trials as requested; fewer, or none, if no more are available now. New ones are those `ahead`, if they fit.

        Raises SpaceExhausted or BudgetSpent if a new trial is wanted and there is none, or none that can be paid for.
        """
        ...

    def tell(self, trial: Trial, values: Values, cost: float | None = None) -> Trial:
        """Record results."""
        ...

    def fail(self, trial: Trial, reason: str, cost: float | None = None, *, teaches: bool = True) -> Trial:
        """Record that the evaluation gave no results, and what it cost all the same; whether that teaches anything."""
        ...

    def release(self, trial: Trial) -> Trial:
        """Give a trial back."""
        ...

    def retry(self, trial: int) -> Trial:
        """Give a failed trial back, to be evaluated again."""
        ...

    def renew(self, trial: Trial, lease: timedelta | None) -> Trial:
        """Extend a trial's lease."""
        ...


@dataclass(frozen=True, slots=True)
class Run:
    """One call of `optimize`: whose trials it evaluates, under which name and lease."""

    queue: TrialQueue
    owner: str
    lease: timedelta | None
    most: int | None
    """New trials are handed out until the study has this many; None: no limit."""
    since: int
    """How many events the study had when the run began: the run owns the trials handed to it since then."""
    catch: tuple[type[Exception], ...] = ()
    """Errors that say nothing against the function."""
    until: float | None = None
    """When the run starts no further trial, on the monotonic clock; None: never."""
    stopped: Callable[[], bool] = lambda: False
    """Whether somebody asked the run to start no further trial."""
    callbacks: tuple[Callable[[Trial], object], ...] = ()
    """Called with each trial that was recorded."""

    def over(self) -> bool:
        """Whether no further trial is to be started, because of the time or on request."""
        return self.stopped() or (self.until is not None and time.monotonic() >= self.until)

    def fault(self, outcome: Outcome) -> Fault | None:
        """What an outcome says against the function; None if it has values, or failed as the caller expects some to."""
        fault = outcome.fault
        return None if fault is None or fault.is_one_of(self.catch) else fault

    def look_ahead(self, skip: frozenset[int]) -> Ahead | None:
        """A suggestion for the `next` to come, if it will need one. May be called from another thread."""
        return self.queue.look_ahead(self._request(skip))

    def next(self, skip: frozenset[int], ahead: Ahead | None = None) -> Trial | None:
        """A trial that is not in `skip`, a new one as suggested `ahead` if that fits; None if none is available now."""
        handed = self.queue.hand_out(self._request(skip), ahead)
        return handed[0] if handed else None

    def _request(self, skip: frozenset[int]) -> Request:
        return Request(1, self.owner, self.lease, self.most, skip)

    def record(self, trial: Trial, outcome: Outcome) -> Trial:
        """Record the outcome of a trial; values recorded before the evaluation stay.

        Its cost is the one the evaluation gives; else, if the study's cost is learned from durations, how long it took.
        How long it took to fail counts as spent and is not learned from: a crash at once does not make its point cheap.
        """
        cost = outcome.cost
        if cost is None and wants_durations(self.queue.plan.cost):
            cost = outcome.seconds
        if outcome.values is None:
            return self.queue.fail(trial, outcome.reason or "no values", cost=cost, teaches=outcome.cost is not None)
        known = trial.values or {}
        new = {name: value for name, value in outcome.values.items() if name not in known}
        return self.queue.tell(trial, new, cost=cost)

    def held(self) -> list[Trial]:
        """The trials that were handed to this run and are still pending."""
        return [trial for trial in self.queue.trials if holds(self.owner, trial) and trial.held >= self.since]
