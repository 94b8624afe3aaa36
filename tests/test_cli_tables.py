from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import camobo as cm
from camobo.cli.cells import agrees, harmless, headings, original, read_param, written_param
from camobo.cli.sheets import EXPORT, csv_text, read_rows
from camobo.document import make_plan
from commands import alloy, camobo
from strategies import law

HOSTILE = [
    "=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", " =1", "'=1", "''=1", "'", "'twas", "a;=1", "a\t=1",
    'a;"=1"', '"=1"', "=cmd|' /C calc'!A0", "＝1", "−1", "a,=1", "<script>alert(1)</script>", "µ°é", "a\nb",
    "\u202eabc", "=HYPERLINK(\"http://x\")",
    "", " ", "NULL", "true", "1e5", "\x1b[2J", "%0A=1", "&amp;", "{x}", "[bold]x",
    "\\", "=",
]  # fmt: skip
RUN_AS_FORMULA = tuple("=+-@\t\r\n＝＋－＠−")


class TestFormulas:
    @law
    @given(st.text() | st.text(alphabet="'=+-@;\t\r\n \"aA1,|") | st.sampled_from(HOSTILE))
    def test_every_text_comes_back_and_none_is_run(self, text: str) -> None:
        marked = harmless(text)
        assert original(marked) == text
        for separator in (";", "\t", "\n", "\r"):
            for part in marked.split(separator):
                bare = part.lstrip(' \u00a0"')
                assert not bare.startswith(RUN_AS_FORMULA)

    def test_text_that_is_harmless_stays_as_it_is(self) -> None:
        for text in ("fine", "'twas", "a-b", "1+1", "50 %"):
            assert harmless(text) == text


class TestChoices:
    @pytest.mark.parametrize(
        "choices",
        [["air", "oil"], [1, 2], [0.1, 0.25], [True, False], [1, "1"], [None, "null", '"null"'], ["a", "a "],
         [True, 1, 1.0], HOSTILE],
    )  # fmt: skip
    def test_every_choice_comes_back_as_itself(self, choices: list[Any]) -> None:
        given_input = cm.Categorical(choices)
        for choice in given_input.choices:
            assert read_param("here", given_input, written_param(given_input, choice)) is choice

    def test_what_a_spreadsheet_makes_of_a_choice_is_understood(self) -> None:
        assert read_param("here", cm.Categorical([True, False]), "TRUE") is True
        assert read_param("here", cm.Categorical([0.5, 1.5]), "1.50") == 1.5
        assert read_param("here", cm.Categorical(["air", "oil"]), " Oil ") == "oil"

    @law
    @given(st.floats(-1e9, 1e9))
    def test_a_number_comes_back_to_its_last_digit(self, value: float) -> None:
        assert read_param("here", cm.Real(-1e9, 1e9), written_param(cm.Real(-1e9, 1e9), value)) == value


def test_columns_with_the_same_name_are_told_apart() -> None:
    space = cm.Space({"trial": cm.Real(0, 1), "note": cm.Real(0, 1), "input note": cm.Real(0, 1), "y": cm.Real(0, 1)})
    labels = [heading.label for heading in headings(make_plan(space, {"y": "max", "cost": "min"}, seed=1))]
    assert len(set(labels)) == len(labels)
    assert labels[:2] == ["trial", "state"]


def rows_of(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8-sig"), newline="")))


class TestRoundTrip:
    def test_a_study_taken_elsewhere_is_the_same_there(self, tmp_path: Path) -> None:
        space = cm.Space({"x": cm.Real(-5, 5), "=n": cm.Integer(-3, 3), "kind": cm.Categorical(HOSTILE)})
        goals: Any = {"y": "max", "-z": "min"}
        study = cm.Study(space, goals, seed=1, storage=tmp_path / "a.db")
        for i, text in enumerate(HOSTILE):
            trial = study.add(
                {"x": i / 7 - 3, "=n": i % 7 - 3, "kind": text}, {"y": -i / 3, "-z": 1e-300 * i}, note=text
            )
            assert trial.note == text
        assert camobo("export", tmp_path / "a.db", "-o", tmp_path / "a.csv").code == 0
        for row in csv.reader(io.StringIO((tmp_path / "a.csv").read_text(encoding="utf-8-sig"), newline="")):
            for cell in row:
                numeric = cell.lstrip("-").replace(".", "").replace("e", "").replace("-", "").isdigit()
                assert numeric or not cell.startswith(RUN_AS_FORMULA)
        again = cm.Study(space, goals, seed=1, storage=tmp_path / "b.db")
        assert camobo("import", tmp_path / "b.db", tmp_path / "a.csv").code == 0
        assert [(t.params, t.values) for t in again.trials] == [(t.params, t.values) for t in study.trials]
        blank = {text for text in HOSTILE if not text.strip()}
        kept = [(a.note, b.note) for a, b in zip(study.trials, again.trials, strict=True) if a.note not in blank]
        assert all(ours == theirs for ours, theirs in kept)

    def test_rows_that_end_early_have_empty_cells_and_states_may_be_capitalised(self, tmp_path: Path) -> None:
        study, file = alloy(tmp_path), tmp_path / "old.csv"
        file.write_text("state,nickel,chromium,soak,quench,strength,corrosion,note\npending,1,2\n", encoding="utf-8")
        assert camobo("import", study, file).out == "0 added, 1 without results passed over.\n"
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
        assert done.out == "0 added, 2 without results passed over, 1 measured in part passed over.\n"
        facts = camobo("import", study, file, "--json").json
        assert (facts["without_results"], facts["in_part"]) == (2, 1)

    def test_importing_twice_adds_nothing_twice(self, tmp_path: Path) -> None:
        study = alloy(tmp_path)
        file = tmp_path / "old.csv"
        row = "1,2,3,oil,400,0.5"
        file.write_text(
            f"nickel;chromium;soak;quench;strength;corrosion\n{row.replace(',', ';')}\n", encoding="utf-8-sig"
        )
        first, second = camobo("import", study, file, "--json"), camobo("import", study, file, "--json")
        assert (len(first.json["trials"]), first.json["there_before"]) == (1, 0)
        assert (len(second.json["trials"]), second.json["there_before"]) == (0, 1)
        (trial,) = cm.Study.load(study).trials
        assert trial.added

    def test_only_what_is_asked_for_is_exported(self, tmp_path: Path) -> None:
        study = alloy(tmp_path)
        camobo("ask", study, "-n", "4")
        camobo("tell", study, "0", "strength=1", "corrosion=1")
        camobo("tell", study, "1", "strength=2", "corrosion=0.5")
        camobo("fail", study, "2", "-r", "=cracked")
        for only, numbers in (("all", "0123"), ("front", "1"), ("complete", "01"), ("failed", "2"), ("pending", "3")):
            text = camobo("export", study, "--only", only).out
            assert [row["trial"] for row in csv.DictReader(io.StringIO(text))] == list(numbers)
        assert "'=cracked" in camobo("export", study).out


class TestSheet:
    @pytest.mark.parametrize("first", ["sep=;", '"sep=;"', "SEP=;", "sep=;;;"])
    def test_the_separator_that_excel_names_is_used(self, tmp_path: Path, first: str) -> None:
        study, sheet = alloy(tmp_path), tmp_path / "s.csv"
        assert camobo("ask", study).code == 0
        sheet.write_bytes(f"{first}\r\ntrial;strength;corrosion\r\n0;512;0.31\r\n".encode("utf-8-sig"))
        assert camobo("tell", study, "--csv", sheet).code == 0
        assert cm.Study.load(study).trials[0].values == {"strength": 512.0, "corrosion": 0.31}

    @law
    @given(st.floats(0, 1e4), st.integers(4, 17))
    def test_an_input_shortened_to_four_digits_or_more_is_still_the_trial_s(self, value: float, digits: int) -> None:
        assert agrees("here", cm.Real(0, 1e4), value, f"{value:#.{digits}g}")

    def test_an_input_shortened_further_or_changed_is_not(self) -> None:
        for text in ("1230", "1.23e3", "1236", "1234.4", "-1234.567"):
            assert not agrees("here", cm.Real(0, 1e4), 1234.567, text)
        assert not agrees("here", cm.Real(0, 20), 1.4, "1")

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
        assert camobo("tell", study, "--csv", sheet).out.endswith("1 told.\n")
        fill(corrosion_0="0.31", failed_1="=cracked", nickel_2=f"{float(rows[2]['nickel']):.7f}")
        assert camobo("tell", study, "--csv", sheet).out.endswith("2 told.\n")
        assert camobo("tell", study, "--csv", sheet).out == "0 told, 2 told before.\n"
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
        assert camobo("tell", study, "--csv", sheet).out.endswith("2 told.\n")
        assert camobo("tell", study, "--csv", sheet).out == "0 told, 2 told before.\n"
        done, failed, waiting = cm.Study.load(study).trials
        assert (done.values, failed.reason) == ({"strength": 512.0, "corrosion": 0.31}, "the crucible cracked")
        assert waiting.state is cm.State.PENDING
        camobo("export", study, "-o", sheet, "--force")
        assert camobo("tell", study, "--csv", sheet).out == "0 told, 2 told before.\n"

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
        assert "lines 2 and 4 both give trial 0" in done.err
        assert what in done.err
        assert "amend" not in done.err
        assert [trial.values for trial in cm.Study.load(study).trials] == [None, None]

    def test_rows_of_one_trial_that_agree_are_told_together(self, tmp_path: Path) -> None:
        study, sheet = alloy(tmp_path), tmp_path / "s.csv"
        camobo("ask", study)
        sheet.write_text("trial,strength,corrosion\n0,1,\n0,1.0,2\n0,1,2\n")
        assert camobo("tell", study, "--csv", sheet).out.endswith("2 told, 1 told before.\n")
        assert cm.Study.load(study).trials[0].values == {"strength": 1.0, "corrosion": 2.0}

    def test_a_note_that_comes_after_its_result_is_not_dropped_in_silence(self, tmp_path: Path) -> None:
        study, sheet = alloy(tmp_path), tmp_path / "s.csv"
        camobo("ask", study, "-n", "2")
        sheet.write_text("trial,strength,corrosion,note\n0,1,2,a\n1,1,,\n")
        assert camobo("tell", study, "--csv", sheet).code == 0
        assert camobo("tell", study, "--csv", sheet).err == ""
        sheet.write_text("trial,strength,corrosion,note\n0,1,2,furnace B\n1,1,,b\n")
        done = camobo("tell", study, "--csv", sheet)
        assert done.out == "0 told, 2 told before.\n"
        complete, in_part = done.err.splitlines()
        assert "line 2: trial 0 was told before; its note here was not kept" in complete
        assert "amend" in complete
        assert "results still to come" in in_part

    def test_a_sheet_goes_to_standard_output_and_comes_from_standard_input(self, tmp_path: Path) -> None:
        from commands import start

        study = alloy(tmp_path)
        text = camobo("ask", study, "-n", "2", "--csv", "-").out
        lines = text.splitlines()
        filled = "\n".join([lines[0], lines[1].replace(",,,,,", ",5,6,,,")])
        import subprocess

        process = start("tell", study, "--csv", "-", stdin=subprocess.PIPE)
        process.communicate(filled, timeout=60)
        assert process.returncode == 0
        assert cm.Study.load(study).trials[0].values == {"strength": 5.0, "corrosion": 6.0}


def test_200_hostile_names_choices_and_notes_make_no_formula_and_come_back(tmp_path: Path) -> None:
    texts = list(dict.fromkeys(lead + text for lead in ("", "=", "a;", "'", "\t", "@ ") for text in HOSTILE))
    names = [text for text in texts if text.strip()]
    assert len(names) >= 200
    used, measured = names[:-30], names[-30:]
    inputs: dict[str, Any] = {name: cm.Real(0, 1) for name in used}
    inputs["kind"] = cm.Categorical(texts)
    plan = make_plan(cm.Space(inputs), dict.fromkeys(measured, "max"), seed=1)
    numbers, values = dict.fromkeys(used, 0.5), dict.fromkeys(measured, -1.5)
    trials = [
        cm.Trial(i, {**numbers, "kind": text}, cm.State.COMPLETE, values, note=text) for i, text in enumerate(texts)
    ]
    file = tmp_path / "hostile.csv"
    file.write_text(csv_text(plan, trials, EXPORT), encoding="utf-8", newline="")
    for cells in csv.reader(io.StringIO(file.read_text(encoding="utf-8"), newline="")):
        assert not [cell for cell in cells if cell.startswith(RUN_AS_FORMULA) and cell != "-1.5"]
    rows = read_rows(str(file), plan)
    assert len(rows) == len(trials)
    for row, trial in zip(rows, trials, strict=True):
        assert read_param("", plan.space.inputs["kind"], row.get("input", "kind")) == trial.params["kind"]
        assert row.text("note") == (trial.note if (trial.note or "").strip() else None)
        assert all(row.get("objective", name) == "-1.5" for name in values)
