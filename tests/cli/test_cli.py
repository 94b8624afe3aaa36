"""The command as a whole: help, exit codes, errors, pipes, and the JSON keys the reference documents."""

from __future__ import annotations

import errno
import io
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import camobo as cm
from camobo.cli import app, main, paper
from camobo.strategy.notes import Note
from tests.support.commands import SOURCE, alloy, camobo, measured

COMMANDS = [
    "backup", "check", "repair",
    "init", "new", "set", "demo", "ask", "tell", "add", "amend", "fail", "release", "status", "front", "explain", "log",
    "report", "export", "import", "run",
]  # fmt: skip


def test_the_version_is_the_package_s() -> None:
    done = camobo("--version")
    assert (done.code, done.out.strip()) == (0, f"camobo {cm.__version__}")


def test_no_command_at_all_shows_the_help() -> None:
    done = camobo()
    assert "Usage" in done.out + done.err


def test_an_unknown_command_is_a_usage_error() -> None:
    done = camobo("melt")
    assert done.code == 2
    assert "melt" in done.err


def test_every_command_belongs_to_one_group() -> None:
    groups = [g.typer_instance for g in app.registered_groups if g.typer_instance not in (None, paper.app)]
    commands = [command for group in groups if group is not None for command in group.registered_commands]
    names = [command.name or getattr(command.callback, "__name__", "") for command in commands]
    assert sorted(name.rstrip("_") for name in names) == sorted(COMMANDS)


class TestHelp:
    def test_every_command_is_listed(self) -> None:
        listed = camobo("--help").out
        assert all(re.search(rf"│ {name}\s", listed) for name in [*COMMANDS, "paper"])

    @pytest.mark.parametrize("name", [*COMMANDS, "paper"])
    def test_every_command_shows_examples_that_call_it(self, name: str) -> None:
        shown = camobo(name, "--help")
        assert shown.code == 0
        assert f"camobo {name}" in shown.out.partition("Examples:")[2]

    @pytest.mark.parametrize("name", ["", *COMMANDS, "paper"])
    def test_no_line_of_a_description_is_broken_on_a_terminal_of_80_columns(
        self, name: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def description(width: int) -> str:
            monkeypatch.setenv("COLUMNS", str(width))
            text = camobo(*name.split(), "--help").out
            lines = text[
                text.index("\n   camobo ") : text.index("╭─")
            ].splitlines()  # after the summary, which may wrap
            return "\n".join(line.rstrip() for line in lines)

        assert description(80) == description(200)

    def test_the_old_name_of_an_option_is_not_listed(self) -> None:
        assert "--dear" not in camobo("report", "--help").out


def loaded_by(*lines: list[str]) -> set[str]:
    """Which modules are loaded after running command lines in a new process."""
    code = (
        "import sys\nfrom camobo.cli import main\n"
        f"for line in {lines!r}:\n"
        "    try: main(line)\n"
        "    except SystemExit as left: assert not left.code\n"
        "print('loaded:', *sys.modules)"
    )
    environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=True)
    return set(done.stdout.rpartition("loaded:")[2].split())


class TestStartingQuickly:
    def test_help_loads_nothing_heavy(self) -> None:
        found = loaded_by(["--help"], ["ask", "--help"])
        assert "camobo.cli" in found
        assert not found & {"numpy", "scipy", "sqlalchemy", "plotly", "moocore", "camobo.study.study"}

    def test_recording_and_reading_do_not_load_what_suggesting_needs(self, tmp_path: Path) -> None:
        study = str(alloy(tmp_path))
        assert camobo("ask", study).code == 0
        found = loaded_by(["tell", study, "0", "strength=5", "corrosion=1"], ["status", study])
        assert "numpy" in found
        assert not found & {"scipy", "plotly", "camobo.strategy.suggest"}


class TestErrors:
    def test_an_error_is_one_line_without_a_traceback(self, tmp_path: Path) -> None:
        done = camobo("status", tmp_path / "none.db")
        assert (done.code, done.out) == (1, "")
        assert re.fullmatch(r"Error: .*none\.db: .*\. Create a study with camobo new\.\n", done.err)

    @pytest.mark.parametrize("at_the_front", [True, False])
    def test_debug_shows_the_traceback_wherever_it_stands(self, tmp_path: Path, at_the_front: bool) -> None:
        line = ["status", str(tmp_path / "none.db")]
        done = camobo(*(["--debug", *line] if at_the_front else [*line, "--debug"]))
        assert (done.code, done.out) == (1, "")
        assert done.err.startswith("Traceback (most recent call last):\n")
        assert "\n    with arguments.open_study(study)" in done.err
        assert re.search(r"\ncamobo\.errors\.StorageError: .*none\.db: no such file\..*\n$", done.err)

    @pytest.mark.parametrize(
        ("line", "code", "hint"),
        [
            (["paper", "steel"], 130, ""),
            (["status", "alloy.db"], 130, "Interrupted. Everything recorded so far is stored."),
            (["run", "alloy.toml", "train"], 2, "The command that evaluates trials comes after --"),
            (["tell", "alloy.db", "0", "-ni=3"], 2, "camobo tell alloy.db 0 -- -ni=3"),
        ],
    )
    @pytest.mark.parametrize("debug", [[], ["--debug"]])
    def test_a_hint_depends_on_the_command_and_not_on_debug_before_it(
        self,
        line: list[str],
        code: int,
        hint: str,
        debug: list[str],
        monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        def stopped(**_: object) -> None:
            raise SystemExit(code)

        monkeypatch.setattr("camobo.cli.app", stopped)
        with pytest.raises(SystemExit):
            main([*debug, *line])
        said = capsys.readouterr().err
        assert hint in said
        assert bool(said) == bool(hint)

    def test_debug_after_two_dashes_belongs_to_the_command_that_is_run(self, tmp_path: Path) -> None:
        done = camobo("run", tmp_path / "none.db", "--", "train", "--debug")
        assert done.code == 1
        assert "Traceback" not in done.err

    def test_an_unexpected_error_is_one_line_too(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        study = alloy(tmp_path)
        monkeypatch.setattr(cm.Study, "front", lambda self: 1 / 0)
        done = camobo("front", study)
        assert done.code == 1
        assert "ZeroDivisionError" in done.err
        assert "--debug" in done.err
        assert "Traceback" not in done.err
        assert camobo("--debug", "front", study).err.endswith("ZeroDivisionError: division by zero\n")

    @pytest.mark.parametrize(
        ("raised", "said"),
        [
            (PermissionError(errno.EACCES, "Permission denied", "alloy.db"), "alloy.db: Permission denied."),
            (OSError(errno.ENOSPC, "No space left"), "the output could not be written: No space left. camobo log"),
            (OSError(errno.ENETDOWN, "Network is down"), "Network is down. Run with --debug"),
        ],
    )
    def test_an_error_of_the_system_says_what_to_do(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, raised: OSError, said: str
    ) -> None:
        study = alloy(tmp_path)

        def failing(self: cm.Study) -> None:
            raise raised

        monkeypatch.setattr(cm.Study, "front", failing)
        done = camobo("front", study)
        assert done.code == 1
        assert said in done.err

    def test_advice_names_commands_not_python(self, tmp_path: Path) -> None:
        study = alloy(tmp_path)
        camobo("ask", study)
        camobo("tell", study, "0", "strength=1", "corrosion=1")
        for command, *rest in (
            ["tell", "0", "strength=1"],
            ["tell", "7", "strength=1"],
            ["release", "0"],
            ["amend", "0", "strength=1", "-r", ""],
        ):
            done = camobo(command, study, *rest)
            assert done.code == 1
            assert "study." not in done.err

    def test_control_characters_in_an_error_are_escaped(self, tmp_path: Path) -> None:
        done = camobo("status", tmp_path / "a\x1b[2J\u202e.db")
        assert "\\x1b[2J\\u202e" in done.err
        assert "\x1b" not in done.err


class TestStreams:
    def test_a_reader_may_stop_reading(self, tmp_path: Path) -> None:
        study = alloy(tmp_path)
        camobo("ask", study, "-n", "2")
        reader, writer = os.pipe()
        os.close(reader)
        line = [sys.executable, "-m", "camobo", "log", str(study), "--json"]
        environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
        done = subprocess.run(line, stdout=writer, stderr=subprocess.PIPE, env=environment)
        os.close(writer)
        assert done.stderr == b""

    @pytest.mark.parametrize(("more", "shown"), [([], "\\xb5"), (["--json"], "\\u00b5")])
    def test_a_terminal_without_greek_letters_shows_their_codes(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, more: list[str], shown: str
    ) -> None:
        study = alloy(tmp_path)
        camobo("ask", study)
        camobo("tell", study, "0", "strength=1", "corrosion=1", "--note", "µ")
        seen = io.BytesIO()
        monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(seen, encoding="ascii"))
        with pytest.raises(SystemExit) as stopped:
            main(["log", str(study), *more])
        assert stopped.value.code == 0
        assert shown in seen.getvalue().decode("ascii")


TRIAL = {
    "number", "state", "params", "values", "expected", "cost", "note", "reason", "owner", "expires", "added", "amended",
    "chosen", "notes", "late",
}  # fmt: skip
DOCUMENTED: dict[str, tuple[list[str], set[str]]] = {
    "new": (["--dry-run"], {"study", "problem", "trials"}),
    "ask": ([], {"trials"}),
    "tell": (["6", "strength=1"], {"trials", "told_before"}),
    "amend": (["0", "strength=1", "-r", "r"], {"trials"}),
    "add": (["nickel=1", "chromium=2", "soak=3", "quench=oil", "-r", "r"], {"trials"}),
    "fail": (["6", "-r", "r"], {"trials"}),
    "release": (["6"], {"trials"}),
    "set": (["--budget", "50"], {"study", "changed"}),
    "status": ([], {"study", "objectives", "cost", "order", "thrift", "budget", "money", "evaluated", "added", "trials",
                    "costs_told", "hypervolume", "reference", "front", "inputs", "disagreements", "late", "open"}),
    "front": ([], {"objectives", "hypervolume", "trials"}),
    "explain": (["5"], {"trial", "predictions", "promise", "cost", "cost_in_money", "without_cost", "fixed"}),
    "log": ([], {"events"}),
    "check": ([], {"study", "sound", "format", "events", "trials", "findings"}),
    "repair": ([], {"study", "file", "events", "trials", "findings", "renumbered"}),
    "import": ([], {"trials", "there_before", "without_results", "in_part", "costs_added", "costs_left_out",
                    "notes_left_out", "reasons_left_out"}),
    "run": (["-n", "1", "--", "echo", '{{"strength": 1, "corrosion": 2}}'],
            {"study", "evaluated", "failed", "hypervolume", "front", "spent", "spent_in_all", "remaining"}),
}  # fmt: skip
PARTS: dict[str, tuple[str, set[str]]] = {
    "money": ("status", {"unit", "spent", "estimated", "reserved", "remaining"}),
    "disagreements": ("status", {"more_expensive", "cheaper"}),
    "events": ("log", {"number", "when", "who", "kind", "trial", "new", "old"}),
}


class TestJson:
    REFERENCE = (Path(__file__).parents[2] / "docs" / "command-line.md").read_text(encoding="utf-8")

    @pytest.mark.parametrize("name", DOCUMENTED)
    def test_the_keys_are_those_the_reference_lists(self, tmp_path: Path, name: str) -> None:
        study = measured(tmp_path)
        camobo("ask", study)
        arguments, keys = DOCUMENTED[name]
        if name == "import":
            camobo("export", study, "-o", tmp_path / "e.csv")
            arguments = [str(tmp_path / "e.csv")]
        if name == "repair":
            arguments = [str(tmp_path / "fixed.db")]
        place = tmp_path / "alloy.toml" if name == "new" else study
        at = arguments.index("--") if "--" in arguments else len(arguments)
        facts = camobo(name, place, *arguments[:at], "--json", *arguments[at:]).json
        assert set(facts) == keys
        for trial in facts["trials"] if isinstance(facts.get("trials"), list) else []:
            assert set(trial) == TRIAL
        assert all(f"`{key}`" in self.REFERENCE for key in keys | TRIAL)

    @pytest.mark.parametrize("part", PARTS)
    def test_the_keys_of_the_parts_are_those_the_reference_lists(self, tmp_path: Path, part: str) -> None:
        command, keys = PARTS[part]
        study = measured(tmp_path)
        with cm.Study.load(study) as opened:
            for i in range(12):  # chromium costs more than nickel by these
                nickel, chromium = 4.0 * (i % 4), 6.0 * (i // 4)
                params = {"nickel": nickel, "chromium": chromium, "soak": 1, "quench": "air"}
                opened.add(params, {"strength": i, "corrosion": i}, cost=5 + nickel + 9 * chromium)
            first: Any = opened.trials[0].params
            opened.amend(0, cost=5 + first["nickel"] + 9 * first["chromium"], reason="invoice")
        found = camobo(command, study, "--json").json[part]
        assert found
        assert all(set(each) == keys for each in (found if isinstance(found, list) else [found]))
        assert all(f"`{key}`" in self.REFERENCE for key in keys)

    def test_a_trial_says_how_it_was_chosen_as_data_and_as_sentences(self, tmp_path: Path) -> None:
        (trial,) = camobo("ask", alloy(tmp_path), "--json").json["trials"]
        assert trial["notes"] == [{"reason": "initial-design"}]
        assert trial["chosen"] == [str(Note.of(note)) for note in trial["notes"]]

    def test_numbers_are_numbers(self, tmp_path: Path) -> None:
        study = measured(tmp_path)
        facts = camobo("front", study, "--json").json
        trial = facts["trials"][0]
        assert isinstance(trial["params"]["nickel"], float)
        assert isinstance(trial["params"]["soak"], int)
        assert all(isinstance(value, float) for value in trial["values"].values())
        assert [t["number"] for t in facts["trials"]] == [t.number for t in cm.Study.load(study).front()]
