from __future__ import annotations

import pytest

from camobo.cost.budget import Budget
from camobo.cost.ordered import OrderCost
from camobo.cost.prices import Prices
from camobo.errors import UnknownTrialError
from camobo.history.trial import State, Trial
from camobo.insight import summary
from camobo.insight.record import Record
from camobo.space.inputs import Categorical, Param
from camobo.space.space import Space
from camobo.strategy.plan import Plan
from tests.support.samples import SPACE, drawn, sample

PARAMS = SPACE.from_unit([0.5, 0.5, 0.5])


def recorded(*rows: tuple[float, float]) -> Record:
    trials = tuple(Trial(i, PARAMS, State.COMPLETE, {"a": a, "b": b}) for i, (a, b) in enumerate(rows))
    return Record(Plan(SPACE, {"a": "max", "b": "max"}), trials)


class TestCompromise:
    def test_it_is_the_middle_of_a_bent_front(self) -> None:
        found = summary.compromise(recorded((0.0, 1.0), (0.8, 0.8), (1.0, 0.0), (0.1, 0.1)))
        assert found is not None
        assert found.number == 1

    def test_it_does_not_depend_on_the_units_of_an_objective(self) -> None:
        found = summary.compromise(recorded((0.0, 1000.0), (0.8, 800.0), (1.0, 0.0)))
        assert found is not None
        assert found.number == 1

    def test_of_a_front_of_one_it_is_that_one_and_of_none_there_is_none(self) -> None:
        found = summary.compromise(recorded((0.0, 0.0), (1.0, 1.0)))
        assert found is not None
        assert found.number == 1
        assert summary.compromise(recorded()) is None


class TestChosenTrial:
    def test_a_number_names_a_trial_of_any_state(self) -> None:
        record = sample(trials=12)
        for number in range(12):
            assert summary.chosen_trial(record, number) is record.trials[number]

    def test_without_a_number_it_is_the_compromise(self) -> None:
        record = recorded((0.0, 1.0), (0.8, 0.8), (1.0, 0.0))
        assert summary.chosen_trial(record, None) is record.trials[1]
        assert summary.chosen_trial(recorded(), None) is None

    @pytest.mark.parametrize("number", [99, -1])
    def test_a_number_that_no_trial_has_is_refused_by_name(self, number: int) -> None:
        with pytest.raises(UnknownTrialError, match=f"trial {number}: none of the 2 trials of this study"):
            summary.chosen_trial(drawn(2, 1), number)


class TestUsage:
    def test_numbers_are_summed_and_choices_counted_over_settled_trials(self) -> None:
        rows: list[tuple[State, float, int, str]] = [
            (State.COMPLETE, 1.5, 2, "oil"),
            (State.FAILED, 3.0, 3, "air"),
            (State.COMPLETE, 0.0, 12, "oil"),
            (State.PENDING, 9.0, 9, "air"),
            (State.RELEASED, 9.0, 9, "air"),
        ]
        trials = tuple(
            Trial(i, {"nickel": nickel, "soak": soak, "quench": quench}, state, {"y": 1.0})
            for i, (state, nickel, soak, quench) in enumerate(rows)
        )
        used = summary.usage(Record(Plan(SPACE, {"y": "max"}), trials))
        assert used == {"nickel": 4.5, "soak": 17, "quench": {"air": 1, "oil": 2}}

    def test_a_choice_is_counted_whichever_object_it_is(self) -> None:
        trial = Trial(0, {**PARAMS, "quench": "".join(["o", "il"])}, State.COMPLETE, {"y": 1.0})
        assert summary.usage(Record(Plan(SPACE, {"y": "max"}), (trial,)))["quench"] == {"air": 0, "oil": 1}

    def test_choices_that_are_equal_as_keys_are_counted_apart(self) -> None:
        space = Space({"c": Categorical([0, False, 1.0, "x"])})
        chosen: list[Param] = [False, 0, False, "x"]
        trials = tuple(Trial(i, {"c": own}, State.COMPLETE, {"y": 1.0}) for i, own in enumerate(chosen))
        used = summary.usage(Record(Plan(space, {"y": "max"}), trials))
        assert used == {"c": {"0": 1, "False": 2, "1.0": 0, "'x'": 1}}


class TestHeadline:
    def test_it_is_the_volume_the_money_and_the_use_of_inputs_the_cost_names(self) -> None:
        record = Record(
            Plan(SPACE, {"a": "max", "b": "max"}, cost=OrderCost("quench > nickel")),
            tuple(
                Trial(i, PARAMS, State.COMPLETE, {"a": a, "b": 1.0 - a}, cost=2.0)
                for i, a in enumerate((0.0, 0.5, 1.0))
            ),
        )
        volume, money, used = summary.headline(record)
        assert volume == record.hypervolume() > 0.0
        assert money.spent == 6.0
        assert used == {"quench": {"air": 0, "oil": 3}, "nickel": 30.0}

    def test_without_a_cost_there_is_neither_use_nor_money(self) -> None:
        _, money, used = summary.headline(drawn(3, 2))
        assert (money.in_money, used) == (False, {})

    @pytest.mark.parametrize("costs", [[2.5, None, 1.0], [2.5, 4.0, 1.0], [None, None, None], []])
    def test_its_money_is_that_of_the_whole_purse(self, costs: list[float | None]) -> None:
        ended = [Trial(i, PARAMS, State.COMPLETE, {"y": 1.0}, cost=cost) for i, cost in enumerate(costs)]
        added = Trial(len(costs), PARAMS, State.COMPLETE, {"y": 1.0}, cost=50.0, added=True)
        waiting = Trial(len(costs) + 1, PARAMS, State.PENDING, expected=3.0)
        plan = Plan(SPACE, {"y": "max"}, cost=Prices({}, per_trial=3.0), budget=Budget(cost=90.0, unit="EUR"))
        record = Record(plan, (*ended, added, waiting))
        _, money, _ = summary.headline(record)
        whole = record.purse
        assert (money.spent, money.reserved) == pytest.approx((whole.spent, whole.reserved))
        assert (money.budget, money.unit) == (90.0, "EUR")
