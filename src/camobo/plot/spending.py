"""Hypervolume by trial and by cost, use of inputs, expected cost against paid, and how the cost fades."""

from __future__ import annotations

from typing import Literal

import numpy as np

from camobo.arrays import evenly
from camobo.errors import InvalidOptionError
from camobo.hints import counted
from camobo.insight.record import Record
from camobo.insight.spending import Spend, fading, forecast, has_expensive_end, spend
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
    money,
    number,
    safe,
    unit_of,
)
from camobo.space.inputs import Categorical

_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_MOST_POINTS = 800  # per line; more cannot be distinguished, and make a report large
_DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")


def hypervolume(record: Record, against: Literal["trials", "spend"] = "trials") -> Spec:
    """Hypervolume by trial, or by what the trials cost."""
    if against not in ("trials", "spend"):
        raise InvalidOptionError(f'hypervolume: against must be "trials" or "spend", got {against!r}.')
    spent = spend(record) if against == "spend" else None
    title = "Hypervolume by trial"
    if against == "spend":
        title = "Hypervolume by money spent" if spent is None or spent.in_money else "Hypervolume by cost"
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
            return figure(title, [], note=_no_spend(record))
        total = dict(zip((t.number for t in spent.trials), np.cumsum(spent.amounts).tolist(), strict=True))
        places = floats(total[trial.number] for trial in trials)
        across = axis(_spend_label(record, spent), rangemode="tozero")
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


def _no_spend(record: Record) -> str:
    return "Nothing is known about cost" if record.costs is None else "Only trials added by hand, which do not count"


def _spend_label(record: Record, spent: Spend) -> str:
    """What is added up along the axis, and for how many trials it is not known or only expected."""
    if not spent.in_money:
        return "cost so far, in multiples of the cheapest trial"
    remarks = [f"expected for {counted(spent.expected, 'trial')}"] if spent.expected else []
    remarks += [f"unknown for {counted(spent.missing, 'trial')}"] if spent.missing else []
    return _labelled("money spent", record) + (f" ({', '.join(remarks)})" if remarks else "")


def _labelled(what: str, record: Record) -> str:
    """An axis title with the unit of the budget."""
    unit = record.purse.unit
    return f"{what}, {safe(unit, 12)}" if unit else what


def usage(record: Record) -> Spec:
    """Cumulative use per input. Expensive inputs have warm colours; inputs that cost nothing are grey."""
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


def costs(record: Record) -> Spec:
    """Expected cost against paid; for a good model the points lie on the diagonal."""
    title, found = "Cost: expected when suggested against paid", forecast(record)
    if found is None:
        return figure(title, [], note="Needs at least 3 trials with an expected and a recorded cost")
    unit = record.purse.unit
    kept = evenly(len(found.trials), _MOST_POINTS)
    expected, paid = found.expected[kept], found.paid[kept]
    texts = hover(record, [found.trials[i] for i in kept])
    ends = [float(min(expected.min(), paid.min())), float(max(expected.max(), paid.max()))]
    agree = {"x": ends, "y": ends, "line": line(GREY, 1.0, dash="dash"), "hoverinfo": "skip", "showlegend": False}
    points = {
        "x": floats(paid),
        "y": floats(expected),
        "marker": {"size": 7, "color": ACCENT, "opacity": 0.8},
        "hovertext": [
            f"expected {money(e, unit)}, paid {money(p, unit)}<br>{text}"
            for e, p, text in zip(expected, paid, texts, strict=True)
        ],
        "hoverinfo": "text",
        "showlegend": False,
    }
    data: list[Spec] = [
        {"type": "scatter", "mode": "lines", **agree},
        {"type": "scatter", "mode": "markers", **points},
    ]
    log = {"type": "log", **_log_ticks(ends[0], ends[1])}
    axes: Spec = {"xaxis": axis(_labelled("paid", record), **log), "yaxis": axis(_labelled("expected", record), **log)}
    return figure(title, data, height=360, **axes)


def _log_ticks(low: float, high: float) -> Spec:
    """Ticks at 1, 2 and 5 times powers of ten where that is few, else Plotly's own."""
    first, last = int(np.floor(np.log10(low))), int(np.ceil(np.log10(high)))
    marks = [m * 10.0**p for p in range(first, last + 1) for m in (1, 2, 5)] if last - first <= 4 else []
    return {"tickvals": marks, "ticktext": [number(mark) for mark in marks]} if marks else {"nticks": 6}


def fading_cost(record: Record) -> Spec:
    """How much more an expensive point must promise than the cheapest, by the share of the budget spent."""
    found, title = fading(record), "How the cost fades"
    if found is None:
        return figure(title, [], note=_nothing_fades(record))
    weights = {use.input: use.weight for use in record.uses}
    colours = expense_colours([weights[name] for name in found.inputs])
    percent = [100.0 * share for share in found.shares.tolist()]
    data: list[Spec] = [
        {
            "type": "scatter",
            "mode": "lines",
            "name": safe(name, 20),
            "x": percent,
            "y": floats(found.powers[:, i]),
            "line": line(colour, 2.5, dash=_DASHES[i % len(_DASHES)]),
            "hovertext": [
                f"{number(share)} % spent: at its expensive end {safe(name)} must promise {factor(power)} as much as "
                "the cheapest trial"
                for share, power in zip(percent, found.powers[:, i], strict=True)
            ],
            "hoverinfo": "text",
        }
        for i, (name, colour) in enumerate(zip(found.inputs, colours, strict=True))
    ]
    most = float(max(found.powers.max(), 0.3))
    here = {"x": [100.0 * found.now] * 2, "y": [0.0, most], "line": line(GREY, 1.5, dash="dot"), "hoverinfo": "skip"}
    data.append({"type": "scatter", "mode": "lines", "name": "now", **here})
    upright = axis("required promise (cheapest = 1×)", **_factor_ticks(most))
    across = axis("share of the budget spent, %", range=[-2, 102])
    return figure(title, data, height=360, xaxis=across, yaxis=upright)


def _nothing_fades(record: Record) -> str:
    """Why there is nothing to draw."""
    if record.plan.cost is None:
        return "This study is not cost-aware"
    if record.plan.method == "paper":
        return "With the paper's method cost fades by Eq. 8, not by the budget"
    return "Thrift is 0, so cost decides nothing" if record.effects else "No input is known to change the cost yet"


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
