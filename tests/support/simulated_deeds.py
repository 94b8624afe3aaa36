"""What simulated workers tell, and whether it is stored as camobo said: once, or not at all."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import camobo as cm
from camobo.errors import OutcomeUnknown, StorageError, TrialStateError
from tests.support.simulated_server import Violation, Witness

KEPT = "is kept as a late result"


@dataclass(eq=False)
class Deed:
    """Something a worker tells, which is stored once if it was acknowledged, and never if it was refused."""

    mark: int
    what: str
    trial: int | None
    """None: an experiment that was added."""
    cost: float | None
    do: Callable[[cm.Study], object] = field(repr=False)
    repeatable: bool = False
    """Whether telling it again is a mistake that camobo notices."""
    claimant: str | None = None
    """The owner of the trial by which it is told."""
    fate: str = "new"
    study: cm.Study | None = field(default=None, repr=False)
    """By which it was last attempted alone."""

    def __str__(self) -> str:
        return f"{self.what} (mark {self.mark})"


def judge(
    deeds: list[Deed],
    do: Callable[[], object],
    kept: Sequence[Deed] = (),
    refused: Sequence[Deed] = (),
    *,
    witness: Witness,
    say: Callable[[str], None],
) -> None:
    """What becomes of deeds that are done together, and whether that is so.

    kept, refused: those of which that is said while the others go on.
    """
    said, doubtful = "stored", any(deed.fate == "unknown" for deed in deeds)
    for deed in deeds:
        deed.fate = "unknown" if deed.fate != "stored" else "stored"  # should the worker vanish
    try:
        do()
    except OutcomeUnknown as error:
        said = "unknown"
        say(f"is told: {error.message}")
    except StorageError as error:  # an attempt to find out, or to keep one more, says nothing of the one before
        said = "unknown" if (doubtful or len(kept) > 1) and "was not stored" not in str(error) else "not stored"
        say(f"is told: {error.message}")
    except KeyboardInterrupt:
        said = "unknown"
    except (TrialStateError, cm.InvalidValueError, LookupError) as error:
        said = "refused"
        kept = deeds if len(deeds) == 1 and KEPT in str(error) else kept
        say(f"is told: {error}")
    for deed in deeds:
        fate = {"stored": "refused" if deed in refused else said, "refused": "stored" if deed in kept else said}
        deed.fate = "stored" if deed.fate == "stored" else fate.get(said, said)
        check(deed, witness)


def check(deed: Deed, witness: Witness) -> None:
    """Hold camobo to what it said of a deed."""
    stored = deed.mark in witness.stored
    if deed.fate == "stored" and not stored:
        raise Violation(f"{deed} was acknowledged and is lost")
    if deed.fate in ("refused", "not stored") and stored:
        raise Violation(f"{deed} was {deed.fate}, and is stored")


def check_trials(study: cm.Study, deeds: list[Deed], witness: Witness) -> None:
    """That trials have what their deeds say: each value, and each cost once."""
    for deed in deeds:
        check(deed, witness)
    stored = [deed for deed in deeds if deed.mark in witness.stored]
    events = {deed.mark: witness.stored[deed.mark] for deed in stored}
    spent = sum(deed.cost or 0.0 for deed in stored if not study.trials[events[deed.mark]["trial"]].added)
    if study.spent() != spent:
        raise Violation(f"{study.spent()} is spent by the study, {spent} by what was told")
    replaced = [e["old"].get("values") or {} for e in events.values() if e["kind"] == "amended"]
    for deed in stored:
        event = events[deed.mark]
        trial = study.trials[event["trial"]]
        for name in event["new"].get("values") or ():
            late = [result.values or {} for result in trial.late]
            places = late if event["kind"] == "late" else [trial.values or {}, *replaced]
            if not any(values.get(name) == deed.mark for values in places):
                raise Violation(f"{deed} is stored, and {name} of it is nowhere in {trial!r}")
    for trial in study.trials:
        cost = sum(deed.cost or 0.0 for deed in stored if events[deed.mark]["trial"] == trial.number)
        if (trial.cost or 0.0) + trial.late_cost != cost:
            raise Violation(f"trial {trial.number} costs {trial.cost} and {trial.late_cost}, told were {cost}")
