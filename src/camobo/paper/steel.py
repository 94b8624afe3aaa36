"""The paper's opening example: steel from iron, nickel and chromium, where nickel is the more expensive.

The response is made up for illustration. It follows what textbooks say about the two elements, in round numbers:

- both harden iron by solid solution, nickel faster and chromium further, with diminishing returns;
- above about 7 % nickel or 11 % chromium, retained austenite and coarse brittle phases cost strength again;
- chromium forms the passive film against rust, barely below 8 % and almost fully above 14 %; nickel supports it.

So the strongest alloy needs some of both, and a more rust-proof one needs more chromium than is good for strength.
"""

from __future__ import annotations

import numpy as np

from camobo.arrays import Array
from camobo.space.inputs import Real
from camobo.space.space import Space

SPACE = Space({"nickel": Real(0, 20, unit="%"), "chromium": Real(0, 20, unit="%")})
WEAKEST, STRONGEST = 246.0, 527.190475
"""Yield strengths in MPa: just below the minimum of the space, and its maximum, at 9.2 % nickel and 12.5 % chromium."""
REFERENCE, BEST_HYPERVOLUME = (268.0, 0.64), 79.5436
"""A tenth of the front's range below its worst corner, and the hypervolume of the true front against it."""


def strength(nickel: Array, chromium: Array) -> Array:
    """Yield strength in MPa, for contents in per cent."""
    hardening = 150.0 * (1.0 - np.exp(-nickel / 4.0)) + 190.0 * (1.0 - np.exp(-chromium / 8.0))
    coarsening = 0.9 * np.maximum(0.0, nickel - 7.0) ** 2 + 1.6 * np.maximum(0.0, chromium - 11.0) ** 2
    return np.asarray(250.0 + hardening - coarsening)


def resistance(nickel: Array, chromium: Array) -> Array:
    """Resistance to corrosion, from 0 for iron to about 1."""
    film = 1.0 / (1.0 + np.exp(-(chromium - 11.0) / 2.5))
    return np.asarray(0.88 * film + 0.12 * (1.0 - np.exp(-nickel / 5.0)))


def single(units: Array) -> Array:
    """(n, 1) strength at (n, 2) points of the unit square."""
    nickel, chromium = (20.0 * units).T
    return strength(nickel, chromium)[:, None]


def double(units: Array) -> Array:
    """(n, 2) strength and resistance at (n, 2) points of the unit square."""
    nickel, chromium = (20.0 * units).T
    return np.column_stack([strength(nickel, chromium), resistance(nickel, chromium)])
