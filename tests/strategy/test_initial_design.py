from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from camobo.arrays import Array
from camobo.cost.budget import Budget
from camobo.space.inputs import Categorical
from camobo.space.sampling import quasi_random
from camobo.space.space import Space
from camobo.strategy.initial_design import CHEAPEST_OF, even_point, in_initial_design
from camobo.strategy.notes import Note, Reason
from camobo.strategy.plan import Plan, Receipts
from camobo.strategy.suggest import suggest
from tests.support.plans import MIXED, PRICES, constrained, data, nearest, plan, run, some


def even_points(given: Plan, start: int, count: int) -> Array:
    """(count, d) points of the even sequence of a plan."""
    rng = given.stream("initial design", 0)
    return given.space.snap(quasi_random(start + count, given.space.dimension, rng)[start:])


def initial(given: Plan, count: int | None = None) -> Array:
    return run(given, given.initial if count is None else count).units


class TestInitialDesign:
    @pytest.mark.parametrize("cost", [PRICES, "expensive > cheap"], ids=["prices", "order"])
    def test_each_point_is_the_cheapest_of_a_few_of_an_even_sequence(self, cost: Any) -> None:
        given, blind = plan(cost=cost, seed=1), plan(seed=1)
        assert given.cost is not None
        model, nothing = given.cost.over(given.space), data(given, np.zeros((0, 2)))
        for number in range(given.initial):
            few = even_points(blind, CHEAPEST_OF * number, CHEAPEST_OF)
            found = suggest(given, nothing, number).unit
            np.testing.assert_array_equal(found, few[np.argmin(model.log_cost(few))])

    def test_it_costs_less_than_a_design_without_a_cost_and_still_covers_the_cheap_inputs(self) -> None:
        firsts, blind = (
            np.vstack([initial(plan(cost=cost, seed=seed)) for seed in range(30)]) for cost in ("expensive", None)
        )
        assert firsts[:, 0].mean() < 0.7 * blind[:, 0].mean()
        for units in (firsts[:, 1:], blind):
            assert units.min() < 0.1
            assert units.max() > 0.9

    def test_its_points_are_paid_from_the_budget(self) -> None:
        given = plan(cost=PRICES, budget=Budget(cost=100.0), seed=1)
        nothing = data(given, np.zeros((0, 2)))
        for left in (12.0, 4.0, 2.1):
            spent = replace(nothing, receipts=Receipts(nothing.units, np.zeros(0), 100.0 - left, nothing.units))
            found = suggest(given, spent, 0)
            assert found.expected is not None
            assert found.expected <= left * (1 + 1e-6)

    def test_its_points_differ_and_say_what_they_are(self) -> None:
        given = plan(MIXED, cost="nickel", seed=4)
        units = initial(given)
        assert all(nearest(units[i : i + 1], units[:i]) > 0.05 for i in range(1, len(units)))
        found = suggest(given, data(given, np.zeros((0, 4))), 0)
        assert found.notes == (Note(Reason.INITIAL_DESIGN),)
        assert found.fitted.outcomes is None
        assert found.acquisition is None

    def test_one_point_more_than_inputs_then_models_take_over(self) -> None:
        done = run(plan(seed=1), 5)
        assert [fitted.outcomes is None for fitted in done.fitted] == [True, True, True, False, False]

    def test_a_space_smaller_than_the_design_is_still_filled_without_a_repeat(self) -> None:
        tiny = Space({"a": Categorical(["x", "y"]), "b": Categorical(["x", "y"])})
        units = initial(plan(tiny, seed=0), 4)
        assert len(np.unique(units, axis=0)) == 4

    @pytest.mark.parametrize("seed", range(5))
    def test_a_space_smaller_than_the_design_is_filled_from_the_cheap_side(self, seed: int) -> None:
        names = ("a", "b", "c")
        tiny = Space({name: Categorical(["expensive", "cheap"], expensive=["expensive"]) for name in names})
        given = plan(tiny, cost="a > b > c", seed=seed)
        assert given.cost is not None
        units = initial(given, 8)
        assert len(np.unique(units, axis=0)) == 8
        costs = given.cost.over(tiny).log_cost(units)
        assert costs[:2].mean() < costs.mean()

    @pytest.mark.parametrize("cost", [None, "expensive > cheap"])
    def test_it_continues_and_widens_as_long_as_all_observations_are_equal(self, cost: str | None) -> None:
        given = plan(cost=cost, seed=3)
        units = np.zeros((0, given.space.dimension))
        for number in range(24):
            known = replace(data(given, units), values=np.full((number, 2), 3.0))
            units = np.vstack([units, suggest(given, known, number).unit])
        gaps = np.abs(units[:, None] - units[None]).max(axis=2) + np.eye(24)
        assert gaps.min() > 0.01
        assert given.space.expense(units).max() > 0.9

    def test_it_continues_as_long_as_nothing_has_been_measured(self) -> None:
        given = plan(seed=3)
        pending = some(given, 12)
        assert in_initial_design(given, data(given, pending[:0], pending=pending))
        assert not in_initial_design(given, data(given, pending))

    def test_it_continues_until_a_yes_or_no_constraint_holds_once(self) -> None:
        given = plan(constraints=("fits",))
        units = some(given, 12)
        known = constrained(units, 0.5)
        for answers, continues in ((np.ones(12), True), (-np.ones(12), False), (np.r_[-1.0, np.ones(11)], False)):
            values = np.column_stack([known.values[:, :2], answers])
            assert in_initial_design(given, replace(known, values=values)) is continues

    @pytest.mark.parametrize(
        ("cost", "expected"), [("expensive > cheap", Reason.CHEAPEST_LEFT), (None, Reason.RANDOM_LEFT)]
    )
    def test_a_place_that_was_measured_before_is_replaced_and_the_note_says_by_what(
        self, cost: str | None, expected: Reason
    ) -> None:
        given = plan(cost=cost, seed=3)
        measured = even_points(given, 0, 1 if cost is None else CHEAPEST_OF)
        found = suggest(given, replace(data(given, measured), values=np.ones((len(measured), 2))), 0)
        assert found.notes == (Note(expected),)
        assert expected.unusual
        assert nearest(found.unit[None, :], measured) > 1e-6
        if cost is not None:
            assert found.unit.max() < 1e-6


class TestEvenPoint:
    def test_without_a_cost_it_is_the_next_of_the_sequence(self) -> None:
        given, nothing = plan(seed=2), data(plan(), np.zeros((0, 2)))
        found = np.array([even_point(given, nothing, place, 1, None) for place in range(5)])
        np.testing.assert_array_equal(found, even_points(given, 0, 5))

    def test_the_cheap_side_of_an_input_with_an_expensive_low_end_is_its_high_end(self) -> None:
        given = plan(MIXED, cost="purity", seed=2)
        assert given.cost is not None
        found = even_point(given, data(given, np.zeros((0, 4))), 0, 256, given.cost.over(given.space))
        assert found is not None
        assert float(given.space.from_unit(found)["purity"]) > 9.0

    def test_a_place_that_failed_gives_way_to_the_next_and_one_that_was_measured_to_none(self) -> None:
        given = plan(seed=2)
        places = [even_point(given, data(given, np.zeros((0, 2))), place, 1, None) for place in (0, 1)]
        first = np.array(places[:1])
        failed = even_point(given, data(given, np.zeros((0, 2)), failed=first), 0, 1, None)
        np.testing.assert_array_equal(failed, places[1])
        assert even_point(given, data(given, first), 0, 1, None) is None
