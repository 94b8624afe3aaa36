"""What the models expect along one input, with all other inputs as in a trial."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from camobo.arrays import Array
from camobo.history.trial import Trial
from camobo.insight.record import Record
from camobo.model.models import Models
from camobo.space.inputs import Categorical, Param

_STEPS_ALONG = 41  # values per input, unless it has fewer


@dataclass(frozen=True, slots=True)
class Slice:
    """What a model expects of one objective along one input, with all other inputs as in a trial."""

    objective: str
    input: str
    values: tuple[Param, ...]
    mean: Array
    deviation: Array
    here: int
    """The index of the trial's own value."""


def slices(record: Record, models: Models, trial: Trial) -> tuple[Slice, ...]:
    """Slices through a trial, one per objective and input; all inputs of the first objective come first."""
    space, base = record.plan.space, record.plan.space.to_unit(trial.params)
    rows: list[list[Slice]] = [[] for _ in record.plan.objectives]
    for j, (name, given) in enumerate(space.inputs.items()):
        along, here = _stations(given, float(base[j]))
        points = np.tile(base, (len(along), 1))
        points[:, j] = along
        values = tuple(given.from_unit(float(u)) for u in along)
        features = space.features(space.snap(points))
        for m, (objective, sign) in enumerate(zip(record.plan.objectives, record.plan.signs, strict=True)):
            mean, deviation = models.gps[m].predict(features)
            rows[m].append(Slice(objective, name, values, sign * mean, deviation, here))
    return tuple(found for row in rows for found in row)


def _stations(given: Any, own: float) -> tuple[Array, int]:
    """Sorted unit coordinates along an input, the trial's own included, and the index of that one."""
    if isinstance(given, Categorical) or given.size <= _STEPS_ALONG:
        along = given.stops()
    else:
        along = given.snap(np.linspace(0.0, 1.0, _STEPS_ALONG))
    along = np.unique(np.append(along[np.abs(along - own) > 1e-9], own))
    return along, int(np.searchsorted(along, own))
