"""The paper's figures, drawn from runs, as PNG and PDF.

figure    the paper's figure of the experiment: panels in its order, with letters
money     beyond the paper: hypervolume over money spent
bound     beyond the paper: cumulative regret under Theorem 1's bound
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from camobo.arrays import Array
from camobo.cost.order import Order
from camobo.paper import panels
from camobo.paper.departures import SCRIPT
from camobo.paper.drawing import (
    COLOURS,
    PAGE,
    PALE,
    Panel,
    band_key,
    columns_for,
    composite,
    key,
    keys_of,
    number_points,
    save,
    styled,
)
from camobo.paper.experiments import METHODS, OWN, SYNTHETIC, Experiment, Method, experiment
from camobo.paper.folder import Setting
from camobo.paper.results import Curves, signs_of
from camobo.problems import Problem, searched_front, zdt3

_COST_AWARE: tuple[Method, ...] = ("paper", "printed", "default")
"""What stands for CA-MOBO in panels of one method: the first of these with runs."""
_DOTS = 1500
"""Dots along a true front: so many that they look like a line."""


@styled()
def draw(folder: Path, setting: Setting, found: Mapping[Method, Curves]) -> list[Path]:
    """Draw every figure of an experiment. Returns the paths of the PNG files."""
    given = experiment(setting.experiment, setting.options)
    given = replace(given, title=given.title + _apart(setting))
    paths = [_figure(folder, given, found), _money(folder, given, found)]
    if bounded := {method: curve for method, curve in found.items() if curve.bounds is not None}:
        paths.append(_bound(folder, given, bounded))
    return paths


def _apart(setting: Setting) -> str:
    """What sets the runs apart from the paper's text, as the end of a title."""
    named = [*setting.departures, *(["β of Theorem 1"] if setting.beta == "theory" else [])]
    script = setting.departures == SCRIPT and setting.beta == "theory"
    return ", by the authors' script" if script else f", with {', '.join(named)}" if named else ""


def shown_alone(found: Mapping[Method, Curves]) -> list[Method]:
    """The methods that have panels of their own: one for CA-MOBO, then MO-UCB; those of them with runs."""
    cost_aware = [method for method in _COST_AWARE if method in found][:1]
    return cost_aware + [method for method in found if method == "mo-ucb"]


def _figure(folder: Path, given: Experiment, found: Mapping[Method, Curves]) -> Path:
    """The paper's figure of an experiment."""
    if given.name == "steel" and len(given.objectives) == 1:
        return _paths(folder, given, found)
    truth = true_front(given)
    panels_of = _formula if given.name in SYNTHETIC else _whole if given.name == OWN else _measured
    drawn = panels_of(given, found, truth)
    size = (PAGE / columns_for(len(drawn)), 1.75) if len(drawn) > 4 else (PAGE / max(len(drawn), 3), 2.0)
    keys = keys_of(found) + _keys_of_fronts(given, found, truth) + _keys_of_bands(found)
    return save(composite(drawn, _title(given, found), keys, size=size), folder, "figure")


def _formula(given: Experiment, found: Mapping[Method, Curves], truth: Array | None) -> list[Panel]:
    """Figures 3 and 4: true front, hypervolume, both regrets; then front and sums of each of two methods."""
    drawn: list[Panel] = []
    alone, box, top = shown_alone(found), _box(given, found, truth), _top(found)
    if truth is not None:
        drawn.append(partial(panels.whole_front, given=given, truth=truth))
    drawn += [_hypervolume(given, found), *_regrets(found)]
    for method in alone:
        drawn.append(partial(panels.front, given=given, curve=found[method], truth=truth, box=box))
        drawn.append(partial(panels.sums, given=given, curve=found[method], top=top))
    return drawn


def _regrets(found: Mapping[Method, Curves]) -> list[Panel]:
    """Both regrets, if any method has them."""
    if all(curve.regrets is None for curve in found.values()):
        return []
    return [partial(panels.average_regret, found=found), partial(panels.cumulative_regret, found=found)]


def _measured(given: Experiment, found: Mapping[Method, Curves], truth: Array | None) -> list[Panel]:
    """Figures 5 and 6: found fronts, their points, and sums of inputs: of two methods, or for `network` of two inputs.

    With one objective or more than two, hypervolume instead of fronts.
    """
    drawn = _fronts(given, found, truth) or [_hypervolume(given, found)]
    drawn += _points(given, found)
    if given.name == "network":
        return [*drawn, *(partial(panels.sums_of_one, given=given, found=found, j=j) for j in range(2))]
    return [*drawn, *_sums(given, found)]


def _whole(given: Experiment, found: Mapping[Method, Curves], truth: Array | None) -> list[Panel]:
    """A problem of one's own: both hypervolumes and both regrets above what Figure 5 has; no fronts unless of two."""
    drawn = [_hypervolume(given, found)]
    if len(given.objectives) > 1:
        title, y = "Hypervolume\nnear the front", "share of the best"
        drawn.append(partial(panels.over_time, found=found, rows=lambda curve: curve.near, title=title, y=y))
    drawn += _regrets(found)
    return [*drawn, *_fronts(given, found, truth), *_points(given, found), *_sums(given, found)]


def _hypervolume(given: Experiment, found: Mapping[Method, Curves]) -> Panel:
    return partial(panels.hypervolume, found=found, objectives=len(given.objectives))


def _fronts(given: Experiment, found: Mapping[Method, Curves], truth: Array | None) -> list[Panel]:
    """The found fronts of two objectives; of more or fewer none."""
    return [partial(panels.fronts, given=given, found=found, truth=truth)] if len(given.objectives) == 2 else []


def _points(given: Experiment, found: Mapping[Method, Curves]) -> list[Panel]:
    """The fronts' points over two inputs, the most expensive first; of one input none."""
    ordered = Order.parse(given.order).names
    names = [*ordered, *(name for name in given.space.names if name not in ordered)][:2]
    return [partial(panels.search_space, given=given, found=found, names=names)] if len(names) == 2 else []


def _sums(given: Experiment, found: Mapping[Method, Curves]) -> list[Panel]:
    """The sums of inputs of each method that has panels of its own."""
    top = _top(found)
    return [partial(panels.sums, given=given, curve=found[method], top=top) for method in shown_alone(found)]


def _box(given: Experiment, found: Mapping[Method, Curves], truth: Array | None) -> tuple[tuple[float, float], ...]:
    """Limits of the panels of one method's front: the same for all, and all hold the true front and what was found."""
    values = [panels.front_of(r, given)[1] for method in shown_alone(found) for r in found[method].records]
    return panels.limits(np.vstack(values if truth is None else [*values, truth]))


def _top(found: Mapping[Method, Curves]) -> float:
    """The upper end of the axes of sums: above every band of the methods shown."""
    return 1.05 * max(1e-9, *(float(found[method].use.max()) for method in shown_alone(found)))


def _title(given: Experiment, found: Mapping[Method, Curves]) -> str:
    runs = sorted({len(curve.records) for curve in found.values()})
    iterations = next(iter(found.values())).use.shape[1]
    several = f"{runs[0]} to {runs[-1]}" if len(runs) > 1 else str(runs[0])
    return f"{given.title}. {several} run{'s' * (runs[-1] > 1)} of {iterations} iterations"


def _keys_of_bands(found: Mapping[Method, Curves]) -> list[Any]:
    several = any(len(curve.records) > 1 for curve in found.values())
    return [band_key("middle 90 % of runs")] if several else []


def _keys_of_fronts(given: Experiment, found: Mapping[Method, Curves], truth: Array | None) -> list[Any]:
    """Legend entries of the fronts' panels, as far as they have what these name."""
    keys = [] if truth is None else [key("true front", color=PALE)]
    if given.name in SYNTHETIC and any(len(found[method].records) > 1 for method in shown_alone(found)):
        keys.append(key("front of one run", color="black", marker="o", ls="none", ms=3.2))
        keys.append(key("fronts of other runs", color=PALE, marker="o", ls="none", mfc=PALE, ms=2.5))
    return keys


def true_front(given: Experiment) -> Array | None:
    """(n, 2) values along the true front, evenly spread; None where it is unknown.

    It is known for the paper's problems with two objectives and a formula. ZDT3's is the same for any number of inputs.
    """
    if given.function is None or len(given.objectives) != 2 or given.name not in (*SYNTHETIC, "steel"):
        return None
    if given.name == "zdt3":
        return evenly(searched_front(zdt3(inputs=2)))
    function, signs = given.function, signs_of(given)
    minimised = Problem(
        given.name, given.space, dict.fromkeys(given.objectives, "min"), (), 1.0, lambda units: -signs * function(units)
    )
    return -signs * evenly(searched_front(minimised))


def evenly(front: Array) -> Array:
    """At most `_DOTS` + 2 of the (n, 2) values of a front, evenly spread along it: its gaps are the front's."""
    low, high = front.min(axis=0), front.max(axis=0)
    scaled = (front - low) / np.where(high > low, high - low, 1.0)
    along = np.abs(np.diff(scaled, axis=0)).sum(axis=1)
    cells = np.floor(np.concatenate([[0.0], np.cumsum(along)]) * _DOTS / 2.0)
    first: NDArray[np.intp] = np.unique(cells, return_index=True)[1]
    return np.asarray(front[np.union1d(first, [len(front) - 1])])


def _paths(folder: Path, given: Experiment, found: Mapping[Method, Curves]) -> Path:
    """Figure 1: the path of one run with the order and of one without, over the landscape."""
    shown = {method: found[method] for method in shown_alone(found)}
    written: list[tuple[Array, list[str], list[str]]] = []
    amounts = {method: given.scale * float(curve.use[0, -1, 0]) for method, curve in shown.items()}
    unit, name = given.published.unit if given.published else "", Order.parse(given.order).names[0]
    keys = [
        key(f"{METHODS[m]}: {amount:.1f} {unit} of {name}", color=COLOURS[m], marker="x", ls="-", lw=0.7, mew=1.3)
        for m, amount in amounts.items()
    ]
    keys.append(key("first observations", color="black", marker="o", ls="none", mfc="black"))
    keys.append(key(given.labels[0], color=PALE, lw=0.8))
    title = f"{given.title}. One run of {next(iter(shown.values())).use.shape[1]} melts, numbered"
    figure = composite(
        [lambda axes: written.append(panels.landscape(axes, given, shown))], title, keys, size=(PAGE / 2, 2.9)
    )
    figure.draw_without_rendering()
    for points, numbers, colours in written:
        number_points(figure.axes[0], points, numbers, colours)
    return save(figure, folder, "figure")


def _money(folder: Path, given: Experiment, found: Mapping[Method, Curves]) -> Path:
    """Hypervolume over money spent, by prices that no method knows; for one objective, the best value."""
    if len(given.objectives) == 1:
        drawn = [partial(panels.money, found=found, rows=lambda c: c.mapped, title="", y="best value, share of best")]
    else:
        y = "share of the best"
        drawn = [
            partial(panels.money, found=found, rows=lambda c: c.mapped, title="Hypervolume as in the paper", y=y),
            partial(panels.money, found=found, rows=lambda c: c.near, title="Hypervolume near the front", y=y),
        ]
    keys = keys_of(found) + _keys_of_bands(found)
    return save(composite(drawn, _title(given, found), keys, size=(PAGE / 2, 2.2)), folder, "money")


def _bound(folder: Path, given: Experiment, found: Mapping[Method, Curves]) -> Path:
    """Cumulative regret and Theorem 1's bound, each method of Algorithm 1 under its own cost."""
    drawn = [partial(panels.bounded, curve=curve) for curve in found.values()]
    keys = [key(f"R(t) of {METHODS[method]}", color=COLOURS[method]) for method in found]
    keys.append(key("Theorem 1's bound, as printed", color="black", ls="--"))
    if all(record.proved is not None for curve in found.values() for record in curve.records):
        keys.append(key("with the factor 2 its proof needs", color="black", ls=":"))
    keys += _keys_of_bands(found)
    figure = composite(drawn, _title(given, found), keys, size=(PAGE / max(len(drawn), 2), 2.0))
    low = min(axes.get_ylim()[0] for axes in figure.axes)
    high = max(axes.get_ylim()[1] for axes in figure.axes)
    for axes in figure.axes:
        axes.set_ylim(low, high)
    return save(figure, folder, "bound")
