"""What the kernel for outcomes with many humps gains: the same studies with it, and with a Matérn kernel alone.

    python benchmarks/kernels.py [SEEDS]     (default 20; `make tune-kernel`)

Five problems, a budget of 100 trials and a reference. Seeds start at 1000; nothing was chosen on them. The table is
written to `results/kernels.md`.
"""

from __future__ import annotations

import os

os.environ["OMP_NUM_THREADS"] = "1"
os.environ["OPENBLAS_NUM_THREADS"] = "1"

import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from camobo import Study
from camobo.model.kernels import KERNELS, KernelName
from camobo.problems import branin_currin, cross_holder, dtlz2, matyas_booth, zdt3

RESULTS = Path(__file__).parent / "results"
FIRST_SEED, EVALUATIONS = 1000, 100
PROBLEMS = {p.name: p for p in (zdt3(), cross_holder(), matyas_booth(), branin_currin(), dtlz2(inputs=4, objectives=2))}


def use(kernel: KernelName) -> None:
    """Make this process use that kernel for outcomes with many humps."""
    KERNELS["humps"] = KERNELS[kernel]


def run(job: tuple[str, int]) -> float:
    """One study from start to end: its hypervolume as a share of the best."""
    problem = PROBLEMS[job[0]]
    reference = dict(zip(("f1", "f2"), problem.reference, strict=True))
    study = Study(problem.space, {"f1": "min", "f2": "min"}, budget=EVALUATIONS, reference=reference, seed=job[1])
    study.optimize(problem, EVALUATIONS)
    values = np.array([list(trial.values.values()) for trial in study.trials if trial.values])
    return problem.hypervolume(values) / problem.best_hypervolume


def shares(kernel: KernelName, name: str, seeds: int) -> np.ndarray[Any, Any]:
    """All seeds of a problem, on several processes."""
    with ProcessPoolExecutor(2, initializer=use, initargs=(kernel,)) as pool:
        return np.array(list(pool.map(run, [(name, FIRST_SEED + seed) for seed in range(seeds)])))


def row(name: str, seeds: int) -> str:
    """Both kernels on one problem: means, and the mean difference in hypervolume with its standard error."""
    narrow, wide = shares("matern52", name, seeds), shares("humps", name, seeds)
    difference = wide - narrow
    error = difference.std(ddof=1) / np.sqrt(seeds)
    return f"| {name} | {narrow.mean():.4f} | {wide.mean():.4f} | {difference.mean():+.4f} ± {error:.4f} |"


def main() -> None:
    """Measure and write the table."""
    seeds = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    lines = [
        f"# The kernel for many humps and a Matérn kernel alone, {seeds} seeds from {FIRST_SEED}",
        "",
        f"Share of the best hypervolume after {EVALUATIONS} evaluations with a reference: means, and the mean",
        "difference with its standard error. Made by `make tune-kernel`.",
        "",
        "| problem | Matérn alone | with humps | difference |",
        "|---|---|---|---|",
    ]
    for name in PROBLEMS:
        lines.append(row(name, seeds))
        print(lines[-1], flush=True)
    (RESULTS / "kernels.md").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
