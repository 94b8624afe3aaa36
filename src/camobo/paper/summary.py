"""The summary of an experiment's runs: what tables and claims are made from, as plain numbers in a file."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from camobo.acquisition.pareto import on_front
from camobo.arrays import Array
from camobo.cost.order import Order
from camobo.errors import InvalidOptionError, InvalidValueError
from camobo.paper import regret
from camobo.paper.departures import SCRIPT
from camobo.paper.experiments import METHODS, Experiment, Method, experiment
from camobo.paper.folder import Record, Setting, machine, read_json, write_json
from camobo.paper.results import Curves, signs_of

_SUMMARY = "summary.json"
_EARLY = 10  # the first 1/10 of the iterations is early
_STEPS = 40  # at which the sums of inputs are compared


def summarise(folder: Path, setting: Setting, found: Mapping[Method, Curves]) -> dict[str, Any]:
    """Write and return the summary of a folder: lists of numbers, one entry per run."""
    given = experiment(setting.experiment, setting.options)
    summary = {
        "setting": asdict(setting),
        "title": given.title,
        "inputs": list(Order.parse(given.order).names),
        "machine": machine(),
        "methods": {method: _numbers(curve) | _front_numbers(given, curve, found) for method, curve in found.items()},
    }
    write_json(folder / _SUMMARY, summary)
    return summary


def _front_numbers(given: Experiment, own: Curves, found: Mapping[Method, Curves]) -> dict[str, Any]:
    """Where the fronts of error and time lie, per run.

    The number of points above and below the middle error of the front of all runs, and their use of the most expensive
    input.
    """
    names = list(given.objectives)
    if "error" not in names:
        return {}
    column, signs = names.index("error"), signs_of(given)
    top = given.space.names.index(Order.parse(given.order).names[0])

    def front(records: Sequence[Record]) -> tuple[Array, Array]:
        units = np.vstack([part for record in records for part in (record.first_units, record.units)])
        values = np.vstack([part for record in records for part in (record.first_values, record.values)])
        kept = on_front(signs * values)
        return values[kept, column], given.space.expense(units[kept])[:, top]

    errors, _ = front([record for curve in found.values() for record in curve.records])
    middle = (errors.min() + errors.max()) / 2.0
    each = [front([record]) for record in own.records]
    return {
        "front_high_error": [int((errors > middle).sum()) for errors, _ in each],
        "front_low_error": [int((errors <= middle).sum()) for errors, _ in each],
        "front_use": [round(float(levels.mean()), 4) for _, levels in each],
        "front_cheap": [round(float((levels < 0.5).mean()), 4) for _, levels in each],
    }


def _numbers(found: Curves) -> dict[str, Any]:
    early = max(0, found.near.shape[1] // _EARLY - 1)
    seconds = np.stack([record.seconds for record in found.records])
    numbers: dict[str, Any] = {
        "runs": [record.run for record in found.records],
        "use": found.use[:, -1].round(3).tolist(),
        "use_front": found.use_front.round(3).tolist(),
        **_margins(found.use),
        "never_disordered": np.all(np.diff(found.use, axis=2) >= 0.0, axis=(1, 2)).tolist(),
        "near": found.near[:, -1].round(5).tolist(),
        "mapped": found.mapped[:, -1].round(5).tolist(),
        "early_mapped": found.mapped[:, early].round(5).tolist(),
        "money": found.money[:, -1].round(3).tolist(),
        "milliseconds": _growth(seconds),
        "milliseconds_mean": round(1e3 * float(seconds.mean()), 2),
        "core_seconds": round(sum(record.whole for record in found.records), 1),
    }
    if found.regrets is not None:
        average = regret.average(found.regrets)
        numbers |= {
            "regret": regret.cumulative(found.regrets)[:, -1].round(4).tolist(),
            "early_average_regret": average[:, early].round(5).tolist(),
            "average_regret": average[:, -1].round(5).tolist(),
        }
    if found.own_regrets is not None and found.bounds is not None:
        own, bounds = regret.cumulative(found.own_regrets), found.bounds
        numbers |= {
            "own_regret": own[:, -1].round(4).tolist(),
            "bound": bounds[:, -1].round(3).tolist(),
            "below_bound": np.all(own <= bounds, axis=1).tolist(),
        }
    return numbers


def _margins(use: Array) -> dict[str, Any]:
    """Means and standard errors of Σ x_{j+1} − Σ x_j for (R, T, k) sums, at some t: is the order kept at every step?"""
    steps = np.unique(np.geomspace(1, use.shape[1], _STEPS).round().astype(int))
    gaps = np.diff(use[:, steps - 1], axis=2)
    errors = gaps.std(axis=0, ddof=1) / math.sqrt(len(gaps)) if len(gaps) > 1 else np.zeros(gaps.shape[1:])
    return {
        "gap_at": steps.tolist(),
        "gap": gaps.mean(axis=0).T.round(3).tolist(),
        "gap_error": errors.T.round(4).tolist(),
    }


def _growth(seconds: Array) -> dict[str, float]:
    """Milliseconds per suggestion at t = 50, 100, …: means over the last ten, so that each holds one refit."""
    ends = [*range(50, seconds.shape[1], 50), seconds.shape[1]]
    return {str(t): round(1e3 * float(seconds[:, max(0, t - 10) : t].mean()), 2) for t in ends}


def read_summaries(folder: Path) -> list[dict[str, Any]]:
    """The summaries in a folder or in its subfolders."""
    paths = sorted({*folder.glob(_SUMMARY), *folder.glob(f"*/{_SUMMARY}")}) if folder.is_dir() else []
    if not paths:
        raise InvalidValueError(
            f"{str(folder)!r}: no {_SUMMARY} in it or its subfolders. Run an experiment first: "
            f"camobo paper zdt3 --out {folder}/zdt3"
        )
    found = []
    for path in paths:
        advice = f"Make it again from its runs: camobo paper redraw {path.parent}"
        summary = read_json(path, advice)
        if not _is_complete(summary):
            raise InvalidValueError(f"{path}: not the summary of an experiment, or an outdated one. {advice}")
        found.append(summary)
    return found


def _is_complete(summary: Mapping[str, Any]) -> bool:
    """Whether a summary has everything that a table and the claims need."""
    try:
        setting, methods = Setting(**summary["setting"]), summary["methods"]
        per_run = ["use", "use_front", "near", "mapped", "early_mapped", "money", "never_disordered"]
        of_algorithm_1 = []
        given = experiment(setting.experiment, setting.options)
        if "error" in given.objectives:
            per_run += ["front_high_error", "front_low_error", "front_use", "front_cheap"]
        if given.function is not None and "model" not in setting.departures:
            of_algorithm_1 = ["early_average_regret", "average_regret", "own_regret", "bound", "below_bound"]
        needed = {method: per_run + (of_algorithm_1 if method != "default" else []) for method in methods}
        return (
            all(isinstance(name, str) for name in (summary["title"], summary["machine"], *summary["inputs"]))
            and 0 < len(methods) == len(set(methods) & set(METHODS))
            and all(len(n[key]) == len(n["runs"]) > 0 for method, n in methods.items() for key in needed[method])
            and all(len(row) == len(n["gap_at"]) for n in methods.values() for row in (*n["gap"], *n["gap_error"]))
            and all(n["milliseconds"] and float(n["milliseconds_mean"]) >= 0.0 for n in methods.values())
            and all(float(n["core_seconds"]) >= 0.0 for n in methods.values())
        )
    except (KeyError, TypeError, ValueError, AttributeError, InvalidOptionError):
        return False


def departures_in(summary: Mapping[str, Any]) -> tuple[str, ...]:
    """The departures from the text that its runs were made with."""
    return tuple(summary["setting"].get("departures", ()))


def beta_in(summary: Mapping[str, Any]) -> str:
    """Which β they were made with."""
    return str(summary["setting"].get("beta", "practical"))


def by_text(summary: Mapping[str, Any]) -> bool:
    """Whether runs follow the paper's text, with the practical β and the functions as they are meant."""
    options = summary["setting"]["options"]
    meant = options.get("booth", "standard") == "standard" and options.get("g", "standard") == "standard"
    return meant and not departures_in(summary) and beta_in(summary) == "practical"


def by_script(summary: Mapping[str, Any]) -> bool:
    """Whether runs follow the authors' script in everything."""
    meant = summary["setting"]["options"].get("g", "script") == "script"
    return meant and departures_in(summary) == SCRIPT and beta_in(summary) == "theory"


def g_of_script(summary: Mapping[str, Any]) -> bool:
    """Whether ZDT3 has the constant of the authors' script."""
    return bool(summary["setting"]["options"].get("g") == "script")
