from __future__ import annotations

import sqlite3
import uuid
from pathlib import Path

import pytest
import sqlalchemy as sa

import camobo as cm
from camobo.storage import inspection, reading
from camobo.storage.chain import Links
from camobo.storage.inspection import Inspection, inspect
from tests.support.tampering import change

SPACE = cm.Space({"nickel": cm.Real(0, 20), "soak": cm.Integer(1, 12)})
GOOD = {"y": 1.0}


def created(place: str | Path, trials: int = 4) -> cm.Study:
    study = cm.Study(SPACE, {"y": "max"}, seed=1, cost="nickel", storage=place)
    for trial in study.ask(trials):
        study.tell(trial, GOOD, note="x" * 600)
    return study


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A closed study of four complete trials: events 0 to 3 asked, 4 to 7 told."""
    created(tmp_path / "alloy.db").close()
    return tmp_path / "alloy.db"


def looked(path: Path) -> Inspection:
    """What is found. The file stays as it is, byte for byte."""
    before = {file.name: file.read_bytes() for file in path.parent.iterdir()}
    found = inspect(str(path))
    assert {file.name: file.read_bytes() for file in path.parent.iterdir()} == before
    return found


def said(found: Inspection) -> list[str]:
    return [str(each) for each in found.findings]


def test_a_sound_study_has_no_findings(path: Path) -> None:
    found = looked(path)
    assert found.sound
    assert found.salvage is not None
    assert (found.format, len(found.salvage.events), len(found.salvage.history.trials)) == (4, 8, 4)


WRONG = {
    "UPDATE events SET who = 'eve' WHERE number = 5": ["event 5 is not as it was stored: its hash is another"],
    "DELETE FROM events WHERE number = 6": ["event 6: is missing"],
    "DELETE FROM events WHERE number > 5": ["event 6: is missing, and so are all to event 7"],
    "UPDATE study SET chain = 'x'": ["chain: each event is whole"],
    "UPDATE study SET count = 'x'": ["chain: the number of its events is not one"],
    "UPDATE study SET count = 99999999999": ["event 8: is missing, and so are all to event"],
    "UPDATE study SET document = replace(document, '12', '13')": ["description: its description is not as it was"],
    "UPDATE study SET document = '{}'": ["description: its description is not", "description: [space] is missing"],
    "DELETE FROM study": ["tables: the study is damaged, its description is missing"],
    "CREATE VIEW mine AS SELECT 1": ["tables: the study is damaged, or was changed to do harm: it has a view 'mine'"],
    "UPDATE trials SET cost = 3.0 WHERE number = 2": ["trial 2: cost in the table of trials is not what the events"],
    "UPDATE trials SET results = '{\"y\":2.0}' WHERE number = 1": ["trial 1: results in the table of trials"],
    "DELETE FROM trials WHERE number = 3": ["trial 3: is missing in the table of trials"],
    "UPDATE trials SET number = 7 WHERE number = 0": [
        "trial 7: is in the table of trials, but no event",
        "trial 0: is missing",
    ],
    "UPDATE trials SET params = 'x'": ["trials: the table of trials cannot be read"],
}


@pytest.mark.parametrize(("statement", "findings"), WRONG.items(), ids=list(WRONG))
def test_what_is_wrong_is_named_with_its_place(path: Path, statement: str, findings: list[str]) -> None:
    change(path, statement)
    found = said(looked(path))
    assert len(found) == len(findings), found
    for each, start in zip(found, findings, strict=True):
        assert each.startswith(start)


def test_everything_is_found_not_only_the_first(path: Path) -> None:
    change(path, "UPDATE events SET who = 'eve' WHERE number IN (2, 5)", "DELETE FROM events WHERE number = 7")
    found = said(looked(path))
    assert [each[: len("event 2")] for each in found] == ["event 2", "event 5", "event 7", "event 6"]
    assert found[-1] == "event 6: is about trial 2, which was lost"


def test_events_on_a_page_that_cannot_be_read_are_named_and_the_others_are_still_found(path: Path) -> None:
    with cm.Study.load(path) as study:
        for trial in study.ask(30):
            study.tell(trial, GOOD)
    content = bytearray(path.read_bytes())
    pages = range(4096, len(content), 4096)
    leaves = [at for at in pages if content[at] == 13 and b"owner" in content[at : at + 4096]]
    assert leaves, "events take more than a page"
    content[leaves[-1] : leaves[-1] + 4096] = bytes(4096)
    path.write_bytes(content)
    found = looked(path)
    assert any("cannot be read: database disk image is malformed" in each for each in said(found))
    assert found.salvage is not None
    assert 0 < len(found.salvage.events) < 68


def test_a_damaged_index_is_found_though_no_event_is_wrong(path: Path) -> None:
    connection = sqlite3.connect(path)
    ((root,),) = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = 'ix_events_trial'").fetchall()
    connection.close()
    content = bytearray(path.read_bytes())
    content[root * 4096 - 3 : root * 4096] = b"\7\7\7"
    path.write_bytes(content)
    found = looked(path)
    assert {each.where for each in found.findings} <= {"index", "file"}
    assert not found.sound


def test_a_damaged_log_is_found_and_neither_applied_nor_removed(path: Path) -> None:
    study = cm.Study.load(path)
    reader = sqlite3.connect(path, isolation_level=None)
    reader.execute("BEGIN")
    reader.execute("SELECT * FROM study").fetchall()
    for _ in range(3):
        study.add({"nickel": 1.0, "soak": 2}, GOOD)
    copy = path.parent / "copy"
    copy.mkdir()
    for ending in ("", "-wal"):
        (copy / f"alloy.db{ending}").write_bytes(path.with_name(f"alloy.db{ending}").read_bytes())
    reader.close()
    study.close()
    log = copy / "alloy.db-wal"
    content = bytearray(log.read_bytes())
    content[len(content) // 2] ^= 1
    log.write_bytes(content)
    found = looked(copy / "alloy.db")
    assert said(found)[0].startswith("log: alloy.db-wal, which holds the latest results, is damaged at byte")
    with pytest.raises(cm.StorageError, match=r"alloy\.db-wal, which holds the latest results, is damaged"):
        cm.Study.load(copy / "alloy.db")
    assert log.read_bytes() == content


def test_a_study_that_others_use_is_looked_at_as_it_is(path: Path) -> None:
    with cm.Study.load(path) as study:
        trial = study.ask()
        found = inspect(str(path))
        assert found.sound
        assert found.salvage is not None
        assert len(found.salvage.events) == 9
        study.tell(trial, GOOD)


@pytest.mark.parametrize("number", [1, 2, 3])
def test_a_study_of_an_older_format_is_sound(number: int, tmp_path: Path) -> None:
    path = tmp_path / "alloy.db"
    path.write_bytes((Path(__file__).parent / f"format_{number}.db").read_bytes())
    found = inspect(str(path))
    assert said(found) == []
    assert found.format == number


def test_a_file_that_is_no_study_is_said_to_be_none(tmp_path: Path) -> None:
    (tmp_path / "alloy.db").write_bytes(b"x" * 5000)
    found = inspect(str(tmp_path / "alloy.db"))
    assert said(found) == ["file: is not a camobo study but another kind of file. It is unchanged"]
    with pytest.raises(cm.StorageError, match="no such file"):
        inspect(str(tmp_path / "nowhere.db"))


def test_a_study_on_a_server_is_looked_at_too(server: str) -> None:
    name = f"inspected_{uuid.uuid4().hex[:12]}"
    place = f"{server}&schema={name}"
    created(place).close()
    assert said(inspect(place)) == []
    engine = sa.create_engine(server)
    with engine.begin() as connection:
        connection.execute(
            sa.text(f"UPDATE {name}.events SET new = replace(new::text, '1.0', '7.0')::json WHERE number = 5")
        )
    assert said(inspect(place)) == ["event 5 is not as it was stored: its hash is another"]
    with pytest.raises(cm.StorageError, match="event 5 is not as it was stored"):
        cm.Study.load(place)
    with engine.begin() as connection:
        connection.execute(sa.text(f"DROP SCHEMA {name} CASCADE"))
    engine.dispose()


def test_a_study_on_a_server_may_be_changed_while_it_is_looked_at(server: str, monkeypatch: pytest.MonkeyPatch) -> None:
    name = f"inspected_{uuid.uuid4().hex[:12]}"
    place = f"{server}&schema={name}"
    with created(place) as study:

        def read_links(connection: sa.Connection) -> tuple[Links, Links]:
            found = reading.read_links(connection)
            study.add({"nickel": 1.0, "soak": 2}, GOOD)  # by another connection, before the events are read
            return found

        monkeypatch.setattr(inspection, "read_links", read_links)
        found = inspect(place)
        assert said(found) == []
        assert found.salvage is not None
        assert len(found.salvage.events) == 8
    engine = sa.create_engine(server)
    with engine.begin() as connection:
        connection.execute(sa.text(f"DROP SCHEMA {name} CASCADE"))
    engine.dispose()
