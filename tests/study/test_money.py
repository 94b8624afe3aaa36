"""Budgets in money, receipts, and changes of the plan in the middle of a study."""

from __future__ import annotations

import json
import math
import re
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import camobo as cm
from camobo.cost.formula import AbsentFunction
from camobo.history.document import make_plan, to_document
from camobo.history.history import data_of
from camobo.history.transitions import known_to
from camobo.storage.memory import MemoryStore
from camobo.strategy.affordable import check_budget
from camobo.strategy.suggest import suggest
from tests.support.strategies import label
from tests.support.studies import GOOD, PLANE, measure, params_of, study_of, told

PRICES = cm.Prices({"expensive": 10.0, "cheap": 1.0}, per_trial=2.0)
"""From 2 to 13."""
EUROS = cm.Budget(cost=100.0, unit="EUR")


def price(params: Mapping[str, Any]) -> float:
    return 2.0 + 10.0 * float(params["expensive"]) + float(params["cheap"])


def doubled(params: Mapping[str, Any]) -> float:
    return 2.0 * price(params)


def paid(study: cm.Study, count: int, bill: Callable[[Mapping[str, Any]], float] = price) -> cm.Study:
    """The study after `count` more trials, each with its receipt."""
    for _ in range(count):
        trial = study.ask()
        study.tell(trial, measure(trial.params), cost=bill(trial.params))
    return study


def used_up(study: cm.Study) -> cm.BudgetSpent:
    """Ask and pay until the budget is spent."""
    for _ in range(200):
        try:
            paid(study, 1)
        except cm.BudgetSpent as error:
            return error
    raise AssertionError("the budget has no end")


class TestBudget:
    @pytest.mark.parametrize("cost", [PRICES, cm.Formula("2 + 10*expensive + cheap"), price], ids=label)
    def test_trials_are_suggested_until_the_cheapest_costs_more_than_what_is_left(self, cost: Any) -> None:
        study = study_of(cost=cost, budget=cm.Budget(cost=40.0, unit="EUR"))
        error = used_up(study)
        said = r"the cheapest trial left costs about 2.* EUR, and [01]\..* EUR of the budget.* left\. To go on, raise"
        assert re.match(said, str(error))
        assert 36.0 < study.spent() <= 40.0 * (1 + 1e-9)
        assert study.remaining() == pytest.approx(40.0 - study.spent())
        for trial in study.trials:
            assert trial.expected == pytest.approx(trial.cost)

    @pytest.mark.parametrize("cost", ["expensive > cheap", cm.LearnedCost()], ids=label)
    def test_a_cost_that_is_learned_ends_it_too(self, cost: Any) -> None:
        study = study_of(cost=cost, budget=cm.Budget(cost=60.0))
        used_up(study)
        assert 45.0 < study.spent() < 70.0
        assert study.trials[0].expected is None, "no receipt yet"
        known = [trial for trial in study.trials if trial.expected is not None]
        assert len(known) >= len(study.trials) - 1

    def test_without_a_cost_it_ends_when_it_is_paid(self) -> None:
        study = study_of(budget=cm.Budget(cost=40.0, unit="EUR"))
        assert str(used_up(study)).startswith("0 EUR of the budget")
        assert study.spent() >= 40.0
        assert study.spent() - (study.trials[-1].cost or 0.0) < 40.0
        assert study.remaining() == 0.0

    @pytest.mark.parametrize("method", ["default", "paper"])
    def test_both_methods_end_with_it(self, method: str) -> None:
        study = study_of(cost="expensive > cheap", method=method, budget=cm.Budget(cost=60.0))
        used_up(study)
        assert study.spent() < 75.0

    def test_pending_trials_are_reserved(self) -> None:
        study = study_of(cost=PRICES, budget=cm.Budget(cost=60.0))
        trials = study.ask(100)
        assert 4 < len(trials) < 30
        assert sum(trial.expected or math.inf for trial in trials) <= 60.0 * (1 + 1e-9)
        assert study.spent() == 0.0
        assert study.remaining() == pytest.approx(60.0 - sum(trial.expected or 0.0 for trial in trials))
        with pytest.raises(cm.BudgetSpent):
            study.ask()
        study.fail(trials[0], "never begun", cost=0.0)
        assert study.remaining() == pytest.approx(60.0 - sum(trial.expected or 0.0 for trial in trials[1:]))
        assert study.ask().expected is not None

    def test_of_trials_and_money_the_trials_do_not_end_asking_but_the_money_does(self) -> None:
        study = study_of(cost=PRICES, budget=cm.Budget(trials=3, cost=40.0))
        paid(study, 5)
        used_up(study)
        assert study.spent() <= 40.0 * (1 + 1e-9)

    def test_raising_it_goes_on(self) -> None:
        study = study_of(cost=PRICES, budget=cm.Budget(cost=30.0, unit="EUR"))
        used_up(study)
        count = len(study.trials)
        study.change(budget=cm.Budget(cost=60.0, unit="EUR"))
        used_up(study)
        assert len(study.trials) > count
        assert 30.0 < study.spent() <= 60.0 * (1 + 1e-9)

    def test_a_receipt_may_be_higher_than_expected_and_come_late(self) -> None:
        study = study_of(cost=PRICES, budget=EUROS)
        trial = study.ask()
        assert study.remaining() == pytest.approx(100.0 - (trial.expected or 0.0))
        study.tell(trial, GOOD)
        assert study.spent() == trial.expected
        assert study.remaining() == pytest.approx(100.0 - (trial.expected or 0.0))
        assert study.amend(trial, cost=250.0, reason="the invoice came").cost == 250.0
        assert (study.spent(), study.remaining()) == (250.0, 0.0)
        with pytest.raises(cm.BudgetSpent, match="and 0 EUR of the budget"):
            study.ask()
        study.amend(trial, cost=25.0, reason="a decimal point")
        assert study.ask().number == 1

    def test_what_is_handed_out_again_needs_no_new_money(self) -> None:
        study = study_of(cost=PRICES, budget=cm.Budget(cost=30.0))
        trials = study.ask(100)
        study.release(trials[0])
        assert study.ask().number == 0

    def test_the_result_of_an_exhausted_study_can_still_be_told(self) -> None:
        study = study_of(cost=PRICES, budget=cm.Budget(cost=20.0))
        for trial in study.ask(100):
            study.tell(trial, measure(trial.params), cost=price(trial.params))
        assert study.front()


class TestBelowTheCheapestTrial:
    """A budget that pays for nothing is refused when it is given, not at the first ask."""

    TINY = cm.Budget(cost=1.5, unit="EUR")
    SAID = r"budget: need at least 2 EUR, which the cheapest trial costs \(expensive=0, cheap=0\), got 1\.5 EUR"

    @pytest.mark.parametrize("cost", [PRICES, cm.Formula("2 + 10*expensive + cheap")], ids=label)
    def test_it_is_refused_when_the_study_is_created_and_nothing_is_left_behind(
        self, cost: Any, tmp_path: Path
    ) -> None:
        with pytest.raises(cm.InvalidOptionError, match=self.SAID):
            study_of(cost=cost, budget=self.TINY, storage=tmp_path / "a.db")
        assert list(tmp_path.iterdir()) == []

    def test_a_change_of_the_budget_or_of_the_cost_is_refused_and_the_study_stays(self) -> None:
        rich, cheap = study_of(cost=PRICES, budget=EUROS), study_of(budget=self.TINY)
        with pytest.raises(cm.InvalidOptionError, match=self.SAID):
            rich.change(budget=self.TINY)
        with pytest.raises(cm.InvalidOptionError, match=self.SAID):
            cheap.change(cost=PRICES)
        assert (rich.log(), cheap.log()) == ([], [])

    def test_a_stored_study_that_has_one_opens_all_the_same(self) -> None:
        store = MemoryStore()
        store.create(to_document(make_plan(PLANE, {"y": "max"}, cost=PRICES, budget=self.TINY, seed=1)))
        study = cm.Study.load(store)
        assert study.change(thrift=0.5).plan.thrift == 0.5
        with pytest.raises(cm.BudgetSpent):
            study.ask()

    def test_creating_a_study_stays_quick(self) -> None:
        space = cm.Space({f"x{i}": cm.Real(0, 1) for i in range(20)})
        formula = cm.Formula("5 + " + " + ".join(f"{i} * x{i}" for i in range(20)))
        plan = make_plan(space, {"y": "max"}, cost=formula, budget=cm.Budget(cost=100.0), seed=1)
        took = []
        for _ in range(3):
            began = time.process_time()
            check_budget(plan)
            took.append(time.process_time() - began)
        assert min(took) < 0.05


class TestSpending:
    def test_a_new_study_has_spent_nothing(self) -> None:
        study = study_of(cost=PRICES, budget=EUROS)
        assert (study.spent(), study.remaining()) == (0.0, 100.0)
        assert (study_of().spent(), study_of(budget=20).remaining()) == (0.0, None)

    def test_what_was_added_does_not_count_and_teaches(self) -> None:
        study = study_of(cost="expensive > cheap", budget=EUROS)
        for i in range(8):
            params = {"expensive": i / 8, "cheap": (3 * i % 8) / 8}
            study.add(params, measure(params), cost=price(params))
        assert (study.spent(), study.remaining()) == (0.0, 100.0)
        trial = study.ask()
        assert trial.expected == pytest.approx(price(trial.params), rel=0.2)

    def test_the_seconds_until_a_crash_count_and_teach_nothing(self) -> None:
        study = study_of(cost=cm.LearnedCost(), budget=EUROS)
        study.fail(study.ask(), "crashed", cost=0.2, teaches=False)
        assert (study.spent(), study.ask().expected) == (0.2, None)

    def test_an_experiment_that_failed_before_teaches_and_is_not_tried_again(self) -> None:
        study = study_of(cm.Space({"n": cm.Integer(1, 2)}), {"y": "max"}, cost=cm.LearnedCost(), budget=EUROS)
        study.add({"n": 1}, None, cost=12.0, reason="cracked")
        trial = study.ask()
        assert (trial.params["n"], study.spent()) == (2, 0.0)
        assert trial.expected == pytest.approx(12.0)
        with pytest.raises(cm.InvalidValueError, match=r"got None\. For an experiment that could not be measured give"):
            study.add({"n": 1}, None, cost=12.0)

    def test_failed_trials_count_and_teach(self) -> None:
        study = study_of(cost="expensive > cheap", budget=EUROS)
        trials = study.ask(6)
        for trial in trials:
            study.fail(trial, "cracked", cost=price(trial.params))
        assert study.spent() == pytest.approx(sum(price(trial.params) for trial in trials))
        expected = study.ask().expected
        assert expected is not None
        assert 1.0 < expected < 14.0

    def test_a_settled_trial_without_a_receipt_is_taken_to_have_cost_what_was_expected(self) -> None:
        study = told(study_of(cost=PRICES, budget=EUROS), 3)
        assert study.spent() == pytest.approx(sum(price(trial.params) for trial in study.trials))

    def test_as_long_as_only_an_order_is_known_nothing_is_spent_that_was_not_recorded(self) -> None:
        study = told(study_of(cost="expensive > cheap", budget=EUROS), 3)
        assert (study.spent(), study.remaining()) == (0.0, 100.0)
        paid(study, 1)
        assert study.spent() > (study.trials[3].cost or 0.0), "now the other three are estimated"


class TestReceipts:
    def test_told_in_parts_they_add_up_and_the_log_shows_each_sum(self) -> None:
        study = study_of(cost=PRICES, budget=EUROS)
        trial = study.ask()
        assert study.tell(trial, {"strength": 1.0}, cost=3.0).cost == 3.0
        assert study.tell(trial, {"corrosion": 1.0}, cost=1.5).cost == 4.5
        told_events = [event for event in study.log() if event.kind == "told"]
        assert [event.new["cost"] for event in told_events] == [3.0, 4.5]
        assert dict(told_events[1].old or {}) == {"cost": 3.0}
        assert study.spent() == 4.5

    def test_amending_corrects_one_and_the_log_shows_old_and_new(self) -> None:
        study = paid(study_of(cost=PRICES), 1)
        before = study.trials[0]
        after = study.amend(0, cost=44.0, reason="invoice")
        assert (after.cost, after.values, after.state) == (44.0, before.values, before.state)
        event = study.log()[-1]
        assert (event.kind, event.new["cost"], (event.old or {})["cost"]) == ("amended", 44.0, before.cost)
        assert "cost=44.0" in str(event)

    def test_zero_is_a_receipt(self) -> None:
        study = study_of(cost=PRICES, budget=EUROS)
        study.fail(study.ask(), "never begun", cost=0)
        assert (study.trials[0].cost, study.spent(), study.remaining()) == (0.0, 0.0, 100.0)

    @pytest.mark.parametrize("cost", [np.float64(2.5), np.int64(2), 2])
    def test_any_kind_of_number_is_one(self, cost: Any) -> None:
        study = study_of()
        trial = study.tell(study.ask(), GOOD, cost=cost)
        assert (trial.cost, type(trial.cost)) == (float(cost), float)

    def test_they_turn_an_order_that_is_wrong(self) -> None:
        def flat(params: Mapping[str, Any]) -> dict[str, float]:
            return {"strength": params["expensive"], "corrosion": 1.0 - params["cheap"]}

        def bill(params: Mapping[str, Any]) -> float:
            return 1.0 + 30.0 * float(params["cheap"])

        def used(study: cm.Study, name: str) -> float:
            return float(np.mean([trial.params[name] for trial in study.trials[8:]]))

        silent, paying = study_of(cost="expensive > cheap"), study_of(cost="expensive > cheap")
        for _ in range(20):
            for study in (silent, paying):
                trial = study.ask()
                study.tell(trial, flat(trial.params), cost=bill(trial.params) if study is paying else None)
        assert used(paying, "cheap") < used(silent, "cheap")


class TestRepeating:
    @pytest.mark.parametrize("cost", ["expensive > cheap", cm.LearnedCost(), PRICES, price], ids=label)
    def test_opened_again_between_all_trials_a_study_suggests_the_same(self, cost: Any, tmp_path: Path) -> None:
        options: dict[str, Any] = {"cost": cost, "budget": cm.Budget(cost=180.0), "refit_every": 3}
        straight = study_of(**options)
        study_of(**options, storage=tmp_path / "a.db").close()
        for number in range(9):
            with cm.Study.load(tmp_path / "a.db", cost=price if cost is price else None) as study:
                if number == 5:
                    for one in (study, straight):
                        one.change(budget=cm.Budget(cost=140.0), thrift=0.5)
                for one in (study, straight):
                    trial = one.ask()
                    bill = price(trial.params) * (1.1 if number % 2 else 1.0)
                    if number == 3:
                        one.fail(trial, "cracked", cost=bill)
                    else:
                        one.tell(trial, measure(trial.params), cost=bill)
                assert study.trials == straight.trials

    def test_an_explanation_of_a_trial_from_before_a_change_is_of_the_plan_of_then(self) -> None:
        study = paid(study_of(cost="expensive > cheap", budget=EUROS), 7)
        then = study.explain(6)
        study.change(budget=30, cost=PRICES, thrift=0.0)
        later = study.explain(6)
        assert (later.predictions, later.utility, later.without_cost) == (
            then.predictions,
            then.utility,
            then.without_cost,
        )
        assert (later.cost, later.in_money) == (then.cost, then.in_money)

    def test_every_suggestion_can_be_made_again_from_the_log(self) -> None:
        study = paid(study_of(cost="expensive > cheap", budget=EUROS), 6)
        study.change(cost=price)
        paid(study, 2)
        study.change(cost=PRICES, thrift=2.0)
        study.ask(3)
        for trial in study.trials:
            *events, asked = study._ledger.events(trial.asked + 1)
            before = study._ledger.after(known_to(events, asked))
            again = suggest(before.plan, data_of(before), trial.number)
            assert before.plan.space.from_unit(again.unit) == dict(trial.params)
            assert again.expected == trial.expected


class TestChanging:
    def test_a_change_is_on_record_once_with_what_it_replaced(self) -> None:
        study = study_of(budget=20)
        assert study.change(budget=EUROS, cost="expensive") is study
        assert (study.budget, study.plan.cost, study.plan.thrift) == (EUROS, cm.OrderCost("expensive"), 1.0)
        (event,) = study.log()
        assert event.kind == "set"
        assert event.as_dict()["new"] == {"budget": {"cost": 100.0, "unit": "EUR"}, "cost": "expensive"}
        assert event.as_dict()["old"] == {"budget": 20, "cost": None}
        assert "set budget=" in str(event)
        json.dumps(event.as_dict(), allow_nan=False)

    @pytest.mark.parametrize(
        "same",
        [
            {},
            {"budget": 20},
            {"budget": cm.Budget(20)},
            {"cost": "expensive > cheap"},
            {"cost": cm.OrderCost("expensive > cheap"), "thrift": 1},
        ],
        ids=label,
    )
    def test_nothing_is_recorded_if_nothing_changes(self, same: Any) -> None:
        study = study_of(budget=20, cost="expensive > cheap")
        study.change(**same)
        assert study.log() == []

    def test_what_is_not_given_stays_even_if_somebody_else_changes_it_at_that_moment(self) -> None:
        class Overtaken(MemoryStore):
            """Somebody changes the thrift just before the next transaction."""

            def transaction(self, request: str | None = None) -> Any:
                if overtakers:
                    overtakers.pop()()
                return super().transaction(request)

        store = Overtaken()
        overtakers: list[Callable[[], object]] = []
        study = study_of(storage=store)
        other = cm.Study.load(store)
        overtakers.append(lambda: other.change(thrift=0.25))
        study.change(budget=30)
        assert (study.plan.thrift, study.budget) == (0.25, cm.Budget(30))

    @pytest.mark.parametrize(
        "refused",
        [
            {"budget": 0},
            {"budget": "60"},
            {"budget": math.nan},
            {"budget": cm.Budget},
            {"thrift": -1},
            {"thrift": math.nan},
            {"thrift": None},
            {"thrift": True},
            {"cost": "lead"},
            {"cost": "expensive > "},
            {"cost": {"expensive": 3}},
            {"cost": cm.Prices({"lead": 1})},
            {"cost": cm.PaperCost("expensive")},
            {"cost": cm.Formula("expensive - 1")},
            {"cost": lambda params: -1.0},
            {"cost": 3},
            {"budget": 30, "thrift": 99},
            {"budget": 0, "cost": "cheap"},
        ],
        ids=label,
    )
    def test_what_cannot_be_used_is_refused_and_leaves_the_study_unchanged(self, refused: Any) -> None:
        study, undisturbed = (told(study_of(budget=20, cost="expensive > cheap"), 4) for _ in range(2))
        before = study.plan, study.log()
        with pytest.raises(cm.CamoboError):
            study.change(**refused)
        assert (study.plan, study.log()) == before
        assert study.ask() == undisturbed.ask()

    def test_what_cannot_change_is_no_argument(self) -> None:
        with pytest.raises(TypeError):
            study_of().change(seed=2)  # type: ignore[call-arg]

    @pytest.mark.parametrize(
        ("before", "change", "after"),
        [
            ({"cost": "expensive"}, {"cost": None}, {}),
            ({}, {"cost": "expensive > cheap", "budget": 30}, {"cost": "expensive > cheap", "budget": 30}),
            (
                {"cost": "cheap", "budget": 9},
                {"cost": PRICES, "thrift": 2.0},
                {"cost": PRICES, "thrift": 2.0, "budget": 9},
            ),
            ({"budget": EUROS, "cost": PRICES}, {"budget": None}, {"cost": PRICES}),
            ({"cost": PRICES}, {"cost": price}, {"cost": price}),
            ({"cost": price}, {"cost": doubled}, {"cost": doubled}),
        ],
        ids=label,
    )
    def test_suggestions_from_now_on_are_made_as_if_it_had_always_been_so(
        self, before: Any, change: Any, after: Any
    ) -> None:
        study, always = study_of(**before), study_of(**after)
        for i in range(6):
            params = {"expensive": i / 6, "cheap": (5 * i % 6) / 6}
            for one in (study, always):
                one.add(params, measure(params))
        study.change(**change)
        for _ in range(3):
            mine, theirs = study.ask(), always.ask()
            assert (mine.params, mine.expected) == (theirs.params, theirs.expected)
            for one, trial in ((study, mine), (always, theirs)):
                one.tell(trial, measure(trial.params))

    @pytest.mark.parametrize("place", ["memory", "sqlite", "postgresql"], indirect=True)
    def test_everybody_sees_it_at_once_and_it_is_stored(self, place: Any) -> None:
        one = study_of(storage=place, budget=20)
        other = cm.Study.load(place)
        one.change(cost=PRICES, budget=EUROS)
        assert other.plan == one.plan
        other.change(thrift=0.5)
        assert (one.plan.thrift, one.budget) == (0.5, EUROS)
        again = cm.Study.load(place)
        assert (again.plan, again.log()) == (one.plan, other.log())
        assert [event.kind for event in again.log()] == ["set", "set"]
        assert params_of(paid(again, 4)) == params_of(other)
        for study in (one, other, again):
            study.close()

    def test_it_can_be_part_of_a_larger_change_or_taken_back_with_it(self) -> None:
        study = study_of(budget=20)

        def changes(thrift: float) -> None:
            with study.together():
                study.change(budget=30)
                assert study.budget == cm.Budget(30)
                study.change(thrift=thrift)

        with pytest.raises(cm.InvalidOptionError):
            changes(-1.0)
        assert (study.budget, study.log()) == (cm.Budget(20), [])
        changes(0.5)
        assert (study.budget, study.plan.thrift) == (cm.Budget(30), 0.5)

    def test_trials_asked_before_keep_what_was_expected_then(self) -> None:
        study = study_of(cost=PRICES)
        trial = study.ask()
        study.change(cost=doubled)
        assert study.trials[0].expected == trial.expected == pytest.approx(price(trial.params))
        assert study.ask().expected == pytest.approx(doubled(study.trials[1].params))

    def test_the_same_study_created_again_continues_with_what_was_changed(self, tmp_path: Path) -> None:
        with study_of(storage=tmp_path / "a.db", budget=20, cost="expensive") as study:
            study.change(budget=30, cost=PRICES)
        again = study_of(storage=tmp_path / "a.db", budget=20, cost="expensive")
        assert (again.budget, again.plan.cost) == (cm.Budget(30), PRICES)


class TestFunctions:
    """A Python function as a cost is not stored, because opening a study runs no code of it."""

    @pytest.fixture
    def stored(self, tmp_path: Path) -> Path:
        paid(study_of(storage=tmp_path / "a.db", cost=price, budget=EUROS), 5).close()
        return tmp_path / "a.db"

    def test_without_it_a_study_can_be_read(self, stored: Path) -> None:
        study = cm.Study.load(stored)
        assert len(study.trials) == 5
        assert study.front()
        assert study.hypervolume() > 0.0
        assert study.spent() == pytest.approx(sum(trial.cost or 0.0 for trial in study.trials))
        assert study.plan.cost == AbsentFunction("price")
        assert "5 complete" in repr(study)
        study.add({"expensive": 0.5, "cheap": 0.5}, GOOD, cost=7.5)
        study.amend(0, cost=9.0, reason="invoice")

    def test_without_it_asking_says_how_to_give_it(self, stored: Path) -> None:
        study = cm.Study.load(stored)
        with pytest.raises(cm.InvalidOptionError, match=r"'price', which is not stored.*Study\.load\(…, cost=price\)"):
            study.ask()
        assert len(study.log()) == 10

    @pytest.mark.parametrize("cost", [price, cm.Formula(price)], ids=["function", "formula"])
    def test_with_it_the_study_goes_on_as_if_never_closed(self, stored: Path, cost: Any) -> None:
        never_closed = paid(study_of(cost=price, budget=EUROS), 5)
        study = cm.Study.load(stored, cost=cost)
        assert study.plan.cost == cm.Formula(price)
        assert study.ask() == never_closed.ask()
        assert study.explain(5).cost == never_closed.explain(5).cost
        assert study.log()[-1].kind == "asked", "giving it again is no change"

    def test_created_again_with_it_the_study_goes_on(self, stored: Path) -> None:
        again = study_of(storage=stored, cost=price, budget=EUROS)
        assert again.ask().number == 5
        drawn = cm.Study(PLANE, dict(again.objectives), cost=price, budget=EUROS, storage=stored)
        assert drawn.seed == again.seed
        assert drawn.ask().number == 6

    def test_it_may_have_another_name_by_now(self, stored: Path) -> None:
        study = cm.Study.load(stored, cost=lambda params: price(params))
        assert study.ask().params == paid(study_of(cost=price, budget=EUROS), 5).ask().params

    def test_explanations_need_it_too(self, stored: Path) -> None:
        with pytest.raises(cm.InvalidOptionError, match="not stored"):
            cm.Study.load(stored).explain(4)
        assert cm.Study.load(stored, cost=price).explain(4).without_cost is not None

    @pytest.mark.parametrize("cost", ["expensive", cm.Formula("1 + cheap"), PRICES, cm.LearnedCost()], ids=label)
    def test_anything_but_a_function_is_refused_because_it_would_be_a_change(self, stored: Path, cost: Any) -> None:
        with pytest.raises(cm.InvalidOptionError, match=r"need the Python function.*study\.change\(cost=…\)"):
            cm.Study.load(stored, cost=cost)

    def test_one_that_is_no_cost_here_is_refused(self, stored: Path) -> None:
        with pytest.raises(cm.InvalidOptionError, match="need a finite number above 0 everywhere"):
            cm.Study.load(stored, cost=lambda params: -1.0)

    def test_for_a_study_without_one_it_is_refused(self, tmp_path: Path) -> None:
        study_of(storage=tmp_path / "b.db", cost="expensive > cheap").close()
        with pytest.raises(cm.InvalidOptionError, match=r"which was expensive > cheap\. To change the cost use"):
            cm.Study.load(tmp_path / "b.db", cost=price)

    @pytest.mark.parametrize("cost", [PRICES, None, "cheap", doubled], ids=label)
    def test_a_change_replaces_it(self, stored: Path, cost: Any) -> None:
        study = cm.Study.load(stored)
        study.change(cost=cost)
        asked = study.ask()
        (event,) = [event for event in study.log() if event.kind == "set"]
        assert dict((event.old or {})["cost"]) == {"type": "function", "name": "price"}
        again = cm.Study.load(stored, cost=doubled if cost is doubled else None)
        again.release(asked)
        assert again.ask().params == asked.params
        assert again.plan == study.plan

    def test_a_change_of_something_else_leaves_it_to_be_given_later(self, stored: Path) -> None:
        cm.Study.load(stored).change(budget=cm.Budget(cost=200.0, unit="EUR"))
        study = cm.Study.load(stored, cost=price)
        assert study.budget == cm.Budget(cost=200.0, unit="EUR")
        assert study.ask().number == 5

    def test_given_with_a_change_under_its_name_it_is_given_again_and_nothing_recorded(self, stored: Path) -> None:
        study = cm.Study.load(stored)
        study.change(cost=price)
        assert [event.kind for event in study.log()].count("set") == 0
        assert study.ask().number == 5

    def test_another_function_of_the_same_name_is_a_change(self) -> None:
        study = study_of(cost=lambda params: price(params))
        other = lambda params: 100.0 * price(params)  # noqa: E731
        study.change(cost=other)
        study.change(cost=other)
        assert [event.kind for event in study.log()] == ["set"]
        trial = study.ask()
        assert trial.expected == pytest.approx(100.0 * price(trial.params))

    def test_another_process_does_not_take_its_own_function_for_the_new_one(self) -> None:
        store = MemoryStore()
        one, other = study_of(storage=store, cost=price), study_of(storage=store, cost=price)
        one.change(cost=doubled)
        assert one.ask().number == 0
        with pytest.raises(cm.InvalidOptionError, match=r"cost=doubled"):
            other.ask()
        one.change(cost=price)
        assert other.ask().number == 1

    def test_a_larger_change_that_fails_takes_it_back(self) -> None:
        study = study_of(cost="expensive")

        def fails() -> None:
            with study.together():
                study.change(cost=price)
                study.ask()
                raise ValueError("no")

        with pytest.raises(ValueError, match="no"):
            fails()
        assert study.plan.cost == cm.OrderCost("expensive")
        assert study.trials == ()

    def test_where_a_function_breaks_later_nothing_new_is_tried_and_nothing_crashes(self) -> None:
        broken, known = list[bool](), set[float]()

        def fickle(params: Mapping[str, Any]) -> float:
            if broken and params["expensive"] > 0.5:
                raise OSError("no prices today")
            known.add(params["expensive"])
            return price(params)

        space = cm.Space({"expensive": cm.Real(0, 1), "cheap": cm.Real(0, 1)})
        study = paid(cm.Study(space, {"strength": "max", "corrosion": "min"}, cost=fickle, seed=1), 5)
        broken.append(True)
        assert all(trial.params["expensive"] in known for trial in study.ask(6))


class TestDisagreement:
    def test_receipts_that_contradict_the_order_are_told_of_once(self, caplog: pytest.LogCaptureFixture) -> None:
        study = study_of(cost="expensive > cheap", budget=60)
        paid(study, 30, lambda params: 1.0 + 9.0 * float(params["cheap"]) + float(params["expensive"]))
        said = [record.message for record in caplog.records if "receipts" in record.message]
        assert len(said) == 1
        assert re.search("cheap costs more than expensive.*check the order", said[0])

    def test_receipts_that_agree_are_not(self, caplog: pytest.LogCaptureFixture) -> None:
        paid(study_of(cost="expensive > cheap", budget=60), 30)
        assert not caplog.records
