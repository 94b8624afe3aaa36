from __future__ import annotations

import numpy as np

from camobo.space.inputs import Real
from camobo.space.listing import listed
from camobo.space.rows import Rows
from tests.support.constrained import limited


def test_a_long_grid_with_few_points_is_listed() -> None:
    names = [f"x{j}" for j in range(12)]
    space = limited(" + ".join(names) + " <= 2", **{name: Real(0, 10, step=1) for name in names})
    found = listed([given.stops() for given in space.inputs.values()], Rows.of(space.inputs, space.rules))
    assert found is not None
    assert len(found) == 1 + 12 + 12 + 66
    assert len(np.unique(found, axis=0)) == len(found)


def test_more_than_a_million_are_not() -> None:
    names = [f"x{j}" for j in range(9)]
    space = limited(" + ".join(names) + " <= 50", **{name: Real(0, 10, step=0.1) for name in names})
    assert listed([given.stops() for given in space.inputs.values()], Rows.of(space.inputs, space.rules)) is None
