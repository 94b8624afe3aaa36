from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tutorial import ROOT, Step, gist, rewritten, run, steps

TUTORIALS = sorted((ROOT / "docs").glob("tutorial-*.md"))


@pytest.mark.parametrize("path", TUTORIALS, ids=lambda path: path.stem)
def test_a_tutorial_s_commands_print_what_it_says(path: Path, tmp_path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    done = [step for block in run(text, tmp_path) for step in block]
    assert len(done) >= 8
    for step in done:
        assert gist(step.printed) == gist(step.said), step.command
        assert (step.code != 0) == ("Error:" in step.said), step.command


def test_both_tutorials_are_there() -> None:
    assert [path.stem for path in TUTORIALS] == ["tutorial-bench", "tutorial-tuning"]


def test_what_was_printed_is_put_in_its_place() -> None:
    text = "a\n```console\n$ one \\\n  two\nold\n$ three\n```\nb\n"
    (found,) = [commands for _, commands in steps(text)]
    assert found == [("one \\\n  two", "old\n"), ("three", "")]
    assert rewritten(text, [[Step("one \\\n  two", "", "new\n", 0), Step("three", "", "", 0)]]) == text.replace(
        "old", "new"
    )


def test_a_changed_word_is_noticed_and_a_changed_number_is_not() -> None:
    assert gist("spent 3.5\n 1 oil\n 2 water\n") == gist("spent 4\n7 air\n")
    assert gist("spent 3.5") != gist("used 3.5")


def test_the_readme_s_picture_is_told_as_the_steel_example_comes_out() -> None:
    done = subprocess.run(
        [sys.executable, ROOT / "examples" / "steel.py"], capture_output=True, text=True, timeout=300, check=True
    )
    aware, blind, baseline = (
        float(re.findall(rf"^ *{re.escape(name)} +([\d.]+)", done.stdout, re.MULTILINE)[0])
        for name in ("camobo, nickel > chromium", "camobo, no cost", "MO-UCB (the paper's baseline)")
    )
    less = [f"{100 * (1 - aware / other):.0f} % less" for other in (blind, baseline)]
    readme = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    assert f"camobo used {less[0]} nickel than without, and {less[1]} than MO-UCB" in readme


@pytest.mark.parametrize(("page", "needs"), [("README.md", "optuna"), ("docs/optuna.md", "botorch")])
def test_python_snippets_run_as_they_are_printed(page: str, needs: str, tmp_path: Path) -> None:
    pytest.importorskip(needs)
    snippets = re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(encoding="utf-8"), re.DOTALL)
    assert len(snippets) == 2
    for snippet in snippets:
        done = subprocess.run(
            [sys.executable, "-c", snippet], cwd=tmp_path, capture_output=True, text=True, timeout=300
        )
        assert done.returncode == 0, done.stderr
