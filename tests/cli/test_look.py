from __future__ import annotations

import os
from pathlib import Path

import pytest

import camobo as cm
from camobo.insight.record import record_of
from camobo.insight.status import status
from tests.support.commands import alloy, camobo, measured


class TestStatus:
    def test_it_shows_spending_use_and_whether_the_order_was_kept(self, tmp_path: Path) -> None:
        study = measured(tmp_path)
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
        assert (said["more_expensive"], said["cheaper"], said["kept"]) == (["nickel"], ["chromium"], True)
        text = camobo("status", study).out
        for line in (
            "evaluated    7 of 40 planned",
            "trials       8 complete, 1 of them added by hand",
            "spent        3.5, recorded for 2 trials",
            "use of inputs, cost order nickel > chromium",
            "Levels do not include the 1 trial added by hand.",
            "nickel > chromium: kept, ",
        ):
            assert line in text

    def test_it_tells_choices_apart_that_are_written_alike(self, tmp_path: Path) -> None:
        study = cm.Study(
            cm.Space({"c": cm.Categorical([1, "1", True])}), {"y": "max"}, storage=tmp_path / "a.db", seed=1
        )
        for choice in (1, "1", "1"):
            study.add({"c": choice}, {"y": 1.0})
        used = status(record_of(study))["inputs"]["c"]["used"]
        assert used == {"1": 1, "'1'": 2, "True": 0}
        assert "1=1, '1'=2, True=0" in camobo("status", tmp_path / "a.db").out
        other = cm.Study(cm.Space({"c": cm.Categorical([1, "1"])}), {"y": "max"}, seed=1)
        other.add({"c": "1"}, {"y": 1.0})
        assert status(record_of(other))["inputs"]["c"]["used"] == {"1": 0, "'1'": 1}

    def test_long_lists_are_shortened(self, tmp_path: Path) -> None:
        space, place = cm.Space({"x": cm.Real(0, 1)}), tmp_path / "x.db"
        with cm.Study(space, {"y": "max", "z": "min"}, storage=place, reference={"y": 0, "z": 20}, seed=1) as study:
            for i in range(13):
                study.add({"x": i / 13}, {"y": float(i), "z": float(i)})
            with study.together():
                study.ask(21)
        out = camobo("status", place).out
        assert "front        13 trials: 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, …" in out
        assert "against y=0, z=20" in out
        assert "open trials, the first 20 of 21" in out
        assert len(out.partition("open trials")[2].splitlines()) == 2 + 20

    def test_open_trials_show_their_owner_and_results_so_far(self, tmp_path: Path) -> None:
        study = alloy(tmp_path)
        camobo("ask", study, "--owner", "anna", "--lease", "2h")
        camobo("tell", study, "0", "strength=5")
        head, row = camobo("status", study).out.splitlines()[-2:]
        assert head.split() == ["trial", "state", "owner", "until", "inputs", "results", "so", "far"]
        assert row.split()[:3] == ["0", "pending", "anna"]
        assert row.endswith("strength=5")

    def test_a_study_without_trials_cost_or_budget_has_one(self, tmp_path: Path) -> None:
        study = cm.Study(cm.Space({"x": cm.Real(0, 1)}), {"y": "max"}, storage=tmp_path / "a.db")
        for command in ("status", "log", "export"):
            assert camobo(command, tmp_path / "a.db").code == 0
        assert "trials       none yet" in camobo("status", tmp_path / "a.db").out
        done = camobo("front", tmp_path / "a.db")
        assert (done.code, done.out) == (0, "")
        assert "No front yet" in done.err
        assert study.trials == ()

    @pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
    def test_a_study_that_may_only_be_read_can_be_read(self, tmp_path: Path) -> None:
        study = measured(tmp_path, 2)
        study.chmod(0o444)
        assert camobo("status", study).code == 0
        assert camobo("ask", study).code == 1


class TestFront:
    @pytest.mark.parametrize(("name", "descending"), [("corrosion", False), ("strength", True)])
    def test_it_can_be_sorted_by_an_objective_best_first(self, tmp_path: Path, name: str, descending: bool) -> None:
        study = measured(tmp_path, 12)
        best = [t["values"][name] for t in camobo("front", study, "--sort", name, "--json").json["trials"]]
        assert len(best) > 1
        assert best == sorted(best, reverse=descending)

    def test_an_unknown_objective_is_named_with_the_one_that_was_meant(self, tmp_path: Path) -> None:
        done = camobo("front", measured(tmp_path), "--sort", "strenght")
        assert done.code == 1
        assert "--sort: unknown objective 'strenght'. Did you mean 'strength'? This study measures" in done.err

    def test_it_shows_inputs_with_units_and_objectives_with_goals(self, tmp_path: Path) -> None:
        first = camobo("front", measured(tmp_path)).out.splitlines()[0]
        assert " ".join(first.split()) == "trial nickel % chromium % soak h quench strength (max) corrosion (min)"


class TestLog:
    def test_a_trial_the_study_does_not_have_is_refused_with_those_it_has(self, tmp_path: Path) -> None:
        done = camobo("log", measured(tmp_path), "--trial", "99")
        assert done.code == 1
        assert "trial 99: this study has trials 0 to " in done.err

    def test_it_shows_what_a_correction_replaced(self, tmp_path: Path) -> None:
        study = measured(tmp_path)
        was = (cm.Study.load(study).trials[1].values or {})["strength"]
        camobo("amend", study, "1", "strength=1", "-r", "scale")
        last = camobo("log", study, "--trial", "1", "-n", "1", "--json").json["events"]
        assert [(e["kind"], e["old"]["values"]["strength"], e["new"]["reason"]) for e in last] == [
            ("amended", was, "scale")
        ]
        line = camobo("log", study, "-n", "1").out.splitlines()[-1]
        assert "strength=1, reason: scale" in line
        assert f"strength={was:g}" in line

    def test_leases_are_shown_in_local_time_and_notes_on_choosing_are_not(self, tmp_path: Path) -> None:
        study = alloy(tmp_path)
        camobo("ask", study, "--owner", "anna", "--lease", "2h")
        out = camobo("log", study).out
        assert "owner: anna, expires: 20" in out
        assert "initial" not in out


def test_explain_shows_what_was_expected(tmp_path: Path) -> None:
    study = measured(tmp_path, 12)
    facts = camobo("explain", study, "11", "--json").json
    assert set(facts["predictions"]) == {"strength", "corrosion"}
    assert facts["predictions"]["strength"]["measured"] == facts["trial"]["values"]["strength"]
    assert "expected" in camobo("explain", study, "11").out
