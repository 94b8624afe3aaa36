"""What went wrong in an evaluation, and what it says about the objective rather than the point.

A fault travels as plain data, so that failures can be compared wherever they happened. Two are alike if an error of the
same type was raised in the same place; for commands, if the exit code and the last line of the standard error are the
same but for numbers in it.

A result of the wrong shape is a `mistake` in the objective whatever the point: it ends a run. Any other fault is a
failed trial, unless the first trials of a run all fail alike: then the objective is broken, and they are released, to
be evaluated again once it is fixed (`Opening`).
"""

from __future__ import annotations

import re
import traceback
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from camobo.errors import Advice, InvalidOptionError, shown

Catch: TypeAlias = type[Exception] | tuple[type[Exception], ...]
"""Errors of the objective that are results like any other: they are recorded as failed trials."""

ENOUGH = 3
"""So many first trials that fail alike are taken for a broken objective.

If half of a space cannot be evaluated, a sound objective is suspected in 1 of 8 runs, and the message names the way on;
with 5 that were 1 in 32, but a broken objective that takes an hour would waste five.
"""
_MOST_PLACES = 50
"""Innermost calls that are compared."""
_NUMBER = re.compile(r"\d+(?:\.\d+)?")


@dataclass(frozen=True, slots=True)
class Fault:
    """What went wrong in an evaluation."""

    types: tuple[str, ...]
    """The error's class and those above it, with their modules: "builtins.KeyError", "builtins.LookupError"."""
    places: tuple[str, ...] = ()
    """Where it was raised, outermost call first; for a command how it ended."""
    returned: str | None = None
    """What the objective gave, as text, if that is no result."""
    error: BaseException | None = field(default=None, compare=False, repr=False)
    """The error itself, if it was raised in this process."""

    @classmethod
    def of(cls, error: BaseException, *places: str, returned: str | None = None) -> Fault:
        """The fault an error stands for; where it was raised, unless `places` say what identifies it."""
        return cls(_names(type(error)), places or _places(error), returned, error)

    @classmethod
    def read(cls, plain: dict[str, Any]) -> Fault:
        """The fault that `as_dict` wrote."""
        return cls(tuple(plain["types"]), tuple(plain["places"]), plain["returned"])

    def as_dict(self) -> dict[str, Any]:
        """The fault as plain data that JSON can hold, without the error itself."""
        return {"types": self.types, "places": self.places, "returned": self.returned}

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickles all but the error, which may refuse."""
        return Fault, (self.types, self.places, self.returned)

    def is_one_of(self, catch: tuple[type[Exception], ...]) -> bool:
        """Whether the error is of one of these types. Types are known by name, since it may come from elsewhere."""
        return any(_name(given) in self.types for given in catch)

    @property
    def mistake(self) -> bool:
        """Whether the objective is wrong whatever the point."""
        return self.returned is not None

    @property
    def kind(self) -> str:
        """The name of the error's class."""
        return self.types[0].rpartition(".")[2]


@dataclass(frozen=True, slots=True)
class Opening:
    """The first trials of a run, for as long as all of them have failed alike."""

    trials: tuple[int, ...] = ()
    """Their numbers."""
    fault: Fault | None = None
    reason: str = ""
    """Why the last of them failed."""
    over: bool = False
    """Whether a trial has ended otherwise."""

    def then(self, trial: int, fault: Fault | None, reason: str) -> Opening:
        """With the end of one more trial; without a fault, it is one the objective is not to blame for."""
        if self.over or fault is None or (self.trials and fault != self.fault):
            return Opening(over=True)
        return Opening((*self.trials, trial), fault, reason)

    @property
    def doubtful(self) -> bool:
        """Whether the objective seems broken: nothing is started before a trial under way has ended otherwise."""
        return len(self.trials) >= ENOUGH

    @property
    def said(self) -> str:
        """What happened to the trials so far, as a sentence."""
        count, place = len(self.trials), self._place()
        return f"the first {count} trials of this run all failed alike{place}: {self.reason.rstrip('.')}."

    def error(self) -> InvalidOptionError:
        """What to raise if no trial has ended otherwise."""
        found = InvalidOptionError(
            f"{self.said} They were released: fix the cause and run again, which evaluates them first.",
            advice=Advice.CATCH,
        )
        found.__cause__ = None if self.fault is None else self.fault.error
        return found

    def _place(self) -> str:
        """Where in a program it happened, if that is known."""
        places = () if self.fault is None else self.fault.places
        return f" in {places[-1]}" if places and ", line " in places[-1] else ""


def caught(catch: Any) -> tuple[type[Exception], ...]:
    """The exception types of `catch=`: a type or a tuple of them."""
    types = catch if isinstance(catch, tuple) else (catch,)
    wrong = [given for given in types if not (isinstance(given, type) and issubclass(given, Exception))]
    if wrong:
        raise InvalidOptionError(
            f"catch: need a type of exception or a tuple of them, such as catch=ValueError, got {shown(wrong[0])}."
        )
    return types


def without_numbers(text: str) -> str:
    """A message as it is compared: its numbers, such as times and params, may differ.

    >>> without_numbers("12:30 trial 7: depth=0.25 is too deep")
    '#:# trial #: depth=# is too deep'
    """
    return _NUMBER.sub("#", text)


def _names(given: type[BaseException]) -> tuple[str, ...]:
    return tuple(_name(one) for one in given.__mro__[:-1])


def _name(given: type) -> str:
    """A class by module and name; a worker that was spawned knows the main module by another name."""
    module = "__main__" if given.__module__ == "__mp_main__" else given.__module__
    return f"{module}.{given.__qualname__}"


def _places(error: BaseException) -> tuple[str, ...]:
    frames = traceback.extract_tb(error.__traceback__)[-_MOST_PLACES:]
    return tuple(f"{frame.filename}, line {frame.lineno}, in {frame.name}" for frame in frames)
