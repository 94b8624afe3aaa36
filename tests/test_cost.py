from __future__ import annotations

import decimal
from collections.abc import Sequence
from decimal import Decimal
from typing import Any, Literal, TypeAlias

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from camobo.cost import AdditiveCost, Cost, Discount, ExponentialProduct, Moment, PaperCost, as_cost
from camobo.errors import InvalidOptionError, InvalidOrderError
from camobo.inputs import Array
from camobo.order import Order
from strategies import Stated, label, law, stated_orders

Model: TypeAlias = PaperCost | AdditiveCost

ROUNDING = 1e-12
KINDS = ("paper ascending", "paper printed", "additive centre", "additive drawn")
OBEDIENT = tuple(kind for kind in KINDS if kind != "paper printed")
every_kind = pytest.mark.parametrize("kind", KINDS)
every_obedient_kind = pytest.mark.parametrize("kind", OBEDIENT)


def model(kind: str, order: str | Sequence[str] | Order) -> Model:
    if kind.startswith("paper"):
        return PaperCost(order, weights="printed" if kind.endswith("printed") else "ascending")
    return AdditiveCost(order, weights="drawn" if kind.endswith("drawn") else "centre")


@st.composite
def moments(draw: st.DrawFn) -> Moment:
    step = st.integers(1, 30) | st.integers(1, 10_000) | st.just(10_000)
    budget = st.none() | st.integers(1, 60) | st.integers(1, 10_000)
    return Moment(draw(step), draw(budget), draw(st.integers(1, 10)))


@st.composite
def cases(draw: st.DrawFn, *, strangers: int = 2) -> tuple[Stated, list[str], Moment, int]:
    """An order of up to eight inputs, the names of a space that holds them and up to two others, a moment, a seed."""
    stated = draw(stated_orders(most=8))
    others = [f"stranger {i}" for i in range(draw(st.integers(0, strangers)))]
    return stated, draw(st.permutations([*stated.names, *others])), draw(moments()), draw(st.integers(0, 2**32))


def discount_of(kind: str, case: tuple[Stated, list[str], Moment, int]) -> tuple[Order, Discount]:
    stated, names, moment, seed = case
    order = Order.parse(stated.text)
    return order, model(kind, order).at(moment, names, np.random.default_rng(seed))


@st.composite
def level_rows(draw: st.DrawFn, width: int, *, rows: int = 4) -> Array:
    level = st.floats(0.0, 1.0) | st.sampled_from([0.0, 1.0])
    return draw(hnp.arrays(np.float64, (rows, width), elements=level))


class TestLaws:
    @every_kind
    @law
    @given(cases(), st.data())
    def test_a_cost_is_at_least_zero_and_below_one(
        self, kind: str, case: tuple[Stated, list[str], Moment, int], data: st.DataObject
    ) -> None:
        _, discount = discount_of(kind, case)
        d = len(case[1])
        levels = np.vstack([data.draw(level_rows(d)), np.zeros((1, d)), np.ones((1, d))])
        log = discount.log(levels)
        assert log.shape == (len(levels),)
        assert np.all(np.isfinite(log))
        assert np.all(log <= 0.0)
        cost = -np.expm1(log)
        assert np.all((cost >= 0.0) & (cost < 1.0))

    @every_kind
    @law
    @given(cases(), st.data())
    def test_moving_a_listed_input_away_from_its_cheap_end_never_costs_less(
        self, kind: str, case: tuple[Stated, list[str], Moment, int], data: st.DataObject
    ) -> None:
        stated, names, _, _ = case
        _, discount = discount_of(kind, case)
        here = data.draw(level_rows(len(names)))
        column = names.index(data.draw(st.sampled_from(stated.names)))
        dearer = here.copy()
        dearer[:, column] += (1.0 - here[:, column]) * data.draw(st.floats(0.0, 1.0))
        assert np.all(discount.log(dearer) <= discount.log(here) + ROUNDING)
        assert np.all(discount.log_slope(here)[:, column] <= 0.0)

    @every_obedient_kind
    @law
    @given(cases(), st.data())
    def test_the_larger_of_two_values_never_costs_less_on_the_dearer_of_two_inputs(
        self, kind: str, case: tuple[Stated, list[str], Moment, int], data: st.DataObject
    ) -> None:
        stated, names, _, _ = case
        order, discount = discount_of(kind, case)
        pairs = [(a, b) for a in stated.names for b in stated.names if order.dearer(a, b)]
        assume(pairs)
        dear, cheap = map(names.index, data.draw(st.sampled_from(pairs)))
        one = data.draw(level_rows(len(names)))
        one[:, [cheap, dear]] = np.sort(one[:, [cheap, dear]], axis=1)
        other = one.copy()
        other[:, [dear, cheap]] = one[:, [cheap, dear]]
        assert np.all(discount.log(one) <= discount.log(other) + ROUNDING)

    @every_kind
    @law
    @given(cases(), st.data())
    def test_tied_inputs_can_be_exchanged_without_a_change_of_cost(
        self, kind: str, case: tuple[Stated, list[str], Moment, int], data: st.DataObject
    ) -> None:
        _, names, _, _ = case
        order, discount = discount_of(kind, case)
        ties = [group for group in order.groups if len(group) > 1]
        assume(ties)
        a, b = map(names.index, data.draw(st.sampled_from(ties))[:2])
        one = data.draw(level_rows(len(names)))
        other = one.copy()
        other[:, [a, b]] = one[:, [b, a]]
        np.testing.assert_allclose(discount.log(one), discount.log(other), rtol=0, atol=ROUNDING)

    @every_kind
    @law
    @given(cases(strangers=0))
    def test_a_cost_without_a_budget_fades_as_the_steps_go_on_for_ever(
        self, kind: str, case: tuple[Stated, list[str], Moment, int]
    ) -> None:
        stated, names, _, seed = case
        late, later = (
            leverage(discount_of(kind, (stated, names, Moment(step), seed))[1], len(names)) for step in (10**8, 10**14)
        )
        assert 0.0 <= later <= late + ROUNDING
        assert later < 1e-4

    @pytest.mark.parametrize("kind", ["additive centre", "additive drawn"])
    @law
    @given(cases(strangers=0), st.integers(1, 10_000))
    def test_an_additive_cost_fades_steadily_and_is_gone_when_the_budget_is_spent(
        self, kind: str, case: tuple[Stated, list[str], Moment, int], budget: int
    ) -> None:
        stated, names, _, seed = case
        steps = np.unique(np.linspace(1, budget + 1, 6).astype(int)).tolist()
        left = [
            leverage(discount_of(kind, (stated, names, Moment(step, budget), seed))[1], len(names)) for step in steps
        ]
        assert left[0] > 0.1
        assert np.all(np.diff(left) < 0)
        assert left[-1] == 0.0
        spent = discount_of(kind, (stated, names, Moment(budget + 500, budget), seed))[1]
        assert leverage(spent, len(names)) == 0.0

    @every_kind
    @law
    @given(cases(), st.data())
    def test_inputs_the_order_does_not_name_do_not_enter(
        self, kind: str, case: tuple[Stated, list[str], Moment, int], data: st.DataObject
    ) -> None:
        stated, names, _, _ = case
        _, discount = discount_of(kind, case)
        unnamed = [j for j, name in enumerate(names) if name not in stated.names]
        assume(unnamed)
        one, moved = data.draw(level_rows(len(names))), data.draw(level_rows(len(names)))
        other = one.copy()
        other[:, unnamed] = moved[:, unnamed]
        np.testing.assert_array_equal(discount.log(one), discount.log(other))
        assert np.all(discount.log_slope(one)[:, unnamed] == 0.0)


def leverage(discount: Discount, d: int) -> float:
    """log of max (1 − C) / min (1 − C) over the cube: both lie at its ends, by law 2."""
    cheap, dear = discount.log(np.vstack([np.zeros(d), np.ones(d)]))
    return float(cheap - dear)


class TestTheErratum:
    def test_as_printed_the_cheap_input_is_the_dear_one_in_every_case(self) -> None:
        rng = np.random.default_rng(0)
        passes: dict[Literal["printed", "ascending"], int] = {"printed": 0, "ascending": 0}
        tries = 2_000
        for _ in range(tries):
            step = int(10 ** rng.uniform(0, 4))
            low, high = np.sort(rng.random(2))
            for weights in passes:
                discount = PaperCost("dear > cheap", weights=weights).at(Moment(step), ["dear", "cheap"], rng)
                dear_high, cheap_high = discount.log(np.array([[high, low], [low, high]]))
                passes[weights] += bool(dear_high < cheap_high)  # 1 − C is smaller: it costs more
        assert passes == {"printed": 0, "ascending": tries}


class TestSlopes:
    @every_kind
    @law
    @given(cases(), st.data())
    def test_slopes_are_those_of_central_differences(
        self, kind: str, case: tuple[Stated, list[str], Moment, int], data: st.DataObject
    ) -> None:
        _, discount = discount_of(kind, case)
        d, step = len(case[1]), 1e-5
        levels = step + (1.0 - 2 * step) * data.draw(level_rows(d))
        slope = discount.log_slope(levels)
        assert slope.shape == levels.shape
        for j in range(d):
            move = step * np.eye(d)[j]
            differences = (discount.log(levels + move) - discount.log(levels - move)) / (2 * step)
            np.testing.assert_allclose(slope[:, j], differences, rtol=1e-5, atol=1e-8)


def exact_log_discount(rates: Array, levels: Array) -> float:
    """log(1 − Π (1 − λ exp(−λ x))) with sixty digits."""
    with decimal.localcontext() as context:
        context.prec = 60
        product = Decimal(1)
        for rate, level in zip(rates.tolist(), levels.tolist(), strict=True):
            product *= 1 - Decimal(rate) * (-Decimal(rate) * Decimal(level)).exp()
        return float((1 - product).ln())


class TestAccuracy:
    @pytest.mark.parametrize("step", [1, 100, 10**4, 10**8, 10**12])
    @pytest.mark.parametrize("inputs", [1, 2, 8])
    def test_the_logarithm_of_the_papers_discount_is_exact_to_rounding_however_late(
        self, step: int, inputs: int
    ) -> None:
        names = [f"x{j}" for j in range(inputs)]
        rng = np.random.default_rng(inputs)
        discount = PaperCost(names).at(Moment(step), names, rng)
        assert isinstance(discount, ExponentialProduct)
        levels = np.vstack([np.zeros(inputs), np.ones(inputs), rng.random((20, inputs))])
        expected = [exact_log_discount(discount.rates, row[discount.columns]) for row in levels]
        np.testing.assert_allclose(discount.log(levels), expected, rtol=1e-13, atol=1e-14)

    def test_the_papers_rates_are_those_of_equation_8(self) -> None:
        w = Order.parse("a > b").reversed().sample(np.random.default_rng(3))
        discount = PaperCost("a > b").at(Moment(7), ["b", "a"], np.random.default_rng(3))
        x = np.array([0.3, 0.8])
        pi = [np.exp(-x[column] / (w[j] * 7 + 1)) / (w[j] * 7 + 1) for j, column in enumerate([1, 0])]
        expected = 1.0 - (1.0 - pi[0]) * (1.0 - pi[1])
        assert np.exp(discount.log(x[None, :])[0]) == pytest.approx(expected, rel=1e-12)
        assert w[0] <= w[1]

    def test_an_additive_cost_is_an_exponential_of_the_weighted_levels_over_a_guessed_price(self) -> None:
        order = Order.parse("a > b = c")
        cost = AdditiveCost(order, strength=3.0, cooling=2.0, power=0.5)
        levels = np.random.default_rng(1).random((5, 3))
        weighted = levels @ order.centre()
        for step, left, power in ((1, 1.0, 0.5), (71, 0.3, 0.5), (98, 0.03, 0.045)):
            discount = cost.at(Moment(step, 100), order.names, np.random.default_rng(0))
            price = (0.1 + weighted) / 0.1
            expected = np.exp(-3.0 * left**2 * weighted) / price**power
            np.testing.assert_allclose(np.exp(discount.log(levels)), expected, rtol=1e-12)

    def test_an_additive_cost_yields_sooner_to_more_objectives_than_two(self) -> None:
        cost, corner = AdditiveCost("a > b", power=0.0), np.ones((1, 2))
        one, two, three, ten = (
            cost.at(Moment(51, 100, objectives), ["a", "b"], np.random.default_rng(0)).log(corner)[0]
            for objectives in (1, 2, 3, 10)
        )
        assert one == two < three < ten < 0.0
        assert three == pytest.approx(two * 0.5**cost.cooling / 4.0)

    def test_a_promise_for_the_money_counts_less_with_more_objectives_than_two(self) -> None:
        cost, corner = AdditiveCost("a > b", strength=0.0), np.ones((1, 2))
        one, two, three = (
            cost.at(Moment(1, 100, objectives), ["a", "b"], np.random.default_rng(0)).log(corner)[0]
            for objectives in (1, 2, 3)
        )
        assert one == two == pytest.approx(-np.log(11.0))
        assert three == pytest.approx(two / 4.0)

    def test_without_strength_and_power_there_is_no_cost(self) -> None:
        cost = AdditiveCost("a > b", strength=0.0, power=0.0)
        discount = cost.at(Moment(1, 10), ["a", "b"], np.random.default_rng(0))
        assert np.all(discount.log(np.random.default_rng(0).random((5, 2))) == 0.0)

    def test_a_small_budget_is_spared_unless_numbers_are_given(self) -> None:
        corner = np.ones((1, 2))

        def dearest(cost: AdditiveCost, budget: int | None) -> float:
            return float(cost.at(Moment(1, budget, inputs=5), ["a", "b"], np.random.default_rng(0)).log(corner)[0])

        own, given = AdditiveCost("a > b"), AdditiveCost("a > b", strength=8.0, indifference=0.035)
        assert dearest(own, 500) == dearest(own, 75) < dearest(own, 50) < dearest(own, 10) < -np.log(11.0)
        assert dearest(own, 50) < dearest(own, None) < dearest(own, 30)
        many, enough, few = (own.curiosity(Moment(1 + budget // 2, budget, inputs=2)) for budget in (500, 52, 50))
        assert many == enough > few > 0.0
        assert dearest(given, 10) == dearest(given, 100) == dearest(own, 100)
        half = [Moment(6, 10), Moment(51, 100)]
        assert given.curiosity(half[0]) == given.curiosity(half[1]) == own.curiosity(half[1])

    @law
    @given(moments(), st.floats(0.0, 1.0))
    def test_curiosity_grows_as_the_budget_is_spent_and_ends_with_it(self, moment: Moment, share: float) -> None:
        cost = AdditiveCost("a > b", indifference=share)
        now, later = (Moment(step, moment.budget) for step in (moment.step, moment.step + 1))
        assert share >= cost.curiosity(now) >= 0.0
        assert cost.curiosity(now) <= cost.curiosity(later) or later.left < 0.1
        assert 0.0 < now.left < 1.0 or cost.curiosity(now) == 0.0

    def test_with_three_objectives_only_a_given_indifference_makes_curious(self) -> None:
        half = Moment(51, 100, objectives=3, inputs=2)
        assert AdditiveCost("a > b").curiosity(half) == 0.0
        assert AdditiveCost("a > b", indifference=0.1).curiosity(half) == pytest.approx(0.1 * 0.5**4.25)


class TestDraws:
    @pytest.mark.parametrize("kind", ["paper ascending", "additive drawn"])
    def test_a_model_that_draws_weights_draws_them_from_the_generator_it_is_given(self, kind: str) -> None:
        corner = np.array([[1.0, 0.0, 0.0]])
        one, same, other = (
            model(kind, "a > b, c").at(Moment(5), ["a", "b", "c"], np.random.default_rng(seed)).log(corner)[0]
            for seed in (1, 1, 2)
        )
        assert one == same != other

    def test_the_centre_of_an_order_needs_no_draw(self) -> None:
        rng = np.random.default_rng(0)
        before = rng.bit_generator.state
        AdditiveCost("a > b").at(Moment(5), ["a", "b"], rng)
        assert rng.bit_generator.state == before


class TestMoments:
    @law
    @given(st.integers(1, 200), st.integers(1, 12), st.integers(1, 30))
    def test_a_larger_budget_leaves_no_less_of_an_input_out_at_first(
        self, budget: int, objectives: int, inputs: int
    ) -> None:
        small, large = (Moment(1, evaluations, objectives, inputs) for evaluations in (budget, budget + 10))
        assert 0.5 <= large.cheap_side <= small.cheap_side < 1.0
        assert (large.cheap_side < small.cheap_side) == (small.ample < 1.0)

    @law
    @given(moments())
    def test_what_is_left_of_a_budget_falls_from_one_to_zero(self, moment: Moment) -> None:
        assert 0.0 <= moment.left <= 1.0
        assert Moment(1, moment.budget).left == 1.0
        assert Moment(moment.step + 1, moment.budget).left <= moment.left
        assert (moment.left == 0.0) == (moment.budget is not None and moment.step > moment.budget)


class TestAsCost:
    def test_none_is_no_cost(self) -> None:
        assert as_cost(None, ["a"]) is None
        assert as_cost(None, ["a"], paper=True) is None

    @pytest.mark.parametrize("given", ["a > b", ["a", "b"], ("a", "b"), Order.parse("a > b")], ids=label)
    def test_an_order_in_any_form_becomes_an_additive_cost_and_for_the_paper_equation_8(self, given: Any) -> None:
        assert as_cost(given, ["b", "a"]) == AdditiveCost("a > b")
        assert as_cost(given, ["b", "a"], paper=True) == PaperCost("a > b")

    @pytest.mark.parametrize("given", [PaperCost("a > b", weights="printed"), AdditiveCost("a > b", strength=2)])
    @pytest.mark.parametrize("paper", [False, True])
    def test_a_cost_model_stays_itself(self, given: Model, paper: bool) -> None:
        assert as_cost(given, ["a", "b", "c"], paper=paper) is given
        assert isinstance(given, Cost)

    @pytest.mark.parametrize("given", [{"a": 18.0, "b": 9.4}, lambda params: params["a"], len], ids=label)
    def test_prices_and_functions_say_that_they_are_not_built_and_what_to_do(self, given: Any) -> None:
        with pytest.raises(InvalidOptionError, match="cost: prices and cost functions") as caught:
            as_cost(given, ["a", "b"])
        assert repr(given) in str(caught.value)
        assert '"nickel > chromium"' in str(caught.value)

    @pytest.mark.parametrize("given", [3, 2.5, True, float("nan"), {"a", "b"}, object(), b"a > b", [1, 2]], ids=label)
    def test_what_says_nothing_about_cost_is_refused_with_an_example(self, given: Any) -> None:
        with pytest.raises(InvalidOrderError) as caught:
            as_cost(given, ["a", "b"])
        assert repr(given) in str(caught.value)
        assert '"nickel > chromium"' in str(caught.value)

    @pytest.mark.parametrize("given", ["a > z", ["z"], Order.parse("z"), PaperCost("a > z"), AdditiveCost("z > a")])
    def test_an_input_the_space_lacks_is_refused_by_name(self, given: Any) -> None:
        with pytest.raises(InvalidOrderError, match=r"'z' is not an input[\s\S]*The space has a, b"):
            as_cost(given, ["a", "b"])

    @every_kind
    def test_an_order_that_leaves_too_much_open_is_refused_when_the_cost_is_made(self, kind: str) -> None:
        names = [f"x{j}" for j in range(18)]
        with pytest.raises(InvalidOrderError, match=r"18 groups.*Compare more"):
            model(kind, ", ".join(names))
        assert set(model(kind, f"{', '.join(names)}, x0 = x1").order.names) == set(names)

    @pytest.mark.parametrize("paper", [False, True])
    def test_a_bare_order_that_leaves_too_much_open_is_refused_too(self, paper: bool) -> None:
        names = [f"x{j}" for j in range(18)]
        with pytest.raises(InvalidOrderError, match=r"18 groups.*Compare more"):
            as_cost(", ".join(names), names, paper=paper)

    def test_options_of_cost_models_are_checked_by_name(self) -> None:
        with pytest.raises(InvalidOptionError, match=r"PaperCost: weights .*'descending'"):
            PaperCost("a > b", weights="descending")  # type: ignore[arg-type]
        with pytest.raises(InvalidOptionError, match=r"AdditiveCost: weights .*'mean'"):
            AdditiveCost("a > b", weights="mean")  # type: ignore[arg-type]
        both: Any = np.array(["centre", "printed"])
        for make in (PaperCost, AdditiveCost):
            with pytest.raises(InvalidOptionError, match=r"weights .*array"):
                make("a > b", weights=both)

    def test_numbers_of_numpy_are_as_good_as_python_s(self) -> None:
        numbers: Any = {"strength": np.int64(4), "cooling": np.float32(2), "indifference": np.float16(0.5)}
        assert AdditiveCost("a", **numbers) == AdditiveCost("a", strength=4, cooling=2, indifference=0.5)
        assert type(AdditiveCost("a", **numbers).strength) is float

    @pytest.mark.parametrize("option", ["strength", "cooling", "indifference", "power"])
    @pytest.mark.parametrize(
        "value", [-1.0, float("inf"), float("nan"), "4", True, np.True_, np.ones(2), [], 1e3, 10**400], ids=label
    )
    def test_a_number_of_a_cost_model_that_cannot_be_is_refused_by_name(self, option: str, value: Any) -> None:
        with pytest.raises(InvalidOptionError, match=f"AdditiveCost: {option}") as caught:
            AdditiveCost("a > b", **{option: value})
        assert repr(value) in str(caught.value)
