"""The errors camobo raises, as one small tree.

    CamoboError
    ├── InvalidSpaceError   (ValueError)           an input or a space that is not possible
    ├── InvalidOrderError   (ValueError)           an order of costs that cannot be read or contradicts itself
    ├── InvalidValueError   (ValueError)           a parameter or a measured value that cannot be used
    ├── InvalidOptionError  (ValueError)           an option of a study or method that cannot be used
    ├── UnknownTrialError   (LookupError)          a trial this study does not have
    ├── TrialStateError     (RuntimeError)         a trial in the wrong state for this call
    ├── SpaceExhausted      (RuntimeError)         every point of a finite space has been suggested
    ├── BudgetSpent         (RuntimeError)         what is left of the budget pays for no further trial
    ├── StorageError        (OSError)              a study that cannot be read or written where it is stored
    │   └── OutcomeUnknown  (StorageError)         a change of which nobody knows whether it was stored
    └── MissingExtraError   (ImportError)          an optional package that is not installed

Each message says what was wrong, what was expected, what came instead, and what to do. Each error is also the built-in
it resembles, so code that does not know camobo catches it the usual way. Where the fix is a call in Python and a
command in a terminal, the error carries an `Advice`, which each interface phrases for itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Any, TypeVar

from camobo.hints import redacted

E = TypeVar("E", bound="CamoboError")

_LONGEST_SHOWN = 120


class Advice(Enum):
    """What to do about an error, where each interface has its own words for it.

    The value is the wording for Python. The error's facts fill in `{place}` and the like.
    """

    FAIL = 'To record a failed measurement use study.fail(trial, "why").'
    TELL = "To record it use study.tell(trial, values)."
    AMEND = 'To correct or withdraw a result use study.amend(trial, values, "why").'
    COUNT = "To make it count use study.tell(…) with the trial's number, and without the cost, which counts already."
    CREATE = "Create one with Study(..., storage=…)."
    CONTINUE = "To continue that study use Study.load({place!r}); for a new one choose another storage."
    REOPEN = "Open the study again with Study.load({place!r})."
    REPAIR = "camobo check {place} says what else is wrong, camobo repair {place} fixed.db saves what is whole."
    CATCH = "To record such trials as failed and go on, use optimize(…, catch=Exception) or a narrower type."
    SPEND_MORE = "To go on, raise it: study.change(budget=…)."
    LOOK = "Look at study.log() before doing it again."
    AGAIN = "Doing the same again with this study is safe: it looks first. Elsewhere look at study.log() first."
    IN_MEMORY = "For a study in memory leave storage out."


_IN_PYTHON = {advice: advice.value for advice in Advice}


class CamoboError(Exception):
    """The root: `except CamoboError` catches everything camobo raises on purpose."""

    def __init__(self, message: object = "", *, advice: Advice | None = None, **facts: Any) -> None:
        super().__init__(message)
        self.message = str(message)
        """What was wrong, what was expected and what came instead, without the advice."""
        self.advice = advice
        self.facts = facts
        """Values for the placeholders of the advice."""
        self.place: str | None = None
        """Where in a file or among arguments it happened, if `within` was called."""

    def __str__(self) -> str:
        return self.phrased(_IN_PYTHON)

    def phrased(self, wordings: Mapping[Advice, str]) -> str:
        """The message, and what to do about it in the words of an interface."""
        if self.advice is None:
            return self.message
        apart = "" if self.message.endswith("\n") else " "
        return f"{self.message}{apart}{wordings[self.advice].format(**self.facts)}".rstrip()

    def within(self: E, place: str) -> E:
        """A copy of this error with the place in front: "alloy.toml: [space] nickel: …"."""
        found = type(self)(f"{place}: {self.message}", advice=self.advice, **self.facts)
        found.place = place
        return found


class InvalidSpaceError(CamoboError, ValueError):
    """An input or a space that is not possible: bounds the wrong way round, no choices, a name used twice."""


class InvalidOrderError(CamoboError, ValueError):
    """An order of costs that cannot be read, names an unknown input, or contradicts itself."""


class InvalidValueError(CamoboError, ValueError):
    """A parameter outside its input, or a measured value that is not a finite number."""


class InvalidOptionError(CamoboError, ValueError):
    """An option of a study or of a method that cannot be used, or is not supported yet."""


class UnknownTrialError(CamoboError, LookupError):
    """A trial this study does not have."""


class TrialStateError(CamoboError, RuntimeError):
    """A trial in the wrong state for this call, such as a second `tell`."""


class SpaceExhausted(CamoboError, RuntimeError):
    """Every point of a finite space has been suggested already."""


class BudgetSpent(CamoboError, RuntimeError):
    """What is left of a budget in money pays for no further trial."""


class StorageError(CamoboError, OSError):
    """A study that cannot be opened, read or written where it is stored. What was stored before is unchanged."""


class OutcomeUnknown(StorageError):
    """A change of which it is unknown whether it was stored: the connection was lost before the reply came."""


class MissingExtraError(CamoboError, ImportError):
    """A feature whose optional package is not installed. The message gives the command that installs it."""


def shown(value: object) -> str:
    """A value as messages quote it: its repr, shortened if long, without the password of a URL.

    >>> shown("oil"), len(shown("9" * 5000)) < 150
    ("'oil'", True)
    """
    try:
        text = redacted(repr(value))  # before it is cut: half a URL is not recognised
    except ValueError:  # Python refuses the repr of an integer of more than 4300 digits
        return "a number of thousands of digits"
    return text if len(text) <= _LONGEST_SHOWN else f"{text[:40]}…{text[-10:]} ({len(text)} characters)"
