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
        assert f"Once filled in: camobo tell {study} --sheet {tmp_path}/more.csv" in more.err

    def test_what_a_trial_is_expected_to_cost_is_shown_if_amounts_are_known(self, tmp_path: Path) -> None:
        cost, budget = cm.Prices({"x": 10}, per_trial=12), cm.Budget(cost=100, unit="EUR")
        place = tmp_path / "a.db"
        cm.Study(
            cm.Space({"x": cm.Integer(1, 3)}), {"y": "max"}, cost=cost, budget=budget, storage=place, seed=1
        ).close()
        head, row = (line.split() for line in camobo("ask", place).out.splitlines())
        assert head == ["trial", "x", "expected", "EUR"]
        assert float(row[2]) == 12 + 10 * float(row[1])

    def test_a_budget_in_money_gives_fewer_trials_and_then_none_with_the_command_that_raises_it(
        self, tmp_path: Path
    ) -> None:
        space, place = cm.Space({"x": cm.Real(0, 3)}), tmp_path / "a.db"
        budget = cm.Budget(cost=40, unit="EUR")
        cm.Study(
            space, {"y": "max"}, cost=cm.Prices({"x": 1}, per_trial=12), budget=budget, storage=place, seed=1
        ).close()
        some = camobo("ask", place, "-n", "9")
        assert some.code == 0
        assert " of 9: what is left of the budget of 40 EUR pays for no more.\n" in some.err
        before = cm.Study.load(place).log()
        for more in ([], ["--csv", str(tmp_path / "s.csv")]):
            done = camobo("ask", place, *more)
            assert (done.code, done.out) == (1, "")
            assert "the cheapest trial left costs about 12 EUR" in done.err
            assert f"To go on, raise it: camobo set {place} --budget …" in done.err
        assert not (tmp_path / "s.csv").exists()
        assert cm.Study.load(place).log() == before
        camobo("set", place, "--budget", "60 EUR")
        assert camobo("ask", place).code == 0


class TestTelling:
    def test_partial_receipts_add_up_and_say_so(self, tmp_path: Path) -> None:
        study = alloy(tmp_path)
        camobo("ask", study)
        part = camobo("tell", study, "0", "strength=1", "--cost", "20").out
        assert part.endswith("-> strength=1 (pending); cost 20. Still missing: corrosion.\n")
        whole = camobo("tell", study, "0", "corrosion=1", "--cost", "5").out
        assert whole.endswith("corrosion=1; cost 25 in all, 20 of it told before\n")
        assert cm.Study.load(study).trials[0].cost == 25.0

    def test_bills_and_remarks_come_before_and_after_the_results(self, tmp_path: Path) -> None:
        study = alloy(tmp_path)
        camobo("ask", study)
        before = camobo("tell", study, "0", "--cost", "20").out
        assert before.endswith("(pending); cost 20. Still missing: strength, corrosion.\n")
        camobo("tell", study, "0", "strength=1", "corrosion=2")
        after = camobo("tell", study, "0", "--cost", "5", "--note", "invoice 7").out
        assert after.endswith("corrosion=2; cost 25 in all, 20 of it told before\n")
        assert cm.Study.load(study).trials[0].note == "invoice 7"

    def test_nothing_to_record_is_refused(self, tmp_path: Path) -> None:
        study = alloy(tmp_path)
        camobo("ask", study)
        done = camobo("tell", study, "0")
        assert done.code == 1
        assert "need a result, such as strength=0.31, or --cost or --note" in done.err

    @pytest.mark.parametrize(
        ("arguments", "said"),
        [
            ([], "need a trial number and its results, or --sheet with a file"),
            (["0", "strength=1", "--csv", "s.csv"], "need a trial number and its results, or --sheet with a file"),
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


class TestMoney:
    def test_a_receipt_that_ends_the_budget_is_taken_and_said(self, tmp_path: Path) -> None:
        problem, study = tmp_path / "a.toml", str(tmp_path / "a.db")
        problem.write_text(
            '[space]\na = { type = "real", low = 0, high = 2 }\n[objectives]\ny = "max"\n[study]\ncost = "a"\n'
            'budget = { cost = 1000, unit = "EUR" }\nseed = 1\n'
        )
        camobo("new", str(problem))
        camobo("ask", study, "-n", "2")
        enough = camobo("tell", study, "0", "y=3", "--cost", "40")
        assert "nothing is left" not in enough.err
        late = camobo("tell", study, "1", "y=3", "--cost", "2000")
        assert late.out.endswith("cost 2000 EUR\n")
        assert "2040 EUR are spent or reserved: nothing is left for a trial." in late.err


class TestSettling:
    def test_a_failed_trial_may_have_cost_something(self, tmp_path: Path) -> None:
        study = alloy(tmp_path)
        camobo("ask", study)
        camobo("tell", study, "0", "strength=1", "--cost", "20")
        done = camobo("fail", study, "0", "-r", "cracked", "--cost", "5")
        assert done.out.endswith("(failed: cracked); cost 25 in all, 20 of it told before\n")
        assert camobo("fail", study, "0", "-r", "cracked").code == 1

    def test_a_cost_can_be_corrected_alone_or_with_a_result(self, tmp_path: Path) -> None:
        study = alloy(tmp_path)
        camobo("ask", study)
        camobo("tell", study, "0", "strength=1", "corrosion=2", "--cost", "20")
        alone = camobo("amend", study, "0", "--cost", "44", "-r", "invoice")
        assert alone.out.endswith("strength=1, corrosion=2; cost 44, before 20\n")
        both = camobo("amend", study, "0", "strength=3", "--cost", "45", "-r", "scale", "--json").json["trials"][0]
        assert (both["cost"], both["values"]) == (45.0, {"strength": 3.0, "corrosion": 2.0})
        withdrawn = camobo("amend", study, "0", "--withdraw", "--cost", "46", "-r", "wrong sample").out
        assert withdrawn.endswith("(failed: wrong sample); cost 46, before 45\n")

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
            assert "need corrected results such as strength=498, or --withdraw, or --cost" in done.err


def test_ask_says_when_it_goes_past_the_trials_of_the_budget(tmp_path: Path) -> None:
    study = alloy(tmp_path)
    camobo("set", study, "--budget", "2")
    within, past = camobo("ask", study, "-n", "2"), camobo("ask", study)
    assert "asked for" not in within.err
    assert "The budget is 2 trials, and 3 trials have been asked for. Cost no longer counts." in past.err


class TestSteering:
    def test_a_value_is_fixed_and_one_is_shared(self, tmp_path: Path) -> None:
        study = alloy(tmp_path)
        assert camobo("ask", study, "-n", "3", "--fix", "quench=oil", "--fix", "nickel=2.5", "--same", "soak").code == 0
        trials = cm.Study.load(study).trials
        assert {(trial.params["quench"], trial.params["nickel"]) for trial in trials} == {("oil", 2.5)}
        assert len({trial.params["soak"] for trial in trials}) == 1
        assert ", fixed: nickel=2.5, quench=oil\n" in camobo("log", study, "--trial", "0").out
        explained = camobo("explain", study, "2")
        assert "\n  fixed: nickel=2.5, soak=" in explained.out
        assert camobo("explain", study, "0", "--json").json["fixed"] == {"nickel": 2.5, "quench": "oil"}

    @pytest.mark.parametrize(
        ("words", "said"),
        [
            (
                ["--fix", "quench"],
                "--fix: need name=value such as nickel=…, without spaces around the =, got 'quench'.",
            ),
            (["--fix", "quensh=oil"], "--fix: unknown name 'quensh'. Did you mean 'quench'?"),
            (["--fix", "quench=tar"], "--fix: 'quench': need one of air, oil, water, got 'tar'."),
            (["--fix", "nickel=2,5"], "--fix: 'nickel': need a decimal point, not a comma"),
            (["--fix", "nickel=2.55"], "'nickel': 2.55 lies between two steps of 0.1."),
            (["--fix", "soak=1", "--fix", "soak=2"], "--fix: 'soak' is given twice."),
            (["--same", "oven"], "same: no input called 'oven'."),
        ],
    )
    def test_a_mistake_says_what_to_write_and_nothing_is_asked(
        self, tmp_path: Path, words: list[str], said: str
    ) -> None:
        study = alloy(tmp_path)
        done = camobo("ask", study, *words)
        assert done.code == 1
        assert said in done.err
        assert cm.Study.load(study).trials == ()

    def test_fewer_than_asked_for_is_explained(self, tmp_path: Path) -> None:
        study = alloy(tmp_path)
        fixed = ["--fix", "nickel=1", "--fix", "chromium=1", "--fix", "quench=oil"]
        done = camobo("ask", study, "-n", "20", *fixed)
        assert "Only 12 of 20: no other points have these values." in done.err
