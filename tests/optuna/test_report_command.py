"""`camobo report --optuna`: reports of Optuna studies from the command line."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import optuna
import pytest
from optuna.trial import TrialState

from camobo.cli import main
from camobo.cost.budget import Budget
from camobo.insight.record import Record
from camobo.optuna import CostAwareSampler
from camobo.space.inputs import Real
from camobo.strategy.plan import Plan
from tests.support.optuna_studies import TWO, bumps, ended

pytestmark = pytest.mark.usefixtures("quiet_optuna")

Database = Callable[..., str]


@pytest.fixture(scope="module")
def grown(empty_database: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with a study of a few trials."""
    path = tmp_path_factory.mktemp("forest") / "forest.db"
    shutil.copy(empty_database, path)
    storage = optuna.storages.RDBStorage(f"sqlite:///{path}")
    study = optuna.create_study(study_name="forest", storage=storage, directions=TWO, sampler=CostAwareSampler(seed=1))
    study.optimize(bumps, n_trials=4)
    storage.remove_session()
    storage.engine.dispose()
    return path


@pytest.fixture
def forest(grown: Path, tmp_path: Path) -> str:
    """The URL of that database, in a folder of its own."""
    return f"sqlite:///{shutil.copy(grown, tmp_path / 'forest.db')}"


@pytest.fixture
def refused(capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """Runs `camobo report` with arguments that it refuses, and returns the message."""

    def run(*arguments: str) -> str:
        with pytest.raises(SystemExit) as stopped:
            main(["report", *arguments])
        assert stopped.value.code == 1
        return " ".join(capsys.readouterr().err.split())

    return run


def written(*arguments: str) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["report", *arguments])
    assert stopped.value.code == 0


class TestWriting:
    def test_a_report_of_an_optuna_study_is_written(self, forest: str, tmp_path: Path) -> None:
        pytest.importorskip("plotly")
        page = tmp_path / "forest.html"
        written("--optuna", forest, "--study", "forest", "--cost", "expensive > cheap", "-o", str(page))
        assert "expensive" in page.read_text(encoding="utf-8")

    def test_expensive_ends_and_a_budget_can_be_given(
        self, forest: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        pytest.importorskip("plotly")
        plans: list[Plan] = []

        def write(record: Record, path: str, **_: object) -> str:
            plans.append(record.plan)
            return path

        monkeypatch.setattr("camobo.report.report", write)
        monkeypatch.chdir(tmp_path)
        order = ("--cost", "expensive > cheap")
        written("--optuna", forest, *order, "--expensive", "expensive=low", "--budget", "20")
        assert plans[0].budget == Budget(trials=20)
        assert plans[0].space.inputs["expensive"] == Real(0.0, 1.0, expensive="low")

    @pytest.mark.parametrize("named", [[], ["--study", "my forest/1"]], ids=["alone", "named"])
    def test_a_report_is_called_as_the_study_and_can_be_written_again(
        self,
        named: list[str],
        tmp_path: Path,
        database: Database,
        monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        pytest.importorskip("plotly")
        monkeypatch.chdir(tmp_path)
        url = database(tmp_path / "forest.db", "my forest/1")
        optuna.load_study(study_name="my forest/1", storage=url).add_trial(ended(0.3, 0.2, TrialState.COMPLETE))
        for _ in range(2):
            written("--optuna", url, *named)
            assert "my-forest-1-6d98704c.html: open it" in " ".join(capsys.readouterr().out.split())
        assert sorted(path.name for path in tmp_path.iterdir()) == ["forest.db", "my-forest-1-6d98704c.html"]

    def test_reports_of_studies_whose_names_cannot_be_files_are_files_apart(
        self, tmp_path: Path, database: Database, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        pytest.importorskip("plotly")
        monkeypatch.chdir(tmp_path)
        names = ["..", "", "a/b", "a-b"]
        url = database(tmp_path / "forest.db", *names)
        for name in names:
            optuna.load_study(study_name=name, storage=url).add_trial(ended(0.3, 0.2, TrialState.COMPLETE))
            written("--optuna", url, "--study", name)
        assert len(list(tmp_path.glob("*.html"))) == len(names)

    def test_a_page_that_is_no_report_is_overwritten_only_with_force(
        self, forest: str, tmp_path: Path, refused: Callable[..., str]
    ) -> None:
        pytest.importorskip("plotly")
        page = tmp_path / "index.html"
        page.write_text("<!doctype html><title>My home</title>")
        assert "already exists" in refused("--optuna", forest, "-o", str(page))
        assert page.read_text() == "<!doctype html><title>My home</title>"
        written("--optuna", forest, "-o", str(page), "--force")
        assert "My home" not in page.read_text(encoding="utf-8")


class TestRefusing:
    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (["--expensive", "expensiev=low"], "Did you mean 'expensive'?"),
            (["--expensive", "expensive"], "need name=low"),
            (["--expensive", "expensive=low", "--expensive", "expensive=high"], "'expensive' is given twice"),
            (["--cost", "expensiev > cheap"], "Did you mean 'expensive'?"),
            (["-o", "a\0b.html"], "null character"),
            (["--study", "woods", "-o", "x.html"], "unknown study 'woods'. Studies in it: 'forest'."),
        ],
        ids=["misspelt end", "no end", "twice", "misspelt order", "null", "unknown study"],
    )
    def test_an_option_of_an_optuna_study_is_refused_with_what_is_wrong(
        self,
        arguments: list[str],
        message: str,
        forest: str,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
        refused: Callable[..., str],
    ) -> None:
        monkeypatch.chdir(tmp_path)
        assert message in refused("--optuna", forest, *arguments)
        assert list(tmp_path.glob("*.html")) == []

    def test_a_storage_that_does_not_exist_is_not_created(self, tmp_path: Path, refused: Callable[..., str]) -> None:
        storage = tmp_path / "no.db"
        assert "does not exist" in refused("--optuna", f"sqlite:///{storage}", "-o", str(tmp_path / "x.html"))
        assert not storage.exists()

    @pytest.mark.parametrize("text", ["", "nickel,chromium\n1,2\n"], ids=["empty", "csv"])
    def test_a_file_of_another_kind_is_named(self, text: str, tmp_path: Path, refused: Callable[..., str]) -> None:
        file = tmp_path / "some.log"
        file.write_text(text)
        assert str(file) in refused("--optuna", str(file), "-o", str(tmp_path / "x.html"))
        assert file.read_text() == text

    def test_an_optuna_database_given_as_a_camobo_study_says_how_to_report_on_it(
        self, forest: str, refused: Callable[..., str]
    ) -> None:
        assert "camobo report --optuna" in refused(forest.removeprefix("sqlite:///"))

    def test_one_study_of_either_kind_is_needed(self, forest: str, refused: Callable[..., str]) -> None:
        assert "need one study" in refused()
        assert "need one study" in refused("alloy.db", "--optuna", forest)
        for option in (("--cost", "a > b"), ("--budget", "3")):
            assert "--optuna" in refused("alloy.db", *option)
        assert "need a URL" in refused("--optuna", "forest.db", "-o", "x.html")
