"""The true front of a problem with two inputs, by brute force: a grid, then ever finer grids around its front.

`Problem.best_hypervolume` of the problems without a closed form comes from here. For those with a closed form it is a
check: the fronts of ZDT3 and DTLZ2 do not depend on the number of inputs beyond two.
"""

from __future__ import annotations

import moocore
import numpy as np
from numpy.typing import NDArray

from camobo.errors import InvalidOptionError
from camobo.problems.functions import Floats
from camobo.problems.problem import Problem


def searched_front(problem: Problem, *, grid: int = 501, rounds: int = 4, kept: int = 4000, fan: int = 5) -> Floats:
    """Values (k, 2) close to the true front of a problem with two inputs and two objectives, sorted by the first.

    Starts from `grid` × `grid` points. Each of `rounds` rounds takes at most `kept` points, evenly spread along the
    front, and tries (2 fan + 1)² points around each, in a square that shrinks `fan`-fold per round. Every row is
    attained by the problem, so the hypervolume is never above the true one.

    Example:
        >>> from camobo.problems import matyas_booth, searched_front
        >>> front = searched_front(matyas_booth(), grid=101, rounds=2, kept=200)
        >>> front[0].round(2).tolist(), front[-1].round(2).tolist()
        ([0.0, 74.0], [1.16, 0.0])
    """
    if len(problem.space.names) != 2 or len(problem.objectives) != 2:
        raise InvalidOptionError(
            f"searched_front: need a problem with two inputs and two objectives, got {problem.name!r} with "
            f"{len(problem.space.names)} and {len(problem.objectives)}. "
            "ZDT3 and DTLZ2 have the same front with inputs=2."
        )
    points = _square(np.linspace(0, 1, grid))
    points, values = _front(problem, points)
    width = 1 / (grid - 1)
    for _ in range(rounds):
        centres = points[_evenly_spread(values, kept)]
        around = centres[:, None, :] + _square(np.linspace(-width, width, 2 * fan + 1))
        points, values = _front(problem, np.vstack([points, np.clip(around.reshape(-1, 2), 0, 1)]))
        width /= fan
    return np.asarray(values[np.argsort(values[:, 0])])


def _square(ticks: Floats) -> Floats:
    """All pairs (k², 2) of `ticks` (k,)."""
    return np.stack(np.meshgrid(ticks, ticks, indexing="ij"), axis=-1).reshape(-1, 2)


def _front(problem: Problem, points: Floats) -> tuple[Floats, Floats]:
    """The non-dominated points of `points` (n, 2), and their values."""
    values = problem.evaluate(points)
    best = moocore.is_nondominated(values)
    return points[best], values[best]


def _evenly_spread(values: Floats, count: int) -> NDArray[np.intp]:
    """Indices of at most `count` + 2 rows of a front `values` (n, 2), including both ends.

    Even in the distance along the front: steps right plus steps down, each scaled by the front's range. Choosing by
    rank instead hardly refines steep and sparse stretches.
    """
    low, high = values.min(axis=0), values.max(axis=0)
    scaled = (values - low) / np.where(high > low, high - low, 1)
    bins = np.floor((scaled[:, 0] - scaled[:, 1]) * count / 2)
    _, first = np.unique(bins, return_index=True)
    return np.union1d(first, values.argmin(axis=0))
