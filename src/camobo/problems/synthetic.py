"""The test problems: their spaces, reference points and best hypervolumes.

If the literature has no usual reference point, it is a tenth of the front's range beyond the front's worst corner,
`nadir + 0.1 (nadir - ideal)`, the rule of thumb of Ishibuchi, Imada, Setoguchi and Nojima (Evolutionary Computation
26(3), 2018): both ends of the front count, and a point far from the front counts nothing.

Best hypervolumes are closed forms or quadratures if the front has a formula (ZDT3, DTLZ2, Matyas with the published
Booth). The other three come from `searched_front(problem, grid=3001, rounds=5, kept=60_000)`, plus the corners that its
staircase leaves out, with the last digit rounded up; the bare staircase is two parts in a million lower.
`tests/problems/test_fronts.py` confirms all of them with a coarser search.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Literal

import numpy as np

from camobo.errors import InvalidOptionError, InvalidSpaceError
from camobo.problems import functions
from camobo.problems.functions import Floats
from camobo.problems.problem import Problem
from camobo.space.inputs import Real
from camobo.space.space import Space


def zdt3(inputs: int = 5) -> Problem:
    """ZDT3 on the unit cube: a front in five pieces, at x2 = … = xn = 0.

    Reference (1.1, 1.1): with a wider one such as (11, 11), random search already reaches 83 % of the best.
    The best hypervolume is the integral of 1.1 - (least f2 at or below f1) for f1 from 0 to 1.1, by quadrature over the
    five pieces and the four gaps between them.

    Example:
        >>> zdt3(inputs=30).space.names[-1]
        'x30'
    """
    _check_count("zdt3", "inputs", inputs, least=2)
    return Problem("zdt3", _cube(inputs), _minimise(2), (1.1, 1.1), 1.33176291, functions.zdt3_values)


def cross_holder() -> Problem:
    """Cross-in-tray (f1) and Hölder table (f2) on [-10, 10]².

    Ideal (-2.06261, -19.20850), nadir (-1.27558, -0.31722); reference (-1.197, 1.572), by the rule of this module.

    Example:
        >>> {name: round(value, 4) for name, value in cross_holder()({"x1": 1.34941, "x2": 1.34941}).items()}
        {'f1': -2.0626, 'f2': -0.3172}
    """
    return Problem("cross-holder", _box(), _minimise(2), (-1.197, 1.572), 7.83463, _cross_holder)


def matyas_booth(booth: Literal["standard", "printed"] = "standard") -> Problem:
    """Matyas (f1) and Booth (f2) on [-10, 10]², Booth as published or as misprinted in the CA-MOBO paper.

    The paper prints a minus between Booth's two squares, which makes it a saddle with its least value on the border.
    Standard: ideal (0, 0), nadir (1.16, 74), reference (1.276, 81.4); both are convex quadratics, so the front is
    the minima of (1 - w) f1 + w f2 for w from 0 to 1, and the hypervolume an integral along it. Printed: ideal
    (0, -363), nadir (42.74, 24), reference (47.014, 62.7). Both references follow the rule of this module.

    Example:
        >>> matyas_booth()({"x1": 1.0, "x2": 3.0})["f2"], matyas_booth("printed")({"x1": -10.0, "x2": 3.0})["f2"]
        (0.0, -363.0)
    """
    if booth == "standard":
        reference = (1.276, 81.4)
        return Problem("matyas-booth", _box(), _minimise(2), reference, 101.30439, _matyas_booth)
    if booth == "printed":
        reference = (47.014, 62.7)
        return Problem("matyas-booth-printed", _box(), _minimise(2), reference, 16655.84, _matyas_printed_booth)
    raise InvalidOptionError(
        f'matyas_booth: booth must be "standard" or "printed", got {booth!r}. '
        '"standard" is the published function, "printed" the one with the paper\'s sign.'
    )


def branin_currin() -> Problem:
    """Branin (f1, its usual rectangle scaled to the unit square) and Currin (f2) [Belakaria].

    Reference (18, 6), the usual one; the front runs from (0.39789, 5.68614) to (17.50830, 1.18041). The best
    hypervolume is above BoTorch's 59.36 for the same functions: there are points that reach 59.4065.

    Example:
        >>> {name: round(value, 3) for name, value in branin_currin()({"x1": 0.0, "x2": 1.0}).items()}
        {'f1': 17.508, 'f2': 1.18}
    """
    return Problem("branin-currin", _cube(2), _minimise(2), (18.0, 6.0), 59.4066, _branin_currin)


def dtlz2(inputs: int = 4, objectives: int = 2) -> Problem:
    """DTLZ2, for any number of objectives; the front is the non-negative part of the unit sphere.

    Reference 1.1 in each of M objectives. Best hypervolume `1.1^M - V/2^M`, where V is the volume of the unit
    ball in M dimensions, `π^(M/2) / Γ(M/2 + 1)`.

    Example:
        >>> round(dtlz2(inputs=12, objectives=4).best_hypervolume, 6)
        1.155675
    """
    _check_count("dtlz2", "objectives", objectives, least=2)
    _check_count("dtlz2", "inputs", inputs, least=2)
    if inputs < objectives:
        raise InvalidSpaceError(
            f"dtlz2: need at least as many inputs as objectives, got inputs={inputs}, objectives={objectives}. "
            f"Use inputs={objectives} or more."
        )
    ball = math.pi ** (objectives / 2) / math.gamma(objectives / 2 + 1)
    return Problem(
        "dtlz2",
        _cube(inputs),
        _minimise(objectives),
        (1.1,) * objectives,
        1.1**objectives - ball / 2**objectives,
        partial(functions.dtlz2_values, objectives=objectives),
    )


def by_name(name: str) -> Problem:
    """The problem of that name with its default size; the suffix "-flipped" reverses every input.

    Example:
        >>> by_name("branin-currin-flipped").name
        'branin-currin-flipped'
    """
    known: dict[str, Callable[[], Problem]] = {
        "zdt3": zdt3,
        "cross-holder": cross_holder,
        "matyas-booth": matyas_booth,
        "matyas-booth-printed": partial(matyas_booth, "printed"),
        "branin-currin": branin_currin,
        "dtlz2": dtlz2,
    }
    stem = name.removesuffix("-flipped")
    if stem not in known:
        raise InvalidOptionError(
            f'unknown problem {name!r}: need one of {", ".join(known)}, each also with "-flipped". '
            "For other sizes call the constructor, such as zdt3(inputs=10)."
        )
    problem = known[stem]()
    return problem if stem == name else problem.flipped()


def _check_count(problem: str, what: str, count: int, *, least: int) -> None:
    if isinstance(count, bool) or not isinstance(count, int) or count < least:
        raise InvalidSpaceError(f"{problem}: {what} must be a whole number of at least {least}, got {count!r}.")


def _cube(inputs: int) -> Space:
    return Space({f"x{j + 1}": Real(0, 1) for j in range(inputs)})


def _box() -> Space:
    return Space({"x1": Real(-10, 10), "x2": Real(-10, 10)})


def _minimise(objectives: int) -> dict[str, str]:
    return {f"f{m + 1}": "min" for m in range(objectives)}


def _cross_holder(units: Floats) -> Floats:
    x, y = (20 * units - 10).T
    return np.column_stack([functions.cross_in_tray(x, y), functions.holder_table(x, y)])


def _matyas_booth(units: Floats) -> Floats:
    x, y = (20 * units - 10).T
    return np.column_stack([functions.matyas(x, y), functions.booth(x, y)])


def _matyas_printed_booth(units: Floats) -> Floats:
    x, y = (20 * units - 10).T
    return np.column_stack([functions.matyas(x, y), functions.printed_booth(x, y)])


def _branin_currin(units: Floats) -> Floats:
    x, y = units.T
    return np.column_stack([functions.branin(15 * x - 5, 15 * y), functions.currin(x, y)])
