"""What the kernel for outcomes with many humps gains: the same studies with it, and with a Matérn kernel alone.

    python benchmarks/kernels.py [SEEDS]     (default 20; `make tune-kernel`)

Five problems, with an order of costs, a budget of 100 trials and a reference. Seeds start at 1000; nothing was chosen
on them. The table is written to `results/kernels.md`.
"""

from __future__ import annotations

import os

os.environ["OMP_NUM_THREADS"] = "1"
os.environ["OPENBLAS_NUM_THREADS"] = "1"

import sys
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np

from camobo import Study
from camobo.model.kernels import KERNELS, KernelName
from cost_study import AS_THEY_ARE, EVALUATIONS, PROBLEMS, Outcome, outcome

RESULTS = Path(__file__).parent / "results"
FIRST_SEED = 1000


def use(kernel: KernelName) -> None:
    """Make this process use that kernel for outcomes with many humps."""
    KERNELS["humps"] = KERNELS[kernel]


def run(job: tuple[str, int]) -> Outcome:
    """One study from start to end, its hypervolume as a share of the best."""
    problem = PROBLEMS[job[0]]
    study = Study(
        problem.space,
        dict.fromkeys(("f1", "f2"), "min"),
        cost=" > ".join(problem.space.names),
        budget=EVALUATIONS,
        reference=dict(zip(("f1", "f2"), problem.reference, strict=True)),
        seed=job[1],
    )
    study.optimize(problem, EVALUATIONS)
    values = np.array([list(trial.values.values()) for trial in study.trials if trial.values])
    units = np.array([problem.space.to_unit(trial.params) for trial in study.trials])
    found = outcome(problem, units, values)
    return replace(found, hypervolume=found.hypervolume / problem.best_hypervolume)


def outcomes(kernel: KernelName, name: str, seeds: int) -> list[Outcome]:
    """All seeds of a problem, on several processes."""
    with ProcessPoolExecutor(2, initializer=use, initargs=(kernel,)) as pool:
        return list(pool.map(run, [(name, FIRST_SEED + seed) for seed in range(seeds)]))


def row(name: str, seeds: int) -> str:
    """Both kernels on one problem: means, and the mean difference in hypervolume with its standard error."""
    narrow, wide = outcomes("matern52", name, seeds), outcomes("humps", name, seeds)
    difference = np.array([b.hypervolume - a.hypervolume for a, b in zip(narrow, wide, strict=True)])
    error = difference.std(ddof=1) / np.sqrt(seeds)
    shares = [np.mean([o.hypervolume for o in found]) for found in (narrow, wide)]
    spent = [np.mean([o.money for o in found]) for found in (narrow, wide)]
    return (
        f"| {name} | {shares[0]:.4f} | {shares[1]:.4f} | {difference.mean():+.4f} ± {error:.4f} "
        f"| {spent[0]:.1f} | {spent[1]:.1f} |"
    )


def main() -> None:
    """Measure and write the table."""
    seeds = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    lines = [
        f"# The kernel for many humps and a Matérn kernel alone, {seeds} seeds from {FIRST_SEED}",
        "",
        f"Share of the best hypervolume, and money, after {EVALUATIONS} evaluations with an order of costs and a "
        "reference:",
        "means, and the mean difference with its standard error. Made by `make tune-kernel`.",
        "",
        "| problem | hypervolume, Matérn alone | with humps | difference | money, Matérn alone | with humps |",
        "|---|---|---|---|---|---|",
    ]
    for problem in AS_THEY_ARE:
        lines.append(row(problem.name, seeds))
        print(lines[-1], flush=True)
    (RESULTS / "kernels.md").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
