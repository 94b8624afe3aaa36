"""What a study has found and what it used, read from its history."""

from __future__ import annotations

from typing import Any

import numpy as np

from camobo import pareto
from camobo.checks import Values, values_of
from camobo.history import History, complete, signed
from camobo.inputs import Categorical
from camobo.trial import Trial


def front(history: History) -> list[Trial]:
    """The complete trials that no other dominates, by number."""
    done = complete(history)
    if not done:
        return []
    return [trial for trial, kept in zip(done, pareto.on_front(signed(history.plan, done)), strict=True) if kept]


def hypervolume(history: History, reference: Values | None = None) -> float:
    """Volume the front dominates above the reference given, else the study's own, else the worst seen."""
    plan, given = history.plan, history.plan.reference
    if reference is not None:
        given = tuple(values_of(reference, plan.objectives, what="reference").values())
    done = complete(history)
    if not done:
        return 0.0
    values = signed(plan, done)
    return pareto.hypervolume(values, values.min(axis=0) if given is None else plan.signs * np.array(given))


def usage(history: History) -> dict[str, Any]:
    """How much of each input the evaluated trials used: the sum of a number's values, the count of each choice.

    Choices that one dict cannot hold beside each other, such as 0 and False, go by how Python writes them.
    """
    done = [trial.params for trial in history.trials if not trial.state.open]
    used: dict[str, Any] = {}
    for name, given in history.plan.space.inputs.items():
        if isinstance(given, Categorical):
            clash = len(set(given.choices)) < len(given.choices)
            used[name] = {
                repr(choice) if clash else choice: sum(params[name] is choice for params in done)
                for choice in given.choices
            }
        else:
            used[name] = sum(params[name] for params in done)
    return used


def spent(history: History) -> float | None:
    """What was told of costs, added up; None if nothing was."""
    told = [trial.cost for trial in history.trials if trial.cost is not None]
    return sum(told) if told else None


def headline(history: History) -> tuple[float, float | None, dict[str, Any]]:
    """The hypervolume, what was spent, and how much was used of the inputs the cost names."""
    cost, used = history.plan.cost, usage(history)
    dear = {} if cost is None else {name: used[name] for name in cost.order.names}
    return hypervolume(history), spent(history), dear
