"""Made-up studies whose every suggestion is on record: `record.json` holds them, `record.py` makes and compares it.

A study here is a function of how many trials to make that gives the params of each, in order. Nothing in it depends on
camobo but the suggestions.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import numpy as np

import camobo as cm

Params: TypeAlias = dict[str, Any]
Made: TypeAlias = Callable[[int], list[Params]]

STUDIES: dict[str, tuple[Made, int]] = {}
"""Each study and how many trials the record has of it."""


def golden(trials: int) -> Callable[[Made], Made]:
    def kept(made: Made) -> Made:
        STUDIES[made.__name__] = made, trials
        return made

    return kept


PLANE = {"p": cm.Real(0, 1), "q": cm.Real(0, 1)}
TWO: dict[str, Any] = {"f": "max", "g": "min"}


def mixed() -> cm.Space:
    return cm.Space(
        {
            "nickel": cm.Real(0, 20, step=0.1),
            "grain": cm.Real(0.1, 10, log=True, expensive="low"),
            "soak": cm.Integer(1, 12),
            "batch": cm.Integer(1, 512, log=True),
            "quench": cm.Categorical(["air", "oil", "vacuum"], expensive=["vacuum", "oil"]),
            "mould": cm.Categorical(["sand", "steel"]),
        }
    )


def numbers(params: Mapping[str, Any]) -> list[float]:
    """Every parameter as a number of about one."""
    found = []
    for name, value in params.items():
        if isinstance(value, str):
            found.append((sum(map(ord, value)) % 7) / 7.0)
        elif name in ("grain", "batch"):
            found.append(math.log(float(value)) / 6.0)
        else:
            found.append(float(value) / (1.0 if abs(float(value)) <= 1.0 else 20.0))
    return found


def bowls(params: Mapping[str, Any], objectives: int = 2) -> list[float]:
    """One bowl per objective, with minima apart."""
    x = numbers(params)
    return [
        sum((u - 0.15 - 0.7 * ((m + j) % objectives) / max(1, objectives - 1)) ** 2 for j, u in enumerate(x))
        + 0.1 * math.sin(5.0 * sum(x))
        for m in range(objectives)
    ]


def humps(params: Mapping[str, Any]) -> list[float]:
    x = numbers(params)
    return [sum(math.sin(25.0 * u) + u for u in x), sum(math.cos(31.0 * u) - u * u for u in x)]


def noise(params: Mapping[str, Any]) -> float:
    """Noise that is a function of the point."""
    bits = np.frombuffer(np.array(numbers(params)).tobytes(), dtype=np.uint32)
    return float(np.random.default_rng(bits.tolist()).standard_normal())


def values(study: cm.Study, params: Mapping[str, Any]) -> dict[str, float]:
    found = bowls(params, len(study.objectives))
    goals = study.objectives.items()
    return {name: -v if goal == "max" else v for (name, goal), v in zip(goals, found, strict=True)}


def straight(study: cm.Study, trials: int, measure: Callable[[Params], dict[str, float]] | None = None) -> list[Params]:
    """Asked and told one by one."""
    for _ in range(trials):
        trial = study.ask()
        study.tell(trial, values(study, trial.params) if measure is None else measure(dict(trial.params)))
    return [dict(trial.params) for trial in study.trials]


@golden(25)
def no_cost(trials: int) -> list[Params]:
    return straight(cm.Study(cm.Space(PLANE), TWO, seed=1), trials)


@golden(30)
def order_with_budget(trials: int) -> list[Params]:
    return straight(cm.Study(cm.Space(PLANE), TWO, cost="p > q", budget=30, seed=2), trials)


@golden(25)
def order_without_budget(trials: int) -> list[Params]:
    return straight(cm.Study(cm.Space(PLANE), TWO, cost="q > p", seed=3), trials)


@golden(30)
def every_kind_of_input(trials: int) -> list[Params]:
    order = "nickel > batch = grain, quench > soak"
    return straight(cm.Study(mixed(), TWO, cost=order, budget=40, seed=4), trials)


@golden(25)
def every_kind_of_input_without_cost(trials: int) -> list[Params]:
    return straight(cm.Study(mixed(), {"f": "min", "g": "max"}, budget=40, seed=5), trials)


@golden(20)
def one_objective(trials: int) -> list[Params]:
    return straight(cm.Study(cm.Space(PLANE), {"f": "max"}, cost="p > q", budget=20, seed=6), trials)


def of_many(objectives: int) -> dict[str, Any]:
    return {f"f{m}": "max" if m % 2 else "min" for m in range(objectives)}


def box(inputs: int) -> cm.Space:
    return cm.Space({f"x{j}": cm.Real(0, 1) for j in range(inputs)})


@golden(20)
def three_objectives(trials: int) -> list[Params]:
    return straight(cm.Study(box(3), of_many(3), cost="x0 > x1", budget=40, seed=7), trials)


@golden(16)
def four_objectives(trials: int) -> list[Params]:
    return straight(cm.Study(box(4), of_many(4), cost=["x2", "x0"], budget=60, seed=8), trials)


@golden(16)
def five_objectives_and_a_reference(trials: int) -> list[Params]:
    reference = {name: -1.5 if goal == "max" else 1.5 for name, goal in of_many(5).items()}
    study = cm.Study(box(5), of_many(5), cost="x0 > x1 > x2", reference=reference, budget=50, seed=9)
    return straight(study, trials)


@golden(25)
def mo_ucb(trials: int) -> list[Params]:
    return straight(cm.Study(cm.Space(PLANE), TWO, method="paper", seed=10), trials)


@golden(25)
def ca_mobo(trials: int) -> list[Params]:
    return straight(cm.Study(cm.Space(PLANE), TWO, method="paper", cost="p > q", seed=11), trials)


@golden(20)
def ca_mobo_as_printed(trials: int) -> list[Params]:
    cost = cm.PaperCost("p > q", weights="printed")
    return straight(cm.Study(cm.Space(PLANE), TWO, method="paper", cost=cost, seed=12), trials)


@golden(20)
def ca_mobo_by_the_theorems_beta(trials: int) -> list[Params]:
    order = "nickel > grain, soak > batch"
    study = cm.Study(mixed(), TWO, method="paper", beta="theory", cost=order, seed=13, refit_every=5)
    return straight(study, trials)


def bill(params: Mapping[str, Any]) -> float:
    """What a trial turns out to cost: not quite what an order or a list says."""
    return 5.0 + sum(3.0 * u * u + 2.0 * u for u in numbers(params)) * (
        1.1 + 0.1 * math.sin(9.0 * sum(numbers(params)))
    )


def receipts(study: cm.Study, trials: int) -> list[Params]:
    """Asked and told one by one with what they cost, until the budget is spent; and what each was expected to cost."""
    while len(study.trials) < trials:
        try:
            trial = study.ask()
        except cm.BudgetSpent:
            break
        study.tell(trial, values(study, trial.params), cost=bill(trial.params))
    return [{**trial.params, "expected": trial.expected} for trial in study.trials]


@golden(20)
def prices(trials: int) -> list[Params]:
    cost = cm.Prices(
        {"nickel": 1.5, "soak": 2, "quench": {"oil": 3.5, "vacuum": 12}}, per_trial=8, rest="grain > batch"
    )
    return straight(cm.Study(mixed(), TWO, cost=cost, budget=30, seed=14), trials)


@golden(20)
def a_formula(trials: int) -> list[Params]:
    cost = cm.Formula("1 + 2*p^2 + max(q, 0.3)*if(p > 0.5, 2, 1)")
    return straight(cm.Study(cm.Space(PLANE), TWO, cost=cost, budget=30, thrift=1.5, seed=15), trials)


@golden(25)
def a_learned_cost_with_receipts(trials: int) -> list[Params]:
    cost = cm.LearnedCost("q > p")
    return receipts(cm.Study(cm.Space(PLANE), TWO, cost=cost, refit_every=3, seed=16), trials)


@golden(25)
def an_order_with_receipts_and_money(trials: int) -> list[Params]:
    budget = cm.Budget(cost=300, unit="EUR")
    return receipts(cm.Study(mixed(), TWO, cost="nickel > soak", budget=budget, seed=27), trials)


@golden(20)
def prices_and_money_changed_in_the_middle(trials: int) -> list[Params]:
    cost = cm.Prices({"p": 12, "q": 2}, per_trial=3)
    study = cm.Study(cm.Space(PLANE), TWO, cost=cost, budget=cm.Budget(trials=40, cost=90), seed=28)
    receipts(study, 6)
    study.change(budget=cm.Budget(cost=400), thrift=0.5)
    return receipts(study, trials)


@golden(30)
def noisy(trials: int) -> list[Params]:
    study = cm.Study(cm.Space(PLANE), TWO, cost="p > q", budget=60, seed=17)

    def measure(params: Params) -> dict[str, float]:
        return {"f": 0.3 * params["p"] + noise(params), "g": params["q"] + 0.5 * noise(dict(reversed(params.items())))}

    return straight(study, trials, measure)


@golden(32)
def batches_told_in_any_order(trials: int) -> list[Params]:
    study = cm.Study(cm.Space(PLANE), TWO, cost="p > q", budget=40, seed=18)
    while len(study.trials) < trials:
        study.ask(4)
        waiting = [trial for trial in study.trials if trial.state.open]
        for trial in waiting[::-1][: 2 + len(study.trials) % 3]:
            study.tell(trial, values(study, trial.params))
    return [dict(trial.params) for trial in study.trials][:trials]


@golden(25)
def failures(trials: int) -> list[Params]:
    study = cm.Study(mixed(), TWO, cost="nickel > soak", budget=40, seed=19)
    for number in range(trials):
        trial = study.ask()
        if number % 4 == 2:
            study.fail(trial, "the crucible cracked")
        else:
            study.tell(trial, values(study, trial.params))
    return [dict(trial.params) for trial in study.trials]


@golden(24)
def added_amended_told_in_part_and_released(trials: int) -> list[Params]:
    study = cm.Study(cm.Space(PLANE), TWO, cost="p > q", budget=30, seed=20)
    for p, q in ((0.1, 0.2), (0.6, 0.9), (0.8, 0.3)):
        study.add({"p": p, "q": q}, values(study, {"p": p, "q": q}))
    while len(study.trials) < trials:
        trial = study.ask()
        found = values(study, trial.params)
        if trial.number % 5 == 0:
            study.tell(trial, {"g": found["g"]})
        elif trial.number % 5 == 1:
            study.tell(trial, {**found, "f": 9.0})
            study.amend(trial, {"f": found["f"]}, "digits swapped")
        elif trial.number % 5 == 2:
            study.release(trial)
            study.tell(study.ask(), found)
        elif trial.number % 5 == 3:
            study.tell(trial, found)
            study.amend(trial, None, "wrong sample")
        else:
            study.tell(trial, found)
    return [dict(trial.params) for trial in study.trials]


@golden(18)
def a_small_space(trials: int) -> list[Params]:
    space = cm.Space({"soak": cm.Integer(1, 3), "quench": cm.Categorical(["air", "oil"]), "hold": cm.Integer(0, 2)})
    return straight(cm.Study(space, TWO, cost="soak > hold", budget=18, seed=21), trials)


@golden(16)
def a_small_space_where_all_is_equal(trials: int) -> list[Params]:
    space = cm.Space({"soak": cm.Integer(1, 4), "hold": cm.Integer(0, 3)})
    return straight(cm.Study(space, TWO, cost="soak", seed=22), trials, lambda _: {"f": 1.0, "g": 2.0})


@golden(40)
def many_humps(trials: int) -> list[Params]:
    study = cm.Study(box(2), TWO, cost="x0 > x1", budget=60, seed=23)
    return straight(study, trials, lambda params: dict(zip("fg", humps(params), strict=True)))


@golden(30)
def outliers_and_a_reference(trials: int) -> list[Params]:
    study = cm.Study(box(2), TWO, reference={"f": -3.0, "g": 4.0}, refit_every=3, seed=24)

    def measure(params: Params) -> dict[str, float]:
        found = values(study, params)
        far = 1700.0 if params["x0"] > 0.9 else 0.0
        return {"f": found["f"] - far, "g": found["g"] + far}

    return straight(study, trials, measure)


@golden(30)
def ten_inputs(trials: int) -> list[Params]:
    return straight(cm.Study(box(10), TWO, cost="x0 > x1 = x2, x5 > x7", budget=80, seed=25), trials)


@golden(15)
def explained(trials: int) -> list[Params]:
    """Not suggestions but what is said of them."""
    study = cm.Study(mixed(), TWO, cost="nickel > soak", budget=30, seed=26)
    straight(study, trials)
    found = [study.explain(number) for number in range(trials)]
    return [
        {
            "predictions": {name: list(pair) for name, pair in why.predictions.items()},
            "utility": why.utility,
            "cost": why.cost,
            "without cost": None if why.without_cost is None else dict(why.without_cost),
        }
        for why in found
    ]
