"""What a study refuses, and that a refusal leaves it as it was."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import camobo as cm
from tests.support.strategies import label
from tests.support.studies import GOOD, measure, study_of, told

NAN, INF = float("nan"), float("inf")

POINT = {"expensive": 0.5, "cheap": 0.5}
UNUSABLE: dict[str, tuple[Callable[[Any], object], str]] = {
    "tell not a number": (lambda study: study.tell(4, {"strength": NAN}), "'strength'.*nan.*study.fail"),
    "tell NumPy's not a number": (lambda study: study.tell(4, {"strength": np.float32(NAN)}), "'strength'.*nan"),
    "tell a list": (lambda study: study.tell(4, {"strength": [1.0]}), r"'strength'.*\[1.0\]"),
    "tell an array": (lambda study: study.tell(4, {"strength": np.array([1.0, 2.0])}), "'strength'.*array"),
    "tell nothing": (lambda study: study.tell(4, {}), "at least one.*strength, corrosion"),
    "tell an unknown objective": (lambda study: study.tell(4, {"gloss": 1.0}), "no objective called 'gloss'"),
    "tell a negative cost": (lambda study: study.tell(4, GOOD, cost=-1), "^cost: .*-1"),
    "tell a cost that is not a number": (lambda study: study.tell(4, GOOD, cost=NAN), "^cost: .*nan"),
    "tell an endless cost": (lambda study: study.tell(4, GOOD, cost=INF), "^cost: .*inf"),
    "tell a text for a cost": (lambda study: study.tell(4, GOOD, cost="41.5"), "^cost: .*'41.5'"),
    "tell a truth value for a cost": (lambda study: study.tell(4, GOOD, cost=True), "^cost: .*True"),
    "tell a list of costs": (lambda study: study.tell(4, GOOD, cost=[1.0]), r"^cost: .*\[1.0\]"),
    "fail with a negative cost": (lambda study: study.fail(4, "broke", cost=-1), "^cost: .*-1"),
    "fail with a cost that is not a number": (lambda study: study.fail(4, "broke", cost=NAN), "^cost: .*nan"),
    "fail with a text for a cost": (lambda study: study.fail(4, "broke", cost="12"), "^cost: .*'12'"),
    "fail with a truth value for a cost": (lambda study: study.fail(4, "broke", cost=False), "^cost: .*False"),
    "amend with a negative cost": (lambda study: study.amend(2, cost=-0.5, reason="invoice"), "^cost: .*-0.5"),
    "amend with a cost that is not a number": (
        lambda study: study.amend(2, cost=NAN, reason="invoice"),
        "^cost: .*nan",
    ),
    "amend with a text for a cost": (lambda study: study.amend(2, cost="44", reason="invoice"), "^cost: .*'44'"),
    "amend with a truth value for a cost": (lambda study: study.amend(2, cost=True, reason="invoice"), "^cost: .*True"),
    "amend a cost without a reason": (lambda study: study.amend(2, cost=44.0), "^reason"),
    "amend nothing": (lambda study: study.amend(2, reason="invoice"), "^amend: need values or a cost"),
    "tell a note that is no text": (lambda study: study.tell(4, GOOD, note=3), "^note: need text.*3"),
    "fail without a text": (lambda study: study.fail(4, None), "^reason: need text.*None"),
    "amend with infinity": (lambda study: study.amend(2, {"strength": INF}, "scale was off"), "'strength'.*inf"),
    "amend without a reason": (lambda study: study.amend(2, GOOD, " "), "^reason"),
    "add without one objective": (lambda study: study.add(POINT, {"strength": 1.0}), "no value for 'corrosion'"),
    "add no names": (lambda study: study.add(POINT, [1.0, 2.0]), r"strength, corrosion.*\[1.0, 2.0\]"),
    "add above a range": (lambda study: study.add({**POINT, "expensive": 1.5}, GOOD), "'expensive'.*0 to 1.*1.5"),
    "add below a range": (lambda study: study.add({**POINT, "cheap": -0.1}, GOOD), "'cheap'.*-0.1"),
    "add text for a number": (lambda study: study.add({**POINT, "cheap": "0.5"}, GOOD), "'cheap'.*'0.5'"),
    "add a truth value": (lambda study: study.add({**POINT, "cheap": True}, GOOD), "'cheap'.*True"),
    "add a point without an input": (lambda study: study.add({"expensive": 0.5}, GOOD), "no value for 'cheap'"),
    "add an unknown input": (lambda study: study.add({**POINT, "lead": 1.0}, GOOD), "no input called 'lead'"),
    "add a negative cost": (lambda study: study.add(POINT, GOOD, cost=-1), "^cost: .*-1"),
    "add a cost that is not a number": (lambda study: study.add(POINT, GOOD, cost=NAN), "^cost: .*nan"),
    "add a text for a cost": (lambda study: study.add(POINT, GOOD, cost="41.5"), "^cost: .*'41.5'"),
    "add a truth value for a cost": (lambda study: study.add(POINT, GOOD, cost=True), "^cost: .*True"),
}
BY_NUMBER: dict[str, Callable[[Any, Any], object]] = {
    "tell": lambda study, number: study.tell(number, GOOD),
    "fail": lambda study, number: study.fail(number, "broke"),
    "explain": lambda study, number: study.explain(number),
    "amend": lambda study, number: study.amend(number, GOOD, "scale was off"),
    "release": lambda study, number: study.release(number),
    "retry": lambda study, number: study.retry(number),
    "renew": lambda study, number: study.renew(number, "1h"),
}


@pytest.fixture(scope="module")
def shared() -> Iterator[cm.Study]:
    """A study for all refusals, which in the end asks for what an undisturbed one asks for."""
    study, undisturbed = (told(study_of(cost="expensive > cheap"), 4) for _ in range(2))
    for one in (study, undisturbed):
        one.ask()
    yield study
    for one in (study, undisturbed):
        one.tell(4, GOOD)
    assert study.ask() == undisturbed.ask()


class TestRefusing:
    """After each refusal the study is as it was, and after all of them it continues as if nothing had been said."""

    @pytest.fixture
    def study(self, shared: cm.Study) -> Iterator[cm.Study]:
        before = shared.trials, shared.front(), shared.hypervolume(), shared.log()
        yield shared
        assert (shared.trials, shared.front(), shared.hypervolume(), shared.log()) == before

    def refuses(self, call: Callable[[], object], error: type[Exception], match: str) -> None:
        with pytest.raises(error, match=f"(?s){match}") as caught:
            call()
        assert isinstance(caught.value, cm.CamoboError)

    @pytest.mark.parametrize(("call", "match"), UNUSABLE.values(), ids=UNUSABLE.keys())
    def test_a_value_that_cannot_be_used(self, study: cm.Study, call: Callable[[cm.Study], object], match: str) -> None:
        self.refuses(lambda: call(study), cm.InvalidValueError, match)

    @pytest.mark.parametrize("number", [5, "1"], ids=label)
    @pytest.mark.parametrize("call", BY_NUMBER.values(), ids=BY_NUMBER.keys())
    def test_a_trial_it_does_not_have(
        self, study: cm.Study, call: Callable[[cm.Study, Any], object], number: Any
    ) -> None:
        self.refuses(lambda: call(study, number), cm.UnknownTrialError, f"trial.*{number}")

    def test_a_second_tell(self, study: cm.Study) -> None:
        self.refuses(
            lambda: study.tell(2, GOOD),
            cm.TrialStateError,
            "trial 2 is already complete.*given results.*study.amend",
        )

    def test_failing_what_was_told(self, study: cm.Study) -> None:
        self.refuses(
            lambda: study.fail(2, "broke"),
            cm.TrialStateError,
            "trial 2 is already complete.*recorded as failed.*study.amend",
        )

    def test_a_tell_after_a_fail_and_a_second_fail(self) -> None:
        study = study_of()
        trial = study.ask()
        study.fail(trial, "the furnace broke")
        before = study.trials
        with pytest.raises(cm.TrialStateError, match=r"trial 0 is already failed.*the furnace broke"):
            study.tell(trial, GOOD)
        with pytest.raises(cm.TrialStateError, match="trial 0 is already failed"):
            study.fail(trial, "again")
        assert study.trials == before

    def test_a_trial_of_another_study(self, study: cm.Study) -> None:
        other = study_of(seed=2)
        stranger = [other.ask() for _ in range(5)][4]
        self.refuses(lambda: study.tell(stranger, GOOD), cm.UnknownTrialError, "trial 4.*another study")

    @pytest.mark.parametrize("n", [0, 1.5, True], ids=label)
    def test_a_number_of_trials_that_is_not_a_whole_number(self, study: cm.Study, n: Any) -> None:
        self.refuses(lambda: study.ask(n), cm.InvalidOptionError, "^n: need a whole number")
        self.refuses(lambda: study.optimize(measure, n), cm.InvalidOptionError, "^n_trials: need a whole number")

    def test_more_trials_at_once_than_can_be_suggested(self, study: cm.Study) -> None:
        self.refuses(lambda: study.ask(1001), cm.InvalidOptionError, "^n: need a whole number from 1 to 1000")

    def test_what_cannot_be_called_in_optimize(self, study: cm.Study) -> None:
        self.refuses(lambda: study.optimize(3, 5), cm.InvalidOptionError, "optimize.*3")  # type: ignore[arg-type]

    @pytest.mark.parametrize(
        "reference", [{"strength": 1.0}, {"strength": NAN, "corrosion": 0.0}, 3.0, "worst"], ids=label
    )
    def test_a_reference_that_cannot_be_used_in_hypervolume(self, study: cm.Study, reference: Any) -> None:
        self.refuses(lambda: study.hypervolume(reference), cm.InvalidValueError, "reference")
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
    "a budget's class": ({"budget": cm.Budget}, cm.InvalidOptionError, "^budget.*Budget"),
    "no thrift at all": ({"thrift": None}, cm.InvalidOptionError, "^thrift.*None"),
    "a negative thrift": ({"thrift": -0.5}, cm.InvalidOptionError, "^thrift.*-0.5"),
    "too much thrift": ({"thrift": 10.5}, cm.InvalidOptionError, "^thrift.*0 to 10.*10.5"),
    "a thrift that is not a number": ({"thrift": NAN}, cm.InvalidOptionError, "^thrift.*nan"),
    "a truth value for thrift": ({"thrift": True}, cm.InvalidOptionError, "^thrift.*True"),
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
    "prices": ({"cost": {"expensive": 3.0}}, cm.InvalidOptionError, "^cost.*'expensive'"),
    "a cost function that gives no cost": ({"cost": str}, cm.InvalidOptionError, "^cost.*str"),
    "a cost function that raises": ({"cost": sum}, cm.InvalidOptionError, "^cost: need a finite number above 0.*sum"),
    "a formula that is no cost everywhere": (
        {"cost": cm.Formula("expensive - 0.5")},
        cm.InvalidOptionError,
        "^cost: need a finite number above 0 everywhere.*expensive - 0.5",
    ),
    "prices of unknown inputs": ({"cost": cm.Prices({"lead": 3.0})}, cm.InvalidOptionError, "'lead' is not an input"),
    "the paper's cost with another method": (
        {"cost": cm.PaperCost("expensive")},
        cm.InvalidOptionError,
        '^cost.*PaperCost.*method="paper"',
    ),
    "a price list with the paper's method": (
        {"cost": cm.Prices({"cheap": 1.0}), "method": "paper"},
        cm.InvalidOptionError,
        "^cost.*method=.*paper.*Prices",
    ),
    "a number for a cost": ({"cost": 3}, cm.InvalidOrderError, "^cost.*3"),
    "an order of unknown inputs": ({"cost": "expensive > lead"}, cm.InvalidOrderError, "'lead' is not an input"),
    "an order that contradicts itself": (
        {"cost": "expensive > cheap > expensive"},
        cm.InvalidOrderError,
        "cannot be more expensive",
    ),
    "no objectives": ({"objectives": {}}, cm.InvalidOptionError, "^objectives.*{}"),
    "a list of objectives": ({"objectives": ["strength"]}, cm.InvalidOptionError, "^objectives.*strength"),
    "an objective without a goal": ({"objectives": {"strength": "up"}}, cm.InvalidOptionError, "'strength'.*'up'"),
    "an objective without a name": ({"objectives": {" ": "min"}}, cm.InvalidOptionError, "^objectives.*' '"),
    "an array for a method": ({"method": np.array(["default", "paper"])}, cm.InvalidOptionError, "^method.*array"),
    "an array for a method of a cost": (
        {"method": np.array(["default", "paper"]), "cost": "expensive"},
        cm.InvalidOptionError,
        "^method.*array",
    ),
    "an array for a beta": ({"beta": np.array(["theory", "theory"])}, cm.InvalidOptionError, "^beta.*array"),
    "an array for a goal": (
        {"objectives": {"strength": np.array(["min", "max"])}},
        cm.InvalidOptionError,
        "^objectives: 'strength'.*array",
    ),
    "a cost's class": (
        {"cost": cm.OrderCost},
        cm.InvalidOptionError,
        r"^cost.*the class OrderCost itself.*OrderCost\(\"nickel > chromium\"\)",
    ),
    "too many objectives": (
        {"objectives": {f"y{m}": "min" for m in range(32)}},
        cm.InvalidOptionError,
        "^objectives: need at most 31, got 32.*Leave some out",
    ),
    "no space": ({"space": {"expensive": cm.Real(0, 1)}}, cm.InvalidOptionError, "^space.*Real"),
}


class TestOptions:
    @pytest.mark.parametrize(("options", "error", "match"), BAD_OPTIONS.values(), ids=BAD_OPTIONS.keys())
    def test_an_option_that_cannot_be_used_is_refused_by_name(
        self, options: dict[str, Any], error: type[Exception], match: str
    ) -> None:
        with pytest.raises(error, match=f"(?s){match}"):
            study_of(**options)
