from __future__ import annotations

import json
from typing import Any

import pytest

from camobo.cost import weightings
from camobo.cost.formula import AbsentFunction, Formula
from camobo.cost.order import Order
from camobo.cost.ordered import OrderCost
from camobo.cost.paper import PaperCost
from camobo.cost.prices import Prices
from camobo.cost.reading import KINDS, as_cost, read_cost
from camobo.cost.receipts import LearnedCost
from camobo.errors import InvalidOptionError, InvalidOrderError
from tests.support.strategies import label

COSTS: list[Any] = [
    OrderCost("a > b"),
    Prices({"a": 1.5, "c": {"x": 2}}, per_trial=3, rest="b"),
    Formula("a + 5"),
    LearnedCost("a > b", of="seconds"),
    AbsentFunction("price"),
]


def price(params: Any) -> float:
    return 1.0


class TestAsCost:
    @pytest.mark.parametrize("paper", [False, True])
    def test_none_is_no_cost(self, paper: bool) -> None:
        assert as_cost(None, paper=paper) is None

    @pytest.mark.parametrize("given", ["a > b", ["a", "b"], ("a", "b"), Order.parse("a > b")], ids=label)
    def test_an_order_in_any_form_is_an_expected_cost_and_for_the_paper_equation_8(self, given: Any) -> None:
        assert as_cost(given) == OrderCost("a > b")
        assert as_cost(given, paper=True) == PaperCost("a > b")

    @pytest.mark.parametrize("given", COSTS, ids=label)
    def test_a_cost_stays_itself(self, given: Any) -> None:
        assert as_cost(given) is given

    def test_a_cost_of_the_paper_stays_itself_with_the_papers_method(self) -> None:
        given = PaperCost("a > b", weights="printed")
        assert as_cost(given, paper=True) is given

    @pytest.mark.parametrize("given", [price, lambda params: 1.0, len], ids=["function", "lambda", "len"])
    def test_a_function_is_a_formula(self, given: Any) -> None:
        assert as_cost(given) == Formula(given)


class TestRefusals:
    @pytest.mark.parametrize(
        ("given", "example"),
        [
            (OrderCost, 'OrderCost("nickel > chromium")'),
            (Prices, 'Prices({"nickel": 13.9})'),
            (Formula, 'Formula("0.36*wc + 5")'),
            (LearnedCost, "LearnedCost()"),
            (PaperCost, 'PaperCost("nickel > chromium")'),
            (int, 'OrderCost("nickel > chromium")'),
        ],
    )
    def test_a_class_instead_of_a_cost_is_refused_with_how_to_make_one(self, given: Any, example: str) -> None:
        with pytest.raises(
            InvalidOptionError, match=rf"^cost: need a cost, got the class {given.__name__} itself\."
        ) as e:
            as_cost(given)
        assert f"cost={example}." in str(e.value)

    def test_a_mapping_is_refused_with_where_prices_go(self) -> None:
        with pytest.raises(InvalidOptionError, match=r"got \{'a': 18\.0\}\. For prices use cost=Prices\(\{…\}\)\."):
            as_cost({"a": 18.0})

    def test_a_cost_of_the_paper_needs_the_papers_method(self) -> None:
        with pytest.raises(InvalidOptionError, match=r'^cost: PaperCost needs method="paper", got method="default"\.'):
            as_cost(PaperCost("a > b"))

    @pytest.mark.parametrize("given", [*COSTS, price], ids=label)
    def test_the_papers_method_needs_an_order_or_a_cost_of_the_paper(self, given: Any) -> None:
        name = "Formula" if given is price else type(given).__name__
        with pytest.raises(
            InvalidOptionError, match=rf'^cost: method="paper" needs an order or a PaperCost, got {name},'
        ):
            as_cost(given, paper=True)

    @pytest.mark.parametrize("given", [3, 2.5, True, float("nan"), {"a", "b"}, object(), b"a > b", [1, 2]], ids=label)
    @pytest.mark.parametrize("paper", [False, True])
    def test_what_says_nothing_about_cost_is_refused_with_an_example(self, given: Any, paper: bool) -> None:
        with pytest.raises(InvalidOrderError) as caught:
            as_cost(given, paper=paper)
        assert repr(given) in str(caught.value)
        assert '"nickel > chromium"' in str(caught.value)

    @pytest.mark.parametrize("paper", [False, True])
    def test_a_bare_order_that_compares_too_little_is_refused(
        self, paper: bool, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(weightings, "_MOST_PREFIXES", 100)
        with pytest.raises(InvalidOrderError, match=r"7 groups.*Compare more"):
            as_cost("a, b, c, d, e, f, g", paper=paper)


class TestReadCost:
    @pytest.mark.parametrize("cost", [*COSTS, LearnedCost(), PaperCost("a > b", weights="printed")], ids=label)
    def test_what_a_cost_writes_is_read_as_the_same_cost_also_from_json(self, cost: Any) -> None:
        paper = isinstance(cost, PaperCost)
        assert as_cost(read_cost(cost.document()), paper=paper) == cost
        assert as_cost(read_cost(json.loads(json.dumps(cost.document()))), paper=paper) == cost

    @pytest.mark.parametrize("document", [None, "a > b", ["a", "b"]], ids=label)
    def test_nothing_and_bare_orders_stay_themselves(self, document: Any) -> None:
        assert read_cost(document) is document

    @pytest.mark.parametrize(
        ("document", "expected"),
        [
            ({"order": "a > b"}, OrderCost("a > b")),
            ({"order": ["a", "b"]}, OrderCost("a > b")),
            ({"prices": {"a": 2}}, Prices({"a": 2})),
            ({"prices": {"a": 2}, "per_trial": 3, "rest": "b"}, Prices({"a": 2}, per_trial=3, rest="b")),
            ({"formula": "a + 5"}, Formula("a + 5")),
            ({"prior": "a > b"}, LearnedCost("a > b")),
            ({"type": "learned"}, LearnedCost()),
            ({"type": "paper", "order": "a > b"}, PaperCost("a > b")),
        ],
        ids=str,
    )
    def test_a_table_may_leave_out_what_follows_from_the_rest(self, document: Any, expected: Any) -> None:
        assert read_cost(document) == expected

    def test_reading_leaves_the_document_as_it_was(self) -> None:
        document = {"type": "prices", "prices": {"a": 2}}
        read_cost(document)
        assert document == {"type": "prices", "prices": {"a": 2}}

    @pytest.mark.parametrize(
        ("document", "said"),
        [
            (5, ['need an order such as "nickel > chromium" or a table, got 5']),
            (
                {"type": "price", "prices": {}},
                ["type must be one of 'order', 'prices', ", "got 'price'.", "mean 'prices'?"],
            ),
            ({"type": 3}, ["type must be one of", "got 3."]),
            ({"type": None, "order": "a"}, ["type must be one of", "got None."]),
            (
                {"type": "prices", "price": {}},
                ["unknown key 'price'.", "mean 'prices'?", "Known keys: type, prices, per_"],
            ),
            ({"type": "prices", "prices": {}, "per_trail": 3}, ["unknown key 'per_trail'.", "mean 'per_trial'?"]),
            ({"order": "a > b", "wieghts": "printed"}, ["unknown key 'wieghts'.", "Known keys: type, order."]),
            ({"type": "prices"}, ["prices is missing. Example: prices = { nickel = 13.9 }."]),
            ({"type": "formula"}, ["formula is missing. Example: formula = "]),
            ({"type": "paper"}, ["order is missing. Example: order = "]),
            ({"type": "function"}, ["name is missing."]),
            ({}, ["order is missing. Example: order = "]),
            ({"order": 5}, ["order: need text, got 5. Example: order = "]),
            ({"formula": ["a"]}, ["formula: need text, got ['a']. Example: formula = "]),
            ({"type": "function", "name": ["a"]}, ["name: need text, got ['a']"]),
            ({"prior": 5}, ['prior: need text, got 5. Example: prior = "width > depth".']),
            ({"prices": 5}, ["Prices: need a price per input", "got 5"]),
            ({"prices": {"a": "5"}}, ["Prices: 'a': a price must be a finite number", "'5'"]),
            ({"type": "learned", "of": "minutes"}, ['LearnedCost: of must be "seconds" or None, got ']),
            ({"type": "paper", "order": "a", "weights": "up"}, ['PaperCost: weights must be "ascending" or "printed"']),
        ],
        ids=str,
    )
    def test_what_cannot_be_read_is_refused_with_what_to_write(self, document: Any, said: list[str]) -> None:
        with pytest.raises(InvalidOptionError) as caught:
            read_cost(document)
        assert all(words in str(caught.value) for words in said), str(caught.value)

    def test_every_kind_of_cost_has_a_name_that_its_document_uses(self) -> None:
        written = [cost.document() for cost in (*COSTS, PaperCost("a"))]
        types = {document["type"] if isinstance(document, dict) else "order" for document in written}
        assert types == set(KINDS)
