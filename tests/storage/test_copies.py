from __future__ import annotations

import os
import uuid
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

import camobo as cm
from camobo.history.events import Event
from camobo.storage.copies import backup, repair
from camobo.storage.inspection import inspect
from tests.storage.test_inspection import GOOD, created
from tests.support.processes import Say, forked, heard
from tests.support.tampering import change


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A closed study of four complete trials: events 0 to 3 asked, 4 to 7 told."""
    created(tmp_path / "alloy.db").close()
    return tmp_path / "alloy.db"


@pytest.fixture
def target(tmp_path: Path) -> Path:
    return tmp_path / "copy.db"


def names(folder: Path) -> set[str]:
    return {file.name for file in folder.iterdir()}


def without_numbers(event: Event) -> dict[str, Any]:
    return {**event.as_dict(), "number": None, "trial": None}


class TestBackup:
    def test_the_copy_is_the_same_study(self, path: Path, target: Path) -> None:
        content = path.read_bytes()
        assert backup(str(path), str(target)) == 8
        with cm.Study.load(path) as one, cm.Study.load(target) as other:
            assert (one.trials, one.log(), one.plan) == (other.trials, other.log(), other.plan)
        assert path.read_bytes() == content
        assert names(path.parent) == {"alloy.db", "alloy.db-ask", "copy.db"}

    def test_a_copy_made_while_others_write_is_a_state_that_was_stored(self, path: Path, tmp_path: Path) -> None:
        def work(say: Say) -> None:
            with cm.Study.load(path) as study:
                say("writes")
                while not (tmp_path / "stop").exists():
                    study.add({"nickel": 1.0, "soak": 2}, GOOD)

        process, said = forked(work)
        with said:
            assert said.readline() == b'"writes"\n'
            for i in range(5):
                events = backup(str(path), str(tmp_path / f"{i}.db"))
                assert len(cm.Study.load(tmp_path / f"{i}.db").log()) == events
            (tmp_path / "stop").touch()
            assert heard(said.readlines()) == []
        assert os.waitpid(process, 0)[1] == 0
        assert inspect(str(path)).sound

    def test_a_file_is_overwritten_only_if_asked(self, path: Path, target: Path) -> None:
        target.write_text("mine")
        with pytest.raises(cm.StorageError, match=r"copy\.db: exists already.*--force"):
            backup(str(path), str(target))
        assert target.read_text() == "mine"
        assert backup(str(path), str(target), force=True) == 8

    def test_the_study_itself_and_a_study_in_use_are_never_overwritten(self, path: Path, target: Path) -> None:
        with pytest.raises(cm.StorageError, match="is the study itself"):
            backup(str(path), str(path), force=True)
        with created(target), pytest.raises(cm.StorageError, match=r"copy\.db is in use"):
            backup(str(path), str(target), force=True)

    def test_a_damaged_study_is_not_copied_as_if_it_were_whole(self, path: Path, target: Path) -> None:
        change(path, "UPDATE trials SET cost = 3.0")
        with pytest.raises(cm.StorageError, match=r"the copy is not sound, and was not kept: trial 0: cost"):
            backup(str(path), str(target))
        assert names(path.parent) == {"alloy.db", "alloy.db-ask"}

    def test_a_study_on_a_server_becomes_a_file(self, server: str, target: Path) -> None:
        name = f"copied_{uuid.uuid4().hex[:12]}"
        study = created(f"{server}&schema={name}")
        assert backup(f"{server}&schema={name}", str(target)) == 8
        with cm.Study.load(target) as copy:
            assert (copy.trials, copy.log(), copy.plan) == (study.trials, study.log(), study.plan)
        study.close()
        engine = sa.create_engine(server)
        with engine.begin() as connection:
            connection.execute(sa.text(f"DROP SCHEMA {name} CASCADE"))
        engine.dispose()

    def test_a_url_is_no_file_to_write(self, path: Path) -> None:
        with pytest.raises(cm.StorageError, match="need the name of a file to write"):
            backup(str(path), "postgresql://h/d")


class TestRepair:
    @pytest.mark.parametrize(
        ("statement", "kept", "renumbered"),
        [
            ("UPDATE events SET who = 'eve' WHERE number = 5", 7, {}),
            ("DELETE FROM events WHERE number > 5", 6, {}),
            ("UPDATE events SET new = 'x' WHERE number = 1", 6, {2: 1, 3: 2}),
            ("UPDATE study SET chain = 'x', count = 3", 8, {}),
            ("UPDATE trials SET params = 'x'", 8, {}),
            ("UPDATE study SET document = replace(document, '12', '13')", 8, {}),
        ],
    )
    def test_every_event_that_verifies_is_kept_and_the_rest_is_said(
        self, path: Path, target: Path, statement: str, kept: int, renumbered: dict[int, int]
    ) -> None:
        before = [without_numbers(event) for event in cm.Study.load(path).log()]
        change(path, statement)
        content = path.read_bytes()
        done = repair(str(path), str(target))
        assert path.read_bytes() == content
        assert done.findings
        assert (len(done.salvage.events), done.renumbered) == (kept, renumbered)
        assert inspect(str(target)).sound
        with cm.Study.load(target) as study:
            assert len(study.log()) == kept
            assert all(without_numbers(event) in before for event in study.log())
            study.tell(study.ask(), GOOD)

    def test_a_sound_study_is_copied(self, path: Path, target: Path) -> None:
        done = repair(str(path), str(target))
        assert (done.findings, done.renumbered) == ((), {})
        assert cm.Study.load(target).log() == cm.Study.load(path).log()

    def test_without_a_description_nothing_can_be_saved(self, path: Path, target: Path) -> None:
        change(path, "UPDATE study SET document = '{}'")
        with pytest.raises(cm.StorageError, match="nothing can be saved without its description"):
            repair(str(path), str(target))
        assert not target.exists()

    def test_a_study_with_strange_tables_is_not_read(self, path: Path, target: Path) -> None:
        change(path, "CREATE VIEW mine AS SELECT 1")
        with pytest.raises(cm.StorageError, match="it has a view 'mine'"):
            repair(str(path), str(target))
        assert names(path.parent) == {"alloy.db", "alloy.db-ask"}
