from __future__ import annotations

from dataclasses import replace

from camobo.history import transitions
from camobo.history.events import Event
from camobo.history.history import History, fold
from camobo.history.transitions import Change
from camobo.history.trial import State
from camobo.storage.salvage import Finding, salvaged
from tests.support.histories import NEW, PLAN, added, at, handed, told


def story() -> tuple[History, list[Event]]:
    """Trials 0 to 3: asked, told; asked, failed, retried; added; asked."""
    history, events = NEW, list[Event]()

    def then(change: Change) -> None:
        nonlocal history
        history = change.history
        events.extend(change.events)

    then(handed(history, transitions.Request(1, "anna")).change)
    then(told(history, 0))
    then(handed(history, transitions.Request(1)).change)
    then(transitions.fail(history, at(), 1, "cracked"))
    then(transitions.retry(history, at(), 1))
    then(added(history, 2))
    then(handed(history, transitions.Request(2)).change)
    then(transitions.change_plan(history, at(), {"budget": 9}))
    return history, events


HISTORY, EVENTS = story()


def without(*numbers: int) -> list[Event]:
    return [event for event in EVENTS if event.number not in numbers]


def test_a_whole_list_is_kept_as_it_is() -> None:
    found = salvaged(PLAN, EVENTS)
    assert (list(found.events), found.dropped) == (EVENTS, ())
    assert found.history.trials == HISTORY.trials
    assert found.trials == {number: number for number in range(len(HISTORY.trials))}


def test_without_any_one_event_the_rest_that_can_follow_is_kept_and_can_be_folded() -> None:
    for lost in range(len(EVENTS)):
        found = salvaged(PLAN, without(lost))
        again = fold(History(PLAN), found.events)
        assert again.trials == found.history.trials
        assert len(found.events) + len(found.dropped) == len(EVENTS) - 1
        assert [event.number for event in found.events] == list(range(len(found.events)))


def test_what_is_about_a_lost_trial_is_dropped_and_later_trials_move_up() -> None:
    found = salvaged(PLAN, without(0))
    assert found.dropped == (Finding("event", "is about trial 0, which was lost", 1),)
    assert found.trials == {old: old - 1 for old in range(1, len(HISTORY.trials))}
    assert [trial.params for trial in found.history.trials] == [trial.params for trial in HISTORY.trials[1:]]


def test_a_lost_result_leaves_its_trial_open() -> None:
    found = salvaged(PLAN, without(1))
    assert found.dropped == ()
    assert found.history.trials[0].state is State.PENDING


def test_what_cannot_follow_is_dropped_with_the_reason() -> None:
    found = salvaged(PLAN, [*EVENTS[:2], replace(EVENTS[1], number=2)])
    assert [str(each) for each in found.dropped] == [
        "event 2: cannot follow on those before it: trial 0 is complete and cannot be told"
    ]


def test_suggestions_know_as_many_of_the_events_that_were_kept() -> None:
    event = next(event for event in reversed(EVENTS) if "params" in event.new)
    knowing = replace(event, new={**event.new, "known": 4, "beside": 1})
    found = salvaged(PLAN, [knowing if each is event else each for each in without(1)])
    (kept,) = (each for each in found.events if "known" in each.new)
    assert (kept.new["known"], kept.new["beside"]) == (3, 1)


def test_a_finding_says_where() -> None:
    assert str(Finding("log", "is damaged")) == "log: is damaged"
    assert Finding("event", "is missing", 3).as_dict() == {"where": "event", "number": 3, "said": "is missing"}
