from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from camobo.history.transitions import Request
from camobo.history.trial import State, Trial
from camobo.run.evaluate import Outcome
from camobo.run.trial_queue import Run
from tests.support.trial_queues import FakeQueue, run_on


def test_a_run_asks_under_its_name_and_lease_and_skips_what_it_evaluates() -> None:
    queue = FakeQueue()
    run = Run(queue, "anna", timedelta(minutes=10), 7, 0)
    trial = run.next(frozenset({3}))
    assert trial is not None
    assert trial.owner == "anna"
    assert queue.requests == [Request(1, "anna", timedelta(minutes=10), 7, frozenset({3}))]


def test_a_run_gets_none_once_its_limit_of_new_trials_is_reached() -> None:
    run = run_on(FakeQueue(), most=1)
    assert run.next(frozenset()) is not None
    assert run.next(frozenset()) is None


class TestRecording:
    def test_values_and_cost_are_recorded(self) -> None:
        run = run_on(FakeQueue())
        recorded = run.record(handed(run), Outcome({"y": 1.5}, cost=7.0))
        assert (recorded.state, dict(recorded.values or {}), recorded.cost) == (State.COMPLETE, {"y": 1.5}, 7.0)

    def test_values_recorded_before_the_evaluation_stay(self) -> None:
        run = run_on(FakeQueue())
        trial = replace(handed(run), values={"z": 5.0})
        assert dict(run.record(trial, Outcome({"y": 1.0, "z": 2.0})).values or {}) == {"y": 1.0, "z": 5.0}

    @pytest.mark.parametrize(("reason", "recorded"), [("it broke", "it broke"), (None, "no values")])
    def test_without_values_the_trial_has_failed(self, reason: str | None, recorded: str) -> None:
        run = run_on(FakeQueue())
        trial = run.record(handed(run), Outcome(reason=reason))
        assert (trial.state, trial.reason) == (State.FAILED, recorded)


def test_a_run_holds_only_its_own_pending_trials_handed_out_since_it_began() -> None:
    queue = FakeQueue()
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
