from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from camobo.arrays import Array
from camobo.cost.additive import AdditiveCost
from camobo.space.inputs import Categorical
from camobo.space.space import Space
from camobo.strategy.initial_design import even_point, in_initial_design
from camobo.strategy.notes import Note, Reason
from camobo.strategy.plan import Data, Plan
from camobo.strategy.suggest import suggest
from tests.support.plans import MIXED, constrained, data, nearest, plan, run, some


def initial(given: Plan, count: int | None = None) -> Array:
    return run(given, given.initial if count is None else count).units


class TestInitialDesign:
    @pytest.mark.parametrize("seed", range(5))
    def test_it_starts_on_the_cheap_side_of_the_inputs_the_cost_names(self, seed: int) -> None:
        given = plan(MIXED, cost="nickel > purity, quench", budget=64, seed=seed)
        levels = given.space.expense(initial(given))
        named = [given.space.names.index(name) for name in ("nickel", "purity", "quench")]
        assert len(levels) == given.initial
        assert np.all(levels[:, named] <= 0.5 + 1e-9)

    def test_it_covers_inputs_the_cost_does_not_name_to_both_ends(self) -> None:
        given = plan(cost="expensive", seed=1, budget=30)
        firsts = np.vstack([initial(plan(cost="expensive", seed=seed)) for seed in range(30)])
        assert firsts[:, 0].max() <= 0.5
        assert firsts[:, 1].min() < 0.1
        assert firsts[:, 1].max() > 0.9
        blind = np.vstack([initial(plan(seed=seed)) for seed in range(30)])
        assert blind[:, 0].max() > 0.9
        assert given.cost is not None

    @pytest.mark.parametrize(("objectives", "widest"), [(1, 0.5), (2, 0.5), (3, 0.875), (4, 1.0 - 0.5 / 9.0)])
    def test_the_more_objectives_the_more_of_an_input_it_covers(self, objectives: int, widest: float) -> None:
        many = {f"f{m}": "max" for m in range(objectives)}
        empty = np.zeros((0, 2))
        nothing = Data(empty, np.zeros((0, objectives)), empty, empty, step=1)
        plans = [plan(objectives=many, cost="expensive > cheap", budget=60, seed=seed) for seed in range(60)]
        firsts = np.vstack([suggest(given, nothing, number).unit for given in plans for number in range(3)])
        assert np.all(firsts <= widest)
        assert np.all(firsts.max(axis=0) > 0.95 * widest)

    @pytest.mark.parametrize(("budget", "widest"), [(None, 0.5), (100, 0.5), (52, 0.5), (26, 0.75), (13, 0.875)])
    def test_the_smaller_the_budget_the_more_of_an_input_it_covers(self, budget: int | None, widest: float) -> None:
        firsts = np.vstack([initial(plan(cost="expensive > cheap", budget=budget, seed=seed)) for seed in range(60)])
        assert np.all(firsts <= widest)
        assert np.all(firsts.max(axis=0) > 0.95 * widest)

    def test_its_points_differ_and_say_what_they_are(self) -> None:
        given = plan(MIXED, cost="nickel", seed=4)
        units = initial(given)
        assert all(nearest(units[i : i + 1], units[:i]) > 0.05 for i in range(1, len(units)))
        found = suggest(given, data(given, np.zeros((0, 4))), 0)
        assert found.notes == (Note(Reason.INITIAL_DESIGN),)
        assert found.models is None
        assert found.acquisition is None

    def test_one_point_more_than_inputs_then_models_take_over(self) -> None:
        done = run(plan(seed=1), 5)
        assert [models is None for models in done.models] == [True, True, True, False, False]

    def test_a_space_smaller_than_the_design_is_still_filled_without_a_repeat(self) -> None:
        tiny = Space({"a": Categorical(["x", "y"]), "b": Categorical(["x", "y"])})
        units = initial(plan(tiny, seed=0), 4)
        assert len(np.unique(units, axis=0)) == 4

    @pytest.mark.parametrize("seed", range(5))
    def test_a_space_smaller_than_the_design_is_filled_from_the_cheap_side(self, seed: int) -> None:
        names = ("a", "b", "c")
        tiny = Space({name: Categorical(["expensive", "cheap"], expensive=["expensive"]) for name in names})
        cost = AdditiveCost("a > b > c")
        used = (tiny.expense(initial(replace(plan(tiny, seed=seed), cost=cost), 4)) @ cost.order.centre()).tolist()
        assert used == sorted(used)
        assert used[:2] == [0.0, min(cost.order.centre())]

    @pytest.mark.parametrize("cost", [None, AdditiveCost("expensive > cheap")])
    def test_it_continues_and_widens_as_long_as_all_observations_are_equal(self, cost: AdditiveCost | None) -> None:
        given = replace(plan(seed=3), cost=cost)
        units = np.zeros((0, given.space.dimension))
        for number in range(24):
            known = replace(data(given, units), values=np.full((number, 2), 3.0))
            units = np.vstack([units, suggest(given, known, number).unit])
        gaps = np.abs(units[:, None] - units[None]).max(axis=2) + np.eye(24)
        assert gaps.min() > 0.03
        levels = given.space.expense(units)
        assert levels.max() > 0.9
        if cost is not None:
            named = levels[:, np.array(cost.order.columns(given.space.names))]
            assert named[: given.initial].max() <= 0.5

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
        first = suggest(given, data(given, np.zeros((0, 2))), 0).unit
        found = suggest(given, data(given, first[None, :]), 0)
        assert found.notes == (Note(expected),)
        assert expected.unusual
        assert nearest(found.unit[None, :], first[None, :]) > 1e-6
        if cost is not None:
            assert found.unit.max() < 1e-6


class TestEvenPoint:
    def test_a_share_narrows_only_the_inputs_the_cost_names(self) -> None:
        given, nothing = plan(cost="expensive", seed=2), data(plan(), np.zeros((0, 2)))
        whole, half = (even_point(given, nothing, 5, share) for share in (1.0, 0.5))
        assert whole is not None
        assert half is not None
        assert half.tolist() == [0.5 * whole[0], whole[1]]

    def test_the_cheap_side_of_an_input_with_an_expensive_low_end_is_its_high_end(self) -> None:
        given = plan(MIXED, cost="purity", seed=2)
        found = even_point(given, data(given, np.zeros((0, 4))), 0, 0.0)
        assert found is not None
        assert given.space.from_unit(found)["purity"] == pytest.approx(10.0)

    def test_a_place_that_failed_gives_way_to_the_next_and_one_that_was_measured_to_none(self) -> None:
        given = plan(seed=2)
        places = [even_point(given, data(given, np.zeros((0, 2))), place, 1.0) for place in (0, 1)]
        first = np.array(places[:1])
        failed = even_point(given, data(given, np.zeros((0, 2)), failed=first), 0, 1.0)
        np.testing.assert_array_equal(failed, places[1])
        assert even_point(given, data(given, first), 0, 1.0) is None
