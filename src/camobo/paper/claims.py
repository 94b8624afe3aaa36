"""The paper's claims about its experiments, each judged by the measured runs.

A claim about means is judged by the 95 % interval of a mean, a difference or a ratio, never by a share of runs:

    holds         the whole interval lies on the claimed side
    contradicted  the whole interval lies on the other side
    not shown     it lies on both: more runs might decide

"About the same" is within 2 % for hypervolume, 10 % for sums of inputs. A claim of several parts holds if all of them
do, and is contradicted if one is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from camobo.arrays import Array
from camobo.paper.statistics import Interval, Summary, in_order, mean, quantile, ratio, share, versus

Verdict: TypeAlias = Literal["holds", "contradicted", "not shown"]
VERDICTS: tuple[Verdict, ...] = ("holds", "contradicted", "not shown")

_SAME, _ABOUT = 0.02, 0.1
_OPTIMUM = 0.99  # of the best: a run that reaches it has found the optimum


class Finding(NamedTuple):
    """A verdict and what was measured."""

    verdict: Verdict
    evidence: str


Judge: TypeAlias = Callable[[Summary, str], Finding]
"""Judges a claim by a summary and the method that stands for CA-MOBO."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A sentence of the paper about an experiment, and the function that judges it."""

    text: str
    judge: Judge


def findings(summary: Summary, method: str) -> list[tuple[Claim, Finding]]:
    """Every claim about an experiment with its finding; none without runs of MO-UCB and of the method."""
    if not {"mo-ucb", method} <= set(summary["methods"]):
        return []
    return [(claim, claim.judge(summary, method)) for claim in CLAIMS.get(_key(summary), ())]


def _key(summary: Summary) -> str:
    setting = summary["setting"]
    two = setting["experiment"] == "steel" and setting["options"].get("objectives") == 2
    return "steel-2" if two else str(setting["experiment"])


def below(found: Interval, limit: float) -> Verdict:
    """Whether an interval lies below a limit."""
    return "holds" if found.high < limit else "contradicted" if found.low > limit else "not shown"


def above(found: Interval, limit: float) -> Verdict:
    """Whether an interval lies above a limit."""
    return "holds" if found.low > limit else "contradicted" if found.high < limit else "not shown"


def about(found: Interval, target: float, tolerance: float) -> Verdict:
    """Whether an interval lies within a share of a target."""
    low, high = target * (1.0 - tolerance), target * (1.0 + tolerance)
    if found.low >= low and found.high <= high:
        return "holds"
    return "contradicted" if found.high < low or found.low > high else "not shown"


def all_of(verdicts: Iterable[Verdict]) -> Verdict:
    """The verdict on a claim of several parts."""
    given = set(verdicts)
    return "contradicted" if "contradicted" in given else "not shown" if "not shown" in given else "holds"


def _use(summary: Summary, method: str) -> Array:
    """(R, k) sums of the inputs of the order."""
    return np.array(summary["methods"][method]["use"], dtype=np.float64)


def _of(key: str) -> Callable[[Any], Array]:
    return lambda numbers: np.array(numbers[key], dtype=np.float64)


def _compared(key: str, what: str, side: Callable[[Interval, float], Verdict], digits: int = 3) -> Judge:
    """Whether a number is below or above MO-UCB's."""

    def judge(summary: Summary, method: str) -> Finding:
        found = versus(summary, method, _of(key))
        return Finding(side(found, 1.0), f"{what} {found.shown(digits)} of MO-UCB's")

    return judge


def _less_used(summary: Summary, method: str) -> Finding:
    found = versus(summary, method, lambda numbers: np.array(numbers["use"])[:, 0])
    return Finding(below(found, 1.0), f"Σ {summary['inputs'][0]} is {found.shown(3)} of MO-UCB's")


def _twice(summary: Summary, method: str) -> Finding:
    """Whether MO-UCB uses twice as much."""
    found = versus(summary, "mo-ucb", lambda numbers: np.array(numbers["use"])[:, 0], method)
    return Finding(about(found, 2.0, _ABOUT), f"MO-UCB's Σ {summary['inputs'][0]} is {found.shown(2)} of CA-MOBO's")


def _ordered(summary: Summary, method: str) -> Finding:
    """Σ x1 < Σ x2 < …, in the mean."""
    used, names = _use(summary, method), summary["inputs"]
    steps = [mean(used[:, j + 1] - used[:, j]) for j in range(used.shape[1] - 1)]
    shown = ", ".join(f"Σ {names[j + 1]} − Σ {names[j]} = {step.shown(1)}" for j, step in enumerate(steps))
    kept = share(in_order(used))
    return Finding(all_of(above(step, 0.0) for step in steps), f"{shown}; in {kept.value:.2f} of the runs")


def _gaps(summary: Summary, method: str) -> tuple[list[int], Array, Array]:
    """Steps t, and the (k − 1, steps) means of Σ x_{j+1} − Σ x_j with how far their intervals reach."""
    numbers = summary["methods"][method]
    reach = quantile(len(numbers["runs"])) * np.array(numbers["gap_error"], dtype=np.float64)
    return numbers["gap_at"], np.array(numbers["gap"], dtype=np.float64), reach


def _at_every_step(*, blind: bool) -> Judge:
    """Σ x1 < Σ x2 at every t for CA-MOBO, or Σ x2 < Σ x1 for MO-UCB."""

    def judge(summary: Summary, method: str) -> Finding:
        steps, gap, reach = _gaps(summary, "mo-ucb" if blind else method)
        claimed = -gap if blind else gap
        shown = np.asarray((claimed - reach > 0.0).all(axis=0), dtype=np.bool_)
        against = np.asarray((claimed + reach < 0.0).any(axis=0), dtype=np.bool_)
        verdict: Verdict = "contradicted" if against.any() else "holds" if shown.all() else "not shown"
        if against.any():
            return Finding(verdict, f"the mean is on the other side at t = {steps[int(np.argmax(against))]}")
        late = len(shown) - int(np.argmin(shown[::-1])) if not shown.all() else 0
        if late == len(steps):
            return Finding(verdict, f"not shown at t = {steps[-1]}" if shown.any() else "shown at no t")
        return Finding(verdict, f"shown from t = {steps[late]} on")

    return judge


def _blind_most(which: int) -> Judge:
    """MO-UCB uses most of one input."""

    def judge(summary: Summary, _: str) -> Finding:
        used, names = _use(summary, "mo-ucb"), summary["inputs"]
        rest = [mean(used[:, which] - used[:, j]) for j in range(used.shape[1]) if j != which]
        sums = " / ".join(f"{total:.1f}" for total in used.mean(axis=0))
        return Finding(all_of(above(found, 0.0) for found in rest), f"Σ {' / '.join(names)} of MO-UCB: {sums}")

    return judge


def _blind_more(summary: Summary, _: str) -> Finding:
    used = _use(summary, "mo-ucb")
    found = mean(used[:, 0] - used[:, 1])
    return Finding(above(found, 0.0), f"Σ x1 − Σ x2 of MO-UCB is {found.shown(1)}")


def _blind_even(summary: Summary, _: str) -> Finding:
    used = _use(summary, "mo-ucb")
    found = ratio(used[:, 0], used[:, 1])
    return Finding(about(found, 1.0, _ABOUT), f"Σ x1 of MO-UCB is {found.shown(3)} of its Σ x2")


def _published(blind: bool, amount: float) -> Judge:
    """A published sum of the most expensive input."""

    def judge(summary: Summary, method: str) -> Finding:
        found = mean(_use(summary, "mo-ucb" if blind else method)[:, 0])
        return Finding(about(found, amount, _ABOUT), f"Σ {summary['inputs'][0]} is {found.shown(1)}")

    return judge


def _same_volume(summary: Summary, method: str) -> Finding:
    found, near = versus(summary, method, _of("mapped")), versus(summary, method, _of("near"))
    evidence = f"the paper's hypervolume is {found.shown(4)} of MO-UCB's, near the front {near.shown(3)}"
    return Finding(about(found, 1.0, _SAME), evidence)


def _mostly_cheap(summary: Summary, method: str) -> Finding:
    found = mean(np.array(summary["methods"][method]["front_cheap"], dtype=np.float64))
    where = f"in the cheaper half of {summary['inputs'][0]}"
    return Finding(above(found, 0.5), f"{found.shown(2)} of the points on a front lie {where}")


def _found_optimum(summary: Summary, method: str) -> Finding:
    """About the mean strength found: within one per cent of the strongest."""
    both = [mean(np.array(summary["methods"][m]["mapped"], dtype=np.float64)) for m in (method, "mo-ucb")]
    evidence = f"{both[0].shown(4)} of the strongest, MO-UCB {both[1].shown(4)}"
    return Finding(all_of(above(found, _OPTIMUM) for found in both), evidence)


def _below_bound(summary: Summary, method: str) -> Finding:
    """About the mean of R(T) / bound over the runs: the proof bounds E[R(T)], and a single run may exceed it."""
    numbers = summary["methods"][method]
    found = mean(np.array(numbers["own_regret"], dtype=np.float64) / np.array(numbers["bound"], dtype=np.float64))
    held = np.array(numbers["below_bound"], dtype=np.bool_)
    evidence = f"R(T) is {found.shown(5)} of the bound; below it at every t in {int(held.sum())} of {len(held)} runs"
    return Finding(below(found, 1.0), evidence)


_BOUND = Claim("the cumulative regret stays below Theorem 1's bound", _below_bound)
_VOLUME = "the paper's hypervolume is"
_EARLY = "after a tenth of the iterations it is"
_DIVERSE = Claim(
    "CA-MOBO's front is more diverse, with more points at high error",
    _compared("front_high_error", "the number of such points is", above),
)

CLAIMS: dict[str, Sequence[Claim]] = {
    "zdt3": (
        Claim("CA-MOBO uses less of x1", _less_used),
        Claim("CA-MOBO's Σ x1 is about 17.8", _published(False, 17.8)),
        Claim("MO-UCB's Σ x1 is about 85.2", _published(True, 85.2)),
        Claim("CA-MOBO's use follows the order, least of x1 and most of x5", _ordered),
        Claim("MO-UCB uses most of x3", _blind_most(2)),
        Claim("both reach about the same hypervolume", _same_volume),
        Claim(
            "MO-UCB has the better average regret at first",
            _compared("early_average_regret", "after a tenth of the iterations CA-MOBO's is", above),
        ),
        Claim(
            "CA-MOBO has the better regret at the end",
            _compared("average_regret", "the average regret at the end is", below),
        ),
        _BOUND,
    ),
    "cross-holder": (
        Claim("CA-MOBO uses less of x1 than of x2", _ordered),
        Claim("CA-MOBO uses less of x1 than MO-UCB", _less_used),
        Claim("MO-UCB uses about as much of x1 as of x2", _blind_even),
        Claim("CA-MOBO reaches the same hypervolume", _same_volume),
        Claim("CA-MOBO's hypervolume is higher at first", _compared("early_mapped", _EARLY, above)),
        Claim(
            "CA-MOBO has the better average and cumulative regret at first",
            _compared("early_average_regret", _EARLY, below),
        ),
        _BOUND,
    ),
    "matyas-booth": (
        Claim("CA-MOBO has used less of x1 than of x2 at every t", _at_every_step(blind=False)),
        Claim("MO-UCB has used more of x1 than of x2 at every t", _at_every_step(blind=True)),
        Claim("MO-UCB uses more of x1 than of x2 in all", _blind_more),
        Claim("MO-UCB explores the expensive region more: CA-MOBO uses less of x1", _less_used),
        Claim("CA-MOBO reaches a better hypervolume", _compared("mapped", _VOLUME, above, 5)),
        _BOUND,
    ),
    "forest": (
        Claim("CA-MOBO uses fewer estimators", _less_used),
        Claim("CA-MOBO's Σ estimators is about 71.4", _published(False, 71.4)),
        Claim("MO-UCB's Σ estimators is about 141.8", _published(True, 141.8)),
        Claim("MO-UCB uses almost twice as many", _twice),
        _DIVERSE,
        Claim(
            "MO-UCB's front has more points at low error",
            _compared("front_low_error", "CA-MOBO's number of such points is", below),
        ),
        Claim("most solutions of CA-MOBO have few estimators", _mostly_cheap),
    ),
    "network": (
        Claim("CA-MOBO uses fewer layers", _less_used),
        _DIVERSE,
        Claim(
            "CA-MOBO's solutions favour the cheaper region",
            _compared("front_use", "the mean use of layers on the fronts is", below),
        ),
    ),
    "steel": (
        Claim("CA-MOBO uses less nickel", _less_used),
        Claim("both find the optimum", _found_optimum),
    ),
}
"""By experiment; none about steel with two objectives, which the paper does not have."""


def of_figure_two(cost: Callable[[int, Array], Array]) -> list[tuple[str, Finding]]:
    """The claims about C itself, given (n,) costs at a step of (n, 2) points; they need no runs."""
    steps = (1, 10, 20, 1000)
    both = np.array([cost(t, np.array([[0.9, 0.9], [0.1, 0.2]])) for t in steps])
    gaps = both[:, 0] - both[:, 1]
    grid = np.stack(np.meshgrid(*[np.linspace(0.0, 1.0, 51)] * 2), axis=-1).reshape(-1, 2)
    least = float(cost(1000, grid).min())
    one, other = cost(1, np.array([[0.9, 0.1], [0.1, 0.9]]))
    shown = " / ".join(f"{gap:.3f}" for gap in gaps)
    return [
        (
            "at t = 1 (0.9, 0.9) costs much more than (0.1, 0.2)",
            _exact(bool(gaps[0] > 0.1), f"{both[0, 0]:.3f}, {both[0, 1]:.3f}"),
        ),
        ("this gap shrinks as t = 1, 10, 20, 1000", _exact(bool(np.all(np.diff(gaps) < 0.0)), shown)),
        ("at t = 1000 C is close to 1 everywhere", _exact(least > 0.99, f"at least {least:.4f}")),
        (
            "a level of x1 costs more than the same of x2",
            _exact(bool(one > other), f"at t = 1: {one:.3f}, {other:.3f}"),
        ),
    ]


def _exact(true: bool, evidence: str) -> Finding:
    """A finding without chance."""
    return Finding("holds" if true else "contradicted", evidence)
