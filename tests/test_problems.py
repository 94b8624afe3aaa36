from __future__ import annotations

import itertools
import pickle
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.optimize import brentq, minimize_scalar

from camobo.errors import InvalidOptionError, InvalidSpaceError, InvalidValueError
from camobo.problems import (
    Problem,
    branin_currin,
    by_name,
    cross_holder,
    dtlz2,
    functions,
    matyas_booth,
    searched_front,
    zdt3,
)
from camobo.problems.functions import Floats

ALL: list[Problem] = [
    zdt3(),
    zdt3(inputs=2),
    cross_holder(),
    matyas_booth(),
    matyas_booth("printed"),
    branin_currin(),
    dtlz2(),
    dtlz2(inputs=3, objectives=3),
    dtlz2(inputs=12, objectives=4),
]
SEARCHABLE: list[Problem] = [
    zdt3(inputs=2),
    cross_holder(),
    matyas_booth(),
    matyas_booth("printed"),
    branin_currin(),
    dtlz2(inputs=2),
]


def label(problem: Problem) -> str:
    return f"{problem.name}-{len(problem.space.names)}-{len(problem.objectives)}"


def random_units(problem: Problem, count: int = 200, seed: int = 0) -> Floats:
    return np.random.default_rng(seed).random((count, len(problem.space.names)))


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
def test_the_published_least_value_is_taken_and_nothing_in_the_box_is_lower(
    function: Callable[[Floats, Floats], Floats], x: float, y: float, least: float, digits: int
) -> None:
    assert round(float(function(np.float64(x), np.float64(y))), digits) == least  # type: ignore[arg-type]
    box = np.random.default_rng(0).uniform(-10, 10, (2, 50_000))
    assert function(*box).min() >= least - 10.0**-digits


@pytest.mark.parametrize(("x", "y"), [(-np.pi, 12.275), (np.pi, 2.275), (9.42478, 2.475)])
def test_branin_takes_its_least_value_at_three_places(x: float, y: float) -> None:
    assert round(branin_currin()({"x1": (x + 5) / 15, "x2": y / 15})["f1"], 6) == 0.397887


def test_the_printed_booth_is_the_product_it_is_said_to_be() -> None:
    x, y = np.random.default_rng(1).uniform(-10, 10, (2, 1000))
    np.testing.assert_allclose(functions.printed_booth(x, y), 3 * (y - x - 2) * (x + y - 4), atol=1e-9)


def test_currin_at_its_border_is_the_limit_of_currin_near_it() -> None:
    at, near = branin_currin().evaluate([[0.3, 0.0], [0.3, 1e-4]])[:, 1]
    assert at == near


def zdt3_curve(x: float) -> float:
    return float(1 - np.sqrt(x) - x * np.sin(10 * np.pi * x))


def zdt3_pieces() -> list[tuple[float, float]]:
    """The intervals of f1 on ZDT3's front: each ends in a minimum, the next starts where its level is reached again."""
    ends = [
        float(minimize_scalar(zdt3_curve, bounds=(a, a + 0.1), method="bounded", options={"xatol": 1e-12}).x)
        for a in (0.02, 0.2, 0.4, 0.6, 0.8)
    ]
    starts = [0.0]
    for end, following in itertools.pairwise(ends):
        level = zdt3_curve(end)
        starts.append(float(brentq(lambda x, level=level: zdt3_curve(x) - level, following - 0.08, following)))
    return list(zip(starts, ends, strict=True))


def test_zdt3_has_its_front_in_the_five_published_pieces() -> None:
    published = [
        (0.0, 0.0830015349),
        (0.1822287280, 0.2577623634),
        (0.4093136748, 0.4538821041),
        (0.6183967944, 0.6525117038),
        (0.8233317983, 0.8518328654),
    ]
    np.testing.assert_allclose(zdt3_pieces(), published, atol=1e-7)
    found = searched_front(zdt3(inputs=2), rounds=2)[:, 0]
    assert all(any(start - 1e-4 <= f1 <= end + 1e-4 for start, end in published) for f1 in found)
    assert all(np.any((found >= start) & (found <= end)) for start, end in published)


def test_zdt3_best_hypervolume_is_the_integral_over_its_pieces() -> None:
    pieces = zdt3_pieces()
    total = sum(quad(lambda x: 1.1 - zdt3_curve(x), start, end)[0] for start, end in pieces)
    for (_, end), (start, _) in itertools.pairwise([*pieces, (1.1, 1.1)]):
        total += (start - end) * (1.1 - zdt3_curve(end))
    assert zdt3().best_hypervolume == pytest.approx(total, abs=1e-8)


def test_zdt3_is_best_where_its_later_inputs_are_zero() -> None:
    units = random_units(zdt3())
    lowered = units.copy()
    lowered[:, 1:] = 0
    front_f2 = np.array([zdt3_curve(x) for x in units[:, 0]])
    np.testing.assert_allclose(zdt3().evaluate(lowered)[:, 1], front_f2)
    assert zdt3().evaluate(np.array([[0.25, 1.0, 1.0, 1.0, 1.0]]))[0, 1] == pytest.approx(
        10 * (1 - np.sqrt(0.025) - 0.025)
    )


def test_matyas_booth_best_hypervolume_is_the_integral_along_its_weighted_minima() -> None:
    matyas, booth = np.array([[0.52, -0.48], [-0.48, 0.52]]), np.array([[10.0, 8.0], [8.0, 10.0]])
    ramp = np.linspace(0, 1, 200_001)
    weight = (ramp**3 / (ramp**3 + (1 - ramp) ** 3))[:, None, None]
    points = np.linalg.solve((1 - weight) * matyas + weight * booth, weight * (booth @ [1.0, 3.0])[:, None])[..., 0]
    f1, f2 = matyas_booth().evaluate((points + 10) / 20).T
    area = np.sum((81.4 - (f2[1:] + f2[:-1]) / 2) * np.diff(f1)) + (1.276 - 1.16) * 81.4
    assert matyas_booth().best_hypervolume == pytest.approx(area, abs=1e-4)


@pytest.mark.parametrize("objectives", [2, 3, 4])
def test_dtlz2_front_lies_on_the_unit_sphere_and_everything_else_outside_it(objectives: int) -> None:
    problem = dtlz2(inputs=objectives + 3, objectives=objectives)
    units = random_units(problem)
    assert np.all((problem.evaluate(units) ** 2).sum(axis=1) > 1)
    units[:, objectives - 1 :] = 0.5
    values = problem.evaluate(units)
    np.testing.assert_allclose((values**2).sum(axis=1), 1)
    assert values.min() >= 0


def test_dtlz2_with_three_objectives_follows_its_formula() -> None:
    a, b, g = 0.2 * np.pi / 2, 0.7 * np.pi / 2, 0.3**2 + 0.1**2
    expected = [(1 + g) * np.cos(a) * np.cos(b), (1 + g) * np.cos(a) * np.sin(b), (1 + g) * np.sin(a)]
    np.testing.assert_allclose(dtlz2(4, 3).evaluate([[0.2, 0.7, 0.8, 0.4]])[0], expected)


@pytest.mark.parametrize("objectives", [3, 4])
def test_dtlz2_best_hypervolume_is_the_share_of_the_box_outside_the_ball(objectives: int) -> None:
    box = np.random.default_rng(0).uniform(0, 1.1, (400_000, objectives))
    share = np.mean((box**2).sum(axis=1) > 1)
    assert dtlz2(objectives, objectives).best_hypervolume == pytest.approx(share * 1.1**objectives, rel=0.005)


@pytest.mark.parametrize("problem", SEARCHABLE, ids=label)
def test_a_dense_search_comes_close_to_the_best_hypervolume_and_never_passes_it(problem: Problem) -> None:
    reached = problem.hypervolume(searched_front(problem))
    assert reached <= problem.best_hypervolume
    assert reached == pytest.approx(problem.best_hypervolume, rel=1e-4)


@pytest.mark.parametrize("problem", [cross_holder(), matyas_booth(), matyas_booth("printed")], ids=label)
def test_reference_is_a_tenth_of_the_range_beyond_the_worst_corner(problem: Problem) -> None:
    front = searched_front(problem)
    ideal, nadir = front.min(axis=0), front.max(axis=0)
    np.testing.assert_allclose(problem.reference, nadir + 0.1 * (nadir - ideal), rtol=1e-3)


@pytest.mark.parametrize("problem", ALL, ids=label)
def test_no_random_points_pass_the_best_hypervolume(problem: Problem) -> None:
    reached = problem.hypervolume(problem.evaluate(random_units(problem, 500)))
    assert 0 <= reached < problem.best_hypervolume


@pytest.mark.parametrize("problem", ALL, ids=label)
def test_calling_by_name_and_evaluating_units_agree(problem: Problem) -> None:
    unit = random_units(problem, 1)
    values = problem(problem.space.from_unit(unit[0]))
    assert list(values) == list(problem.objectives)
    np.testing.assert_allclose(list(values.values()), problem.evaluate(unit)[0], rtol=1e-9)


@pytest.mark.parametrize("problem", ALL, ids=label)
def test_inputs_and_objectives_are_numbered_from_one_and_all_are_minimised(problem: Problem) -> None:
    assert problem.space.names == tuple(f"x{j + 1}" for j in range(len(problem.space.names)))
    assert list(problem.objectives) == [f"f{m + 1}" for m in range(len(problem.objectives))]
    assert set(problem.objectives.values()) == {"min"}
    assert len(problem.reference) == len(problem.objectives)


@pytest.mark.parametrize("problem", ALL, ids=label)
def test_flipping_turns_every_input_round_and_twice_is_nothing(problem: Problem) -> None:
    units = random_units(problem)
    turned = problem.flipped()
    np.testing.assert_array_equal(turned.evaluate(1 - units), problem.evaluate(1 - (1 - units)))
    np.testing.assert_array_equal(turned.flipped().evaluate(units), problem.evaluate(units))
    assert turned.flipped() == problem
    assert turned.name == f"{problem.name}-flipped"
    assert turned.best_hypervolume == problem.best_hypervolume


@given(st.lists(st.tuples(st.floats(-1, 3), st.floats(-1, 3)), min_size=1, max_size=8))
def test_hypervolume_is_the_area_a_staircase_covers(rows: list[tuple[float, float]]) -> None:
    area, level = 0.0, 1.1
    for f1, f2 in sorted(rows):
        if f1 < 1.1 and f2 < level:
            area += (1.1 - f1) * (level - f2)
            level = f2
    assert zdt3().hypervolume(rows) == pytest.approx(area, abs=1e-9)


def test_nothing_found_has_no_hypervolume() -> None:
    assert zdt3().hypervolume(np.empty((0, 2))) == 0
    assert zdt3().hypervolume([[2.0, -5.0]]) == 0


@pytest.mark.parametrize("problem", ALL, ids=label)
def test_a_problem_survives_the_journey_to_another_process(problem: Problem) -> None:
    units = random_units(problem, 3)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(problem)).evaluate(units), problem.evaluate(units))


@pytest.mark.parametrize(
    "name", ["zdt3", "cross-holder", "matyas-booth", "matyas-booth-printed", "branin-currin", "dtlz2"]
)
def test_every_problem_is_found_under_its_own_name(name: str) -> None:
    assert by_name(name).name == name
    assert by_name(f"{name}-flipped").name == f"{name}-flipped"


def test_an_unknown_name_is_answered_with_the_known_ones() -> None:
    with pytest.raises(InvalidOptionError, match=r"'zdt4' is not known; expected one of zdt3, cross-holder"):
        by_name("zdt4")


def test_an_unknown_booth_is_answered_with_the_two_there_are() -> None:
    with pytest.raises(InvalidOptionError, match=r'booth must be "standard" or "printed", got \'x\''):
        matyas_booth("x")  # type: ignore[arg-type]


def test_dtlz2_needs_as_many_inputs_as_objectives() -> None:
    with pytest.raises(InvalidSpaceError, match=r"got inputs=2, objectives=3\. Use inputs=3 or more"):
        dtlz2(inputs=2, objectives=3)


@pytest.mark.parametrize("count", [1, 0, -3, True, 2.0])
def test_sizes_must_be_whole_numbers_from_two_up(count: int) -> None:
    with pytest.raises(InvalidSpaceError, match="must be a whole number from 2 up"):
        zdt3(inputs=count)
    with pytest.raises(InvalidSpaceError, match="must be a whole number from 2 up"):
        dtlz2(inputs=5, objectives=count)


@pytest.mark.parametrize("units", [[0.5, 0.5], [[0.5]], [[0.5, 0.5, 0.5]]])
def test_points_of_the_wrong_shape_are_refused(units: list[float]) -> None:
    with pytest.raises(InvalidValueError, match=r"need points of shape \(n, 2\)"):
        branin_currin().evaluate(units)


@pytest.mark.parametrize("bad", [-0.1, 1.1, float("nan")])
def test_points_outside_the_unit_cube_are_refused(bad: float) -> None:
    with pytest.raises(InvalidValueError, match=f"in \\[0, 1\\], got {bad}"):
        branin_currin().evaluate([[0.5, bad]])


def test_values_that_have_no_hypervolume_are_refused() -> None:
    with pytest.raises(InvalidValueError, match="need finite values"):
        zdt3().hypervolume([[0.1, float("nan")]])
    with pytest.raises(InvalidValueError, match=r"need values of shape \(n, 2\)"):
        zdt3().hypervolume([[0.1, 0.2, 0.3]])


def test_only_problems_with_two_inputs_and_two_objectives_can_be_searched() -> None:
    with pytest.raises(InvalidOptionError, match="got 'zdt3' with 5 and 2"):
        searched_front(zdt3())
