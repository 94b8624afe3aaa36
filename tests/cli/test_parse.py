from __future__ import annotations

import contextlib
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

import camobo as cm
from camobo.cli import parse
from camobo.errors import Advice
from tests.support.strategies import law


class TestNumbers:
    @law
    @given(st.floats(allow_nan=False, allow_infinity=False, allow_subnormal=False), st.sampled_from(["", " ", "\t"]))
    def test_a_number_as_python_writes_it_comes_back(self, value: float, space: str) -> None:
        assert parse.number("here", f"{space}{value!r}{space}") == value
        assert parse.number("here", repr(value).replace("-", "\N{MINUS SIGN}")) == value

    @pytest.mark.parametrize(
        ("text", "said"),
        [
            ("", "need a finite number such as 0.31, got nothing."),
            ("  ", "got nothing."),
            ("nan", "need a finite number such as 0.31, got 'nan'."),
            ("inf", "need a finite number such as 0.31, got 'inf'."),
            ("1e999", "got '1e999', which is too large."),
            ("1e-400", "got '1e-400', which is too small to tell from 0. Write 0, or use other units."),
            ("512,5", "need a decimal point, not a comma, got '512,5'. Write 512.5."),
            ("1,5e3", "Write 1.5e3."),
            ("1,512", "Write 1512 or 1.512."),
            ("1,512.5", "Write 1512.5."),
            ("1'512", "Write 1512."),
            ("1 512", "Write 1512."),
            ("512MPa", "need a number without a unit, got '512MPa'. Write 512."),
            ("1.5 %", "Write 1.5."),
            ("=A1*2", "got '=A1*2', a formula without its value."),
            ("2026-04-03", "got '2026-04-03', a date, as spreadsheets make of 3.4."),
            ("5OO", "got '5OO', with the letter O. Write 500."),
            ("l2", "got 'l2', with the letter l. Write 12."),
            ("-1.Oe-l", "with the letter O and l. Write -1.0e-1."),
            ("oil", "need a finite number such as 0.31, got 'oil'."),
            ("1_000", "need a finite number such as 0.31, got '1_000'."),
            ("0x10", "need a finite number such as 0.31, got '0x10'."),
            ("٣", "need a finite number such as 0.31"),
            ("9" * 5000, "(5002 characters), which is too large."),
        ],
    )
    def test_anything_else_is_refused_with_what_to_write(self, text: str, said: str) -> None:
        with pytest.raises(cm.InvalidValueError) as caught:
            parse.number("here", text)
        assert str(caught.value).startswith("here: ")
        assert said in str(caught.value)

    @law
    @given(st.text())
    def test_no_text_does_anything_but_parse_or_be_refused(self, text: str) -> None:
        with contextlib.suppress(cm.InvalidValueError):
            assert math.isfinite(parse.number("here", text))

    def test_advice_goes_with_what_is_not_a_number_at_all(self) -> None:
        for text, advice in (("broken", Advice.FAIL), ("1,5", None)):
            with pytest.raises(cm.InvalidValueError) as caught:
                parse.number("here", text, advice=Advice.FAIL)
            assert caught.value.advice is advice

    def test_a_cost_is_at_least_zero_or_not_given(self) -> None:
        assert (parse.amount("--cost", None), parse.amount("--cost", "0"), parse.amount("--cost", "2.5")) == (
            None,
            0,
            2.5,
        )
        with pytest.raises(cm.InvalidValueError, match=r"--cost: need a number of at least 0, got '-1'\."):
            parse.amount("--cost", "-1")


class TestTrialNumbers:
    def test_several_are_read_once_each_in_order(self) -> None:
        assert parse.trial_numbers(["3", "1", " 3 ", "0"]) == [3, 1, 0]

    @pytest.mark.parametrize("text", ["", "one", "-1", "1.0", "1e3", "٣", "9" * 16])
    def test_what_is_not_a_trial_number_is_refused(self, text: str) -> None:
        with pytest.raises(cm.UnknownTrialError, match="trial: need a trial's number such as 3"):
            parse.trial_number(text)


class TestPairs:
    NAMES = ("strength", "salt spray", "a=b", " x ")

    def test_names_may_hold_spaces_and_equal_signs(self) -> None:
        found = parse.pairs(["salt spray=1", "a=b=2", " x =3", "strength =4"], self.NAMES)
        assert found == {"salt spray": 1.0, "a=b": 2.0, " x ": 3.0, "strength": 4.0}

    @pytest.mark.parametrize(
        ("texts", "said"),
        [
            (["512"], "values: need name=value such as strength=0.31, got '512'."),
            (["=3"], "got '=3'. Write it without spaces around the =."),
            (["strength", "=", "5"], "got 'strength'. Write it without spaces around the =."),
            (["strenght=5"], "values: unknown objective 'strenght'. Did you mean 'strength'? This study measures"),
            (["melt=5"], "values: unknown objective 'melt'. This study measures strength, salt spray"),
            (["strength=1", "strength=1"], "values: 'strength' is given twice. Give each objective once."),
            (["strength="], "objective 'strength': need a finite number such as 0.31, got nothing."),
            (["strength=cracked"], "To record a failed measurement use study.fail"),
        ],
    )
    def test_a_mistake_says_what_to_write(self, texts: list[str], said: str) -> None:
        with pytest.raises(cm.InvalidValueError) as caught:
            parse.pairs(texts, self.NAMES)
        assert said in str(caught.value)


class TestNames:
    def test_the_longest_known_name_counts_and_values_may_hold_equal_signs(self) -> None:
        for text, found in (
            ("a=b=1", ("a=b", "1")), ("a=c=1", ("a", "c=1")), (" a = 1", ("a", " 1")), ("a=", ("a", ""))
        ):  # fmt: skip
            assert parse.named("--fix", text, ["a", "a=b"]) == found

    @pytest.mark.parametrize("text", ["a", "=1", " =1", "b=1"])
    def test_anything_else_is_refused_with_its_place(self, text: str) -> None:
        with pytest.raises(cm.InvalidValueError, match=r"^--fix: (need name=value such as a=…|unknown name 'b')"):
            parse.named("--fix", text, ["a"])


class TestBudgets:
    @pytest.mark.parametrize(
        ("text", "found"),
        [
            ("80", {"trials": 80}), (" 80 trials ", {"trials": 80}), ("1 trial", {"trials": 1}), ("None", None),
            ("2000 EUR", {"cost": 2000.0, "unit": "EUR"}), ("2000.5€", {"cost": 2000.5, "unit": "€"}),
            ("2e3EUR", {"cost": 2000.0, "unit": "EUR"}), ("3 GPU hours", {"cost": 3.0, "unit": "GPU hours"}),
            ("60, 2000 EUR", {"trials": 60, "cost": 2000.0, "unit": "EUR"}),
            ("2000 EUR, 60 trials", {"cost": 2000.0, "unit": "EUR", "trials": 60}),
        ],
    )  # fmt: skip
    def test_a_budget_is_trials_or_money_or_both(self, text: str, found: dict[str, object] | None) -> None:
        assert parse.budget(text) == found

    @pytest.mark.parametrize(
        "text", ["", "EUR", "€ 2000", "80.5", "-5", "1e3", "2 000 EUR", "2000 EUR; 60", "60,", "2000 EUR 60"]
    )
    def test_anything_else_is_refused_with_examples(self, text: str) -> None:
        with pytest.raises(cm.InvalidOptionError, match='such as 80, an amount with its unit such as "2000 EUR"'):
            parse.budget(text)

    @pytest.mark.parametrize("text", ["2,000 EUR", "60,2000 EUR", "1,5 EUR"])
    def test_a_comma_inside_a_number_is_refused(self, text: str) -> None:
        with pytest.raises(cm.InvalidOptionError, match="with a decimal point and without separators"):
            parse.budget(text)

    @pytest.mark.parametrize(
        ("text", "said"), [("2.000 EUR", "2.000 may be 2 or 2000. Write"), ("60, 1.250 EUR", "1.25 or 1250")]
    )
    def test_a_point_that_may_separate_thousands_is_refused(self, text: str, said: str) -> None:
        with pytest.raises(cm.InvalidOptionError, match=said):
            parse.budget(text)

    def test_a_point_before_other_than_three_digits_is_a_decimal_point(self) -> None:
        assert parse.budget("2000.125 EUR, 60") == {"cost": 2000.125, "unit": "EUR", "trials": 60}
        assert parse.budget("0.125 EUR") == {"cost": 0.125, "unit": "EUR"}

    @pytest.mark.parametrize(("text", "said"), [("60, 80", "two numbers of trials"), ("1 EUR, 2 USD", "two amounts")])
    def test_two_of_a_kind_are_refused(self, text: str, said: str) -> None:
        with pytest.raises(cm.InvalidOptionError, match=said):
            parse.budget(text)


def test_a_price_with_its_currency_is_told_what_to_write() -> None:
    for text in ("13.9 EUR", "13.9EUR", "13.9 €"):
        with pytest.raises(cm.InvalidValueError, match=r"need a number without a unit, got .* Write 13\.9\."):
            parse.number("price", text)


class TestExpensiveEnds:
    def test_an_end_is_a_word_and_choices_are_a_list(self) -> None:
        found = parse.expensive_ends(["rate=low", "depth = high", "quench=vacuum, oil", "gas=argon"])
        assert found == {"rate": "low", "depth": "high", "quench": ["vacuum", "oil"], "gas": ["argon"]}

    @pytest.mark.parametrize("text", ["rate", "=low", "rate=", "quench=oil,,air", " =low"])
    def test_a_part_that_is_missing_is_refused(self, text: str) -> None:
        with pytest.raises(cm.InvalidOptionError, match="--expensive: need name=low, or name=choice,choice"):
            parse.expensive_ends([text])

    def test_a_name_given_twice_is_refused(self) -> None:
        with pytest.raises(cm.InvalidOptionError, match="--expensive: 'gas' is given twice"):
            parse.expensive_ends(["gas=argon", "gas=helium"])


@pytest.mark.parametrize(
    ("text", "found"), [(None, None), ("2h", "2h"), ("90", 90.0), (" 0.5 ", 0.5), ("soon", "soon")]
)
def test_a_bare_number_is_a_duration_in_seconds(text: str | None, found: str | float | None) -> None:
    assert parse.duration(text) == found


def test_options_that_exclude_each_other_are_refused() -> None:
    parse.at_most_one(sheet=True, json=False)
    with pytest.raises(cm.InvalidOptionError, match="--sheet and --json: give only one of them"):
        parse.at_most_one(sheet=True, json=True)
