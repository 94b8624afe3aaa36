"""The paper's opening example: steel from iron, nickel and chromium, nickel the dearer.

The response is made up to be read, not to be cast. It keeps what a textbook says of the two elements, in round numbers:

- both harden iron by solid solution, nickel faster and chromium further, with diminishing returns;
- past some 7 % nickel or 11 % chromium strength is lost again, to retained austenite and to coarse brittle phases;
- chromium makes the passive film that keeps rust away, hardly below 8 % and nearly wholly above 14 %; nickel helps it.

So the strongest alloy needs some of both, and a more rust-proof one more chromium than is good for its strength.
"""

from __future__ import annotations

import numpy as np

from camobo.inputs import Array, Real
from camobo.space import Space

SPACE = Space({"nickel": Real(0, 20, unit="%"), "chromium": Real(0, 20, unit="%")})
WEAKEST, STRONGEST = 246.0, 527.190475
"""Yield strengths in MPa: just below the least in the space, and the greatest, at 9.2 % nickel and 12.5 % chromium."""
REFERENCE, BEST_HYPERVOLUME = (268.0, 0.64), 79.5436
"""A tenth of the front's range below its worst corner, and the hypervolume of the true front against it."""


def strength(nickel: Array, chromium: Array) -> Array:
    """Yield strength in MPa at contents in per cent."""
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
