"""From several objectives to one number: Chebyshev scalarisation (Eq. 5) and hypervolume scalarisations.

Values are (…, M) and larger is better. Everything here is linear in the number of objectives M.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import ndtri

from camobo.inputs import Array


def chebyshev(values: Array, weights: Array, reference: Array) -> Array:
    """Eq. 5: S_θ(y) = min_m θ_m (y_m − R_m) for (…, M) values, (M,) weights θ and reference R.

    >>> chebyshev(np.array([[2.0, 1.0], [1.0, 3.0]]), np.array([0.5, 0.5]), np.zeros(2))
    array([0.5, 0.5])
    """
    return np.asarray((weights * (values - reference)).min(axis=-1))


def flat_weights(objectives: int, rng: np.random.Generator) -> Array:
    """(M,) weights drawn uniformly from the simplex: the U_θ of Algorithm 1 (flat Dirichlet)."""
    return np.asarray(rng.dirichlet(np.ones(objectives)))


def quasi_random(count: int, dimension: int, rng: np.random.Generator) -> Array:
    """(count, dimension) evenly spread points of the unit cube: a Kronecker sequence with a random shift.

    The steps are powers of the generalised golden ratio φ, φ^(d+1) = φ + 1 (Roberts 2018). Any number of points, in any
    dimension, without tables.
    """
    phi = 2.0
    for _ in range(50):  # a contraction: accurate to rounding long before
        phi = (1.0 + phi) ** (1.0 / (dimension + 1))
    steps = phi ** -np.arange(1.0, dimension + 1)
    return np.asarray((np.arange(count)[:, None] * steps + rng.random(dimension)) % 1.0)


def normal(uniforms: Array) -> Array:
    """Standard normal numbers from uniform ones, kept off 0 and 1."""
    return np.asarray(ndtri(1e-9 + (1.0 - 2e-9) * uniforms))


def directions(uniforms: Array) -> Array:
    """(k, M) rays of the positive orthant from (k, M) uniform numbers (of two, one is used).

    Of two objectives, unit vectors at even angles. Of more, the ways to points spread evenly over a box, which end at
    its faces: nearly all of a box of many dimensions lies towards its edges and corners, where a front has its far
    ends, and hardly a direction uniform over the sphere leads there.

    >>> directions(np.array([[0.5, 0.0]])).round(4)
    array([[0.7071, 0.7071]])
    >>> directions(np.array([[0.2, 0.4, 0.1]]))
    array([[0.5 , 1.  , 0.25]])
    """
    if uniforms.shape[1] == 2:
        angle = 0.5 * math.pi * uniforms[:, 0]
        return np.asarray(np.maximum(np.column_stack([np.cos(angle), np.sin(angle)]), 1e-6))
    inside = np.maximum(uniforms, 1e-6)  # all zero has no direction
    return np.asarray(inside / inside.max(axis=1, keepdims=True))


def reach(front: Array, reference: Array, rays: Array) -> Array:
    """(k,) how far from the reference each of (k, M) rays runs before it leaves what (n, M) values dominate.

    The hypervolume scalarisation max_y min_m (y_m − R_m)_+ / ray_m: its M-th power, averaged over `directions`, is the
    dominated hypervolume up to a constant (Golovin & Zhang 2020, arXiv 2006.04655, for the sphere; for rays to the
    faces of a box the constant is the box's volume). O(n k M).
    """
    if len(front) == 0:
        return np.zeros(len(rays))
    along = np.full((len(front), len(rays)), np.inf)
    for m in range(rays.shape[1]):
        np.minimum(along, np.subtract(front[:, m], reference[m])[:, None] / rays[:, m], out=along)
    return np.asarray(np.maximum(along.max(axis=0), 0.0))
