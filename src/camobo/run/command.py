"""A command as the objective: `python train.py --trees {trees} --depth {depth}`.

Params go in by placeholder, without a shell, and as JSON in the environment variable CAMOBO_PARAMS. Results come out on
standard output: one JSON object on the last line, or lines `name=value`. A line `cost=41.5` before or after them, or a
key "cost" in the JSON, says what the evaluation cost, unless "cost" is an objective: then it is that and no receipt.

A command that exits with a code other than 0, prints no results or takes too long is a failed trial; the end of its
standard error is part of the reason. The cost it has printed until then is recorded.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import re
import shutil
import subprocess
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import IO, Any

from camobo.checks import money, number_in, values_of
from camobo.errors import InvalidOptionError, InvalidValueError, shown
from camobo.history.trial import Trial
from camobo.run.evaluate import Outcome, exit_text, kill_group, only_bad_numbers, shortened, timeout_text
from camobo.run.faults import Fault, without_numbers
from camobo.run.guard import Guard
from camobo.run.interrupts import undisturbed
from camobo.space.inputs import Param

_PLACEHOLDER = re.compile(r"\{\{|\}\}|\{([^{}]*)\}")
_NAME_LIKE = re.compile(r"[^\W\d]\w*")
_MOST_OUTPUT = 1_000_000
"""Bytes of standard output that are read, from its end."""
_MOST_ERRORS = 1500
"""Bytes of standard error that go into a reason, from its end."""


@dataclass(frozen=True, slots=True)
class Command:
    """A command line with placeholders, for `study.optimize`.

    template: the arguments; each {name} becomes the value of that input, {trial} the trial's number.
    inputs: the names of the study's inputs.
    objectives: the names whose values the command prints. It may print cost=41.5 beside them: what the trial cost. If
        "cost" is an objective, cost= is its value and no receipt.

    >>> command = Command(["train", "--depth={depth}", "{trial}.log"], ["depth"], ["loss"])
    >>> command.arguments(7, {"depth": 3})
    ['train', '--depth=3', '7.log']
    """

    template: tuple[str, ...]
    objectives: tuple[str, ...]

    def __init__(self, template: Sequence[str], inputs: Sequence[str], objectives: Sequence[str]) -> None:
        if isinstance(template, str) or not template or not all(isinstance(part, str) for part in template):
            raise InvalidOptionError(f'command: need a list such as ["train.sh", "{{x}}"], got {template!r}.')
        for part in template:
            for match in _PLACEHOLDER.finditer(part):
                name = match[1]
                if name is not None and name not in inputs and name != "trial" and _NAME_LIKE.fullmatch(name):
                    raise InvalidOptionError(
                        f"command: {part!r} asks for {name!r}, which is not an input. "
                        f"The study has {', '.join(inputs)}; {{trial}} is the trial's number. "
                        f"For plain braces write {{{{{name}}}}}."
                    )
        object.__setattr__(self, "template", tuple(template))
        object.__setattr__(self, "objectives", tuple(objectives))

    def check(self) -> None:
        """Refuse a command that does not exist, before a trial is spent on it."""
        if not _PLACEHOLDER.search(self.template[0]) and shutil.which(self.template[0]) is None:
            raise InvalidOptionError(f"command: {self.template[0]!r} cannot be found or is not executable.")

    def arguments(self, number: int, params: Mapping[str, Param]) -> list[str]:
        """The command line for a trial."""

        def fill(match: re.Match[str]) -> str:
            if match[1] is None:
                return match[0][0]
            if match[1] in params:
                return str(params[match[1]])
            return str(number) if match[1] == "trial" else match[0]

        return [_PLACEHOLDER.sub(fill, part) for part in self.template]


@dataclass(slots=True)
class CommandEvaluation:
    """An evaluation by a command."""

    command: Command
    trial: Trial
    timeout: float | None
    guard: Guard | None = None
    began: float = math.nan
    ended: float | None = None
    deadline: float = math.inf
    process: subprocess.Popen[bytes] | None = None
    out: IO[bytes] = field(default_factory=tempfile.TemporaryFile)
    err: IO[bytes] = field(default_factory=tempfile.TemporaryFile)
    outcome: Outcome | None = None

    def begin(self) -> None:
        """Start the command."""
        params = json.dumps(dict(self.trial.params), default=str)
        self.began = time.monotonic()
        try:
            with undisturbed():
                self.process = subprocess.Popen(
                    self.command.arguments(self.trial.number, self.trial.params),
                    stdin=subprocess.DEVNULL,
                    stdout=self.out,
                    stderr=self.err,
                    env={**os.environ, "CAMOBO_TRIAL": str(self.trial.number), "CAMOBO_PARAMS": params},
                    start_new_session=True,
                )
                if self.guard is not None:
                    self.guard.watch(self.process.pid)
        except (OSError, ValueError) as error:
            self._finish(self._failed(OSError(f"cannot run: {error}"), type(error).__name__))
        else:
            self._watch(self.process.pid)
        if self.timeout is not None:
            self.deadline = time.monotonic() + self.timeout

    def poll(self) -> Outcome | None:
        """The outcome; None while it is running."""
        if self.outcome is not None or self.process is None:
            return self.outcome
        code = self.process.poll()
        if code is None and time.monotonic() <= self.deadline:
            return None
        if code is None:
            outcome = self._failed(TimeoutError(timeout_text(self.timeout)), "timeout")
        elif code != 0:
            outcome = self._failed(ChildProcessError(f"the command {exit_text(code)}"), exit_text(code))
        else:
            outcome = self._read()
        self._finish(outcome)
        return outcome

    def kill(self) -> None:
        """Stop it and everything it started."""
        if self.outcome is None:
            self._finish(Outcome.lost("it was stopped"))

    def _watch(self, process: int) -> None:
        """Note from a thread when the command ends: by then this one may be busy with a suggestion."""

        def note_end() -> None:
            with contextlib.suppress(ChildProcessError):  # `poll` was faster
                os.waitid(os.P_PID, process, os.WEXITED | os.WNOWAIT)
            self.ended = time.monotonic()

        if hasattr(os, "waitid"):
            threading.Thread(target=note_end, name="camobo command", daemon=True).start()

    def _seconds(self) -> float:
        """How long the command ran, or has run until now."""
        ended = self.ended
        return (time.monotonic() if ended is None else ended) - self.began

    def _read(self) -> Outcome:
        """The results of a command that exited with code 0.

        One that printed no result may have broken off. One that printed others than it should is a mistake.
        """
        seconds, output, objectives = self._seconds(), _tail(self.out, _MOST_OUTPUT), self.command.objectives
        try:
            values, cost = read_results(output, objectives)
        except InvalidValueError as error:
            printed = shown(_lines(output)[-1]) if _prints_otherwise(output, objectives) else None
            return self._failed(error, without_numbers(error.message), printed)
        return Outcome(values, cost=cost, seconds=seconds)

    def _failed(self, error: Exception, how: str, returned: str | None = None) -> Outcome:
        """The outcome of a command that went wrong: as if it had raised that error.

        `how` it ended and the last line of the standard error tell whether two went wrong alike.
        """
        seconds, errors = self._seconds(), _tail(self.err, _MOST_ERRORS).strip()
        cost = read_cost(_tail(self.out, _MOST_OUTPUT), self.command.objectives)
        message = without_numbers(errors.rpartition("\n")[2])
        fault = Fault.of(error, how, message, returned=returned)
        return Outcome.failed(f"{error}: {errors}" if errors else str(error), fault, cost=cost, seconds=seconds)

    def _finish(self, outcome: Outcome) -> None:
        self.outcome = outcome
        if self.process is not None:
            kill_group(self.process.pid)
            self.process.wait()
            if self.guard is not None:
                self.guard.forget(self.process.pid)
        self.out.close()
        self.err.close()


def _tail(file: IO[bytes], most: int) -> str:
    """The last `most` bytes of a file, as text."""
    size = file.seek(0, os.SEEK_END)
    file.seek(max(0, size - most))
    return file.read().decode("utf-8", "replace")


def read_results(output: str, objectives: Sequence[str]) -> tuple[dict[str, float], float | None]:
    """The values a command printed, and the cost if it printed one.

    >>> read_results('epoch 9\\n{"loss": 0.25, "epoch": 9}\\n', ["loss"])
    ({'loss': 0.25}, None)
    >>> read_results("loss=0.25\\ncost=3\\ndone\\n", ["loss"])
    ({'loss': 0.25}, 3.0)
    >>> read_results('{"loss": 0.25}\\ncost=3\\n', ["loss"])
    ({'loss': 0.25}, 3.0)

    An objective called "cost" is an objective and no receipt:

    >>> read_results("cost=3\\n", ["cost"])
    ({'cost': 3.0}, None)
    """
    lines = _lines(output)
    if not lines:
        raise InvalidValueError(
            f"the command printed nothing: need one JSON object or lines name=value for {', '.join(objectives)}"
        )
    found = _by_name(lines, objectives)
    if not any(name in found for name in objectives):
        raise InvalidValueError(
            f"the command printed no value for {', '.join(objectives)}; its last line was {shortened(lines[-1])!r}"
        )
    goals = dict.fromkeys(objectives, "")
    values = values_of({k: v for k, v in found.items() if k in goals}, goals, what="result")
    return values, _cost_in(found, objectives)


def read_cost(output: str, objectives: Sequence[str]) -> float | None:
    """The cost that a command printed before it failed, if that can be read.

    >>> read_cost("epoch 1\\ncost=3\\nkilled", ["loss"]), read_cost("cost=much", ["loss"]), read_cost("", ["loss"])
    (3.0, None, None)
    """
    with contextlib.suppress(InvalidValueError):
        return _cost_in(_by_name(_lines(output), objectives), objectives)
    return None


def _prints_otherwise(output: str, objectives: Sequence[str]) -> bool:
    """Whether a command printed results, but not a number for each objective."""
    try:
        found = _by_name(_lines(output), objectives)
    except InvalidValueError:
        return True  # a JSON object that is none
    values = {name: value for name, value in found.items() if name in objectives}
    cost = None if "cost" in objectives else found.get("cost")
    return bool(values) and not only_bad_numbers(values, cost, dict.fromkeys(objectives, ""))


def _lines(output: str) -> list[str]:
    return [line.strip() for line in output.splitlines() if line.strip()]


def _by_name(lines: Sequence[str], objectives: Sequence[str]) -> dict[str, Any]:
    """What was printed, by name: the JSON object at the end, or lines name=value; and lines cost=… beside either."""
    beside = [] if "cost" in objectives else [line for line in lines if _is_cost(line)]
    others = [line for line in lines if not _is_cost(line)] if beside else lines
    in_json = bool(others) and others[-1].startswith("{")
    return _pairs(beside) | (_json_object(others[-1]) if in_json else _pairs(others))


def _is_cost(line: str) -> bool:
    name, sign, _ = line.partition("=")
    return sign == "=" and name.rstrip() == "cost"


def _cost_in(found: Mapping[str, Any], objectives: Sequence[str]) -> float | None:
    return None if "cost" in objectives else money(found.get("cost"))


def _json_object(line: str) -> dict[str, Any]:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise InvalidValueError(f"the command's last line is not valid JSON: {error}") from error
    return found if isinstance(found, dict) else {}


def _pairs(lines: Sequence[str]) -> dict[str, Any]:
    """The name=value lines; the last value of a name counts. Text that is no number stays, for the error to quote."""
    found: dict[str, Any] = {}
    for line in lines:
        name, sign, value = line.partition("=")
        if sign:
            read = number_in(value)
            found[name.strip()] = value.strip() if read is None else read
    return found
