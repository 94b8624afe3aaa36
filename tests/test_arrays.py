from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from camobo.arrays import evenly
from tests.support.strategies import law


@law
@given(st.integers(1, 1000), st.integers(2, 200))
def test_indices_are_evenly_spaced_from_the_first_to_the_last(count: int, most: int) -> None:
    found = evenly(count, most)
    assert len(found) == min(count, most)
    assert (found[0], found[-1]) == (0, count - 1)
    assert count == 1 or np.ptp(np.diff(found)) <= 1


@pytest.mark.parametrize(("count", "most", "expected"), [(0, 5, []), (5, 0, []), (5, 1, [0]), (1, 1, [0])])
def test_short_sequences_and_small_numbers_are_possible(count: int, most: int, expected: list[int]) -> None:
    assert evenly(count, most) == expected


def test_indices_are_python_integers() -> None:
    assert {type(index) for index in evenly(10, 3)} == {int}
