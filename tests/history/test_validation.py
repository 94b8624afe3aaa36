from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from camobo.errors import InvalidValueError, StorageError
from camobo.history import transitions
from camobo.history.events import Event, when_of
from camobo.history.history import History, fold
from camobo.history.transitions import Change
from camobo.history.validation import checked_facts
from tests.support.histories import GOOD, NEW, PLAN, added, asked, at, point, told

HELD = asked(owner="anna", lease=timedelta(hours=2))
PART = told(HELD, 0, {"strength": 1.0}).history
DONE = told(HELD, 0).history
FAILED = transitions.fail(HELD, at(), 0, "cracked").history
RELEASED = transitions.release(HELD, at(), 0).history
WITHDRAWN = transitions.amend(DONE, at(), 0, None, "contaminated").history
ADDED = transitions.add(NEW, at(), point(0), None, cost=None, note=None, reason="cracked").history


def event(history: History, kind: Any, trial: Any = 0, **new: Any) -> Event:
    return Event(history.count, kind, trial, at().when, "me", new)


def refused(history: History, given: Event, said: str) -> None:
    with pytest.raises(InvalidValueError, match=said):
        checked_facts(given, PLAN, history.trials)
    with pytest.raises(StorageError, match=rf"event {history.count} cannot be read: .*{said}"):
        fold(history, [given])


CHANGES: list[Callable[[], tuple[History, Change]]] = [
    lambda: (NEW, added(NEW, cost=3.0, note="last year")),
    lambda: (HELD, told(HELD, 0, cost=3.0)),
    lambda: (PART, told(PART, 0, {"corrosion": 2.0})),
    lambda: (DONE, transitions.amend(DONE, at(), 0, None, "contaminated")),
    lambda: (PART, transitions.amend(PART, at(), 0, {"strength": 2.0}, "typed wrongly")),
    lambda: (FAILED, transitions.amend(FAILED, at(), 0, GOOD, "found again")),
    lambda: (FAILED, transitions.retry(FAILED, at(), 0)),
    lambda: (HELD, transitions.release(HELD, at(), 0)),
    lambda: (HELD, transitions.renew(HELD, at(), 0, timedelta(hours=1))),
    lambda: (RELEASED, transitions.fail(RELEASED, at(), 0, "cracked", cost=1.0, teaches=False)),
    lambda: (DONE, transitions.tell(DONE, at(), 0, None, cost=3.0, note=None)),
    lambda: (NEW, transitions.change_plan(NEW, at(), {"budget": 5})),
]


@pytest.mark.parametrize("change", CHANGES)
def test_what_a_request_makes_passes_as_it_is(change: Callable[[], tuple[History, Change]]) -> None:
    history, made = change()
    for given in made.events:
        assert checked_facts(given, PLAN, history.trials) == given.new
    assert fold(history, made.events).trials == made.history.trials


@pytest.mark.parametrize("trial", [-1, 2, "0", 0.0, True, None])
def test_a_trial_is_one_that_is_known_or_the_next(trial: Any) -> None:
    refused(HELD, event(HELD, "told", trial, values=GOOD), "it names")


@pytest.mark.parametrize(
    ("history", "kind"),
    [
        (DONE, "told"), (FAILED, "told"), (DONE, "failed"), (FAILED, "failed"), (DONE, "asked"), (FAILED, "asked"),
        (DONE, "renewed"), (DONE, "released"), (RELEASED, "released"), (WITHDRAWN, "released"), (ADDED, "released"),
    ],
)  # fmt: skip
def test_an_event_follows_on_a_state_that_allows_it(history: History, kind: str) -> None:
    known: dict[str, dict[str, Any]] = {"told": {"values": GOOD}, "failed": {"reason": "x"}}
    facts = known.get(kind, {"owner": None, "expires": None})
    refused(history, event(history, kind, **facts), "trial 0 is .* and cannot be")


def test_a_trial_begins_once_and_with_being_asked_or_added() -> None:
    refused(HELD, event(HELD, "added", params=point(1), values=GOOD), "trial 0 exists already")
    facts: dict[str, Any] = {"params": point(0), "notes": [], "owner": None, "expires": None}
    refused(HELD, event(HELD, "asked", **facts), "trial 0 exists already")
    refused(HELD, event(HELD, "told", 1, values=GOOD), "'told' is not how trial 1 can begin")


def test_a_value_is_told_once() -> None:
    refused(PART, event(PART, "told", values=GOOD), "has a value of 'strength' already")


@pytest.mark.parametrize(
    ("history", "values"), [(HELD, None), (FAILED, None), (PART, GOOD), (FAILED, {"strength": 1.0})]
)
def test_an_amendment_changes_only_what_it_can(history: History, values: Any) -> None:
    refused(history, event(history, "amended", values=values, reason="x"), "its values cannot become")


@pytest.mark.parametrize(
    ("kind", "facts", "said"),
    [
        ("told", {"values": GOOD, "note": 3}, "note: need text"),
        ("failed", {"reason": ["x"]}, "reason: need text"),
        ("failed", {"reason": "x", "teaches": "no"}, "teaches: need true or false"),
        ("asked", {"owner": {"a": 1}, "expires": None}, "owner: need text"),
        ("told", {"values": GOOD, "cost": "much"}, "cost: need a finite number"),
    ],
)
def test_facts_are_of_their_kind(kind: str, facts: dict[str, Any], said: str) -> None:
    refused(HELD, event(HELD, kind, **facts), said)


@pytest.mark.parametrize(
    "facts",
    [{"known": -1}, {"known": 9}, {"known": 0, "beside": 9}, {"known": "0"}, {"beside": -1}, {"known": True}],
)
def test_a_suggestion_knows_no_more_than_came_before(facts: dict[str, Any]) -> None:
    new = {"params": point(1), "notes": [], "owner": None, "expires": None, **facts}
    refused(HELD, event(HELD, "asked", 1, **new), "it cannot know")


def test_notes_are_a_list() -> None:
    refused(NEW, event(NEW, "asked", params=point(0), notes="explores", owner=None, expires=None), "notes: need a list")


@pytest.mark.parametrize(
    "when", ["0001-01-01T00:00:00+00:00", "9999-12-31T23:59:59+00:00", "2026-01-01T00:00:00", "soon"]
)
def test_a_time_can_be_compared_and_shown_anywhere(when: str) -> None:
    with pytest.raises(ValueError, match=r"need a time with its zone|Invalid isoformat"):
        when_of(when)
    with pytest.raises(StorageError, match="event 1 cannot be read"):
        fold(HELD, [event(HELD, "renewed", expires=when)])


def test_a_change_of_the_plan_names_no_trial() -> None:
    refused(HELD, event(HELD, "set", 0, budget=5), "it changes the plan and names trial 0")


@pytest.mark.parametrize("strange", [{"who": 3}, {"who": None}, {"new": [1]}, {"old": [1]}])
def test_an_event_has_facts_and_an_author(strange: dict[str, Any]) -> None:
    given = event(HELD, "set", None, budget=5)
    for name, value in strange.items():
        object.__setattr__(given, name, value)
    refused(HELD, given, "need facts by name and who recorded them")


@pytest.mark.parametrize(
    ("fixed", "said"),
    [({"oven": 1}, "fixed: no input called 'oven'"), ({"quench": "tar"}, "fixed: 'quench': "), (3, "need a mapping")],
)
def test_fixed_values_that_no_input_has_are_refused(fixed: Any, said: str) -> None:
    facts: dict[str, Any] = {"params": point(0), "notes": [], "owner": None, "expires": None}
    assert checked_facts(event(NEW, "asked", **facts, fixed={"quench": "oil"}), PLAN, ())["fixed"] == {"quench": "oil"}
    refused(NEW, event(NEW, "asked", **facts, fixed=fixed), said)
