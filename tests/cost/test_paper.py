from __future__ import annotations

import decimal
from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from camobo.arrays import Array
from camobo.cost import weightings
from camobo.cost.order import Order
from camobo.cost.ordered import OrderCost
from camobo.cost.paper import ExponentialProduct, PaperCost
from camobo.cost.protocol import Discount
from camobo.errors import InvalidOptionError, InvalidOrderError
from camobo.space.inputs import Categorical, Integer, Real
from camobo.space.space import Space
from tests.support.costs import costed_spaces, orders
from tests.support.strategies import label, law, stated_orders, units

ROUNDING = 1e-12
BOTH = ("ascending", "printed")


def cube(names: list[str] | tuple[str, ...]) -> Space:
    """A space where coordinates are levels."""
    return Space({name: Real(0, 1) for name in names})


@dataclass(frozen=True)
class Case:
    """An order, the inputs of a space that has those of the order and others, a step and a seed."""

    order: Order
    names: list[str]
    step: int
    seed: int

    def discount(self, weights: Any = "ascending") -> Discount:
        return PaperCost(self.order, weights=weights).at(self.step, cube(self.names), np.random.default_rng(self.seed))

    def discounts(self) -> Iterator[Discount]:
        return map(self.discount, BOTH)

    def column(self, name: str) -> int:
        return self.names.index(name)


@st.composite
def cases(draw: st.DrawFn, *, strangers: tuple[int, int] = (0, 2), tie: bool = False) -> Case:
    """Cases with so many inputs that the order does not name and, on request, a tie in the order."""
    stated = draw(stated_orders(most=7))
    twin = f", {draw(st.sampled_from(stated.names))} = twin of it" if tie else ""
    order = Order.parse(stated.text + twin)
    others = [f"stranger {i}" for i in range(draw(st.integers(*strangers)))]
    names = draw(st.permutations([*order.names, *others]))
    return Case(order, names, draw(st.integers(1, 10_000)), draw(st.integers(0, 2**32)))


def level_rows(width: int) -> st.SearchStrategy[Array]:
    """(4, width) levels, often at an end."""
    return hnp.arrays(np.float64, (4, width), elements=st.floats(0.0, 1.0) | st.sampled_from([0.0, 1.0]))


class TestLaws:
    @law
    @given(cases(), st.data())
    def test_a_cost_is_at_least_zero_and_below_one(self, case: Case, data: st.DataObject) -> None:
        d = len(case.names)
        levels = np.vstack([data.draw(level_rows(d)), np.zeros((1, d)), np.ones((1, d))])
        for discount in case.discounts():
            log = discount.log(levels)
            assert log.shape == (len(levels),)
            assert np.all(np.isfinite(log))
            assert np.all(log <= 0.0)
            cost = -np.expm1(log)
            assert np.all((cost >= 0.0) & (cost < 1.0))

    @law
    @given(cases(), st.data())
    def test_moving_a_named_input_away_from_its_cheap_end_never_costs_less(
        self, case: Case, data: st.DataObject
    ) -> None:
        here = data.draw(level_rows(len(case.names)))
        column = case.column(data.draw(st.sampled_from(case.order.names)))
        higher = here.copy()
        higher[:, column] += (1.0 - here[:, column]) * data.draw(st.floats(0.0, 1.0))
        for discount in case.discounts():
            assert np.all(discount.log(higher) <= discount.log(here) + ROUNDING)
            assert np.all(discount.log_slope(here)[:, column] <= 0.0)

    @law
    @given(cases(), st.data())
    def test_the_larger_of_two_levels_never_costs_less_on_the_more_expensive_of_two_inputs(
        self, case: Case, data: st.DataObject
    ) -> None:
        names = case.order.names
        pairs = [(a, b) for a in names for b in names if case.order.costs_more(a, b)]
        assume(pairs)
        expensive, cheap = map(case.column, data.draw(st.sampled_from(pairs)))
        one = data.draw(level_rows(len(case.names)))
        one[:, [cheap, expensive]] = np.sort(one[:, [cheap, expensive]], axis=1)
        other = one.copy()
        other[:, [expensive, cheap]] = one[:, [cheap, expensive]]
        assert np.all(case.discount().log(one) <= case.discount().log(other) + ROUNDING)

    @law
    @given(cases(tie=True), st.data())
    def test_tied_inputs_can_be_exchanged_without_a_change_of_cost(self, case: Case, data: st.DataObject) -> None:
        ties = [group for group in case.order.groups if len(group) > 1]
        a, b = map(case.column, data.draw(st.sampled_from(ties))[:2])
        one = data.draw(level_rows(len(case.names)))
        other = one.copy()
        other[:, [a, b]] = one[:, [b, a]]
        for discount in case.discounts():
            np.testing.assert_allclose(discount.log(one), discount.log(other), rtol=0, atol=ROUNDING)

    @law
    @given(cases(strangers=(0, 0)))
    def test_a_cost_fades_as_the_steps_continue(self, case: Case) -> None:
        corners = np.vstack([np.zeros(len(case.names)), np.ones(len(case.names))])
        for weights in BOTH:
            late, later = (
                -float(np.diff(replace(case, step=step).discount(weights).log(corners))[0]) for step in (10**8, 10**14)
            )
            assert 0.0 <= later <= late + ROUNDING
            assert later < 1e-4

    @law
    @given(cases(strangers=(1, 2)), st.data())
    def test_inputs_the_order_does_not_name_have_no_effect(self, case: Case, data: st.DataObject) -> None:
        unnamed = [j for j, name in enumerate(case.names) if name not in case.order.names]
        one, moved = (data.draw(level_rows(len(case.names))) for _ in range(2))
        other = one.copy()
        other[:, unnamed] = moved[:, unnamed]
        for discount in case.discounts():
            np.testing.assert_array_equal(discount.log(one), discount.log(other))
            assert np.all(discount.log_slope(one)[:, unnamed] == 0.0)

    @law
    @given(cases(), st.data())
    def test_slopes_are_those_of_central_differences(self, case: Case, data: st.DataObject) -> None:
        d, step = len(case.names), 1e-5
        levels = step + (1.0 - 2 * step) * data.draw(level_rows(d))
        for discount in case.discounts():
            slope = discount.log_slope(levels)
            assert slope.shape == levels.shape
            for j in range(d):
                move = step * np.eye(d)[j]
                differences = (discount.log(levels + move) - discount.log(levels - move)) / (2 * step)
                np.testing.assert_allclose(slope[:, j], differences, rtol=1e-5, atol=1e-8)

    @law
    @given(st.data())
    def test_over_every_space_it_is_finite_and_looks_at_expense_alone(self, data: st.DataObject) -> None:
        space = data.draw(costed_spaces())
        order = data.draw(orders(space.names))
        points = np.vstack([space.snap(data.draw(units(space))), space.cheapest()])
        rates = PaperCost(order).at(3, space, np.random.default_rng(0))
        plain = PaperCost(order).at(3, cube(space.names), np.random.default_rng(0))
        np.testing.assert_array_equal(rates.log(points), plain.log(space.expense(points)))
        assert np.all(np.isfinite(rates.log_slope(points)))
        assert np.all(rates.log_slope(points)[:, ~space.continuous] == 0.0)


def test_slopes_turn_at_a_free_value_and_at_an_expensive_low_end() -> None:
    space = Space({"soak": Real(20, 900, free=300), "grain": Real(0.1, 10, log=True, expensive="low")})
    discount = PaperCost("soak > grain").at(2, space, np.random.default_rng(0))
    points = np.array([[0.1, 0.3], [0.9, 0.6]])
    for j in range(2):
        move = 1e-6 * np.eye(2)[j]
        differences = (discount.log(points + move) - discount.log(points - move)) / 2e-6
        np.testing.assert_allclose(discount.log_slope(points)[:, j], differences, rtol=1e-6)
    assert np.sign(discount.log_slope(points)).tolist() == [[1.0, 1.0], [-1.0, 1.0]]


def test_weights_are_drawn_from_the_generator_it_gets() -> None:
    corner = np.array([[1.0, 0.0, 0.0]])
    for weights in BOTH:
        one, same, other = (
            Case(Order.parse("a > b, c"), ["a", "b", "c"], 5, seed).discount(weights).log(corner)[0]
            for seed in (1, 1, 2)
        )
        assert one == same != other


def test_as_printed_the_cheap_input_is_the_expensive_one_in_every_case() -> None:
    rng, space = np.random.default_rng(0), cube(["expensive", "cheap"])
    models = {weights: PaperCost("expensive > cheap", weights=weights) for weights in BOTH}  # type: ignore[arg-type]
    passes, tries = dict.fromkeys(models, 0), 2_000
    for _ in range(tries):
        step = int(10 ** rng.uniform(0, 4))
        low, high = np.sort(rng.random(2))
        for weights, cost in models.items():
            discount = cost.at(step, space, rng)
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
    discount = PaperCost(names).at(step, cube(names), rng)
    assert isinstance(discount, ExponentialProduct)
    levels = np.vstack([np.zeros(inputs), np.ones(inputs), rng.random((20, inputs))])
    expected = [exact_log_discount(discount.rates, row[discount.columns]) for row in levels]
    np.testing.assert_allclose(discount.log(levels), expected, rtol=1e-13, atol=1e-14)


@pytest.mark.parametrize("weights", BOTH)
def test_the_papers_rates_are_those_of_equation_8(weights: Any) -> None:
    order = Order.parse("a > b")
    w = (order.reversed() if weights == "ascending" else order).sample(np.random.default_rng(3))
    discount = PaperCost("a > b", weights=weights).at(7, cube(["b", "a"]), np.random.default_rng(3))
    x = np.array([0.3, 0.8])
    pi = [np.exp(-x[column] / (w[j] * 7 + 1)) / (w[j] * 7 + 1) for j, column in enumerate([1, 0])]
    expected = 1.0 - (1.0 - pi[0]) * (1.0 - pi[1])
    assert np.exp(discount.log(x[None, :])[0]) == pytest.approx(expected, rel=1e-12)
    assert w[0] <= w[1] if weights == "ascending" else w[0] >= w[1]


def test_a_rate_of_one_at_the_cheap_end_stays_finite() -> None:
    discount = ExponentialProduct(cube(["a"]), np.array([0]), np.array([1.0]))
    levels = np.zeros((1, 1))
    assert discount.log(levels)[0] == pytest.approx(0.0, abs=1e-14)
    assert np.all(np.isfinite(discount.log_slope(levels)))


def test_about_money_it_says_what_the_order_says() -> None:
    space = Space({"a": Real(0, 1), "b": Integer(1, 9), "c": Categorical(["x", "y"], expensive=["x"])})
    points = space.snap(np.random.default_rng(0).random((20, 3)))
    paper, order = (cost.over(space) for cost in (PaperCost("c > a"), OrderCost("c > a")))
    np.testing.assert_array_equal(paper.log_cost(points), order.log_cost(points))
    assert PaperCost("c > a").names() == ("c", "a")


def test_its_document_words_and_parts_keep_the_weights() -> None:
    cost = PaperCost("a > b > c", weights="printed")
    assert cost.document() == {"type": "paper", "order": "a > b > c", "weights": "printed"}
    assert cost.among(["c", "a"]) == PaperCost("a > c", weights="printed")
    assert cost.among([]) is None
    assert str(cost) == "a > b > c (Eq. 8, as printed)"
    assert str(PaperCost("a > b")) == "a > b (Eq. 8)"


@pytest.mark.parametrize("weights", ["descending", "", None, 1, np.array(["ascending", "printed"])], ids=label)
def test_unknown_weights_are_refused_with_what_is_possible(weights: Any) -> None:
    with pytest.raises(
        InvalidOptionError, match=r'^PaperCost: weights must be "ascending" or "printed", got '
    ) as caught:
        PaperCost("a > b", weights=weights)
    assert repr(weights) in str(caught.value)


def test_an_order_that_compares_too_little_is_refused_when_the_cost_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(weightings, "_MOST_PREFIXES", 100)
    with pytest.raises(InvalidOrderError, match=r"7 groups.*Compare more"):
        PaperCost("a, b, c, d, e, f, g")
