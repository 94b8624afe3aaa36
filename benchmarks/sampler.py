"""Speed of the Optuna sampler: next to the bare strategy, next to Optuna's GPSampler, and with more objectives.

    python benchmarks/sampler.py            prints the table and writes results/sampler.md
    python benchmarks/sampler.py --quick    one round, writes nothing

Machines are shared, so each ratio is taken within one run: the two sides take turns, ask by ask, on the same kind of
data, in processor time of one thread. Both sides fit their models at every tenth ask, so a figure is the mean over ten
asks, and the median of several such means is shown.
"""

from __future__ import annotations

import os

os.environ["OMP_NUM_THREADS"] = "1"
os.environ["OPENBLAS_NUM_THREADS"] = "1"
os.environ["MKL_NUM_THREADS"] = "1"

import platform
import statistics
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import optuna

from camobo.optuna import CostAwareSampler
from camobo.problems import Problem, dtlz2, zdt3
from camobo.strategy.plan import Data, Plan
from camobo.strategy.protocol import Fitted
from camobo.strategy.suggest import suggest

optuna.logging.set_verbosity(optuna.logging.WARNING)
warnings.filterwarnings("ignore", category=optuna.exceptions.ExperimentalWarning)
RESULTS = Path(__file__).parent / "results" / "sampler.md"
ROUND = 10  # asks per fit of the models


class InOptuna:
    """An Optuna study that starts with `count` random points; `step` asks once and tells."""

    def __init__(self, problem: Problem, sampler: optuna.samplers.BaseSampler, count: int) -> None:
        uniform: Any = optuna.distributions.FloatDistribution(0, 1)
        self.problem = problem
        self.space = dict.fromkeys(problem.space.names, uniform)
        self.study = optuna.create_study(directions=["minimize"] * len(problem.objectives), sampler=sampler)
        for unit in _start(problem, count):
            params = dict(zip(self.space, unit.tolist(), strict=True))
            values = problem.evaluate(unit[None])[0].tolist()
            self.study.add_trial(optuna.create_trial(params=params, distributions=self.space, values=values))

    def step(self) -> float:
        """Seconds of one ask, including suggesting and storing its parameters."""
        start = time.process_time()
        trial = self.study.ask(self.space)
        seconds = time.process_time() - start
        unit = np.array([trial.params[name] for name in self.space])
        self.study.tell(trial, self.problem.evaluate(unit[None])[0].tolist())
        return seconds


class Bare:
    """The strategy alone, given the models of the last suggestion."""

    def __init__(self, problem: Problem, count: int) -> None:
        self.problem = problem
        goals: Any = dict(problem.objectives)
        self.plan = Plan(problem.space, goals)
        self.units = _start(problem, count)
        self.fitted: Fitted | None = None

    def step(self) -> float:
        """Seconds of one suggestion."""
        none = np.zeros((0, self.problem.space.dimension))
        count = len(self.units)
        data = Data(self.units, -self.problem.evaluate(self.units), none, none, count + 1)
        start = time.process_time()
        found = suggest(self.plan, data, count, self.fitted)
        seconds = time.process_time() - start
        self.fitted, self.units = found.fitted, np.vstack([self.units, found.unit])
        return seconds


def _start(problem: Problem, count: int) -> np.ndarray[Any, Any]:
    return np.random.default_rng(count).random((count, problem.space.dimension))


def means(sides: list[Callable[[], float]], rounds: int) -> list[float]:
    """Per side, the median over rounds of its mean seconds per step; the sides take turns."""
    found: list[list[float]] = [[] for _ in sides]
    for side in sides:
        side()  # imports and first fits
    for _ in range(rounds):
        spent = [0.0 for _ in sides]
        for _ in range(ROUND):
            for i, side in enumerate(sides):
                spent[i] += side() / ROUND
        for i, seconds in enumerate(spent):
            found[i].append(seconds)
    return [statistics.median(seconds) for seconds in found]


def rows(rounds: int) -> list[tuple[str, str, str, bool]]:
    """The rows of the table: what, the bar, the figures, and whether the bar was reached."""
    table = []
    problem = zdt3()

    def add(what: str, bar: str, measured: str, reached: bool) -> None:
        table.append((what, bar, measured, reached))
        print(f"{what}: {measured} ({bar})", flush=True)

    sampler, bare = means([InOptuna(problem, CostAwareSampler(seed=0), 200).step, Bare(problem, 200).step], rounds)
    shown = f"{sampler / bare:.2f} ({1e3 * sampler:.1f} ms / {1e3 * bare:.1f} ms)"
    add("sampler against the bare engine, ZDT3 5-D, n = 200", "<= 1.25", shown, sampler / bare <= 1.25)
    for count in (50, 200):
        theirs = optuna.samplers.GPSampler(seed=0, deterministic_objective=True)
        ours, gp = means(
            [InOptuna(problem, CostAwareSampler(seed=0), count).step, InOptuna(problem, theirs, count).step], 1
        )
        shown = f"{gp / ours:.1f} x ({1e3 * gp:.0f} ms / {1e3 * ours:.1f} ms)"
        add(f"GPSampler against ours in the same study, 2 objectives, n = {count}", ">= 6 x", shown, gp / ours >= 6)
    sides = [InOptuna(dtlz2(12, m), CostAwareSampler(seed=0), 100) for m in (2, 10)]
    few, many = means([side.step for side in sides], rounds)
    shown = f"{many / few:.2f} ({1e3 * few:.1f} ms, {1e3 * many:.1f} ms)"
    add("10 objectives against 2, DTLZ2 12-D, n = 100", "<= 5.5", shown, many / few <= 5.5)
    return table


def main() -> None:
    """Measure, print, and write the table."""
    table = rows(1 if "--quick" in sys.argv else 5)
    lines = ["| what | bar | measured | reached |", "|---|---|---|---|"]
    lines += [f"| {what} | {bar} | {shown} | {'yes' if good else '**no**'} |" for what, bar, shown, good in table]
    machine = f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    text = (
        f"# Measured by `make bench-sampler`\n\n{machine}, Optuna {optuna.__version__}.\n\n" + "\n".join(lines) + "\n"
    )
    if "--quick" not in sys.argv:
        RESULTS.write_text(text)


if __name__ == "__main__":
    main()
