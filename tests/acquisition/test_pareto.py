from __future__ import annotations

import itertools
import math
import time

import moocore
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from camobo.acquisition.pareto import dominates, hypervolume, on_front
from camobo.arrays import Array
from tests.support.strategies import law


@st.composite
def value_sets(draw: st.DrawFn, *, least: int = 1, objectives: tuple[int, int] = (1, 5), most: int = 7) -> Array:
    """(n, M) values, often coarse ones, so that ties and duplicates are common."""
    shape = (draw(st.integers(least, most)), draw(st.integers(*objectives)))
    element = draw(st.sampled_from([st.integers(-2, 3).map(float), st.floats(-10, 10)]))
    return draw(hnp.arrays(np.float64, shape, elements=element))


def better(a: Array, b: Array) -> bool:
    """Eq. 3, coordinate by coordinate."""
    return all(x >= y for x, y in zip(a, b, strict=True)) and any(x > y for x, y in zip(a, b, strict=True))


def inclusion_exclusion(values: Array, reference: Array) -> float:
    """The volume of a union of boxes: Σ over subsets of ± the volume of their intersection."""
    total = 0.0
    for size in range(1, len(values) + 1):
        for subset in itertools.combinations(values, size):
            sides = np.maximum(np.min(subset, axis=0) - reference, 0.0)
            total += (-1) ** (size + 1) * math.prod(sides)
    return total


class TestDominance:
    @law
    @given(value_sets(least=2, most=2))
    def test_dominance_is_as_good_everywhere_and_better_somewhere(self, pair: Array) -> None:
        assert dominates(pair[0], pair[1]) == better(pair[0], pair[1])

    @law
    @given(value_sets(least=2, most=2))
    def test_two_points_never_dominate_each_other_and_none_itself(self, pair: Array) -> None:
        assert not (dominates(pair[0], pair[1]) and dominates(pair[1], pair[0]))
        assert not dominates(pair[0], pair[0])


class TestFront:
    @law
    @given(value_sets(most=12))
    def test_the_front_is_what_nothing_dominates(self, values: Array) -> None:
        expected = [not any(better(other, value) for other in values) for value in values]
        assert on_front(values).tolist() == expected

    @law
    @given(value_sets(), st.data())
    def test_duplicates_are_on_the_front_together(self, values: Array, data: st.DataObject) -> None:
        i = data.draw(st.integers(0, len(values) - 1))
        alone, together = on_front(values), on_front(np.vstack([values, values[i]]))
        np.testing.assert_array_equal(together[:-1], alone)
        assert together[-1] == alone[i]

    @law
    @given(value_sets(), st.data())
    def test_the_front_does_not_depend_on_the_order_of_the_points(self, values: Array, data: st.DataObject) -> None:
        order = data.draw(st.permutations(range(len(values))))
        np.testing.assert_array_equal(on_front(values[order]), on_front(values)[order])

    @law
    @given(value_sets())
    def test_some_point_is_always_on_the_front(self, values: Array) -> None:
        assert on_front(values).any()

    def test_with_one_objective_every_best_point_is_on_the_front(self) -> None:
        assert on_front(np.array([[1.0], [3.0], [2.0], [3.0]])).tolist() == [False, True, False, True]

    @pytest.mark.parametrize("objectives", [1, 2, 5])
    def test_no_points_have_an_empty_front(self, objectives: int) -> None:
        front = on_front(np.zeros((0, objectives)))
        assert front.shape == (0,)
        assert front.dtype == np.bool_

    def test_the_given_values_are_not_changed(self) -> None:
        values = np.random.default_rng(0).random((20, 3))
        before = values.copy()
        on_front(values)
        hypervolume(values, np.zeros(3))
        np.testing.assert_array_equal(values, before)


def references(values: Array) -> st.SearchStrategy[Array]:
    coordinate = st.integers(-3, 3).map(float) | st.floats(-12, 12)
    return hnp.arrays(np.float64, values.shape[1], elements=coordinate)


class TestHypervolume:
    @law
    @given(st.data())
    def test_hypervolume_is_the_volume_of_the_union_of_boxes(self, data: st.DataObject) -> None:
        values = data.draw(value_sets())
        reference = data.draw(references(values))
        scale = math.prod(np.maximum(values.max(axis=0) - reference, 0.0))
        assert hypervolume(values, reference) == pytest.approx(
            inclusion_exclusion(values, reference), rel=1e-9, abs=1e-10 * (1 + scale)
        )

    @law
    @given(st.data())
    def test_a_point_not_above_the_reference_everywhere_adds_nothing(self, data: st.DataObject) -> None:
        values = data.draw(value_sets())
        reference = data.draw(references(values))
        useless = values[data.draw(st.integers(0, len(values) - 1))] + 5.0
        j = data.draw(st.integers(0, values.shape[1] - 1))
        useless[j] = reference[j] - data.draw(st.sampled_from([0.0, 1.0, 100.0]))
        with_it = hypervolume(np.vstack([values, useless]), reference)
        assert with_it == pytest.approx(hypervolume(values, reference), rel=1e-12, abs=0)

    @law
    @given(st.data())
    def test_another_point_never_takes_volume_away_and_a_duplicate_adds_none(self, data: st.DataObject) -> None:
        values = data.draw(value_sets(least=2))
        reference = data.draw(references(values))
        whole, less = hypervolume(values, reference), hypervolume(values[1:], reference)
        assert whole >= less * (1 - 1e-12)
        doubled = hypervolume(np.vstack([values, values]), reference)
        assert doubled == pytest.approx(whole, rel=1e-12, abs=0)

    def test_equal_points_add_not_even_rounding_errors(self) -> None:
        values = np.full((14, 5), 2.0)
        values[::7, 0] = 1.1
        assert hypervolume(values, np.zeros(5)) == hypervolume(values[:2], np.zeros(5))

    @law
    @given(st.data())
    def test_only_the_front_counts(self, data: st.DataObject) -> None:
        values = data.draw(value_sets())
        reference = data.draw(references(values))
        of_front = hypervolume(values[on_front(values)], reference)
        assert of_front == pytest.approx(hypervolume(values, reference), rel=1e-12, abs=0)

    @pytest.mark.parametrize("objectives", [1, 2, 3, 4, 5])
    def test_one_point_has_the_volume_of_its_box(self, objectives: int) -> None:
        sides = np.arange(1.0, objectives + 1)
        assert hypervolume((7 + sides)[None, :], np.full(objectives, 7.0)) == math.factorial(objectives)

    @pytest.mark.parametrize("objectives", [7, 10])
    def test_with_many_objectives_it_is_estimated_closely_whatever_their_units(self, objectives: int) -> None:
        rng = np.random.default_rng(objectives)
        values, units = -np.abs(rng.normal(size=(12, objectives))), 10.0 ** np.arange(-3, objectives - 3)
        exact = moocore.hypervolume(values, ref=np.full(objectives, -3.0), maximise=True)
        estimate = hypervolume(values * units, np.full(objectives, -3.0) * units) / np.prod(units)
        assert estimate == pytest.approx(exact, rel=0.01)

    def test_with_ten_objectives_a_hundred_points_take_less_than_two_seconds(self) -> None:
        values = -np.abs(np.random.default_rng(0).normal(size=(100, 10)))
        start = time.process_time()
        assert hypervolume(values, np.full(10, -3.0)) > 0.0
        assert time.process_time() - start < 2.0

    @pytest.mark.parametrize("objectives", [1, 2, 5, 8])
    def test_no_points_have_no_volume(self, objectives: int) -> None:
        assert hypervolume(np.zeros((0, objectives)), np.zeros(objectives)) == 0.0

    @pytest.mark.parametrize("objectives", [1, 2, 3, 4, 5, 8])
    def test_points_all_below_the_reference_have_no_volume(self, objectives: int) -> None:
        values = np.random.default_rng(0).random((6, objectives))
        assert hypervolume(values, np.ones(objectives)) == 0.0
        assert hypervolume(np.ones((3, objectives)), np.ones(objectives)) == 0.0

    @pytest.mark.parametrize("objectives", [1, 2, 3, 8])
    def test_a_volume_too_large_for_a_float_is_infinite_and_nothing_warns(self, objectives: int) -> None:
        ends = np.array([[1.7e308] * objectives, [-1.7e308] * objectives, [1.7e308, *[0.0] * (objectives - 1)]])
        assert hypervolume(ends, ends.min(axis=0)) == math.inf
