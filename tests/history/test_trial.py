from __future__ import annotations

import copy
import json
import pickle
import re
from datetime import datetime, timezone
from typing import Any

import pytest

from camobo.history.trial import Measurement, State, Trial
from camobo.strategy.notes import Note, Reason

PARAMS = {"nickel": 1 / 3, "soak": 4, "quench": "oil"}
WHEN = datetime(2026, 1, 2, tzinfo=timezone.utc)
FULL = Trial(
    3,
    PARAMS,
    State.COMPLETE,
    {"y": 0.5},
    reason="scale was off",
    notes=(Note(Reason.EXPLORES),),
    expected=2.25,
    cost=2.5,
    note="furnace B",
    owner="anna",
    expires=WHEN,
    amended=True,
    late=(Measurement(None, "ben", WHEN, reason="cracked", cost=4.0, event=9),),
)


def test_open_states_take_results_and_the_others_do_not() -> None:
    assert [state for state in State if state.open] == [State.PENDING, State.RELEASED]
    assert [str(state) for state in State] == ["pending", "released", "complete", "failed"]


@pytest.mark.parametrize("added", [False, True])
def test_a_trial_is_evaluated_once_it_was_suggested_and_has_ended(added: bool) -> None:
    found = [state for state in State if Trial(0, {"nickel": 1.0}, state, added=added).evaluated]
    assert found == ([] if added else [State.COMPLETE, State.FAILED])


def test_a_trial_cannot_be_changed_nor_what_it_holds() -> None:
    with pytest.raises(AttributeError):
        FULL.number = 4  # type: ignore[misc]
    with pytest.raises(TypeError):
        FULL.params["nickel"] = 2.0  # type: ignore[index]
    with pytest.raises(TypeError):
        FULL.values["y"] = 2.0  # type: ignore[index]


def test_a_trial_does_not_change_with_the_dicts_it_was_made_of() -> None:
    params, values = {"nickel": 1.0}, {"y": 1.0}
    trial = Trial(0, params, values=values)
    params["nickel"] = values["y"] = 2.0
    assert (dict(trial.params), dict(trial.values or {})) == ({"nickel": 1.0}, {"y": 1.0})


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda trial: pickle.loads(pickle.dumps(trial))])
@pytest.mark.parametrize("trial", [FULL, Trial(0, PARAMS)], ids=["complete", "pending"])
def test_a_copy_equals_the_trial(copied: Any, trial: Trial) -> None:
    again = copied(trial)
    assert again == trial
    with pytest.raises(TypeError):
        again.params["nickel"] = 2.0


def test_as_dict_is_plain_data_with_every_note_as_text_and_as_data() -> None:
    plain = FULL.as_dict()
    assert json.loads(json.dumps(plain, allow_nan=False)) == plain
    assert plain == {
        "number": 3,
        "state": "complete",
        "params": PARAMS,
        "values": {"y": 0.5},
        "expected": 2.25,
        "cost": 2.5,
        "note": "furnace B",
        "reason": "scale was off",
        "owner": "anna",
        "expires": "2026-01-02T00:00:00+00:00",
        "added": False,
        "amended": True,
        "late": [
            {
                "values": None,
                "reason": "cracked",
                "cost": 4.0,
                "note": None,
                "who": "ben",
                "when": "2026-01-02T00:00:00+00:00",
                "event": 9,
            }
        ],
        "chosen": ["explores beyond the front"],
        "notes": [{"reason": "explores"}],
    }
    pending = Trial(0, PARAMS).as_dict()
    assert (pending["values"], pending["expires"], pending["notes"]) == ({}, None, [])


def test_what_came_too_late_is_text_and_its_cost_is_known_beside_the_trials_own() -> None:
    with_values = Measurement({"y": 0.25, "z": 1e-9}, "anna", WHEN, cost=1.5, note="furnace B")
    assert re.fullmatch(
        r"y=0\.25, z=1e-09, cost 1\.5, by anna, 2026-01-0\d \d\d:\d\d:\d\d, furnace B", str(with_values)
    )
    assert str(FULL.late[0]).startswith("failed: cracked, cost 4, by ben, 2026-01-0")
    assert (FULL.late_cost, FULL.cost, Trial(0, PARAMS).late_cost) == (4.0, 2.5, 0.0)
    with pytest.raises(TypeError):
        with_values.values["y"] = 2.0  # type: ignore[index]


@pytest.mark.parametrize(
    ("trial", "text"),
    [
        (FULL, "trial 3: nickel=0.333333, soak=4, quench=oil -> y=0.5; cost 2.5"),
        (Trial(0, {"x": 1.0}), "trial 0: x=1 (pending)"),
        (Trial(0, {"x": 1.0}, values={"y": 2.0}), "trial 0: x=1 -> y=2 (pending)"),
        (Trial(0, {"x": 1.0}, State.RELEASED), "trial 0: x=1 (released)"),
        (Trial(0, {"x": 1.0}, State.FAILED, reason="cracked"), "trial 0: x=1 (failed: cracked)"),
    ],
)
def test_text_says_what_was_tried_what_came_of_it_and_what_it_cost(trial: Trial, text: str) -> None:
    assert str(trial) == text
