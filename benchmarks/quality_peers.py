"""Quality of the peers: hypervolume after 25, 50, 75 and 100 evaluations on problems whose best is known.

    python benchmarks/quality_peers.py            make the missing runs
    python benchmarks/quality_peers.py --table    print the results so far

Each finished run is written to `results/peers_quality.json` at once, so the script can be stopped and continued. Runs
come one at a time, each in its own process, limited to 8 GB and 45 minutes of processor time. A run that meets a limit
is recorded as far as it came, and repeated only under a longer limit. Seed 0 of everything comes first, then seed 1,
and so on.
"""

from __future__ import annotations

import os

os.environ["OMP_NUM_THREADS"] = "1"
os.environ["OPENBLAS_NUM_THREADS"] = "1"
os.environ["MKL_NUM_THREADS"] = "1"

import json
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from camobo.problems import Problem, branin_currin, dtlz2, zdt3
from peers import timing
from peers.limits import limited, why

RESULTS = Path(__file__).parent / "results" / "peers_quality.json"
PROBLEMS: dict[str, Problem] = {
    "zdt3-5d": zdt3(inputs=5),
    "branin-currin": branin_currin(),
    "dtlz2-4d-2": dtlz2(inputs=4, objectives=2),
    "dtlz2-4d-3": dtlz2(inputs=4, objectives=3),
}
NAMES = ("gpsampler", "qlognehvi")
SEEDS = range(5)
EVALUATIONS, INITIAL = 100, 5
CHECKPOINTS = (25, 50, 75, 100)
MEMORY_BYTES = 8 * 1024**3
CPU_SECONDS = 45 * 60.0


def measure(problem: Problem, peer: str, seed: int) -> dict[str, Any]:
    """One run in this process, as far as it came, and why it ended: "finished", "time", "memory" or "error"."""
    start, cpu_start, status, detail, found = time.perf_counter(), time.process_time(), "finished", "", []
    try:
        for _, values in timing.steps(peer, problem, seed, EVALUATIONS, INITIAL):
            found.append(values)
            if time.process_time() - cpu_start > CPU_SECONDS and len(found) < EVALUATIONS:
                status = "time"
                break
    except Exception as error:  # a peer that fails is a result: it is recorded, not hidden
        status, detail = why(error), f"{type(error).__name__}: {error}"[:500]
    reached = {str(n): problem.hypervolume(np.array(found[:n])) for n in CHECKPOINTS if n <= len(found)}
    return {
        "status": status,
        "detail": detail,
        "evaluations": len(found),
        "hypervolume": problem.hypervolume(np.array(found)),
        "trajectory": reached,
        "seconds": time.perf_counter() - start,
        "cpu_seconds": time.process_time() - cpu_start,
    }


def in_own_process(problem: Problem, peer: str, seed: int) -> dict[str, Any]:
    """`measure` in its own process, within the limits.

    `measure` itself counts processor time, between asks, so that a busy machine does not fail a peer. The limit on the
    clock is only for an ask that never ends.
    """
    start = time.perf_counter()
    status, result = limited(lambda: measure(problem, peer, seed), 4 * CPU_SECONDS, MEMORY_BYTES)
    if status == "finished":
        return dict(result)
    return {"status": status, "detail": result, "seconds": time.perf_counter() - start}


def stored() -> dict[str, Any]:
    """All runs so far, by "problem/peer/seed"."""
    return dict(json.loads(RESULTS.read_text())) if RESULTS.exists() else {}


def store(results: dict[str, Any]) -> None:
    """Replace the results file in one step, so that it is never half written."""
    RESULTS.parent.mkdir(exist_ok=True)
    draft = RESULTS.with_suffix(".tmp")
    draft.write_text(json.dumps(results, indent=1, allow_nan=False) + "\n")
    os.replace(draft, RESULTS)


def is_due(record: dict[str, Any] | None) -> bool:
    """Whether a run is missing, or was stopped by a shorter time limit."""
    return record is None or (record["status"] == "time" and record.get("limit", 0.0) < CPU_SECONDS)


def table(results: dict[str, Any]) -> str:
    """Mean share of the best hypervolume and mean processor seconds per run, one row per problem and peer."""
    lines = [
        "| problem | peer | seeds | of best, at 25 / 50 / 75 / 100 | least at 100 | CPU s per run | not finished |"
    ]
    lines.append("|---|---|---|---|---|---|---|")
    for name, problem in PROBLEMS.items():
        for peer in NAMES:
            runs = [run for key, run in results.items() if key.startswith(f"{name}/{peer}/")]
            done = [run for run in runs if run["status"] == "finished"]
            if not done:
                lines.append(f"| {name} | {peer} | 0 | | | | {len(runs)} |")
                continue
            shares = np.array([[run["trajectory"][str(n)] for n in CHECKPOINTS] for run in done])
            shares /= problem.best_hypervolume
            means = " / ".join(f"{share:.3f}" for share in shares.mean(axis=0))
            seconds = np.mean([run["cpu_seconds"] for run in done])
            least = shares[:, -1].min()
            rest = len(runs) - len(done)
            lines.append(f"| {name} | {peer} | {len(done)} | {means} | {least:.3f} | {seconds:.0f} | {rest} |")
    return "\n".join(lines)


def main() -> None:
    """Make the missing runs, or print the table."""
    if "--table" in sys.argv:
        print(table(stored()))
        return
    for seed in SEEDS:
        for name, problem in PROBLEMS.items():
            for peer in NAMES:
                key = f"{name}/{peer}/{seed}"
                if not is_due(stored().get(key)):
                    continue
                outcome = in_own_process(problem, peer, seed)
                record = {
                    **outcome,
                    "limit": CPU_SECONDS,
                    "best": problem.best_hypervolume,
                    "versions": timing.versions(),
                }
                store({**stored(), key: record})
                print(key, outcome["status"], outcome.get("hypervolume"), outcome.get("cpu_seconds"), flush=True)


if __name__ == "__main__":
    main()
