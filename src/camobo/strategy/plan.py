"""What a study is about (Plan) and what is known so far (Data): all that a suggestion depends on.

Imports nothing that only suggestions need, so that opening and reading a study stays quick.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from camobo.arrays import Array
from camobo.cost.additive import AdditiveCost
from camobo.cost.moment import Moment
from camobo.cost.paper import PaperCost
from camobo.space.space import Space

Method: TypeAlias = Literal["default", "paper"]
Beta: TypeAlias = Literal["practical", "theory"]


@dataclass(frozen=True, slots=True)
class Plan:
    """What a study is about, frozen; a new budget makes a new plan."""

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
    """Names of what is measured besides the objectives and must be zero or less."""

    @property
    def signs(self) -> Array:
        """(M,) 1 for objectives to maximise, −1 for those to minimise."""
        return np.array([1.0 if goal == "max" else -1.0 for goal in self.objectives.values()])

    def moment(self, step: int, budget: int | None) -> Moment:
        """What a cost needs to know about a step: how far the study is, and how large the problem."""
        return Moment(step, budget, len(self.objectives), self.space.dimension)

    @property
    def initial(self) -> int:
        """The number of points in the initial design: one per input and one more."""
        return self.space.dimension + 1

    def stream(self, purpose: str, number: int) -> np.random.Generator:
        """Random numbers that depend only on the seed, the purpose and the trial number."""
        return np.random.default_rng([self.seed, zlib.crc32(purpose.encode()), number])


@dataclass(frozen=True, slots=True)
class Data:
    """What is known when a point is asked for; rows in the order of the trials' numbers.

    units: (n, d) points that were measured.
    values: (n, M + K) what was measured there: M objectives, signed so that larger is better, then K constraints.
    pending: (p, d) points that are being measured.
    failed: (q, d) points that could not be measured.
    step: the number of suggestions, this one included.
    """

    units: Array
    values: Array
    pending: Array
    failed: Array
    step: int

    @property
    def tried(self) -> Array:
        """(n + p + q, d) measured, pending and failed points: none is suggested again."""
        return np.vstack([self.units, self.pending, self.failed])
