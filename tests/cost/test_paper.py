from __future__ import annotations

import decimal
from decimal import Decimal
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from camobo.arrays import Array
from camobo.cost.moment import Moment
from camobo.cost.order import Order
from camobo.cost.paper import ExponentialProduct, PaperCost
from camobo.errors import InvalidOptionError
from tests.support.strategies import label, law, moments


def test_as_printed_the_cheap_input_is_the_expensive_one_in_every_case() -> None:
    rng = np.random.default_rng(0)
    models = {
        "printed": PaperCost("expensive > cheap", weights="printed"),
        "ascending": PaperCost("expensive > cheap", weights="ascending"),
    }
    passes, tries = dict.fromkeys(models, 0), 2_000
    for _ in range(tries):
        step = int(10 ** rng.uniform(0, 4))
        low, high = np.sort(rng.random(2))
        for weights, cost in models.items():
            discount = cost.at(Moment(step), ["expensive", "cheap"], rng)
            expensive_high, cheap_high = discount.log(np.array([[high, low], [low, high]]))
            passes[weights] += bool(expensive_high < cheap_high)  # 1 − C is smaller: it costs more
    assert passes == {"printed": 0, "ascending": tries}


def exact_log_discount(rates: Array, levels: Array) -> float:
    """log(1 − Π (1 − λ exp(−λ x))) with sixty digits."""
    with decimal.localcontext() as context:
        context.prec = 60
        product = Decimal(1)
        for rate, level in zip(rates.tolist(), levels.tolist(), strict=True):
            product *= 1 - Decimal(rate) * (-Decimal(rate) * Decimal(level)).exp()
        return float((1 - product).ln())


@pytest.mark.parametrize("step", [1, 100, 10**4, 10**8, 10**12])
@pytest.mark.parametrize("inputs", [1, 2, 8])
def test_the_logarithm_of_the_papers_discount_is_exact_to_rounding_at_any_step(step: int, inputs: int) -> None:
    names = [f"x{j}" for j in range(inputs)]
    rng = np.random.default_rng(inputs)
    discount = PaperCost(names).at(Moment(step), names, rng)
    assert isinstance(discount, ExponentialProduct)
    levels = np.vstack([np.zeros(inputs), np.ones(inputs), rng.random((20, inputs))])
    expected = [exact_log_discount(discount.rates, row[discount.columns]) for row in levels]
    np.testing.assert_allclose(discount.log(levels), expected, rtol=1e-13, atol=1e-14)


@pytest.mark.parametrize("weights", ["ascending", "printed"])
def test_the_papers_rates_are_those_of_equation_8(weights: Any) -> None:
    order = Order.parse("a > b")
    w = (order.reversed() if weights == "ascending" else order).sample(np.random.default_rng(3))
    discount = PaperCost("a > b", weights=weights).at(Moment(7), ["b", "a"], np.random.default_rng(3))
    x = np.array([0.3, 0.8])
    pi = [np.exp(-x[column] / (w[j] * 7 + 1)) / (w[j] * 7 + 1) for j, column in enumerate([1, 0])]
    expected = 1.0 - (1.0 - pi[0]) * (1.0 - pi[1])
    assert np.exp(discount.log(x[None, :])[0]) == pytest.approx(expected, rel=1e-12)
    assert w[0] <= w[1] if weights == "ascending" else w[0] >= w[1]


def test_a_rate_of_one_at_the_cheap_end_stays_finite() -> None:
    discount = ExponentialProduct(np.array([0]), np.array([1.0]))
    levels = np.zeros((1, 1))
    assert discount.log(levels)[0] == pytest.approx(0.0, abs=1e-14)
    assert np.all(np.isfinite(discount.log_slope(levels)))


@law
@given(moments())
def test_the_paper_has_no_exploration_bonus(moment: Moment) -> None:
    assert PaperCost("a > b").exploration_bonus(moment) == 0.0


@pytest.mark.parametrize("weights", ["descending", "", None, 1, np.array(["ascending", "printed"])], ids=label)
def test_unknown_weights_are_refused_with_what_is_possible(weights: Any) -> None:
    with pytest.raises(
        InvalidOptionError, match=r'^PaperCost: weights must be "ascending" or "printed", got '
    ) as caught:
        PaperCost("a > b", weights=weights)
    assert repr(weights) in str(caught.value)
