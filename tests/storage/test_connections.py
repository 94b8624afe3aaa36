from __future__ import annotations

import os
import sqlite3
import sys
import traceback
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy.exc import OperationalError, SQLAlchemyError

from camobo.errors import Advice, InvalidOptionError, MissingExtraError, StorageError
from camobo.storage.connections import (
    file_engine,
    hurried,
    read_url,
    readable,
    server_engine,
    shown_url,
    storage_errors,
    what_to_do,
)
from camobo.storage.stored_json import LONGEST
from tests.support.processes import Say, forked, heard


class TestFile:
    def test_every_connection_waits_for_the_disk_and_begins_where_we_say(self, tmp_path: Path) -> None:
        engine = file_engine(tmp_path / "alloy.db", create=True)
        with engine.connect() as connection:
            assert connection.exec_driver_sql("PRAGMA synchronous").scalar() == 2
            raw: Any = connection.connection.driver_connection
            assert raw.isolation_level is None
            assert raw.in_transaction
        engine.dispose()

    @pytest.mark.parametrize("name", ["alloy.db", "a b?c#d%20e&mode=ro.db", "日本.db", "file:alloy.db"])
    def test_any_name_a_file_can_have_is_its_name(self, tmp_path: Path, name: str) -> None:
        engine = file_engine(tmp_path / name, create=True)
        with engine.connect() as connection:
            connection.exec_driver_sql("CREATE TABLE t (x)")
            connection.commit()
        engine.dispose()
        assert [file.name for file in tmp_path.iterdir()] == [name]

    def test_a_missing_file_is_created_only_if_asked(self, tmp_path: Path) -> None:
        with pytest.raises(StorageError, match=r"nowhere\.db: no such file\.") as caught:
            file_engine(tmp_path / "nowhere.db", create=False)
        assert caught.value.advice is Advice.CREATE
        assert list(tmp_path.iterdir()) == []

    def test_a_folder_or_a_pipe_is_not_a_file(self, tmp_path: Path) -> None:
        os.mkfifo(tmp_path / "pipe")
        for path in (tmp_path, tmp_path / "pipe"):
            with pytest.raises(StorageError, match=r"is not a file\. Name a file, such as alloy\.db"):
                file_engine(path, create=True)

    @pytest.mark.parametrize("inside", ["no such folder", "file"])
    def test_a_missing_folder_is_named(self, tmp_path: Path, inside: str) -> None:
        (tmp_path / "file").touch()
        with pytest.raises(StorageError, match=f"its folder does not exist. Create .*{inside} first"):
            file_engine(tmp_path / inside / "alloy.db", create=True)

    @pytest.mark.parametrize("name", ["x" * 5000, "loop/alloy.db"])
    def test_a_name_that_cannot_be_accessed_is_refused(self, tmp_path: Path, name: str) -> None:
        (tmp_path / "loop").symlink_to(tmp_path / "loop")
        with pytest.raises(StorageError, match=r"cannot be accessed: .*\. Name a file") as caught:
            file_engine(tmp_path / name, create=True)
        assert len(str(caught.value)) < 300

    @pytest.mark.parametrize("content", [b"hello", b"SQLite", b"PK\x03\x04" + b"x" * 500])
    def test_a_file_of_another_kind_is_refused_unchanged(self, tmp_path: Path, content: bytes) -> None:
        (tmp_path / "alloy.db").write_bytes(content)
        with pytest.raises(StorageError, match=r"not a camobo study but another kind of file\. It is unchanged"):
            file_engine(tmp_path / "alloy.db", create=True)
        assert (tmp_path / "alloy.db").read_bytes() == content

    def test_a_file_that_may_not_be_read_says_so(self, tmp_path: Path) -> None:
        (tmp_path / "alloy.db").touch(0o000)
        (tmp_path / "alloy.db").chmod(0o000)
        tmp_path.chmod(0o755)

        def work(say: Say) -> None:
            os.setresuid(65534, 65534, 65534)
            try:
                with storage_errors("alloy.db"), file_engine(tmp_path / "alloy.db", create=False).connect():
                    say("read")
            except StorageError as error:
                say(str(error))

        if os.geteuid() != 0:
            pytest.skip("needs root, to become somebody else")
        for folder in tmp_path.parents:
            if folder.stat().st_uid == 0 and folder != Path("/") and not folder.stat().st_mode & 0o001:
                folder.chmod(folder.stat().st_mode | 0o011)
        process, file = forked(work)
        (said,) = heard(file.readlines())
        file.close()
        assert os.waitpid(process, 0)[1] == 0
        assert "unable to open" in said
        assert "can be read and written" in said

    @pytest.mark.parametrize("log", [False, True], ids=["at rest", "in use"])
    def test_a_file_that_may_not_be_written_is_opened_to_read(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, log: bool
    ) -> None:
        path = tmp_path / "alloy.db"
        writer = sqlite3.connect(path, isolation_level=None)
        writer.execute("PRAGMA journal_mode=WAL")
        writer.execute("CREATE TABLE t (x)")
        if not log:
            writer.close()
        with monkeypatch.context() as patch:
            patch.setattr(os, "access", lambda *_: False)
            engine = file_engine(path, create=True)
        with engine.connect() as connection:
            assert (connection.info["at rest"] is None) == log
            with pytest.raises(OperationalError, match="readonly"):
                connection.exec_driver_sql("INSERT INTO t VALUES (1)")
        with sqlite3.connect(path) as other:
            other.execute("INSERT INTO t VALUES (2)")
        with engine.connect() as connection:
            assert connection.exec_driver_sql("SELECT x FROM t").scalars().all() == [2], "each use looks anew"
        other.close()
        writer.close()

    def test_no_text_is_longer_than_any_study_needs(self, tmp_path: Path) -> None:
        engine = file_engine(tmp_path / "alloy.db", create=True)
        with engine.connect() as connection, pytest.raises(SQLAlchemyError, match="too big"):
            connection.exec_driver_sql(f"SELECT zeroblob({LONGEST + 1})")
        engine.dispose()

    def test_a_look_that_takes_too_long_is_interrupted(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("camobo.storage.connections._LONGEST_LOOK", 0.1)
        engine = file_engine(tmp_path / "alloy.db", create=True)
        endless = "WITH RECURSIVE t(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM t) SELECT count(*) FROM t"
        with engine.connect() as connection:
            said = r"interrupted\. It took longer than"
            with pytest.raises(StorageError, match=said), storage_errors("alloy.db"), hurried(connection):
                connection.exec_driver_sql(endless)
            assert connection.exec_driver_sql("SELECT 1").scalar() == 1
        engine.dispose()

    @pytest.mark.parametrize("value", [float("nan"), float("inf"), {"x": -float("inf")}])
    def test_numbers_that_are_not_finite_are_never_written(self, tmp_path: Path, value: Any) -> None:
        engine = file_engine(tmp_path / "alloy.db", create=True)
        with engine.connect() as connection, pytest.raises((ValueError, SQLAlchemyError), match="JSON compliant"):
            connection.execute(sa.select(sa.literal(value, sa.JSON)))
        engine.dispose()

    @pytest.mark.parametrize("text", ["NaN", "[Infinity]", '{"x": -Infinity}'])
    def test_numbers_that_are_not_finite_are_never_read(self, tmp_path: Path, text: str) -> None:
        engine = file_engine(tmp_path / "alloy.db", create=True)
        query = sa.text("SELECT :text AS found").columns(found=sa.JSON)
        with engine.connect() as connection, pytest.raises(ValueError, match="is not a number"):
            connection.execute(query, {"text": text}).scalar()
        engine.dispose()

    def test_a_forked_process_has_connections_of_its_own(self, tmp_path: Path) -> None:
        engine = file_engine(tmp_path / "alloy.db", create=True)

        def look() -> int:
            with engine.connect() as connection:
                return id(connection.connection.driver_connection)

        here = look()
        assert look() == here, "the pool keeps it"

        def work(say: Say) -> None:
            say(look() != here)

        process, file = forked(work)
        assert heard(file.readlines()) == [True]
        file.close()
        assert os.waitpid(process, 0)[1] == 0
        assert look() == here
        engine.dispose()


class TestReadingAUrl:
    @pytest.mark.parametrize(
        ("text", "said"),
        [
            ("post-gres://anna:s3cret@h/d", "cannot read the URL. Write it like postgresql"),
            ("postgresql://anna:s3cret", "its port is not a number. A password goes before the server"),
            ("postgresql://anna:p@s3cret@h/d", "more than one @. Write an @ of the password as %40"),
            ("postgresql://anna:***@h/d", r"the password in the URL is \*\*\*, as it is shown"),
            ("postgresql://h/d?password=***", "PGPASSWORD or in ~/.pgpass"),
        ],
    )
    def test_a_mistake_is_explained_without_showing_any_of_it(self, text: str, said: str) -> None:
        with pytest.raises(InvalidOptionError, match=said) as caught:
            read_url(text)
        assert "s3cret" not in "".join(traceback.format_exception(caught.value))

    def test_what_it_shows_is_the_url_but_for_its_password(self) -> None:
        url = read_url("postgresql+psycopg://anna:p%40ss@h:5432/d?schema=x&password=s3cret")
        assert url.password == "p@ss"
        assert shown_url(url) == "postgresql+psycopg://anna:***@h:5432/d?password=***&schema=x"


class TestServer:
    @pytest.mark.parametrize(
        ("url", "seconds"),
        [("postgresql://h/d", "10"), ("postgresql://h/d?connect_timeout=3&schema=x", "3")],
    )
    def test_the_driver_and_a_time_limit_are_added_and_the_schema_taken_out(self, url: str, seconds: str) -> None:
        engine = server_engine(sa.make_url(url), "x")
        assert engine.url.drivername == "postgresql+psycopg"
        assert dict(engine.url.query) == {"connect_timeout": seconds}
        assert engine.get_execution_options()["schema_translate_map"] == {None: "x"}

    def test_without_the_driver_it_says_what_to_install(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "psycopg", None)
        with pytest.raises(MissingExtraError, match=r"PostgreSQL needs psycopg.*pip install 'camobo\[postgres\]'"):
            server_engine(sa.make_url("postgresql+psycopg://h/d"), None)


class TestErrors:
    @pytest.mark.parametrize(
        ("said", "advice"),
        [
            ("database disk image is malformed", "restore it from a copy"),
            ("attempt to write a readonly database", "permissions"),
            ("cannot execute INSERT in a read-only transaction", "permissions"),
            ("database or disk is full", "Make room"),
            ("disk I/O error", "full or disconnected"),
            ("database is locked", "try again"),
            ("canceling statement due to lock timeout", "try again"),
            ("unable to open database file", "can be read and written"),
            ("permission denied for table study", "use a user who may"),
            ("connection refused", "Is the server running"),
            ("something new", ""),
        ],
    )
    def test_a_known_error_has_its_advice(self, said: str, advice: str) -> None:
        assert advice in what_to_do(said)
        assert bool(what_to_do(said)) == bool(advice)

    @pytest.mark.parametrize(
        ("said", "told"),
        [
            (
                "database is\n locked.",
                "alloy.db: database is locked. Other processes kept it busy for too long: try again. "
                "Everything stored before is unchanged.",
            ),
            ("malformed", "alloy.db: malformed. The file is damaged: restore it from a copy."),
            ("odd?", "alloy.db: odd. Everything stored before is unchanged."),
        ],
    )
    def test_a_database_error_is_one_line_with_advice(self, said: str, told: str) -> None:
        with pytest.raises(StorageError) as caught, storage_errors("alloy.db"):
            raise OperationalError("SELECT secret", {}, Exception(said))
        assert str(caught.value) == told

    def test_a_file_that_is_not_sqlites_is_another_kind_of_file(self) -> None:
        with pytest.raises(StorageError, match="another kind of file"), storage_errors("alloy.db"):
            raise OperationalError("SELECT 1", {}, Exception("file is not a database"))

    def test_an_error_of_the_library_is_one_line(self) -> None:
        with pytest.raises(StorageError, match=r"alloy\.db: a b\."), storage_errors("alloy.db"):
            raise SQLAlchemyError("a\n  b")

    @pytest.mark.parametrize("error", [ValueError("x"), TypeError("x"), AttributeError("x"), KeyError("x")])
    def test_a_record_that_cannot_be_read_is_damage(self, error: Exception) -> None:
        said = r"alloy\.db: the study is damaged, a record cannot be read: '?x"
        with pytest.raises(StorageError, match=said), readable("alloy.db"):
            raise error

    def test_what_the_hashes_say_is_damage_at_a_place(self) -> None:
        said = r"^alloy\.db: the study is damaged: event 3 is missing\. camobo check alloy\.db says"
        with pytest.raises(StorageError, match=said), readable("alloy.db"):
            raise StorageError("event 3 is missing.")

    def test_other_errors_go_through(self) -> None:
        with pytest.raises(StorageError, match=r"^as it was$"), storage_errors("alloy.db"):
            raise StorageError("as it was")
        with pytest.raises(RuntimeError), storage_errors("alloy.db"), readable("alloy.db"):
            raise RuntimeError
