"""The problems or methods that were asked for and can take part here."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

T = TypeVar("T")


def able(what: str, names: Sequence[str], known: Mapping[str, T], obstacle: Callable[[T], str | None]) -> list[str]:
    """The names without an obstacle, in the order of `known`; the obstacles of the others are printed."""
    unknown = [name for name in names if name not in known]
    if unknown:
        raise SystemExit(f"unknown {what} {', '.join(unknown)}: need one of {', '.join(known)}")
    found = []
    for name in known:
        if name in names:
            reason = obstacle(known[name])
            if reason is None:
                found.append(name)
            else:
                print(f"{name} is left out: {reason}", flush=True)
    return found
