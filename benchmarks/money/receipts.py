"""How well a cost is learned from receipts: the error on other points, by the form of the model.

    cd benchmarks
    python -m money.receipts

Receipts are seconds at random points of the two choosing tables; the error is the root mean square of log seconds at
3000 other points, the mean of six draws. The table is written to results/receipts.md.
"""

from __future__ import annotations

import os

os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"

from collections.abc import Callable

import numpy as np

import camobo as cm
from camobo.cost.protocol import CostModel
from money.case import Floats
from money.families import cases
from money.records import RESULTS

COUNTS, DRAWS, POINTS = (3, 6, 12, 25, 50, 100), 6, 3000
PRIOR, SLACK = 1.0, 0.15  # of the ridge: deviation of a slope, and of a receipt
Form = Callable[[Floats, Floats, Floats], Floats]
"""(r, d) points, (r,) log seconds and (n, d) other points to (n,) predictions."""


def forms(space: cm.Space, order: str) -> dict[str, Form]:
    """What is compared."""
    said, nothing = cm.OrderCost(order).over(space), cm.LearnedCost().over(space)

    def scaled(points: Floats, logs: Floats, others: Floats) -> Floats:
        return said.log_cost(others) + float((logs - said.log_cost(points)).mean())

    def ridge(points: Floats, logs: Floats, others: Floats) -> Floats:
        here, there = space.features(points), space.features(others)
        middle = here.mean(axis=0)
        inner = (here - middle).T @ (here - middle) / SLACK**2 + np.eye(here.shape[1]) / PRIOR**2
        slopes = np.linalg.solve(inner, (here - middle).T @ (logs - logs.mean()) / SLACK**2)
        return np.asarray(logs.mean() + (there - middle) @ slopes)

    def learned(model: CostModel) -> Form:
        return lambda points, logs, others: model.fitted(points, np.exp(logs)).log_cost(others)

    return {
        "the order, scaled": scaled,
        "ridge on features": ridge,
        "process without the order": learned(nothing),
        "process around the order (built)": learned(said),
    }


def main() -> None:
    """Measure and write the table."""
    lines = [
        "# How well a cost is learned from receipts",
        "",
        "Root mean square error of log seconds at other points, by the number of receipts. Made by",
        "`python -m money.receipts` in `benchmarks`.",
        "",
        f"| table | form | {' | '.join(map(str, COUNTS))} |",
        "|---" * (len(COUNTS) + 2) + "|",
    ]
    for case in cases("tables", "choosing"):
        (seconds,) = case.prices.values()
        for name, form in forms(case.space, case.order).items():
            found = [
                np.mean([error(case.space, seconds, form, count, draw) for draw in range(DRAWS)]) for count in COUNTS
            ]
            lines.append(f"| {case.name} | {name} | {' | '.join(f'{one:.2f}' for one in found)} |")
            print(lines[-1], flush=True)
    (RESULTS / "receipts.md").write_text("\n".join(lines) + "\n", encoding="utf-8")


def error(space: cm.Space, seconds: Callable[[Floats], Floats], form: Form, count: int, draw: int) -> float:
    """The error of one draw."""
    rng = np.random.default_rng([count, draw])
    points, others = (space.snap(rng.random((n, space.dimension))) for n in (count, POINTS))
    wrong = form(points, np.log(seconds(points)), others) - np.log(seconds(others))
    return float(np.sqrt((wrong**2).mean()))


if __name__ == "__main__":
    main()
