"""Utilities: how much a point promises, in logarithms. Scalarised UCB (Eq. 7) and expected improvement of the front.

A *utility* maps the posterior of M independent objectives at b points, (b, M) means and deviations of standardised
values, larger is better, to (b,) logarithms, with gradients. `Acquisition` adds the cost's discount and applies the
chain rule back to the unit cube. Logarithms keep the product α = Q (1 − C) meaningful when 1 − C falls like 1/t, and
ensure that of two equal points the more expensive is never preferred, whatever the sign of Q.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_ndtr

from camobo.arrays import Array

_LEAST_Q = 1e-3  # below it, log Q continues as a straight line in Q
_HINT = 1e-9  # utility where no sampled outcome improves the front, relative to the volume reached


def beta_practical(step: int) -> float:
    """β_t = 0.125 ln(2t + 1), from Paria, Kandasamy & Póczos (2019), the paper's baseline."""
    return 0.125 * math.log(2.0 * step + 1.0)


def beta_theory(step: int, log_points: float) -> float:
    """Theorem 1: β_t = 2 ln(t² |X| / √(2π)) from ln |X|; at least 0."""
    return max(0.0, 2.0 * (2.0 * math.log(step) + log_points - 0.5 * math.log(2.0 * math.pi)))


class Utility(Protocol):
    """How much the posterior at a point is worth."""

    def log(self, mean: Array, deviation: Array) -> Array:
        """(b,) log utility at (b, M) means and deviations."""
        ...

    def log_slopes(self, mean: Array, deviation: Array) -> tuple[Array, Array, Array]:
        """(b,) log utility, and its (b, M) gradients with respect to means and to deviations."""
        ...

    def softened(self) -> Utility:
        """A version without kinks, for gradient steps; may be itself."""
        ...


@dataclass(frozen=True, slots=True)
class ScalarisedUCB:
    """Eq. 7: Q = min_m θ_m (μ_m + √β σ_m − R_m).

    log Q where Q ≥ 0.001; below, the straight line in Q that continues it. So α = Q (1 − C) is the paper's where Q is
    positive. Where Q is negative, the paper's product would prefer the more expensive point; this does not.
    `softness` τ > 0 replaces the minimum by −τ log Σ exp(−·/τ).
    """

    weights: Array
    reference: Array
    beta: float
    softness: float = 0.0

    def log(self, mean: Array, deviation: Array) -> Array:
        """(b,) log Q, continued below 0.001."""
        return self._log_of(self._least(self._terms(mean, deviation))[0])

    def log_slopes(self, mean: Array, deviation: Array) -> tuple[Array, Array, Array]:
        """(b,) log Q, and its (b, M) gradients with respect to means and to deviations."""
        q, share = self._least(self._terms(mean, deviation))
        slope = share * self.weights / np.maximum(q, _LEAST_Q)[:, None]
        return self._log_of(q), slope, math.sqrt(self.beta) * slope

    def softened(self) -> ScalarisedUCB:
        """With a soft minimum."""
        return replace(self, softness=0.02)

    def _terms(self, mean: Array, deviation: Array) -> Array:
        return self.weights * (mean + math.sqrt(self.beta) * deviation - self.reference)

    def _least(self, terms: Array) -> tuple[Array, Array]:
        """(b,) minimum over objectives, and (b, M) its derivative with respect to each term."""
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
    """Expected improvement of the front's reach, averaged over random directions. Linear in the number of objectives.

        Q = mean_k [ (min_m (μ_m + σ_m z_km − R_m) / ray_km)_+^p − reach_k^p ]_+

    with rays and normal z from one joint quasi-random sequence. Every point uses the same (ray, z) pairs, so the
    surface is piecewise smooth. For one and two objectives p = M: the average of reach^p over all directions is then
    the hypervolume (`scalarisation.reach`), and Q its expected improvement. From three objectives on p = 1: with p = M
    the few rays with the largest reach would dominate the average.
    """

    rays: Array
    """(k, M) directions, each objective in units of its relevant range."""
    z: Array
    """(k, M) standard normal numbers."""
    reached: Array
    """(k,) how far the front reaches along each ray."""
    reference: Array
    lines: Array = field(init=False, repr=False)
    """(M, 2, k) derivative of ray distance with respect to each mean and deviation."""
    floor: Array = field(init=False, repr=False)
    """(k,) reach^p."""

    def __post_init__(self) -> None:
        lines = np.stack([1.0 / self.rays.T, self.z.T / self.rays.T], axis=1)
        object.__setattr__(self, "lines", lines)
        object.__setattr__(self, "floor", self.reached**self.power)

    @property
    def power(self) -> int:
        """The power p of the reach."""
        return power_of(self.rays.shape[1])

    @property
    def volume(self) -> float:
        """What the front reaches already, in the units of Q."""
        return float(self.floor.mean())

    def log(self, mean: Array, deviation: Array) -> Array:
        """(b,) log Q."""
        along, _ = self._along(mean, deviation)
        gain = self._gain(along)
        return np.asarray(np.log(gain + self._hint(along, gain)[0]))

    def log_slopes(self, mean: Array, deviation: Array) -> tuple[Array, Array, Array]:
        """(b,) log Q, and its (b, M) gradients with respect to means and to deviations."""
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
        """Itself: the average over many rays is smooth enough."""
        return self

    def _along(self, mean: Array, deviation: Array, *, want_limiting: bool = False) -> tuple[Array, NDArray[np.int8]]:
        """(b, k) how far each sampled outcome reaches along its ray, and the index of the objective that limits it."""
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
        """(b,) a tiny utility that rises towards the front, the rows without any gain, and the nearest ray of each.

        Where no sampled outcome improves the front, the surface would otherwise be flat and give a search no direction.
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
    """The power p of the reach that `ExpectedReach` averages over directions."""
    return 2 if objectives == 2 else 1


@dataclass(frozen=True, slots=True)
class Feasible:
    """A utility times the probability that every constraint holds: Q Π_k Φ((limit_k − μ_k) / σ_k).

    The last columns of means and deviations belong to the constraints, one per limit; the utility gets the others.
    Without a utility, as long as no feasible point is known, it is the probability alone (Gardner et al., Bayesian
    optimization with inequality constraints, ICML 2014).
    """

    utility: Utility | None
    limits: Array
    """(K,) largest allowed value of each constraint, on the scale of its model."""

    def log(self, mean: Array, deviation: Array) -> Array:
        """(b,) log of the product."""
        M = mean.shape[1] - len(self.limits)
        probability = log_ndtr(self._margins(mean, deviation)).sum(axis=1)
        if self.utility is None:
            return np.asarray(probability)
        return np.asarray(probability + self.utility.log(mean[:, :M], deviation[:, :M]))

    def log_slopes(self, mean: Array, deviation: Array) -> tuple[Array, Array, Array]:
        """(b,) log of the product, and its (b, M + K) gradients; d log Φ(t) / dt = φ(t) / Φ(t)."""
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
        """(b, K) distance of each constraint's mean below its limit, in deviations."""
        M = mean.shape[1] - len(self.limits)
        return np.asarray((self.limits - mean[:, M:]) / deviation[:, M:])
