from __future__ import annotations

import os
import re
import time
from pathlib import Path

import pytest

import camobo as cm
from camobo.insight.record import record_of
from camobo.insight.status import status
from tests.support.commands import alloy, camobo, measured


def priced(folder: Path) -> cm.Study:
    """A study with prices and a budget of 1000 EUR."""
    return cm.Study(
        cm.Space({"nickel": cm.Real(0, 20, step=0.1, unit="%")}),
        {"strength": "max"},
        cost=cm.Prices({"nickel": 10}, per_trial=12),
        budget=cm.Budget(cost=1000, unit="EUR"),
        storage=folder / "a.db",
        seed=1,
    )


class TestStatus:
    def test_it_shows_spending_and_use(self, tmp_path: Path) -> None:
        study = measured(tmp_path)
        opened = cm.Study.load(study)
        opened.tell(opened.ask(), {"strength": 1.0, "corrosion": 2.0}, cost=2.5)
        opened.add(
            {"nickel": 20.0, "chromium": 0.0, "soak": 1, "quench": "air"}, {"strength": 1, "corrosion": 2}, cost=1
        )
        facts = camobo("status", study, "--json").json
        assert (facts["costs_told"], facts["evaluated"], facts["added"]) == (2, 7, 1)
        assert facts["money"]["spent"] == opened.spent()
        assert facts["hypervolume"] == opened.hypervolume()
        assert facts["inputs"]["nickel"]["used"] == opened.usage()["nickel"]
        suggested = [trial for trial in opened.trials if not trial.added]
        share = sum(trial.params["nickel"] for trial in suggested) / 20 / len(suggested)
        assert facts["inputs"]["nickel"]["level"] == pytest.approx(share)
        text = camobo("status", study).out
        for line in (
            "cost         nickel > chromium",
            "budget       40 trials",
            "evaluated    7 of 40 planned",
            "trials       8 complete, 1 of them added by hand",
            ", recorded for 2 trials",
            "Levels do not include the 1 trial added by hand.",
        ):
            assert line in text

    def test_money_is_spent_expected_reserved_and_left(self, tmp_path: Path) -> None:
        opened = priced(tmp_path)
        first, second, third = opened.ask(3)
        opened.tell(first, {"strength": 1}, cost=40)
        opened.tell(second, {"strength": 2})
        facts = camobo("status", tmp_path / "a.db", "--json").json["money"]
        own = [12 + 10 * trial.params["nickel"] for trial in (second, third)]
        assert facts == {
            "unit": "EUR", "spent": pytest.approx(40 + own[0]), "estimated": pytest.approx(own[0]),
            "reserved": pytest.approx(own[1]), "remaining": pytest.approx(960 - sum(own)),
        }  # fmt: skip
        out = camobo("status", tmp_path / "a.db").out
        assert re.search(
            r"^budget       1000 EUR\nevaluated    2\n.*\n"
            r"spent        [\d.]+ of 1000 EUR, recorded for 1 trial, [\d.]+ EUR of it expected\n"
            r"reserved     [\d.]+ EUR, expected for open trials\nremaining    [\d.]+ EUR\n",
            out,
            re.MULTILINE,
        )

    def test_a_budget_in_money_before_any_amount_is_known_says_how_to_record_one(self, tmp_path: Path) -> None:
        space, budget = cm.Space({"x": cm.Real(0, 1)}), cm.Budget(trials=9, cost=500, unit="EUR")
        cm.Study(space, {"y": "max"}, cost="x", thrift=2, budget=budget, storage=tmp_path / "a.db").close()
        out = camobo("status", tmp_path / "a.db").out
        assert "cost         x, thrift 2\n" in out
        assert "evaluated    0 of 9 planned" in out
        assert "spent        nothing recorded, of 500 EUR; record costs with camobo tell --cost" in out

    def test_receipts_that_contradict_the_order_are_shown(self, tmp_path: Path) -> None:
        space = cm.Space({"a": cm.Real(0, 1), "b": cm.Real(0, 1)})
        with cm.Study(space, {"y": "max"}, cost="a > b", storage=tmp_path / "a.db", seed=1) as study:
            for i in range(16):
                a, b = (i % 4) / 3, (i // 4) / 3
                study.add({"a": a, "b": b}, {"y": i}, cost=5 + a + 9 * b)
        assert (
            "Receipts say that b costs more than a, the order says less.\n" in camobo("status", tmp_path / "a.db").out
        )

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

    def test_what_a_trial_cost_is_shown_or_what_it_is_expected_to_have_cost(self, tmp_path: Path) -> None:
        study = priced(tmp_path)
        study.add({"nickel": 2.0}, {"strength": 7})
        assert camobo("front", tmp_path / "a.db").out.splitlines()[0].endswith("strength (max)  cost EUR")
        assert camobo("front", tmp_path / "a.db").out.splitlines()[1].endswith("7      ≈ 32")
        study.amend(0, cost=31.25, reason="invoice")
        assert camobo("front", tmp_path / "a.db").out.splitlines()[1].endswith("7     31.25")
        study.change(cost="nickel")
        assert camobo("front", tmp_path / "a.db").out.splitlines()[1].endswith("31.25")

    def test_as_long_as_only_an_order_is_known_there_is_no_cost_to_show(self, tmp_path: Path) -> None:
        assert "cost" not in camobo("front", measured(tmp_path)).out


class TestLog:
    def test_a_change_of_the_plan_is_in_words(self, tmp_path: Path) -> None:
        study = alloy(tmp_path)
        camobo("set", study, "--budget", "60, 2000 EUR", "--cost", "none")
        camobo("set", study, "--formula", "2*nickel + 1", "--thrift", "0.5")
        first, second = (" ".join(line.split()) for line in camobo("log", study).out.splitlines()[-2:])
        assert "set budget: 60 trials, 2000 EUR; cost: none budget: 40 trials; cost: nickel > chromium" in first
        assert "set cost: 2*nickel + 1; thrift: 0.5 cost: none; thrift: 1" in second

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


def test_what_came_too_late_is_shown_with_who_told_it_and_its_cost_is_spent(tmp_path: Path) -> None:
    study = priced(tmp_path)
    mine = study.ask(owner="anna", lease=0.05)
    time.sleep(0.1)
    study.ask(owner="ben")
    with pytest.raises(cm.TrialStateError, match="late result"):
        study.tell(mine, {"strength": 512.0}, cost=41.5, note="furnace B")
    study.close()
    status = camobo("status", tmp_path / "a.db")
    assert "\nlate         1 result that came too late to count, of 1 trial: 0\n" in status.out
    assert "spent        41.5 of 1000 EUR" in status.out
    (late,) = camobo("status", tmp_path / "a.db", "--json").json["late"]
    reference = (Path(__file__).parents[2] / "docs" / "command-line.md").read_text(encoding="utf-8")
    assert all(f"`{key}`" in reference for key in late)
    assert (late["trial"], late["values"], late["cost"], late["who"]) == (0, {"strength": 512.0}, 41.5, "anna")
    last = " ".join(camobo("log", tmp_path / "a.db").out.splitlines()[-1].split())
    assert last.endswith("anna late 0 strength=512, cost: 41.5, note: furnace B")
    explained = camobo("explain", tmp_path / "a.db", "0").out.splitlines()[-1]
    assert re.fullmatch(r"  came too late to count: strength=512, cost 41\.5, by anna, \S+ \S+, furnace B", explained)
    assert camobo("tell", tmp_path / "a.db", "0", "strength=512").code == 0, "by its number it counts"
    assert "spent        41.5 of 1000 EUR" in camobo("status", tmp_path / "a.db").out, "and is paid once"


def test_explain_shows_what_was_expected(tmp_path: Path) -> None:
    study = measured(tmp_path, 12)
    facts = camobo("explain", study, "11", "--json").json
    assert set(facts["predictions"]) == {"strength", "corrosion"}
    assert facts["predictions"]["strength"]["measured"] == facts["trial"]["values"]["strength"]
    assert "expected" in camobo("explain", study, "11").out
