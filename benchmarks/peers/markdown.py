"""Tables and numbers as Markdown."""

from __future__ import annotations

import math

from peers.measures import Spread


def table(head: list[str], rows: list[list[str]]) -> str:
    """A Markdown table."""
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in rows)])


def shown(value: float, form: str = ".3g") -> str:
    """A number; "–" for nan and "∞" for infinity."""
    return "–" if math.isnan(value) else "∞" if math.isinf(value) else format(value, form)


def with_quartiles(given: Spread, form: str = ".3g") -> str:
    """A median and its quartiles."""
    if math.isinf(given.middle):
        return "∞"
    return f"{shown(given.middle, form)} <sub>{shown(given.low, form)}–{shown(given.high, form)}</sub>"


def percent(share: float) -> str:
    """0.95 as "95 %"."""
    return f"{100 * share:.0f} %"
