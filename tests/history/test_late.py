"""What comes too late: whose trial it is by then, what is kept, and what whoever told is told."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from camobo.errors import Advice, InvalidValueError, TrialStateError
from camobo.history import transitions
from camobo.history.history import History, data_of, fold
from camobo.history.transitions import Change, Request
from camobo.history.trial import Measurement, State, Trial
from tests.support.histories import GOOD, NEW, asked, at, handed, told

HOUR = timedelta(hours=1)
OTHER = {"strength": 7.0, "corrosion": 8.0}


def tell(history: History, trial: Trial | int, values: Any = OTHER, who: str = "anna", **facts: Any) -> Change:
    return transitions.tell(history, at(3, who), trial, values, **{"cost": None, "note": None, **facts})


def retaken() -> tuple[Trial, History]:
    """A trial as Anna was handed it, and the history after Ben took it over."""
    history = asked(owner="anna", lease=HOUR)
    return history.trials[0], handed(history, Request(1, "ben", HOUR), at(2, "ben")).change.history


def settled(state: State) -> tuple[Trial, History]:
    """The same after Ben has settled it."""
    mine, history = retaken()
    theirs = history.trials[0]
    if state is State.FAILED:
        return mine, transitions.fail(history, at(2, "ben"), theirs, "cracked", cost=2.0).history
    return mine, tell(history, theirs, GOOD, "ben", cost=2.0).history


SITUATIONS = {"taken": retaken(), "complete": settled(State.COMPLETE), "failed": settled(State.FAILED)}
every_situation = pytest.mark.parametrize(("mine", "history"), SITUATIONS.values(), ids=SITUATIONS)


class TestKept:
    @every_situation
    def test_late_values_are_kept_with_cost_note_author_and_time_and_the_trial_stays_as_it_was(
        self, mine: Trial, history: History
    ) -> None:
        change = tell(history, mine, cost=4.0, note="furnace B")
        (event,) = change.events
        assert (event.kind, event.trial, event.who) == ("late", 0, "anna")
        assert event.as_dict()["new"] == {"values": OTHER, "cost": 4.0, "note": "furnace B"}
        kept = Measurement(OTHER, "anna", at(3).when, cost=4.0, note="furnace B", event=event.number)
        before = history.trials[0]
        assert change.trial.late == (kept,)
        assert (change.trial.values, change.trial.state, change.trial.cost, change.trial.owner) == (
            before.values,
            before.state,
            before.cost,
            before.owner,
        )

    @every_situation
    def test_a_late_failure_is_kept_with_what_it_cost(self, mine: Trial, history: History) -> None:
        change = transitions.fail(history, at(3, "anna"), mine, "lost its vacuum", cost=5.0)
        (kept,) = change.trial.late
        assert (kept.values, kept.reason, kept.cost) == (None, "lost its vacuum", 5.0)
        assert change.trial.state is history.trials[0].state
        assert change.refusal is not None
        assert "failed: lost its vacuum, cost 5" in str(change.refusal)

    @every_situation
    def test_it_comes_back_from_its_events(self, mine: Trial, history: History) -> None:
        change = tell(history, mine, cost=4.0)
        assert fold(history, change.events) == change.history

    def test_all_that_come_are_kept_in_order(self) -> None:
        mine, history = SITUATIONS["complete"]
        for value in (1.0, 2.0):
            history = tell(history, mine, {"strength": value}).history
        assert [dict(late.values or {}) for late in history.trials[0].late] == [{"strength": 1.0}, {"strength": 2.0}]

    def test_no_suggestion_sees_the_values(self) -> None:
        mine, history = SITUATIONS["complete"]
        before, after = data_of(history), data_of(tell(history, mine).history)
        assert (before.units == after.units).all()
        assert (before.values == after.values).all()
        assert before.step == after.step

    def test_values_that_are_none_are_refused_as_ever(self) -> None:
        mine, history = SITUATIONS["complete"]
        with pytest.raises(InvalidValueError, match="got nan"):
            tell(history, mine, {"strength": float("nan")})


class TestBills:
    @every_situation
    def test_a_bill_for_a_trial_that_somebody_else_was_handed_is_spent_and_is_not_theirs(
        self, mine: Trial, history: History
    ) -> None:
        change = tell(history, mine, None, cost=4.0, note="furnace B")
        before, now = history.trials[0], change.trial
        assert change.refusal is None
        assert (now.cost, now.note, now.state) == (before.cost, before.note, before.state)
        assert now.late == (
            Measurement(None, "anna", at(3).when, cost=4.0, note="furnace B", event=change.events[0].number),
        )
        assert now.late_cost == 4.0
        assert str(now.late[0]).startswith("cost 4, by anna, ")
        assert fold(history, change.events) == change.history

    def test_a_bill_for_what_was_handed_back_or_told_by_others_for_its_holder_is_its_own(self) -> None:
        mine, history = retaken()
        free = transitions.release(history, at(2, "ben"), 0).history
        assert tell(free, mine, None, cost=4.0).trial.cost == 4.0
        history = asked(owner="anna")
        mine = history.trials[0]
        whole = tell(history, 0, GOOD, "ben").history
        assert tell(whole, mine, None, cost=4.0).trial.cost == 4.0


class TestTold:
    @pytest.mark.parametrize(
        ("situation", "said", "advice"),
        [
            ("taken", "trial 0 now belongs to ben until 2026-01-0", Advice.COUNT),
            ("complete", "trial 0 is already complete, recorded by ben.", Advice.AMEND),
            ("failed", "trial 0 is already failed, recorded by ben.", Advice.AMEND),
        ],
    )
    def test_whoever_is_late_hears_whose_the_trial_is_what_is_kept_and_what_to_do(
        self, situation: str, said: str, advice: Advice
    ) -> None:
        mine, history = SITUATIONS[situation]
        refusal = tell(history, mine, cost=4.0).refusal
        assert isinstance(refusal, TrialStateError)
        assert refusal.message.startswith(said)
        assert "is kept as a late result of it, which does not count: strength=7, corrosion=8, cost 4." in str(refusal)
        assert refusal.advice is advice

    def test_by_its_number_and_without_the_cost_the_result_is_made_to_count(self) -> None:
        mine, history = retaken()
        late = tell(history, mine, cost=4.0).history
        counted = tell(late, 0, OTHER)
        assert counted.refusal is None
        assert (counted.trial.state, counted.trial.values) == (State.COMPLETE, OTHER)
        assert (counted.trial.cost, counted.trial.late_cost) == (None, 4.0), "the cost is spent once"


class TestWho:
    def test_somebody_elses_values_told_by_number_make_the_holders_late(self) -> None:
        history = asked(owner="anna")
        mine = history.trials[0]
        whole = tell(history, 0, GOOD, "ben").history
        assert tell(whole, mine).trial.late
        half = tell(history, 0, {"strength": 1.0}, "ben").history
        late = tell(half, mine)
        assert late.trial.late[0].values == OTHER
        assert "trial 0 has values already, recorded by ben." in str(late.refusal)
        rest = tell(half, mine, {"corrosion": 2.0})
        assert (rest.trial.state, rest.trial.late) == (State.COMPLETE, ()), "what was missing counts"

    @pytest.mark.parametrize(
        "again", [tell, lambda history, trial: transitions.fail(history, at(3, "anna"), trial, "x")]
    )
    def test_whoever_tells_twice_has_made_a_mistake_and_nothing_is_stored(self, again: Any) -> None:
        history = asked(owner="anna")
        mine = history.trials[0]
        with pytest.raises(TrialStateError, match="already complete"):
            again(tell(history, mine, GOOD).history, mine)

    def test_an_own_result_told_twice_is_a_mistake_though_the_trial_was_handed_back_before(self) -> None:
        history = handed(asked(owner="anna", lease=HOUR), Request(1, "anna", HOUR), at(who="anna")).change.history
        older, newer = replace(history.trials[0], held=0), history.trials[0]
        free = transitions.release(history, at(1, "anna"), newer).history
        settled = tell(free, older).history
        for claim in (older, newer):
            with pytest.raises(TrialStateError, match="already complete"):
                tell(settled, claim)

    @every_situation
    def test_what_was_kept_as_late_is_a_mistake_when_told_again_and_is_paid_for_once(
        self, mine: Trial, history: History
    ) -> None:
        late = tell(history, mine, cost=4.0).history
        with pytest.raises(TrialStateError, match="told twice; it has been kept as a late result before: strength=7"):
            tell(late, mine, cost=4.0)
        assert len(tell(late, mine, cost=5.0).trial.late) == 2, "another measurement"
        failed = transitions.fail(history, at(3, "anna"), mine, "cracked", cost=4.0).history
        with pytest.raises(TrialStateError, match="told twice"):
            transitions.fail(failed, at(4, "anna"), mine, "cracked", cost=4.0)

    def test_told_again_once_the_trial_is_free_it_counts_without_the_cost_only(self) -> None:
        mine, history = retaken()
        free = transitions.release(tell(history, mine, cost=4.0).history, at(3, "ben"), 0).history
        with pytest.raises(TrialStateError, match=r"told twice.*without the cost, which counts already"):
            tell(free, mine, cost=4.0)
        counted = tell(free, mine).trial
        assert (counted.state, counted.cost, counted.late_cost) == (State.COMPLETE, None, 4.0)

    def test_the_same_measured_again_after_it_was_handed_out_again_is_no_mistake(self) -> None:
        mine, history = retaken()
        late = tell(history, mine, cost=4.0).history
        again = handed(late, Request(1, "anna", HOUR), at(4, "anna")).change.history
        theirs = handed(again, Request(1, "ben", HOUR), at(6, "ben")).change.history
        assert len(tell(theirs, again.trials[0], cost=4.0).trial.late) == 2

    def test_of_several_without_a_name_each_result_is_kept(self) -> None:
        history = asked(lease=HOUR)
        taken = handed(history, Request(1, None, HOUR), at(2)).change.history
        once = tell(taken, history.trials[0], who="me", cost=4.0).history
        assert len(tell(once, history.trials[0], who="me", cost=4.0).trial.late) == 2

    @pytest.mark.parametrize("situation", ["complete", "failed"])
    def test_who_names_a_settled_trial_by_its_number_or_as_it_is_now_has_made_a_mistake(self, situation: str) -> None:
        _, history = SITUATIONS[situation]
        for trial in (0, history.trials[0]):
            with pytest.raises(TrialStateError, match=f"already {situation} and cannot be given results"):
                tell(history, trial)

    def test_a_trial_that_was_handed_back_takes_any_result(self) -> None:
        mine, history = retaken()
        free = transitions.release(history, at(2, "ben"), 0).history
        assert tell(free, mine).trial.state is State.COMPLETE


def test_nothing_is_late_in_a_new_study() -> None:
    assert not any(trial.late for trial in told(asked(NEW, 3), 1).history.trials)
