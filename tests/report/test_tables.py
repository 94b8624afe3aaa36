from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timezone
from typing import Any

import pytest

from camobo.cost.budget import Budget
from camobo.cost.ordered import OrderCost
from camobo.cost.prices import Prices
from camobo.history.trial import State, Trial
from camobo.insight.record import Record
from camobo.report import tables
from camobo.report.page import Html
from camobo.space.inputs import Categorical, Input, Integer, Real
from camobo.space.space import Space
from camobo.strategy.notes import Note, Reason
from camobo.strategy.plan import Plan
from tests.support.html_reader import Reader
from tests.support.samples import sample

PLAN = Plan(Space({"x": Real(0, 1, unit="%"), "quench": Categorical(["air", "<oil>"])}), {"y": "max"})


def cells(html: Html) -> list[list[str]]:
    """The text of a table, row by row, headings first."""
    rows = html.split("<tr>")[1:]
    ends = ("</th>", "</td>")
    return [
        [Reader(cell).whole_text for cell in row.split("</tr>")[0].replace(ends[1], ends[0]).split(ends[0])[:-1]]
        for row in rows
    ]


class TestTable:
    def test_it_can_be_scrolled_by_keyboard_and_has_a_name(self) -> None:
        (name, attributes), *_ = Reader(tables.table("Inputs & more", ["a"], [["1"]])).elements
        assert name == "div"
        assert attributes == {"class": "scroll", "role": "region", "aria-label": "Inputs & more", "tabindex": "0"}

    def test_columns_are_numbers_unless_they_are_said_to_be_text(self) -> None:
        found = Reader(tables.table("t", ["a", "b"], [["1", "x"]], text=[1]))
        assert [a.get("class") for t, a in found.elements if t in ("th", "td")] == ["number", None] * 2


class TestTrials:
    def test_all_parameters_and_values_are_shown_with_units_and_goals(self) -> None:
        note = Note(Reason.EXPLORES)
        trial = Trial(3, {"x": 1 / 3, "quench": "<oil>"}, State.COMPLETE, {"y": 12345.678}, notes=(note,))
        assert cells(tables.trial_table(Record(PLAN, (trial,)), [trial], "t")) == [
            ["trial", "x %", "quench", "y max", "why chosen"],
            ["3", "0.3333", "<oil>", "12346", str(note)],
        ]

    def test_columns_nobody_filled_are_left_out_and_gaps_are_dashes(self) -> None:
        held = datetime(2030, 1, 2, 3, 4, tzinfo=timezone.utc)
        full = Trial(
            0, {"x": 0.5, "quench": "air"}, State.COMPLETE, {"y": 1.0}, "a slip",
            cost=12.5, note="<b>too hot</b>", owner="Ann & Bo", expires=held, amended=True,
        )  # fmt: skip
        bare = Trial(1, {"x": 0.7, "quench": "air"})
        head, first, second = cells(tables.trial_table(Record(PLAN, (full, bare)), [full, bare], "t", reasons=True))
        assert head[4:] == ["cost", "owner", "held until", "note", "reason", "why chosen"]
        assert first[4:8] == ["12.5", "Ann & Bo", "2030-01-02 03:04 UTC", "<b>too hot</b>"]
        assert first[8:] == ["a slip", "amended: a slip"]
        assert second[3:] == ["–"] * 6 + [""]

    def test_costs_are_as_paid_or_about_as_expected_in_the_budget_s_unit(self) -> None:
        plan = replace(PLAN, cost=Prices({"x": 10}, per_trial=7.3456), budget=Budget(cost=90, unit="<EUR>"))
        params = {"x": 0.5, "quench": "air"}
        trials = (Trial(0, params, State.COMPLETE, {"y": 1.0}, cost=12.5), Trial(1, params))
        head, first, second = cells(tables.trial_table(Record(plan, trials), trials, "t"))
        assert (head[4], first[4], second[4]) == ("cost <EUR>", "12.5", "≈ 12.3")

    def test_of_an_order_alone_costs_are_multiples_of_the_cheapest_trial(self) -> None:
        record = Record(replace(PLAN, cost=OrderCost("x")), (Trial(0, {"x": 0.5, "quench": "air"}),))
        head, row = cells(tables.trial_table(record, record.trials, "t"))
        assert (head[3], row[3]) == ("cost × cheapest", "≈ 6")

    def test_before_anything_is_measured_there_are_no_value_columns(self) -> None:
        waiting = Trial(0, {"x": 0.5, "quench": "air"})
        (head, _) = cells(tables.trial_table(Record(PLAN, (waiting,)), [waiting], "t"))
        assert head == ["trial", "x %", "quench", "why chosen"]

    def test_numbers_are_right_aligned_and_text_is_not(self) -> None:
        trial = Trial(0, {"x": 0.5, "quench": "air"}, State.COMPLETE, {"y": 1.0}, cost=2.0, owner="Ann")
        found = Reader(tables.trial_table(Record(PLAN, (trial,)), [trial], "t"))
        kinds = [a.get("class") for t, a in found.elements if t == "th"]
        assert kinds == ["number", "number", None, "number", "number", None, None]

    def test_a_long_table_is_cut(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(tables, "MOST_ROWS", 3)
        record = sample()
        assert len(cells(tables.trial_table(record, record.trials, "t"))) == 1 + 3


class TestUse:
    def test_there_is_one_row_per_input_the_most_expensive_first(self) -> None:
        record = sample()
        head, *rows = cells(tables.use_table(record))
        assert head == ["input", "can add", "total", "mean level", "first half", "second half", "on the front"]
        assert [row[0] for row in rows] == ["input 0", "input 1", "input 2", "input 3"]

    def test_without_money_what_an_input_can_add_is_a_share_of_the_cheapest_trial(self) -> None:
        html = tables.use_table(sample())
        assert [row[1] for row in cells(html)[1:]] == ["+611 %", "+278 %", "+111 %", "–"]
        assert "the most that moving it alone adds to the cheapest trial, as a share of its cost." in html

    def test_with_prices_what_an_input_can_add_is_money(self) -> None:
        cost = Prices({"x": 10, "quench": {"<oil>": 2}}, per_trial=12)
        plan = replace(PLAN, cost=cost, budget=Budget(cost=90, unit="<EUR>"))
        record = Record(plan, (Trial(0, {"x": 0.25, "quench": "<oil>"}, State.COMPLETE, {"y": 1.0}),))
        html = tables.use_table(record)
        head, *rows = cells(html)
        assert head[1] == "can add <EUR>"
        assert [row[:3] for row in rows] == [["x", "+10", "0.25 %"], ["quench", "+2", "1 × <oil>"]]
        assert "the cheapest trial, which costs 12 <bdi>&lt;EUR&gt;</bdi>. Levels" in html

    def test_without_a_cost_nothing_is_said_to_add_to_it(self) -> None:
        html = tables.use_table(sample(cost=False))
        assert cells(html)[0][1] == "total"
        assert "add" not in html

    def test_numbers_are_summed_with_their_unit_and_choices_counted(self) -> None:
        plan = Plan(Space({"x": Real(0, 1, unit="%"), "c": Categorical([1, "1", True])}), {"y": "max"})
        params: list[dict[str, Any]] = [{"x": 0.25, "c": 1}, {"x": 0.5, "c": "1"}, {"x": 0.75, "c": 1}]
        record = Record(plan, tuple(Trial(i, p, State.FAILED) for i, p in enumerate(params)))
        _, numbers, choices = cells(tables.use_table(record))
        assert numbers == ["x", "1.5 %", " 0.50", "0.25", "0.62", "–"]
        assert choices == ["c", "2 × 1, 1 × 1", "–", "–", "–", "–"]

    def test_the_bar_is_as_long_as_the_level(self) -> None:
        plan = Plan(Space({"x": Real(0, 1)}), {"y": "max"})
        record = Record(plan, (Trial(0, {"x": 0.25}, State.COMPLETE, {"y": 1.0}),))
        html = tables.use_table(record)
        widths = [a["width"] for t, a in Reader(html).elements if t == "rect"]
        assert widths == ["100", "25.0"]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (Real(0, 20, unit="%"), ["real", "0 to 20 %", "high"]),
        (Real(1e-4, 10, log=True, expensive="low"), ["real, logarithmic", "0.0001 to 10", "low"]),
        (Real(0, 1, step=0.25), ["real, steps of 0.25", "0 to 1", "high"]),
        (Integer(1, 12, unit="h"), ["integer", "1 to 12 h", "high"]),
        (Categorical(["a", "b", "c"], expensive=["c", "b"]), ["choice", "a, b, c", "c, then b"]),
        (Categorical(["a", "<b>"]), ["choice", "a, <b>", "none"]),
    ],
    ids=lambda value: type(value).__name__,
)
def test_an_input_has_a_kind_a_range_and_an_expensive_end(given: Input, expected: list[str]) -> None:
    assert [Reader(f"<p>{cell}</p>").whole_text for cell in tables.input_cells(given)] == expected
