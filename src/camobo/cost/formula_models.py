"""The expected cost by a formula or by a Python function: values and slopes over a space."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from camobo.arrays import Array
from camobo.cost.expression import Columns, Expression
from camobo.cost.levels import log_ratio
from camobo.cost.protocol import CostModel
from camobo.errors import shown
from camobo.space.inputs import Categorical, Input
from camobo.space.space import Space

_STEP = 1e-5  # of a range, for the slopes of a function
_MOST_KNOWN = 20_000  # costs that are kept, a few megabytes
_BEYOND = 710.0  # more than the logarithm of any number


@dataclass(frozen=True, slots=True)
class FormulaModel:
    """The value of an expression."""

    space: Space
    expression: Expression
    in_money: bool = True

    def fitted(self, units: Array, paid: Array, earlier: CostModel | None = None) -> CostModel:
        """Itself: a formula is exact."""
        return self

    def outcome(self, unit: Array) -> tuple[str, Exception | None]:
        """What the formula gives at a (d,) point, as errors show it; and no exception."""
        return f"{self.costs(unit[None, :])[0]:.6g}", None

    def _columns(self, units: Array) -> Columns:
        names = self.space.names
        mentioned = self.expression.names or names[:1]  # by its columns an expression knows how many points there are
        return {name: _natural(self.space.inputs[name], units[:, names.index(name)]) for name in mentioned}

    def costs(self, units: Array) -> Array:
        """(n,) what the formula gives."""
        return self.expression.values(self._columns(units))

    def log_cost(self, units: Array) -> Array:
        """(n,) log of what the formula gives; where that is not above 0, as expensive as can be."""
        return _safe_log(self.costs(units))

    def log_cost_slope(self, units: Array) -> Array:
        """(n, d) gradient of `log_cost`."""
        values, slopes = self.expression.slopes(self._columns(units))
        found, names = np.zeros(units.shape), self.space.names
        with np.errstate(all="ignore"):
            for name, slope in slopes.items():
                j = names.index(name)
                found[:, j] = slope * _natural_slope(self.space.inputs[name], units[:, j]) / values
        return np.where(np.isfinite(found) & is_cost(values)[:, None], found, 0.0)


class KnownCosts:
    """A cache: what a Python function, which may be slow, gave for params."""

    def __init__(self) -> None:
        self._costs: dict[tuple[Any, ...], float] = {}

    def of(self, function: Callable[[Mapping[str, Any]], float], params: Mapping[str, Any]) -> float:
        """What the function gives, as a number; NaN for what is none. What it raises is raised, and not kept."""
        key = (*params.items(), *map(type, params.values()))  # 1 and True are equal, and two choices
        known = self._costs.get(key)
        if known is None:
            found = function(params)
            known = math.nan if isinstance(found, (str, bytes, bool)) else float(found)
            if len(self._costs) >= _MOST_KNOWN:
                self._costs.clear()
            self._costs[key] = known
        return known


@dataclass(frozen=True, slots=True)
class FunctionModel:
    """The value of a Python function."""

    space: Space
    function: Callable[[Mapping[str, Any]], float]
    known: KnownCosts = field(default_factory=KnownCosts, repr=False, compare=False)
    in_money: bool = True

    def fitted(self, units: Array, paid: Array, earlier: CostModel | None = None) -> CostModel:
        """Itself: a function is exact."""
        return self

    def outcome(self, unit: Array) -> tuple[str, Exception | None]:
        """What the function returns or raises at a (d,) point, as errors show it; and what it raises."""
        try:
            return shown(self.function(self.space.from_unit(unit))), None
        except Exception as error:
            return shown(error), error

    def costs(self, units: Array) -> Array:
        """(n,) what the function returns; NaN where it raises or returns no number."""
        return np.array([self._cost(unit) for unit in units])

    def _cost(self, unit: Array) -> float:
        try:
            return self.known.of(self.function, self.space.from_unit(unit))
        except Exception:  # whatever a user's function raises: such a point is not suggested
            return math.nan

    def log_cost(self, units: Array) -> Array:
        """(n,) log of what the function returns; where that is not above 0, as expensive as can be."""
        return _safe_log(self.costs(units))

    def log_cost_slope(self, units: Array) -> Array:
        """(n, d) gradient of `log_cost`, by differences; 0 where the function gives no cost."""
        found, here = np.zeros(units.shape), self.costs(units)
        for j in np.flatnonzero(self.space.continuous):
            step = np.where(units[:, j] < 0.5, _STEP, -_STEP)
            moved = units.copy()
            moved[:, j] += step
            there = self.costs(moved)
            known = is_cost(here) & is_cost(there)
            found[known, j] = ((_safe_log(there) - _safe_log(here)) / step)[known]
        return found


def is_cost(costs: Array) -> NDArray[np.bool_]:
    """(n,) whether they are finite and above 0."""
    return np.isfinite(costs) & (costs > 0.0)


def _safe_log(costs: Array) -> Array:
    """(n,) logarithms; of what is no cost, more than any cost has."""
    good = is_cost(costs)
    return np.where(good, np.log(np.where(good, costs, 1.0)), _BEYOND)


def _natural(given: Input, units: Array) -> Array | NDArray[np.intp]:
    """(n,) values of a number, exactly those that are evaluated at its ends and steps; positions of choices."""
    if isinstance(given, Categorical):
        return given.positions(units)
    if not given.continuous:
        coordinates, where = np.unique(units, return_inverse=True)
        return np.array([float(given.from_unit(unit)) for unit in coordinates.tolist()])[where]
    low, high = float(given.low), float(given.high)
    with np.errstate(over="ignore"):  # near the largest float
        found = np.exp(math.log(low) + log_ratio(given) * units) if given.log else low + (high - low) * units
    return np.where(units <= 0.0, low, np.where(units >= 1.0, high, np.clip(found, low, high)))


def _natural_slope(given: Input, units: Array) -> Array:
    """(n,) derivative of a number's value along its unit coordinate; 0 if that is not continuous."""
    if isinstance(given, Categorical) or not given.continuous:
        return np.zeros(len(units))
    if not given.log:
        return np.full(len(units), float(given.high - given.low))
    return np.asarray(log_ratio(given) * _natural(given, units))
