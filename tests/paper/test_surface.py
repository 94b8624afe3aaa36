from __future__ import annotations

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
    top = [taken_off("default", step, (1.0, 1.0))[0] for step in (1, 1000, 1_000_000)]
    assert top[0] == pytest.approx(1.0 - PER_TRIAL / (1.0 + PER_TRIAL))
    assert top[0] > top[1] > top[2]
    assert top[2] < 0.001


def test_the_default_takes_nothing_off_the_cheapest_point_nor_the_baseline_off_any() -> None:
    assert taken_off("default", 1, (0.0, 0.0)) == [0.0]
    assert taken_off("mo-ucb", 1, (1.0, 1.0)) == [0.0]


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
    assert titles[8:] == [
        f"camobo's default, t = {step}" for step in ("1, γ = 1", "10, γ = 1", "20, γ = 1", "1000, γ = 0.29")
    ]
    drawing.pyplot().close("all")


@pytest.mark.slow
def test_figure_2_is_written(tmp_path: Path) -> None:
    surface.cost_surface(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {"cost-surface.png", "cost-surface.pdf"}
