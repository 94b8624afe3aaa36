from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from camobo.cost.ordered import OrderCost
from camobo.cost.protocol import Cost
from camobo.cost.receipts import LearnedCost
from camobo.history.transitions import Request
from camobo.history.trial import State, Trial
from camobo.run.evaluate import Outcome
from camobo.run.trial_queue import Run
from tests.run.queues import Queue
from tests.support.trial_queues import run_on


def test_a_run_asks_under_its_name_and_lease_and_skips_what_it_evaluates() -> None:
    queue = Queue()
    run = Run(queue, "anna", timedelta(minutes=10), 7, 0)
    trial = run.next(frozenset({3}))
    assert trial is not None
    assert trial.owner == "anna"
    assert queue.requests == [Request(1, "anna", timedelta(minutes=10), 7, frozenset({3}))]


def test_a_run_gets_none_once_its_limit_of_new_trials_is_reached() -> None:
    run = run_on(Queue(), most=1)
    assert run.next(frozenset()) is not None
    assert run.next(frozenset()) is None


class TestRecording:
    def test_values_and_cost_are_recorded(self) -> None:
        run = run_on(Queue())
        recorded = run.record(handed(run), Outcome({"y": 1.5}, cost=7.0))
        assert (recorded.state, dict(recorded.values or {}), recorded.cost) == (State.COMPLETE, {"y": 1.5}, 7.0)

    def test_values_recorded_before_the_evaluation_stay(self) -> None:
        run = run_on(Queue())
        trial = replace(handed(run), values={"z": 5.0})
        assert dict(run.record(trial, Outcome({"y": 1.0, "z": 2.0})).values or {}) == {"y": 1.0, "z": 5.0}

    @pytest.mark.parametrize("values", [{"y": 1.0}, None], ids=["complete", "failed"])
    @pytest.mark.parametrize(
        ("cost", "told", "seconds", "recorded"),
        [
            (LearnedCost(of="seconds"), None, 7.5, 7.5),
            (LearnedCost(of="seconds"), 41.0, 7.5, 41.0),
            (LearnedCost(of="seconds"), 0.0, 7.5, 0.0),
            (LearnedCost(of="seconds"), None, None, None),
            (LearnedCost(), None, 7.5, None),
            (OrderCost("n"), None, 7.5, None),
            (None, None, 7.5, None),
            (None, 41.0, 7.5, 41.0),
        ],
    )
    def test_a_trial_costs_what_its_evaluation_says_or_else_its_duration_if_the_study_learns_from_durations(
        self,
        cost: Cost | None,
        told: float | None,
        seconds: float | None,
        recorded: float | None,
        values: dict[str, float] | None,
    ) -> None:
        run = run_on(Queue(cost=cost))
        assert run.record(handed(run), Outcome(values, cost=told, seconds=seconds)).cost == recorded

    @pytest.mark.parametrize(("told", "teaches"), [(None, False), (41.0, True)])
    def test_how_long_it_took_to_fail_is_not_what_its_point_costs_and_a_bill_is(
        self, told: float | None, teaches: bool
    ) -> None:
        run = run_on(Queue(cost=LearnedCost(of="seconds")))
        assert run.record(handed(run), Outcome(None, "it broke", told, seconds=0.1)).teaches is teaches
        assert run.record(handed(run), Outcome({"y": 1.0}, cost=told, seconds=0.1)).teaches

    @pytest.mark.parametrize(("reason", "recorded"), [("it broke", "it broke"), (None, "no values")])
    def test_without_values_the_trial_has_failed(self, reason: str | None, recorded: str) -> None:
        run = run_on(Queue())
        trial = run.record(handed(run), Outcome(reason=reason))
        assert (trial.state, trial.reason) == (State.FAILED, recorded)


def test_a_run_holds_only_its_own_pending_trials_handed_out_since_it_began() -> None:
    queue = Queue()
    queue.trials = (
        Trial(0, {"n": 0}, owner="me", held=2),
        Trial(1, {"n": 1}, owner="me", held=5),
        Trial(2, {"n": 2}, owner="other", held=6),
        Trial(3, {"n": 3}, State.COMPLETE, {"y": 1.0}, owner="me", held=7),
        Trial(4, {"n": 4}, State.RELEASED, owner="me", held=8),
    )
    run = Run(queue, "me", None, None, since=5)
    assert [trial.number for trial in run.held()] == [1]


def handed(run: Run) -> Trial:
    trial = run.next(frozenset())
    assert trial is not None
    return trial
