from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from camobo.cost.budget import Budget
from camobo.cost.ordered import OrderCost
from camobo.errors import CamoboError, StorageError
from camobo.history import transitions
from camobo.history.events import Event
from camobo.history.history import History, data_of, fold, is_free, parse_time, signed
from camobo.history.transitions import Change
from camobo.history.trial import State, Trial
from camobo.strategy.notes import Note, Reason
from tests.support.histories import GOOD, NEW, NOON, PLAN, added, asked, at, handed, point, told
from tests.support.strategies import law


def events_of(*changes: Callable[[History], Change]) -> list[Event]:
    """The events of changes made one after the other."""
    history, events = NEW, list[Event]()
    for change in changes:
        done = change(history)
        history, events = done.history, [*events, *done.events]
    return events


def ask(history: History, **options: Any) -> Change:
    return handed(history, transitions.Request(1, **options)).change


STORY = events_of(
    lambda h: added(h, 7, cost=3.0, note="last year"),
    lambda h: transitions.change_plan(h, at(), {"budget": 30, "thrift": 0.5}),
    lambda h: ask(h, owner="anna", lease=timedelta(hours=2)),
    lambda h: transitions.renew(h, at(1), 1, timedelta(hours=3)),
    lambda h: told(h, 1, {"corrosion": 2.0}, cost=4.0, note="strength takes a week"),
    lambda h: transitions.amend(h, at(), 1, {"corrosion": 3.0}, "typed wrongly"),
    lambda h: told(h, 1, {"strength": 1.0}, cost=0.5),
    ask,
    lambda h: transitions.fail(h, at(), 2, "cracked", cost=1.5),
    lambda h: transitions.amend(h, at(), 2, GOOD, "found again"),
    ask,
    lambda h: transitions.release(h, at(), 3),
    ask,
    lambda h: transitions.release(h, at(), 3),
    lambda h: transitions.amend(h, at(), 0, None, "contaminated"),
    lambda h: transitions.amend(h, at(), 2, ..., "invoice", cost=2.5),
    lambda h: transitions.change_plan(h, at(), {"cost": "soak"}),
)
"""One of every kind of event."""


class TestFold:
    def test_every_kind_of_event_leaves_its_mark(self) -> None:
        history = fold(NEW, STORY)
        assert (history.count, history.suggested, history.plan.budget) == (len(STORY), 3, Budget(30))
        assert (history.plan.thrift, history.plan.cost) == (0.5, OrderCost("soak"))
        zero, one, two, three = history.trials
        assert (zero.state, zero.reason, zero.amended, zero.added) == (State.FAILED, "contaminated", True, True)
        assert (zero.cost, zero.note, zero.notes) == (3.0, "last year", (Note(Reason.ADDED),))
        assert (one.state, one.owner, one.expires) == (State.COMPLETE, "anna", None)
        assert list((one.values or {}).items()) == [("strength", 1.0), ("corrosion", 3.0)], "the objectives' order"
        assert (one.cost, one.note, one.reason) == (4.5, "strength takes a week", "typed wrongly")
        assert (one.asked, one.held, one.told) == (2, 2, 6)
        assert (two.state, two.values, two.reason, two.cost) == (State.COMPLETE, GOOD, "found again", 2.5)
        assert (three.state, three.owner, three.held) == (State.RELEASED, None, 12)
        assert [trial.step for trial in history.trials] == [0, 1, 2, 3]

    @law
    @given(st.lists(st.integers(0, len(STORY)), max_size=4))
    def test_folding_in_pieces_gives_the_same_as_folding_at_once(self, cuts: list[int]) -> None:
        history, edges = NEW, [0, *sorted(cuts), len(STORY)]
        for start, end in pairwise(edges):
            history = fold(history, STORY[start:end])
        whole = fold(NEW, STORY)
        assert (history.trials, history.plan, history.count) == (whole.trials, whole.plan, whole.count)
        assert np.array_equal(history.units, whole.units)

    def test_points_are_those_of_the_space(self) -> None:
        history = fold(NEW, STORY)
        for trial, unit in zip(history.trials, history.units, strict=True):
            assert np.array_equal(unit, PLAN.space.to_unit(trial.params))

    def test_checked_events_are_not_checked_again(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("camobo.history.history.checked_facts", None)
        assert fold(NEW, STORY, checked=True).count == len(STORY)

    def test_it_does_not_change_the_history_it_starts_from(self) -> None:
        before = asked(count=2)
        trials = before.trials
        told(before, 0)
        assert before.trials == trials
        assert before.count == 2


def asked_event(**facts: Any) -> Event:
    (event,) = ask(NEW).events
    return replace(event, new={**event.new, **facts})


class TestDamage:
    @pytest.mark.parametrize("numbers", [[1], [0, 2], [0, 0], [-1]])
    def test_a_gap_or_a_repeat_in_the_numbers_is_named(self, numbers: list[int]) -> None:
        events = [replace(STORY[0], number=number, trial=i) for i, number in enumerate(numbers)]
        with pytest.raises(StorageError, match=r"event \d is missing: the next stored event has number -?\d"):
            fold(NEW, events)

    @pytest.mark.parametrize(
        ("changed", "said"),
        [
            ({"kind": "melted"}, "unknown kind of event: 'melted'"),
            ({"trial": 99}, "it names trial 99 where 1 are known"),
            ({"trial": None}, "it names no trial"),
            ({"new": {}}, "KeyError: 'values'"),
            ({"new": {"values": {"strength": "high"}}}, "need a finite number, got 'high'"),
            ({"new": {"values": {"gloss": 1.0}}}, "no objective called 'gloss'"),
            ({"new": {"values": {}}}, "need at least one"),
            ({"new": {"values": {"strength": float("nan")}}}, "got nan"),
            ({"kind": "asked", "new": {"owner": None, "expires": "soon"}}, "Invalid isoformat"),
            ({"kind": "added", "trial": 1, "new": {"params": point(1), "values": {"strength": 1.0}}}, "'corrosion'"),
            ({"kind": "added", "trial": 1, "new": {"params": point(1), "values": None}}, "need a number for each"),
            ({"new": {"values": None}}, "need a number for each"),
            ({"kind": "asked", "trial": 1, "new": {"params": {"nickel": 1.0}}}, "'soak'"),
            ({"kind": "asked", "trial": 1, "new": {"params": point(1)}}, "KeyError: 'notes'"),
            ({"kind": "told", "trial": 1}, "'told' is not how trial 1 can begin"),
            ({"new": {"values": GOOD, "cost": -1.0}}, "cost: need a finite number of at least 0, got -1"),
            ({"new": {"values": GOOD, "cost": "much"}}, "cost: need a finite number"),
            ({"kind": "failed", "new": {"reason": "cracked", "cost": float("nan")}}, "cost: need a finite number"),
            ({"kind": "amended", "new": {"reason": "invoice", "cost": True}}, "cost: need a finite number"),
            ({"kind": "set", "trial": None, "new": {"budget": 0}}, "budget: need a whole number"),
            ({"kind": "set", "trial": None, "new": {"budget": {"cost": -1}}}, "Budget: cost must be"),
            ({"kind": "set", "trial": None, "new": {"cost": "lead"}}, "'lead' is not an input"),
            ({"kind": "set", "trial": None, "new": {"cost": {"type": "magic"}}}, "type must be one of"),
            ({"kind": "set", "trial": None, "new": {"thrift": "much"}}, "thrift: need a number"),
            ({"kind": "set", "trial": None, "new": {"seed": 2}}, "unknown key 'seed'"),
            ({"kind": "set", "trial": None, "new": None}, "need facts by name"),
        ],
    )
    def test_an_event_that_makes_no_sense_is_named_with_the_reason(self, changed: dict[str, Any], said: str) -> None:
        history = asked()
        (event,) = told(history, 0).events
        with pytest.raises(StorageError, match=rf"(?s)event 1 cannot be read: .*{said}"):
            fold(history, [replace(event, **changed)])

    @pytest.mark.parametrize("note", [{}, {"reason": 3}, 3, [1], None])
    def test_a_note_that_makes_no_sense_is_refused(self, note: Any) -> None:
        with pytest.raises(StorageError, match="event 0 cannot be read"):
            fold(NEW, [asked_event(notes=[note])])

    @pytest.mark.parametrize("expected", ["much", -1.0, float("inf"), True])
    def test_an_expected_cost_that_makes_no_sense_is_refused(self, expected: Any) -> None:
        with pytest.raises(StorageError, match="event 0 cannot be read: cost: need a finite number"):
            fold(NEW, [asked_event(expected=expected)])

    def test_an_error_is_always_one_of_ours(self) -> None:
        with pytest.raises(CamoboError):
            fold(NEW, [replace(STORY[0], new={"params": None})])


class TestFree:
    @pytest.mark.parametrize(
        ("state", "expires", "free"),
        [
            (State.RELEASED, None, True),
            (State.PENDING, None, False),
            (State.PENDING, 1, False),
            (State.PENDING, 0, True),
            (State.PENDING, -1, True),
            (State.COMPLETE, -1, False),
            (State.FAILED, -1, False),
        ],
    )
    def test_a_trial_is_free_once_released_or_when_its_lease_ends(
        self, state: State, expires: int | None, free: bool
    ) -> None:
        end = None if expires is None else NOON + timedelta(seconds=expires)
        assert is_free(Trial(0, {}, state, expires=end), NOON) == free

    def test_times_are_read_as_they_were_written(self) -> None:
        assert parse_time(NOON.isoformat()) == NOON
        assert parse_time(None) is None


class TestData:
    def test_signed_values_are_larger_when_better(self) -> None:
        trial = Trial(0, {}, State.COMPLETE, {"strength": 5.0, "corrosion": 2.0})
        assert signed(PLAN, [trial]).tolist() == [[5.0, -2.0]]
        assert signed(PLAN, []).shape == (0, 2)

    def test_a_suggestion_knows_what_is_measured_pending_and_failed(self) -> None:
        history = asked(count=5)
        history = told(history, 1).history
        history = told(history, 2, {"strength": 1.0}).history
        history = transitions.fail(history, at(), 3, "cracked").history
        history = transitions.release(history, at(), 4).history
        data = data_of(history)
        units = history.units
        assert np.array_equal(data.units, [units[1]])
        assert data.values.tolist() == [[1.0, -2.0]]
        assert np.array_equal(data.pending, [units[0], units[2], units[4]]), "partly told and released ones too"
        assert np.array_equal(data.failed, [units[3]])
        assert data.step == 6

    def test_added_trials_are_known_and_do_not_count_as_steps(self) -> None:
        data = data_of(added(asked()).history)
        assert (len(data.units), len(data.pending), data.step) == (1, 1, 2)

    def test_of_a_new_study_nothing_is_known(self) -> None:
        data = data_of(NEW)
        assert (data.units.shape, data.values.shape, data.pending.shape, data.failed.shape, data.step) == (
            (0, 3), (0, 2), (0, 3), (0, 3), 1
        )  # fmt: skip


class TestReceipts:
    def history(self) -> History:
        """Trial 0 added, 1 complete, 2 failed, 3 pending with a part paid, 4 pending, 5 complete without a receipt."""
        history = asked(added(NEW, 7, cost=100.0).history, count=5)
        history = told(history, 1, cost=4.0).history
        history = transitions.fail(history, at(), 2, "cracked", cost=2.0).history
        history = told(history, 3, {"strength": 1.0}, cost=1.0).history
        return told(history, 5).history

    def test_settled_trials_teach_failed_and_added_ones_too(self) -> None:
        history = self.history()
        receipts = data_of(history).receipts
        assert receipts is not None
        assert receipts.paid.tolist() == [100.0, 4.0, 2.0]
        assert np.array_equal(receipts.units, [history.units[number] for number in (0, 1, 2)])

    def test_how_long_it_took_to_fail_counts_and_teaches_nothing(self) -> None:
        history = transitions.fail(self.history(), at(), 4, "crashed", cost=0.5, teaches=False).history
        receipts = data_of(history).receipts
        assert receipts is not None
        assert receipts.paid.tolist() == [100.0, 4.0, 2.0]
        assert receipts.spent == 4.0 + 2.0 + 1.0 + 0.5
        assert np.array_equal(receipts.unpaid, [history.units[5]])

    def test_suggested_trials_count_against_the_budget_and_added_ones_do_not(self) -> None:
        receipts = data_of(self.history()).receipts
        assert receipts is not None
        assert receipts.spent == 4.0 + 2.0 + 1.0

    def test_those_without_a_receipt_are_reserved(self) -> None:
        history = self.history()
        receipts = data_of(history).receipts
        assert receipts is not None
        assert np.array_equal(receipts.unpaid, [history.units[number] for number in (4, 5)])

    def test_an_added_trial_without_a_receipt_is_neither_paid_nor_reserved(self) -> None:
        receipts = data_of(added(NEW, 7).history).receipts
        assert receipts is not None
        assert (len(receipts.units), receipts.spent, len(receipts.unpaid)) == (0, 0.0, 0)

    def test_a_correction_is_what_counts(self) -> None:
        history = transitions.amend(self.history(), at(), 1, ..., "invoice", cost=40.0).history
        receipts = data_of(history).receipts
        assert receipts is not None
        assert (receipts.spent, receipts.paid[1]) == (43.0, 40.0)

    @pytest.mark.parametrize(
        ("changes", "kept"),
        [
            ({"cost": None}, False),
            ({"cost": None, "budget": None}, False),
            ({"cost": None, "budget": {"cost": 9.0}}, True),
            ({"budget": None}, True),
        ],
        ids=str,
    )
    def test_they_are_kept_if_the_plan_asks_for_cost_or_money(self, changes: Any, kept: bool) -> None:
        history = transitions.change_plan(self.history(), at(), changes).history
        assert (data_of(history).receipts is not None) is kept
