from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from camobo.cost.budget import Budget
from camobo.errors import BudgetSpent, InvalidOptionError, SpaceExhausted
from camobo.space.inputs import Integer
from camobo.space.space import Space
from camobo.strategy.notes import Reason
from camobo.strategy.plan import Data, Plan, Receipts
from camobo.strategy.protocol import Fitted
from camobo.strategy.suggest import models_of, suggest
from tests.support.constrained import MIXTURE, exactly_inside
from tests.support.plans import MIXED, PRICES, data, every_plan, nearest, plan, run, some


class TestDeterminism:
    @every_plan
    def test_the_cache_changes_nothing_over_a_whole_run_bitwise(self, made: Callable[[], Plan]) -> None:
        given = replace(made(), refit_every=3)  # fits and appends in turn from the sixth observation on
        with_cache, without = run(given, 10), run(given, 10, cached=False)
        np.testing.assert_array_equal(with_cache.units, without.units)
        fitted = [fitted.outcomes for fitted in with_cache.fitted]
        assert any(models is not None and models.fitted < len(models.units) for models in fitted)

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
        stranger = models_of(given, data(given, some(given, 11, seed=9)))
        longer = models_of(given, data(given, np.vstack([some(given, 12), some(given, 1, seed=8)])))
        corrected = models_of(given, replace(known, values=known.values[:, ::-1]))
        elsewhere = models_of(given, replace(known, units=some(given, 12, seed=7)))
        expected = suggest(given, known, 12).unit
        for cache in (stranger, longer, corrected, elsewhere):
            np.testing.assert_array_equal(suggest(given, known, 12, Fitted(cache)).unit, expected)

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


@every_plan
def test_models_of_are_the_models_a_suggestion_uses(made: Callable[[], Plan]) -> None:
    given = made()
    known = data(given, some(given, 12))
    used, own = suggest(given, known, 12).fitted.outcomes, models_of(given, known)
    assert used is not None
    for one, other in zip(used.gps, own.gps, strict=True):
        np.testing.assert_array_equal(one.dual, other.dual)


def apart(given: Plan) -> float:
    """How far suggestions made together must lie from one another: Algorithm 1 itself knows no pending points."""
    return 1e-6 if given.method == "paper" else 0.02


class TestOpenPoints:
    @every_plan
    def test_points_asked_for_together_are_different_and_well_apart(self, made: Callable[[], Plan]) -> None:
        given = made()
        units = some(given, 12)
        models = models_of(given, data(given, units))
        pending = np.zeros((0, given.space.dimension))
        for i in range(4):
            found = suggest(given, data(given, units, pending=pending), 12 + i, Fitted(models)).unit
            assert len(pending) == 0 or nearest(found[None, :], pending) > apart(given)
            pending = np.vstack([pending, found])

    @every_plan
    def test_a_pending_point_moves_the_next_suggestion_away_from_it(self, made: Callable[[], Plan]) -> None:
        given = made()
        units = some(given, 12)
        first = suggest(given, data(given, units), 12)
        again = suggest(given, data(given, units, pending=first.unit[None, :]), 12, first.fitted).unit
        assert nearest(first.unit[None, :], again[None, :]) > apart(given)

    @every_plan
    def test_a_point_that_failed_is_not_suggested_again(self, made: Callable[[], Plan]) -> None:
        given = made()
        units = some(given, 12)
        models = models_of(given, data(given, units))
        failed = np.zeros((0, given.space.dimension))
        for i in range(4):
            found = suggest(given, data(given, units, failed=failed), 12 + i, Fitted(models)).unit
            assert len(failed) == 0 or nearest(found[None, :], failed) > 1e-3
            failed = np.vstack([failed, found])

    def test_a_start_on_which_everything_fails_continues_with_other_points(self) -> None:
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


class TestFixed:
    @every_plan
    def test_fixed_inputs_stay_and_the_others_are_chosen_to_suit_them(self, made: Callable[[], Plan]) -> None:
        given = made()
        known = data(given, some(given, 12))
        free = suggest(given, known, 12)
        name, level = given.space.names[0], 0.9 if free.unit[0] < 0.5 else 0.1
        found = suggest(given, known, 12, free.fitted, fixed={name: level})
        assert found.unit[0] == level
        assert found.notes == free.notes
        assert found.acquisition is not None
        moved = free.unit.copy()
        moved[0] = level
        both = found.acquisition(np.vstack([found.unit, moved]))
        assert both[0] >= both[1]

    def test_nothing_fixed_changes_nothing(self) -> None:
        known = data(plan(), some(plan(), 12))
        np.testing.assert_array_equal(suggest(plan(), known, 12, fixed={}).unit, suggest(plan(), known, 12).unit)

    def test_in_the_initial_design_the_other_inputs_stay_as_suggested(self) -> None:
        nothing = data(plan(), np.zeros((0, 2)))
        free, found = suggest(plan(), nothing, 0).unit, suggest(plan(), nothing, 0, fixed={"cheap": 0.75}).unit
        assert found.tolist() == [free[0], 0.75]

    @pytest.mark.parametrize("seed", [0, 3, 4])
    def test_in_the_initial_design_a_tried_point_is_replaced_by_an_untried_one(self, seed: int) -> None:
        given = plan(Space({"a": Integer(0, 3), "b": Integer(0, 3)}), seed=seed)
        tried = given.space.snap(np.array([[1.0 / 3.0, u] for u in (0.0, 1.0 / 3.0, 1.0)]))
        known = data(given, np.zeros((0, 2)), failed=tried)
        assert suggest(given, known, 3, fixed={"a": 1.0 / 3.0}).unit == pytest.approx([1.0 / 3.0, 2.0 / 3.0])

    def test_in_the_initial_design_of_a_plane_too(self) -> None:
        nothing = np.zeros((0, 2))
        moved = suggest(plan(), data(plan(), nothing), 0, fixed={"cheap": 0.75}).unit
        again = suggest(plan(), data(plan(), nothing, failed=moved[None, :]), 0, fixed={"cheap": 0.75}).unit
        assert again[1] == moved[1] == 0.75
        assert again[0] != moved[0]

    @pytest.mark.parametrize("count", [0, 12])
    def test_with_every_input_fixed_that_point_is_the_suggestion_even_if_it_was_tried(self, count: int) -> None:
        units = some(plan(), 12)
        known = data(plan(), units[:count], failed=units[:1])
        fixed = dict(zip(plan().space.names, units[0].tolist(), strict=True))
        np.testing.assert_array_equal(suggest(plan(), known, 12, fixed=fixed).unit, units[0])

    def test_a_slice_without_an_untried_point_is_exhausted(self) -> None:
        given = plan(Space({"a": Integer(0, 1), "b": Integer(0, 1)}))
        grid = given.space.grid()
        used_up = grid[grid[:, 0] == 0.0]
        with pytest.raises(SpaceExhausted):
            suggest(given, data(given, used_up[:0], failed=used_up), 2, fixed={"a": 0.0})


class TestFixedAndMoney:
    BUDGET = Budget(cost=100.0, unit="EUR")

    def known(self, given: Plan, count: int, left: float) -> Data:
        """Data of `count` trials, after which so much money is left."""
        units = some(given, count)
        none = np.zeros((0, 2))
        return replace(data(given, units), receipts=Receipts(none, np.zeros(0), 100.0 - left, none))

    @pytest.mark.parametrize("method", ["default", "paper"])
    @pytest.mark.parametrize("count", [0, 12])
    @pytest.mark.parametrize("seed", range(3))
    def test_no_suggestion_costs_more_than_what_is_left(self, method: str, count: int, seed: int) -> None:
        given = replace(plan(budget=self.BUDGET, seed=seed, method=method), cost=PRICES)
        known = self.known(given, count, 8.2)
        found = suggest(given, known, 12, fixed={"expensive": 0.6})
        assert found.unit[0] == 0.6
        assert found.expected is not None
        assert found.expected <= 8.2 * (1.0 + 1e-6)

    @pytest.mark.parametrize("count", [0, 12])
    def test_if_nothing_with_these_values_can_be_paid_it_says_so_and_names_the_cheapest(self, count: int) -> None:
        given = plan(cost=PRICES, budget=self.BUDGET)
        with pytest.raises(BudgetSpent) as caught:
            suggest(given, self.known(given, count, 4.0), 12, fixed={"expensive": 1.0})
        said = str(caught.value)
        assert said.startswith(
            "with expensive=1 fixed, the cheapest trial left costs about 12 EUR (expensive=1, cheap="
        )
        assert said.endswith(", and 4 EUR of the budget are left. Fix other values, or raise the budget.")

    def test_a_point_that_is_fixed_as_a_whole_must_be_paid_for_too(self) -> None:
        given = plan(cost=PRICES, budget=self.BUDGET)
        known = self.known(given, 12, 4.0)
        assert suggest(given, known, 12, fixed={"expensive": 0.1, "cheap": 1.0}).expected == pytest.approx(4.0)
        with pytest.raises(BudgetSpent, match=r"^with expensive=0\.2, cheap=1 fixed, .* costs about 5 EUR"):
            suggest(given, known, 12, fixed={"expensive": 0.2, "cheap": 1.0})


class TestMissingCosts:
    @staticmethod
    def fails(params: Mapping[str, Any]) -> float:
        raise OSError("no prices today")

    @pytest.mark.parametrize("count", [0, 12])
    def test_without_any_cost_a_point_is_suggested_and_that_is_noted(self, count: int) -> None:
        given = plan(cost=self.fails)
        found = suggest(given, data(given, some(given, count)), count)
        assert found.notes[-1].reason is Reason.NO_COST
        assert found.expected is None

    @pytest.mark.parametrize("count", [0, 12])
    def test_a_budget_in_money_cannot_be_spent_without_amounts(self, count: int) -> None:
        given = plan(cost=self.fails, budget=Budget(cost=100.0))
        with pytest.raises(InvalidOptionError, match=r"gives none for expensive=.*Check the cost function"):
            suggest(given, data(given, some(given, count)), count)


class TestWithConstraints:
    @pytest.mark.parametrize("method", ["default", "paper"])
    @pytest.mark.parametrize("cost", [None, "x0 > x1"])
    def test_every_suggestion_meets_them_exactly(self, method: str, cost: str | None) -> None:
        found = run(plan(MIXTURE, cost=cost, method=method, seed=2), 14)
        assert exactly_inside(MIXTURE, found.units)

    def test_inputs_that_are_fixed_are_made_up_for_also_in_the_initial_design(self) -> None:
        given = plan(MIXTURE, seed=1)
        for known in (data(given, np.zeros((0, 10))), data(given, MIXTURE.region.sample(12, np.random.default_rng(0)))):
            found = suggest(given, known, 12, fixed={"x3": 0.154, "x8": 0.3})
            assert exactly_inside(MIXTURE, found.unit[None, :])
            assert found.unit[[3, 8]].tolist() == [0.154, 0.3]
            assert MIXTURE.from_unit(found.unit)["x3"] == 15.4

    def test_a_trial_outside_informs_and_is_not_suggested(self) -> None:
        given = plan(MIXTURE, seed=1)
        known = data(given, np.vstack([some(given, 6), MIXTURE.region.sample(6, np.random.default_rng(0))]))
        assert not MIXTURE.region.holds(known.units).all()
        assert exactly_inside(MIXTURE, suggest(given, known, 12).unit[None, :])

    def test_the_same_call_gives_bitwise_the_same_point(self) -> None:
        fresh = Space(MIXTURE.inputs, MIXTURE.constraints)
        known = data(plan(MIXTURE), MIXTURE.region.sample(9, np.random.default_rng(0)))
        one, same = (suggest(plan(space, seed=4), known, 9).unit for space in (MIXTURE, fresh))
        np.testing.assert_array_equal(one, same)
