from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from camobo import expense
from camobo.cost import AdditiveCost, PaperCost
from camobo.insight import Record, record_of
from camobo.order import Order
from camobo.plan import Plan
from camobo.trial import State, Trial
from samples import SPACE, small_study


@dataclass(frozen=True, slots=True)
class PricedTrial(Trial):
    """As a study that stores costs has them."""

    cost: float | None = None


class TestSpend:
    def test_told_costs_come_before_the_order_and_missing_ones_are_counted(self) -> None:
        params = SPACE.from_unit([0.5, 0.5, 0.5])
        told = [PricedTrial(i, params, State.COMPLETE, {"y": 1.0}, cost=c) for i, c in enumerate([3.0, None, 4.5])]
        spent = expense.spend(Record(Plan(SPACE, {"y": "max"}, cost=AdditiveCost("nickel")), tuple(told)))
        assert spent is not None
        assert (spent.told, spent.missing, spent.amounts.tolist()) == (True, 1, [3.0, 0.0, 4.5])

    def test_without_told_costs_it_is_use_weighted_by_the_centre_of_the_order(self) -> None:
        study = small_study(6)
        record, order = record_of(study), Order.parse("nickel > soak > quench")
        spent = expense.spend(record)
        assert spent is not None
        levels = SPACE.expense(np.array([SPACE.to_unit(t.params) for t in study.trials]))
        assert not spent.told
        assert spent.amounts == pytest.approx(levels @ order.centre())

    def test_without_either_there_is_none(self) -> None:
        assert expense.spend(record_of(small_study(4, cost=None))) is None

    def test_failed_trials_were_paid_for_and_pending_ones_not_yet(self) -> None:
        study = small_study(3)
        study.fail(study.ask(), "cracked")
        study.ask()
        spent = expense.spend(record_of(study))
        assert spent is not None
        assert [t.number for t in spent.trials] == [0, 1, 2, 3]


class TestUse:
    def test_inputs_come_dearest_first_and_unnamed_ones_last(self) -> None:
        found = expense.uses(record_of(small_study(4, cost="quench > nickel")))
        assert [use.input for use in found] == ["quench", "nickel", "soak"]
        assert [use.weight is None for use in found] == [False, False, True]

    def test_only_direct_comparisons_are_made_and_trials_added_by_hand_do_not_count(self) -> None:
        study = small_study(5)
        before = expense.comparisons(record_of(study))
        study.add({"nickel": 20.0, "soak": 1, "quench": "oil"}, {"strength": 1.0, "rust": 1.0})
        assert expense.comparisons(record_of(study)) == before
        assert [(c.dear, c.cheap) for c in before] == [(("nickel",), ("soak",)), (("soak",), ("quench",))]

    @pytest.mark.parametrize(("nickel", "soak", "kept"), [(20.0, 1, False), (0.0, 12, True)])
    def test_the_order_is_kept_if_the_dearer_was_used_less_of_its_range(
        self, nickel: float, soak: int, kept: bool
    ) -> None:
        params = {"nickel": nickel, "soak": soak, "quench": "air"}
        trial = Trial(0, params, State.COMPLETE, {"y": 1.0}, step=1)
        (found,) = expense.comparisons(Record(Plan(SPACE, {"y": "max"}, cost=AdditiveCost("nickel > soak")), (trial,)))
        assert found.kept is kept


class TestFading:
    @pytest.mark.parametrize("cost", [AdditiveCost("nickel > soak"), AdditiveCost("nickel > soak", weights="drawn")])
    def test_the_dearer_has_more_to_promise_and_at_the_end_of_the_budget_nobody_has(self, cost: AdditiveCost) -> None:
        found = expense.fading(Record(Plan(SPACE, {"y": "max"}, cost=cost, budget=30), ()))
        assert found is not None
        assert found.inputs == ("nickel", "soak")
        assert found.steps == tuple(range(1, 31))
        assert np.all(found.powers[:, 0] >= found.powers[:, 1])
        assert np.all(np.diff(found.powers, axis=0) <= 0.0)
        assert found.powers[-1] == pytest.approx(0.0, abs=0.2)

    def test_the_first_step_is_the_cost_s_strength_times_its_weights(self) -> None:
        cost = AdditiveCost("nickel > soak", strength=4.0, power=0.0)
        found = expense.fading(Record(Plan(SPACE, {"y": "max"}, cost=cost, budget=30), ()))
        assert found is not None
        assert found.powers[0] * np.log(10.0) == pytest.approx([3.0, 1.0])

    @pytest.mark.parametrize("cost", ["nickel > soak", PaperCost("nickel > soak"), PaperCost("nickel")])
    def test_every_suggested_trial_has_its_place(self, cost: object) -> None:
        study = small_study(5, cost=cost)
        study.add({"nickel": 20.0, "soak": 1, "quench": "oil"}, {"strength": 1.0, "rust": 1.0})
        found = expense.fading(record_of(study))
        assert found is not None
        assert [t.number for t in found.trials] == [0, 1, 2, 3, 4]
        assert np.all(np.isfinite(found.trial_powers))

    def test_without_a_cost_nothing_fades(self) -> None:
        assert expense.fading(record_of(small_study(2, cost=None))) is None
