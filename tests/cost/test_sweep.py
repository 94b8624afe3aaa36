from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from camobo.cost.formula import Formula
from camobo.cost.prices import Prices
from camobo.cost.sweep import along, cheapest_of, costs_at
from camobo.space.inputs import Categorical, Real
from camobo.space.space import Space
from tests.support import costs
from tests.support.samples import SPACE
from tests.support.strategies import law


def test_costs_are_those_of_the_model_and_none_of_no_points() -> None:
    model = Prices({"nickel": 3.0}, per_trial=12.0).over(SPACE)
    assert costs_at(model, np.array([[0.0, 0.0, 0.25], [1.0, 0.5, 0.25]])) == pytest.approx([12.0, 72.0])
    assert costs_at(model, np.zeros((0, 3))).shape == (0,)


def test_where_a_formula_gives_no_cost_it_is_infinite_and_never_the_cheapest() -> None:
    space = Space({"x": Real(0, 20)})
    model = Formula("1 + 1 / abs(x - 10)").over(space)
    assert costs_at(model, np.array([[0.5], [1.0]])) == pytest.approx([np.inf, 1.1])
    assert cheapest_of(model, space)[0] in (0.0, 1.0)


def test_a_value_that_costs_nothing_in_the_middle_of_a_range_is_the_cheapest() -> None:
    space = Space({"soak": Real(0, 100, free=30)})
    model = Prices({"soak": 1.0}, per_trial=10.0).over(space)
    assert space.from_unit(cheapest_of(model, space)) == {"soak": pytest.approx(30.0)}


def test_a_formula_is_cheapest_where_it_is_and_not_where_the_inputs_say() -> None:
    space = Space({"x": Real(1, 100), "c": Categorical(["a", "b"])})
    assert space.from_unit(cheapest_of(Formula("200 / x").over(space), space))["x"] == 100.0


def test_a_sweep_goes_over_the_whole_range_of_one_input_and_every_choice() -> None:
    space = Space({"x": Real(0, 1), "c": Categorical(["a", "b", "c"])})
    here = space.cheapest()
    numbers, choices = along(space, here, 0), along(space, here, 1)
    assert (numbers[0, 0], numbers[-1, 0], set(numbers[:, 1])) == (0.0, 1.0, {here[1]})
    assert [space.from_unit(point)["c"] for point in choices] == ["a", "b", "c"]


@law
@given(data=st.data(), kind=st.sampled_from(["order", "prices"]))
def test_no_point_is_cheaper_than_the_cheapest_by_an_order_or_prices(data: st.DataObject, kind: str) -> None:
    space = data.draw(costs.costed_spaces())
    model = data.draw(costs.costs(kind, space)).over(space)
    points = space.snap(np.random.default_rng(0).random((20, space.dimension)))
    assert costs_at(model, points).min() >= costs_at(model, cheapest_of(model, space)[None, :])[0] * (1.0 - 1e-6)


@pytest.mark.parametrize("names", [("a", "b", "c"), ("c", "b", "a")])
def test_with_constraints_the_cheapest_point_meets_them(names: tuple[str, ...]) -> None:
    space = Space({name: Real(0, 100, step=0.5) for name in names}, constraints=["a + b + c == 100", "c <= 30"])
    model = Prices({"a": 5.0, "b": 2.0, "c": 1.0}, per_trial=10.0).over(space)
    assert space.from_unit(cheapest_of(model, space)) == {"a": 0.0, "b": 70.0, "c": 30.0}


def test_with_counts_the_cheapest_point_is_above_where_it_must_be() -> None:
    space = Space({name: Real(1, 5, step=1) for name in "abc"}, constraints=["count(a, b, c) >= 2"])
    model = Prices({"a": 5.0, "b": 2.0, "c": 1.0}, per_trial=10.0).over(space)
    assert space.from_unit(cheapest_of(model, space)) == {"a": 1.0, "b": 2.0, "c": 2.0}
