"""The language of orders: "nickel > chromium = moly > iron, soak > temper".

`a > b` says that a is more expensive than b, `a = b` that they cost the same. A comma starts another chain, which says
nothing about the first unless they share a name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple, TypeAlias

from camobo.cost.weightings import groups_in
from camobo.errors import InvalidOrderError, shown
from camobo.hints import caret

Groups: TypeAlias = tuple[tuple[str, ...], ...]
"""Names of inputs, those that cost the same in one group."""
Pairs: TypeAlias = frozenset[tuple[int, int]]
"""Pairs of group indices (i, j): group i is more expensive than group j."""

_TOKEN = re.compile(r"\s*(?:(?P<sign>[>=,])|(?P<name>[^\s>=,<][^>=,<]*?)(?=\s*(?:[>=,<]|$)))")


class _Comparison(NamedTuple):
    left: str
    sign: str
    right: str
    place: int
    """Where the right name starts in the text."""


def read_order(text: str) -> tuple[Groups, Pairs]:
    """The groups and pairs that an order's text states or implies, or an error that shows what is wrong where."""
    names, comparisons = _read(text)
    root = {name: name for name in names}  # a name of the group that each name is in
    for left, sign, right, place in comparisons:
        if left == right:
            raise InvalidOrderError(f"order: {left!r} is compared with itself.{caret(text, place)}")
        if sign == "=":
            kept, merged = root[left], root[right]
            root = {name: kept if group == merged else group for name, group in root.items()}
    groups: dict[str, list[str]] = {}
    for name, leader in root.items():
        groups.setdefault(leader, []).append(name)
    index = {name: i for i, group in enumerate(groups.values()) for name in group}
    above = _closure(index, len(groups), (c for c in comparisons if c.sign == ">"), text)
    return tuple(map(tuple, groups.values())), above


def _closure(index: dict[str, int], count: int, comparisons: Iterable[_Comparison], text: str) -> Pairs:
    """All pairs of the `count` groups that follow from "is more expensive than" comparisons."""
    lowers, uppers = [0] * count, [0] * count  # for each group, the sets of cheaper and of more expensive groups
    for left, _, right, place in comparisons:
        i, j = index[left], index[right]
        if i == j or lowers[j] >> i & 1:
            stated = f"{left!r} = {right!r}" if i == j else f"{right!r} > {left!r}"
            raise InvalidOrderError(
                f"order: {left!r} cannot be more expensive than {right!r}, because {stated} is stated or follows. "
                f"Remove one of the two.{caret(text, place)}"
            )
        if not lowers[i] >> j & 1:
            uppers_too, lowers_too = uppers[i] | 1 << i, lowers[j] | 1 << j
            for upper in groups_in(uppers_too):
                lowers[upper] |= lowers_too
            for lower in groups_in(lowers_too):
                uppers[lower] |= uppers_too
    return frozenset((i, j) for i, below in enumerate(lowers) for j in groups_in(below))


def _read(text: str) -> tuple[list[str], list[_Comparison]]:
    """The names and the comparisons of a text, in the order they appear."""
    names: dict[str, None] = {}
    comparisons: list[_Comparison] = []
    left, sign, place = "", "", 0
    end = len(text.rstrip())
    while place < end:
        match = _TOKEN.match(text, place)
        expected = "an input's name" if sign or not left else "'>', '=' or ','"
        if match is None or bool(match["name"]) != (expected == "an input's name"):
            start = place + len(text[place:]) - len(text[place:].lstrip())
            hint = " Write the more expensive input first and use '>'." if text[start] == "<" else ""
            raise InvalidOrderError(f"order: expected {expected}, got {text[start]!r}.{hint}{caret(text, start)}")
        if match["sign"]:
            sign = match["sign"]
            if sign == ",":
                left, sign = "", ""
        else:
            name = match["name"].strip()
            names[name] = None
            if sign:
                comparisons.append(_Comparison(left, sign, name, match.start("name")))
            left, sign = name, ""
        place = match.end()
    if not left or sign:
        raise InvalidOrderError(
            f'order: expected an input\'s name, the text ends. Example: "nickel > chromium".{caret(text, end)}'
        )
    return list(names), comparisons


def check_name(name: str) -> None:
    """Refuse a name that the language cannot express."""
    match = _TOKEN.fullmatch(name)
    if match is None or (match["name"] or "").strip() != name:
        raise InvalidOrderError(
            f"order: the name {shown(name)} cannot be written in an order: need text without '>', '=', ',' or '<' "
            "and without blanks at its ends. Rename the input."
        )


def place_of(name: str, text: str) -> int:
    """Where a name first stands in an order's text, not as a part of a longer name."""
    return next(m.start("name") for m in _TOKEN.finditer(text) if m["name"] == name)
