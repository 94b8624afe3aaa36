from __future__ import annotations

import functools
import json
import pickle
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from camobo.cost.formula import AbsentFunction, Formula, stored_whole
from camobo.cost.formula_models import FormulaModel, FunctionModel
from camobo.cost.ordered import OrderCost
from camobo.cost.reading import as_cost, read_cost
from camobo.errors import InvalidOptionError
from camobo.space.inputs import Categorical, Integer, Real
from camobo.space.space import Space
from tests.support.strategies import label

SPACE = Space(
    {
        "wc": Real(0, 100),
        "cobalt %": Real(0, 30, step=0.1),
        "batch": Integer(1, 64, log=True),
        "quench": Categorical(["air", "oil"]),
    }
)
TEXT = "0.36*wc + 0.24*`cobalt %` + 5 + if(quench == 'oil', 2, 0)"


def price(params: Mapping[str, Any]) -> float:
    return (
        5.0 + 0.36 * float(params["wc"]) + 0.24 * float(params["cobalt %"]) + (2.0 if params["quench"] == "oil" else 0)
    )


def cost_at(formula: Any, **point: Any) -> float:
    given = {"wc": 50.0, "cobalt %": 10.0, "batch": 1, "quench": "oil", **point}
    return float(np.exp(Formula(formula).over(SPACE).log_cost(SPACE.to_unit(given)[None, :])[0]))


class TestTextAndFunction:
    @pytest.mark.parametrize("formula", [TEXT, price], ids=label)
    def test_both_say_what_a_trial_costs(self, formula: Any) -> None:
        assert cost_at(formula) == pytest.approx(5 + 18 + 2.4 + 2)
        assert cost_at(formula, quench="air", wc=0.0) == pytest.approx(7.4)

    @pytest.mark.parametrize("formula", [TEXT, price], ids=label)
    def test_both_are_money_and_exact_whatever_receipts_say(self, formula: Any) -> None:
        model = Formula(formula).over(SPACE)
        assert model.in_money
        assert model.fitted(np.full((1, 4), 0.5), np.array([1e6])) is model

    def test_a_formula_without_inputs_makes_every_point_cost_the_same(self) -> None:
        assert cost_at("7.5") == pytest.approx(7.5)
        assert Formula("7.5").names() == ()

    def test_a_text_names_its_inputs_and_a_function_none(self) -> None:
        assert Formula(TEXT).names() == ("wc", "cobalt %", "quench")
        assert Formula(price).names() == ()

    def test_a_function_may_be_anything_that_can_be_called(self) -> None:
        assert cost_at(functools.partial(lambda extra, params: extra + params["wc"], 3)) == pytest.approx(53)
        assert cost_at(lambda params: np.float32(4)) == pytest.approx(4)
        assert cost_at(lambda params: np.array(4)) == pytest.approx(4)

    def test_a_part_of_a_formula_says_nothing(self) -> None:
        formula = Formula(TEXT)
        assert formula.among(["quench", "wc", "cobalt %", "more"]) is formula
        assert formula.among(["wc", "quench"]) is None
        assert Formula(price).among([]) == Formula(price)


class TestDocument:
    def test_a_text_is_stored_and_read_again(self) -> None:
        document = Formula(TEXT).document()
        assert document == {"type": "formula", "formula": TEXT}
        assert as_cost(read_cost(json.loads(json.dumps(document)))) == Formula(TEXT)
        assert pickle.loads(pickle.dumps(Formula(TEXT))) == Formula(TEXT)
        assert str(Formula(TEXT)) == TEXT

    def test_of_a_function_only_its_name_is_stored(self) -> None:
        document = Formula(price).document()
        assert document == {"type": "function", "name": "price"}
        assert as_cost(read_cost(document)) == AbsentFunction("price")
        assert str(Formula(price)) == "function price"
        assert Formula(functools.partial(price)).document()["name"] == "function"

    def test_only_a_function_is_not_stored_whole(self) -> None:
        assert not stored_whole(Formula(price))
        assert stored_whole(Formula(TEXT))
        assert stored_whole(OrderCost("a"))
        assert stored_whole(AbsentFunction("price"))


class TestAbsentFunction:
    def test_it_fits_every_space_and_every_receipt_until_a_cost_is_needed(self) -> None:
        model = AbsentFunction("price").over(SPACE)
        assert model.in_money
        assert model.fitted(np.full((1, 4), 0.5), np.array([3.0])) is model
        assert AbsentFunction("price").names() == ()
        assert AbsentFunction("price").among(["a"]) == AbsentFunction("price")

    @pytest.mark.parametrize("ask", ["log_cost", "log_cost_slope"])
    def test_then_it_says_how_to_give_the_function_again(self, ask: str) -> None:
        with pytest.raises(InvalidOptionError, match=r"function 'price', which is not stored.*load\(…, cost=price\)"):
            getattr(AbsentFunction("price").over(SPACE), ask)(np.full((1, 4), 0.5))
        with pytest.raises(InvalidOptionError, match=r"function '<lambda>'.*cost=the function\)"):
            getattr(AbsentFunction("<lambda>").over(SPACE), ask)(np.full((1, 4), 0.5))

    def test_it_is_stored_as_the_function_was(self) -> None:
        assert AbsentFunction("price").document() == Formula(price).document()
        assert str(AbsentFunction("price")) == "function price (not given)"


class TestRefusals:
    @pytest.mark.parametrize("given", [5, 2.5, None, ["wc"], {"wc": 1}, b"wc"], ids=label)
    def test_what_is_neither_text_nor_function_is_refused_with_an_example(self, given: Any) -> None:
        with pytest.raises(
            InvalidOptionError, match=r'^Formula: need text such as "0\.36\*wc \+ 5", or a function'
        ) as c:
            Formula(given)
        assert repr(given) in str(c.value)

    @pytest.mark.parametrize(
        ("text", "said"),
        [
            ("wc", ["got 0 from the formula 'wc' at wc=0, ", "Add what every trial costs"]),
            ("5 - 0.1*wc", ["got -5 from the formula", "wc=100, "]),
            ("log(wc - 50)", ["got nan", "max(…, 1)"]),
            ("1 / wc", ["got inf", "wc=0, "]),
            ("if(quench == 'oil', -1, 1)", ["got -1", "quench='oil'"]),
            ("65 - batch + 0*wc - 1", ["got 0", "batch=64"]),
            ("wc/100 + (30 - `cobalt %`)", ["got 0", "wc=0, cobalt %=30, "]),
            ("1e308 * (wc + 1)", ["got inf"]),
        ],
    )
    def test_a_formula_that_is_no_cost_somewhere_is_refused_with_the_place(self, text: str, said: list[str]) -> None:
        with pytest.raises(InvalidOptionError, match=r"^cost: need a finite number above 0 everywhere, got ") as caught:
            Formula(text).try_out(SPACE)
        assert all(words in str(caught.value) for words in said), str(caught.value)

    def test_a_formula_is_tried_between_the_corners_too(self) -> None:
        with pytest.raises(InvalidOptionError, match="got -"):
            Formula("abs(wc - 50) - 5").try_out(SPACE)

    def test_in_a_space_of_many_inputs_two_corners_are_tried(self) -> None:
        many = Space({f"x{i}": Real(0, 1) for i in range(12)})
        with pytest.raises(InvalidOptionError, match="x0=1, "):
            Formula(
                " + ".join(f"x{i}" for i in range(12)) + " + 1 - 13 * x0*x1*x2*x3*x4*x5*x6*x7*x8*x9*x10*x11"
            ).try_out(many)

    @pytest.mark.parametrize(
        ("function", "said"),
        [
            (lambda params: params["tungsten"], ["KeyError('tungsten')"]),
            (lambda params: 1 / params["wc"], ["ZeroDivisionError", "wc=0, "]),
            (lambda params: None, ["got None"]),
            (lambda params: "12.5", ["got '12.5'"]),
            (lambda params: True, ["got True"]),
            (lambda params: float("nan"), ["got nan"]),
            (lambda params: 10 - params["wc"], ["got -90", "wc=100, "]),
            (lambda: 5, ["TypeError"]),
        ],
        ids=["missing key", "division", "none", "text", "true", "nan", "negative", "no argument"],
    )
    def test_a_function_that_returns_no_cost_somewhere_is_refused_with_what_it_did_and_where(
        self, function: Any, said: list[str]
    ) -> None:
        with pytest.raises(InvalidOptionError, match=r"^cost: need a finite number above 0 everywhere, got ") as caught:
            Formula(function).try_out(SPACE)
        assert all(words in str(caught.value) for words in said), str(caught.value)
        assert " from the function <lambda> at wc=" in str(caught.value)
        assert "It must return what a trial costs" in str(caught.value)

    def test_what_a_function_raised_is_the_cause_of_the_error(self) -> None:
        with pytest.raises(InvalidOptionError) as caught:
            Formula(lambda params: params["tungsten"]).try_out(SPACE)
        assert isinstance(caught.value.__cause__, KeyError)

    def test_stopping_the_program_is_no_answer_of_a_function(self) -> None:
        def stop(params: Mapping[str, Any]) -> float:
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            Formula(stop).try_out(SPACE)

    def test_an_unknown_input_is_refused_with_its_place_and_a_hint(self) -> None:
        with pytest.raises(InvalidOptionError, match=r"unknown input 'wcc'.*Did you mean 'wc'[\s\S]*\^"):
            Formula("wcc + 5").over(SPACE)

    def test_a_slow_function_is_tried_at_few_points(self) -> None:
        calls: list[Any] = []
        Formula(lambda params: len(calls.append(params) or "1")).try_out(SPACE)  # type: ignore[func-returns-value]
        assert 32 <= len(calls) <= 64


def test_the_models_are_those_of_formula_models() -> None:
    assert isinstance(Formula(TEXT).over(SPACE), FormulaModel)
    assert isinstance(Formula(price).over(SPACE), FunctionModel)
