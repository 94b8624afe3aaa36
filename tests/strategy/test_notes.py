from __future__ import annotations

import json
import pickle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from camobo.strategy.notes import Note, Reason
from tests.support.strategies import law

FACTS: dict[Reason, dict[str, Any]] = {
    Reason.JITTER: {"outcome": "strength", "jitter": 1e-8},
    Reason.OTHER: {"text": "drawn by lot"},
}
NOTES = [Note(reason, FACTS.get(reason, {})) for reason in Reason]
every_note = pytest.mark.parametrize("note", NOTES, ids=lambda note: note.reason.value)


@every_note
def test_every_reason_has_a_sentence_of_its_own_on_one_line(note: Note) -> None:
    sentence = str(note)
    assert sentence.strip() == sentence != ""
    assert "\n" not in sentence
    assert "{" not in sentence
    assert [str(other) for other in NOTES].count(sentence) == 1


@every_note
def test_a_note_survives_json_and_pickle(note: Note) -> None:
    assert Note.of(json.loads(json.dumps(note.as_dict()))) == note
    assert pickle.loads(pickle.dumps(note)) == note


def test_a_sentence_quotes_its_facts() -> None:
    assert str(NOTES[list(Reason).index(Reason.JITTER)]) == (
        "the model of 'strength' needed jitter 1e-08 to factorise its covariance"
    )


@law
@given(st.text())
def test_a_sentence_of_an_earlier_version_is_quoted_as_it_is(text: str) -> None:
    assert str(Note(Reason.OTHER, {"text": text})) == text


def test_only_rescues_missing_costs_and_nearly_empty_spaces_are_unusual() -> None:
    assert {reason for reason in Reason if reason.unusual} == {
        Reason.CHEAPEST_LEFT,
        Reason.RANDOM_LEFT,
        Reason.NO_COST,
        Reason.JITTER,
        Reason.OTHER,
    }


@pytest.mark.parametrize(
    "name", ["'y'" + "+1" * 50_000 + "+'z'", "'y'" + "-" * 50_000 + "'z'", "'y', 'z'", "'y' 'z'", "name", "'"]
)
@pytest.mark.parametrize("jitter", ["1e-08", "1e999", "9" * 5000 + "e1"])
def test_a_hostile_sentence_stays_in_its_words(name: str, jitter: str) -> None:
    sentence = f"model of {name}: jitter {jitter} was needed to factorise its covariance"
    assert Note.of_sentence(sentence) == Note(Reason.OTHER, {"text": sentence})


def test_a_number_that_no_float_holds_is_refused() -> None:
    with pytest.raises(ValueError, match="do not fit"):
        Note(Reason.JITTER, {"outcome": "y", "jitter": 10**400})


@every_note
def test_equal_notes_have_equal_hashes(note: Note) -> None:
    assert len({note, Note.of(note.as_dict())}) == 1


def test_a_reason_of_a_later_version_does_not_stop_a_study_from_opening() -> None:
    assert Note.of({"reason": "asked-an-oracle", "wisdom": 3}) == Note(Reason.OTHER, {"text": "asked-an-oracle"})


def test_the_facts_of_a_note_cannot_be_changed() -> None:
    facts = {"text": "drawn by lot"}
    note = Note(Reason.OTHER, facts)
    facts["text"] = "changed"
    assert str(note) == "drawn by lot"
    with pytest.raises(TypeError):
        note.facts["text"] = "changed"  # type: ignore[index]


@pytest.mark.parametrize(
    "plain",
    [
        {},
        {"reason": None},
        {"reason": "jitter"},
        {"reason": "jitter", "outcome": "strength", "jitter": "much"},
        {"reason": "jitter", "outcome": "strength", "jitter": None},
        {"reason": "other"},
    ],
)
def test_plain_data_that_describes_no_note_is_refused(plain: dict[str, Any]) -> None:
    with pytest.raises((KeyError, ValueError)):
        Note.of(plain)


def test_a_refusal_names_the_reason_and_the_facts() -> None:
    with pytest.raises(ValueError, match=r"note 'jitter': facts \{'outcome': 'rust'\} do not fit it: 'jitter'"):
        Note(Reason.JITTER, {"outcome": "rust"})
