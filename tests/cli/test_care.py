from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path

import pytest

from tests.support.commands import camobo, measured
from tests.support.tampering import change


@pytest.fixture
def study(tmp_path: Path) -> Path:
    """A study of three complete trials."""
    return measured(tmp_path, 3)


class TestCheck:
    def test_a_sound_study(self, study: Path) -> None:
        done = camobo("check", study)
        assert (done.code, done.out, done.err) == (0, f"{study}: sound, 6 events and 3 trials.\n", "")
        assert camobo("check", study, "--json").json == {
            "study": str(study), "sound": True, "format": 4, "events": 6, "trials": 3, "findings": [],
        }  # fmt: skip

    def test_a_damaged_study_ends_with_1_and_says_where_and_what_to_do(self, study: Path) -> None:
        change(study, "UPDATE events SET who = 'eve' WHERE number = 3")
        done = camobo("check", study)
        assert done.code == 1
        assert done.out.startswith(f"{study}: not sound.\n  event 3 is not")
        assert f"camobo repair {study} fixed.db" in done.err
        found = camobo("check", study, "--json")
        assert found.code == 1
        assert found.json["sound"] is False
        assert found.json["findings"][0]["number"] == 3

    def test_of_another_database_nothing_can_be_repaired(self, tmp_path: Path) -> None:
        with contextlib.closing(sqlite3.connect(tmp_path / "other.db")) as other:
            other.execute("CREATE TABLE a (b)")
        done = camobo("check", tmp_path / "other.db")
        assert done.code == 1
        assert "repair" not in done.out + done.err

    def test_many_findings_are_cut_short(self, study: Path) -> None:
        change(study, *[f"INSERT INTO trials SELECT {i}, state, params, results, cost, note, reason, owner, expires, "
                        "added, amended FROM trials WHERE number = 0" for i in range(9, 39)])  # fmt: skip
        assert "and 10 more; --json shows all" in camobo("check", study).out

    def test_no_file_is_an_error(self, tmp_path: Path) -> None:
        done = camobo("check", tmp_path / "nowhere.db")
        assert done.code == 1
        assert "no such file" in done.err


def test_a_backup_is_a_study(study: Path) -> None:
    copy = study.with_name("copy.db")
    done = camobo("backup", study, copy)
    assert (done.code, done.out) == (0, f"{copy}: a copy of {study}, 6 events, verified.\n")
    assert camobo("status", copy, "--json").json["trials"] == camobo("status", study, "--json").json["trials"]
    again = camobo("backup", study, copy)
    assert again.code == 1
    assert "exists already" in again.err
    assert camobo("backup", study, copy, "--force").code == 0


class TestRepair:
    def test_it_says_what_is_not_in_the_new_file(self, study: Path) -> None:
        change(study, "UPDATE events SET new = 'x' WHERE number = 2")
        fixed = study.with_name("fixed.db")
        done = camobo("repair", study, fixed)
        assert done.code == 0
        assert f"{fixed}: 4 events and 2 trials of {study}." in done.out
        assert "event 2 is not" in done.out
        assert "event 3: is about trial 1, which was lost" in done.out
        assert "trial 2 is now trial 1" in done.out
        assert "is unchanged" in done.err
        assert camobo("check", fixed).code == 0
        assert camobo("check", study).code == 1

    def test_json_has_it_all(self, study: Path) -> None:
        found = camobo("repair", study, study.with_name("fixed.db"), "--json").json
        assert (found["events"], found["trials"], found["findings"], found["renumbered"]) == (6, 3, [], {})
        assert found["file"] == str(study.with_name("fixed.db"))

    def test_a_sound_study_has_nothing_wrong(self, study: Path) -> None:
        assert "Nothing was wrong." in camobo("repair", study, study.with_name("fixed.db")).out
