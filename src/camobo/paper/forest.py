"""The forest experiment: training time and error of a random forest, by number of trees and depth."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

from camobo.errors import InvalidOptionError, MissingExtraError

DATASETS = ("digits", "breast-cancer", "wine")
_REPEATS = 3
_HELD_OUT = 0.3


def objective(dataset: str) -> Callable[[Mapping[str, Any]], tuple[float, float]]:
    """A function of `estimators` and `depth`: training time in seconds, and error rate on held-out rows.

    Three forests per point, with different random states, on the same rows. The time is processor time, which other
    work on the machine hardly affects, and the shortest of the three, because disturbances only add. The error is the
    mean of the three. The same three tenths of the rows are held out every time.
    """
    ensemble, load, split = _sklearn(dataset)
    data = load()
    train_x, test_x, train_y, test_y = split(
        data.data, data.target, test_size=_HELD_OUT, random_state=0, stratify=data.target
    )

    def measure(params: Mapping[str, Any]) -> tuple[float, float]:
        times, errors = [], []
        for state in range(_REPEATS):
            forest = ensemble.RandomForestClassifier(
                n_estimators=int(params["estimators"]), max_depth=int(params["depth"]), n_jobs=1, random_state=state
            )
            start = time.process_time()
            forest.fit(train_x, train_y)
            times.append(time.process_time() - start)
            errors.append(1.0 - float(forest.score(test_x, test_y)))
        return min(times), sum(errors) / _REPEATS

    return measure


def _sklearn(dataset: str) -> tuple[Any, Any, Any]:
    if dataset not in DATASETS:
        raise InvalidOptionError(f"--dataset: need one of {', '.join(DATASETS)}, got {dataset!r}.")
    try:
        from sklearn import datasets, ensemble, model_selection
    except ImportError as error:
        raise MissingExtraError(
            f"the forest experiment needs scikit-learn, which cannot be imported ({error}). "
            "Install it with: pip install 'camobo[paper]'"
        ) from error
    return ensemble, getattr(datasets, f"load_{dataset.replace('-', '_')}"), model_selection.train_test_split
