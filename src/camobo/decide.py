"""What a request changes: from where a study stands to the events that follow, or a refusal. No disk, no clock.

Every function takes the `History` as it is inside a transaction, so what it decides cannot be overtaken.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import numpy as np

from camobo import engine
from camobo.checks import remark, values_of
from camobo.engine import Models
from camobo.errors import InvalidValueError, SpaceExhausted, TrialStateError, UnknownTrialError
from camobo.history import Event, History, data_of, fold, free
from camobo.space import Params
from camobo.trial import State, Trial


@dataclass(frozen=True, slots=True)
class Stamp:
    """When a request came, and from whom."""

    when: datetime
    who: str


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
        raise UnknownTrialError(f"trial {number}: this study has {has}. To record an earlier experiment use study.add.")
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
        mend = " To correct a result use study.amend." if wanted == "told" else ""
        raise TrialStateError(
            f"trial {found.number} is {found.state} already and cannot be {wanted} again: {found}.{mend}"
        )
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


def hand_out(
    history: History,
    stamp: Stamp,
    *,
    count: int,
    owner: str | None = None,
    lease: timedelta | None = None,
    models: Models | None = None,
    most: int | None = None,
    skip: frozenset[int] = frozenset(),
) -> HandOut:
    """Up to `count` trials: those this owner holds, those free to take, then new ones while fewer than `most` exist.

    `skip` names trials the caller is at work on.
    """
    expires = None if lease is None else (stamp.when + lease).isoformat()
    there = [trial for trial in history.trials if trial.state.open and trial.number not in skip]
    own = [trial for trial in there if holds(owner, trial)]
    held = {trial.number for trial in own}
    taken = [*own, *(trial for trial in there if trial.number not in held and free(trial, stamp.when))][:count]
    events: list[Event] = []
    for trial in taken:
        if trial.number in held and expires is None and trial.expires is None:
            continue  # it is theirs already, and nothing about that changes
        old = {"owner": trial.owner, "expires": _written(trial.expires)}
        new = {"owner": owner, "expires": expires}
        events.append(_event(history, len(events), "asked", trial.number, stamp, new, old))
    numbers = [trial.number for trial in taken]
    history = fold(history, events)
    while len(numbers) < count and (most is None or history.suggested < most):
        try:
            asked, models = _suggested(history, stamp, owner, expires, models)
        except SpaceExhausted:
            if numbers:
                break
            raise
        history = fold(history, [asked])
        numbers.append(len(history.trials) - 1)
        events.append(asked)
    return HandOut(tuple(numbers), tuple(events), models)


def _suggested(
    history: History, stamp: Stamp, owner: str | None, expires: str | None, models: Models | None
) -> tuple[Event, Models | None]:
    number = len(history.trials)
    suggestion = engine.suggest(history.plan, data_of(history), number, models)
    params = history.plan.space.from_unit(suggestion.unit)
    new = {"params": params, "notes": list(suggestion.notes), "owner": owner, "expires": expires}
    return _event(history, 0, "asked", number, stamp, new), suggestion.models or models


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
    return _event(history, 0, "failed", found.number, stamp, {"reason": remark("reason", str(reason))})


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
    new = {"expires": None if lease is None else (stamp.when + lease).isoformat()}
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
    """A budget where there was none."""
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


def _written(when: datetime | None) -> str | None:
    return None if when is None else when.isoformat()
