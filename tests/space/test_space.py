from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import chisquare

from camobo.arrays import Array
from camobo.errors import InvalidSpaceError, InvalidValueError
from camobo.space import space as space_module
from camobo.space.inputs import Categorical, Input, Integer, Real
from camobo.space.space import SAME, Space, is_new, written_params
from tests.support.constrained import constrained_spaces, few
from tests.support.costs import costed_spaces, with_free
from tests.support.strategies import categoricals, integers, law, params, reals, spaces, units


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


class TestFeatures:
    @law
    @given(st.data())
    def test_numbers_are_one_unchanged_column_and_categories_one_per_choice(self, data: st.DataObject) -> None:
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


def can_be_expensive(given: Input) -> bool:
    return not isinstance(given, Categorical) or bool(given.expensive)


class TestExpense:
    @law
    @given(costed_spaces())
    def test_the_cheapest_point_has_no_expense(self, space: Space) -> None:
        cheapest = space.cheapest()
        np.testing.assert_array_equal(space.expense(cheapest[None, :]), np.zeros((1, space.dimension)))
        np.testing.assert_array_equal(space.snap(cheapest[None, :])[0], cheapest)

    @law
    @given(costed_spaces())
    def test_the_most_expensive_point_has_expense_one_wherever_something_is_expensive(self, space: Space) -> None:
        top = space.at_expense(np.ones((1, space.dimension)))
        expected = [float(can_be_expensive(of_input)) for of_input in space.inputs.values()]
        np.testing.assert_array_equal(space.expense(top)[0], expected)

    @law
    @given(reals() | integers())
    def test_the_expensive_end_is_the_one_the_input_names(self, number: Real | Integer) -> None:
        space = Space({"x": number})
        expensive, cheap = (number.low, number.high) if number.expensive == "low" else (number.high, number.low)
        assert space.expense(space.to_unit({"x": expensive})[None, :]) == 1.0
        assert space.expense(space.to_unit({"x": cheap})[None, :]) == 0.0

    @law
    @given(st.data())
    def test_expense_undoes_at_expense_for_reals(self, data: st.DataObject) -> None:
        space = data.draw(spaces(of=reals()))
        levels = data.draw(units(space))
        np.testing.assert_allclose(space.expense(space.at_expense(levels)), levels, rtol=0, atol=1e-15)

    def test_expense_grows_on_both_sides_of_a_free_value_and_is_one_at_the_farther_end(self) -> None:
        space = Space({"soak": Real(0, 100, free=20)})
        at = np.array([[0.0], [0.1], [0.2], [0.3], [1.0]])
        np.testing.assert_allclose(space.expense(at)[:, 0], [0.25, 0.125, 0.0, 0.125, 1.0], rtol=0, atol=1e-15)
        np.testing.assert_allclose(space.expense_slope(at)[[0, 1, 3, 4], 0], [-1.25, -1.25, 1.25, 1.25])
        np.testing.assert_allclose(space.at_expense(np.array([[0.0], [0.125], [1.0]]))[:, 0], [0.2, 0.3, 1.0])
        np.testing.assert_allclose(Space({"soak": Real(0, 100, free=80)}).at_expense(np.ones((1, 1))), [[0.0]])

    @law
    @given(st.data())
    def test_points_at_an_expense_can_be_evaluated_and_cost_no_less_at_a_higher_one(self, data: st.DataObject) -> None:
        space = data.draw(costed_spaces())
        levels = np.sort(data.draw(units(space)), axis=0)
        points = space.at_expense(levels)
        np.testing.assert_array_equal(space.snap(points), points)
        assert np.all(np.diff(space.expense(points), axis=0) >= 0)

    @pytest.mark.parametrize(
        "discrete",
        [
            Integer(-3, 7, expensive="low"),
            Categorical(["a", "b", "c", "d"], expensive=["b", "d"]),
            Categorical([1, 2, 3]),
        ],
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
        space = data.draw(costed_spaces(of=st.one_of(reals(), categoricals(), with_free())))
        middle = np.clip(data.draw(units(space, most=1)), 1e-3, 1 - 1e-3)
        for j, of_input in enumerate(space.inputs.values()):
            assume(isinstance(of_input, Categorical) or abs(middle[0, j] - of_input.cheap) > 1e-5)
            step = np.zeros((1, space.dimension))
            step[0, j] = 1e-6
            if isinstance(of_input, Categorical):  # flat inside a choice's share
                assume(of_input.from_unit(middle[0, j] - 1e-6) is of_input.from_unit(middle[0, j] + 1e-6))
            slope = (space.expense(middle + step) - space.expense(middle - step)) / 2e-6
            expected = np.zeros(space.dimension)
            expected[j] = space.expense_slope(middle)[0, j]
            np.testing.assert_allclose(slope[0], expected, atol=1e-8)


class TestCheaper:
    @law
    @given(st.data())
    def test_at_a_share_of_one_points_stay_and_at_zero_they_are_the_cheapest(self, data: st.DataObject) -> None:
        space = data.draw(costed_spaces())
        points = space.snap(data.draw(units(space)))
        np.testing.assert_array_equal(space.cheaper(points, 1.0), points)
        np.testing.assert_array_equal(space.cheaper(points, 0.0), np.tile(space.cheapest(), (len(points), 1)))

    @law
    @given(st.data(), st.floats(0.0, 1.0))
    def test_no_input_becomes_more_expensive_and_points_can_be_evaluated(
        self, data: st.DataObject, share: float
    ) -> None:
        space = data.draw(costed_spaces())
        points = space.snap(data.draw(units(space)))
        moved = space.cheaper(points, share)
        np.testing.assert_array_equal(space.snap(moved), moved)
        assert np.all(space.expense(moved) <= space.expense(points) + 1e-15)

    def test_shares_may_differ_by_point_and_by_input(self) -> None:
        space = Space({"a": Real(0, 1), "b": Real(0, 1, expensive="low"), "c": Real(0, 1, free=0.5)})
        points = np.array([[0.8, 0.4, 0.9], [0.8, 0.4, 0.9]])
        by_point = space.cheaper(points, np.array([[0.5], [0.0]]))
        np.testing.assert_allclose(by_point, [[0.4, 0.7, 0.7], [0.0, 1.0, 0.5]])
        by_input = space.cheaper(points, np.array([[1.0, 0.0, 0.5], [0.5, 1.0, 0.0]]))
        np.testing.assert_allclose(by_input, [[0.8, 1.0, 0.7], [0.4, 0.4, 0.5]])
        np.testing.assert_array_equal(points, [[0.8, 0.4, 0.9], [0.8, 0.4, 0.9]])

    def test_choices_move_by_their_rank_in_cost(self) -> None:
        quench = Categorical(["oil", "air", "vacuum"], expensive=["vacuum", "oil"])
        space = Space({"quench": quench})
        vacuum = np.array([[quench.to_unit("vacuum")]])
        found = [space.from_unit(space.cheaper(vacuum, share)[0])["quench"] for share in (1.0, 0.5, 0.1)]
        assert found == ["vacuum", "oil", "air"]


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


untyped: Any = space_module  # the types forbid most of what the tests of refusals do
BAD_SPACES: list[tuple[str, Any, list[str]]] = [
    # what is wrong; how to make it; what the message must name
    ("empty space", lambda: untyped.Space({}), ["Space", "at least one input", "Example"]),
    ("space of a list", lambda: untyped.Space([Real(0, 1)]), ["Space", "mapping of names to inputs"]),
    ("name that is a number", lambda: untyped.Space({1: Real(0, 1)}), ["Space", "name must be text", "1"]),
    ("blank name", lambda: untyped.Space({"  ": Real(0, 1)}), ["Space", "name must be text", "'  '"]),
    ("input that is a tuple", lambda: untyped.Space({"x": (0, 1)}), ["Space", "'x'", "Real", "(0, 1)"]),
]


@pytest.mark.parametrize(("make", "said"), [row[1:] for row in BAD_SPACES], ids=[row[0] for row in BAD_SPACES])
def test_a_space_that_cannot_be_is_refused_by_name(make: Any, said: list[str]) -> None:
    with pytest.raises(InvalidSpaceError) as caught:
        make()
    assert isinstance(caught.value, ValueError)
    assert all(words in str(caught.value) for words in said), str(caught.value)


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


def test_params_come_back_in_the_order_and_types_of_the_space() -> None:
    checked = ALLOY.check({"quench": "oil", "soak": np.float64(4.0), "nickel": np.int64(3)})
    assert list(checked.items()) == [("nickel", 3.0), ("soak", 4), ("quench", "oil")]
    assert [type(value) for value in checked.values()] == [float, int, str]


class TestConstraints:
    @pytest.mark.parametrize("given", ["nickel <= 20", np.array(["nickel <= 20", "nickel > 1"])], ids=str)
    def test_constraints_that_are_not_a_list_are_shown_as_given(self, given: Any) -> None:
        with pytest.raises(InvalidSpaceError, match=r"constraints must be a list of texts.*got [^,]*'nickel <= 20'"):
            untyped.Space({"nickel": Real(0, 20)}, constraints=given)

    @pytest.mark.parametrize("none", [[], (), "", None], ids=repr)
    def test_no_constraints_in_any_form_are_the_same_space(self, none: Any) -> None:
        assert untyped.Space({"nickel": Real(0, 20)}, constraints=none) == Space({"nickel": Real(0, 20)})

    @few
    @given(constrained_spaces(finite=True))
    def test_size_and_grid_count_the_points_that_meet_them(self, space: Space) -> None:
        free = Space(space.inputs).grid()
        inside = [unit for unit in free if not space.broken(space.from_unit(unit))]
        np.testing.assert_array_equal(space.grid(), inside)
        assert space.size == len(inside)

    def test_a_space_too_large_to_be_listed_says_so(self) -> None:
        inputs = {f"x{j}": Real(0, 100, step=0.1) for j in range(8)}
        space = Space(inputs, constraints=[" + ".join(inputs) + " == 100"])
        assert space.size == Space(inputs).size
        with pytest.raises(InvalidSpaceError, match="too many points"):
            space.grid()

    def test_fixing_inputs_leaves_the_constraints_of_the_others(self) -> None:
        inputs = {name: Real(0, 100, step=0.1) for name in "abc"}
        space = Space(inputs, constraints=["a + b + c == 100", "count(a, b) <= 1", "2*a >= b"])
        left = space.given({"a": 0.203})
        assert left.names == ("b", "c")
        for unit in left.region.sample(20, np.random.default_rng(0)):
            params = {"a": space.inputs["a"].from_unit(0.203), **left.from_unit(unit)}
            assert space.broken(params) == ()

    def test_values_that_leave_nothing_are_refused(self) -> None:
        space = Space({name: Real(0, 100) for name in "abc"}, constraints=["a + b <= 50"])
        with pytest.raises(InvalidSpaceError, match=r"a=60, b=0 does not meet 'a \+ b <= 50'"):
            space.given({"a": 0.6, "b": 0.0})
        with pytest.raises(InvalidSpaceError, match="no point meets"):
            space.given({"a": 0.6})


class TestGrid:
    @law
    @given(spaces(of=st.builds(Integer, st.just(0), st.integers(1, 3)) | categoricals()))
    def test_a_grid_holds_every_point_of_a_finite_space_once(self, space: Space) -> None:
        assume(space.size <= 5_000)
        grid = space.grid()
        assert grid.shape == (space.size, space.dimension)
        assert len(np.unique(grid, axis=0)) == space.size
        np.testing.assert_array_equal(space.snap(grid), grid)

    def test_an_infinite_space_has_no_grid_and_says_what_to_do(self) -> None:
        with pytest.raises(InvalidSpaceError, match=r"no finite grid.*Give every Real a step"):
            Space({"x": Real(0, 1), "n": Integer(1, 3)}).grid()


class TestIsNew:
    def test_any_point_is_new_if_none_is_taken(self) -> None:
        assert is_new(np.array([0.5, 0.5]), np.empty((0, 2)))

    @law
    @given(st.data())
    def test_a_point_is_new_if_some_coordinate_differs_from_every_taken_point(self, data: st.DataObject) -> None:
        space = data.draw(spaces(of=st.builds(Integer, st.just(0), st.integers(1, 4))))
        taken = space.snap(data.draw(units(space)))
        point = space.snap(data.draw(units(space, most=1)))[0]
        assert is_new(point, taken) == (space.from_unit(point) not in [space.from_unit(row) for row in taken])
        assert not is_new(taken[0], taken)

    def test_points_as_close_as_the_distance_are_not_new(self) -> None:
        taken = np.array([[0.5, 0.5]])
        assert not is_new(np.array([0.5 + 0.5 * SAME, 0.5]), taken)
        assert is_new(np.array([0.5 + 2.0 * SAME, 0.5]), taken)
        assert not is_new(np.array([0.6, 0.5]), taken, distance=0.2)
        assert is_new(np.array([0.6, 0.75]), taken, distance=0.2)


def test_params_of_any_kind_are_written_on_one_line() -> None:
    assert written_params({"a": 1e-9 / 3, "b": True, "c": None, "d": 12}) == "a=3.33333e-10, b=True, c=None, d=12"
    assert written_params({}) == ""


class TestFixedValues:
    SPACE = Space({"x": Real(0, 1, step=0.1), "n": Integer(1, 9), "c": Categorical([True, 1])})

    def test_they_come_in_the_space_s_order_and_types_with_the_digits_of_their_step(self) -> None:
        found = self.SPACE.check_fixed({"c": 1, "x": 0.1 * 3})
        assert list(found.items()) == [("x", 0.3), ("c", 1)]
        assert found["c"] is not True
        assert self.SPACE.coordinates(found) == {"x": pytest.approx(0.3), "c": 0.75}

    def test_a_value_between_steps_is_refused_with_the_nearest(self) -> None:
        with pytest.raises(InvalidValueError, match=r"'x': 0\.34 lies between two steps of 0\.1\. The nearest is 0\.3"):
            self.SPACE.check_fixed({"x": 0.34})

    def test_an_unknown_name_is_refused_with_the_one_that_was_meant(self) -> None:
        space = Space({"nickel": Real(0, 1)})
        with pytest.raises(InvalidValueError, match=r"^same: no input called 'nikel'\. Did you mean 'nickel'\?"):
            space.check_names("same", ["nickel", "nikel"])
