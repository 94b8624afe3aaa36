from __future__ import annotations

import copy
import logging
import math
import pickle
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import optuna
import pytest
from optuna.distributions import BaseDistribution, CategoricalDistribution, FloatDistribution, IntDistribution
from optuna.trial import TrialState, create_trial

from camobo import AdditiveCost, PaperCost, engine
from camobo.errors import InvalidOptionError, InvalidOrderError, InvalidSpaceError, InvalidValueError
from camobo.optuna import CostAwareSampler, claims, given, observed, record
from camobo.optuna.inputs import Inputs
from camobo.plan import Data, Plan
from camobo.problems import zdt3
from camobo.trial import State
from optuna_studies import TWO, UNIT, Direction, bumps, ended, points, study_of
from strategies import label

pytestmark = pytest.mark.usefixtures("quiet_optuna")


class TestSuggestions:
    def test_they_are_the_engines_own(self) -> None:
        problem, count = zdt3(inputs=3), 30
        units = np.random.default_rng(0).random((count, 3))
        space: dict[str, Any] = dict.fromkeys(problem.space.names, UNIT)
        study = study_of(CostAwareSampler("x1 > x2", budget=50, seed=4))
        for unit in units:
            values = problem.evaluate(unit[None])[0].tolist()
            params = dict(zip(space, unit.tolist(), strict=True))
            study.add_trial(create_trial(params=params, distributions=space, values=values))
        plan = Plan(problem.space, {"f1": "min", "f2": "min"}, AdditiveCost("x1 > x2"), budget=50, seed=4)
        none = np.zeros((0, 3))
        expected = engine.suggest(plan, Data(units, -problem.evaluate(units), none, none, count + 1), count).unit
        assert list(study.ask(space).params.values()) == pytest.approx(expected.tolist(), abs=1e-12)

    def test_the_same_seed_gives_the_same_trials_whether_models_are_kept_or_not(self) -> None:
        kept = study_of(CostAwareSampler("dear", seed=3))
        kept.optimize(bumps, n_trials=14)
        forgetful = study_of(CostAwareSampler("dear", seed=3))
        for _ in range(14):
            forgetful.sampler = CostAwareSampler("dear", seed=3)
            forgetful.optimize(bumps, n_trials=1)
        assert points(kept, "dear", "cheap").tolist() == points(forgetful, "dear", "cheap").tolist()

    def test_one_sampler_serves_two_studies_as_two_samplers_would(self) -> None:
        shared = CostAwareSampler("dear", seed=3)
        both = [study_of(shared), study_of(shared, TWO)]
        for _ in range(8):
            for study in both:
                study.optimize(bumps, n_trials=1)
        alone = study_of(CostAwareSampler("dear", seed=3), TWO)
        alone.optimize(bumps, n_trials=8)
        assert points(both[1], "dear", "cheap").tolist() == points(alone, "dear", "cheap").tolist()

    def test_a_dear_parameter_is_used_less_than_without_a_cost_and_the_front_is_found(self) -> None:
        used = {}
        for cost in ("dear > cheap", None):
            study = study_of(CostAwareSampler(cost, budget=25, seed=1))
            study.optimize(bumps, n_trials=25)
            used[cost] = points(study, "dear").sum()
            assert min(trial.values[0] for trial in study.trials) < 0.01
        assert used["dear > cheap"] < 0.8 * used[None]

    def test_one_objective_is_minimised_or_maximised(self) -> None:
        signs: dict[Direction, float] = {"minimize": 1.0, "maximize": -1.0}
        for direction, sign in signs.items():
            study = optuna.create_study(direction=direction, sampler=CostAwareSampler(seed=0))

            def bowl(trial: optuna.Trial, sign: float = sign) -> float:
                return sign * ((trial.suggest_float("x", -5, 5) - 1) ** 2 + (trial.suggest_float("y", -5, 5) + 2) ** 2)

            study.optimize(bowl, n_trials=25)
            assert abs(study.best_value) < 0.01

    def test_mixed_parameters_reach_the_best(self) -> None:
        def objective(trial: optuna.Trial) -> float:
            rate = trial.suggest_float("rate", 1e-5, 1, log=True)
            units = trial.suggest_int("units", 8, 128, step=8)
            kind = trial.suggest_categorical("kind", ["a", "b", "c"])
            drop = trial.suggest_float("drop", 0, 0.5, step=0.1)
            return (math.log10(rate) + 2) ** 2 + abs(units - 64) / 32 + (kind != "b") + drop

        study = optuna.create_study(sampler=CostAwareSampler("units > drop", seed=0))
        study.optimize(objective, n_trials=40)
        assert study.best_params["kind"] == "b"
        assert study.best_value < 0.3

    def test_parameters_only_some_trials_have_are_drawn_from_their_cheap_side(self) -> None:
        drawn = []
        for seed in range(12):
            study = optuna.create_study(sampler=CostAwareSampler("rare > x", budget=100, seed=seed))
            study.optimize(
                lambda trial: (
                    trial.suggest_float("x", 0, 1) + (trial.suggest_float("rare", 0, 1) if trial.number % 2 else 0.0)
                ),
                n_trials=4,
            )
            drawn += [trial.params["rare"] for trial in study.trials if "rare" in trial.params]
        assert max(drawn) <= 0.55
        assert max(drawn) > 0.3

    def test_the_first_trial_of_many_parameters_is_not_quadratic(self) -> None:
        def seconds(count: int) -> float:
            study = optuna.create_study(sampler=CostAwareSampler("x0", seed=0))
            for _ in range(3):
                trial = study.ask()
            start = time.process_time()
            for j in range(count):
                trial.suggest_float(f"x{j}", 0, 1)
                trial.suggest_categorical(f"c{j}", ["a", "b"])
            return time.process_time() - start

        few, many = (min(seconds(count) for _ in range(3)) for count in (50, 400))
        assert many < 20.0 * few  # 64 times if it were

    def test_with_many_objectives_parameters_are_drawn_from_nearly_all_of_their_range(self) -> None:
        drawn = []
        for seed in range(40):
            sampler = CostAwareSampler("x", budget=99, seed=seed)
            study = optuna.create_study(directions=["minimize"] * 4, sampler=sampler)
            drawn.append(study.ask({"x": FloatDistribution(0, 1)}).params["x"])
        assert 0.8 < max(drawn) <= 1.0 - 1.0 / (2 * 3**2)

    @pytest.mark.parametrize(
        "given",
        [IntDistribution(2**40, 2**43, step=2**40), CategoricalDistribution([1, "sqrt", 1.0, "log2", "a", "a"])],
        ids=label,
    )
    def test_a_few_values_are_each_tried_before_one_is_tried_again(self, given: BaseDistribution) -> None:
        study = optuna.create_study(sampler=CostAwareSampler("x", seed=0))
        values = []
        for _ in range(12):
            trial = study.ask({"x": given})
            values.append(trial.params["x"])
            study.tell(trial, float(len(str(trial.params["x"]))))
        different = len(set(values))
        assert different == (8 if isinstance(given, IntDistribution) else 4)
        assert len(set(values[:different])) >= different - 1  # the first trials know of no parameter yet

    def test_equal_choices_alone_are_one_value(self) -> None:
        study = optuna.create_study(sampler=CostAwareSampler("x > y", seed=0))
        study.optimize(lambda t: len(t.suggest_categorical("x", ["a", "a"])) + t.suggest_float("y", 0, 1), n_trials=6)
        assert {trial.params["x"] for trial in study.trials} == {"a"}

    def test_steps_too_fine_for_optuna_to_tell_from_their_neighbours_are_suggested_as_modelled(self) -> None:
        study = optuna.create_study(sampler=CostAwareSampler(seed=0))
        study.optimize(lambda t: (t.suggest_float("x", 1e6, 1e6 + 1, step=1e-3) - 1e6 - 0.7) ** 2, n_trials=25)
        for trial in study.trials[1:]:
            (claimed,) = (value for key, value in trial.system_attrs.items() if key.startswith("camobo:claim:"))
            assert trial.params["x"] == claimed["x"]
        assert abs(study.best_params["x"] - 1e6 - 0.7) < 0.01

    def test_a_category_without_dear_choices_is_drawn_from_all_of_them(self) -> None:
        given, drawn = CategoricalDistribution(["air", "oil", "vacuum", "water"]), set()
        for seed in range(20):
            study = optuna.create_study(sampler=CostAwareSampler("quench", budget=100, seed=seed))
            drawn.add(study.ask({"quench": given}).params["quench"])
        assert drawn == set(given.choices)

    def test_a_finite_space_that_is_used_up_goes_on_with_points_tried_before(self) -> None:
        study = optuna.create_study(sampler=CostAwareSampler("c", dear={"c": ["b"]}, seed=0))
        study.optimize(lambda trial: float(trial.suggest_categorical("c", ["a", "b"]) == "a"), n_trials=6)
        assert {trial.params["c"] for trial in study.trials} == {"a", "b"}
        assert len(study.trials) == 6

    def test_the_papers_method_and_a_cost_model_can_be_given(self) -> None:
        study = study_of(CostAwareSampler(PaperCost("dear > cheap"), method="paper", seed=0, reference=[1.0, 1.0]))
        study.optimize(bumps, n_trials=8)
        assert len(study.best_trials) > 0


class TestTrialsOfEveryKind:
    def test_a_point_that_is_being_tried_is_not_suggested_to_another(self) -> None:
        study = study_of(CostAwareSampler("dear", seed=0))
        study.optimize(bumps, n_trials=6)
        waiting = [study.ask() for _ in range(4)]
        for trial in waiting:
            bumps(trial)
        found = np.array([[trial.params["dear"], trial.params["cheap"]] for trial in waiting])
        gaps = np.abs(found[:, None] - found[None]).max(axis=2)[~np.eye(4, dtype=bool)]
        assert gaps.min() > 1e-3

    @pytest.mark.parametrize(
        "space",
        [
            {"a": IntDistribution(0, 3), "b": IntDistribution(0, 3)},
            {"a": IntDistribution(1, 40), "b": IntDistribution(1, 12)},
            {"q": CategoricalDistribution(list("wxyz")), "b": FloatDistribution(0, 1, step=0.25)},
            {"a": IntDistribution(1, 64, log=True)},
        ],
        ids=["small", "larger", "mixed", "one"],
    )
    def test_trials_begun_before_the_first_result_differ(self, space: dict[str, BaseDistribution]) -> None:
        for seed in range(10):
            study = study_of(CostAwareSampler("a > b", budget=40, seed=seed))
            begun = [tuple(study.ask(space).params.values()) for _ in range(4)]
            assert len(set(begun)) == 4

    @pytest.mark.parametrize("seed", [None, 7])
    def test_the_first_trials_of_two_workers_with_one_seed_or_none_differ(self, seed: int | None) -> None:
        space: dict[str, BaseDistribution] = {"a": IntDistribution(0, 9), "b": IntDistribution(0, 9)}
        firsts = set()
        for _ in range(5):
            study = study_of(CostAwareSampler())
            workers = [CostAwareSampler("a > b", budget=60, seed=seed) for _ in range(2)]
            workers.append(pickle.loads(pickle.dumps(workers[0])))
            begun = []
            for number in range(16):
                study.sampler = workers[number % 3]
                begun.append(tuple(study.ask(space).params.values()))
            assert len(set(begun)) == 16
            firsts.add(tuple(begun))
        assert len(firsts) == (5 if seed is None else 1)

    def test_first_trials_are_cheap_and_not_the_same_in_every_study(self) -> None:
        space: dict[str, BaseDistribution] = {"a": IntDistribution(0, 9), "b": IntDistribution(0, 9)}
        firsts = [study_of(CostAwareSampler("a", budget=60, seed=seed)).ask(space).params for seed in range(30)]
        assert {first["a"] for first in firsts} == set(range(5))
        assert {first["b"] for first in firsts} >= {0, 9}

    def test_trials_that_all_fail_reach_every_point(self) -> None:
        study = study_of(CostAwareSampler("a > b", budget=40, seed=0))
        space: dict[str, BaseDistribution] = {"a": IntDistribution(0, 2), "b": IntDistribution(0, 2)}
        for _ in range(80):
            study.tell(study.ask(space), state=TrialState.FAIL)
        assert len({tuple(trial.params.values()) for trial in study.trials}) == 9

    def test_failed_trials_do_not_stop_a_study_and_are_not_asked_for_again(self) -> None:
        def fails_when_dear(trial: optuna.Trial) -> tuple[float, float]:
            values = bumps(trial)
            if trial.params["dear"] > 0.6:
                raise RuntimeError("crucible cracked")
            return values

        study = study_of(CostAwareSampler(seed=0))
        study.optimize(fails_when_dear, n_trials=20, catch=(RuntimeError,))
        failed = [tuple(trial.params.values()) for trial in study.trials if trial.state is TrialState.FAIL]
        assert failed
        assert len(set(failed)) == len(failed)

    def test_a_pruned_trial_counts_as_no_better_than_the_median_and_no_worse_than_the_worst(self) -> None:
        plan = Plan(Inputs.of({"x": UNIT}, {}).space, {"value": "max"})
        earlier = [[0.2], [0.4], [0.9]]
        for reported, counted in ((0.95, 0.4), (0.3, 0.3), (-50.0, 0.2)):
            assert observed.outcome(ended(0.5, reported, TrialState.PRUNED), plan, earlier) == [counted]
        assert observed.outcome(ended(0.5, 0.3, TrialState.PRUNED), plan, []) is None

    @pytest.mark.parametrize(
        "pruner",
        [
            optuna.pruners.MedianPruner(n_startup_trials=3, n_warmup_steps=1),
            optuna.pruners.HyperbandPruner(max_resource=5),
        ],
        ids=["median", "hyperband"],
    )
    def test_a_study_with_a_pruner_goes_on_and_finds_the_best(self, pruner: optuna.pruners.BasePruner) -> None:
        def curve(trial: optuna.Trial) -> float:
            x = trial.suggest_float("x", 0, 1)
            for step in range(5):
                trial.report((x - 0.7) ** 2 + 1.0 / (step + 1), step)
                if trial.should_prune():
                    raise optuna.TrialPruned
            return (x - 0.7) ** 2 + 0.2

        study = optuna.create_study(sampler=CostAwareSampler(seed=0), pruner=pruner)
        study.optimize(curve, n_trials=25)
        assert any(trial.state is TrialState.PRUNED for trial in study.trials)
        assert study.best_value < 0.21

    def test_an_infinite_value_is_counted_as_failed_and_told_once(self, caplog: pytest.LogCaptureFixture) -> None:
        study = optuna.create_study(sampler=CostAwareSampler(seed=0))
        with caplog.at_level(logging.WARNING, logger="camobo"):
            study.optimize(
                lambda t: (t.suggest_float("x", 0, 1) - 0.4) ** 2 + (math.inf if t.number in (2, 3) else 0.0),
                n_trials=12,
            )
        assert study.best_value < 0.01
        assert sum("trial 2 has a value that is not finite" in record.message for record in caplog.records) == 1

    def test_threads_of_one_study_do_not_try_one_point_twice(self) -> None:
        study = study_of(CostAwareSampler("a", seed=0))

        def slow(trial: optuna.Trial) -> tuple[float, float]:
            a, b = trial.suggest_int("a", 0, 9), trial.suggest_int("b", 0, 9)
            return abs(a - 3), abs(b - 6) + 0.1 * a

        study.optimize(slow, n_trials=30, n_jobs=3)
        tried = [tuple(trial.params.values()) for trial in study.trials if trial.number > 3]
        assert len(set(tried)) == len(tried)

    def test_a_trial_that_was_enqueued_keeps_its_params(self) -> None:
        study = study_of(CostAwareSampler("dear", seed=0))
        study.optimize(bumps, n_trials=4)
        study.enqueue_trial({"dear": 0.77})
        study.optimize(bumps, n_trials=1)
        assert study.trials[-1].params["dear"] == 0.77

    def test_the_free_parameters_of_an_enqueued_trial_are_chosen_for_the_fixed_one(self) -> None:
        def ridge(trial: optuna.Trial) -> float:
            a, b = trial.suggest_float("a", 0, 1), trial.suggest_float("b", 0, 1)
            return (b - a) ** 2 + 0.3 * a

        study = optuna.create_study(sampler=CostAwareSampler(seed=0))
        study.optimize(ridge, n_trials=20)
        study.enqueue_trial({"a": 0.9})
        study.optimize(ridge, n_trials=1)
        assert study.trials[-1].params["a"] == 0.9
        assert abs(study.trials[-1].params["b"] - 0.9) < 0.1
        (claim,) = (value for key, value in study.trials[-1].system_attrs.items() if key.startswith("camobo:claim:"))
        assert claim == study.trials[-1].params

    def test_enqueued_trials_that_fix_one_parameter_are_not_doubles_while_there_are_others(self) -> None:
        def objective(trial: optuna.Trial) -> float:
            return abs(trial.suggest_int("a", 0, 3) - trial.suggest_int("b", 0, 5) + 0.1)

        study = optuna.create_study(sampler=CostAwareSampler(seed=0))
        study.optimize(objective, n_trials=1)
        for _ in range(6):
            study.enqueue_trial({"a": 2})
        study.optimize(objective, n_trials=6)
        tried = [(trial.params["a"], trial.params["b"]) for trial in study.trials]
        assert {a for a, _ in tried[1:]} == {2}
        assert len({b for a, b in tried if a == 2}) == 6

    def test_an_enqueued_value_outside_its_range_or_of_no_use_does_not_stop_the_others(self) -> None:
        space: dict[str, BaseDistribution] = {"n": IntDistribution(0, 8, step=2), "b": UNIT}
        study = optuna.create_study(sampler=CostAwareSampler(seed=0))
        for _ in range(4):
            trial = study.ask(space)
            study.tell(trial, trial.params["b"])
        for odd in ("much", 10):
            study.enqueue_trial({"n": odd})
        assert 0.0 <= CostAwareSampler(seed=0).sample_relative(study, study.trials[4], space)["b"] <= 1.0
        assert 0.0 <= CostAwareSampler(seed=0).sample_relative(study, study.trials[5], space)["b"] <= 1.0

    def test_a_retried_trial_does_not_stand_where_the_failed_one_was_about_to_be(self) -> None:
        study = study_of(CostAwareSampler("dear", seed=0))
        study.optimize(bumps, n_trials=5)
        failed = study.ask()
        failed.suggest_float("dear", 0, 1)
        study.tell(failed, state=TrialState.FAIL)
        old = study.trials[5]
        study.add_trial(create_trial(state=TrialState.WAITING, system_attrs={**old.system_attrs, "failed_trial": 5}))
        inputs = Inputs.of({"dear": UNIT, "cheap": UNIT}, {})
        assert claims.unit(old, inputs) is not None
        assert claims.params(study.trials[6], inputs) == {}
        retried = study.ask()
        retried.suggest_float("dear", 0, 1)
        now = study.trials[6]
        assert claims.params(now, inputs) != claims.params(old, inputs)
        assert claims.params(now, inputs)["dear"] == now.params["dear"]

    def test_a_claim_longer_than_a_database_field_is_kept_in_pieces(self, tmp_path: Path) -> None:
        storage = optuna.storages.RDBStorage(f"sqlite:///{tmp_path / 'wide.db'}")
        study = optuna.create_study(storage=storage, sampler=CostAwareSampler(seed=0))
        names = [f"parameter_with_a_long_name_{i}" for i in range(60)]
        try:
            study.optimize(lambda trial: sum(trial.suggest_float(name, 0, 1) for name in names), n_trials=3)
            claims = [key for key in study.trials[-1].system_attrs if key.startswith("camobo:claim")]
            assert len(claims) > 1
        finally:
            storage.remove_session()
            storage.engine.dispose()


class TestConstraints:
    def check(self, study: optuna.Study) -> None:
        late = points(study, "dear")[15:, 0]
        assert (late <= 0.55).mean() >= 0.7
        assert min(t.values[0] for t in study.trials if t.params["dear"] <= 0.5) < 0.01

    def test_a_function_of_constraints_is_kept_to(self) -> None:
        study = study_of(CostAwareSampler(seed=1, constraints_func=lambda t: [t.params["dear"] - 0.5]))
        study.optimize(bumps, n_trials=30)
        self.check(study)

    @pytest.mark.skipif(not hasattr(optuna.Trial, "set_constraint"), reason="Optuna 5 has set_constraint")
    def test_constraints_set_in_the_objective_are_kept_to(self) -> None:
        def constrained(trial: optuna.Trial) -> tuple[float, float]:
            values = bumps(trial)
            trial.set_constraint("at most half", trial.params["dear"] - 0.5)
            return values

        study = study_of(CostAwareSampler(seed=1))
        study.optimize(constrained, n_trials=30)
        self.check(study)

    def test_a_constraint_at_infinity_is_counted_as_failed_and_told_once(
        self, caplog: pytest.LogCaptureFixture
    ) -> None:
        limits = {2: math.inf, 3: math.inf}
        study = study_of(CostAwareSampler(seed=1, constraints_func=lambda t: [0.0, limits.get(t.number, -1.0)]))
        study.optimize(bumps, n_trials=7)
        (text,) = [record.message for record in caplog.records if record.name == "camobo"]
        assert "trial 2 has a constraint at infinity, 1: it counts as failed" in text
        assert "large finite number" in text

    def test_a_constraint_at_minus_infinity_holds_as_the_best_before_it(self, caplog: pytest.LogCaptureFixture) -> None:
        told = [-2.0, -0.5, -math.inf]
        study = optuna.create_study(sampler=CostAwareSampler(seed=1, constraints_func=lambda t: [told[t.number]]))
        study.optimize(lambda t: t.suggest_float("x", 0, 1), n_trials=3)
        plan = Plan(Inputs.of({"x": UNIT}, {}).space, {"value": "min"}, constraints=("0",))
        data = observed.data(study.trials, 4, Inputs.of({"x": UNIT}, {}), plan)
        assert data.values[:, 1].tolist() == [-2.0, -0.5, -2.0]
        study.ask({"x": UNIT})
        assert caplog.records == []

    @pytest.mark.parametrize("stored", [["a"], [None], "abc", [[1]], 3, [math.nan]], ids=label)
    def test_a_stored_constraint_that_is_no_number_counts_as_failed_and_is_told_once(
        self, stored: Any, caplog: pytest.LogCaptureFixture
    ) -> None:
        study = optuna.create_study(sampler=CostAwareSampler(seed=1))
        for x in (0.1, 0.5, 0.9):
            study.add_trial(
                create_trial(
                    params={"x": x},
                    distributions={"x": UNIT},
                    value=x,
                    system_attrs={"constraints": stored if x == 0.1 else [x - 0.7]},
                )
            )
        study.optimize(lambda t: t.suggest_float("x", 0, 1), n_trials=3)
        (text,) = [record.message for record in caplog.records if record.name == "camobo"]
        assert text.startswith("trial 0 has a constraint that is no number, 0")
        assert "it counts as failed" in text
        plan = Plan(Inputs.of({"x": UNIT}, {}).space, {"value": "min"}, constraints=("0",))
        data = observed.data(study.trials[:3], 4, Inputs.of({"x": UNIT}, {}), plan)
        assert data.failed.tolist() == [[0.1]]
        assert data.values.tolist() == [[-0.5, 0.5 - 0.7], [-0.9, 0.9 - 0.7]]
        first, _, third = record(study).trials[:3]
        assert first.state is State.FAILED
        assert first.reason is not None
        assert first.reason.endswith("is no number")
        assert third.reason == "infeasible: constraint 0 is violated"

    def test_a_constraint_that_is_no_number_is_refused(self) -> None:
        study = study_of(CostAwareSampler(seed=1, constraints_func=lambda t: [math.nan]))
        with pytest.raises(InvalidValueError, match=r"constraints_func, trial 0: need numbers, got nan"):
            study.optimize(bumps, n_trials=1)


class TestWarnings:
    def told(self, caplog: pytest.LogCaptureFixture) -> list[str]:
        return [record.message for record in caplog.records if record.name == "camobo"]

    def test_a_misspelt_name_is_told_once_with_the_names_there_are(self, caplog: pytest.LogCaptureFixture) -> None:
        study_of(CostAwareSampler("deer > cheap", seed=0)).optimize(bumps, n_trials=5)
        assert self.told(caplog) == [
            "cost: the study has no parameter called 'deer'. So far it has suggested cheap, dear. Did you mean 'dear'?"
        ]

    def test_a_name_in_other_letters_is_told_at_once(self, caplog: pytest.LogCaptureFixture) -> None:
        study_of(CostAwareSampler("DEAR > cheap", seed=0)).optimize(bumps, n_trials=3)
        (told,) = self.told(caplog)
        assert told.endswith("Did you mean 'dear'?")

    def test_a_name_no_trial_has_is_told_after_a_while(self, caplog: pytest.LogCaptureFixture) -> None:
        study = study_of(CostAwareSampler("nickel > cheap", seed=0))
        study.optimize(bumps, n_trials=8)
        assert self.told(caplog) == []
        study.optimize(bumps, n_trials=6)
        assert [text.count("'nickel'") for text in self.told(caplog)] == [1]

    def test_a_name_is_told_of_where_the_trials_share_no_parameter(self, caplog: pytest.LogCaptureFixture) -> None:
        study = optuna.create_study(sampler=CostAwareSampler("nickel", seed=0, warn_independent_sampling=False))
        study.optimize(lambda trial: trial.suggest_float("a" if trial.number % 2 else "b", 0, 1), n_trials=14)
        assert self.told(caplog) == ["cost: the study has no parameter called 'nickel'. So far it has suggested a, b."]

    def test_a_name_in_the_order_is_not_taken_for_a_misspelt_one(self, caplog: pytest.LogCaptureFixture) -> None:
        sampler = CostAwareSampler("units_0 > units_1", seed=0, warn_independent_sampling=False)
        study = optuna.create_study(sampler=sampler)
        study.optimize(
            lambda t: float(sum(t.suggest_int(f"units_{i}", 4, 128) for i in range(1 if t.number < 4 else 2))),
            n_trials=6,
        )
        assert self.told(caplog) == []

    def test_trials_without_parameters_say_nothing_about_names(self, caplog: pytest.LogCaptureFixture) -> None:
        study = optuna.create_study(sampler=CostAwareSampler("trees", seed=0))
        for _ in range(12):
            study.tell(study.ask(), state=TrialState.FAIL)
        study.ask().suggest_int("trees", 1, 9)
        assert self.told(caplog) == []

    def test_names_that_differ_in_numbers_alone_are_no_misspellings(self, caplog: pytest.LogCaptureFixture) -> None:
        sampler = CostAwareSampler("n_units_l2 > n_units_l1", seed=0, warn_independent_sampling=False)
        study = optuna.create_study(sampler=sampler)
        study.optimize(
            lambda t: float(sum(t.suggest_int(f"n_units_l{i}", 4, 128) for i in range(1 + t.number % 3))), n_trials=6
        )
        assert self.told(caplog) == []

    def test_a_misspelt_name_in_dear_of_one_in_the_order_is_told_at_once(
        self, caplog: pytest.LogCaptureFixture
    ) -> None:
        study_of(CostAwareSampler("dear > cheap", dear={"chaep": "low"}, seed=0)).optimize(bumps, n_trials=3)
        assert self.told(caplog) == [
            "dear: the study has no parameter called 'chaep'. So far it has suggested cheap, dear. "
            "Did you mean 'cheap'?"
        ]

    def test_a_name_that_only_looks_the_same_is_told_at_once(self, caplog: pytest.LogCaptureFixture) -> None:
        study = optuna.create_study(sampler=CostAwareSampler("gr\u00f6\u00dfe", seed=0))
        study.optimize(lambda trial: trial.suggest_float("gro\u0308\u00dfe", 0, 1), n_trials=3)
        (told,) = [record.getMessage() for record in caplog.records if "no parameter" in record.getMessage()]
        assert r"written as 'gro\u0308\xdfe', not as 'gr\xf6\xdfe'" in told

    def test_a_misspelt_name_in_dear_is_told(self, caplog: pytest.LogCaptureFixture) -> None:
        study_of(CostAwareSampler(seed=0, dear={"chaep": "low", "dear": "low"})).optimize(bumps, n_trials=4)
        unpriced, misspelt = self.told(caplog)
        assert unpriced == "dear: 'dear' is not in the cost's order, so it costs nothing. Name it there."
        assert misspelt.startswith("dear: the study has no parameter called 'chaep'.")
        assert "Did you mean 'cheap'?" in misspelt

    def test_a_warning_does_not_silence_another_of_the_same_name(self, caplog: pytest.LogCaptureFixture) -> None:
        def late(trial: optuna.Trial) -> float:
            wide = trial.suggest_float("rate", 0, trial.number) if trial.number >= 12 else 0.0
            return trial.suggest_float("x", 0, 1) + wide

        study = optuna.create_study(sampler=CostAwareSampler("rate > x", seed=0))
        study.optimize(late, n_trials=16)
        first, second = self.told(caplog)
        assert "no parameter called 'rate'" in first
        assert "parameter 'rate' is not in trial 0 and 11 more" in second

    def test_a_range_that_changes_is_told_once(self, caplog: pytest.LogCaptureFixture) -> None:
        study = optuna.create_study(sampler=CostAwareSampler(seed=0))
        study.optimize(lambda trial: trial.suggest_float("x", 0, 1 + trial.number), n_trials=5)
        (text,) = self.told(caplog)
        assert "parameter 'x' changes its range" in text
        assert "Keep its range the same" in text

    def test_a_parameter_that_a_complete_trial_lacks_is_told_once(self, caplog: pytest.LogCaptureFixture) -> None:
        study = study_of(CostAwareSampler(seed=0))
        study.tell(study.ask(), [0.0, 0.0])
        study.optimize(bumps, n_trials=4)
        dear, cheap = self.told(caplog)
        assert dear.startswith("parameter 'dear' is not in trial 0: what not every complete trial has")
        assert "Suggest it in every trial" in dear
        assert "warn_independent_sampling=False" in dear
        assert "'cheap'" in cheap

    def test_parameters_drawn_at_random_are_not_told_where_that_is_meant(
        self, caplog: pytest.LogCaptureFixture
    ) -> None:
        sampler = CostAwareSampler(seed=0, warn_independent_sampling=False)
        for given_sampler in (sampler, pickle.loads(pickle.dumps(sampler))):
            study = optuna.create_study(sampler=given_sampler)
            study.optimize(
                lambda t: t.suggest_float("a" if t.number % 2 else "b", 0, 1) + t.suggest_float("w", 0, 1 + t.number),
                n_trials=4,
            )
        assert self.told(caplog) == []

    def test_a_parameter_of_trials_that_began_before_the_first_result_is_not_told(
        self, caplog: pytest.LogCaptureFixture
    ) -> None:
        study = study_of(CostAwareSampler(seed=0))
        early = study.ask()
        early.suggest_float("dear", 0, 1)
        study.optimize(bumps, n_trials=2)
        early.suggest_float("cheap", 0, 1)
        assert self.told(caplog) == []

    def test_a_category_in_the_order_without_dear_choices_is_told(self, caplog: pytest.LogCaptureFixture) -> None:
        study = optuna.create_study(sampler=CostAwareSampler("c > x", seed=0))
        study.optimize(lambda t: t.suggest_float("x", 0, 1) + len(t.suggest_categorical("c", ["a", "bb"])), n_trials=4)
        (text,) = self.told(caplog)
        assert 'dear={"c": [...]}' in text


class TestOptions:
    def test_a_range_or_a_dear_choice_that_cannot_be_is_refused_by_the_parameters_name(self) -> None:
        with pytest.raises(InvalidSpaceError, match=r"'n'.*too narrow for floats"):
            Inputs.of({"n": IntDistribution(2**60, 2**60 + 10)}, {})
        with pytest.raises(InvalidSpaceError, match=r"parameter 'n'.*that floats can hold"):
            Inputs.of({"n": IntDistribution(0, 10**400)}, {})
        with pytest.raises(InvalidSpaceError, match=r"parameter 'x'.*too wide"):
            Inputs.of({"x": FloatDistribution(-1.7e308, 1.7e308)}, {})
        with pytest.raises(InvalidSpaceError, match=r"dear: 'c' lists \['b', 'b'\], need each of its choices once"):
            Inputs.of({"c": CategoricalDistribution(["a", "b"])}, {"c": ["b", "b"]})

    def test_an_array_for_a_dear_end_is_refused_by_name(self) -> None:
        both = np.array(["high", "low"])
        with pytest.raises(InvalidSpaceError, match=r"dear: 'x' is a number.*array"):
            Inputs.of({"x": FloatDistribution(0, 1)}, {"x": both})
        study = optuna.create_study()
        study.optimize(lambda trial: trial.suggest_float("x", 0, 1), n_trials=1)
        with pytest.raises(InvalidSpaceError, match=r"dear must be .*array"):
            record(study, dear={"x": both})

    @pytest.mark.parametrize(
        ("options", "error", "told"),
        [
            ({"cost": "a > "}, InvalidOrderError, "name"),
            ({"cost": 3}, InvalidOrderError, "need an order"),
            ({"cost": ", ".join(f"x{j}" for j in range(18))}, InvalidOrderError, "18 groups.*Compare more"),
            ({"cost": {"a": 2.0}}, InvalidOptionError, "prices"),
            ({"budget": 0}, InvalidOptionError, "budget"),
            ({"seed": -1}, InvalidOptionError, "seed"),
            ({"method": "best"}, InvalidOptionError, "method"),
            ({"method": np.array(["default", "paper"])}, InvalidOptionError, "method"),
            ({"dear": "low"}, InvalidOptionError, "dear"),
            ({"dear": {1: "low"}}, InvalidOptionError, "dear: need a mapping of parameters' names"),
            ({"dear": {"x": "LOW"}}, InvalidOptionError, "dear: for 'x' need \"low\" or \"high\".*got 'LOW'"),
            ({"reference": [10**400]}, InvalidValueError, "reference: need numbers that a float can hold"),
            ({"reference": [math.nan]}, InvalidValueError, "reference"),
            ({"reference": np.array(1.0)}, InvalidValueError, "reference: need a list of numbers"),
            ({"reference": b"ab"}, InvalidValueError, "reference: need a list of numbers"),
            ({"constraints_func": 3}, InvalidOptionError, "constraints_func"),
        ],
        ids=label,
    )
    def test_an_option_that_cannot_be_is_refused_by_name(self, options: Any, error: type[Exception], told: str) -> None:
        with pytest.raises(error, match=told):
            CostAwareSampler(**options)

    def test_a_reference_for_another_number_of_objectives_is_refused(self) -> None:
        study = study_of(CostAwareSampler(reference=[1.0], seed=0))
        with pytest.raises(InvalidOptionError, match="each of the study's 2 objectives"):
            study.optimize(bumps, n_trials=2)

    def test_more_objectives_than_any_hypervolume_has_are_refused_before_anything_runs(self) -> None:
        study = optuna.create_study(directions=["minimize"] * 32, sampler=CostAwareSampler(seed=0))
        with pytest.raises(InvalidOptionError, match="objectives: need at most 31, got 32"):
            study.ask()
        assert [trial.state for trial in study.trials] == [TrialState.FAIL]

    def test_a_reference_for_another_number_of_objectives_is_refused_before_anything_runs(self) -> None:
        study, run = study_of(CostAwareSampler(reference=[1.0], seed=0)), []

        def objective(trial: optuna.Trial) -> tuple[float, float]:
            run.append(trial.number)
            return bumps(trial)

        with pytest.raises(InvalidOptionError, match="each of the study's 2 objectives"):
            study.optimize(objective, n_trials=2, catch=Exception)
        assert run == []
        assert [trial.state for trial in study.trials] == [TrialState.FAIL]

    def test_what_an_order_says_of_the_parameters_is_worked_out_once(self, monkeypatch: pytest.MonkeyPatch) -> None:
        asked = []

        def counted(cost: Any, names: Any) -> Any:
            asked.append(names)
            return given.cost_among(cost, names)

        monkeypatch.setattr("camobo.optuna.sampler.cost_among", counted)
        sampler = CostAwareSampler("dear > cheap > rare", seed=0)
        study = study_of(sampler)
        study.optimize(bumps, n_trials=6)
        assert asked == [("cheap", "dear")]
        study.sampler = pickle.loads(pickle.dumps(copy.deepcopy(sampler)))
        study.optimize(bumps, n_trials=2)
        assert asked == [("cheap", "dear")] * 2

    def test_a_sampler_travels_to_other_processes_and_goes_on_there(self) -> None:
        sampler = CostAwareSampler("dear > cheap", budget=9, seed=None, dear={"rate": "low"})
        study = study_of(sampler)
        study.optimize(bumps, n_trials=5)
        for there in (pickle.loads(pickle.dumps(sampler)), copy.deepcopy(sampler)):
            assert there.seed == sampler.seed
            trial = optuna.trial.FrozenTrial(99, TrialState.RUNNING, None, None, None, {}, {}, {}, {}, {}, 99)
            space = sampler.infer_relative_search_space(study, trial)
            assert there.infer_relative_search_space(study, trial) == space

    def test_a_copy_of_a_kind_of_its_own_keeps_its_kind(self) -> None:
        class Mine(CostAwareSampler):
            pass

        mine = Mine("dear > cheap", seed=3)
        mine.note = "kept"  # type: ignore[attr-defined]
        found = copy.deepcopy(mine)
        assert isinstance(found, Mine)
        assert (found.seed, found.note) == (3, "kept")  # type: ignore[attr-defined]

    def test_two_samplers_without_a_seed_differ(self) -> None:
        assert CostAwareSampler().seed != CostAwareSampler().seed

    def test_reseeding_changes_nothing(self) -> None:
        sampler = CostAwareSampler(seed=5)
        sampler.reseed_rng()
        assert sampler.seed == 5


def test_without_optuna_the_import_names_the_command_that_installs_it() -> None:
    code = "import sys; sys.modules['optuna'] = None\nimport camobo.optuna"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    assert "pip install 'camobo[optuna]'" in done.stderr
