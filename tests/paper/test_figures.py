from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest

from camobo import Real, Space
from camobo.acquisition.pareto import hypervolume, on_front
from camobo.paper import drawing, figures, results
from camobo.paper.departures import SCRIPT, Departure
from camobo.paper.experiments import METHODS, OWN, Method, experiment, problem_text
from camobo.paper.folder import Record, Setting
from camobo.strategy.plan import Beta
from tests.support.paper_runs import record

pytest.importorskip("matplotlib")

BOTH: tuple[Method, ...] = ("mo-ucb", "paper")
ALL: tuple[Method, ...] = ("mo-ucb", "paper", "printed", "default")
SUMS = ["Sums of inputs\nCA-MOBO, ascending", "Sums of inputs\nMO-UCB"]
SYNTHETIC = [
    "Full Pareto front",
    "Dominated hypervolume",
    "Average regret",
    "Cumulative regret",
    "Pareto front\nCA-MOBO, ascending",
    SUMS[0],
    "Pareto front\nMO-UCB",
    SUMS[1],
]
OWN_CURVES = ["Dominated hypervolume", "Hypervolume\nnear the front", *SYNTHETIC[2:4]]
MEASURED = ["Found Pareto fronts", "Points of the fronts\nin the search space"]
PANELS: Mapping[str, list[str]] = {
    "zdt3": SYNTHETIC,
    "cross-holder": SYNTHETIC,
    "matyas-booth": SYNTHETIC,
    "forest": [*MEASURED, *SUMS],
    "network": [*MEASURED, "Sum of layers", "Sum of units"],
    "steel": [""],
}


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, Any]]:
    """The figures that `draw` would have written, by name."""
    found: dict[str, Any] = {}

    def save(figure: Any, folder: Path, name: str) -> Path:
        figure.draw_without_rendering()
        found[name] = figure
        return folder / f"{name}.png"

    monkeypatch.setattr(figures, "save", save)
    yield found
    drawing.pyplot().close("all")


def made(setting: Setting, methods: Sequence[Method] = BOTH, runs: int = 2) -> list[Record]:
    """Runs of methods; those of the default have no regrets, as it draws no weights."""
    found = [record(setting, method, run) for method in methods for run in range(runs)]
    return [without_regrets(each) if each.method == "default" else each for each in found]


def without_regrets(given: Record) -> Record:
    return replace(given, regrets=None, own_regrets=None, bound=None)


def draw(setting: Setting, methods: Sequence[Method] = BOTH, runs: int = 2, folder: Path = Path()) -> list[Path]:
    return figures.draw(folder, setting, results.curves(made(setting, methods, runs), setting))


def own(inputs: int, objectives: Sequence[Literal["min", "max"]], order: str, title: str = "Mine") -> Setting:
    """A problem of one's own."""
    space = Space({f"x{i + 1}": Real(0, 1) for i in range(inputs)})
    text = problem_text(space, {f"f{m + 1}": goal for m, goal in enumerate(objectives)}, order)
    return Setting(OWN, 5, 0, {"problem": text, "title": title})


def filled(figure: Any) -> list[Any]:
    """The axes of a figure; an empty cell of its grid has some too, which are switched off."""
    return [axes for axes in figure.axes if axes.axison]


def titles(figure: Any) -> list[str]:
    return [axes.get_title(loc="left") for axes in filled(figure)]


def letters(figure: Any) -> list[str]:
    return [text.get_text() for axes in figure.axes for text in axes.texts if text.get_text().startswith("(")]


def keys(figure: Any) -> list[str]:
    """What the one legend of a figure says."""
    (legend,) = figure.legends
    return [text.get_text() for text in legend.get_texts()]


def panel(figure: Any, title: str) -> Any:
    (axes,) = [each for each in figure.axes if each.get_title(loc="left") == title]
    return axes


def points_of(axes: Any) -> np.ndarray[Any, Any]:
    """(n, 2) all points of all lines of a panel."""
    lines = [np.column_stack([each.get_xdata(), each.get_ydata()]).astype(float) for each in axes.lines]
    return np.vstack(lines)


def check(figure: Any) -> None:
    """Every panel shows something finite within its limits, and nothing is cut or overlaps a neighbour."""
    boxes = []
    for axes in filled(figure):
        points = points_of(axes)
        low, high = np.array([axes.get_xlim(), axes.get_ylim()]).T
        assert len(points) > 0
        assert np.isfinite(points).all()
        assert np.all((points >= low) & (points <= high)), axes.get_title(loc="left")
        boxes.append(axes.get_tightbbox())
    for box in boxes:
        assert box.x0 > -1
        assert box.y0 > -1
        assert box.x1 < figure.bbox.width + 1
        assert box.y1 < figure.bbox.height + 1
    for a, b in itertools.combinations(boxes, 2):
        assert a.x1 < b.x0 + 1 or b.x1 < a.x0 + 1 or a.y1 < b.y0 + 1 or b.y1 < a.y0 + 1


class TestComposite:
    @pytest.mark.parametrize("name", PANELS)
    def test_it_has_the_panels_of_the_paper_s_figure_in_its_order(self, name: str, drawn: dict[str, Any]) -> None:
        paths = draw(Setting(name, 5, 0, {}), ALL)
        figure = drawn["figure"]
        assert [path.stem for path in paths] == list(drawn)
        assert list(drawn) == ["figure", "money"] + (["bound"] if name not in ("forest", "network") else [])
        assert titles(figure) == PANELS[name]
        count = len(PANELS[name])
        assert letters(figure) == ([f"({letter})" for letter in "abcdefgh"[:count]] if count > 1 else [])
        assert figure.get_suptitle().startswith(f"{experiment(name, {}).title}. ")
        for each in drawn.values():
            check(each)

    def test_steel_with_two_objectives_is_shown_as_the_forest_is_with_its_true_front(
        self, drawn: dict[str, Any]
    ) -> None:
        draw(Setting("steel", 5, 0, {"objectives": 2}))
        assert titles(drawn["figure"]) == [*MEASURED, *SUMS]
        assert "true front" in keys(drawn["figure"])
        check(drawn["figure"])

    def test_the_default_has_no_regret_but_all_else(self, drawn: dict[str, Any]) -> None:
        draw(Setting("cross-holder", 5, 0, {}), ALL)
        shown = {title: len(panel(drawn["figure"], title).lines) for title in SYNTHETIC[1:4]}
        assert shown == {"Dominated hypervolume": 4, "Average regret": 3, "Cumulative regret": 3}
        assert keys(drawn["figure"]) == [
            *METHODS.values(),
            "true front",
            "front of one run",
            "fronts of other runs",
            "middle 90 % of runs",
        ]

    @pytest.mark.parametrize(
        ("methods", "shown"),
        [
            (ALL, ["CA-MOBO, ascending", "MO-UCB"]),
            (("mo-ucb", "printed", "default"), ["CA-MOBO, as printed", "MO-UCB"]),
            (("mo-ucb", "default"), ["camobo's default", "MO-UCB"]),
            (("mo-ucb",), ["MO-UCB"]),
            (("default",), ["camobo's default"]),
        ],
    )
    def test_whatever_methods_have_runs_the_panels_of_one_method_show_two_at_most(
        self, methods: Sequence[Method], shown: list[str], drawn: dict[str, Any]
    ) -> None:
        for name in ("cross-holder", "forest", "steel"):
            draw(Setting(name, 5, 0, {}), methods)
            for each in drawn.values():
                check(each)
            if name != "steel":
                alone = [title.split("\n")[1] for title in titles(drawn["figure"]) if title.startswith("Sums")]
                assert alone == shown
            else:
                assert [key.split(":")[0] for key in keys(drawn["figure"])[: len(shown)]] == shown
            drawn.clear()

    def test_without_regrets_their_panels_are_left_out(self, drawn: dict[str, Any]) -> None:
        setting = Setting("cross-holder", 5, 0, {})
        bare = [without_regrets(each) for each in made(setting)]
        figures.draw(Path(), setting, results.curves(bare, setting))
        assert titles(drawn["figure"]) == [*SYNTHETIC[:2], *SYNTHETIC[4:]]
        assert letters(drawn["figure"]) == ["(a)", "(b)", "(c)", "(d)", "(e)", "(f)"]
        assert set(drawn) == {"figure", "money"}

    def test_a_single_run_promises_no_band_and_no_other_runs(self, drawn: dict[str, Any]) -> None:
        draw(Setting("cross-holder", 5, 0, {}), runs=1)
        assert keys(drawn["figure"]) == ["MO-UCB", "CA-MOBO, ascending", "true front"]
        for figure in drawn.values():
            assert "middle 90 % of runs" not in keys(figure)
            assert all(len(axes.collections) == 0 for axes in figure.axes)

    def test_fronts_have_the_same_limits_and_so_have_sums(self, drawn: dict[str, Any]) -> None:
        draw(Setting("zdt3", 5, 0, {}))
        _, _, _, _, e, f, g, h = drawn["figure"].axes
        assert (e.get_xlim(), e.get_ylim()) == (g.get_xlim(), g.get_ylim())
        assert f.get_ylim() == h.get_ylim()

    def test_the_protocol_is_said_where_methods_have_different_numbers_of_runs(self, drawn: dict[str, Any]) -> None:
        setting = Setting("forest", 3, 0, {})
        found = results.curves([*made(setting, ["mo-ucb"], 3), *made(setting, ["paper"], 1)], setting)
        figures.draw(Path(), setting, found)
        assert drawn["figure"].get_suptitle().endswith(". 1 to 3 runs of 3 iterations")

    @pytest.mark.parametrize(
        ("beta", "departures", "said"),
        [
            ("theory", SCRIPT, ", by the authors' script"),
            ("theory", (), ", with β of Theorem 1"),
            ("practical", ("length", "search"), ", with length, search"),
        ],
    )
    def test_the_title_says_what_sets_runs_apart_from_the_text(
        self, drawn: dict[str, Any], beta: Beta, departures: tuple[Departure, ...], said: str
    ) -> None:
        draw(Setting("cross-holder", 3, 0, {}, beta, departures))
        assert all(each.get_suptitle().startswith(f"Cross-in-tray and Hölder table{said}") for each in drawn.values())


class TestOwnProblem:
    @pytest.mark.parametrize(
        ("setting", "panels"),
        [
            (own(2, ["min", "max"], "x1 > x2"), [*OWN_CURVES, *MEASURED, *SUMS]),
            (own(1, ["min", "max"], "x1"), [*OWN_CURVES, MEASURED[0], *SUMS]),
            (own(3, ["min", "max"], "x3"), [*OWN_CURVES, *MEASURED, *SUMS]),
            (own(12, ["max", "max"], " > ".join(f"x{i}" for i in range(12, 0, -1))), [*OWN_CURVES, *MEASURED, *SUMS]),
            (own(2, ["max"], "x1 > x2"), ["Best value so far", *OWN_CURVES[2:], MEASURED[1], *SUMS]),
            (own(2, ["min", "max", "min"], "x1 > x2"), [*OWN_CURVES, MEASURED[1], *SUMS]),
            (own(2, ["min", "max"], "x1 > x2", "From $1 to $2_{"), [*OWN_CURVES, *MEASURED, *SUMS]),
        ],
    )
    def test_it_is_drawn_whatever_its_inputs_and_objectives(
        self, setting: Setting, panels: list[str], drawn: dict[str, Any]
    ) -> None:
        draw(setting, ("mo-ucb", "paper", "default"))
        assert set(drawn) == {"figure", "money"}
        assert titles(drawn["figure"]) == panels
        assert "true front" not in keys(drawn["figure"])
        for figure in drawn.values():
            check(figure)

    def test_it_has_two_rows_as_wide_as_a_page(self, drawn: dict[str, Any]) -> None:
        for setting in (own(2, ["min", "max"], "x1 > x2"), own(2, ["max"], "x1 > x2")):
            draw(setting)
            figure = drawn["figure"]
            assert figure.axes[0].get_gridspec().nrows == 2
            assert figure.get_size_inches()[0] == pytest.approx(drawing.PAGE)

    def test_regrets_are_those_of_the_runs_and_the_default_has_none(self, drawn: dict[str, Any]) -> None:
        setting, methods = own(2, ["min", "max"], "x1 > x2"), [each for each in ALL if each != "printed"]
        draw(setting, methods)
        found = results.curves(made(setting, methods), setting)
        average, cumulative = (panel(drawn["figure"], title).lines for title in OWN_CURVES[2:])
        assert len(average) == len(cumulative) == 2
        for line, mean, method in zip(cumulative, average, BOTH, strict=True):
            regrets = found[method].regrets
            assert regrets is not None
            expected = np.cumsum(regrets.mean(axis=0))
            assert np.asarray(line.get_ydata()) == pytest.approx(expected)
            assert np.asarray(mean.get_ydata()) == pytest.approx(expected / np.arange(1, 6))

    def test_without_algorithm_1_there_are_no_regrets(self, drawn: dict[str, Any]) -> None:
        draw(own(2, ["min", "max"], "x1 > x2"), ["default"])
        assert titles(drawn["figure"]) == [*OWN_CURVES[:2], *MEASURED, "Sums of inputs\ncamobo's default"]
        check(drawn["figure"])

    def test_points_are_shown_over_the_order_s_first_two_inputs_then_over_others(self, drawn: dict[str, Any]) -> None:
        for setting, names in (
            (own(3, ["min", "max"], "x3 > x1"), ("x3", "x1")),
            (own(3, ["min", "max"], "x3"), ("x3", "x1")),
        ):
            draw(setting)
            axes = panel(drawn["figure"], MEASURED[1])
            assert (axes.get_xlabel(), axes.get_ylabel()) == names


class TestPaths:
    def test_both_paths_are_in_one_panel_with_their_grams_and_numbers(self, drawn: dict[str, Any]) -> None:
        setting = Setting("steel", 10, 0, {"objectives": 1})
        draw(setting, ALL)
        (axes,) = drawn["figure"].axes
        used = [20.0 * record(setting, method, 0).units[:, 0].sum() for method in ("paper", "mo-ucb")]
        assert keys(drawn["figure"]) == [
            f"CA-MOBO, ascending: {used[0]:.1f} g of nickel",
            f"MO-UCB: {used[1]:.1f} g of nickel",
            "first observations",
            "yield strength, MPa",
        ]
        for method in BOTH:
            own_colour = drawing.COLOURS[method]
            numbers = [text.get_text() for text in axes.texts if text.get_color() == own_colour]
            assert numbers == [str(t) for t in range(1, 11)]
        assert drawn["figure"].get_suptitle().endswith("One run of 10 melts, numbered")


class TestMoneyAndBound:
    def test_money_has_both_hypervolumes_but_for_one_objective_a_single_panel(self, drawn: dict[str, Any]) -> None:
        draw(Setting("cross-holder", 5, 0, {}), ALL)
        assert titles(drawn["money"]) == ["Hypervolume as in the paper", "Hypervolume near the front"]
        assert letters(drawn["money"]) == ["(a)", "(b)"]
        assert [len(axes.lines) for axes in drawn["money"].axes] == [4, 4]
        draw(Setting("steel", 5, 0, {"objectives": 1}))
        assert [axes.get_ylabel() for axes in drawn["money"].axes] == ["best value, share of best"]

    def test_the_bound_has_a_panel_per_method_that_has_one_all_with_the_same_limits(
        self, drawn: dict[str, Any]
    ) -> None:
        draw(Setting("cross-holder", 5, 0, {}), ALL)
        assert titles(drawn["bound"]) == ["MO-UCB", "CA-MOBO, ascending", "CA-MOBO, as printed"]
        assert len({axes.get_ylim() for axes in drawn["bound"].axes}) == 1
        assert "with the factor 2 its proof needs" not in keys(drawn["bound"])

    def test_the_proved_bound_is_named_where_it_is_drawn(self, drawn: dict[str, Any]) -> None:
        setting = Setting("cross-holder", 5, 0, {})
        found = results.curves([replace(each, proved=np.full(5, 300.0)) for each in made(setting)], setting)
        figures.draw(Path(), setting, found)
        assert "with the factor 2 its proof needs" in keys(drawn["bound"])
        assert [[each.get_label() for each in axes.lines] for axes in drawn["bound"].axes] == [
            ["measured", "printed", "proved"]
        ] * 2
        check(drawn["bound"])


class TestTrueFront:
    @pytest.mark.parametrize(
        ("name", "options", "gaps"),
        [
            ("zdt3", {}, 4),
            ("zdt3", {"g": "script"}, 4),
            ("cross-holder", {}, 1),
            ("matyas-booth", {}, 0),
            ("matyas-booth", {"booth": "printed"}, 0),
            ("steel", {"objectives": 2}, 0),
        ],
    )
    def test_it_is_a_front_nearly_the_best_there_is_with_no_gap_but_its_own(
        self, name: str, options: Mapping[str, Any], gaps: int
    ) -> None:
        given = experiment(name, options)
        front = figures.true_front(given)
        assert front is not None
        assert given.reference is not None
        assert given.best_hypervolume is not None
        signs = results.signs_of(given)
        assert on_front(signs * front).all()
        share = hypervolume(signs * front, signs * np.array(given.reference)) / given.best_hypervolume
        assert 0.995 < share <= 1.0
        steps = np.abs(np.diff(front, axis=0)) / np.ptp(front, axis=0)
        assert int((steps.max(axis=1) > 0.02).sum()) == gaps
        assert len(front) <= figures._DOTS + 2

    @pytest.mark.parametrize("setting", [Setting("forest", 3, 0, {}), Setting("steel", 3, 0, {"objectives": 1})])
    def test_of_one_objective_or_measured_ones_there_is_none(self, setting: Setting) -> None:
        assert figures.true_front(experiment(setting.experiment, setting.options)) is None

    def test_thinning_keeps_both_ends_and_an_even_distance(self) -> None:
        x = np.sort(np.random.default_rng(0).random(50_000)) ** 4
        front = figures.evenly(np.column_stack([x, 1.0 - x]))
        assert front[0, 0] == x[0]
        assert front[-1, 0] == x[-1]
        assert np.diff(front[:, 0]).max() < 3.0 / figures._DOTS


@pytest.mark.slow
def test_the_figures_are_written_as_png_and_pdf(tmp_path: Path) -> None:
    paths = draw(Setting("cross-holder", 3, 0, {}), folder=tmp_path)
    assert {path.stem for path in paths} == {"figure", "money", "bound"}
    assert {path.name for path in tmp_path.iterdir()} == {
        f"{path.stem}.{end}" for path in paths for end in ("png", "pdf")
    }
