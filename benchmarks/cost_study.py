"""What cost-awareness saves and loses: money and hypervolume relative to the same study with cost=None.

Ten problems: five as they are, and five flipped (u -> 1 - u in every input, so that the good region changes ends). The
study knows only the order x1 > x2 > …. Money is counted afterwards, by hidden prices: 2^(k-j) per unit of input j, plus
a tenth of their sum per evaluation. There are two counts: the money of all evaluations of the budget, and the money to
95 % of the best hypervolume possible, where a run that misses it is charged twice what it spent.
"""

from __future__ import annotations

import math
import os

os.environ["OMP_NUM_THREADS"] = "1"
os.environ["OPENBLAS_NUM_THREADS"] = "1"

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np

from camobo import AdditiveCost, Study
from camobo.problems import Problem, branin_currin, cross_holder, dtlz2, matyas_booth, zdt3

EVALUATIONS = 100
AS_THEY_ARE = (zdt3(), cross_holder(), matyas_booth(), branin_currin(), dtlz2(inputs=4, objectives=2))
PROBLEMS: dict[str, Problem] = {p.name: p for base in AS_THEY_ARE for p in (base, base.flipped())}

Setting = dict[str, Any]
"""Keywords of AdditiveCost. {} is the default; {"cost": None} means no cost-awareness."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """One run: its hypervolume, the money it spent, and the money it had spent at 95 % of the best hypervolume."""

    hypervolume: float
    money: float
    to_95: float


def money(units: np.ndarray[Any, Any]) -> float:
    """Money of (n, k) evaluations: prices 2^(k-j), scaled to sum to one, times levels, plus a tenth per evaluation."""
    k = units.shape[1]
    prices = 2.0 ** (k - np.arange(1, k + 1))
    return float((units @ (prices / prices.sum()) + 0.1).sum())


def outcome(problem: Problem, units: np.ndarray[Any, Any], values: np.ndarray[Any, Any]) -> Outcome:
    """The outcome of (n, k) evaluations. Hypervolume never falls, so bisection finds when 95 % was reached."""
    enough = 0.95 * problem.best_hypervolume
    few, many = 0, len(values)
    if problem.hypervolume(values) < enough:
        return Outcome(problem.hypervolume(values), money(units), 2.0 * money(units))
    while many - few > 1:
        middle = (few + many) // 2
        few, many = (few, middle) if problem.hypervolume(values[:middle]) >= enough else (middle, many)
    return Outcome(problem.hypervolume(values), money(units), money(units[:many]))


def run(name: str, seed: int, setting: Setting, budget: int = EVALUATIONS) -> Outcome:
    """One study from start to end."""
    problem = PROBLEMS[name]
    options = dict(setting)
    order = " > ".join(problem.space.names)
    cost = options.pop("cost") if "cost" in options else AdditiveCost(order, **options)
    study = Study(problem.space, {"f1": "min", "f2": "min"}, cost=cost, budget=budget, seed=seed)
    study.optimize(problem, budget)
    values = np.array([list(trial.values.values()) for trial in study.trials if trial.values])
    units = np.array([problem.space.to_unit(trial.params) for trial in study.trials])
    return outcome(problem, units, values)


def run_many(jobs: Iterable[tuple[str, int, Setting, int]], workers: int = 2) -> list[Outcome]:
    """All runs, in order, on several processes."""
    jobs = list(jobs)
    with ProcessPoolExecutor(workers) as pool:
        return list(pool.map(_run, jobs))


def _run(job: tuple[str, int, Setting, int]) -> Outcome:
    return run(*job)


@dataclass(frozen=True, slots=True)
class Comparison:
    """Ratios to cost=None per problem, of means over the seeds: money, hypervolume, money to 95 %."""

    money: dict[str, float]
    hypervolume: dict[str, float]
    to_95: dict[str, float]

    def summary(self) -> dict[str, float]:
        """Means over the problems: the figures that the bars are about."""
        as_they_are = [self.money[p.name] for p in AS_THEY_ARE]
        return {
            "money": geometric_mean(self.money.values()),
            "money as they are": geometric_mean(as_they_are),
            "hypervolume": float(np.mean(list(self.hypervolume.values()))),
            "hypervolume, worst": min(self.hypervolume.values()),
            "money to 95 %": geometric_mean(self.to_95.values()),
        }


def geometric_mean(values: Iterable[float]) -> float:
    """exp of the mean logarithm."""
    return math.exp(float(np.mean([math.log(value) for value in values])))


def compare(aware: Sequence[Outcome], blind: Sequence[Outcome], seeds: int) -> Comparison:
    """Compare outcomes listed problem by problem, and seed by seed within a problem."""

    def ratios(field: Callable[[Outcome], float]) -> dict[str, float]:
        found = {}
        for i, name in enumerate(PROBLEMS):
            rows = slice(i * seeds, (i + 1) * seeds)
            found[name] = sum(map(field, aware[rows])) / sum(map(field, blind[rows]))
        return found

    return Comparison(ratios(lambda o: o.money), ratios(lambda o: o.hypervolume), ratios(lambda o: o.to_95))
