"""One evaluation: a function called with a trial's params, here or in a process of its own, and what came of it.

Whatever an evaluation does is a result. Here it can raise or exit; apart, in a child process, it can also hang, crash
or be killed, and takes nothing with it: the child is forked (so any function will do, a lambda too), leads a process
group that is stopped as a whole, and sends one line of JSON back.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import signal
import sys
import time
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol, TypeAlias

from camobo.checks import Values, values_of
from camobo.inputs import Param, Params
from camobo.interrupts import ENDING, AskedToEndError, ask_to_end, interruptible

Function: TypeAlias = Callable[[dict[str, Param]], Values]

CAN_FORK = hasattr(os, "fork")
_LONGEST_REASON = 2000


@dataclass(frozen=True, slots=True)
class Outcome:
    """Values, or the reason why there are none."""

    values: Mapping[str, float] | None = None
    reason: str | None = None
    cost: float | None = None


class Work(Protocol):
    """An evaluation under way."""

    def poll(self) -> Outcome | None:
        """What came of it; None while it goes on."""
        ...

    def kill(self) -> None:
        """Stop it as well as can be."""
        ...


def evaluate(function: Function, params: Params, objectives: Mapping[str, str]) -> Outcome:
    """Call a function here. What it raises becomes a reason; only Ctrl-C goes through."""
    try:
        return Outcome(values_of(function(dict(params)), objectives, what="result"))
    except SystemExit as left:
        return Outcome(reason=f"it exited with code {left.code}")
    except Exception as error:  # whatever a measurement raises is a result: it is recorded, not hidden
        return Outcome(reason=shortened(_told(error)))


def _told(error: Exception) -> str:
    """An error in words; one that cannot even say what it is by its name alone."""
    try:
        return f"{type(error).__name__}: {error}"
    except Exception:  # it was written by whoever wrote the function
        return type(error).__name__


def shortened(reason: str) -> str:
    """A reason of bearable length: its beginning and its end."""
    half = _LONGEST_REASON // 2
    return reason if len(reason) <= _LONGEST_REASON else f"{reason[:half]} … {reason[-half:]}"


def evaluate_apart(
    function: Function, params: Params, objectives: Mapping[str, str], timeout: float | None, number: int
) -> Outcome:
    """Call a function in a child of this process and wait for it; runs in an executor's worker.

    `number` only keeps an executor from taking two trials at the same point for one. A worker that is asked to end does
    so itself once the child is gone: its executor would take what is raised for a result, and wait for the worker.
    """
    try:
        with interruptible(ask_to_end) as interrupted:
            work = fork(function, params, objectives, timeout)
            try:
                return wait(work, interrupted)
            finally:
                work.kill()
    except AskedToEndError as asked:
        asked.obey()
        raise


def evaluate_here(function: Function, params: Params, objectives: Mapping[str, str], number: int) -> Outcome:
    """Call a function in this thread; runs in an executor's worker."""
    return evaluate(function, params, objectives)


def wait(work: Work, interrupted: Callable[[], None]) -> Outcome:
    """What comes of work, however long it takes; `interrupted` raises if it is not to be waited for any longer."""
    pause = 0.001
    while True:
        interrupted()
        outcome = work.poll()
        if outcome is not None:
            return outcome
        time.sleep(pause)
        pause = min(2 * pause, 0.05)


@dataclass(frozen=True, slots=True)
class Forked:
    """An evaluation in a child process."""

    process: int
    pipe: int
    timeout: float | None
    deadline: float
    heard: list[bytes] = field(default_factory=list)
    settled: list[Outcome] = field(default_factory=list)

    def poll(self) -> Outcome | None:
        """What came of it; None while it goes on."""
        if self.settled:
            return self.settled[0]
        ended, status = os.waitpid(self.process, os.WNOHANG)  # first, so that all it wrote before can be heard below
        self._listen()
        message = b"".join(self.heard)
        if message.endswith(b"\n"):
            facts = json.loads(message)
            outcome = Outcome(facts["values"], facts["reason"])
        elif ended:
            outcome = Outcome(reason=f"its process {how_it_ended(os.waitstatus_to_exitcode(status))}")
        elif time.monotonic() > self.deadline:
            outcome = too_long(self.timeout)
        else:
            return None
        self._settle(outcome, reaped=ended != 0)
        return outcome

    def kill(self) -> None:
        """Stop it and everything it started."""
        if not self.settled:
            self._settle(Outcome(reason="it was stopped"), reaped=False)

    def _listen(self) -> None:
        try:
            while piece := os.read(self.pipe, 65536):
                self.heard.append(piece)
        except BlockingIOError:
            return

    def _settle(self, outcome: Outcome, *, reaped: bool) -> None:
        self.settled.append(outcome)
        kill_group(self.process)
        if not reaped:
            os.waitpid(self.process, 0)
        os.close(self.pipe)


def fork(function: Function, params: Params, objectives: Mapping[str, str], timeout: float | None) -> Forked:
    """Start an evaluation in a child process."""
    pipe, into = os.pipe()
    os.set_blocking(pipe, False)
    _flush()  # or the child would write out once more what is waiting here
    with warnings.catch_warnings():
        # From Python 3.12 on a fork beside threads is warned of. The child only calls the function and answers.
        warnings.simplefilter("ignore", DeprecationWarning)
        process = _forked(lambda: _answer(into, function, params, objectives))
    os.close(into)
    with contextlib.suppress(OSError):  # the child does the same; whoever is first
        os.setpgid(process, process)
    return Forked(process, pipe, timeout, math.inf if timeout is None else time.monotonic() + timeout)


def _forked(child: Callable[[], object]) -> int:
    """The number of a new process that runs `child` and ends without any of the goodbyes that are the parent's to say.

    It never returns from here, not even if it is interrupted before it has begun.
    """
    parent = os.getpid()
    try:
        process = os.fork()
        if process == 0:
            child()
            os._exit(0)
        return process
    finally:
        if os.getpid() != parent:
            os._exit(1)


def _answer(into: int, function: Function, params: Params, objectives: Mapping[str, str]) -> None:
    """The child: evaluate, and send what came of it."""
    with contextlib.suppress(OSError):
        os.setpgid(0, 0)
    with contextlib.suppress(ValueError):  # only a main thread may
        for number in ENDING[1:]:
            if signal.getsignal(number) is not signal.SIG_IGN:  # as `nohup` has it
                signal.signal(number, signal.SIG_DFL)
    outcome = evaluate(function, params, objectives)
    message = json.dumps({"values": outcome.values, "reason": outcome.reason}).encode() + b"\n"
    while message:
        message = message[os.write(into, message) :]
    _flush()


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(AttributeError, ValueError, OSError):  # there may be none, or closed
            stream.flush()


def kill_group(process: int) -> None:
    """Stop a process and everything it started, if it is still there."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process, signal.SIGKILL)


def too_long(timeout: float | None) -> Outcome:
    """The outcome of work that did not end in time."""
    return Outcome(reason=f"it took longer than {timeout:g} s and was stopped")


def how_it_ended(code: int) -> str:
    """A process's end in words.

    >>> how_it_ended(3), how_it_ended(-9)
    ('exited with code 3', 'was killed by SIGKILL')
    """
    if code >= 0:
        return f"exited with code {code}"
    try:
        return f"was killed by {signal.Signals(-code).name}"
    except ValueError:
        return f"was killed by signal {-code}"
