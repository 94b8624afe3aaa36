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
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

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
from camobo.cost import Discount, Moment
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
        if len(data.units) + len(data.pending) < plan.initial or not _tells(plan, data.values):
            return _initial(plan, data, number)
        return _modelled(plan, data, number, update_models(plan, data, models))


def _stream(plan: Plan, purpose: str, number: int) -> np.random.Generator:
    return np.random.default_rng([plan.seed, zlib.crc32(purpose.encode()), number])


def _tells(plan: Plan, values: Array) -> bool:
    """Whether (n, M + K) observations tell a model anything.

    A model of equal values knows nothing, and would repeat itself. Nor does one of a constraint that is violated by the
    same everywhere, as one of yes and no is until it holds once.
    """
    if len(values) == 0:
        return False
    size = np.abs(values).max(axis=0)
    varies = np.ptp(values / np.where(size > 0.0, size, 1.0), axis=0) > 1e-12
    hopeless = ~varies & (values[0] > 0.0)
    return bool(varies.any() and not hopeless[len(plan.objectives) :].any())


def _initial(plan: Plan, data: Data, number: int) -> Suggestion:
    """Point `number` of an even sequence, from the cheap side of the inputs the cost names.

    From the cheap half, and with more than two objectives or a small budget from more of it: what a start in a corner
    does not show of a large front is missed for long, and in thirty evaluations for good. Beyond the planned number of
    points, as long as nothing tells a model anything, it widens to the whole.
    """
    first = plan.moment(1, plan.budget)
    unit = _even(plan, data, number, min(1.0, first.cheap_side * max(1.0, number / plan.initial)))
    if unit is not None:
        return Suggestion(unit, ("initial design",))
    space, rng = plan.space, _stream(plan, "initial spare", number)
    discount = None if plan.cost is None else plan.cost.at(first, space.names, rng)
    taken = np.vstack([data.units, data.pending, data.failed])
    unit = maximise(_Cheapest(space, discount, rng), space, best=taken, taken=taken, rng=rng)
    how = "drawn at random" if discount is None else "the cheapest left"
    return Suggestion(unit, (f"initial design, {how}: the space is small",))


def _even(plan: Plan, data: Data, place: int, share: float) -> Array | None:
    """(d,) that point of an even sequence over the cube, over a share of it along inputs the cost names.

    None if it has been tried. A place that failed gives way to the next.
    """
    space = plan.space
    levels = quasi_random(place + 1 + len(data.failed), space.dimension, _stream(plan, "initial design", 0))
    if plan.cost is not None:
        levels[:, plan.cost.order.columns(space.names)] *= share
    taken = np.vstack([data.units, data.pending, data.failed])
    fresh = (unit for unit in space.at_expense(levels[place:]) if len(taken) == 0 or _apart(unit, taken))
    return next(fresh, None)


def _apart(unit: Array, taken: Array) -> bool:
    return bool(np.abs(taken - unit).max(axis=1).min() > 1e-9)


@dataclass(frozen=True, slots=True)
class _Cheapest:
    """A surface that prefers cheap points, and among equals a random one."""

    space: Space
    discount: Discount | None
    rng: np.random.Generator

    def __call__(self, units: Array) -> Array:
        among_equals = 1e-9 * self.rng.random(len(units))
        return among_equals if self.discount is None else among_equals + self.discount.log(self.space.expense(units))

    def with_gradient(self, units: Array) -> tuple[Array, Array]:
        return self(units), np.zeros_like(units)

    def softened(self) -> _Cheapest:
        return self


def _modelled(plan: Plan, data: Data, number: int, models: Models) -> Suggestion:
    space, rng = plan.space, _stream(plan, "suggestion", number)
    moment, M = plan.moment(data.step, plan.budget), len(plan.objectives)
    every = _explore_every(plan, number)
    explores = plan.method != "paper" and number % every == 0
    if explores and plan.cost is not None and any(model.noisy for model in models.gps[:M]):
        # Of noise there is always something left to learn, and cheapest where it is cheap. So some of the suggestions
        # look anywhere: else a study whose cheap end is flat but for noise would stay there.
        elsewhere = _even(plan, data, plan.initial + number // every, 1.0)
        if elsewhere is not None:
            return Suggestion(elsewhere, ("looks elsewhere: much of what it saw is noise",), models)
    failed = data.failed[gp.evenly(len(data.failed), _BELIEVED)]
    open_points = np.vstack([data.pending, failed])
    gps = tuple(model.believe(space.features(open_points)) for model in models.gps)
    # What is being measured, or could not be, counts as if it had come out as expected: its gain is not sought twice.
    outcomes = np.vstack([_standardised(gps, data.values), _expected(gps, space.features(open_points))])
    units = np.vstack([data.units, open_points])
    limits = np.array([float(model.standardise(np.zeros(1))[0]) for model in gps[M:]])
    excess = np.maximum(outcomes[:, M:] - limits, 0.0).sum(axis=1)
    feasible = np.flatnonzero(excess == 0.0)
    front = feasible[on_front(outcomes[feasible, :M])]
    discount = None if plan.cost is None else plan.cost.at(moment, space.names, rng)
    if len(feasible) == 0:
        front = np.array([excess.argmin()])  # no front yet: the search begins around what came nearest to feasible
        terms: tuple[Term, ...] = (Term(Feasible(None, limits), discount),)
        notes: tuple[str, ...] = ("looks for a feasible point",)
    elif plan.method == "paper":
        terms = (Term(_paper_utility(plan, data.step, gps[:M], outcomes[feasible, :M], rng), discount),)
        notes = ("Algorithm 1",)
    else:
        promise, volume = _promise(plan, gps[:M], outcomes[front, :M], outcomes[feasible, :M], explores, rng)
        terms = (Term(promise, discount), *_curiosity(plan, moment, volume, rng))
        notes = ("explores beyond the front" if explores else "improves the front",)
    if plan.constraints and len(feasible):
        terms = tuple(Term(Feasible(term.utility, limits), term.discount) for term in terms)
    acquisition = Acquisition(space, gps, terms)
    apart = 0.0 if plan.method == "paper" else _NEWS
    taken = np.vstack([data.units, data.pending, data.failed])
    unit = maximise(acquisition, space, best=units[front], taken=taken, rng=rng, apart=apart)
    if len(terms) > 1 and _mostly(acquisition, terms[1:], unit):
        notes = ("learns where it is cheap",)
    return Suggestion(unit, notes + _rescues(plan, gps), models, acquisition)


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
