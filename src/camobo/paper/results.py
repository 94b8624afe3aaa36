"""What the runs of a folder come to, over the iterations.

Two hypervolumes, each as a share of the best possible:

    mapped    the paper's: objectives mapped to [0, 1] over their whole range, reference at the worst corner
    near      reference a tenth of the front's range beyond the front: separates fronts that are equal by the first
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from camobo.acquisition.pareto import hypervolume, on_front
from camobo.arrays import Array
from camobo.cost.order import Order
from camobo.paper import regret
from camobo.paper.experiments import METHODS, Experiment, Method, experiment, planned
from camobo.paper.folder import Record, Setting
from camobo.paper.runs import common_discounts, drawn_again, surveyed

_PER_POINT = 0.1  # cost per point whatever its inputs, as a share of the sum of the prices


@dataclass(frozen=True, slots=True)
class Curves:
    """R runs of a method over T iterations. k is the number of inputs in the order, most expensive first."""

    records: tuple[Record, ...]
    use: Array
    """(R, T, k) the sum so far of each input in the order, mapped to [0, 1]."""
    use_front: Array
    """(R, k) the sums over all t of the inputs of the latest member of the front at t, instead of those of x_t."""
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
    found = {method: _curves(given, scale, by_method[method]) for method in METHODS if method in by_method}
    if given.function is not None or setting.departures:
        return found
    return {method: _with_regrets(given, setting, scale, curve, records) for method, curve in found.items()}


def _with_regrets(
    given: Experiment, setting: Setting, scale: Scale, found: Curves, records: Sequence[Record]
) -> Curves:
    """The regrets of Algorithm 1 against the best point that any run measured; as they are for other methods."""
    method = found.records[0].method
    if method == "default":
        return found
    points = np.vstack([part for record in records for part in (record.first_units, record.units)])
    values = _mapped(given, scale, np.vstack([p for record in records for p in (record.first_values, record.values)]))
    kept = on_front(np.hstack([values, -given.space.expense(points)]))
    own, common = [], []
    for record in found.records:
        plan = planned(given, method, setting.iterations, setting.seed + record.run, setting.beta)
        draws = drawn_again(plan, len(record.first_units), setting.iterations)
        weights, scores = np.array([draw.weights for draw in draws]), _mapped(given, scale, record.values)
        given_to = (points[kept], values[kept], record.units, scores, weights)
        own.append(regret.against(*given_to, [draw.discount for draw in draws]))
        common.append(regret.against(*given_to, common_discounts(given, plan, setting.iterations)))
    return replace(found, regrets=np.stack(own if method == "paper" else common), own_regrets=np.stack(own))


def _mapped(given: Experiment, scale: Scale, values: Array) -> Array:
    """(n, M) values mapped to [0, 1], larger is better."""
    return np.clip((signs_of(given) * values - scale.worst) / (scale.best - scale.worst), 0.0, 1.0)


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
        np.stack([_of_latest(given, record)[:, columns].sum(axis=0) for record in records]),
        np.stack([near for near, _ in volumes]),
        np.stack([mapped for _, mapped in volumes]),
        money(levels),
        stacked("regrets"),
        stacked("own_regrets"),
        stacked("bound"),
    )


def _of_latest(given: Experiment, record: Record) -> Array:
    """(T, d) levels, at every t, of the point on the front that was measured last."""
    signs, first = signs_of(given), len(record.first_values)
    values = signs * np.vstack([record.first_values, record.values])
    levels = given.space.expense(np.vstack([record.first_units, record.units]))
    members = set(np.flatnonzero(on_front(values[:first])).tolist())
    latest = []
    for t in range(first, len(values)):
        if not any(np.all(values[i] >= values[t]) for i in members):
            members = {i for i in members if not np.all(values[t] >= values[i])} | {t}
        latest.append(max(members))
    return np.asarray(levels[latest])


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
