from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from camobo import InvalidValueError
from camobo.paper import results, summary
from camobo.paper.departures import SCRIPT, Departure
from camobo.paper.experiments import Method
from camobo.paper.folder import Record, Setting, write_json
from camobo.paper.scorecard import claims
from camobo.paper.table import effort, experiments
from camobo.strategy.plan import Beta
from tests.support.paper_runs import numbers, record, summary_of, without_regrets

CROSS, FOREST = Setting("cross-holder", 12, 0, {}), Setting("forest", 12, 0, {"dataset": "wine"})


def summarised(folder: Path, setting: Setting, made: list[Record]) -> Any:
    """The summary of runs, which can be read back as it is."""
    found = json.loads(json.dumps(summary.summarise(folder, setting, results.curves(made, setting))))
    assert summary.read_summaries(folder) == [found]
    return found


def spoiled(folder: Path, spoil: Callable[[Any], object], **methods: Any) -> Path:
    given = summary_of(**(methods or {"paper": numbers((1.0, 2.0))}))
    spoil(given)
    write_json(folder / "summary.json", given)
    return folder


class TestSummarising:
    @pytest.mark.parametrize("setting", [CROSS, FOREST])
    def test_there_is_one_number_per_run(self, setting: Setting, tmp_path: Path) -> None:
        made = [record(setting, method, run) for method in ("mo-ucb", "paper") for run in (0, 1)]
        methods = summarised(tmp_path, setting, made)["methods"]
        assert set(methods) == {"mo-ucb", "paper"}
        for method in methods.values():
            assert method["runs"] == [0, 1]
            assert all(0.0 <= share <= 1.0 for share in [*method["near"], *method["mapped"]])

    def test_sums_and_volumes_are_the_last_of_the_curves_and_early_ones_those_after_a_tenth(
        self, tmp_path: Path
    ) -> None:
        setting = replace(CROSS, iterations=40)
        made = [record(setting, "paper", run) for run in range(3)]
        curve = results.curves(made, setting)["paper"]
        found = summarised(tmp_path, setting, made)["methods"]["paper"]
        assert found["use"] == curve.use[:, -1].round(3).tolist()
        assert found["use_front"] == curve.use_front.round(3).tolist()
        assert found["use_front"] != found["use"]
        assert found["near"] == curve.near[:, -1].round(5).tolist()
        assert found["mapped"] == curve.mapped[:, -1].round(5).tolist()
        assert found["early_mapped"] == curve.mapped[:, 3].round(5).tolist()
        assert found["money"] == curve.money[:, -1].round(3).tolist()

    def test_average_regrets_are_sums_divided_by_the_steps(self, tmp_path: Path) -> None:
        setting = replace(CROSS, iterations=40)
        made = [record(setting, "paper", run) for run in range(3)]
        found = summarised(tmp_path, setting, made)["methods"]["paper"]
        regrets = np.stack([one.regrets for one in made if one.regrets is not None])
        assert found["regret"] == pytest.approx(regrets.sum(axis=1), abs=1e-4)
        assert found["average_regret"] == pytest.approx(regrets.mean(axis=1), abs=1e-5)
        assert found["early_average_regret"] == pytest.approx(regrets[:, :4].mean(axis=1), abs=1e-5)

    @pytest.mark.parametrize(("height", "below"), [(100.0, True), (0.01, False)])
    def test_a_run_is_below_the_bound_if_it_is_at_every_step(self, height: float, below: bool, tmp_path: Path) -> None:
        one = record(CROSS)
        bound = np.full(12, 100.0)
        bound[6] = height
        found = summarised(tmp_path, CROSS, [replace(one, bound=bound)])["methods"]["paper"]
        assert found["below_bound"] == [below]

    @pytest.mark.parametrize("setting", [CROSS, replace(CROSS, departures=("model",))])
    def test_without_regrets_everything_else_is_there(self, setting: Setting, tmp_path: Path) -> None:
        """Of the default strategy, and of the protocol without a model."""
        with_regrets = set(summarised(tmp_path, CROSS, [record(CROSS, "paper")])["methods"]["paper"])
        method: Method = "paper" if setting.departures else "default"
        made = replace(record(setting, "default"), method=method, regrets=None, own_regrets=None, bound=None)
        found = summarised(tmp_path, setting, [made])["methods"][method]
        of_algorithm_1 = {"regret", "early_average_regret", "average_regret", "own_regret", "bound", "below_bound"}
        assert with_regrets - set(found) == of_algorithm_1

    def test_milliseconds_are_means_over_the_last_ten_suggestions(self, tmp_path: Path) -> None:
        setting = replace(CROSS, iterations=120)
        made = replace(record(setting), seconds=np.arange(120.0))
        found = summarised(tmp_path, setting, [made])["methods"]["paper"]["milliseconds"]
        assert found == {"50": 1e3 * 44.5, "100": 1e3 * 94.5, "120": 1e3 * 114.5}


class TestGaps:
    SETTING = Setting("zdt3", 200, 0, {})

    def test_they_and_their_errors_are_those_of_the_curves(self, tmp_path: Path) -> None:
        made = [record(self.SETTING, "paper", run) for run in range(4)]
        use = results.curves(made, self.SETTING)["paper"].use
        found = summarised(tmp_path, self.SETTING, made)["methods"]["paper"]
        steps = found["gap_at"]
        for j in range(4):
            gaps = np.array([[run[t - 1, j + 1] - run[t - 1, j] for t in steps] for run in use])
            assert found["gap"][j] == pytest.approx(gaps.mean(axis=0), abs=1e-3)
            assert found["gap_error"][j] == pytest.approx(gaps.std(axis=0, ddof=1) / math.sqrt(4), abs=1e-4)
        assert len(found["gap"]) == len(found["gap_error"]) == 4

    def test_they_are_taken_at_some_steps_the_first_and_last_among_them(self, tmp_path: Path) -> None:
        steps = summarised(tmp_path, self.SETTING, [record(self.SETTING)])["methods"]["paper"]["gap_at"]
        assert (steps[0], steps[-1]) == (1, 200)
        assert 20 < len(steps) <= 40
        assert steps == sorted(set(steps))

    def test_one_run_has_no_error(self, tmp_path: Path) -> None:
        found = summarised(tmp_path, CROSS, [record(CROSS)])["methods"]["paper"]
        assert found["gap_error"] == [[0.0] * 12]


class TestFronts:
    def test_their_points_are_counted_on_either_side_of_the_middle_error(self, tmp_path: Path) -> None:
        made = [record(FOREST, "paper", run) for run in range(3)]
        found = summarised(tmp_path, FOREST, made)["methods"]["paper"]
        for run, one in enumerate(made):
            values = np.vstack([one.first_values, one.values])
            front = [v for v in values if not any((w <= v).all() and (w < v).any() for w in values)]
            assert found["front_high_error"][run] + found["front_low_error"][run] == len(front)

    def test_the_middle_is_that_of_the_front_of_all_runs(self, tmp_path: Path) -> None:
        one = record(FOREST, "paper")
        time_and_error = np.tile([2.0, 2.0], (12, 1))  # one point that all others are worse than, but for four
        time_and_error[:4] = [[0.1, 1.0], [0.2, 0.6], [0.3, 0.4], [0.4, 0.0]]
        levels = np.full((12, 2), 0.9)
        levels[:4, 0] = [0.0, 1.0, 1.0, 0.0]
        first = np.tile([3.0, 3.0], (len(one.first_values), 1))
        own = replace(one, units=levels, values=time_and_error, first_values=first)
        blind = replace(own, method="mo-ucb", values=np.where(time_and_error == 1.0, 0.9, time_and_error))
        found = summarised(tmp_path, FOREST, [own, blind])["methods"]
        assert found["paper"]["front_high_error"] == [2]  # of 1.0, 0.6, 0.4, 0.0 above 0.45
        assert found["paper"]["front_low_error"] == [2]
        assert found["paper"]["front_use"] == [0.5]
        assert found["paper"]["front_cheap"] == [0.5]

    def test_they_are_described_only_where_error_is_an_objective(self, tmp_path: Path) -> None:
        found = summarised(tmp_path, CROSS, [record(CROSS)])["methods"]["paper"]
        assert not any(key.startswith("front_") for key in found)


class TestReading:
    def test_summaries_are_found_in_a_folder_and_in_its_subfolders(self, tmp_path: Path) -> None:
        (tmp_path / "a").mkdir()
        spoiled(tmp_path / "a", lambda _: None)
        assert summary.read_summaries(tmp_path) == summary.read_summaries(tmp_path / "a")

    @pytest.mark.parametrize("place", [".", "missing"])
    def test_a_folder_without_summaries_names_a_command_to_start_with(self, tmp_path: Path, place: str) -> None:
        with pytest.raises(InvalidValueError, match="camobo paper zdt3 --out"):
            summary.read_summaries(tmp_path / place)

    @pytest.mark.parametrize("content", ["{", "[]", "{}", '{"setting": 1}'])
    def test_a_file_that_is_no_summary_is_named(self, tmp_path: Path, content: str) -> None:
        (tmp_path / "summary.json").write_text(content)
        with pytest.raises(InvalidValueError, match=r"summary\.json.*camobo paper redraw"):
            summary.read_summaries(tmp_path)

    @pytest.mark.parametrize(
        "spoil",
        [
            lambda given: given["methods"]["paper"].pop("use"),
            lambda given: given["methods"]["paper"].pop("use_front"),
            lambda given: given["methods"]["paper"]["near"].pop(),
            lambda given: given["methods"]["paper"].pop("below_bound"),
            lambda given: given["methods"]["paper"].pop("gap_error"),
            lambda given: given["methods"]["paper"]["gap"][0].pop(),
            lambda given: given["methods"]["paper"].pop("milliseconds_mean"),
            lambda given: given["methods"].update(paper=1),
            lambda given: given["methods"].update(best=given["methods"]["paper"]),
            lambda given: given["methods"].update(additive=given["methods"]["paper"]),
            lambda given: given["methods"].update(default={"runs": [0]}),
            lambda given: given["methods"].clear(),
            lambda given: given.update(title=1),
            lambda given: given["setting"].update(experiment="zdt9"),
            lambda given: given["setting"].update(departures=["theta"]),
            lambda given: given["setting"].pop("seed"),
            lambda given: given["setting"].update(experiment="forest"),
        ],
    )
    def test_an_incomplete_summary_is_named(self, tmp_path: Path, spoil: Callable[[Any], object]) -> None:
        with pytest.raises(InvalidValueError, match=r"summary\.json.*camobo paper redraw"):
            summary.read_summaries(spoiled(tmp_path, spoil))

    def test_only_runs_without_a_model_and_the_default_may_lack_regrets(self, tmp_path: Path) -> None:
        bare = without_regrets(numbers((1.0, 2.0)))
        spoiled(tmp_path, lambda given: given["setting"].update(departures=["model"]), paper=bare)
        assert len(summary.read_summaries(tmp_path)) == 1
        spoiled(tmp_path, lambda _: None, default=bare)
        assert len(summary.read_summaries(tmp_path)) == 1
        spoiled(tmp_path, lambda given: given["setting"].update(departures=["length"]), paper=bare)
        with pytest.raises(InvalidValueError, match="outdated"):
            summary.read_summaries(tmp_path)

    @pytest.mark.parametrize("setting", [Setting("matyas-booth", 12, 0, {"booth": "standard"}), FOREST])
    def test_what_is_complete_suffices_for_the_tables_and_the_claims(self, setting: Setting, tmp_path: Path) -> None:
        found = summarised(tmp_path, setting, [record(setting, "mo-ucb"), record(setting, "paper")])
        assert all(found["title"] in text for text in (claims([found]), effort([found]), experiments([found])))


class TestProtocols:
    @pytest.mark.parametrize(
        ("options", "beta", "departures", "text", "script"),
        [
            ({}, "practical", (), True, False),
            ({"g": "standard"}, "practical", (), True, False),
            ({"booth": "standard"}, "practical", (), True, False),
            ({"objectives": 1}, "practical", (), True, False),
            ({"booth": "printed"}, "practical", (), False, False),
            ({"g": "script"}, "practical", (), False, False),
            ({}, "theory", (), False, False),
            ({}, "practical", ("length",), False, False),
            ({}, "practical", SCRIPT, False, False),
            ({}, "theory", SCRIPT, False, True),
            ({"g": "script"}, "theory", SCRIPT, False, True),
            ({"g": "standard"}, "theory", SCRIPT, False, False),
            ({"g": "script"}, "theory", SCRIPT[:-1], False, False),
            ({"g": "script"}, "theory", (*SCRIPT, "model"), False, False),
        ],
    )
    def test_runs_follow_the_text_the_script_or_something_between(
        self, options: dict[str, Any], beta: Beta, departures: tuple[Departure, ...], text: bool, script: bool
    ) -> None:
        found = summary_of(options=options, beta=beta, departures=departures)
        assert (summary.by_text(found), summary.by_script(found)) == (text, script)

    def test_a_summary_from_before_there_were_departures_follows_the_text(self) -> None:
        found = summary_of()
        del found["setting"]["beta"], found["setting"]["departures"]
        assert summary.by_text(found)
        assert (summary.beta_in(found), summary.departures_in(found)) == ("practical", ())

    def test_what_sets_runs_apart_is_read_from_their_setting(self) -> None:
        found = summary_of("zdt3", options={"g": "script"}, beta="theory", departures=("length", "search"))
        assert summary.departures_in(found) == ("length", "search")
        assert summary.beta_in(found) == "theory"
        assert summary.g_of_script(found)
        assert not summary.g_of_script(summary_of("zdt3"))
