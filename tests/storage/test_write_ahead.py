from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from camobo.storage.write_ahead import damage, shortness
from tests.support.processes import Say, forked, heard

PAGES = (512, 4096, 65536)
NO_INDEX = Path("/nowhere")


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("camobo.storage.write_ahead._PAUSE", 0.0)


@pytest.fixture(params=PAGES, ids="pages of {}".format)
def log(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Path]:
    """The log of ten changes of a database that is open."""
    connection = opened(tmp_path, request.param)
    for number in range(10):
        connection.execute("INSERT INTO t VALUES (?)", ("x" * 100 * number,))
    yield tmp_path / "alloy.db-wal"
    connection.close()


def opened(folder: Path, page: int = 4096) -> sqlite3.Connection:
    connection = sqlite3.connect(folder / "alloy.db", isolation_level=None)
    connection.execute(f"PRAGMA page_size={page}")
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("CREATE TABLE t (x)")
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return connection


def frame(log: Path) -> int:
    return 24 + int.from_bytes(log.read_bytes()[8:12], "big")


def index(log: Path) -> Path:
    return log.with_name("alloy.db-shm")


def rows(log: Path, folder: Path) -> int:
    """How many rows SQLite finds, by itself, in a copy of the file and its log."""
    folder.mkdir(exist_ok=True)
    shutil.copy(log.with_name("alloy.db"), folder / "alloy.db")
    shutil.copy(log, folder / "alloy.db-wal")
    connection = sqlite3.connect(folder / "alloy.db")
    try:
        return int(connection.execute("SELECT count(*) FROM t").fetchone()[0])
    finally:
        connection.close()


def test_a_whole_log_is_whole(log: Path) -> None:
    assert damage(log, NO_INDEX) is None
    assert shortness(log, index(log)) is None


def test_no_log_and_an_empty_one_are_whole(tmp_path: Path) -> None:
    (tmp_path / "empty").touch()
    for name in ("none", "empty"):
        assert damage(tmp_path / name, NO_INDEX) is None
        assert shortness(tmp_path / name, tmp_path / "index") is None


def test_a_byte_changed_anywhere_is_found_where_it_costs_a_change(log: Path, tmp_path: Path) -> None:
    whole, copy = log.read_bytes(), tmp_path / "copy-wal"
    for place in range(0, len(whole), 487 if frame(log) < 5000 else 49_999):
        copy.write_bytes(whole[:place] + bytes([whole[place] ^ 16]) + whole[place + 1 :])
        found = damage(copy, NO_INDEX)
        assert found is not None or place >= len(whole) - frame(log), place
        if place < 24:
            assert found == "has a damaged header"


def test_what_sqlite_would_drop_is_said(log: Path, tmp_path: Path) -> None:
    content, size = bytearray(log.read_bytes()), frame(log)
    place = 32 + 4 * size
    content[place : place + size] = bytes(size)
    log_copy = tmp_path / "alloy.db-wal-copy"
    log_copy.write_bytes(content)
    found = damage(log_copy, NO_INDEX)
    assert found is not None
    assert found.startswith(f"is damaged at byte {place}, and ")
    assert found.endswith(" from there on cannot be read")


def test_sqlite_itself_drops_changes_after_a_damaged_frame_without_a_word(tmp_path: Path) -> None:
    connection = opened(tmp_path)
    for _ in range(10):
        connection.execute("INSERT INTO t VALUES (1)")
    log = tmp_path / "alloy.db-wal"
    assert rows(log, tmp_path / "one") == 10
    content, size = bytearray(log.read_bytes()), frame(log)
    content[32 + 4 * size : 32 + 5 * size] = bytes(size)
    log.write_bytes(content)
    assert rows(log, tmp_path / "two") == 4
    connection.close()


def test_the_last_change_overwritten_is_found_by_the_index(log: Path, tmp_path: Path) -> None:
    content, size = bytearray(log.read_bytes()), frame(log)
    content[-size:] = bytes(size)
    copy = tmp_path / "copy-wal"
    copy.write_bytes(content)
    assert damage(copy, NO_INDEX) is None, "it may as well never have been written"
    found = damage(copy, index(log))
    assert found == f"is damaged at byte {len(content) - size}, and 1 change from there on cannot be read"


def test_half_a_change_after_a_power_cut_is_no_damage(log: Path, tmp_path: Path) -> None:
    whole = log.read_bytes()
    for lost in (1, frame(log) - 1, frame(log), frame(log) + 7):
        (tmp_path / "copy").write_bytes(whole[:-lost])
        assert damage(tmp_path / "copy", NO_INDEX) is None


def test_what_an_earlier_use_of_the_log_left_behind_is_no_damage(tmp_path: Path) -> None:
    connection = opened(tmp_path)
    for _ in range(10):
        connection.execute("INSERT INTO t VALUES (1)")
    connection.execute("PRAGMA wal_checkpoint(PASSIVE)")
    size = (tmp_path / "alloy.db-wal").stat().st_size
    connection.execute("INSERT INTO t VALUES (2)")  # from the beginning of the log
    assert (tmp_path / "alloy.db-wal").stat().st_size == size
    assert damage(tmp_path / "alloy.db-wal", NO_INDEX) is None
    connection.close()


@pytest.mark.parametrize(
    "harm",
    [lambda log: os.truncate(log, 0), lambda log: os.truncate(log, 5000), os.unlink],
    ids=["emptied", "cut", "gone"],
)
def test_a_log_shorter_than_its_index_says_is_found(tmp_path: Path, harm: Callable[[Path], None]) -> None:
    connection = opened(tmp_path)
    connection.execute("INSERT INTO t VALUES (1)")
    connection.execute("INSERT INTO t VALUES (1)")
    log = tmp_path / "alloy.db-wal"
    size = log.stat().st_size
    harm(log)
    found = shortness(log, index(log))
    assert found == f"has {log.stat().st_size if log.exists() else 0} bytes, not the {size} that were written"
    connection.close()


def test_a_log_whose_changes_are_all_in_the_file_may_be_lost(tmp_path: Path) -> None:
    connection = opened(tmp_path)
    connection.execute("INSERT INTO t VALUES (1)")
    connection.execute("PRAGMA wal_checkpoint(PASSIVE)")
    os.truncate(tmp_path / "alloy.db-wal", 0)
    assert shortness(tmp_path / "alloy.db-wal", tmp_path / "alloy.db-shm") is None
    connection.close()


def test_looking_at_the_index_releases_no_lock_of_this_process(tmp_path: Path) -> None:
    """POSIX releases all locks of a process on a file when it closes any descriptor of it."""
    connection = opened(tmp_path)
    connection.execute("BEGIN IMMEDIATE")
    for _ in range(3):
        shortness(tmp_path / "alloy.db-wal", tmp_path / "alloy.db-shm")

    def work(say: Say) -> None:
        other = sqlite3.connect(tmp_path / "alloy.db", isolation_level=None, timeout=0)
        try:
            other.execute("BEGIN IMMEDIATE")
            say("both write")
        except sqlite3.OperationalError as error:
            say(str(error))

    process, file = forked(work)
    assert heard(file.readlines()) == ["database is locked"]
    file.close()
    assert os.waitpid(process, 0)[1] == 0
    connection.close()


def test_indexes_that_are_gone_are_let_go_of(tmp_path: Path) -> None:
    before = len(os.listdir("/proc/self/fd")) if Path("/proc/self/fd").exists() else 0
    for number in range(20):
        folder = tmp_path / str(number)
        folder.mkdir()
        connection = opened(folder)
        shortness(folder / "alloy.db-wal", folder / "alloy.db-shm")
        connection.close()
    after = len(os.listdir("/proc/self/fd")) if Path("/proc/self/fd").exists() else 0
    assert after <= before + 2
