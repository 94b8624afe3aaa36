"""The kinds of input: a number in a range, a whole number, one of several choices.

Each input is searched on a unit coordinate from 0 to 1 and knows which end of its range is the expensive one.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from camobo.arrays import Array
from camobo.checks import renamed
from camobo.errors import InvalidSpaceError, InvalidValueError, shown
from camobo.space.bounds import LARGEST, check_bounds, check_free, number_within, plain

End: TypeAlias = Literal["high", "low"]
Param: TypeAlias = Any  # a float, an int, or a choice of a category
Params: TypeAlias = Mapping[str, Param]
_Key: TypeAlias = tuple[type, Param]

_MOST_WHOLE = 2**40  # beyond 2**44, neighbours on a log scale share a coordinate
_MOST_STEPS = 10**6


@renamed("dear", "expensive")
@dataclass(frozen=True, slots=True)
class Real:
    """A number between `low` and `high`, searched on a logarithmic scale if `log`.

    `expensive` names the end that costs more; it matters only if the study's cost names the input. If instead it costs
    nothing at some value between, such as an oven at room temperature, name that value with `free`: cost grows with the
    distance from there. With a `step`, only whole steps from `low` are suggested, such as what a balance can weigh out.
    Values between steps can still be added.

    >>> Real(0, 20, unit="%", step=0.1).from_unit(0.171)
    3.4
    """

    low: float
    high: float
    log: bool = False
    unit: str = ""
    expensive: End = "high"
    step: float | None = None
    free: float | None = None
    _steps: Integer | None = field(init=False, repr=False, compare=False)
    """The number of steps from `low`, by which a stepped input is searched."""

    def __post_init__(self) -> None:
        for what in ("low", "high", "log", "step", "free"):
            object.__setattr__(self, what, plain(getattr(self, what)))
        check_bounds("Real", self.low, self.high, log=self.log, unit=self.unit, expensive=self.expensive)
        check_free("Real", self.free, self.low, self.high, expensive=self.expensive)
        object.__setattr__(self, "_steps", None if self.step is None else Integer(0, self._count_steps(self.step)))
        if self.step is not None and self.free is not None:
            self._check_free_step(self.step, self.free)

    def _count_steps(self, step: Any) -> int:
        if isinstance(step, bool) or not isinstance(step, (int, float)) or not 0 < step <= LARGEST:
            raise InvalidSpaceError(
                f"Real: step must be a number above 0, got {shown(step)}. Leave it out to allow any number."
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
                f"step={step!r}. Use high={ends}, or another step."
            )
        return count

    def _check_free_step(self, step: float, free: float) -> None:
        """Refuse a free value between two steps: it could not be suggested."""
        steps = (Decimal(repr(free)) - Decimal(repr(self.low))) / Decimal(repr(step))
        below = math.floor(steps)
        if abs(steps - round(steps)) > Decimal("1e-9") * (1 + steps):
            raise InvalidSpaceError(
                f"Real: free must be a whole number of steps from low, got free={free!r}, low={self.low!r}, "
                f"step={step!r}. Use free={self._after(below, step)!r} or {self._after(below + 1, step)!r}."
            )

    def _after(self, steps: int, step: float) -> float:
        """The value `steps` steps above `low`, in decimals: three steps of 0.1 are 0.3, not 0.30000000000000004."""
        return float(Decimal(repr(self.low)) + steps * Decimal(repr(step)))

    @property
    def cheap(self) -> float:
        """The unit coordinate of its cheap end, or of the value at which it costs nothing."""
        return cheap_coordinate(self)

    @property
    def continuous(self) -> bool:
        """Whether every number of its range can be evaluated."""
        return self.step is None

    @property
    def size(self) -> float:
        """The number of different values."""
        return math.inf if self._steps is None else self._steps.size

    def check(self, value: Param) -> float:
        """The value as a float, or an error that says what is needed."""
        return number_within(value, self.low, self.high)

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
        """(n,) unit coordinates moved to the nearest ones that can be evaluated."""
        return units if self._steps is None else self._steps.snap(units)

    def stops(self) -> Array:
        """(size,) unit coordinates of all values, if it has a step."""
        if self._steps is None:
            raise InvalidSpaceError("Real: without a step it has no finite list of values. Give it a step.")
        return self._steps.stops()

    def neighbours(self, unit: float) -> Array:
        """Unit coordinates to compare `unit` with: those of `Integer.neighbours` if it has a step, otherwise none."""
        return np.zeros(0) if self._steps is None else self._steps.neighbours(unit)


@renamed("dear", "expensive")
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
    expensive: End = "high"
    free: int | None = None

    def __post_init__(self) -> None:
        for what in ("low", "high", "log", "free"):
            object.__setattr__(self, what, plain(getattr(self, what)))
        for side, bound in (("low", self.low), ("high", self.high)):
            if isinstance(bound, bool) or not isinstance(bound, int):
                raise InvalidSpaceError(
                    f"Integer: {side} must be a whole number, got {shown(bound)}. For other numbers use Real."
                )
        check_bounds("Integer", self.low, self.high, log=self.log, unit=self.unit, expensive=self.expensive)
        check_free("Integer", self.free, self.low, self.high, expensive=self.expensive)
        if max(abs(self.low), abs(self.high)) > _MOST_WHOLE:
            raise InvalidSpaceError(
                f"Integer: bounds must stay within ±2**40, got {self.low} to {self.high}. Use Real."
            )

    @property
    def cheap(self) -> float:
        """The unit coordinate of its cheap end, or of the value at which it costs nothing."""
        return cheap_coordinate(self)

    @property
    def continuous(self) -> bool:
        """Always false: only some coordinates can be evaluated."""
        return False

    @property
    def size(self) -> float:
        """The number of different values."""
        return self.high - self.low + 1

    def check(self, value: Param) -> int:
        """The value as an int, or an error that says what is needed."""
        number = number_within(value, self.low, self.high)
        if number != round(number):
            raise InvalidValueError(f"need a whole number from {self.low} to {self.high}, got {shown(value)}.")
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
        """(n,) unit coordinates moved to those of the whole numbers they stand for."""
        return self._coordinates(self._numbers(units))

    def stops(self) -> Array:
        """(size,) unit coordinates of all values."""
        return self._coordinates(np.arange(self.low, self.high + 1, dtype=np.float64))

    def neighbours(self, unit: float) -> Array:
        """Unit coordinates of the numbers one step and a tenth of the range away, in both directions."""
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
        # A number's own coordinate is within 1/steps² of the end of its share. Beyond 2**26 steps rounding crosses it.
        own = nearest / steps == inside
        return self.low + np.where(own, nearest, np.minimum(np.floor(inside * (steps + 1)), steps))

    def _coordinates(self, numbers: Array) -> Array:
        """(n,) unit coordinates of (n,) whole numbers."""
        if self.log:
            return np.asarray(np.log(numbers / self.low) / np.log(self.high / self.low))
        return (numbers - self.low) / (self.high - self.low)


@renamed("dear", "expensive")
@dataclass(frozen=True, slots=True)
class Categorical:
    """One of several choices: text, finite numbers, True, False or None, all of which JSON can store.

    `expensive` lists the choices that cost more, most expensive first; the others are equally cheap.

    >>> Categorical(["air", "oil", "vacuum"], expensive=["vacuum", "oil"]).levels
    (0.0, 0.5, 1.0)
    """

    choices: tuple[Param, ...]
    expensive: tuple[Param, ...] = ()
    levels: tuple[float, ...] = field(init=False, repr=False, compare=False)
    """How expensive each choice is, from 0 (cheap) to 1 (most expensive), in the order of `choices`."""
    _places: Mapping[_Key, int] = field(init=False, repr=False, compare=False)
    """Where in `choices` each one is."""

    def __init__(self, choices: Sequence[Param], *, expensive: Sequence[Param] = ()) -> None:
        for what, given in (("choices", choices), ("expensive", expensive)):
            if isinstance(given, (str, bytes)) or not isinstance(given, Sequence):
                raise InvalidSpaceError(f"Categorical: {what} must be a list, got {shown(given)}.")
        object.__setattr__(self, "choices", tuple(map(plain, choices)))
        object.__setattr__(self, "expensive", tuple(map(plain, expensive)))
        if len(self.choices) < 2:
            raise InvalidSpaceError(f"Categorical: need at least two choices, got {shown(list(self.choices))}.")
        places = dict[_Key, int]()
        for i, choice in enumerate(self.choices):
            if not _can_be_stored(choice):
                raise InvalidSpaceError(
                    f"Categorical: a choice must be text, a finite number, True, False or None, got {shown(choice)}. "
                    "Give it a name, and look up the name in your function."
                )
            if places.setdefault(_key(choice), i) != i:
                raise InvalidSpaceError(f"Categorical: choice {choice!r} appears twice in {list(self.choices)!r}.")
        object.__setattr__(self, "_places", places)
        object.__setattr__(self, "levels", self._levels())

    def _levels(self) -> tuple[float, ...]:
        levels, listed = [0.0] * len(self.choices), set[int]()
        steps = min(len(self.expensive), len(self.choices) - 1)  # if all are listed, the last is the cheap one
        for rank, choice in enumerate(self.expensive):
            place = self._place(choice)
            if place is None:
                raise InvalidSpaceError(
                    f"Categorical: expensive names {choice!r}, which is not among the choices {list(self.choices)!r}."
                )
            if place in listed:
                raise InvalidSpaceError(f"Categorical: expensive names {choice!r} twice.")
            listed.add(place)
            levels[place] = 1.0 - rank / steps
        return tuple(levels)

    @property
    def continuous(self) -> bool:
        """Always false: only some coordinates can be evaluated."""
        return False

    @property
    def size(self) -> float:
        """The number of different values."""
        return len(self.choices)

    def check(self, value: Param) -> Param:
        """The choice itself, or an error that says what is needed."""
        return self.choices[self._index(value)]

    def to_unit(self, value: Param) -> float:
        """The middle of the choice's share of [0, 1]."""
        return (self._index(value) + 0.5) / len(self.choices)

    def _index(self, value: Param) -> int:
        place = self._place(value)
        if place is None:
            raise InvalidValueError(f"need one of {list(self.choices)!r}, got {shown(value)}.")
        return place

    def _place(self, value: Param) -> int | None:
        """The index of a choice; None if it is none."""
        wanted = plain(value)
        return self._places.get(_key(wanted)) if _can_be_stored(wanted) else None

    def from_unit(self, unit: float) -> Param:
        """The choice whose share of [0, 1] holds `unit`."""
        return self.choices[min(max(math.floor(unit * len(self.choices)), 0), len(self.choices) - 1)]

    def snap(self, units: Array) -> Array:
        """(n,) unit coordinates moved to the middle of the choices they stand for."""
        return (self.positions(units) + 0.5) / len(self.choices)

    def stops(self) -> Array:
        """(size,) unit coordinates of all choices."""
        return (np.arange(len(self.choices)) + 0.5) / len(self.choices)

    def neighbours(self, unit: float) -> Array:
        """Unit coordinates of the other choices."""
        return np.delete(self.stops(), self.positions(np.array([unit])))

    def positions(self, units: Array) -> NDArray[np.intp]:
        """(n,) index of the choice each unit coordinate stands for."""
        count = len(self.choices)
        return np.clip(np.floor(units * count), 0, count - 1).astype(np.intp)


def _can_be_stored(choice: Param) -> bool:
    """Whether JSON returns the choice unchanged, which excludes NaN and infinity."""
    if type(choice) in (int, float):
        return bool(-LARGEST <= choice <= LARGEST)
    return choice is None or type(choice) in (str, bool)


def _key(choice: Param) -> _Key:
    """What tells choices apart: 1, 1.0 and True are different ones, as they are in JSON."""
    return type(choice), choice


def cheap_coordinate(given: Real | Integer) -> float:
    """The unit coordinate where a number is cheapest: one that can be evaluated."""
    if given.free is not None:
        return float(given.snap(np.array([given.to_unit(given.free)]))[0])
    return 1.0 if given.expensive == "low" else 0.0


Input: TypeAlias = Real | Integer | Categorical
