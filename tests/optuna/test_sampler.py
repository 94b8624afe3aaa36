from __future__ import annotations

import copy
import math
import pickle
import subprocess
import sys
from typing import Any

import numpy as np
import optuna
import pytest
from optuna.distributions import BaseDistribution, CategoricalDistribution, IntDistribution
from optuna.trial import TrialState, create_trial

from camobo.cost.budget import Budget
from camobo.cost.formula import Formula
from camobo.cost.ordered import OrderCost
from camobo.cost.paper import PaperCost
from camobo.cost.prices import Prices
from camobo.cost.receipts import LearnedCost
from camobo.errors import InvalidOptionError, InvalidOrderError, InvalidValueError
from camobo.optuna import CostAwareSampler, claims, costs
from camobo.optuna.search_space import Inputs
from camobo.problems import zdt3
from camobo.strategy.plan import Data, Plan
from camobo.strategy.protocol import Suggestion
from camobo.strategy.suggest import suggest
from tests.support.optuna_studies import TWO, UNIT, Direction, bumps, points, running, study_of, took, trial_with
from tests.support.strategies import label

pytestmark = pytest.mark.usefixtures("quiet_optuna")


def warnings(caplog: pytest.LogCaptureFixture) -> list[str]:
    """What camobo has written to the log."""
    return [record.message for record in caplog.records if record.name == "camobo"]


class TestSuggestions:
    def test_they_are_camobos_own(self) -> None:
        problem, count = zdt3(inputs=3), 15
        units = np.random.default_rng(0).random((count, 3))
        space: dict[str, Any] = dict.fromkeys(problem.space.names, UNIT)
        study = study_of(CostAwareSampler("x1 > x2", budget=50, seed=4))
        for unit in units:
            values = problem.evaluate(unit[None])[0].tolist()
            params = dict(zip(space, unit.tolist(), strict=True))
            study.add_trial(create_trial(params=params, distributions=space, values=values))
        plan = Plan(problem.space, {"f1": "min", "f2": "min"}, OrderCost("x1 > x2"), Budget(trials=50), seed=4)
        none = np.zeros((0, 3))
        expected = suggest(plan, Data(units, -problem.evaluate(units), none, none, count + 1), count).unit
        assert list(study.ask(space).params.values()) == pytest.approx(expected.tolist(), abs=1e-12)

    def test_the_same_seed_gives_the_same_trials_with_and_without_cached_models(self) -> None:
        cached = study_of(CostAwareSampler("expensive", seed=3))
        cached.optimize(bumps, n_trials=10)
        forgetful = study_of(CostAwareSampler("expensive", seed=3))
        for _ in range(10):
            forgetful.sampler = CostAwareSampler("expensive", seed=3)
            forgetful.optimize(bumps, n_trials=1)
        assert points(cached, "expensive", "cheap").tolist() == points(forgetful, "expensive", "cheap").tolist()

    def test_one_sampler_serves_two_studies_as_two_samplers_would(self) -> None:
        shared = CostAwareSampler("expensive", seed=3)
        both = [study_of(shared), study_of(shared, TWO)]
        for _ in range(8):
            for study in both:
                study.optimize(bumps, n_trials=1)
        alone = study_of(CostAwareSampler("expensive", seed=3), TWO)
        alone.optimize(bumps, n_trials=8)
        assert points(both[1], "expensive", "cheap").tolist() == points(alone, "expensive", "cheap").tolist()

    def test_an_expensive_parameter_is_used_less_than_without_a_cost_and_the_front_is_found(self) -> None:
        used = dict.fromkeys(("expensive > cheap", None), 0.0)
        for cost in used:
            for seed in range(6):  # a single study is a matter of luck: one of these six uses more with the order
                study = study_of(CostAwareSampler(cost, budget=20, seed=seed))
                study.optimize(bumps, n_trials=20)
                used[cost] += float(points(study, "expensive").sum())
                assert min(trial.values[0] for trial in study.trials) < 0.01
        assert used["expensive > cheap"] < 0.9 * used[None]

    def test_one_objective_is_minimised_or_maximised(self) -> None:
        signs: dict[Direction, float] = {"minimize": 1.0, "maximize": -1.0}
        for direction, sign in signs.items():
            study = optuna.create_study(direction=direction, sampler=CostAwareSampler(seed=0))

            def bowl(trial: optuna.Trial, sign: float = sign) -> float:
                return sign * ((trial.suggest_float("x", -5, 5) - 1) ** 2 + (trial.suggest_float("y", -5, 5) + 2) ** 2)

            study.optimize(bowl, n_trials=18)
            assert abs(study.best_value) < 0.01

    def test_mixed_parameters_reach_the_best(self) -> None:
        def objective(trial: optuna.Trial) -> float:
            rate = trial.suggest_float("rate", 1e-5, 1, log=True)
            units = trial.suggest_int("units", 8, 128, step=8)
            kind = trial.suggest_categorical("kind", ["a", "b", "c"])
            drop = trial.suggest_float("drop", 0, 0.5, step=0.1)
            return (math.log10(rate) + 2) ** 2 + abs(units - 64) / 32 + (kind != "b") + drop

        study = optuna.create_study(sampler=CostAwareSampler("units > drop", seed=0))
        study.optimize(objective, n_trials=30)
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

    def test_equal_choices_are_one_value(self) -> None:
        study = optuna.create_study(sampler=CostAwareSampler("x > y", seed=0))
        study.optimize(lambda t: len(t.suggest_categorical("x", ["a", "a"])) + t.suggest_float("y", 0, 1), n_trials=6)
        assert {trial.params["x"] for trial in study.trials} == {"a"}

    def test_steps_too_fine_for_optunas_grid_check_are_suggested_as_modelled(self) -> None:
        study = optuna.create_study(sampler=CostAwareSampler(seed=0))
        study.optimize(lambda t: (t.suggest_float("x", 1e6, 1e6 + 1, step=1e-3) - 1e6 - 0.7) ** 2, n_trials=25)
        for trial in study.trials[1:]:
            assert trial.params["x"] == trial.system_attrs["camobo:claim"]["params"]["x"]
        assert abs(study.best_params["x"] - 1e6 - 0.7) < 0.01

    def test_a_finite_space_that_is_used_up_continues_with_points_tried_before(
        self, caplog: pytest.LogCaptureFixture
    ) -> None:
        study = optuna.create_study(sampler=CostAwareSampler("c", expensive={"c": ["b"]}, seed=0))
        study.optimize(lambda trial: float(trial.suggest_categorical("c", ["a", "b"]) == "a"), n_trials=6)
        assert {trial.params["c"] for trial in study.trials} == {"a", "b"}
        assert len(study.trials) == 6
        assert warnings(caplog) == ["every point of the search space has been tried; from now on points repeat."]

    def test_the_papers_method_and_a_cost_model_can_be_given(self) -> None:
        study = study_of(CostAwareSampler(PaperCost("expensive > cheap"), method="paper", seed=0, reference=[1.0, 1.0]))
        study.optimize(bumps, n_trials=8)
        assert len(study.best_trials) > 0


def billed(trial: optuna.Trial) -> tuple[float, float]:
    """The bumps, and what they cost as a user attribute."""
    values = bumps(trial)
    trial.set_user_attr("euros", price(trial.params))
    return values


def price(params: dict[str, Any]) -> float:
    return float(1.0 + 30.0 * params["expensive"] ** 2)


def bill(study: optuna.Study) -> float:
    return float(sum(trial.user_attrs["euros"] for trial in study.trials))


MODELS = ["forest", "boosting", "svm"]


def chosen(trial: optuna.Trial) -> float:
    """A model is chosen, and has parameters of its own: the best is a boosting at 0.2, at a tenth."""
    if trial.suggest_categorical("model", MODELS) == "forest":
        return 0.3 + (trial.suggest_float("forest_share", 0, 1) - 0.3) ** 2 + trial.suggest_int("depth", 1, 9) / 90
    if trial.params["model"] == "svm":
        spread = (
            trial.suggest_float("spread", 0, 1) if trial.suggest_categorical("kernel", ["rbf", "lin"]) == "rbf" else 1
        )
        return 0.2 + (trial.suggest_float("c", 0, 1) - 0.5) ** 2 + spread / 10
    return 0.1 + (trial.suggest_float("rate", 0, 1) - 0.2) ** 2


class TestConditionalParameters:
    def study(self, *args: Any, **options: Any) -> optuna.Study:
        return optuna.create_study(sampler=CostAwareSampler(*args, **{"seed": 0, **options}), study_name="models")

    def test_the_parameters_of_a_branch_are_modelled(self, caplog: pytest.LogCaptureFixture) -> None:
        study = self.study()
        study.optimize(chosen, n_trials=30)
        assert study.best_value < 0.101
        assert study.best_params["model"] == "boosting"
        assert warnings(caplog) == []

    def test_every_branch_gets_its_first_points(self) -> None:
        study = self.study()
        study.optimize(chosen, n_trials=16)
        counts = [sum(name in trial.params for trial in study.trials) for name in ("depth", "rate", "c", "spread")]
        assert min(counts) >= 3

    def test_a_branch_that_is_enqueued_before_there_are_models_is_tried_at_different_points(self) -> None:
        study = self.study()
        study.enqueue_trial({"model": "svm", "kernel": "lin"})
        study.optimize(chosen, n_trials=2)
        for _ in range(4):
            study.enqueue_trial({"model": "svm", "kernel": "lin"})
        study.optimize(chosen, n_trials=4)
        assert len({round(trial.params["c"], 3) for trial in study.trials if "c" in trial.params}) >= 5

    def test_what_does_not_apply_to_an_enqueued_branch_is_left_out_though_the_money_is_spent(self) -> None:
        study = self.study(Formula("1 + depth"), budget=Budget(cost=30))
        study.optimize(chosen, n_trials=8)
        for _ in range(20):
            study.enqueue_trial({"model": "svm", "depth": 9})
        study.optimize(chosen, n_trials=20)
        assert all("depth" not in trial.params for trial in study.trials[8:])

    def test_a_suggestion_has_exactly_what_the_objective_asks_for(self) -> None:
        study = self.study()
        study.optimize(chosen, n_trials=20)
        for trial in study.trials[12:]:
            assert trial.system_attrs["camobo:claim"]["params"].keys() == trial.params.keys()

    def test_a_study_continues_as_if_it_had_never_stopped(self) -> None:
        cached, forgetful = self.study("depth"), self.study("depth")
        cached.optimize(chosen, n_trials=16)
        for _ in range(16):
            forgetful.sampler = CostAwareSampler("depth", seed=0)
            forgetful.optimize(chosen, n_trials=1)
        assert [trial.params for trial in cached.trials] == [trial.params for trial in forgetful.trials]

    def test_a_branch_that_is_enqueued_is_tried_where_it_is_best(self) -> None:
        study = self.study()
        study.optimize(chosen, n_trials=25)
        study.enqueue_trial({"model": "svm", "kernel": "lin"})
        study.optimize(chosen, n_trials=1)
        assert study.trials[-1].params["kernel"] == "lin"
        assert abs(study.trials[-1].params["c"] - 0.5) < 0.2
        assert "spread" not in study.trials[-1].params

    def test_a_point_of_a_branch_that_is_being_tried_is_not_suggested_to_another(self) -> None:
        study = self.study()
        study.optimize(chosen, n_trials=20)
        waiting = [study.ask() for _ in range(4)]
        for trial in waiting:
            chosen(trial)
        assert len({tuple(trial.params.values()) for trial in waiting}) == 4

    def test_a_branch_costs_nothing_for_what_it_lacks(self) -> None:
        used = {}
        for cost in ("depth > rate", None):
            studies = [self.study(cost, seed=seed, budget=25) for seed in range(4)]
            for study in studies:
                study.optimize(chosen, n_trials=25)
            used[cost] = sum(trial.params.get("depth", 0) for study in studies for trial in study.trials)
            assert np.mean([study.best_value for study in studies]) < 0.11
        assert used["depth > rate"] < 0.9 * used[None]

    def test_a_function_of_the_cost_sees_the_parameters_that_a_trial_would_have(
        self, caplog: pytest.LogCaptureFixture
    ) -> None:
        seen: list[frozenset[str]] = []

        def price(params: dict[str, Any]) -> float:
            seen.append(frozenset(params))
            own = {"forest": "depth", "boosting": "rate", "svm": "c"}
            return float(1 + params[own[params["model"]]])

        study = self.study(price)
        study.optimize(chosen, n_trials=14)
        asked = {frozenset(trial.params) for trial in study.trials}
        assert {"model", "rate"} in seen
        assert all("depth" not in names or "rate" not in names for names in seen)
        assert asked <= set(seen)
        assert warnings(caplog) == []

    @pytest.mark.parametrize("early", [True, False], ids=["before it asks for everything", "after"])
    def test_a_branch_that_always_fails_does_not_keep_a_study_from_going_on(self, early: bool) -> None:
        def fails(trial: optuna.Trial) -> float:
            if early and trial.number > 6 and trial.suggest_categorical("model", MODELS) == "boosting":
                raise RuntimeError("out of memory")
            value = chosen(trial)
            if "rate" in trial.params and trial.number > 6:
                raise RuntimeError("out of memory")
            return value

        study = self.study()
        study.optimize(fails, n_trials=30, catch=(RuntimeError,))
        assert study.best_value < 0.25
        assert sum(trial.state is TrialState.FAIL for trial in study.trials) < 15

    def test_two_objectives_and_constraints_go_with_branches(self) -> None:
        study = optuna.create_study(
            directions=["minimize", "minimize"],
            sampler=CostAwareSampler(seed=0, constraints_func=lambda t: [t.params.get("depth", 0) - 5]),
        )
        study.optimize(lambda t: (chosen(t), len(t.params) + t.params.get("depth", 0)), n_trials=25)
        assert min(trial.values[0] for trial in study.best_trials) < 0.12


class TestReceipts:
    def test_a_cost_is_learned_from_a_user_attribute_whatever_the_prior_said(self) -> None:
        spent = {}
        for cost, prior in ((None, None), ("attr:euros", None), ("attr:euros", "cheap > expensive")):
            study = study_of(CostAwareSampler(cost, prior=prior, seed=1, budget=40))
            study.optimize(billed, n_trials=20)
            spent[cost, prior] = bill(study)
            assert min(trial.values[0] for trial in study.trials) < 0.03
        assert spent["attr:euros", None] < 0.8 * spent[None, None]
        assert spent["attr:euros", "cheap > expensive"] < 0.8 * spent[None, None]

    def test_a_cost_is_learned_from_how_long_trials_took_as_from_an_attribute(self) -> None:
        found = []
        for cost in ("duration", "attr:euros", None):
            study = study_of(CostAwareSampler(cost, seed=1, budget=40))
            for x, y in np.random.default_rng(0).random((12, 2)).tolist():
                params = {"expensive": x, "cheap": y}
                trial = took(price(params), params, values=[(x - 0.1) ** 2 + y, (x - 0.9) ** 2 + y])
                trial.user_attrs = {"euros": price(params)}
                study.add_trial(trial)
            found.append(study.ask({"expensive": UNIT, "cheap": UNIT}).params)
        duration, attribute, nothing = found
        assert duration == pytest.approx(attribute)
        assert price(duration) < price(nothing)

    def test_cached_models_of_the_cost_change_nothing(self) -> None:
        found = []
        for forgets in (False, True):
            sampler = CostAwareSampler("attr:euros", seed=3, budget=Budget(cost=300))
            study = study_of(sampler)
            for _ in range(10):
                study.optimize(billed, n_trials=1)
                if forgets:
                    study.sampler = copy.deepcopy(sampler)
            found.append(points(study, "expensive", "cheap").tolist())
        assert found[0] == found[1]

    @pytest.mark.parametrize("value", [None, math.nan, -1.0, "3"], ids=label)
    def test_a_trial_without_a_receipt_is_reported_once_and_does_not_stop_the_study(
        self, value: Any, caplog: pytest.LogCaptureFixture
    ) -> None:
        def careless(trial: optuna.Trial) -> tuple[float, float]:
            values = billed(trial)
            if trial.number % 3 == 1:
                trial.set_user_attr("euros", value)
            return values

        study = study_of(CostAwareSampler("attr:euros", seed=1, budget=Budget(cost=500)))
        study.optimize(careless, n_trials=8)
        assert len(study.trials) == 8
        (text,) = warnings(caplog)
        assert text.startswith("cost: trial 1 has no receipt: its user attribute 'euros' is ")

    def test_thrift_says_how_much_cost_counts(self) -> None:
        spent = []
        for thrift in (0.0, 3.0):
            study = study_of(CostAwareSampler("attr:euros", seed=1, thrift=thrift))
            study.optimize(billed, n_trials=15)
            spent.append(bill(study))
        assert spent[1] < spent[0]


class TestMoney:
    def test_the_study_stops_when_the_money_pays_for_no_further_trial(self, caplog: pytest.LogCaptureFixture) -> None:
        study = study_of(CostAwareSampler("attr:euros", seed=1, budget=Budget(cost=60, unit="EUR")))
        study.optimize(billed, n_trials=100)
        assert 8 < len(study.trials) < 60
        assert bill(study) < 60 + 5  # the last one is the cheapest there is
        (text,) = warnings(caplog)
        assert text.startswith("budget: ")
        assert "EUR of the budget" in text

    def test_prices_and_formulas_are_reserved_without_receipts(self) -> None:
        given: list[Any] = [
            Prices({"expensive": 9}, per_trial=1),
            Formula("9*expensive + 1"),
            lambda params: 9 * params["expensive"] + 1,
        ]
        for cost in given:
            study = study_of(CostAwareSampler(cost, seed=1, budget=Budget(cost=40)))
            study.optimize(bumps, n_trials=60)
            assert 35 < sum(9 * trial.params["expensive"] + 1 for trial in study.trials) < 42

    def test_outside_optimize_the_cheapest_point_left_is_suggested(self, caplog: pytest.LogCaptureFixture) -> None:
        study = study_of(CostAwareSampler(Prices({"expensive": 9}, per_trial=1), seed=1, budget=Budget(cost=8)))
        for _ in range(8):
            trial = study.ask({"expensive": UNIT, "cheap": UNIT})
            study.tell(trial, [trial.params["expensive"], trial.params["cheap"]])
        assert points(study, "expensive")[5:].max() < 0.02
        (text,) = warnings(caplog)
        assert text.startswith("budget: the cheapest trial left costs about")

    def test_what_an_enqueued_trial_fixes_stays_when_the_money_is_spent(self) -> None:
        study = study_of(CostAwareSampler(Prices({"expensive": 9}, per_trial=1), seed=1, budget=Budget(cost=8)))
        fixed = [0.1 * number for number in range(7)]
        for cheap in fixed:
            study.enqueue_trial({"cheap": cheap})
            trial = study.ask({"expensive": UNIT, "cheap": UNIT})
            study.tell(trial, [trial.params["expensive"], trial.params["cheap"]])
        assert points(study, "cheap")[:, 0].tolist() == fixed
        assert study.trials[-1].params["expensive"] < 0.02

    def test_an_enqueued_value_that_cannot_be_paid_for_ends_the_study_with_what_is_cheapest_beside_it(
        self, caplog: pytest.LogCaptureFixture
    ) -> None:
        study = study_of(CostAwareSampler(Prices({"expensive": 9, "cheap": 1}), seed=1, budget=Budget(cost=8)))
        study.add_trial(took(1.0, {"expensive": 0.1, "cheap": 0.1}, values=[0.1, 0.1]))
        study.enqueue_trial({"expensive": 1.0})
        study.optimize(bumps, n_trials=3)
        assert len(study.trials) == 2
        assert study.trials[-1].params == {"expensive": 1.0, "cheap": pytest.approx(0.0, abs=1e-6)}
        (text,) = warnings(caplog)
        assert text.startswith("budget: what is left of 8 pays for no trial with the enqueued expensive.")

    def test_money_is_counted_though_no_parameter_is_shared(self, caplog: pytest.LogCaptureFixture) -> None:
        def objective(trial: optuna.Trial) -> float:
            trial.set_user_attr("euros", 10.0)
            return trial.suggest_float(f"x{trial.number}", 0, 1)

        sampler = CostAwareSampler("attr:euros", seed=1, budget=Budget(cost=35), warn_independent_sampling=False)
        study = optuna.create_study(sampler=sampler)
        study.optimize(objective, n_trials=20)
        assert len(study.trials) == 5
        assert warnings(caplog) == [
            "budget: 40 of 35 are spent. `optimize` stops when its running trials end; until then the cheapest point "
            "left is suggested."
        ]

    def test_a_time_is_money(self) -> None:
        study = study_of(CostAwareSampler("duration", seed=1, budget="1m"))
        study.add_trials([took(25.0, {"expensive": x, "cheap": x}, values=[x, x]) for x in (0.2, 0.5, 0.8)])
        study.optimize(bumps, n_trials=9)
        assert len(study.trials) == 4


class TestCostsOfParametersThatSomeTrialsLack:
    def test_a_formula_counts_as_long_as_all_its_parameters_are_shared(self, caplog: pytest.LogCaptureFixture) -> None:
        def objective(trial: optuna.Trial) -> float:
            x = trial.suggest_float("x", 0, 1)
            return x + (0.0 if trial.number > 5 else trial.suggest_float("rare", 0, 1))

        sampler = CostAwareSampler(Formula("x + rare + 1"), seed=1, warn_independent_sampling=False)
        study = optuna.create_study(sampler=sampler)
        study.optimize(objective, n_trials=6)
        assert warnings(caplog) == []
        study.optimize(objective, n_trials=3)
        (text,) = warnings(caplog)
        assert text.startswith("cost: it needs 'rare', which is not a modelled parameter")

    def test_a_parameter_of_a_formula_is_drawn_from_everywhere(self) -> None:
        firsts = [
            study_of(CostAwareSampler(Formula("1 + 600 / (1 + x)"), seed=seed)).ask({"x": UNIT}).params["x"]
            for seed in range(40)
        ]
        assert max(firsts) > 0.8


class TestCostsThatDoNotFit:
    @pytest.mark.parametrize(
        "cost",
        [Formula("expensive - 0.5"), Formula("1 + (expensive == 'high')"), Prices({"expensive": {"a": 1}})],
        ids=str,
    )
    def test_one_is_refused_before_the_first_trial_has_measured_anything(self, cost: Any) -> None:
        measured = []

        def objective(trial: optuna.Trial) -> tuple[float, float]:
            values = bumps(trial)
            measured.append(trial.number)
            return values

        study = study_of(CostAwareSampler(cost, seed=0))
        with pytest.raises(InvalidOptionError):
            study.optimize(objective, n_trials=3)
        assert measured == []

    def test_one_that_shows_only_later_is_reported_and_does_not_end_the_study(
        self, caplog: pytest.LogCaptureFixture
    ) -> None:
        def price(params: dict[str, Any]) -> float:
            raise RuntimeError("no price list")

        study = study_of(CostAwareSampler(price, seed=0))
        study.optimize(bumps, n_trials=6)
        assert len(study.trials) == 6
        (text,) = warnings(caplog)
        assert text.startswith("cost: ")
        assert text.endswith("Until this is corrected, cost does not count.")

    def test_a_learned_cost_reads_its_receipts_from_the_attribute_called_cost(self) -> None:
        found = []
        for cost in (LearnedCost(), "attr:cost"):
            study = study_of(CostAwareSampler(cost, seed=1, budget=40))
            for x, y in np.random.default_rng(0).random((9, 2)).tolist():
                trial = took(1.0, {"expensive": x, "cheap": y}, values=[(x - 0.1) ** 2, (x - 0.9) ** 2])
                trial.user_attrs = {"cost": price({"expensive": x})}
                study.add_trial(trial)
            found.append(study.ask({"expensive": UNIT, "cheap": UNIT}).params)
        assert found[0] == found[1]


class TestTrialsOfEveryKind:
    def test_a_point_that_is_being_tried_is_not_suggested_to_another(self) -> None:
        study = study_of(CostAwareSampler("expensive", seed=0))
        study.optimize(bumps, n_trials=6)
        waiting = [study.ask() for _ in range(4)]
        for trial in waiting:
            bumps(trial)
        found = np.array([[trial.params["expensive"], trial.params["cheap"]] for trial in waiting])
        gaps = np.abs(found[:, None] - found[None]).max(axis=2)[~np.eye(4, dtype=bool)]
        assert gaps.min() > 1e-3

    def test_failed_trials_do_not_stop_a_study_and_are_not_asked_for_again(self) -> None:
        def fails_when_expensive(trial: optuna.Trial) -> tuple[float, float]:
            values = bumps(trial)
            if trial.params["expensive"] > 0.6:
                raise RuntimeError("crucible cracked")
            return values

        study = study_of(CostAwareSampler(seed=0))
        study.optimize(fails_when_expensive, n_trials=14, catch=(RuntimeError,))
        failed = [tuple(trial.params.values()) for trial in study.trials if trial.state is TrialState.FAIL]
        assert failed
        assert len(set(failed)) == len(failed)

    @pytest.mark.parametrize(
        "pruner",
        [
            optuna.pruners.MedianPruner(n_startup_trials=3, n_warmup_steps=1),
            optuna.pruners.HyperbandPruner(max_resource=5),
        ],
        ids=["median", "hyperband"],
    )
    def test_a_study_with_a_pruner_finds_the_best(self, pruner: optuna.pruners.BasePruner) -> None:
        def curve(trial: optuna.Trial) -> float:
            x = trial.suggest_float("x", 0, 1)
            for step in range(5):
                trial.report((x - 0.7) ** 2 + 1.0 / (step + 1), step)
                if trial.should_prune():
                    raise optuna.TrialPruned
            return (x - 0.7) ** 2 + 0.2

        study = optuna.create_study(sampler=CostAwareSampler(seed=0), pruner=pruner)
        study.optimize(curve, n_trials=20)
        assert any(trial.state is TrialState.PRUNED for trial in study.trials)
        assert study.best_value < 0.21

    def test_threads_of_one_study_do_not_try_one_point_twice(self) -> None:
        study = study_of(CostAwareSampler("a", seed=0))

        def slow(trial: optuna.Trial) -> tuple[float, float]:
            a, b = trial.suggest_int("a", 0, 9), trial.suggest_int("b", 0, 9)
            return abs(a - 3), abs(b - 6) + 0.1 * a

        study.optimize(slow, n_trials=20, n_jobs=3)
        tried = [tuple(trial.params.values()) for trial in study.trials if trial.number > 3]
        assert len(set(tried)) == len(tried)

    @pytest.mark.parametrize("gives_way", [False, True], ids=["the other stays", "the other moves"])
    def test_a_point_that_another_worker_claims_meanwhile_is_given_up_unless_the_other_moves(
        self, gives_way: bool, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        study = study_of(CostAwareSampler("expensive", seed=0))
        study.optimize(bumps, n_trials=5)
        study.sampler, sampler = optuna.samplers.RandomSampler(), study.sampler
        other, trial = running(study), running(study)
        chosen: list[dict[str, Any]] = []

        def suggest_to_both(plan: Plan, data: Data, *arguments: Any, **options: Any) -> Suggestion:
            found = suggest(plan, data, *arguments, **options)
            inputs = Inputs.of(space, {})
            chosen.append(inputs.params(found.unit))
            if len(chosen) == 1:
                claims.write(study, other, chosen[0], inputs)
            return found

        def wait(_: float) -> None:
            if gives_way:
                claims.write(study, other, {"expensive": 1.0, "cheap": 1.0}, Inputs.of(space, {}))

        space = sampler.infer_relative_search_space(study, trial)
        monkeypatch.setattr("camobo.optuna.sampler.suggest", suggest_to_both)
        monkeypatch.setattr("time.sleep", wait)
        found = sampler.sample_relative(study, trial, space)
        assert len(chosen) == (1 if gives_way else 2)
        assert found == chosen[-1]
        assert (found == chosen[0]) == gives_way

    def test_claims_are_one_column_of_the_table_of_trials(self) -> None:
        pytest.importorskip("pandas")
        study = study_of(CostAwareSampler("expensive", seed=0))
        study.optimize(bumps, n_trials=6)
        ours = [column for column in study.trials_dataframe().columns if "attrs" in column]
        assert ours == ["system_attrs_camobo:claim"]

    def test_an_enqueued_trial_keeps_its_params(self) -> None:
        study = study_of(CostAwareSampler("expensive", seed=0))
        study.optimize(bumps, n_trials=4)
        study.enqueue_trial({"expensive": 0.77})
        study.optimize(bumps, n_trials=1)
        assert study.trials[-1].params["expensive"] == 0.77

    def test_the_free_parameters_of_an_enqueued_trial_are_chosen_for_the_fixed_one(self) -> None:
        def ridge(trial: optuna.Trial) -> float:
            a, b = trial.suggest_float("a", 0, 1), trial.suggest_float("b", 0, 1)
            return (b - a) ** 2 + 0.3 * a

        study = optuna.create_study(sampler=CostAwareSampler(seed=0))
        study.optimize(ridge, n_trials=14)
        study.enqueue_trial({"a": 0.9})
        study.optimize(ridge, n_trials=1)
        assert study.trials[-1].params["a"] == 0.9
        assert abs(study.trials[-1].params["b"] - 0.9) < 0.1
        assert study.trials[-1].system_attrs["camobo:claim"]["params"] == study.trials[-1].params

    def test_enqueued_trials_that_fix_one_parameter_do_not_repeat_while_other_points_are_left(self) -> None:
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

    def test_an_enqueued_value_outside_its_range_does_not_affect_the_others(self) -> None:
        space: dict[str, BaseDistribution] = {"n": IntDistribution(0, 8, step=2), "b": UNIT}
        study = optuna.create_study(sampler=CostAwareSampler(seed=0))
        for _ in range(4):
            trial = study.ask(space)
            study.tell(trial, trial.params["b"])
        for odd in ("much", 10):
            study.enqueue_trial({"n": odd})
        assert 0.0 <= CostAwareSampler(seed=0).sample_relative(study, study.trials[4], space)["b"] <= 1.0
        assert 0.0 <= CostAwareSampler(seed=0).sample_relative(study, study.trials[5], space)["b"] <= 1.0


class TestConstraints:
    def check(self, study: optuna.Study) -> None:
        late = points(study, "expensive")[15:, 0]
        assert (late <= 0.55).mean() >= 0.7
        assert min(t.values[0] for t in study.trials if t.params["expensive"] <= 0.5) < 0.01

    def test_a_function_of_constraints_is_respected(self) -> None:
        study = study_of(CostAwareSampler(seed=1, constraints_func=lambda t: [t.params["expensive"] - 0.5]))
        study.optimize(bumps, n_trials=22)
        self.check(study)

    @pytest.mark.skipif(not hasattr(optuna.Trial, "set_constraint"), reason="Optuna 5 has set_constraint")
    def test_constraints_set_in_the_objective_are_respected(self) -> None:
        def constrained(trial: optuna.Trial) -> tuple[float, float]:
            values = bumps(trial)
            trial.set_constraint("at most half", trial.params["expensive"] - 0.5)
            return values

        study = study_of(CostAwareSampler(seed=1))
        study.optimize(constrained, n_trials=22)
        self.check(study)

    @pytest.mark.parametrize(
        ("value", "stored", "message"),
        [
            (math.inf, [0.0], "trial 0: a value is not finite"),
            (0.1, [0.0, math.inf], "trial 0: constraint 1 is infinite: it counts as failed"),
            (0.1, ["a"], "trial 0: constraint 0 is not a number: it counts as failed"),
            (0.1, 3, "trial 0: constraint 0 is not a number: it counts as failed"),
        ],
        ids=label,
    )
    def test_a_value_or_constraint_that_no_model_can_use_does_not_stop_a_study_and_is_reported_once(
        self, value: float, stored: Any, message: str, caplog: pytest.LogCaptureFixture
    ) -> None:
        study = optuna.create_study(sampler=CostAwareSampler(seed=1))
        study.add_trial(trial_with({"x": 0.1}, value=value, system_attrs={"constraints": stored}))
        for x in (0.5, 0.9):
            study.add_trial(trial_with({"x": x}, value=x, system_attrs={"constraints": [x - 0.7]}))
        study.optimize(lambda t: (t.suggest_float("x", 0, 1) - 0.4) ** 2, n_trials=6)
        (text,) = warnings(caplog)
        assert text.startswith(message)
        assert min(trial.values[0] for trial in study.trials[3:]) < 0.05

    def test_a_constraint_at_minus_infinity_is_not_reported(self, caplog: pytest.LogCaptureFixture) -> None:
        limits = [-2.0, -0.5, -math.inf, -1.0]
        study = optuna.create_study(sampler=CostAwareSampler(seed=1, constraints_func=lambda t: [limits[t.number]]))
        study.optimize(lambda t: t.suggest_float("x", 0, 1), n_trials=4)
        assert warnings(caplog) == []

    def test_a_constraint_that_is_not_a_number_is_refused(self) -> None:
        study = study_of(CostAwareSampler(seed=1, constraints_func=lambda t: [math.nan]))
        with pytest.raises(InvalidValueError, match=r"constraints_func, trial 0: need numbers, got nan"):
            study.optimize(bumps, n_trials=1)


class TestWarnings:
    def test_a_misspelt_name_in_the_order_is_reported_once(self, caplog: pytest.LogCaptureFixture) -> None:
        study_of(CostAwareSampler("expensiev > cheap", seed=0)).optimize(bumps, n_trials=5)
        (message,) = warnings(caplog)
        assert message.startswith("cost: the study has no parameter 'expensiev'.")
        assert message.endswith("Did you mean 'expensive'?")

    def test_a_name_is_reported_where_the_trials_share_no_parameter(self, caplog: pytest.LogCaptureFixture) -> None:
        study = optuna.create_study(sampler=CostAwareSampler("nickel", seed=0, warn_independent_sampling=False))
        study.optimize(lambda trial: trial.suggest_float("a" if trial.number % 2 else "b", 0, 1), n_trials=12)
        assert warnings(caplog) == ["cost: the study has no parameter 'nickel'. Its parameters so far: a, b."]

    def test_a_parameter_that_a_complete_trial_lacks_is_reported_once(self, caplog: pytest.LogCaptureFixture) -> None:
        study = study_of(CostAwareSampler(seed=0))
        study.tell(study.ask(), [0.0, 0.0])
        study.optimize(bumps, n_trials=4)
        expensive, cheap = warnings(caplog)
        assert expensive.startswith("parameter 'expensive' is missing from trial 0, and no other parameter says")
        assert cheap.startswith("parameter 'cheap' is missing from trial 0, and no other parameter says")

    def test_parameters_drawn_at_random_are_not_reported_where_that_is_intended(
        self, caplog: pytest.LogCaptureFixture
    ) -> None:
        sampler = CostAwareSampler(seed=0, warn_independent_sampling=False)
        for given_sampler in (sampler, pickle.loads(pickle.dumps(sampler))):
            study = optuna.create_study(sampler=given_sampler)
            study.optimize(
                lambda t: t.suggest_float("a" if t.number % 2 else "b", 0, 1) + t.suggest_float("w", 0, 1 + t.number),
                n_trials=4,
            )
        assert warnings(caplog) == []

    def test_a_parameter_of_a_trial_that_began_before_the_first_result_is_not_reported(
        self, caplog: pytest.LogCaptureFixture
    ) -> None:
        study = study_of(CostAwareSampler(seed=0))
        early = study.ask()
        early.suggest_float("expensive", 0, 1)
        study.optimize(bumps, n_trials=2)
        early.suggest_float("cheap", 0, 1)
        assert warnings(caplog) == []

    def test_a_category_in_the_order_without_expensive_choices_is_reported(
        self, caplog: pytest.LogCaptureFixture
    ) -> None:
        study = optuna.create_study(sampler=CostAwareSampler("c > x", seed=0))
        study.optimize(lambda t: t.suggest_float("x", 0, 1) + len(t.suggest_categorical("c", ["a", "bb"])), n_trials=4)
        (text,) = warnings(caplog)
        assert 'expensive={"c": [...]}' in text


class TestOptions:
    @pytest.mark.parametrize(
        ("options", "error", "message"),
        [
            ({"cost": "a > "}, InvalidOrderError, "name"),
            ({"budget": 0}, InvalidOptionError, "budget"),
            ({"budget": "2h"}, InvalidOptionError, 'budget: a time goes with cost="duration"'),
            ({"prior": "a > b"}, InvalidOptionError, "prior"),
            ({"thrift": -1}, InvalidOptionError, "thrift"),
            ({"thrift": "much"}, InvalidOptionError, "thrift"),
            ({"seed": -1}, InvalidOptionError, "seed"),
            ({"method": "best"}, InvalidOptionError, "method"),
            ({"method": np.array(["default", "paper"])}, InvalidOptionError, "method"),
            ({"expensive": "low"}, InvalidOptionError, "expensive: need a mapping"),
            ({"dear": {"x": "low"}}, InvalidOptionError, "dear.*expensive"),
            ({"reference": [math.nan]}, InvalidValueError, "reference"),
            ({"reference": [math.inf]}, InvalidValueError, "reference: need finite numbers"),
            ({"constraints_func": 3}, InvalidOptionError, "constraints_func: need a function of a trial, got 3"),
        ],
        ids=label,
    )
    def test_an_invalid_option_is_refused_by_name(self, options: Any, error: type[Exception], message: str) -> None:
        with pytest.raises(error, match=message):
            CostAwareSampler(**options)

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

        with pytest.raises(InvalidOptionError, match="reference: need 2 numbers, one per objective of the study, got"):
            study.optimize(objective, n_trials=2, catch=Exception)
        assert run == []
        assert [trial.state for trial in study.trials] == [TrialState.FAIL]

    def test_the_cost_of_the_shared_parameters_is_worked_out_once(self, monkeypatch: pytest.MonkeyPatch) -> None:
        asked = []

        def counted(cost: Any, space: Any, *others: Any) -> Any:
            asked.append(space.names)
            return costs.cost_among(cost, space, *others)

        monkeypatch.setattr("camobo.optuna.sampler.cost_among", counted)
        sampler = CostAwareSampler("expensive > cheap > rare", seed=0)
        study = study_of(sampler)
        study.optimize(bumps, n_trials=6)
        assert asked == [("cheap", "expensive")]
        study.sampler = pickle.loads(pickle.dumps(copy.deepcopy(sampler)))
        study.optimize(bumps, n_trials=2)
        assert asked == [("cheap", "expensive")] * 2

    def test_a_copy_continues_as_the_sampler_would(self) -> None:
        sampler = CostAwareSampler("expensive > cheap", budget=9, seed=None, expensive={"rate": "low"})
        study = study_of(sampler)
        study.optimize(bumps, n_trials=5)
        study.sampler = optuna.samplers.RandomSampler()
        trial = running(study)
        space = sampler.infer_relative_search_space(study, trial)
        expected = sampler.sample_relative(study, trial, space)
        for found in (pickle.loads(pickle.dumps(sampler)), copy.deepcopy(sampler)):
            assert found.seed == sampler.seed
            assert found.infer_relative_search_space(study, trial) == space
            assert found.sample_relative(study, trial, space) == expected

    def test_a_copy_of_a_subclass_is_of_that_subclass(self) -> None:
        class Mine(CostAwareSampler):
            pass

        mine = Mine("expensive > cheap", seed=3)
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
