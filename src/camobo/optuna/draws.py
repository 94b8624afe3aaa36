"""Random values of parameters that are not modelled, from their cheap side if the cost names them."""

from __future__ import annotations

import math
import zlib
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import numpy as np
import optuna
from optuna.trial import FrozenTrial

from camobo.arrays import Array
from camobo.cost.budget import Budget, share_left
from camobo.insight.spending import has_expensive_end
from camobo.optuna.search_space import Expensive, Inputs, size_of
from camobo.space.inputs import Input, Integer

_FEW = 1000  # values of a parameter; with more, concurrent trials hardly draw the same
_ROW = 16  # consecutive trials that draw from the same values before the first result


@dataclass(frozen=True, slots=True)
class Draws:
    """Draws parameters by seed, name and trial number alone."""

    seed: int
    seed_given: bool
    """Whether a user gave the seed, so that all workers of a study have it."""
    budget: Budget | None
    priced: Collection[str]
    """The parameters that the cost names, and that cost more towards their expensive end."""
    expensive: Expensive

    def stream(self, purpose: str, *number: int) -> np.random.Generator:
        """Random numbers for this purpose, trial and attempt."""
        return _stream(self.seed, purpose, *number)

    def independent(self, inputs: Inputs, trial: FrozenTrial, spent: float | None = None) -> dict[str, Any]:
        """Each parameter at random; those that the cost names from their cheap side.

        spent: money paid so far; None if that is not known, and the number of the trial says how far the study is.
        """
        names = inputs.space.names
        levels = np.array([[self.stream(f"drawn {name}", trial.number).random() for name in names]])
        priced = [self._has_price(name, given) for name, given in inputs.space.inputs.items()]
        levels[:, priced] *= self._cheap_side(trial.number, spent)
        return inputs.params(inputs.space.at_expense(levels)[0])

    def before_results(self, study: optuna.Study, inputs: Inputs, trial: FrozenTrial) -> dict[str, Any]:
        """One parameter before the first result, so that as many first trials differ as the cheap side has points.

        Trials count through those points like digits: the trial's number modulo the number of values picks the value,
        in random order, and the quotient takes its place at the next parameter. No worker needs to see the others'
        trials: the order derives from the seed they share, or else from the study's name.
        """
        number = trial.number
        for earlier, distribution in trial.distributions.items():
            if number == 0:
                break
            if 1 < size_of(distribution) <= _FEW:
                number //= len(self._starts(Inputs.of({earlier: distribution}, self.expensive), trial)) or 1
        starts = self._starts(inputs, trial)
        if not len(starts):
            return self.independent(inputs, trial)
        ((name, given),) = inputs.space.inputs.items()
        seed = self.seed if self.seed_given else zlib.crc32(study.study_name.encode())
        draws = _stream(seed, f"first {name} {trial.params}", number // len(starts)).gumbel(size=len(starts))
        slope = math.log(given.high / given.low) if isinstance(given, Integer) and given.log else 0.0
        order = np.argsort(slope * starts[:, 0] - draws)  # on a log scale small values come first more often
        return inputs.params(starts[order[number % len(starts)]])

    def _starts(self, inputs: Inputs, trial: FrozenTrial) -> Array:
        """(n, 1) the values of one parameter, of its cheap side if the cost names it; none if they are many."""
        ((name, given),) = inputs.space.inputs.items()
        if given.size > _FEW:
            return np.zeros((0, 1))
        units, row = inputs.space.grid(), trial.number - trial.number % _ROW
        cheap = self._cheap_side(row) if self._has_price(name, given) else 1.0
        return units[inputs.space.expense(units)[:, 0] * (1.0 - 1.0 / given.size) < cheap]  # what draws could reach

    def _cheap_side(self, number: int, spent: float | None = None) -> float:
        """The share of a parameter's range to draw from: the cheap half at first, everything when all is spent."""
        budget = self.budget
        if budget is not None and budget.cost is not None and spent is None:
            budget = None if budget.trials is None else Budget(trials=budget.trials)
        return 1.0 - 0.5 * share_left(budget, number, spent or 0.0)

    def _has_price(self, name: str, given: Input) -> bool:
        return name in self.priced and has_expensive_end(given)


def _stream(seed: int, purpose: str, *number: int) -> np.random.Generator:
    return np.random.default_rng([seed, zlib.crc32(purpose.encode()), *number])
