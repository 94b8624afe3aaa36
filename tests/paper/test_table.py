from __future__ import annotations

from pathlib import Path

import pytest

from camobo import InvalidOptionError
from camobo.paper import table
from tests.support.paper_runs import numbers, summary_of

BLIND, AWARE = numbers((85.0, 40.0)), numbers((17.0, 40.0))


class TestTheTable:
    def test_published_and_measured_stand_side_by_side(self) -> None:
        text = table.table([summary_of("zdt3", mo_ucb=BLIND, paper=AWARE)])
        assert "| MO-UCB | 85.2 | 85.0 [" in text
        assert "| CA-MOBO, ascending | 17.8 | 17.0 [" in text
        assert "(0.21)" in text

    def test_time_and_its_growth_are_shown(self) -> None:
        text = table.table([summary_of(mo_ucb=BLIND, paper=AWARE)])
        assert "| 7.0 | 5.0 | 10.0 (t = 100) | 2.0× | 1.0 |" in text
        assert "a machine" in text

    def test_methods_with_different_numbers_of_runs_are_counted_apart(self) -> None:
        few = {key: value[:3] if isinstance(value, list) else value for key, value in AWARE.items()}
        text = table.table([summary_of(mo_ucb=BLIND, paper=few)])
        assert "20 runs of MO-UCB, 3 runs of CA-MOBO, ascending × 100 iterations" in text

    def test_options_and_units_are_shown(self) -> None:
        given = summary_of("steel", mo_ucb=BLIND, paper=AWARE)
        given["setting"]["options"] = {"objectives": 1}
        text = table.table([given])
        assert "(objectives 1)." in text
        assert "Σ x1, g, published" in text

    def test_the_default_has_its_row_without_a_published_figure_and_without_regret(self) -> None:
        default = {key: value for key, value in AWARE.items() if "regret" not in key and "bound" not in key}
        text = table.table([summary_of("zdt3", mo_ucb=BLIND, paper=AWARE, default=default)])
        rows = [line for line in text.splitlines() if line.startswith("| camobo's default |")]
        assert rows[0].startswith("| camobo's default | – | 17.0 [")
        assert "| ZDT3" not in rows[0]
        assert "Cross | camobo's default | 7.0 |" in text

    def test_without_the_baseline_nothing_is_compared(self) -> None:
        text = table.table([summary_of(paper=AWARE)])
        (row,) = [line for line in text.splitlines() if line.startswith("| CA-MOBO, ascending |")]
        assert row.split(" | ")[3] == "–"


class TestWriting:
    def test_it_goes_between_the_markers_of_a_page_and_nowhere_else(self, tmp_path: Path) -> None:
        page = tmp_path / "page.md"
        page.write_text(f"before\n{table.BEGIN}\nold\n{table.END}\nafter\n")
        table.write_between(page, "new\n")
        assert page.read_text() == f"before\n{table.BEGIN}\n\nnew\n\n{table.END}\nafter\n"

    def test_a_link_stays_one_and_line_ends_stay_what_they_are(self, tmp_path: Path) -> None:
        page, link = tmp_path / "page.md", tmp_path / "link.md"
        page.write_bytes(f"before\r\n{table.BEGIN}\r\n{table.END}\r\n".encode())
        link.symlink_to(page)
        table.write_between(link, "new\nlines\n")
        assert link.is_symlink()
        assert page.read_bytes() == f"before\r\n{table.BEGIN}\r\n\r\nnew\r\nlines\r\n\r\n{table.END}\r\n".encode()

    def test_a_page_that_is_no_text_is_left_alone(self, tmp_path: Path) -> None:
        page = tmp_path / "page.md"
        page.write_bytes(b"\xff\xfe")
        with pytest.raises(InvalidOptionError, match="UTF-8"):
            table.write_between(page, "new")

    @pytest.mark.parametrize("content", ["", table.BEGIN, f"{table.END} {table.BEGIN}", table.BEGIN * 2 + table.END])
    def test_a_page_without_markers_is_left_alone(self, tmp_path: Path, content: str) -> None:
        page = tmp_path / "page.md"
        page.write_text(content)
        with pytest.raises(InvalidOptionError, match="one line"):
            table.write_between(page, "new")
        assert page.read_text() == content

    def test_a_page_that_cannot_be_written_is_named(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        page = tmp_path / "page.md"
        page.write_text(f"{table.BEGIN}\n{table.END}\n")

        def full(*_: object) -> int:
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(Path, "write_bytes", full)
        with pytest.raises(InvalidOptionError, match=r"page\.md cannot be written \(No space left on device\)"):
            table.write_between(page, "new")


def test_the_page_of_the_docs_is_the_table_of_the_recorded_results() -> None:
    from camobo.paper.results import read_summaries

    root = Path(__file__).parents[2]
    page = (root / "docs" / "paper.md").read_text(encoding="utf-8")
    inside = page[page.index(table.BEGIN) + len(table.BEGIN) : page.index(table.END)]
    assert inside.strip() == table.table(read_summaries(root / "benchmarks" / "results" / "paper")).strip()
