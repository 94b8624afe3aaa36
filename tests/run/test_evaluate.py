from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from camobo.run.evaluate import (
    CAN_FORK,
    ChildEvaluation,
    Function,
    Outcome,
    evaluate,
    evaluate_in_child,
    evaluate_in_worker,
    exit_text,
    shortened,
    timeout_text,
    wait,
)
from tests.support.trial_queues import GOALS, alive, begun, finished, wait_until

PARAMS = {"x": 0.5}


def in_this_process(function: Callable[..., Any]) -> Outcome:
    return evaluate(function, PARAMS, GOALS)


def child_of(
    function: Function, timeout: float | None = None, objectives: Mapping[str, str] = GOALS
) -> ChildEvaluation:
    return begun(ChildEvaluation(function, PARAMS, objectives, timeout))


def in_child(function: Callable[..., Any]) -> Outcome:
    return finished(child_of(function, timeout=60.0))


def in_worker(function: Callable[..., Any]) -> Outcome:
    return evaluate_in_worker(function, PARAMS, GOALS, 0)


def in_child_of_worker(function: Callable[..., Any]) -> Outcome:
    return evaluate_in_child(function, PARAMS, GOALS, 60.0, 0)


WAYS = pytest.mark.parametrize("run", [in_this_process, in_child, in_worker, in_child_of_worker])


class Speechless(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no words")


def raises_speechless() -> None:
    raise Speechless


def raises_long() -> None:
    raise ValueError("a" * 9000 + "the end")


@WAYS
class TestEveryWay:
    def test_the_values_come_back(self, run: Callable[..., Outcome]) -> None:
        assert run(lambda params: {"y": 2 * params["x"]}) == Outcome({"y": 1.0})

    @pytest.mark.parametrize(("cost", "told"), [(41.5, 41.5), (7, 7.0), (0, 0.0), (None, None)])
    def test_values_may_come_with_a_cost(
        self, run: Callable[..., Outcome], cost: float | None, told: float | None
    ) -> None:
        assert run(lambda params: ({"y": 1.0}, cost)) == Outcome({"y": 1.0}, cost=told)

    @pytest.mark.parametrize(
        "returned", [(41.5, {"y": 1.0}), ({"y": 1.0}, 41.5, 3.0), (), [{"y": 1.0}, 41.5], 1.0, None]
    )
    def test_what_is_neither_values_nor_values_and_cost_says_what_was_expected(
        self, run: Callable[..., Outcome], returned: Any
    ) -> None:
        outcome = run(lambda params: returned)
        assert outcome.values is None
        said = f"InvalidValueError: result: need values, or (values, cost), got {returned!r}. Values are a dict"
        assert (outcome.reason or "").startswith(said)

    @pytest.mark.parametrize("cost", [-1.0, float("nan"), float("inf"), "much", True])
    def test_a_cost_that_is_no_amount_of_money_fails_the_trial(self, run: Callable[..., Outcome], cost: Any) -> None:
        outcome = run(lambda params: ({"y": 1.0}, cost))
        said = f"InvalidValueError: cost: need a finite number of at least 0, got {cost!r}."
        assert outcome == Outcome(reason=said)

    def test_values_that_cannot_be_used_have_cost_something_all_the_same(self, run: Callable[..., Outcome]) -> None:
        outcome = run(lambda params: ({"y": float("nan")}, 41.5))
        assert (outcome.values, outcome.cost) == (None, 41.5)

    @pytest.mark.parametrize("act", [lambda: {"y": 1.0}, lambda: 1 / 0, lambda: sys.exit(3)])
    def test_it_says_how_long_it_took(self, run: Callable[..., Outcome], act: Callable[[], Any]) -> None:
        def slow(params: Any) -> Any:
            time.sleep(0.1)
            return act()

        assert 0.1 <= (run(slow).seconds or 0.0) < 0.6

    @pytest.mark.parametrize(
        ("act", "reason"),
        [
            (lambda: 1 / 0, "ZeroDivisionError: division by zero"),
            (lambda: sys.exit(3), "it exited with code 3"),
            (lambda: sys.exit("no more crucibles"), "it exited with code no more crucibles"),
            (raises_speechless, "Speechless"),
            (lambda: {"y": float("nan")}, "InvalidValueError: result: objective 'y' needs a finite number, got nan."),
            (lambda: {}, "InvalidValueError: result: no value for 'y'. This study measures y."),
        ],
        ids=["raises", "exits", "exits with text", "raises what cannot be printed", "returns nan", "returns nothing"],
    )
    def test_what_goes_wrong_is_the_reason(
        self, run: Callable[..., Outcome], act: Callable[[], Any], reason: str
    ) -> None:
        assert run(lambda params: act()) == Outcome(reason=reason)

    def test_a_long_reason_keeps_its_beginning_and_its_end(self, run: Callable[..., Outcome]) -> None:
        reason = run(lambda params: raises_long()).reason or ""
        assert reason.startswith("ValueError: aaa")
        assert reason.endswith("the end")
        assert len(reason) == len(shortened("b" * 9000)) <= 2003

    def test_a_function_that_changes_its_params_changes_only_its_copy(self, run: Callable[..., Outcome]) -> None:
        def greedy(params: dict[str, Any]) -> dict[str, float]:
            params.clear()
            return {"y": 1.0}

        assert run(greedy).values == {"y": 1.0}
        assert PARAMS == {"x": 0.5}


def test_ctrl_c_passes_through_an_evaluation_in_this_process() -> None:
    def interrupted(params: Any) -> Any:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        evaluate(interrupted, PARAMS, GOALS)


@pytest.mark.skipif(not CAN_FORK, reason="needs os.fork")
class TestInAChild:
    def test_it_has_a_process_of_its_own(self) -> None:
        values = in_child(lambda params: {"y": float(os.getpid())}).values or {}
        assert values["y"] != os.getpid()

    @pytest.mark.parametrize(
        ("act", "reason"),
        [
            (lambda: os._exit(4), "its process exited with code 4"),
            (lambda: os.kill(os.getpid(), signal.SIGKILL), "its process was killed by SIGKILL"),
            (lambda: os.kill(os.getpid(), signal.SIGTERM), "its process was killed by SIGTERM"),
        ],
        ids=["exits at once", "is killed", "is terminated"],
    )
    def test_a_process_that_ends_without_an_answer_says_how(self, act: Callable[[], Any], reason: str) -> None:
        assert in_child(lambda params: act()) == Outcome(reason=reason)

    def test_its_duration_is_its_own_however_late_somebody_asks(self) -> None:
        child = child_of(lambda params: {"y": 1.0})
        time.sleep(0.5)
        assert 0.0 < (finished(child).seconds or 0.0) < 0.4

    @pytest.mark.parametrize("act", [lambda: os._exit(4), lambda: time.sleep(60)], ids=["crashes", "hangs"])
    def test_one_that_gives_no_answer_took_until_that_was_noticed(self, act: Callable[[], Any]) -> None:
        def slow(params: Any) -> Any:
            time.sleep(0.1)
            return act()

        assert 0.1 <= (finished(child_of(slow, 0.3)).seconds or 0.0) < 0.8

    def test_one_that_hangs_is_stopped_after_the_timeout(self) -> None:
        child = child_of(lambda params: time.sleep(60), 0.05)  # type: ignore[arg-type,return-value]
        assert finished(child) == Outcome(reason="it took longer than 0.05 s and was stopped")
        assert not alive(child.process or 0)

    def test_what_a_function_that_hangs_has_started_is_stopped_too(self, tmp_path: Path) -> None:
        def starts_another(params: Mapping[str, Any]) -> dict[str, float]:
            process = subprocess.Popen(["sleep", "60"])
            (tmp_path / "partial").write_text(str(process.pid))
            (tmp_path / "partial").rename(tmp_path / "started")
            process.wait()
            return {"y": 0.0}

        child = child_of(starts_another)
        wait_until((tmp_path / "started").exists)
        child.kill()
        started = int((tmp_path / "started").read_text())
        wait_until(lambda: not alive(started))
        assert not alive(child.process or 0)

    def test_kill_stops_it_and_is_its_outcome(self) -> None:
        child = child_of(lambda params: time.sleep(60))  # type: ignore[arg-type,return-value]
        assert child.poll() is None
        child.kill()
        child.kill()
        assert child.poll() == Outcome(reason="it was stopped")
        assert not alive(child.process or 0)

    def test_a_finished_one_keeps_its_outcome_when_killed(self) -> None:
        child = child_of(lambda params: {"y": 1.0})
        assert finished(child).values == {"y": 1.0}
        child.kill()
        assert child.poll() == Outcome({"y": 1.0})

    def test_an_answer_larger_than_a_pipe_arrives_whole(self) -> None:
        names = {f"objective {i:05d} {'x' * 30}": "min" for i in range(4000)}
        child = child_of(lambda params: dict.fromkeys(names, 1.0), objectives=names)
        assert finished(child).values == dict.fromkeys(names, 1.0)

    def test_what_waits_to_be_printed_is_printed_once(self, capfd: pytest.CaptureFixture[str]) -> None:
        print("before", end="")
        in_child(lambda params: {"y": 1.0})
        assert capfd.readouterr().out == "before"

    def test_a_closed_output_is_no_trouble(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(sys, "stdout", None)
        assert in_child(lambda params: {"y": 1.0}).values == {"y": 1.0}

    def test_what_nohup_has_ignored_stays_ignored_in_the_child(self) -> None:
        def ignored(params: Mapping[str, Any]) -> dict[str, float]:
            return {"y": float(signal.getsignal(signal.SIGHUP) is signal.SIG_IGN)}

        before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
        try:
            under_nohup = in_child(ignored)
        finally:
            signal.signal(signal.SIGHUP, before)
        assert under_nohup.values == {"y": 1.0}
        assert in_child(ignored).values == {"y": 0.0}


def test_waiting_ends_when_it_is_interrupted() -> None:
    class Endless:
        def begin(self) -> None: ...

        def poll(self) -> None:
            return None

        def kill(self) -> None:
            return None

    calls = iter([None, None, KeyboardInterrupt])

    def raise_interrupt() -> None:
        if (error := next(calls)) is not None:
            raise error

    with pytest.raises(KeyboardInterrupt):
        wait(Endless(), raise_interrupt)


@pytest.mark.parametrize(
    ("code", "text"), [(0, "exited with code 0"), (-15, "was killed by SIGTERM"), (-250, "was killed by signal 250")]
)
def test_the_end_of_a_process_in_words(code: int, text: str) -> None:
    assert exit_text(code) == text


@pytest.mark.parametrize(
    ("outcome", "text"),
    [
        (Outcome({"strength": 512.0}), "strength=512"),
        (
            Outcome({"strength": 0.1 + 0.2, "rust": 1e300}, cost=41.5),
            "strength=0.30000000000000004, rust=1e+300, cost=41.5",
        ),
        (Outcome(reason="it exited with code 3"), "failed, it exited with code 3"),
    ],
)
def test_an_outcome_in_words_has_all_that_must_be_recorded(outcome: Outcome, text: str) -> None:
    assert str(outcome) == text


def test_the_timeout_in_words() -> None:
    assert timeout_text(0.5) == "it took longer than 0.5 s and was stopped"
