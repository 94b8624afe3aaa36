"""A study in a database. What every store must do is in tests/conformance, what can go wrong in tests/faults."""

from __future__ import annotations

import os
import select
import shutil
import sqlite3
import time
import uuid
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa

from camobo.errors import Advice, InvalidOptionError, StorageError
from camobo.history.document import to_document
from camobo.storage.formats import FORMAT
from camobo.storage.schema import OPTUNAS, TRIALS
from camobo.storage.sql import SqlStore, open_sql
from tests.support.histories import NEW, PLAN, added
from tests.support.processes import Say, forked
from tests.support.sqlite_files import rows
from tests.support.tampering import change as tampered

DOCUMENT = to_document(PLAN)


@pytest.fixture
def schema(server: str) -> Iterator[str]:
    """The URL of a new schema on the server."""
    name = f"sql_{uuid.uuid4().hex[:12]}"
    yield f"{server}&schema={name}"
    engine = sa.create_engine(server)
    with engine.begin() as connection:
        connection.execute(sa.schema.DropSchema(name, cascade=True, if_exists=True))
    engine.dispose()


@pytest.fixture(params=["file", "server"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return str(tmp_path / "alloy.db") if request.param == "file" else request.getfixturevalue("schema")


@pytest.fixture
def store(place: str) -> Iterator[SqlStore]:
    """A new study without events."""
    store = open_sql(place, create=True)
    store.create(DOCUMENT)
    yield store
    store.close()


def somebodys_table(server: str, schema: str, table: str) -> None:
    """A table of somebody else in the schema of a URL."""
    name = sa.make_url(schema).query["schema"]
    engine = sa.create_engine(server)
    with engine.begin() as connection:
        connection.execute(sa.text(f"CREATE SCHEMA {name}"))
        connection.execute(sa.text(f"CREATE TABLE {name}.{table} (name TEXT)"))
    engine.dispose()


def wait_for(file: Path) -> None:
    """Wait until another process has made a file. One forked before a lock is taken does not inherit it."""
    while not file.exists():
        time.sleep(0.01)


class TestPlaces:
    @pytest.mark.parametrize(
        ("url", "said"),
        [
            ("sqlite://", "need a file"),
            ("sqlite:///:memory:", "need a file"),
            ("mysql://h/d", "need a file"),
            ("http://example.org/alloy.db", "need a file|cannot read the URL"),
            ("://", "cannot read the URL"),
            ("postgresql://h:port/d", "cannot read the URL: its port is not a number"),
            ("postgresql://h/d?schema=a&schema=b", "need one schema"),
        ],
    )
    def test_a_url_that_is_not_ours_is_refused(self, url: str, said: str) -> None:
        with pytest.raises(InvalidOptionError, match=f"storage: .*({said})"):
            open_sql(url, create=True)

    def test_a_password_is_never_shown(self) -> None:
        with pytest.raises(StorageError, match=r"anna:\*\*\*@") as caught:
            open_sql("postgresql+psycopg://anna:secret@127.0.0.1:1/alloy?schema=x", create=True)
        assert "secret" not in str(caught.value)
        with pytest.raises(InvalidOptionError) as refused:
            open_sql("mysql://anna:secret@h/alloy", create=True)
        assert "secret" not in str(refused.value)
        assert refused.value.advice is Advice.IN_MEMORY
        for mistaken in ("host=h user=anna password=secret", "postgresql:/anna:secret@h/alloy"):
            with pytest.raises(
                InvalidOptionError, match="looks like a connection string, or a URL with a mistake"
            ) as no:
                open_sql(mistaken, create=True)
            assert "secret" not in str(no.value)

    def test_an_empty_place_holds_no_study_and_can_hold_one(self, place: str) -> None:
        if "://" not in place:
            Path(place).touch()
        with pytest.raises(StorageError, match="contains no study") as caught:
            open_sql(place, create=False)
        assert caught.value.advice is Advice.CREATE
        store = open_sql(place, create=True)
        assert store.create(DOCUMENT) == DOCUMENT
        assert store.create({"another": 1}) == store.document() == DOCUMENT
        store.close()
        again = open_sql(place, create=False)
        assert again.document() == DOCUMENT
        again.close()

    @pytest.mark.parametrize("names", [["recipes"], ["study"], sorted(OPTUNAS)])
    def test_another_database_is_refused_unchanged(self, tmp_path: Path, names: list[str]) -> None:
        path = tmp_path / "alloy.db"
        connection = sqlite3.connect(path)
        for name in names:
            connection.execute(f"CREATE TABLE {name} (format, document)")
        connection.commit()
        connection.close()
        before = path.read_bytes()
        with pytest.raises(StorageError, match=r"not a camobo study\. It is unchanged\.") as caught:
            open_sql(str(path), create=True)
        assert ("--optuna" in str(caught.value)) == (len(names) == len(OPTUNAS))
        assert path.read_bytes() == before

    def test_a_table_of_somebody_else_on_a_server_is_refused(self, server: str, schema: str) -> None:
        somebodys_table(server, schema, "study")
        with pytest.raises(StorageError, match="not a camobo study"):
            open_sql(schema, create=True)

    def test_tables_of_somebody_else_beside_ours_on_a_server_do_no_harm(self, server: str, schema: str) -> None:
        somebodys_table(server, schema, "recipes")
        store = open_sql(schema, create=True)
        assert store.create(DOCUMENT) == DOCUMENT
        store.close()

    @pytest.mark.parametrize(
        ("number", "said"), [(7, f"reads formats 1 to {FORMAT}. Use a newer"), (0, f"1 to {FORMAT}")]
    )
    def test_a_format_that_is_not_known_is_refused_unchanged(self, tmp_path: Path, number: int, said: str) -> None:
        path = tmp_path / "alloy.db"
        store = open_sql(str(path), create=True)
        store.create(DOCUMENT)
        store.close()
        connection = sqlite3.connect(path)
        connection.execute(f"UPDATE study SET format = {number}")
        connection.commit()
        connection.close()
        with pytest.raises(StorageError, match=f"format {number}, .*{said}.*The study is unchanged"):
            open_sql(str(path), create=True)
        assert rows(path, "SELECT format FROM study") == [(number,)]

    def test_a_refused_study_lets_go_of_its_connections(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        closed = []
        monkeypatch.setattr(SqlStore, "close", lambda store: closed.append(store.place))
        (tmp_path / "alloy.db").touch()
        with pytest.raises(StorageError):
            open_sql(str(tmp_path / "alloy.db"), create=False)
        assert closed == [str(tmp_path / "alloy.db")]


class TestCreating:
    def test_a_file_says_whose_it_is_and_lets_readers_work_during_a_write(self, tmp_path: Path) -> None:
        store = open_sql(str(tmp_path / "alloy.db"), create=True)
        store.create(DOCUMENT)
        store.close()
        assert rows(tmp_path / "alloy.db", "PRAGMA application_id") == [(int.from_bytes(b"camo", "big"),)]
        assert rows(tmp_path / "alloy.db", "PRAGMA journal_mode") == [("wal",)]

    def test_of_two_that_create_at_once_one_wins(self, place: str) -> None:
        one, other = open_sql(place, create=True), open_sql(place, create=True)
        assert one.create({"study": 1}) == {"study": 1}
        with pytest.MonkeyPatch.context() as patch:
            look, looked = SqlStore._look, list[bool]()

            def too_early(store: SqlStore) -> int | None:
                looked.append(True)
                return None if len(looked) == 1 else look(store)

            patch.setattr(SqlStore, "_look", too_early)
            assert other.create({"study": 2}) == {"study": 1}
        one.close()
        other.close()

    def test_creating_waits_for_others_that_create(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        path = tmp_path / "alloy.db"
        store = open_sql(str(path), create=True)
        blocker = sqlite3.connect(path, isolation_level=None)
        blocker.execute("BEGIN EXCLUSIVE")
        waits = []

        def lets_go(seconds: float) -> None:
            waits.append(seconds)
            if len(waits) == 2:
                blocker.execute("ROLLBACK")

        monkeypatch.setattr(time, "sleep", lets_go)
        with store.engine.connect() as connection:
            connection.exec_driver_sql("PRAGMA busy_timeout=1")
        store._use_wal()
        assert len(waits) == 2
        blocker.close()
        store.close()

    def test_a_disk_that_refuses_is_a_typed_error(self, tmp_path: Path) -> None:
        (tmp_path / "folder").mkdir()
        store = open_sql(str(tmp_path / "folder" / "alloy.db"), create=True)
        with store.engine.begin() as connection:
            connection.exec_driver_sql("CREATE TABLE t (x)")
        shutil.rmtree(tmp_path / "folder")
        with pytest.raises(StorageError, match=r"alloy\.db: (disk I/O error|unable to open|attempt to write)"):
            store._use_wal()
        store.close()


class TestTransactions:
    def test_events_and_trials_are_written_together(self, tmp_path: Path) -> None:
        path = tmp_path / "alloy.db"
        store = open_sql(str(path), create=True)
        store.create(DOCUMENT)
        change = added(NEW, note="last year")
        with store.transaction() as transaction:
            transaction.append(change.events, [change.trial])
            assert transaction.events(0) == list(change.events)
            assert transaction.events(1) == []
        assert store.events() == list(change.events)
        assert rows(path, "SELECT number, state, note FROM trials") == [(0, "complete", "last year")]
        store.close()

    def test_a_trial_is_written_over_its_row(self, store: SqlStore) -> None:
        first = added(NEW, note="one")
        second = added(NEW, note="two")
        with store.transaction() as transaction:
            transaction.append(first.events, [first.trial])
        with store.transaction() as transaction:
            transaction.append([], [second.trial])
        with store.engine.connect() as connection:
            assert connection.execute(sa.select(TRIALS.c.number, TRIALS.c.note)).all() == [(0, "two")]
        assert len(store.events()) == 1

    def test_a_number_is_given_once(self, store: SqlStore) -> None:
        change = added(NEW)
        with store.transaction() as transaction:
            transaction.append(change.events, [])
        with pytest.raises(StorageError), store.transaction() as transaction:
            transaction.append(change.events, [])
        assert len(store.events()) == 1

    def test_the_time_is_that_of_one_clock_in_utc(self, store: SqlStore) -> None:
        with store.transaction() as transaction:
            assert abs(transaction.now.timestamp() - time.time()) < 60
            assert str(transaction.now.tzinfo) == "UTC"

    def test_a_writer_excludes_writers_but_not_readers(self, place: str, store: SqlStore, tmp_path: Path) -> None:
        change = added(NEW)

        def work(say: Say) -> None:
            wait_for(tmp_path / "go")
            other = open_sql(place, create=False)
            say(len(other.events()))
            with other.transaction() as transaction:
                say(len(transaction.events(0)))

        process, said = forked(work)
        with store.transaction() as transaction:
            transaction.append(change.events, [change.trial])
            (tmp_path / "go").touch()
            assert said.readline() == b"0\n", "a reader sees what was stored before"
            time.sleep(0.1)
        assert said.readline() == b"1\n", "a writer waits and sees all"
        said.close()
        assert os.waitpid(process, 0)[1] == 0


class TestTurns:
    def test_asking_is_one_at_a_time_and_holds_up_no_results(self, place: str, store: SqlStore, tmp_path: Path) -> None:
        def work(say: Say) -> None:
            wait_for(tmp_path / "go")
            other = open_sql(place, create=False)
            with other.transaction():
                say("told")
            with other.asking():
                say("asked")

        process, said = forked(work)
        with store.asking():
            (tmp_path / "go").touch()
            assert said.readline() == b'"told"\n'
            assert select.select([said], [], [], 0.1)[0] == [], "it waits"
        assert said.readline() == b'"asked"\n'
        said.close()
        assert os.waitpid(process, 0)[1] == 0

    def test_what_was_stored_while_asking_stays_so_though_the_lock_of_asking_is_lost(self, schema: str) -> None:
        store = open_sql(schema, create=True)
        store.create(DOCUMENT)
        key = zlib.crc32(sa.make_url(schema).query["schema"].encode())  # type: ignore[union-attr]
        end = sa.text("SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND objid = :key")
        with store.asking():
            with store.transaction() as transaction:
                transaction.append(added(NEW).events, [])
            with store.engine.connect() as other:
                assert other.execute(end, {"key": key}).scalar_one()
        assert len(store.events()) == 1
        with store.asking():
            pass
        store.close()

    def test_a_name_is_reserved_for_one_process_until_the_block_ends(
        self, place: str, store: SqlStore, tmp_path: Path
    ) -> None:
        def work(say: Say) -> None:
            other = open_sql(place, create=False)
            for file in ("held", "free"):
                wait_for(tmp_path / file)
                for name in ("anna", "ben"):
                    with other.at_work(name) as free:
                        say(free)

        process, said = forked(work)
        with store.at_work("anna") as mine:
            assert mine
            (tmp_path / "held").touch()
            assert [said.readline(), said.readline()] == [b"false\n", b"true\n"]
        (tmp_path / "free").touch()
        assert [said.readline(), said.readline()] == [b"true\n", b"true\n"]
        said.close()
        assert os.waitpid(process, 0)[1] == 0


def test_two_schemas_on_one_server_are_two_studies(server: str, schema: str) -> None:
    one = open_sql(schema, create=True)
    other = open_sql(f"{schema}_b", create=True)
    one.create({"study": 1})
    other.create({"study": 2})
    assert (one.document(), other.document()) == ({"study": 1}, {"study": 2})
    with one.asking(), other.asking(), one.at_work("anna") as mine, other.at_work("anna") as theirs:
        assert mine
        assert theirs
    name = sa.make_url(f"{schema}_b").query["schema"]
    with other.engine.begin() as connection:
        connection.execute(sa.text(f"DROP SCHEMA {name} CASCADE"))
    one.close()
    other.close()


def test_a_record_changed_by_somebody_else_is_damage(tmp_path: Path) -> None:
    path = tmp_path / "alloy.db"
    store = open_sql(str(path), create=True)
    store.create(DOCUMENT)
    change = added(NEW)
    with store.transaction() as transaction:
        transaction.append([*change.events, *added(change.history, 1).events], [])
    tampered(path, "UPDATE events SET at = 'yesterday' WHERE number = 1")
    assert len(store.events(0, 1)) == 1
    with pytest.raises(StorageError, match=r"alloy\.db: the study is damaged: event 1 is not as it was stored"):
        store.events()
    with pytest.raises(StorageError, match="damaged"), store.transaction() as transaction:
        transaction.events(0)
    tampered(path, forge=True)
    with pytest.raises(StorageError, match=r"alloy\.db: the study is damaged, a record cannot be read"):
        store.events()
    with pytest.raises(StorageError, match="damaged"), store.transaction() as transaction:
        transaction.events(0)
    store.close()
