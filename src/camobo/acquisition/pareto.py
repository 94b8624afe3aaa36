"""Dominance, front and hypervolume. Values are (n, M) and larger is better throughout.

The paper's Eq. 4 excludes every point that any point weakly dominates. Every point weakly dominates itself, so that
would exclude all. Here another point must be at least as good everywhere and better somewhere (Eq. 3).
"""

from __future__ import annotations

import math

import moocore
import numpy as np
from numpy.typing import NDArray

from camobo.arrays import Array

_EXACT = 6  # objectives: exact, 200 points on a sphere take 6 s with eight, 100 points 48 s with ten
_DIRECTIONS = 100_000


def dominates(a: Array, b: Array) -> bool:
    """Whether (M,) values a are at least as good as b everywhere and better somewhere.

    >>> dominates(np.array([1.0, 2.0]), np.array([1.0, 1.0])), dominates(np.ones(2), np.ones(2))
    (True, False)
    """
    return bool(np.all(a >= b) and np.any(a > b))


def on_front(values: Array) -> NDArray[np.bool_]:
    """(n,) which rows of (n, M) values no other row dominates; equal rows are all on the front or all not.

    >>> on_front(np.array([[0.0, 1.0], [1.0, 0.0], [0.0, 0.0], [1.0, 0.0]])).tolist()
    [True, True, False, True]
    """
    if len(values) == 0:
        return np.zeros(0, dtype=np.bool_)
    return np.asarray(moocore.is_nondominated(values, maximise=True, keep_weakly=True), dtype=np.bool_)


def hypervolume(values: Array, reference: Array) -> float:
    """Volume dominated by (n, M) values above the (M,) reference point; rows not above it everywhere add nothing.

    Exact up to six objectives, beyond that estimated to about one per cent. Infinite if no float can hold it.

    >>> hypervolume(np.array([[2.0, 1.0], [1.0, 2.0]]), np.zeros(2))
    3.0
    """
    if len(values) == 0:
        return 0.0
    if values.shape[1] == 1:
        return max(0.0, float(values.max()) - float(reference[0]))
    if values.shape[1] > _EXACT:
        return _estimated(values, reference)
    different = np.unique(values, axis=0)  # equal rows would add only rounding errors
    volume = float(moocore.hypervolume(different, ref=reference, maximise=True))
    return math.inf if math.isnan(volume) else volume  # from ∞ − ∞


def _estimated(values: Array, reference: Array) -> float:
    """Estimate from how far the values reach along random directions (Deng & Zhang 2019), in units of their range."""
    above = values[(values > reference).all(axis=1)]
    if len(above) == 0:
        return 0.0
    half = 0.5 * above.max(axis=0) - 0.5 * reference  # halves: differences do not overflow
    shares = (0.5 * above - 0.5 * reference) / half
    share = moocore.hv_approx(shares, ref=0.0, maximise=True, nsamples=_DIRECTIONS, seed=0, method="DZ2019-MC")
    with np.errstate(over="ignore"):
        return float(share * np.prod(2.0 * half))
