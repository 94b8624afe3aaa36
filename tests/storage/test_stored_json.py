from __future__ import annotations

import time
from types import MappingProxyType
from typing import Any

import pytest

from camobo.storage.stored_json import DEEPEST, LONGEST, read_json, write_json


@pytest.mark.parametrize(
    "value", [{"a": [1, 2.5, None, True, "日本\n\"'\u0000"]}, [], {}, 0.1 + 0.2, -5e-324, "[{" * 99]
)
def test_what_is_written_is_read_again(value: Any) -> None:
    assert read_json(write_json(value)) == value
    assert read_json(write_json(value).encode()) == value


def test_views_are_written_as_what_they_show() -> None:
    assert write_json({"a": MappingProxyType({"b": 1})}) == '{"a":{"b":1}}'


def test_spaces_around_a_value_are_nothing() -> None:
    assert read_json(' {"a": 1}\n') == {"a": 1}


@pytest.mark.parametrize("text", ["", "{", '{"a":1}}', "[1,]", "NaN", '{"x":-Infinity}', "yes", '"\ud800'])
def test_what_is_no_json_or_no_number_is_refused(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011  # each in words of its own
        read_json(text)


@pytest.mark.parametrize("value", [float("nan"), [float("inf")]])
def test_numbers_that_are_not_finite_are_never_written(value: Any) -> None:
    with pytest.raises(ValueError, match="JSON compliant"):
        write_json(value)


@pytest.mark.parametrize("depth", [DEEPEST + 1, 900, 100_000])
@pytest.mark.parametrize("brackets", ["[]", "{}"])
def test_nesting_that_no_study_needs_is_refused_at_once(depth: int, brackets: str) -> None:
    opening = brackets[0] if brackets == "[]" else '{"a":'
    text = opening * depth + "1" + brackets[1] * depth
    started = time.monotonic()
    with pytest.raises(ValueError, match=f"need at most {DEEPEST} lists and tables within each other, got {depth}"):
        read_json(text)
    assert time.monotonic() - started < 1


def test_many_lists_beside_each_other_are_not_deep() -> None:
    assert len(read_json("[" + "[1]," * 500 + "[]]")) == 501


def test_a_text_that_is_too_long_is_refused() -> None:
    with pytest.raises(ValueError, match="need at most"):
        read_json(" " * (LONGEST + 1))
