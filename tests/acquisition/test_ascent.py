from __future__ import annotations

import numpy as np

from camobo.acquisition.ascent import ascend
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
