from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from camobo.cost.order import Order
from camobo.errors import InvalidOrderError
from tests.support.strategies import Stated, label, law, marked, names, stated_orders


def meaning(order: Order) -> tuple[set[str], set[tuple[str, str]], set[tuple[str, str]]]:
    above = {(a, b) for a in order.names for b in order.names if order.costs_more(a, b)}
    return set(order.names), above, {(a, b) for group in order.groups for a in group for b in group}


class TestReading:
    @law
    @given(stated_orders(), st.data())
    def test_among_some_of_its_names_an_order_says_what_it_said(self, stated: Stated, data: st.DataObject) -> None:
        some = data.draw(st.lists(st.sampled_from(stated.names), unique=True))
        _, above, tied = meaning(Order.parse(stated.text))
        kept = Order.parse(stated.text).among([*some, "not in it"])
        if kept is None:
            assert some == []
            return
        expected = [{(a, b) for a, b in pairs if a in some and b in some} for pairs in (above, tied)]
        assert meaning(kept) == (set(some), *expected)

    @law
    @given(stated_orders())
    def test_an_order_printed_and_read_again_means_the_same(self, stated: Stated) -> None:
        order = Order.parse(stated.text)
        assert meaning(Order.parse(str(order))) == meaning(order)

    @law
    @given(stated_orders())
    def test_names_stand_group_by_group(self, stated: Stated) -> None:
        order = Order.parse(stated.text)
        assert order.names == tuple(name for group in order.groups for name in group)
        assert sorted(order.names) == sorted(stated.names)

    @law
    @given(names(most=8))
    def test_a_sequence_is_a_chain_most_expensive_first(self, chain: list[str]) -> None:
        assert Order.parse(chain) == Order.parse(" > ".join(chain)) == Order.parse(tuple(chain))

    def test_an_order_is_read_as_itself(self) -> None:
        order = Order.parse("a > b")
        assert Order.parse(order) is order

    def test_comparisons_carry_through_ties_and_across_chains_but_not_between_them(self) -> None:
        order = Order.parse("a > b = c, c > d, x > y")
        assert order.costs_more("a", "d")
        assert order.costs_more("b", "d")
        assert not order.costs_more("d", "a")
        assert not order.costs_more("b", "c")
        assert not order.costs_more("a", "y")
        assert not order.costs_more("y", "a")

    def test_asking_about_an_unknown_name_is_an_error_that_lists_the_known(self) -> None:
        with pytest.raises(InvalidOrderError, match=r"no input called 'c'\. The order names a, b"):
            Order.parse("a > b").costs_more("a", "c")


def refusal(text: Any) -> str:
    with pytest.raises(InvalidOrderError) as caught:
        Order.parse(text)
    assert isinstance(caught.value, ValueError)
    return str(caught.value)


class TestRefusing:
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
    "a name twice": ((("a",), ("b", "a")), frozenset(), "need every name once, got 'a' twice"),
    "a name that is a number": (((1,),), frozenset(), "a name must be text that is not blank"),
    "a blank name": ((("a",), (" ",)), frozenset(), "a name must be text that is not blank"),
    "a set of pairs": (THREE, {(0, 1)}, "above must be a frozenset"),
    "an unknown group": (THREE, frozenset({(0, 3)}), r"from 0 to 2, got \(0, 3\)"),
    "a group from the end": (THREE, frozenset({(0, -1)}), r"from 0 to 2, got \(0, -1\)"),
    "half a group": (THREE, frozenset({(0, 1.0)}), r"from 0 to 2, got \(0, 1\.0\)"),
    "three of a pair": (THREE, frozenset({(0, 1, 2)}), r"pairs \(i, j\).*got \(0, 1, 2\)"),
    "names for numbers": (THREE, frozenset({("a", "b")}), r"pairs \(i, j\).*got \('a', 'b'\)"),
    "a group above itself": (THREE, frozenset({(1, 1)}), "'b' is compared with itself"),
    "two above each other": (
        THREE,
        frozenset({(0, 1), (1, 0)}),
        "'a' cannot be both more expensive and cheaper than 'b'",
    ),
    "three in a circle": (
        THREE,
        frozenset((i, j) for i in range(3) for j in range(3) if i != j),
        "'a' cannot be both more expensive and cheaper than 'b'",
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
        with pytest.raises(InvalidOrderError, match="text must say the same as groups and above"):
            Order(order.groups, order.above, f"{stated.text}, one more")


class TestReversed:
    @law
    @given(stated_orders())
    def test_the_opposite_order_swaps_expensive_and_cheap(self, stated: Stated) -> None:
        order = Order.parse(stated.text)
        named, above, tied = meaning(order)
        assert meaning(order.reversed()) == (named, {(b, a) for a, b in above}, tied)
        assert order.reversed().reversed() == order


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


def test_a_formula_given_as_an_order_is_told_how_to_give_it() -> None:
    with pytest.raises(InvalidOrderError, match=r'A formula is given as cm\.Formula\("…"\)\.$'):
        Order.parse("0.36*wc + 5").columns(["wc", "cobalt"])
