"""The twelve: six problems with formulas, as they are and flipped, under eight price functions.

And the family `more`: problems with three and four objectives.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np

import camobo as cm
from camobo.problems import Problem, branin_currin, cross_holder, dtlz2, matyas_booth, zdt3
from money import others
from money.case import Case, Floats, Half, Price, descending, eight_prices, one_price
from money.known import best_hypervolume


def zdt1(inputs: int = 5) -> Problem:
    """ZDT1 of Zitzler, Deb and Thiele (2000): f1 = x1, f2 = g (1 - √(f1/g)), g = 1 + 9 mean(x2 …).

    The front is f2 = 1 - √f1. Of the box below the reference (1.1, 1.1), a third lies under the front.
    """
    space = cm.Space({f"x{j + 1}": cm.Real(0, 1) for j in range(inputs)})
    return Problem("zdt1", space, {"f1": "min", "f2": "min"}, (1.1, 1.1), 1.1**2 - 1 / 3, _zdt1)


def _zdt1(units: Floats) -> Floats:
    g = 1.0 + 9.0 * units[:, 1:].mean(axis=1)
    return np.column_stack([units[:, 0], g * (1.0 - np.sqrt(units[:, 0] / g))])


def case_of(problem: Problem, name: str, family: str, half: Half, prices: Mapping[str, Price]) -> Case:
    """A problem as a case."""
    return Case(
        name,
        family,
        half,
        problem.space,
        dict.fromkeys(problem.objectives, "min"),
        descending(problem.space.names),
        problem.evaluate,
        prices,
        problem.reference,
        problem.best_hypervolume,
    )


def halves(reporting: Iterable[str], choosing: Iterable[str]) -> dict[str, Half]:
    """The half of every name."""
    return {**dict.fromkeys(reporting, "reporting"), **dict.fromkeys(choosing, "choosing")}


SIX = (zdt3(), cross_holder(), matyas_booth(), branin_currin(), zdt1(), dtlz2(inputs=4, objectives=2))
TWELVE = {problem.name: problem for base in SIX for problem in (base, base.flipped())}
MORE = ("dtlz2-3", "dtlz2-4", "car-side")
TWELVE_HALVES = halves(TWELVE, others.both_ways(others.TWO))
MORE_HALVES = halves(MORE, others.both_ways(others.THREE))


def twelve(name: str) -> Case:
    """One of the twelve, or of the twelve others for choosing."""
    problem = TWELVE[name] if name in TWELVE else others.problem(name)
    return case_of(problem, name, "twelve", TWELVE_HALVES[name], eight_prices(problem.space.dimension))


def more(name: str) -> Case:
    """A problem with three or four objectives."""
    if name not in MORE:
        problem = others.problem(name)
    elif name == "car-side":
        best = best_hypervolume("car-side", car_side_values, len(CAR_LOW), CAR_REFERENCE)
        problem = replace(car_side(), best_hypervolume=best)
    else:
        problem = dtlz2(inputs=6, objectives=int(name.removeprefix("dtlz2-")))
    return case_of(problem, name, "more", MORE_HALVES[name], one_price(problem.space.dimension))


CAR_LOW = np.array([0.5, 0.45, 0.5, 0.5, 0.875, 0.4, 0.4])
CAR_REFERENCE = (45.4872, 4.5114, 13.3394, 10.3942)
"""A tenth of the front's range beyond its worst corner, for the front that Tanabe and Ishibuchi publish."""


def car_side() -> Problem:
    """Car side impact: weight, pubic force, velocity, and the sum of violated limits, of seven thicknesses.

    Problem RE4-7-1 of Tanabe and Ishibuchi (Applied Soft Computing 89, 2020), from Jain and Deb (IEEE Transactions on
    Evolutionary Computation 18(4), 2014). The form with three objectives, in `peers.problems`, has limits that a study
    cannot be told yet.
    """
    space = cm.Space({f"x{j + 1}": cm.Real(float(low), float(3 * low)) for j, low in enumerate(CAR_LOW)})
    return Problem("car-side", space, {f"f{m}": "min" for m in range(1, 5)}, CAR_REFERENCE, 1.0, car_side_values)


def car_side_values(units: Floats) -> Floats:
    """(n, 4) values of the car's side at (n, 7) points of the unit cube."""
    x1, x2, x3, x4, x5, x6, x7 = (CAR_LOW * (1.0 + 2.0 * units)).T
    weight = 1.98 + 4.9 * x1 + 6.67 * x2 + 6.98 * x3 + 4.01 * x4 + 1.78 * x5 + 1e-5 * x6 + 2.73 * x7
    force = 4.72 - 0.5 * x4 - 0.19 * x2 * x3
    pillar, door = 10.58 - 0.674 * x1 * x2 - 0.67275 * x2, 16.45 - 0.489 * x3 * x7 - 0.843 * x5 * x6
    over = [
        1.16 - 0.3717 * x2 * x4 - 0.0092928 * x3 - 1.0,
        0.261 - 0.0159 * x1 * x2 - 0.06486 * x1 - 0.019 * x2 * x7 + 0.0144 * x3 * x5 + 0.0154464 * x6 - 0.32,
        0.214 + 0.00817 * x5 - 0.0587118 * x1 + 0.03099 * x2 * x6 - 0.018 * x2 * x7 + 0.030408 * x3
        - 0.00364 * x5 * x6 - 0.018 * x2**2 - 0.32,
        0.74 - 0.61 * x2 - 0.031296 * x3 - 0.031872 * x7 + 0.227 * x2**2 - 0.32,
        28.98 + 3.818 * x3 - 4.2 * x1 * x2 + 1.27296 * x6 - 2.68065 * x7 - 32.0,
        33.86 + 2.95 * x3 - 5.057 * x1 * x2 - 3.795 * x2 - 3.4431 * x7 + 1.45728 - 32.0,
        46.36 - 9.9 * x2 - 4.4505 * x1 - 32.0,
        force - 4.0,
        pillar - 9.9,
        door - 15.7,
    ]  # fmt: skip
    return np.column_stack([weight, force, (pillar + door) / 2.0, np.maximum(over, 0.0).sum(axis=0)])
