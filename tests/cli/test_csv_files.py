from __future__ import annotations

import csv
import io
import os
import sys
from pathlib import Path
from typing import Any

import pytest

import camobo as cm
from camobo.cli.csv_cells import read_param
from camobo.cli.csv_files import EXPORT, SHEET, column_of, csv_text, new_file, read_rows, refuse_existing
from camobo.history.document import make_plan
from tests.support.cells import HOSTILE, RUN_AS_FORMULA

PLAN = make_plan(cm.Space({"x": cm.Real(0, 1), "note": cm.Real(0, 1)}), {"y": "max"}, seed=1)


def read(folder: Path, content: str | bytes) -> list[dict[tuple[str, str], str]]:
    """The cells of the rows of a file."""
    path = folder / "s.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return [dict(row.cells) for row in read_rows(str(path), PLAN)]


class TestReading:
    @pytest.mark.parametrize(
        "text",
        [
            "trial,y\n0,5\n", "trial;y\n0;5\n", "trial\ty\n0\t5\n", "\ufefftrial,y\n0,5", "trial,y\r\n0,5\r\n",
            "sep=;\ntrial;y\n0;5\n", '"sep=|"\r\ntrial|y\r\n0|5\r\n', "\n,,\ntrial, y ,,\n\n0,5,,\n,\n",
            "'trial','y'\n0,5\n".replace("'", '"'),
        ],
    )  # fmt: skip
    def test_what_spreadsheets_write_is_understood(self, tmp_path: Path, text: str) -> None:
        assert read(tmp_path, text) == [{("about", "trial"): "0", ("objective", "y"): "5"}]

    @pytest.mark.parametrize("first", ["sep=;", '"sep=;"', "SEP=;", "sep=;;;"])
    def test_the_separator_that_excel_names_is_used(self, tmp_path: Path, first: str) -> None:
        text = f"{first}\r\ntrial;y;cost\r\n0;512;0.31\r\n".encode("utf-8-sig")
        (cells,) = read(tmp_path, text)
        assert list(cells.values()) == ["0", "512", "0.31"]

    def test_an_input_named_like_a_column_has_a_label_of_its_own(self, tmp_path: Path) -> None:
        (cells,) = read(tmp_path, "input note,note\n0.5,remark\n")
        assert cells == {("input", "note"): "0.5", ("about", "note"): "remark"}
        assert column_of(PLAN, "input", "note") == "input note"

    def test_empty_cells_at_the_end_of_a_row_may_be_missing(self, tmp_path: Path) -> None:
        assert read(tmp_path, "trial,y,cost\n0\n")[0] == {
            ("about", "trial"): "0", ("objective", "y"): "", ("about", "cost"): ""
        }  # fmt: skip

    @pytest.mark.parametrize(
        ("content", "said"),
        [
            ("", "is empty. Need a first line with column names: trial, state, x, input note, y"),
            ("sep=;\n", "is empty"),
            ("trial,z\n", "line 1, column 2: unknown column 'z'. Rename or remove it; the columns can be trial,"),
            ("Trial,y\n", "line 1, column 1: unknown column 'Trial'. Did you mean 'trial'?"),
            ("trial|y\n", "Put commas, semicolons or tabs between the cells."),
            ("y,y\n", "line 1, column 2: column 'y' appears twice. Remove one of them."),
            ("y\n1,5\n", "line 2: has 2 cells, but the first line has 1. Is there a comma in a number"),
            ('y\n"1\n', "line 2: not valid CSV"),
            ("trial,y,cost\n0,1", "line 2: the file ends in the middle of this row, after 2 of 3 cells"),
            (b"y\n\xb5\n", "line 2: not UTF-8 text. In the spreadsheet, save it as CSV UTF-8."),
            (b"SQLite format 3\0", "is a database, perhaps a study. To get a CSV file, use camobo export."),
        ],
    )  # fmt: skip
    def test_a_file_that_cannot_be_read_says_where_and_what_to_do(
        self, tmp_path: Path, content: str | bytes, said: str
    ) -> None:
        with pytest.raises(cm.InvalidValueError) as caught:
            read(tmp_path, content)
        assert said in str(caught.value)
        assert str(tmp_path / "s.csv") in str(caught.value)

    def test_a_last_row_without_a_line_break_is_fine_if_it_has_all_cells(self, tmp_path: Path) -> None:
        assert len(read(tmp_path, "trial,y,cost\n0,1,")) == 1

    def test_standard_input_is_read_by_its_dash(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"trial,y\n0,5\n1,x,2\n")))
        with pytest.raises(cm.InvalidValueError, match="standard input, line 3: has 3 cells"):
            read_rows("-", PLAN)

    def test_a_closed_standard_input_a_missing_file_and_no_name_are_refused(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(sys, "stdin", None)
        for path, said in (
            ("-", "standard input is closed"),
            (str(tmp_path / "none.csv"), "none.csv: cannot be read: No such file"),
            (" ", "the name of the CSV file is empty"),
        ):
            with pytest.raises(cm.CamoboError, match=said):
                read_rows(path, PLAN)

    def test_errors_inside_a_row_name_its_line_once(self, tmp_path: Path) -> None:
        (tmp_path / "s.csv").write_text("trial,y\n\n0,5\n")
        (row,) = read_rows(str(tmp_path / "s.csv"), PLAN)
        no, at = cm.InvalidValueError("no"), row.at("y")
        for error, said in (
            (no, f"{row.place}: no"),
            (no.within(at), f"{at}: no"),
            (no.within("parameter 'x'"), f"{row.place}: parameter 'x': no"),
        ):
            with pytest.raises(cm.InvalidValueError) as caught, row.placed():
                raise error
            assert str(caught.value) == said

    def test_a_row_knows_which_of_its_cells_are_empty(self, tmp_path: Path) -> None:
        (tmp_path / "s.csv").write_text("trial,y,note\n0, ,'=a\n")
        (row,) = read_rows(str(tmp_path / "s.csv"), PLAN)
        assert (row.blank("objective"), row.blank("about"), row.blank()) == (True, False, False)
        assert (row.text("note"), row.text("cost"), row.get("input", "x")) == ("=a", None, "")


class TestWriting:
    def test_a_file_appears_complete_or_not_at_all(self, tmp_path: Path) -> None:
        path = tmp_path / "s.csv"

        def work_that_fails() -> None:
            with new_file(path) as write:
                write("half")
                raise ZeroDivisionError

        with pytest.raises(ZeroDivisionError):
            work_that_fails()
        assert list(tmp_path.iterdir()) == []
        with new_file(path) as write:
            write("µ")
            assert not path.exists()
        assert path.read_bytes() == "\ufeffµ".encode()
        assert list(tmp_path.iterdir()) == [path]

    def test_a_dash_is_standard_output(self, capsys: pytest.CaptureFixture[str]) -> None:
        with new_file("-") as write:
            write("a\n")
        assert capsys.readouterr().out == "a\n"

    @pytest.mark.parametrize(
        ("name", "said"),
        [("no/s.csv", "its folder does not exist. Create .*no first"), ("", "is a folder. Name a file"),
         ("x" * 300, "cannot be written: File name too long. Name another file")],
    )  # fmt: skip
    def test_a_place_that_cannot_be_written_is_refused_before_the_work(
        self, tmp_path: Path, name: str, said: str
    ) -> None:
        with pytest.raises(cm.StorageError, match=said), new_file(tmp_path / name):
            pytest.fail("the work was done for nothing")

    def test_a_full_disk_says_to_free_some_space(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        def full(_: int) -> None:
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(os, "fsync", full)
        with pytest.raises(cm.StorageError, match=r"No space left on device\. Free some space"):  # noqa: SIM117
            with new_file(tmp_path / "s.csv") as write:
                write("a")
        assert list(tmp_path.iterdir()) == []

    def test_a_line_break_of_either_kind_in_a_cell_is_quoted(self) -> None:
        trials = [cm.Trial(0, {"x": 0.5, "note": 0.5}, note=note) for note in ("a\rb", "a\nb")]
        text = csv_text(PLAN, trials, SHEET)
        assert [row[-2] for row in csv.reader(io.StringIO(text, newline=""))][1:] == ["a\rb", "a\nb"]


class TestOverwriting:
    def test_a_file_is_overwritten_only_with_force_and_a_new_one_is_fine(self, tmp_path: Path) -> None:
        refuse_existing("-", force=False)
        refuse_existing(tmp_path / "new.csv", force=False)
        (tmp_path / "old.csv").touch()
        with pytest.raises(cm.InvalidOptionError, match=r"old\.csv: already exists and was not changed"):
            refuse_existing(tmp_path / "old.csv", force=False)
        refuse_existing(tmp_path / "old.csv", force=True)

    @pytest.mark.parametrize("name", ["a.db", "link.csv", "a.db-wal", "a.db-owners"])
    def test_a_study_and_what_belongs_to_it_are_never_overwritten(self, tmp_path: Path, name: str) -> None:
        (tmp_path / "a.db").write_bytes(b"SQLite format 3\0")
        (tmp_path / "link.csv").symlink_to("a.db")
        for ending in ("-wal", "-owners"):
            (tmp_path / f"a.db{ending}").touch()
        with pytest.raises(cm.InvalidOptionError, match="--force does not overwrite it"):
            refuse_existing(tmp_path / name, force=True)

    def test_a_name_with_a_null_character_is_refused(self) -> None:
        with pytest.raises(cm.InvalidOptionError, match="cannot contain null characters"):
            refuse_existing("a\0b", force=True)


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
