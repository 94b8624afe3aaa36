"""kill −9 of a PostgreSQL server in the middle of work: what was acknowledged is there, and nothing is doubled.

Three processes change a study, each change until it is acknowledged: what raises is done again, as people would. All
processes of the server are killed at a random moment, and it is started again. `make faults` runs 50 rounds, `make
test` 2.
"""

from __future__ import annotations

import os
import random
import time
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import pytest

import camobo as cm
from tests.support.postgres import own_server
from tests.support.processes import Say, forked, heard
from tests.support.trial_queues import wait_until

LONG = bool(os.environ.get("CAMOBO_LONG"))
ROUNDS = 50 if LONG else 2
WORKERS = 3
PATIENCE = 600.0 if LONG else 120.0
"""Seconds until a worker gives up: between two kills the server may be up for less time than a change takes."""
TRIALS = 8
T = TypeVar("T")


def until_acknowledged(change: Callable[[], T], say: Say) -> T:
    """Make a change; if it raises, make it again. Says how often the outcome was unknown or it was not stored."""
    end = time.monotonic() + PATIENCE
    while True:
        try:
            return change()
        except cm.StorageError as error:
            say([type(error).__name__])
            if time.monotonic() > end:
                raise
            time.sleep(0.02)


def work(place: str, worker: int, over: Path, say: Say) -> None:
    """Ask, fail, tell and add, until it is over; report each change once it is acknowledged."""
    study = until_acknowledged(lambda: cm.Study.load(place), say)
    say(["opened"])
    i = 0
    while not over.exists():
        i += 1
        mark = f"worker {worker}, {i}"
        trial = until_acknowledged(study.ask, say)
        say(["asked", trial.number])
        if i % 40 == 0:
            until_acknowledged(lambda: study.tell(trial, {"y": 1.0 * i}, cost=1.0, note=mark), say)  # noqa: B023
            say(["told", trial.number, mark])
        else:
            until_acknowledged(lambda: study.fail(trial, mark, cost=1.0), say)  # noqa: B023
            say(["failed", trial.number, mark])
        point = {"x": random.Random(mark).random(), "n": i}
        until_acknowledged(lambda: study.add(point, None, reason=mark), say)  # noqa: B023
        say(["added", mark])
        time.sleep(0.01)


def mark_of(event: cm.Event) -> str | None:
    return event.new.get("note") or event.new.get("reason")


@pytest.mark.timeout(3600 if LONG else 300)
def test_what_a_killed_server_acknowledged_is_there_and_nothing_is_doubled(
    tmp_path: Path, figure: Callable[[str], None]
) -> None:
    chance, over = random.Random(3), tmp_path / "over"
    with own_server() as server:
        space = cm.Space({"x": cm.Real(0, 1), "n": cm.Integer(0, 10**9)})
        cm.Study(space, {"y": "min"}, seed=1, storage=server.url).close()
        processes = [forked(partial(work, server.url, worker, over)) for worker in range(WORKERS)]
        assert [file.readline() for _, file in processes] == [b'["opened"]\n'] * WORKERS
        try:
            for _ in range(ROUNDS):
                time.sleep(chance.uniform(0.3, 1.5))
                server.kill()
                server.start()
            time.sleep(0.5)
        finally:
            over.touch()
        said = [heard(file.readlines()) for _, file in processes]
        assert [os.waitpid(process, 0)[1] for process, _ in processes] == [0] * WORKERS, [lines[-1] for lines in said]
        with cm.Study.load(server.url) as study:
            log, trials = study.log(), study.trials
            spent = study.spent()
    reports: list[list[Any]] = [report for lines in said for report in lines]
    lost = Counter(report[0] for report in reports if report[0].endswith(("Error", "Unknown")))
    changes = Counter(report[0] for report in reports if not report[0].endswith(("Error", "Unknown")))
    assert [event.number for event in log] == list(range(len(log)))
    assert Counter(event.kind for event in log) == changes, "nothing is lost, nothing is doubled, nothing is late"
    for kind in ("told", "failed", "added"):
        stored = [mark_of(event) for event in log if event.kind == kind]
        assert sorted(map(str, stored)) == sorted(report[-1] for report in reports if report[0] == kind)
    assert sorted(trial.number for trial in trials if not trial.added) == sorted(
        report[1] for report in reports if report[0] == "asked"
    ), "each trial was handed out once"
    assert not any(trial.state.open for trial in trials)
    assert spent == changes["asked"], "each cost 1, once"
    assert sum(lost.values()) >= ROUNDS
    figure(
        f"PostgreSQL killed with kill −9 in the middle of work: {ROUNDS} rounds, {sum(changes.values())} acknowledged "
        f"changes, 0 lost, 0 doubled; {lost['OutcomeUnknown']} were unknown at first"
    )
    for _, file in processes:
        file.close()


def test_a_run_waits_for_a_server_that_was_killed_and_evaluates_every_trial_once(tmp_path: Path) -> None:
    calls = tmp_path / "calls"

    def measure(params: dict[str, Any]) -> tuple[dict[str, float], float]:
        with calls.open("a", encoding="utf-8") as file:
            file.write(f"{params['x']!r}\n")
        time.sleep(0.2)
        return {"y": params["x"]}, 1.0

    with own_server() as server:
        cm.Study(cm.Space({"x": cm.Real(0, 1)}), {"y": "min"}, budget=TRIALS, seed=1, storage=server.url).close()
        process, file = forked(lambda say: cm.Study.load(server.url).optimize(measure, jobs=2, lease=60.0))
        wait_until(calls.exists)
        time.sleep(0.5)
        server.kill()
        server.start()
        assert os.waitpid(process, 0)[1] == 0, heard(file.readlines())
        with cm.Study.load(server.url) as study:
            assert sorted(repr(trial.params["x"]) for trial in study.trials) == sorted(calls.read_text().split())
            assert [trial.state for trial in study.trials] == [cm.State.COMPLETE] * TRIALS
            assert (study.spent(), [trial.late for trial in study.trials]) == (TRIALS, [()] * TRIALS)
    file.close()
