"""What the commands say with --json: plain data whose keys stay as they are (docs/command-line.md lists them)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from camobo.history import Event, plain
from camobo.inputs import Categorical
from camobo.trial import State, Trial

if TYPE_CHECKING:
    from camobo.explanation import Explanation
    from camobo.order import Order
    from camobo.plan import Plan
    from camobo.study import Study


def trial_facts(trial: Trial) -> dict[str, Any]:
    """One trial."""
    return {
        "number": trial.number,
        "state": trial.state.value,
        "params": dict(trial.params),
        "values": dict(trial.values or {}),
        "cost": trial.cost,
        "note": trial.note,
        "reason": trial.reason,
        "owner": trial.owner,
        "expires": None if trial.expires is None else trial.expires.isoformat(),
        "added": trial.added,
        "amended": trial.amended,
        "chosen": list(trial.notes),
    }


def trials_facts(trials: Sequence[Trial]) -> dict[str, Any]:
    """Several trials."""
    return {"trials": [trial_facts(trial) for trial in trials]}


def event_facts(event: Event) -> dict[str, Any]:
    """One line of the audit trail."""
    return {
        "number": event.number,
        "when": event.when.isoformat(),
        "who": event.who,
        "kind": event.kind,
        "trial": event.trial,
        "new": plain(event.new),
        "old": plain(event.old),
    }


def plan_facts(place: str, plan: Plan) -> dict[str, Any]:
    """What a study is about."""
    from camobo.document import to_document

    return {"study": place, "problem": to_document(plan)}


def explanation_facts(found: Explanation) -> dict[str, Any]:
    """Why a trial was suggested."""
    measured = found.trial.values or {}
    return {
        "trial": trial_facts(found.trial),
        "predictions": {
            name: {"mean": mean, "deviation": deviation, "measured": measured.get(name)}
            for name, (mean, deviation) in found.predictions.items()
        },
        "promise": found.utility,
        "cost": found.cost,
        "without_cost": None if found.without_cost is None else dict(found.without_cost),
    }


def status_facts(study: Study) -> dict[str, Any]:
    """Where a study stands."""
    plan, trials = study.plan, study.trials
    settled = [trial for trial in trials if not trial.state.open]
    costs = [trial.cost for trial in trials if trial.cost is not None]
    counts = Counter(trial.state for trial in trials)
    order = None if plan.cost is None else plan.cost.order
    levels = _levels(plan, [trial for trial in settled if not trial.added])
    reference = None if plan.reference is None else dict(zip(plan.objectives, plan.reference, strict=True))
    return {
        "study": study.storage,
        "objectives": dict(plan.objectives),
        "order": None if order is None else str(order),
        "budget": plan.budget,
        "evaluated": sum(not trial.added for trial in settled),
        "added": sum(trial.added for trial in trials),
        "trials": {state.value: counts[state] for state in State},
        "spent": sum(costs) if costs else None,
        "costs_told": len(costs),
        "hypervolume": study.hypervolume(),
        "reference": reference,
        "front": [trial.number for trial in study.front()],
        "inputs": _inputs(plan, study.usage(), settled, levels),
        "comparisons": [] if order is None or not levels else _comparisons(order, levels),
        "open": [trial_facts(trial) for trial in trials if trial.state.open],
    }


def _levels(plan: Plan, trials: list[Trial]) -> dict[str, float]:
    """How dear each input was on average in the trials suggested: 0 at its cheap end, 1 at its dear end."""
    import numpy as np

    if not trials:
        return {}
    # Input by input: the params of a trial have been checked, which to_unit of the whole space would do again.
    columns = [[given.to_unit(trial.params[name]) for trial in trials] for name, given in plan.space.inputs.items()]
    units = np.array(columns).T
    return dict(zip(plan.space.names, plan.space.expense(units).mean(axis=0).tolist(), strict=True))


def _inputs(plan: Plan, used: dict[str, Any], settled: list[Trial], levels: dict[str, float]) -> dict[str, Any]:
    named = () if plan.cost is None else plan.cost.order.names
    found: dict[str, Any] = {}
    for name, given in plan.space.inputs.items():
        chosen = isinstance(given, Categorical)
        found[name] = {
            "used": _by_name(used[name]) if chosen else used[name],
            "mean": None if chosen or not settled else used[name] / len(settled),
            "unit": "" if isinstance(given, Categorical) else given.unit,
            "level": levels.get(name) if name in named else None,
        }
    return found


def _by_name(counts: dict[Any, int]) -> dict[str, int]:
    """Counts of choices as text; if two were called the same, 1 and "1", all go by how Python writes them."""
    names = list(map(str, counts))
    return dict(zip(names if len(set(names)) == len(names) else map(repr, counts), counts.values(), strict=True))


def _comparisons(order: Order, levels: dict[str, float]) -> list[dict[str, Any]]:
    """Everything the order says, and whether the dearer input was used no more than the cheaper one, by share."""
    mean = [sum(levels[name] for name in group) / len(group) for group in order.groups]
    return [
        {"dearer": list(order.groups[i]), "cheaper": list(order.groups[j]), "levels": [mean[i], mean[j]],
         "kept": mean[i] <= mean[j]}
        for i, j in sorted(order.above)
        if not any((i, m) in order.above and (m, j) in order.above for m in range(len(order.groups)))
    ]  # fmt: skip
