"""Problems drawn from Gaussian processes: the same for the same number, and no two alike.

Two objectives, each a draw by random Fourier features (Rahimi and Recht, 2007), over 2 to 6 inputs. Every 30 problems
go through every number of inputs, smooth and rough; half of them have a first input that is the most
expensive and changes nothing; a third have plateaus: three quarters of the cube look nearly alike in an objective.

Values are scaled so that 0 is the best and 1 the 90 % quantile of 4096 quasi-random points; the reference is 1.1 each.
A draw is refused, and another made, if ten random points, or the best single one, reach most of the hypervolume that
the 4096 reach.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import camobo as cm
from camobo.space.sampling import quasi_random
from money.case import Case, Floats, Half, descending, one_price, volume
from money.known import best_hypervolume

COUNT = 120
REPORTED = 60
"""From this number on, the odd ones are for reporting. All others are for choosing."""
BUDGETS = (30, 60)
REFERENCE = (1.1, 1.1)
FEATURES = 300
SAMPLE = 4096
EASY = 0.75
"""A draw is too easy if ten random points reach this share of what 4096 points reach, in the median of 20 tries."""
NO_TRADE_OFF = 0.85
"""A draw has no trade-off if a single one of the 4096 points reaches this share."""


@dataclass(frozen=True, slots=True)
class Kind:
    """What a number stands for."""

    inputs: int
    smooth: bool
    irrelevant: bool
    """Whether the first input, the most expensive, changes nothing."""
    plateau: bool


@dataclass(frozen=True, slots=True)
class Draw:
    """One function: a sum of `FEATURES` cosines, clipped smoothly at a level, then scaled."""

    frequencies: Floats
    phases: Floats
    weights: Floats
    level: float = np.inf
    low: float = 0.0
    high: float = 1.0

    def __call__(self, units: Floats) -> Floats:
        """(n,) values at (n, d) points."""
        values = np.sqrt(2.0 / FEATURES) * np.cos(units @ self.frequencies + self.phases) @ self.weights
        return (_clipped(values, self.level) - self.low) / (self.high - self.low)


def _clipped(values: Floats, level: float) -> Floats:
    """Values that approach `level` from below where they would exceed it: a plateau, not quite flat."""
    if np.isinf(level):
        return values
    softness = 0.1
    return np.asarray(level - softness * np.logaddexp(0.0, (level - values) / softness))


def kind(number: int) -> Kind:
    """Even and odd numbers have the same kinds, and so have the numbers from 60 on as those before."""
    place = number // 2 % 30
    block, inputs = place // 5, 2 + place % 5
    return Kind(inputs, block % 2 == 0, (block + inputs + block // 2) % 2 == 1, block >= 4)


def draw(rng: np.random.Generator, given: Kind) -> Draw:
    """A function of unit variance, before it is clipped and scaled."""
    d = given.inputs
    if given.smooth:  # squared exponential: normal frequencies
        frequencies = rng.standard_normal((d, FEATURES)) / (0.5 * np.sqrt(d))
    else:  # Matérn 5/2: Student's t with 5 degrees of freedom
        frequencies = rng.standard_normal((d, FEATURES)) / np.sqrt(rng.chisquare(5, FEATURES) / 5) / (0.2 * np.sqrt(d))
    if given.irrelevant:
        frequencies[0] = 0.0
    return Draw(frequencies, rng.uniform(0.0, 2 * np.pi, FEATURES), rng.standard_normal(FEATURES))


def finished(raw: Draw, plateau: bool, units: Floats) -> Draw:
    """The function with its plateau, scaled by its values at (n, d) points."""
    level = float(np.quantile(raw(units), 0.25)) if plateau else np.inf
    values = _clipped(raw(units), level)
    return Draw(raw.frequencies, raw.phases, raw.weights, level, float(values.min()), float(np.quantile(values, 0.9)))


@dataclass(frozen=True, slots=True)
class Pair:
    """Two objectives."""

    first: Draw
    second: Draw

    def __call__(self, units: Floats) -> Floats:
        """(n, 2) values at (n, d) points."""
        return np.column_stack([self.first(units), self.second(units)])


def pair(number: int) -> Pair:
    """The objectives of a number: the first draw that is not refused."""
    given = kind(number)
    for attempt in range(100):
        rng = np.random.default_rng([20, number, attempt])
        units = quasi_random(SAMPLE, given.inputs, rng)
        found = Pair(*(finished(draw(rng, given), given.plateau, units) for _ in range(2)))
        if ten_points_reach(found, units, rng) < EASY and one_point_reaches(found, units) < NO_TRADE_OFF:
            return found
    raise RuntimeError(f"drawn: number {number} is refused in a hundred draws.")


def ten_points_reach(found: Pair, units: Floats, rng: np.random.Generator) -> float:
    """The share of the hypervolume of (n, d) points that ten of them reach, in the median of 20 tries."""
    values = found(units)
    tries = [volume(values[rng.choice(len(values), 10, replace=False)], REFERENCE) for _ in range(20)]
    return float(np.median(tries)) / volume(values, REFERENCE)


def one_point_reaches(found: Pair, units: Floats) -> float:
    """The share of the hypervolume of (n, d) points that the best single one reaches."""
    values = found(units)
    alone = np.prod(np.maximum(np.array(REFERENCE) - values, 0.0), axis=1)
    return float(alone.max()) / volume(values, REFERENCE)


def half(number: int) -> Half:
    """What constants are chosen on is not reported on."""
    return "reporting" if number % 2 and number >= REPORTED else "choosing"


def name_of(number: int) -> str:
    """Such as "drawn-07"."""
    return f"drawn-{number:02d}"


def drawn(name: str) -> Case:
    """The case of that name."""
    number = int(name.removeprefix("drawn-"))
    objectives, inputs = pair(number), kind(number).inputs
    space = cm.Space({f"x{j + 1}": cm.Real(0, 1) for j in range(inputs)})
    return Case(
        name,
        "drawn",
        half(number),
        space,
        {"f1": "min", "f2": "min"},
        descending(space.names),
        objectives,
        one_price(inputs),
        REFERENCE,
        best_hypervolume(name, objectives, inputs, REFERENCE),
        BUDGETS,
    )
