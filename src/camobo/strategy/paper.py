"""The paper's method: CA-MOBO (Algorithm 1), and without a cost its baseline, MO-UCB.

    for t = 1, …, T:  sample θ_t ──> x_t = argmax Q (1 − C) ──> measure ──> update the processes

What a study needs and the paper leaves open: d + 1 initial observations, drawn anew as long as all are equal; pending
and failed points count as the models predict them; a budget in money is kept to.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from camobo.acquisition.acquisition import Acquisition
from camobo.acquisition.maximise import maximise
from camobo.acquisition.scalarisation import flat_weights
from camobo.acquisition.utilities import Feasible, ScalarisedUCB, Utility, beta_practical, beta_theory
from camobo.arrays import Array
from camobo.cost.paper import PaperCost
from camobo.model.gp import GP
from camobo.model.models import Models, refit_regularly
from camobo.space.space import Space
from camobo.strategy.cheapest import within_means
from camobo.strategy.funds import funds
from camobo.strategy.initial_design import in_initial_design
from camobo.strategy.notes import Note, Reason
from camobo.strategy.plan import Data, Plan
from camobo.strategy.protocol import Fitted, Suggestion
from camobo.strategy.recipes import fitted_models, paper_fit
from camobo.strategy.standing import Standing, jitter_notes, standardised_reference, standing

_GRID_PER_REAL = 100.0  # points that a real input counts as: the theorem is about finite spaces


@dataclass(frozen=True, slots=True)
class PaperStrategy:
    """Algorithm 1: the UCB (Eq. 7) of one random scalarisation per step, discounted by cost (Eq. 9)."""

    def models(self, plan: Plan, data: Data, cached: Models | None) -> Models:
        """Models of all the data; a cache that matches the data saves the fits."""
        every = partial(refit_regularly, every=plan.refit_every, first=plan.initial)
        return fitted_models(plan, data, cached, paper_fit, every)

    def suggest(self, plan: Plan, data: Data, number: int, earlier: Fitted) -> Suggestion:
        """The point to try as trial `number`."""
        means = funds(plan, data, earlier.cost)
        if in_initial_design(plan, data, len(data.units) + len(data.pending)):
            unit = within_means(plan, data, number, means, initial_observation(plan, number))
            return Suggestion(unit, (Note(Reason.INITIAL_DESIGN),), Fitted(cost=means.model))
        found = self.step(plan, data, number, step_of(plan, data), earlier.outcomes)
        unit = within_means(plan, data, number, means, found.unit)
        return replace(found, unit=unit, fitted=replace(found.fitted, cost=means.model))

    def step(self, plan: Plan, data: Data, number: int, t: int, earlier: Models | None) -> Suggestion:
        """Step t of the loop."""
        models = self.models(plan, data, earlier)
        now, rng = standing(plan, data, models), plan.stream("suggestion", number)
        discount = plan.cost.at(t, plan.space, rng) if isinstance(plan.cost, PaperCost) else None
        utility, reason = _chosen_utility(plan, t, now, self.weights(len(plan.objectives), rng))
        acquisition = Acquisition(plan.space, now.gps, utility, discount)
        unit = self.argmax(acquisition, now.units[now.front], rng)
        return Suggestion(unit, (Note(reason), *jitter_notes(plan, now.gps)), Fitted(models), acquisition)

    def weights(self, objectives: int, rng: np.random.Generator) -> Array:
        """(M,) θ_t."""
        return flat_weights(objectives, rng)

    def argmax(self, acquisition: Acquisition, front: Array, rng: np.random.Generator) -> Array:
        """(d,) x_t, which may have been chosen before; `front` are (k, d) points to search around."""
        anywhere = np.empty((0, acquisition.space.dimension))
        return maximise(acquisition, acquisition.space, best=front, taken=anywhere, rng=rng)


def initial_observation(plan: Plan, number: int) -> Array:
    """(d,) the random point that trial `number` tries first: the same with any cost, and without one."""
    rng = plan.stream("initial observation", number)
    return np.asarray(plan.space.region.sample(1, rng)[0])


def step_of(plan: Plan, data: Data) -> int:
    """t of Algorithm 1: counts suggestions from the first one after the initial observations."""
    known = len(data.units) + len(data.pending)
    added = known + len(data.failed) - (data.step - 1)
    return max(1, known - max(plan.initial, added) + 1)


def _chosen_utility(plan: Plan, step: int, now: Standing, theta: Array) -> tuple[Utility, Reason]:
    """Q, and the reason it stands for."""
    if len(now.feasible) == 0:
        return Feasible(None, now.limits), Reason.SEEKS_FEASIBLE
    utility = _utility(plan, step, now.gps[: len(plan.objectives)], now.outcomes[now.feasible], theta)
    return Feasible(utility, now.limits) if plan.constraints else utility, Reason.ALGORITHM_1


def _utility(plan: Plan, step: int, gps: Sequence[GP], outcomes: Array, theta: Array) -> ScalarisedUCB:
    """Eq. 7 with each objective scaled to [0, 1] between the worst and best seen; R = 0 unless the plan gives one."""
    worst, best = outcomes.min(axis=0), outcomes.max(axis=0)
    given = standardised_reference(plan, gps)
    span = np.maximum(best - worst, 1e-9)
    beta = beta_practical(step) if plan.beta == "practical" else beta_theory(step, log_points(plan.space))
    return ScalarisedUCB(theta / span, worst if given is None else given, beta)


def log_points(space: Space) -> float:
    """ln |X|, the β of the theorem grows with it; a real input counts as a hundred points."""
    return sum(math.log(given.size if math.isfinite(given.size) else _GRID_PER_REAL) for given in space.inputs.values())
