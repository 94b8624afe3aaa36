"""Study files made to do harm, with every hash right: a camobo error at once, never later, and nothing runs."""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
import time
from pathlib import Path
from typing import Any

import pytest

import camobo as cm
from tests.support.commands import camobo
from tests.support.tampering import change

SPACE = cm.Space({"nickel": cm.Real(0, 20), "soak": cm.Integer(1, 12)})
GOOD = {"y": 1.0}
LONGEST = 10.0
BLOB = 400_000_000 if os.environ.get("CAMOBO_LONG") else 40_000_000


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A closed study: events 0 to 2 asked, 3 to 5 told, 6 asked with a lease, 7 set."""
    with cm.Study(SPACE, {"y": "max"}, seed=1, cost="nickel", storage=tmp_path / "alloy.db") as study:
        for trial in study.ask(3):
            study.tell(trial, GOOD)
        study.ask(owner="anna", lease="2h")
        study.change(budget=9)
    return tmp_path / "alloy.db"


def used(path: Path) -> None:
    """What a user does with a study; what is wrong with it must have shown before."""
    study = cm.Study.load(path)
    try:
        str(study), study.log(), study.front(), study.explain(0), study.spent(), study.usage(), study.hypervolume()
        [str(event) for event in study.log()], study.tell(3, {"y": 2.0}), study.tell(study.ask(), GOOD)
    finally:
        study.close()


def refused_at_once(path: Path) -> None:
    """Opening is refused with a typed error, in Python and on the command line, within the time allowed."""
    started = time.monotonic()
    with pytest.raises(cm.CamoboError) as caught:
        cm.Study.load(path)
    assert time.monotonic() - started < LONGEST
    assert len(str(caught.value)) < 1500
    done = camobo("status", path)
    assert (done.code, done.out) == (1, "")
    assert "Error" in done.err
    assert "--debug" not in done.err, "an error that nobody foresaw"


def fact(event: int, key: str, value: str) -> str:
    """SQL that sets one fact of an event to some JSON."""
    return f"UPDATE events SET new = json_set(new, '$.{key}', json('{value}')) WHERE number = {event}"


EVENTS = {
    "deep lists": "UPDATE events SET new = replace(hex(zeroblob(50000)), '0', '[') WHERE number = 3",
    "deep but not too deep": fact(3, "values.y", "[" * 500 + "]" * 500),
    "deep notes": fact(0, "notes", "[" * 60 + "]" * 60),
    "a huge text": "UPDATE events SET new = '{\"note\":\"' || hex(zeroblob(20000000)) || '\"}' WHERE number = 3",
    "a huge number": fact(3, "values.y", "1" + "0" * 4000),
    "a number too large for Python to read": fact(3, "values.y", "1" + "0" * 5000),
    "an infinite number": "UPDATE events SET new = '{\"values\":{\"y\":1e999}}' WHERE number = 3",
    "a value that is true": fact(3, "values.y", "true"),
    "values in a list": fact(3, "values", "[1]"),
    "a cost in words": fact(3, "cost", '"much"'),
    "a negative cost": fact(3, "cost", "-1"),
    "a note that is a number": fact(3, "note", "3"),
    "a budget in words": fact(7, "budget", '"nine"'),
    "a budget in a list": fact(7, "budget", "[9]"),
    "a budget of no trials": fact(7, "budget", "0"),
    "a budget that is true": fact(7, "budget", "true"),
    "a budget of half a trial": fact(7, "budget", '{"trials":1.5}'),
    "a budget with a strange key": fact(7, "budget", '{"trials":1,"__class__":"x"}'),
    "a budget of infinite money": "UPDATE events SET new = '{\"budget\":{\"cost\":1e999}}' WHERE number = 7",
    "a unit that is a list": fact(7, "budget", '{"cost":1,"unit":["EUR"]}'),
    "a thrift that is a list": fact(7, "thrift", "[1]"),
    "a cost that is a number": fact(7, "cost", "3"),
    "an unknown cost": fact(7, "cost", '{"type":"os.system"}'),
    "a formula without end": fact(7, "cost", json.dumps({"type": "formula", "formula": "(" * 3000 + "1" + ")" * 3000})),
    "a formula of powers": fact(7, "cost", json.dumps({"type": "formula", "formula": "9^" * 3000 + "9"})),
    "an expiry that is a number": fact(6, "expires", "3"),
    "an expiry without a zone": fact(6, "expires", '"2026-01-01T00:00:00"'),
    "an expiry at the end of time": fact(6, "expires", '"9999-12-31T23:59:59.999999+00:00"'),
    "an expiry at the beginning of time": fact(6, "expires", '"0001-01-01T00:00:00+00:00"'),
    "an owner that is a list": fact(6, "owner", "[1]"),
    "a note that is no reason": fact(0, "notes", '[{"reason":["explores"]}]'),
    "a note that does not fit its reason": fact(0, "notes", '[{"reason":"jitter"}]'),
    "known that is text": fact(0, "known", '"0"'),
    "a parameter outside": fact(0, "params.nickel", "21"),
    "a parameter that is a list": fact(0, "params.nickel", "[1]"),
    "a time in words": "UPDATE events SET at = 'soon' WHERE number = 3",
    "a time that is a number": "UPDATE events SET at = 3 WHERE number = 3",
    "a time at the end": "UPDATE events SET at = '9999-12-31T23:59:59+00:00' WHERE number = 3",
    "a trial before the first": "UPDATE events SET trial = -1 WHERE number = 3",
    "a trial told twice": "UPDATE events SET trial = 0 WHERE number = 4",
    "a trial that is a fraction": "UPDATE events SET trial = 0.5 WHERE number = 3",
    "a trial that is text": "UPDATE events SET trial = 'zero' WHERE number = 3",
    "an unknown kind": "UPDATE events SET kind = 'melted' WHERE number = 3",
    "an author that is a blob": "UPDATE events SET who = x'ff00' WHERE number = 3",
    "text that is no UTF-8": "UPDATE events SET who = CAST(x'ff00fe' AS TEXT) WHERE number = 3",
    "old facts that are a list": "UPDATE events SET old = '[1]' WHERE number = 3",
    "facts that are a number": "UPDATE events SET new = '3' WHERE number = 3",
    "facts that are a blob": "UPDATE events SET new = zeroblob(400) WHERE number = 3",
}  # fmt: skip


@pytest.mark.parametrize("what", EVENTS)
def test_an_event_that_makes_no_sense_is_refused_when_the_study_is_opened(path: Path, what: str) -> None:
    change(path, EVENTS[what], forge=True)
    refused_at_once(path)


def described(**changes: Any) -> str:
    """A description with some of its parts replaced."""
    document: dict[str, Any] = {
        "space": {"nickel": {"type": "real", "low": 0, "high": 20}, "soak": {"type": "integer", "low": 1, "high": 12}},
        "objectives": {"y": "max"},
        "study": {"seed": 1, "method": "default"},
    }
    return json.dumps({**document, **changes})


DOCUMENTS = {
    "deep lists": '{"space":' + "[" * 100_000 + "]" * 100_000 + "}",
    "deep tables": '{"space":' + '{"a":' * 900 + "1" + "}" * 901,
    "a list": "[]",
    "nothing": "null",
    "a space that is a list": described(space=[1]),
    "an input that is a list": described(space={"nickel": [1]}),
    "bounds that are text": described(space={"nickel": {"type": "real", "low": "0", "high": "20"}}),
    "bounds that are infinite": described(space={"x": {"type": "real", "low": 0, "high": 7.5}}).replace("7.5", "1e999"),
    "a unit that is a list": described(space={"nickel": {"type": "real", "low": 0, "high": 1, "unit": [1]}}),
    "a log that is text": described(space={"nickel": {"type": "real", "low": 1, "high": 2, "log": "yes"}}),
    "choices that are a number": described(space={"nickel": {"type": "categorical", "choices": 3}}),
    "choices that are lists": described(space={"nickel": {"type": "categorical", "choices": [[1], [2]]}}),
    "no objectives": described(objectives={}),
    "objectives in a list": described(objectives=["y"]),
    "a goal that is a list": described(objectives={"y": ["max"]}),
    "a seed that is text": described(study={"seed": "1"}),
    "a seed that is negative": described(study={"seed": -1}),
    "a method that is a list": described(study={"seed": 1, "method": ["default"]}),
    "a budget that is text": described(study={"seed": 1, "budget": "9"}),
    "a reference that is a list": described(study={"seed": 1, "reference": [1]}),
    "a reference that is infinite": described(study={"seed": 1, "reference": {"y": 7.5}}).replace("7.5", "-1e999"),
    "a beta that is a table": described(study={"seed": 1, "beta": {}}),
    "refitting that is text": described(study={"seed": 1, "refit_every": "often"}),
    "an order that is a table": described(study={"seed": 1, "cost": {"type": "paper", "order": {}}}),
    "a formula without end": described(study={"seed": 1, "cost": {"type": "formula", "formula": "-" * 100_000 + "1"}}),
}  # fmt: skip


@pytest.mark.parametrize("what", DOCUMENTS)
def test_a_description_that_makes_no_sense_is_refused_when_the_study_is_opened(path: Path, what: str) -> None:
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE study SET document = ?", (DOCUMENTS[what],))
        connection.commit()
    change(path, forge=True)
    refused_at_once(path)


@pytest.mark.parametrize("column", ["format", "document", "created", "hash", "count", "chain"])
@pytest.mark.parametrize("value", ["'x'", "x'00ff'", "-1", "1e300", f"zeroblob({BLOB})"])
def test_no_value_of_the_row_of_a_study_opens_it_or_hangs(path: Path, column: str, value: str) -> None:
    change(path, f"UPDATE study SET {column} = {value}")
    refused_at_once(path)


def test_a_study_that_was_not_changed_can_be_used(path: Path) -> None:
    change(path, forge=True)
    used(path)


def test_a_study_cut_to_nothing_is_not_begun_anew_where_one_has_been(path: Path) -> None:
    os.truncate(path, 0)
    with pytest.raises(cm.StorageError, match=r"is empty, but alloy\.db-ask beside it says that it was a study"):
        cm.Study.load(path)
    with pytest.raises(
        cm.StorageError, match=r"Restore it from a copy; to begin a new study here, remove alloy\.db-ask"
    ):
        cm.Study(SPACE, {"y": "max"}, storage=path)
    assert path.read_bytes() == b""
    path.with_name("alloy.db-ask").unlink()
    cm.Study(SPACE, {"y": "max"}, storage=path).close()


def test_a_page_of_events_that_names_itself_again_does_not_hang(path: Path) -> None:
    with cm.Study.load(path) as study:
        for _ in range(60):
            study.add({"nickel": 1.0, "soak": 1}, GOOD, note="x" * 300)
    content = bytearray(path.read_bytes())
    connection = sqlite3.connect(path)
    ((root,),) = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = 'events'").fetchall()
    connection.close()
    page = (root - 1) * 4096
    assert content[page] == 5, "an inner page"
    cells = int.from_bytes(content[page + 3 : page + 5], "big")
    first = page + int.from_bytes(content[page + 12 : page + 14], "big")
    for cell in range(cells):
        place = page + int.from_bytes(content[page + 12 + 2 * cell : page + 14 + 2 * cell], "big")
        content[place : place + 4] = content[first : first + 4]
    path.write_bytes(content)
    refused_at_once(path)
