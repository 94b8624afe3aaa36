"""Signals for real: to this process, to runs of their own, and to workers of a pool."""

from __future__ import annotations

import contextlib
import itertools
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import BrokenExecutor, ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import camobo as cm
from camobo.run.evaluate import evaluate_in_child
from camobo.run.interrupts import (
    END_SIGNALS,
    TerminationRequestedError,
    interrupt,
    interruptible,
    request_termination,
    undisturbed,
)
from tests.support.processes import Say, forked, heard
from tests.support.signalling import signal_at
from tests.support.trial_queues import GOALS, alive, processes_of_session, wait_until

DONE, RELEASED = cm.State.COMPLETE, cm.State.RELEASED


class TestInterruptible:
    @pytest.mark.parametrize("number", END_SIGNALS, ids=lambda number: signal.Signals(number).name)
    def test_every_request_to_end_becomes_an_interrupt_and_the_handlers_come_back(self, number: int) -> None:
        before = [signal.getsignal(each) for each in END_SIGNALS]
        with pytest.raises(KeyboardInterrupt), interruptible():
            signal.raise_signal(number)
        assert [signal.getsignal(each) for each in END_SIGNALS] == before

    def test_one_that_python_dropped_is_raised_again_when_asked_and_at_the_end(self) -> None:
        def drops_one(raise_interrupt: Callable[[], None]) -> None:
            with contextlib.suppress(KeyboardInterrupt):  # as a hook of Python does
                signal.raise_signal(signal.SIGTERM)
            with pytest.raises(KeyboardInterrupt, match="SIGTERM"):
                raise_interrupt()

        with pytest.raises(KeyboardInterrupt, match="SIGTERM"), interruptible() as raise_interrupt:
            drops_one(raise_interrupt)

    def test_nothing_is_raised_if_nothing_came(self) -> None:
        before = signal.getsignal(signal.SIGTERM)
        with interruptible() as raise_interrupt:
            raise_interrupt()
            inside = signal.getsignal(signal.SIGTERM)
        assert inside is not before
        assert signal.getsignal(signal.SIGTERM) is before

    def test_a_signal_that_is_ignored_stays_ignored(self) -> None:
        before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
        try:
            with interruptible() as raise_interrupt:
                signal.raise_signal(signal.SIGHUP)
                raise_interrupt()
        finally:
            assert signal.signal(signal.SIGHUP, before) is signal.SIG_IGN

    def test_a_handler_somebody_installed_keeps_working(self) -> None:
        received: list[int] = []
        before = signal.signal(signal.SIGTERM, lambda number, _: received.append(number))
        try:
            with interruptible() as raise_interrupt:
                signal.raise_signal(signal.SIGTERM)
                raise_interrupt()
            signal.raise_signal(signal.SIGTERM)
        finally:
            signal.signal(signal.SIGTERM, before)
        assert received == [signal.SIGTERM] * 2

    def test_in_another_thread_signals_are_left_alone(self) -> None:
        before = signal.getsignal(signal.SIGTERM)
        found: list[Any] = []

        def look() -> None:
            with interruptible() as raise_interrupt:
                raise_interrupt()
                found.append(signal.getsignal(signal.SIGTERM))

        thread = threading.Thread(target=look)
        thread.start()
        thread.join()
        assert found == [before]

    def test_a_request_can_be_told_from_ctrl_c(self) -> None:
        with pytest.raises(TerminationRequestedError, match="SIGTERM") as caught, interruptible(request_termination):
            signal.raise_signal(signal.SIGTERM)
        assert caught.value.number == signal.SIGTERM
        with pytest.raises(KeyboardInterrupt, match="SIGHUP"):
            interrupt(signal.SIGHUP)

    def test_whoever_obeys_a_request_ends_by_that_signal(self) -> None:
        process, lines = forked(lambda say: TerminationRequestedError(signal.SIGTERM).obey())
        with lines:
            assert os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) == -signal.SIGTERM


@pytest.fixture
def received() -> Iterator[list[int]]:
    """The signals this process has handled."""
    numbers: list[int] = []
    before = {number: signal.signal(number, lambda number, _: numbers.append(number)) for number in END_SIGNALS}
    yield numbers
    for number, handler in before.items():
        signal.signal(number, handler)


class TestUndisturbed:
    @pytest.mark.parametrize("number", END_SIGNALS, ids=lambda number: signal.Signals(number).name)
    def test_a_signal_waits_for_the_end_of_the_block(self, number: int, received: list[int]) -> None:
        with undisturbed():
            signal.raise_signal(number)
            assert received == []
        assert received == [number]

    def test_the_second_of_a_kind_does_not_wait(self, received: list[int]) -> None:
        with undisturbed():
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGINT):
                signal.raise_signal(number)
            assert received == [signal.SIGINT]
        assert received == [signal.SIGINT] * 2 + [signal.SIGTERM]

    def test_blocks_can_be_nested(self, received: list[int]) -> None:
        with undisturbed():
            with undisturbed():
                signal.raise_signal(signal.SIGINT)
            assert received == []
        assert received == [signal.SIGINT]

    def test_ctrl_c_is_raised_after_the_block_and_an_error_of_the_block_is_its_context(self) -> None:
        error = ValueError()

        def fails() -> None:
            with undisturbed():
                signal.raise_signal(signal.SIGINT)
                raise error

        with pytest.raises(KeyboardInterrupt) as caught:
            fails()
        assert caught.value.__context__ is error

    def test_what_is_ignored_stays_ignored_and_what_ends_the_process_by_default_ends_it(self) -> None:
        def work(say: Say) -> None:
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            with undisturbed():
                signal.raise_signal(signal.SIGINT)
                say("ignored")
                signal.raise_signal(signal.SIGTERM)

        process, lines = forked(work)
        with lines:
            assert heard(lines.readlines()) == ["ignored"]
        assert os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) == -signal.SIGTERM

    def test_a_process_forked_inside_the_block_does_not_wait(self) -> None:
        with undisturbed():
            process, lines = forked(lambda say: signal.raise_signal(signal.SIGINT))
            with lines:
                assert "KeyboardInterrupt" in heard(lines.readlines())[0]["error"]
            os.waitpid(process, 0)

    def test_in_another_thread_nothing_is_changed(self) -> None:
        handlers: list[object] = []

        def look() -> None:
            with undisturbed():
                handlers.append(signal.getsignal(signal.SIGINT))

        thread = threading.Thread(target=look)
        thread.start()
        thread.join()
        assert handlers == [signal.getsignal(signal.SIGINT)]

    def test_whenever_a_signal_comes_the_block_is_whole_or_not_begun_and_the_next_signal_is_handled(self) -> None:
        before = signal.getsignal(signal.SIGINT)
        steps, interrupted, arrived = 0, 0, True
        while arrived:
            steps += 1
            done: list[str] = []
            try:
                with signal_at(steps, within="run/interrupts.py") as has_come:
                    with undisturbed():
                        done.append("begin")
                        done.append("end")
                    arrived = has_come()
            except KeyboardInterrupt:
                interrupted += 1
            assert done in ([], ["begin", "end"])
            with pytest.raises(KeyboardInterrupt):
                signal.raise_signal(signal.SIGINT)
            signal.signal(signal.SIGINT, before)
        assert interrupted > 100


def hangs_from_the_third_on(folder: Path, params: Mapping[str, Any]) -> dict[str, float]:
    """Leaves a numbered file for each evaluation that has started; the first two return at once."""
    for number in itertools.count():
        with contextlib.suppress(FileExistsError):
            (folder / str(number)).touch(exist_ok=False)
            if number >= 2:
                time.sleep(600)
            return {"y": params["x"]}
    return {}


def study_at(path: Path) -> cm.Study:
    return cm.Study(cm.Space({"x": cm.Real(0, 1)}), {"y": "min"}, seed=1, cost="x", budget=6, storage=path)


def optimize(way: str, path: Path, folder: Path) -> None:
    measure = partial(hangs_from_the_third_on, folder)
    if way == "pool":
        with ProcessPoolExecutor(2) as pool:
            study_at(path).optimize(measure, executor=pool)
    else:
        options: dict[str, Any] = {"here": {}, "children": {"timeout": 600, "jobs": 2}}[way]
        study_at(path).optimize(measure, **options)


@pytest.mark.slow
class TestInterruptedRuns:
    """A run in a session of its own, as in a terminal, interrupted while its third trial is evaluated."""

    @pytest.fixture(params=["here", "children", "pool"])
    def way(self, request: pytest.FixtureRequest) -> str:
        return str(request.param)

    def interrupted(self, way: str, path: Path, number: int, *, group: bool) -> str:
        """The traceback of a run that was sent a signal."""
        folder = path.parent / "began"
        folder.mkdir()

        def work(say: Say) -> None:
            os.setsid()
            optimize(way, path, folder)

        process, lines = forked(work)
        with lines:
            wait_until((folder / "2").exists)
            (os.killpg if group else os.kill)(process, number)
            wait_until(lambda: not alive(process), 30)
            wait_until(lambda: processes_of_session(process) == [], 1)
            os.waitpid(process, 0)
            said = heard(lines.readlines())
        return str(said[-1]["error"])

    def test_ctrl_c_leaves_a_clean_study_that_continues(self, way: str, tmp_path: Path) -> None:
        path = tmp_path / "a.db"
        error = self.interrupted(way, path, signal.SIGINT, group=True)  # as a terminal does: to the whole group
        assert "KeyboardInterrupt" in error
        states = [trial.state for trial in loaded(path)]
        assert set(states) <= {DONE, RELEASED}
        assert 1 <= states.count(RELEASED) <= 2
        with study_at(path) as study:
            study.optimize(lambda params: {"y": params["x"]})
            assert [trial.state for trial in study.trials] == [DONE] * 6

    @pytest.mark.parametrize("number", END_SIGNALS[1:], ids=lambda number: signal.Signals(number).name)
    def test_a_polite_request_to_end_leaves_a_clean_study_too(self, number: int, tmp_path: Path) -> None:
        path = tmp_path / "a.db"
        error = self.interrupted("children", path, number, group=False)
        assert f"KeyboardInterrupt: {signal.Signals(number).name}" in error
        assert {trial.state for trial in loaded(path)} == {DONE, RELEASED}

    @pytest.mark.parametrize("kind", ["SIGINT", "SIGTERM"])
    def test_one_that_comes_in_a_fork_hook_waits_for_the_end_of_the_fork(self, kind: str) -> None:
        # The first fork is the guard's, the others are the trials'.
        code = (
            "import os, signal, time, camobo as cm\n"
            "study, forks = cm.Study(cm.Space({'x': cm.Real(0, 1)}), {'y': 'min'}, seed=1, budget=9), []\n"
            "os.register_at_fork(before=lambda: forks.append(1))\n"
            f"hook = lambda: len(forks) == 4 and os.kill(os.getpid(), signal.{kind})\n"
            "os.register_at_fork(after_in_parent=hook)\n"
            "try:\n"
            "    slow = lambda p: {'y': time.sleep(90 if len(forks) == 4 else 0) or p['x']}\n"
            "    study.optimize(slow, trial_timeout=60)\n"
            "finally:\n"
            "    print(signal.getsignal(signal.SIGTERM) is signal.SIG_DFL, *(trial.state for trial in study.trials))\n"
        )
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
        assert "Exception ignored" not in done.stderr
        assert (done.returncode, done.stdout) == (-signal.SIGINT, "True complete complete released\n")

    @pytest.mark.parametrize("kind", ["SIGINT", "SIGTERM"])
    def test_one_that_python_drops_still_ends_the_run(self, kind: str) -> None:
        code = (
            "import os, signal, camobo as cm\n"
            "study = cm.Study(cm.Space({'x': cm.Real(0, 1)}), {'y': 'min'}, seed=1, budget=9)\n"
            "class Dropping:\n"
            f"    __del__ = lambda self: os.kill(os.getpid(), signal.{kind})\n"
            "try:\n"
            "    study.optimize(lambda p: {'y': Dropping() and p['x']})\n"
            "finally:\n"
            "    print(*(trial.state for trial in study.trials))\n"
        )
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
        assert "Exception ignored" in done.stderr, "or this tests nothing"
        assert (done.returncode, done.stdout) == (-signal.SIGINT, "complete\n")


def hang(began: Path, _: Mapping[str, Any]) -> dict[str, float]:
    began.with_suffix(".part").write_text(f"{os.getppid()} {os.getpid()}")
    began.with_suffix(".part").rename(began)
    time.sleep(600)
    return {}


class TestWorkersOfAPool:
    def test_a_worker_drops_no_request_either(self) -> None:
        def work(say: Say) -> None:
            sys.unraisablehook = lambda dropped: say(str(dropped.exc_type))
            os.register_at_fork(after_in_parent=lambda: os.kill(os.getpid(), signal.SIGTERM))
            say("ready")
            evaluate_in_child(lambda params: time.sleep(600), {}, GOALS, None, 0)  # type: ignore[arg-type,return-value]

        process, lines = forked(work)
        with lines:
            said = heard(lines.readlines())
            code = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
        assert said == ["ready"], "what Python drops in a hook would be said"
        assert code == -signal.SIGTERM

    @pytest.mark.parametrize("inherits", [False, True], ids=["before the run", "during the run"])
    def test_a_worker_its_pool_sends_away_goes_and_stops_its_evaluation(self, inherits: bool, tmp_path: Path) -> None:
        began = tmp_path / "began"
        with ProcessPoolExecutor(1) as pool:
            with interruptible() if inherits else contextlib.nullcontext():  # a worker inherits a run's handlers
                future = pool.submit(evaluate_in_child, partial(hang, began), {}, {"y": "min"}, None, 0)
            wait_until(began.exists)
            worker, evaluation = map(int, began.read_text().split())
            os.kill(worker, signal.SIGTERM)
            assert isinstance(future.exception(timeout=30), BrokenExecutor)
        assert not alive(worker)
        assert not alive(evaluation)


def loaded(path: Path) -> tuple[cm.Trial, ...]:
    with cm.Study.load(path) as study:
        return study.trials
