from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from camobo.acquisition.utilities import ScalarisedUCB, beta_practical, beta_theory
from camobo.arrays import Array
from camobo.cost.budget import Budget
from camobo.space.inputs import Categorical, Integer, Real
from camobo.space.space import Space
from camobo.strategy.notes import Note, Reason
from camobo.strategy.paper import log_points, step_of
from camobo.strategy.plan import Plan
from camobo.strategy.protocol import Fitted
from camobo.strategy.standing import standardised
from camobo.strategy.suggest import models_of, suggest
from tests.support.plans import MIXED, constrained, data, measure, plan, reason, run, some, with_receipts


def utility_of(given: Plan, number: int = 12) -> tuple[ScalarisedUCB, Array]:
    """The utility of a suggestion after twelve observations, and these as its models see them."""
    known = data(given, some(given, 12))
    found = suggest(given, known, number)
    assert found.acquisition is not None
    assert isinstance(found.acquisition.utility, ScalarisedUCB)
    return found.acquisition.utility, standardised(found.acquisition.gps, known.values)


class TestAlgorithm1:
    @pytest.mark.parametrize("cost", [None, "expensive > cheap"])
    def test_a_suggestion_says_it_is_its_own_and_is_discounted_if_there_is_a_cost(self, cost: str | None) -> None:
        given = plan(method="paper", cost=cost)
        found = suggest(given, data(given, some(given, 12)), 12)
        assert found.notes == (Note(Reason.ALGORITHM_1),)
        assert found.acquisition is not None
        assert (found.acquisition.discount is None) == (cost is None)

    def test_objectives_are_scaled_between_the_worst_and_the_best_seen(self) -> None:
        utility, outcomes = utility_of(plan(method="paper"))
        np.testing.assert_allclose(utility.reference, outcomes.min(axis=0))
        weights = utility.weights * np.ptp(outcomes, axis=0)
        assert weights.sum() == pytest.approx(1.0)
        assert np.all(weights > 0.0)

    def test_every_trial_draws_weights_of_its_own(self) -> None:
        one, other = (utility_of(plan(method="paper"), number)[0].weights for number in (12, 13))
        assert np.any(one != other)

    def test_a_given_reference_replaces_the_worst_seen(self) -> None:
        given = plan(method="paper", reference=(-0.2, -0.1))
        utility, _ = utility_of(given)
        gps = models_of(given, data(given, some(given, 12))).gps
        np.testing.assert_allclose(utility.reference, standardised(gps, np.array([[-0.2, -0.1]]))[0])

    def test_beta_is_the_practical_one_or_the_theorem_s(self) -> None:
        assert utility_of(plan(method="paper"))[0].beta == beta_practical(10)
        theory = utility_of(plan(method="paper", beta="theory"))[0].beta
        assert theory == beta_theory(10, math.log(100.0) * 2)


class TestInitialObservations:
    """D of Algorithm 1: random over the whole space, and the same whatever the cost."""

    @staticmethod
    def firsts(cost: str | None, seed: int = 0) -> Array:
        return run(plan(method="paper", cost=cost, seed=seed), 3).units

    def test_they_are_the_same_with_a_cost_as_without(self) -> None:
        np.testing.assert_array_equal(self.firsts(None), self.firsts("expensive > cheap"))

    def test_they_lie_anywhere(self) -> None:
        units = np.vstack([self.firsts("expensive > cheap", seed) for seed in range(100)])
        counts = np.bincount((3 * units).astype(int) @ [3, 1], minlength=9)
        assert counts.min() > 15
        assert counts.max() < 55

    def test_steps_are_counted_after_them(self) -> None:
        given = plan(method="paper")
        asked = [step_of(given, data(given, some(given, n))) for n in range(6)]
        assert asked == [1, 1, 1, 1, 2, 3]
        pending = data(given, some(given, 4), pending=some(given, 2, seed=1))
        assert step_of(given, pending) == 4

    @pytest.mark.parametrize("added", [3, 20])
    def test_experiments_done_before_are_initial_observations(self, added: int) -> None:
        given = plan(method="paper")
        known = replace(data(given, some(given, added + 4)), step=5)
        assert step_of(given, known) == 5

    def test_failed_ones_are_not_counted(self) -> None:
        given = plan(method="paper")
        assert step_of(given, data(given, some(given, 5), failed=some(given, 2, seed=1))) == 3


def test_a_point_may_be_chosen_again() -> None:
    given = plan(Space({"a": Integer(0, 1), "b": Integer(0, 1)}), method="paper", objectives={"f": "max"})
    units = run(given, 30).units
    assert len(units) == 30
    assert len(np.unique(units, axis=0)) <= 4


class TestConstraints:
    def test_it_keeps_to_constraints(self) -> None:
        given = plan(constraints=("at most",), method="paper")
        known = constrained(some(given, 15), 0.5)
        models = models_of(given, known)
        found = [suggest(given, known, number, Fitted(models)).unit[0] for number in range(50, 56)]
        assert np.mean(np.array(found) <= 0.55) >= 0.8

    def test_with_nothing_feasible_it_looks_for_a_feasible_point_first(self) -> None:
        given = plan(constraints=("at most",), method="paper")
        units = some(given, 10)
        units[:, 0] = 0.4 + 0.6 * units[:, 0]
        found = suggest(given, constrained(units, 0.2), 50)
        assert reason(found) is Reason.SEEKS_FEASIBLE
        assert found.unit[0] <= 0.2


def test_it_finds_the_best_of_one_objective() -> None:
    units = run(plan(method="paper", seed=1, objectives={"f": "max"}), 20).units
    assert measure(units)[:, 0].max() > -1e-2


def test_models_are_of_values_as_they_are_with_mean_zero() -> None:
    given = plan(MIXED, method="paper")
    models = models_of(given, replace(data(given, some(given, 12)), values=np.geomspace(1.0, 1e9, 24).reshape(12, 2)))
    assert all(model.hyper.mean == 0.0 and math.isinf(model.standard.low) for model in models.gps)


@pytest.mark.parametrize(
    ("inputs", "points"),
    [
        ({"a": Integer(1, 12)}, 12),
        ({"a": Integer(1, 12), "b": Categorical(["x", "y", "z"])}, 36),
        ({"a": Real(0, 1)}, 100),
        ({"a": Real(0, 1, step=0.5), "b": Real(0, 1)}, 300),
    ],
)
def test_the_size_of_a_space_counts_a_real_input_as_a_hundred_points(inputs: dict[str, Real], points: int) -> None:
    assert log_points(Space(inputs)) == pytest.approx(math.log(points))


class TestMoney:
    def test_a_suggestion_has_an_expected_cost_once_there_are_receipts(self) -> None:
        given = plan(method="paper", cost="expensive > cheap")
        known = data(given, some(given, 12))
        assert suggest(given, known, 12).expected is None
        found = suggest(given, with_receipts(known, 5.0 + known.units[:, 0]), 12)
        assert found.expected is not None
        assert 4.0 < found.expected < 8.0

    def test_receipts_change_no_suggestion_as_long_as_they_are_paid_for(self) -> None:
        given = plan(method="paper", cost="expensive > cheap", budget=Budget(cost=1e6))
        known = data(given, some(given, 12))
        with_them = suggest(given, with_receipts(known, 5.0 + known.units[:, 0]), 12)
        np.testing.assert_array_equal(with_them.unit, suggest(given, known, 12).unit)
