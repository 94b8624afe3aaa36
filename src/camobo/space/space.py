"""The space that inputs span.

A point has three forms.

    params    {"nickel": 3.5, "soak": 4, "quench": "oil"}            what a person reads
    unit      (d,) in [0, 1], one coordinate per input               what is searched
    features  (f,) one column per number, one per choice of a category   what a model sees

`Space` converts each into the next. It snaps whole numbers, steps and categories to points that can be evaluated
*before* it computes features or expense, so a model never sees a fraction that would be rounded away.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from camobo.arrays import Array
from camobo.errors import InvalidSpaceError, InvalidValueError, shown
from camobo.hints import meant
from camobo.space.constrained import Constrained
from camobo.space.constraints import Constraint, read_constraints
from camobo.space.feasible import refuse_empty
from camobo.space.inputs import Categorical, Input, Integer, Param, Params, Real
from camobo.space.listing import listed
from camobo.space.region import Box, Region
from camobo.space.rows import Rows

SAME = 1e-9
"""Two points this close in every unit coordinate are the same point."""


@dataclass(frozen=True)
class Space:
    """Named inputs, and the maps between their values, the unit cube and the features a model sees.

    >>> space = Space({"nickel": Real(0, 20), "soak": Integer(1, 12), "quench": Categorical(["air", "oil"])})
    >>> space.to_unit({"nickel": 5.0, "soak": 12, "quench": "oil"})
    array([0.25, 1.  , 0.75])
    >>> space.from_unit([0.25, 1.0, 0.75])
    {'nickel': 5.0, 'soak': 12, 'quench': 'oil'}
    """

    inputs: Mapping[str, Input]
    constraints: Sequence[str] = ()
    """Sums and counts of inputs that every suggestion meets: "nickel + chromium <= 20"; a tuple once it is made."""

    def __post_init__(self) -> None:
        if not isinstance(self.inputs, Mapping):
            raise InvalidSpaceError(f"Space: need a mapping of names to inputs, got {shown(self.inputs)}.")
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
        object.__setattr__(self, "inputs", dict(self.inputs))
        none = self.constraints is None or (isinstance(self.constraints, Sequence) and not self.constraints)
        texts = () if none else self.constraints
        if isinstance(texts, str) or not isinstance(texts, Sequence):
            raise InvalidSpaceError(
                f'Space: constraints must be a list of texts, such as ["nickel + chromium <= 20"], got {shown(texts)}.'
            )
        object.__setattr__(self, "constraints", tuple(texts))
        refuse_empty(self.inputs, self.rules)

    @property
    def names(self) -> tuple[str, ...]:
        """The inputs' names, in the order of the unit cube's coordinates."""
        return tuple(self.inputs)

    @property
    def dimension(self) -> int:
        """The number of inputs d."""
        return len(self.inputs)

    @cached_property
    def rules(self) -> tuple[Constraint, ...]:
        """What the constraints say."""
        return read_constraints(self.constraints, self.inputs)

    @property
    def idle(self) -> tuple[str, ...]:
        """Constraints that say nothing: they hold for every point of the inputs' ranges."""
        return tuple(rule.text for rule in self.rules if rule.idle(self.inputs))

    @cached_property
    def region(self) -> Region:
        """The part of the unit cube that may be suggested: what the constraints leave of it."""
        return Constrained(self._box, Rows.of(self.inputs, self.rules)) if self.rules else self._box

    @cached_property
    def _box(self) -> Box:
        return Box(tuple(self.inputs.values()), self.snap)

    def broken(self, params: Params) -> tuple[str, ...]:
        """The constraints that checked params do not meet.

        >>> mix = Space({"a": Real(0, 1), "b": Real(0, 1)}, constraints=["a + b == 1", "a >= b"])
        >>> mix.broken({"a": 0.25, "b": 0.75}), mix.broken({"a": 0.75, "b": 0.25})
        (('a >= b',), ())
        """
        return tuple(rule.text for rule in self.rules if not rule.holds(params, self.inputs))

    def given(self, fixed: Mapping[str, float]) -> Space:
        """The space of the other inputs if some are fixed at unit coordinates, by name.

        An InvalidSpaceError if the constraints leave no point with them.
        """
        params = {name: self.inputs[name].from_unit(unit) for name, unit in fixed.items()}
        for rule in self.rules:
            if set(rule.names) <= set(params) and not rule.holds(params, self.inputs):
                raise InvalidSpaceError(f"constraints: {written_params(params)} does not meet {rule.text!r}.")
        texts = [text for rule in self.rules for text in rule.given(params, self.inputs)]
        return Space({n: i for n, i in self.inputs.items() if n not in fixed}, constraints=tuple(texts))

    @cached_property
    def size(self) -> float:
        """The number of different points: infinite if any input is real without a step.

        With constraints exact up to a million points; where there are more, what it would be without constraints.
        """
        free = math.prod(given.size for given in self.inputs.values())
        return free if not self.rules or self._listed is None else float(len(self._listed))

    @cached_property
    def _listed(self) -> Array | None:
        """(size, d) the points of a finite space with constraints; None if there are too many."""
        if not all(math.isfinite(given.size) for given in self.inputs.values()):
            return None
        return listed([given.stops() for given in self.inputs.values()], Rows.of(self.inputs, self.rules))

    @cached_property
    def continuous(self) -> NDArray[np.bool_]:
        """(d,) which inputs are real without a step: only those have gradients."""
        return np.array([given.continuous for given in self.inputs.values()])

    def has(self, units: Array) -> NDArray[np.bool_]:
        """(n, d) which inputs each of (n, d) points has: all, except in a space with conditional ones."""
        return np.ones(units.shape, dtype=np.bool_)

    def check(self, params: Params) -> dict[str, Param]:
        """The params in the space's order and types, or an error that names the wrong one."""
        if not isinstance(params, Mapping):
            raise InvalidValueError(f"params: need a mapping of input names to values, got {shown(params)}.")
        unknown = [name for name in params if name not in self.inputs]
        missing = [name for name in self.inputs if name not in params]
        if unknown or missing:
            problem = f"no input called {unknown[0]!r}" if unknown else f"no value for {missing[0]!r}"
            hint = meant(str(unknown[0]), missing) if unknown else ""
            got = ", ".join(map(str, params)) or "none"
            raise InvalidValueError(f"params: {problem}.{hint} This space has {', '.join(self.inputs)}; got {got}.")
        checked, name = {}, ""
        try:
            for name, given in self.inputs.items():
                checked[name] = given.check(params[name])
        except InvalidValueError as error:
            raise error.within(f"parameter {name!r}") from None
        return checked

    def check_fixed(self, fixed: Params) -> dict[str, Param]:
        """Values of some inputs, in the space's order and types, or an error that says why they cannot be suggested."""
        if not isinstance(fixed, Mapping):
            raise InvalidValueError(f'fixed: need a mapping such as {{"quench": "air"}}, got {shown(fixed)}.')
        self.check_names("fixed", fixed)
        checked = dict[str, Param]()
        for name in (name for name in self.inputs if name in fixed):
            given = self.inputs[name]
            try:
                value = checked[name] = given.check(fixed[name])
            except InvalidValueError as error:
                raise error.within(f"fixed: {name!r}") from None
            if isinstance(given, Real) and not given.continuous:
                near = checked[name] = given.from_unit(given.to_unit(value))
                if abs(near - value) > SAME * (given.high - given.low):
                    raise InvalidValueError(
                        f"fixed: {name!r}: {value!r} lies between two steps of {given.step!r}. The nearest is {near!r}."
                    )
        self._check_fixed_inside(checked)
        return checked

    def _check_fixed_inside(self, fixed: Params) -> None:
        """Refuse values with which no point meets the constraints."""
        if not self.rules or not fixed:
            return
        try:
            if len(fixed) < self.dimension:
                self.given(self.coordinates(fixed))
                return
            broken = self.broken(fixed)
        except InvalidSpaceError as error:
            raise InvalidValueError(f"fixed: {error.message.removeprefix('constraints: ')}") from error
        if broken:
            raise InvalidValueError(
                f"fixed: {written_params(fixed)} does not meet {broken[0]!r}. "
                "If it was tried all the same, add it as an experiment done before."
            )

    def check_names(self, what: str, names: Iterable[object]) -> None:
        """Refuse a name that no input has; `what` is the argument's name in errors."""
        for name in names:
            if name not in self.inputs:
                raise InvalidValueError(
                    f"{what}: no input called {shown(name)}.{meant(str(name), self.inputs)} "
                    f"This space has {', '.join(self.inputs)}."
                )

    def to_unit(self, params: Params) -> Array:
        """(d,) coordinates in the unit cube."""
        checked = self.check(params)
        return np.array([given.to_unit(checked[name]) for name, given in self.inputs.items()])

    def coordinates(self, params: Params) -> dict[str, float]:
        """The unit coordinates of some inputs by name."""
        return {name: self.inputs[name].to_unit(value) for name, value in params.items()}

    def from_unit(self, unit: Array | Sequence[float]) -> dict[str, Param]:
        """The params at (d,) coordinates in the unit cube."""
        return {name: given.from_unit(float(u)) for (name, given), u in zip(self.inputs.items(), unit, strict=True)}

    def snap(self, units: Array) -> Array:
        """(n, d) points moved to the nearest ones that can be evaluated, constraints aside."""
        if self.continuous.all():
            return units
        return np.column_stack([given.snap(units[:, j]) for j, given in enumerate(self.inputs.values())])

    def grid(self) -> Array:
        """(size, d) every point of a finite space."""
        if not math.isfinite(self.size):
            raise InvalidSpaceError(
                "Space: no finite grid, because an input is real without a step. Give every Real a step."
            )
        if self.rules:
            if self._listed is None:
                raise InvalidSpaceError("Space: it has too many points to list them. Use coarser steps.")
            return self._listed
        axes = [given.stops() for given in self.inputs.values()]
        return np.stack([axis.ravel() for axis in np.meshgrid(*axes, indexing="ij")], axis=1)

    def features(self, units: Array) -> Array:
        """(n, f) features of (n, d) snapped points.

        A number is one column. A category is one column per choice, scaled so that two different choices are as far
        apart (distance 1) as the two ends of a number.
        """
        if not any(isinstance(given, Categorical) for given in self.inputs.values()):
            return units
        columns = []
        for j, given in enumerate(self.inputs.values()):
            if isinstance(given, Categorical):
                chosen = np.zeros((len(units), len(given.choices)))
                chosen[np.arange(len(units)), given.positions(units[:, j])] = math.sqrt(0.5)
                columns.append(chosen)
            else:
                columns.append(units[:, j : j + 1])
        return np.concatenate(columns, axis=1)

    @cached_property
    def feature_column(self) -> NDArray[np.intp]:
        """(d,) the first feature column of each input."""
        widths = [len(given.choices) if isinstance(given, Categorical) else 1 for given in self.inputs.values()]
        return np.concatenate([[0], np.cumsum(widths)[:-1]]).astype(np.intp)

    def expense(self, units: Array) -> Array:
        """(n, d) how far each input of (n, d) snapped points is from its cheap end: 0 there, 1 at its expensive end."""
        levels = np.empty(units.shape)
        for j, given in enumerate(self.inputs.values()):
            if isinstance(given, Categorical):
                levels[:, j] = np.array(given.levels)[given.positions(units[:, j])]
            else:
                levels[:, j] = np.abs(units[:, j] - given.cheap) / max(given.cheap, 1.0 - given.cheap)
        return levels

    def expense_slope(self, units: Array) -> Array:
        """(n, d) derivative of `expense` along each coordinate; 0 for a category."""
        slopes = np.zeros(units.shape)
        for j, given in enumerate(self.inputs.values()):
            if not isinstance(given, Categorical):
                side = np.where(units[:, j] >= given.cheap, 1.0, -1.0) if given.cheap < 1.0 else -1.0
                slopes[:, j] = side / max(given.cheap, 1.0 - given.cheap)
        return slopes

    def cheapest(self) -> Array:
        """(d,) the point of the unit cube with every input at its cheap end."""
        return np.asarray(self.cheaper(np.full((1, self.dimension), 0.5), 0.0)[0])

    def cheaper(self, units: Array, share: Array | float) -> Array:
        """(n, d) points moved towards the cheapest one, which they reach at a `share` of 0; at 1 they stay.

        `share` is one number, or one per point (n, 1) or per coordinate (n, d). Choices move by their rank in cost.
        """
        moved = np.array(units, dtype=np.float64)
        shares = np.broadcast_to(share, moved.shape)
        for j, given in enumerate(self.inputs.values()):
            if isinstance(given, Categorical):
                cheap_first = np.argsort(given.levels, kind="stable")
                rank = np.argsort(cheap_first)[given.positions(moved[:, j])]
                kept = np.floor((rank + 0.5) * shares[:, j]).astype(np.intp)
                moved[:, j] = (cheap_first[kept] + 0.5) / len(given.choices)
            else:
                moved[:, j] = (1.0 - shares[:, j]) * given.cheap + shares[:, j] * moved[:, j]
        return self.snap(moved)

    def at_expense(self, levels: Array) -> Array:
        """(n, d) points of the unit cube whose expense is nearest to (n, d) levels: the inverse of `expense`.

        On the longer side of the free value of an input that has one.
        """
        units = np.array(levels, dtype=np.float64)
        for j, given in enumerate(self.inputs.values()):
            if isinstance(given, Categorical):
                # Choices, cheap to expensive, share [0, 1] evenly, so uniform levels are uniform over the choices.
                cheap_first = np.argsort(given.levels, kind="stable")
                units[:, j] = (cheap_first[given.positions(levels[:, j])] + 0.5) / len(given.choices)
            else:
                far = 1.0 if given.cheap < 0.5 else 0.0
                units[:, j] = given.cheap + levels[:, j] * (far - given.cheap)
        return self.snap(units)


def written_params(params: Params) -> str:
    """Params on one line, numbers with six digits.

    >>> written_params({"nickel": 1 / 3, "quench": "oil"})
    'nickel=0.333333, quench=oil'
    """
    return ", ".join(f"{k}={v:.6g}" if isinstance(v, float) else f"{k}={v}" for k, v in params.items())


def is_new(point: Array, taken: Array, distance: float = SAME) -> bool:
    """Whether a (d,) point differs from each of (n, d) taken points by more than `distance` in some coordinate."""
    return len(taken) == 0 or bool(np.abs(taken - point).max(axis=1).min() > distance)
