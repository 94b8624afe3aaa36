from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from camobo import InvalidOptionError, InvalidValueError
from camobo.paper import claims, steel, summary, table
from camobo.paper.folder import write_json
from camobo.paper.summary import money
from camobo.pareto import hypervolume
from camobo.regret import survey

RUNS = 20


def numbers(use: tuple[float, ...], near: float = 0.9, mapped: float = 0.99, **more: Any) -> dict[str, Any]:
    """What twenty runs of a method, a little apart from one another, are summed up as."""
    spread = np.linspace(-0.01, 0.01, RUNS)
    return {
        "runs": list(range(RUNS)),
        "use": [[x * (1 + s) for x in use] for s in spread],
        "near": (near + 0.1 * spread).tolist(),
        "mapped": (mapped + 0.1 * spread).tolist(),
        "early_mapped": (0.5 + spread).tolist(),
        "money": (sum(use) * (1 + spread)).tolist(),
        "milliseconds": {"50": 5.0, "100": 10.0},
        "milliseconds_mean": 7.0,
        "core_seconds": 60.0,
        "regret": [1.0] * RUNS,
        "early_average_regret": (0.5 + spread).tolist(),
        "average_regret": (0.1 + 0.1 * spread).tolist(),
        "own_regret": [1.0] * RUNS,
        "bound": [100.0] * RUNS,
        "below_bound": [True] * RUNS,
        "never_disordered": [use[0] <= use[1]] * RUNS,
    } | more


def made(experiment: str = "cross-holder", **methods: dict[str, Any]) -> dict[str, Any]:
    options = {"booth": "standard"} if experiment == "matyas-booth" else {}
    return {
        "setting": {"experiment": experiment, "iterations": 100, "seed": 0, "options": options, "version": "0.1.0"},
        "title": "Cross",
        "inputs": ["x1", "x2"],
        "machine": "a machine",
        "methods": {name.replace("_", "-"): given for name, given in methods.items()},
    }


def verdicts(found: dict[str, Any]) -> dict[str, str]:
    return {claim.split(": ")[1]: verdict.strip("*") for claim, verdict, _ in claims.judged([found])}


LESS, BELOW = "CA-MOBO uses less of x1 than MO-UCB", "CA-MOBO uses less of x1 than of x2"


class TestVerdicts:
    def test_a_claim_the_runs_bear_out_holds(self) -> None:
        found = verdicts(made(mo_ucb=numbers((50.0, 50.0)), paper=numbers((20.0, 40.0))))
        assert (found[LESS], found[BELOW]) == ("holds", "holds")

    def test_a_claim_the_runs_contradict_does_not_hold(self) -> None:
        found = verdicts(made(mo_ucb=numbers((50.0, 50.0)), paper=numbers((60.0, 40.0))))
        assert (found[LESS], found[BELOW]) == ("does not hold", "does not hold")

    def test_a_claim_the_printed_weights_break_holds_only_with_ascending_ones(self) -> None:
        given = made(mo_ucb=numbers((50.0, 50.0)), paper=numbers((20.0, 40.0)), printed=numbers((60.0, 30.0)))
        assert verdicts(given)[BELOW] == "holds only with ascending weights"

    def test_the_same_hypervolume_is_within_two_per_cent(self) -> None:
        same = "CA-MOBO reaches the same hypervolume"
        near = made(mo_ucb=numbers((50.0, 50.0)), paper=numbers((20.0, 40.0), mapped=0.98))
        far = made(mo_ucb=numbers((50.0, 50.0)), paper=numbers((20.0, 40.0), mapped=0.94))
        assert (verdicts(near)[same], verdicts(far)[same]) == ("holds", "does not hold")

    def test_a_regret_above_the_bound_would_be_told(self) -> None:
        above = numbers((20.0, 40.0), below_bound=[True] * (RUNS - 1) + [False])
        bound = "the cumulative regret stays below Theorem 1's bound"
        assert verdicts(made(mo_ucb=numbers((50.0, 50.0)), paper=above))[bound] == "does not hold"

    def test_two_runs_that_differ_cannot_tell(self) -> None:
        few, blind = numbers((20.0, 40.0), runs=[0, 1]), numbers((50.0, 50.0), runs=[0, 1])
        few["use"] = [[20.0, 40.0], [60.0, 40.0]]
        assert verdicts(made(mo_ucb=blind, paper=few))[LESS] == "cannot be told"

    def test_one_run_that_keeps_the_order_cannot_tell_and_one_that_breaks_it_can(self) -> None:
        kept, broken = (numbers(use, runs=[0]) for use in ((20.0, 40.0), (60.0, 40.0)))
        blind = numbers((50.0, 50.0), runs=[0])
        for few in (kept, broken, blind):
            few["use"] = few["use"][:1]
        assert verdicts(made(mo_ucb=blind, paper=kept))[BELOW] == "cannot be told"
        assert verdicts(made(mo_ucb=blind, paper=broken))[BELOW] == "does not hold"

    def test_without_the_baseline_nothing_is_claimed(self) -> None:
        assert verdicts(made(paper=numbers((20.0, 40.0)))) == {}


class TestIntervals:
    def test_a_ratio_pairs_the_runs(self) -> None:
        base = np.array([10.0, 100.0, 1000.0])  # runs differ widely, the methods by exactly a half
        found = table.ratio(0.5 * base, base)
        assert (found.value, found.low, found.high) == pytest.approx((0.5, 0.5, 0.5))

    def test_a_mean_lies_in_its_interval_which_narrows_with_runs(self) -> None:
        values = np.random.default_rng(0).normal(5.0, 1.0, 400)
        few, many = table.mean(values[:25]), table.mean(values)
        assert few.low < few.value < few.high
        assert many.high - many.low < 0.5 * (few.high - few.low)

    def test_one_run_has_no_interval(self) -> None:
        assert table.mean(np.array([3.0])).shown(1) == "3.0"

    def test_a_ratio_to_nothing_is_not_a_number_and_shown_as_none(self) -> None:
        assert table.ratio(np.ones(3), np.zeros(3)).shown(2) == "–"
        assert table.ratio(np.ones(2), np.array([1.0, 0.0])).value == 2.0

    def test_a_share_of_all_runs_is_not_certain(self) -> None:
        found = table.share(np.ones(50, dtype=np.bool_))
        assert found.value == 1.0
        assert 0.9 < found.low < 0.95


class TestTheTable:
    def test_published_and_measured_stand_side_by_side(self) -> None:
        text = table.table([made("zdt3", mo_ucb=numbers((85.0, 40.0)), paper=numbers((17.0, 40.0)))])
        assert "| MO-UCB | 85.2 | 85.0 [" in text
        assert "| CA-MOBO, ascending | 17.8 | 17.0 [" in text
        assert "(0.21)" in text

    def test_time_and_its_growth_are_shown(self) -> None:
        text = table.table([made(mo_ucb=numbers((85.0, 40.0)), paper=numbers((17.0, 40.0)))])
        assert "| 7.0 | 5.0 | 10.0 (t = 100) | 2.0× | 1.0 |" in text
        assert "a machine" in text

    def test_it_goes_between_the_marks_of_a_page_and_nowhere_else(self, tmp_path: Path) -> None:
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
    def test_a_page_without_marks_is_left_alone(self, tmp_path: Path, content: str) -> None:
        page = tmp_path / "page.md"
        page.write_text(content)
        with pytest.raises(InvalidOptionError, match="one line"):
            table.write_between(page, "new")
        assert page.read_text() == content

    def test_summaries_are_found_in_a_folder_and_in_its_folders(self, tmp_path: Path) -> None:
        (tmp_path / "a").mkdir()
        write_json(tmp_path / "a" / "summary.json", made(paper=numbers((1.0, 2.0))))
        assert summary.read_summaries(tmp_path) == summary.read_summaries(tmp_path / "a")

    @pytest.mark.parametrize("content", ["{", "[]", "{}", '{"setting": 1}'])
    def test_a_file_that_is_no_summary_is_named(self, tmp_path: Path, content: str) -> None:
        (tmp_path / "summary.json").write_text(content)
        with pytest.raises(InvalidValueError, match=r"summary\.json.*camobo paper redraw"):
            summary.read_summaries(tmp_path)

    @pytest.mark.parametrize(
        "spoil",
        [
            lambda given: given["methods"]["paper"].pop("use"),
            lambda given: given["methods"]["paper"]["near"].pop(),
            lambda given: given["methods"]["paper"].pop("below_bound"),
            lambda given: given["methods"].update(paper=1),
            lambda given: given["methods"].update(best=given["methods"]["paper"]),
            lambda given: given["methods"].clear(),
            lambda given: given.update(title=1),
            lambda given: given["setting"].update(experiment="zdt9"),
            lambda given: given["setting"].pop("seed"),
        ],
    )
    def test_a_summary_that_is_not_whole_is_named(self, tmp_path: Path, spoil: Callable[[Any], object]) -> None:
        given = made(paper=numbers((1.0, 2.0)))
        spoil(given)
        write_json(tmp_path / "summary.json", given)
        with pytest.raises(InvalidValueError, match=r"summary\.json.*camobo paper redraw"):
            summary.read_summaries(tmp_path)


def test_money_grows_with_every_point_and_most_with_the_dearest_input() -> None:
    levels = np.eye(3)[None]
    spent = np.diff(money(levels)[0], prepend=0.0)
    assert spent == pytest.approx([4 / 7 + 0.1, 2 / 7 + 0.1, 1 / 7 + 0.1])


class TestSteel:
    def test_the_stated_optimum_is_the_optimum(self) -> None:
        found = survey(steel.SPACE, steel.single)
        assert found.best[0] == pytest.approx(steel.STRONGEST, abs=1e-5)
        assert steel.WEAKEST < found.worst[0] < steel.WEAKEST + 2.0

    def test_the_stated_hypervolume_is_nearly_reached_and_never_passed(self) -> None:
        ticks = np.linspace(0.0, 1.0, 1201)
        values = steel.double(np.stack(np.meshgrid(ticks, ticks), axis=-1).reshape(-1, 2))
        reached = hypervolume(values, np.array(steel.REFERENCE))
        assert 0.999 * steel.BEST_HYPERVOLUME < reached <= steel.BEST_HYPERVOLUME

    def test_iron_alone_rusts_and_chromium_keeps_rust_away(self) -> None:
        chromium = np.linspace(0.0, 20.0, 50)
        resistance = steel.resistance(np.zeros(50), chromium)
        assert resistance[0] < 0.05
        assert (np.diff(resistance) > 0).all()
        assert (steel.resistance(np.full(50, 5.0), chromium) > resistance).all()
