"""The best point of an acquisition over a space with real, integer and categorical inputs.

First a batch of candidates: spread over the whole cube, around the best points so far, and along the edges of the cheap
corner. Then the best few are refined together: continuous inputs by batched quasi-Newton ascent, the others by trying
their neighbours. A small finite space is searched exhaustively instead.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping

import numpy as np

from camobo.acquisition.ascent import ascend
from camobo.acquisition.surface import Section, Surface
from camobo.arrays import Array
from camobo.errors import InvalidSpaceError, InvalidValueError, SpaceExhausted
from camobo.space.region import Region
from camobo.space.space import SAME, Space, is_new

_EXHAUSTIVE = 2000  # points: larger spaces are searched faster by candidates and neighbours
_LISTED = 1_000_000  # points: a finite space up to this size is listed before it counts as exhausted
_SPREAD, _NEAR, _REDRAWN, _ON_EDGES, _REFINED, _LAST_RESORT = 256, 128, 64, 64, 5, 5000
_APART = 0.05  # starts of the refinement closer than this in every input would climb the same hill
_ASCENT_STEPS, _NEIGHBOUR_ROUNDS = 14, 32


def maximise(
    surface: Surface,
    space: Space,
    *,
    best: Array,
    taken: Array,
    rng: np.random.Generator,
    apart: float = 0.0,
    fixed: Mapping[str, float] | None = None,
) -> Array:
    """(d,) the best point found that is none of the (n, d) `taken` ones; `best` are (m, d) points to search around.

    apart: the result differs from every taken point by at least this in one input, if there is such a point.
    fixed: unit-cube coordinates, by name, of inputs to leave as they are; at least one input must remain free.
    """
    if fixed:
        return _with_fixed(surface, space, best=best, taken=taken, rng=rng, apart=apart, fixed=fixed)
    if space.size <= _EXHAUSTIVE:
        return _best_untaken(surface, space, taken)
    region = space.region
    candidates = region.settle(candidate_points(space, best, rng))
    candidates = candidates[np.argsort(-surface(candidates), kind="stable")]
    found = region.settle(_refine(surface, space, _spread_out(candidates, _REFINED)))
    found = found[np.argsort(-surface(found), kind="stable")]
    for distance in (max(apart, SAME), SAME):
        for point in itertools.chain(found, candidates):
            if is_new(point, taken, distance):
                return np.asarray(point)
    for point in region.sample(_LAST_RESORT, rng):
        if is_new(point, taken):
            return np.asarray(point)
    if space.size <= _LISTED:
        return _best_untaken(surface, space, taken)
    size = f" {space.size:.0f}" if math.isfinite(space.size) else ""
    raise SpaceExhausted(
        f"nearly all{size} points of this space have been suggested: none of {_LAST_RESORT} random points was new."
    )


def _with_fixed(
    surface: Surface,
    space: Space,
    *,
    best: Array,
    taken: Array,
    rng: np.random.Generator,
    apart: float,
    fixed: Mapping[str, float],
) -> Array:
    """`maximise` over the free inputs; only points that agree in the fixed inputs count as taken."""
    point = np.array([fixed.get(name, 0.0) for name in space.names])
    free = np.array([name not in fixed for name in space.names])
    here = np.abs(taken - point)[:, ~free].max(axis=1, initial=0.0) <= SAME
    section = Section(surface, point.copy(), free)
    free_space = _free_space(space, fixed)
    try:
        point[free] = maximise(
            section, free_space, best=best[:, free], taken=taken[here][:, free], rng=rng, apart=apart
        )
    except SpaceExhausted:
        raise SpaceExhausted(
            f"every point with these values of {', '.join(fixed)} has been suggested. "
            "Fix fewer inputs, or fix them at other values."
        ) from None
    return point


def _free_space(space: Space, fixed: Mapping[str, float]) -> Space:
    try:
        return space.given(fixed)
    except InvalidSpaceError as error:
        raise InvalidValueError(
            f"with {', '.join(fixed)} as given, {error.message.removeprefix('constraints: ')}"
        ) from error


def _best_untaken(surface: Surface, space: Space, taken: Array) -> Array:
    """(d,) the best point of a finite space that is none of the (n, d) `taken` ones."""
    known = {point.tobytes() for point in _rounded(taken)}  # a point off the grid blocks none of it
    grid = space.grid()
    untaken = grid[[point.tobytes() not in known for point in _rounded(grid)]]
    if len(untaken) == 0:
        raise SpaceExhausted(
            f"all {space.size:.0f} points of this space have been suggested. The front is the result. "
            "To continue, create a study with a wider input and add these trials to it."
        )
    return np.asarray(untaken[np.argmax(surface(untaken))])


def _rounded(points: Array) -> Array:
    """Points rounded so that those which differ only by rounding errors become equal; −0 becomes 0."""
    return np.asarray(np.round(points, 9) + 0.0)


def candidate_points(space: Space, best: Array, rng: np.random.Generator) -> Array:
    """(c, d) candidates: everywhere, around the (m, d) best points, towards the cheap corner and along its edges.

    Some are best points with one input redrawn: the best value of an input often does not depend on the others.
    """
    d = space.dimension
    spread = space.region.spread(_SPREAD, rng)
    centres = best[rng.integers(len(best), size=_NEAR + _REDRAWN)] if len(best) else rng.random((_NEAR + _REDRAWN, d))
    scale = 10.0 ** rng.uniform(-3.0, -0.5, size=(_NEAR, 1))
    moved = rng.random((_NEAR, d)) < max(0.3, 2.0 / d)
    near = np.clip(centres[:_NEAR] + scale * moved * rng.standard_normal((_NEAR, d)), 0.0, 1.0)
    redrawn = rng.integers(d, size=(_REDRAWN, 1)) == np.arange(d)
    with_redrawn = np.where(redrawn, rng.random((_REDRAWN, d)), centres[_NEAR:])
    some = spread[: _SPREAD // 4]
    nearer, cornered = rng.random((len(some), 1)), (rng.random(some.shape) < 0.5).astype(np.float64)
    cheaper = np.vstack([space.cheaper(some, nearer), space.cheaper(some, cornered)])
    return np.vstack([spread, near, with_redrawn, cheaper, cheap_edges(space, rng)])


def cheap_edges(space: Space, rng: np.random.Generator) -> Array:
    """(c, d) the vertex where every input is cheapest, and points along each edge from it, including the edge's end.

    Evenly spaced with a random shift per edge: about 64 points in all, at least four per edge.
    """
    d = space.dimension
    count = max(4, _ON_EDGES // d)
    points = np.tile(space.cheapest(), (1 + d * count, 1))
    for j in range(d):
        points[1 + j * count : (j + 1) * count, j] = (np.arange(1, count) - rng.random()) / (count - 1)
        points[(j + 1) * count, j] = 1.0 if points[0, j] < 0.5 else 0.0
    return space.snap(points)


def _spread_out(ranked: Array, count: int) -> Array:
    """The first `count` of (c, d) ranked points, skipping those close to one already chosen."""
    chosen: list[Array] = []
    for point in ranked:
        if all(np.abs(point - other).max() > _APART for other in chosen):
            chosen.append(point)
        if len(chosen) == count:
            break
    return np.array(chosen)


def _refine(surface: Surface, space: Space, starts: Array) -> Array:
    """The starts, moved uphill; each ends at least as high on the exact surface as it started."""
    smooth, region = surface.softened(), space.region

    def climbed(points: Array, steps: int) -> Array:
        ground = region.ground(points)
        return _higher(surface, points, ascend(smooth, points, steps=steps, ground=ground))

    points = starts
    if space.continuous.any():
        points = climbed(points, _ASCENT_STEPS)
    if region.stepped:
        unmoved = 0
        for turn in range(_NEIGHBOUR_ROUNDS):
            moved = _best_neighbours(surface, region, points, turn)
            unmoved = unmoved + 1 if np.array_equal(moved, points) else 0
            if unmoved == region.turns:
                break
            points = moved
        if space.continuous.any():
            points = climbed(points, _ASCENT_STEPS // 2)
    return points


def _higher(surface: Surface, old: Array, new: Array) -> Array:
    """(b, d) the higher of each pair of points."""
    before, after = np.split(surface(np.vstack([old, new])), 2)
    return np.where((after > before)[:, None], new, old)


def _best_neighbours(surface: Surface, region: Region, points: Array, turn: int) -> Array:
    """(b, d) for each point, the best among itself and its neighbours of a turn."""
    around = [np.vstack(each) for each in zip(points, region.neighbours(points, turn), strict=True)]
    values = np.split(surface(np.vstack(around)), np.cumsum([len(rows) for rows in around])[:-1])
    return np.array([rows[np.argmax(value)] for rows, value in zip(around, values, strict=True)])
