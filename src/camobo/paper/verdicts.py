"""The paper's claims about its experiments, each judged by the measured runs.

- "less" or "more" holds if the whole 95 % interval of the ratio lies on that side of 1;
- "about the same" holds if the interval lies within 2 % for hypervolume, 10 % for the use of inputs;
- a claim about every run holds if it is true of at least 95 % of them.

With fewer than ten runs a claim is undecided if the interval includes both sides. If there are runs with the weights as
printed, a claim that is true of the ascending weights and false of the printed ones holds only with ascending weights.
If there are runs of the default strategy, the evidence says whether a claim about every method is true of them too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from camobo.arrays import Array
from camobo.paper.experiments import METHODS
from camobo.paper.statistics import Interval, Summary, in_order, mean, ratio, share, versus

_SAME, _ABOUT, _NEARLY_ALL, _FEW = 0.02, 0.1, 0.95, 10
HOLDS, ONLY_ASCENDING, FAILS, OPEN = "holds", "holds only with ascending weights", "does not hold", "undecided"


@dataclass(frozen=True, slots=True)
class Claim:
    """A sentence of the paper about an experiment, and the function that judges it."""

    text: str
    experiment: str
    judge: Callable[[Summary, str], tuple[str, str]]
    """Maps a summary and a method to a verdict (holds, does not hold, undecided) and the evidence."""
    about: Literal["every method", "Algorithm 1", "MO-UCB"] = "every method"
    """Which methods it can be judged for: regret, for instance, is Algorithm 1's alone."""


def judged(summaries: Sequence[Summary]) -> Iterator[tuple[str, str, str]]:
    """(claim, verdict, evidence) for every claim about experiments with runs of CA-MOBO and MO-UCB."""
    for summary in summaries:
        methods = summary["methods"]
        for claim in CLAIMS:
            if claim.experiment != _key(summary) or not {"mo-ucb", "paper"} <= set(methods):
                continue
            verdict, evidence = claim.judge(summary, "paper")
            if verdict == HOLDS and "printed" in methods:
                printed, how = claim.judge(summary, "printed")
                if printed == FAILS:
                    verdict, evidence = ONLY_ASCENDING, f"{evidence}; as printed: {how}"
            if "default" in methods and claim.about == "every method":
                other, how = claim.judge(summary, "default")
                evidence += f". {METHODS['default']}: {other} ({how})"
            yield f"{summary['title']}: {claim.text}", f"**{verdict}**", evidence


def _key(summary: Summary) -> str:
    setting = summary["setting"]
    if setting["experiment"] == "steel" and setting["options"].get("objectives") == 2:
        return "steel-2"
    return str(setting["experiment"])


def _count(summary: Summary, method: str) -> int:
    return len(summary["methods"][method]["runs"])


def _used(numbers: Any) -> Array:
    return np.asarray(np.array(numbers["use"])[:, 0])


def _of(key: str) -> Callable[[Any], Array]:
    return lambda numbers: np.array(numbers[key], dtype=float)


def _side(found: Interval, runs: int, *, below: bool) -> str:
    """Whether a ratio is below (or above) one."""
    if (found.high < 1.0) if below else (found.low > 1.0):
        return HOLDS
    contradicted = (found.low > 1.0) if below else (found.high < 1.0)
    return FAILS if contradicted or runs >= _FEW else OPEN


def _less_used(summary: Summary, method: str) -> tuple[str, str]:
    found = versus(summary, method, _used)
    return _side(
        found, _count(summary, method), below=True
    ), f"Σ {summary['inputs'][0]} is {found.shown(3)} of MO-UCB's"


def _nearly_all(found: Interval, runs: int) -> str:
    """Whether something holds in nearly all runs, from the share in which it does."""
    if found.value >= _NEARLY_ALL:
        return HOLDS if runs >= _FEW else OPEN
    return FAILS if runs >= _FEW or found.high < _NEARLY_ALL else OPEN


def _ordered(summary: Summary, method: str) -> tuple[str, str]:
    found = share(in_order(np.array(summary["methods"][method]["use"])))
    return _nearly_all(found, _count(summary, method)), f"in {found.shown(2)} of the runs"


def _same_volume(summary: Summary, method: str) -> tuple[str, str]:
    found, near = versus(summary, method, _of("mapped")), versus(summary, method, _of("near"))
    evidence = f"the paper's hypervolume is {found.shown(4)} of MO-UCB's, near the front {near.shown(3)}"
    if found.low >= 1.0 - _SAME and found.high <= 1.0 + _SAME:
        return HOLDS, evidence
    apart = found.high < 1.0 - _SAME or found.low > 1.0 + _SAME
    return (FAILS if apart or _count(summary, method) >= _FEW else OPEN), evidence


def _more(key: str, what: str) -> Callable[[Summary, str], tuple[str, str]]:
    def judge(summary: Summary, method: str) -> tuple[str, str]:
        found = versus(summary, method, _of(key))
        return _side(found, _count(summary, method), below=False), f"{what} is {found.shown(4)} of MO-UCB's"

    return judge


def _less(key: str, what: str) -> Callable[[Summary, str], tuple[str, str]]:
    def judge(summary: Summary, method: str) -> tuple[str, str]:
        found = versus(summary, method, _of(key))
        return _side(found, _count(summary, method), below=True), f"{what} is {found.shown(3)} of MO-UCB's"

    return judge


def _blind_disordered(summary: Summary, method: str) -> tuple[str, str]:
    used = np.array(summary["methods"]["mo-ucb"]["use"])
    found = mean(used[:, 0] - used[:, 1])
    decided = found.low > 0 or found.high < 0 or len(used) >= _FEW
    return (OPEN if not decided else HOLDS if found.low > 0 else FAILS), f"Σ x1 − Σ x2 of MO-UCB is {found.shown(1)}"


def _blind_even(summary: Summary, method: str) -> tuple[str, str]:
    used = np.array(summary["methods"]["mo-ucb"]["use"])
    found = ratio(used[:, 0], used[:, 1])
    evidence = f"Σ x1 of MO-UCB is {found.shown(3)} of its Σ x2"
    if found.low >= 1.0 - _ABOUT and found.high <= 1.0 + _ABOUT:
        return HOLDS, evidence
    apart = found.high < 1.0 - _ABOUT or found.low > 1.0 + _ABOUT
    return (FAILS if apart or len(used) >= _FEW else OPEN), evidence


def _always_ordered(summary: Summary, method: str) -> tuple[str, str]:
    found = share(np.array(summary["methods"][method]["never_disordered"]))
    return _nearly_all(found, _count(summary, method)), f"at every t in {found.shown(2)} of the runs"


def _mostly_cheap(summary: Summary, method: str) -> tuple[str, str]:
    found = mean(np.array(summary["methods"][method]["front_cheap"]))
    verdict = HOLDS if found.low > 0.5 else FAILS if found.high < 0.5 or _count(summary, method) >= _FEW else OPEN
    return verdict, f"{found.shown(2)} of the points on a front lie in the cheaper half of {summary['inputs'][0]}"


def _found_optimum(summary: Summary, method: str) -> tuple[str, str]:
    both = [np.array(summary["methods"][m]["mapped"]) >= 0.99 for m in (method, "mo-ucb")]
    shares = [share(held) for held in both]
    evidence = f"within 1 % of the strongest in {shares[0].shown(2)} of the runs, MO-UCB in {shares[1].shown(2)}"
    return _nearly_all(min(shares, key=lambda found: found.value), _count(summary, method)), evidence


def _below_bound(summary: Summary, method: str) -> tuple[str, str]:
    numbers = summary["methods"][method]
    held = share(np.array(numbers["below_bound"]))
    tight = float(np.mean(numbers["own_regret"])) / float(np.mean(numbers["bound"]))
    return (
        HOLDS if held.value == 1.0 else FAILS
    ), f"at every t in {held.shown(2)} of the runs; R(T) is {tight:.1e} of the bound"


def _diverse(name: str) -> Claim:
    text = "CA-MOBO's front is more diverse, with more points at high error"
    return Claim(text, name, _more("front_high_error", "the number of such points"))


def _synthetic(name: str) -> tuple[Claim, ...]:
    return (Claim("the cumulative regret stays below Theorem 1's bound", name, _below_bound, about="Algorithm 1"),)


CLAIMS: tuple[Claim, ...] = (
    Claim("CA-MOBO uses less of x1", "zdt3", _less_used),
    Claim("CA-MOBO's use follows the order, least of x1 and most of x5", "zdt3", _ordered),
    Claim("both reach about the same hypervolume", "zdt3", _same_volume),
    Claim(
        "MO-UCB has the better average regret at first",
        "zdt3",
        _more("early_average_regret", "after a tenth of the iterations CA-MOBO's"),
        about="Algorithm 1",
    ),
    Claim(
        "CA-MOBO has the better regret at the end",
        "zdt3",
        _less("average_regret", "the average regret at the end"),
        about="Algorithm 1",
    ),
    *_synthetic("zdt3"),
    Claim("CA-MOBO uses less of x1 than of x2", "cross-holder", _ordered),
    Claim("CA-MOBO uses less of x1 than MO-UCB", "cross-holder", _less_used),
    Claim("CA-MOBO reaches the same hypervolume", "cross-holder", _same_volume),
    Claim(
        "CA-MOBO's hypervolume is higher at first",
        "cross-holder",
        _more("early_mapped", "after a tenth of the iterations it"),
    ),
    Claim(
        "CA-MOBO has the better average and cumulative regret at first",
        "cross-holder",
        _less("early_average_regret", "after a tenth of the iterations it"),
        about="Algorithm 1",
    ),
    Claim("MO-UCB uses about as much of x1 as of x2", "cross-holder", _blind_even, about="MO-UCB"),
    *_synthetic("cross-holder"),
    Claim("CA-MOBO uses less of x1 than of x2", "matyas-booth", _ordered),
    Claim("CA-MOBO has used less of x1 than of x2 at every t", "matyas-booth", _always_ordered),
    Claim("MO-UCB explores the expensive region more: CA-MOBO uses less of x1", "matyas-booth", _less_used),
    Claim("MO-UCB uses more of x1 than of x2", "matyas-booth", _blind_disordered, about="MO-UCB"),
    Claim("CA-MOBO reaches a better hypervolume", "matyas-booth", _more("mapped", "the paper's hypervolume")),
    *_synthetic("matyas-booth"),
    Claim("CA-MOBO uses fewer estimators", "forest", _less_used),
    _diverse("forest"),
    Claim(
        "MO-UCB's front has more points at low error", "forest", _less("front_low_error", "the number of such points")
    ),
    Claim("most solutions of CA-MOBO have few estimators", "forest", _mostly_cheap),
    Claim("CA-MOBO uses fewer layers", "network", _less_used),
    _diverse("network"),
    Claim(
        "CA-MOBO's solutions favour the cheaper region",
        "network",
        _less("front_use", "the mean use of layers on the fronts"),
    ),
    Claim("CA-MOBO uses less nickel", "steel", _less_used),
    Claim("both find the optimum", "steel", _found_optimum),
)
