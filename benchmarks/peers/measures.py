"""What the results come to: medians, quartiles, money to a target, and tests."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from scipy.stats import mannwhitneyu

from camobo.problems.functions import Floats
from peers.methods import METHODS
from peers.problems import CONTESTS

Runs: TypeAlias = Mapping[tuple[Any, ...], Mapping[str, Any]]
"""By problem, method and seed."""
SHARES = (0.9, 0.95, 0.99)
ENOUGH = 5  # runs per method for a test


@dataclass(frozen=True, slots=True)
class Spread:
    """A median and its quartiles, over the seeds."""

    low: float
    middle: float
    high: float


def spread(values: Sequence[float]) -> Spread:
    """Of at least one value; infinite ones are larger than all others.

    The median of an even number of values is the mean of the middle two: taking the lower one would favour methods with
    an even number of runs.
    """
    low, high = np.quantile(np.array(values), (0.25, 0.75), method="inverted_cdf")
    return Spread(float(low), float(np.median(values)), float(high))


def problems_of(runs: Runs) -> list[str]:
    """The problems with runs, in the order of the list."""
    run = {key[0] for key in runs}
    return [name for name in CONTESTS if name in run]


def runs_of(runs: Runs, problem: str, method: str) -> dict[int, Mapping[str, Any]]:
    """The runs with at least one result, by seed; a stopped run counts as far as it came."""
    return {seed: run for (p, m, seed), run in runs.items() if (p, m) == (problem, method) and run.get("hypervolume")}


def finished(runs: Runs, problem: str, method: str) -> dict[int, Mapping[str, Any]]:
    """The runs that finished, by seed."""
    return {seed: run for seed, run in runs_of(runs, problem, method).items() if run["status"] == "finished"}


def stopped(runs: Runs, problem: str, method: str) -> list[Mapping[str, Any]]:
    """The runs that a limit or an error ended."""
    return [run for run in runs_of(runs, problem, method).values() if run["status"] != "finished"]


def final(runs: Runs, problem: str, method: str) -> list[float]:
    """Shares of the best hypervolume at the end, or when the run was stopped."""
    return [float(run["hypervolume"][-1]) for run in runs_of(runs, problem, method).values()]


def stretch_of(method: str) -> int:
    """How many times as many evaluations as the others it is given."""
    return METHODS[method].stretch if method in METHODS else 1


def as_long_as_others(run: Mapping[str, Any], what: str, stretch: int) -> list[float]:
    """A curve of a run, cut at the others' number of evaluations."""
    return [value for at, value in zip(run["at"], run[what], strict=True) if at * stretch <= run["at"][-1]]


def after(runs: Runs, problem: str, method: str) -> list[float]:
    """Shares of the best hypervolume after as many evaluations as the others are given."""
    curves = (
        as_long_as_others(run, "hypervolume", stretch_of(method)) for run in runs_of(runs, problem, method).values()
    )
    return [curve[-1] for curve in curves if curve]


def medians(runs: Runs, problem: str, methods: Iterable[str]) -> dict[str, float]:
    """The methods' median shares at the end."""
    return {method: spread(found).middle for method in methods if (found := final(runs, problem, method))}


def best_reached(runs: Runs, problem: str, methods: Iterable[str]) -> float:
    """The best of the methods' medians: targets are shares of it."""
    return max(medians(runs, problem, methods).values(), default=math.nan)


def best_method(runs: Runs, problem: str) -> str:
    """The method with the best median."""
    found = medians(runs, problem, METHODS)
    return max(found, key=found.__getitem__)


def money_to(run: Mapping[str, Any], target: float) -> float:
    """What a run had spent when it reached the target; infinite if it never did."""
    reached = np.flatnonzero(np.array(run["hypervolume"]) >= target)
    return float(run["money"][reached[0]]) if len(reached) else math.inf


def paid(runs: Runs, problem: str, method: str, target: float) -> dict[int, float]:
    """Money to the target, by seed. Runs stopped before it are left out: they might have reached it."""
    found = {seed: money_to(run, target) for seed, run in runs_of(runs, problem, method).items()}
    return {seed: money for seed, money in found.items() if money < math.inf or seed in finished(runs, problem, method)}


def charge(runs: Runs, problem: str, methods: Iterable[str], times: float) -> float:
    """The charge for missing a target: `times` the most that any run of these methods spent.

    Of a method with more evaluations than the others, only the first as many as theirs count.
    """
    spent = [
        money[-1]
        for method in methods
        for run in runs_of(runs, problem, method).values()
        if (money := as_long_as_others(run, "money", stretch_of(method)))
    ]
    return times * max(spent, default=math.nan)


@dataclass(frozen=True, slots=True)
class Ratio:
    """Our money to the target and another method's, on one problem; runs that miss it are charged."""

    our_runs: tuple[float, ...]
    their_runs: tuple[float, ...]
    ours_reached: bool
    theirs_reached: bool
    p_less: float
    """p of the one-sided Wilcoxon rank-sum test that we pay less; nan for too few runs."""
    p_more: float
    """The same for paying more."""

    @property
    def ours(self) -> float:
        """Our median."""
        return spread(self.our_runs).middle

    @property
    def theirs(self) -> float:
        """Their median."""
        return spread(self.their_runs).middle

    @property
    def value(self) -> float:
        """Ours ÷ theirs: below one, we pay less."""
        return self.ours / self.theirs

    def redrawn(self, rng: np.random.Generator, times: int) -> Floats:
        """(times,) ratios of medians of runs drawn from these with replacement."""
        ours, theirs = (
            np.median(rng.choice(runs, size=(times, len(runs))), axis=1) for runs in (self.our_runs, self.their_runs)
        )
        return np.asarray(ours / theirs)


def ratio(runs: Runs, problem: str, ours: str, theirs: str, target: float, times: float = 2.0) -> Ratio | None:
    """None if one of them has no run that counts, or if the median runs of both miss the target.

    A run that misses it is charged `times` the most that either spent (2: PAR2, as in contests of solvers). No run is
    charged more. Seeds are not paired: runs of two methods with the same seed have nothing else in common.
    """
    most = charge(runs, problem, (ours, theirs), times)
    found = [paid(runs, problem, method, target) for method in (ours, theirs)]
    if not all(found):
        return None
    we, they = (spread(list(given.values())).middle < math.inf for given in found)
    if not we and not they:
        return None
    mine, other = ([min(money, most) for money in given.values()] for given in found)
    chances = _chance(mine, other, "less"), _chance(mine, other, "greater")
    return Ratio(tuple(mine), tuple(other), we, they, *chances)


def _chance(ours: Sequence[float], theirs: Sequence[float], side: Literal["less", "greater"]) -> float:
    """p of the rank-sum test for one side; nan for too few runs."""
    if min(len(ours), len(theirs)) < ENOUGH:
        return math.nan
    return float(mannwhitneyu(ours, theirs, alternative=side).pvalue)


def geometric_mean(values: Sequence[float]) -> float:
    """exp of the mean logarithm; nan without values."""
    return math.exp(float(np.mean(np.log(values)))) if len(values) else math.nan


def seconds_per_ask(runs: Runs, problem: str, method: str, near: int) -> float:
    """Median over seeds of mean processor seconds of the ten asks up to `near` evaluations, or of the last ten."""
    found = [run["asks"] for run in runs_of(runs, problem, method).values() if run["asks"]]
    if not found:
        return math.nan
    return spread([float(asks[min(near // 10, len(asks)) - 1]) for asks in found]).middle


def median_curve(runs: Runs, problem: str, method: str, money: bool) -> tuple[Floats, Floats] | None:
    """(k,) evaluations, or money, and (k,) median shares of the best hypervolume.

    If no run finished: of the stopped ones, as far as the shortest came.
    """
    found = list((finished(runs, problem, method) or runs_of(runs, problem, method)).values())
    if not found:
        return None
    if not money:
        shortest = min((run["at"] for run in found), key=len)
        shares = [run["hypervolume"][: len(shortest)] for run in found]
        return np.array(shortest, dtype=float), np.median(shares, axis=0)
    grid = np.linspace(0.0, max(run["money"][-1] for run in found), 200)
    steps = []
    for run in found:
        at = np.searchsorted(run["money"], grid, side="right")
        steps.append(np.concatenate([[0.0], run["hypervolume"]])[at])
    return grid, np.asarray(np.median(steps, axis=0))


def mean_use(runs: Runs, problem: str, method: str) -> Floats | None:
    """(d,) median over seeds of the mean level of each input, 0 at its cheap end."""
    found = [np.array(run["use"]) / run["evaluations"] for run in runs_of(runs, problem, method).values()]
    return np.asarray(np.median(found, axis=0)) if found else None
