"""How well a cost is learned from receipts: the error on other points, by the form of the model.

    cd benchmarks
    python -m money.receipts

Receipts are seconds at random points of the two choosing tables; the error is the root mean square of log seconds at
3000 other points, the mean of six draws. Beside it, how often a form contradicts the order. Both tables are written to
results/receipts.md.
"""

from __future__ import annotations

import os

os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"

from collections.abc import Callable

import numpy as np

import camobo as cm
from camobo.cost.ordered import LevelSum
from camobo.cost.protocol import CostModel
from money.bound import falls, prices_within
from money.case import Case, Floats
from money.families import cases
from money.records import RESULTS

COUNTS, DRAWS, POINTS = (3, 6, 12, 25, 50, 100), 6, 3000
PRIOR, SLACK = 1.0, 0.15  # of the ridge: deviation of a slope, and of a receipt
Form = Callable[[Floats, Floats], Callable[[Floats], Floats]]
"""(r, d) points and (r,) log seconds to a function of (n, d) other points, their (n,) predictions."""


def forms(space: cm.Space, order: str) -> dict[str, Form]:
    """What is compared."""
    said, nothing = cm.OrderCost(order).over(space), cm.LearnedCost().over(space)
    assert isinstance(said, LevelSum)
    ranks = cm.Order.parse(order)

    def scaled(points: Floats, logs: Floats) -> Callable[[Floats], Floats]:
        magnitude = float((logs - said.log_cost(points)).mean())
        return lambda others: said.log_cost(others) + magnitude

    def ridge(points: Floats, logs: Floats) -> Callable[[Floats], Floats]:
        here = space.features(points)
        middle = here.mean(axis=0)
        inner = (here - middle).T @ (here - middle) / SLACK**2 + np.eye(here.shape[1]) / PRIOR**2
        slopes = np.linalg.solve(inner, (here - middle).T @ (logs - logs.mean()) / SLACK**2)
        return lambda others: np.asarray(logs.mean() + (space.features(others) - middle) @ slopes)

    def learned(model: CostModel) -> Form:
        return lambda points, logs: model.fitted(points, np.exp(logs)).log_cost

    def around_prices(points: Floats, logs: Floats) -> Callable[[Floats], Floats]:
        return prices_within(said, ranks, points, logs).fitted(points, np.exp(logs)).log_cost

    return {
        "the order, scaled": scaled,
        "prices within the order": lambda points, logs: prices_within(said, ranks, points, logs).log_cost,
        "ridge on features": ridge,
        "process without the order": learned(nothing),
        "process around prices within the order": around_prices,
        "process around the order (built)": learned(said),
    }


def main() -> None:
    """Measure and write the tables."""
    head = [f"| table | form | {' | '.join(map(str, COUNTS))} |", "|---" * (len(COUNTS) + 2) + "|"]
    errors, contradictions = list(head), list(head)
    for case in cases("tables", "choosing"):
        (seconds,) = case.prices.values()
        said = cm.OrderCost(case.order).over(case.space)
        assert isinstance(said, LevelSum)
        truth = falls(lambda units, true=seconds: np.log(true(units)), said, drawn(case.space, POINTS, 0, 0))  # type: ignore[misc]
        contradictions.append(f"| {case.name} | the table itself | {' | '.join([f'{truth:.1%}'] * len(COUNTS))} |")
        for name, form in forms(case.space, case.order).items():
            found = np.array([[judged(case, form, said, count, draw) for draw in range(DRAWS)] for count in COUNTS])
            wrong, against = found.mean(axis=1).T
            errors.append(f"| {case.name} | {name} | {' | '.join(f'{one:.2f}' for one in wrong)} |")
            contradictions.append(f"| {case.name} | {name} | {' | '.join(f'{one:.1%}' for one in against)} |")
            print(errors[-1], contradictions[-1], sep="\n", flush=True)
    (RESULTS / "receipts.md").write_text(TEXT.format("\n".join(errors), "\n".join(contradictions)), encoding="utf-8")


TEXT = """# How well a cost is learned from receipts

Root mean square error of log seconds at other points, by the number of receipts. Made by `python -m money.receipts` in
`benchmarks`.

{}

How often a step of a quarter of its range towards the expensive end of an ordered input is said to cost at least
2 % less. Prices that must agree with the order never say so, and predict worse: the tables themselves disagree here
and there.

{}
"""


def drawn(space: cm.Space, count: int, draw: int, of: int) -> Floats:
    """(n, d) random points."""
    return space.snap(np.random.default_rng([count, draw, of]).random((count, space.dimension)))


def judged(case: Case, form: Form, said: LevelSum, count: int, draw: int) -> tuple[float, float]:
    """The error of one draw, and how often it contradicts the order."""
    (seconds,) = case.prices.values()
    points, others = drawn(case.space, count, draw, 0), drawn(case.space, POINTS, draw, 1)
    predicted = form(points, np.log(seconds(points)))
    wrong = predicted(others) - np.log(seconds(others))
    return float(np.sqrt((wrong**2).mean())), falls(predicted, said, others[:500])


if __name__ == "__main__":
    main()
