"""What a study is about (Plan) and what is known so far (Data): all that a suggestion depends on.

Imports nothing that only suggestions need, so that opening and reading a study stays quick.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np

from camobo.arrays import Array
from camobo.cost.budget import Budget
from camobo.cost.protocol import Cost
from camobo.space.space import Space

Method: TypeAlias = Literal["default", "paper"]
Beta: TypeAlias = Literal["practical", "theory"]

FEWEST_INITIAL = 3


@dataclass(frozen=True, slots=True)
class Plan:
    """What a study is about, frozen; a new budget makes a new plan."""

    space: Space
    objectives: Mapping[str, Literal["min", "max"]]
    cost: Cost | None = None
    budget: Budget | None = None
    seed: int = 0
    method: Method = "default"
    reference: tuple[float, ...] | None = None
    beta: Beta = "practical"
    refit_every: int = 10
    constraints: tuple[str, ...] = ()
    """Names of what is measured besides the objectives and must be zero or less."""
    thrift: float = 1.0
    """How much cost counts: 0 not at all, 1 promise for the money, more is more frugal."""

    @property
    def signs(self) -> Array:
        """(M,) 1 for objectives to maximise, −1 for those to minimise."""
        return np.array([1.0 if goal == "max" else -1.0 for goal in self.objectives.values()])

    @property
    def initial(self) -> int:
        """The number of points before models choose: half as many as inputs, at least three.

        The paper leaves the number open; for its method, one per input and one more.
        """
        d = self.space.dimension
        return d + 1 if self.method == "paper" else max(FEWEST_INITIAL, (d + 1) // 2)

    def stream(self, purpose: str, number: int) -> np.random.Generator:
        """Random numbers that depend only on the seed, the purpose and the trial number."""
        return np.random.default_rng([self.seed, zlib.crc32(purpose.encode()), number])


@dataclass(frozen=True, slots=True)
class Receipts:
    """What trials cost, as far as it is known; rows in the order of the trials' numbers.

    units: (r, d) points of settled trials whose cost was recorded, failed ones and those done before included; not
        those of which only is known how long it took until they failed.
    paid: (r,) what they cost.
    spent: what was paid for the trials that count against the budget.
    unpaid: (q, d) points of those that count and have no receipt yet: what they will cost is reserved.
    """

    units: Array
    paid: Array
    spent: float
    unpaid: Array


@dataclass(frozen=True, slots=True)
class Data:
    """What is known when a point is asked for; rows in the order of the trials' numbers.

    units: (n, d) points that were measured.
    values: (n, M + K) what was measured there: M objectives, signed so that larger is better, then K constraints.
    pending: (p, d) points that are being measured.
    failed: (q, d) points that could not be measured.
    step: the number of suggestions, this one included.
    receipts: what trials cost; None if no receipts are kept.
    """

    units: Array
    values: Array
    pending: Array
    failed: Array
    step: int
    receipts: Receipts | None = None

    @property
    def tried(self) -> Array:
        """(n + p + q, d) measured, pending and failed points: none is suggested again."""
        return np.vstack([self.units, self.pending, self.failed])

    def with_pending(self, unit: Array) -> Data:
        """The same after a suggestion: its (d,) point is pending, and what it will cost is reserved."""
        kept = self.receipts
        reserved = kept if kept is None else replace(kept, unpaid=np.vstack([kept.unpaid, unit]))
        pending = np.vstack([self.pending, unit])
        return replace(self, pending=pending, step=self.step + 1, receipts=reserved)
