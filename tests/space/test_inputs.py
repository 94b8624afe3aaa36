from __future__ import annotations

import dataclasses
import inspect
import itertools
import math
import pickle
import time
import tracemalloc
from datetime import date
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from camobo.errors import InvalidOptionError, InvalidSpaceError, InvalidValueError
from camobo.history.trial import State
from camobo.space import inputs as inputs_module
from camobo.space.inputs import Categorical, Input, Integer, Param, Real
from camobo.space.space import Space
from camobo.study.study import Study
from tests.support.costs import any_inputs, with_free
from tests.support.strategies import categoricals, inputs, integers, law, reals, stepped, values

untyped: Any = inputs_module  # the types forbid most of what the tests of refusals do
DISCRETE = [Integer(0, 1), Integer(-3, 7), Integer(1, 100), Categorical(["a", "b", "c"]), Categorical(list(range(7)))]


class TestUnitCoordinate:
    @law
    @given(st.data())
    def test_reals_survive_the_unit_cube_to_twelve_digits_of_their_range(self, data: st.DataObject) -> None:
        real = data.draw(reals())
        value = data.draw(values(real))
        # No map can beat the spacing of the numbers themselves, which is all that is left of a narrow range far from 0.
        spacing = 4 * math.ulp(max(abs(real.low), abs(real.high)))
        assert abs(real.from_unit(real.to_unit(value)) - value) <= 1e-12 * (real.high - real.low) + spacing

    @law
    @given(st.data())
    def test_whole_numbers_and_choices_survive_exactly(self, data: st.DataObject) -> None:
        given = data.draw(integers() | categoricals())
        value = data.draw(values(given))
        back = given.from_unit(given.to_unit(value))
        assert (type(back), back) == (type(value), value)

    @law
    @given(reals())
    def test_the_ends_of_a_real_are_exactly_zero_and_one(self, real: Real) -> None:
        assert (real.to_unit(real.low), real.to_unit(real.high)) == (0.0, 1.0)
        assert (real.from_unit(0.0), real.from_unit(1.0)) == (real.low, real.high)

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

    @law
    @given(inputs(), st.floats(-1.0, 2.0))
    def test_every_coordinate_stands_for_a_value_even_outside_the_unit_interval(
        self, given: Input, unit: float
    ) -> None:
        value = given.from_unit(unit)
        assert given.check(value) == value

    @pytest.mark.parametrize("given", DISCRETE, ids=str)
    def test_uniform_coordinates_are_uniform_over_the_values(self, given: Integer | Categorical) -> None:
        units = np.random.default_rng(0).random(20_000)
        drawn = [given.from_unit(unit) for unit in units]
        everything = given.choices if isinstance(given, Categorical) else range(given.low, given.high + 1)
        assert chisquare([drawn.count(value) for value in everything]).pvalue > 1e-3
        assert chisquare(np.unique(given.snap(units), return_counts=True)[1]).pvalue > 1e-3


class TestManyChoices:
    def test_sixteen_thousand_choices_are_made_and_first_asked_for_in_two_seconds(self) -> None:
        names = [f"catalyst {i}" for i in range(16_000)]
        began = time.process_time()
        given = Categorical(names, expensive=names[:8000])
        assert [given.to_unit(name) for name in names] == given.stops().tolist()
        assert [given.from_unit(unit) for unit in given.stops().tolist()] == names
        assert given.levels[:2] == (1.0, 1.0 - 1 / 8000)
        study = Study(Space({"catalyst": given, "hours": Real(1, 9)}), {"y": "max"}, cost="catalyst > hours", seed=1)
        assert study.ask().params["catalyst"] in given.choices
        assert time.process_time() - began < 2.0

    def test_the_features_of_a_few_points_do_not_take_the_square_of_the_choices(self) -> None:
        space = Space({"catalyst": Categorical(list(range(16_000)))})
        tracemalloc.start()
        features = space.features(np.array([[0.0], [1.0]]))
        assert features.tolist() == [[math.sqrt(0.5), *[0.0] * 15_999], [*[0.0] * 15_999, math.sqrt(0.5)]]
        assert tracemalloc.get_traced_memory()[1] < 10e6
        tracemalloc.stop()


class TestValues:
    @law
    @given(integers().filter(lambda given: given.size <= 10**4) | categoricals() | stepped())
    def test_stops_are_the_snapped_coordinates_of_all_values(self, given: Input) -> None:
        stops = given.stops()
        assert len(np.unique(stops)) == given.size
        np.testing.assert_array_equal(given.snap(stops), stops)

    @law
    @given(integers() | stepped() | categoricals(), st.floats(0.0, 1.0))
    def test_neighbours_are_other_values(self, given: Input, unit: float) -> None:
        here, around = given.from_unit(unit), [given.from_unit(other) for other in given.neighbours(unit)]
        assert 0 < len(around) == len({(type(value), value) for value in around})
        assert not any(type(value) is type(here) and value == here for value in around)

    def test_neighbours_of_a_whole_number_are_the_next_ones_and_those_a_tenth_of_the_range_away(self) -> None:
        given = Integer(0, 100)
        assert [given.from_unit(unit) for unit in given.neighbours(given.to_unit(50))] == [40, 49, 51, 60]
        assert [given.from_unit(unit) for unit in given.neighbours(0.0)] == [1, 10]

    def test_neighbours_of_a_choice_are_all_others_and_a_continuous_real_has_none(self) -> None:
        given = Categorical(["a", "b", "c"])
        assert [given.from_unit(unit) for unit in given.neighbours(given.to_unit("b"))] == ["a", "c"]
        assert Real(0, 1).neighbours(0.5).tolist() == []

    def test_only_a_real_without_a_step_is_continuous(self) -> None:
        given: list[Input] = [Real(0, 1), Real(0, 1, step=0.5), Integer(0, 1), Categorical(["a", "b"])]
        assert [one.continuous for one in given] == [True, False, False, False]
        assert [one.size for one in given] == [math.inf, 3, 2, 2]


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
        real = Real(0, 1, step=0.5)
        assert real.check(0.3) == 0.3
        assert real.to_unit(0.3) == pytest.approx(0.3)

    def test_a_real_without_a_step_has_no_list_of_values(self) -> None:
        with pytest.raises(InvalidSpaceError, match="step"):
            Real(0, 1).stops()


class TestExpensiveChoices:
    @law
    @given(categoricals())
    def test_choices_named_expensive_cost_more_the_earlier_they_are_named_and_the_others_nothing(
        self, category: Categorical
    ) -> None:
        def level(choice: Param) -> float:
            return category.levels[int(category.positions(np.array([category.to_unit(choice)]))[0])]

        expensive = [level(choice) for choice in category.expensive]
        names = [(type(choice), choice) for choice in category.expensive]
        others = [choice for choice in category.choices if (type(choice), choice) not in names]
        assert all(a > b for a, b in itertools.pairwise(expensive))
        assert all(level(choice) == 0.0 for choice in others)
        assert expensive[:1] in ([], [1.0])
        assert not others or all(one > 0.0 for one in expensive)

    def test_choices_that_are_equal_but_of_different_types_are_different_choices(self) -> None:
        category = Categorical([1, True, 1.0], expensive=[True])
        assert category.levels == (0.0, 1.0, 0.0)
        assert [category.from_unit(category.to_unit(c)) is c for c in category.choices] == [True, True, True]


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
    (
        "expensive end unknown",
        lambda: untyped.Real(0, 1, expensive="up"),
        ["Real", "expensive", '"high" or "low"', "'up'"],
    ),
    (
        "integer expensive end unknown",
        lambda: untyped.Integer(0, 1, expensive="up"),
        ["Integer", "expensive", '"high" or "low"', "'up'"],
    ),
    (
        "array for an expensive end",
        lambda: untyped.Real(0, 1, expensive=np.array(["high", "low"])),
        ["Real", "expensive", '"high" or "low"', "array"],
    ),
    ("free below the range", lambda: untyped.Real(0, 9, free=-1), ["Real", "free", "a number from 0 to 9", "got -1"]),
    ("free above the range", lambda: untyped.Real(0, 9, free=9.5), ["Real", "free", "from 0 to 9", "got 9.5"]),
    ("free that is not a number", lambda: untyped.Real(0, 9, free=math.nan), ["Real", "free", "a number", "got nan"]),
    ("free that is text", lambda: untyped.Real(0, 9, free="5"), ["Real", "free", "a number", "'5'"]),
    ("free that is true", lambda: untyped.Real(0, 9, free=True), ["Real", "free", "a number", "True"]),
    (
        "free that is a fraction",
        lambda: untyped.Integer(0, 9, free=2.5),
        ["Integer", "free", "a whole number from 0 to 9", "got 2.5"],
    ),
    ("free whole number out of range", lambda: untyped.Integer(0, 9, free=10), ["Integer", "free", "got 10"]),
    (
        "free and an expensive low end",
        lambda: untyped.Real(0, 9, free=3, expensive="low"),
        ["Real", "free and expensive='low' do not go together", "free=3", "Leave one out"],
    ),
    (
        "free between two steps",
        lambda: untyped.Real(0, 9, free=0.25, step=0.1),
        ["Real", "free must be a whole number of steps from low", "free=0.25", "Use free=0.2 or 0.3"],
    ),
    ("choice twice", lambda: untyped.Categorical(["a", "b", "a"]), ["Categorical", "'a' appears twice"]),
    ("one choice", lambda: untyped.Categorical(["a"]), ["Categorical", "at least two choices", "['a']"]),
    ("no choices", lambda: untyped.Categorical([]), ["Categorical", "at least two choices", "[]"]),
    ("text for choices", lambda: untyped.Categorical("abc"), ["Categorical", "choices must be a list", "'abc'"]),
    (
        "unknown expensive choice",
        lambda: untyped.Categorical(["a", "b"], expensive=["c"]),
        ["Categorical", "expensive", "'c'", "['a', 'b']"],
    ),
    (
        "expensive choice of another type",
        lambda: untyped.Categorical([1, 2], expensive=[True]),
        ["Categorical", "expensive", "True"],
    ),
    (
        "expensive choice twice",
        lambda: untyped.Categorical(["a", "b"], expensive=["b", "b"]),
        ["Categorical", "expensive", "'b' twice"],
    ),
    (
        "text for expensive choices",
        lambda: untyped.Categorical(["a", "b"], expensive="up"),
        ["Categorical", "expensive must be a list", "'up'"],
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
]


@pytest.mark.parametrize(("make", "said"), [row[1:] for row in BAD_INPUTS], ids=[row[0] for row in BAD_INPUTS])
def test_an_input_that_cannot_be_is_refused_by_name(make: Any, said: list[str]) -> None:
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
def test_a_choice_that_cannot_be_stored_is_refused_wherever_the_study_is_stored(choice: Any) -> None:
    with pytest.raises(InvalidSpaceError, match=r"a choice must be text, a finite number, .* Give it a name"):
        Categorical(["a", choice])
    with pytest.raises(InvalidSpaceError):
        Categorical(["a", "b"], expensive=[choice])


@pytest.mark.parametrize(
    "make",
    [
        lambda: untyped.Real(0, 1, dear="low"),
        lambda: untyped.Integer(0, 1, dear="low"),
        lambda: untyped.Categorical(["a", "b"], dear=["a"]),
    ],
    ids=["Real", "Integer", "Categorical"],
)
def test_the_old_name_of_expensive_is_an_error_that_gives_the_new_one(make: Any) -> None:
    with pytest.raises(InvalidOptionError, match=r"^dear=: this option is now called expensive="):
        make()


@law
@given(any_inputs())
def test_an_input_is_a_value_it_cannot_be_changed_and_can_be_copied_and_sent(given: Input) -> None:
    with pytest.raises((AttributeError, TypeError)):
        given.expensive = "low"  # type: ignore[misc]
    assert pickle.loads(pickle.dumps(given)) == given == dataclasses.replace(given)


def test_the_signature_of_an_input_names_its_options() -> None:
    assert list(inspect.signature(Real).parameters) == ["low", "high", "log", "unit", "expensive", "step", "free"]
    assert list(inspect.signature(Integer).parameters) == ["low", "high", "log", "unit", "expensive", "free"]
    assert list(inspect.signature(Categorical).parameters) == ["choices", "expensive"]


class TestCheap:
    @pytest.mark.parametrize(
        ("given", "coordinate"),
        [
            (Real(20, 900), 0.0),
            (Real(20, 900, expensive="low"), 1.0),
            (Real(20, 900, free=20), 0.0),
            (Real(20, 900, free=900), 1.0),
            (Real(20, 900, free=240), 0.25),
            (Real(0.01, 100, log=True, free=1), 0.5),
            (Real(0, 2, step=0.1, free=0.3), 3 / 20),
            (Integer(-4, 4, free=0), 0.5),
            (Integer(1, 100, log=True, free=10), 0.5),
        ],
        ids=str,
    )
    def test_it_is_the_end_that_is_not_expensive_or_the_free_value(
        self, given: Real | Integer, coordinate: float
    ) -> None:
        assert given.cheap == pytest.approx(coordinate, abs=1e-15)

    @law
    @given(with_free())
    def test_the_free_value_is_where_it_is_cheap_and_can_be_evaluated(self, given: Real | Integer) -> None:
        assert given.free is not None
        assert given.from_unit(given.cheap) == pytest.approx(given.free, rel=1e-9, abs=1e-12 * (given.high - given.low))
        assert given.snap(np.array([given.cheap])).tolist() == [given.cheap]
        if not given.continuous:
            assert given.from_unit(given.cheap) == given.free

    def test_a_free_value_from_numpy_becomes_python_s_own(self) -> None:
        narrow: Any = np.float32(0.5)
        assert type(Real(0, 1, free=narrow).free) is float
        few: Any = np.int8(3)
        assert type(Integer(0, 9, free=few).free) is int


class TestNumpy:
    def test_choices_become_python_s_own(self) -> None:
        category = Categorical(list(np.array([1, 2])), expensive=[np.int64(2)])
        assert [type(choice) for choice in (*category.choices, *category.expensive)] == [int, int, int]
        assert category.check(np.int64(2)) is category.choices[1]

    def test_bounds_mean_the_same_as_python_s_own(self) -> None:
        assert untyped.Real(np.float32(0.5), np.float32(2.0)).from_unit(0.1) == Real(0.5, 2.0).from_unit(0.1)
        narrow = untyped.Integer(np.int8(-100), np.int8(100))
        assert (narrow.size, narrow.from_unit(1.0), narrow.to_unit(0)) == (201, 100, 0.5)
        assert [type(bound) for bound in (narrow.low, narrow.high)] == [int, int]

    @pytest.mark.parametrize("given", [Real(0, 1e6), Real(0, 1e39), Integer(0, 10**6)], ids=str)
    def test_a_narrow_number_may_have_bounds_it_could_not_hold(self, given: Input) -> None:
        assert given.check(np.float16(5)) == given.check(np.float32(5)) == given.check(np.int8(5)) == 5

    @pytest.mark.parametrize("value", [4.5, np.float32(4.5)])
    def test_a_fraction_is_not_a_whole_number(self, value: Any) -> None:
        with pytest.raises(InvalidValueError, match=r"^need a whole number from 1 to 12, got .*4\.5"):
            Integer(1, 12).check(value)
