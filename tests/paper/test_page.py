from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from camobo import InvalidOptionError
from camobo.paper import page
from camobo.paper.folder import load, read_setting
from camobo.paper.page import BEGIN, END
from camobo.paper.results import curves
from camobo.paper.summary import read_summaries, summarise
from tests.support.paper_runs import numbers, summary_of

ROOT = Path(__file__).parents[2]
BOTH: dict[str, Any] = {"mo_ucb": numbers((85.0, 40.0)), "paper": numbers((17.0, 40.0))}


def headings(text: str) -> list[str]:
    return [line.removeprefix("### ") for line in text.splitlines() if line.startswith("### ")]


class TestWhatWasMeasured:
    def test_the_scorecard_comes_first_then_results_the_ablation_the_claims_and_the_time(self) -> None:
        departing = summary_of(departures=("length",), **BOTH)
        text = page.measured([departing, summary_of("steel", **BOTH), summary_of(**BOTH)])
        assert headings(text) == [
            "Scorecard",
            "Results",
            "From the text to the authors' script",
            "The paper's claims",
            "Time",
        ]

    def test_parts_stand_a_blank_line_apart_and_the_last_line_ends(self) -> None:
        text = page.measured([summary_of(**BOTH)])
        assert text.endswith("on a machine.\n")
        assert "\n\n\n" not in text
        assert all(text.split(f"### {heading}")[0].endswith("\n\n") for heading in headings(text)[1:])

    def test_without_an_experiment_of_the_paper_nothing_is_judged(self) -> None:
        text = page.measured([summary_of("steel", options={"objectives": 2}, **BOTH)])
        assert headings(text) == ["Results", "Time"]
        assert "**Steel: strength and resistance to corrosion**" in text


class TestWriting:
    def test_it_goes_between_the_markers_of_a_page_and_nowhere_else(self, tmp_path: Path) -> None:
        file = tmp_path / "page.md"
        file.write_text(f"before\n{BEGIN}\nold\n{END}\nafter\n")
        page.write_between(file, "new\n")
        assert file.read_text() == f"before\n{BEGIN}\n\nnew\n\n{END}\nafter\n"

    def test_a_link_stays_one_and_line_ends_stay_what_they_are(self, tmp_path: Path) -> None:
        file, link = tmp_path / "page.md", tmp_path / "link.md"
        file.write_bytes(f"before\r\n{BEGIN}\r\n{END}\r\n".encode())
        link.symlink_to(file)
        page.write_between(link, "new\nlines\n")
        assert link.is_symlink()
        assert file.read_bytes() == f"before\r\n{BEGIN}\r\n\r\nnew\r\nlines\r\n\r\n{END}\r\n".encode()

    def test_a_page_that_is_no_text_is_left_alone(self, tmp_path: Path) -> None:
        file = tmp_path / "page.md"
        file.write_bytes(b"\xff\xfe")
        with pytest.raises(InvalidOptionError, match="UTF-8"):
            page.write_between(file, "new")
        assert file.read_bytes() == b"\xff\xfe"

    @pytest.mark.parametrize("content", ["", BEGIN, f"{END} {BEGIN}", BEGIN * 2 + END])
    def test_a_page_without_markers_is_left_alone(self, tmp_path: Path, content: str) -> None:
        file = tmp_path / "page.md"
        file.write_text(content)
        with pytest.raises(InvalidOptionError, match="one line"):
            page.write_between(file, "new")
        assert file.read_text() == content

    def test_a_page_that_cannot_be_written_is_named(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        file = tmp_path / "page.md"
        file.write_text(f"{BEGIN}\n{END}\n")

        def full(*_: object) -> int:
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(Path, "write_bytes", full)
        with pytest.raises(InvalidOptionError, match=r"page\.md cannot be written \(No space left on device\)"):
            page.write_between(file, "new")


def test_the_page_of_the_docs_is_what_the_recorded_results_come_to() -> None:
    text = (ROOT / "docs" / "paper.md").read_text(encoding="utf-8")
    inside = text[text.index(BEGIN) + len(BEGIN) : text.index(END)]
    assert inside.strip() == page.measured(read_summaries(ROOT / "benchmarks" / "results" / "paper")).strip()


@pytest.mark.parametrize("name", ["steel", "steel-2"])
def test_a_recorded_summary_is_what_the_recorded_runs_come_to(name: str, tmp_path: Path) -> None:
    kept = ROOT / "benchmarks" / "results" / "paper" / name
    folder = Path(shutil.copytree(kept, tmp_path / name))
    setting = read_setting(folder)
    again = summarise(folder, setting, curves(load(folder, setting), setting))
    (recorded,) = read_summaries(kept)
    for method, on_record in recorded["methods"].items():
        for key in ("runs", "use", "near", "mapped", "money"):
            np.testing.assert_allclose(again["methods"][method][key], on_record[key], rtol=1e-3, atol=1e-3)
