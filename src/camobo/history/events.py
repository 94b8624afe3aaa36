"""Events: what happened to a study, in order. Events are only added; a change of format may rewrite them.

    set       {"budget"?, "cost"?, "thrift"?}              the plan changed
    asked     {"params", "notes", "owner", "expires",      a new trial was suggested and handed out
               "expected"?, "fixed"?, "known"?, "beside"?}
    asked     {"owner", "expires"}                         a free trial was handed out again
    renewed   {"expires", "reason"?}                       its holder is still evaluating it, or a clock was corrected
    told      {"values"?, "cost"?, "note"?}                results, all or some; cost is what it cost in all so far
    amended   {"values"? or null, "cost"?, "reason"}       a correction; null withdraws the results
    failed    {"reason", "cost"?, "teaches"?: false}       it could not be measured; what it cost may teach nothing
    late      {"values", "cost"?, "note"?}                 results that came too late to count: its cost alone does
    late      {"reason", "cost"?}                          that it could not be measured, told too late to count
    late      {"cost"?, "note"?}                           a bill or a remark by whoever had the trial before its holder
    released  {}                                           its holder handed it back; or it failed and is tried again
    added     {"params", "values", "cost"?, "note"?}       an earlier experiment was recorded
    added     {"params", "reason", "cost"?, "note"?}       one that could not be measured

`old` holds what an event replaced. "expected" is what the trial is expected to cost, "fixed" has the values that some
inputs had to have. "known" is present if other events came in while the suggestion was computed: it was made from the
first `known` events and the `beside` trials suggested before it in the same request.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType
from typing import Any, Literal, TypeAlias

Kind: TypeAlias = Literal["set", "asked", "renewed", "told", "amended", "failed", "late", "released", "added"]


@dataclass(frozen=True, slots=True)
class Event:
    """One entry of the log: what happened, to which trial, when, by whom, and what it replaced."""

    number: int
    kind: Kind
    trial: int | None
    when: datetime
    who: str
    new: Mapping[str, Any]
    old: Mapping[str, Any] | None = None

    def __post_init__(self) -> None:
        frozen = _frozen_deep if self.kind == "set" else _frozen
        object.__setattr__(self, "new", frozen(self.new))
        object.__setattr__(self, "old", frozen(self.old))

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickles plain dicts: a read-only view cannot be pickled."""
        return Event, (self.number, self.kind, self.trial, self.when, self.who, _plain(self.new), _plain(self.old))

    def __str__(self) -> str:
        about = "" if self.trial is None else f" trial {self.trial}"
        return f"{self.number} {self.when:%Y-%m-%d %H:%M:%S} {self.who}: {self.kind}{about} {_shown(self.new)}" + (
            f" (before: {_shown(self.old)})" if self.old else ""
        )

    def as_dict(self) -> dict[str, Any]:
        """The event as plain data that JSON can hold."""
        return {
            "number": self.number,
            "when": self.when.isoformat(),
            "who": self.who,
            "kind": self.kind,
            "trial": self.trial,
            "new": _plain(self.new),
            "old": _plain(self.old),
        }


def when_of(text: str) -> datetime:
    """A stored time; ValueError unless it is one that can be compared, and shown in every time zone.

    >>> when_of("2026-01-01T12:00:00+00:00").year
    2026
    """
    when = datetime.fromisoformat(text)
    if when.tzinfo is None or not 1 < when.year < 9999:
        raise ValueError(f"need a time with its zone, in a year from 2 to 9998, got {text!r}")
    return when


def _frozen(facts: Any) -> Any:
    """A read-only view of facts, and of each dict among them."""
    if facts is None:
        return None
    views = (dict, MappingProxyType)  # isinstance(…, Mapping) took a tenth of the time to open a study
    return MappingProxyType({k: MappingProxyType(dict(v)) if isinstance(v, views) else v for k, v in facts.items()})


def _frozen_deep(fact: Any) -> Any:
    """The same of facts that dicts lie deep in, as in a price list."""
    if not isinstance(fact, Mapping):
        return fact
    return MappingProxyType({name: _frozen_deep(inner) for name, inner in fact.items()})


def _plain(fact: Any) -> Any:
    """A fact with dicts in place of read-only views, as JSON needs it."""
    return {k: _plain(v) for k, v in fact.items()} if isinstance(fact, Mapping) else fact


def _shown(facts: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={_plain(fact)}" for name, fact in facts.items())
