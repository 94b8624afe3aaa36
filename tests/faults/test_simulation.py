"""Simulated histories: several workers on one study, while clocks are set, replies are lost, disks are full, processes
vanish, leases end, and results come late or twice. All follows from a seed, so a failure can be played again.

`make faults` plays ten thousand, `make test` some hundreds.
"""

from __future__ import annotations

import logging
import os
from collections import Counter
from collections.abc import Callable

import pytest

from tests.support.simulated_server import START, Violation, Witness
from tests.support.simulated_study import Simulation

LONG = bool(os.environ.get("CAMOBO_LONG"))
BATCH = 2000 if LONG else 300
FAULTS = ("fails", "vanishes", "loses", "gets Ctrl-C")


@pytest.mark.slow
@pytest.mark.timeout(3600 if LONG else 300)
@pytest.mark.parametrize("first", range(0, 10_000, BATCH) if LONG else [0])
def test_nothing_is_lost_doubled_or_given_to_two_in_any_history(
    first: int, figure: Callable[[str], None], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.CRITICAL, "camobo")  # what could not be stored is logged, thousands of times
    fates, events, faults = Counter[str](), 0, 0
    for seed in range(first, first + BATCH):
        history = Simulation(seed)
        history.play()
        fates.update(deed.fate for deed in history.deeds)
        events += len(history.server.rows)
        faults += sum(line.partition(": ")[2].startswith(FAULTS) for line in history.said)
    figure(
        f"simulated workers on one study, histories {first} to {first + BATCH - 1}: {faults} faults, {events} events, "
        f"{fates['stored']} results acknowledged; 0 lost, 0 doubled, 0 trials held by two"
    )
    assert fates["stored"] > BATCH, "most of what workers tell is stored"
    assert faults > BATCH


def test_a_seed_plays_the_same_history_again() -> None:
    first, second = Simulation(7), Simulation(7)
    first.play()
    second.play()
    assert first.said == second.said
    assert first.server.rows == second.server.rows
    assert len(first.said) > 30


def asked(trial: int, owner: str, seconds: int = 60, **new: object) -> dict[str, object]:
    expires = START.replace(minute=seconds // 60).isoformat()
    return {"kind": "asked", "trial": trial, "number": 0, "new": {"owner": owner, "expires": expires, **new}}


class TestTheWitness:
    """A check that never fails proves nothing."""

    def test_sees_a_trial_given_to_two(self) -> None:
        witness = Witness(5)
        witness.sees(asked(0, "anna", params={"x": 0.1}), START)
        witness.sees(asked(0, "anna"), START)
        with pytest.raises(Violation, match="trial 0 goes to ben"):
            witness.sees(asked(0, "ben"), START)
        witness.sees(asked(0, "ben"), START.replace(minute=1))

    def test_sees_a_budget_exceeded(self) -> None:
        witness = Witness(1)
        witness.sees(asked(0, "anna", params={"x": 0.1}), START)
        with pytest.raises(Violation, match="2 trials are suggested, 1 are in the budget"):
            witness.sees(asked(1, "anna", params={"x": 0.2}), START)

    def test_sees_a_change_stored_twice(self) -> None:
        witness = Witness(1)
        witness.sees(asked(0, "anna", params={"x": 0.1}), START)
        bill = {"kind": "told", "trial": 0, "number": 1, "new": {"note": "mark 7", "cost": 2.0}}
        witness.sees(bill, START)
        with pytest.raises(Violation, match="change 7 is stored twice"):
            witness.sees(bill, START)
