"""Exact Gaussian-process regression (Eq. 1): MAP fit, posterior, O(n²) append.

Notation
    n, f, b     observations, features, points asked about
    x           (n, f) features of the observations
    z           (n,) standardised targets (`standard`)
    ℓ, a, s     (f,) length scales; signal variance; noise variance, the last two of standardised values
    k, g        the kernel's shape and what its gradients need (`kernels`); the covariance is a · k
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from scipy.linalg import lapack
from scipy.linalg.blas import dtrsm

from camobo.inputs import Array
from camobo.kernels import KernelName, Slopes, correlations
from camobo.standard import Standard, plain

_JITTERS = (0.0, *(10.0**power for power in range(-10, 1)))  # of the mean diagonal
_NOISE_BOUNDS = (1e-8, 1.0)
_TELLING = 20  # observations
_NOISY = 0.1


@dataclass(frozen=True, slots=True)
class Hyper:
    """What a fit decides: length scales (f,), signal variance, noise variance and mean of standardised targets."""

    lengths: Array
    signal: float = 1.0
    noise: float = 1e-6
    mean: float = 0.0

    @property
    def logarithms(self) -> Array:
        """(f + 2,) p = log (ℓ, a, s)."""
        return np.log([*self.lengths, self.signal, self.noise])


@dataclass(frozen=True, slots=True)
class GP:
    """A Gaussian process conditioned on data. Made by `condition` or `fit`; `append` gives a new one.

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
    """(n, n) lower Cholesky factor of the covariance of the observations."""
    dual: Array
    """(n,) covariance⁻¹ z."""
    jitter: float
    """What had to be added to the diagonal, relative to the signal variance, to factorise: 0 if nothing."""

    @property
    def log_evidence(self) -> float:
        """How well it explains what it saw: log p(z | x, p) p(p) at its hyper-parameters, up to a constant."""
        explained = -0.5 * float((self.z - self.hyper.mean) @ self.dual) - float(np.log(self.factor.diagonal()).sum())
        return explained - _Prior(self.x.shape[1]).penalty(self.hyper.logarithms)

    @property
    def short_sighted(self) -> bool:
        """Whether most of the unit cube is out of its sight: fewer than two observations a neighbourhood.

        A neighbourhood is two length scales wide; over that width correlation falls to a seventh. Fewer than twenty
        observations say too little of length scales.
        """
        neighbourhoods = float(np.prod(np.maximum(1.0, 0.5 / self.hyper.lengths)))
        return _TELLING <= len(self.z) < 2.0 * neighbourhoods

    @property
    def noisy(self) -> bool:
        """Whether it takes a tenth or more of how its observations vary for noise.

        What else it then believes hangs on few of them, and it may expect nothing new where nobody has looked.
        """
        return bool(self.hyper.noise > _NOISY * self.z.var())

    def posterior(self, points: Array) -> tuple[Array, Array]:
        """(b,) mean and standard deviation of the standardised latent function at (b, f) points. O(n² b)."""
        mean, deviation, _, _ = self._moments(points)
        return mean, deviation

    def predict(self, points: Array) -> tuple[Array, Array]:
        """`posterior` in the units of the data."""
        return self.in_units(*self.posterior(points))

    def in_units(self, mean: Array, deviation: Array) -> tuple[Array, Array]:
        """Standardised means and deviations in the units of the data; what no float can hold is the largest."""
        return self.standard.back(mean, deviation)

    def standardise(self, values: Array) -> Array:
        """Values of the data's units on the scale of `posterior`."""
        return self.standard.of(values)

    def _moments(self, points: Array) -> tuple[Array, Array, Slopes, Array]:
        k, slopes = correlations(self.kernel, points, self.x, self.hyper.lengths)
        mean = self.hyper.mean + self.hyper.signal * (k @ self.dual)
        whitened = dtrsm(self.hyper.signal, self.factor, k.T, lower=1, overwrite_b=1)
        variance = self.hyper.signal - np.einsum("nb,nb->b", whitened, whitened)
        return mean, np.sqrt(np.maximum(variance, 1e-14 * self.hyper.signal)), slopes, whitened

    def posterior_gradients(self, points: Array) -> tuple[Array, Array, Array, Array]:
        """Mean (b,), standard deviation (b,) and their gradients (b, f), each, at (b, f) points."""
        mean, deviation, slopes, whitened = self._moments(points)
        backsolved = dtrsm(1.0, self.factor, whitened, lower=1, trans_a=1).T
        mean_slope, half_variance_slope = np.zeros((2, *points.shape))
        for seen, g in slopes:
            mean_slope[:, seen] += self._weighted_differences(points, g * self.dual, seen)
            half_variance_slope[:, seen] -= self._weighted_differences(points, g * backsolved, seen)
        return mean, deviation, mean_slope, half_variance_slope / deviation[:, None]

    def _weighted_differences(self, points: Array, weights: Array, seen: slice) -> Array:
        """(b, …) Σ_i weights_bi · a (points_b − x_i) / ℓ² along the features that are seen."""
        sums = points[:, seen] * weights.sum(axis=1, keepdims=True) - weights @ self.x[:, seen]
        return np.asarray(self.hyper.signal * sums / self.hyper.lengths[seen] ** 2)

    def append(self, point: Array, value: float) -> GP:
        """The same process, same hyper-parameters, with one more observation at (f,) point. O(n²)."""
        return self._extended(point[None, :], self.standardise(np.array([value])))

    def believe(self, points: Array) -> GP:
        """The same with what it itself expects at (p, f) points: narrower there, moved nowhere. O(n² p + p³)."""
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
        if info != 0 or corner.diagonal().min() ** 2 < 1e-12 * diagonal:  # twins of old points: jitter
            return _condition_standardised(x, z, self.hyper, self.kernel, self.standard)
        factor = np.zeros((n + p, n + p), order="F")
        factor[:n, :n] = self.factor
        factor[n:, :n] = rows.T
        factor[n:, n:] = corner
        return replace(self, x=x, z=z, factor=factor, dual=_solve(factor, z - self.hyper.mean))


def condition(x: Array, y: Array, hyper: Hyper, *, kernel: KernelName = "se") -> GP:
    """The process with given hyper-parameters, conditioned on (n, f) features and (n,) values."""
    standard = plain(y)
    return _condition_standardised(x, standard.of(y), hyper, kernel, standard)


def fit(
    x: Array,
    y: Array,
    *,
    kernel: KernelName = "se",
    mean: Literal["learned", "zero"] = "learned",
    starts: int = 2,
    standard: Standard | None = None,
) -> GP:
    """The process whose hyper-parameters maximise likelihood × prior on (n, f) features and (n,) values.

    L-BFGS-B from a few fixed starts, of shorter and longer length scales: one start alone lands in poor optima.
    Beyond `_RACED` observations the starts compete on an even subset of the data and only the best is polished, on all
    of them or an even subset of `_POLISHED`: one number an input and two more are settled by as many, and every step
    costs n³. The result is a function of the data alone, and conditioned on all of it.
    """
    standard = plain(y) if standard is None else standard
    z = standard.of(y)
    f = x.shape[1]
    lengths = (np.full(f, length * math.sqrt(f)) for length in (0.3, 1.5, 0.1, 5.0)[:starts])
    begun = [Hyper(length, noise=1e-4) for length in lengths]
    best = _search(x, z, kernel, begun, learn_mean=mean == "learned")
    return _condition_standardised(x, z, best, kernel, standard)


_RACED, _POLISHED = 100, 600


def _search(x: Array, z: Array, kernel: KernelName, starts: Sequence[Hyper], *, learn_mean: bool) -> Hyper:
    f = x.shape[1]
    few, many = evenly(len(z), _RACED), evenly(len(z), _POLISHED)
    prior = _Prior(f, learn_mean)
    ends = [_descend(x[few], z[few], kernel, prior, start.logarithms) for start in starts]
    _, best = min(ends, key=lambda pair: pair[0])
    if len(few) < len(z):
        _, best = _descend(x[many], z[many], kernel, prior, best)
    hyper = Hyper(np.exp(best[:f]), float(np.exp(best[f])), float(np.exp(best[f + 1])))
    if not learn_mean:
        return hyper
    _, mean = _centred_dual(_condition_standardised(x, z, hyper, kernel, Standard(0.0, 1.0)).factor, z)
    return replace(hyper, mean=mean)


def evenly(count: int, most: int) -> list[int]:
    """At most so many places of a sequence of that length, evenly spaced, the first and the last among them.

    >>> evenly(3, 5), evenly(9, 3)
    ([0, 1, 2], [0, 4, 8])
    """
    return [int(i) for i in np.unique(np.linspace(0, count - 1, min(count, most)).astype(np.intp))]


def _descend(x: Array, z: Array, kernel: KernelName, prior: _Prior, start: Array) -> tuple[float, Array]:
    from scipy.optimize import minimize  # a sixth of a second to load, which opening and reading a study need not wait

    bounds = [(math.log(5e-3), math.log(1e3))] * x.shape[1] + [(math.log(1e-3), math.log(1e4))]
    room = _room(len(z))
    found: Any = minimize(  # type: ignore[call-overload]  # the stubs know no bounds beside jac=True
        lambda p: negative_log_posterior(x, z, kernel, prior, p, room),
        start,
        jac=True,
        method="L-BFGS-B",
        bounds=[*bounds, tuple(map(math.log, _NOISE_BOUNDS))],
        options={"maxiter": 60, "ftol": 1e-7, "gtol": 1e-4},
    )
    return float(found.fun), np.asarray(found.x)


def _room(n: int) -> tuple[Array, Array, Array, Array]:
    """Four (n, n) arrays to compute in, over and over: fresh ones cost more in page faults than the arithmetic."""
    return np.empty((n, n)), np.empty((n, n)), np.empty((n, n)), np.empty((n, n))


@dataclass(frozen=True, slots=True)
class _Prior:
    """Log-normal priors on what a fit decides, as normal laws of the logarithms.

    Length scales: median e^√2 · √f, deviation √3, so that distances in the unit cube, which grow like √f, keep their
    meaning from 2 to 20 inputs (Hvarfner, Hellsten & Nardi 2024). Signal: around the data's own variance. Noise: small,
    but wide enough for the data to say otherwise.
    """

    features: int
    learn_mean: bool = True

    @property
    def centre(self) -> Array:
        f = self.features
        return np.concatenate([np.full(f, math.sqrt(2.0) + 0.5 * math.log(f)), [0.0, math.log(1e-5)]])

    @property
    def deviation(self) -> Array:
        return np.concatenate([np.full(self.features, math.sqrt(3.0)), [1.5, 3.0]])

    def penalty(self, p: Array) -> float:
        """−log p(p) up to a constant, of log hyper-parameters p."""
        return 0.5 * float(np.sum(((p - self.centre) / self.deviation) ** 2))


def negative_log_posterior(
    x: Array,
    z: Array,
    kernel: KernelName,
    prior: _Prior,
    p: Array,
    room: tuple[Array, Array, Array, Array] | None = None,
) -> tuple[float, Array]:
    """−log p(z | x, p) − log p(p) up to a constant, and its gradient, at log hyper-parameters p = log (ℓ, a, s).

    With K the covariance, A = K⁻¹ − K⁻¹ z zᵀ K⁻¹ and ∂L/∂p = ½ Σ A ∘ ∂K/∂p. The sum over pairs for a length scale is
    Σ_ij B_ij (x_i − x_j)² = 2 (Σ_i x_i² Σ_j B_ij − Σ_ij x_i B_ij x_j): one matrix product for all of them. K⁻¹ is kept
    as H + Hᵀ, H triangular, and K⁻¹z as a vector, so that A itself is never written out.
    """
    f, n = x.shape[1], len(z)
    lengths, signal, noise = np.exp(p[:f]), math.exp(p[f]), math.exp(p[f + 1])
    r2, k, g, K = room or _room(n)
    k, slopes = correlations(kernel, x, x, lengths, out=(r2, k, g))
    np.multiply(k, signal, out=K)
    K.ravel()[:: n + 1] += noise
    factor, info = lapack.dpotrf(K.T, lower=1, clean=1, overwrite_a=1)
    if info != 0:
        return 1e25, np.zeros_like(p)  # L-BFGS-B backs off from here
    dual, mean = _centred_dual(factor, z) if prior.learn_mean else (_solve(factor, z), 0.0)
    half_log_determinant = float(np.log(factor.diagonal()).sum())
    inverse, _ = lapack.dpotri(factor, lower=1, overwrite_c=1)
    trace = float(np.trace(inverse))
    H = inverse.T
    H.ravel()[:: n + 1] *= 0.5
    by_signal = 2.0 * float(np.vdot(H, k)) - float(dual @ (k @ dual))
    by_length = np.zeros(f)
    for seen, g in slopes:
        Hg, moved = np.multiply(H, g, out=r2), dual[:, None] * x[:, seen]
        row_sums = Hg.sum(axis=0) + Hg.sum(axis=1) - dual * (g @ dual)
        products = 2.0 * np.einsum("if,if->f", x[:, seen], Hg @ x[:, seen]) - np.einsum("if,if->f", moved, g @ moved)
        by_length[seen] += signal * (row_sums @ x[:, seen] ** 2 - products) / lengths[seen] ** 2
    by_noise = trace - float(dual @ dual)
    gradient = np.concatenate([-by_length, [0.5 * signal * by_signal, 0.5 * noise * by_noise]])
    value = half_log_determinant + 0.5 * float((z - mean) @ dual) + prior.penalty(p)
    return value, gradient + (p - prior.centre) / prior.deviation**2


def _condition_standardised(x: Array, z: Array, hyper: Hyper, kernel: KernelName, standard: Standard) -> GP:
    k, _ = correlations(kernel, x, x, hyper.lengths)
    for jitter in _JITTERS:
        covariance = hyper.signal * k
        covariance.ravel()[:: len(z) + 1] = hyper.signal * (1.0 + jitter) + hyper.noise
        factor, info = lapack.dpotrf(covariance, lower=1, clean=1)
        if info == 0:
            return GP(x, z, hyper, kernel, standard, factor, _solve(factor, z - hyper.mean), jitter)
    raise FloatingPointError("a covariance with its own size added to the diagonal cannot fail to factorise")


def _centred_dual(factor: Array, z: Array) -> tuple[Array, float]:
    """K⁻¹ (z − μ) with the constant mean μ = 1ᵀK⁻¹z / 1ᵀK⁻¹1 that fits best (generalised least squares)."""
    both, _ = lapack.dpotrs(factor, np.column_stack([z, np.ones_like(z)]), lower=1)
    mean = float(both[:, 0].sum() / both[:, 1].sum())
    return both[:, 0] - mean * both[:, 1], mean


def _solve(factor: Array, z: Array) -> Array:
    solution, _ = lapack.dpotrs(factor, z, lower=1)
    return np.asarray(solution)
