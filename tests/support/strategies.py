"""Hypothesis strategies that tests share: spaces with all kinds of inputs, orders with what they state."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
from hypothesis import assume, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from camobo.arrays import Array
from camobo.errors import shown
from camobo.space.inputs import Categorical, Input, Integer, Param, Real
from camobo.space.space import Space

law = settings(deadline=None, max_examples=50)
"""For every property: no deadline, because a busy core must not fail a law; few examples, to be quick."""

_LETTERS = "abcdefgXYZ019_-.αβ 日"


def names(*, most: int, least: int = 1) -> st.SearchStrategy[list[str]]:
    """Different names that the language of orders can express: no signs, no blanks at the ends."""
    name = st.text(_LETTERS, min_size=1, max_size=6).filter(lambda text: text == text.strip())
    return st.lists(name, min_size=least, max_size=most, unique=True)


@st.composite
def reals(draw: st.DrawFn) -> Real:
    log, expensive = draw(st.booleans()), draw(st.sampled_from(["high", "low"]))
    if log:
        exponents = st.floats(-300, 300) | st.floats(-6, 6)
        low, high = sorted(10.0 ** draw(exponents) for _ in range(2))
    else:
        low, high = sorted(draw(st.floats(-1e6, 1e6) | st.floats(-1e300, 1e300)) for _ in range(2))
    assume(low < high)
    return Real(low, high, log=log, expensive="high" if expensive == "high" else "low")


@st.composite
def stepped(draw: st.DrawFn) -> Real:
    """Reals with a step, in decimals as people write them."""
    digits, low, count = draw(st.integers(0, 4)), draw(st.integers(-1000, 1000)), draw(st.integers(1, 2000))
    size = draw(st.integers(1, 50))
    low_end, high, step = (round(number / 10**digits, digits) for number in (low, low + count * size, size))
    return Real(low_end, high, step=step, expensive=draw(st.sampled_from(("high", "low"))))


@st.composite
def integers(draw: st.DrawFn) -> Integer:
    log, expensive = draw(st.booleans()), draw(st.sampled_from(["high", "low"]))
    most = 2**40
    sizes = st.integers(1, 30) | st.integers(1, 10**4) | st.integers(1, most)
    low = draw(sizes) if log else draw(sizes) * draw(st.sampled_from([1, -1]))
    high = min(low + draw(sizes), most)
    assume(low < high)
    return Integer(low, high, log=log, expensive="high" if expensive == "high" else "low")


@st.composite
def categoricals(draw: st.DrawFn) -> Categorical:
    choice = st.one_of(
        st.text(max_size=3), st.integers(-2, 2), st.booleans(), st.sampled_from([0.0, 1.0, 0.5]), st.none()
    )
    choices = draw(st.lists(choice, min_size=2, max_size=6, unique_by=lambda c: (type(c), c)))
    most_expensive_first = draw(st.permutations(choices))
    return Categorical(choices, expensive=most_expensive_first[: draw(st.integers(0, len(choices)))])


def inputs() -> st.SearchStrategy[Input]:
    return st.one_of(reals(), stepped(), integers(), categoricals())


@st.composite
def spaces(draw: st.DrawFn, *, of: st.SearchStrategy[Input] | None = None) -> Space:
    """Spaces of one to five inputs."""
    given = inputs() if of is None else of
    return Space({name: draw(given) for name in draw(names(most=5))})


@st.composite
def units(draw: st.DrawFn, space: Space, *, most: int = 6) -> Array:
    """(n, d) points of the unit cube, often with coordinates at its corners."""
    shape = (draw(st.integers(1, most)), space.dimension)
    coordinate = st.floats(0.0, 1.0) | st.sampled_from([0.0, 1.0, 0.5, np.nextafter(1.0, 0.0)])
    return draw(hnp.arrays(np.float64, shape, elements=coordinate))


def values(given: Input) -> st.SearchStrategy[Param]:
    """Values of an input, often its ends."""
    if isinstance(given, Categorical):
        return st.sampled_from(given.choices)
    ends = st.sampled_from([given.low, given.high])
    if isinstance(given, Integer):
        near_high = st.integers(max(given.low, given.high - 30), given.high)
        return ends | near_high | st.integers(given.low, given.high)
    if given.step is not None:
        return ends | st.sampled_from([given.from_unit(unit) for unit in given.stops().tolist()])
    return ends | st.floats(given.low, given.high)


def params(space: Space) -> st.SearchStrategy[dict[str, Param]]:
    return st.fixed_dictionaries({name: values(given) for name, given in space.inputs.items()})


@dataclass(frozen=True)
class Stated:
    """An order's text, its names, and the comparisons (left, sign, right) that it states."""

    text: str
    names: list[str]
    relations: list[tuple[str, str, str]]


@st.composite
def stated_orders(draw: st.DrawFn, *, most: int = 6) -> Stated:
    """Orders that do not contradict themselves: ties, chains that are not compared, names shared by several chains.

    Each is drawn from a hidden ranking: a chain is some of the names, most expensive first, and the ranking decides the
    sign between neighbours.
    """
    vocabulary = draw(names(most=most))
    rank = {name: draw(st.integers(0, most)) for name in vocabulary}
    chains, relations = [], []
    for _ in range(draw(st.integers(1, 5))):
        chain = draw(st.lists(st.sampled_from(vocabulary), min_size=1, max_size=most, unique=True))
        chain.sort(key=lambda name: -rank[name])
        signs = ["=" if rank[a] == rank[b] else ">" for a, b in itertools.pairwise(chain)]
        relations += list(zip(chain, signs, chain[1:], strict=False))
        blanks = st.sampled_from(["", " ", "  "])
        pieces = [chain[0]]
        for sign, name in zip(signs, chain[1:], strict=True):
            pieces += [draw(blanks), sign, draw(blanks), name]
        chains.append((chain, "".join(pieces)))
    text = draw(st.sampled_from([",", ", ", " , "])).join(written for _, written in chains)
    named = list(dict.fromkeys(name for chain, _ in chains for name in chain))
    return Stated(text, named, relations)


def label(value: object) -> str:
    """A test id for a value, short and the same in every worker process: no memory addresses, no order of sets."""
    text = shown(value)
    return type(value).__name__ if " at 0x" in text or isinstance(value, (set, frozenset)) else text


def marked(message: str) -> str:
    """The text from the caret of an error message on: `a` if it points at the last name of `c > a`."""
    lines = message.splitlines()
    (at,) = [i for i, line in enumerate(lines) if line.strip() == "^"]
    return lines[at - 1][lines[at].index("^") :].rstrip()
