"""Tune a random forest with Optuna for error and model size, where trees cost more time than depth.

    pip install '.[optuna]' scikit-learn && python examples/optuna_forest.py        in a checkout

Only the sampler is camobo's. It knows that trees are more expensive than depth, or learns from how long trials take.
"""

from __future__ import annotations

import sys
import time

import optuna
from sklearn.datasets import load_digits
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import cross_val_score

from camobo.optuna import CostAwareSampler

features, labels = load_digits(return_X_y=True)


def objective(trial: optuna.Trial) -> tuple[float, float]:
    """Error in cross-validation, and the most nodes a prediction can pass."""
    trees = trial.suggest_int("n_estimators", 5, 300, log=True)
    depth = trial.suggest_int("max_depth", 2, 24)
    share = trial.suggest_float("max_features", 0.05, 1.0)
    forest = RandomForestClassifier(trees, max_depth=depth, max_features=share, random_state=0)
    return 1.0 - float(cross_val_score(forest, features, labels, cv=3).mean()), float(trees * depth)


def main() -> None:
    """Run the same study with an order, with learned durations and without a cost."""
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    trials = int(sys.argv[1]) if len(sys.argv) > 1 else 40
    for cost in ("n_estimators > max_features > max_depth", "duration", None):
        sampler = CostAwareSampler(cost, budget=trials, seed=0)
        study = optuna.create_study(directions=["minimize", "minimize"], sampler=sampler)
        start = time.perf_counter()
        study.optimize(objective, n_trials=trials)
        seconds = time.perf_counter() - start
        used = sum(trial.params["n_estimators"] for trial in study.trials)
        best = min(trial.values[0] for trial in study.best_trials)
        print(f"cost={cost!r}: {used} trees grown three times, {seconds:.0f} s, least error {best:.3f}, front:")
        for trial in sorted(study.best_trials, key=lambda trial: trial.values[1]):
            print(f"  error {trial.values[0]:.3f} with size {trial.values[1]:.0f}: {trial.params}")


if __name__ == "__main__":
    main()
