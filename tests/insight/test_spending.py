from __future__ import annotations

import numpy as np
import pytest

from camobo.cost.additive import AdditiveCost
from camobo.cost.order import Order
from camobo.cost.paper import PaperCost
from camobo.history.trial import State, Trial
from camobo.insight import spending
from camobo.insight.record import Record, record_of
from camobo.space.inputs import Categorical, Real
from camobo.strategy.plan import Plan
from tests.support.samples import SPACE, drawn, sample, small_study, smooth_record


class TestSpend:
    def test_recorded_costs_come_before_the_order_and_missing_ones_are_counted(self) -> None:
        params = SPACE.from_unit([0.5, 0.5, 0.5])
        trials = [Trial(i, params, State.COMPLETE, {"y": 1.0}, cost=c) for i, c in enumerate([3.0, None, 4.5])]
        spent = spending.spend(Record(Plan(SPACE, {"y": "max"}, cost=AdditiveCost("nickel")), tuple(trials)))
        assert spent is not None
        assert (spent.recorded, spent.missing, spent.amounts.tolist()) == (True, 1, [3.0, 0.0, 4.5])

    def test_without_recorded_costs_it_is_levels_weighted_by_the_centre_of_the_order(self) -> None:
        record, order = smooth_record(6), Order.parse("nickel > soak > quench")
        spent = spending.spend(record)
        assert spent is not None
        levels = SPACE.expense(np.array([SPACE.to_unit(t.params) for t in record.trials]))
        assert not spent.recorded
        assert spent.amounts == pytest.approx(levels @ order.centre())

    def test_without_either_there_is_none(self) -> None:
        assert spending.spend(drawn(4, 1)) is None
        assert spending.weighted_levels(drawn(4, 1), drawn(4, 1).trials).tolist() == [0.0] * 4

    def test_failed_trials_were_paid_for_and_pending_ones_not_yet(self) -> None:
        record = sample(trials=12)
        states = {t.number: t.state for t in record.trials}
        spent = spending.spend(record)
        assert spent is not None
        assert [t.number for t in spent.trials] == list(range(10))
        assert (states[9], states[10], states[11]) == (State.FAILED, State.PENDING, State.PENDING)


class TestComparisons:
    def test_only_direct_comparisons_are_made_and_trials_added_by_hand_do_not_count(self) -> None:
        study = small_study(5)
        before = spending.comparisons(record_of(study))
        study.add({"nickel": 20.0, "soak": 1, "quench": "oil"}, {"strength": 1.0, "rust": 1.0})
        assert spending.comparisons(record_of(study)) == before
        assert [(c.expensive, c.cheap) for c in before] == [(("nickel",), ("soak",)), (("soak",), ("quench",))]

    @pytest.mark.parametrize(("nickel", "soak", "kept"), [(20.0, 1, False), (0.0, 12, True)])
    def test_the_order_is_kept_if_the_more_expensive_has_the_lower_level(
        self, nickel: float, soak: int, kept: bool
    ) -> None:
        params = {"nickel": nickel, "soak": soak, "quench": "air"}
        trial = Trial(0, params, State.COMPLETE, {"y": 1.0}, step=1)
        (found,) = spending.comparisons(Record(Plan(SPACE, {"y": "max"}, cost=AdditiveCost("nickel > soak")), (trial,)))
        assert found.kept is kept
        assert found.as_dict() == {
            "more_expensive": ["nickel"],
            "cheaper": ["soak"],
            "levels": [nickel / 20.0, (soak - 1) / 11.0],
            "kept": kept,
        }

    def test_tied_inputs_are_one_side_of_a_comparison_with_their_mean_level(self) -> None:
        params = {"nickel": 20.0, "soak": 1, "quench": "air"}
        trial = Trial(0, params, State.COMPLETE, {"y": 1.0}, step=1)
        plan = Plan(SPACE, {"y": "max"}, cost=AdditiveCost("nickel = soak > quench"))
        (found,) = spending.comparisons(Record(plan, (trial,)))
        assert (found.expensive, found.cheap) == (("nickel", "soak"), ("quench",))
        assert (found.expensive_level, found.cheap_level) == (0.5, 0.0)

    def test_nothing_is_compared_without_an_order_or_a_suggested_trial(self) -> None:
        assert spending.comparisons(drawn(3, 1)) == ()
        assert spending.comparisons(drawn(0, 1, cost=AdditiveCost("nickel > soak"))) == ()


class TestFading:
    @pytest.mark.parametrize("cost", [AdditiveCost("nickel > soak"), AdditiveCost("nickel > soak", weights="drawn")])
    def test_the_more_expensive_has_more_to_promise_and_at_the_end_of_the_budget_nobody_has(
        self, cost: AdditiveCost
    ) -> None:
        found = spending.fading(Record(Plan(SPACE, {"y": "max"}, cost=cost, budget=30), ()))
        assert found is not None
        assert found.inputs == ("nickel", "soak")
        assert found.steps == tuple(range(1, 31))
        assert np.all(found.powers[:, 0] >= found.powers[:, 1])
        assert np.all(np.diff(found.powers, axis=0) <= 0.0)
        assert found.powers[-1] == pytest.approx(0.0, abs=0.2)

    def test_the_first_step_is_the_cost_s_strength_times_its_weights(self) -> None:
        cost = AdditiveCost("nickel > soak", strength=4.0, power=0.0)
        found = spending.fading(Record(Plan(SPACE, {"y": "max"}, cost=cost, budget=30), ()))
        assert found is not None
        assert found.powers[0] * np.log(10.0) == pytest.approx([3.0, 1.0])

    @pytest.mark.parametrize("cost", ["nickel > soak", PaperCost("nickel > soak"), PaperCost("nickel")])
    def test_every_suggested_trial_has_its_place(self, cost: object) -> None:
        study = small_study(5, cost=cost)
        study.add({"nickel": 20.0, "soak": 1, "quench": "oil"}, {"strength": 1.0, "rust": 1.0})
        found = spending.fading(record_of(study))
        assert found is not None
        assert [t.number for t in found.trials] == [0, 1, 2, 3, 4]
        assert np.all(np.isfinite(found.trial_powers))

    @pytest.mark.parametrize(("made", "last"), [(0, 60), (30, 60), (100, 150)])
    def test_without_a_budget_it_looks_half_as_far_again_as_there_are_steps(self, made: int, last: int) -> None:
        params = SPACE.from_unit([0.5, 0.5, 0.5])
        trials = (Trial(0, params, step=made),) if made else ()
        found = spending.fading(Record(Plan(SPACE, {"y": "max"}, cost=AdditiveCost("nickel")), trials))
        assert found is not None
        assert (found.steps[0], found.steps[-1]) == (1, last)
        assert found.powers.shape == (len(found.steps), 1)

    def test_without_a_cost_nothing_fades(self) -> None:
        assert spending.fading(drawn(2, 1)) is None


def test_every_input_but_a_category_without_expensive_choices_has_an_expensive_end() -> None:
    assert spending.has_expensive_end(Real(0, 1))
    assert spending.has_expensive_end(Categorical(["a", "b"], expensive=["b"]))
    assert not spending.has_expensive_end(Categorical(["a", "b"]))
