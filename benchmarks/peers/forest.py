"""A random forest on digits: its error, its size, and its cost: seconds that were measured once.

    cd benchmarks
    python -m peers.forest                      measure them again (minutes): results/forest_seconds.json

Processor seconds depend on the machine and its load: measured anew each time, the same five points were up to 1.6 times
as expensive in one run as in another. So forests were timed once on a grid, and others are charged by interpolation.
With a new grid, all runs of the forest have to be made again.
"""

from __future__ import annotations

import functools
import itertools
import json
import time
from typing import Any

import numpy as np
from scipy.interpolate import RegularGridInterpolator

from camobo.problems.functions import Floats
from peers.records import RESULTS

INPUTS = 3
FILE = RESULTS / "forest_seconds.json"
GRID, PASSES, CHECKS = 5, 3, 30


def sizes(unit: Floats) -> tuple[int, float, int]:
    """Number of trees, share of features per split, and depth, at a (3,) point of the unit cube."""
    return round(4 * 50 ** unit[0]), 0.05 + 0.95 * float(unit[1]), round(2 + 18 * unit[2])


@functools.cache
def _digits() -> tuple[Any, Any]:
    from sklearn.datasets import load_digits

    features, labels = load_digits(return_X_y=True)
    return features, labels


def evaluate(unit: Floats) -> Floats:
    """(2,) error in cross-validation, and log10 of the most nodes that a prediction visits."""
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.model_selection import cross_val_score

    trees, share, depth = sizes(unit)
    forest = RandomForestClassifier(trees, max_features=share, max_depth=depth, random_state=0)
    error = 1.0 - float(cross_val_score(forest, *_digits(), cv=3).mean())
    return np.array([error, np.log10(trees * depth)])


def seconds(unit: Floats) -> float:
    """Seconds to evaluate a (3,) point, interpolated on the grid."""
    return float(np.exp(_logarithms()(unit[None])[0]))


@functools.cache
def _logarithms() -> RegularGridInterpolator:
    return _between(np.array(json.loads(FILE.read_text())["seconds"]))


def _between(measured: Floats) -> RegularGridInterpolator:
    return RegularGridInterpolator([np.linspace(0.0, 1.0, GRID)] * INPUTS, np.log(measured))


def _timed(unit: Floats) -> float:
    start = time.process_time()
    evaluate(unit)
    return time.process_time() - start


def main() -> None:
    """Time every forest of the grid, the shortest of a few passes each; check the interpolation at random points."""
    evaluate(np.zeros(INPUTS))  # imports and data
    points = np.array(list(itertools.product(np.linspace(0.0, 1.0, GRID), repeat=INPUTS)))
    measured = np.min([[_timed(unit) for unit in points] for _ in range(PASSES)], axis=0)
    table = measured.reshape([GRID] * INPUTS)
    others = np.random.default_rng(0).random((CHECKS, INPUTS))
    told = np.exp(_between(table)(others))
    found = np.min([[_timed(unit) for unit in others] for _ in range(PASSES)], axis=0)
    off = np.abs(told / found - 1.0)
    how_far = {"points": CHECKS, "median": round(float(np.median(off)), 3), "most": round(float(off.max()), 3)}
    record = {
        "what": "processor seconds at even levels of trees, share of features and depth",
        "seconds": np.round(table, 4).tolist(),
        "off at random points": how_far,
    }
    FILE.write_text(json.dumps(record, indent=1) + "\n")
    print(f"{table.min():.3f} to {table.max():.3f} s; off at random points: {how_far}")


if __name__ == "__main__":
    main()
