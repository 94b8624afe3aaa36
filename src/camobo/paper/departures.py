"""How the script that the authors released departs from the paper's text, one switch each; described, never copied.

length    hyper-parameters are not fitted: length scale 0.032, signal 1
variance  the posterior variance stands where Eq. 7 has the standard deviation
search    α is maximised over 1,024 random points
sorted    θ is sorted, its smallest weight first
starts    two initial observations, in the cheap tenth of every input, instead of d + 1 anywhere
model     no model at all: x_t costs least by Eq. 8, of 1,024 random points. Not the script's: what its length scale
          amounts to in five dimensions

It also takes β_t from Theorem 1 (`--beta theory`) and has 9/29 where ZDT3 of n inputs has 9/(n − 1) (`--g script`).
That it sums the inputs of the latest member of the front instead of those of x_t needs no runs of its own.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias, get_args

import numpy as np

from camobo.acquisition.acquisition import Acquisition
from camobo.acquisition.scalarisation import flat_weights
from camobo.acquisition.utilities import ScalarisedUCB
from camobo.arrays import Array
from camobo.cost.paper import PaperCost
from camobo.errors import InvalidOptionError
from camobo.model.gp import GP, condition_standardised
from camobo.model.hyper import Hyper
from camobo.model.models import Models
from camobo.model.transforms import plain
from camobo.space.space import Space
from camobo.strategy.notes import Note, Reason
from camobo.strategy.paper import PaperStrategy, initial_observation
from camobo.strategy.plan import Data, Plan
from camobo.strategy.protocol import Suggestion
from camobo.strategy.recipes import fitted_models

Departure: TypeAlias = Literal["length", "search", "variance", "sorted", "starts", "model"]

SCRIPT: tuple[Departure, ...] = ("length", "search", "variance", "sorted", "starts")
"""Those of the script, in the order in which the ablation adds them."""
_LENGTH, _NOISE = 0.032, 1e-6
_CANDIDATES = 1024
_STARTS, _CORNER = 2, 0.1


def departures_of(given: Collection[str]) -> tuple[Departure, ...]:
    """Checked departures, each once, in the order in which they are documented."""
    known: tuple[Departure, ...] = get_args(Departure)
    unknown = [name for name in given if name not in known]
    if unknown:
        raise InvalidOptionError(f"--depart: need {', '.join(known)}, got {', '.join(unknown)}.")
    return tuple(name for name in known if name in given)


def initial_observations(plan: Plan, departures: Collection[Departure]) -> Array:
    """(n, d) where a run starts: the same for every method."""
    count = _STARTS if "starts" in departures else plan.space.dimension + 1
    units = np.array([initial_observation(plan, number) for number in range(count)])
    if "starts" not in departures:
        return units
    cheapest = plan.space.cheapest()
    return plan.space.snap(cheapest + _CORNER * (units - cheapest))


@dataclass(frozen=True, slots=True)
class DepartingStrategy(PaperStrategy):
    """Algorithm 1 with departures."""

    departures: tuple[Departure, ...] = ()

    def models(self, plan: Plan, data: Data, cached: Models | None) -> Models:
        """As the text says, or with length scales that are given."""
        if "length" not in self.departures:
            return PaperStrategy.models(self, plan, data, cached)
        return fitted_models(plan, data, cached, _given, lambda count: min(count, _STARTS))

    def step(self, plan: Plan, data: Data, number: int, t: int, earlier: Models | None) -> Suggestion:
        """Step t of the loop; without a model, the cheapest of the candidates, or without a cost any."""
        if "model" not in self.departures:
            return PaperStrategy.step(self, plan, data, number, t, earlier)
        rng = plan.stream("suggestion", number)
        model = plan.cost.at(t, plan.space, rng) if isinstance(plan.cost, PaperCost) else None
        units = _candidates(plan.space, rng)
        unit = units[0] if model is None else units[np.argmax(model.log(units))]
        return Suggestion(unit, (Note(Reason.ALGORITHM_1),))

    def weights(self, objectives: int, rng: np.random.Generator) -> Array:
        """(M,) θ_t, sorted or as drawn."""
        theta = flat_weights(objectives, rng)
        return np.sort(theta) if "sorted" in self.departures else theta

    def argmax(self, acquisition: Acquisition, front: Array, rng: np.random.Generator) -> Array:
        """(d,) x_t by the search of the text, which leaves it open, or among candidates."""
        utility = acquisition.utility
        if "variance" in self.departures and isinstance(utility, ScalarisedUCB):
            of_variance = VarianceUCB(utility.weights, utility.reference, utility.beta)
            acquisition = replace(acquisition, utility=of_variance)
        if "search" not in self.departures:
            return PaperStrategy.argmax(self, acquisition, front, rng)
        units = _candidates(acquisition.space, rng)
        return np.asarray(units[np.argmax(acquisition(units))])


@dataclass(frozen=True, slots=True)
class VarianceUCB(ScalarisedUCB):
    """Q = min_m θ_m (μ_m + √β σ²_m − R_m)."""

    def log(self, mean: Array, deviation: Array) -> Array:
        """(b,) log Q, continued below 0.001."""
        return ScalarisedUCB.log(self, mean, deviation**2)

    def log_slopes(self, mean: Array, deviation: Array) -> tuple[Array, Array, Array]:
        """(b,) log Q, and its (b, M) gradients with respect to means and to deviations."""
        value, by_mean, by_variance = ScalarisedUCB.log_slopes(self, mean, deviation**2)
        return value, by_mean, 2.0 * deviation * by_variance


def _candidates(space: Space, rng: np.random.Generator) -> Array:
    """(1024, d) random points."""
    return space.snap(rng.random((_CANDIDATES, space.dimension)))


def _given(features: Array, values: Array, is_objective: bool) -> GP:
    """A process with hyper-parameters that are given."""
    standard = plain(values)
    hyper = Hyper(np.full(features.shape[1], _LENGTH), noise=_NOISE)
    return condition_standardised(features, standard.of(values), hyper, "se", standard)
