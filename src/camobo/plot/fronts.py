"""The front, for any number of objectives."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from camobo.arrays import Array
from camobo.history.trial import Trial
from camobo.insight.costs import Costs
from camobo.insight.record import Record
from camobo.plot.style import (
    ACCENT,
    FAINT,
    GREY,
    Spec,
    axis,
    blend,
    count_axis,
    figure,
    floats,
    hover,
    line,
    number,
    objective_label,
    rough,
    safe,
    with_gaps,
)

_SHADES = 5
_EQUAL = 1e-6  # costs that differ by a smaller share are equal


@dataclass(frozen=True, slots=True)
class _Scale:
    """Colours from the cheapest complete trial (blue) to the most expensive (red), by the logarithm of cost."""

    costs: Costs
    low: float
    high: float
    """Both above 0."""

    def place(self, trial: Trial) -> float | None:
        """From 0, the cheapest, to 1; None if nothing is known of its cost."""
        amount = self.costs.amounts.get(trial.number)
        if amount is None:
            return None
        along = math.log(max(amount, self.low)) - math.log(self.low)
        return min(along / (math.log(self.high) - math.log(self.low)), 1.0)

    def cost(self, place: float) -> float:
        """The cost at a place."""
        return float(self.low ** (1.0 - place) * self.high**place)

    def amount(self, place: float) -> str:
        """The cost at a place, in words."""
        cost = self.cost(place)
        return f"{rough(cost)} {safe(self.costs.unit, 12)}".rstrip() if self.costs.in_money else f"{rough(cost)}×"

    def colour(self, trial: Trial) -> str:
        """Grey if nothing is known of its cost."""
        place = self.place(trial)
        return GREY if place is None else blend(1.0 - place)


def coloured_by_cost(record: Record) -> bool:
    """Whether colours tell what complete trials cost: it is known, and not the same for all."""
    return _scale(record) is not None


def _scale(record: Record) -> _Scale | None:
    costs = record.costs
    if costs is None:
        return None
    seen = [costs.amounts.get(trial.number, 0.0) for trial in record.complete]
    seen = [amount for amount in seen if 0.0 < amount < math.inf]
    if not seen or max(seen) / min(seen) < 1.0 + _EQUAL:
        return None
    return _Scale(costs, min(seen), max(seen))


def front(record: Record) -> Spec:
    """One objective: value by trial. Two or three: the front among all trials. More: parallel coordinates."""
    count = len(record.plan.objectives)
    if not record.complete:
        return figure("Front", [], note="No trial is complete yet")
    return {1: best_so_far, 2: front_2d, 3: front_3d}.get(count, parallel_front)(record)


def best_so_far(record: Record) -> Spec:
    """One objective: the value of every trial, and the best so far."""
    (name,) = record.plan.objectives
    complete, best = record.complete, record.front
    numbers = [trial.number for trial in complete]
    signed = record.signed(complete)[:, 0]
    reached = record.plan.signs[0] * np.maximum.accumulate(signed)
    data = [
        {
            **_markers(record, complete, best),
            "x": numbers,
            "y": floats(record.plan.signs[0] * signed),
            "name": "trials",
        },
        {
            "type": "scatter",
            "mode": "lines",
            "name": "best so far",
            "x": numbers,
            "y": floats(reached),
            "line": line(ACCENT, shape="hv"),
            "hoverinfo": "skip",
        },
    ]
    return figure(
        "Value by trial",
        data + _legend(record),
        xaxis=count_axis("trial", len(record.trials)),
        yaxis=axis(objective_label(record, name)),
    )


def front_2d(record: Record) -> Spec:
    """Two objectives against each other, with the steps that bound the dominated region."""
    first, second = record.plan.objectives
    best, others = _split(record)
    stairs = sorted(best, key=lambda trial: _value(trial, first))
    data = [
        {
            "type": "scatter",
            "mode": "lines",
            "name": "dominated region",
            "x": [_value(trial, first) for trial in stairs],
            "y": [_value(trial, second) for trial in stairs],
            "line": line(FAINT, shape="vh" if record.plan.objectives[first] == "max" else "hv"),
            "hoverinfo": "skip",
            "showlegend": False,
        }
    ]
    for trials, name in ((others, "other trials"), (best, "front")):
        positions = {"x": [_value(t, first) for t in trials], "y": [_value(t, second) for t in trials]}
        data.append({**_markers(record, trials, best), **positions, "name": name, "legendgroup": name})
    axes: Spec = {"xaxis": axis(objective_label(record, first)), "yaxis": axis(objective_label(record, second))}
    return figure("Front", data + _legend(record), height=460, **axes)


def front_3d(record: Record) -> Spec:
    """Three objectives in a scatter plot that can be rotated."""
    best, others = _split(record)
    data = []
    for trials, name in ((others, "other trials"), (best, "front")):
        positions = {
            letter: [_value(t, objective) for t in trials]
            for letter, objective in zip("xyz", record.plan.objectives, strict=True)
        }
        markers = {**_markers(record, trials, best), "type": "scatter3d"}
        data.append({**markers, **positions, "name": name, "legendgroup": name})
    axes = {
        f"{letter}axis": {
            "title": {"text": objective_label(record, objective, 20)},
            "exponentformat": "e",
            "gridcolor": FAINT,
            "showbackground": False,
        }
        for letter, objective in zip("xyz", record.plan.objectives, strict=True)
    }
    scene = {**axes, "camera": {"eye": {"x": 1.35, "y": 1.35, "z": 0.8}}}
    return figure("Front", data + _legend(record, "scatter3d"), height=560, scene=scene)


def parallel_front(record: Record) -> Spec:
    """Four objectives or more: one vertical scale per objective, better at the top, and one line per trial."""
    best, others = _split(record)
    signed = record.signed(record.complete)
    low, high = signed.min(axis=0), signed.max(axis=0)
    span = np.where(high > low, high - low, 1.0)
    data = [_lines(record, others, (record.signed(others) - low) / span, FAINT, 1.0, "other trials")]
    scale = _scale(record)
    for shade, (name, colour) in enumerate(_shades(scale)):
        chosen = [trial for trial in best if _shade(scale, trial) == shade]
        if chosen:
            data.append(_lines(record, chosen, (record.signed(chosen) - low) / span, colour, 1.8, name))
    names = list(record.plan.objectives)
    ends = [
        {
            "x": j,
            "y": y,
            "text": number(float(record.plan.signs[j] * (high if y > 0.5 else low)[j])),
            "showarrow": False,
            "yanchor": "bottom" if y > 0.5 else "top",
        }
        for j in range(len(names))
        for y in (1.02, -0.02)
    ]
    labels = [objective_label(record, name, 16) for name in names]
    across = axis("", tickvals=list(range(len(names))), ticktext=labels, showgrid=True)
    across |= {"range": [-0.3, len(names) - 0.7], "side": "bottom", "ticks": "", "gridcolor": GREY}
    upright = axis("better →", range=[-0.12, 1.12], showticklabels=False, showgrid=False, ticks="")
    return figure("Front", data, height=480, xaxis=across, yaxis=upright, annotations=ends)


def _shades(scale: _Scale | None) -> list[tuple[str, str]]:
    """Names and colours of the shades of lines. One trace per shade keeps hundreds of lines fast."""
    if scale is None:
        return [("front", ACCENT)]
    edges = [i / _SHADES for i in range(_SHADES + 1)]
    names = [f"front, {rough(scale.cost(a))} to {scale.amount(b)}" for a, b in itertools.pairwise(edges)]
    shades = [(name, blend(1.0 - i / (_SHADES - 1))) for i, name in enumerate(names)]
    return [*shades, ("front, cost unknown", GREY)]


def _shade(scale: _Scale | None, trial: Trial) -> int:
    """The shade of a trial's line."""
    place = 0.0 if scale is None else scale.place(trial)
    return _SHADES if place is None else min(int(place * _SHADES), _SHADES - 1)


def _lines(record: Record, trials: Sequence[Trial], scaled: Array, colour: str, width: float, name: str) -> Spec:
    across = range(len(record.plan.objectives))
    texts = hover(record, trials)
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "name": name,
        "x": with_gaps([across] * len(trials)),
        "y": with_gaps([floats(row) for row in scaled]),
        "hovertext": with_gaps([[text] * len(across) for text in texts]),
        "hoverinfo": "text",
        "line": line(colour, width),
        "marker": {"size": 4, "color": colour},
    }


def _split(record: Record) -> tuple[list[Trial], list[Trial]]:
    """The trials on the front, and the other complete trials."""
    best = list(record.front)
    numbers = {trial.number for trial in best}
    return best, [trial for trial in record.complete if trial.number not in numbers]


def _value(trial: Trial, name: str) -> float:
    return (trial.values or {})[name]


def _markers(record: Record, trials: Sequence[Trial], best: Sequence[Trial]) -> Spec:
    """Markers of trials: large on the front, coloured by what they cost if that is known."""
    numbers = {trial.number for trial in best}
    on = [trial.number in numbers for trial in trials]
    marker: Spec = {"size": [11 if on_front else 7 for on_front in on], "line": {"width": 0}}
    marker["symbol"] = ["diamond" if on_front else "circle" for on_front in on]
    scale = _scale(record)
    if scale is not None:
        marker |= {
            "color": [scale.colour(trial) for trial in trials],
            "opacity": [1.0 if on_front else 0.65 for on_front in on],
        }
    else:
        marker["color"] = [ACCENT if on_front else GREY for on_front in on]
    if len(record.plan.objectives) == 3:
        marker |= {"size": 6 if all(on) else 4, "symbol": "diamond" if all(on) else "circle"}
        marker["opacity"] = 1.0 if all(on) else 0.65  # scatter3d has one opacity per trace
    return {
        "type": "scatter",
        "mode": "markers",
        "marker": marker,
        "hovertext": hover(record, trials),
        "hoverinfo": "text",
        "showlegend": False,
    }


def _legend(record: Record, kind: str = "scatter") -> list[Spec]:
    """The legend: what shapes mean and, with costs, what colours mean. Plotly's colour bar needs style attributes.

    Entries are traces without points in the legend group of the trials they stand for: one click hides both.
    """
    small, large = (7, 11) if kind == "scatter" else (4, 6)
    one = len(record.plan.objectives) == 1
    entries = [("other trials", GREY, "circle", small), ("best" if one else "front", ACCENT, "diamond", large)]
    scale = _scale(record)
    if scale is not None:
        ends = (("cheapest", 0.0), ("middle", 0.5), ("most expensive", 1.0))
        entries = [(name, GREY, symbol, size) for name, _, symbol, size in entries]
        entries += [(f"{word} ({scale.amount(at)})", blend(1.0 - at), "square", large - 2) for word, at in ends]
    nowhere: Spec = {letter: [None] for letter in ("xyz" if kind == "scatter3d" else "xy")}
    common: Spec = {"type": kind, "mode": "markers", "hoverinfo": "skip", **nowhere}
    return [
        {**common, "name": name, "legendgroup": name, "marker": {"color": colour, "size": size, "symbol": symbol}}
        for name, colour, symbol, size in entries
    ]
