from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from camobo.cost.budget import Budget
from camobo.history.trial import State, Trial
from camobo.insight.record import Record
from camobo.plot import fronts
from camobo.plot.style import ACCENT, EXPENSIVE_TO_CHEAP, GREY, blend
from camobo.space.inputs import Real
from camobo.space.space import Space
from camobo.strategy.plan import Plan
from tests.support.samples import sample


def record_of(goals: dict[str, Any], rows: Sequence[tuple[float, ...]]) -> Record:
    """A record of complete trials with these values, one row per trial."""
    plan = Plan(Space({"x": Real(0, 1)}), goals)
    trials = [
        Trial(i, {"x": i / len(rows)}, State.COMPLETE, dict(zip(goals, row, strict=True))) for i, row in enumerate(rows)
    ]
    return Record(plan, tuple(trials))


@pytest.mark.parametrize(("count", "kind"), [(1, "scatter"), (2, "scatter"), (3, "scatter3d"), (4, "scatter")])
def test_the_number_of_objectives_decides_how_the_front_is_drawn(count: int, kind: str) -> None:
    spec = fronts.front(sample(count))
    assert {trace["type"] for trace in spec["data"]} == {kind}
    if count == 4:
        assert len(spec["layout"]["xaxis"]["ticktext"]) == 4


def test_without_complete_trials_the_figure_says_so() -> None:
    spec = fronts.front(sample(2, 3, 0))
    assert spec["layout"]["annotations"][0]["text"] == "No trial is complete yet"


@pytest.mark.parametrize(("goal", "best"), [("max", [1.0, 3.0, 3.0, 4.0]), ("min", [1.0, 1.0, 1.0, 1.0])])
def test_one_objective_shows_every_value_and_the_best_so_far(goal: str, best: list[float]) -> None:
    values, line, *_ = fronts.best_so_far(record_of({"y": goal}, [(1.0,), (3.0,), (2.0,), (4.0,)]))["data"]
    assert values["y"] == [1.0, 3.0, 2.0, 4.0]
    assert line["y"] == best


@pytest.mark.parametrize(("first", "second"), [("max", "max"), ("max", "min"), ("min", "max"), ("min", "min")])
def test_the_steps_of_a_front_never_cross_a_trial(first: str, second: str) -> None:
    """Between two neighbours the corner of the steps is the worse of both: inside the dominated region."""
    sign = {"max": 1.0, "min": -1.0}
    rows = [(sign[first] * x, sign[second] * (1 - x)) for x in (0.0, 0.3, 1.0)]
    stairs, *_ = fronts.front_2d(record_of({"a": first, "b": second}, rows))["data"]
    (x0, x1), (y0, y1) = stairs["x"][:2], stairs["y"][:2]
    corner = (x0, y1) if stairs["line"]["shape"] == "vh" else (x1, y0)
    worse = tuple((min if goal == "max" else max)(pair) for goal, pair in ((first, (x0, x1)), (second, (y0, y1))))
    assert corner == worse


@pytest.mark.parametrize("count", [2, 3])
def test_the_front_has_diamonds_and_every_complete_trial_is_drawn_once(count: int) -> None:
    record = sample(count, cost=False)
    traces = {trace["name"]: trace for trace in fronts.front(record)["data"] if trace["x"] != [None]}
    assert len(traces["front"]["x"]) == len(record.front)
    assert len(traces["front"]["x"]) + len(traces["other trials"]["x"]) == len(record.complete)
    assert traces["front"]["marker"]["symbol"] in ("diamond", ["diamond"] * len(record.front))
    assert traces["front"]["marker"]["color"] == [ACCENT] * len(record.front)


def test_three_objectives_have_one_axis_each_with_its_goal() -> None:
    scene = fronts.front_3d(sample(3))["layout"]["scene"]
    titles = [scene[f"{letter}axis"]["title"]["text"] for letter in "xyz"]
    assert titles == ["objective 0 (max)", "objective 1 (min)", "objective 2 (max)"]


class TestParallelScales:
    def test_better_is_up_for_every_objective(self) -> None:
        record = sample(4, 3, 40)
        spec = fronts.parallel_front(record)
        heights = {
            (trace["hovertext"][i].split(" ·")[0], trace["x"][i]): trace["y"][i]
            for trace in spec["data"]
            for i in range(len(trace["x"]))
            if trace["x"][i] is not None
        }
        for j, (name, goal) in enumerate(record.plan.objectives.items()):
            pick = max if goal == "max" else min
            best = pick(record.complete, key=lambda t: (t.values or {})[name])
            assert heights[f"trial {best.number}", j] == pytest.approx(1.0)

    def test_both_ends_of_a_scale_are_labelled_the_better_one_at_the_top(self) -> None:
        rows = [(1.0, 5.0, 0.0, 0.0), (2.0, 7.0, 1.0, 1.0)]
        ends = fronts.parallel_front(record_of({"a": "max", "b": "min", "c": "max", "d": "max"}, rows))
        labels = {(end["x"], end["y"] > 0.5): end["text"] for end in ends["layout"]["annotations"]}
        assert (labels[0, True], labels[0, False]) == ("2", "1")
        assert (labels[1, True], labels[1, False]) == ("5", "7")

    def test_equal_values_do_not_divide_by_zero(self) -> None:
        spec = fronts.parallel_front(record_of(dict.fromkeys("abcd", "max"), [(1.0,) * 4] * 2))
        assert all(y in (0.0, None) for trace in spec["data"] for y in trace["y"])

    @pytest.mark.parametrize("cost", [True, False])
    def test_a_front_line_has_one_shade_and_other_trials_another(self, cost: bool) -> None:
        record = sample(4, 3, 40, cost=cost)
        others, *shades = fronts.parallel_front(record)["data"]
        assert others["name"] == "other trials"
        assert sum(trace["x"].count(0) for trace in shades) == len(record.front)
        assert cost or [trace["name"] for trace in shades] == ["front"]
        assert all(" · on the front" in text for trace in shades for text in trace["hovertext"] if text is not None)
        assert not any(" · on the front" in text for text in others["hovertext"] if text is not None)


def with_costs(record: Record, costs: Sequence[float | None], unit: str = "EUR") -> Record:
    """The record with what its first trials cost, and a budget in a unit."""
    costs = [*costs, *[None] * (len(record.trials) - len(costs))]
    trials = (replace(trial, cost=cost) for trial, cost in zip(record.trials, costs, strict=True))
    return Record(replace(record.plan, budget=Budget(cost=100, unit=unit)), tuple(trials))


def drawn_colours(record: Record) -> dict[str, str]:
    """The colour of each trial in the figure of two objectives, by "trial 3"."""
    traces = fronts.front_2d(record)["data"][1:3]
    return {
        text.split(" ·")[0]: colour
        for trace in traces
        for text, colour in zip(trace["hovertext"], trace["marker"]["color"], strict=True)
    }


class TestColours:
    ROWS = ((1.0, 4.0), (2.0, 3.0), (3.0, 2.0), (4.0, 1.0))

    def test_they_run_from_the_cheapest_trial_to_the_most_expensive_by_the_logarithm_of_cost(self) -> None:
        record = with_costs(record_of({"a": "max", "b": "max"}, self.ROWS), [1.0, 10.0, 100.0, 1000.0])
        found = drawn_colours(record)
        assert [found[f"trial {i}"] for i in range(4)] == [blend(1.0), blend(2 / 3), blend(1 / 3), blend(0.0)]

    def test_a_trial_of_unknown_cost_is_grey_and_a_free_one_as_blue_as_the_cheapest(self) -> None:
        record = with_costs(record_of({"a": "max", "b": "max"}, self.ROWS), [0.0, 10.0, None, 1000.0])
        found = drawn_colours(record)
        assert (found["trial 0"], found["trial 1"]) == (EXPENSIVE_TO_CHEAP[-1], EXPENSIVE_TO_CHEAP[-1])
        assert (found["trial 2"], found["trial 3"]) == (GREY, EXPENSIVE_TO_CHEAP[0])

    @pytest.mark.parametrize("costs", [[5.0] * 4, [0.0] * 4, [None] * 4], ids=["equal", "free", "unknown"])
    def test_where_costs_do_not_differ_colours_do_not_tell_them(self, costs: list[float | None]) -> None:
        record = with_costs(record_of({"a": "max", "b": "max"}, self.ROWS), costs)
        assert not fronts.coloured_by_cost(record)
        assert set(drawn_colours(record).values()) == {ACCENT}

    @pytest.mark.parametrize("largest", [1e300, 1e308])
    def test_no_cost_is_too_large_for_a_colour(self, largest: float) -> None:
        record = with_costs(record_of({"a": "max", "b": "max"}, self.ROWS), [1e-300, 1.0, 2.0, largest])
        assert drawn_colours(record)["trial 3"] == EXPENSIVE_TO_CHEAP[0]

    def test_lines_of_a_trial_of_unknown_cost_are_grey(self) -> None:
        rows = [(float(i), float(-i), 0.0, 0.0) for i in range(4)]
        record = with_costs(record_of(dict.fromkeys("abcd", "max"), rows), [1.0, 2.0, None, 9.0])
        shades = {trace["name"]: trace for trace in fronts.parallel_front(record)["data"]}
        assert shades["front, cost unknown"]["line"]["color"] == GREY
        assert "trial 2 " in shades["front, cost unknown"]["hovertext"][0]


class TestLegend:
    def test_with_an_order_colours_run_from_the_cheapest_trial_to_the_most_expensive(self) -> None:
        record = sample()
        entries = {e["name"].split(" (")[0]: e["marker"]["color"] for e in fronts.front(record)["data"][-5:]}
        assert entries["cheapest"] == EXPENSIVE_TO_CHEAP[-1]
        assert entries["most expensive"] == EXPENSIVE_TO_CHEAP[0]
        assert entries["front"] == entries["other trials"] == GREY
        drawn = [c for trace in fronts.front(record)["data"][1:3] for c in trace["marker"]["color"]]
        assert {EXPENSIVE_TO_CHEAP[0], EXPENSIVE_TO_CHEAP[-1]} <= set(drawn)

    def test_its_ends_are_in_money_or_multiples_of_the_cheapest_trial(self) -> None:
        rows = TestColours.ROWS
        in_money = with_costs(record_of({"a": "max", "b": "max"}, rows), [1.0, 4.0, 9.0, 16.0], "<EUR>")
        names = [entry["name"] for entry in fronts.front(in_money)["data"][-3:]]
        assert names == ["cheapest (1 &lt;EUR&gt;)", "middle (4 &lt;EUR&gt;)", "most expensive (16 &lt;EUR&gt;)"]
        assert fronts.front(sample())["data"][-1]["name"].endswith("×)")

    def test_without_costs_the_front_is_accented(self) -> None:
        entries = {e["name"]: e["marker"]["color"] for e in fronts.front(sample(cost=False))["data"][-2:]}
        assert entries == {"other trials": GREY, "front": ACCENT}

    def test_one_click_hides_an_entry_and_its_trials(self) -> None:
        data = fronts.front(sample())["data"]
        groups = [trace.get("legendgroup") for trace in data]
        assert groups.count("front") == groups.count("other trials") == 2
