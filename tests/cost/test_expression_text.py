from __future__ import annotations

import contextlib
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from camobo.cost.expression_text import (
    DEEPEST,
    LONGEST,
    Choice,
    Mention,
    Number,
    Operation,
    names_in,
    quoted,
    read,
    spelled,
)
from camobo.errors import InvalidOptionError
from tests.support.strategies import label, law, marked, names

PIECES = [
    *"+-*/^(),<>= \n\t'\"`%!x2.é",
    "**",
    "1e9",
    "wc",
    "min(",
    "if(",
    "log(",
    " and ",
    " or ",
    " not ",
    "true",
    "<>",
]
formulas = st.text(max_size=60) | st.lists(st.sampled_from(PIECES), max_size=40).map("".join)
"""Texts of all kinds, of which some are formulas."""


def postfix(text: str) -> str:
    """The steps in short: "1 x +" for "1 + x"."""
    words = []
    for step in read(text):
        if isinstance(step, Number):
            words.append(f"{step.value:g}")
        elif isinstance(step, Operation):
            words.append(step.sign if step.count == 2 else f"{step.sign}{step.count}")
        else:
            words.append(step.name if isinstance(step, Mention) else quoted(step.value))
    return " ".join(words)


def refusal(text: str) -> str:
    with pytest.raises(InvalidOptionError) as caught:
        read(text)
    return str(caught.value)


class TestReading:
    @pytest.mark.parametrize(
        ("text", "steps"),
        [
            ("1 + 2 * x", "1 2 x * +"),
            ("(1 + 2) * x", "1 2 + x *"),
            ("a - b - c", "a b - c -"),
            ("a / b * c", "a b / c *"),
            ("2 ^ 3 ^ x", "2 3 x ^ ^"),
            ("-x ^ 2", "x 2 ^ negative1"),
            ("2 ^ -x ^ 3 * 4", "2 x 3 ^ negative1 ^ 4 *"),
            ("a * -b + c", "a b negative1 * c +"),
            ("--x", "x negative1 negative1"),
            ("-2", "-2"),
            ("-2 ^ 2", "2 2 ^ negative1"),
            ("min(a, b, c + 1)", "a b c 1 + min3"),
            ("if(a < 1 and not b > 2 or c == 3, 1, 0)", "a 1 < b 2 > not1 and c 3 == or 1 0 if3"),
            ("not not a + 1 < b", "a 1 + b < not1 not1"),
            ("log10(exp(x))", "x exp1 log101"),
        ],
        ids=label,
    )
    def test_operators_bind_as_in_arithmetic(self, text: str, steps: str) -> None:
        assert postfix(text) == steps

    @pytest.mark.parametrize(
        ("text", "plain"),
        [
            ("x**2", "x ^ 2"),
            ("if(q='oil',1,0)", 'if(q == "oil", 1, 0)'),
            ("IF(a<1 AND NOT b>2,MIN(a,b),0)", "if(a < 1 and not b > 2, min(a, b), 0)"),
            ("\n\t x\n  +\u00a0y ", "x + y"),
            ("if(v == TRUE, 1, 0)", "if(v == true, 1, 0)"),
            ("`x` + .5 + 5. + 5E-1", "x + 0.5 + 5 + 0.5"),
        ],
        ids=label,
    )
    def test_other_ways_to_write_the_same(self, text: str, plain: str) -> None:
        assert postfix(text) == postfix(plain)

    def test_a_function_can_share_its_name_with_an_input(self) -> None:
        assert postfix("log(log) + exp") == "log log1 exp +"

    def test_long_chains_need_no_deep_stack(self) -> None:
        assert len(read("-" * (LONGEST - 1) + "x")) == LONGEST
        assert len(read("2^" * (LONGEST // 2 - 1) + "x")) == LONGEST - 1
        assert len(read("(" * DEEPEST + "x" + ")" * DEEPEST)) == 1

    @law
    @given(names(most=5))
    def test_a_spelled_name_is_read_as_that_name(self, listed: list[str]) -> None:
        text = " + ".join(map(spelled, listed))
        assert names_in(text) == tuple(listed)

    @law
    @given(st.text(max_size=8) | st.sampled_from(["and", "NOT", "true", "min", "if", "`", "``", "a`b", " x"]))
    def test_every_name_can_be_spelled_and_every_choice_quoted(self, text: str) -> None:
        assert names_in(spelled(text)) == (text,)
        assert read(quoted(text)) == (Choice(text, 0),)

    def test_names_are_listed_once_in_the_order_they_appear(self) -> None:
        assert names_in("b * a + max(b, `nickel %`) + if(quench == 'a', exp, 1)") == (
            "b",
            "a",
            "nickel %",
            "quench",
            "exp",
        )


WRONG = [
    ("0.36 * ", "", ["need a number or an input after '*', got the end"]),
    ("", "", ["need a number or an input, got the end", "Example"]),
    ("  \n", "", ["need a number or an input, got the end"]),
    ("= wc * 2", "= wc * 2", ["need a number or an input, got '='", "Example"]),
    ("wc + * 2", "* 2", ["need a number or an input after '+', got '*'"]),
    ("wc + and", "and", ["after '+', got 'and'"]),
    ("+wc", "+wc", ["need a number or an input, got '+'"]),
    ("2 wc", "wc", ["need an operator such as + or * after '2', got 'wc'", "To multiply write *"]),
    ("(a)(b)", "(b)", ["need an operator", "after ')', got '('", "To multiply"]),
    ("wc 'oil'", "'oil'", ["need an operator", "after 'wc'"]),
    ("1.2.3", ".3", ["need an operator", "after '1.2', got '.3'"]),
    ("log(1, 2)", "log(1, 2)", ["'log' takes 1 argument, got 2"]),
    ("1 + log()", "log()", ["'log' takes 1 argument, got none"]),
    ("if(a < 1, 2)", "if(a < 1, 2)", ["'if' takes 3 arguments, got 2"]),
    ("min(a)", "min(a)", ["'min' takes 2 arguments or more, got 1"]),
    ("min(a,)", ")", ["need a number or an input after ',', got ')'"]),
    ("()", ")", ["need a number or an input after '(', got ')'"]),
    ("lob(a)", "lob(a)", ["unknown function 'lob'", "The functions are abs, exp"]),
    ("sqr(a)", "sqr(a)", ["unknown function 'sqr'", "Did you mean 'sqrt'?"]),
    ("1 + ln(a)", "ln(a)", ["unknown function 'ln'", "Write log instead"]),
    ("wc(2)", "wc(2)", ["unknown function 'wc'", "To multiply write *"]),
    ("(a + (b", "(b", ["'(' is never closed"]),
    ("min(a, b", "(a, b", ["'(' is never closed"]),
    ("a + b)", ")", ["')' has no '(' before it"]),
    ("0,5 * wc", ",5 * wc", ["a comma separates the arguments of a function", "written with a point"]),
    ("max(1, (2, 3))", ", 3))", ["a comma separates the arguments"]),
    ("a < b <= c", "<= c", ["comparisons cannot be chained", "a < b and b < c"]),
    ("a = b = c", "= c", ["comparisons cannot be chained"]),
    ("q == 'oil", "'oil", ["the quote ' is never closed"]),
    ("`nickel % + 1", "`nickel % + 1", ["the quote ` is never closed"]),
    ("nickel % * 2", "% * 2", ["got '%'", "`backquotes`"]),
    ("a <> b", "<> b", ["got '<>'", "Write != instead"]),
    ("a && b", "&& b", ["got '&&'", "Write and instead"]),
    ("a ! b", "! b", ["got '!'", "Write not instead"]),
    ("a − 1", "− 1", ["Write - instead"]),
    ("q == “oil”", "“oil”", ['Write " instead']),
    ("1e400", "1e400", ["need a number below 1.8e308"]),
    ("(" * 51, "(", ["need at most 50 brackets inside one another"]),
    ("a +\n\tb c", "c", ["need an operator"]),
]


class TestRefusing:
    @pytest.mark.parametrize(("text", "place", "said"), WRONG, ids=[label(row[0]) for row in WRONG])
    def test_a_text_that_is_not_a_formula_shows_where(self, text: str, place: str, said: list[str]) -> None:
        message = refusal(text)
        assert message.startswith("formula: ")
        assert all(words in message for words in said), message
        assert marked(message) == place

    def test_a_long_formula_is_shown_around_the_place(self) -> None:
        message = refusal("1 + " * 100 + "% + " + "1 + " * 100 + "1")
        assert marked(message).startswith("% + 1 + 1")
        assert max(map(len, message.splitlines())) < 140
        assert message.count("…") == 2

    def test_a_formula_is_text_of_limited_length(self) -> None:
        assert "need text such as" in refusal(3)  # type: ignore[arg-type]
        assert "need at most 2000 characters, got 2001" in refusal("1" * 2001)

    @law
    @given(formulas)
    def test_any_text_is_read_or_refused_on_lines_that_a_terminal_can_show(self, text: str) -> None:
        try:
            read(text)
        except InvalidOptionError as error:
            first, *rest = str(error).split("\n")
            assert first.isprintable()
            assert rest[1].strip() == "^"
            assert len(rest) == 2
            assert rest[0].isprintable()

    @pytest.mark.parametrize(
        "piece",
        ["(", "-", "1", "x ", "`", '"', "'", "1.", "1e", "not ", "2^", "x+", "-(", "min(", " ", "x  ", '""', "a<", "é"],
    )
    @pytest.mark.parametrize("last", ["", "1", "%", "("])
    def test_the_longest_text_takes_a_blink(self, piece: str, last: str) -> None:
        text = (piece * LONGEST)[: LONGEST - len(last)] + last
        start = time.process_time()
        with contextlib.suppress(InvalidOptionError):
            read(text)
        assert time.process_time() - start < 0.2
