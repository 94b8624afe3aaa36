"""The paper's method: CA-MOBO (Algorithm 1), and without a cost its baseline, MO-UCB."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from camobo.acquisition.acquisition import Acquisition, Term
from camobo.acquisition.maximise import maximise
from camobo.acquisition.scalarisation import flat_weights
from camobo.acquisition.utilities import Feasible, ScalarisedUCB, beta_practical, beta_theory
from camobo.arrays import Array
from camobo.model.gp import GP
from camobo.model.models import Models
from camobo.space.space import Space
from camobo.strategy.initial_design import in_initial_design, initial_suggestion
from camobo.strategy.notes import Note, Reason
from camobo.strategy.plan import Data, Plan
from camobo.strategy.protocol import Suggestion
from camobo.strategy.recipes import fitted_models, paper_fit
from camobo.strategy.standing import Standing, jitter_notes, standardised_reference, standing

_GRID_PER_REAL = 100.0  # points that a real input counts as: the theorem is about finite spaces


@dataclass(frozen=True, slots=True)
class PaperStrategy:
    """Algorithm 1: the UCB (Eq. 7) of one random scalarisation per step, discounted by cost (Eq. 9)."""

    def models(self, plan: Plan, data: Data, cached: Models | None) -> Models:
        """Models of all the data; a cache that matches the data saves the fits."""
        return fitted_models(plan, data, cached, paper_fit, strict=True)

    def suggest(self, plan: Plan, data: Data, number: int, models: Models | None) -> Suggestion:
        """The point to try as trial `number`."""
        if in_initial_design(plan, data):
            return initial_suggestion(plan, data, number)
        models = self.models(plan, data, models)
        now, rng = standing(plan, data, models), plan.stream("suggestion", number)
        term, reason = _term(plan, data.step, now, rng)
        acquisition = Acquisition(plan.space, now.gps, (term,))
        unit = maximise(acquisition, plan.space, best=now.units[now.front], taken=data.tried, rng=rng)
        return Suggestion(unit, (Note(reason), *jitter_notes(plan, now.gps)), models, acquisition)


def _term(plan: Plan, step: int, now: Standing, rng: np.random.Generator) -> tuple[Term, Reason]:
    """Q (1 − C), and the reason it stands for."""
    discount = None
    if plan.cost is not None:
        discount = plan.cost.at(plan.moment(step, plan.budget), plan.space.names, rng)
    if len(now.feasible) == 0:
        return Term(Feasible(None, now.limits), discount), Reason.SEEKS_FEASIBLE
    utility = _utility(plan, step, now.gps[: len(plan.objectives)], now.outcomes[now.feasible], rng)
    return Term(Feasible(utility, now.limits) if plan.constraints else utility, discount), Reason.ALGORITHM_1


def _utility(plan: Plan, step: int, gps: Sequence[GP], outcomes: Array, rng: np.random.Generator) -> ScalarisedUCB:
    """Eq. 7 with each objective scaled to [0, 1] between the worst and best seen; R = 0 unless the plan gives one."""
    worst, best = outcomes.min(axis=0), outcomes.max(axis=0)
    given = standardised_reference(plan, gps)
    span = np.maximum(best - worst, 1e-9)
    beta = beta_practical(step) if plan.beta == "practical" else beta_theory(step, log_points(plan.space))
    return ScalarisedUCB(flat_weights(len(gps), rng) / span, worst if given is None else given, beta)


def log_points(space: Space) -> float:
    """ln |X|, the β of the theorem grows with it; a real input counts as a hundred points."""
    return sum(math.log(given.size if math.isfinite(given.size) else _GRID_PER_REAL) for given in space.inputs.values())
