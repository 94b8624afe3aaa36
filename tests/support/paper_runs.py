"""Made-up runs and summaries of the paper's experiments."""

from __future__ import annotations

from typing import Any

import numpy as np

from camobo.paper.experiments import Method, experiment
from camobo.paper.folder import Record, Setting

RUNS = 20


def record(setting: Setting, method: Method = "paper", run: int = 0) -> Record:
    """A run that nobody made: random points, values by the formula, or random ones where there is none."""
    given = experiment(setting.experiment, setting.options)
    rng = np.random.default_rng([run, len(method)])
    T, d = setting.iterations, given.space.dimension
    first, units = given.space.snap(rng.random((d + 1, d))), given.space.snap(rng.random((T, d)))
    formula = given.function is not None
    values = [
        given.function(u) if given.function else rng.random((len(u), len(given.objectives))) for u in (first, units)
    ]
    regrets = [rng.random(T), rng.random(T), np.full(T, 100.0)] if formula else [None, None, None]
    return Record(method, run, first, values[0], units, values[1], np.full(T, 0.01), 1.0, *regrets)


def numbers(use: tuple[float, ...], near: float = 0.9, mapped: float = 0.99, **more: Any) -> dict[str, Any]:
    """The numbers of a method's twenty runs, which differ a little."""
    spread = np.linspace(-0.01, 0.01, RUNS)
    return {
        "runs": list(range(RUNS)),
        "use": [[x * (1 + s) for x in use] for s in spread],
        "near": (near + 0.1 * spread).tolist(),
        "mapped": (mapped + 0.1 * spread).tolist(),
        "early_mapped": (0.5 + spread).tolist(),
        "money": (sum(use) * (1 + spread)).tolist(),
        "milliseconds": {"50": 5.0, "100": 10.0},
        "milliseconds_mean": 7.0,
        "core_seconds": 60.0,
        "regret": [1.0] * RUNS,
        "early_average_regret": (0.5 + spread).tolist(),
        "average_regret": (0.1 + 0.1 * spread).tolist(),
        "own_regret": [1.0] * RUNS,
        "bound": [100.0] * RUNS,
        "below_bound": [True] * RUNS,
        "never_disordered": [use[0] <= use[1]] * RUNS,
    } | more


def summary_of(name: str = "cross-holder", **methods: dict[str, Any]) -> dict[str, Any]:
    """The summary of an experiment with these numbers per method."""
    options: dict[str, Any] = {"booth": "standard"} if name == "matyas-booth" else {}
    return {
        "setting": {"experiment": name, "iterations": 100, "seed": 0, "options": options, "version": "0.1.0"},
        "title": "Cross",
        "inputs": ["x1", "x2"],
        "machine": "a machine",
        "methods": {method.replace("_", "-"): given for method, given in methods.items()},
    }
