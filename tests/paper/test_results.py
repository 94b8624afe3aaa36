from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from camobo import InvalidValueError
from camobo.acquisition.pareto import hypervolume
from camobo.paper import results
from camobo.paper.experiments import experiment
from camobo.paper.folder import Setting, write_json
from tests.support.paper_runs import numbers, record, summary_of

CROSS, FOREST = Setting("cross-holder", 12, 0, {}), Setting("forest", 12, 0, {"dataset": "wine"})


class TestMoney:
    def test_it_grows_with_every_point_and_most_with_the_most_expensive_input(self) -> None:
        spent = np.diff(results.money(np.eye(3)[None])[0], prepend=0.0)
        assert spent == pytest.approx([4 / 7 + 0.1, 2 / 7 + 0.1, 1 / 7 + 0.1])

    @given(st.integers(1, 5), st.integers(0, 2**32))
    def test_a_point_costs_between_a_tenth_and_eleven_tenths(self, k: int, seed: int) -> None:
        spent = np.diff(results.money(np.random.default_rng(seed).random((8, k))), prepend=0.0)
        assert ((spent > 0.1 - 1e-12) & (spent < 1.1 + 1e-12)).all()


class TestCurves:
    @pytest.mark.parametrize("setting", [CROSS, FOREST, Setting("steel", 12, 0, {"objectives": 1})])
    def test_volumes_never_fall_and_stay_below_the_best(self, setting: Setting) -> None:
        found = results.curves([record(setting, "printed", run) for run in range(3)], setting)["printed"]
        for volumes in (found.near, found.mapped):
            assert volumes.shape == (3, 12)
            assert (np.diff(volumes, axis=1) >= 0).all()
            assert ((volumes >= 0) & (volumes <= 1)).all()
        assert (np.diff(found.money, axis=1) > 0).all()

    def test_the_volume_is_that_of_all_points_so_far(self) -> None:
        one = record(CROSS)
        given_ = experiment("cross-holder", {})
        scale = results.scale_of(given_, CROSS, [one])
        found = results.curves([one], CROSS)["paper"]
        values = -np.vstack([one.first_values, one.values])
        for t in range(12):
            share = hypervolume(values[: len(one.first_values) + t + 1], scale.reference) / scale.near_volume
            assert found.near[0, t] == pytest.approx(share)

    def test_the_use_of_inputs_is_summed_in_the_order_s_order(self) -> None:
        one = record(CROSS)
        assert results.curves([one], CROSS)["paper"].use[0] == pytest.approx(np.cumsum(one.units, axis=0))

    def test_methods_come_in_their_fixed_order_and_only_those_with_runs(self) -> None:
        made = [record(CROSS, method) for method in ("default", "mo-ucb")]
        assert list(results.curves(made, CROSS)) == ["mo-ucb", "default"]

    def test_regrets_are_there_where_the_problem_has_a_formula(self) -> None:
        with_formula, without = (results.curves([record(s)], s)["paper"] for s in (CROSS, FOREST))
        assert with_formula.bounds is not None
        assert with_formula.bounds.shape == (1, 12)
        assert (without.regrets, without.own_regrets, without.bounds) == (None, None, None)

    def test_without_a_formula_the_front_of_all_runs_is_the_best(self) -> None:
        made = [record(FOREST, "paper", run) for run in range(4)]
        scale = results.scale_of(experiment("forest", FOREST.options), FOREST, made)
        values = -np.vstack([part for one in made for part in (one.first_values, one.values)])
        assert hypervolume(values, scale.reference) == pytest.approx(scale.near_volume)


class TestSummary:
    @pytest.mark.parametrize("setting", [CROSS, FOREST])
    def test_it_is_written_and_can_be_read_back(self, setting: Setting, tmp_path: Path) -> None:
        made = [record(setting, method, run) for method in ("mo-ucb", "paper") for run in (0, 1)]
        summary = results.summarise(tmp_path, setting, results.curves(made, setting))
        assert results.read_summaries(tmp_path) == [json.loads(json.dumps(summary))]
        assert set(summary["methods"]) == {"mo-ucb", "paper"}
        for method in summary["methods"].values():
            assert method["runs"] == [0, 1]
            assert all(0.0 <= share <= 1.0 for share in [*method["near"], *method["mapped"]])

    def test_without_regrets_everything_else_is_there(self, tmp_path: Path) -> None:
        made = [record(CROSS, "paper"), replace(record(CROSS, "default"), regrets=None, own_regrets=None, bound=None)]
        methods = results.summarise(tmp_path, CROSS, results.curves(made, CROSS))["methods"]
        of_algorithm_1 = {"regret", "early_average_regret", "average_regret", "own_regret", "bound", "below_bound"}
        assert set(methods["paper"]) - set(methods["default"]) == of_algorithm_1
        assert results.read_summaries(tmp_path)[0]["methods"]["default"] == json.loads(json.dumps(methods["default"]))

    def test_points_of_a_front_are_counted_on_either_side_of_the_middle_error(self, tmp_path: Path) -> None:
        made = [record(FOREST, "paper", run) for run in range(3)]
        numbers_ = results.summarise(tmp_path, FOREST, results.curves(made, FOREST))["methods"]["paper"]
        for run, one in enumerate(made):
            values = np.vstack([one.first_values, one.values])
            front = [v for v in values if not any((w <= v).all() and (w < v).any() for w in values)]
            assert numbers_["front_high_error"][run] + numbers_["front_low_error"][run] == len(front)
            assert 0.0 <= numbers_["front_cheap"][run] <= 1.0
            assert 0.0 <= numbers_["front_use"][run] <= 1.0

    def test_milliseconds_are_means_over_the_last_ten_suggestions(self) -> None:
        seconds = np.arange(120.0)[None]
        found = results._growth(seconds)
        assert found == {"50": 1e3 * 44.5, "100": 1e3 * 94.5, "120": 1e3 * 114.5}

    def test_summaries_are_found_in_a_folder_and_in_its_subfolders(self, tmp_path: Path) -> None:
        (tmp_path / "a").mkdir()
        write_json(tmp_path / "a" / "summary.json", summary_of(paper=numbers((1.0, 2.0))))
        assert results.read_summaries(tmp_path) == results.read_summaries(tmp_path / "a")

    @pytest.mark.parametrize("place", [".", "missing"])
    def test_a_folder_without_summaries_names_a_command_to_start_with(self, tmp_path: Path, place: str) -> None:
        with pytest.raises(InvalidValueError, match="camobo paper zdt3 --out"):
            results.read_summaries(tmp_path / place)

    @pytest.mark.parametrize("content", ["{", "[]", "{}", '{"setting": 1}'])
    def test_a_file_that_is_no_summary_is_named(self, tmp_path: Path, content: str) -> None:
        (tmp_path / "summary.json").write_text(content)
        with pytest.raises(InvalidValueError, match=r"summary\.json.*camobo paper redraw"):
            results.read_summaries(tmp_path)

    @pytest.mark.parametrize(
        "spoil",
        [
            lambda given: given["methods"]["paper"].pop("use"),
            lambda given: given["methods"]["paper"]["near"].pop(),
            lambda given: given["methods"]["paper"].pop("below_bound"),
            lambda given: given["methods"].update(paper=1),
            lambda given: given["methods"].update(best=given["methods"]["paper"]),
            lambda given: given["methods"].update(additive=given["methods"]["paper"]),
            lambda given: given["methods"].update(default={"runs": [0]}),
            lambda given: given["methods"].clear(),
            lambda given: given.update(title=1),
            lambda given: given["setting"].update(experiment="zdt9"),
            lambda given: given["setting"].pop("seed"),
            lambda given: given["setting"].update(experiment="forest"),
        ],
    )
    def test_an_incomplete_summary_is_named(self, tmp_path: Path, spoil: Callable[[Any], object]) -> None:
        summary = summary_of(paper=numbers((1.0, 2.0)))
        spoil(summary)
        write_json(tmp_path / "summary.json", summary)
        with pytest.raises(InvalidValueError, match=r"summary\.json.*camobo paper redraw"):
            results.read_summaries(tmp_path)
