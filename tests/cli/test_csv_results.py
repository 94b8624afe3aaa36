from __future__ import annotations

import csv
import io
import sys
from pathlib import Path

import pytest

import camobo as cm
from tests.support.commands import Done, alloy, camobo, measured


def rows_of(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8-sig"), newline="")))


class TestImporting:
    def test_rows_that_end_early_have_empty_cells_and_states_may_be_capitalised(self, tmp_path: Path) -> None:
        study, file = alloy(tmp_path), tmp_path / "old.csv"
        file.write_text("state,nickel,chromium,soak,quench,strength,corrosion,note\npending,1,2\n", encoding="utf-8")
        assert camobo("import", study, file).out == "0 added; skipped: 1 without results.\n"
        file.write_text("state,nickel,chromium,soak,quench,strength,corrosion,note\nComplete,1,2,3,oil,4,5\n")
        assert camobo("import", study, file).out == "1 added.\n"

    def test_a_file_cut_off_inside_its_last_row_is_refused(self, tmp_path: Path) -> None:
        study, file = alloy(tmp_path), tmp_path / "cut.csv"
        head, rows = "nickel,chromium,soak,quench,strength,corrosion,cost,note\n", "1,2,3,oil,4,5\n1,2,4,oil,400,1.0"
        file.write_text(head + rows)
        done = camobo("import", study, file)
        assert done.code == 1
        for said in ("line 3", "6 of 8 cells", "cut off", "end it with a line break"):
            assert said in done.err
        assert cm.Study.load(study).trials == ()
        file.write_text(head + rows + "47,,")
        assert camobo("import", study, file).out == "2 added.\n"

    def test_a_row_that_is_complete_without_results_or_open_with_all_is_refused(self, tmp_path: Path) -> None:
        study, file = alloy(tmp_path), tmp_path / "old.csv"
        head = "state,nickel,chromium,soak,quench,strength,corrosion\ncomplete,1,2,3,oil,4,5\n"
        for row, said in (
            ("complete,1,2\n", "no results in strength, corrosion"),
            ("pending,1,2,3,oil,4,5\n", "is pending"),
        ):
            file.write_text(head + row)
            done = camobo("import", study, file)
            assert (done.code, cm.Study.load(study).trials) == (1, ())
            assert "line 3" in done.err
            assert said in done.err

    def test_a_trial_measured_in_part_is_not_called_one_without_results(self, tmp_path: Path) -> None:
        study, file = alloy(tmp_path), tmp_path / "all.csv"
        camobo("ask", study, "-n", "3")
        camobo("tell", study, "0", "strength=1")
        camobo("tell", study, "2", "strength=1", "corrosion=2")
        camobo("amend", study, "2", "--withdraw", "-r", "wrong sample")
        camobo("export", study, "-o", file)
        done = camobo("import", study, file)
        assert done.out == "0 added, 1 already in the study; skipped: 1 without results, 1 partly measured.\n"
        facts = camobo("import", study, file, "--json").json
        assert (facts["there_before"], facts["without_results"], facts["in_part"]) == (1, 1, 1)


HEAD = "state,nickel,chromium,soak,quench,strength,corrosion,cost,failed,reason\n"


class TestImportingFailures:
    """An experiment that failed was paid for, and says where not to try again."""

    def import_(self, study: Path, *rows: str) -> Done:
        (study.parent / "old.csv").write_text(HEAD + "".join(f"{row}\n" for row in rows), encoding="utf-8")
        return camobo("import", study, study.parent / "old.csv")

    @pytest.mark.parametrize(
        ("row", "reason"),
        [
            (",1,2,3,oil,,,12,cracked,", "cracked"),
            (",1,2,3,oil,,,12,,cracked", "cracked"),
            ("failed,1,2,3,oil,,,12,,cracked", "cracked"),
            ("failed,1,2,3,oil,4,5,12,,wrong sample", "wrong sample"),
            ("failed,1,2,3,oil,,,12,,", ""),
            ("pending,1,2,3,oil,,,12,cracked,", "cracked"),
        ],
    )
    def test_it_is_a_failed_trial_with_its_reason_and_its_cost(self, tmp_path: Path, row: str, reason: str) -> None:
        study = alloy(tmp_path)
        assert self.import_(study, row, ",1,2,4,oil,4,5,30,,").out == "2 added, 1 of them failed.\n"
        trial, other = cm.Study.load(study).trials
        assert (trial.state, trial.values, trial.reason, trial.cost) == (cm.State.FAILED, None, reason, 12.0)
        assert trial.added
        assert other.state is cm.State.COMPLETE
        assert self.import_(study, row).out == "0 added, 1 already in the study.\n"

    def test_it_teaches_what_trials_cost_and_counts_against_no_budget(self, tmp_path: Path) -> None:
        study = alloy(tmp_path)
        assert cm.Study.load(study).ask().expected is None
        self.import_(study, ",1,2,3,oil,,,12,cracked,")
        opened = cm.Study.load(study)
        assert opened.spent() == 0.0
        expected = opened.ask().expected
        assert expected is not None
        assert 12.0 / 11.0 <= expected <= 12.0 * 11.0  # by the order, trials differ by a factor of 11

    def test_a_bill_that_comes_later_is_recorded_and_another_one_refused(self, tmp_path: Path) -> None:
        study = alloy(tmp_path)
        self.import_(study, ",1,2,3,oil,,,,cracked,")
        done = self.import_(study, ",1,2,3,oil,,,12,cracked,")
        assert done.out == "0 added, 1 already in the study, 1 of them without a cost until now.\n"
        (trial,) = cm.Study.load(study).trials
        assert (trial.cost, trial.reason) == (12.0, "cracked")
        assert "its cost is 13 here, but 12 was recorded before" in self.import_(study, ",1,2,3,oil,,,13,cracked,").err

    def test_a_study_taken_elsewhere_brings_its_failures_along(self, tmp_path: Path) -> None:
        (tmp_path / "there").mkdir()
        study, there, file = alloy(tmp_path), alloy(tmp_path / "there"), tmp_path / "all.csv"
        camobo("ask", study, "-n", "2")
        camobo("fail", study, "0", "-r", "=cracked", "--cost", "12")
        camobo("tell", study, "1", "strength=1", "corrosion=2", "--cost", "30")
        camobo("export", study, "-o", file)
        for place, said in ((there, "2 added, 1 of them failed.\n"), (study, "0 added, 2 already in the study.\n")):
            assert camobo("import", place, file).out == said
        facts = [(t.params, t.values, t.reason, t.cost) for t in cm.Study.load(study).trials]
        assert [(t.params, t.values, t.reason, t.cost) for t in cm.Study.load(there).trials] == facts

    def test_money_and_reasons_that_are_not_recorded_are_said(self, tmp_path: Path) -> None:
        study = alloy(tmp_path)
        rows = (
            "pending,1,2,3,oil,,,7,,",
            "pending,1,2,4,oil,4,,0.5,,typed wrongly",
            "complete,1,2,5,oil,4,5,,,digits swapped",
        )
        assert self.import_(study, *rows).out == (
            "1 added; skipped: 1 without results, 1 partly measured; "
            "not recorded: 2 costs of skipped rows, 7.5 in all, 2 reasons.\n"
        )
        facts = camobo("import", study, study.parent / "old.csv", "--json").json
        assert (facts["there_before"], facts["costs_left_out"], facts["reasons_left_out"]) == (1, 2, 1)

    def test_notes_that_are_not_recorded_are_said(self, tmp_path: Path) -> None:
        study, file = alloy(tmp_path), tmp_path / "old.csv"
        head = "nickel,chromium,soak,quench,strength,corrosion,note\n"
        file.write_text(head + "1,2,3,oil,4,5,a\n1,2,4,oil,,,b\n")
        said = "1 added; skipped: 1 without results; not recorded: 1 note.\n"
        assert camobo("import", study, file).out == said
        file.write_text(head + "1,2,3,oil,4,5,c\n")
        assert camobo("import", study, file).out == "0 added, 1 already in the study; not recorded: 1 note.\n"
        assert camobo("import", study, file, "--json").json["notes_left_out"] == 1

    def test_one_whose_inputs_are_missing_is_refused_with_its_place(self, tmp_path: Path) -> None:
        study = alloy(tmp_path)
        done = self.import_(study, ",1,,3,oil,,,12,cracked,")
        assert done.code == 1
        assert "line 2, column chromium: need a number" in done.err
        assert cm.Study.load(study).trials == ()


REFUSED = {
    "trial,nickel,furnace\n0,,B\n": "no column has anything to record. Need one of strength, corrosion, cost, note,",
    "strength\n5\n": "column 'trial' is missing. To add experiments that camobo did not suggest, use camobo import.",
    "trial,strength\n9,6\n": "line 2: trial 9: ",
    "trial,nickel,strength\n0,19.5,5\n": "If '19.5' is what you used, release the trial and use camobo import.",
    "trial,strength,failed\n0,5,cracked\n": "line 2: there are results, but column failed or state says",
    "trial,state,strength\n0,failed,\n": "line 2: its state is failed. Write why in column failed or reason.",
    "trial,state,strength\n0,complete,\n": "line 2: its state is complete, but there are no results.",
    "trial,state,strength\n0,done,5\n": "line 2, column state: need complete, pending, released or failed, got 'done'.",
}


@pytest.mark.parametrize("content", REFUSED)
def test_a_row_that_cannot_be_recorded_says_why_and_nothing_is(tmp_path: Path, content: str) -> None:
    study, sheet = alloy(tmp_path), tmp_path / "s.csv"
    camobo("ask", study)
    before = cm.Study.load(study).log()
    sheet.write_text(content)
    done = camobo("tell", study, "--csv", sheet)
    assert done.code == 1
    assert REFUSED[content] in done.err
    assert cm.Study.load(study).log() == before


@pytest.mark.parametrize(
    ("head", "row", "said"),
    [
        ("nickel,chromium,soak,strength,corrosion", "1,2,3,4,5", "Need one column per input."),
        ("nickel,chromium,soak,quench,strength,corrosion,failed", "1,2,3,oil,4,5,cracked", "line 2: there are"),
    ],
)  # fmt: skip
def test_an_experiment_that_cannot_be_added_says_why(tmp_path: Path, head: str, row: str, said: str) -> None:
    study, file = alloy(tmp_path), tmp_path / "old.csv"
    file.write_text(f"{head}\n{row}\n")
    done = camobo("import", study, file)
    assert done.code == 1
    assert said in done.err
    assert cm.Study.load(study).trials == ()


class TestSheet:
    def test_a_sheet_filled_in_bit_by_bit_can_be_told_again(self, tmp_path: Path) -> None:
        study, sheet = alloy(tmp_path), tmp_path / "my sheet.csv"
        assert camobo("ask", study, "-n", "3", "--csv", sheet).code == 0
        rows = rows_of(sheet)
        assert " ".join(rows[0]) == "trial nickel chromium soak quench strength corrosion cost note failed"
        assert all(row["strength"] == row["corrosion"] == row["failed"] == "" for row in rows)

        def fill(**cells: str) -> None:
            for place, text in cells.items():
                name, number = place.rsplit("_", 1)
                rows[int(number)][name] = text
            with sheet.open("w", newline="", encoding="utf-8") as file:
                write = csv.DictWriter(file, list(rows[0]), delimiter=";")
                write.writeheader()
                write.writerows(rows)

        fill(strength_0="512", note_0="furnace B", cost_0="41.5")
        assert camobo("tell", study, "--csv", sheet).out.endswith("1 recorded.\n")
        fill(corrosion_0="0.31", failed_1="=cracked", nickel_2=f"{float(rows[2]['nickel']):.7f}")
        assert camobo("tell", study, "--csv", sheet).out.endswith("2 recorded.\n")
        assert camobo("tell", study, "--csv", sheet).out == "0 recorded; 2 already recorded.\n"
        fill(strength_2="1", corrosion_2="-2e-3")
        assert camobo("tell", study, "--csv", sheet).code == 0
        done, failed, last = cm.Study.load(study).trials
        assert (done.values, done.cost, done.note) == ({"strength": 512.0, "corrosion": 0.31}, 41.5, "furnace B")
        assert failed.reason == "=cracked"
        assert last.values == {"strength": 1.0, "corrosion": -2e-3}

    def test_an_exported_sheet_can_be_filled_in_and_told(self, tmp_path: Path) -> None:
        study, sheet = alloy(tmp_path), tmp_path / "s.csv"
        camobo("ask", study, "-n", "3")
        camobo("export", study, "-o", sheet)
        with sheet.open(newline="", encoding="utf-8-sig") as file:
            rows = list(csv.DictReader(file))
        rows[0] |= {"strength": "512", "corrosion": "0.31"}
        rows[1] |= {"state": "failed", "reason": "the crucible cracked"}
        with sheet.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, rows[0])
            writer.writeheader()
            writer.writerows(rows)
        assert camobo("tell", study, "--csv", sheet).out.endswith("2 recorded.\n")
        assert camobo("tell", study, "--csv", sheet).out == "0 recorded; 2 already recorded.\n"
        done, failed, waiting = cm.Study.load(study).trials
        assert (done.values, failed.reason) == ({"strength": 512.0, "corrosion": 0.31}, "the crucible cracked")
        assert waiting.state is cm.State.PENDING
        camobo("export", study, "-o", sheet, "--force")
        assert camobo("tell", study, "--csv", sheet).out == "0 recorded; 2 already recorded.\n"

    @pytest.mark.parametrize("word", ["no", "No", "FALSE", "0", "n", "'-", "-", "none", " no "])
    def test_a_word_that_says_it_did_not_fail_does_not_fail_a_trial(self, tmp_path: Path, word: str) -> None:
        study, sheet = alloy(tmp_path), tmp_path / "s.csv"
        camobo("ask", study)
        for results in (",", "1,2"):
            sheet.write_text(f"trial,strength,corrosion,failed\n0,{results},{word}\n")
            done = camobo("tell", study, "--csv", sheet)
            assert done.code == 1
            assert "line 2, column failed" in done.err
            assert "Leave it empty, or write why it failed." in done.err
        assert cm.Study.load(study).trials[0].state is cm.State.PENDING

    @pytest.mark.parametrize(
        ("one", "other", "what"),
        [("0,1,2,,", "0,1,3,,", "corrosion"), ("0,1,2,,", "0,,,,cracked", "outcome"), ("0,,,,a", "0,,,,b", "reason"),
         ("0,1,,a,", "0,,2,b,", "note")],
    )  # fmt: skip
    def test_a_sheet_that_contradicts_itself_is_refused(self, tmp_path: Path, one: str, other: str, what: str) -> None:
        study, sheet = alloy(tmp_path), tmp_path / "s.csv"
        camobo("ask", study, "-n", "2")
        sheet.write_text(f"trial,strength,corrosion,note,failed\n{one}\n1,5,6,,\n{other}\n")
        done = camobo("tell", study, "--csv", sheet)
        assert done.code == 1
        assert "lines 2 and 4 disagree about trial 0" in done.err
        assert what in done.err
        assert "amend" not in done.err
        assert [trial.values for trial in cm.Study.load(study).trials] == [None, None]

    def test_rows_of_one_trial_that_agree_are_told_together(self, tmp_path: Path) -> None:
        study, sheet = alloy(tmp_path), tmp_path / "s.csv"
        camobo("ask", study)
        sheet.write_text("trial,strength,corrosion\n0,1,\n0,1.0,2\n0,1,2\n")
        assert camobo("tell", study, "--csv", sheet).out.endswith("2 recorded; 1 already recorded.\n")
        assert cm.Study.load(study).trials[0].values == {"strength": 1.0, "corrosion": 2.0}

    def test_notes_and_costs_count_in_rows_without_results_or_with_known_ones(self, tmp_path: Path) -> None:
        study, sheet = alloy(tmp_path), tmp_path / "s.csv"
        camobo("ask", study, "-n", "3")
        head = "trial,strength,corrosion,cost,note,failed\n"
        sheet.write_text(head + "0,1,2,,a,\n1,1,,,,\n2,,,,,cracked\n")
        assert camobo("tell", study, "--csv", sheet).code == 0
        assert camobo("tell", study, "--csv", sheet).out == "0 recorded; 3 already recorded.\n"
        sheet.write_text(head + "0,1,2,,furnace B,\n1,,,3,b,\n2,,,,c,cracked\n")
        done = camobo("tell", study, "--csv", sheet)
        assert (done.out.splitlines()[-1], done.err) == ("3 recorded, 3 of them only with a cost or a note.", "")
        trials = cm.Study.load(study).trials
        assert [(trial.note, trial.cost) for trial in trials] == [("furnace B", None), ("b", 3.0), ("c", None)]
        assert [trial.state.value for trial in trials] == ["complete", "pending", "failed"]

    def test_another_reason_for_a_failure_is_refused_and_the_same_one_is_known(self, tmp_path: Path) -> None:
        study, sheet = alloy(tmp_path), tmp_path / "s.csv"
        camobo("ask", study)
        camobo("fail", study, "0", "-r", "cracked")
        head = "trial,strength,corrosion,cost,failed\n"
        sheet.write_text(head + "0,,,12,the power went\n")
        done = camobo("tell", study, "--csv", sheet)
        assert done.code == 1
        assert "line 2: trial 0: it failed because 'the power went' here, but 'cracked' was recorded" in done.err
        assert cm.Study.load(study).trials[0].cost is None
        sheet.write_text(head + "0,,,12, cracked\n")
        assert camobo("tell", study, "--csv", sheet).out.endswith("1 recorded, 1 of them only with a cost or a note.\n")

    def test_a_slip_is_recorded_with_a_warning_and_the_way_to_correct_it(self, tmp_path: Path) -> None:
        study, sheet = measured(tmp_path), tmp_path / "s.csv"
        camobo("ask", study)
        sheet.write_text("trial,strength,corrosion\n6,51200,0.5\n")
        done = camobo("tell", study, "--csv", sheet)
        assert done.out.endswith("1 recorded.\n")
        assert "trial 6: 'strength' is 51200, " in done.err
        assert done.err.endswith("Is it mistyped? To correct or withdraw a result use camobo amend.\n")

    def test_a_failure_is_recorded_with_its_cost_and_its_note(self, tmp_path: Path) -> None:
        study, sheet = alloy(tmp_path), tmp_path / "s.csv"
        camobo("ask", study)
        sheet.write_text("trial,strength,corrosion,cost,note,failed\n0,,,22.50,batch 7,torch clogged\n")
        assert camobo("tell", study, "--csv", sheet).code == 0
        (trial,) = cm.Study.load(study).trials
        assert (trial.cost, trial.note, trial.reason) == (22.5, "batch 7", "torch clogged")

    def test_a_sheet_goes_to_standard_output_and_comes_from_standard_input(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        study = alloy(tmp_path)
        lines = camobo("ask", study, "-n", "2", "--csv", "-").out.splitlines()
        filled = "\n".join([lines[0], lines[1].replace(",,,,,", ",5,6,,,")])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(filled.encode())))
        assert camobo("tell", study, "--csv", "-").code == 0
        assert cm.Study.load(study).trials[0].values == {"strength": 5.0, "corrosion": 6.0}

    def test_a_correction_of_a_name_with_a_dash_is_a_command_that_works(self, tmp_path: Path) -> None:
        place, sheet = tmp_path / "x.db", tmp_path / "s.csv"
        with cm.Study(cm.Space({"x": cm.Real(0, 1)}), {"-ni": "max"}, storage=place) as study:
            study.tell(study.ask(), {"-ni": 4.0})
        sheet.write_text("trial,-ni\n0,5\n")
        refused = camobo("tell", place, "--csv", sheet).err
        assert "'-ni' is 5.0 here, but 4.0 was recorded before" in refused
        assert f"To correct it: camobo amend {place} 0 --reason … -- -ni=5.0" in refused


class TestCosts:
    """The cost in a file is what a trial cost in all."""

    def sheet(self, folder: Path, text: str) -> Path:
        (folder / "s.csv").write_text(text)
        return folder / "s.csv"

    def test_a_failed_trial_has_one_too(self, tmp_path: Path) -> None:
        study = alloy(tmp_path)
        camobo("ask", study, "-n", "2")
        head = "trial,strength,corrosion,cost,failed\n"
        done = camobo("tell", study, "--csv", self.sheet(tmp_path, head + "0,,,12,cracked\n1,1,2,40,\n"))
        assert "(failed: cracked); cost 12\n" in done.out
        assert "corrosion=2; cost 40\n2 recorded.\n" in done.out
        assert [trial.cost for trial in cm.Study.load(study).trials] == [12.0, 40.0]
        camobo("export", study, "-o", tmp_path / "e.csv")
        assert [row["cost"] for row in rows_of(tmp_path / "e.csv")] == ["12.0", "40.0"]
        assert camobo("tell", study, "--csv", tmp_path / "e.csv").out == "0 recorded; 2 already recorded.\n"

    def test_bills_that_come_after_the_results_are_filled_in_later(self, tmp_path: Path) -> None:
        study = alloy(tmp_path)
        camobo("ask", study, "-n", "3")
        head = "trial,strength,corrosion,cost,failed\n"
        camobo("tell", study, "--csv", self.sheet(tmp_path, head + "0,1,2,,\n1,,,,cracked\n2,5,,,\n"))
        later = self.sheet(tmp_path, head + "0,1,2,40,\n1,,,12,cracked\n2,5,,7,\n")
        assert camobo("tell", study, "--csv", later).out.endswith("3 recorded, 3 of them only with a cost or a note.\n")
        assert [trial.cost for trial in cm.Study.load(study).trials] == [40.0, 12.0, 7.0]
        assert cm.Study.load(study).trials[1].reason == "cracked"
        assert dict(cm.Study.load(study).log()[-3].new) == {"cost": 40.0}
        assert camobo("tell", study, "--csv", later).out == "0 recorded; 3 already recorded.\n"

    def test_a_list_of_bills_needs_no_results(self, tmp_path: Path) -> None:
        study = alloy(tmp_path)
        camobo("ask", study, "-n", "2")
        camobo("tell", study, "0", "strength=1", "corrosion=2")
        camobo("fail", study, "1", "-r", "cracked")
        bills = self.sheet(tmp_path, "trial;cost\n1;12\n0;41.50\n")
        assert camobo("tell", study, "--csv", bills).out.endswith("2 recorded, 2 of them only with a cost or a note.\n")
        assert [(trial.cost, trial.state.value) for trial in cm.Study.load(study).trials] == [
            (41.5, "complete"),
            (12.0, "failed"),
        ]
        assert camobo("tell", study, "--csv", bills).out == "0 recorded.\n"
        twice = camobo("tell", study, "--csv", self.sheet(tmp_path, "trial;cost\n1;12\n1;13\n"))
        assert "lines 2 and 3 disagree about trial 1: the cost is 12.0 and 13.0" in twice.err

    def test_the_cost_stands_in_the_sheet_while_results_come_bit_by_bit(self, tmp_path: Path) -> None:
        study = alloy(tmp_path)
        camobo("ask", study)
        for row in ("0,1,,40\n", "0,1,2,40\n"):
            assert (
                camobo("tell", study, "--csv", self.sheet(tmp_path, f"trial,strength,corrosion,cost\n{row}")).code == 0
            )
        assert cm.Study.load(study).trials[0].cost == 40.0

    @pytest.mark.parametrize("row", ["0,1,2,44,", "1,,,13,cracked", "2,1,,8,", "2,1,2,8,"])
    def test_one_that_differs_from_what_was_told_is_refused_with_the_command_that_corrects_it(
        self, tmp_path: Path, row: str
    ) -> None:
        study = alloy(tmp_path)
        camobo("ask", study, "-n", "3")
        head = "trial,strength,corrosion,cost,failed\n"
        camobo("tell", study, "--csv", self.sheet(tmp_path, head + "0,1,2,40,\n1,,,12,cracked\n2,1,,7,\n"))
        before = cm.Study.load(study).log()
        done = camobo("tell", study, "--csv", self.sheet(tmp_path, head + row))
        number, cost = row[0], row.split(",")[3]
        assert done.code == 1
        assert f"line 2: trial {number}: its cost is {cost} here, but " in done.err
        assert f"To correct it: camobo amend {study} {number} --cost {cost} --reason …" in done.err
        assert cm.Study.load(study).log() == before

    def test_experiments_done_before_have_costs_that_can_come_later(self, tmp_path: Path) -> None:
        study = alloy(tmp_path)
        head, row = "nickel,chromium,soak,quench,strength,corrosion,cost\n", "1,2,3,oil,400,0.5,"
        assert camobo("import", study, self.sheet(tmp_path, head + row + "\n")).out == "1 added.\n"
        later = self.sheet(tmp_path, head + row + "41.5\n")
        assert camobo("import", study, later).out == (
            "0 added, 1 already in the study, 1 of them without a cost until now.\n"
        )
        assert camobo("import", study, later).out == "0 added, 1 already in the study.\n"
        assert cm.Study.load(study).trials[0].cost == 41.5
        done = camobo("import", study, self.sheet(tmp_path, head + row + "44\n"))
        assert done.code == 1
        assert "line 2: trial 0: its cost is 44 here, but 41.5 was recorded before. To correct it: camobo" in done.err

    def test_an_export_with_the_cost_of_an_open_trial_can_be_told(self, tmp_path: Path) -> None:
        study = alloy(tmp_path)
        camobo("ask", study)
        camobo("amend", study, "0", "--cost", "7", "-r", "material")
        camobo("export", study, "-o", tmp_path / "e.csv")
        assert camobo("tell", study, "--csv", tmp_path / "e.csv").out == "0 recorded.\n"
