from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from camobo.errors import Advice, StorageError
from camobo.storage.opened_file import OpenedFile, opened_file


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A SQLite file of several pages."""
    path = tmp_path / "alloy.db"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE t (x)")
    connection.execute("INSERT INTO t VALUES (zeroblob(50000))")
    connection.commit()
    connection.close()
    return path


@pytest.fixture
def file(path: Path) -> OpenedFile:
    file = opened_file(path)
    file.remember()
    return file


def another(path: Path) -> None:
    """Put another file in the place of one."""
    new = path.with_name("new")
    new.write_bytes(path.read_bytes())
    os.replace(new, path)


def test_a_file_that_stays_is_fine(file: OpenedFile) -> None:
    connection: dict[str, object] = {}
    for _ in range(2):
        file.check()
        file.check(connection)


def test_before_a_file_is_remembered_nothing_is_checked(tmp_path: Path) -> None:
    opened_file(tmp_path / "nowhere.db").check()


def test_a_file_may_grow(file: OpenedFile, path: Path) -> None:
    with path.open("ab") as more:
        more.write(b"\0" * 4096)
    file.check()


@pytest.mark.parametrize(
    ("harm", "said"),
    [
        (os.unlink, r"was removed while the study was open \(No such file.*Put it back.*remove alloy\.db-wal first"),
        (another, r"was replaced by another while the study was open; the new file is unchanged\. Treat a change"),
        (lambda path: os.truncate(path, 100), r"was cut short while the study was open, from \d+ to 100 bytes"),
        (lambda path: os.truncate(path, 10), r"cut short .* to 10 bytes. Restore it from a copy"),
        (lambda path: os.truncate(path, 0), r"cut short .* to 0 bytes"),
    ],
    ids=["removed", "replaced", "cut", "cut in its header", "emptied"],
)
def test_harm_is_noticed_every_time(file: OpenedFile, path: Path, harm: Callable[[Path], None], said: str) -> None:
    harm(path)
    for _ in range(2):
        with pytest.raises(StorageError, match=said) as caught:
            file.check()
        assert "Treat a change in progress as not stored." in str(caught.value)


def test_a_replaced_file_can_be_opened_again(file: OpenedFile, path: Path) -> None:
    another(path)
    with pytest.raises(StorageError) as caught:
        file.check()
    assert caught.value.advice is Advice.REOPEN
    again = opened_file(path)
    again.remember()
    again.check()


def test_a_file_that_was_away_and_is_back_is_fine(file: OpenedFile, path: Path) -> None:
    os.rename(path, path.with_name("away"))
    with pytest.raises(StorageError, match="removed"):
        file.check()
    os.rename(path.with_name("away"), path)
    file.check()


def test_a_file_made_smaller_by_vacuum_is_fine(file: OpenedFile, path: Path) -> None:
    before = path.stat().st_size
    connection = sqlite3.connect(path)
    connection.execute("DELETE FROM t")
    connection.commit()
    connection.execute("VACUUM")
    connection.close()
    assert path.stat().st_size < before
    file.check()


@pytest.mark.parametrize("page_size", [512, 4096, 65536])
def test_vacuum_is_recognised_at_every_page_size(tmp_path: Path, page_size: int) -> None:
    path = tmp_path / "alloy.db"
    connection = sqlite3.connect(path)
    connection.execute(f"PRAGMA page_size={page_size}")
    connection.execute("CREATE TABLE t (x)")
    connection.execute("INSERT INTO t VALUES (zeroblob(300000))")
    connection.commit()
    file = opened_file(path)
    file.remember()
    connection.execute("DELETE FROM t")
    connection.commit()
    connection.execute("VACUUM")
    connection.close()
    file.check()


def test_a_log_without_its_file_is_named(path: Path) -> None:
    log = path.with_name("alloy.db-wal")
    with sqlite3.connect(path, isolation_level=None) as connection:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("INSERT INTO t VALUES (1)")
        content = log.read_bytes()
    connection.close()
    for gone in (False, True):
        path.unlink() if gone else os.truncate(path, 0)
        log.write_bytes(content)
        with pytest.raises(StorageError, match=r"the file is empty or gone, though its log alloy\.db-wal is there"):
            opened_file(path).check_log()


def test_a_file_in_use_is_not_at_rest_and_one_at_rest_shows_any_change(path: Path) -> None:
    file = opened_file(path)
    before = file.at_rest()
    assert before is not None
    assert file.at_rest() == before
    with sqlite3.connect(path, isolation_level=None) as connection:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("INSERT INTO t VALUES (1)")
        assert file.at_rest() is None
    connection.close()
    assert file.at_rest() not in (None, before)
    path.unlink()
    assert file.at_rest() is None


class TestLog:
    @pytest.fixture
    def log(self, path: Path) -> Path:
        log = path.with_name("alloy.db-wal")
        log.write_bytes(b"log")
        path.with_name("alloy.db-shm").write_bytes(b"index")
        return log

    @pytest.mark.parametrize("harm", [os.unlink, another], ids=["removed", "replaced"])
    def test_a_log_that_is_gone_while_a_connection_is_open_is_noticed(
        self, file: OpenedFile, log: Path, harm: Callable[[Path], None]
    ) -> None:
        connection: dict[str, object] = {}
        file.check(connection)
        harm(log)
        file.check()
        with pytest.raises(
            StorageError, match=r"alloy\.db-wal, which holds the latest results, was removed or replaced"
        ):
            file.check(connection)

    def test_another_connection_may_find_another_log(self, file: OpenedFile, log: Path) -> None:
        file.check({})
        another(log)
        file.check({})

    def test_the_log_of_a_replaced_file_is_set_aside_and_its_index_removed(
        self, file: OpenedFile, path: Path, log: Path
    ) -> None:
        file.check({})
        another(path)
        for _ in range(2):
            with pytest.raises(StorageError, match=r"latest results of the old file are in alloy\.db-wal-replaced"):
                file.check()
        assert sorted(found.name for found in path.parent.iterdir()) == ["alloy.db", "alloy.db-wal-replaced"]
        assert path.with_name("alloy.db-wal-replaced").read_bytes() == b"log"

    def test_a_log_without_an_index_is_set_aside_too(self, file: OpenedFile, path: Path, log: Path) -> None:
        file.check({})
        path.with_name("alloy.db-shm").unlink()
        another(path)
        with pytest.raises(StorageError, match=r"are in alloy\.db-wal-replaced"):
            file.check()

    def test_a_log_that_came_with_the_new_file_is_left_alone(self, file: OpenedFile, path: Path, log: Path) -> None:
        file.check({})
        another(path)
        another(log)
        with pytest.raises(StorageError, match=r"the new file is unchanged\. Treat"):
            file.check()
        assert log.exists()

    def test_a_log_that_cannot_be_moved_is_named(
        self, file: OpenedFile, path: Path, log: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        file.check({})
        another(path)

        def refuses(*_: object) -> None:
            raise PermissionError

        monkeypatch.setattr(os, "replace", refuses)
        with pytest.raises(StorageError, match=r"First remove alloy\.db-wal: it is the log of the old file"):
            file.check()


def test_the_log_of_a_link_is_beside_its_target_and_another_target_is_noticed(path: Path, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    link = tmp_path / "folder" / "link.db"
    link.symlink_to(path)
    file = opened_file(link)
    file.remember()
    assert (file.path, file.log) == (link, path.with_name("alloy.db-wal"))
    other = tmp_path / "other.db"
    other.write_bytes(path.read_bytes())
    link.unlink()
    link.symlink_to(other)
    with pytest.raises(StorageError, match="replaced by another"):
        file.check()
