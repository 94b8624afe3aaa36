from __future__ import annotations

import copy
import json
import pickle
from datetime import datetime, timezone
from typing import Any

import pytest

from camobo.history.events import Event

WHEN = datetime(2026, 1, 2, 3, 4, 5, tzinfo=timezone.utc)


def event(**options: Any) -> Event:
    given: dict[str, Any] = {
        "number": 4,
        "kind": "amended",
        "trial": 2,
        "when": WHEN,
        "who": "anna",
        "new": {"values": {"y": 5.0}, "reason": "scale was off"},
        "old": {"values": {"y": 3.0}, "reason": None, "state": "complete"},
    }
    return Event(**{**given, **options})


def test_an_event_cannot_be_changed_nor_what_it_holds() -> None:
    given = event()
    with pytest.raises(AttributeError):
        given.who = "ben"  # type: ignore[misc]
    with pytest.raises(TypeError):
        given.new["reason"] = "another"  # type: ignore[index]
    with pytest.raises(TypeError):
        given.new["values"]["y"] = 9.0


def test_nothing_deep_inside_an_event_can_be_changed() -> None:
    prices = {"nickel": 13.9, "quench": {"oil": 2.0}}
    given = event(kind="set", trial=None, new={"cost": {"type": "prices", "prices": prices}}, old=None)
    prices["nickel"] = 1.0
    assert given.as_dict()["new"]["cost"]["prices"]["nickel"] == 13.9
    with pytest.raises(TypeError):
        given.new["cost"]["prices"]["nickel"] = 1.0
    with pytest.raises(TypeError):
        given.new["cost"]["prices"]["quench"]["oil"] = 1.0


def test_an_event_does_not_change_with_the_dict_it_was_made_of() -> None:
    facts = {"params": {"nickel": 1.0}}
    given = event(new=facts, old=None)
    facts["params"]["nickel"] = 2.0
    assert given.new["params"]["nickel"] == 1.0


def test_as_dict_is_plain_data() -> None:
    plain = event().as_dict()
    assert json.loads(json.dumps(plain, allow_nan=False)) == plain
    assert plain == {
        "number": 4,
        "when": "2026-01-02T03:04:05+00:00",
        "who": "anna",
        "kind": "amended",
        "trial": 2,
        "new": {"values": {"y": 5.0}, "reason": "scale was off"},
        "old": {"values": {"y": 3.0}, "reason": None, "state": "complete"},
    }
    assert event(old=None).as_dict()["old"] is None


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda given: pickle.loads(pickle.dumps(given))])
@pytest.mark.parametrize("old", [None, {"owner": "ben"}])
def test_a_copy_equals_the_event(copied: Any, old: Any) -> None:
    given = event(old=old)
    again = copied(given)
    assert again == given
    with pytest.raises(TypeError):
        again.new["values"]["y"] = 9.0


def test_text_says_what_happened_and_what_it_replaced() -> None:
    assert str(event()) == (
        "4 2026-01-02 03:04:05 anna: amended trial 2 values={'y': 5.0}, reason=scale was off "
        "(before: values={'y': 3.0}, reason=None, state=complete)"
    )
    assert str(event(kind="set", trial=None, new={"budget": 9}, old=None)).endswith("anna: set budget=9")
    assert str(event(kind="told", new={"values": {}, "cost": 3.5}, old={"cost": 1.5})).endswith("(before: cost=1.5)")
