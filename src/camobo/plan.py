"""What a study is about, and what is known of it: all that a suggestion depends on, and all that keeping a study needs.

Apart from the engine, so that a study can be opened, read and told without loading what only suggestions need.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from camobo.cost import AdditiveCost, Moment, PaperCost
from camobo.inputs import Array
from camobo.space import Space

Method: TypeAlias = Literal["default", "paper"]
Beta: TypeAlias = Literal["practical", "theory"]


@dataclass(frozen=True, slots=True)
class Plan:
    """What a study is about; nothing in it changes while the study runs."""

    space: Space
    objectives: Mapping[str, Literal["min", "max"]]
    cost: PaperCost | AdditiveCost | None = None
    budget: int | None = None
    seed: int = 0
    method: Method = "default"
    reference: tuple[float, ...] | None = None
    beta: Beta = "practical"
    refit_every: int = 10
    constraints: tuple[str, ...] = ()
    """What is measured beside the objectives and must come out at zero or below."""

    @property
    def signs(self) -> Array:
        """(M,) 1 for objectives to maximise, −1 for those to minimise."""
        return np.array([1.0 if goal == "max" else -1.0 for goal in self.objectives.values()])

    def moment(self, step: int, budget: int | None) -> Moment:
        """What a cost needs to know of when it is asked."""
        return Moment(step, budget, len(self.objectives), self.space.dimension)

    @property
    def initial(self) -> int:
        """How many points the initial design has: one an input and one more."""
        return self.space.dimension + 1

    def stream(self, purpose: str, number: int) -> np.random.Generator:
        """The random numbers that are for this purpose at this trial, whatever was drawn before."""
        return np.random.default_rng([self.seed, zlib.crc32(purpose.encode()), number])


@dataclass(frozen=True, slots=True)
class Data:
    """What is known when a point is asked for; rows in the order of the trials' numbers.

    `units` (n, d) and `values` (n, M + K) are what was measured: M objectives, signed so that larger is better, then K
    constraints as they came; `pending` (p, d) is being measured now; `failed` (q, d) could not be; `step` counts
    suggestions, this one included, from 1.
    """

    units: Array
    values: Array
    pending: Array
    failed: Array
    step: int

    @property
    def tried(self) -> Array:
        """(n + p + q, d) every point that need not be tried again."""
        return np.vstack([self.units, self.pending, self.failed])
