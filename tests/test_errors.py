from __future__ import annotations

import builtins
import inspect
import re

import pytest

from camobo import errors
from camobo.errors import CamoboError

CLASSES: dict[str, type[Exception]] = {
    name: given for name, given in vars(errors).items() if inspect.isclass(given) and issubclass(given, Exception)
}
KINDS = {name: given for name, given in CLASSES.items() if given is not CamoboError}
DRAWN = dict(re.findall(r"── (\w+)\s+\((\w+)\)", errors.__doc__ or ""))


def test_the_tree_drawn_at_the_top_of_the_module_is_the_tree_there_is() -> None:
    assert set(DRAWN) == set(KINDS)


def test_the_tree_is_small_enough_to_remember() -> None:
    assert 1 < len(CLASSES) <= 10


@pytest.mark.parametrize("name", KINDS)
def test_every_error_is_camobos_and_the_built_in_it_resembles(name: str) -> None:
    resembled = getattr(builtins, DRAWN[name])
    assert KINDS[name].__bases__ == (CamoboError, resembled)
    with pytest.raises(resembled, match="what went wrong"):
        raise KINDS[name]("what went wrong")
    with pytest.raises(CamoboError, match="what went wrong"):
        raise KINDS[name]("what went wrong")


@pytest.mark.parametrize("name", CLASSES)
def test_every_error_says_what_it_stands_for_in_a_sentence(name: str) -> None:
    text = CLASSES[name].__doc__ or ""
    assert re.fullmatch(r"[A-Z`].{15,}\.", text, flags=re.DOTALL)


@pytest.mark.parametrize("name", KINDS)
def test_the_message_of_an_error_is_printed_as_it_was_written(name: str) -> None:
    assert str(KINDS[name]("trial 3: it's told")) == "trial 3: it's told"
