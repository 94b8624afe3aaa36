"""The look of the figures: colours, bands, scales, letters and labels; laying panels out, and writing the files.

Sizes are those of print: a figure as wide as a page of two columns is 7.2 inches, its text 7 points.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from camobo.arrays import Array
from camobo.errors import InvalidOptionError, MissingExtraError
from camobo.paper.experiments import METHODS, Method

Panel: TypeAlias = Callable[[Any], None]
"""What draws into one axes."""

COLOURS: Mapping[Method, str] = {
    "mo-ucb": "#4D4D4D",
    "paper": "#0072B2",
    "default": "#D55E00",
    "printed": "#CC79A7",
}
"""From Okabe and Ito's palette for the colour-blind."""
MARKERS: Mapping[Method, str] = {"mo-ucb": "o", "paper": "^", "default": "s", "printed": "D"}
INKS = ("#332288", "#44AA99", "#882255", "#999933", "#117733", "#CC6677", "#AA4499", "#5D5D5D")
"""Colours of inputs, from Tol's muted palette for the colour-blind without its pale ones."""
DASHES = ("-", "--", "-.", (0, (4, 1, 1, 1, 1, 1)), ":")
"""Line styles of inputs: as many as are needed so that no two of 40 look the same."""
PALE = "#B3B3B3"
"""The truth, behind what was found."""
BAND = (5.0, 95.0)
PAGE = 7.2
"""Inches: the width of a page of two columns."""
_TEXT, _SMALL = 7.0, 6.0
_LONG = 14  # letters of a name beside a line; longer ones are cut
_STYLE = {
    "font.size": _TEXT,
    "axes.titlesize": _TEXT,
    "axes.labelsize": _TEXT,
    "xtick.labelsize": _SMALL,
    "ytick.labelsize": _SMALL,
    "legend.fontsize": _TEXT,
    "figure.titlesize": _TEXT + 1.0,
    "axes.linewidth": 0.6,
    "axes.labelpad": 2.0,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "xtick.major.size": 2.5,
    "ytick.major.size": 2.5,
    "ytick.minor.size": 1.5,
    "xtick.major.pad": 2.0,
    "ytick.major.pad": 2.0,
    "lines.linewidth": 1.1,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "legend.frameon": False,
    "legend.handlelength": 1.7,
    "legend.columnspacing": 1.5,
    "savefig.dpi": 300,
    "text.parse_math": False,  # titles and names are the user's
    "pdf.fonttype": 42,  # publishers refuse the default, Type 3
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


def composite(
    panels: Sequence[Panel],
    title: str,
    keys: Sequence[Any] = (),
    *,
    size: tuple[float, float],
    columns: int | None = None,
) -> Any:
    """A figure of panels with letters, and one legend of these keys below. `size` is that of a panel, in inches."""
    columns = columns or columns_for(len(panels))
    rows = math.ceil(len(panels) / columns)
    height = (0.6 if keys else 0.3) + rows * size[1]
    figure, grid = pyplot().subplots(rows, columns, figsize=(columns * size[0], height), squeeze=False)
    cells = list(np.ravel(grid))
    for axes, panel in zip(cells, panels, strict=False):
        panel(axes)
    if len(panels) > 1:
        for i, axes in enumerate(cells[: len(panels)]):
            write_letter(axes, i)
    for axes in cells[len(panels) :]:
        axes.axis("off")
    if keys:
        legend_below(figure, keys)
    figure.suptitle(title)
    return figure


def legend_below(figure: Any, keys: Sequence[Any]) -> None:
    """One legend below all panels, in as few rows as fit the figure's width, all about equally long."""
    rows = 0
    while True:
        rows += 1
        columns = math.ceil(len(keys) / rows)
        legend = figure.legend(handles=keys, loc="outside lower center", ncols=columns)
        if columns == 1 or legend.get_window_extent().width < 0.98 * figure.bbox.width:
            return
        legend.remove()


def columns_for(count: int) -> int:
    """The number of columns for so many panels: one row of up to four, or two rows."""
    return count if count <= 4 else math.ceil(count / 2)


def write_letter(axes: Any, number: int) -> None:
    """Write (a), (b), … above the top left corner of a panel."""
    axes.annotate(
        f"({chr(ord('a') + number)})",
        (0.0, 1.0),
        (-4.0, 4.0),
        xycoords="axes fraction",
        textcoords="offset points",
        ha="right",
        fontsize=_TEXT + 1.0,
        fontweight="bold",
    )


def titled(axes: Any, title: str, x: str = "", y: str = "") -> None:
    """Give a panel its title, beside its letter, and its axes' labels."""
    axes.set_title(title, loc="left", pad=4.0)
    axes.set(xlabel=x, ylabel=y)


def keys_of(methods: Iterable[Method]) -> list[Any]:
    """Legend entries of methods."""
    return [key(METHODS[method], color=COLOURS[method], marker=MARKERS[method]) for method in methods]


def key(label: str, **look: Any) -> Any:
    """A legend entry: a line or a marker."""
    from matplotlib import lines

    return lines.Line2D([], [], label=label, **{"ms": 4.0, "mew": 0.8, "mfc": "none", **look})


def band_key(label: str) -> Any:
    """The legend entry of bands."""
    from matplotlib import patches

    return patches.Patch(label=label, facecolor="black", alpha=0.2, lw=0)


def band(axes: Any, x: Array, rows: Array, colour: str, label: str | None = None, **style: Any) -> None:
    """Draw the mean of (R, T) rows as a line and, for several runs, their middle 90 % as a band."""
    axes.plot(x, rows.mean(axis=0), color=colour, label=label, **style)
    if len(rows) > 1:
        low, high = np.percentile(rows, BAND, axis=0)
        axes.fill_between(x, low, high, color=colour, alpha=0.15, lw=0)


def label_ends(axes: Any, heights: Sequence[float], names: Sequence[str], colours: Sequence[str]) -> None:
    """Write names to the right of lines that end at heights, apart from one another, each led to its line."""
    low, high = axes.get_ylim()
    shown = axes.get_window_extent().height / axes.figure.dpi * 72.0 * 0.8  # points; titles and labels take the rest
    ends = (np.asarray(heights) - low) / (high - low)
    for end, place, name, colour in zip(ends, spread(ends, 1.15 * _SMALL / shown), names, colours, strict=True):
        axes.annotate(
            name if len(name) <= _LONG else name[: _LONG - 1] + "…",
            (1.0, end),
            (1.07, place),
            xycoords="axes fraction",
            textcoords="axes fraction",
            va="center",
            fontsize=_SMALL,
            color=colour,
            annotation_clip=False,
            arrowprops={"arrowstyle": "-", "color": colour, "lw": 0.5, "shrinkA": 0.0, "shrinkB": 0.0},
        )


def spread(heights: Array, gap: float) -> Array:
    """Heights moved as little as need be to lie at least `gap` apart, in the same order.

    Groups of labels that would overlap are centred on the mean of their heights.

    >>> spread(np.array([0.5, 0.5, 0.0]), 0.1).round(3)
    array([0.45, 0.55, 0.  ])
    """
    order = np.argsort(heights, kind="stable")
    groups: list[tuple[float, int]] = []  # the lowest place of a group, and its size
    for height in np.asarray(heights, dtype=float)[order]:
        groups.append((float(height), 1))
        while len(groups) > 1 and groups[-2][0] + groups[-2][1] * gap > groups[-1][0]:
            (upper, m), (lower, n) = groups.pop(), groups.pop()
            middle = (n * (lower + (n - 1) * gap / 2) + m * (upper + (m - 1) * gap / 2)) / (n + m)
            groups.append((middle - (n + m - 1) * gap / 2, n + m))
    places = np.empty(len(order))
    places[order] = np.concatenate([low + gap * np.arange(n) for low, n in groups]) if groups else []
    return places


def number_points(axes: Any, points: Array, texts: Sequence[str], colours: Sequence[str]) -> None:
    """Write small texts beside (n, 2) points, clear of all points and of one another, as far as there is room.

    The figure must have been laid out before.
    """
    from matplotlib import patheffects

    scale = 72.0 / axes.figure.dpi
    at = axes.transData.transform(points) * scale
    frame = axes.get_window_extent()
    corners = np.array([[frame.x0, frame.y0], [frame.x1, frame.y1]]) * scale
    taken: list[Array] = []
    for i, (text, colour) in enumerate(zip(texts, colours, strict=True)):
        if not text:
            continue
        half = np.array([0.32 * _SMALL * len(text), 0.42 * _SMALL])
        offsets = np.array([r * np.array([math.cos(a), math.sin(a)]) for r in (6.5, 9.5, 13.0, 18.0) for a in _AROUND])
        crowd = [_crowding(at[i] + offset, half, at, taken, corners) + 0.01 * k for k, offset in enumerate(offsets)]
        offset = offsets[int(np.argmin(crowd))]
        taken.append(np.array([*(at[i] + offset), *half]))
        far = float(np.hypot(*offset)) > 9.0
        axes.annotate(
            text,
            points[i],
            offset,
            textcoords="offset points",
            ha="center",
            va="center",
            fontsize=_SMALL - 0.5,
            color=colour,
            zorder=6,
            path_effects=[patheffects.withStroke(linewidth=1.4, foreground="white")],
            arrowprops={"arrowstyle": "-", "color": colour, "lw": 0.4, "shrinkA": 1.0, "shrinkB": 2.0} if far else None,
        )


_AROUND = np.deg2rad([45.0, 135.0, -45.0, -135.0, 0.0, 90.0, 180.0, -90.0])
_MARK = 2.6  # points from a marker's centre to its edge


def _crowding(centre: Array, half: Array, marks: Array, taken: Sequence[Array], corners: Array) -> float:
    """How many marks and texts a text of half size (2,) would cover at a place; far more if it leaves the frame."""
    covered = float(np.all(np.abs(marks - centre) < half + _MARK, axis=1).sum())
    covered += sum(bool(np.all(np.abs(box[:2] - centre) < half + box[2:])) for box in taken)
    outside = bool(np.any(centre - half < corners[0]) or np.any(centre + half > corners[1]))
    return covered + 100.0 * outside


def logarithmic(axis: Any) -> None:
    """Give an axis a log scale with few ticks, labelled with plain numbers."""
    from matplotlib import ticker

    axis.axes.set(**{f"{axis.axis_name}scale": "log"})
    low, high = axis.get_view_interval()
    axis.set_major_locator(ticker.LogLocator(subs=(1.0, 2.0, 5.0) if high < 100.0 * low else (1.0,)))
    axis.set_major_formatter(ticker.FuncFormatter(lambda value, _: f"{value:g}"))
    axis.set_minor_formatter(ticker.NullFormatter())
