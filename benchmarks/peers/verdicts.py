"""Who pays less: camobo and the strongest peer of each kind, and camobo with and without cost."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from peers.markdown import percent, shown, table
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
"""Per problem: whom camobo was compared with, and the ratio."""
LIKELY = 0.05 / 2  # per side of a two-sided test


@dataclass(frozen=True, slots=True)
class Bar:
    """The most that camobo was meant to pay, relative to the strongest of some peers."""

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
    """A share of the best median hypervolume that any of these methods reached."""
    return share * best_reached(runs, problem, among)


def strongest(
    runs: Runs, rivals: list[str], share: float = 0.95, times: float = 2.0, among: Iterable[str] = METHODS
) -> dict[str, tuple[str, Ratio]]:
    """Per problem, the rival that pays least, or comes nearest if none reaches the target; and the ratio to it.

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
    """The comparison with the strongest of these rivals, per way of counting; the bars are about the first."""
    found = strongest(runs, rivals)
    peers = [name for name in METHODS if not name.startswith(OURS)]
    ran = {method for _, method, _ in runs}.intersection(rivals)

    def ran_to_target(problem: str, name: str) -> bool:
        every = runs_of(runs, problem, name)
        return 0 < len(every) == len(paid(runs, problem, name, target_of(runs, problem, 0.95)))

    return {
        "to 95 %": found,
        "a miss is charged once": strongest(runs, rivals, times=1.0),
        "only problems where neither misses it": {
            problem: pair for problem, pair in found.items() if pair[1].ours_reached and pair[1].theirs_reached
        },
        "only problems where all of them ran to the end or the target": {
            problem: pair for problem, pair in found.items() if all(ran_to_target(problem, name) for name in ran)
        },
        "the target is set by the best peer alone": strongest(runs, rivals, among=peers),
        **{f"to {percent(share)}": strongest(runs, rivals, share) for share in SHARES if share != 0.95},
    }


def mean_ratio(found: Found) -> float:
    """The geometric mean over the problems."""
    return geometric_mean([given.value for _, given in found.values()])


def likely_means(found: Found) -> str:
    """90 % interval of the mean from resampled seeds, with rivals and targets as they are."""
    rng = np.random.default_rng(0)
    logs = [np.log(given.redrawn(rng, 2000)) for _, given in found.values()]
    if not logs:
        return "–"
    low, high = np.quantile(np.exp(np.mean(logs, axis=0)), (0.05, 0.95))
    return f"{shown(float(low))}–{shown(float(high))}"


def significant(found: Found) -> str:
    """On how many problems we pay significantly less and more, of those with enough runs to test."""
    given = [pair[1] for pair in found.values()]
    less, more = sum(one.p_less < LIKELY for one in given), sum(one.p_more < LIKELY for one in given)
    return f"{less} / {more} of {sum(not math.isnan(one.p_less) for one in given)}"


def who_pays(runs: Runs) -> str:
    """Our money relative to the strongest peer of each kind: the answer in one table."""
    rows = []
    for name, bar in BARS.items():
        counted = ways(runs, bar.rivals)
        means = {way: mean_ratio(found) for way, found in counted.items()}
        others = [mean for way, mean in means.items() if not way.startswith("to ") and not math.isnan(mean)]
        span = f"{shown(min(others))} to {shown(max(others))}" if others else "–"
        to = {way: f"{shown(means[way])} on {len(counted[way])}" for way in ("to 90 %", "to 95 %", "to 99 %")}
        to["to 95 %"] = f"**{shown(means['to 95 %'])}** on {len(counted['to 95 %'])}"
        rows.append([name, *to.values(), significant(counted["to 95 %"]), span])
    head = ["camobo's money ÷ that of", "to 90 %", "to 95 %", "to 99 %"]
    return table([*head, "significantly less / more", "to 95 %, counted otherwise"], rows)


def outside_the_bar(runs: Runs) -> str:
    """The bars that not every way of counting reaches, as a sentence."""
    said = []
    for name, bar in BARS.items():
        means = [mean_ratio(found) for found in ways(runs, bar.rivals).values()]
        within = sum(mean <= bar.most for mean in means)
        if within < len(means):
            said.append(f"The bar of {bar.most} for {name} is reached by {within} of {len(means)} ways of counting.")
    return " ".join(said) or "The bars are reached by every way of counting."


def where_we_pay_more(runs: Runs) -> str:
    """The problems on which we pay significantly more than the strongest peer of a kind, as a sentence."""
    said = []
    for name, bar in BARS.items():
        found = {problem: pair for problem, pair in strongest(runs, bar.rivals).items() if pair[1].p_more < LIKELY}
        worse = [problem if rival == name else f"{problem} ({rival})" for problem, (rival, _) in found.items()]
        if worse:
            said.append(f"than {name} on {' and '.join(worse)}")
    return f"camobo pays significantly more {'; '.join(said)}." if said else "camobo pays significantly more nowhere."


def bars(runs: Runs, *, finished: bool) -> str:
    """The mean ratio to the strongest peer of each kind, its bar, and the mean by other ways of counting."""
    columns = []
    for bar in BARS.values():
        counted = ways(runs, bar.rivals)
        first, *others = ([mean_ratio(found), len(found)] for found in counted.values())
        given = [pair[1] for pair in counted["to 95 %"].values()]
        reached = "–" if math.isnan(first[0]) else "yes" if first[0] <= bar.most else "**no**"
        columns.append(
            [
                f"≤ {bar.most}",
                f"**{shown(first[0])}** on {first[1]}",
                reached + ("" if finished else ", so far"),
                likely_means(counted["to 95 %"]),
                f"{sum(not one.ours_reached for one in given)} / {sum(not one.theirs_reached for one in given)}",
                significant(counted["to 95 %"]),
                *(f"{shown(mean)} on {count}" for mean, count in others),
                f"{sum(mean <= bar.most for mean, _ in [first, *others])} of {len(counted)}",
            ]
        )
    first_way, *other_ways = ways(runs, [])
    names = [
        "bar",
        f"geometric mean {first_way}, and number of problems",
        "reached",
        "90 % interval, seeds resampled",
        "target missed by camobo / by them",
        "significantly less / more, of problems tested",
        *(f"counted otherwise: {way}" for way in other_ways),
        "ways of counting within the bar",
    ]
    return table(["camobo's money ÷ that of", *BARS], [list(row) for row in zip(names, *columns, strict=True)])


def where_they_stopped(runs: Runs) -> str:
    """Per method that met a limit: our money to the hypervolume its runs had when stopped, relative to theirs."""
    rows = []
    for problem in problems_of(runs):
        for method in METHODS:
            ended = [run for run in stopped(runs, problem, method) if run["hypervolume"][-1] > 0.0]
            if not ended:
                continue
            ours = list(runs_of(runs, problem, OURS).values())
            ratios = []
            for run in ended:
                target = run["hypervolume"][-1]
                mine = spread([money_to(own, target) for own in ours]).middle
                ratios.append(mine / money_to(run, target))
            at = statistics.median(run["hypervolume"][-1] for run in ended)
            rows.append([problem, method, str(len(ended)), f"{at:.3f}", shown(statistics.median(ratios))])
    head = ["problem", "method", "runs stopped", "their median share of the best then", "camobo's money ÷ theirs"]
    return table(head, rows) if rows else "None."


def by_problem(runs: Runs) -> str:
    """Per problem, our money relative to the strongest peer of each kind."""
    found = [strongest(runs, bar.rivals) for bar in BARS.values()]

    def cell(problem: str, given: Found) -> str:
        if problem not in given:
            return "–"
        name, value = given[problem]
        sign = " ✓" if value.p_less < LIKELY else " ✗" if value.p_more < LIKELY else ""
        return f"{value.value:.2f}{sign}{' ?' if math.isnan(value.p_less) else ''} ({name})"

    return table(["", *BARS], [[problem, *(cell(problem, given) for given in found)] for problem in problems_of(runs)])


def saved_by_the_order(runs: Runs) -> str:
    """Our money with the order relative to our own without cost, to each share of the best."""
    rows = []
    for share in SHARES:
        found = [given for _, given in strongest(runs, [BLIND], share).values()]
        missed = f"{sum(not one.ours_reached for one in found)} / {sum(not one.theirs_reached for one in found)}"
        tested = [str(sum(one.p_less < LIKELY for one in found)), str(sum(one.p_more < LIKELY for one in found))]
        mean = geometric_mean([one.value for one in found])
        middle = statistics.median([one.value for one in found]) if found else math.nan
        rows.append([percent(share), shown(mean), shown(middle), str(len(found)), *tested, missed])
    head = ["money to", "geometric mean", "median", "problems", "significantly less on", "more on"]
    return table([*head, "missed with / without the order"], rows)
