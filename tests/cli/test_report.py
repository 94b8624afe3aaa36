from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.support.commands import camobo, measured


def test_an_older_report_is_overwritten_and_any_other_file_refused(tmp_path: Path) -> None:
    pytest.importorskip("plotly")
    study = measured(tmp_path)
    for _ in range(2):
        done = camobo("report", study)
        assert (done.code, done.err) == (0, "")
    assert (tmp_path / "alloy.html").read_text(encoding="utf-8").lower().startswith("<!doctype html")
    (tmp_path / "mine.html").write_text("mine")
    refused = camobo("report", study, "-o", tmp_path / "mine.html")
    assert refused.code == 1
    assert "mine.html: already exists and was not changed" in refused.err
    assert (tmp_path / "mine.html").read_text() == "mine"


def test_what_cannot_be_written_or_shown_is_refused(tmp_path: Path) -> None:
    pytest.importorskip("plotly")
    study = measured(tmp_path)
    assert camobo("report", study, "-o", study).code == 1
    assert camobo("report", study, "-o", tmp_path / "x.html", "--trial", "99").code == 1
    assert camobo("report", study, "-o", tmp_path / "no" / "x.html").code == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "report: need one study"),
        (["alloy.db", "--optuna", "sqlite:///forest.db"], "report: need one study"),
        (["alloy.db", "--budget", "5"], "--study, --cost, --expensive and --budget go with --optuna only"),
        (["postgresql://server/alloy"], "--out: need a file to write, such as -o alloy.html."),
        (["alloy.db", "--trial", "x"], "need a trial's number"),
    ],
)
def test_options_that_do_not_go_together_are_refused(arguments: list[str], said: str) -> None:
    done = camobo("report", *arguments)
    assert done.code == 1
    assert said in done.err


def test_an_optuna_study_is_reported_under_its_own_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, quiet_optuna: None
) -> None:
    pytest.importorskip("plotly")
    optuna = pytest.importorskip("optuna")
    monkeypatch.chdir(tmp_path)
    study = optuna.create_study(storage="sqlite:///forest.db", study_name="my forest")
    study.optimize(lambda trial: trial.suggest_float("rate", 0, 1) + trial.suggest_int("depth", 1, 9), n_trials=4)
    done = camobo("report", "--optuna", "forest.db", "--cost", "rate > depth", "--expensive", "rate=low")
    assert (done.code, done.err) == (0, "")
    (page,) = tmp_path.glob("my-forest-*.html")
    assert "rate &gt; depth" in page.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("cost", "budget", "shown"), [("duration", "2h", "7200 s"), ("attr:euros", "2000 EUR", "2000 EUR"), ("a", "9", "9")]
)
def test_an_optuna_study_may_have_a_budget_in_trials_money_or_hours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, quiet_optuna: None, cost: str, budget: str, shown: str
) -> None:
    pytest.importorskip("plotly")
    optuna = pytest.importorskip("optuna")
    monkeypatch.chdir(tmp_path)
    study = optuna.create_study(storage="sqlite:///forest.db", study_name="forest")

    def objective(trial: Any) -> float:
        trial.set_user_attr("euros", 40.0)
        return float(trial.suggest_float("a", 0, 1))

    study.optimize(objective, n_trials=4)
    done = camobo("report", "--optuna", "forest.db", "--cost", cost, "--budget", budget, "-o", "f.html")
    assert (done.code, done.err) == (0, "")
    assert shown in (tmp_path / "f.html").read_text(encoding="utf-8")
    assert camobo("report", "--optuna", "forest.db", "--cost", cost, "--budget", "many").code == 1


def test_the_old_name_of_expensive_is_an_error_that_gives_the_new_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    done = camobo("report", "--optuna", "sqlite:///forest.db", "--dear", "rate=low")
    assert done.code == 2
    assert "--dear" in done.err
    assert "is now --expensive" in done.err
