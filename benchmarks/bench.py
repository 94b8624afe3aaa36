"""camobo's figures and the bars they must reach: speed, and quality without a cost. What a cost saves: `money`.

    python benchmarks/bench.py            everything, next to Optuna and BoTorch (needs the `bench` extra)
    python benchmarks/bench.py --quick    without peers, few seeds; writes nothing
    python benchmarks/bench.py quality    one part again: import, peers, objectives, "long run" or quality

Prints the table and writes it to `results/bench.md`, each part as last measured. The peers' hypervolumes come from
`quality_peers.py`. Everything runs on one thread. Ratios are taken within one run, because machines differ and are
shared.
"""

from __future__ import annotations

import os

os.environ["OMP_NUM_THREADS"] = "1"
os.environ["OPENBLAS_NUM_THREADS"] = "1"
os.environ["MKL_NUM_THREADS"] = "1"

import functools
import json
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from camobo import Study
from camobo.model.models import refit_point
from camobo.problems import Problem, branin_currin, dtlz2, zdt3

RESULTS = Path(__file__).parent / "results"
ASKS = 7
_PEER_MEMORY = 20 * 1024**3  # GPSampler takes 10 GB for one suggestion with four objectives


@dataclass(frozen=True, slots=True)
class Row:
    """One row of the table."""

    what: str
    bar: str
    measured: str
    reached: bool | None


def observations(problem: Problem, count: int, kind: str) -> np.ndarray[Any, Any]:
    """(n, d) points to start from: "random" ones, or the first `count` of a "run" of a study."""
    rng = np.random.default_rng(count)
    if kind == "random":
        return rng.random((count, problem.space.dimension))
    study = Study(problem.space, _goals(problem), seed=count)
    study.optimize(problem, count)
    return np.array([problem.space.to_unit(trial.params) for trial in study.trials])


def _goals(problem: Problem) -> Any:
    return dict(problem.objectives)


def seconds_per_ask(problem: Problem, units: np.ndarray[Any, Any], cost: str | None = None) -> float:
    """Median seconds per ask between two fits, plus the seconds of a fit divided by the asks between fits."""
    study = Study(problem.space, _goals(problem), cost=cost, seed=0)
    for unit in units:
        params = problem.space.from_unit(unit)
        study.add(params, problem(params))
    start = time.perf_counter()
    trial = study.ask()  # fits
    first = time.perf_counter() - start
    times: list[float] = []
    fits = 0
    while len(times) < ASKS:
        before = refit_point(len(study.trials) - 1, 10)
        study.tell(trial, problem(trial.params))
        fits = refit_point(len(study.trials), 10)
        start = time.perf_counter()
        trial = study.ask()
        if fits == before:
            times.append(time.perf_counter() - start)
    between = statistics.median(times)
    interval = next(i for i in range(1, 10_000) if refit_point(fits + i, 10) != fits)
    return between + max(0.0, first - between) / interval


def timing_rows() -> Iterator[Row]:
    """Seconds per ask, next to the peers'."""
    from peers import timing
    from peers.limits import limited

    large = dtlz2(inputs=12, objectives=4)
    seconds_per_ask(zdt3(), observations(zdt3(), 10, "random"))  # the first ask of a process also loads modules
    for problem, count, kind, bars in (
        (zdt3(), 50, "random", (8, 25)),
        (zdt3(), 200, "random", (8, 25)),
        (zdt3(), 500, "random", (10, 25)),
        (zdt3(), 50, "run", (8, 25)),
        (zdt3(), 200, "run", (8, 25)),
        (zdt3(), 500, "run", (10, 25)),
        (large, 100, "random", (20, 20)),
    ):
        units = observations(problem, count, kind)
        ours = seconds_per_ask(problem, units)
        for peer, bar in zip(("gpsampler", "chebyshev-ucb"), bars, strict=True):
            task = functools.partial(timing.seconds_per_ask, peer, problem, units, ASKS)
            status, found = limited(task, 900, _PEER_MEMORY)
            size = f"{problem.space.dimension}-D M={len(problem.objectives)} n={count}"
            what = f"ask, {problem.name} {size} ({kind} points), against {peer}"
            if status == "finished":
                shown = f"{found / ours:.1f}x ({1e3 * found:.0f} ms / {1e3 * ours:.1f} ms)"
                yield Row(what, f">= {bar}x", shown, found / ours >= bar)
            else:
                yield Row(what, f">= {bar}x", f"{peer} stopped: {status}, no ratio; ours {1e3 * ours:.1f} ms", None)


def objectives_row() -> Row:
    """How the time per ask grows with the number of objectives."""
    seconds = []
    for objectives in (2, 8):
        problem = dtlz2(inputs=8, objectives=objectives)
        seconds.append(seconds_per_ask(problem, observations(problem, 100, "random")))
    ratio = seconds[1] / seconds[0]
    return Row("time per ask, M = 8 against M = 2 (DTLZ2 8-D, n = 100)", "<= 4.4", f"{ratio:.2f}", ratio <= 4.4)


def halves_row(iterations: int) -> Row:
    """How much longer the second half of a run takes than the first."""
    problem = zdt3()
    study = Study(problem.space, _goals(problem), seed=0, budget=iterations)
    seconds = []
    for _ in range(2):
        start = time.perf_counter()
        study.optimize(problem, iterations // 2)
        seconds.append(time.perf_counter() - start)
    ratio = seconds[1] / seconds[0]
    shown = f"{ratio:.2f} ({seconds[0]:.1f} s, {seconds[1]:.1f} s)"
    return Row(f"{iterations}-iteration ZDT3 run, second half against first", "<= 6", shown, ratio <= 6)


def quality_rows(seeds: int) -> Iterator[Row]:
    """Hypervolume after 100 evaluations without cost, next to the better peer's."""
    stored = RESULTS / "peers_quality.json"
    peers = json.loads(stored.read_text()) if stored.exists() else {}
    for name, problem in {
        "zdt3-5d": zdt3(),
        "branin-currin": branin_currin(),
        "dtlz2-4d-2": dtlz2(inputs=4, objectives=2),
        "dtlz2-4d-3": dtlz2(inputs=4, objectives=3),
    }.items():
        ours = statistics.mean(_hypervolume(problem, seed) for seed in range(seeds))
        found = {}
        for peer in ("gpsampler", "qlognehvi"):
            runs = [
                run for key, run in peers.items() if key.startswith(f"{name}/{peer}/") and run["status"] == "finished"
            ]
            if runs:
                found[peer] = (statistics.mean(run["hypervolume"] for run in runs), len(runs))
        what = f"hypervolume after 100 evaluations, {name}, mean of {seeds} seeds"
        if not found:
            yield Row(what, ">= 0.98 of the better peer", f"{ours:.4f}; no runs of peers", None)
            continue
        best = max(value for value, _ in found.values())
        shown = ", ".join(f"{peer} {value:.4f} ({count} seeds)" for peer, (value, count) in found.items())
        if len(found) == 2:
            yield Row(
                what, ">= 0.98 of the better peer", f"{ours / best:.3f} ({ours:.4f}; {shown})", ours / best >= 0.98
            )
        else:
            shown += "; the other peer has no finished run, so the bar is open"
            yield Row(what, ">= 0.98 of the better peer", f"{ours / best:.3f} ({ours:.4f}; {shown})", None)


def _hypervolume(problem: Problem, seed: int) -> float:
    reference = dict(zip(problem.objectives, problem.reference, strict=True))  # as qLogNEHVI has it
    study = Study(problem.space, _goals(problem), seed=seed, budget=100, reference=reference).optimize(problem, 100)
    return problem.hypervolume(np.array([list(trial.values.values()) for trial in study.trials if trial.values]))


def import_row() -> Row:
    """Import time relative to NumPy and SciPy: medians over new interpreters, in turn."""

    def seconds(statement: str) -> float:
        code = f"import time; s = time.perf_counter(); {statement}; print(time.perf_counter() - s)"
        return float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout)

    pairs = [(seconds("import camobo"), seconds("import numpy, scipy")) for _ in range(9)]
    ratio = statistics.median(a for a, _ in pairs) / statistics.median(b for _, b in pairs)
    whole = statistics.median(seconds("from camobo import Study") for _ in range(5))
    shown = f"{ratio:.2f} (with Study loaded: {1e3 * whole:.0f} ms)"
    return Row("import camobo against numpy + scipy", "<= 1.5", shown, ratio <= 1.5)


def table(rows: list[Row]) -> str:
    """The rows as Markdown."""
    mark = {True: "yes", False: "**no**", None: "–"}
    lines = ["| what | bar | measured | reached |", "|---|---|---|---|"]
    return "\n".join([*lines, *(f"| {r.what} | {r.bar} | {r.measured} | {mark[r.reached]} |" for r in rows)])


def parts(quick: bool) -> dict[str, Callable[[], Any]]:
    """The parts of the table, by name."""
    few = {
        "import": import_row,
        "objectives": objectives_row,
        "long run": lambda: halves_row(100 if quick else 500),
        "quality": lambda: quality_rows(1 if quick else 5),
    }
    return few if quick else {"import": import_row, "peers": timing_rows, **few}


def main() -> None:
    """Measure all parts, or those named, print each row, and write the table of everything measured so far."""
    quick = "--quick" in sys.argv
    every = parts(quick)
    chosen = [name for name in every if name in sys.argv[1:]] or list(every)
    store = RESULTS / "bench.json"
    measured: dict[str, list[Row]] = {}
    if store.exists() and not quick:
        measured = {part: [Row(*row) for row in rows] for part, rows in json.loads(store.read_text()).items()}
    for name in chosen:
        found = every[name]()
        measured[name] = []
        for row in [found] if isinstance(found, Row) else found:
            measured[name].append(row)
            print(f"{row.what}: {row.measured} ({row.bar})", flush=True)
    text = table([row for name in every for row in measured.get(name, [])])
    print("\n" + text)
    if not quick:
        store.write_text(
            json.dumps({part: [astuple(row) for row in rows] for part, rows in measured.items()}, indent=1) + "\n"
        )
        machine = (
            f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, NumPy {np.__version__}"
        )
        (RESULTS / "bench.md").write_text(
            f"# Measured by `make bench`\n\n{machine}. Each part as last measured.\n\n{text}\n"
        )


if __name__ == "__main__":
    main()
