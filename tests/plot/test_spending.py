from __future__ import annotations

import itertools
import re
from dataclasses import replace

import numpy as np
import pytest

from camobo.cost.paper import PaperCost
from camobo.errors import InvalidOptionError
from camobo.insight.record import Record
from camobo.plot import spending
from camobo.plot.style import GREY, Spec
from tests.support.samples import sample


def note_of(spec: Spec) -> str:
    return str(spec["layout"]["annotations"][0]["text"])


def with_costs(record: Record, costs: dict[int, float]) -> Record:
    """The record with reported costs, by trial number."""
    return Record(record.plan, tuple(replace(trial, cost=costs.get(trial.number)) for trial in record.trials))


class TestHypervolume:
    def test_by_trial_it_is_what_the_trials_reached(self) -> None:
        record = sample()
        (line,) = spending.hypervolume(record)["data"]
        assert line["x"] == [trial.number for trial in record.complete]
        np.testing.assert_array_equal(line["y"], record.volumes[1])
        assert line["y"] == sorted(line["y"])

    def test_by_spend_without_costs_the_axis_says_it_is_the_level(self) -> None:
        spec = spending.hypervolume(sample(), "spend")
        assert spec["layout"]["title"]["text"] == "Hypervolume by use of inputs"
        assert spec["layout"]["xaxis"]["title"]["text"] == "cumulative level, weighted by the order"

    def test_by_spend_costs_add_up_and_failed_trials_count(self) -> None:
        record = sample(2, 3, 12)
        costs = {trial.number: 2.0 for trial in record.settled}
        spec = spending.hypervolume(with_costs(record, costs), "spend")
        assert spec["layout"]["title"]["text"] == "Hypervolume by cost"
        assert spec["layout"]["xaxis"]["title"]["text"] == "cumulative cost"
        settled = [trial.number for trial in record.settled]
        assert spec["data"][0]["x"] == [2.0 * (settled.index(t.number) + 1) for t in record.complete]

    @pytest.mark.parametrize(("without", "words"), [(1, "1 trial without"), (2, "2 trials without")])
    def test_the_axis_says_how_many_trials_have_no_reported_cost(self, without: int, words: str) -> None:
        record = sample(2, 3, 12)
        costs = {trial.number: 2.0 for trial in record.settled[without:]}
        title = spending.hypervolume(with_costs(record, costs), "spend")["layout"]["xaxis"]["title"]["text"]
        assert title == f"cumulative cost ({words} a reported cost)"

    def test_costs_too_large_to_add_leave_a_gap(self) -> None:
        record = sample(2, 3, 12)
        with np.errstate(over="ignore"):
            spec = spending.hypervolume(with_costs(record, {t.number: 1e308 for t in record.settled}), "spend")
        assert spec["data"][0]["x"][-1] is None

    def test_without_costs_and_order_the_figure_says_so(self) -> None:
        assert note_of(spending.hypervolume(sample(cost=False), "spend")) == "No cost reported and no order given"

    def test_without_complete_trials_the_figure_says_so(self) -> None:
        assert note_of(spending.hypervolume(sample(2, 2, 0))) == "No trial is complete yet"

    def test_too_large_to_compute_is_said_in_the_figure(self) -> None:
        record = sample(2, 2, 1)
        far = replace(record.trials[0], values={"objective 0": 1e308, "objective 1": -1e308})
        with np.errstate(over="ignore", invalid="ignore"):
            spec = spending.hypervolume(Record(replace(record.plan, reference=(-1e308, 1e308)), (far,)))
        assert note_of(spec) == "The hypervolume is too large to compute: use other units"

    def test_anything_else_to_draw_it_against_is_refused(self) -> None:
        with pytest.raises(InvalidOptionError, match=r'"trials" or "spend", got \'time\''):
            spending.hypervolume(sample(), "time")  # type: ignore[arg-type]


class TestUsage:
    def test_a_line_ends_at_the_sum_of_levels_and_the_dotted_one_at_half_the_trials(self) -> None:
        record = sample(2, 4, 12, cost=False)
        even, *lines = spending.usage(record)["data"]
        levels = record.levels(record.settled).sum(axis=0)
        assert even["y"] == [0.0, len(record.settled) / 2]
        names = record.plan.space.names
        assert {line["name"]: line["y"][-1] for line in lines} == pytest.approx(dict(zip(names, levels, strict=True)))

    def test_inputs_the_order_does_not_name_are_grey(self) -> None:
        lines = spending.usage(sample(2, 5, 12))["data"]
        assert {line["name"] for line in lines if line["line"]["color"] == GREY} == {"input 3", "input 4"}

    @pytest.mark.parametrize(
        ("name", "words"),
        [
            ("input 0", r"input 0: [\d.]+ % in total, mean level [\d.]+<br>"),
            ("input 1", r"input 1: cumulative level [\d.]+ over 1 trial<br>"),
            ("input 3", r"input 3: cumulative level [\d.]+ over 1 trial<br>"),
        ],
    )
    def test_hover_adds_up_amounts_in_their_unit_where_they_add_up(self, name: str, words: str) -> None:
        lines = {line["name"]: line for line in spending.usage(sample(2, 4, 12))["data"]}
        assert lines[name]["hovertext"][0] is None
        assert re.match(words, lines[name]["hovertext"][1])

    def test_before_a_trial_has_finished_the_figure_says_so(self) -> None:
        assert note_of(spending.usage(sample(2, 2, 0))) == "No trial has finished yet"


class TestCostEffect:
    def test_the_more_expensive_an_input_the_more_it_must_promise_and_less_at_the_end(self) -> None:
        *lines, dots = spending.cost_effect(sample())["data"]
        assert [line["name"] for line in lines] == ["input 0", "input 1", "input 2"]
        for expensive, cheap in itertools.pairwise(lines):
            assert all(a >= b for a, b in zip(expensive["y"], cheap["y"], strict=True))
        assert all(line["y"][0] > line["y"][-1] >= 0.0 for line in lines)
        assert dots["name"] == "suggested trials"

    def test_there_is_one_dot_per_suggested_trial(self) -> None:
        record = sample()
        dots = spending.cost_effect(record)["data"][-1]
        assert dots["x"] == [trial.step for trial in record.trials if not trial.added]

    def test_hover_says_how_much_more(self) -> None:
        line, *_, dots = spending.cost_effect(sample())["data"]
        assert re.match(
            r"suggestion 1: at its expensive end input 0 must promise [\d.]+ times as much as at its cheap end",
            line["hovertext"][0],
        )
        assert re.match(r"had to promise [\d.]+ times as much as the cheapest point<br>trial 0 ·", dots["hovertext"][0])

    def test_the_paper_s_cost_is_drawn_too(self) -> None:
        record = sample(2, 3, 5)
        drawn = Record(replace(record.plan, cost=PaperCost("input 0 > input 1")), record.trials)
        assert len(spending.cost_effect(drawn)["data"]) == 3

    def test_without_a_cost_the_figure_says_so(self) -> None:
        assert note_of(spending.cost_effect(sample(cost=False))) == "This study is not cost-aware"

    def test_before_the_first_suggestion_there_are_no_dots(self) -> None:
        assert all(trace["mode"] == "lines" for trace in spending.cost_effect(sample(2, 2, 0))["data"])


@pytest.mark.parametrize("power", [0.0, 0.5, 3.9, 4.0, 12.3, 300.0])
def test_a_factor_is_written_without_markup(power: float) -> None:
    assert re.fullmatch(r"[\d.]+ times|10[⁰¹²³⁴⁵⁶⁷⁸⁹]+ times", spending.factor(power))


@pytest.mark.parametrize("most", [0.3, 0.99, 1.0, 3.5, 14.0, 300.0])
def test_ticks_are_few_reach_the_largest_factor_and_start_at_one(most: float) -> None:
    ticks = spending._factor_ticks(most)
    assert ticks["tickvals"][0] == 0.0
    assert ticks["ticktext"][0] == "1×"
    assert len(ticks["tickvals"]) == len(ticks["ticktext"]) <= 9
    assert most < 1.0 or ticks["tickvals"][-1] >= most
