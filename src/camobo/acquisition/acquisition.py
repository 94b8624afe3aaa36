"""The acquisition function: the utility of the posterior, weighed against cost, over the unit cube."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from camobo.acquisition.utilities import Utility
from camobo.arrays import Array
from camobo.cost.protocol import Discount
from camobo.model.gp import GP
from camobo.space.space import Space

_BLOCK = 256  # points at a time, so that intermediate arrays fit in the processor's cache


@dataclass(frozen=True, slots=True)
class Acquisition:
    """log α = log U + discount over the unit cube of a space.

    With the paper's discount 1 − C this is Eq. 9, without a discount Eq. 7; with `Thrift` it is log U − γ log c.
    """

    space: Space
    gps: Sequence[GP]
    utility: Utility
    discount: Discount | None = None

    def __call__(self, units: Array) -> Array:
        """(b,) values at (b, d) points, after snapping them to points that can be evaluated."""
        if len(units) > _BLOCK:
            return np.concatenate([self(units[i : i + _BLOCK]) for i in range(0, len(units), _BLOCK)])
        snapped = self.space.snap(units)
        features = self.space.features(snapped)
        moments = [gp.posterior(features) for gp in self.gps]
        mean, deviation = (np.column_stack([moment[i] for moment in moments]) for i in (0, 1))
        value = self.utility.log(mean, deviation)
        return value if self.discount is None else value + self.discount.log(snapped)

    def with_gradient(self, units: Array) -> tuple[Array, Array]:
        """(b,) values and (b, d) gradients at (b, d) points; 0 along inputs that are not continuous."""
        snapped = self.space.snap(units)
        features = self.space.features(snapped)
        moments = zip(*(gp.posterior_gradients(features) for gp in self.gps), strict=True)
        mean, deviation, *slopes = map(np.array, moments)
        value, by_mean, by_deviation = self.utility.log_slopes(mean.T, deviation.T)
        by_feature = np.einsum("bm,mbf->bf", by_mean, slopes[0]) + np.einsum("bm,mbf->bf", by_deviation, slopes[1])
        slope = by_feature[:, self.space.feature_column]
        if self.discount is not None:
            value, slope = value + self.discount.log(snapped), slope + self.discount.log_slope(snapped)
        return value, np.where(self.space.continuous & self.space.has(snapped), slope, 0.0)

    def softened(self) -> Acquisition:
        """The same with a softened utility, for gradient steps."""
        return replace(self, utility=self.utility.softened())
