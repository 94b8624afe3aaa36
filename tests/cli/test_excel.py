from __future__ import annotations

import io
import sys
import zipfile
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Any

import pytest

import camobo as cm
from camobo.cli import excel
from camobo.cli.csv_cells import headings
from camobo.cli.csv_files import EXPORT, SHEET
from camobo.cli.tables import contents, read_rows
from camobo.history.document import make_plan
from camobo.history.trial import Trial
from tests.support.cells import HOSTILE
from tests.support.commands import Done, alloy, camobo, measured

openpyxl: Any = pytest.importorskip("openpyxl", reason="the excel extra is not installed")

SPACE = cm.Space(
    {"nickel": cm.Real(0, 20, step=0.25, unit="%"), "soak": cm.Integer(1, 12), "kind": cm.Categorical(["air", 1, 1.0])}
)
PLAN = make_plan(SPACE, {"y": "max"}, seed=1)
TRIAL = Trial(3, {"nickel": 0.5, "soak": 4, "kind": 1.0}, cm.State.COMPLETE, {"y": 0.1 + 0.2}, note="=1+1", cost=2.0)


def written(folder: Path, about: tuple[str, ...] = EXPORT, trials: tuple[Trial, ...] = (TRIAL,)) -> Path:
    path = folder / "s.xlsx"
    found = contents(str(path), PLAN, trials, about)
    assert isinstance(found, bytes)
    path.write_bytes(found)
    return path


def made(path: Path, *rows: list[Any]) -> Path:
    """A workbook as somebody else writes it."""
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    book.save(path)
    return path


def fill(path: Path, **cells: Any) -> None:
    book = openpyxl.load_workbook(path)
    for place, value in cells.items():
        book.active[place] = value
    book.save(path)


class TestWriting:
    def test_numbers_are_numbers_with_all_digits_and_texts_are_texts(self, tmp_path: Path) -> None:
        sheet = openpyxl.load_workbook(written(tmp_path)).active
        cells = {cell.value: sheet.cell(2, cell.column) for cell in sheet[1]}
        assert list(cells)[:6] == ["trial", "state", "nickel (%)", "soak", "kind", "y"]
        assert {name: cells[name].value for name in ("trial", "nickel (%)", "soak", "y", "cost", "note", "owner")} == {
            "trial": 3, "nickel (%)": 0.5, "soak": 4, "y": 0.1 + 0.2, "cost": 2.0, "note": "=1+1", "owner": None
        }  # fmt: skip
        assert (cells["note"].data_type, cells["note"].quotePrefix) == ("s", True)

    def test_recipes_show_the_digits_of_their_step(self, tmp_path: Path) -> None:
        sheet = openpyxl.load_workbook(written(tmp_path)).active
        assert [sheet.cell(2, j).number_format for j in (1, 3, 4, 6)] == ["0", "0.00", "0", "General"]

    def test_in_a_sheet_to_fill_in_only_what_is_told_can_be_changed(self, tmp_path: Path) -> None:
        sheet = openpyxl.load_workbook(written(tmp_path, SHEET)).active
        open_cells = [cell.value for cell in sheet[1] if not sheet.cell(2, cell.column).protection.locked]
        assert sheet.protection.sheet
        assert open_cells == ["y", "cost", "note", "failed"]
        assert all(cell.protection.locked and cell.font.bold for cell in sheet[1])
        assert not sheet.column_dimensions["I"].protection.locked  # remarks beside the table
        assert not openpyxl.load_workbook(written(tmp_path, EXPORT)).active.protection.sheet

    def test_everything_comes_back(self, tmp_path: Path) -> None:
        names = [text for text in dict.fromkeys(HOSTILE) if text.strip()]
        used, outcomes = names[:20], names[20:]
        inputs: dict[str, Any] = {name: cm.Real(0, 1, unit="%") for name in used}
        inputs["kind"] = cm.Categorical([*HOSTILE, 1, 1.5, True, None])
        values = dict.fromkeys(outcomes, -1 / 3)
        first, second = (
            cm.Study(cm.Space(inputs), dict.fromkeys(outcomes, "max"), storage=tmp_path / f"{name}.db") for name in "ab"
        )
        for kind in inputs["kind"].choices:
            first.add({**dict.fromkeys(used, 0.1), "kind": kind}, values, note=str(kind))
        for name, sheet in (("a", "s.xlsx"), ("b", "t.xlsx")):
            assert camobo("export", tmp_path / f"{name}.db", "-o", tmp_path / sheet).code == 0
            assert camobo("import", tmp_path / "b.db", tmp_path / sheet).code == 0
        facts = [(t.params, t.values, (t.note or "").strip()) for t in first.trials]
        assert [(t.params, t.values, (t.note or "").strip()) for t in second.trials] == facts
        for sheet in ("s.xlsx", "t.xlsx"):
            cells = [cell for row in openpyxl.load_workbook(tmp_path / sheet).active for cell in row]
            assert not [cell.value for cell in cells if cell.data_type == "f"]

    def test_an_input_named_like_a_column_is_part_of_the_recipe(self) -> None:
        plan = make_plan(cm.Space({"trial": cm.Real(0, 1), "cost": cm.Real(0, 1)}), {"y": "max"}, seed=1)
        trial = Trial(0, {"trial": 0.25, "cost": 0.5})
        book = openpyxl.load_workbook(io.BytesIO(excel.workbook(plan, [trial], SHEET, to_fill_in=True)))
        cells = {cell.value: book.active.cell(2, cell.column) for cell in book.active[1]}
        assert cells["input trial"].number_format == "General"
        assert cells["input cost"].protection.locked
        assert not cells["cost"].protection.locked

    def test_a_text_too_long_for_a_cell_is_refused_not_cut(self) -> None:
        long = Trial(3, dict(TRIAL.params), note="x" * 40_000)
        with pytest.raises(cm.InvalidOptionError, match="trial 3: note: has 40,000 characters; an Excel cell holds"):
            excel.workbook(PLAN, [long], EXPORT, to_fill_in=False)


class TestReading:
    def rows(self, path: Path) -> list[dict[str, str]]:
        return [{name: text for (_, name), text in row.cells.items() if text} for row in read_rows(str(path), PLAN)]

    def test_what_a_spreadsheet_holds_is_read_as_it_shows_it(self, tmp_path: Path) -> None:
        path = made(tmp_path / "s.xlsx", [], [None, "trial", "y", "note", "failed"], [], [None, 0, 512, "−5", True])
        assert self.rows(path) == [{"trial": "0", "y": "512", "note": "−5", "failed": "TRUE"}]
        for value, text in (
            (date(2026, 4, 3), "2026-04-03"), (datetime(2026, 4, 3, 12), "2026-04-03T12:00:00"),
            (time(1, 2), "01:02:00"), (timedelta(hours=30), "1 day, 6:00:00"), (1e-7, "1e-07"), (-3, "-3"),
        ):  # fmt: skip
            (row,) = self.rows(made(tmp_path / "s.xlsx", ["trial", "note"], [1, value]))
            assert row["note"] == text

    def test_a_percentage_is_not_taken_for_its_hundredth(self, tmp_path: Path) -> None:
        path = made(tmp_path / "s.xlsx", ["trial", "y"], [0, 0.07])
        book = openpyxl.load_workbook(path)
        book.active["B2"].number_format = '0.00" x"%'
        book.save(path)
        assert self.rows(path) == [{"trial": "0", "y": "7.0 %"}]

    def test_a_remark_beside_the_table_is_left_alone(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        path = made(tmp_path / "s.xlsx", ["trial", "y"], [0, 5, None, "look again"])
        assert self.rows(path) == [{"trial": "0", "y": "5"}]
        assert "column number 4 is not read" in capsys.readouterr().err

    def test_only_the_first_sheet_is_read_and_that_is_said(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        path = made(tmp_path / "s.xlsx", ["trial", "y"], [0, 5])
        book = openpyxl.load_workbook(path)
        book.create_sheet("old").append(["trial", "y"])
        book.save(path)
        assert len(self.rows(path)) == 1
        assert "only its first sheet is read; 1 other is not." in capsys.readouterr().err

    def test_a_formula_counts_by_the_value_stored_with_it(self, tmp_path: Path) -> None:
        path = made(tmp_path / "s.xlsx", ["trial", "y"], [0, "=2*3"])
        assert self.rows(path) == [{"trial": "0", "y": "=2*3"}]  # nobody computed it: no number
        parts = zipfile.ZipFile(io.BytesIO(path.read_bytes()))
        with zipfile.ZipFile(path, "w") as stored:
            for name in parts.namelist():
                stored.writestr(name, parts.read(name).replace(b"<f>2*3</f><v />", b"<f>2*3</f><v>6.5</v>"))
        assert self.rows(path) == [{"trial": "0", "y": "6.5"}]

    def test_a_sheet_that_says_it_is_smaller_than_it_is_loses_nothing(self, tmp_path: Path) -> None:
        path = made(tmp_path / "s.xlsx", ["trial", "y"], [0, 5], [1, 6])
        parts = zipfile.ZipFile(io.BytesIO(path.read_bytes()))
        with zipfile.ZipFile(path, "w") as stored:
            for name in parts.namelist():
                stored.writestr(name, parts.read(name).replace(b'ref="A1:B3"', b'ref="A1:A1"'))
        assert len(self.rows(path)) == 2

    @pytest.mark.parametrize(
        ("content", "said"),
        [
            (b"\xd0\xcf\x11\xe0old", r"old Excel file \(\.xls\), or has a password"),
            (b"PK\x03\x04half", "is damaged"),
            ({"mimetype": b"application/vnd.oasis.opendocument.spreadsheet"}, "is not an Excel workbook"),
            ({"xl/workbook.xml": b"<"}, "cannot be read as an Excel workbook"),
            ({"xl/workbook.xml": b" " * 100_000_001}, "unpacks to 100 MB, more than 100"),
        ],
    )
    def test_what_is_no_workbook_says_what_to_do(self, tmp_path: Path, content: Any, said: str) -> None:
        path = tmp_path / "s.xlsx"
        if isinstance(content, dict):
            with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made_up:
                for name, data in content.items():
                    made_up.writestr(name, data)
        else:
            path.write_bytes(content)
        with pytest.raises(cm.InvalidValueError, match=said):
            read_rows(str(path), PLAN)

    def test_a_sheet_that_never_ends_is_refused(self, tmp_path: Path) -> None:
        path = made(tmp_path / "s.xlsx", ["trial", "y"], [0, 5])
        parts = zipfile.ZipFile(io.BytesIO(path.read_bytes()))
        with zipfile.ZipFile(path, "w") as stored:
            for name in parts.namelist():
                stored.writestr(name, parts.read(name).replace(b'<row r="2"', b'<row r="99999999999"'))
        with pytest.raises(cm.InvalidValueError, match="has more than 1,000,000 cells"):
            read_rows(str(path), PLAN)


def test_without_openpyxl_the_error_names_the_extra_and_nothing_is_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = alloy(tmp_path)
    (tmp_path / "s.xlsx").write_bytes(b"PK\x03\x04")
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    lines: list[list[str | Path]] = [["ask", study, "--sheet", "n.xlsx"], ["export", study, "-o", "n.xlsx"],
                                     ["tell", study, "--sheet", tmp_path / "s.xlsx"]]  # fmt: skip
    for line in lines:
        done = camobo(*line)
        assert done.code == 1
        assert "pip install 'camobo[excel]'" in done.err
    assert cm.Study.load(study).trials == ()


class TestAtTheBench:
    def tell(self, study: Path, sheet: Path) -> Done:
        return camobo("tell", study, "--sheet", sheet)

    def test_a_sheet_goes_out_is_filled_in_bit_by_bit_and_comes_back(self, tmp_path: Path) -> None:
        study, sheet = alloy(tmp_path), tmp_path / "monday.xlsx"
        asked = camobo("ask", study, "-n", "3", "--sheet", sheet)
        assert asked.out == f"{sheet}: a sheet for trials 0, 1, 2.\n"
        assert f"camobo tell {study} --sheet {sheet}" in asked.err
        fill(sheet, F2=512.5, G2=0.31, H2=41.5, I2="furnace B", J3="=cracked")
        assert self.tell(study, sheet).out.endswith("2 recorded.\n")
        assert self.tell(study, sheet).out == "0 recorded; 2 already recorded.\n"
        done, failed, waiting = cm.Study.load(study).trials
        assert (done.values, done.cost, done.note) == ({"strength": 512.5, "corrosion": 0.31}, 41.5, "furnace B")
        assert (failed.reason, waiting.state.value) == ("=cracked", "pending")

    def test_a_mistake_names_the_row_and_the_column_and_nothing_is_recorded(self, tmp_path: Path) -> None:
        study, sheet = alloy(tmp_path), tmp_path / "monday.xlsx"
        camobo("ask", study, "-n", "2", "--sheet", sheet)
        fill(sheet, F2=512.5, F3="5OO")
        done = self.tell(study, sheet)
        assert "line 3, column strength: got '5OO', with the letter O. Write 500." in done.err
        assert all(trial.values is None for trial in cm.Study.load(study).trials)

    def test_a_study_taken_elsewhere_comes_back_to_the_last_digit(self, tmp_path: Path) -> None:
        (tmp_path / "there").mkdir()
        study, there, file = measured(tmp_path), alloy(tmp_path / "there"), tmp_path / "all.xlsx"
        assert camobo("export", study, "-o", file).code == 0
        assert camobo("import", there, file).out == "6 added.\n"
        facts = [(t.params, t.values) for t in cm.Study.load(study).trials]
        assert [(t.params, t.values) for t in cm.Study.load(there).trials] == facts
        assert camobo("import", study, file).out == "0 added, 6 already in the study.\n"

    def test_a_price_list_may_be_a_workbook(self, tmp_path: Path) -> None:
        study = alloy(tmp_path)
        prices = made(tmp_path / "p.xlsx", ["input", "price"], ["nickel", 13.9], ["per trial", 12])
        assert camobo("set", study, "--prices", prices).code == 0


def test_columns_have_the_titles_that_reading_knows() -> None:
    assert [heading.title for heading in headings(PLAN, SHEET)][:3] == ["trial", "nickel (%)", "soak"]
