"""The look of the figures: colours, bands, scales; and writing their files."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from camobo.arrays import Array
from camobo.errors import InvalidOptionError, MissingExtraError
from camobo.paper.experiments import Method

COLOURS: Mapping[Method, str] = {
    "mo-ucb": "#4D4D4D",
    "paper": "#0072B2",
    "default": "#D55E00",
    "printed": "#CC79A7",
}
MARKERS: Mapping[Method, str] = {"mo-ucb": "o", "paper": "^", "default": "s", "printed": "D"}
BAND = (5.0, 95.0)
_STYLE = {
    "font.size": 10,
    "axes.titlesize": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "legend.frameon": False,
    "savefig.dpi": 150,
    "figure.constrained_layout.use": True,
}


def pyplot() -> Any:
    """Matplotlib's pyplot, without a screen; raises if it is not installed."""
    try:
        import matplotlib
    except ImportError as error:
        raise MissingExtraError(
            f"the paper's figures need matplotlib, which cannot be imported ({error}). "
            "Install it with: pip install 'camobo[paper]'"
        ) from error
    matplotlib.use("Agg")
    from matplotlib import pyplot

    return pyplot


@contextmanager
def styled() -> Iterator[None]:
    """Our style while figures are drawn; also a decorator. Matplotlib's settings are global, so they are restored."""
    with pyplot().rc_context(_STYLE):
        yield


def available() -> None:
    """Raise if figures cannot be drawn: call it before hours are spent on runs."""
    pyplot()


def save(figure: Any, folder: Path, name: str) -> Path:
    """Write a figure as PNG and PDF, each whole or not at all. Returns the PNG's path."""
    figure.draw_without_rendering()
    figure.set_layout_engine("none")  # the layout above serves both files
    for end in ("pdf", "png"):
        beside = folder / f".{name}.{os.getpid()}.{end}"
        try:
            figure.savefig(beside)
            beside.replace(folder / f"{name}.{end}")
        except OSError as error:
            raise InvalidOptionError(f"{folder / name}.{end}: cannot be written ({error}).") from error
    pyplot().close(figure)
    return folder / f"{name}.png"


def band(axes: Any, x: Array, rows: Array, colour: str, label: str | None = None, **style: Any) -> None:
    """Draw the mean of (R, T) rows as a line and their middle 90 % as a band."""
    low, high = np.percentile(rows, BAND, axis=0)
    axes.plot(x, rows.mean(axis=0), color=colour, label=label, lw=1.8, **style)
    axes.fill_between(x, low, high, color=colour, alpha=0.15, lw=0)


def logarithmic(axes: Any) -> None:
    """A log scale with few ticks, labelled with plain numbers."""
    from matplotlib import ticker

    axes.set_yscale("log")
    low, high = axes.get_ylim()
    axes.yaxis.set_major_locator(ticker.LogLocator(subs=(1.0, 2.0, 5.0) if high < 100.0 * low else (1.0,)))
    axes.yaxis.set_major_formatter(ticker.FuncFormatter(lambda value, _: f"{value:g}"))
    axes.yaxis.set_minor_formatter(ticker.NullFormatter())
