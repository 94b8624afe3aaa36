"""Hypervolume, use of inputs and effect of cost over the trials."""

from __future__ import annotations

from typing import Literal

import numpy as np

from camobo.arrays import evenly
from camobo.errors import InvalidOptionError
from camobo.hints import counted
from camobo.insight.record import Record
from camobo.insight.spending import Fading, Spend, fading, has_expensive_end, spend
from camobo.plot.style import (
    ACCENT,
    FAINT,
    GREY,
    TOO_LARGE,
    Spec,
    axis,
    count_axis,
    expense_colours,
    figure,
    floats,
    hover,
    line,
    number,
    safe,
    unit_of,
)
from camobo.space.inputs import Categorical

_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_MOST_POINTS = 800  # per line; more cannot be distinguished, and make a report large
_TITLES = {"trials": "Hypervolume by trial", "spend": "Hypervolume by cost"}
_DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")


def hypervolume(record: Record, against: Literal["trials", "spend"] = "trials") -> Spec:
    """Hypervolume by trial, or by what the trials cost."""
    if against not in ("trials", "spend"):
        raise InvalidOptionError(f'hypervolume: against must be "trials" or "spend", got {against!r}.')
    spent = spend(record) if against == "spend" else None
    title = _TITLES[against] if spent is None or spent.recorded else "Hypervolume by use of inputs"
    trials, reached = record.volumes
    if not trials:
        return figure(title, [], note="No trial is complete yet")
    if not np.isfinite(reached).any():
        return figure(title, [], note=f"The hypervolume is {TOO_LARGE}: use other units")
    kept = evenly(len(trials), _MOST_POINTS)
    trials, reached = tuple(trials[i] for i in kept), reached[kept]
    places: list[float | None] = [trial.number for trial in trials]
    across = count_axis("trial", len(record.trials))
    if against == "spend":
        if spent is None:
            return figure(title, [], note="No cost reported and no order given")
        total = dict(zip((t.number for t in spent.trials), np.cumsum(spent.amounts).tolist(), strict=True))
        places, across = floats(total[trial.number] for trial in trials), axis(_spend_label(spent))
    data = [
        {
            "type": "scatter",
            "mode": "lines+markers" if len(trials) <= 200 else "lines",
            "x": places,
            "y": floats(reached),
            "line": line(ACCENT, shape="hv"),
            "marker": {"size": 5},
            "hovertext": [
                f"hypervolume {number(v)}<br>{text}" for v, text in zip(reached, hover(record, trials), strict=True)
            ],
            "hoverinfo": "text",
            "showlegend": False,
        }
    ]
    return figure(title, data, height=340, xaxis=across, yaxis=axis("hypervolume", rangemode="tozero"))


def _spend_label(spent: Spend) -> str:
    """What is added up along the axis, and how many trials are missing from it."""
    if not spent.recorded:
        return "cumulative level, weighted by the order"
    if not spent.missing:
        return "cumulative cost"
    return f"cumulative cost ({counted(spent.missing, 'trial')} without a reported cost)"


def usage(record: Record) -> Spec:
    """Cumulative use per input. Expensive inputs have warm colours; inputs the order does not name are grey."""
    settled = record.settled
    found = [use for use in record.uses if has_expensive_end(record.plan.space.inputs[use.input])]
    if not settled or not found:
        return figure("Use of inputs", [], note="No trial has finished yet")
    counts = evenly(len(settled) + 1, _MOST_POINTS)
    texts = hover(record, [settled[count - 1] for count in counts[1:]])
    data = []
    colours = expense_colours([use.weight for use in found])
    for i, (use, colour) in enumerate(zip(found, colours, strict=True)):
        total = np.append(0.0, np.cumsum(use.levels))[counts]
        data.append(
            {
                "type": "scatter",
                "mode": "lines",
                "name": safe(use.input, 20),
                "x": counts,
                "y": floats(total),
                "line": line(colour, 2.5 if use.weight is not None else 1.5, dash=_DASHES[i % len(_DASHES)]),
                "hovertext": [
                    None,
                    *(
                        f"{safe(use.input)}: {_use_text(record, use.input, level, count)}<br>{text}"
                        for count, level, text in zip(counts[1:], total[1:], texts, strict=True)
                    ),
                ],
                "hoverinfo": "text",
            }
        )
    half = {"x": [0, counts[-1]], "y": [0.0, 0.5 * counts[-1]], "line": line(FAINT, 1.5, dash="dot")}
    even = {"type": "scatter", "mode": "lines", "name": "level 0.5 in every trial", "hoverinfo": "skip", **half}
    upright = axis("cumulative level", rangemode="tozero")
    return figure("Use of inputs", [even, *data], xaxis=count_axis("finished trials", len(settled)), yaxis=upright)


def _use_text(record: Record, name: str, level: float, count: int) -> str:
    """How much `count` trials used of an input, in its unit where amounts add up."""
    given = record.plan.space.inputs[name]
    if isinstance(given, Categorical) or given.log:
        return f"cumulative level {number(level)} over {counted(count, 'trial')}"
    low, high = (given.low, given.high) if given.expensive == "high" else (given.high, given.low)
    total = number(count * float(low) + level * (float(high) - float(low)))
    unit = unit_of(record, name)
    return f"{total}{' ' + safe(unit, 12) if unit else ''} in total, mean level {number(level / count)}"


def cost_effect(record: Record) -> Spec:
    """How much more an expensive point must promise than the cheapest to be suggested, by suggestion."""
    found = fading(record)
    title = "Effect of cost"
    if found is None:
        return figure(title, [], note="This study is not cost-aware")
    weights = {use.input: use.weight for use in record.uses}
    colours = expense_colours([weights[name] for name in found.inputs])
    data: list[Spec] = [
        {
            "type": "scatter",
            "mode": "lines",
            "name": safe(name, 20),
            "x": list(found.steps),
            "y": floats(found.powers[:, i]),
            "line": line(colour, 2.5, dash=_DASHES[i % len(_DASHES)]),
            "hovertext": [
                f"suggestion {step}: at its expensive end {safe(name)} must promise {factor(power)} as much as at its "
                "cheap end"
                for step, power in zip(found.steps, found.powers[:, i], strict=True)
            ],
            "hoverinfo": "text",
        }
        for i, (name, colour) in enumerate(zip(found.inputs, colours, strict=True))
    ]
    if found.trials:
        data.append(_effect_on_trials(record, found))
    most = float(max(found.powers.max(initial=0.0), found.trial_powers.max(initial=0.0), 0.3))
    upright = axis("required promise (cheapest = 1×)", **_factor_ticks(most))
    return figure(title, data, height=380, xaxis=count_axis("suggestion", found.steps[-1]), yaxis=upright)


def _effect_on_trials(record: Record, found: Fading) -> Spec:
    """One dot per suggested trial: what it had to promise, at the time, relative to the cheapest point."""
    kept = evenly(len(found.trials), _MOST_POINTS)
    suggested, powers = [found.trials[i] for i in kept], found.trial_powers[kept]
    texts = hover(record, suggested)
    return {
        "type": "scatter",
        "mode": "markers",
        "name": "suggested trials",
        "x": [trial.step for trial in suggested],
        "y": floats(powers),
        "marker": {"color": GREY, "size": 6, "opacity": 0.75},
        "hovertext": [
            f"had to promise {factor(power)} as much as the cheapest point<br>{text}"
            for power, text in zip(powers, texts, strict=True)
        ],
        "hoverinfo": "text",
    }


def factor(power: float) -> str:
    """Ten to a power as a factor.

    >>> factor(0.5), factor(12.3)
    ('3.162 times', '10¹² times')
    """
    return f"{number(10.0**power)} times" if power < 4.0 else f"10{str(round(power)).translate(_SUPERSCRIPTS)} times"


def _factor_ticks(most: float) -> Spec:
    """Ticks at powers of ten, without superscript markup; over a small range at 1, 1.2, 1.5, 2, …"""
    if most < 1.0:
        marks = [1.0, 1.2, 1.5, 2.0, 3.0, 5.0, 8.0]
        return {"tickvals": [float(np.log10(m)) for m in marks], "ticktext": [f"{m:g}×" for m in marks]}
    stride = max(1, int(np.ceil(most / 6)))
    powers = range(0, int(most) + stride + 1, stride)
    plain = ["1×", "10×", "100×", "1000×"]
    labels = [plain[p] if p < 4 else f"10{str(p).translate(_SUPERSCRIPTS)}×" for p in powers]
    return {"tickvals": list(powers), "ticktext": labels}
