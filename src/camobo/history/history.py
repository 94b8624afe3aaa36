"""The state of a study: the fold of its events.

The state at any time follows from the events before that time, so nothing is stored twice.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

import numpy as np

from camobo.arrays import Array
from camobo.checks import LONGEST_LEASE
from camobo.errors import CamoboError, StorageError
from camobo.history.document import changed_plan
from camobo.history.events import Event, when_of
from camobo.history.trial import Measurement, State, Trial
from camobo.history.validation import checked_facts
from camobo.space.inputs import Params
from camobo.space.space import Space
from camobo.strategy.notes import Note, Reason
from camobo.strategy.plan import Data, Plan, Receipts

_NOTES = {reason.value: Note(reason) for reason in Reason if reason not in (Reason.JITTER, Reason.OTHER)}
"""Notes without facts, made once: making one per trial took a tenth of the time to open a study."""


@dataclass(frozen=True, slots=True)
class History:
    """The state of a study after its first `count` events."""

    plan: Plan
    """As it is now: budget, cost and thrift may have changed since the study was created."""
    trials: tuple[Trial, ...] = ()
    units: tuple[Array, ...] = ()
    """(d,) per trial, its point in the unit cube."""
    count: int = 0
    suggested: int = 0
    """How many trials were suggested rather than added."""


def fold(history: History, events: Iterable[Event], *, checked: bool = False) -> History:
    """The history after further events. Takes time linear in all trials, so fold many events at once.

    `checked` says that `transitions` made the events from this very history. Other events come from a storage, where
    anybody may have changed them: they are checked here (`validation`).
    """
    trials, units = list(history.trials), list(history.units)
    plan, count, suggested = history.plan, history.count, history.suggested
    for event in events:
        if event.number != count:
            raise StorageError(f"event {count} is missing: the next stored event has number {event.number}.")
        try:
            facts = event.new if checked else checked_facts(event, plan, trials)
            if event.kind == "set":
                plan = changed_plan(plan, facts)
            elif event.trial is None:
                raise ValueError("it names no trial")
            elif event.trial == len(trials):
                suggested += event.kind == "asked"
                trials.append(_opened(len(trials), event, facts, suggested))
                units.append(_unit(plan.space, trials[-1].params))
            else:
                trials[event.trial] = _changed(trials[event.trial], event, facts, plan.objectives)
        except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError) as error:
            said = error.message if isinstance(error, CamoboError) else f"{type(error).__name__}: {error}."
            raise StorageError(f"event {event.number} cannot be read: {said}") from error
        count += 1
    return History(plan, tuple(trials), tuple(units), count, suggested)


def _unit(space: Space, checked: Params) -> Array:
    """(d,) the unit-cube point of params that were checked already."""
    return np.array([given.to_unit(checked[name]) for name, given in space.inputs.items()])


def _opened(trial: int, event: Event, facts: Mapping[str, Any], suggested: int) -> Trial:
    """The trial that an event creates."""
    number = event.number
    if event.kind == "added":
        return Trial(
            trial,
            facts["params"],
            State.FAILED if "reason" in facts else State.COMPLETE,
            None if "reason" in facts else facts["values"],
            facts.get("reason"),
            notes=(_NOTES[Reason.ADDED.value],),
            added=True,
            asked=number,
            told=number,
            cost=facts.get("cost"),
            note=facts.get("note"),
            held=number,
            teller=event.who,
        )
    params, notes = facts["params"], tuple(map(_note, facts["notes"]))
    expires, lease = _lease(event, facts)
    return Trial(
        trial,
        params,
        notes=notes,
        asked=number,
        step=suggested,
        expected=facts.get("expected"),
        owner=facts["owner"],
        expires=expires,
        lease=lease,
        held=number,
    )


def _lease(event: Event, facts: Mapping[str, Any]) -> tuple[datetime | None, timedelta | None]:
    """When the lease that an event grants ends, and how long it is."""
    expires = parse_time(facts["expires"])
    return expires, None if expires is None else min(expires - event.when, LONGEST_LEASE)


def _note(stored: Any) -> Note:
    """A stored note; the common ones are shared, since thousands are alike."""
    known = _NOTES.get(stored["reason"]) if len(stored) == 1 else None
    return Note.of(stored) if known is None else known


def _changed(trial: Trial, event: Event, facts: Mapping[str, Any], objectives: Mapping[str, str]) -> Trial:
    """The trial after an event."""
    number = event.number
    if event.kind == "asked":
        expires, lease = _lease(event, facts)
        return replace(trial, state=State.PENDING, owner=facts["owner"], expires=expires, lease=lease, held=number)
    if event.kind == "renewed":
        expires, lease = _lease(event, facts)
        return replace(trial, state=State.PENDING, expires=expires, lease=lease)
    if event.kind == "late":
        return replace(trial, late=(*trial.late, _late(event, facts)))
    if event.kind == "released":
        if trial.state is State.FAILED:  # what it cost stays
            trial = replace(trial, reason=None, told=None, teaches=True)
        return replace(trial, state=State.RELEASED, owner=None, expires=None)
    if event.kind == "failed":
        return replace(
            trial,
            state=State.FAILED,
            reason=facts["reason"],
            told=number,
            expires=None,
            cost=facts.get("cost", trial.cost),
            teaches=facts.get("teaches", trial.teaches),
            teller=event.who,
        )
    if event.kind == "told":
        besides = {"cost": facts.get("cost", trial.cost), "note": facts.get("note", trial.note)}
        if "values" not in facts and ("cost" in facts or "note" in facts):
            return replace(trial, **besides)
        values, whole = _merged(trial, facts["values"], objectives)
        return replace(
            trial,
            state=State.COMPLETE if whole else trial.state,
            values=values,
            told=number if whole else None,
            expires=None if whole else trial.expires,
            teller=event.who,
            **besides,
        )
    if event.kind == "amended":
        trial = replace(trial, cost=facts.get("cost", trial.cost), teaches=trial.teaches or "cost" in facts)
        if "values" not in facts:
            return trial  # a failed trial keeps the reason why it failed
        trial = replace(trial, reason=facts["reason"], amended=True)
        if facts["values"] is None:
            return replace(trial, state=State.FAILED)
        values, whole = _merged(trial, facts["values"], objectives)
        settled = State.COMPLETE if whole and not trial.state.open else trial.state
        return replace(trial, state=settled, values=values)
    raise ValueError(f"unknown kind of event: {event.kind!r}")


def _late(event: Event, facts: Mapping[str, Any]) -> Measurement:
    """What an event recorded too late."""
    told = {name: facts.get(name) for name in ("values", "reason", "cost", "note")}
    return Measurement(who=event.who, when=event.when, event=event.number, **told)


def _merged(trial: Trial, told: Mapping[str, float], objectives: Mapping[str, str]) -> tuple[dict[str, float], bool]:
    """A trial's values updated by those of an event, in the objectives' order, and whether they are complete."""
    values = {**(trial.values or {}), **told}
    return {name: values[name] for name in objectives if name in values}, all(name in values for name in objectives)


def parse_time(text: str | None) -> datetime | None:
    """A time from its ISO form."""
    return None if text is None else when_of(text)


def is_free(trial: Trial, now: datetime) -> bool:
    """Whether anybody may take a trial: it was handed back, or its lease has ended."""
    expired = trial.state is State.PENDING and trial.expires is not None and trial.expires <= now
    return trial.state is State.RELEASED or expired


def outlasts(trial: Trial, now: datetime) -> bool:
    """Whether a trial's lease would last longer than it was granted for: then a clock was ahead when it was."""
    if trial.state is not State.PENDING or trial.expires is None or trial.lease is None:
        return False
    return trial.expires - now > trial.lease


def signed(plan: Plan, trials: Sequence[Trial]) -> Array:
    """(n, M) the values of complete trials, signed so that larger is better."""
    rows = [[(trial.values or {})[name] for name in plan.objectives] for trial in trials]
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

    return Data(
        rows(done),
        signed(history.plan, done),
        rows(waiting),
        rows(failed),
        history.suggested + 1,
        receipts_of(history.plan, history.trials, history.units),
    )


def receipts_of(plan: Plan, trials: Sequence[Trial], units: Sequence[Array]) -> Receipts | None:
    """What trials cost, given the (d,) point of each; None if the plan asks neither for cost nor for money.

    Settled trials teach the cost model, unless only the duration of a failed evaluation is known; suggested ones count
    against the budget.
    """
    if plan.cost is None and (plan.budget is None or plan.budget.cost is None):
        return None
    taught, paid, unpaid, spent = list[Array](), list[float](), list[Array](), 0.0
    for trial, unit in zip(trials, units, strict=True):
        if trial.cost is not None and trial.teaches and not trial.state.open:
            taught.append(unit)
            paid.append(trial.cost)
        if not trial.added:
            spent += (trial.cost or 0.0) + trial.late_cost
            if trial.unpaid:
                unpaid.append(unit)
    d = plan.space.dimension
    return Receipts(np.array(taught).reshape(-1, d), np.array(paid), spent, np.array(unpaid).reshape(-1, d))
