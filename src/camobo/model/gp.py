"""Exact Gaussian-process regression (Eq. 1): posterior, its gradients and O(n²) append. `fitting` fits one.

Notation
    n, f, b     observations, features, points to predict at
    x           (n, f) features of the observations
    z           (n,) standardised targets (`transforms`)
    ℓ, a, s     (f,) length scales; signal variance; noise variance; both variances of standardised values
    k, g        the kernel's shape and the factor of its gradients (`kernels`); the covariance is a · k
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg import lapack
from scipy.linalg.blas import dtrsm

from camobo.arrays import Array
from camobo.model.hyper import Hyper, Prior
from camobo.model.kernels import KernelName, Slopes, correlations
from camobo.model.transforms import Standard, plain

_JITTERS = (0.0, *(10.0**power for power in range(-10, 1)))  # relative to the signal variance
_FEWEST_FOR_LENGTHS = 20  # observations: fewer say too little about length scales
_NOISY = 0.1  # share of the variance of the observations


@dataclass(frozen=True, slots=True)
class GP:
    """A Gaussian process conditioned on data. `condition` and `fit` make one; `append` returns a new one.

    >>> gp = condition(np.array([[0.0], [1.0]]), np.array([3.0, 5.0]), Hyper(np.array([0.5])))
    >>> mean, deviation = gp.predict(np.array([[0.0], [0.5]]))
    >>> mean.round(4)
    array([3., 4.])
    """

    x: Array
    z: Array
    hyper: Hyper
    kernel: KernelName
    standard: Standard
    factor: Array
    """(n, n) lower Cholesky factor of the observations' covariance."""
    dual: Array
    """(n,) covariance⁻¹ (z − mean)."""
    jitter: float
    """Amount added to the diagonal so that the covariance factorises, relative to the signal variance; 0 if none."""

    def log_evidence(self, prior: Prior) -> float:
        """log p(z | x, p) p(p) at its hyper-parameters p, up to a constant: how well it explains the data."""
        explained = -0.5 * float((self.z - self.hyper.mean) @ self.dual) - float(np.log(self.factor.diagonal()).sum())
        return explained - prior.penalty(self.hyper.logarithms)

    @property
    def short_sighted(self) -> bool:
        """Whether it says nothing about most of the unit cube: fewer than two observations per neighbourhood.

        A neighbourhood is two length scales wide: over that width correlation falls to a seventh. With fewer than
        twenty observations the length scales are too uncertain to judge.
        """
        neighbourhoods = float(np.prod(np.maximum(1.0, 0.5 / self.hyper.lengths)))
        return _FEWEST_FOR_LENGTHS <= len(self.z) < 2.0 * neighbourhoods

    @property
    def noisy(self) -> bool:
        """Whether it attributes more than a tenth of the observations' variance to noise.

        The rest of the model then depends on few observations, and it may expect nothing new in unseen regions.
        """
        return bool(self.hyper.noise > _NOISY * self.z.var())

    def posterior(self, points: Array) -> tuple[Array, Array]:
        """(b,) mean and standard deviation of the standardised latent function at (b, f) points. O(n² b)."""
        mean, deviation, _, _ = self._moments(points)
        return mean, deviation

    def expected(self, points: Array) -> Array:
        """(b,) mean in the units of the data. O(n b): without deviations."""
        k, _ = correlations(self.kernel, points, self.x, self.hyper.lengths)
        mean = self.hyper.mean + self.hyper.signal * (k @ self.dual)
        return self.in_units(mean, np.zeros_like(mean))[0]

    def expected_slope(self, points: Array) -> Array:
        """(b, f) gradient of `expected`, for data standardised without fences. O(n b)."""
        _, slopes = correlations(self.kernel, points, self.x, self.hyper.lengths)
        slope = np.zeros_like(points)
        for seen, g in slopes:
            slope[:, seen] += self._weighted_differences(points, g * self.dual, seen)
        return self.standard.scale * slope

    def predict(self, points: Array) -> tuple[Array, Array]:
        """`posterior` in the units of the data."""
        return self.in_units(*self.posterior(points))

    def in_units(self, mean: Array, deviation: Array) -> tuple[Array, Array]:
        """Standardised means and deviations in the units of the data, clipped to the largest float."""
        return self.standard.back(mean, deviation)

    def standardise(self, values: Array) -> Array:
        """Values in the units of the data on the scale of `posterior`."""
        return self.standard.of(values)

    def _moments(self, points: Array) -> tuple[Array, Array, Slopes, Array]:
        k, slopes = correlations(self.kernel, points, self.x, self.hyper.lengths)
        mean = self.hyper.mean + self.hyper.signal * (k @ self.dual)
        whitened = dtrsm(self.hyper.signal, self.factor, k.T, lower=1, overwrite_b=1)
        variance = self.hyper.signal - np.einsum("nb,nb->b", whitened, whitened)
        return mean, np.sqrt(np.maximum(variance, 1e-14 * self.hyper.signal)), slopes, whitened

    def posterior_gradients(self, points: Array) -> tuple[Array, Array, Array, Array]:
        """(b,) mean and standard deviation, and the (b, f) gradient of each, at (b, f) points."""
        mean, deviation, slopes, whitened = self._moments(points)
        backsolved = dtrsm(1.0, self.factor, whitened, lower=1, trans_a=1).T
        mean_slope, half_variance_slope = np.zeros((2, *points.shape))
        for seen, g in slopes:
            mean_slope[:, seen] += self._weighted_differences(points, g * self.dual, seen)
            half_variance_slope[:, seen] -= self._weighted_differences(points, g * backsolved, seen)
        return mean, deviation, mean_slope, half_variance_slope / deviation[:, None]

    def _weighted_differences(self, points: Array, weights: Array, seen: slice) -> Array:
        """(b, …) Σ_i weights_bi · a (points_b − x_i) / ℓ² along the `seen` features."""
        sums = points[:, seen] * weights.sum(axis=1, keepdims=True) - weights @ self.x[:, seen]
        return np.asarray(self.hyper.signal * sums / self.hyper.lengths[seen] ** 2)

    def append(self, point: Array, value: float) -> GP:
        """The process with one more observation at (f,) point and the same hyper-parameters. O(n²)."""
        return self._extended(point[None, :], self.standardise(np.array([value])))

    def believe(self, points: Array) -> GP:
        """The process with its own predictions at (p, f) points as data: same mean, smaller deviation. O(n² p + p³)."""
        return self._extended(points, self.posterior(points)[0]) if len(points) else self

    def _extended(self, points: Array, targets: Array) -> GP:
        n, p = len(self.z), len(points)
        k, _ = correlations(self.kernel, points, self.x, self.hyper.lengths)
        rows, _ = lapack.dtrtrs(self.factor, self.hyper.signal * k.T, lower=1)
        own, _ = correlations(self.kernel, points, points, self.hyper.lengths)
        own *= self.hyper.signal
        own.ravel()[:: p + 1] = diagonal = self.hyper.signal * (1.0 + self.jitter) + self.hyper.noise
        corner, info = lapack.dpotrf(own - rows.T @ rows, lower=1, clean=1)
        x, z = np.vstack([self.x, points]), np.append(self.z, targets)
        if info != 0 or corner.diagonal().min() ** 2 < 1e-12 * diagonal:  # a repeat of an old point: needs jitter
            return condition_standardised(x, z, self.hyper, self.kernel, self.standard)
        factor = np.zeros((n + p, n + p), order="F")
        factor[:n, :n] = self.factor
        factor[n:, :n] = rows.T
        factor[n:, n:] = corner
        return replace(self, x=x, z=z, factor=factor, dual=solve(factor, z - self.hyper.mean))


def condition(x: Array, y: Array, hyper: Hyper, *, kernel: KernelName = "se") -> GP:
    """The process with given hyper-parameters, conditioned on (n, f) features and (n,) values."""
    standard = plain(y)
    return condition_standardised(x, standard.of(y), hyper, kernel, standard)


def condition_standardised(x: Array, z: Array, hyper: Hyper, kernel: KernelName, standard: Standard) -> GP:
    """`condition` for (n,) standardised targets, with the least jitter that lets the covariance factorise."""
    k, _ = correlations(kernel, x, x, hyper.lengths)
    for jitter in _JITTERS:
        covariance = hyper.signal * k
        covariance.ravel()[:: len(z) + 1] = hyper.signal * (1.0 + jitter) + hyper.noise
        factor, info = lapack.dpotrf(covariance, lower=1, clean=1)
        if info == 0:
            return GP(x, z, hyper, kernel, standard, factor, solve(factor, z - hyper.mean), jitter)
    raise FloatingPointError("the covariance does not factorise, even with jitter as large as the signal variance")


def solve(factor: Array, z: Array) -> Array:
    """(n,) covariance⁻¹ z from the covariance's (n, n) lower Cholesky factor."""
    solution, _ = lapack.dpotrs(factor, z, lower=1)
    return np.asarray(solution)
