"""How the additive cost's strength and cooling were chosen for the paper's experiments.

    python benchmarks/tune_paper.py [SEEDS] [ITERATIONS]     (default 3 and 500; `make tune-paper`)

Seeds start at 1000 here and at 0 in the experiments: nothing that is reported was used for the choice. The table,
relative to MO-UCB over the same seeds, is written to `results/tune_paper.md`.
Finished runs are stored in the temporary folder, so that a stopped tuning can be continued.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

os.environ["OMP_NUM_THREADS"] = "1"
os.environ["OPENBLAS_NUM_THREADS"] = "1"

import numpy as np

from camobo.acquisition.pareto import hypervolume
from camobo.cost.additive import AdditiveCost
from camobo.paper.experiments import ADDITIVE_COOLING, ADDITIVE_STRENGTH, SYNTHETIC, cost_of, experiment
from camobo.paper.processes import Step, work_through
from camobo.paper.results import signs_of
from camobo.paper.runs import follow, surveyed
from camobo.strategy.plan import Plan

RESULTS = Path(__file__).parent / "results"
FIRST_SEED = 1000
SETTINGS = ("mo-ucb", "paper", "1 1", "4 2", "6 3", "4 4", "12 4", "16 5")
"""The baseline, the paper's cost with ascending weights, and additive costs by strength and cooling."""


def run(job: tuple[Path, str, str, int, int], on_step: Step) -> None:
    """One run: the use of each input and both hypervolumes, written to a file."""
    path, name, label, seed, iterations = job
    given = experiment(name, {})
    function = given.function
    if function is None or given.reference is None:
        raise RuntimeError(f"{name} has no formula")
    if label in ("mo-ucb", "paper"):
        cost: Any = cost_of(label, given.order)  # type: ignore[arg-type]
    else:
        strength, cooling = map(float, label.split())
        cost = AdditiveCost(given.order, strength=strength, cooling=cooling, power=0.0)
    plan = Plan(given.space, given.objectives, cost, iterations, seed, "paper")
    trace = follow(plan, lambda unit: function(unit[None, :])[0], lambda: None)
    survey, signs = surveyed(name, ()), signs_of(given)
    used = trace.units[plan.initial :].sum(axis=0)
    near = hypervolume(signs * trace.values, signs * np.array(given.reference))
    path.write_text(json.dumps([*used.tolist(), near, hypervolume(survey.mapped(trace.units), np.zeros(2))]))
    on_step()


def table(found: dict[str, list[list[float]]], seeds: int, iterations: int) -> str:
    lines = [
        "# Strength and cooling of the additive cost in the paper's experiments",
        "",
        f"{iterations} iterations, {seeds} seeds from {FIRST_SEED}, relative to MO-UCB's means. Hypervolumes: the",
        "paper's (objectives mapped to [0, 1], reference at the worst corner) and one with a reference near the front.",
        f"Chosen: strength {ADDITIVE_STRENGTH:g}, cooling {ADDITIVE_COOLING:g}.",
        "",
        "| problem | strength, cooling | Σ x1 | order kept | hypervolume, the paper's | hypervolume, near |",
        "|---|---|---|---|---|---|",
    ]
    for name in SYNTHETIC:
        blind = np.array(found[f"{name}/mo-ucb"])
        for label in SETTINGS[1:]:
            rows = np.array(found[f"{name}/{label}"])
            ratios = rows.mean(axis=0) / blind.mean(axis=0)
            kept = np.all(np.diff(rows[:, :-2], axis=1) > 0, axis=1).mean()
            what = "the paper's cost, ascending" if label == "paper" else label.replace(" ", ", ")
            lines.append(f"| {name} | {what} | {ratios[0]:.3f} | {kept:.2f} | {ratios[-1]:.4f} | {ratios[-2]:.3f} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    seeds, iterations = (int(sys.argv[i]) if len(sys.argv) > i else default for i, default in ((1, 3), (2, 500)))
    folder = Path(tempfile.gettempdir()) / f"camobo-tune-paper-{iterations}"
    folder.mkdir(exist_ok=True)
    paths = {
        (name, label, seed): folder / f"{name}-{label.replace(' ', '-')}-{seed}.json"
        for label in SETTINGS
        for name in SYNTHETIC
        for seed in range(FIRST_SEED, FIRST_SEED + seeds)
    }
    jobs = [(path, *key, iterations) for key, path in paths.items() if not path.exists()]
    work_through(jobs, run, os.cpu_count() or 1, lambda: print(".", end="", flush=True))
    found: dict[str, list[list[float]]] = {}
    for (name, label, _), path in paths.items():
        found.setdefault(f"{name}/{label}", []).append(json.loads(path.read_text()))
    (RESULTS / "tune_paper.md").write_text(table(found, seeds, iterations))
    print("\n" + table(found, seeds, iterations))


if __name__ == "__main__":
    main()
