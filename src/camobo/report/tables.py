"""The tables of a report."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from camobo.history.trial import Trial
from camobo.insight.costs import Costs
from camobo.insight.record import Record
from camobo.insight.spending import has_expensive_end
from camobo.insight.summary import usage
from camobo.plot.style import expense_colours, number, rough, shown, unit_of
from camobo.report.page import Html, join, tag, user_text
from camobo.space.inputs import Categorical, Input, Param, Real

MOST_ROWS = 500
_OPTIONAL: tuple[tuple[str, str, Callable[[Any], str]], ...] = (
    ("owner", "owner", user_text),
    ("expires", "held until", lambda moment: f"{moment:%Y-%m-%d %H:%M %Z}".strip()),
    ("note", "note", user_text),
)
"""Columns shown if any trial has a value: attribute, heading, format."""


def table(
    label: str, head: Sequence[str | Html], rows: Iterable[Sequence[str | Html]], text: Iterable[int] = ()
) -> Html:
    """A table that scrolls on its own. Columns in `text` are left-aligned text, the others numbers."""
    text_columns = set(text)
    kinds = [None if i in text_columns else "number" for i in range(len(head))]
    top = tag("tr", *(tag("th", cell, scope="col", class_=kind) for cell, kind in zip(head, kinds, strict=True)))
    body = [tag("tr", *(tag("td", cell, class_=kind) for cell, kind in zip(row, kinds, strict=True))) for row in rows]
    whole = tag("table", tag("thead", top), tag("tbody", *body))
    return tag("div", whole, class_="scroll", role="region", aria_label=label, tabindex="0")


def trial_table(record: Record, trials: Sequence[Trial], label: str, *, reasons: bool = False) -> Html:
    """Trials with all parameters, values and costs; with `reasons`, why they failed or were amended."""
    inputs, goals, costs = record.plan.space.inputs, record.plan.objectives, record.costs
    if costs is not None and not any(trial.number in costs.amounts for trial in trials):
        costs = None
    measured = any(trial.values for trial in trials)
    optional = [column for column in _OPTIONAL if any(getattr(trial, column[0]) is not None for trial in trials)]
    head: list[str | Html] = ["trial", *(_heading(name, unit_of(record, name)) for name in inputs)]
    text = [1 + j for j, given in enumerate(inputs.values()) if isinstance(given, Categorical)]
    head += [_heading(name, goals[name]) for name in goals] if measured else []
    head += [] if costs is None else [_heading("cost", costs.unit if costs.in_money else "× cheapest")]
    first_text = len(head)
    head += [*(heading for _, heading, _ in optional), *(["reason"] if reasons else []), "why chosen"]
    text += range(first_text, len(head))
    rows = []
    for trial in trials[:MOST_ROWS]:
        row: list[str | Html] = [str(trial.number), *(user_text(shown(trial.params[name])) for name in inputs)]
        row += [_or_dash((trial.values or {}).get(name), number) for name in goals] if measured else []
        row += [] if costs is None else [_cost(costs, trial)]
        row += [_or_dash(getattr(trial, name), write) for name, _, write in optional]
        row += [_or_dash(trial.reason, user_text)] if reasons else []
        amended = [f"amended: {trial.reason}"] if trial.amended else []
        rows.append([*row, user_text("; ".join([*map(str, trial.notes), *amended]))])
    return table(label, head, rows, text)


def _heading(name: str, detail: str) -> Html:
    return join(user_text(name), tag("small", " ", user_text(detail)) if detail else None)


def _cost(costs: Costs, trial: Trial) -> str:
    """What a trial cost: as recorded, or ≈ as expected."""
    if trial.number not in costs.amounts:
        return "–"
    amount = costs.amounts[trial.number]
    return number(amount) if trial.number in costs.paid else f"≈ {rough(amount)}"


def _or_dash(value: Any, write: Callable[[Any], str]) -> str:
    return "–" if value is None or value == "" else write(value)


def use_table(record: Record) -> Html:
    """What each input can add to the cost, and its use: in total, its mean level, also early, late and on the front."""
    numbers = {trial.number for trial in record.front}
    on_front = [trial.number in numbers for trial in record.settled]
    half, used = len(record.settled) // 2, usage(record)
    rows = []
    for use, colour in zip(record.uses, expense_colours([use.weight for use in record.uses]), strict=True):
        given = record.plan.space.inputs[use.input]
        row: list[str | Html] = [user_text(use.input)]
        row += [_added(record, use.input)] if record.effects else []
        row.append(_total(given, used[use.input]))
        if not has_expensive_end(given):
            rows.append([*row, "–", "–", "–", "–"])
            continue
        best = [level for level, on in zip(use.levels.tolist(), on_front, strict=True) if on]
        means = (use.mean(slice(0, half)), use.mean(slice(half, None)), sum(best) / len(best) if best else None)
        cells = ["–" if mean is None else f"{mean:.2f}" for mean in means]
        rows.append([*row, _bar(use.mean() or 0.0, colour), *cells])
    adds: list[str | Html] = []
    if record.effects:
        adds = [_heading("can add", record.purse.unit if record.purse.in_money else "")]
    head = ["input", *adds, "total", "mean level", "first half", "second half", "on the front"]
    html = table("Use of inputs", head, rows, text=(0, 2 + len(adds)))
    return join(html, tag("p", *_use_caption(record), class_="more"))


def _added(record: Record, name: str) -> str:
    """What an input can add to the cheapest trial, in money, or as a percentage of its cost."""
    effect = record.effects.get(name)
    if effect is None:
        return "–"
    purse, cheapest = record.purse, record.cheapest
    return f"+{rough(effect * (cheapest or 0.0))}" if purse.in_money else f"+{rough(100.0 * effect)} %"


def _use_caption(record: Record) -> list[str | Html]:
    """How to read the table."""
    levels = "Levels are means over finished trials: 0 is the cheap end, 1 the expensive end."
    if not record.effects:
        return [levels]
    adds = "What an input can add: the most that moving it alone adds to the cheapest trial"
    if not record.purse.in_money or record.cheapest is None:
        return [f"{adds}, as a share of its cost. {levels}"]
    return [f"{adds}, which costs {rough(record.cheapest)} ", user_text(record.purse.unit), f". {levels}"]


def _bar(level: float, colour: str) -> Html:
    filled = tag("rect", width=f"{100 * level:.1f}", height="10", rx="2", fill=colour)
    rail = tag("rect", width="100", height="10", rx="2", class_="rail")
    return join(tag("svg", rail, filled, class_="bar", viewBox="0 0 100 10", aria_hidden="true"), f" {level:.2f}")


def _total(given: Input, used: Any) -> Html:
    """What `usage` says of an input: the sum of a number's values, or the count of each choice."""
    if not isinstance(given, Categorical):
        return join(number(float(used)), tag("small", " ", user_text(given.unit)) if given.unit else None)
    pairs = zip(used.values(), given.choices, strict=True)
    return _separated(", ", [join(f"{count} × ", user_text(choice)) for count, choice in pairs if count])


def _separated(separator: str, parts: Sequence[Html]) -> Html:
    return join(*(join(separator if i else None, part) for i, part in enumerate(parts)))


def input_cells(given: Input) -> list[str | Html]:
    """The kind, range and expensive end of an input."""
    if isinstance(given, Categorical):
        expensive = _separated(", then ", _typed_each(given.expensive))
        return ["choice", _separated(", ", _typed_each(given.choices)), expensive or "none"]
    kind = ("real" if isinstance(given, Real) else "integer") + (", logarithmic" if given.log else "")
    if isinstance(given, Real) and given.step is not None:
        kind += f", steps of {given.step}"
    span = f"{number(float(given.low))} to {number(float(given.high))}"
    return [kind, join(span, " ", user_text(given.unit)) if given.unit else span, given.expensive]


def _typed_each(choices: Sequence[Param]) -> list[Html]:
    return [user_text(choice) for choice in choices]
