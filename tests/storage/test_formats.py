from __future__ import annotations

from typing import Any

import pytest

from camobo.storage.formats import current_document, current_facts, current_kind


@pytest.mark.parametrize("document", [{}, {"space": 3}, {"space": {"a": 3}}, {"space": {"a": {"low": 0}}, "study": {}}])
def test_a_document_that_says_nothing_old_stays_as_it_is(document: dict[str, Any]) -> None:
    assert current_document(document) == document


def test_every_input_says_expensive_and_keeps_its_place_and_the_rest() -> None:
    old: Any = {
        "space": {"b": {"type": "real", "dear": "low", "low": 0}, "a": {"dear": ["x"]}},
        "objectives": {"y": "max"},
    }
    new = current_document(old)
    assert new == {
        "space": {"b": {"type": "real", "expensive": "low", "low": 0}, "a": {"expensive": ["x"]}},
        "objectives": {"y": "max"},
    }
    assert list(new["space"]) == ["b", "a"]
    assert list(new["space"]["b"]) == ["type", "expensive", "low"]
    assert "dear" in old["space"]["a"], "what was read is not changed"


@pytest.mark.parametrize("facts", [{}, {"notes": []}, {"notes": [{"reason": "explores"}]}, {"notes": 3}, [1], 3, None])
def test_facts_that_say_nothing_old_stay_as_they_are(facts: Any) -> None:
    assert current_facts(facts) is facts


def test_sentences_become_data_beside_notes_that_are_data_already() -> None:
    facts = {"owner": "anna", "notes": ["improves the front", {"reason": "explores"}, 5]}
    assert current_facts(facts) == {
        "owner": "anna",
        "notes": [{"reason": "improves-front"}, {"reason": "explores"}, 5],
    }


@pytest.mark.parametrize(
    ("study", "cost"),
    [
        ({"cost": {"type": "additive", "order": "a > b", "strength": 3.0}, "method": "default"}, "a > b"),
        ({"cost": {"type": "additive", "order": "a > b"}, "method": "paper"}, "a > b"),
        ({"cost": {"type": "paper", "order": "a > b", "weights": "printed"}, "method": "default"}, "a > b"),
        ({"cost": {"type": "additive", "order": "a > b"}}, "a > b"),
    ],
    ids=str,
)
def test_a_cost_that_is_no_more_is_its_order(study: dict[str, Any], cost: str) -> None:
    old = {"space": {}, "study": {"seed": 1, **study, "beta": "practical"}}
    new = current_document(old)
    assert new["study"] == {"seed": 1, **study, "beta": "practical", "cost": cost}
    assert list(new["study"]) == list(old["study"])
    assert isinstance(old["study"]["cost"], dict), "what was read is not changed"


@pytest.mark.parametrize(
    "study",
    [
        {"cost": "a > b"},
        {"cost": {"type": "paper", "order": "a"}, "method": "paper"},
        {"cost": {"type": "prices", "prices": {"a": 3}}, "method": "default"},
        {"cost": {"type": "function", "name": "price"}},
        {"cost": 3},
        {},
    ],
    ids=str,
)
def test_every_other_cost_stays(study: dict[str, Any]) -> None:
    assert current_document({"space": {}, "study": study}) == {"space": {}, "study": study}


@pytest.mark.parametrize(("kind", "now"), [("planned", "set"), ("set", "set"), ("told", "told"), ("melted", "melted")])
def test_events_that_change_the_plan_are_called_set(kind: str, now: str) -> None:
    assert current_kind(kind) == now
