"""What each request changes: from one state of a study to the next and the events between, or a refusal.

No disk, no clock. Callers pass the `History` as it is inside a transaction, so that nothing changes between the check
and the write.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

import numpy as np

from camobo.checks import money, remark, values_of
from camobo.cost.budget import Budget
from camobo.errors import (
    Advice,
    BudgetSpent,
    InvalidOptionError,
    InvalidValueError,
    SpaceExhausted,
    TrialStateError,
    UnknownTrialError,
    shown,
)
from camobo.history.document import budget_document, read_budget
from camobo.history.events import Event, Kind
from camobo.history.history import History, data_of, fold, is_free, outlasts
from camobo.history.late import by_somebody_else, kept_already, late_refusal, overtaken, retaken, taken_over, whose
from camobo.history.trial import State, Trial, measured
from camobo.space.inputs import Param, Params
from camobo.space.space import SAME, Space
from camobo.strategy.notes import Note
from camobo.strategy.plan import Plan

if TYPE_CHECKING:
    from camobo.strategy.protocol import Fitted


@dataclass(frozen=True, slots=True)
class Stamp:
    """When a request came, and who made it."""

    when: datetime
    who: str


@dataclass(frozen=True, slots=True)
class Request:
    """A request for trials: how many, by whom, for how long."""

    count: int
    owner: str | None = None
    lease: timedelta | None = None
    most: int | None = None
    """No new suggestion once the study has made this many."""
    skip: frozenset[int] = frozenset()
    """Trials that the caller is already evaluating."""
    fixed: Params = field(default_factory=dict)
    """Values that some inputs have, such as the furnace that is free."""
    same: tuple[str, ...] = ()
    """Inputs that have one value in all trials of the request, that of the first."""

    def held(self, first: Params | None) -> dict[str, Param]:
        """The values that a further trial must have, given the params of the `first` one, if there is one."""
        return {**self.fixed, **({} if first is None else {name: first[name] for name in self.same})}


@dataclass(frozen=True, slots=True)
class Suggested:
    """A suggestion as an event records it."""

    params: Params
    notes: tuple[Note, ...]
    expected: float | None
    """What it is expected to cost, if costs are in money."""
    fixed: Params = field(default_factory=dict)
    """The values that some inputs had to have."""


@dataclass(frozen=True, slots=True)
class Ahead:
    """Suggestions computed before a transaction, to keep the transaction short."""

    events: int
    """How many events they know."""
    trials: int
    """How many trials there were: the number of the first suggestion."""
    plan: Plan
    suggested: tuple[Suggested, ...]
    fitted: Fitted | None
    first: Params | None = None
    """Params of the trial that came before them in the same request, if any."""
    exhausted: SpaceExhausted | BudgetSpent | None = None
    """Why there are fewer than wanted, if the space ran out of points or the budget of money."""

    def fits(self, history: History) -> bool:
        """Whether they may still be handed out: results may have come in since, but no trial and no new plan."""
        return len(history.trials) == self.trials and history.plan == self.plan


@dataclass(frozen=True, slots=True)
class Change:
    """The state of a study after a request, and the events that led there."""

    history: History
    events: tuple[Event, ...] = ()
    refusal: TrialStateError | None = None
    """To be raised once the events are stored, if they only keep what came too late to count."""

    @property
    def trial(self) -> Trial:
        """The trial of the last event."""
        number = self.events[-1].trial
        if number is None:
            raise LookupError("the last event is not about a trial")
        return self.history.trials[number]


@dataclass(frozen=True, slots=True)
class HandOut:
    """Trials handed out, how that changed the study, and the models to reuse next time."""

    trials: tuple[Trial, ...]
    change: Change
    fitted: Fitted | None


def find(trials: Sequence[Trial], trial: Trial | int) -> Trial:
    """The one of a study's trials with this number, or with the number of this `Trial`."""
    number = trial.number if isinstance(trial, Trial) else trial
    if isinstance(number, (bool, np.bool_)) or not isinstance(number, (int, np.integer)):
        raise UnknownTrialError(f"trial: need a Trial or its number, got {trial!r}.")
    if not 0 <= number < len(trials):
        last = len(trials) - 1
        has = "no trials yet" if last < 0 else "only trial 0" if last == 0 else f"trials 0 to {last}"
        raise UnknownTrialError(f"trial {number}: this study has {has}.")
    found = trials[int(number)]
    if isinstance(trial, Trial) and trial.params != found.params:
        raise UnknownTrialError(
            f"trial {found.number} of this study has other params than the given one. Is that a trial of another study?"
        )
    return found


def _open(history: History, trial: Trial | int, done: str) -> Trial:
    """The trial, if it is open and nobody else has taken it since."""
    found = find(history.trials, trial)
    if not found.state.open:
        raise TrialStateError(
            f"trial {found.number} is already {found.state} and cannot be {done}: {found}.", advice=Advice.AMEND
        )
    if retaken(found, trial) and found.state is State.PENDING:
        raise TrialStateError(f"{whose(found)} If it is to be {done} all the same, name the trial by its number.")
    return found


def holds(owner: str | None, trial: Trial) -> bool:
    """Whether an owner holds a trial."""
    return owner is not None and trial.owner == owner and trial.state is State.PENDING


def _to_take(history: History, now: datetime, request: Request) -> list[Trial]:
    """Existing trials for a request: those this owner holds, then those free to take."""
    available = [trial for trial in history.trials if trial.state.open and trial.number not in request.skip]
    own = [trial for trial in available if holds(request.owner, trial)]
    others = [trial for trial in available if not holds(request.owner, trial) and is_free(trial, now)]
    taken = list[Trial]()
    for trial in [*own, *others]:
        held = request.held(taken[0].params if taken else None)
        if len(taken) < request.count and _agrees(history.plan.space, trial.params, held):
            taken.append(trial)
    return taken


def _agrees(space: Space, params: Params, held: Params) -> bool:
    """Whether params have the values that some inputs must have."""
    return all(
        abs(space.inputs[name].to_unit(params[name]) - space.inputs[name].to_unit(value)) <= SAME
        for name, value in held.items()
    )


def suggestions_wanted(history: History, now: datetime, request: Request) -> int:
    """How many new trials a request needs beyond the existing ones it can take."""
    return _still_wanted(history, request, len(_to_take(history, now, request)))


def _still_wanted(history: History, request: Request, taken: int) -> int:
    wanted = request.count - taken
    return wanted if request.most is None else min(wanted, request.most - history.suggested)


def first_taken(history: History, now: datetime, request: Request) -> Params | None:
    """The params of the first existing trial that a request takes; None if it takes none."""
    taken = _to_take(history, now, request)
    return taken[0].params if taken else None


def look_ahead(
    history: History, wanted: int, fitted: Fitted | None, request: Request | None = None, first: Params | None = None
) -> Ahead:
    """`wanted` suggestions, each knowing the ones before it as pending; `first` as in `Ahead`."""
    from camobo.strategy.suggest import suggest  # late: SciPy takes as long to load as a small study takes to open

    plan, data, start = history.plan, data_of(history), len(history.trials)
    found, exhausted, before, space = list[Suggested](), None, first, plan.space
    for number in range(start, start + wanted):
        held = {} if request is None else request.held(before)
        try:
            suggestion = suggest(plan, data, number, fitted, fixed=space.coordinates(held))
        except (SpaceExhausted, BudgetSpent) as error:
            exhausted = error
            break
        fitted = suggestion.fitted
        params = {**space.from_unit(suggestion.unit), **held}  # to the last digit
        found.append(Suggested(params, suggestion.notes, suggestion.expected, held))
        before = params if before is None else before
        data = data.with_pending(space.to_unit(params))
    return Ahead(history.count, start, plan, tuple(found), fitted, first, exhausted)


def hand_out(
    history: History, stamp: Stamp, request: Request, *, ahead: Ahead | None, fitted: Fitted | None
) -> HandOut:
    """Existing trials, then new ones: those computed `ahead`, which must fit, and any still missing."""
    taken = _to_take(history, stamp.when, request)
    change = _with_possible_leases(Change(history), stamp)
    for trial in taken:
        if holds(request.owner, trial) and request.lease is None and trial.expires is None:
            continue  # it is theirs already, and stays so
        old = {"owner": trial.owner, "expires": _written(trial.expires)}
        new = {"owner": request.owner, "expires": _ends(stamp, request.lease)}
        change = _then(change, "asked", trial.number, stamp, new, old)
    numbers = [trial.number for trial in taken]
    wanted = _still_wanted(change.history, request, len(numbers))
    while wanted > 0:
        first = change.history.trials[numbers[0]].params if numbers else None
        if ahead is None or request.held(first) != request.held(ahead.first):
            ahead = look_ahead(change.history, wanted, fitted, request, first)
        fitted, start = ahead.fitted, change.history.count
        for i in range(min(wanted, len(ahead.suggested))):
            known = {} if ahead.events == start else {"known": ahead.events, "beside": i}
            numbers.append(len(change.history.trials))
            change = _asked(change, stamp, ahead.suggested[i], request, known)
            wanted -= 1
        if ahead.exhausted is not None and not numbers:
            raise ahead.exhausted
        if ahead.exhausted is not None:
            break
        ahead = None
    return HandOut(tuple(change.history.trials[number] for number in numbers), change, fitted)


def _with_possible_leases(change: Change, stamp: Stamp) -> Change:
    """The leases that a clock which was ahead made too long, begun again by the present one: nobody waits for years."""
    for trial in change.history.trials:
        if outlasts(trial, stamp.when):
            why = "it ended later than any lease granted now: a clock was ahead"
            new = {"expires": _ends(stamp, trial.lease), "reason": why}
            change = _then(change, "renewed", trial.number, stamp, new, {"expires": _written(trial.expires)})
    return change


def _asked(
    change: Change,
    stamp: Stamp,
    suggested: Suggested,
    request: Request,
    known: Mapping[str, int],
) -> Change:
    new: dict[str, Any] = {
        "params": suggested.params,
        "notes": [note.as_dict() for note in suggested.notes],
        "owner": request.owner,
        "expires": _ends(stamp, request.lease),
        **known,
    }
    if suggested.expected is not None:
        new["expected"] = suggested.expected
    if suggested.fixed:
        new["fixed"] = dict(suggested.fixed)
    return _then(change, "asked", len(change.history.trials), stamp, new)


def known_to(events: Sequence[Event], asked: Event) -> list[Event]:
    """The events a suggestion knew: all before it, or fewer if others came in while it was computed."""
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
) -> Change:
    """Record results of an open trial, for all objectives or for some; or of any trial only a cost or a note.

    Results that come too late to count are kept.
    """
    if values is None:
        return _tell_besides(history, stamp, trial, cost=cost, note=note)
    late = overtaken(find(history.trials, trial), trial, stamp.who)
    found = find(history.trials, trial) if late else _open(history, trial, "given results")
    results = values_of(values, history.plan.objectives, partial=True)
    _refuse_twice(found, trial, stamp, {"values": results}, cost, note)
    before = found.values or {}
    again = [name for name in results if name in before]
    if late or (again and by_somebody_else(found, trial, stamp.who)):
        note = None if note is None else remark("note", note)
        return _kept_late(history, stamp, trial, {"values": results}, cost, note)
    if again:
        raise TrialStateError(
            f"trial {found.number}: {again[0]!r} has a value already, {before[again[0]]!r}.", advice=Advice.AMEND
        )
    return _told(history, stamp, found, {"values": results}, cost=cost, note=note)


def _tell_besides(
    history: History, stamp: Stamp, trial: Trial | int, *, cost: float | None, note: str | None
) -> Change:
    """Record a bill or a remark, which may come at any time and decide nothing about the state of a trial.

    If somebody else was handed the trial, it is kept beside theirs: it says nothing of what they pay or see.
    """
    found = find(history.trials, trial)
    if cost is None and note is None:
        raise InvalidValueError("tell: need values, a cost or a note, got none of them.", advice=Advice.FAIL)
    if taken_over(found, trial):
        note = None if note is None else remark("note", note)
        return replace(_kept_late(history, stamp, trial, {}, cost, note), refusal=None)
    return _told(history, stamp, found, {}, cost=cost, note=note)


def _told(
    history: History, stamp: Stamp, found: Trial, new: dict[str, Any], *, cost: float | None, note: str | None
) -> Change:
    """The event of what was told; costs add up."""
    if cost is not None:
        new["cost"] = money(cost + (found.cost or 0.0))
    if note is not None:
        new["note"] = remark("note", note)
    old = {"cost": found.cost, "note": found.note}
    replaced = {key: fact for key, fact in old.items() if key in new and fact is not None}
    return _then(Change(history), "told", found.number, stamp, new, replaced or None)


def _kept_late(
    history: History,
    stamp: Stamp,
    trial: Trial | int,
    new: Mapping[str, Any],
    cost: float | None,
    note: str | None = None,
) -> Change:
    """Keep what was told of a trial that somebody else has taken or settled, and say so once it is stored."""
    found = find(history.trials, trial)
    facts = {name: fact for name, fact in {**new, "cost": cost, "note": note}.items() if fact is not None}
    return replace(keep_late(history, stamp, found.number, facts), refusal=late_refusal(found, trial, facts))


def _refuse_twice(
    found: Trial, claim: Trial | int, stamp: Stamp, new: Mapping[str, Any], cost: float | None, note: str | None = None
) -> None:
    """Refuse what was kept as a late result when it was told before: it is paid for."""
    if kept_already(found, claim, stamp.who, {**new, "cost": cost, "note": note}):
        raise TrialStateError(
            f"trial {found.number}: told twice; it has been kept as a late result before: "
            f"{measured(new.get('values'), new.get('reason'), cost)}.",
            advice=Advice.COUNT if found.state.open and "values" in new else None,
        )


def keep_late(history: History, stamp: Stamp, trial: int, facts: Mapping[str, Any]) -> Change:
    """Keep what came too late to count."""
    return _then(Change(history), "late", trial, stamp, facts)


def amend(
    history: History, stamp: Stamp, trial: Trial | int, values: Any, reason: Any, *, cost: float | None = None
) -> Change:
    """Correct values, or with None withdraw them; with `...` leave them. Correct what it cost."""
    found = find(history.trials, trial)
    text = remark("reason", reason)
    if not text.strip():
        raise InvalidValueError(f"reason: need a text that is not blank, got {reason!r}.")
    if values is ... and cost is None:
        raise InvalidValueError("amend: need values or a cost to correct, got neither.")
    new: dict[str, Any] = {} if values is ... else {"values": _amended_values(history, found, values)}
    old: dict[str, Any] = {"values": found.values, "reason": found.reason, "state": found.state.value}
    if cost is not None:
        new["cost"], old["cost"] = cost, found.cost
    return _then(Change(history), "amended", found.number, stamp, {**new, "reason": text}, old)


def _amended_values(history: History, found: Trial, values: Any) -> dict[str, float] | None:
    """The values that an amendment sets, or None if it withdraws them."""
    if values is None:
        if found.state is not State.COMPLETE:
            raise TrialStateError(
                f"trial {found.number} is {found.state}: it has no result to withdraw.",
                advice=Advice.FAIL if found.state.open else None,
            )
        return None
    results = values_of(values, history.plan.objectives, partial=True)
    known = found.values or {}
    unmeasured = [name for name in results if name not in known]
    if found.state.open and unmeasured:
        raise TrialStateError(
            f"trial {found.number} is {found.state}: {unmeasured[0]!r} has no value yet.", advice=Advice.TELL
        )
    missing = [name for name in history.plan.objectives if name not in known and name not in results]
    if found.state is State.FAILED and missing:
        raise InvalidValueError(
            f"values: no value for {missing[0]!r}. To complete the failed trial {found.number} give every objective."
        )
    return results


def fail(
    history: History, stamp: Stamp, trial: Trial | int, reason: Any, *, cost: float | None = None, teaches: bool = True
) -> Change:
    """Record that an open trial could not be measured, and what it cost all the same.

    teaches: whether that is what its point costs.
    """
    new: dict[str, Any] = {"reason": remark("reason", reason)}
    _refuse_twice(find(history.trials, trial), trial, stamp, new, cost)
    if overtaken(find(history.trials, trial), trial, stamp.who):
        return _kept_late(history, stamp, trial, new, cost)
    found = _open(history, trial, "recorded as failed")
    old = None
    if cost is not None:
        new["cost"] = money(cost + (found.cost or 0.0))
        new |= {} if teaches else {"teaches": False}
        old = None if found.cost is None else {"cost": found.cost}
    return _then(Change(history), "failed", found.number, stamp, new, old)


def release(history: History, stamp: Stamp, trial: Trial | int) -> Change:
    """Hand back an open trial."""
    found = _open(history, trial, "released")
    if found.state is State.RELEASED:
        raise TrialStateError(f"trial {found.number} is released already. The next ask hands it out.")
    old = {"owner": found.owner, "expires": _written(found.expires)}
    return _then(Change(history), "released", found.number, stamp, {}, old)


def retry(history: History, stamp: Stamp, trial: Trial | int) -> Change:
    """Hand back a failed trial, to be evaluated again: its failure says nothing of its point."""
    found = find(history.trials, trial)
    if found.state is not State.FAILED or found.added or found.amended:
        how = "was added by hand" if found.added else "was withdrawn" if found.amended else f"is {found.state}"
        raise TrialStateError(
            f"trial {found.number} {how}: only a trial that was suggested and has failed can be evaluated again."
        )
    old = {"state": found.state.value, "reason": found.reason}
    return _then(Change(history), "released", found.number, stamp, {}, old)


def renew(history: History, stamp: Stamp, trial: Trial | int, lease: timedelta | None) -> Change:
    """Restart the lease of a held trial from now."""
    found = _open(history, trial, "renewed")
    if found.state is State.RELEASED:
        raise TrialStateError(f"trial {found.number} is released and has no lease. Ask for it again.")
    new = {"expires": _ends(stamp, lease)}
    return _then(Change(history), "renewed", found.number, stamp, new, {"expires": _written(found.expires)})


def add(
    history: History,
    stamp: Stamp,
    params: Params,
    values: Any,
    *,
    cost: float | None,
    note: str | None,
    reason: str | None = None,
) -> Change:
    """Record an earlier experiment; without values, one that could not be measured, and the reason."""
    new: dict[str, Any] = {"params": history.plan.space.check(params)}
    if reason is None:
        new["values"] = values_of(values, history.plan.objectives)
    elif values is None:
        new["reason"] = remark("reason", reason)
    else:
        raise InvalidValueError(
            f"values: need None for an experiment that failed ({shown(reason)}), got {shown(values)}. "
            "Leave the reason out, or give None."
        )
    if cost is not None:
        new["cost"] = cost
    if note is not None:
        new["note"] = remark("note", note)
    return _then(Change(history), "added", len(history.trials), stamp, new)


def change_plan(history: History, stamp: Stamp, changes: Mapping[str, Any], *, anew: Collection[str] = ()) -> Change:
    """Change budget, cost or thrift, given as in a document. What differs is recorded, and what is given `anew`."""
    before = plan_facts(history.plan)
    if "budget" in changes:
        changes = {**changes, "budget": _in_the_same_money(history.plan.budget, changes["budget"])}
    new = {name: given for name, given in changes.items() if given != before[name] or name in anew}
    if not new:
        return Change(history)
    if "budget" in new:
        _refuse_another_unit(history, read_budget(new["budget"]), repriced="cost" in new)
    return _then(Change(history), "set", None, stamp, new, {name: before[name] for name in new})


def _in_the_same_money(before: Budget | None, given: Any) -> Any:
    """A budget as a document; if it limits trials only, what is paid is still counted in the unit given before."""
    now = read_budget(given)
    if before is None or now is None or now.cost is not None or now.unit:
        return given
    return budget_document(replace(now, unit=before.unit))


def _refuse_another_unit(history: History, budget: Budget | None, *, repriced: bool) -> None:
    """Refuse a budget in another unit of money than the one in which money was spent.

    Costs that are only expected follow a cost that is changed in the same step.
    """
    before = history.plan.budget
    if before is None or budget is None or budget.cost is None or not before.unit or _same(before.unit, budget.unit):
        return
    cost = history.plan.cost
    estimated = not repriced and cost is not None and cost.over(history.plan.space).in_money
    if any(trial.cost or trial.late_cost or (estimated and trial.evaluated) for trial in history.trials):
        given = f"{budget.cost:.12g} {budget.unit}".rstrip() + ("" if budget.unit else " without a unit")
        raise InvalidOptionError(
            f"budget: need an amount in {before.unit}, as money has been recorded in {before.unit}, got {given}. "
            f"camobo does not convert money: give the budget in {before.unit}, or begin a new study"
            f"{f' in {budget.unit}' if budget.unit else ''}."
        )


def _same(unit: str, other: str) -> bool:
    """Whether two units are spelled alike, but for case and spaces."""
    return unit.strip().casefold() == other.strip().casefold()


def plan_facts(plan: Plan) -> dict[str, Any]:
    """What of a plan may change, as in a document."""
    cost = None if plan.cost is None else plan.cost.document()
    return {"budget": budget_document(plan.budget), "cost": cost, "thrift": plan.thrift}


def _then(
    change: Change,
    kind: Kind,
    trial: int | None,
    stamp: Stamp,
    new: Mapping[str, Any],
    old: Mapping[str, Any] | None = None,
) -> Change:
    """A change with one more event."""
    event = Event(change.history.count, kind, trial, stamp.when, stamp.who, new, old)
    return Change(fold(change.history, [event], checked=True), (*change.events, event))


def _ends(stamp: Stamp, lease: timedelta | None) -> str | None:
    return _written(None if lease is None else stamp.when + lease)


def _written(when: datetime | None) -> str | None:
    return None if when is None else when.isoformat()
