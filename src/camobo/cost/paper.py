"""The cost of the paper: Eq. 8, as it works and as it is printed."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from camobo.arrays import Array
from camobo.cost.order import Order
from camobo.cost.ordered import OrderCost
from camobo.cost.protocol import CostModel, Discount
from camobo.errors import InvalidOptionError, shown
from camobo.space.space import Space


@dataclass(frozen=True, slots=True)
class PaperCost:
    """Eq. 8: C(x, t) = Π_j (1 − π_j), π_j = λ_j exp(−λ_j x_j), λ_j = 1 / (w_j t + 1), w a sorted flat Dirichlet draw.

    The printed text gives the most expensive input the largest w. But ∂ log C / ∂x_j rises with λ_j and so falls with
    w_j: as printed, using the *cheap* inputs costs more. `weights="ascending"` (the default) gives the most expensive
    input the smallest w, which does what the paper describes and what its results show. `weights="printed"` follows the
    printed text.

    >>> from camobo.space.inputs import Real
    >>> space = Space({"x1": Real(0, 1), "x2": Real(0, 1)})
    >>> discount = PaperCost("x1 > x2").at(1, space, np.random.default_rng(0))
    >>> points = np.array([[0.9, 0.1], [0.1, 0.9]])
    >>> bool(np.diff(discount.log(points))[0] > 0)  # the expensive input high costs more than the cheap one high
    True
    """

    order: Order
    weights: Literal["ascending", "printed"] = "ascending"

    def __init__(
        self, order: str | Sequence[str] | Order, *, weights: Literal["ascending", "printed"] = "ascending"
    ) -> None:
        if not isinstance(weights, str) or weights not in ("ascending", "printed"):
            raise InvalidOptionError(f'PaperCost: weights must be "ascending" or "printed", got {shown(weights)}.')
        object.__setattr__(self, "order", Order.parse(order).weighable())
        object.__setattr__(self, "weights", weights)

    def names(self) -> tuple[str, ...]:
        """The inputs of the order."""
        return self.order.names

    def over(self, space: Space) -> CostModel:
        """What the order alone says about money: Eq. 8 itself has no amounts."""
        return OrderCost(self.order).over(space)

    def among(self, names: Collection[str]) -> PaperCost | None:
        """What the order says about these inputs."""
        order = self.order.among(names)
        return None if order is None else PaperCost(order, weights=self.weights)

    def document(self) -> Any:
        """As plain data."""
        return {"type": "paper", "order": self.order.spelled, "weights": self.weights}

    def __str__(self) -> str:
        return f"{self.order} (Eq. 8{', as printed' if self.weights == 'printed' else ''})"

    def at(self, step: int, space: Space, rng: np.random.Generator) -> Discount:
        """The discount 1 − C at step t, with one draw of w."""
        order = self.order.reversed() if self.weights == "ascending" else self.order
        w = order.sample(rng)
        return ExponentialProduct(space, self.order.columns(space.names), 1.0 / (w * step + 1.0))


@dataclass(frozen=True, slots=True)
class ExponentialProduct:
    """1 − C = 1 − Π_j (1 − λ_j exp(−λ_j x_j)), for (k,) rates λ of the inputs in `columns`; x is `Space.expense`."""

    space: Space
    columns: NDArray[np.intp]
    rates: Array

    def _densities(self, units: Array) -> Array:
        """(n, k) π_j, capped just below 1 so that its logarithms stay finite."""
        rates, levels = self.rates, self.space.expense(units)[:, self.columns]
        return np.minimum(rates * np.exp(-rates * levels), 1.0 - 1e-15)

    def log(self, units: Array) -> Array:
        """(n,) log(1 − C) = log(−expm1(Σ log1p(−π_j))): no subtraction, because 1 − C falls like 1/t."""
        return np.asarray(np.log(-np.expm1(np.log1p(-self._densities(units)).sum(axis=1))))

    def log_slope(self, units: Array) -> Array:
        """(n, d) ∂ log(1 − C) / ∂x_j = −C / (1 − C) · λ_j π_j / (1 − π_j)."""
        density = self._densities(units)
        log_cost = np.log1p(-density).sum(axis=1, keepdims=True)
        slope = np.zeros(units.shape)
        slope[:, self.columns] = np.exp(log_cost) / np.expm1(log_cost) * self.rates * density / (1.0 - density)
        return np.where(self.space.continuous, slope * self.space.expense_slope(units), 0.0)
