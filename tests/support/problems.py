"""Test problems of every kind, random points in them, and ZDT3's front from its formula."""

from __future__ import annotations

import itertools

import numpy as np
from scipy.optimize import brentq, minimize_scalar

from camobo.arrays import Array
from camobo.problems import Problem, branin_currin, cross_holder, dtlz2, matyas_booth, zdt3

ALL: list[Problem] = [
    zdt3(),
    zdt3(inputs=2),
    cross_holder(),
    matyas_booth(),
    matyas_booth("printed"),
    branin_currin(),
    dtlz2(),
    dtlz2(inputs=3, objectives=3),
    dtlz2(inputs=12, objectives=4),
]
SEARCHABLE: list[Problem] = [p for p in ALL if len(p.space.names) == 2] + [dtlz2(inputs=2)]


def label(problem: Problem) -> str:
    """A test id: name, number of inputs, number of objectives."""
    return f"{problem.name}-{len(problem.space.names)}-{len(problem.objectives)}"


def random_units(problem: Problem, count: int = 200, seed: int = 0) -> Array:
    """(count, d) random points of the unit cube."""
    return np.random.default_rng(seed).random((count, len(problem.space.names)))


def zdt3_curve(f1: float) -> float:
    """ZDT3's f2 on the curve that contains its front."""
    return float(1 - np.sqrt(f1) - f1 * np.sin(10 * np.pi * f1))


def zdt3_pieces() -> list[tuple[float, float]]:
    """The intervals of f1 on ZDT3's front: each ends in a minimum, the next starts where its level is reached again."""
    ends = [
        float(minimize_scalar(zdt3_curve, bounds=(a, a + 0.1), method="bounded", options={"xatol": 1e-12}).x)
        for a in (0.02, 0.2, 0.4, 0.6, 0.8)
    ]
    starts = [0.0]
    for end, following in itertools.pairwise(ends):
        level = zdt3_curve(end)
        starts.append(float(brentq(lambda f1, level=level: zdt3_curve(f1) - level, following - 0.08, following)))
    return list(zip(starts, ends, strict=True))
