"""Points spread more evenly than independent draws: quasi-random ones, and any points in a more even order."""

from __future__ import annotations

import numpy as np

from camobo.arrays import Array


def quasi_random(count: int, dimension: int, rng: np.random.Generator) -> Array:
    """(count, dimension) evenly spread points of the unit cube: a Kronecker sequence with a random shift.

    The steps are powers of the generalised golden ratio φ, φ^(d+1) = φ + 1 (Roberts 2018). Works for any number of
    points in any dimension, without tables.
    """
    phi = 2.0
    for _ in range(50):  # a contraction: accurate to rounding after far fewer iterations
        phi = (1.0 + phi) ** (1.0 / (dimension + 1))
    steps = phi ** -np.arange(1.0, dimension + 1)
    return np.asarray((np.arange(count)[:, None] * steps + rng.random(dimension)) % 1.0)


def farthest_first(points: Array) -> Array:
    """(n, d) points in another order: from the middle one on, each as far as possible from those before it.

    Whatever is left out at the end is at most twice as far from the others as it must be (Gonzalez 1985).
    """
    if len(points) == 0:
        return points
    nearest = np.sum((points - points.mean(axis=0)) ** 2, axis=1)
    order = [int(np.argmin(nearest))]
    nearest = np.full(len(points), np.inf)
    for _ in range(len(points) - 1):
        np.minimum(nearest, np.sum((points - points[order[-1]]) ** 2, axis=1), out=nearest)
        nearest[order[-1]] = -1.0
        order.append(int(np.argmax(nearest)))
    return points[order]
