"""Whatever is typed wrong gives a message with the place and the fix, exit code 1, and nothing written."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

import pytest

import camobo as cm
from tests.support.commands import SOURCE, alloy, camobo

GOOD = """
[space]
nickel = { type = "real", low = 0, high = 20 }
quench = { type = "categorical", choices = ["air", "oil"] }

[objectives]
strength = "max"

[study]
cost = "nickel > quench"
budget = 10
"""
INPUT = 'nickel = { type = "real", low = 0, high = 20 }'


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("[space]", "[space", "line 2, column 7"),
        ("budget = 10", "budget = ", "line 11, column 10"),
        ("budget = 10", "budget = 10\nbudget = 12", "line 12"),
        ("budget = 10", "budget = 0", r"[study]: budget: need a whole number of at least 1, got 0"),
        ("budget = 10", "budget = '10'", "budget: need a whole number"),
        ("budget = 10", "budgte = 10", "'budgte'. Did you mean 'budget'?"),
        ("budget = 10", "seed = -1", "seed: need a whole number"),
        ("budget = 10", "method = 'best'", "method: need one of 'default', 'paper'"),
        ("budget = 10", "beta = 3", "beta: need one of"),
        ("budget = 10", "refit_every = 1.5", "refit_every: need a whole number"),
        ("budget = 10", "reference = { strenght = 1 }", "reference: no objective called 'strenght'"),
        ("budget = 10", "reference = { strength = nan }", "reference: objective 'strength' needs a finite number"),
        ("[study]", "[studio]", "'studio'. Did you mean 'study'?"),
        ("[objectives]", "[objectifs]", "objectifs"),
        ('strength = "max"', 'strength = "up"', "[objectives]: objectives: 'strength' must be \"min\" or \"max\""),
        ('strength = "max"', "", "[objectives]: objectives: need at least one"),
        (INPUT, "", "'nickel' is not an input"),
        (INPUT, 'nickel = { type = "float", low = 0, high = 20 }', "[space] nickel: need type"),
        (INPUT, 'nickel = { type = "real", low = 0 }', "[space] nickel: high is missing"),
        (INPUT, 'nickel = { type = "real", low = 20, high = 0 }', "[space] nickel"),
        (INPUT, 'nickel = { type = "real", low = nan, high = 0 }', "[space] nickel"),
        (INPUT, 'nickel = { type = "real", low = 0, high = inf }', "[space] nickel"),
        (INPUT, 'nickel = { type = "real", low = 0, high = 20, log = true }', "[space] nickel"),
        (INPUT, 'nickel = { type = "real", low = 0, high = 20, expensive = "left" }', "[space] nickel"),
        (INPUT, 'nickel = { type = "real", low = 0, high = 20, step = 0.3 }', "[space] nickel"),
        (INPUT, 'nickel = { type = "integer", low = 0, high = 20, step = 2 }', "[space] nickel"),
        (INPUT, 'nickel = { type = "real", low = 0, hihg = 20 }', "Did you mean 'high'?"),
        (INPUT, 'nickel = { type = "integer", low = 0.5, high = 20 }', "[space] nickel"),
        (INPUT, "nickel = 3", "[space] nickel: need type"),
        ('["air", "oil"]', '["air"]', "[space] quench: Categorical: need at least two choices"),
        ('["air", "oil"]', '["air", "air"]', "[space] quench"),
        ('["air", "oil"]', '["air", 1979-05-27]', "[space] quench"),
        ('["air", "oil"]', '["air", "oil"], expensive = ["tar"]', "[space] quench: Categorical: expensive names 'tar'"),
        ('"nickel > quench"', '"nickel > "', "[study] cost: order: expected an input's name"),
        ('"nickel > quench"', '"nickel > chrome"', "order: 'chrome' is not an input"),
        ('"nickel > quench"', '"nickel > quench > nickel"', "'quench' cannot be more expensive than 'nickel'"),
        ('"nickel > quench"', '"nickel < quench"', "Write the more expensive input first"),
        ('"nickel > quench"', "7", "[study] cost: need an order"),
        ('"nickel > quench"', '{ type = "lunar", order = "nickel" }', '[study] cost: type must be one of \'order\''),
        ('"nickel > quench"', '{ order = "nickel", strength = -1 }', "[study] cost"),
    ],
)  # fmt: skip
def test_a_problem_file_with_a_mistake_names_its_place_and_creates_nothing(
    tmp_path: Path, old: str, new: str, said: str
) -> None:
    assert old in GOOD
    problem = tmp_path / "alloy.toml"
    problem.write_text(GOOD.replace(old, new), encoding="utf-8")
    done = camobo("new", problem)
    assert (done.code, done.out) == (1, "")
    assert said in done.err
    assert str(problem) in done.err
    assert [path.name for path in tmp_path.iterdir()] == ["alloy.toml"]


@pytest.mark.parametrize("content", [b"\xff\xfe\x00", b"", b"\x00", "[space]\nµ = 1".encode("latin-1")])
def test_a_file_that_is_not_a_problem_file_is_refused(tmp_path: Path, content: bytes) -> None:
    problem = tmp_path / "alloy.toml"
    problem.write_bytes(content)
    assert camobo("new", problem).code == 1
    assert camobo("new", tmp_path / "none.toml").code == 1
    assert camobo("new", tmp_path).code == 1
    assert [path.name for path in tmp_path.iterdir()] == ["alloy.toml"]


def test_a_study_where_a_problem_is_wanted_and_a_place_without_a_name_are_refused(tmp_path: Path) -> None:
    study = alloy(tmp_path)
    assert "is a database, perhaps a study, not a problem file" in camobo("new", study).err
    refused = camobo("new", tmp_path / "alloy.toml", "--storage", "")
    assert (refused.code, refused.out) == (1, "")
    assert "storage: need a file" in refused.err


@cache
def _asked() -> bytes:
    """The file of a study with three trials, one of them complete."""
    with tempfile.TemporaryDirectory() as folder:
        study = alloy(Path(folder))
        assert camobo("ask", study, "-n", "3").code == 0
        assert camobo("tell", study, "0", "strength=400", "corrosion=0.5").code == 0
        return study.read_bytes()


def study_with_trials(folder: Path) -> Path:
    study = alloy(folder)
    study.write_bytes(_asked())
    return study


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["tell", "1", "strength=nan"], "objective 'strength': need a finite number such as 0.31, got 'nan'"),
        (["tell", "1", "strength=inf"], "objective 'strength': need a finite number"),
        (["tell", "1", "strength=1e999"], "which is too large"),
        (["tell", "1", "strength=512,5"], "need a decimal point, not a comma, got '512,5'. Write 512.5."),
        (["tell", "1", "strength=1,512"], "Write 1512 or 1.512."),
        (["tell", "1", "strength=1,512.5"], "Write 1512.5."),
        (["tell", "1", "strength=512MPa"], "need a number without a unit, got '512MPa'. Write 512."),
        (["tell", "1", "strength=1_000"], "need a finite number such as 0.31, got '1_000'."),
        (["tell", "1", "strength=0x10"], "need a finite number such as 0.31, got '0x10'."),
        (["tell", "1", "strength=٣"], "objective 'strength'"),
        (["tell", "1", "strength="], "objective 'strength'"),
        (["tell", "1", "=3"], "need name=value such as strength=0.31"),
        (["tell", "1", "512"], "need name=value such as strength=0.31, got '512'"),
        (["tell", "1", "strenght=512"], "values: unknown objective 'strenght'. Did you mean 'strength'?"),
        (["tell", "1", "strength=1", "strength=2"], "'strength' is given twice"),
        (["tell", "1"], "values: need a result, such as strength=0.31, or --cost or --note."),
        (["tell", "1", "strength=1", "--cost", "-1"], "--cost: need a number of at least 0"),
        (["tell", "1", "strength=1e-400"], "got '1e-400', which is too small to tell from 0. Write 0"),
        (["tell", "1", "strength=−1e-400"], "which is too small to tell from 0"),
        (["tell", "1", "strength=" + "9" * 5000], "…999999999' (5002 characters), which is too large."),
        (["tell", "9" * 5000, "strength=1"], "…999999999' (5002 characters). camobo status"),
        (["tell", "1", "strength", "=", "512"], "got 'strength'. Write it without spaces around the =."),
        (["import", "alloy.db"], "alloy.db: is a database, perhaps a study. To get a CSV file, use camobo export."),
        (["tell", "1", "{}"], "need name=value such as strength=0.31, got '{}'"),
        (["tell", "1", "strength=1", "--cost", "nan"], "--cost: need a finite number such as 0.31, got 'nan'.\n"),
        (["tell", "1", "strength=1", "--cost", "1,5"], "--cost: need a decimal point"),
        (["tell", "0", "strength=1"], "trial 0 is already complete"),
        (["tell", "3", "strength=1"], "this study has trials 0 to 2"),
        (["tell", "99999999999999999999", "strength=1"], "need a trial's number such as 3"),
        (["tell", "-1", "strength=1"], None),
        (["tell", "1", "-ni=1"], None),
        (["tell", "one", "strength=1"], "trial: need a trial's number such as 3, got 'one'"),
        (["tell", "1.0", "strength=1"], "need a trial's number"),
        (["amend", "0", "strength=x", "-r", "r"], "objective 'strength'"),
        (["amend", "0", "strength=1", "-r", " "], "reason: need"),
        (["amend", "1", "strength=1", "-r", "r"], "use camobo tell"),
        (["amend", "1", "--withdraw", "-r", "r"], "no result to withdraw"),
        (["amend", "7", "strength=1", "-r", "r"], "this study has trials 0 to 2"),
        (["fail", "1", "7", "-r", "r"], "this study has trials 0 to 2"),
        (["fail", "1", "0", "-r", "r"], "trial 0 is already complete"),
        (["fail", "1", "-r", " "], "--reason: need a few words"),
        (["release", "1", "0"], "trial 0 is already complete"),
        (["release", "x"], "need a trial's number"),
        (["explain", "9"], "this study has trials 0 to 2"),
        (["log", "--trial", "9"], "this study has trials 0 to 2"),
        (["front", "--sort", "strenght"], "--sort: unknown objective 'strenght'. Did you mean 'strength'?"),
        (["ask", "--lease", "soon"], "lease: need a time"),
        (["ask", "--owner", " "], "owner: need a name"),
        (["ask", "--csv", "/no/such/folder/s.csv"], "its folder does not exist"),
        (["ask", "--csv", "s.csv", "--json"], "--sheet and --json: give only one of them"),
        (["export", "-o", "/no/such/folder/s.csv"], "its folder does not exist"),
        (["import", "/no/such/file.csv"], "cannot be read"),
        (["tell", "--csv", "/no/such/file.csv"], "cannot be read"),
        (["run", "-n", "1", "--", "no-such-command"], "cannot be found"),
        (["run", "-n", "1", "--", "true", "{nickle}"], "asks for 'nickle', which is not an input"),
        (["run", "-n", "1", "--timeout", "x", "--", "true"], "timeout: need a time"),
        (["tell", "1", "strength=1", "cost=5"], "What a trial cost is told with --cost 5."),
        (["fail", "1", "2", "-r", "r", "--cost", "5"], "--cost: goes with one trial, got 2."),
        (["fail", "1", "-r", "r", "--cost", "-5"], "--cost: need a number of at least 0"),
        (["amend", "0", "-r", "r", "--cost", "x"], "--cost: need a finite number"),
        (["amend", "0", "-r", "r"], None),
        (["set"], None),
        (["set", "--budget", "2,000 EUR"], "need numbers with a decimal point and without separators"),
        (["set", "--budget", "60, 80"], "got two numbers of trials, '60, 80'. Give one. An amount of money needs"),
        (["set", "--budget", "60 EUR, 80 EUR"], "got two amounts of money"),
        (["set", "--budget", "€ 2000"], "--budget: need a number of trials such as 80, an amount with its unit"),
        (["set", "--budget", "0"], "need a whole number of at least 1"),
        (["set", "--budget", "-5 EUR"], "a finite number above 0"),
        (["set", "--budget", "9" * 400 + " EUR"], "--budget: need a finite number"),
        (["set", "--cost", "nickle"], "'nickle' is not an input."),
        (["set", "--cost", ""], "order: "),
        (["set", "--formula", "2*nikel"], "unknown input 'nikel'. Did you mean 'nickel'?"),
        (["set", "--formula", "2", "--cost", "nickel"], "--cost and --formula: give only one of them"),
        (["set", "--prices", "/no/such.csv"], "/no/such.csv: cannot be read"),
        (["set", "--thrift", "11"], "thrift: need a number from 0 to 10"),
        (["set", "--thrift", "0,5"], "--thrift: need a decimal point"),
        (["run", "-n", "1", "--storage", "x.db", "--", "true"], "--storage: goes with a problem file"),
    ],
)
def test_a_mistake_on_the_command_line_is_named_and_changes_nothing(
    tmp_path: Path, arguments: list[str], said: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = study_with_trials(tmp_path)
    monkeypatch.chdir(tmp_path)
    before = cm.Study.load(study).log()
    done = camobo(arguments[0], study, *arguments[1:])
    assert (done.code, done.out) == (1 if said else 2, "")
    assert (said or "") in done.err
    assert "Traceback" not in done.err
    assert cm.Study.load(study).log() == before


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "is empty"),
        ("\n\n,,\n", "is empty"),
        ("trial,strength\n1,5\n2,x\n", "line 3, column strength: need a finite number such as 0.31, got 'x'"),
        ("trial,strength\n1,5\n\n2,nan\n", "line 4, column strength"),
        ("trial;strength\n1;5.5\n2;5,5\n", "line 3, column strength: '5,5' has a comma, but line 2"),
        ("trial,strength\n1,5\n2,5,5\n", "line 3: has 3 cells, but the first line has 2"),
        ("trial,strength,note\n1,5,\"a\nb\"\n2,x,\n", "line 4, column strength"),
        ("trial,strength\n1,5\n1,6\n", "lines 2 and 3 disagree about trial 1: objective 'strength' is 5.0 and 6.0"),
        ("trial,strength\n1,5\n0,401\n", "line 3: trial 0: 'strength' is 401.0 here, but 400.0 was recorded before"),
        ("trial,strength\n1,5\n9,6\n", "line 3: trial 9: this study has trials 0 to 2"),
        ("trial,strength\n1,5\n,6\n", "line 3, column trial: need a trial's number"),
        ("trial,strength\n1,5\n2.5,6\n", "line 3, column trial: need a trial's number"),
        ("trial,strenght\n1,5\n", "line 1, column 2: unknown column 'strenght'. Did you mean 'strength'?"),
        ("Trial;STRENGTH\n1;5\n", "line 1, column 1: unknown column 'Trial'. Did you mean 'trial'?"),
        ("trial\t Strength \n1\t5\n", "line 1, column 2: unknown column ' Strength '. Did you mean 'strength'?"),
        ("trial|strength\n1|5\n", "Put commas, semicolons or tabs between the cells."),
        ("sep=;\ntrial;strength\n1;5\n2;x\n", "line 4, column strength: need a finite number"),
        ("sep=;\n", "is empty"),
        ("trial,nickel,strength\n1,1,5\n", "line 2, column nickel: is '1', but trial 1"),
        ("trial,strength,strength\n1,5,6\n", "line 1, column 3: column 'strength' appears twice"),
        ("strength\n5\n", "column 'trial' is missing"),
        ("trial,nickel,strength\n1,19.5,5\n", "line 2, column nickel: is '19.5', but trial 1"),
        ("trial,nickel,strength\n1,x,5\n", "line 2, column nickel: need a finite number"),
        ("trial,quench,strength\n1,tar,5\n", "line 2, column quench: need one of air, oil, water"),
        ("trial,strength,cost\n1,5,-1\n", "line 2, column cost: need a number of at least 0"),
        ("trial,strength,cost\n,,3\n", "line 2, column trial: need a trial's number"),
        ("trial,strength,cost\n1,5,3\n1,5,4\n", "lines 2 and 3 disagree about trial 1: the cost is 3.0 and 4.0"),
        ("trial,strength,failed\n1,5,cracked\n", "line 2: there are results, but column failed"),
        ("trial,strength,failed\n1,5,\n0,,cracked\n", "line 3: trial 0 is already complete"),
        ("trial,state,strength\n1,failed,5\n", "line 2: there are results, but column failed or state"),
        ("trial,state,strength\n1,failed,\n", "line 2: its state is failed. Write why in column failed or reason."),
        ("trial,state,strength\n1,complete,\n", "line 2: its state is complete, but there are no results"),
        ("trial,state,strength\n1,done,5\n", "line 2, column state: need complete, pending, released or failed"),
        ('trial,"strength\n1,5\n', "line 1: not valid CSV"),
        ('trial,strength\n1,"5"x\n', "line 2: not valid CSV"),
    ],
)  # fmt: skip
def test_a_sheet_with_a_mistake_names_the_line_and_records_nothing(tmp_path: Path, content: str, said: str) -> None:
    study = study_with_trials(tmp_path)
    before = cm.Study.load(study).log()
    sheet = tmp_path / "results.csv"
    sheet.write_text(content, encoding="utf-8")
    done = camobo("tell", study, "--csv", sheet)
    assert (done.code, done.out) == (1, "")
    assert said in done.err
    assert done.err.count(str(sheet)) == 1
    assert cm.Study.load(study).log() == before


ROW = "1,2,3,oil,400,0.5\n"


@pytest.mark.parametrize(
    ("header", "rows", "said"),
    [
        (
            "nickel,chromium,soak,quench,strength",
            "1,2,3,oil,400\n",
            "column 'corrosion' is missing. Need one column per objective.",
        ),
        (
            "nickel,chromium,soak,strength,corrosion",
            "1,2,3,400,1\n",
            "column 'quench' is missing. Need one column per input.",
        ),
        (
            "nickel,chromium,soak,quench,strength,corrosion,failed",
            "1,2,3,oil,4,5,cracked\n",
            "line 2: there are results, but column failed",
        ),
        (None, ROW + "1,2,3,tar,400,0.5\n", "line 3, column quench: need one of air, oil, water, got 'tar'"),
        (None, ROW + "1,2,3.5,oil,400,0.5\n", "line 3, column soak: need a whole number from 1 to 12, got 3.5"),
        (None, ROW + "1,99,3,oil,400,0.5\n", "line 3, column chromium"),
        (None, ROW + ",2,3,oil,400,0.5\n", "line 3, column nickel: need a number from 0 to 20, got an empty cell"),
        (None, ROW + "1,2,3,oil,400,\n", "line 3, column corrosion"),
        (None, ROW + "1,2,3,oil,400,low\n", "line 3, column corrosion"),
        (None, ROW + "1,2,3,oil,400\n", "line 3, column corrosion: need a finite number such as 0.31, got nothing"),
        (
            "nickel,chromium,soak,quench,strength,corrosion,state",
            "1,2,3,oil,400,0.5,done\n",
            "line 2, column state: need complete, pending, released or failed, got 'done'. Leave it empty",
        ),
    ],
)
def test_an_import_with_a_mistake_names_the_line_and_adds_nothing(
    tmp_path: Path, header: str | None, rows: str, said: str
) -> None:
    study = study_with_trials(tmp_path)
    before = cm.Study.load(study).log()
    file = tmp_path / "old.csv"
    file.write_text(f"{header or 'nickel,chromium,soak,quench,strength,corrosion'}\n{rows}", encoding="utf-8")
    done = camobo("import", study, file)
    assert (done.code, done.out) == (1, "")
    assert said in done.err
    assert done.err.count(str(file)) == 1
    assert cm.Study.load(study).log() == before


def test_a_sheet_that_cannot_be_written_hands_out_nothing(tmp_path: Path) -> None:
    study = alloy(tmp_path)
    (tmp_path / "taken.csv").write_text("mine")
    assert camobo("ask", study, "--csv", tmp_path / "taken.csv").code == 1
    assert camobo("ask", study, "--csv", tmp_path / "no" / "s.csv").code == 1
    assert camobo("ask", study, "--csv", tmp_path / ("x" * 300)).code == 1
    assert camobo("ask", study, "--csv", tmp_path, "--force").code == 1
    assert (tmp_path / "taken.csv").read_text() == "mine"
    assert cm.Study.load(study).trials == ()
    assert camobo("ask", study, "--csv", tmp_path / "taken.csv", "--force").code == 0
    assert (tmp_path / "taken.csv").read_text().startswith("trial,")


@pytest.mark.parametrize(
    "command",
    [
        ["export", "alloy.db", "-o", "alloy.db"],
        ["ask", "alloy.db", "--csv", "alloy.db"],
        ["report", "alloy.db", "-o", "alloy.db"],
        ["init", "alloy.db"],
        ["export", "alloy.db", "-o", "link.csv"],
    ],
    ids=" ".join,
)
def test_force_does_not_overwrite_a_study(tmp_path: Path, command: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    study = study_with_trials(tmp_path)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "link.csv").symlink_to(study)
    before = cm.Study.load(study).log()
    done = camobo(*command, "--force")
    assert done.code == 1
    assert "is a database, perhaps a study" in done.err
    assert cm.Study.load(study).log() == before


@pytest.mark.parametrize("companion", ["alloy.db-wal", "alloy.db-shm", "alloy.db-ask", "alloy.db-owners"])
def test_force_does_not_overwrite_what_belongs_to_a_study(tmp_path: Path, companion: str) -> None:
    study = study_with_trials(tmp_path)
    with cm.Study.load(study) as opened:
        opened.ask()
        (tmp_path / companion).touch()
        before = (tmp_path / companion).read_bytes()
        for command in (["export", study, "-o"], ["ask", study, "--csv"], ["report", study, "-o"], ["init"]):
            done = camobo(*command, tmp_path / companion, "--force")
            assert done.code == 1
            assert "--force does not overwrite it" in done.err
        assert (tmp_path / companion).read_bytes() == before


def test_a_sheet_from_a_closed_standard_input_or_without_a_name_says_so(tmp_path: Path) -> None:
    study = alloy(tmp_path)
    commands: list[list[str | Path]] = [["tell", study, "--csv"], ["import", study]]
    for command in commands:
        assert "the name of the file is empty" in camobo(*command, "").err
        closed = subprocess.run(
            ["sh", "-c", '"$@" <&-', "sh", sys.executable, "-m", "camobo", *map(str, command), "-"],
            capture_output=True, text=True, check=False, env={**os.environ, "PYTHONPATH": str(SOURCE)},
        )  # fmt: skip
        assert (closed.returncode, closed.stdout) == (1, "")
        assert "standard input is closed" in closed.stderr


def test_a_name_that_no_file_can_have_is_refused(tmp_path: Path) -> None:
    with pytest.raises(cm.StorageError, match="File name too long") as caught:
        cm.Study.load("a" * 5000)
    assert len(str(caught.value)) < 300
    assert "cannot write" in camobo("report", study_with_trials(tmp_path), "-o", tmp_path / ("a" * 300)).err


def test_force_does_not_overwrite_what_is_not_a_regular_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")  # stands for a device, which a mistake would destroy
    done = camobo("export", alloy(tmp_path), "-o", tmp_path / "pipe", "--force")
    assert done.code == 1
    assert "is not a regular file" in done.err
    assert (tmp_path / "pipe").is_fifo()


def test_force_writes_to_where_a_link_points(tmp_path: Path) -> None:
    (tmp_path / "target.csv").write_text("old")
    (tmp_path / "link.csv").symlink_to("target.csv")
    assert camobo("export", alloy(tmp_path), "-o", tmp_path / "link.csv", "--force").code == 0
    assert (tmp_path / "link.csv").is_symlink()
    assert (tmp_path / "target.csv").read_text().startswith("trial,")


@pytest.mark.parametrize("command", ["new", "report"])
def test_an_empty_name_is_refused(command: str) -> None:
    done = camobo(command, "")
    assert done.code == 1
    assert "need the name of a file" in done.err


def test_with_its_output_closed_a_command_does_nothing(tmp_path: Path) -> None:
    study = alloy(tmp_path)
    line = [sys.executable, "-m", "camobo", "ask", str(study)]
    done = subprocess.run(
        ["sh", "-c", '"$@" >&-', "sh", *line], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 1
    assert "standard output is closed" in done.stderr
    assert "Traceback" not in done.stderr
    assert cm.Study.load(study).trials == ()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_output_that_cannot_be_written_says_where_to_find_what_was_done(tmp_path: Path) -> None:
    study = alloy(tmp_path)
    with open("/dev/full", "w") as full:
        line = [sys.executable, "-m", "camobo", "ask", str(study)]
        done = subprocess.run(line, stdout=full, stderr=subprocess.PIPE, text=True, timeout=60, check=False)
    assert done.returncode == 1
    assert "could not be written: No space left" in done.stderr
    assert "Traceback" not in done.stderr
    assert "camobo log" in done.stderr


@pytest.mark.parametrize("content", [b"not a database at all", b"SQLite format 3\0 and then nonsense" * 99])
def test_a_file_that_is_not_a_study_is_not_changed(tmp_path: Path, content: bytes) -> None:
    place = tmp_path / "some.db"
    place.write_bytes(content)
    for command in ("status", "ask", "front", "log", "export"):
        assert camobo(command, place).code == 1
    assert place.read_bytes() == content


def test_a_url_that_leads_nowhere_is_an_error_without_its_password(tmp_path: Path) -> None:
    done = camobo("status", "postgresql+psycopg://anna:secret@127.0.0.1:1/alloy")
    assert done.code == 1
    assert "secret" not in done.err
    assert "Is the server running" in done.err
    assert camobo("status", "ftp://alloy").code == 1


@pytest.fixture(params=["/dev/zero", "/dev/full", "10 GB"])
def endless(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A file without end, or one of 10 GB, which takes no disk."""
    path = Path(request.param)
    if path.is_absolute():
        if not path.exists():
            pytest.skip("needs a device without end")
        return path
    with open(tmp_path / "huge", "wb") as file:
        file.truncate(10**10)
    return tmp_path / "huge"


@pytest.mark.parametrize(
    "command",
    [
        "new {file} --storage {study}.new",
        "import {study} {file}",
        "tell {study} --csv {file}",
        "set {study} --prices {file}",
    ],
)
def test_a_file_too_large_to_be_one_is_refused_with_what_to_do(command: str, endless: Path, tmp_path: Path) -> None:
    words = [part.format(study=alloy(tmp_path), file=endless) for part in command.split()]
    done = camobo(*words)
    assert done.code == 1
    assert f"{endless}: need a file of at most 64 MB" in done.err, done.err
    assert "Is it the right file?" in done.err


def test_standard_input_without_end_is_refused_too(tmp_path: Path) -> None:
    line = [sys.executable, "-m", "camobo", "import", str(alloy(tmp_path)), "-"]
    with open("/dev/zero", "rb") as zeros:
        done = subprocess.run(line, stdin=zeros, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1
    assert "standard input: need a file of at most 64 MB" in done.stderr


def test_a_study_is_never_read_from_a_file_too_large_to_be_one(endless: Path) -> None:
    for command in ("status", "ask", "log"):
        done = camobo(command, endless)
        assert done.code == 1
        assert "is not a camobo study" in done.err or "is not a file" in done.err
