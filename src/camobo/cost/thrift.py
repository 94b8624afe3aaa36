"""The discount of a cost: log α = log U − γ log c, and nothing that is left of the budget cannot pay for."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from camobo.arrays import Array
from camobo.checks import number_from
from camobo.cost.protocol import CostModel

_STEEP = 1e3  # log promise lost per e-fold that a point costs more than what is left, so that slopes lead back
_BEYOND = 1e6  # log promise lost as soon as it does: no promise makes up for it
ROUNDING = 1e-9
"""The share by which a point may cost more than what is left, and still count as paid for."""


def thrift_of(given: Any) -> float:
    """How much cost counts, from 0, not at all, to 10: by then little but the cost decides."""
    return number_from("thrift", given, 0.0, 10.0)


@dataclass(frozen=True, slots=True)
class Thrift:
    """−γ log c of a cost model.

    gamma: 0 ignores cost, 1 is promise per money.
    most: what is left to spend, above 0; a point that costs more is worth less than every point that does not.
    """

    model: CostModel
    gamma: float
    most: float = math.inf

    def log(self, units: Array) -> Array:
        """(n,) −γ log c, and far below for what cannot be paid."""
        log_cost = self.model.log_cost(units)
        over = self._over(log_cost)
        return np.asarray(-self.gamma * log_cost - np.where(over > 0.0, _BEYOND + _STEEP * np.maximum(over, 0.0), 0.0))

    def log_slope(self, units: Array) -> Array:
        """(n, d) gradient of `log`."""
        slope = self.model.log_cost_slope(units)
        if math.isinf(self.most):  # nothing costs too much, which need not be looked up
            return -self.gamma * slope
        steep = np.where(self._over(self.model.log_cost(units)) > 0.0, _STEEP, 0.0)
        return -(self.gamma + steep)[:, None] * slope

    def pays(self, units: Array) -> NDArray[np.bool_]:
        """(n,) whether what is left pays for each point, up to rounding."""
        return np.asarray(self._over(self.model.log_cost(units)) <= 0.0)

    def _over(self, log_cost: Array) -> Array:
        """(n,) e-folds by which points cost more than what is left; 0 or less if it pays for them."""
        return log_cost - math.log(self.most) - ROUNDING
