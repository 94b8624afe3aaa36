"""The models of a study: one Gaussian process per outcome, refitted at some trials and appended to at the others.

    update_models(recipe, …) ──> recipe.fitted_on: how many observations hyper-parameters are fitted on
                             ──> recipe.modelled:  which of them, if there are too many
                             ──> recipe.fit:       once per outcome; then GP.append once per remaining observation

A cache that does not match the data is ignored. A cache that matches gives bitwise the same models as a fresh start:
both fit on the same prefix of the data and append the rest one by one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from camobo.arrays import Array
from camobo.model.gp import GP

_FEW, _MANY = 10, 200  # observations: when hyper-parameters are fitted, see `refit_point`


class Recipe(Protocol):
    """How to fit the models of a study."""

    def fitted_on(self, count: int) -> int:
        """How many of `count` observations hyper-parameters are fitted on; the rest are appended."""
        ...

    def modelled(self, values: Array) -> NDArray[np.intp]:
        """Indices of the observations to fit on, given (n, outcomes) values."""
        ...

    def fit(self, outcome: int, features: Array, values: Array) -> GP:
        """The model of one outcome from (n, f) features and (n,) values."""
        ...


@dataclass(frozen=True, slots=True)
class Models:
    """One Gaussian process per outcome, and the data they are conditioned on."""

    gps: tuple[GP, ...]
    units: Array
    values: Array
    fitted: int
    """How many observations the hyper-parameters were fitted on."""


def update_models(recipe: Recipe, units: Array, features: Array, values: Array, cached: Models | None) -> Models:
    """Models of (n, d) points with (n, f) features and (n, outcomes) values; a matching cache saves the fit."""
    fitted = recipe.fitted_on(len(units))
    if cached is not None and cached.fitted == fitted and _is_prefix(cached, units, values):
        gps, known = cached.gps, len(cached.units)
    else:
        rows = recipe.modelled(values[:fitted])
        gps = tuple(recipe.fit(m, features[rows], values[rows, m]) for m in range(values.shape[1]))
        known = fitted
    for i in range(known, len(units)):
        gps = tuple(model.append(features[i], values[i, m]) for m, model in enumerate(gps))
    return Models(gps, units, values, fitted)


def _is_prefix(models: Models, units: Array, values: Array) -> bool:
    n = len(models.units)
    return n <= len(units) and np.array_equal(models.units, units[:n]) and np.array_equal(models.values, values[:n])


def refit_point(count: int, every: int = 10) -> int:
    """How many of `count` observations hyper-parameters are fitted on; the rest are appended.

    On all of them up to 20 or, if that is less, twice `every`; then at multiples of `every`. The interval doubles at
    200, 400, 800 and 1600 observations, or at 20, 40, 80 and 160 times `every` if that is later: late data hardly moves
    the hyper-parameters, and a fit costs n³.

    >>> [refit_point(n) for n in (7, 19, 27, 199, 219, 799, 9999)]
    [7, 19, 20, 190, 200, 760, 9920]
    >>> [refit_point(n, 50) for n in (7, 19, 27, 49, 99, 199)]
    [7, 19, 20, 20, 50, 150]
    """
    few = 2 * min(every, _FEW)
    if count < few:
        return count
    plenty = max(_MANY, 20 * every)
    doublings = sum(count >= (plenty << k) for k in range(4))
    return max(few, count - count % (every << doublings))


def refit_regularly(count: int, every: int, first: int) -> int:
    """How many of `count` observations hyper-parameters are fitted on if they are updated at regular intervals.

    >>> [refit_regularly(n, 10, 6) for n in (2, 6, 15, 16, 406)]
    [2, 6, 6, 16, 406]
    """
    return count if count < first else count - (count - first) % every
