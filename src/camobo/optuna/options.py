"""The options of a sampler or a record, validated. The study's parameters are not known yet."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from numbers import Real as Number
from typing import Any

import numpy as np

from camobo.errors import InvalidOptionError, InvalidValueError, shown


def read_expensive(given: Any) -> dict[str, Any]:
    """Expensive ends by parameter. Lists of choices are checked later, against the parameter's own choices."""
    if given is None:
        return {}
    if not isinstance(given, Mapping) or not all(isinstance(name, str) for name in given):
        raise InvalidOptionError(
            f'expensive: need a mapping by parameter name, such as {{"rate": "low"}}, got {shown(given)}.'
        )
    for name, end in given.items():
        if isinstance(end, str) and end not in ("high", "low"):
            raise InvalidOptionError(
                f'expensive: for {name!r} need "low" or "high", or if it is categorical a list of its expensive '
                f"choices, most expensive first; got {shown(end)}."
            )
    return dict(given)


def finite_numbers(what: str, values: Any) -> tuple[float, ...]:
    """A list of finite numbers, as floats."""
    found = numbers(what, values)
    if not all(map(math.isfinite, found)):
        raise InvalidValueError(f"{what}: need finite numbers, got {shown(values)}.")
    return found


def numbers(what: str, values: Any) -> tuple[float, ...]:
    """A list of numbers, as floats; infinity is allowed, NaN is not."""
    listed = values.ndim == 1 if isinstance(values, np.ndarray) else isinstance(values, Sequence)
    if not listed or isinstance(values, (str, bytes)):
        raise InvalidValueError(f"{what}: need a list of numbers, got {shown(values)}.")
    try:
        for value in values:
            if isinstance(value, bool) or not isinstance(value, Number) or math.isnan(value):
                raise InvalidValueError(f"{what}: need numbers, got {shown(value)}.")
        return tuple(float(value) for value in values)
    except OverflowError:
        raise InvalidValueError(f"{what}: need numbers below 1.8e308, got {shown(values)}.") from None
