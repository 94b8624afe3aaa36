"""Spaces with constraints for tests: random ones that hold at least one point, and a mixture."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st

from camobo.arrays import Array
from camobo.space.constraints import Linear, exact
from camobo.space.inputs import Categorical, Input, Integer, Param, Real
from camobo.space.space import Space

few = settings(deadline=None, max_examples=15)
"""For laws of regions, of which each example takes tens of milliseconds."""

TEN = tuple(f"x{j}" for j in range(10))
MIXTURE = Space(
    {name: Real(0, 100, step=0.1, unit="%") for name in TEN},
    constraints=[" + ".join(TEN) + " == 100", "x0 + x1 <= 40", "2*x2 >= x3", "x4 + x5 + x6 >= 20"],
)
"""Ten components in steps of 0.1 % with a sum and three limits."""


def limited(*constraints: str, **inputs: Input) -> Space:
    return Space(inputs, constraints=constraints)


@st.composite
def constrained_spaces(draw: st.DrawFn, *, finite: bool = False) -> Space:
    """Spaces of two to five inputs with one to three constraints, which a drawn point meets."""
    kinds: list[st.SearchStrategy[Input]] = [
        st.builds(lambda low, n: Integer(low, low + n), st.integers(-3, 3), st.integers(1, 6)),
        st.builds(lambda n, step: Real(0, n * step, step=step), st.integers(1, 8), st.sampled_from([0.5, 1.0, 2.0])),
        st.just(Integer(1, 20, log=True)),
        st.just(Categorical(["a", "b", "c"])),
    ]
    kinds += [] if finite else [st.just(Real(-1, 4)), st.just(Real(0.1, 100, log=True))]
    inputs: dict[str, Input] = {"n": draw(kinds[0]), "m": draw(kinds[1])}
    inputs |= {f"x{j}": draw(st.one_of(kinds)) for j in range(draw(st.integers(0, 3)))}
    space = Space(inputs)
    point = space.from_unit(space.snap(np.array([[draw(st.floats(0, 1)) for _ in inputs]]))[0])
    texts = [draw(_constraint(space, point)) for _ in range(draw(st.integers(1, 3)))]
    return Space(inputs, constraints=texts)


@st.composite
def _constraint(draw: st.DrawFn, space: Space, point: dict[str, Param]) -> str:
    """A constraint that the point meets."""
    numbers = [name for name, given in space.inputs.items() if not isinstance(given, Categorical)]
    names = draw(st.lists(st.sampled_from(numbers), min_size=1, unique=True))
    kind = draw(st.sampled_from(["<=", ">=", "==", "count"]))
    if kind == "count":
        above = sum(point[name] > space.inputs[name].low for name in names)  # type: ignore[union-attr]
        sign = draw(st.sampled_from(["<=", ">=", "=="]))
        return f"count({', '.join(names)}) {sign} {above}"
    if kind == "==":
        names = [name for name in names if not space.inputs[name].log] or ["n"]  # type: ignore[union-attr]
    factors = {name: Fraction(draw(st.sampled_from([1.0, 1.0, 2.0, -1.0, 0.5]))) for name in names}
    total = sum((factor * exact(point[name]) for name, factor in factors.items()), Fraction(0))
    return f"{' + '.join(f'{factor}*{name}' for name, factor in factors.items())} {kind} {total}".replace("+ -", "- ")


def exactly_inside(space: Space, units: Array) -> bool:
    """Whether points meet all constraints; sums of inputs with steps in exact decimals."""
    for unit in units:
        params = space.from_unit(unit)
        for rule in space.rules:
            if not rule.holds(params, space.inputs):
                return False
            if isinstance(rule, Linear) and not any(space.inputs[name].continuous for name in rule.terms):
                total = sum((factor * exact(params[name]) for name, factor in rule.terms.items()), Fraction(0))
                if total > rule.bound or (rule.equal and total != rule.bound):
                    return False
    return True
