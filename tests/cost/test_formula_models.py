from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from camobo.arrays import Array
from camobo.cost.expression import parse
from camobo.cost.expression_text import spelled
from camobo.cost.formula import Formula
from camobo.cost.formula_models import FormulaModel, FunctionModel
from camobo.space.inputs import Categorical, Integer, Real
from camobo.space.space import Space
from tests.support.costs import costed_spaces
from tests.support.strategies import law, units

SPACE = Space(
    {
        "linear": Real(2, 10),
        "log": Real(0.01, 10, log=True),
        "whole": Integer(1, 64, log=True),
        "steps": Real(0, 3, step=0.1),
        "choice": Categorical(["a", "b", "c"]),
    }
)
TEXT = "1 + linear^2 + sqrt(log) * linear + whole + steps + if(choice == 'b', log, 3)"


def of_text(text: str, space: Space = SPACE) -> FormulaModel:
    return FormulaModel(space, parse(text, space.inputs))


def function(params: Mapping[str, Any]) -> float:
    extra = params["log"] if params["choice"] == "b" else 3
    numbers = params["linear"] ** 2 + math.sqrt(params["log"]) * params["linear"] + params["whole"] + params["steps"]
    return float(1 + numbers + extra)


def random_points(count: int) -> Array:
    return SPACE.snap(np.random.default_rng(0).uniform(0.01, 0.99, (count, SPACE.dimension)))


class TestValues:
    def test_a_formula_and_a_function_that_say_the_same_cost_the_same(self) -> None:
        points = random_points(200)
        np.testing.assert_allclose(
            of_text(TEXT).log_cost(points), FunctionModel(SPACE, function).log_cost(points), rtol=1e-12
        )

    @law
    @given(st.data())
    def test_a_formula_gets_the_values_that_are_evaluated(self, data: st.DataObject) -> None:
        space = data.draw(costed_spaces())
        points = space.snap(data.draw(units(space)))
        for name, of_input in space.inputs.items():
            if isinstance(of_input, Categorical):
                continue
            found = of_text(spelled(name), space).costs(points)
            expected = [space.from_unit(point)[name] for point in points]
            if of_input.continuous:
                size = max(abs(of_input.low), abs(of_input.high)) if not of_input.log else np.abs(expected)
                np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12 * np.max(size))
            else:
                np.testing.assert_array_equal(found, expected)

    def test_steps_whole_numbers_and_ends_compare_as_they_are_written(self) -> None:
        stops = np.zeros((31, 5))
        stops[:, 3] = SPACE.inputs["steps"].stops()
        assert of_text("if(steps <= 0.3, 1, 2)").costs(stops).tolist() == [1.0] * 4 + [2.0] * 27
        whole = np.zeros((64, 5))
        whole[:, 2] = Integer(1, 64, log=True).stops()
        assert of_text("if(whole >= 3, 1, 2)").costs(whole).tolist() == [2.0] * 2 + [1.0] * 62
        ends = np.array([[0.0] * 5, [1.0] * 5])
        assert of_text("if(linear == 10 and log == 10, 1, 2)").costs(ends).tolist() == [2.0, 1.0]
        assert of_text("if(linear == 2 and log == 0.01, 1, 2)").costs(ends).tolist() == [1.0, 2.0]

    def test_a_formula_of_no_input_has_a_value_at_every_point(self) -> None:
        np.testing.assert_array_equal(of_text("7").costs(random_points(3)), [7.0, 7.0, 7.0])
        np.testing.assert_array_equal(of_text("7").log_cost_slope(random_points(3)), np.zeros((3, 5)))

    @pytest.mark.parametrize(
        "model", [of_text("linear - 6"), FunctionModel(SPACE, lambda params: params["linear"] - 6)], ids=["text", "f"]
    )
    def test_where_it_is_no_cost_it_is_more_expensive_than_any_cost_and_flat(
        self, model: FormulaModel | FunctionModel
    ) -> None:
        points = np.zeros((2, 5))
        points[1, 0] = 1.0
        bad, good = model.log_cost(points)
        assert bad > math.log(1.7e308)
        assert good == pytest.approx(math.log(4))
        assert np.all(model.log_cost_slope(points)[0] == 0.0)
        assert model.log_cost_slope(points)[1, 0] == pytest.approx(2.0, rel=1e-3)

    def test_a_function_that_raises_where_it_was_not_tried_stops_nothing(self) -> None:
        model = FunctionModel(SPACE, lambda params: 1 / 0 if params["linear"] > 5 else 1.0)
        costs = model.log_cost(np.array([[0.0] * 5, [1.0] * 5]))
        assert costs[0] == 0.0
        assert costs[1] > 700.0


class TestSlopes:
    @pytest.mark.parametrize("model", [of_text(TEXT), FunctionModel(SPACE, function)], ids=["text", "function"])
    def test_they_are_those_of_central_differences_along_linear_and_logarithmic_inputs(
        self, model: FormulaModel | FunctionModel
    ) -> None:
        points = random_points(50)
        for j in (0, 1):
            move = 1e-6 * np.eye(5)[j]
            differences = (model.log_cost(points + move) - model.log_cost(points - move)) / 2e-6
            np.testing.assert_allclose(model.log_cost_slope(points)[:, j], differences, rtol=1e-3, atol=1e-6)

    @pytest.mark.parametrize("model", [of_text(TEXT), FunctionModel(SPACE, function)], ids=["text", "function"])
    def test_there_are_none_along_whole_numbers_steps_and_choices(self, model: FormulaModel | FunctionModel) -> None:
        np.testing.assert_array_equal(model.log_cost_slope(random_points(20))[:, 2:], np.zeros((20, 3)))

    def test_those_of_a_formula_are_exact(self) -> None:
        points = random_points(20)
        value = 2 + 8 * points[:, 0]
        slopes = of_text("linear ^ 2").log_cost_slope(points)
        np.testing.assert_allclose(slopes[:, 0], 2 / value * 8, rtol=1e-12)
        np.testing.assert_allclose(of_text("log ^ 2").log_cost_slope(points)[:, 1], 2 * math.log(1000), rtol=1e-12)

    def test_a_function_is_only_asked_inside_the_space(self) -> None:
        asked: list[float] = []

        def noted(params: Mapping[str, Any]) -> float:
            asked.append(params["linear"])
            return 1.0

        FunctionModel(SPACE, noted).log_cost_slope(np.array([[0.0] * 5, [1.0] * 5]))
        assert 2.0 <= min(asked) <= max(asked) <= 10.0


@pytest.mark.parametrize("high", [1e300, 1e304])
def test_formulas_over_the_widest_ranges_do_not_overflow(high: float) -> None:
    space = Space({"x": Real(1e-300, high, log=True)})
    coordinates = np.linspace(0, 1, 50)[:, None]
    model = of_text("x", space)
    np.testing.assert_allclose(model.log_cost(coordinates)[[0, -1]], [math.log(1e-300), math.log(high)], rtol=1e-12)
    assert np.all(np.isfinite(model.log_cost(coordinates)))
    np.testing.assert_allclose(model.log_cost_slope(coordinates), math.log(high) - math.log(1e-300), rtol=1e-9)


class TestKnownCosts:
    def test_a_function_is_asked_once_for_the_same_params_by_all_models_of_a_cost(self) -> None:
        asked: list[dict[str, Any]] = []

        def slow(params: Mapping[str, Any]) -> float:
            asked.append(dict(params))
            return function(params)

        cost, points = Formula(slow), random_points(20)
        first = cost.over(SPACE).log_cost(points)
        np.testing.assert_array_equal(cost.over(SPACE).log_cost(points), first)
        assert len(asked) == 20

    def test_params_that_are_equal_but_differ_are_asked_for_each(self) -> None:
        space = Space({"choice": Categorical([1, True, 0, False])})
        cost = Formula(lambda params: 2.0 if isinstance(params["choice"], bool) else 1.0)
        found = np.exp(cost.over(space).log_cost(np.array([[space.to_unit({"choice": c})[0]] for c in (1, True)])))
        np.testing.assert_allclose(found, [1.0, 2.0])

    def test_what_a_function_raises_is_not_remembered(self) -> None:
        answers: Iterator[Exception | float] = iter([ConnectionError("server down"), 4.0])

        def unreliable(params: Mapping[str, Any]) -> float:
            answer = next(answers)
            if isinstance(answer, Exception):
                raise answer
            return answer

        model, point = Formula(unreliable).over(SPACE), random_points(1)
        assert model.log_cost(point)[0] > 700.0
        assert math.isclose(math.exp(model.log_cost(point)[0]), 4.0)
