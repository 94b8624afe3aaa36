"""Optuna's parameters as their owner knows them: the space of their own values, which reports show and costs are about.

`search_space` counts steps and choices instead. A point has the same unit coordinates in both spaces.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from optuna.distributions import BaseDistribution, CategoricalDistribution, IntDistribution

from camobo.errors import InvalidSpaceError
from camobo.optuna.search_space import Expensive, Inputs, numeric, positions
from camobo.space.inputs import Categorical, Input, Integer, Param, Real
from camobo.space.space import Space

_MOST = 2**40  # the largest bound of an Integer


def shown_space(
    distributions: Mapping[str, BaseDistribution], expensive: Expensive, *, distinct: bool = False
) -> Space:
    """The space of these parameters: choices by their labels, numbers by their range, without steps.

    distinct: of equal choices, such as 1 and True, only the first, as in `search_space`.
    """
    return Space({name: _input(name, given, expensive.get(name), distinct) for name, given in distributions.items()})


def as_shown(inputs: Inputs, expensive: Expensive) -> Space:
    """The space of inputs in their own values, with the same conditions; of equal choices only the first."""
    return replace(inputs.space, inputs=shown_space(inputs.distributions, expensive, distinct=True).inputs)


def labels(choices: Sequence[Any]) -> dict[str, Param]:
    """How a reader sees each choice, by its repr: as it is, unless that cannot be stored or two would read the same.

    >>> labels(["oil", None, float("nan")]), labels(["1", 1])
    ({"'oil'": 'oil', 'None': None, 'nan': 'nan'}, {"'1'": "'1'", '1': '1'})
    """
    found = {repr(choice): choice if _can_be_stored(choice) else repr(choice) for choice in choices}
    return found if len(set(map(str, found.values()))) == len(found) else {written: written for written in found}


def own_params(distributions: Mapping[str, BaseDistribution], params: Mapping[str, Param]) -> dict[str, Any]:
    """Optuna's params for those of the shown space."""
    return {name: _own(distributions[name], value) for name, value in params.items()}


def _own(given: BaseDistribution, value: Param) -> Any:
    if isinstance(given, CategoricalDistribution):
        label = next(written for written, label in labels(given.choices).items() if str(label) == str(value))
        return next(choice for choice in given.choices if repr(choice) == label)
    return round(value) if isinstance(given, IntDistribution) else value


def _can_be_stored(choice: Any) -> bool:
    if type(choice) in (int, float):
        return bool(abs(choice) <= sys.float_info.max)
    return choice is None or type(choice) in (str, bool)


def _input(name: str, given: BaseDistribution, expensive: Any, distinct: bool) -> Input:
    try:
        if isinstance(given, CategoricalDistribution):
            choices = [given.choices[i] for i in positions(given)] if distinct else given.choices
            seen, ends = labels(choices), () if expensive is None else expensive
            if isinstance(ends, Sequence) and not isinstance(ends, str):
                ends = [_label(choice, given, seen) for choice in ends]
            return Categorical(list(seen.values()), expensive=ends)
        end: Any = "high" if expensive is None else expensive
        number = numeric(given)
        if isinstance(number, IntDistribution) and max(abs(number.low), abs(number.high)) <= _MOST:
            return Integer(number.low, number.high, log=number.log, expensive=end)
        return Real(number.low, number.high, log=number.log, expensive=end)
    except InvalidSpaceError as error:
        raise error.within(f"parameter {name!r}") from None


def _label(choice: Any, given: CategoricalDistribution, seen: Mapping[str, Param]) -> Param:
    """The label of a choice that a user lists as expensive, by value or, as on a command line, by its text."""
    if repr(choice) in seen:
        return seen[repr(choice)]
    try:
        return seen[repr(given.choices[int(given.to_internal_repr(choice))])]
    except (ValueError, KeyError):
        return next((label for label in seen.values() if str(label) == choice), choice)
