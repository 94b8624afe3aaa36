from __future__ import annotations

import copy
import decimal
import pickle
from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import camobo as cm
from camobo.strategy.notes import Reason
from tests.support.strategies import law
from tests.support.studies import ALLOY, BOTH, GOOD, PLANE, alloy, measure, params_of, study_of, told

NAN, INF = float("nan"), float("inf")


class TestOptions:
    def test_numbers_of_numpy_are_as_good_as_pythons(self) -> None:
        study = study_of(seed=np.int64(7), budget=np.int32(9), reference={"strength": np.float32(0), "corrosion": 1})
        assert (study.seed, study.budget) == (7, cm.Budget(9))

    def test_without_a_seed_one_is_drawn_and_can_be_read(self) -> None:
        one, other = cm.Study(PLANE, {"y": "min"}), cm.Study(PLANE, {"y": "min"})
        assert one.seed != other.seed
        assert one.ask().params == cm.Study(PLANE, {"y": "min"}, seed=one.seed).ask().params

    def test_what_it_is_about_can_be_read_and_changing_the_copy_changes_nothing(self) -> None:
        study = study_of(budget=20)
        study.objectives["strength"] = "min"
        assert study.objectives == BOTH
        assert study.space is PLANE
        assert study.budget == cm.Budget(trials=20)


class TestTelling:
    @law
    @given(st.floats(allow_nan=False, allow_infinity=False) | st.integers(-(10**300), 10**300) | st.fractions())
    def test_every_finite_number_is_recorded_as_a_float(self, value: float | Fraction) -> None:
        study = study_of(objectives={"y": "max"})
        recorded = study.tell(study.ask(), {"y": value})  # type: ignore[dict-item]
        assert recorded.values == {"y": float(value)}
        assert type(recorded.values["y"]) is float

    def test_numbers_of_numpy_become_floats_and_a_decimal_is_refused(self) -> None:
        study = study_of()
        values: Any = {"corrosion": np.float32(0.5), "strength": np.int64(3)}
        recorded = study.tell(study.ask(), values)
        assert recorded.values == {"strength": 3.0, "corrosion": 0.5}
        assert list(recorded.values or {}) == ["strength", "corrosion"]
        with pytest.raises(cm.InvalidValueError, match="Decimal"):
            study.tell(study.ask(), {"strength": decimal.Decimal(3), "corrosion": 1.0})  # type: ignore[dict-item]

    def test_a_trial_can_be_named_by_its_number_or_itself_and_moves_through_its_states(self) -> None:
        study = study_of()
        first, second = study.ask(2)
        assert [first.state, first.values, first.told] == [cm.State.PENDING, None, None]
        assert study.tell(first, GOOD).state is cm.State.COMPLETE
        failed = study.fail(np.int64(second.number), "broke")  # type: ignore[arg-type]
        assert failed.state is cm.State.FAILED
        assert failed.reason == "broke"
        assert [trial.state for trial in study.trials] == [cm.State.COMPLETE, cm.State.FAILED]
        assert first.state is cm.State.PENDING

    def test_results_that_come_in_any_order_lead_to_the_same_next_trial(self) -> None:
        suggestions = []
        for order in ([0, 1, 2, 3, 4], [4, 2, 0, 3, 1]):
            study = study_of(cost="expensive > cheap", budget=20)
            trials = study.ask(5)
            for i in order:
                study.tell(trials[i], measure(trials[i].params))
            suggestions.append(study.ask().params)
        assert suggestions[0] == suggestions[1]

    def test_asking_between_results_that_come_late_does_not_change_what_follows_from_the_same_knowledge(self) -> None:
        study = study_of(budget=20)
        trials = study.ask(8)
        for i in (7, 3, 5):
            study.tell(trials[i], measure(trials[i].params))
        again = study_of(budget=20)
        for trial in again.ask(8):
            if trial.number in (3, 5, 7):
                again.tell(trial, measure(trial.params))
        assert study.ask().params == again.ask().params

    def test_every_suggestion_is_a_whole_step_and_a_small_grid_is_used_up(self) -> None:
        steps = cm.Space({"expensive": cm.Real(0, 0.2, step=0.1), "cheap": cm.Real(-1, 1, step=0.5)})
        study = study_of(steps, cost="expensive > cheap")
        study.add(
            {"expensive": 0.15, "cheap": 0.0}, {"strength": 1.0, "corrosion": 1.0}
        )  # between steps: takes up none
        study.optimize(measure, 15)
        tried = {(trial.params["expensive"], trial.params["cheap"]) for trial in study.trials if not trial.added}
        assert tried == {(expensive, cheap) for expensive in (0.0, 0.1, 0.2) for cheap in (-1.0, -0.5, 0.0, 0.5, 1.0)}
        with pytest.raises(cm.SpaceExhausted):
            study.ask()

    def test_four_trials_at_once_are_numbered_and_lie_apart(self) -> None:
        nearest = []
        for seed in range(3):
            study = told(study_of(cost="expensive > cheap", seed=seed), 8)
            four = study.ask(4)
            assert [trial.number for trial in four] == [8, 9, 10, 11]
            assert [trial.state for trial in study.trials[8:]] == [cm.State.PENDING] * 4
            points = np.array([[trial.params["expensive"], trial.params["cheap"]] for trial in four])
            nearest.append(np.linalg.norm(points[:, None] - points[None, :], axis=2)[np.triu_indices(4, 1)].min())
        assert min(nearest) > 0.01
        assert np.median(nearest) > 0.03

    def test_params_asked_for_are_inside_the_space_and_of_its_types(self) -> None:
        for trial in told(study_of(ALLOY), 10, alloy).trials:
            assert ALLOY.check(trial.params) == trial.params
            assert [type(value) for value in trial.params.values()] == [float, int, str]


class TestAdding:
    def test_it_informs_the_models_and_takes_nothing_of_the_budget(self) -> None:
        study = study_of(cost="expensive > cheap", budget=10)
        for i in range(6):
            params = {"expensive": i / 10, "cheap": 0.3}
            added = study.add(params, measure(params))
            assert added.added
            assert added.state is cm.State.COMPLETE
        trial = study.ask()
        assert (trial.number, trial.step) == (6, 1)
        assert [note.reason for note in trial.notes] != [Reason.INITIAL_DESIGN]
        assert study.tell(trial, GOOD).step == 1
        assert study.ask().step == 2

    def test_params_are_recorded_in_the_spaces_order_and_types(self) -> None:
        study = study_of(ALLOY)
        added = study.add({"quench": "oil", "soak": 3.0, "nickel": 5}, GOOD)
        assert list(added.params.items()) == [("nickel", 5.0), ("soak", 3), ("quench", "oil")]
        assert isinstance(added.params["nickel"], float)
        assert isinstance(added.params["soak"], int)

    def test_the_same_point_measured_many_times_is_no_trouble(self) -> None:
        study = study_of(cost="expensive > cheap")
        for i in range(8):
            study.add({"expensive": 0.5, "cheap": 0.5}, {"strength": 1.0 + 0.01 * (-1) ** i, "corrosion": 1.0})
        assert PLANE.check(told(study, 3).trials[-1].params)

    def test_a_dict_changed_after_it_was_given_changes_nothing(self) -> None:
        study = study_of()
        params, values = {"expensive": 0.1, "cheap": 0.2}, {"strength": 1.0, "corrosion": 2.0}
        study.add(params, values)
        params["expensive"], values["strength"] = 0.9, 9.0
        assert study.trials[0].params == {"expensive": 0.1, "cheap": 0.2}
        assert study.trials[0].values == {"strength": 1.0, "corrosion": 2.0}


def recorded(objectives: dict[str, str], rows: Sequence[tuple[float, ...]], **options: Any) -> cm.Study:
    study = study_of(objectives=objectives, **options)
    for i, row in enumerate(rows):
        study.add({"expensive": i / len(rows), "cheap": 0.5}, dict(zip(objectives, row, strict=True)))
    return study


class TestReading:
    def test_an_empty_study_has_no_front_no_volume_and_no_usage(self) -> None:
        study = study_of(ALLOY)
        study.ask()
        assert study.front() == []
        assert study.hypervolume() == 0.0
        assert study.usage() == {"nickel": 0, "soak": 0, "quench": {"air": 0, "oil": 0, "water": 0}}

    @pytest.mark.parametrize(
        ("first", "second", "numbers"),
        [("max", "max", [1, 2]), ("min", "min", [0, 4]), ("max", "min", [0, 2, 4]), ("min", "max", [0, 1, 4])],
    )
    def test_the_front_follows_the_goals_and_keeps_equals_together(
        self, first: str, second: str, numbers: list[int]
    ) -> None:
        rows = [(1.0, 1.0), (2.0, 3.0), (3.0, 2.0), (2.0, 2.0), (1.0, 1.0)]
        assert [trial.number for trial in recorded({"a": first, "b": second}, rows).front()] == numbers

    def test_pending_and_failed_trials_are_on_no_front(self) -> None:
        study = recorded({"a": "max"}, [(1.0,)])
        study.fail(study.ask(), "broke")
        study.ask()
        assert [trial.number for trial in study.front()] == [0]

    def test_the_hypervolume_of_hand_made_cases(self) -> None:
        rows = [(1.0, 4.0), (2.0, 3.0), (0.0, 6.0)]
        study = recorded({"up": "max", "down": "min"}, rows)
        assert study.hypervolume({"up": 0.0, "down": 5.0}) == pytest.approx(2 * 2)
        assert study.hypervolume() == pytest.approx(2 * 3)  # against the worst seen, (0, 6)
        assert study.hypervolume({"up": 5.0, "down": 0.0}) == 0.0
        of_its_own = recorded({"up": "max", "down": "min"}, rows, reference={"down": 4.0, "up": -1.0})
        assert of_its_own.hypervolume() == pytest.approx(3 * 1)
        assert of_its_own.hypervolume({"up": 0.0, "down": 5.0}) == pytest.approx(4)
        both = recorded({"a": "max", "b": "max"}, [(1.0, 3.0), (2.0, 2.0), (3.0, 1.0)])
        assert both.hypervolume({"a": 0, "b": 0}) == pytest.approx(6)

    def test_the_hypervolume_of_one_objective_is_how_far_it_got(self) -> None:
        assert recorded({"a": "min"}, [(3.0,), (1.0,), (2.0,)]).hypervolume({"a": 5.0}) == pytest.approx(4.0)

    def test_usage_adds_numbers_and_counts_choices_of_what_was_evaluated(self) -> None:
        study = study_of(ALLOY)
        study.add({"nickel": 2.5, "soak": 3, "quench": "oil"}, GOOD)
        study.add({"nickel": 4.0, "soak": 1, "quench": "oil"}, GOOD)
        study.add({"nickel": 0.0, "soak": 12, "quench": "water"}, GOOD)
        expected = {"nickel": 6.5, "soak": 16, "quench": {"air": 0, "oil": 2, "water": 1}}
        assert study.usage() == expected
        pending = study.ask()
        assert study.usage() == expected
        study.fail(pending, "broke, but the material is gone")
        assert study.usage()["nickel"] == pytest.approx(6.5 + pending.params["nickel"])
        assert sum(study.usage()["quench"].values()) == 4

    @pytest.mark.parametrize("stored", [False, True])
    def test_usage_tells_choices_apart_that_are_equal(self, stored: bool, tmp_path: Path) -> None:
        space = cm.Space({"c": cm.Categorical([0, False, 1.0, True, "1.0"])})
        study = study_of(space, {"y": "max"}, storage=tmp_path / "a.db" if stored else None)
        for choice in (0, 0, 0, False, 1.0, "1.0", "1.0"):
            study.add({"c": choice}, {"y": 1.0})
        assert study.usage() == {"c": {"0": 3, "False": 1, "1.0": 1, "True": 0, "'1.0'": 2}}

    def test_a_study_prints_what_it_is_about_and_how_its_trials_stand(self) -> None:
        study = told(study_of(), 2)
        study.fail(study.ask(), "broke")
        study.ask()
        text = repr(study)
        for said in ("strength, corrosion", "expensive, cheap", "2 complete", "1 failed", "1 pending"):
            assert said in text
        assert "no trials" in repr(study_of())

    def test_a_trial_prints_its_params_and_what_came_of_it(self) -> None:
        study = study_of(ALLOY)
        study.add({"nickel": 2.5, "soak": 3, "quench": "oil"}, GOOD)
        assert str(study.trials[0]) == "trial 0: nickel=2.5, soak=3, quench=oil -> strength=1, corrosion=1"
        assert "(pending)" in str(study.ask())
        assert "(failed: broke)" in str(study.fail(1, "broke"))


class TestExplaining:
    @pytest.mark.parametrize("method", ["default", "paper"])
    def test_what_was_expected_of_a_trial_does_not_change_with_what_came_later(self, method: str) -> None:
        study = told(study_of(cost="expensive > cheap", method=method), 8)
        trial = study.ask()
        then = study.explain(trial)
        study.tell(trial, measure(trial.params))
        told(study, 3)
        study.add({"expensive": 0.9, "cheap": 0.9}, GOOD)
        later = study.explain(trial.number)
        assert later.predictions == then.predictions
        assert (later.utility, later.cost, later.without_cost) == (then.utility, then.cost, then.without_cost)
        assert later.trial.values == measure(trial.params)

    def test_it_knows_pending_failed_and_added_trials_as_they_stood(self) -> None:
        study = told(study_of(cost="expensive > cheap"), 5)
        waiting = study.ask()
        study.fail(study.ask(), "broke")
        study.add({"expensive": 0.4, "cheap": 0.2}, measure({"expensive": 0.4, "cheap": 0.2}))
        trial = study.ask()
        then = study.explain(trial)
        study.tell(waiting, {"strength": 100.0, "corrosion": -100.0})
        study.tell(trial, GOOD)
        assert study.explain(trial).predictions == then.predictions
        assert study.explain(trial).without_cost == then.without_cost

    def test_what_would_have_been_picked_without_cost_is_what_a_study_without_cost_asks_for(self) -> None:
        study = told(study_of(cost="expensive > cheap", thrift=5.0), 6)  # by 1 both ask for the same here
        trial = study.ask()
        blind = study_of()
        for old in study.trials[:6]:
            blind.add(old.params, old.values or {})
        explained = study.explain(trial).without_cost
        assert explained == blind.ask().params
        assert explained != trial.params

    def test_the_budget_that_optimize_implied_later_does_not_rewrite_the_past(self) -> None:
        study = told(study_of(cost="expensive > cheap"), 6)
        then = study.explain(5)
        study.optimize(measure, 2)
        assert study.explain(5).cost == then.cost
        assert study.explain(5).predictions == then.predictions

    def test_predictions_are_in_the_objectives_own_units_and_near_what_was_measured(self) -> None:
        study = told(study_of(), 12)
        explained = study.explain(11)
        for name, value in measure(study.trials[11].params).items():
            mean, deviation = explained.predictions[name]
            assert abs(mean - value) < 4 * deviation + 0.05
            assert 0.0 < deviation < 5.0

    def test_it_prints_all_it_knows(self) -> None:
        study = told(study_of(cost="expensive > cheap"), 6)
        text = str(study.explain(5))
        for said in ("trial 5", "strength: expected", "corrosion: expected", "measured", "promise:", "without cost:"):
            assert said in text
        assert "cost: expected" in text
        assert "initial design" in str(study.explain(0))
        added = study.add({"expensive": 0.1, "cheap": 0.1}, GOOD)
        assert "added by hand" in str(study.explain(added))
        blind = str(told(study_of(), 5).explain(4))
        assert "promise:" in blind
        assert "cost: expected" not in blind
        assert "without cost" not in blind

    def test_it_changes_nothing(self) -> None:
        one, other = told(study_of(cost="expensive > cheap"), 6), told(study_of(cost="expensive > cheap"), 6)
        for number in range(6):
            one.explain(number)
        assert one.trials == other.trials
        assert one.ask() == other.ask()


class TestRepeating:
    @pytest.mark.parametrize("method", ["default", "paper"])
    def test_the_same_seed_gives_the_same_trials_and_another_seed_others(self, method: str) -> None:
        one, same, other = (
            told(study_of(ALLOY, cost="nickel > soak", method=method, seed=seed), 7, alloy) for seed in (3, 3, 4)
        )
        assert one.trials == same.trials
        assert repr(one) == repr(same)
        assert params_of(one) != params_of(other)

    def test_the_method_of_the_paper_takes_its_cost_from_equation_8(self) -> None:
        bare = told(study_of(method="paper", cost="expensive > cheap"), 8)
        explicit = told(study_of(method="paper", cost=cm.PaperCost("expensive > cheap")), 8)
        printed = cm.PaperCost("expensive > cheap", weights="printed")
        another = told(study_of(method="paper", cost=printed), 8)
        assert params_of(bare) == params_of(explicit) != params_of(another)
        assert bare.trials[-1].notes[0].reason is Reason.ALGORITHM_1


class TestRecords:
    def test_a_trial_cannot_be_changed_from_outside(self) -> None:
        study = cm.Study(cm.Space({"x": cm.Real(0, 1)}), {"y": "min"}, seed=1)
        trial = study.ask()
        with pytest.raises(TypeError):
            trial.params["x"] = 99.0  # type: ignore[index]

    def test_a_trial_survives_the_way_to_another_process(self) -> None:
        study = cm.Study(cm.Space({"x": cm.Real(0, 1)}), {"y": "min"}, seed=1)
        trial = study.tell(study.ask(), {"y": 1.0})
        assert pickle.loads(pickle.dumps(trial)) == trial

    def test_a_batch_larger_than_what_is_left_of_a_space_gives_what_there_is(self) -> None:
        study = cm.Study(cm.Space({"n": cm.Integer(1, 3)}), {"y": "min"}, seed=1)
        assert sorted(trial.params["n"] for trial in study.ask(5)) == [1, 2, 3]
        with pytest.raises(cm.SpaceExhausted):
            study.ask(1)

    def test_a_number_too_long_to_print_is_refused_like_any_infinity(self) -> None:
        study = cm.Study(cm.Space({"x": cm.Real(0, 1)}), {"y": "min"}, seed=1)
        with pytest.raises(cm.InvalidValueError, match="finite number"):
            study.tell(study.ask(), {"y": 10**5000})


@pytest.mark.parametrize("copied", [pickle.dumps, copy.copy, copy.deepcopy])
@pytest.mark.parametrize("stored", [False, True])
def test_a_study_that_is_copied_says_how_to_share_it(
    copied: Callable[[Any], Any], stored: bool, tmp_path: Path
) -> None:
    place = tmp_path / "x.db" if stored else None
    study = study_of(storage=place)
    with pytest.raises(cm.StorageError, match=rf"cannot be copied, pickled.*Study\.load\('{place or 'alloy.db'}'\)"):
        copied(study)


PROBLEM = """
[space]
x = {type = "real", low = 0, high = 1}

[objectives]
y = "max"

[study]
budget = 9
"""


class TestOpening:
    def test_a_problem_file_makes_a_study_that_continues_where_it_is_stored(self, tmp_path: Path) -> None:
        (tmp_path / "alloy.toml").write_text(PROBLEM)
        with cm.Study.from_toml(tmp_path / "alloy.toml", storage=tmp_path / "alloy.db") as study:
            assert (study.budget, study.objectives) == (cm.Budget(9), {"y": "max"})
            trial = study.ask()
        again = cm.Study.from_toml(tmp_path / "alloy.toml", storage=tmp_path / "alloy.db")
        assert (again.seed, again.trials) == (study.seed, (trial,))

    def test_a_stored_study_is_loaded_and_continues_as_if_it_had_never_been_closed(self, tmp_path: Path) -> None:
        stored = told(study_of(storage=tmp_path / "a.db"), 5)
        assert cm.Study.load(tmp_path / "a.db").trials == stored.trials
        assert cm.Study.load(tmp_path / "a.db").ask().params == told(study_of(), 5).ask().params
        assert stored.storage.endswith("a.db")
        assert study_of().storage == "memory"

    def test_nothing_cannot_be_loaded(self) -> None:
        with pytest.raises(cm.InvalidOptionError, match=r"^storage: need .*got None"):
            cm.Study.load(None)

    def test_a_closed_study_can_be_used_again(self, tmp_path: Path) -> None:
        with study_of(storage=tmp_path / "a.db") as study:
            trial = study.ask()
        assert study.tell(trial, GOOD).state is cm.State.COMPLETE
        study.close()

    def test_the_same_study_continues_and_another_one_is_refused(self, tmp_path: Path) -> None:
        told(study_of(storage=tmp_path / "a.db"), 1)
        assert len(study_of(storage=tmp_path / "a.db").trials) == 1
        with pytest.raises(cm.InvalidOptionError, match="holds another study"):
            study_of(ALLOY, storage=tmp_path / "a.db")


class TestChangesTogether:
    def test_they_are_stored_together_or_if_one_is_refused_not_at_all(self) -> None:
        def changes(study: cm.Study, last: float) -> None:
            with study.together():
                study.add({"expensive": 0.1, "cheap": 0.2}, GOOD)
                study.add({"expensive": 0.1, "cheap": last}, GOOD)

        study = study_of()
        with pytest.raises(cm.InvalidValueError):
            changes(study, 7.0)
        assert study.trials == ()
        changes(study, 0.7)
        assert len(study.trials) == 2

    def test_a_trial_passes_from_hand_to_hand(self) -> None:
        study = study_of()
        trial = study.ask(owner="anna", lease="2h")
        renewed = study.renew(trial, "3h")
        assert trial.expires is not None
        assert renewed.expires is not None
        assert renewed.expires > trial.expires
        assert study.release(trial).state is cm.State.RELEASED
        again = study.ask(owner="ben")
        assert (again.number, again.owner, again.expires) == (trial.number, "ben", None)
        corrected = study.amend(study.tell(again, GOOD, cost=4, note="fine"), {"strength": 2.0}, "digits swapped")
        assert dict(corrected.values or {}) == {"strength": 2.0, "corrosion": 1.0}
        assert (corrected.cost, corrected.note, corrected.reason) == (4.0, "fine", "digits swapped")
        assert [event.kind for event in study.log()] == ["asked", "renewed", "released", "asked", "told", "amended"]


class TestSlips:
    """A value far beyond all others is recorded, and said."""

    USUAL = (480.0, 512.0, 390.0, 455.0, 501.0)

    def study(self) -> cm.Study:
        study = study_of(objectives={"y": "max"})
        for i, value in enumerate(self.USUAL):
            study.add({"expensive": 0.1 * i, "cheap": 0.5}, {"y": value})
        return study

    def test_it_is_said_once_wherever_it_is_typed(self, caplog: pytest.LogCaptureFixture) -> None:
        study = self.study()
        assert caplog.messages == []
        study.tell(study.ask(), {"y": 5200.0})
        study.amend(5, {"y": 5500.0}, "the scale was off")
        study.add({"expensive": 1.0, "cheap": 1.0}, {"y": 99000.0})
        assert [message.split(",")[0] for message in caplog.messages] == [
            "trial 5: 'y' is 5200", "trial 5: 'y' is 5500", "trial 6: 'y' is 99000"
        ]  # fmt: skip
        study.amend(6, None, "wrong sample")
        with study.together():
            study.tell(5, cost=3.0)
        study.tell(5, cost=4.0)
        assert len(caplog.messages) == 3
        study.add({"expensive": 0.95, "cheap": 1.0}, {"y": 98000.0})  # what was withdrawn makes nothing usual
        assert len(caplog.messages) == 4

    def test_of_changes_made_together_it_is_said_once_they_are_stored(self, caplog: pytest.LogCaptureFixture) -> None:
        study = self.study()

        def refused() -> None:
            with study.together():
                study.add({"expensive": 0.7, "cheap": 0.5}, {"y": 5200.0})
                study.tell(99, {"y": 1.0})

        with pytest.raises(cm.UnknownTrialError):
            refused()
        assert caplog.messages == []
        with study.together(), study.together():
            study.add({"expensive": 0.7, "cheap": 0.5}, {"y": 5200.0})
            study.add({"expensive": 0.8, "cheap": 0.5}, {"y": 480.0})
        assert len(caplog.messages) == 1
