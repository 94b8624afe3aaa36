from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import camobo as cm
from tests.support.tutorial import ROOT, Step, gist, rewritten, run, steps

TUTORIALS = sorted((ROOT / "docs").glob("tutorial-*.md"))
README = ROOT / "README.md"


@pytest.mark.parametrize("path", [README, *TUTORIALS], ids=lambda path: path.stem)
def test_the_commands_of_a_page_print_what_it_says(path: Path, tmp_path: Path) -> None:
    if path.stem == "tutorial-paper":
        pytest.importorskip("matplotlib")
    text = path.read_text(encoding="utf-8")
    done = [step for block in run(text, tmp_path) for step in block]
    assert len(done) >= 4
    for step in done:
        assert gist(step.printed) == gist(step.said), step.command
        assert (step.code != 0) == ("Error:" in step.said), step.command


def test_the_readme_is_short() -> None:
    assert len(README.read_text(encoding="utf-8").splitlines()) <= 130


def test_the_tutorials_are_there() -> None:
    assert [path.stem for path in TUTORIALS] == ["tutorial-bench", "tutorial-paper", "tutorial-tuning"]


def test_comparing_on_your_own_problem_takes_ten_lines() -> None:
    page = (ROOT / "docs" / "tutorial-paper.md").read_text(encoding="utf-8")
    (program,) = [block["body"] for block, _ in steps(page) if block["title"] == "mine.py"]
    assert len([line for line in program.splitlines() if line]) <= 10
    assert "compare(" in program


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


@pytest.fixture(scope="module")
def steel() -> list[list[list[float]]]:
    """The two tables of the steel example: camobo with the order, camobo without, MO-UCB."""
    done = subprocess.run(
        [sys.executable, ROOT / "examples" / "steel.py"], capture_output=True, text=True, timeout=300, check=True
    )
    rows = [
        re.findall(rf"^ *{re.escape(name)} +([\d. ]+)$", done.stdout, re.MULTILINE)
        for name in ("camobo, nickel > chromium", "camobo, no cost", "MO-UCB (the paper's baseline)")
    ]
    return [[[float(number) for number in row.split()] for row in table] for table in zip(*rows, strict=True)]


def test_the_readme_quotes_the_steel_example_as_it_comes_out(steel: list[list[list[float]]]) -> None:
    aware, blind, baseline = steel[1]
    readme = " ".join(README.read_text(encoding="utf-8").split())
    picture = re.search(
        r"for a quarter less nickel than without the order \((\d+) against (\d+); (\d+) with MO-UCB", readme
    )
    row = re.search(r"\| (\d+) / (\d+) \| (\d+) / (\d+) without cost; (\d+) / (\d+) MO-UCB \|", readme)
    assert picture is not None
    assert row is not None
    # Processors round the last digits of a model otherwise, and a hundred melts later that shows.
    assert [float(text) for text in picture.groups()] == pytest.approx([aware[2], blind[2], baseline[2]], rel=0.02)
    measured = [nickel for series in (aware, blind, baseline) for nickel in (series[1], series[3])]
    assert [float(text) for text in row.groups()] == pytest.approx(measured, rel=0.02)
    assert 0.70 < aware[2] / blind[2] < 0.80


def test_the_readme_quotes_the_judge_s_page() -> None:
    page = (ROOT / "docs" / "money.md").read_text(encoding="utf-8")
    to_95: dict[str, list[str]] = {}
    for part in page.split("\n## ")[1:]:
        rows = [line.split("|") for line in part.splitlines() if re.match(r"\| \d+ \| [^|]* \| order", line)]
        to_95[part.split(":")[0]] = [cells[6].strip() for cells in rows]
    order, receipts = to_95["Tables"]
    readme = " ".join(README.read_text(encoding="utf-8").split())
    assert f"{receipts} × with an order and receipts, {order} × with the order alone" in readme
    assert f"on the control, a search for network cells, it paid {to_95['Control'][0]} ×" in readme
    twelve = sorted(to_95["Twelve"])
    assert f"{twelve[0]} to {twelve[-1]} × / {to_95['Drawn'][1]} × with the order alone" in readme


def test_an_order_ends_at_the_same_front_as_without_and_mo_ucb_below_both(steel: list[list[list[float]]]) -> None:
    aware, blind, baseline = (volume for *_, volume in steel[0])
    assert 0.99 < aware / blind < 1.01
    assert baseline < min(aware, blind)


def test_an_order_finds_the_steel_s_front_for_less_nickel(steel: list[list[list[float]]]) -> None:
    aware, *others = steel[1]
    *on_the_way, at_the_end = ([ours / theirs for theirs in rest] for ours, *rest in zip(aware, *others, strict=True))
    assert all(ratio < 0.95 for ratios in on_the_way for ratio in ratios)
    assert max(at_the_end) < 1.05


def snippets(page: str) -> list[str]:
    return re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(encoding="utf-8"), re.DOTALL)


def runs_without_a_warning(snippet: str, folder: Path) -> None:
    done = subprocess.run([sys.executable, "-c", snippet], cwd=folder, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert "Warning" not in done.stderr, done.stderr


@pytest.mark.parametrize(("page", "needs"), [("README.md", "optuna"), ("docs/optuna.md", "botorch")])
def test_python_snippets_run_as_they_are_printed(page: str, needs: str, tmp_path: Path) -> None:
    pytest.importorskip(needs)
    found = snippets(page)
    assert len(found) == 2
    for snippet in found:
        runs_without_a_warning(snippet, tmp_path)


def test_the_report_s_snippets_run_one_after_another_on_a_study_of_the_steel_example_s_inputs(tmp_path: Path) -> None:
    pytest.importorskip("plotly")
    space = cm.Space({"nickel": cm.Real(0, 20), "chromium": cm.Real(0, 20)})
    with cm.Study(space, {"strength": "max"}, cost="nickel > chromium", storage=tmp_path / "steel.db") as study:
        for i in range(14):
            study.add({"nickel": i, "chromium": 20 - i}, {"strength": 400 + 12 * i - i * i})
    found = snippets("docs/report.md")
    assert len(found) == 3
    runs_without_a_warning("\n".join(found), tmp_path)
    assert {path.name for path in tmp_path.glob("*.html")} == {"steel.html", "layers.html"}


def test_the_citation_names_the_version_of_the_package() -> None:
    assert f"\nversion: {cm.__version__}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
