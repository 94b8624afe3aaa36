"""Where points may lie: the protocol of a region, and the box, which is all of the unit cube."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from camobo.arrays import Array
from camobo.space.inputs import Input
from camobo.space.sampling import quasi_random

Project: TypeAlias = Callable[[Array], Array]
"""Moves (b, d) vectors or points."""


class Ground(Protocol):
    """What a search by gradients may walk on: the region around some points, whose steps and choices stay."""

    def project(self, points: Array) -> Array:
        """(b, d) the nearest points inside."""
        ...

    def face(self, points: Array, slopes: Array) -> Project:
        """Takes from (b, d) vectors what would lead outside, at points where (b, d) slopes push against a bound."""
        ...


class Region(Protocol):
    """The part of a space's unit cube that may be suggested."""

    @property
    def stepped(self) -> bool:
        """Whether there is more to search than gradients show: steps, choices, counts."""
        ...

    @property
    def turns(self) -> int:
        """How many calls of `neighbours` show all neighbours of a point."""
        ...

    def holds(self, units: Array) -> NDArray[np.bool_]:
        """(n,) whether (n, d) points that can be evaluated lie inside."""
        ...

    def settle(self, units: Array) -> Array:
        """(n, d) points inside, near the given ones, that can be evaluated; where a point may stay, it stays."""
        ...

    def sample(self, count: int, rng: np.random.Generator) -> Array:
        """(count, d) points drawn evenly from the inside that can be evaluated."""
        ...

    def spread(self, count: int, rng: np.random.Generator, beside: int = 0) -> Array:
        """(count, d + beside) points inside, spread evenly from the first on, and numbers from 0 to 1 beside them."""
        ...

    def neighbours(self, points: Array, turn: int) -> list[Array]:
        """For each of (b, d) points (m, d) ones inside that differ by little or in one choice; some of them a turn."""
        ...

    def lowest(self, slope: Array, at: Array) -> Array:
        """(d,) the point inside where the function is least that is linear in values and has a slope `at` a point."""
        ...

    def ground(self, points: Array) -> Ground:
        """What a search by gradients from (b, d) points may walk on."""
        ...


@dataclass(frozen=True, slots=True)
class BoxGround:
    """All of the unit cube."""

    def project(self, points: Array) -> Array:
        """(b, d) the nearest points inside."""
        return np.clip(points, 0.0, 1.0)

    def face(self, points: Array, slopes: Array) -> Project:
        """Leaves out coordinates at a bound that the slope pushes against."""
        free = ~(((points <= 0.0) & (slopes < 0.0)) | ((points >= 1.0) & (slopes > 0.0)))
        return lambda vectors: vectors * free


@dataclass(frozen=True, slots=True)
class Box:
    """The region without constraints."""

    inputs: Sequence[Input]
    snap: Callable[[Array], Array]
    """Moves (n, d) points to the nearest ones that can be evaluated."""

    @property
    def stepped(self) -> bool:
        """Whether any input has steps or choices."""
        return not all(given.continuous for given in self.inputs)

    @property
    def turns(self) -> int:
        """One: `neighbours` shows all of them."""
        return 1

    def holds(self, units: Array) -> NDArray[np.bool_]:
        """Always."""
        return np.ones(len(units), dtype=np.bool_)

    def settle(self, units: Array) -> Array:
        """(n, d) points moved to the nearest ones that can be evaluated."""
        return self.snap(units)

    def sample(self, count: int, rng: np.random.Generator) -> Array:
        """(count, d) points drawn evenly."""
        return self.settle(rng.random((count, len(self.inputs))))

    def spread(self, count: int, rng: np.random.Generator, beside: int = 0) -> Array:
        """(count, d + beside) quasi-random points."""
        return quasi_random(count, len(self.inputs) + beside, rng)

    def neighbours(self, points: Array, turn: int = 0) -> list[Array]:
        """For each of (b, d) points (m, d) ones that differ in one input: the next steps or another choice."""
        return [self.alone(point, range(len(self.inputs))) for point in points]

    def alone(self, point: Array, columns: Iterable[int]) -> Array:
        """(m, d) points that differ from (d,) `point` in one of some inputs."""
        rows = []
        for j in columns:
            for unit in self.inputs[j].neighbours(float(point[j])):
                row = point.copy()
                row[j] = unit
                rows.append(row)
        return np.array(rows).reshape(-1, len(self.inputs))

    def lowest(self, slope: Array, at: Array) -> Array:
        """(d,) the corner where a linear function is least."""
        return np.asarray(self.settle(np.where(slope > 0.0, 0.0, 1.0)[None, :])[0])

    def ground(self, points: Array) -> BoxGround:
        """All of the unit cube."""
        return BoxGround()
