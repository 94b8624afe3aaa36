"""The models of a study: one Gaussian process an outcome, fitted now and then, appended to in between.

    update_models(plan, data, cached) ──> refit_point: how many observations hyper-parameters are fitted on
                                      ──> modelled: which of them, if they are too many
                                      ──> gp.fit, once or twice an outcome; then GP.append for each of the rest

A cache that does not match the data is ignored, and one that does gives bitwise what a fresh start would, because both
fit on the same prefix of the data and append the rest one by one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from camobo import gp
from camobo.inputs import Array
from camobo.pareto import on_front
from camobo.plan import Data, Plan
from camobo.standard import Standard, of_constraint, of_objective, plain

_FEW, _MANY = 10, 200  # observations: when hyper-parameters are fitted, see `refit_point`
_MODELLED = 2000  # observations: beyond, a model of all would take minutes and gigabytes
_TO_BE_SMOOTH = 5  # observations a feature: with fewer, a smooth model is far too sure of what lies beyond them


@dataclass(frozen=True, slots=True)
class Models:
    """One Gaussian process an objective and constraint, and the data they have seen."""

    gps: tuple[gp.GP, ...]
    units: Array
    values: Array
    fitted: int
    """How many observations the hyper-parameters were fitted on."""


def refit_point(count: int, every: int, *, strict: bool) -> int:
    """How many of `count` observations hyper-parameters are fitted on; the rest are appended.

    Few observations are fitted on whenever there is one more: up to ten, or up to `every` if that is less, and not
    `strict` (the paper) up to twice as many. From then on at multiples of `every`, which not `strict` double at 200,
    400, 800 and 1600, or later if that is less than twenty fits: late data hardly moves the hyper-parameters, and a
    fit costs n³.

    >>> [refit_point(n, 10, strict=False) for n in (7, 19, 27, 199, 219, 799, 9999)]
    [7, 19, 20, 190, 200, 760, 9920]
    >>> [refit_point(n, 50, strict=False) for n in (7, 19, 27, 49, 99, 199)]
    [7, 19, 20, 20, 50, 150]
    """
    few = min(every, _FEW) if strict else 2 * min(every, _FEW)
    if count < few:
        return count
    plenty = max(_MANY, 20 * every)
    doublings = 0 if strict else sum(count >= plenty * 2**k for k in range(4))
    return max(few, count - count % (every << doublings))


def update_models(plan: Plan, data: Data, cached: Models | None) -> Models:
    """Models of all the data, from the cache where it fits."""
    fitted = refit_point(len(data.units), plan.refit_every, strict=plan.method == "paper")
    features, kept = plan.space.features(data.units), modelled(data.values[:fitted, : len(plan.objectives)])
    if cached is not None and cached.fitted == fitted and _is_prefix(cached, data):
        gps, known = cached.gps, len(cached.units)
    else:
        gps = tuple(_fitted(plan, m, features[kept], data.values[kept, m]) for m in range(data.values.shape[1]))
        known = fitted
    for i in range(known, len(data.units)):
        gps = tuple(model.append(features[i], data.values[i, m]) for m, model in enumerate(gps))
    return Models(gps, data.units, data.values, fitted)


def _fitted(plan: Plan, m: int, features: Array, values: Array) -> gp.GP:
    """The model of outcome m: rough, or smooth if that explains what was seen better and enough was seen to tell.

    One that turns out short-sighted is made again for an outcome with many humps.
    """
    standard = _standard(plan, m, values)
    if plan.method == "paper":
        return gp.fit(features, values, kernel="se", mean="zero", standard=standard)
    rough = gp.fit(features, values, kernel="matern52", standard=standard)
    if rough.short_sighted:
        return gp.fit(features, values, kernel="humps", standard=standard)
    if len(values) < _TO_BE_SMOOTH * features.shape[1]:
        return rough
    smooth = gp.fit(features, values, kernel="se", standard=standard)
    return smooth if smooth.log_evidence > rough.log_evidence else rough


def _standard(plan: Plan, m: int, values: Array) -> Standard:
    """How the model of outcome m, an objective or a constraint, sees its values."""
    if plan.method == "paper":
        return plain(values)
    return of_objective(values) if m < len(plan.objectives) else of_constraint(values)


def modelled(values: Array) -> NDArray[np.intp]:
    """Which of (n, M) observations a model is fitted on: all up to 2000; beyond, the front and evenly spaced others.

    Half of them at most are of the front, evenly spaced if it is larger.
    """
    n = len(values)
    if n <= _MODELLED:
        return np.arange(n)
    front = np.flatnonzero(on_front(values))
    front = front[gp.evenly(len(front), _MODELLED // 2)]
    rest = np.setdiff1d(np.arange(n), front)
    return np.sort(np.concatenate([front, rest[gp.evenly(len(rest), _MODELLED - len(front))]]))


def _is_prefix(models: Models, data: Data) -> bool:
    n = len(models.units)
    return (
        n <= len(data.units)
        and np.array_equal(models.units, data.units[:n])
        and np.array_equal(models.values, data.values[:n])
    )
