"""What can go wrong, as one small tree.

    CamoboError
    ├── InvalidSpaceError   (ValueError)           an input or a space that cannot be
    ├── InvalidOrderError   (ValueError)           an order of costs that cannot be read or contradicts itself
    ├── InvalidValueError   (ValueError)           a parameter or a measured value that cannot be used
    ├── InvalidOptionError  (ValueError)           an option of a study or method that cannot be used
    ├── UnknownTrialError   (LookupError)          a trial this study does not have
    ├── TrialStateError     (RuntimeError)         a trial that is no longer (or not yet) in the state this needs
    ├── SpaceExhausted      (RuntimeError)         every point of a finite space has been handed out
    ├── StorageError        (OSError)              a study that cannot be read or written where it is kept
    └── MissingExtraError   (ImportError)          an optional package that is not installed

Each says what was wrong, what was expected, what it got, and what to do. Each is also the built-in it resembles, so
code that knows nothing of camobo catches it the usual way.
"""

from __future__ import annotations

_MOST_SHOWN = 120


def shown(value: object) -> str:
    """A value as a message quotes it: as Python writes it, cut short where that is long.

    >>> shown("oil"), len(shown("9" * 5000)) < 150
    ("'oil'", True)
    """
    try:
        text = repr(value)
    except ValueError:  # Python does not spell out a whole number of more than 4300 digits
        return "a number of thousands of digits"
    return text if len(text) <= _MOST_SHOWN else f"{text[:40]}…{text[-10:]} ({len(text)} characters)"


class CamoboError(Exception):
    """The root: `except CamoboError` catches everything camobo raises on purpose."""


class InvalidSpaceError(CamoboError, ValueError):
    """An input or a space that cannot be: bounds the wrong way round, no choices, a name used twice."""


class InvalidOrderError(CamoboError, ValueError):
    """An order of costs that cannot be read, names an unknown input, or contradicts itself."""


class InvalidValueError(CamoboError, ValueError):
    """A parameter outside its input, or a measured value that is not a finite number."""


class InvalidOptionError(CamoboError, ValueError):
    """An option of a study or of a method that cannot be used, or is not built yet."""


class UnknownTrialError(CamoboError, LookupError):
    """A trial this study does not have."""


class TrialStateError(CamoboError, RuntimeError):
    """A trial that is not in the state this call needs, such as a second `tell`."""


class SpaceExhausted(CamoboError, RuntimeError):
    """Every point of a finite space has been handed out already."""


class StorageError(CamoboError, OSError):
    """A study that cannot be opened, read or written where it is kept; what was stored before is as it was."""


class MissingExtraError(CamoboError, ImportError):
    """A part that needs an optional package which is not installed; the message names the command that installs it."""
