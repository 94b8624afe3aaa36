"""Means, ratios and shares over runs, with 95 % intervals.

Methods are compared in pairs of runs, because run r of each starts from the same observations. Intervals of means and
ratios come from resampled runs, those of shares are Wilson's.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from camobo.arrays import Array

Numbers: TypeAlias = Mapping[str, Any]
Summary: TypeAlias = Mapping[str, Any]

_RESAMPLES = 4000


@dataclass(frozen=True, slots=True)
class Interval:
    """An estimate and the ends of its 95 % interval."""

    value: float
    low: float
    high: float

    def shown(self, digits: int) -> str:
        """`0.512 [0.498, 0.527]`; a single run has no interval, a ratio to zero has no value: "–"."""
        if math.isnan(self.value):
            return "–"
        if math.isnan(self.low):
            return f"{self.value:.{digits}f}"
        return f"{self.value:.{digits}f} [{self.low:.{digits}f}, {self.high:.{digits}f}]"


def mean(values: Array) -> Interval:
    """The mean of (R,) runs."""
    return ratio(values, np.ones(len(values)))


def ratio(values: Array, others: Array) -> Interval:
    """The ratio of the means of (R,) paired runs; the interval is from resampled pairs."""
    estimate = float(values.mean() / others.mean()) if others.mean() != 0.0 else math.nan
    if len(values) < 2 or math.isnan(estimate):
        return Interval(estimate, math.nan, math.nan)
    picks = np.random.default_rng(0).integers(len(values), size=(_RESAMPLES, len(values)))
    above, below = values[picks].mean(axis=1), others[picks].mean(axis=1)
    low, high = np.percentile(above[below != 0.0] / below[below != 0.0], [2.5, 97.5])
    return Interval(estimate, float(low), float(high))


def share(held: NDArray[np.bool_]) -> Interval:
    """The share of (R,) runs in which something held, with Wilson's interval.

    >>> share(np.array([True] * 50)).shown(2)
    '1.00 [0.93, 1.00]'
    """
    n, p, z = len(held), float(held.mean()), 1.959964
    centre, width = p + z * z / (2 * n), z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    scale = 1 + z * z / n
    return Interval(p, max(0.0, (centre - width) / scale), min(1.0, (centre + width) / scale))


def versus(summary: Summary, method: str, pick: Callable[[Numbers], Array]) -> Interval:
    """The mean of a number over a method's runs, relative to MO-UCB's over the same runs."""
    a, b = summary["methods"][method], summary["methods"]["mo-ucb"]
    both = sorted(set(a["runs"]) & set(b["runs"]))
    rows = [pick(m)[[m["runs"].index(run) for run in both]] for m in (a, b)]
    return ratio(rows[0], rows[1])


def in_order(used: Array) -> NDArray[np.bool_]:
    """(R,) whether the sums of (R, k) inputs keep the order: strictly less of each more expensive input."""
    return np.asarray(np.all(np.diff(used, axis=1) > 0, axis=1))
