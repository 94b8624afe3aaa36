from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from camobo.arrays import Array
from camobo.cost.levels import Levels
from camobo.space.inputs import Categorical, Input, Integer, Real
from camobo.space.space import Space
from tests.support.costs import any_inputs, with_free
from tests.support.strategies import integers, label, law, reals, units


def level_at(given: Input, value: Any) -> float:
    """The level of one value of one input."""
    space = Space({"x": given})
    return float(Levels(space, np.array([0])).of(space.to_unit({"x": value})[None, :])[0, 0])


def levels_of(given: Input, coordinates: Array) -> Array:
    space = Space({"x": given})
    return Levels(space, np.array([0])).of(space.snap(coordinates[:, None]))[:, 0]


class TestProportion:
    @pytest.mark.parametrize("log", [False, True])
    def test_a_level_grows_in_proportion_to_the_value_whatever_the_scale_of_the_search(self, log: bool) -> None:
        trees = Integer(1, 101, log=log)
        assert [level_at(trees, n) for n in (1, 11, 26, 51, 101)] == pytest.approx([0, 0.1, 0.25, 0.5, 1])

    def test_half_the_step_size_takes_twice_as_many_steps_if_the_low_end_is_the_expensive_one(self) -> None:
        step = Real(1e-4, 1e-1, log=True, expensive="low")
        extra = [level_at(step, value) + 1e-3 / (1 - 1e-3) for value in (1e-4, 2e-4, 4e-4, 1e-2, 1e-1)]
        assert [extra[0] / one for one in extra] == pytest.approx([1, 2, 4, 100, 1000])

    def test_on_a_linear_scale_a_low_end_that_is_expensive_counts_the_distance_from_the_high_one(self) -> None:
        grain = Real(2, 12, expensive="low")
        assert [level_at(grain, value) for value in (12, 7, 2)] == pytest.approx([0, 0.5, 1])

    @pytest.mark.parametrize(("log", "low"), [(False, 0), (True, 1)])
    def test_a_level_grows_in_proportion_to_the_distance_from_a_free_value_on_both_sides(
        self, log: bool, low: float
    ) -> None:
        soak = Real(low, 900, free=300, log=log)
        assert level_at(soak, 300) == 0.0
        assert [level_at(soak, value) for value in (250, 350, 150, 450, 600, 900)] == pytest.approx(
            [1 / 12, 1 / 12, 1 / 4, 1 / 4, 1 / 2, 1]
        )

    def test_the_longer_side_of_a_free_value_reaches_one(self) -> None:
        assert level_at(Real(0, 10, free=8), 0) == 1.0
        assert level_at(Real(0, 10, free=8), 10) == pytest.approx(0.25)

    def test_choices_have_the_levels_that_their_input_gives_them(self) -> None:
        quench = Categorical(["air", "oil", "vacuum"], expensive=["vacuum", "oil"])
        assert [level_at(quench, choice) for choice in quench.choices] == [0.0, 0.5, 1.0]

    def test_levels_come_in_the_order_that_is_asked_for(self) -> None:
        space = Space({"a": Real(0, 1), "b": Real(0, 2), "c": Real(0, 4)})
        points = np.array([[0.1, 0.2, 0.4]])
        np.testing.assert_array_equal(Levels(space, np.array([2, 0])).of(points), [[0.4, 0.1]])
        assert Levels(space, np.zeros(0, dtype=np.intp)).of(points).shape == (1, 0)
        assert Levels(space, np.zeros(0, dtype=np.intp)).slopes(points).shape == (1, 0)


class TestEveryInput:
    @law
    @given(st.data())
    def test_levels_are_between_zero_and_one_and_reach_both_where_something_is_expensive(
        self, data: st.DataObject
    ) -> None:
        of_input = data.draw(any_inputs())
        found = levels_of(of_input, data.draw(units(Space({"x": of_input})))[:, 0])
        assert np.all((found >= 0.0) & (found <= 1.0))
        ends = of_input.stops() if isinstance(of_input, Categorical) else np.array([0.0, of_input.cheap, 1.0])
        assert levels_of(of_input, ends).min() == 0.0
        expensive = not isinstance(of_input, Categorical) or bool(of_input.expensive)
        assert levels_of(of_input, ends).max() == float(expensive)

    @law
    @given(st.data())
    def test_a_level_never_falls_away_from_the_cheapest_value(self, data: st.DataObject) -> None:
        of_input = data.draw(reals() | integers() | with_free())
        coordinates = np.sort(data.draw(units(Space({"x": of_input}), most=20))[:, 0])
        for side in (coordinates[coordinates >= of_input.cheap], coordinates[coordinates <= of_input.cheap][::-1]):
            assert np.all(np.diff(levels_of(of_input, side)) >= -1e-15)

    @law
    @given(st.data())
    def test_a_level_is_the_distance_of_values_by_hand(self, data: st.DataObject) -> None:
        low = data.draw(st.floats(1e-3, 1e3))
        high = low * data.draw(st.floats(1.5, 1e4))
        free = data.draw(st.sampled_from([None, low, 0.5 * (low + high), high]))
        of_input = Real(low, high, log=data.draw(st.booleans()), free=free)
        value = data.draw(st.floats(low, high))
        cheapest = low if free is None else free
        expected = abs(value - cheapest) / max(high - cheapest, cheapest - low)
        assert level_at(of_input, value) == pytest.approx(expected, abs=1e-12)

    @pytest.mark.parametrize(
        "given",
        [
            Real(1e-300, 1e300, log=True),
            Real(1e-300, 1e300, log=True, expensive="low"),
            Real(1e-300, 1e300, log=True, free=1.0),
            Real(5e-324, 1.7e308, log=True),
            Real(1.0, math.nextafter(1.0, 2.0), log=True),
            Real(1e300, math.nextafter(1e300, math.inf), log=True),
            Real(-8e307, 8e307),
        ],
        ids=label,
    )
    def test_ranges_as_wide_and_as_narrow_as_floating_point_have_levels_and_slopes(self, given: Real) -> None:
        coordinates = np.linspace(0, 1, 101)
        found = levels_of(given, coordinates)
        assert np.all(np.isfinite(found))
        assert (found.min(), found.max()) == (0.0, 1.0)
        slopes = Levels(Space({"x": given}), np.array([0])).slopes(coordinates[:, None])
        assert np.all(np.isfinite(slopes))

    def test_a_narrow_logarithmic_range_keeps_its_digits(self) -> None:
        narrow = Real(1.0, 1.0 + 1e-9, log=True)
        assert levels_of(narrow, np.array([0.25, 0.5])) == pytest.approx([0.25, 0.5], rel=1e-8)


class TestSlopes:
    @pytest.mark.parametrize(
        "given",
        [
            Real(2, 20),
            Real(2, 20, expensive="low"),
            Real(2, 20, log=True),
            Real(2, 20, log=True, expensive="low"),
            Real(2, 20, free=9),
            Real(2, 20, log=True, free=9),
            Real(2, 20, free=20),
        ],
        ids=label,
    )
    def test_slopes_are_those_of_central_differences(self, given: Real) -> None:
        coordinates = np.linspace(0.05, 0.95, 19)
        assert np.abs(coordinates - given.cheap).min() > 1e-3
        differences = (levels_of(given, coordinates + 1e-6) - levels_of(given, coordinates - 1e-6)) / 2e-6
        slopes = Levels(Space({"x": given}), np.array([0])).slopes(coordinates[:, None])[:, 0]
        np.testing.assert_allclose(slopes, differences, rtol=1e-6, atol=1e-8)

    @pytest.mark.parametrize("given", [Integer(1, 9), Real(0, 1, step=0.1), Categorical(["a", "b"], expensive=["a"])])
    def test_there_are_none_along_inputs_that_are_not_continuous(self, given: Input) -> None:
        slopes = Levels(Space({"x": given}), np.array([0])).slopes(given.stops()[:, None])
        np.testing.assert_array_equal(slopes, np.zeros((len(given.stops()), 1)))
