from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from camobo.errors import InvalidSpaceError, InvalidValueError
from camobo.space.bounds import LARGEST, check_bounds, check_free, number_within, plain
from tests.support.strategies import label, law


class TestPlain:
    @pytest.mark.parametrize("given", [np.float16(0.5), np.int8(3), np.bool_(True), np.str_("oil")], ids=label)
    def test_what_numpy_made_becomes_python_s_own(self, given: Any) -> None:
        assert plain(given) == given
        assert type(plain(given)).__module__ == "builtins"

    @pytest.mark.parametrize("given", [0.5, "oil", None, (1, 2)], ids=label)
    def test_anything_else_stays_itself(self, given: Any) -> None:
        assert plain(given) is given


class TestBounds:
    @pytest.mark.parametrize(
        ("low", "high", "log"), [(0, 1, False), (-LARGEST / 2, LARGEST / 2, False), (5e-324, LARGEST, True)]
    )
    def test_any_finite_range_is_possible(self, low: float, high: float, log: bool) -> None:
        check_bounds("Real", low, high, log=log, unit="%", expensive="low")

    def test_an_error_starts_with_the_kind_of_the_input(self) -> None:
        with pytest.raises(InvalidSpaceError, match=r"^Integer: low must be below high, got low=3, high=2\."):
            check_bounds("Integer", 3, 2, log=False, unit="", expensive="high")


class TestFree:
    @pytest.mark.parametrize("free", [None, 0, 0.5, 20])
    def test_any_value_of_the_range_may_be_free(self, free: Any) -> None:
        check_free("Real", free, 0, 20, expensive="high")

    def test_with_an_expensive_low_end_there_is_none(self) -> None:
        check_free("Real", None, 0, 20, expensive="low")
        with pytest.raises(InvalidSpaceError, match=r"^Real: free and expensive='low' do not go together"):
            check_free("Real", 5, 0, 20, expensive="low")

    def test_an_integer_needs_a_whole_number(self) -> None:
        check_free("Integer", 5, 0, 20, expensive="high")
        with pytest.raises(InvalidSpaceError, match=r"^Integer: free must be a whole number from 0 to 20 .*got 5\.0\."):
            check_free("Integer", 5.0, 0, 20, expensive="high")


class TestNumberWithin:
    @law
    @given(st.floats(0.0, 20.0) | st.integers(0, 20))
    def test_a_number_within_its_bounds_becomes_a_float(self, value: float) -> None:
        assert number_within(value, 0, 20) == value
        assert type(number_within(value, 0, 20)) is float

    @pytest.mark.parametrize("value", [None, "3.5", True, np.True_, 1j, [3.5], b"3"], ids=label)
    def test_what_is_not_a_number_is_refused(self, value: Any) -> None:
        with pytest.raises(InvalidValueError, match=r"^need a number from 0 to 20, got "):
            number_within(value, 0, 20)

    @pytest.mark.parametrize("value", [-0.1, 20.5, math.nan, math.inf, 10**400], ids=label)
    def test_a_number_beyond_its_bounds_is_refused_with_what_to_do(self, value: float) -> None:
        with pytest.raises(InvalidValueError, match=r"^need a number from 0 to 20, got .*widen the input's range"):
            number_within(value, 0, 20)

    @pytest.mark.parametrize(
        ("low", "high", "value", "said"),
        [
            (0, 0.3, np.float32(0.3), "0.30000001192092896"),
            (0.7, 1, np.float32(0.7), "0.699999988079071"),
            (0, 1e39, np.float32("inf"), "inf"),
            (0, 1, np.longdouble("1e4000"), "inf|1e"),
            (0, 10, np.float16("nan"), "nan"),
        ],
        ids=str,
    )
    def test_numbers_from_numpy_are_compared_with_the_bounds_as_doubles(
        self, low: float, high: float, value: Any, said: str
    ) -> None:
        with pytest.raises(InvalidValueError, match=f"^need a number from .*, got .*({said})"):
            number_within(value, low, high)
