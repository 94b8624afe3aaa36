"""camobo in Optuna: a sampler that tries cheap parameters first, and Optuna studies as camobo's records.

    import optuna
    from camobo.optuna import CostAwareSampler

    sampler = CostAwareSampler("n_estimators > max_depth", budget=60, seed=0)
    study = optuna.create_study(directions=["maximize", "minimize"], sampler=sampler)

Storage, dashboard and distribution stay Optuna's. `CostAwareSampler`, `load` and `record` are imported from here.

For other rooms:
    sampler        `CostAwareSampler`
    loading        `load`: the Optuna study in a storage
    records        `record`: an Optuna study as a `Record`, for reports and figures
Inside this room:
    options        the other options of a sampler or a record, validated
    costs          cost and budget as given, the receipts of trials, the cost of the parameters that are modelled
    search_space   Optuna's distributions as camobo's inputs
    branches       conditional parameters: which of them a point has
    shown          Optuna's parameters in their own values, as costs and readers see them
    outcomes       the objectives of a study, the constraints of a trial
    claims         the points that running trials have chosen, for other workers to see
    observations   the trials of a study as `Data`
    draws          random values, for parameters that are not modelled
    notices        warnings in the log, each once
"""

from __future__ import annotations

from camobo.errors import MissingExtraError

try:
    import optuna as _optuna  # noqa: F401
except ImportError as _error:
    raise MissingExtraError(
        f"camobo.optuna needs Optuna 4.4 or later ({_error}). Install it with: pip install 'camobo[optuna]'"
    ) from None

from camobo.optuna.loading import load
from camobo.optuna.records import record
from camobo.optuna.sampler import CostAwareSampler

__all__ = ["CostAwareSampler", "load", "record"]
