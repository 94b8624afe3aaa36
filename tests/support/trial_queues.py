"""A study without a study: trials to evaluate by number, for tests of the loop and of how evaluations run."""

from __future__ import annotations

import contextlib
import os
import subprocess
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any, TypeVar

from camobo.errors import SpaceExhausted
from camobo.history.transitions import Ahead, Request
from camobo.history.trial import State, Trial
from camobo.run.evaluate import Evaluation, Outcome, wait
from camobo.run.trial_queue import Run
from camobo.run.workers import Prepare
from camobo.space.inputs import Integer
from camobo.space.space import Space
from camobo.strategy.plan import Plan

GOALS: dict[str, Any] = {"y": "min"}
AnEvaluation = TypeVar("AnEvaluation", bound=Evaluation)


class FakeQueue:
    """Hands out the trials n = 0, 1, 2, … until `points` are used, and keeps what the loop does with them."""

    def __init__(self, points: int = 100) -> None:
        self.plan = Plan(Space({"n": Integer(0, 99)}), GOALS, seed=1)
        self.points = points
        self.trials: tuple[Trial, ...] = ()
        self.storage = "a.db"
        self.renewed: list[int] = []
        self.requests: list[Request] = []

    def hand_out(self, request: Request, ahead: Ahead | None = None) -> list[Trial]:
        self.requests.append(request)
        for trial in self.trials:
            if trial.state is State.RELEASED and trial.number not in request.skip:
                return [self._set(trial, state=State.PENDING, owner=request.owner)]
        number = len(self.trials)
        if request.most is not None and number >= request.most:
            return []
        if number >= self.points:
            raise SpaceExhausted(f"all {self.points} points have been handed out.")
        self.trials = (*self.trials, Trial(number, {"n": number}, owner=request.owner, held=number))
        return [self.trials[-1]]

    def look_ahead(self, request: Request) -> Ahead | None:
        return None

    def tell(self, trial: Trial, values: Mapping[str, float], cost: float | None = None) -> Trial:
        merged = {**(trial.values or {}), **values}
        return self._set(trial, state=State.COMPLETE, values=merged, cost=cost)

    def fail(self, trial: Trial, reason: str, cost: float | None = None, *, teaches: bool = True) -> Trial:
        return self._set(trial, state=State.FAILED, reason=reason, cost=cost, teaches=teaches)

    def now(self) -> datetime:
        return datetime.now(timezone.utc)

    def spent(self) -> float:
        return sum(trial.cost or 0.0 for trial in self.trials)

    def retry(self, trial: int) -> Trial:
        return self._set(self.trials[trial], state=State.RELEASED, reason=None)

    def release(self, trial: Trial) -> Trial:
        return self._set(trial, state=State.RELEASED)

    def renew(self, trial: Trial, lease: timedelta | None) -> Trial:
        self.renewed.append(trial.number)
        return trial

    @property
    def states(self) -> list[State]:
        return [trial.state for trial in self.trials]

    def _set(self, trial: Trial, **changes: Any) -> Trial:
        changed = replace(self.trials[trial.number], **changes)
        self.trials = tuple(changed if old.number == trial.number else old for old in self.trials)
        return changed


def run_on(queue: FakeQueue, *, lease: float | None = None, most: int | None = None) -> Run:
    return Run(queue, "me", None if lease is None else timedelta(seconds=lease), most, since=0)


def keep_no_lease(_: Trial) -> contextlib.AbstractContextManager[None]:
    return contextlib.nullcontext()


def outcome_of(prepare: Prepare, number: int = 0) -> Outcome:
    """The outcome of the trial n = number, waited for."""
    return finished(begun(prepare(Trial(number, {"n": number}))))


def begun(evaluation: AnEvaluation) -> AnEvaluation:
    evaluation.begin()
    return evaluation


def finished(evaluation: Evaluation) -> Outcome:
    return wait(evaluation, lambda: None)


def alive(process: int) -> bool:
    """Whether a process exists and is no zombie."""
    try:
        return "Z" not in Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False


def wait_until(holds: Callable[[], bool], seconds: float = 60.0) -> None:
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.01)


def processes_of_session(session: int) -> list[int]:
    """The living processes of a session, whatever their process group."""
    listed = subprocess.run(["ps", "-eo", "pid,sess"], capture_output=True, text=True, check=True).stdout
    rows = [line.split() for line in listed.splitlines()[1:]]
    return [int(pid) for pid, found in rows if found == str(session) and int(pid) != os.getpid() and alive(int(pid))]
