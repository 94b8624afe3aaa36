"""How expensive inputs are, on the scale on which they cost.

A level is 0 where an input is cheapest and 1 at its expensive end. It grows in proportion to the input's value: twenty
trees cost twice as much as ten, on whatever scale they are searched. If the low end of a logarithmic input is the
expensive one, cost grows in proportion to 1 / value: half the step size takes twice as many steps.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from camobo.arrays import Array
from camobo.space.inputs import Categorical, Input, Integer, Real
from camobo.space.space import Space


@dataclass(frozen=True, slots=True)
class Levels:
    """The levels of some inputs of a space.

    >>> space = Space({"trees": Integer(1, 100, log=True), "soak": Real(20, 900, free=20)})
    >>> Levels(space, np.array([0, 1])).of(np.array([[0.5, 0.5], [1.0, 1.0]])).round(3)
    array([[0.091, 0.5  ],
           [1.   , 1.   ]])
    """

    space: Space
    columns: NDArray[np.intp]
    """(k,) which inputs."""

    def of(self, units: Array) -> Array:
        """(n, k) levels of (n, d) snapped points."""
        inputs = list(self.space.inputs.values())
        found = [_level(inputs[j], units[:, j]) for j in self.columns]
        return np.stack(found, axis=1) if found else np.zeros((len(units), 0))

    def slopes(self, units: Array) -> Array:
        """(n, k) derivative of each level along the coordinate of its input; 0 if that is not continuous."""
        inputs = list(self.space.inputs.values())
        found = [_slope(inputs[j], units[:, j]) for j in self.columns]
        return np.stack(found, axis=1) if found else np.zeros((len(units), 0))


def _level(given: Input, units: Array) -> Array:
    if isinstance(given, Categorical):
        return np.array(given.levels)[given.positions(units)]
    return _apart(given, units) / _reach(given)


def _slope(given: Input, units: Array) -> Array:
    if isinstance(given, Categorical) or not given.continuous:
        return np.zeros(len(units))
    growth = np.ones(len(units))
    if given.log:
        ratio = log_ratio(given)
        growth = ratio * np.exp(ratio * (_along(given, units) - 1.0))
    return np.where((units >= given.cheap) & (given.cheap < 1.0), growth, -growth) / _reach(given)


def _along(given: Real | Integer, units: Array) -> Array:
    """(n,) coordinates from 0 to 1 along which cost is in proportion to the value, or to 1 / value."""
    return 1.0 - units if given.expensive == "low" else units


def _apart(given: Real | Integer, units: Array) -> Array:
    """(n,) |s − s₀|: s the sizes that cost is in proportion to, 1 at the end of their range, s₀ the cheapest of them.

    On a logarithmic scale s = exp(r (a − 1)) at coordinate a. A difference of exponentials would lose the digits of a
    narrow range, so for a > a₀ it is computed as exp(r (a − 1)) (1 − exp(−r (a − a₀))).
    """
    along, cheapest = _along(given, units), float(_along(given, np.array([given.cheap]))[0])
    apart = np.abs(along - cheapest)
    if not given.log:
        return apart
    ratio = log_ratio(given)
    return np.asarray(-np.expm1(-ratio * apart) * np.exp(ratio * (np.maximum(along, cheapest) - 1.0)))


def _reach(given: Real | Integer) -> float:
    return float(_apart(given, np.array([0.0, 1.0])).max())


def log_ratio(given: Real | Integer) -> float:
    """log(high / low), also of ranges so narrow or so wide that one of the usual ways to compute it fails."""
    ratio = given.high / given.low
    return math.log(ratio) if math.isfinite(ratio) else math.log(given.high) - math.log(given.low)
