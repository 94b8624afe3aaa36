"""What each request changes and when it is refused, without a `Study`: no disk, no clock."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from camobo.checks import values_of
from camobo.cost.budget import Budget
from camobo.cost.prices import Prices
from camobo.errors import (
    Advice,
    BudgetSpent,
    CamoboError,
    InvalidOptionError,
    InvalidValueError,
    SpaceExhausted,
    TrialStateError,
    UnknownTrialError,
)
from camobo.history import transitions, validation
from camobo.history.document import make_plan
from camobo.history.history import History, fold
from camobo.history.transitions import Change, Request
from camobo.history.trial import State
from camobo.space.inputs import Categorical
from camobo.space.space import Space
from camobo.strategy.notes import Note, Reason
from tests.support.histories import GOOD, NEW, NOON, PLAN, SPACE, added, ahead, asked, at, handed, point, told
from tests.support.strategies import law

HOUR = timedelta(hours=1)
OPEN = asked(count=2)
"""Trials 0 and 1 are pending."""
SETTLED = transitions.release(
    transitions.fail(told(asked(count=4), 0).history, at(), 1, "cracked").history, at(), 2
).history
"""Trial 0 is complete, 1 failed, 2 released, 3 pending."""


def tell(history: History, trial: Any) -> Change:
    return told(history, trial)


def amend(history: History, trial: Any) -> Change:
    return transitions.amend(history, at(), trial, GOOD, "why")


def fail(history: History, trial: Any) -> Change:
    return transitions.fail(history, at(), trial, "why")


def release(history: History, trial: Any) -> Change:
    return transitions.release(history, at(), trial)


def renew(history: History, trial: Any) -> Change:
    return transitions.renew(history, at(), trial, HOUR)


def done(change: Change) -> Change:
    """What a study makes of a change: it raises what the change refuses once its events are stored."""
    if change.refusal is not None:
        raise change.refusal
    return change


Act = Callable[[History, Any], Change]
every_act = pytest.mark.parametrize("act", [tell, amend, fail, release, renew])
only_open = pytest.mark.parametrize("act", [tell, fail, release, renew])


class TestFind:
    @pytest.mark.parametrize("number", [1, np.int64(1), OPEN.trials[1]])
    def test_a_trial_is_found_by_its_number_or_an_earlier_record_of_it(self, number: Any) -> None:
        history = told(OPEN, 1, {"strength": 3.0}).history
        assert transitions.find(history.trials, number) is history.trials[1]

    @pytest.mark.parametrize("number", [2, -1, 10**30, np.int64(7)])
    def test_a_number_the_study_does_not_have_is_refused_with_those_it_has(self, number: Any) -> None:
        with pytest.raises(UnknownTrialError, match=rf"trial {number}: this study has trials 0 to 1"):
            transitions.find(OPEN.trials, number)
        with pytest.raises(UnknownTrialError, match="this study has no trials yet"):
            transitions.find(NEW.trials, number)

    @pytest.mark.parametrize("given", [None, "0", 0.0, True, np.True_, [0], {"nickel": 1.0}])
    def test_anything_but_a_trial_or_a_number_is_refused(self, given: Any) -> None:
        with pytest.raises(UnknownTrialError, match="need a Trial or its number"):
            transitions.find(OPEN.trials, given)

    def test_a_trial_of_another_study_is_refused(self) -> None:
        other = replace(OPEN.trials[0], params=point(9))
        with pytest.raises(UnknownTrialError, match=r"trial 0 .*other params.*another study\?"):
            transitions.find(OPEN.trials, other)

    @every_act
    def test_every_request_looks_for_its_trial(self, act: Act) -> None:
        for unknown in (9, "0", replace(OPEN.trials[0], params=point(9))):
            with pytest.raises(UnknownTrialError):
                act(OPEN, unknown)


class TestStates:
    @only_open
    @pytest.mark.parametrize(("number", "state"), [(0, "complete"), (1, "failed")])
    def test_a_settled_trial_takes_no_more(self, act: Act, number: int, state: str) -> None:
        with pytest.raises(TrialStateError, match=f"trial {number} is already {state} and cannot be") as caught:
            act(SETTLED, number)
        assert caught.value.advice is Advice.AMEND

    @pytest.mark.parametrize(("act", "said"), [(release, "already. The next ask"), (renew, "Ask for it again")])
    def test_a_released_trial_is_neither_released_again_nor_renewed(self, act: Act, said: str) -> None:
        with pytest.raises(TrialStateError, match=f"trial 2 is released.*{said}"):
            act(SETTLED, 2)

    @pytest.mark.parametrize(("act", "state"), [(tell, State.COMPLETE), (fail, State.FAILED)])
    def test_a_released_trial_can_still_be_settled(self, act: Act, state: State) -> None:
        assert act(SETTLED, 2).trial.state is state

    def test_a_refusal_changes_nothing(self) -> None:
        before = (SETTLED.trials, SETTLED.count)
        for act in (tell, fail, release, renew):
            with pytest.raises(CamoboError):
                act(SETTLED, 0)
        assert (SETTLED.trials, SETTLED.count) == before


class TestHolders:
    def retaken(self, first: str | None, second: str | None) -> tuple[Any, History]:
        """A trial as its first holder knows it, and the history after a second took it over."""
        history = asked(owner=first, lease=HOUR)
        later = handed(history, Request(1, second, HOUR), at(2)).change.history
        assert len(later.trials) == 1
        return history.trials[0], later

    @only_open
    @pytest.mark.parametrize(("second", "named"), [("ben", "ben"), (None, "somebody else")])
    def test_a_holder_whose_trial_was_taken_over_is_refused(self, act: Act, second: str | None, named: str) -> None:
        mine, history = self.retaken("anna", second)
        said = f"trial 0 now belongs to {named} until 2026-01-01 .*:.*(name the trial by its number|late result)"
        with pytest.raises(TrialStateError, match=said):
            done(act(history, mine))

    @only_open
    def test_without_a_name_nobody_can_say_it_is_the_same_holder(self, act: Act) -> None:
        mine, history = self.retaken(None, None)
        with pytest.raises(TrialStateError, match="now belongs to somebody else"):
            done(act(history, mine))

    @only_open
    def test_named_by_its_number_the_trial_takes_it_anyway(self, act: Act) -> None:
        _, history = self.retaken("anna", "ben")
        assert act(history, 0).trial.number == 0

    @only_open
    def test_an_owner_who_took_the_trial_again_is_the_same_holder(self, act: Act) -> None:
        mine, history = self.retaken("anna", "anna")
        assert act(history, mine).trial.number == 0

    def test_a_late_result_counts_if_nobody_took_the_trial(self) -> None:
        history = asked(owner="anna", lease=HOUR)
        late = transitions.tell(history, at(5), history.trials[0], GOOD, cost=None, note=None)
        assert late.trial.state is State.COMPLETE

    def test_a_trial_taken_over_and_released_takes_the_first_holders_result(self) -> None:
        mine, history = self.retaken("anna", "ben")
        assert told(release(history, 0).history, mine).trial.state is State.COMPLETE

    @law
    @given(st.lists(st.floats(-1e5, 1e5), min_size=1, max_size=6), st.floats(0.001, 100.0))
    def test_however_clocks_are_set_no_lease_outlasts_its_length_once_somebody_has_asked(
        self, times: list[float], hours: float
    ) -> None:
        length, history = timedelta(hours=hours), NEW
        for time in times:
            history = handed(history, Request(1, lease=length), at(time)).change.history
            for trial in history.trials:
                assert trial.expires is not None
                assert trial.expires <= at(time).when + length

    def test_a_lease_cut_short_by_a_clock_set_back_is_on_record_and_is_cut_once(self) -> None:
        ahead_of_time = handed(NEW, Request(1, "anna", HOUR), at(24 * 365)).change.history
        change = handed(ahead_of_time, Request(1, "ben", HOUR), at(1)).change
        assert [(event.kind, event.trial) for event in change.events] == [("renewed", 0), ("asked", 1)]
        assert change.events[0].new["expires"] == at(2).when.isoformat()
        assert change.history.trials[0].owner == "anna"
        later = handed(change.history, Request(1, "carl", HOUR), at(1.5)).change
        assert [event.kind for event in later.events] == ["asked"]
        assert handed(change.history, Request(1, "carl", HOUR), at(2.5)).trials[0].number == 0

    def test_holding_needs_a_name_and_a_pending_trial(self) -> None:
        trial = asked(owner="anna").trials[0]
        assert transitions.holds("anna", trial)
        assert not transitions.holds("ben", trial)
        assert not transitions.holds(None, asked().trials[0])
        assert not transitions.holds("anna", replace(trial, state=State.COMPLETE))


class TestTell:
    def test_all_values_complete_a_trial_with_its_cost_and_note(self) -> None:
        change = told(OPEN, 0, cost=7.0, note="fine")
        assert (change.trial.state, change.trial.values, change.trial.cost, change.trial.note) == (
            State.COMPLETE,
            GOOD,
            7.0,
            "fine",
        )
        (event,) = change.events
        assert (event.number, event.kind, event.trial, event.when, event.who) == (2, "told", 0, NOON, "me")
        assert event.as_dict()["new"] == {"values": GOOD, "cost": 7.0, "note": "fine"}
        assert event.old is None

    def test_some_values_now_and_the_rest_later(self) -> None:
        half = told(OPEN, 0, {"corrosion": 2.0}, cost=1.0, note="first")
        assert (half.trial.state, half.trial.told) == (State.PENDING, None)
        whole = told(half.history, 0, {"strength": 1.0}, cost=2.0)
        assert (whole.trial.state, whole.trial.cost, whole.trial.note) == (State.COMPLETE, 3.0, "first")
        assert whole.events[0].as_dict()["new"]["cost"] == 3.0, "what it cost in all"
        assert whole.events[0].as_dict()["old"] == {"cost": 1.0}, "what it replaced"

    @law
    @given(st.floats(0, 1e6), st.none() | st.floats(0, 1e6), st.floats(0, 1e6))
    def test_costs_told_in_parts_add_up(self, first: float, second: float | None, last: float) -> None:
        history = transitions.tell(OPEN, at(), 0, {"strength": 1.0}, cost=first, note=None).history
        if second is not None:
            history = transitions.amend(history, at(), 0, ..., "the invoice came", cost=second).history
        trial = transitions.tell(history, at(), 0, {"corrosion": 2.0}, cost=last, note=None).trial
        assert trial.cost == (first if second is None else second) + last

    @pytest.mark.parametrize("number", [0, 1, 2, 3])
    def test_a_bill_or_a_note_alone_changes_nothing_else_in_any_state(self, number: int) -> None:
        first = transitions.tell(SETTLED, at(), number, None, cost=4.0, note=None)
        then = transitions.tell(first.history, at(), number, None, cost=1.5, note="invoice 7")
        assert then.trial == replace(SETTLED.trials[number], cost=5.5, note="invoice 7")
        assert dict(then.events[0].new) == {"cost": 5.5, "note": "invoice 7"}
        assert fold(SETTLED, [*first.events, *then.events]) == then.history

    def test_a_part_without_a_cost_leaves_what_was_told(self) -> None:
        half = told(OPEN, 0, {"corrosion": 2.0}, cost=1.5)
        whole = told(half.history, 0, {"strength": 1.0})
        assert whole.trial.cost == 1.5
        assert "cost" not in whole.events[0].new

    def test_parts_that_add_up_to_no_finite_number_are_refused(self) -> None:
        half = told(OPEN, 0, {"corrosion": 2.0}, cost=1.7e308).history
        with pytest.raises(InvalidValueError, match="cost: need a finite number"):
            told(half, 0, {"strength": 1.0}, cost=1.7e308)
        with pytest.raises(InvalidValueError, match="cost: need a finite number"):
            transitions.fail(half, at(), 0, "cracked", cost=1.7e308)

    def test_a_value_is_recorded_once(self) -> None:
        half = told(OPEN, 0, {"corrosion": 2.0}).history
        with pytest.raises(TrialStateError, match=r"'corrosion' has a value already, 2\.0") as caught:
            told(half, 0)
        assert caught.value.advice is Advice.AMEND

    @pytest.mark.parametrize(
        ("values", "said"),
        [
            ({}, "at least one"),
            ({"gloss": 1.0}, "no objective called 'gloss'"),
            ({"strength": float("nan")}, "got nan"),
            ({"strength": float("inf"), "corrosion": 1.0}, "got inf"),
            ({"strength": "high"}, "'high'"),
            ({"strength": True}, "True"),
            (3.0, "need a number for each"),
            (None, "need values, a cost or a note"),
        ],
    )
    def test_values_that_are_no_finite_numbers_are_refused(self, values: Any, said: str) -> None:
        with pytest.raises(InvalidValueError, match=said):
            transitions.tell(OPEN, at(), 0, values, cost=None, note=None)

    def test_a_note_must_be_text(self) -> None:
        with pytest.raises(InvalidValueError, match="note: need text, got 3"):
            told(OPEN, 0, note=3)

    def test_it_folds_and_checks_once(self, monkeypatch: pytest.MonkeyPatch) -> None:
        calls = {"fold": 0, "values_of": 0}

        def counted(name: str, function: Any) -> Any:
            def call(*args: Any, **options: Any) -> Any:
                calls[name] += 1
                return function(*args, **options)

            return call

        monkeypatch.setattr(transitions, "fold", counted("fold", fold))
        for module in (transitions, validation):
            monkeypatch.setattr(module, "values_of", counted("values_of", values_of))
        assert told(OPEN, 0).trial.state is State.COMPLETE
        assert calls == {"fold": 1, "values_of": 1}


class TestAmend:
    def test_a_correction_says_what_it_replaced(self) -> None:
        change = transitions.amend(SETTLED, at(), 0, {"strength": 9.0}, "scale was off")
        assert (change.trial.state, change.trial.values) == (State.COMPLETE, {"strength": 9.0, "corrosion": 2.0})
        assert (change.trial.amended, change.trial.reason) == (True, "scale was off")
        assert change.events[0].as_dict()["old"] == {"values": GOOD, "reason": None, "state": "complete"}

    def test_none_withdraws_the_result(self) -> None:
        change = transitions.amend(SETTLED, at(), 0, None, "contaminated")
        assert (change.trial.state, change.trial.reason) == (State.FAILED, "contaminated")

    @pytest.mark.parametrize("number", [1, 2, 3])
    def test_only_a_complete_trial_has_a_result_to_withdraw(self, number: int) -> None:
        with pytest.raises(TrialStateError, match="it has no result to withdraw") as caught:
            transitions.amend(SETTLED, at(), number, None, "why")
        assert caught.value.advice is (None if number == 1 else Advice.FAIL)

    def test_correcting_what_a_failed_trial_cost_leaves_why_it_failed(self) -> None:
        before = SETTLED.trials[1]
        after = transitions.amend(SETTLED, at(), 1, ..., "invoice", cost=12.0).trial
        assert (after.state, after.cost) == (State.FAILED, 12.0)
        assert (after.reason, after.amended) == (before.reason, before.amended)

    def test_a_failed_trial_is_completed_by_every_objective(self) -> None:
        assert transitions.amend(SETTLED, at(), 1, GOOD, "found again").trial.state is State.COMPLETE
        with pytest.raises(InvalidValueError, match=r"no value for 'corrosion'.*failed trial 1 give every objective"):
            transitions.amend(SETTLED, at(), 1, {"strength": 2.0}, "found again")

    def test_a_failed_trial_keeps_the_values_from_before_it_failed(self) -> None:
        history = fail(told(OPEN, 0, {"strength": 1.0}).history, 0).history
        assert transitions.amend(history, at(), 0, {"corrosion": 2.0}, "found").trial.values == GOOD

    def test_an_open_trial_takes_corrections_of_what_it_has_only(self) -> None:
        half = told(OPEN, 0, {"strength": 1.0}).history
        changed = transitions.amend(half, at(), 0, {"strength": 3.0}, "typed wrongly").trial
        assert (changed.state, changed.values) == (State.PENDING, {"strength": 3.0})
        with pytest.raises(TrialStateError, match="trial 0 is pending: 'corrosion' has no value yet") as caught:
            transitions.amend(half, at(), 0, {"corrosion": 3.0}, "why")
        assert caught.value.advice is Advice.TELL

    @pytest.mark.parametrize("reason", ["", " \n", None, 3])
    def test_a_correction_needs_a_reason(self, reason: Any) -> None:
        with pytest.raises(InvalidValueError, match="reason: need"):
            transitions.amend(SETTLED, at(), 0, GOOD, reason)

    @pytest.mark.parametrize("values", [{}, {"gloss": 1.0}, {"strength": float("inf")}, 3])
    def test_values_are_checked(self, values: Any) -> None:
        with pytest.raises(InvalidValueError):
            transitions.amend(SETTLED, at(), 0, values, "why")

    @pytest.mark.parametrize("number", [0, 1, 2, 3])
    def test_what_a_trial_cost_is_corrected_in_any_state_and_the_rest_stays(self, number: int) -> None:
        before = SETTLED.trials[number]
        change = transitions.amend(SETTLED, at(), number, ..., "invoice", cost=44.0)
        assert (change.trial.cost, change.trial.state, change.trial.values) == (44.0, before.state, before.values)
        (event,) = change.events
        assert event.as_dict()["new"] == {"reason": "invoice", "cost": 44.0}
        assert event.as_dict()["old"]["cost"] is None
        again = transitions.amend(change.history, at(), number, ..., "credit note", cost=40.0)
        assert again.trial.cost == 40.0
        assert again.events[0].as_dict()["old"]["cost"] == 44.0

    def test_values_and_cost_are_corrected_together(self) -> None:
        trial = transitions.amend(SETTLED, at(), 0, {"strength": 9.0}, "wrong line of the list", cost=3.0).trial
        assert (trial.values, trial.cost) == ({"strength": 9.0, "corrosion": 2.0}, 3.0)

    def test_a_withdrawn_result_keeps_its_cost(self) -> None:
        history = told(OPEN, 0, cost=7.0).history
        withdrawn = transitions.amend(history, at(), 0, None, "contaminated").trial
        assert (withdrawn.state, withdrawn.cost) == (State.FAILED, 7.0)

    def test_a_correction_of_nothing_is_refused(self) -> None:
        with pytest.raises(InvalidValueError, match="amend: need values or a cost to correct, got neither"):
            transitions.amend(SETTLED, at(), 0, ..., "why")


class TestFailReleaseRenew:
    def test_a_failed_trial_has_its_reason(self) -> None:
        trial = transitions.fail(asked(lease=HOUR), at(), 0, "cracked").trial
        assert (trial.state, trial.reason, trial.told, trial.expires) == (State.FAILED, "cracked", 1, None)

    def test_a_failed_trial_has_what_it_cost_all_the_same(self) -> None:
        change = transitions.fail(OPEN, at(), 0, "cracked", cost=12.0)
        assert (change.trial.state, change.trial.cost) == (State.FAILED, 12.0)
        assert change.events[0].as_dict()["new"] == {"reason": "cracked", "cost": 12.0}
        assert change.events[0].old is None
        half = told(OPEN, 0, {"strength": 1.0}, cost=3.0).history
        assert transitions.fail(half, at(), 0, "cracked").trial.cost == 3.0
        more = transitions.fail(half, at(), 0, "cracked", cost=12.0)
        assert more.trial.cost == 15.0
        assert more.events[0].as_dict()["old"] == {"cost": 3.0}

    def test_a_cost_that_teaches_nothing_is_marked_until_a_bill_replaces_it(self) -> None:
        change = transitions.fail(OPEN, at(), 0, "crashed", cost=0.2, teaches=False)
        assert (change.trial.cost, change.trial.teaches) == (0.2, False)
        assert change.events[0].as_dict()["new"] == {"reason": "crashed", "cost": 0.2, "teaches": False}
        assert fold(OPEN, change.events).trials == change.history.trials
        assert transitions.amend(change.history, at(), 0, ..., "invoice", cost=9.0).trial.teaches
        assert not transitions.amend(change.history, at(), 0, GOOD, "found").trial.teaches
        assert transitions.fail(OPEN, at(), 0, "crashed", teaches=False).trial.teaches, "there is no cost"

    @pytest.mark.parametrize("reason", [None, 3, b"x"])
    def test_a_reason_must_be_text(self, reason: Any) -> None:
        with pytest.raises(InvalidValueError, match="reason: need text"):
            transitions.fail(OPEN, at(), 0, reason)

    def test_text_that_no_storage_holds_gets_a_replacement_mark(self) -> None:
        assert transitions.fail(OPEN, at(), 0, "a\0b\ud800").trial.reason == "a\N{REPLACEMENT CHARACTER}b?"

    def test_a_released_trial_has_no_holder_and_the_event_says_who_had_it(self) -> None:
        change = transitions.release(asked(owner="anna", lease=HOUR), at(), 0)
        assert (change.trial.state, change.trial.owner, change.trial.expires) == (State.RELEASED, None, None)
        assert change.events[0].as_dict()["old"] == {"owner": "anna", "expires": (NOON + HOUR).isoformat()}

    def test_a_failed_trial_that_is_retried_is_free_again_without_its_failure_and_with_what_it_cost(self) -> None:
        failed = transitions.fail(OPEN, at(), 0, "disk full", cost=12.0, teaches=False).history
        change = transitions.retry(failed, at(5), 0)
        trial = change.trial
        assert (trial.state, trial.reason, trial.told, trial.cost, trial.teaches) == (
            State.RELEASED,
            None,
            None,
            12,
            True,
        )
        assert change.events[0].as_dict()["old"] == {"state": "failed", "reason": "disk full"}
        assert fold(failed, change.events) == change.history
        assert [t.number for t in handed(change.history, Request(1)).trials] == [0]

    @pytest.mark.parametrize("number", [0, 2, 3])
    def test_only_a_failed_trial_can_be_retried(self, number: int) -> None:
        with pytest.raises(
            TrialStateError, match=f"^trial {number} is .*only a trial that was suggested and has failed"
        ):
            transitions.retry(SETTLED, at(), number)

    def test_neither_a_withdrawn_result_nor_an_earlier_experiment_can_be_retried(self) -> None:
        withdrawn = transitions.amend(SETTLED, at(), 0, None, "wrong sample").history
        with pytest.raises(TrialStateError, match=r"^trial 0 was withdrawn: "):
            transitions.retry(withdrawn, at(), 0)
        earlier = transitions.add(OPEN, at(), point(5), None, cost=None, note=None, reason="cracked").history
        with pytest.raises(TrialStateError, match=r"^trial 2 was added by hand: "):
            transitions.retry(earlier, at(), 2)

    @pytest.mark.parametrize(("lease", "expires"), [(HOUR, NOON + 6 * HOUR), (None, None)])
    def test_a_renewed_lease_counts_from_now(self, lease: Any, expires: Any) -> None:
        change = transitions.renew(asked(owner="anna", lease=HOUR), at(5), 0, lease)
        assert change.trial.expires == expires
        assert change.events[0].as_dict()["old"] == {"expires": (NOON + HOUR).isoformat()}


class TestAdd:
    def test_an_earlier_experiment_is_complete_at_once(self) -> None:
        change = added(OPEN, 5, cost=3.0, note="last year")
        trial = change.trial
        assert (trial.number, trial.state, trial.values, trial.added) == (2, State.COMPLETE, GOOD, True)
        assert (trial.cost, trial.note, trial.step) == (3.0, "last year", 0)
        assert change.history.suggested == OPEN.suggested

    @pytest.mark.parametrize(
        ("params", "values"),
        [
            ({**point(0), "nickel": 99.0}, GOOD),
            ({"nickel": 1.0}, GOOD),
            ({**point(0), "lead": 1.0}, GOOD),
            (None, GOOD),
            (point(0), {"strength": 1.0}),
            (point(0), {}),
            (point(0), {**GOOD, "strength": float("nan")}),
        ],
    )
    def test_params_and_all_values_are_checked(self, params: Any, values: Any) -> None:
        with pytest.raises(InvalidValueError):
            transitions.add(NEW, at(), params, values, cost=None, note=None)

    def test_a_note_must_be_text(self) -> None:
        with pytest.raises(InvalidValueError, match="note: need text"):
            added(note=3)

    def test_one_that_failed_has_its_reason_and_its_cost_and_no_values(self) -> None:
        change = transitions.add(OPEN, at(), point(5), None, cost=12.0, note="2019", reason="cracked")
        trial = change.trial
        assert (trial.state, trial.values, trial.reason, trial.added) == (State.FAILED, None, "cracked", True)
        assert (trial.cost, trial.note, change.history.suggested) == (12.0, "2019", OPEN.suggested)
        assert fold(OPEN, change.events).trials == change.history.trials

    @pytest.mark.parametrize(
        ("values", "reason", "said"),
        [(GOOD, "cracked", r"need None for an experiment that failed \('cracked'\), got"), (None, 3, "need text")],
    )
    def test_values_or_a_reason_it_is_one_of_both(self, values: Any, reason: Any, said: str) -> None:
        with pytest.raises(InvalidValueError, match=said):
            transitions.add(NEW, at(), point(0), values, cost=None, note=None, reason=reason)


class TestChangePlan:
    def test_a_change_is_on_record_with_what_it_replaced(self) -> None:
        change = transitions.change_plan(NEW, at(who="anna"), {"budget": 40, "thrift": 0.5})
        assert (change.history.plan.budget, change.history.plan.thrift) == (Budget(40), 0.5)
        (event,) = change.events
        assert (event.kind, event.trial, event.who) == ("set", None, "anna")
        assert event.as_dict()["new"] == {"budget": 40, "thrift": 0.5}
        assert event.as_dict()["old"] == {"budget": 20, "thrift": 1.0}
        assert fold(NEW, change.events).plan == change.history.plan
        with pytest.raises(LookupError, match="not about a trial"):
            change.trial  # noqa: B018

    @pytest.mark.parametrize(
        "changes",
        [{}, {"budget": 20}, {"cost": "nickel > soak"}, {"thrift": 1.0}, {"thrift": 1, "budget": 20}],
        ids=str,
    )
    def test_what_stays_the_same_is_not_recorded(self, changes: Any) -> None:
        change = transitions.change_plan(NEW, at(), changes)
        assert change.events == ()
        assert change.history is NEW

    def test_of_several_only_what_differs_is_recorded(self) -> None:
        (event,) = transitions.change_plan(NEW, at(), transitions.plan_facts(replace(PLAN, thrift=0.25))).events
        assert event.as_dict()["new"] == {"thrift": 0.25}

    def test_a_cost_given_anew_is_recorded_though_it_looks_the_same(self) -> None:
        (event,) = transitions.change_plan(NEW, at(), {"cost": "nickel > soak"}, anew=("cost",)).events
        assert event.as_dict()["new"] == event.as_dict()["old"] == {"cost": "nickel > soak"}

    @pytest.mark.parametrize(
        "changes", [{"budget": -1}, {"cost": "lead"}, {"thrift": float("nan")}, {"cost": {"type": "magic"}}], ids=str
    )
    def test_what_cannot_be_used_is_refused(self, changes: Any) -> None:
        with pytest.raises(CamoboError):
            transitions.change_plan(NEW, at(), changes)


class TestAnotherUnit:
    """Money is not converted: a budget in another unit would count euros as dollars."""

    EUR = transitions.change_plan(OPEN, at(), {"budget": {"cost": 2000.0, "unit": "EUR"}}).history
    PAID = told(EUR, 0, cost=7.0).history

    def test_a_budget_in_another_unit_is_refused_once_money_was_recorded(self) -> None:
        for trial in (self.PAID, added(self.EUR, 5, cost=3.0).history):
            with pytest.raises(InvalidOptionError) as caught:
                transitions.change_plan(trial, at(), {"budget": {"cost": 500.0, "unit": "USD"}})
            assert str(caught.value) == (
                "budget: need an amount in EUR, as money has been recorded in EUR, got 500 USD. "
                "camobo does not convert money: give the budget in EUR, or begin a new study in USD."
            )
        with pytest.raises(InvalidOptionError, match=r"in EUR, got 500 without a unit\..*or begin a new study\.$"):
            transitions.change_plan(self.PAID, at(), {"budget": {"cost": 500.0}})

    @pytest.mark.parametrize(
        "budget", [None, 60, {"cost": 500.0, "unit": "EUR"}, {"cost": 500.0, "unit": "eur "}], ids=str
    )
    def test_the_same_unit_or_none_of_money_is_not(self, budget: Any) -> None:
        assert transitions.change_plan(self.PAID, at(), {"budget": budget}).events

    def test_a_budget_in_trials_keeps_the_unit_of_what_was_paid(self) -> None:
        counted = transitions.change_plan(self.PAID, at(), {"budget": 60})
        assert counted.events[0].new == {"budget": {"trials": 60, "unit": "EUR"}}
        assert str(counted.history.plan.budget) == "60 trials"
        assert not transitions.change_plan(counted.history, at(), {"budget": 60}).events
        with pytest.raises(InvalidOptionError, match="need an amount in EUR"):
            transitions.change_plan(counted.history, at(), {"budget": {"cost": 500.0, "unit": "USD"}})

    def test_while_no_money_was_recorded_or_none_had_a_unit_any_will_do(self) -> None:
        dollars = {"budget": {"cost": 500.0, "unit": "USD"}}
        assert transitions.change_plan(self.EUR, at(), dollars).events
        plain = transitions.change_plan(OPEN, at(), {"budget": {"cost": 2000.0}}).history
        assert transitions.change_plan(told(plain, 0, cost=7.0).history, at(), dollars).events

    def test_what_trials_are_expected_to_have_cost_counts_unless_the_prices_change_too(self) -> None:
        prices = {"type": "prices", "prices": {"nickel": 3.0}, "per_trial": 1.0}
        priced = transitions.change_plan(self.EUR, at(), {"cost": prices}).history
        dollars = {"budget": {"cost": 500.0, "unit": "USD"}}
        assert transitions.change_plan(priced, at(), dollars).events, "nothing is settled yet"
        settled = told(priced, 0).history
        with pytest.raises(InvalidOptionError, match="need an amount in EUR"):
            transitions.change_plan(settled, at(), dollars)
        assert transitions.change_plan(settled, at(), {**dollars, "cost": {**prices, "per_trial": 2.0}}).events


class TestSteering:
    def test_suggestions_made_for_other_values_than_a_request_holds_are_made_again(self) -> None:
        history = transitions.release(asked(count=2), at(), 0).history  # 0 became free after looking ahead
        request = Request(2, same=("quench",))
        out = transitions.hand_out(history, at(), request, ahead=ahead(history, 2), fitted=None)
        assert [trial.number for trial in out.trials] == [0, 2]
        assert out.trials[1].params["quench"] == out.trials[0].params["quench"]
        assert dict(out.change.events[-1].new["fixed"]) == {"quench": out.trials[0].params["quench"]}

    def test_a_free_trial_with_other_values_is_left_alone_and_one_more_is_wanted(self) -> None:
        history = transitions.release(asked(), at(), 0).history
        quench = {"quench": "oil" if point(0)["quench"] == "air" else "air"}
        assert transitions.suggestions_wanted(history, NOON, Request(1, fixed=quench)) == 1
        assert transitions.first_taken(history, NOON, Request(1, fixed=quench)) is None
        assert transitions.first_taken(history, NOON, Request(1)) == point(0)


class TestHandOut:
    def test_new_trials_are_numbered_and_counted(self) -> None:
        out = handed(NEW, Request(3, "anna", HOUR))
        assert [trial.number for trial in out.trials] == [0, 1, 2]
        assert [trial.step for trial in out.trials] == [1, 2, 3]
        assert {(trial.owner, trial.expires) for trial in out.trials} == {("anna", NOON + HOUR)}
        assert out.trials[0].notes == (Note(Reason.INITIAL_DESIGN),)
        assert [event.kind for event in out.change.events] == ["asked"] * 3
        assert fold(NEW, out.change.events).trials == out.change.history.trials

    def test_own_trials_come_first_then_free_ones_then_new_ones(self) -> None:
        history = asked(owner="anna", lease=HOUR)  # 0: free from one o'clock on
        history = asked(history, owner="ben")  # 1
        history = release(asked(history, owner="carl"), 2).history  # 2: free
        out = handed(history, Request(4, "ben"), at(2))
        assert [trial.number for trial in out.trials] == [1, 0, 2, 3]
        assert {trial.owner for trial in out.trials} == {"ben"}
        assert [event.trial for event in out.change.events] == [0, 2, 3], "trial 1 was theirs already"
        assert out.change.events[0].as_dict()["old"] == {"owner": "anna", "expires": (NOON + HOUR).isoformat()}

    def test_a_trial_is_not_taken_before_its_lease_ends(self) -> None:
        history = asked(owner="anna", lease=HOUR)
        assert handed(history, Request(1, "ben"), at(0.99)).trials[0].number == 1
        assert handed(history, Request(1, "ben"), at(1.0)).trials[0].number == 0

    @pytest.mark.parametrize(("before", "now", "events"), [(None, None, 0), (None, HOUR, 1), (HOUR, None, 1)])
    def test_an_own_trial_gets_the_lease_asked_for(self, before: Any, now: Any, events: int) -> None:
        out = handed(asked(owner="anna", lease=before), Request(1, "anna", now), at(0.5))
        assert out.trials[0].expires == (None if now is None else NOON + 1.5 * HOUR)
        assert len(out.change.events) == events

    def test_trials_the_caller_is_evaluating_are_skipped(self) -> None:
        out = handed(asked(count=2, owner="anna"), Request(2, "anna", skip=frozenset({0})))
        assert [trial.number for trial in out.trials] == [1, 2]

    @pytest.mark.parametrize(("most", "numbers"), [(None, [2, 3, 4]), (4, [2, 3]), (2, []), (1, [])])
    def test_new_suggestions_end_at_the_most_wanted(self, most: int | None, numbers: list[int]) -> None:
        out = handed(OPEN, Request(3, "ben", most=most))
        assert [trial.number for trial in out.trials] == numbers

    def test_existing_trials_do_not_count_towards_the_most(self) -> None:
        history = release(OPEN, 0).history
        assert [trial.number for trial in handed(history, Request(1, most=2)).trials] == [0]

    def test_suggestions_wanted_is_what_existing_trials_leave(self) -> None:
        history = release(OPEN, 0).history
        assert transitions.suggestions_wanted(history, NOON, Request(3)) == 2
        assert transitions.suggestions_wanted(history, NOON, Request(1)) == 0
        assert transitions.suggestions_wanted(history, NOON, Request(9, most=5)) == 3

    def test_what_a_trial_is_expected_to_cost_is_on_record(self) -> None:
        out = transitions.hand_out(NEW, at(), Request(1), ahead=ahead(NEW, 1, expected=41.5), fitted=None)
        assert out.trials[0].expected == 41.5
        assert out.change.events[0].new["expected"] == 41.5
        assert fold(NEW, out.change.events).trials == out.trials
        unknown = handed(NEW, Request(1))
        assert unknown.trials[0].expected is None
        assert "expected" not in unknown.change.events[0].new

    def test_suggestions_fit_while_no_trial_and_no_plan_is_new(self) -> None:
        made = ahead(OPEN, 1)
        assert made.fits(OPEN)
        assert made.fits(told(OPEN, 0).history), "a result may come in"
        assert not made.fits(asked(OPEN))
        assert not made.fits(added(OPEN).history)
        for changes in ({"budget": 99}, {"cost": "soak"}, {"thrift": 0.5}):
            assert not made.fits(transitions.change_plan(OPEN, at(), changes).history)

    def test_what_a_suggestion_knew_is_on_record_if_others_came_first(self) -> None:
        made = ahead(OPEN, 2)
        later = told(OPEN, 0)
        out = transitions.hand_out(later.history, at(), Request(2), ahead=made, fitted=None)
        assert [(event.new["known"], event.new["beside"]) for event in out.change.events] == [(2, 0), (2, 1)]
        before = [*handed(NEW, Request(2)).change.events, *later.events]
        first, second = out.change.events
        assert transitions.known_to(before, first) == before[:2]
        beside = transitions.known_to([*before, first], second)
        assert beside == [*before[:2], replace(first, number=2)]
        assert len(fold(NEW, beside).trials) == 3

    def test_a_suggestion_that_nothing_came_before_knew_everything(self) -> None:
        *before, last = handed(NEW, Request(3)).change.events
        assert "known" not in last.new
        assert transitions.known_to(before, last) == before

    def test_what_is_missing_is_suggested_on_the_spot(self) -> None:
        made = ahead(NEW, 1)
        out = transitions.hand_out(NEW, at(), Request(3), ahead=made, fitted=None)
        assert dict(out.trials[0].params) == point(0)
        inside = transitions.hand_out(NEW, at(), Request(3), ahead=None, fitted=None)
        assert [trial.number for trial in out.trials] == [trial.number for trial in inside.trials] == [0, 1, 2]


class TestExhausted:
    PLAN = make_plan(Space({"quench": Categorical(["air", "oil"])}), {"y": "max"}, seed=1)

    def test_a_small_space_gives_what_it_has_and_then_refuses(self) -> None:
        out = transitions.hand_out(History(self.PLAN), at(), Request(5), ahead=None, fitted=None)
        assert sorted(str(trial.params["quench"]) for trial in out.trials) == ["air", "oil"]
        with pytest.raises(SpaceExhausted):
            transitions.hand_out(out.change.history, at(), Request(1), ahead=None, fitted=None)

    def test_suggestions_made_ahead_say_that_there_are_no_more(self) -> None:
        made = transitions.look_ahead(History(self.PLAN), 5, None)
        assert (len(made.suggested), type(made.exhausted)) == (2, SpaceExhausted)

    @pytest.mark.parametrize("error", [SpaceExhausted("no more"), BudgetSpent("no more")])
    def test_why_there_are_no_more_is_what_the_next_request_gets(self, error: Any) -> None:
        with pytest.raises(type(error), match="no more"):
            transitions.hand_out(NEW, at(), Request(1), ahead=ahead(NEW, 0, exhausted=error), fitted=None)
        some = transitions.hand_out(NEW, at(), Request(3), ahead=ahead(NEW, 2, exhausted=error), fitted=None)
        assert [trial.number for trial in some.trials] == [0, 1]


class TestMoney:
    PLAN = make_plan(
        SPACE,
        {"strength": "max", "corrosion": "min"},
        cost=Prices({"nickel": 10.0}, per_trial=5.0),
        budget=Budget(cost=100.0, unit="EUR"),
        seed=3,
    )

    def test_trials_asked_for_together_are_paid_together(self) -> None:
        out = transitions.hand_out(History(self.PLAN), at(), Request(40), ahead=None, fitted=None)
        expected = [trial.expected for trial in out.trials]
        assert 1 < len(expected) < 20
        assert sum(cost or math.inf for cost in expected) <= 100.0 * (1 + 1e-9)
        with pytest.raises(BudgetSpent, match=r"costs about \d.* EUR, and \d.* EUR of the budget.* are left"):
            transitions.hand_out(out.change.history, at(), Request(1), ahead=None, fitted=None)
        raised = transitions.change_plan(out.change.history, at(), {"budget": {"cost": 200.0, "unit": "EUR"}}).history
        assert transitions.hand_out(raised, at(), Request(1), ahead=None, fitted=None).trials

    def test_what_exists_is_handed_out_even_if_nothing_is_left(self) -> None:
        out = transitions.hand_out(History(self.PLAN), at(), Request(40), ahead=None, fitted=None)
        released = transitions.release(out.change.history, at(), 0).history
        again = transitions.hand_out(released, at(), Request(3), ahead=None, fitted=None)
        assert [trial.number for trial in again.trials] == [0]


def test_looking_ahead_gives_what_asking_one_by_one_gives() -> None:
    history = added(NEW, 3).history
    made = transitions.look_ahead(history, 4, None)
    for suggested in made.suggested:
        one = transitions.look_ahead(history, 1, None)
        assert one.suggested == (suggested,)
        history = transitions.hand_out(history, at(), Request(1), ahead=one, fitted=None).change.history
    assert made.plan == PLAN
