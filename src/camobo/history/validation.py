"""Whether a stored event can be believed: its facts are of the right kind, and its trial is where the event needs it.

Events come from a place that anybody may have changed. What passes here can be folded, shown and given to a model.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from camobo.checks import money, values_of
from camobo.errors import InvalidValueError, shown
from camobo.history.events import Event
from camobo.history.trial import State, Trial
from camobo.strategy.plan import Plan

_OLD = (MappingProxyType, type(None))
_TEXT = (str, type(None))
_OPEN = (State.PENDING, State.RELEASED)
_BEFORE = {
    "asked": _OPEN,
    "renewed": _OPEN,
    "told": _OPEN,
    "failed": _OPEN,
    "released": (State.PENDING, State.FAILED),  # handed back, or tried again
    "amended": tuple(State),
    "late": tuple(State),
}
"""The states of a trial that an event about it may follow."""


def checked_facts(event: Event, plan: Plan, trials: Sequence[Trial]) -> Mapping[str, Any]:
    """The facts of a stored event that follows on these trials; InvalidValueError if it cannot."""
    facts = event.new
    if type(facts) is not MappingProxyType or type(event.old) not in _OLD or type(event.who) is not str:
        raise InvalidValueError(f"need facts by name and who recorded them, got {shown(facts)} by {shown(event.who)}.")
    if event.kind == "set":
        if event.trial is not None:
            raise InvalidValueError(f"it changes the plan and names trial {shown(event.trial)}.")
        return facts
    if type(event.trial) is not int or not 0 <= event.trial <= len(trials):
        named = "no trial" if event.trial is None else f"trial {shown(event.trial)}"
        raise InvalidValueError(f"it names {named} where {len(trials)} are known.")
    checked = _checked(event, facts, plan)
    if event.trial == len(trials):
        _check_first(event)
    else:
        _check_next(event, trials[event.trial], plan.objectives)
    return checked


def _check_first(event: Event) -> None:
    """Refuse an event that cannot be the first of a trial."""
    if event.kind not in ("asked", "added"):
        raise InvalidValueError(f"{shown(event.kind)} is not how trial {event.trial} can begin.")
    known, beside = event.new.get("known", 0), event.new.get("beside", 0)
    if type(known) is not int or type(beside) is not int or not 0 <= known <= known + beside <= event.number:
        raise InvalidValueError(
            f"it cannot know {shown(known)} events and {shown(beside)} trials beside: {event.number} came before."
        )
    if event.kind == "asked" and not isinstance(event.new["notes"], list):
        raise InvalidValueError(f"notes: need a list, got {shown(event.new['notes'])}.")


def _check_next(event: Event, trial: Trial, objectives: Mapping[str, str]) -> None:
    """Refuse an event that cannot follow on what is known of its trial."""
    before = _BEFORE.get(event.kind, ())
    if event.kind == "added" or "params" in event.new:
        raise InvalidValueError(f"trial {trial.number} exists already.")
    if not before:
        raise InvalidValueError(f"unknown kind of event: {shown(event.kind)}.")
    final = event.kind == "released" and trial.state is State.FAILED and (trial.added or trial.amended)
    besides = event.kind == "told" and "values" not in event.new  # a bill or a remark may come at any time
    if final or not (trial.state in before or besides):
        raise InvalidValueError(f"trial {trial.number} is {trial.state} and cannot be {event.kind}.")
    if event.kind == "told":
        twice = [name for name in event.new.get("values", ()) if name in (trial.values or ())]
        if twice:
            raise InvalidValueError(f"trial {trial.number} has a value of {shown(twice[0])} already.")
    if event.kind == "late" and not any(name in event.new for name in ("values", "reason", "cost", "note")):
        raise InvalidValueError("it has no values, reason, cost or note.")
    if event.kind == "amended" and "values" in event.new:
        _check_amended(event.new["values"], trial, objectives)


def _check_amended(values: Any, trial: Trial, objectives: Mapping[str, str]) -> None:
    if values is None:
        possible = trial.state is State.COMPLETE
    elif trial.state.open:
        possible = all(name in (trial.values or ()) for name in values)
    else:
        possible = all(name in values or name in (trial.values or ()) for name in objectives)
    if not possible:
        raise InvalidValueError(f"trial {trial.number} is {trial.state}: its values cannot become {shown(values)}.")


def _checked(event: Event, facts: Mapping[str, Any], plan: Plan) -> Mapping[str, Any]:
    """The facts, with params, money, values and texts checked. Only an amendment may lack values: it withdraws them."""
    checked = dict(facts)
    for name, fact in facts.items():
        if name == "params":
            checked[name] = plan.space.check(fact)
        elif name == "fixed":
            checked[name] = plan.space.check_fixed(fact)
        elif name == "values" and not (fact is None and event.kind == "amended"):
            checked[name] = values_of(fact, plan.objectives, partial="params" not in facts)
        elif name in ("cost", "expected"):
            checked[name] = money(fact)
        elif name in ("owner", "note", "reason") and type(fact) not in _TEXT:
            raise InvalidValueError(f"{name}: need text, got {shown(fact)}.")
        elif name == "teaches" and type(fact) is not bool:
            raise InvalidValueError(f"teaches: need true or false, got {shown(fact)}.")
    return checked
