from __future__ import annotations

import inspect
import math
from datetime import timedelta
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from camobo.checks import (
    LONGEST_LEASE,
    check_objective_count,
    duration,
    lease_of,
    money,
    objectives_of,
    one_of,
    owner_name,
    remark,
    renamed,
    values_of,
    whole,
)
from camobo.errors import Advice, InvalidOptionError, InvalidValueError
from tests.support.strategies import label, law


@renamed("dear", "expensive")
def price(name: str, *, expensive: str = "high") -> str:
    """The price of a name."""
    return f"{name} {expensive}"


@renamed("dear", "expensive")
class Priced:
    def __init__(self, name: str, *, expensive: str = "high") -> None:
        self.text = f"{name} {expensive}"


class TestRenamed:
    @pytest.mark.parametrize("call", [price, Priced])
    def test_the_old_name_of_a_keyword_is_an_error_that_gives_the_new_one(self, call: Any) -> None:
        with pytest.raises(InvalidOptionError, match=r"^dear=: this option is now called expensive=\. Rename it\.$"):
            call("nickel", dear="low")

    def test_other_calls_are_unchanged(self) -> None:
        assert price("nickel", expensive="low") == Priced("nickel", expensive="low").text == "nickel low"
        assert price("nickel") == Priced("nickel").text == "nickel high"
        with pytest.raises(TypeError, match="cheap"):
            price("nickel", cheap="low")  # type: ignore[call-arg]

    @pytest.mark.parametrize("call", [price, Priced])
    def test_the_signature_stays_and_a_class_stays_a_class(self, call: Any) -> None:
        assert list(inspect.signature(call).parameters) == ["name", "expensive"]
        assert isinstance(Priced, type)
        assert price.__doc__ == "The price of a name."


class TestWhole:
    @pytest.mark.parametrize("value", [3, np.int8(3), np.uint64(3)])
    def test_a_whole_number_becomes_an_int(self, value: Any) -> None:
        assert whole("budget", value, 1) == 3
        assert type(whole("budget", value, 1)) is int

    @pytest.mark.parametrize("value", [0, -1, 1.0, "3", True, np.True_, None, math.nan, [3]], ids=label)
    def test_anything_else_or_less_is_refused_by_name(self, value: Any) -> None:
        with pytest.raises(InvalidOptionError, match=r"^budget: need a whole number of at least 1, got "):
            whole("budget", value, 1)

    def test_more_than_the_most_is_refused_with_both_ends(self) -> None:
        assert whole("n", 1000, 1, 1000) == 1000
        with pytest.raises(InvalidOptionError, match=r"^n: need a whole number from 1 to 1000, got 1001\.$"):
            whole("n", 1001, 1, 1000)

    def test_a_whole_number_too_long_to_store_is_refused(self) -> None:
        with pytest.raises(
            InvalidOptionError, match=r"budget: need a whole number of at most 300 digits, got a number"
        ):
            whole("budget", 10**5000, 1)
        assert whole("seed", 2**70, 0) == 2**70


class TestOneOf:
    def test_an_allowed_word_is_returned(self) -> None:
        assert one_of("method", "paper", ("default", "paper")) == "paper"

    @pytest.mark.parametrize("value", ["Paper", "", None, 1, ["paper"], np.array(["paper", "default"])], ids=label)
    def test_anything_else_is_refused_with_what_is_allowed(self, value: Any) -> None:
        with pytest.raises(InvalidOptionError, match=r"^method: need one of 'default', 'paper', got "):
            one_of("method", value, ("default", "paper"))


class TestObjectives:
    def test_objectives_are_copied_in_their_order(self) -> None:
        given = {"strength": "max", "corrosion": "min"}
        found = objectives_of(given)
        assert list(found.items()) == list(given.items())
        assert found is not given

    @pytest.mark.parametrize(
        ("given", "said"),
        [
            (None, r"need at least one, such as \{\"strength\": \"max\"\}, got None"),
            ({}, r"need at least one, .*got \{\}"),
            (["strength"], r"need at least one, .*got \['strength'\]"),
            ({1: "max"}, "a name must be text that is not blank, got 1"),
            ({" ": "max"}, "a name must be text that is not blank, got ' '"),
            ({"strength": "up"}, "'strength' must be \"min\" or \"max\", got 'up'"),
            ({"strength": 1}, '\'strength\' must be "min" or "max", got 1'),
        ],
        ids=label,
    )
    def test_what_says_no_names_and_goals_is_refused(self, given: Any, said: str) -> None:
        with pytest.raises(InvalidOptionError, match=f"^objectives: {said}"):
            objectives_of(given)

    def test_more_objectives_than_a_hypervolume_can_have_are_refused_with_what_to_do(self) -> None:
        check_objective_count(range(31))
        with pytest.raises(InvalidOptionError, match=r"^objectives: need at most 31, got 32\..*Leave some out"):
            check_objective_count(range(32))
        with pytest.raises(InvalidOptionError, match="need at most 31, got 40"):
            objectives_of({f"y{i}": "min" for i in range(40)})


GOALS = {"a": "min", "b": "max"}


class TestValues:
    def test_values_become_floats_in_the_order_of_the_objectives(self) -> None:
        found = values_of({"b": np.float32(2.5), "a": Fraction(1, 4)}, GOALS)
        assert list(found.items()) == [("a", 0.25), ("b", 2.5)]
        assert {type(value) for value in found.values()} == {float}

    def test_partial_values_need_one_at_least_and_full_values_need_all(self) -> None:
        assert values_of({"b": 1}, GOALS, partial=True) == {"b": 1.0}
        with pytest.raises(InvalidValueError, match="no value for 'a'"):
            values_of({"b": 1}, GOALS)
        with pytest.raises(InvalidValueError, match="need at least one, got none"):
            values_of({}, GOALS, partial=True)

    @pytest.mark.parametrize("partial", [False, True])
    def test_an_unknown_objective_is_refused_with_the_known_ones(self, partial: bool) -> None:
        with pytest.raises(InvalidValueError, match=r"^values: no objective called 'c'\. This study measures a, b\.$"):
            values_of({"a": 1, "b": 2, "c": 3}, GOALS, partial=partial)

    @pytest.mark.parametrize("given", [None, 3.0, [1, 2], "a"], ids=label)
    def test_values_without_names_are_refused(self, given: Any) -> None:
        with pytest.raises(InvalidValueError, match=r"^errors: need a number for each of a, b by name, got "):
            values_of(given, GOALS, what="errors")

    @pytest.mark.parametrize("value", [math.nan, -math.inf, None, "3", True, np.True_, 1j, 10**400], ids=label)
    def test_a_value_that_is_not_a_finite_number_is_refused_with_how_to_record_a_failure(self, value: Any) -> None:
        with pytest.raises(InvalidValueError, match=r"^objective 'b': need a finite number, got ") as caught:
            values_of({"a": 1, "b": value}, GOALS)
        assert caught.value.advice is Advice.FAIL

    def test_other_arguments_than_values_are_named_and_have_no_such_advice(self) -> None:
        with pytest.raises(InvalidValueError, match=r"^errors: objective 'b' needs a finite number, got nan") as caught:
            values_of({"a": 1, "b": math.nan}, GOALS, what="errors")
        assert caught.value.advice is None


class TestMoney:
    @pytest.mark.parametrize("cost", [-1, math.nan, math.inf, "3", True, 10**400], ids=label)
    def test_what_cannot_be_a_cost_is_refused(self, cost: Any) -> None:
        with pytest.raises(InvalidValueError, match=r"^cost: need a finite number of at least 0, got "):
            money(cost)

    def test_a_cost_is_a_float_or_none(self) -> None:
        assert (money(None), money(0), money(np.float32(2.5))) == (None, 0.0, 2.5)


class TestText:
    @law
    @given(st.text())
    def test_every_text_becomes_one_that_can_be_stored_and_most_stay_unchanged(self, text: str) -> None:
        stored = remark("note", text)
        assert "\0" not in stored
        assert stored.encode().decode() == stored
        if "\0" not in text and not any("\ud800" <= letter <= "\udfff" for letter in text):
            assert stored == text

    @pytest.mark.parametrize("text", [None, 3, b"note"], ids=label)
    def test_what_is_not_text_is_refused_by_name(self, text: Any) -> None:
        with pytest.raises(InvalidValueError, match=r"^note: need text, got "):
            remark("note", text)

    def test_an_owner_is_a_name_or_none(self) -> None:
        assert (owner_name(None), owner_name("Änna ")) == (None, "Änna ")

    @pytest.mark.parametrize("owner", ["", " ", 3, b"anna"])
    def test_an_owner_without_a_name_is_refused(self, owner: Any) -> None:
        with pytest.raises(InvalidOptionError, match=r"^owner: need a name that is not blank"):
            owner_name(owner)

    @pytest.mark.parametrize("owner", ["an\0na", "an\ud800na"])
    def test_an_owner_whose_name_cannot_be_stored_is_refused_with_the_cause(self, owner: str) -> None:
        with pytest.raises(InvalidOptionError, match=r"^owner: need a name without null characters"):
            owner_name(owner)


class TestDuration:
    @pytest.mark.parametrize(
        ("given_time", "seconds"),
        [
            ("90s", 90),
            ("1.5m", 90),
            ("2h", 7200),
            ("3d", 259200),
            ("1 w", 604800),
            (5, 5),
            (0.5, 0.5),
            (np.int64(3), 3),
            (timedelta(minutes=2), 120),
        ],
        ids=label,
    )
    def test_a_length_of_time_is_read(self, given_time: Any, seconds: float) -> None:
        assert duration("lease", given_time) == timedelta(seconds=seconds)

    @pytest.mark.parametrize("given_time", ["", "2", "h", "2 fortnights", "-1h", True, [1]], ids=label)
    def test_what_is_not_a_length_of_time_is_refused_by_name(self, given_time: Any) -> None:
        with pytest.raises(InvalidOptionError, match=r"^timeout: need a time such as"):
            duration("timeout", given_time)

    @pytest.mark.parametrize("given_time", [0, -1, 1e-9, "0s", math.nan, math.inf, "9999999w", timedelta(0)], ids=label)
    def test_a_time_too_short_or_too_long_is_refused_with_the_limits(self, given_time: Any) -> None:
        with pytest.raises(InvalidOptionError, match=r"^lease: need a time from 0\.001 seconds to 36500 days"):
            duration("lease", given_time)

    def test_no_time_at_all_is_none(self) -> None:
        assert duration("lease", None) is None

    def test_a_lease_is_at_most_a_year(self) -> None:
        assert lease_of("366d") == LONGEST_LEASE
        assert lease_of(None) is None
        with pytest.raises(
            InvalidOptionError, match=r"lease: need at most 366 days, got '53w'\. .*leave the lease out"
        ):
            lease_of("53w")


def test_minimize_and_maximize_are_other_words_for_min_and_max() -> None:
    assert objectives_of({"a": "minimize", "b": "maximize", "c": "max"}) == {"a": "min", "b": "max", "c": "max"}
    assert objectives_of({"a": "minimise", "b": "maximise"}) == {"a": "min", "b": "max"}
