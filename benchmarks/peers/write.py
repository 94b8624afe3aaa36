"""Write docs/benchmarks.md and its figures from the results files.

cd benchmarks && python -m peers.write                from results/peers.jsonl and results/peers_growth.jsonl
cd benchmarks && python -m peers.write --short DIR    from results/peers_short.jsonl, into a folder of your own
"""

from __future__ import annotations

import argparse
import itertools
import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

from peers.drawing import draw_curves, draw_growth, draw_use
from peers.growth import FILE, KINDS, Size
from peers.markdown import shown, table, with_quartiles
from peers.measures import (
    SHARES,
    Runs,
    after,
    best_method,
    paid,
    problems_of,
    runs_of,
    seconds_per_ask,
    spread,
    stopped,
)
from peers.methods import METHODS, OURS
from peers.problems import CONTESTS
from peers.records import read
from peers.run import CPU_SECONDS, SEEDS, results_file, stored, wanted
from peers.verdicts import LIKELY, bars, ratios, saved_by_the_order, target_of, where_they_stopped

DOCS = Path(__file__).parent.parent.parent / "docs"

Growth: TypeAlias = Mapping[tuple[str, Size], Mapping[str, Any]]


def by_problem(runs: Runs, cell: Callable[[str, str], str]) -> str:
    """A table of problems and methods; methods without any run are left out."""
    ran = [method for method in METHODS if any(key[1] == method for key in runs)]
    return table(["", *ran], [[problem, *(cell(problem, method) for method in ran)] for problem in problems_of(runs)])


def quality(runs: Runs) -> str:
    """Hypervolumes at the end, FLAML's too after as many evaluations as the others make."""

    def cell(problem: str, method: str) -> str:
        found = after(runs, problem, method)
        ended = sorted(run["evaluations"] for run in stopped(runs, problem, method))
        note = f" (stopped after {ended[len(ended) // 2]})" if ended else ""
        return with_quartiles(spread(found), ".3f") + note if found else "–"

    return by_problem(runs, cell)


def money(runs: Runs, share: float) -> str:
    """Money to a share of the best that was reached."""

    def cell(problem: str, method: str) -> str:
        found = paid(runs, problem, method, target_of(runs, problem, share))
        return with_quartiles(spread(list(found.values()))) if found else "–"

    return by_problem(runs, cell)


def seconds(runs: Runs) -> str:
    """Processor seconds an ask near the end of a run."""
    return by_problem(runs, lambda problem, method: shown(seconds_per_ask(runs, problem, method, 100), ".2g"))


def growth_table(measured: Mapping[tuple[str, Size], float]) -> str:
    """Seconds a suggestion at every size, and how the largest compares with the smallest."""
    sections = []
    for kind, sizes in KINDS.items():
        rows = []
        for method in METHODS:
            found = [measured.get((method, size), math.nan) for size in sizes]
            if not all(math.isnan(value) for value in found):
                rows.append([method, *(shown(value, ".2g") for value in found), shown(found[-1] / found[0], ".1f")])
        head = [kind, *(str(getattr(size, kind)) for size in sizes), "last ÷ first"]
        sections.append(table(head, rows))
    return "\n\n".join(sections)


def growing(growth: Growth, folder: Path) -> str:
    """How seconds a suggestion grow with a study, or that nobody has measured it yet."""
    measured = {key: record["seconds"] for key, record in growth.items() if record["status"] == "finished"}
    if not measured:
        return "How they grow with a study is still to be measured (`make bench-peers`)."
    image = draw_growth(measured, folder / "benchmarks-growth.png")
    failed = [
        f"{method} at {size.evaluations} evaluations, {size.inputs} inputs, {size.objectives} objectives: "
        f"{record['detail']}."
        for (method, size), record in growth.items()
        if record["status"] == "error"
    ]
    failures = " ".join(["Failures:", *failed]) if failed else ""
    return f"""As a study grows, on DTLZ2: evaluations with 5 inputs and 2 objectives, inputs with 50 evaluations and 2
objectives, objectives with 50 evaluations and 12 inputs; other runs beside it. –: more than 8 GB, or more than five
minutes for ten suggestions and what a method needs to get there, or a failure. The figure draws less than ten
microseconds as ten. {failures}

![Seconds a suggestion by size]({image})

{growth_table(measured)}"""


def unfinished(runs: Runs) -> str:
    """Runs that met a limit or failed."""
    bad = [(*key, run) for key, run in runs.items() if run["status"] != "finished"]
    rows = [[p, m, str(s), run["status"], str(run.get("evaluations", 0)), run["detail"][:90]] for p, m, s, run in bad]
    if not rows:
        return "None."
    return table(["problem", "method", "seed", "ended by", "evaluations", "said"], rows)


def seeds_of(runs: Runs, *, finished: bool) -> str:
    """How many seeds each method ran: one number, or the fewest and the most over the problems."""
    counts = {
        method: [len(runs_of(runs, problem, method)) for problem in problems_of(runs)]
        for method in METHODS
        if any(key[1] == method for key in runs)
    }
    most = max(max(found) for found in counts.values())
    fewer = [
        f"{method} {min(found)}" + (f" to {max(found)}" if min(found) < max(found) else "")
        for method, found in counts.items()
        if min(found) < most
    ]
    why = "runs met a limit" if finished else "runs met a limit or are still to be made"
    return f"{most} seeds" + (f" (fewer where {why}: {', '.join(fewer)})" if fewer else "")


def to_be_made(runs: Runs) -> str:
    """A warning as long as runs are missing, or nothing."""
    whole = list(itertools.product(CONTESTS, METHODS, range(SEEDS)))
    missing = sum(wanted(dict(runs), *key, CPU_SECONDS) for key in whole)
    if not missing:
        return ""
    return f"""
**Not finished: {missing} of {len(whole)} runs are still to be made, most of them of the methods that take longest.
Until they are, the figures below may move and none of them is a claim.**
"""


def page(runs: Runs, growth: Growth, folder: Path) -> str:
    """The whole of docs/benchmarks.md; its figures are drawn into the folder."""
    versions = sorted({(name, version) for run in runs.values() for name, version in run["versions"].items()})
    ran = {name: method for name, method in METHODS.items() if any(key[1] == name for key in runs)}
    known = table(
        ["method", "what it knows of cost", "what else it is told", "first points"],
        [[name, method.knows, method.told, method.first_points] for name, method in ran.items()],
    )
    missing = to_be_made(runs)
    own = sum(best_method(runs, problem).startswith(OURS) for problem in problems_of(runs))
    targets = "\n\n".join(f"### Money to {share:.0%}\n\n{money(runs, share)}" for share in SHARES)
    images = [
        draw_curves(runs, folder / "benchmarks-evaluations.png", money=False),
        draw_curves(runs, folder / "benchmarks-money.png", money=True),
        draw_use(runs, folder / "benchmarks-use.png"),
    ]
    shows = ("Hypervolume by evaluations", "Hypervolume by money", "Use of each input")
    by_evaluations, by_money, use = (f"![{what}]({name})" for what, name in zip(shows, images, strict=True))
    return f"""# camobo beside its peers

Written by `make bench-peers-page` from `benchmarks/results/`; `make bench-peers` runs what is missing. Medians over
{seeds_of(runs, finished=not missing)}, quartiles in small print. {", ".join(" ".join(pair) for pair in versions)}.
{missing}
Every method minimises, over the unit cube, without noise. Money is counted with prices that only one of them is told:
of k inputs 2^(k−j) a unit of input j, scaled to sum to one, plus a tenth for each evaluation; on the forest, processor
seconds, by a grid of forests that were timed once, so that no run pays for a slower machine. camobo is told the order
x1 > x2 > … and the number of evaluations, a hundred (sixty on the forest). Methods without constraints are given
penalised values. `benchmarks/peers/` says how each is set up.

What flatters camobo:

- On {own} of the {len(problems_of(runs))} problems the best median is camobo's own, with the order or without, so that
  the target is a share of what it reached itself.
- How it treats three objectives and more, with a cost and without, was chosen on the DTLZ2 problems below, on some of
  these seeds. The constants of its cost were chosen on five of these problems, among some hundred settings; how much it
  looks at cheap points late in its budget was settled on the very seeds of this contest, by another measure
  ([method.md](method.md)). Its kernel for outcomes with many humps was made for cross-holder because it was behind
  there, and chosen on other seeds of that problem; that it models smooth outcomes as such, on other seeds of most.
- Its guess of what a point costs has a tenth for the evaluation itself, as the prices here do, and weights not far from
  them. Other prices were not tried. On ZDT1 to 3 all inputs but x1 are best at their cheap end.
- It begins with inputs + 1 points, most of them evenly spread, where others have five at least, and uniform ones. On
  two inputs, where few evaluations are needed, that is some of the difference.
- FLAML minimises one number. Five of its searches take turns here, each with Chebyshev weights of its own, so it aims
  at five points of a front, whose hypervolume is often less than 95 % of the whole. Its two are nearly one: within a
  hundred evaluations BlendSearch does the same as CFO on most problems. FLAML and SMAC3 are made for other inputs than
  real ones too; these are all real.

BoTorch's raw samples are taken around the best points too, beside the uniform ones: with those alone it asked for one
point of ZDT2 over and over, and found less on welded-beam. All its runs are made so but the first three or four seeds
of qLogNEHVI and of qLogNEHVI ÷ cost on matyas-booth, branin-currin, dtlz2-2, dtlz2-4 and car-side.

{known}

## Money to 95 % of the best hypervolume reached

The target is a share of the best median hypervolume any method reached on that problem. A ratio below one means that
camobo paid less than the strongest peer of that kind there: the one that pays least or, if none gets there, comes
nearest. A run that does not reach the target is charged twice the most a run of either spent on the problem, and no run
is charged more; a run that was stopped (see the end) before it got there is left out. A method misses a target if half
of its runs or more do, and a problem that both miss is left out. A problem is tested where both have five runs or more,
and one pays less or more there if a Wilcoxon rank-sum test, two-sided, says so at p < {2 * LIKELY}: one of twenty would
if nothing differed. FLAML's evaluations are mostly cheaper than others', so it is given three times as many, of which
charges count the first hundred; the figures, and the table of hypervolumes below, end where the others do, but the best
it reached at its end may set a target, and does on the forest.

A bar is what camobo was to pay at most, set before the contest was built. The lines below the mean show how much it
hangs on the seeds and on the decisions above, with one of them changed in each. On DTLZ2 with four objectives both
qLogNEHVI were stopped before the target, and so not run with more: there camobo is compared with the next best. They
were not behind it when they were stopped, and the one that divides by the price was well ahead (see the end). From
seven objectives on hypervolumes are estimated, to about one per cent, and with six and more they are known at every
tenth evaluation only, so there money to a target is rounded up to the next ten.

{bars(runs, finished=not missing)}

Problem by problem, beside whom camobo was compared; ✓ where it pays less and ✗ where it pays more at p < {2 * LIKELY},
? where there are too few seeds to test:

{ratios(runs)}

How much of that is the order's doing, and how much the method's, is shown by camobo beside itself without a cost. The
order saves on the way to a good front, and costs on the way to the last of it, whose dear end it leaves for last. The
forest, where it saves most by far, weighs much in the means:

{saved_by_the_order(runs)}

{by_money}

Medians over the seeds, from half of what was reached up, pale where there are fewer than five seeds; the curves of one
family share a colour. The figure's shares are of the best known, the targets' of the best that was reached.

{targets}

∞: half of the runs or more do not reach it. –: no run, or all were stopped before it.

## Hypervolume by evaluations

Shares of the best known after a hundred evaluations (sixty on the forest), whatever was paid; the best
known of the forest is that of a grid, and can be beaten. With a cost, camobo is not after this: it leaves dear regions
for last.

{quality(runs)}

{by_evaluations}

## Seconds a suggestion

Processor seconds of one thread, the mean of the last ten suggestions (of FLAML up to the hundredth evaluation, of a run
that was stopped the last full ten), other runs beside it. What a method does when it is told a result is not in them:
pymoo's NSGA-II does all its work there, or once in twenty suggestions. Many of
BoTorch's runs were made before its models were fitted in one batch, its raw samples scored in small ones, or its memory
kept between tensors, each of which is faster: its figures here are rather too high. Those of growth, below, are not;
SMAC3's there are of an earlier day than the others', when the machine was much slower.

{seconds(runs)}

{growing(growth, folder)}

## Use of each input

Mean level over a run, from 0, an input's cheap end, to 1.

{use}

## Runs that did not finish

Each run may take 8 GB of address space and a quarter of an hour of processor time. One that is stopped counts as far
as it came. If a method was stopped on three seeds of a problem, it is run on the first five only, as many as a test
needs; if it was stopped on DTLZ2 once, it is not run on DTLZ2 with more objectives. The limit is on time, so how far a
run came depends on the machine and the set-up: of BoTorch's, seed 0, run first, came less far than the others, which
says nothing of the seed.

A run that was stopped before the target has no part in the comparison above. How it stood until then, beside camobo
with the order: what camobo pays, in its median run, for as much hypervolume.

{where_they_stopped(runs)}

{unfinished(runs)}
"""


def main() -> None:
    """Read, draw and write."""
    parser = argparse.ArgumentParser(description="docs/benchmarks.md from the results there are")
    parser.add_argument("--short", type=Path, metavar="DIR", help="of results/peers_short.jsonl, into this folder")
    short: Path | None = parser.parse_args().short
    folder, file = short or DOCS, results_file(short is not None)
    runs = stored(file)
    if not runs:
        raise SystemExit(f"no results in {file}: run `make bench-peers` first")
    folder.mkdir(parents=True, exist_ok=True)
    growth = {
        (name, Size(*size)): record
        for (name, *size), record in read(FILE, "method", "evaluations", "inputs", "objectives").items()
    }
    (folder / "benchmarks.md").write_text(page(runs, growth, folder))
    print(f"wrote {folder / 'benchmarks.md'}")


if __name__ == "__main__":
    main()
