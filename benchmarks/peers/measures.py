"""What the results come down to: medians, intervals, money to a target, and tests."""

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
ENOUGH = 5  # runs on either side for a test


@dataclass(frozen=True, slots=True)
class Spread:
    """A median and the quartiles around it, over the seeds."""

    low: float
    middle: float
    high: float


def spread(values: Sequence[float]) -> Spread:
    """Of at least one value; infinite ones count as larger than all others.

    Of an even number the median is the mean of the middle two. The lower of them would flatter, in money, a method with
    an even number of runs beside one with an odd number.
    """
    low, high = np.quantile(np.array(values), (0.25, 0.75), method="inverted_cdf")
    return Spread(float(low), float(np.median(values)), float(high))


def problems_of(runs: Runs) -> list[str]:
    """Those that were run, in the order they are listed in."""
    run = {key[0] for key in runs}
    return [name for name in CONTESTS if name in run]


def runs_of(runs: Runs, problem: str, method: str) -> dict[int, Mapping[str, Any]]:
    """The runs that came to at least one result, by seed; one that was stopped counts as far as it came."""
    return {seed: run for (p, m, seed), run in runs.items() if (p, m) == (problem, method) and run.get("hypervolume")}


def finished(runs: Runs, problem: str, method: str) -> dict[int, Mapping[str, Any]]:
    """The runs that came to their end, by seed."""
    return {seed: run for seed, run in runs_of(runs, problem, method).items() if run["status"] == "finished"}


def stopped(runs: Runs, problem: str, method: str) -> list[Mapping[str, Any]]:
    """The others: a limit or an error ended them."""
    return [run for run in runs_of(runs, problem, method).values() if run["status"] != "finished"]


def final(runs: Runs, problem: str, method: str) -> list[float]:
    """Shares of the best hypervolume at the end, or when a run was stopped."""
    return [float(run["hypervolume"][-1]) for run in runs_of(runs, problem, method).values()]


def stretch_of(method: str) -> int:
    """How many times the others' evaluations it is given."""
    return METHODS[method].stretch if method in METHODS else 1


def as_long_as_others(run: Mapping[str, Any], what: str, stretch: int) -> list[float]:
    """A curve of a run, as far as the others' evaluations go."""
    return [value for at, value in zip(run["at"], run[what], strict=True) if at * stretch <= run["at"][-1]]


def after(runs: Runs, problem: str, method: str) -> list[float]:
    """Shares of the best hypervolume after as many evaluations as the others make."""
    curves = (
        as_long_as_others(run, "hypervolume", stretch_of(method)) for run in runs_of(runs, problem, method).values()
    )
    return [curve[-1] for curve in curves if curve]


def medians(runs: Runs, problem: str, methods: Iterable[str]) -> dict[str, float]:
    """The methods' median shares at the end."""
    return {method: spread(found).middle for method in methods if (found := final(runs, problem, method))}


def best_reached(runs: Runs, problem: str, methods: Iterable[str]) -> float:
    """The best of the methods' medians: what a target is a share of."""
    return max(medians(runs, problem, methods).values(), default=math.nan)


def best_method(runs: Runs, problem: str) -> str:
    """Whose median that is."""
    found = medians(runs, problem, METHODS)
    return max(found, key=found.__getitem__)


def money_to(run: Mapping[str, Any], target: float) -> float:
    """What a run had spent when it reached the target; infinite if it did not."""
    reached = np.flatnonzero(np.array(run["hypervolume"]) >= target)
    return float(run["money"][reached[0]]) if len(reached) else math.inf


def paid(runs: Runs, problem: str, method: str, target: float) -> dict[int, float]:
    """Money to the target, by seed. A run that was stopped before it got there is left out: it might have got there."""
    found = {seed: money_to(run, target) for seed, run in runs_of(runs, problem, method).items()}
    return {seed: money for seed, money in found.items() if money < math.inf or seed in finished(runs, problem, method)}


def charge(runs: Runs, problem: str, methods: Iterable[str], times: float) -> float:
    """What a run that does not reach its target is charged: so many times the most a run of these methods spent.

    Of one that was given more evaluations than others, only what it spent in as many as they made.
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
    """Our money to the target beside another method's on one problem, each run that misses it charged."""

    our_runs: tuple[float, ...]
    their_runs: tuple[float, ...]
    ours_reached: bool
    theirs_reached: bool
    p_less: float
    """Of Wilcoxon's rank-sum test: how likely so much less money would be by chance. nan of too few runs."""
    p_more: float
    """The same of so much more."""

    @property
    def ours(self) -> float:
        """Of the median run."""
        return spread(self.our_runs).middle

    @property
    def theirs(self) -> float:
        """Of the median run."""
        return spread(self.their_runs).middle

    @property
    def value(self) -> float:
        """Below one: we paid less."""
        return self.ours / self.theirs

    def redrawn(self, rng: np.random.Generator, times: int) -> Floats:
        """(times,) values of runs drawn from these with replacement."""
        ours, theirs = (
            np.median(rng.choice(runs, size=(times, len(runs))), axis=1) for runs in (self.our_runs, self.their_runs)
        )
        return np.asarray(ours / theirs)


def ratio(runs: Runs, problem: str, ours: str, theirs: str, target: float, times: float = 2.0) -> Ratio | None:
    """None if one of them has no run that tells, or neither reaches the target in its median run.

    A run that misses it is charged `times` the most either spent: twice is what contests of solvers call PAR2. No run
    is charged more. Seeds are not paired: two methods share nothing but the number.
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
    """Of so large differences to one side if there were none; not told of too few runs."""
    if min(len(ours), len(theirs)) < ENOUGH:
        return math.nan
    return float(mannwhitneyu(ours, theirs, alternative=side).pvalue)


def geometric_mean(values: Sequence[float]) -> float:
    """exp of the mean logarithm; nan of none."""
    return math.exp(float(np.mean(np.log(values)))) if len(values) else math.nan


def seconds_per_ask(runs: Runs, problem: str, method: str, near: int) -> float:
    """Median over seeds of the mean processor seconds of ten asks ending at `near` evaluations, or at the last ten."""
    found = [run["asks"] for run in runs_of(runs, problem, method).values() if run["asks"]]
    if not found:
        return math.nan
    return spread([float(asks[min(near // 10, len(asks)) - 1]) for asks in found]).middle


def median_curve(runs: Runs, problem: str, method: str, money: bool) -> tuple[Floats, Floats] | None:
    """(k,) evaluations, or money, and (k,) median shares of the best hypervolume.

    If no run finished, of those that were stopped, as far as the shortest came.
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
