from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import optuna
import pytest
from optuna.distributions import BaseDistribution, CategoricalDistribution, FloatDistribution, IntDistribution
from optuna.trial import TrialState, create_trial

from camobo.cost.budget import Budget
from camobo.cost.formula import Formula
from camobo.cost.prices import Prices
from camobo.cost.receipts import LearnedCost
from camobo.errors import InvalidOptionError, InvalidOrderError, InvalidSpaceError, UnknownTrialError
from camobo.history.trial import State
from camobo.insight.record import ForeignRecord
from camobo.optuna import CostAwareSampler, record
from camobo.report import report
from camobo.space.inputs import Categorical, Integer, Real
from tests.support.optuna_studies import TWO, UNIT, bumps, ended, study_of, took, trial_with
from tests.support.strategies import label

pytestmark = pytest.mark.usefixtures("quiet_optuna")


def one_trial() -> optuna.Study:
    study = optuna.create_study()
    study.add_trial(ended(0.3, 0.2, TrialState.COMPLETE))
    return study


def with_choices(*choices: Any) -> optuna.Study:
    """A study with one trial per choice."""
    study, given = optuna.create_study(), CategoricalDistribution(list(choices))
    for choice in choices:
        study.add_trial(create_trial(params={"x": choice}, distributions={"x": given}, value=1.0))
    return study


class TestTrials:
    def test_a_study_is_read_as_frozen_records(self) -> None:
        study = study_of(
            CostAwareSampler("expensive", seed=0, constraints_func=lambda t: [t.params["expensive"] - 0.5]), TWO
        )
        study.optimize(bumps, n_trials=4)
        with pytest.warns(optuna.exceptions.ExperimentalWarning):
            study.set_metric_names(["loss", "score"])
        study.enqueue_trial({"expensive": 0.9, "cheap": 0.1})
        study.optimize(bumps, n_trials=1)
        study.ask({"expensive": UNIT, "cheap": UNIT})
        found = record(study, cost="expensive > cheap", budget=20)
        assert dict(found.plan.objectives) == {"loss": "min", "score": "max"}
        assert found.plan.space.names == ("cheap", "expensive")
        assert str(found.plan.cost) == "expensive > cheap"
        assert found.plan.budget == Budget(trials=20)
        assert [trial.number for trial in found.trials] == list(range(6))
        assert found.trials[0].params == study.trials[0].params
        assert found.trials[4].state is State.FAILED
        assert found.trials[4].reason == "infeasible: constraint 0 is violated"
        assert found.trials[5].state is State.PENDING
        complete = [trial for trial in found.trials if trial.state is State.COMPLETE]
        assert all(trial.values and list(trial.values) == ["loss", "score"] for trial in complete)

    def test_what_is_no_result_says_why(self) -> None:
        study = optuna.create_study()
        study.add_trial(ended(0.1, 0.2, TrialState.PRUNED))
        study.add_trial(ended(0.1, math.inf, TrialState.COMPLETE))
        study.add_trial(ended(0.3, 0.2, TrialState.COMPLETE))
        study.add_trial(trial_with({}, state=TrialState.FAIL))  # it failed before its parameters: left out
        study.add_trial(trial_with({"x": 0.2}, state=TrialState.FAIL))
        study.add_trial(trial_with({"x": 0.2}, state=TrialState.FAIL, system_attrs={"fail_reason": "out of memory"}))
        study.add_trial(trial_with({"x": 0.2}, system_attrs={"constraints": ["a", 1.0]}))
        trial = study.ask({"x": UNIT})
        trial.report(0.5, 3)
        study.tell(trial, state=TrialState.PRUNED)
        found = record(study).trials
        assert [trial.number for trial in found] == [0, 1, 2, 4, 5, 6, 7]
        assert [trial.reason for trial in found] == [
            "pruned",
            "a value is not finite: inf",
            None,
            "failed",
            "out of memory",
            "constraint 0 is not a number",
            "pruned at step 3",
        ]

    def test_trials_that_are_left_out_are_listed_with_the_reason(self) -> None:
        study = optuna.create_study()
        study.add_trial(trial_with({}, state=TrialState.FAIL))
        study.enqueue_trial({"x": 1.5})
        with pytest.warns(UserWarning, match="out of range"):
            study.optimize(lambda trial: trial.suggest_float("x", 0, 1), n_trials=1)
        study.optimize(lambda trial: trial.suggest_float("x", 0, 1), n_trials=3)
        study.add_trial(create_trial(state=TrialState.PRUNED))
        study.ask()
        found = record(study)
        assert isinstance(found, ForeignRecord)
        assert [trial.number for trial in found.trials] == [2, 3, 4]
        assert found.left_out == {
            0: "ended before all parameters were suggested",
            1: "a parameter is outside the study's range for it",
            5: "ended before all parameters were suggested",
            6: "lacks some parameters so far",
        }

    def test_choices_that_equal_each_other_are_told_apart(self) -> None:
        found = record(with_choices(1, True, None, "oil", math.nan))
        assert [trial.params["x"] for trial in found.trials] == [1, True, None, "oil", "nan"]

    def test_choices_that_would_read_the_same_are_shown_as_they_are_written(self) -> None:
        found = record(with_choices("1", 1, "oil"), cost="x", expensive={"x": ["1", 1]})
        assert [trial.params["x"] for trial in found.trials] == ["'1'", "1", "'oil'"]
        assert found.plan.space.inputs["x"] == Categorical(["'1'", "1", "'oil'"], expensive=["'1'", "1"])


class TestParameters:
    @pytest.mark.parametrize(
        ("given", "value", "expected"),
        [
            (FloatDistribution(0, 1, step=0.25), 0.5, Real(0.0, 1.0, expensive="low")),
            (FloatDistribution(1e-5, 1, log=True), 0.5, Real(1e-5, 1.0, log=True, expensive="low")),
            (IntDistribution(4, 20, step=4), 8, Integer(4, 20, expensive="low")),
            (IntDistribution(0, 2**50), 8, Real(0.0, 2.0**50, expensive="low")),
        ],
        ids=label,
    )
    def test_numbers_are_shown_by_their_range_without_steps(
        self, given: BaseDistribution, value: Any, expected: Any
    ) -> None:
        study = optuna.create_study()
        study.add_trial(trial_with({"x": value}, {"x": given}))
        found = record(study, expensive={"x": "low"})
        assert found.plan.space.inputs["x"] == expected
        assert found.trials[0].params["x"] == value

    def test_an_order_may_name_a_parameter_that_only_some_trials_have(self) -> None:
        study = optuna.create_study()
        study.add_trials([trial_with({"x": 0.5}), trial_with({"x": 0.5, "rare": 0.5})])
        assert str(record(study, cost="rare > x").plan.cost) == "x"
        with pytest.raises(
            InvalidOrderError,
            match=r"no trial has a parameter 'rear'\. Did you mean 'rare'\? The parameters are rare, x\.",
        ):
            record(study, cost="rear > x")

    def test_names_that_not_every_trial_has_are_remarked_on(self) -> None:
        study = optuna.create_study()
        study.add_trials([trial_with({"x": 0.5, name: 0.5}) for name in ("n", "C")])
        found = record(study, cost="n > C", expensive={"n": "low"})
        assert isinstance(found, ForeignRecord)
        assert found.plan.cost is None
        shown = "Only parameters that every complete trial has, with the same range and more than one value, are shown."
        assert found.remarks == (f"cost: n, C left out. {shown}", f"expensive: n left out. {shown}")

    def test_an_expensive_end_of_a_parameter_no_trial_has_is_refused(self) -> None:
        with pytest.raises(
            InvalidOptionError, match=r"expensive: no trial has a parameter 'zz'\. The parameters are x\."
        ):
            record(one_trial(), expensive={"zz": "low"})

    @pytest.mark.parametrize("wrong", [np.array(["high", "low"]), "left"], ids=["array", "word"])
    def test_an_invalid_expensive_end_is_refused(self, wrong: Any) -> None:
        with pytest.raises((InvalidSpaceError, InvalidOptionError), match=r"'x'.*(array|left)"):
            record(one_trial(), expensive={"x": wrong})

    def test_an_order_of_parameters_it_does_not_have_is_refused(self) -> None:
        with pytest.raises(InvalidOrderError, match="cost: no trial has a parameter 'nickel'"):
            record(one_trial(), cost="nickel")

    def test_a_study_without_a_shared_parameter_says_so(self) -> None:
        with pytest.raises(InvalidSpaceError, match=r"need a parameter that every complete trial has.* in 0 trials"):
            record(optuna.create_study())
        fixed = optuna.create_study()
        fixed.optimize(lambda trial: trial.suggest_float("x", 1, 1), n_trials=2)
        with pytest.raises(InvalidSpaceError, match=r"got none \(x can have one value only\) in 2 trials"):
            record(fixed)


class TestCosts:
    def study(self) -> optuna.Study:
        """Trials that took 10, 20, … seconds, and say what they cost in money, but for the last."""
        study = optuna.create_study()
        for number, state in enumerate([TrialState.COMPLETE, TrialState.PRUNED, TrialState.FAIL]):
            trial = took(10.0 * (number + 1), {"x": 0.1 * number, "n": 0.5}, state=state)
            trial.user_attrs = {"euros": 1.5 * number} if number < 2 else {}
            study.add_trial(trial)
        return study

    def test_what_trials_cost_is_how_long_they_took_only_if_asked(self) -> None:
        found = record(self.study(), cost="duration", prior="x > n", budget="2h")
        assert [trial.cost for trial in found.trials] == [10.0, 20.0, 30.0]
        assert found.plan.cost == LearnedCost("x > n", of="seconds")
        assert found.plan.budget == Budget(cost=7200.0, unit="s")
        assert [trial.cost for trial in record(self.study(), cost="x").trials] == [None] * 3

    def test_what_trials_cost_is_a_user_attribute_and_those_without_are_remarked_on(self) -> None:
        found = record(self.study(), cost="attr:euros")
        assert [trial.cost for trial in found.trials] == [0.0, 1.5, None]
        assert isinstance(found, ForeignRecord)
        assert found.remarks == (
            "cost: 1 of 3 finished trials have no receipt, the first of them trial 2: it has no user attribute "
            "'euros'.",
        )

    def test_a_trial_that_was_added_took_no_time(self) -> None:
        found = record(one_trial(), cost="duration")
        assert [trial.cost for trial in found.trials] == [None]
        assert isinstance(found, ForeignRecord)
        assert found.remarks == ()

    @pytest.mark.parametrize(
        "cost",
        [Prices({"x": 4.0, "rare": 1.0}, per_trial=1), Formula("4*x + 1"), lambda params: 4.0 * params["x"] + 1.0],
        ids=["prices", "formula", "function"],
    )
    def test_prices_formulas_and_functions_cost_what_they_say(self, cost: Any) -> None:
        study = optuna.create_study()
        study.add_trials([trial_with({"x": x, **rare}) for x, rare in ((0.25, {}), (0.5, {"rare": 0.5}))])
        plan = record(study, cost=cost).plan
        assert plan.cost is not None
        assert np.exp(plan.cost.over(plan.space).log_cost(np.array([[0.25], [0.5]]))) == pytest.approx([2.0, 3.0])

    def test_a_formula_of_a_parameter_that_only_some_trials_have_is_left_out(self) -> None:
        study = optuna.create_study()
        study.add_trials([trial_with({"x": 0.5}), trial_with({"x": 0.5, "rare": 0.5})])
        for cost in (Formula("x + rare + 1"), lambda params: params["x"] + params["rare"]):
            found = record(study, cost=cost)
            assert isinstance(found, ForeignRecord)
            assert found.plan.cost is None
            assert "cost: it needs 'rare', so it is not shown." in found.remarks


class TestOptions:
    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"budget": -3}, "budget: need a whole number"),
            ({"budget": math.nan}, "budget: need a whole number"),
            ({"budget": True}, "budget: need a whole number"),
            ({"expensive": "low"}, "expensive: need a mapping"),
            ({"dear": {"x": "low"}}, "dear.*expensive"),
            ({"study": "sqlite:///x.db"}, r"record: need an Optuna study.*camobo\.optuna\.load"),
        ],
        ids=label,
    )
    def test_an_invalid_option_is_refused_by_name(self, options: Any, message: str) -> None:
        with pytest.raises(InvalidOptionError, match=message):
            record(**{"study": one_trial(), **options})

    def test_more_objectives_than_a_hypervolume_has_are_refused(self) -> None:
        study = optuna.create_study(directions=["minimize"] * 32)
        study.optimize(lambda trial: [trial.suggest_float("x", 0, 1)] * 32, n_trials=1)
        with pytest.raises(InvalidOptionError, match="at most 31, got 32"):
            record(study)


class TestReports:
    def test_the_page_says_what_is_left_out_and_why(self, tmp_path: Path) -> None:
        pytest.importorskip("plotly")
        study = optuna.create_study()
        study.add_trials([trial_with({"x": 0.5, name: 0.5}) for name in ("n", "C")])
        study.add_trials([trial_with({}, state=TrialState.FAIL), create_trial(state=TrialState.PRUNED)])
        study.ask()
        found = record(study, cost="n > C", expensive={"n": "low"}, budget=9)
        text = report(found, tmp_path / "x.html").read_text(encoding="utf-8")
        assert "2 trials (2, 3) left out of this report: ended before all parameters were suggested." in text
        assert "1 trial (4) left out of this report: lacks some parameters so far." in text
        assert "cost: n, C left out. Only parameters that every complete trial has" in text
        assert "expensive: n left out." in text
        assert "<dt>Budget</dt>" in text
        for name in ("Method", "Seed", "Models refitted"):  # settings of camobo's studies alone
            assert f"<dt>{name}</dt>" not in text
        with pytest.raises(UnknownTrialError, match=r"trial 4.*lacks some parameters so far"):
            report(found, tmp_path / "x.html", trial=4)
        with pytest.raises(UnknownTrialError, match="trial 7"):
            report(found, tmp_path / "x.html", trial=7)

    def test_a_file_with_a_null_character_in_its_name_is_refused(self, tmp_path: Path) -> None:
        with pytest.raises(InvalidOptionError, match=r"report: .*null character"):
            report(record(one_trial()), f"{tmp_path}/a\0b.html")

    def test_a_report_shows_the_order_and_the_trials(self, tmp_path: Path) -> None:
        pytest.importorskip("plotly")
        study = optuna.create_study(
            directions=["minimize", "maximize"], sampler=CostAwareSampler("expensive > cheap", seed=1)
        )
        study.optimize(bumps, n_trials=4)
        text = report(record(study, cost="expensive > cheap"), tmp_path / "forest.html").read_text()
        assert "expensive" in text
        assert "trial 3" in text
