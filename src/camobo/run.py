"""The loop of `optimize`: keep so many evaluations going, tell what comes of them, leave a clean study behind."""

from __future__ import annotations

import contextlib
import logging
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import BrokenExecutor, Executor
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from camobo.command import Command
from camobo.errors import CamoboError, SpaceExhausted, StorageError, TrialStateError
from camobo.evaluate import Function, Outcome, Work
from camobo.interrupts import interruptible
from camobo.progress import progress_bar
from camobo.trial import State, Trial
from camobo.workers import Start, executor_starter, starter

_log = logging.getLogger("camobo")

_SHORTEST, _LONGEST = 0.001, 0.05
"""Seconds between looks at what is under way."""
_BETWEEN_LOOKS = 0.2
"""Seconds between looks for a trial that others let go."""
_WORTH_SAYING = 1.0
"""Seconds of waiting for others before it is said: most end sooner."""
_PATIENCE = (1.0, 2.0, 4.0, 8.0, 15.0)
"""Seconds between attempts to store a result."""


@dataclass(frozen=True, slots=True)
class Desk:
    """Where trials come from and results go: what the loop needs of a study."""

    hand_out: Callable[[frozenset[int]], list[Trial]]
    """A trial that is not among those under way, or none if there is none to be had now."""
    settle: Callable[[Trial, Outcome], Trial]
    release: Callable[[Trial], object]
    renew: Callable[[Trial], object]
    held: Callable[[], Sequence[Trial]]
    """The trials that were handed out here and are still open."""
    trials: Callable[[], Sequence[Trial]]
    facts: Callable[[], tuple[float, float | None, Mapping[str, Any]]]
    """The hypervolume, and how much of the dear inputs was used."""
    lease: timedelta | None


def optimize(
    desk: Desk,
    function: Function | Command,
    objectives: Mapping[str, str],
    *,
    count: int | None,
    budget: int,
    executor: Executor | None,
    jobs: int,
    timeout: float | None,
    progress: bool,
) -> None:
    """Evaluate `count` trials, or with None what is left of the budget, and show how it goes."""
    with contextlib.ExitStack() as stack:
        if executor is None or isinstance(function, Command):
            start = starter(
                function, objectives, jobs=jobs, timeout=timeout, keeping=lambda trial: _beating(desk, trial)
            )
        else:
            start = stack.enter_context(executor_starter(function, objectives, executor, timeout))
        show = stack.enter_context(progress_bar(budget if count is None else count, wanted=progress))
        before = 0 if count is None else _settled(desk)

        def seen() -> None:
            if show is not None:
                show(_settled(desk) - before, *desk.facts())

        seen()
        interrupted = stack.enter_context(interruptible())
        work_through(desk, start, jobs=jobs, most=count, seen=seen, interrupted=interrupted)


def _settled(desk: Desk) -> int:
    return sum(not trial.added and not trial.state.open for trial in desk.trials())


def work_through(
    desk: Desk,
    start: Start,
    *,
    jobs: int,
    most: int | None,
    seen: Callable[[], object],
    interrupted: Callable[[], None],
) -> None:
    """Evaluate up to `most` trials, or all there are to be had, `jobs` at a time; `seen` is called after each.

    `interrupted` raises if this was to end. However it ends, what is still under way is stopped and handed back.
    """
    going: dict[int, tuple[Trial, Work | None]] = {}
    broken: Counter[int] = Counter()
    begun, pause, renewed, awaited = 0, _SHORTEST, time.monotonic(), frozenset[int]()
    busy = renewed
    try:
        while True:
            interrupted()
            dry: SpaceExhausted | bool = False
            while len(going) < jobs and not dry and (most is None or begun < most):
                trial, dry = _next(desk, frozenset(going))
                if trial is not None:
                    begun += 1
                    going[trial.number] = (trial, None)  # before it starts: an interrupt must find it here
                    going[trial.number] = (trial, start(trial))
            if _settle_finished(desk, going, start, broken):
                seen()
                pause = _SHORTEST
                continue
            if not going and isinstance(dry, SpaceExhausted):
                raise dry
            if not going:
                others = _others_may_let_go(desk) if dry and most is None else []
                if not others:
                    return
                if time.monotonic() - busy > _WORTH_SAYING:
                    awaited = _say_who_is_awaited(others, awaited)
            else:
                busy = time.monotonic()
            if desk.lease is not None and time.monotonic() - renewed > desk.lease.total_seconds() / 3:
                renewed = time.monotonic()
                for trial, _ in going.values():
                    _renew(desk, trial)
            time.sleep(pause if going else _BETWEEN_LOOKS)
            pause = min(2 * pause, _LONGEST)
    finally:
        _hand_back(desk, going)


def _others_may_let_go(desk: Desk) -> list[Trial]:
    return [trial for trial in desk.trials() if trial.state is State.PENDING and trial.expires is not None]


def _say_who_is_awaited(others: list[Trial], said: frozenset[int]) -> frozenset[int]:
    """Say it once of each trial; the numbers it was said of."""
    for trial in others:
        if trial.number not in said and trial.expires is not None:
            until = trial.expires.astimezone().strftime("%H:%M:%S")
            holder = trial.owner or "somebody"
            _log.warning("waiting for trial %d, which %s holds until %s or longer", trial.number, holder, until)
    return said | {trial.number for trial in others}


def _next(desk: Desk, skip: frozenset[int]) -> tuple[Trial | None, SpaceExhausted | bool]:
    """A trial, or why there is none."""
    try:
        handed = desk.hand_out(skip)
        return (handed[0], False) if handed else (None, True)
    except SpaceExhausted as error:
        return None, error


def _settle_finished(
    desk: Desk, going: dict[int, tuple[Trial, Work | None]], start: Start, broken: Counter[int]
) -> bool:
    """Record all that has finished; whether anything had.

    When a pool breaks, all it had under way is lost, and which evaluation broke it is not known. Each gets a second
    try; one that is there when a pool breaks again has failed.
    """
    finished = False
    for number, (trial, work) in list(going.items()):
        try:
            outcome = None if work is None else work.poll()
        except BrokenExecutor as error:
            broken[number] += 1
            if broken[number] < 2:
                going[number] = (trial, start(trial))
                continue
            outcome = Outcome(reason=f"its worker process died twice: {error}")
        if outcome is not None:
            _record(desk, trial, outcome)
            del going[number]
            finished = True
    return finished


def _record(desk: Desk, trial: Trial, outcome: Outcome) -> None:
    """Tell or fail a trial; a storage that is away for a moment is waited for, since results are dear."""
    for delay in (*_PATIENCE, None):
        try:
            settled = desk.settle(trial, outcome)
        except TrialStateError as error:
            _log.warning("a result was not needed any more: %s", error)
        except StorageError as error:
            if delay is None:
                _log.error("trial %d could not be stored: %s", trial.number, outcome)
                raise
            _log.warning("trying again in %g s: %s", delay, error)
            time.sleep(delay)
            continue
        else:
            if outcome.reason is not None:
                _log.warning("%s", settled)
        return


def _renew(desk: Desk, trial: Trial) -> None:
    """Keep a trial; if that does not work now it may the next time, and if somebody has it its result will say so."""
    try:
        desk.renew(trial)
    except (TrialStateError, StorageError) as error:
        _log.warning("a lease could not be renewed: %s", error)


def _hand_back(desk: Desk, going: dict[int, tuple[Trial, Work | None]]) -> None:
    """Stop what is under way and release all this run still holds: an interrupt may have come while one was handed out.

    What cannot be released is free when its lease ends.
    """
    for _, work in going.values():
        if work is not None:
            work.kill()
    try:
        for trial in desk.held():
            desk.release(trial)
    except CamoboError as error:
        _log.warning("not all trials could be handed back: %s", error)


@contextlib.contextmanager
def _beating(desk: Desk, trial: Trial) -> Iterator[None]:
    """Renew a trial's lease from a thread, while this one is busy evaluating it."""
    lease = desk.lease
    if lease is None:
        yield
        return
    over = threading.Event()

    def beat() -> None:
        while not over.wait(lease.total_seconds() / 3):
            _renew(desk, trial)

    thread = threading.Thread(target=beat, name="camobo lease", daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
