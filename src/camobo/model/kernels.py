"""Kernels: the correlation between the values at two points, and its gradients.

Notation
    n, f, b     observations, features, points to predict at
    ℓ           (f,) length scales
    r², r_j²    squared distance after division by ℓ; the part of it along feature j
    k(r²)       shape, k(0) = 1
    g(r²)       2 dk/dr², so that ∂k/∂x = g · (x − x') / ℓ² and ∂k/∂ log ℓ_j = −g · (x_j − x'_j)² / ℓ_j²

Gradients with respect to points and to length scales need only g, one function per shape. Sums over pairs are then
matrix products, without a tensor of pairwise differences.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from camobo.arrays import Array

KernelName: TypeAlias = Literal["se", "matern52", "humps"]
Shape: TypeAlias = Callable[..., tuple[Array, Array]]
Slopes: TypeAlias = list[tuple[slice, Array]]
"""Per part of a kernel: the features it depends on, and its (b, n) g."""

_FAR_SHARE, _FAR = 1.0 / 3.0, 64.0  # share of the variance; r² at which its correlation has fallen to a half


def squared_exponential(r2: Array, out: tuple[Array, Array] | None = None) -> tuple[Array, Array]:
    """k = exp(−r²/2), the paper's kernel, and g = −k; into `out` if given."""
    k, g = out or (np.empty_like(r2), np.empty_like(r2))
    np.multiply(r2, -0.5, out=k)
    np.exp(k, out=k)
    np.negative(k, out=g)
    return k, g


def matern52(r2: Array, out: tuple[Array, Array] | None = None) -> tuple[Array, Array]:
    """k = (1 + √5 r + 5r²/3) exp(−√5 r) and g = −(5/3)(1 + √5 r) exp(−√5 r); into `out` if given."""
    k, g = out or (np.empty_like(r2), np.empty_like(r2))
    np.multiply(r2, 5.0, out=g)
    np.sqrt(g, out=g)
    np.negative(g, out=k)
    np.exp(k, out=k)
    g += 1.0
    g *= k
    k *= 5.0 / 3.0
    k *= r2
    k += g
    g *= -5.0 / 3.0
    return k, g


def near_and_far(r2: Array, out: tuple[Array, Array] | None = None) -> tuple[Array, Array]:
    """k = ⅔ Matérn + ⅓ / (1 + r²/64), a rational quadratic, and its g; into `out` if given, which overwrites r²."""
    far = r2 if out else r2.copy()
    k, g = matern52(r2, out)
    far /= _FAR
    far += 1.0
    np.divide(_FAR_SHARE, far, out=far)
    k *= 1.0 - _FAR_SHARE
    k += far
    far *= far
    far *= 2.0 / (_FAR * _FAR_SHARE)
    g *= 1.0 - _FAR_SHARE
    g -= far
    return k, g


@dataclass(frozen=True, slots=True)
class Kernel:
    """k = (1 − e) k_whole(r²) + e mean_j k_Matérn(r_j²): joint effects plus the effect of each feature alone."""

    whole: Shape
    effects: float = 0.0
    """e, the share of the variance due to features alone."""


KERNELS: dict[KernelName, Kernel] = {
    "se": Kernel(squared_exponential),
    "matern52": Kernel(matern52),
    "humps": Kernel(near_and_far, effects=0.7),
}
"""`humps` is for outcomes with many humps, whose length scales are short.

A Matérn process with short length scales predicts nothing beyond the nearest hump: all of the unseen space looks the
same. Two regularities help. An input's own effect is the same wherever the other inputs are, so humps come in rows
(Duvenaud, Nickisch & Rasmussen, Additive Gaussian processes, NIPS 2011). And there is often a trend below the humps,
which the wide part follows. The shares are fixed: data from one corner say little about them, and predictions are
needed in the other corners. `benchmarks/kernels.py` measures the effect.
"""


def correlations(
    name: KernelName, points: Array, x: Array, lengths: Array, out: tuple[Array, Array, Array] | None = None
) -> tuple[Array, Slopes]:
    """(b, n) k between (b, f) points and (n, f) others, and its slopes.

    out: three (b, n) arrays to compute in; k and the first g are then the last two.
    """
    kernel, shape = KERNELS[name], (len(points), len(x))
    r2, k, g = out or (np.empty(shape), np.empty(shape), np.empty(shape))
    k, g = kernel.whole(_distances(points, x, lengths, out=(r2, k)), out=(k, g))
    slopes = [(slice(None), g)]
    if kernel.effects:
        k *= 1.0 - kernel.effects
        g *= 1.0 - kernel.effects
        share = kernel.effects / x.shape[1]
        for j, length in enumerate(lengths):
            own, own_slope = matern52(np.subtract.outer(points[:, j] / length, x[:, j] / length) ** 2)
            k += share * own
            own_slope *= share
            slopes.append((slice(j, j + 1), own_slope))
    return k, slopes


def _distances(points: Array, x: Array, lengths: Array, out: tuple[Array, Array]) -> Array:
    """(b, n) squared distances in units of the length scales, written to the first array of `out`."""
    a, b = points / lengths, x / lengths
    r2, products = out
    np.add.outer(np.einsum("bf,bf->b", a, a), np.einsum("nf,nf->n", b, b), out=r2)
    np.matmul(a, b.T, out=products)
    products *= 2.0
    r2 -= products
    np.maximum(r2, 0.0, out=r2)
    return r2
