"""Checks of bounds and values of inputs."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from camobo.errors import InvalidSpaceError, InvalidValueError, shown

LARGEST = float(np.finfo(np.float64).max)


def plain(given: Any) -> Any:
    """A bound or choice as a Python object: narrow NumPy numbers would round in the maps, and JSON has none of them."""
    return given.item() if isinstance(given, np.generic) else given


def check_bounds(kind: str, low: float, high: float, *, log: bool, unit: str, expensive: str) -> None:
    """Refuse a numeric input that is not possible; `kind` is its class in errors."""
    for side, bound in (("low", low), ("high", high)):
        if isinstance(bound, bool) or not isinstance(bound, (int, float)):
            raise InvalidSpaceError(f"{kind}: {side} must be a number, got {shown(bound)}.")
        if not -LARGEST <= bound <= LARGEST:  # false for NaN too, and no overflow for a long int
            raise InvalidSpaceError(
                f"{kind}: {side} must be finite, got {shown(bound)}. Give the widest range you would try."
            )
    if not low < high:
        raise InvalidSpaceError(
            f"{kind}: low must be below high, got low={shown(low)}, high={shown(high)}. "
            "Leave an input that cannot vary out of the space."
        )
    if not math.isfinite(float(high) - float(low)):
        raise InvalidSpaceError(
            f"{kind}: the range {low!r} to {high!r} is too wide for floating point. Use a log scale or other units."
        )
    if not isinstance(log, bool):
        raise InvalidSpaceError(f"{kind}: log must be true or false, got {shown(log)}.")
    if not isinstance(unit, str):
        raise InvalidSpaceError(f'{kind}: unit must be text such as "%", got {shown(unit)}.')
    if log and low <= 0:
        raise InvalidSpaceError(f"{kind}: log=True needs low > 0, got low={low!r}. Raise low, or drop log.")
    if not isinstance(expensive, str) or expensive not in ("high", "low"):
        raise InvalidSpaceError(
            f'{kind}: expensive must be "high" or "low" (the end that costs more), got {shown(expensive)}.'
        )


def check_free(kind: str, free: float | None, low: float, high: float, *, expensive: str) -> None:
    """Refuse a value at which an input costs nothing that lies outside its range, or beside an expensive low end."""
    if free is None:
        return
    good = not isinstance(free, bool) and isinstance(free, int if kind == "Integer" else (int, float))
    if not good or not low <= free <= high:
        number = "a whole number" if kind == "Integer" else "a number"
        raise InvalidSpaceError(
            f"{kind}: free must be {number} from {low} to {high} (the value that costs nothing), got {shown(free)}."
        )
    if expensive != "high":
        raise InvalidSpaceError(
            f"{kind}: free and expensive={expensive!r} do not go together: with free={free!r} both ends cost more. "
            "Leave one out."
        )


def number_within(value: Any, low: float, high: float) -> float:
    """The value as a float from `low` to `high`, or an error that says what is needed."""
    if type(value) is float and low <= value <= high:
        return value  # the usual case; for thousands of trials the checks below would take longer than a suggestion
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, float, np.integer, np.floating)):
        raise InvalidValueError(f"need a number from {low} to {high}, got {shown(value)}.")
    given = plain(value)  # np.float32(0.3) is above 0.3, but NumPy would compare both as float32
    try:
        number = float(given)
    except OverflowError:
        number = math.inf
    if not low <= number <= high:  # false for NaN too
        raise InvalidValueError(
            f"need a number from {low} to {high}, got {shown(given)}. Correct it, or widen the input's range."
        )
    return number
