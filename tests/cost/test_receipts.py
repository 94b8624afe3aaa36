from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from camobo.cost import weightings
from camobo.cost.formula import Formula
from camobo.cost.order import Order
from camobo.cost.ordered import OrderCost
from camobo.cost.receipts import LearnedCost, wants_durations
from camobo.errors import InvalidOptionError, InvalidOrderError
from camobo.space.inputs import Real
from camobo.space.space import Space
from tests.support.strategies import label

SPACE = Space({"width": Real(0, 1), "depth": Real(0, 1)})


def test_without_a_prior_every_point_costs_the_same_until_receipts_come() -> None:
    model = LearnedCost().over(SPACE)
    np.testing.assert_array_equal(model.log_cost(np.eye(2)), np.zeros(2))
    assert LearnedCost().names() == ()


def test_with_a_prior_it_starts_as_the_order_does() -> None:
    found, order = (cost.over(SPACE) for cost in (LearnedCost("width > depth"), OrderCost("width > depth")))
    np.testing.assert_array_equal(found.log_cost(np.eye(2)), order.log_cost(np.eye(2)))
    assert LearnedCost("width > depth").names() == ("width", "depth")


@pytest.mark.parametrize("prior", ["a > b", ["a", "b"], ("a", "b"), Order.parse("a > b")], ids=label)
def test_the_prior_may_have_any_form_of_an_order(prior: Any) -> None:
    assert LearnedCost(prior) == LearnedCost("a > b")


def test_its_document_holds_only_what_was_said() -> None:
    assert LearnedCost().document() == {"type": "learned"}
    assert LearnedCost("a > b", of="seconds").document() == {"type": "learned", "prior": "a > b", "of": "seconds"}


def test_it_says_in_words_what_it_learns_from() -> None:
    assert str(LearnedCost()) == "learned from receipts"
    assert str(LearnedCost("a > b", of="seconds")) == "learned from durations, starting from a > b"


def test_among_fewer_inputs_it_keeps_learning_from_what_the_prior_says_about_them() -> None:
    assert LearnedCost("a > b > c", of="seconds").among({"a", "c"}) == LearnedCost("a > c", of="seconds")
    assert LearnedCost("a > b").among(["z"]) == LearnedCost()


def test_only_a_cost_that_is_learned_from_durations_wants_them() -> None:
    assert wants_durations(LearnedCost(of="seconds"))
    assert not any(map(wants_durations, [None, LearnedCost(), OrderCost("a > b"), Formula("1")]))


@pytest.mark.parametrize("of", ["second", "minutes", "", 1, True, np.array(["seconds", "x"])], ids=label)
def test_anything_to_learn_from_but_seconds_is_refused(of: Any) -> None:
    with pytest.raises(InvalidOptionError, match=r'^LearnedCost: of must be "seconds" or None, got ') as caught:
        LearnedCost(of=of)
    assert repr(of) in str(caught.value)


def test_a_prior_that_cannot_be_read_is_refused() -> None:
    with pytest.raises(InvalidOrderError, match="need text such as"):
        LearnedCost(prior=3)  # type: ignore[arg-type]
    with pytest.raises(InvalidOrderError, match="'z' is not an input"):
        LearnedCost("width > z").over(SPACE)


def test_a_prior_that_compares_too_little_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(weightings, "_MOST_PREFIXES", 100)
    with pytest.raises(InvalidOrderError, match=r"7 groups.*Compare more"):
        LearnedCost("a, b, c, d, e, f, g")
