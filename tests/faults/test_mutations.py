"""Thousands of damaged and hostile study files: each opens with what was stored, or is refused with a typed error.

Each round takes a study of known content, does one thing to its files, and opens it as a user would. It is *silent* if
it opens with other content, *untyped* if anything but a camobo error comes, and it *hangs* if it takes more than ten
seconds. `make faults` runs 10,000 rounds, `make test` a few hundred.
"""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import sqlite3
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import camobo as cm
from camobo.storage.copies import repair
from camobo.storage.inspection import inspect
from tests.support.tampering import change

ROUNDS = 10_000 if os.environ.get("CAMOBO_LONG") else 300
LONGEST = 10.0
SPACE = cm.Space({"nickel": cm.Real(0, 20), "soak": cm.Integer(1, 12), "quench": cm.Categorical(["air", "oil"])})
BOTH: Any = {"strength": "max", "corrosion": "min"}
GOOD = {"strength": 1.5, "corrosion": 2.5}


@dataclass(frozen=True)
class Sample:
    """A study's files, and what opening them must show."""

    files: dict[str, bytes]
    content: Any
    before: Any = None
    """What it held before the changes that are only in its log."""


def content_of(path: Path) -> Any:
    """All that a study shows."""
    with cm.Study.load(path) as study:
        trials = [trial.as_dict() for trial in study.trials]
        return [event.as_dict() for event in study.log()], trials, repr(study.plan), study.seed


def files_of(path: Path) -> dict[str, bytes]:
    endings = ("", "-wal", "-shm")
    return {e: path.with_name(path.name + e).read_bytes() for e in endings if path.with_name(path.name + e).exists()}


def lived(path: Path) -> cm.Study:
    """A study in which everything has happened."""
    study = cm.Study(SPACE, BOTH, cost="nickel > soak", budget=40, seed=7, storage=path)
    for trial in study.ask(8):
        study.tell(trial, {**GOOD, "strength": 100.25 + trial.number}, cost=3.5, note=f"remark {trial.number}")
    study.add({"nickel": 1.5, "soak": 2, "quench": "oil"}, GOOD, cost=12.0, note="last year")
    study.fail(study.ask(owner="anna", lease="2h"), "crucible cracked")
    study.retry(9)
    study.amend(2, {"strength": 7.75}, "scale was off")
    study.amend(3, None, "contaminated")
    study.change(budget=cm.Budget(cost=2000.0, unit="EUR"), thrift=0.5)
    study.tell(study.ask(), {"strength": 3.25})
    return study


@pytest.fixture(scope="module")
def at_rest(tmp_path_factory: pytest.TempPathFactory) -> Sample:
    """A study that nobody uses: one file."""
    path = tmp_path_factory.mktemp("rest") / "alloy.db"
    lived(path).close()
    return Sample(files_of(path), content_of(path))


@pytest.fixture(scope="module")
def in_log(tmp_path_factory: pytest.TempPathFactory) -> Sample:
    """A study whose last changes are only in the log: a reader was in the way, then everybody was killed."""
    path = tmp_path_factory.mktemp("log") / "alloy.db"
    lived(path).close()
    before = content_of(path)
    with cm.Study.load(path) as study:
        reader = sqlite3.connect(path, isolation_level=None)
        reader.execute("BEGIN")
        reader.execute("SELECT * FROM study").fetchall()
        for number in range(5):
            study.add({"nickel": 2.5 + number, "soak": 3, "quench": "air"}, GOOD, cost=1.25)
        files, content = files_of(path), content_of(path)
        reader.close()
    return Sample(files, content, before)


Mutation = Callable[[Path, random.Random], None]


def file_and_place(path: Path, chance: random.Random, *, log: bool) -> tuple[Path, bytearray]:
    file = path.with_name(path.name + "-wal") if log else path
    return file, bytearray(file.read_bytes())


def flip(path: Path, chance: random.Random, *, log: bool = False) -> None:
    file, content = file_and_place(path, chance, log=log)
    content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
    file.write_bytes(content)


def flip_many(path: Path, chance: random.Random) -> None:
    for _ in range(chance.randrange(2, 30)):
        flip(path, chance)


def flip_text(path: Path, chance: random.Random) -> None:
    """One bit of what is stored of events, or of the description."""
    content = bytearray(path.read_bytes())
    words = [b'"values"', b'"params"', b'"cost"', b'"space"', b"told", b"asked", b'"budget"', b'"reason"']
    found = [i for word in words for i in range(len(content)) if content.startswith(word, i)] or [len(content) // 2]
    content[min(chance.choice(found) + chance.randrange(60), len(content) - 1)] ^= 1 << chance.randrange(8)
    path.write_bytes(content)


def blank(path: Path, chance: random.Random, *, log: bool = False) -> None:
    """Some bytes, sectors or a page overwritten with zeros."""
    file, content = file_and_place(path, chance, log=log)
    size = chance.choice([16, 512, 4096, 4120])
    place = chance.randrange(0, len(content), min(size, 512))
    content[place : place + size] = bytes(len(content[place : place + size]))
    file.write_bytes(content)


def cut(path: Path, chance: random.Random, *, log: bool = False) -> None:
    file, content = file_and_place(path, chance, log=log)
    ends = [
        0,
        10,
        100,
        512,
        len(content) - 1,
        chance.randrange(len(content)),
        chance.randrange(len(content)) // 4096 * 4096,
    ]
    os.truncate(file, min(chance.choice(ends), len(content) - 1))


def swap_pages(path: Path, chance: random.Random) -> None:
    content = bytearray(path.read_bytes())
    one, other = (4096 * page for page in chance.sample(range(len(content) // 4096), 2))
    content[one : one + 4096], content[other : other + 4096] = content[other : other + 4096], content[one : one + 4096]
    path.write_bytes(content)


def edit(path: Path, chance: random.Random) -> None:
    """A row deleted, doubled, exchanged or changed with SQL."""
    one, other = chance.sample(range(20), 2)
    column = chance.choice(["kind", "trial", "at", "who", "new", "old", "hash"])
    statements = [
        [f"DELETE FROM events WHERE number = {one}"],
        [f"DELETE FROM events WHERE number >= {one}"],
        [f"DELETE FROM events WHERE number = {one}", f"UPDATE events SET number = number - 1 WHERE number > {one}"],
        [f"INSERT INTO events SELECT 99, kind, trial, at, who, new, old, NULL, hash FROM events WHERE number = {one}"],
        [f"UPDATE events SET number = -1 WHERE number = {one}",
         f"UPDATE events SET number = {one} WHERE number = {other}",
         f"UPDATE events SET number = {other} WHERE number = -1"],
        [f"UPDATE events SET {column} = (SELECT {column} FROM events WHERE number = {other}) WHERE number = {one}"],
        [f"UPDATE events SET {column} = CAST({column} AS BLOB) WHERE number = {one}"],
        [f"UPDATE OR IGNORE events SET {column} = NULL WHERE number = {one}"],
        ["UPDATE study SET document = replace(document, '20', '21')"],
        [f"UPDATE study SET count = count - {one}"],
        ["UPDATE study SET chain = hash"],
        ["UPDATE study SET format = format - 1"],
        ["DELETE FROM study"],
        ["DELETE FROM events"],
    ]  # fmt: skip
    with contextlib.suppress(sqlite3.IntegrityError):
        change(path, *chance.choice(statements))


def drop_log(path: Path, chance: random.Random) -> None:
    path.with_name(path.name + "-wal").unlink()


def in_the_log(mutation: Callable[..., None]) -> Mutation:
    return lambda path, chance: mutation(path, chance, log=True)


AT_REST: dict[str, Mutation] = {
    "bit": flip, "bits": flip_many, "bit of text": flip_text,
    "zeros": blank, "cut": cut, "pages": swap_pages, "SQL": edit,
}  # fmt: skip
IN_LOG: dict[str, Mutation] = {
    "log: bit": in_the_log(flip), "log: zeros": in_the_log(blank), "log: cut": in_the_log(cut), "log: lost": drop_log,
    "bit beside a log": flip,
}  # fmt: skip


def outcome(path: Path, sample: Sample) -> str:
    """What opening it came to: same, refused, silent, untyped or hangs."""
    started = time.monotonic()
    try:
        result = "same" if content_of(path) == sample.content else "silent"
    except cm.CamoboError:
        result = "refused"
    except Exception as error:
        result = f"untyped {type(error).__name__}: {error}"
    return "hangs" if time.monotonic() - started > LONGEST else result


def test_a_damaged_study_opens_as_it_was_or_is_refused(
    at_rest: Sample, in_log: Sample, tmp_path: Path, figure: Callable[[str], None]
) -> None:
    chance = random.Random(int(os.environ.get("CAMOBO_MUTATIONS", "1")))
    kinds = [(name, each, at_rest) for name, each in AT_REST.items()]
    kinds += [(name, each, in_log) for name, each in IN_LOG.items()]
    found, bad = Counter[str](), list[str]()
    for number in range(ROUNDS):
        name, mutation, sample = kinds[number % len(kinds)]
        state = chance.getstate()
        folder = tmp_path / "round"
        folder.mkdir()
        for ending, content in sample.files.items():
            (folder / f"alloy.db{ending}").write_bytes(content)
        mutation(folder / "alloy.db", chance)
        result = outcome(folder / "alloy.db", sample)
        found[result.partition(" ")[0]] += 1
        if result not in ("same", "refused"):
            bad.append(f"{number} {name}: {result}")
            keep = os.environ.get("CAMOBO_KEEP")
            if keep:
                shutil.copytree(folder, Path(keep) / str(number))
        assert state != chance.getstate() or name == "log: lost"
        shutil.rmtree(folder)
    assert not bad, bad[:20]
    figure(
        f"damaged study files: {ROUNDS:,} of {len(kinds)} kinds, {found['refused']:,} refused with a typed error, "
        f"{found['same']:,} opened with all they held; 0 silent, 0 untyped, 0 hangs"
    )
    assert found["refused"] > ROUNDS / 4
    assert found["same"] > 0


def facts(event: dict[str, Any]) -> dict[str, Any]:
    """An event but for the numbers that a repair may give it."""
    new = {name: fact for name, fact in event["new"].items() if name not in ("known", "beside")}
    return {**event, "number": None, "trial": None, "new": new}


def test_what_check_calls_sound_opens_and_what_it_repairs_is_sound(at_rest: Sample, tmp_path: Path) -> None:
    chance, saved, refused = random.Random(2), 0, 0
    stored = [facts(event) for event in at_rest.content[0]]
    for number in range(ROUNDS // 10):
        path = tmp_path / f"{number}.db"
        path.write_bytes(at_rest.files[""])
        list(AT_REST.values())[number % len(AT_REST)](path, chance)
        result = outcome(path, at_rest)
        with contextlib.suppress(cm.StorageError):  # of a file that is no database any more
            assert not inspect(str(path)).sound or result == "same", number
        try:
            repair(str(path), str(tmp_path / "fixed.db"), force=True)
        except cm.StorageError:
            refused += 1
            continue
        saved += 1
        assert inspect(str(tmp_path / "fixed.db")).sound
        with cm.Study.load(tmp_path / "fixed.db") as study:
            assert all(facts(event.as_dict()) in stored for event in study.log())
    assert saved > refused
