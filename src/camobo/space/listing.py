"""All points of a finite space that meet its constraints."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from camobo.arrays import Array
from camobo.space.rows import Rows

_MOST = 1_000_000


def listed(stops: Sequence[Array], rows: Rows) -> Array | None:
    """(size, d) the points; None if more than a million would have to be looked at.

    Input by input; what no values of the inputs to come could mend is left out at once.
    """
    points = np.zeros((1, 0))
    d, size = len(stops), rows.size
    low = np.minimum(rows.matrix * size, 0.0)
    high = np.maximum(rows.matrix * size, 0.0)
    for j, values in enumerate(stops):
        if len(points) * len(values) > _MOST:
            return None
        points = np.hstack([np.repeat(points, len(values), axis=0), np.tile(values, len(points))[:, None]])
        rest = np.hstack([points, np.zeros((len(points), d - j - 1))])
        y = rows.counted(rows.linear(rest))
        sums = y @ rows.matrix.T - rows.bound
        good = sums + low[:, j + 1 :].sum(axis=1) <= rows.missed
        good &= ~rows.equal | (sums + high[:, j + 1 :].sum(axis=1) >= -rows.missed)
        points = points[good.all(axis=1)]
    return points[rows.hold(rows.counted(rows.linear(points)))]
