from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from camobo.cost.ordered import PER_TRIAL
from camobo.paper import drawing, surface
from camobo.paper.experiments import METHODS, Method

pytest.importorskip("matplotlib")


def taken_off(method: Method, step: int, *points: tuple[float, float]) -> list[float]:
    return [float(share) for share in surface.taken_off(method, step, np.array(points))]


@pytest.mark.parametrize(("method", "expensive"), [("paper", 0), ("printed", 1), ("default", 0)])
def test_the_input_that_costs_more_is_x1_but_for_the_printed_weights(method: Method, expensive: int) -> None:
    x1, x2 = taken_off(method, 10, (0.8, 0.4), (0.4, 0.8))
    assert (x1 > x2) == (expensive == 0)


@pytest.mark.parametrize("method", METHODS)
def test_what_is_taken_off_is_a_share(method: Method) -> None:
    for step in (1, 10, 20, 1000):
        assert all(0.0 <= share <= 1.0 for share in taken_off(method, step, (0.0, 0.0), (0.5, 0.2), (1.0, 1.0)))


def test_the_paper_s_cost_tends_to_one_as_time_passes() -> None:
    costs = [taken_off("paper", step, (0.5, 0.5))[0] for step in (1, 10, 20, 1000)]
    assert costs == sorted(costs)
    assert costs[-1] > 0.99


def test_the_default_starts_with_promise_for_the_money_and_ends_with_promise_alone() -> None:
    top = [taken_off("default", step, (1.0, 1.0))[0] for step in (1, 900, 951, 1001)]
    assert top[0] == pytest.approx(1.0 - PER_TRIAL / (1.0 + PER_TRIAL))
    assert top[1] == top[0]
    assert top[2] == pytest.approx(1.0 - (PER_TRIAL / (1.0 + PER_TRIAL)) ** 0.5)
    assert top[3] == 0.0


def test_the_default_takes_nothing_off_the_cheapest_point_nor_the_baseline_off_any() -> None:
    assert taken_off("default", 1, (0.0, 0.0)) == [0.0]
    assert taken_off("mo-ucb", 1, (1.0, 1.0)) == [0.0]


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[dict[str, Any]]:
    """Both figures, by name, laid out."""
    found: dict[str, Any] = {}

    def save(figure: Any, folder: Path, name: str) -> Path:
        figure.draw_without_rendering()
        found[name] = figure
        return folder / f"{name}.png"

    monkeypatch.setattr(surface, "save", save)
    assert surface.cost_surface(tmp_path) == [tmp_path / "cost-surface.png", tmp_path / "cost-surface-default.png"]
    yield found
    drawing.pyplot().close("all")


def panels(figure: Any) -> list[Any]:
    """The panels, without their colour scales."""
    return [axes for axes in figure.axes if axes.get_title(loc="left")]


def labels(axes: Any) -> list[str]:
    """The numbers on the contours."""
    return [text.get_text() for text in axes.texts if not text.get_text().startswith("(")]


def test_figure_2_has_four_lettered_panels_and_the_default_two(drawn: dict[str, Any]) -> None:
    titles = {name: [axes.get_title(loc="left") for axes in panels(figure)] for name, figure in drawn.items()}
    assert titles == {
        "cost-surface": ["t = 1", "t = 10", "t = 20", "t = 1000"],
        "cost-surface-default": ["At the start, γ = 1", "1/20 of the budget left, γ = 0.5"],
    }
    for figure in drawn.values():
        letters = [axes.texts[-1].get_text() for axes in panels(figure)]
        assert letters == [f"({letter})" for letter in "abcd"[: len(letters)]]
        shape = panels(figure)[0].get_subplotspec().get_topmost_subplotspec().get_gridspec().get_geometry()
        assert shape == (len(letters) // 2, 2)


def test_each_panel_has_a_scale_of_its_own_that_spans_the_panel_s_shares(drawn: dict[str, Any]) -> None:
    corners = ((0.0, 0.0), (1.0, 1.0))
    scales = [axes for axes in drawn["cost-surface"].axes if not axes.get_title(loc="left")]
    assert len(scales) == 4
    for step, scale in zip((1, 10, 20, 1000), scales, strict=True):
        low, high = taken_off("paper", step, *corners)
        bottom, top = scale.get_ylim()
        assert bottom <= low < high <= top
        assert top - bottom < 1.3 * (high - low)


def test_every_contour_has_a_label_that_says_its_height_and_none_is_the_same_as_another(drawn: dict[str, Any]) -> None:
    for step, axes in zip((1, 10, 20, 1000), panels(drawn["cost-surface"]), strict=True):
        written = labels(axes)
        assert len(written) >= 4
        assert len(set(written)) == len(written)
        places = [text.get_position() for text in axes.texts if not text.get_text().startswith("(")]
        low, high = taken_off("paper", step, (0.0, 0.0), (1.0, 1.0))
        for text, share in zip(written, taken_off("paper", step, *places), strict=True):
            assert float(text) == pytest.approx(share, abs=0.1 * (high - low))


def test_nothing_is_cut(drawn: dict[str, Any]) -> None:
    for figure in drawn.values():
        for axes in figure.axes:
            box = axes.get_tightbbox()
            assert min(box.x0, box.y0) > -1
            assert box.x1 < figure.bbox.width + 1
            assert box.y1 < figure.bbox.height + 1
        for axes in panels(figure):
            assert (axes.get_xlabel(), axes.get_ylabel()) == ("x1 (more expensive)", "x2 (cheaper)")


@pytest.mark.slow
def test_both_figures_are_written(tmp_path: Path) -> None:
    surface.cost_surface(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {
        f"{name}.{end}" for name in ("cost-surface", "cost-surface-default") for end in ("png", "pdf")
    }
