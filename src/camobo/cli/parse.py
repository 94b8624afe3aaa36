"""Parse what users type: numbers, budgets, trial numbers, `name=value` pairs. Errors name the place and the fix."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from typing import Any

from camobo.errors import Advice, InvalidOptionError, InvalidValueError, UnknownTrialError, shown
from camobo.hints import NUMBER, meant

_DECIMAL_COMMA = re.compile(r"([+-]?\d*),(\d+(?:[eE][+-]?\d+)?)", re.ASCII)
_THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2}(?:[,'\s]\d{3})+(?:\.\d*)?", re.ASCII)
_WITH_UNIT = re.compile(rf"({NUMBER.pattern})\s*(?:[^\d\s.,eE+_-](?!\d)|[eE](?=[a-zA-Z])).*", re.ASCII)
_BUDGET_PART = re.compile(rf"({NUMBER.pattern})\s*([^\d\s.,;+-][^\d;]*)?", re.ASCII)
_FORMULA, _DATE = re.compile("=.+", re.DOTALL), re.compile(r"\d{4}-\d\d-\d\d.*")
_TRIAL = re.compile(r"\d{1,15}", re.ASCII)


def number(place: str, text: str, *, advice: Advice | None = None) -> float:
    """A finite number with a decimal point. A typographic minus counts as a minus.

    `advice` goes with the error if the text is not a number at all.

    >>> number("strength", " 5.12e2 "), number("strength", "\N{MINUS SIGN}3")
    (512.0, -3.0)
    """
    given = text.strip().replace("\N{MINUS SIGN}", "-")
    if not given:
        raise InvalidValueError("need a finite number such as 0.31, got nothing.").within(place)
    if NUMBER.fullmatch(given):
        found = float(given)
        if math.isinf(found):
            raise InvalidValueError(f"need a finite number, got {shown(given)}, which is too large.").within(place)
        if found == 0.0 and re.search("[1-9]", re.split("[eE]", given)[0]):
            raise InvalidValueError(
                f"got {shown(given)}, which is too small to tell from 0. Write 0, or use other units."
            ).within(place)
        return found
    if _THOUSANDS.fullmatch(given):
        bare = re.sub(r"[,'\s]", "", given)
        unsure = f" or {given.replace(',', '.')}" if _DECIMAL_COMMA.fullmatch(given) else ""
        raise InvalidValueError(
            f"need a number without separators and with a decimal point, got {shown(given)}. Write {bare}{unsure}."
        ).within(place)
    comma = _DECIMAL_COMMA.fullmatch(given)
    if comma:
        raise InvalidValueError(
            f"need a decimal point, not a comma, got {shown(given)}. Write {comma[1]}.{comma[2]}."
        ).within(place)
    digits = re.sub("[lI]", "1", re.sub("[oO]", "0", given))
    if NUMBER.fullmatch(digits) and re.search(r"\d", given):
        letters = " and ".join(dict.fromkeys(re.findall("[oOlI]", given)))
        raise InvalidValueError(f"got {shown(given)}, with the letter {letters}. Write {digits}.").within(place)
    if _FORMULA.fullmatch(given):
        raise InvalidValueError(
            f"got {shown(given)}, a formula without its value. Save the file in a spreadsheet, or write the number."
        ).within(place)
    if _DATE.fullmatch(given):
        raise InvalidValueError(
            f"got {shown(given)}, a date, as spreadsheets make of 3.4. Format the cell as a number and type it again."
        ).within(place)
    unit = _WITH_UNIT.fullmatch(given)
    if unit and given.lower() not in ("nan", "inf"):
        raise InvalidValueError(f"need a number without a unit, got {shown(given)}. Write {unit[1]}.").within(place)
    raise InvalidValueError(f"need a finite number such as 0.31, got {shown(given)}.", advice=advice).within(place)


def amount(place: str, text: str | None) -> float | None:
    """A cost: a number of at least 0, or None."""
    if text is None:
        return None
    found = number(place, text)
    if found < 0:
        raise InvalidValueError(f"need a number of at least 0, got {shown(text)}.").within(place)
    return found


def budget(text: str) -> dict[str, Any] | None:
    """A budget as a document: a number of trials, an amount of money with its unit, both, or none.

    >>> budget("80"), budget("2000 EUR"), budget("60, 2000 EUR"), budget("none")
    ({'trials': 80}, {'cost': 2000.0, 'unit': 'EUR'}, {'trials': 60, 'cost': 2000.0, 'unit': 'EUR'}, None)
    """
    if text.strip().casefold() == "none":
        return None
    if re.search(r"\d,\d", text):
        raise InvalidOptionError(
            f"--budget: need numbers with a decimal point and without separators, got {shown(text)}. "
            'Trials and money are apart by a comma and a space: "60, 2000 EUR".'
        )
    if thousands := re.search(r"\b([1-9]\d{0,2})\.(\d{3})\b", text):
        one, many = thousands[0].rstrip("0").rstrip("."), "".join(thousands.groups())
        raise InvalidOptionError(
            f"--budget: {thousands[0]} may be {one} or {many}. Write {one} or {many}: numbers take no separators."
        )
    found: dict[str, Any] = {}
    for part in text.split(","):
        match = _BUDGET_PART.fullmatch(part.strip())
        unit = "" if match is None else (match[2] or "").strip()
        trials = unit.casefold() in ("", "trial", "trials")
        if match is None or (trials and not match[1].isdecimal()):
            raise InvalidOptionError(
                '--budget: need a number of trials such as 80, an amount with its unit such as "2000 EUR", '
                f'both as "60, 2000 EUR", or none, got {shown(text)}.'
            )
        if ("trials" if trials else "cost") in found:
            what = "two numbers of trials" if trials else "two amounts of money"
            hint = ' An amount of money needs its unit: "60, 2000 EUR".' if trials else ""
            raise InvalidOptionError(f"--budget: got {what}, {shown(text)}. Give one.{hint}")
        found |= {"trials": int(match[1])} if trials else {"cost": number("--budget", match[1]), "unit": unit}
    return found


def trial_number(text: str, place: str = "trial") -> int:
    """The number of a trial.

    >>> trial_number("3")
    3
    """
    if _TRIAL.fullmatch(text.strip()):
        return int(text)
    raise UnknownTrialError(
        f"need a trial's number such as 3, got {shown(text)}. camobo status lists the open trials."
    ).within(place)


def trial_numbers(texts: Sequence[str]) -> list[int]:
    """The numbers of several trials, without repeats."""
    return list(dict.fromkeys(trial_number(text) for text in texts))


def pairs(texts: Iterable[str], names: Sequence[str]) -> dict[str, float]:
    """Values from `name=value` pairs; `names` are the objectives allowed.

    >>> pairs(["strength=512", "corrosion=0.31"], ["strength", "corrosion"])
    {'strength': 512.0, 'corrosion': 0.31}
    """
    found: dict[str, float] = {}
    for text in texts:
        name, sign, value = text.rpartition("=")
        name = name if name in names else name.strip()
        if not sign or not name:
            spaces = " Write it without spaces around the =." if text in names or text.startswith("=") else ""
            raise InvalidValueError(f"values: need name=value such as {names[0]}=0.31, got {shown(text)}.{spaces}")
        if name not in names:
            paid = f" What a trial cost is told with --cost {value}." if name == "cost" else ""
            raise InvalidValueError(
                f"values: unknown objective {name!r}.{meant(name, names)} This study measures {', '.join(names)}.{paid}"
            )
        if name in found:
            raise InvalidValueError(f"values: {name!r} is given twice. Give each objective once.")
        found[name] = number(f"objective {name!r}", value, advice=Advice.FAIL)
    return found


def named(place: str, text: str, names: Sequence[str]) -> tuple[str, str]:
    """A name and the text of its value. Both may hold an equal sign: the longest name that is known counts.

    >>> named("--fix", "quench=air", ["nickel", "quench"])
    ('quench', 'air')
    """
    where = f"{place}: " if place else ""
    for i in reversed([i for i, sign in enumerate(text) if sign == "="]):
        name = text[:i] if text[:i] in names else text[:i].strip()
        if name in names:
            return name, text[i + 1 :]
    name, sign, value = text.partition("=")
    if not sign or not name.strip():
        spaces = "without spaces around the ="
        raise InvalidValueError(f"{where}need name=value such as {names[0]}=…, {spaces}, got {shown(text)}.")
    paid = f" What it cost is told with --cost {value}." if name.strip() == "cost" else ""
    raise InvalidValueError(
        f"{where}unknown name {shown(name.strip())}.{meant(name, names)} The study has {', '.join(names)}.{paid}"
    )


def expensive_ends(texts: Iterable[str]) -> dict[str, str | list[str]]:
    """The expensive end of a number's range, or the expensive choices of a category, most expensive first.

    >>> expensive_ends(["rate=low", "quench=vacuum,oil"])
    {'rate': 'low', 'quench': ['vacuum', 'oil']}
    """
    found: dict[str, str | list[str]] = {}
    for text in texts:
        name, _, end = text.partition("=")
        choices = [choice.strip() for choice in end.split(",")]
        if not name.strip() or not all(choices):
            raise InvalidOptionError(
                f"--expensive: need name=low, or name=choice,choice with the most expensive first, got {shown(text)}."
            )
        if name.strip() in found:
            raise InvalidOptionError(
                f"--expensive: {shown(name.strip())} is given twice. Give it once, with all its expensive choices."
            )
        found[name.strip()] = choices[0] if choices in (["low"], ["high"]) else choices
    return found


def duration(text: str | None) -> str | float | None:
    """A duration as `checks.duration` takes it: "2h" unchanged, a bare number as seconds."""
    if text is None or not NUMBER.fullmatch(text.strip()):
        return text
    return float(text)


def at_most_one(**given: bool) -> None:
    """Refuse options that exclude each other: `at_most_one(csv=…, json=…)`."""
    named = [f"--{name}" for name, is_given in given.items() if is_given]
    if len(named) > 1:
        raise InvalidOptionError(f"{' and '.join(named)}: give only one of them.")
