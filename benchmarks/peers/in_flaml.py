"""FLAML's CFO and BlendSearch with low_cost_partial_config.

They minimise one number. So five searches take turns, each with its own fixed Chebyshev weights, spread evenly over the
simplex, and all evaluations count. A point that one of them has measured is not measured again: all start at the cheap
corner. They are given the scale of each objective, from ideal to reference, and the money of each evaluation.

On nine of the problems, ten searches or more mostly found less. Two found more of some fronts in a hundred evaluations,
and less of DTLZ2's and car-side's in three hundred.
"""

from __future__ import annotations

import logging
import warnings
from typing import Any

import numpy as np
from flaml import CFO, BlendSearch, tune

from camobo.acquisition.scalarisation import directions
from camobo.problems.functions import Floats
from camobo.space.sampling import quasi_random
from peers.problems import Contest, Measured
from peers.session import penalised

logging.getLogger("flaml").setLevel(logging.ERROR)
warnings.filterwarnings("ignore")
SEARCHES = 5


class InFlaml:
    """Five searches in turn. One without a suggestion is skipped; one that repeats a point is told its known result."""

    def __init__(self, contest: Contest, seed: int, kind: Any) -> None:
        self._contest = contest
        names = [f"x{j + 1}" for j in range(contest.inputs)]
        self._names = names
        even = quasi_random(SEARCHES, contest.objectives, np.random.default_rng([seed, 5]))
        self._weights = 1.0 / directions(even)
        self._searches = [
            kind(
                metric="loss",
                mode="min",
                space={name: tune.uniform(0.0, 1.0) for name in names},
                low_cost_partial_config=dict.fromkeys(names, 0.0),
                cost_attr="money",
                seed=SEARCHES * seed + i,
            )
            for i in range(SEARCHES)
        ]
        self._turn, self._asked = 0, 0
        self._open: dict[str, float] = {}
        self._known: dict[tuple[float, ...], Measured] = {}

    def ask(self) -> Floats:
        for _ in range(200):
            self._turn = (self._turn + 1) % SEARCHES
            self._asked += 1
            config = self._searches[self._turn].suggest(str(self._asked))
            if config is None:
                continue
            self._open = config
            unit = np.array([config[name] for name in self._names]).clip(0.0, 1.0)
            known = self._known.get(tuple(unit))
            if known is None:
                return unit
            self._complete(known)
        raise RuntimeError("FLAML: no search suggested anything new in 200 turns")

    def tell(self, unit: Floats, measured: Measured) -> None:
        self._known[tuple(unit)] = measured
        self._complete(measured)

    def _complete(self, measured: Measured) -> None:
        reference, ideal = np.array(self._contest.reference), np.array(self._contest.ideal)
        scaled = (penalised(self._contest, measured) - ideal) / (reference - ideal)
        loss = float((self._weights[self._turn] * scaled).max())
        result = {"loss": loss, "config": self._open, "money": measured.money}
        self._searches[self._turn].on_trial_complete(str(self._asked), result)


def cfo(contest: Contest, seed: int) -> InFlaml:
    """Local search from the cheap end."""
    return InFlaml(contest, seed, CFO)


def blendsearch(contest: Contest, seed: int) -> InFlaml:
    """Local searches from the cheap end, blended with a global one."""
    return InFlaml(contest, seed, BlendSearch)
