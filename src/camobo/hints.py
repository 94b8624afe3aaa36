"""Which of the names there are a misspelt one was probably meant for."""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Iterable

_NUMBER = re.compile(r"\d+")
_NEAR = 0.7  # of 1, which is the same


def meant(name: str, names: Iterable[str]) -> str:
    """A hint to end a sentence with, " Did you mean 'max_depth'?", at one of the names; empty if none is near.

    Names that differ in their numbers alone, as those of layers do, are two names.

    >>> meant("max_dept", ["max_depth", "trees"]), meant("STRENGTH ", ["strength"]), meant("units_2", ["units_0"])
    (" Did you mean 'max_depth'?", " Did you mean 'strength'?", '')
    """
    known = list(names)
    for other in known:
        if unicodedata.normalize("NFKC", other) == unicodedata.normalize("NFKC", name):
            return f" Did you mean {other!r}, written as {other!a}, not as {name!a}?"
    folded = {other.strip().casefold(): other for other in known if not _differ_in_numbers(name, other)}
    near = difflib.get_close_matches(name.strip().casefold(), folded, n=1, cutoff=_NEAR)
    return f" Did you mean {folded[near[0]]!r}?" if near else ""


def _differ_in_numbers(name: str, other: str) -> bool:
    """Whether nothing but numbers tells them apart."""
    name, other = name.strip().casefold(), other.strip().casefold()
    return name != other and _NUMBER.sub("0", name) == _NUMBER.sub("0", other)
