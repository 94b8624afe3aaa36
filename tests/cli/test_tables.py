from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

import camobo as cm
from camobo.cli.tables import check_writable, column_of, read_rows
from camobo.history.document import make_plan

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
            ("z\n", "line 1, column 1: unknown column 'z'. Put commas"),
            ("Trial,y\n", "line 1, column 1: unknown column 'Trial'. Did you mean 'trial'?"),
            ("trial|y\n", "Put commas, semicolons or tabs between the cells."),
            ("y,y\n", "line 1, column 2: column 'y' appears twice. Remove one of them."),
            ("z,q\n", "line 1, column 1: unknown column 'z'. Rename or remove it; the columns can be trial,"),
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
            (" ", "the name of the file is empty"),
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


class TestColumnsOfANotebook:
    def test_they_are_left_alone_and_named(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert read(tmp_path, "operator,trial,furnace,y,empty,\nanna,0,B,5,,\n,1,,6,,\n") == [
            {("about", "trial"): "0", ("objective", "y"): "5"},
            {("about", "trial"): "1", ("objective", "y"): "6"},
        ]
        assert "columns operator, furnace are not read." in capsys.readouterr().err

    def test_a_name_that_is_nearly_a_known_one_is_a_mistake(self, tmp_path: Path) -> None:
        with pytest.raises(cm.InvalidValueError, match=r"column 2: unknown column 'notes'\. Did you mean 'note'\?"):
            read(tmp_path, "trial,notes,y\n0,a,5\n")

    def test_a_title_with_its_unit_is_understood(self, tmp_path: Path) -> None:
        plan = make_plan(cm.Space({"nickel": cm.Real(0, 1, unit="%")}), {"y": "max"}, seed=1)
        (tmp_path / "s.csv").write_text("nickel (%);y\n0,5;1\n")
        (row,) = read_rows(str(tmp_path / "s.csv"), plan)
        assert row.get("input", "nickel") == "0.5"


class TestDecimalCommas:
    @pytest.mark.parametrize("separator", [";", "\t"])
    def test_they_are_read_where_commas_separate_no_cells(self, tmp_path: Path, separator: str) -> None:
        lines = ["trial;x;y;cost;note", "0;0,5;-1,25;1e3;1,5 kg", "1;,5;−2,5e-3;12;a"]
        rows = read(tmp_path, "\n".join(lines).replace(";", separator) + "\n")
        assert [list(row.values()) for row in rows] == [
            ["0", "0.5", "-1.25", "1e3", "1,5 kg"], ["1", ".5", "−2.5e-3", "12", "a"]
        ]  # fmt: skip

    def test_a_file_with_commas_and_points_is_refused_with_both_lines(self, tmp_path: Path) -> None:
        with pytest.raises(cm.InvalidValueError) as caught:
            read(tmp_path, "trial;y;cost\n0;1.5;\n1;7;2,5\n")
        said = "line 3, column cost: '2,5' has a comma, but line 2, column y a point: '1.5'."
        assert said in str(caught.value)
        assert "Write all numbers of the file one way: 2.5 or 1,5." in str(caught.value)

    def test_points_alone_stay_points(self, tmp_path: Path) -> None:
        assert read(tmp_path, "trial;y\n0;1.5\n")[0]["objective", "y"] == "1.5"

    def test_texts_may_hold_both(self, tmp_path: Path) -> None:
        (row,) = read(tmp_path, "trial;y;note\n0;1,5;2.5\n")
        assert (row["objective", "y"], row["about", "note"]) == ("1.5", "2.5")


@pytest.mark.parametrize("name", ["a.xls", "a.ODS", "a.xlsm"])
def test_a_format_that_cannot_be_written_is_refused_before_the_work(name: str) -> None:
    with pytest.raises(cm.InvalidOptionError, match=r"cannot be written. Use \.xlsx or \.csv\."):
        check_writable(name)
