"""camobo's own method: expected improvement of the front, weighed against cost.

few observations ──> initial design: space-filling, from the cheap side
otherwise        ──> fit models ──> believe pending points ──> maximise Σ utility × discount ──> Suggestion
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from camobo.acquisition.acquisition import Acquisition, Term
from camobo.acquisition.maximise import maximise
from camobo.acquisition.scalarisation import directions, normal, reach
from camobo.acquisition.utilities import ExpectedReach, ExplorationBonus, Feasible, power_of
from camobo.arrays import Array
from camobo.cost.moment import Moment
from camobo.model.gp import GP
from camobo.model.models import Models
from camobo.space.sampling import quasi_random
from camobo.strategy.initial_design import even_point, in_initial_design, initial_suggestion
from camobo.strategy.notes import Note, Reason
from camobo.strategy.plan import Data, Plan
from camobo.strategy.protocol import Suggestion
from camobo.strategy.recipes import adaptive_fit, fitted_models
from camobo.strategy.standing import Standing, jitter_notes, standardised_reference, standing

_RAYS, _FEWEST_DIRECTIONS = 128, 4
_EXPLORE_EVERY = 2  # suggestions, at first; one more after every _EXPLORE_LESS trials
_EXPLORE_LESS = 35
_EXPLORE_EVERY_WITH_COST = 3
_EXPLORER_DEVIATIONS = 2.0  # how much wider than the models say outcomes may lie when exploring
_REPEAT = 1e-3  # of an input's range: closer points count as repeats


@dataclass(frozen=True, slots=True)
class DefaultStrategy:
    """Expected improvement of the front along random directions, weighed against cost."""

    def models(self, plan: Plan, data: Data, cached: Models | None) -> Models:
        """Models of all the data; a cache that matches the data saves the fits."""
        return fitted_models(plan, data, cached, adaptive_fit)

    def suggest(self, plan: Plan, data: Data, number: int, models: Models | None) -> Suggestion:
        """The point to try as trial `number`."""
        if in_initial_design(plan, data):
            return initial_suggestion(plan, data, number)
        models = self.models(plan, data, models)
        return _elsewhere(plan, data, number, models) or _modelled(plan, data, number, models)


def _elsewhere(plan: Plan, data: Data, number: int, models: Models) -> Suggestion | None:
    """A point of an even sequence over the whole space: every third suggestion if there is a cost and noise.

    Noise always leaves something to learn, and learning is cheapest at the cheap end. Without these points, a study
    whose cheap end is flat apart from noise would stay there.
    """
    every = explore_every(plan, number)
    if plan.cost is None or number % every != 0:
        return None
    if not any(model.noisy for model in models.gps[: len(plan.objectives)]):
        return None
    unit = even_point(plan, data, plan.initial + number // every, 1.0)
    return None if unit is None else Suggestion(unit, (Note(Reason.LOOKS_ELSEWHERE),), models)


def _modelled(plan: Plan, data: Data, number: int, models: Models) -> Suggestion:
    space, rng = plan.space, plan.stream("suggestion", number)
    now = standing(plan, data, models)
    terms, reason = _terms(plan, data.step, number, now, rng)
    acquisition = Acquisition(space, now.gps, terms)
    unit = maximise(acquisition, space, best=now.units[now.front], taken=data.tried, rng=rng, apart=_REPEAT)
    if len(terms) > 1 and _mostly(acquisition, terms[1:], unit):
        reason = Reason.LEARNS_CHEAPLY
    return Suggestion(unit, (Note(reason), *jitter_notes(plan, now.gps)), models, acquisition)


def _terms(
    plan: Plan, step: int, number: int, now: Standing, rng: np.random.Generator
) -> tuple[tuple[Term, ...], Reason]:
    """The terms of the acquisition, and the reason they stand for."""
    moment, gps = plan.moment(step, plan.budget), now.gps[: len(plan.objectives)]
    discount = None if plan.cost is None else plan.cost.at(moment, plan.space.names, rng)
    if len(now.feasible) == 0:
        return (Term(Feasible(None, now.limits), discount),), Reason.SEEKS_FEASIBLE
    front, outcomes = now.outcomes[now.front], now.outcomes[now.feasible]
    explores = number % explore_every(plan, number) == 0
    promise, volume = _promise(plan, gps, front, outcomes, explores, rng)
    terms = (Term(promise, discount), *_exploration_bonus(plan, moment, volume, rng))
    if plan.constraints:
        terms = tuple(Term(Feasible(term.utility, now.limits), term.discount) for term in terms)
    return terms, Reason.EXPLORES if explores else Reason.IMPROVES_FRONT


def _mostly(acquisition: Acquisition, terms: tuple[Term, ...], unit: Array) -> bool:
    """Whether some of its terms make up more than half of an acquisition at a point."""
    share = replace(acquisition, terms=terms)(unit[None, :]) - acquisition(unit[None, :])
    return bool(share[0] > math.log(0.5))


def explore_every(plan: Plan, number: int) -> int:
    """One suggestion in how many explores: one in two at first, one in four after 70 trials, fewer and fewer.

    With a cost, one in three to the end: the expensive part of the space is reached late and must be explored then.
    """
    if plan.cost is not None:
        return _EXPLORE_EVERY_WITH_COST
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
) -> tuple[ExpectedReach, float]:
    """Expected improvement of the front, and the volume of the front itself in the same units.

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
    reference = given if given is not None else (worst - 0.3 * (best - worst) - 1e-6 if explores else near)
    corner = near if given is None else np.maximum(near, given)  # volume beyond a given reference does not count
    span, box = np.maximum(best - reference, 1e-6), np.maximum(best - corner, 1e-6)
    uniforms, count = quasi_random(_RAYS, 2 * M, rng), direction_count(M)
    unit_rays = directions(uniforms[:count, :M]).repeat(_RAYS // count, axis=0)
    z = normal(uniforms[:, M:]) * (_EXPLORER_DEVIATIONS if explores else 1.0)
    promise = ExpectedReach(unit_rays * span, z, reach(front, reference, unit_rays * span), reference)
    power = power_of(M)
    own_volume = float((reach(front, corner, unit_rays * box) ** power).mean() * np.prod(box / span) ** (power / M))
    return promise, own_volume


def _exploration_bonus(plan: Plan, moment: Moment, volume: float, rng: np.random.Generator) -> tuple[Term, ...]:
    """A second term if there is a cost: the exploration bonus at low cost.

    An expensive point must promise more than this bonus. The discount of the bonus stays at full strength, so the bonus
    never pays for an expensive input.
    """
    worth = 0.0 if plan.cost is None else plan.cost.exploration_bonus(moment)
    if plan.cost is None or worth == 0.0:
        return ()
    full_strength = plan.cost.at(plan.moment(1, plan.budget), plan.space.names, rng)
    return (Term(ExplorationBonus(max(worth * volume, 1e-300)), full_strength),)


def _just_beyond(front: Array, worst: Array) -> Array:
    """(M,) the front's worst value minus a tenth of its range; if that range is zero, just below the worst seen."""
    best, nadir = front.max(axis=0), front.min(axis=0)
    return np.asarray(np.where(best - nadir > 1e-9, nadir - 0.1 * (best - nadir), worst - 0.1 * (best - worst) - 1e-3))
