from __future__ import annotations

import json
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from camobo.arrays import Array
from camobo.cost.prices import Prices
from camobo.cost.reading import as_cost, read_cost
from camobo.errors import InvalidOptionError, InvalidOrderError
from camobo.space.inputs import Categorical, Integer, Real
from camobo.space.space import Space
from tests.support.strategies import law, params

ALLOY = Space(
    {
        "nickel": Real(0, 20, step=0.1),
        "chromium": Real(2, 20),
        "batch": Integer(1, 100, log=True),
        "rate": Real(1e-4, 1e-1, log=True),
        "soak": Real(20, 900, free=300),
        "quench": Categorical(["air", "oil", "vacuum"], expensive=["oil"]),
        "temper": Real(0, 1),
        "grain": Real(1, 9, expensive="low"),
    }
)
LIST = Prices(
    {"nickel": 13.9, "chromium": 9.4, "batch": 0.5, "rate": 1000, "soak": 0.02, "quench": {"oil": 2, "vacuum": 30}},
    per_trial=12,
)


def by_hand(point: dict[str, Any]) -> float:
    return float(
        12
        + 13.9 * point["nickel"]
        + 9.4 * point["chromium"]
        + 0.5 * point["batch"]
        + 1000 * point["rate"]
        + 0.02 * abs(point["soak"] - 300)
        + {"air": 0, "oil": 2, "vacuum": 30}[point["quench"]]
    )


def cost_at(prices: Prices, space: Space, **point: Any) -> float:
    return float(np.exp(prices.over(space).log_cost(space.to_unit(point)[None, :])[0]))


def corner(space: Space) -> Array:
    return np.full((1, space.dimension), 0.5)


class TestSum:
    @law
    @given(params(ALLOY))
    def test_it_is_the_sum_that_a_person_would_write_down(self, point: dict[str, Any]) -> None:
        assert cost_at(LIST, ALLOY, **point) == pytest.approx(by_hand(point), rel=1e-9)

    def test_a_category_or_number_without_a_price_is_free_and_so_is_a_choice(self) -> None:
        space = Space({"a": Real(0, 10), "b": Real(0, 10), "c": Categorical(["x", "y"], expensive=["x"])})
        prices = Prices({"a": 2, "c": {"y": 3}}, per_trial=1)
        assert [cost_at(prices, space, a=4, b=b, c=c) for b, c in ((0, "x"), (10, "x"), (5, "y"))] == pytest.approx(
            [9, 9, 12]
        )

    def test_the_start_of_a_range_costs_what_it_weighs(self) -> None:
        space = Space({"a": Real(50, 100)})
        assert cost_at(Prices({"a": 2}), space, a=50) == pytest.approx(100)

    def test_a_trial_that_costs_nothing_counts_as_a_millionth_of_the_most_expensive(self) -> None:
        space = Space({"a": Real(0, 100), "b": Categorical(["x", "y"])})
        prices = Prices({"a": 2, "b": {"y": 50}})
        assert cost_at(prices, space, a=0, b="x") == pytest.approx(250e-6)
        assert cost_at(prices, space, a=100, b="y") == pytest.approx(250, rel=1e-5)

    def test_a_trial_that_costs_something_however_it_is_made_is_exact(self) -> None:
        space = Space({"a": Real(0, 100), "b": Categorical(["x", "y"])})
        assert cost_at(Prices({"a": 2, "b": {"x": 4, "y": 50}}), space, a=0, b="x") == pytest.approx(4, rel=1e-12)

    def test_an_input_may_go_below_zero_if_trials_still_cost_something(self) -> None:
        space = Space({"a": Real(-5, 5)})
        prices = Prices({"a": 2}, per_trial=30)
        assert [cost_at(prices, space, a=a) for a in (-5, 0, 5)] == pytest.approx([20, 30, 40])

    def test_it_is_exact_and_no_receipt_changes_it(self) -> None:
        model = LIST.over(ALLOY)
        assert model.in_money
        assert model.fitted(corner(ALLOY), np.array([1e6])) is model

    def test_a_price_per_trial_alone_makes_every_point_cost_the_same(self) -> None:
        assert cost_at(Prices({}, per_trial=7), Space({"a": Real(0, 1)}), a=0.3) == pytest.approx(7)


class TestRest:
    def test_an_input_of_the_rest_adds_about_as_much_as_a_priced_one(self) -> None:
        prices = Prices({"nickel": 10, "quench": {"oil": 100}}, per_trial=12, rest="temper")
        cheap = {name: ALLOY.from_unit(ALLOY.cheapest())[name] for name in ALLOY.names}
        assert cost_at(prices, ALLOY, **cheap) == pytest.approx(12, rel=1e-4)
        assert cost_at(prices, ALLOY, **cheap | {"temper": 1}) == pytest.approx(12 + (200 + 100) / 2, rel=1e-4)

    def test_the_rest_keeps_its_order_and_may_be_expensive_at_the_low_end(self) -> None:
        prices = Prices({"nickel": 10}, per_trial=12, rest="grain > temper")
        cheap = ALLOY.from_unit(ALLOY.cheapest())
        grain, temper = (cost_at(prices, ALLOY, **cheap | one) - 12 for one in ({"grain": 1.0}, {"temper": 1.0}))
        assert [grain, temper] == pytest.approx([2 * 200 * 0.75, 2 * 200 * 0.25], rel=1e-3)

    def test_without_any_price_it_adds_about_as_much_as_a_trial_costs(self) -> None:
        prices = Prices({}, per_trial=40, rest="temper")
        assert cost_at(prices, Space({"temper": Real(0, 1)}), temper=1) == pytest.approx(80)
        assert cost_at(Prices({}, rest="temper"), Space({"temper": Real(0, 1)}), temper=1) == pytest.approx(1, rel=1e-5)

    def test_receipts_correct_it(self) -> None:
        model = Prices({"nickel": 10}, per_trial=12, rest="temper").over(ALLOY)
        learned = model.fitted(corner(ALLOY), np.array([500.0]))
        assert np.exp(learned.log_cost(corner(ALLOY))[0]) == pytest.approx(500)

    def test_it_must_be_in_the_space(self) -> None:
        with pytest.raises(InvalidOrderError, match=r"'tempr' is not an input[\s\S]*Did you mean 'temper'"):
            Prices({"nickel": 10}, rest="tempr").over(ALLOY)


class TestChoices:
    def test_choices_that_are_not_text_may_be_named_as_they_are_or_as_files_spell_them(self) -> None:
        space = Space({"c": Categorical([True, 2, 0.5, None, "x"])})
        named = Prices({"c": {True: 1, 2: 2, 0.5: 3, None: 4, "x": 5}})
        spelled = Prices({"c": {"true": 1, "2": 2, "0.5": 3, "none": 4, "x": 5}})
        assert named == spelled
        assert hash(named) == hash(spelled)
        assert [cost_at(named, space, c=c) for c in (True, 2, 0.5, None, "x")] == pytest.approx([1, 2, 3, 4, 5])

    def test_two_prices_for_choices_that_files_spell_alike_are_refused(self) -> None:
        with pytest.raises(InvalidOptionError, match=r"'c' has two prices for choices that are written alike, 1\."):
            Prices({"c": {1: 5, "1": 7}})

    def test_a_price_that_could_be_that_of_two_choices_is_refused(self) -> None:
        space = Space({"c": Categorical([1, "1", 2])})
        with pytest.raises(InvalidOptionError, match=r"written alike, 1 and '1', .* Rename one of them\."):
            Prices({"c": {1: 5}}).over(space)
        assert cost_at(Prices({"c": {2: 5}}, per_trial=1), space, c=2) == pytest.approx(6)


BAD = [
    # what is wrong; how to make it; what the message must say
    ("no mapping", lambda: Prices([("a", 1)]), ["need a price per input", "[('a', 1)]", '{"nickel": 13.9}']),  # type: ignore[arg-type]
    ("no prices", lambda: Prices(None), ["need a price per input", "None"]),  # type: ignore[arg-type]
    ("negative", lambda: Prices({"a": -1}), ["'a'", "at least 0", "got -1"]),
    ("NaN", lambda: Prices({"a": float("nan")}), ["'a'", "finite number", "nan"]),
    ("infinite", lambda: Prices({"a": float("inf")}), ["'a'", "finite number", "inf"]),
    ("thousands of digits", lambda: Prices({"a": 10**400}), ["'a'", "finite number", "1000"]),
    ("true", lambda: Prices({"a": True}), ["'a'", "finite number", "True"]),
    ("NumPy's true", lambda: Prices({"a": np.True_}), ["'a'", "finite number", "True"]),  # type: ignore[dict-item]
    ("text", lambda: Prices({"a": "13.9"}), ["'a'", "finite number", "'13.9'"]),  # type: ignore[dict-item]
    ("nothing", lambda: Prices({"a": None}), ["'a'", "finite number", "None"]),  # type: ignore[dict-item]
    ("negative choice", lambda: Prices({"c": {"oil": -2}}), ["'c', choice 'oil'", "at least 0", "-2"]),
    ("negative per trial", lambda: Prices({"a": 1}, per_trial=-3), ["per_trial", "at least 0", "-3"]),
    ("blank name", lambda: Prices({" ": 1}), ["name", "not blank", "' '"]),
    ("name that is no text", lambda: Prices({3: 1}), ["name", "text", "3"]),  # type: ignore[dict-item]
    (
        "named twice",
        lambda: Prices({"a": 1}, rest="b > a"),
        ["'a' has a price and is in rest too", "Leave it out of one"],
    ),
]


@pytest.mark.parametrize(("make", "said"), [row[1:] for row in BAD], ids=[row[0] for row in BAD])
def test_a_price_list_that_cannot_be_is_refused_by_name(make: Any, said: list[str]) -> None:
    with pytest.raises(InvalidOptionError, match=r"^Prices: ") as caught:
        make()
    assert all(words in str(caught.value) for words in said), str(caught.value)


UNFIT = [
    (
        "unknown input",
        Prices({"nikel": 1}),
        ["'nikel' is not an input.", "Did you mean 'nickel'?", "The space has nickel, "],
    ),
    ("price per unit of choices", Prices({"quench": 3}), ["'quench' needs a price per choice", "got 3.0", "{'air': "]),
    ("price per choice of a number", Prices({"nickel": {"a": 1}}), ["'nickel' needs one price per unit", "'a': 1.0"]),
    (
        "unknown choice",
        Prices({"quench": {"oill": 1}}),
        ["no choice 'oill'.", "Did you mean 'oil'?", "air, oil, vacuum"],
    ),
    (
        "expensive at its low end",
        Prices({"grain": 2}),
        ["'grain' is expensive at its low end", "Use a Formula", "in rest"],
    ),
    ("all free", Prices({"nickel": 0, "quench": {"oil": 0}}), ["every trial is free", "leave the cost out"]),
    ("nothing said", Prices({}), ["every trial is free"]),
]


@pytest.mark.parametrize(("prices", "said"), [row[1:] for row in UNFIT], ids=[row[0] for row in UNFIT])
def test_a_price_list_that_does_not_fit_the_space_is_refused_with_the_place(prices: Prices, said: list[str]) -> None:
    with pytest.raises(InvalidOptionError, match=r"^Prices: ") as caught:
        prices.over(ALLOY)
    assert all(words in str(caught.value) for words in said), str(caught.value)


def test_trials_that_would_earn_money_are_refused_with_what_to_do() -> None:
    space = Space({"a": Real(-5, 5)})
    with pytest.raises(InvalidOptionError, match=r"cheapest trial would cost -7, because .* below 0\. Raise per_trial"):
        Prices({"a": 2}, per_trial=3).over(space)
    with pytest.raises(InvalidOptionError, match="cheapest trial would cost"):
        Prices({"a": 2}).over(Space({"a": Real(-5, -1)}))
    assert cost_at(Prices({"a": 2}), Space({"a": Real(-5, 5, free=0)}), a=-5) == pytest.approx(10)
    assert cost_at(Prices({"a": 0.1}, per_trial=0.3), Space({"a": Real(-3, 5)}), a=5) == pytest.approx(0.8, rel=1e-5)


@pytest.mark.parametrize("given", [Real(0, 1e300), Real(-1e300, 1e300), Real(1e-300, 1e300, log=True)])
def test_costs_beyond_floating_point_are_refused(given: Real) -> None:
    with pytest.raises(InvalidOptionError, match="more than floating point can hold"):
        Prices({"a": 1e20}, per_trial=1, rest="b").over(Space({"a": given, "b": Real(0, 1)}))


class TestValue:
    @pytest.mark.parametrize("rest", [None, "grain > temper"])
    def test_its_document_describes_the_same_list_also_as_json(self, rest: str | None) -> None:
        prices = Prices(dict(LIST.prices), per_trial=12, rest=rest)
        assert as_cost(read_cost(json.loads(json.dumps(prices.document())))) == prices
        assert as_cost(read_cost(prices.document())) == prices

    def test_its_document_reads_as_it_was_written(self) -> None:
        assert Prices({"a": 1, "c": {2: 5}}, rest="b").document() == {
            "type": "prices",
            "prices": {"a": 1.0, "c": {"2": 5.0}},
            "per_trial": 0.0,
            "rest": "b",
        }

    def test_it_can_be_sent_and_compared_and_cannot_be_changed(self) -> None:
        assert pickle.loads(pickle.dumps(LIST)) == LIST
        assert hash(pickle.loads(pickle.dumps(LIST))) == hash(LIST)
        assert Prices({"a": 1}) != Prices({"a": 2})
        with pytest.raises(TypeError):
            LIST.prices["nickel"] = 0  # type: ignore[index]
        with pytest.raises(AttributeError):
            LIST.per_trial = 0  # type: ignore[misc]

    def test_changing_the_mapping_it_was_made_from_does_not_change_it(self) -> None:
        given: dict[str, Any] = {"a": 1, "c": {"x": 2}}
        prices = Prices(given)
        given["a"], given["c"]["x"] = 5, 5
        assert prices == Prices({"a": 1, "c": {"x": 2}})

    def test_numbers_from_numpy_are_taken(self) -> None:
        half: Any = np.float32(0.5)
        three: Any = np.int64(3)
        assert Prices({"a": half}, per_trial=three) == Prices({"a": 0.5}, per_trial=3)

    def test_it_names_the_priced_inputs_and_then_the_rest(self) -> None:
        assert Prices({"b": 1, "a": 2}, rest="d > c").names() == ("b", "a", "d", "c")

    def test_it_says_what_costs_what(self) -> None:
        prices = Prices({"nickel": 13.9, "quench": {"oil": 2}}, per_trial=12, rest="soak > temper")
        assert str(prices) == "nickel 13.9, quench by choice, 12 per trial; the rest: soak > temper"

    def test_among_fewer_inputs_it_keeps_their_prices_and_is_nothing_if_all_of_them_are_free(self) -> None:
        prices = Prices({"a": 1, "b": 0}, rest="c > d")
        assert prices.among({"a", "c"}) == Prices({"a": 1}, rest="c")
        assert prices.among(["b"]) is None
        assert Prices({"a": 1}, per_trial=3).among(["z"]) == Prices({}, per_trial=3)


@law
@given(st.data())
def test_slopes_of_an_exact_list_are_those_of_central_differences(data: st.DataObject) -> None:
    model, step = LIST.over(ALLOY), 1e-6
    points = ALLOY.snap(np.random.default_rng(data.draw(st.integers(0, 2**32))).uniform(0.01, 0.99, (3, 8)))
    for name in ("chromium", "rate", "soak"):
        move = step * np.eye(8)[ALLOY.names.index(name)]
        differences = (model.log_cost(points + move) - model.log_cost(points - move)) / (2 * step)
        slope = model.log_cost_slope(points)[:, ALLOY.names.index(name)]
        away = np.abs(points[:, 4] - (300 - 20) / 880) > 1e-4
        np.testing.assert_allclose(slope[away], differences[away], rtol=1e-5, atol=1e-8)
