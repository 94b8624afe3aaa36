from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from camobo.errors import InvalidValueError
from camobo.problems import Problem, branin_currin, zdt3
from tests.support.problems import ALL, label, random_units


@pytest.mark.parametrize("problem", ALL, ids=label)
def test_calling_by_name_and_evaluating_units_agree(problem: Problem) -> None:
    unit = random_units(problem, 1)
    values = problem(problem.space.from_unit(unit[0]))
    assert list(values) == list(problem.objectives)
    np.testing.assert_allclose(list(values.values()), problem.evaluate(unit)[0], rtol=1e-9)


@pytest.mark.parametrize("problem", ALL, ids=label)
def test_flipping_reverses_every_input_and_flipping_twice_changes_nothing(problem: Problem) -> None:
    units = random_units(problem)
    flipped = problem.flipped()
    np.testing.assert_array_equal(flipped.evaluate(1 - units), problem.evaluate(1 - (1 - units)))
    np.testing.assert_array_equal(flipped.flipped().evaluate(units), problem.evaluate(units))
    assert flipped.flipped() == problem
    assert flipped.name == f"{problem.name}-flipped"
    assert flipped.best_hypervolume == problem.best_hypervolume


@given(st.lists(st.tuples(st.floats(-1, 3), st.floats(-1, 3)), min_size=1, max_size=8))
def test_hypervolume_is_the_area_under_a_staircase(rows: list[tuple[float, float]]) -> None:
    area, level = 0.0, 1.1
    for f1, f2 in sorted(rows):
        if f1 < 1.1 and f2 < level:
            area += (1.1 - f1) * (level - f2)
            level = f2
    assert zdt3().hypervolume(rows) == pytest.approx(area, abs=1e-9)


def test_no_values_and_values_beyond_the_reference_have_no_hypervolume() -> None:
    assert zdt3().hypervolume(np.empty((0, 2))) == 0
    assert zdt3().hypervolume([[2.0, -5.0]]) == 0


@pytest.mark.parametrize("problem", ALL, ids=label)
def test_a_problem_can_be_pickled_for_another_process(problem: Problem) -> None:
    units = random_units(problem, 3)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(problem)).evaluate(units), problem.evaluate(units))


@pytest.mark.parametrize("units", [[0.5, 0.5], [[0.5]], [[0.5, 0.5, 0.5]]])
def test_points_of_the_wrong_shape_are_refused(units: list[float]) -> None:
    with pytest.raises(InvalidValueError, match=r"need points of shape \(n, 2\)"):
        branin_currin().evaluate(units)


@pytest.mark.parametrize("bad", [-0.1, 1.1, float("nan")])
def test_points_outside_the_unit_cube_are_refused(bad: float) -> None:
    with pytest.raises(InvalidValueError, match=f"in \\[0, 1\\], got {bad}"):
        branin_currin().evaluate([[0.5, bad]])


def test_values_without_a_hypervolume_are_refused() -> None:
    with pytest.raises(InvalidValueError, match="need finite values"):
        zdt3().hypervolume([[0.1, float("nan")]])
    with pytest.raises(InvalidValueError, match=r"need values of shape \(n, 2\)"):
        zdt3().hypervolume([[0.1, 0.2, 0.3]])
