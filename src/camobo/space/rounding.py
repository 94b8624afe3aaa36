"""Rounding to whole steps without breaking a sum."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from camobo.arrays import Array
from camobo.space.rows import Rows

_REPAIRS = 24  # moves, each of which comes nearer to meeting all constraints
_AT_ONCE = 64  # points: more would not fit in the processor's cache


@dataclass(frozen=True, eq=False)
class Rounding:
    """Rounds z to whole steps: running sums first, then moves that mend what that broke.

    Rounding the running sums a, a + b, a + b + c and taking differences keeps the last one exactly, and each input
    within a step of what it was, so within its range too.
    """

    rows: Rows
    groups: tuple[tuple[NDArray[np.intp], Array], ...]
    """Columns of inputs that are summed in one common step, and their signs in the sum."""
    moves: Array
    """(p, d) in steps."""

    @classmethod
    def of(cls, rows: Rows, exchanges: Array) -> Rounding:
        """The rounding of a region."""
        groups, used = [], np.zeros(len(rows.steps), dtype=np.bool_)
        for row in rows.matrix[rows.equal & rows.whole]:
            columns = np.flatnonzero(row)
            if len(set(np.abs(row[columns]))) == 1 and not used[columns].any():
                groups.append((columns, np.sign(row[columns])))
                used[columns] = True
        alone = np.eye(len(rows.steps))[(rows.steps > 0) & rows.limited]
        moves = np.vstack([exchanges, -exchanges, alone, -alone])
        return cls(rows, tuple(groups), moves)

    def rounded(self, z: Array, low: Array, high: Array) -> Array:
        """(n, d) z in whole steps between (n, d) bounds, near (n, d) z; sums hold wherever moves could mend them."""
        size = self.rows.size
        target = z * size
        stepped = (self.rows.steps > 0) & self.rows.limited
        y = np.where(stepped, np.rint(target), target)
        for columns, signs in self.groups:
            sums = np.floor(np.cumsum(target[:, columns] * signs, axis=1) + 0.5)
            y[:, columns] = np.diff(sums, axis=1, prepend=0.0) * signs
        least, most = np.ceil(low * size - 1e-6), np.floor(high * size + 1e-6)
        y = np.where(stepped, np.clip(y, least, most), y)
        broken = np.flatnonzero(self._broken(y @ self._matrix.T) > 0.0)
        for start in range(0, len(broken), _AT_ONCE):
            at = broken[start : start + _AT_ONCE]
            y[at] = self._mended(y[at], target[at], least[at], most[at])
        return np.asarray(y / size)

    @property
    def _matrix(self) -> Array:
        return self.rows.matrix[self.rows.whole]

    def _broken(self, sums: Array) -> Array:
        """(…) by how much (…, m) sums of whole rows miss their bounds."""
        whole = self.rows.whole
        over = sums - self.rows.bound[whole]
        over = np.where(self.rows.equal[whole], np.abs(over), over)
        scale = np.abs(self._matrix).max(axis=1, initial=1.0)
        return np.asarray((np.where(over > self.rows.missed[whole], over, 0.0) / scale).sum(axis=-1))

    def _mended(self, y: Array, target: Array, least: Array, most: Array) -> Array:
        """(n, d) y after the moves that mend most, and of those the ones that stay nearest to the target."""
        change = self.moves @ self._matrix.T
        for _ in range(_REPAIRS if len(self.moves) else 0):
            sums = y @ self._matrix.T
            before = self._broken(sums)
            moved = y[:, None, :] + self.moves
            outside = ((moved < least[:, None, :]) | (moved > most[:, None, :])) & (self.moves != 0.0)
            after = self._broken(sums[:, None, :] + change)
            after[outside.any(axis=2)] = np.inf
            far = ((moved - target[:, None, :]) ** 2).sum(axis=2)
            far = far / (1.0 + far.max(axis=1, keepdims=True))
            best = np.argmin(after + 1e-3 * far, axis=1)
            rows = np.arange(len(y))
            better = after[rows, best] < before - 1e-9
            if not better.any():
                break
            y = np.where(better[:, None], moved[rows, best], y)
        return y
