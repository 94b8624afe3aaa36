"""The laws that every cost model obeys."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
import pytest
from hypothesis import assume, given, note
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from camobo.arrays import Array
from camobo.cost import weightings
from camobo.cost.additive import AdditiveCost
from camobo.cost.moment import Moment
from camobo.cost.order import Order
from camobo.cost.paper import PaperCost
from camobo.cost.protocol import Cost, Discount
from camobo.errors import InvalidOrderError
from tests.support.strategies import law, moments, stated_orders

Model: TypeAlias = PaperCost | AdditiveCost

ROUNDING = 1e-12
KINDS = ("paper ascending", "paper printed", "additive centre", "additive drawn")
OBEDIENT = tuple(kind for kind in KINDS if kind != "paper printed")
ADDITIVE = tuple(kind for kind in KINDS if kind.startswith("additive"))


def model(kind: str, order: str | Sequence[str] | Order) -> Model:
    if kind.startswith("paper"):
        return PaperCost(order, weights="printed" if kind.endswith("printed") else "ascending")
    return AdditiveCost(order, weights="drawn" if kind.endswith("drawn") else "centre")


@dataclass(frozen=True)
class Case:
    """An order, the inputs of a space that has those of the order and others, a moment and a seed."""

    order: Order
    names: list[str]
    moment: Moment
    seed: int

    def discounts(self, kinds: Sequence[str] = KINDS) -> Iterator[Discount]:
        """The discount of each kind of cost model."""
        for kind in kinds:
            note(kind)  # shown if a law fails
            yield model(kind, self.order).at(self.moment, self.names, np.random.default_rng(self.seed))

    def column(self, name: str) -> int:
        return self.names.index(name)


@st.composite
def cases(draw: st.DrawFn, *, strangers: tuple[int, int] = (0, 2), tie: bool = False) -> Case:
    """Cases with so many inputs that the order does not name and, on request, a tie in the order."""
    stated = draw(stated_orders(most=7))
    twin = f", {draw(st.sampled_from(stated.names))} = twin of it" if tie else ""
    order = Order.parse(stated.text + twin)
    others = [f"stranger {i}" for i in range(draw(st.integers(*strangers)))]
    return Case(order, draw(st.permutations([*order.names, *others])), draw(moments()), draw(st.integers(0, 2**32)))


def level_rows(width: int) -> st.SearchStrategy[Array]:
    """(4, width) levels, often at an end."""
    return hnp.arrays(np.float64, (4, width), elements=st.floats(0.0, 1.0) | st.sampled_from([0.0, 1.0]))


def leverage(discount: Discount, d: int) -> float:
    """log of max (1 − C) / min (1 − C) over the cube: both lie at its ends, because a higher level never costs less."""
    cheap, expensive = discount.log(np.vstack([np.zeros(d), np.ones(d)]))
    return float(cheap - expensive)


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
        for discount in case.discounts(OBEDIENT):
            assert np.all(discount.log(one) <= discount.log(other) + ROUNDING)

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
    def test_a_cost_without_a_budget_fades_as_the_steps_continue(self, case: Case) -> None:
        d = len(case.names)
        late, later = (replace(case, moment=Moment(step)).discounts() for step in (10**8, 10**14))
        for before, after in zip(late, later, strict=True):
            assert 0.0 <= leverage(after, d) <= leverage(before, d) + ROUNDING
            assert leverage(after, d) < 1e-4

    @law
    @given(cases(strangers=(0, 0)), st.integers(1, 10_000))
    def test_an_additive_cost_fades_steadily_and_is_gone_when_the_budget_is_spent(
        self, case: Case, budget: int
    ) -> None:
        steps = np.unique(np.linspace(1, budget + 1, 6).astype(int)).tolist()
        moments = [Moment(step, budget) for step in (*steps, budget + 500)]
        by_moment = [list(replace(case, moment=moment).discounts(ADDITIVE)) for moment in moments]
        for discounts in zip(*by_moment, strict=True):
            *left, overspent = (leverage(discount, len(case.names)) for discount in discounts)
            assert left[0] > 0.1
            assert np.all(np.diff(left) < 0)
            assert left[-1] == overspent == 0.0

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


class TestDraws:
    @pytest.mark.parametrize("kind", ["paper ascending", "paper printed", "additive drawn"])
    def test_a_model_that_draws_weights_draws_them_from_the_generator_it_gets(self, kind: str) -> None:
        corner = np.array([[1.0, 0.0, 0.0]])
        one, same, other = (
            model(kind, "a > b, c").at(Moment(5), ["a", "b", "c"], np.random.default_rng(seed)).log(corner)[0]
            for seed in (1, 1, 2)
        )
        assert one == same != other


class TestModels:
    @pytest.mark.parametrize("kind", KINDS)
    def test_every_model_has_the_shape_of_the_protocol(self, kind: str) -> None:
        cost = model(kind, "a > b")
        assert isinstance(cost, Cost)
        assert cost.order == Order.parse("a > b")
        assert 0.0 <= cost.exploration_bonus(Moment(5, 10)) <= 1.0

    @pytest.mark.parametrize("kind", KINDS)
    def test_an_order_that_compares_too_little_is_refused_when_the_model_is_made(
        self, kind: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(weightings, "_MOST_PREFIXES", 100)
        with pytest.raises(InvalidOrderError, match=r"7 groups.*Compare more"):
            model(kind, "a, b, c, d, e, f, g")
        assert set(model(kind, "a, b, c, d, e, f, g, a = b").order.names) == set("abcdefg")
