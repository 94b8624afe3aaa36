from __future__ import annotations

from typing import Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import camobo as cm
from camobo import gp, insight, pareto
from camobo.cost import AdditiveCost, PaperCost
from camobo.errors import InvalidOptionError, UnknownTrialError
from camobo.insight import Check, Record, record_of
from camobo.kernels import KernelName
from camobo.plan import Plan
from camobo.standard import Standard
from camobo.trial import State, Trial
from samples import SPACE, small_study
from strategies import law

PLAIN = Standard(0.0, 1.0)


def drawn(n: int, objectives: int, *, cost: AdditiveCost | PaperCost | None = None) -> Record:
    """A record made without a study, as another tool would."""
    rng = np.random.default_rng(0)
    names = [f"y{m}" for m in range(objectives)]
    trials = tuple(
        Trial(i, SPACE.from_unit(rng.random(3)), State.COMPLETE, dict(zip(names, rng.random(objectives), strict=True)))
        for i in range(n)
    )
    return Record(Plan(SPACE, dict.fromkeys(names, "max"), cost=cost), trials)


class TestLeaveOneOut:
    @law
    @given(seed=st.integers(0, 10**6), n=st.integers(2, 12), kernel=st.sampled_from(["se", "matern52", "humps"]))
    def test_it_is_what_conditioning_on_all_others_says(self, seed: int, n: int, kernel: KernelName) -> None:
        rng = np.random.default_rng(seed)
        x, y = rng.random((n, 2)), 100.0 + 30.0 * rng.random(n)
        hyper = gp.Hyper(rng.uniform(0.2, 2.0, 2), 1.3, 0.01, 0.2)
        model = gp.condition(x, y, hyper, kernel=kernel)
        mean, deviation = insight.leave_one_out(model)
        for i in range(n):
            rest = np.arange(n) != i
            without = gp._condition_standardised(x[rest], model.z[rest], hyper, kernel, model.standard)
            expected, latent = without.predict(x[i : i + 1])
            noisy = np.sqrt(latent[0] ** 2 + hyper.noise * model.standard.scale**2)
            assert mean[i] == pytest.approx(expected[0], rel=1e-6)
            assert deviation[i] == pytest.approx(noisy, rel=1e-6)

    def test_a_smooth_objective_is_foretold_and_covered(self) -> None:
        record = record_of(small_study(20))
        models = insight.models_of(record)
        assert models is not None
        for check in insight.checks(record, models):
            assert check.measured.tolist() == [(t.values or {})[check.objective] for t in record.complete]
            assert check.r_squared is not None
            assert check.r_squared > 0.8
            assert check.coverage > 0.7

    @pytest.mark.parametrize("goal", ["min", "max"])
    def test_one_outlier_does_not_decide_how_well_a_model_foretells(self, goal: Literal["min", "max"]) -> None:
        sign = 1.0 if goal == "min" else -1.0
        space = cm.Space({"dear": cm.Real(0, 1), "cheap": cm.Real(0, 1)})
        study = cm.Study(space, {"y": goal, "use": "min"}, seed=0)
        study.optimize(lambda p: {"y": sign / (0.01 + p["dear"]) ** 5, "use": p["dear"] + p["cheap"]}, 30)
        record = record_of(study)
        models = insight.models_of(record)
        assert models is not None
        check, _ = insight.checks(record, models)
        assert check.r_squared is not None
        assert check.r_squared > 0.95

    def test_a_constant_objective_has_nothing_to_foretell(self) -> None:
        same = np.full(5, 3.0)
        assert Check("y", (), same, same, np.ones(5), PLAIN).r_squared is None

    def test_guessing_the_mean_scores_nothing_and_worse_scores_less(self) -> None:
        measured = np.array([1.0, 2.0, 3.0])
        assert Check("y", (), measured, np.full(3, 2.0), np.ones(3), PLAIN).r_squared == pytest.approx(0.0)
        worse = Check("y", (), measured, measured[::-1].copy(), np.ones(3), PLAIN).r_squared
        assert worse is not None
        assert worse < 0.0

    def test_of_too_many_trials_an_even_part_and_the_front_are_modelled(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(insight, "MOST_FOR_A_MODEL", 20)
        record = drawn(100, 2)
        models = insight.models_of(record)
        assert models is not None
        for check in insight.checks(record, models):
            assert {t.number for t in record.front} < {t.number for t in check.trials}
            assert 20 <= len(check.trials) == len(check.measured) < 40
            assert check.measured.tolist() == [(t.values or {})[check.objective] for t in check.trials]

    @pytest.mark.parametrize("n", [0, 1, 2])
    def test_too_few_trials_make_no_model(self, n: int) -> None:
        assert insight.models_of(record_of(small_study(n))) is None


class TestVolumes:
    @pytest.mark.parametrize("reference", [None, {"strength": 400.0, "rust": 1.1}])
    def test_the_last_is_the_study_s_own_and_none_is_below_the_one_before(self, reference: object) -> None:
        study = small_study(10, reference=reference)
        trials, reached = insight.volumes(record_of(study))
        assert [t.number for t in trials] == [t.number for t in study.trials]
        assert np.all(np.diff(reached) >= 0.0)
        assert reached[-1] == pytest.approx(study.hypervolume(), rel=1e-12)

    def test_with_many_objectives_and_trials_a_part_stands_for_all_and_the_last_is_among_them(self) -> None:
        record = drawn(300, 5)
        trials, reached = insight.volumes(record)
        assert len(trials) == len(reached) <= 120
        assert trials[-1].number == 299
        whole = pareto.hypervolume(record.signed(record.complete), record.reference)
        assert reached[-1] == pytest.approx(whole, rel=1e-9)

    def test_nothing_complete_is_no_volume(self) -> None:
        assert insight.volumes(record_of(small_study(0)))[0] == ()


class TestSlices:
    def test_they_pass_through_the_trial_and_end_at_the_ends(self) -> None:
        record = record_of(small_study(12))
        models, trial = insight.models_of(record), insight.compromise(record)
        assert models is not None
        assert trial is not None
        found = insight.slices(record, models, trial)
        assert [(s.objective, s.input) for s in found] == [(o, i) for o in ("strength", "rust") for i in SPACE.names]
        here = SPACE.features(SPACE.to_unit(trial.params)[None, :])
        for i, cut in enumerate(found):
            assert cut.values[cut.here] == pytest.approx(trial.params[cut.input])
            expected = record.plan.signs[i // 3] * models.gps[i // 3].predict(here)[0][0]
            assert cut.mean[cut.here] == pytest.approx(expected)
            assert np.all(cut.deviation > 0.0)
        assert (found[0].values[0], found[0].values[-1]) == (0.0, 20.0)
        assert found[1].values == tuple(range(1, 13))
        assert found[2].values == ("air", "oil")

    def test_a_trial_that_is_not_there_is_named(self) -> None:
        with pytest.raises(UnknownTrialError, match="99"):
            insight.chosen_trial(record_of(small_study(2)), 99)

    def test_the_compromise_is_the_middle_of_a_bent_front(self) -> None:
        params = SPACE.from_unit([0.5, 0.5, 0.5])
        rows = [(0.0, 1.0), (0.8, 0.8), (1.0, 0.0), (0.1, 0.1)]
        trials = tuple(Trial(i, params, State.COMPLETE, {"a": a, "b": b}) for i, (a, b) in enumerate(rows))
        found = insight.compromise(Record(Plan(SPACE, {"a": "max", "b": "max"}), trials))
        assert found is not None
        assert found.number == 1


def test_what_is_neither_study_nor_record_is_refused() -> None:
    with pytest.raises(InvalidOptionError, match="Study"):
        record_of("alloy.db")  # type: ignore[arg-type]


def test_a_record_made_elsewhere_says_what_a_study_of_the_same_trials_does() -> None:
    study = small_study(8)
    own = Record(study.plan, study.trials)
    assert own == record_of(study)
    assert [t.number for t in own.front] == [t.number for t in study.front()]
