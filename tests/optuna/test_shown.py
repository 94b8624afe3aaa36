from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from optuna.distributions import BaseDistribution, CategoricalDistribution, FloatDistribution, IntDistribution

from camobo.optuna.search_space import Inputs
from camobo.optuna.shown import labels, own_params, shown_space
from camobo.space.inputs import Categorical, Integer, Real
from tests.support.strategies import label, law

SPACE: dict[str, BaseDistribution] = {
    "rate": FloatDistribution(1e-4, 1.0, log=True),
    "share": FloatDistribution(0.1, 1.0, step=0.1),
    "trees": IntDistribution(4, 400, log=True),
    "units": IntDistribution(8, 128, step=8),
    "huge": IntDistribution(0, 2**50),
    "rule": CategoricalDistribution(["sqrt", None, 0.5, 1, 1.0, True]),
}


class TestSpace:
    @pytest.mark.parametrize(
        ("distribution", "expected"),
        [
            (FloatDistribution(0, 1, step=0.25), Real(0.0, 1.0, expensive="low")),
            (FloatDistribution(1e-5, 1, log=True), Real(1e-5, 1.0, log=True, expensive="low")),
            (IntDistribution(4, 20, step=4), Integer(4, 20, expensive="low")),
            (IntDistribution(0, 2**50), Real(0.0, 2.0**50, expensive="low")),
        ],
        ids=label,
    )
    def test_numbers_have_their_range_and_no_steps(self, distribution: BaseDistribution, expected: Any) -> None:
        assert shown_space({"x": distribution}, {"x": "low"}).inputs["x"] == expected

    @law
    @given(st.integers(0, 2**32 - 1))
    def test_a_point_has_the_same_unit_coordinates_as_where_it_is_searched(self, seed: int) -> None:
        searched = Inputs.of(SPACE, {})
        unit = searched.space.snap(np.random.default_rng(seed).random((1, len(SPACE))))[0]
        params = own_params(SPACE, shown_space(SPACE, {}, distinct=True).from_unit(unit))
        expected = searched.params(unit)
        assert params.pop("rule") is expected.pop("rule")
        assert params == pytest.approx(expected, rel=1e-12)
        assert all(type(params[name]) is type(value) for name, value in expected.items())

    @pytest.mark.parametrize(
        ("choices", "expensive", "expected"),
        [
            (["air", "oil"], ["oil"], ("oil",)),
            ([1, 2, 4], [4, 2], (4, 2)),
            ([1, 2, 4], [4.0], (4,)),
            ([1, 2, 4], ["4"], (4,)),
            (["a", None], [None], (None,)),
            (["a", math.nan], [math.nan], ("nan",)),
            (["1", 1], [1], ("1",)),
        ],
        ids=label,
    )
    def test_expensive_choices_may_be_given_by_value_or_by_text(
        self, choices: list[Any], expensive: list[Any], expected: tuple[Any, ...]
    ) -> None:
        found = shown_space({"x": CategoricalDistribution(choices)}, {"x": expensive}).inputs["x"]
        assert isinstance(found, Categorical)
        assert found.expensive == expected


class TestLabels:
    def test_choices_are_themselves_unless_they_cannot_be_stored(self) -> None:
        assert list(labels([3, 0.5, "oil", None, True, math.inf]).values()) == [3, 0.5, "oil", None, True, "inf"]

    def test_choices_that_would_read_the_same_are_all_spelled_out(self) -> None:
        assert list(labels(["1", 1, "oil"]).values()) == ["'1'", "1", "'oil'"]
        assert list(labels(["nan", math.nan]).values()) == ["'nan'", "nan"]


class TestOwnParams:
    @pytest.mark.parametrize("choices", [["1", 1, "oil"], [math.nan, "a", None], [2, 4, 8]], ids=label)
    def test_a_choice_comes_back_from_its_label(self, choices: list[Any]) -> None:
        space: dict[str, BaseDistribution] = {"x": CategoricalDistribution(choices)}
        inputs = shown_space(space, {}).inputs["x"]
        assert isinstance(inputs, Categorical)
        back = [own_params(space, {"x": shown})["x"] for shown in inputs.choices]
        assert list(map(repr, back)) == list(map(repr, choices))
