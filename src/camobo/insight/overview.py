"""A study at a glance: what `print(study)` says and a notebook shows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from html import escape

from camobo.history.trial import Trial
from camobo.insight.record import Record
from camobo.insight.summary import headline

_MOST_SHOWN = 10
"""Trials of the front that are listed."""


def text(record: Record) -> str:
    """A line per fact, then the front."""
    facts = [f"{label:<13}{fact}" for label, fact in _facts(record)]
    front = (f"  {trial.outcome}{_paid(record, trial)}" for trial in record.front[:_MOST_SHOWN])
    return "\n".join([*facts, *front, *_rest(record)])


def html(record: Record) -> str:
    """The same as two tables."""
    plan, front = record.plan, record.front[:_MOST_SHOWN]
    facts = [_row([escape(label), escape(fact)]) for label, fact in _facts(record)]
    names = [*plan.space.names, *(f"{name} ({goal})" for name, goal in plan.objectives.items())]
    head = _row(["trial", *map(escape, names), f"cost {escape(_unit(record))}".rstrip()], "th")
    rows = [
        _row([str(trial.number), *(escape(str(trial.params[name])) for name in plan.space.names)]
             + [f"{(trial.values or {})[name]:.6g}" for name in plan.objectives]
             + ["" if trial.cost is None else f"{trial.cost:.6g}"])
        for trial in front
    ]  # fmt: skip
    table = f"<table>{head}{''.join(rows)}</table>" if front else ""
    return f"<table>{''.join(facts)}</table>{table}{''.join(f'<p>{escape(line)}</p>' for line in _rest(record))}"


def _paid(record: Record, trial: Trial) -> str:
    return "" if trial.cost is None else f"; cost {trial.cost:.6g} {_unit(record)}".rstrip()


def _unit(record: Record) -> str:
    return "" if record.plan.budget is None else record.plan.budget.unit


def _row(cells: Sequence[str], tag: str = "td") -> str:
    return "<tr>" + "".join(f"<{tag}>{cell}</{tag}>" for cell in cells) + "</tr>"


def _facts(record: Record) -> list[tuple[str, str]]:
    plan = record.plan
    states = Counter(trial.state.value for trial in record.trials)
    return [
        ("objectives", ", ".join(f"{name} ({goal})" for name, goal in plan.objectives.items())),
        ("inputs", ", ".join(plan.space.names)),
        ("budget", _budget(record)),
        ("trials", ", ".join(f"{count} {state}" for state, count in states.items()) or "none"),
        ("hypervolume", f"{record.hypervolume():.6g}"),
        ("front", f"{len(record.front)} of {len(record.complete)} complete trials"),
    ]


def _budget(record: Record) -> str:
    """What was used of what: "12 of 20 trials, 180 of 2000 EUR"."""
    budget, (_, purse, _) = record.plan.budget, headline(record)
    parts = []
    if budget is not None and budget.trials is not None:
        parts.append(f"{len(record.evaluated)} of {budget.trials} trials")
    if budget is not None and budget.cost is not None:
        parts.append(f"{purse.spent:.6g} of {budget.cost:.6g} {budget.unit}".rstrip())
    elif purse.in_money:
        parts.append(f"{purse.spent:.6g} spent")
    return ", ".join(parts) or "none"


def _rest(record: Record) -> list[str]:
    more = len(record.front) - _MOST_SHOWN
    return [f"  and {more} more"] if more > 0 else []
