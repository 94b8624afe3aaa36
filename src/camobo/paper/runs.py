"""One run of an experiment, and the folder that keeps them all.

    DIR/settings.json            what the folder is for: nothing else may be added to it
    DIR/runs/METHOD-0007.json    one finished run each, written whole or not at all
    DIR/summary.json             the few numbers a table is made from
    DIR/*.png, *.pdf             figures

Run r starts from the same random observations for every method, so methods are compared in pairs. These d + 1
observations are the D that Algorithm 1 is given: sums of inputs, regrets and money count the T points it chooses after.
"""

from __future__ import annotations

import json
import math
import os
import platform
import time
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import camobo
from camobo import regret
from camobo.acquisition import Acquisition, ScalarisedUCB
from camobo.cost import Discount, Moment, PaperCost
from camobo.engine import Data, Plan, log_points, suggest
from camobo.errors import InvalidOptionError, InvalidValueError
from camobo.gp import GP
from camobo.paper.experiments import METHODS, Experiment, Method, Options, cost_of, experiment
from camobo.paper.workers import Step, work_through
from camobo.space import Array

_SETTINGS, _RUNS = "settings.json", "runs"
_GAIN_POINTS = 2000  # of the space, among which γ is sought


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
    """(T,) what each suggestion took, without the measurement."""
    whole: float
    """Seconds from start to end of the run."""
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
        folder.mkdir(parents=True, exist_ok=True)
        write_json(kept, wanted)
        return
    found = read_json(kept)
    other = [key for key in wanted if found.get(key) != wanted[key]]
    if other:
        differences = ", ".join(f"{key} {found.get(key)!r} (now {wanted[key]!r})" for key in other)
        raise InvalidOptionError(
            f"--out: {str(folder)!r} belongs to runs with {differences}. Nothing was changed. "
            "Give the same settings to go on with them, or another folder."
        )


def ready(setting: Setting) -> None:
    """Say what is missing before anything is made: packages, data files."""
    given = experiment(setting.experiment, setting.options)
    if given.function is None:
        _objective(setting.experiment, tuple(sorted(setting.options.items())), setting.seed)


def source(setting: Setting) -> str | None:
    """Where measured data come from, in words."""
    if setting.experiment == "network":
        return str(_loaded(setting.options["data"]).source)
    if setting.experiment == "forest":
        return f"{setting.options['dataset']}, which comes with scikit-learn"
    return None


def read_setting(folder: Path) -> Setting:
    """What a folder is for."""
    kept = folder / _SETTINGS
    if not kept.is_file():
        raise InvalidOptionError(f"{str(folder)!r} is not a folder of runs: it has no {_SETTINGS}.")
    try:
        return Setting(**read_json(kept))
    except TypeError as error:
        raise InvalidValueError(f"{kept}: not the settings of an experiment ({error}).") from error


def missing(folder: Path, setting: Setting, methods: Sequence[Method], runs: int) -> list[Job]:
    """The runs that are not there yet, run by run so that methods stay level."""
    jobs = [
        Job(setting, method, run, folder / _RUNS / f"{method}-{run:04d}.json")
        for run in range(runs)
        for method in methods
    ]
    return [job for job in jobs if not job.path.exists()]


def make(jobs: Sequence[Job], processes: int, on_step: Step) -> None:
    """Make the runs, several at once, each written when it is finished."""
    if jobs:
        jobs[0].path.parent.mkdir(exist_ok=True)
    work_through(jobs, _make_one, processes, on_step)


def _make_one(job: Job, on_step: Step) -> None:
    record = one_run(job.setting, job.method, job.run, on_step)
    rows = {key: value.tolist() if isinstance(value, np.ndarray) else value for key, value in _fields(record).items()}
    write_json(job.path, rows)


def _fields(record: Record) -> dict[str, Any]:
    return {name: getattr(record, name) for name in Record.__dataclass_fields__}


def load(folder: Path) -> list[Record]:
    """Every finished run of a folder, by method and number."""
    found = []
    for path in sorted((folder / _RUNS).glob("*.json")):
        kept = read_json(path)
        if set(kept) != set(Record.__dataclass_fields__) or kept["method"] not in METHODS:
            raise InvalidValueError(f"{path}: not a run of an experiment. Delete it to have it made again.")
        rows: dict[str, Any] = {key: np.array(v) if isinstance(v, list) else v for key, v in kept.items()}
        found.append(Record(**rows))
    return sorted(found, key=lambda record: (list(METHODS).index(record.method), record.run))


def write_json(path: Path, content: Mapping[str, Any]) -> None:
    """Write a file whole or not at all: beside its place first, then moved there."""
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        beside.write_text(json.dumps(content, indent=None, allow_nan=False) + "\n", encoding="utf-8")
        beside.replace(path)
    except OSError as error:
        raise InvalidOptionError(f"{path}: cannot be written ({error}).") from error


def read_json(path: Path) -> dict[str, Any]:
    """A file this module wrote, or an error that names it."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InvalidValueError(f"{path}: cannot be read ({error}). Delete it to have it made again.") from error
    if not isinstance(content, dict):
        raise InvalidValueError(f"{path}: not written by camobo. Delete it to have it made again.")
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


def one_run(setting: Setting, method: Method, run: int, on_step: Step) -> Record:
    """Algorithm 1 from the first observations to the last, and its regrets where the problem has a formula."""
    began = time.perf_counter()
    given = experiment(setting.experiment, setting.options)
    seed = setting.seed + run
    cost = cost_of(method, given.order)
    plan = Plan(given.space, given.objectives, cost, setting.iterations, seed, "paper")
    trace = follow(plan, _measured(given, setting, seed), on_step)
    n = plan.initial
    regrets: tuple[Array | None, ...] = (None, None, None)
    if given.function is not None:
        made = surveyed(given.name, tuple(sorted(setting.options.items())))
        regrets = _regrets(given, made, plan, method, trace)
    first, chosen = (trace.units[:n], trace.values[:n]), (trace.units[n:], trace.values[n:])
    whole = round(time.perf_counter() - began, 3)
    return Record(method, run, *first, *chosen, np.array(trace.seconds), whole, *regrets)


@dataclass(frozen=True, slots=True)
class Trace:
    """Everything a run went through: all points and values, and of each step θ, the discount and the seconds."""

    units: Array
    values: Array
    weights: Array
    discounts: tuple[Discount | None, ...]
    seconds: tuple[float, ...]
    gps: tuple[GP, ...]


def follow(plan: Plan, measure: Callable[[Array], Array], on_step: Step) -> Trace:
    """Ask the engine for as many points as the plan's budget, after d + 1 random ones; measure each, (d,) to (M,)."""
    d = plan.space.dimension
    rng = np.random.default_rng([plan.seed, zlib.crc32(b"first observations")])
    units = plan.space.snap(rng.random((plan.initial, d)))
    values = np.array([measure(unit) for unit in units])
    none, models = np.empty((0, d)), None
    drawn, seconds = [], []
    for t in range(1, (plan.budget or 0) + 1):
        start = time.perf_counter()
        found = suggest(plan, Data(units, plan.signs * values, none, none, t), len(units), models)
        seconds.append(round(time.perf_counter() - start, 6))
        models = found.models
        drawn.append(_drawn(found.acquisition, plan.signs * values))
        units, values = np.vstack([units, found.unit]), np.vstack([values, measure(found.unit)])
        on_step()
    weights, discounts = zip(*drawn, strict=True)
    return Trace(units, values, np.array(weights), discounts, tuple(seconds), models.gps if models else ())


def _drawn(acquisition: Acquisition | None, signed: Array) -> tuple[Array, Discount | None]:
    """θ_t and the discount 1 − C(·, t) behind a suggestion. The engine keeps θ divided by each objective's range."""
    if acquisition is None or not isinstance(utility := acquisition.terms[0].utility, ScalarisedUCB):
        raise RuntimeError("the engine suggested a point of Algorithm 1 without its acquisition")
    scaled = np.column_stack([gp.standardise(signed[:, m]) for m, gp in enumerate(acquisition.gps)])
    theta = utility.weights * np.maximum(np.ptp(scaled, axis=0), 1e-9)
    return theta, acquisition.terms[0].discount


def _measured(given: Experiment, setting: Setting, seed: int) -> Callable[[Array], Array]:
    """(d,) point of the unit cube to (M,) values."""
    function, space = given.function, given.space
    if function is not None:
        return lambda unit: function(unit[None, :])[0]
    measure = _objective(setting.experiment, tuple(sorted(setting.options.items())), seed)
    return lambda unit: np.array(measure(space.from_unit(unit)))


def _objective(name: str, options: tuple[tuple[str, Any], ...], seed: int) -> Callable[[Mapping[str, Any]], Any]:
    given = dict(options)
    if name == "forest":
        from camobo.paper import forest

        return forest.objective(str(given["dataset"]))
    from camobo.paper import network

    return network.objective(_loaded(given["data"]), int(given["epochs"]), seed)


@cache
def _loaded(data: str | None) -> Any:
    from camobo.paper import digits

    return digits.load(data)


@cache
def surveyed(name: str, options: tuple[tuple[str, Any], ...]) -> regret.Survey:
    """The dense sample of an experiment's whole space, made once a process."""
    given = experiment(name, dict(options))
    signs = np.array([1.0 if goal == "max" else -1.0 for goal in given.objectives.values()])
    function = given.function
    if function is None:
        raise InvalidOptionError(f"experiment {name!r}: what is measured has no known maximum, and so no regret.")
    return regret.survey(given.space, lambda units: signs * function(units))


def _regrets(
    given: Experiment, made: regret.Survey, plan: Plan, method: Method, trace: Trace
) -> tuple[Array, Array, Array]:
    """Regrets under the common yardstick and under the method's own cost, and the bound on the latter's sum."""
    chosen = trace.units[plan.initial :]
    own = regret.instantaneous(made, chosen, trace.weights, trace.discounts)
    yardstick = own
    if method != "paper":
        rng = np.random.default_rng([plan.seed, zlib.crc32(b"yardstick")])
        cost, names = PaperCost(given.order), given.space.names
        common = [cost.at(Moment(t, plan.budget), names, rng) for t in range(1, len(chosen) + 1)]
        yardstick = regret.instantaneous(made, chosen, trace.weights, common)
    rng = np.random.default_rng(0)
    sample = given.space.features(given.space.snap(rng.random((_GAIN_POINTS, given.space.dimension))))
    priors = [
        regret.Prior(
            regret.information_gain(sample, gp.hyper, gp.kernel, len(chosen)),
            gp.hyper.noise / gp.hyper.signal,
            math.sqrt(gp.hyper.signal) * gp.scale / float(made.best[m] - made.worst[m]),
        )
        for m, gp in enumerate(trace.gps)
    ]
    bound = regret.theorem_bound(trace.weights, priors, log_points(given.space))
    return yardstick.round(9), own.round(9), bound.round(6)
