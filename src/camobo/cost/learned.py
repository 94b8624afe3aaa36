"""A cost learned from receipts: the logarithm of what was paid, as a Gaussian process around what was said.

    log c(x) = prior(x) + residual(x)

The prior is what the user said, or nothing. The residual's process has a learned mean, so that a few receipts set the
magnitude; as more come in it bends to them, and far from all of them the prior's shape remains.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from camobo.arrays import Array, evenly
from camobo.cost.protocol import CostModel
from camobo.space.space import Space

if TYPE_CHECKING:
    from camobo.model.gp import GP
    from camobo.model.models import Models

_LEAST = 1e-3  # of the median receipt: the most that counts for a trial that cost nothing, since log 0 is no number
_MOST = 200  # receipts that are modelled: with 500 an ask took 1.3 times as long as without a cost


@dataclass(frozen=True, slots=True)
class _Recipe:
    """One process, refitted like those of the objectives."""

    def fitted_on(self, count: int) -> int:
        """How many of `count` receipts hyper-parameters are fitted on."""
        from camobo.model.models import refit_point

        return refit_point(count)

    def modelled(self, values: Array) -> NDArray[np.intp]:
        """All of them, or evenly spaced ones of too many."""
        return np.array(evenly(len(values), _MOST), dtype=np.intp)

    def fit(self, outcome: int, features: Array, values: Array) -> GP:
        """The process of the residual."""
        from camobo.model.fitting import fit
        from camobo.model.transforms import plain

        return fit(features, values, kernel="matern52", standard=plain(values))


def learned(prior: CostModel, space: Space, units: Array, paid: Array, earlier: CostModel | None) -> CostModel:
    """The prior after (r,) receipts at (r, d) points; the prior itself if they say nothing."""
    from camobo.model.models import update_models  # late, like all of `model`: SciPy takes long to load

    positive = paid[paid > 0.0]
    if len(positive) == 0:
        return prior
    smallest = float(positive.min())
    median = 2.0 * float(np.median(0.5 * positive))  # of halves: a median adds two values
    nothing = min(_LEAST * median, smallest) or smallest  # a share of a tiny amount rounds to 0
    logs = np.log(np.where(paid > 0.0, paid, nothing))
    residual = (logs - prior.log_cost(units))[:, None]
    known = earlier.models if isinstance(earlier, LearnedModel) else None
    models = update_models(_Recipe(), units, space.features(units), residual, known)
    return LearnedModel(prior, space, models)


@dataclass(frozen=True, slots=True)
class LearnedModel:
    """A cost model after receipts."""

    prior: CostModel
    space: Space
    models: Models

    @property
    def in_money(self) -> bool:
        """True: receipts are money."""
        return True

    def fitted(self, units: Array, paid: Array, earlier: CostModel | None = None) -> CostModel:
        """The prior after these receipts, which replace the ones known so far."""
        return self.prior.fitted(units, paid, self if earlier is None else earlier)

    def log_cost(self, units: Array) -> Array:
        """(n,) log of the expected cost."""
        (residual,) = self.models.gps
        return self.prior.log_cost(units) + residual.expected(self.space.features(units))

    def log_cost_slope(self, units: Array) -> Array:
        """(n, d) gradient of `log_cost`."""
        (residual,) = self.models.gps
        slope = residual.expected_slope(self.space.features(units))[:, self.space.feature_column]
        return self.prior.log_cost_slope(units) + np.where(self.space.continuous, slope, 0.0)


@dataclass(frozen=True, slots=True)
class Constant:
    """Every point costs the same, as far as is known before the first receipt."""

    space: Space
    in_money: bool = False

    def fitted(self, units: Array, paid: Array, earlier: CostModel | None = None) -> CostModel:
        """Learned from receipts alone."""
        return learned(self, self.space, units, paid, earlier)

    def log_cost(self, units: Array) -> Array:
        """(n,) zeros."""
        return np.zeros(len(units))

    def log_cost_slope(self, units: Array) -> Array:
        """(n, d) zeros."""
        return np.zeros(units.shape)
