from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta

import pytest
import sqlalchemy as sa

from camobo.history import transitions
from camobo.history.events import Event
from camobo.history.transitions import Request
from camobo.storage.chain import hash_of_event
from camobo.storage.connections import file_engine
from camobo.storage.schema import EVENTS, OPTUNAS, TABLES, TRIALS, event_row, read_events, rows_of_events, trial_row
from tests.support.histories import GOOD, NEW, added, asked, at, handed, told


@pytest.fixture
def connection(tmp_path: object) -> Iterator[sa.Connection]:
    engine = file_engine(tmp_path / "alloy.db", create=True)  # type: ignore[operator]
    with engine.begin() as connection:
        TABLES.create_all(connection)
        yield connection
    engine.dispose()


def stored(connection: sa.Connection) -> list[Event]:
    """The events as they are read."""
    return read_events(connection.execute(rows_of_events(connection.dialect, hashed=True)))


def test_events_come_back_as_they_were_in_order(connection: sa.Connection) -> None:
    change = handed(NEW, Request(3, "anna", timedelta(hours=1))).change
    events = [*change.events, *told(change.history, 0, note="日本 \U0001f9ea").events]
    connection.execute(sa.insert(EVENTS), [event_row(event) for event in reversed(events)])
    assert stored(connection) == events


def test_an_event_without_a_trial_or_an_old_value_has_nulls(connection: sa.Connection) -> None:
    (event,) = transitions.change_plan(NEW, at(), {"budget": 5}).events
    event = replace(event, old=None)
    connection.execute(sa.insert(EVENTS), [event_row(event)])
    query = sa.text("SELECT trial, old FROM events")
    assert tuple(connection.execute(query).one()) == (None, None)
    assert stored(connection) == [event]


@pytest.mark.parametrize(
    "changes",
    [
        {"cost": {"type": "prices", "prices": {"nickel": 13.9, "quench": {"oil": 0.1 + 0.2}}, "per_trial": 12.0}},
        {"budget": {"trials": 9, "cost": 2000.0, "unit": "€"}, "thrift": 0.25},
        {"cost": {"type": "formula", "formula": 'if(quench == "oil", 2, 1)'}},
    ],
    ids=str,
)
def test_a_change_of_the_plan_comes_back_as_it_was(connection: sa.Connection, changes: dict[str, object]) -> None:
    (event,) = transitions.change_plan(NEW, at(), changes).events
    connection.execute(sa.insert(EVENTS), [event_row(event)])
    (again,) = stored(connection)
    assert again == event
    assert again.as_dict()["new"] == changes


def test_a_kind_of_an_older_format_is_read_in_todays_words(connection: sa.Connection) -> None:
    (event,) = transitions.change_plan(NEW, at(), {"budget": 5}).events
    connection.execute(sa.insert(EVENTS), [{**event_row(event), "kind": "planned"}])
    assert stored(connection) == [event]


def test_numbers_are_stored_to_the_bit(connection: sa.Connection) -> None:
    values = {"strength": 0.1 + 0.2, "corrosion": -5e-324}
    (event,) = told(asked(), 0, values).events
    connection.execute(sa.insert(EVENTS), [event_row(replace(event, number=0))])
    (again,) = stored(connection)
    assert {name: value.hex() for name, value in again.new["values"].items()} == {
        name: value.hex() for name, value in values.items()
    }


def test_the_hash_of_a_row_is_that_of_what_is_stored(connection: sa.Connection) -> None:
    change = told(asked(), 0, note="日本 \U0001f9ea \"'\n")
    connection.execute(
        sa.insert(EVENTS), [event_row(replace(event, number=i)) for i, event in enumerate(change.events)]
    )
    ((*row, kept),) = connection.execute(rows_of_events(connection.dialect, hashed=True)).all()
    assert hash_of_event(*row) == kept


def test_a_trial_has_one_value_per_column() -> None:
    row = trial_row(added(NEW, cost=3.0, note="last year").trial)
    assert list(row) == [column.name for column in TRIALS.c]
    assert (row["state"], row["results"], row["cost"], row["note"], row["added"]) == (
        "complete", GOOD, 3.0, "last year", True
    )  # fmt: skip
    json.dumps(row, allow_nan=False)


def test_a_trial_without_results_has_none() -> None:
    assert trial_row(asked().trials[0])["results"] is None


def test_our_tables_are_not_taken_for_optunas() -> None:
    assert not set(TABLES.tables) >= OPTUNAS
