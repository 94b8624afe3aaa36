from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given as drawn
from hypothesis import strategies as st
from numpy.typing import NDArray

from camobo.acquisition.utilities import ExpectedReach, ExplorationBonus, Feasible
from camobo.arrays import Array
from camobo.cost.additive import AdditiveCost
from camobo.space.inputs import Integer
from camobo.space.space import Space
from camobo.strategy import recipes
from camobo.strategy.default import direction_count, explore_every
from camobo.strategy.notes import Note, Reason
from camobo.strategy.plan import Data, Plan
from camobo.strategy.protocol import Suggestion
from camobo.strategy.suggest import models_of, suggest
from tests.support.plans import constrained, data, measure, plan, reason, run, some, with_limit, with_outliers
from tests.support.strategies import law


def promise(found: Suggestion) -> ExpectedReach:
    """The expected improvement of the front in a suggestion's acquisition."""
    assert found.acquisition is not None
    utility = found.acquisition.terms[0].utility
    assert isinstance(utility, ExpectedReach)
    return utility


class TestExploring:
    def test_without_a_cost_it_explores_less_and_less_often(self) -> None:
        for first, expected in {0: 20, 70: 10, 490: 2}.items():
            explores = [number % explore_every(plan(budget=600), number) == 0 for number in range(first, first + 40)]
            assert abs(sum(explores) - expected) <= 2

    def test_with_a_cost_it_explores_as_often_to_the_end(self) -> None:
        given = plan(cost="expensive", budget=600)
        assert {explore_every(given, number) for number in range(1000)} == {3}

    @law
    @drawn(st.integers(0, 10**6), st.integers(1, 12))
    def test_it_explores_as_often_with_many_objectives_as_with_one(self, number: int, objectives: int) -> None:
        many = plan(objectives={f"f{m}": "max" for m in range(objectives)})
        assert explore_every(many, number) == explore_every(plan(), number)

    @pytest.mark.parametrize("objectives", [2, 4])
    @pytest.mark.parametrize(("cost", "numbers"), [(None, (74, 75, 76, 77)), ("expensive", (74, 75, 77, 78))])
    def test_a_suggestion_says_whether_it_explores(
        self, cost: str | None, numbers: tuple[int, ...], objectives: int
    ) -> None:
        given = plan(cost=cost, budget=600, objectives=dict.fromkeys("fghi"[:objectives], "max"))
        known = data(given, some(given, 12)) if objectives == 2 else with_outliers(given, 12)
        models = models_of(given, known)
        noisy = cost is not None and any(model.noisy for model in models.gps)
        exploring = Reason.LOOKS_ELSEWHERE if noisy else Reason.EXPLORES
        for number in numbers:
            expected = exploring if number % (4 if cost is None else 3) == 0 else Reason.IMPROVES_FRONT
            assert reason(suggest(given, known, number, models)) is expected

    def test_exploring_looks_beyond_everything_seen_with_deviations_doubled(self) -> None:
        known = data(plan(), some(plan(), 12))
        models = models_of(plan(), known)
        near, far = (promise(suggest(plan(), known, number, models)) for number in (13, 12))
        seen = np.column_stack([model.standardise(known.values[:, m]) for m, model in enumerate(models.gps)])
        assert np.all(far.reference < seen.min(axis=0))
        assert np.all(near.reference > far.reference)
        assert far.z.std() == pytest.approx(2.0 * near.z.std(), rel=0.2)


class TestReference:
    def test_a_given_reference_below_the_front_is_where_improvement_counts_from(self) -> None:
        given = plan(reference=(-0.5, -0.5))
        known = data(given, some(given, 12))
        models = models_of(given, known)
        for number in (12, 13):
            utility = promise(suggest(given, known, number, models))
            expected = [model.standardise(np.array([-0.5]))[0] for model in models.gps]
            np.testing.assert_allclose(utility.reference, expected)

    def test_one_that_no_trial_is_above_yet_is_left_aside(self) -> None:
        known = data(plan(), some(plan(), 12))
        unreached = suggest(plan(reference=(0.5, 0.5)), known, 13)
        np.testing.assert_array_equal(promise(unreached).reference, promise(suggest(plan(), known, 13)).reference)

    def test_a_front_of_one_point_is_improved_from_below_the_worst_seen(self) -> None:
        given = plan()
        units = some(given, 12)
        values = np.repeat(-((units - 0.4) ** 2).sum(axis=1)[:, None], 2, axis=1)
        known = replace(data(given, units), values=values)
        models = models_of(given, known)
        worst = [model.standardise(values[:, m]).min() for m, model in enumerate(models.gps)]
        assert np.all(promise(suggest(given, known, 13, models)).reference < worst)


class TestManyObjectives:
    @pytest.mark.parametrize(("objectives", "expected"), [(4, 128), (6, 8), (9, 4)])
    def test_a_suggestion_looks_along_fewer_directions_with_more_objectives_and_the_next_along_others(
        self, objectives: int, expected: int
    ) -> None:
        given = plan(objectives={f"f{m}": "max" for m in range(objectives)})
        units = some(given, 12)
        peaks = np.random.default_rng(3).random((objectives, 2))
        none = np.zeros((0, 2))
        known = Data(units, -((units[:, None] - peaks) ** 2).sum(axis=2), none, none, 13)
        models = models_of(given, known)
        rays = [np.unique(promise(suggest(given, known, number, models)).rays, axis=0) for number in (13, 15)]
        assert [len(own) for own in rays] == [expected, expected] == [direction_count(objectives)] * 2
        assert not np.array_equal(rays[0], rays[1])

    @law
    @drawn(st.integers(1, 60))
    def test_the_number_of_directions_divides_that_of_rays_and_never_grows(self, objectives: int) -> None:
        assert 128 % direction_count(objectives) == 0
        assert direction_count(objectives + 1) <= direction_count(objectives)


class TestExplorationBonus:
    @pytest.mark.parametrize(("indifference", "bonus"), [(1.0, True), (0.0, False)])
    def test_a_point_chosen_for_what_it_teaches_is_not_said_to_improve_the_front(
        self, indifference: float, bonus: bool
    ) -> None:
        given = replace(plan(budget=26), cost=AdditiveCost("expensive > cheap", indifference=indifference))
        units = some(given, 20)
        rough = -np.abs(units[:, :1] - [0.2, 0.8]) - np.abs(units[:, 1:] - 0.3)
        found = suggest(given, replace(data(given, units), values=rough), 20)
        assert (found.notes == (Note(Reason.LEARNS_CHEAPLY),)) is bonus
        assert found.acquisition is not None
        assert [isinstance(term.utility, ExplorationBonus) for term in found.acquisition.terms[1:]] == [True] * bonus

    def test_its_discount_does_not_fade_with_the_budget(self) -> None:
        given = plan(cost="expensive > cheap", budget=26)
        units = some(given, 20)
        found = suggest(given, data(given, units), 20)
        assert found.acquisition is not None
        main, bonus = (term.discount for term in found.acquisition.terms)
        expensive = np.array([[1.0, 1.0]])
        assert main is not None
        assert bonus is not None
        assert bonus.log(expensive)[0] < main.log(expensive)[0] < 0.0

    def test_without_a_cost_there_is_none(self) -> None:
        found = suggest(plan(budget=26), data(plan(), some(plan(), 20)), 20)
        assert found.acquisition is not None
        assert [term.discount for term in found.acquisition.terms] == [None]


@pytest.mark.slow
class TestNoise:
    @staticmethod
    def looked_at(noise: float, budget: int, seed: int) -> Array:
        """(budget, 2) points of a study of one objective: a step where the expensive input is above 0.7, and noise."""
        given = plan(objectives={"f": "max"}, cost="expensive > cheap", budget=budget, seed=seed)
        errors = noise * np.random.default_rng(seed).standard_normal((budget, 1))
        return run(given, budget, outcomes=lambda units: (units[:, :1] > 0.7) + errors[: len(units)]).units

    @pytest.mark.parametrize("noise", [0.001, 0.1])
    @pytest.mark.parametrize(("budget", "seeds"), [(40, 4), (60, 2)])
    def test_does_not_keep_a_study_at_the_cheap_end(self, noise: float, budget: int, seeds: int) -> None:
        expensive = [self.looked_at(noise, budget, seed)[:, 0] for seed in range(seeds)]
        assert all(seen.max() > 0.7 for seen in expensive)
        assert np.mean(expensive) < 0.3  # 0.8 without a cost

    def test_without_it_the_places_are_chosen_by_the_models(self) -> None:
        given = plan(cost="expensive > cheap", budget=40, seed=1)
        known = data(given, some(given, 20))
        models = models_of(given, known)
        found = [reason(suggest(given, known, number, models)) for number in range(20, 30)]
        assert Reason.LOOKS_ELSEWHERE not in found

    def test_with_it_every_third_point_is_of_an_even_sequence_if_there_is_a_cost(self) -> None:
        for cost, expected in (("expensive > cheap", {21, 24}), (None, set())):
            given = plan(cost=cost, budget=40, seed=1)
            known = replace(data(given, some(given, 20)), values=np.random.default_rng(2).standard_normal((20, 2)))
            models = models_of(given, known)
            assert any(model.noisy for model in models.gps)
            found = {number: suggest(given, known, number, models) for number in range(20, 26)}
            assert {number for number, one in found.items() if reason(one) is Reason.LOOKS_ELSEWHERE} == expected

    def test_a_small_space_that_is_nearly_used_up_is_still_chosen_from(self) -> None:
        small = Space({"expensive": Integer(0, 6), "cheap": Integer(0, 6)})
        given = plan(small, cost="expensive > cheap", budget=49, seed=1)
        rng = np.random.default_rng(0)
        values, grid = rng.standard_normal((49, 2)), rng.permutation(small.grid())
        units = run(given, 14, start=grid[:35], outcomes=lambda units: values[: len(units)]).units
        assert len(np.unique(units.round(9), axis=0)) == 49


class TestConstraints:
    PLAN = plan(constraints=("at most",))

    def test_infeasible_trials_inform_the_models_but_are_no_front(self) -> None:
        given = replace(self.PLAN, seed=2)
        units = some(given, 20)
        late = run(given, 20, start=units, first=100, outcomes=with_limit(0.5)).units[20:]
        assert (late[:, 0] <= 0.5).mean() >= 0.8
        blind = run(plan(seed=2), 20, start=units, first=100).units[20:]
        assert (blind[:, 0] <= 0.5).mean() < 0.75

    def test_with_nothing_feasible_it_looks_for_a_feasible_point_first(self) -> None:
        units = some(self.PLAN, 10)
        units[:, 0] = 0.4 + 0.6 * units[:, 0]
        found = suggest(self.PLAN, constrained(units, 0.2), 50)
        assert found.notes == (Note(Reason.SEEKS_FEASIBLE),)
        assert found.unit[0] <= 0.2

    def test_a_constraint_that_always_holds_changes_nothing(self) -> None:
        units = some(self.PLAN, 12)
        bound = suggest(self.PLAN, constrained(units, 1e6), 50).unit
        assert bound == pytest.approx(suggest(plan(), data(plan(), units), 50).unit, abs=1e-3)

    def test_every_term_counts_only_as_far_as_a_point_is_likely_to_be_feasible(self) -> None:
        given = plan(constraints=("at most",), cost="expensive > cheap", budget=26)
        found = suggest(given, constrained(some(given, 20), 0.5), 20)
        assert found.acquisition is not None
        assert [isinstance(term.utility, Feasible) for term in found.acquisition.terms] == [True, True]

    @pytest.mark.parametrize("method", ["default", "paper"])
    @pytest.mark.parametrize("cost", [None, "expensive > cheap"])
    def test_a_yes_or_no_constraint_is_met_however_late_it_first_holds(self, cost: str | None, method: str) -> None:
        given = plan(constraints=("fits",), cost=cost, method=method, budget=60, seed=2)

        def fits(units: Array) -> NDArray[np.bool_]:
            return np.asarray((units[..., 0] > 0.55) & (units[..., 0] < 0.8) & (units[..., 1] > 0.5))

        def outcomes(units: Array) -> Array:
            return np.column_stack([measure(units), np.where(fits(units), -1.0, 1.0)])

        units = run(given, 40, outcomes=outcomes, until=lambda unit: bool(fits(unit))).units
        assert fits(units).any()
        if cost is not None:
            assert np.all(units[: given.initial, 0] <= 0.5)


class TestSearching:
    def test_twenty_five_points_close_in_on_the_best_of_one_objective(self) -> None:
        units = run(plan(seed=1, objectives={"f": "max"}), 25).units
        assert measure(units)[:, 0].max() > -1e-3

    def test_most_of_a_run_lies_on_the_line_that_trades_one_objective_for_the_other(self) -> None:
        units = run(plan(seed=1), 25).units[10:]
        assert np.mean(np.abs(units[:, 1] - 0.3) < 0.15) > 0.5
        assert units[:, 0].min() < 0.4
        assert units[:, 0].max() > 0.6


class TestManyObservations:
    def test_a_suggestion_after_five_thousand_is_found_and_the_same_from_a_cache(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(recipes, "_MODELLED", 100)  # not 2000: a fit of so many takes seconds
        given: Plan = plan(budget=6000)
        units = some(given, 5121)
        cached = suggest(given, data(given, units[:5120]), 5120).models
        assert cached is not None
        assert [len(gp.z) for gp in cached.gps] == [100, 100]
        continued = suggest(given, data(given, units), 5121, cached)
        assert continued.unit.tolist() == suggest(given, data(given, units), 5121).unit.tolist()
