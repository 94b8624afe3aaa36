"""How good the models of a study are: each trial predicted from all the others."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lapack

from camobo.arrays import Array, evenly
from camobo.history.trial import Trial
from camobo.insight.record import Record
from camobo.model.gp import GP
from camobo.model.models import Models
from camobo.model.transforms import Standard
from camobo.strategy import suggest
from camobo.strategy.plan import Data

FEWEST_FOR_A_MODEL = 3
MOST_FOR_A_MODEL = 600
NORMAL_95 = 1.959964  # standard deviations on either side that hold 95 % of a normal distribution


def modelled(record: Record) -> tuple[Trial, ...]:
    """The trials that models are fitted on: all complete ones; of more than 600, evenly spaced ones and the front.

    A fit takes time with the cube of their number: about a second for 600, about an hour for 10,000.
    """
    complete = record.complete
    if len(complete) <= MOST_FOR_A_MODEL:
        return complete
    even = {complete[i].number for i in evenly(len(complete), MOST_FOR_A_MODEL)}
    even |= {trial.number for trial in record.front[:MOST_FOR_A_MODEL]}
    return tuple(trial for trial in complete if trial.number in even)


def models_of(record: Record) -> Models | None:
    """The models the next suggestion would use, one per objective; None with fewer than three complete trials."""
    trials = modelled(record)
    if len(trials) < FEWEST_FOR_A_MODEL:
        return None
    nothing = np.zeros((0, record.plan.space.dimension))
    data = Data(record.units(trials), record.signed(trials), nothing, nothing, step=1)
    return suggest.models_of(record.plan, data)


def leave_one_out(model: GP) -> tuple[Array, Array]:
    """(n,) mean and deviation that the process predicts for each observation from all the others. O(n³), no refits.

    With K the covariance of the observations and m the mean, the others predict z_i − [K⁻¹(z − m)]_i / [K⁻¹]_ii with
    variance 1 / [K⁻¹]_ii (Rasmussen & Williams 2006, Eq. 5.12). Hyper-parameters stay as fitted on all observations.
    """
    inverse, _ = lapack.dpotri(model.factor, lower=1)
    precision = np.asarray(inverse.diagonal())
    mean = model.z - model.dual / precision
    return model.in_units(mean, 1.0 / np.sqrt(precision))


@dataclass(frozen=True, slots=True)
class Check:
    """How well the model of one objective predicts each trial from all the others, in the objective's units."""

    objective: str
    trials: tuple[Trial, ...]
    measured: Array
    predicted: Array
    deviation: Array
    """Of a new measurement: the model's uncertainty and the noise it estimates."""
    standard: Standard
    """How the model sees the values: with outliers compressed."""

    @property
    def inside(self) -> NDArray[np.bool_]:
        """(n,) which measurements lie within the 95 % interval."""
        size = self._size  # so that differences of very large values do not overflow
        return np.abs(self.measured / size - self.predicted / size) <= NORMAL_95 * (self.deviation / size)

    @property
    def r_squared(self) -> float | None:
        """R²: 1 is perfect, 0 no better than always predicting the mean; None if all measured values are equal.

        Computed on the values as the model sees them, or one outlier would decide.
        """
        measured, predicted = self.standard.of(self.measured), self.standard.of(self.predicted)
        spread = float(((measured - measured.mean()) ** 2).sum())
        if spread < 1e-24 * len(measured):
            return None
        return 1.0 - float(((measured - predicted) ** 2).sum()) / spread

    @property
    def _size(self) -> float:
        return float(np.abs(self.measured).max()) or 1.0


def checks(record: Record, models: Models) -> tuple[Check, ...]:
    """One check per objective; `models` must come from `models_of(record)`, its rows are the trials of `modelled`."""
    found, trials = [], modelled(record)
    for m, (name, sign) in enumerate(zip(record.plan.objectives, record.plan.signs, strict=True)):
        mean, deviation = leave_one_out(models.gps[m])
        standard = models.gps[m].standard
        in_own_sign = standard if sign > 0.0 else standard.mirrored()
        found.append(Check(name, trials, sign * models.values[:, m], sign * mean, deviation, in_own_sign))
    return tuple(found)
