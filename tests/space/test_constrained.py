from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from camobo.space.constrained import Constrained
from camobo.space.inputs import Categorical, Input, Integer, Real
from camobo.space.space import Space
from tests.support.constrained import MIXTURE, constrained_spaces, exactly_inside, few, limited

TWENTY = {f"x{j}": Real(0, 100, step=1.0) for j in range(20)}
THREE_OF_TWENTY = Space(TWENTY, constraints=[f"count({', '.join(TWENTY)}) <= 3"])
seeds = st.integers(0, 1000)


class TestStayingInside:
    @few
    @given(constrained_spaces(), seeds)
    def test_samples_are_inside_and_can_be_evaluated(self, space: Space, seed: int) -> None:
        points = space.region.sample(20, np.random.default_rng(seed))
        assert points.shape == (20, space.dimension)
        assert exactly_inside(space, points)
        np.testing.assert_array_equal(space.snap(points), points)

    @few
    @given(constrained_spaces(), seeds)
    def test_any_point_settles_inside_and_then_stays(self, space: Space, seed: int) -> None:
        points = space.region.settle(np.random.default_rng(seed).random((20, space.dimension)))
        assert exactly_inside(space, points)
        np.testing.assert_array_equal(space.region.settle(points), points)

    @few
    @given(constrained_spaces(), seeds)
    def test_neighbours_are_inside_and_differ(self, space: Space, seed: int) -> None:
        region, points = space.region, space.region.sample(3, np.random.default_rng(seed))
        for turn in range(region.turns):
            for point, near in zip(points, region.neighbours(points, turn), strict=True):
                assert exactly_inside(space, near)
                np.testing.assert_array_equal(space.snap(near), near)
                assert np.all(np.any(near != point, axis=1))

    @few
    @given(constrained_spaces(), seeds)
    def test_the_ground_keeps_what_has_steps_and_all_constraints(self, space: Space, seed: int) -> None:
        rng = np.random.default_rng(seed)
        points = space.region.sample(5, rng)
        ground = space.region.ground(points)
        moved = ground.project(points + 0.3 * rng.standard_normal(points.shape))
        np.testing.assert_allclose(moved[:, ~space.continuous], points[:, ~space.continuous], atol=1e-12)
        assert exactly_inside(space, space.region.settle(moved))
        np.testing.assert_allclose(space.region.settle(moved), moved, atol=1e-12)

    @few
    @given(constrained_spaces(), seeds)
    def test_a_spread_begins_evenly_and_settles_inside(self, space: Space, seed: int) -> None:
        points = space.region.spread(16, np.random.default_rng(seed), beside=1)
        assert points.shape == (16, space.dimension + 1)
        assert exactly_inside(space, space.region.settle(points[:, :-1]))

    @few
    @given(constrained_spaces(finite=True), seeds)
    def test_the_lowest_point_is_the_lowest_of_all(self, space: Space, seed: int) -> None:
        slope = np.random.default_rng(seed).uniform(-1, 1, space.dimension)
        region = space.region
        assert isinstance(region, Constrained)
        found = region.lowest(slope * region.rows.curve(np.zeros(space.dimension)), np.zeros(space.dimension))
        limits = region.rows.linear(space.grid()) * region.rows.limited @ slope
        assert exactly_inside(space, found[None, :])
        assert region.rows.linear(found[None, :])[0] * region.rows.limited @ slope <= limits.min() + 1e-6


class TestMixtures:
    def test_sums_are_exact_in_the_decimals_a_user_sees(self) -> None:
        rng = np.random.default_rng(0)
        for points in (MIXTURE.region.sample(300, rng), MIXTURE.region.settle(rng.random((300, 10)))):
            assert exactly_inside(MIXTURE, points)
            assert len(np.unique(points, axis=0)) > 290

    def test_a_point_settles_within_a_few_steps(self) -> None:
        region = MIXTURE.region
        assert isinstance(region, Constrained)
        z = region.rows.polytope().sample(200, np.random.default_rng(0))
        assert np.abs(region.settle(z) - z).max() <= 0.003

    def test_every_pair_of_components_can_be_exchanged(self) -> None:
        region, point = MIXTURE.region, MIXTURE.region.sample(1, np.random.default_rng(0))
        found = {
            tuple(np.flatnonzero(row != point[0]))
            for turn in range(region.turns)
            for row in region.neighbours(point, turn)[0]
        }
        assert len(found) == 45

    @pytest.mark.parametrize(
        "constraints",
        [
            ["a + b + c == 10", "a + 2*b + 3*c == 17"],
            ["3*a + 5*b + 7*c == 31"],
            ["a + b + c + d == 10", "d == 2"],
            ["a + b + c + d == 10", "a - b == 1"],
            ["0.5*a + b - c == 0", "count(a, b, d) == 2"],
        ],
    )
    def test_sums_of_any_coefficients_are_met_and_searched(self, constraints: list[str]) -> None:
        inputs: dict[str, Input] = {
            "a": Integer(0, 10),
            "b": Integer(0, 10),
            "c": Real(0, 10, step=0.5),
            "d": Integer(0, 9),
        }
        space = Space(inputs, constraints=constraints)
        points = space.region.sample(200, np.random.default_rng(0))
        assert exactly_inside(space, points)
        assert len(np.unique(points, axis=0)) >= min(20, space.size / 2)

    def test_components_without_steps_make_up_for_those_with(self) -> None:
        free = Real(0, 100)
        space = limited("a + b + c == 100", "a <= b", a=Real(0, 100, step=5), b=free, c=free, q=Categorical(["x", "y"]))
        points = space.region.sample(50, np.random.default_rng(0))
        assert exactly_inside(space, points)
        assert len(np.unique(points[:, 0])) > 5
        for point, near in zip(points, space.region.neighbours(points, 0), strict=True):
            assert np.any(near[:, 0] != point[0])
            assert np.any(near[:, 3] != point[3])


class TestCounts:
    def test_at_most_so_many_are_above_their_low_end(self) -> None:
        region, rng = THREE_OF_TWENTY.region, np.random.default_rng(0)
        points = np.vstack([region.sample(200, rng), region.settle(rng.random((200, 20)))])
        assert ((points > 0).sum(axis=1) <= 3).all()

    def test_all_of_them_are_tried(self) -> None:
        points = np.vstack([THREE_OF_TWENTY.region.sample(64, np.random.default_rng(seed)) for seed in range(8)])
        share = (points > 0).mean(axis=0)
        assert share.min() > 0.05
        assert share.max() < 0.3

    def test_a_neighbour_takes_the_place_of_one_above(self) -> None:
        point = THREE_OF_TWENTY.region.sample(1, np.random.default_rng(0))
        (near,) = THREE_OF_TWENTY.region.neighbours(point, 0)
        assert any(set(np.flatnonzero(row)) != set(np.flatnonzero(point[0])) and (row > 0).sum() == 3 for row in near)

    def test_at_least_so_many_are_clearly_above_it(self) -> None:
        space = limited("count(a, b, c) >= 2", "a + b + c <= 1", a=Real(0, 1), b=Real(0, 1), c=Real(0, 1))
        points = space.region.settle(np.where(np.random.default_rng(0).random((100, 3)) < 0.3, 1.0, 0.0))
        assert ((points >= 1e-3 - 1e-12).sum(axis=1) >= 2).all()


def test_log_scales_are_limited_by_their_value() -> None:
    space = limited("rate + a <= 1", rate=Real(0.001, 10, log=True), a=Real(0, 10))
    points = space.region.sample(300, np.random.default_rng(0))
    assert exactly_inside(space, points)
    assert np.quantile(points[:, 0], 0.1) < 0.15  # spread over the powers of ten below 1
