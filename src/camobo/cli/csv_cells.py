r"""One CSV cell, to and from the value it stands for.

A spreadsheet runs a cell that starts with = + - or @ as a formula. Text that would be one gets an apostrophe in front,
which marks it as text; reading removes exactly that apostrophe, so every text comes back unchanged. The same happens
after each ; and tab inside a cell, where spreadsheets of some countries start a new cell. Numbers are not marked.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any, Literal, TypeAlias, cast

from camobo.cli.parse import number
from camobo.errors import InvalidValueError
from camobo.hints import meant
from camobo.history.trial import Trial
from camobo.space.inputs import Categorical, Input, Param
from camobo.strategy.plan import Plan

_STARTS = "(?:^|(?<=[;\t\r\n\v\f]))"
_FORMULA = "(?='*[ \u00a0\"]*[=+\\-@\t\r\n\v\f\uff1d\uff0b\uff0d\uff20\u2212\ufe62\ufe63\ufe66\ufe6b])"
_TO_MARK = re.compile(f"{_STARTS}{_FORMULA}")
_MARKED = re.compile(f"{_STARTS}'{_FORMULA}")

Fact: TypeAlias = str | float | None
Kind: TypeAlias = Literal["about", "input", "objective"]
ABOUT = ("trial", "state", "cost", "note", "failed", "reason", "owner", "added")
"""Columns other than inputs and objectives."""


def harmless(text: str) -> str:
    """The text, marked so that no spreadsheet runs it as a formula.

    >>> harmless("=1+1"), harmless("fine"), harmless("'=1")
    ("'=1+1", 'fine', "''=1")
    """
    return _TO_MARK.sub("'", text)


def original(text: str) -> str:
    """The text that `harmless` was given.

    >>> original("'=1+1"), original("fine"), original("'twas")
    ('=1+1', 'fine', "'twas")
    """
    return _MARKED.sub("", text)


@dataclass(frozen=True, slots=True)
class Heading:
    """A column: what it holds, its label in the file, and whether its cells are numbers."""

    kind: Kind
    name: str
    label: str
    number: bool = False
    unit: str = ""

    @property
    def title(self) -> str:
        """The label with its unit, as it stands in a workbook: "nickel (%)"."""
        return f"{self.label} ({self.unit})" if self.unit else self.label


def headings(plan: Plan, about: Sequence[str] = ABOUT) -> list[Heading]:
    """The columns of a study's files: trial and state, inputs, objectives, then the rest of `about`.

    An input whose name is taken, such as "note", gets the label "input note". Where a label with its unit would be the
    label of another column, the unit is left out.
    """
    taken = set(ABOUT)
    middle: list[Heading] = []
    named = [("input", name) for name in plan.space.names] + [("objective", name) for name in plan.objectives]
    for kind, name in named:
        label = name
        while label in taken:
            label = f"{kind} {label}"
        taken.add(label)
        given = plan.space.inputs[name] if kind == "input" else None
        number = not isinstance(given, Categorical)
        unit = "" if given is None or isinstance(given, Categorical) else given.unit
        middle.append(Heading("input" if kind == "input" else "objective", name, label, number, unit))
    for i, heading in enumerate(middle):
        middle[i] = replace(heading, unit="") if heading.unit and heading.title in taken else heading
        taken.add(middle[i].title)
    ends = [Heading("about", name, name, name in ("trial", "cost")) for name in about]
    first = [heading for heading in ends if heading.name in ("trial", "state")]
    return first + middle + [heading for heading in ends if heading not in first]


def written(fact: Any) -> str:
    """A fact as a cell: empty for None, a number with all its digits, or harmless text."""
    if fact is None:
        return ""
    if isinstance(fact, bool):
        return "true" if fact else "false"
    if isinstance(fact, (int, float)):
        return repr(fact)
    return harmless(str(fact))


def fact_of_param(given: Input, value: Param) -> Fact:
    """The value of an input as it is written: a number, or the label of a choice."""
    if not isinstance(given, Categorical) or isinstance(value, (int, float)):
        return cast("float", value)
    return _labels(given)[next(i for i, choice in enumerate(given.choices) if choice is value)]


def _labels(given: Categorical) -> list[str]:
    """The label of each choice; if two would be the same, such as 1 and "1", all are written as JSON."""
    labels = [choice if isinstance(choice, str) else json.dumps(choice, default=str) for choice in given.choices]
    if len(set(labels)) == len(labels):
        return labels
    return [json.dumps(choice, ensure_ascii=False, default=str) for choice in given.choices]


def read_param(place: str, given: Input, text: str) -> Param:
    """The value of an input that a cell stands for."""
    if isinstance(given, Categorical):
        return _read_choice(place, given, text)
    if not text.strip():
        raise InvalidValueError(f"need a number from {given.low:g} to {given.high:g}, got an empty cell.").within(place)
    value = number(place, text)
    try:
        return given.check(value)
    except InvalidValueError as error:
        raise error.within(place) from error


def _read_choice(place: str, given: Categorical, text: str) -> Param:
    """The choice a cell names: exactly, or as a spreadsheet may have rewritten it (TRUE, 1.50, 1,5, a space)."""
    labels = _labels(given)
    if text in labels:
        return given.choices[labels.index(text)]
    near = [choice for choice, label in zip(given.choices, labels, strict=True) if _rewritten(choice, label, text)]
    if len(near) == 1:
        return near[0]
    raise InvalidValueError(f"need one of {', '.join(labels)}, got {text!r}.{meant(text, labels)}").within(place)


def _rewritten(choice: Param, label: str, text: str) -> bool:
    """Whether a spreadsheet may have turned the label into this text."""
    if isinstance(choice, (int, float)) and not isinstance(choice, bool):
        try:
            return number("", text.replace(",", ".")) == choice
        except InvalidValueError:
            return False
    return label.strip().casefold() == text.strip().casefold()


def agrees(place: str, given: Input, value: Param, text: str) -> bool:
    """Whether a cell agrees with a trial's value; a person or a spreadsheet may have rounded it.

    Rounding to four digits or more is accepted; with fewer it could be another number.
    """
    if isinstance(given, Categorical):
        return _read_choice(place, given, text) is value
    found, slack = number(place, text), 1e-6 * (abs(value) if given.log else given.high - given.low)
    digits = Decimal(text.strip().replace("\N{MINUS SIGN}", "-")).as_tuple()
    if len(digits.digits) >= 4:
        slack = max(slack, 0.5 * 10.0 ** int(digits.exponent) * (1.0 + 1e-9))
    return bool(abs(found - value) <= slack)


def facts_of(plan: Plan, trial: Trial, columns: Sequence[Heading]) -> list[Fact]:
    """What is known of a trial, by column."""
    facts = trial.as_dict()
    about = {**facts, "trial": trial.number, "added": "yes" if trial.added else None}
    return [
        fact_of_param(plan.space.inputs[column.name], trial.params[column.name])
        if column.kind == "input"
        else (facts["values"] if column.kind == "objective" else about).get(column.name)
        for column in columns
    ]
