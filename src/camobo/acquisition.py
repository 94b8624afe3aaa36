"""How much a point promises, in logarithms: scalarised UCB (Eq. 7), expected improvement of the front, cost (Eq. 9).

A *utility* turns the posterior of M independent objectives at b points, (b, M) means and deviations of standardised
values, larger better, into (b,) logarithms, and knows its gradients. `Acquisition` adds log(1 − C) and follows the
chain rule back to the unit cube. Working in logarithms keeps the product α = Q (1 − C) meaningful when 1 − C falls
like 1/t, and makes the rule "of two equal points the dearer is never preferred" hold for every sign of Q.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_ndtr

from camobo.cost import Discount
from camobo.gp import GP
from camobo.inputs import Array
from camobo.space import Space

_LEAST_Q = 1e-3  # below it log Q goes on as a straight line in Q
_KNOWN = 0.03  # of an objective's standard deviation
_OLD_NEWS = 0.1  # what an answer known already is worth, of one that is not
_BLOCK = 256  # points at a time: what is computed on the way then stays in a processor's cache
_HINT = 1e-9  # the slope left where no improvement is in sight, relative to what is reached


def beta_practical(step: int) -> float:
    """β_t = 0.125 ln(2t + 1), the value of Paria, Kandasamy & Póczos (2019) whose method is the paper's baseline."""
    return 0.125 * math.log(2.0 * step + 1.0)


def beta_theory(step: int, log_points: float) -> float:
    """Theorem 1: β_t = 2 ln(t² |X| / √(2π)), with ln |X| given; never below zero."""
    return max(0.0, 2.0 * (2.0 * math.log(step) + log_points - 0.5 * math.log(2.0 * math.pi)))


class Utility(Protocol):
    """What the posterior at a point is worth."""

    def log(self, mean: Array, deviation: Array) -> Array:
        """(b,) logarithm of the utility of (b, M) means and deviations."""
        ...

    def log_slopes(self, mean: Array, deviation: Array) -> tuple[Array, Array, Array]:
        """The same, and its gradients (b, M) with respect to means and to deviations."""
        ...

    def softened(self) -> Utility:
        """A version without kinks, for gradient steps; it may be itself."""
        ...


@dataclass(frozen=True, slots=True)
class ScalarisedUCB:
    """Eq. 7: Q = min_m θ_m (μ_m + √β σ_m − R_m).

    log Q where Q ≥ 0.001; below, the straight line in Q that continues it. So α = Q (1 − C) is the paper's where Q is
    positive, yet a dear point is not preferred where Q is negative, as the product itself would (PAPER-NOTES §3.4).
    `softness` replaces the minimum by −τ log Σ exp(−·/τ): 0 is the minimum itself.
    """

    weights: Array
    reference: Array
    beta: float
    softness: float = 0.0

    def log(self, mean: Array, deviation: Array) -> Array:
        """(b,) log Q, continued below 0.001."""
        return self._log_of(self._least(self._terms(mean, deviation))[0])

    def log_slopes(self, mean: Array, deviation: Array) -> tuple[Array, Array, Array]:
        """(b,) log Q and its gradients (b, M)."""
        q, share = self._least(self._terms(mean, deviation))
        slope = share * self.weights / np.maximum(q, _LEAST_Q)[:, None]
        return self._log_of(q), slope, math.sqrt(self.beta) * slope

    def softened(self) -> ScalarisedUCB:
        """With a soft minimum."""
        return replace(self, softness=0.02)

    def _terms(self, mean: Array, deviation: Array) -> Array:
        return self.weights * (mean + math.sqrt(self.beta) * deviation - self.reference)

    def _least(self, terms: Array) -> tuple[Array, Array]:
        """(b,) the minimum over objectives and (b, M) each one's share in it."""
        q = terms.min(axis=1)
        if self.softness == 0.0:
            return q, np.eye(terms.shape[1])[terms.argmin(axis=1)]
        odds = np.exp((q[:, None] - terms) / self.softness)
        total = odds.sum(axis=1)
        return q - self.softness * np.log(total), odds / total[:, None]

    @staticmethod
    def _log_of(q: Array) -> Array:
        line = math.log(_LEAST_Q) + q / _LEAST_Q - 1.0
        return np.where(q >= _LEAST_Q, np.log(np.maximum(q, _LEAST_Q)), line)


@dataclass(frozen=True, slots=True)
class ExpectedReach:
    """Expected improvement of how far the front reaches, over random directions: linear in the number of objectives.

        Q = mean_k [ (min_m (μ_m + σ_m z_km − R_m) / ray_km)_+^p − reach_k^p ]_+

    with one joint quasi-random sequence of rays and normal z. The same (ray, z) pairs serve every point, so the surface
    is piecewise smooth. With p = M the average of reach^p over all directions is the hypervolume (`scalarize.reach`),
    and Q its expected improvement; so it is for one objective and for two. The more objectives, the more such an
    average is that of the few rays along which most is reached: from three on, p = 1.
    """

    rays: Array
    """(k, M) directions, each objective in units of the range that matters."""
    z: Array
    """(k, M) standard normal numbers."""
    reached: Array
    """(k,) how far the front reaches along each ray."""
    reference: Array
    lines: Array = field(init=False, repr=False)
    """(M, 2, k) what a step of the mean and of the deviation of an objective add along each ray."""
    floor: Array = field(init=False, repr=False)
    """(k,) reach^p."""

    def __post_init__(self) -> None:
        lines = np.stack([1.0 / self.rays.T, self.z.T / self.rays.T], axis=1)
        object.__setattr__(self, "lines", lines)
        object.__setattr__(self, "floor", self.reached**self.power)

    @property
    def power(self) -> int:
        """p."""
        return power_of(self.rays.shape[1])

    @property
    def volume(self) -> float:
        """What is reached already, in the units of Q."""
        return float(self.floor.mean())

    def log(self, mean: Array, deviation: Array) -> Array:
        """(b,) log Q."""
        along, _ = self._along(mean, deviation)
        gain = self._gain(along)
        return np.asarray(np.log(gain + self._hint(along, gain)[0]))

    def log_slopes(self, mean: Array, deviation: Array) -> tuple[Array, Array, Array]:
        """(b,) log Q and its gradients (b, M)."""
        along, limiting = self._along(mean, deviation, want_limiting=True)
        gain = self._gain(along)
        hint, blank, nearest = self._hint(along, gain)
        total = gain + hint
        steepness = along * 2.0 if self.power == 2 else 1.0
        pull = np.where(along > self.reached, steepness, 0.0) / len(self.reached)
        pull[blank, nearest] += hint[blank]
        pull /= total[:, None]
        slopes = np.stack([np.where(limiting == m, pull, 0.0) @ line.T for m, line in enumerate(self.lines)])
        return np.log(total), slopes[:, :, 0].T, slopes[:, :, 1].T

    def softened(self) -> ExpectedReach:
        """Itself: averaging over many rays leaves no kink worth smoothing."""
        return self

    def _along(self, mean: Array, deviation: Array, *, want_limiting: bool = False) -> tuple[Array, NDArray[np.int8]]:
        """(b, k) how far each sampled outcome reaches along its ray, and which objective limits it."""
        along = np.full((len(mean), len(self.rays)), np.inf)
        limiting = np.zeros(along.shape if want_limiting else (0, 0), dtype=np.int8)
        above = np.stack([mean - self.reference, deviation], axis=2)
        for m, line in enumerate(self.lines):
            reach = above[:, m] @ line
            if want_limiting:
                limiting[reach < along] = m
            np.minimum(along, reach, out=along)
        return along, limiting

    def _gain(self, along: Array) -> Array:
        """(b,) mean improvement."""
        reached = np.maximum(along, self.reached)
        if self.power == 2:
            np.square(reached, out=reached)
        reached -= self.floor
        return np.asarray(reached.mean(axis=1))

    def _hint(self, along: Array, gain: Array) -> tuple[Array, NDArray[np.intp], NDArray[np.intp]]:
        """(b,) a trace of utility that rises towards the front, which rows it moves, and the ray each is nearest on.

        Where no sampled outcome improves anything the surface would be flat and a search on it blind.
        """
        blank = np.flatnonzero(gain <= 0.0)
        hint = np.full(len(gain), _HINT * (self.volume + _HINT))
        if len(blank) == 0:
            return hint, blank, blank
        short = along[blank] - self.reached
        nearest = short.argmax(axis=1)
        hint[blank] *= np.exp(np.maximum(short[np.arange(len(blank)), nearest], -500.0))
        return hint, blank, nearest


def power_of(objectives: int) -> int:
    """What power of the reach is averaged over directions: see `ExpectedReach`."""
    return 2 if objectives == 2 else 1


@dataclass(frozen=True, slots=True)
class Curiosity:
    """What an answer is worth just because it is not known: `worth` × (0.1 + 0.9 mean_m σ_m / (σ_m + 0.03)).

    Near `worth` wherever an outcome is uncertain by more than a few hundredths of the objective's spread, a tenth of
    it where the answer is old news.
    """

    worth: float

    def log(self, mean: Array, deviation: Array) -> Array:
        """(b,) logarithm of the worth."""
        unknown = (deviation / (deviation + _KNOWN)).mean(axis=1)
        return np.asarray(np.log(self.worth * (_OLD_NEWS + (1.0 - _OLD_NEWS) * unknown)))

    def log_slopes(self, mean: Array, deviation: Array) -> tuple[Array, Array, Array]:
        """(b,) logarithm of the worth and its gradients (b, M); the means do not matter."""
        value = self.log(mean, deviation)
        slope = (1.0 - _OLD_NEWS) * _KNOWN / (deviation + _KNOWN) ** 2 / mean.shape[1]
        return value, np.zeros_like(mean), slope * self.worth / np.exp(value)[:, None]

    def softened(self) -> Curiosity:
        """Itself: it has no kinks."""
        return self


@dataclass(frozen=True, slots=True)
class Feasible:
    """A utility times the probability that every constraint holds: Q Π_k Φ((limit_k − μ_k) / σ_k).

    The last columns of means and deviations are the constraints', one for each limit; the utility sees the others.
    Without a utility, as long as nothing feasible is known, the probability is all there is to gain
    (Gardner et al., Bayesian optimization with inequality constraints, ICML 2014).
    """

    utility: Utility | None
    limits: Array
    """(K,) the largest value of each constraint that is allowed, on the scale of its model."""

    def log(self, mean: Array, deviation: Array) -> Array:
        """(b,) log of the product."""
        M = mean.shape[1] - len(self.limits)
        probability = log_ndtr(self._margins(mean, deviation)).sum(axis=1)
        if self.utility is None:
            return np.asarray(probability)
        return np.asarray(probability + self.utility.log(mean[:, :M], deviation[:, :M]))

    def log_slopes(self, mean: Array, deviation: Array) -> tuple[Array, Array, Array]:
        """(b,) log of the product and its gradients (b, M + K); d log Φ(t) / dt = φ(t) / Φ(t)."""
        M = mean.shape[1] - len(self.limits)
        margin = self._margins(mean, deviation)
        probability = log_ndtr(margin)
        pull = np.exp(-0.5 * margin**2 - 0.5 * math.log(2.0 * math.pi) - probability) / deviation[:, M:]
        value = probability.sum(axis=1)
        mean_slope, deviation_slope = np.zeros_like(mean), np.zeros_like(mean)
        mean_slope[:, M:], deviation_slope[:, M:] = -pull, -pull * margin
        if self.utility is not None:
            gain, mean_slope[:, :M], deviation_slope[:, :M] = self.utility.log_slopes(mean[:, :M], deviation[:, :M])
            value = value + gain
        return np.asarray(value), mean_slope, deviation_slope

    def softened(self) -> Feasible:
        """With its utility softened."""
        return self if self.utility is None else replace(self, utility=self.utility.softened())

    def _margins(self, mean: Array, deviation: Array) -> Array:
        """(b, K) how many deviations the mean of each constraint lies below its limit."""
        M = mean.shape[1] - len(self.limits)
        return np.asarray((self.limits - mean[:, M:]) / deviation[:, M:])


@dataclass(frozen=True, slots=True)
class Term:
    """One reason to try a point, Q, and what its cost leaves of it, 1 − C."""

    utility: Utility
    discount: Discount | None = None


@dataclass(frozen=True, slots=True)
class Acquisition:
    """log α = log Σ_i Q_i (1 − C_i) over the unit cube of a space. One term is Eq. 9; without a discount, Eq. 7."""

    space: Space
    gps: Sequence[GP]
    terms: tuple[Term, ...]

    def __call__(self, units: Array) -> Array:
        """(b,) values at (b, d) points; integers and categories count as what they will be evaluated at."""
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
        """(b,) values and (b, d) gradients at (b, d) points; 0 along integers and categories."""
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
        """(b,) log Q (1 − C) of one term and its (b, d) gradient; `slopes` (M, b, f) of means and of deviations."""
        value, by_mean, by_deviation = term.utility.log_slopes(mean, deviation)
        by_feature = np.einsum("bm,mbf->bf", by_mean, slopes[0]) + np.einsum("bm,mbf->bf", by_deviation, slopes[1])
        slope = by_feature[:, self.space.feature_column]
        if term.discount is None:
            return value, slope
        slope = slope + term.discount.log_slope(levels) * self.space.expense_slope
        return value + term.discount.log(levels), slope

    def softened(self) -> Acquisition:
        """The same without kinks, for gradient steps."""
        return replace(self, terms=tuple(Term(term.utility.softened(), term.discount) for term in self.terms))
