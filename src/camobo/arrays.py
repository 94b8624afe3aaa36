"""The array type of all numeric code, and evenly spaced indices."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[np.float64]


def evenly(count: int, most: int) -> list[int]:
    """At most `most` evenly spaced indices of a sequence of `count` items, the first and the last included.

    >>> evenly(3, 5), evenly(9, 3)
    ([0, 1, 2], [0, 4, 8])
    """
    return [int(i) for i in np.unique(np.linspace(0, count - 1, min(count, most)).astype(np.intp))]
