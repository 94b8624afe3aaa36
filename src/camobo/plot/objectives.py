"""The front, in as many objectives as there are."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from camobo.insight import Record, weighted_use
from camobo.plot.style import (
    ACCENT,
    FAINT,
    GREY,
    Spec,
    axis,
    blend,
    broken,
    cheap_to_dear,
    figure,
    floats,
    goal,
    hover,
    line,
    number,
)
from camobo.space import Array
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
    return figure("Value by trial", data, xaxis=axis("trial"), yaxis=axis(goal(record, name)))


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
        data.append({**_dots(record, trials, best), **places, "name": name})
    axes: Spec = {"xaxis": axis(goal(record, first)), "yaxis": axis(goal(record, second))}
    return figure("Front", data, height=460, **axes, **_colour_axis(record))


def deep_front(record: Record) -> Spec:
    """Three objectives in space."""
    best, others = _parted(record)
    data = []
    for trials, name in ((others, "other trials"), (best, "front")):
        places = {
            letter: [_value(t, objective) for t in trials]
            for letter, objective in zip("xyz", record.plan.objectives, strict=True)
        }
        data.append({**_dots(record, trials, best), **places, "type": "scatter3d", "name": name})
    axes = {
        f"{letter}axis": {
            "title": {"text": goal(record, objective, 20)},
            "exponentformat": "e",
            "gridcolor": FAINT,
            "showbackground": False,
        }
        for letter, objective in zip("xyz", record.plan.objectives, strict=True)
    }
    scene = {**axes, "camera": {"eye": {"x": 1.5, "y": 1.5, "z": 0.9}}}
    return figure("Front", data, height=560, scene=scene, **_colour_axis(record))


def parallel_front(record: Record) -> Spec:
    """Four objectives and more: each an upright scale with better at the top, each trial a line across them."""
    best, others = _parted(record)
    signed = record.signed(record.complete)
    low, high = signed.min(axis=0), signed.max(axis=0)
    span = np.where(high > low, high - low, 1.0)
    data = [_lines(record, others, (record.signed(others) - low) / span, FAINT, 1.0, "other trials")]
    shares = weighted_use(record, best)
    for shade in range(_SHADES if record.order else 1):
        chosen = [t for t, share in zip(best, shares, strict=True) if _shade(record, share) == shade]
        colour = blend(1.0 - shade / (_SHADES - 1)) if record.order else ACCENT
        name = f"front, use {shade / _SHADES:.1f} to {(shade + 1) / _SHADES:.1f}" if record.order else "front"
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


def _shade(record: Record, share: float) -> int:
    return min(int(share * _SHADES), _SHADES - 1) if record.order else 0


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
        marker |= {"color": floats(weighted_use(record, trials)), "coloraxis": "coloraxis"}
        marker["opacity"] = 1.0 if all(on) else 0.6
    else:
        marker["color"] = [ACCENT if kept else GREY for kept in on]
    if len(record.plan.objectives) == 3:
        marker |= {"size": 6 if all(on) else 4, "symbol": "diamond" if all(on) else "circle"}
    return {
        "type": "scatter",
        "mode": "markers",
        "marker": marker,
        "hovertext": hover(record, trials, best),
        "hoverinfo": "text",
    }


def _colour_axis(record: Record) -> Spec:
    if record.order is None:
        return {}
    bar = {
        "title": {"text": "use of dear inputs", "side": "right"},
        "thickness": 10,
        "outlinewidth": 0,
        "tickvals": [0, 1],
        "ticktext": ["cheap", "dear"],
        "len": 0.8,
    }
    return {"coloraxis": {"cmin": 0, "cmax": 1, "colorscale": cheap_to_dear(), "colorbar": bar}}
