"""Write docs/benchmarks.md and its figures from the results files.

cd benchmarks && python -m peers.write                from results/peers.jsonl.gz and results/peers_growth.jsonl.gz
cd benchmarks && python -m peers.write --short DIR    from results/peers_short.jsonl.gz, into a folder of your own
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
from peers.markdown import percent, shown, table, with_quartiles
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
from peers.verdicts import (
    LIKELY,
    bars,
    by_problem,
    outside_the_bar,
    saved_by_the_order,
    target_of,
    where_they_stopped,
    where_we_pay_more,
    who_pays,
)

DOCS = Path(__file__).parent.parent.parent / "docs"

Growth: TypeAlias = Mapping[tuple[str, Size], Mapping[str, Any]]


def problems_and_methods(runs: Runs, cell: Callable[[str, str], str]) -> str:
    """A table with one row per problem and one column per method that was run."""
    ran = [method for method in METHODS if any(key[1] == method for key in runs)]
    return table(["", *ran], [[problem, *(cell(problem, method) for method in ran)] for problem in problems_of(runs)])


def quality(runs: Runs) -> str:
    """Hypervolumes after the usual number of evaluations."""

    def cell(problem: str, method: str) -> str:
        found = after(runs, problem, method)
        ended = sorted(run["evaluations"] for run in stopped(runs, problem, method))
        note = f" (stopped after {ended[len(ended) // 2]})" if ended else ""
        return with_quartiles(spread(found), ".3f") + note if found else "–"

    return problems_and_methods(runs, cell)


def money(runs: Runs, share: float) -> str:
    """Money to a share of the best reached."""

    def cell(problem: str, method: str) -> str:
        found = paid(runs, problem, method, target_of(runs, problem, share))
        return with_quartiles(spread(list(found.values()))) if found else "–"

    return problems_and_methods(runs, cell)


def seconds(runs: Runs) -> str:
    """Processor seconds per ask near the end of a run."""
    return problems_and_methods(runs, lambda problem, method: shown(seconds_per_ask(runs, problem, method, 100), ".2g"))


def growth_table(measured: Mapping[tuple[str, Size], float]) -> str:
    """Seconds per suggestion at every size, and the largest relative to the smallest."""
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
    """How seconds per suggestion grow with a study, or that it is not measured yet."""
    measured = {key: record["seconds"] for key, record in growth.items() if record["status"] == "finished"}
    if not measured:
        return "How they grow with a study is not measured yet (`make bench-peers`)."
    image = draw_growth(measured, folder / "benchmarks-growth.png")
    failed = [
        f"{method} at {size.evaluations} evaluations, {size.inputs} inputs, {size.objectives} objectives: "
        f"{record['detail']}."
        for (method, size), record in growth.items()
        if record["status"] == "error"
    ]
    failures = " ".join(["Failures:", *failed]) if failed else ""
    return f"""As a study grows, on DTLZ2: evaluations with 5 inputs and 2 objectives, inputs with 50 evaluations and 2
objectives, objectives with 50 evaluations and 12 inputs, while other runs were going on. –: more than 8 GB, or more
than five minutes for ten suggestions and what comes before them, or a failure. The figure draws less than ten
microseconds as ten.
{failures}

![Seconds per suggestion by size]({image})

{growth_table(measured)}"""


def unfinished(runs: Runs) -> str:
    """The runs that met a limit or failed."""
    bad = [(*key, run) for key, run in runs.items() if run["status"] != "finished"]
    rows = [[p, m, str(s), run["status"], str(run.get("evaluations", 0)), run["detail"][:90]] for p, m, s, run in bad]
    if not rows:
        return "None."
    return table(["problem", "method", "seed", "ended by", "evaluations", "message"], rows)


def seeds_of(runs: Runs, *, finished: bool) -> str:
    """The number of seeds, and the methods that have fewer on some problem."""
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
    why = "runs met a limit" if finished else "runs met a limit or are missing"
    return f"{most} seeds" + (f" (fewer where {why}: {', '.join(fewer)})" if fewer else "")


def to_be_made(runs: Runs) -> str:
    """A warning while runs are missing, otherwise empty."""
    whole = list(itertools.product(CONTESTS, METHODS, range(SEEDS)))
    missing = sum(wanted(dict(runs), *key, CPU_SECONDS) for key in whole)
    if not missing:
        return ""
    return f"""
**Not finished: {missing} of {len(whole)} runs are missing, most of them of the slowest methods. Until they are made,
the figures on this page may change, and none is a claim.** """


def page(runs: Runs, growth: Growth, folder: Path) -> str:
    """The whole of docs/benchmarks.md; its figures are drawn into the folder."""
    versions = sorted({(name, version) for run in runs.values() for name, version in run["versions"].items()})
    missing = to_be_made(runs)
    images = [
        draw_curves(runs, folder / "benchmarks-evaluations.png", money=False),
        draw_curves(runs, folder / "benchmarks-money.png", money=True),
        draw_use(runs, folder / "benchmarks-use.png"),
    ]
    shows = ("Hypervolume by evaluations", "Hypervolume by money", "Use of each input")
    by_evaluations, by_money, use = (f"![{what}]({name})" for what, name in zip(shows, images, strict=True))
    sections = [
        _answer(runs, missing),
        _problem_by_problem(runs, by_money),
        _counting(runs, finished=not missing),
        _flattery(runs),
        _methods(runs),
        _tables(runs, by_evaluations),
        _speed(runs, growth, folder),
        f"## Use of each input\n\nMean level over a run: 0 is the cheap end of an input, 1 the expensive end.\n\n{use}",
        _stopped_runs(runs),
        f"""## How this page is made

`make bench-peers-page` writes it from `benchmarks/results/`; `make bench-peers` makes missing runs first. Medians
are over {seeds_of(runs, finished=not missing)}; quartiles are in small print. Versions:
{", ".join(" ".join(pair) for pair in versions)}.""",
    ]
    return "\n\n".join(sections) + "\n"


def _answer(runs: Runs, missing: str) -> str:
    problems = len(problems_of(runs))
    return f"""# camobo next to its peers

How much money camobo needs to reach a share of the best front, relative to other optimisers, on {problems} problems
whose prices it does not know. Below 1, camobo pays less. Geometric means, and on how many problems:

{who_pays(runs)}
{missing}
{where_we_pay_more(runs)}
On DTLZ2 with four objectives the time limit stopped qLogNEHVI, which was level with camobo until then, and
qLogNEHVI ÷ cost, which was ahead ([stopped runs](#runs-that-did-not-finish)).

camobo's rows were made anew with its present default. With the additive cost it had before, which was tuned on these
problems for the money spent in 100 evaluations, it paid 0.551, 0.266 and 0.672 to 95 %: it now pays more on most of
them, most of all on the forest (0.32 then), and misses 95 % on DTLZ2 with six and more objectives, which it reached.
Problems that nothing was tuned on are in [money.md](money.md).

The figure to 95 % depends on how it is counted (last column). {outside_the_bar(runs)}
See [how it is counted](#how-it-is-counted) and [what flatters camobo](#what-flatters-camobo).

**What the order of costs adds.** camobo with the order relative to camobo without cost. The forest saves
most by far and weighs heavily in the means; see the medians:

{saved_by_the_order(runs)}"""


def _problem_by_problem(runs: Runs, figure: str) -> str:
    return f"""## Problem by problem

Money to 95 %, camobo's ÷ that of the peer in brackets. ✓: camobo pays significantly less. ✗: significantly more
(p < {2 * LIKELY}). ?: too few seeds to test.

{by_problem(runs)}

{figure}

Medians over the seeds, from half of the best reached upwards; pale with fewer than five seeds. Methods of one family
share a colour. Shares in the figure are of the best known hypervolume, targets in the tables are shares of the best
reached."""


def _counting(runs: Runs, *, finished: bool) -> str:
    return f"""## How it is counted

*Problems.* Every method minimises over the unit cube, without noise, with 100 evaluations (60 on the forest). Methods
without constraints are given penalised values.

*Money.* The price of input j of k is 2^(k−j) per unit, scaled so that prices sum to one, plus a tenth per
evaluation. Only qLogNEHVI ÷ cost knows these prices. On the forest money is processor seconds, from a table of
forests that were timed once, so that no run pays for a slower machine. camobo is told the order x1 > x2 > … and the
number of evaluations.

*Target.* A share of the best median hypervolume that any method reached on the problem.

*Rival.* On each problem, the peer of its kind that pays least; if none reaches the target, the one that comes nearest.

*Misses.* A run that misses the target is charged twice the most that any run of the two methods spent on the
problem. No run is charged more. A method misses the target if at least half of its runs do; problems that both miss
are left out.

*Stopped runs.* A run that was stopped before the target is left out. On DTLZ2 with four objectives both qLogNEHVI
were stopped before it, and therefore not run with more objectives: there camobo is compared with the next best. When
they were stopped they were not behind camobo, and qLogNEHVI ÷ cost was well ahead ([stopped
runs](#runs-that-did-not-finish)).

*Tests.* A problem is tested if both methods have at least five runs: two-sided Wilcoxon rank-sum test at p < {
        2 * LIKELY
    }. By chance alone, one in twenty would be significant.

*FLAML.* Its evaluations are mostly cheaper, so it is given three times as many. Charges for misses count the first
hundred; figures and the table of hypervolumes end where the others do. Its best at its own end may set a target, and
does on the forest.

*Many objectives.* From six on, hypervolumes are computed at every tenth evaluation only, so money to a target is
rounded up to the next ten. From seven on they are estimated, to about one per cent.

The bar is the most that camobo was meant to pay, set before the contest was built. Below the mean, the table shows
how much it depends on the seeds, and on each decision above when that one is changed:

{bars(runs, finished=finished)}"""


def _flattery(runs: Runs) -> str:
    own = sum(best_method(runs, problem).startswith(OURS) for problem in problems_of(runs))
    return f"""## What flatters camobo

- *Its own targets.* On {own} of the {len(problems_of(runs))} problems the best median is camobo's own, with or
  without the order, so the target is a share of what it reached itself.
- *Tuning on these problems.* Its treatment of three or more objectives was chosen on the DTLZ2 problems below,
  partly on these seeds. How its cost fades was chosen on other seeds of five of them, its other constants on other
  problems but for ZDT2 ([method.md](method.md)). Its kernel for outcomes with many humps was made because it was
  behind on cross-holder, and was chosen on other seeds of that problem. Its treatment of smooth outcomes was chosen on
  other seeds of most problems.
- *Prices like its guess.* Its estimate of a point's cost includes a tenth per evaluation, as the prices here do, and
  weights close to them. Other prices were not tried. On ZDT1 to 3 all inputs but x1 are best at their cheap end.
- *Fewer first points.* It starts with inputs + 1 points spread over the space; others start with at least five
  uniform ones. With two inputs, where few evaluations are needed, that is part of the difference.
- *FLAML and SMAC3 are made for other problems.* FLAML minimises one number. Here five of its searches take turns,
  each with its own Chebyshev weights, so it aims at five points of a front, and their hypervolume is often less than
  95 % of the whole. Within a hundred evaluations its BlendSearch does the same as its CFO on most problems. Both
  FLAML and SMAC3 also handle inputs that are not real numbers; here all are."""


def _methods(runs: Runs) -> str:
    ran = {name: method for name, method in METHODS.items() if any(key[1] == name for key in runs)}
    known = table(
        ["method", "what it knows about cost", "what else it is told", "first points"],
        [[name, method.knows, method.told, method.first_points] for name, method in ran.items()],
    )
    return f"""## The methods

{known}

`benchmarks/peers/` has the set-up of each. BoTorch's raw samples are also taken around the best points: with uniform
ones alone it asked for the same point of ZDT2 over and over, and found less on welded-beam. This holds for all its
runs except the first three or four seeds of qLogNEHVI and qLogNEHVI ÷ cost on matyas-booth, branin-currin, dtlz2-2,
dtlz2-4 and car-side."""


def _tables(runs: Runs, figure: str) -> str:
    targets = "\n\n".join(f"### To {percent(share)}\n\n{money(runs, share)}" for share in SHARES)
    return f"""## Money to a share of the best

Medians. ∞: at least half of the runs miss the target. –: no run, or all were stopped before it.

{targets}

## Hypervolume by evaluations

Share of the best known hypervolume after 100 evaluations (60 on the forest), whatever was paid. On the forest the
best known is that of a grid and can be beaten. With an order camobo does not aim at this: it leaves expensive
regions for last.

{quality(runs)}

{figure}"""


def _speed(runs: Runs, growth: Growth, folder: Path) -> str:
    return f"""## Seconds per suggestion

Processor seconds of one thread: the mean of the last ten suggestions (for FLAML those up to the hundredth
evaluation, for a stopped run the last full ten), while other runs were going on. Work that a method does when it is
told a result is not included: pymoo's NSGA-II does all its work there, or once in twenty suggestions. Many of
BoTorch's runs were made before three changes that made it faster: fitting its models in one batch, scoring raw
samples in small batches, and keeping memory between tensors. So its figures in the first table are too high; those
of growth, below it, are not. SMAC3's figures of growth are from an earlier day, when the machine was much slower.

{seconds(runs)}

{growing(growth, folder)}"""


def _stopped_runs(runs: Runs) -> str:
    return f"""## Runs that did not finish

Each run may take 8 GB of address space and a quarter of an hour of processor time. A stopped run counts as far as it
came. A method that was stopped on three seeds of a problem is run on the first five seeds only, as many as a test
needs. One that was stopped once on DTLZ2 is not run on DTLZ2 with more objectives. The limit is on time, so how far
a run came depends on the machine and the set-up: BoTorch's seed 0, which ran first, came less far than its others,
which says nothing about the seed.

Runs stopped before the target are not in the comparison above. The table says how they stood until then: the money of
camobo's median run, with the order, to the same hypervolume, relative to theirs.

{where_they_stopped(runs)}

{unfinished(runs)}"""


def main() -> None:
    """Read, draw and write."""
    parser = argparse.ArgumentParser(description="write docs/benchmarks.md from the results so far")
    parser.add_argument("--short", type=Path, metavar="DIR", help="from the results of --short, into this folder")
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
