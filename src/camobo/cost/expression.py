"""A formula over the inputs, checked against a space: its values at many points, and its exact slopes.

    parse("0.36 * wc + if(quench == 'oil', 2, 0)", space.inputs)

`expression_text` explains the language. A formula is a list of steps for a stack machine, never Python code, so opening
somebody's formula cannot run anything. Slopes are computed by forward differentiation: each operator passes on its
values u(x) together with ∂u/∂x, by the chain rule ∂f(u, v)/∂x = f_u ∂u/∂x + f_v ∂v/∂x.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from camobo.arrays import Array
from camobo.cost.expression_text import (
    COMPARISONS,
    Choice,
    Mention,
    Number,
    Operation,
    Step,
    mistake,
    quoted,
    read,
    spelled,
)
from camobo.errors import shown
from camobo.hints import meant
from camobo.space.inputs import Categorical, Input, Param

Columns: TypeAlias = Mapping[str, Array | NDArray[np.intp]]
"""For each input (n,) values in natural units; for a category (n,) positions in its `choices`."""
_Kind: TypeAlias = Literal["number", "condition", "category", "choice"]
_Rule: TypeAlias = tuple[Callable[..., Any], tuple[Callable[..., Any], ...]]

_SLOPES: dict[str, _Rule] = {
    "+": (np.add, (lambda u, v, f: 1.0, lambda u, v, f: 1.0)),
    "-": (np.subtract, (lambda u, v, f: 1.0, lambda u, v, f: -1.0)),
    "*": (np.multiply, (lambda u, v, f: v, lambda u, v, f: u)),
    "/": (np.divide, (lambda u, v, f: 1.0 / v, lambda u, v, f: -f / v)),
    "^": (np.power, (lambda u, v, f: v * np.power(u, v - 1.0), lambda u, v, f: _exponential_slope(u, f))),
    "negative": (np.negative, (lambda u, f: -1.0,)),
    "abs": (np.abs, (lambda u, f: np.where(u < 0.0, -1.0, 1.0),)),
    "exp": (np.exp, (lambda u, f: f,)),
    "log": (np.log, (lambda u, f: 1.0 / u,)),
    "log10": (np.log10, (lambda u, f: 1.0 / (u * math.log(10.0)),)),
    "sqrt": (np.sqrt, (lambda u, f: 0.5 / f,)),
}
"""Each function f(u, v) or f(u) of numbers, and its partial derivatives, which are given f itself as well."""
_TRUTHS: dict[str, Callable[..., Any]] = {
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
    "==": np.equal,
    "!=": np.not_equal,
    "and": np.logical_and,
    "or": np.logical_or,
    "not": np.logical_not,
}
_ASIDE = ((1e-30, False), (-1e-30, False), (1e-10, False), (-1e-10, False), (1e-10, True), (-1e-10, True))
"""Where and how to look for a slope that is 0 · ∞ at a point: a step to a side, and whether 0 · ∞ counts as 0 there."""
_RELATIVE_STEP = 2.0**-26  # half the digits of a float
_LISTED = 10  # names or choices that a message lists


@dataclass(frozen=True, slots=True)
class _Matches:
    """Whether a category has one of the choices at `positions`, or (if not `equal`) none of them."""

    name: str
    positions: tuple[int, ...]
    equal: bool


_Step: TypeAlias = Number | Mention | Operation | _Matches


class _Operand(NamedTuple):
    """What a step leaves for the next ones, while a formula is checked."""

    kind: _Kind
    step: Step
    name: str = ""
    choices: tuple[Param, ...] = ()
    """Name and choices of a category."""


class _Result(NamedTuple):
    """What a step leaves for the next ones, while a formula is evaluated: scalars or (n,) arrays."""

    values: Any
    slopes: Mapping[str, Any]
    """By input. An input that is not here has no influence."""


@dataclass(frozen=True, slots=True)
class Expression:
    """A formula over inputs. `parse` makes it; `str` gives the text back.

    >>> from camobo.space.inputs import Real
    >>> price = parse("0.5 * wc + wc ^ 2", {"wc": Real(0, 10)})
    >>> price.values({"wc": np.array([1.0, 2.0])})
    array([1.5, 5. ])
    >>> price.slopes({"wc": np.array([1.0, 2.0])})[1]
    {'wc': array([2.5, 4.5])}
    """

    text: str
    names: tuple[str, ...]
    """The inputs it mentions, in the order they appear."""
    _steps: tuple[_Step, ...] = field(repr=False)

    def __str__(self) -> str:
        return self.text

    def values(self, columns: Columns) -> Array:
        """(n,) its values at n points; NaN or infinite where it has none, as in log(-1) or 1 / 0."""
        return _whole(self._evaluated(columns, slopes=False).values, _rows(columns))

    def slopes(self, columns: Columns) -> tuple[Array, dict[str, Array]]:
        """(n,) its values, and for each number among its inputs (n,) the derivative with respect to it.

        At a kink, as of abs(x) at 0, it is the derivative of either side. Where the chain rule meets 0 · ∞ or ∞ - ∞,
        as in sqrt(x) * sqrt(x) at 0, it is the derivative very close by. If that is 0 · ∞ too, as where exp(-exp(x)) is
        too small for a float, the 0 wins.
        """
        rows = _rows(columns)
        found = self._evaluated(columns, slopes=True)
        values = _whole(found.values, rows)
        numbers = dict.fromkeys(step.name for step in self._steps if isinstance(step, Mention))
        slopes = {name: _whole(found.slopes.get(name, 0.0), rows) for name in numbers}
        for name, slope in slopes.items():
            lost = np.flatnonzero(np.isnan(slope) & np.isfinite(values))
            if lost.size:
                slope[lost] = self._slope_beside({other: column[lost] for other, column in columns.items()}, name)
        return values, slopes

    def _slope_beside(self, columns: Columns, name: str) -> Array:
        """(n,) derivatives with respect to one input very close to the points, on the side where there is one."""
        here = np.asarray(columns[name], dtype=np.float64)
        slope = np.full(len(here), np.nan)
        for step, zero_wins in _ASIDE:
            with np.errstate(all="ignore"):
                aside = here + math.copysign(1.0, step) * np.maximum(np.abs(here) * _RELATIVE_STEP, abs(step))
            beside = self._evaluated({**columns, name: aside}, slopes=True, zero_wins=zero_wins)
            slope = np.where(np.isnan(slope), beside.slopes[name], slope)
        return np.where(np.isnan(slope), 0.0, slope)

    def _evaluated(self, columns: Columns, *, slopes: bool, zero_wins: bool = False) -> _Result:
        """What the last step leaves; in slopes 0 · ∞ is 0 if `zero_wins`, otherwise NaN."""
        stack: list[_Result] = []
        with np.errstate(all="ignore"):
            for step in self._steps:
                if isinstance(step, Number):
                    stack.append(_Result(np.float64(step.value), {}))
                elif isinstance(step, Mention):
                    column = np.asarray(columns[step.name], dtype=np.float64)
                    stack.append(_Result(column, {step.name: np.float64(1.0)} if slopes else {}))
                elif isinstance(step, _Matches):
                    stack.append(_Result(np.isin(columns[step.name], step.positions, invert=not step.equal), {}))
                else:
                    operands = stack[-step.count :]
                    stack[-step.count :] = [_applied(step.sign, operands, zero_wins)]
        return stack[-1]


def parse(text: str, inputs: Mapping[str, Input]) -> Expression:
    """The formula that a text states, or an error that shows what is wrong where.

    >>> from camobo.space.inputs import Categorical, Real
    >>> inputs = {"soak": Real(20, 900), "quench": Categorical(["air", "oil"])}
    >>> parse("0.02 * soak + if(quench == 'oil', 2, 0)", inputs).names
    ('soak', 'quench')
    """
    steps: list[Step | _Matches] = []
    operands: list[_Operand] = []
    names: dict[str, None] = {}
    for step in read(text):
        steps.append(step)
        if isinstance(step, Operation):
            given = operands[-step.count :]
            if step.sign in COMPARISONS and any(operand.kind == "category" for operand in given):
                steps[-3:] = [_matches(step, given, text)]
            else:
                _check_operands(step, given, text)
            operands[-step.count :] = [_Operand("condition" if step.sign in _TRUTHS else "number", step)]
        else:
            operands.append(_operand(step, inputs, text))
        if isinstance(step, Mention):
            names[step.name] = None
    _check("number", operands[-1], text)
    return Expression(text, tuple(names), tuple(step for step in steps if not isinstance(step, Choice)))


def _operand(step: Number | Choice | Mention, inputs: Mapping[str, Input], text: str) -> _Operand:
    """What a number, a quoted text or a name stands for."""
    if not isinstance(step, Mention):
        return _Operand("number" if isinstance(step, Number) else "choice", step)
    if step.name not in inputs:
        hint = f"{meant(step.name, inputs)} The inputs are {_listed([spelled(name) for name in inputs])}."
        raise mistake(f"unknown input {shown(step.name)}.{hint}", text, step.place)
    found = inputs[step.name]
    if isinstance(found, Categorical):
        return _Operand("category", step, step.name, found.choices)
    return _Operand("number", step)


def _check_operands(operation: Operation, operands: Sequence[_Operand], text: str) -> None:
    """Refuse operands that the operation cannot use."""
    conditions = {"and": 2, "or": 2, "not": 1, "if": 1}.get(operation.sign, 0)
    for i, operand in enumerate(operands):
        _check("condition" if i < conditions else "number", operand, text)


def _check(wanted: Literal["number", "condition"], operand: _Operand, text: str) -> None:
    """Refuse anything but a number, or anything but a condition."""
    if operand.kind == wanted:
        return
    compared = f"{spelled(operand.name)} == {quoted(operand.choices[0])}" if operand.choices else 'quench == "oil"'
    if operand.kind == "choice":
        hint = f"Choices are compared with a category, as in {compared}. Names of inputs have `backquotes` or none."
    elif wanted == "condition":
        hint = f"Compare it, as in {compared if operand.choices else 'soak > 20'}."
    else:
        hint = f"Write if({compared if operand.choices else 'condition'}, 1, 0)."
    raise mistake(f"need a {wanted}, got {_described(operand)}. {hint}", text, operand.step.place)


def _described(operand: _Operand) -> str:
    """What messages call an operand."""
    if isinstance(operand.step, Choice):
        return shown(operand.step.value)
    if operand.kind == "category":
        return f"the category {shown(operand.name)} with the choices {_listed(list(map(quoted, operand.choices)))}"
    return f"a {operand.kind}"


def _matches(comparison: Operation, operands: Sequence[_Operand], text: str) -> _Matches:
    """The comparison of a category with one of its choices, whichever stands first."""
    category, other = operands if operands[0].kind == "category" else operands[::-1]
    if comparison.sign not in ("==", "!="):
        hint = f"Compare the category {shown(category.name)} with == or !=."
        raise mistake(f"{comparison.sign!r} compares numbers. {hint}", text, comparison.place)
    listed = _listed(list(map(quoted, category.choices)))
    if not isinstance(other.step, (Choice, Number)):
        needed = f"one of the choices {listed} of {shown(category.name)}"
        raise mistake(f"need {needed}, got {_described(other)}.", text, other.step.place)
    wanted = other.step.value
    positions = _positions(wanted, category.choices)
    if not positions:
        hint = meant(str(wanted), [choice for choice in category.choices if isinstance(choice, str)])
        got = f"{shown(category.name)} has no choice {shown(wanted) if isinstance(wanted, str) else quoted(wanted)}"
        raise mistake(f"{got}.{hint} Its choices are {listed}.", text, other.step.place)
    return _Matches(category.name, positions, comparison.sign == "==")


def _positions(wanted: Param, choices: Sequence[Param]) -> tuple[int, ...]:
    """The indices of the choices that are meant: "2" is the text, or else the number; 2 is both 2 and 2.0."""
    if isinstance(wanted, float):
        same = [type(choice) in (int, float) and choice == wanted for choice in choices]
    elif isinstance(wanted, str) and wanted not in choices:
        same = [str(choice) == wanted for choice in choices]
    else:
        same = [type(choice) is type(wanted) and choice == wanted for choice in choices]
    return tuple(i for i, is_same in enumerate(same) if is_same)


def _listed(words: Sequence[str]) -> str:
    return ", ".join(words) if len(words) <= _LISTED else f"{', '.join(words[:_LISTED])}, …"


def _applied(sign: str, operands: Sequence[_Result], zero_wins: bool) -> _Result:
    """An operator or a function of what its operands left."""
    values = [operand.values for operand in operands]
    if sign in _TRUTHS:
        return _Result(_TRUTHS[sign](*values), {})
    if sign == "if":
        condition, yes, no = operands
        return _chosen(condition.values, yes, no)
    if sign in ("min", "max"):
        best, *others = operands
        function, wins = (np.minimum, np.less_equal) if sign == "min" else (np.maximum, np.greater_equal)
        for other in others:
            kept = wins(best.values, other.values)
            best = _chosen(kept, best, other)._replace(values=function(best.values, other.values))
        return best
    rule, partials = _SLOPES[sign]
    result = rule(*values)
    slopes: dict[str, Any] = {}
    for operand, partial in zip(operands, partials, strict=True):
        factor = partial(*values, result) if operand.slopes else 0.0
        for name, slope in operand.slopes.items():
            product = factor * slope
            if zero_wins:
                product = np.where(np.equal(factor, 0.0) | np.equal(slope, 0.0), 0.0, product)
            slopes[name] = slopes[name] + product if name in slopes else product
    return _Result(result, slopes)


def _exponential_slope(base: Any, power: Any) -> Any:
    """The derivative of u ^ v with respect to v: 0 where u ^ v is 0, or where u < 0 allows whole powers only."""
    return np.where((power == 0.0) | (base < 0.0), 0.0, power * np.log(base))


def _chosen(condition: Any, yes: _Result, no: _Result) -> _Result:
    """Values and slopes of `yes` where the condition holds, elsewhere those of `no`."""
    slopes = {
        name: np.where(condition, yes.slopes.get(name, 0.0), no.slopes.get(name, 0.0))
        for name in {**yes.slopes, **no.slopes}
    }
    return _Result(np.where(condition, yes.values, no.values), slopes)


def _rows(columns: Columns) -> int:
    """The number of points."""
    return len(next(iter(columns.values()), ()))


def _whole(values: Any, rows: int) -> Array:
    """(rows,) a copy of the values, which may be one for all points."""
    return np.array(np.broadcast_to(values, (rows,)), dtype=np.float64)
