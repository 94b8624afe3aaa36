from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import datetime, timedelta, timezone
from typing import Any

import numpy as np
import optuna
import pytest
from hypothesis import given
from hypothesis import strategies as st
from optuna.distributions import CategoricalDistribution, IntDistribution
from optuna.trial import FrozenTrial, TrialState, create_trial

from camobo.cost.ordered import OrderCost
from camobo.optuna import claims
from camobo.optuna.costs import Source
from camobo.optuna.observations import TrialReader, outcome
from camobo.optuna.search_space import Inputs
from camobo.strategy.plan import Data, Plan, Receipts
from tests.support.optuna_studies import UNIT, ended, running, took, trial_with
from tests.support.strategies import label, law

pytestmark = pytest.mark.usefixtures("quiet_optuna")

X = Inputs.of({"x": UNIT}, {})
PLAN = Plan(X.space, {"value": "min"})
CONSTRAINED = Plan(X.space, {"value": "min"}, constraints=("0",))


def constrained(x: float, stored: Any) -> FrozenTrial:
    return trial_with({"x": x}, value=x, system_attrs={"constraints": stored})


def read(*trials: FrozenTrial, plan: Plan = PLAN) -> Data:
    return TrialReader(X).data(trials, 4, plan)


class TestData:
    def test_results_failures_and_running_trials_are_told_apart(self) -> None:
        study = optuna.create_study()
        third = running(study, {"x": UNIT})
        found = read(trial_with({"x": 0.1}, value=3.0), ended(0.2, math.inf, TrialState.COMPLETE), third)
        assert found.units.tolist() == [[0.1]]
        assert found.values.tolist() == [[-3.0]]
        assert found.failed.tolist() == [[0.2]]
        assert found.pending.tolist() == [[third.params["x"]]]
        assert found.step == 4

    def test_a_running_trial_counts_where_it_claims_to_be(self) -> None:
        study = optuna.create_study()
        trial = running(study)
        claims.write(study, trial, {"x": 0.75}, X)
        assert read(*study.trials).pending.tolist() == [[0.75]]

    def test_no_trials_are_empty_arrays_of_the_right_width(self) -> None:
        found = read(plan=CONSTRAINED)
        assert (found.units.shape, found.values.shape) == ((0, 1), (0, 2))
        assert found.pending.shape == found.failed.shape == (0, 1)

    @pytest.mark.parametrize(
        ("params", "distributions"),
        [
            ({}, {}),
            ({"y": 0.5}, None),
            ({"x": 9}, {"x": IntDistribution(0, 9)}),
            ({"x": "a"}, {"x": CategoricalDistribution(["a", "b"])}),
        ],
        ids=["none", "another", "outside", "text"],
    )
    def test_a_trial_without_a_point_is_left_out(self, params: dict[str, Any], distributions: Any) -> None:
        found = read(trial_with(params, distributions))
        assert len(found.tried) == 0

    @law
    @given(st.permutations(range(6)), st.integers(0, 6))
    def test_trials_come_in_the_order_they_ended_so_earlier_data_comes_first(
        self, order: list[int], count: int
    ) -> None:
        start = datetime(2024, 1, 1)
        trials = []
        for number, place in enumerate(order):
            trial = trial_with({"x": number / 10}, number=number, value=float(number))
            trial.datetime_complete = start + timedelta(seconds=place)
            trials.append(trial)
        then = [trial for trial, place in zip(trials, order, strict=True) if place < count]
        before, now = read(*then), read(*trials)
        assert now.values[:, 0].tolist() == [-float(order.index(place)) for place in range(6)]
        assert before.units.tolist() == now.units[:count].tolist()

    def test_any_time_an_end_can_have_is_read(self) -> None:
        first, second = (trial_with({"x": x}, value=x) for x in (0.2, 0.1))
        first.datetime_complete = datetime(1, 1, 1)
        second.datetime_complete = datetime(2024, 1, 1, tzinfo=timezone.utc)
        assert read(second, first).units.tolist() == [[0.2], [0.1]]


class TestReceipts:
    def receipts(self, *trials: FrozenTrial, source: Source | None = Source("gpu")) -> Receipts:  # noqa: B008  # frozen
        found = TrialReader(X).data(trials, 4, Plan(X.space, {"value": "min"}, OrderCost("x")), source).receipts
        assert found is not None
        return found

    def cost(self, amount: Any, x: float | None, state: TrialState = TrialState.COMPLETE) -> FrozenTrial:
        trial = trial_with({} if x is None else {"x": x}, state=state)
        trial.user_attrs = {"gpu": amount}
        return trial

    def test_settled_trials_of_every_kind_teach_and_count(self) -> None:
        found = self.receipts(
            self.cost(2.0, 0.1), self.cost(3.0, 0.2, TrialState.FAIL), self.cost(5.0, 0.3, TrialState.PRUNED)
        )
        assert found.units.tolist() == [[0.1], [0.2], [0.3]]
        assert found.paid.tolist() == [2.0, 3.0, 5.0]
        assert found.spent == 10.0
        assert found.unpaid.shape == (0, 1)

    def test_how_long_a_trial_took_to_fail_is_spent_and_not_learned(self) -> None:
        failed = took(0.5, {"x": 0.3}, state=TrialState.FAIL)
        found = self.receipts(took(4.0, {"x": 0.2}), failed, source=Source())
        assert (found.paid.tolist(), found.spent, len(found.unpaid)) == ([4.0], 4.5, 0)

    def test_what_a_trial_without_a_point_cost_is_spent_all_the_same(self) -> None:
        found = self.receipts(self.cost(2.0, 0.1), self.cost(7.0, None))
        assert found.paid.tolist() == [2.0]
        assert found.spent == 9.0

    def test_trials_without_a_receipt_and_running_ones_are_unpaid(self) -> None:
        study = optuna.create_study()
        waiting = running(study, {"x": UNIT})
        waiting.user_attrs = {"gpu": 1.0}
        found = self.receipts(self.cost(None, 0.1), self.cost(2.0, 0.2), waiting)
        assert found.unpaid.tolist() == [[0.1], [waiting.params["x"]]]
        assert found.spent == 2.0

    def test_without_receipts_every_trial_is_unpaid(self) -> None:
        found = self.receipts(self.cost(2.0, 0.1), source=None)
        assert found.unpaid.tolist() == [[0.1]]
        assert (len(found.paid), found.spent) == (0, 0.0)

    def test_a_trial_that_was_added_cost_no_time_here_and_teaches_none(self) -> None:
        found = self.receipts(trial_with({"x": 0.1}), took(4.0, {"x": 0.2}), source=Source())
        assert found.units.tolist() == [[0.2]]
        assert found.paid.tolist() == [4.0]
        assert len(found.unpaid) == 0

    def test_without_a_cost_there_are_none(self) -> None:
        assert read(trial_with({"x": 0.1})).receipts is None


class TestTheCache:
    def test_the_point_of_a_finished_trial_is_worked_out_once(self, monkeypatch: pytest.MonkeyPatch) -> None:
        looked: list[Mapping[str, Any]] = []
        whole = Inputs.unit

        def counted(self: Inputs, params: Mapping[str, Any]) -> Any:
            looked.append(params)
            return whole(self, params)

        monkeypatch.setattr(Inputs, "unit", counted)
        reader, trials = TrialReader(X), [trial_with({"x": x}) for x in (0.1, 0.2)]
        first = reader.data(trials, 3, PLAN)
        again = reader.data([*trials, trial_with({"x": 0.3})], 4, PLAN)
        assert [params["x"] for params in looked] == [0.1, 0.2, 0.3]
        assert again.units[:2].tolist() == first.units.tolist()

    def test_a_trial_that_is_gone_is_forgotten(self) -> None:
        reader, trial = TrialReader(X), trial_with({"x": 0.1})
        reader.data([trial], 2, PLAN)
        reader.data([], 2, PLAN)
        assert reader._points == {}

    def test_the_point_of_a_running_trial_is_not_cached(self) -> None:
        study, reader = optuna.create_study(), TrialReader(X)
        trial = running(study)
        for x in (0.2, 0.8):
            claims.write(study, trial, {"x": x}, X)
            assert reader.data(study.get_trials(deepcopy=False), 2, PLAN).pending.tolist() == [[x]]


class TestOutcomes:
    def test_values_are_signed_so_that_larger_is_better(self) -> None:
        plan = Plan(X.space, {"loss": "min", "score": "max"})
        trial = create_trial(params={"x": 0.5}, distributions={"x": UNIT}, values=[2.0, 3.0])
        assert outcome(trial, plan, []) == [-2.0, 3.0]

    @pytest.mark.parametrize("state", [TrialState.FAIL, TrialState.PRUNED], ids=lambda state: state.name)
    def test_a_trial_that_ended_without_a_value_has_no_outcome(self, state: TrialState) -> None:
        assert outcome(trial_with({"x": 0.5}, state=state), PLAN, [[0.0]]) is None

    def test_a_pruned_trial_counts_as_no_better_than_the_median_and_no_worse_than_the_worst(self) -> None:
        plan = Plan(X.space, {"value": "max"})
        earlier = [[0.2], [0.4], [0.9]]
        for reported, counted in ((0.95, 0.4), (0.3, 0.3), (-50.0, 0.2)):
            assert outcome(ended(0.5, reported, TrialState.PRUNED), plan, earlier) == [counted]
        assert outcome(ended(0.5, 0.3, TrialState.PRUNED), plan, []) is None

    def test_a_missing_constraint_counts_as_zero(self) -> None:
        assert outcome(trial_with({"x": 0.5}), CONSTRAINED, []) == [-1.0, 0.0]

    def test_a_constraint_at_minus_infinity_counts_as_the_best_before_it(self) -> None:
        trials = [constrained(x, [limit]) for x, limit in ((0.1, -2.0), (0.2, -0.5), (0.3, -math.inf))]
        assert read(*trials, plan=CONSTRAINED).values[:, 1].tolist() == [-2.0, -0.5, -2.0]
        assert read(trials[2], plan=CONSTRAINED).values[:, 1].tolist() == [0.0]

    @pytest.mark.parametrize("stored", [["a"], [None], "abc", [[1]], 3, [math.nan], [math.inf]], ids=label)
    def test_a_constraint_that_is_infinite_or_not_a_number_counts_as_failed(self, stored: Any) -> None:
        trials = [constrained(0.1, stored), constrained(0.5, [0.5 - 0.7]), constrained(0.9, [0.9 - 0.7])]
        found = read(*trials, plan=CONSTRAINED)
        assert found.failed.tolist() == [[0.1]]
        assert np.array_equal(found.values, [[-0.5, 0.5 - 0.7], [-0.9, 0.9 - 0.7]])
