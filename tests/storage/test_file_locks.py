from __future__ import annotations

import hashlib
import os
import signal
import time
from pathlib import Path

import pytest

from camobo.storage import file_locks
from camobo.storage.file_locks import alone, claimed, number_of
from tests.support.processes import Say, forked, heard


def test_two_processes_take_turns_and_a_killed_one_gives_up_its_turn(tmp_path: Path) -> None:
    def work(say: Say) -> None:
        with alone(tmp_path / "turn", 9):
            say("mine")
            time.sleep(30)

    process, said = forked(work)
    assert said.readline() == b'"mine"\n'
    started = time.monotonic()
    with alone(tmp_path / "turn", 0.3):
        assert 0.2 < time.monotonic() - started < 5, "patience ends; continuing without the lock is only wasteful"
    os.kill(process, signal.SIGKILL)
    os.waitpid(process, 0)
    said.close()
    started = time.monotonic()
    with alone(tmp_path / "turn", 30):
        assert time.monotonic() - started < 5


def test_of_twelve_processes_that_never_stop_asking_each_gets_its_turn_before_others_had_theirs_often(
    tmp_path: Path,
) -> None:
    def work(say: Say) -> None:
        for _ in range(20):
            asked = time.monotonic()
            with alone(tmp_path / "turn", 60):
                say([asked, time.monotonic()])
                time.sleep(0.005)

    processes = [forked(work) for _ in range(12)]
    turns = sorted((got, asked) for _, file in processes for asked, got in heard(file.readlines()))
    for process, file in processes:
        assert os.waitpid(process, 0)[1] == 0
        file.close()
    assert len(turns) == 240
    overtaken = [sum(other > asked for _, other in turns[:place]) for place, (_, asked) in enumerate(turns)]
    assert max(overtaken) <= 5 * 12, "who looks now and then is overtaken by most of the others' turns"


def test_a_child_forked_in_between_does_not_keep_the_turn(tmp_path: Path) -> None:
    with alone(tmp_path / "turn", 9):
        process, said = forked(lambda say: time.sleep(30))
    started = time.monotonic()
    with alone(tmp_path / "turn", 30):
        assert time.monotonic() - started < 5
    os.kill(process, signal.SIGKILL)
    os.waitpid(process, 0)
    said.close()


def test_an_error_inside_goes_through_and_gives_up_the_turn(tmp_path: Path) -> None:
    def fails() -> None:
        with alone(tmp_path / "turn", 9):
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fails()
    started = time.monotonic()
    with alone(tmp_path / "turn", 9):
        assert time.monotonic() - started < 1


def test_where_no_file_can_be_made_one_continues_without(tmp_path: Path) -> None:
    turns = []
    with alone(tmp_path / "no such folder" / "turn", 9):
        turns.append("mine")
    assert turns == ["mine"]
    assert list(tmp_path.iterdir()) == []


class TestNames:
    def test_a_name_is_one_processs_until_its_block_ends_or_it_is_killed(self, tmp_path: Path) -> None:
        def work(say: Say) -> None:
            with claimed(tmp_path / "names", "anna") as mine:
                say(mine)
                time.sleep(30)

        process, said = forked(work)
        assert said.readline() == b"true\n"
        with claimed(tmp_path / "names", "anna") as mine, claimed(tmp_path / "names", "ben") as other:
            assert not mine
            assert other
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)
        said.close()
        with claimed(tmp_path / "names", "anna") as mine:
            assert mine

    def test_where_no_file_can_be_made_every_name_is_free(self, tmp_path: Path) -> None:
        with claimed(tmp_path / "no such folder" / "names", "anna") as mine:
            assert mine

    def test_where_files_cannot_be_locked_every_name_is_free(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def refuses(*_: object) -> None:
            raise OSError("no locks here")

        monkeypatch.setattr("fcntl.lockf", refuses)
        monkeypatch.setattr("fcntl.fcntl", refuses)
        monkeypatch.setattr("fcntl.flock", refuses)
        with claimed(tmp_path / "names", "anna") as mine, alone(tmp_path / "turn", 9):
            assert mine

    def test_without_locks_everybody_continues(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(file_locks, "fcntl", None)  # as on Windows
        with claimed(tmp_path / "names", "anna") as mine, alone(tmp_path / "turn", 9), alone(tmp_path / "turn", 9):
            assert mine

    def test_names_have_different_numbers_that_never_change(self) -> None:
        names = ["", "anna", "ben", "Ω", *map(str, range(1000))]
        numbers = [number_of(name) for name in names]
        assert len(set(numbers)) == len(names)
        assert all(0 <= number < 2**63 for number in numbers)
        assert number_of("anna") == int.from_bytes(hashlib.sha256(b"anna").digest()[:8], "big") >> 1
