"""What the numbers of a study mean, in sentences."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Literal, TypeAlias

from camobo.hints import counted
from camobo.history.trial import State
from camobo.insight.diagnostics import Check
from camobo.insight.record import ForeignRecord, Record
from camobo.insight.spending import Comparison
from camobo.model.models import Models
from camobo.plot.style import number

_FEWEST_FOR_A_VERDICT = 8
_MOST_NUMBERS = 8


Grade: TypeAlias = Literal["good", "fair", "poor", "early"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """A grade to see at a glance, and the sentence that explains it."""

    grade: Grade
    sentence: str


def listed(names: Sequence[str]) -> str:
    """Names as an enumeration.

    >>> listed(["a"]), listed(["a", "b"]), listed(["a", "b", "c"])
    ('a', 'a and b', 'a, b and c')
    """
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def progress(record: Record) -> str:
    """How many trials are complete, failed, pending, suggested of the budget, and on the front."""
    if not record.trials:
        return "No trial has been suggested or added yet."
    failed = sum(trial.state is State.FAILED for trial in record.trials)
    pending = len(record.trials) - len(record.settled)
    suggested = len(record.suggested)
    added = len(record.trials) - suggested
    said = [f"{counted(len(record.complete), 'trial is', 'trials are')} complete, {failed} failed, {pending} pending."]
    if added:
        said.append(f"{counted(added, 'trial was', 'trials were')} added by hand.")
    if record.plan.budget is not None:
        budget = counted(record.plan.budget, "trial")
        said.append(f"The budget is {budget}; {suggested} {'has' if suggested == 1 else 'have'} been suggested.")
    best = len(record.front)
    if best and len(record.plan.objectives) == 1:
        said.append(f"{counted(best, 'trial has', 'trials have')} the best value.")
    elif best:
        on_front = counted(best, "trial is", "trials are")
        said.append(
            f"{on_front} on the front: no other trial is at least as good in every objective and better in one."
        )
    return " ".join(said)


def model_verdict(check: Check) -> Verdict:
    """How well a model predicts trials it was not fitted to, and whether its intervals can be trusted."""
    n, r2, inside = len(check.measured), check.r_squared, int(check.inside.sum())
    if r2 is None:
        return Verdict("early", "All measured values are equal, so there is nothing to predict yet.")
    if n < _FEWEST_FOR_A_VERDICT:
        enough = f"{counted(n, 'complete trial')}, at least {_FEWEST_FOR_A_VERDICT} needed"
        return Verdict("early", f"Too early to judge: {enough}.")
    grade, said = _graded(r2)
    said += f" (leave-one-out R² {r2:.2f}). {inside} of {n} measurements are inside the 95 % intervals"
    if inside < 0.95 * n - 2.0 * math.sqrt(n * 0.95 * 0.05) - 0.5:
        return Verdict("poor" if grade == "poor" else "fair", f"{said}, too few: the model is overconfident.")
    return Verdict(grade, f"{said}, about as expected.")


def _graded(r2: float) -> tuple[Grade, str]:
    if r2 >= 0.9:
        return "good", "Predicts held-out trials accurately"
    if r2 >= 0.6:
        return "fair", "Predicts held-out trials roughly"
    if r2 >= 0.2:
        return "fair", "Captures a trend, with large errors"
    return "poor", "Does not predict held-out trials: too few trials, or too much noise"


def order_verdict(found: Sequence[Comparison], evaluated: int) -> Verdict:
    """Whether the suggested trials that have finished kept the order."""
    if evaluated and not found:
        return Verdict("early", "The order ranks no input above another, so there is nothing to compare.")
    if evaluated < _FEWEST_FOR_A_VERDICT:
        enough = f"{counted(evaluated, 'suggested trial')} finished, at least {_FEWEST_FOR_A_VERDICT} needed"
        return Verdict("early", f"Too early to judge: {enough}.")
    kept = sum(comparison.kept for comparison in found)
    if kept == len(found):
        return Verdict(
            "good",
            "The order was kept: the mean level of every more expensive input is no larger than that of the cheaper "
            "one.",
        )
    return Verdict(
        "fair",
        f"{kept} of {counted(len(found), 'comparison')} kept. An order is a preference, not a limit: expensive "
        "inputs are used where better trade-offs need them.",
    )


def warnings(record: Record, models: Models | None) -> list[str]:
    """Reasons to trust the results less: numerical rescues, failures, a reference that no trial reaches."""
    found = []
    if isinstance(record, ForeignRecord):
        found += [*record.remarks, *_left_out(record)]
    unusual: dict[str, list[int]] = {}
    for trial in record.trials:
        for note in trial.notes:
            if note.reason.unusual:
                unusual.setdefault(str(note), []).append(trial.number)
    found += [f"{_numbered(numbers)}: {note}" for note, numbers in unusual.items()]
    if models is not None:
        for name, model in zip(record.plan.objectives, models.gps, strict=True):
            if model.jitter > 0.0:
                jitter = f"jitter {model.jitter:.0e} to factorise its covariance"
                found.append(f"The current model of {name} needed {jitter}.")
    settled, failed = len(record.settled), len(record.settled) - len(record.complete)
    if failed > max(2, settled // 4):
        found.append(
            f"{failed} of {counted(settled, 'finished trial')} failed. The models learn nothing from failed trials: if "
            "part of the space always fails, narrow the ranges."
        )
    if record.complete and record.plan.reference is not None and record.volumes[1][-1] == 0.0:
        found.append("No trial is better than the reference in every objective, so the hypervolume is 0.")
    return found


def _numbered(numbers: Sequence[int]) -> str:
    """How many trials, and the numbers of the first few: '2 trials (3, 5)'."""
    more = len(numbers) - _MOST_NUMBERS
    first = ", ".join(map(str, numbers[:_MOST_NUMBERS])) + (f" and {more} more" if more > 0 else "")
    return f"{counted(len(numbers), 'trial')} ({first})"


def _left_out(record: ForeignRecord) -> list[str]:
    """One sentence per reason for which trials are not in the report."""
    reasons: dict[str, list[int]] = {}
    for trial, reason in record.left_out.items():
        reasons.setdefault(reason, []).append(trial)
    return [f"{_numbered(numbers)} left out of this report: {reason}." for reason, numbers in reasons.items()]


def settings(record: Record) -> list[tuple[str, str]]:
    """Name and value of every setting; of a foreign study only those that somebody chose."""
    plan = record.plan
    cost = "none: all inputs count as free"
    if plan.cost is not None:
        options = [f"{f.name} {_plain(getattr(plan.cost, f.name))}" for f in fields(plan.cost) if f.name != "order"]
        cost = f"{plan.cost.order} · {type(plan.cost).__name__}: {', '.join(options)}"
    chosen = [("Cost", cost), ("Budget", "none" if plan.budget is None else counted(plan.budget, "trial"))]
    if isinstance(record, ForeignRecord):
        return chosen
    return [
        *chosen,
        ("Method", plan.method if plan.method == "default" else f"{plan.method} (CA-MOBO, Algorithm 1), β {plan.beta}"),
        ("Seed", str(plan.seed)),
        ("Models refitted", "after every trial" if plan.refit_every == 1 else f"every {plan.refit_every} trials"),
    ]


def _plain(value: object) -> str:
    if value is None:
        return "automatic"
    return number(value) if isinstance(value, float) else str(value)
