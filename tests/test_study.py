from __future__ import annotations

import copy
import decimal
import logging
import math
import pickle
import statistics
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import camobo as cm
from camobo.inputs import Param
from camobo.problems import matyas_booth
from strategies import label, law

PLANE = cm.Space({"dear": cm.Real(0, 1), "cheap": cm.Real(0, 1)})
ALLOY = cm.Space(
    {
        "nickel": cm.Real(0, 20),
        "soak": cm.Integer(1, 12),
        "quench": cm.Categorical(["air", "oil", "water"]),
    }
)
BOTH = {"strength": "max", "corrosion": "min"}
NAN, INF = float("nan"), float("inf")


def study_of(space: cm.Space = PLANE, objectives: Any = BOTH, **options: Any) -> cm.Study:
    return cm.Study(space, objectives, **{"seed": 1, **options})


def measure(params: Mapping[str, Param]) -> dict[str, float]:
    """Strength wants much of the dear input, corrosion little; both want the cheap one near 0.3."""
    dear, cheap = params["dear"], params["cheap"]
    return {"strength": 5.0 * dear - (cheap - 0.3) ** 2, "corrosion": dear**2 + (cheap - 0.3) ** 2}


def alloy(params: Mapping[str, Param]) -> dict[str, float]:
    bonus = {"air": 0.0, "oil": 1.0, "water": 2.0}[params["quench"]]
    return {
        "strength": params["nickel"] + bonus + 0.1 * params["soak"],
        "corrosion": (params["nickel"] - 12.0) ** 2 / 50.0 + bonus,
    }


def told(
    study: cm.Study, count: int, function: Callable[[Mapping[str, Param]], dict[str, float]] = measure
) -> cm.Study:
    for _ in range(count):
        trial = study.ask()
        study.tell(trial, function(trial.params))
    return study


def params_of(study: cm.Study) -> list[dict[str, Param]]:
    return [dict(trial.params) for trial in study.trials]


BAD_VALUES: dict[str, tuple[Any, str]] = {
    "not a number": ({"strength": NAN, "corrosion": 1.0}, "'strength'.*nan.*study.fail"),
    "infinity": ({"strength": 1.0, "corrosion": INF}, "'corrosion'.*inf"),
    "minus infinity": ({"strength": 1.0, "corrosion": -INF}, "'corrosion'.*-inf"),
    "NumPy's not a number": ({"strength": np.float32(NAN), "corrosion": 1.0}, "'strength'.*nan"),
    "none": ({"strength": None, "corrosion": 1.0}, "'strength'.*None"),
    "text": ({"strength": "512", "corrosion": 1.0}, "'strength'.*'512'"),
    "a truth value": ({"strength": True, "corrosion": 1.0}, "'strength'.*True"),
    "NumPy's truth value": ({"strength": 1.0, "corrosion": np.True_}, "'corrosion'.*True"),
    "a complex number": ({"strength": 1j, "corrosion": 1.0}, "'strength'.*1j"),
    "a list": ({"strength": [1.0], "corrosion": 1.0}, r"'strength'.*\[1.0\]"),
    "an array": ({"strength": np.array([1.0, 2.0]), "corrosion": 1.0}, "'strength'.*array"),
    "a whole number too large for a float": ({"strength": 10**400, "corrosion": 1.0}, "'strength'.*finite"),
    "nothing": ({}, "(no value for 'strength'|at least one, got none).*strength, corrosion"),
    "an unknown objective": ({"strength": 1.0, "corrosion": 1.0, "gloss": 1.0}, "no objective called 'gloss'"),
    "no names": ([1.0, 2.0], r"strength, corrosion.*\[1.0, 2.0\]"),
    "a bare number": (3.0, "strength, corrosion.*3.0"),
    "None instead of values": (None, "strength, corrosion.*None"),
}
MISSING = {"a missing objective": ({"strength": 1.0}, "no value for 'corrosion'.*strength, corrosion")}
BAD_PARAMS: dict[str, tuple[Any, str]] = {
    "above its range": ({"dear": 1.5, "cheap": 0.5}, "'dear'.*0 to 1.*1.5"),
    "below its range": ({"dear": 0.5, "cheap": -0.1}, "'cheap'.*-0.1"),
    "not a number": ({"dear": NAN, "cheap": 0.5}, "'dear'.*nan"),
    "text": ({"dear": "0.5", "cheap": 0.5}, "'dear'.*'0.5'"),
    "a truth value": ({"dear": True, "cheap": 0.5}, "'dear'.*True"),
    "missing": ({"dear": 0.5}, "no value for 'cheap'"),
    "unknown": ({"dear": 0.5, "cheap": 0.5, "lead": 1.0}, "no input called 'lead'"),
    "no names": ([0.5, 0.5], r"\[0.5, 0.5\]"),
}
GOOD = {"strength": 1.0, "corrosion": 1.0}


class TestRefusing:
    """After each refusal everything is as it was, and the study goes on as if nothing had been said."""

    def refuses(
        self, call: Callable[[cm.Study], object], error: type[Exception], match: str, *, ready: cm.Study | None = None
    ) -> None:
        study = told(study_of(cost="dear > cheap"), 4) if ready is None else ready
        pending = study.ask()
        before, front, volume = study.trials, study.front(), study.hypervolume()
        with pytest.raises(error, match=f"(?s){match}") as caught:
            call(study)
        assert isinstance(caught.value, cm.CamoboError)
        assert study.trials == before
        assert study.front() == front
        assert study.hypervolume() == volume
        undisturbed = told(study_of(cost="dear > cheap"), 4)
        undisturbed.ask()
        for one in (study, undisturbed):
            one.tell(pending.number, GOOD)
        assert study.ask() == undisturbed.ask()

    @pytest.mark.parametrize(("values", "match"), BAD_VALUES.values(), ids=BAD_VALUES.keys())
    def test_values_that_cannot_be_used_in_tell(self, values: Any, match: str) -> None:
        self.refuses(lambda study: study.tell(4, values), cm.InvalidValueError, match)

    @pytest.mark.parametrize(
        ("values", "match"), (BAD_VALUES | MISSING).values(), ids=[*BAD_VALUES.keys(), *MISSING.keys()]
    )
    def test_values_that_cannot_be_used_in_add(self, values: Any, match: str) -> None:
        self.refuses(lambda study: study.add({"dear": 0.5, "cheap": 0.5}, values), cm.InvalidValueError, match)

    @pytest.mark.parametrize(("params", "match"), BAD_PARAMS.values(), ids=BAD_PARAMS.keys())
    def test_params_that_cannot_be_used_in_add(self, params: Any, match: str) -> None:
        self.refuses(lambda study: study.add(params, GOOD), cm.InvalidValueError, match)

    @pytest.mark.parametrize("number", [5, -1, 99, True, 1.0, "1", None], ids=label)
    @pytest.mark.parametrize(
        "call",
        [
            lambda study, number: study.tell(number, GOOD),
            lambda study, number: study.fail(number, "broke"),
            lambda study, number: study.explain(number),
            lambda study, number: study.amend(number, GOOD, "scale was off"),
            lambda study, number: study.release(number),
            lambda study, number: study.renew(number, "1h"),
        ],
        ids=["tell", "fail", "explain", "amend", "release", "renew"],
    )
    def test_a_trial_it_does_not_have(self, call: Callable[[cm.Study, Any], object], number: Any) -> None:
        self.refuses(lambda study: call(study, number), cm.UnknownTrialError, f"trial.*{number}")

    def test_a_second_tell(self) -> None:
        self.refuses(
            lambda study: study.tell(2, GOOD),
            cm.TrialStateError,
            "trial 2 is complete.*be told.*study.amend",
        )

    def test_failing_what_was_told(self) -> None:
        self.refuses(
            lambda study: study.fail(2, "broke"),
            cm.TrialStateError,
            "trial 2 is complete.*be failed.*study.amend",
        )

    @pytest.mark.parametrize("reason", [None, 3, b"broke"])
    def test_a_reason_that_is_no_text(self, reason: Any) -> None:
        self.refuses(lambda study: study.fail(4, reason), cm.InvalidValueError, "reason: need text")

    def test_a_tell_after_a_fail_and_a_second_fail(self) -> None:
        study = study_of()
        trial = study.ask()
        study.fail(trial, "the furnace broke")
        before = study.trials
        with pytest.raises(cm.TrialStateError, match=r"trial 0 is failed already.*the furnace broke"):
            study.tell(trial, GOOD)
        with pytest.raises(cm.TrialStateError, match="trial 0 is failed already"):
            study.fail(trial, "again")
        assert study.trials == before

    def test_a_trial_of_another_study(self) -> None:
        other = study_of(seed=2)
        stranger = [other.ask() for _ in range(5)][4]
        self.refuses(lambda study: study.tell(stranger, GOOD), cm.UnknownTrialError, "trial 4.*another study")

    @pytest.mark.parametrize("n", [0, -1, 1.5, "3", True, NAN, np.float64(2.0)], ids=label)
    def test_a_count_of_trials_that_is_none(self, n: Any) -> None:
        self.refuses(lambda study: study.ask(n), cm.InvalidOptionError, "^n: need a whole number")
        self.refuses(lambda study: study.optimize(measure, n), cm.InvalidOptionError, "^n_trials: need a whole number")

    @pytest.mark.parametrize("n", [1001, 10**9])
    def test_more_trials_at_once_than_can_be_worked_out(self, n: int) -> None:
        self.refuses(lambda study: study.ask(n), cm.InvalidOptionError, "^n: need a whole number from 1 to 1000")

    def test_what_cannot_be_called_in_optimize(self) -> None:
        self.refuses(lambda study: study.optimize(3, 5), cm.InvalidOptionError, "optimize.*3")  # type: ignore[arg-type]

    @pytest.mark.parametrize(
        "reference", [{"strength": 1.0}, {"strength": NAN, "corrosion": 0.0}, 3.0, "worst"], ids=label
    )
    def test_a_reference_that_cannot_be_used_in_hypervolume(self, reference: Any) -> None:
        self.refuses(lambda study: study.hypervolume(reference), cm.InvalidValueError, "reference")
        with pytest.raises(cm.InvalidValueError, match="reference"):
            study_of().hypervolume(reference)


BAD_OPTIONS: dict[str, tuple[dict[str, Any], type[Exception], str]] = {
    "a negative seed": ({"seed": -1}, cm.InvalidOptionError, "^seed.*-1"),
    "half a seed": ({"seed": 0.5}, cm.InvalidOptionError, "^seed.*0.5"),
    "a text for a seed": ({"seed": "7"}, cm.InvalidOptionError, "^seed.*'7'"),
    "a truth value for a seed": ({"seed": True}, cm.InvalidOptionError, "^seed.*True"),
    "no budget at all": ({"budget": 0}, cm.InvalidOptionError, "^budget.*0"),
    "half a budget": ({"budget": 10.5}, cm.InvalidOptionError, "^budget.*10.5"),
    "an endless budget": ({"budget": INF}, cm.InvalidOptionError, "^budget.*inf"),
    "a text for a budget": ({"budget": "60"}, cm.InvalidOptionError, "^budget.*'60'"),
    "an unknown method": ({"method": "random"}, cm.InvalidOptionError, "^method.*'default'.*'paper'.*'random'"),
    "no method": ({"method": None}, cm.InvalidOptionError, "^method.*None"),
    "an unknown beta": ({"beta": "large"}, cm.InvalidOptionError, "^beta.*'practical'.*'theory'.*'large'"),
    "refits every zero": ({"refit_every": 0}, cm.InvalidOptionError, "^refit_every.*0"),
    "refits every half": ({"refit_every": 0.5}, cm.InvalidOptionError, "^refit_every.*0.5"),
    "a reference that is no number": (
        {"reference": {"strength": NAN, "corrosion": 0.0}},
        cm.InvalidValueError,
        "reference.*'strength'.*nan",
    ),
    "a reference without one objective": (
        {"reference": {"strength": 1.0}},
        cm.InvalidValueError,
        "reference.*'corrosion'",
    ),
    "a reference for an unknown objective": (
        {"reference": {"strength": 1.0, "corrosion": 1.0, "gloss": 1.0}},
        cm.InvalidValueError,
        "reference.*'gloss'",
    ),
    "a bare number for a reference": ({"reference": 3.0}, cm.InvalidValueError, "reference.*3.0"),
    "a number for a storage": ({"storage": 3}, cm.InvalidOptionError, "^storage.*3"),
    "a blank storage": ({"storage": " "}, cm.InvalidOptionError, "^storage.*' '"),
    "a database of another kind": ({"storage": "mysql://host/db"}, cm.InvalidOptionError, "^storage.*mysql"),
    "a URL that is none": ({"storage": "://"}, cm.InvalidOptionError, "^storage.*URL"),
    "prices": ({"cost": {"dear": 3.0}}, cm.InvalidOptionError, "^cost.*'dear'"),
    "a cost function": ({"cost": len}, cm.InvalidOptionError, "^cost.*len"),
    "a number for a cost": ({"cost": 3}, cm.InvalidOrderError, "^cost.*3"),
    "an order of unknown inputs": ({"cost": "dear > lead"}, cm.InvalidOrderError, "'lead' is not an input"),
    "an order that contradicts itself": ({"cost": "dear > cheap > dear"}, cm.InvalidOrderError, "cannot be dearer"),
    "no objectives": ({"objectives": {}}, cm.InvalidOptionError, "^objectives.*{}"),
    "a list of objectives": ({"objectives": ["strength"]}, cm.InvalidOptionError, "^objectives.*strength"),
    "an objective without a goal": ({"objectives": {"strength": "up"}}, cm.InvalidOptionError, "'strength'.*'up'"),
    "an objective without a name": ({"objectives": {" ": "min"}}, cm.InvalidOptionError, "^objectives.*' '"),
    "an array for a method": ({"method": np.array(["default", "paper"])}, cm.InvalidOptionError, "^method.*array"),
    "an array for a method of a cost": (
        {"method": np.array(["default", "paper"]), "cost": "dear"},
        cm.InvalidOptionError,
        "^method.*array",
    ),
    "an array for a beta": ({"beta": np.array(["theory", "theory"])}, cm.InvalidOptionError, "^beta.*array"),
    "an array for a goal": (
        {"objectives": {"strength": np.array(["min", "max"])}},
        cm.InvalidOptionError,
        "^objectives: 'strength'.*array",
    ),
    "a cost model's class": (
        {"cost": cm.AdditiveCost},
        cm.InvalidOptionError,
        r"^cost.*the class AdditiveCost itself.*AdditiveCost\(\"nickel > chromium\"\)",
    ),
    "too many objectives": (
        {"objectives": {f"y{m}": "min" for m in range(32)}},
        cm.InvalidOptionError,
        "^objectives: need at most 31, got 32.*Leave some out",
    ),
    "no space": ({"space": {"dear": cm.Real(0, 1)}}, cm.InvalidOptionError, "^space.*Real"),
}


class TestOptions:
    @pytest.mark.parametrize(("options", "error", "match"), BAD_OPTIONS.values(), ids=BAD_OPTIONS.keys())
    def test_an_option_that_cannot_be_used_is_refused_by_name(
        self, options: dict[str, Any], error: type[Exception], match: str
    ) -> None:
        with pytest.raises(error, match=f"(?s){match}"):
            study_of(**options)

    def test_numbers_of_numpy_are_as_good_as_pythons(self) -> None:
        study = study_of(seed=np.int64(7), budget=np.int32(9), reference={"strength": np.float32(0), "corrosion": 1})
        assert (study.seed, study.budget) == (7, 9)

    def test_a_seed_is_drawn_and_kept_if_none_is_given(self) -> None:
        one, other = cm.Study(PLANE, {"y": "min"}), cm.Study(PLANE, {"y": "min"})
        assert one.seed != other.seed
        assert one.ask().params == cm.Study(PLANE, {"y": "min"}, seed=one.seed).ask().params

    def test_what_it_is_about_can_be_read_and_changing_the_copy_changes_nothing(self) -> None:
        study = study_of(budget=20)
        study.objectives["strength"] = "min"
        assert study.objectives == BOTH
        assert study.space is PLANE
        assert study.budget == 20


class TestTelling:
    @law
    @given(st.floats(allow_nan=False, allow_infinity=False) | st.integers(-(10**300), 10**300) | st.fractions())
    def test_every_finite_number_is_kept_as_a_float(self, value: float | Fraction) -> None:
        study = study_of(objectives={"y": "max"})
        kept = study.tell(study.ask(), {"y": value})  # type: ignore[dict-item]
        assert kept.values == {"y": float(value)}
        assert type(kept.values["y"]) is float

    def test_numbers_of_numpy_become_floats_and_a_decimal_is_refused(self) -> None:
        study = study_of()
        values: Any = {"corrosion": np.float32(0.5), "strength": np.int64(3)}
        kept = study.tell(study.ask(), values)
        assert kept.values == {"strength": 3.0, "corrosion": 0.5}
        assert list(kept.values or {}) == ["strength", "corrosion"]
        with pytest.raises(cm.InvalidValueError, match="Decimal"):
            study.tell(study.ask(), {"strength": decimal.Decimal(3), "corrosion": 1.0})  # type: ignore[dict-item]

    def test_a_trial_can_be_named_by_its_number_or_itself_and_moves_through_its_states(self) -> None:
        study = study_of()
        first, second = study.ask(2)
        assert [first.state, first.values, first.told] == [cm.State.PENDING, None, None]
        assert study.tell(first, GOOD).state is cm.State.COMPLETE
        failed = study.fail(np.int64(second.number), "broke")  # type: ignore[arg-type]
        assert failed.state is cm.State.FAILED
        assert failed.reason == "broke"
        assert [trial.state for trial in study.trials] == [cm.State.COMPLETE, cm.State.FAILED]
        assert first.state is cm.State.PENDING

    def test_results_that_come_in_any_order_lead_to_the_same_next_trial(self) -> None:
        suggestions = []
        for order in ([0, 1, 2, 3, 4], [4, 2, 0, 3, 1]):
            study = study_of(cost="dear > cheap", budget=20)
            trials = study.ask(5)
            for i in order:
                study.tell(trials[i], measure(trials[i].params))
            suggestions.append(study.ask().params)
        assert suggestions[0] == suggestions[1]

    def test_asking_between_results_that_come_late_does_not_change_what_follows_from_the_same_knowledge(self) -> None:
        study = study_of(budget=20)
        trials = study.ask(8)
        for i in (7, 3, 5):
            study.tell(trials[i], measure(trials[i].params))
        again = study_of(budget=20)
        for trial in again.ask(8):
            if trial.number in (3, 5, 7):
                again.tell(trial, measure(trial.params))
        assert study.ask().params == again.ask().params

    def test_every_suggestion_is_a_whole_step_and_a_small_grid_is_used_up(self) -> None:
        steps = cm.Space({"dear": cm.Real(0, 0.3, step=0.1), "cheap": cm.Real(-1, 1, step=0.5)})
        study = study_of(steps, cost="dear > cheap")
        study.add({"dear": 0.15, "cheap": 0.0}, {"strength": 1.0, "corrosion": 1.0})  # between steps: takes up none
        study.optimize(measure, 20)
        tried = {(trial.params["dear"], trial.params["cheap"]) for trial in study.trials if not trial.added}
        assert tried == {(dear, cheap) for dear in (0.0, 0.1, 0.2, 0.3) for cheap in (-1.0, -0.5, 0.0, 0.5, 1.0)}
        with pytest.raises(cm.SpaceExhausted):
            study.ask()

    def test_four_trials_at_once_are_numbered_and_lie_apart(self) -> None:
        nearest = []
        for seed in range(8):
            study = told(study_of(cost="dear > cheap", seed=seed), 8)
            four = study.ask(4)
            assert [trial.number for trial in four] == [8, 9, 10, 11]
            assert [trial.state for trial in study.trials[8:]] == [cm.State.PENDING] * 4
            points = np.array([[trial.params["dear"], trial.params["cheap"]] for trial in four])
            nearest.append(np.linalg.norm(points[:, None] - points[None, :], axis=2)[np.triu_indices(4, 1)].min())
        assert min(nearest) > 0.01
        assert np.median(nearest) > 0.03

    def test_params_asked_for_are_inside_the_space_and_of_its_types(self) -> None:
        for trial in told(study_of(ALLOY), 10, alloy).trials:
            assert ALLOY.check(trial.params) == trial.params
            assert [type(value) for value in trial.params.values()] == [float, int, str]


class TestAdding:
    def test_it_informs_the_models_and_takes_nothing_of_the_budget(self) -> None:
        study = study_of(cost="dear > cheap", budget=10)
        for i in range(6):
            params = {"dear": i / 10, "cheap": 0.3}
            added = study.add(params, measure(params))
            assert added.added
            assert added.state is cm.State.COMPLETE
        trial = study.ask()
        assert (trial.number, trial.step) == (6, 1)
        assert trial.notes != ("initial design",)
        assert study.tell(trial, GOOD).step == 1
        assert study.ask().step == 2

    def test_params_are_kept_in_the_spaces_order_and_types(self) -> None:
        study = study_of(ALLOY)
        added = study.add({"quench": "oil", "soak": 3.0, "nickel": 5}, GOOD)
        assert list(added.params.items()) == [("nickel", 5.0), ("soak", 3), ("quench", "oil")]
        assert isinstance(added.params["nickel"], float)
        assert isinstance(added.params["soak"], int)

    def test_the_same_point_measured_many_times_is_no_trouble(self) -> None:
        study = study_of(cost="dear > cheap")
        for i in range(8):
            study.add({"dear": 0.5, "cheap": 0.5}, {"strength": 1.0 + 0.01 * (-1) ** i, "corrosion": 1.0})
        assert PLANE.check(told(study, 3).trials[-1].params)

    def test_a_dict_changed_after_it_was_given_changes_nothing(self) -> None:
        study = study_of()
        params, values = {"dear": 0.1, "cheap": 0.2}, {"strength": 1.0, "corrosion": 2.0}
        study.add(params, values)
        params["dear"], values["strength"] = 0.9, 9.0
        assert study.trials[0].params == {"dear": 0.1, "cheap": 0.2}
        assert study.trials[0].values == {"strength": 1.0, "corrosion": 2.0}


class TestOptimize:
    def test_it_asks_evaluates_and_tells(self) -> None:
        study = study_of().optimize(measure, 6)
        assert [trial.state for trial in study.trials] == [cm.State.COMPLETE] * 6
        assert [trial.values for trial in study.trials] == [measure(trial.params) for trial in study.trials]

    def test_it_does_what_asking_and_telling_with_that_budget_would(self) -> None:
        by_hand = told(study_of(cost="dear > cheap", budget=8), 8)
        assert params_of(study_of(cost="dear > cheap").optimize(measure, 8)) == params_of(by_hand)

    def test_without_a_budget_its_trials_are_the_plan_and_a_budget_given_stays(self) -> None:
        study = told(study_of(), 2)
        study.add({"dear": 0.1, "cheap": 0.1}, GOOD)
        assert study.budget is None
        assert study.optimize(measure, 3).budget == 5
        assert [trial.budget for trial in study.trials] == [None, None, None, 5, 5, 5]
        given = study_of(budget=3).optimize(measure, 2).optimize(measure, 3)
        assert [given.budget, len(given.trials)] == [3, 5]

    @pytest.mark.parametrize("stored", [False, True])
    def test_a_plan_it_implied_is_extended_by_the_next_call(self, stored: bool, tmp_path: Path) -> None:
        place = tmp_path / "a.db" if stored else None
        study = study_of(cost="dear > cheap", storage=place).optimize(measure, 5)
        study = cm.Study.load(place) if stored else study
        study.optimize(measure, 4)
        assert [trial.budget for trial in study.trials] == [5] * 5 + [9] * 4
        assert any((study.explain(number).cost or 0.0) > 0.01 for number in range(5, 9))
        assert [dict(event.new) for event in study.log() if event.kind == "planned"] == [{"budget": 5}, {"budget": 9}]

    def test_a_plan_it_did_not_get_to_the_end_of_is_not_counted_twice(self) -> None:
        study = study_of()

        def stop(params: Mapping[str, Param]) -> dict[str, float]:
            if len(study.trials) == 3:
                raise KeyboardInterrupt
            return measure(params)

        with pytest.raises(KeyboardInterrupt):
            study.optimize(stop, 8)
        assert study.optimize(measure, 2).budget == 8
        assert study.optimize(measure, 6).budget == 10

    def test_a_measurement_that_goes_wrong_is_a_failed_trial_and_a_warning_and_the_loop_goes_on(
        self, caplog: pytest.LogCaptureFixture
    ) -> None:
        outcomes: list[Callable[[], Any]] = [
            lambda: {"strength": NAN, "corrosion": 1.0},
            lambda: 1 / 0,
            lambda: {"strength": 1.0},
            lambda: None,
            lambda: {"strength": 1.0, "corrosion": 1.0, "gloss": 2.0},
            lambda: GOOD,
        ]
        left = iter(outcomes)
        with caplog.at_level(logging.WARNING, logger="camobo"):
            study = study_of(cost="dear > cheap").optimize(lambda params: next(left)(), 6)
        assert [trial.state for trial in study.trials] == [cm.State.FAILED] * 5 + [cm.State.COMPLETE]
        reasons = [trial.reason or "" for trial in study.trials]
        for reason, said in zip(
            reasons, ("nan", "ZeroDivisionError: division by zero", "'corrosion'", "None", "'gloss'", ""), strict=True
        ):
            assert said in reason
        warnings = [record for record in caplog.records if record.levelno == logging.WARNING]
        assert len(warnings) == 5
        assert all(f"trial {i}" in record.getMessage() for i, record in enumerate(warnings))
        assert [trial.number for trial in study.front()] == [5]

    def test_a_study_in_which_every_other_trial_fails_still_searches(self) -> None:
        calls = iter(range(100))
        study = study_of().optimize(lambda params: measure(params) if next(calls) % 2 else {}, 20)
        points = [tuple(trial.params.values()) for trial in study.trials]
        assert len(set(points)) == 20
        assert sum(trial.state is cm.State.FAILED for trial in study.trials) == 10

    def test_an_interrupt_goes_through_and_leaves_a_study_that_can_go_on(self) -> None:
        def interrupted(params: dict[str, Param]) -> dict[str, float]:
            if len(study.trials) == 4:
                raise KeyboardInterrupt
            return measure(params)

        study = study_of()
        with pytest.raises(KeyboardInterrupt):
            study.optimize(interrupted, 10)
        assert [trial.state for trial in study.trials] == [cm.State.COMPLETE] * 3 + [cm.State.RELEASED]
        assert len(study.optimize(measure, 2).trials) == 5
        assert [trial.state for trial in study.trials] == [cm.State.COMPLETE] * 5

    def test_a_function_that_changes_its_params_changes_no_record(self) -> None:
        def greedy(params: dict[str, Param]) -> dict[str, float]:
            values = measure(params)
            params.clear()
            return values

        assert params_of(study_of().optimize(greedy, 5)) == params_of(study_of().optimize(measure, 5))


def recorded(objectives: dict[str, str], rows: Sequence[tuple[float, ...]], **options: Any) -> cm.Study:
    study = study_of(objectives=objectives, **options)
    for i, row in enumerate(rows):
        study.add({"dear": i / len(rows), "cheap": 0.5}, dict(zip(objectives, row, strict=True)))
    return study


class TestReading:
    def test_an_empty_study_has_no_front_no_volume_and_no_usage(self) -> None:
        study = study_of(ALLOY)
        study.ask()
        assert study.front() == []
        assert study.hypervolume() == 0.0
        assert study.usage() == {"nickel": 0, "soak": 0, "quench": {"air": 0, "oil": 0, "water": 0}}

    @pytest.mark.parametrize(
        ("first", "second", "numbers"),
        [("max", "max", [1, 2]), ("min", "min", [0, 4]), ("max", "min", [0, 2, 4]), ("min", "max", [0, 1, 4])],
    )
    def test_the_front_follows_the_goals_and_keeps_equals_together(
        self, first: str, second: str, numbers: list[int]
    ) -> None:
        rows = [(1.0, 1.0), (2.0, 3.0), (3.0, 2.0), (2.0, 2.0), (1.0, 1.0)]
        assert [trial.number for trial in recorded({"a": first, "b": second}, rows).front()] == numbers

    def test_pending_and_failed_trials_are_on_no_front(self) -> None:
        study = recorded({"a": "max"}, [(1.0,)])
        study.fail(study.ask(), "broke")
        study.ask()
        assert [trial.number for trial in study.front()] == [0]

    def test_the_hypervolume_of_hand_made_cases(self) -> None:
        rows = [(1.0, 4.0), (2.0, 3.0), (0.0, 6.0)]
        study = recorded({"up": "max", "down": "min"}, rows)
        assert study.hypervolume({"up": 0.0, "down": 5.0}) == pytest.approx(2 * 2)
        assert study.hypervolume() == pytest.approx(2 * 3)  # against the worst seen, (0, 6)
        assert study.hypervolume({"up": 5.0, "down": 0.0}) == 0.0
        of_its_own = recorded({"up": "max", "down": "min"}, rows, reference={"down": 4.0, "up": -1.0})
        assert of_its_own.hypervolume() == pytest.approx(3 * 1)
        assert of_its_own.hypervolume({"up": 0.0, "down": 5.0}) == pytest.approx(4)
        both = recorded({"a": "max", "b": "max"}, [(1.0, 3.0), (2.0, 2.0), (3.0, 1.0)])
        assert both.hypervolume({"a": 0, "b": 0}) == pytest.approx(6)

    def test_the_hypervolume_of_one_objective_is_how_far_it_got(self) -> None:
        assert recorded({"a": "min"}, [(3.0,), (1.0,), (2.0,)]).hypervolume({"a": 5.0}) == pytest.approx(4.0)

    def test_usage_adds_numbers_and_counts_choices_of_what_was_evaluated(self) -> None:
        study = study_of(ALLOY)
        study.add({"nickel": 2.5, "soak": 3, "quench": "oil"}, GOOD)
        study.add({"nickel": 4.0, "soak": 1, "quench": "oil"}, GOOD)
        study.add({"nickel": 0.0, "soak": 12, "quench": "water"}, GOOD)
        expected = {"nickel": 6.5, "soak": 16, "quench": {"air": 0, "oil": 2, "water": 1}}
        assert study.usage() == expected
        pending = study.ask()
        assert study.usage() == expected
        study.fail(pending, "broke, but the material is gone")
        assert study.usage()["nickel"] == pytest.approx(6.5 + pending.params["nickel"])
        assert sum(study.usage()["quench"].values()) == 4

    @pytest.mark.parametrize("stored", [False, True])
    def test_usage_tells_choices_apart_that_are_equal(self, stored: bool, tmp_path: Path) -> None:
        space = cm.Space({"c": cm.Categorical([0, False, 1.0, True, "1.0"])})
        study = study_of(space, {"y": "max"}, storage=tmp_path / "a.db" if stored else None)
        for choice in (0, 0, 0, False, 1.0, "1.0", "1.0"):
            study.add({"c": choice}, {"y": 1.0})
        assert study.usage() == {"c": {"0": 3, "False": 1, "1.0": 1, "True": 0, "'1.0'": 2}}

    def test_a_study_prints_what_it_is_about_and_how_its_trials_stand(self) -> None:
        study = told(study_of(), 2)
        study.fail(study.ask(), "broke")
        study.ask()
        text = repr(study)
        for said in ("strength, corrosion", "dear, cheap", "2 complete", "1 failed", "1 pending"):
            assert said in text
        assert "no trials" in repr(study_of())

    def test_a_trial_prints_its_params_and_what_came_of_it(self) -> None:
        study = study_of(ALLOY)
        study.add({"nickel": 2.5, "soak": 3, "quench": "oil"}, GOOD)
        assert str(study.trials[0]) == "trial 0: nickel=2.5, soak=3, quench=oil -> strength=1, corrosion=1"
        assert "(pending)" in str(study.ask())
        assert "(failed: broke)" in str(study.fail(1, "broke"))


class TestExplaining:
    @pytest.mark.parametrize("method", ["default", "paper"])
    def test_what_was_expected_of_a_trial_does_not_change_with_what_came_later(self, method: str) -> None:
        study = told(study_of(cost="dear > cheap", method=method), 8)
        trial = study.ask()
        then = study.explain(trial)
        study.tell(trial, measure(trial.params))
        told(study, 3)
        study.add({"dear": 0.9, "cheap": 0.9}, GOOD)
        later = study.explain(trial.number)
        assert later.predictions == then.predictions
        assert (later.utility, later.cost, later.without_cost) == (then.utility, then.cost, then.without_cost)
        assert later.trial.values == measure(trial.params)

    def test_it_knows_pending_failed_and_added_trials_as_they_stood(self) -> None:
        study = told(study_of(cost="dear > cheap"), 5)
        waiting = study.ask()
        study.fail(study.ask(), "broke")
        study.add({"dear": 0.4, "cheap": 0.2}, measure({"dear": 0.4, "cheap": 0.2}))
        trial = study.ask()
        then = study.explain(trial)
        study.tell(waiting, {"strength": 100.0, "corrosion": -100.0})
        study.tell(trial, GOOD)
        assert study.explain(trial).predictions == then.predictions
        assert study.explain(trial).without_cost == then.without_cost

    def test_what_would_have_been_picked_without_cost_is_what_a_study_without_cost_asks_for(self) -> None:
        study = told(study_of(cost="dear > cheap"), 6)
        trial = study.ask()
        blind = study_of()
        for old in study.trials[:6]:
            blind.add(old.params, old.values or {})
        explained = study.explain(trial).without_cost
        assert explained == blind.ask().params
        assert explained != trial.params

    def test_the_budget_that_optimize_implied_later_does_not_rewrite_the_past(self) -> None:
        study = told(study_of(cost="dear > cheap"), 6)
        then = study.explain(5)
        study.optimize(measure, 2)
        assert study.explain(5).cost == then.cost
        assert study.explain(5).predictions == then.predictions

    def test_predictions_are_in_the_objectives_own_units_and_near_what_was_measured(self) -> None:
        study = told(study_of(), 12)
        explained = study.explain(11)
        for name, value in measure(study.trials[11].params).items():
            mean, deviation = explained.predictions[name]
            assert abs(mean - value) < 4 * deviation + 0.05
            assert 0.0 < deviation < 5.0

    def test_it_prints_all_it_knows(self) -> None:
        study = told(study_of(cost="dear > cheap"), 6)
        text = str(study.explain(5))
        for said in ("trial 5", "strength: expected", "corrosion: expected", "measured", "Q =", "C =", "without cost:"):
            assert said in text
        assert "initial design" in str(study.explain(0))
        added = study.add({"dear": 0.1, "cheap": 0.1}, GOOD)
        assert "added by hand" in str(study.explain(added))
        blind = str(told(study_of(), 5).explain(4))
        assert "Q =" in blind
        assert "C =" not in blind
        assert "without cost" not in blind

    def test_it_changes_nothing(self) -> None:
        one, other = told(study_of(cost="dear > cheap"), 6), told(study_of(cost="dear > cheap"), 6)
        for number in range(6):
            one.explain(number)
        assert one.trials == other.trials
        assert one.ask() == other.ask()


class TestRepeating:
    @pytest.mark.parametrize("method", ["default", "paper"])
    def test_the_same_seed_gives_the_same_trials_and_another_seed_others(self, method: str) -> None:
        one, same, other = (
            told(study_of(ALLOY, cost="nickel > soak", method=method, seed=seed), 10, alloy) for seed in (3, 3, 4)
        )
        assert one.trials == same.trials
        assert repr(one) == repr(same)
        assert params_of(one) != params_of(other)

    def test_the_method_of_the_paper_takes_its_cost_from_equation_8(self) -> None:
        bare = told(study_of(method="paper", cost="dear > cheap"), 8)
        spelt_out = told(study_of(method="paper", cost=cm.PaperCost("dear > cheap")), 8)
        additive = told(study_of(method="paper", cost=cm.AdditiveCost("dear > cheap")), 8)
        assert params_of(bare) == params_of(spelt_out) != params_of(additive)
        assert bare.trials[-1].notes[0] == "Algorithm 1"


def bowl(sign: float, p: Mapping[str, Param]) -> dict[str, float]:
    return {"y": sign * ((p["dear"] - 0.7) ** 2 + (p["cheap"] - 0.2) ** 2)}


SCALES = [1e-150, 1e-30, 1e30, 1e150]


class TestUnusualObjectives:
    def test_one_objective_is_optimised(self) -> None:
        for goal, sign in (("min", 1.0), ("max", -1.0)):
            study = study_of(objectives={"y": goal})
            told(study, 20, partial(bowl, sign))
            (best, *_) = study.front()
            assert best.params["dear"] == pytest.approx(0.7, abs=0.05)
            assert best.params["cheap"] == pytest.approx(0.2, abs=0.05)

    def test_four_objectives_are_traded_off(self) -> None:
        corners = {"a": (0, 0), "b": (0, 1), "c": (1, 0), "d": (1, 1)}

        def four(p: Mapping[str, Param]) -> dict[str, float]:
            return {name: math.hypot(p["dear"] - x, p["cheap"] - y) for name, (x, y) in corners.items()}

        study = study_of(objectives=dict.fromkeys(corners, "min"), cost="dear > cheap").optimize(four, 16)
        assert len(study.front()) > 8
        assert study.hypervolume(dict.fromkeys(corners, 1.5)) > 0.0
        assert set(study.explain(15).predictions) == set(corners)

    def test_thirty_one_objectives_have_a_front_and_a_hypervolume(self) -> None:
        goals = dict.fromkeys((f"y{m}" for m in range(31)), "min")
        study = told(
            study_of(objectives=goals), 5, lambda p: {y: p["dear"] + m * p["cheap"] for m, y in enumerate(goals)}
        )
        assert study.ask().params.keys() == {"dear", "cheap"}
        assert study.front()
        assert study.hypervolume(dict.fromkeys(goals, 40.0)) > 0.0

    @pytest.mark.parametrize("cost", [None, "dear > cheap"])
    @pytest.mark.parametrize("method", ["default", "paper"])
    def test_objectives_that_never_change_do_no_harm(self, method: str, cost: str | None) -> None:
        study = study_of(method=method, cost=cost).optimize(lambda p: {"strength": 3.0, "corrosion": 0.0}, 20)
        units = np.array([study.space.to_unit(trial.params) for trial in study.trials])
        apart = np.abs(units[:, None] - units[None]).max(axis=2) + np.eye(20)
        assert apart.min() > 0.03
        half = study_of(method=method, cost=cost)
        half.optimize(lambda p: {"strength": p["cheap"], "corrosion": 7.0}, 14)
        assert max(trial.params["cheap"] for trial in half.trials) > 0.95

    @pytest.mark.parametrize("far", [1e9, 1e160, 1e308])
    @pytest.mark.parametrize("method", ["default", "paper"])
    def test_how_far_beyond_everything_a_reference_lies_does_not_matter(self, method: str, far: float) -> None:
        found = [
            study_of(method=method, reference={"strength": -size, "corrosion": size}).optimize(measure, 12)
            for size in (1e7, far)
        ]
        ours, theirs = (np.array([list(p.values()) for p in params_of(one)]) for one in found)
        np.testing.assert_array_equal(ours, theirs)

    def test_values_too_small_for_their_digits_count_as_equal(self) -> None:
        study = study_of().optimize(lambda p: {"strength": 5e-324 * (p["cheap"] > 0.5), "corrosion": 0.0}, 8)
        assert [trial.state for trial in study.trials] == [cm.State.COMPLETE] * 8

    @pytest.mark.parametrize("scale", SCALES, ids="{:g}".format)
    @pytest.mark.parametrize("method", ["default", "paper"])
    def test_the_size_of_the_numbers_does_not_matter(self, scale: float, method: str) -> None:
        def huge(p: Mapping[str, Param]) -> dict[str, float]:
            return {name: scale * value for name, value in measure(p).items()}

        study = study_of(method=method, cost="dear > cheap").optimize(huge, 10)
        plain = study_of(method=method, cost="dear > cheap").optimize(measure, 10)
        assert [trial.state for trial in study.trials] == [cm.State.COMPLETE] * 10
        ours, theirs = (np.array([list(p.values()) for p in params_of(one)]) for one in (study, plain))
        np.testing.assert_allclose(ours[:6], theirs[:6], atol=1e-3)
        assert all(math.isfinite(number) for pair in study.explain(9).predictions.values() for number in pair)
        assert math.isfinite(study.hypervolume())
        assert len(study.front()) > 1

    @pytest.mark.parametrize("cost", [None, "dear > cheap"])
    @pytest.mark.parametrize("wish", [-1.0, -1000.0])
    def test_a_reference_that_nothing_has_reached_yet_does_not_blind_the_search(
        self, wish: float, cost: str | None
    ) -> None:
        study = study_of(objectives={"y": "min"}, cost=cost, reference={"y": wish})
        study.optimize(partial(bowl, 1.0), 16)
        values = [trial.values["y"] for trial in study.front() if trial.values is not None]
        assert min(values) < 0.005

    @pytest.mark.parametrize("seed", [0, 1])
    def test_with_a_cost_and_a_reference_near_the_front_it_is_sought_all_the_same(self, seed: int) -> None:
        problem = matyas_booth()  # nearly all of it lies beyond its reference
        given = dict(zip(problem.objectives, problem.reference, strict=True))
        study = study_of(problem.space, problem.objectives, cost="x1 > x2", reference=given, seed=seed)
        study.optimize(problem, 40)
        assert study.hypervolume() > 0.95 * problem.best_hypervolume

    @pytest.mark.parametrize(("cost", "most"), [(None, 0.955), ("dear > cheap", 3.0)])
    def test_values_of_many_magnitudes_do_not_hide_where_it_is_best(self, cost: str | None, most: float) -> None:
        def breaks(p: Mapping[str, Param]) -> dict[str, float]:
            soft = 1.0 / (0.01 + p["dear"]) ** 5
            return {"y": soft + 10.0 * (p["cheap"] - 0.35) ** 2}

        def best(seed: int) -> float:
            study = study_of(objectives={"y": "min"}, cost=cost, seed=seed).optimize(breaks, 30)
            return min(trial.values["y"] for trial in study.front() if trial.values is not None)

        assert statistics.median(best(seed) for seed in range(5)) < most

    def test_an_outlier_does_not_stop_the_search(self) -> None:
        study = study_of(objectives={"y": "max"})
        study.add({"dear": 0.9, "cheap": 0.9}, {"y": -1e12})
        study.optimize(lambda p: {"y": -((p["dear"] - 0.3) ** 2)}, 12)
        assert len({tuple(trial.params.values()) for trial in study.trials}) == 13


class TestFiniteSpaces:
    @pytest.mark.parametrize("method", ["default", "paper"])
    def test_every_point_is_visited_once_and_then_the_space_is_exhausted(self, method: str) -> None:
        space = cm.Space({"n": cm.Integer(1, 4), "c": cm.Categorical(["x", "y", "z"])})
        study = study_of(space, {"y": "max"}, cost="n", method=method)
        told(study, 12, lambda p: {"y": p["n"] + len(p["c"])})
        assert len({tuple(trial.params.values()) for trial in study.trials}) == 12
        with pytest.raises(cm.SpaceExhausted, match="all 12 points"):
            study.ask()
        assert len(study.trials) == 12
        assert study.front()

    def test_asking_for_all_at_once_gives_all_and_failed_points_stay_used(self) -> None:
        study = study_of(cm.Space({"n": cm.Integer(1, 6)}), {"y": "max"})
        for trial in study.ask(6):
            study.fail(trial, "broke")
        assert {trial.params["n"] for trial in study.trials} == set(range(1, 7))
        with pytest.raises(cm.SpaceExhausted):
            study.ask()


class TestCost:
    def test_a_study_that_knows_what_is_dear_spends_less_of_it_and_finds_as_much(self) -> None:
        def trade(p: Mapping[str, Param]) -> dict[str, float]:
            aside = (p["cheap"] - 0.6) ** 2
            return {"f": (p["dear"] - 0.2) ** 2 + aside, "g": (p["dear"] - 0.6) ** 2 + aside}

        spent: dict[str | None, list[float]] = {None: [], "dear > cheap": []}
        found: dict[str | None, list[float]] = {None: [], "dear > cheap": []}
        for cost, seed in ((cost, seed) for cost in spent for seed in range(3)):
            study = study_of(objectives={"f": "min", "g": "min"}, cost=cost, seed=seed).optimize(trade, 20)
            spent[cost].append(study.usage()["dear"])
            found[cost].append(study.hypervolume({"f": 0.5, "g": 0.5}))
        assert np.mean(spent["dear > cheap"]) < 0.95 * np.mean(spent[None])
        assert np.mean(found["dear > cheap"]) > 0.9 * np.mean(found[None])

    def test_the_first_trials_are_cheap(self) -> None:
        space = cm.Space({"nickel": cm.Real(0, 20), "purity": cm.Real(0, 1, dear="low"), "other": cm.Real(0, 1)})
        for seed in range(3):
            for trial in study_of(space, cost="nickel > purity", seed=seed).ask(4):
                assert trial.params["nickel"] <= 10.0
                assert trial.params["purity"] >= 0.5


class TestRecords:
    def test_a_trial_cannot_be_changed_from_outside(self) -> None:
        study = cm.Study(cm.Space({"x": cm.Real(0, 1)}), {"y": "min"}, seed=1)
        trial = study.ask()
        with pytest.raises(TypeError):
            trial.params["x"] = 99.0  # type: ignore[index]

    def test_a_trial_survives_the_way_to_another_process(self) -> None:
        study = cm.Study(cm.Space({"x": cm.Real(0, 1)}), {"y": "min"}, seed=1)
        trial = study.tell(study.ask(), {"y": 1.0})
        assert pickle.loads(pickle.dumps(trial)) == trial

    def test_a_batch_larger_than_what_is_left_of_a_space_gives_what_there_is(self) -> None:
        study = cm.Study(cm.Space({"n": cm.Integer(1, 3)}), {"y": "min"}, seed=1)
        assert sorted(trial.params["n"] for trial in study.ask(5)) == [1, 2, 3]
        with pytest.raises(cm.SpaceExhausted):
            study.ask(1)

    def test_a_number_too_long_to_print_is_refused_like_any_infinity(self) -> None:
        study = cm.Study(cm.Space({"x": cm.Real(0, 1)}), {"y": "min"}, seed=1)
        with pytest.raises(cm.InvalidValueError, match="finite number"):
            study.tell(study.ask(), {"y": 10**5000})


@pytest.mark.parametrize("copied", [pickle.dumps, copy.copy, copy.deepcopy])
@pytest.mark.parametrize("stored", [False, True])
def test_a_study_that_is_copied_says_how_to_share_it(
    copied: Callable[[Any], Any], stored: bool, tmp_path: Path
) -> None:
    place = tmp_path / "x.db" if stored else None
    study = study_of(storage=place)
    with pytest.raises(cm.StorageError, match=rf"cannot be copied, pickled.*Study\.load\('{place or 'alloy.db'}'\)"):
        copied(study)
