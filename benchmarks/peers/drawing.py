"""The figures of docs/benchmarks.md."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import matplotlib as mpl

mpl.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.lines import Line2D

from peers.growth import KINDS, Size
from peers.measures import ENOUGH, Runs, mean_use, median_curve, problems_of, runs_of
from peers.methods import METHODS, OURS

_LEAST = 1e-5  # seconds; smaller values are drawn as this
_LABELS = {
    "evaluations": "evaluations made (5 inputs, 2 objectives)",
    "inputs": "inputs (50 evaluations, 2 objectives)",
    "objectives": "objectives (50 evaluations, 12 inputs)",
}


def _style(method: str) -> dict[str, Any]:
    """One colour per family, one dash per member; camobo's line is thick."""
    families = ("camobo", "Optuna", "qLog", "FLAML", "SMAC", "pymoo", "random", "cheapest")
    family = next(i for i, start in enumerate(families) if method.startswith(start))
    members = [name for name in METHODS if name.startswith(families[family])]
    dashes = ("-", "--", ":")
    return {
        "color": plt.get_cmap("Dark2")(family),
        "linestyle": dashes[members.index(method) % len(dashes)],
        "linewidth": 2.6 if method == OURS else 1.2,
        "zorder": 3 if method == OURS else 2,
    }


def _panels(count: int, *, sharey: bool = False) -> tuple[Any, list[Any]]:
    columns = min(4, count)
    rows = math.ceil(count / columns)
    figure, axes = plt.subplots(rows, columns, figsize=(3.6 * columns, 2.7 * rows + 0.7), squeeze=False, sharey=sharey)
    for spare in list(axes.flat)[count:]:
        spare.set_visible(False)
    return figure, list(axes.flat)[:count]


def _finished(figure: Any, methods: list[str], file: Path) -> str:
    """Add a legend below the panels and save. Returns the file's name."""
    columns = max(2, int(figure.get_figwidth() / 2.4))
    handles = [Line2D([], [], **_style(name)) for name in methods]
    figure.legend(handles, methods, loc="lower center", ncol=columns, fontsize=9)
    legend = 0.25 + 0.18 * math.ceil(len(methods) / columns)
    figure.tight_layout(rect=(0, legend / figure.get_figheight(), 1, 1))
    figure.savefig(file, dpi=90)
    plt.close(figure)
    return file.name


def draw_curves(runs: Runs, file: Path, *, money: bool) -> str:
    """Median hypervolume over evaluations or money, one panel per problem, from half of the best reached upwards.

    Curves of fewer than five runs are pale.
    """
    problems = problems_of(runs)
    methods = [name for name in METHODS if any(key[1] == name for key in runs)]
    figure, panels = _panels(len(problems))
    for axes, problem in zip(panels, problems, strict=True):
        top = right = 0.0
        for method in methods:
            curve = median_curve(runs, problem, method, money)
            if curve is not None:
                few = len(runs_of(runs, problem, method)) < ENOUGH
                axes.plot(*curve, **_style(method), alpha=0.4 if few else 1.0)
                top = max(top, float(curve[1][-1]))
                right = max(right, float(curve[0][-1]) if METHODS[method].stretch == 1 else 0.0)
        axes.set_ylim(0.5 * top, 1.02 * top)
        axes.set_xlim(0, right or None)  # cut where methods with the usual number of evaluations end
        axes.set_title(problem, fontsize=10)
        axes.grid(alpha=0.3)
        axes.set_xlabel(_money(problem) if money else "evaluations", fontsize=9)
    for axes in panels[::4]:
        axes.set_ylabel("share of the best known", fontsize=9)
    return _finished(figure, methods, file)


def _money(problem: str) -> str:
    return "processor seconds" if problem == "forest" else "money"


def draw_use(runs: Runs, file: Path) -> str:
    """Mean level of each input, one panel per problem."""
    problems = problems_of(runs)
    methods = [name for name in METHODS if any(key[1] == name for key in runs)]
    figure, panels = _panels(len(problems))
    for axes, problem in zip(panels, problems, strict=True):
        for method in methods:
            levels = mean_use(runs, problem, method)
            if levels is not None:
                axes.plot(range(1, len(levels) + 1), levels, marker="o", ms=2.5, **_style(method))
                axes.set_xticks(range(1, len(levels) + 1))
        axes.set_ylim(-0.02, 1.02)
        axes.set_title(problem, fontsize=10)
        axes.grid(alpha=0.3)
        axes.set_xlabel("input, most expensive first", fontsize=9)
    for axes in panels[::4]:
        axes.set_ylabel("mean level", fontsize=9)
    return _finished(figure, methods, file)


def draw_growth(seconds: Mapping[tuple[str, Size], float], file: Path) -> str:
    """Seconds per suggestion as evaluations, inputs and objectives grow, one panel each."""
    methods = [name for name in METHODS if any(key[0] == name for key in seconds)]
    figure, panels = _panels(len(KINDS), sharey=True)
    for axes, (kind, sizes) in zip(panels, KINDS.items(), strict=True):
        for method in methods:
            known = [size for size in sizes if (method, size) in seconds]
            heights = [max(seconds[method, size], _LEAST) for size in known]
            if known:
                axes.plot([getattr(size, kind) for size in known], heights, marker="o", ms=3, **_style(method))
        if not axes.lines:
            continue
        ticks = [getattr(size, kind) for size in sizes]
        axes.set(xscale="log", yscale="log")
        axes.set_xticks(ticks, [str(tick) for tick in ticks])
        axes.minorticks_off()
        axes.set_xlabel(_LABELS[kind], fontsize=9)
        axes.grid(alpha=0.3)
    panels[0].set_ylabel("seconds per suggestion", fontsize=9)
    return _finished(figure, methods, file)
