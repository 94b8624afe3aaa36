"""More problems to choose constants on: six with formulas beside the twelve, and some with three objectives.

Each is taken as it is and flipped, as the twelve are. None of them, nor a variant of it, is reported on. References lie
a tenth of the front's range beyond its worst corner, for the front that `search` finds.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial

import numpy as np

import camobo as cm
from camobo.problems import Problem
from camobo.space.sampling import quasi_random
from money import drawn
from money.case import Floats
from money.known import best_hypervolume

Function = Callable[[Floats], Floats]
"""(n, d) points of the unit cube to (n, M) values to minimise."""


@dataclass(frozen=True, slots=True)
class Formula:
    """A problem whose best hypervolume is searched."""

    inputs: int
    reference: tuple[float, ...]
    values: Function

    def problem(self, name: str) -> Problem:
        """The problem of that name."""
        space = cm.Space({f"x{j + 1}": cm.Real(0, 1) for j in range(self.inputs)})
        objectives = {f"f{m + 1}": "min" for m in range(len(self.reference))}
        best = best_hypervolume(name, self.values, self.inputs, self.reference)
        return Problem(name, space, objectives, self.reference, best, self.values)


def kursawe(units: Floats) -> Floats:
    """Of Kursawe (1991): a front in pieces, many humps."""
    x = 10.0 * units - 5.0
    first = -10.0 * np.exp(-0.2 * np.hypot(x[:, :-1], x[:, 1:])).sum(axis=1)
    return np.column_stack([first, (np.abs(x) ** 0.8 + 5.0 * np.sin(x**3)).sum(axis=1)])


def fonseca(units: Floats) -> Floats:
    """Of Fonseca and Fleming (1995): two pits in a plain."""
    x, at = 8.0 * units - 4.0, 1.0 / np.sqrt(units.shape[1])
    return np.column_stack([1.0 - np.exp(-((x + sign * at) ** 2).sum(axis=1)) for sign in (-1.0, 1.0)])


def poloni(units: Floats) -> Floats:
    """Of Poloni (1995), to minimise."""
    x, y = (2.0 * np.pi * (units - 0.5)).T
    one, two = np.array([1.0]), np.array([2.0])

    def waves(x: Floats, y: Floats) -> tuple[Floats, Floats]:
        first = 0.5 * np.sin(x) - 2.0 * np.cos(x) + np.sin(y) - 1.5 * np.cos(y)
        return first, 1.5 * np.sin(x) - np.cos(x) + 2.0 * np.sin(y) - 0.5 * np.cos(y)

    (a1, a2), (b1, b2) = waves(one, two), waves(x, y)
    return np.column_stack([1.0 + (a1 - b1) ** 2 + (a2 - b2) ** 2, (x + 3.0) ** 2 + (y + 1.0) ** 2])


def zdt2(units: Floats) -> Floats:
    """Of Zitzler, Deb and Thiele (2000): a front that is not convex."""
    g = 1.0 + 9.0 * units[:, 1:].mean(axis=1)
    return np.column_stack([units[:, 0], g * (1.0 - (units[:, 0] / g) ** 2)])


def truss(units: Floats) -> Floats:
    """Volume and displacement of a truss of four bars, of Stadler and Dauer (1992): the areas of its bars."""
    root = np.sqrt(2.0)
    low = np.array([1.0, root, root, 1.0])
    x1, x2, x3, x4 = (low + (3.0 - low) * units).T
    volume = 200.0 * (2.0 * x1 + root * x2 + np.sqrt(x3) + x4)
    return np.column_stack([volume, 0.01 * (2.0 / x1 + 2.0 * root / x2 - 2.0 * root / x3 + 2.0 / x4)])


def dtlz7(objectives: int) -> Function:
    """Of Deb, Thiele, Laumanns and Zitzler (2005): a front in pieces."""

    def values(units: Floats) -> Floats:
        first = units[:, : objectives - 1]
        g = 2.0 + 9.0 * units[:, objectives - 1 :].mean(axis=1)
        humps = (first / g[:, None] * (1.0 + np.sin(3.0 * np.pi * first))).sum(axis=1)
        return np.column_stack([first, g * (objectives - humps)])

    return values


def crash(units: Floats) -> Floats:
    """Mass, acceleration and intrusion of a car in a crash, of five thicknesses: Liao et al. (2008)."""
    x1, x2, x3, x4, x5 = (1.0 + 2.0 * units).T
    mass = 1640.2823 + 2.3573285 * x1 + 2.3220035 * x2 + 4.5688768 * x3 + 7.7213633 * x4 + 4.4559504 * x5
    acceleration = (
        6.5856 + 1.15 * x1 - 1.0427 * x2 + 0.9738 * x3 + 0.8364 * x4 - 0.3695 * x1 * x4 + 0.0861 * x1 * x5
        + 0.3628 * x2 * x4 - 0.1106 * x1**2 - 0.3437 * x3**2 + 0.1764 * x4**2
    )  # fmt: skip
    intrusion = (
        -0.0551 + 0.0181 * x1 + 0.1024 * x2 + 0.0421 * x3 - 0.0073 * x1 * x2 + 0.024 * x2 * x3 - 0.0118 * x2 * x4
        - 0.0204 * x3 * x4 - 0.008 * x3 * x5 - 0.0241 * x2**2 + 0.0109 * x4**2
    )  # fmt: skip
    return np.column_stack([mass, acceleration, intrusion])


@cache
def three_draws(number: int) -> tuple[drawn.Draw, ...]:
    """Three smooth draws over 3 to 6 inputs, scaled as those of `drawn`."""
    given = drawn.Kind(3 + number, smooth=True, irrelevant=False, plateau=False)
    rng = np.random.default_rng([21, number])
    units = quasi_random(drawn.SAMPLE, given.inputs, rng)
    return tuple(drawn.finished(drawn.draw(rng, given), given.plateau, units) for _ in range(3))


def drawn_values(units: Floats, number: int) -> Floats:
    """Values of three draws."""
    return np.column_stack([draw(units) for draw in three_draws(number)])


TWO: dict[str, Formula] = {
    "kursawe": Formula(3, (-13.9, 1.2), kursawe),
    "fonseca": Formula(3, (1.08, 1.08), fonseca),
    "poloni": Formula(2, (17.6, 27.6), poloni),
    "zdt2": Formula(5, (1.1, 1.1), zdt2),
    "truss": Formula(4, (3051.0, 0.0421), truss),
    "dtlz7": Formula(4, (0.945, 4.17), dtlz7(2)),
}
THREE: dict[str, Formula] = {
    "crash": Formula(5, (1698.6, 11.2, 0.286), crash),
    "dtlz7-3": Formula(5, (0.945, 0.945, 6.34), dtlz7(3)),
    **{
        f"three-{number}": Formula(3 + number, (1.1, 1.1, 1.1), partial(drawn_values, number=number))
        for number in range(4)
    },
}
FLIPPED = "-flipped"


def both_ways(formulas: dict[str, Formula]) -> list[str]:
    """The names of problems, as they are and flipped."""
    return [name + end for name in formulas for end in ("", FLIPPED)]


def problem(name: str) -> Problem:
    """The problem of that name."""
    base = name.removesuffix(FLIPPED)
    found = (TWO | THREE)[base].problem(base)
    return found.flipped() if name.endswith(FLIPPED) else found
