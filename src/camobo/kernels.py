"""How alike the values at two points are: kernels, and what their gradients need.

Notation
    n, f, b     observations, features, points asked about
    ℓ           (f,) length scales
    r², r_j²    squared distance after division by ℓ; the part of it along feature j
    k(r²)       shape, k(0) = 1
    g(r²)       2 dk/dr², so that ∂k/∂x = g · (x − x') / ℓ² and ∂k/∂ log ℓ_j = −g · (x_j − x'_j)² / ℓ_j²

One function g a shape is all that gradients need, whether with respect to points or to length scales, and every sum
over pairs then folds into matrix products without a tensor of pairwise differences.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from camobo.inputs import Array

KernelName: TypeAlias = Literal["se", "matern52", "humps"]
Shape: TypeAlias = Callable[..., tuple[Array, Array]]
Slopes: TypeAlias = list[tuple[slice, Array]]
"""For each part of a kernel the features it sees, and (b, n) its g."""

_FAR_SHARE, _FAR = 1.0 / 3.0, 64.0  # of the variance; of r², where half of that share's correlation is left


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
    """Two thirds Matérn, and one third 1 / (1 + r²/64), a rational quadratic; into `out` if given, r² being used up."""
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
    """k = (1 − e) k_whole(r²) + e mean_j k_Matérn(r_j²): what all features do together, and each on its own."""

    whole: Shape
    effects: float = 0.0
    """e, the share of the features' own effects in the variance."""


KERNELS: dict[KernelName, Kernel] = {
    "se": Kernel(squared_exponential),
    "matern52": Kernel(matern52),
    "humps": Kernel(near_and_far, effects=0.7),
}
"""`humps` is for outcomes with many of them, whose length scales are short.

A Matérn process of such an outcome knows nothing beyond the nearest hump: all of the unseen space looks the same to it.
But seldom has every corner humps of its own: mostly they come in rows, since what an input does by itself it does
wherever the others are (Duvenaud, Nickisch & Rasmussen, Additive Gaussian processes, NIPS 2011), and rise towards
somewhere, which the wide part sees. Shares are fixed: data from one corner tell little of them, and it is the other
corners that are in question. `benchmarks/kernels.py` measures what it is worth.
"""


def correlations(
    name: KernelName, points: Array, x: Array, lengths: Array, out: tuple[Array, Array, Array] | None = None
) -> tuple[Array, Slopes]:
    """(b, n) k between (b, f) points and (n, f) others, and its slopes; in the last two arrays of `out` if given."""
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
    """(b, n) squared distances after division by the length scales, in the first array of `out`."""
    a, b = points / lengths, x / lengths
    r2, products = out
    np.add.outer(np.einsum("bf,bf->b", a, a), np.einsum("nf,nf->n", b, b), out=r2)
    np.matmul(a, b.T, out=products)
    products *= 2.0
    r2 -= products
    np.maximum(r2, 0.0, out=r2)
    return r2
