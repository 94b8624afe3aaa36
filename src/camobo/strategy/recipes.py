"""How each method fits its models: when hyper-parameters are refitted, on which data, with which kernels."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from camobo.acquisition.pareto import on_front
from camobo.arrays import Array, evenly
from camobo.model.fitting import fit
from camobo.model.gp import GP
from camobo.model.hyper import VAGUE, Prior
from camobo.model.models import Models, update_models
from camobo.model.transforms import of_constraint, of_objective, plain
from camobo.strategy.plan import Data, Plan

_MODELLED = 2000  # observations: a model of more would take minutes and gigabytes
_TO_BE_SMOOTH = 5  # observations per feature: with fewer, a smooth model is overconfident beyond them


OutcomeFit: TypeAlias = Callable[[Array, Array, bool], GP]
"""The model of one outcome from (n, f) features and (n,) values; whether it is an objective or a constraint."""


@dataclass(frozen=True, slots=True)
class _Recipe:
    """How the models of a plan are fitted."""

    objectives: int
    fitted_on: Callable[[int], int]
    """How many of so many observations hyper-parameters are fitted on."""
    outcome_fit: OutcomeFit

    def modelled(self, values: Array) -> NDArray[np.intp]:
        """Which of (n, M + K) observations the models are fitted on."""
        return modelled(values[:, : self.objectives])

    def fit(self, outcome: int, features: Array, values: Array) -> GP:
        """The model of one objective or constraint."""
        return self.outcome_fit(features, values, outcome < self.objectives)


def fitted_models(
    plan: Plan, data: Data, cached: Models | None, outcome_fit: OutcomeFit, fitted_on: Callable[[int], int]
) -> Models:
    """One model per outcome, of all the data, refitted when `fitted_on` says. A cache that matches saves the fits."""
    recipe = _Recipe(len(plan.objectives), fitted_on, outcome_fit)
    return update_models(recipe, data.units, plan.space.features(data.units), data.values, cached)


def adaptive_fit(features: Array, values: Array, is_objective: bool) -> GP:
    """Matérn 5/2, or squared exponential if that has more evidence and there are enough observations to decide.

    A short-sighted model is replaced by one for outcomes with many humps. Outliers are compressed.
    """
    standard = of_objective(values) if is_objective else of_constraint(values)
    rough = fit(features, values, kernel="matern52", standard=standard)
    if rough.short_sighted:
        return fit(features, values, kernel="humps", standard=standard)
    if len(values) < _TO_BE_SMOOTH * features.shape[1]:
        return rough
    prior = Prior(features.shape[1])
    smooth = fit(features, values, kernel="se", standard=standard)
    return smooth if smooth.log_evidence(prior) > rough.log_evidence(prior) else rough


def paper_fit(features: Array, values: Array, is_objective: bool) -> GP:
    """The paper's: squared exponential, mean zero, values not compressed."""
    return fit(features, values, kernel="se", mean="zero", lengths=VAGUE, standard=plain(values))


def modelled(values: Array) -> NDArray[np.intp]:
    """Which of (n, M) observations a model is fitted on: all up to 2000; beyond, the front and evenly spaced others.

    At most half of them are from the front, evenly spaced if it is larger.
    """
    n = len(values)
    if n <= _MODELLED:
        return np.arange(n)
    front = np.flatnonzero(on_front(values))
    front = front[evenly(len(front), _MODELLED // 2)]
    rest = np.setdiff1d(np.arange(n), front)
    return np.sort(np.concatenate([front, rest[evenly(len(rest), _MODELLED - len(front))]]))
