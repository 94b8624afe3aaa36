from __future__ import annotations

import json
from dataclasses import replace
from typing import Any, ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

import camobo as cm
from camobo.cost.formula import AbsentFunction
from camobo.history.document import (
    CHANGEABLE,
    budget_document,
    changed_plan,
    differences,
    make_plan,
    read_budget,
    read_plan,
    to_document,
)
from camobo.history.transitions import plan_facts
from tests.support.strategies import law, spaces, stated_orders


class TestRoundTrip:
    @law
    @given(spaces(), st.data())
    def test_a_space_comes_back_from_json_as_it_was(self, space: cm.Space, data: st.DataObject) -> None:
        cost = data.draw(st.none() | st.sampled_from(space.names).map(lambda name: [name]))
        plan = make_plan(space, {"y": "max"}, cost=cost, seed=1)
        again = read_plan(json.loads(json.dumps(to_document(plan), allow_nan=False)))
        assert again == plan
        assert list(again.space.inputs) == list(plan.space.inputs)
        for ours, theirs in zip(again.space.inputs.values(), plan.space.inputs.values(), strict=True):
            assert repr(ours) == repr(theirs)

    @law
    @given(stated_orders(), st.booleans())
    def test_an_order_comes_back_with_its_groups_in_their_sequence(self, stated: Any, forget: bool) -> None:
        order = cm.Order.parse(stated.text)
        given_order = cm.Order(order.groups, order.above) if forget else order
        space = cm.Space({name: cm.Real(0, 1) for name in stated.names})
        plan = make_plan(space, {"y": "max"}, cost=given_order, seed=1)
        document = to_document(plan)
        again = read_plan(json.loads(json.dumps(document))).cost
        assert isinstance(again, cm.OrderCost)
        assert again.order.groups == order.groups
        assert again.order.above == order.above
        assert forget or document["study"]["cost"] == stated.text

    @pytest.mark.parametrize(
        "options",
        [
            {},
            {"cost": "a > b", "method": "paper", "beta": "theory"},
            {"cost": cm.PaperCost("b, a", weights="printed"), "method": "paper"},
            {"cost": cm.OrderCost(["b", "a"])},
            {"cost": cm.Prices({"a": 13.9, "c": {"oil": 2.5}}, per_trial=12, rest="b")},
            {"cost": cm.Prices({}, rest="b > a"), "thrift": 0.0},
            {"cost": cm.Formula('0.36*a + if(c == "oil", 2, 0) + 5')},
            {"cost": cm.LearnedCost()},
            {"cost": cm.LearnedCost("b > a, c", of="seconds"), "thrift": 2.5},
            {"budget": 40, "reference": {"z": -1.5, "y": 1e-300}, "refit_every": 3},
            {"budget": cm.Budget(cost=2000, unit="EUR"), "cost": "a"},
            {"budget": cm.Budget(trials=60, cost=0.125)},
        ],
        ids=str,
    )
    def test_every_option_comes_back(self, options: dict[str, Any]) -> None:
        space = cm.Space({"a": cm.Real(0, 1, free=0.25), "b": cm.Integer(1, 9), "c": cm.Categorical(["air", "oil"])})
        plan = make_plan(space, {"y": "max", "z": "min"}, seed=2**70, **options)
        again = read_plan(json.loads(json.dumps(to_document(plan), allow_nan=False)))
        assert again == plan
        assert to_document(again) == to_document(plan)

    def test_of_a_python_function_its_name_comes_back_and_no_code(self) -> None:
        def price(params: dict[str, Any]) -> float:
            return 1.0 + float(params["a"])

        plan = make_plan(cm.Space({"a": cm.Real(0, 1)}), {"y": "max"}, cost=price, seed=1)
        document = to_document(plan)
        assert document["study"]["cost"] == {"type": "function", "name": "price"}
        again = read_plan(json.loads(json.dumps(document)))
        assert again.cost == AbsentFunction("price")
        assert to_document(again) == document


def test_differences_name_the_place_and_both_sides() -> None:
    one: dict[str, Any] = {"study": {"budget": 60}, "space": {"a": {"low": 0}, "b": {"low": 0}}}
    other: dict[str, Any] = {"study": {"budget": 40}, "space": {"a": {"low": 0}, "b": {"low": 0}}}
    assert differences(one, other) == ["study.budget: 60 is stored, 40 was given"]
    assert differences(one, one) == []
    assert differences(one, {**one, "study": {}}) == ["study.budget: 60 is stored, nothing was given"]
    turned = {**one, "space": {"b": {"low": 0}, "a": {"low": 0}}}
    assert differences(one, turned) == ["the inputs or objectives are in another order"]


class TestReading:
    """What a problem file and a stored document share; `test_problem_file.py` has the mistakes people make in TOML."""

    SMALLEST: ClassVar[Any] = {"space": {"a": {"type": "real", "low": 0, "high": 1}}, "objectives": {"y": "max"}}

    def test_everything_with_a_default_may_be_left_out_and_is_written(self) -> None:
        plan = read_plan({**self.SMALLEST, "study": {"seed": 1}})
        assert plan == make_plan(cm.Space({"a": cm.Real(0, 1)}), {"y": "max"}, seed=1)
        assert to_document(plan) == {
            "space": {"a": {"type": "real", "low": 0, "high": 1, "log": False, "unit": "", "expensive": "high"}},
            "objectives": {"y": "max"},
            "study": {"thrift": 1.0, "seed": 1, "method": "default", "beta": "practical", "refit_every": 10},
        }

    @pytest.mark.parametrize(
        ("part", "value", "said"),
        [
            ("space", 3, r"\[space\]: need a table, got 3"),
            ("space", {}, r"\[space\]"),
            ("space", {"a": {"low": 0, "high": 1}}, r"\[space\] a: need type"),
            ("space", {"a": {"type": ["real"], "low": 0, "high": 1}}, r"\[space\] a: need type"),
            ("space", {"a": {"type": "real", "low": 0, "high": 1, "dear": "low"}}, "dear is now called expensive"),
            ("space", {"a": {"type": "categorical", "choices": ["x", "y"], "dear": ["x"]}}, "now called expensive"),
            ("objectives", ["y"], r"\[objectives\]"),
            ("objectives", {"y": "best"}, r"\[objectives\].*'best'"),
            ("study", [], r"\[study\]: need a table"),
            ("study", {"dear": 1}, r"\[study\]: unknown key 'dear'"),
            ("study", {"constraints": "a <= 1"}, r"\[study\] constraints: need a list of strings"),
            ("study", {"constraints": ["b <= 1"]}, r"\[study\] constraints: constraint: no input is called 'b'"),
            ("study", {"constraints": [3]}, r"\[study\] constraints: need a list of strings"),
            ("study", {"cost": {"order": 3}}, r"\[study\] cost: order: need text"),
            (
                "study",
                {"cost": {"type": "additive", "order": "a"}},
                r"cost: type must be one of .*'additive'",
            ),
            (
                "study",
                {"cost": {"type": "order", "order": "a", "strength": 3}},
                r"cost: unknown key 'strength'",
            ),
            ("study", {"cost": {"type": "prices"}}, r"\[study\] cost: prices is missing"),
            ("study", {"cost": {"type": "paper", "order": "a"}}, r'\[study\] cost: .*method="paper"'),
            ("study", {"budget": {}}, r"\[study\]: Budget: need trials, cost or both"),
            ("study", {"budget": {"money": 3}}, r"\[study\]: budget: unknown key 'money'"),
            ("study", {"budget": {"cost": -1}}, r"\[study\]: Budget: cost must be a finite number above 0, got -1"),
            ("study", {"thrift": -1}, r"\[study\]: thrift: need a number from 0 to 10, got -1"),
            ("study", {"cost": {"type": [], "order": "a"}}, r"\[study\] cost: type must be"),
            ("studdy", {}, "unknown key 'studdy'.*Did you mean 'study'"),
        ],
    )
    def test_a_mistake_is_named_with_its_place(self, part: str, value: Any, said: str) -> None:
        with pytest.raises(cm.CamoboError, match=said):
            read_plan({**self.SMALLEST, part: value})

    @pytest.mark.parametrize("document", [None, 3, [], "x"])
    def test_anything_but_a_table_is_refused(self, document: Any) -> None:
        with pytest.raises(cm.InvalidOptionError, match="the problem: need a table"):
            read_plan(document)


class TestMaking:
    SPACE = cm.Space({"a": cm.Real(0, 1)})

    def test_without_a_seed_one_is_drawn(self) -> None:
        seeds = {make_plan(self.SPACE, {"y": "max"}).seed for _ in range(5)}
        assert len(seeds) > 1
        assert all(0 <= seed < 2**32 for seed in seeds)

    @pytest.mark.parametrize(
        ("options", "said"),
        [
            ({"budget": 0}, "budget"),
            ({"budget": "60"}, "budget"),
            ({"budget": float("nan")}, "budget"),
            ({"thrift": -0.1}, "thrift"),
            ({"thrift": 11}, "thrift"),
            ({"thrift": float("nan")}, "thrift"),
            ({"thrift": True}, "thrift"),
            ({"thrift": "1"}, "thrift"),
            ({"cost": cm.Prices({"b": 1})}, "'b' is not an input"),
            ({"cost": cm.Formula("a - 1")}, "a finite number above 0 everywhere"),
            ({"cost": cm.PaperCost("a")}, 'method="paper"'),
            ({"cost": cm.LearnedCost("a"), "method": "paper"}, 'method="paper"'),
            ({"seed": -1}, "seed"),
            ({"method": "magic"}, "method"),
            ({"beta": "wild"}, "beta"),
            ({"refit_every": 0}, "refit_every"),
            ({"reference": {"z": 1.0}}, "reference"),
            ({"cost": "b"}, "'b' is not an input"),
        ],
    )
    def test_an_option_that_cannot_be_used_is_named(self, options: Any, said: str) -> None:
        with pytest.raises(cm.CamoboError, match=said):
            make_plan(self.SPACE, {"y": "max"}, **options)

    def test_a_space_must_be_one(self) -> None:
        with pytest.raises(cm.InvalidOptionError, match="space: need a Space"):
            make_plan({"a": cm.Real(0, 1)}, {"y": "max"})  # type: ignore[arg-type]


class TestChanging:
    PLAN = make_plan(cm.Space({"a": cm.Real(0, 1)}), {"y": "max"}, cost="a", budget=20, seed=1)

    @pytest.mark.parametrize(
        ("facts", "changes"),
        [
            ({}, {}),
            ({"budget": 30}, {"budget": cm.Budget(30)}),
            ({"budget": {"cost": 500, "unit": "EUR"}}, {"budget": cm.Budget(cost=500, unit="EUR")}),
            ({"budget": None, "thrift": 0.5}, {"budget": None, "thrift": 0.5}),
            ({"cost": None}, {"cost": None}),
            ({"cost": "a"}, {}),
            ({"cost": {"type": "formula", "formula": "a + 1"}}, {"cost": cm.Formula("a + 1")}),
            ({"cost": {"type": "function", "name": "price"}}, {"cost": AbsentFunction("price")}),
        ],
        ids=str,
    )
    def test_what_is_given_changes_and_the_rest_stays(self, facts: Any, changes: Any) -> None:
        assert changed_plan(self.PLAN, facts) == replace(self.PLAN, **changes)

    @pytest.mark.parametrize("name", CHANGEABLE)
    def test_everything_changeable_is_in_the_document(self, name: str) -> None:
        assert to_document(self.PLAN)["study"][name] == plan_facts(self.PLAN)[name]

    @pytest.mark.parametrize(
        ("facts", "said"),
        [
            ({"seed": 2}, "change: unknown key 'seed'"),
            ({"budget": 0}, "budget"),
            ({"budget": {"cost": "much"}}, "Budget: cost must be"),
            ({"cost": "b"}, "'b' is not an input"),
            ({"cost": {"type": "formula", "formula": "-a"}}, "above 0 everywhere"),
            ({"cost": {"type": "paper", "order": "a"}}, 'method="paper"'),
            ({"thrift": None}, "thrift"),
        ],
    )
    def test_what_cannot_be_used_is_refused(self, facts: Any, said: str) -> None:
        with pytest.raises(cm.CamoboError, match=said):
            changed_plan(self.PLAN, facts)

    @pytest.mark.parametrize(
        ("budget", "document"),
        [
            (None, None),
            (cm.Budget(9), 9),
            (cm.Budget(cost=5.5), {"cost": 5.5}),
            (cm.Budget(9, 5.5, "EUR"), {"trials": 9, "cost": 5.5, "unit": "EUR"}),
            (cm.Budget(9, unit="EUR"), {"trials": 9, "unit": "EUR"}),
        ],
        ids=str,
    )
    def test_a_budget_is_written_as_short_as_it_can_be_and_comes_back(self, budget: Any, document: Any) -> None:
        assert budget_document(budget) == document
        assert read_budget(document) == budget


def test_constraints_are_stored_as_they_were_given_and_only_if_there_are_any() -> None:
    texts = ("a + b == 1", "count(a, b) <= 1")
    space = cm.Space({"a": cm.Real(0, 1), "b": cm.Real(0, 1)}, constraints=texts)
    plan = make_plan(space, {"y": "max"}, seed=1)
    assert to_document(plan)["study"]["constraints"] == list(texts)
    assert read_plan(json.loads(json.dumps(to_document(plan)))) == plan
    assert "constraints" not in to_document(make_plan(cm.Space({"a": cm.Real(0, 1)}), {"y": "max"}))["study"]
