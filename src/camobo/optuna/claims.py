"""Claims: the points that running trials have chosen, stored for other workers to see.

Optuna stores parameters one by one, when the objective asks for them. Until then only the sampler knows the point it
chose, and another worker may choose the same. So a sampler first writes a claim into the trial's system attributes.
The trial's number is part of the key: Optuna copies the attributes when it retries a trial, and a copy claims nothing.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from typing import Any

import optuna
from optuna.trial import FrozenTrial

from camobo.arrays import Array
from camobo.optuna.search_space import Inputs
from camobo.space.space import is_new

_PREFIX = "camobo:claim:"
_LONGEST = 2000  # characters; Optuna's databases store up to 2045 per attribute


def write(study: optuna.Study, trial: FrozenTrial, attempt: int, params: Mapping[str, Any], inputs: Inputs) -> None:
    """Claim params, as Optuna's internal numbers, in as many pieces as its databases need."""
    pieces: list[dict[str, float]] = [{}]
    for name, value in params.items():
        number = float(inputs.distributions[name].to_internal_repr(value))
        if len(json.dumps({**pieces[-1], name: number})) > _LONGEST:
            pieces.append({})
        pieces[-1][name] = number
    for i, piece in enumerate(pieces):
        study._storage.set_trial_system_attr(trial._trial_id, f"{_prefix(trial)}{attempt}:{i}", piece)


def params(trial: FrozenTrial, inputs: Inputs) -> dict[str, Any]:
    """The parameters of an unfinished trial's latest claim, those of these inputs."""
    claims: dict[int, dict[str, float]] = {}
    for key, piece in trial.system_attrs.items():
        if key.startswith(_prefix(trial)):
            claims.setdefault(int(key.removeprefix(_prefix(trial)).split(":")[0]), {}).update(piece)
    latest = claims[max(claims)] if claims else {}
    return {name: inputs.distributions[name].to_external_repr(n) for name, n in latest.items() if name in inputs}


def decided(trial: FrozenTrial) -> dict[str, Any]:
    """The parameters of an unfinished trial that can no longer change: enqueued with it, or already suggested."""
    return {**trial.system_attrs.get("fixed_params", {}), **trial.params}


def unit(trial: FrozenTrial, inputs: Inputs) -> Array | None:
    """(d,) the point of an unfinished trial, decided or claimed; None if some parameter of it is unknown."""
    try:
        claimed = params(trial, inputs)
    except (IndexError, ValueError):  # claimed when the parameter had other choices
        return None
    return inputs.unit({**claimed, **decided(trial)})


def rivals(
    study: optuna.Study, trial: FrozenTrial, point: Array, inputs: Inputs, known: Collection[int]
) -> list[FrozenTrial]:
    """Other trials at the (d,) point.

    known: numbers of trials that had ended before the point was chosen; they are skipped. A trial that has ended since
        counts: it ran while the point was being chosen.
    """
    found = []
    for other in study.get_trials(deepcopy=False):
        if other.number != trial.number and other.number not in known:
            at = inputs.unit(other.params) if other.state.is_finished() else unit(other, inputs)
            if at is not None and not is_new(point, at[None]):
                found.append(other)
    return found


def _prefix(trial: FrozenTrial) -> str:
    return f"{_PREFIX}{trial.number}:"
