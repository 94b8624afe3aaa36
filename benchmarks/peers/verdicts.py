"""Who pays less: camobo beside the strongest of each kind of peer, and beside itself without a cost."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from peers.markdown import shown, table
from peers.measures import (
    SHARES,
    Ratio,
    Runs,
    best_reached,
    final,
    geometric_mean,
    money_to,
    paid,
    problems_of,
    ratio,
    runs_of,
    spread,
    stopped,
)
from peers.methods import BLIND, METHODS, OURS

Found: TypeAlias = Mapping[str, tuple[str, Ratio]]
"""By problem, whom camobo was compared with, and how it came out."""
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
    "qLogNEHVI ÷ cost": Bar(["qLogNEHVI ÷ cost"], 1.1),
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


def ways(runs: Runs, rivals: list[str]) -> dict[str, Found]:
    """The comparison with the strongest of these rivals, by the way of counting; the first is the one bars are on."""
    found = strongest(runs, rivals)
    peers = [name for name in METHODS if not name.startswith(OURS)]
    ran = {method for _, method, _ in runs}.intersection(rivals)

    def told(problem: str, name: str) -> bool:
        every = runs_of(runs, problem, name)
        return 0 < len(every) == len(paid(runs, problem, name, target_of(runs, problem, 0.95)))

    return {
        "to 95 %": found,
        "a run that misses it charged once": strongest(runs, rivals, times=1.0),
        "problems where neither misses it": {
            problem: pair for problem, pair in found.items() if pair[1].ours_reached and pair[1].theirs_reached
        },
        "problems where none of them was stopped before it, or not run": {
            problem: pair for problem, pair in found.items() if all(told(problem, name) for name in ran)
        },
        "of the best of the peers alone": strongest(runs, rivals, among=peers),
        **{f"to {share:.0%}".replace("%", " %"): strongest(runs, rivals, share) for share in SHARES if share != 0.95},
    }


def mean_ratio(found: Found) -> float:
    """The geometric mean over the problems."""
    return geometric_mean([given.value for _, given in found.values()])


def likely_means(found: Found) -> str:
    """Where the middle nine tenths of the means lie if the seeds are drawn anew, rivals and targets as they are."""
    rng = np.random.default_rng(0)
    logs = [np.log(given.redrawn(rng, 2000)) for _, given in found.values()]
    if not logs:
        return "–"
    low, high = np.quantile(np.exp(np.mean(logs, axis=0)), (0.05, 0.95))
    return f"{shown(float(low))}–{shown(float(high))}"


def bars(runs: Runs, *, finished: bool) -> str:
    """The mean ratio to the strongest of each kind of peer, the bar on it, and how it hangs on what was decided."""
    columns = []
    for bar in BARS.values():
        counted = ways(runs, bar.rivals)
        first, *others = ([mean_ratio(found), len(found)] for found in counted.values())
        given = [pair[1] for pair in counted["to 95 %"].values()]
        reached = "–" if math.isnan(first[0]) else "yes" if first[0] <= bar.most else "**no**"
        less, more = sum(one.p_less < LIKELY for one in given), sum(one.p_more < LIKELY for one in given)
        tested = sum(not math.isnan(one.p_less) for one in given)
        columns.append(
            [
                f"≤ {bar.most}",
                f"**{shown(first[0])}** on {first[1]}",
                reached + ("" if finished else ", so far"),
                likely_means(counted["to 95 %"]),
                f"{sum(not one.ours_reached for one in given)} / {sum(not one.theirs_reached for one in given)}",
                f"{less} / {more} of {tested}",
                *(f"{shown(mean)} on {count}" for mean, count in others),
                f"{sum(mean <= bar.most for mean, _ in [first, *others])} of {len(counted)}",
            ]
        )
    first_way, *other_ways = ways(runs, [])
    names = [
        "bar",
        f"geometric mean, {first_way}, and on how many problems",
        "reached",
        "nine of ten means with seeds drawn anew",
        "missed by camobo / by them",
        "pays less / more, of those tested",
        *(f"otherwise counted: {way}" for way in other_ways),
        "ways of counting within the bar",
    ]
    return table(["camobo's money ÷ that of", *BARS], [list(row) for row in zip(names, *columns, strict=True)])


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

    def cell(problem: str, given: Found) -> str:
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
