from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given as drawn
from hypothesis import strategies as st
from numpy.typing import NDArray

from camobo.arrays import Array
from camobo.cost.budget import Budget
from camobo.cost.prices import Prices
from camobo.space.inputs import Categorical, Real
from camobo.space.space import Space
from camobo.strategy.funds import funds
from camobo.strategy.initial_design import in_initial_design, next_of_design, rarely_tried
from camobo.strategy.notes import Note, Reason
from camobo.strategy.plan import Plan, Receipts
from camobo.strategy.suggest import suggest
from tests.support.constrained import MIXTURE, exactly_inside
from tests.support.plans import MIXED, PRICES, constrained, data, nearest, plan, run, some, with_receipts
from tests.support.strategies import law

NONE = np.zeros((0, 2))


class _Halved(Space):
    """A space whose last input only points have where the first is above 0.9."""

    def has(self, units: Array) -> NDArray[np.bool_]:
        found = super().has(units)
        found[:, -1] = units[:, 0] > 0.9
        return found


def design(given: Plan, count: int) -> Array:
    """(count, d) the first points of a plan's design, one after another, none of them measured."""
    units = np.zeros((0, given.space.dimension))
    discount = funds(given, data(given, units), None).thrift(given)
    for _ in range(count):
        found = next_of_design(given, units, discount)
        assert found is not None
        units = np.vstack([units, found])
    return units


def initial(given: Plan, count: int | None = None) -> Array:
    return run(given, given.initial if count is None else count).units


class TestConditionalInputs:
    GIVEN = plan(_Halved({"a": Real(0, 1), "b": Real(0, 1), "c": Real(0, 1)}), seed=1)

    def test_each_gets_as_many_points_as_a_design_of_its_own_would_have(self) -> None:
        units = run(self.GIVEN, 9).units
        assert self.GIVEN.space.has(units)[:, -1].sum() >= 3
        assert not rarely_tried(self.GIVEN, units).any()

    def test_as_long_as_one_is_rarely_tried_points_have_it(self) -> None:
        units = np.random.default_rng(0).random((5, 3)) * 0.8
        assert rarely_tried(self.GIVEN, units).tolist() == [False, False, True]
        found = next_of_design(self.GIVEN, units, None)
        assert found is not None
        assert found[0] > 0.9

    def test_one_that_is_never_met_does_not_hold_the_models_up(self) -> None:
        assert not rarely_tried(self.GIVEN, np.random.default_rng(0).random((9, 3)) * 0.8).any()

    def test_in_a_plain_space_none_is_rarely_tried_after_the_initial_design(self) -> None:
        given = plan(seed=1)
        assert not rarely_tried(given, initial(given)).any()


class TestInitialDesign:
    def test_each_point_is_the_next_of_the_design(self) -> None:
        for given in (plan(seed=1), plan(cost=PRICES, budget=30, seed=1), plan(cost="expensive > cheap", seed=1)):
            np.testing.assert_array_equal(initial(given), design(given, given.initial))

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

    def test_a_space_smaller_than_the_design_is_filled_from_the_cheap_side(self) -> None:
        names, earliness = ("a", "b", "c"), []
        tiny = Space({name: Categorical(["expensive", "cheap"], expensive=["expensive"]) for name in names})
        for seed in range(40):
            given = plan(tiny, cost="a > b > c", thrift=2.0, seed=seed)
            assert given.cost is not None
            units = initial(given, 8)
            assert len(np.unique(units, axis=0)) == 8
            costs = given.cost.over(tiny).log_cost(units)
            earliness.append(costs.mean() - costs[:2].mean())
        assert np.mean(earliness) > 0.3

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
        assert in_initial_design(given, data(given, pending[:0], pending=pending), 12)
        assert not in_initial_design(given, data(given, pending), 12)

    def test_models_choose_only_after_enough_is_measured_however_much_is_under_way(self) -> None:
        given = plan(seed=3)
        units = some(given, 20)
        for measured in range(given.initial + 1):
            found = suggest(given, data(given, units[:measured], pending=units[measured:]), 20)
            assert (found.notes[0].reason is Reason.INITIAL_DESIGN) == (measured < given.initial)

    def test_it_is_denser_where_trials_are_cheap_however_many_workers_ask_before_a_result(self) -> None:
        def late(cost: str | None, seed: int) -> float:
            given = plan(cost=cost, seed=seed)
            none, units = np.empty((0, 2)), np.empty((0, 2))
            for number in range(24):
                units = np.vstack([units, suggest(given, data(given, none, pending=units), number).unit])
            return float(units[12:, 0].mean())

        expensive = [np.mean([late(cost, seed) for seed in range(6)]) for cost in ("expensive > cheap", None)]
        assert expensive[0] < 0.85 * expensive[1]

    def test_it_continues_until_a_yes_or_no_constraint_holds_once(self) -> None:
        given = plan(constraints=("fits",))
        units = some(given, 12)
        known = constrained(units, 0.5)
        for answers, continues in ((np.ones(12), True), (-np.ones(12), False), (np.r_[-1.0, np.ones(11)], False)):
            values = np.column_stack([known.values[:, :2], answers])
            assert in_initial_design(given, replace(known, values=values), 12) is continues

    def test_where_nothing_is_learned_the_money_left_is_still_spread(self) -> None:
        given = plan(cost=PRICES, budget=Budget(cost=100.0), seed=1)
        units, spent = np.zeros((0, 2)), 0.0
        for number in range(12):
            receipts = Receipts(units, np.zeros(len(units)), spent, units[:0])
            known = replace(data(given, units), values=np.ones((number, 2)), receipts=receipts, step=number + 1)
            found = suggest(given, known, number)
            assert found.notes == (Note(Reason.INITIAL_DESIGN),)
            assert found.expected is not None
            assert found.expected <= (100.0 - spent) * (1 + 1e-6)
            units, spent = np.vstack([units, found.unit]), spent + found.expected
            if spent > 90.0:
                break
        assert units[1:].min() > 0.0  # none is the cheapest corner, where what cannot be paid would end

    @pytest.mark.parametrize(("cost", "expected"), [("x", Reason.CHEAPEST_LEFT), (None, Reason.RANDOM_LEFT)])
    def test_where_the_whole_sequence_is_tried_the_note_says_what_comes_instead(
        self, cost: str | None, expected: Reason, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("camobo.strategy.initial_design._POOL", 1)
        two = Space({"x": Categorical(["high", "low"], expensive=["high"])})
        seeds = (seed for seed in range(20) if next_of_design(plan(two, seed=seed), design(plan(two), 1), None) is None)
        given = plan(two, cost=cost, seed=next(seeds))
        measured = design(plan(two), 1)
        found = suggest(given, replace(data(given, measured), values=np.ones((1, 2))), 0)
        assert found.notes == (Note(expected),)
        assert expected.unusual
        assert nearest(found.unit[None, :], measured) > 1e-6


class TestDesign:
    @law
    @drawn(st.integers(0, 99))
    def test_without_a_cost_or_thrift_and_where_all_cost_the_same_it_is_the_same_even_sequence(self, seed: int) -> None:
        even = design(plan(seed=seed), 64)
        for cost in (PRICES, Prices({}, per_trial=5)):
            np.testing.assert_array_equal(design(plan(cost=cost, thrift=float(cost != PRICES), seed=seed), 64), even)
        for share in (0.25, 0.5):  # of the cube below, in every input
            assert np.abs((even < share).mean(axis=0) - share).max() < 0.05

    def test_equal_volumes_get_equal_money(self) -> None:
        given = plan(cost=PRICES, budget=Budget(cost=1e6), seed=1)
        assert given.cost is not None
        units = design(given, 200)
        cost, half = np.exp(given.cost.over(given.space).log_cost(units)), units[:, 0] < 0.5
        assert cost[half].sum() == pytest.approx(cost[~half].sum(), rel=0.1)

    @pytest.mark.parametrize(
        ("cost", "budget", "base"),
        [
            (PRICES, Budget(cost=1e6), 0.25),
            (PRICES, Budget(trials=50), 0.25),
            (PRICES, None, 0.25),
            ("expensive", Budget(trials=50), 0.1),
        ],
    )
    def test_it_is_as_dense_as_a_point_is_cheap(self, cost: Any, budget: Budget | None, base: float) -> None:
        level = np.linspace(0.0, 1.0, 1001)
        dense = 1.0 / (base + level)  # of the first input; the second adds a little
        found = [design(plan(cost=cost, budget=budget, seed=seed), 40)[:, 0].mean() for seed in range(8)]
        assert np.mean(found) == pytest.approx(np.average(level, weights=dense), abs=0.015)

    def test_its_first_points_cost_as_its_density_says(self) -> None:
        given = [plan(cost=PRICES, budget=Budget(cost=1e6), seed=seed) for seed in range(200)]
        firsts = np.vstack([design(one, 3) for one in given])
        model, everywhere = PRICES.over(given[0].space), np.random.default_rng(0).random((100_000, 2))
        expected = 1.0 / np.exp(-model.log_cost(everywhere)).mean()
        assert np.exp(model.log_cost(firsts)).mean() == pytest.approx(expected, rel=0.05)

    def test_the_cheap_side_of_an_input_with_an_expensive_low_end_is_its_high_end(self) -> None:
        given = plan(MIXED, cost="purity", seed=2)
        assert design(given, 100)[:, given.space.names.index("purity")].mean() > 0.55

    def test_a_point_that_is_tried_gives_way_to_the_next(self) -> None:
        given = plan(seed=2)
        first = design(given, 3)
        for known in (
            data(given, first[:2]),
            data(given, NONE, failed=first[:2]),
            data(given, NONE, pending=first[:2]),
        ):
            np.testing.assert_array_equal(next_of_design(given, known.tried, None), first[2])

    def test_receipts_between_two_points_move_what_is_kept_and_repeat_nothing(self) -> None:
        given = plan(cost="expensive > cheap", seed=3)
        before = design(given, 3)
        dear = with_receipts(data(given, before), 5.0 + 900.0 * before[:, 1])
        found = suggest(given, replace(dear, values=np.ones((3, 2))), 3)
        assert found.notes == (Note(Reason.INITIAL_DESIGN),)
        assert nearest(found.unit[None, :], before) > 0.01

    @pytest.mark.parametrize(("inputs", "money"), [(1, 50.0), (2, 100.0), (4, 100.0), (6, 400.0), (10, 300.0)])
    def test_where_hardly_anything_can_be_paid_it_spreads_over_that_and_leaves_a_fifth(
        self, inputs: int, money: float
    ) -> None:
        space = Space({f"x{i}": Real(0, 1) for i in range(inputs)})
        prices = Prices({f"x{i}": 200 for i in range(inputs)}, per_trial=5)
        for seed in range(5):
            given, spent, units = (
                plan(space, cost=prices, budget=Budget(cost=money), seed=seed),
                0.0,
                np.zeros((0, inputs)),
            )
            for number in range(given.initial):
                receipts = Receipts(units, np.zeros(number), spent, units[:0])
                known = replace(data(given, units), values=np.ones((number, 2)), receipts=receipts, step=number + 1)
                found = suggest(given, known, number)
                assert found.notes == (Note(Reason.INITIAL_DESIGN),)
                assert found.expected is not None
                if inputs > 1 and number:
                    assert nearest(found.unit[None, :], units) > 1e-3
                units, spent = np.vstack([units, found.unit]), spent + found.expected
            assert 0.1 * money < spent < 0.8 * money


class TestWithConstraints:
    @pytest.mark.parametrize("cost", [None, "x0 > x1", Prices({"x0": 3.0, "x2": 1.0}, per_trial=2.0)])
    def test_all_points_meet_them_and_differ(self, cost: Any) -> None:
        units = design(plan(MIXTURE, cost=cost, seed=3), 12)
        assert exactly_inside(MIXTURE, units)
        assert all(nearest(units[i : i + 1], units[:i]) > 0.1 for i in range(1, len(units)))

    def test_expensive_components_are_rarer(self) -> None:
        shares = [
            np.mean([design(plan(MIXTURE, cost=cost, seed=seed), 3)[:, 0].mean() for seed in range(6)])
            for cost in (None, Prices({"x0": 10.0}, per_trial=2.0))
        ]
        assert shares[1] < 0.7 * shares[0]
