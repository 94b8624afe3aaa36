"""Who pays less: camobo beside the strongest of each kind of peer, and beside itself without a cost."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from peers.markdown import shown, table
from peers.measures import (
    SHARES,
    Ratio,
    Runs,
    best_reached,
    final,
    geometric_mean,
    money_to,
    problems_of,
    ratio,
    runs_of,
    spread,
    stopped,
)
from peers.methods import BLIND, METHODS, OURS

LIKELY = 0.05 / 2  # on either side, of a two-sided test


@dataclass(frozen=True, slots=True)
class Bar:
    """What camobo set out to pay at most, of the money of the strongest of some peers."""

    rivals: list[str]
    most: float


BARS: dict[str, Bar] = {
    "the best peer that knows no cost": Bar(
        [name for name, method in METHODS.items() if method.knows == "nothing" and not name.startswith(OURS)], 0.6
    ),
    "the better of FLAML's two": Bar(["FLAML CFO", "FLAML BlendSearch"], 0.7),
    "qLogNEHVI ÷ true cost": Bar(["qLogNEHVI ÷ cost"], 1.1),
}


def target_of(runs: Runs, problem: str, share: float, among: Iterable[str] = METHODS) -> float:
    """That share of the best median hypervolume any of these methods reached."""
    return share * best_reached(runs, problem, among)


def strongest(
    runs: Runs, rivals: list[str], share: float = 0.95, times: float = 2.0, among: Iterable[str] = METHODS
) -> dict[str, tuple[str, Ratio]]:
    """By problem, the rival that pays least, or if none gets there comes nearest; and our money beside its.

    among: the methods whose best sets the target.
    """
    found = {}
    for problem in problems_of(runs):
        target = target_of(runs, problem, share, among)
        ranked = []
        for name in rivals:
            given = ratio(runs, problem, OURS, name, target, times)
            if given is not None:
                money = given.theirs if given.theirs_reached else math.inf
                ranked.append((money, -spread(final(runs, problem, name)).middle, name, given))
        if ranked:
            *_, name, given = min(ranked, key=lambda rival: rival[:2])
            found[problem] = (name, given)
    return found


def mean_ratio(found: Mapping[str, tuple[str, Ratio]]) -> float:
    """The geometric mean over the problems."""
    return geometric_mean([given.value for _, given in found.values()])


def bars(runs: Runs, *, finished: bool) -> str:
    """The mean ratio to the strongest of each kind of peer, the bar on it, and how it hangs on what was decided."""
    rows = []
    peers = [name for name in METHODS if not name.startswith(OURS)]
    for what, bar in BARS.items():
        found = strongest(runs, bar.rivals)
        mean, once = mean_ratio(found), mean_ratio(strongest(runs, bar.rivals, times=1.0))
        both = {p: pair for p, pair in found.items() if pair[1].ours_reached and pair[1].theirs_reached}
        given = [pair[1] for pair in found.values()]
        verdict = "–" if math.isnan(mean) else "yes" if mean <= bar.most else "**no**"
        verdict += "" if finished else ", so far"
        missed = f"{sum(not one.ours_reached for one in given)} / {sum(not one.theirs_reached for one in given)}"
        tested = sum(not math.isnan(one.p_less) for one in given)
        told = f"{sum(one.p_less < LIKELY for one in given)} / {sum(one.p_more < LIKELY for one in given)} of {tested}"
        theirs = mean_ratio(strongest(runs, bar.rivals, among=peers))
        others = [shown(once), f"{shown(mean_ratio(both))} on {len(both)}", shown(theirs)]
        rows.append([what, f"≤ {bar.most}", shown(mean), verdict, str(len(found)), missed, *others, told])
    head = [
        "money to 95 %, camobo against",
        "bar",
        "geometric mean",
        "reached",
        "problems",
        "missed by camobo / by them",
    ]
    variants = ["a miss charged once", "where neither misses", "the target set by peers alone"]
    return table([*head, *variants, "pays less / more, of those tested"], rows)


def where_they_stopped(runs: Runs) -> str:
    """Beside each method that met a limit, our money to as much hypervolume as its runs had when they were stopped."""
    rows = []
    for problem in problems_of(runs):
        for method in METHODS:
            ended = [run for run in stopped(runs, problem, method) if run["hypervolume"][-1] > 0.0]
            if not ended:
                continue
            ours = list(runs_of(runs, problem, OURS).values())
            beside = []
            for run in ended:
                target = run["hypervolume"][-1]
                mine = spread([money_to(own, target) for own in ours]).middle
                beside.append(mine / money_to(run, target))
            at = statistics.median(run["hypervolume"][-1] for run in ended)
            rows.append([problem, method, str(len(ended)), f"{at:.3f}", shown(statistics.median(beside))])
    head = ["problem", "method", "runs stopped", "their median share of the best then", "camobo's money ÷ theirs"]
    return table(head, rows) if rows else "None."


def ratios(runs: Runs) -> str:
    """Problem by problem, our money beside that of the strongest of each kind of peer."""
    found = [strongest(runs, bar.rivals) for bar in BARS.values()]

    def cell(problem: str, given: Mapping[str, tuple[str, Ratio]]) -> str:
        if problem not in given:
            return "–"
        name, value = given[problem]
        sign = " ✓" if value.p_less < LIKELY else " ✗" if value.p_more < LIKELY else ""
        return f"{value.value:.2f}{sign}{' ?' if math.isnan(value.p_less) else ''} ({name})"

    return table(["", *BARS], [[problem, *(cell(problem, given) for given in found)] for problem in problems_of(runs)])


def saved_by_the_order(runs: Runs) -> str:
    """Our money beside our own without a cost, to each share of the best."""
    rows = []
    for share in SHARES:
        found = [given for _, given in strongest(runs, [BLIND], share).values()]
        missed = f"{sum(not one.ours_reached for one in found)} / {sum(not one.theirs_reached for one in found)}"
        told = [str(sum(one.p_less < LIKELY for one in found)), str(sum(one.p_more < LIKELY for one in found))]
        mean = geometric_mean([one.value for one in found])
        middle = statistics.median([one.value for one in found]) if found else math.nan
        rows.append([f"{share:.0%}", shown(mean), shown(middle), str(len(found)), *told, missed])
    head = ["money to", "geometric mean", "median", "problems", "pays less on", "pays more on"]
    return table([*head, "missed with / without the order"], rows)
