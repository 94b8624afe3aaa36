from __future__ import annotations

from typing import Any

import pytest

from camobo.paper import scorecard
from camobo.paper.claims import CLAIMS
from camobo.paper.departures import SCRIPT, Departure
from camobo.paper.statistics import Summary
from camobo.strategy.plan import Beta
from tests.support.paper_runs import first, numbers, summary_of

FIVE = (30.0, 40.0, 50.0, 60.0)
BLIND, AWARE, WASTEFUL = (numbers((x1, 40.0), mapped=0.995) for x1 in (50.0, 20.0, 60.0))
CROSS: dict[str, Any] = {"mo_ucb": numbers((50.0, 50.0)), "paper": numbers((20.0, 40.0))}


def rows(text: str) -> dict[str, list[str]]:
    """The cells of a table by the first one of their row."""
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line[:1] == "|"]
    return {row[0]: row[1:] for row in cells}


def counts(summaries: list[Summary]) -> dict[str, list[str]]:
    """By experiment, its cell in every row of the scorecard."""
    head, _, *below = [line for line in scorecard.scorecard(summaries).splitlines() if line[:1] == "|"]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in (head, *below)]
    return {title: list(column) for title, *column in list(zip(*cells, strict=True))[1:]}


def zdt3(
    options: dict[str, Any] | None = None, beta: Beta = "practical", departures: tuple[Departure, ...] = ()
) -> Summary:
    blind, aware, printed = (numbers((x1, *FIVE)) for x1 in (85.2, 17.8, 90.0))
    return summary_of(
        "zdt3", options=options, beta=beta, departures=departures, mo_ucb=blind, paper=aware, printed=printed
    )


SCRIPT_RUNS = zdt3({"g": "script"}, "theory", SCRIPT)


class TestTheScorecard:
    def test_it_counts_what_holds_is_contradicted_and_is_not_shown_by_experiment_and_in_all(self) -> None:
        steel = summary_of("steel", mo_ucb=BLIND, paper=AWARE, printed=WASTEFUL)
        cross = summary_of(mo_ucb=first(CROSS["mo_ucb"], 2), paper=first(CROSS["paper"], 2))
        found = counts([steel, cross])
        assert list(found) == ["Figure 2", "Steel: strength", "Cross-in-tray and Hölder table", "all"]
        assert found["Figure 2"] == ["4 / 0 / 0", "3 / 1 / 0", "–"]
        assert found["Steel: strength"] == ["2 / 0 / 0", "1 / 1 / 0", "–"]
        assert found["Cross-in-tray and Hölder table"] == ["0 / 0 / 7", "–", "–"]
        assert found["all"] == ["**6 / 0 / 7**", "**4 / 2 / 0**", "**–**"]

    def test_both_readings_and_the_script_have_a_row(self) -> None:
        found = rows(scorecard.scorecard([summary_of(**CROSS)]))
        assert list(found)[2:] == ["CA-MOBO, ascending", "CA-MOBO, as printed", "the authors' script"]

    def test_every_claim_of_an_experiment_is_counted(self) -> None:
        found = counts([zdt3()])["ZDT3, five inputs"]
        assert [sum(map(int, count.split(" / "))) for count in found[:2]] == [len(CLAIMS["zdt3"])] * 2

    def test_what_has_no_runs_shows_a_dash(self) -> None:
        cells = counts([summary_of(**CROSS)])["Cross-in-tray and Hölder table"]
        assert cells[0] != "–"
        assert cells[1:] == ["–", "–"]

    def test_the_script_is_counted_apart_from_the_text(self) -> None:
        alone = counts([SCRIPT_RUNS])["ZDT3, five inputs"]
        text = counts([zdt3()])["ZDT3, five inputs"]
        both = counts([SCRIPT_RUNS, zdt3()])["ZDT3, five inputs"]
        assert alone[:2] == ["–", "–"]
        assert text[2] == "–"
        assert both == [*text[:2], alone[2]]
        assert "–" not in both

    @pytest.mark.parametrize(
        "departing",
        [
            zdt3({"g": "script"}),
            zdt3(beta="theory"),
            zdt3({"g": "script"}, "theory", SCRIPT[:-1]),
            zdt3({"g": "script"}, "practical", SCRIPT),
            zdt3({"g": "standard"}, "theory", SCRIPT),
            zdt3({"g": "script"}, "theory", ("model",)),
        ],
    )
    def test_runs_between_the_text_and_the_script_are_not_counted(self, departing: Summary) -> None:
        given = summary_of(**CROSS)
        assert scorecard.scorecard([given, departing]) == scorecard.scorecard([given])


class TestTheClaims:
    def test_each_has_its_verdicts_and_what_was_measured_with_ascending_weights(self) -> None:
        given = summary_of("steel", mo_ucb=BLIND, paper=AWARE, printed=WASTEFUL)
        found = rows(scorecard.claims([given]))
        verdicts, evidence = found["CA-MOBO uses less nickel"][:3], found["CA-MOBO uses less nickel"][3]
        assert verdicts == ["holds", "**contradicted**", ""]
        assert evidence == "Σ nickel is 0.400 [0.400, 0.400] of MO-UCB's"

    def test_they_stand_below_their_experiment_in_the_paper_s_order(self) -> None:
        found = list(rows(scorecard.claims([zdt3(), summary_of(**CROSS)])))
        start, end = found.index("**ZDT3, five inputs**"), found.index("**Cross-in-tray and Hölder table**")
        assert found[start + 1 : end] == [claim.text for claim in CLAIMS["zdt3"]]

    def test_without_runs_by_the_text_the_script_s_are_shown(self) -> None:
        found = rows(scorecard.claims([SCRIPT_RUNS]))["CA-MOBO's Σ x1 is about 17.8"]
        assert found == ["", "", "holds", "Σ x1 is 17.8 [17.7, 17.9]"]

    def test_what_is_claimed_of_figure_two_needs_no_runs_and_has_no_script(self) -> None:
        found = rows(scorecard.claims([summary_of(**CROSS)]))["a level of x1 costs more than the same of x2"]
        assert found[:3] == ["holds", "**contradicted**", ""]


@pytest.mark.parametrize("given", [[], [summary_of("steel", options={"objectives": 2}, **CROSS)]])
def test_without_an_experiment_of_the_paper_there_is_nothing_to_judge(given: list[Summary]) -> None:
    assert scorecard.judged(given) == {}
    assert scorecard.scorecard(given) == scorecard.claims(given) == ""
