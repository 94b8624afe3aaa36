from __future__ import annotations

import os
from pathlib import Path

import pytest

from camobo.errors import StorageError
from camobo.files import contents, replacing


def test_a_new_file_appears_when_the_block_ends(tmp_path: Path) -> None:
    target = tmp_path / "sheet.csv"
    with replacing(target) as write:
        write(b"trial\n1\n")
        assert not target.exists()
    assert target.read_bytes() == b"trial\n1\n"
    assert os.listdir(tmp_path) == ["sheet.csv"]


def test_an_error_in_the_block_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    target = tmp_path / "sheet.csv"
    target.write_bytes(b"old")
    with pytest.raises(ZeroDivisionError), replacing(target) as write:  # noqa: PT012  # written first, then the error
        write(b"new")
        raise ZeroDivisionError
    assert target.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["sheet.csv"]


def test_a_full_disk_leaves_the_old_file_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "sheet.csv"
    target.write_bytes(b"old")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"), replacing(target) as write:
        write(b"new")
    assert target.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["sheet.csv"]


def test_a_symbolic_link_stays_one_and_its_target_is_replaced(tmp_path: Path) -> None:
    target, link = tmp_path / "sheet.csv", tmp_path / "link.csv"
    target.write_bytes(b"old")
    link.symlink_to(target)
    with replacing(link) as write:
        write(b"new")
    assert link.is_symlink()
    assert target.read_bytes() == b"new"


@pytest.mark.parametrize("name", ["missing/sheet.csv", "."])
def test_a_place_that_cannot_hold_a_file_is_an_os_error(tmp_path: Path, name: str) -> None:
    with pytest.raises(OSError, match=r"No such file|directory|busy"), replacing(tmp_path / name) as write:
        write(b"new")
    assert os.listdir(tmp_path) == []


def test_a_file_is_read_whole_up_to_its_largest_size_and_refused_beyond(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_bytes(b"a\r\n1")
    assert contents(path) == b"a\r\n1"
    os.truncate(path, 64_000_000)
    assert len(contents(path)) == 64_000_000
    os.truncate(path, 64_000_001)
    with pytest.raises(StorageError, match=r"table\.csv: need a file of at most 64 MB.* Is it the right file\?"):
        contents(path)
    with pytest.raises(StorageError, match="cannot be read: No such file"):
        contents(tmp_path / "none.csv")
