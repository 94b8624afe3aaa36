"""Results that come too late: their trial has been taken or settled by somebody else since it was handed out.

Whoever tells with the `Trial` they were handed may be late: their lease ended while a laptop slept, or a clock was
wrong. Their result does not replace another, but it was measured and paid for, so it is kept. Whoever tells by number
says which trial they mean whoever holds it, so they are never late: the result counts, or is refused as a mistake.

A bill or a remark alone is late only if somebody else was handed the trial: then it is of another evaluation than
theirs. Whoever else told the values of a trial, what its holder paid for it is what it cost.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from camobo.errors import Advice, TrialStateError
from camobo.history.trial import State, Trial, measured, shown_time


def retaken(found: Trial, claim: object) -> bool:
    """Whether a trial was handed to somebody else since it was handed to whoever has this record of it."""
    return isinstance(claim, Trial) and claim.held != found.held and (claim.owner is None or claim.owner != found.owner)


def by_somebody_else(found: Trial, claim: object, who: str) -> bool:
    """Whether what is known of a trial was told by others than the one who was handed it open."""
    return isinstance(claim, Trial) and claim.state.open and found.teller not in (None, who)


def taken_over(found: Trial, claim: object) -> bool:
    """Whether somebody else holds a trial, or has settled it, that was handed to whoever has this open record of it."""
    handed = isinstance(claim, Trial) and claim.state.open
    return handed and found.state is not State.RELEASED and retaken(found, claim)


def overtaken(found: Trial, claim: object, who: str) -> bool:
    """Whether somebody else holds or has settled a trial that was handed to `who` as `claim`."""
    if not isinstance(claim, Trial) or not claim.state.open or found.state is State.RELEASED:
        return False
    if not found.state.open and claim.owner is not None:  # handed back and settled by the same, it has no owner now
        return by_somebody_else(found, claim, who)
    return retaken(found, claim) or (not found.state.open and by_somebody_else(found, claim, who))


def kept_already(found: Trial, claim: object, who: str, facts: Mapping[str, Any]) -> bool:
    """Whether an owner has told these very facts too late before, since they were handed the trial as `claim`.

    Those without a name may be several who measured the same: theirs are all kept.
    """
    if not isinstance(claim, Trial) or claim.owner is None:
        return False
    told = tuple(facts.get(name) for name in ("values", "reason", "cost", "note"))
    since = [result for result in found.late if result.who == who and result.event > claim.held]
    return any((result.values, result.reason, result.cost, result.note) == told for result in since)


def whose(found: Trial) -> str:
    """Whose a trial is that was taken from its holder."""
    until = "" if found.expires is None else f" until {shown_time(found.expires)}"
    return (
        f"trial {found.number} now belongs to {found.owner or 'somebody else'}{until}: "
        "your lease had ended, or the trial was released."
    )


def late_refusal(found: Trial, claim: object, facts: Mapping[str, Any]) -> TrialStateError:
    """What to tell somebody whose result came too late: what became of it, and how to make it count."""
    if not found.state.open:
        why, advice = f"trial {found.number} is already {found.state}, recorded by {found.teller}.", Advice.AMEND
    elif retaken(found, claim):
        why, advice = whose(found), Advice.COUNT
    else:
        why, advice = f"trial {found.number} has values already, recorded by {found.teller}.", Advice.AMEND
    told = measured(facts.get("values"), facts.get("reason"), facts.get("cost"))
    return TrialStateError(
        f"{why} What you measured is kept as a late result of it, which does not count: {told}.",
        advice=advice if "values" in facts else None,
    )
