"""The figures of docs/money.md."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")
import matplotlib.pyplot as plt

from money.measures import SHARES

_COLOURS = {"order": "#0072B2", "order + receipts": "#009E73", "true prices": "#D55E00", "clairvoyant": "#999999"}


def ratios(family: str, title: str, curves: Mapping[str, Sequence[float]], file: Path) -> None:
    """Money to a share of the front relative to the blind study: a panel per budget and price, a line per method."""
    panels: dict[str, dict[str, Sequence[float]]] = {}
    for label, curve in curves.items():
        method, rest = label.split(", ", 1)
        panels.setdefault(rest, {})[method] = curve
    columns = min(4, len(panels))
    rows = -(-len(panels) // columns)
    figure, axes = plt.subplots(
        rows, columns, figsize=(max(5.6, 3.1 * columns), 2.5 * rows + 0.6), squeeze=False, sharex=True, sharey=True
    )
    for spare in list(axes.flat)[len(panels) :]:
        spare.set_visible(False)
    across = range(len(SHARES))
    for axis, (rest, lines) in zip(axes.flat, panels.items(), strict=False):
        axis.axhline(1.0, color="black", linewidth=0.8)
        for method, curve in lines.items():
            style = ":" if method == "clairvoyant" else "-"
            axis.plot(across, curve, style, color=_COLOURS.get(method), marker="o", markersize=3, label=method)
        axis.set_yscale("log")
        axis.set_yticks([0.01, 0.03, 0.1, 0.3, 1.0, 3.0], ["0.01", "0.03", "0.1", "0.3", "1", "3"])
        axis.minorticks_off()
        axis.set_xticks(across, [f"{100 * share:g} %" for share in SHARES], fontsize=8)
        axis.set_title(rest, fontsize=9)
    handles, labels = next(iter(axes.flat)).get_legend_handles_labels()
    figure.legend(handles, labels, loc="lower center", ncol=len(labels), fontsize=9, frameon=False)
    figure.supylabel("money, relative to blind", fontsize=9)
    figure.suptitle(f"{title}: money to a share of the front", fontsize=10)
    figure.tight_layout(rect=(0.0, 0.06, 1.0, 1.0))
    figure.savefig(file, dpi=90)
    plt.close(figure)
