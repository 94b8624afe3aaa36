from __future__ import annotations

import html
import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from camobo.cost.budget import Budget
from camobo.cost.formula import Formula
from camobo.insight.record import Record
from camobo.plot import style
from tests.support.hostile import HOSTILE
from tests.support.samples import sample
from tests.support.strategies import law


class TestUserText:
    @law
    @given(text=st.text() | st.text("<>&$;\\#/%{}abr") | st.sampled_from(HOSTILE))
    def test_escaped_text_reads_as_it_was_typed(self, text: str) -> None:
        assert html.unescape(style.safe(text, 10**6)) == style.visible(text)

    @pytest.mark.parametrize("text", HOSTILE[:70], ids=range(70))
    def test_visible_text_can_always_be_encoded(self, text: str) -> None:
        assert style.visible(text).encode()

    @law
    @given(text=st.text(), most=st.integers(1, 30))
    def test_safe_text_has_at_most_as_many_characters_as_asked(self, text: str, most: int) -> None:
        assert len(html.unescape(style.safe(text, most))) <= max(most, 1)


class TestColours:
    def test_the_most_expensive_is_warmest_ties_are_equal_and_unnamed_inputs_are_grey(self) -> None:
        expensive, tied, also, free = style.expense_colours([0.6, 0.2, 0.2, None])
        assert tied == also
        assert free == style.GREY
        assert int(expensive[1:3], 16) > int(expensive[5:7], 16)
        assert int(tied[1:3], 16) < int(tied[5:7], 16)

    def test_without_an_order_colours_distinguish_inputs(self) -> None:
        assert len(set(style.expense_colours([None] * 6))) == 6

    def test_a_single_weight_is_the_most_expensive(self) -> None:
        assert style.expense_colours([1.0]) == [style.EXPENSIVE_TO_CHEAP[0]]

    @law
    @given(position=st.floats(-1.0, 2.0))
    def test_a_blend_is_a_colour_between_both_ends(self, position: float) -> None:
        colour = style.blend(position)
        assert len(colour) == 7
        assert 0 <= int(colour[1:], 16) <= 0xFFFFFF
        if position <= 0.0 or position >= 1.0:
            assert colour == style.EXPENSIVE_TO_CHEAP[0 if position <= 0.0 else -1]


class TestNumbers:
    @pytest.mark.parametrize(
        ("value", "text"),
        [
            (0.0, "0"),
            (12.3456, "12.35"),
            (9999.4, "9999"),
            (12345.6, "12346"),
            (-12345.6, "-12346"),
            (1e7, "1e+07"),
            (1e-9, "1e-09"),
            (math.inf, style.TOO_LARGE),
            (math.nan, style.TOO_LARGE),
        ],
    )
    def test_a_number_is_short_and_an_overflow_is_named(self, value: float, text: str) -> None:
        assert style.number(value) == text

    def test_an_expected_amount_has_three_digits(self) -> None:
        assert [style.rough(value) for value in (5.9931, 141.72, 12345.6, math.inf)] == [
            "5.99",
            "142",
            "12300",
            style.TOO_LARGE,
        ]

    def test_only_floats_are_rounded(self) -> None:
        assert [style.shown(value) for value in (1 / 3, 123456, "oil", True)] == ["0.3333", "123456", "oil", "True"]

    def test_what_json_cannot_hold_becomes_a_gap(self) -> None:
        assert style.floats([1, math.nan, -math.inf]) == [1.0, None, None]


class TestLabels:
    def test_an_input_has_its_unit_and_a_choice_has_none(self) -> None:
        record = sample()
        assert style.input_label(record, "input 0") == "input 0 (%)"
        assert style.input_label(record, "input 1") == "input 1"
        assert style.unit_of(record, "input 1") == ""

    def test_an_objective_has_its_goal(self) -> None:
        assert style.objective_label(sample(), "objective 1") == "objective 1 (min)"

    def test_hover_says_whether_a_trial_is_on_the_front_failed_or_added(self) -> None:
        record = sample()
        on, failed, added = record.front[0], record.trials[9], record.trials[6]
        texts = style.hover(record, [on, failed, added])
        assert texts[0].startswith(f"trial {on.number} · on the front")
        assert texts[1].startswith("trial 9 · failed<br>")
        assert " · added<br>" in texts[2]

    def test_a_cost_is_what_was_paid_or_about_what_is_expected_or_a_multiple_of_the_cheapest_trial(self) -> None:
        record = sample(2, 3, 12)
        first, second, *_ = record.trials
        assert (style.cost_text(record, first) or "").endswith(" × the cheapest trial")
        priced = Record(
            replace(record.plan, cost=Formula("12.3456"), budget=Budget(cost=90, unit="<b>")),
            (replace(first, cost=41.567), second),
        )
        assert style.cost_text(priced, priced.trials[0]) == "41.57 &lt;b&gt;"
        assert style.cost_text(priced, second) == "≈ 12.3 &lt;b&gt;"
        assert style.cost_text(sample(cost=False), first) is None


class TestAxes:
    def test_few_whole_numbers_are_all_labelled(self) -> None:
        assert style.count_axis("trial", 12)["dtick"] == 1
        assert "dtick" not in style.count_axis("trial", 13)

    @pytest.mark.parametrize(
        ("name", "settings"),
        [
            ("input 0", {}),
            ("input 1", {"tickvals": [0, 1, 2], "ticktext": ["air", "oil", "water"], "range": [-0.5, 2.5]}),
            ("input 3", {"type": "log", "nticks": 6}),
        ],
    )
    def test_an_input_s_axis_is_linear_categorical_or_logarithmic(self, name: str, settings: style.Spec) -> None:
        assert style.ticks(sample(), name) == settings

    def test_a_figure_with_a_note_hides_its_axes(self) -> None:
        layout = style.figure("Front", [], note="No trial is complete yet", xaxis=style.axis("x"))["layout"]
        assert layout["xaxis"] == layout["yaxis"] == {"visible": False}
        assert layout["annotations"][0]["text"] == "No trial is complete yet"


def test_lines_are_joined_with_a_gap_after_each() -> None:
    assert style.with_gaps([[1, 2], [3]]) == [1, 2, None, 3, None]
