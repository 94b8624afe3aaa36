"""The format of stored studies, and older ones read in today's words.

    1 → 2   inputs say `expensive` instead of `dear`; the reason for a suggestion is data instead of a sentence
    2 → 3   an additive cost, or the paper's in the default method, is its order; events that change the plan are called
            "set" instead of "planned"
    3 → 4   an event may be "late"; each event has a hash and the id of the request that stored it; the row of the study
            has the hashes of its description and of all events (`chain`)

Reading converts in memory and writes nothing, so that a study of an older format can be looked at wherever it lies. The
first change of a study converts what is stored (`migrations`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from camobo.history.events import Kind
from camobo.strategy.notes import Note

FORMAT = 4
"""What this version writes. A change of tables, document or events raises it and adds a migration."""
OLDEST = 1
"""What this version still reads."""


def current_document(document: Mapping[str, Any]) -> dict[str, Any]:
    """A stored document in the words of the current format. What makes no sense stays, for whoever reads it to refuse.

    >>> current_document({"space": {"grain": {"type": "real", "dear": "low"}}})
    {'space': {'grain': {'type': 'real', 'expensive': 'low'}}}
    """
    found, space, study = dict(document), document.get("space"), document.get("study")
    if isinstance(space, Mapping):
        found["space"] = {name: _renamed(given) for name, given in space.items()}
    if isinstance(study, Mapping) and isinstance(cost := study.get("cost"), Mapping):
        replaced = ("additive",) if study.get("method") == "paper" else ("additive", "paper")
        if cost.get("type") in replaced:
            found["study"] = {**study, "cost": cost.get("order")}
    return found


def current_kind(kind: str) -> Kind:
    """The kind of a stored event in the words of the current format. An unknown one stays, for the fold to refuse."""
    return "set" if kind == "planned" else cast("Kind", kind)


def _renamed(given: Any) -> Any:
    if not isinstance(given, Mapping):
        return given
    return {"expensive" if key == "dear" else key: value for key, value in given.items()}


def current_facts(facts: Any) -> Any:
    """The facts of a stored event in the words of the current format."""
    notes = facts.get("notes") if isinstance(facts, Mapping) else None
    if not isinstance(notes, list) or not any(isinstance(note, str) for note in notes):
        return facts
    read = [Note.of_sentence(note).as_dict() if isinstance(note, str) else note for note in notes]
    return {**facts, "notes": read}
