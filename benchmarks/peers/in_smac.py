"""SMAC3 with ParEGO and Gaussian processes: its facade for few real inputs without noise."""

from __future__ import annotations

import tempfile
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from ConfigSpace import ConfigurationSpace, Float
from smac import BlackBoxFacade, Scenario
from smac.multi_objective.parego import ParEGO
from smac.runhistory.dataclasses import TrialValue

from camobo.problems.functions import Floats
from peers.problems import Contest, Measured
from peers.session import penalised

warnings.filterwarnings("ignore")


class Smac:
    """With its own initial design; told that the problem has no noise."""

    def __init__(self, contest: Contest, seed: int) -> None:
        self._contest = contest
        self._names = [f"x{j + 1}" for j in range(contest.inputs)]
        self._folder = tempfile.TemporaryDirectory(prefix="smac-")
        space = ConfigurationSpace(seed=seed)
        space.add([Float(name, (0.0, 1.0)) for name in self._names])
        scenario = Scenario(
            space,
            objectives=[f"f{m}" for m in range(contest.objectives)],
            n_trials=contest.evaluations,
            seed=seed,
            deterministic=True,
            output_directory=Path(self._folder.name),
        )
        self._smac = BlackBoxFacade(
            scenario,
            lambda config, seed=0: {},
            multi_objective_algorithm=ParEGO(scenario),
            overwrite=True,
            logging_level=40,
        )
        self._open: Any = None

    def ask(self) -> Floats:
        self._open = self._smac.ask()
        return np.array([self._open.config[name] for name in self._names])

    def tell(self, unit: Floats, measured: Measured) -> None:
        if self._open is not None:
            values = penalised(self._contest, measured).tolist()
            self._smac.tell(self._open, TrialValue(cost=values, time=measured.money))
            self._open = None
