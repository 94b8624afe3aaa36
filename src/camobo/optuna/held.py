"""The best point of an acquisition where some inputs are not free: those a user enqueued a trial with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from camobo.blas import one_thread
from camobo.engine import Suggestion
from camobo.inputs import Array
from camobo.maximize import Surface, maximise
from camobo.pareto import on_front
from camobo.plan import Data, Plan
from camobo.space import SAME, Space, is_new


def best(plan: Plan, data: Data, suggestion: Suggestion, held: Mapping[str, float], rng: np.random.Generator) -> Array:
    """(d,) the suggestion, moved to where the held inputs are and with the others chosen anew for that.

    held: unit-cube coordinates by name. No point that was tried or is being tried comes again; SpaceExhausted if there
    is no other. A suggestion that no model speaks for, as those of the initial design, keeps its other inputs.
    """
    names = plan.space.names
    free = np.array([name not in held for name in names])
    at = np.array([held.get(name, u) for name, u in zip(names, suggestion.unit.tolist(), strict=True)])
    taken = data.tried
    taken = taken[np.abs(taken - at)[:, ~free].max(axis=1, initial=0.0) <= SAME][:, free]
    surface: Surface | None = suggestion.acquisition
    if not free.any():
        return at
    if surface is None:
        if is_new(at[free], taken):
            return at
        surface = _AnyOf(rng)
    among = Space({name: given for name, given in plan.space.inputs.items() if name not in held})
    front = data.units[on_front(data.values[:, : len(plan.objectives)])] if len(data.units) else data.units
    with one_thread():
        at[free] = maximise(_Held(surface, at.copy(), free), among, best=front[:, free], taken=taken, rng=rng)
    return at


@dataclass(frozen=True, slots=True)
class _Held:
    """A surface over the free inputs, the others held where (d,) `at` has them."""

    surface: Surface
    at: Array
    free: NDArray[np.bool_]

    def _whole(self, units: Array) -> Array:
        points = np.tile(self.at, (len(units), 1))
        points[:, self.free] = units
        return points

    def __call__(self, units: Array) -> Array:
        return self.surface(self._whole(units))

    def with_gradient(self, units: Array) -> tuple[Array, Array]:
        value, slope = self.surface.with_gradient(self._whole(units))
        return value, slope[:, self.free]

    def softened(self) -> _Held:
        return replace(self, surface=self.surface.softened())


@dataclass(frozen=True, slots=True)
class _AnyOf:
    """A surface that prefers nothing: a random point is its best."""

    rng: np.random.Generator

    def __call__(self, units: Array) -> Array:
        return self.rng.random(len(units))

    def with_gradient(self, units: Array) -> tuple[Array, Array]:
        return self(units), np.zeros_like(units)

    def softened(self) -> _AnyOf:
        return self
