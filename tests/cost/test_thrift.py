from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from camobo.acquisition.maximise import maximise
from camobo.arrays import Array
from camobo.cost.ordered import OrderCost
from camobo.cost.prices import Prices
from camobo.cost.thrift import ROUNDING, Thrift
from camobo.space.inputs import Integer, Real
from camobo.space.space import Space
from tests.support.strategies import law

SPACE = Space({"a": Real(0, 1), "b": Real(0, 1)})
MODEL = Prices({"a": 90}, per_trial=10).over(SPACE)
"""From 10 to 100."""
ROWS = np.column_stack([np.linspace(0, 1, 10), np.full(10, 0.5)])


def test_gamma_one_is_promise_for_the_money_and_zero_ignores_cost() -> None:
    np.testing.assert_array_equal(Thrift(MODEL, 1.0).log(ROWS), -MODEL.log_cost(ROWS))
    np.testing.assert_array_equal(Thrift(MODEL, 0.0).log(ROWS), np.zeros(10))
    np.testing.assert_array_equal(Thrift(MODEL, 0.0).log_slope(ROWS), np.zeros((10, 2)))
    np.testing.assert_array_equal(Thrift(MODEL, 0.5).log_slope(ROWS), -0.5 * MODEL.log_cost_slope(ROWS))


@law
@given(st.floats(10.0, 100.0), st.floats(0.0, 3.0), st.floats(0.0, 1e5))
def test_what_cannot_be_paid_is_never_preferred_over_what_can_however_much_it_promises(
    most: float, gamma: float, promise: float
) -> None:
    cost = np.exp(MODEL.log_cost(ROWS))
    discount = Thrift(MODEL, gamma, most).log(ROWS)
    beyond = cost > most * (1 + 1e-6)
    if beyond.any():
        assert discount[beyond].max() + promise < discount[~beyond].min()


@pytest.mark.parametrize("gamma", [0.0, 1.0])
def test_what_costs_exactly_what_is_left_can_be_paid_up_to_rounding(gamma: float) -> None:
    at = np.array([[0.5, 0.5]])
    cost = float(np.exp(MODEL.log_cost(at)[0]))
    free = Thrift(MODEL, gamma).log(at)
    np.testing.assert_array_equal(Thrift(MODEL, gamma, cost).log(at), free)
    np.testing.assert_array_equal(Thrift(MODEL, gamma, cost * (1 - 0.5 * ROUNDING)).log(at), free)
    assert Thrift(MODEL, gamma, cost * (1 - 2e-9)).log(at)[0] < free[0] - 1e5


def test_of_what_cannot_be_paid_the_cheaper_is_preferred_and_slopes_lead_there() -> None:
    broke = Thrift(MODEL, 0.0, 1e-300)
    assert np.all(np.diff(broke.log(ROWS)) < 0)
    assert np.all(np.isfinite(broke.log(ROWS)))
    assert np.all(broke.log_slope(ROWS)[:, 0] < 0)


@pytest.mark.parametrize("gamma", [0.0, 1.0])
@pytest.mark.parametrize("most", [math.inf, 45.0])
def test_slopes_are_those_of_central_differences(gamma: float, most: float) -> None:
    thrift, move = Thrift(MODEL, gamma, most), np.array([1e-6, 0.0])
    points = ROWS[1:-1]
    differences = (thrift.log(points + move) - thrift.log(points - move)) / 2e-6
    np.testing.assert_allclose(thrift.log_slope(points)[:, 0], differences, rtol=1e-5, atol=1e-3)


class Hill:
    """Promises that rise with every input, under a thrift."""

    def __init__(self, thrift: Thrift, space: Space) -> None:
        self.thrift, self.space = thrift, space

    def __call__(self, units: Array) -> Array:
        snapped = self.space.snap(units)
        return np.asarray(20.0 * snapped.sum(axis=1) + self.thrift.log(snapped))

    def with_gradient(self, units: Array) -> tuple[Array, Array]:
        slope = 20.0 + self.thrift.log_slope(self.space.snap(units))
        return self(units), np.where(self.space.continuous, slope, 0.0)

    def softened(self) -> Hill:
        return self


@pytest.mark.parametrize("other", [Real(0, 1), Integer(0, 3000)])
def test_the_search_ends_where_the_money_just_suffices(other: Real | Integer) -> None:
    space = Space({"a": Real(0, 1), "b": other})
    price = 90 / other.high
    model = Prices({"a": 90, "b": price}, per_trial=10).over(space)
    surface = Hill(Thrift(model, 1.0, 70.0), space)
    found = maximise(surface, space, best=np.zeros((0, 2)), taken=np.zeros((0, 2)), rng=np.random.default_rng(0))
    cost = float(np.exp(model.log_cost(found[None, :])[0]))
    assert 69.0 < cost <= 70.0 * (1 + 1e-9)


def test_an_order_has_a_discount_too() -> None:
    discount = Thrift(OrderCost("a > b").over(SPACE), 1.0).log(np.array([[0.2, 0.8], [0.8, 0.2]]))
    assert discount[0] > discount[1]
