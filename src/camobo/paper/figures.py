"""The paper's figures, drawn from runs: one file a group of panels, each as PNG and as PDF.

A method has one colour everywhere (Okabe and Ito's, told apart by the colour-blind) and one marker; where panels are a
method each, inputs are told apart by shade and by the name at the end of the line. Bands hold the middle 90 % of runs.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from camobo import regret
from camobo.cost import AdditiveCost, Discount, ExponentialProduct, Moment
from camobo.errors import InvalidOptionError, MissingExtraError
from camobo.order import Order
from camobo.paper.experiments import ADDITIVE_COOLING, ADDITIVE_STRENGTH, METHODS, Experiment, Method, experiment
from camobo.paper.runs import Setting, surveyed
from camobo.paper.summary import Curves, scale_of, signs_of
from camobo.pareto import on_front
from camobo.space import Array

COLOURS: Mapping[Method, str] = {
    "mo-ucb": "#4D4D4D",
    "paper": "#0072B2",
    "additive": "#D55E00",
    "printed": "#CC79A7",
}
_MARKERS: Mapping[Method, str] = {"mo-ucb": "o", "paper": "^", "additive": "s", "printed": "D"}
_BAND = (5.0, 95.0)
_DOTS = 150


def _pyplot() -> Any:
    try:
        import matplotlib
    except ImportError as error:
        raise MissingExtraError(
            f"the paper's figures need matplotlib, which cannot be imported ({error}). "
            "Install it with: pip install 'camobo[paper]'"
        ) from error
    matplotlib.use("Agg")
    from matplotlib import pyplot

    pyplot.rcParams.update(
        {
            "font.size": 10,
            "axes.titlesize": 10,
            "axes.spines.top": False,
            "axes.spines.right": False,
            "legend.frameon": False,
            "savefig.dpi": 150,
            "figure.constrained_layout.use": True,
        }
    )
    return pyplot


def available() -> None:
    """Raise if figures cannot be drawn, before hours are spent on what they would show."""
    _pyplot()


def _save(figure: Any, folder: Path, name: str) -> Path:
    """Write PNG and PDF, whole or not at all, and give the PNG's path."""
    figure.draw_without_rendering()
    figure.set_layout_engine("none")  # laid out once for both
    for end in ("pdf", "png"):
        beside = folder / f".{name}.{os.getpid()}.{end}"
        try:
            figure.savefig(beside)
            beside.replace(folder / f"{name}.{end}")
        except OSError as error:
            raise InvalidOptionError(f"{folder / name}.{end}: cannot be written ({error}).") from error
    _pyplot().close(figure)
    return folder / f"{name}.png"


def draw(folder: Path, setting: Setting, found: Mapping[Method, Curves]) -> list[Path]:
    """Every figure of an experiment's runs."""
    given = experiment(setting.experiment, setting.options)
    paths = [_quality(folder, given, setting, found)]
    if len(given.objectives) > 1:
        paths.append(_fronts(folder, given, setting, found))
    else:
        paths.append(_paths(folder, given, found))
    if given.function is None:
        paths.append(_points(folder, given, found))
    paths += [_use(folder, given, found), _money(folder, given, found)]
    if all(curve.bounds is not None for curve in found.values()):
        paths.append(_bound(folder, given, found))
    return paths


def _band(axes: Any, x: Array, rows: Array, colour: str, label: str | None = None, **style: Any) -> None:
    """The mean over (R, T) rows as a line, the middle 90 % as a band."""
    low, high = np.percentile(rows, _BAND, axis=0)
    axes.plot(x, rows.mean(axis=0), color=colour, label=label, lw=1.8, **style)
    axes.fill_between(x, low, high, color=colour, alpha=0.15, lw=0)


def _by_method(axes: Any, found: Mapping[Method, Curves], rows: Callable[[Curves], Array | None]) -> None:
    for method, curve in found.items():
        values = rows(curve)
        if values is not None:
            _band(axes, np.arange(1, values.shape[1] + 1), values, COLOURS[method], METHODS[method])
    axes.set_xlabel("iteration t")


def _quality(folder: Path, given: Experiment, setting: Setting, found: Mapping[Method, Curves]) -> Path:
    """True front where there is one, both hypervolumes, average and cumulative regret; the legend in its own cell."""
    plt = _pyplot()
    synthetic, one = given.function is not None, len(given.objectives) == 1
    shape = (1, 3) if not synthetic else (2, 3)
    figure, grid = plt.subplots(*shape, figsize=(10.5, 3.3 * shape[0]))
    panels = list(np.ravel(grid))
    if synthetic and not one:
        axes = panels.pop(0)
        axes.plot(*true_front(given, setting).T, ".", color="black", ms=2.5)
        axes.set(xlabel=given.labels[0], ylabel=given.labels[1], title="True front")
    _by_method(panels[0], found, lambda curve: curve.mapped)
    _by_method(panels[1], found, lambda curve: np.maximum(1.0 - curve.near, 1e-6))
    panels[0].set(title="Best so far" if one else "Hypervolume, the paper's", ylabel="share of the best possible")
    panels[1].set(
        title="Missing to the best" if one else "Hypervolume missing, near the front", ylabel="share of the best"
    )
    _logarithmic(panels[1])
    used = 2
    if synthetic:
        _by_method(panels[2], found, lambda c: None if c.regrets is None else regret.average(c.regrets))
        panels[2].set(title="Average regret", ylabel="R'(t)")
        _by_method(panels[3], found, lambda c: None if c.regrets is None else regret.cumulative(c.regrets))
        panels[3].set(title="Cumulative regret", ylabel="R(t)")
        used = 4
    panels[used].legend(*panels[0].get_legend_handles_labels(), loc="center", fontsize=10)
    for axes in panels[used:]:
        axes.axis("off")
    figure.suptitle(f"{given.title}: {_protocol(found)}", fontsize=11)
    return _save(figure, folder, "quality")


def _logarithmic(axes: Any) -> None:
    """A log scale whose ticks are plain numbers, never crowded."""
    from matplotlib import ticker

    axes.set_yscale("log")
    low, high = axes.get_ylim()
    axes.yaxis.set_major_locator(ticker.LogLocator(subs=(1.0, 2.0, 5.0) if high < 100.0 * low else (1.0,)))
    axes.yaxis.set_major_formatter(ticker.FuncFormatter(lambda value, _: f"{value:g}"))
    axes.yaxis.set_minor_formatter(ticker.NullFormatter())


def _protocol(found: Mapping[Method, Curves]) -> str:
    runs = sorted({len(curve.records) for curve in found.values()})
    iterations = next(iter(found.values())).near.shape[1]
    several = f"{runs[0]} to {runs[-1]}" if len(runs) > 1 else str(runs[0])
    return f"{several} run{'s' * (runs[-1] > 1)} × {iterations} iterations"


def true_front(given: Experiment, setting: Setting) -> Array:
    """(n, 2) values on the front, from a dense sample of the whole space, in the objectives' own units."""
    made = surveyed(given.name, tuple(sorted(setting.options.items())))
    rng = np.random.default_rng(0)
    points, scale = made.points[on_front(made.values)], 0.02
    for _ in range(6):
        around = np.clip(
            np.repeat(points, 12, axis=0) + scale * rng.standard_normal((12 * len(points), points.shape[1])), 0, 1
        )
        points = np.vstack([points, around * (rng.random(around.shape) < 0.9)])
        points = points[on_front(made.mapped(points))]
        points = points[rng.permutation(len(points))[:3000]]
        scale /= 3.0
    if given.function is None:
        raise InvalidOptionError(f"experiment {given.name!r}: what is measured has no known front.")
    return given.function(points)


def _axis_limits(axes: Any, given: Experiment, setting: Setting, found: Mapping[Method, Curves], truth: Array) -> None:
    """Show the front and what is near it: from a little beyond the best of (n, M) values to the near reference."""
    records = [record for curve in found.values() for record in curve.records]
    signs = signs_of(given)
    reference = signs * scale_of(given, setting, records).reference
    best = signs * (signs * truth).max(axis=0)
    margin = 0.05 * (reference - best)
    for m, limit in enumerate((axes.set_xlim, axes.set_ylim)):
        limit(*sorted((best[m] - margin[m], reference[m] + margin[m])))


def _fronts(folder: Path, given: Experiment, setting: Setting, found: Mapping[Method, Curves]) -> Path:
    """The found fronts, a panel a method: every run's, the first run's stressed; the true front behind them."""
    plt = _pyplot()
    figure, panels = plt.subplots(
        1, len(found), figsize=(3.6 * len(found), 3.4), sharex=True, sharey=True, squeeze=False
    )
    truth = true_front(given, setting) if given.function is not None else None
    for axes, (method, curve) in zip(panels[0], found.items(), strict=True):
        if truth is not None:
            axes.plot(*truth.T, ".", color="black", ms=1.0, alpha=0.5, label="true front")
        fronts = [_front_of(record.first_values, record.values, given) for record in curve.records]
        style = {"color": COLOURS[method], "marker": _MARKERS[method], "ls": "none"}
        others = np.vstack(fronts[1:]) if len(fronts) > 1 else np.empty((0, 2))
        axes.plot(*others.T, ms=3, alpha=0.15, mew=0, **style, label="front of the other runs")
        axes.plot(*fronts[0].T, ms=4, mfc="none", **style, label="front of one run")
        axes.set(title=METHODS[method], xlabel=given.labels[0])
    panels[0][0].legend(fontsize=7, loc="best")
    panels[0][0].set_ylabel(given.labels[1])
    everything = np.vstack([record.values for curve in found.values() for record in curve.records])
    _axis_limits(panels[0][0], given, setting, found, everything if truth is None else truth)
    figure.suptitle(f"{given.title}: found fronts", fontsize=11)
    return _save(figure, folder, "fronts")


def _front_of(first: Array, later: Array, given: Experiment) -> Array:
    values = np.vstack([first, later])
    return np.asarray(values[on_front(signs_of(given) * values)])


def _use(folder: Path, given: Experiment, found: Mapping[Method, Curves]) -> Path:
    """The sum of each input so far, a panel a method."""
    plt = _pyplot()
    names = Order.parse(given.order).names
    figure, panels = plt.subplots(1, len(found), figsize=(3.4 * len(found), 3.4), sharey=True, squeeze=False)
    shades = plt.get_cmap("cividis")(np.linspace(0.0, 0.85, len(names)))
    for axes, (method, curve) in zip(panels[0], found.items(), strict=True):
        t = np.arange(1, curve.use.shape[1] + 1)
        for j in range(len(names)):
            _band(axes, t, curve.use[:, :, j], shades[j], ls=("-", "--", "-.", ":")[j % 4])
        _label_ends(axes, t[-1], curve.use[:, -1].mean(axis=0), names, shades)
        axes.set(title=METHODS[method], xlabel="iteration t", xlim=(0, 1.0 * t[-1]))
        axes.title.set_color(COLOURS[method])
    panels[0][0].set_ylabel("sum of input so far, mapped to [0, 1]")
    figure.suptitle(f"{given.title}: use of inputs, dearest first: {given.order}", fontsize=11)
    return _save(figure, folder, "use")


def _label_ends(axes: Any, x: float, heights: Array, names: Sequence[str], colours: Any) -> None:
    """Names at the ends of lines, moved apart where they would overlap."""
    room = 0.055 * max(axes.get_ylim()[1], 1e-9)
    place = -np.inf
    for j in np.argsort(heights):
        place = max(float(heights[j]), place + room)
        axes.annotate(f" {names[j]}", (x, place), color=colours[j], va="center", fontsize=8.5, annotation_clip=False)


def _money(folder: Path, given: Experiment, found: Mapping[Method, Curves]) -> Path:
    """Hypervolume against money spent, under prices the methods never saw."""
    plt = _pyplot()
    figure, panels = plt.subplots(1, 2, figsize=(8.4, 3.6))
    for axes, which in zip(panels, ("mapped", "near"), strict=True):
        for method, curve in found.items():
            spent = np.linspace(float(curve.money[:, 0].mean()), float(np.median(curve.money[:, -1])), 300)
            volumes = getattr(curve, which)
            rows = np.stack([_at(spent, m, v) for m, v in zip(curve.money, volumes, strict=True)])
            _band(axes, spent, rows, COLOURS[method], METHODS[method])
            axes.plot(spent[-1], rows[:, -1].mean(), _MARKERS[method], color=COLOURS[method])
        axes.set(xlabel="money spent", ylabel="hypervolume, share of the best")
    panels[0].set_title("The paper's hypervolume")
    panels[1].set_title("Near the front")
    panels[0].legend(loc="lower right", fontsize=8)
    figure.suptitle(
        f"{given.title}\nhidden prices, each input twice the next dearest, 0.1 a point; markers: the last iteration",
        fontsize=10,
    )
    return _save(figure, folder, "money")


def _at(spent: Array, money: Array, volumes: Array) -> Array:
    """(n,) what had been reached when (n,) money was spent."""
    reached = np.searchsorted(money, spent, side="right") - 1
    return np.asarray(volumes[np.clip(reached, 0, len(volumes) - 1)])


def _bound(folder: Path, given: Experiment, found: Mapping[Method, Curves]) -> Path:
    """Measured cumulative regret under Theorem 1's bound, each method with its own cost."""
    plt = _pyplot()
    figure, panels = plt.subplots(1, len(found), figsize=(3.5 * len(found), 3.4), sharey=True, squeeze=False)
    for axes, (method, curve) in zip(panels[0], found.items(), strict=True):
        if curve.own_regrets is None or curve.bounds is None:
            continue
        t = np.arange(1, curve.bounds.shape[1] + 1)
        _band(axes, t, regret.cumulative(curve.own_regrets), COLOURS[method], "measured R(t)")
        _band(axes, t, curve.bounds, "black", "Theorem 1's bound", ls="--")
        axes.set(title=METHODS[method], xlabel="iteration t", yscale="log")
        axes.legend(fontsize=8, loc="lower right")
    panels[0][0].set_ylabel("cumulative regret, log scale")
    figure.suptitle(f"{given.title}: regret under the bound", fontsize=11)
    return _save(figure, folder, "bound")


def _points(folder: Path, given: Experiment, found: Mapping[Method, Curves]) -> Path:
    """Where in the search space the found fronts lie: the two named inputs, all runs."""
    plt = _pyplot()
    names = Order.parse(given.order).names[:2]
    inputs = [given.space.inputs[name] for name in names]
    columns = [given.space.names.index(name) for name in names]
    figure, panels = plt.subplots(
        1, len(found), figsize=(3.5 * len(found), 3.4), sharex=True, sharey=True, squeeze=False
    )
    for axes, (method, curve) in zip(panels[0], found.items(), strict=True):
        places = []
        for record in curve.records:
            units = np.vstack([record.first_units, record.units])
            values = np.vstack([record.first_values, record.values])
            places.append(units[on_front(signs_of(given) * values)][:, columns])
        kept = np.vstack(places)
        shown = np.array([[given_.from_unit(u) for given_, u in zip(inputs, row, strict=True)] for row in kept])
        axes.plot(*shown.T, _MARKERS[method], color=COLOURS[method], ms=4, alpha=0.35, mew=0)
        axes.set(title=METHODS[method], xlabel=names[0])
    panels[0][0].set_ylabel(names[1])
    figure.suptitle(f"{given.title}: the found fronts in the search space", fontsize=11)
    return _save(figure, folder, "points")


def _paths(folder: Path, given: Experiment, found: Mapping[Method, Curves]) -> Path:
    """Figure 1: the first run's path over the landscape, and what it used of the dear input."""
    plt = _pyplot()
    figure, panels = plt.subplots(
        1, len(found), figsize=(3.9 * len(found), 3.6), sharex=True, sharey=True, squeeze=False
    )
    ticks = np.linspace(0.0, 1.0, 101)
    mesh = np.stack(np.meshgrid(ticks, ticks), axis=-1)
    names = given.space.names
    height = (
        given.function(mesh.reshape(-1, 2)).reshape(101, 101) if given.function is not None else np.zeros((101, 101))
    )
    for axes, (method, curve) in zip(panels[0], found.items(), strict=True):
        lines = axes.contour(given.scale * ticks, given.scale * ticks, height, 12, cmap="Greys", linewidths=0.8)
        axes.clabel(lines, fontsize=6, fmt="%.0f")
        record = curve.records[0]
        first, later = given.scale * record.first_units, given.scale * record.units
        axes.plot(*later.T, "-", color=COLOURS[method], lw=0.8, alpha=0.5)
        axes.plot(*first.T, "o", color="black", ms=6, label="first observations")
        axes.plot(*later.T, "x", color=COLOURS[method], ms=7, mew=1.8, label="chosen")
        best = int(record.values[:, 0].argmax())
        axes.plot(*later[best], "*", color=COLOURS[method], ms=15, mec="black", label="best")
        used = given.scale * float(curve.use[0, -1, 0])
        axes.set(title=f"{METHODS[method]}\n{names[0]} used {used:.0f} g", xlabel=f"{names[0]}, %")
    panels[0][0].legend(fontsize=7, loc="upper right", frameon=True, framealpha=1.0)
    panels[0][0].set_ylabel(f"{names[1]}, %")
    figure.suptitle(f"{given.title}, one run, melts of 100 g", fontsize=11)
    return _save(figure, folder, "path")


def cost_surface(folder: Path) -> list[Path]:
    """Figure 2: C over (x1, x2) at t = 1, 10, 20, 1000 for x1 > x2, by the paper's cost both ways and the additive."""
    plt = _pyplot()
    steps = (1, 10, 20, 1000)
    figure, rows = plt.subplots(3, len(steps), figsize=(12, 8.6), sharex=True, sharey=True)
    ticks = np.linspace(0.0, 1.0, 81)
    levels = np.stack(np.meshgrid(ticks, ticks), axis=-1).reshape(-1, 2)
    for method, panels in zip(("paper", "printed", "additive"), rows, strict=True):
        for axes, step in zip(panels, steps, strict=True):
            cost = -np.expm1(_centred(method, step).log(levels)).reshape(81, 81)
            image = axes.contourf(ticks, ticks, cost, np.linspace(0.0, 1.0, 21), cmap="cividis")
            lines = axes.contour(
                ticks, ticks, cost, 5, colors="black" if cost.mean() > 0.5 else "white", linewidths=0.7
            )
            axes.clabel(lines, fontsize=7, fmt=f"%.{max(2, math.ceil(1.0 - math.log10(np.ptp(cost))))}f")
            axes.set_title(f"{METHODS[method]}, t = {step}", color=COLOURS[method])  # type: ignore[index]
            axes.set_aspect("equal")
        panels[0].set_ylabel("x2 (cheaper)")
    for axes in rows[-1]:
        axes.set_xlabel("x1 (dearer)")
    figure.colorbar(image, ax=rows, label="C(x, t)", shrink=0.6)
    figure.suptitle(
        "The cost of a point, with the mean of the weights that agree with x1 > x2; additive without a budget"
    )
    return [_save(figure, folder, "cost-surface")]


def _centred(method: str, step: int) -> Discount:
    """A cost with the mean weights instead of drawn ones."""
    order = Order.parse("x1 > x2")
    if method == "additive":
        cost = AdditiveCost(order, strength=ADDITIVE_STRENGTH, cooling=ADDITIVE_COOLING)
        return cost.at(Moment(step), order.names, np.random.default_rng(0))
    weights = (order.reversed() if method == "paper" else order).centre()
    return ExponentialProduct(np.arange(2), 1.0 / (weights * step + 1.0))
