"""Means, differences, ratios and shares over runs, with 95 % intervals.

Methods are compared in pairs of runs, because run r of each starts from the same observations. Intervals of means and
ratios are Student's, which cover as much with ten runs as with fifty; those of shares are Wilson's. Fewer than three
runs have no interval.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from camobo.arrays import Array

Numbers: TypeAlias = Mapping[str, Any]
Summary: TypeAlias = Mapping[str, Any]

_FEWEST = 3


@dataclass(frozen=True, slots=True)
class Interval:
    """An estimate and the ends of its 95 % interval; the ends are NaN where there are too few runs."""

    value: float
    low: float
    high: float

    def shown(self, digits: int) -> str:
        """`0.512 [0.498, 0.527]`; without the interval if there is none, "–" without a value."""
        if math.isnan(self.value):
            return "–"
        if math.isnan(self.low):
            return f"{self.value:.{digits}f}"
        return f"{self.value:.{digits}f} [{self.low:.{digits}f}, {self.high:.{digits}f}]"


def quantile(runs: int) -> float:
    """How many standard errors the interval of a mean of so many runs reaches to either side; NaN with too few.

    >>> round(quantile(10), 3), quantile(2)
    (2.262, nan)
    """
    return float(stdtrit(runs - 1, 0.975)) if runs >= _FEWEST else math.nan


def mean(values: Array) -> Interval:
    """The mean of (R,) runs."""
    return _around(float(values.mean()), values)


def ratio(values: Array, others: Array) -> Interval:
    """The ratio of the means of (R,) paired runs; its error is that of values − ratio × others, to first order."""
    if len(others) == 0 or others.mean() == 0.0:
        return Interval(math.nan, math.nan, math.nan)
    estimate = float(values.mean() / others.mean())
    return _around(estimate, (values - estimate * others) / others.mean())


def _around(estimate: float, values: Array) -> Interval:
    """An estimate with the standard error of the mean of (R,) values."""
    reach = quantile(len(values)) * standard_error(values) if len(values) >= _FEWEST else math.nan
    return Interval(estimate, estimate - reach, estimate + reach)


def standard_error(values: Array) -> float:
    """Of the mean of (R,) values."""
    return float(values.std(ddof=1)) / math.sqrt(len(values))


def share(held: NDArray[np.bool_]) -> Interval:
    """The share of (R,) runs in which something held.

    >>> share(np.array([True] * 50)).shown(2)
    '1.00 [0.93, 1.00]'
    """
    n, p, z = len(held), float(held.mean()), 1.959964
    if n < _FEWEST:
        return Interval(p, math.nan, math.nan)
    centre, width = p + z * z / (2 * n), z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    scale = 1 + z * z / n
    return Interval(p, max(0.0, (centre - width) / scale), min(1.0, (centre + width) / scale))


def versus(summary: Summary, method: str, pick: Callable[[Numbers], Array], other: str = "mo-ucb") -> Interval:
    """The mean of a number over a method's runs, relative to another's, MO-UCB's, over the same runs."""
    a, b = summary["methods"][method], summary["methods"][other]
    both = sorted(set(a["runs"]) & set(b["runs"]))
    rows = [pick(m)[[m["runs"].index(run) for run in both]] for m in (a, b)]
    return ratio(rows[0], rows[1])


def in_order(used: Array) -> NDArray[np.bool_]:
    """(R,) whether the sums of (R, k) inputs keep the order: strictly less of each more expensive input."""
    return np.asarray(np.all(np.diff(used, axis=1) > 0.0, axis=1))
