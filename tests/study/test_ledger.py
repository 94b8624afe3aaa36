"""A ledger on a store in memory: what it reads, changes, rolls back and hands out."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from camobo.cost.budget import Budget
from camobo.cost.formula import AbsentFunction, Formula
from camobo.cost.ordered import OrderCost
from camobo.cost.prices import Prices
from camobo.cost.protocol import Cost
from camobo.errors import InvalidValueError, OutcomeUnknown, StorageError, TrialStateError
from camobo.history import transitions
from camobo.history.document import make_plan
from camobo.history.events import Event
from camobo.history.transitions import Request
from camobo.space.inputs import Integer, Real
from camobo.space.space import Space
from camobo.storage import outcome
from camobo.storage.memory import MemoryStore
from camobo.strategy.plan import Plan
from camobo.study import ledger as ledger_module
from camobo.study.ledger import Ledger

PLAN = Plan(Space({"x": Real(0, 1)}), {"y": "min"}, seed=1)


def ledger_on(store: MemoryStore | None = None) -> Ledger:
    return Ledger(store or MemoryStore(), PLAN)


def add(ledger: Ledger, x: float, y: float = 1.0) -> None:
    ledger.change(None, transitions.add, {"x": x}, {"y": y}, cost=None, note=None)


class TestReading:
    def test_it_sees_what_another_ledger_stored(self) -> None:
        store = MemoryStore()
        one, other = ledger_on(store), ledger_on(store)
        add(one, 0.5)
        assert one.read().trials == other.read().trials
        assert [event.kind for event in other.events()] == ["added"]
        assert other.events(0) == []

    def test_the_plan_it_was_created_with_stays(self) -> None:
        ledger = ledger_on()
        ledger.change(None, transitions.change_plan, {"budget": 9})
        assert (ledger.created.plan.budget, ledger.read().plan.budget) == (None, Budget(9))
        assert ledger.created.trials == ()

    def test_events_that_do_not_fit_are_a_damaged_study_with_its_place(self) -> None:
        store = MemoryStore()
        add(ledger_on(store), 0.5)
        (event,) = store.events()
        with store.transaction() as transaction:
            transaction.append([replace(event, number=7)], [])
        with pytest.raises(StorageError, match=r"^memory: the study is damaged: "):
            ledger_on(store).read()


class TestChanging:
    def test_events_are_signed_by_the_owner_of_the_trial_else_by_the_user(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(ledger_module, "login", lambda: "ben")
        ledger = ledger_on()
        (trial,) = ledger.hand_out(Request(1, "anna"))
        ledger.change(trial, transitions.release, trial)
        (again,) = ledger.hand_out(Request(1))
        ledger.change(0, transitions.fail, again, "broke")
        add(ledger, 0.5)
        assert [(event.kind, event.who) for event in ledger.events()] == [
            ("asked", "anna"),
            ("released", "anna"),
            ("asked", "ben"),
            ("failed", "ben"),
            ("added", "ben"),
        ]

    def test_changes_together_are_seen_inside_and_stored_at_the_end(self) -> None:
        ledger = ledger_on()
        with ledger.together(), ledger.together():
            add(ledger, 0.1)
            add(ledger, 0.2)
            assert len(ledger.read().trials) == 2
            assert ledger.events() == []
        assert [event.number for event in ledger.events()] == [0, 1]

    @pytest.mark.parametrize("error", [InvalidValueError, KeyboardInterrupt])
    def test_a_block_that_raises_stores_nothing_and_changes_nothing(self, error: type[BaseException]) -> None:
        def fails(ledger: Ledger) -> None:
            with ledger.together():
                add(ledger, 0.2)
                ledger.hand_out(Request(1))
                raise error

        ledger = ledger_on()
        add(ledger, 0.1)
        before = ledger.read()
        with pytest.raises(error):
            fails(ledger)
        assert ledger.read() is before
        assert len(ledger.events()) == 1

    def test_a_suggestion_computed_ahead_is_handed_out_if_only_results_came_in_since(self) -> None:
        ledger = ledger_on()
        (first,) = ledger.hand_out(Request(1))
        ahead = ledger.look_ahead(Request(1))
        assert ahead is not None
        ledger.change(first, transitions.fail, first, "broke")
        (trial,) = ledger.hand_out(Request(1), ahead)
        assert trial.params == ahead.suggested[0].params
        assert ledger.events()[-1].new["known"] == 1
        (late,) = ledger.hand_out(Request(1), ahead)
        assert late.params != trial.params
        assert "known" not in ledger.events()[-1].new

    def test_nothing_is_computed_ahead_where_none_is_wanted_none_is_left_or_money_or_a_function_decides(self) -> None:
        def ledger_with(**options: Any) -> Ledger:
            plan = make_plan(Space({"n": Integer(1, 2)}), {"y": "max"}, seed=1, **options)
            return Ledger(MemoryStore(), plan)

        assert ledger_with(cost=Prices({"n": 1.0}), budget=Budget(cost=90)).look_ahead(Request(1)) is None
        assert ledger_with(cost=Formula("n + 1")).look_ahead(Request(1)) is not None
        assert ledger_with(cost=Formula(lambda params: params["n"])).look_ahead(Request(1)) is None
        ledger = ledger_with()
        assert ledger.look_ahead(Request(1, most=0)) is None
        ledger.hand_out(Request(2))
        assert ledger.look_ahead(Request(1)) is None

    def test_nothing_is_computed_ahead_inside_a_block_which_would_wait_for_its_own_lock(self) -> None:
        ledger, found = ledger_on(), list[object]()
        beside = threading.Thread(target=lambda: found.append(ledger.look_ahead(Request(1))), daemon=True)
        with ledger.together():
            beside.start()
            beside.join(10)
            assert found == [None]

    def test_a_late_result_that_cannot_be_kept_after_its_block_was_undone_is_an_error_that_says_so(
        self, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        ledger = ledger_on()
        (mine,) = ledger.hand_out(Request(1, "anna"))
        ledger.change(0, transitions.release, 0)
        ledger.hand_out(Request(1, "ben"))

        def full(*_: object) -> Any:
            raise StorageError("memory: no space left.")

        def late_in_a_block() -> None:
            with ledger.together():
                with contextlib.suppress(TrialStateError):
                    ledger.change(mine, transitions.tell, mine, {"y": 123.5}, cost=4.0, note=None)
                monkeypatch.setattr(MemoryStore, "transaction", full)
                raise InvalidValueError("somebody else's mistake")

        with pytest.raises(StorageError, match="no space left") as caught:
            late_in_a_block()
        assert isinstance(caught.value.__cause__, InvalidValueError)
        assert "a late result could not be stored: memory: no space left." in caplog.text
        assert "123.5" in caplog.text
        assert "cost=4.0" in caplog.text

    def test_a_late_result_in_a_block_that_was_interrupted_when_it_was_stored_already_is_kept_once(self) -> None:
        store = Losing()
        ledger = ledger_on(store)
        (mine,) = ledger.hand_out(Request(1, "anna"))
        ledger.change(0, transitions.release, 0)
        ledger.hand_out(Request(1, "ben"))

        def late_in_a_block() -> None:
            with ledger.together(), contextlib.suppress(TrialStateError):
                store.loss = KeyboardInterrupt()
                ledger.change(mine, transitions.tell, mine, {"y": 123.5}, cost=4.0, note=None)

        with pytest.raises(KeyboardInterrupt):
            late_in_a_block()
        assert [late.cost for late in ledger.read().trials[0].late] == [4.0]

    def test_a_late_bill_which_nobody_refuses_is_undone_with_its_block(self) -> None:
        ledger = ledger_on()
        (mine,) = ledger.hand_out(Request(1, "anna"))
        ledger.change(0, transitions.release, 0)
        ledger.hand_out(Request(1, "ben"))

        def told(values: Any) -> None:
            with ledger.together():
                ledger.change(mine, transitions.tell, mine, None, cost=4.0, note=None)
                ledger.change(0, transitions.tell, 0, values, cost=None, note=None)

        with pytest.raises(InvalidValueError):
            told({"y": "high"})
        assert ledger.read().trials[0].late == ()
        told({"y": 1.0})
        assert ledger.read().trials[0].late_cost == 4.0

    def test_a_refused_transition_stores_nothing(self) -> None:
        ledger = ledger_on()
        add(ledger, 0.5)
        with pytest.raises(TrialStateError):
            ledger.change(0, transitions.fail, 0, "broke")
        assert len(ledger.events()) == 1

    def test_threads_may_share_it(self) -> None:
        ledger = ledger_on()
        threads = [threading.Thread(target=add, args=(ledger, i / 20)) for i in range(20)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert [trial.number for trial in ledger.read().trials] == list(range(20))


class Losing(MemoryStore):
    """Stores the next change, then raises `loss`; after a lost reply it is away until `loss` is None."""

    loss: BaseException | None = None

    @contextlib.contextmanager
    def transaction(self, request: str | None = None) -> Iterator[Any]:
        if isinstance(self.loss, OutcomeUnknown) and self.loss.facts:
            raise StorageError("memory: away.")
        with super().transaction(request) as transaction:
            yield transaction
        if isinstance(self.loss, OutcomeUnknown):
            self.loss = OutcomeUnknown("memory: lost.", said="memory: lost.", request=request)
            raise self.loss
        if self.loss is not None:
            loss, self.loss = self.loss, None
            raise loss


@pytest.fixture
def losing(monkeypatch: pytest.MonkeyPatch) -> Losing:
    monkeypatch.setattr(outcome, "_PAUSES", (0.0,))
    return Losing()


class TestDoingAgainWhatIsUnknown:
    @staticmethod
    def unknown(store: Losing, change: Any, *given: Any) -> None:
        store.loss = OutcomeUnknown()
        with pytest.raises(OutcomeUnknown):
            change(*given)
        store.loss = None

    def test_trials_are_those_of_the_first_attempt(self, losing: Losing) -> None:
        ledger, request = ledger_on(losing), Request(2, "anna")
        self.unknown(losing, ledger.hand_out, request)
        assert [trial.number for trial in ledger.hand_out(request)] == [0, 1]
        assert len(ledger.events()) == 2

    def test_a_trial_that_was_taken_since_is_not_handed_out_by_it(self, losing: Losing) -> None:
        ledger, request = ledger_on(losing), Request(1, None, timedelta(0))
        self.unknown(losing, ledger.hand_out, request)
        (taken,) = ledger_on(losing).hand_out(Request(1, "ben"))
        assert taken.number == 0
        (trial,) = ledger.hand_out(request)
        assert trial.number == 1
        assert trial in ledger.read().trials

    def test_of_two_trials_it_hands_out_the_one_that_is_left_as_it_is_now(self, losing: Losing) -> None:
        ledger, request = ledger_on(losing), Request(2, "anna")
        self.unknown(losing, ledger.hand_out, request)
        other = ledger_on(losing)
        other.change(0, transitions.tell, 0, {"y": 1.0}, cost=None, note=None)
        other.change(1, transitions.tell, 1, None, cost=3.0, note=None)
        assert [(trial.number, trial.cost) for trial in ledger.hand_out(request)] == [(1, 3.0)]

    def test_a_trial_that_was_handed_out_since_is_handed_back_again(self, losing: Losing) -> None:
        ledger = ledger_on(losing)
        ledger.hand_out(Request(1, "anna"))
        self.unknown(losing, ledger.change, 0, transitions.release, 0)
        ledger_on(losing).hand_out(Request(1, "ben"))
        assert ledger.change(0, transitions.release, 0).trial == ledger.read().trials[0]
        kinds: list[str] = [event.kind for event in ledger.events()]
        assert kinds == ["asked", "released", "asked", "released"]

    def test_a_trial_that_nobody_took_since_is_handed_back_once(self, losing: Losing) -> None:
        ledger = ledger_on(losing)
        ledger.hand_out(Request(1, "anna"))
        self.unknown(losing, ledger.change, 0, transitions.release, 0)
        assert ledger.change(0, transitions.release, 0).trial == ledger.read().trials[0]
        assert len(ledger.events()) == 2

    def test_a_lease_is_renewed_again_since_it_counts_from_now(self, losing: Losing) -> None:
        ledger = ledger_on(losing)
        (mine,) = ledger.hand_out(Request(1, "anna", timedelta(hours=1)))
        self.unknown(losing, ledger.change, mine, transitions.renew, mine, timedelta(hours=1))
        renewed = ledger.change(mine, transitions.renew, mine, timedelta(hours=1)).trial
        kinds: list[str] = [event.kind for event in ledger.events()]
        assert kinds == ["asked", "renewed", "renewed"]
        assert renewed == ledger.read().trials[0]


class Overtaking(MemoryStore):
    """Somebody else is faster so many times: it adds a trial before the transaction begins."""

    def __init__(self, times: int) -> None:
        super().__init__()
        self.times, self.turns = times, 0

    @contextlib.contextmanager
    def asking(self) -> Iterator[None]:
        self.turns += 1
        yield

    @contextlib.contextmanager
    def transaction(self, request: str | None = None) -> Iterator[Any]:
        if self.times > 0:
            self.times -= 1
            other, first = Ledger(MemoryStore(), PLAN), self.events()
            with other.store.transaction() as transaction:
                transaction.append(first, [])
            add(other, 0.01 * len(first) + 0.5)
            self._extend(other.events(None)[len(first) :])
        with super().transaction(request) as transaction:
            yield transaction

    def _extend(self, events: list[Event]) -> None:
        with super().transaction() as transaction:
            transaction.append(events, [])


class TestHandingOut:
    def test_available_trials_come_before_new_ones_and_need_no_suggestion(self) -> None:
        store = Overtaking(0)
        ledger = ledger_on(store)
        first, _ = ledger.hand_out(Request(2, "anna"))
        ledger.change(first, transitions.release, first)
        assert [trial.number for trial in ledger.hand_out(Request(1, "ben"))] == [0]
        assert store.turns == 1
        assert [trial.number for trial in ledger.hand_out(Request(2, "anna"))] == [1, 2]

    @pytest.mark.parametrize(("times", "turns"), [(0, 1), (1, 2), (2, 3), (3, 3), (4, 3)])
    def test_suggestions_that_no_longer_fit_are_computed_again_at_last_inside_the_transaction(
        self, times: int, turns: int
    ) -> None:
        store = Overtaking(times)
        ledger = ledger_on(store)
        (trial,) = ledger.hand_out(Request(1))
        assert trial.number == times
        assert store.turns == turns
        assert [event.kind for event in ledger.events()] == ["added"] * times + ["asked"]

    def test_inside_a_larger_change_they_are_computed_there(self) -> None:
        store = Overtaking(0)
        ledger = ledger_on(store)
        with ledger.together():
            (trial,) = ledger.hand_out(Request(1))
            assert ledger.events() == []
        assert store.turns == 0
        assert ledger.read().trials == (trial,)


def doubled(params: Mapping[str, Any]) -> float:
    return 1.0 + 2.0 * float(params["x"])


def tripled(params: Mapping[str, Any]) -> float:
    return 1.0 + 3.0 * float(params["x"])


class TestLostReplies:
    def test_a_trial_that_others_had_meanwhile_is_not_handed_out_for_the_request_whose_reply_was_lost(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        class Unheard(MemoryStore):
            @contextlib.contextmanager
            def transaction(self, request: str | None = None) -> Iterator[Any]:
                with super().transaction(request) as transaction:
                    yield transaction
                if lost:
                    raise OutcomeUnknown("lost.", said="lost.", request=request)

        monkeypatch.setattr(ledger_module, "settled", lambda *_: contextlib.nullcontext())  # nobody can look either
        ledger, lost = ledger_on(Unheard()), [True]
        with pytest.raises(OutcomeUnknown):
            ledger.hand_out(Request(1, "anna"))
        lost.clear()
        ledger.change(0, transitions.release, 0)
        (taken,) = ledger.hand_out(Request(1, "ben"))
        (trial,) = ledger.hand_out(Request(1, "anna"))
        assert (taken.number, trial.number) == (0, 1)


class TestFunctions:
    """A cost that is a Python function is not stored: a ledger keeps it, by the name that is."""

    def set_cost(self, ledger: Ledger, name: str) -> None:
        ledger.change(None, transitions.change_plan, {"cost": {"type": "function", "name": name}})

    def test_one_that_is_kept_is_the_cost_wherever_the_store_has_its_name(self) -> None:
        store = MemoryStore()
        one, other = ledger_on(store), ledger_on(store)
        one.keep_function(Formula(doubled))
        self.set_cost(one, "doubled")
        assert one.read().plan.cost == Formula(doubled)
        assert other.read().plan.cost == AbsentFunction("doubled")
        other.keep_function(Formula(doubled))
        assert other.read().plan == one.read().plan

    def test_one_of_another_name_is_not_taken_for_it(self) -> None:
        store = MemoryStore()
        one, other = ledger_on(store), ledger_on(store)
        one.keep_function(Formula(doubled))
        self.set_cost(one, "doubled")
        self.set_cost(other, "tripled")
        assert one.read().plan.cost == AbsentFunction("tripled")
        one.keep_function(Formula(tripled))
        assert one.read().plan.cost == Formula(tripled)
        self.set_cost(other, "doubled")
        assert one.read().plan.cost == Formula(doubled)

    def test_one_may_stand_for_another_name(self) -> None:
        ledger = ledger_on()
        self.set_cost(ledger, "price")
        ledger.keep_function(Formula(doubled), "price")
        assert ledger.read().plan.cost == Formula(doubled)

    @pytest.mark.parametrize("cost", [None, OrderCost("x"), Formula("1 + x")])
    def test_costs_that_are_stored_whole_need_no_keeping(self, cost: Cost | None) -> None:
        ledger = ledger_on()
        before = ledger.read()
        ledger.keep_function(cost)
        assert ledger.read() is before

    def test_an_earlier_state_has_the_function_of_that_time(self) -> None:
        ledger = ledger_on()
        for function in (doubled, tripled):
            ledger.keep_function(Formula(function))
            self.set_cost(ledger, function.__name__)
        events = ledger.events()
        costs = [ledger.after(events[:count]).plan.cost for count in range(3)]
        assert costs == [None, Formula(doubled), Formula(tripled)]
