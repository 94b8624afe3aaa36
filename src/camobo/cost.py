"""What a point costs, as far as an order of inputs can say, and how that fades.

A cost C lies in [0, 1). An acquisition multiplies what it hopes to gain by 1 − C, so all that is ever needed is
log(1 − C) and its gradient: a `Discount`. A cost model makes one for a `Moment`, the step t and the planned budget,
with one draw of the weights the order leaves open. Points come as (n, d) *levels*: 0 at an input's cheap end, 1 at
its dear end (`Space.expense`). Inputs the order does not name do not enter.

    PaperCost      Eq. 8 of the paper, with the reading that makes it work (`ascending`) or as printed
    AdditiveCost   the default: expenses add up, so no input is free because another is at zero
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from camobo.errors import InvalidOptionError, InvalidOrderError
from camobo.inputs import Array
from camobo.order import Order

_MOST_STRENGTH = 34.0  # beyond it C would round to 1 at the dear end, and must stay below
_CHEAPEST = 0.1  # what an evaluation at the cheap end is taken to cost, of what the dear ends add to it
_STRENGTH, _INDIFFERENCE = 8.0, 0.035
_LAST = 0.1  # share of the budget left from which on the price counts less and less


@dataclass(frozen=True, slots=True)
class Moment:
    """When: the step t = 1, 2, … and, if one was planned, the budget of evaluations it counts against.

    How many objectives and inputs the budget has to serve belongs to it: the more there are, the more evaluations it
    takes to find a front.

    >>> Moment(1, 10).left, Moment(6, 10).left, Moment(99, 10).left
    (1.0, 0.5, 0.0)
    """

    step: int
    budget: int | None = None
    objectives: int = 1
    inputs: int = 1

    @property
    def left(self) -> float:
        """The share of the budget that is left before this step; without a budget, 1 / (1 + steps made / 30)."""
        made = self.step - 1
        return 1.0 / (1.0 + made / 30.0) if self.budget is None else max(0.0, 1.0 - made / self.budget)

    @property
    def front(self) -> int:
        """How many dimensions a front of so many objectives has."""
        return max(1, self.objectives - 1)

    @property
    def sway(self) -> float:
        """How much cheapness may say, of what it may with one or two objectives: the larger the front, the less.

        >>> [Moment(1, objectives=m).sway for m in (1, 2, 3, 5)]
        [1.0, 1.0, 0.25, 0.0625]
        """
        return 1.0 / self.front**2

    @property
    def cheap_side(self) -> float:
        """The share of an input's range, from its cheap end, for points that no result speaks for yet.

        Half of it at first, more with more than two objectives or a small budget, all of it in the end.

        >>> Moment(1, 100).cheap_side, Moment(1, 100, objectives=3).cheap_side, Moment(51, 100).cheap_side
        (0.5, 0.875, 0.75)
        >>> Moment(1, 26, inputs=2).cheap_side
        0.75
        """
        return 1.0 - 0.5 * self.sway * self.ample * self.left

    @property
    def ripeness(self) -> float:
        """How much of a front may be taken for found: the fourth power of the share of the budget that is spent.

        >>> Moment(1, 100).ripeness, Moment(51, 100).ripeness
        (0.0, 0.0625)
        """
        return (1.0 - self.left) ** 4

    @property
    def ample(self) -> float:
        """How far the budget goes towards one that can spare some, at most one.

        That is forty evaluations and six an input, or fifteen an input if they are more.

        >>> [Moment(1, budget, inputs=2).ample for budget in (100, 52, 26)]
        [1.0, 1.0, 0.5]
        >>> Moment(1, 75, inputs=10).ample, Moment(1).ample
        (0.5, 1.0)
        """
        plenty = max(40 + 6 * self.inputs, 15 * self.inputs)
        return 1.0 if self.budget is None else min(1.0, self.budget / plenty)

    @property
    def patience(self) -> float:
        """How much of its strength a cost may have under a budget; without one a study may end any time: a quarter.

        >>> Moment(1, 100, inputs=5).patience, Moment(1, 26, inputs=2).patience, Moment(1).patience
        (1.0, 0.25, 0.25)
        """
        return 0.25 if self.budget is None else self.ample**2


class Discount(Protocol):
    """1 − C at one moment, in logarithms, over (n, d) levels."""

    def log(self, levels: Array) -> Array:
        """(n,) log(1 − C)."""
        ...

    def log_slope(self, levels: Array) -> Array:
        """(n, d) its gradient with respect to the levels."""
        ...


@runtime_checkable
class Cost(Protocol):
    """A cost model: what an order of inputs (or prices, later) says about points."""

    @property
    def order(self) -> Order:
        """The order it keeps."""
        ...

    def curiosity(self, moment: Moment) -> float:
        """What an unknown answer is worth where it is cheap, as a share of what the front reaches."""
        ...

    def at(self, moment: Moment, names: Sequence[str], rng: np.random.Generator) -> Discount:
        """The discount at a moment, over the inputs called `names`, with one draw of the weights."""
        ...


@dataclass(frozen=True, slots=True)
class PaperCost:
    """Eq. 8: C(x, t) = Π_j (1 − π_j), π_j = λ_j exp(−λ_j x_j), λ_j = 1 / (w_j t + 1), w a sorted flat Dirichlet draw.

    The printed text gives the dearest input the largest w. But ∂ log C / ∂x_j rises with λ_j and so falls with w_j:
    as printed, it is the *cheap* inputs whose use costs more. `weights="ascending"` (the default) gives the dearest the
    smallest w, which does what the paper describes and what its results show; `weights="printed"` keeps the erratum.

    >>> rng = np.random.default_rng(0)
    >>> discount = PaperCost("x1 > x2").at(Moment(1), ["x1", "x2"], rng)
    >>> levels = np.array([[0.9, 0.1], [0.1, 0.9]])
    >>> bool(np.diff(discount.log(levels))[0] > 0)  # the dear input high costs more than the cheap one high
    True
    """

    order: Order
    weights: Literal["ascending", "printed"] = "ascending"

    def __init__(
        self, order: str | Sequence[str] | Order, *, weights: Literal["ascending", "printed"] = "ascending"
    ) -> None:
        if not isinstance(weights, str) or weights not in ("ascending", "printed"):
            raise InvalidOptionError(f'PaperCost: weights must be "ascending" or "printed", got {weights!r}.')
        object.__setattr__(self, "order", Order.parse(order).weighable())
        object.__setattr__(self, "weights", weights)

    def curiosity(self, moment: Moment) -> float:
        """Nothing: the paper weighs any promise, however small."""
        return 0.0

    def at(self, moment: Moment, names: Sequence[str], rng: np.random.Generator) -> Discount:
        """The discount at a moment, with one draw of w."""
        order = self.order.reversed() if self.weights == "ascending" else self.order
        w = order.sample(rng)
        return ExponentialProduct(_columns(self.order, names), 1.0 / (w * moment.step + 1.0))


@dataclass(frozen=True, slots=True)
class ExponentialProduct:
    """1 − Π_j (1 − λ_j exp(−λ_j x_j)): the paper's 1 − C for given rates λ."""

    columns: NDArray[np.intp]
    rates: Array

    def _densities(self, levels: Array) -> Array:
        """(n, k) π_j; kept a hair below one so that its logarithms stay finite."""
        rates = self.rates
        return np.minimum(rates * np.exp(-rates * levels[:, self.columns]), 1.0 - 1e-15)

    def log(self, levels: Array) -> Array:
        """(n,) log(1 − C) = log(−expm1(Σ log1p(−π_j))): 1 − C falls like 1/t and must not be formed by subtraction."""
        return np.asarray(np.log(-np.expm1(np.log1p(-self._densities(levels)).sum(axis=1))))

    def log_slope(self, levels: Array) -> Array:
        """(n, d) ∂ log(1 − C) / ∂x_j = −C / (1 − C) · λ_j π_j / (1 − π_j)."""
        density = self._densities(levels)
        log_cost = np.log1p(-density).sum(axis=1, keepdims=True)
        slope = np.zeros_like(levels)
        slope[:, self.columns] = np.exp(log_cost) / np.expm1(log_cost) * self.rates * density / (1.0 - density)
        return slope


@dataclass(frozen=True, slots=True)
class AdditiveCost:
    """1 − C(u, t) = exp(−s_t v·u) / (1 + 10 v·u)^p_t: every input always counts, whatever the others are at.

    v is the centre of all weightings that agree with the order, or one uniform draw of them a suggestion
    (`weights="drawn"`). v·u + 0.1 is a guess of what a point costs, a tenth of the dearest's at the cheap end, and with
    p_t = 1 alone an acquisition is promise for the money. The exponential does more, for a time: it has the cheap end
    looked at before anything else.

    strength: s_t = strength × (share of the budget left)^cooling. None: 8, of M objectives a part in (M − 1)² of it,
        and less for a small budget, of which few evaluations can be spared (`Moment.ample`).
    cooling: for up to two objectives; of M it is M − 1 times that. A front has M − 1 dimensions, so the more there are,
        the more evaluations it takes, and the sooner those spent on cheap points are missed.
    indifference: what an unknown answer is worth where it is cheap, as a share of what the front reaches: hardly
        anything while a front is looked for, more the more of the budget is spent, and nothing again at the very end. A
        dear point must promise more than that. None: 0.035, less for a small budget, and nothing with three objectives
        or more, whose front takes every evaluation there is.
    power: p_t = power, of M objectives a part in (M − 1)² of it, until a tenth of the budget is left; then less and
        less. At the end of the budget all points cost the same.

    The four were chosen together, on problems whose front lies at the cheap and at the dear end alike:
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
            raise InvalidOptionError(f'AdditiveCost: weights must be "centre" or "drawn", got {weights!r}.')
        object.__setattr__(self, "order", Order.parse(order).weighable())
        for name, given, most in (("strength", strength, _MOST_STRENGTH), ("indifference", indifference, 1.0)):
            object.__setattr__(self, name, None if given is None else _number(name, given, 0.0, most))
        object.__setattr__(self, "cooling", _number("cooling", cooling, 0.1, 10.0))
        object.__setattr__(self, "weights", weights)
        object.__setattr__(self, "power", _number("power", power, 0.0, 1.0))

    def at(self, moment: Moment, names: Sequence[str], rng: np.random.Generator) -> Discount:
        """The discount at a moment."""
        v = np.zeros(len(names))
        v[_columns(self.order, names)] = self.order.centre() if self.weights == "centre" else self.order.sample(rng)
        strength = _STRENGTH * moment.patience * moment.sway if self.strength is None else self.strength
        power = self.power * min(1.0, moment.left / _LAST) ** 2 * moment.sway
        return PricedSum(strength * moment.left ** (self.cooling * moment.front) * v, v, power)

    def curiosity(self, moment: Moment) -> float:
        """What an unknown answer is worth where it is cheap, as a share of what the front reaches."""
        own = _INDIFFERENCE * moment.patience if moment.objectives <= 2 else 0.0
        worth = own if self.indifference is None else self.indifference
        return worth * moment.ripeness * math.sqrt(math.sqrt(moment.left))


def _number(name: str, value: Any, least: float, most: float) -> float:
    plain = value.item() if isinstance(value, np.generic) else value
    if isinstance(plain, bool) or not isinstance(plain, (int, float)) or not least <= plain <= most:
        raise InvalidOptionError(f"AdditiveCost: {name} must be a number from {least:g} to {most:g}, got {value!r}.")
    return float(plain)


@dataclass(frozen=True, slots=True)
class PricedSum:
    """exp(−rates·u) / (1 + 10 v·u)^power: the additive 1 − C for (d,) rates and weights v."""

    rates: Array
    weights: Array
    power: float

    def log(self, levels: Array) -> Array:
        """(n,) log(1 − C)."""
        return np.asarray(-(levels @ self.rates) - self.power * np.log1p(levels @ self.weights / _CHEAPEST))

    def log_slope(self, levels: Array) -> Array:
        """(n, d) its gradient with respect to the levels."""
        price = _CHEAPEST + levels @ self.weights
        return np.asarray(-self.rates - (self.power / price)[:, None] * self.weights)


def _columns(order: Order, names: Sequence[str]) -> NDArray[np.intp]:
    return np.array(order.columns(names), dtype=np.intp)


CostLike: TypeAlias = str | Sequence[str] | Order | PaperCost | AdditiveCost | None


def as_cost(given: Any, names: Sequence[str], *, paper: bool = False) -> PaperCost | AdditiveCost | None:
    """A cost model from anything a user may give, checked against the names; `paper` turns a bare order into Eq. 8."""
    if given is None:
        return None
    if isinstance(given, (PaperCost, AdditiveCost)):
        given.order.columns(names)
        return given
    if isinstance(given, type) and given in (PaperCost, AdditiveCost):
        raise InvalidOptionError(
            f"cost: need a cost model, got the class {given.__name__} itself. "
            f'Say what it is of, for example cost={given.__name__}("nickel > chromium").'
        )
    if isinstance(given, (Mapping, Callable)):  # type: ignore[arg-type]
        raise InvalidOptionError(
            f"cost: prices and cost functions are not built yet, got {given!r}. "
            'Say which inputs are dearer, for example cost="nickel > chromium".'
        )
    if not isinstance(given, (str, Order, Sequence)):
        raise InvalidOrderError(
            f'cost: need an order such as "nickel > chromium", a cost model or None, got {given!r}.'
        )
    cost = PaperCost(given) if paper else AdditiveCost(given)
    cost.order.columns(names)
    return cost
