"""Figures of the models: predictions against measurements, and slices through a trial."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from camobo.arrays import Array
from camobo.errors import InvalidOptionError
from camobo.history.trial import Trial
from camobo.insight.diagnostics import FEWEST_FOR_A_MODEL, NORMAL_95, Check, checks, models_of
from camobo.insight.record import Record
from camobo.insight.slices import Slice, slices
from camobo.insight.summary import chosen_trial
from camobo.plot.style import (
    ACCENT,
    BAND,
    FAINT,
    GREY,
    Spec,
    axis,
    figure,
    floats,
    hover,
    input_label,
    line,
    number,
    objective_label,
    safe,
    shown,
    ticks,
)
from camobo.space.inputs import Categorical

TOO_FEW = f"Models need at least {FEWEST_FOR_A_MODEL} complete trials"


def predictions(record: Record) -> Spec:
    """Each trial predicted from all others against its measurement, one panel per objective."""
    models = models_of(record)
    if models is None:
        return figure("Predicted against measured", [], note=TOO_FEW)
    found = checks(record, models)
    panels = [prediction_panel(record, check) for check in found]
    return _tiled("Predicted against measured", panels, columns=3, height=340)


def _half_widths(deviation: Array) -> Array:
    """(n,) half the width of 95 % intervals; infinite, without a warning, where it is too large for a float."""
    with np.errstate(over="ignore"):
        return np.asarray(NORMAL_95 * deviation)


def prediction_panel(record: Record, check: Check) -> Spec:
    """Predictions of one objective; for a good model the points lie on the diagonal and the bars cross it."""
    low = float(min(check.measured.min(), check.predicted.min()))
    high = float(max(check.measured.max(), check.predicted.max()))
    bars = _half_widths(check.deviation)
    texts = [
        f"predicted {number(p)} ± {number(s)}, measured {number(v)}<br>{text}"
        for p, s, v, text in zip(check.predicted, bars, check.measured, hover(record, check.trials), strict=True)
    ]
    data = [
        {
            "type": "scatter",
            "mode": "lines",
            "x": [low, high],
            "y": [low, high],
            "line": line(GREY, 1.0, dash="dash"),
            "hoverinfo": "skip",
            "showlegend": False,
        },
        {
            "type": "scatter",
            "mode": "markers",
            "x": floats(check.measured),
            "y": floats(check.predicted),
            "error_y": {
                "array": floats(bars),
                "color": FAINT,
                "thickness": 1,
                "width": 0,
            },
            "marker": {"size": 6, "color": ACCENT},
            "hovertext": texts,
            "hoverinfo": "text",
            "showlegend": False,
        },
    ]
    name = safe(check.objective, 24)
    axes: Spec = {"xaxis": axis(f"measured {name}"), "yaxis": axis("predicted")}
    return figure(f"Predicted against measured: {name}", data, height=320, **axes)


def slice_figure(
    record: Record,
    *,
    trial: Trial | int | None = None,
    objectives: Iterable[str] | None = None,
    inputs: Iterable[str] | None = None,
) -> Spec:
    """Each objective along each input through a trial: one row of panels per objective."""
    wanted_objectives = _chosen("objective", objectives, record.plan.objectives)
    wanted_inputs = _chosen("input", inputs, record.plan.space.inputs)
    through = chosen_trial(record, trial.number if isinstance(trial, Trial) else trial)
    models = models_of(record)
    if models is None or through is None:
        return figure("Slices", [], note=TOO_FEW)
    panels = [
        slice_panel(record, cut, through)
        for cut in slices(record, models, through)
        if cut.objective in wanted_objectives and cut.input in wanted_inputs
    ]
    return _tiled(f"Slices through trial {through.number}", panels, columns=len(wanted_inputs), height=240)


def _chosen(kind: str, given: Iterable[str] | None, known: Iterable[str]) -> list[str]:
    names = list(known)
    if given is None:
        return names
    wanted = [given] if isinstance(given, str) else list(given)
    for name in wanted:
        if name not in names:
            raise InvalidOptionError(f"slices: unknown {kind} {name!r}. This study has {', '.join(names)}.")
    if not wanted:
        raise InvalidOptionError(f"slices: need at least one {kind}. This study has {', '.join(names)}.")
    return wanted


def slice_panel(record: Record, cut: Slice, trial: Trial) -> Spec:
    """One objective along one input: the mean, a 95 % band, and the measured trial."""
    given = record.plan.space.inputs[cut.input]
    positions: list[Any] = list(range(len(cut.values))) if isinstance(given, Categorical) else list(cut.values)
    bars = floats(_half_widths(cut.deviation))
    texts = [
        f"{safe(cut.input)}: {safe(shown(value))}<br>{safe(cut.objective)}: {number(mean)} ± {number(bar or 0.0)}"
        for value, mean, bar in zip(cut.values, cut.mean, bars, strict=True)
    ]
    common = {"type": "scatter", "showlegend": False}
    mean = {**common, "x": positions, "y": floats(cut.mean), "hovertext": texts, "hoverinfo": "text"}
    if isinstance(given, Categorical):
        error = {"array": bars, "color": ACCENT, "thickness": 1.5, "width": 5}
        data = [{**mean, "mode": "markers", "marker": {"size": 8, "color": ACCENT}, "error_y": error}]
    else:
        edge = {**common, "mode": "lines", "x": positions, "line": line(BAND, 0.0), "hoverinfo": "skip"}
        with np.errstate(over="ignore"):  # an infinite edge leaves a gap
            low, high = cut.mean - _half_widths(cut.deviation), cut.mean + _half_widths(cut.deviation)
        data = [
            {**edge, "y": floats(low)},
            {**edge, "y": floats(high), "fill": "tonexty", "fillcolor": BAND},
            {**mean, "mode": "lines", "line": line(ACCENT, 2.0)},
        ]
    if trial.values is not None and cut.objective in trial.values:
        here = {"x": [positions[cut.here]], "y": [trial.values[cut.objective]], "hoverinfo": "text"}
        dot = {"size": 9, "color": "#dd6a2b", "symbol": "diamond"}
        data.append({**common, **here, "mode": "markers", "marker": dot, "hovertext": hover(record, [trial])})
    axes: Spec = {
        "xaxis": axis(input_label(record, cut.input, 22), **ticks(record, cut.input)),
        "yaxis": axis(objective_label(record, cut.objective, 18)),
    }
    title = f"{safe(cut.objective, 24)} along {safe(cut.input, 24)}"
    return figure(title, data, height=240, **axes)


def _tiled(title: str, panels: list[Spec], *, columns: int, height: int) -> Spec:
    """Panels in a grid as one figure; a single panel is returned as it is."""
    if len(panels) == 1:
        return panels[0]
    columns = min(columns, len(panels))
    rows = math.ceil(len(panels) / columns)
    data: list[Spec] = []
    axes: Spec = {}
    for i, panel in enumerate(panels):
        row, column = divmod(i, columns)
        suffix = "" if i == 0 else str(i + 1)
        gap_x, gap_y = min(0.09, 0.3 / columns), min(0.16, 0.3 / rows)
        wide, tall = (1.0 - gap_x * (columns - 1)) / columns, (1.0 - gap_y * (rows - 1)) / rows
        left, top = column * (wide + gap_x), 1.0 - row * (tall + gap_y)
        layout = panel["layout"]
        axes[f"xaxis{suffix}"] = {**layout["xaxis"], "domain": [left, min(1.0, left + wide)], "anchor": f"y{suffix}"}
        axes[f"yaxis{suffix}"] = {**layout["yaxis"], "domain": [max(0.0, top - tall), top], "anchor": f"x{suffix}"}
        data += [{**trace, "xaxis": f"x{suffix}", "yaxis": f"y{suffix}"} for trace in panel["data"]]
    return figure(title, data, height=height * rows + 60, **axes)
