"""The loop on a made-up queue of trials: what it starts, records, renews, waits for and hands back."""

from __future__ import annotations

import contextlib
import logging
import os
import signal
import sys
import time
from collections.abc import Callable, Mapping
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from camobo.cost.budget import Budget
from camobo.cost.receipts import LearnedCost
from camobo.errors import BudgetSpent, InvalidOptionError, SpaceExhausted, StorageError, TrialStateError
from camobo.history.history import is_free
from camobo.history.transitions import Ahead, Request
from camobo.history.trial import State, Trial
from camobo.insight.purse import Purse
from camobo.run import loop, patience
from camobo.run.evaluate import EvaluationHere, Outcome
from camobo.run.loop import work_through
from tests.run.queues import Queue
from tests.support.trial_queues import run_on, wait_until

DONE, FAILED, PENDING, RELEASED = State.COMPLETE, State.FAILED, State.PENDING, State.RELEASED


def measure(params: Mapping[str, Any]) -> dict[str, float]:
    return {"y": float(params["n"])}


class Steps:
    """An evaluation that takes so many polls."""

    def __init__(self, polls: int = 1, outcome: Outcome | None = None) -> None:
        self.polls, self.outcome, self.killed = polls, outcome or Outcome({"y": 1.0}), False

    def begin(self) -> None: ...

    def poll(self) -> Outcome | None:
        self.polls -= 1
        return self.outcome if self.polls < 0 else None

    def kill(self) -> None:
        self.killed = True


def work(queue: Queue, prepare: Callable[[Trial], Any] | None = None, **options: Any) -> None:
    run = run_on(queue, lease=options.pop("lease", None), most=options.pop("limit", None))
    given: dict[str, Any] = {
        "jobs": 1, "most": None, "on_recorded": lambda: None, "raise_interrupt": lambda: None, **options
    }  # fmt: skip
    work_through(run, prepare or (lambda trial: Steps()), **given)


def optimize(queue: Queue, function: Callable[[Mapping[str, Any]], Any], count: int, **options: Any) -> None:
    lease = options.pop("lease", None)
    given = {"executor": None, "jobs": 1, "trial_timeout": None, "headline": None, **options}
    loop.optimize(run_on(queue, lease=lease), function, count=count, budget=count, **given)


class TestCounting:
    def test_it_evaluates_as_many_as_asked_for(self) -> None:
        queue, recorded = Queue(), list[int]()
        work(queue, most=3, on_recorded=lambda: recorded.append(len(queue.trials)))
        assert queue.states == [DONE] * 3
        assert recorded == [1, 2, 3]

    def test_without_a_number_it_goes_up_to_the_limit_of_the_run(self) -> None:
        queue = Queue()
        work(queue, limit=4)
        assert queue.states == [DONE] * 4

    def test_so_many_run_at_once_and_no_more(self) -> None:
        queue, at_once = Queue(), list[int]()

        def prepare(trial: Trial) -> Steps:
            at_once.append(queue.states.count(PENDING))
            return Steps(polls=3)

        work(queue, prepare, jobs=3, most=7)
        assert max(at_once) == 3
        assert queue.states == [DONE] * 7

    def test_what_runs_is_not_taken_again(self) -> None:
        queue = Queue()
        work(queue, jobs=2, most=2)
        assert [request.skip for request in queue.requests] == [frozenset(), frozenset({0})]

    @pytest.mark.parametrize("jobs", [1, 3])
    def test_a_finite_space_is_finished_before_it_is_found_to_be_exhausted(self, jobs: int) -> None:
        queue = Queue(points=5)
        with pytest.raises(SpaceExhausted, match="all 5 points"):
            work(queue, jobs=jobs, most=9)
        assert queue.states == [DONE] * 5

    def test_a_failed_outcome_is_a_failed_trial_and_a_warning_and_the_loop_continues(
        self, caplog: pytest.LogCaptureFixture
    ) -> None:
        queue = Queue()
        with caplog.at_level(logging.WARNING, logger="camobo"):
            work(
                queue,
                lambda t: EvaluationHere(lambda: Outcome(reason="broke") if t.number == 0 else Outcome({"y": 1.0})),
                most=2,
            )
        assert queue.states == [FAILED, DONE]
        assert [record.getMessage() for record in caplog.records] == ["trial 0: n=0 (failed: broke)"]


class Lasting(Steps):
    """Fills the budget: takes some polls and then costs less or more than was reserved."""

    def __init__(self, polls: int, cost: float | None) -> None:
        super().__init__(polls, Outcome({"y": 1.0}, cost=cost))


EUR = Budget(cost=100.0, unit="EUR")


class TestMoney:
    @pytest.mark.parametrize("jobs", [1, 3])
    def test_a_run_ends_quietly_when_the_budget_pays_for_no_further_trial(
        self, jobs: int, caplog: pytest.LogCaptureFixture
    ) -> None:
        queue = Queue(budget=EUR, price=30.0)
        with caplog.at_level(logging.INFO, logger="camobo"):
            work(queue, lambda trial: Lasting(3, 30.0), jobs=jobs)
        assert queue.states == [DONE] * 3
        said = "the budget is spent: 90 of 100 EUR; the cheapest trial left costs about 30."
        assert [(record.levelname, record.getMessage()) for record in caplog.records] == [("INFO", said)]

    def test_what_runs_is_awaited_and_a_receipt_below_what_was_reserved_pays_for_one_more(self) -> None:
        queue = Queue(budget=EUR, price=40.0)
        costs = [35.0, 25.0, 40.0]
        work(queue, lambda trial: Lasting(5 * trial.number + 3, costs[trial.number]), jobs=4)
        assert queue.states == [DONE] * 3
        assert queue.spent() == 100.0

    def test_a_budget_found_spent_is_not_asked_again_before_something_has_changed(self) -> None:
        queue = Queue(budget=EUR, price=40.0)
        work(queue, lambda trial: Lasting(60, 40.0), jobs=3)
        assert queue.states == [DONE] * 2
        assert queue.refused <= 3, "once while both ran, and once after each"

    def test_a_budget_raised_meanwhile_is_noticed(self) -> None:
        class Raised(Queue):
            def hand_out(self, request: Request, ahead: Ahead | None = None) -> list[Trial]:
                try:
                    return super().hand_out(request, ahead)
                finally:
                    if self.refused == 1:
                        self.plan = replace(self.plan, budget=Budget(cost=130.0))

        queue = Raised(budget=EUR, price=40.0)
        work(queue, lambda trial: Lasting(9, 40.0), jobs=3)
        assert queue.states == [DONE] * 3

    def test_some_of_the_trials_asked_for_are_run_with_a_warning(self, caplog: pytest.LogCaptureFixture) -> None:
        queue = Queue(budget=EUR, price=40.0)
        with caplog.at_level(logging.WARNING, logger="camobo"):
            work(queue, lambda trial: Lasting(1, 40.0), most=5)
        assert queue.states == [DONE] * 2
        assert "2 of 5 trials were run: the budget is spent: 80 of 100 EUR; the cheapest" in caplog.text

    def test_if_none_of_the_trials_asked_for_can_be_paid_for_it_is_an_error(self) -> None:
        queue = Queue(budget=EUR, price=40.0)
        work(queue, lambda trial: Lasting(1, 45.0))
        with pytest.raises(BudgetSpent, match=r"^the budget is spent: 90 of 100 EUR; the cheapest trial left costs"):
            work(queue, most=5)
        assert queue.states == [DONE] * 2

    def test_what_another_run_gives_up_is_done_though_the_budget_is_spent(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        class Given(Queue):
            asked = 0

            @property
            def trials(self) -> tuple[Trial, ...]:
                self.asked += 1
                if self.asked == 200:
                    self.change(0, state=RELEASED, expires=None)
                return self._trials

            @trials.setter
            def trials(self, trials: tuple[Trial, ...]) -> None:
                self._trials = trials

        monkeypatch.setattr(loop, "_IDLE_PAUSE", 0.001)
        queue = Given(budget=EUR, price=60.0)
        soon = datetime.now(timezone.utc) + timedelta(minutes=1)
        queue.trials = (Trial(0, {"n": 0}, owner="ghost", expires=soon),)
        work(queue, lambda trial: Lasting(1, 60.0))
        assert queue.states == [DONE]
        assert queue.refused <= 2

    def test_a_trial_of_another_run_whose_lease_has_ended_is_taken_though_the_budget_is_spent(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        class Leased(Queue):
            def hand_out(self, request: Request, ahead: Ahead | None = None) -> list[Trial]:
                if is_free(self.trials[0], datetime.now(timezone.utc)):
                    self.change(0, state=RELEASED, expires=None)
                return super().hand_out(request, ahead)

        monkeypatch.setattr(loop, "_IDLE_PAUSE", 0.01)
        queue = Leased(budget=EUR, price=60.0)
        soon = datetime.now(timezone.utc) + timedelta(seconds=0.2)
        queue.trials = (Trial(0, {"n": 0}, owner="ghost", expires=soon),)
        work(queue, lambda trial: Lasting(1, 60.0))
        assert queue.states == [DONE]

    @pytest.mark.parametrize(
        "outcome",
        [Outcome({"y": 1.0}), Outcome({"y": 1.0}, cost=0.0), Outcome(reason="broke")],
        ids=["complete", "free", "failed"],
    )
    @pytest.mark.parametrize("jobs", [1, 3])
    def test_a_run_that_only_money_could_end_ends_if_nothing_tells_what_trials_cost(
        self, outcome: Outcome, jobs: int
    ) -> None:
        queue = Queue(budget=EUR)
        said = r"^the budget is 100 EUR, but nothing tells what a trial costs: \d trials ended without a cost, or"
        with pytest.raises(InvalidOptionError, match=said):
            work(queue, lambda trial: Steps(trial.number, outcome), jobs=jobs)
        assert queue.plan.initial <= len(queue.trials) <= queue.plan.initial + jobs - 1
        assert not any(state.open for state in queue.states), "what ran was awaited"

    def test_a_run_that_only_money_could_end_ends_if_trials_have_come_to_cost_nothing(self) -> None:
        queue = Queue(points=1000, budget=EUR)
        with pytest.raises(InvalidOptionError, match="the last 100 trials cost nothing, so it would never"):
            work(queue, lambda trial: Lasting(1, 20.0 if trial.number == 1 else 0.0))
        assert queue.states == [DONE] * 102

    def test_a_receipt_now_and_then_is_enough(self) -> None:
        queue = Queue(budget=EUR, price=20.0)
        work(queue, lambda trial: Lasting(1, 20.0 if trial.number == 1 else None))
        assert queue.states == [DONE] * 5

    @pytest.mark.parametrize("options", [{"most": 6}, {"limit": 6}])
    def test_a_run_that_something_else_ends_needs_no_costs(self, options: dict[str, Any]) -> None:
        queue = Queue(budget=EUR)
        work(queue, **options)
        assert queue.states == [DONE] * 6


def slowly(params: Mapping[str, Any]) -> dict[str, float]:
    time.sleep(0.05)
    return measure(params) if params["n"] else {"y": float("nan")}


def pays(params: Mapping[str, Any]) -> tuple[dict[str, float], float]:
    return measure(params), 7.0


class TestDurations:
    @pytest.mark.parametrize("way", ["here", "child", "threads", "processes"])
    def test_a_trial_costs_how_long_it_took_wherever_it_ran_and_if_it_failed_too(self, way: str) -> None:
        queue = Queue(cost=LearnedCost(of="seconds"))
        with ThreadPoolExecutor(1) as threads, ProcessPoolExecutor(1) as processes:
            ways: dict[str, dict[str, Any]] = {
                "here": {},
                "child": {"trial_timeout": 60.0},
                "threads": {"executor": threads},
                "processes": {"executor": processes},
            }
            optimize(queue, slowly, 2, **ways[way])
            optimize(queue, pays, 1, **ways[way])
        assert queue.states == [FAILED, DONE, DONE]
        assert all(0.05 <= (trial.cost or 0.0) < 0.5 for trial in queue.trials[:2])
        assert queue.trials[2].cost == 7.0, "what it says counts"

    def test_a_trial_whose_worker_died_twice_and_one_handed_back_cost_nothing(self) -> None:
        queue = Queue(cost=LearnedCost(of="seconds"))
        with ProcessPoolExecutor(1) as pool:
            optimize(queue, partial(kills_its_worker, None), 4, executor=pool)
        assert [trial.cost is None for trial in queue.trials] == [False, False, True, False]

        def interrupted(params: Mapping[str, Any]) -> dict[str, float]:
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            optimize(queue, interrupted, 1)
        assert (queue.trials[4].state, queue.trials[4].cost) == (RELEASED, None)


class TestStoring:
    @pytest.fixture(autouse=True)
    def quick(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(patience, "_RETRY_DELAYS", (0.001, 0.001))

    def test_a_storage_that_is_away_for_a_moment_is_tried_again(self, caplog: pytest.LogCaptureFixture) -> None:
        class Away(Queue):
            left = 2

            def tell(self, trial: Trial, values: Mapping[str, float], cost: float | None = None) -> Trial:
                self.left -= 1
                if self.left >= 0:
                    raise StorageError("server away")
                return super().tell(trial, values, cost)

        queue = Away()
        with caplog.at_level(logging.WARNING, logger="camobo"):
            work(queue, most=1)
        assert queue.states == [DONE]
        assert caplog.text.count("trying again in 0.001 s: server away") == 2

    def test_a_storage_that_stays_away_is_an_error_and_the_result_is_in_the_log(
        self, caplog: pytest.LogCaptureFixture
    ) -> None:
        class Gone(Queue):
            def tell(self, trial: Trial, values: Mapping[str, float], cost: float | None = None) -> Trial:
                raise StorageError("server away")

        queue = Gone()
        with pytest.raises(StorageError, match="server away"):
            work(queue, most=1)
        assert "the result of trial 0 could not be stored: y=1. Record it by hand." in caplog.text
        assert queue.states == [RELEASED]

    def test_a_result_that_does_not_count_is_a_warning_and_the_run_goes_on(
        self, caplog: pytest.LogCaptureFixture
    ) -> None:
        class Overtaken(Queue):
            def tell(self, trial: Trial, values: Mapping[str, float], cost: float | None = None) -> Trial:
                if trial.number == 0:
                    super().tell(trial, {"y": -1.0})
                    raise TrialStateError("trial 0 is already complete")
                return super().tell(trial, values, cost)

        queue = Overtaken()
        with caplog.at_level(logging.WARNING, logger="camobo"):
            work(queue, most=2)
        assert [trial.values for trial in queue.trials] == [{"y": -1.0}, {"y": 1.0}]
        assert "a result does not count: trial 0 is already complete" in caplog.text


def until_touched(flag: Path, params: Mapping[str, Any]) -> dict[str, float]:
    wait_until(flag.exists)
    return measure(params)


class Watched(Queue):
    """Touches a file once a trial's lease was renewed three times."""

    def __init__(self, flag: Path) -> None:
        super().__init__()
        self.flag = flag

    def renew(self, trial: Trial, lease: timedelta | None) -> Trial:
        if self.renewed.count(trial.number) == 2:
            self.flag.touch()
        return super().renew(trial, lease)


class TestLeases:
    @pytest.mark.parametrize("way", ["here", "child", "threads"])
    def test_a_lease_is_renewed_for_as_long_as_the_trial_is_evaluated(self, way: str, tmp_path: Path) -> None:
        queue = Watched(tmp_path / "renewed")
        with ThreadPoolExecutor(1) as pool:
            ways: dict[str, dict[str, Any]] = {
                "here": {},
                "child": {"trial_timeout": 60.0},
                "threads": {"executor": pool},
            }
            optimize(queue, partial(until_touched, queue.flag), 1, lease=0.03, **ways[way])
        assert queue.states == [DONE]
        assert len(queue.renewed) >= 3
        count = len(queue.renewed)
        time.sleep(0.05)
        assert len(queue.renewed) == count, "and no longer"

    def test_without_a_lease_nothing_is_renewed(self) -> None:
        queue = Queue()
        optimize(queue, measure, 2, trial_timeout=60.0)
        optimize(queue, measure, 2)
        assert queue.renewed == []

    def test_a_lease_that_cannot_be_renewed_is_a_warning(self, caplog: pytest.LogCaptureFixture) -> None:
        class Lost(Queue):
            def renew(self, trial: Trial, lease: timedelta | None) -> Trial:
                raise TrialStateError("trial 0 was handed to ben")

        queue = Lost()
        with caplog.at_level(logging.WARNING, logger="camobo"):
            work(queue, lambda trial: Steps(polls=8), most=1, lease=0.003)
        assert queue.states == [DONE]
        assert "a lease could not be renewed: trial 0 was handed to ben" in caplog.text


class Shared(Queue):
    """Another run holds trial 0 until it has been asked for so many times."""

    def __init__(self, asked: int, owner: str | None = "ghost") -> None:
        super().__init__()
        self.asked = asked
        soon = datetime.now(timezone.utc) + timedelta(minutes=1)
        self.trials = (Trial(0, {"n": 0}, owner=owner, expires=soon),)

    def hand_out(self, request: Request, ahead: Ahead | None = None) -> list[Trial]:
        self.asked -= 1
        if self.asked == 0:
            self.trials = (replace(self.trials[0], state=RELEASED, expires=None), *self.trials[1:])
        return super().hand_out(request, ahead)


class TestWaitingForOthers:
    @pytest.fixture(autouse=True)
    def quick(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(loop, "_IDLE_PAUSE", 0.001)
        monkeypatch.setattr(loop, "_WAIT_WORTH_LOGGING", 0.002)

    @pytest.mark.parametrize(("owner", "holder"), [("ghost", "ghost"), (None, "somebody")])
    def test_a_budget_is_met_by_waiting_for_a_lease_to_end_which_is_logged_once(
        self, owner: str | None, holder: str, caplog: pytest.LogCaptureFixture
    ) -> None:
        queue = Shared(asked=30, owner=owner)
        with caplog.at_level(logging.WARNING, logger="camobo"):
            work(queue, limit=2)
        assert queue.states == [DONE, DONE]
        assert caplog.text.count(f"waiting for trial 0, which {holder} holds until ") == 1

    def test_a_number_of_trials_is_not_waited_for(self) -> None:
        queue = Shared(asked=10**9)
        work(queue, limit=2, most=5)
        assert queue.states == [PENDING, DONE]

    def test_a_trial_held_without_a_lease_is_not_waited_for(self) -> None:
        queue = Shared(asked=10**9)
        queue.trials = (replace(queue.trials[0], expires=None),)
        work(queue, limit=2)
        assert queue.states == [PENDING, DONE]


class TestInterrupts:
    def test_what_runs_is_stopped_and_released_and_what_was_recorded_stays(self) -> None:
        queue, started = Queue(), list[Steps]()

        def prepare(trial: Trial) -> Steps:
            started.append(Steps(polls=0 if trial.number < 2 else 10**9))
            return started[-1]

        def raise_interrupt() -> None:
            if len(queue.trials) == 4:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            work(queue, prepare, jobs=2, raise_interrupt=raise_interrupt)
        assert queue.states == [DONE, DONE, RELEASED, RELEASED]
        assert [evaluation.killed for evaluation in started] == [False, False, True, True]

    def test_a_trial_that_was_handed_out_and_not_started_is_released(self) -> None:
        def prepare(trial: Trial) -> Steps:
            raise KeyboardInterrupt

        queue = Queue()
        with pytest.raises(KeyboardInterrupt):
            work(queue, prepare)
        assert queue.states == [RELEASED]

    def test_what_cannot_be_released_is_a_warning_and_the_interrupt_goes_through(
        self, caplog: pytest.LogCaptureFixture
    ) -> None:
        class Gone(Queue):
            def release(self, trial: Trial) -> Trial:
                raise StorageError("server away")

        def prepare(trial: Trial) -> Steps:
            raise KeyboardInterrupt

        with caplog.at_level(logging.WARNING, logger="camobo"), pytest.raises(KeyboardInterrupt):
            work(Gone(), prepare)
        assert "not all trials could be released: server away" in caplog.text


REASONS = {
    "raises": "ZeroDivisionError: division by zero",
    "exits politely": "exited with code 3",
    "exits at once": "exited with code 4",
    "is killed": "killed by SIGKILL",
    "hangs": "longer than 1 s",
}
ACTS: list[Callable[[], object]] = [
    lambda: 1 / 0,
    lambda: sys.exit(3),
    lambda: os._exit(4),
    lambda: os.kill(os.getpid(), signal.SIGKILL),
    lambda: time.sleep(60),
]


def goes_wrong(params: Mapping[str, Any]) -> dict[str, float]:
    """The first trials go wrong, each in its own way; the others do not."""
    if params["n"] < len(ACTS):
        ACTS[params["n"]]()
    return measure(params)


class TestGoingWrong:
    """Ten trials, five of which go wrong, each in its own way: all are evaluated, none affects another."""

    def check(self, caplog: pytest.LogCaptureFixture, **options: Any) -> None:
        queue = Queue()
        with caplog.at_level(logging.WARNING, logger="camobo"):
            optimize(queue, goes_wrong, 10, trial_timeout=1, **options)
        assert queue.states == [FAILED] * 5 + [DONE] * 5
        for trial, (way, reason) in zip(queue.trials, REASONS.items(), strict=False):
            assert reason in (trial.reason or ""), way
            assert reason in caplog.text, way
        assert [trial.values for trial in queue.trials[5:]] == [{"y": float(n)} for n in range(5, 10)]

    @pytest.mark.parametrize("jobs", [1, 3])
    def test_in_child_processes(self, caplog: pytest.LogCaptureFixture, jobs: int) -> None:
        self.check(caplog, jobs=jobs)

    def test_in_a_process_pool(self, caplog: pytest.LogCaptureFixture) -> None:
        with ProcessPoolExecutor(2) as pool:
            self.check(caplog, executor=pool, jobs=2)
            assert pool.submit(os.getpid).result() > 0, "the pool is as good as before"

    def test_in_threads(self, caplog: pytest.LogCaptureFixture) -> None:
        with ThreadPoolExecutor(2) as pool:
            self.check(caplog, executor=pool, jobs=2)


def kills_its_worker(flag: Path | None, params: Mapping[str, Any]) -> dict[str, float]:
    """Kills the pool's worker at the third trial, once if there is a flag to remember it by."""
    if params["n"] == 2 and (flag is None or not flag.exists()):
        if flag is not None:
            flag.touch()
        os.kill(os.getppid(), signal.SIGKILL)
    return measure(params)


class TestBrokenExecutors:
    def test_a_pool_whose_worker_is_killed_is_replaced_and_no_innocent_trial_fails(self, tmp_path: Path) -> None:
        queue = Queue()
        with ProcessPoolExecutor(2) as pool:
            optimize(queue, partial(kills_its_worker, tmp_path / "flag"), 6, executor=pool, jobs=2)
        assert queue.states == [DONE] * 6

    def test_a_trial_that_breaks_two_pools_has_failed(self) -> None:
        queue = Queue()
        with ProcessPoolExecutor(1) as pool:
            optimize(queue, partial(kills_its_worker, None), 4, executor=pool)
        assert queue.states == [DONE, DONE, FAILED, DONE]
        assert "its worker process died twice" in (queue.trials[2].reason or "")

    def test_an_executor_that_breaks_for_good_is_an_error_and_its_trials_are_released(self) -> None:
        class Broken(Executor):
            def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
                raise BrokenExecutor

        queue = Queue()
        with pytest.raises(BrokenExecutor, match="cannot be replaced"):
            optimize(queue, measure, 4, executor=Broken(), jobs=2)
        assert queue.states == [RELEASED]


def test_progress_is_shown_at_the_beginning_and_after_every_trial(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[Any] = []

    @contextlib.contextmanager
    def bar(total: int | None, *, wanted: bool) -> Any:
        assert (total, wanted) == (3, True)
        yield lambda done, headline: shown.append((done, headline))

    monkeypatch.setattr(loop, "progress_bar", bar)
    headline = (1.5, Purse(0.0, 0, 0.0, 0.0, None, "", None), dict[str, Any]())
    optimize(Queue(), measure, 3, headline=lambda: headline)
    assert shown == [(done, headline) for done in range(4)]


@pytest.mark.parametrize("budget", [2, None])
def test_without_a_number_progress_counts_the_budget_or_leaves_it_to_the_money(
    monkeypatch: pytest.MonkeyPatch, budget: int | None
) -> None:
    totals: list[int | None] = []

    @contextlib.contextmanager
    def bar(total: int | None, *, wanted: bool) -> Any:
        totals.append(total)
        yield None

    monkeypatch.setattr(loop, "progress_bar", bar)
    queue = Queue()
    loop.optimize(
        run_on(queue, most=2),
        measure,
        count=None,
        budget=budget,
        executor=None,
        jobs=1,
        trial_timeout=None,
        headline=None,
    )
    assert totals == [budget]
    assert queue.states == [DONE] * 2
