"""No text from a study, a file or a command line reaches a terminal as a control character."""

from __future__ import annotations

import contextlib
import json
import re
from pathlib import Path

import pytest

import camobo as cm
from camobo.cli import main
from tests.support.commands import camobo
from tests.support.every_command import lines
from tests.support.terminals import terminal

EVIL = "e\x1b]0;owned\x07\x1b[2J\x9b5m\u202e\u2066\u200b\ufeff\x7fe"
"""The title of the window, a cleared screen, C1, the direction of writing turned, invisible characters, DEL."""
OURS = re.compile(r"\x1b\[(?:\d*(?:;\d+)*m|\?25[hl]|2K|1A|K)|\r")
"""What Rich sends on purpose: colours, and what redraws the progress bar."""


def evil(folder: Path) -> dict[str, str]:
    """A study, a problem and a sheet full of control characters, as words for command lines."""
    choices = [f"{EVIL} {i}" for i in range(3)]
    inputs = {f"{EVIL} in": cm.Real(0, 1, unit=EVIL), f"{EVIL} of": cm.Categorical(choices)}
    study = folder / f"{EVIL}.db"
    goals = {f"{EVIL} out": "max", f"{EVIL} two": "min"}
    budget = cm.Budget(trials=40, cost=2000, unit="EUR")
    with cm.Study(cm.Space(inputs), goals, budget=budget, seed=1, storage=study) as made:  # type: ignore[arg-type]
        for i in range(4):
            made.ask(owner=f"{EVIL}{i}")
        made.tell(0, dict.fromkeys(goals, 1.0), cost=3, note=EVIL)
        made.tell(1, {f"{EVIL} two": 1.0}, note=EVIL)
        made.amend(0, {f"{EVIL} out": 2.0}, EVIL)
        made.fail(3, EVIL)
        made.ask(2)
    (folder / f"{EVIL}.csv").write_text(f'trial,"{EVIL} out"\n2,{EVIL}\n')
    quoted = {name: json.dumps(f"{EVIL} {name}") for name in ("in", "of", "out")}
    (folder / f"{EVIL}.toml").write_text(
        f"[space]\n{quoted['in']} = {{ type = 'real', low = 0, high = 1, unit = {json.dumps(EVIL)} }}\n"
        f"{quoted['of']} = {{ type = 'categorical', choices = [{quoted['in']}, {quoted['of']}] }}\n"
        f"[objectives]\n{quoted['out']} = 'max'\n[study]\nbudget = 3\ncost = {json.dumps(f'{EVIL}')}\n"
    )
    return {
        "study": str(study),
        "problem": str(folder / f"{EVIL}.toml"),
        "sheet": str(folder / f"{EVIL}.csv"),
        "new": str(folder / f"{EVIL}new"),
        "objective": f"{EVIL} out",
        "name": EVIL,
    }


@pytest.mark.parametrize("options", [[], ["--debug"]], ids=["plain", "debug"])
@pytest.mark.parametrize("kind", ["xterm", "dumb"])
def test_no_command_sends_a_control_character_to_a_terminal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, options: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TERM", kind)
    monkeypatch.setenv("COLUMNS", "100")
    words = evil(tmp_path)
    guilty, escaped = [], 0
    for line in lines(**words):
        with (
            terminal() as (screen, seen),
            contextlib.redirect_stdout(screen),
            contextlib.redirect_stderr(screen),
            pytest.raises(SystemExit),
        ):
            main([*options, *line])
        shown = OURS.sub("", seen.decode())
        escaped += r"\x1b]0;owned" in shown
        if not shown.replace("\n", "").isprintable():
            guilty.append((line, shown))
    assert guilty == []
    assert escaped > 60, "they did show the texts"


def test_programs_get_every_text_exactly(tmp_path: Path) -> None:
    words = evil(tmp_path)
    trial = camobo("log", words["study"], "--json").json["events"][0]
    assert list(trial["new"]["params"]) == [f"{EVIL} in", f"{EVIL} of"]
    exported = tmp_path / "piped.csv"
    exported.write_text(camobo("export", words["study"]).out, encoding="utf-8")
    assert EVIL in exported.read_text(encoding="utf-8")
    with cm.Study.load(words["study"]) as study:
        plan = study.plan
    with cm.Study(plan.space, dict(plan.objectives), storage=tmp_path / "again.db"):
        pass
    assert camobo("import", tmp_path / "again.db", exported).code == 0
    with cm.Study.load(tmp_path / "again.db") as again:
        assert [trial.note for trial in again.trials if trial.values] == [EVIL]
