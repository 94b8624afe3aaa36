"""Finding the best point of an acquisition over a space, real, whole and categorical inputs alike.

Candidates first, in one batch: spread over the whole cube, around the points that did best so far, and the cheap corner
with the edges that leave it. The best few are refined together, real inputs by a batched quasi-Newton ascent, the
others by trying their neighbours. A small finite space is searched through instead.
"""

from __future__ import annotations

import itertools
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from camobo.errors import SpaceExhausted
from camobo.inputs import Array
from camobo.scalarize import quasi_random
from camobo.space import SAME, Space, is_new

_SEARCHED_THROUGH = 2000  # points; beyond it candidates and neighbours are faster than all of them
_LISTED = 1_000_000  # points; a finite space up to this size is listed before it is called exhausted
_SPREAD, _NEAR, _ANEW, _ON_EDGES, _REFINED, _LAST_RESORT = 256, 128, 64, 64, 5, 5000
_APART = 0.05  # starts of refinement nearer than this in every input would climb the same hill
_ASCENT_STEPS, _NEIGHBOUR_ROUNDS = 14, 32


class Surface(Protocol):
    """What is maximised over the unit cube."""

    def __call__(self, units: Array) -> Array:
        """(b,) values at (b, d) points."""
        ...

    def with_gradient(self, units: Array) -> tuple[Array, Array]:
        """(b,) values and (b, d) gradients at (b, d) points."""
        ...

    def softened(self) -> Surface:
        """A version without kinks to climb on."""
        ...


def maximise(
    surface: Surface, space: Space, *, best: Array, taken: Array, rng: np.random.Generator, apart: float = 0.0
) -> Array:
    """(d,) the best point found outside the (n, d) `taken` ones; `best` are (m, d) points to search around.

    While there are others, it is `apart` from each taken one in some input.
    """
    if space.size <= _SEARCHED_THROUGH:
        return _best_free(surface, space, taken)
    candidates = space.snap(candidate_points(space, best, rng))
    candidates = candidates[np.argsort(-surface(candidates), kind="stable")]
    found = _refine(surface, space, _spread_out(candidates, _REFINED))
    found = found[np.argsort(-surface(found), kind="stable")]
    for distance in (max(apart, SAME), SAME):
        for point in itertools.chain(found, candidates):
            if is_new(point, taken, distance):
                return np.asarray(point)
    for _ in range(_LAST_RESORT):
        point = space.snap(rng.random((1, space.dimension)))[0]
        if is_new(point, taken):
            return np.asarray(point)
    if space.size <= _LISTED:
        return _best_free(surface, space, taken)
    raise SpaceExhausted(
        f"none of {_LAST_RESORT} random points of this space was new: nearly all {space.size:.0f} have been handed out."
    )


def _best_free(surface: Surface, space: Space, taken: Array) -> Array:
    """(d,) the best of a finite space's points outside the (n, d) `taken` ones."""
    known = {point.tobytes() for point in _rounded(taken)}  # a point off the grid takes none of it
    grid = space.grid()
    free = grid[[point.tobytes() not in known for point in _rounded(grid)]]
    if len(free) == 0:
        raise SpaceExhausted(
            f"all {space.size:.0f} points of this space have been handed out. The front is the result. "
            "For more, widen an input in a new study, and begin it with these trials."
        )
    return np.asarray(free[np.argmax(surface(free))])


def _rounded(points: Array) -> Array:
    """Points that differ by rounding only, made equal; −0 is 0."""
    return np.asarray(np.round(points, 9) + 0.0)


def candidate_points(space: Space, best: Array, rng: np.random.Generator) -> Array:
    """(c, d) where to look: everywhere, around the (m, d) best points, in the cheap corner and along its edges.

    Of those around the best some have one input drawn anew: what it is worth often does not hang on the rest.
    """
    d = space.dimension
    spread = quasi_random(_SPREAD, d, rng)
    centres = best[rng.integers(len(best), size=_NEAR + _ANEW)] if len(best) else rng.random((_NEAR + _ANEW, d))
    scale = 10.0 ** rng.uniform(-3.0, -0.5, size=(_NEAR, 1))
    moved = rng.random((_NEAR, d)) < max(0.3, 2.0 / d)
    near = np.clip(centres[:_NEAR] + scale * moved * rng.standard_normal((_NEAR, d)), 0.0, 1.0)
    redrawn = rng.integers(d, size=(_ANEW, 1)) == np.arange(d)
    anew = np.where(redrawn, rng.random((_ANEW, d)), centres[_NEAR:])
    levels = space.expense(spread[: _SPREAD // 4])
    nearer = space.at_expense(
        np.vstack([levels * rng.random((len(levels), 1)), levels * (rng.random(levels.shape) < 0.5)])
    )
    return np.vstack([spread, near, anew, nearer, cheap_edges(space, rng)])


def cheap_edges(space: Space, rng: np.random.Generator) -> Array:
    """(c, d) the vertex at which every input is cheapest, and points along each edge that leaves it, its end included.

    Even steps, shifted at random from call to call: four points an edge at least, and 64 in all.
    """
    d = space.dimension
    count = max(4, _ON_EDGES // d)
    levels = np.zeros((1 + d * count, d))
    for j in range(d):
        levels[1 + j * count : (j + 1) * count, j] = (np.arange(1, count) - rng.random()) / (count - 1)
        levels[(j + 1) * count, j] = 1.0
    return space.at_expense(levels)


def _spread_out(ranked: Array, count: int) -> Array:
    """The first of (c, d) ranked points and the next ones that are not close to one chosen before."""
    chosen: list[Array] = []
    for point in ranked:
        if all(np.abs(point - other).max() > _APART for other in chosen):
            chosen.append(point)
        if len(chosen) == count:
            break
    return np.array(chosen)


def _refine(surface: Surface, space: Space, starts: Array) -> Array:
    """The starts, moved uphill; each ends at least as high on the exact surface as it began."""
    smooth = surface.softened()
    points = starts
    if space.continuous.any():
        points = _higher(surface, points, ascend(smooth, points, steps=_ASCENT_STEPS))
    if not space.continuous.all():
        for _ in range(_NEIGHBOUR_ROUNDS):
            moved = _best_neighbours(surface, space, points)
            if np.array_equal(moved, points):
                break
            points = moved
        if space.continuous.any():
            points = _higher(surface, points, ascend(smooth, points, steps=_ASCENT_STEPS // 2))
    return points


def _higher(surface: Surface, old: Array, new: Array) -> Array:
    before, after = np.split(surface(np.vstack([old, new])), 2)
    return np.where((after > before)[:, None], new, old)


def _best_neighbours(surface: Surface, space: Space, points: Array) -> Array:
    """Each of (b, d) points, or the best of those that differ from it in one whole number or category."""
    around = [np.vstack([point, neighbours(space, point)]) for point in points]
    values = np.split(surface(np.vstack(around)), np.cumsum([len(rows) for rows in around])[:-1])
    return np.array([rows[np.argmax(value)] for rows, value in zip(around, values, strict=True)])


def neighbours(space: Space, point: Array) -> Array:
    """(m, d) points that differ from (d,) one in a single number (next, a tenth further) or category (any other)."""
    rows = []
    for j, given in enumerate(space.inputs.values()):
        for unit in given.beside(float(point[j])):
            row = point.copy()
            row[j] = unit
            rows.append(row)
    return np.array(rows).reshape(-1, space.dimension)


def ascend(surface: Surface, starts: Array, *, steps: int) -> Array:
    """(b, d) starts after at most `steps` quasi-Newton steps uphill within the unit cube.

    BFGS with projection, all starts in one batch: a step costs one evaluation of the surface at b points, however many
    of them are still backtracking. A coordinate at a bound that its gradient pushes against rests.
    """
    b, d = starts.shape
    x = starts.copy()
    value, slope = surface.with_gradient(x)
    size = np.maximum(np.linalg.norm(slope, axis=1), 1e-300)
    curvature = np.eye(d) * (0.1 / size)[:, None, None]  # inverse Hessian; the first step is a tenth of the cube long
    untouched = np.ones(b, dtype=np.bool_)
    length = np.ones(b)
    for _ in range(steps):
        free = ~(((x <= 0.0) & (slope < 0.0)) | ((x >= 1.0) & (slope > 0.0)))
        uphill = slope * free
        step = np.einsum("bij,bj->bi", curvature, uphill) * free
        lost = np.einsum("bi,bi->b", step, uphill) <= 0.0
        step[lost] = uphill[lost] * (0.1 / size[lost])[:, None]
        ahead = np.clip(x + length[:, None] * step, 0.0, 1.0)
        move = ahead - x
        if np.abs(move).max() < 1e-7:
            break
        new_value, new_slope = surface.with_gradient(ahead)
        good = new_value > value + 1e-4 * np.einsum("bi,bi->b", slope, move)
        _update(curvature, untouched, move, slope - new_slope, good)
        x[good], value[good], slope[good] = ahead[good], new_value[good], new_slope[good]
        length = np.where(good, 1.0, 0.25 * length)
    return x


def _update(
    curvature: Array, untouched: NDArray[np.bool_], move: Array, change: Array, good: NDArray[np.bool_]
) -> None:
    """The BFGS update of (b, d, d) inverse Hessians, in place, where a step was good and curvature is positive."""
    product = np.einsum("bi,bi->b", move, change)
    rows = np.flatnonzero(good & (product > 1e-12))
    if len(rows) == 0:
        return
    s, y, rho = move[rows], change[rows], 1.0 / product[rows]
    first = untouched[rows]
    scale = product[rows] / np.einsum("bi,bi->b", y, y)
    start = np.where(first[:, None, None], np.eye(s.shape[1]) * scale[:, None, None], curvature[rows])
    left = np.eye(s.shape[1]) - rho[:, None, None] * s[:, :, None] * y[:, None, :]
    curvature[rows] = left @ start @ left.transpose(0, 2, 1) + rho[:, None, None] * s[:, :, None] * s[:, None, :]
    untouched[rows] = False
