from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.integrate import quad

from camobo.errors import InvalidOptionError, InvalidSpaceError
from camobo.problems import Problem, by_name, dtlz2, matyas_booth, zdt3
from tests.support.problems import ALL, label, random_units, zdt3_curve, zdt3_pieces


def test_zdt3_has_its_front_in_the_five_published_pieces() -> None:
    published = [
        (0.0, 0.0830015349),
        (0.1822287280, 0.2577623634),
        (0.4093136748, 0.4538821041),
        (0.6183967944, 0.6525117038),
        (0.8233317983, 0.8518328654),
    ]
    np.testing.assert_allclose(zdt3_pieces(), published, atol=1e-7)


def test_zdt3_best_hypervolume_is_the_integral_over_its_pieces() -> None:
    pieces = zdt3_pieces()
    total = sum(quad(lambda f1: 1.1 - zdt3_curve(f1), start, end)[0] for start, end in pieces)
    for (_, end), (start, _) in itertools.pairwise([*pieces, (1.1, 1.1)]):
        total += (start - end) * (1.1 - zdt3_curve(end))
    assert zdt3().best_hypervolume == pytest.approx(total, abs=1e-8)


def test_matyas_booth_best_hypervolume_is_the_integral_along_its_weighted_minima() -> None:
    matyas, booth = np.array([[0.52, -0.48], [-0.48, 0.52]]), np.array([[10.0, 8.0], [8.0, 10.0]])
    ramp = np.linspace(0, 1, 200_001)
    weight = (ramp**3 / (ramp**3 + (1 - ramp) ** 3))[:, None, None]
    points = np.linalg.solve((1 - weight) * matyas + weight * booth, weight * (booth @ [1.0, 3.0])[:, None])[..., 0]
    f1, f2 = matyas_booth().evaluate((points + 10) / 20).T
    area = np.sum((81.4 - (f2[1:] + f2[:-1]) / 2) * np.diff(f1)) + (1.276 - 1.16) * 81.4
    assert matyas_booth().best_hypervolume == pytest.approx(area, abs=1e-4)


@pytest.mark.parametrize("objectives", [3, 4])
def test_dtlz2_best_hypervolume_is_the_share_of_the_box_outside_the_ball(objectives: int) -> None:
    box = np.random.default_rng(0).uniform(0, 1.1, (400_000, objectives))
    share = np.mean((box**2).sum(axis=1) > 1)
    assert dtlz2(objectives, objectives).best_hypervolume == pytest.approx(share * 1.1**objectives, rel=0.005)


@pytest.mark.parametrize("problem", ALL, ids=label)
def test_no_random_points_pass_the_best_hypervolume(problem: Problem) -> None:
    reached = problem.hypervolume(problem.evaluate(random_units(problem, 500)))
    assert 0 <= reached < problem.best_hypervolume


@pytest.mark.parametrize("problem", ALL, ids=label)
def test_inputs_and_objectives_are_numbered_from_one_and_all_are_minimised(problem: Problem) -> None:
    assert problem.space.names == tuple(f"x{j + 1}" for j in range(len(problem.space.names)))
    assert list(problem.objectives) == [f"f{m + 1}" for m in range(len(problem.objectives))]
    assert set(problem.objectives.values()) == {"min"}
    assert len(problem.reference) == len(problem.objectives)


@pytest.mark.parametrize(
    "name", ["zdt3", "cross-holder", "matyas-booth", "matyas-booth-printed", "branin-currin", "dtlz2"]
)
def test_every_problem_is_found_by_its_name_and_by_its_flipped_name(name: str) -> None:
    assert by_name(name).name == name
    assert by_name(f"{name}-flipped").name == f"{name}-flipped"


def test_the_error_for_an_unknown_name_lists_the_known_ones() -> None:
    with pytest.raises(InvalidOptionError, match=r"^unknown problem 'zdt4': need one of zdt3, cross-holder"):
        by_name("zdt4")


def test_the_error_for_an_unknown_booth_names_both() -> None:
    with pytest.raises(InvalidOptionError, match=r'booth must be "standard" or "printed", got \'x\''):
        matyas_booth("x")  # type: ignore[arg-type]


def test_dtlz2_needs_as_many_inputs_as_objectives() -> None:
    with pytest.raises(InvalidSpaceError, match=r"got inputs=2, objectives=3\. Use inputs=3 or more"):
        dtlz2(inputs=2, objectives=3)


@pytest.mark.parametrize("count", [1, 0, -3, True, 2.0])
def test_sizes_must_be_whole_numbers_of_at_least_two(count: int) -> None:
    with pytest.raises(InvalidSpaceError, match="inputs must be a whole number of at least 2"):
        zdt3(inputs=count)
    with pytest.raises(InvalidSpaceError, match="objectives must be a whole number of at least 2"):
        dtlz2(inputs=5, objectives=count)
