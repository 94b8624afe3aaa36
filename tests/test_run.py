"""`study.optimize` for real: functions that raise, hang, exit and are killed; pools, Dask, interrupts, terminals."""

from __future__ import annotations

import contextlib
import logging
import os
import pty
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import camobo as cm
from camobo.evaluate import evaluate_apart
from camobo.inputs import Param
from camobo.interrupts import interruptible

PLANE = cm.Space({"dear": cm.Real(0, 1), "cheap": cm.Real(0, 1)})
DONE, FAILED = cm.State.COMPLETE, cm.State.FAILED


def study_of(**options: Any) -> cm.Study:
    return cm.Study(PLANE, {"y": "min"}, **{"seed": 1, "cost": "dear > cheap", **options})


def measure(params: Mapping[str, Param]) -> dict[str, float]:
    return {"y": (params["dear"] - 0.3) ** 2 + params["cheap"]}


def slow(params: Mapping[str, Param]) -> dict[str, float]:
    time.sleep(0.2)
    return measure(params)


def slower(params: Mapping[str, Param]) -> dict[str, float]:
    time.sleep(1.6)
    return measure(params)


def hang(began: Path, _: Mapping[str, Param]) -> dict[str, float]:
    began.write_text(f"{os.getppid()} {os.getpid()}")
    time.sleep(60)
    return {}


WAYS: dict[str, Callable[[], object]] = {
    "raises": lambda: 1 / 0,
    "exits politely": lambda: sys.exit(3),
    "exits at once": lambda: os._exit(4),
    "is killed": lambda: os.kill(os.getpid(), signal.SIGKILL),
    "hangs": lambda: time.sleep(60),
}
SAID = {
    "raises": "ZeroDivisionError: division by zero",
    "exits politely": "exited with code 3",
    "exits at once": "exited with code 4",
    "is killed": "killed by SIGKILL",
    "hangs": "longer than 1 s",
}


def goes_wrong(params: Mapping[str, Param]) -> dict[str, float]:
    """The first points go wrong, each in its own way; the others do not."""
    share = params["n"]
    if share < len(WAYS):
        list(WAYS.values())[share]()
    return {"y": float(share)}


def pids(params: Mapping[str, Param]) -> dict[str, float]:
    return {"y": float(os.getpid())}


CHOICES = cm.Space({"n": cm.Integer(0, 9)})


class TestGoingWrong:
    """Ten points, five of which go wrong, each in its own way: all are tried, none takes another with it."""

    def check(self, caplog: pytest.LogCaptureFixture, **options: Any) -> None:
        study = cm.Study(CHOICES, {"y": "max"}, seed=1)
        with caplog.at_level(logging.WARNING, logger="camobo"):
            study.optimize(goes_wrong, 10, timeout=1.0, **options)
        by_share = {trial.params["n"]: trial for trial in study.trials}
        assert sorted(by_share) == list(range(10))
        for share, (way, said) in enumerate(SAID.items()):
            assert by_share[share].state is FAILED, way
            assert said in (by_share[share].reason or ""), way
            assert any(said in record.getMessage() for record in caplog.records), way
        assert all(by_share[share].values == {"y": float(share)} for share in range(5, 10))

    def test_in_children_of_its_own(self, caplog: pytest.LogCaptureFixture) -> None:
        self.check(caplog)

    def test_in_several_children_at_once(self, caplog: pytest.LogCaptureFixture) -> None:
        self.check(caplog, jobs=3)

    def test_in_a_process_pool(self, caplog: pytest.LogCaptureFixture) -> None:
        with ProcessPoolExecutor(2) as pool:
            self.check(caplog, executor=pool)
            assert pool.submit(os.getpid).result() > 0, "the pool is as good as before"

    def test_in_threads(self, caplog: pytest.LogCaptureFixture) -> None:
        with ThreadPoolExecutor(2) as pool:
            self.check(caplog, executor=pool)

    def test_an_exit_in_this_process_is_a_failed_trial_too(self) -> None:
        study = study_of().optimize(lambda p: sys.exit("no more crucibles"), 2)
        assert [trial.reason for trial in study.trials] == ["it exited with code no more crucibles"] * 2

    def test_what_a_function_that_hangs_has_started_is_stopped_too(self, tmp_path: Path) -> None:
        def starts_another(params: Mapping[str, Param]) -> dict[str, float]:
            process = subprocess.Popen(["sleep", "60"])
            (tmp_path / "started").write_text(str(process.pid))
            process.wait()
            return {"y": 0.0}

        study = study_of().optimize(starts_another, 1, timeout=0.5)
        assert [trial.state for trial in study.trials] == [FAILED]
        started = int((tmp_path / "started").read_text())
        wait_until(lambda: not alive(started))
        assert not alive(started)

    def test_a_pool_whose_worker_is_killed_is_replaced_and_no_innocent_trial_fails(self) -> None:
        with ProcessPoolExecutor(2) as pool:
            study = study_of()
            killer = threading.Timer(0.5, lambda: os.kill(next(iter(pool._processes)), signal.SIGKILL))
            killer.start()
            study.optimize(slow, 10, executor=pool)
            killer.join()
        assert [trial.state for trial in study.trials] == [DONE] * 10

    def test_an_executor_that_breaks_for_good_is_an_error_and_its_trials_are_released(self) -> None:
        class Broken(Executor):
            def submit(self, *_: Any, **__: Any) -> Future[Any]:
                raise BrokenExecutor

        study = study_of()
        with pytest.raises(BrokenExecutor, match="cannot be replaced"):
            study.optimize(measure, 4, executor=Broken(), jobs=2)
        assert [trial.state for trial in study.trials] == [cm.State.RELEASED]


def alive(process: int) -> bool:
    try:
        return "Z" not in Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False


def wait_until(holds: Callable[[], bool], seconds: float = 20.0) -> None:
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.02)


class TestExecutors:
    def test_a_process_pool_gives_what_asking_and_telling_at_once_would(self) -> None:
        with ProcessPoolExecutor(3) as pool:
            study = study_of(budget=9).optimize(measure, 9, executor=pool)
        assert [trial.state for trial in study.trials] == [DONE] * 9
        assert [trial.values for trial in study.trials] == [measure(trial.params) for trial in study.trials]

    def test_one_job_is_the_same_study_wherever_it_runs(self) -> None:
        plain = study_of().optimize(measure, 8)
        with ProcessPoolExecutor(1) as pool:
            pooled = study_of().optimize(measure, 8, executor=pool)
        forked = study_of().optimize(lambda params: measure(params), 8, timeout=30)
        for study in (pooled, forked):
            assert [trial.params for trial in study.trials] == [trial.params for trial in plain.trials]

    def test_evaluations_do_run_at_once_and_know_of_one_another(self) -> None:
        at_once: list[int] = []
        going: set[int] = set()

        def watched(params: Mapping[str, Param]) -> dict[str, float]:
            going.add(id(params))
            time.sleep(0.1)
            at_once.append(len(going))
            going.discard(id(params))
            return measure(params)

        with ThreadPoolExecutor(4) as pool:
            study = study_of().optimize(watched, 8, executor=pool)
        assert max(at_once) == 4
        assert len({tuple(trial.params.values()) for trial in study.trials}) == 8

    def test_each_evaluation_on_a_pool_has_a_process_of_its_own(self) -> None:
        with ProcessPoolExecutor(2) as pool:
            study = study_of().optimize(pids, 6, executor=pool)
        assert len({(trial.values or {})["y"] for trial in study.trials}) == 6

    def test_dask(self) -> None:
        distributed = pytest.importorskip("distributed")
        with (
            distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
            distributed.Client(cluster) as client,
        ):
            study = study_of(budget=8).optimize(slow, 8, executor=client.get_executor())
            assert [trial.state for trial in study.trials] == [DONE] * 8
            wrong = cm.Study(CHOICES, {"y": "max"}, seed=1)
            wrong.optimize(goes_wrong, 10, timeout=2.0, executor=client.get_executor())
            assert sum(trial.state is DONE for trial in wrong.trials) == 5

    def test_an_executor_that_does_not_say_how_many_workers_it_has_needs_jobs(self) -> None:
        class Own(Executor):
            def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
                future: Future[Any] = Future()
                future.set_result(fn(*args, **kwargs))
                return future

        with pytest.raises(cm.InvalidOptionError, match="jobs: Own"):
            study_of().optimize(measure, 3, executor=Own())
        assert len(study_of().optimize(measure, 3, executor=Own(), jobs=2).front()) > 0


class TestCounting:
    def test_without_a_number_the_budget_is_met(self) -> None:
        study = study_of(budget=7)
        study.add({"dear": 0.5, "cheap": 0.5}, {"y": 1.0})
        study.optimize(measure, 2).optimize(measure)
        assert sum(not trial.added for trial in study.trials) == 7
        study.optimize(measure)
        assert len(study.trials) == 8

    def test_without_a_number_and_a_budget_it_says_so(self) -> None:
        with pytest.raises(cm.InvalidOptionError, match=r"n_trials.*no budget"):
            study_of().optimize(measure)

    def test_a_released_trial_is_evaluated_before_a_new_one_is_made(self) -> None:
        study = study_of(budget=4)
        study.release(study.ask())
        assert [trial.state for trial in study.optimize(measure).trials] == [DONE] * 4

    def test_an_owner_goes_on_with_the_trials_it_held(self, tmp_path: Path) -> None:
        study = study_of(budget=5, storage=tmp_path / "a.db")
        study.ask(2, owner="worker 1")
        study.ask(owner="somebody else")
        study.optimize(measure, owner="worker 1")
        assert [trial.state for trial in study.trials] == [DONE, DONE, cm.State.PENDING, DONE, DONE]

    def test_what_was_told_in_part_before_is_kept(self) -> None:
        study = cm.Study(PLANE, {"y": "min", "z": "min"}, seed=1)
        trial = study.ask(owner="me")
        study.tell(trial, {"z": 5.0})
        study.optimize(lambda p: {"y": 1.0, "z": 2.0}, 1, owner="me")
        assert study.trials[0].values == {"y": 1.0, "z": 5.0}

    def test_a_finite_space_is_finished_before_it_is_found_to_be_exhausted(self) -> None:
        study = cm.Study(cm.Space({"n": cm.Integer(1, 5)}), {"y": "max"}, seed=1)
        with pytest.raises(cm.SpaceExhausted), ThreadPoolExecutor(3) as pool:
            study.optimize(lambda p: {"y": p["n"]}, 9, executor=pool)
        assert [trial.state for trial in study.trials] == [DONE] * 5


class Speechless(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no words")


@pytest.mark.parametrize("options", [{}, {"timeout": 60}], ids=["here", "children"])
def test_an_error_that_cannot_say_what_it_is_is_told_by_its_name(options: dict[str, Any]) -> None:
    def measure(params: Mapping[str, Param]) -> dict[str, float]:
        raise Speechless

    study = study_of().optimize(measure, 2, **options)
    assert [trial.reason for trial in study.trials] == ["Speechless", "Speechless"]


class TestLeases:
    def test_a_trial_is_kept_for_as_long_as_it_is_evaluated_and_no_longer(self, tmp_path: Path) -> None:
        ways: list[dict[str, Any]] = [{}, {"timeout": 30}, {"executor": ThreadPoolExecutor(1)}]
        for options in ways:
            path = tmp_path / f"{len(options)}{next(iter(options), '')}.db"
            study, other = study_of(storage=path), study_of(storage=path)
            taken: list[int] = []

            def look(other: cm.Study = other, taken: list[int] = taken) -> None:
                time.sleep(1.2)
                taken.append(other.ask().number)

            looking = threading.Thread(target=look)
            looking.start()
            study.optimize(slower, 1, lease=0.6, **options)
            looking.join()
            assert taken == [1], options
            assert study.trials[0].state is DONE
            executor = options.get("executor")
            if isinstance(executor, ThreadPoolExecutor):
                executor.shutdown()

    def test_a_stored_study_is_worked_on_under_a_lease_and_a_name(self, tmp_path: Path) -> None:
        study = study_of(storage=tmp_path / "a.db").optimize(measure, 1)
        (trial,) = study.trials
        assert str(os.getpid()) in (trial.owner or "")
        assert [event.new["expires"] is not None for event in study.log() if event.kind == "asked"] == [True]
        assert trial.expires is None, "what is done needs no lease"
        in_memory = study_of().optimize(measure, 1)
        assert [event.new["expires"] for event in in_memory.log() if event.kind == "asked"] == [None]

    def test_a_result_that_somebody_else_told_meanwhile_is_let_go_with_a_warning(
        self, tmp_path: Path, caplog: pytest.LogCaptureFixture
    ) -> None:
        study, other = study_of(storage=tmp_path / "a.db"), study_of(storage=tmp_path / "a.db")

        def overtaken(params: Mapping[str, Param]) -> dict[str, float]:
            if not other.front():
                other.tell(0, {"y": -1.0})
            return measure(params)

        with caplog.at_level(logging.WARNING, logger="camobo"):
            study.optimize(overtaken, 2)
        assert study.trials[0].values == {"y": -1.0}
        assert study.trials[1].state is DONE
        assert any("not needed any more" in record.getMessage() for record in caplog.records)


SCRIPT = """
import sys, time
import camobo as cm
study = cm.Study(cm.Space({"x": cm.Real(0, 1)}), {"y": "min"}, seed=1, cost="x", budget=10, storage=sys.argv[1])
def measure(params):
    time.sleep(float(sys.argv[3]))
    return {"y": params["x"]}
from concurrent.futures import ProcessPoolExecutor
options = {"here": {}, "children": {"timeout": 60, "jobs": 2}}.get(sys.argv[2])
if options is None:
    with ProcessPoolExecutor(2) as pool:
        study.optimize(measure, executor=pool)
else:
    study.optimize(measure, **options)
"""


class TestInterrupting:
    def test_a_polite_request_to_end_leaves_a_clean_study_too(self, tmp_path: Path) -> None:
        script, path = tmp_path / "script.py", tmp_path / "a.db"
        script.write_text(SCRIPT)
        process = subprocess.Popen(
            [sys.executable, str(script), str(path), "children", "4"], stderr=subprocess.DEVNULL, text=True
        )
        wait_until(lambda: third_is_under_way(path), 180)
        process.terminate()
        assert process.wait(timeout=30) != 0
        assert {trial.state for trial in loaded(path)} == {DONE, cm.State.RELEASED}

    @pytest.mark.parametrize("way", ["here", "children", "pool"])
    def test_ctrl_c_leaves_a_clean_study_that_goes_on(self, way: str, tmp_path: Path) -> None:
        script, path = tmp_path / "script.py", tmp_path / "a.db"
        script.write_text(SCRIPT)
        command = [sys.executable, str(script), str(path), way]
        process = subprocess.Popen([*command, "4"], stderr=subprocess.PIPE, text=True, start_new_session=True)
        wait_until(lambda: third_is_under_way(path), 180)
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to all of the group
        _, said = process.communicate(timeout=30)
        assert "KeyboardInterrupt" in said
        states = [trial.state for trial in loaded(path)]
        assert set(states) <= {DONE, cm.State.RELEASED}
        assert 1 <= states.count(cm.State.RELEASED) <= 2
        assert not descendants_of_group(process.pid)
        subprocess.run([*command, "0"], check=True, timeout=120)
        assert [trial.state for trial in loaded(path)] == [DONE] * 10

    @pytest.mark.parametrize("kind", ["SIGINT", "SIGTERM"])
    def test_an_interrupt_that_python_drops_in_a_hook_still_ends_the_run(self, kind: str, tmp_path: Path) -> None:
        code = (
            "import os, signal, time, camobo as cm\n"
            "study = cm.Study(cm.Space({'x': cm.Real(0, 1)}), {'y': 'min'}, seed=1, budget=9, storage='a.db')\n"
            f"hook = lambda: len(study.trials) == 3 and os.kill(os.getpid(), signal.{kind})\n"
            "os.register_at_fork(after_in_parent=hook)\n"
            "try:\n"
            "    study.optimize(lambda p: {'y': time.sleep(1) or p['x']}, timeout=60)\n"
            "finally:\n"
            "    print(signal.getsignal(signal.SIGTERM) is signal.SIG_DFL)\n"
        )
        done = subprocess.run(
            [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False
        )
        assert "Exception ignored" in done.stderr, "or this tests nothing"
        assert (done.returncode, done.stdout) == (-signal.SIGINT, "True\n")
        assert [trial.state for trial in loaded(tmp_path / "a.db")] == [DONE, DONE, cm.State.RELEASED]

    def test_a_worker_of_a_pool_drops_none_either(self, tmp_path: Path) -> None:
        code = (
            "import os, signal, time\n"
            "from camobo.evaluate import evaluate_apart\n"
            "os.register_at_fork(after_in_parent=lambda: os.kill(os.getpid(), signal.SIGTERM))\n"
            "evaluate_apart(lambda p: time.sleep(60), {}, {'y': 'min'}, None, 0)\n"
        )
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=30, check=False)
        assert "Exception ignored" in done.stderr, "or this tests nothing"
        assert done.returncode == -signal.SIGTERM, "in time, though the one raised in the hook was lost"

    @pytest.mark.parametrize("inherits", [False, True], ids=["before the run", "during the run"])
    def test_a_worker_its_pool_sends_away_goes_and_takes_its_evaluation_along(
        self, inherits: bool, tmp_path: Path
    ) -> None:
        began = tmp_path / "began"

        def hanging() -> tuple[int, ...]:
            return tuple(map(int, began.read_text().split())) if began.exists() else ()

        with ProcessPoolExecutor(1) as pool:
            with interruptible() if inherits else contextlib.nullcontext():  # a worker inherits a run's handlers
                future = pool.submit(evaluate_apart, partial(hang, began), {}, {"y": "min"}, None, 0)
            wait_until(lambda: len(hanging()) == 2, 60)
            worker, evaluation = hanging()
            os.kill(worker, signal.SIGTERM)
            assert isinstance(future.exception(timeout=30), BrokenExecutor)
        assert not alive(worker)
        assert not alive(evaluation)

    def test_what_nohup_has_ignored_stays_ignored_where_evaluations_run(self) -> None:
        def ignored(params: Mapping[str, Param]) -> dict[str, float]:
            return {"y": float(signal.getsignal(signal.SIGHUP) is signal.SIG_IGN)}

        before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
        try:
            study = study_of().optimize(ignored, 1, timeout=60)
        finally:
            signal.signal(signal.SIGHUP, before)
        assert study_of().optimize(ignored, 1, timeout=60).trials[0].values == {"y": 0.0}
        assert study.trials[0].values == {"y": 1.0}

    def test_who_handles_signals_otherwise_goes_on_doing_so(self) -> None:
        heard: list[int] = []

        def signalling(params: Mapping[str, Param]) -> dict[str, float]:
            os.kill(os.getpid(), signal.SIGTERM)
            return measure(params)

        before = signal.signal(signal.SIGTERM, lambda number, _: heard.append(number))
        try:
            study = study_of().optimize(signalling, 2)
            os.kill(os.getpid(), signal.SIGTERM)
        finally:
            signal.signal(signal.SIGTERM, before)
        assert heard == [signal.SIGTERM] * 3
        assert [trial.state for trial in study.trials] == [DONE, DONE]


def loaded(path: Path) -> tuple[cm.Trial, ...]:
    try:
        with cm.Study.load(path) as study:
            return study.trials
    except cm.StorageError:
        return ()


def third_is_under_way(path: Path) -> bool:
    """It is asked for when the first, or one of the first two, is done: it has most of its time before it."""
    return {trial.state for trial in loaded(path)[2:]} == {cm.State.PENDING}


def descendants_of_group(group: int) -> list[int]:
    found = subprocess.run(["ps", "-eo", "pid,pgid"], capture_output=True, text=True, check=True).stdout
    rows = [line.split() for line in found.splitlines()[1:]]
    return [int(pid) for pid, pgid in rows if int(pgid) == group]


class TestProgress:
    def run_in_terminal(self, code: str) -> str:
        master, slave = pty.openpty()
        process = subprocess.Popen(
            [sys.executable, "-c", code],
            stderr=slave,
            stdout=subprocess.DEVNULL,
            env={**os.environ, "COLUMNS": "150", "TERM": "xterm"},
        )
        os.close(slave)
        shown = b""
        while True:
            ready, _, _ = select.select([master], [], [], 60)
            try:
                piece = os.read(master, 65536) if ready else b""
            except OSError:
                piece = b""
            if not piece:
                break
            shown += piece
        process.wait(timeout=30)
        os.close(master)
        return shown.decode()

    CODE = (
        "import camobo as cm\n"
        "s = cm.Study(cm.Space({'nickel': cm.Real(0, 1), 'q': cm.Categorical(['air', 'oil'])}), {'y': 'min'}, "
        "seed=1, cost='nickel > q')\n"
        "s.optimize(lambda p: {'y': p['nickel']}, 6{extra})"
    )

    def test_a_terminal_shows_how_far_how_good_what_was_used_and_how_long_to_go(self) -> None:
        shown = self.run_in_terminal(self.CODE.replace("{extra}", ""))
        for said in ("6/6", "hypervolume", "used nickel", "q air", "0:00:0"):
            assert said in shown

    def test_nothing_is_shown_if_it_is_not_wanted_or_nobody_watches(self) -> None:
        assert self.run_in_terminal(self.CODE.replace("{extra}", ", progress=False")) == ""
        done = subprocess.run(
            [sys.executable, "-c", self.CODE.replace("{extra}", "")], capture_output=True, text=True, check=True
        )
        assert (done.stdout, done.stderr) == ("", "")
