"""What every store must do: a study behaves the same wherever it is stored."""

from __future__ import annotations

import contextlib
import json
import math
import threading
import time
from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import camobo as cm
from camobo.space.inputs import Param
from camobo.storage.memory import MemoryStore, _Draft
from camobo.storage.store import Storage, open_store
from camobo.storage.transaction import SqlTransaction
from camobo.strategy import suggest as suggesting

SPACE = cm.Space(
    {
        "nickel": cm.Real(0, 20, unit="%"),
        "soak": cm.Integer(1, 12, unit="h"),
        "quench": cm.Categorical(["air", "oil", 3, 3.5, True, None]),
    }
)
BOTH: Any = {"strength": "max", "corrosion": "min"}
GOOD = {"strength": 1.0, "corrosion": 2.0}


def study_at(place: Storage, **options: Any) -> cm.Study:
    return cm.Study(SPACE, BOTH, **{"cost": "nickel > soak", "budget": 20, "seed": 3, "storage": place, **options})


def measure(params: Mapping[str, Param]) -> dict[str, float]:
    return {"strength": params["nickel"] + 0.1 * params["soak"], "corrosion": (params["nickel"] - 12.0) ** 2 / 50.0}


def tell_together(study: cm.Study, rows: Mapping[int, dict[str, float]]) -> None:
    with study.together():
        for number, values in rows.items():
            study.tell(number, values)


def fails_once(append: Callable[..., None]) -> Callable[..., None]:
    """Writes, and the first time says that it could not."""
    failed: list[bool] = []

    def appending(*given: Any) -> None:
        append(*given)
        if not failed:
            failed.append(True)
            raise OSError("no space left")

    return appending


class TestStoring:
    def test_a_study_opened_again_is_the_same(self, place: Storage) -> None:
        study = study_at(place)
        for _ in range(5):
            trial = study.ask()
            study.tell(trial, measure(trial.params), cost=3.5, note="fine")
        study.fail(study.ask(), "crucible cracked")
        study.add({"nickel": 1.0, "soak": 2, "quench": None}, GOOD, note="last year")
        study.amend(2, {"strength": 9.0}, "scale was off")
        waiting = study.ask(owner="anna", lease="2h")
        again = cm.Study.load(place)
        assert again.trials == study.trials
        assert again.log() == study.log()
        assert again.front() == study.front()
        assert again.usage() == study.usage()
        assert (again.objectives, again.seed, again.budget) == (study.objectives, study.seed, study.budget)
        assert again.space == study.space
        assert again.plan == study.plan
        assert again.trials[waiting.number].owner == "anna"
        assert again.ask() == study.trials[-1]

    def test_two_who_share_a_study_see_each_others_changes_at_once(self, place: Storage) -> None:
        one = study_at(place)
        other = cm.Study.load(place)
        trial = one.ask()
        assert other.trials == (trial,)
        other.tell(0, GOOD)
        assert one.front()[0].values == GOOD
        with pytest.raises(cm.TrialStateError, match="trial 0 is already complete"):
            one.tell(trial, GOOD)
        assert [one.ask().number, other.ask().number, one.ask().number] == [1, 2, 3]

    def test_the_next_suggestion_of_either_is_the_one_a_study_alone_would_make(self, place: Storage) -> None:
        one, alone = study_at(place), study_at(None)
        other = cm.Study.load(place)
        for i in range(12):
            mine, theirs = (one if i % 2 else other).ask(), alone.ask()
            assert dict(mine.params) == dict(theirs.params)
            assert mine.notes == theirs.notes
            (other if i % 3 else one).tell(mine.number, measure(mine.params))
            alone.tell(theirs, measure(theirs.params))

    def test_the_same_study_created_again_continues_and_another_is_refused_with_what_differs(
        self, place: Storage
    ) -> None:
        trial = study_at(place).ask()
        assert study_at(place).trials == (trial,)
        assert study_at(place, seed=None).seed == 3
        with pytest.raises(cm.InvalidOptionError, match=r"(?s)holds another study.*study.budget: 20 is stored, 30 was"):
            study_at(place, budget=30)
        with pytest.raises(cm.InvalidOptionError, match=r"(?s)holds another study.*objectives.gloss"):
            cm.Study(SPACE, {"gloss": "max"}, storage=place)
        assert cm.Study.load(place).trials == (trial,)

    def test_the_budget_that_optimize_set_is_stored(self, place: Storage) -> None:
        study_at(place, budget=None).optimize(measure, 3)
        assert cm.Study.load(place).budget == cm.Budget(3)
        assert [event.kind for event in cm.Study.load(place).log()].count("set") == 1

    def test_a_place_without_a_study_says_so(self, place: Storage) -> None:
        with pytest.raises(cm.StorageError, match=r"no such file|contains no study"):
            cm.Study.load(place)

    @settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(
        value=st.floats(allow_nan=False, allow_infinity=False),
        nickel=st.floats(0, 20),
        text=st.text(),
    )
    def test_numbers_and_texts_come_back_bit_for_bit(
        self, place: Storage, value: float, nickel: float, text: str
    ) -> None:
        study = study_at(place)
        told = study.add(
            {"nickel": nickel, "soak": 2, "quench": "air"}, {"strength": value, "corrosion": -0.0}, note=text
        )
        kept = cm.Study.load(place).trials[told.number]
        assert kept == told
        assert kept.values is not None
        assert math.copysign(1.0, kept.values["corrosion"]) == -1.0
        assert kept.values["strength"].hex() == value.hex()
        assert kept.params["nickel"].hex() == nickel.hex()

    def test_names_of_any_letters_are_stored(self, place: Storage) -> None:
        names = ["Ω'\"; DROP TABLE study;--", "日本\t\n", "\u0000\ud800", "{x}", "a.b"]
        space = cm.Space({**{name: cm.Real(0, 1) for name in names}, "c": cm.Categorical(names)})
        study = cm.Study(space, dict.fromkeys(names, "min"), seed=1, storage=place)
        trial = study.tell(study.ask(), {name: float(i) for i, name in enumerate(names)})
        again = cm.Study.load(place)
        assert again.space == space
        assert again.trials == (trial,)


class TestRefusing:
    def test_what_is_refused_leaves_nothing_behind(self, place: Storage) -> None:
        study = study_at(place)
        study.tell(study.ask(), GOOD)
        study.ask()
        before = study.log()
        for refused in (
            lambda: study.tell(0, GOOD),
            lambda: study.tell(1, {"strength": math.nan}),
            lambda: study.tell(1, {}),
            lambda: study.tell(1, GOOD, cost=-1.0),
            lambda: study.tell(1, GOOD, cost=math.inf),
            lambda: study.tell(1, GOOD, cost="41.5"),  # type: ignore[arg-type]
            lambda: study.tell(1, GOOD, cost=True),
            lambda: study.fail(1, "cracked", cost=math.nan),
            lambda: study.amend(0, cost=-1.0, reason="invoice"),
            lambda: study.amend(0, cost=4.0),
            lambda: study.amend(0, reason="nothing"),
            lambda: study.tell(1, GOOD, note=3),  # type: ignore[arg-type]
            lambda: study.tell(7, GOOD),
            lambda: study.amend(1, GOOD, "no values yet"),
            lambda: study.amend(1, None, "no values yet"),
            lambda: study.amend(0, {"gloss": 1.0}, "why"),
            lambda: study.amend(0, {"strength": 3.0}, " "),
            lambda: study.amend(0, {"strength": math.inf}, "why"),
            lambda: study.release(0),
            lambda: study.renew(0, "1h"),
            lambda: study.renew(1, "soon"),
            lambda: study.ask(owner=" "),
            lambda: study.ask(owner=3),  # type: ignore[call-overload]
            lambda: study.ask(lease="2 fortnights"),
            lambda: study.ask(lease=-1.0),
            lambda: study.ask(lease=math.nan),
            lambda: study.add({"nickel": 99.0, "soak": 1, "quench": "air"}, GOOD),
        ):
            with pytest.raises(cm.CamoboError):
                refused()
        assert study.log() == before == cm.Study.load(place).log()

    def test_a_block_with_a_change_that_could_not_be_stored_stores_nothing_even_if_that_is_caught(
        self, place: Storage, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        study = study_at(place)
        trial = study.ask()
        for kind in (_Draft, SqlTransaction):
            monkeypatch.setattr(kind, "append", fails_once(kind.append))

        def tells_and_adds() -> None:
            with study.together():
                with contextlib.suppress(OSError):
                    study.tell(trial, GOOD)
                with contextlib.suppress(cm.StorageError):
                    study.add(trial.params, GOOD)

        with pytest.raises(cm.StorageError, match="a change of this block could not be stored"):
            tells_and_adds()
        assert [event.kind for event in study_at(place).log()] == ["asked"]
        assert study.tell(trial, GOOD).values == GOOD

    def test_several_changes_together_are_stored_all_or_not_at_all(self, place: Storage) -> None:
        study = study_at(place)
        study.ask(3)
        before = study.log()
        rows = {0: GOOD, 1: GOOD, 2: {"strength": math.nan, "corrosion": 1.0}}
        with pytest.raises(cm.InvalidValueError, match="nan"):
            tell_together(study, rows)
        assert study.log() == before == cm.Study.load(place).log()
        assert [trial.state for trial in study.trials] == [cm.State.PENDING] * 3
        with study.together():
            study.tell(0, GOOD)
            study.ask()
            assert len(study.trials) == 4
        assert cm.Study.load(place).trials == study.trials


class TestResults:
    def test_some_values_now_and_the_rest_later(self, place: Storage) -> None:
        study = study_at(place)
        study.ask()
        half = study.tell(0, {"corrosion": 2.0}, note="strength takes a week")
        assert (half.state, half.values) == (cm.State.PENDING, {"corrosion": 2.0})
        assert study.front() == []
        assert "corrosion=2 (pending)" in str(half)
        with pytest.raises(cm.TrialStateError, match=r"'corrosion' has a value already, 2.0.*amend"):
            study.tell(0, {"corrosion": 3.0})
        study.amend(0, {"corrosion": 3.0}, "typed wrongly")
        with pytest.raises(cm.TrialStateError, match=r"'strength' has no value yet.*tell"):
            study.amend(0, {"strength": 3.0}, "why")
        whole = cm.Study.load(place).tell(0, {"strength": 1.0}, cost=7)
        assert (whole.state, whole.cost) == (cm.State.COMPLETE, 7.0)
        assert list((whole.values or {}).items()) == [("strength", 1.0), ("corrosion", 3.0)]
        assert whole.note == "strength takes a week"

    def test_a_partly_measured_trial_counts_as_pending_to_a_suggestion(self, place: Storage) -> None:
        study, plain_one = study_at(place), study_at(None)
        for one in (study, plain_one):
            for trial in one.ask(5)[:4]:
                one.tell(trial, measure(trial.params))
        study.tell(4, {"strength": 3.0})
        assert study.ask().params == plain_one.ask().params

    def test_an_amended_value_is_what_the_next_suggestion_sees(self, place: Storage) -> None:
        wrong, right = study_at(place), study_at(None)
        for one in (wrong, right):
            for trial in one.ask(5):
                values = measure(trial.params)
                one.tell(trial, {**values, "strength": 500.0} if one is wrong and trial.number == 1 else values)
        amended = wrong.amend(1, {"strength": measure(wrong.trials[1].params)["strength"]}, "two digits swapped")
        assert amended.amended
        assert amended.reason == "two digits swapped"
        assert wrong.ask().params == right.ask().params

    def test_a_result_can_be_withdrawn_and_a_failure_turned_into_a_result(self, place: Storage) -> None:
        study = study_at(place)
        study.ask(2)
        study.tell(0, GOOD)
        study.fail(1, "lost")
        assert study.amend(0, None, "sample was contaminated").state is cm.State.FAILED
        assert study.front() == []
        with pytest.raises(cm.InvalidValueError, match="no value for 'corrosion'"):
            study.amend(1, {"strength": 2.0}, "found again")
        assert study.amend(1, GOOD, "found again").state is cm.State.COMPLETE
        assert [trial.number for trial in cm.Study.load(place).front()] == [1]

    def test_explain_uses_what_was_known_before_an_amendment(self, place: Storage) -> None:
        study = study_at(place)
        for trial in study.ask(5):
            study.tell(trial, measure(trial.params))
        then = study.explain(study.ask())
        study.amend(1, {"strength": 77.0}, "scale was off")
        study.tell(5, GOOD)
        later = cm.Study.load(place).explain(5)
        assert later.predictions == then.predictions
        assert (later.utility, later.cost, later.without_cost) == (then.utility, then.cost, then.without_cost)


PRICES = cm.Prices({"nickel": 3.0, "quench": {"oil": 2.5, 3: 4.0}}, per_trial=5.0, rest="soak")


class TestMoney:
    def test_receipts_expected_costs_and_changes_come_back_bit_for_bit(self, place: Storage) -> None:
        study = study_at(place, cost=PRICES, budget=cm.Budget(cost=500.0, unit="€"), thrift=0.75)
        for _ in range(4):
            trial = study.ask()
            study.tell(trial, {"strength": 1.0}, cost=0.1)
            study.tell(trial, {"corrosion": 1.0}, cost=0.2)
        study.fail(study.ask(), "cracked", cost=1 / 3)
        study.amend(0, cost=2 / 3, reason="invoice")
        study.change(budget=cm.Budget(trials=90, cost=600.0, unit="€"), thrift=0.5)
        study.ask()
        again = cm.Study.load(place)
        assert again.plan == study.plan
        assert (again.trials, again.log()) == (study.trials, study.log())
        assert (again.spent(), again.remaining()) == (study.spent(), study.remaining())
        assert [trial.cost for trial in again.trials[:5]] == [2 / 3, 0.1 + 0.2, 0.1 + 0.2, 0.1 + 0.2, 1 / 3]
        assert [trial.expected for trial in again.trials] == [trial.expected for trial in study.trials]
        assert again.trials[0].expected is not None

    def test_the_next_suggestion_of_either_is_the_one_a_study_alone_would_make_with_receipts_and_changes(
        self, place: Storage
    ) -> None:
        budget = cm.Budget(cost=500.0)
        one, alone = (study_at(at, cost="nickel > soak", budget=budget, refit_every=3) for at in (place, None))
        other = cm.Study.load(place)
        for i in range(8):
            if i == 5:
                other.change(cost=PRICES)
                alone.change(cost=PRICES)
            mine, theirs = (one if i % 2 else other).ask(), alone.ask()
            assert (dict(mine.params), mine.notes, mine.expected) == (
                dict(theirs.params),
                theirs.notes,
                theirs.expected,
            )
            bill = 5.0 + 3.0 * mine.params["nickel"]
            (other if i % 3 else one).tell(mine.number, measure(mine.params), cost=bill)
            alone.tell(theirs, measure(theirs.params), cost=bill)

    def test_two_who_ask_at_once_do_not_spend_the_same_money(self, place: Storage) -> None:
        study = study_at(place, cost=cm.Prices({"nickel": 1.0}, per_trial=10.0), budget=cm.Budget(cost=95.0))
        other, refused = cm.Study.load(place), list[str]()

        def asks(one: cm.Study) -> None:
            try:
                for _ in range(20):
                    one.ask()
            except cm.BudgetSpent as error:
                refused.append(str(error))

        threads = [threading.Thread(target=asks, args=(one,)) for one in (study, other)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(refused) == 2
        assert 4 < len(study.trials) <= 9
        assert sum(trial.expected or math.inf for trial in study.trials) <= 95.0 * (1 + 1e-9)

    def test_a_refused_change_leaves_nothing_behind(self, place: Storage) -> None:
        study = study_at(place)
        before = study.plan
        for refused in ({"budget": 0}, {"cost": "lead"}, {"thrift": math.nan}, {"budget": 9, "thrift": -1.0}):
            with pytest.raises(cm.CamoboError):
                study.change(**refused)
        study.change(budget=20)
        assert (study.plan, study.log()) == (before, [])
        assert cm.Study.load(place).log() == []


class TestHolding:
    def test_an_owner_who_asks_again_gets_the_open_trials_back(self, place: Storage) -> None:
        study = study_at(place)
        first, second = study.ask(2, owner="anna")
        assert study.ask(owner="anna") == first
        assert study.ask(2, owner="anna") == [first, second]
        assert [trial.number for trial in study.ask(3, owner="anna")] == [0, 1, 2]
        assert study.ask(owner="ben").number == 3
        assert [study.ask().number, study.ask().number] == [4, 5]
        study.tell(first, GOOD)
        assert cm.Study.load(place).ask(owner="anna") == second

    def test_a_released_trial_is_the_next_to_be_handed_out(self, place: Storage) -> None:
        study = study_at(place)
        study.ask(3)
        assert study.release(1).state is cm.State.RELEASED
        with pytest.raises(cm.TrialStateError, match="released already"):
            study.release(1)
        taken = cm.Study.load(place).ask(owner="ben")
        assert (taken.number, taken.owner, taken.state) == (1, "ben", cm.State.PENDING)
        assert taken.params == study.trials[1].params
        assert study.ask().number == 3

    def test_a_released_trial_can_still_be_told(self, place: Storage) -> None:
        study = study_at(place)
        trial = study.ask()
        study.release(trial)
        assert study.tell(trial, GOOD).state is cm.State.COMPLETE

    def test_a_trial_is_free_when_its_lease_ends_and_not_before(self, place: Storage) -> None:
        study = study_at(place)
        mine = study.ask(owner="anna", lease=0.4)
        assert study.ask(owner="ben").number == 1
        time.sleep(0.5)
        taken = study.ask(owner="carl", lease="1h")
        assert (taken.number, taken.owner) == (0, "carl")
        with pytest.raises(cm.TrialStateError, match="now belongs to carl"):
            study.tell(mine, GOOD)
        with pytest.raises(cm.TrialStateError, match="now belongs to carl"):
            study.fail(mine, "broke")
        with pytest.raises(cm.TrialStateError, match="now belongs to carl"):
            study.renew(mine, "1h")
        assert study.tell(taken, GOOD).state is cm.State.COMPLETE

    def test_a_result_of_a_trial_that_somebody_took_is_kept_whole_and_is_there_when_the_study_is_opened_again(
        self, place: Storage
    ) -> None:
        study = study_at(place, cost=None, budget=cm.Budget(cost=100))
        mine = study.ask(owner="anna", lease=0.05)
        time.sleep(0.1)
        other = cm.Study.load(place)
        taken = other.ask(owner="ben")
        with pytest.raises(cm.TrialStateError, match=r"now belongs to ben: .* is kept as a late result"):
            study.tell(mine, {"strength": 7.0}, cost=4.0, note="furnace B")
        with pytest.raises(cm.TrialStateError, match=r"now belongs to ben: .* is kept as a late result"):
            study.fail(mine, "cracked", cost=3.0)
        other.tell(taken, GOOD, cost=2.0)
        with pytest.raises(cm.TrialStateError, match=r"already complete, recorded by ben.*kept as a late result"):
            study.tell(mine, {"corrosion": 8.0})
        again = cm.Study.load(place)
        (trial,) = again.trials
        assert (trial.values, trial.cost, trial.late_cost) == (GOOD, 2.0, 7.0)
        assert [(late.values, late.reason, late.cost, late.note, late.who) for late in trial.late] == [
            ({"strength": 7.0}, None, 4.0, "furnace B", "anna"),
            (None, "cracked", 3.0, None, "anna"),
            ({"corrosion": 8.0}, None, None, None, "anna"),
        ]
        assert [event.kind for event in again.log()] == ["asked", "asked", "late", "late", "told", "late"]
        assert (again.spent(), study.spent(), again.trials) == (9.0, 9.0, study.trials)

    def test_what_comes_too_late_in_a_block_is_kept_though_the_block_is_undone(self, place: Storage) -> None:
        study = study_at(place)
        mine = study.ask(owner="anna", lease=0.05)
        time.sleep(0.1)
        study.ask(owner="ben")

        def both() -> None:
            with study.together():
                study.add({"nickel": 1.0, "soak": 1, "quench": "air"}, GOOD)
                study.tell(mine, GOOD, cost=4.0)

        with pytest.raises(cm.TrialStateError, match="is kept as a late result"):
            both()
        assert [event.kind for event in study_at(place).log()] == ["asked", "asked", "late"]
        with study.together(), contextlib.suppress(cm.TrialStateError):
            study.tell(mine, GOOD, cost=5.0)
        assert [late.cost for late in study.trials[0].late] == [4.0, 5.0], "each once"

    def test_a_late_result_counts_if_nobody_took_the_trial(self, place: Storage) -> None:
        study = study_at(place)
        mine = study.ask(owner="anna", lease=timedelta(seconds=0.05))
        time.sleep(0.1)
        assert study.tell(mine, GOOD).state is cm.State.COMPLETE

    def test_without_a_lease_a_trial_is_never_taken_away(self, place: Storage) -> None:
        study = study_at(place)
        held = study.ask(owner="anna")
        assert held.expires is None
        assert study.ask(owner="ben").number == 1

    def test_a_renewed_lease_counts_from_now(self, place: Storage) -> None:
        study = study_at(place)
        mine = study.ask(owner="anna", lease=0.3)
        study.renew(mine, "1h")
        time.sleep(0.4)
        assert study.ask(owner="ben").number == 1
        assert study.tell(mine, GOOD).state is cm.State.COMPLETE

    def test_an_owner_back_from_a_crash_can_tell_from_before_it(self, place: Storage) -> None:
        study = study_at(place)
        before = study.ask(owner="anna", lease="1h")
        assert study.ask(owner="anna", lease="1h").number == 0
        assert study.tell(before, GOOD).state is cm.State.COMPLETE


class TestComputingAhead:
    """A suggestion is computed before the transaction that hands it out, so that others need not wait."""

    def meanwhile(self, monkeypatch: pytest.MonkeyPatch, change: Callable[[], object]) -> None:
        """Make something happen once, while the next suggestion is computed."""
        suggest = suggesting.suggest
        done: list[bool] = []

        def slow(*args: Any, **kwargs: Any) -> Any:
            suggestion = suggest(*args, **kwargs)
            if not done:
                done.append(True)
                change()
            return suggestion

        monkeypatch.setattr(suggesting, "suggest", slow)

    def ready(self, place: Storage) -> cm.Study:
        study = study_at(place)
        for trial in study.ask(6)[:5]:
            study.tell(trial, measure(trial.params))
        return study

    def test_a_result_that_comes_in_meanwhile_is_stored_and_explain_knows_it_was_not_known(
        self, place: Storage, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        study, other, alone = self.ready(place), cm.Study.load(place), self.ready(None)
        expected = [dict(trial.params) for trial in alone.ask(2)]
        then = [alone.explain(number) for number in (6, 7)]
        with monkeypatch.context() as patch:
            self.meanwhile(patch, lambda: other.tell(5, {"strength": 50.0, "corrosion": -9.0}))
            assert [dict(trial.params) for trial in study.ask(2)] == expected
        assert study.trials[5].values == {"strength": 50.0, "corrosion": -9.0}
        assert [event.kind for event in study.log()[-3:]] == ["told", "asked", "asked"]
        for number, before in zip((6, 7), then, strict=True):
            after = cm.Study.load(place).explain(number)
            assert (after.predictions, after.utility, after.without_cost) == (
                before.predictions,
                before.utility,
                before.without_cost,
            )

    def test_a_trial_that_is_added_meanwhile_makes_the_suggestion_be_computed_again(
        self, place: Storage, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        study, other, alone = self.ready(place), cm.Study.load(place), self.ready(None)
        params = {"nickel": 7.0, "soak": 5, "quench": "oil"}
        alone.add(params, measure(params))
        with monkeypatch.context() as patch:
            self.meanwhile(patch, lambda: other.add(params, measure(params)))
            trial = study.ask()
        assert trial.number == 7
        assert trial.params == alone.ask().params


class TestLog:
    def test_everything_is_on_record_with_who_when_and_what_it_replaced(self, place: Storage) -> None:
        study = study_at(place)
        mine = study.ask(owner="anna", lease="1h")
        study.tell(mine, GOOD, note="fine")
        study.amend(mine, {"strength": 5.0}, "scale was off")
        study.fail(study.ask(), "broke")
        study.release(study.ask(owner="ben"))
        study.add({"nickel": 1.0, "soak": 1, "quench": "air"}, GOOD)
        log = study.log()
        assert [event.kind for event in log] == [
            "asked", "told", "amended", "asked", "failed", "asked", "released", "added"
        ]  # fmt: skip
        assert [event.number for event in log] == list(range(8))
        assert [event.trial for event in log] == [0, 0, 0, 1, 1, 2, 2, 3]
        assert [event.who for event in log[:3]] == ["anna"] * 3
        assert all(event.who and event.when.tzinfo is not None for event in log)
        assert [event.when for event in log] == sorted(event.when for event in log)
        assert log[2].as_dict()["new"] == {"values": {"strength": 5.0}, "reason": "scale was off"}
        assert log[2].as_dict()["old"]["values"] == GOOD
        assert log[6].old is not None
        assert log[6].old["owner"] == "ben"
        assert "scale was off" in str(log[2])

    def test_it_is_plain_data_and_cannot_be_changed_from_outside(self, place: Storage) -> None:
        study = study_at(place)
        study.tell(study.ask(), GOOD)
        for event in study.log():
            json.dumps(event.as_dict(), allow_nan=False)
            with pytest.raises(TypeError):
                event.new["values"] = {}  # type: ignore[index]
        with pytest.raises(TypeError):
            study.log()[0].new["params"]["nickel"] = 3.0


class TestTransactions:
    def test_a_request_is_held_once_its_events_are_stored(self, place: Storage) -> None:
        study = study_at(place)
        trial = study.ask()
        store = place if isinstance(place, MemoryStore) else open_store(place, create=False)
        event = cm.Event(1, "failed", 0, study.log()[0].when, "me", {"reason": "x"})
        with store.transaction("mine") as transaction:
            assert not transaction.holds("mine")
            transaction.append([event], [trial])
        with store.transaction("nothing"):
            pass
        with store.transaction() as transaction:
            assert transaction.holds("mine")
            assert not transaction.holds("nothing")
            assert not transaction.holds("another")
        assert store.events()[-1].as_dict() == event.as_dict(), "no noise in the log"
        store.close()

    def test_a_transaction_that_ends_in_an_error_leaves_nothing(self, place: Storage) -> None:
        study = study_at(place)
        trial = study.ask()
        store = open_store(place, create=False)
        event = study.log()[0]

        def half() -> None:
            with store.transaction() as transaction:
                transaction.append([cm.Event(1, "failed", 0, event.when, "me", {"reason": "x"})], [trial])
                raise RuntimeError

        with pytest.raises(RuntimeError):
            half()
        assert len(store.events()) == 1
        store.close()

    def test_threads_that_share_one_study_get_different_trials(self, place: Storage) -> None:
        study = study_at(place, budget=None)
        got: list[int] = []

        def work() -> None:
            for _ in range(5):
                trial = study.ask()
                got.append(trial.number)
                study.tell(trial, measure(trial.params))

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(got) == list(range(20))
        assert {trial.state for trial in study.trials} == {cm.State.COMPLETE}

    def test_events_can_be_read_in_part(self, place: Storage) -> None:
        study = study_at(place)
        study.ask(4)
        store = open_store(place, create=False) if not isinstance(place, MemoryStore) else place
        assert [event.number for event in store.events(1, 3)] == [1, 2]
        assert [event.number for event in store.events(2)] == [2, 3]
        store.close()
