from __future__ import annotations

import contextlib
import io
import json
import logging
import math
import re
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import camobo as cm
from camobo.cli import output
from camobo.errors import Advice
from tests.support.commands import alloy, camobo
from tests.support.strategies import law
from tests.support.terminals import terminal


def drawn(width: int, columns: list[output.Column], rows: list[tuple[object, ...]]) -> str:
    """A table as a terminal of that width shows it."""
    out = io.StringIO()
    with pytest.MonkeyPatch.context() as patch, contextlib.redirect_stdout(out):
        patch.setattr(output, "fancy", lambda: True)
        patch.setenv("COLUMNS", str(width))
        output.table(columns, rows)
    return out.getvalue()


class TestInAPipe:
    def test_lines_are_plain_and_never_wrapped(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        study = alloy(tmp_path)
        camobo("ask", study, "-n", "3")
        camobo("tell", study, "1", "strength=1", "corrosion=1", "--note", "a long note " * 30)
        monkeypatch.setenv("COLUMNS", "40")
        done = camobo("log", study)
        assert len(done.out.splitlines()) == 1 + 4
        assert "\x1b" not in done.out
        assert "a long note " * 29 in done.out

    def test_columns_are_aligned(self, capsys: pytest.CaptureFixture[str]) -> None:
        columns = [output.Column("n", right=True), output.Column("what"), output.Column("more")]
        output.table(columns, [(1, "oil", None), (10, "a", True), (100, None, output.unbroken("b c"))])
        assert capsys.readouterr().out.splitlines() == [
            "  n  what  more",
            "  1  oil",
            " 10  a     yes",
            "100        b c",
        ]


class TestOnATerminal:
    @pytest.mark.parametrize(("variable", "value"), [("TERM", "xterm"), ("NO_COLOR", "1"), ("TERM", "dumb")])
    def test_there_are_colours_unless_they_are_unwanted(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variable: str, value: str
    ) -> None:
        monkeypatch.setenv("TERM", "xterm")
        monkeypatch.delenv("NO_COLOR", raising=False)
        monkeypatch.setenv(variable, value)
        with terminal() as (screen, seen), contextlib.redirect_stdout(screen):
            output.head("inputs")
            output.table([output.Column("input")], [("nickel",)])
        assert (b"\x1b[" in seen) is (value == "xterm")
        assert b"nickel" in seen

    @pytest.mark.parametrize("width", [40, 80])
    def test_a_narrow_one_breaks_no_number_and_no_name_from_its_value(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, width: int
    ) -> None:
        space = cm.Space({f"component_{i}": cm.Real(0, 1) for i in range(12)})
        monkeypatch.chdir(tmp_path)
        place = "w.db"  # short, since status starts with it
        with cm.Study(space, {"strength": "max", "salt spray": "min"}, seed=1, storage=place) as study:
            trial = study.ask()
            study.tell(trial, {"strength": 497.9, "salt spray": 1.047}, note="one two three four five six seven")
            study.ask()
        monkeypatch.setattr(output, "fancy", lambda: True)
        monkeypatch.setenv("COLUMNS", str(width))
        for command, joined in (("front", False), ("log", True), ("status", True), ("ask", False)):
            out = camobo(command, place).out
            assert max(map(len, re.sub("\x1b\\[[0-9]*m", "", out).splitlines())) <= width
            shown = trial if command == "front" else cm.Study.load(place).trials[-1]
            for name, value in shown.params.items():
                text = output.cell(value)
                assert f"{name}={text}" in out if joined else re.search(f"^  {name} +{text}$", out, re.MULTILINE)
        assert "salt spray=1.047" in camobo("log", place).out
        assert "\x1b[1mtrial 0\x1b[0m\n  component_0 " in camobo("front", place).out

    @law
    @given(
        st.lists(st.tuples(st.floats(-1e9, 1e9), st.text("ab \u4e2d", max_size=60)), max_size=3), st.integers(1, 100)
    )
    def test_a_table_of_any_width_has_every_number_and_word_whole(
        self, rows: list[tuple[float, str]], width: int
    ) -> None:
        columns = [output.Column("row", right=True), output.Column("much of it", right=True), output.Column("said")]
        seen = drawn(width, columns, [(i, *row) for i, row in enumerate(rows)]).split()
        for number, text in rows:
            assert output.cell(number) in seen
            assert set(text.split()) <= set(seen)

    def test_empty_columns_are_left_out(self) -> None:
        columns = [output.Column("trial", right=True), output.Column("owner"), output.Column("state")]
        shown = drawn(80, columns, [(0, None, "pending"), (1, "", "failed")])
        assert "owner" not in shown
        assert "pending" in shown

    def test_long_text_is_wrapped_before_the_table_becomes_blocks(self) -> None:
        columns = [output.Column("trial"), output.Column("note")]
        lines = drawn(40, columns, [(0, "one two three four five six seven eight nine")]).splitlines()
        assert max(map(len, lines)) <= 40
        assert "note" in lines[1]

    def test_a_word_that_fits_nowhere_gets_its_own_line(self) -> None:
        columns = [output.Column("trial"), output.Column("note"), output.Column("owner")]
        assert "  note\n    " + "x" * 60 + "\n" in drawn(40, columns, [(0, "x" * 60, None), (1, "y", "anna")])


class TestCells:
    @pytest.mark.parametrize(
        ("fact", "text"),
        [(None, ""), (True, "yes"), (False, "no"), (1 / 3, "0.333333"), (12, "12"), ("oil", "oil"),
         (math.inf, "too large to compute"), ("a\nb\x1b", "a\\nb\\x1b")],
    )  # fmt: skip
    def test_a_fact_is_shown_as(self, fact: object, text: str) -> None:
        assert output.cell(fact) == text

    @law
    @given(st.text())
    def test_what_is_shown_can_be_printed(self, text: str) -> None:
        assert output.cell(text).replace("\u00a0", " ").isprintable()
        assert output.unbroken(text).replace("\u00a0", " ").isprintable()

    def test_times_are_local(self) -> None:
        when = datetime(2026, 3, 1, 12, tzinfo=timezone(timedelta(hours=5)))
        shown = f"{when.astimezone():%Y-%m-%d\u00a0%H:%M:%S}"
        assert output.local_time(when) == output.local_time(when.isoformat()) == shown
        assert output.local_time(None) is None

    def test_a_note_cannot_repaint_a_terminal(self, tmp_path: Path) -> None:
        study = alloy(tmp_path)
        camobo("ask", study, "--owner", "an\x1b[31mna")
        camobo("tell", study, "0", "strength=1", "--note", "\x1b]0;title\x07[bold]")
        for command in ("log", "status"):
            shown = camobo(command, study).out
            assert "\x1b" not in shown
            assert "\x07" not in shown
        assert "[bold]" in camobo("log", study).out


class TestErrors:
    def test_an_error_goes_to_standard_error_with_its_advice_as_a_command(
        self, capsys: pytest.CaptureFixture[str]
    ) -> None:
        output.error(cm.TrialStateError("trial 3 is complete.", advice=Advice.AMEND))
        output.error("a\x1bb")
        done = capsys.readouterr()
        assert done.out == ""
        assert done.err.splitlines() == [
            "Error: trial 3 is complete. To correct or withdraw a result use camobo amend.",
            "Error: a\\x1bb",
        ]

    @pytest.mark.parametrize("unwanted", [False, True])
    def test_on_a_terminal_its_first_word_is_red(self, monkeypatch: pytest.MonkeyPatch, unwanted: bool) -> None:
        if unwanted:
            monkeypatch.setenv("NO_COLOR", "1")
        else:
            monkeypatch.delenv("NO_COLOR", raising=False)
        with terminal() as (screen, seen), contextlib.redirect_stderr(screen):
            output.error("no")
        assert bytes(seen).strip() == (b"Error: no" if unwanted else b"\x1b[1;31mError:\x1b[0m no")


class TestJson:
    def test_numbers_that_are_not_finite_are_null(self, capsys: pytest.CaptureFixture[str]) -> None:
        output.as_json({"a": [1.5, math.inf, (math.nan, 2)], "b": {"c": -math.inf}, "d": Path("x")})
        assert json.loads(capsys.readouterr().out) == {"a": [1.5, None, [None, 2]], "b": {"c": None}, "d": "x"}

    def test_numbers_too_large_to_compute_are_null_and_words_in_tables(self, tmp_path: Path) -> None:
        space = cm.Space({"a": cm.Real(0, 1.7e308)})
        study = cm.Study(space, {"y": "max", "z": "min"}, storage=tmp_path / "x.db")
        for y, z in ((1e308, -1e308), (-1e308, 1e308)):
            study.add({"a": 1.7e308}, {"y": y, "z": z}, cost=1e308)
        shown = camobo("status", tmp_path / "x.db")
        assert (shown.code, shown.err) == (0, "")
        assert shown.out.count("too large to compute") == 3  # hypervolume, use and mean of the input
        facts = camobo("status", tmp_path / "x.db", "--json").json
        assert (facts["hypervolume"], facts["inputs"]["a"]["used"]) == (None, None)
        assert camobo("front", tmp_path / "x.db", "--json").json["hypervolume"] is None

    @law
    @given(st.dictionaries(st.text(), st.text() | st.lists(st.text()), max_size=4))
    def test_json_holds_every_text_exactly_and_no_control_character(self, facts: dict[str, object]) -> None:
        for encoding in ("utf-8", "ascii"):
            raw = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
            with contextlib.redirect_stdout(raw):
                output.as_json(facts)
            raw.seek(0)
            text = raw.read()
            assert text.replace("\n", "").isprintable()
            assert json.loads(text) == facts


class TestContents:
    TEXT = "a,\x1b]0;x\x07\x9b2J\u202e\u200b\x7f\r\nµ\n"

    def test_a_pipe_gets_every_character(self, capsys: pytest.CaptureFixture[str]) -> None:
        output.contents(self.TEXT)
        assert capsys.readouterr().out == self.TEXT

    def test_a_terminal_gets_control_characters_escaped(self) -> None:
        with terminal() as (screen, seen), contextlib.redirect_stdout(screen):
            output.contents(self.TEXT)
        assert seen.decode() == r"a,\x1b]0;x\x07\x9b2J\u202e\u200b\x7f\r" + "\r\nµ\r\n"


class TestMessages:
    def test_what_is_logged_is_printed_without_control_characters_and_passwords(
        self, capsys: pytest.CaptureFixture[str]
    ) -> None:
        with output.messages():
            logging.getLogger("camobo").warning("%s of %s", "\x1b[2J", "postgresql://anna:s3cret@h/d")
        assert capsys.readouterr().err == "\\x1b[2J of postgresql://anna:***@h/d\n"

    def test_a_traceback_is_too(self, capsys: pytest.CaptureFixture[str]) -> None:
        try:
            raise ValueError("\x1b[2J postgresql://anna:s3cret@h/d")
        except ValueError:
            output.failure()
        shown = capsys.readouterr().err
        assert shown.startswith("Traceback")
        assert shown.endswith("ValueError: \\x1b[2J postgresql://anna:***@h/d\n")
