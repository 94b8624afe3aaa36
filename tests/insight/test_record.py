from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from camobo.acquisition import pareto
from camobo.cost.budget import Budget
from camobo.cost.formula import Formula
from camobo.cost.order import Order
from camobo.cost.ordered import OrderCost
from camobo.cost.prices import Prices
from camobo.cost.receipts import LearnedCost
from camobo.errors import InvalidOptionError, InvalidValueError
from camobo.history.trial import State, Trial
from camobo.insight.record import ForeignRecord, Record, Use, record_of
from camobo.strategy.plan import Plan
from tests.support.samples import SPACE, drawn, sample, small_study
from tests.support.strategies import law

PARAMS = SPACE.from_unit([0.5, 0.5, 0.5])
TWO = Plan(SPACE, {"a": "max", "b": "min"})


def measured(*rows: tuple[float, float]) -> Record:
    """Complete trials of two objectives, the second to be minimised."""
    return Record(TWO, tuple(Trial(i, PARAMS, State.COMPLETE, {"a": a, "b": b}) for i, (a, b) in enumerate(rows)))


class TestRecordOf:
    def test_a_record_is_returned_as_it_is(self) -> None:
        record = drawn(3, 1)
        assert record_of(record) is record

    @pytest.mark.parametrize("given", ["alloy.db", None, Plan, TWO])
    def test_what_is_neither_study_nor_record_is_refused(self, given: object) -> None:
        with pytest.raises(InvalidOptionError, match="need a Study or a Record, got "):
            record_of(given)  # type: ignore[arg-type]

    def test_a_record_made_elsewhere_says_what_a_study_of_the_same_trials_does(self) -> None:
        study = small_study(6)
        own = Record(study.plan, study.trials)
        assert own == record_of(study)
        assert [t.number for t in own.front] == [t.number for t in study.front()]

    def test_anything_with_a_plan_and_trials_will_do(self) -> None:
        @dataclass(frozen=True)
        class Notebook:
            plan: Plan
            trials: tuple[Trial, ...]

        record = drawn(3, 1)
        assert record_of(Notebook(record.plan, record.trials)) == record


class TestTrials:
    def test_complete_ones_have_values_and_settled_ones_are_no_longer_open(self) -> None:
        states = (State.COMPLETE, State.FAILED, State.PENDING, State.RELEASED)
        trials = tuple(Trial(i, PARAMS, state, {"a": 1.0, "b": 2.0}) for i, state in enumerate(states))
        record = Record(TWO, trials)
        assert [t.number for t in record.complete] == [0]
        assert [t.number for t in record.settled] == [0, 1]

    def test_suggested_ones_were_not_added_by_hand_and_evaluated_ones_are_settled_too(self) -> None:
        states = [(state, added) for added in (False, True) for state in (State.COMPLETE, State.FAILED, State.PENDING)]
        trials = tuple(Trial(i, PARAMS, state, added=added) for i, (state, added) in enumerate(states))
        record = Record(TWO, trials)
        assert [t.number for t in record.suggested] == [0, 1, 2]
        assert [t.number for t in record.evaluated] == [0, 1]

    def test_without_trials_there_is_nothing(self) -> None:
        record = Record(TWO, ())
        assert (record.complete, record.settled, record.front) == ((), (), ())
        assert record.signed(()).shape == (0, 2)
        assert record.units(()).shape == record.levels(()).shape == (0, 3)
        assert record.hypervolume() == 0.0

    def test_the_front_holds_what_no_other_dominates_by_each_objective_s_own_goal(self) -> None:
        record = measured((1.0, 1.0), (2.0, 2.0), (0.5, 1.5), (2.0, 3.0))
        assert [t.number for t in record.front] == [0, 1]

    @law
    @given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=12))
    def test_every_trial_is_on_the_front_or_dominated_by_one_that_is(self, rows: list[tuple[int, int]]) -> None:
        record = measured(*((float(a), float(b)) for a, b in rows))
        signed, front = record.signed(record.complete), record.signed(record.front)
        numbers = {t.number for t in record.front}
        for i, own in enumerate(signed):
            dominated = np.any(np.all(front >= own, axis=1) & np.any(front > own, axis=1))
            assert (i in numbers) != dominated

    def test_units_and_levels_are_those_of_the_space(self) -> None:
        record = sample(inputs=4, trials=12)
        space = record.plan.space
        expected = np.array([space.to_unit(t.params) for t in record.trials])
        np.testing.assert_array_equal(record.units(record.trials), expected)
        np.testing.assert_array_equal(record.levels(record.trials), space.expense(expected))


class TestHypervolume:
    def test_it_counts_from_the_worst_seen_unless_the_plan_has_a_reference(self) -> None:
        record = measured((0.0, 1.0), (1.0, 3.0), (2.0, 5.0))
        assert record.reference.tolist() == [0.0, -5.0]
        assert record.hypervolume() == pytest.approx(2.0)
        given = Record(Plan(SPACE, TWO.objectives, reference=(-1.0, 6.0)), record.trials)
        assert given.reference.tolist() == [-1.0, -6.0]
        assert given.hypervolume() == pytest.approx(1 * 5 + 1 * 3 + 1 * 1)

    def test_a_reference_given_comes_first(self) -> None:
        record = measured((0.0, 1.0), (1.0, 3.0), (2.0, 5.0))
        assert record.hypervolume({"a": -1.0, "b": 6.0}) == pytest.approx(9.0)
        expected = pareto.hypervolume(record.signed(record.complete), np.array([-2.0, -7.0]))
        assert record.hypervolume({"b": 7.0, "a": -2.0}) == pytest.approx(expected)

    @pytest.mark.parametrize("reference", [{"a": 1.0}, {"a": 1.0, "c": 2.0}, {"a": float("nan"), "b": 1.0}])
    def test_a_reference_that_does_not_fit_is_refused(self, reference: dict[str, float]) -> None:
        with pytest.raises(InvalidValueError, match="reference"):
            measured((0.0, 1.0)).hypervolume(reference)


class TestVolumes:
    @pytest.mark.parametrize("reference", [None, {"strength": 400.0, "rust": 1.1}])
    def test_the_last_is_the_study_s_own_and_none_is_below_the_one_before(self, reference: object) -> None:
        study = small_study(8, reference=reference)
        trials, reached = record_of(study).volumes
        assert [t.number for t in trials] == [t.number for t in study.trials]
        assert np.all(np.diff(reached) >= 0.0)
        assert reached[-1] == pytest.approx(study.hypervolume(), rel=1e-12)

    @law
    @given(st.lists(st.tuples(st.floats(-1, 1), st.floats(-1, 1)), min_size=1, max_size=10))
    def test_each_is_the_volume_of_the_trials_up_to_it(self, rows: list[tuple[float, float]]) -> None:
        record = measured(*rows)
        _, reached = record.volumes
        signed = record.signed(record.complete)
        expected = [pareto.hypervolume(signed[: i + 1], record.reference) for i in range(len(rows))]
        assert reached == pytest.approx(expected, abs=1e-9)

    def test_with_many_objectives_and_trials_some_stand_for_all_and_the_last_is_among_them(self) -> None:
        record = drawn(300, 5)
        trials, reached = record.volumes
        assert len(trials) == len(reached) <= 120
        assert trials[-1].number == 299
        whole = pareto.hypervolume(record.signed(record.complete), record.reference)
        assert reached[-1] == pytest.approx(whole, rel=1e-9)

    def test_nothing_complete_is_no_volume(self) -> None:
        trials, reached = Record(Plan(SPACE, {"y": "max"}), (Trial(0, PARAMS),)).volumes
        assert trials == ()
        assert reached.shape == (0,)


class TestUse:
    def test_inputs_come_most_expensive_first_and_unnamed_ones_last(self) -> None:
        found = drawn(4, 1, cost=OrderCost("quench > nickel")).uses
        assert [use.input for use in found] == ["quench", "nickel", "soak"]
        assert [use.weight is None for use in found] == [False, False, True]

    def test_its_weight_is_its_share_of_what_all_inputs_add_to_the_cost(self) -> None:
        space = SPACE  # nickel to 20, soak to 12, one of which is in the cheapest trial
        found = Record(Plan(space, {"y": "max"}, cost=Prices({"nickel": 3.0, "soak": 60 / 11}, per_trial=5.0)), ()).uses
        assert {use.input: use.weight for use in found} == {
            "nickel": pytest.approx(0.5),
            "soak": pytest.approx(0.5),
            "quench": None,
        }

    def test_its_levels_are_those_of_the_settled_trials(self) -> None:
        record = sample(trials=12)
        levels = {use.input: use.levels for use in record.uses}
        names = record.plan.space.names
        np.testing.assert_array_equal(np.stack([levels[n] for n in names], axis=1), record.levels(record.settled))

    def test_a_mean_is_over_the_rows_chosen_and_there_is_none_over_none(self) -> None:
        use = Use("nickel", 1.0, np.array([0.0, 0.5, 1.0]))
        assert (use.mean(), use.mean(slice(1, 3)), use.mean(np.array([True, False, False]))) == (0.5, 0.75, 0.0)
        assert use.mean(slice(0, 0)) is None

    def test_mean_levels_leave_out_trials_added_by_hand_and_open_ones(self) -> None:
        record = sample(trials=12)
        chosen = [t for t in record.trials if not t.added and not t.state.open]
        expected = dict(zip(record.plan.space.names, record.levels(chosen).mean(axis=0), strict=True))
        assert record.mean_levels == pytest.approx(expected)
        assert Record(TWO, (Trial(0, PARAMS), Trial(1, PARAMS, State.COMPLETE, added=True))).mean_levels == {}


def test_the_order_is_the_cost_s_and_there_is_none_without_a_cost() -> None:
    assert sample().order == Order.parse(["input 0", "input 1", "input 2"])
    assert sample(cost=False).order is None


class TestCosts:
    def test_prices_tell_what_the_cheapest_trial_costs_and_what_each_input_can_add(self) -> None:
        record = Record(Plan(SPACE, {"y": "max"}, cost=Prices({"nickel": 3.0}, per_trial=12.0)), ())
        assert record.cheapest == pytest.approx(12.0)
        assert record.effects == {"nickel": pytest.approx(5.0)}

    def test_each_trial_costs_what_was_paid_or_else_what_is_expected(self) -> None:
        trials = (
            Trial(0, PARAMS, State.COMPLETE, {"y": 1.0}, cost=40.0),
            Trial(1, PARAMS, State.FAILED),
            Trial(2, PARAMS),
        )
        plan = Plan(
            SPACE, {"y": "max"}, cost=Prices({"nickel": 3.0}, per_trial=12.0), budget=Budget(cost=90, unit="EUR")
        )
        costs = Record(plan, trials).costs
        assert costs is not None
        assert costs.amounts == {0: 40.0, 1: pytest.approx(42.0), 2: pytest.approx(42.0)}
        assert (set(costs.paid), costs.in_money, costs.unit) == ({0}, True, "EUR")

    def test_of_an_order_only_multiples_of_the_cheapest_trial_are_known(self) -> None:
        cheap = {"nickel": 0.0, "soak": 1, "quench": "air"}
        trials = (Trial(0, cheap), Trial(1, {**cheap, "nickel": 20.0}))
        costs = Record(Plan(SPACE, {"y": "max"}, cost=OrderCost("nickel")), trials).costs
        assert costs is not None
        assert costs.amounts == {0: pytest.approx(1.0), 1: pytest.approx(11.0)}
        assert (set(costs.paid), costs.in_money) == (set(), False)

    @pytest.mark.parametrize("cost", [None, LearnedCost()])
    def test_nothing_is_known_without_a_cost_or_before_the_first_receipt(self, cost: object) -> None:
        record = Record(Plan(SPACE, {"y": "max"}, cost=cost), (Trial(0, PARAMS),))  # type: ignore[arg-type]
        assert record.costs is None

    def test_without_a_cost_only_recorded_ones_are_known(self) -> None:
        trials = (Trial(0, PARAMS, State.COMPLETE, {"y": 1.0}, cost=0.0), Trial(1, PARAMS, State.COMPLETE, {"y": 1.0}))
        costs = Record(Plan(SPACE, {"y": "max"}), trials).costs
        assert costs is not None
        assert (costs.amounts, costs.in_money) == ({0: 0.0}, True)

    def test_a_formula_may_be_cheapest_where_an_input_is_said_to_be_expensive(self) -> None:
        record = Record(Plan(SPACE, {"y": "max"}, cost=Formula("120 / soak")), ())
        assert record.cheapest == pytest.approx(10.0)
        assert record.effects == {"soak": pytest.approx(11.0)}


def test_a_foreign_record_is_a_record_that_says_what_was_left_out() -> None:
    record = ForeignRecord(TWO, (), {3: "a parameter is missing"}, ("two trials were merged",))
    assert record_of(record) is record
    assert (dict(record.left_out), record.remarks) == ({3: "a parameter is missing"}, ("two trials were merged",))
    assert (dict(ForeignRecord(TWO, ()).left_out), ForeignRecord(TWO, ()).remarks) == ({}, ())
