from __future__ import annotations

from typing import Any

import pytest

from camobo.paper import table
from camobo.paper.experiments import METHODS
from camobo.paper.statistics import Summary
from tests.support.paper_runs import first, numbers, summary_of, without_regrets

REST = (40.0, 50.0, 60.0, 70.0)
BLIND, AWARE = numbers((85.0, 40.0)), numbers((17.0, 40.0))
BOTH: dict[str, Any] = {"mo_ucb": BLIND, "paper": AWARE}
ZDT3: dict[str, Any] = {"mo_ucb": numbers((85.0, *REST)), "paper": numbers((17.0, *REST))}


def rows(text: str) -> list[list[str]]:
    """The cells of every row below the head of a table."""
    lines = [line for line in text.splitlines() if line.startswith("| ")][1:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def only(*summaries: Summary) -> list[list[str]]:
    """The rows of methods of one experiment."""
    title, *found = rows(table.experiments(summaries))
    assert title[0].startswith("**")
    assert not any(row[0].startswith("**") for row in found)
    return found


def columns(text: str) -> list[str]:
    (head,) = [line for line in text.splitlines() if line.startswith("| method ")]
    return [cell.strip() for cell in head.strip("|").split("|")]


def headings(text: str) -> list[str]:
    """What stands above the rows of each experiment."""
    return [line.split(" |")[0].removeprefix("| ") for line in text.splitlines() if line.startswith("| **")]


class TestAnExperiment:
    def test_published_and_measured_stand_side_by_side(self) -> None:
        blind, aware = only(summary_of("zdt3", **ZDT3))
        assert blind[:5] == ["MO-UCB", "20 × 100", "85.2", "85.0 [84.8, 85.2]", "–"]
        assert aware[:4] == ["CA-MOBO, ascending", "20 × 100", "17.8", "17.0 [17.0, 17.0]"]
        assert aware[4] == "0.200 [0.200, 0.200] (0.21)"

    def test_sums_volumes_and_money_follow(self) -> None:
        blind, aware = only(summary_of("zdt3", **ZDT3))
        assert blind[5:8] == ["85.0 / 40.0 / 50.0 / 60.0 / 70.0", "0.9900 [0.9897, 0.9903]", "0.900 [0.900, 0.900]"]
        assert blind[8:] == ["–", "–"]
        assert aware[5] == "17.0 / 40.0 / 50.0 / 60.0 / 70.0"
        assert aware[8:] == ["1.000 [1.000, 1.000]", "0.777 [0.777, 0.777]"]

    @pytest.mark.parametrize(("given", "count"), [(("zdt3", ZDT3), 11), (("cross-holder", BOTH), 10)])
    def test_its_lines_have_as_many_cells_as_its_head(self, given: tuple[str, dict[str, Any]], count: int) -> None:
        text = table.experiments([summary_of(given[0], **given[1])])
        lines = [line for line in text.splitlines() if line.startswith("|")]
        assert {line.count("|") for line in lines} == {count}

    def test_methods_come_in_their_fixed_order_each_with_its_number_of_runs(self) -> None:
        found = only(summary_of(default=first(AWARE, 3), printed=AWARE, paper=first(AWARE, 5), mo_ucb=BLIND))
        assert [row[0] for row in found] == list(METHODS.values())
        assert [row[1] for row in found] == ["20 × 100", "5 × 100", "20 × 100", "3 × 100"]

    def test_only_mo_ucb_and_ascending_weights_have_published_figures(self) -> None:
        bare = without_regrets(ZDT3["paper"])
        found = only(summary_of("zdt3", **ZDT3, printed=ZDT3["paper"], default=bare))
        assert [row[2] for row in found] == ["85.2", "17.8", "–", "–"]
        assert ["(" in row[4] for row in found] == [False, True, False, False]

    def test_without_any_published_figures_there_are_no_columns_for_them(self) -> None:
        text = table.experiments([summary_of(**BOTH)])
        assert "published" not in text
        assert columns(text)[:4] == ["method", "runs", "Σ of the most expensive input", "ratio to MO-UCB"]
        blind, aware = only(summary_of(**BOTH))
        assert blind[2:4] == ["85.0 [84.8, 85.2]", "–"]
        assert aware[2:5] == ["17.0 [17.0, 17.0]", "0.200 [0.200, 0.200]", "17.0 / 40.0"]

    def test_beside_problems_with_published_figures_those_without_show_dashes(self) -> None:
        text = table.experiments([summary_of(**BOTH), summary_of("zdt3", **ZDT3)])
        head = ["Σ of the most expensive input, published", "measured", "ratio to MO-UCB (published)"]
        assert columns(text)[2:5] == head
        assert [row[2] for row in rows(text) if "MO" in row[0]] == ["–", "–", "85.2", "17.8"]

    def test_steel_is_measured_in_grams(self) -> None:
        given = summary_of("steel", options={"objectives": 1}, mo_ucb=numbers((2.7, 4.0)), paper=AWARE)
        assert headings(table.experiments([given])) == ["**Steel: strength**: nickel > chromium, objectives 1; Σ in g"]
        assert only(given)[0][2:4] == ["54.1", "54.0 [53.8, 54.2]"]

    def test_without_the_baseline_nothing_is_compared(self) -> None:
        (row,) = only(summary_of("zdt3", paper=ZDT3["paper"]))
        assert [row[4], *row[8:]] == ["–"] * 3

    @pytest.mark.parametrize(
        ("name", "options", "line"),
        [
            ("steel", {"objectives": 2}, ": nickel > chromium, objectives 2"),
            ("forest", {"dataset": "wine"}, ": estimators > depth, dataset wine"),
            ("network", {"data": None, "epochs": 64}, ": layers > units, epochs 64"),
            ("matyas-booth", {"booth": "standard"}, ": x1 > x2"),
            ("matyas-booth", {"booth": "printed"}, ": x1 > x2, booth printed"),
        ],
    )
    def test_the_order_and_the_options_that_matter_are_shown(
        self, name: str, options: dict[str, Any], line: str
    ) -> None:
        given = summary_of(name, options=options, **BOTH)
        assert headings(table.experiments([given])) == [f"**{given['title']}**{line}"]

    def test_a_title_stays_in_its_cell_whatever_it_is(self) -> None:
        given = summary_of(**BOTH) | {"title": "a | b\nc"}
        for text in (table.experiments([given]), table.effort([given])):
            assert text.count("a \\| b c") == 1


class TestVariants:
    def test_they_stand_behind_the_text_s_rows(self) -> None:
        theory = summary_of("zdt3", beta="theory", **ZDT3)
        found = only(theory, summary_of("zdt3", **ZDT3))
        assert [row[0] for row in found] == [
            "MO-UCB",
            "CA-MOBO, ascending",
            "MO-UCB, β of Theorem 1",
            "CA-MOBO, ascending, β of Theorem 1",
        ]
        assert [row[2] for row in found] == ["85.2", "17.8", "–", "–"]

    def test_booth_as_printed_stands_behind_the_usual_one_under_its_title(self) -> None:
        usual, printed = (summary_of("matyas-booth", options={"booth": b}, **BOTH) for b in ("standard", "printed"))
        assert headings(table.experiments([printed, usual])) == ["**Matyas and Booth**: x1 > x2"]
        assert [row[0] for row in only(printed, usual)][1:3] == ["CA-MOBO, ascending", "MO-UCB, Booth as printed"]

    def test_each_is_compared_with_its_own_baseline(self) -> None:
        usual = summary_of("matyas-booth", **BOTH)
        printed = summary_of(
            "matyas-booth", options={"booth": "printed"}, mo_ucb=numbers((34.0, 40.0)), paper=numbers((17.0, 40.0))
        )
        found = only(usual, printed)
        assert [row[3] for row in found] == ["–", "0.200 [0.200, 0.200]", "–", "0.500 [0.500, 0.500]"]

    def test_departures_and_the_script_s_g_have_no_rows_here(self) -> None:
        departing = summary_of("zdt3", departures=("length",), **ZDT3)
        other_g = summary_of("zdt3", options={"g": "script"}, **ZDT3)
        text = summary_of("zdt3", **ZDT3)
        assert table.experiments([departing, text, other_g]) == table.experiments([text])
        assert table.experiments([departing, other_g]) == ""


class TestProblems:
    def test_all_are_in_one_table_in_the_order_given(self) -> None:
        one, two = (summary_of("steel", options={"objectives": count}, **BOTH) for count in (1, 2))
        wine, digits = (summary_of("forest", options={"dataset": name}, **BOTH) for name in ("wine", "digits"))
        text = table.experiments([two, wine, one, digits])
        assert text.count("| method |") == 1
        assert [line.split("**")[1] for line in headings(text)] == [g["title"] for g in (two, wine, one, digits)]


class TestTime:
    def test_an_experiment_has_a_row_with_every_method_and_the_sum_of_their_time(self) -> None:
        slow = AWARE | {"milliseconds_mean": 8.0, "core_seconds": 7140.0}
        text = table.effort([summary_of(mo_ucb=BLIND, paper=slow)])
        assert rows(text) == [["Cross-in-tray and Hölder table", "7.0 / 5.0 / 10.0", "8.0 / 5.0 / 10.0", "120.0"]]
        assert "at the end | MO-UCB | CA-MOBO, ascending | core-minutes |" in text

    def test_the_sum_of_all_and_the_machine_stand_below(self) -> None:
        slow = AWARE | {"core_seconds": 7140.0}
        text = table.effort([summary_of(mo_ucb=BLIND, paper=slow)])
        end = "2.0 core-hours for all runs, each one process with one thread, on a machine."
        assert text.endswith(f"|\n\n{end}")

    @pytest.mark.parametrize(
        ("seconds", "shown"),
        [
            (36000.0, "10.0 core-hours"),
            (360.0, "0.1 core-hours"),
            (354.0, "5.9 core-minutes"),
            (72.0, "1.2 core-minutes"),
            (1.5, "0.025 core-minutes"),
        ],
    )
    def test_the_sum_is_in_hours_if_it_is_a_tenth_at_least(self, seconds: float, shown: str) -> None:
        text = table.effort([summary_of(paper=AWARE | {"core_seconds": seconds})])
        assert text.splitlines()[-1].startswith(f"{shown} for all runs")

    def test_a_method_without_runs_shows_a_dash(self) -> None:
        found = rows(table.effort([summary_of(**BOTH), summary_of("steel", mo_ucb=BLIND)]))
        assert found[1] == ["Steel: strength", "7.0 / 5.0 / 10.0", "–", "1.0"]

    def test_short_runs_have_no_early_time(self) -> None:
        short = AWARE | {"milliseconds": {"12": 3.0}}
        assert rows(table.effort([summary_of(paper=short)]))[0][1] == "7.0 / – / 3.0"

    def test_runs_that_do_not_follow_the_text_count_in_the_sum_only(self) -> None:
        departing = summary_of(departures=("length",), paper=AWARE | {"core_seconds": 36000.0})
        text = table.effort([summary_of(**BOTH), departing])
        assert len(rows(text)) == 1
        assert "10.0 core-hours for all runs" in text
        assert table.effort([departing]).startswith("### Time\n\n10.0 core-hours for all runs")

    def test_every_machine_is_named_once(self) -> None:
        other = summary_of("steel", **BOTH) | {"machine": "another"}
        assert table.effort([summary_of(**BOTH), other, summary_of(**BOTH)]).endswith("on a machine; another.")
