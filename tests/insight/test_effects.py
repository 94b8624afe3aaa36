from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from camobo.cost.formula import Formula
from camobo.cost.ordered import OrderCost
from camobo.cost.prices import Prices
from camobo.insight.effects import cheapest_of, costs_at, effects_of
from camobo.space.inputs import Categorical, Real
from camobo.space.space import Space
from tests.support import costs
from tests.support.samples import SPACE
from tests.support.strategies import law


def test_costs_are_those_of_the_model_and_none_of_no_points() -> None:
    model = Prices({"nickel": 3.0}, per_trial=12.0).over(SPACE)
    assert costs_at(model, np.array([[0.0, 0.0, 0.25], [1.0, 0.5, 0.25]])) == pytest.approx([12.0, 72.0])
    assert costs_at(model, np.zeros((0, 3))).shape == (0,)


def test_an_input_adds_what_its_range_costs_and_one_without_a_price_lacks() -> None:
    model = Prices({"nickel": 3.0, "quench": {"oil": 6.0}}, per_trial=12.0).over(SPACE)
    assert effects_of(model, SPACE) == {"nickel": pytest.approx(5.0), "quench": pytest.approx(0.5)}


def test_an_order_ranks_what_its_inputs_add() -> None:
    found = effects_of(OrderCost("soak > nickel").over(SPACE), SPACE)
    assert found == {"nickel": pytest.approx(2.5), "soak": pytest.approx(7.5)}


def test_a_value_that_costs_nothing_in_the_middle_of_a_range_is_the_cheapest() -> None:
    space = Space({"soak": Real(0, 100, free=30)})
    model = Prices({"soak": 1.0}, per_trial=10.0).over(space)
    assert space.from_unit(cheapest_of(model, space)) == {"soak": pytest.approx(30.0)}
    assert effects_of(model, space) == {"soak": pytest.approx(7.0)}


def test_a_formula_is_cheapest_where_it_is_and_not_where_the_inputs_say() -> None:
    space = Space({"x": Real(1, 100), "c": Categorical(["a", "b"])})
    model = Formula("200 / x").over(space)
    assert space.from_unit(cheapest_of(model, space))["x"] == 100.0
    assert effects_of(model, space) == {"x": pytest.approx(99.0)}


@law
@given(data=st.data(), kind=st.sampled_from(["order", "prices"]))
def test_no_point_is_cheaper_than_the_cheapest_by_an_order_or_prices(data: st.DataObject, kind: str) -> None:
    space = data.draw(costs.costed_spaces())
    model = data.draw(costs.costs(kind, space)).over(space)
    points = space.snap(np.random.default_rng(0).random((20, space.dimension)))
    assert costs_at(model, points).min() >= costs_at(model, cheapest_of(model, space)[None, :])[0] * (1.0 - 1e-6)
