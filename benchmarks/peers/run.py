"""Run the contest: make the missing runs, each in its own process.

    cd benchmarks
    python -m peers.run                         all problems, methods and ten seeds (days on one core)
    python -m peers.run --short                 a small trial of everything: 2 seeds, 20 evaluations
    python -m peers.run --seeds 3 --problems zdt3,forest --methods camobo,random
    python -m peers.run --left                  how many runs are missing, and about how long they will take

Each run is written to results/peers.jsonl.gz (peers_short.jsonl.gz) as soon as it ends. A run is not repeated unless it
was stopped by a shorter limit. Limits are 8 GB and 15 minutes of processor time; a run that meets one, or fails, is
recorded as far as it came. A method that met a limit on three seeds of a problem is run on five seeds only, as many as
a test needs; one that met a limit once is not run with more objectives. Seed 0 of everything comes first, then seed 1,
and so on, so the contest can be stopped at any time. Several may run at once with different `--methods`. Methods that
are not installed are reported and skipped.
"""

from __future__ import annotations

import os

os.environ["OMP_NUM_THREADS"] = "1"
os.environ["OPENBLAS_NUM_THREADS"] = "1"
os.environ["MKL_NUM_THREADS"] = "1"

import argparse
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from peers.chosen import able
from peers.limits import limited, why
from peers.measures import ENOUGH
from peers.methods import METHODS, installed
from peers.problems import CONTESTS, SMALLER, Contest
from peers.records import RESULTS, append, read
from peers.surroundings import restart_in_surroundings

Runs: TypeAlias = dict[tuple[Any, ...], dict[str, Any]]
MEMORY_BYTES = 8 * 1024**3
CPU_SECONDS = 15 * 60.0
SEEDS, SHORT_SEEDS = 10, 2
TRIES = 3  # stopped runs of a method on a problem, after which it gets only as many runs as a test needs
MANY_OBJECTIVES = 6  # from here on the hypervolume is slow and computed at every tenth evaluation only


def results_file(short: bool) -> Path:
    """The file that stores the runs."""
    return RESULTS / ("peers_short.jsonl.gz" if short else "peers.jsonl.gz")


def stored(file: Path) -> Runs:
    """The last record of every run, by problem, method and seed."""
    return read(file, "problem", "method", "seed")


def measure(problem: str, method: str, seed: int, evaluations: int, seconds: float) -> dict[str, Any]:
    """One run in this process, as far as it came, and why it ended."""
    contest = CONTESTS[problem]()
    entry, begun = METHODS[method], time.process_time()
    session = entry.made(contest, seed)
    starts = np.random.default_rng(seed).random((max(5, contest.inputs + 1), contest.inputs))
    if entry.start == "cheap":
        starts *= 0.5
    given = 0 if entry.start == "own" else len(starts)
    found: dict[str, list[Any]] = {"units": [], "values": [], "constraints": [], "money": [], "asks": []}
    status, detail = "finished", ""
    try:
        for number in range(evaluations):
            start = time.process_time()
            unit = starts[number] if number < given else session.ask()
            found["asks"].append(time.process_time() - start)
            measured = contest.measure(unit)
            session.tell(unit, measured)
            found["units"].append(unit)
            for name in ("values", "constraints", "money"):
                found[name].append(getattr(measured, name))
            if time.process_time() - begun > seconds and number + 1 < evaluations:
                status = "time"
                break
    except Exception as error:  # a method that fails is a result: it is recorded, not hidden
        status, detail = why(error), f"{type(error).__name__}: {error}"[:300]
    return {"status": status, "detail": detail, "cpu_seconds": time.process_time() - begun, **curves(contest, found)}


def curves(contest: Contest, found: dict[str, list[Any]]) -> dict[str, Any]:
    """What a run comes to: shares of the best hypervolume, money, use of each input, seconds per ask."""
    count = len(found["units"])
    values = np.array(found["values"]).reshape(count, contest.objectives)
    constraints = np.array(found["constraints"]).reshape(count, contest.constraints)
    stride = 10 if contest.objectives >= MANY_OBJECTIVES else 1
    at = sorted({*range(stride, count + 1, stride), *([count] if count else [])})
    return {
        "evaluations": count,
        "at": at,
        "hypervolume": [round(contest.hypervolume(values[:n], constraints[:n]), 5) for n in at],
        "money": [round(float(np.sum(found["money"][:n])), 4) for n in at],
        "use": [round(float(total), 3) for total in np.sum(found["units"], axis=0)] if count else [],
        "asks": [round(float(np.mean(found["asks"][max(0, n - 10) : n])), 5) for n in range(10, count + 1, 10)],
    }


def options() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description="camobo next to its peers")
    parser.add_argument("--short", action="store_true", help="2 seeds, 20 evaluations: does everything run?")
    parser.add_argument("--seeds", type=int, default=None, help=f"how many ({SEEDS}; with --short {SHORT_SEEDS})")
    parser.add_argument("--problems", default=",".join(CONTESTS), help="default: %(default)s")
    parser.add_argument("--methods", default=",".join(METHODS), help="default: %(default)s")
    parser.add_argument("--left", action="store_true", help="print what is missing, run nothing")
    return parser.parse_args()


def main() -> None:
    """Make the missing runs."""
    given = options()
    file = results_file(given.short)
    seconds = 120.0 if given.short else CPU_SECONDS
    methods, problems = installed(given.methods.split(",")), ready(given.problems.split(","))
    seeds = range(given.seeds or (SHORT_SEEDS if given.short else SEEDS))
    asked = [(problem, method, seed) for seed in seeds for problem in problems for method in methods]
    print(left(stored(file), asked, seconds), flush=True)
    for key in [] if given.left else asked:
        if wanted(stored(file), *key, seconds):
            run_one(file, *key, seconds, short=given.short)


def left(runs: Runs, asked: Sequence[tuple[str, str, int]], seconds: float) -> str:
    """How many runs are missing, and an estimate of the processor hours they will take.

    The estimate of a run is the median of its method on its problem; without such runs, on all problems; without any,
    the limit.
    """
    missing = [key for key in asked if wanted(runs, *key, seconds)]
    total = 0.0
    for problem, method, _ in missing:
        alike = [(key[0], run["cpu_seconds"]) for key, run in runs.items() if key[1] == method and "cpu_seconds" in run]
        same = [cpu for where, cpu in alike if where == problem] or [cpu for _, cpu in alike]
        total += float(np.median(same)) if same else seconds
    count = "1 run" if len(missing) == 1 else f"{len(missing)} runs"
    return f"{count} to make, about {total / 3600.0:.1f} hours of processor time"


def ready(names: Sequence[str]) -> list[str]:
    """The problems that can be made here."""

    def obstacle(made: Callable[[], Contest]) -> str | None:
        try:
            made()
        except ImportError as error:
            return str(error)
        return None

    return able("problem", names, CONTESTS, obstacle)


def wanted(runs: Runs, problem: str, method: str, seed: int, seconds: float) -> bool:
    """Whether to make a run: it is missing or was stopped by a shorter limit, and may finish within this one."""
    old = runs.get((problem, method, seed))
    if old is not None:
        return bool(old["status"] == "time" and old["limit"] < seconds)
    stopped = [key[0] for key, run in runs.items() if key[1] == method and run["status"] in ("time", "memory")]
    if any(smaller in stopped for smaller in SMALLER.get(problem, ())):
        return False
    return seed < ENOUGH or stopped.count(problem) < TRIES


def run_one(file: Path, problem: str, method: str, seed: int, seconds: float, *, short: bool) -> None:
    """Make one run within the limits and store it."""

    def task() -> dict[str, Any]:
        evaluations = CONTESTS[problem]().evaluations
        allowed = METHODS[method].stretch * (min(evaluations, 20) if short else evaluations)
        return measure(problem, method, seed, allowed, seconds)

    status, outcome = limited(task, 4 * seconds, MEMORY_BYTES)
    record = {
        "problem": problem,
        "method": method,
        "seed": seed,
        "limit": seconds,
        "versions": METHODS[method].versions(),
        **(outcome if status == "finished" else {"status": status, "detail": outcome}),
    }
    append(file, record)
    reached = record.get("hypervolume") or [0.0]
    shown = f"{record['status']}, hypervolume {reached[-1]:.3f}, {record.get('cpu_seconds', 0):.0f} s"
    print(f"{problem}, {method}, seed {seed}: {shown} {record['detail'][:80]}", flush=True)


if __name__ == "__main__":
    restart_in_surroundings()
    main()
