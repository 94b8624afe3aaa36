"""The folder that keeps an experiment's runs.

DIR/settings.json            what the folder is for: nothing else may be added to it
DIR/runs/METHOD-0007.json    one finished run each, written whole or not at all
DIR/summary.json             the few numbers a table is made from
DIR/*.png, *.pdf             figures
"""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

import camobo
from camobo.errors import InvalidOptionError, InvalidValueError
from camobo.inputs import Array
from camobo.paper.experiments import METHODS, Method, Options, experiment

_SETTINGS, _RUNS = "settings.json", "runs"
_REMAKE = "Delete it to have it made again."


@dataclass(frozen=True, slots=True)
class Setting:
    """Everything a run's numbers depend on besides its method and its own number."""

    experiment: str
    iterations: int
    seed: int
    options: Options
    version: str = camobo.__version__


@dataclass(frozen=True, slots=True)
class Job:
    """One run to be made."""

    setting: Setting
    method: Method
    run: int
    path: Path


@dataclass(frozen=True, slots=True)
class Record:
    """One finished run: (T, d) chosen points of the unit cube, (T, M) values, and what was computed on the way."""

    method: Method
    run: int
    first_units: Array
    first_values: Array
    units: Array
    values: Array
    seconds: Array
    """(T,) processor time of each suggestion, without the measurement: a busy machine does not lengthen it."""
    whole: float
    """Processor time of the whole run."""
    regrets: Array | None = None
    """(T,) r_t under the paper's cost with ascending weights, the same yardstick for every method."""
    own_regrets: Array | None = None
    """(T,) r_t under the method's own cost; for MO-UCB, C = 0."""
    bound: Array | None = None
    """(T,) Theorem 1's bound on the sum of `own_regrets`."""


def claim(folder: Path, setting: Setting) -> None:
    """Make the folder this setting's own, or say whose it is."""
    wanted = asdict(setting)
    if folder.exists() and not folder.is_dir():
        raise InvalidOptionError(f"--out: need a folder, got the file {str(folder)!r}.")
    kept = folder / _SETTINGS
    if not kept.exists():
        if folder.exists() and any(folder.iterdir()):
            raise InvalidOptionError(
                f"--out: {str(folder)!r} holds other files and no {_SETTINGS}. Give an empty or a new folder."
            )
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InvalidOptionError(
                f"--out: {str(folder)!r} cannot be made ({error.strerror}). Give a folder that can be written to."
            ) from error
        write_json(kept, wanted)
        return
    found = read_json(kept, "Without it nothing says what its runs are: give another folder.")
    other = [key for key in wanted if found.get(key) != wanted[key]]
    if other:
        differences = ", ".join(f"{key} {found.get(key)!r} (now {wanted[key]!r})" for key in other)
        raise InvalidOptionError(
            f"--out: {str(folder)!r} belongs to runs with {differences}. Nothing was changed. "
            "Give the same settings to go on with them, or another folder."
        )


def read_setting(folder: Path) -> Setting:
    """What a folder is for."""
    kept = folder / _SETTINGS
    if not kept.is_file():
        raise InvalidOptionError(
            f"{str(folder)!r} is not a folder of runs: it has no {_SETTINGS}. Give the --out of an experiment."
        )
    try:
        return Setting(**read_json(kept, "Without it nothing says what its runs are."))
    except TypeError as error:
        raise InvalidValueError(f"{kept}: not the settings of an experiment ({error}).") from error


def missing(folder: Path, setting: Setting, methods: Sequence[Method], runs: int) -> list[Job]:
    """The runs that are not there yet, run by run so that methods stay level."""
    jobs = [
        Job(setting, method, run, folder / _RUNS / f"{_run_name(method, run)}.json")
        for run in range(runs)
        for method in methods
    ]
    return [job for job in jobs if not job.path.exists()]


def keep(path: Path, record: Record) -> None:
    """Write a finished run."""
    fields = {name: getattr(record, name) for name in Record.__dataclass_fields__}
    write_json(path, {key: value.tolist() if isinstance(value, np.ndarray) else value for key, value in fields.items()})


def load(folder: Path, setting: Setting) -> list[Record]:
    """Every finished run of a folder, by method and number."""
    found = []
    for path in sorted((folder / _RUNS).glob("*.json")):
        kept = read_json(path, _REMAKE)
        try:
            found.append(_record(path.stem, kept, setting))
        except (TypeError, ValueError) as error:
            raise InvalidValueError(f"{path}: not a finished run of this folder's ({error}). {_REMAKE}") from error
    return sorted(found, key=lambda record: (list(METHODS).index(record.method), record.run))


def _record(name: str, kept: Mapping[str, Any], setting: Setting) -> Record:
    """A run from its file's name and content; ValueError or TypeError if it is not whole."""
    if set(kept) != set(Record.__dataclass_fields__):
        raise ValueError(f"need {', '.join(Record.__dataclass_fields__)}")
    if kept["method"] not in list(METHODS) or name != _run_name(kept["method"], kept["run"]):
        raise ValueError(f"it says it is run {kept['run']!r} of {kept['method']!r}")
    given = experiment(setting.experiment, setting.options)
    T, inputs, objectives = setting.iterations, given.space.dimension, len(given.objectives)
    first = len(kept["first_units"])
    shapes: dict[str, tuple[int, ...]] = {
        "first_units": (first, inputs),
        "first_values": (first, objectives),
        "units": (T, inputs),
        "values": (T, objectives),
        "seconds": (T,),
        **{key: (T,) for key in ("regrets", "own_regrets", "bound") if kept[key] is not None},
    }
    rows = {key: np.array(kept[key], dtype=float) for key in shapes}
    for key, shape in shapes.items():
        if rows[key].shape != shape or not np.isfinite(rows[key]).all():
            raise ValueError(f"need {' × '.join(map(str, shape))} finite numbers in {key!r}")
    return Record(**{**kept, **rows, "whole": float(kept["whole"])})


def _run_name(method: str, run: int) -> str:
    return f"{method}-{run:04d}"


def write_json(path: Path, content: Mapping[str, Any]) -> None:
    """Write a file whole or not at all: beside its place first, then moved there."""
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        beside.write_text(json.dumps(content, indent=None, allow_nan=False) + "\n", encoding="utf-8")
        beside.replace(path)
    except OSError as error:
        raise InvalidOptionError(f"{path}: cannot be written ({error.strerror}).") from error


def read_json(path: Path, advice: str) -> dict[str, Any]:
    """A file this module wrote, or an error that names it and ends with the advice."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InvalidValueError(f"{path}: cannot be read ({error}). {advice}") from error
    if not isinstance(content, dict):
        raise InvalidValueError(f"{path}: not written by camobo. {advice}")
    return content


def machine() -> str:
    """The processor, its cores, and the Python that runs on it."""
    name = platform.processor() or platform.machine()
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        name = next(line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        pass
    return f"{name}, {os.cpu_count()} cores, Python {platform.python_version()}, NumPy {np.__version__}"
