"""The read model of a study: its plan and its trials.

A trial's *level* in an input is 0 at the cheap end and 1 at the expensive end (`Space.expense`), which makes the use of
percentages, hours and choices comparable.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol

import numpy as np

from camobo.acquisition import pareto
from camobo.arrays import Array
from camobo.checks import Values, values_of
from camobo.cost.order import Order
from camobo.errors import InvalidOptionError, shown
from camobo.history.history import signed
from camobo.history.trial import State, Trial
from camobo.strategy.plan import Plan


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
    def front(self) -> tuple[Trial, ...]:
        """The complete trials that no other dominates."""
        complete = self.complete
        if not complete:
            return ()
        return tuple(t for t, kept in zip(complete, pareto.on_front(self.signed(complete)), strict=True) if kept)

    @property
    def order(self) -> Order | None:
        """Which inputs are more expensive than which; None without a cost."""
        return None if self.plan.cost is None else self.plan.cost.order

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
