from __future__ import annotations

from typing import Any

import pytest

from camobo.cost import weightings
from camobo.cost.additive import AdditiveCost
from camobo.cost.order import Order
from camobo.cost.paper import PaperCost
from camobo.cost.reading import as_cost
from camobo.errors import InvalidOptionError, InvalidOrderError
from tests.support.strategies import label


class TestAsCost:
    def test_none_is_no_cost(self) -> None:
        assert as_cost(None, ["a"]) is None
        assert as_cost(None, ["a"], paper=True) is None

    @pytest.mark.parametrize("given", ["a > b", ["a", "b"], ("a", "b"), Order.parse("a > b")], ids=label)
    def test_an_order_in_any_form_becomes_an_additive_cost_and_for_the_paper_equation_8(self, given: Any) -> None:
        assert as_cost(given, ["b", "a"]) == AdditiveCost("a > b")
        assert as_cost(given, ["b", "a"], paper=True) == PaperCost("a > b")

    @pytest.mark.parametrize("given", [PaperCost("a > b", weights="printed"), AdditiveCost("a > b", strength=2)])
    @pytest.mark.parametrize("paper", [False, True])
    def test_a_cost_model_stays_itself(self, given: PaperCost | AdditiveCost, paper: bool) -> None:
        assert as_cost(given, ["a", "b", "c"], paper=paper) is given

    @pytest.mark.parametrize("given", [{"a": 18.0, "b": 9.4}, lambda params: params["a"], len], ids=label)
    def test_prices_and_functions_are_not_supported_yet_and_the_error_says_what_to_do(self, given: Any) -> None:
        with pytest.raises(
            InvalidOptionError, match=r"^cost: prices and cost functions are not supported yet"
        ) as caught:
            as_cost(given, ["a", "b"])
        assert repr(given) in str(caught.value)
        assert '"nickel > chromium"' in str(caught.value)

    @pytest.mark.parametrize("given", [3, 2.5, True, float("nan"), {"a", "b"}, object(), b"a > b", [1, 2]], ids=label)
    def test_what_says_nothing_about_cost_is_refused_with_an_example(self, given: Any) -> None:
        with pytest.raises(InvalidOrderError) as caught:
            as_cost(given, ["a", "b"])
        assert repr(given) in str(caught.value)
        assert '"nickel > chromium"' in str(caught.value)

    @pytest.mark.parametrize("given", ["a > z", ["z"], Order.parse("z"), PaperCost("a > z"), AdditiveCost("z > a")])
    def test_an_input_the_space_lacks_is_refused_by_name(self, given: Any) -> None:
        with pytest.raises(InvalidOrderError, match=r"'z' is not an input[\s\S]*The space has a, b"):
            as_cost(given, ["a", "b"])

    @pytest.mark.parametrize("given", [PaperCost, AdditiveCost])
    def test_a_class_instead_of_a_model_is_refused_with_an_example(self, given: Any) -> None:
        with pytest.raises(InvalidOptionError, match=rf"the class {given.__name__} itself.*cost={given.__name__}\("):
            as_cost(given, ["a", "b"])

    @pytest.mark.parametrize("paper", [False, True])
    def test_a_bare_order_that_compares_too_little_is_refused(
        self, paper: bool, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(weightings, "_MOST_PREFIXES", 100)
        with pytest.raises(InvalidOrderError, match=r"7 groups.*Compare more"):
            as_cost("a, b, c, d, e, f, g", list("abcdefg"), paper=paper)
