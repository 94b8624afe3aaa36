from __future__ import annotations

import time
from pathlib import Path

import pytest

from camobo.filelock import alone
from processes import Say, forked


def test_two_processes_take_turns_and_a_killed_one_gives_its_turn_up(tmp_path: Path) -> None:
    def work(say: Say) -> None:
        with alone(tmp_path / "turn", 9):
            say("mine")
            time.sleep(30)

    process, said = forked(work)
    assert said.readline() == b'"mine"\n'
    started = time.monotonic()
    with alone(tmp_path / "turn", 0.3):
        assert 0.2 < time.monotonic() - started < 5, "patience ends; going on without the turn is only wasteful"
    import os
    import signal

    os.kill(process, signal.SIGKILL)
    os.waitpid(process, 0)
    said.close()
    started = time.monotonic()
    with alone(tmp_path / "turn", 30):
        assert time.monotonic() - started < 5


def test_an_error_inside_goes_through_and_gives_the_turn_up(tmp_path: Path) -> None:
    def fails() -> None:
        with alone(tmp_path / "turn", 9):
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fails()
    started = time.monotonic()
    with alone(tmp_path / "turn", 9):
        assert time.monotonic() - started < 1


def test_where_no_file_can_be_made_one_goes_on_without(tmp_path: Path) -> None:
    turns = []
    with alone(tmp_path / "no such folder" / "turn", 9):
        turns.append("mine")
    assert turns == ["mine"]
    assert list(tmp_path.iterdir()) == []
