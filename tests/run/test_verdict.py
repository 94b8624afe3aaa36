"""What outcomes say about going on with a run, and what it raises or says at its end."""

from __future__ import annotations

import logging
import time
from dataclasses import replace

import pytest

from camobo.cost.budget import Budget
from camobo.errors import BudgetSpent, InvalidOptionError, InvalidValueError
from camobo.history.trial import State, Trial
from camobo.run.evaluate import Outcome
from camobo.run.faults import ENOUGH, Fault
from camobo.run.trial_queue import Run
from camobo.run.verdict import Verdict
from camobo.strategy.plan import Plan
from tests.support.trial_queues import FakeQueue, run_on

TRIAL = Trial(0, {"n": 0}, State.FAILED)
BROKEN = Outcome.failed("KeyError: 'depth'", Fault.of(KeyError("depth"), "here"))
SHAPELESS = Outcome.failed("InvalidValueError: result: no.", Fault.of(InvalidValueError("no"), returned="{}"))


def after(*outcomes: Outcome, run: Run | None = None) -> Verdict:
    verdict = Verdict(run or run_on(FakeQueue()), most=9)
    verdict.started = len(outcomes)
    for number, outcome in enumerate(outcomes):
        if not verdict.refuses(TRIAL, outcome):
            verdict.note(replace(TRIAL, number=number), outcome)
    return verdict


def test_a_run_goes_on_after_values_and_after_failures_that_differ() -> None:
    verdict = after(Outcome({"y": 1.0}), *[BROKEN] * 9)
    assert (verdict.over, verdict.blameless) == (False, ())
    verdict.end()


def test_first_failures_alike_end_it_and_are_to_be_evaluated_again() -> None:
    verdict = after(*[BROKEN] * ENOUGH)
    assert (verdict.over, verdict.blameless) == (True, tuple(range(ENOUGH)))
    with pytest.raises(InvalidOptionError, match="KeyError: 'depth'") as told:
        verdict.end()
    assert isinstance(told.value.__cause__, KeyError)


def test_a_trial_under_way_that_ends_well_lets_it_go_on() -> None:
    assert not after(*[BROKEN] * ENOUGH, Outcome({"y": 1.0})).over


def test_a_result_that_is_none_ends_it_at_once_is_shown_and_not_recorded() -> None:
    verdict = after(Outcome({"y": 1.0}), SHAPELESS)
    assert verdict.over
    with pytest.raises(
        InvalidValueError, match=r"^trial 0: result: no\. The whole result was \{\}\. Nothing was recorded"
    ):
        verdict.end()


def test_what_is_caught_says_nothing_against_the_function() -> None:
    run = replace(run_on(FakeQueue()), catch=(LookupError, InvalidValueError))
    verdict = after(*[BROKEN] * 9, SHAPELESS, run=run)
    assert not verdict.over
    assert not verdict.refuses(TRIAL, SHAPELESS)


@pytest.mark.parametrize("ended", [{"until": time.monotonic() - 1.0}, {"stopped": lambda: True}])
def test_the_end_of_the_time_and_a_request_end_it_quietly(ended: dict[str, object]) -> None:
    verdict = after(Outcome({"y": 1.0}), run=replace(run_on(FakeQueue()), **ended))  # type: ignore[arg-type]
    assert verdict.over
    verdict.end()


class TestASpentBudget:
    def test_a_run_that_evaluates_nothing_says_what_became_of_the_budget_and_how_to_go_on(
        self, caplog: pytest.LogCaptureFixture
    ) -> None:
        queue = FakeQueue()
        queue.plan = Plan(queue.plan.space, queue.plan.objectives, budget=Budget(trials=2), seed=1)
        queue.trials = (replace(TRIAL, state=State.COMPLETE, values={"y": 1.0}), replace(TRIAL, number=1))
        with caplog.at_level(logging.WARNING, logger="camobo"):
            Verdict(run_on(queue), most=None).end()
        said = "no trial was run: the budget of 2 trials is spent: 1 complete, 1 failed. To go on, "
        assert said + "raise it: study.change(budget=…)." in caplog.text

    def test_one_that_has_run_its_trials_says_nothing(self, caplog: pytest.LogCaptureFixture) -> None:
        verdict = Verdict(run_on(FakeQueue()), most=None)
        verdict.started = 3
        verdict.end()
        assert caplog.text == ""

    def test_trials_asked_for_by_number_that_cannot_be_paid_for_are_an_error_that_says_how_to_go_on(self) -> None:
        verdict = Verdict(run_on(FakeQueue()), most=5)
        verdict.spent = BudgetSpent("too expensive.")
        with pytest.raises(BudgetSpent, match=r"too expensive\. To go on, raise it: study\.change"):
            verdict.end()
