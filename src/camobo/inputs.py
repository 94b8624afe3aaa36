"""What can be varied: a number on a range, a whole number, one of several choices.

Each input has a coordinate from 0 to 1 on which it is searched, and knows which end of its range is the dear one.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from camobo.errors import InvalidSpaceError, InvalidValueError, shown

Array: TypeAlias = NDArray[np.float64]
End: TypeAlias = Literal["high", "low"]
Param: TypeAlias = Any  # float, int, or whatever a category is
Params: TypeAlias = Mapping[str, Param]

_LARGEST = float(np.finfo(np.float64).max)
_MOST_WHOLE = 2**40  # beyond 2**44 neighbours on a log scale can no longer be told apart
_MOST_STEPS = 10**6


def _check_bounds(kind: str, low: float, high: float, *, log: bool, unit: str, dear: str) -> None:
    for side, bound in (("low", low), ("high", high)):
        if isinstance(bound, bool) or not isinstance(bound, (int, float)):
            raise InvalidSpaceError(f"{kind}: {side} must be a number, got {shown(bound)}.")
        if not -_LARGEST <= bound <= _LARGEST:  # false for NaN too, and no overflow for a long int
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
    if not isinstance(dear, str) or dear not in ("high", "low"):
        raise InvalidSpaceError(f'{kind}: dear must be "high" or "low" (the end that costs more), got {shown(dear)}.')


def _plain(given: Any) -> Any:
    """A bound or choice as Python's own: NumPy's narrow numbers would round in the maps below, and JSON has none."""
    return given.item() if isinstance(given, np.generic) else given


def _check_number(name: str, value: Param, low: float, high: float) -> float:
    if type(value) is float and low <= value <= high:
        return value  # as nearly all are; of thousands of trials the rest would take longer than a suggestion
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, float, np.integer, np.floating)):
        raise InvalidValueError(f"parameter {name!r}: need a number from {low} to {high}, got {shown(value)}.")
    plain = _plain(value)  # np.float32(0.3) is above 0.3, and NumPy would compare it with that rounded to a float32
    try:
        number = float(plain)
    except OverflowError:
        number = math.inf
    if not low <= number <= high:  # false for NaN too
        raise InvalidValueError(
            f"parameter {name!r}: need a number from {low} to {high}, got {shown(plain)}. "
            "Correct it, or widen the input's range."
        )
    return number


@dataclass(frozen=True, slots=True)
class Real:
    """A number between `low` and `high`, searched on a logarithmic scale if `log`.

    `dear` names the end that costs more; it matters only to inputs an order of costs names. With a `step` only whole
    steps from `low` are suggested: what a balance can weigh out. What was measured between them may still be added.

    >>> Real(0, 20, unit="%", step=0.1).from_unit(0.171)
    3.4
    """

    low: float
    high: float
    log: bool = False
    unit: str = ""
    dear: End = "high"
    step: float | None = None
    _steps: Integer | None = field(init=False, repr=False, compare=False)
    """Steps from `low`, which is how a stepped input is searched."""

    def __post_init__(self) -> None:
        for what in ("low", "high", "log", "step"):
            object.__setattr__(self, what, _plain(getattr(self, what)))
        _check_bounds("Real", self.low, self.high, log=self.log, unit=self.unit, dear=self.dear)
        object.__setattr__(self, "_steps", None if self.step is None else Integer(0, self._count_steps(self.step)))

    def _count_steps(self, step: Any) -> int:
        if isinstance(step, bool) or not isinstance(step, (int, float)) or not 0 < step <= _LARGEST:
            raise InvalidSpaceError(
                f"Real: step must be a number above 0, got {shown(step)}. Leave it out if any number will do."
            )
        if self.log:
            raise InvalidSpaceError(f"Real: step and log=True do not go together, got step={step!r}. Leave one out.")
        steps = (Decimal(repr(self.high)) - Decimal(repr(self.low))) / Decimal(repr(step))
        if steps > _MOST_STEPS:
            raise InvalidSpaceError(f"Real: step {step!r} makes more than {_MOST_STEPS:,} values. Leave it out.")
        count = round(steps)
        if count < 1 or abs(steps - count) > count * Decimal("1e-9"):
            ends = " or ".join(f"{self._after(whole, step):.12g}" for whole in (int(steps), int(steps) + 1) if whole)
            raise InvalidSpaceError(
                f"Real: high must be a whole number of steps from low, got low={self.low!r}, high={self.high!r}, "
                f"step={step!r}. Say high={ends}, or another step."
            )
        return count

    def _after(self, steps: int, step: float) -> float:
        """The value so many steps from `low`, in decimals: three steps of 0.1 are 0.3, not 0.30000000000000004."""
        return float(Decimal(repr(self.low)) + steps * Decimal(repr(step)))

    @property
    def continuous(self) -> bool:
        """Whether there is always another value between two."""
        return self.step is None

    @property
    def size(self) -> float:
        """How many different values it has."""
        return math.inf if self._steps is None else self._steps.size

    def check(self, name: str, value: Param) -> float:
        """The value as a float, or an error that names the parameter."""
        return _check_number(name, value, self.low, self.high)

    def to_unit(self, value: float) -> float:
        """Where the value lies between low (0) and high (1)."""
        if self.log and math.isinf(self.high / self.low):
            return (math.log(value) - math.log(self.low)) / (math.log(self.high) - math.log(self.low))
        if self.log:
            return math.log(value / self.low) / math.log(self.high / self.low)
        return (value - self.low) / (self.high - self.low)

    def from_unit(self, unit: float) -> float:
        """The value at `unit`; exactly `low` at 0 and `high` at 1."""
        if unit <= 0.0 or unit >= 1.0:
            return float(self.low if unit <= 0.0 else self.high)
        if self._steps is not None and self.step is not None:
            return min(self._after(self._steps.from_unit(unit), self.step), float(self.high))
        if self.log and math.isinf(self.high / self.low):
            value = self.low ** (1.0 - unit) * self.high**unit
        elif self.log:
            value = self.low * (self.high / self.low) ** unit
        else:
            value = self.low + unit * (self.high - self.low)
        return float(min(max(value, self.low), self.high))

    def snap(self, units: Array) -> Array:
        """(n,) unit coordinates, moved to the nearest ones that can be evaluated."""
        return units if self._steps is None else self._steps.snap(units)

    def stops(self) -> Array:
        """(size,) unit coordinates of all its values, if it has steps."""
        if self._steps is None:
            raise InvalidSpaceError("Real: it has no list of values unless it has a step.")
        return self._steps.stops()

    def beside(self, unit: float) -> Array:
        """Unit coordinates next to one: none if every other is."""
        return np.zeros(0) if self._steps is None else self._steps.beside(unit)


@dataclass(frozen=True, slots=True)
class Integer:
    """A whole number from `low` to `high`, both included.

    >>> Integer(1, 100, log=True).size
    100
    """

    low: int
    high: int
    log: bool = False
    unit: str = ""
    dear: End = "high"

    def __post_init__(self) -> None:
        for what in ("low", "high", "log"):
            object.__setattr__(self, what, _plain(getattr(self, what)))
        for side, bound in (("low", self.low), ("high", self.high)):
            if isinstance(bound, bool) or not isinstance(bound, int):
                raise InvalidSpaceError(
                    f"Integer: {side} must be a whole number, got {shown(bound)}. For other numbers use Real."
                )
        _check_bounds("Integer", self.low, self.high, log=self.log, unit=self.unit, dear=self.dear)
        if max(abs(self.low), abs(self.high)) > _MOST_WHOLE:
            raise InvalidSpaceError(
                f"Integer: bounds must stay within ±2**40, got {self.low} to {self.high}. Use Real."
            )

    @property
    def continuous(self) -> bool:
        """Whether there is always another value between two."""
        return False

    @property
    def size(self) -> float:
        """How many different values it has."""
        return self.high - self.low + 1

    def check(self, name: str, value: Param) -> int:
        """The value as an int, or an error that names the parameter."""
        number = _check_number(name, value, self.low, self.high)
        if number != round(number):
            raise InvalidValueError(
                f"parameter {name!r}: need a whole number from {self.low} to {self.high}, got {shown(value)}."
            )
        return round(number)

    def to_unit(self, value: float) -> float:
        """Where the value lies between low (0) and high (1)."""
        return float(self._coordinates(np.array([value], dtype=np.float64))[0])

    def from_unit(self, unit: float) -> int:
        """The whole number at `unit`.

        On the linear scale each number owns an equal share of [0, 1], so uniform draws are uniform over the numbers.
        """
        return int(self._numbers(np.array([unit], dtype=np.float64))[0])

    def snap(self, units: Array) -> Array:
        """(n,) unit coordinates, moved to those of the whole number each stands for."""
        return self._coordinates(self._numbers(units))

    def stops(self) -> Array:
        """(size,) unit coordinates of all its values."""
        return self._coordinates(np.arange(self.low, self.high + 1, dtype=np.float64))

    def beside(self, unit: float) -> Array:
        """Unit coordinates of the next numbers to one, and of those a tenth of the range further."""
        here, far = self.from_unit(unit), max(2, round(self.size / 10))
        values = {min(max(here + move, self.low), self.high) for move in (-far, -1, 1, far)} - {here}
        return np.array([self.to_unit(value) for value in sorted(values)])

    def _numbers(self, units: Array) -> Array:
        """(n,) the whole numbers, as floats, that (n,) unit coordinates stand for."""
        if self.log:
            return np.clip(np.rint(self.low * (self.high / self.low) ** units), self.low, self.high)
        steps = self.high - self.low
        inside = np.clip(units, 0.0, 1.0)
        nearest = np.rint(inside * steps)
        # A number's own coordinate is within 1/steps² of the end of its share: beyond 2**26 steps rounding crosses it.
        own = nearest / steps == inside
        return self.low + np.where(own, nearest, np.minimum(np.floor(inside * (steps + 1)), steps))

    def _coordinates(self, numbers: Array) -> Array:
        """(n,) unit coordinates of (n,) whole numbers."""
        if self.log:
            return np.asarray(np.log(numbers / self.low) / np.log(self.high / self.low))
        return (numbers - self.low) / (self.high - self.low)


@dataclass(frozen=True, slots=True)
class Categorical:
    """One of several choices without an order: texts, finite numbers, True, False or None, which can be written down.

    `dear` lists the choices that cost more, dearest first; the others are equally cheap. Listing all ranks all.

    >>> Categorical(["air", "oil", "vacuum"], dear=["vacuum", "oil"]).levels
    (0.0, 0.5, 1.0)
    """

    choices: tuple[Param, ...]
    dear: tuple[Param, ...] = ()

    def __init__(self, choices: Sequence[Param], *, dear: Sequence[Param] = ()) -> None:
        for what, given in (("choices", choices), ("dear", dear)):
            if isinstance(given, (str, bytes)) or not isinstance(given, Sequence):
                raise InvalidSpaceError(f"Categorical: {what} must be a list, got {shown(given)}.")
        object.__setattr__(self, "choices", tuple(map(_plain, choices)))
        object.__setattr__(self, "dear", tuple(map(_plain, dear)))
        if len(self.choices) < 2:
            raise InvalidSpaceError(f"Categorical: need at least two choices, got {shown(list(self.choices))}.")
        for i, choice in enumerate(self.choices):
            if not _can_be_written(choice):
                raise InvalidSpaceError(
                    f"Categorical: a choice must be text, a finite number, True, False or None, got {shown(choice)}. "
                    "Give it a name, and look up in your function what the name stands for."
                )
            if _position(choice, self.choices[:i]) is not None:
                raise InvalidSpaceError(f"Categorical: choice {choice!r} appears twice in {list(self.choices)!r}.")
        for i, choice in enumerate(self.dear):
            if _position(choice, self.choices) is None:
                raise InvalidSpaceError(
                    f"Categorical: dear names {choice!r}, which is not among the choices {list(self.choices)!r}."
                )
            if _position(choice, self.dear[:i]) is not None:
                raise InvalidSpaceError(f"Categorical: dear names {choice!r} twice.")

    @property
    def continuous(self) -> bool:
        """Whether there is always another value between two."""
        return False

    @property
    def size(self) -> float:
        """How many different values it has."""
        return len(self.choices)

    @property
    def levels(self) -> tuple[float, ...]:
        """How dear each choice is, from 0 (cheap) to 1 (dearest), in the order of `choices`."""
        ranks = {_position(choice, self.choices): i for i, choice in enumerate(self.dear)}
        steps = min(len(self.dear), len(self.choices) - 1)  # if all are named, the last named is the cheap one
        return tuple(1.0 - ranks[i] / steps if i in ranks else 0.0 for i in range(len(self.choices)))

    def check(self, name: str, value: Param) -> Param:
        """The choice itself, or an error that names the parameter."""
        position = _position(value, self.choices)
        if position is None:
            raise InvalidValueError(f"parameter {name!r}: need one of {list(self.choices)!r}, got {shown(value)}.")
        return self.choices[position]

    def to_unit(self, value: Param) -> float:
        """The middle of the choice's share of [0, 1]."""
        position = _position(value, self.choices)
        if position is None:
            raise InvalidValueError(f"need one of {list(self.choices)!r}, got {shown(value)}.")
        return (position + 0.5) / len(self.choices)

    def from_unit(self, unit: float) -> Param:
        """The choice whose share of [0, 1] holds `unit`."""
        return self.choices[min(max(math.floor(unit * len(self.choices)), 0), len(self.choices) - 1)]

    def snap(self, units: Array) -> Array:
        """(n,) unit coordinates, moved to the middle of the choice each stands for."""
        return (self.positions(units) + 0.5) / len(self.choices)

    def stops(self) -> Array:
        """(size,) unit coordinates of all its choices."""
        return (np.arange(len(self.choices)) + 0.5) / len(self.choices)

    def beside(self, unit: float) -> Array:
        """Unit coordinates of the other choices."""
        return np.delete(self.stops(), self.positions(np.array([unit])))

    def positions(self, units: Array) -> NDArray[np.intp]:
        """(n,) index of the choice each unit coordinate stands for."""
        count = len(self.choices)
        return np.clip(np.floor(units * count), 0, count - 1).astype(np.intp)


def _can_be_written(choice: Param) -> bool:
    """Whether it comes back from JSON as it was; NaN is not even equal to itself."""
    if type(choice) in (int, float):
        return bool(-_LARGEST <= choice <= _LARGEST)
    return choice is None or type(choice) in (str, bool)


def _position(choice: Param, choices: Sequence[Param]) -> int | None:
    """Where `choice` stands; 1, 1.0 and True are different choices, as they are when written down."""
    plain = _plain(choice)
    return next((i for i, other in enumerate(choices) if type(other) is type(plain) and other == plain), None)


Input: TypeAlias = Real | Integer | Categorical
