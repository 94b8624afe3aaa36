"""pymoo's NSGA-II with a population of 20."""

from __future__ import annotations

from typing import Any

import numpy as np
from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.core.problem import Problem
from pymoo.problems.static import StaticProblem

from camobo.problems.functions import Floats
from peers.problems import Contest, Measured


class Nsga2:
    """Asks for a generation, hands it out point by point, and tells its results together."""

    def __init__(self, contest: Contest, seed: int) -> None:
        self._problem = Problem(
            n_var=contest.inputs, n_obj=contest.objectives, n_ieq_constr=contest.constraints, xl=0.0, xu=1.0
        )
        self._algorithm = NSGA2(pop_size=20)
        self._algorithm.setup(self._problem, termination=("n_gen", 10_000), seed=seed, verbose=False)
        self._generation: Any = None
        self._results: list[Measured] = []

    def ask(self) -> Floats:
        if self._generation is None:
            self._generation, self._results = self._algorithm.ask(), []
        return np.asarray(self._generation[len(self._results)].X)

    def tell(self, unit: Floats, measured: Measured) -> None:
        if self._generation is None:
            return  # it chooses its own first points
        self._results.append(measured)
        if len(self._results) == len(self._generation):
            found = {"F": np.array([given.values for given in self._results])}
            if self._problem.n_ieq_constr:
                found["G"] = np.array([given.constraints for given in self._results])
            self._algorithm.evaluator.eval(StaticProblem(self._problem, **found), self._generation)
            self._algorithm.tell(infills=self._generation)
            self._generation = None
