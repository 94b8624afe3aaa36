from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

import camobo as cm
from camobo.cli.demo import furnace
from camobo.cli.facts import status_facts
from camobo.document import plan_of_toml
from commands import alloy, apart, camobo


def told(folder: Path, count: int = 6) -> Path:
    study = alloy(folder)
    opened = cm.Study.load(study)
    for _ in range(count):
        trial = opened.ask()
        opened.tell(trial, furnace(trial.params))
    return study


class TestBeginning:
    def test_what_init_writes_new_accepts(self, tmp_path: Path) -> None:
        study = alloy(tmp_path)
        assert cm.Study.load(study).budget == 40

    def test_every_line_that_init_comments_out_is_accepted_too(self, tmp_path: Path) -> None:
        text = camobo("init", "-").out
        options = re.findall(r"^#(\w+ *= .*)$", text, flags=re.MULTILINE)
        assert len(options) >= 7
        for option in options:
            key = option.split("=")[0].strip()
            kept = [line for line in text.splitlines() if not line.startswith(f"{key} ")]
            at = kept.index("[objectives]") if "type" in option and key != "cost" else len(kept)
            problem = tmp_path / "problem.toml"
            problem.write_text("\n".join([*kept[:at], option, *kept[at:]]), encoding="utf-8")
            plan_of_toml(problem)

    def test_init_does_not_write_over_a_file(self, tmp_path: Path) -> None:
        (tmp_path / "a.toml").write_text("mine")
        assert camobo("init", tmp_path / "a.toml").code == 1
        assert (tmp_path / "a.toml").read_text() == "mine"
        assert camobo("init", tmp_path / "a.toml", "--force").code == 0

    def test_new_shows_what_it_understood(self, tmp_path: Path) -> None:
        camobo("init", tmp_path / "a.toml")
        dry = camobo("new", tmp_path / "a.toml", "--dry-run")
        assert not (tmp_path / "a.db").exists()
        for said in ("nickel", "0  20  %", "air, oil, water", "maximum", "nickel > chromium", "40 evaluations"):
            assert said in dry.out
        facts = camobo("new", tmp_path / "a.toml", "--json").json
        assert facts["problem"] == json.loads(json.dumps(facts["problem"]))
        assert facts["study"] == str(tmp_path / "a.db")
        assert camobo("new", tmp_path / "a.toml", "--storage", tmp_path / "my other.db").code == 0
        assert (tmp_path / "my other.db").exists()

    def test_another_problem_does_not_take_a_study_s_place(self, tmp_path: Path) -> None:
        study = told(tmp_path, 1)
        problem = tmp_path / "alloy.toml"
        assert "goes on with 1 trial." in camobo("new", problem).out
        problem.write_text(problem.read_text().replace("budget = 40", "budget = 50"))
        done = camobo("new", problem)
        assert done.code == 1
        assert "study.budget: 40 is stored, 50 was given" in done.err
        assert "--storage" in done.err
        assert len(cm.Study.load(study).trials) == 1

    def test_a_problem_file_in_a_study_s_place_is_explained(self, tmp_path: Path) -> None:
        alloy(tmp_path)
        assert "its study is" in camobo("ask", tmp_path / "alloy.toml").err


class TestTrials:
    def test_the_command_line_suggests_what_python_does(self, tmp_path: Path) -> None:
        study = alloy(tmp_path)
        again = cm.Study.from_toml(tmp_path / "alloy.toml")
        for _ in range(6):
            (shown,) = camobo("ask", study, "--json").json["trials"]
            trial = again.ask()
            assert shown["params"] == dict(trial.params)
            values = furnace(trial.params)
            again.tell(trial, values)
            assert camobo("tell", study, str(trial.number), *(f"{k}={v!r}" for k, v in values.items())).code == 0

    def test_a_life_of_a_trial(self, tmp_path: Path) -> None:
        study = alloy(tmp_path)
        camobo("ask", study, "-n", "2", "--owner", "anna", "--lease", "2h")
        assert camobo("ask", study, "--owner", "anna", "--json").json["trials"][0]["number"] == 0
        part = camobo("tell", study, "0", "strength=512", "--cost", "3.5", "--note", "one")
        assert "Still to come: corrosion." in part.out
        camobo("tell", study, "0", "corrosion=0.3")
        camobo("amend", study, "0", "strength=500", "-r", "scale")
        camobo("fail", study, "1", "-r", "cracked")
        camobo("ask", study)
        assert camobo("release", study, "2", "--json").json["trials"][0]["state"] == "released"
        assert camobo("ask", study, "--json").json["trials"][0]["number"] == 2
        assert camobo("amend", study, "0", "--withdraw", "-r", "wrong sample").code == 0
        first, second, third = cm.Study.load(study).trials
        assert (first.state, first.cost, first.note, first.reason) == (cm.State.FAILED, 3.5, "one", "wrong sample")
        assert (second.state, second.reason) == (cm.State.FAILED, "cracked")
        assert third.state is cm.State.PENDING

    def test_several_fail_together_or_not_at_all(self, tmp_path: Path) -> None:
        study = alloy(tmp_path)
        camobo("ask", study, "-n", "3")
        assert camobo("fail", study, "0", "1", "1", "-r", "power cut").code == 0
        assert camobo("release", study, "2", "0").code == 1
        assert [str(t.state) for t in cm.Study.load(study).trials] == ["failed", "failed", "pending"]


TRIAL = {
    "number",
    "state",
    "params",
    "values",
    "cost",
    "note",
    "reason",
    "owner",
    "expires",
    "added",
    "amended",
    "chosen",
}
DOCUMENTED: dict[str, tuple[list[str], set[str]]] = {
    "new": (["--dry-run"], {"study", "problem", "trials"}),
    "ask": ([], {"trials"}),
    "tell": (["6", "strength=1"], {"trials", "told_before"}),
    "amend": (["0", "strength=1", "-r", "r"], {"trials"}),
    "fail": (["6", "-r", "r"], {"trials"}),
    "release": (["6"], {"trials"}),
    "status": ([], {"study", "objectives", "order", "budget", "evaluated", "added", "trials", "spent", "costs_told",
                    "hypervolume", "reference", "front", "inputs", "comparisons", "open"}),
    "front": ([], {"objectives", "hypervolume", "trials"}),
    "explain": (["5"], {"trial", "predictions", "promise", "cost", "without_cost"}),
    "log": ([], {"events"}),
    "import": ([], {"trials", "there_before", "without_results", "in_part"}),
    "run": (["-n", "1", "--", "echo", '{{"strength": 1, "corrosion": 2}}'],
            {"study", "evaluated", "failed", "hypervolume", "front"}),
}  # fmt: skip


class TestJson:
    @pytest.mark.parametrize("name", DOCUMENTED)
    def test_the_keys_are_those_the_reference_lists(self, tmp_path: Path, name: str) -> None:
        study = told(tmp_path)
        camobo("ask", study)
        arguments, keys = DOCUMENTED[name]
        if name == "import":
            camobo("export", study, "-o", tmp_path / "e.csv")
            arguments = [str(tmp_path / "e.csv")]
        place = tmp_path / "alloy.toml" if name == "new" else study
        head, dash, command = arguments, [], []
        if "--" in arguments:
            at = arguments.index("--")
            head, dash, command = arguments[:at], ["--"], arguments[at + 1 :]
        facts = camobo(name, place, *head, "--json", *dash, *command).json
        assert set(facts) == keys
        for trial in facts["trials"] if isinstance(facts.get("trials"), list) else []:
            assert set(trial) == TRIAL
        reference = (Path(__file__).parent.parent / "docs" / "command-line.md").read_text(encoding="utf-8")
        assert all(f"`{key}`" in reference for key in keys | TRIAL)

    def test_numbers_are_numbers(self, tmp_path: Path) -> None:
        study = told(tmp_path)
        facts: Any = camobo("front", study, "--json").json
        trial = facts["trials"][0]
        assert isinstance(trial["params"]["nickel"], float)
        assert isinstance(trial["params"]["soak"], int)
        assert all(isinstance(value, float) for value in trial["values"].values())
        assert [t["number"] for t in facts["trials"]] == [t.number for t in cm.Study.load(study).front()]


class TestLooking:
    def test_status_tells_spend_use_and_whether_the_order_was_kept(self, tmp_path: Path) -> None:
        study = told(tmp_path)
        opened = cm.Study.load(study)
        opened.tell(opened.ask(), {"strength": 1.0, "corrosion": 2.0}, cost=2.5)
        opened.add(
            {"nickel": 20.0, "chromium": 0.0, "soak": 1, "quench": "air"}, {"strength": 1, "corrosion": 2}, cost=1
        )
        facts = camobo("status", study, "--json").json
        assert (facts["spent"], facts["costs_told"], facts["evaluated"], facts["added"]) == (3.5, 2, 7, 1)
        assert facts["hypervolume"] == opened.hypervolume()
        assert facts["inputs"]["nickel"]["used"] == opened.usage()["nickel"]
        suggested = [trial for trial in opened.trials if not trial.added]
        share = sum(trial.params["nickel"] for trial in suggested) / 20 / len(suggested)
        assert facts["inputs"]["nickel"]["level"] == pytest.approx(share)
        (said,) = facts["comparisons"]
        assert (said["dearer"], said["cheaper"], said["kept"]) == (["nickel"], ["chromium"], True)
        text = camobo("status", study).out
        assert "nickel > chromium: kept" in text
        assert "7 of 40 planned" in text

    def test_status_tells_choices_apart_that_are_written_alike(self, tmp_path: Path) -> None:
        study = cm.Study(
            cm.Space({"c": cm.Categorical([1, "1", True])}), {"y": "max"}, storage=tmp_path / "a.db", seed=1
        )
        for choice in (1, "1", "1"):
            study.add({"c": choice}, {"y": 1.0})
        used = status_facts(study)["inputs"]["c"]["used"]
        assert used == {"1": 1, "'1'": 2, "True": 0}
        other = cm.Study(cm.Space({"c": cm.Categorical([1, "1"])}), {"y": "max"}, seed=1)
        other.add({"c": "1"}, {"y": 1.0})
        assert status_facts(other)["inputs"]["c"]["used"] == {"1": 0, "'1'": 1}

    def test_a_study_without_trials_cost_or_budget_has_a_status(self, tmp_path: Path) -> None:
        study = cm.Study(cm.Space({"x": cm.Real(0, 1)}), {"y": "max"}, storage=tmp_path / "a.db")
        for command in ("status", "log", "export"):
            assert camobo(command, tmp_path / "a.db").code == 0
        done = camobo("front", tmp_path / "a.db")
        assert (done.code, done.out) == (0, "")
        assert study.trials == ()

    def test_the_front_can_be_sorted_by_what_matters(self, tmp_path: Path) -> None:
        study = told(tmp_path, 8)
        best = [
            t["values"]["corrosion"] for t in camobo("front", study, "--sort", "corrosion", "--json").json["trials"]
        ]
        assert best == sorted(best)
        best = [t["values"]["strength"] for t in camobo("front", study, "--sort", "strength", "--json").json["trials"]]
        assert best == sorted(best, reverse=True)

    def test_the_log_shows_what_a_correction_replaced(self, tmp_path: Path) -> None:
        study = told(tmp_path, 2)
        was = (cm.Study.load(study).trials[1].values or {})["strength"]
        camobo("amend", study, "1", "strength=1", "-r", "scale")
        last = camobo("log", study, "--trial", "1", "-n", "1", "--json").json["events"]
        assert [(e["kind"], e["old"]["values"]["strength"], e["new"]["reason"]) for e in last] == [
            ("amended", was, "scale")
        ]

    def test_explain_says_what_was_expected(self, tmp_path: Path) -> None:
        study = told(tmp_path, 12)
        facts = camobo("explain", study, "11", "--json").json
        assert set(facts["predictions"]) == {"strength", "corrosion"}
        assert facts["predictions"]["strength"]["measured"] == facts["trial"]["values"]["strength"]
        assert "expected" in camobo("explain", study, "11").out

    def test_a_study_that_may_only_be_read_can_be_read(self, tmp_path: Path) -> None:
        import os

        study = told(tmp_path, 2)
        if os.geteuid() == 0:
            pytest.skip("root may write everywhere")
        study.chmod(0o444)
        assert camobo("status", study).code == 0
        assert camobo("ask", study).code == 1

    def test_a_note_cannot_repaint_a_terminal(self, tmp_path: Path) -> None:
        study = alloy(tmp_path)
        camobo("ask", study, "--owner", "an\x1b[31mna")
        camobo("tell", study, "0", "strength=1", "--note", "\x1b]0;title\x07[bold]")
        for command in ("log", "status"):
            shown = camobo(command, study).out
            assert "\x1b" not in shown
            assert "\x07" not in shown
        assert "[bold]" in camobo("log", study).out


def test_a_report_is_written_and_brought_up_to_date(tmp_path: Path) -> None:
    pytest.importorskip("plotly")
    pytest.importorskip("camobo.report")
    study = told(tmp_path, 4)
    for _ in range(2):
        done = camobo("report", study)
        assert (done.code, done.err) == (0, "")
    assert (tmp_path / "alloy.html").read_text(encoding="utf-8").lower().startswith("<!doctype html")
    assert camobo("report", study, "-o", study).code == 1
    assert camobo("report", study, "-o", tmp_path / "x.html", "--trial", "99").code == 1
    assert camobo("report", study, "-o", tmp_path / "no" / "x.html").code == 1
    assert camobo("report", "postgresql://server/alloy").code == 1


def test_the_demo_runs_to_the_end_and_can_be_kept(tmp_path: Path) -> None:
    done = apart("demo", "--keep", tmp_path / "demo.db", "--json")
    assert done.code == 0
    compared = done.json["compared"]
    assert compared["aware"]["nickel"] < 0.8 * compared["blind"]["nickel"]
    assert len(cm.Study.load(tmp_path / "demo.db").trials) == 40
    assert camobo("demo", "--keep", tmp_path / "demo.db").code == 1


def test_numbers_too_large_to_compute_with_are_null_in_json_and_words_elsewhere(tmp_path: Path) -> None:
    space = cm.Space({"a": cm.Real(0, 1.7e308)})
    study = cm.Study(space, {"y": "max", "z": "min"}, storage=tmp_path / "x.db")
    for y, z in ((1e308, -1e308), (-1e308, 1e308)):
        study.add({"a": 1.7e308}, {"y": y, "z": z}, cost=1e308)
    told = camobo("status", tmp_path / "x.db")
    assert (told.code, told.err) == (0, "")
    assert told.out.count("too large to compute") == 4  # spent, hypervolume, use and mean of the input
    facts = camobo("status", tmp_path / "x.db", "--json").json
    assert (facts["hypervolume"], facts["spent"], facts["inputs"]["a"]["used"]) == (None, None, None)
    assert camobo("front", tmp_path / "x.db", "--json").json["hypervolume"] is None


def test_a_name_that_begins_with_a_dash_is_told_after_two(tmp_path: Path) -> None:
    space = cm.Space({"x": cm.Real(0, 1)})
    cm.Study(space, {"-ni": "max", "salt spray": "min"}, storage=tmp_path / "x.db")
    assert "tell" in (hint := camobo("ask", tmp_path / "x.db").err)
    assert "0 -- -ni=… 'salt spray'=…" in hint
    refused = camobo("tell", tmp_path / "x.db", "0", "-ni=3")
    assert refused.code == 2
    assert f"comes after --: camobo tell {tmp_path / 'x.db'} 0 -- -ni=3" in refused.err
    assert camobo("tell", tmp_path / "x.db", "0", "--", "-ni=\N{MINUS SIGN}3").code == 0
    assert camobo("amend", tmp_path / "x.db", "0", "-ni=3", "-r", "sign").code == 2
    assert camobo("amend", tmp_path / "x.db", "0", "-r", "sign", "--", "-ni=4").code == 0
    (tmp_path / "s.csv").write_text("trial,-ni\n0,5\n")
    assert "--reason … -- -ni=5.0" in camobo("tell", tmp_path / "x.db", "--csv", tmp_path / "s.csv").err
    assert cm.Study.load(tmp_path / "x.db").trials[0].values == {"-ni": 4.0}
