"""Print what the runs of a family come to, as Markdown.

    cd benchmarks
    python -m money.write --family twelve [--half reporting] [--scratch] [--fingerprint 0123456789ab]

Runs of the present sources count, unless a fingerprint is given. --scratch adds runs with other constants.
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Mapping, Sequence
from typing import Any

from money import known, records
from money.case import Case
from money.families import MAKERS, cases
from money.measures import (
    FRACTIONS,
    SHARES,
    TRIALS,
    Fronts,
    Runs,
    best_known,
    clairvoyant_ratio,
    fronts_after,
    fronts_for_money,
    money_ratio,
    runs_of,
)
from money.methods import BLIND
from peers.markdown import percent, shown, table
from sources import fingerprint

Groups = Mapping[tuple[str, str, int], Sequence[Mapping[str, Any]]]
"""Records by method, settings and budget."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Print a family."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--family", required=True, choices=MAKERS)
    parser.add_argument("--half", default="all", choices=["all", "choosing", "reporting"])
    parser.add_argument("--scratch", action="store_true")
    parser.add_argument("--fingerprint", default=fingerprint())
    given = parser.parse_args(arguments)
    found = list(records.read(records.FILE).values())
    found += list(records.read(records.SCRATCH).values()) if given.scratch else []
    print(page(cases(given.family, given.half), [r for r in found if r["fingerprint"] == given.fingerprint]))


def page(given: Sequence[Case], stored: Sequence[Mapping[str, Any]]) -> str:
    """The tables of some cases."""
    names = {case.name for case in given}
    groups: dict[tuple[str, str, int], list[Mapping[str, Any]]] = {}
    for record in stored:
        if record["case"] in names:
            groups.setdefault((record["method"], record["settings"], record["budget"]), []).append(record)
    if not any(method == BLIND for method, _, _ in groups):
        raise SystemExit("no blind runs of these sources: make them with money.run, or name a --fingerprint")
    prices = list(dict.fromkeys(price for case in given for price in case.prices))
    parts = [
        ("Money to a share of the best front, relative to the study without cost", money_table(groups, given, prices)),
        ("The worst case", worst_table(groups, prices)),
        ("Cases missed that the study without cost reaches / won / missed by both", missed_table(groups, prices)),
        ("Hypervolume for a fraction of the money of the study without cost: mean / worst case / lowest tenth of cases",
         fronts_table(groups, prices)),
        ("Hypervolume after a number of trials: mean / worst case / lowest tenth of cases", trials_table(groups)),
    ]  # fmt: skip
    return "\n\n".join(f"### {title}\n\n{text}" for title, text in parts)


def pairs(groups: Groups, prices: Sequence[str]) -> list[tuple[list[str], Runs, Runs]]:
    """First cells, runs and blind runs of every row: by budget, price and method."""
    found: list[tuple[list[str], Runs, Runs]] = []
    best = best_known(record for stored in groups.values() for record in stored)
    for budget in sorted({budget for _, _, budget in groups}):
        for price in prices:
            for (method, settings, planned), stored in groups.items():
                blind = groups.get((BLIND, settings, budget), groups.get((BLIND, "", budget), ()))
                if planned == budget and stored is not blind and blind:
                    ours = runs_of(stored, price, best)
                    if ours:
                        label = f"{method} ({settings})" if settings else method
                        found.append(([str(budget), price, label], ours, runs_of(blind, price, best)))
    return found


def money_table(groups: Groups, given: Sequence[Case], prices: Sequence[str]) -> str:
    """Geometric means, the clairvoyant's below each price function, and seconds per suggestion."""
    rows, closing = [], {}
    for first, ours, blind in pairs(groups, prices):
        ask = statistics.median(run.ask for runs in ours.values() for run in runs)
        seeds = max(len(runs) for runs in ours.values())
        cells = [shown(money_ratio(ours, blind, share).mean, ".2f") for share in SHARES]
        rows.append([*first, *cells, f"{len(ours)} × {seeds}", f"{1000 * ask:.0f} ms"])
        closing[first[0], first[1]] = blind
    figures = known.read().get("clairvoyant", {})
    for (budget, price), blind in closing.items():
        least = {case.name: figures.get(f"{case.name}, {price}", {}) for case in given}
        cells = []
        for share in SHARES:
            money = {name: by_share[f"{share:g}"] for name, by_share in least.items() if f"{share:g}" in by_share}
            cells.append(shown(clairvoyant_ratio(money, blind, share), ".2f"))
        rows.append([budget, price, "*clairvoyant*", *cells, "", ""])
    head = ["budget", "prices", "method", *map(percent, SHARES), "cases × seeds", "per suggestion"]
    return table(head, sorted(rows, key=lambda row: (int(row[0]), prices.index(row[1]))))


def worst_table(groups: Groups, prices: Sequence[str]) -> str:
    """The highest ratio, and its case."""
    rows = []
    for first, ours, blind in pairs(groups, prices):
        worst = [money_ratio(ours, blind, share).worst for share in SHARES]
        rows.append([*first, *(f"{shown(ratio, '.2f')} {name}" for name, ratio in worst)])
    return table(["budget", "prices", "method", *map(percent, SHARES)], rows)


def missed_table(groups: Groups, prices: Sequence[str]) -> str:
    """How many cases are missed in the median."""
    rows = []
    for first, ours, blind in pairs(groups, prices):
        ratios = [money_ratio(ours, blind, share) for share in SHARES]
        rows.append([*first, *(f"{len(r.missed)} / {len(r.won)} / {len(r.left_out)}" for r in ratios)])
    return table(["budget", "prices", "method", *map(percent, SHARES)], rows)


def fronts_table(groups: Groups, prices: Sequence[str]) -> str:
    """Hypervolume at equal money."""
    rows = []
    for first, ours, blind in pairs(groups, prices):
        rows.append([*first, *(_cell(fronts_for_money(ours, blind, fraction)) for fraction in FRACTIONS)])
    return table(["budget", "prices", "method", *map(percent, FRACTIONS)], rows)


def trials_table(groups: Groups) -> str:
    """Hypervolume after as many trials, whatever they cost, of the methods that are run once for all prices."""
    prices = sorted({price for stored in groups.values() for record in stored for price in record["total"]})[:1]
    rows = []
    for first, ours, blind in pairs(groups, prices):
        cells = [_cell(fronts_after(ours, blind, n)) if n <= int(first[0]) else "" for n in TRIALS]
        rows.append([first[0], first[2], *cells])
    return table(["budget", "method", *map(str, TRIALS)], rows)


def _cell(fronts: Fronts) -> str:
    name, worst = fronts.worst
    return f"{shown(fronts.mean, '.3f')} / {shown(worst, '.3f')} {name} / {shown(fronts.lowest_tenth, '.3f')}"


if __name__ == "__main__":
    main()
