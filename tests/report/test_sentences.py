from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from camobo.arrays import Array
from camobo.cost.budget import Budget, as_budget
from camobo.cost.ordered import OrderCost
from camobo.cost.paper import PaperCost
from camobo.cost.prices import Prices
from camobo.cost.protocol import Cost
from camobo.history.trial import State, Trial
from camobo.insight.diagnostics import Check
from camobo.insight.record import ForeignRecord, Record
from camobo.insight.spending import Disagreement
from camobo.model.transforms import Standard
from camobo.report import sentences
from camobo.space.inputs import Real
from camobo.space.space import Space
from camobo.strategy.notes import Note, Reason
from camobo.strategy.plan import Plan

LINE = np.linspace(0.0, 1.0, 20)
NOISE = np.where(np.arange(20) % 2, 0.25, -0.25)
PLAN = Plan(Space({"x": Real(0, 1)}), {"y": "max"})
PRICED = replace(PLAN, cost=Prices({"x": 4.0}, per_trial=8.0), budget=Budget(cost=100, unit="EUR"))


def check(measured: Array, predicted: Array, deviation: float) -> Check:
    return Check("y", (), measured, predicted, np.full(len(measured), deviation), Standard(0.0, 1.0))


def trials(complete: int = 0, failed: int = 0, pending: int = 0, added: int = 0) -> tuple[Trial, ...]:
    """Trials in these states with values 0, 1, 2, …; the added ones are complete."""
    states = [State.COMPLETE] * (complete + added) + [State.FAILED] * failed + [State.PENDING] * pending
    return tuple(
        Trial(
            i,
            {"x": 0.5},
            state,
            {"y": float(i)} if state is State.COMPLETE else None,
            added=complete <= i < complete + added,
        )
        for i, state in enumerate(states)
    )


class TestProgress:
    @pytest.mark.parametrize(
        ("given", "budget", "said"),
        [
            ({}, None, "No trial has been suggested or added yet."),
            ({"complete": 1}, None, "1 trial is complete, 0 failed, 0 pending. 1 trial has the best value."),
            (
                {"complete": 2, "failed": 1, "pending": 3, "added": 2},
                9,
                "4 trials are complete, 1 failed, 3 pending. 2 trials were added by hand. "
                "The budget is 9 trials; 6 have been suggested. 1 trial has the best value.",
            ),
            (
                {"pending": 1},
                1,
                "0 trials are complete, 0 failed, 1 pending. The budget is 1 trial; 1 has been suggested.",
            ),
        ],
    )
    def test_it_counts_trials_in_every_state(self, given: dict[str, int], budget: int | None, said: str) -> None:
        assert sentences.progress(Record(replace(PLAN, budget=as_budget(budget)), trials(**given))) == said

    def test_a_budget_in_money_is_said_with_what_is_spent(self) -> None:
        said = sentences.progress(Record(replace(PRICED, budget=Budget(9, 100, "EUR")), trials(complete=2, pending=1)))
        assert "The budget is 9 trials; 3 have been suggested. Of a budget of 100 EUR, 20 have been spent." in said

    def test_with_several_objectives_it_counts_the_front_and_says_what_that_is(self) -> None:
        rows = tuple(Trial(i, {"x": 0.5}, State.COMPLETE, {"y": float(i), "z": float(i)}) for i in range(3))
        said = sentences.progress(Record(replace(PLAN, objectives={"y": "max", "z": "min"}), rows))
        front = "on the front: no other trial is at least as good in every objective and better in one."
        assert said.endswith(f"3 trials are {front}")


class TestSpent:
    def test_what_is_estimated_and_what_is_reserved_are_told_apart(self) -> None:
        own = (replace(trials(complete=1)[0], cost=30.0), *trials(complete=3, pending=2)[1:])
        assert sentences.spent(Record(PRICED, own)) == (
            "50 of 100 EUR",
            "20 of it estimated, 20 reserved for 2 open trials",
        )

    def test_receipts_alone_are_all_recorded_and_prices_alone_all_estimated(self) -> None:
        own = trials(complete=2)
        paid = tuple(replace(trial, cost=30.0) for trial in own)
        assert sentences.spent(Record(PLAN, paid)) == ("60", "all of it recorded")
        assert sentences.spent(Record(PRICED, own)) == ("20 of 100 EUR", "all of it estimated")

    def test_before_the_first_receipt_a_budget_in_money_is_known_and_no_cost(self) -> None:
        plan = replace(PLAN, cost=OrderCost("x"), budget=Budget(cost=100, unit="EUR"))
        assert sentences.spent(Record(plan, trials(complete=2))) == ("0 of 100 EUR", "no cost is recorded yet")

    def test_without_money_there_is_nothing_to_say(self) -> None:
        assert sentences.spent(Record(replace(PLAN, cost=OrderCost("x")), trials(complete=2))) is None


class TestModelVerdict:
    @pytest.mark.parametrize(
        ("found", "grade", "starts"),
        [
            (check(LINE, LINE, 0.1), "good", "Predicts held-out trials accurately (leave-one-out R² 1.00). 20 of 20"),
            (check(LINE, LINE + 0.6 * NOISE, 0.3), "fair", "Predicts held-out trials roughly (leave-one-out R² 0.7"),
            (check(LINE, LINE + NOISE, 0.3), "fair", "Captures a trend, with large errors (leave-one-out R² 0.3"),
            (check(LINE, 1.0 - LINE, 1.0), "poor", "Does not predict held-out trials: too few trials, or too much"),
            (check(LINE[:3], LINE[:3], 0.1), "early", "Too early to judge: 3 complete trials, at least 8 needed."),
            (check(np.ones(9), np.ones(9), 0.1), "early", "All measured values are equal, so there is nothing to"),
        ],
    )
    def test_the_grade_and_the_sentence_follow_the_accuracy(self, found: Check, grade: str, starts: str) -> None:
        verdict = sentences.model_verdict(found)
        assert verdict.grade == grade
        assert verdict.sentence.startswith(starts)
        assert verdict.sentence.endswith(".")

    def test_intervals_that_cover_as_they_should_are_said_to(self) -> None:
        assert sentences.model_verdict(check(LINE, LINE, 0.1)).sentence.endswith(
            "20 of 20 measurements are inside the 95 % intervals, about as expected."
        )

    @pytest.mark.parametrize(("predicted", "grade"), [(LINE + 0.01, "fair"), (1.0 - LINE, "poor")])
    def test_an_overconfident_model_is_never_good(self, predicted: Array, grade: str) -> None:
        verdict = sentences.model_verdict(check(LINE, predicted, 1e-4))
        assert verdict.grade == grade
        assert verdict.sentence.endswith("too few: the model is overconfident.")


class TestDisagreement:
    RECORD = Record(replace(PLAN, cost=OrderCost("x")), ())

    def test_it_says_what_to_check(self) -> None:
        assert sentences.disagreement(Disagreement("nickel", "soak"), self.RECORD) == sentences.Verdict(
            "check",
            "Receipts say that soak costs more than nickel, the order says less. Check the order, or the expensive "
            "ends, of nickel and soak. The cost learned from the receipts is used either way.",
        )
        assert sentences.disagreement(Disagreement("soak", None), self.RECORD).sentence == (
            "Receipts say that trials get cheaper towards the expensive end of soak. Check the order, or the expensive "
            "end, of soak. The cost learned from the receipts is used either way."
        )

    def test_the_paper_s_method_is_said_to_go_by_the_order(self) -> None:
        record = Record(replace(PLAN, cost=PaperCost("x"), method="paper"), ())
        found = sentences.disagreement(Disagreement("nickel", "soak"), record)
        assert found.sentence.endswith(" The paper's method goes by the order alone.")


class TestWarnings:
    def test_a_rescue_is_reported_with_the_trials_that_needed_it(self) -> None:
        notes = (Note(Reason.IMPROVES_FRONT), Note(Reason.JITTER, {"outcome": "y", "jitter": 1e-8}))
        rescued = tuple(Trial(i, {"x": 0.5}, State.FAILED, notes=notes) for i in range(10))
        first, second = sentences.warnings(Record(PLAN, rescued), None)
        assert first == f"10 trials (0, 1, 2, 3, 4, 5, 6, 7 and 2 more): {notes[1]}"
        assert second.startswith("10 of 10 finished trials failed. The models learn nothing from failed trials")

    def test_jitter_of_a_current_model_is_reported(self) -> None:
        models: Any = SimpleNamespace(gps=[SimpleNamespace(jitter=1e-6)])
        assert sentences.warnings(Record(PLAN, ()), models) == [
            "The current model of y needed jitter 1e-06 to factorise its covariance."
        ]
        models = SimpleNamespace(gps=[SimpleNamespace(jitter=0.0)])
        assert sentences.warnings(Record(PLAN, ()), models) == []

    @pytest.mark.parametrize(("failed", "warned"), [(2, False), (3, True)])
    def test_a_few_failures_are_no_warning(self, failed: int, warned: bool) -> None:
        found = sentences.warnings(Record(PLAN, trials(complete=2, failed=failed)), None)
        assert bool(found) == warned

    @pytest.mark.parametrize(("reference", "warned"), [(5.0, True), (0.0, False)])
    def test_a_reference_that_no_trial_reaches_is_reported(self, reference: float, warned: bool) -> None:
        record = Record(replace(PLAN, reference=(reference,)), trials(complete=2))
        expected = ["No trial is better than the reference in every objective, so the hypervolume is 0."]
        assert sentences.warnings(record, None) == (expected if warned else [])

    def test_receipts_that_contradict_the_order_are_reported(self) -> None:
        plan = replace(PLAN, cost=OrderCost("x"))
        own = tuple(replace(t, params={"x": t.number / 9}, cost=90.0 - 5.0 * t.number) for t in trials(complete=10))
        (found,) = sentences.warnings(Record(plan, own), None)
        assert found.startswith("Receipts say that trials get cheaper towards the expensive end of x. Check the order")

    def test_trials_left_out_of_a_foreign_study_are_grouped_by_reason(self) -> None:
        left_out = {3: "outside the space", 4: "pruned", 7: "outside the space"}
        record = ForeignRecord(PLAN, (), left_out=left_out, remarks=("The values are medians.",))
        assert sentences.warnings(record, None) == [
            "The values are medians.",
            "2 trials (3, 7) left out of this report: outside the space.",
            "1 trial (4) left out of this report: pruned.",
        ]


class TestSettings:
    def test_every_option_is_named_with_its_value(self) -> None:
        plan = replace(PRICED, seed=7, thrift=2.0)
        found = dict(sentences.settings(Record(plan, ())))
        assert (found["Cost"], found["Budget"], found["Thrift"]) == ("x 4, 8 per trial", "100 EUR", "2")
        assert (found["Method"], found["Seed"], found["Models refitted"]) == ("default", "7", "every 10 trials")

    @pytest.mark.parametrize(
        ("cost", "said"), [(OrderCost("x"), "x"), (PaperCost("x"), "x (Eq. 8)"), (Prices({"x": 1}), "x 1")]
    )
    def test_a_cost_is_told_as_it_was_given(self, cost: Cost, said: str) -> None:
        assert dict(sentences.settings(Record(replace(PLAN, cost=cost), ())))["Cost"] == said

    def test_what_was_not_given_is_said_to_be_absent(self) -> None:
        found = dict(sentences.settings(Record(replace(PLAN, method="paper", refit_every=1), ())))
        assert found["Cost"] == "none: all inputs count as free"
        assert found["Budget"] == "none"
        assert "Thrift" not in found
        assert found["Method"] == "paper (CA-MOBO, Algorithm 1), β practical"
        assert found["Models refitted"] == "after every trial"

    def test_of_a_foreign_study_only_what_somebody_chose_is_shown(self) -> None:
        assert [name for name, _ in sentences.settings(ForeignRecord(PLAN, ()))] == ["Cost", "Budget"]
