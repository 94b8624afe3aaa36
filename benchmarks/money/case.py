"""A case of the judge: a problem, what its user says about cost, and the prices that are hidden from them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import moocore
import numpy as np
from numpy.typing import NDArray

import camobo as cm

Floats: TypeAlias = NDArray[np.float64]
Half: TypeAlias = Literal["choosing", "reporting"]
Price: TypeAlias = Callable[[Floats], Floats]
"""(n, d) points of the unit cube to (n,) money, above 0."""

PER_TRIAL = 0.1
LEAST = 1e-3
"""What a trial costs at least, so that money is never zero and ratios exist."""


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """A problem with money; all objectives are minimised.

    Attributes:
        name: unique among all cases.
        family: the cases that are reported together.
        half: whether constants may be chosen on it, or figures are reported on it.
        space: the inputs, as the study knows them.
        objectives: {"f1": "min", …}.
        order: what the user says about cost.
        evaluate: (n, d) points of the unit cube, as `space.to_unit` gives them, to (n, M) values.
        prices: hidden price functions by name. A method that knows only an order is run once for all of them.
        reference: (M,) hypervolume reference point.
        best: hypervolume of the best front, or of the best known one.
        budgets: planned trials; each makes runs of its own.
        until_spent: whether methods go on until they have spent what the blind study spends.
        candidates: makes (n, d) points for the clairvoyant to choose from under a price; None: they are searched.
    """

    name: str
    family: str
    half: Half
    space: cm.Space
    objectives: Mapping[str, Literal["min", "max"]]
    order: str
    evaluate: Callable[[Floats], Floats]
    prices: Mapping[str, Price]
    reference: tuple[float, ...]
    best: float
    budgets: tuple[int, ...] = (100,)
    until_spent: bool = False
    candidates: Callable[[Price], Floats] | None = None

    def unit(self, params: Mapping[str, Any]) -> Floats:
        """(1, d) the point of the unit cube that params stand for."""
        return np.asarray(self.space.to_unit(params), dtype=np.float64)[None]

    def values(self, params: Mapping[str, Any]) -> dict[str, float]:
        """What measuring params gives."""
        return dict(zip(self.objectives, self.evaluate(self.unit(params))[0].tolist(), strict=True))

    def money(self, price: str, params: Mapping[str, Any]) -> float:
        """What measuring params costs under a price function."""
        return float(self.prices[price](self.unit(params))[0])

    def hypervolume(self, values: Floats) -> float:
        """Hypervolume of (n, M) values as a share of the best."""
        return volume(values, self.reference) / self.best


def volume(values: Floats, reference: tuple[float, ...]) -> float:
    """Hypervolume of (n, M) values to minimise; 0 without values."""
    return float(moocore.hypervolume(values, ref=reference)) if len(values) else 0.0


@dataclass(frozen=True, slots=True)
class PerLevel:
    """Money that is linear in the unit cube: shares of a whole, times levels, plus a part per trial.

    >>> per_level(np.array([3.0, 1.0]), 0.1)(np.array([[1.0, 0.0], [0.0, 0.0]])).tolist()
    [0.85, 0.1]
    """

    shares: tuple[float, ...]
    per_trial: float

    def __call__(self, units: Floats) -> Floats:
        return np.asarray(np.maximum(units @ np.array(self.shares) + self.per_trial, LEAST))

    def formula(self, space: cm.Space) -> str:
        """The same, as a user who knows it would write it; the inputs are real.

        >>> per_level(np.array([3.0, 1.0]), 0.1).formula(cm.Space({"x": cm.Real(0, 1), "y": cm.Real(-5, 10)}))
        'max(0.001, 0.1 + 0.75 * (x - 0.0) / 1.0 + 0.25 * (y - -5.0) / 15.0)'
        """
        inputs = {name: (float(given.low), float(given.high)) for name, given in space.inputs.items()
                  if isinstance(given, cm.Real)}  # fmt: skip
        terms = [f"{share:.17g} * ({name} - {low}) / {high - low}"
                 for share, (name, (low, high)) in zip(self.shares, inputs.items(), strict=True)]  # fmt: skip
        return f"max({LEAST}, {' + '.join([str(self.per_trial), *terms])})"


def per_level(weights: Floats, per_trial: float) -> PerLevel:
    """Money of (d,) weights, scaled to sum to one."""
    return PerLevel(tuple((weights / weights.sum()).tolist()), per_trial)


def halving(inputs: int) -> Floats:
    """(d,) weights 2^(d-j): each input costs half as much as the one before."""
    return np.asarray(2.0 ** np.arange(inputs - 1, -1, -1), dtype=np.float64)


def eight_prices(inputs: int) -> dict[str, Price]:
    """Four price vectors, each with a tenth per trial and with nothing per trial."""
    falling = halving(inputs)
    vectors = {"halving": falling, "flat": np.ones(inputs), "fifths": falling ** np.log2(5.0)}
    vectors["reversed"] = falling[::-1]  # the user's order is wrong
    named: dict[str, Price] = {f"{name} + tenth": per_level(weights, PER_TRIAL) for name, weights in vectors.items()}
    return named | {name: per_level(weights, 0.0) for name, weights in vectors.items()}


def one_price(inputs: int) -> dict[str, Price]:
    """Prices that halve from input to input, and a tenth per trial."""
    return {"halving + tenth": per_level(halving(inputs), PER_TRIAL)}


def descending(names: tuple[str, ...]) -> str:
    """The order "x1 > x2 > …"."""
    return " > ".join(names)
