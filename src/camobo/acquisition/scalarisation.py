"""Several objectives as one number: Chebyshev scalarisation (Eq. 5) and hypervolume scalarisation.

Values are (…, M) and larger is better. All effort is linear in the number of objectives M.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import ndtri

from camobo.arrays import Array


def chebyshev(values: Array, weights: Array, reference: Array) -> Array:
    """Eq. 5: S_θ(y) = min_m θ_m (y_m − R_m) for (…, M) values, (M,) weights θ and reference R.

    >>> chebyshev(np.array([[2.0, 1.0], [1.0, 3.0]]), np.array([0.5, 0.5]), np.zeros(2))
    array([0.5, 0.5])
    """
    return np.asarray((weights * (values - reference)).min(axis=-1))


def flat_weights(objectives: int, rng: np.random.Generator) -> Array:
    """(M,) weights drawn uniformly from the simplex: the U_θ of Algorithm 1 (flat Dirichlet)."""
    return np.asarray(rng.dirichlet(np.ones(objectives)))


def normal(uniforms: Array) -> Array:
    """Standard normal numbers from uniform ones; 0 and 1 give finite numbers."""
    return np.asarray(ndtri(1e-9 + (1.0 - 2e-9) * uniforms))


def directions(uniforms: Array) -> Array:
    """(k, M) rays into the positive orthant from (k, M) uniform numbers.

    For two objectives: unit vectors at uniform angles; only the first number is used. For others: towards points
    uniform in a box, ending at its faces. In many dimensions most of a box lies near its edges and corners, where the
    ends of a front are, and directions uniform over the sphere rarely point there.

    >>> directions(np.array([[0.5, 0.0]])).round(4)
    array([[0.7071, 0.7071]])
    >>> directions(np.array([[0.2, 0.4, 0.1]]))
    array([[0.5 , 1.  , 0.25]])
    """
    if uniforms.shape[1] == 2:
        angle = 0.5 * math.pi * uniforms[:, 0]
        return np.asarray(np.maximum(np.column_stack([np.cos(angle), np.sin(angle)]), 1e-6))
    inside = np.maximum(uniforms, 1e-6)  # the zero vector has no direction
    return np.asarray(inside / inside.max(axis=1, keepdims=True))


def reach(front: Array, reference: Array, rays: Array) -> Array:
    """(k,) how far each of (k, M) rays runs from the reference before it leaves what (n, M) values dominate.

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
