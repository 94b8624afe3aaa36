"""Effort of a function: how many numbers it writes, and how much memory it needs."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

Prepared: TypeAlias = Callable[[int], Callable[[], object]]
"""From a number of objectives, a call to measure."""


class Counted(np.ndarray[Any, np.dtype[np.float64]]):
    """An array that counts the numbers that operations on it write."""

    written = 0

    def __array_ufunc__(self, ufunc: np.ufunc, method: Any, *inputs: Any, **kwargs: Any) -> Any:
        plain = [np.asarray(given) for given in inputs]
        if "out" in kwargs:
            kwargs["out"] = tuple(None if out is None else np.asarray(out) for out in kwargs["out"])
        result = getattr(ufunc, method)(*plain, **kwargs)
        Counted.written += np.size(result)
        return np.asarray(result).view(Counted)


def work(function: Prepared, objectives: int) -> int:
    """How many numbers the call writes."""
    call = function(objectives)
    Counted.written = 0
    call()
    return Counted.written


def peak_memory(function: Prepared, objectives: int) -> int:
    """The most bytes that the call holds at a time."""
    call = function(objectives)
    tracemalloc.start()
    call()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return peak


def assert_linear(function: Prepared) -> None:
    """Work and memory grow at most linearly with the number of objectives."""
    two, four, eight = (work(function, M) for M in (2, 4, 8))
    assert two > 10_000
    assert eight <= 4.2 * two
    assert eight - four <= 2.2 * (four - two)
    assert peak_memory(function, 8) <= 4.2 * peak_memory(function, 2)
