"""What the numbers of a study mean, in plain words."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import fields

from camobo.expense import Comparison
from camobo.insight import Check, ForeignRecord, Record, volumes
from camobo.models import Models
from camobo.plot.style import number
from camobo.trial import State

_ROUTINE = {
    "initial design",
    "improves the front",
    "explores beyond the front",
    "learns where it is cheap",
    "looks elsewhere: much of what it saw is noise",
    "Algorithm 1",
    "added by hand",
}
_JUDGED_FROM = 8


def counted(count: int, one: str, many: str | None = None) -> str:
    """'1 trial', '3 trials'."""
    return f"{count} {one if count == 1 else many or one + 's'}"


def listed(names: Sequence[str]) -> str:
    """'a', 'a and b', 'a, b and c'."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def progress(record: Record) -> str:
    """How far the study is."""
    if not record.trials:
        return "Nothing has been tried yet."
    done, failed = len(record.complete), sum(t.state is State.FAILED for t in record.trials)
    open_ones = len(record.trials) - len(record.settled)
    added = sum(t.added for t in record.trials)
    told = counted(done, "trial is", "trials are") + " complete"
    if added:
        told += f" ({added} of them added by hand)"
    told += f", {failed} failed, {open_ones} under way."
    asked = len(record.trials) - added
    if record.plan.budget is not None:
        told += f" {asked} have been suggested, {record.plan.budget} were planned."
    front = len(record.front)
    if front:
        plural = "is" if front == 1 else "are"
        told += (
            f" {front} {plural} on the front: no other trial is at least as good in everything and better in something."
        )
    return told


def fit(check: Check) -> tuple[str, str]:
    """A word for how a model is doing, and a sentence. The word is one of good, fair, poor, early."""
    n, r2, inside = len(check.measured), check.r_squared, int(check.inside.sum())
    if r2 is None:
        return "early", "Everything measured so far is equal: there is nothing to foretell yet."
    if n < _JUDGED_FROM:
        return (
            "early",
            f"Too early to judge: {counted(n, 'complete trial')}, and it takes {_JUDGED_FROM} to say something.",
        )
    if r2 >= 0.9:
        word, told = "good", "Foretells trials it has not seen closely"
    elif r2 >= 0.6:
        word, told = "fair", "Foretells trials it has not seen roughly"
    elif r2 >= 0.2:
        word, told = "fair", "Catches a trend, with large errors"
    else:
        word, told = "poor", "Does not foretell trials it has not seen: too few of them, or much noise"
    told += f" (leave-one-out R² {r2:.2f}). "
    told += f"{inside} of {n} measurements fell inside its 95 % intervals"
    if inside < 0.95 * n - 2.0 * math.sqrt(n * 0.95 * 0.05) - 0.5:
        return "fair" if word == "good" else word, told + ", too few: it is surer than it may be."
    return word, told + ", about as many as should."


def order_verdict(found: Sequence[Comparison], suggested: int) -> tuple[str, str]:
    """A word for whether the order was kept, and a sentence."""
    kept = sum(comparison.kept for comparison in found)
    if not found:
        return "early", "The order names inputs but compares none of those used so far."
    if suggested < _JUDGED_FROM:
        return "early", f"Too early to judge: {counted(suggested, 'trial')} suggested by the method and over."
    if kept == len(found):
        return (
            "good",
            "The order was kept: as a share of its range, each dearer input was used less than the cheaper one.",
        )
    told = f"{kept} of {counted(len(found), 'comparison')} kept."
    return "fair", told + (
        " An order is a preference, not a limit: where the better trade-offs need a dear input, the cost yields."
    )


def comparison(found: Comparison) -> str:
    """One comparison in numbers."""
    return f"{found.dear_level:.2f} of its range against {found.cheap_level:.2f}"


def warnings(record: Record, models: Models | None) -> list[str]:
    """What somebody who trusts this report should know: numerical rescues, failures, a reference nothing reaches."""
    found = []
    if isinstance(record, ForeignRecord):
        found += [*record.remarks, *_left_out(record)]
    rescued: dict[str, list[int]] = {}
    for trial in record.trials:
        for note in trial.notes:
            if note not in _ROUTINE:
                rescued.setdefault(note, []).append(trial.number)
    found += [f"{_which(numbers)}: {note}" for note, numbers in rescued.items()]
    if models is not None:
        for name, model in zip(record.plan.objectives, models.gps, strict=True):
            if model.jitter > 0.0:
                found.append(f"The model of {name} needed jitter {model.jitter:.0e} to factorise its covariance now.")
    settled, complete = len(record.settled), record.complete
    if settled - len(complete) > max(2, settled // 4):
        found.append(
            f"{settled - len(complete)} of {counted(settled, 'trial')} failed. Of a failed trial nothing is learnt but "
            "where it was: if a part of the space cannot be made, narrow the ranges."
        )
    if complete and record.plan.reference is not None and volumes(record)[1][-1] == 0.0:
        found.append("No trial is better than the reference in every objective, so the hypervolume is 0.")
    return found


def _which(numbers: Sequence[int]) -> str:
    """'2 trials (3, 5)', the first eight of them by number."""
    which = ", ".join(map(str, numbers[:8])) + (f" and {len(numbers) - 8} more" if len(numbers) > 8 else "")
    return f"{counted(len(numbers), 'trial')} ({which})"


def _left_out(record: ForeignRecord) -> list[str]:
    """Which trials this report does not show, by the reason."""
    reasons: dict[str, list[int]] = {}
    for trial, reason in record.left_out.items():
        reasons.setdefault(reason, []).append(trial)
    return [f"{_which(numbers)} left out of this report: {reason}." for reason, numbers in reasons.items()]


def settings(record: Record) -> list[tuple[str, str]]:
    """Every setting of the plan, as name and value."""
    plan = record.plan
    cost = "none: every input is as good as free"
    if plan.cost is not None:
        told = [f"{f.name} {_plain(getattr(plan.cost, f.name))}" for f in fields(plan.cost) if f.name != "order"]
        cost = f"{plan.cost.order} · {type(plan.cost).__name__}: {', '.join(told)}"
    told_of_all = [("Cost", cost), ("Budget", "none" if plan.budget is None else counted(plan.budget, "evaluation"))]
    if isinstance(record, ForeignRecord):
        return told_of_all
    return [
        *told_of_all,
        ("Method", plan.method if plan.method == "default" else f"{plan.method} (CA-MOBO, Algorithm 1), β {plan.beta}"),
        ("Seed", str(plan.seed)),
        ("Models refitted", f"every {counted(plan.refit_every, 'evaluation')}"),
    ]


def _plain(value: object) -> str:
    return number(value) if isinstance(value, float) else str(value)
