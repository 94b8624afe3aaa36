from __future__ import annotations

import builtins
import inspect
import pickle
import re

import pytest

from camobo import errors
from camobo.errors import Advice, CamoboError, InvalidValueError, StorageError, shown

CLASSES: dict[str, type[CamoboError]] = {
    name: given for name, given in vars(errors).items() if inspect.isclass(given) and issubclass(given, CamoboError)
}
KINDS = {name: given for name, given in CLASSES.items() if given is not CamoboError}
DRAWN = dict(re.findall(r"── (\w+)\s+\((\w+)\)", errors.__doc__ or ""))
NESTED = {"OutcomeUnknown": StorageError}
"""Kinds of another kind: whoever catches that catches them too."""


class TestTheTree:
    def test_the_tree_drawn_at_the_top_of_the_module_is_the_real_one(self) -> None:
        assert set(DRAWN) == set(KINDS)

    def test_the_tree_is_small_enough_to_remember(self) -> None:
        assert 1 < len(CLASSES) <= 12

    @pytest.mark.parametrize("name", KINDS)
    def test_every_error_is_camobos_and_the_built_in_it_resembles(self, name: str) -> None:
        resembled = NESTED.get(name) or getattr(builtins, DRAWN[name])
        assert resembled.__name__ == DRAWN[name]
        assert KINDS[name].__bases__ == ((resembled,) if name in NESTED else (CamoboError, resembled))
        with pytest.raises(resembled, match="what went wrong"):
            raise KINDS[name]("what went wrong")
        with pytest.raises(CamoboError, match="what went wrong"):
            raise KINDS[name]("what went wrong")

    @pytest.mark.parametrize("name", CLASSES)
    def test_every_error_says_what_it_stands_for_in_a_sentence(self, name: str) -> None:
        text = CLASSES[name].__doc__ or ""
        assert re.fullmatch(r"[A-Z`].{15,}\.", text, flags=re.DOTALL)


class TestMessages:
    @pytest.mark.parametrize("name", CLASSES)
    def test_the_message_of_an_error_is_printed_unchanged(self, name: str) -> None:
        assert str(CLASSES[name]("trial 3: it's complete")) == "trial 3: it's complete"

    @pytest.mark.parametrize("advice", Advice, ids=lambda advice: advice.name)
    def test_advice_follows_the_message_with_its_facts_filled_in(self, advice: Advice) -> None:
        error = StorageError("alloy.db: no study.", advice=advice, place="alloy.db")
        assert error.message == "alloy.db: no study."
        assert str(error) == f"alloy.db: no study. {advice.value.format(place='alloy.db')}"

    @pytest.mark.parametrize("name", CLASSES)
    def test_a_place_stands_in_front_and_everything_else_stays(self, name: str) -> None:
        error = CLASSES[name]("need a number.", advice=Advice.CREATE, place="a.db")
        found = error.within("a.toml: [space]")
        assert type(found) is CLASSES[name]
        assert str(found) == f"a.toml: [space]: {error}"
        assert (found.place, found.advice, found.facts) == ("a.toml: [space]", Advice.CREATE, {"place": "a.db"})
        assert (error.place, error.message) == (None, "need a number.")

    def test_places_can_be_nested(self) -> None:
        error = InvalidValueError("need a number.").within("nickel").within("row 3")
        assert str(error) == "row 3: nickel: need a number."
        assert error.place == "row 3"

    @pytest.mark.parametrize("name", CLASSES)
    def test_an_error_survives_the_way_from_a_worker_process(self, name: str) -> None:
        error = CLASSES[name]("need a number.", advice=Advice.REOPEN, place="a.db").within("row 3")
        back = pickle.loads(pickle.dumps(error))
        assert (type(back), str(back), back.place) == (type(error), str(error), "row 3")


class TestShown:
    @pytest.mark.parametrize("value", ["oil", 3.5, None, [1, "a"]])
    def test_a_short_value_is_shown_as_python_writes_it(self, value: object) -> None:
        assert shown(value) == repr(value)

    def test_a_long_value_is_shortened_and_its_length_given(self) -> None:
        assert shown("9" * 5000) == f"'{'9' * 39}…{'9' * 9}' (5002 characters)"

    def test_a_number_too_long_for_python_to_print_is_described(self) -> None:
        assert shown(10**5000) == "a number of thousands of digits"
