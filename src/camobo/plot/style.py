"""How figures look, and how user text enters them safely.

A figure is a plain dict in Plotly's format (`Spec`), which a report can write as JSON and a test can read.

Plotly renders some HTML in every text it draws (`<b>`, `<a href=…>`, entities) and, if MathJax is loaded, TeX between
dollar signs. So all user text goes through `safe`, and our own texts use no markup except `<br>`: styled tags become
style attributes, which the report's Content-Security-Policy does not allow.
"""

from __future__ import annotations

import itertools
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

import numpy as np

from camobo.history.trial import Trial
from camobo.insight.record import Record
from camobo.space.inputs import Categorical, Param

Spec: TypeAlias = dict[str, Any]

ACCENT = "#2a7fb8"
GREY = "#8b929c"
FAINT = "rgba(139,146,156,0.35)"
BAND = "rgba(42,127,184,0.18)"
EXPENSIVE_TO_CHEAP = ("#b5233c", "#dd6a2b", "#eba937", "#6fb1c8", "#3f7fb5")
"""Warm and dark for expensive. Distinguishable with any colour vision: red, orange and yellow differ in lightness, and
blue differs from all of them."""
DISTINCT = ("#2a7fb8", "#dd6a2b", "#2f9c7a", "#c06fa6", "#eba937", "#6fb1c8", "#8b929c")
FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"
_DIRECTION_CONTROLS = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
TOO_LARGE = "too large to compute"
_WIDE = 60


def visible(text: object) -> str:
    """Text on one line: line breaks become blanks; characters that break files or reverse text become �.

    >>> visible("a\\nb\\u202ec\\ud800")
    'a b�c�'
    """
    return "".join(
        " "
        if letter in "\n\r\t"
        else "\ufffd"
        if letter in _DIRECTION_CONTROLS or unicodedata.category(letter) in ("Cc", "Cs", "Cn", "Zl", "Zp")
        else letter
        for letter in str(text)
    )


def safe(text: object, most: int = _WIDE) -> str:
    """Text that Plotly draws literally, shortened to `most` characters.

    >>> safe("<b>A & B</b> $x$")
    '&lt;b&gt;A &amp; B&lt;/b&gt; &#36;x&#36;'
    >>> safe("a long name", 6)
    'a lon…'
    """
    shown = visible(text)
    if len(shown) > most:
        shown = shown[: most - 1] + "…"
    for letter, entity in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ("$", "&#36;"), ("\\", "&#92;")):
        shown = shown.replace(letter, entity)
    return shown


def number(value: float) -> str:
    """A number in readable form; an infinite one comes from an overflow.

    >>> number(0.30000000000000004), number(281842.7), number(12.0), number(-0.0), number(1.5e9)
    ('0.3', '281843', '12', '0', '1.5e+09')
    """
    if not np.isfinite(value):
        return TOO_LARGE
    return f"{value:.0f}" if 1e4 <= abs(value) < 1e7 else f"{value + 0.0:.4g}"


def shown(value: Param) -> str:
    """A parameter value: floats rounded, anything else unchanged."""
    return number(value) if isinstance(value, float) else str(value)


def rough(value: float) -> str:
    """An expected amount, of which more than three digits say nothing.

    >>> rough(5.9931), rough(141.72), rough(12345.6)
    ('5.99', '142', '12300')
    """
    return number(float(f"{value:.3g}"))


def money(value: float, unit: str) -> str:
    """An amount in a user's unit, which is escaped.

    >>> money(41.5, "EUR"), money(41.5, ""), money(7.0, "<b>")
    ('41.5 EUR', '41.5', '7 &lt;b&gt;')
    """
    return f"{number(value)} {safe(unit, 12)}".rstrip()


def cost_text(record: Record, trial: Trial) -> str | None:
    """What a trial cost, or about what it is expected to; None if nothing is known of it."""
    costs = record.costs
    if costs is None or trial.number not in costs.amounts:
        return None
    amount, paid = costs.amounts[trial.number], trial.number in costs.paid
    said = number(amount) if paid else f"≈ {rough(amount)}"
    return f"{said} {safe(costs.unit, 12)}".rstrip() if costs.in_money else f"{said} × the cheapest trial"


def unit_of(record: Record, name: str) -> str:
    """The unit of an input; empty if it has none."""
    given = record.plan.space.inputs[name]
    return "" if isinstance(given, Categorical) else given.unit


def input_label(record: Record, name: str, most: int = 28) -> str:
    """An input's name and unit, as an axis title."""
    unit = unit_of(record, name)
    return safe(name, most) + (f" ({safe(unit, 12)})" if unit else "")


def objective_label(record: Record, name: str, most: int = 28) -> str:
    """An objective's name and goal, as an axis title."""
    return f"{safe(name, most)} ({record.plan.objectives[name]})"


def hover(record: Record, trials: Iterable[Trial]) -> list[str]:
    """The hover text of each trial: number, whether it is on the front or its state, parameters, values, cost."""
    best = {trial.number for trial in record.front}
    texts = []
    for trial in trials:
        standing = "on the front" if trial.number in best else str(trial.state)
        lines = [f"trial {trial.number} · {standing}{' · added' if trial.added else ''}"]
        for name, value in trial.params.items():
            unit = unit_of(record, name)
            lines.append(f"{safe(name)}: {safe(shown(value))}{' ' + safe(unit, 12) if unit else ''}")
        lines += [f"{safe(name)} = {number(value)}" for name, value in (trial.values or {}).items()]
        cost = cost_text(record, trial)
        lines += [] if cost is None else [f"cost: {cost}"]
        texts.append("<br>".join(lines))
    return texts


def expense_colours(weights: Sequence[float | None]) -> list[str]:
    """One colour per input, by what it adds to the cost: warmest for the most, equal for ties, grey for nothing.

    If no input is known to cost anything, colours only distinguish them.
    """
    if all(weight is None for weight in weights):
        return [DISTINCT[i % len(DISTINCT)] for i in range(len(weights))]
    ranks = sorted({round(w, 9) for w in weights if w is not None}, reverse=True)
    steps = max(1, len(ranks) - 1)
    return [GREY if w is None else blend(ranks.index(round(w, 9)) / steps) for w in weights]


def blend(position: float) -> str:
    """The colour at a position from expensive (0) to cheap (1)."""
    stops = [[int(colour[i : i + 2], 16) for i in (1, 3, 5)] for colour in EXPENSIVE_TO_CHEAP]
    at = min(max(position, 0.0), 1.0) * (len(stops) - 1)
    low = min(int(at), len(stops) - 2)
    mixed = [round(a + (at - low) * (b - a)) for a, b in zip(stops[low], stops[low + 1], strict=True)]
    return "#" + "".join(f"{part:02x}" for part in mixed)


def floats(values: Iterable[float]) -> list[float | None]:
    """Numbers for JSON: non-finite ones become None, a gap in the figure."""
    return [float(value) if np.isfinite(value) else None for value in values]


def axis(title: str, **more: Any) -> Spec:
    """An axis that makes room for its labels. Exponents are written 1e+9: superscripts would need style attributes."""
    quiet = {"automargin": True, "zeroline": False, "exponentformat": "e", "ticks": "outside", "ticklen": 4}
    return {"title": {"text": title, "standoff": 8}, **quiet, **more}


def count_axis(title: str, count: int) -> Spec:
    """An axis of whole numbers up to `count`. If there are few, all are labelled, so that no tick is at a half."""
    return axis(title, **({"dtick": 1} if count <= 12 else {}))


def figure(title: str, data: list[Spec], *, note: str | None = None, height: int = 420, **layout: Any) -> Spec:
    """A figure of traces; with `note`, an empty one that says why."""
    base: Spec = {
        "title": {"text": title, "x": 0.01, "xanchor": "left"},
        "height": height,
        "margin": {"l": 56, "r": 20, "t": 48, "b": 48},
        "font": {"family": FONT, "size": 13, "color": "#23272e"},
        "paper_bgcolor": "#ffffff",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "hovermode": "closest",
        "hoverlabel": {"align": "left", "font": {"family": FONT, "size": 13}},
        "legend": {"orientation": "h", "x": 0, "xanchor": "left", "y": 1.02, "yanchor": "bottom"},
        **layout,
    }
    for key, given in base.items():
        if key.startswith(("xaxis", "yaxis")):
            base[key] = {"gridcolor": FAINT, "linecolor": FAINT, "tickcolor": FAINT, **given}
    if note is not None:
        hidden = {"visible": False}
        nothing = {"text": note, "showarrow": False, "xref": "paper", "yref": "paper", "x": 0.5, "y": 0.5}
        base |= {"xaxis": hidden, "yaxis": hidden, "annotations": [nothing], "height": min(height, 180)}
    return {"data": data, "layout": base}


def line(colour: str, width: float = 2.0, **more: Any) -> Spec:
    """The style of a line."""
    return {"color": colour, "width": width, **more}


def with_gaps(pieces: Iterable[Sequence[Any]]) -> list[Any]:
    """Lines joined with a gap after each, so that hundreds of lines are one trace."""
    return list(itertools.chain.from_iterable([*piece, None] for piece in pieces))


def ticks(record: Record, name: str) -> Spec:
    """Axis settings for an input: logarithmic for a log input, one labelled tick per choice."""
    given = record.plan.space.inputs[name]
    if isinstance(given, Categorical):
        labels = [safe(choice, 14 if len(given.choices) <= 6 else 8) for choice in given.choices]
        return {"tickvals": list(range(len(labels))), "ticktext": labels, "range": [-0.5, len(labels) - 0.5]}
    return {"type": "log", "nticks": 6} if given.log else {}
