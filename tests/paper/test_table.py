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


def only(*summaries: Summary) -> str:
    (found,) = table.experiments(summaries)
    return found


def rows(text: str) -> list[list[str]]:
    """The cells of every row of methods or experiments."""
    lines = [line for line in text.splitlines() if line.startswith("| ")][1:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


class TestAnExperiment:
    def test_published_and_measured_stand_side_by_side(self) -> None:
        blind, aware = rows(only(summary_of("zdt3", **ZDT3)))
        assert blind[:5] == ["MO-UCB", "20 × 100", "85.2", "85.0 [84.8, 85.2]", "–"]
        assert aware[:4] == ["CA-MOBO, ascending", "20 × 100", "17.8", "17.0 [17.0, 17.0]"]
        assert aware[4] == "0.200 [0.200, 0.200] (0.21)"

    def test_sums_volumes_and_money_follow(self) -> None:
        blind, aware = rows(only(summary_of("zdt3", **ZDT3)))
        assert blind[5:8] == ["85.0 / 40.0 / 50.0 / 60.0 / 70.0", "0.9900 [0.9897, 0.9903]", "0.900 [0.900, 0.900]"]
        assert blind[8:] == ["–", "–"]
        assert aware[5] == "17.0 / 40.0 / 50.0 / 60.0 / 70.0"
        assert aware[8:] == ["1.000 [1.000, 1.000]", "0.777 [0.777, 0.777]"]

    def test_its_lines_have_as_many_cells_as_its_head(self) -> None:
        lines = [line for line in only(summary_of("zdt3", **ZDT3)).splitlines() if line.startswith("|")]
        assert {line.count("|") for line in lines} == {11}

    def test_methods_come_in_their_fixed_order_each_with_its_number_of_runs(self) -> None:
        given = summary_of(default=first(AWARE, 3), printed=AWARE, paper=first(AWARE, 5), mo_ucb=BLIND)
        found = rows(only(given))
        assert [row[0] for row in found] == list(METHODS.values())
        assert [row[1] for row in found] == ["20 × 100", "5 × 100", "20 × 100", "3 × 100"]

    def test_only_mo_ucb_and_ascending_weights_have_published_figures(self) -> None:
        bare = without_regrets(ZDT3["paper"])
        found = rows(only(summary_of("zdt3", **ZDT3, printed=ZDT3["paper"], default=bare)))
        assert [row[2] for row in found] == ["85.2", "17.8", "–", "–"]
        assert ["(" in row[4] for row in found] == [False, True, False, False]

    def test_a_problem_without_published_figures_shows_dashes(self) -> None:
        assert [row[2] for row in rows(only(summary_of(**BOTH)))] == ["–", "–"]

    def test_steel_is_measured_in_grams(self) -> None:
        text = only(summary_of("steel", options={"objectives": 1}, mo_ucb=numbers((2.7, 4.0)), paper=AWARE))
        assert "| Σ nickel, g, published | measured |" in text
        assert rows(text)[0][2:4] == ["54.1", "54.0 [53.8, 54.2]"]

    def test_without_the_baseline_nothing_is_compared(self) -> None:
        (row,) = rows(only(summary_of("zdt3", paper=ZDT3["paper"])))
        assert [row[4], *row[8:]] == ["–"] * 3

    @pytest.mark.parametrize(
        ("name", "options", "line"),
        [
            ("steel", {"objectives": 1}, "Order nickel > chromium, objectives 1."),
            ("forest", {"dataset": "wine"}, "Order estimators > depth, dataset wine."),
            ("network", {"data": None, "epochs": 64}, "Order layers > units, epochs 64."),
            ("matyas-booth", {"booth": "standard"}, "Order x1 > x2."),
            ("matyas-booth", {"booth": "printed"}, "Order x1 > x2, booth printed."),
        ],
    )
    def test_the_order_and_the_options_that_matter_are_shown(
        self, name: str, options: dict[str, Any], line: str
    ) -> None:
        assert only(summary_of(name, options=options, **BOTH)).splitlines()[2] == line


class TestVariants:
    def test_they_stand_in_the_same_table_behind_the_text_s_rows(self) -> None:
        theory = summary_of("zdt3", beta="theory", **ZDT3)
        found = rows(only(theory, summary_of("zdt3", **ZDT3)))
        assert [row[0] for row in found] == [
            "MO-UCB",
            "CA-MOBO, ascending",
            "MO-UCB, β of Theorem 1",
            "CA-MOBO, ascending, β of Theorem 1",
        ]
        assert [row[2] for row in found] == ["85.2", "17.8", "–", "–"]

    def test_booth_as_printed_stands_behind_the_usual_one_under_its_title(self) -> None:
        usual, printed = (summary_of("matyas-booth", options={"booth": b}, **BOTH) for b in ("standard", "printed"))
        text = only(printed, usual)
        assert text.startswith("### Matyas and Booth\n\nOrder x1 > x2.\n")
        assert [row[0] for row in rows(text)][1:3] == ["CA-MOBO, ascending", "MO-UCB, Booth as printed"]

    def test_each_is_compared_with_its_own_baseline(self) -> None:
        usual = summary_of("matyas-booth", **BOTH)
        printed = summary_of(
            "matyas-booth", options={"booth": "printed"}, mo_ucb=numbers((34.0, 40.0)), paper=numbers((17.0, 40.0))
        )
        found = rows(only(usual, printed))
        assert [row[4] for row in found] == ["–", "0.200 [0.200, 0.200]", "–", "0.500 [0.500, 0.500]"]

    def test_departures_and_the_script_s_g_have_no_rows_here(self) -> None:
        departing = summary_of("zdt3", departures=("length",), **ZDT3)
        other_g = summary_of("zdt3", options={"g": "script"}, **ZDT3)
        assert only(departing, summary_of("zdt3", **ZDT3), other_g) == only(summary_of("zdt3", **ZDT3))
        assert list(table.experiments([departing, other_g])) == []


class TestProblems:
    def test_each_has_its_table_in_the_order_given(self) -> None:
        one, two = (summary_of("steel", options={"objectives": count}, **BOTH) for count in (1, 2))
        wine, digits = (summary_of("forest", options={"dataset": name}, **BOTH) for name in ("wine", "digits"))
        titles = [text.splitlines()[0] for text in table.experiments([two, wine, one, digits])]
        assert titles == [f"### {found['title']}" for found in (two, wine, one, digits)]


class TestTime:
    def test_it_is_shown_by_method_with_the_sum_of_all_and_the_machine(self) -> None:
        slow = AWARE | {"core_seconds": 7140.0}
        text = table.effort([summary_of(mo_ucb=BLIND, paper=slow)])
        assert rows(text) == [
            ["Cross-in-tray and Hölder table", "MO-UCB", "7.0", "5.0", "10.0 (t = 100)", "1.0"],
            ["Cross-in-tray and Hölder table", "CA-MOBO, ascending", "7.0", "5.0", "10.0 (t = 100)", "119.0"],
        ]
        assert text.endswith("\n2.0 core-hours for everything on this page, on a machine.")

    def test_short_runs_have_no_early_time(self) -> None:
        short = AWARE | {"milliseconds": {"12": 3.0}}
        assert rows(table.effort([summary_of(paper=short)]))[0][3:5] == ["–", "3.0 (t = 12)"]

    def test_runs_that_do_not_follow_the_text_count_in_the_sum_only(self) -> None:
        departing = summary_of(departures=("length",), paper=AWARE | {"core_seconds": 36000.0})
        text = table.effort([summary_of(**BOTH), departing])
        assert len(rows(text)) == 2
        assert "10.0 core-hours for everything" in text

    def test_every_machine_is_named_once(self) -> None:
        other = summary_of("steel", **BOTH) | {"machine": "another"}
        assert table.effort([summary_of(**BOTH), other, summary_of(**BOTH)]).endswith("on a machine; another.")
