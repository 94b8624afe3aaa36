from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from camobo.cost.order_text import check_name, place_of, read_order
from camobo.errors import InvalidOrderError
from tests.support.strategies import Stated, label, law, marked, names, stated_orders


def closure(stated: Stated) -> tuple[set[tuple[str, str]], set[tuple[str, str]]]:
    """What follows from the stated comparisons, by brute force: pairs (more expensive, cheaper), and tied pairs."""
    tied = {(name, name) for name in stated.names}
    above: set[tuple[str, str]] = set()
    for a, sign, b in stated.relations:
        if sign == "=":
            tied |= {(a, b), (b, a)}
        else:
            above.add((a, b))
    while True:
        more_tied = {(a, d) for a, b in tied for c, d in tied if b == c}
        weak = tied | above
        more_above = {(a, d) for a, b in weak for c, d in weak if b == c and not {(a, b), (c, d)} <= tied}
        if more_tied <= tied and more_above <= above:
            return above, tied
        tied |= more_tied
        above |= more_above


class TestReading:
    @law
    @given(stated_orders())
    def test_a_text_means_what_follows_from_its_comparisons_and_nothing_more(self, stated: Stated) -> None:
        above, tied = closure(stated)
        groups, pairs = read_order(stated.text)
        assert {(a, b) for group in groups for a in group for b in group} == tied
        assert {(a, b) for i, j in pairs for a in groups[i] for b in groups[j]} == above

    @law
    @given(stated_orders())
    def test_groups_stand_in_the_order_of_their_first_name_and_hold_each_name_once(self, stated: Stated) -> None:
        groups, _ = read_order(stated.text)
        assert sorted(name for group in groups for name in group) == sorted(stated.names)
        firsts = [min(stated.names.index(name) for name in group) for group in groups]
        assert firsts == sorted(firsts)

    def test_blanks_and_lines_do_not_matter_but_a_name_may_hold_a_blank(self) -> None:
        groups, above = read_order("  iron ore>coke\n,\tlime = chalk ")
        assert (groups, above) == read_order("iron ore > coke, lime = chalk")
        assert groups == (("iron ore",), ("coke",), ("lime", "chalk"))


def refusal(text: str) -> str:
    with pytest.raises(InvalidOrderError) as caught:
        read_order(text)
    return str(caught.value)


CONTRADICTIONS = [
    ("a > b, b > a", "a", ["'b' cannot be more expensive than 'a'", "'a' > 'b'"]),
    ("a > b > c > a", "a", ["'c' cannot be more expensive than 'a'", "'a' > 'c'"]),
    ("a > b, c > d, d > a, b > c", "c", ["'b' cannot be more expensive than 'c'", "'c' > 'b'"]),
    ("a > b = c > a", "a", ["'c' cannot be more expensive than 'a'", "'a' > 'c'"]),
    ("a > b, a = b", "b, a = b", ["'a' cannot be more expensive than 'b'", "'a' = 'b'"]),
    ("a = b = c, x > y, c > a", "a", ["'c' cannot be more expensive than 'a'", "'c' = 'a'"]),
    ("a > b, c = a, b = d, d > c", "c", ["'d' cannot be more expensive than 'c'", "'c' > 'd'"]),
    ("a > a", "a", ["'a' is compared with itself"]),
    ("b > c, a = a", "a", ["'a' is compared with itself"]),
    ("bb > a > bb", "bb", ["'a' cannot be more expensive than 'bb'", "'bb' > 'a'"]),
]
MISSPELT = [
    ("", "", ["expected an input's name", "the text ends", "Example"]),
    ("   ", "", ["expected an input's name", "the text ends"]),
    ("a >", "", ["expected an input's name", "the text ends"]),
    ("a > b,", "", ["expected an input's name", "the text ends"]),
    ("a = ", "", ["expected an input's name", "the text ends"]),
    ("> a", "> a", ["expected an input's name, got '>'"]),
    (", a", ", a", ["expected an input's name, got ','"]),
    ("a > > b", "> b", ["expected an input's name, got '>'"]),
    ("a >= b", "= b", ["expected an input's name, got '='"]),
    ("a > b,, c", ", c", ["expected an input's name, got ','"]),
    ("a < b", "< b", ["got '<'", "more expensive input first", "'>'"]),
    ("nickel > chromium < iron", "< iron", ["got '<'", "more expensive input first"]),
    ("a > <b", "<b", ["got '<'"]),
]


class TestRefusing:
    @pytest.mark.parametrize(("text", "place", "said"), CONTRADICTIONS, ids=[row[0] for row in CONTRADICTIONS])
    def test_an_order_that_contradicts_itself_shows_where(self, text: str, place: str, said: list[str]) -> None:
        message = refusal(text)
        assert all(words in message for words in said), message
        assert text in message
        assert marked(message) == place

    @pytest.mark.parametrize(("text", "place", "said"), MISSPELT, ids=[repr(row[0]) for row in MISSPELT])
    def test_an_order_that_cannot_be_read_shows_where(self, text: str, place: str, said: list[str]) -> None:
        message = refusal(text)
        assert all(words in message for words in said), message
        assert marked(message) == place

    def test_the_caret_stands_in_the_right_column_of_a_text_of_several_lines(self) -> None:
        assert marked(refusal("a > b,\n\tb > c,\nc > a")) == "a"

    @law
    @given(stated_orders(), st.data())
    def test_turning_round_what_follows_is_always_a_contradiction(self, stated: Stated, data: st.DataObject) -> None:
        above, _ = closure(stated)
        assume(above)
        a, b = data.draw(st.sampled_from(sorted(above)))
        sign = data.draw(st.sampled_from([">", "="]))
        message = refusal(f"{stated.text}, {b} {sign} {a}")
        assert "cannot be more expensive than" in message
        assert sign == "=" or marked(message) == a


class TestNames:
    @law
    @given(names(most=6))
    def test_a_name_that_passes_the_check_can_be_read_and_found(self, listed: list[str]) -> None:
        text = " > ".join(listed)
        for name in listed:
            check_name(name)
            assert text[place_of(name, text) :].startswith(name)
        assert read_order(text)[0] == tuple((name,) for name in listed)

    @pytest.mark.parametrize("name", ["a>b", "a,b", "a = b", "<", "", " ", " a", "a\n"], ids=label)
    def test_a_name_the_language_cannot_express_is_refused_with_what_to_do(self, name: str) -> None:
        with pytest.raises(InvalidOrderError, match=r"cannot be written in an order.*Rename the input") as caught:
            check_name(name)
        assert repr(name) in str(caught.value)

    def test_a_name_is_not_found_inside_a_longer_one(self) -> None:
        assert place_of("iron", "pig iron > iron ore > iron") == 22
