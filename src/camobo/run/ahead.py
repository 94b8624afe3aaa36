"""The next suggestion, computed while all workers are busy, where they would wait long for it.

A worker that becomes free then starts at once, on a suggestion that knows all but the latest result. Where evaluations
take much longer than suggestions, knowing that result is worth the wait, and nothing is computed ahead.
"""

from __future__ import annotations

import time
from concurrent.futures import Future, ThreadPoolExecutor

from camobo.history.transitions import Ahead
from camobo.history.trial import Trial
from camobo.run.trial_queue import Run

_LONG = 0.1  # of an evaluation's time: a shorter wait for a suggestion does not matter


class NextTrials:
    """Where a run's next trial comes from: at most one suggestion is computed ahead, in a thread."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.evaluated = _Mean()
        """The seconds that evaluations took."""
        self._suggested = _Mean()
        self._used = self._wasted = 0
        self._thread: ThreadPoolExecutor | None = None
        self._coming: Future[Ahead | None] | None = None

    def next(self, skip: frozenset[int]) -> Trial | None:
        """The next trial that is not in `skip`; None if none is available now."""
        ahead = self._settled()
        began = time.monotonic()
        trial = self.run.next(skip, ahead)
        if ahead is None:
            self._suggested.add(time.monotonic() - began)
        elif trial is not None and trial.number == ahead.trials and trial.params == ahead.suggested[0].params:
            self._used += 1
        else:  # somebody else got a trial of this study meanwhile
            self._wasted += 1
        return trial

    def look_ahead(self, skip: frozenset[int]) -> None:
        """Begin to compute the next suggestion, if waiting for it would be long and most were of use until now."""
        long = self.evaluated.total > 0.0 and self._suggested.mean > _LONG * self.evaluated.mean
        if self._coming is None and long and self._wasted <= self._used:
            self._thread = self._thread or ThreadPoolExecutor(1, "camobo ahead")
            self._coming = self._thread.submit(self._computed, skip)

    def settle(self) -> None:
        """Wait for a suggestion under way: a process forked beside it could inherit a lock that it holds."""
        if self._coming is not None:
            self._coming.exception()

    def close(self) -> None:
        """End the thread."""
        if self._thread is not None:
            self._thread.shutdown(cancel_futures=True)

    def _computed(self, skip: frozenset[int]) -> Ahead | None:
        began = time.monotonic()
        ahead = self.run.look_ahead(skip)
        if ahead is not None:
            self._suggested.add(time.monotonic() - began)
        return ahead

    def _settled(self) -> Ahead | None:
        coming, self._coming = self._coming, None
        return None if coming is None else coming.result()


class _Mean:
    def __init__(self) -> None:
        self.total, self.count = 0.0, 0

    def add(self, number: float) -> None:
        self.total += number
        self.count += 1

    @property
    def mean(self) -> float:
        return self.total / max(1, self.count)
