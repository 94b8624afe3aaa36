from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from camobo.errors import InvalidSpaceError
from camobo.space.inputs import Integer, Real
from camobo.space.rows import Rows
from camobo.space.space import Space
from tests.support.constrained import constrained_spaces, few, limited


def test_a_row_of_steps_holds_the_smallest_whole_numbers() -> None:
    space = limited("a + b + n == 100", a=Real(0, 100, step=0.1), b=Real(10, 60, step=0.5), n=Integer(0, 9))
    rows = Rows.of(space.inputs, space.rules)
    assert rows.matrix.tolist() == [[1, 5, 10]]
    assert rows.bound.tolist() == [900]


@few
@given(constrained_spaces())
def test_arrays_and_params_agree_on_what_is_inside(space: Space) -> None:
    points = space.snap(np.random.default_rng(0).random((50, space.dimension)))
    said = [not space.broken(space.from_unit(point)) for point in points]
    np.testing.assert_array_equal(space.region.holds(points), said)


def test_steps_without_a_common_measure_are_refused() -> None:
    with pytest.raises(InvalidSpaceError, match="no common measure"):
        limited("a + b <= 1", a=Real(0, 1e6 * 1.234567890123, step=1.234567890123), b=Real(0, 1, step=1e-6))
