from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from camobo.cost import weightings
from camobo.cost.order import Order
from camobo.cost.ordered import PER_TRIAL, OrderCost
from camobo.errors import InvalidOrderError
from camobo.space.inputs import Categorical, Real
from camobo.space.space import Space
from tests.support.strategies import label

SPACE = Space({"a": Real(0, 10), "b": Real(0, 5), "c": Categorical(["x", "y"], expensive=["y"]), "d": Real(0, 1)})


def test_the_cost_is_what_a_trial_takes_plus_levels_weighted_by_the_centre_of_the_order() -> None:
    point = SPACE.to_unit({"a": 4.0, "b": 5.0, "c": "y", "d": 0.7})
    model = OrderCost("c > a > b").over(SPACE)
    y, a, b = Order.parse("c > a > b").centre()
    assert np.exp(model.log_cost(point[None, :])[0]) == pytest.approx(PER_TRIAL + y + 0.4 * a + b)


def test_the_most_expensive_trial_costs_eleven_times_the_cheapest() -> None:
    model = OrderCost("a > b, c > d").over(SPACE)
    cheapest, top = model.log_cost(np.array([SPACE.cheapest(), SPACE.at_expense(np.ones((1, 4)))[0]]))
    assert np.exp(top - cheapest) == pytest.approx(11.0)


@pytest.mark.parametrize("given", ["a > b", ["a", "b"], ("a", "b"), Order.parse("a > b"), "a>b"], ids=label)
def test_an_order_in_any_form_is_the_same_cost(given: Any) -> None:
    assert OrderCost(given) == OrderCost("a > b")
    assert str(OrderCost(given)) == "a > b"


def test_it_names_the_inputs_of_the_order_in_its_sequence() -> None:
    assert OrderCost("soak > temper, nickel").names() == ("soak", "temper", "nickel")


def test_its_document_is_the_order_as_it_was_written() -> None:
    assert OrderCost("a  >  b,c").document() == "a  >  b,c"


def test_among_fewer_inputs_it_says_what_follows_and_among_strangers_nothing() -> None:
    assert OrderCost("a > b > c").among({"c", "a"}) == OrderCost("a > c")
    assert OrderCost("a > b").among(["z"]) is None


def test_an_input_the_space_lacks_is_refused_with_its_place_and_a_hint() -> None:
    space = Space({"nickel": Real(0, 1), "chromium": Real(0, 1)})
    with pytest.raises(InvalidOrderError, match=r"'chromum' is not an input[\s\S]*\^[\s\S]*Did you mean 'chromium'"):
        OrderCost("nickel > chromum").over(space)


def test_an_order_that_compares_too_little_is_refused_when_the_cost_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(weightings, "_MOST_PREFIXES", 100)
    with pytest.raises(InvalidOrderError, match=r"7 groups.*Compare more"):
        OrderCost("a, b, c, d, e, f, g")
    assert set(OrderCost("a, b, c, d, e, f, g, a = b").names()) == set("abcdefg")


def test_slopes_are_the_weights_over_the_cost() -> None:
    model = OrderCost("a > b").over(SPACE)
    points = np.array([[0.3, 0.6, 0.25, 0.5]])
    expected = [*Order.parse("a > b").centre() / np.exp(model.log_cost(points)[0]), 0.0, 0.0]
    np.testing.assert_allclose(model.log_cost_slope(points)[0], expected, rtol=1e-12)
