"""Measured values as models see them, and back: centred, of deviation one, long tails drawn in.

A model of values as they are is one of its outliers: beside a deflection of 1700 mm those of 1 and 3 mm look the same,
and it is among these that the front lies. So values far on the bad side keep their order but not their distance.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from camobo.inputs import Array

_LARGEST = np.finfo(np.float64).max
_FENCE = 3.0  # interquartile ranges beyond the quartile: farther out, Tukey calls a value "far out"


@dataclass(frozen=True, slots=True)
class Standard:
    """z = (y' − offset) / scale, where y' is y between two fences, and w log(1 + distance / w) beyond one of them.

    At a fence the slope is one, so nothing jumps.

    >>> standard = Standard(offset=0.0, scale=1.0, low=-10.0, width=1.0)
    >>> z = standard.of(np.array([5.0, -10.0, -1e6]))
    >>> z.round(2)
    array([  5.  , -10.  , -23.82])
    >>> standard.back(z, np.ones(3))[0].round(2)
    array([ 5.e+00, -1.e+01, -1.e+06])
    """

    offset: float
    scale: float
    low: float = -math.inf
    high: float = math.inf
    width: float = 1.0

    def of(self, values: Array) -> Array:
        """Standardised values; one that no float can hold, as of a reference far outside the data, is the largest.

        Differences are taken in halves, so that those of values near the largest float do not overflow.
        """
        with np.errstate(over="ignore"):
            found = (0.5 * self._drawn_in(values) - 0.5 * self.offset) / (0.5 * self.scale)
        return np.clip(found, -_LARGEST, _LARGEST)

    def back(self, mean: Array, deviation: Array) -> tuple[Array, Array]:
        """Standardised means and deviations in the values' own units; what no float can hold is the largest.

        Beyond a fence the mean is a median, and the deviation to first order.
        """
        with np.errstate(over="ignore"):
            drawn_in = np.clip(self.offset + self.scale * mean, -_LARGEST, _LARGEST)
            inside = np.clip(drawn_in, self.low, self.high)
            beyond = (drawn_in - inside) / self.width
            values = inside + np.sign(beyond) * self.width * np.expm1(np.abs(beyond))
            deviations = self.scale * deviation * np.exp(np.abs(beyond))
        return np.clip(values, -_LARGEST, _LARGEST), np.minimum(deviations, _LARGEST)

    def mirrored(self) -> Standard:
        """Of the same values with the other sign."""
        return Standard(-self.offset, self.scale, -self.high, -self.low, self.width)

    def _drawn_in(self, values: Array) -> Array:
        inside = np.clip(values, self.low, self.high)
        with np.errstate(over="ignore"):
            beyond = np.minimum(np.abs(0.5 * values - 0.5 * inside) / (0.5 * self.width), _LARGEST)
        return np.asarray(inside + np.sign(0.5 * values - 0.5 * inside) * self.width * np.log1p(beyond))


def plain(values: Array) -> Standard:
    """Of values as they are.

    The deviation is at least 1e-300: below, floats lose their digits and division by it is not safe. Equal values
    deviate by their own size.
    """
    size = float(np.max(np.abs(values))) or 1.0
    relative = values / size
    deviation = float(relative.std())
    return Standard(float(relative.mean()) * size, max(size * (deviation if deviation > 1e-12 else 1.0), 1e-300))


def of_objective(values: Array) -> Standard:
    """Of an objective, larger better: fenced three interquartile ranges below the lower quartile.

    Not nearer to it than the best value, which may be far out on the good side.
    """
    with np.errstate(over="ignore"):
        lower, upper, best = (float(q) for q in np.quantile(values, (0.25, 0.75, 1.0)))
        width = max(_FENCE * (upper - lower), best - lower)
        return _fenced(values, lower - width, math.inf, width)


def of_constraint(values: Array) -> Standard:
    """Of a constraint: fenced at its median size on either side of zero, since only what is near zero matters."""
    size = 2.0 * float(np.median(0.5 * np.abs(values)))  # in halves: a median adds two values up
    return _fenced(values, -size, size, size)


def _fenced(values: Array, low: float, high: float, width: float) -> Standard:
    if not 1e-300 < width < math.inf:
        return plain(values)
    fenced = Standard(0.0, 1.0, low, high, width)
    found = plain(fenced._drawn_in(values))
    return Standard(found.offset, found.scale, low, high, width)
