"""Running the `camobo` command in tests: here for speed, in a process of its own where that is the point."""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from camobo.cli import main

SOURCE = Path(__file__).parent.parent / "src"


@dataclass(frozen=True, slots=True)
class Done:
    """What a command did."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        def refused(word: str) -> None:
            raise ValueError(f"{word} is not JSON")

        return json.loads(self.out, parse_constant=refused)


def camobo(*arguments: str | Path) -> Done:
    """Run a command line in this process."""
    out, err = io.StringIO(), io.StringIO()
    code: Any = 0
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            main([str(part) for part in arguments])
        except SystemExit as stopped:
            code = stopped.code or 0
    return Done(code, out.getvalue(), err.getvalue())


def start(*arguments: str | Path, **options: Any) -> subprocess.Popen[str]:
    """Begin a command line in a process of its own."""
    line = [sys.executable, "-m", "camobo", *map(str, arguments)]
    surroundings = {**os.environ, "PYTHONPATH": str(SOURCE), **options.pop("env", {})}
    return subprocess.Popen(
        line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=surroundings, **options
    )


def apart(*arguments: str | Path, **options: Any) -> Done:
    """Run a command line in a process of its own."""
    process = start(*arguments, **options)
    out, err = process.communicate(timeout=120)
    return Done(process.returncode, out, err)


def alloy(folder: Path) -> Path:
    """A study of the example problem with a few trials."""
    problem = folder / "alloy.toml"
    assert camobo("init", problem).code == 0
    assert camobo("new", problem).code == 0
    return folder / "alloy.db"
