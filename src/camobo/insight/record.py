"""The read model of a study: its plan and its trials.

A trial's *level* in an input is 0 at the cheap end and 1 at the expensive end (`Space.expense`), which makes
percentages, hours and choices comparable.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from camobo.acquisition import pareto
from camobo.arrays import Array, evenly
from camobo.checks import Values, values_of
from camobo.cost.order import Order
from camobo.cost.sweep import cheapest_of, costs_at
from camobo.errors import InvalidOptionError, shown
from camobo.history.history import signed
from camobo.history.trial import State, Trial
from camobo.insight.costs import Costs, costs_of
from camobo.insight.effects import effects_of
from camobo.insight.purse import Purse, purse_of
from camobo.strategy.plan import Plan

_MOST_VOLUMES = 120  # with five objectives or more, one hypervolume of hundreds of points takes up to 0.25 s


class HasTrials(Protocol):
    """What a record can be made from, such as a `Study`."""

    @property
    def plan(self) -> Plan:
        """What the study is about."""
        ...

    @property
    def trials(self) -> tuple[Trial, ...]:
        """All its trials, by number."""
        ...


@dataclass(frozen=True, slots=True)
class Use:
    """How far one input was used in each settled trial."""

    input: str
    weight: float | None
    """Its share of what all inputs can add to the cost; None if it adds nothing."""
    levels: Array

    def mean(self, rows: slice | NDArray[np.bool_] = slice(None)) -> float | None:
        """The mean level of some of the trials; None if there are none."""
        chosen = self.levels[rows]
        return float(chosen.mean()) if len(chosen) else None


@dataclass(frozen=True)
class Record:
    """A plan and its trials, and the facts that follow from them."""

    plan: Plan
    trials: tuple[Trial, ...]

    @cached_property
    def complete(self) -> tuple[Trial, ...]:
        """Trials with a value for every objective."""
        return tuple(t for t in self.trials if t.state is State.COMPLETE and t.values is not None)

    @cached_property
    def settled(self) -> tuple[Trial, ...]:
        """Trials that are complete or failed: both were paid for."""
        return tuple(t for t in self.trials if t.state in (State.COMPLETE, State.FAILED))

    @cached_property
    def suggested(self) -> tuple[Trial, ...]:
        """Trials of any state that were suggested; the others were added by hand."""
        return tuple(t for t in self.trials if not t.added)

    @cached_property
    def evaluated(self) -> tuple[Trial, ...]:
        """Trials that were suggested and are settled."""
        return tuple(t for t in self.trials if t.evaluated)

    @cached_property
    def front(self) -> tuple[Trial, ...]:
        """The complete trials that no other dominates."""
        complete = self.complete
        if not complete:
            return ()
        return tuple(t for t, kept in zip(complete, pareto.on_front(self.signed(complete)), strict=True) if kept)

    @property
    def order(self) -> Order | None:
        """The order of inputs that the cost states; None if it states none."""
        return None if self.plan.cost is None else self.plan.cost.order

    @cached_property
    def purse(self) -> Purse:
        """What was spent and is left, and what points cost."""
        return purse_of(self.plan, self.trials, self.units(self.trials))

    @cached_property
    def effects(self) -> Mapping[str, float]:
        """How much each input can add to the cost of the cheapest trial: 0.5 is half of it."""
        return {} if self.purse.model is None else effects_of(self.purse.model, self.plan.space)

    @cached_property
    def cheapest(self) -> float | None:
        """What the cheapest trial is expected to cost, in money or in no unit; None without a cost."""
        model, space = self.purse.model, self.plan.space
        return None if model is None else float(costs_at(model, cheapest_of(model, space)[None, :])[0])

    @cached_property
    def costs(self) -> Costs | None:
        """What each trial cost, or is expected to cost; None if nothing is known about cost."""
        return costs_of(self.purse, self.trials, self.units(self.trials), self.cheapest if self.effects else None)

    @property
    def reference(self) -> Array:
        """(M,) where hypervolume starts, larger is better: the plan's reference, or else the worst seen."""
        if self.plan.reference is not None:
            return np.asarray(self.plan.signs * np.array(self.plan.reference))
        return np.asarray(self.signed(self.complete).min(axis=0, initial=np.inf))

    def hypervolume(self, reference: Values | None = None) -> float:
        """The volume that the front dominates above a reference: the one given, the plan's, or the worst seen."""
        above = self.reference
        if reference is not None:
            given = values_of(reference, self.plan.objectives, what="reference")
            above = self.plan.signs * np.array(list(given.values()))
        return pareto.hypervolume(self.signed(self.complete), above)

    def units(self, trials: Sequence[Trial]) -> Array:
        """(n, d) the trials' points in the unit cube."""
        space = self.plan.space
        return np.array([space.to_unit(trial.params) for trial in trials]).reshape(-1, space.dimension)

    def levels(self, trials: Sequence[Trial]) -> Array:
        """(n, d) the level of each input: 0 at its cheap end, 1 at its expensive end."""
        return self.plan.space.expense(self.units(trials))

    @cached_property
    def mean_levels(self) -> Mapping[str, float]:
        """The mean level of each input in the evaluated trials; empty if there are none."""
        if not self.evaluated:
            return {}
        return dict(zip(self.plan.space.names, self.levels(self.evaluated).mean(axis=0).tolist(), strict=True))

    @cached_property
    def uses(self) -> tuple[Use, ...]:
        """The use of each input in the settled trials, most expensive first, then those that cost nothing."""
        levels, total = self.levels(self.settled), sum(self.effects.values())
        weights = {name: added / total for name, added in self.effects.items()}
        found = [Use(name, weights.get(name), levels[:, j]) for j, name in enumerate(self.plan.space.names)]
        return tuple(sorted(found, key=lambda use: -1.0 if use.weight is None else -1.0 - use.weight))

    @cached_property
    def volumes(self) -> tuple[tuple[Trial, ...], Array]:
        """Complete trials, and the hypervolume after each; with five objectives or more, for at most 120 of them."""
        complete = self.complete
        if not complete:
            return (), np.zeros(0)
        signed, reference = self.signed(complete), self.reference
        kept = evenly(len(complete), _MOST_VOLUMES if signed.shape[1] >= 5 else len(complete))
        found, front, seen, volume = [], signed[:0], 0, 0.0
        for i in kept:
            both = np.vstack([front, signed[seen : i + 1]])
            on = pareto.on_front(both)
            if on[len(front) :].any():
                volume = max(volume, pareto.hypervolume(both[on], reference))  # never falls, though an estimate may
            front, seen = both[on], i + 1
            found.append(volume)
        return tuple(complete[i] for i in kept), np.array(found)

    def signed(self, trials: Sequence[Trial]) -> Array:
        """(n, M) values of complete trials, larger is better."""
        return signed(self.plan, trials)


@dataclass(frozen=True)
class ForeignRecord(Record):
    """A study made with another tool, in camobo's terms.

    The method, seed and refit interval of its plan are defaults that nobody chose.
    """

    left_out: Mapping[int, str] = field(default_factory=dict)
    """Why a trial was left out, by its number."""
    remarks: tuple[str, ...] = ()
    """What else the reader should know."""


def record_of(given: HasTrials | Record) -> Record:
    """The record of a study; a record is returned as it is."""
    if isinstance(given, Record):
        return given
    plan, trials = getattr(given, "plan", None), getattr(given, "trials", None)
    if isinstance(plan, Plan) and isinstance(trials, tuple):
        return Record(plan, trials)
    raise InvalidOptionError(f"need a Study or a Record, got {shown(given)}.")
