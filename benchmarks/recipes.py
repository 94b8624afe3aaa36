"""Recipes that must add up: whether every suggestion does, and what that costs per suggestion.

    python benchmarks/recipes.py          writes benchmarks/results/recipes.md, in some minutes
    python benchmarks/recipes.py --quick  a tenth of the suggestions, prints only

Suggestions are checked in the decimals that a user sees, by summing them as fractions, not by camobo's own check.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import numpy as np

import camobo as cm

RESULTS = Path(__file__).parent / "results" / "recipes.md"
TEN = tuple(f"x{j}" for j in range(10))
LIMITS = (" + ".join(TEN) + " == 100", "x0 + x1 <= 40", "2*x2 >= x3", "x4 + x5 + x6 >= 20")
TWENTY = tuple(f"x{j}" for j in range(20))
COUNT = f"count({', '.join(TWENTY)}) <= 3"
MOST_RATIO, MOST_SECONDS = 2.0, 1.0
SPLIT = {"initial": 9000, "in batches": 800, "modelled, one at a time": 200}
TOLD = 15  # trials of each study, apart from the initial ones


@dataclass(frozen=True)
class Seen:
    """How many suggestions were checked and how many broke a constraint, and seconds of processor time of each ask."""

    checked: int = 0
    broken: int = 0
    seconds: tuple[float, ...] = ()

    def __add__(self, other: Seen) -> Seen:
        return Seen(self.checked + other.checked, self.broken + other.broken, self.seconds + other.seconds)


MIXTURE = cm.Space({name: cm.Real(0, 100, step=0.1) for name in TEN}, constraints=LIMITS)
BOX = cm.Space(MIXTURE.inputs)


def mixture(seed: int, space: cm.Space = MIXTURE) -> cm.Study:
    return cm.Study(space, {"strength": "max", "price": "min"}, cost="x0 > x1", seed=seed)


def counted(seed: int, *more: str) -> cm.Study:
    space = cm.Space({name: cm.Real(0, 100, step=1) for name in TWENTY}, constraints=[COUNT, *more])
    return cm.Study(space, {"strength": "max", "price": "min"}, seed=seed)


def fraction(value: float) -> Fraction:
    return Fraction(repr(value))


def adds_up(params: Mapping[str, float]) -> bool:
    """Whether a recipe meets all constraints of the mixture, to the last decimal."""
    x = [fraction(params[name]) for name in TEN]
    grid = all(value * 10 == int(value * 10) and 0 <= value <= 100 for value in x)
    return grid and sum(x) == 100 and x[0] + x[1] <= 40 and 2 * x[2] >= x[3] and x[4] + x[5] + x[6] >= 20


def few_enough(params: Mapping[str, float]) -> bool:
    return sum(value > 0 for value in params.values()) <= 3


def few_and_adds_up(params: Mapping[str, float]) -> bool:
    return few_enough(params) and sum(map(fraction, params.values())) == 100


def tell(study: cm.Study, trial: cm.Trial) -> None:
    """A smooth trade-off whose best recipes lie on several constraints."""
    x = np.array(list(trial.params.values())) / 100
    target = np.linspace(0.3, 0.0, len(x))
    values = {"strength": -float(((x - target) ** 2).sum()), "price": float(x @ np.linspace(1.0, 3.0, len(x)))}
    study.tell(trial, values)


def initial_ones(wanted: int) -> Seen:
    """The initial designs of many studies; nothing is told, so all points are of the design."""
    seen = Seen()
    for seed in range(wanted // 90):
        trials = mixture(seed).ask(90)
        seen += Seen(len(trials), sum(not adds_up(trial.params) for trial in trials))
    return seen


def in_batches(wanted: int) -> Seen:
    """Batches of 20 that models choose."""
    seen = Seen()
    for seed in range(wanted // 80):
        study = mixture(seed)
        for trial in study.ask(10):
            tell(study, trial)
        for _ in range(4):
            trials = study.ask(20)
            seen += Seen(len(trials), sum(not adds_up(trial.params) for trial in trials))
            for trial in trials:
                tell(study, trial)
    return seen


def one_at_a_time(study: cm.Study, count: int, good: object = adds_up) -> Seen:
    """Suggestions by models, after five told trials; their seconds include fitting the models."""
    seen = Seen()
    for number in range(count + 10):
        start = time.process_time()
        trial = study.ask()
        took = time.process_time() - start
        if number >= 10:
            seen += Seen(1, 0 if not callable(good) or good(trial.params) else 1, (took,))
        tell(study, trial)
    return seen


def main(*, quick: bool) -> None:
    part = 10 if quick else 1
    initial, batches = initial_ones(SPLIT["initial"] // part), in_batches(SPLIT["in batches"] // part)
    studies = SPLIT["modelled, one at a time"] // part // 20
    single, box = Seen(), Seen()
    for seed in range(studies):
        single += one_at_a_time(mixture(seed), 20)
        box += one_at_a_time(mixture(seed, BOX), 20, None)
    plain, summed = Seen(), Seen()
    for seed in range(3 // part or 1):
        plain += one_at_a_time(counted(seed), TOLD, few_enough)
        summed += one_at_a_time(counted(seed, " + ".join(TWENTY) + " == 100"), TOLD, few_and_adds_up)
    report(initial, batches, single, box, plain, summed, save=not quick)


def report(initial: Seen, batches: Seen, single: Seen, box: Seen, plain: Seen, summed: Seen, *, save: bool) -> None:
    everything = initial + batches + single
    ratio = float(np.mean(single.seconds) / np.mean(box.seconds))
    split = f"{initial.checked:,} initial, {batches.checked:,} in batches of 20, {single.checked:,} one at a time"
    rows = [
        (
            f"10 components, a sum and three limits, steps of 0.1: violations in {everything.checked:,} ({split})",
            f"{everything.broken}",
            "0",
            everything.broken == 0,
        ),
        (
            "its time per ask against the box of the same size, mean",
            f"{ratio:.2f} × ({1e3 * np.mean(single.seconds):.0f} against {1e3 * np.mean(box.seconds):.0f} ms)",
            f"≤ {MOST_RATIO:g} ×",
            ratio <= MOST_RATIO,
        ),
    ]
    for what, seen in (("at most 3 of 20", plain), ("at most 3 of 20 that add up to 100", summed)):
        rows.append(
            (
                f"{what}: time per ask, mean / longest of {seen.checked}",
                f"{1e3 * np.mean(seen.seconds):.0f} / {1e3 * max(seen.seconds):.0f} ms",
                f"≤ {MOST_SECONDS:g} s",
                max(seen.seconds) <= MOST_SECONDS,
            )
        )
        rows.append((f"{what}: violations", f"{seen.broken}", "0", seen.broken == 0))
    load = os.getloadavg()[0] / (os.cpu_count() or 1)
    lines = ["| | got | bar | |", "|---|---|---|---|"]
    lines += [f"| {what} | {got} | {bar} | {'met' if met else 'missed'} |" for what, got, bar, met in rows]
    text = (
        "# Recipes that must add up\n\nMade by `make bench-recipes`. Times are processor time of one thread, fits of "
        f"the models included. Load of the machine meanwhile: {load:.1f} × its {os.cpu_count()} processors.\n\n"
        + "\n".join(lines)
        + "\n"
    )
    if save:
        RESULTS.write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    main(quick=parser.parse_args().quick)
