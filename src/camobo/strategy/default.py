"""camobo's own method: expected improvement of the front, for the money.

few observations ──> initial design: space-filling, denser where trials are cheap
otherwise        ──> fit models ──> believe pending points ──> maximise log U − γ log c ──> Suggestion
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from camobo.acquisition.acquisition import Acquisition
from camobo.acquisition.maximise import maximise
from camobo.acquisition.scalarisation import directions, normal, reach
from camobo.acquisition.utilities import ExpectedReach, Feasible, Utility
from camobo.arrays import Array
from camobo.model.gp import GP
from camobo.model.models import Models, refit_point
from camobo.space.sampling import quasi_random
from camobo.strategy.cheapest import within_means
from camobo.strategy.funds import funds
from camobo.strategy.initial_design import in_initial_design, initial_suggestion, rarely_tried
from camobo.strategy.notes import Note, Reason
from camobo.strategy.plan import Data, Plan
from camobo.strategy.protocol import Fitted, Suggestion
from camobo.strategy.recipes import adaptive_fit, fitted_models
from camobo.strategy.standing import Standing, jitter_notes, standardised_reference, standing

_RAYS, _FEWEST_DIRECTIONS = 128, 4
_EXPLORE_EVERY = 2  # suggestions, at first; one more after every _EXPLORE_LESS trials
_EXPLORE_LESS = 35
_EXPLORER_DEVIATIONS = 2.0  # how much wider than the models say outcomes may lie when exploring
_MARGIN = 0.1  # how far beyond the front improvement is measured from, in its ranges
_EXPLORER_MARGIN = 0.3  # the same when exploring, beyond the worst seen
_REPEAT = 1e-3  # of an input's range: closer points count as repeats


@dataclass(frozen=True, slots=True)
class DefaultStrategy:
    """Expected improvement of the front along random directions, for the money: log α = log U − γ log c."""

    def models(self, plan: Plan, data: Data, cached: Models | None) -> Models:
        """Models of all the data; a cache that matches the data saves the fits."""
        return fitted_models(plan, data, cached, adaptive_fit, partial(refit_point, every=plan.refit_every))

    def suggest(self, plan: Plan, data: Data, number: int, earlier: Fitted) -> Suggestion:
        """The point to try as trial `number`."""
        means = funds(plan, data, earlier.cost)
        measured = len(data.units)  # what is under way tells a model nothing
        if in_initial_design(plan, data, measured) or rarely_tried(plan, data.tried).any():
            return initial_suggestion(plan, data, number, means)
        models = self.models(plan, data, earlier.outcomes)
        space, rng = plan.space, plan.stream("suggestion", number)
        now = standing(plan, data, models)
        utility, reason = _utility(plan, number, now, rng)
        acquisition = Acquisition(space, now.gps, utility, means.thrift(plan))
        unit = maximise(acquisition, space, best=now.units[now.front], taken=data.tried, rng=rng, apart=_REPEAT)
        unit = within_means(plan, data, number, means, unit)
        notes = (Note(reason), *jitter_notes(plan, now.gps))
        return Suggestion(unit, notes, Fitted(models, means.model), acquisition)


def _utility(plan: Plan, number: int, now: Standing, rng: np.random.Generator) -> tuple[Utility, Reason]:
    """How much a point promises, and the reason it stands for."""
    if len(now.feasible) == 0:
        return Feasible(None, now.limits), Reason.SEEKS_FEASIBLE
    gps, explores = now.gps[: len(plan.objectives)], number % explore_every(number) == 0
    promise = _promise(plan, gps, now.outcomes[now.front], now.outcomes[now.feasible], explores, rng)
    utility = Feasible(promise, now.limits) if plan.constraints else promise
    return utility, Reason.EXPLORES if explores else Reason.IMPROVES_FRONT


def explore_every(number: int) -> int:
    """One suggestion in how many explores: one in two at first, one in four after 70 trials, fewer and fewer."""
    return _EXPLORE_EVERY + number // _EXPLORE_LESS


def direction_count(objectives: int) -> int:
    """The number of directions along which a suggestion improves the front; fewer with more objectives.

    A single point improves a large front along few directions. The best point on average over many directions is a
    compromise between all ends of the front and close to none, so each suggestion draws a few directions of its own.

    >>> [direction_count(m) for m in (2, 4, 5, 6, 7, 10)]
    [128, 128, 32, 8, 4, 4]
    """
    return max(_FEWEST_DIRECTIONS, _RAYS >> 2 * max(0, objectives - 4))


def _promise(
    plan: Plan, gps: Sequence[GP], front: Array, outcomes: Array, explores: bool, rng: np.random.Generator
) -> ExpectedReach:
    """Expected improvement of the front.

    Most suggestions measure improvement from a reference just beyond the front, which resolves the front finely but
    sees nothing outside it. The exploring ones look for pieces of the front that the models do not predict yet: with a
    reference beyond everything seen and deviations doubled.
    """
    M = len(gps)
    best, worst = front.max(axis=0), outcomes.min(axis=0)
    near = _just_beyond(front, worst)
    given = standardised_reference(plan, gps)
    if given is not None and not np.any(np.all(front > given, axis=1)):
        given = None  # no trial is above it yet; until one is, the data's own reference leads there
    reference = given if given is not None else (worst - _EXPLORER_MARGIN * (best - worst) - 1e-6 if explores else near)
    span = np.maximum(best - reference, 1e-6)
    uniforms, count = quasi_random(_RAYS, 2 * M, rng), direction_count(M)
    unit_rays = directions(uniforms[:count, :M]).repeat(_RAYS // count, axis=0)
    z = normal(uniforms[:, M:]) * (_EXPLORER_DEVIATIONS if explores else 1.0)
    return ExpectedReach(unit_rays * span, z, reach(front, reference, unit_rays * span), reference)


def _just_beyond(front: Array, worst: Array) -> Array:
    """(M,) the front's worst value minus a tenth of its range; if that range is zero, just below the worst seen."""
    best, nadir = front.max(axis=0), front.min(axis=0)
    return np.asarray(
        np.where(best - nadir > 1e-9, nadir - _MARGIN * (best - nadir), worst - _MARGIN * (best - worst) - 1e-3)
    )
