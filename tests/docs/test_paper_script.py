"""`make paper`: what `benchmarks/paper.sh` runs, and what it keeps."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from camobo.errors import InvalidOptionError
from camobo.paper import drawing, folder, runs
from tests.support.commands import camobo

ROOT = Path(__file__).parents[2]
STUB = """#!/bin/sh
echo "$@" >> commands
for out; do :; done
case "$*" in *--out*) mkdir -p "$out"; for f in settings.json summary.json runs.npz figure.png cost-surface.png; do
  echo "$out" > "$out/$f"; done;; esac
"""


@pytest.fixture
def commands(tmp_path: Path) -> list[list[str]]:
    """The commands that the script runs in an empty tree, without what they do."""
    return run(tmp_path)


def run(tmp_path: Path, does: str = STUB) -> list[list[str]]:
    (tmp_path / "benchmarks").mkdir(exist_ok=True)
    (tmp_path / "docs").mkdir(exist_ok=True)
    shutil.copy(ROOT / "benchmarks" / "paper.sh", tmp_path / "benchmarks")
    stub = tmp_path / "stub"
    stub.write_text(does)
    stub.chmod(0o755)
    subprocess.run([tmp_path / "benchmarks" / "paper.sh"], env={**os.environ, "CAMOBO": str(stub)}, check=True)
    return [line.split() for line in (tmp_path / "commands").read_text().splitlines()]


def test_every_run_goes_to_the_folder_it_would_go_to_anyway(
    commands: list[list[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    claimed: list[str] = []

    def claim(place: Path, _: folder.Setting) -> None:
        claimed.append(str(place))
        raise InvalidOptionError("enough")

    monkeypatch.setattr(drawing, "available", lambda: None)
    monkeypatch.setattr(runs, "ready", lambda _: None)
    monkeypatch.setattr(folder, "claim", claim)
    made = [command for command in commands if "--out" in command and "cost-surface" not in command]
    for command in made:
        assert camobo(*command[:-2]).err.endswith("enough\n"), command
    assert claimed == [command[-1] for command in made]
    assert len(set(claimed)) == len(claimed) > 30


def test_the_text_is_run_at_full_length_with_every_cost_and_variants_with_twenty_runs(
    commands: list[list[str]],
) -> None:
    every = [part for cost in ("paper", "printed", "default") for part in ("--cost", cost)]
    full = [command for command in commands if command[-2:-1] == ["--out"] and "--runs" not in command]
    assert [command[1:-2] for command in full] == [
        ["cost-surface"],
        *[[name, *every] for name in ("zdt3", "cross-holder", "matyas-booth", "steel", "forest")],
        ["steel", "--objectives", "2", *every],
        ["zdt3", "--protocol", "authors", "--cost", "paper"],
        ["zdt3", "--depart", "model", "--cost", "paper"],
        ["network", *every],
    ]
    fewer = [command for command in commands if "--runs" in command]
    assert all(command[command.index("--runs") + 1] == "20" for command in fewer)


def test_runs_that_are_kept_count_as_made(tmp_path: Path) -> None:
    kept = tmp_path / "benchmarks" / "results" / "paper" / "zdt3"
    kept.mkdir(parents=True)
    for name in ("settings.json", "runs.npz"):
        (kept / name).write_text(f"kept {name}\n")
    stub = STUB.replace('mkdir -p "$out"', 'mkdir -p "$out"; cat "$out/runs.npz" >> found 2> /dev/null')
    run(tmp_path, stub)
    assert (tmp_path / "found").read_text() == "kept runs.npz\n"


def test_raw_runs_and_figures_are_kept_and_the_page_is_written_last(commands: list[list[str]], tmp_path: Path) -> None:
    kept = tmp_path / "benchmarks" / "results" / "paper"
    made = {Path(command[-1]).name for command in commands if "--out" in command} - {"cost-surface"}
    assert {path.name for path in kept.iterdir()} == made
    assert all((kept / name / "runs.npz").read_text() == f"paper-runs/{name}\n" for name in made)
    assert {" ".join(command) for command in commands if "pack" in command} == {
        f"paper pack paper-runs/{name}" for name in made
    }
    shown = {path.name for path in (tmp_path / "docs" / "paper").iterdir()}
    assert {f"paper/{name}" for name in shown} == {
        part.split(")")[0]
        for part in (ROOT / "docs" / "paper.md").read_text(encoding="utf-8").split("](")[1:]
        if ".png" in part
    }
    assert commands[-1] == ["paper", "table", "benchmarks/results/paper", "--write", "docs/paper.md"]
