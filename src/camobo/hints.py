"""Wording that messages share: the known name that a user probably meant, a count with its noun."""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Iterable

_NUMBER = re.compile(r"\d+")
_NEAR = 0.7  # similarity from 0 to 1; 1 is the same text


def meant(name: str, names: Iterable[str]) -> str:
    """A hint to append to a message, " Did you mean 'max_depth'?"; empty if none of `names` is similar.

    Names that differ only in their numbers, such as those of layers, are never confused.

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


def counted(count: int, one: str, many: str | None = None) -> str:
    """A count with its noun.

    >>> counted(1, "trial"), counted(3, "trial"), counted(0, "trial is", "trials are")
    ('1 trial', '3 trials', '0 trials are')
    """
    return f"{count} {one if count == 1 else many or one + 's'}"


def _differ_in_numbers(name: str, other: str) -> bool:
    """Whether two names are the same apart from their numbers."""
    name, other = name.strip().casefold(), other.strip().casefold()
    return name != other and _NUMBER.sub("0", name) == _NUMBER.sub("0", other)
