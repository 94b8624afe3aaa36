from __future__ import annotations

from typing import Any

import pytest

from camobo.storage.formats import current_document, current_facts


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
