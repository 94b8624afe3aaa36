"""One run of an experiment, and making the runs that are missing.

Run r starts from the same d + 1 random observations for every method, so methods are compared in pairs. Algorithm 1 is
given these observations as D, the default strategy as its initial design; sums of inputs, regrets and money count only
the T points chosen afterwards.
"""

from __future__ import annotations

import math
import time
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, TypeAlias

import numpy as np

from camobo.acquisition.acquisition import Acquisition
from camobo.acquisition.scalarisation import flat_weights
from camobo.acquisition.utilities import ScalarisedUCB
from camobo.arrays import Array
from camobo.cost.paper import PaperCost
from camobo.cost.protocol import Discount
from camobo.errors import InvalidOptionError
from camobo.model.blas import one_thread
from camobo.model.gp import GP
from camobo.paper import regret
from camobo.paper.departures import DepartingStrategy, Departure, initial_observations
from camobo.paper.experiments import Experiment, Method, experiment, planned
from camobo.paper.folder import Job, Record, Setting, store
from camobo.paper.processes import Step, work_through
from camobo.strategy.paper import log_points
from camobo.strategy.plan import Data, Plan
from camobo.strategy.suggest import suggest

Measure: TypeAlias = Callable[[Mapping[str, Any]], Sequence[float]]
"""From params to values in the order of the objectives."""

_GAIN_POINTS = 2000  # points of the space over which γ is bounded


def ready(setting: Setting) -> None:
    """Raise if packages or data files are missing, before any run is made."""
    given = experiment(setting.experiment, setting.options)
    if given.function is None:
        _objective(setting.experiment, tuple(sorted(setting.options.items())), setting.seed)


def source(setting: Setting) -> str | None:
    """Where the data of a measured experiment come from, as a phrase; None if it has a formula."""
    if setting.experiment == "network":
        return str(_loaded(setting.options["data"]).source)
    if setting.experiment == "forest":
        return f"{setting.options['dataset']} of scikit-learn"
    return None


def make(jobs: Sequence[Job], processes: int, on_step: Step, measure: Measure | None = None) -> None:
    """Make the runs, several at once; each is stored when it is finished.

    `measure` is for a problem of one's own, whose jobs do not have it yet.
    """
    if jobs:
        jobs[0].path.parent.mkdir(exist_ok=True)
    given = [job if measure is None else replace(job, measure=measure) for job in jobs]
    work_through(given, _make_one, processes, on_step)


def _make_one(job: Job, on_step: Step) -> None:
    store(job.path, one_run(job.setting, job.method, job.run, on_step, job.measure))


def one_run(setting: Setting, method: Method, run: int, on_step: Step, measure: Measure | None = None) -> Record:
    """Make a run. Regrets are computed for Algorithm 1 if the problem has a formula."""
    began = time.process_time()
    given = experiment(setting.experiment, setting.options)
    seed = setting.seed + run
    plan = planned(given, method, setting.iterations, seed, setting.beta)
    trace = follow(plan, setting.iterations, _measured(given, setting, seed, measure), on_step, setting.departures)
    n = len(trace.units) - setting.iterations
    regrets: tuple[Array | None, ...] = (None, None, None, None)
    if given.function is not None and trace.draws:
        survey = surveyed(given.name, tuple(sorted(setting.options.items())))
        regrets = _regrets(given, survey, plan, method, trace, n)
    first, chosen = (trace.units[:n], trace.values[:n]), (trace.units[n:], trace.values[n:])
    whole = round(time.process_time() - began, 3)
    return Record(method, run, *first, *chosen, np.array(trace.seconds), whole, *regrets)


@dataclass(frozen=True, slots=True)
class Draw:
    """(M,) θ_t and the discount 1 − C(·, t) of a step of Algorithm 1; without a cost, None."""

    weights: Array
    discount: Discount | None


@dataclass(frozen=True, slots=True)
class Trace:
    """All points and values of a run; seconds and draw of each step, no draws without Algorithm 1; the last models."""

    units: Array
    values: Array
    seconds: tuple[float, ...]
    draws: tuple[Draw, ...]
    gps: tuple[GP, ...]


def follow(
    plan: Plan,
    iterations: int,
    measure: Callable[[Array], Array],
    on_step: Step,
    departures: tuple[Departure, ...] = (),
) -> Trace:
    """Measure the initial observations, then so many suggested points; `measure` maps (d,) to (M,)."""
    d, algorithm = plan.space.dimension, DepartingStrategy(departures)
    units = initial_observations(plan, departures)
    values = np.array([measure(unit) for unit in units])
    none, fitted = np.empty((0, d)), None
    draws, seconds = [], []
    for t in range(1, iterations + 1):
        start = time.process_time()
        data = Data(units, plan.signs * values, none, none, t)
        if plan.method == "paper":
            with one_thread():
                found = algorithm.step(plan, data, len(units), t, None if fitted is None else fitted.outcomes)
        else:
            found = suggest(plan, data, len(units), fitted)
        seconds.append(round(time.process_time() - start, 6))
        fitted = found.fitted
        if found.acquisition is not None and plan.method == "paper":
            draws.append(_drawn(found.acquisition, plan.signs * values))
        units, values = np.vstack([units, found.unit]), np.vstack([values, measure(found.unit)])
        on_step()
    gps = fitted.outcomes.gps if fitted is not None and fitted.outcomes is not None else ()
    return Trace(units, values, tuple(seconds), tuple(draws), gps)


def drawn_again(plan: Plan, first: int, iterations: int) -> list[Draw]:
    """The draws of a run by the text that started from so many observations: they depend on its seed alone."""
    draws = []
    for t in range(1, iterations + 1):
        rng = plan.stream("suggestion", first + t - 1)
        discount = plan.cost.at(t, plan.space, rng) if isinstance(plan.cost, PaperCost) else None
        draws.append(Draw(flat_weights(len(plan.objectives), rng), discount))
    return draws


def common_discounts(given: Experiment, plan: Plan, iterations: int) -> list[Discount]:
    """1 − C with ascending weights for every t: the yardstick for methods that have another cost."""
    rng = np.random.default_rng([plan.seed, zlib.crc32(b"yardstick")])
    cost = PaperCost(given.order)
    return [cost.at(t, given.space, rng) for t in range(1, iterations + 1)]


def _drawn(acquisition: Acquisition | None, signed: Array) -> Draw:
    """θ_t and discount of a suggestion of Algorithm 1. Its utility holds θ divided by each objective's range."""
    if acquisition is None or not isinstance(utility := acquisition.utility, ScalarisedUCB):
        raise RuntimeError("a suggestion of Algorithm 1 has no scalarised acquisition")
    scaled = np.column_stack([gp.standardise(signed[:, m]) for m, gp in enumerate(acquisition.gps)])
    theta = utility.weights * np.maximum(np.ptp(scaled, axis=0), 1e-9)
    return Draw(theta, acquisition.discount)


def _measured(given: Experiment, setting: Setting, seed: int, measure: Measure | None) -> Callable[[Array], Array]:
    """A function from (d,) points of the unit cube to (M,) values."""
    function, space = given.function, given.space
    if function is not None:
        return lambda unit: function(unit[None, :])[0]
    if measure is None:
        measure = _objective(setting.experiment, tuple(sorted(setting.options.items())), seed)
    return lambda unit: np.array(measure(space.from_unit(unit)))


def _objective(name: str, options: tuple[tuple[str, Any], ...], seed: int) -> Measure:
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
    """The dense sample of an experiment's whole space, made once per process."""
    given = experiment(name, dict(options))
    signs = np.array([1.0 if goal == "max" else -1.0 for goal in given.objectives.values()])
    function = given.function
    if function is None:
        raise InvalidOptionError(
            f"experiment {name!r}: its values are measured, so its maximum and regret are unknown."
        )
    return regret.survey(given.space, lambda units: signs * function(units))


def _regrets(
    given: Experiment, survey: regret.Survey, plan: Plan, method: Method, trace: Trace, first: int
) -> tuple[Array, Array, Array, Array]:
    """Regrets under the common cost and under the method's own, and the bound on the sum of the latter, twice."""
    chosen = trace.units[first:]
    weights = np.array([draw.weights for draw in trace.draws])
    own = regret.instantaneous(survey, chosen, weights, [draw.discount for draw in trace.draws])
    common = own
    if method != "paper":
        common = regret.instantaneous(survey, chosen, weights, common_discounts(given, plan, len(chosen)))
    rng = np.random.default_rng(0)
    sample = given.space.features(given.space.snap(rng.random((_GAIN_POINTS, given.space.dimension))))
    priors = [
        regret.Prior(
            regret.information_gain(sample, gp.hyper, gp.kernel, len(chosen)),
            gp.hyper.noise / gp.hyper.signal,
            math.sqrt(gp.hyper.signal) * gp.standard.scale / float(survey.best[m] - survey.worst[m]),
        )
        for m, gp in enumerate(trace.gps)
    ]
    printed, proved = (regret.theorem_bound(weights, priors, log_points(given.space), factor) for factor in (1.0, 2.0))
    return common.round(9), own.round(9), printed.round(6), proved.round(6)
