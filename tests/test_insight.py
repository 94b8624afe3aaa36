from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from camobo import gp, insight, pareto
from camobo.cost import AdditiveCost, PaperCost
from camobo.engine import Plan
from camobo.errors import InvalidOptionError, UnknownTrialError
from camobo.insight import Check, Record, record_of
from camobo.order import Order
from camobo.space import Categorical, Integer, Real, Space
from camobo.study import Study
from camobo.trial import State, Trial
from strategies import law

SPACE = Space({"nickel": Real(0, 20), "soak": Integer(1, 12), "quench": Categorical(["air", "oil"], dear=["oil"])})


def value(params: dict[str, object]) -> dict[str, float]:
    u = SPACE.to_unit(params)
    return {"strength": 500 - 80 * float((u[0] - 0.6) ** 2) + 5 * float(u[2]), "rust": 1.0 - 0.5 * float(u[0] * u[1])}


def some_study(n: int = 12, **options: object) -> Study:
    given = {"cost": "nickel > soak > quench", "budget": 20, "seed": 3, **options}
    study = Study(SPACE, {"strength": "max", "rust": "min"}, **given)  # type: ignore[arg-type]
    return study.optimize(lambda p: value(p), n) if n else study


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
    @given(seed=st.integers(0, 10**6), n=st.integers(2, 12), kernel=st.sampled_from(["se", "matern52"]))
    def test_it_is_what_conditioning_on_all_others_says(self, seed: int, n: int, kernel: gp.KernelName) -> None:
        rng = np.random.default_rng(seed)
        x, y = rng.random((n, 2)), 100.0 + 30.0 * rng.random(n)
        hyper = gp.Hyper(rng.uniform(0.2, 2.0, 2), 1.3, 0.01, 0.2)
        model = gp.condition(x, y, hyper, kernel=kernel)
        mean, deviation = insight.leave_one_out(model)
        for i in range(n):
            rest = np.arange(n) != i
            without = gp._condition_standardised(x[rest], model.z[rest], hyper, kernel, model.offset, model.scale)
            expected, latent = without.predict(x[i : i + 1])
            noisy = np.sqrt(latent[0] ** 2 + hyper.noise * model.scale**2)
            assert mean[i] == pytest.approx(expected[0], rel=1e-6)
            assert deviation[i] == pytest.approx(noisy, rel=1e-6)

    def test_a_smooth_objective_is_foretold_and_covered(self) -> None:
        record = record_of(some_study(20))
        models = insight.models_of(record)
        assert models is not None
        for check in insight.checks(record, models):
            assert check.measured.tolist() == [(t.values or {})[check.objective] for t in record.complete]
            assert check.r_squared is not None
            assert check.r_squared > 0.8
            assert check.coverage > 0.7

    def test_a_constant_objective_has_nothing_to_foretell(self) -> None:
        same = np.full(5, 3.0)
        assert Check("y", (), same, same, np.ones(5)).r_squared is None

    def test_guessing_the_mean_scores_nothing_and_worse_scores_less(self) -> None:
        measured = np.array([1.0, 2.0, 3.0])
        assert Check("y", (), measured, np.full(3, 2.0), np.ones(3)).r_squared == pytest.approx(0.0)
        worse = Check("y", (), measured, measured[::-1].copy(), np.ones(3)).r_squared
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
        assert insight.models_of(record_of(some_study(n))) is None


class TestVolumes:
    @pytest.mark.parametrize("reference", [None, {"strength": 400.0, "rust": 1.1}])
    def test_the_last_is_the_study_s_own_and_none_is_below_the_one_before(self, reference: object) -> None:
        study = some_study(10, reference=reference)
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
        assert insight.volumes(record_of(some_study(0)))[0] == ()


@dataclass(frozen=True, slots=True)
class PricedTrial(Trial):
    """As a study that stores costs has them."""

    cost: float | None = None


class TestSpend:
    def test_told_costs_come_before_the_order_and_missing_ones_are_counted(self) -> None:
        params = SPACE.from_unit([0.5, 0.5, 0.5])
        told = [PricedTrial(i, params, State.COMPLETE, {"y": 1.0}, cost=c) for i, c in enumerate([3.0, None, 4.5])]
        spent = insight.spend(Record(Plan(SPACE, {"y": "max"}, cost=AdditiveCost("nickel")), tuple(told)))
        assert spent is not None
        assert (spent.told, spent.missing, spent.amounts.tolist()) == (True, 1, [3.0, 0.0, 4.5])

    def test_without_told_costs_it_is_use_weighted_by_the_centre_of_the_order(self) -> None:
        study = some_study(6)
        record, order = record_of(study), Order.parse("nickel > soak > quench")
        spent = insight.spend(record)
        assert spent is not None
        levels = SPACE.expense(np.array([SPACE.to_unit(t.params) for t in study.trials]))
        assert not spent.told
        assert spent.amounts == pytest.approx(levels @ order.centre())

    def test_without_either_there_is_none(self) -> None:
        assert insight.spend(record_of(some_study(4, cost=None))) is None

    def test_failed_trials_were_paid_for_and_pending_ones_not_yet(self) -> None:
        study = some_study(3)
        study.fail(study.ask(), "cracked")
        study.ask()
        spent = insight.spend(record_of(study))
        assert spent is not None
        assert [t.number for t in spent.trials] == [0, 1, 2, 3]


class TestUse:
    def test_inputs_come_dearest_first_and_unnamed_ones_last(self) -> None:
        found = insight.uses(record_of(some_study(4, cost="quench > nickel")))
        assert [use.input for use in found] == ["quench", "nickel", "soak"]
        assert [use.weight is None for use in found] == [False, False, True]

    def test_only_direct_comparisons_are_made_and_trials_added_by_hand_do_not_count(self) -> None:
        study = some_study(5)
        before = insight.comparisons(record_of(study))
        study.add({"nickel": 20.0, "soak": 1, "quench": "oil"}, {"strength": 1.0, "rust": 1.0})
        assert insight.comparisons(record_of(study)) == before
        assert [(c.dear, c.cheap) for c in before] == [(("nickel",), ("soak",)), (("soak",), ("quench",))]

    @pytest.mark.parametrize(("nickel", "soak", "kept"), [(20.0, 1, False), (0.0, 12, True)])
    def test_the_order_is_kept_if_the_dearer_was_used_less_of_its_range(
        self, nickel: float, soak: int, kept: bool
    ) -> None:
        params = {"nickel": nickel, "soak": soak, "quench": "air"}
        trial = Trial(0, params, State.COMPLETE, {"y": 1.0}, step=1)
        (found,) = insight.comparisons(Record(Plan(SPACE, {"y": "max"}, cost=AdditiveCost("nickel > soak")), (trial,)))
        assert found.kept is kept


class TestFading:
    @pytest.mark.parametrize("cost", [AdditiveCost("nickel > soak"), AdditiveCost("nickel > soak", weights="drawn")])
    def test_the_dearer_has_more_to_promise_and_at_the_end_of_the_budget_nobody_has(self, cost: AdditiveCost) -> None:
        found = insight.fading(Record(Plan(SPACE, {"y": "max"}, cost=cost, budget=30), ()))
        assert found is not None
        assert found.inputs == ("nickel", "soak")
        assert found.steps == tuple(range(1, 31))
        assert np.all(found.powers[:, 0] >= found.powers[:, 1])
        assert np.all(np.diff(found.powers, axis=0) <= 0.0)
        assert found.powers[-1] == pytest.approx(0.0, abs=0.2)

    def test_the_first_step_is_the_cost_s_strength_times_its_weights(self) -> None:
        cost = AdditiveCost("nickel > soak", strength=4.0)
        found = insight.fading(Record(Plan(SPACE, {"y": "max"}, cost=cost, budget=30), ()))
        assert found is not None
        assert found.powers[0] * np.log(10.0) == pytest.approx([3.0, 1.0])

    @pytest.mark.parametrize("cost", ["nickel > soak", PaperCost("nickel > soak"), PaperCost("nickel")])
    def test_every_suggested_trial_has_its_place(self, cost: object) -> None:
        study = some_study(5, cost=cost)
        study.add({"nickel": 20.0, "soak": 1, "quench": "oil"}, {"strength": 1.0, "rust": 1.0})
        found = insight.fading(record_of(study))
        assert found is not None
        assert [t.number for t in found.trials] == [0, 1, 2, 3, 4]
        assert np.all(np.isfinite(found.trial_powers))

    def test_without_a_cost_nothing_fades(self) -> None:
        assert insight.fading(record_of(some_study(2, cost=None))) is None


class TestSlices:
    def test_they_pass_through_the_trial_and_end_at_the_ends(self) -> None:
        record = record_of(some_study(12))
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
            insight.chosen_trial(record_of(some_study(2)), 99)

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
    study = some_study(8)
    own = Record(study.plan, study.trials)
    assert own == record_of(study)
    assert [t.number for t in own.front] == [t.number for t in study.front()]
