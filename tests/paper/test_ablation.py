from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from camobo.paper.ablation import ablation
from camobo.paper.departures import SCRIPT, Departure
from camobo.paper.statistics import Summary
from camobo.strategy.plan import Beta
from tests.support.paper_runs import first, numbers, summary_of

BLIND = numbers((80.0, 60.0, 60.0, 60.0, 60.0))
STEPS: list[tuple[str, str, Beta, tuple[Departure, ...]]] = [
    ("the text", "standard", "practical", ()),
    ("+ length scale 0.032", "standard", "practical", SCRIPT[:1]),
    ("+ argmax over 1,024 random points", "standard", "practical", SCRIPT[:2]),
    ("+ variance for deviation", "standard", "practical", SCRIPT[:3]),
    ("+ sorted weights", "standard", "practical", SCRIPT[:4]),
    ("+ two cheap starts", "standard", "practical", SCRIPT),
    ("+ 9/29 in g", "script", "practical", SCRIPT),
    ("+ β of Theorem 1: the script", "script", "theory", SCRIPT),
    ("no model: argmin C", "standard", "practical", ("model",)),
]


def aware(x1: float) -> dict[str, Any]:
    return numbers((x1, 60.0, 60.0, 60.0, 60.0))


def steps() -> list[Summary]:
    """ZDT3 from the text to the script; every row has its own Σ x1, 10, 11, …."""
    return [
        summary_of("zdt3", options={"g": g}, beta=beta, departures=departs, mo_ucb=BLIND, paper=aware(10.0 + place))
        for place, (_, g, beta, departs) in enumerate(STEPS)
    ]


def rows(table: str) -> list[list[str]]:
    """The cells of every row of runs."""
    lines = [line for line in table.splitlines() if line.startswith("| ") and "**" not in line][1:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


@pytest.mark.parametrize("order", [range(9), range(8, -1, -1), (4, 0, 8, 2, 6, 1, 7, 3, 5)])
def test_departures_are_added_one_by_one_however_the_summaries_come(order: Sequence[int]) -> None:
    table = ablation([steps()[place] for place in order])
    assert table.startswith("### From the text to the authors' script\n")
    assert [row[0] for row in rows(table)] == [label for label, *_ in STEPS]
    assert [row[2].split(" / ")[0] for row in rows(table)] == [str(10 + place) for place in range(9)]


def test_a_row_has_the_sums_of_both_methods_of_the_chosen_points_and_of_front_members() -> None:
    table = ablation([summary_of("zdt3", departures=("length",), mo_ucb=BLIND, paper=aware(20.0))])
    assert rows(table) == [
        [
            "+ length scale 0.032",
            "20",
            "20 / 60 / 60 / 60 / 60",
            "20.0 [19.9, 20.1]",
            "10.0 [10.0, 10.0]",
            "80 / 60 / 60 / 60 / 60",
            "80.0 [79.8, 80.2]",
            "40.0 [39.9, 40.1]",
            "0.900 [0.900, 0.900]",
            "0.900 [0.900, 0.900]",
        ]
    ]
    assert {line.count("|") for line in table.splitlines() if line.startswith("|")} == {11}


def test_a_method_without_runs_shows_dashes() -> None:
    table = ablation(
        [
            summary_of("zdt3", departures=("length",), paper=first(aware(20.0), 2)),
            summary_of("zdt3", departures=("length", "search"), mo_ucb=BLIND),
        ]
    )
    without_blind, without_aware = rows(table)
    assert without_blind[1:] == ["2", "20 / 59 / 59 / 59 / 59", "19.8", "9.9", "–", "–", "–", "0.899", "–"]
    assert without_aware[2:5] == ["–"] * 3
    assert without_aware[8] == "–"
    assert without_aware[9] == "0.900 [0.900, 0.900]"


def test_problems_with_departures_are_in_one_table_below_their_titles_and_inputs() -> None:
    steel = summary_of("steel", departures=("starts",), mo_ucb=numbers((50.0, 40.0)), paper=numbers((20.0, 40.0)))
    text = summary_of(mo_ucb=numbers((50.0, 40.0)), paper=numbers((20.0, 40.0)))
    lines = ablation([*steps(), text, steel]).splitlines()
    head, _, *below = [line for line in lines if line.startswith("|")]
    assert "CA-MOBO: Σ of each input | Σ of the most expensive | of front members | MO-UCB: Σ of each" in head
    titles = {i: line.split(" |")[0] for i, line in enumerate(below) if "**" in line}
    assert titles == {
        0: "| **ZDT3, five inputs**: x1 > x2 > x3 > x4 > x5",
        len(STEPS) + 1: "| **Steel: strength**: nickel > chromium",
    }
    assert below[len(STEPS) + 2].startswith("| + two cheap starts |")
    assert len(below) == len(STEPS) + 3


def test_variants_of_the_text_are_no_departures() -> None:
    theory = summary_of("zdt3", beta="theory", paper=aware(20.0))
    script_g = summary_of("zdt3", options={"g": "script"}, paper=aware(20.0))
    assert ablation([theory, script_g, steps()[0]]) == ""
    assert len(rows(ablation([theory, script_g, *steps()]))) == len(STEPS)
