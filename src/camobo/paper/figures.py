"""The paper's figures, drawn from runs, as PNG and PDF.

Each method has its own colour (from Okabe and Ito's palette for the colour-blind) and marker in all figures. In figures
with one panel per method, inputs differ by shade and are named at the end of their lines. Bands are the middle 90 % of
runs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from camobo.acquisition.pareto import on_front
from camobo.arrays import Array
from camobo.cost.order import Order
from camobo.errors import InvalidOptionError
from camobo.paper import regret
from camobo.paper.drawing import COLOURS, MARKERS, band, logarithmic, pyplot, save, styled
from camobo.paper.experiments import METHODS, Experiment, Method, experiment
from camobo.paper.folder import Setting
from camobo.paper.results import Curves, scale_of, signs_of
from camobo.paper.runs import surveyed
from camobo.space.inputs import Integer


@styled()
def draw(folder: Path, setting: Setting, found: Mapping[Method, Curves]) -> list[Path]:
    """Draw every figure of an experiment. Returns the paths of the PNG files."""
    given = experiment(setting.experiment, setting.options)
    paths = [_quality(folder, given, setting, found)]
    if len(given.objectives) > 1:
        paths.append(_fronts(folder, given, setting, found))
    elif given.function is not None:
        paths.append(_paths(folder, given, given.function, found))
    if given.function is None:
        paths.append(_points(folder, given, found))
    paths += [_use(folder, given, found), _money(folder, given, found)]
    if bounded := {method: curve for method, curve in found.items() if curve.bounds is not None}:
        paths.append(_bound(folder, given, bounded))
    return paths


def _by_method(axes: Any, found: Mapping[Method, Curves], rows: Callable[[Curves], Array | None]) -> None:
    for method, curve in found.items():
        values = rows(curve)
        if values is not None:
            band(axes, np.arange(1, values.shape[1] + 1), values, COLOURS[method], METHODS[method])
    axes.set_xlabel("iteration t")


def _quality(folder: Path, given: Experiment, setting: Setting, found: Mapping[Method, Curves]) -> Path:
    """The true front where known, both hypervolumes, average and cumulative regret; the legend in its own cell."""
    plt = pyplot()
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
        title="Short of the best" if one else "Hypervolume missing, near the front", ylabel="share of the best"
    )
    logarithmic(panels[1])
    used = 2
    if synthetic:
        _by_method(panels[2], found, lambda c: None if c.regrets is None else regret.average(c.regrets))
        panels[2].set(title="Average regret of Algorithm 1", ylabel="R'(t)")
        _by_method(panels[3], found, lambda c: None if c.regrets is None else regret.cumulative(c.regrets))
        panels[3].set(title="Cumulative regret of Algorithm 1", ylabel="R(t)")
        used = 4
    panels[used].legend(*panels[0].get_legend_handles_labels(), loc="center", fontsize=10)
    for axes in panels[used:]:
        axes.axis("off")
    figure.suptitle(f"{given.title}: {_protocol(found)}; bands: the middle 90 % of runs", fontsize=11)
    return save(figure, folder, "quality")


def _protocol(found: Mapping[Method, Curves]) -> str:
    runs = sorted({len(curve.records) for curve in found.values()})
    iterations = next(iter(found.values())).near.shape[1]
    several = f"{runs[0]} to {runs[-1]}" if len(runs) > 1 else str(runs[0])
    return f"{several} run{'s' * (runs[-1] > 1)} × {iterations} iterations"


def true_front(given: Experiment, setting: Setting) -> Array:
    """(n, 2) values on the true front, in the objectives' own units, from a dense sample of the space."""
    if given.function is None:
        raise InvalidOptionError(f"experiment {given.name!r}: its values are measured, so its true front is unknown.")
    survey = surveyed(given.name, tuple(sorted(setting.options.items())))
    rng = np.random.default_rng(0)
    points, scale = survey.points[on_front(survey.values)], 0.02
    for _ in range(6):
        around = np.clip(
            np.repeat(points, 12, axis=0) + scale * rng.standard_normal((12 * len(points), points.shape[1])), 0, 1
        )
        points = np.vstack([points, around * (rng.random(around.shape) < 0.9)])
        points = points[on_front(survey.mapped(points))]
        points = points[rng.permutation(len(points))[:3000]]
        scale /= 3.0
    return given.function(points)


def _axis_limits(axes: Any, given: Experiment, setting: Setting, found: Mapping[Method, Curves], truth: Array) -> None:
    """Limit the axes to the region of the front: from just beyond the best of (n, M) values to the near reference."""
    records = [record for curve in found.values() for record in curve.records]
    signs = signs_of(given)
    reference = signs * scale_of(given, setting, records).reference
    best = signs * (signs * truth).max(axis=0)
    margin = 0.05 * (reference - best)
    for m, limit in enumerate((axes.set_xlim, axes.set_ylim)):
        limit(*sorted((best[m] - margin[m], reference[m] + margin[m])))


def _fronts(folder: Path, given: Experiment, setting: Setting, found: Mapping[Method, Curves]) -> Path:
    """The found fronts, one panel per method, the first run's highlighted; the true front behind them."""
    plt = pyplot()
    figure, panels = plt.subplots(
        1, len(found), figsize=(3.6 * len(found), 3.4), sharex=True, sharey=True, squeeze=False
    )
    truth = true_front(given, setting) if given.function is not None else None
    for axes, (method, curve) in zip(panels[0], found.items(), strict=True):
        if truth is not None:
            axes.plot(*truth.T, ".", color="black", ms=1.0, alpha=0.5, label="true front")
        fronts = [_front_of(record.first_values, record.values, given) for record in curve.records]
        style = {"color": COLOURS[method], "marker": MARKERS[method], "ls": "none"}
        others = np.vstack(fronts[1:]) if len(fronts) > 1 else np.empty((0, 2))
        axes.plot(*others.T, ms=3, alpha=0.4, mew=0, **style, label="front of the other runs")
        axes.plot(*fronts[0].T, ms=4, mfc="none", **style, label="front of one run")
        axes.set(title=METHODS[method], xlabel=given.labels[0])
    panels[0][0].legend(fontsize=7, loc="best")
    panels[0][0].set_ylabel(given.labels[1])
    everything = np.vstack([record.values for curve in found.values() for record in curve.records])
    _axis_limits(panels[0][0], given, setting, found, everything if truth is None else truth)
    figure.suptitle(f"{given.title}: found fronts", fontsize=11)
    return save(figure, folder, "fronts")


def _front_of(first: Array, later: Array, given: Experiment) -> Array:
    values = np.vstack([first, later])
    return np.asarray(values[on_front(signs_of(given) * values)])


def _use(folder: Path, given: Experiment, found: Mapping[Method, Curves]) -> Path:
    """The sum of each input so far, one panel per method."""
    plt = pyplot()
    names = Order.parse(given.order).names
    figure, panels = plt.subplots(1, len(found), figsize=(3.4 * len(found), 3.4), sharey=True, squeeze=False)
    shades = plt.get_cmap("cividis")(np.linspace(0.0, 0.85, len(names)))
    for axes, (method, curve) in zip(panels[0], found.items(), strict=True):
        t = np.arange(1, curve.use.shape[1] + 1)
        for j in range(len(names)):
            band(axes, t, curve.use[:, :, j], shades[j], ls=("-", "--", "-.", ":")[j % 4])
        _label_ends(axes, t[-1], curve.use[:, -1].mean(axis=0), names, shades)
        axes.set(title=METHODS[method], xlabel="iteration t", xlim=(0, 1.0 * t[-1]))
        axes.title.set_color(COLOURS[method])
    panels[0][0].set_ylabel("sum of input so far, mapped to [0, 1]")
    figure.suptitle(f"{given.title}: use of inputs, {given.order}; bands: the middle 90 % of runs", fontsize=11)
    return save(figure, folder, "use")


def _label_ends(axes: Any, x: float, heights: Array, names: Sequence[str], colours: Any) -> None:
    """Write names at the ends of lines, apart enough not to overlap."""
    room = 0.055 * max(axes.get_ylim()[1], 1e-9)
    place = -np.inf
    for j in np.argsort(heights):
        place = max(float(heights[j]), place + room)
        axes.annotate(f" {names[j]}", (x, place), color=colours[j], va="center", fontsize=8.5, annotation_clip=False)


def _money(folder: Path, given: Experiment, found: Mapping[Method, Curves]) -> Path:
    """Hypervolume over money spent, by prices that no method knows."""
    plt = pyplot()
    figure, panels = plt.subplots(1, 2, figsize=(8.4, 3.6))
    for axes, which in zip(panels, ("mapped", "near"), strict=True):
        for method, curve in found.items():
            spent = np.linspace(float(curve.money[:, 0].mean()), float(np.median(curve.money[:, -1])), 300)
            volumes = getattr(curve, which)
            rows = np.stack([_at(spent, m, v) for m, v in zip(curve.money, volumes, strict=True)])
            band(axes, spent, rows, COLOURS[method], METHODS[method])
            axes.plot(spent[-1], rows[:, -1].mean(), MARKERS[method], color=COLOURS[method])
        axes.set(xlabel="money spent", ylabel="hypervolume, share of the best")
    panels[0].set_title("The paper's hypervolume")
    panels[1].set_title("Near the front")
    panels[0].legend(loc="lower right", fontsize=8)
    prices = "hidden prices: each input half the next more expensive one, 0.1 per point"
    marks = "bands: the middle 90 % of runs; markers: the last iteration"
    figure.suptitle(f"{given.title}\n{prices}\n{marks}", fontsize=10)
    return save(figure, folder, "money")


def _at(spent: Array, money: Array, volumes: Array) -> Array:
    """(n,) the volume reached when (n,) `spent` was spent, for (T,) money and volumes of a run."""
    reached = np.searchsorted(money, spent, side="right") - 1
    return np.asarray(volumes[np.clip(reached, 0, len(volumes) - 1)])


def _bound(folder: Path, given: Experiment, found: Mapping[Method, Curves]) -> Path:
    """Cumulative regret and Theorem 1's bound, each method of Algorithm 1 under its own cost."""
    plt = pyplot()
    figure, panels = plt.subplots(1, len(found), figsize=(3.5 * len(found), 3.4), sharey=True, squeeze=False)
    for axes, (method, curve) in zip(panels[0], found.items(), strict=True):
        if curve.own_regrets is None or curve.bounds is None:
            continue
        t = np.arange(1, curve.bounds.shape[1] + 1)
        band(axes, t, regret.cumulative(curve.own_regrets), COLOURS[method], "measured R(t)")
        band(axes, t, curve.bounds, "black", "Theorem 1's bound", ls="--")
        axes.set(title=METHODS[method], xlabel="iteration t", yscale="log")
        axes.legend(fontsize=8, loc="lower right")
    panels[0][0].set_ylabel("cumulative regret, log scale")
    figure.suptitle(f"{given.title}: regret under the bound; bands: the middle 90 % of runs", fontsize=11)
    return save(figure, folder, "bound")


def _points(folder: Path, given: Experiment, found: Mapping[Method, Curves]) -> Path:
    """The found fronts of all runs in the search space, over the two most expensive inputs."""
    plt = pyplot()
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
        axes.plot(*shown.T, MARKERS[method], color=COLOURS[method], ms=4, alpha=0.35, mew=0)
        axes.set(title=METHODS[method], xlabel=names[0])
    corners = np.array([[given_.from_unit(u) for given_ in inputs] for u in (0.0, 1.0)])
    panels[0][0].update_datalim(corners)  # show the whole search space
    panels[0][0].autoscale_view()
    for axis, given_ in zip((panels[0][0].xaxis, panels[0][0].yaxis), inputs, strict=True):
        axis.get_major_locator().set_params(integer=isinstance(given_, Integer))
    panels[0][0].set_ylabel(names[1])
    figure.suptitle(f"{given.title}: the found fronts in the search space", fontsize=11)
    return save(figure, folder, "points")


def _paths(folder: Path, given: Experiment, function: Callable[[Array], Array], found: Mapping[Method, Curves]) -> Path:
    """Figure 1: the path of the first run over the landscape, and how much of the expensive input it used."""
    plt = pyplot()
    figure, panels = plt.subplots(
        1, len(found), figsize=(3.9 * len(found), 3.6), sharex=True, sharey=True, squeeze=False
    )
    ticks = np.linspace(0.0, 1.0, 101)
    mesh = np.stack(np.meshgrid(ticks, ticks), axis=-1)
    names = given.space.names
    height = function(mesh.reshape(-1, 2)).reshape(101, 101)
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
    return save(figure, folder, "path")
