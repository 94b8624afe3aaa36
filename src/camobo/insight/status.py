"""Where a study stands, as plain data: what `camobo status` prints."""

from __future__ import annotations

from collections import Counter
from typing import Any

from camobo.history.trial import State
from camobo.insight.record import Record
from camobo.insight.spending import disagreements
from camobo.insight.summary import usage
from camobo.space.inputs import Categorical


def status(record: Record) -> dict[str, Any]:
    """Where a study stands, as plain data that JSON can hold."""
    plan, trials = record.plan, record.trials
    counts = Counter(trial.state for trial in trials)
    return {
        "objectives": dict(plan.objectives),
        "cost": None if plan.cost is None else str(plan.cost),
        "order": None if record.order is None else str(record.order),
        "thrift": plan.thrift,
        "budget": None if plan.budget is None else {"trials": plan.budget.trials, "cost": plan.budget.cost},
        "money": None if not record.purse.in_money else _money(record),
        "evaluated": len(record.evaluated),
        "added": len(trials) - len(record.suggested),
        "trials": {state.value: counts[state] for state in State},
        "costs_told": sum(trial.cost is not None for trial in trials),
        "hypervolume": record.hypervolume(),
        "reference": None if plan.reference is None else dict(zip(plan.objectives, plan.reference, strict=True)),
        "front": [trial.number for trial in record.front],
        "inputs": _inputs(record),
        "disagreements": [found.as_dict() for found in disagreements(record)],
        "late": [{"trial": trial.number, **result.as_dict()} for trial in trials for result in trial.late],
        "open": [trial.as_dict() for trial in trials if trial.state.open],
    }


def _money(record: Record) -> dict[str, Any]:
    """What was spent and is left, and what is reserved for open trials."""
    purse = record.purse
    return {
        "unit": purse.unit,
        "spent": purse.spent,
        "estimated": purse.estimated,
        "reserved": purse.reserved,
        "remaining": purse.remaining,
    }


def _inputs(record: Record) -> dict[str, Any]:
    """Per input: how much the settled trials used, and if it costs something, its mean level in evaluated ones."""
    named = record.effects
    used, found = usage(record), dict[str, Any]()
    for name, given in record.plan.space.inputs.items():
        chosen = isinstance(given, Categorical)
        found[name] = {
            "used": _by_text(used[name]) if chosen else used[name],
            "mean": None if chosen or not record.settled else used[name] / len(record.settled),
            "unit": "" if isinstance(given, Categorical) else given.unit,
            "level": record.mean_levels.get(name) if name in named else None,
        }
    return found


def _by_text(counts: dict[Any, int]) -> dict[str, int]:
    """Counts keyed by the choices as text, or by their repr if two would be the same text, such as 1 and "1"."""
    names = list(map(str, counts))
    return dict(zip(names if len(set(names)) == len(names) else map(repr, counts), counts.values(), strict=True))
