"""What points cost by a cost model, and the cheapest one, found by moving one input at a time."""

from __future__ import annotations

import numpy as np

from camobo.arrays import Array
from camobo.cost.protocol import CostModel
from camobo.space.inputs import Categorical
from camobo.space.space import Space

_SWEPT = 33  # values of a number at which its effect on cost is looked up
_ROUNDING = 1e-9
_ROUNDS = 50  # of moving on; where cost is linear in the values, the second changes nothing


def costs_at(model: CostModel, units: Array) -> Array:
    """(n,) expected costs of (n, d) points; infinite where a formula or a function gives none."""
    with np.errstate(over="ignore"):
        return np.exp(model.log_cost(units)) if len(units) else np.zeros(0)


def cheapest_of(model: CostModel, space: Space) -> Array:
    """(d,) the cheapest point: from the cheap end of all inputs, each in turn moved to where it costs least.

    A formula may cost less where an input says it is expensive, and so may what receipts taught. With constraints, the
    cheapest of some points, moved on to where cost, as if it were linear, is least, for as long as that saves.
    """
    if space.constraints:
        return _cheapest_inside(model, space)
    found = space.cheapest()
    for j in range(space.dimension):
        points = along(space, found, j)
        costs = costs_at(model, points)
        at = int(np.argmin(costs))
        if costs[at] < costs_at(model, found[None, :])[0] * (1.0 - _ROUNDING):
            found = points[at]
    return found


def _cheapest_inside(model: CostModel, space: Space) -> Array:
    region = space.region
    points = np.vstack([region.settle(space.cheapest()[None, :]), region.sample(_SWEPT, np.random.default_rng(0))])
    costs = costs_at(model, points)
    found, least = points[int(np.argmin(costs))], float(costs.min())
    for turn in range(_ROUNDS):
        ahead = region.lowest(model.log_cost_slope(found[None, :])[0], found)
        points = np.vstack([ahead, region.neighbours(found[None, :], turn)[0]])
        costs = costs_at(model, points)
        at = int(np.argmin(costs))
        if costs[at] >= least * (1.0 - _ROUNDING):
            break
        found, least = points[at], float(costs[at])
    return np.asarray(found)


def along(space: Space, point: Array, column: int) -> Array:
    """(k, d) points that differ from a (d,) point in one input, over its range."""
    given = list(space.inputs.values())[column]
    values = given.stops() if isinstance(given, Categorical) else np.linspace(0.0, 1.0, _SWEPT)
    points = np.repeat(point[None, :], len(values), axis=0)
    points[:, column] = values
    return space.snap(points)
