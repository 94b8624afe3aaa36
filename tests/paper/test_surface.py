from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from camobo.paper import drawing, surface

pytest.importorskip("matplotlib")


def cost(method: str, step: int, *points: tuple[float, float]) -> list[float]:
    return [float(c) for c in -np.expm1(surface._centred(method, step).log(np.array(points)))]


@pytest.mark.parametrize(("method", "expensive"), [("paper", 0), ("printed", 1), ("additive", 0)])
def test_the_input_that_costs_more_is_x1_but_for_the_printed_weights(method: str, expensive: int) -> None:
    x1, x2 = cost(method, 10, (0.8, 0.4), (0.4, 0.8))
    assert (x1 > x2) == (expensive == 0)


def test_the_paper_s_cost_tends_to_one_as_time_passes() -> None:
    costs = [cost("paper", step, (0.5, 0.5))[0] for step in (1, 10, 20, 1000)]
    assert costs == sorted(costs)
    assert costs[-1] > 0.99


def test_figure_2_has_a_row_per_cost_and_a_column_per_time(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    found: list[Any] = []

    def save(figure: Any, folder: Path, name: str) -> Path:
        found.append(figure)
        return folder / f"{name}.png"

    monkeypatch.setattr(surface, "save", save)
    assert surface.cost_surface(tmp_path) == [tmp_path / "cost-surface.png"]
    titles = [axes.get_title() for axes in found[0].axes if axes.get_title()]
    assert len(titles) == 12
    assert [title.split(", t = ")[1] for title in titles[:4]] == ["1", "10", "20", "1000"]
    drawing.pyplot().close("all")


@pytest.mark.slow
def test_figure_2_is_written(tmp_path: Path) -> None:
    surface.cost_surface(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {"cost-surface.png", "cost-surface.pdf"}
