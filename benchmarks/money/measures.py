"""What runs come to: money to a share of the best front, and the front at equal money, beside the blind study.

Money: per case the geometric mean over the seeds, then the ratio to that of the blind study. A run that misses a share
is charged twice what the blind study spends in the mean, or twice what it spent itself if that is more: a run must not
gain by stopping early. That is a convention, not what reaching it would have cost, so read the cases missed, and the
hypervolume at equal money, beside it. A case that both miss in the median, with half of the seeds or more, is left out.
"""

from __future__ import annotations

import bisect
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

SHARES = (0.5, 0.8, 0.9, 0.95, 0.98, 0.99)
FRACTIONS = (0.05, 0.1, 0.2, 0.5, 1.0)
TRIALS = (10, 20, 30, 40, 60, 80, 100)
TOLERANCE = 1.01
"""A run that finds more than this times the best hypervolume known makes that the best known."""
SOMETHING = 0.1
"""The share of the front that the blind study must have for a ratio of hypervolumes."""


@dataclass(frozen=True, slots=True)
class Run:
    """One run under one price function."""

    case: str
    seed: int
    at: Sequence[int]
    """The trials that improved the front, from 1."""
    reached: Sequence[float]
    """The share of the best hypervolume with each."""
    money: Sequence[float]
    """What had been paid with each."""
    total: float
    ask: float
    """Median seconds per suggestion."""

    def to(self, share: float) -> float | None:
        """The money paid when a share was reached; None if it was not."""
        place = next((i for i, reached in enumerate(self.reached) if reached >= share), None)
        return None if place is None else self.money[place]

    def charge(self, share: float, usual: float) -> float:
        """The money to a share; if it was missed, twice what was spent, or twice what is usual if that is more."""
        paid = self.to(share)
        return 2.0 * max(self.total, usual) if paid is None else paid

    def for_money(self, amount: float) -> float:
        """The share reached for an amount of money."""
        return self._before(bisect.bisect_right(self.money, amount))

    def after(self, trials: int) -> float:
        """The share reached after a number of trials."""
        return self._before(bisect.bisect_right(self.at, trials))

    def _before(self, place: int) -> float:
        return self.reached[place - 1] if place else 0.0


Runs = Mapping[str, Sequence[Run]]
"""The runs of one method, budget and price function, by case; the same seeds for every method."""


def runs_of(records: Iterable[Mapping[str, Any]], price: str, best: Mapping[str, float]) -> dict[str, list[Run]]:
    """The runs of some records under a price function, by case, those of the lowest seed first.

    best: the best hypervolume known of each case, of which `reached` is the share.
    """
    found: dict[str, list[Run]] = {}
    kept = [record for record in records if price in record["total"]]
    for record in sorted(kept, key=lambda record: int(record["seed"])):
        scale = record["best"] / best[record["case"]]
        reached = [share * scale for share in record["hypervolume"]]
        run = Run(record["case"], record["seed"], record["at"], reached, record["money"][price],
                  record["total"][price], record["ask"])  # fmt: skip
        found.setdefault(record["case"], []).append(run)
    return found


def best_known(records: Iterable[Mapping[str, Any]]) -> dict[str, float]:
    """The best hypervolume of each case: as on file, or what a run found if that is clearly more."""
    found: dict[str, float] = {}
    for record in records:
        reached = record["hypervolume"][-1] if record["hypervolume"] else 0.0
        best = record["best"] * (reached if reached > TOLERANCE else 1.0)
        found[record["case"]] = max(best, found.get(record["case"], 0.0))
    return found


def paired(method: Runs, blind: Runs) -> tuple[dict[str, list[Run]], dict[str, list[Run]]]:
    """Only the cases and seeds that both have."""
    ours: dict[str, list[Run]] = {}
    theirs: dict[str, list[Run]] = {}
    for case in method.keys() & blind.keys():
        seeds = {run.seed for run in method[case]} & {run.seed for run in blind[case]}
        if seeds:
            ours[case] = [run for run in method[case] if run.seed in seeds]
            theirs[case] = [run for run in blind[case] if run.seed in seeds]
    return ours, theirs


def geometric_mean(numbers: Iterable[float]) -> float:
    """exp of the mean logarithm; nan without numbers."""
    logs = [math.log(number) for number in numbers]
    return math.exp(math.fsum(logs) / len(logs)) if logs else math.nan


def misses(runs: Sequence[Run], share: float) -> bool:
    """Whether half of the runs or more miss a share."""
    return 2 * sum(run.to(share) is None for run in runs) >= len(runs)


@dataclass(frozen=True, slots=True)
class Ratio:
    """Money to a share, relative to the blind study.

    Attributes:
        mean: geometric mean over the cases that count; nan if none does.
        by_case: the cases that count.
        missed: cases that the method misses in the median and the blind study reaches.
        won: cases that the method reaches in the median and the blind study misses.
        left_out: cases that both miss in the median.
    """

    mean: float
    by_case: Mapping[str, float]
    missed: tuple[str, ...]
    won: tuple[str, ...]
    left_out: tuple[str, ...]

    @property
    def worst(self) -> tuple[str, float]:
        """The case with the highest ratio."""
        return max(self.by_case.items(), key=lambda pair: pair[1]) if self.by_case else ("", math.nan)


def money_ratio(method: Runs, blind: Runs, share: float) -> Ratio:
    """Money to a share of the front, relative to the blind study."""
    ours, theirs = paired(method, blind)
    status = {case: (misses(ours[case], share), misses(theirs[case], share)) for case in sorted(ours)}

    def where(wanted: tuple[bool, bool]) -> tuple[str, ...]:
        return tuple(case for case, found in status.items() if found == wanted)

    usual = {case: _mean_total(theirs[case]) for case in status}
    by_case = {
        case: _charge(ours[case], share, usual[case]) / _charge(theirs[case], share, usual[case])
        for case in status
        if case not in where((True, True))
    }
    return Ratio(
        geometric_mean(by_case.values()), by_case, where((True, False)), where((False, True)), where((True, True))
    )


def _charge(runs: Sequence[Run], share: float, usual: float) -> float:
    return geometric_mean(run.charge(share, usual) for run in runs)


def _mean_total(runs: Sequence[Run]) -> float:
    return float(np.mean([run.total for run in runs]))


def clairvoyant_ratio(least: Mapping[str, float], blind: Runs, share: float) -> float:
    """The clairvoyant's money by case relative to the blind study, over the cases that this reaches in the median."""
    cases = [case for case in blind if case in least and not misses(blind[case], share)]
    return geometric_mean(least[case] / _charge(blind[case], share, _mean_total(blind[case])) for case in cases)


@dataclass(frozen=True, slots=True)
class Fronts:
    """Hypervolume relative to the blind study's mean on the same case: of all cases, the worst, the lowest tenth.

    Cases where the blind study has less than SOMETHING by then are left out: a ratio to almost nothing says nothing.
    """

    mean: float
    worst: tuple[str, float]
    lowest_tenth: float


def fronts_for_money(method: Runs, blind: Runs, fraction: float) -> Fronts:
    """Hypervolume for a fraction of the money that the blind study spends in all, in the mean over its runs."""
    ours, theirs = paired(method, blind)
    amounts = {case: fraction * _mean_total(theirs[case]) for case in theirs}
    return _fronts(ours, theirs, lambda run: run.for_money(amounts[run.case]))


def fronts_after(method: Runs, blind: Runs, trials: int) -> Fronts:
    """Hypervolume after a number of trials."""
    return _fronts(*paired(method, blind), lambda run: run.after(trials))


def _fronts(ours: Runs, theirs: Runs, reached: Callable[[Run], float]) -> Fronts:
    runs = {case: [reached(run) for run in ours[case]] for case in sorted(ours)}
    means = {case: float(np.mean([reached(run) for run in theirs[case]])) for case in runs}
    ratios = {case: float(np.mean(runs[case])) / mean for case, mean in means.items() if mean >= SOMETHING}
    if not ratios:
        return Fronts(math.nan, ("", math.nan), math.nan)
    lowest = min(ratios.items(), key=lambda pair: pair[1])
    return Fronts(float(np.mean(list(ratios.values()))), lowest, float(np.quantile(list(ratios.values()), 0.1)))
