"""Values that may be a slip of the hand: far beyond everything measured before."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import median

from camobo.errors import Advice, InvalidValueError
from camobo.history.trial import State, Trial

_FEWEST = 5
"""With fewer results nobody knows what is usual."""
_FAR = 10.0
"""A digit too many, or a decimal point forgotten."""


def beyond(value: float, others: Sequence[float]) -> float | None:
    """How many times the usual result a value is, if that is far beyond all others; otherwise None.

    Far is ten times the median in size, and further from the largest than the largest is from the smallest: losses from
    0.001 to 1 may well reach 20. The others must all have the sign of the value; if they cross zero or touch it, no
    size is usual.

    >>> beyond(5010, [480, 512, 390, 455, 501]), beyond(20, [0.001, 1, 0.3, 0.02, 0.5])
    (10.4375, None)
    """
    if len(others) < _FEWEST or min([other * value for other in others]) <= 0.0:
        return None
    sizes = [abs(other) for other in others]
    largest, times = max(sizes), abs(value) / median(sizes)
    return times if times >= _FAR and abs(value) / largest > largest / min(sizes) else None


def slips(trials: Sequence[Trial], changed: Iterable[int]) -> list[InvalidValueError]:
    """What to say of the values of `changed` trials that are far beyond those of all others."""
    found = []
    for trial in [trials[number] for number in changed if trials[number].state is not State.FAILED]:
        for name, value in (trial.values or {}).items():
            times = beyond(value, _others(trials, trial, name, abs(value)))
            if times is not None:
                text = (
                    f"trial {trial.number}: {name!r} is {value:.6g}, {times:.3g} times the median of the other results."
                )
                found.append(InvalidValueError(f"{text} Is it mistyped?", advice=Advice.AMEND))
    return found


def _others(trials: Sequence[Trial], trial: Trial, name: str, size: float) -> list[float]:
    """The values of other valid trials; none if one of them has at least this size, as is mostly found soon.

    Without generators, here and above: a signal that ends one half-way is reported as an error that nobody caught.
    """
    found = list[float]()
    for other in trials:
        value = None if other is trial or other.state is State.FAILED else (other.values or {}).get(name)
        if value is not None and abs(value) >= size:
            return []
        found += [] if value is None else [value]
    return found
