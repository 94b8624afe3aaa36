"""Clocks that are wrong or are set, processes that stand still: nobody waits for years, and no result is lost."""

from __future__ import annotations

import logging
import os
import re
import signal
import time
from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

import camobo as cm
from camobo.storage import sql
from camobo.study import ledger
from tests.support.processes import Say, forked, heard
from tests.support.trial_queues import wait_until

SPACE = cm.Space({"x": cm.Real(0, 1)})
HOUR = timedelta(hours=1)
YEARS = timedelta(days=26 * 365)


def created(place: Any, **options: Any) -> cm.Study:
    return cm.Study(SPACE, {"y": "min"}, seed=1, storage=place, **options)


def under_clock(ahead: timedelta, work: Callable[[Say], None]) -> list[Any]:
    """What work reports in a process of its own, whose clock is so far ahead."""

    def shifted(say: Say) -> None:
        set_clock(ahead)
        work(say)

    process, file = forked(shifted)
    said = heard(file.readlines())
    file.close()
    assert os.waitpid(process, 0)[1] == 0, said
    return said


def set_clock(ahead: timedelta) -> None:
    """Set the clock of this process, which was forked for it, as camobo sees it."""

    class Shifted(datetime):
        @classmethod
        def now(cls, tz: Any = None) -> Any:
            return datetime.now(tz) + ahead

    sql._now = lambda: datetime.now(timezone.utc) + ahead
    vars(ledger)["datetime"] = Shifted


def kinds(study: cm.Study) -> list[str]:
    return [event.kind for event in study.log()]


class TestAFile:
    """On SQLite each machine's clock counts."""

    def test_a_result_whose_trial_was_taken_by_a_clock_an_hour_ahead_is_kept_and_paid_for(self, tmp_path: Path) -> None:
        path = tmp_path / "alloy.db"
        study = created(path, budget=cm.Budget(cost=100.0))
        mine = study.ask(owner="anna", lease="10m")

        def takes_it(say: Say) -> None:
            other = cm.Study.load(path)
            trial = other.ask(owner="ben", lease="10m")
            say(trial.number)
            other.tell(trial, {"y": 1.0}, cost=5.0)

        assert under_clock(HOUR, takes_it) == [0]
        with pytest.raises(
            cm.TrialStateError, match=r"already complete, recorded by ben\..*late result.*y=2, cost 7\."
        ):
            study.tell(mine, {"y": 2.0}, cost=7.0, note="furnace B")
        (late,) = cm.Study.load(path).trials[0].late
        assert (dict(late.values or {}), late.cost, late.who, late.note) == ({"y": 2.0}, 7.0, "anna", "furnace B")
        assert study.trials[0].values == {"y": 1.0}
        assert (study.spent(), study.remaining()) == (12.0, 88.0)
        assert kinds(study) == ["asked", "asked", "told", "late"]
        assert " anna: late trial 0 values={'y': 2.0}, cost=7.0, note=furnace B" in str(study.log()[-1])
        assert re.search(r"came too late to count: y=2, cost 7, by anna, \d{4}-\d\d-\d\d ", str(study.explain(0)))

    def test_a_trial_held_by_a_clock_years_ahead_is_free_after_the_length_of_its_lease(self, tmp_path: Path) -> None:
        path = tmp_path / "alloy.db"
        study = created(path)
        under_clock(YEARS, lambda say: say(cm.Study.load(path).ask(owner="ben", lease=1.0).number))
        assert study.trials[0].expires is not None
        assert study.trials[0].expires.year > 2050
        assert study.ask(owner="anna").number == 1, "ben may still be at it"
        assert "a clock was ahead" in study.log()[-2].new["reason"]
        time.sleep(1.1)
        assert study.ask(owner="carl").number == 0

    def test_a_run_does_not_wait_for_years_and_says_until_which_day_it_waits(
        self, tmp_path: Path, caplog: pytest.LogCaptureFixture
    ) -> None:
        path = tmp_path / "alloy.db"
        study = created(path, budget=2)
        under_clock(YEARS, lambda say: say(cm.Study.load(path).ask(owner="ben", lease=3.0).number))
        began = time.monotonic()
        with caplog.at_level(logging.WARNING, logger="camobo"):
            study.optimize(lambda params: {"y": params["x"]})
        assert time.monotonic() - began < 20
        assert [trial.state for trial in study.trials] == [cm.State.COMPLETE] * 2
        said = re.search(r"waiting for trial 0, which ben holds until (\S+ \S+) or longer", caplog.text)
        assert said is not None
        until = datetime.strptime(said[1], "%Y-%m-%d %H:%M:%S").astimezone()
        assert abs(until - datetime.now().astimezone()) < timedelta(minutes=1)

    @pytest.mark.parametrize("step", [HOUR, -HOUR, YEARS, -YEARS], ids=str)
    def test_a_worker_that_lives_keeps_its_trial_however_its_own_clock_is_set(
        self, tmp_path: Path, step: timedelta
    ) -> None:
        """Its clock is set while it evaluates. Once it has renewed its lease, all is as if it had always been so."""
        path, at_it, go_on = tmp_path / "alloy.db", tmp_path / "at it", tmp_path / "go on"
        created(path, budget=1).close()

        def work(say: Say) -> None:
            def measure(params: dict[str, Any]) -> dict[str, float]:
                set_clock(step)
                at_it.touch()
                wait_until(go_on.exists)
                return {"y": 1.0}

            cm.Study.load(path).optimize(measure, owner="anna", lease=3.0)

        process, file = forked(work)
        wait_until(at_it.exists)
        with cm.Study.load(path) as study:
            wait_until(lambda: "renewed" in kinds(study))
            go_on.touch()
            assert os.waitpid(process, 0)[1] == 0, heard(file.readlines())
            assert (study.trials[0].values, study.trials[0].late) == ({"y": 1.0}, ())
        file.close()

    def test_a_log_of_a_clock_that_was_set_back_is_read_and_goes_on(self, tmp_path: Path) -> None:
        path = tmp_path / "alloy.db"
        created(path).close()
        for ahead in (YEARS, timedelta(0), HOUR, -HOUR):
            under_clock(ahead, lambda say: say(cm.Study.load(path).tell(cm.Study.load(path).ask(), {"y": 1.0}).number))
        study = cm.Study.load(path)
        assert kinds(study) == ["asked", "told"] * 4
        times = [event.when for event in study.log()]
        assert times != sorted(times), "each event has the time that its clock showed"


@pytest.mark.parametrize("place", ["postgresql"], indirect=True)
class TestAServer:
    """On PostgreSQL the server's clock counts, whatever those of the workers show."""

    @pytest.mark.parametrize("ahead", [HOUR, -HOUR, YEARS, -YEARS], ids=str)
    def test_a_worker_whose_clock_is_wrong_neither_takes_a_held_trial_nor_waits_for_a_free_one(
        self, place: Any, ahead: timedelta
    ) -> None:
        study = created(place, budget=cm.Budget(cost=2.0), cost=cm.Prices({"x": 0.0}, per_trial=1.0))
        held, short = study.ask(owner="anna", lease="10m"), study.ask(owner="ben", lease=1.5)

        def work(say: Say) -> None:
            began, own = time.monotonic(), cm.Study.load(place)
            one = [lambda study, trial: study.stop()]
            own.optimize(lambda params: ({"y": 2.0}, 1.0), owner="carl", callbacks=one, timeout=60.0)
            say(time.monotonic() - began)

        (took,) = under_clock(ahead, work)
        assert took < 15
        trials = study.trials
        assert (trials[held.number].state, trials[held.number].owner) == (cm.State.PENDING, "anna")
        assert (trials[short.number].values, trials[short.number].owner) == ({"y": 2.0}, "carl")
        times = [event.when for event in study.log()]
        assert times == sorted(times)
        assert abs(times[-1] - datetime.now(timezone.utc)) < timedelta(minutes=1)
        with pytest.raises(cm.TrialStateError, match="late result"):
            study.tell(short, {"y": 1.0})
        assert study.tell(held, {"y": 3.0}).state is cm.State.COMPLETE


@pytest.mark.parametrize("place", ["sqlite", "postgresql"], indirect=True)
def test_what_a_suspended_worker_measured_is_kept_though_its_trial_was_taken_meanwhile(
    place: Any, tmp_path: Path, figure: Callable[[str], None]
) -> None:
    """A laptop that sleeps: SIGSTOP in the middle of a trial, SIGCONT after somebody else has done it."""
    created(place, budget=cm.Budget(trials=2)).close()
    at_it = tmp_path / "at it"

    def work(say: Say) -> None:
        def measure(params: dict[str, Any]) -> tuple[dict[str, float], float]:
            first = not at_it.exists()
            at_it.touch()
            time.sleep(0.4 if first else 0.0)
            return {"y": params["x"]}, 7.0

        cm.Study.load(place).optimize(measure, owner="laptop", lease=0.6)

    process, file = forked(work)
    wait_until(at_it.exists)
    os.kill(process, signal.SIGSTOP)
    try:
        with cm.Study.load(place) as study:
            time.sleep(0.8)  # its lease ends
            taken = study.ask(owner="anna")
            assert taken.number == 0
            study.tell(taken, {"y": -1.0}, cost=5.0)
            os.kill(process, signal.SIGCONT)
            assert os.waitpid(process, 0)[1] == 0, heard(file.readlines())
            slept, awake = study.trials
            assert (slept.values, slept.cost) == ({"y": -1.0}, 5.0)
            assert [(dict(late.values or {}), late.cost, late.who) for late in slept.late] == [
                ({"y": slept.params["x"]}, 7.0, "laptop")
            ]
            assert (awake.state, awake.owner, awake.late) == (cm.State.COMPLETE, "laptop", ())
            assert study.spent() == 19.0
    finally:
        file.close()
    figure(f"{'PostgreSQL' if 'postgresql' in str(place) else 'SQLite'}: a worker suspended in a trial: 0 results lost")
