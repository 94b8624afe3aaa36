from __future__ import annotations

from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from camobo.errors import InvalidOrderError
from camobo.order import Order
from strategies import Stated, label, law, names, stated_orders


def closure(stated: Stated) -> tuple[set[tuple[str, str]], set[tuple[str, str]]]:
    """What follows from the stated comparisons, by brute force: the pairs dearer than, and the pairs tied."""
    tied = {(name, name) for name in stated.names}
    dearer: set[tuple[str, str]] = set()
    for a, sign, b in stated.relations:
        if sign == "=":
            tied |= {(a, b), (b, a)}
        else:
            dearer.add((a, b))
    while True:
        more_tied = {(a, d) for a, b in tied for c, d in tied if b == c}
        weak = tied | dearer
        more_dearer = {(a, d) for a, b in weak for c, d in weak if b == c and not {(a, b), (c, d)} <= tied}
        if more_tied <= tied and more_dearer <= dearer:
            return dearer, tied
        tied |= more_tied
        dearer |= more_dearer


def meaning(order: Order) -> tuple[set[str], set[tuple[str, str]], set[tuple[str, str]]]:
    dearer = {(a, b) for a in order.names for b in order.names if order.dearer(a, b)}
    return set(order.names), dearer, {(a, b) for group in order.groups for a in group for b in group}


class TestReading:
    @law
    @given(stated_orders(), st.data())
    def test_among_some_of_its_names_an_order_says_what_it_said(self, stated: Stated, data: st.DataObject) -> None:
        some = data.draw(st.lists(st.sampled_from(stated.names), unique=True))
        _, dearer, tied = meaning(Order.parse(stated.text))
        kept = Order.parse(stated.text).among([*some, "not in it"])
        if kept is None:
            assert some == []
            return
        expected = [{(a, b) for a, b in pairs if a in some and b in some} for pairs in (dearer, tied)]
        assert meaning(kept) == (set(some), *expected)

    @law
    @given(stated_orders())
    def test_an_order_means_what_follows_from_its_comparisons_and_nothing_more(self, stated: Stated) -> None:
        dearer, tied = closure(stated)
        assert meaning(Order.parse(stated.text)) == (set(stated.names), dearer, tied)

    @law
    @given(stated_orders())
    def test_an_order_printed_and_read_again_means_the_same(self, stated: Stated) -> None:
        order = Order.parse(stated.text)
        assert meaning(Order.parse(str(order))) == meaning(order)

    @law
    @given(stated_orders())
    def test_names_stand_group_by_group_and_each_once(self, stated: Stated) -> None:
        order = Order.parse(stated.text)
        assert order.names == tuple(name for group in order.groups for name in group)
        assert sorted(order.names) == sorted(stated.names)
        firsts = [min(stated.names.index(name) for name in group) for group in order.groups]
        assert firsts == sorted(firsts)

    @law
    @given(names(most=8))
    def test_a_sequence_is_a_chain_dearest_first(self, chain: list[str]) -> None:
        assert Order.parse(chain) == Order.parse(" > ".join(chain)) == Order.parse(tuple(chain))

    def test_an_order_is_read_as_itself(self) -> None:
        order = Order.parse("a > b")
        assert Order.parse(order) is order

    def test_blanks_and_lines_do_not_matter_but_a_name_may_hold_a_blank(self) -> None:
        assert Order.parse("  iron ore>coke\n,\tlime = chalk ") == Order.parse("iron ore > coke, lime = chalk")
        assert Order.parse("iron ore > coke").names == ("iron ore", "coke")

    def test_comparisons_carry_through_ties_and_across_chains_but_not_between_them(self) -> None:
        order = Order.parse("a > b = c, c > d, x > y")
        assert order.dearer("a", "d")
        assert order.dearer("b", "d")
        assert not order.dearer("d", "a")
        assert not order.dearer("b", "c")
        assert not order.dearer("a", "y")
        assert not order.dearer("y", "a")

    def test_asking_about_an_unknown_name_is_an_error_that_lists_the_known(self) -> None:
        with pytest.raises(InvalidOrderError, match=r"no input called 'c'.*a, b"):
            Order.parse("a > b").dearer("a", "c")


def refusal(text: Any) -> str:
    with pytest.raises(InvalidOrderError) as caught:
        Order.parse(text)
    assert isinstance(caught.value, ValueError)
    return str(caught.value)


def marked(message: str) -> str:
    """What stands above and after the caret: `a` where it shows the end of `c > a`, nothing at the end of the text."""
    lines = message.splitlines()
    (at,) = [i for i, line in enumerate(lines) if line.strip() == "^"]
    return lines[at - 1][lines[at].index("^") :].rstrip()


CONTRADICTIONS = [
    ("a > b, b > a", "a", ["'b' cannot be dearer than 'a'", "'a' > 'b'"]),
    ("a > b > c > a", "a", ["'c' cannot be dearer than 'a'", "'a' > 'c'"]),
    ("a > b, c > d, d > a, b > c", "c", ["'b' cannot be dearer than 'c'", "'c' > 'b'"]),
    ("a > b = c > a", "a", ["'c' cannot be dearer than 'a'", "'a' > 'c'"]),
    ("a > b, a = b", "b, a = b", ["'a' cannot be dearer than 'b'", "'a' = 'b'"]),
    ("a = b = c, x > y, c > a", "a", ["'c' cannot be dearer than 'a'", "'c' = 'a'"]),
    ("a > b, c = a, b = d, d > c", "c", ["'d' cannot be dearer than 'c'", "'c' > 'd'"]),
    ("a > a", "a", ["'a' is compared with itself"]),
    ("b > c, a = a", "a", ["'a' is compared with itself"]),
    ("bb > a > bb", "bb", ["'a' cannot be dearer than 'bb'", "'bb' > 'a'"]),
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
    ("a < b", "< b", ["got '<'", "dearer input first", "'>'"]),
    ("nickel > chromium < iron", "< iron", ["got '<'", "dearer input first"]),
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
        dearer, _ = closure(stated)
        assume(dearer)
        a, b = data.draw(st.sampled_from(sorted(dearer)))
        sign = data.draw(st.sampled_from([">", "="]))
        message = refusal(f"{stated.text}, {b} {sign} {a}")
        assert "cannot be dearer than" in message
        assert sign == "=" or marked(message) == a

    @pytest.mark.parametrize("given", [None, 3, 2.5, {"a": 1}, {"a", "b"}, ["a", 1], ["a", None]], ids=label)
    def test_what_is_neither_text_nor_names_is_refused_with_an_example(self, given: Any) -> None:
        message = refusal(given)
        assert repr(given) in message
        assert '"nickel > chromium"' in message

    def test_an_empty_list_is_refused_with_what_to_use_instead(self) -> None:
        assert "leave the cost out" in refusal([])

    def test_a_list_that_names_an_input_twice_shows_where(self) -> None:
        assert marked(refusal(["alpha", "beta", "alpha"])) == "alpha"
        assert marked(refusal(["x", "beta", "beta"])) == "beta"

    @pytest.mark.parametrize("name", ["a>b", "a,b", "a = b", "<", "", " ", " a"], ids=label)
    def test_a_list_with_a_name_the_language_cannot_write_is_refused_by_name(self, name: str) -> None:
        assert repr(name) in refusal(["c", name])


THREE = (("a",), ("b",), ("c",))
BAD_ORDERS: dict[str, tuple[Any, Any, str]] = {
    "no groups": ((), frozenset(), "at least one input"),
    "an empty group": ((("a",), ()), frozenset(), "tuple of tuples of names"),
    "a list of groups": ([("a",)], frozenset(), "tuple of tuples of names"),
    "texts for groups": (("a", "b"), frozenset(), "tuple of tuples of names"),
    "a name twice": ((("a",), ("b", "a")), frozenset(), "'a' is in its groups twice"),
    "a name that is a number": (((1,),), frozenset(), "a name must be text that is not blank"),
    "a blank name": ((("a",), (" ",)), frozenset(), "a name must be text that is not blank"),
    "a set of pairs": (THREE, {(0, 1)}, "above must be a frozenset"),
    "a group there is not": (THREE, frozenset({(0, 3)}), r"from 0 to 2, got \(0, 3\)"),
    "a group from the end": (THREE, frozenset({(0, -1)}), r"from 0 to 2, got \(0, -1\)"),
    "half a group": (THREE, frozenset({(0, 1.0)}), r"from 0 to 2, got \(0, 1\.0\)"),
    "three of a pair": (THREE, frozenset({(0, 1, 2)}), r"pairs \(i, j\).*got \(0, 1, 2\)"),
    "names for numbers": (THREE, frozenset({("a", "b")}), r"pairs \(i, j\).*got \('a', 'b'\)"),
    "a group above itself": (THREE, frozenset({(1, 1)}), "'b' is compared with itself"),
    "two above each other": (THREE, frozenset({(0, 1), (1, 0)}), "'a' cannot be dearer than 'b' and the other way"),
    "three in a circle": (
        THREE,
        frozenset((i, j) for i in range(3) for j in range(3) if i != j),
        "'a' cannot be dearer than 'b' and the other way round",
    ),
    "what follows left out": (THREE, frozenset({(0, 1), (1, 2)}), r"\(0, 1\) and \(1, 2\) without \(0, 2\)"),
}


class TestMaking:
    @pytest.mark.parametrize(("groups", "above", "said"), BAD_ORDERS.values(), ids=BAD_ORDERS.keys())
    def test_an_order_that_cannot_be_is_refused_when_it_is_made(self, groups: Any, above: Any, said: str) -> None:
        with pytest.raises(InvalidOrderError, match=f"^order: .*{said}"):
            Order(groups, above)

    def test_a_name_that_the_language_cannot_write_is_refused_when_the_order_is_written_down(self) -> None:
        order = Order((("a > b",), ("c",)))
        with pytest.raises(InvalidOrderError, match="'a > b' cannot be written"):
            _ = order.spelled

    @law
    @given(stated_orders(most=8))
    def test_what_was_read_can_be_made_and_its_text_must_say_the_same(self, stated: Stated) -> None:
        order = Order.parse(stated.text)
        made = Order(order.groups, order.above)
        assert made == order
        assert Order.parse(made.spelled) == order
        assert Order(order.groups, order.above, stated.text).spelled == stated.text
        with pytest.raises(InvalidOrderError, match="text must say what groups and above say"):
            Order(order.groups, order.above, f"{stated.text}, one more")


class TestColumns:
    @law
    @given(stated_orders(), st.data())
    def test_columns_find_the_inputs_of_the_order_in_the_space(self, stated: Stated, data: st.DataObject) -> None:
        order = Order.parse(stated.text)
        of_space = data.draw(st.permutations([*stated.names, "something else"]))
        assert [of_space[j] for j in order.columns(of_space)] == list(order.names)

    @law
    @given(stated_orders(), st.data())
    def test_an_input_the_space_lacks_is_shown_by_name_and_place(self, stated: Stated, data: st.DataObject) -> None:
        order = Order.parse(stated.text)
        lacking = data.draw(st.sampled_from(stated.names))
        of_space = [name for name in stated.names if name != lacking] + ["other"]
        with pytest.raises(InvalidOrderError) as caught:
            order.columns(of_space)
        message = str(caught.value)
        assert f"{lacking!r} is not an input" in message
        assert f"The space has {', '.join(of_space)}" in message
        from_caret = marked(message.split("\nThe space has")[0])
        assert from_caret.startswith(lacking)
        assert from_caret[len(lacking) :].lstrip()[:1] in ("", ">", "=", ",")

    def test_the_caret_is_not_misled_by_a_longer_name_that_holds_the_missing_one(self) -> None:
        with pytest.raises(InvalidOrderError) as caught:
            Order.parse("pig iron ore > iron ore > iron").columns(["pig iron ore", "iron ore"])
        assert marked(str(caught.value)) == "iron"
