"""The default cost model: the cost of all inputs adds up."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from camobo.arrays import Array
from camobo.cost.moment import Moment
from camobo.cost.order import Order
from camobo.cost.protocol import Discount
from camobo.errors import InvalidOptionError, shown

_MOST_STRENGTH = 34.0  # beyond it C would round to 1 at the expensive end
_CHEAPEST = 0.1  # assumed cost of a trial at the cheap end, as a share of what the expensive ends add
_STRENGTH, _INDIFFERENCE = 8.0, 0.035
_LAST = 0.1  # share of the budget left below which the power falls to zero


@dataclass(frozen=True, slots=True)
class AdditiveCost:
    """1 − C(u, t) = exp(−s_t v·u) / (1 + 10 v·u)^p_t: the levels u add up, so every input always counts.

    v is the centre of all weightings that agree with the order, or one uniform draw per suggestion (`weights="drawn"`).
    v·u + 0.1 estimates the cost of a point, from 0.1 at the cheap end to at most 1.1. With s_t = 0 and p_t = 1 the
    acquisition is promise divided by cost. The exponential adds to that early on: the cheap end is explored first.

    strength: s_t = strength × (share of the budget left)^cooling. None: 8, divided by (M − 1)² for M > 2 objectives,
        and less under a small budget, which can spare few trials (`Moment.budget_factor`).
    cooling: the exponent for one or two objectives; for more it is multiplied by M − 1. The front has M − 1 dimensions:
        the more it has, the more trials it needs, and the sooner trials spent on cheap points are missed.
    indifference: the size of the exploration bonus at low cost, relative to what the front reaches. Small at first, it
        grows as the budget is spent, and is zero at the end. An expensive point must promise more than this.
        None: 0.035, less under a small budget, and 0 for three objectives or more, whose front needs every trial.
    power: p_t = power, divided by (M − 1)² for M > 2 objectives, until a tenth of the budget is left; then it falls to
        zero. At the end of the budget all points cost the same.

    The four were chosen together, on problems whose front lies at the cheap end and at the expensive end:
    `benchmarks/tune_cost.py` and its table.

    >>> cost = AdditiveCost("x1 > x2", strength=4.0, power=0.0)
    >>> discount = cost.at(Moment(1, 100), ["x1", "x2"], np.random.default_rng(0))
    >>> discount.log(np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]))
    array([-0., -3., -1.])
    """

    order: Order
    strength: float | None = None
    cooling: float = 1.7
    indifference: float | None = None
    weights: Literal["centre", "drawn"] = "centre"
    power: float = 1.0

    def __init__(
        self,
        order: str | Sequence[str] | Order,
        *,
        strength: float | None = None,
        cooling: float = 1.7,
        indifference: float | None = None,
        weights: Literal["centre", "drawn"] = "centre",
        power: float = 1.0,
    ) -> None:
        if not isinstance(weights, str) or weights not in ("centre", "drawn"):
            raise InvalidOptionError(f'AdditiveCost: weights must be "centre" or "drawn", got {shown(weights)}.')
        object.__setattr__(self, "order", Order.parse(order).weighable())
        for name, given, most in (("strength", strength, _MOST_STRENGTH), ("indifference", indifference, 1.0)):
            object.__setattr__(self, name, None if given is None else _number(name, given, 0.0, most))
        object.__setattr__(self, "cooling", _number("cooling", cooling, 0.1, 10.0))
        object.__setattr__(self, "weights", weights)
        object.__setattr__(self, "power", _number("power", power, 0.0, 1.0))

    def at(self, moment: Moment, names: Sequence[str], rng: np.random.Generator) -> Discount:
        """The discount at a moment."""
        v = np.zeros(len(names))
        v[self.order.columns(names)] = self.order.centre() if self.weights == "centre" else self.order.sample(rng)
        default = _STRENGTH * moment.budget_factor * moment.objective_factor
        strength = default if self.strength is None else self.strength
        power = self.power * min(1.0, moment.left / _LAST) ** 2 * moment.objective_factor
        return PricedSum(strength * moment.left ** (self.cooling * moment.front_dimensions) * v, v, power)

    def exploration_bonus(self, moment: Moment) -> float:
        """The worth of an unknown outcome at low cost, as a share of what the front reaches."""
        default = _INDIFFERENCE * moment.budget_factor if moment.objectives <= 2 else 0.0
        worth = default if self.indifference is None else self.indifference
        return worth * moment.maturity * math.sqrt(math.sqrt(moment.left))


def _number(name: str, value: Any, least: float, most: float) -> float:
    plain = value.item() if isinstance(value, np.generic) else value
    if isinstance(plain, bool) or not isinstance(plain, (int, float)) or not least <= plain <= most:
        raise InvalidOptionError(
            f"AdditiveCost: {name} must be a number from {least:g} to {most:g}, got {shown(value)}."
        )
    return float(plain)


@dataclass(frozen=True, slots=True)
class PricedSum:
    """1 − C = exp(−rates·u) / (1 + 10 v·u)^power, for (d,) rates and weights v."""

    rates: Array
    weights: Array
    power: float

    def log(self, levels: Array) -> Array:
        """(n,) log(1 − C)."""
        return np.asarray(-(levels @ self.rates) - self.power * np.log1p(levels @ self.weights / _CHEAPEST))

    def log_slope(self, levels: Array) -> Array:
        """(n, d) gradient of `log` with respect to the levels."""
        price = _CHEAPEST + levels @ self.weights
        return np.asarray(-self.rates - (self.power / price)[:, None] * self.weights)
