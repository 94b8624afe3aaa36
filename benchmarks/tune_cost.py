"""How the constants of the additive cost were chosen: money and hypervolume per setting, relative to cost=None.

    python benchmarks/tune_cost.py [SEEDS]     (default 4; `make tune`)

Seeds start at 300 here, and at 0 in the figures of `bench.py`. The two are not fully separate: seeds 0 to 3 were used
in the first rounds of the choice, and the default was changed several times after seeds 0 to 9 had been looked at.
Finished settings are stored in `results/tune_cost.json` and used again while camobo's sources are the same (`sources`).
The table is written to `results/tune_cost.md`.
"""

from __future__ import annotations

import json
import sys
from dataclasses import astuple
from pathlib import Path
from typing import Any

import cost_study
from sources import fingerprint

RESULTS = Path(__file__).parent / "results"
FILE = RESULTS / "tune_cost.json"
FIRST_SEED, SEEDS = 300, 4
SETTINGS: list[dict[str, Any]] = [
    {"strength": 4.0, "cooling": 1.0, "indifference": 0.0, "power": 0.0},
    {"strength": 32.0, "cooling": 1.7, "indifference": 0.02, "power": 0.0},
    {"strength": 0.0, "cooling": 1.7, "indifference": 0.0, "power": 1.0},
    {"strength": 8.0, "cooling": 1.7, "indifference": 0.0, "power": 1.0},
    {"strength": 8.0, "cooling": 1.7, "indifference": 0.06, "power": 1.0},
    {"strength": 8.0, "cooling": 1.7, "indifference": 0.035, "power": 1.0},
]
"""Exponential alone; with exploration bonus; power alone; both without bonus, with a large and with a small one."""
SMALL = [
    {"strength": 8.0, "cooling": 1.7, "indifference": 0.035, "power": 1.0},
    {"strength": 0.0, "cooling": 1.7, "indifference": 0.0, "power": 1.0},
    {},
]
"""For small budgets: the constants for 100 evaluations, the power alone, and the default, which lies between."""


def measure(setting: dict[str, Any], budget: int, seeds: int, stored: dict[str, Any]) -> list[cost_study.Outcome]:
    """The outcomes of one setting on all problems: the stored ones, or measured and stored now."""
    key = f"{fingerprint()} {seeds} {budget} {json.dumps(setting, sort_keys=True)}"
    if key not in stored:
        jobs = [(name, FIRST_SEED + seed, setting, budget) for name in cost_study.PROBLEMS for seed in range(seeds)]
        stored[key] = [astuple(outcome) for outcome in cost_study.run_many(jobs)]
        FILE.write_text(json.dumps(stored) + "\n")
    return [cost_study.Outcome(*numbers) for numbers in stored[key]]


def main() -> None:
    """Measure every setting and write the table."""
    seeds = int(sys.argv[1]) if len(sys.argv) > 1 else SEEDS
    stored = json.loads(FILE.read_text()) if FILE.exists() else {}
    stored = {key: found for key, found in stored.items() if key.startswith(fingerprint())}
    lines = [
        f"# The constants of the additive cost, {seeds} seeds from {FIRST_SEED}",
        "",
        "Ratios to the same study with cost=None. Money: geometric means over all ten problems, and over the five that",
        "are not flipped. Hypervolume: mean and worst of the ten. Last column: money to 95 % of the best hypervolume",
        "possible; a run that misses it is charged twice what it spent. Made by `make tune`.",
        "",
        "| budget | strength | cooling | indifference | power | money | money, not flipped | hypervolume | worst |"
        " to 95 % |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for budget, setting in [(100, s) for s in SETTINGS] + [(budget, s) for budget in (50, 30) for s in SMALL]:
        blind = measure({"cost": None}, budget, seeds, stored)
        found = cost_study.compare(measure(setting, budget, seeds, stored), blind, seeds).summary()
        constants = [f"{value:g}" for value in setting.values()] or ["default", "", "", ""]
        lines.append(f"| {' | '.join([str(budget), *constants, *(f'{value:.3f}' for value in found.values())])} |")
        print(lines[-1], flush=True)
    (RESULTS / "tune_cost.md").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
