from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from camobo.space.sampling import farthest_first, quasi_random
from tests.support.strategies import law


@law
@given(st.integers(0, 200), st.integers(1, 30), st.integers(0, 2**32))
def test_points_lie_in_the_unit_cube_and_the_generator_decides_them(count: int, dimension: int, seed: int) -> None:
    points, again = (quasi_random(count, dimension, np.random.default_rng(seed)) for _ in range(2))
    assert points.shape == (count, dimension)
    assert np.all((points >= 0.0) & (points < 1.0))
    np.testing.assert_array_equal(points, again)


@law
@given(st.integers(2, 100), st.integers(1, 8), st.integers(0, 2**32))
def test_more_points_from_the_same_generator_begin_with_the_same_ones(count: int, dimension: int, seed: int) -> None:
    few, many = (quasi_random(n, dimension, np.random.default_rng(seed)) for n in (count, 2 * count))
    np.testing.assert_array_equal(few, many[:count])


def test_in_one_dimension_the_step_is_the_golden_ratio() -> None:
    points = quasi_random(2, 1, np.random.default_rng(0))[:, 0]
    assert (points[1] - points[0]) % 1.0 == pytest.approx(2.0 / (1.0 + np.sqrt(5.0)), abs=1e-15)


@pytest.mark.parametrize("dimension", [1, 2, 5])
@pytest.mark.parametrize("seed", [0, 1])
def test_points_fill_every_axis_far_more_evenly_than_independent_draws(dimension: int, seed: int) -> None:
    count, rng = 256, np.random.default_rng(seed)
    expected = (np.arange(count) + 0.5) / count
    for axis in np.sort(quasi_random(count, dimension, rng), axis=0).T:
        assert np.abs(axis - expected).max() < 0.03  # independent draws: 0.054 on average (Kolmogorov)


def test_farthest_first_keeps_all_points_and_begins_with_the_most_different_ones() -> None:
    points = np.vstack([np.random.default_rng(0).normal(0.5, 0.01, (50, 2)), [[0, 0], [1, 1], [0, 1], [1, 0]]])
    found = farthest_first(points)
    assert sorted(map(tuple, found)) == sorted(map(tuple, points))
    assert {(0, 0), (1, 1), (0, 1), (1, 0)} <= set(map(tuple, found[:5]))
    assert len(farthest_first(np.zeros((0, 3)))) == 0
