from __future__ import annotations

import itertools
import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from camobo.cost.budget import Budget
from camobo.cost.paper import PaperCost
from camobo.cost.receipts import LearnedCost
from camobo.errors import InvalidOptionError
from camobo.insight.record import Record
from camobo.plot import spending
from camobo.plot.style import GREY, Spec
from tests.support.samples import sample


def note_of(spec: Spec) -> str:
    return str(spec["layout"]["annotations"][0]["text"])


def with_costs(record: Record, costs: dict[int, float], **options: object) -> Record:
    """The record with recorded costs, by trial number, and a budget in euros."""
    plan = replace(record.plan, budget=Budget(cost=500, unit="EUR"))
    trials = (replace(trial, cost=costs.get(trial.number), **options) for trial in record.trials)  # type: ignore[arg-type]
    return Record(plan, tuple(trials))


def title_of(spec: Spec, letter: str = "x") -> str:
    return str(spec["layout"][f"{letter}axis"]["title"]["text"])


class TestHypervolume:
    def test_by_trial_it_is_what_the_trials_reached(self) -> None:
        record = sample()
        (line,) = spending.hypervolume(record)["data"]
        assert line["x"] == [trial.number for trial in record.complete]
        np.testing.assert_array_equal(line["y"], record.volumes[1])
        assert line["y"] == sorted(line["y"])

    def test_by_an_order_alone_the_axis_says_it_is_multiples_of_the_cheapest_trial(self) -> None:
        spec = spending.hypervolume(sample(), "spend")
        assert spec["layout"]["title"]["text"] == "Hypervolume by cost"
        assert title_of(spec) == "cost so far, in multiples of the cheapest trial"

    def test_by_money_receipts_add_up_failed_trials_count_and_added_ones_do_not(self) -> None:
        record = sample(2, 3, 12)
        spec = spending.hypervolume(with_costs(record, {trial.number: 2.0 for trial in record.settled}), "spend")
        assert spec["layout"]["title"]["text"] == "Hypervolume by money spent"
        assert title_of(spec) == "money spent, EUR"
        counted = [trial.number for trial in record.evaluated]
        expected = [2.0 * sum(number <= t.number for number in counted) for t in record.complete]
        assert spec["data"][0]["x"] == expected
        assert 9 in counted, "a failed trial"

    @pytest.mark.parametrize(("without", "words"), [(1, "1 trial"), (2, "2 trials")])
    def test_the_axis_says_for_how_many_trials_the_cost_is_expected_or_unknown(self, without: int, words: str) -> None:
        for cost, known in ((True, "expected"), (False, "unknown")):
            record = sample(2, 3, 12, cost=cost)
            costs = {trial.number: 2.0 for trial in record.settled[without:]}
            found = title_of(spending.hypervolume(with_costs(record, costs), "spend"))
            assert found == f"money spent, EUR ({known} for {words})"

    def test_with_added_trials_only_the_figure_says_that_they_do_not_count(self) -> None:
        record = with_costs(sample(2, 3, 3), {0: 1.0, 1: 2.0}, added=True)
        assert note_of(spending.hypervolume(record, "spend")) == "Only trials added by hand, which do not count"

    def test_costs_too_large_to_add_leave_a_gap(self) -> None:
        record = sample(2, 3, 12)
        with np.errstate(over="ignore"):
            spec = spending.hypervolume(with_costs(record, {t.number: 1e308 for t in record.settled}), "spend")
        assert spec["data"][0]["x"][-1] is None

    def test_without_a_cost_and_receipts_the_figure_says_so(self) -> None:
        assert note_of(spending.hypervolume(sample(cost=False), "spend")) == "Nothing is known about cost"

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

    def test_inputs_that_cost_nothing_are_grey(self) -> None:
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


class TestCosts:
    def test_paid_runs_across_and_expected_up_on_logarithmic_scales_in_the_budget_s_unit(self) -> None:
        record = sample(2, 3, 12)
        spec = spending.costs(with_costs(record, {t.number: 20.0 + t.number for t in record.settled}, expected=25.0))
        diagonal, points = spec["data"]
        assert points["x"] == [20.0 + t.number for t in record.settled]
        assert points["y"] == [25.0] * len(record.settled)
        assert (diagonal["x"], diagonal["y"], diagonal["line"]["dash"]) == ([20.0, 29.0], [20.0, 29.0], "dash")
        assert (title_of(spec), title_of(spec, "y")) == ("paid, EUR", "expected, EUR")
        assert spec["layout"]["xaxis"]["type"] == spec["layout"]["yaxis"]["type"] == "log"
        assert points["hovertext"][0].startswith("expected 25 EUR, paid 20 EUR<br>trial 0 ·")

    def test_fewer_than_three_trials_with_both_are_too_few(self) -> None:
        found = spending.costs(with_costs(sample(2, 3, 12), {0: 1.0, 1: 2.0}, expected=1.0))
        assert note_of(found) == "Needs at least 3 trials with an expected and a recorded cost"

    @pytest.mark.parametrize(("low", "high"), [(15.0, 210.0), (3.0, 3.0), (0.002, 0.9)])
    def test_ticks_reach_around_all_costs(self, low: float, high: float) -> None:
        ticks = spending._log_ticks(low, high)
        assert ticks["tickvals"][0] <= low
        assert ticks["tickvals"][-1] >= high
        assert len(ticks["tickvals"]) == len(ticks["ticktext"]) <= 15

    def test_over_many_powers_of_ten_plotly_chooses_the_ticks(self) -> None:
        assert spending._log_ticks(1e-9, 1e9) == {"nticks": 6}


class TestFading:
    def test_the_more_expensive_an_input_the_more_it_must_promise_and_nothing_at_the_end(self) -> None:
        spec = spending.fading_cost(sample())
        *lines, now = spec["data"]
        assert [line["name"] for line in lines] == ["input 0", "input 1", "input 2"]
        for expensive, cheap in itertools.pairwise(lines):
            assert all(a >= b for a, b in zip(expensive["y"], cheap["y"], strict=True))
        assert all(line["y"][0] > line["y"][-1] == 0.0 for line in lines)
        assert all((line["x"][0], line["x"][-1]) == (0.0, 100.0) for line in lines)
        assert title_of(spec) == "share of the budget spent, %"
        assert now["name"] == "now"

    def test_now_is_where_the_budget_stands(self) -> None:
        record = sample()
        *_, now = spending.fading_cost(record)["data"]
        assert now["x"] == pytest.approx([100.0 * len(record.suggested) / 40] * 2)

    def test_hover_says_how_much_more(self) -> None:
        line, *_ = spending.fading_cost(sample())["data"]
        assert re.match(
            r"0 % spent: at its expensive end input 0 must promise [\d.]+ times as much as the cheapest trial",
            line["hovertext"][0],
        )

    @pytest.mark.parametrize(
        ("options", "note"),
        [
            ({"cost": None}, "This study is not cost-aware"),
            ({"cost": LearnedCost()}, "No input is known to change the cost yet"),
            ({"thrift": 0.0}, "Thrift is 0, so cost decides nothing"),
            (
                {"cost": PaperCost("input 0 > input 1"), "method": "paper"},
                "With the paper's method cost fades by Eq. 8, not by the budget",
            ),
        ],
        ids=["no cost", "nothing learned", "no thrift", "paper"],
    )
    def test_where_nothing_fades_the_figure_says_why(self, options: dict[str, Any], note: str) -> None:
        record = sample(2, 3, 5)
        assert note_of(spending.fading_cost(Record(replace(record.plan, **options), record.trials))) == note


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
