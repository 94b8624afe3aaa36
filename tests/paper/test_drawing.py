from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from camobo import InvalidOptionError, MissingExtraError
from camobo.paper import drawing
from camobo.paper.experiments import METHODS

pytest.importorskip("matplotlib")


def test_every_method_has_a_colour_and_a_marker_of_its_own() -> None:
    for looks in (drawing.COLOURS, drawing.MARKERS):
        assert set(looks) == set(METHODS)
        assert len(set(looks.values())) == len(METHODS)


def test_without_matplotlib_the_message_names_the_command_that_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'camobo\[paper\]'"):
        drawing.available()


def test_a_figure_is_saved_as_png_and_pdf_over_an_older_one_and_leaves_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "square.png").write_text("old")
    figure, _ = drawing.pyplot().subplots(figsize=(1, 1))
    assert drawing.save(figure, tmp_path, "square") == tmp_path / "square.png"
    assert (tmp_path / "square.png").read_bytes().startswith(b"\x89PNG")
    assert (tmp_path / "square.pdf").read_bytes().startswith(b"%PDF")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["square.pdf", "square.png"]
    assert drawing.pyplot().get_fignums() == []


def test_a_figure_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    figure, _ = drawing.pyplot().subplots(figsize=(1, 1))
    with pytest.raises(InvalidOptionError, match=r"missing/square\.pdf: cannot be written"):
        drawing.save(figure, tmp_path / "missing", "square")
    drawing.pyplot().close(figure)


def test_a_band_is_the_mean_and_the_middle_nine_tenths() -> None:
    plt = drawing.pyplot()
    figure, axes = plt.subplots()
    rows = np.arange(101.0)[:, None] * np.ones(3)
    drawing.band(axes, np.arange(3.0), rows, "red", "runs")
    assert axes.lines[0].get_ydata().tolist() == [50.0] * 3
    heights = axes.collections[0].get_paths()[0].vertices[:, 1]
    assert (heights.min(), heights.max()) == (5.0, 95.0)
    plt.close(figure)


@pytest.mark.parametrize(("high", "ticks"), [(20.0, [1.0, 2.0, 5.0, 10.0, 20.0]), (1000.0, [1.0, 10.0, 100.0, 1000.0])])
def test_a_log_scale_has_few_ticks_and_plain_numbers(high: float, ticks: list[float]) -> None:
    plt = drawing.pyplot()
    figure, axes = plt.subplots()
    axes.set_ylim(1.0, high)
    drawing.logarithmic(axes)
    shown = [tick for tick in axes.get_yticks() if 1.0 - 1e-9 <= tick <= high * (1 + 1e-9)]
    assert shown == pytest.approx(ticks)
    assert axes.yaxis.get_major_formatter()(20.0, 0) == "20"
    plt.close(figure)


def test_the_style_holds_while_figures_are_drawn_and_not_after() -> None:
    plt = drawing.pyplot()
    before = dict(plt.rcParams)
    with drawing.styled():
        assert plt.rcParams["savefig.dpi"] == 150
    assert dict(plt.rcParams) == before
