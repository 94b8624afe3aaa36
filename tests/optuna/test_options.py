from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from camobo.errors import InvalidOptionError, InvalidValueError
from camobo.optuna.options import finite_numbers, numbers, read_expensive
from tests.support.strategies import label, law


class TestExpensive:
    def test_ends_and_choices_are_taken_as_they_are(self) -> None:
        assert read_expensive(None) == {}
        assert read_expensive({"x": "low", "c": ["oil"]}) == {"x": "low", "c": ["oil"]}

    @pytest.mark.parametrize(
        ("wrong", "message"),
        [
            ("low", "expensive: need a mapping by parameter name.*got 'low'"),
            (["x"], "expensive: need a mapping"),
            ({1: "low"}, "expensive: need a mapping by parameter name"),
            ({"x": "LOW"}, "expensive: for 'x' need \"low\" or \"high\".*got 'LOW'"),
        ],
        ids=label,
    )
    def test_anything_else_is_refused(self, wrong: Any, message: str) -> None:
        with pytest.raises(InvalidOptionError, match=message):
            read_expensive(wrong)


class TestNumbers:
    @law
    @given(st.lists(st.floats(allow_nan=False) | st.integers(-(2**60), 2**60)))
    def test_every_list_of_numbers_is_floats(self, values: list[float]) -> None:
        assert numbers("reference", values) == tuple(map(float, values))
        assert numbers("reference", tuple(values)) == numbers("reference", np.array(values, dtype=float))

    @pytest.mark.parametrize(
        ("wrong", "message"),
        [
            (1.0, "reference: need a list of numbers, got 1.0"),
            (np.array(1.0), "reference: need a list of numbers"),
            (np.zeros((1, 1)), "reference: need a list of numbers"),
            (b"ab", "reference: need a list of numbers"),
            ("12", "reference: need a list of numbers"),
            ({1.0}, "reference: need a list of numbers"),
            ([math.nan], "reference: need numbers, got nan"),
            ([True], "reference: need numbers, got True"),
            (["1"], "reference: need numbers, got '1'"),
            ([10**400], "reference: need numbers below 1.8e308"),
        ],
        ids=lambda value: type(value).__name__ if not isinstance(value, str) else "",
    )
    def test_what_is_no_list_of_numbers_is_refused(self, wrong: Any, message: str) -> None:
        with pytest.raises(InvalidValueError, match=message):
            numbers("reference", wrong)

    def test_only_finite_numbers_refuse_infinity(self) -> None:
        assert numbers("x", [math.inf]) == (math.inf,)
        assert finite_numbers("x", [1, 2.5]) == (1.0, 2.5)
        with pytest.raises(InvalidValueError, match=r"x: need finite numbers, got \[inf\]"):
            finite_numbers("x", [math.inf])
