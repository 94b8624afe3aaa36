from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Literal

import numpy as np
import pytest

from camobo import Categorical, Integer, Real, Space
from camobo.acquisition.pareto import on_front
from camobo.paper import drawing, panels, regret, results
from camobo.paper.experiments import METHODS, OWN, Experiment, Method, experiment, problem_text
from camobo.paper.folder import Setting
from camobo.paper.results import Curves
from tests.support.paper_runs import record

pytest.importorskip("matplotlib")

CROSS = Setting("cross-holder", 12, 0, {})
BOTH: tuple[Method, ...] = ("mo-ucb", "paper")


@pytest.fixture
def axes() -> Iterator[Any]:
    """Empty axes."""
    with drawing.styled():
        yield drawing.pyplot().subplots()[1]
    drawing.pyplot().close("all")


def made(setting: Setting, *methods: Method, runs: int = 3) -> dict[Method, Curves]:
    return results.curves([record(setting, method, run) for method in methods for run in range(runs)], setting)


def given_by(setting: Setting) -> Experiment:
    return experiment(setting.experiment, setting.options)


def own(
    inputs: Mapping[str, Any], order: str, objectives: Mapping[str, Literal["min", "max"]] | None = None
) -> Setting:
    """A problem of one's own with these inputs."""
    text = problem_text(Space(inputs), objectives or {"f1": "min", "f2": "max"}, order)
    return Setting(OWN, 12, 0, {"problem": text, "title": "Mine"})


def line(axes: Any, label: str) -> Any:
    (found,) = [each for each in axes.lines if each.get_label() == label]
    return found


def drawn(each: Any) -> np.ndarray[Any, Any]:
    return np.column_stack([each.get_xdata(), each.get_ydata()]).astype(float)


def inside(axes: Any, points: np.ndarray[Any, Any]) -> bool:
    """Whether every point lies strictly within the axes' limits."""
    low, high = np.array([axes.get_xlim(), axes.get_ylim()]).T
    return bool(np.all((points > low) & (points < high)))


class TestFronts:
    def test_the_front_of_a_run_counts_its_first_observations(self) -> None:
        found = record(CROSS, "paper")
        best = replace(found, first_values=np.array([[-3.0, -30.0]] * 3))
        units, values = panels.front_of(best, given_by(CROSS))
        assert np.unique(values, axis=0).tolist() == [[-3.0, -30.0]]
        assert len(units) == len(values)

    def test_best_values_are_a_front_sorted_by_the_first_objective(self) -> None:
        values = np.random.default_rng(0).random((50, 2))
        best = panels.best_of(values, given_by(CROSS))
        assert on_front(-best).all()
        assert np.all(np.diff(best[:, 0]) >= 0)
        assert np.all(np.diff(best[:, 1]) <= 0)

    def test_limits_contain_all_values_even_if_they_are_equal(self) -> None:
        (x0, x1), (y0, y1) = panels.limits(np.array([[1.0, 5.0], [3.0, 5.0]]))
        assert x0 < 1.0 < 3.0 < x1
        assert y0 < 5.0 < y1

    def test_the_true_front_is_drawn_whole(self, axes: Any) -> None:
        truth = np.array([[-2.0, -1.0], [-1.5, -9.0], [-1.2, -19.0]])
        panels.whole_front(axes, given_by(CROSS), truth)
        assert drawn(line(axes, "true front")).tolist() == truth.tolist()
        assert inside(axes, truth)
        assert (axes.get_xlabel(), axes.get_ylabel()) == ("f1", "f2")

    def test_the_front_of_a_method_marks_one_run_before_the_others_and_the_truth(self, axes: Any) -> None:
        given, curve = given_by(CROSS), made(CROSS, "paper")["paper"]
        fronts = [panels.front_of(each, given)[1] for each in curve.records]
        truth = np.array([[-2.0, -1.0], [-1.2, -19.0]])
        panels.front(axes, given, curve, truth, panels.limits(np.vstack([*fronts, truth])))
        assert drawn(line(axes, "one run")).tolist() == fronts[0].tolist()
        assert drawn(line(axes, "other runs")).tolist() == np.vstack(fronts[1:]).tolist()
        assert axes.lines[0] is line(axes, "true front")
        assert line(axes, "true front").get_color() == drawing.PALE
        assert all(inside(axes, drawn(each)) for each in axes.lines)
        assert axes.get_title(loc="left") == "Pareto front\nCA-MOBO, ascending"

    def test_the_front_of_a_single_run_has_no_other_runs(self, axes: Any) -> None:
        given, curve = given_by(CROSS), made(CROSS, "mo-ucb", runs=1)["mo-ucb"]
        panels.front(axes, given, curve, None, ((-5.0, 5.0), (-50.0, 5.0)))
        assert [each.get_label() for each in axes.lines] == ["one run"]

    def test_fronts_of_all_methods_are_in_one_panel_before_the_truth(self, axes: Any) -> None:
        given, found = given_by(CROSS), made(CROSS, *METHODS)
        panels.fronts(axes, given, found, np.array([[-2.0, -1.0], [-1.2, -19.0]]))
        assert [each.get_label() for each in axes.lines] == ["true front", *METHODS.values()]
        colours = [each.get_color() for each in axes.lines]
        assert colours == [drawing.PALE, *(drawing.COLOURS[method] for method in METHODS)]
        assert all(inside(axes, drawn(each)) for each in axes.lines)
        heights = {each.get_label(): each.get_zorder() for each in axes.lines}
        assert heights["CA-MOBO, ascending"] == max(heights.values())

    def test_without_a_truth_a_line_follows_the_front_of_all_runs(self, axes: Any) -> None:
        setting = Setting("forest", 12, 0, {})
        given, found = given_by(setting), made(setting, "paper")
        panels.fronts(axes, given, found, None)
        (step,) = [each for each in axes.lines if each.get_label() != METHODS["paper"]]
        values = np.vstack([panels.front_of(each, given)[1] for each in found["paper"].records])
        assert drawn(step).tolist() == panels.best_of(values, given).tolist()
        assert step.get_drawstyle() == "steps-post"

    def test_the_line_of_a_front_to_maximise_keeps_to_the_worse_side(self, axes: Any) -> None:
        setting = own({"a": Real(0, 1)}, "a", {"f": "max", "g": "max"})
        panels.fronts(axes, given_by(setting), made(setting, "paper"), None)
        assert axes.lines[0].get_drawstyle() == "steps-pre"


class TestSearchSpace:
    def test_points_of_all_methods_are_shown_in_the_inputs_own_units_over_the_whole_space(self, axes: Any) -> None:
        setting = Setting("forest", 12, 0, {})
        given, found = given_by(setting), made(setting, *BOTH)
        panels.search_space(axes, given, found, ["estimators", "depth"])
        assert [each.get_label() for each in axes.lines] == [METHODS[method] for method in BOTH]
        units, _ = panels.front_of(found["mo-ucb"].records[0], given)
        wanted = [list(given.space.from_unit(unit).values()) for unit in units]
        assert drawn(axes.lines[0])[: len(wanted)].tolist() == wanted
        assert inside(axes, np.array([[1.0, 1.0], [100.0, 100.0]]))
        assert (axes.get_xlabel(), axes.get_ylabel()) == ("estimators", "depth")

    def test_choices_logarithms_and_whole_numbers_have_fitting_axes(self, axes: Any) -> None:
        inputs = {
            "quench": Categorical(["air", "oil"], expensive=["oil"]),
            "rate": Real(1e-4, 1, log=True, unit="mm"),
            "layers": Integer(1, 3),
        }
        setting = own(inputs, "quench > rate, quench > layers")
        given, found = given_by(setting), made(setting, *BOTH)
        panels.search_space(axes, given, found, ["quench", "rate"])
        assert [label.get_text() for label in axes.get_xticklabels()] == ["air", "oil"]
        assert set(drawn(axes.lines[0])[:, 0]) <= {0.0, 1.0}
        assert axes.get_yscale() == "log"
        assert axes.get_ylabel() == "rate, mm"
        assert inside(axes, np.array([[0.0, 1e-4], [1.0, 1.0]]))
        other = drawing.pyplot().subplots()[1]
        panels.search_space(other, given, found, ["layers", "quench"])
        assert all(tick == round(tick) for tick in other.get_xticks())
        assert [label.get_text() for label in other.get_yticklabels()] == ["air", "oil"]


class TestOverTime:
    def test_each_method_has_the_mean_of_its_runs_over_the_iterations_in_its_colour(self, axes: Any) -> None:
        found = made(CROSS, *METHODS)
        panels.hypervolume(axes, found, 2)
        for method, curve in found.items():
            mean = line(axes, METHODS[method])
            assert mean.get_color() == drawing.COLOURS[method]
            assert mean.get_marker() == drawing.MARKERS[method]
            assert drawn(mean).tolist() == [[t + 1.0, y] for t, y in enumerate(curve.mapped.mean(axis=0))]
        assert len(axes.collections) == 4
        assert axes.get_title(loc="left") == "Dominated hypervolume"

    def test_the_regrets_are_the_paper_s_and_skip_methods_without_any(self, axes: Any) -> None:
        found = made(CROSS, *BOTH, "default")
        found["default"] = replace(found["default"], regrets=None)
        panels.average_regret(axes, found)
        assert [each.get_label() for each in axes.lines] == [METHODS[method] for method in BOTH]
        regrets = found["paper"].regrets
        assert regrets is not None
        wanted = regret.average(regrets).mean(axis=0)
        assert line(axes, METHODS["paper"]).get_ydata().tolist() == wanted.tolist()
        other = drawing.pyplot().subplots()[1]
        panels.cumulative_regret(other, found)
        wanted = regret.cumulative(regrets).mean(axis=0)
        assert line(other, METHODS["paper"]).get_ydata().tolist() == wanted.tolist()

    def test_markers_of_methods_are_at_different_iterations(self, axes: Any) -> None:
        setting = replace(CROSS, iterations=100)
        panels.hypervolume(axes, made(setting, *METHODS), 2)
        marked = [set(each.get_markevery()) for each in axes.lines]
        assert all(marked)
        assert len(set.union(*marked)) == sum(map(len, marked))

    def test_a_single_iteration_can_be_drawn(self, axes: Any) -> None:
        panels.hypervolume(axes, made(replace(CROSS, iterations=1), *METHODS, runs=1), 2)
        assert [len(drawn(each)) for each in axes.lines] == [1] * 4


class TestSums:
    def test_each_input_has_a_line_a_colour_and_a_name_where_it_ends(self, axes: Any) -> None:
        setting = Setting("zdt3", 12, 0, {})
        curve = made(setting, "paper")["paper"]
        panels.sums(axes, given_by(setting), curve, 20.0)
        names = ["x1", "x2", "x3", "x4", "x5"]
        assert [each.get_label() for each in axes.lines] == names
        assert len({each.get_color() for each in axes.lines}) == 5
        assert len({str(each.get_linestyle()) for each in axes.lines}) >= 4
        for j, name in enumerate(names):
            assert line(axes, name).get_ydata().tolist() == curve.use[:, :, j].mean(axis=0).tolist()
            (label,) = [text for text in axes.texts if text.get_text() == name]
            assert label.get_color() == line(axes, name).get_color()
            assert label.xy[1] == pytest.approx(curve.use[:, -1, j].mean() / 20.0)
        assert axes.get_ylim() == (0.0, 20.0)

    def test_of_many_inputs_the_most_expensive_are_named(self, axes: Any) -> None:
        names = [f"x{i}" for i in range(20)]
        setting = own({name: Real(0, 1) for name in names}, " > ".join(names))
        panels.sums(axes, given_by(setting), made(setting, "paper")["paper"], 20.0)
        assert [text.get_text() for text in axes.texts] == [*names[:7], "13 others"]
        assert len(axes.lines) == 20
        assert [each.get_color() for each in axes.lines].count(drawing.PALE) == 13

    def test_the_sum_of_one_input_is_shown_for_all_methods(self, axes: Any) -> None:
        setting = Setting("network", 12, 0, {})
        found = made(setting, *BOTH)
        panels.sums_of_one(axes, given_by(setting), found, 1)
        assert axes.get_title(loc="left") == "Sum of units"
        for method in BOTH:
            wanted = found[method].use[:, :, 1].mean(axis=0).tolist()
            assert line(axes, METHODS[method]).get_ydata().tolist() == wanted


class TestLandscape:
    setting = Setting("steel", 10, 0, {"objectives": 1})

    def test_first_observations_are_dots_and_chosen_points_numbered_crosses_in_per_cent(self, axes: Any) -> None:
        found = made(self.setting, *BOTH)
        points, numbers, colours = panels.landscape(axes, given_by(self.setting), found)
        for i, method in enumerate(BOTH):
            own_units = 20.0 * found[method].records[0].units
            crosses = line(axes, METHODS[method])
            assert crosses.get_marker() == "x"
            assert drawn(crosses) == pytest.approx(own_units)
            assert not crosses.get_clip_on()
            assert points[10 * i : 10 * (i + 1)] == pytest.approx(own_units)
        assert numbers == [str(t) for t in range(1, 11)] * 2
        assert colours == [drawing.COLOURS["mo-ucb"]] * 10 + [drawing.COLOURS["paper"]] * 10
        dots = [drawn(each) for each in axes.lines if each.get_marker() == "o"]
        assert dots[0] == pytest.approx(20.0 * found["mo-ucb"].records[0].first_units)
        assert inside(axes, np.array([[0.0, 0.0], [20.0, 20.0]]))
        assert (axes.get_xlabel(), axes.get_ylabel()) == ("nickel, %", "chromium, %")

    def test_contours_are_labelled_with_their_strength(self, axes: Any) -> None:
        panels.landscape(axes, given_by(self.setting), made(self.setting, "paper"))
        labels = [float(text.get_text()) for text in axes.texts]
        assert len(labels) >= 4
        function = given_by(self.setting).function
        assert function is not None
        for text, level in zip(axes.texts, labels, strict=True):
            strength = function(np.array([text.get_position()]) / 20.0)[0, 0]
            assert strength == pytest.approx(level, abs=3.0)

    def test_of_many_steps_every_tenth_part_is_numbered(self) -> None:
        numbers = panels._step_numbers(100)
        assert [n for n in numbers if n] == ["1", "10", "20", "30", "40", "50", "60", "70", "80", "90", "100"]
        assert numbers[9] == "10"
        assert panels._step_numbers(3) == ["1", "2", "3"]


class TestMoney:
    def test_hypervolume_over_money_is_what_had_been_reached_for_it(self) -> None:
        money, volumes = np.array([1.0, 2.0, 4.0]), np.array([0.1, 0.5, 0.9])
        assert panels.at(np.array([0.5, 1.0, 3.9, 4.0, 9.0]), money, volumes).tolist() == [0.1, 0.1, 0.5, 0.9, 0.9]

    def test_a_line_ends_with_a_marker_at_the_median_of_what_was_spent(self, axes: Any) -> None:
        found = made(CROSS, *BOTH)
        panels.money(axes, found, lambda curve: curve.near, "Title", "y")
        for method, curve in found.items():
            points = drawn(line(axes, METHODS[method]))
            assert points[-1, 0] == pytest.approx(np.median(curve.money[:, -1]))
            assert line(axes, METHODS[method]).get_markevery() == [len(points) - 1]
            assert np.isfinite(points).all()


class TestBound:
    def test_regret_is_drawn_under_the_bound_as_printed_and_as_proved(self, axes: Any) -> None:
        curve = made(CROSS, "paper")["paper"]
        curve = replace(curve, records=tuple(replace(each, proved=np.full(12, 150.0)) for each in curve.records))
        panels.bounded(axes, curve)
        assert curve.own_regrets is not None
        wanted = regret.cumulative(curve.own_regrets).mean(axis=0)
        assert line(axes, "measured").get_ydata().tolist() == wanted.tolist()
        assert set(line(axes, "printed").get_ydata()) == {100.0}
        assert set(line(axes, "proved").get_ydata()) == {150.0}
        assert line(axes, "printed").get_linestyle() != line(axes, "proved").get_linestyle()
        assert axes.get_yscale() == "log"
        assert axes.get_title(loc="left") == "CA-MOBO, ascending"

    def test_without_a_proved_bound_there_is_one_line_less(self, axes: Any) -> None:
        panels.bounded(axes, made(CROSS, "paper")["paper"])
        assert [each.get_label() for each in axes.lines] == ["measured", "printed"]

    def test_no_regret_at_all_can_be_drawn_on_a_log_scale(self, axes: Any) -> None:
        curve = made(CROSS, "paper")["paper"]
        panels.bounded(axes, replace(curve, own_regrets=np.zeros((3, 12))))
        assert np.all(line(axes, "measured").get_ydata() > 0.0)
