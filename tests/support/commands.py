"""Run the `camobo` command in tests: in this process for speed, or in one of its own where that is the point."""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import camobo as cm
from camobo.cli import main
from camobo.cli.demo import furnace

SOURCE = Path(__file__).parents[2] / "src"


@dataclass(frozen=True, slots=True)
class Done:
    """What a command printed, and its exit code."""

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
    """Start a command line in a process of its own."""
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
    """A new study of the example problem: alloy.db, with its problem file alloy.toml next to it."""
    return measured(folder, 0)


def measured(folder: Path, count: int = 6) -> Path:
    """A study of the example problem with `count` complete trials."""
    problem, study = _example(count)
    (folder / "alloy.toml").write_bytes(problem)
    (folder / "alloy.db").write_bytes(study)
    return folder / "alloy.db"


@cache
def _example(count: int) -> tuple[bytes, bytes]:
    """The bytes of the problem file and of the study's file; made once, since a hundred tests need them."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        assert camobo("init", folder / "alloy.toml").code == 0
        assert camobo("new", folder / "alloy.toml").code == 0
        with cm.Study.load(folder / "alloy.db") as study:
            for _ in range(count):
                trial = study.ask()
                study.tell(trial, furnace(trial.params))
        assert not (folder / "alloy.db-wal").exists()
        return (folder / "alloy.toml").read_bytes(), (folder / "alloy.db").read_bytes()
