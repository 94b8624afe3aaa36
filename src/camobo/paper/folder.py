"""The folder that stores an experiment's runs.

DIR/settings.json            the settings; runs with other settings are refused
DIR/runs/METHOD-0007.json    one finished run, written whole or not at all
DIR/runs.npz                 runs that were packed: one compressed file, to keep
DIR/summary.json             the numbers a table is made from
DIR/*.png, *.pdf             figures
"""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

import camobo
from camobo.arrays import Array
from camobo.errors import InvalidOptionError, InvalidValueError
from camobo.paper import archive
from camobo.paper.departures import Departure, departures_of
from camobo.paper.experiments import METHODS, Method, Options, experiment
from camobo.strategy.plan import Beta

_SETTINGS, _RUNS, _PACKED = "settings.json", "runs", "runs.npz"
_NO_SETTINGS = "Without it, what the runs are is unknown: give another folder."
_REMAKE = "Delete it; the next run of the experiment makes it again."


@dataclass(frozen=True, slots=True)
class Setting:
    """Everything a run depends on besides its method and its number."""

    experiment: str
    iterations: int
    seed: int
    options: Options
    beta: Beta = "practical"
    departures: tuple[Departure, ...] = ()
    version: str = camobo.__version__

    def __post_init__(self) -> None:
        object.__setattr__(self, "departures", departures_of(self.departures))


@dataclass(frozen=True, slots=True)
class Job:
    """A run to make."""

    setting: Setting
    method: Method
    run: int
    path: Path
    measure: Callable[[Mapping[str, Any]], Sequence[float]] | None = None
    """Of a problem of one's own: from params to values. None: the experiment knows."""


@dataclass(frozen=True, slots=True)
class Record:
    """A finished run: (T, d) chosen points of the unit cube, (T, M) values, and what was computed on the way."""

    method: Method
    run: int
    first_units: Array
    first_values: Array
    units: Array
    values: Array
    seconds: Array
    """(T,) processor time of each suggestion, without the evaluation."""
    whole: float
    """Processor time of the whole run."""
    regrets: Array | None = None
    """(T,) r_t under the paper's cost with ascending weights, whatever the method; None where values are measured, and
    for the default strategy, which draws no θ."""
    own_regrets: Array | None = None
    """(T,) r_t under the method's own cost; for MO-UCB, C = 0."""
    bound: Array | None = None
    """(T,) Theorem 1's bound on the sum of `own_regrets`, as printed."""
    proved: Array | None = None
    """(T,) the same with the factor 2 that its proof needs."""


def claim(folder: Path, setting: Setting) -> None:
    """Create the folder for these settings, or check that it has the same ones."""
    wanted = json.loads(json.dumps(asdict(setting)))
    if folder.exists() and not folder.is_dir():
        raise InvalidOptionError(f"--out: need a folder, got the file {str(folder)!r}.")
    file = folder / _SETTINGS
    if not file.exists():
        if folder.exists() and any(folder.iterdir()):
            raise InvalidOptionError(
                f"--out: {str(folder)!r} holds other files and no {_SETTINGS}. Give a new or empty folder."
            )
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InvalidOptionError(
                f"--out: {str(folder)!r} cannot be created ({error.strerror}). Give a folder you can write to."
            ) from error
        write_json(file, wanted)
        return
    found = read_json(file, _NO_SETTINGS)
    changed = [key for key in wanted if found.get(key) != wanted[key]]
    if changed:
        differences = ", ".join(f"{key} {found.get(key)!r} (now {wanted[key]!r})" for key in changed)
        raise InvalidOptionError(
            f"--out: {str(folder)!r} belongs to runs with {differences}. Nothing was changed. "
            "Give the same settings to continue them, or another folder."
        )


def read_setting(folder: Path) -> Setting:
    """The settings of a folder's runs."""
    file = folder / _SETTINGS
    if not file.is_file():
        raise InvalidOptionError(
            f"{str(folder)!r} is not a folder of runs: it has no {_SETTINGS}. Give the --out of an experiment."
        )
    try:
        return Setting(**read_json(file, _NO_SETTINGS))
    except TypeError as error:
        raise InvalidValueError(f"{file}: not the settings of an experiment ({error}).") from error


def missing(folder: Path, setting: Setting, methods: Sequence[Method], runs: int) -> list[Job]:
    """The runs still to make, run by run, so that all methods advance together."""
    jobs = [
        Job(setting, method, run, folder / _RUNS / f"{_run_name(method, run)}.json")
        for run in range(runs)
        for method in methods
    ]
    packed = {_run_name(run["method"], run["run"]) for run in archive.read(folder / _PACKED)}
    return [job for job in jobs if job.path.stem not in packed and not job.path.exists()]


def store(path: Path, record: Record) -> None:
    """Write a finished run."""
    fields = {name: getattr(record, name) for name in Record.__dataclass_fields__}
    write_json(path, {key: value.tolist() if isinstance(value, np.ndarray) else value for key, value in fields.items()})


def load(folder: Path, setting: Setting) -> list[Record]:
    """Every finished run of a folder, sorted by method and number."""
    found = {}
    for content in archive.read(folder / _PACKED):
        name = _run_name(content["method"], content["run"])
        found[name] = _checked(folder / _PACKED, name, content, setting)
    for path in sorted((folder / _RUNS).glob("*.json")):
        found[path.stem] = _checked(path, path.stem, read_json(path, _REMAKE), setting)
    return sorted(found.values(), key=lambda record: (list(METHODS).index(record.method), record.run))


def pack(folder: Path, setting: Setting) -> Path:
    """Write every finished run into one compressed file, and return its path. Single files stay."""
    records = load(folder, setting)
    if not records:
        raise InvalidOptionError(f"{str(folder)!r}: has no finished runs.")
    fields = list(Record.__dataclass_fields__)
    archive.write(folder / _PACKED, [{name: getattr(record, name) for name in fields} for record in records])
    return folder / _PACKED


def _checked(path: Path, name: str, content: Mapping[str, Any], setting: Setting) -> Record:
    """The run of that name; an error names the file."""
    try:
        return _record(name, content, setting)
    except (KeyError, TypeError, ValueError) as error:
        raise InvalidValueError(f"{path}: not a finished run of this experiment ({error}). {_REMAKE}") from error


def _record(name: str, content: Mapping[str, Any], setting: Setting) -> Record:
    """A run from its file's name and content. ValueError or TypeError if it is incomplete or another's."""
    if set(content) != set(Record.__dataclass_fields__):
        raise ValueError(f"need {', '.join(Record.__dataclass_fields__)}")
    if content["method"] not in list(METHODS) or name != _run_name(content["method"], content["run"]):
        raise ValueError(f"it holds run {content['run']!r} of {content['method']!r}")
    given = experiment(setting.experiment, setting.options)
    T, inputs, objectives = setting.iterations, given.space.dimension, len(given.objectives)
    first = len(content["first_units"])
    shapes: dict[str, tuple[int, ...]] = {
        "first_units": (first, inputs),
        "first_values": (first, objectives),
        "units": (T, inputs),
        "values": (T, objectives),
        "seconds": (T,),
        **{key: (T,) for key in ("regrets", "own_regrets", "bound", "proved") if content[key] is not None},
    }
    rows = {key: np.array(content[key], dtype=float) for key in shapes}
    for key, shape in shapes.items():
        if rows[key].shape != shape or not np.isfinite(rows[key]).all():
            raise ValueError(f"{key!r} needs {' × '.join(map(str, shape))} finite numbers")
    return Record(**{**content, **rows, "whole": float(content["whole"])})


def _run_name(method: str, run: int) -> str:
    return f"{method}-{run:04d}"


def write_json(path: Path, content: Mapping[str, Any]) -> None:
    """Write a file whole or not at all: under another name first, then moved into place."""
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        beside.write_text(json.dumps(content, indent=None, allow_nan=False) + "\n", encoding="utf-8")
        beside.replace(path)
    except OSError as error:
        raise InvalidOptionError(f"{path}: cannot be written ({error.strerror}).") from error


def read_json(path: Path, advice: str) -> dict[str, Any]:
    """The content of a file that `write_json` wrote; an error names the file and ends with the advice."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InvalidValueError(f"{path}: cannot be read ({error}). {advice}") from error
    if not isinstance(content, dict):
        raise InvalidValueError(f"{path}: not written by camobo. {advice}")
    return content


def machine() -> str:
    """The processor, its cores, and the versions of Python and NumPy."""
    name = platform.processor() or platform.machine()
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        name = next(line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        pass
    return f"{name}, {os.cpu_count()} cores, Python {platform.python_version()}, NumPy {np.__version__}"
