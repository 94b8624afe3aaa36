from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import camobo as cm
from camobo.cli.begin import example_problem
from camobo.history.problem_file import plan_of_toml
from tests.support.commands import camobo, measured

EVERYTHING = """
[space]
grain = { type = "real", low = 0.1, high = 10, log = true, unit = "mm", expensive = "low" }
gas = { type = "categorical", choices = ["none", "argon", "helium"], expensive = ["helium", "argon"] }
soak = { type = "integer", low = 1, high = 12 }

[objectives]
strength = "max"

[study]
method = "paper"
cost = "grain > gas"
reference = { strength = 250 }
seed = 3
"""


class TestInit:
    def test_what_it_writes_is_the_example_and_new_accepts_it(self, tmp_path: Path) -> None:
        done = camobo("init", tmp_path / "my alloy.toml")
        assert (tmp_path / "my alloy.toml").read_text(encoding="utf-8") == example_problem()
        assert f"camobo new '{tmp_path}/my alloy.toml'" in done.err
        assert camobo("new", tmp_path / "my alloy.toml").code == 0
        assert cm.Study.load(tmp_path / "my alloy.db").budget == 40

    def test_a_dash_prints_it(self) -> None:
        done = camobo("init", "-")
        assert (done.out, done.err) == (example_problem(), "")

    def test_it_does_not_overwrite_a_file_without_force(self, tmp_path: Path) -> None:
        (tmp_path / "a.toml").write_text("mine")
        done = camobo("init", tmp_path / "a.toml")
        assert done.code == 1
        assert "already exists" in done.err
        assert (tmp_path / "a.toml").read_text() == "mine"
        assert camobo("init", tmp_path / "a.toml", "--force").code == 0

    def test_every_option_that_is_switched_off_is_accepted_when_switched_on(self, tmp_path: Path) -> None:
        text = example_problem()
        options = re.findall(r"^#(\w+ *= .*)$", text, flags=re.MULTILINE)
        assert len(options) >= 9
        for option in options:
            key = option.split("=")[0].strip()
            kept = [line for line in text.splitlines() if not line.startswith(f"{key} ")]
            at = kept.index("[objectives]") if "type" in option and key != "cost" else len(kept)
            problem = tmp_path / "problem.toml"
            problem.write_text("\n".join([*kept[:at], option, *kept[at:]]), encoding="utf-8")
            plan_of_toml(problem)

    def test_the_example_fits_an_editor_of_120_columns(self) -> None:
        assert max(map(len, example_problem().splitlines())) <= 120


class TestNew:
    def test_it_shows_how_the_file_was_understood(self, tmp_path: Path) -> None:
        camobo("init", tmp_path / "a.toml")
        dry = camobo("new", tmp_path / "a.toml", "--dry-run")
        assert not (tmp_path / "a.db").exists()
        assert dry.out.endswith("Nothing was written.\n")
        for said in (
            "nickel",
            "0  20  %",
            "steps of 0.1",
            "air, oil, water",
            "maximise",
            "nickel > chromium",
            "40 trials",
        ):
            assert said in dry.out

    def test_it_shows_every_option(self, tmp_path: Path) -> None:
        (tmp_path / "a.toml").write_text(EVERYTHING)
        out = camobo("new", tmp_path / "a.toml").out
        for said in (
            "log scale; low end is expensive", "none, argon, helium; expensive: helium, argon",
            "cost       grain > gas (PaperCost)", "budget     none",
            "seed       3", "method     paper, beta practical", "reference  strength=250",
        ):  # fmt: skip
            assert said in out

    def test_as_json_it_prints_the_problem_and_its_place(self, tmp_path: Path) -> None:
        camobo("init", tmp_path / "a.toml")
        facts = camobo("new", tmp_path / "a.toml", "--json").json
        assert facts["problem"] == json.loads(json.dumps(facts["problem"]))
        assert facts["problem"]["study"]["budget"] == 40
        assert (facts["study"], facts["trials"]) == (str(tmp_path / "a.db"), 0)

    def test_the_study_can_be_stored_elsewhere(self, tmp_path: Path) -> None:
        camobo("init", tmp_path / "a.toml")
        done = camobo("new", tmp_path / "a.toml", "--storage", tmp_path / "my other.db")
        assert (done.code, (tmp_path / "my other.db").exists()) == (0, True)
        assert f"What to try first: camobo ask '{tmp_path}/my other.db'" in done.err

    def test_the_same_problem_continues_its_study_and_another_is_refused(self, tmp_path: Path) -> None:
        study = measured(tmp_path, 1)
        problem = tmp_path / "alloy.toml"
        again = camobo("new", problem)
        assert "continues with 1 trial." in again.out
        assert "What to try next:" in again.err
        problem.write_text(problem.read_text().replace("budget = 40", "budget = 50"))
        done = camobo("new", problem)
        assert done.code == 1
        assert "study.budget: 40 is stored, 50 was given" in done.err
        assert "--storage" in done.err
        assert len(cm.Study.load(study).trials) == 1


@pytest.mark.parametrize("old", ['dear = "low"', 'dear = "high"'])
def test_the_old_name_of_expensive_in_a_problem_file_leads_to_the_new_one(tmp_path: Path, old: str) -> None:
    problem = tmp_path / "a.toml"
    problem.write_text(EVERYTHING.replace('expensive = "low"', old))
    done = camobo("new", problem)
    assert done.code == 1
    assert re.search(r"\[space\] grain: .*\bdear\b.*\bexpensive\b", done.err)
    assert not (tmp_path / "a.db").exists()
