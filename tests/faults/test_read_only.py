"""A reader who may not write sees what the writer stores, while it is stored; it never sees a frozen or torn study."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import camobo as cm
from tests.support.processes import Say, forked

SPACE = cm.Space({"nickel": cm.Real(0, 20), "soak": cm.Integer(1, 12)})
GOOD = {"y": 1.0}
NOBODY = 65534


@pytest.fixture
def path() -> Iterator[Path]:
    """A study of one trial that only this user may write, in a folder of which the same is true."""
    if os.geteuid() != 0:
        pytest.skip("needs root, to read as somebody who may not write")
    folder = Path(tempfile.mkdtemp())  # not pytest's own, which other users may not enter
    with cm.Study(SPACE, {"y": "max"}, seed=1, storage=folder / "alloy.db") as study:
        study.add({"nickel": 1.0, "soak": 1}, GOOD)
        study.explain(0)  # loads modules that the other user may not read
    folder.chmod(0o755)
    (folder / "alloy.db").chmod(0o644)
    yield folder / "alloy.db"
    shutil.rmtree(folder)


def reads(path: Path) -> Callable[[Say], None]:
    """A reader, as another user: loads the study once and says how many trials it sees, again and again."""

    def work(say: Say) -> None:
        os.setresgid(NOBODY, NOBODY, NOBODY)
        os.setresuid(NOBODY, NOBODY, NOBODY)
        study = cm.Study.load(path)
        while True:
            began = time.monotonic()
            try:
                say([began, len(study.trials)])
            except cm.StorageError as error:
                say([began, str(error)])
            time.sleep(0.01)

    return work


class Reader:
    """What a reader in another process sees."""

    def __init__(self, path: Path) -> None:
        self.process, self.said = forked(reads(path))

    def sees(self) -> Any:
        """What it reports of the first look that begins after now."""
        now = time.monotonic()
        while True:
            began, seen = json.loads(self.said.readline())
            if began > now:
                return seen

    def stop(self) -> None:
        os.kill(self.process, 9)
        os.waitpid(self.process, 0)
        self.said.close()


@pytest.fixture
def reader(path: Path) -> Iterator[Reader]:
    reader = Reader(path)
    yield reader
    reader.stop()


def test_a_reader_sees_what_is_stored_after_it_opened_the_study(path: Path, reader: Reader) -> None:
    assert reader.sees() == 1
    with cm.Study.load(path) as study:
        for count in range(2, 6):
            study.add({"nickel": 1.0, "soak": count}, GOOD)
            assert reader.sees() == count
    assert reader.sees() == 5, "after the writer has gone"
    for count in range(6, 9):
        with cm.Study.load(path) as study:  # a writer that comes and goes
            study.add({"nickel": 1.0, "soak": 1}, GOOD)
        assert reader.sees() == count


def test_a_reader_that_opens_a_study_in_use_sees_it_too(path: Path) -> None:
    with cm.Study.load(path) as study:
        study.add({"nickel": 1.0, "soak": 2}, GOOD)
        reader = Reader(path)
        try:
            assert reader.sees() == 2
            study.add({"nickel": 1.0, "soak": 3}, GOOD)
            assert reader.sees() == 3
        finally:
            reader.stop()


def test_a_reader_is_never_told_that_a_study_is_damaged_because_it_changes(path: Path, reader: Reader) -> None:
    for _ in range(15):
        with cm.Study.load(path) as study:
            for soak in range(1, 4):
                study.add({"nickel": 2.0, "soak": soak}, GOOD, note="x" * 2000)
    assert reader.sees() == 46
    os.kill(reader.process, 9)
    said = reader.said.read()
    assert b"damaged" not in said
    assert b"malformed" not in said
