"""Optuna's distributions as camobo's inputs, and points of one as points of the other.

    distribution         input            value of the input
    float                Real             the float
    float with a step    Integer(0, k)    steps above `low`
    int                  Integer          the int
    int with a step      Integer(0, k)    steps above `low`
    categorical          Categorical      position of the choice, since choices may be NaN

Of equal choices, such as 1 and 1.0, Optuna stores the first, and the input has only that one. A grid of more than 2**40
values is searched as a Real and rounded.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from optuna.distributions import BaseDistribution, CategoricalDistribution, FloatDistribution, IntDistribution
from optuna.trial import FrozenTrial

from camobo.arrays import Array
from camobo.errors import InvalidSpaceError, InvalidValueError, shown
from camobo.optuna.branches import branched
from camobo.space.inputs import Categorical, Input, Integer, Param, Real
from camobo.space.space import Space

Expensive: TypeAlias = Mapping[str, Any]
"""Per parameter that does not cost more as it rises: "low", or a list of expensive choices, most expensive first."""

_MOST_VALUES = 2**40


@dataclass(frozen=True, slots=True)
class Inputs:
    """The parameters of a search space, each with more than one value, and the space they span."""

    distributions: Mapping[str, BaseDistribution]
    space: Space
    plain: frozenset[str]
    """The parameters whose value in Optuna is the input's value."""

    @classmethod
    def known(
        cls,
        distributions: Mapping[str, BaseDistribution],
        expensive: Expensive,
        complete: Sequence[Mapping[str, Any]],
    ) -> Inputs | None:
        """The inputs of which the params of complete trials show when a trial has them; None if there are none."""
        if not distributions:
            return None
        every = cls.of(distributions, expensive)
        if all(name in params for params in complete for name in distributions):
            return every
        space = branched(every.space.inputs, [every.coordinates(params) for params in complete])
        if space is None:
            return None
        return cls({name: every.distributions[name] for name in space.names}, space, every.plain & set(space.names))

    @classmethod
    def of(cls, distributions: Mapping[str, BaseDistribution], expensive: Expensive) -> Inputs:
        """The inputs for these distributions; `expensive` may name other parameters too."""
        space = Space({name: _input(name, given, expensive.get(name)) for name, given in distributions.items()})
        plain = {name for name, given in distributions.items() if not _is_counted(given)}
        return cls(dict(distributions), space, frozenset(plain))

    @property
    def text(self) -> str:
        """What tells them from other inputs: True and 1 are equal, but differ."""
        return repr((self.distributions, self.space))

    def __contains__(self, name: str) -> bool:
        return name in self.distributions

    def unit(self, params: Mapping[str, Any]) -> Array | None:
        """(d,) Optuna's params in the unit cube; None if one that such a point has is missing or outside its range."""
        found = self.coordinates(params)
        unit = np.array([found.get(name, math.nan) for name in self.space.names])
        has = self.space.has(unit[None])[0]
        if np.isnan(unit[has]).any():
            return None
        return unit if has.all() else self.space.snap(np.nan_to_num(unit)[None])[0]

    def coordinates(self, params: Mapping[str, Any]) -> dict[str, float]:
        """Unit-cube coordinates of those of Optuna's params that are inside their ranges, in the space's order."""
        found = {}
        for name, given in self.space.inputs.items():
            if name in params:
                try:
                    value = params[name]
                    number = value if name in self.plain else _number(self.distributions[name], value)
                    found[name] = given.to_unit(given.check(number))
                except InvalidValueError:
                    continue
        return found

    def params(self, unit: Array) -> dict[str, Any]:
        """Optuna's params at (d,) unit-cube coordinates."""
        return {name: _value(self.distributions[name], number) for name, number in self.space.from_unit(unit).items()}


def stable(trials: Iterable[FrozenTrial]) -> dict[str, BaseDistribution]:
    """The parameters that have the same distribution in each of these trials that has them, and more than one value."""
    found: dict[str, BaseDistribution] = {}
    changed = set()
    for trial in trials:
        for name, given in trial.distributions.items():
            if found.setdefault(name, given) != given:
                changed.add(name)
    return {name: given for name, given in sorted(found.items()) if name not in changed and size_of(given) > 1}


def only_value(given: BaseDistribution) -> Any:
    """The value of a distribution that has just one."""
    return given.choices[0] if isinstance(given, CategoricalDistribution) else numeric(given).low


def size_of(given: BaseDistribution) -> float:
    """How many values a distribution has."""
    if isinstance(given, CategoricalDistribution):
        return len(positions(given))
    number = numeric(given)
    if number.step is None:
        return 1 if number.single() else math.inf
    return _steps(number) + 1


def numeric(given: BaseDistribution) -> FloatDistribution | IntDistribution:
    """The distribution, which is not categorical; one of a kind that Optuna does not have is refused."""
    if not isinstance(given, (FloatDistribution, IntDistribution)):
        raise InvalidSpaceError(f"need a float, int or categorical distribution, got {shown(given)}.")
    return given


def _input(name: str, given: BaseDistribution, expensive: Any) -> Input:
    if isinstance(given, CategoricalDistribution):
        return Categorical(positions(given), expensive=_expensive_positions(name, given, expensive))
    end: Any = "high" if expensive is None else expensive
    if not isinstance(end, str) or end not in ("high", "low"):  # `in` alone is ambiguous for an array
        raise InvalidSpaceError(
            f'expensive: {name!r} is a number, so its expensive end is "high" (the default) or "low", '
            f"got {shown(expensive)}."
        )
    try:
        return _number_input(numeric(given), end)
    except InvalidSpaceError as error:
        raise error.within(f"parameter {name!r}") from None


def _number_input(given: FloatDistribution | IntDistribution, end: Any) -> Input:
    if max(abs(given.low), abs(given.high)) > sys.float_info.max:
        raise InvalidSpaceError("need bounds that a float can hold, got one beyond 1.8e308.")
    next_to_high = given.high - given.step if _on_grid(given) and given.step else given.low
    if float(next_to_high) == float(given.high):
        raise InvalidSpaceError(
            f"its range from {given.low} to {given.high} is too narrow: floats cannot tell its values apart. Suggest "
            "the difference from its low end instead."
        )
    if _counts_steps(given):
        return Integer(0, _steps(given), expensive=end)
    if _on_grid(given):
        return Integer(int(given.low), int(given.high), log=given.log, expensive=end)
    return Real(float(given.low), float(given.high), log=given.log, expensive=end)


def positions(given: CategoricalDistribution) -> list[int]:
    """Positions of the choices, without those equal to an earlier one.

    >>> positions(CategoricalDistribution([1, "sqrt", 1.0, "log2"]))
    [0, 1, 3]
    """
    return sorted({int(given.to_internal_repr(choice)) for choice in given.choices})


def _expensive_positions(name: str, given: CategoricalDistribution, expensive: Any) -> Sequence[int]:
    if expensive is None:
        return ()
    if isinstance(expensive, str) or not isinstance(expensive, Sequence):
        raise InvalidSpaceError(
            f"expensive: {name!r} is categorical, so list its expensive choices, most expensive first, out of "
            f"{list(given.choices)!r}; got {shown(expensive)}."
        )
    try:
        found = [int(given.to_internal_repr(choice)) for choice in expensive]
    except ValueError:
        raise InvalidSpaceError(
            f"expensive: {name!r} lists {list(expensive)!r}, but its choices are {list(given.choices)!r}."
        ) from None
    if len(set(found)) < len(found):
        raise InvalidSpaceError(f"expensive: {name!r} lists {list(expensive)!r}. List each choice once.")
    return found


def _steps(given: FloatDistribution | IntDistribution) -> int:
    if isinstance(given, IntDistribution):
        return (given.high - given.low) // given.step
    return round((given.high - given.low) / (given.step or 1))


def _on_grid(given: FloatDistribution | IntDistribution) -> bool:
    """Whether it is searched as whole numbers."""
    return given.step is not None and _steps(given) <= _MOST_VALUES


def _counts_steps(given: FloatDistribution | IntDistribution) -> bool:
    """Whether the input counts steps above `low`, rather than being the int itself."""
    far = max(abs(given.low), abs(given.high)) > _MOST_VALUES
    return _on_grid(given) and (isinstance(given, FloatDistribution) or given.step > 1 or far)


def _is_counted(given: BaseDistribution) -> bool:
    """Whether the input's value is a position or a count of steps."""
    return isinstance(given, CategoricalDistribution) or _counts_steps(numeric(given))


def _number(given: BaseDistribution, value: Any) -> Param:
    """The position, or the count of steps, of Optuna's value."""
    if isinstance(given, CategoricalDistribution):
        try:
            return int(given.to_internal_repr(value))
        except ValueError as error:
            raise InvalidValueError(str(error)) from None
    given = numeric(given)
    if isinstance(value, bool) or not isinstance(value, (int, float, np.number)):
        raise InvalidValueError(f"need a number, got {shown(value)}.")
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
