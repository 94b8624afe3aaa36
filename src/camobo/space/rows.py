"""Constraints as arrays.

A point is y: for an input with steps or whole numbers how many steps it is above its low end, for any other number how
far it is along its range, from 0 to 1. Where a constraint is about steps only, its row holds whole numbers, so sums
are exact: 33.3 + 33.3 + 33.4 = 100 is 333 + 333 + 334 = 1000.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from camobo.arrays import Array
from camobo.errors import InvalidSpaceError, shown
from camobo.space.constraints import Constraint, Count, Linear, exact
from camobo.space.inputs import Categorical, Input, Integer, Real
from camobo.space.polytope import INSIDE, Polytope, linear_from_log, log_from_linear

_LEAST_SHARE = 1e-3
"""Of its range: what counts as above the low end when a count asks for an input that has no steps."""


@dataclass(frozen=True, eq=False)
class Rows:
    """matrix y ≤ bound, or = bound where `equal`; of the `counted` columns from `least` to `most` are above 0.

    steps: (d,) the number of steps of each input, 0 without steps; ratio: (d,) high / low of log scales, else 1. Both
        only of inputs that a constraint names.
    matrix: (m, d), bound: (m,), missed: (m,) by how much a sum may miss its bound, equal: (m,).
    counts: (columns, least, most) of each count.
    """

    steps: Array
    ratio: Array
    matrix: Array
    bound: Array
    missed: Array
    equal: NDArray[np.bool_]
    counts: tuple[tuple[NDArray[np.intp], int, int], ...]

    @classmethod
    def of(cls, inputs: Mapping[str, Input], rules: Sequence[Constraint]) -> Rows:
        """The arrays of the constraints of a space."""
        columns = {name: j for j, name in enumerate(inputs)}
        limited = {name for rule in rules for name in rule.names}
        steps = np.array([_steps(given) if name in limited else 0.0 for name, given in inputs.items()])
        ratio = np.array([_ratio(given) if name in limited else 1.0 for name, given in inputs.items()])
        lines = [rule for rule in rules if isinstance(rule, Linear)]
        rows = [_row(rule, inputs, steps, columns) for rule in lines]
        counts = tuple(
            (np.array([columns[n] for n in rule.names], dtype=np.intp), rule.least, rule.most)
            for rule in rules
            if isinstance(rule, Count)
        )
        return cls(
            steps,
            ratio,
            np.array([row for row, _, _ in rows]).reshape(-1, len(inputs)),
            np.array([bound for _, bound, _ in rows]),
            np.array([missed for _, _, missed in rows]),
            np.array([rule.equal for rule in lines], dtype=np.bool_),
            counts,
        )

    @property
    def size(self) -> Array:
        """(d,) y at the high end of each input."""
        return np.where(self.steps > 0, self.steps, 1.0)

    @property
    def limited(self) -> NDArray[np.bool_]:
        """(d,) which inputs are part of a constraint."""
        found = np.asarray(np.any(self.matrix != 0.0, axis=0))
        for columns, _, _ in self.counts:
            found[columns] = True
        return found

    @property
    def whole(self) -> NDArray[np.bool_]:
        """(m,) which rows are about steps only."""
        return np.asarray(~np.any(self.matrix[:, self.steps == 0] != 0.0, axis=1))

    @property
    def least_above(self) -> Array:
        """(d,) the least z above the low end that counts as such when a point is searched for."""
        return np.where(self.steps > 0, 1.0 / self.size, _LEAST_SHARE)

    def linear(self, units: Array) -> Array:
        """(n, d) z of (n, d) points of the unit cube."""
        return linear_from_log(units, self.ratio) if (self.ratio > 1.0).any() else units

    def units(self, z: Array) -> Array:
        """(n, d) points of the unit cube at z."""
        return log_from_linear(z, self.ratio) if (self.ratio > 1.0).any() else z

    def curve(self, units: Array) -> Array:
        """(d,) derivative of z by the unit coordinates at a (d,) point."""
        growth = np.log(np.where(self.ratio > 1.0, self.ratio, 2.0))
        return np.asarray(np.where(self.ratio > 1.0, growth * np.exp(units * growth) / np.expm1(growth), 1.0))

    def counted(self, z: Array) -> Array:
        """(n, d) y of (n, d) z; steps become whole."""
        return np.where(self.steps > 0, np.rint(z * self.steps), z)

    def hold(self, y: Array) -> NDArray[np.bool_]:
        """(n,) whether all constraints hold at (n, d) y."""
        over = y @ self.matrix.T - self.bound
        good = np.all(np.where(self.equal, np.abs(over), over) <= self.missed, axis=1)
        for columns, least, most in self.counts:
            above = (y[:, columns] > 0.0).sum(axis=1)
            good &= (above >= least) & (above <= most)
        return np.asarray(good)

    def polytope(self) -> Polytope:
        """What the sums leave of the inputs that they limit, counts and steps aside; the others stay at 0."""
        scale = np.abs(self.matrix * self.size).max(axis=1, initial=0.0)
        rows, most = self.matrix * self.size / scale[:, None], self.bound / scale
        high = np.where(self.limited, 1.0, 0.0)
        unequal = ~self.equal
        return Polytope(
            rows[unequal], most[unequal], rows[self.equal], most[self.equal], np.zeros(len(high)), high, self.ratio
        )


def _steps(given: Input) -> float:
    if isinstance(given, Categorical) or given.continuous:
        return 0.0
    return given.size - 1.0


def _ratio(given: Input) -> float:
    return given.high / given.low if not isinstance(given, Categorical) and given.log else 1.0


def _row(
    rule: Linear, inputs: Mapping[str, Input], steps: Array, columns: Mapping[str, int]
) -> tuple[Array, float, float]:
    """The row of a linear constraint, its bound, and by how much it may be missed."""
    bound = rule.bound - sum((c * exact(_low(inputs[n])) for n, c in rule.terms.items()), Fraction(0))
    factors = {columns[n]: c * _unit(inputs[n]) for n, c in rule.terms.items()}
    missed = INSIDE
    if all(steps[j] for j in factors):
        least = math.lcm(*(c.denominator for c in factors.values()))
        common = Fraction(least, math.gcd(*(int(c * least) for c in factors.values())))
        factors, bound, missed = {j: c * common for j, c in factors.items()}, bound * common, 0.25
        bound = bound if rule.equal and bound.denominator > 1 else Fraction(math.floor(bound))
        if sum(abs(c) * int(steps[j]) for j, c in factors.items()) + abs(bound) >= 2**53:
            raise InvalidSpaceError(
                f"constraint: the steps of the inputs of {shown(rule.text)} have no common measure that is coarse "
                "enough to add them up exactly. Use steps that are multiples of one another, or leave step out."
            )
    else:
        scale = max(abs(c) * max(int(steps[j]), 1) for j, c in factors.items())
        factors, bound = {j: c / scale for j, c in factors.items()}, bound / scale
    row = np.zeros(len(steps))
    for j, factor in factors.items():
        row[j] = float(factor)
    return row, float(bound), missed


def _low(given: Input) -> float:
    return given.low if isinstance(given, (Real, Integer)) else 0


def _unit(given: Input) -> Fraction:
    """How much one unit of y is worth."""
    if isinstance(given, Real) and given.step is not None:
        return exact(given.step)
    if isinstance(given, Real):
        return exact(given.high) - exact(given.low)
    return Fraction(1)
