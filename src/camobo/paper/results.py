"""What the runs of a folder come to: curves over the iterations, and the summary that a table is made from.

Two hypervolumes, each as a share of the best possible:

    mapped    the paper's: objectives mapped to [0, 1] over their whole range, reference at the worst corner
    near      reference a tenth of the front's range beyond the front: separates fronts that are equal by the first
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from camobo.acquisition.pareto import hypervolume, on_front
from camobo.arrays import Array
from camobo.cost.order import Order
from camobo.errors import InvalidOptionError, InvalidValueError
from camobo.paper import regret
from camobo.paper.experiments import METHODS, Experiment, Method, experiment
from camobo.paper.folder import Record, Setting, machine, read_json, write_json
from camobo.paper.runs import surveyed

_SUMMARY = "summary.json"
_PER_POINT = 0.1  # cost per point whatever its inputs, as a share of the sum of the prices
_EARLY = 10  # the first 1/10 of the iterations is early


@dataclass(frozen=True, slots=True)
class Curves:
    """R runs of a method over T iterations. k is the number of inputs in the order, most expensive first."""

    records: tuple[Record, ...]
    use: Array
    """(R, T, k) the sum so far of each input in the order, mapped to [0, 1]."""
    near: Array
    """(R, T) hypervolume near the front, as a share of the best."""
    mapped: Array
    """(R, T) the paper's hypervolume, as a share of the best."""
    money: Array
    """(R, T) money spent so far, by hidden prices: each half that of the next more expensive input."""
    regrets: Array | None
    """(R, T) like `own_regrets` and `bounds`; None where there are none."""
    own_regrets: Array | None
    bounds: Array | None


@dataclass(frozen=True, slots=True)
class Scale:
    """What (M,) values, larger is better, are compared with: their range, the near reference, the best volumes."""

    worst: Array
    best: Array
    reference: Array
    near_volume: float
    mapped_volume: float


def money(levels: Array) -> Array:
    """(…, T) money spent so far for (…, T, k) levels, most expensive input first.

    Prices are 2^(k−j), scaled to sum to one, plus 0.1 per point.

    >>> money(np.array([[1.0, 0.0], [0.0, 1.0]])).round(3)
    array([0.767, 1.2  ])
    """
    k = levels.shape[-1]
    prices = 2.0 ** -np.arange(k)
    return np.asarray(np.cumsum(levels @ (prices / prices.sum()) + _PER_POINT, axis=-1))


def curves(records: Sequence[Record], setting: Setting) -> dict[Method, Curves]:
    """The curves of every method with runs."""
    given = experiment(setting.experiment, setting.options)
    scale = scale_of(given, setting, records)
    by_method: dict[Method, list[Record]] = {}
    for record in records:
        by_method.setdefault(record.method, []).append(record)
    return {method: _curves(given, scale, by_method[method]) for method in METHODS if method in by_method}


def signs_of(given: Experiment) -> Array:
    """(M,) 1 for objectives to maximise, −1 for those to minimise."""
    return np.array([1.0 if goal == "max" else -1.0 for goal in given.objectives.values()])


def scale_of(given: Experiment, setting: Setting, records: Sequence[Record]) -> Scale:
    """The scale from the problem's formula; without one, from everything measured in any run."""
    signs = signs_of(given)
    if given.function is not None and given.reference is not None and given.best_hypervolume is not None:
        survey = surveyed(given.name, tuple(sorted(setting.options.items())))
        zero = np.zeros(len(signs))
        volume = 1.0 if len(signs) == 1 else hypervolume(survey.values, zero)
        return Scale(survey.worst, survey.best, signs * np.array(given.reference), given.best_hypervolume, volume)
    values = signs * np.vstack([part for record in records for part in (record.first_values, record.values)])
    front = values[on_front(values)]
    reference = front.min(axis=0) - 0.1 * np.maximum(front.max(axis=0) - front.min(axis=0), 1e-12)
    worst, best = values.min(axis=0), np.maximum(values.max(axis=0), values.min(axis=0) + 1e-12)
    mapped = (front - worst) / (best - worst)
    return Scale(worst, best, reference, hypervolume(front, reference), hypervolume(mapped, np.zeros(len(signs))))


def _curves(given: Experiment, scale: Scale, records: list[Record]) -> Curves:
    columns = Order.parse(given.order).columns(given.space.names)
    levels = np.stack([given.space.expense(record.units)[:, columns] for record in records])
    volumes = [_volumes(record, signs_of(given), scale) for record in records]

    def stacked(name: str) -> Array | None:
        rows = [getattr(record, name) for record in records]
        return None if rows[0] is None else np.stack(rows)

    return Curves(
        tuple(records),
        np.cumsum(levels, axis=1),
        np.stack([near for near, _ in volumes]),
        np.stack([mapped for _, mapped in volumes]),
        money(levels),
        stacked("regrets"),
        stacked("own_regrets"),
        stacked("bound"),
    )


def _volumes(record: Record, signs: Array, scale: Scale) -> tuple[Array, Array]:
    """(T,) near and mapped hypervolume after each iteration, as shares of the best."""
    first, later = signs * record.first_values, signs * record.values
    front = first[on_front(first)]
    near, mapped = np.empty(len(later)), np.empty(len(later))
    zero, span = np.zeros(len(signs)), scale.best - scale.worst
    for t, value in enumerate(later):
        improves = not np.any(np.all(front >= value, axis=1))
        if improves:
            front = np.vstack([front[~np.all(value >= front, axis=1)], value])
        if improves or t == 0:
            near[t] = hypervolume(front, scale.reference) / scale.near_volume
            mapped[t] = hypervolume((front - scale.worst) / span, zero) / scale.mapped_volume
        else:
            near[t], mapped[t] = near[t - 1], mapped[t - 1]
    return near, mapped


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
        "never_disordered": np.all(np.diff(found.use, axis=2) >= 0.0, axis=(1, 2)).tolist(),
        "near": found.near[:, -1].round(5).tolist(),
        "mapped": found.mapped[:, -1].round(5).tolist(),
        "early_mapped": found.mapped[:, early].round(5).tolist(),
        "money": found.money[:, -1].round(3).tolist(),
        "milliseconds": _growth(seconds),
        "milliseconds_mean": round(1e3 * float(seconds.mean()), 2),
        "core_seconds": round(sum(record.whole for record in found.records), 1),
    }
    if found.regrets is not None and found.own_regrets is not None and found.bounds is not None:
        own, bounds = regret.cumulative(found.own_regrets), found.bounds
        numbers |= {
            "regret": regret.cumulative(found.regrets)[:, -1].round(4).tolist(),
            "early_average_regret": regret.average(found.regrets)[:, early].round(5).tolist(),
            "average_regret": regret.average(found.regrets)[:, -1].round(5).tolist(),
            "own_regret": own[:, -1].round(4).tolist(),
            "bound": bounds[:, -1].round(3).tolist(),
            "below_bound": np.all(own <= bounds, axis=1).tolist(),
        }
    return numbers


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
        per_run = ["use", "near", "mapped", "early_mapped", "money", "never_disordered"]
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
            and all(n["milliseconds"] and float(n["core_seconds"]) >= 0.0 for n in methods.values())
        )
    except (KeyError, TypeError, ValueError, AttributeError, InvalidOptionError):
        return False
