"""Where a study stands if pending and failed points come out as predicted, so that no gain is sought twice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from camobo.acquisition.pareto import on_front
from camobo.arrays import Array, evenly
from camobo.model.gp import GP
from camobo.model.models import Models
from camobo.strategy.notes import Note, Reason
from camobo.strategy.plan import Data, Plan

_BELIEVED = 500  # pending points, and failed ones, that models see at most; evenly spaced ones if there are more
_FARTHEST = 20.0  # standard deviations: a reference beyond makes no difference, and its powers would swamp the gain


@dataclass(frozen=True, slots=True)
class Standing:
    """Measured, pending and failed points as the models see them."""

    gps: tuple[GP, ...]
    """One per outcome, conditioned on pending and failed points too, with the models' own predictions there."""
    units: Array
    """(n, d) those points: all measured ones, and those that are believed."""
    outcomes: Array
    """(n, M) their objectives, measured or expected, standardised."""
    limits: Array
    """(K,) the largest value each constraint allows, on the scale of its model."""
    feasible: NDArray[np.intp]
    """Rows of the points that meet every constraint."""
    front: NDArray[np.intp]
    """Rows of the feasible points that no other dominates; without any, the row closest to feasible."""


def standing(plan: Plan, data: Data, models: Models) -> Standing:
    """Where a study stands if pending and failed points come out as the models expect."""
    M = len(plan.objectives)
    unmeasured = np.vstack([some[evenly(len(some), _BELIEVED)] for some in (data.pending, data.failed)])
    features = plan.space.features(unmeasured)
    gps = tuple(model.believe(features) for model in models.gps)
    outcomes = np.vstack([standardised(gps, data.values), _expected(gps, features)])
    limits = np.array([float(model.standardise(np.zeros(1))[0]) for model in gps[M:]])
    excess = np.maximum(outcomes[:, M:] - limits, 0.0).sum(axis=1)
    feasible = np.flatnonzero(excess == 0.0)
    front = feasible[on_front(outcomes[feasible, :M])] if len(feasible) else excess.argmin(keepdims=True)
    return Standing(gps, np.vstack([data.units, unmeasured]), outcomes[:, :M], limits, feasible, front)


def standardised(gps: Sequence[GP], values: Array) -> Array:
    """(n, M) values, each column on the scale of its model."""
    return np.column_stack([model.standardise(values[:, m]) for m, model in enumerate(gps)])


def _expected(gps: Sequence[GP], features: Array) -> Array:
    return np.column_stack([model.posterior(features)[0] for model in gps])


def standardised_reference(plan: Plan, gps: Sequence[GP]) -> Array | None:
    """(M,) the plan's reference on the scales of the models; None if the plan has none."""
    if plan.reference is None:
        return None
    reference = standardised(gps, (plan.signs * np.array(plan.reference))[None, :])[0]
    return np.asarray(np.clip(reference, -_FARTHEST, _FARTHEST))


def jitter_notes(plan: Plan, gps: Sequence[GP]) -> tuple[Note, ...]:
    """One note per model whose covariance needed jitter."""
    named = zip((*plan.objectives, *plan.constraints), gps, strict=True)
    return tuple(
        Note(Reason.JITTER, {"outcome": name, "jitter": model.jitter}) for name, model in named if model.jitter > 0.0
    )
