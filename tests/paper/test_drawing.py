from __future__ import annotations

import itertools
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from camobo import InvalidOptionError, MissingExtraError
from camobo.paper import drawing
from camobo.paper.experiments import METHODS

pytest.importorskip("matplotlib")


@pytest.fixture(autouse=True)
def tidy() -> Iterator[None]:
    """No figure is left behind."""
    yield
    drawing.pyplot().close("all")


def composite(count: int, keys: int = 0, **more: Any) -> Any:
    """A figure of so many panels with a line each, laid out."""
    made = [drawing.key(f"the legend entry number {i}", color="black") for i in range(keys)]
    with drawing.styled():
        figure = drawing.composite(
            [lambda axes: axes.plot([0, 1])] * count, "Title", made, size=more.pop("size", (1.8, 1.75)), **more
        )
        figure.draw_without_rendering()
    return figure


def letters(figure: Any) -> list[str]:
    return [text.get_text() for axes in figure.axes for text in axes.texts if text.get_text().startswith("(")]


class TestLook:
    def test_every_method_has_a_colour_and_a_marker_of_its_own(self) -> None:
        for looks in (drawing.COLOURS, drawing.MARKERS):
            assert set(looks) == set(METHODS)
            assert len(set(looks.values())) == len(METHODS)

    def test_no_two_of_forty_inputs_look_the_same(self) -> None:
        looks = [(drawing.INKS[j % len(drawing.INKS)], drawing.DASHES[j % len(drawing.DASHES)]) for j in range(40)]
        assert len(set(looks)) == 40

    def test_no_input_is_pale(self) -> None:
        from matplotlib.colors import to_rgb

        for ink in drawing.INKS:
            assert np.dot(to_rgb(ink), [0.2126, 0.7152, 0.0722]) < 0.65

    def test_the_style_holds_while_figures_are_drawn_and_not_after(self) -> None:
        plt = drawing.pyplot()
        before = dict(plt.rcParams)
        with drawing.styled():
            assert plt.rcParams["savefig.dpi"] == 300
            assert plt.rcParams["pdf.fonttype"] == 42
        assert dict(plt.rcParams) == before

    def test_a_title_is_text_and_not_a_formula(self, tmp_path: Path) -> None:
        with drawing.styled():
            figure = drawing.composite([lambda axes: axes.set_title("$x_1^")], "$1 and $2 \\frac", size=(2, 2))
            drawing.save(figure, tmp_path, "dollars")
        assert (tmp_path / "dollars.png").exists()


class TestFiles:
    def test_without_matplotlib_the_message_names_the_command_that_installs_it(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setitem(sys.modules, "matplotlib", None)
        with pytest.raises(MissingExtraError, match=r"pip install 'camobo\[paper\]'"):
            drawing.available()

    def test_a_figure_is_saved_as_png_and_pdf_over_an_older_one_and_leaves_nothing_else(self, tmp_path: Path) -> None:
        (tmp_path / "square.png").write_text("old")
        figure, _ = drawing.pyplot().subplots(figsize=(1, 1))
        assert drawing.save(figure, tmp_path, "square") == tmp_path / "square.png"
        assert (tmp_path / "square.png").read_bytes().startswith(b"\x89PNG")
        assert (tmp_path / "square.pdf").read_bytes().startswith(b"%PDF")
        assert sorted(path.name for path in tmp_path.iterdir()) == ["square.pdf", "square.png"]
        assert drawing.pyplot().get_fignums() == []

    def test_a_figure_that_cannot_be_written_is_named(self, tmp_path: Path) -> None:
        figure, _ = drawing.pyplot().subplots(figsize=(1, 1))
        with pytest.raises(InvalidOptionError, match=r"missing/square\.pdf: cannot be written"):
            drawing.save(figure, tmp_path / "missing", "square")


class TestComposite:
    @pytest.mark.parametrize(
        ("count", "shape"), [(2, (1, 2)), (3, (1, 3)), (4, (1, 4)), (5, (2, 3)), (6, (2, 3)), (8, (2, 4))]
    )
    def test_panels_fill_one_row_or_two_with_a_letter_each(self, count: int, shape: tuple[int, int]) -> None:
        figure = composite(count)
        assert letters(figure) == [f"({letter})" for letter in "abcdefgh"[:count]]
        assert figure.axes[0].get_gridspec().get_geometry() == shape
        assert [axes.axison for axes in figure.axes].count(True) == count

    def test_a_letter_is_bold_and_above_the_top_left_corner(self) -> None:
        figure = composite(2)
        for axes in figure.axes:
            (letter,) = axes.texts
            box, frame = letter.get_window_extent(), axes.get_window_extent()
            assert letter.get_fontweight() == "bold"
            assert box.x1 < frame.x0
            assert box.y0 > frame.y1

    def test_a_single_panel_has_no_letter(self) -> None:
        assert letters(composite(1)) == []

    @pytest.mark.parametrize(("count", "keys"), [(1, 5), (2, 3), (4, 9)])
    def test_one_legend_stands_below_all_panels_and_is_not_cut(self, count: int, keys: int) -> None:
        figure = composite(count, keys)
        (legend,) = figure.legends
        box = legend.get_window_extent()
        assert len(legend.get_texts()) == keys
        assert box.x0 >= 0
        assert box.x1 <= figure.bbox.width
        assert box.y1 < min(axes.get_window_extent().y0 for axes in figure.axes)
        assert all(axes.get_legend() is None for axes in figure.axes)


class TestBand:
    def test_a_band_is_the_mean_and_the_middle_nine_tenths(self) -> None:
        _, axes = drawing.pyplot().subplots()
        rows = np.arange(101.0)[:, None] * np.ones(3)
        drawing.band(axes, np.arange(3.0), rows, "red", "runs")
        assert axes.lines[0].get_ydata().tolist() == [50.0] * 3
        heights = axes.collections[0].get_paths()[0].vertices[:, 1]
        assert (heights.min(), heights.max()) == (5.0, 95.0)

    def test_a_single_run_has_no_band(self) -> None:
        _, axes = drawing.pyplot().subplots()
        drawing.band(axes, np.arange(3.0), np.ones((1, 3)), "red")
        assert len(axes.lines) == 1
        assert len(axes.collections) == 0


class TestLabels:
    @given(st.lists(st.floats(0.0, 1.0), min_size=1, max_size=8), st.floats(0.01, 0.2))
    def test_spread_heights_are_apart_and_in_the_same_order(self, heights: list[float], gap: float) -> None:
        places = drawing.spread(np.array(heights), gap)
        order = np.argsort(heights, kind="stable")
        assert np.all(np.diff(places[order]) >= gap - 1e-9)

    @given(st.lists(st.floats(0.0, 1.0), min_size=1, max_size=8), st.floats(0.01, 0.2))
    def test_heights_that_are_apart_stay_and_the_mean_never_moves(self, heights: list[float], gap: float) -> None:
        places = drawing.spread(np.array(heights), gap)
        assert places.mean() == pytest.approx(np.mean(heights), abs=1e-9)
        if len(heights) == 1 or np.diff(np.sort(heights)).min() > gap:
            assert places == pytest.approx(heights)

    def test_names_at_equal_heights_do_not_overlap_and_point_to_their_lines(self) -> None:
        names = [f"x{i}" for i in range(8)]

        def panel(axes: Any) -> None:
            axes.set_ylim(0, 10)
            drawing.label_ends(axes, [5.0] * 8, names, list(drawing.INKS))

        with drawing.styled():
            figure = drawing.composite([panel] * 8, "Title", [drawing.key("key")], size=(1.8, 1.75))
            figure.draw_without_rendering()
        for axes in figure.axes:
            labels = [text for text in axes.texts if text.get_text() in names]
            assert [label.get_text() for label in labels] == names
            assert {label.xy for label in labels} == {(1.0, 0.5)}
            assert not any(overlap(a, b) for a, b in itertools.combinations(labels, 2))

    def test_a_long_name_is_cut(self) -> None:
        _, axes = drawing.pyplot().subplots()
        drawing.label_ends(axes, [0.5], ["the_share_of_molybdenum"], ["black"])
        assert axes.texts[0].get_text() == "the_share_of_…"

    def test_numbers_stand_beside_crowded_points_apart_from_one_another_and_inside(self) -> None:
        points = np.array([[0.0, 0.0], [0.0, 0.0], [1.0, 1.0], [0.5, 0.5], [0.51, 0.5], [0.5, 0.52], [0.0, 1.0]])

        def panel(axes: Any) -> None:
            axes.plot(*points.T, "x")
            axes.set(xlim=(-0.06, 1.06), ylim=(-0.06, 1.06))

        texts = ["1", "2", "3", "4", "", "6", "17"]
        with drawing.styled():
            figure = drawing.composite([panel], "Title", size=(3.6, 2.9))
            figure.draw_without_rendering()
            drawing.number_points(figure.axes[0], points, texts, ["black"] * 7)
            figure.draw_without_rendering()
        axes = figure.axes[0]
        assert [text.get_text() for text in axes.texts] == [text for text in texts if text]
        assert [tuple(text.xy) for text in axes.texts] == [
            tuple(p) for p, text in zip(points, texts, strict=True) if text
        ]
        assert not any(overlap(a, b) for a, b in itertools.combinations(axes.texts, 2))
        frame = axes.get_window_extent()
        for text in axes.texts:
            box = box_of(text)
            assert frame.x0 <= box.x0
            assert box.x1 <= frame.x1
            assert frame.y0 <= box.y0
            assert box.y1 <= frame.y1
            middles = axes.transData.transform(points)
            assert not any(box.x0 < x < box.x1 and box.y0 < y < box.y1 for x, y in middles)


def box_of(text: Any) -> Any:
    """Where a text is, without its leader line."""
    from matplotlib.text import Text

    return Text.get_window_extent(text)


def overlap(a: Any, b: Any) -> bool:
    """Whether two texts overlap by more than the empty edge of their boxes."""
    one, other = box_of(a), box_of(b)
    return bool(one.x0 < other.x1 and other.x0 < one.x1 and one.y0 + 1 < other.y1 - 1 and other.y0 + 1 < one.y1 - 1)


@pytest.mark.parametrize(("high", "ticks"), [(20.0, [1.0, 2.0, 5.0, 10.0, 20.0]), (1000.0, [1.0, 10.0, 100.0, 1000.0])])
@pytest.mark.parametrize("which", ["x", "y"])
def test_a_log_scale_has_few_ticks_and_plain_numbers(which: str, high: float, ticks: list[float]) -> None:
    _, axes = drawing.pyplot().subplots()
    getattr(axes, f"set_{which}lim")(1.0, high)
    axis = getattr(axes, f"{which}axis")
    drawing.logarithmic(axis)
    shown = [tick for tick in axis.get_ticklocs() if 1.0 - 1e-9 <= tick <= high * (1 + 1e-9)]
    assert shown == pytest.approx(ticks)
    assert axis.get_major_formatter()(20.0, 0) == "20"
