from __future__ import annotations

import copy
import logging
import math
import pickle
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np
import optuna
import pytest
from hypothesis import given
from hypothesis import strategies as st
from optuna.distributions import BaseDistribution, CategoricalDistribution, FloatDistribution, IntDistribution
from optuna.trial import FrozenTrial, TrialState, create_trial

from camobo import AdditiveCost, PaperCost, Space, Study, engine
from camobo.cli import main
from camobo.errors import InvalidOptionError, InvalidOrderError, InvalidSpaceError, InvalidValueError, StorageError
from camobo.inputs import Categorical, Integer, Real
from camobo.insight import Record
from camobo.optuna import CostAwareSampler, load, record
from camobo.optuna.inputs import Inputs
from camobo.plan import Data, Plan
from camobo.problems import zdt3
from camobo.report import report
from camobo.trial import State
from strategies import label, law

Direction: TypeAlias = Literal["minimize", "maximize"]
TWO: list[Direction] = ["minimize", "maximize"]
UNIT = FloatDistribution(0, 1)


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    level = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    yield
    optuna.logging.set_verbosity(level)


def study_of(sampler: CostAwareSampler, directions: list[Direction] | None = None) -> optuna.Study:
    return optuna.create_study(directions=directions or ["minimize", "minimize"], sampler=sampler)


def bumps(trial: optuna.Trial) -> tuple[float, float]:
    """Two bowls apart along the dear parameter; the best of the first is at its cheap end."""
    dear, cheap = trial.suggest_float("dear", 0, 1), trial.suggest_float("cheap", 0, 1)
    return (dear - 0.1) ** 2 + (cheap - 0.3) ** 2, (dear - 0.9) ** 2 + (cheap - 0.3) ** 2


def points(study: optuna.Study, *names: str) -> np.ndarray[Any, Any]:
    return np.array([[trial.params[name] for name in names] for trial in study.trials])


class TestInputs:
    @pytest.mark.parametrize(
        ("distribution", "expected"),
        [
            (FloatDistribution(-2, 3), Real(-2.0, 3.0)),
            (FloatDistribution(1e-5, 1, log=True), Real(1e-5, 1.0, log=True)),
            (FloatDistribution(0, 1, step=0.25), Integer(0, 4)),
            (IntDistribution(-3, 9), Integer(-3, 9)),
            (IntDistribution(1, 64, log=True), Integer(1, 64, log=True)),
            (IntDistribution(4, 20, step=4), Integer(0, 4)),
            (IntDistribution(0, 2**50), Real(0.0, 2.0**50)),
            (IntDistribution(2**50, 2**50 + 7), Integer(0, 7)),
            (IntDistribution(2**40, 2**43, step=2**40), Integer(0, 7)),
            (CategoricalDistribution(["a", math.nan, None]), Categorical([0, 1, 2])),
            (CategoricalDistribution([1, "sqrt", 1.0, "log2"]), Categorical([0, 1, 3])),
        ],
        ids=label,
    )
    def test_every_distribution_has_its_input(self, distribution: BaseDistribution, expected: Any) -> None:
        assert Inputs.of({"x": distribution}, {}).space.inputs["x"] == expected

    @law
    @given(st.data())
    def test_what_is_suggested_is_in_the_distribution_and_found_again_where_it_was(self, data: st.DataObject) -> None:
        distribution = data.draw(distributions())
        inputs = Inputs.of({"x": distribution}, {})
        unit = inputs.space.snap(np.array([[data.draw(st.floats(0, 1))]]))[0]
        value = inputs.params(unit)["x"]
        assert distribution._contains(distribution.to_internal_repr(value))
        again = inputs.unit({"x": value})
        assert again is not None
        assert again == pytest.approx(unit, abs=1e-6)

    def test_params_that_are_missing_or_out_of_range_have_no_place(self) -> None:
        inputs = Inputs.of({"x": IntDistribution(0, 8, step=2), "c": CategoricalDistribution(["a", "b"])}, {})
        assert inputs.unit({"x": 4, "c": "b"}) == pytest.approx([0.5, 0.75])
        for params in ({"x": 4}, {"x": 10, "c": "a"}, {"x": 3, "c": "a"}, {"x": 4, "c": "z"}):
            assert inputs.unit(params) is None

    def test_dear_turns_a_number_and_ranks_choices(self) -> None:
        given = {"rate": UNIT, "quench": CategoricalDistribution(["air", "oil", "vacuum"])}
        space = Inputs.of(given, {"rate": "low", "quench": ["vacuum", "oil"]}).space
        assert space.cheapest().tolist() == pytest.approx([1.0, 1 / 6])

    @pytest.mark.parametrize(
        ("distribution", "dear", "told"),
        [
            (UNIT, "left", '"high".*"low"'),
            (UNIT, ["a"], "is a number"),
            (CategoricalDistribution(["a", "b"]), "high", "list its dear choices"),
            (CategoricalDistribution(["a", "b"]), ["c"], "its choices are"),
        ],
        ids=label,
    )
    def test_a_dear_end_that_cannot_be_is_refused_with_what_can(
        self, distribution: BaseDistribution, dear: Any, told: str
    ) -> None:
        with pytest.raises(InvalidSpaceError, match=told):
            Inputs.of({"x": distribution}, {"x": dear})


@st.composite
def distributions(draw: st.DrawFn) -> BaseDistribution:
    kind = draw(st.sampled_from(["float", "log", "step", "int", "int log", "int step", "categorical"]))
    if kind == "categorical":
        return CategoricalDistribution(list(range(draw(st.integers(2, 6)))))
    if kind.startswith("int"):
        low = draw(st.integers(1, 100) if "log" in kind else st.integers(-100, 100))
        step = draw(st.integers(2, 5)) if "step" in kind else 1
        return IntDistribution(low, low + step * draw(st.integers(1, 1000)), log="log" in kind, step=step)
    low_float = draw(st.floats(1e-6, 1.0) if kind == "log" else st.floats(-100, 100))
    if kind == "step":
        size, start = draw(st.sampled_from([0.25, 0.5, 3.0])), float(draw(st.integers(-100, 100)))
        return FloatDistribution(start, start + size * draw(st.integers(1, 200)), step=size)
    return FloatDistribution(low_float, low_float + draw(st.floats(0.1, 1000)), log=kind == "log")


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
        firsts = [study_of(CostAwareSampler("a", budget=40, seed=seed)).ask(space).params for seed in range(30)]
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
        from camobo.optuna import observed

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


def ended(x: float, value: float, state: TrialState) -> FrozenTrial:
    return create_trial(state=state, params={"x": x}, distributions={"x": UNIT}, value=value)


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
        from camobo.optuna import observed

        told = [-2.0, -0.5, -math.inf]
        study = optuna.create_study(sampler=CostAwareSampler(seed=1, constraints_func=lambda t: [told[t.number]]))
        study.optimize(lambda t: t.suggest_float("x", 0, 1), n_trials=3)
        plan = Plan(Inputs.of({"x": UNIT}, {}).space, {"value": "min"}, constraints=("0",))
        data = observed.data(study.trials, 4, Inputs.of({"x": UNIT}, {}), plan)
        assert data.values[:, 1].tolist() == [-2.0, -0.5, -2.0]
        study.ask({"x": UNIT})
        assert caplog.records == []

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
        study = optuna.create_study(sampler=CostAwareSampler("nickel", seed=0))
        study.optimize(lambda trial: trial.suggest_float("a" if trial.number % 2 else "b", 0, 1), n_trials=14)
        assert self.told(caplog) == ["cost: the study has no parameter called 'nickel'. So far it has suggested a, b."]

    def test_a_name_in_the_order_is_not_taken_for_a_misspelt_one(self, caplog: pytest.LogCaptureFixture) -> None:
        study = optuna.create_study(sampler=CostAwareSampler("units_0 > units_1", seed=0))
        study.optimize(
            lambda t: float(sum(t.suggest_int(f"units_{i}", 4, 128) for i in range(1 if t.number < 4 else 2))),
            n_trials=6,
        )
        assert self.told(caplog) == []

    def test_a_name_that_only_looks_the_same_is_told_at_once(self, caplog: pytest.LogCaptureFixture) -> None:
        study = optuna.create_study(sampler=CostAwareSampler("gr\u00f6\u00dfe", seed=0))
        study.optimize(lambda trial: trial.suggest_float("gro\u0308\u00dfe", 0, 1), n_trials=3)
        (told,) = [record.getMessage() for record in caplog.records if "no parameter" in record.getMessage()]
        assert r"written as 'gro\u0308\xdfe', not as 'gr\xf6\xdfe'" in told

    def test_a_misspelt_name_in_dear_is_told(self, caplog: pytest.LogCaptureFixture) -> None:
        study_of(CostAwareSampler(seed=0, dear={"chaep": "low", "dear": "low"})).optimize(bumps, n_trials=4)
        (text,) = self.told(caplog)
        assert text.startswith("dear: the study has no parameter called 'chaep'.")
        assert "Did you mean 'cheap'?" in text

    def test_a_warning_does_not_silence_another_of_the_same_name(self, caplog: pytest.LogCaptureFixture) -> None:
        def late(trial: optuna.Trial) -> float:
            wide = trial.suggest_float("rate", 0, trial.number) if trial.number >= 12 else 0.0
            return trial.suggest_float("x", 0, 1) + wide

        study = optuna.create_study(sampler=CostAwareSampler("rate > x", seed=0))
        study.optimize(late, n_trials=16)
        first, second = self.told(caplog)
        assert "no parameter called 'rate'" in first
        assert "parameter 'rate' changes its range" in second

    def test_a_range_that_changes_is_told_once(self, caplog: pytest.LogCaptureFixture) -> None:
        study = optuna.create_study(sampler=CostAwareSampler(seed=0))
        study.optimize(lambda trial: trial.suggest_float("x", 0, 1 + trial.number), n_trials=5)
        (text,) = self.told(caplog)
        assert "parameter 'x' changes its range" in text
        assert "Keep its range the same" in text

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


class TestReading:
    def test_a_study_is_read_as_frozen_records(self) -> None:
        study = study_of(CostAwareSampler("dear", seed=0, constraints_func=lambda t: [t.params["dear"] - 0.5]), TWO)
        study.optimize(bumps, n_trials=8)
        with pytest.warns(optuna.exceptions.ExperimentalWarning):
            study.set_metric_names(["loss", "score"])
        study.enqueue_trial({"dear": 0.9, "cheap": 0.1})
        study.optimize(bumps, n_trials=1)
        study.ask({"dear": UNIT, "cheap": UNIT})
        found = record(study, cost="dear > cheap", budget=20)
        assert dict(found.plan.objectives) == {"loss": "min", "score": "max"}
        assert found.plan.space.names == ("cheap", "dear")
        assert found.order is not None
        assert str(found.order) == "dear > cheap"
        assert found.plan.budget == 20
        assert [trial.number for trial in found.trials] == list(range(10))
        assert found.trials[0].params == study.trials[0].params
        assert found.trials[8].state is State.FAILED
        assert found.trials[8].reason == "infeasible: constraint 0 is violated"
        assert found.trials[9].state is State.PENDING
        complete = [trial for trial in found.trials if trial.state is State.COMPLETE]
        assert all(trial.values and list(trial.values) == ["loss", "score"] for trial in complete)

    def test_what_is_no_result_says_why(self) -> None:
        study = optuna.create_study()
        for state, value in ((TrialState.PRUNED, 0.2), (TrialState.COMPLETE, math.inf)):
            study.add_trial(ended(0.1, value, state))
        study.add_trial(ended(0.3, 0.2, TrialState.COMPLETE))
        study.add_trial(create_trial(state=TrialState.FAIL, params={}, distributions={}))
        found = record(study).trials
        assert [trial.reason for trial in found] == ["pruned", "a value is not finite: inf", None]
        assert [trial.number for trial in found] == [0, 1, 2]  # the one that failed before its parameters is left out

    def test_objectives_of_one_name_are_told_apart_by_their_number(self) -> None:
        for names, told in ((["loss", "loss"], ["loss (0)", "loss (1)"]), (["", "score"], ["value (0)", "score (1)"])):
            study = study_of(CostAwareSampler("dear > cheap", seed=0))
            with pytest.warns(optuna.exceptions.ExperimentalWarning):
                study.set_metric_names(names)
            study.optimize(bumps, n_trials=4)
            assert list(record(study).plan.objectives) == told

    def test_an_order_may_name_a_parameter_that_only_some_trials_have(self) -> None:
        def objective(trial: optuna.Trial) -> float:
            x = trial.suggest_float("x", 0, 1)
            return x + (trial.suggest_float("rare", 0, 1) if trial.number % 2 else 0.0)

        study = optuna.create_study(sampler=CostAwareSampler("rare > x", seed=0))
        study.optimize(objective, n_trials=4)
        assert str(record(study, cost="rare > x").order) == "x"
        with pytest.raises(InvalidOrderError, match=r"no trial has a parameter called 'rear'. They have rare, x"):
            record(study, cost="rear > x")

    @pytest.mark.parametrize(
        ("options", "told"),
        [
            ({"budget": -3}, "budget: need a whole number"),
            ({"budget": math.nan}, "budget: need a whole number"),
            ({"budget": True}, "budget: need a whole number"),
            ({"dear": "low"}, "dear: need a mapping"),
            ({"study": "sqlite:///x.db"}, "record: need an Optuna study"),
        ],
        ids=label,
    )
    def test_an_option_that_cannot_be_is_refused_by_name(self, options: Any, told: str) -> None:
        study = optuna.create_study()
        study.add_trial(ended(0.3, 0.2, TrialState.COMPLETE))
        with pytest.raises(InvalidOptionError, match=told):
            record(**{"study": study, **options})

    def test_a_study_without_a_shared_parameter_says_so(self) -> None:
        with pytest.raises(InvalidSpaceError, match=r"no parameter.*; 0 trials"):
            record(optuna.create_study())
        fixed = optuna.create_study()
        fixed.optimize(lambda trial: trial.suggest_float("x", 1, 1), n_trials=2)
        with pytest.raises(InvalidSpaceError, match=r"more than one value \(x can have one value only\); 2 trials"):
            record(fixed)

    def test_choices_that_equal_each_other_are_told_apart_by_how_they_are_written(self) -> None:
        study = optuna.create_study()
        given = optuna.distributions.CategoricalDistribution([1, True, None, "oil", math.nan])
        for choice in given.choices:
            study.add_trial(create_trial(params={"x": choice}, distributions={"x": given}, value=1.0))
        assert [trial.params["x"] for trial in record(study).trials] == ["1", "True", "None", "oil", "nan"]

    def test_choices_that_would_read_the_same_are_shown_as_they_are_written(self) -> None:
        study = optuna.create_study()
        given = optuna.distributions.CategoricalDistribution(["1", 1, "oil"])
        for choice in given.choices:
            study.add_trial(create_trial(params={"x": choice}, distributions={"x": given}, value=1.0))
        found = record(study, cost="x", dear={"x": ["1", 1]})
        assert [trial.params["x"] for trial in found.trials] == ["'1'", "1", "'oil'"]
        assert found.plan.space.inputs["x"] == Categorical(["'1'", "1", "'oil'"], dear=["'1'", "1"])

    def test_more_objectives_than_a_hypervolume_has_are_refused(self) -> None:
        study = optuna.create_study(directions=["minimize"] * 32)
        study.optimize(lambda trial: [trial.suggest_float("x", 0, 1)] * 32, n_trials=1)
        with pytest.raises(InvalidOptionError, match="at most 31, got 32"):
            record(study)

    def test_an_order_of_parameters_it_does_not_have_is_refused(self) -> None:
        study = optuna.create_study()
        study.add_trial(ended(0.3, 0.2, TrialState.COMPLETE))
        with pytest.raises(InvalidOrderError, match="nickel"):
            record(study, cost="nickel")

    def test_a_report_is_written_of_it(self, tmp_path: Path) -> None:
        pytest.importorskip("plotly")
        study = optuna.create_study(
            directions=["minimize", "maximize"], sampler=CostAwareSampler("dear > cheap", seed=1)
        )
        study.optimize(bumps, n_trials=8)
        text = report(record(study, cost="dear > cheap"), tmp_path / "forest.html").read_text()
        assert "dear" in text
        assert "trial 7" in text


class TestLoading:
    def made(self, path: Path, *names: str) -> str:
        storage = optuna.storages.RDBStorage(f"sqlite:///{path}")
        for name in names:
            optuna.create_study(study_name=name, storage=storage)
        storage.engine.dispose()
        return storage.url

    def test_the_only_study_there_needs_no_name(self, tmp_path: Path) -> None:
        assert load(self.made(tmp_path / "one.db", "forest")).study_name == "forest"
        with pytest.raises(InvalidOptionError, match=r"need the name of a study. There: 'forest', 'woods'"):
            load(self.made(tmp_path / "two.db", "forest", "woods"))

    def test_a_database_that_is_not_optunas_is_refused_and_left_as_it_is(self, tmp_path: Path) -> None:
        ours, empty, other = tmp_path / "alloy.db", tmp_path / "empty.db", tmp_path / "other.db"
        Study(Space({"x": Real(0, 1)}), {"y": "min"}, storage=ours).close()
        empty.touch()
        with closing(sqlite3.connect(other)) as connection:
            connection.execute("create table trials (number integer)")
        for path in (ours, empty, other):
            before = path.read_bytes()
            with pytest.raises(StorageError, match=r"is not Optuna's.*left as it is"):
                load(f"sqlite:///{path}")
            assert path.read_bytes() == before

    def test_a_file_may_be_named_as_a_uri(self, tmp_path: Path) -> None:
        self.made(tmp_path / "one.db", "forest")
        assert load(f"sqlite:///file:{tmp_path / 'one.db'}?mode=ro&uri=true").study_name == "forest"

    def test_a_damaged_database_is_told_as_such(self, tmp_path: Path) -> None:
        url = self.made(tmp_path / "one.db", "forest")
        load(url).optimize(lambda trial: trial.suggest_float("x", 0, 1), n_trials=1)
        with closing(sqlite3.connect(tmp_path / "one.db")) as connection:
            connection.execute("update trial_params set distribution_json = '{'")
            connection.commit()
        with pytest.raises(StorageError, match=r"cannot be read as Optuna's storage: .*its database is damaged"):
            load(url)

    def test_a_driver_that_is_missing_is_named_with_what_installs_it(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "psycopg", None)
        with pytest.raises(StorageError, match=r"psycopg.*pip install 'camobo\[postgres\]'"):
            load("postgresql+psycopg://localhost/forest")

    def test_a_file_that_is_not_there_is_not_made(self, tmp_path: Path) -> None:
        with pytest.raises(StorageError, match="there is no file"):
            load(f"sqlite:///{tmp_path / 'no.db'}")
        assert list(tmp_path.iterdir()) == []

    @pytest.mark.parametrize(
        "url",
        [
            "sqlite://me:hush@/no.db?password=hush",
            "sqlite://me:hush@host/no.db",
            "oracel://me:hush@host/forest",
            "postgresql//me:hush@host/forest",
            "postgresql://me:hush@host:port/forest",
            "redis://me:hush@host/0",
        ],
    )
    def test_a_password_is_not_told(self, url: str) -> None:
        with pytest.raises((InvalidOptionError, StorageError)) as refused:
            load(url)
        assert "hush" not in str(refused.value)

    def test_a_redis_url_is_refused_with_what_to_do(self) -> None:
        with pytest.raises(InvalidOptionError, match=r"got one of Redis.*camobo\.optuna\.record"):
            load("redis://localhost")


class TestReportingFromTheCommandLine:
    @pytest.fixture
    def forest(self, tmp_path: Path) -> str:
        url = f"sqlite:///{tmp_path / 'forest.db'}"
        storage = optuna.storages.RDBStorage(url)
        study = optuna.create_study(
            study_name="forest", storage=storage, directions=TWO, sampler=CostAwareSampler(seed=1)
        )
        study.optimize(bumps, n_trials=6)
        storage.engine.dispose()
        return url

    def refused(self, capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
        with pytest.raises(SystemExit) as stopped:
            main(["report", *arguments])
        assert stopped.value.code == 1
        return " ".join(capsys.readouterr().err.split())

    def test_a_report_of_an_optuna_study_is_written(self, forest: str, tmp_path: Path) -> None:
        pytest.importorskip("plotly")
        page = tmp_path / "forest.html"
        with pytest.raises(SystemExit) as stopped:
            main(["report", "--optuna", forest, "--study", "forest", "--cost", "dear > cheap", "-o", str(page)])
        assert stopped.value.code == 0
        assert "dear" in page.read_text(encoding="utf-8")

    def test_dear_ends_and_a_budget_can_be_said(
        self, forest: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        pytest.importorskip("plotly")
        said: list[Plan] = []

        def write(record: Record, path: str, **_: object) -> str:
            said.append(record.plan)
            return path

        monkeypatch.setattr("camobo.report.report", write)
        monkeypatch.chdir(tmp_path)
        with pytest.raises(SystemExit) as stopped:
            main(["report", "--optuna", forest, "--cost", "dear > cheap", "--dear", "dear=low", "--budget", "20"])
        assert stopped.value.code == 0
        assert said[0].budget == 20
        assert said[0].space.inputs["dear"] == Real(0.0, 1.0, dear="low")
        assert "Did you mean 'dear'?" in self.refused(capsys, "--optuna", forest, "--dear", "deer=low")
        assert "need name=low" in self.refused(capsys, "--optuna", forest, "--dear", "dear")
        twice = ("--dear", "dear=low", "--dear", "dear=high")
        assert "need 'dear' once" in self.refused(capsys, "--optuna", forest, *twice)
        assert "go with --optuna" in self.refused(capsys, "alloy.db", "--budget", "3")

    @pytest.mark.parametrize("named", [[], ["--study", "my forest/1"]], ids=["alone", "named"])
    def test_a_report_is_called_as_the_study_unless_a_file_is_named(
        self, named: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        pytest.importorskip("plotly")
        monkeypatch.chdir(tmp_path)
        storage = optuna.storages.RDBStorage("sqlite:///forest.db")
        study = optuna.create_study(study_name="my forest/1", storage=storage)
        study.add_trial(ended(0.3, 0.2, TrialState.COMPLETE))
        storage.engine.dispose()
        for _ in range(2):  # a page is brought up to date
            with pytest.raises(SystemExit) as stopped:
                main(["report", "--optuna", "sqlite:///forest.db", *named])
            assert stopped.value.code == 0
            assert "my-forest-1.html: open it" in " ".join(capsys.readouterr().out.split())
        assert sorted(path.name for path in tmp_path.iterdir()) == ["forest.db", "my-forest-1.html"]

    def test_a_page_that_is_no_report_is_left_as_it_is(
        self, forest: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        pytest.importorskip("plotly")
        page = tmp_path / "index.html"
        page.write_text("<!doctype html><title>My home</title>")
        assert "is there already" in self.refused(capsys, "--optuna", forest, "-o", str(page))
        assert page.read_text() == "<!doctype html><title>My home</title>"
        with pytest.raises(SystemExit) as stopped:
            main(["report", "--optuna", forest, "-o", str(page), "--force"])
        assert stopped.value.code == 0
        assert "My home" not in page.read_text(encoding="utf-8")

    def test_a_name_that_is_not_there_names_those_that_are(
        self, forest: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        page = tmp_path / "x.html"
        said = self.refused(capsys, "--optuna", forest, "--study", "woods", "-o", str(page))
        assert "no Optuna study called 'woods'" in said
        assert "'forest'" in said
        assert not page.exists()

    def test_a_storage_that_is_not_there_is_not_made(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        said = self.refused(capsys, "--optuna", f"sqlite:///{tmp_path / 'no.db'}", "-o", str(tmp_path / "x.html"))
        assert "there is no file" in said
        assert not (tmp_path / "no.db").exists()

    def test_one_study_of_either_kind_is_needed(self, forest: str, capsys: pytest.CaptureFixture[str]) -> None:
        assert "need one study" in self.refused(capsys)
        assert "need one study" in self.refused(capsys, "alloy.db", "--optuna", forest)
        assert "go with --optuna" in self.refused(capsys, "alloy.db", "--cost", "a > b")
        assert "need a URL" in self.refused(capsys, "--optuna", "forest.db", "-o", "x.html")
