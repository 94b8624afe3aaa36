from __future__ import annotations

import re
import socket
import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import optuna
import pytest

from camobo import Space, Study
from camobo.errors import InvalidOptionError, StorageError
from camobo.optuna import load
from camobo.space.inputs import Real
from tests.support.strategies import label

pytestmark = pytest.mark.usefixtures("quiet_optuna")

Database = Callable[..., str]


class TestStudies:
    def test_the_only_study_needs_no_name(self, tmp_path: Path, database: Database) -> None:
        assert load(database(tmp_path / "one.db", "forest")).study_name == "forest"

    def test_one_of_several_needs_its_name(self, tmp_path: Path, database: Database) -> None:
        url = database(tmp_path / "two.db", "forest", "woods")
        assert load(url, "woods").study_name == "woods"
        with pytest.raises(InvalidOptionError, match=r"need the name of a study\. Studies in it: 'forest', 'woods'\."):
            load(url)
        with pytest.raises(InvalidOptionError, match=r"unknown study 'wood'\. Studies in it: 'forest', 'woods'\."):
            load(url, "wood")

    def test_a_database_without_a_study_says_so(self, tmp_path: Path, database: Database) -> None:
        with pytest.raises(InvalidOptionError, match=r"it has no studies\. Give the storage"):
            load(database(tmp_path / "none.db"))


class TestFiles:
    @pytest.mark.parametrize("prefix", ["", "sqlite:///"])
    @pytest.mark.parametrize("kind", ["journal", "database"])
    def test_a_journal_or_a_database_is_read_by_its_name_and_not_changed(
        self, kind: str, prefix: str, tmp_path: Path, database: Database
    ) -> None:
        file = tmp_path / "forest.log"
        storage: Any = optuna.storages.JournalStorage(optuna.storages.journal.JournalFileBackend(str(file)))
        if kind == "database":
            storage = database(file)
        study = optuna.create_study(study_name="forest", storage=storage)
        study.optimize(lambda trial: trial.suggest_float("x", 0, 1), n_trials=3)
        before = file.read_bytes()
        loaded = load(f"{prefix}{file}")
        assert [trial.params for trial in loaded.trials] == [trial.params for trial in study.trials]
        assert file.read_bytes() == before
        assert [found.name for found in tmp_path.iterdir()] == ["forest.log"]

    def test_a_file_may_be_named_as_a_uri(self, tmp_path: Path, database: Database) -> None:
        database(tmp_path / "one.db", "forest")
        assert load(f"sqlite:///file:{tmp_path / 'one.db'}?mode=ro&uri=true").study_name == "forest"

    def test_a_file_that_does_not_exist_is_not_created(self, tmp_path: Path) -> None:
        for path in (f"{tmp_path / 'no.db'}", f"file:{tmp_path / 'no.db'}?uri=true"):
            with pytest.raises(StorageError, match=r"no\.db' does not exist\. Give the storage of an Optuna study"):
                load(f"sqlite:///{path}")
        assert list(tmp_path.iterdir()) == []

    @pytest.mark.parametrize("name", ["x" * 5000, "sqlite:///" + "x" * 5000, "a\0b", ""], ids=label)
    def test_a_name_that_no_file_can_have_is_refused(self, name: str) -> None:
        with pytest.raises((InvalidOptionError, StorageError), match=r"need a URL|does not exist"):
            load(name)

    def test_a_database_without_optunas_tables_is_refused_and_not_changed(self, tmp_path: Path) -> None:
        ours, empty, other = tmp_path / "alloy.db", tmp_path / "empty.db", tmp_path / "other.db"
        Study(Space({"x": Real(0, 1)}), {"y": "min"}, storage=ours).close()
        empty.touch()
        with closing(sqlite3.connect(other)) as connection:
            connection.execute("create table trials (number integer)")
        for path in (ours, empty, other):
            before = path.read_bytes()
            with pytest.raises(StorageError, match=r"is not an Optuna storage.*It was not changed"):
                load(f"sqlite:///{path}")
            assert path.read_bytes() == before

    @pytest.mark.parametrize("text", ["{}", '{"op_code"', "nickel,chromium\n1,2\n"], ids=label)
    def test_a_file_of_another_kind_is_refused_and_not_changed(self, text: str, tmp_path: Path) -> None:
        file = tmp_path / "some.log"
        file.write_text(text)
        with pytest.raises((InvalidOptionError, StorageError), match=re.escape(str(file))):
            load(str(file))
        assert file.read_text() == text


class TestErrors:
    def test_a_damaged_database_is_reported_as_damaged(self, tmp_path: Path, database: Database) -> None:
        url = database(tmp_path / "one.db", "forest")
        load(url).optimize(lambda trial: trial.suggest_float("x", 0, 1), n_trials=1)
        with closing(sqlite3.connect(tmp_path / "one.db")) as connection:
            connection.execute("update trial_params set distribution_json = '{'")
            connection.commit()
        with pytest.raises(StorageError, match=r"cannot be read as an Optuna storage: .*its database is damaged"):
            load(url)

    def test_an_error_of_the_database_is_quoted(self, tmp_path: Path, database: Database) -> None:
        url = database(tmp_path / "one.db", "forest")
        with closing(sqlite3.connect(tmp_path / "one.db")) as connection:
            connection.execute("drop table study_directions")
        with pytest.raises(
            StorageError, match=r"no such table: study_directions\. Check whether Optuna itself can load"
        ):
            load(url)

    def test_a_locked_database_is_reported_as_locked(self, tmp_path: Path, database: Database) -> None:
        url = database(tmp_path / "one.db", "forest") + "?timeout=0.1"
        with closing(sqlite3.connect(tmp_path / "one.db", isolation_level=None)) as other:
            other.execute("begin exclusive")
            with pytest.raises(StorageError, match=r"database is locked\. .*try again") as refused:
                load(url)
        assert "damaged" not in str(refused.value)

    def test_a_server_that_does_not_answer_is_reported_as_such(self) -> None:
        pytest.importorskip("psycopg")
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))  # and does not listen
            port = taken.getsockname()[1]
            with pytest.raises(StorageError, match=r"(?i)refused.*server.*URL") as refused:
                load(f"postgresql+psycopg://127.0.0.1:{port}/forest")
        assert "damaged" not in str(refused.value)

    @pytest.mark.parametrize(
        ("url", "driver", "package"),
        [
            ("postgresql+psycopg://localhost/forest", "psycopg", "'camobo[postgres]'"),
            ("postgresql+psycopg2://localhost/forest", "psycopg2", "psycopg2-binary"),
            ("mysql://localhost/forest", "MySQLdb", "mysqlclient"),
            ("mysql+pymysql://localhost/forest", "pymysql", "pymysql"),
        ],
        ids=label,
    )
    def test_a_missing_driver_is_named_with_what_installs_it(
        self, url: str, driver: str, package: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setitem(sys.modules, driver, None)
        message = f"{url}: needs the driver {driver}, which is not installed. Install it with: pip install {package}"
        with pytest.raises(StorageError, match=f"^{re.escape(message)}$"):
            load(url)

    def test_a_driver_that_cannot_be_loaded_is_reported_by_its_own_words(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def broken(*_: object) -> None:
            raise ImportError("libpq is too old\nand more")

        monkeypatch.setattr("sqlalchemy.create_engine", broken)
        with pytest.raises(StorageError, match=r"cannot be opened: libpq is too old\. Install the driver"):
            load("postgresql://localhost/forest")

    @pytest.mark.parametrize(
        "url",
        [
            "sqlite://me:hush@/no.db?password=hush",
            "sqlite://me:hush@host/no.db",
            "oracel://me:hush@host/forest",
            "postgresql//me:hush@host/forest",
            "postgresql://me:hush@host:port/forest",
            "redis://me:hush@host/0",
        ],
    )
    def test_a_password_is_never_shown(self, url: str) -> None:
        with pytest.raises((InvalidOptionError, StorageError)) as refused:
            load(url)
        assert "hush" not in str(refused.value)

    def test_a_redis_url_is_refused_with_what_to_do(self) -> None:
        with pytest.raises(InvalidOptionError, match=r"got a Redis URL.*camobo\.optuna\.record"):
            load("redis://localhost")

    @pytest.mark.parametrize("given", [5, None, "forest.db"], ids=label)
    def test_what_is_neither_a_url_nor_a_file_is_refused(self, given: Any) -> None:
        with pytest.raises(InvalidOptionError, match=r"storage: need a URL such as .* or an existing file, got"):
            load(given)
