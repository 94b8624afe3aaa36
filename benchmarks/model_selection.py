"""Choosing a model and its hyper-parameters together, beside Optuna's grouped TPE: each model has its own parameters.

    python benchmarks/model_selection.py              runs every study and writes results/model_selection.md
    python benchmarks/model_selection.py --tabulate   measures the tables again (15 minutes; needs scikit-learn)

Forests, boosted trees and support vector machines (of which one kernel has a parameter more) were cross-validated at
some hundred points each, spread evenly. A study's objective interpolates between them, so a trial takes no time.
"""

from __future__ import annotations

import json
import math
import os
import statistics
import sys
import time
import warnings
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

os.environ["OMP_NUM_THREADS"] = "1"
os.environ["OPENBLAS_NUM_THREADS"] = "1"

import moocore
import numpy as np
import optuna
from scipy.interpolate import RBFInterpolator
from scipy.stats import qmc

from camobo import Budget
from camobo.optuna import CostAwareSampler

optuna.logging.set_verbosity(optuna.logging.ERROR)
warnings.filterwarnings("ignore", category=optuna.exceptions.ExperimentalWarning)
HERE = Path(__file__).parent
TABLES = HERE / "model_selection.jsonl"
DATASETS = ("breast_cancer", "digits", "parity")

Range = tuple[str, float, float, bool]
BRANCHES: dict[str, list[Range]] = {
    "forest": [("forest_trees", 4, 128, True), ("forest_depth", 1, 16, False), ("forest_features", 0.05, 1, False)],
    "boosting": [
        ("boosting_trees", 4, 96, True),
        ("boosting_depth", 1, 6, False),
        ("boosting_rate", 0.01, 1, True),
        ("boosting_sample", 0.3, 1, False),
    ],
    "svm linear": [("svm_c", 1e-3, 1e3, True)],
    "svm rbf": [("svm_c", 1e-3, 1e3, True), ("svm_gamma", 1e-6, 10, True)],
}
"""Per branch its parameters: name, low end, high end, whether on a log scale. Trees and depths are whole numbers."""
WHOLE = ("trees", "depth")
POINTS = {"forest": 160, "boosting": 200, "svm linear": 40, "svm rbf": 160}


# --- the tables


def value_at(given: Range, unit: float) -> Any:
    """The value of a parameter at a unit coordinate."""
    name, low, high, log = given
    value = float(np.exp(np.log(low) + unit * np.log(high / low))) if log else low + unit * (high - low)
    return round(value) if name.endswith(WHOLE) else value


def unit_of(given: Range, value: float) -> float:
    """The unit coordinate of a value."""
    _, low, high, log = given
    return float(np.log(value / low) / np.log(high / low)) if log else (value - low) / (high - low)


def measured(task: tuple[str, str, list[float]]) -> tuple[float, float]:
    """Error in cross-validation, and seconds it took, of one configuration."""
    from sklearn.datasets import load_breast_cancer, load_digits
    from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
    from sklearn.model_selection import cross_val_score
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import SVC

    data, branch, values = task
    features, labels = (load_breast_cancer if data == "breast_cancer" else load_digits)(return_X_y=True)
    if data == "digits":
        features, labels = features[:700], labels[:700] >= 5
    if data == "parity":
        features, labels = features[700:1400], labels[700:1400] % 2
    if branch == "forest":
        trees, depth, share = values
        model = RandomForestClassifier(int(trees), max_depth=int(depth), max_features=share, random_state=0)
    elif branch == "boosting":
        trees, depth, rate, sample = values
        model = GradientBoostingClassifier(
            n_estimators=int(trees), max_depth=int(depth), learning_rate=rate, subsample=sample, random_state=0
        )
    else:
        gamma = {"gamma": values[1]} if len(values) > 1 else {}
        model = make_pipeline(StandardScaler(), SVC(C=values[0], kernel=branch.split()[1], max_iter=20_000, **gamma))
    start = time.process_time()
    scores = cross_val_score(model, features, labels, cv=5)
    return round(1.0 - float(scores.mean()), 6), round(time.process_time() - start, 4)


def tabulate() -> None:
    """Measure every table."""
    tasks = []
    for data in DATASETS:
        for branch, ranges in BRANCHES.items():
            units = qmc.Sobol(len(ranges), seed=0).random(POINTS[branch])
            tasks += [(data, branch, [value_at(r, u) for r, u in zip(ranges, row, strict=True)]) for row in units]
    warnings.simplefilter("ignore")
    with ProcessPoolExecutor() as pool, TABLES.open("w") as file:
        for (data, branch, values), (error, seconds) in zip(tasks, pool.map(measured, tasks, chunksize=4), strict=True):
            row = {"data": data, "branch": branch, "values": [float(f"{v:.6g}") for v in values]}
            print(json.dumps({**row, "error": error, "seconds": seconds}), file=file)


@dataclass(frozen=True)
class Task:
    """A data set's tables, interpolated: error, and log of the seconds, over each branch."""

    data: str
    error: dict[str, RBFInterpolator]
    seconds: dict[str, RBFInterpolator]

    def measure(self, trial: optuna.Trial) -> tuple[float, float]:
        """Error in cross-validation, and the seconds it takes."""
        branch = trial.suggest_categorical("model", ["forest", "boosting", "svm"])
        if branch == "svm":
            branch = f"svm {trial.suggest_categorical('svm_kernel', ['linear', 'rbf'])}"
        unit = [[unit_of(given, suggested(trial, given)) for given in BRANCHES[branch]]]
        return float(self.error[branch](unit)[0]), math.exp(float(self.seconds[branch](unit)[0]))


def suggested(trial: optuna.Trial, given: Range) -> float:
    """The value of one parameter in a trial."""
    name, low, high, log = given
    if name.endswith(WHOLE):
        return trial.suggest_int(name, int(low), int(high), log=log)
    return trial.suggest_float(name, low, high, log=log)


@cache
def task_of(data: str) -> Task:
    """A data set's tables."""
    rows = [row for row in map(json.loads, TABLES.read_text().splitlines()) if row["data"] == data]
    error, seconds = {}, {}
    for branch, ranges in BRANCHES.items():
        found = [row for row in rows if row["branch"] == branch]
        units = [[unit_of(r, v) for r, v in zip(ranges, row["values"], strict=True)] for row in found]
        different, first = np.unique(units, axis=0, return_index=True)
        of = {key: np.array([found[i][key] for i in first]) for key in ("error", "seconds")}
        error[branch] = RBFInterpolator(different, of["error"], kernel="linear", smoothing=1e-3)
        seconds[branch] = RBFInterpolator(different, np.log(of["seconds"]), kernel="linear", smoothing=1e-3)
    return Task(data, error, seconds)


# --- the studies

TRIALS, SEEDS = 60, 40
MONEY = 5.0  # seconds of cross-validation
Make = Callable[[int], optuna.samplers.BaseSampler]
ERROR, BOTH, BUDGET = "one objective", "two objectives", "a budget in seconds"
METHODS: dict[str, dict[str, Make]] = {
    "random": {"any": lambda seed: optuna.samplers.RandomSampler(seed=seed)},
    "TPE, grouped": {"any": lambda seed: optuna.samplers.TPESampler(seed=seed, multivariate=True, group=True)},
    "camobo": {
        "any": lambda seed: CostAwareSampler(budget=TRIALS, seed=seed),
        BUDGET: lambda seed: CostAwareSampler("attr:seconds", budget=Budget(cost=MONEY, unit="s"), seed=seed),
    },
}
WHAT = {
    ERROR: f"least error after {TRIALS} trials, in per cent",
    BOTH: f"hypervolume of error and log seconds after {TRIALS} trials, from 40 per cent and 2 s",
    BUDGET: f"least error for {MONEY:g} s of cross-validation, at most {TRIALS} trials, in per cent",
}


def run(key: tuple[str, str, str, int]) -> dict[str, Any]:
    """Errors and seconds, trial by trial, of one study."""
    data, goal, method, seed = key
    task, makes = task_of(data), METHODS[method]

    def objective(trial: optuna.Trial) -> float | tuple[float, float]:
        error, seconds = task.measure(trial)
        trial.set_user_attr("error", error)
        trial.set_user_attr("seconds", seconds)
        return (error, math.log10(seconds)) if goal == BOTH else error

    study = optuna.create_study(
        directions=["minimize"] * (2 if goal == BOTH else 1),
        sampler=makes.get(goal, makes["any"])(seed),
        study_name="model selection",
    )
    began = time.process_time()
    study.optimize(objective, n_trials=TRIALS)
    took = time.process_time() - began
    rows = [(trial.user_attrs["error"], trial.user_attrs["seconds"]) for trial in study.trials]
    errors, seconds = (np.array(column) for column in zip(*rows, strict=True))
    if goal == BOTH:
        points = np.column_stack([errors / 0.4, (np.log10(seconds) + 2.0) / (math.log10(2.0) + 2.0)])
        quality = float(moocore.hypervolume(points, ref=[1.0, 1.0]))
    else:
        paid = seconds.cumsum() <= MONEY if goal == BUDGET else np.full(TRIALS, True)[: len(errors)]
        quality = 100.0 * float(errors[paid].min())
    return {"data": data, "goal": goal, "method": method, "seed": seed, "quality": quality, "took": took}


def page(rows: Sequence[dict[str, Any]]) -> str:
    """The table of means and their standard errors."""
    lines = [
        "# Choosing a model and its hyper-parameters",
        "",
        f"`make bench-model-selection`: {SEEDS} seeds, Optuna {optuna.__version__}. Of six designs one was chosen "
        "on breast cancer, with digits in view; parity was not looked at until then.",
        "",
        "| data | measured | " + " | ".join(METHODS) + " |",
        "|---|---|" + "---|" * len(METHODS),
    ]
    for data in DATASETS:
        for goal, what in WHAT.items():
            cells = []
            for method in METHODS:
                found = [
                    row["quality"] for row in rows if (row["data"], row["goal"], row["method"]) == (data, goal, method)
                ]
                error = statistics.stdev(found) / math.sqrt(len(found))
                cells.append(f"{statistics.mean(found):.3f} ± {error:.3f}")
            lines.append(f"| {data} | {what} | " + " | ".join(cells) + " |")
    took = {method: statistics.mean(row["took"] for row in rows if row["method"] == method) for method in METHODS}
    seconds = ", ".join(f"{method} {second:.1f}" for method, second in took.items())
    return "\n".join([*lines, "", f"Mean and its standard error. Seconds per study, on one core: {seconds}.", ""])


def main() -> None:
    """Run every study and write the table."""
    if "--tabulate" in sys.argv:
        tabulate()
        return
    keys = [(d, goal, method, seed) for d in DATASETS for goal in WHAT for method in METHODS for seed in range(SEEDS)]
    with ProcessPoolExecutor() as pool:
        rows = list(pool.map(run, keys, chunksize=4))
    text = page(rows)
    print(text)
    (HERE / "results" / "model_selection.md").write_text(text)


if __name__ == "__main__":
    main()
