"""Why a point was suggested: the suggestion made again, looked at, and made once more without cost."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from camobo.engine import suggest
from camobo.inputs import Array
from camobo.plan import Data, Plan


@dataclass(frozen=True, slots=True)
class Account:
    """Why a point was suggested: what the models expected, what it cost, and the point cost-blindness would give."""

    mean: Array | None
    """(M,) predictions in the objectives' own units; None before there is a model."""
    deviation: Array | None
    utility: float | None
    """Q, before the cost."""
    cost: float | None
    """C in [0, 1), at the moment it was suggested."""
    without_cost: Array | None
    """(d,) what the same call suggests with cost=None."""
    notes: tuple[str, ...]


def account(plan: Plan, data: Data, number: int, unit: Array) -> Account:
    """Tell why `unit` was suggested as trial `number`: the suggestion made again, looked at, and made without cost."""
    suggestion = suggest(plan, data, number)
    blind = suggest(replace(plan, cost=None), data, number).unit if plan.cost is not None else None
    surface = suggestion.acquisition
    if surface is None:
        return Account(None, None, None, None, blind, suggestion.notes)
    features = plan.space.features(unit[None, :])
    predicted = [model.predict(features) for model in surface.gps[: len(plan.objectives)]]
    promise = surface.terms[0]
    moments = [model.posterior(features) for model in surface.gps]
    mean, deviation = (np.array([[moment[i][0] for moment in moments]]) for i in (0, 1))
    log_q = float(promise.utility.log(mean, deviation)[0])
    cost = None
    if promise.discount is not None:
        cost = -math.expm1(float(promise.discount.log(plan.space.expense(unit[None, :]))[0]))
    return Account(
        plan.signs * np.array([mean[0] for mean, _ in predicted]),
        np.array([deviation[0] for _, deviation in predicted]),
        math.exp(log_q),
        cost,
        blind,
        suggestion.notes,
    )
