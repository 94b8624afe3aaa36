from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given as drawn
from hypothesis import strategies as st
from numpy.typing import NDArray

from camobo.acquisition.utilities import ExpectedReach, Feasible
from camobo.arrays import Array
from camobo.cost.budget import Budget
from camobo.cost.paper import PaperCost
from camobo.cost.prices import Prices
from camobo.cost.receipts import LearnedCost
from camobo.cost.thrift import Thrift
from camobo.errors import BudgetSpent
from camobo.space.inputs import Integer
from camobo.space.space import Space
from camobo.strategy import recipes
from camobo.strategy.default import direction_count, explore_every
from camobo.strategy.notes import Note, Reason
from camobo.strategy.plan import Data, Plan
from camobo.strategy.protocol import Fitted, Suggestion
from camobo.strategy.suggest import models_of, suggest
from tests.support.plans import (
    PRICES,
    constrained,
    data,
    measure,
    plan,
    reason,
    run,
    some,
    with_limit,
    with_outliers,
    with_receipts,
)
from tests.support.strategies import law


def promise(found: Suggestion) -> ExpectedReach:
    """The expected improvement of the front in a suggestion's acquisition."""
    assert found.acquisition is not None
    utility = found.acquisition.utility
    assert isinstance(utility, ExpectedReach)
    return utility


class TestExploring:
    def test_it_explores_less_and_less_often(self) -> None:
        for first, expected in {0: 20, 70: 10, 490: 2}.items():
            explores = [number % explore_every(number) == 0 for number in range(first, first + 40)]
            assert abs(sum(explores) - expected) <= 2

    @pytest.mark.parametrize("objectives", [2, 4])
    @pytest.mark.parametrize("cost", [None, "expensive"])
    def test_a_suggestion_says_whether_it_explores(self, cost: str | None, objectives: int) -> None:
        given = plan(cost=cost, budget=600, objectives=dict.fromkeys("fghi"[:objectives], "max"))
        known = data(given, some(given, 12)) if objectives == 2 else with_outliers(given, 12)
        models = models_of(given, known)
        every = explore_every(75)
        for number in range(73, 73 + every):
            expected = Reason.EXPLORES if number % every == 0 else Reason.IMPROVES_FRONT
            assert reason(suggest(given, known, number, Fitted(models))) is expected

    def test_exploring_looks_beyond_everything_seen_with_deviations_doubled(self) -> None:
        known = data(plan(), some(plan(), 12))
        models = models_of(plan(), known)
        near, far = (promise(suggest(plan(), known, number, Fitted(models))) for number in (13, 12))
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
            utility = promise(suggest(given, known, number, Fitted(models)))
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
        assert np.all(promise(suggest(given, known, 13, Fitted(models))).reference < worst)


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
        rays = [np.unique(promise(suggest(given, known, number, Fitted(models))).rays, axis=0) for number in (13, 15)]
        assert [len(own) for own in rays] == [expected, expected] == [direction_count(objectives)] * 2
        assert not np.array_equal(rays[0], rays[1])

    @law
    @drawn(st.integers(1, 60))
    def test_the_number_of_directions_divides_that_of_rays_and_never_grows(self, objectives: int) -> None:
        assert 128 % direction_count(objectives) == 0
        assert direction_count(objectives + 1) <= direction_count(objectives)


class TestMoney:
    @pytest.mark.parametrize("seed", range(3))
    def test_of_points_that_promise_the_same_the_cheapest_is_chosen(self, seed: int) -> None:
        given = plan(cost=PRICES, budget=40, seed=seed)
        units = some(given, 15, seed=seed)
        same = np.repeat(units.mean(axis=0)[:1], len(units))
        flat = np.column_stack([same, units[:, 1]])[:, 1:] - 0.3  # the expensive input changes nothing
        known = replace(data(given, units), values=np.column_stack([-(flat**2), -((flat - 0.4) ** 2)]))
        for number in range(15, 19):
            assert suggest(given, known, number).unit[0] < 0.02

    def test_thrift_zero_suggests_what_a_study_without_a_cost_does(self) -> None:
        blind, indifferent = plan(budget=60), plan(cost=PRICES, thrift=0.0, budget=60)
        known = data(blind, some(blind, 12))
        paid = with_receipts(known, np.full(12, 5.0))
        for number in (n for n in range(12, 36) if (n % 2 == 0) == (n % 3 == 0)):  # both explore, or neither
            expected = suggest(blind, known, number)
            for seen in (known, paid):
                found = suggest(indifferent, seen, number)
                np.testing.assert_array_equal(found.unit, expected.unit)
                assert found.notes == expected.notes

    def test_the_more_thrift_the_cheaper_are_the_points(self) -> None:
        known = data(plan(), some(plan(), 12))
        models = Fitted(models_of(plan(), known))
        costs = []
        for thrift in (0.0, 0.5, 1.0, 4.0, 10.0):
            given = plan(cost=PRICES, budget=60, thrift=thrift)
            model = PRICES.over(given.space)
            units = np.array([suggest(given, known, number, models).unit for number in range(12, 20)])
            costs.append(float(np.exp(model.log_cost(units)).mean()))
        assert costs == sorted(costs, reverse=True)
        assert costs[0] > 1.2 * costs[-1]

    @pytest.mark.parametrize("method", ["default", "paper"])
    @pytest.mark.parametrize("left", [9.0, 5.0, 2.5])
    @pytest.mark.parametrize("count", [0, 12], ids=["initial", "later"])
    def test_no_suggestion_costs_more_than_what_is_left(self, method: str, left: float, count: int) -> None:
        cost = PaperCost("expensive > cheap") if method == "paper" else PRICES
        given = plan(method=method, budget=Budget(cost=100.0), objectives={"f": "max"})
        given = replace(given, cost=cost)
        units = some(given, count)
        model = PRICES.over(given.space)
        paid = np.exp(model.log_cost(units))
        known = with_receipts(data(given, units), paid, spent=100.0 - left)
        for number in range(count, count + 4):
            found = suggest(given, known, number)
            spoken = found.fitted.cost
            assert spoken is not None
            if spoken.in_money:
                assert np.exp(spoken.log_cost(found.unit[None, :]))[0] <= left * (1 + 1e-6)

    @pytest.mark.parametrize("method", ["default", "paper"])
    def test_when_the_cheapest_point_costs_more_than_what_is_left_the_budget_is_spent(self, method: str) -> None:
        given = plan(method=method, cost="expensive > cheap", budget=Budget(cost=100.0, unit="EUR"))
        units = some(given, 12)
        known = with_receipts(data(given, units), 5.0 + units[:, 0], spent=99.0)
        for count in (0, 12):
            seen = known if count else replace(known, units=units[:0], values=known.values[:0])
            with pytest.raises(BudgetSpent, match=r"about \d.* EUR, and 1 EUR of the budget.* are left"):
                suggest(given, seen, 12)

    def test_what_is_left_is_spent_on_what_it_pays_for_even_if_it_promises_little(self) -> None:
        given = plan(cost=PRICES, thrift=0.0, budget=Budget(cost=100.0))
        units = some(given, 12)
        known = with_receipts(data(given, units), np.full(12, 5.0), spent=97.6)
        found = suggest(given, known, 12)
        assert found.expected is not None
        assert 2.0 <= found.expected <= 2.4 * (1 + 1e-6)

    def test_receipts_bend_the_cost_and_so_the_suggestions(self) -> None:
        given = plan(cost="expensive > cheap", budget=40)
        units = some(given, 20)
        known = data(given, units)
        turned = with_receipts(known, np.exp(5.0 * units[:, 1]))  # the cheap input is the expensive one after all
        told, untold = suggest(given, turned, 20), suggest(given, known, 20)
        assert told.expected is not None
        assert untold.expected is None
        np.testing.assert_allclose(np.log(told.expected), 5.0 * told.unit[1], atol=0.5)
        assert np.any(told.unit != untold.unit)

    @pytest.mark.parametrize("cost", ["expensive > cheap", LearnedCost(), Prices({"cheap": 2.0}, rest="expensive")])
    def test_a_cached_cost_model_changes_nothing_bitwise(self, cost: Any) -> None:
        given = replace(plan(cost=cost, budget=Budget(cost=500.0)), refit_every=3)
        units = some(given, 30)
        paid = 2.0 + 8.0 * units[:, 0] + units[:, 1]
        earlier = Fitted()
        for count in (0, 1, 2, 6, 7, 8, 25, 26, 30):
            known = with_receipts(data(given, units[:count]), paid[:count])
            found, alone = suggest(given, known, count, earlier), suggest(given, known, count)
            np.testing.assert_array_equal(found.unit, alone.unit)
            assert found.expected == alone.expected
            earlier = found.fitted

    def test_a_cached_cost_model_of_other_receipts_is_ignored(self) -> None:
        given = plan(cost="expensive > cheap", budget=Budget(cost=500.0))
        units = some(given, 12)
        known, paid = data(given, units), 2.0 + units[:, 0]
        expected = suggest(given, with_receipts(known, paid), 12)
        for others in (paid[::-1], 3.0 * paid, paid[:11], np.zeros(12)):
            earlier = suggest(given, with_receipts(known, others), 12).fitted
            found = suggest(given, with_receipts(known, paid), 12, earlier)
            np.testing.assert_array_equal(found.unit, expected.unit)
            assert found.expected == expected.expected


@pytest.mark.slow
class TestNoise:
    @staticmethod
    def looked_at(noise: float, budget: int, seed: int) -> Array:
        """(budget, 2) points of a study of one objective: a step where the expensive input is above 0.7, and noise."""
        given = plan(objectives={"f": "max"}, cost="expensive > cheap", budget=budget, seed=seed)
        errors = noise * np.random.default_rng(seed).standard_normal((budget, 1))
        return run(given, budget, outcomes=lambda units: (units[:, :1] > 0.7) + errors[: len(units)]).units

    @pytest.mark.parametrize("noise", [0.001, 0.1])
    def test_does_not_keep_a_study_of_sixty_trials_at_the_cheap_end(self, noise: float) -> None:
        assert all(self.looked_at(noise, 60, seed)[:, 0].max() > 0.7 for seed in range(2))

    @pytest.mark.parametrize("noise", [0.001, 0.1])
    def test_does_not_keep_a_study_of_forty_trials_at_the_cheap_end(self, noise: float) -> None:
        assert all(self.looked_at(noise, 40, seed)[:, 0].max() > 0.7 for seed in range(4))

    @pytest.mark.xfail(strict=True, reason="0.46 to 0.71, the cost before had it below 0.3; 0.8 without a cost")
    @pytest.mark.parametrize("noise", [0.001, 0.1])
    def test_still_saves_the_expensive_input_where_it_pays_off(self, noise: float) -> None:
        assert np.mean([self.looked_at(noise, 60, seed)[:, 0] for seed in range(2)]) < 0.3

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

    def test_a_promise_for_the_money_counts_only_as_far_as_a_point_is_likely_to_be_feasible(self) -> None:
        given = plan(constraints=("at most",), cost="expensive > cheap", budget=26)
        found = suggest(given, constrained(some(given, 20), 0.5), 20)
        assert found.acquisition is not None
        assert isinstance(found.acquisition.utility, Feasible)
        assert isinstance(found.acquisition.discount, Thrift)

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
        cached = suggest(given, data(given, units[:5120]), 5120).fitted.outcomes
        assert cached is not None
        assert [len(gp.z) for gp in cached.gps] == [100, 100]
        continued = suggest(given, data(given, units), 5121, Fitted(cached))
        assert continued.unit.tolist() == suggest(given, data(given, units), 5121).unit.tolist()
