from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from camobo.arrays import Array
from camobo.problems import functions
from tests.support.problems import zdt3_curve


@pytest.mark.parametrize(
    ("function", "x", "y", "least", "digits"),
    [
        (functions.cross_in_tray, 1.34941, 1.34941, -2.06261, 5),
        (functions.cross_in_tray, -1.34941, 1.34941, -2.06261, 5),
        (functions.holder_table, 8.05502, 9.66459, -19.2085, 4),
        (functions.holder_table, 8.05502, -9.66459, -19.2085, 4),
        (functions.matyas, 0.0, 0.0, 0.0, 12),
        (functions.booth, 1.0, 3.0, 0.0, 12),
        (functions.printed_booth, -10.0, 3.0, -363.0, 12),
    ],
)
def test_a_function_takes_its_published_least_value_and_none_lower_in_the_box(
    function: Callable[[Array, Array], Array], x: float, y: float, least: float, digits: int
) -> None:
    assert round(float(function(np.float64(x), np.float64(y))), digits) == least  # type: ignore[arg-type]
    box = np.random.default_rng(0).uniform(-10, 10, (2, 50_000))
    assert function(*box).min() >= least - 10.0**-digits


@pytest.mark.parametrize(("x", "y"), [(-np.pi, 12.275), (np.pi, 2.275), (9.42478, 2.475)])
def test_branin_takes_its_least_value_at_three_points_and_none_lower(x: float, y: float) -> None:
    assert round(float(functions.branin(np.float64(x), np.float64(y))), 6) == 0.397887  # type: ignore[arg-type]
    first, second = np.random.default_rng(0).uniform((-5, 0), (10, 15), (50_000, 2)).T
    assert functions.branin(first, second).min() >= 0.397887 - 1e-6


def test_the_printed_booth_is_a_product_of_two_lines() -> None:
    x, y = np.random.default_rng(1).uniform(-10, 10, (2, 1000))
    np.testing.assert_allclose(functions.printed_booth(x, y), 3 * (y - x - 2) * (x + y - 4), atol=1e-9)


def test_currin_at_its_border_is_the_limit_of_currin_near_it() -> None:
    at, near = functions.currin(np.array([0.3, 0.3]), np.array([0.0, 1e-4]))
    assert at == near


def test_a_function_returns_one_value_per_point_and_broadcasts() -> None:
    column, row = np.linspace(0, 1, 3)[:, None], np.linspace(0, 1, 4)
    for function in (functions.cross_in_tray, functions.holder_table, functions.matyas, functions.currin):
        values = function(column, row)
        assert values.shape == (3, 4)
        np.testing.assert_allclose(values[2, 1], function(column[2, 0], row[1]), rtol=1e-14)


def test_zdt3_is_best_where_its_later_inputs_are_zero() -> None:
    points = np.random.default_rng(0).random((200, 5))
    on_front = points.copy()
    on_front[:, 1:] = 0
    best = functions.zdt3_values(on_front)
    np.testing.assert_allclose(best[:, 1], [zdt3_curve(f1) for f1 in points[:, 0]])
    assert np.all(functions.zdt3_values(points)[:, 1] >= best[:, 1])
    far = functions.zdt3_values(np.array([[0.25, 1.0, 1.0, 1.0, 1.0]]))
    assert far[0, 1] == pytest.approx(10 * (1 - np.sqrt(0.025) - 0.025))


@pytest.mark.parametrize("objectives", [2, 3, 4])
def test_dtlz2_front_lies_on_the_unit_sphere_and_everything_else_outside_it(objectives: int) -> None:
    points = np.random.default_rng(0).random((200, objectives + 3))
    assert np.all((functions.dtlz2_values(points, objectives) ** 2).sum(axis=1) > 1)
    points[:, objectives - 1 :] = 0.5
    values = functions.dtlz2_values(points, objectives)
    np.testing.assert_allclose((values**2).sum(axis=1), 1)
    assert values.min() >= 0


def test_dtlz2_with_three_objectives_follows_its_formula() -> None:
    a, b, g = 0.2 * np.pi / 2, 0.7 * np.pi / 2, 0.3**2 + 0.1**2
    expected = [(1 + g) * np.cos(a) * np.cos(b), (1 + g) * np.cos(a) * np.sin(b), (1 + g) * np.sin(a)]
    np.testing.assert_allclose(functions.dtlz2_values(np.array([[0.2, 0.7, 0.8, 0.4]]), 3)[0], expected)
