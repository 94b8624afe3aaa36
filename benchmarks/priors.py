"""How sure models are under two priors of length scales, and how often they are right.

    cd benchmarks
    python priors.py

Models of the first objective of problems for choosing, from a few random points each. The table is written to
results/priors.md.
"""

from __future__ import annotations

import os

os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"

from pathlib import Path

import numpy as np

from camobo.model import fitting
from camobo.model.hyper import USUAL, VAGUE, LengthScales
from money.case import Case
from money.families import case

RESULTS = Path(__file__).parent / "results"
PROBLEMS = ("naval_propulsion", "protein_structure", "kursawe", "poloni", "truss", "drawn-62", "drawn-88", "drawn-96")
COUNTS, DRAWS, POINTS = (15, 30, 60), 10, 500
PRIORS = {"vague": VAGUE, "usual": USUAL}
SURE = 1.96


def main() -> None:
    """Measure and write the table."""
    lines = [
        "# How sure models are under two priors of length scales, and how often they are right",
        "",
        f"Error of the predicted mean at {POINTS} other points, in standard deviations of the outcome, and how many of",
        f"them lie in the predicted 95 % interval; means of {DRAWS} draws. Median length scales are √f times",
        f"{VAGUE.median:.1f} (vague) and {USUAL.median:.2f} (usual), for f features. Made by `python priors.py` in",
        "`benchmarks`.",
        "",
        f"| problem | prior | {' | '.join(f'{count} points' for count in COUNTS)} |",
        "|---" * (len(COUNTS) + 2) + "|",
    ]
    for problem in map(case, PROBLEMS):
        for name, lengths in PRIORS.items():
            found = [
                np.mean([judged(problem, lengths, count, draw) for draw in range(DRAWS)], axis=0) for count in COUNTS
            ]
            lines.append(f"| {problem.name} | {name} | {' | '.join(f'{e:.2f}, {inside:.0%}' for e, inside in found)} |")
            print(lines[-1], flush=True)
    (RESULTS / "priors.md").write_text("\n".join(lines) + "\n", encoding="utf-8")


def judged(problem: Case, lengths: LengthScales, count: int, draw: int) -> tuple[float, float]:
    """The error of a model of `count` random points, and the share of other points inside its intervals."""
    space, rng = problem.space, np.random.default_rng([count, draw])
    units = space.snap(rng.random((count + POINTS, space.dimension)))
    features, values = space.features(units), problem.evaluate(units)[:, 0]
    model = fitting.fit(features[:count], values[:count], kernel="matern52", lengths=lengths)
    mean, deviation = model.posterior(features[count:])
    wrong = np.abs(mean - model.standardise(values[count:]))
    return float(np.sqrt((wrong**2).mean()) / model.standardise(values).std()), float((wrong < SURE * deviation).mean())


if __name__ == "__main__":
    main()
