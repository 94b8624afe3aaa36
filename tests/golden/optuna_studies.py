"""The same for studies of Optuna's: importing this adds them to `STUDIES`."""

from __future__ import annotations

from typing import Any

import optuna
from optuna.trial import FrozenTrial, TrialState

from camobo.cost.budget import Budget
from camobo.cost.prices import Prices
from camobo.optuna import CostAwareSampler
from tests.golden.studies import Params, bowls, golden


def _study(sampler: CostAwareSampler, objectives: int = 2) -> optuna.Study:
    directions: list[Any] = ["minimize", "maximize", "minimize"][:objectives]
    return optuna.create_study(directions=directions, sampler=sampler, study_name="golden")


def _mixed(trial: optuna.Trial) -> Params:
    return {
        "trees": trial.suggest_int("trees", 4, 400, log=True) / 400,
        "depth": trial.suggest_int("depth", 1, 16) / 16,
        "rate": trial.suggest_float("rate", 0.01, 1.0, log=True),
        "share": trial.suggest_float("share", 0.1, 1.0, step=0.1),
        "rule": trial.suggest_categorical("rule", ["gini", "entropy", "loss"]),
    }


def _values(found: list[float]) -> Any:
    signed = [-v if m == 1 else v for m, v in enumerate(found)]
    return signed[0] if len(signed) == 1 else tuple(signed)


def _params(study: optuna.Study) -> list[Params]:
    return [dict(sorted(trial.params.items())) for trial in study.get_trials(deepcopy=False)]


@golden(20)
def optuna_one_objective(trials: int) -> list[Params]:
    study = _study(CostAwareSampler("a > b", budget=20, seed=30), 1)

    def objective(trial: optuna.Trial) -> Any:
        return _values(bowls({"a": trial.suggest_float("a", 0, 1), "b": trial.suggest_float("b", 0, 1)}, 1))

    study.optimize(objective, n_trials=trials)
    return _params(study)


@golden(25)
def optuna_every_kind_of_parameter(trials: int) -> list[Params]:
    ends = {"rate": "low", "rule": ["loss", "entropy"]}
    study = _study(CostAwareSampler("trees > depth, rate > rule", budget=40, seed=31, expensive=ends))
    study.optimize(lambda trial: _values(bowls(_mixed(trial))), n_trials=trials)
    return _params(study)


@golden(25)
def optuna_constraints(trials: int) -> list[Params]:
    def constraints(trial: FrozenTrial) -> list[float]:
        return [trial.params["depth"] / 16 - 0.6, 0.2 - trial.params["rate"]]

    study = _study(CostAwareSampler("trees > depth", budget=40, seed=32, constraints_func=constraints))
    study.optimize(lambda trial: _values(bowls(_mixed(trial))), n_trials=trials)
    return _params(study)


@golden(24)
def optuna_enqueued_in_part(trials: int) -> list[Params]:
    study = _study(CostAwareSampler("trees > depth", budget=30, seed=33))
    for number in range(trials):
        if number % 3 == 2:
            fixed: Params = {"depth": 1 + number % 16}
            study.enqueue_trial(fixed if number % 2 else {**fixed, "rule": "loss", "rate": 0.5})
        study.optimize(lambda trial: _values(bowls(_mixed(trial))), n_trials=1)
    return _params(study)


@golden(24)
def optuna_pruned_failed_and_running(trials: int) -> list[Params]:
    study = _study(CostAwareSampler("b > a", budget=30, seed=34), 1)
    running: list[optuna.Trial] = []
    for number in range(trials):
        trial = study.ask()
        found = bowls({"a": trial.suggest_float("a", 0, 1), "b": trial.suggest_float("b", 0, 1)}, 1)[0]
        if number % 5 == 1:
            trial.report(found, 0)
            study.tell(trial, state=TrialState.PRUNED)
        elif number % 5 == 2:
            study.tell(trial, state=TrialState.FAIL)
        elif number % 5 == 3:
            running.append(trial)
        else:
            study.tell(trial, found)
        if len(running) > 2:
            study.tell(running.pop(0), found)
    return _params(study)


@golden(20)
def optuna_paper(trials: int) -> list[Params]:
    study = _study(CostAwareSampler("a > b", seed=35, method="paper"), 3)

    def objective(trial: optuna.Trial) -> Any:
        return _values(bowls({"a": trial.suggest_float("a", 0, 1), "b": trial.suggest_float("b", 0, 1)}, 3))

    study.optimize(objective, n_trials=trials)
    return _params(study)


@golden(25)
def optuna_learned_cost(trials: int) -> list[Params]:
    study = _study(CostAwareSampler("attr:cost", prior="trees > depth", budget=Budget(cost=60), thrift=1.5, seed=36))

    def objective(trial: optuna.Trial) -> Any:
        params = _mixed(trial)
        trial.set_user_attr("cost", 1.0 + 4.0 * params["trees"] + 2.0 * (params["rule"] == "loss"))
        return _values(bowls(params))

    study.optimize(objective, n_trials=trials)
    return _params(study)


@golden(25)
def optuna_prices_until_the_money_is_spent(trials: int) -> list[Params]:
    prices = Prices({"trees": 0.01, "share": 2, "rule": {"loss": 3}}, per_trial=1, rest="depth")
    study = _study(CostAwareSampler(prices, budget=Budget(cost=50, unit="EUR"), seed=37))
    study.optimize(lambda trial: _values(bowls(_mixed(trial))), n_trials=trials)
    return _params(study)
