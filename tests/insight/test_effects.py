from __future__ import annotations

import pytest

from camobo.cost.formula import Formula
from camobo.cost.ordered import OrderCost
from camobo.cost.prices import Prices
from camobo.insight.effects import effects_of
from camobo.space.inputs import Categorical, Real
from camobo.space.space import Space
from tests.support.samples import SPACE


def test_an_input_adds_what_its_range_costs_and_one_without_a_price_lacks() -> None:
    model = Prices({"nickel": 3.0, "quench": {"oil": 6.0}}, per_trial=12.0).over(SPACE)
    assert effects_of(model, SPACE) == {"nickel": pytest.approx(5.0), "quench": pytest.approx(0.5)}


def test_an_order_ranks_what_its_inputs_add() -> None:
    found = effects_of(OrderCost("soak > nickel").over(SPACE), SPACE)
    assert found == {"nickel": pytest.approx(2.5), "soak": pytest.approx(7.5)}


def test_what_costs_nothing_in_the_middle_of_a_range_adds_by_its_longer_side() -> None:
    space = Space({"soak": Real(0, 100, free=30)})
    assert effects_of(Prices({"soak": 1.0}, per_trial=10.0).over(space), space) == {"soak": pytest.approx(7.0)}


def test_what_a_formula_adds_counts_from_where_it_is_cheapest() -> None:
    space = Space({"x": Real(1, 100), "c": Categorical(["a", "b"])})
    assert effects_of(Formula("200 / x").over(space), space) == {"x": pytest.approx(99.0)}


def test_where_a_formula_gives_no_cost_does_not_count() -> None:
    space = Space({"x": Real(0, 20), "c": Categorical(["a", "b"])})
    model = Formula("1 + 1 / abs(x - 10)").over(space)
    (added,) = effects_of(model, space).values()
    assert 1.0 < added < 10.0
