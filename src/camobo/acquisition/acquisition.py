"""The acquisition function: the utility of the posterior times what the cost leaves of it, over the unit cube."""

from __future__ import annotations

import functools
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
class Term:
    """One reason to try a point: its utility Q, and the share 1 − C that its cost leaves."""

    utility: Utility
    discount: Discount | None = None


@dataclass(frozen=True, slots=True)
class Acquisition:
    """log α = log Σ_i Q_i (1 − C_i) over the unit cube of a space. One term is Eq. 9; one without a discount, Eq. 7."""

    space: Space
    gps: Sequence[GP]
    terms: tuple[Term, ...]

    def __call__(self, units: Array) -> Array:
        """(b,) values at (b, d) points, after snapping them to points that can be evaluated."""
        if len(units) > _BLOCK:
            return np.concatenate([self(units[i : i + _BLOCK]) for i in range(0, len(units), _BLOCK)])
        snapped = self.space.snap(units)
        features = self.space.features(snapped)
        moments = [gp.posterior(features) for gp in self.gps]
        mean, deviation = (np.column_stack([moment[i] for moment in moments]) for i in (0, 1))
        levels = self.space.expense(snapped)
        logs = []
        for term in self.terms:
            value = term.utility.log(mean, deviation)
            logs.append(value if term.discount is None else value + term.discount.log(levels))
        return np.asarray(functools.reduce(np.logaddexp, logs))

    def with_gradient(self, units: Array) -> tuple[Array, Array]:
        """(b,) values and (b, d) gradients at (b, d) points; 0 along inputs that are not continuous."""
        snapped = self.space.snap(units)
        features, levels = self.space.features(snapped), self.space.expense(snapped)
        moments = zip(*(gp.posterior_gradients(features) for gp in self.gps), strict=True)
        mean, deviation, *slopes = map(np.array, moments)
        parts = [self._term_gradient(term, mean.T, deviation.T, slopes, levels) for term in self.terms]
        value, slope = parts[0]
        for other, other_slope in parts[1:]:
            total = np.logaddexp(value, other)
            slope = np.exp(value - total)[:, None] * slope + np.exp(other - total)[:, None] * other_slope
            value = total
        return value, np.where(self.space.continuous, slope, 0.0)

    def _term_gradient(
        self, term: Term, mean: Array, deviation: Array, slopes: Sequence[Array], levels: Array
    ) -> tuple[Array, Array]:
        """(b,) log Q (1 − C) of one term and its (b, d) gradient.

        slopes: (M, b, f) gradients of the means, and of the deviations.
        """
        value, by_mean, by_deviation = term.utility.log_slopes(mean, deviation)
        by_feature = np.einsum("bm,mbf->bf", by_mean, slopes[0]) + np.einsum("bm,mbf->bf", by_deviation, slopes[1])
        slope = by_feature[:, self.space.feature_column]
        if term.discount is None:
            return value, slope
        slope = slope + term.discount.log_slope(levels) * self.space.expense_slope
        return value + term.discount.log(levels), slope

    def softened(self) -> Acquisition:
        """The same with softened utilities, for gradient steps."""
        return replace(self, terms=tuple(Term(term.utility.softened(), term.discount) for term in self.terms))
