"""What the trials gained and used as they went."""

from __future__ import annotations

from typing import Literal

import numpy as np

from camobo.errors import InvalidOptionError
from camobo.expense import fading, spend, uses
from camobo.gp import evenly
from camobo.inputs import Categorical
from camobo.insight import Record, volumes
from camobo.plot.style import (
    ACCENT,
    FAINT,
    GREY,
    TOO_LARGE,
    Spec,
    axis,
    dearness_colours,
    figure,
    floats,
    hover,
    line,
    number,
    safe,
    unit_of,
    whole_axis,
)

_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_MOST_POINTS = 800  # of a line; more could not be told apart, and make a report heavy
_DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")


def hypervolume(record: Record, against: Literal["trials", "spend"] = "trials") -> Spec:
    """The hypervolume reached, against trials or against what they cost."""
    if against not in ("trials", "spend"):
        raise InvalidOptionError(f'hypervolume: against must be "trials" or "spend", got {against!r}.')
    title = f"Hypervolume by {'trial' if against == 'trials' else 'spend'}"
    trials, reached = volumes(record)
    if not trials:
        return figure(title, [], note="No trial is complete yet")
    if not np.isfinite(reached).any():
        return figure(title, [], note=f"The hypervolume is {TOO_LARGE}: use other units")
    kept = evenly(len(trials), _MOST_POINTS)
    trials, reached = tuple(trials[i] for i in kept), reached[kept]
    places: list[float | None] = [trial.number for trial in trials]
    across = whole_axis("trial", len(record.trials))
    if against == "spend":
        spent = spend(record)
        if spent is None:
            return figure(title, [], note="No cost was told and no order was given")
        total = dict(zip((t.number for t in spent.trials), np.cumsum(spent.amounts).tolist(), strict=True))
        places = [total[trial.number] for trial in trials]
        label = "costs told so far" if spent.told else "use so far, weighted by the order"
        if spent.missing:
            label += f" ({spent.missing} {'trial' if spent.missing == 1 else 'trials'} told none)"
        across = axis(label)
    data = [
        {
            "type": "scatter",
            "mode": "lines+markers" if len(trials) <= 200 else "lines",
            "x": places,
            "y": floats(reached),
            "line": line(ACCENT, shape="hv"),
            "marker": {"size": 5},
            "hovertext": [
                f"hypervolume {number(v)}<br>{text}"
                for v, text in zip(reached, hover(record, trials, record.front), strict=True)
            ],
            "hoverinfo": "text",
            "showlegend": False,
        }
    ]
    return figure(title, data, height=340, xaxis=across, yaxis=axis("hypervolume", rangemode="tozero"))


def usage(record: Record) -> Spec:
    """How much of each input has been used: in the order's colours, dearest warmest, inputs it does not name grey."""
    settled, found = record.settled, uses(record)
    counted = [use for use in found if not _worthless(record, use.input)]
    if not settled or not counted:
        return figure("Use of inputs", [], note="Nothing has been used yet")
    counts = evenly(len(settled) + 1, _MOST_POINTS)
    texts = hover(record, [settled[count - 1] for count in counts[1:]], record.front)
    data = []
    colours = dearness_colours([use.weight for use in counted])
    for i, (use, colour) in enumerate(zip(counted, colours, strict=True)):
        far = np.append(0.0, np.cumsum(use.levels))[counts]
        data.append(
            {
                "type": "scatter",
                "mode": "lines",
                "name": safe(use.input, 20),
                "x": counts,
                "y": floats(far),
                "line": line(colour, 2.5 if use.weight is not None else 1.5, dash=_DASHES[i % len(_DASHES)]),
                "hovertext": [
                    None,
                    *(
                        f"{safe(use.input)}: {_amount(record, use.input, level, count)}<br>{text}"
                        for count, level, text in zip(counts[1:], far[1:], texts, strict=True)
                    ),
                ],
                "hoverinfo": "text",
            }
        )
    half = {"x": [0, counts[-1]], "y": [0.0, 0.5 * counts[-1]], "line": line(FAINT, 1.5, dash="dot")}
    even = {"type": "scatter", "mode": "lines", "name": "half of every range", "hoverinfo": "skip", **half}
    upright = axis("used so far (1 = one trial at the dear end)", rangemode="tozero")
    return figure("Use of inputs", [even, *data], xaxis=whole_axis("trials", len(settled)), yaxis=upright)


def _worthless(record: Record, name: str) -> bool:
    """Whether an input is a choice none of which is called dear: there is no use of it to add up."""
    given = record.plan.space.inputs[name]
    return isinstance(given, Categorical) and not given.dear


def _amount(record: Record, name: str, level: float, count: int) -> str:
    given = record.plan.space.inputs[name]
    if isinstance(given, Categorical) or given.log:
        return f"{number(level)} of {count} at the dear end"
    low, high = (given.low, given.high) if given.dear == "high" else (given.high, given.low)
    total = number(count * float(low) + level * (float(high) - float(low)))
    unit = unit_of(record, name)
    return f"{total}{' ' + safe(unit, 12) if unit else ''} in all, {number(level / count)} of its range on average"


def cost_fading(record: Record) -> Spec:
    """How many times more a dear point must promise than the cheapest to be suggested, and how that fades."""
    found = fading(record)
    title = "The cost fading"
    if found is None:
        return figure(title, [], note="This study is not cost-aware")
    weights = {use.input: use.weight for use in uses(record)}
    colours = dearness_colours([weights[name] for name in found.inputs])
    data: list[Spec] = [
        {
            "type": "scatter",
            "mode": "lines",
            "name": safe(name, 20),
            "x": list(found.steps),
            "y": floats(found.powers[:, i]),
            "line": line(colour, 2.5, dash=_DASHES[i % len(_DASHES)]),
            "hovertext": [
                f"step {step}: {safe(name)} at its dear end must promise {times(power)} as much as at its cheap end"
                for step, power in zip(found.steps, found.powers[:, i], strict=True)
            ],
            "hoverinfo": "text",
        }
        for i, (name, colour) in enumerate(zip(found.inputs, colours, strict=True))
    ]
    if found.trials:
        kept = evenly(len(found.trials), _MOST_POINTS)
        suggested, powers = [found.trials[i] for i in kept], found.trial_powers[kept]
        texts = hover(record, suggested, record.front)
        data.append(
            {
                "type": "scatter",
                "mode": "markers",
                "name": "trials suggested",
                "x": [trial.step for trial in suggested],
                "y": floats(powers),
                "marker": {"color": GREY, "size": 6, "opacity": 0.75},
                "hovertext": [
                    f"had to promise {times(power)} as much as the cheapest<br>{text}"
                    for power, text in zip(powers, texts, strict=True)
                ],
                "hoverinfo": "text",
            }
        )
    most = float(max(found.powers.max(initial=0.0), found.trial_powers.max(initial=0.0), 0.3))
    upright = axis("must promise this many times more", **_decades(most))
    return figure(title, data, height=380, xaxis=whole_axis("step of the plan", found.steps[-1]), yaxis=upright)


def times(power: float) -> str:
    """A power of ten as a factor: '3.2 times', '10¹² times'."""
    return f"{number(10.0**power)} times" if power < 4.0 else f"10{str(round(power)).translate(_SUPERSCRIPTS)} times"


def _decades(most: float) -> Spec:
    """Ticks at powers of ten without superscript markup; in a small range at 1, 1.5, 2, …"""
    if most < 1.0:
        marks = [1.0, 1.2, 1.5, 2.0, 3.0, 5.0, 8.0]
        return {"tickvals": [float(np.log10(m)) for m in marks], "ticktext": [f"{m:g}×" for m in marks]}
    stride = max(1, int(np.ceil(most / 6)))
    powers = range(0, int(most) + stride + 1, stride)
    plain = ["1×", "10×", "100×", "1000×"]
    labels = [plain[p] if p < 4 else f"10{str(p).translate(_SUPERSCRIPTS)}×" for p in powers]
    return {"tickvals": list(powers), "ticktext": labels}
