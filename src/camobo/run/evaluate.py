"""One evaluation of a Python function: called with a trial's params, in this process or in a child process.

Nothing an evaluation does stops the study. In this process it may raise or exit. In a child process it may also hang,
crash or be killed. The child is forked, so any function works, a lambda too. It leads a process group, which is
stopped as a whole, and sends one line of JSON back.
"""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import json
import math
import os
import signal
import sys
import time
import warnings
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, TypeAlias

from camobo.checks import Values, is_number, money, values_of
from camobo.errors import InvalidValueError, shown
from camobo.run.faults import Fault, without_numbers
from camobo.run.guard import Guard, guarding
from camobo.run.interrupts import (
    END_SIGNALS,
    TerminationRequestedError,
    interruptible,
    request_termination,
    undisturbed,
)
from camobo.space.inputs import Param, Params

Returned: TypeAlias = Values | tuple[Values, float | None]
"""The values, or (values, cost)."""
Function: TypeAlias = Callable[[dict[str, Param]], Returned | Coroutine[Any, Any, Returned]]
"""Takes the params and returns the values, or (values, cost); `async def` or not."""

CAN_FORK = hasattr(os, "fork")
_LONGEST_REASON = 2000
_SHORTEST_PAUSE, _LONGEST_PAUSE, _LONGER = 0.001, 0.05, 1.1
"""Seconds between polls of a child, and by how much a pause is longer than the one before."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The values of an evaluation, or the reason why there are none."""

    values: Mapping[str, float] | None = None
    reason: str | None = None
    cost: float | None = None
    """What the evaluation says it cost."""
    seconds: float | None = field(default=None, compare=False)
    """How long it took, where it ran; None if that is unknown, as when its worker was lost."""
    fault: Fault | None = field(default=None, compare=False)
    """What went wrong, if there are no values."""

    @classmethod
    def failed(cls, reason: str, fault: Fault, **facts: Any) -> Outcome:
        """The outcome of an evaluation that went wrong."""
        return cls(None, shortened(reason), fault=fault, **facts)

    @classmethod
    def timed_out(cls, timeout: float | None, **facts: Any) -> Outcome:
        """The outcome of an evaluation that did not end in time: as if it had raised a TimeoutError."""
        reason = timeout_text(timeout)
        return cls.failed(reason, Fault.of(TimeoutError(reason), "timeout"), **facts)

    @classmethod
    def lost(cls, reason: str, **facts: Any) -> Outcome:
        """The outcome of an evaluation that exited or was killed: as if it had raised a ChildProcessError."""
        return cls.failed(reason, Fault.of(ChildProcessError(reason), reason), **facts)

    @classmethod
    def read(cls, line: bytes) -> Outcome:
        """The outcome that `as_json` wrote."""
        plain = json.loads(line)
        fault = plain.pop("fault")
        return cls(**plain, fault=None if fault is None else Fault.read(fault))

    def as_json(self) -> bytes:
        """The outcome on a line of its own."""
        plain = {"values": self.values, "reason": self.reason, "cost": self.cost, "seconds": self.seconds}
        return json.dumps({**plain, "fault": None if self.fault is None else self.fault.as_dict()}).encode() + b"\n"

    def __str__(self) -> str:
        """What to record, with all digits."""
        facts = {**(self.values or {}), **({} if self.cost is None else {"cost": self.cost})}
        found = [f"{name}={repr(fact).removesuffix('.0')}" for name, fact in facts.items()]
        return ", ".join([*found, *([] if self.reason is None else [f"failed, {self.reason}"])])


class Evaluation(Protocol):
    """The evaluation of one trial.

    Store the evaluation before calling `begin`, so that an interrupt at any instant finds what must be stopped.
    """

    def begin(self) -> None:
        """Start it. Call this once."""
        ...

    def poll(self) -> Outcome | None:
        """The outcome; None while it is running."""
        ...

    def kill(self) -> None:
        """Stop it as far as possible; before it has begun and once it has finished this does nothing."""
        ...


@dataclass(slots=True)
class EvaluationHere:
    """An evaluation in this process: it begins and ends in one call."""

    call: Callable[[], Outcome]
    outcome: Outcome | None = None

    def begin(self) -> None:
        """Evaluate."""
        self.outcome = self.call()

    def poll(self) -> Outcome | None:
        """The outcome."""
        return self.outcome

    def kill(self) -> None:
        """Do nothing: either it has finished, or whatever ended it has raised."""


def evaluate(function: Function, params: Params, objectives: Mapping[str, str]) -> Outcome:
    """Call a function in this process. An exception becomes the reason of the outcome; only Ctrl-C passes through."""
    began = time.monotonic()
    outcome = _called(function, params, objectives)
    return replace(outcome, seconds=time.monotonic() - began)


def _called(function: Function, params: Params, objectives: Mapping[str, str]) -> Outcome:
    try:
        returned = function(dict(params))
        if inspect.iscoroutine(returned):
            returned = asyncio.run(returned)
    except (Exception, SystemExit) as error:  # whatever a measurement raises is a result: it is recorded, not hidden
        return outcome_of_error(error)
    return outcome_of(returned, objectives)


def outcome_of_error(error: Exception | SystemExit) -> Outcome:
    """The outcome of a function that raised or exited."""
    if isinstance(error, SystemExit):
        return Outcome.lost(f"it exited with code {error.code}")
    return Outcome.failed(_described(error), Fault.of(error))


def outcome_of(returned: Any, objectives: Mapping[str, str]) -> Outcome:
    """The outcome of a function that returned.

    A number that is none, such as nan, is what was measured: the trial has failed, and its cost counts. Anything else
    that is not one number per objective is a mistake in the function.
    """
    cost = None
    try:
        values, cost = values_and_cost(returned, objectives)
        return Outcome(values_of(values, objectives, what="result"), cost=cost)
    except InvalidValueError as error:
        given, told = returned if _is_pair(returned) else (returned, None)
        no_result = None if only_bad_numbers(given, told, objectives) else shown(returned)
        fault = Fault.of(error, without_numbers(error.message), returned=no_result)
        return Outcome.failed(_described(error), fault, cost=cost)


def only_bad_numbers(values: Any, cost: Any, objectives: Mapping[str, str]) -> bool:
    """Whether every objective has a number and nothing else has, so that at most the numbers are bad."""
    named = isinstance(values, Mapping) and set(values) == set(objectives)
    return named and all(map(is_number, values.values())) and (cost is None or is_number(cost))


def _is_pair(returned: Any) -> bool:
    return isinstance(returned, tuple) and len(returned) == 2


def values_and_cost(returned: Any, objectives: Mapping[str, str]) -> tuple[Mapping[str, Any], float | None]:
    """The values, yet unchecked, and the cost that a function returned: `values`, or `(values, cost)`.

    >>> values_and_cost({"y": 1.5}, {"y": "min"}), values_and_cost(({"y": 1.5}, 41.5), {"y": "min"})
    (({'y': 1.5}, None), ({'y': 1.5}, 41.5))
    """
    values, cost = returned if _is_pair(returned) else (returned, None)
    if not isinstance(values, Mapping):
        raise InvalidValueError(
            f"result: need values, or (values, cost), got {shown(returned)}. "
            f"Values are a dict with a number for each of {', '.join(objectives)}."
        )
    return values, money(cost)


def _described(error: Exception) -> str:
    """An error's name and message; its name alone if the message cannot be made."""
    try:
        return f"{type(error).__name__}: {error}"
    except Exception:  # the error's own __str__ may raise
        return type(error).__name__


def shortened(reason: str) -> str:
    """A reason of at most about 2000 characters: its beginning and its end."""
    half = _LONGEST_REASON // 2
    return reason if len(reason) <= _LONGEST_REASON else f"{reason[:half]} … {reason[-half:]}"


def evaluate_in_child(
    function: Function, params: Params, objectives: Mapping[str, str], timeout: float | None, number: int
) -> Outcome:
    """Call a function in a child process and wait for it. Runs in a worker of an executor.

    `number` only keeps an executor from merging two trials at the same point. If the worker is asked to end, it stops
    the child and then ends by that signal: an exception would be taken for a result, and the executor would wait.
    """
    try:
        with interruptible(request_termination) as raise_interrupt, guarding() as guard:
            child = ChildEvaluation(function, params, objectives, timeout, guard)
            try:
                child.begin()
                return wait(child, raise_interrupt)
            finally:
                child.kill()
    except TerminationRequestedError as request:
        request.obey()
        raise


def evaluate_in_worker(function: Function, params: Params, objectives: Mapping[str, str], number: int) -> Outcome:
    """Call a function directly in a worker of an executor. `number` is as in `evaluate_in_child`."""
    return evaluate(function, params, objectives)


def wait(evaluation: Evaluation, raise_interrupt: Callable[[], None]) -> Outcome:
    """Wait for the outcome, however long it takes; `raise_interrupt` raises to end the wait."""
    pause = _SHORTEST_PAUSE
    while True:
        raise_interrupt()
        outcome = evaluation.poll()
        if outcome is not None:
            return outcome
        time.sleep(pause)
        pause = min(_LONGER * pause, _LONGEST_PAUSE)


@dataclass(slots=True)
class ChildEvaluation:
    """An evaluation in a child process."""

    function: Function
    params: Params
    objectives: Mapping[str, str]
    timeout: float | None
    guard: Guard | None = None
    began: float = math.nan
    deadline: float = math.inf
    process: int | None = None
    pipe: int = -1
    received: bytes = b""
    outcome: Outcome | None = None

    def begin(self) -> None:
        """Fork a process that evaluates the function and answers through a pipe."""
        _flush()  # or the child would write buffered output a second time
        self.began = time.monotonic()
        with undisturbed():
            self.pipe, answer_to = os.pipe()
            try:
                os.set_blocking(self.pipe, False)
                self.process = _forked(lambda: _answer(answer_to, self.function, self.params, self.objectives))
            finally:
                os.close(answer_to)
                if self.process is None:
                    os.close(self.pipe)
            with contextlib.suppress(OSError):  # the child does the same; whoever is first
                os.setpgid(self.process, self.process)
            if self.guard is not None:
                self.guard.watch(self.process)
            if self.timeout is not None:
                self.deadline = time.monotonic() + self.timeout

    def poll(self) -> Outcome | None:
        """The outcome; None while it is running."""
        if self.outcome is not None or self.process is None:
            return self.outcome
        # Ask for the end first: then everything the child wrote is in the pipe and can be read below.
        ended, status = os.waitpid(self.process, os.WNOHANG)
        self._read_pipe()
        if self.received.endswith(b"\n"):
            outcome = Outcome.read(self.received)
        elif ended:
            how = exit_text(os.waitstatus_to_exitcode(status))
            outcome = Outcome.lost(f"its process {how}", seconds=self._seconds())
        elif time.monotonic() > self.deadline:
            outcome = Outcome.timed_out(self.timeout, seconds=self._seconds())
        else:
            return None
        self._finish(self.process, outcome, reaped=ended != 0)
        return outcome

    def kill(self) -> None:
        """Stop it and everything it started."""
        if self.outcome is None and self.process is not None:
            self._finish(self.process, Outcome.lost("it was stopped", seconds=self._seconds()), reaped=False)

    def _seconds(self) -> float:
        """How long a child took that cannot say so: the time until its end was noticed."""
        return time.monotonic() - self.began

    def _read_pipe(self) -> None:
        try:
            while piece := os.read(self.pipe, 65536):
                self.received += piece
        except BlockingIOError:
            return

    def _finish(self, process: int, outcome: Outcome, *, reaped: bool) -> None:
        self.outcome = outcome
        kill_group(process)
        if not reaped:
            os.waitpid(process, 0)
        if self.guard is not None:
            self.guard.forget(process)
        os.close(self.pipe)


def _forked(child: Callable[[], object]) -> int:
    """Fork a process that runs `child` and exits without the parent's exit handlers; its process id.

    The child never returns from here, not even if it is interrupted before it starts.
    """
    parent = os.getpid()
    try:
        with warnings.catch_warnings():
            # Python 3.12 and later warn of a fork beside threads. The child only calls the function and answers.
            warnings.simplefilter("ignore", DeprecationWarning)
            process = os.fork()
        if process == 0:
            child()
            os._exit(0)
        return process
    finally:
        if os.getpid() != parent:
            os._exit(1)


def _answer(answer_to: int, function: Function, params: Params, objectives: Mapping[str, str]) -> None:
    """In the child: evaluate and send the outcome."""
    with contextlib.suppress(OSError):
        os.setpgid(0, 0)
    with contextlib.suppress(ValueError):  # only a main thread may set handlers
        for number in END_SIGNALS:
            if signal.getsignal(number) is not signal.SIG_IGN:  # `nohup` ignores it: leave that
                signal.signal(number, signal.SIG_DFL)
    message = evaluate(function, params, objectives).as_json()
    while message:
        message = message[os.write(answer_to, message) :]
    _flush()


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(AttributeError, ValueError, OSError):  # it may be missing or closed
            stream.flush()


def kill_group(process: int) -> None:
    """Kill a process and everything it started, if it still exists."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process, signal.SIGKILL)


def timeout_text(timeout: float | None) -> str:
    """The reason of an evaluation that did not end in time.

    >>> timeout_text(90.0)
    'it took longer than 90 s and was stopped'
    """
    return f"it took longer than {timeout:g} s and was stopped"


def exit_text(code: int) -> str:
    """How a process ended.

    >>> exit_text(3), exit_text(-9)
    ('exited with code 3', 'was killed by SIGKILL')
    """
    if code >= 0:
        return f"exited with code {code}"
    try:
        return f"was killed by {signal.Signals(-code).name}"
    except ValueError:
        return f"was killed by signal {-code}"
