"""Quasi-random points: spread more evenly over the unit cube than independent draws."""

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
