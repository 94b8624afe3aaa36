from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray

from camobo.acquisition.surface import Section
from camobo.arrays import Array
from tests.support.strategies import law
from tests.support.surfaces import Plain, cube

coordinates = st.floats(0.0, 1.0)


def waves(units: Array) -> Array:
    return np.asarray(np.sin(3.0 * units @ np.arange(1.0, units.shape[1] + 1)))


def ripples(units: Array) -> Array:
    return np.asarray(np.cos(5.0 * units).prod(axis=1))


@st.composite
def sections(draw: st.DrawFn) -> tuple[Section, Array]:
    """A section of a smooth surface, and (b, free inputs) points of it."""
    inputs = draw(st.integers(2, 5))
    free: NDArray[np.bool_] = np.zeros(inputs, dtype=np.bool_)
    free[draw(st.lists(st.integers(0, inputs - 1), min_size=1, max_size=inputs - 1, unique=True))] = True
    point = draw(hnp.arrays(np.float64, inputs, elements=coordinates))
    shape = (draw(st.integers(1, 4)), int(free.sum()))
    surface = Plain(waves, cube(inputs), soft=ripples)
    return Section(surface, point, free), draw(hnp.arrays(np.float64, shape, elements=coordinates))


def whole(section: Section, units: Array) -> Array:
    """(b, d) points, put together one by one."""
    rows = []
    for row in units:
        left = iter(row.tolist())
        rows.append([next(left) if free else at for at, free in zip(section.point, section.free, strict=True)])
    return np.array(rows)


class TestSection:
    @law
    @given(sections())
    def test_it_is_the_surface_at_the_fixed_inputs(self, given_section: tuple[Section, Array]) -> None:
        section, units = given_section
        np.testing.assert_array_equal(section(units), waves(whole(section, units)))

    @law
    @given(sections())
    def test_its_gradient_is_that_of_the_surface_along_the_free_inputs(
        self, given_section: tuple[Section, Array]
    ) -> None:
        section, units = given_section
        value, slope = section.with_gradient(units)
        expected_value, expected_slope = section.surface.with_gradient(whole(section, units))
        np.testing.assert_array_equal(value, expected_value)
        np.testing.assert_array_equal(slope, expected_slope[:, section.free])
        assert slope.shape == units.shape

    @law
    @given(sections())
    def test_softened_it_is_a_section_of_the_softened_surface(self, given_section: tuple[Section, Array]) -> None:
        section, units = given_section
        np.testing.assert_array_equal(section.softened()(units), ripples(whole(section, units)))

    @law
    @given(sections())
    def test_evaluating_it_changes_neither_its_point_nor_the_given_points(
        self, given_section: tuple[Section, Array]
    ) -> None:
        section, units = given_section
        before = section.point.copy(), units.copy()
        section(units)
        section.with_gradient(units)
        np.testing.assert_array_equal(section.point, before[0])
        np.testing.assert_array_equal(units, before[1])
