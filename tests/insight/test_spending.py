from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from camobo.cost.budget import Budget
from camobo.cost.ordered import OrderCost
from camobo.cost.paper import PaperCost
from camobo.cost.prices import Prices
from camobo.cost.protocol import Cost
from camobo.cost.receipts import LearnedCost
from camobo.history.trial import State, Trial
from camobo.insight import spending
from camobo.insight.record import Record
from camobo.space.inputs import Categorical, Real
from camobo.strategy.plan import Plan
from tests.support.samples import SPACE, drawn, sample

PARAMS = SPACE.from_unit([0.5, 0.5, 0.5])
CHEAP = {"nickel": 0.0, "soak": 1, "quench": "air"}
PLAN = Plan(SPACE, {"y": "max"})
PRICED = replace(PLAN, cost=Prices({"nickel": 3.0}, per_trial=12.0))


def complete(number: int, params: Any = PARAMS, **options: Any) -> Trial:
    return Trial(number, params, State.COMPLETE, {"y": 1.0}, **options)


class TestSpend:
    def test_receipts_come_first_and_where_there_is_none_the_expected_cost_stands_in(self) -> None:
        spent = spending.spend(Record(PRICED, tuple(complete(i, cost=c) for i, c in enumerate([3.0, None, 4.5]))))
        assert spent is not None
        assert spent.amounts.tolist() == pytest.approx([3.0, 42.0, 4.5])
        assert (spent.in_money, spent.expected, spent.missing) == (True, 1, 0)

    def test_by_an_order_alone_it_is_multiples_of_the_cheapest_trial(self) -> None:
        trials = (complete(0, CHEAP), complete(1, {**CHEAP, "nickel": 20.0}))
        spent = spending.spend(Record(replace(PLAN, cost=OrderCost("nickel")), trials))
        assert spent is not None
        assert spent.amounts.tolist() == pytest.approx([1.0, 11.0])
        assert (spent.in_money, spent.expected) == (False, 0)

    def test_how_long_it_took_to_fail_is_spent_and_compared_with_nothing(self) -> None:
        crashed = [Trial(i, PARAMS, State.FAILED, cost=0.1, expected=9.0, teaches=False) for i in range(9)]
        record = Record(PLAN, tuple(crashed))
        spent = spending.spend(record)
        assert spent is not None
        assert float(spent.amounts.sum()) == pytest.approx(0.9)
        assert spending.forecast(record) is None

    def test_without_a_cost_trials_without_a_receipt_are_missing(self) -> None:
        spent = spending.spend(Record(PLAN, (complete(0, cost=3.0), complete(1))))
        assert spent is not None
        assert (spent.amounts.tolist(), spent.expected, spent.missing) == ([3.0, 0.0], 0, 1)

    def test_trials_added_by_hand_do_not_count(self) -> None:
        record = Record(PRICED, (complete(0, cost=3.0), complete(1, added=True, cost=50.0), complete(2, added=True)))
        spent = spending.spend(record)
        assert spent is not None
        assert spent.amounts.tolist() == [3.0, 0.0, 0.0]
        assert float(spent.amounts.sum()) == record.purse.spent
        assert (spent.expected, spent.missing) == (0, 0)
        assert spending.spend(Record(PRICED, (complete(0, added=True, cost=3.0),))) is None

    def test_it_adds_up_to_what_the_purse_says(self) -> None:
        settled = (complete(i, cost=c) for i, c in enumerate([3.0, None, 4.5]))
        record = Record(PRICED, (*settled, Trial(3, PARAMS)))
        spent = spending.spend(record)
        assert spent is not None
        assert float(spent.amounts.sum()) == pytest.approx(record.purse.spent)

    def test_without_cost_and_receipts_there_is_none(self) -> None:
        assert spending.spend(drawn(4, 1)) is None
        assert spending.spend(drawn(4, 1, cost=LearnedCost())) is None

    def test_failed_trials_were_paid_for_and_pending_ones_not_yet(self) -> None:
        record = sample(trials=12)
        states = {t.number: t.state for t in record.trials}
        spent = spending.spend(record)
        assert spent is not None
        assert [t.number for t in spent.trials] == list(range(10))
        assert (states[9], states[10], states[11]) == (State.FAILED, State.PENDING, State.PENDING)


class TestForecast:
    def test_it_pairs_what_was_expected_at_the_time_with_what_was_paid(self) -> None:
        pairs = [(10.0, 11.0), (20.0, 10.0), (30.0, 30.0), (None, 5.0), (5.0, None), (5.0, 0.0)]
        trials = tuple(complete(i, expected=e, cost=c) for i, (e, c) in enumerate(pairs))
        found = spending.forecast(Record(PLAN, trials))
        assert found is not None
        assert [t.number for t in found.trials] == [0, 1, 2]
        assert (found.expected.tolist(), found.paid.tolist()) == ([10.0, 20.0, 30.0], [11.0, 10.0, 30.0])
        assert found.typical_error == pytest.approx(0.1)

    def test_two_pairs_say_too_little(self) -> None:
        assert spending.forecast(Record(PLAN, tuple(complete(i, expected=1.0, cost=1.0) for i in range(2)))) is None


def receipts(cost: Cost | None, amount: Any, *, count: int = 40, noise: float = 0.0, seed: int = 0) -> Record:
    """Random trials that cost so much, by the levels of nickel, soak and quench."""
    record, rng = drawn(count, 1, cost=cost), np.random.default_rng(seed)
    levels = record.levels(record.trials).tolist()
    paid = [amount(*own) * np.exp(noise * rng.normal()) for own in levels]
    return Record(record.plan, tuple(replace(t, cost=float(c)) for t, c in zip(record.trials, paid, strict=True)))


class TestDisagreements:
    def test_an_input_that_costs_more_than_the_order_says_is_named_with_the_other(self) -> None:
        record = receipts(OrderCost("soak > nickel"), lambda n, s, q: 10 + 50 * n + 5 * s, noise=0.1)
        (found,) = spending.disagreements(record)
        assert (found.more_expensive, found.cheaper) == ("soak", "nickel")
        assert str(found) == "receipts say that nickel costs more than soak, the order says less"
        assert found.as_dict() == {"more_expensive": "soak", "cheaper": "nickel"}

    def test_an_expensive_end_that_is_the_cheap_one_is_found(self) -> None:
        record = receipts(OrderCost("nickel, soak"), lambda n, s, q: 60 + 50 * n - 40 * s, noise=0.1)
        (found,) = spending.disagreements(record)
        assert (found.more_expensive, found.cheaper) == ("soak", None)
        assert str(found) == "receipts say that trials get cheaper towards the expensive end of soak"

    @pytest.mark.parametrize(
        "amount",
        [
            lambda n, s, q: 10 + 50 * n + 5 * s + q,
            lambda n, s, q: 10 + 50 * n + 50 * s + 50 * q,  # equally expensive
            lambda n, s, q: 10 + 50 * n,  # costs nothing
            lambda n, s, q: 10,
        ],
    )
    @pytest.mark.parametrize("noise", [0.0, 0.2])
    def test_receipts_that_do_not_clearly_contradict_the_order_are_let_be(self, amount: Any, noise: float) -> None:
        for seed in range(20):
            assert (
                spending.disagreements(receipts(OrderCost("nickel > soak > quench"), amount, noise=noise, seed=seed))
                == ()
            )

    def test_few_receipts_or_inputs_that_never_vary_contradict_nothing(self) -> None:
        order = OrderCost("soak > nickel")
        assert spending.disagreements(receipts(order, lambda n, s, q: 10 + 50 * n, count=7)) == ()
        assert spending.disagreements(receipts(order, lambda n, s, q: 10 + 50 * n, count=8)) != ()
        same = tuple(complete(i, cost=float(i)) for i in range(20))
        assert spending.disagreements(Record(replace(PLAN, cost=order), same)) == ()

    def test_an_input_that_never_varies_hides_no_contradiction_of_others(self) -> None:
        record = receipts(OrderCost("soak > nickel > quench"), lambda n, s, q: 10 + 50 * n + 5 * s, noise=0.1)
        fixed = [
            replace(trial, params={**trial.params, "quench": record.trials[0].params["quench"]})
            for trial in record.trials
        ]
        (found,) = spending.disagreements(replace(record, trials=tuple(fixed)))
        assert (found.more_expensive, found.cheaper) == ("soak", "nickel")

    def test_without_an_order_there_is_nothing_to_contradict(self) -> None:
        assert spending.disagreements(receipts(None, lambda n, s, q: 10 + 50 * n)) == ()

    def test_the_order_that_learning_starts_from_counts_too(self) -> None:
        assert spending.disagreements(receipts(LearnedCost("soak > nickel"), lambda n, s, q: 10 + 50 * n)) != ()


class TestFading:
    def test_the_more_expensive_has_more_to_promise_and_at_the_end_of_the_budget_nobody_has(self) -> None:
        found = spending.fading(Record(replace(PLAN, cost=OrderCost("nickel > soak"), budget=Budget(30)), ()))
        assert found is not None
        assert found.inputs == ("nickel", "soak")
        assert (found.shares[0], found.shares[-1], found.now) == (0.0, 1.0, 0.0)
        assert np.all(found.powers[:-1, 0] > found.powers[:-1, 1])
        assert np.all(np.diff(found.powers, axis=0) <= 0.0)
        assert found.powers[-1].tolist() == [0.0, 0.0]

    def test_at_the_start_a_point_must_promise_as_many_times_more_as_it_costs(self) -> None:
        for budget in (None, Budget(trials=50), Budget(cost=1e6)):
            found = spending.fading(Record(replace(PRICED, budget=budget), ()))
            assert found is not None
            assert 10.0 ** found.powers[0] == pytest.approx([72.0 / 12.0])

    def test_thrift_is_its_power(self) -> None:
        found = spending.fading(Record(replace(PRICED, thrift=2.0, budget=Budget(cost=1e6)), ()))
        assert found is not None
        assert 10.0 ** found.powers[0] == pytest.approx([36.0])

    def test_it_says_what_share_of_the_budget_is_spent_or_reserved(self) -> None:
        trials = (complete(0, cost=48.0), Trial(1, PARAMS))
        money = spending.fading(Record(replace(PRICED, budget=Budget(cost=180)), trials))
        assert money is not None
        assert money.now == pytest.approx((48.0 + 42.0) / 180.0)
        by_trials = spending.fading(Record(replace(PRICED, budget=Budget(8)), trials))
        assert by_trials is not None
        assert by_trials.now == pytest.approx(0.25)

    @pytest.mark.parametrize(
        "plan",
        [
            PLAN,
            replace(PLAN, cost=LearnedCost()),
            replace(PRICED, thrift=0.0),
            replace(PLAN, cost=PaperCost("nickel > soak"), method="paper"),
        ],
        ids=["no cost", "nothing learned yet", "no thrift", "the paper's method"],
    )
    def test_without_a_cost_that_the_budget_fades_there_is_none(self, plan: Plan) -> None:
        assert spending.fading(Record(plan, ())) is None


def test_every_input_but_a_category_without_expensive_choices_has_an_expensive_end() -> None:
    assert spending.has_expensive_end(Real(0, 1))
    assert spending.has_expensive_end(Categorical(["a", "b"], expensive=["b"]))
    assert not spending.has_expensive_end(Categorical(["a", "b"]))
