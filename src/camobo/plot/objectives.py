"""The front, in as many objectives as there are."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from camobo.expense import weighted_use
from camobo.inputs import Array
from camobo.insight import Record
from camobo.plot.style import (
    ACCENT,
    FAINT,
    GREY,
    Spec,
    axis,
    blend,
    broken,
    figure,
    floats,
    goal,
    hover,
    line,
    number,
    whole_axis,
)
from camobo.trial import Trial

_SHADES = 5


def front(record: Record) -> Spec:
    """One objective: value against trials. Two and three: the front among all trials. More: parallel coordinates."""
    count = len(record.plan.objectives)
    if not record.complete:
        return figure("Front", [], note="No trial is complete yet")
    return {1: best_so_far, 2: flat_front, 3: deep_front}.get(count, parallel_front)(record)


def best_so_far(record: Record) -> Spec:
    """The value of every trial of a one-objective study, and the best so far."""
    (name,) = record.plan.objectives
    complete, best = record.complete, record.front
    numbers = [trial.number for trial in complete]
    signed = record.signed(complete)[:, 0]
    reached = record.plan.signs[0] * np.maximum.accumulate(signed)
    data = [
        {
            **_dots(record, complete, best),
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
        data + _keys(record),
        xaxis=whole_axis("trial", len(record.trials)),
        yaxis=axis(goal(record, name)),
    )


def flat_front(record: Record) -> Spec:
    """Two objectives against one another."""
    first, second = record.plan.objectives
    best, others = _parted(record)
    stairs = sorted(best, key=lambda trial: _value(trial, first))
    data = [
        {
            "type": "scatter",
            "mode": "lines",
            "name": "what is within reach",
            "x": [_value(trial, first) for trial in stairs],
            "y": [_value(trial, second) for trial in stairs],
            "line": line(FAINT, shape="vh" if record.plan.objectives[first] == "max" else "hv"),
            "hoverinfo": "skip",
            "showlegend": False,
        }
    ]
    for trials, name in ((others, "other trials"), (best, "front")):
        places = {"x": [_value(t, first) for t in trials], "y": [_value(t, second) for t in trials]}
        data.append({**_dots(record, trials, best), **places, "name": name, "legendgroup": name})
    axes: Spec = {"xaxis": axis(goal(record, first)), "yaxis": axis(goal(record, second))}
    return figure("Front", data + _keys(record), height=460, **axes)


def deep_front(record: Record) -> Spec:
    """Three objectives in space."""
    best, others = _parted(record)
    data = []
    for trials, name in ((others, "other trials"), (best, "front")):
        places = {
            letter: [_value(t, objective) for t in trials]
            for letter, objective in zip("xyz", record.plan.objectives, strict=True)
        }
        data.append({**_dots(record, trials, best), **places, "type": "scatter3d", "name": name, "legendgroup": name})
    axes = {
        f"{letter}axis": {
            "title": {"text": goal(record, objective, 20)},
            "exponentformat": "e",
            "gridcolor": FAINT,
            "showbackground": False,
        }
        for letter, objective in zip("xyz", record.plan.objectives, strict=True)
    }
    scene = {**axes, "camera": {"eye": {"x": 1.35, "y": 1.35, "z": 0.8}}}
    return figure("Front", data + _keys(record, "scatter3d"), height=560, scene=scene)


def parallel_front(record: Record) -> Spec:
    """Four objectives and more: each an upright scale with better at the top, each trial a line across them."""
    best, others = _parted(record)
    signed = record.signed(record.complete)
    low, high = signed.min(axis=0), signed.max(axis=0)
    span = np.where(high > low, high - low, 1.0)
    data = [_lines(record, others, (record.signed(others) - low) / span, FAINT, 1.0, "other trials")]
    shade_of = _shade_of(record, best)
    for shade, (name, colour) in enumerate(_shades(record)):
        chosen = [trial for trial, own in zip(best, shade_of, strict=True) if own == shade]
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
    across = axis("", tickvals=list(range(len(names))), ticktext=[goal(record, n, 16) for n in names], showgrid=True)
    across |= {"range": [-0.3, len(names) - 0.7], "side": "bottom", "ticks": "", "gridcolor": GREY}
    upright = axis("better →", range=[-0.12, 1.12], showticklabels=False, showgrid=False, ticks="")
    return figure("Front", data, height=480, xaxis=across, yaxis=upright, annotations=ends)


def _shades(record: Record) -> list[tuple[str, str]]:
    """Names and colours of the shades lines come in: a trace each, so that hundreds of lines stay quick."""
    if record.order is None:
        return [("front", ACCENT)]
    low, high = _seen_use(record)
    edges = np.linspace(low, high, _SHADES + 1)
    return [
        (f"front, use {a:.2f} to {b:.2f}", blend(1.0 - i / (_SHADES - 1)))
        for i, (a, b) in enumerate(itertools.pairwise(edges))
    ]


def _shade_of(record: Record, trials: Sequence[Trial]) -> list[int]:
    """Which shade each trial's line has."""
    low, high = _seen_use(record)
    shares = (weighted_use(record, trials) - low) / (high - low if high > low else 1.0)
    last = len(_shades(record)) - 1
    return [min(max(int(share), 0), last) for share in shares * _SHADES]


def _lines(record: Record, trials: Sequence[Trial], scaled: Array, colour: str, width: float, name: str) -> Spec:
    across = range(len(record.plan.objectives))
    texts = hover(record, trials, trials if name != "other trials" else ())
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "name": name,
        "x": broken([across] * len(trials)),
        "y": broken([floats(row) for row in scaled]),
        "hovertext": broken([[text] * len(across) for text in texts]),
        "hoverinfo": "text",
        "line": line(colour, width),
        "marker": {"size": 4, "color": colour},
    }


def _parted(record: Record) -> tuple[list[Trial], list[Trial]]:
    """The front, and the complete trials that are not on it."""
    best = list(record.front)
    numbers = {trial.number for trial in best}
    return best, [trial for trial in record.complete if trial.number not in numbers]


def _value(trial: Trial, name: str) -> float:
    return (trial.values or {})[name]


def _dots(record: Record, trials: Sequence[Trial], best: Sequence[Trial]) -> Spec:
    """Markers over trials: large on the front, coloured by use where an order says what is dear."""
    numbers = {trial.number for trial in best}
    on = [trial.number in numbers for trial in trials]
    marker: Spec = {"size": [11 if kept else 7 for kept in on], "line": {"width": 0}}
    marker["symbol"] = ["diamond" if kept else "circle" for kept in on]
    if record.order is not None:
        marker |= {"color": _use_colours(record, trials), "opacity": [1.0 if kept else 0.65 for kept in on]}
    else:
        marker["color"] = [ACCENT if kept else GREY for kept in on]
    if len(record.plan.objectives) == 3:
        marker |= {"size": 6 if all(on) else 4, "symbol": "diamond" if all(on) else "circle"}
        marker["opacity"] = 1.0 if all(on) else 0.65  # space knows one opacity a trace
    return {
        "type": "scatter",
        "mode": "markers",
        "marker": marker,
        "hovertext": hover(record, trials, best),
        "hoverinfo": "text",
        "showlegend": False,
    }


def _seen_use(record: Record) -> tuple[float, float]:
    """The least and the most any complete trial used of the dear inputs."""
    seen = weighted_use(record, record.complete)
    return float(seen.min()), float(seen.max())


def _use_colours(record: Record, trials: Sequence[Trial]) -> list[str]:
    """From the cheapest trial seen (blue) to the dearest (red)."""
    low, high = _seen_use(record)
    span = high - low if high > low else 1.0
    return [blend(1.0 - (share - low) / span) for share in weighted_use(record, trials).tolist()]


def _keys(record: Record, kind: str = "scatter") -> list[Spec]:
    """The legend: shapes, and where an order gives colours what these mean. Plotly's colour bar needs style attributes.

    The keys are traces without points, in the same group as the trials they stand for, so that a click hides both.
    """
    small, large = (7, 11) if kind == "scatter" else (4, 6)
    one = len(record.plan.objectives) == 1
    known = [("other trials", GREY, "circle", small), ("best" if one else "front", ACCENT, "diamond", large)]
    if record.order is not None:
        low, high = _seen_use(record)
        ends = (("cheapest", low, 1.0), ("half-way", (low + high) / 2, 0.5), ("dearest", high, 0.0))
        known = [(name, GREY, symbol, size) for name, _, symbol, size in known]
        known += [(f"{word} (use {use:.2f})", blend(place), "square", large - 2) for word, use, place in ends]
    nowhere: Spec = {letter: [None] for letter in ("xyz" if kind == "scatter3d" else "xy")}
    common: Spec = {"type": kind, "mode": "markers", "hoverinfo": "skip", **nowhere}
    return [
        {**common, "name": name, "legendgroup": name, "marker": {"color": colour, "size": size, "symbol": symbol}}
        for name, colour, symbol, size in known
    ]
