from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from camobo.cost.budget import Budget
from camobo.cost.ordered import OrderCost
from camobo.history.trial import State, Trial
from camobo.insight.record import Record, record_of
from camobo.insight.status import status
from camobo.space.inputs import Categorical, Param, Real
from camobo.space.space import Space
from camobo.strategy.plan import Plan
from tests.support.samples import SPACE, drawn, small_study

PARAMS = SPACE.from_unit([0.5, 0.5, 0.5])


@pytest.fixture(scope="module")
def record() -> Record:
    """A study with a trial of every kind: complete, failed, pending, released, added, with and without a cost."""
    study = small_study(0, reference={"strength": 0.0, "rust": 3.0})
    trials = study.ask(6)
    for trial, cost in zip(trials[:3], (2.5, None, 4.0), strict=True):
        study.tell(trial, {"strength": 400.0 + trial.number, "rust": 2.0 - 0.5 * trial.number}, cost=cost)
    study.fail(trials[3], "crucible cracked")
    study.release(trials[5])
    study.add({"nickel": 20.0, "soak": 1, "quench": "oil"}, {"strength": 390.0, "rust": 2.5}, cost=1.0)
    return record_of(study)


@pytest.fixture(scope="module")
def facts(record: Record) -> dict[str, Any]:
    return status(record)


class TestStatus:
    def test_it_says_what_the_study_is_about(self, facts: dict[str, Any]) -> None:
        assert facts["objectives"] == {"strength": "max", "rust": "min"}
        assert facts["order"] == "nickel > soak > quench"
        assert facts["budget"] == {"trials": 20, "cost": None}
        assert (facts["cost"], facts["thrift"]) == ("nickel > soak > quench", 1.0)
        assert facts["reference"] == {"strength": 0.0, "rust": 3.0}

    def test_it_counts_trials_by_state_and_evaluations_without_those_added(self, facts: dict[str, Any]) -> None:
        assert facts["trials"] == {"pending": 1, "released": 1, "complete": 4, "failed": 1}
        assert facts["evaluated"] == 4
        assert facts["added"] == 1

    def test_it_says_what_was_spent_and_reserved_and_how_many_receipts_there_are(
        self, record: Record, facts: dict[str, Any]
    ) -> None:
        assert facts["costs_told"] == 3
        purse = record.purse
        assert facts["money"] == {
            "unit": "",
            "spent": purse.spent,
            "estimated": purse.estimated,
            "reserved": purse.reserved,
            "remaining": None,
        }
        assert purse.paid == 6.5, "the added trial does not count"
        assert purse.estimated > 0.0 < purse.reserved

    def test_its_volume_and_front_are_the_record_s(self, record: Record, facts: dict[str, Any]) -> None:
        assert facts["hypervolume"] == record.hypervolume() == pytest.approx(402.0 * 2.0)
        assert facts["front"] == [2]

    def test_use_is_of_settled_trials_and_levels_are_of_suggested_ones(
        self, record: Record, facts: dict[str, Any]
    ) -> None:
        settled = [record.trials[i].params for i in (0, 1, 2, 3, 6)]
        assert list(facts["inputs"]) == list(SPACE.names)
        nickel = facts["inputs"]["nickel"]
        assert nickel["used"] == sum(p["nickel"] for p in settled)
        assert nickel["mean"] == nickel["used"] / 5
        assert nickel["level"] == pytest.approx(np.mean([p["nickel"] / 20.0 for p in settled[:4]]))
        quench = facts["inputs"]["quench"]
        assert quench["used"] == {name: sum(p["quench"] == name for p in settled) for name in ("air", "oil")}
        assert quench["mean"] is None
        assert quench["level"] == np.mean([p["quench"] == "oil" for p in settled[:4]])

    def test_open_trials_are_listed_as_every_interface_shows_them(self, record: Record, facts: dict[str, Any]) -> None:
        assert facts["open"] == [record.trials[4].as_dict(), record.trials[5].as_dict()]
        assert [trial["state"] for trial in facts["open"]] == ["pending", "released"]

    def test_a_budget_in_money_and_what_is_left_of_it_are_said(self) -> None:
        trial = Trial(0, PARAMS, State.COMPLETE, {"y": 1.0}, cost=40.0)
        facts = status(Record(Plan(SPACE, {"y": "max"}, budget=Budget(cost=90, unit="EUR")), (trial,)))
        assert facts["budget"] == {"trials": None, "cost": 90.0}
        assert (facts["money"]["spent"], facts["money"]["remaining"], facts["money"]["unit"]) == (40.0, 50.0, "EUR")

    def test_receipts_that_contradict_the_order_are_listed(self) -> None:
        record = drawn(30, 1, cost=OrderCost("soak > nickel"))
        trials = tuple(replace(t, cost=5.0 + float(t.params["nickel"])) for t in record.trials)
        found = status(Record(record.plan, trials))["disagreements"]
        assert found == [{"more_expensive": "soak", "cheaper": "nickel"}]

    def test_json_can_hold_it(self, facts: dict[str, Any]) -> None:
        assert json.loads(json.dumps(facts, allow_nan=False)) == facts

    def test_a_study_without_trials_cost_or_budget_has_a_status(self) -> None:
        space = Space({"x": Real(0, 1, unit="%"), "c": Categorical(["a", "b"])})
        assert status(Record(Plan(space, {"y": "max"}), ())) == {
            "objectives": {"y": "max"},
            "cost": None,
            "order": None,
            "thrift": 1.0,
            "budget": None,
            "money": None,
            "evaluated": 0,
            "added": 0,
            "trials": {"pending": 0, "released": 0, "complete": 0, "failed": 0},
            "costs_told": 0,
            "hypervolume": 0.0,
            "reference": None,
            "front": [],
            "inputs": {
                "x": {"used": 0, "mean": None, "unit": "%", "level": None},
                "c": {"used": {"a": 0, "b": 0}, "mean": None, "unit": "", "level": None},
            },
            "disagreements": [],
            "late": [],
            "open": [],
        }

    def test_an_input_that_the_order_does_not_name_has_no_level(self) -> None:
        record = drawn(4, 1, cost=OrderCost("nickel"))
        levels = {name: own["level"] for name, own in status(record)["inputs"].items()}
        assert levels["nickel"] == pytest.approx(record.levels(record.trials)[:, 0].mean())
        assert (levels["soak"], levels["quench"]) == (None, None)

    def test_with_added_trials_only_there_is_use_but_no_level(self) -> None:
        trial = Trial(0, PARAMS, State.COMPLETE, {"y": 1.0}, added=True)
        facts = status(Record(Plan(SPACE, {"y": "max"}, cost=OrderCost("nickel > soak")), (trial,)))
        assert facts["inputs"]["nickel"] == {"used": 10.0, "mean": 10.0, "unit": "", "level": None}
        assert (facts["money"], facts["disagreements"]) == (None, [])
        assert (facts["evaluated"], facts["added"]) == (0, 1)

    @pytest.mark.parametrize(
        ("choices", "chosen", "expected"),
        [
            ([1, "1", True], [1, "1", "1"], {"1": 1, "'1'": 2, "True": 0}),
            ([1, "1"], ["1"], {"1": 0, "'1'": 1}),
            ([1, 2.5, None], [None, 1], {"1": 1, "2.5": 0, "None": 1}),
            (["air", "oil"], ["air"], {"air": 1, "oil": 0}),
        ],
    )
    def test_choices_that_are_written_alike_are_told_apart(
        self, choices: list[Param], chosen: list[Param], expected: dict[str, int]
    ) -> None:
        space = Space({"c": Categorical(choices)})
        trials = tuple(Trial(i, {"c": own}, State.COMPLETE, {"y": 1.0}) for i, own in enumerate(chosen))
        assert status(Record(Plan(space, {"y": "max"}), trials))["inputs"]["c"]["used"] == expected
