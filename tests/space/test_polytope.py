from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.stats import beta, ks_2samp, kstest

from camobo.arrays import Array
from camobo.space.polytope import INSIDE, Polytope, linear_from_log, log_from_linear, null_space
from tests.support.strategies import law

NONE = np.zeros((0, 0))


def polytope(
    dimension: int,
    rows: list[list[float]] | Array = NONE,
    most: list[float] | Array = (),  # type: ignore[assignment]
    sums: list[list[float]] | Array = NONE,
    totals: list[float] | Array = (),  # type: ignore[assignment]
    ratio: list[float] | None = None,
) -> Polytope:
    return Polytope(
        np.reshape(np.array(rows, dtype=float), (-1, dimension)),
        np.array(most, dtype=float),
        np.reshape(np.array(sums, dtype=float), (-1, dimension)),
        np.array(totals, dtype=float),
        np.zeros(dimension),
        np.ones(dimension),
        np.ones(dimension) if ratio is None else np.array(ratio),
    )


def simplex(dimension: int) -> Polytope:
    return polytope(dimension, sums=[[1.0] * dimension], totals=[1.0])


@st.composite
def polytopes(draw: st.DrawFn) -> Polytope:
    """Polytopes that hold a random point, some of them thin or flat."""
    d = draw(st.integers(2, 5))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    inner = rng.random(d)
    rows, sums = rng.uniform(-1, 1, (draw(st.integers(0, 3)), d)), rng.uniform(-1, 1, (draw(st.integers(0, 2)), d))
    room = draw(st.sampled_from([0.0, 1e-3, 0.3]))
    return polytope(d, rows, rows @ inner + room, sums[: d - 1], (sums @ inner)[: d - 1])


class TestNearest:
    @law
    @given(polytopes(), st.integers(0, 1000))
    def test_it_is_inside_and_its_own_nearest(self, given: Polytope, seed: int) -> None:
        for point in np.random.default_rng(seed).uniform(-0.5, 1.5, (5, len(given.low))):
            found = given.nearest(point)
            assert found is not None
            assert given.inside(found[None, :])[0]
            again = given.nearest(found)
            assert again is not None
            np.testing.assert_allclose(again, found, atol=1e-9)

    @law
    @given(polytopes(), st.integers(0, 1000))
    def test_nothing_inside_is_nearer(self, given: Polytope, seed: int) -> None:
        rng = np.random.default_rng(seed)
        point = rng.uniform(-0.5, 1.5, len(given.low))
        found = given.nearest(point)
        assert found is not None
        others = np.array([given.nearest(other) for other in rng.uniform(-0.5, 1.5, (8, len(point)))])
        # The angle between the way to the nearest point and the way on to any other is at least a right one.
        assert np.all((others - found) @ (point - found) <= 1e-6)

    def test_it_is_what_a_general_solver_finds(self) -> None:
        given, point = simplex(5), np.array([0.9, 0.8, -0.3, 0.1, 0.0])
        solved = minimize(  # type: ignore[call-overload]
            lambda x: ((x - point) ** 2).sum(),
            np.full(5, 0.2),
            bounds=[(0, 1)] * 5,
            constraints={"type": "eq", "fun": lambda x: x.sum() - 1},
            options={"ftol": 1e-14},
        )
        found = given.nearest(point)
        assert found is not None
        np.testing.assert_allclose(found, solved.x, atol=1e-5)

    def test_coordinates_at_a_bound_are_exactly_there(self) -> None:
        found = simplex(3).nearest(np.array([0.9, 0.8, -0.3]))
        assert found is not None
        assert found[2] == 0.0

    def test_an_empty_polytope_has_none(self) -> None:
        empty = polytope(2, rows=[[1.0, 1.0], [-1.0, -1.0]], most=[0.5, -0.6])
        assert empty.nearest(np.array([0.3, 0.3])) is None
        assert empty.centre is None


class TestSampling:
    def test_a_simplex_is_sampled_uniformly(self) -> None:
        """Each coordinate of a uniform point of a simplex of d corners has the distribution Beta(1, d − 1)."""
        points = simplex(10).sample(2000, np.random.default_rng(3))
        p = [kstest(column, beta(1, 9).cdf).pvalue for column in points.T]
        assert min(p) > 0.001, p  # of ten, corrected for their number: one in a hundred
        np.testing.assert_allclose(points.sum(axis=1), 1.0, atol=1e-12)

    def test_a_thin_polytope_is_sampled_uniformly(self) -> None:
        slab = polytope(3, rows=[[1, -1, 0], [-1, 1, 0]], most=[1e-3, 1e-3])
        points = slab.sample(2000, np.random.default_rng(0))
        assert kstest(points[:, 0], "uniform").pvalue > 0.001
        assert kstest(points[:, 2], "uniform").pvalue > 0.001

    def test_a_log_scale_is_sampled_uniformly_on_that_scale(self) -> None:
        given = polytope(3, rows=[[1, 0.5, 0]], most=[0.6], ratio=[1.0, 1000.0, 1.0])
        points = given.sample(3000, np.random.default_rng(1))
        box = linear_from_log(np.random.default_rng(2).random((20000, 3)), given.ratio)
        kept = box[given.inside(box)]
        assert min(ks_2samp(points[:, j], kept[:, j]).pvalue for j in range(3)) > 0.001

    @law
    @given(polytopes(), st.integers(0, 1000))
    def test_draws_are_inside_also_of_what_is_flat(self, given: Polytope, seed: int) -> None:
        assert given.inside(given.sample(20, np.random.default_rng(seed))).all()

    def test_what_leaves_no_room_does_not_stop_the_other_inputs(self) -> None:
        flat = polytope(3, rows=[[1, 1, 0]], most=[0.0])
        points = flat.sample(200, np.random.default_rng(0))
        assert np.all(points[:, :2] == 0.0)
        assert points[:, 2].std() > 0.2


@law
@given(polytopes(), st.integers(0, 1000))
def test_the_longest_step_ends_inside_and_a_longer_one_outside(given: Polytope, seed: int) -> None:
    rng = np.random.default_rng(seed)
    points = given.sample(5, rng)
    directions = rng.standard_normal((5, given.basis.shape[1])) @ given.basis.T
    lengths = given.longest_step(points, directions)
    ends = np.isfinite(lengths)
    assert given.inside((points + lengths[:, None] * directions)[ends]).all()
    beyond = points + (lengths + 1e-5)[:, None] * directions
    assert not given.inside(beyond[ends & (np.linalg.norm(directions, axis=1) > 1e-2)]).any() or INSIDE > 1e-7


@law
@given(st.floats(0, 1), st.floats(1, 1e12))
def test_log_and_linear_coordinates_are_inverse(unit: float, ratio: float) -> None:
    units, ratios = np.array([[unit, unit]]), np.array([1.0, max(ratio, 1.001)])
    np.testing.assert_allclose(log_from_linear(linear_from_log(units, ratios), ratios), units, atol=1e-6)


@pytest.mark.parametrize("rows", [[[1.0, 1.0, 1.0]], [[1.0, 0.0, 0.0], [2.0, 0.0, 0.0]]])
def test_the_null_space_is_orthonormal_and_changes_no_row(rows: list[list[float]]) -> None:
    basis = null_space(np.array(rows))
    assert basis.shape == (3, 2)
    np.testing.assert_allclose(basis.T @ basis, np.eye(2), atol=1e-12)
    np.testing.assert_allclose(np.array(rows) @ basis, 0.0, atol=1e-12)
