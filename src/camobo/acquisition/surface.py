"""The protocol of a function to maximise over the unit cube, and its section at fixed inputs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from camobo.arrays import Array


class Surface(Protocol):
    """A function to maximise over the unit cube."""

    def __call__(self, units: Array) -> Array:
        """(b,) values at (b, d) points."""
        ...

    def with_gradient(self, units: Array) -> tuple[Array, Array]:
        """(b,) values and (b, d) gradients at (b, d) points."""
        ...

    def softened(self) -> Surface:
        """A version without kinks, for gradient steps; may be itself."""
        ...


@dataclass(frozen=True, slots=True)
class Section:
    """A surface over the free inputs only; the fixed ones stay as in (d,) `point`."""

    surface: Surface
    point: Array
    free: NDArray[np.bool_]

    def __call__(self, units: Array) -> Array:
        """(b,) values at (b, free inputs) points."""
        return self.surface(self._whole(units))

    def with_gradient(self, units: Array) -> tuple[Array, Array]:
        """(b,) values and (b, free inputs) gradients at (b, free inputs) points."""
        value, slope = self.surface.with_gradient(self._whole(units))
        return value, slope[:, self.free]

    def softened(self) -> Section:
        """The same section of the softened surface."""
        return replace(self, surface=self.surface.softened())

    def _whole(self, units: Array) -> Array:
        points = np.tile(self.point, (len(units), 1))
        points[:, self.free] = units
        return points
