from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import camobo as cm
from camobo.cli.csv_cells import agrees, fact_of_param, facts_of, harmless, headings, original, read_param, written
from camobo.history.document import make_plan
from tests.support.cells import HOSTILE, RUN_AS_FORMULA
from tests.support.strategies import law


class TestFormulas:
    @law
    @given(st.text() | st.text(alphabet="'=+-@;\t\r\n \"aA1,|") | st.sampled_from(HOSTILE))
    def test_every_text_comes_back_and_none_is_run(self, text: str) -> None:
        marked = harmless(text)
        assert original(marked) == text
        for separator in (";", "\t", "\n", "\r"):
            for part in marked.split(separator):
                bare = part.lstrip(' \u00a0"')
                assert not bare.startswith(RUN_AS_FORMULA)

    def test_text_that_is_harmless_is_not_changed(self) -> None:
        for text in ("fine", "'twas", "a-b", "1+1", "50 %"):
            assert harmless(text) == text


class TestChoices:
    @pytest.mark.parametrize(
        "choices",
        [["air", "oil"], [1, 2], [0.1, 0.25], [True, False], [1, "1"], [None, "null", '"null"'], ["a", "a "],
         [True, 1, 1.0], HOSTILE],
    )  # fmt: skip
    def test_every_choice_comes_back_as_itself(self, choices: list[Any]) -> None:
        given_input = cm.Categorical(choices)
        for choice in given_input.choices:
            assert read_param("here", given_input, original(written(fact_of_param(given_input, choice)))) is choice

    def test_what_a_spreadsheet_makes_of_a_choice_is_understood(self) -> None:
        assert read_param("here", cm.Categorical([True, False]), "TRUE") is True
        assert read_param("here", cm.Categorical([0.5, 1.5]), "1.50") == 1.5
        assert read_param("here", cm.Categorical([0.5, 1.5]), "1,5") == 1.5
        assert read_param("here", cm.Categorical(["air", "oil"]), " Oil ") == "oil"

    @law
    @given(st.floats(-1e9, 1e9))
    def test_a_number_comes_back_to_its_last_digit(self, value: float) -> None:
        assert read_param("here", cm.Real(-1e9, 1e9), written(value)) == value


def test_columns_with_the_same_name_get_different_labels() -> None:
    space = cm.Space({"trial": cm.Real(0, 1), "note": cm.Real(0, 1), "input note": cm.Real(0, 1), "y": cm.Real(0, 1)})
    labels = [heading.label for heading in headings(make_plan(space, {"y": "max", "cost": "min"}, seed=1))]
    assert len(set(labels)) == len(labels)
    assert labels[:2] == ["trial", "state"]


@pytest.mark.parametrize(
    ("fact", "cell"), [(None, ""), (True, "true"), (False, "false"), (0.1 + 0.2, "0.30000000000000004"), ("=1", "'=1")]
)
def test_a_fact_is_written_as(fact: object, cell: str) -> None:
    assert written(fact) == cell


class TestReading:
    QUENCH = cm.Categorical(["air", "oil", "vacuum"])

    @pytest.mark.parametrize(
        ("given_input", "text", "said"),
        [
            (cm.Real(0, 20), " ", "here: need a number from 0 to 20, got an empty cell."),
            (cm.Real(0, 20), "21", "here: "),
            (cm.Real(0, 20), "1,5", "here: need a decimal point"),
            (cm.Integer(1, 12), "3.5", "here: need a whole number"),
            (QUENCH, "Vacum", "here: need one of air, oil, vacuum, got 'Vacum'. Did you mean 'vacuum'?"),
            (cm.Categorical([1, 2]), "one", "here: need one of 1, 2, got 'one'."),
            (cm.Categorical(["a", "a "]), "A", "here: need one of a, a , got 'A'."),
        ],
    )
    def test_a_mistake_names_the_place(self, given_input: Any, text: str, said: str) -> None:
        with pytest.raises(cm.InvalidValueError) as caught:
            read_param("here", given_input, text)
        assert said in str(caught.value)


class TestAgreeing:
    @law
    @given(st.floats(0, 1e4), st.integers(4, 17))
    def test_an_input_rounded_to_four_digits_or_more_is_still_the_trial_s(self, value: float, digits: int) -> None:
        assert agrees("here", cm.Real(0, 1e4), value, f"{value:#.{digits}g}")

    @pytest.mark.parametrize("text", ["1230", "1.23e3", "1236", "1234.4", "-1234.567"])
    def test_an_input_rounded_further_or_changed_is_not(self, text: str) -> None:
        assert not agrees("here", cm.Real(0, 1e4), 1234.567, text)
        assert not agrees("here", cm.Real(0, 20), 1.4, "1")

    def test_on_a_log_scale_the_slack_follows_the_value(self) -> None:
        rate = cm.Real(1e-6, 1, log=True)
        assert agrees("here", rate, 2e-6, "0.000002")
        assert not agrees("here", rate, 2e-6, "0.0000021")

    def test_a_choice_agrees_only_with_itself(self) -> None:
        assert agrees("here", cm.Categorical(["air", "oil"]), "oil", "OIL ")
        assert not agrees("here", cm.Categorical(["air", "oil"]), "oil", "air")


def test_a_trial_is_a_row_with_all_digits() -> None:
    plan = make_plan(cm.Space({"x": cm.Real(0, 1), "c": cm.Categorical([True, "=oil"])}), {"y": "max"}, seed=1)
    columns = headings(plan)
    trial = cm.Trial(3, {"x": 1 / 3, "c": "=oil"}, cm.State.COMPLETE, {"y": -0.1}, note="@me", added=True, cost=2.5)
    cells = {
        heading.label: written(fact) for heading, fact in zip(columns, facts_of(plan, trial, columns), strict=True)
    }
    assert cells == {
        "trial": "3", "state": "complete", "x": "0.3333333333333333", "c": "'=oil", "y": "-0.1", "cost": "2.5",
        "note": "'@me", "failed": "", "reason": "", "owner": "", "added": "yes",
    }  # fmt: skip


def test_a_title_has_its_unit_unless_another_column_is_called_that() -> None:
    space = cm.Space({"a": cm.Real(0, 1, unit="%"), "a (%)": cm.Real(0, 1), "b": cm.Integer(0, 9, unit="h")})
    titles = [heading.title for heading in headings(make_plan(space, {"y": "max"}, seed=1), ())]
    assert titles == ["a", "a (%)", "b (h)", "y"]
