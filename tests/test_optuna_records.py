from __future__ import annotations

import math
import re
import socket
import sqlite3
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import optuna
import pytest
from optuna.trial import TrialState, create_trial

from camobo import Space, Study
from camobo.cli import main
from camobo.errors import InvalidOptionError, InvalidOrderError, InvalidSpaceError, StorageError, UnknownTrialError
from camobo.inputs import Categorical, Real
from camobo.insight import Record
from camobo.optuna import CostAwareSampler, load, record
from camobo.plan import Plan
from camobo.report import report
from camobo.trial import State
from optuna_studies import TWO, UNIT, bumps, ended, study_of
from strategies import label

pytestmark = pytest.mark.usefixtures("quiet_optuna")


class TestReading:
    def test_a_study_is_read_as_frozen_records(self) -> None:
        study = study_of(CostAwareSampler("dear", seed=0, constraints_func=lambda t: [t.params["dear"] - 0.5]), TWO)
        study.optimize(bumps, n_trials=8)
        with pytest.warns(optuna.exceptions.ExperimentalWarning):
            study.set_metric_names(["loss", "score"])
        study.enqueue_trial({"dear": 0.9, "cheap": 0.1})
        study.optimize(bumps, n_trials=1)
        study.ask({"dear": UNIT, "cheap": UNIT})
        found = record(study, cost="dear > cheap", budget=20)
        assert dict(found.plan.objectives) == {"loss": "min", "score": "max"}
        assert found.plan.space.names == ("cheap", "dear")
        assert found.order is not None
        assert str(found.order) == "dear > cheap"
        assert found.plan.budget == 20
        assert [trial.number for trial in found.trials] == list(range(10))
        assert found.trials[0].params == study.trials[0].params
        assert found.trials[8].state is State.FAILED
        assert found.trials[8].reason == "infeasible: constraint 0 is violated"
        assert found.trials[9].state is State.PENDING
        complete = [trial for trial in found.trials if trial.state is State.COMPLETE]
        assert all(trial.values and list(trial.values) == ["loss", "score"] for trial in complete)

    def test_what_is_no_result_says_why(self) -> None:
        study = optuna.create_study()
        for state, value in ((TrialState.PRUNED, 0.2), (TrialState.COMPLETE, math.inf)):
            study.add_trial(ended(0.1, value, state))
        study.add_trial(ended(0.3, 0.2, TrialState.COMPLETE))
        study.add_trial(create_trial(state=TrialState.FAIL, params={}, distributions={}))
        found = record(study).trials
        assert [trial.reason for trial in found] == ["pruned", "a value is not finite: inf", None]
        assert [trial.number for trial in found] == [0, 1, 2]  # the one that failed before its parameters is left out

    def test_objectives_of_one_name_are_told_apart_by_their_number(self) -> None:
        for names, told in ((["loss", "loss"], ["loss (0)", "loss (1)"]), (["", "score"], ["value (0)", "score (1)"])):
            study = study_of(CostAwareSampler("dear > cheap", seed=0))
            with pytest.warns(optuna.exceptions.ExperimentalWarning):
                study.set_metric_names(names)
            study.optimize(bumps, n_trials=4)
            assert list(record(study).plan.objectives) == told

    def test_an_order_may_name_a_parameter_that_only_some_trials_have(self) -> None:
        def objective(trial: optuna.Trial) -> float:
            x = trial.suggest_float("x", 0, 1)
            return x + (trial.suggest_float("rare", 0, 1) if trial.number % 2 else 0.0)

        study = optuna.create_study(sampler=CostAwareSampler("rare > x", seed=0))
        study.optimize(objective, n_trials=4)
        assert str(record(study, cost="rare > x").order) == "x"
        with pytest.raises(InvalidOrderError, match=r"called 'rear'\. Did you mean 'rare'\? They have rare, x"):
            record(study, cost="rear > x")

    def test_a_dear_end_of_a_parameter_no_trial_has_is_refused(self) -> None:
        study = optuna.create_study()
        study.add_trial(ended(0.3, 0.2, TrialState.COMPLETE))
        with pytest.raises(InvalidOptionError, match=r"dear: no trial has a parameter called 'zz'\. They have x\."):
            record(study, dear={"zz": "low"})

    @pytest.mark.parametrize(
        ("options", "told"),
        [
            ({"budget": -3}, "budget: need a whole number"),
            ({"budget": math.nan}, "budget: need a whole number"),
            ({"budget": True}, "budget: need a whole number"),
            ({"dear": "low"}, "dear: need a mapping"),
            ({"study": "sqlite:///x.db"}, "record: need an Optuna study"),
        ],
        ids=label,
    )
    def test_an_option_that_cannot_be_is_refused_by_name(self, options: Any, told: str) -> None:
        study = optuna.create_study()
        study.add_trial(ended(0.3, 0.2, TrialState.COMPLETE))
        with pytest.raises(InvalidOptionError, match=told):
            record(**{"study": study, **options})

    def test_a_study_without_a_shared_parameter_says_so(self) -> None:
        with pytest.raises(InvalidSpaceError, match=r"no parameter.*; 0 trials"):
            record(optuna.create_study())
        fixed = optuna.create_study()
        fixed.optimize(lambda trial: trial.suggest_float("x", 1, 1), n_trials=2)
        with pytest.raises(InvalidSpaceError, match=r"more than one value \(x can have one value only\); 2 trials"):
            record(fixed)

    def test_choices_that_equal_each_other_are_told_apart_by_how_they_are_written(self) -> None:
        study = optuna.create_study()
        given = optuna.distributions.CategoricalDistribution([1, True, None, "oil", math.nan])
        for choice in given.choices:
            study.add_trial(create_trial(params={"x": choice}, distributions={"x": given}, value=1.0))
        assert [trial.params["x"] for trial in record(study).trials] == ["1", "True", "None", "oil", "nan"]

    def test_choices_that_would_read_the_same_are_shown_as_they_are_written(self) -> None:
        study = optuna.create_study()
        given = optuna.distributions.CategoricalDistribution(["1", 1, "oil"])
        for choice in given.choices:
            study.add_trial(create_trial(params={"x": choice}, distributions={"x": given}, value=1.0))
        found = record(study, cost="x", dear={"x": ["1", 1]})
        assert [trial.params["x"] for trial in found.trials] == ["'1'", "1", "'oil'"]
        assert found.plan.space.inputs["x"] == Categorical(["'1'", "1", "'oil'"], dear=["'1'", "1"])

    def test_more_objectives_than_a_hypervolume_has_are_refused(self) -> None:
        study = optuna.create_study(directions=["minimize"] * 32)
        study.optimize(lambda trial: [trial.suggest_float("x", 0, 1)] * 32, n_trials=1)
        with pytest.raises(InvalidOptionError, match="at most 31, got 32"):
            record(study)

    def test_an_order_of_parameters_it_does_not_have_is_refused(self) -> None:
        study = optuna.create_study()
        study.add_trial(ended(0.3, 0.2, TrialState.COMPLETE))
        with pytest.raises(InvalidOrderError, match="nickel"):
            record(study, cost="nickel")

    def test_the_page_says_which_trials_are_left_out_and_why(self, tmp_path: Path) -> None:
        pytest.importorskip("plotly")
        study = optuna.create_study()
        study.add_trial(create_trial(state=TrialState.FAIL))
        study.enqueue_trial({"x": 1.5})
        with pytest.warns(UserWarning, match="out of range"):
            study.optimize(lambda trial: trial.suggest_float("x", 0, 1), n_trials=1)
        study.optimize(lambda trial: trial.suggest_float("x", 0, 1), n_trials=3)
        study.add_trial(create_trial(state=TrialState.PRUNED))
        study.ask()
        found = record(study)
        assert [trial.number for trial in found.trials] == [2, 3, 4]
        text = report(found, tmp_path / "x.html").read_text(encoding="utf-8")
        assert "2 trials (0, 5) left out of this report: it ended without all parameters." in text
        assert "1 trial (1) left out of this report: a parameter lies outside the range the study has for it." in text
        assert "1 trial (6) left out of this report: it does not have all parameters yet." in text
        with pytest.raises(UnknownTrialError, match=r"trial 1: is left out of the report: .*outside.*Name another"):
            report(found, tmp_path / "x.html", trial=1)
        with pytest.raises(UnknownTrialError, match="trial 7"):
            report(found, tmp_path / "x.html", trial=7)

    def test_the_page_names_what_of_the_order_and_of_dear_not_every_trial_has(self, tmp_path: Path) -> None:
        pytest.importorskip("plotly")

        def objective(trial: optuna.Trial) -> float:
            name = "n" if trial.number % 2 else "C"
            return trial.suggest_float("x", 0, 1) + trial.suggest_float(name, 0, 1)

        study = optuna.create_study()
        study.optimize(objective, n_trials=4)
        found = record(study, cost="n > C", dear={"n": "low"})
        assert found.order is None
        text = report(found, tmp_path / "x.html").read_text(encoding="utf-8")
        assert "order: n, C left out here. Only parameters count that every complete trial has" in text
        assert "dear: n left out here." in text

    def test_the_page_of_an_optuna_study_has_no_settings_that_are_camobos_alone(self, tmp_path: Path) -> None:
        pytest.importorskip("plotly")
        study = optuna.create_study()
        study.add_trial(ended(0.3, 0.2, TrialState.COMPLETE))
        text = report(record(study, budget=9), tmp_path / "x.html").read_text(encoding="utf-8")
        assert "<dt>Budget</dt>" in text
        for name in ("Method", "Seed", "Models refitted"):
            assert f"<dt>{name}</dt>" not in text

    def test_a_file_with_a_null_character_in_its_name_is_refused(self, tmp_path: Path) -> None:
        study = optuna.create_study()
        study.add_trial(ended(0.3, 0.2, TrialState.COMPLETE))
        with pytest.raises(InvalidOptionError, match="report: need the name of a file, without null characters"):
            report(record(study), f"{tmp_path}/a\0b.html")

    def test_a_report_is_written_of_it(self, tmp_path: Path) -> None:
        pytest.importorskip("plotly")
        study = optuna.create_study(
            directions=["minimize", "maximize"], sampler=CostAwareSampler("dear > cheap", seed=1)
        )
        study.optimize(bumps, n_trials=8)
        text = report(record(study, cost="dear > cheap"), tmp_path / "forest.html").read_text()
        assert "dear" in text
        assert "trial 7" in text


class TestLoading:
    def made(self, path: Path, *names: str) -> str:
        storage = optuna.storages.RDBStorage(f"sqlite:///{path}")
        for name in names:
            optuna.create_study(study_name=name, storage=storage)
        storage.engine.dispose()
        return storage.url

    def test_the_only_study_there_needs_no_name(self, tmp_path: Path) -> None:
        assert load(self.made(tmp_path / "one.db", "forest")).study_name == "forest"
        with pytest.raises(InvalidOptionError, match=r"need the name of a study. There: 'forest', 'woods'"):
            load(self.made(tmp_path / "two.db", "forest", "woods"))

    def test_a_database_that_is_not_optunas_is_refused_and_left_as_it_is(self, tmp_path: Path) -> None:
        ours, empty, other = tmp_path / "alloy.db", tmp_path / "empty.db", tmp_path / "other.db"
        Study(Space({"x": Real(0, 1)}), {"y": "min"}, storage=ours).close()
        empty.touch()
        with closing(sqlite3.connect(other)) as connection:
            connection.execute("create table trials (number integer)")
        for path in (ours, empty, other):
            before = path.read_bytes()
            with pytest.raises(StorageError, match=r"is not Optuna's.*left as it is"):
                load(f"sqlite:///{path}")
            assert path.read_bytes() == before

    def test_a_file_may_be_named_as_a_uri(self, tmp_path: Path) -> None:
        self.made(tmp_path / "one.db", "forest")
        assert load(f"sqlite:///file:{tmp_path / 'one.db'}?mode=ro&uri=true").study_name == "forest"

    def test_a_damaged_database_is_told_as_such(self, tmp_path: Path) -> None:
        url = self.made(tmp_path / "one.db", "forest")
        load(url).optimize(lambda trial: trial.suggest_float("x", 0, 1), n_trials=1)
        with closing(sqlite3.connect(tmp_path / "one.db")) as connection:
            connection.execute("update trial_params set distribution_json = '{'")
            connection.commit()
        with pytest.raises(StorageError, match=r"cannot be read as Optuna's storage: .*its database is damaged"):
            load(url)

    def test_a_locked_database_is_told_as_such(self, tmp_path: Path) -> None:
        url = self.made(tmp_path / "one.db", "forest") + "?timeout=0.1"
        with closing(sqlite3.connect(tmp_path / "one.db", isolation_level=None)) as other:
            other.execute("begin exclusive")
            with pytest.raises(StorageError, match=r"database is locked\. Other processes.*try again") as refused:
                load(url)
        assert "damaged" not in str(refused.value)

    def test_a_server_that_is_not_there_is_told_as_such(self) -> None:
        pytest.importorskip("psycopg")
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))  # and does not listen
            port = taken.getsockname()[1]
            with pytest.raises(StorageError, match=r"(?i)refused.*Is the server there, and the URL right\?") as refused:
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
    def test_a_driver_that_is_missing_is_named_with_what_installs_it(
        self, url: str, driver: str, package: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setitem(sys.modules, driver, None)
        told = f"{url}: needs the driver {driver}, which is not installed. Install it with: pip install {package}"
        with pytest.raises(StorageError, match=f"^{re.escape(told)}$"):
            load(url)

    def test_a_file_that_is_not_there_is_not_made(self, tmp_path: Path) -> None:
        for path in (f"{tmp_path / 'no.db'}", f"file:{tmp_path / 'no.db'}?uri=true"):
            with pytest.raises(StorageError, match="there is no file"):
                load(f"sqlite:///{path}")
        assert list(tmp_path.iterdir()) == []

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
    def test_a_password_is_not_told(self, url: str) -> None:
        with pytest.raises((InvalidOptionError, StorageError)) as refused:
            load(url)
        assert "hush" not in str(refused.value)

    def test_a_redis_url_is_refused_with_what_to_do(self) -> None:
        with pytest.raises(InvalidOptionError, match=r"got one of Redis.*camobo\.optuna\.record"):
            load("redis://localhost")


class TestReportingFromTheCommandLine:
    @pytest.fixture
    def forest(self, tmp_path: Path) -> str:
        url = f"sqlite:///{tmp_path / 'forest.db'}"
        storage = optuna.storages.RDBStorage(url)
        study = optuna.create_study(
            study_name="forest", storage=storage, directions=TWO, sampler=CostAwareSampler(seed=1)
        )
        study.optimize(bumps, n_trials=6)
        storage.engine.dispose()
        return url

    def refused(self, capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
        with pytest.raises(SystemExit) as stopped:
            main(["report", *arguments])
        assert stopped.value.code == 1
        return " ".join(capsys.readouterr().err.split())

    def test_a_report_of_an_optuna_study_is_written(self, forest: str, tmp_path: Path) -> None:
        pytest.importorskip("plotly")
        page = tmp_path / "forest.html"
        with pytest.raises(SystemExit) as stopped:
            main(["report", "--optuna", forest, "--study", "forest", "--cost", "dear > cheap", "-o", str(page)])
        assert stopped.value.code == 0
        assert "dear" in page.read_text(encoding="utf-8")

    def test_dear_ends_and_a_budget_can_be_said(
        self, forest: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        pytest.importorskip("plotly")
        said: list[Plan] = []

        def write(record: Record, path: str, **_: object) -> str:
            said.append(record.plan)
            return path

        monkeypatch.setattr("camobo.report.report", write)
        monkeypatch.chdir(tmp_path)
        with pytest.raises(SystemExit) as stopped:
            main(["report", "--optuna", forest, "--cost", "dear > cheap", "--dear", "dear=low", "--budget", "20"])
        assert stopped.value.code == 0
        assert said[0].budget == 20
        assert said[0].space.inputs["dear"] == Real(0.0, 1.0, dear="low")
        assert "Did you mean 'dear'?" in self.refused(capsys, "--optuna", forest, "--dear", "deer=low")
        assert "need name=low" in self.refused(capsys, "--optuna", forest, "--dear", "dear")
        twice = ("--dear", "dear=low", "--dear", "dear=high")
        assert "need 'dear' once" in self.refused(capsys, "--optuna", forest, *twice)
        assert "go with --optuna" in self.refused(capsys, "alloy.db", "--budget", "3")

    @pytest.mark.parametrize("named", [[], ["--study", "my forest/1"]], ids=["alone", "named"])
    def test_a_report_is_called_as_the_study_unless_a_file_is_named(
        self, named: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        pytest.importorskip("plotly")
        monkeypatch.chdir(tmp_path)
        storage = optuna.storages.RDBStorage("sqlite:///forest.db")
        study = optuna.create_study(study_name="my forest/1", storage=storage)
        study.add_trial(ended(0.3, 0.2, TrialState.COMPLETE))
        storage.engine.dispose()
        for _ in range(2):  # a page is brought up to date
            with pytest.raises(SystemExit) as stopped:
                main(["report", "--optuna", "sqlite:///forest.db", *named])
            assert stopped.value.code == 0
            assert "my-forest-1-6d98704c.html: open it" in " ".join(capsys.readouterr().out.split())
        assert sorted(path.name for path in tmp_path.iterdir()) == ["forest.db", "my-forest-1-6d98704c.html"]

    def test_reports_of_studies_whose_names_cannot_be_files_are_files_apart(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        pytest.importorskip("plotly")
        monkeypatch.chdir(tmp_path)
        names = ["..", "", "a/b", "a-b"]
        storage = optuna.storages.RDBStorage("sqlite:///forest.db")
        for name in names:
            optuna.create_study(study_name=name, storage=storage).add_trial(ended(0.3, 0.2, TrialState.COMPLETE))
        storage.engine.dispose()
        for name in names:
            with pytest.raises(SystemExit) as stopped:
                main(["report", "--optuna", "sqlite:///forest.db", "--study", name])
            assert stopped.value.code == 0
        assert len(list(tmp_path.glob("*.html"))) == len(names)

    def test_a_name_with_a_null_character_is_refused(self, forest: str, capsys: pytest.CaptureFixture[str]) -> None:
        said = self.refused(capsys, "--optuna", forest, "-o", "a\0b.html")
        assert said == "Error: 'a\\x00b.html': no file can be called so. Give a name without null characters."

    def test_a_misspelt_name_in_the_order_is_refused_with_the_one_meant(
        self, forest: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert "Did you mean 'dear'?" in self.refused(capsys, "--optuna", forest, "--cost", "deer > cheap")

    def test_a_page_that_is_no_report_is_left_as_it_is(
        self, forest: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        pytest.importorskip("plotly")
        page = tmp_path / "index.html"
        page.write_text("<!doctype html><title>My home</title>")
        assert "is there already" in self.refused(capsys, "--optuna", forest, "-o", str(page))
        assert page.read_text() == "<!doctype html><title>My home</title>"
        with pytest.raises(SystemExit) as stopped:
            main(["report", "--optuna", forest, "-o", str(page), "--force"])
        assert stopped.value.code == 0
        assert "My home" not in page.read_text(encoding="utf-8")

    def test_a_name_that_is_not_there_names_those_that_are(
        self, forest: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        page = tmp_path / "x.html"
        said = self.refused(capsys, "--optuna", forest, "--study", "woods", "-o", str(page))
        assert "no Optuna study called 'woods'" in said
        assert "'forest'" in said
        assert not page.exists()

    def test_a_storage_that_is_not_there_is_not_made(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        said = self.refused(capsys, "--optuna", f"sqlite:///{tmp_path / 'no.db'}", "-o", str(tmp_path / "x.html"))
        assert "there is no file" in said
        assert not (tmp_path / "no.db").exists()

    @pytest.mark.parametrize("prefix", ["", "sqlite:///"])
    @pytest.mark.parametrize("kind", ["journal", "database"])
    def test_a_file_of_either_kind_is_read_by_its_name_and_left_as_it_is(
        self, kind: str, prefix: str, tmp_path: Path
    ) -> None:
        file = tmp_path / "forest.log"
        storage: Any = f"sqlite:///{file}"
        if kind == "journal":
            storage = optuna.storages.JournalStorage(optuna.storages.journal.JournalFileBackend(str(file)))
        study = optuna.create_study(study_name="forest", storage=storage)
        study.optimize(lambda trial: trial.suggest_float("x", 0, 1), n_trials=3)
        before = file.read_bytes()
        loaded = load(f"{prefix}{file}")
        assert [trial.params for trial in loaded.trials] == [trial.params for trial in study.trials]
        assert file.read_bytes() == before
        assert [found.name for found in tmp_path.iterdir()] == ["forest.log"]

    def test_a_file_that_is_neither_is_refused(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        for number, text in enumerate(("", "{}", '{"op_code"', "nickel,chromium\n1,2\n")):
            file = tmp_path / f"{number}.log"
            file.write_text(text)
            said = self.refused(capsys, "--optuna", str(file), "-o", str(tmp_path / "x.html"))
            assert str(file) in said
            assert file.read_text() == text

    @pytest.mark.parametrize("name", ["x" * 5000, "sqlite:///" + "x" * 5000, "a\0b", ""], ids=label)
    def test_a_name_that_no_file_can_have_is_refused(self, name: str) -> None:
        with pytest.raises((InvalidOptionError, StorageError), match=r"need a URL|there is no file"):
            load(name)

    def test_an_optuna_database_given_as_a_study_of_camobos_says_how_to_report_on_it(
        self, forest: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        said = self.refused(capsys, forest.removeprefix("sqlite:///"))
        assert "It has Optuna's tables: see camobo report --optuna" in said

    def test_one_study_of_either_kind_is_needed(self, forest: str, capsys: pytest.CaptureFixture[str]) -> None:
        assert "need one study" in self.refused(capsys)
        assert "need one study" in self.refused(capsys, "alloy.db", "--optuna", forest)
        assert "go with --optuna" in self.refused(capsys, "alloy.db", "--cost", "a > b")
        assert "need a URL" in self.refused(capsys, "--optuna", "forest.db", "-o", "x.html")
