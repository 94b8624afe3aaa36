"""Claims: where a running trial is about to be, for the other workers of a study to see.

Optuna writes parameters down one by one, when the objective asks for them. Until then the point a sampler has chosen is
known to itself alone, and another worker may choose the same. So a claim goes into the trial's system attributes first,
under the trial's number: Optuna copies them when it retries a trial, and a copy claims nothing.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from typing import Any

import optuna
from optuna.trial import FrozenTrial

from camobo.inputs import Array
from camobo.optuna.inputs import Inputs
from camobo.space import is_new

_PREFIX = "camobo:claim:"
_SIZE = 2000  # characters; Optuna's databases keep up to 2045


def write(study: optuna.Study, trial: FrozenTrial, attempt: int, params: Mapping[str, Any], inputs: Inputs) -> None:
    """Claim params, as the numbers Optuna itself keeps, in as many pieces as its databases need."""
    pieces: list[dict[str, float]] = [{}]
    for name, value in params.items():
        number = float(inputs.distributions[name].to_internal_repr(value))
        if len(json.dumps({**pieces[-1], name: number})) > _SIZE:
            pieces.append({})
        pieces[-1][name] = number
    for i, piece in enumerate(pieces):
        study._storage.set_trial_system_attr(trial._trial_id, f"{_prefix(trial)}{attempt}:{i}", piece)


def unit(trial: FrozenTrial, inputs: Inputs) -> Array | None:
    """(d,) where an unfinished trial is or is about to be; None if that is not known of every parameter."""
    try:
        chosen = params(trial, inputs)
    except (IndexError, ValueError):  # written with other choices than these
        return None
    return inputs.unit({**chosen, **settled(trial)})


def settled(trial: FrozenTrial) -> dict[str, Any]:
    """The parameters of an unfinished trial that nobody chooses any more: enqueued with it, or suggested already."""
    return {**trial.system_attrs.get("fixed_params", {}), **trial.params}


def params(trial: FrozenTrial, inputs: Inputs) -> dict[str, Any]:
    """What an unfinished trial has claimed of these inputs, latest."""
    claims: dict[int, dict[str, float]] = {}
    for key, piece in trial.system_attrs.items():
        if key.startswith(_prefix(trial)):
            claims.setdefault(int(key.removeprefix(_prefix(trial)).split(":")[0]), {}).update(piece)
    latest = claims[max(claims)] if claims else {}
    return {name: inputs.distributions[name].to_external_repr(n) for name, n in latest.items() if name in inputs}


def _prefix(trial: FrozenTrial) -> str:
    return f"{_PREFIX}{trial.number}:"


def rivals(
    study: optuna.Study, trial: FrozenTrial, point: Array, inputs: Inputs, known: Collection[int]
) -> list[FrozenTrial]:
    """The other trials at the (d,) point, apart from those known by number to have ended before it was chosen.

    One that ended since is among them: it ran while the point was being chosen.
    """
    found = []
    for other in study.get_trials(deepcopy=False):
        if other.number != trial.number and other.number not in known:
            at = inputs.unit(other.params) if other.state.is_finished() else unit(other, inputs)
            if at is not None and not is_new(point, at[None]):
                found.append(other)
    return found
