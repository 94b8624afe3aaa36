from __future__ import annotations

import csv
import io
import os
from pathlib import Path
from typing import Any

import pytest

import camobo as cm
from camobo.cli.csv_cells import read_param
from camobo.cli.csv_files import EXPORT, SHEET, csv_lines, csv_text, new_file, refuse_existing
from camobo.cli.tables import read_rows
from camobo.history.document import make_plan
from tests.support.cells import HOSTILE, RUN_AS_FORMULA

PLAN = make_plan(cm.Space({"x": cm.Real(0, 1), "note": cm.Real(0, 1)}), {"y": "max"}, seed=1)


def test_csv_is_read_as_lines_with_their_numbers_without_marks_and_with_what_separates_them() -> None:
    lines, separator = csv_lines("s.csv", b'a;b\n\n\'=1;"x\ny"\nz\n', ["a", "b"])
    assert (lines, separator) == ([(1, ["a", "b"]), (3, ["=1", "x\ny"]), (5, ["z"])], ";")


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
