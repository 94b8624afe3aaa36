"""The next point to try, by the plan's method.

Random streams derive from (seed, purpose, trial number), so a suggestion depends on the data, not on how the study got
there. Models passed from one call to the next save time and change nothing, to the bit.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from camobo.acquisition.maximise import maximise
from camobo.acquisition.pareto import on_front
from camobo.acquisition.surface import Surface
from camobo.arrays import Array
from camobo.model.blas import one_thread
from camobo.model.models import Models
from camobo.space.space import is_new
from camobo.strategy.cheapest import within_means
from camobo.strategy.default import DefaultStrategy
from camobo.strategy.funds import funds
from camobo.strategy.notes import Note, Reason
from camobo.strategy.paper import PaperStrategy
from camobo.strategy.plan import Data, Method, Plan
from camobo.strategy.protocol import Fitted, Strategy, Suggestion

STRATEGIES: Mapping[Method, Strategy] = {"default": DefaultStrategy(), "paper": PaperStrategy()}


def suggest(
    plan: Plan, data: Data, number: int, earlier: Fitted | None = None, *, fixed: Mapping[str, float] | None = None
) -> Suggestion:
    """The point to try as trial `number`.

    fixed: unit-cube coordinates, by name, of inputs whose value is given; the other inputs are chosen to suit them.
    """
    with one_thread():
        found = STRATEGIES[plan.method].suggest(plan, data, number, earlier or Fitted())
    found = with_fixed(plan, data, number, found, fixed) if fixed else found
    return found if found.has_cost else replace(found, notes=(*found.notes, Note(Reason.NO_COST)))


def models_of(plan: Plan, data: Data) -> Models:
    """The models that a suggestion from this data would use."""
    with one_thread():
        return STRATEGIES[plan.method].models(plan, data, None)


def with_fixed(plan: Plan, data: Data, number: int, found: Suggestion, fixed: Mapping[str, float]) -> Suggestion:
    """A suggestion with some inputs fixed and the others chosen again to suit them.

    Without a model, as in the initial design, the others stay as suggested. A tried point is suggested again only if
    every input is fixed. What the money left does not pay for gives way to the cheapest point with these values; if
    that cannot be paid either, BudgetSpent.
    """
    with one_thread():
        unit = _suited(plan, data, number, found, fixed)
        means = funds(plan, data, found.fitted.cost)
        return replace(found, unit=within_means(plan, data, number, means, unit, fixed))


def _suited(plan: Plan, data: Data, number: int, found: Suggestion, fixed: Mapping[str, float]) -> Array:
    """(d,) the suggested point with some inputs fixed, and the others chosen to suit them."""
    names, rng = plan.space.names, plan.stream("held", number)
    moved = np.array([fixed.get(name, u) for name, u in zip(names, found.unit.tolist(), strict=True)])
    surface: Surface | None = found.acquisition
    as_found = surface is None and np.array_equal(*plan.space.has(np.vstack([moved, found.unit])))
    inside = plan.space.region.holds(moved[None, :])[0]
    if len(fixed) == len(names) or (as_found and inside and is_new(moved, data.tried)):
        return moved
    front = data.units[on_front(data.values[:, : len(plan.objectives)])] if len(data.units) else data.units
    chosen = _NoPreference(rng) if surface is None else surface
    return maximise(chosen, plan.space, fixed=fixed, best=front, taken=data.tried, rng=rng)


@dataclass(frozen=True, slots=True)
class _NoPreference:
    """A surface on which a random point is best."""

    rng: np.random.Generator

    def __call__(self, units: Array) -> Array:
        return self.rng.random(len(units))

    def with_gradient(self, units: Array) -> tuple[Array, Array]:
        return self(units), np.zeros_like(units)

    def softened(self) -> _NoPreference:
        return self
