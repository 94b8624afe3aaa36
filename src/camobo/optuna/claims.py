"""Claims: the points that running trials have chosen, stored for other workers to see.

Optuna stores parameters one by one, when the objective asks for them. Until then only the sampler knows the point it
chose, and another worker may choose the same. So a sampler first writes a claim into a system attribute of the trial,
over the trial's earlier one. The trial's number is part of it: Optuna copies the attributes when it retries a trial,
and a copy claims nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import optuna
from optuna.trial import FrozenTrial

from camobo.arrays import Array
from camobo.optuna.search_space import Inputs
from camobo.space.space import is_new

_KEY = "camobo:claim"
_NUMBERED = "camobo:claim:"  # earlier versions wrote several, "camobo:claim:7:0:0": the trial, the attempt, the piece


def write(study: optuna.Study, trial: FrozenTrial, params: Mapping[str, Any], inputs: Inputs) -> None:
    """Claim params, as Optuna's internal numbers."""
    numbers = {name: float(inputs.distributions[name].to_internal_repr(value)) for name, value in params.items()}
    study._storage.set_trial_system_attr(trial._trial_id, _KEY, {"trial": trial.number, "params": numbers})


def params(trial: FrozenTrial, inputs: Inputs) -> dict[str, Any]:
    """The parameters that an unfinished trial claims, those of these inputs."""
    claim = trial.system_attrs.get(_KEY, {})
    numbers = claim["params"] if claim.get("trial") == trial.number else _numbered(trial)
    return {name: inputs.distributions[name].to_external_repr(n) for name, n in numbers.items() if name in inputs}


def _numbered(trial: FrozenTrial) -> dict[str, float]:
    """The latest claim that an earlier version wrote; empty without any."""
    attempts: dict[int, dict[str, float]] = {}
    prefix = f"{_NUMBERED}{trial.number}:"
    for key, piece in trial.system_attrs.items():
        if key.startswith(prefix):
            attempts.setdefault(int(key.removeprefix(prefix).split(":")[0]), {}).update(piece)
    return attempts[max(attempts)] if attempts else {}


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
