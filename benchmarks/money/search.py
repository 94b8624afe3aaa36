"""The front of a problem without a formula for it: quasi-random points, then an evolution of what is not dominated.

Every generation varies the points kept so far: half of the children are a parent moved in some inputs by a step whose
size is drawn between 0.3 and 0.0003, half lie on the line through two parents, or beyond, with such a step added. If
more than `kept` points are not dominated, those in the most crowded places are dropped.
"""

from __future__ import annotations

from collections.abc import Callable

import moocore
import numpy as np

from camobo.space.sampling import quasi_random
from money.case import Floats, volume

GENERATIONS, CHILDREN = 300, 400
POINTS, KEPT = 20_000, 1000
MANY = 20_000
_ODD = np.array([1, 6364136223846793005, 3935559000370003845, 2685821657736338717, 1181783497276652981])


def searched(
    evaluate: Callable[[Floats], Floats],
    inputs: int,
    reference: tuple[float, ...],
    *,
    starts: Floats | None = None,
    points: int = POINTS,
    generations: int = GENERATIONS,
    kept: int = KEPT,
    born: int = CHILDREN,
    seed: int = 0,
) -> Floats:
    """(k, d) points of the unit cube close to the true front, all of them better than `reference` everywhere.

    starts: (n, d) points to begin with, beside `points` quasi-random ones. born: children per generation.
    """
    rng = np.random.default_rng(seed)
    units = quasi_random(points, inputs, rng)
    units = units if starts is None else np.vstack([units, starts])
    units, values = front(units, evaluate(units), reference)
    for _ in range(generations):
        if len(units) == 0:
            raise ValueError("search: no point is better than the reference point. Choose a worse reference point.")
        new = children(units, born, rng)
        units, values = front(np.vstack([units, new]), np.vstack([values, evaluate(new)]), reference)
        units, values = spread(units, values, kept)
    return units


def front(units: Floats, values: Floats, reference: tuple[float, ...]) -> tuple[Floats, Floats]:
    """The points that are not dominated and better than the reference, and their values; equal values count once."""
    inside = (values < np.array(reference)).all(axis=1)
    units, values = units[inside], values[inside]
    if len(units) == 0:
        return units, values
    best = np.asarray(moocore.is_nondominated(values))
    return units[best], values[best]


def children(units: Floats, count: int, rng: np.random.Generator) -> Floats:
    """(count, d) new points made of (n, d) parents."""
    inputs = units.shape[1]
    first, second = (units[rng.integers(len(units), size=count)] for _ in range(2))
    along = np.where(rng.random((count, 1)) < 0.5, rng.uniform(-0.5, 1.5, (count, 1)), 0.0)
    moved = rng.random((count, inputs)) < rng.choice([1.0 / inputs, 0.5, 1.0], (count, 1))
    steps = 10.0 ** rng.uniform(-3.5, -0.5, (count, 1)) * rng.standard_normal((count, inputs))
    return np.clip(first + along * (second - first) + moved * steps, 0.0, 1.0)


def spread(units: Floats, values: Floats, kept: int) -> tuple[Floats, Floats]:
    """About `kept` points: one per cell of a grid as fine as that allows, and the best of each objective."""
    if len(units) <= 1.3 * kept:  # not after every generation: it takes longer than the rest
        return units, values
    low, high = values.min(axis=0), values.max(axis=0)
    scaled = (values - low) / np.where(high > low, high - low, 1.0)
    fine, coarse = 1e-6, 1.0
    for _ in range(12):  # bisection on the width of a cell
        width = float(np.sqrt(fine * coarse))
        if len(_one_per_cell(scaled, width)) > kept:
            fine = width
        else:
            coarse = width
    chosen = np.union1d(_one_per_cell(scaled, coarse), values.argmin(axis=0))
    return units[chosen], values[chosen]


def _one_per_cell(scaled: Floats, width: float) -> Floats:
    """Indices of the lowest sum of values in every cell of a grid."""
    by_sum = np.argsort(scaled.sum(axis=1), kind="stable")
    cells = np.floor(scaled[by_sum] / width).astype(np.int64)
    keys = cells @ _ODD[: cells.shape[1]]  # one number per cell, modulo 2^64: much faster than comparing rows
    _, first = np.unique(keys, return_index=True)
    return np.asarray(by_sum[first])


def best_volume(evaluate: Callable[[Floats], Floats], inputs: int, reference: tuple[float, ...]) -> float:
    """The hypervolume of what two searches find together and a third one refines.

    With more than two objectives a thousand points are too few to fill a front, so the last search keeps many more.
    """
    found = np.vstack([searched(evaluate, inputs, reference, seed=seed) for seed in range(2)])
    if len(reference) == 2:
        return volume(evaluate(searched(evaluate, inputs, reference, starts=found, seed=2)), reference)
    many = searched(evaluate, inputs, reference, starts=found, seed=2, generations=40, kept=MANY, born=MANY // 2)
    return volume(evaluate(many), reference)
