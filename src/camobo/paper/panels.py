"""What goes into single axes of the figures: fronts, curves, sums of inputs, landscapes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from camobo.acquisition.pareto import on_front
from camobo.arrays import Array
from camobo.cost.order import Order
from camobo.paper import regret
from camobo.paper.drawing import COLOURS, DASHES, INKS, MARKERS, PALE, band, label_ends, logarithmic, titled
from camobo.paper.experiments import METHODS, Experiment, Method
from camobo.paper.folder import Record
from camobo.paper.results import Curves, signs_of
from camobo.space.inputs import Categorical, Integer, Real

_NAMED = 8
"""Inputs with a colour and a name in a panel; further ones are thin grey lines."""
_UPWARD: tuple[Method, ...] = ("default", "printed", "mo-ucb", "paper")
"""Which methods' points lie above which, where many are drawn: what the paper compares is on top."""


def front_of(record: Record, given: Experiment) -> tuple[Array, Array]:
    """(k, d) points and (k, M) values of the front that a run found, first observations included."""
    units = np.vstack([record.first_units, record.units])
    values = np.vstack([record.first_values, record.values])
    kept = on_front(signs_of(given) * values)
    return units[kept], values[kept]


def best_of(values: Array, given: Experiment) -> Array:
    """(k, M) the front of (n, M) values, sorted by the first objective."""
    kept = values[on_front(signs_of(given) * values)]
    return np.asarray(kept[np.lexsort(kept.T[::-1])])


def limits(values: Array) -> tuple[tuple[float, float], ...]:
    """Axis limits that contain (n, M) values, with a margin for markers."""
    low, high = values.min(axis=0), values.max(axis=0)
    margin = np.where(high > low, 0.06 * (high - low), 0.5)
    return tuple(zip((low - margin).tolist(), (high + margin).tolist(), strict=True))


def frame(axes: Any, box: Sequence[tuple[float, float]]) -> None:
    """Set the limits of both axes."""
    axes.set_xlim(*box[0])
    axes.set_ylim(*box[1])


def whole_front(axes: Any, given: Experiment, truth: Array) -> None:
    """The true front, (n, 2) values."""
    axes.plot(*truth.T, ".", color="black", ms=1.4, mew=0, label="true front")
    frame(axes, limits(truth))
    titled(axes, "Full Pareto front", *given.labels)


def front(axes: Any, given: Experiment, curve: Curves, truth: Array | None, box: Sequence[tuple[float, float]]) -> None:
    """The fronts that a method found, the first run's marked, before the true front."""
    method = curve.records[0].method
    if truth is not None:
        axes.plot(*truth.T, ".", color=PALE, ms=1.4, mew=0, label="true front")
    fronts = [front_of(record, given)[1] for record in curve.records]
    look = {"color": COLOURS[method], "marker": MARKERS[method], "ls": "none"}
    if len(fronts) > 1:
        axes.plot(*np.vstack(fronts[1:]).T, ms=2.0, alpha=0.35, mew=0, label="other runs", **look)
    axes.plot(*fronts[0].T, ms=3.2, mew=0.7, mfc="none", label="one run", **look)
    frame(axes, box)
    titled(axes, f"Pareto front\n{METHODS[method]}", *given.labels)


def fronts(axes: Any, given: Experiment, found: Mapping[Method, Curves], truth: Array | None) -> None:
    """The fronts of all methods: the points of every run.

    Behind them is the true front, or if it is unknown, for each method a line along the front of all its runs.
    """
    if truth is not None:
        axes.plot(*truth.T, ".", color=PALE, ms=1.4, mew=0, label="true front")
    where = "post" if signs_of(given)[0] < 0 else "pre"  # from a point on, until the next is as good
    for method, curve in found.items():
        values = np.vstack([front_of(record, given)[1] for record in curve.records])
        look = {"color": COLOURS[method], "zorder": 2.0 + 0.1 * _UPWARD.index(method)}
        if truth is None:
            axes.step(*best_of(values, given).T, where=where, lw=0.7, **look)
        axes.plot(*values.T, MARKERS[method], ms=2.5, mew=0.5, mfc="none", alpha=0.75, label=METHODS[method], **look)
    titled(axes, "Found Pareto fronts", *given.labels)


def search_space(axes: Any, given: Experiment, found: Mapping[Method, Curves], names: Sequence[str]) -> None:
    """The points of the found fronts, over two inputs."""
    columns = [given.space.names.index(name) for name in names]
    for method, curve in found.items():
        units = np.vstack([front_of(record, given)[0] for record in curve.records])
        shown = [_coordinates(given.space.inputs[n], units[:, c]) for n, c in zip(names, columns, strict=True)]
        axes.plot(
            *shown,
            MARKERS[method],
            color=COLOURS[method],
            ms=2.5,
            mew=0.5,
            mfc="none",
            alpha=0.75,
            clip_on=False,
            label=METHODS[method],
            zorder=2.0 + 0.1 * _UPWARD.index(method),
        )
    for name, which in zip(names, "xy", strict=True):
        _whole_range(axes, which, given.space.inputs[name])
    titled(axes, "Points of the fronts\nin the search space", *(_input_label(given, name) for name in names))


def _coordinates(given: Real | Integer | Categorical, units: Array) -> Array:
    """(n,) where values lie on an axis: numbers as they are, choices by their position."""
    if isinstance(given, Categorical):
        return np.asarray(given.positions(units), dtype=float)
    return np.array([given.from_unit(float(unit)) for unit in units], dtype=float)


def _whole_range(axes: Any, which: str, given: Real | Integer | Categorical) -> None:
    """Let an axis show the whole range of an input, with ticks at values it can have."""
    axis, limit = getattr(axes, f"{which}axis"), getattr(axes, f"set_{which}lim")
    if isinstance(given, Categorical):
        getattr(axes, f"set_{which}ticks")(range(len(given.choices)), [str(choice) for choice in given.choices])
        limit(-0.5, len(given.choices) - 0.5)
        return
    if given.log:
        room = (given.high / given.low) ** 0.04
        limit(given.low / room, given.high * room)
        logarithmic(axis)
        return
    room = 0.04 * (given.high - given.low)
    limit(given.low - room, given.high + room)
    axis.get_major_locator().set_params(integer=isinstance(given, Integer), nbins=5)


def _input_label(given: Experiment, name: str) -> str:
    unit = getattr(given.space.inputs[name], "unit", "")
    return f"{name}, {unit}" if unit else name


def over_time(
    axes: Any, found: Mapping[Method, Curves], rows: Callable[[Curves], Array | None], title: str, y: str
) -> None:
    """(R, T) rows of every method that has them, over the iterations."""
    for i, (method, curve) in enumerate(found.items()):
        values = rows(curve)
        if values is None:
            continue
        T = values.shape[1]
        look = {"marker": MARKERS[method], "ms": 2.8, "mew": 0.7, "mfc": "white", "markevery": _sparse(T, i)}
        band(axes, np.arange(1, T + 1), values, COLOURS[method], METHODS[method], **look)
    axes.set_xlim(0, None)
    axes.margins(x=0.02)
    titled(axes, title, "iteration t", y)


def _sparse(T: int, shift: int) -> list[int]:
    """Where a line of T points has markers: five times, and not where the line of another method has them."""
    step = max(1, T // 5)
    return list(range(min(T - 1, (shift * step) // 4 + step // 4), T, step))


def hypervolume(axes: Any, found: Mapping[Method, Curves], objectives: int) -> None:
    """The paper's hypervolume; for one objective, that is the best value so far."""
    title = "Best value so far" if objectives == 1 else "Dominated hypervolume"
    over_time(axes, found, lambda curve: curve.mapped, title, "share of the best")


def average_regret(axes: Any, found: Mapping[Method, Curves]) -> None:
    """R'(t) of the methods of Algorithm 1."""
    rows = _regrets(regret.average)
    over_time(axes, found, rows, "Average regret", "R′(t)")


def cumulative_regret(axes: Any, found: Mapping[Method, Curves]) -> None:
    """R(t) of the methods of Algorithm 1."""
    rows = _regrets(regret.cumulative)
    over_time(axes, found, rows, "Cumulative regret", "R(t)")


def _regrets(sums: Callable[[Array], Array]) -> Callable[[Curves], Array | None]:
    return lambda curve: None if curve.regrets is None else sums(curve.regrets)


def sums(axes: Any, given: Experiment, curve: Curves, top: float) -> None:
    """The sum so far of each input of the order, for one method, on an axis up to `top`."""
    names = Order.parse(given.order).names
    named = names if len(names) <= _NAMED else names[: _NAMED - 1]
    t = np.arange(1, curve.use.shape[1] + 1)
    for j in range(len(named), len(names)):
        axes.plot(t, curve.use[:, :, j].mean(axis=0), color=PALE, lw=0.5)
    for j, name in enumerate(named):
        band(axes, t, curve.use[:, :, j], INKS[j % len(INKS)], name, ls=DASHES[j % len(DASHES)])
    axes.set(xlim=(0, t[-1]), ylim=(0, top))
    ends, texts = curve.use[:, -1].mean(axis=0), list(named)
    heights = [float(ends[j]) for j in range(len(named))]
    inks = [INKS[j % len(INKS)] for j in range(len(named))]
    if len(named) < len(names):
        heights.append(float(ends[len(named) :].mean()))
        texts.append(f"{len(names) - len(named)} others")
        inks.append("#808080")
    label_ends(axes, heights, texts, inks)
    titled(axes, f"Sums of inputs\n{METHODS[curve.records[0].method]}", "iteration t", "Σ x, each in [0, 1]")


def sums_of_one(axes: Any, given: Experiment, found: Mapping[Method, Curves], j: int) -> None:
    """The sum so far of one input of the order, for all methods."""
    name = Order.parse(given.order).names[j]
    over_time(axes, found, lambda curve: curve.use[:, :, j], f"Sum of {name}", f"Σ {name}, each in [0, 1]")
    axes.set_ylim(0, None)


def landscape(axes: Any, given: Experiment, found: Mapping[Method, Curves]) -> tuple[Array, list[str], list[str]]:
    """Figure 1: the paths of one run of each method over the contours of an objective of two inputs.

    Returns the chosen points in the inputs' own units with their numbers and colours, to be written beside them.
    """
    _contours(axes, given)
    ends = np.array([[each.from_unit(0.0), each.from_unit(1.0)] for each in given.space.inputs.values()], dtype=float)

    def own(units: Array) -> Array:
        return np.asarray(ends[:, 0] + units * (ends[:, 1] - ends[:, 0]))

    everywhere, numbers, colours = [], [], []
    for method, curve in found.items():
        record = curve.records[0]
        chosen = own(record.units)
        axes.plot(*own(record.first_units).T, "o", color="black", ms=4.0, clip_on=False, zorder=4)
        axes.plot(*chosen.T, "-", color=COLOURS[method], lw=0.6, alpha=0.5, clip_on=False, zorder=3)
        axes.plot(
            *chosen.T, "x", color=COLOURS[method], ms=4.5, mew=1.3, clip_on=False, zorder=5, label=METHODS[method]
        )
        everywhere.append(chosen)
        numbers += _step_numbers(len(chosen))
        colours += [COLOURS[method]] * len(chosen)
    frame(axes, limits(ends.T))
    axes.locator_params(nbins=5)
    titled(axes, "", *(_input_label(given, name) for name in given.space.names))
    return np.vstack(everywhere), numbers, colours


def _contours(axes: Any, given: Experiment) -> None:
    """The contours of the objective over its two inputs, if it has a formula."""
    if given.function is None:
        return
    ticks = np.linspace(0.0, 1.0, 101)
    mesh = np.stack(np.meshgrid(ticks, ticks), axis=-1).reshape(-1, 2)
    height = given.function(mesh)[:, 0].reshape(101, 101)
    x, y = ([each.from_unit(float(tick)) for tick in ticks] for each in given.space.inputs.values())
    axes.contourf(x, y, height, 10, cmap="Greys", alpha=0.15)
    lines = axes.contour(x, y, height, 10, colors=PALE, linewidths=0.5)
    row, column = np.unravel_index(int(height.argmax()), height.shape)
    below = height[: row + 1, column]  # straight down from the summit
    crossed = [int(np.argmax(below >= level)) for level in lines.levels if below[0] < level <= below[-1]]
    axes.clabel(lines, fontsize=5, fmt="%g", colors="#808080", manual=[(x[column], y[i]) for i in crossed])


def _step_numbers(count: int) -> list[str]:
    """The numbers to write beside so many steps: all of them, or every tenth of many."""
    every = 1 if count <= 20 else count // 10
    return [str(t) if t == 1 or t % every == 0 else "" for t in range(1, count + 1)]


def money(axes: Any, found: Mapping[Method, Curves], rows: Callable[[Curves], Array], title: str, y: str) -> None:
    """(R, T) rows over the money spent: from the mean money of the first point to the median of the last."""
    for method, curve in found.items():
        spent = np.linspace(float(curve.money[:, 0].mean()), float(np.median(curve.money[:, -1])), 1000)
        reached = np.stack([at(spent, m, v) for m, v in zip(curve.money, rows(curve), strict=True)])
        look = {"marker": MARKERS[method], "ms": 3.5, "mew": 0.8, "mfc": "white", "markevery": [len(spent) - 1]}
        band(axes, spent, reached, COLOURS[method], METHODS[method], **look)
    axes.set_xlim(0, None)
    titled(axes, title, "money spent, at hidden prices", y)


def at(spent: Array, money: Array, volumes: Array) -> Array:
    """(n,) the volume reached when (n,) `spent` was spent, for (T,) money and volumes of a run."""
    reached = np.searchsorted(money, spent, side="right") - 1
    return np.asarray(volumes[np.clip(reached, 0, len(volumes) - 1)])


def bounded(axes: Any, curve: Curves) -> None:
    """Cumulative regret of a method under its own cost, and Theorem 1's bound: as printed, and as its proof has it."""
    method = curve.records[0].method
    if curve.own_regrets is None or curve.bounds is None:
        return
    t = np.arange(1, curve.bounds.shape[1] + 1)
    band(axes, t, np.maximum(regret.cumulative(curve.own_regrets), 1e-6), COLOURS[method], "measured")
    axes.plot(t, curve.bounds.mean(axis=0), "--", color="black", label="printed")
    proved = [record.proved for record in curve.records if record.proved is not None]
    if len(proved) == len(curve.records):
        axes.plot(t, np.mean(proved, axis=0), ":", color="black", label="proved")
    axes.set_xlim(0, None)
    logarithmic(axes.yaxis)
    titled(axes, METHODS[method], "iteration t", "cumulative regret R(t)")
