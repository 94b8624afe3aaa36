from __future__ import annotations

import itertools
import math
from datetime import date
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import chisquare

from camobo import space as space_module
from camobo.errors import InvalidOptionError, InvalidSpaceError, InvalidValueError
from camobo.inputs import Array, Categorical, Input, Integer, Real
from camobo.space import Space
from camobo.trial import State
from strategies import categoricals, inputs, integers, law, params, reals, spaces, stepped, units, values


def same(a: Any, b: Any) -> bool:
    """Equal and of one type: 1 is not True."""
    return type(a) is type(b) and a == b


def uniform(count: int, dimension: int = 1, seed: int = 0) -> Array:
    return np.random.default_rng(seed).random((count, dimension))


class TestParamsAndUnitCube:
    @law
    @given(st.data())
    def test_whole_numbers_and_choices_survive_the_unit_cube_exactly(self, data: st.DataObject) -> None:
        space = data.draw(spaces(of=st.one_of(integers(), categoricals())))
        point = data.draw(params(space))
        back = space.from_unit(space.to_unit(point))
        assert all(same(back[name], point[name]) for name in space.names), back

    @law
    @given(st.data())
    def test_reals_survive_the_unit_cube_to_twelve_digits_of_their_range(self, data: st.DataObject) -> None:
        real = data.draw(reals())
        value = data.draw(values(real))
        # No map can beat the spacing of the numbers themselves, which is all that is left of a narrow range far from 0.
        spacing = 4 * math.ulp(max(abs(real.low), abs(real.high)))
        assert abs(real.from_unit(real.to_unit(value)) - value) <= 1e-12 * (real.high - real.low) + spacing

    @law
    @given(reals())
    def test_the_ends_of_a_real_are_exactly_zero_and_one(self, real: Real) -> None:
        assert (real.to_unit(real.low), real.to_unit(real.high)) == (0.0, 1.0)
        assert (real.from_unit(0.0), real.from_unit(1.0)) == (real.low, real.high)

    @law
    @given(st.data())
    def test_coordinates_lie_in_the_unit_cube(self, data: st.DataObject) -> None:
        space = data.draw(spaces())
        unit = space.to_unit(data.draw(params(space)))
        assert unit.shape == (space.dimension,)
        assert np.all((unit >= 0) & (unit <= 1))

    @law
    @given(st.data())
    def test_every_point_of_the_unit_cube_has_params_the_space_accepts(self, data: st.DataObject) -> None:
        space = data.draw(spaces())
        for unit in data.draw(units(space)):
            point = space.from_unit(unit)
            checked = space.check(point)
            assert list(checked) == list(space.names)
            assert all(same(checked[name], point[name]) for name in space.names)

    @law
    @given(st.data())
    def test_a_larger_number_never_has_a_smaller_coordinate(self, data: st.DataObject) -> None:
        number = data.draw(reals() | integers())
        small, large = sorted(data.draw(st.tuples(values(number), values(number))))
        assert number.to_unit(small) <= number.to_unit(large)

    def test_a_log_scale_gives_every_decade_the_same_share(self) -> None:
        real = Real(1e-3, 1e3, log=True)
        assert [real.from_unit(u) for u in np.linspace(0, 1, 7)] == pytest.approx(10.0 ** np.arange(-3, 4), rel=1e-12)

    def test_a_log_scale_can_span_more_than_a_float_can_divide(self) -> None:
        real = Real(1e-300, 1e300, log=True)
        assert real.from_unit(0.5) == pytest.approx(1.0, rel=1e-9)
        assert real.to_unit(1.0) == pytest.approx(0.5, rel=1e-12)


class TestSnap:
    @law
    @given(st.data())
    def test_snapping_twice_is_snapping_once(self, data: st.DataObject) -> None:
        space = data.draw(spaces())
        once = space.snap(data.draw(units(space)))
        np.testing.assert_array_equal(space.snap(once), once)

    @law
    @given(st.data())
    def test_snapped_points_return_exactly_from_their_params(self, data: st.DataObject) -> None:
        space = data.draw(spaces(of=st.one_of(integers(), categoricals())))
        for snapped in space.snap(data.draw(units(space))):
            np.testing.assert_array_equal(space.to_unit(space.from_unit(snapped)), snapped)

    @law
    @given(st.data())
    def test_snapping_does_not_change_what_is_evaluated(self, data: st.DataObject) -> None:
        space = data.draw(spaces())
        points = data.draw(units(space))
        for point, snapped in zip(points, space.snap(points), strict=True):
            before, after = space.from_unit(point), space.from_unit(snapped)
            assert all(same(before[name], after[name]) for name in space.names)

    @law
    @given(st.data())
    def test_reals_are_not_moved(self, data: st.DataObject) -> None:
        space = data.draw(spaces())
        points = data.draw(units(space))
        np.testing.assert_array_equal(space.snap(points)[:, space.continuous], points[:, space.continuous])

    @pytest.mark.parametrize(
        "discrete",
        [Integer(0, 1), Integer(-3, 7), Integer(1, 100), Categorical(["a", "b", "c"]), Categorical(list(range(7)))],
        ids=str,
    )
    def test_uniform_draws_are_uniform_over_what_can_be_evaluated(self, discrete: Integer | Categorical) -> None:
        space = Space({"x": discrete})
        drawn = [space.from_unit(u)["x"] for u in uniform(20_000)]
        everything = discrete.choices if isinstance(discrete, Categorical) else range(discrete.low, discrete.high + 1)
        assert chisquare([drawn.count(value) for value in everything]).pvalue > 1e-3
        snapped = space.snap(uniform(20_000))[:, 0]
        assert len(np.unique(snapped)) == discrete.size
        assert chisquare(np.unique(snapped, return_counts=True)[1]).pvalue > 1e-3


class TestFeatures:
    @law
    @given(st.data())
    def test_numbers_are_one_unchanged_column_and_categories_one_a_choice(self, data: st.DataObject) -> None:
        space = data.draw(spaces())
        snapped = space.snap(data.draw(units(space)))
        features = space.features(snapped)
        widths = [len(g.choices) if isinstance(g, Categorical) else 1 for g in space.inputs.values()]
        assert features.shape == (len(snapped), sum(widths))
        for j, (start, of_input) in enumerate(zip(space.feature_column, space.inputs.values(), strict=True)):
            if not isinstance(of_input, Categorical):
                np.testing.assert_array_equal(features[:, start], snapped[:, j])

    @law
    @given(categoricals())
    def test_any_two_choices_are_as_far_apart_as_the_ends_of_a_number(self, category: Categorical) -> None:
        space = Space({"x": category})
        rows = space.features(np.array([space.to_unit({"x": choice}) for choice in category.choices]))
        distances = np.linalg.norm(rows[:, None] - rows, axis=2)
        np.testing.assert_allclose(distances, 1.0 - np.eye(len(rows)), atol=1e-15)

    @law
    @given(st.data())
    def test_points_have_the_same_features_only_if_they_have_the_same_params(self, data: st.DataObject) -> None:
        space = data.draw(spaces(of=st.one_of(integers(), categoricals())))
        a, b = (data.draw(params(space)) for _ in range(2))
        rows = space.features(np.array([space.to_unit(a), space.to_unit(b)]))
        assert bool(np.all(rows[0] == rows[1])) == all(same(a[name], b[name]) for name in space.names)


def can_be_dear(given: Input) -> bool:
    return not isinstance(given, Categorical) or bool(given.dear)


class TestExpense:
    @law
    @given(spaces())
    def test_the_cheapest_point_has_no_expense(self, space: Space) -> None:
        cheapest = space.cheapest()
        np.testing.assert_array_equal(space.expense(cheapest[None, :]), np.zeros((1, space.dimension)))
        np.testing.assert_array_equal(space.snap(cheapest[None, :])[0], cheapest)

    @law
    @given(spaces())
    def test_the_dearest_point_has_expense_one_wherever_something_is_dear(self, space: Space) -> None:
        dearest = space.at_expense(np.ones((1, space.dimension)))
        expected = [float(can_be_dear(of_input)) for of_input in space.inputs.values()]
        np.testing.assert_array_equal(space.expense(dearest)[0], expected)

    @law
    @given(reals() | integers())
    def test_the_dear_end_is_the_one_the_input_names(self, number: Real | Integer) -> None:
        space = Space({"x": number})
        dear, cheap = (number.low, number.high) if number.dear == "low" else (number.high, number.low)
        assert space.expense(space.to_unit({"x": dear})[None, :]) == 1.0
        assert space.expense(space.to_unit({"x": cheap})[None, :]) == 0.0

    @law
    @given(categoricals())
    def test_choices_named_dear_cost_more_the_earlier_they_are_named_and_the_others_nothing(
        self, category: Categorical
    ) -> None:
        space = Space({"x": category})

        def expense(choice: Any) -> float:
            return float(space.expense(space.to_unit({"x": choice})[None, :])[0, 0])

        of_dear = [expense(choice) for choice in category.dear]
        others = [c for c in category.choices if not any(same(c, d) for d in category.dear)]
        assert all(a > b for a, b in itertools.pairwise(of_dear))
        assert all(expense(choice) == 0.0 for choice in others)
        assert of_dear[:1] in ([], [1.0])
        assert not others or all(level > 0.0 for level in of_dear)

    @law
    @given(st.data())
    def test_expense_undoes_at_expense_for_reals(self, data: st.DataObject) -> None:
        space = data.draw(spaces(of=reals()))
        levels = data.draw(units(space))
        np.testing.assert_allclose(space.expense(space.at_expense(levels)), levels, rtol=0, atol=1e-15)

    @law
    @given(st.data())
    def test_points_at_an_expense_can_be_evaluated_and_cost_no_less_at_a_higher_one(self, data: st.DataObject) -> None:
        space = data.draw(spaces())
        levels = np.sort(data.draw(units(space)), axis=0)
        points = space.at_expense(levels)
        np.testing.assert_array_equal(space.snap(points), points)
        assert np.all(np.diff(space.expense(points), axis=0) >= 0)

    @pytest.mark.parametrize(
        "discrete",
        [Integer(-3, 7, dear="low"), Categorical(["a", "b", "c", "d"], dear=["b", "d"]), Categorical([1, 2, 3])],
        ids=str,
    )
    def test_uniform_expenses_are_uniform_over_what_can_be_evaluated(self, discrete: Input) -> None:
        points = Space({"x": discrete}).at_expense(uniform(20_000))[:, 0]
        counts = np.unique(points, return_counts=True)[1]
        assert len(counts) == discrete.size
        assert chisquare(counts).pvalue > 1e-3

    @law
    @given(st.data())
    def test_the_slope_is_the_derivative_of_the_expense(self, data: st.DataObject) -> None:
        space = data.draw(spaces(of=st.one_of(reals(), categoricals())))
        middle = np.clip(data.draw(units(space, most=1)), 1e-3, 1 - 1e-3)
        for j, of_input in enumerate(space.inputs.values()):
            step = np.zeros((1, space.dimension))
            step[0, j] = 1e-6
            if isinstance(of_input, Categorical):  # flat inside a choice's share
                assume(of_input.from_unit(middle[0, j] - 1e-6) is of_input.from_unit(middle[0, j] + 1e-6))
            slope = (space.expense(middle + step) - space.expense(middle - step)) / 2e-6
            expected = np.zeros(space.dimension)
            expected[j] = space.expense_slope[j]
            np.testing.assert_allclose(slope[0], expected, atol=1e-8)


class TestSizeAndShape:
    @law
    @given(spaces(of=st.one_of(st.builds(Integer, st.just(0), st.integers(1, 4)), categoricals())))
    def test_a_finite_space_has_as_many_points_as_it_says(self, space: Space) -> None:
        assume(space.size <= 5_000)
        every = [np.unique(given.snap(np.linspace(0, 1, 1001))) for given in space.inputs.values()]
        assert math.prod(len(column) for column in every) == space.size

    @law
    @given(spaces())
    def test_a_space_is_infinite_exactly_if_an_input_is_real(self, space: Space) -> None:
        assert (
            math.isinf(space.size)
            == any(isinstance(g, Real) and g.step is None for g in space.inputs.values())
            == any(space.continuous)
        )

    def test_changing_the_mapping_a_space_was_made_from_does_not_change_the_space(self) -> None:
        inputs: dict[str, Input] = {"x": Real(0, 1)}
        space = Space(inputs)
        inputs["y"] = Real(0, 1)
        assert space.names == ("x",)


untyped: Any = space_module  # the types forbid most of what follows
BAD_INPUTS: list[tuple[str, Any, list[str]]] = [
    # what is wrong; how to make it; what the message must name
    (
        "real bounds the wrong way round",
        lambda: untyped.Real(3, 2),
        ["Real", "low must be below high", "low=3", "high=2"],
    ),
    ("real of one point", lambda: untyped.Real(2, 2), ["Real", "low=2", "high=2", "out of the space"]),
    ("integer bounds the wrong way round", lambda: untyped.Integer(5, 1), ["Integer", "low=5", "high=1"]),
    ("NaN low", lambda: untyped.Real(math.nan, 1), ["Real", "low", "finite", "nan", "widest range"]),
    ("NaN high", lambda: untyped.Real(0, math.nan), ["Real", "high", "finite", "nan", "widest range"]),
    ("infinite low", lambda: untyped.Real(-math.inf, 1), ["Real", "low", "finite", "-inf", "widest range"]),
    ("infinite high", lambda: untyped.Real(0, math.inf), ["Real", "high", "finite", "inf", "widest range"]),
    ("bound beyond floating point", lambda: untyped.Real(0, 10**400), ["Real", "high", "finite", "widest range"]),
    ("integer bound beyond floating point", lambda: untyped.Integer(0, 10**400), ["Integer", "high", "finite"]),
    ("range beyond floating point", lambda: untyped.Real(-1.7e308, 1.7e308), ["Real", "too wide", "other units"]),
    ("bool bound", lambda: untyped.Real(False, 1), ["Real", "low", "number", "False"]),
    ("numpy bool bound", lambda: untyped.Real(0, np.True_), ["Real", "high", "number", "True"]),
    ("text bound", lambda: untyped.Real("0", 1), ["Real", "low", "number", "'0'"]),
    ("missing bound", lambda: untyped.Real(0, None), ["Real", "high", "number", "None"]),
    ("bool integer bound", lambda: untyped.Integer(0, True), ["Integer", "high", "whole number", "True", "use Real"]),
    ("text integer bound", lambda: untyped.Integer("1", 9), ["Integer", "low", "whole number", "'1'", "use Real"]),
    (
        "fractional integer bound",
        lambda: untyped.Integer(1.5, 9),
        ["Integer", "low", "whole number", "1.5", "use Real"],
    ),
    (
        "integers too large to tell apart",
        lambda: untyped.Integer(0, 2**60),
        ["Integer", "bounds", str(2**60), "Use Real"],
    ),
    ("log from zero", lambda: untyped.Real(0, 1, log=True), ["Real", "log=True needs low > 0", "low=0", "drop log"]),
    ("log from below zero", lambda: untyped.Integer(-1, 9, log=True), ["Integer", "log=True needs low > 0", "low=-1"]),
    ("dear end unknown", lambda: untyped.Real(0, 1, dear="up"), ["Real", "dear", '"high" or "low"', "'up'"]),
    (
        "integer dear end unknown",
        lambda: untyped.Integer(0, 1, dear="up"),
        ["Integer", "dear", '"high" or "low"', "'up'"],
    ),
    (
        "array for a dear end",
        lambda: untyped.Real(0, 1, dear=np.array(["high", "low"])),
        ["Real", "dear", '"high" or "low"', "array"],
    ),
    ("choice twice", lambda: untyped.Categorical(["a", "b", "a"]), ["Categorical", "'a' appears twice"]),
    ("one choice", lambda: untyped.Categorical(["a"]), ["Categorical", "at least two choices", "['a']"]),
    ("no choices", lambda: untyped.Categorical([]), ["Categorical", "at least two choices", "[]"]),
    ("text for choices", lambda: untyped.Categorical("abc"), ["Categorical", "choices must be a list", "'abc'"]),
    (
        "unknown dear choice",
        lambda: untyped.Categorical(["a", "b"], dear=["c"]),
        ["Categorical", "dear", "'c'", "['a', 'b']"],
    ),
    ("dear choice of another type", lambda: untyped.Categorical([1, 2], dear=[True]), ["Categorical", "dear", "True"]),
    (
        "dear choice twice",
        lambda: untyped.Categorical(["a", "b"], dear=["b", "b"]),
        ["Categorical", "dear", "'b' twice"],
    ),
    (
        "text for dear choices",
        lambda: untyped.Categorical(["a", "b"], dear="up"),
        ["Categorical", "dear must be a list", "'up'"],
    ),
    ("step of nothing", lambda: untyped.Real(0, 1, step=0), ["Real", "step", "above 0", "got 0", "Leave it out"]),
    ("step that is not a number", lambda: untyped.Real(0, 1, step=math.nan), ["Real", "step", "above 0", "nan"]),
    ("step that is text", lambda: untyped.Real(0, 1, step="0.1"), ["Real", "step", "number", "'0.1'"]),
    ("step that is true", lambda: untyped.Real(0, 1, step=True), ["Real", "step", "number", "True"]),
    ("step beyond the range", lambda: untyped.Real(0, 1, step=2), ["Real", "whole number of steps", "high=2"]),
    ("step on a log scale", lambda: untyped.Real(1, 9, log=True, step=1), ["Real", "step and log", "Leave one out"]),
    ("steps beyond number", lambda: untyped.Real(0, 1, step=1e-9), ["Real", "step", "1,000,000", "Leave it out"]),
    ("steps that miss the end", lambda: untyped.Real(0, 1, step=0.3), ["Real", "whole number of steps", "0.9 or 1.2"]),
    ("log that is text", lambda: untyped.Real(1, 2, log="yes"), ["Real", "log must be true or false", "'yes'"]),
    ("log that is a number", lambda: untyped.Integer(1, 2, log=1), ["Integer", "log must be true or false", "1"]),
    ("unit that is a number", lambda: untyped.Real(0, 1, unit=5), ["Real", "unit must be text", "5"]),
    ("no unit", lambda: untyped.Integer(0, 1, unit=None), ["Integer", "unit must be text", "None"]),
    ("a bound too long to print", lambda: untyped.Real(0, 10**5000), ["Real", "high", "finite", "thousands of digits"]),
    (
        "choices equal when written down",
        lambda: untyped.Categorical([1, np.int64(1)]),
        ["Categorical", "1 appears twice"],
    ),
    ("empty space", lambda: untyped.Space({}), ["Space", "at least one input", "Example"]),
    ("space of a list", lambda: untyped.Space([untyped.Real(0, 1)]), ["Space", "mapping of names to inputs"]),
    ("name that is a number", lambda: untyped.Space({1: Real(0, 1)}), ["Space", "name must be text", "1"]),
    ("blank name", lambda: untyped.Space({"  ": Real(0, 1)}), ["Space", "name must be text", "'  '"]),
    ("input that is a tuple", lambda: untyped.Space({"x": (0, 1)}), ["Space", "'x'", "Real", "(0, 1)"]),
]


@pytest.mark.parametrize(("make", "said"), [row[1:] for row in BAD_INPUTS], ids=[row[0] for row in BAD_INPUTS])
def test_a_space_that_cannot_be_is_refused_by_name(make: Any, said: list[str]) -> None:
    with pytest.raises(InvalidSpaceError) as caught:
        make()
    assert isinstance(caught.value, ValueError)
    assert all(words in str(caught.value) for words in said), str(caught.value)


@pytest.mark.parametrize(
    "choice",
    [
        math.nan,
        math.inf,
        np.float64("nan"),
        (1, 2),
        b"x",
        object(),
        {"layers": [3]},
        10**400,
        date(2026, 1, 2),
        State.FAILED,
    ],
)
def test_a_choice_that_cannot_be_written_down_is_refused_wherever_the_study_is_kept(choice: Any) -> None:
    with pytest.raises(InvalidSpaceError, match=r"a choice must be text, a finite number, .* Give it a name"):
        Categorical(["a", choice])
    with pytest.raises(InvalidSpaceError):
        Categorical(["a", "b"], dear=[choice])


def test_choices_from_numpy_are_python_s_own() -> None:
    category = Categorical(list(np.array([1, 2])), dear=[np.int64(2)])
    assert [type(choice) for choice in (*category.choices, *category.dear)] == [int, int, int]
    assert category.check("trees", np.int64(2)) is category.choices[1]


class TestSteps:
    @law
    @given(stepped(), st.floats(0.0, 1.0))
    def test_what_is_suggested_is_written_with_no_more_digits_than_the_step(self, real: Real, unit: float) -> None:
        digits = max(len(repr(number).partition(".")[2]) for number in (float(real.low), float(real.step or 0)))
        assert len(repr(real.from_unit(unit)).partition(".")[2]) <= digits
        assert real.low <= real.from_unit(unit) <= real.high

    @law
    @given(stepped())
    def test_all_steps_are_there_and_evenly_apart(self, real: Real) -> None:
        values = [real.from_unit(unit) for unit in real.stops()]
        assert len(values) == real.size == len(set(values))
        assert (values[0], values[-1]) == (real.low, real.high)
        assert np.allclose(np.diff(values), real.step or 0.0)

    def test_three_tenths_are_three_tenths(self) -> None:
        assert [Real(0, 1, step=0.1).from_unit(k / 10) for k in range(11)] == [k / 10 for k in range(11)]

    def test_a_step_that_no_decimal_writes_still_meets_the_end(self) -> None:
        third = Real(0, 1, step=1 / 3)
        assert third.size == 4
        assert third.from_unit(1.0) == 1.0

    def test_what_was_measured_between_steps_can_be_added(self) -> None:
        space = Space({"x": Real(0, 1, step=0.5)})
        assert space.check({"x": 0.3}) == {"x": 0.3}
        assert space.to_unit({"x": 0.3}) == pytest.approx([0.3])

    def test_a_real_without_a_step_has_no_list_of_values(self) -> None:
        with pytest.raises(InvalidSpaceError, match="step"):
            Real(0, 1).stops()


ALLOY = Space({"nickel": Real(0, 20), "soak": Integer(1, 12), "quench": Categorical(["air", "oil"])})
GOOD = {"nickel": 3.5, "soak": 4, "quench": "oil"}
REAL_NEED, WHOLE_NEED, CHOICE_NEED = "number from 0 to 20", "number from 1 to 12", "one of ['air', 'oil']"
BAD_PARAMS: list[tuple[str, Any, list[str]]] = [
    ("missing", {"nickel": 3.5, "soak": 4}, ["no value for 'quench'", "nickel, soak, quench"]),
    ("unknown", GOOD | {"iron": 1.0}, ["no input called 'iron'", "nickel, soak, quench"]),
    ("none at all", {}, ["no value for 'nickel'", "This space has nickel, soak, quench; got none."]),
    ("too long to print", GOOD | {"soak": 10**5000}, ["'soak'", WHOLE_NEED, "thousands of digits", "widen"]),
    ("not a mapping", [3.5, 4, "oil"], ["params", "mapping of input names to values"]),
    ("above the range", GOOD | {"nickel": 20.5}, ["'nickel'", REAL_NEED, "20.5", "widen"]),
    ("below the range", GOOD | {"soak": 0}, ["'soak'", WHOLE_NEED, "0", "widen"]),
    ("beyond floating point", GOOD | {"nickel": 10**400}, ["'nickel'", REAL_NEED, "widen"]),
    ("infinite", GOOD | {"nickel": math.inf}, ["'nickel'", REAL_NEED, "inf"]),
    ("NaN", GOOD | {"nickel": math.nan}, ["'nickel'", REAL_NEED, "nan"]),
    ("NaN for a whole number", GOOD | {"soak": math.nan}, ["'soak'", WHOLE_NEED, "nan"]),
    ("NaN for a choice", GOOD | {"quench": math.nan}, ["'quench'", CHOICE_NEED, "nan"]),
    ("None", GOOD | {"nickel": None}, ["'nickel'", REAL_NEED, "None"]),
    ("None for a choice", GOOD | {"quench": None}, ["'quench'", CHOICE_NEED, "None"]),
    ("text", GOOD | {"nickel": "3.5"}, ["'nickel'", REAL_NEED, "'3.5'"]),
    ("bool", GOOD | {"nickel": True}, ["'nickel'", REAL_NEED, "True"]),
    ("fractional", GOOD | {"soak": 4.5}, ["'soak'", "whole number from 1 to 12", "4.5"]),
    ("unknown choice", GOOD | {"quench": "water"}, ["'quench'", CHOICE_NEED, "'water'"]),
]


@pytest.mark.parametrize(("point", "said"), [row[1:] for row in BAD_PARAMS], ids=[row[0] for row in BAD_PARAMS])
def test_params_that_cannot_be_are_refused_by_name(point: Any, said: list[str]) -> None:
    with pytest.raises(InvalidValueError) as caught:
        ALLOY.to_unit(point)
    assert isinstance(caught.value, ValueError)
    assert all(words in str(caught.value) for words in said), str(caught.value)


def test_bounds_from_numpy_mean_the_same_as_python_s_own() -> None:
    assert untyped.Real(np.float32(0.5), np.float32(2.0)).from_unit(0.1) == Real(0.5, 2.0).from_unit(0.1)
    narrow = untyped.Integer(np.int8(-100), np.int8(100))
    assert (narrow.size, narrow.from_unit(1.0), narrow.to_unit(0)) == (201, 100, 0.5)
    assert [type(bound) for bound in (narrow.low, narrow.high)] == [int, int]


@pytest.mark.parametrize(
    ("given", "value", "said"),
    [
        (Real(0, 0.3), np.float32(0.3), "0.30000001192092896"),
        (Real(0.7, 1), np.float32(0.7), "0.699999988079071"),
        (Real(0, 1e39), np.float32("inf"), "inf"),
        (Real(0, 1), np.longdouble("1e4000"), "inf|1e"),
        (Integer(0, 10), np.float16("nan"), "nan"),
    ],
    ids=str,
)
def test_numbers_from_numpy_are_held_against_the_bounds_as_doubles(given: Input, value: Any, said: str) -> None:
    with pytest.raises(InvalidValueError, match=f"'x': need a number from .*, got .*({said})"):
        given.check("x", value)


@pytest.mark.parametrize("given", [Real(0, 1e6), Real(0, 1e39), Integer(0, 10**6)], ids=str)
def test_a_narrow_number_from_numpy_may_have_bounds_it_could_not_hold(given: Input) -> None:
    assert given.check("x", np.float16(5)) == given.check("x", np.float32(5)) == given.check("x", np.int8(5)) == 5


def test_params_come_back_in_the_order_and_types_of_the_space() -> None:
    checked = ALLOY.check({"quench": "oil", "soak": np.float64(4.0), "nickel": np.int64(3)})
    assert list(checked.items()) == [("nickel", 3.0), ("soak", 4), ("quench", "oil")]
    assert [type(value) for value in checked.values()] == [float, int, str]


def test_choices_that_are_equal_but_of_different_types_are_different_choices() -> None:
    category = Categorical([1, True, 1.0], dear=[True])
    assert category.levels == (0.0, 1.0, 0.0)
    assert [category.from_unit(category.to_unit(c)) is c for c in category.choices] == [True, True, True]


def test_constraints_are_refused_until_they_are_built() -> None:
    with pytest.raises(InvalidOptionError, match=r"constraints are not built yet.*nickel \+ soak <= 20.*study\.fail"):
        Space({"nickel": Real(0, 20), "soak": Real(0, 20)}, constraints=("nickel + soak <= 20",))


@pytest.mark.parametrize("given", ["nickel <= 20", np.array(["nickel <= 20", "nickel > 1"])], ids=str)
def test_constraints_that_are_no_list_are_shown_as_they_came(given: Any) -> None:
    with pytest.raises(InvalidOptionError, match=r"constraints are not built yet, got [^,]*'nickel <= 20'"):
        untyped.Space({"nickel": Real(0, 20)}, constraints=given)
    assert untyped.Space({"nickel": Real(0, 20)}, constraints=[]).size == math.inf


@law
@given(inputs())
def test_an_input_cannot_be_changed(given: Input) -> None:
    with pytest.raises((AttributeError, TypeError)):
        given.dear = "low"  # type: ignore[misc]
