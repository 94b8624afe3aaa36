"""A signal at every step of what must not be left half done: a change of a study, and the start of an evaluation."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import camobo as cm
from camobo.history.trial import Trial
from camobo.run.command import Command, CommandEvaluation
from camobo.run.evaluate import CAN_FORK, ChildEvaluation, Evaluation
from tests.support.processes import Say, forked, heard
from tests.support.signalling import signal_at


def study_at(path: Path) -> cm.Study:
    return cm.Study(cm.Space({"x": cm.Real(0, 1)}), {"y": "min"}, seed=1, cost="x", budget=9, storage=path)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "stride"),
    [(lambda study: study.add({"x": 0.5}, {"y": 1.0}), 3), (lambda study: study.release(study.ask()), 11)],
    ids=["add", "ask and release"],
)
def test_whenever_a_change_is_interrupted_the_study_is_free_for_others_and_for_itself(
    change: Callable[[cm.Study], Any], stride: int, tmp_path: Path
) -> None:
    path = tmp_path / "a.db"
    with study_at(path) as study:
        change(study)
        step, interrupted, arrived = 1, 0, True
        while arrived:
            raised: BaseException | None = None
            try:
                with signal_at(step) as has_come:
                    change(study)
                    arrived = has_come()
            except KeyboardInterrupt as error:
                raised = error  # and with it every frame, as in a `finally` or a notebook
                interrupted += 1
            with closing(sqlite3.connect(path, timeout=0.0, isolation_level=None)) as other:
                other.execute("BEGIN IMMEDIATE")
                other.execute("ROLLBACK")
            began = time.monotonic()
            for trial in study.trials:
                if trial.state is cm.State.PENDING:  # handed out, but nobody was told
                    study.release(trial)
            assert time.monotonic() - began < 10
            del raised
            step += stride
    assert interrupted > 500


def _hangs(params: Any) -> Any:
    time.sleep(600)


STARTS: dict[str, Callable[[], Evaluation]] = {
    "child process": lambda: ChildEvaluation(_hangs, {"x": 0.5}, {"y": "min"}, None),
    "command": lambda: CommandEvaluation(Command(["sleep", "600"], ["x"], ["y"]), Trial(0, {"x": 0.5}), None),
}


@pytest.mark.slow
@pytest.mark.skipif(not CAN_FORK, reason="needs os.fork")
@pytest.mark.parametrize("kind", STARTS)
def test_whenever_the_start_of_an_evaluation_is_interrupted_its_process_can_be_stopped(kind: str) -> None:
    def work(say: Say) -> None:
        step, interrupted, arrived = 1, 0, True
        while arrived:
            evaluation = STARTS[kind]()
            try:
                with signal_at(step, within="camobo") as has_come:
                    evaluation.begin()
                    arrived = has_come()
            except KeyboardInterrupt:
                interrupted += 1
            evaluation.kill()
            try:
                left, _ = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                left = None
            if left is not None:
                say({"left running at step": step})
            step += 1
        say(interrupted)

    process, lines = forked(work)
    with lines:
        *left, interrupted = heard(lines.readlines())
    os.waitpid(process, 0)
    assert left == []
    assert interrupted > 100
