r"""Cells of a CSV file, to and from what they stand for.

A spreadsheet runs a cell that begins with = + - or @ as a formula. Text that would be one gets an apostrophe in front,
which spreadsheets show as text; reading takes exactly that apostrophe away again, so every text comes back unchanged.
The same is done after each ; and tab inside a cell, where a spreadsheet of another country begins a new one.
Numbers are written as they are.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal, TypeAlias

from camobo.cli.words import number
from camobo.errors import CamoboError, InvalidValueError
from camobo.hints import meant
from camobo.inputs import Categorical, Input, Param
from camobo.plan import Plan
from camobo.trial import Trial

_STARTS = "(?:^|(?<=[;\t\r\n\v\f]))"
_FORMULA = "(?='*[ \u00a0\"]*[=+\\-@\t\r\n\v\f\uff1d\uff0b\uff0d\uff20\u2212\ufe62\ufe63\ufe66\ufe6b])"
_TO_MARK = re.compile(f"{_STARTS}{_FORMULA}")
_MARKED = re.compile(f"{_STARTS}'{_FORMULA}")

Kind: TypeAlias = Literal["about", "input", "objective"]
ABOUT = ("trial", "state", "cost", "note", "failed", "reason", "owner", "added")
"""Columns that are no input and no objective."""


def harmless(text: str) -> str:
    """Text that no spreadsheet takes for a formula.

    >>> harmless("=1+1"), harmless("fine"), harmless("'=1")
    ("'=1+1", 'fine', "''=1")
    """
    return _TO_MARK.sub("'", text)


def original(text: str) -> str:
    """What `harmless` was given.

    >>> original("'=1+1"), original("fine"), original("'twas")
    ('=1+1', 'fine', "'twas")
    """
    return _MARKED.sub("", text)


@dataclass(frozen=True, slots=True)
class Heading:
    """A column: what it holds, and what it is called in the file."""

    kind: Kind
    name: str
    label: str


def headings(plan: Plan, about: Sequence[str] = ABOUT) -> list[Heading]:
    """The columns of a study's files: number and state, inputs, objectives, then the rest of `about`.

    A name that is taken already, an input called "note" for instance, is called "input note".
    """
    taken = set(ABOUT)
    middle: list[Heading] = []
    named = [("input", name) for name in plan.space.names] + [("objective", name) for name in plan.objectives]
    for kind, name in named:
        label = name
        while label in taken:
            label = f"{kind} {label}"
        taken.add(label)
        middle.append(Heading("input" if kind == "input" else "objective", name, label))
    ends = [Heading("about", name, name) for name in about]
    first = [heading for heading in ends if heading.name in ("trial", "state")]
    return first + middle + [heading for heading in ends if heading not in first]


def written(fact: Any) -> str:
    """A fact as a cell: nothing, a number as exact as it is, a time, or text that is harmless."""
    if fact is None:
        return ""
    if isinstance(fact, bool):
        return "true" if fact else "false"
    if isinstance(fact, (int, float)):
        return repr(fact)
    return harmless(str(fact))


def written_param(given: Input, value: Param) -> str:
    """A parameter as a cell."""
    if not isinstance(given, Categorical):
        return written(value)
    label = _labels(given)[next(i for i, choice in enumerate(given.choices) if choice is value)]
    return label if isinstance(value, (int, float)) else harmless(label)


def _labels(given: Categorical) -> list[str]:
    """What each choice is called in a cell; if two were called the same, 1 and "1", all are written as JSON."""
    labels = [choice if isinstance(choice, str) else json.dumps(choice, default=str) for choice in given.choices]
    if len(set(labels)) == len(labels):
        return labels
    return [json.dumps(choice, ensure_ascii=False, default=str) for choice in given.choices]


def read_param(place: str, given: Input, text: str) -> Param:
    """The parameter that a cell stands for."""
    if isinstance(given, Categorical):
        return _read_choice(place, given, original(text))
    if not text.strip():
        raise InvalidValueError(f"{place}: need a number from {given.low:g} to {given.high:g}, the cell is empty.")
    try:
        return given.check("", number(place, text))
    except CamoboError as error:
        raise InvalidValueError(str(error).replace("parameter ''", place)) from error


def _read_choice(place: str, given: Categorical, text: str) -> Param:
    """The choice a cell names: exactly, or as a spreadsheet may have rewritten it (TRUE, 1.50, a blank at its end)."""
    labels = _labels(given)
    if text in labels:
        return given.choices[labels.index(text)]
    near = [choice for choice, label in zip(given.choices, labels, strict=True) if _same(choice, label, text)]
    if len(near) == 1:
        return near[0]
    raise InvalidValueError(f"{place}: need one of {', '.join(labels)}, got {text!r}.{meant(text, labels)}")


def _same(choice: Param, label: str, text: str) -> bool:
    if isinstance(choice, (int, float)) and not isinstance(choice, bool):
        try:
            return number("", text) == choice
        except InvalidValueError:
            return False
    return label.strip().casefold() == text.strip().casefold()


def agrees(place: str, given: Input, value: Param, text: str) -> bool:
    """Whether a cell still says what a trial's parameter is; a person or a spreadsheet may have rounded it.

    Four digits are enough; of fewer nobody knows whether they are the number rounded or another one.
    """
    if isinstance(given, Categorical):
        return _read_choice(place, given, original(text)) is value
    found, slack = number(place, text), 1e-6 * (abs(value) if given.log else given.high - given.low)
    digits = Decimal(text.strip().replace("\N{MINUS SIGN}", "-")).as_tuple()
    if len(digits.digits) >= 4:
        slack = max(slack, 0.5 * 10.0 ** int(digits.exponent) * (1.0 + 1e-9))
    return bool(abs(found - value) <= slack)


def row_of(plan: Plan, trial: Trial, columns: Sequence[Heading]) -> list[str]:
    """A trial as the cells of a row."""
    about = {
        "trial": trial.number,
        "state": trial.state.value,
        "cost": trial.cost,
        "note": trial.note,
        "reason": trial.reason,
        "owner": trial.owner,
        "added": "yes" if trial.added else None,
    }
    return [
        written_param(plan.space.inputs[column.name], trial.params[column.name])
        if column.kind == "input"
        else written((trial.values or {}).get(column.name) if column.kind == "objective" else about.get(column.name))
        for column in columns
    ]
