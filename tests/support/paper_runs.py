"""Made-up runs and summaries of the paper's experiments."""

from __future__ import annotations

from typing import Any

import numpy as np

from camobo.cost.order import Order
from camobo.paper.departures import Departure
from camobo.paper.experiments import Method, Options, experiment
from camobo.paper.folder import Record, Setting
from camobo.strategy.plan import Beta

RUNS = 20
SPREAD = np.linspace(-0.01, 0.01, RUNS)
"""How much the runs differ."""
GAP_AT = (1, 10, 100)


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
    steps = np.diff(use)[:, None] * np.array(GAP_AT) / GAP_AT[-1]
    return {
        "runs": list(range(RUNS)),
        "use": [[x * (1 + s) for x in use] for s in SPREAD],
        "use_front": [[x * (1 + s) / 2 for x in use] for s in SPREAD],
        "gap_at": list(GAP_AT),
        "gap": steps.tolist(),
        "gap_error": (0.01 * np.abs(steps)).tolist(),
        "near": (near + 0.1 * SPREAD).tolist(),
        "mapped": (mapped + 0.1 * SPREAD).tolist(),
        "early_mapped": (0.5 + SPREAD).tolist(),
        "money": (sum(use) * (1 + SPREAD)).tolist(),
        "milliseconds": {"50": 5.0, "100": 10.0},
        "milliseconds_mean": 7.0,
        "core_seconds": 60.0,
        "regret": [1.0] * RUNS,
        "early_average_regret": (0.5 + SPREAD).tolist(),
        "average_regret": (0.1 + 0.1 * SPREAD).tolist(),
        "own_regret": [1.0] * RUNS,
        "bound": [100.0] * RUNS,
        "below_bound": [True] * RUNS,
        "never_disordered": [use[0] <= use[1]] * RUNS,
    } | more


def first(given: dict[str, Any], runs: int) -> dict[str, Any]:
    """The numbers of the first runs only; the means in them stay."""
    return {k: v[:runs] if isinstance(v, list) and not k.startswith("gap") else v for k, v in given.items()}


def without_regrets(given: dict[str, Any]) -> dict[str, Any]:
    """The numbers of runs that draw no θ: of the default strategy, or of no model."""
    return {key: value for key, value in given.items() if "regret" not in key and "bound" not in key}


def summary_of(
    name: str = "cross-holder",
    *,
    options: Options | None = None,
    beta: Beta = "practical",
    departures: tuple[Departure, ...] = (),
    **methods: dict[str, Any],
) -> dict[str, Any]:
    """The summary of an experiment with these numbers per method, as it is read from a file."""
    options = ({"booth": "standard"} if name == "matyas-booth" else {}) if options is None else dict(options)
    given = experiment(name, options)
    return {
        "setting": {
            "experiment": name,
            "iterations": 100,
            "seed": 0,
            "options": options,
            "beta": beta,
            "departures": list(departures),
            "version": "0.1.0",
        },
        "title": given.title,
        "inputs": list(Order.parse(given.order).names),
        "machine": "a machine",
        "methods": {method.replace("_", "-"): found for method, found in methods.items()},
    }
