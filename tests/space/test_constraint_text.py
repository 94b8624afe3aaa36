from __future__ import annotations

import contextlib
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from camobo.errors import InvalidSpaceError
from camobo.space.constraint_text import Sum, read, spelled
from tests.support.strategies import law, marked


@pytest.mark.parametrize(
    ("text", "terms", "sign", "constant"),
    [
        ("nickel + chromium <= 20", {"nickel": 1, "chromium": 1}, "<=", -20),
        ("2*a >= b", {"a": 2, "b": -1}, ">=", 0),
        ("a = 0.1 * 3", {"a": 1}, "==", Fraction(-3, 10)),
        ("100 == a + b", {"a": -1, "b": -1}, "==", 100),
        ("-(a - 2*b)/4 + 1e1 <= a", {"a": Fraction(-5, 4), "b": Fraction(1, 2)}, "<=", 10),
        ("`nickel %` + `a``b` <= count", {"nickel %": 1, "a`b": 1, "count": -1}, "<=", 0),
        ("a - 2*(a - b) + a <= 3", {"b": 2}, "<=", -3),
    ],
)
def test_a_sum_is_read_in_exact_fractions(text: str, terms: dict[str, Fraction], sign: str, constant: Fraction) -> None:
    said = read(text)
    assert (said.sum, said.sign, said.counted) == (Sum(Fraction(constant), terms), sign, None)


@pytest.mark.parametrize("text", ["count(a, `b c`) <= 2", "2 >= count(a, `b c`)"])
def test_a_count_may_stand_on_either_side(text: str) -> None:
    said = read(text)
    assert said.counted == ("a", "b c")
    assert said.sign == "<="
    assert said.sum.constant == -2


@pytest.mark.parametrize(
    ("text", "said", "place"),
    [
        ("", "need a number or an input, got the end", ""),
        ("a + b", "need <=, >= or ==, got the end", ""),
        ("a < 3", "Write <=", "< 3"),
        ("a ≤ 3", "Write <=", "≤ 3"),
        ("a*b <= 3", "only sums of inputs can be limited, not products", "*b <= 3"),
        ("a^2 <= 3", "not powers", "^2 <= 3"),
        ("a**2 <= 3", "need a number or an input", "*2 <= 3"),
        ("3/a <= 3", "only a number can divide", "/a <= 3"),
        ("a/0 <= 3", "divided by 0", "/0 <= 3"),
        ("2a <= 3", "To multiply write *", "a <= 3"),
        ("1 <= a <= 3", "Write two constraints", "<= 3"),
        ("a - a <= 3", "no input is left", "<= 3"),
        ("(a + b <= 3", "need )", "<= 3"),
        ("max(a, b) <= 3", "only count", "max(a, b) <= 3"),
        ("count(a, a) <= 1", "'a' is counted twice", "a) <= 1"),
        ("count(a, 3) <= 1", "need the name of an input", "3) <= 1"),
        ("count() <= 1", "need the name of an input", ") <= 1"),
        ("count(a, b) <= c", "compared with a whole number", "<= c"),
        ("count(a, b) + 1 <= 3", "need <=, >= or ==", "+ 1 <= 3"),
        ("1 + count(a, b) <= 3", "a count stands alone", "count(a, b) <= 3"),
        ("`a <= 3", "never closed", "`a <= 3"),
        ("a % b <= 3", "backquotes", "% b <= 3"),
    ],
)
def test_a_mistake_is_shown_with_its_place(text: str, said: str, place: str) -> None:
    with pytest.raises(InvalidSpaceError) as caught:
        read(text)
    assert said in str(caught.value)
    assert marked(str(caught.value)) == place


def test_very_long_and_very_deep_texts_are_refused() -> None:
    for text in ("a + " * 1000 + "a <= 1", "(" * 400 + "a" + ")" * 400 + " <= 1"):
        with pytest.raises(InvalidSpaceError, match="at most"):
            read(text)


@law
@given(st.text(max_size=30) | st.text("ab`(+-*/<=>.,0 count", max_size=30))
def test_any_text_is_read_or_refused_as_a_constraint(text: str) -> None:
    with contextlib.suppress(InvalidSpaceError):
        read(text)


@law
@given(st.text(min_size=1))
def test_every_name_can_be_spelled(name: str) -> None:
    assert list(read(f"{spelled(name)} <= 1").sum.terms) == [name]
