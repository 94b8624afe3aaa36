"""Hyper-parameters of a Gaussian process, and their prior."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from camobo.arrays import Array


@dataclass(frozen=True, slots=True)
class Hyper:
    """Length scales (f,), signal variance, noise variance and mean, all of standardised targets."""

    lengths: Array
    signal: float = 1.0
    noise: float = 1e-6
    mean: float = 0.0

    @property
    def logarithms(self) -> Array:
        """(f + 2,) p = log (ℓ, a, s)."""
        return np.log([*self.lengths, self.signal, self.noise])


@dataclass(frozen=True, slots=True)
class Prior:
    """Log-normal priors of the hyper-parameters: independent normal priors of their logarithms.

    Length scales: median e^√2 · √f, deviation √3. Distances in the unit cube grow like √f, so one prior serves from 2
    to 20 inputs (Hvarfner, Hellsten & Nardi 2024). Signal: around the data's own variance. Noise: small, but wide
    enough for the data to overrule.
    """

    features: int
    learn_mean: bool = True

    @property
    def centre(self) -> Array:
        """(f + 2,) means of the logarithms."""
        f = self.features
        return np.concatenate([np.full(f, math.sqrt(2.0) + 0.5 * math.log(f)), [0.0, math.log(1e-5)]])

    @property
    def deviation(self) -> Array:
        """(f + 2,) standard deviations of the logarithms."""
        return np.concatenate([np.full(self.features, math.sqrt(3.0)), [1.5, 3.0]])

    def penalty(self, p: Array) -> float:
        """−log p(p) at log hyper-parameters p, up to a constant."""
        return 0.5 * float(np.sum(((p - self.centre) / self.deviation) ** 2))
