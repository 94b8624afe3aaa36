"""Fitting a Gaussian process: hyper-parameters that maximise likelihood × prior, by L-BFGS-B from a few starts.

Notation as in `gp`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np
from scipy.linalg import lapack

from camobo.arrays import Array, evenly
from camobo.model.gp import GP, condition_standardised, solve
from camobo.model.hyper import USUAL, Hyper, LengthScales, Prior
from camobo.model.kernels import KernelName, correlations
from camobo.model.transforms import Standard, plain

_LENGTH_BOUNDS, _SIGNAL_BOUNDS, _NOISE_BOUNDS = (5e-3, 1e3), (1e-3, 1e4), (1e-8, 1.0)
_START_LENGTHS = (0.3, 1.5)  # times √f
_RACED, _POLISHED = 100, 600  # observations


def fit(
    x: Array,
    y: Array,
    *,
    kernel: KernelName = "se",
    mean: Literal["learned", "zero"] = "learned",
    lengths: LengthScales = USUAL,
    standard: Standard | None = None,
) -> GP:
    """The process whose hyper-parameters maximise likelihood × prior on (n, f) features and (n,) values.

    L-BFGS-B from two fixed starts, with short and with long length scales: a single start ends in poor optima.
    Beyond `_RACED` observations the starts compete on an evenly spaced subset, and only the best continues, on at most
    `_POLISHED` observations: these determine f + 2 hyper-parameters well, and every step costs n³. The result depends
    on the data alone and is conditioned on all of it.
    """
    standard = plain(y) if standard is None else standard
    z = standard.of(y)
    f = x.shape[1]
    starts = [Hyper(np.full(f, length * math.sqrt(f)), noise=1e-4) for length in _START_LENGTHS]
    best = _search(x, z, kernel, starts, Prior(f, mean == "learned", lengths))
    return condition_standardised(x, z, best, kernel, standard)


def _search(x: Array, z: Array, kernel: KernelName, starts: Sequence[Hyper], prior: Prior) -> Hyper:
    """The best hyper-parameters that descents from the starts find."""
    f = x.shape[1]
    few, many = evenly(len(z), _RACED), evenly(len(z), _POLISHED)
    ends = [_descend(x[few], z[few], kernel, prior, start.logarithms) for start in starts]
    _, best = min(ends, key=lambda pair: pair[0])
    if len(few) < len(z):
        _, best = _descend(x[many], z[many], kernel, prior, best)
    hyper = Hyper(np.exp(best[:f]), float(np.exp(best[f])), float(np.exp(best[f + 1])))
    if not prior.learn_mean:
        return hyper
    _, mean = _centred_dual(condition_standardised(x, z, hyper, kernel, Standard(0.0, 1.0)).factor, z)
    return replace(hyper, mean=mean)


def _descend(x: Array, z: Array, kernel: KernelName, prior: Prior, start: Array) -> tuple[float, Array]:
    from scipy.optimize import minimize  # takes a sixth of a second to load, and reading a study does not need it

    bounds = [*[_LENGTH_BOUNDS] * x.shape[1], _SIGNAL_BOUNDS, _NOISE_BOUNDS]
    workspace = _workspace(len(z))
    found: Any = minimize(  # type: ignore[call-overload]  # the stubs lack bounds together with jac=True
        lambda p: negative_log_posterior(x, z, kernel, prior, p, workspace),
        start,
        jac=True,
        method="L-BFGS-B",
        bounds=[(math.log(low), math.log(high)) for low, high in bounds],
        options={"maxiter": 60, "ftol": 1e-7, "gtol": 1e-4},
    )
    return float(found.fun), np.asarray(found.x)


def _workspace(n: int) -> tuple[Array, Array, Array, Array]:
    """Four (n, n) arrays to compute in, reused at every step: page faults of new ones cost more than the arithmetic."""
    return np.empty((n, n)), np.empty((n, n)), np.empty((n, n)), np.empty((n, n))


def negative_log_posterior(
    x: Array,
    z: Array,
    kernel: KernelName,
    prior: Prior,
    p: Array,
    workspace: tuple[Array, Array, Array, Array] | None = None,
) -> tuple[float, Array]:
    """−log p(z | x, p) − log p(p) up to a constant, and its gradient, at log hyper-parameters p = log (ℓ, a, s).

    With K the covariance, A = K⁻¹ − K⁻¹ z zᵀ K⁻¹ and ∂L/∂p = ½ Σ A ∘ ∂K/∂p. The sum over pairs for a length scale is
    Σ_ij B_ij (x_i − x_j)² = 2 (Σ_i x_i² Σ_j B_ij − Σ_ij x_i B_ij x_j): one matrix product for all of them. K⁻¹ is
    stored as H + Hᵀ, H triangular, and K⁻¹z as a vector, so A itself is never formed.
    """
    f, n = x.shape[1], len(z)
    lengths, signal, noise = np.exp(p[:f]), math.exp(p[f]), math.exp(p[f + 1])
    r2, k, g, K = workspace or _workspace(n)
    k, slopes = correlations(kernel, x, x, lengths, out=(r2, k, g))
    np.multiply(k, signal, out=K)
    K.ravel()[:: n + 1] += noise
    factor, info = lapack.dpotrf(K.T, lower=1, clean=1, overwrite_a=1)
    if info != 0:
        return 1e25, np.zeros_like(p)  # L-BFGS-B backs off from here
    dual, mean = _centred_dual(factor, z) if prior.learn_mean else (solve(factor, z), 0.0)
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


def _centred_dual(factor: Array, z: Array) -> tuple[Array, float]:
    """K⁻¹ (z − μ) with the constant mean μ = 1ᵀK⁻¹z / 1ᵀK⁻¹1 that fits best (generalised least squares)."""
    both, _ = lapack.dpotrs(factor, np.column_stack([z, np.ones_like(z)]), lower=1)
    mean = float(both[:, 0].sum() / both[:, 1].sum())
    return both[:, 0] - mean * both[:, 1], mean
