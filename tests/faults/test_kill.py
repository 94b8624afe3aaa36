"""kill −9 at any moment: every acknowledged change is stored, and the study opens.

Each round forks a process that opens the study, changes it, and reports each finished change over a pipe. After a few
reports and a random time it is killed. `make faults` runs 1000 rounds on SQLite and 200 on PostgreSQL, `make test` 40
and 8.
"""

from __future__ import annotations

import os
import random
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import camobo as cm
from tests.support.processes import Say, forked, heard

LONG = bool(os.environ.get("CAMOBO_LONG"))
ROUNDS = {"sqlite": 1000 if LONG else 40, "postgresql": 200 if LONG else 8}
CREATIONS = 50 if LONG else 10
SPACE = cm.Space({"nickel": cm.Real(0, 20), "soak": cm.Integer(1, 12)})


def created(place: Path | str) -> cm.Study:
    return cm.Study(SPACE, {"strength": "max", "corrosion": "min"}, cost="nickel > soak", seed=1, storage=place)


def killed_while(work: Callable[[Say], None], words: int, seconds: float) -> list[Any]:
    """What `work` reported in its own process, which is killed `seconds` after that many reports."""
    process, said = forked(work)
    with said:
        try:
            lines = [said.readline() for _ in range(words)]
            time.sleep(seconds)
        finally:
            os.kill(process, signal.SIGKILL)
            os.waitpid(process, 0)
        lines += said.readlines()
    return heard(lines)


def changes(place: Path | str, round_number: int) -> Callable[[Say], None]:
    """Ask, tell in part, tell, amend and fail in an endless loop, and report each change."""

    def work(say: Say) -> None:
        study = cm.Study.load(place)
        say(["opened"])
        i = 0
        while True:
            i += 1
            value = round_number + i / 1024
            trial = study.ask(owner=f"round {round_number}")
            say(["asked", trial.number, dict(trial.params)])
            if i % 5 == 4:
                study.fail(trial, f"reason {value}")
                say(["failed", trial.number, f"reason {value}"])
                continue
            study.tell(trial, {"strength": value})
            say(["told", trial.number, {"strength": value}])
            study.tell(trial, {"corrosion": -value}, note=f"note {value}")
            say(["told", trial.number, {"strength": value, "corrosion": -value}])
            study.amend(trial, {"corrosion": 2 * value}, "doubled")
            say(["amended", trial.number, {"strength": value, "corrosion": 2 * value}])

    return work


def check(study: cm.Study, said: list[Any]) -> int:
    """Check that every acknowledged change is stored; returns how many."""
    kinds = {(event.kind, event.trial) for event in study.log()}
    last: dict[int, list[Any]] = {}
    for kind, *facts in said:
        if kind == "opened":
            continue
        number = facts[0]
        assert (kind, number) in kinds
        if kind == "asked":
            assert dict(study.trials[number].params) == facts[1]
        last[number] = [kind, *facts]
    for number, (kind, _, fact) in last.items():
        trial = study.trials[number]
        if kind == "failed":
            assert (trial.state, trial.reason) == (cm.State.FAILED, fact)
        elif kind != "asked":  # the next change may have been made and not been acknowledged
            values = dict(trial.values or {})
            assert {k: v for k, v in values.items() if k in fact and k == "strength"} == {"strength": fact["strength"]}
            assert kind != "amended" or values == fact
    return len(said)


@pytest.mark.timeout(3600 if LONG else 300)
@pytest.mark.parametrize("place", ["sqlite", "postgresql"], indirect=True)
def test_no_acknowledged_record_is_lost_and_every_study_opens(place: Any, figure: Callable[[str], None]) -> None:
    kind = "postgresql" if "postgresql" in str(place) else "sqlite"
    chance = random.Random(1)
    records = 0
    for i in range(ROUNDS[kind]):
        own = f"{place}_{i // 8}"  # a new study now and then, or suggestions become slow
        if i % 8 == 0:
            created(own).close()
        said = killed_while(changes(own, i), chance.randrange(1, 9), chance.uniform(0.0, 0.02))
        with cm.Study.load(own) as study:
            records += check(study, said)
            assert [event.number for event in study.log()] == list(range(len(study.log())))
    figure(
        f"{kind}: kill −9 during tell, ask, amend: {ROUNDS[kind]} rounds, {records} acknowledged records, 0 lost, "
        "0 not opened"
    )
    assert records > 2 * ROUNDS[kind]


def test_a_study_killed_while_it_is_created_exists_or_not_and_can_be_created(tmp_path: Path) -> None:
    chance = random.Random(2)
    there = 0
    for i in range(CREATIONS):
        path = tmp_path / f"{i}.db"

        def work(say: Say, path: Path = path) -> None:
            say(["creating"])
            created(path)
            say(["created"])
            time.sleep(9)

        said = killed_while(work, 1, chance.uniform(0.0, 0.05))
        if ["created"] in said:
            there += 1
            cm.Study.load(path).close()
        with created(path) as study:
            assert study.ask().number == 0
    assert there < CREATIONS


def test_a_writer_killed_in_its_transaction_leaves_nothing_and_blocks_nobody(tmp_path: Path) -> None:
    path = tmp_path / "alloy.db"
    created(path).ask(2)

    def work(say: Say) -> None:
        study = cm.Study.load(path)
        with study.together():
            study.tell(0, {"strength": 1.0, "corrosion": 1.0})
            study.ask()
            say(["in the middle"])
            time.sleep(60)

    assert killed_while(work, 1, 0.1) == [["in the middle"]]
    study = cm.Study.load(path)
    assert [trial.state for trial in study.trials] == [cm.State.PENDING] * 2
    started = time.monotonic()
    study.tell(0, {"strength": 2.0, "corrosion": 1.0})
    assert time.monotonic() - started < 5


@pytest.mark.parametrize("place", ["postgresql"], indirect=True)
def test_a_writer_killed_on_a_server_leaves_nothing_either(place: str) -> None:
    study = cm.Study(SPACE, {"y": "max"}, seed=1, storage=place)
    study.ask(2)
    study.close()

    def work(say: Say) -> None:
        other = cm.Study.load(place)
        with other.together():
            other.tell(0, {"y": 1.0})
            say(["in the middle"])
            time.sleep(60)

    assert killed_while(work, 1, 0.1) == [["in the middle"]]
    assert study.tell(0, {"y": 2.0}).values == {"y": 2.0}
