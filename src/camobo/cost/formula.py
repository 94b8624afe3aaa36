"""A cost given by a formula over the inputs, or by a Python function of the params."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from camobo.arrays import Array
from camobo.cost.expression import parse
from camobo.cost.expression_text import names_in
from camobo.cost.formula_models import FormulaModel, FunctionModel, KnownCosts, is_cost
from camobo.cost.order import Order
from camobo.cost.protocol import Cost, CostModel
from camobo.errors import InvalidOptionError, shown
from camobo.space.sampling import quasi_random
from camobo.space.space import Space

_SAMPLED = 1024  # points at which a formula is tried before a study begins
_SAMPLED_CALLS = 32  # the same for a function, which may be slow


@dataclass(frozen=True, slots=True)
class Formula:
    """What a trial costs, as a formula over the inputs or a function of the params.

    formula: such as "0.36*wc + 0.24*cobalt + 5", with + - * / ^, comparisons, min, max, abs, exp, log, log10, sqrt
        and if(condition, then, else); quench == "oil" compares a choice; `nickel %` in backquotes is a name with
        spaces. Or a function that takes params and returns a number: always the same for the same params, and
        quickly, since a suggestion asks for about a thousand. Where it raises or returns no number above 0, nothing
        is tried that it can avoid. Functions are not stored: a stored study needs it again when it is opened.

    >>> from camobo.space.inputs import Real
    >>> model = Formula("0.36*wc + 5").over(Space({"wc": Real(0, 100)}))
    >>> np.exp(model.log_cost(np.array([[0.5]]))).round(2)
    array([23.])
    """

    formula: str | Callable[[Mapping[str, Any]], float]
    _names: tuple[str, ...] = field(init=False, repr=False, compare=False)
    _known: KnownCosts = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not isinstance(self.formula, str) and not callable(self.formula):
            raise InvalidOptionError(
                f'Formula: need text such as "0.36*wc + 5", or a function of the params, got {shown(self.formula)}.'
            )
        object.__setattr__(self, "_names", names_in(self.formula) if isinstance(self.formula, str) else ())
        object.__setattr__(self, "_known", KnownCosts())

    @property
    def order(self) -> Order | None:
        """None: a formula states no order."""
        return None

    def names(self) -> tuple[str, ...]:
        """The inputs the formula mentions; none for a function, which may read any."""
        return self._names

    def over(self, space: Space) -> FormulaModel | FunctionModel:
        """Its model over a space. An error in the text shows its place; what it gives is looked at by `try_out`."""
        if isinstance(self.formula, str):
            return FormulaModel(space, parse(self.formula, space.inputs))
        return FunctionModel(space, self.formula, self._known)

    def try_out(self, space: Space) -> None:
        """Refuse it if at one of many points all over a space it does not give a finite number above 0."""
        if isinstance(self.formula, str):
            remedy = "Add what every trial costs, as in … + 5, or use max(…, 1)."
            _try_out(self.over(space), f"the formula {shown(self.formula)}", _SAMPLED, remedy)
        else:
            remedy = "It must return what a trial costs, for every point of the space."
            _try_out(self.over(space), f"the function {_name_of(self.formula)}", _SAMPLED_CALLS, remedy)

    def among(self, names: Collection[str]) -> Formula | None:
        """Itself if these inputs are all it mentions; a part of a formula says nothing."""
        return self if all(name in names for name in self._names) else None

    def document(self) -> Any:
        """As plain data; of a function only that there is one."""
        if isinstance(self.formula, str):
            return {"type": "formula", "formula": self.formula}
        return {"type": "function", "name": _name_of(self.formula)}

    def __str__(self) -> str:
        return self.formula if isinstance(self.formula, str) else f"function {self.document()['name']}"


def stored_whole(cost: Cost) -> bool:
    """Whether a document holds all of a cost, as of every cost but a Python function."""
    return not (isinstance(cost, Formula) and callable(cost.formula))


@dataclass(frozen=True, slots=True)
class AbsentFunction:
    """A Python function that a stored study was made with, and that was not given again when it was opened."""

    name: str = "function"

    @property
    def order(self) -> Order | None:
        """None: a formula states no order."""
        return None

    def names(self) -> tuple[str, ...]:
        """None that are known."""
        return ()

    def over(self, space: Space) -> CostModel:
        """A model that can tell no cost."""
        return AbsentModel(self.name)

    def among(self, names: Collection[str]) -> AbsentFunction:
        """Itself."""
        return self

    def document(self) -> Any:
        """As plain data."""
        return {"type": "function", "name": self.name}

    def __str__(self) -> str:
        return f"function {self.name} (not given)"


@dataclass(frozen=True, slots=True)
class AbsentModel:
    """Refuses to tell a cost."""

    name: str
    in_money: bool = True

    def fitted(self, units: Array, paid: Array, earlier: CostModel | None = None) -> CostModel:
        """Itself."""
        return self

    def log_cost(self, units: Array) -> Array:
        """An error that says how to go on."""
        raise InvalidOptionError(
            f"cost: this study's cost is the Python function {self.name!r}, which is not stored. "
            f"Give it again: Study.load(…, cost={self.name if self.name.isidentifier() else 'the function'})."
        )

    def log_cost_slope(self, units: Array) -> Array:
        """The same error."""
        return self.log_cost(units)


def _try_out(model: FormulaModel | FunctionModel, what: str, count: int, remedy: str) -> None:
    """Refuse what is not a finite number above 0 somewhere, and show where."""
    space = model.space
    spread = quasi_random(count, space.dimension, np.random.default_rng(0))
    points = space.region.settle(np.vstack([_corners(space.dimension, count // 4), space.cheapest(), spread]))
    wrong = np.flatnonzero(~is_cost(model.costs(points)))
    if len(wrong) == 0:
        return
    point = points[wrong[0]]
    place = ", ".join(
        f"{name}={value:.6g}" if isinstance(value, float) else f"{name}={value!r}"
        for name, value in space.from_unit(point).items()
    )
    got, error = model.outcome(point)
    raise InvalidOptionError(
        f"cost: need a finite number above 0 everywhere, got {got} from {what} at {place}. {remedy}"
    ) from error


def _corners(dimension: int, most: int) -> Array:
    """(c, d) corners of the unit cube: all of them if there are at most so many, otherwise two opposite ones."""
    if 2**dimension > most:
        return np.vstack([np.zeros(dimension), np.ones(dimension)])
    return np.array(list(itertools.product((0.0, 1.0), repeat=dimension)))


def _name_of(function: Callable[..., Any]) -> str:
    return getattr(function, "__name__", "function")
