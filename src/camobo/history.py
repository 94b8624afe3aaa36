"""What happened to a study, as a list of events that only grows; a trial is the fold of its events.

    planned   {"budget"}                                      optimize implied a plan, or extended it
    asked     {"params", "notes", "owner", "expires",         a new trial was suggested and handed out; if others
               "known"?, "beside"?}                           came first: how many events it knew, and asked with it
    asked     {"owner", "expires"}                            one that was free was handed out again
    renewed   {"expires"}                                     its holder is still at it
    told      {"values", "cost"?, "note"?}                    results, all or some
    amended   {"values" or null, "reason"}                    a correction; null: the results do not count any more
    failed    {"reason"}
    released  {}                                              handed back
    added     {"params", "values", "cost"?, "note"?}          an experiment done before

`old` holds what an event replaced. Everything else about a study at any time (which step, what was known to a
suggestion) follows from the events before that time, so nothing of it is written down twice.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from types import MappingProxyType
from typing import Any, Literal, TypeAlias

import numpy as np

from camobo.checks import values_of
from camobo.errors import StorageError
from camobo.inputs import Array, Params
from camobo.plan import Data, Plan
from camobo.space import Space
from camobo.trial import State, Trial

Kind: TypeAlias = Literal["planned", "asked", "renewed", "told", "amended", "failed", "released", "added"]


@dataclass(frozen=True, slots=True)
class Event:
    """One line of the audit trail: what happened, to which trial, when, by whom, what it replaced."""

    number: int
    kind: Kind
    trial: int | None
    when: datetime
    who: str
    new: Mapping[str, Any]
    old: Mapping[str, Any] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "new", _frozen(self.new))
        object.__setattr__(self, "old", _frozen(self.old))

    def __reduce__(self) -> tuple[Any, ...]:
        """Plain dicts on the way to another process: a read-only view cannot travel."""
        return Event, (self.number, self.kind, self.trial, self.when, self.who, plain(self.new), plain(self.old))

    def __str__(self) -> str:
        about = "" if self.trial is None else f" trial {self.trial}"
        return f"{self.number} {self.when:%Y-%m-%d %H:%M:%S} {self.who}: {self.kind}{about} {_shown(self.new)}" + (
            f" (before: {_shown(self.old)})" if self.old else ""
        )


def _frozen(facts: Any) -> Any:
    """A read-only view of facts and of the params or values among them; what a category is stays as it is."""
    if facts is None:
        return None
    views = (dict, MappingProxyType)  # by their own types: asking whether each is a Mapping took a tenth of opening
    return MappingProxyType({k: MappingProxyType(dict(v)) if isinstance(v, views) else v for k, v in facts.items()})


def plain(fact: Any) -> Any:
    """A fact of an event as JSON has it: dicts in place of read-only views."""
    return {k: plain(v) for k, v in fact.items()} if isinstance(fact, Mapping) else fact


def _shown(facts: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={plain(fact)}" for name, fact in facts.items())


@dataclass(frozen=True, slots=True)
class History:
    """Where a study stands after its first `count` events."""

    plan: Plan
    """What it is about, with the budget as it is now."""
    trials: tuple[Trial, ...] = ()
    units: tuple[Array, ...] = ()
    """(d,) each trial's point in the unit cube."""
    count: int = 0
    suggested: int = 0
    """How many of the trials were suggested rather than added."""


def fold(history: History, events: Iterable[Event]) -> History:
    """The history after more events; linear in the trials and events, so fold many at once."""
    trials, units = list(history.trials), list(history.units)
    plan, count, suggested = history.plan, history.count, history.suggested
    for event in events:
        if event.number != count:
            raise StorageError(f"event {count} is missing: the next one on record has number {event.number}.")
        try:
            if event.kind == "planned":
                plan = replace(plan, budget=event.new["budget"])
            elif event.trial == len(trials):
                suggested += event.kind == "asked"
                trials.append(_opened(event, plan, suggested))
                units.append(_unit(plan.space, trials[-1].params))
            elif event.trial is not None:
                trials[event.trial] = _changed(trials[event.trial], event, plan.objectives)
        except (LookupError, TypeError, ValueError, AttributeError) as error:
            raise StorageError(
                f"event {event.number} cannot be understood: {type(error).__name__}: {error}."
            ) from error
        count += 1
    return History(plan, tuple(trials), tuple(units), count, suggested)


def _unit(space: Space, checked: Params) -> Array:
    """(d,) what `Space.to_unit` gives, without checking once more."""
    return np.array([given.to_unit(checked[name]) for name, given in space.inputs.items()])


def _opened(event: Event, plan: Plan, suggested: int) -> Trial:
    """The trial that an event brings into being."""
    new, number = event.new, event.number
    params = plan.space.check(new["params"])
    if event.trial is None:
        raise ValueError("no trial number")
    if event.kind == "added":
        return Trial(
            event.trial,
            params,
            State.COMPLETE,
            values_of(new["values"], plan.objectives),
            notes=("added by hand",),
            added=True,
            asked=number,
            told=number,
            budget=plan.budget,
            cost=new.get("cost"),
            note=new.get("note"),
            held=number,
        )
    return Trial(
        event.trial,
        params,
        notes=tuple(new["notes"]),
        asked=number,
        step=suggested,
        budget=plan.budget,
        owner=new["owner"],
        expires=moment(new["expires"]),
        held=number,
    )


def _changed(trial: Trial, event: Event, objectives: Mapping[str, str]) -> Trial:
    """The trial after an event."""
    new, number = event.new, event.number
    if event.kind == "asked":
        return replace(trial, state=State.PENDING, owner=new["owner"], expires=moment(new["expires"]), held=number)
    if event.kind == "renewed":
        return replace(trial, state=State.PENDING, expires=moment(new["expires"]))
    if event.kind == "released":
        return replace(trial, state=State.RELEASED, owner=None, expires=None)
    if event.kind == "failed":
        return replace(trial, state=State.FAILED, reason=new["reason"], told=number, expires=None)
    if event.kind == "told":
        values, whole = _merged(trial, event, objectives)
        return replace(
            trial,
            state=State.COMPLETE if whole else trial.state,
            values=values,
            told=number if whole else None,
            expires=None if whole else trial.expires,
            cost=new.get("cost", trial.cost),
            note=new.get("note", trial.note),
        )
    if event.kind == "amended":
        if new["values"] is None:
            return replace(trial, state=State.FAILED, reason=new["reason"], amended=True)
        values, whole = _merged(trial, event, objectives)
        settled = State.COMPLETE if whole and not trial.state.open else trial.state
        return replace(trial, state=settled, values=values, reason=new["reason"], amended=True)
    raise ValueError(f"no such kind of event: {event.kind!r}")


def _merged(trial: Trial, event: Event, objectives: Mapping[str, str]) -> tuple[dict[str, float], bool]:
    """A trial's values with an event's, in the objectives' order, and whether none is missing."""
    values = {**(trial.values or {}), **values_of(event.new["values"], objectives, partial=True)}
    return {name: values[name] for name in objectives if name in values}, all(name in values for name in objectives)


def moment(text: str | None) -> datetime | None:
    """A time from its written form."""
    return None if text is None else datetime.fromisoformat(text)


def free(trial: Trial, now: datetime) -> bool:
    """Whether a trial waits for somebody to take it: handed back, or held longer than its lease."""
    expired = trial.state is State.PENDING and trial.expires is not None and trial.expires <= now
    return trial.state is State.RELEASED or expired


def complete(history: History) -> list[Trial]:
    """The trials with all their results."""
    return [trial for trial in history.trials if trial.state is State.COMPLETE]


def signed(plan: Plan, trials: Sequence[Trial]) -> Array:
    """(n, M) the values of complete trials, larger is better."""
    rows = [[trial.values[name] for name in plan.objectives] for trial in trials if trial.values is not None]
    return np.array(rows).reshape(-1, len(plan.objectives)) * plan.signs


def data_of(history: History) -> Data:
    """What a suggestion made now would know."""
    done, waiting, failed = (
        [trial for trial in history.trials if trial.state in states]
        for states in ({State.COMPLETE}, {State.PENDING, State.RELEASED}, {State.FAILED})
    )

    def rows(trials: list[Trial]) -> Array:
        chosen = [history.units[trial.number] for trial in trials]
        return np.array(chosen).reshape(-1, history.plan.space.dimension)

    return Data(rows(done), signed(history.plan, done), rows(waiting), rows(failed), history.suggested + 1)
