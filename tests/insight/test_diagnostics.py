from __future__ import annotations

from typing import Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from camobo.history.trial import State, Trial
from camobo.insight import diagnostics
from camobo.insight.diagnostics import Check
from camobo.insight.record import Record
from camobo.model import gp
from camobo.model.hyper import Hyper
from camobo.model.kernels import KernelName
from camobo.model.transforms import Standard
from camobo.strategy import suggest
from camobo.strategy.plan import Data, Plan
from tests.support.plans import PLANE
from tests.support.samples import drawn, sample, smooth_record
from tests.support.strategies import law

PLAIN = Standard(0.0, 1.0)


def checks(record: Record) -> tuple[Check, ...]:
    models = diagnostics.models_of(record)
    assert models is not None
    return diagnostics.checks(record, models)


class TestLeaveOneOut:
    @law
    @given(seed=st.integers(0, 10**6), n=st.integers(2, 12), kernel=st.sampled_from(["se", "matern52", "humps"]))
    def test_it_is_what_conditioning_on_all_others_says(self, seed: int, n: int, kernel: KernelName) -> None:
        rng = np.random.default_rng(seed)
        x, y = rng.random((n, 2)), 100.0 + 30.0 * rng.random(n)
        hyper = Hyper(rng.uniform(0.2, 2.0, 2), 1.3, 0.01, 0.2)
        model = gp.condition(x, y, hyper, kernel=kernel)
        mean, deviation = diagnostics.leave_one_out(model)
        for i in range(n):
            rest = np.arange(n) != i
            without = gp.condition_standardised(x[rest], model.z[rest], hyper, kernel, model.standard)
            expected, latent = without.predict(x[i : i + 1])
            noisy = np.sqrt(latent[0] ** 2 + hyper.noise * model.standard.scale**2)
            assert mean[i] == pytest.approx(expected[0], rel=1e-6)
            assert deviation[i] == pytest.approx(noisy, rel=1e-6)


class TestChecks:
    def test_a_smooth_objective_is_predicted_and_covered(self) -> None:
        record = smooth_record(20)
        found = checks(record)
        assert [check.objective for check in found] == ["strength", "rust"]
        for check in found:
            assert check.trials == record.complete
            assert check.measured.tolist() == [(t.values or {})[check.objective] for t in record.complete]
            assert check.r_squared is not None
            assert check.r_squared > 0.8
            assert check.inside.mean() > 0.7

    @pytest.mark.parametrize("goal", ["min", "max"])
    def test_one_outlier_does_not_decide_how_well_a_model_predicts(self, goal: Literal["min", "max"]) -> None:
        sign = 1.0 if goal == "min" else -1.0
        units = np.random.default_rng(0).random((60, 2))  # of 30 a model does not learn yet that the second is idle
        units[:3, 0] = (0.0, 0.02, 0.05)
        values = [{"y": sign / (0.01 + u) ** 5, "use": u + v} for u, v in units.tolist()]
        trials = tuple(
            Trial(i, PLANE.from_unit(unit), State.COMPLETE, own)
            for i, (unit, own) in enumerate(zip(units, values, strict=True))
        )
        check, _ = checks(Record(Plan(PLANE, {"y": goal, "use": "min"}), trials))
        assert check.measured.tolist() == [own["y"] for own in values]
        assert check.r_squared is not None
        assert check.r_squared > 0.95

    def test_of_too_many_trials_evenly_spaced_ones_and_the_front_are_modelled(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(diagnostics, "MOST_FOR_A_MODEL", 20)
        record = drawn(100, 2)
        for check in checks(record):
            assert {t.number for t in record.front} < {t.number for t in check.trials}
            assert 20 <= len(check.trials) == len(check.measured) < 40
            assert check.measured.tolist() == [(t.values or {})[check.objective] for t in check.trials]


class TestCheck:
    def test_a_constant_objective_has_nothing_to_predict(self) -> None:
        same = np.full(5, 3.0)
        assert Check("y", (), same, same, np.ones(5), PLAIN).r_squared is None

    def test_predicting_the_mean_scores_nothing_and_worse_scores_less(self) -> None:
        measured = np.array([1.0, 2.0, 3.0])
        assert Check("y", (), measured, np.full(3, 2.0), np.ones(3), PLAIN).r_squared == pytest.approx(0.0)
        worse = Check("y", (), measured, measured[::-1].copy(), np.ones(3), PLAIN).r_squared
        assert worse is not None
        assert worse < 0.0

    def test_a_perfect_prediction_scores_one(self) -> None:
        measured = np.array([1.0, 2.0, 3.0])
        assert Check("y", (), measured, measured, np.ones(3), PLAIN).r_squared == 1.0

    def test_coverage_is_the_share_within_two_deviations_or_nearly(self) -> None:
        measured = np.array([0.0, 1.9, 2.0, -1.9])
        check = Check("y", (), measured, np.zeros(4), np.ones(4), PLAIN)
        assert check.inside.tolist() == [True, True, False, True]
        assert check.inside.mean() == 0.75

    @pytest.mark.parametrize("size", [0.0, 1e-300, 1.0, 1e308])
    def test_values_of_any_size_are_compared_without_overflow(self, size: float) -> None:
        measured = np.array([size, -size])
        check = Check("y", (), measured, -measured, np.full(2, max(size, 1e-300) / 10.0), PLAIN)
        assert check.inside.tolist() == [size == 0.0] * 2


class TestModels:
    @pytest.mark.parametrize("n", [0, 1, 2])
    def test_too_few_trials_make_no_model(self, n: int) -> None:
        assert diagnostics.models_of(drawn(n, 2)) is None

    def test_they_are_those_of_a_suggestion_from_the_complete_trials(self) -> None:
        record = sample(trials=15)
        models = diagnostics.models_of(record)
        none = np.zeros((0, 4))
        data = Data(record.units(record.complete), record.signed(record.complete), none, none, step=1)
        assert models is not None
        for own, other in zip(models.gps, suggest.models_of(record.plan, data).gps, strict=True):
            np.testing.assert_array_equal(own.dual, other.dual)
