from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from camobo.history.history import History
from camobo.history.trial import State, Trial
from camobo.insight.explanation import Explanation, account, explain
from camobo.strategy.notes import Note, Reason
from camobo.strategy.plan import Plan
from camobo.strategy.suggest import suggest
from tests.support.plans import PRICES, constrained, data, every_plan, measure, plan, some


class TestAccount:
    @every_plan
    def test_it_finds_again_what_the_models_expected_of_the_suggestion(self, made: Callable[[], Plan]) -> None:
        given = made()
        known = data(given, some(given, 12))
        found = suggest(given, known, 12)
        again = account(given, known, 12, found.unit)
        assert found.acquisition is not None
        features = given.space.features(found.unit[None, :])
        predicted = [model.predict(features) for model in found.acquisition.gps]
        assert again.predictions == {
            name: (mean[0], deviation[0]) for name, (mean, deviation) in zip(given.objectives, predicted, strict=True)
        }
        assert again.utility is not None
        assert again.utility > 0.0
        if given.cost is None:
            assert again.cost is None
            assert again.without_cost is None
        else:
            assert again.cost is not None
            assert again.in_money is (found.fitted.cost is not None and found.fitted.cost.in_money)
            assert again.cost >= (2.0 if again.in_money else 1.0)
            blind = suggest(replace(given, cost=None), known, 12)
            np.testing.assert_array_equal(again.without_cost, blind.unit)

    def test_its_cost_is_in_money_by_prices_and_a_multiple_of_the_cheapest_trial_by_an_order(self) -> None:
        top = np.array([1.0, 0.0])
        for cost, expected, in_money in ((PRICES, 12.0, True), ("expensive", 11.0, False)):
            given = plan(cost=cost, seed=1)
            found = account(given, data(given, some(given, 6)), 6, top)
            assert found.cost == pytest.approx(expected)
            assert found.in_money is in_money

    def test_an_objective_to_minimise_is_predicted_with_its_own_sign(self) -> None:
        up, down = plan(seed=1), plan(seed=1, objectives={"f": "min", "g": "max"})
        known = data(up, some(up, 12))
        unit = suggest(up, known, 12).unit
        one, other = account(up, known, 12, unit).predictions, account(down, known, 12, unit).predictions
        assert other["f"] == pytest.approx((-one["f"][0], one["f"][1]))
        assert other["g"] == pytest.approx(one["g"])

    def test_before_there_are_models_it_says_only_what_it_can(self) -> None:
        given = plan(cost="expensive", seed=1)
        found = account(given, data(given, np.zeros((0, 2))), 0, np.array([0.1, 0.2]))
        assert (found.predictions, found.utility) == ({}, None)
        assert found.cost == pytest.approx(2.0), "the order is known before any model"
        assert not found.in_money
        assert found.without_cost is not None

    def test_constraints_are_not_among_the_predictions(self) -> None:
        given = plan(constraints=("at most",))
        units = some(given, 12)
        found = account(given, constrained(units, 0.5), 50, units[0])
        assert list(found.predictions) == ["f", "g"]


def history(given: Plan, count: int) -> History:
    """A study after `count` complete trials at random points."""
    units = some(given, count)
    values = [dict(zip(given.objectives, row, strict=True)) for row in measure(units).tolist()]
    trials = tuple(
        Trial(i, given.space.from_unit(unit), State.COMPLETE, own, step=i + 1)
        for i, (unit, own) in enumerate(zip(units, values, strict=True))
    )
    return History(given, trials, tuple(units), count=2 * count, suggested=count)


class TestExplain:
    def test_it_is_the_account_of_the_trial_s_point_in_the_study_s_own_terms(self) -> None:
        given = plan(cost="expensive > cheap", budget=30, seed=1)
        before = history(given, 12)
        units = np.array(before.units)
        found = suggest(given, data(given, units), 12)
        trial = Trial(12, given.space.from_unit(found.unit), notes=found.notes, step=13)
        own, expected = explain(trial, before), account(given, data(given, units), 12, found.unit)
        assert (own.trial, own.predictions, own.utility, own.cost) == (
            trial,
            expected.predictions,
            expected.utility,
            expected.cost,
        )
        assert expected.without_cost is not None
        assert own.without_cost == given.space.from_unit(expected.without_cost)

    def test_a_trial_added_by_hand_was_not_suggested_and_has_nothing_to_explain(self) -> None:
        given = plan(cost="expensive > cheap")
        trial = Trial(0, {"expensive": 0.5, "cheap": 0.5}, State.COMPLETE, {"f": 1.0, "g": 2.0}, added=True)
        assert explain(trial, History(given)) == Explanation(trial, {}, None, None, False, None)


TRIAL = Trial(
    7,
    {"nickel": 2.5, "quench": "oil"},
    State.COMPLETE,
    {"strength": 512.0},
    notes=(Note(Reason.IMPROVES_FRONT), Note(Reason.JITTER, {"outcome": "rust", "jitter": 1e-8})),
)
FULL = Explanation(
    TRIAL, {"strength": (500.0, 12.5), "rust": (0.25, 0.01)}, 0.0321, 41.5, True, {"nickel": 20.0, "quench": "air"}
)


class TestReading:
    def test_it_prints_the_notes_the_predictions_the_promise_and_the_point_without_cost(self) -> None:
        assert str(FULL).splitlines() == [
            "trial 7: nickel=2.5, quench=oil -> strength=512",
            "  expected to improve the front",
            "  the model of 'rust' needed jitter 1e-08 to factorise its covariance",
            "  strength: expected 500 ± 12, measured 512",
            "  rust: expected 0.25 ± 0.01",
            "  promise: 0.0321",
            "  cost: expected 41.5",
            "  without cost: nickel=20, quench=air",
        ]

    def test_it_leaves_out_what_there_is_not(self) -> None:
        bare = replace(TRIAL, notes=())
        assert str(Explanation(bare, {}, 0.5, None, False, None)).splitlines()[1:] == ["  promise: 0.5"]
        assert str(Explanation(bare, {}, None, None, False, None)).count("\n") == 0

    def test_what_was_paid_stands_beside_what_was_expected(self) -> None:
        paid = replace(TRIAL, notes=(), cost=44.0)
        assert str(Explanation(paid, {}, None, 41.5, True, None)).endswith("\n  cost: expected 41.5, paid 44")
        by_order = str(Explanation(paid, {}, None, 1.5, False, None))
        assert by_order.endswith("\n  cost: expected 1.5 × the cheapest trial, paid 44")

    def test_a_line_break_in_a_name_does_not_break_a_line(self) -> None:
        assert "bad\\nname: expected" in str(Explanation(TRIAL, {"bad\nname": (1.0, 1.0)}, None, None, False, None))

    def test_json_can_hold_it(self) -> None:
        plain = FULL.as_dict()
        assert json.loads(json.dumps(plain, allow_nan=False)) == plain
        assert plain == {
            "trial": TRIAL.as_dict(),
            "predictions": {
                "strength": {"mean": 500.0, "deviation": 12.5, "measured": 512.0},
                "rust": {"mean": 0.25, "deviation": 0.01, "measured": None},
            },
            "promise": 0.0321,
            "cost": 41.5,
            "cost_in_money": True,
            "without_cost": {"nickel": 20.0, "quench": "air"},
            "fixed": {},
        }

    def test_an_empty_one_is_plain_data_too(self) -> None:
        plain = Explanation(replace(TRIAL, values=None, state=State.PENDING), {}, None, None, False, None).as_dict()
        assert (plain["predictions"], plain["promise"], plain["cost"], plain["without_cost"]) == ({}, None, None, None)
