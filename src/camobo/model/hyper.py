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
class LengthScales:
    """A log-normal prior of length scales: median times √f, and the standard deviation of the logarithm.

    Distances in the unit cube grow like √f, so one prior serves from 2 to 20 features (Hvarfner, Hellsten & Nardi
    2024).
    """

    median: float
    deviation: float


USUAL = LengthScales(0.25, math.sqrt(2.0))
"""A feature matters until the data say otherwise.

With a vague prior, a feature that few observations tell apart counts as one that changes nothing, and the model is sure
of what it has never seen. `benchmarks/priors.py` measures how sure models are, and how often they are right.
"""
VAGUE = LengthScales(math.exp(math.sqrt(2.0)), math.sqrt(3.0))
"""That of Hvarfner et al.: long length scales, and the data decide."""


@dataclass(frozen=True, slots=True)
class Prior:
    """Log-normal priors of the hyper-parameters: independent normal priors of their logarithms.

    Signal: around the data's own variance. Noise: small, but wide enough for the data to overrule.
    """

    features: int
    learn_mean: bool = True
    lengths: LengthScales = USUAL

    @property
    def centre(self) -> Array:
        """(f + 2,) means of the logarithms."""
        f = self.features
        return np.concatenate([np.full(f, math.log(self.lengths.median * math.sqrt(f))), [0.0, math.log(1e-5)]])

    @property
    def deviation(self) -> Array:
        """(f + 2,) standard deviations of the logarithms."""
        return np.concatenate([np.full(self.features, self.lengths.deviation), [1.5, 3.0]])

    def penalty(self, p: Array) -> float:
        """−log p(p) at log hyper-parameters p, up to a constant."""
        return 0.5 * float(np.sum(((p - self.centre) / self.deviation) ** 2))
