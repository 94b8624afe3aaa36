from __future__ import annotations

import numpy as np

from camobo.acquisition.ascent import ascend
from camobo.space.inputs import Real
from camobo.space.space import Space
from tests.support.surfaces import Plain, bump, cube


def test_no_start_ends_lower_than_it_began_and_all_stay_in_the_cube() -> None:
    surface = Plain(lambda units: np.sin(7.0 * units).sum(axis=1), cube(3))
    starts = np.random.default_rng(0).random((20, 3))
    ends = ascend(surface, starts, steps=16)
    assert np.all(surface(ends) >= surface(starts))
    assert np.all((ends >= 0.0) & (ends <= 1.0))
    assert surface(ends).mean() > surface(starts).mean() + 0.5


def test_an_ill_scaled_quadratic_is_climbed_to_its_top() -> None:
    top, curvature = np.array([0.3, 0.6, 0.8, 0.5]), np.array([1.0, 10.0, 100.0, 1000.0])
    surface = Plain(lambda units: -((units - top) ** 2 @ curvature), cube(4))
    ends = ascend(surface, np.random.default_rng(1).random((5, 4)), steps=40)
    assert np.all(surface(ends) > -1e-3)


def test_starts_do_not_disturb_one_another() -> None:
    surface = Plain(bump(np.array([0.4, 0.6]), 0.3), cube(2))
    starts = np.random.default_rng(2).random((4, 2))
    together = ascend(surface, starts, steps=10)
    alone = np.vstack([ascend(surface, row[None, :], steps=10) for row in starts])
    np.testing.assert_allclose(together, alone, atol=1e-4)


def test_on_the_ground_of_constraints_no_start_leaves_it_and_the_top_is_found() -> None:
    space = Space({name: Real(0, 1) for name in "abcd"}, constraints=["a + b + c == 1", "a + d <= 0.9", "d - b <= 0.5"])
    top = np.array([0.9, 0.4, 0.1, 0.7])
    surface = Plain(lambda units: -((units - top) ** 2).sum(axis=1), space)
    starts = space.region.sample(10, np.random.default_rng(0))
    ends = ascend(surface, starts, steps=30, ground=space.region.ground(starts))
    assert space.region.holds(space.region.settle(ends)).all()
    np.testing.assert_allclose(space.region.settle(ends), ends, atol=1e-9)
    nearest = space.region.ground(top[None, :]).project(top[None, :])[0]
    np.testing.assert_allclose(ends, np.tile(nearest, (10, 1)), atol=0.01)


def test_a_limit_on_a_log_scale_is_followed_uphill() -> None:
    space = Space({"rate": Real(0.01, 10, log=True), "a": Real(0, 1)}, constraints=["rate + a <= 1"])
    surface = Plain(lambda units: units[:, 0] + 0.1 * units[:, 1], space)
    starts = space.region.sample(5, np.random.default_rng(0))
    ends = ascend(surface, starts, steps=40, ground=space.region.ground(starts))
    found = [space.from_unit(end) for end in ends]
    assert all(space.broken(params) == () for params in found)
    assert max(params["rate"] for params in found) > 0.9
