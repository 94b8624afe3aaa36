"""Utilities of two objectives that the tests of utilities and of the acquisition share."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from camobo.acquisition.scalarisation import directions, normal, reach
from camobo.acquisition.utilities import ExpectedReach, Feasible, ScalarisedUCB
from camobo.arrays import Array
from camobo.space.sampling import quasi_random

AnyUtility: TypeAlias = ScalarisedUCB | ExpectedReach | Feasible

UNIT_FRONT = np.array([[0.2, 0.9], [0.5, 0.6], [0.8, 0.1]])


def ucb(objectives: int = 2, *, beta: float = 0.3, softness: float = 0.0) -> ScalarisedUCB:
    weights = np.arange(1.0, objectives + 1)
    return ScalarisedUCB(weights / weights.sum(), np.full(objectives, -0.1), beta, softness)


def improvement(front: Array, *, rays: int = 128, seed: int = 0) -> ExpectedReach:
    """Expected improvement of a front above the origin."""
    M = front.shape[1]
    uniforms = quasi_random(rays, 2 * M, np.random.default_rng(seed))
    of_rays, origin = directions(uniforms[:, :M]), np.zeros(M)
    return ExpectedReach(of_rays, normal(uniforms[:, M:]), reach(front, origin, of_rays), origin)


UTILITIES: dict[str, AnyUtility] = {
    "scalarised UCB": ucb(),
    "softened UCB": ucb().softened(),
    "expected hypervolume": improvement(UNIT_FRONT),
    "expected hypervolume, softened": improvement(UNIT_FRONT).softened(),
}
