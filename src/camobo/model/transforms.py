"""Standardisation of measured values for the models, and back: mean zero, deviation one, long tails compressed.

Outliers would dominate a model of raw values: next to a deflection of 1700 mm, 1 mm and 3 mm look the same, and the
front lies there. So values far on the bad side keep their order but are moved closer.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from camobo.arrays import Array

_LARGEST = np.finfo(np.float64).max
_FARTHEST = 1e100  # deviations: squares of what models make of it do not overflow
_FENCE = 3.0  # interquartile ranges beyond the quartile: Tukey's fence for values that are "far out"


@dataclass(frozen=True, slots=True)
class Standard:
    """z = (y' − offset) / scale, where y' is y between two fences, and fence ± w log(1 + distance / w) beyond one.

    The slope at a fence is one, so y' has no kink there.

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
        """Standardised values, clipped at ±1e100: a reference, or what is measured later, may lie far outside the data.

        Differences are taken of halves, so that values near the largest float do not overflow.
        """
        with np.errstate(over="ignore"):
            found = (0.5 * self._compressed(values) - 0.5 * self.offset) / (0.5 * self.scale)
        return np.clip(found, -_FARTHEST, _FARTHEST)

    def back(self, mean: Array, deviation: Array) -> tuple[Array, Array]:
        """Standardised means and deviations in the units of the data, clipped to the largest float.

        Beyond a fence the mean becomes a median, and the deviation is exact to first order.
        """
        with np.errstate(over="ignore"):
            compressed = np.clip(self.offset + self.scale * mean, -_LARGEST, _LARGEST)
            inside = np.clip(compressed, self.low, self.high)
            beyond = (compressed - inside) / self.width
            values = inside + np.sign(beyond) * self.width * np.expm1(np.abs(beyond))
            deviations = self.scale * deviation * np.exp(np.abs(beyond))
        return np.clip(values, -_LARGEST, _LARGEST), np.minimum(deviations, _LARGEST)

    def mirrored(self) -> Standard:
        """The standard of the values with the opposite sign."""
        return Standard(-self.offset, self.scale, -self.high, -self.low, self.width)

    def _compressed(self, values: Array) -> Array:
        inside = np.clip(values, self.low, self.high)
        with np.errstate(over="ignore"):
            beyond = np.minimum(np.abs(0.5 * values - 0.5 * inside) / (0.5 * self.width), _LARGEST)
        return np.asarray(inside + np.sign(0.5 * values - 0.5 * inside) * self.width * np.log1p(beyond))


def plain(values: Array) -> Standard:
    """Mean and deviation of the values, without fences.

    The scale is at least 1e-300: smaller floats lose digits, and division by them is not safe. If all values are equal,
    the scale is their size.
    """
    size = float(np.max(np.abs(values))) or 1.0
    relative = values / size
    deviation = float(relative.std())
    return Standard(float(relative.mean()) * size, max(size * (deviation if deviation > 1e-12 else 1.0), 1e-300))


def of_objective(values: Array) -> Standard:
    """Of an objective, larger is better: one fence, three interquartile ranges below the lower quartile.

    The fence is at least as far from the quartile as the best value, which may be far out on the good side.
    """
    with np.errstate(over="ignore"):
        # of halves: a quantile between two values takes their difference
        lower, upper, best = (2.0 * float(q) for q in np.quantile(0.5 * values, (0.25, 0.75, 1.0)))
        width = max(_FENCE * (upper - lower), best - lower)
        return _fenced(values, lower - width, math.inf, width)


def of_constraint(values: Array) -> Standard:
    """Of a constraint: fences at ± its median absolute value, because only values near zero matter."""
    size = 2.0 * float(np.median(0.5 * np.abs(values)))  # of halves: a median adds two values
    return _fenced(values, -size, size, size)


def _fenced(values: Array, low: float, high: float, width: float) -> Standard:
    if not 1e-300 < width < math.inf:
        return plain(values)
    fenced = Standard(0.0, 1.0, low, high, width)
    found = plain(fenced._compressed(values))
    return Standard(found.offset, found.scale, low, high, width)
