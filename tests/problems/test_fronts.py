from __future__ import annotations

from functools import cache

import moocore
import numpy as np
import pytest

from camobo.arrays import Array
from camobo.errors import InvalidOptionError
from camobo.problems import Problem, dtlz2, searched_front, zdt3
from tests.support.problems import SEARCHABLE, label, zdt3_pieces

BY_LABEL = {label(problem): problem for problem in SEARCHABLE}


@cache
def found(name: str) -> Array:
    """The front of a searchable problem, searched once for all tests."""
    return searched_front(BY_LABEL[name])


@pytest.mark.parametrize("name", BY_LABEL)
def test_a_dense_search_comes_close_to_the_best_hypervolume_and_never_passes_it(name: str) -> None:
    problem = BY_LABEL[name]
    reached = problem.hypervolume(found(name))
    assert reached <= problem.best_hypervolume
    assert reached == pytest.approx(problem.best_hypervolume, rel=1e-4)


@pytest.mark.parametrize("name", ["cross-holder-2-2", "matyas-booth-2-2", "matyas-booth-printed-2-2"])
def test_a_reference_is_a_tenth_of_the_range_beyond_the_worst_corner(name: str) -> None:
    front = found(name)
    ideal, nadir = front.min(axis=0), front.max(axis=0)
    np.testing.assert_allclose(BY_LABEL[name].reference, nadir + 0.1 * (nadir - ideal), rtol=1e-3)


def test_the_search_finds_all_five_pieces_of_zdt3_and_nothing_between_them() -> None:
    pieces = zdt3_pieces()
    f1 = found("zdt3-2-2")[:, 0]
    assert all(any(start - 1e-4 <= value <= end + 1e-4 for start, end in pieces) for value in f1)
    assert all(np.any((f1 >= start) & (f1 <= end)) for start, end in pieces)


def test_a_found_front_is_sorted_and_no_row_dominates_another() -> None:
    front = searched_front(zdt3(inputs=2), grid=51, rounds=1, kept=50)
    assert np.all(np.diff(front[:, 0]) > 0)
    assert moocore.is_nondominated(front).all()


def test_more_rounds_never_lose_hypervolume() -> None:
    problem = zdt3(inputs=2)
    reached = [problem.hypervolume(searched_front(problem, grid=21, rounds=rounds, kept=30)) for rounds in range(4)]
    assert reached == sorted(reached)
    assert reached[0] < reached[-1]


@pytest.mark.parametrize("problem", [zdt3(), dtlz2(inputs=3, objectives=3)], ids=label)
def test_only_problems_with_two_inputs_and_two_objectives_can_be_searched(problem: Problem) -> None:
    sizes = f"{len(problem.space.names)} and {len(problem.objectives)}"
    with pytest.raises(InvalidOptionError, match=f"got '{problem.name}' with {sizes}"):
        searched_front(problem)
