"""Runs a tutorial's commands as its reader would, and says what they print.

    python tests/support/tutorial.py docs/tutorial-bench.md     run it and write what the commands print into it

A block ```python title="train.py"``` is a file; in a block ```console``` every line that begins with "$ " is a command
for bash, and what follows is what it printed. Blocks of other kinds are only read.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
_BLOCK = re.compile(r"^```(?P<kind>\w+)(?: title=\"(?P<title>[^\"]+)\")?\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?")


@dataclass(frozen=True, slots=True)
class Step:
    """A command of a tutorial, what it says the command prints, and what it printed."""

    command: str
    said: str
    printed: str
    code: int


def steps(text: str) -> Iterator[tuple[re.Match[str], list[tuple[str, str]]]]:
    """The blocks to act on: a file, or commands with what is said of them."""
    for block in _BLOCK.finditer(text):
        if block["title"]:
            yield block, []
        elif block["kind"] == "console":
            parts = re.split(r"^\$ ", block["body"], flags=re.MULTILINE)[1:]
            yield block, [_parted(part) for part in parts]


def _parted(part: str) -> tuple[str, str]:
    """A command, which goes on over lines that end with a backslash, and the rest."""
    match = re.match(r"(?:.*\\\n)*.*\n?", part)
    command = match[0] if match else part
    return command.rstrip("\n"), part[len(command) :]


def run(text: str, folder: Path) -> list[list[Step]]:
    """Act on all blocks in a folder; the steps, block by block."""
    tools = folder / ".tools"
    tools.mkdir()
    for name, line in (
        ("camobo", f'exec "{sys.executable}" -m camobo "$@"'),
        ("python", f'exec "{sys.executable}" "$@"'),
    ):
        (tools / name).write_text(f"#!/bin/sh\n{line}\n")
        (tools / name).chmod(0o755)
    surroundings = {
        **os.environ, "PATH": f"{tools}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT / "src"), "LOGNAME": "anna",
        "TZ": "UTC", "COLUMNS": "100", "NO_COLOR": "1", "OPENBLAS_NUM_THREADS": "1",
    }  # fmt: skip
    done: list[list[Step]] = []
    for block, commands in steps(text):
        if block["title"]:
            (folder / block["title"]).write_text(block["body"], encoding="utf-8")
        found = []
        for command, said in commands:
            process = subprocess.run(
                ["bash", "-c", command], cwd=folder, env=surroundings, stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT, text=True, timeout=300,
            )  # fmt: skip
            found.append(Step(command, said, process.stdout, process.returncode))
        done.append(found)
    return done


def gist(text: str) -> list[str]:
    """What matters of an output: its words, with numbers taken out and a table's rows as one."""
    lines: list[str] = []
    for line in text.splitlines():
        bare = " ".join(line.split())
        bare = "<row>" if re.match(r"\d+[ ,]", bare) else _NUMBER.sub("#", bare)
        if bare and (not lines or bare != lines[-1]):
            lines.append(bare)
    return lines


def rewritten(text: str, done: list[list[Step]]) -> str:
    """The tutorial with what its commands printed."""
    out, at = [], 0
    for (block, commands), found in zip(steps(text), done, strict=True):
        if commands:
            body = "".join(f"$ {step.command}\n" + (step.printed.rstrip() + "\n").lstrip("\n") for step in found)
            out += [text[at : block.start("body")], body]
            at = block.end("body")
    return "".join([*out, text[at:]])


if __name__ == "__main__":
    for name in sys.argv[1:]:
        with tempfile.TemporaryDirectory() as place:
            tutorial = Path(name)
            before = tutorial.read_text(encoding="utf-8")
            tutorial.write_text(rewritten(before, run(before, Path(place))), encoding="utf-8")
