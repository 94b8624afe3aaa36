"""The next point to try, as a function of its arguments: no disk, no clock, no global random state.

    Plan ── what a study is about: space, objectives, cost, budget, method, seed
    Data ── what is known so far
      │
      ├─ few observations ──> initial design: space-filling, from the cheap side
      └─ else  update_models ──> believe what is pending ──> utility × discount ──> maximise ──> Suggestion

Random streams derive from (seed, purpose, trial number), so the n-th suggestion does not depend on how the study got
there. Models are kept between calls by the caller, and give bitwise what a fresh start would (`models`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from camobo import gp
from camobo.acquisition import (
    Acquisition,
    Curiosity,
    ExpectedReach,
    Feasible,
    ScalarisedUCB,
    Term,
    beta_practical,
    beta_theory,
    power_of,
)
from camobo.blas import one_thread
from camobo.cost import Moment
from camobo.design import begins, even_point, first_point
from camobo.inputs import Array
from camobo.maximize import maximise
from camobo.models import Models, update_models
from camobo.pareto import on_front
from camobo.plan import Data, Plan
from camobo.scalarize import directions, flat_weights, normal, quasi_random, reach
from camobo.space import Space

_RAYS, _FEWEST_DIRECTIONS = 128, 4
_EXPLORE_EVERY, _EXPLORE_LESS = 2, 35
_EXPLORE_EVERY_WITH_COST = 3
_EXPLORER_DEVIATIONS = 2.0
_GRID_PER_REAL = 100.0
_NEWS = 1e-3  # of an input's range: nearer to a known point in all of them there is nothing to learn
_BELIEVED = 500  # failed points that models are told of; of more, evenly spaced ones
_FARTHEST = 20.0  # standard deviations: a reference beyond is no different, and its powers would drown what is gained


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A point (d,) of the unit cube, how it came about, and the models to hand to the next call."""

    unit: Array
    notes: tuple[str, ...]
    models: Models | None = None
    acquisition: Acquisition | None = field(default=None, repr=False)


def suggest(plan: Plan, data: Data, number: int, models: Models | None = None) -> Suggestion:
    """The point to try as trial `number`."""
    with one_thread():
        if begins(plan, data):
            unit, note = first_point(plan, data, number)
            return Suggestion(unit, (note,))
        models = update_models(plan, data, models)
        return _elsewhere(plan, data, number, models) or _modelled(plan, data, number, models)


def _elsewhere(plan: Plan, data: Data, number: int, models: Models) -> Suggestion | None:
    """With a cost, and where much of what was seen is noise, every third suggestion looks anywhere.

    Of noise there is always something left to learn, and cheapest where it is cheap: a study whose cheap end is flat
    but for noise would stay there.
    """
    every = _explore_every(plan, number)
    if plan.cost is None or plan.method == "paper" or number % every != 0:
        return None
    if not any(model.noisy for model in models.gps[: len(plan.objectives)]):
        return None
    unit = even_point(plan, data, plan.initial + number // every, 1.0)
    return None if unit is None else Suggestion(unit, ("looks elsewhere: much of what it saw is noise",), models)


@dataclass(frozen=True, slots=True)
class _Standing:
    """Where a study stands if what is open comes out as expected, so that its gain is not sought twice.

    `units` (n, d) and standardised `outcomes` (n, M) are of what was measured, is being measured, or could not be.
    `feasible` and `front` are rows of them; without a feasible one, the front is what came nearest to it.
    """

    gps: tuple[gp.GP, ...]
    units: Array
    outcomes: Array
    limits: Array
    feasible: NDArray[np.intp]
    front: NDArray[np.intp]


def _standing(plan: Plan, data: Data, models: Models) -> _Standing:
    M, failed = len(plan.objectives), data.failed[gp.evenly(len(data.failed), _BELIEVED)]
    open_points = np.vstack([data.pending, failed])
    features = plan.space.features(open_points)
    gps = tuple(model.believe(features) for model in models.gps)
    outcomes = np.vstack([_standardised(gps, data.values), _expected(gps, features)])
    limits = np.array([float(model.standardise(np.zeros(1))[0]) for model in gps[M:]])
    excess = np.maximum(outcomes[:, M:] - limits, 0.0).sum(axis=1)
    feasible = np.flatnonzero(excess == 0.0)
    front = feasible[on_front(outcomes[feasible, :M])] if len(feasible) else excess.argmin(keepdims=True)
    return _Standing(gps, np.vstack([data.units, open_points]), outcomes[:, :M], limits, feasible, front)


def _modelled(plan: Plan, data: Data, number: int, models: Models) -> Suggestion:
    space, rng = plan.space, plan.stream("suggestion", number)
    standing = _standing(plan, data, models)
    terms, note = _reasons(plan, data.step, number, standing, rng)
    acquisition = Acquisition(space, standing.gps, terms)
    apart = 0.0 if plan.method == "paper" else _NEWS
    unit = maximise(acquisition, space, best=standing.units[standing.front], taken=data.tried, rng=rng, apart=apart)
    if len(terms) > 1 and _mostly(acquisition, terms[1:], unit):
        note = "learns where it is cheap"
    return Suggestion(unit, (note, *_rescues(plan, standing.gps)), models, acquisition)


def _reasons(
    plan: Plan, step: int, number: int, standing: _Standing, rng: np.random.Generator
) -> tuple[tuple[Term, ...], str]:
    """What makes a point worth trying, and in a word why."""
    moment, gps = plan.moment(step, plan.budget), standing.gps[: len(plan.objectives)]
    discount = None if plan.cost is None else plan.cost.at(moment, plan.space.names, rng)
    if len(standing.feasible) == 0:
        return (Term(Feasible(None, standing.limits), discount),), "looks for a feasible point"
    front, outcomes = standing.outcomes[standing.front], standing.outcomes[standing.feasible]
    if plan.method == "paper":
        terms: tuple[Term, ...] = (Term(_paper_utility(plan, step, gps, outcomes, rng), discount),)
        note = "Algorithm 1"
    else:
        explores = number % _explore_every(plan, number) == 0
        promise, volume = _promise(plan, gps, front, outcomes, explores, rng)
        terms = (Term(promise, discount), *_curiosity(plan, moment, volume, rng))
        note = "explores beyond the front" if explores else "improves the front"
    if plan.constraints:
        terms = tuple(Term(Feasible(term.utility, standing.limits), term.discount) for term in terms)
    return terms, note


def _mostly(acquisition: Acquisition, terms: tuple[Term, ...], unit: Array) -> bool:
    """Whether these of its terms are more than half of an acquisition at a point."""
    share = replace(acquisition, terms=terms)(unit[None, :]) - acquisition(unit[None, :])
    return bool(share[0] > math.log(0.5))


def _standardised(gps: Sequence[gp.GP], values: Array) -> Array:
    return np.column_stack([model.standardise(values[:, m]) for m, model in enumerate(gps)])


def _expected(gps: Sequence[gp.GP], features: Array) -> Array:
    return np.column_stack([model.posterior(features)[0] for model in gps])


def _rescues(plan: Plan, gps: Sequence[gp.GP]) -> tuple[str, ...]:
    return tuple(
        f"model of {name!r}: jitter {model.jitter:.0e} was needed to factorise its covariance"
        for name, model in zip((*plan.objectives, *plan.constraints), gps, strict=True)
        if model.jitter > 0.0
    )


def _given_reference(plan: Plan, gps: Sequence[gp.GP]) -> Array | None:
    if plan.reference is None:
        return None
    standardised = _standardised(gps, (plan.signs * np.array(plan.reference))[None, :])[0]
    return np.asarray(np.clip(standardised, -_FARTHEST, _FARTHEST))


def _paper_utility(
    plan: Plan, step: int, gps: Sequence[gp.GP], outcomes: Array, rng: np.random.Generator
) -> ScalarisedUCB:
    """Eq. 7 with objectives mapped to [0, 1] between the worst and the best seen, so that R = 0 unless one is given."""
    worst, best = outcomes.min(axis=0), outcomes.max(axis=0)
    given = _given_reference(plan, gps)
    span = np.maximum(best - worst, 1e-9)
    beta = beta_practical(step) if plan.beta == "practical" else beta_theory(step, log_points(plan.space))
    return ScalarisedUCB(flat_weights(len(gps), rng) / span, worst if given is None else given, beta)


def log_points(space: Space) -> float:
    """ln |X|; a real input counts as a hundred points, since the theorem is about finite spaces."""
    return sum(math.log(given.size if math.isfinite(given.size) else _GRID_PER_REAL) for given in space.inputs.values())


def _explore_every(plan: Plan, number: int) -> int:
    """Every other suggestion at first, every fourth after seventy trials, and ever more seldom.

    With a cost every third, to the end: the dear part of the space is only met late, and must still be explored then.
    """
    if plan.cost is not None:
        return _EXPLORE_EVERY_WITH_COST
    return _EXPLORE_EVERY + number // _EXPLORE_LESS


def directions_looked_along(objectives: int) -> int:
    """How many directions a suggestion is to improve the front along, the less of it the more objectives there are.

    A point of a large front moves it along few directions. What is best on average over many of them is a compromise
    between all ends of the front and near none; so each suggestion has a few of its own.

    >>> [directions_looked_along(m) for m in (2, 4, 5, 6, 7, 10)]
    [128, 128, 32, 8, 4, 4]
    """
    return max(_FEWEST_DIRECTIONS, _RAYS >> 2 * max(0, objectives - 4))


def _promise(
    plan: Plan, gps: Sequence[gp.GP], front: Array, outcomes: Array, explores: bool, rng: np.random.Generator
) -> tuple[ExpectedReach, float]:
    """Expected improvement of the front, and in its units what the front itself is worth.

    Most suggestions measure it against a reference just beyond the front, which resolves the front finely but sees
    nothing outside it. Some, fewer as trials add up, look for pieces of the front that the models do not believe in
    yet: with a reference beyond everything seen and deviations doubled.
    """
    M = len(gps)
    best, worst = front.max(axis=0), outcomes.min(axis=0)
    near = _just_beyond(front, worst)
    given = _given_reference(plan, gps)
    if given is not None and not np.any(np.all(front > given, axis=1)):
        given = None  # nothing lies above it yet: until something does, the data's own reference leads towards it
    reference = given if given is not None else (worst - 0.3 * (best - worst) - 1e-6 if explores else near)
    corner = near if given is None else np.maximum(near, given)  # what lies beyond a reference counts for nothing
    span, box = np.maximum(best - reference, 1e-6), np.maximum(best - corner, 1e-6)
    uniforms, count = quasi_random(_RAYS, 2 * M, rng), directions_looked_along(M)
    unit_rays = directions(uniforms[:count, :M]).repeat(_RAYS // count, axis=0)
    z = normal(uniforms[:, M:]) * (_EXPLORER_DEVIATIONS if explores else 1.0)
    promise = ExpectedReach(unit_rays * span, z, reach(front, reference, unit_rays * span), reference)
    power = power_of(M)
    own_volume = float((reach(front, corner, unit_rays * box) ** power).mean() * np.prod(box / span) ** (power / M))
    return promise, own_volume


def _curiosity(plan: Plan, moment: Moment, volume: float, rng: np.random.Generator) -> tuple[Term, ...]:
    """A second reason to try a point, if cost matters: to learn something where it is cheap.

    It competes with the promise of improvement, and is what a dear point must beat. Its own cost does not cool, so it
    never pays for a dear input; it fades itself as the budget is spent.
    """
    worth = 0.0 if plan.cost is None else plan.cost.curiosity(moment)
    if plan.cost is None or worth == 0.0:
        return ()
    undiminished = plan.cost.at(plan.moment(1, plan.budget), plan.space.names, rng)
    return (Term(Curiosity(max(worth * volume, 1e-300)), undiminished),)


def _just_beyond(front: Array, worst: Array) -> Array:
    """(M,) a tenth of the front's range below its worst corner; where it has no range, below the worst seen."""
    best, nadir = front.max(axis=0), front.min(axis=0)
    return np.asarray(np.where(best - nadir > 1e-9, nadir - 0.1 * (best - nadir), worst - 0.1 * (best - worst) - 1e-3))
