"""The published formulas, each in its own units, vectorised over arrays of inputs.

Every function of `x` and `y` takes arrays that broadcast together (or plain numbers) and returns one value per point.
Docstrings state the known optima; `tests/problems/test_functions.py` checks them.

References:
    [Surjanovic] S. Surjanovic and D. Bingham, Virtual Library of Simulation Experiments, sfu.ca/~ssurjano.
    [Jamil] M. Jamil and X.-S. Yang, A literature survey of benchmark functions for global optimisation problems,
        Int. J. Mathematical Modelling and Numerical Optimisation 4(2), 2013.
    [Belakaria] S. Belakaria, A. Deshwal and J. R. Doppa, Max-value entropy search for multi-objective Bayesian
        optimization, NeurIPS 2019 (pairs Branin with Currin).
    [Zitzler] E. Zitzler, K. Deb and L. Thiele, Comparison of multiobjective evolutionary algorithms: empirical
        results, Evolutionary Computation 8(2), 2000.
    [Deb] K. Deb, L. Thiele, M. Laumanns and E. Zitzler, Scalable multi-objective optimization test problems, CEC 2002.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
"""An array of double-precision numbers."""


def cross_in_tray(x: Floats, y: Floats) -> Floats:
    """`-0.0001 (|sin x sin y exp|100 - r/π|| + 1)^0.1` with `r = √(x² + y²)`, usually on [-10, 10]².

    Least value -2.06261 at (±1.34941, ±1.34941) [Jamil].
    """
    r = np.hypot(x, y)
    bump = np.abs(np.sin(x) * np.sin(y) * np.exp(np.abs(100 - r / np.pi)))
    return np.asarray(-0.0001 * (bump + 1) ** 0.1)


def holder_table(x: Floats, y: Floats) -> Floats:
    """`-|sin x cos y exp|1 - r/π||` with `r = √(x² + y²)`, usually on [-10, 10]².

    Least value -19.2085 at (±8.05502, ±9.66459) [Jamil].
    """
    r = np.hypot(x, y)
    return np.asarray(-np.abs(np.sin(x) * np.cos(y) * np.exp(np.abs(1 - r / np.pi))))


def matyas(x: Floats, y: Floats) -> Floats:
    """`0.26 (x² + y²) - 0.48 x y`, usually on [-10, 10]². Least value 0 at (0, 0) [Jamil]."""
    return np.asarray(0.26 * (x**2 + y**2) - 0.48 * x * y)


def booth(x: Floats, y: Floats) -> Floats:
    """`(x + 2y - 7)² + (2x + y - 5)²`, usually on [-10, 10]². Least value 0 at (1, 3) [Jamil]."""
    return np.asarray((x + 2 * y - 7) ** 2 + (2 * x + y - 5) ** 2)


def printed_booth(x: Floats, y: Floats) -> Floats:
    """`(x + 2y - 7)² - (2x + y - 5)²`: Booth as misprinted in the CA-MOBO paper, a saddle without a minimum.

    It factors into `3 (y - x - 2)(x + y - 4)`; on [-10, 10]² its least value is -363, at (-10, 3).
    """
    return np.asarray((x + 2 * y - 7) ** 2 - (2 * x + y - 5) ** 2)


def branin(x: Floats, y: Floats) -> Floats:
    """`(y - b x² + c x - 6)² + 10 (1 - t) cos x + 10` on [-5, 10] × [0, 15].

    Here `b = 5.1/(4π²)`, `c = 5/π` and `t = 1/(8π)`. Least value 0.397887, at (-π, 12.275), (π, 2.275) and
    (9.42478, 2.475) [Surjanovic].
    """
    b, c, t = 5.1 / (4 * np.pi**2), 5 / np.pi, 1 / (8 * np.pi)
    return np.asarray((y - b * x**2 + c * x - 6) ** 2 + 10 * (1 - t) * np.cos(x) + 10)


def currin(x: Floats, y: Floats) -> Floats:
    """`(1 - exp(-1/(2y))) (2300x³ + 1900x² + 2092x + 60) / (100x³ + 500x² + 4x + 20)` on [0, 1]² [Surjanovic].

    At y = 0 the first factor takes its limit, 1.
    """
    # Any positive floor below 1e-3 gives exp(-1/(2y)) = 0 exactly, which is the limit, without dividing by zero.
    fade = 1 - np.exp(-0.5 / np.maximum(y, 1e-9))
    return np.asarray(fade * (2300 * x**3 + 1900 * x**2 + 2092 * x + 60) / (100 * x**3 + 500 * x**2 + 4 * x + 20))


def zdt3_values(points: Floats) -> Floats:
    """ZDT3 [Zitzler]: `points` (n, d) in [0, 1]^d, d >= 2, to values (n, 2).

    `f1 = x1`, `g = 1 + 9/(d-1) (x2 + … + xd)`, `f2 = g (1 - √(f1/g) - (f1/g) sin(10π f1))`.
    BoTorch's ZDT3 omits the factor g: the same front, but easier to approach, so results do not compare.
    """
    f1 = points[:, 0]
    g = 1 + 9 * points[:, 1:].mean(axis=1)
    f2 = g * (1 - np.sqrt(f1 / g) - f1 / g * np.sin(10 * np.pi * f1))
    return np.column_stack([f1, f2])


def dtlz2_values(points: Floats, objectives: int) -> Floats:
    """DTLZ2 [Deb]: `points` (n, d) in [0, 1]^d, d >= M, to values (n, M), where M is `objectives`.

    The first M - 1 inputs are angles `a_j = π x_j / 2`, the other d - M + 1 set the distance
    `g = Σ (x_j - 1/2)²`. `f1 = (1 + g) cos a1 … cos a(M-1)`; each next objective replaces the last cosine by the sine
    of that angle, down to `fM = (1 + g) sin a1`.
    """
    angles = points[:, : objectives - 1] * (np.pi / 2)
    g = ((points[:, objectives - 1 :] - 0.5) ** 2).sum(axis=1)
    ones = np.ones((len(points), 1))
    cosines = np.hstack([ones, np.cumprod(np.cos(angles), axis=1)])[:, ::-1]
    sines = np.hstack([ones, np.sin(angles)[:, ::-1]])
    return np.asarray((1 + g)[:, None] * cosines * sines)
