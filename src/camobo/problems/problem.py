"""`Problem`: a test problem with a known best hypervolume."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import moocore
import numpy as np
from numpy.typing import ArrayLike

from camobo.errors import InvalidValueError
from camobo.problems.functions import Floats
from camobo.space.space import Space

_FLIPPED = "-flipped"


@dataclass(frozen=True, slots=True)
class Problem:
    """Objectives over a space, all minimised, with the hypervolume of the true front.

    Call it with named parameters, as a study does, or `evaluate` many unit-cube points at once.

    Attributes:
        name: its name for `by_name`.
        space: its inputs x1, x2, …
        objectives: f1, f2, …, each "min".
        reference: hypervolume reference point (M,), in the objectives' own units.
        best_hypervolume: hypervolume of the true front relative to `reference`; no run can exceed it.
        function: unit-cube points (n, d) to values (n, M), without the flip.
        is_flipped: whether every input is reversed, u -> 1 - u.

    Example:
        >>> from camobo.problems import zdt3
        >>> problem = zdt3(inputs=3)
        >>> problem({"x1": 0.25, "x2": 0.0, "x3": 0.0})
        {'f1': 0.25, 'f2': 0.25}
        >>> problem.evaluate([[0.25, 0.0, 0.0], [1.0, 0.0, 0.0]]).round(6).tolist()
        [[0.25, 0.25], [1.0, 0.0]]
    """

    name: str
    space: Space
    objectives: Mapping[str, str]
    reference: tuple[float, ...]
    best_hypervolume: float
    function: Callable[[Floats], Floats]
    is_flipped: bool = False

    def __call__(self, params: Mapping[str, float]) -> dict[str, float]:
        """Values of one point: `{"x1": …} -> {"f1": …}`."""
        row = self.evaluate(np.asarray(self.space.to_unit(params), dtype=np.float64)[None, :])[0]
        return dict(zip(self.objectives, row.tolist(), strict=True))

    def evaluate(self, units: ArrayLike) -> Floats:
        """Values (n, M) of unit-cube points `units` (n, d)."""
        points = np.asarray(units, dtype=np.float64)
        inputs = len(self.space.names)
        if points.ndim != 2 or points.shape[1] != inputs:
            raise InvalidValueError(
                f"problem {self.name!r}: need points of shape (n, {inputs}), got {points.shape}. "
                "For a single point pass a list with one row."
            )
        if not np.all((points >= 0) & (points <= 1)):
            worst = points[~((points >= 0) & (points <= 1))][0]
            raise InvalidValueError(
                f"problem {self.name!r}: need points in the unit cube, every number in [0, 1], got {worst}. "
                "Convert named parameters with space.to_unit, or call the problem with them."
            )
        return self.function(1 - points if self.is_flipped else points)

    def hypervolume(self, values: ArrayLike) -> float:
        """Volume that `values` (n, M) dominate, bounded by `reference`; 0 without values."""
        found = np.asarray(values, dtype=np.float64)
        objectives = len(self.objectives)
        if found.size == 0:
            return 0.0
        if found.ndim != 2 or found.shape[1] != objectives:
            raise InvalidValueError(
                f"problem {self.name!r}: need values of shape (n, {objectives}), got {found.shape}. "
                "Give one row per point and one column per objective."
            )
        if not np.all(np.isfinite(found)):
            raise InvalidValueError(
                f"problem {self.name!r}: need finite values, got nan or infinity. Leave failed points out."
            )
        return float(moocore.hypervolume(found, ref=self.reference))

    def flipped(self) -> Problem:
        """The same problem with every input reversed, u -> 1 - u.

        The front and its hypervolume stay the same; cheap corners become expensive. Flipping twice changes nothing.

        Example:
            >>> from camobo.problems import zdt3
            >>> zdt3().flipped().name, zdt3().flipped().flipped() == zdt3()
            ('zdt3-flipped', True)
        """
        name = self.name.removesuffix(_FLIPPED) if self.is_flipped else self.name + _FLIPPED
        return replace(self, name=name, is_flipped=not self.is_flipped)
