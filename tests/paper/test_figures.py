from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from camobo import InvalidOptionError
from camobo.acquisition.pareto import hypervolume, on_front
from camobo.paper import drawing, figures, results
from camobo.paper.experiments import experiment
from camobo.paper.folder import Setting
from tests.support.paper_runs import record

pytest.importorskip("matplotlib")

SYNTHETIC = {"quality", "fronts", "use", "money", "bound"}
FIGURES = {
    "zdt3": SYNTHETIC,
    "cross-holder": SYNTHETIC,
    "matyas-booth": SYNTHETIC,
    "steel": {"quality", "path", "use", "money", "bound"},
    "forest": {"quality", "fronts", "points", "use", "money"},
    "network": {"quality", "fronts", "points", "use", "money"},
}


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, Any]]:
    """The figures that `draw` would have written, by name."""
    found: dict[str, Any] = {}

    def save(figure: Any, folder: Path, name: str) -> Path:
        found[name] = figure
        return folder / f"{name}.png"

    monkeypatch.setattr(figures, "save", save)
    yield found
    drawing.pyplot().close("all")


def draw(setting: Setting, folder: Path) -> list[Path]:
    made = [record(setting, method, run) for method in ("mo-ucb", "paper") for run in range(2)]
    return figures.draw(folder, setting, results.curves(made, setting))


def titles(figure: Any) -> list[str]:
    return [axes.get_title() for axes in figure.axes if axes.get_title()]


@pytest.mark.parametrize("name", FIGURES)
def test_every_experiment_has_its_figures_each_with_both_methods(
    name: str, tmp_path: Path, drawn: dict[str, Any]
) -> None:
    paths = draw(Setting(name, 3, 0, {}), tmp_path)
    assert [path.stem for path in paths] == list(drawn)
    assert set(drawn) == FIGURES[name]
    for kind, figure in drawn.items():
        assert experiment(name, {}).title in figure.get_suptitle()
        legend = {label for axes in figure.axes for label in axes.get_legend_handles_labels()[1]}
        assert {"MO-UCB", "CA-MOBO, ascending"} <= legend | {title.split("\n")[0] for title in titles(figure)}, kind


def test_the_default_is_in_every_figure_but_the_bound_s(tmp_path: Path, drawn: dict[str, Any]) -> None:
    setting = Setting("cross-holder", 3, 0, {})
    without = replace(record(setting, "default"), regrets=None, own_regrets=None, bound=None)
    figures.draw(tmp_path, setting, results.curves([record(setting), without], setting))
    assert set(drawn) == SYNTHETIC
    for kind, figure in drawn.items():
        legend = {label for axes in figure.axes for label in axes.get_legend_handles_labels()[1]}
        assert ("camobo's default" in legend | set(titles(figure))) == (kind != "bound")
    assert titles(drawn["bound"]) == ["CA-MOBO, ascending"]
    panels = {axes.get_title(): len(axes.lines) for axes in drawn["quality"].axes}
    assert panels["Hypervolume, the paper's"] == 2
    assert panels["Cumulative regret of Algorithm 1"] == 1


def test_without_any_bound_there_is_no_figure_of_it(tmp_path: Path, drawn: dict[str, Any]) -> None:
    setting = Setting("cross-holder", 3, 0, {})
    without = replace(record(setting, "default"), regrets=None, own_regrets=None, bound=None)
    figures.draw(tmp_path, setting, results.curves([without], setting))
    assert set(drawn) == SYNTHETIC - {"bound"}


def test_the_protocol_is_said_where_methods_have_different_numbers_of_runs(
    tmp_path: Path, drawn: dict[str, Any]
) -> None:
    setting = Setting("cross-holder", 3, 0, {})
    made = [record(setting, "mo-ucb", run) for run in range(3)] + [record(setting, "paper", 0)]
    figures.draw(tmp_path, setting, results.curves(made, setting))
    assert "1 to 3 runs × 3 iterations" in drawn["quality"].get_suptitle()


def test_steel_with_two_objectives_has_fronts_and_no_path(tmp_path: Path, drawn: dict[str, Any]) -> None:
    draw(Setting("steel", 3, 0, {"objectives": 2}), tmp_path)
    assert set(drawn) == SYNTHETIC


def test_the_path_says_how_much_of_the_expensive_input_a_run_used(tmp_path: Path, drawn: dict[str, Any]) -> None:
    setting = Setting("steel", 3, 0, {"objectives": 1})
    draw(setting, tmp_path)
    used = 20.0 * record(setting, "mo-ucb", 0).units[:, 0].sum()
    assert titles(drawn["path"])[0] == f"MO-UCB\nnickel used {used:.0f} g"


def test_the_names_at_the_ends_of_lines_do_not_overlap(tmp_path: Path, drawn: dict[str, Any]) -> None:
    draw(Setting("zdt3", 3, 0, {}), tmp_path)
    axes = drawn["use"].axes[0]
    heights = sorted(text.xy[1] for text in axes.texts)
    assert len(heights) == 5
    assert min(np.diff(heights)) > 0.04 * axes.get_ylim()[1]


def test_hypervolume_over_money_is_what_had_been_reached_for_it() -> None:
    money, volumes = np.array([1.0, 2.0, 4.0]), np.array([0.1, 0.5, 0.9])
    assert figures._at(np.array([0.5, 1.0, 3.9, 4.0, 9.0]), money, volumes).tolist() == [0.1, 0.1, 0.5, 0.9, 0.9]


@pytest.mark.parametrize("name", ["zdt3", "cross-holder", "matyas-booth"])
def test_the_true_front_is_a_front_and_nearly_the_best_there_is(name: str) -> None:
    given = experiment(name, {})
    front = -figures.true_front(given, Setting(name, 3, 0, {}))
    assert on_front(front).all()
    assert given.reference is not None
    assert given.best_hypervolume is not None
    assert 0.99 < hypervolume(front, -np.array(given.reference)) / given.best_hypervolume <= 1.0


def test_a_measured_experiment_has_no_true_front() -> None:
    with pytest.raises(InvalidOptionError, match="'forest': its values are measured"):
        figures.true_front(experiment("forest", {}), Setting("forest", 3, 0, {}))


@pytest.mark.slow
def test_the_figures_are_written_as_png_and_pdf(tmp_path: Path) -> None:
    paths = draw(Setting("cross-holder", 3, 0, {}), tmp_path)
    assert {path.stem for path in paths} == SYNTHETIC
    assert {path.name for path in tmp_path.iterdir()} == {
        f"{name}.{end}" for name in SYNTHETIC for end in ("png", "pdf")
    }
