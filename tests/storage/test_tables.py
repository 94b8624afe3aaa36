"""Files whose tables are not exactly camobo's are refused before anything is read from them."""

from __future__ import annotations

import sqlite3
import time
from pathlib import Path

import pytest

from camobo.errors import StorageError
from camobo.history.document import to_document
from camobo.storage.sql import open_sql
from camobo.storage.tables import APPLICATION
from tests.support.histories import NEW, PLAN, added
from tests.support.tampering import change

ENDLESS = "WITH RECURSIVE t(number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM t) SELECT number FROM t"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A study of one event."""
    store = open_sql(str(tmp_path / "alloy.db"), create=True)
    store.create(to_document(PLAN))
    made = added(NEW)
    with store.transaction() as transaction:
        transaction.append(made.events, [made.trial])
    store.close()
    return tmp_path / "alloy.db"


def refused(path: Path, said: str) -> None:
    content, started = path.read_bytes(), time.monotonic()
    for create in (False, True):
        with pytest.raises(StorageError, match=said):
            open_sql(str(path), create=create)
    assert time.monotonic() - started < 5
    assert path.read_bytes() == content


SWALLOW = "CREATE TRIGGER swallow BEFORE INSERT ON events BEGIN SELECT RAISE(IGNORE); END"


@pytest.mark.parametrize(
    ("statements", "said"),
    [
        (["DROP TABLE events", "CREATE VIEW events AS SELECT 1 AS number"], "a view in place of its table events"),
        (["DROP TABLE events", f"CREATE VIEW events AS {ENDLESS}"], "a view in place of its table events"),
        (["DROP TABLE trials", "CREATE VIEW trials AS SELECT 1 AS number"], "a view in place of its table trials"),
        ([SWALLOW], "it has a trigger 'swallow'"),
        (["CREATE TABLE recipes (x)"], "it has a table 'recipes'"),
        (["CREATE VIEW mine AS SELECT * FROM trials"], "it has a view 'mine'"),
        (["DROP INDEX ix_events_trial"], "its index ix_events_trial is missing"),
        (["DROP TABLE trials"], "its table trials is missing"),
        (
            ["DROP INDEX ix_events_trial", "CREATE INDEX ix_events_trial ON events (kind)"],
            "its index ix_events_trial is declared in another way",
        ),
        (["CREATE UNIQUE INDEX further ON events (who)"], "it has an index 'further'"),
        (["ALTER TABLE events ADD COLUMN further TEXT"], "its table events is declared in another way"),
        (["ALTER TABLE trials ADD COLUMN x AS (abs(number)) VIRTUAL"], "its table trials is declared in another way"),
        (["DROP TABLE trials", "CREATE VIRTUAL TABLE trials USING fts5(number)"], "its table trials|a table 'trials_"),
        ([f"CREATE VIEW study_{i} AS SELECT 1" for i in range(99)], "it has a view 'study_0'"),
    ],
)
def test_what_camobo_did_not_declare_is_named(path: Path, statements: list[str], said: str) -> None:
    change(path, *statements)
    refused(path, f"damaged, or was changed to do harm: .*{said}.* It is unchanged")


def test_a_view_in_place_of_the_study_never_runs(path: Path) -> None:
    change(path, "DROP TABLE study", f"CREATE VIEW study AS {ENDLESS.replace('number', 'format')}")
    refused(path, "there is a view in place of its table study")


def test_a_declaration_that_is_no_text_is_damage(path: Path) -> None:
    content = path.read_bytes()
    content = content.replace(b"tabletrialstrials", b"tabletr\xa0alstrials").replace(b"TABLE trials", b",,,,, trials")
    path.write_bytes(content)
    refused(path, "malformed database schema: it is no text. The file is damaged")


def test_what_analyze_leaves_is_fine(path: Path) -> None:
    change(path, "ANALYZE")
    open_sql(str(path), create=False).close()


def test_a_trigger_that_comes_while_a_study_is_open_is_found_before_a_change(path: Path) -> None:
    store = open_sql(str(path), create=False)
    change(path, SWALLOW)
    with pytest.raises(StorageError, match="it has a trigger 'swallow'"), store.transaction():
        pass
    store.close()


def test_a_database_of_somebody_else_with_our_mark_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "alloy.db"
    with sqlite3.connect(path) as connection:
        connection.execute(f"PRAGMA application_id={APPLICATION}")
        connection.execute("CREATE TABLE study (name)")
    connection.close()
    refused(path, "no such column|declared in another way|missing")


@pytest.mark.parametrize(
    ("value", "said"),
    [("'two'", "its format is 'two'"), ("x'04'", "its format is no number"), ("3.5", "its format is no number"),
     ("zeroblob(1000000)", "its format is no number"), ("'" + "x" * 1000 + "'", "its format is no number"),
     ("3", "its format is 3, but its tables are of another")],
)  # fmt: skip
def test_a_format_that_is_none_is_named(path: Path, value: str, said: str) -> None:
    change(path, f"UPDATE study SET format = {value}")
    refused(path, said)


def test_a_study_that_is_described_twice_is_damaged(path: Path) -> None:
    change(path, "INSERT INTO study SELECT 2, format, document, created, hash, count, chain FROM study")
    refused(path, "its description is there twice")
