"""A study's file removed, replaced or cut short while it is open: no result is acknowledged that is not on disk."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

import camobo as cm
from camobo.run import patience

SPACE = cm.Space({"nickel": cm.Real(0, 20), "soak": cm.Integer(1, 12)})
GOOD = {"y": 1.0}


def created(place: Path, trials: int) -> cm.Study:
    study = cm.Study(SPACE, {"y": "max"}, seed=1, cost="nickel", storage=place)
    for trial in study.ask(trials):
        study.tell(trial, GOOD)
    return study


def whole(path: Path) -> int:
    """How many events are in a file that SQLite finds nothing wrong with."""
    connection = sqlite3.connect(path)
    try:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        return int(connection.execute("SELECT count(*) FROM events").fetchone()[0])
    finally:
        connection.close()


def test_a_result_is_not_accepted_into_a_file_that_was_removed(tmp_path: Path) -> None:
    path = tmp_path / "alloy.db"
    with created(path, 2) as study:
        trial = study.ask()
        os.remove(path)
        for attempt in (lambda: study.tell(trial, GOOD), study.ask, lambda: study.trials):
            with pytest.raises(cm.StorageError, match=r"removed while the study was open.*Put it back"):
                attempt()
        assert not path.exists()
    assert not path.exists()


def test_a_file_that_was_away_for_a_moment_continues_with_all_its_results(tmp_path: Path) -> None:
    path = tmp_path / "alloy.db"
    with created(path, 2) as study:
        trial = study.ask()
        os.rename(path, tmp_path / "away.db")
        with pytest.raises(cm.StorageError, match="removed"):
            study.tell(trial, GOOD)
        os.rename(tmp_path / "away.db", path)
        study.tell(trial, GOOD)
    assert [t.values for t in cm.Study.load(path).trials] == [GOOD] * 3


@pytest.mark.parametrize("use", ["tell", "look", "ask"])
def test_a_file_put_in_place_of_an_open_study_is_left_whole(tmp_path: Path, use: str) -> None:
    path, other = tmp_path / "alloy.db", tmp_path / "other.db"
    created(other, 40).close()
    events, content = whole(other), other.read_bytes()
    with created(path, 2) as study:
        trial = study.ask()
        uses: dict[str, Callable[[], object]] = {
            "tell": lambda: study.tell(trial, GOOD),
            "ask": lambda: study.ask(2),
            "look": study.front,
        }
        os.replace(other, path)
        with pytest.raises(cm.StorageError, match=r"replaced by another.*alloy\.db-wal-replaced"):
            uses[use]()
        with pytest.raises(cm.StorageError, match=r"replaced by another.*alloy\.db-wal-replaced"):
            study.tell(trial, GOOD)
        assert path.read_bytes() == content
    assert path.read_bytes() == content
    assert whole(path) == events
    with cm.Study.load(path) as again:
        assert len(again.trials) == 40
        again.tell(again.ask(), GOOD)


def test_what_was_in_the_log_of_a_replaced_file_can_be_put_beside_it_again(tmp_path: Path) -> None:
    path, other, old = tmp_path / "alloy.db", tmp_path / "other.db", tmp_path / "old.db"
    created(other, 2).close()
    with created(path, 5) as study:
        os.rename(path, old)
        os.rename(other, path)
        with pytest.raises(cm.StorageError, match="replaced"):
            study.ask()
    os.rename(tmp_path / "alloy.db-wal-replaced", tmp_path / "old.db-wal")
    assert [t.values for t in cm.Study.load(old).trials] == [GOOD] * 5


def test_a_study_that_was_closed_is_not_continued_in_another_file(tmp_path: Path) -> None:
    path, other = tmp_path / "alloy.db", tmp_path / "other.db"
    created(other, 40).close()
    study = created(path, 2)
    trial = study.ask()
    study.close()
    os.replace(other, path)
    content = path.read_bytes()
    with pytest.raises(cm.StorageError, match="replaced by another"):
        study.tell(trial, GOOD)
    assert path.read_bytes() == content


@pytest.mark.parametrize("length", [0, 10, 4096, 5000])
def test_a_file_cut_short_under_an_open_study_accepts_no_results(tmp_path: Path, length: int) -> None:
    path = tmp_path / "alloy.db"
    created(path, 40).close()
    study = cm.Study.load(path)
    trial = study.ask()
    os.truncate(path, length)
    with pytest.raises(cm.StorageError, match=f"cut short.* to {length} bytes"):
        study.tell(trial, GOOD)
    study.close()


def test_a_file_made_smaller_by_vacuum_is_still_the_same(tmp_path: Path) -> None:
    path = tmp_path / "alloy.db"
    created(path, 3).close()
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE ballast (x)")
    connection.execute("INSERT INTO ballast VALUES (zeroblob(1000000))")
    connection.execute("DROP TABLE ballast")
    connection.commit()
    connection.close()
    study = cm.Study.load(path)
    before = path.stat().st_size
    other = sqlite3.connect(path)
    other.execute("VACUUM")
    other.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    other.close()
    assert path.stat().st_size < before
    study.tell(study.ask(), GOOD)
    study.close()
    assert len(cm.Study.load(path).trials) == 4


def test_no_result_is_accepted_once_the_log_was_removed(tmp_path: Path) -> None:
    path = tmp_path / "alloy.db"
    with created(path, 2) as study:
        trial = study.ask()
        os.remove(tmp_path / "alloy.db-wal")
        with pytest.raises(cm.StorageError, match=r"alloy\.db-wal, which holds the latest results, was removed"):
            study.tell(trial, GOOD)


def test_a_study_opened_through_a_link_continues_and_notices_another_target(tmp_path: Path) -> None:
    real, link = tmp_path / "real.db", tmp_path / "alloy.db"
    created(real, 2).close()
    shutil.copy(real, tmp_path / "copy.db")
    link.symlink_to(real)
    study = cm.Study.load(link)
    trial = study.ask()
    study.tell(trial, GOOD)
    link.unlink()
    link.symlink_to(tmp_path / "copy.db")
    with pytest.raises(cm.StorageError, match="replaced by another"):
        study.ask()


def test_optimize_ends_with_the_error_and_logs_the_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(patience, "_RETRY_DELAYS", (0.01,))
    path = tmp_path / "alloy.db"
    study = created(path, 2)

    def measure(params: object) -> dict[str, float]:
        os.remove(path)
        return {"y": 123.5}

    with pytest.raises(cm.StorageError, match="removed while the study was open"):
        study.optimize(measure, 5, progress=False)
    assert "could not be stored" in caplog.text
    assert "123.5" in caplog.text


def test_a_damaged_file_is_not_said_to_be_unchanged(tmp_path: Path) -> None:
    path = tmp_path / "alloy.db"
    created(path, 40).close()
    content = bytearray(path.read_bytes())
    content[8192:] = b"\xff" * (len(content) - 8192)
    path.write_bytes(content)
    with pytest.raises(cm.StorageError, match="damaged") as caught:
        cm.Study.load(path).log()
    assert "unchanged" not in str(caught.value)
