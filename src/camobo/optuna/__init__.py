"""camobo inside Optuna: a sampler that starts with cheap parameters and moves to dear ones only when they pay.

    import optuna
    from camobo.optuna import CostAwareSampler

    sampler = CostAwareSampler("n_estimators > max_depth", budget=60, seed=0)
    study = optuna.create_study(directions=["maximize", "minimize"], sampler=sampler)

Storage, dashboard, distribution and everything else stay Optuna's.
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
