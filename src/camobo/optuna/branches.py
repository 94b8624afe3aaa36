"""Conditional parameters: which parameters a point has, and the space of all of them.

    model = trial.suggest_categorical("model", ["forest", "svm"])
    if model == "forest":
        depth = trial.suggest_int("depth", 1, 16)

Nobody declares that depth goes with forests. It is read from the complete trials: for each parameter that some of them
lack, a decision tree over the others that agrees with every trial. A parameter that a trial lacks is at its cheap end
there; a model sees it halfway between its values, as far from all of them as can be. So one model serves all branches,
and a suggestion compares them.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from camobo.arrays import Array
from camobo.space.inputs import Categorical, Input, Param
from camobo.space.space import SAME, Space

_FEW = 32  # values of a parameter that decides; one with more could explain anything by chance

Flags: TypeAlias = NDArray[np.bool_]
Columns: TypeAlias = Mapping[str, Array]
"""Per input (n,) unit-cube coordinates; NaN where a point lacks it."""


@dataclass(frozen=True, slots=True)
class Question:
    """Whether a point has an input, with a coordinate in a range."""

    name: str
    low: float = 0.0
    high: float = 1.0

    def holds(self, columns: Columns) -> Flags:
        """(n,) for each point."""
        units = columns[self.name]
        return (self.low - SAME <= units) & (units <= self.high + SAME)


@dataclass(frozen=True, slots=True)
class Fork:
    """A decision tree: what is so where the answer is yes, and where it is no."""

    question: Question
    yes: Tree
    no: Tree


Tree: TypeAlias = "Fork | bool"


def decide(tree: Tree, columns: Columns, count: int) -> Flags:
    """(n,) what a tree says about n points."""
    if isinstance(tree, bool):
        return np.full(count, tree)
    yes, no = (decide(branch, columns, count) for branch in (tree.yes, tree.no))
    return np.where(tree.question.holds(columns), yes, no)


@dataclass(frozen=True)
class BranchedSpace(Space):
    """A space of which a point has some inputs only. `snap` moves the others to their cheap ends."""

    conditions: Mapping[str, Tree] = field(default_factory=dict, kw_only=True)
    """Where points have the inputs that some lack. A tree asks about those before its own, and those that all have."""

    def has(self, units: Array) -> Flags:
        """(n, d) which inputs each of (n, d) points has; coordinates may be NaN."""
        columns = {name: units[:, j] for j, name in enumerate(self.names)}
        found = np.ones(units.shape, dtype=np.bool_)
        for name, tree in self.conditions.items():
            here = decide(tree, columns, len(units))
            columns[name] = np.where(here, columns[name], np.nan)
            found[:, self.names.index(name)] = here
        return found

    def from_unit(self, unit: Array | Sequence[float]) -> dict[str, Param]:
        """The params at (d,) coordinates in the unit cube: those that such a point has."""
        has = self.has(np.array(unit)[None])[0].tolist()
        return {name: value for (name, value), here in zip(super().from_unit(unit).items(), has, strict=True) if here}

    @cached_property
    def _ends(self) -> Array:
        return Space(self.inputs).cheapest()

    def snap(self, units: Array) -> Array:
        """(n, d) points moved to the nearest ones that can be evaluated."""
        snapped = super().snap(units)
        return np.where(self.has(snapped), snapped, self._ends)

    def grid(self) -> Array:
        """(m, d) every point of a finite space, each once."""
        return np.unique(self.snap(super().grid()), axis=0)

    def features(self, units: Array) -> Array:
        """(n, f) features of (n, d) snapped points; an input that a point lacks is halfway between its values."""
        found, has = np.array(super().features(units)), self.has(units)
        for j, given in enumerate(self.inputs.values()):
            first, lacks = self.feature_column[j], ~has[:, j]
            if isinstance(given, Categorical):
                found[lacks, first : first + len(given.choices)] = 0.0
            else:
                found[lacks, first] = 0.5
        return found


def branched(inputs: Mapping[str, Input], rows: Sequence[Mapping[str, float]]) -> Space | None:
    """The space of the inputs of which it is known when a point has them; None if there are none.

    rows: per complete trial, coordinates by name of the inputs it has. An input is known if all rows have it, or if a
        decision tree over the others agrees with every row. If all rows have all of them, the space is a plain one.
    """
    columns = {name: np.array([row.get(name, np.nan) for row in rows]) for name in inputs}
    count = {name: int((~np.isnan(column)).sum()) for name, column in columns.items()}
    known = {name: columns[name] for name in inputs if count[name] in (0, len(rows))}
    conditions: dict[str, Tree] = {}
    for name in sorted(inputs, key=lambda name: (-count[name], name)):  # what decides is in all trials that have it
        if name not in known:
            questions = _questions({other: inputs[other] for other in known}, known)
            tree = explained(~np.isnan(columns[name]), known, questions)
            if tree is not None:
                known[name], conditions[name] = columns[name], tree
    kept = {name: given for name, given in inputs.items() if name in known}
    if not kept:
        return None
    return BranchedSpace(kept, conditions=conditions) if conditions else Space(kept)


def explained(present: Flags, columns: Columns, questions: Collection[Question]) -> Tree | None:
    """A decision tree that says (n,) `present`, by the questions that leave the least undecided; None if none can."""
    undecided = _undecided(present)
    if undecided == 0.0:
        return bool(present.any())
    answers = {question: question.holds(columns) for question in questions}
    left = {question: _undecided(present[yes]) + _undecided(present[~yes]) for question, yes in answers.items()}
    best = min(left, key=lambda question: left[question], default=None)
    if best is None or left[best] > undecided - 1e-9:
        return None
    yes, no = (
        explained(present[rows], {name: column[rows] for name, column in columns.items()}, questions)
        for rows in (answers[best], ~answers[best])
    )
    return None if yes is None or no is None else Fork(best, yes, no)


def _undecided(present: Flags) -> float:
    """How mixed flags are: 0 if all are the same."""
    return float(present.mean() * (~present).sum()) if len(present) else 0.0


def _questions(inputs: Mapping[str, Input], columns: Columns) -> list[Question]:
    """What may decide: that a point has an input, or a value of one that has few. Those with the fewest come first."""
    found = []
    for name, given in sorted(inputs.items(), key=lambda item: item[1].size):
        values = np.unique(columns[name][~np.isnan(columns[name])]).tolist()
        if given.size <= _FEW and isinstance(given, Categorical):
            found += [Question(name, value, value) for value in values]
        elif given.size <= _FEW:
            middles = [(low + high) / 2 for low, high in pairwise(values)]
            found += [Question(name, low=middle) for middle in middles] + [
                Question(name, high=middle) for middle in middles
            ]
        if np.isnan(columns[name]).any():
            found.append(Question(name))
    return found
