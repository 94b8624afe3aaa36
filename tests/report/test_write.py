from __future__ import annotations

import base64
import hashlib
import json
import os
import re
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from camobo.cost.budget import Budget
from camobo.cost.ordered import OrderCost
from camobo.errors import InvalidOptionError, MissingExtraError, UnknownTrialError
from camobo.history.trial import State, Trial
from camobo.insight.record import ForeignRecord, Record
from camobo.plot.style import visible
from camobo.report import report
from camobo.report.write import as_html
from camobo.space.inputs import Categorical, Input, Real
from camobo.space.space import Space
from camobo.strategy.notes import Note, Reason
from camobo.strategy.plan import Plan
from camobo.study.study import Study
from tests.support.hostile import HOSTILE
from tests.support.html_reader import Reader
from tests.support.samples import PARTS, STRINGS_EACH, hostile_record, sample

pytest.importorskip("plotly", reason="reports need Plotly: pip install 'camobo[plot]'")

KNOWN = frozenset(
    """html head meta title style body main header section footer h1 h2 h3 p span div dl dt dd figure figcaption strong
    small table thead tbody tr th td ul li details summary bdi svg rect noscript script i""".split()  # noqa: SIM905  # a list to read
)
SMALL = sample(2, 2, 6)


@pytest.fixture
def tiny_library(monkeypatch: pytest.MonkeyPatch) -> None:
    """A stand-in for plotly.js, whose megabytes take most of the time to write and read."""
    monkeypatch.setattr("camobo.report.write.plotly_js", lambda: "var Plotly = {};")


def written(record: Record, **options: Any) -> Reader:
    return Reader(as_html(record, **options))


@pytest.mark.parametrize("size", [(1, 1, 0), (1, 3, 1), (2, 4, 5), (2, 1, 30), (3, 4, 30), (6, 9, 20)], ids=str)
@pytest.mark.parametrize("cost", [True, False], ids=["cost", "no cost"])
@pytest.mark.usefixtures("tiny_library")
def test_a_study_of_any_size_has_a_report(size: tuple[int, int, int], cost: bool) -> None:
    record = sample(*size, cost=cost)
    found = written(record)
    assert {"Cost and use of inputs" if cost else "Use of inputs", "Models", "Pending", "Warnings", "Settings"} <= set(
        found.text
    )
    for name in (*record.plan.space.names, *record.plan.objectives):
        assert name in found.whole_text
    data = json.loads(found.scripts[0])
    indices = [int(a["data-figure"] or "") for t, a in found.elements if "data-figure" in a]
    assert indices == list(range(len(data["figures"])))


@pytest.mark.usefixtures("tiny_library")
def test_values_too_large_to_compute_with_are_said_to_be_and_nothing_warns() -> None:
    values = [(1e308, -1e308), (-1e308, 1e308), (1.7e308, 3.0), (5.0, -1.7e308), (1e308, 1e308)]
    space = Space({"a": Real(0, 1), "b": Real(0, 1)})
    plan = Plan(space, {"y": "max", "z": "min"}, cost=OrderCost("a > b"), budget=Budget(cost=1e308))
    trials = tuple(
        Trial(i, {"a": i / 10, "b": 3 * i % 10 / 10}, State.COMPLETE, {"y": y, "z": z}, cost=1e308, expected=3.0)
        for i, (y, z) in enumerate(2 * values)
    )
    text = written(Record(plan, trials)).whole_text
    assert "too large to compute" in text
    assert not {"inf", "nan"} & set(re.findall(r"[a-z]+", text.lower()))


@pytest.mark.usefixtures("tiny_library")
def test_the_heading_is_the_title_or_else_the_objectives() -> None:
    assert "Steel" in written(SMALL, title="Steel").text
    assert "objective 0 and objective 1" in written(SMALL).text


@pytest.mark.usefixtures("tiny_library")
def test_no_element_asks_for_anything_or_carries_a_handler_or_a_style() -> None:
    for name, attributes in written(sample()).elements:
        assert name in KNOWN
        assert not {"src", "href", "srcset", "style", "action", "data"} & set(attributes)
        assert not [key for key in attributes if key.startswith("on")]


class TestUserText:
    def test_there_are_two_hundred_different_hostile_strings_and_each_is_in_some_report(self) -> None:
        assert len(set(HOSTILE)) == 200 == PARTS * STRINGS_EACH
        assert {s for part in range(PARTS) for s in hostile_record(part)[2]} == set(HOSTILE)

    @pytest.mark.parametrize("part", range(PARTS))
    @pytest.mark.usefixtures("tiny_library")
    def test_every_one_is_shown_as_text_and_none_becomes_an_element(self, part: int) -> None:
        record, title, texts = hostile_record(part)
        record = in_money(record, texts[0])
        found, harmless = written(record, title=title), written(renamed(record), title="t")
        assert Counter(t for t, _ in found.elements) == Counter(t for t, _ in harmless.elements)
        assert [sorted(a) for _, a in found.elements] == [sorted(a) for _, a in harmless.elements]
        assert not found.comments
        shown = "\n".join(found.text)
        for text in texts:
            assert visible(text) in shown, text
        assert found.scripts[1:] == harmless.scripts[1:]


def in_money(record: Record, unit: str) -> Record:
    """The record with a budget in such a unit, and receipts that contradict the order."""
    rises = record.levels(record.trials)[:, 1].tolist()
    paid = {t.number: 5.0 + 50.0 * rise for t, rise in zip(record.trials, rises, strict=True) if not t.state.open}
    trials = tuple(replace(trial, expected=9.0, cost=paid.get(trial.number)) for trial in record.trials)
    return Record(replace(record.plan, budget=Budget(cost=900, unit=unit)), trials)


def renamed(record: Record) -> Record:
    """The same record with harmless texts."""
    plan, names = record.plan, {name: f"in{j}" for j, name in enumerate(record.plan.space.names)}
    goals = {name: f"out{m}" for m, name in enumerate(plan.objectives)}
    inputs: dict[str, Input] = {}
    harmless: dict[str, str] = {}
    for old, given in plan.space.inputs.items():
        if isinstance(given, Categorical):
            harmless |= {str(choice): f"{names[old]}c{i}" for i, choice in enumerate(given.choices)}
            choices, expensive = ([harmless[str(c)] for c in group] for group in (given.choices, given.expensive))
            inputs[names[old]] = Categorical(choices, expensive=expensive)
        else:
            inputs[names[old]] = replace(given, unit="u")
    trials = tuple(
        replace(
            t,
            params={names[k]: harmless.get(v, v) if isinstance(v, str) else v for k, v in t.params.items()},
            values=None if t.values is None else {goals[k]: v for k, v in t.values.items()},
            reason="r" if t.reason is not None else None,
            notes=tuple(Note(Reason.OTHER, {"text": "n"}) for _ in t.notes),
        )
        for t in record.trials
    )
    objectives = {goals[k]: v for k, v in plan.objectives.items()}
    cost = OrderCost([names[name] for name in plan.cost.names()]) if plan.cost else None
    budget = None if plan.budget is None else replace(plan.budget, unit="EUR")
    return Record(replace(plan, space=Space(inputs), objectives=objectives, cost=cost, budget=budget), trials)


class TestTheFile:
    @pytest.mark.usefixtures("tiny_library")
    def test_it_is_written_whole_and_leaves_nothing_else_behind(self, tmp_path: Path) -> None:
        target = tmp_path / "alloy.html"
        target.write_text("old")
        assert report(SMALL, target) == target
        assert target.read_text(encoding="utf-8").startswith("<!doctype html>")
        assert os.listdir(tmp_path) == ["alloy.html"]

    def test_plotly_is_in_it_once_and_its_policy_allows_it(self, tmp_path: Path) -> None:
        text = report(SMALL, tmp_path / "a.html").read_text(encoding="utf-8")
        assert len(re.findall(r"plotly\.js v\d", text)) == 1
        assert 1e6 < len(text) < 8e6
        found = Reader(text)
        digest = base64.b64encode(hashlib.sha256(found.scripts[1].encode()).digest()).decode()
        assert found.policy["script-src"][0] == f"'sha256-{digest}'"

    @pytest.mark.usefixtures("tiny_library")
    def test_a_disk_that_fails_half_way_leaves_the_old_file_as_it_was(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        target = tmp_path / "alloy.html"
        target.write_text("old")

        def full(*_: object) -> None:
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(os, "fsync", full)
        with pytest.raises(
            InvalidOptionError, match=r"^report: cannot write .*alloy.html.*No space left.*Choose a file"
        ):
            report(SMALL, target)
        assert target.read_text() == "old"
        assert os.listdir(tmp_path) == ["alloy.html"]

    @pytest.mark.usefixtures("tiny_library")
    @pytest.mark.parametrize("name", ["nowhere/a.html", "."])
    def test_a_place_that_cannot_be_written_is_named(self, tmp_path: Path, name: str) -> None:
        with pytest.raises(InvalidOptionError, match=re.escape(os.path.realpath(tmp_path / name))):
            report(SMALL, tmp_path / name)

    def test_a_name_with_a_null_character_is_refused(self) -> None:
        with pytest.raises(InvalidOptionError, match=r"^report: need a file name without null characters, got"):
            report(SMALL, "a\0b.html")

    @pytest.mark.usefixtures("tiny_library")
    def test_a_study_is_reported_as_its_record(self, tmp_path: Path) -> None:
        study = Study(Space({"x": Real(0, 1)}), {"y": "min"}, seed=1)
        for x in (0.1, 0.7, 0.4):
            study.add({"x": x}, {"y": x})
        assert "Best trials" in report(study, str(tmp_path / "a.html")).read_text(encoding="utf-8")

    def test_without_plotly_the_error_says_what_to_install(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setitem(sys.modules, "plotly.offline", None)
        with pytest.raises(MissingExtraError, match=re.escape("pip install 'camobo[plot]'")):
            report(SMALL, tmp_path / "a.html")
        assert not os.listdir(tmp_path)


class TestTheTrialOfTheSlices:
    @pytest.mark.usefixtures("tiny_library")
    def test_it_can_be_chosen(self) -> None:
        assert "Slices through trial 1" in written(SMALL, trial=1).text

    def test_an_unknown_one_is_an_error_and_nothing_is_written(self, tmp_path: Path) -> None:
        with pytest.raises(UnknownTrialError, match="trial 99"):
            report(SMALL, tmp_path / "a.html", trial=99)
        assert not os.listdir(tmp_path)

    def test_one_that_is_left_out_is_an_error_that_says_why(self) -> None:
        record = ForeignRecord(SMALL.plan, SMALL.trials, left_out={77: "pruned"})
        with pytest.raises(
            UnknownTrialError, match=r"^trial 77 is left out of the report: pruned\. Choose another trial"
        ):
            as_html(record, trial=77)
