"""Exchanges: moves in whole steps that keep sums, such as one step more of nickel and one less of iron."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np

from camobo.arrays import Array
from camobo.space.rows import Rows

_MOST = 3000  # sets of inputs that are looked at: enough for one sum over 77 inputs, or two over 25


def exchanges(rows: Rows) -> Array:
    """(p, d) moves in steps between inputs that share a constraint; each, and its opposite, keeps all sums.

    The circuits of the sums: moves with as few inputs as possible, of which all others are made. Between two inputs
    that share an upper limit, those that keep that too.
    """
    steps = rows.steps > 0
    sums = rows.matrix[rows.equal & rows.whole]
    found: dict[bytes, Array] = {}
    size = int(np.linalg.matrix_rank(sums)) + 1 if len(sums) else 0
    for chosen in itertools.islice(itertools.combinations(np.flatnonzero(np.any(sums != 0, axis=0)), size), _MOST):
        _keep(found, _circuit(sums[:, chosen], np.array(chosen), len(steps)))
    for row in rows.matrix[~rows.equal & rows.whole]:
        for pair in itertools.combinations(np.flatnonzero(row), 2):
            move = _circuit(row[None, list(pair)], np.array(pair), len(steps))
            if move is not None and not (sums @ move).any():
                _keep(found, move)
    return np.array(list(found.values())).reshape(-1, len(steps))


def _keep(found: dict[bytes, Array], move: Array | None) -> None:
    if move is not None:
        move = move * np.sign(move[np.flatnonzero(move)[0]]) + 0.0
        found.setdefault(move.tobytes(), move)


def _circuit(rows: Array, columns: Array, dimension: int) -> Array | None:
    """(d,) the smallest whole move of some inputs that keeps (q, k) rows; None if there is not exactly one."""
    table = [[Fraction(int(number)) for number in row] for row in rows]
    pivots: list[int] = []
    for j in range(len(columns)):
        at = next((i for i in range(len(pivots), len(table)) if table[i][j]), None)
        if at is None:
            continue
        top = len(pivots)
        table[top], table[at] = table[at], table[top]
        table[top] = [number / table[top][j] for number in table[top]]
        for i in range(len(table)):
            if i != top and table[i][j]:
                table[i] = [a - table[i][j] * b for a, b in zip(table[i], table[top], strict=True)]
        pivots.append(j)
    if len(pivots) != len(columns) - 1:
        return None
    (left,) = set(range(len(columns))) - set(pivots)
    move = [Fraction(0)] * len(columns)
    move[left] = Fraction(1)
    for i, j in enumerate(pivots):
        move[j] = -table[i][left]
    common = math.lcm(*(number.denominator for number in move))
    found = np.zeros(dimension)
    found[columns] = [float(number * common) for number in move]
    return found
