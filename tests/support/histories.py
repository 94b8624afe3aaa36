"""Histories of a small study, made without a `Study`: no disk, no clock."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import Any

from camobo.errors import BudgetSpent, SpaceExhausted
from camobo.history import transitions
from camobo.history.document import make_plan
from camobo.history.history import History
from camobo.history.transitions import Ahead, Change, HandOut, Request, Stamp, Suggested
from camobo.space.inputs import Categorical, Integer, Real
from camobo.space.space import Space
from camobo.strategy.notes import Note, Reason

SPACE = Space({"nickel": Real(0, 20), "soak": Integer(1, 12), "quench": Categorical(["air", "oil"])})
PLAN = make_plan(SPACE, {"strength": "max", "corrosion": "min"}, cost="nickel > soak", budget=20, seed=3)
NEW = History(PLAN)
NOON = datetime(2026, 1, 1, 12, tzinfo=timezone.utc)
GOOD = {"strength": 1.0, "corrosion": 2.0}


def at(hours: float = 0.0, who: str = "me") -> Stamp:
    """A stamp some hours after noon."""
    return Stamp(NOON + timedelta(hours=hours), who)


def point(number: int) -> dict[str, Any]:
    """Params that differ from trial to trial."""
    return {"nickel": number / 8, "soak": 1 + number % 12, "quench": "oil" if number % 2 else "air"}


def ahead(
    history: History,
    count: int,
    *,
    expected: float | None = None,
    exhausted: SpaceExhausted | BudgetSpent | None = None,
) -> Ahead:
    """Suggestions for the next trials, without a model: `point` by number, each at the same expected cost."""
    first, notes = len(history.trials), (Note(Reason.INITIAL_DESIGN),)
    found = tuple(Suggested(point(number), notes, expected) for number in range(first, first + count))
    return Ahead(history.count, first, history.plan, found, None, None, exhausted)


def handed(history: History, request: Request, stamp: Stamp | None = None) -> HandOut:
    """Trials handed out as requested; new ones are made-up points."""
    when = stamp or at(who=request.owner or "me")
    wanted = transitions.suggestions_wanted(history, when.when, request)
    return transitions.hand_out(history, when, request, ahead=ahead(history, wanted), fitted=None)


def asked(history: History = NEW, count: int = 1, **options: Any) -> History:
    """The history after `count` trials were asked for."""
    return handed(history, Request(count, **options)).change.history


def told(history: History, trial: Any, values: Any = None, **options: Any) -> Change:
    return transitions.tell(
        history, at(), trial, GOOD if values is None else values, **{"cost": None, "note": None, **options}
    )


def added(history: History = NEW, number: int = 0, **options: Any) -> Change:
    return transitions.add(history, at(), point(number), GOOD, **{"cost": None, "note": None, **options})
