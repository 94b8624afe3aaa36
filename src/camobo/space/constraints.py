"""Constraints on the inputs of a point: linear ones, and how many inputs may be above their low end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import TypeAlias

from camobo.errors import shown
from camobo.hints import meant
from camobo.space.constraint_text import Comparison, mistake, read, spelled
from camobo.space.inputs import Categorical, Input, Integer, Params, Real

_ROUNDING = Fraction(1, 10**9)
"""The share of its largest value by which a sum may miss its limit: values may have been rounded."""


@dataclass(frozen=True, slots=True)
class Linear:
    """A sum of inputs that is at most, or if `equal` exactly, `bound`; "at least" is "at most" with the signs turned.

    >>> nickel = {"nickel": Real(0, 20), "chromium": Real(0, 20)}
    >>> (limit,) = read_constraints(["nickel + 2*chromium <= 20"], nickel)
    >>> limit.holds({"nickel": 4.0, "chromium": 8.0}, nickel), limit.holds({"nickel": 5.0, "chromium": 8.0}, nickel)
    (True, False)
    """

    terms: Mapping[str, Fraction]
    bound: Fraction
    equal: bool
    text: str

    @property
    def names(self) -> tuple[str, ...]:
        """The inputs it limits."""
        return tuple(self.terms)

    def range_over(self, inputs: Mapping[str, Input]) -> tuple[Fraction, Fraction]:
        """The least and the largest value of the sum that the inputs' ranges allow."""
        ends = [sorted((c * exact(_low(inputs[n])), c * exact(_high(inputs[n])))) for n, c in self.terms.items()]
        return sum((low for low, _ in ends), Fraction(0)), sum((high for _, high in ends), Fraction(0))

    def idle(self, inputs: Mapping[str, Input]) -> bool:
        """Whether it holds for every point of the inputs' ranges."""
        least, most = self.range_over(inputs)
        return most <= self.bound and (not self.equal or least == most == self.bound)

    def holds(self, params: Params, inputs: Mapping[str, Input]) -> bool:
        """Whether a point meets it, up to a rounding error."""
        over = sum((c * exact(params[n]) for n, c in self.terms.items()), Fraction(0)) - self.bound
        rounding = _ROUNDING * (abs(self.bound) + max(map(abs, self.range_over(inputs))))
        return over <= rounding and (not self.equal or over >= -rounding)

    def given(self, params: Params, inputs: Mapping[str, Input]) -> tuple[str, ...]:
        """What it says of the other inputs if some are given, as texts."""
        rest = {n: c for n, c in self.terms.items() if n not in params}
        fixed = sum((c * exact(params[n]) for n, c in self.terms.items() if n in params), Fraction(0))
        total = " + ".join(f"{_times(factor)}{spelled(name)}" for name, factor in rest.items()).replace("+ -", "- ")
        return (f"{total} {'==' if self.equal else '<='} {_written(self.bound - fixed)}",) if rest else ()


@dataclass(frozen=True, slots=True)
class Count:
    """Of some inputs at least `least` and at most `most` are above their low end."""

    names: tuple[str, ...]
    least: int
    most: int
    text: str

    def idle(self, inputs: Mapping[str, Input]) -> bool:
        """Whether it holds for every point of the inputs' ranges."""
        return self.least <= 0 and self.most >= len(self.names)

    def holds(self, params: Params, inputs: Mapping[str, Input]) -> bool:
        """Whether a point meets it."""
        above = [name for name in self.names if params[name] > _low(inputs[name])]
        return self.least <= len(above) <= self.most

    def given(self, params: Params, inputs: Mapping[str, Input]) -> tuple[str, ...]:
        """What it says of the other inputs if some are given, as texts."""
        rest = [name for name in self.names if name not in params]
        above = sum(params[name] > _low(inputs[name]) for name in self.names if name in params)
        counted = f"count({', '.join(map(spelled, rest))})"
        limits = (f"{counted} >= {max(self.least - above, 0)}", f"{counted} <= {self.most - above}")
        return limits if rest else ()


Constraint: TypeAlias = Linear | Count


def exact(value: float) -> Fraction:
    """A number as it is written in decimals: 0.1 is a tenth.

    >>> exact(0.1) + exact(0.2) == exact(0.3)
    True
    """
    return Fraction(Decimal(repr(value)))


def read_constraints(texts: Sequence[str], inputs: Mapping[str, Input]) -> tuple[Constraint, ...]:
    """The constraints that texts state, or an error that shows what is wrong where."""
    return tuple(_bound(text, read(text), inputs) for text in texts)


def _bound(text: str, said: Comparison, inputs: Mapping[str, Input]) -> Constraint:
    """What a text says of the inputs of a space."""
    for name, place in said.places.items():
        if name not in inputs:
            hint = meant(name, inputs) or f" The inputs are {', '.join(map(spelled, inputs))}."
            raise mistake(f"no input is called {name!r}.{hint}", text, place)
        given = inputs[name]
        if isinstance(given, Categorical):
            raise mistake(
                f"{name!r} is one of {shown(list(given.choices))}: only numbers can be limited. "
                "Record combinations that cannot be tried as failed.",
                text,
                place,
            )
        if said.counted is None and said.sign == "==" and given.log:
            raise mistake(
                f"{name!r} has a log scale, on which values that meet == lie on a curve. "
                "Use <= and >=, or leave log out.",
                text,
                place,
            )
    if said.counted is not None:
        return _count(text, said, said.counted)
    turned = -1 if said.sign == ">=" else 1
    terms = {name: turned * factor for name, factor in said.sum.terms.items()}
    return Linear(terms, -turned * said.sum.constant, said.sign == "==", text.strip())


def _count(text: str, said: Comparison, names: tuple[str, ...]) -> Count:
    number = -said.sum.constant
    if number < 0 or number.denominator != 1:
        raise mistake(f"a count is compared with a whole number, 0 or more, got {float(number):g}.", text, 0)
    least = int(number) if said.sign != "<=" else 0
    most = int(number) if said.sign != ">=" else len(names)
    return Count(names, least, most, text.strip())


def _times(factor: Fraction) -> str:
    return "" if factor == 1 else "-" if factor == -1 else f"{_written(factor)}*"


def _written(number: Fraction) -> str:
    """A number in decimals if those are exact, else as a fraction."""
    decimals = f"{float(number):.12g}"
    return decimals if Fraction(decimals) == number else str(number)


def _low(given: Input) -> float:
    return given.low if isinstance(given, (Real, Integer)) else 0


def _high(given: Input) -> float:
    return given.high if isinstance(given, (Real, Integer)) else 0
