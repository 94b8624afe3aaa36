from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from camobo.space.inputs import Integer, Real
from camobo.space.region import Box, BoxGround
from camobo.space.sampling import quasi_random
from camobo.space.space import Space
from tests.support.strategies import law, spaces, units


@law
@given(spaces(), st.data())
def test_the_region_of_a_space_without_constraints_is_the_box(space: Space, data: st.DataObject) -> None:
    region, points = space.region, data.draw(units(space))
    assert isinstance(region, Box)
    np.testing.assert_array_equal(region.settle(points), space.snap(points))
    assert region.holds(points).all()
    assert region.turns == 1
    assert region.stepped == (not space.continuous.all())
    one, other = np.random.default_rng(0), np.random.default_rng(0)
    np.testing.assert_array_equal(region.spread(9, one, beside=1), quasi_random(9, space.dimension + 1, other))
    np.testing.assert_array_equal(region.sample(9, one), space.snap(other.random((9, space.dimension))))


def test_the_lowest_corner_follows_the_slope() -> None:
    space = Space({"a": Real(0, 1), "n": Integer(1, 4)})
    assert space.from_unit(space.region.lowest(np.array([-1.0, 2.0]), np.zeros(2))) == {"a": 1.0, "n": 1}


def test_a_coordinate_stays_at_a_bound_that_its_slope_pushes_against() -> None:
    points = np.array([[0.0, 1.0, 0.5]])
    along = BoxGround().face(points, np.array([[-1.0, -1.0, -1.0]]))
    np.testing.assert_array_equal(along(np.ones((1, 3))), [[0.0, 1.0, 1.0]])
    np.testing.assert_array_equal(BoxGround().project(points + np.array([[-1, 1, 0.1]])), [[0.0, 1.0, 0.6]])
