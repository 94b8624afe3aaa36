"""Values that may be a slip of the hand: far beyond everything measured before."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from camobo.errors import Advice, InvalidValueError
from camobo.history.trial import Trial

_FEWEST = 5
"""With fewer results nobody knows what is usual."""
_FAR = 10.0
"""A digit too many, or a decimal point forgotten."""


def beyond(value: float, others: Sequence[float]) -> float | None:
    """The largest magnitude of the `others` if the value is far beyond it; otherwise None.

    Far is ten times, or further where the others themselves span more than that: losses from 0.001 to 1 may well reach
    20. The others must all have the sign of the value; if they cross zero or touch it, no size is usual.

    >>> beyond(5210, [480, 512, 390, 455, 501]), beyond(20, [0.001, 1, 0.3, 0.02, 0.5])
    (512, None)
    """
    if len(others) < _FEWEST or any(other * value <= 0.0 for other in others):
        return None
    sizes = [abs(other) for other in others]
    largest, smallest = max(sizes), min(sizes)
    return largest if abs(value) / largest > max(_FAR, largest / smallest) else None


def slips(trials: Sequence[Trial], changed: Iterable[int]) -> list[InvalidValueError]:
    """What to say of the values of `changed` trials that are far beyond those of all others."""
    found = []
    for trial in (trials[number] for number in changed):
        for name, value in (trial.values or {}).items():
            largest = beyond(value, _others(trials, trial, name, abs(value) / _FAR))
            if largest is not None:
                times = f"{abs(value) / largest:.3g} times"
                text = f"trial {trial.number}: {name!r} is {value:.6g}, {times} the largest of the other results."
                found.append(InvalidValueError(f"{text} Is it mistyped?", advice=Advice.AMEND))
    return found


def _others(trials: Sequence[Trial], trial: Trial, name: str, near: float) -> list[float]:
    """The values of other trials; none if one of them is `near` in size, as nearly always the first is."""

    def values() -> Iterator[float]:
        found = ((other.values or {}).get(name) for other in trials if other is not trial)
        return (value for value in found if value is not None)

    return [] if any(abs(value) >= near for value in values()) else list(values())
