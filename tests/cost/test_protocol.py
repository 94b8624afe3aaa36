"""The laws that every cost obeys."""

from __future__ import annotations

import json
import math
import pickle
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import assume, given, note
from hypothesis import strategies as st

from camobo.arrays import Array
from camobo.cost.levels import Levels
from camobo.cost.ordered import OrderCost
from camobo.cost.protocol import Cost, CostModel
from camobo.cost.reading import as_cost, read_cost
from camobo.cost.thrift import Thrift
from camobo.space.inputs import Categorical, Real
from camobo.space.space import Space
from tests.support.costs import KINDS, ORDERED, any_inputs, costed_spaces, costs, orders
from tests.support.strategies import law, reals, units

ROUNDING = 1e-12
EXACT = tuple(kind for kind in KINDS if kind != "function")
"""Those that know which inputs they speak of and what their slopes are."""


def snapped(data: st.DataObject, space: Space) -> Array:
    return space.snap(data.draw(units(space, most=4)))


def of_kinds(data: st.DataObject, space: Space, kinds: Sequence[str] = KINDS) -> Cost:
    kind = data.draw(st.sampled_from(kinds))
    cost = data.draw(costs(kind, space))
    note(f"{kind}: {cost}")  # shown if a law fails
    return cost


def receipts(data: st.DataObject, space: Space) -> tuple[Array, Array]:
    """Points, some of them repeated, and what they cost, from nothing to a fortune."""
    points = snapped(data, space)
    points = np.vstack([points, points[:1]])
    amount = st.sampled_from([0.0, 1.0, 1e-9, 1e12]) | st.floats(0.0, 1e6)
    return points, np.array(data.draw(st.lists(amount, min_size=len(points), max_size=len(points))))


def fallen(model: CostModel, here: Array, there: Array) -> Array:
    """(n,) by how much the cost there is below the cost here, beyond rounding."""
    return model.log_cost(here) - model.log_cost(there) - ROUNDING * (1.0 + np.abs(model.log_cost(here)))


class TestEveryCost:
    @law
    @given(st.data())
    def test_the_cost_of_every_point_of_every_space_is_a_number(self, data: st.DataObject) -> None:
        space = data.draw(costed_spaces())
        model = of_kinds(data, space).over(space)
        points = np.vstack([snapped(data, space), space.cheapest()])
        assert model.log_cost(points).shape == (len(points),)
        assert np.all(np.isfinite(model.log_cost(points)))
        slopes = model.log_cost_slope(points)
        assert slopes.shape == points.shape
        assert np.all(np.isfinite(slopes))
        assert np.all(slopes[:, ~space.continuous] == 0.0)

    @law
    @given(st.data())
    def test_it_is_a_number_after_any_receipts_too(self, data: st.DataObject) -> None:
        space = data.draw(costed_spaces())
        model = of_kinds(data, space).over(space).fitted(*receipts(data, space))
        points = snapped(data, space)
        assert np.all(np.isfinite(model.log_cost(points)))
        slopes = model.log_cost_slope(points)
        assert np.all(np.isfinite(slopes))
        assert np.all(slopes[:, ~space.continuous] == 0.0)

    @law
    @given(st.data())
    def test_inputs_a_cost_does_not_name_have_no_effect(self, data: st.DataObject) -> None:
        space = data.draw(costed_spaces())
        cost = of_kinds(data, space, EXACT)
        unnamed = [j for j, name in enumerate(space.names) if name not in cost.names()]
        here = snapped(data, space)
        moved = here.copy()
        moved[:, unnamed] = space.snap(1.0 - here)[:, unnamed]
        model = cost.over(space)
        np.testing.assert_array_equal(model.log_cost(moved), model.log_cost(here))
        assert np.all(model.log_cost_slope(here)[:, unnamed] == 0.0)

    @law
    @given(st.data())
    def test_slopes_are_those_of_central_differences_away_from_kinks(self, data: st.DataObject) -> None:
        space = data.draw(costed_spaces(of=any_inputs() | reals()))
        model = of_kinds(data, space, EXACT).over(space)
        if data.draw(st.booleans()):
            model = model.fitted(*receipts(data, space))
        points, step = space.snap(np.clip(data.draw(units(space, most=2)), 1e-3, 1.0 - 1e-3)), 1e-6
        for j, (name, of_input) in enumerate(space.inputs.items()):
            if isinstance(of_input, Categorical) or not of_input.continuous:
                continue
            note(name)
            kinks = [of_input.cheap, of_input.to_unit(0.0)] if not of_input.log else [of_input.cheap]
            assume(all(np.abs(points[:, j] - kink).min() > 10 * step for kink in kinks))
            move = step * np.eye(space.dimension)[j]
            differences = (model.log_cost(points + move) - model.log_cost(points - move)) / (2 * step)
            slope = model.log_cost_slope(points)[:, j]
            np.testing.assert_allclose(slope, differences, rtol=1e-4, atol=1e-4 * (1.0 + np.abs(slope).max()))

    @law
    @given(st.data())
    def test_its_document_describes_the_same_cost_also_as_json(self, data: st.DataObject) -> None:
        space = data.draw(costed_spaces())
        cost = of_kinds(data, space, EXACT)
        paper = cost.__class__.__name__ == "PaperCost"
        back = as_cost(read_cost(json.loads(json.dumps(cost.document()))), paper=paper)
        assert back == cost
        assert back is not None
        points = snapped(data, space)
        np.testing.assert_array_equal(back.over(space).log_cost(points), cost.over(space).log_cost(points))

    @law
    @given(st.data())
    def test_it_is_a_value_that_can_be_compared_hashed_and_sent(self, data: st.DataObject) -> None:
        space = data.draw(costed_spaces())
        cost = of_kinds(data, space, EXACT)
        assert pickle.loads(pickle.dumps(cost)) == cost
        assert hash(pickle.loads(pickle.dumps(cost))) == hash(cost)
        assert str(cost)

    @law
    @given(st.data())
    def test_what_it_says_about_some_inputs_fits_a_space_of_only_those(self, data: st.DataObject) -> None:
        space = data.draw(costed_spaces(least=2))
        cost = of_kinds(data, space)
        kept = dict(list(space.inputs.items())[1:])
        part = cost.among(kept)
        if part is not None and cost.names():  # a function may read any input
            assert set(part.names()) == set(cost.names()) & set(kept)
            part.over(Space(kept))
        assert cost.among(space.names) == cost


class TestOrders:
    @law
    @given(st.data())
    def test_moving_a_named_input_away_from_where_it_is_cheap_never_costs_less(self, data: st.DataObject) -> None:
        space = data.draw(costed_spaces())
        cost = of_kinds(data, space, ORDERED)
        assume(cost.names())
        name = data.draw(st.sampled_from(cost.names()))
        j, of_input = space.names.index(name), space.inputs[name]
        here = snapped(data, space)
        moved = here.copy()
        if isinstance(of_input, Categorical):
            levels = np.array(of_input.levels)
            now = of_input.positions(here[:, j])
            top = int(np.argmax(levels))
            moved[:, j] = np.where(levels[now] <= levels[top], of_input.stops()[top], here[:, j])
        else:
            end = np.where(here[:, j] > of_input.cheap, 1.0, np.where(here[:, j] < of_input.cheap, 0.0, here[:, j]))
            if of_input.cheap in (0.0, 1.0):
                end = np.full(len(here), 1.0 - of_input.cheap)
            moved[:, j] = here[:, j] + (end - here[:, j]) * data.draw(st.floats(0.0, 1.0))
            moved = space.snap(moved)
        model = cost.over(space)
        assert np.all(fallen(model, here, moved) <= 0.0)
        if not isinstance(of_input, Categorical):
            outward = np.where(here[:, j] >= of_input.cheap, 1.0, -1.0) if of_input.cheap < 1.0 else -1.0
            assert np.all(model.log_cost_slope(here)[:, j] * outward >= 0.0)

    @law
    @given(st.data())
    def test_the_higher_of_two_values_never_costs_less_on_the_more_expensive_of_two_inputs(
        self, data: st.DataObject
    ) -> None:
        of_input = data.draw(any_inputs())
        space = Space(dict.fromkeys(["a", "b", "c", "d"], of_input))
        order = data.draw(orders(space.names))
        pairs = [(a, b) for a in order.names for b in order.names if order.costs_more(a, b)]
        assume(pairs)
        more, less = map(space.names.index, data.draw(st.sampled_from(pairs)))
        one = snapped(data, space)
        levels = Levels(space, np.arange(4)).of(one)
        swap = levels[:, more] < levels[:, less]
        one[swap, more], one[swap, less] = one[swap, less], one[swap, more]
        other = one.copy()
        other[:, [more, less]] = one[:, [less, more]]
        assert np.all(fallen(OrderCost(order).over(space), other, one) <= 0.0)

    @law
    @given(st.data())
    def test_tied_inputs_can_be_exchanged_without_a_change_of_cost(self, data: st.DataObject) -> None:
        space = Space(dict.fromkeys(["a", "b", "c"], data.draw(any_inputs())))
        one = snapped(data, space)
        model = OrderCost(data.draw(st.sampled_from(["a = b", "a = b > c", "c > b = a", "a = b, c"]))).over(space)
        np.testing.assert_allclose(model.log_cost(one[:, [1, 0, 2]]), model.log_cost(one), rtol=1e-12, atol=1e-12)


class TestDiscount:
    @law
    @given(st.data(), st.floats(0.0, 3.0))
    def test_of_two_points_that_promise_the_same_the_more_expensive_is_never_preferred(
        self, data: st.DataObject, gamma: float
    ) -> None:
        space = data.draw(costed_spaces())
        model = of_kinds(data, space).over(space)
        if data.draw(st.booleans()):
            model = model.fitted(*receipts(data, space))
        points = snapped(data, space)
        log_cost = model.log_cost(points)
        most = math.exp(min(max(float(log_cost[0]) + data.draw(st.floats(-1.0, 1.0)), -690.0), 700.0))
        by_cost = np.argsort(log_cost, kind="stable")
        for limit in (math.inf, most):
            discount = Thrift(model, gamma, limit).log(points)[by_cost]
            assert np.all(np.isfinite(discount))
            assert np.all(np.diff(discount) <= 1e-9)


@pytest.mark.parametrize("kind", ["order", "learned", "paper"])
def test_without_receipts_costs_of_an_order_are_no_money_and_with_them_they_are(kind: str) -> None:
    space = Space({"a": Real(0, 1), "b": Real(0, 1)})
    cost: Cost | None = as_cost(read_cost({"order": "a > b"} if kind != "learned" else {"prior": "a > b"}))
    if kind == "paper":
        cost = as_cost("a > b", paper=True)
    assert cost is not None
    model = cost.over(space)
    assert not model.in_money
    assert model.fitted(np.array([[0.5, 0.5]]), np.array([3.0])).in_money
