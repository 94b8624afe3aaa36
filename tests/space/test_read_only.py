from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Callable
from typing import Any

import pytest

from camobo.space.read_only import ReadOnly

CHANGES: dict[str, Callable[[Any], object]] = {
    "set": lambda given: given.__setitem__("x", 2),
    "delete": lambda given: given.__delitem__("x"),
    "update": lambda given: given.update(x=2),
    "unite": lambda given: given.__ior__({"x": 2}),
    "clear": lambda given: given.clear(),
    "pop": lambda given: given.pop("x"),
    "popitem": lambda given: given.popitem(),
    "setdefault": lambda given: given.setdefault("y", 2),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_it_refuses_every_change_and_stays_as_it_was(change: Callable[[Any], object]) -> None:
    given = ReadOnly(x=1)
    with pytest.raises(TypeError, match=r"read-only\. Change a copy of it"):
        change(given)
    assert given == {"x": 1}


@pytest.mark.parametrize(
    "copied",
    [copy.copy, copy.deepcopy, lambda given: pickle.loads(pickle.dumps(given))],
    ids=["copy", "deep", "pickle"],
)
def test_it_can_be_copied_and_pickled_and_is_read_only_again(copied: Callable[[Any], Any]) -> None:
    found = copied(ReadOnly(x=[1, 2]))
    assert found == {"x": [1, 2]}
    assert type(found) is ReadOnly


def test_json_can_hold_it() -> None:
    assert json.dumps(ReadOnly(x=1)) == '{"x": 1}'
