"""What a request changes: from where a study stands to the events that follow, or a refusal. No disk, no clock.

Every function takes the `History` as it is inside a transaction, so what it decides cannot be overtaken.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

import numpy as np

from camobo.checks import remark, values_of
from camobo.errors import InvalidValueError, SpaceExhausted, TrialStateError, UnknownTrialError
from camobo.history import Event, History, data_of, fold, free
from camobo.inputs import Params
from camobo.trial import State, Trial

if TYPE_CHECKING:
    from camobo.models import Models


@dataclass(frozen=True, slots=True)
class Stamp:
    """When a request came, and from whom."""

    when: datetime
    who: str


@dataclass(frozen=True, slots=True)
class Request:
    """Trials wanted: how many, by whom, for how long.

    `most` ends new suggestions when so many were made; `skip` names trials the caller is at work on.
    """

    count: int
    owner: str | None = None
    lease: timedelta | None = None
    most: int | None = None
    skip: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Ahead:
    """Suggestions worked out before a transaction, so that it need not last as long as they take."""

    events: int
    """How many events they know of."""
    trials: int
    """How many trials there were; the first suggestion is for this number."""
    budget: int | None
    params: tuple[dict[str, Any], ...]
    notes: tuple[tuple[str, ...], ...]
    models: Models | None
    exhausted: str = ""
    """Why there are no more, if the space has run out of points."""

    def fits(self, history: History) -> bool:
        """Whether they still are what follows: results may have come in since, but no trial and no other budget."""
        return len(history.trials) == self.trials and history.plan.budget == self.budget


@dataclass(frozen=True, slots=True)
class HandOut:
    """Trials handed out, the events that did it, and the models for the next time."""

    numbers: tuple[int, ...]
    events: tuple[Event, ...]
    models: Models | None


def find(history: History, trial: Trial | int) -> Trial:
    """The trial of that number, or of that record's."""
    number = trial.number if isinstance(trial, Trial) else trial
    if isinstance(number, (bool, np.bool_)) or not isinstance(number, (int, np.integer)):
        raise UnknownTrialError(f"trial: need a Trial or its number, got {trial!r}.")
    if not 0 <= number < len(history.trials):
        has = f"trials 0 to {len(history.trials) - 1}" if history.trials else "no trials yet"
        raise UnknownTrialError(f"trial {number}: this study has {has}.")
    found = history.trials[int(number)]
    if isinstance(trial, Trial) and trial.params != found.params:
        raise UnknownTrialError(
            f"trial {found.number} of this study has other params than the one given: is it another study's?"
        )
    return found


def _open(history: History, trial: Trial | int, wanted: str) -> Trial:
    """The trial, if it can still be told of, and by this holder."""
    found = find(history, trial)
    if not found.state.open:
        mend = " To correct a result, or to take it back, use study.amend." if found.state is State.COMPLETE else ""
        raise TrialStateError(f"trial {found.number} is {found.state} already and cannot be {wanted}: {found}.{mend}")
    retaken = (
        isinstance(trial, Trial) and trial.held != found.held and (trial.owner is None or trial.owner != found.owner)
    )
    if retaken and found.state is State.PENDING:
        raise TrialStateError(
            f"trial {found.number} was handed to {found.owner or 'somebody else'} after its lease had ended or it was "
            "released; that holder's result counts. To tell this one all the same, name the trial by its number."
        )
    return found


def holds(owner: str | None, trial: Trial) -> bool:
    """Whether an owner is at work on a trial."""
    return owner is not None and trial.owner == owner and trial.state is State.PENDING


def _to_take(history: History, now: datetime, request: Request) -> list[Trial]:
    """The trials that need no suggestion: those this owner holds, then those free to take."""
    there = [trial for trial in history.trials if trial.state.open and trial.number not in request.skip]
    own = [trial for trial in there if holds(request.owner, trial)]
    others = [trial for trial in there if not holds(request.owner, trial) and free(trial, now)]
    return [*own, *others][: request.count]


def suggestions_wanted(history: History, now: datetime, request: Request) -> int:
    """How many new trials a request needs beyond those there are to take."""
    wanted = request.count - len(_to_take(history, now, request))
    return wanted if request.most is None else min(wanted, request.most - history.suggested)


def look_ahead(history: History, wanted: int, models: Models | None) -> Ahead:
    """So many suggestions, each made with the ones before it in mind."""
    from camobo import engine  # here and not above: SciPy takes as long to load as a small study takes to open

    first, params, notes, exhausted = history, [], [], ""
    for _ in range(wanted):
        try:
            suggestion = engine.suggest(history.plan, data_of(history), len(history.trials), models)
        except SpaceExhausted as error:
            exhausted = str(error)
            break
        models = suggestion.models or models
        params.append(history.plan.space.from_unit(suggestion.unit))
        notes.append(suggestion.notes)
        history = fold(history, [_asked(history, Stamp(datetime.min, ""), params[-1], notes[-1], Request(1), {})])
    return Ahead(first.count, len(first.trials), first.plan.budget, tuple(params), tuple(notes), models, exhausted)


def hand_out(
    history: History, stamp: Stamp, request: Request, *, ahead: Ahead | None, models: Models | None
) -> HandOut:
    """Trials to take, then new ones: those worked out `ahead`, which must fit, and what is missing still."""
    taken = _to_take(history, stamp.when, request)
    events: list[Event] = []
    for trial in taken:
        if holds(request.owner, trial) and request.lease is None and trial.expires is None:
            continue  # it is theirs already, and nothing about that changes
        old = {"owner": trial.owner, "expires": _written(trial.expires)}
        new = {"owner": request.owner, "expires": _ends(stamp, request.lease)}
        events.append(_event(history, len(events), "asked", trial.number, stamp, new, old))
    numbers = [trial.number for trial in taken]
    history = fold(history, events)
    wanted = request.count - len(numbers)
    wanted = wanted if request.most is None else min(wanted, request.most - history.suggested)
    while wanted > 0:
        ahead = look_ahead(history, wanted, models) if ahead is None else ahead
        models, start = ahead.models, history.count
        for i in range(min(wanted, len(ahead.params))):
            known = {} if ahead.events == start else {"known": ahead.events, "beside": i}
            events.append(_asked(history, stamp, ahead.params[i], ahead.notes[i], request, known))
            history = fold(history, events[-1:])
            numbers.append(len(history.trials) - 1)
            wanted -= 1
        if ahead.exhausted and not numbers:
            raise SpaceExhausted(ahead.exhausted)
        if ahead.exhausted:
            break
        ahead = None
    return HandOut(tuple(numbers), tuple(events), models)


def _asked(
    history: History,
    stamp: Stamp,
    params: Mapping[str, Any],
    notes: Sequence[str],
    request: Request,
    known: Mapping[str, int],
) -> Event:
    expires = _ends(stamp, request.lease)
    new = {"params": params, "notes": list(notes), "owner": request.owner, "expires": expires, **known}
    return _event(history, 0, "asked", len(history.trials), stamp, new)


def known_to(events: Sequence[Event], asked: Event) -> list[Event]:
    """What a suggestion knew, of the events before it: all, or those it was worked out from while others came in."""
    known = asked.new.get("known")
    if known is None:
        return list(events)
    beside = events[len(events) - asked.new["beside"] :]
    return [*events[:known], *(replace(event, number=known + i) for i, event in enumerate(beside))]


def tell(
    history: History,
    stamp: Stamp,
    trial: Trial | int,
    values: Any,
    *,
    cost: float | None,
    note: str | None,
    partial: bool = True,
) -> Event:
    """Results of an open trial."""
    found = _open(history, trial, "told")
    results = values_of(values, history.plan.objectives, partial=partial)
    before = found.values or {}
    again = [name for name in results if name in before]
    if again:
        raise TrialStateError(
            f"trial {found.number}: {again[0]!r} was told already, {before[again[0]]!r}. To correct it use study.amend."
        )
    new: dict[str, Any] = {"values": results}
    if cost is not None:
        new["cost"] = cost
    if note is not None:
        new["note"] = remark("note", note)
    old = {"cost": found.cost, "note": found.note}
    replaced = {key: fact for key, fact in old.items() if key in new and fact is not None}
    return _event(history, 0, "told", found.number, stamp, new, replaced or None)


def amend(history: History, stamp: Stamp, trial: Trial | int, values: Any, reason: Any) -> Event:
    """Corrected values; None if those there were do not count any more."""
    found = find(history, trial)
    text = remark("reason", reason)
    if not text.strip():
        raise InvalidValueError(f"reason: a correction needs one that is not blank, got {reason!r}.")
    old = {"values": found.values, "reason": found.reason, "state": found.state.value}
    if values is None:
        if found.state is not State.COMPLETE:
            raise TrialStateError(
                f"trial {found.number} is {found.state}: there is no result to take back. "
                'To record a failed measurement use study.fail(trial, "why").'
            )
        return _event(history, 0, "amended", found.number, stamp, {"values": None, "reason": text}, old)
    results = values_of(values, history.plan.objectives, partial=True)
    known = found.values or {}
    untold = [name for name in history.plan.objectives if name not in known and name not in results]
    if found.state.open and any(name not in known for name in results):
        raise TrialStateError(
            f"trial {found.number} is {found.state}: "
            f"{next(name for name in results if name not in known)!r} has no value yet. Use study.tell."
        )
    if found.state is State.FAILED and untold:
        raise InvalidValueError(
            f"values: trial {found.number} is failed; to say that it was measured after all give every objective, "
            f"no value for {untold[0]!r}."
        )
    return _event(history, 0, "amended", found.number, stamp, {"values": results, "reason": text}, old)


def fail(history: History, stamp: Stamp, trial: Trial | int, reason: Any) -> Event:
    """An open trial that could not be measured."""
    found = _open(history, trial, "failed")
    return _event(history, 0, "failed", found.number, stamp, {"reason": remark("reason", reason)})


def release(history: History, stamp: Stamp, trial: Trial | int) -> Event:
    """An open trial handed back."""
    found = _open(history, trial, "released")
    if found.state is State.RELEASED:
        raise TrialStateError(f"trial {found.number} is released already: the next ask hands it out.")
    old = {"owner": found.owner, "expires": _written(found.expires)}
    return _event(history, 0, "released", found.number, stamp, {}, old)


def renew(history: History, stamp: Stamp, trial: Trial | int, lease: timedelta | None) -> Event:
    """An open trial kept for longer."""
    found = _open(history, trial, "renewed")
    if found.state is State.RELEASED:
        raise TrialStateError(f"trial {found.number} is released: ask for it to have it again.")
    new = {"expires": _ends(stamp, lease)}
    return _event(history, 0, "renewed", found.number, stamp, new, {"expires": _written(found.expires)})


def add(history: History, stamp: Stamp, params: Params, values: Any, *, cost: float | None, note: str | None) -> Event:
    """An experiment done before."""
    new: dict[str, Any] = {
        "params": history.plan.space.check(params),
        "values": values_of(values, history.plan.objectives),
    }
    if cost is not None:
        new["cost"] = cost
    if note is not None:
        new["note"] = remark("note", note)
    return _event(history, 0, "added", len(history.trials), stamp, new)


def plan_for(history: History, stamp: Stamp, budget: int) -> Event:
    """A budget where none was given."""
    return _event(history, 0, "planned", None, stamp, {"budget": budget}, {"budget": history.plan.budget})


def _event(
    history: History,
    after: int,
    kind: Any,
    trial: int | None,
    stamp: Stamp,
    new: Mapping[str, Any],
    old: Mapping[str, Any] | None = None,
) -> Event:
    return Event(history.count + after, kind, trial, stamp.when, stamp.who, new, old)


def _ends(stamp: Stamp, lease: timedelta | None) -> str | None:
    return _written(None if lease is None else stamp.when + lease)


def _written(when: datetime | None) -> str | None:
    return None if when is None else when.isoformat()
