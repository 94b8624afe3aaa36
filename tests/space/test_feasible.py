from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from camobo.errors import InvalidSpaceError
from camobo.space.feasible import lowest
from camobo.space.inputs import Input, Integer, Real
from camobo.space.rows import Rows
from camobo.space.space import Space
from tests.support.constrained import constrained_spaces, few, limited


@pytest.mark.parametrize(
    ("constraints", "named"),
    [
        (["a + b >= 30"], "no point meets 'a + b >= 30' within the inputs' ranges"),
        (["a <= 9", "a + b == 5", "c >= 1", "a + b + c >= 16"], "'a + b == 5' and 'a + b + c >= 16' together"),
        (["a >= 3", "b >= 3", "c >= 3", "count(a, b, c) <= 2"], "'a >= 3' and 'b >= 3' and 'c >= 3' and 'count"),
        (["count(a, b) >= 3"], "no point meets 'count"),
        (["2*n == 3"], "no point in whole steps meets '2*n == 3'. Use finer steps"),
        (["n + m == 2.5", "a <= 3"], "no point in whole steps meets 'n + m == 2.5'"),
    ],
)
def test_a_smallest_set_of_constraints_that_clash_is_named(constraints: list[str], named: str) -> None:
    inputs: dict[str, Input] = {
        "a": Real(0, 10),
        "b": Real(0, 10),
        "c": Real(0, 10),
        "n": Integer(0, 3),
        "m": Integer(0, 3),
    }
    with pytest.raises(InvalidSpaceError) as caught:
        Space(inputs, constraints=constraints)
    assert named in str(caught.value)
    for text in constraints:
        if "16" not in named and repr(text) in str(caught.value):
            Space(inputs, constraints=[other for other in constraints if other != text])


@few
@given(constrained_spaces(finite=True), st.data())
def test_a_space_is_refused_exactly_if_no_point_meets_all(space: Space, data: st.DataObject) -> None:
    total = data.draw(st.integers(-4, 14))
    texts = (*space.constraints, f"n + m == {total}")
    assume(space.size < 5000)
    grid = [space.from_unit(unit) for unit in space.grid()]
    if any(abs(point["n"] + point["m"] - total) < 1e-9 for point in grid):
        assert Space(space.inputs, constraints=texts).size > 0
    else:
        with pytest.raises(InvalidSpaceError):
            Space(space.inputs, constraints=texts)


def test_the_lowest_point_of_a_linear_function_is_found() -> None:
    space = limited("a + b == 10", "a >= 2*b", a=Real(0, 10, step=0.5), b=Real(0, 10, step=0.5))
    found = lowest(Rows.of(space.inputs, space.rules), np.array([1.0, 0.0]))
    assert found is not None
    assert space.from_unit(found) == {"a": 7.0, "b": 3.0}
