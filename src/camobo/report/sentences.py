"""What the numbers of a study mean, in sentences."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from camobo.hints import counted
from camobo.history.trial import State
from camobo.insight.diagnostics import Check
from camobo.insight.record import ForeignRecord, Record
from camobo.insight.spending import Disagreement, disagreements
from camobo.model.models import Models
from camobo.plot.style import number, rough

_FEWEST_FOR_A_VERDICT = 8
_MOST_NUMBERS = 8


Grade: TypeAlias = Literal["good", "fair", "poor", "early", "check"]


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


def spent(record: Record) -> tuple[str, str] | None:
    """What was spent, and how much of it is not recorded but expected; None if neither spending nor budget is money."""
    purse = record.purse
    if not purse.in_money and purse.budget is None:
        return None
    of = "" if purse.budget is None else f" of {number(purse.budget)}"
    details = [f"{rough(purse.estimated)} of it estimated"] if purse.estimated > 0.0 else []
    if purse.estimated > 0.0 == purse.paid:
        details = ["all of it estimated"]
    waiting = sum(trial.state.open for trial in record.suggested)
    details += [f"{rough(purse.reserved)} reserved for {counted(waiting, 'open trial')}"] if purse.reserved else []
    if not purse.in_money:
        details = ["no cost is recorded yet"]
    return f"{number(purse.spent)}{of} {purse.unit}".rstrip(), ", ".join(details) or "all of it recorded"


def progress(record: Record) -> str:
    """How many trials are complete, failed and pending, what is used of the budget, and how many are on the front."""
    if not record.trials:
        return "No trial has been suggested or added yet."
    failed = sum(trial.state is State.FAILED for trial in record.trials)
    pending = len(record.trials) - len(record.settled)
    suggested = len(record.suggested)
    added = len(record.trials) - suggested
    said = [f"{counted(len(record.complete), 'trial is', 'trials are')} complete, {failed} failed, {pending} pending."]
    if added:
        said.append(f"{counted(added, 'trial was', 'trials were')} added by hand.")
    budget = record.plan.budget
    if budget is not None and budget.trials is not None:
        has = "has" if suggested == 1 else "have"
        said.append(f"The budget is {counted(budget.trials, 'trial')}; {suggested} {has} been suggested.")
    if budget is not None and budget.cost is not None:
        limit = f"{number(budget.cost)} {budget.unit}".rstrip()
        said.append(f"Of a budget of {limit}, {number(record.purse.spent)} have been spent.")
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


def disagreement(found: Disagreement, record: Record) -> Verdict:
    """Where receipts contradict the order, and what to do."""
    names = [name for name in (found.more_expensive, found.cheaper) if name is not None]
    used = "The cost learned from the receipts is used either way."
    if record.plan.method == "paper":
        used = "The paper's method goes by the order alone."
    said = str(found)
    return Verdict(
        "check",
        f"{said[0].upper()}{said[1:]}. Check the order, or the expensive end{'s' * (len(names) > 1)}, of "
        f"{listed(names)}. {used}",
    )


def warnings(record: Record, models: Models | None) -> list[str]:
    """Reasons to trust the results less: a doubtful order, numerical rescues, failures, a reference out of reach."""
    found = []
    if isinstance(record, ForeignRecord):
        found += [*record.remarks, *_left_out(record)]
    found += [disagreement(one, record).sentence for one in disagreements(record)]
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
    chosen = [
        ("Cost", "none: all inputs count as free" if plan.cost is None else str(plan.cost)),
        ("Budget", "none" if plan.budget is None else str(plan.budget)),
    ]
    chosen += [] if plan.thrift == 1.0 else [("Thrift", number(plan.thrift))]
    if isinstance(record, ForeignRecord):
        return chosen
    return [
        *chosen,
        ("Method", plan.method if plan.method == "default" else f"{plan.method} (CA-MOBO, Algorithm 1), β {plan.beta}"),
        ("Seed", str(plan.seed)),
        ("Models refitted", "after every trial" if plan.refit_every == 1 else f"every {plan.refit_every} trials"),
    ]
