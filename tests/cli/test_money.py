from __future__ import annotations

import pytest

import camobo as cm
from camobo.cli import money
from camobo.strategy.plan import Plan

SPACE = cm.Space({"a": cm.Real(0, 2), "b": cm.Integer(0, 4), "c": cm.Categorical(["x", "y"])})


def plan(cost: object, unit: str = "EUR") -> Plan:
    study = cm.Study(SPACE, {"y": "max"}, cost=cost, budget=cm.Budget(cost=100, unit=unit), seed=1)  # type: ignore[arg-type]
    return study.plan


@pytest.mark.parametrize(
    ("name", "fact", "words"),
    [
        ("budget", None, "none"),
        ("budget", 1, "1 trial"),
        ("budget", {"trials": 60, "cost": 2000, "unit": "EUR"}, "60 trials, 2000 EUR"),
        ("cost", None, "none"),
        ("cost", "a>b", "a > b"),
        ("cost", ["a", "b"], "a > b"),
        ("cost", {"type": "prices", "prices": {"a": 2}, "per_trial": 1}, "a 2, 1 per trial"),
        ("cost", {"type": "learned"}, "learned from receipts"),
        ("thrift", 0.5, "0.5"),
    ],
)
def test_what_may_change_is_worded(name: str, fact: object, words: str) -> None:
    assert money.in_words(name, fact) == words


def test_an_amount_has_all_digits_of_a_receipt_and_its_unit() -> None:
    assert [money.money(1987.43, "EUR"), money.money(20, ""), money.money(1 / 3, "h")] == [
        "1987.43 EUR",
        "20",
        "0.333333 h",
    ]


def test_a_receipt_says_how_much_was_told_before() -> None:
    study = cm.Study(SPACE, {"y": "max", "z": "min"}, budget=cm.Budget(cost=100, unit="EUR"), seed=1)
    trial = study.tell(study.ask(), {"y": 1})
    assert money.receipt(study.plan, trial, None) == ""
    part = study.amend(0, cost=20, reason="invoice")
    assert money.receipt(study.plan, part, None) == "; cost 20 EUR"
    whole = study.tell(0, {"z": 1}, cost=5)
    assert money.receipt(study.plan, whole, 20) == "; cost 25 EUR in all, 20 EUR of it told before"
    assert money.corrected(study.plan, whole, 20) == "; cost 25 EUR, before 20 EUR"
    assert money.corrected(study.plan, whole, 25) == ""


class TestRange:
    @pytest.mark.parametrize(
        ("cost", "least", "most"),
        [
            (cm.Prices({"a": 3, "b": 2, "c": {"y": 5}}, per_trial=1), 1, 20),
            (cm.Formula("1 + a*(2 - a) + abs(b - 2) + if(c == 'x', 7, 0)"), 1, 11),
            (lambda params: 4.0 + params["a"] * params["b"], 4, 12),
            (cm.Formula("1 + min(8, 1 / abs(a - 1)) + 0 / (a - 1)"), 2, 9),
        ],
    )
    def test_the_cheapest_and_the_most_expensive_trial_are_found(self, cost: object, least: float, most: float) -> None:
        assert money.range_of_costs(plan(cost)) == pytest.approx((least, most), rel=1e-3)

    @pytest.mark.parametrize("cost", [None, "a > b", cm.LearnedCost()])
    def test_without_amounts_there_is_none(self, cost: object) -> None:
        assert money.range_of_costs(plan(cost)) is None
        assert money.costs_of_inputs(plan(cost)) is None

    def test_what_each_input_adds_is_told_from_what_adds_nothing(self) -> None:
        assert money.costs_of_inputs(plan(cm.Prices({"a": 3}, per_trial=1))) == {"a": "up to 6", "b": "0", "c": "0"}


class TestRemark:
    def test_there_is_none_while_something_is_left(self) -> None:
        study = cm.Study(SPACE, {"y": "max"}, cost=cm.Prices({"a": 3}), budget=cm.Budget(cost=100, unit="EUR"))
        assert money.remark_on_budget(study) is None
        assert money.remark_on_budget(cm.Study(SPACE, {"y": "max"}, budget=9)) is None

    def test_nothing_left_and_nothing_known_are_said(self) -> None:
        study = cm.Study(SPACE, {"y": "max"}, cost="a", budget=cm.Budget(cost=100, unit="EUR"))
        assert "Nothing says yet how much money a trial costs." in (money.remark_on_budget(study) or "")
        study.tell(study.ask(), {"y": 1}, cost=100)
        assert money.remark_on_budget(study) == "100 EUR are spent or reserved: nothing is left for a trial."
