"""Validation of what users give; errors name the argument."""

from __future__ import annotations

import functools
import math
import numbers
import re
from collections.abc import Callable, Mapping, Sized
from datetime import timedelta
from typing import Any, Literal, TypeAlias, TypeVar, cast

import numpy as np

from camobo.errors import Advice, InvalidOptionError, InvalidValueError, shown
from camobo.hints import NUMBER

Goal: TypeAlias = Literal["min", "max"]
GoalWord: TypeAlias = Literal["min", "max", "minimize", "maximize", "minimise", "maximise"]
"""How users may say it."""
Values: TypeAlias = Mapping[str, float]
Duration: TypeAlias = str | float | timedelta
F = TypeVar("F", bound=Callable[..., Any])

SQLITE_HEADER = b"SQLite format 3\0"
"""The first bytes of every SQLite file."""
_NOT_FINITE = re.compile(r"[+-]?(?:nan|inf|infinity)", re.ASCII | re.IGNORECASE)
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800}
_DURATION = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([smhdw])\s*", re.ASCII)
_GOALS: Mapping[str, Goal] = {
    **dict.fromkeys(("min", "minimize", "minimise"), "min"),
    **dict.fromkeys(("max", "maximize", "maximise"), "max"),
}
_MOST_OBJECTIVES = 31  # moocore computes hypervolumes of at most so many
_TOO_LONG = 10**300  # Python can neither print nor store a number of thousands of digits
_SHORTEST, _LONGEST = 0.001, 100 * 365 * 86400.0
LONGEST_LEASE = timedelta(days=366)
"""A trial that is to be held for longer is held without a lease."""


def renamed(old: str, new: str) -> Callable[[F], F]:
    """Decorator of a function or class that renamed a keyword: the old name is an error that gives the new one."""

    def refuse_old(function: F) -> F:
        @functools.wraps(function)
        def checked(*args: Any, **options: Any) -> Any:
            if old in options:
                raise InvalidOptionError(f"{old}=: this option is now called {new}=. Rename it.")
            return function(*args, **options)

        return cast("F", checked)

    def decorate(target: F) -> F:
        if not isinstance(target, type):
            return refuse_old(target)
        type.__setattr__(target, "__init__", refuse_old(vars(target)["__init__"]))
        return target

    return decorate


def whole(name: str, value: Any, least: int, most: int | None = None) -> int:
    """A whole number of at least `least` and, if given, at most `most`."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)) or value < least:
        raise InvalidOptionError(f"{name}: need a whole number of at least {least}, got {shown(value)}.")
    if value >= _TOO_LONG:
        raise InvalidOptionError(f"{name}: need a whole number of at most 300 digits, got {shown(value)}.")
    if most is not None and value > most:
        raise InvalidOptionError(f"{name}: need a whole number from {least} to {most}, got {shown(value)}.")
    return int(value)


def number_from(name: str, value: Any, least: float, most: float) -> float:
    """A number from `least` to `most`."""
    number = _float(value)
    if number is None or not least <= number <= most:
        raise InvalidOptionError(f"{name}: need a number from {least:g} to {most:g}, got {shown(value)}.")
    return number


def one_of(name: str, value: Any, allowed: tuple[str, ...]) -> Any:
    """`value` if it is one of the allowed words."""
    if not isinstance(value, str) or value not in allowed:  # for an array, `not in` alone is ambiguous
        raise InvalidOptionError(f"{name}: need one of {', '.join(map(repr, allowed))}, got {shown(value)}.")
    return value


def objectives_of(objectives: Any) -> dict[str, Goal]:
    """Objectives as a dict of names and goals."""
    if not isinstance(objectives, Mapping) or not objectives:
        raise InvalidOptionError(
            f'objectives: need at least one, such as {{"strength": "max"}}, got {shown(objectives)}.'
        )
    for name, goal in objectives.items():
        if not isinstance(name, str) or not name.strip():
            raise InvalidOptionError(f"objectives: a name must be text that is not blank, got {shown(name)}.")
        if not isinstance(goal, str) or goal not in _GOALS:
            raise InvalidOptionError(f'objectives: {name!r} must be "min" or "max", got {shown(goal)}.')
    check_objective_count(objectives)
    return {name: _GOALS[goal] for name, goal in objectives.items()}


def check_objective_count(objectives: Sized) -> None:
    """Refuse more objectives than the hypervolume can be computed for."""
    if len(objectives) > _MOST_OBJECTIVES:
        raise InvalidOptionError(
            f"objectives: need at most {_MOST_OBJECTIVES}, got {len(objectives)}. The hypervolume of more cannot be "
            "computed. Leave some out, or add up related ones."
        )


def values_of(
    values: Any, objectives: Mapping[str, str], *, what: str = "values", partial: bool = False
) -> dict[str, float]:
    """One finite float per objective, in the objectives' order; at least one in all if `partial`.

    `what` is the argument's name in errors.
    """
    if not isinstance(values, Mapping):
        raise InvalidValueError(
            f"{what}: need a number for each of {', '.join(objectives)} by name, got {shown(values)}."
        )
    if partial and not values:
        raise InvalidValueError(f"{what}: need at least one, got none. This study measures {', '.join(objectives)}.")
    unknown = [name for name in values if name not in objectives]
    missing = [name for name in objectives if name not in values]
    if unknown or (missing and not partial):
        problem = f"no objective called {unknown[0]!r}" if unknown else f"no value for {missing[0]!r}"
        raise InvalidValueError(f"{what}: {problem}. This study measures {', '.join(objectives)}.")
    return {name: _finite(name, values[name], what) for name in objectives if name in values}


def _finite(name: str, value: Any, what: str) -> float:
    number = _float(value)
    if number is not None and math.isfinite(number):
        return number
    given = number if number is not None else value
    if what != "values":
        raise InvalidValueError(f"{what}: objective {name!r} needs a finite number, got {shown(given)}.")
    raise InvalidValueError(f"objective {name!r}: need a finite number, got {shown(given)}.", advice=Advice.FAIL)


def is_number(value: Any) -> bool:
    """Whether something is a real number, finite or not; a truth value is none."""
    return _float(value) is not None


def number_in(text: str) -> float | None:
    """The number that a program wrote as text, finite or not; None if it is none.

    >>> number_in(" 2.5e-1"), number_in("inf"), number_in("1_000"), number_in("٣")
    (0.25, inf, None, None)
    """
    given = text.strip()
    return float(given) if NUMBER.fullmatch(given) or _NOT_FINITE.fullmatch(given) else None


def _float(value: Any) -> float | None:
    if type(value) is float:
        return value
    if not isinstance(value, numbers.Real) or isinstance(value, (bool, np.bool_)):
        return None
    try:
        return float(value)
    except OverflowError:
        return math.inf


def money(cost: Any) -> float | None:
    """What a trial cost: a finite number of at least zero, or None if unknown."""
    number = _float(cost)
    if cost is not None and (number is None or not 0.0 <= number < math.inf):
        raise InvalidValueError(f"cost: need a finite number of at least 0, got {shown(number if number else cost)}.")
    return number


def remark(what: str, text: Any) -> str:
    """Text that every storage can hold: characters that cannot be stored become replacement marks."""
    if not isinstance(text, str):
        raise InvalidValueError(f"{what}: need text, got {shown(text)}.")
    return text.replace("\0", "\N{REPLACEMENT CHARACTER}").encode("utf-8", "replace").decode("utf-8")


def owner_name(owner: Any) -> str | None:
    """The owner of a trial: text that is not blank, or None."""
    if owner is None:
        return None
    if not isinstance(owner, str) or not owner.strip():
        raise InvalidOptionError(f"owner: need a name that is not blank, got {shown(owner)}.")
    if remark("owner", owner) != owner:
        raise InvalidOptionError(
            f"owner: need a name without null characters and lone surrogates, which cannot be stored, "
            f"got {shown(owner)}."
        )
    return owner


def duration(name: str, given: Any) -> timedelta | None:
    """A length of time: "90s", "30m", "2h", "3d", "1w", a number of seconds, or None for no limit.

    >>> duration("lease", "2h")
    datetime.timedelta(seconds=7200)
    """
    if given is None:
        return None
    seconds: float | None = None
    if isinstance(given, timedelta):
        seconds = given.total_seconds()
    elif isinstance(given, str):
        match = _DURATION.fullmatch(given)
        seconds = float(match[1]) * _SECONDS[match[2]] if match else None
    else:
        seconds = _float(given)
    if seconds is None:
        raise InvalidOptionError(
            f'{name}: need a time such as "90s", "30m", "2h", "3d" or seconds, got {shown(given)}.'
        )
    if not _SHORTEST <= seconds <= _LONGEST:
        raise InvalidOptionError(
            f"{name}: need a time from {_SHORTEST} seconds to {_LONGEST / 86400:.0f} days (100 years), "
            f"got {shown(given)}."
        )
    return timedelta(seconds=seconds)


def lease_of(given: Duration | None) -> timedelta | None:
    """How long a trial is held for somebody: at most a year, or None without end.

    >>> lease_of("3d"), lease_of(None)
    (datetime.timedelta(days=3), None)
    """
    length = duration("lease", given)
    if length is not None and length > LONGEST_LEASE:
        raise InvalidOptionError(
            f"lease: need at most {LONGEST_LEASE.days} days, got {shown(given)}. "
            "To hold a trial for longer leave the lease out: then nobody else gets it until it is released."
        )
    return length
