from __future__ import annotations

from pathlib import Path

import pytest

import camobo as cm
from camobo.cli.demo import furnace
from tests.support.commands import alloy, camobo


def test_the_command_line_suggests_what_python_does(tmp_path: Path) -> None:
    study = alloy(tmp_path)
    again = cm.Study.from_toml(tmp_path / "alloy.toml")
    for _ in range(6):
        (shown,) = camobo("ask", study, "--json").json["trials"]
        trial = again.ask()
        assert shown["params"] == dict(trial.params)
        values = furnace(trial.params)
        again.tell(trial, values)
        assert camobo("tell", study, str(trial.number), *(f"{k}={v!r}" for k, v in values.items())).code == 0


def test_the_life_of_trials(tmp_path: Path) -> None:
    study = alloy(tmp_path)
    camobo("ask", study, "-n", "2", "--owner", "anna", "--lease", "2h")
    assert camobo("ask", study, "--owner", "anna", "--json").json["trials"][0]["number"] == 0
    part = camobo("tell", study, "0", "strength=512", "--cost", "3.5", "--note", "one")
    assert "Still missing: corrosion." in part.out
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


class TestAsking:
    def test_the_trials_are_shown_with_units_and_what_to_do_next(self, tmp_path: Path) -> None:
        study = alloy(tmp_path)
        done = camobo("ask", study, "-n", "2")
        assert done.out.split("\n")[0] == "trial  nickel %  chromium %  soak h  quench"
        assert f"Once measured: camobo tell {study} 0 strength=… corrosion=…" in done.err

    def test_who_holds_a_trial_and_until_when_is_shown_if_anybody_does(self, tmp_path: Path) -> None:
        study = alloy(tmp_path)
        assert camobo("ask", study, "--owner", "anna").out.splitlines()[0].endswith("quench  owner  until")

    def test_a_small_space_gives_fewer_trials_than_asked_for_and_says_so(self, tmp_path: Path) -> None:
        cm.Study(cm.Space({"x": cm.Integer(0, 1)}), {"y": "max"}, storage=tmp_path / "x.db").close()
        done = camobo("ask", tmp_path / "x.db", "-n", "5")
        assert done.code == 0
        assert "Only 2 of 5" in done.err

    def test_a_lease_in_bare_numbers_is_in_seconds(self, tmp_path: Path) -> None:
        study = alloy(tmp_path)
        assert camobo("ask", study, "--lease", "0.001").code == 0
        assert camobo("ask", study, "--json").json["trials"][0]["number"] == 0  # it has ended

    def test_a_sheet_says_how_it_is_recorded(self, tmp_path: Path) -> None:
        study = alloy(tmp_path)
        one = camobo("ask", study, "--csv", tmp_path / "one.csv")
        assert one.out == f"{tmp_path}/one.csv: a sheet for trial 0.\n"
        more = camobo("ask", study, "-n", "2", "--csv", tmp_path / "more.csv")
        assert more.out == f"{tmp_path}/more.csv: a sheet for trials 1, 2.\n"
        assert f"Once filled in: camobo tell {study} --csv {tmp_path}/more.csv" in more.err


class TestTelling:
    @pytest.mark.parametrize(
        ("arguments", "said"),
        [
            ([], "need a trial number and its results, or --csv with a sheet"),
            (["0", "strength=1", "--csv", "s.csv"], "need a trial number and its results, or --csv with a sheet"),
            (["--csv", "s.csv", "--cost", "3"], "results, costs and notes come from the sheet"),
        ],
    )
    def test_results_come_from_the_line_or_from_a_sheet(
        self, tmp_path: Path, arguments: list[str], said: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("COLUMNS", "200")
        done = camobo("tell", alloy(tmp_path), *arguments)
        assert done.code == 2
        assert said in done.err

    def test_a_sheet_can_be_recorded_with_json(self, tmp_path: Path) -> None:
        study, sheet = alloy(tmp_path), tmp_path / "s.csv"
        camobo("ask", study, "-n", "2")
        sheet.write_text("trial,strength,corrosion\n0,1,2\n1,,\n")
        assert [t["number"] for t in camobo("tell", study, "--csv", sheet, "--json").json["trials"]] == [0]
        assert camobo("tell", study, "--csv", sheet, "--json").json == {"trials": [], "told_before": 1}

    def test_a_name_that_starts_with_a_dash_comes_after_two(self, tmp_path: Path) -> None:
        space, place = cm.Space({"x": cm.Real(0, 1)}), tmp_path / "x.db"
        cm.Study(space, {"-ni": "max", "salt spray": "min"}, storage=place).close()
        assert "0 -- -ni=… 'salt spray'=…" in camobo("ask", place).err
        refused = camobo("tell", place, "0", "-ni=3")
        assert refused.code == 2
        assert f"comes after --: camobo tell {place} 0 -- -ni=3" in refused.err
        assert camobo("tell", place, "0", "--", "-ni=\N{MINUS SIGN}3").code == 0
        assert camobo("amend", place, "0", "-ni=3", "-r", "sign").code == 2
        assert camobo("amend", place, "0", "-r", "sign", "--", "-ni=4").code == 0
        assert cm.Study.load(place).trials[0].values == {"-ni": 4.0}


class TestSettling:
    def test_several_trials_fail_or_are_released_together_or_not_at_all(self, tmp_path: Path) -> None:
        study = alloy(tmp_path)
        camobo("ask", study, "-n", "3")
        assert camobo("fail", study, "0", "1", "1", "-r", "power cut").code == 0
        assert camobo("release", study, "2", "0").code == 1
        assert [str(t.state) for t in cm.Study.load(study).trials] == ["failed", "failed", "pending"]

    @pytest.mark.parametrize("command", [["fail", "-r", "cracked"], ["release"]], ids=lambda command: command[0])
    def test_each_trial_is_shown(self, tmp_path: Path, command: list[str]) -> None:
        study = alloy(tmp_path)
        camobo("ask", study, "-n", "2")
        done = camobo(command[0], study, "0", "1", *command[1:])
        assert [line.split(":")[0] for line in done.out.splitlines()] == ["trial 0", "trial 1"]

    def test_an_amendment_is_shown_and_needs_results_or_a_withdrawal(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("COLUMNS", "200")
        study = alloy(tmp_path)
        camobo("ask", study)
        camobo("tell", study, "0", "strength=1", "corrosion=2")
        assert "strength=3, corrosion=2" in camobo("amend", study, "0", "strength=3", "-r", "scale").out
        for more in ([], ["strength=4", "--withdraw"]):
            done = camobo("amend", study, "0", "-r", "scale", *more)
            assert done.code == 2
            assert "need corrected results such as strength=498, or --withdraw" in done.err
