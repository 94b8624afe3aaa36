"""Optuna's distributions as camobo's inputs, and points of one as points of the other.

    distribution                  input              the input's value
    float                         Real               the float
    float with a step             Integer(0, k)      how many steps above `low`
    int                           Integer            the int
    int with a step               Integer(0, k)      how many steps above `low`
    categorical                   Categorical        the choice's position: choices may be NaN. Of equal ones, as 1 and
                                                     1.0 are, Optuna keeps the first, and so does the input

A grid of more than 2**40 values is searched as a Real and rounded.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from optuna.distributions import BaseDistribution, CategoricalDistribution, FloatDistribution, IntDistribution
from optuna.trial import FrozenTrial

from camobo.errors import InvalidSpaceError, InvalidValueError
from camobo.inputs import Array, Categorical, Input, Integer, Param, Real
from camobo.space import Space

Dear: TypeAlias = Mapping[str, Any]
"""For each parameter that does not cost more as it rises: "low", or a categorical's dear choices, dearest first."""

_MOST = 2**40


@dataclass(frozen=True, slots=True)
class Inputs:
    """The parameters of a search space, none of them with a single value, and the space they span."""

    distributions: Mapping[str, BaseDistribution]
    space: Space
    plain: frozenset[str]
    """The parameters whose value is the input's own."""
    units: dict[int, tuple[FrozenTrial, Array | None]] = field(default_factory=dict, compare=False, repr=False)
    """Finished trials and where they lie, by the trials' identity: of hundreds it takes long to find out anew."""

    @classmethod
    def of(cls, distributions: Mapping[str, BaseDistribution], dear: Dear) -> Inputs:
        """The space of these distributions; `dear` may name other parameters too."""
        space = Space({name: _input(name, given, dear.get(name)) for name, given in distributions.items()})
        plain = {name for name, given in distributions.items() if not _is_counted(given)}
        return cls(dict(distributions), space, frozenset(plain))

    def __contains__(self, name: str) -> bool:
        return name in self.distributions

    def unit(self, params: Mapping[str, Any]) -> Array | None:
        """(d,) where Optuna's params lie in the unit cube; None if some are missing or lie outside it."""
        found = self.coordinates(params)
        return np.array(list(found.values())) if len(found) == self.space.dimension else None

    def coordinates(self, params: Mapping[str, Any]) -> dict[str, float]:
        """The unit-cube coordinates of those of Optuna's params that lie inside it, in the space's order."""
        found = {}
        for name, given in self.space.inputs.items():
            if name in params:
                try:
                    value = params[name]
                    number = value if name in self.plain else _number(self.distributions[name], value)
                    found[name] = given.to_unit(given.check(name, number))
                except InvalidValueError:
                    continue
        return found

    def params(self, unit: Array) -> dict[str, Any]:
        """Optuna's params at (d,) unit-cube coordinates."""
        return {name: _value(self.distributions[name], number) for name, number in self.space.from_unit(unit).items()}


def only_value(given: BaseDistribution) -> Any:
    """The value of a distribution that has a single one."""
    if isinstance(given, CategoricalDistribution):
        return given.choices[0]
    return _numeric("", given).low


def size_of(given: BaseDistribution) -> float:
    """How many values it has."""
    if isinstance(given, CategoricalDistribution):
        return len(_positions(given))
    numeric = _numeric("", given)
    if numeric.step is None:
        return 1 if numeric.single() else math.inf
    return _steps(numeric) + 1


def _numeric(name: str, given: BaseDistribution) -> FloatDistribution | IntDistribution:
    if not isinstance(given, (FloatDistribution, IntDistribution)):
        raise InvalidSpaceError(f"parameter {name!r}: need a float, int or categorical distribution, got {given!r}.")
    return given


def _input(name: str, given: BaseDistribution, dear: Any) -> Input:
    if isinstance(given, CategoricalDistribution):
        return Categorical(_positions(given), dear=_dear_positions(name, given, dear))
    end: Any = "high" if dear is None else dear
    known = isinstance(end, str) and end in ("high", "low")  # of an array that alone would be ambiguous
    if not known:
        raise InvalidSpaceError(
            f'dear: {name!r} is a number, so its dear end must be "high" (the default) or "low", got {dear!r}.'
        )
    numeric = _numeric(name, given)
    if max(abs(numeric.low), abs(numeric.high)) > sys.float_info.max:
        raise InvalidSpaceError(f"parameter {name!r}: need a range that floats can hold, got a bound beyond 1.8e308.")
    next_to_high = numeric.high - numeric.step if _on_grid(numeric) and numeric.step else numeric.low
    if float(next_to_high) == float(numeric.high):
        raise InvalidSpaceError(
            f"parameter {name!r}: its range from {numeric.low} to {numeric.high} is too narrow for floats to tell its "
            "values apart. Suggest what is added to its low end instead."
        )
    if _counts_steps(numeric):
        return Integer(0, _steps(numeric), dear=end)
    if _on_grid(numeric):
        return Integer(int(numeric.low), int(numeric.high), log=numeric.log, dear=end)
    try:
        return Real(float(numeric.low), float(numeric.high), log=numeric.log, dear=end)
    except InvalidSpaceError as error:
        raise InvalidSpaceError(f"parameter {name!r}: {error}") from None


def _positions(given: CategoricalDistribution) -> list[int]:
    """Of the choices, without those equal to an earlier one.

    >>> _positions(CategoricalDistribution([1, "sqrt", 1.0, "log2"]))
    [0, 1, 3]
    """
    return sorted({int(given.to_internal_repr(choice)) for choice in given.choices})


def _dear_positions(name: str, given: CategoricalDistribution, dear: Any) -> Sequence[int]:
    if dear is None:
        return ()
    if isinstance(dear, str) or not isinstance(dear, Sequence):
        raise InvalidSpaceError(
            f"dear: {name!r} is a category, so list its dear choices, dearest first, out of {list(given.choices)!r}; "
            f"got {dear!r}."
        )
    try:
        places = [int(given.to_internal_repr(choice)) for choice in dear]
    except ValueError:
        raise InvalidSpaceError(
            f"dear: {name!r} lists {list(dear)!r}, but its choices are {list(given.choices)!r}."
        ) from None
    if len(set(places)) < len(places):
        raise InvalidSpaceError(f"dear: {name!r} lists {list(dear)!r}, need each of its choices once.")
    return places


def _steps(given: FloatDistribution | IntDistribution) -> int:
    if isinstance(given, IntDistribution):
        return (given.high - given.low) // given.step
    return round((given.high - given.low) / (given.step or 1))


def _on_grid(given: FloatDistribution | IntDistribution) -> bool:
    """Whether it is searched as whole numbers."""
    return given.step is not None and _steps(given) <= _MOST


def _counts_steps(given: FloatDistribution | IntDistribution) -> bool:
    """Whether the input counts steps above `low`, rather than being an int itself."""
    far = max(abs(given.low), abs(given.high)) > _MOST
    return _on_grid(given) and (isinstance(given, FloatDistribution) or given.step > 1 or far)


def _is_counted(given: BaseDistribution) -> bool:
    """Whether the input's value is a position or a count of steps."""
    return isinstance(given, CategoricalDistribution) or _counts_steps(_numeric("", given))


def _number(given: BaseDistribution, value: Any) -> Param:
    """The position, or the count of steps, that stands for Optuna's value."""
    if isinstance(given, CategoricalDistribution):
        try:
            return int(given.to_internal_repr(value))
        except ValueError as error:
            raise InvalidValueError(str(error)) from None
    given = _numeric("", given)
    if isinstance(value, bool) or not isinstance(value, (int, float, np.number)):
        raise InvalidValueError(f"need a number, got {value!r}.")
    steps = (value - given.low) / (given.step or 1)
    if not math.isfinite(steps) or abs(steps - round(steps)) > 1e-6:
        raise InvalidValueError(f"{value!r} is not on the grid of {given!r}.")
    return round(steps)


def _value(given: BaseDistribution, number: Param) -> Any:
    """Optuna's value for the input's."""
    if isinstance(given, CategoricalDistribution):
        return given.choices[number]
    if not isinstance(given, (FloatDistribution, IntDistribution)) or given.step is None:
        return number
    if _on_grid(given) and not _counts_steps(given):
        return number
    steps = number if _on_grid(given) else round((number - given.low) / given.step)
    value = min(max(given.low + steps * given.step, given.low), given.high)
    return int(value) if isinstance(given, IntDistribution) else float(value)
