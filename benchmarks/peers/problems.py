"""The contest's problems: unit-cube inputs, objectives to minimise, constraints that must be ≤ 0, and money.

Only the method that divides by the cost knows the prices: 2^(k-j) per unit of input j, scaled to sum to one, plus a
tenth per evaluation. On the forest, money is processor seconds (`forest`).
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from camobo.acquisition.pareto import hypervolume
from camobo.problems import Problem, branin_currin, cross_holder, dtlz2, matyas_booth, zdt3
from camobo.problems.functions import Floats
from peers import forest


@dataclass(frozen=True, slots=True)
class Measured:
    """What one evaluation gives: (M,) values, (K,) constraints, and its cost."""

    values: Floats
    constraints: Floats
    money: float


@dataclass(frozen=True, slots=True)
class Contest:
    """A problem of the contest."""

    inputs: int
    objectives: int
    constraints: int
    reference: tuple[float, ...]
    ideal: tuple[float, ...]
    """Roughly the best value of each objective; sets the scale for peers that scalarise."""
    best: float
    """Hypervolume of the true front, or of the best known one."""
    measure: Callable[[Floats], Measured]
    price: Callable[[Floats], Floats] | None
    """(n,) money at (n, d) points; None if it is only known after the evaluation."""
    evaluations: int = 100

    def hypervolume(self, values: Floats, constraints: Floats) -> float:
        """Hypervolume of the feasible rows of (n, M) values, as a share of the best."""
        feasible = values[(constraints <= 0.0).all(axis=1)]
        return hypervolume(-feasible, -np.array(self.reference)) / self.best


def hidden_price(units: Floats) -> Floats:
    """(n,) money at (n, k) points."""
    k = units.shape[1]
    prices = 2.0 ** (k - np.arange(1, k + 1))
    return np.asarray(units @ (prices / prices.sum()) + 0.1)


def synthetic(problem: Problem, ideal: tuple[float, ...] | None = None, *, evaluations: int = 100) -> Contest:
    """A problem of `camobo.problems`, with hidden prices."""

    def measure(unit: Floats) -> Measured:
        return Measured(problem.evaluate(unit[None])[0], np.zeros(0), float(hidden_price(unit[None])[0]))

    d, m = problem.space.dimension, len(problem.objectives)
    best = problem.best_hypervolume
    scale = (0.0,) * m if ideal is None else ideal
    return Contest(d, m, 0, problem.reference, scale, best, measure, hidden_price, evaluations)


def _zdt(power: float, best: float, inputs: int = 6) -> Contest:
    """ZDT1 (power 1/2) or ZDT2 (power 2): f2 = g (1 − (f1 / g)^power), g = 1 + 9 mean(x2 …)."""

    def measure(unit: Floats) -> Measured:
        g = 1.0 + 9.0 * float(unit[1:].mean())
        values = np.array([unit[0], g * (1.0 - (unit[0] / g) ** power)])
        return Measured(values, np.zeros(0), float(hidden_price(unit[None])[0]))

    # Of the box below (1.1, 1.1), what lies under the front f2 = 1 − f1^power is not dominated: power / (power + 1).
    return Contest(inputs, 2, 0, (1.1, 1.1), (0.0, 0.0), best, measure, hidden_price)


def _pymoo(key: str, reference: tuple[float, ...], ideal: tuple[float, ...], best: float) -> Contest:
    """A constrained engineering problem of pymoo, with constraints in units of their spread over the cube.

    The best hypervolume known is that of 100,000 evaluations of NSGA-II (0.3997 and 17.30), rounded up.
    """
    from pymoo.problems import get_problem

    given: Any = get_problem(key)
    low, span = given.xl, given.xu - given.xl
    scale = given.evaluate(low + np.random.default_rng(0).random((2000, given.n_var)) * span, return_as_dictionary=True)
    spread = np.maximum(scale["G"].std(axis=0), 1e-12)

    def measure(unit: Floats) -> Measured:
        found = given.evaluate((low + unit * span)[None], return_as_dictionary=True)
        return Measured(found["F"][0], found["G"][0] / spread, float(hidden_price(unit[None])[0]))

    return Contest(given.n_var, given.n_obj, given.n_ieq_constr, reference, ideal, best, measure, hidden_price)


def _forest() -> Contest:
    """Random forest on digits; money is its training time in seconds, from a table.

    A grid of 80 points reaches a hypervolume of 0.982. The best known is that, rounded up, so a share may exceed one.
    """
    import sklearn  # noqa: F401  # report a missing package before any run

    def measure(unit: Floats) -> Measured:
        return Measured(forest.evaluate(unit), np.zeros(0), forest.seconds(unit))

    return Contest(forest.INPUTS, 2, 0, (0.5, 3.6), (0.04, 0.9), 1.0, measure, None, evaluations=60)


DTLZ2_OBJECTIVES = (2, 4, 6, 8, 10)

CONTESTS: dict[str, Callable[[], Contest]] = {
    "zdt3": lambda: synthetic(zdt3(), (0.0, -0.8)),
    "cross-holder": lambda: synthetic(cross_holder(), (-2.06, -19.2)),
    "matyas-booth": lambda: synthetic(matyas_booth(), (0.0, 0.0)),
    "branin-currin": lambda: synthetic(branin_currin(), (0.4, 1.2)),
    "zdt1": lambda: _zdt(0.5, 1.1 * 1.1 - 1.0 / 3.0),
    "zdt2": lambda: _zdt(2.0, 1.1 * 1.1 - 2.0 / 3.0),
    **{f"dtlz2-{m}": functools.partial(synthetic, dtlz2(max(4, m + 2), m)) for m in DTLZ2_OBJECTIVES},
    "welded-beam": lambda: _pymoo("welded_beam", (40.0, 0.012), (2.4, 0.0004), 0.401),
    "car-side": lambda: _pymoo("carside", (45.0, 4.1, 13.0), (23.6, 3.58, 10.6), 17.4),
    "forest": _forest,
}
"""Made on demand: some need packages that may be missing."""

SMALLER: dict[str, list[str]] = {
    f"dtlz2-{m}": [f"dtlz2-{less}" for less in DTLZ2_OBJECTIVES if less < m] for m in DTLZ2_OBJECTIVES
}
"""The same problem with fewer objectives."""
