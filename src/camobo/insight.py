"""What a finished or running study has to say about itself, as numbers: what figures draw and a report tells.

Everything here is a pure function of a `Record`, a plan and its trials, so that it serves a `Study` of camobo and
trials from anywhere else alike. A trial's *level* in an input is 0 at the cheap end and 1 at the dear end
(`Space.expense`), which makes the use of percents, hours and choices comparable.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lapack

from camobo import pareto
from camobo.blas import one_thread
from camobo.errors import InvalidOptionError, UnknownTrialError
from camobo.gp import GP, evenly
from camobo.inputs import Array, Categorical, Param
from camobo.models import Models, update_models
from camobo.order import Order
from camobo.plan import Data, Plan
from camobo.standard import Standard
from camobo.study import Study
from camobo.trial import State, Trial

FEWEST_FOR_A_MODEL = 3
MOST_FOR_A_MODEL = 600
NORMAL_95 = 1.959964
_STEPS_ALONG = 41
_MOST_VOLUMES = 120  # from five objectives on, a hypervolume of hundreds of points takes up to a quarter of a second


@dataclass(frozen=True, slots=True)
class Record:
    """What was planned and what was tried: all that figures and reports need to know of a study."""

    plan: Plan
    trials: tuple[Trial, ...]

    @property
    def complete(self) -> tuple[Trial, ...]:
        """Trials with a value for every objective."""
        return tuple(t for t in self.trials if t.state is State.COMPLETE and t.values is not None)

    @property
    def settled(self) -> tuple[Trial, ...]:
        """Trials that are over, failed ones included: what has been spent."""
        return tuple(t for t in self.trials if t.state in (State.COMPLETE, State.FAILED))

    @property
    def front(self) -> tuple[Trial, ...]:
        """The complete trials that no other dominates."""
        complete = self.complete
        return tuple(t for t, kept in zip(complete, pareto.on_front(self.signed(complete)), strict=True) if kept)

    @property
    def order(self) -> Order | None:
        """Which inputs are dearer than which, if that was said."""
        return None if self.plan.cost is None else self.plan.cost.order

    @property
    def reference(self) -> Array:
        """(M,) what hypervolumes count from: the plan's reference, else the worst seen; larger is better."""
        if self.plan.reference is not None:
            return np.asarray(self.plan.signs * np.array(self.plan.reference))
        return np.asarray(self.signed(self.complete).min(axis=0, initial=np.inf))

    def units(self, trials: Sequence[Trial]) -> Array:
        """(n, d) the trials' places in the unit cube."""
        space = self.plan.space
        return np.array([space.to_unit(trial.params) for trial in trials]).reshape(-1, space.dimension)

    def levels(self, trials: Sequence[Trial]) -> Array:
        """(n, d) how far each input is from its cheap end."""
        return self.plan.space.expense(self.units(trials))

    def signed(self, trials: Sequence[Trial]) -> Array:
        """(n, M) values of complete trials, larger is better."""
        rows = [[trial.values[name] for name in self.plan.objectives] for trial in trials if trial.values is not None]
        return np.array(rows).reshape(-1, len(self.plan.objectives)) * self.plan.signs


@dataclass(frozen=True, slots=True)
class ForeignRecord(Record):
    """What somebody else's study tried, in camobo's words, and what of it could not be said in them.

    Of its plan, the method, the seed and how often models are refitted are nobody's choice.
    """

    left_out: Mapping[int, str] = field(default_factory=dict)
    """Why a trial is not among the trials, by its number."""
    remarks: tuple[str, ...] = ()
    """What else whoever reads about it should know."""


def record_of(given: Study | Record) -> Record:
    """The record of a study; a record is its own."""
    if isinstance(given, Record):
        return given
    if isinstance(given, Study):
        return Record(given.plan, given.trials)
    raise InvalidOptionError(f"need a Study, or a Record of one, got {given!r}.")


def modelled(record: Record) -> tuple[Trial, ...]:
    """The trials models are made of: the complete ones, or evenly spaced ones and the front if there are too many.

    A fit takes time with the cube of their number: of six hundred a second or so, of ten thousand an hour.
    """
    complete = record.complete
    if len(complete) <= MOST_FOR_A_MODEL:
        return complete
    even = {complete[i].number for i in evenly(len(complete), MOST_FOR_A_MODEL)}
    even |= {trial.number for trial in record.front[:MOST_FOR_A_MODEL]}
    return tuple(trial for trial in complete if trial.number in even)


def models_of(record: Record) -> Models | None:
    """The models the next suggestion would use, one an objective; None while there are too few trials to model."""
    trials = modelled(record)
    if len(trials) < FEWEST_FOR_A_MODEL:
        return None
    nothing = np.zeros((0, record.plan.space.dimension))
    data = Data(record.units(trials), record.signed(trials), nothing, nothing, step=1)
    with one_thread():
        return update_models(record.plan, data, None)


def leave_one_out(model: GP) -> tuple[Array, Array]:
    """(n,) mean and deviation of what the process expects of each observation, given all others. O(n³), no refits.

    With K the covariance of the observations and m the mean, the others predict z_i − [K⁻¹(z − m)]_i / [K⁻¹]_ii with
    variance 1 / [K⁻¹]_ii (Rasmussen & Williams 2006, Eq. 5.12). Hyper-parameters stay those fitted on all.
    """
    inverse, _ = lapack.dpotri(model.factor, lower=1)
    precision = np.asarray(inverse.diagonal())
    mean = model.z - model.dual / precision
    return model.in_units(mean, 1.0 / np.sqrt(precision))


@dataclass(frozen=True, slots=True)
class Check:
    """How well the model of one objective foretells each trial from all others, in the objective's own units."""

    objective: str
    trials: tuple[Trial, ...]
    measured: Array
    predicted: Array
    deviation: Array
    """Of a new measurement: the model's doubt and the noise it believes in."""
    standard: Standard
    """How the model sees the values: outliers nearer than they are."""

    @property
    def inside(self) -> NDArray[np.bool_]:
        """(n,) which measurements fell within the 95 % interval."""
        size = self._size  # which keeps the differences of very large values from overflowing
        return np.abs(self.measured / size - self.predicted / size) <= NORMAL_95 * (self.deviation / size)

    @property
    def coverage(self) -> float:
        """The share that did."""
        return float(self.inside.mean())

    @property
    def r_squared(self) -> float | None:
        """1 is perfect, 0 no better than always guessing the mean; None if everything measured is equal.

        As the model sees the values, or one outlier would decide.
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
    """One check an objective; rows are those of `modelled`, which `models` must be of."""
    found, trials = [], modelled(record)
    for m, (name, sign) in enumerate(zip(record.plan.objectives, record.plan.signs, strict=True)):
        mean, deviation = leave_one_out(models.gps[m])
        standard = models.gps[m].standard
        as_told = standard if sign > 0.0 else standard.mirrored()
        found.append(Check(name, trials, sign * models.values[:, m], sign * mean, deviation, as_told))
    return tuple(found)


@dataclass(frozen=True, slots=True)
class Slice:
    """What a model expects of one objective along one input, all others as in a trial."""

    objective: str
    input: str
    values: tuple[Param, ...]
    mean: Array
    deviation: Array
    here: int
    """Which of the values is the trial's own."""


def slices(record: Record, models: Models, trial: Trial) -> tuple[Slice, ...]:
    """Every objective along every input through a trial, objective by objective."""
    space, base = record.plan.space, record.plan.space.to_unit(trial.params)
    rows: list[list[Slice]] = [[] for _ in record.plan.objectives]
    for j, (name, given) in enumerate(space.inputs.items()):
        along, here = _stations(given, float(base[j]))
        points = np.tile(base, (len(along), 1))
        points[:, j] = along
        values = tuple(given.from_unit(float(u)) for u in along)
        features = space.features(space.snap(points))
        for m, (objective, sign) in enumerate(zip(record.plan.objectives, record.plan.signs, strict=True)):
            mean, deviation = models.gps[m].predict(features)
            rows[m].append(Slice(objective, name, values, sign * mean, deviation, here))
    return tuple(found for row in rows for found in row)


def _stations(given: Any, own: float) -> tuple[Array, int]:
    """Sorted unit coordinates to stop at along an input, the trial's own among them, and where it stands."""
    if isinstance(given, Categorical) or given.size <= _STEPS_ALONG:
        along = given.stops()
    else:
        along = given.snap(np.linspace(0.0, 1.0, _STEPS_ALONG))
    along = np.unique(np.append(along[np.abs(along - own) > 1e-9], own))
    return along, int(np.searchsorted(along, own))


def compromise(record: Record) -> Trial | None:
    """The trial of the front nearest to the best seen of every objective at once, each scaled to the front's range."""
    front = record.front
    if not front:
        return None
    values = record.signed(front)
    best, span = values.max(axis=0), np.ptp(values, axis=0)
    away = (best - values) / np.where(span > 0.0, span, 1.0)
    return front[int(np.argmin((away**2).sum(axis=1)))]


def chosen_trial(record: Record, number: int | None) -> Trial | None:
    """The trial of that number, or the compromise if none is named."""
    if number is None:
        return compromise(record)
    found = next((trial for trial in record.trials if trial.number == number), None)
    if found is None:
        raise UnknownTrialError(f"trial {number}: this study has {len(record.trials)} trials, none of that number.")
    return found


def volumes(record: Record) -> tuple[tuple[Trial, ...], Array]:
    """Complete trials, and the hypervolume reached with each; from five objectives on, of at most 120 of them."""
    complete = record.complete
    if not complete:
        return (), np.zeros(0)
    signed, reference = record.signed(complete), record.reference
    kept = evenly(len(complete), _MOST_VOLUMES if signed.shape[1] >= 5 else len(complete))
    found, front, seen, volume = [], signed[:0], 0, 0.0
    for i in kept:
        both = np.vstack([front, signed[seen : i + 1]])
        on = pareto.on_front(both)
        if on[len(front) :].any():
            volume = max(volume, pareto.hypervolume(both[on], reference))  # of many objectives it is an estimate
        front, seen = both[on], i + 1
        found.append(volume)
    return tuple(complete[i] for i in kept), np.array(found)
