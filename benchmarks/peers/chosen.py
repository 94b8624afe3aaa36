"""What of the contest was asked for and can take part here."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

T = TypeVar("T")


def able(what: str, names: Sequence[str], known: Mapping[str, T], hindrance: Callable[[T], str | None]) -> list[str]:
    """Those of the names that nothing hinders, as `known` lists them; of the others what does is printed."""
    unknown = [name for name in names if name not in known]
    if unknown:
        raise SystemExit(f"no {what} called {', '.join(unknown)}; there are {', '.join(known)}")
    found = []
    for name in known:
        if name in names:
            reason = hindrance(known[name])
            if reason is None:
                found.append(name)
            else:
                print(f"{name} is left out: {reason}", flush=True)
    return found
