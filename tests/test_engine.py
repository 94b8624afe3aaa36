from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from camobo.acquisition import ExpectedReach
from camobo.cost import AdditiveCost
from camobo.engine import suggest
from camobo.errors import SpaceExhausted
from camobo.inputs import Array, Integer
from camobo.models import update_models
from camobo.plan import Data, Plan
from camobo.space import Space
from plans import MIXED, constrained, data, every_plan, measure, nearest, plan, run, some, with_outliers


class TestDeterminism:
    @every_plan
    def test_the_cache_changes_nothing_over_a_whole_run_bitwise(self, made: Callable[[], Plan]) -> None:
        given = replace(made(), refit_every=3)  # fits and appends in turn from the sixth observation on
        with_cache, without = run(given, 14), run(given, 14, cached=False)
        np.testing.assert_array_equal(with_cache.units, without.units)
        assert any(models is not None and models.fitted < len(models.units) for models in with_cache.models)

    @every_plan
    def test_the_same_call_gives_bitwise_the_same_point_and_touches_no_global_random_state(
        self, made: Callable[[], Plan]
    ) -> None:
        given = made()
        known = data(given, some(given, 12))
        before = np.random.get_state(legacy=False)  # noqa: NPY002
        one, same = (suggest(given, known, 12) for _ in range(2))
        after = np.random.get_state(legacy=False)  # noqa: NPY002
        np.testing.assert_array_equal(one.unit, same.unit)
        assert one.notes == same.notes
        np.testing.assert_equal(after, before)

    @every_plan
    def test_a_cache_of_other_data_is_ignored(self, made: Callable[[], Plan]) -> None:
        given = made()
        known = data(given, some(given, 12))
        stranger = update_models(given, data(given, some(given, 11, seed=9)), None)
        longer = update_models(given, data(given, np.vstack([some(given, 12), some(given, 1, seed=8)])), None)
        corrected = update_models(given, replace(known, values=known.values[:, ::-1]), None)
        elsewhere = update_models(given, replace(known, units=some(given, 12, seed=7)), None)
        expected = suggest(given, known, 12).unit
        for cache in (stranger, longer, corrected, elsewhere):
            np.testing.assert_array_equal(suggest(given, known, 12, cache).unit, expected)

    def test_seeds_and_trial_numbers_lead_to_other_points(self) -> None:
        known = data(plan(), some(plan(), 12))
        points = [suggest(plan(seed=seed), known, number).unit for seed, number in ((0, 12), (1, 12), (0, 13))]
        assert all(np.any(a != b) for a, b in itertools.combinations(points, 2))
        starts = [suggest(plan(seed=seed), data(plan(), np.zeros((0, 2))), 0).unit for seed in range(5)]
        assert all(np.any(a != b) for a, b in itertools.combinations(starts, 2))

    def test_data_handed_in_is_not_changed(self) -> None:
        given = plan(MIXED, cost="nickel", seed=3)
        known = data(given, some(given, 10), pending=some(given, 2, seed=1), failed=some(given, 1, seed=2))
        copies = [array.copy() for array in (known.units, known.values, known.pending, known.failed)]
        suggest(given, known, 13)
        for array, copy in zip((known.units, known.values, known.pending, known.failed), copies, strict=True):
            np.testing.assert_array_equal(array, copy)


def apart(given: Plan) -> float:
    """How far suggestions made together must lie from one another: Algorithm 1 itself knows no pending points."""
    return 1e-6 if given.method == "paper" else 0.02


class TestOpenPoints:
    @every_plan
    def test_points_asked_for_together_are_different_and_well_apart(self, made: Callable[[], Plan]) -> None:
        given = made()
        units = some(given, 12)
        pending = np.zeros((0, given.space.dimension))
        for i in range(4):
            found = suggest(given, data(given, units, pending=pending), 12 + i).unit
            assert len(pending) == 0 or nearest(found[None, :], pending) > apart(given)
            pending = np.vstack([pending, found])

    @every_plan
    def test_a_pending_point_moves_the_next_suggestion_away_from_it(self, made: Callable[[], Plan]) -> None:
        given = made()
        units = some(given, 12)
        first = suggest(given, data(given, units), 12).unit
        again = suggest(given, data(given, units, pending=first[None, :]), 12).unit
        assert nearest(first[None, :], again[None, :]) > apart(given)

    @every_plan
    def test_a_point_that_failed_is_not_suggested_again(self, made: Callable[[], Plan]) -> None:
        given = made()
        units = some(given, 12)
        failed = np.zeros((0, given.space.dimension))
        for i in range(4):
            found = suggest(given, data(given, units, failed=failed), 12 + i).unit
            assert len(failed) == 0 or nearest(found[None, :], failed) > 1e-3
            failed = np.vstack([failed, found])

    def test_of_many_that_failed_models_are_told_of_some_and_none_is_suggested_again(self) -> None:
        given = plan(seed=1)
        failed = some(given, 700, seed=2)
        found = suggest(given, data(given, some(given, 12), failed=failed), 712)
        assert found.acquisition is not None
        assert [len(model.z) for model in found.acquisition.gps] == [512, 512]
        assert nearest(found.unit[None, :], failed) > 1e-3

    def test_a_start_on_which_everything_fails_goes_on_to_other_points(self) -> None:
        given = plan(MIXED, cost="nickel", seed=5)
        failed = np.zeros((0, 4))
        for number in range(12):
            found = suggest(given, data(given, np.zeros((0, 4)), failed=failed), number).unit
            assert len(failed) == 0 or nearest(found[None, :], failed) > 1e-6
            failed = np.vstack([failed, found])

    def test_a_finite_space_with_every_point_open_is_exhausted(self) -> None:
        given = plan(Space({"a": Integer(1, 3), "b": Integer(1, 3)}), seed=0)
        grid = given.space.grid()
        with pytest.raises(SpaceExhausted):
            suggest(given, data(given, grid[:5], pending=grid[5:7], failed=grid[7:]), 9)
        with pytest.raises(SpaceExhausted):
            suggest(given, data(given, grid[:0], failed=grid), 9)


class TestCuriosity:
    @pytest.mark.parametrize(("indifference", "curious"), [(1.0, True), (0.0, False)])
    def test_a_point_chosen_for_what_it_teaches_is_not_said_to_improve_the_front(
        self, indifference: float, curious: bool
    ) -> None:
        made = replace(plan(budget=26), cost=AdditiveCost("dear > cheap", indifference=indifference))
        units = some(made, 20)
        rough = -np.abs(units[:, :1] - [0.2, 0.8]) - np.abs(units[:, 1:] - 0.3)
        known = replace(data(made, units), values=rough)
        assert (suggest(made, known, 20).notes == ("learns where it is cheap",)) is curious


class TestNoise:
    @staticmethod
    def looked_at(noise: float, budget: int, seed: int) -> Array:
        """(budget, 2) points of a study of one objective that is flat but for where the dear input is above 0.7."""
        given = plan(objectives={"f": "max"}, cost="dear > cheap", budget=budget, seed=seed)
        rng, none = np.random.default_rng(seed), np.zeros((0, 2))
        units, values = none, np.zeros((0, 1))
        for number in range(budget):
            unit = suggest(given, Data(units, values, none, none, number + 1), number).unit
            units = np.vstack([units, unit])
            values = np.vstack([values, (unit[0] > 0.7) + noise * rng.standard_normal()])
        return units

    @pytest.mark.parametrize("noise", [0.001, 0.1])
    @pytest.mark.parametrize("budget", [40, 60])
    def test_does_not_keep_a_study_at_the_cheap_end(self, noise: float, budget: int) -> None:
        dear = [self.looked_at(noise, budget, seed)[:, 0] for seed in range(4)]
        assert all(seen.max() > 0.7 for seen in dear)
        assert np.mean(dear) < 0.3  # 0.8 without a cost

    def test_without_it_the_places_are_chosen_by_the_models(self) -> None:
        given = plan(cost="dear > cheap", budget=40, seed=1)
        known = data(given, some(given, 20))
        assert all(not suggest(given, known, number).notes[0].startswith("looks else") for number in range(20, 30))

    def test_a_small_space_that_is_nearly_used_up_is_still_chosen_from(self) -> None:
        small = Space({"dear": Integer(0, 6), "cheap": Integer(0, 6)})
        given = plan(small, cost="dear > cheap", budget=49, seed=1)
        rng, units = np.random.default_rng(0), np.zeros((0, 2))
        for number in range(49):
            known = replace(data(given, units), values=rng.standard_normal((number, 2)))
            units = np.vstack([units, suggest(given, known, number).unit])
        assert len(np.unique(units.round(9), axis=0)) == 49


class TestManyObjectives:
    @pytest.mark.parametrize(("objectives", "expected"), [(4, 128), (6, 8), (9, 4)])
    def test_a_suggestion_looks_along_the_fewer_directions_the_more_there_are_and_the_next_along_others(
        self, objectives: int, expected: int
    ) -> None:
        given = plan(objectives={f"f{m}": "max" for m in range(objectives)})
        units = some(given, 12)
        peaks = np.random.default_rng(3).random((objectives, 2))
        values = -((units[:, None] - peaks) ** 2).sum(axis=2)
        none = np.zeros((0, 2))
        rays = []
        for number in (13, 15):
            found = suggest(given, Data(units, values, none, none, 13), number)
            assert found.acquisition is not None
            utility = found.acquisition.terms[0].utility
            assert isinstance(utility, ExpectedReach)
            rays.append(np.unique(utility.rays, axis=0))
        assert [len(own) for own in rays] == [expected, expected]
        assert not np.array_equal(rays[0], rays[1])


class TestConstraints:
    PLAN = plan(constraints=("at most",))

    def test_infeasible_trials_inform_the_models_but_are_no_front(self) -> None:
        given = replace(self.PLAN, seed=2)
        units = some(given, 20)
        for step in range(20):
            suggestion = suggest(given, constrained(units, 0.5), 100 + step)
            units = np.vstack([units, suggestion.unit])
        late = units[20:]
        assert (late[:, 0] <= 0.5).mean() >= 0.8
        blind = units[:20]
        for step in range(20):
            blind = np.vstack([blind, suggest(plan(seed=2), data(plan(), blind), 100 + step).unit])
        assert (blind[20:, 0] <= 0.5).mean() < 0.75

    def test_with_nothing_feasible_it_looks_for_a_feasible_point_first(self) -> None:
        units = some(self.PLAN, 10)
        units[:, 0] = 0.4 + 0.6 * units[:, 0]
        suggestion = suggest(self.PLAN, constrained(units, 0.2), 50)
        assert suggestion.notes[0] == "looks for a feasible point"
        assert suggestion.unit[0] <= 0.2

    def test_a_constraint_that_always_holds_changes_nothing(self) -> None:
        units = some(self.PLAN, 12)
        bound = suggest(self.PLAN, constrained(units, 1e6), 50).unit
        assert bound == pytest.approx(suggest(plan(), data(plan(), units), 50).unit, abs=1e-3)

    @pytest.mark.parametrize("method", ["default", "paper"])
    @pytest.mark.parametrize("cost", [None, "dear > cheap"])
    def test_one_of_yes_and_no_is_met_however_late_it_first_holds(self, cost: str | None, method: str) -> None:
        given = plan(constraints=("fits",), cost=cost, method=method, budget=60, seed=2)
        units = np.zeros((0, 2))
        for number in range(40):
            fits = (units[:, 0] > 0.55) & (units[:, 0] < 0.8) & (units[:, 1] > 0.5)
            values = np.column_stack([measure(units), np.where(fits, -1.0, 1.0)])
            none = np.zeros((0, 2))
            units = np.vstack([units, suggest(given, Data(units, values, none, none, number + 1), number).unit])
        held = (units[:, 0] > 0.55) & (units[:, 0] < 0.8) & (units[:, 1] > 0.5)
        assert held.any()
        if cost is not None:
            assert np.all(units[: given.initial, 0] <= 0.5)

    def test_the_papers_method_keeps_to_constraints_too(self) -> None:
        units = some(self.PLAN, 15)
        given = plan(constraints=("at most",), method="paper")
        found = [suggest(given, constrained(units, 0.5), number).unit[0] for number in range(50, 56)]
        assert np.mean(np.array(found) <= 0.55) >= 0.8


class TestSearching:
    def test_twenty_five_points_close_in_on_the_best_of_one_objective(self) -> None:
        units = run(plan(seed=1, objectives={"f": "max"}), 25).units
        assert measure(units)[:, 0].max() > -1e-3

    def test_most_of_a_run_lies_on_the_line_that_trades_one_objective_for_the_other(self) -> None:
        units = run(plan(seed=1), 25).units[10:]
        assert np.mean(np.abs(units[:, 1] - 0.3) < 0.15) > 0.5
        assert units[:, 0].min() < 0.4
        assert units[:, 0].max() > 0.6


class TestManyKindsOfOutcome:
    def test_it_looks_beyond_the_front_ever_more_seldom_but_as_often_to_the_end_with_a_cost(self) -> None:
        known = data(plan(), some(plan(), 12))
        for cost, expected in ((None, {0: 20, 70: 10, 490: 2}), ("dear", {0: 13, 70: 13, 490: 13})):
            given = plan(cost=cost, budget=600)
            for first, looks in expected.items():
                notes = [suggest(given, known, number).notes[0] for number in range(first, first + 40)]
                assert abs(notes.count("explores beyond the front") - looks) <= 2

    def test_it_looks_beyond_the_front_as_often_with_four_objectives_as_with_two(self) -> None:
        looks = []
        for objectives in (2, 4):
            given = plan(objectives=dict.fromkeys("fghi"[:objectives], "max"))
            known = with_outliers(given, 12)
            found = [suggest(given, known, number).notes[0] for number in range(60, 80)]
            looks.append([note == "explores beyond the front" for note in found])
        assert looks[0] == looks[1]
        assert any(looks[0])
        assert not all(looks[0])


class TestManyObservations:
    def test_a_suggestion_after_five_thousand_is_found_and_the_same_from_a_cache(self) -> None:
        given = plan(budget=6000)
        units = some(given, 5121)
        cached = suggest(given, data(given, units[:5120]), 5120).models
        assert cached is not None
        assert [len(gp.z) for gp in cached.gps] == [2000, 2000]
        went_on = suggest(given, data(given, units), 5121, cached)
        assert went_on.unit.tolist() == suggest(given, data(given, units), 5121).unit.tolist()
