"""Why a point was suggested, as data: a reason and the facts that belong to it.

Each interface may phrase a note its own way; `str(note)` is the sentence for people.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from camobo.space.read_only import ReadOnly


class Reason(str, Enum):
    """Why a point was chosen, or a numerical rescue on the way."""

    INITIAL_DESIGN = "initial-design"
    CHEAPEST_LEFT = "cheapest-left"
    RANDOM_LEFT = "random-left"
    IMPROVES_FRONT = "improves-front"
    EXPLORES = "explores"
    LEARNS_CHEAPLY = "learns-cheaply"
    LOOKS_ELSEWHERE = "looks-elsewhere"
    SEEKS_FEASIBLE = "seeks-feasible"
    ALGORITHM_1 = "algorithm-1"
    NO_COST = "no-cost"
    ADDED = "added"
    JITTER = "jitter"
    """Fact `outcome`: whose model; fact `jitter`: how much was added to the diagonal of its covariance."""
    OTHER = "other"
    """Fact `text`: a sentence stored by an earlier version."""

    @property
    def unusual(self) -> bool:
        """Whether to warn the reader: a numerical rescue, or a space with few untried points."""
        return self in (Reason.CHEAPEST_LEFT, Reason.RANDOM_LEFT, Reason.NO_COST, Reason.JITTER, Reason.OTHER)


_SENTENCES = {
    Reason.INITIAL_DESIGN: "initial design: covers the space before there are models",
    Reason.CHEAPEST_LEFT: "initial design: the cheapest untried point of a small space",
    Reason.RANDOM_LEFT: "initial design: a random untried point of a small space",
    Reason.IMPROVES_FRONT: "expected to improve the front",
    Reason.EXPLORES: "explores beyond the front",
    Reason.LEARNS_CHEAPLY: "explores where it is cheap",
    Reason.LOOKS_ELSEWHERE: "covers the whole space: with noisy measurements the models can miss a region",
    Reason.SEEKS_FEASIBLE: "looks for a feasible point: no trial meets every constraint yet",
    Reason.ALGORITHM_1: "Algorithm 1 of the paper",
    Reason.NO_COST: "the cost gives no amount at this point, so it was chosen without one",
    Reason.ADDED: "added by hand",
    Reason.JITTER: "the model of {outcome!r} needed jitter {jitter:.0e} to factorise its covariance",
    Reason.OTHER: "{text}",
}


_SENTENCES_1 = {
    "initial design": Reason.INITIAL_DESIGN,
    "initial design, the cheapest left: the space is small": Reason.CHEAPEST_LEFT,
    "initial design, drawn at random: the space is small": Reason.RANDOM_LEFT,
    "improves the front": Reason.IMPROVES_FRONT,
    "explores beyond the front": Reason.EXPLORES,
    "learns where it is cheap": Reason.LEARNS_CHEAPLY,
    "looks elsewhere: much of what it saw is noise": Reason.LOOKS_ELSEWHERE,
    "looks for a feasible point": Reason.SEEKS_FEASIBLE,
    "Algorithm 1": Reason.ALGORITHM_1,
}
_LITERAL = r"""'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*\""""
_JITTER_1 = re.compile(rf"model of ({_LITERAL}): jitter (\d{{1,3}}e-?\d{{1,2}}) was needed to factorise its covariance")
"""What camobo wrote before reasons were data."""


_KNOWN = {reason.value for reason in Reason}


@dataclass(frozen=True, slots=True)
class Note:
    """One thing to know about how a point was chosen.

    >>> print(Note(Reason.JITTER, {"outcome": "strength", "jitter": 1e-8}))
    the model of 'strength' needed jitter 1e-08 to factorise its covariance
    """

    reason: Reason
    facts: Mapping[str, Any] = field(default_factory=dict)
    """Numbers and names that the reason needs; read-only."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "facts", ReadOnly(self.facts))
        try:
            str(self)
        except (LookupError, TypeError, ValueError, ArithmeticError) as error:
            raise ValueError(
                f"note {self.reason.value!r}: facts {dict(self.facts)!r} do not fit it: {error}"
            ) from error

    def __hash__(self) -> int:
        return hash((self.reason, frozenset(self.facts)))

    def __str__(self) -> str:
        return _SENTENCES[self.reason].format_map(self.facts)

    def as_dict(self) -> dict[str, Any]:
        """The note as plain data; `Note.of` reads it.

        >>> Note.of(Note(Reason.EXPLORES).as_dict())
        Note(reason=<Reason.EXPLORES: 'explores'>, facts={})
        """
        return {"reason": self.reason.value, **self.facts}

    @classmethod
    def of(cls, plain: Mapping[str, Any]) -> Note:
        """The note that plain data describes; ValueError or KeyError if it describes none."""
        facts = dict(plain)
        reason = facts.pop("reason")
        if isinstance(reason, str) and reason not in _KNOWN:  # a later version's: its words are better than none
            return cls(Reason.OTHER, {"text": str(reason)})
        return cls(Reason(reason), facts)

    @classmethod
    def of_sentence(cls, sentence: str) -> Note:
        """The note that a sentence of study format 1 stands for; `OTHER` with its text if it is unknown.

        >>> Note.of_sentence("improves the front").reason.value
        'improves-front'
        """
        if sentence in _SENTENCES_1:
            return cls(_SENTENCES_1[sentence])
        found = _JITTER_1.fullmatch(sentence)
        try:
            facts = {"outcome": ast.literal_eval(found[1]), "jitter": float(found[2])} if found else {}
        except (ValueError, SyntaxError):  # not a name as Python writes it
            facts = {}
        return cls(Reason.JITTER, facts) if facts else cls(Reason.OTHER, {"text": sentence})
