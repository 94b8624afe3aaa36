"""The tables of a report."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from camobo.expense import Use
from camobo.inputs import Categorical, Input, Real
from camobo.insight import Record
from camobo.plot.style import dearness_colours, number, shown, unit_of
from camobo.report.page import Html, join, tag, typed
from camobo.trial import Trial

MOST_ROWS = 500


def table(
    label: str, head: Sequence[str | Html], rows: Iterable[Sequence[str | Html]], text: Iterable[int] = ()
) -> Html:
    """A table that scrolls by itself; the columns in `text` are words, the others numbers."""
    words_at = set(text)
    kind = [None if i in words_at else "number" for i in range(len(head))]
    top = tag("tr", *(tag("th", cell, scope="col", class_=k) for cell, k in zip(head, kind, strict=True)))
    body = [tag("tr", *(tag("td", c, class_=k) for c, k in zip(row, kind, strict=True))) for row in rows]
    whole = tag("table", tag("thead", top), tag("tbody", *body))
    return tag("div", whole, class_="scroll", role="region", aria_label=label, tabindex="0")


def trial_table(record: Record, trials: Sequence[Trial], label: str, *, reasons: bool = False) -> Html:
    """Trials with all parameters and values."""
    inputs, goals = record.plan.space.inputs, record.plan.objectives
    valued = any(trial.values for trial in trials)
    extras = [extra for extra in _EXTRAS if any(getattr(trial, extra[0], None) is not None for trial in trials)]
    head: list[str | Html] = ["trial", *(_headed(name, unit_of(record, name)) for name in inputs)]
    text = [1 + j for j, given in enumerate(inputs.values()) if isinstance(given, Categorical)]
    head += [_headed(name, goals[name]) for name in goals] if valued else []
    words_from = len(head) + sum(name == "cost" for name, *_ in extras)
    head += [*(label for _, label, _ in extras), *(["reason"] if reasons else []), "how it was chosen"]
    text += range(words_from, len(head))
    rows = []
    for trial in trials[:MOST_ROWS]:
        row: list[str | Html] = [str(trial.number), *(typed(shown(trial.params[name])) for name in inputs)]
        row += [_value(trial, name) for name in goals] if valued else []
        row += [_or_dash(getattr(trial, name, None), write) for name, _, write in extras]
        row += [_or_dash(trial.reason, typed)] if reasons else []
        amended = [f"amended: {trial.reason}"] if getattr(trial, "amended", False) else []
        rows.append([*row, typed("; ".join([*trial.notes, *amended]))])
    return table(label, head, rows, text)


_EXTRAS: tuple[tuple[str, str, Callable[[Any], str]], ...] = (
    ("cost", "cost", number),
    ("owner", "owner", typed),
    ("expires", "held until", lambda moment: f"{moment:%Y-%m-%d %H:%M %Z}".strip()),
    ("note", "note", typed),
)
"""What trials of a study that is stored may carry besides: attribute, heading, how it is written. Cost comes first."""


def _headed(name: str, more: str) -> Html:
    return join(typed(name), tag("small", " ", typed(more)) if more else None)


def _value(trial: Trial, name: str) -> str:
    found = (trial.values or {}).get(name)
    return "–" if found is None else number(found)


def _or_dash(value: Any, write: Callable[[Any], str]) -> str:
    return "–" if value is None or value == "" else write(value)


def use_table(record: Record, found: Sequence[Use]) -> Html:
    """How much of each input was used: in all, of its range, early and late, and on the front."""
    numbers = {trial.number for trial in record.front}
    on_front = [trial.number in numbers for trial in record.settled]
    half = len(record.settled) // 2
    rows = []
    for given, colour in zip(found, dearness_colours([u.weight for u in found]), strict=True):
        source = record.plan.space.inputs[given.input]
        if isinstance(source, Categorical) and not source.dear:
            rows.append([typed(given.input), _total(record, given.input), "–", "–", "–", "–"])
            continue
        on = [level for level, kept in zip(given.levels.tolist(), on_front, strict=True) if kept]
        means = (given.mean(slice(0, half)), given.mean(slice(half, None)), sum(on) / len(on) if on else None)
        cells = ["–" if mean is None else f"{mean:.2f}" for mean in means]
        rows.append([typed(given.input), _total(record, given.input), _bar(given.mean() or 0.0, colour), *cells])
    head = ["input", "used in all", "of its range", "first half", "second half", "on the front"]
    caption = "Mean use as a share of the range: 0 at the cheap end, 1 at the dear end. Dearest first."
    return join(table("Use of each input", head, rows, text=(0, 2)), tag("p", caption, class_="more"))


def _bar(share: float, colour: str) -> Html:
    filled = tag("rect", width=f"{100 * share:.1f}", height="10", rx="2", fill=colour)
    rail = tag("rect", width="100", height="10", rx="2", class_="rail")
    return join(tag("svg", rail, filled, class_="bar", viewBox="0 0 100 10", aria_hidden="true"), f" {share:.2f}")


def _total(record: Record, name: str) -> Html:
    given, used = record.plan.space.inputs[name], [trial.params[name] for trial in record.settled]
    if isinstance(given, Categorical):
        counts = [(choice, sum(type(u) is type(choice) and u == choice for u in used)) for choice in given.choices]
        shown_counts = [join(f"{count} × ", typed(choice)) for choice, count in counts if count]
        return join(*(join(", " if i else None, part) for i, part in enumerate(shown_counts)))
    return join(number(float(sum(used))), tag("small", " ", typed(given.unit)) if given.unit else None)


def described(given: Input) -> list[str | Html]:
    """An input's kind, range and dear end."""
    if isinstance(given, Categorical):
        choices = join(*(join(", " if i else None, typed(choice)) for i, choice in enumerate(given.choices)))
        dear = join(*(join(", then " if i else None, typed(choice)) for i, choice in enumerate(given.dear)))
        return ["choice", choices, dear or "none"]
    kind = ("real" if isinstance(given, Real) else "whole") + (", logarithmic" if given.log else "")
    if isinstance(given, Real) and given.step is not None:
        kind += f", steps of {given.step}"
    span = f"{number(float(given.low))} to {number(float(given.high))}"
    return [kind, join(span, " ", typed(given.unit)) if given.unit else span, given.dear]
