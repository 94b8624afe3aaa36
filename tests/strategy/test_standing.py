from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from camobo.acquisition.pareto import on_front
from camobo.strategy.notes import Note, Reason
from camobo.strategy.standing import jitter_notes, standardised, standardised_reference, standing
from camobo.strategy.suggest import models_of, suggest
from tests.support.plans import MIXED, constrained, data, measure, nearest, plan, some


class TestStanding:
    def test_without_open_points_it_is_the_data_as_the_models_see_it(self) -> None:
        known = data(plan(), some(plan(), 12))
        models = models_of(plan(), known)
        now = standing(plan(), known, models)
        np.testing.assert_array_equal(now.units, known.units)
        np.testing.assert_array_equal(now.outcomes, standardised(models.gps, known.values))
        np.testing.assert_array_equal(now.front, np.flatnonzero(on_front(known.values)))
        np.testing.assert_array_equal(now.feasible, np.arange(12))
        assert now.limits.tolist() == []

    def test_pending_and_failed_points_are_believed_to_come_out_as_expected(self) -> None:
        given = plan(MIXED, seed=1)
        pending, failed = some(given, 2, seed=1), some(given, 3, seed=2)
        known = data(given, some(given, 12), pending=pending, failed=failed)
        models = models_of(given, known)
        now = standing(given, known, models)
        np.testing.assert_array_equal(now.units, np.vstack([known.units, pending, failed]))
        features = given.space.features(now.units[12:])
        for m, (before, after) in enumerate(zip(models.gps, now.gps, strict=True)):
            expected, doubt = before.posterior(features)
            assert now.outcomes[12:, m] == pytest.approx(expected, abs=1e-6)
            assert np.all(after.posterior(features)[1] < doubt)

    @pytest.mark.parametrize("kind", ["pending", "failed"])
    def test_of_many_open_points_models_see_five_hundred_and_none_is_suggested_again(self, kind: str) -> None:
        given = plan(seed=1)
        many = some(given, 700, seed=2)
        found = suggest(given, data(given, some(given, 12), **{kind: many}), 712)
        assert found.acquisition is not None
        assert [len(model.z) for model in found.acquisition.gps] == [512, 512]
        assert nearest(found.unit[None, :], many) > 1e-3

    def test_only_feasible_points_are_on_the_front(self) -> None:
        given = plan(constraints=("at most",))
        known = constrained(some(given, 20), 0.5)
        now = standing(given, known, models_of(given, known))
        np.testing.assert_array_equal(now.feasible, np.flatnonzero(known.units[:, 0] <= 0.5))
        expected = now.feasible[on_front(measure(known.units[now.feasible]))]
        np.testing.assert_array_equal(now.front, expected)

    def test_without_a_feasible_point_the_front_is_the_one_closest_to_it(self) -> None:
        given = plan(constraints=("at most",))
        known = constrained(some(given, 12), -0.1)
        now = standing(given, known, models_of(given, known))
        assert now.feasible.tolist() == []
        assert now.front.tolist() == [known.units[:, 0].argmin()]


class TestReference:
    def test_it_is_on_the_scales_of_the_models_larger_better(self) -> None:
        given = plan(objectives={"f": "max", "g": "min"}, reference=(-0.5, 0.25))
        gps = models_of(given, data(given, some(given, 12))).gps
        found = standardised_reference(given, gps)
        assert found is not None
        assert [gps[0].in_units(found[:1], np.zeros(1))[0][0], gps[1].in_units(found[1:], np.zeros(1))[0][0]] == (
            pytest.approx([-0.5, -0.25])
        )

    def test_a_plan_without_one_has_none(self) -> None:
        assert standardised_reference(plan(), models_of(plan(), data(plan(), some(plan(), 12))).gps) is None

    def test_one_far_from_the_data_is_drawn_in_to_twenty_deviations(self) -> None:
        given = plan(reference=(-1e300, 1e300))
        found = standardised_reference(given, models_of(given, data(given, some(given, 12))).gps)
        assert found is not None
        assert found.tolist() == [-20.0, 20.0]


def test_a_note_names_each_model_that_needed_jitter_and_how_much() -> None:
    given = plan(constraints=("limit",))
    known = constrained(some(given, 12), 0.5)
    gps = models_of(given, known).gps
    assert jitter_notes(given, gps) == ()
    rescued = (gps[0], replace(gps[1], jitter=1e-8), replace(gps[2], jitter=1e-6))
    assert jitter_notes(given, rescued) == (
        Note(Reason.JITTER, {"outcome": "g", "jitter": 1e-8}),
        Note(Reason.JITTER, {"outcome": "limit", "jitter": 1e-6}),
    )
