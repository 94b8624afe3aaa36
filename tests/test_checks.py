from __future__ import annotations

import math
from datetime import timedelta
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import camobo as cm
from camobo.checks import duration, money, owner_name, remark, values_of, whole
from strategies import law


@pytest.mark.parametrize(
    ("given_time", "seconds"),
    [("90s", 90), ("1.5m", 90), ("2h", 7200), ("3d", 259200), ("1 w", 604800), (5, 5), (0.5, 0.5), (np.int64(3), 3)],
)
def test_a_length_of_time_is_read(given_time: Any, seconds: float) -> None:
    assert duration("lease", given_time) == timedelta(seconds=seconds)


@pytest.mark.parametrize("given_time", ["", "2", "h", "2 fortnights", "-1h", True, [1]])
def test_what_is_no_length_of_time_is_refused_by_name(given_time: Any) -> None:
    with pytest.raises(cm.InvalidOptionError, match=r"^timeout: need a time such as"):
        duration("timeout", given_time)


@pytest.mark.parametrize("given_time", [0, -1, 1e-9, "0s", math.nan, math.inf, "9999999w", timedelta(0)])
def test_a_time_too_short_or_too_long_is_refused_with_the_limits(given_time: Any) -> None:
    with pytest.raises(cm.InvalidOptionError, match=r"^lease: need a time from 0\.001 seconds to 36500 days"):
        duration("lease", given_time)


def test_no_time_at_all_is_none() -> None:
    assert duration("lease", None) is None


@law
@given(st.text())
def test_every_text_becomes_one_that_can_be_encoded_and_most_stay_as_they_are(text: str) -> None:
    kept = remark("note", text)
    assert "\0" not in kept
    assert kept.encode().decode() == kept
    if "\0" not in text and not any("\ud800" <= letter <= "\udfff" for letter in text):
        assert kept == text


@pytest.mark.parametrize("cost", [-1, math.nan, math.inf, "3", True, 10**400])
def test_a_cost_that_is_none_is_refused(cost: Any) -> None:
    with pytest.raises(cm.InvalidValueError, match=r"^cost: need a finite number of at least 0"):
        money(cost)


def test_a_cost_is_a_float_or_nothing() -> None:
    assert (money(None), money(0), money(np.float32(2.5))) == (None, 0.0, 2.5)


@pytest.mark.parametrize("owner", ["", " ", 3, b"anna"])
def test_a_name_that_is_none_is_refused(owner: Any) -> None:
    with pytest.raises(cm.InvalidOptionError, match=r"^owner: need a name that is not blank"):
        owner_name(owner)


@pytest.mark.parametrize("owner", ["an\0na", "an\ud800na"])
def test_a_name_that_cannot_be_kept_is_refused_with_the_cause(owner: str) -> None:
    with pytest.raises(cm.InvalidOptionError, match=r"^owner: need a name without null characters"):
        owner_name(owner)


def test_some_values_will_do_if_some_are_asked_for_and_none_never_do() -> None:
    goals = {"a": "min", "b": "max"}
    assert values_of({"b": 1}, goals, partial=True) == {"b": 1.0}
    with pytest.raises(cm.InvalidValueError, match="no value for 'a'"):
        values_of({"b": 1}, goals)
    with pytest.raises(cm.InvalidValueError, match="need at least one, got none"):
        values_of({}, goals, partial=True)


def test_a_whole_number_that_could_not_be_written_down_is_refused() -> None:
    with pytest.raises(cm.InvalidOptionError, match=r"budget: need a whole number of at most 300 digits, got a number"):
        whole("budget", 10**5000, 1)
    assert whole("seed", 2**70, 0) == 2**70
