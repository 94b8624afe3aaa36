"""Surfaces to maximise in tests, from plain functions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

from camobo.arrays import Array
from camobo.space.inputs import Real
from camobo.space.space import Space


def cube(inputs: int) -> Space:
    return Space({f"x{j}": Real(0, 1) for j in range(inputs)})


@dataclass(frozen=True)
class Plain:
    """A surface from a function of snapped points; its gradient by differences along continuous inputs."""

    function: Callable[[Array], Array]
    space: Space
    soft: Callable[[Array], Array] | None = None
    seen: list[Array] = field(default_factory=list)

    def __call__(self, units: Array) -> Array:
        self.seen.append(units)
        return self.function(self.space.snap(units))

    def with_gradient(self, units: Array) -> tuple[Array, Array]:
        step, slope = 1e-6, np.zeros_like(units)
        for j in np.flatnonzero(self.space.continuous):
            move = step * np.eye(self.space.dimension)[j]
            slope[:, j] = (self(units + move) - self(units - move)) / (2 * step)
        return self(units), slope

    def softened(self) -> Plain:
        return self if self.soft is None else replace(self, function=self.soft)


def bump(centre: Array, width: float) -> Callable[[Array], Array]:
    return lambda units: np.exp(-0.5 * (((units - centre) / width) ** 2).sum(axis=1))
