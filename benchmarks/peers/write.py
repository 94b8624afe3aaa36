"""Write docs/benchmarks.md and its figures from the results file.

cd benchmarks && python -m peers.write            from results/peers.jsonl
cd benchmarks && python -m peers.write --short DIR    from results/peers_short.jsonl, into a folder of your own
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib as mpl

mpl.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.lines import Line2D

from peers.figures import (
    SHARES,
    Runs,
    best_reached,
    final,
    finished,
    geometric_mean,
    median_curve,
    money_to,
    ratio,
    seconds_per_ask,
    spread,
)
from peers.methods import METHODS
from peers.problems import CONTESTS
from peers.run import results_file, stored

DOCS = Path(__file__).parent.parent.parent / "docs"
OURS = "camobo"
BLIND = [name for name, method in METHODS.items() if method.knows == "nothing" and not name.startswith(OURS)]
BARS: dict[str, tuple[list[str], float]] = {
    "the best peer that knows no cost": (BLIND, 0.6),
    "the better of FLAML's two": (["FLAML CFO", "FLAML BlendSearch"], 0.7),
    "qLogNEHVI ÷ true cost": (["qLogNEHVI ÷ cost"], 1.1),
}


def table(head: list[str], rows: list[list[str]]) -> str:
    """Markdown."""
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in rows)])


def shown(value: float, form: str = ".3g") -> str:
    """A number, or a dash."""
    return "–" if math.isnan(value) else "not reached" if math.isinf(value) else format(value, form)


def by_problem(runs: Runs, cell: Callable[[str, str], str]) -> str:
    """A table of methods and problems."""
    problems = [name for name in CONTESTS if any(key[0] == name for key in runs)]
    rows = [[method, *(cell(problem, method) for problem in problems)] for method in METHODS]
    return table(["", *problems], [row for row in rows if any(text != "–" for text in row[1:])])


def quality(runs: Runs) -> str:
    """Final hypervolumes."""

    def cell(problem: str, method: str) -> str:
        found = final(runs, problem, method)
        return f"{spread(found).middle:.3f}" if found else "–"

    return by_problem(runs, cell)


def money(runs: Runs, share: float) -> str:
    """Money to a share of the best that was reached."""

    def cell(problem: str, method: str) -> str:
        target = share * best_reached(runs, problem, METHODS)
        found = [money_to(run, target) for run in finished(runs, problem, method).values()]
        return shown(spread(found).middle) if found else "–"

    return by_problem(runs, cell)


def bars(runs: Runs) -> str:
    """Our money beside that of the strongest of each kind of peer, problem by problem, and the bar on their mean."""
    rows = []
    for what, (rivals, bar) in BARS.items():
        found = {}
        for problem in CONTESTS:
            target = 0.95 * best_reached(runs, problem, METHODS)
            ratios = [r for rival in rivals if (r := ratio(runs, problem, OURS, rival, target)) is not None]
            if ratios:
                found[problem] = min(ratios, key=lambda given: given.theirs)
        mean = geometric_mean([given.value for given in found.values()])
        verdict = "–" if math.isnan(mean) else "yes" if mean <= bar else "**no**"
        each = ", ".join(f"{problem} {given.value:.2f}" for problem, given in found.items())
        tests = f"{sum(given.p < 0.05 for given in found.values())} of {len(found)}"
        missed = [sum(not given.ours_reached for given in found.values())]
        missed.append(sum(not given.theirs_reached for given in found.values()))
        rows.append([what, f"≤ {bar}", shown(mean), verdict, each, tests, f"{missed[0]} / {missed[1]}"])
    head = ["money to 95 %, camobo against", "bar", "geometric mean", "reached", "problem by problem"]
    return table([*head, "Wilcoxon p < 0.05", "missed by us / by them"], rows)


def seconds(runs: Runs) -> str:
    """Processor seconds an ask near the end of a run."""
    return by_problem(runs, lambda problem, method: shown(seconds_per_ask(runs, problem, method, 100), ".2g"))


def use(runs: Runs) -> str:
    """Mean use of the dearest input."""

    def cell(problem: str, method: str) -> str:
        found = [run["use"][0] / run["evaluations"] for run in finished(runs, problem, method).values() if run["use"]]
        return f"{spread(found).middle:.2f}" if found else "–"

    return by_problem(runs, cell)


def unfinished(runs: Runs) -> str:
    """Runs that met a limit or failed."""
    bad = [(*key, run) for key, run in runs.items() if run["status"] != "finished"]
    rows = [[p, m, str(s), run["status"], str(run.get("evaluations", 0)), run["detail"][:90]] for p, m, s, run in bad]
    if not rows:
        return "None."
    return table(["problem", "method", "seed", "ended by", "evaluations", "said"], rows)


def draw(runs: Runs, folder: Path) -> list[str]:
    """Hypervolume by evaluations and by money, problem by problem, and time by objectives; the files' names."""
    problems = [name for name in CONTESTS if any(key[0] == name for key in runs)]
    methods = [name for name in METHODS if any(key[1] == name for key in runs)]
    colours = dict(zip(methods, plt.get_cmap("tab20").colors, strict=False))  # type: ignore[attr-defined]
    names = []
    for money_axis, name, label in ((False, "evaluations", "evaluations"), (True, "money", "money")):
        columns = min(4, len(problems))
        lines = math.ceil(len(problems) / columns)
        figure, axes = plt.subplots(lines, columns, figsize=(4 * columns, 3 * lines), squeeze=False, sharey=True)
        for axis, problem in zip(axes.flat, problems, strict=False):
            for method in methods:
                curve = median_curve(runs, problem, method, money_axis)
                if curve is not None:
                    width = 2.5 if method == OURS else 1.0
                    axis.plot(*curve, label=method, color=colours[method], linewidth=width)
            axis.set_title(problem, fontsize=10)
            axis.set_xlabel(label, fontsize=9)
            axis.grid(alpha=0.3)
        for axis in list(axes.flat)[len(problems) :]:
            axis.set_visible(False)
        axes[0, 0].set_ylabel("share of the best hypervolume")
        _legend(figure, methods, colours)
        names.append(_save(figure, folder / f"benchmarks-{name}.png"))
    names.append(_draw_growth(runs, folder, colours))
    return names


def _draw_growth(runs: Runs, folder: Path, colours: dict[str, Any]) -> str:
    figure, axis = plt.subplots(figsize=(6, 4))
    for method, colour in colours.items():
        points = [(m, seconds_per_ask(runs, f"dtlz2-{m}", method, 100)) for m in (2, 4, 6, 8, 10)]
        points = [(m, value) for m, value in points if not math.isnan(value) and value > 0.0]
        if len(points) > 0:
            axis.plot(*zip(*points, strict=True), "o-", color=colour, linewidth=2.5 if method == OURS else 1.0)
    axis.set_yscale("log")
    axis.set_xlabel("objectives (DTLZ2)")
    axis.set_ylabel("processor seconds a suggestion")
    axis.grid(alpha=0.3)
    _legend(figure, list(colours), colours)
    return _save(figure, folder / "benchmarks-objectives.png")


def _legend(figure: Any, methods: list[str], colours: dict[str, Any]) -> None:
    handles = [Line2D([], [], color=colours[name], linewidth=2) for name in methods]
    figure.legend(handles, methods, loc="lower center", ncol=4, fontsize=8)
    legend_inches = 0.3 + 0.2 * math.ceil(len(methods) / 4)
    figure.tight_layout(rect=(0, legend_inches / figure.get_figheight(), 1, 1))


def _save(figure: Any, file: Path) -> str:
    figure.savefig(file, dpi=90)
    plt.close(figure)
    return file.name


def page(runs: Runs, figures: list[str]) -> str:
    """The whole of docs/benchmarks.md."""
    seeds = len({seed for _, _, seed in runs})
    versions: dict[str, str] = {}
    for run in runs.values():
        versions.update(run["versions"])
    known = table(["method", "what it knows of cost"], [[name, method.knows] for name, method in METHODS.items()])
    targets = "\n\n".join(f"### {share:.0%}\n\n{money(runs, share)}" for share in SHARES)
    images = [f"![{name}]({name})" for name in figures]
    return f"""# camobo beside its peers

Written by `make bench-peers-page` from `benchmarks/results/`; `make bench-peers` runs what is missing. Medians over
{seeds} seeds. {", ".join(f"{package} {given}" for package, given in sorted(versions.items()))}.

Every method minimises, over the unit cube, without noise. Money is counted with prices that only one of them is told:
2^(k−j) a unit of input j, scaled to sum to one, plus a tenth for each evaluation; on the forest, processor seconds.
camobo is told the order x1 > x2 > … and the number of evaluations. Methods without constraints are given penalised
values. `benchmarks/peers/` says how each is set up.

{known}

## Money to 95 % of the best hypervolume reached

The target is a share of the best median hypervolume any method reached on that problem. A ratio below one means that
camobo paid less than the strongest peer of that kind there. A run that does not reach the target is charged twice the
most any run spent on the problem; the last column says on how many problems the median run of either missed it. A
problem on which both miss it is left out. The test asks whether camobo paid less, seed by seed. FLAML's evaluations are
cheap, so it is given three times as many.

{bars(runs)}

{targets}

## Hypervolume at the end

Shares of the best known, whatever was paid. With a cost, camobo is not after this: it leaves dear regions for last.

{quality(runs)}

{images[0]}

{images[1]}

## Seconds a suggestion

Processor seconds of one thread, the mean of the last ten suggestions.

{seconds(runs)}

{images[2]}

## Use of the dearest input

Mean of x1, from 0, its cheap end, to 1.

{use(runs)}

## Runs that did not finish

Each run may take 8 GB and a quarter of an hour of processor time. A method that met a limit on a problem is not run on
further seeds of it, and stands with a dash above.

{unfinished(runs)}
"""


def main() -> None:
    """Read, draw and write."""
    short = "--short" in sys.argv
    folder = Path(sys.argv[-1]) if short else DOCS
    runs = stored(results_file(short))
    if not runs:
        raise SystemExit(f"no results in {results_file(short)}: run `make bench-peers` first")
    (folder / "benchmarks.md").write_text(page(runs, draw(runs, folder)))
    print(f"wrote {folder / 'benchmarks.md'}")


if __name__ == "__main__":
    main()
