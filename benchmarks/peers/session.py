"""The interface of every method in the contest, and the two methods that need no package."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from camobo.problems.functions import Floats
from camobo.space.sampling import quasi_random
from peers.problems import Contest, Measured


class Session(Protocol):
    """One run of one method: `ask` suggests a (d,) point of the unit cube, `tell` reports its result."""

    def ask(self) -> Floats: ...
    def tell(self, unit: Floats, measured: Measured) -> None: ...


class Random:
    """Uniform points."""

    def __init__(self, contest: Contest, seed: int) -> None:
        self._rng, self._inputs = np.random.default_rng([seed, 2]), contest.inputs

    def ask(self) -> Floats:
        return self._rng.random(self._inputs)

    def tell(self, unit: Floats, measured: Measured) -> None:
        pass


class CheapestFirst:
    """Of four times as many evenly spread points as evaluations, the cheapest first, by the ranks in the order."""

    def __init__(self, contest: Contest, seed: int) -> None:
        points = quasi_random(4 * contest.evaluations, contest.inputs, np.random.default_rng([seed, 3]))
        ranks = contest.inputs - np.arange(contest.inputs)
        self._points = iter(points[np.argsort(points @ ranks)])

    def ask(self) -> Floats:
        return np.asarray(next(self._points))

    def tell(self, unit: Floats, measured: Measured) -> None:
        pass


def penalised(contest: Contest, measured: Measured) -> Floats:
    """(M,) values for methods without constraints: beyond the reference by the amount of violation."""
    excess = np.maximum(measured.constraints, 0.0).sum()
    if excess == 0.0:
        return measured.values
    reference, ideal = np.array(contest.reference), np.array(contest.ideal)
    return np.asarray(np.maximum(measured.values, reference) + excess * (reference - ideal))
