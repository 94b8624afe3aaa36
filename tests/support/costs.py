"""Hypothesis strategies for costs: spaces with all kinds of inputs, with free values too, and costs that fit them."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Any

from hypothesis import assume
from hypothesis import strategies as st

from camobo.cost.expression_text import spelled
from camobo.cost.formula import Formula
from camobo.cost.order import Order
from camobo.cost.ordered import OrderCost
from camobo.cost.paper import PaperCost
from camobo.cost.prices import Prices
from camobo.cost.protocol import Cost
from camobo.cost.receipts import LearnedCost
from camobo.space.inputs import Categorical, Input, Integer, Real
from camobo.space.space import Space
from tests.support.strategies import inputs, integers, names, reals, stepped

KINDS = ("order", "prices", "formula", "function", "learned", "paper")
ORDERED = ("order", "learned", "paper")
"""Those that an order decides, before any receipt."""


@st.composite
def with_free(draw: st.DrawFn) -> Real | Integer:
    """Numbers that cost nothing at some value of their range, often at an end."""
    given = draw(st.one_of(reals(), stepped(), integers()))
    if isinstance(given, Integer):
        return replace(given, expensive="high", free=draw(st.integers(given.low, given.high)))
    unit = draw(st.floats(0.0, 1.0) | st.sampled_from([0.0, 1.0, 0.5]))
    return replace(given, expensive="high", free=given.from_unit(unit))


def any_inputs() -> st.SearchStrategy[Input]:
    return inputs() | with_free()


@st.composite
def costed_spaces(draw: st.DrawFn, *, least: int = 1, of: st.SearchStrategy[Any] | None = None) -> Space:
    """Spaces of up to four inputs of all kinds, or of one kind."""
    given = any_inputs() if of is None else of
    return Space({name: draw(given) for name in draw(names(least=least, most=4))})


@st.composite
def orders(draw: st.DrawFn, among: Collection[str]) -> Order:
    """Orders of some of the names: chains with ties, in parts that are not compared."""
    named = draw(st.lists(st.sampled_from(sorted(among)), min_size=1, unique=True))
    signs = draw(st.lists(st.sampled_from([" > ", " = ", ", "]), min_size=len(named) - 1, max_size=len(named) - 1))
    return Order.parse(named[0] + "".join(sign + name for sign, name in zip(signs, named[1:], strict=True)))


@st.composite
def prices(draw: st.DrawFn, space: Space) -> Prices:
    """Price lists of some of the inputs, and an order of some of the others."""
    found: dict[str, Any] = {}
    money = st.floats(1e-3, 1e6)
    for name, given in space.inputs.items():
        if isinstance(given, Categorical):
            texts = [str(choice).lower() for choice in given.choices]
            if len(set(texts)) == len(texts) and draw(st.booleans()):
                found[name] = {choice: draw(money) for choice in given.choices if draw(st.booleans())}
        elif given.expensive == "high" and (given.low >= 0 or given.free is not None) and draw(st.booleans()):
            found[name] = draw(money) / max(float(given.high) - float(given.low), abs(float(given.low)))
    left = [name for name in space.names if name not in found]
    rest = draw(st.none() | orders(left)) if left else None
    return Prices(found, per_trial=draw(st.floats(1e-3, 1e3)), rest=rest)


@st.composite
def formulas(draw: st.DrawFn, space: Space) -> Formula:
    """Formulas that are above 0 everywhere."""
    terms = ["1"]
    for name, given in space.inputs.items():
        if isinstance(given, Categorical):
            continue
        size = max(abs(float(given.low)), abs(float(given.high)))
        assume(size > 1e-290)
        if draw(st.booleans()):
            form = draw(st.sampled_from(["abs({0} / {1})", "({0} / {1}) ^ 2", "exp({0} / {1})", "3 + {0} / {1}"]))
            terms.append(form.format(spelled(name), repr(size)))
    return Formula(" + ".join(terms))


def a_function(space: Space) -> Formula:
    """A Python function that is above 0 everywhere."""
    number = next((name for name, given in space.inputs.items() if not isinstance(given, Categorical)), None)
    size = 1.0 if number is None else max(abs(space.inputs[number].low), abs(space.inputs[number].high))  # type: ignore[union-attr]
    return Formula(lambda params: 1.0 if number is None else 2.0 + params[number] / size)


def costs(kind: str, space: Space) -> st.SearchStrategy[Cost]:
    """Costs of one kind that fit the space."""
    if kind == "prices":
        return prices(space)
    if kind == "formula":
        return formulas(space)
    if kind == "function":
        return st.just(a_function(space))
    if kind == "learned":
        return st.none().map(LearnedCost) | orders(space.names).map(LearnedCost)
    return orders(space.names).map({"order": OrderCost, "paper": PaperCost}[kind])
