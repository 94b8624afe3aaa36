"""Which parameter a misspelt name was probably meant for."""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Sequence

_NUMBER = re.compile(r"\d+")


def meant(name: str, others: Sequence[str]) -> str:
    """A hint, " Did you mean 'max_depth'?", at the one among others; empty if none is near.

    Names that differ in their numbers alone, as those of layers do, are two names.

    >>> meant("max_dept", ["max_depth", "trees"]), meant("units_2", ["units_0"])
    (" Did you mean 'max_depth'?", '')
    """
    for other in others:
        if unicodedata.normalize("NFKC", other) == unicodedata.normalize("NFKC", name):
            return f" Did you mean {other!r}, written as {other!a}, not as {name!a}?"
    folded = {other.casefold(): other for other in others if not _differ_in_numbers(name, other)}
    near = difflib.get_close_matches(name.casefold(), folded, n=1, cutoff=0.75)
    return f" Did you mean {folded[near[0]]!r}?" if near else ""


def _differ_in_numbers(name: str, other: str) -> bool:
    """Whether nothing but numbers tells them apart."""
    name, other = name.casefold(), other.casefold()
    return name != other and _NUMBER.sub("0", name) == _NUMBER.sub("0", other)
