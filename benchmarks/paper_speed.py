"""Time a suggestion takes in the paper's experiments, and how it grows with the observations.

    python benchmarks/paper_speed.py [ITERATIONS]     (default 500; `make bench-paper`)

One run of each synthetic problem by MO-UCB and by CA-MOBO, in this process alone. Regret is computed once a run, after
it; its share of the time is shown too. The last line says how long the whole comparison, 50 runs of each, would take.
"""

from __future__ import annotations

import os
import sys

os.environ["OMP_NUM_THREADS"] = "1"
os.environ["OPENBLAS_NUM_THREADS"] = "1"

from camobo.paper.experiments import METHODS, SYNTHETIC, Method, experiment
from camobo.paper.folder import Setting, machine
from camobo.paper.runs import one_run

COMPARED: tuple[Method, ...] = ("mo-ucb", "paper")


def main() -> None:
    iterations = int(sys.argv[1]) if len(sys.argv) > 1 else 500
    early = min(50, iterations)
    print(f"{machine()}\n")
    print(f"| problem | method | ms a suggestion | around t = {early} | around t = {iterations} | growth | regret |")
    print("|---|---|---|---|---|---|---|")
    whole = 0.0
    for name in SYNTHETIC:
        for method in COMPARED:
            record = one_run(Setting(name, iterations, 2000, {}), method, 0, lambda: None)
            ms = 1e3 * record.seconds
            first, last = ms[early - 10 : early].mean(), ms[-10:].mean()
            asked = float(record.seconds.sum())
            print(
                f"| {name} | {METHODS[method]} | {ms.mean():.1f} | {first:.1f} | {last:.1f} | {last / first:.1f}× "
                f"| {(record.whole - asked) / record.whole:.0%} |",
                flush=True,
            )
            whole += record.whole * experiment(name, {}).paper.runs
    print(f"\n50 runs of each, {iterations} iterations long, on 2 cores at this pace: {whole / 2 / 60:.0f} minutes.")


if __name__ == "__main__":
    main()
