from __future__ import annotations

import contextlib
import io
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import camobo as cm
from camobo.cli import app, main, show
from camobo.paper import command as paper
from commands import SOURCE, alloy, apart, camobo, start
from strategies import law

COMMANDS = [
    "init", "new", "demo", "ask", "tell", "amend", "fail", "release", "status", "front", "explain", "log", "report",
    "export", "import", "run",
]  # fmt: skip


def test_version_is_the_package_s() -> None:
    done = apart("--version")
    assert (done.code, done.out.strip()) == (0, f"camobo {cm.__version__}")


def test_no_command_at_all_shows_the_help() -> None:
    done = camobo()
    assert "Usage" in done.out + done.err


def test_an_unknown_command_is_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["melt"])
    assert stopped.value.code == 2
    assert "melt" in capsys.readouterr().err


class TestHelp:
    def test_every_command_is_there(self) -> None:
        listed = camobo("--help").out
        assert all(re.search(rf"│ {name}\s", listed) for name in COMMANDS)

    @pytest.mark.parametrize("name", COMMANDS)
    def test_every_command_shows_examples_that_call_it(self, name: str) -> None:
        shown = camobo(name, "--help")
        assert shown.code == 0
        assert f"camobo {name}" in shown.out.partition("Examples:")[2]

    def test_reading_and_telling_do_not_wait_for_what_suggesting_needs(self, tmp_path: Path) -> None:
        study = alloy(tmp_path)
        camobo("ask", study)
        code = (
            "import sys\nfrom camobo.cli import main\n"
            f"for line in (['tell', {str(study)!r}, '0', 'strength=5', 'corrosion=1'], ['status', {str(study)!r}]):\n"
            "    try: main(line)\n"
            "    except SystemExit as left: assert not left.code\n"
            "print('heavy:', *sorted({'scipy', 'plotly', 'camobo.engine'} & set(sys.modules)))"
        )
        self.loads_nothing_heavy(code)

    def test_help_loads_nothing_heavy(self) -> None:
        code = (
            "import sys; from camobo.cli import main\n"
            "try: main(['--help'])\nexcept SystemExit: pass\n"
            "print('heavy:', *sorted({'numpy', 'scipy', 'sqlalchemy', 'plotly', 'moocore'} & set(sys.modules)))"
        )
        self.loads_nothing_heavy(code)

    def loads_nothing_heavy(self, code: str) -> None:
        environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=True)
        assert done.stdout.rstrip().endswith("heavy:")


class TestErrors:
    def test_an_error_is_one_line_without_a_traceback(self, tmp_path: Path) -> None:
        done = camobo("status", tmp_path / "none.db")
        assert done.code == 1
        assert done.out == ""
        assert re.fullmatch(r"Error: .*none\.db: there is no such file\. Begin one with camobo new\.\n", done.err)

    @pytest.mark.parametrize("place", ["before", "after"])
    def test_debug_shows_the_traceback_wherever_it_stands(self, tmp_path: Path, place: str) -> None:
        line = ["status", str(tmp_path / "none.db")]
        done = apart(*(["--debug", *line] if place == "before" else [*line, "--debug"]))
        assert done.code == 1
        assert "Traceback" in done.err

    def test_a_fault_of_ours_is_one_line_too(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        study = alloy(tmp_path)
        monkeypatch.setattr(cm.Study, "front", lambda self: 1 / 0)
        done = camobo("front", study)
        assert done.code == 1
        assert "ZeroDivisionError" in done.err
        assert "--debug" in done.err
        assert "Traceback" not in done.err

    def test_advice_names_commands_not_python(self, tmp_path: Path) -> None:
        study = alloy(tmp_path)
        camobo("ask", study)
        camobo("tell", study, "0", "strength=1", "corrosion=1")
        for line in (
            ["tell", "0", "strength=1"],
            ["tell", "7", "strength=1"],
            ["release", "0"],
            ["amend", "0", "-r", ""],
        ):
            said = camobo(line[0], study, *line[1:]).err
            assert "study." not in said

    def test_control_characters_in_an_error_are_spelt_out(self, tmp_path: Path) -> None:
        done = camobo("status", tmp_path / "a\x1b[2J\u202e.db")
        assert "\\x1b[2J\\u202e" in done.err
        assert "\x1b" not in done.err


class TestOutput:
    def test_into_a_pipe_lines_are_plain_and_never_wrapped(self, tmp_path: Path) -> None:
        study = alloy(tmp_path)
        camobo("ask", study, "-n", "3")
        camobo("tell", study, "1", "strength=1", "corrosion=1", "--note", "a long note " * 30)
        done = apart("log", study, env={"COLUMNS": "40"})
        assert len(done.out.splitlines()) == 1 + 4
        assert "\x1b" not in done.out
        assert "a long note " * 29 in done.out

    @pytest.mark.parametrize(("no_color", "escapes"), [("", True), ("1", False)])
    def test_a_terminal_gets_colours_unless_they_are_unwanted(
        self, tmp_path: Path, no_color: str, escapes: bool
    ) -> None:
        study = alloy(tmp_path)
        surroundings = {**os.environ, "PYTHONPATH": str(SOURCE), "TERM": "xterm", "NO_COLOR": no_color}
        if not no_color:
            del surroundings["NO_COLOR"]
        leader, follower = pty.openpty()
        line = [sys.executable, "-m", "camobo", "status", str(study)]
        with subprocess.Popen(line, stdout=follower, stderr=follower, env=surroundings) as process:
            os.close(follower)
            seen = b""
            while True:
                try:
                    part = os.read(leader, 4096)
                except OSError:  # the terminal is gone with its last process
                    break
                if not part:
                    break
                seen += part
        os.close(leader)
        assert process.returncode == 0
        assert (b"\x1b[" in seen) is escapes
        assert b"nickel" in seen

    @pytest.mark.parametrize("width", [40, 80])
    def test_a_narrow_terminal_breaks_no_number_and_no_name_from_its_value(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, width: int
    ) -> None:
        space = cm.Space({f"component_{i}": cm.Real(0, 1) for i in range(12)})
        monkeypatch.chdir(tmp_path)
        place = "w.db"  # short, since status begins with it
        with cm.Study(space, {"strength": "max", "salt spray": "min"}, seed=1, storage=place) as study:
            trial = study.ask()
            study.tell(trial, {"strength": 497.9, "salt spray": 1.047}, note="one two three four five six seven")
            study.ask()
        monkeypatch.setattr(show, "fancy", lambda: True)
        monkeypatch.setenv("COLUMNS", str(width))
        for command, joined in (("front", False), ("log", True), ("status", True), ("ask", False)):
            out = camobo(command, place).out
            assert max(map(len, re.sub("\x1b\\[[0-9]*m", "", out).splitlines())) <= width
            shown = trial if command == "front" else cm.Study.load(place).trials[-1]
            for name, value in shown.params.items():
                text = show.cell(value)
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
        out = io.StringIO()
        with pytest.MonkeyPatch.context() as patch, contextlib.redirect_stdout(out):
            patch.setattr(show, "fancy", lambda: True)
            patch.setenv("COLUMNS", str(width))
            columns = [show.Column("row", right=True), show.Column("much of it", right=True), show.Column("said")]
            show.table(columns, [(i, *row) for i, row in enumerate(rows)])
        seen = out.getvalue().split()
        for number, text in rows:
            assert show.cell(number) in seen
            assert set(text.split()) <= set(seen)

    def test_whoever_reads_may_stop_reading(self, tmp_path: Path) -> None:
        study = alloy(tmp_path)
        camobo("ask", study, "-n", "2")
        surroundings = {**os.environ, "PYTHONPATH": str(SOURCE)}
        reader, writer = os.pipe()
        os.close(reader)
        line = [sys.executable, "-m", "camobo", "log", str(study), "--json"]
        done = subprocess.run(line, stdout=writer, stderr=subprocess.PIPE, env=surroundings)
        os.close(writer)
        assert done.stderr == b""

    def test_a_full_disk_under_standard_output_is_an_error(self, tmp_path: Path) -> None:
        if not Path("/dev/full").exists():
            pytest.skip("no /dev/full here")
        study = alloy(tmp_path)
        line = [sys.executable, "-m", "camobo", "status", str(study)]
        with open("/dev/full", "w") as full:
            done = subprocess.run(
                line, stdout=full, stderr=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": str(SOURCE)}
            )
        assert done.returncode != 0
        assert "No space left" in done.stderr
        assert "Traceback" not in done.stderr

    def test_a_terminal_that_knows_no_greek_is_no_trouble(self, tmp_path: Path) -> None:
        study = alloy(tmp_path)
        camobo("ask", study)
        camobo("tell", study, "0", "strength=1", "corrosion=1", "--note", "µ")
        plain = apart("log", study, env={"PYTHONIOENCODING": "ascii"})
        assert (plain.code, "\\xb5" in plain.out) == (0, True)
        assert "\\u00b5" in apart("log", study, "--json", env={"PYTHONIOENCODING": "ascii"}).out


class TestCompletion:
    def completed(self, folder: Path, *words: str) -> list[str]:
        surroundings = {
            **os.environ, "PYTHONPATH": str(SOURCE), "_CAMOBO_COMPLETE": "complete_bash",
            "COMP_WORDS": " ".join(["camobo", *words]), "COMP_CWORD": str(len(words)),
        }  # fmt: skip
        done = subprocess.run(
            [sys.executable, "-m", "camobo"], capture_output=True, text=True, env=surroundings, cwd=folder
        )
        assert done.stderr == ""
        return done.stdout.split()

    def test_studies_trials_and_names_are_completed(self, tmp_path: Path) -> None:
        study = alloy(tmp_path)
        camobo("ask", study, "-n", "2")
        camobo("tell", study, "0", "strength=1", "corrosion=1")
        assert self.completed(tmp_path, "stat") == ["status"]
        assert self.completed(tmp_path, "tell", "al") == ["alloy.db"]
        assert self.completed(tmp_path, "new", "al") == ["alloy.toml"]
        assert self.completed(tmp_path, "tell", "alloy.db", "") == ["1"]
        assert self.completed(tmp_path, "amend", "alloy.db", "") == ["0", "1"]
        assert self.completed(tmp_path, "tell", "alloy.db", "1", "str") == ["strength="]
        assert self.completed(tmp_path, "front", "alloy.db", "--sort", "") == ["strength", "corrosion"]

    def test_a_study_that_is_not_there_completes_to_nothing(self, tmp_path: Path) -> None:
        assert self.completed(tmp_path, "tell", "none.db", "") == []


def test_the_groups_are_mounted_once() -> None:
    groups = [g.typer_instance for g in app.registered_groups if g.typer_instance not in (None, paper.app)]
    commands = [command for group in groups if group is not None for command in group.registered_commands]
    names = [command.name or getattr(command.callback, "__name__", "") for command in commands]
    assert sorted(name.rstrip("_") for name in names) == sorted(COMMANDS)


def test_an_interrupt_ends_with_130_and_no_traceback(tmp_path: Path) -> None:
    import signal

    study = alloy(tmp_path)
    ready = tmp_path / "ready"
    process = start("run", study, "-n", "3", "--", "sh", "-c", f"touch '{ready}'; sleep 60")
    while not ready.exists() and process.poll() is None:
        pass
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Traceback" not in err
    assert "kept" in err
    assert [trial.state for trial in cm.Study.load(study).trials] == [cm.State.RELEASED]
