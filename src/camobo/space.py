"""The space that inputs span.

A point has three faces.

    params    {"nickel": 3.5, "soak": 4, "quench": "oil"}    what a person reads
    unit      (d,) in [0, 1], one coordinate an input        what is searched
    features  (f,) one column a number, one a category       what a model sees

`Space` turns each into the next. Whole numbers, steps and categories are snapped to the points that can be evaluated
*before* features or expense are computed, so a model never believes in half an hour of soaking that will be rounded
away.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from camobo.errors import InvalidOptionError, InvalidSpaceError, InvalidValueError, shown
from camobo.hints import meant
from camobo.inputs import Array, Categorical, Input, Integer, Param, Params, Real

SAME = 1e-9
"""As near as this in every coordinate, two points are one."""


@dataclass(frozen=True)
class Space:
    """Named inputs, and the maps between their values, the unit cube and a model's features.

    >>> space = Space({"nickel": Real(0, 20), "soak": Integer(1, 12), "quench": Categorical(["air", "oil"])})
    >>> space.to_unit({"nickel": 5.0, "soak": 12, "quench": "oil"})
    array([0.25, 1.  , 0.75])
    >>> space.from_unit([0.25, 1.0, 0.75])
    {'nickel': 5.0, 'soak': 12, 'quench': 'oil'}
    """

    inputs: Mapping[str, Input]
    constraints: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not isinstance(self.inputs, Mapping):
            raise InvalidSpaceError(f"Space: need a mapping of names to inputs, got {self.inputs!r}.")
        if not self.inputs:
            raise InvalidSpaceError(
                'Space: need at least one input, got none. Example: Space({"nickel": Real(0, 20)}).'
            )
        for name, given in self.inputs.items():
            if not isinstance(name, str) or not name.strip():
                raise InvalidSpaceError(f"Space: an input's name must be text that is not blank, got {shown(name)}.")
            if not isinstance(given, (Real, Integer, Categorical)):
                raise InvalidSpaceError(
                    f"Space: input {name!r} must be a Real, an Integer or a Categorical, got {shown(given)}."
                )
        none = self.constraints is None or (isinstance(self.constraints, Sequence) and not self.constraints)
        if not none:
            raise InvalidOptionError(
                f"Space: input constraints are not built yet, got {shown(self.constraints)}. "
                "Until then, narrow the ranges or record impossible points with study.fail."
            )
        object.__setattr__(self, "inputs", dict(self.inputs))

    @property
    def names(self) -> tuple[str, ...]:
        """The inputs' names, in the order of the unit cube's coordinates."""
        return tuple(self.inputs)

    @property
    def dimension(self) -> int:
        """The number of inputs d."""
        return len(self.inputs)

    @property
    def size(self) -> float:
        """How many different points there are: infinite as soon as one input is real and has no step."""
        return math.prod(given.size for given in self.inputs.values())

    @cached_property
    def continuous(self) -> NDArray[np.bool_]:
        """(d,) which inputs are real without a step, and so have gradients."""
        return np.array([given.continuous for given in self.inputs.values()])

    def check(self, params: Params) -> dict[str, Param]:
        """The params in the space's order and types, or an error that names what is wrong."""
        if not isinstance(params, Mapping):
            raise InvalidValueError(f"params: need a mapping of input names to values, got {shown(params)}.")
        unknown = [name for name in params if name not in self.inputs]
        missing = [name for name in self.inputs if name not in params]
        if unknown or missing:
            problem = f"no input called {unknown[0]!r}" if unknown else f"no value for {missing[0]!r}"
            hint = meant(str(unknown[0]), missing) if unknown else ""
            got = ", ".join(map(str, params)) or "none"
            raise InvalidValueError(f"params: {problem}.{hint} This space has {', '.join(self.inputs)}; got {got}.")
        return {name: given.check(name, params[name]) for name, given in self.inputs.items()}

    def to_unit(self, params: Params) -> Array:
        """(d,) coordinates in the unit cube."""
        checked = self.check(params)
        return np.array([given.to_unit(checked[name]) for name, given in self.inputs.items()])

    def from_unit(self, unit: Array | Sequence[float]) -> dict[str, Param]:
        """The params at (d,) coordinates in the unit cube."""
        return {name: given.from_unit(float(u)) for (name, given), u in zip(self.inputs.items(), unit, strict=True)}

    def snap(self, units: Array) -> Array:
        """(n, d) points moved to the nearest ones that can be evaluated."""
        if self.continuous.all():
            return units
        return np.column_stack([given.snap(units[:, j]) for j, given in enumerate(self.inputs.values())])

    def grid(self) -> Array:
        """(size, d) every point of a finite space."""
        if not math.isfinite(self.size):
            raise InvalidSpaceError("Space: a space with real inputs that have no step has no finite grid.")
        axes = [given.stops() for given in self.inputs.values()]
        return np.stack([axis.ravel() for axis in np.meshgrid(*axes, indexing="ij")], axis=1)

    def features(self, units: Array) -> Array:
        """(n, f) what a model sees of (n, d) snapped points.

        A number is one column. A category is one column a choice, scaled so that two different choices are as far
        apart (distance 1) as the two ends of a number.
        """
        if not any(isinstance(given, Categorical) for given in self.inputs.values()):
            return units
        columns = []
        for j, given in enumerate(self.inputs.values()):
            if isinstance(given, Categorical):
                columns.append(np.eye(len(given.choices))[given.positions(units[:, j])] * math.sqrt(0.5))
            else:
                columns.append(units[:, j : j + 1])
        return np.concatenate(columns, axis=1)

    @cached_property
    def feature_column(self) -> NDArray[np.intp]:
        """(d,) the first feature column of each input."""
        widths = [len(given.choices) if isinstance(given, Categorical) else 1 for given in self.inputs.values()]
        return np.concatenate([[0], np.cumsum(widths)[:-1]]).astype(np.intp)

    def expense(self, units: Array) -> Array:
        """(n, d) how far each input of (n, d) snapped points is from its cheap end: 0 there, 1 at its dear end."""
        levels = np.array(units, dtype=np.float64)
        for j, given in enumerate(self.inputs.values()):
            if isinstance(given, Categorical):
                levels[:, j] = np.array(given.levels)[given.positions(units[:, j])]
            elif given.dear == "low":
                levels[:, j] = 1.0 - levels[:, j]
        return levels

    @cached_property
    def expense_slope(self) -> Array:
        """(d,) the derivative of `expense` along each coordinate: 1, -1, or 0 for a category."""
        return np.array(
            [
                0.0 if isinstance(given, Categorical) else (-1.0 if given.dear == "low" else 1.0)
                for given in self.inputs.values()
            ]
        )

    def cheapest(self) -> Array:
        """(d,) the vertex of the unit cube at which every input is at its cheap end."""
        return np.asarray(self.at_expense(np.zeros((1, self.dimension)))[0])

    def at_expense(self, levels: Array) -> Array:
        """(n, d) points of the unit cube whose expense is as near as it can be to (n, d) levels: `expense` undone."""
        units = np.array(levels, dtype=np.float64)
        for j, given in enumerate(self.inputs.values()):
            if isinstance(given, Categorical):
                # Choices sorted from cheap to dear share [0, 1] evenly, so uniform levels are uniform over the choices.
                cheap_first = np.argsort(given.levels, kind="stable")
                units[:, j] = (cheap_first[given.positions(levels[:, j])] + 0.5) / len(given.choices)
            elif given.dear == "low":
                units[:, j] = 1.0 - units[:, j]
        return self.snap(units)


def is_new(point: Array, taken: Array, distance: float = SAME) -> bool:
    """Whether (d,) a point differs from each of (n, d) others by more than that in some input."""
    return len(taken) == 0 or bool(np.abs(taken - point).max(axis=1).min() > distance)
