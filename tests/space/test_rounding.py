from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from camobo.space.constrained import Constrained
from camobo.space.inputs import Real
from camobo.space.space import Space
from tests.support.constrained import MIXTURE
from tests.support.strategies import law


@law
@given(st.lists(st.floats(0, 1), min_size=3, max_size=8).filter(lambda parts: sum(parts) > 0))
def test_a_sum_in_one_step_is_kept_and_nothing_moves_by_a_step(parts: list[float]) -> None:
    names = [f"x{j}" for j in range(len(parts))]
    space = Space({name: Real(0, 100, step=0.1) for name in names}, constraints=[" + ".join(names) + " == 100"])
    z = np.array([parts]) / sum(parts)
    region = space.region
    assert isinstance(region, Constrained)
    found = region._rounding.rounded(z, np.zeros(z.shape), np.ones(z.shape))
    assert np.rint(found * 1000).sum() == 1000
    assert np.abs(found * 1000 - z * 1000).max() < 1 + 1e-6


def test_what_rounding_breaks_is_mended_nearby() -> None:
    region = MIXTURE.region
    assert isinstance(region, Constrained)
    z = region.rows.polytope().sample(500, np.random.default_rng(1))
    found = region._rounding.rounded(z, np.zeros(z.shape), np.ones(z.shape))
    assert region.rows.hold(region.rows.counted(found)).mean() > 0.99
    assert np.abs(found - z).max() * 1000 <= 3
