"""Command lines for every command there is, to run against studies of all kinds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from typer.main import get_command

from camobo.cli import app

_STUDY_FIRST = {
    "set": [["--budget", "90"], ["--cost", "none", "--json"], ["--formula", "2*"], ["--prices", "{sheet}"], []],
    "ask": [["--fix", "{name}"], ["--fix", "{name}=1"], ["--same", "{name}"],
            [], ["--json"], ["--csv", "-"], ["--csv", "{new}.csv"], ["--sheet", "{sheet}"],
            ["--sheet", "{new}.xlsx"], ["-n", "3", "--owner", "{name}"]],
    "tell": [["0", "{objective}=1"], ["1", "--cost", "3"], ["1", "{name}=1"], ["1", "{objective}={name}"],
             ["1", "{objective}=4", "--note", "{name}", "--json"], ["999", "{objective}=1"],
             ["--csv", "{sheet}"], ["{name}", "{objective}=1"]],
    "add": [["{objective}=1"], ["{name}"], ["{name}=1", "--note", "{name}"], ["nickel=1", "--reason", "{name}"],
            ["nickel=1", "{objective}=1", "--cost", "{name}", "--json"], []],
    "amend": [["0", "{objective}=2", "-r", "{name}"], ["0", "--withdraw", "-r", "{name}", "--json"], ["0", "-r", "x"]],
    "fail": [["2", "-r", "{name}"], ["{name}", "-r", "{name}"], ["1", "2", "-r", "x", "--json"]],
    "release": [["3"], ["3", "{name}"], ["1", "--json"]],
    "check": [[], ["--json"]],
    "backup": [["{new}.db"], ["{new}.db", "--force"], ["{sheet}"], ["{name}"], ["{study}"]],
    "repair": [["{new}-fixed.db"], ["{new}-fixed.db", "--json"], ["{sheet}"], ["{study}", "--force"]],
    "status": [[], ["--json"]],
    "front": [[], ["--json"], ["--sort", "{objective}"], ["--sort", "{name}"]],
    "explain": [["0"], ["1", "--json"], ["{name}"]],
    "log": [[], ["--json"], ["--trial", "0"], ["--trial", "{name}"]],
    "report": [["-o", "{new}.html", "--title", "{name}"], ["-o", "{new}.html", "--trial", "{name}"], []],
    "export": [[], ["--only", "front"], ["-o", "{new}.csv"], ["-o", "{new}.xlsx"], ["-o", "{sheet}"],
               ["--only", "{name}"]],
    "import": [["{sheet}"], ["{sheet}", "--json"], ["{new}"], ["{study}"]],
    "run": [["-n", "1", "--", "false"], ["-n", "1", "--", "echo", "{objective}=1"], ["--json", "--", "x"], []],
}  # fmt: skip
"""Per command that works on a study, what comes after the study."""

_OTHERS = {
    "init": [["{new}.toml"], ["{study}/x.toml"], ["-"]],
    "new": [
        ["{problem}", "--storage", "{study}"],
        ["{problem}", "--storage", "{study}", "--json"],
        ["{problem}", "--storage", "{study}", "--dry-run"],
        ["{problem}", "--storage", "{study}", "--dry-run", "--json"],
        ["{problem}", "--storage", "{study}", "--prices", "{sheet}"],
        ["{study}"],
        ["{study}.toml"],
    ],
    "demo": [["--keep", "{study}"]],
    "report": [["--optuna", "{study}"], ["--optuna", "{study}", "--study", "{name}", "-o", "{new}.html"]],
    "ask": [["{study}.toml"]],
    "run": [
        ["{problem}", "--storage", "{study}", "-n", "1", "--", "false"],
        ["{study}.toml", "-n", "1", "--", "false"],
        ["{study}", "--storage", "{study}", "-n", "1", "--", "false"],
    ],
    "import": [["{problem}", "{study}"]],
    "export": [["{study}", "-o", "{study}"], ["{study}", "-o", "{study}/x"]],
    "tell": [["{problem}", "--csv", "{study}"]],
    "paper table": [["{study}"], ["{new}", "--write", "{study}"]],
    "paper redraw": [["{study}"]],
    "paper pack": [["{study}"]],
    "paper compare": [
        ["{study}", "--", "false"],
        ["{problem}", "--out", "{study}", "--runs", "1", "--iterations", "1"],
    ],
}
"""The other lines."""


def commands() -> dict[str, Any]:
    """Every command by its name, as Typer knows it; "paper zdt3" for one in a group."""

    def inside(group: Any, prefix: str) -> Iterator[tuple[str, Any]]:
        for name, each in group.commands.items():
            if hasattr(each, "commands"):
                yield from inside(each, f"{prefix}{name} ")
            else:
                yield f"{prefix}{name}", each

    return dict(inside(get_command(app), ""))


def lines(**words: str) -> Iterator[list[str]]:
    """Command lines of every command, right ones and wrong ones.

    words: what stands for {study}, {problem}, {sheet} (files that exist), {new} (the start of the names of files that
    do not), {objective} and {name} (any word).
    """
    for command in commands():
        found = [["{study}", *rest] for rest in _STUDY_FIRST.get(command, [])] + _OTHERS.get(command, [])
        assert found or command.startswith("paper "), f"add lines for camobo {command} to {__name__}"
        # What no command takes: Typer's own complaints show it.
        for rest in [*found, ["{study}"] * 4, ["--no-such={study}", "{study}"]]:
            yield [*command.split(), *(part.format_map(words) for part in rest)]
    yield ["{study}".format_map(words)]
