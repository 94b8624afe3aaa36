"""What whole studies find: with unusual objectives, on small spaces, with and without a cost."""

from __future__ import annotations

import functools
import math
import statistics
from collections.abc import Mapping
from functools import partial

import numpy as np
import pytest

import camobo as cm
from camobo.problems import matyas_booth
from camobo.space.inputs import Param
from tests.support.studies import measure, params_of, study_of, told

pytestmark = pytest.mark.slow


def bowl(sign: float, p: Mapping[str, Param]) -> dict[str, float]:
    return {"y": sign * ((p["expensive"] - 0.7) ** 2 + (p["cheap"] - 0.2) ** 2)}


@functools.cache
def with_reference(method: str, size: float) -> cm.Study:
    return study_of(method=method, reference={"strength": -size, "corrosion": size}).optimize(measure, 8)


@functools.cache
def with_cost(method: str) -> cm.Study:
    return study_of(method=method, cost="expensive > cheap").optimize(measure, 10)


SCALES = [1e-150, 1e-30, 1e30, 1e150]


class TestUnusualObjectives:
    def test_one_objective_is_optimised(self) -> None:
        for goal, sign in (("min", 1.0), ("max", -1.0)):
            study = study_of(objectives={"y": goal})
            told(study, 20, partial(bowl, sign))
            (best, *_) = study.front()
            assert best.params["expensive"] == pytest.approx(0.7, abs=0.05)
            assert best.params["cheap"] == pytest.approx(0.2, abs=0.05)

    def test_four_objectives_are_traded_off(self) -> None:
        corners = {"a": (0, 0), "b": (0, 1), "c": (1, 0), "d": (1, 1)}

        def four(p: Mapping[str, Param]) -> dict[str, float]:
            return {name: math.hypot(p["expensive"] - x, p["cheap"] - y) for name, (x, y) in corners.items()}

        study = study_of(objectives=dict.fromkeys(corners, "min"), cost="expensive > cheap").optimize(four, 16)
        assert len(study.front()) > 8
        assert study.hypervolume(dict.fromkeys(corners, 1.5)) > 0.0
        assert set(study.explain(15).predictions) == set(corners)

    def test_thirty_one_objectives_have_a_front_and_a_hypervolume(self) -> None:
        goals = dict.fromkeys((f"y{m}" for m in range(31)), "min")
        study = told(
            study_of(objectives=goals), 5, lambda p: {y: p["expensive"] + m * p["cheap"] for m, y in enumerate(goals)}
        )
        assert study.ask().params.keys() == {"expensive", "cheap"}
        assert study.front()
        assert study.hypervolume(dict.fromkeys(goals, 40.0)) > 0.0

    @pytest.mark.parametrize("cost", [None, "expensive > cheap"])
    @pytest.mark.parametrize("method", ["default", "paper"])
    def test_objectives_that_never_change_do_no_harm(self, method: str, cost: str | None) -> None:
        study = study_of(method=method, cost=cost).optimize(lambda p: {"strength": 3.0, "corrosion": 0.0}, 20)
        units = np.array([study.space.to_unit(trial.params) for trial in study.trials])
        apart = np.abs(units[:, None] - units[None]).max(axis=2) + np.eye(20)
        assert apart.min() > 0.03
        half = study_of(method=method, cost=cost)
        half.optimize(lambda p: {"strength": p["cheap"], "corrosion": 7.0}, 14)
        assert max(trial.params["cheap"] for trial in half.trials) > 0.95

    @pytest.mark.parametrize("far", [1e9, 1e160, 1e308])
    @pytest.mark.parametrize("method", ["default", "paper"])
    def test_how_far_beyond_everything_a_reference_lies_does_not_matter(self, method: str, far: float) -> None:
        assert params_of(with_reference(method, far)) == params_of(with_reference(method, 1e7))

    def test_values_too_small_for_their_digits_count_as_equal(self) -> None:
        study = study_of().optimize(lambda p: {"strength": 5e-324 * (p["cheap"] > 0.5), "corrosion": 0.0}, 8)
        assert [trial.state for trial in study.trials] == [cm.State.COMPLETE] * 8

    @pytest.mark.parametrize("scale", SCALES, ids="{:g}".format)
    @pytest.mark.parametrize("method", ["default", "paper"])
    def test_the_size_of_the_numbers_does_not_matter(self, scale: float, method: str) -> None:
        def huge(p: Mapping[str, Param]) -> dict[str, float]:
            return {name: scale * value for name, value in measure(p).items()}

        study = study_of(method=method, cost="expensive > cheap").optimize(huge, 10)
        assert [trial.state for trial in study.trials] == [cm.State.COMPLETE] * 10
        ours, theirs = (np.array([list(p.values()) for p in params_of(one)]) for one in (study, with_cost(method)))
        np.testing.assert_allclose(ours[:6], theirs[:6], atol=1e-3)
        assert all(math.isfinite(number) for pair in study.explain(9).predictions.values() for number in pair)
        assert math.isfinite(study.hypervolume())
        assert len(study.front()) > 1

    @pytest.mark.parametrize("cost", [None, "expensive > cheap"])
    @pytest.mark.parametrize("wish", [-1.0, -1000.0])
    def test_a_reference_that_nothing_has_reached_yet_does_not_blind_the_search(
        self, wish: float, cost: str | None
    ) -> None:
        study = study_of(objectives={"y": "min"}, cost=cost, reference={"y": wish})
        study.optimize(partial(bowl, 1.0), 16)
        values = [trial.values["y"] for trial in study.front() if trial.values is not None]
        assert min(values) < 0.005

    @pytest.mark.parametrize("seed", [0, 1])
    def test_with_a_cost_and_a_reference_near_the_front_the_front_is_still_found(self, seed: int) -> None:
        problem = matyas_booth()  # nearly all of it lies beyond its reference
        given = dict(zip(problem.objectives, problem.reference, strict=True))
        study = study_of(problem.space, problem.objectives, cost="x1 > x2", reference=given, seed=seed)
        study.optimize(problem, 40)
        assert study.hypervolume() > 0.95 * problem.best_hypervolume

    @pytest.mark.parametrize(("cost", "most"), [(None, 0.955), ("expensive > cheap", 3.0)])
    def test_values_of_many_magnitudes_do_not_hide_where_it_is_best(self, cost: str | None, most: float) -> None:
        def breaks(p: Mapping[str, Param]) -> dict[str, float]:
            soft = 1.0 / (0.01 + p["expensive"]) ** 5
            return {"y": soft + 10.0 * (p["cheap"] - 0.35) ** 2}

        def best(seed: int) -> float:
            study = study_of(objectives={"y": "min"}, cost=cost, seed=seed).optimize(breaks, 30)
            return min(trial.values["y"] for trial in study.front() if trial.values is not None)

        assert statistics.median(best(seed) for seed in range(3)) < most

    def test_an_outlier_does_not_stop_the_search(self) -> None:
        study = study_of(objectives={"y": "max"})
        study.add({"expensive": 0.9, "cheap": 0.9}, {"y": -1e12})
        study.optimize(lambda p: {"y": -((p["expensive"] - 0.3) ** 2)}, 12)
        assert len({tuple(trial.params.values()) for trial in study.trials}) == 13


class TestFiniteSpaces:
    SPACE = cm.Space({"n": cm.Integer(1, 4), "c": cm.Categorical(["x", "y", "z"])})

    def test_every_point_is_visited_once_and_then_the_space_is_exhausted(self) -> None:
        study = study_of(self.SPACE, {"y": "max"}, cost="n")
        told(study, 12, lambda p: {"y": p["n"] + len(p["c"])})
        assert len({tuple(trial.params.values()) for trial in study.trials}) == 12
        with pytest.raises(cm.SpaceExhausted, match="all 12 points"):
            study.ask()
        assert len(study.trials) == 12
        assert study.front()

    def test_the_papers_method_may_choose_a_point_again_and_never_exhausts_a_space(self) -> None:
        study = study_of(self.SPACE, {"y": "max"}, cost="n", method="paper")
        told(study, 14, lambda p: {"y": p["n"] + len(p["c"])})
        assert len(study.trials) == 14

    def test_asking_for_all_at_once_gives_all_and_failed_points_stay_used(self) -> None:
        study = study_of(cm.Space({"n": cm.Integer(1, 6)}), {"y": "max"})
        for trial in study.ask(6):
            study.fail(trial, "broke")
        assert {trial.params["n"] for trial in study.trials} == set(range(1, 7))
        with pytest.raises(cm.SpaceExhausted):
            study.ask()


class TestCost:
    def test_a_study_that_knows_what_is_expensive_spends_less_of_it_and_finds_as_much(self) -> None:
        def trade(p: Mapping[str, Param]) -> dict[str, float]:
            aside = (p["cheap"] - 0.6) ** 2
            return {"f": (p["expensive"] - 0.2) ** 2 + aside, "g": (p["expensive"] - 0.6) ** 2 + aside}

        spent: dict[str | None, list[float]] = {None: [], "expensive > cheap": []}
        found: dict[str | None, list[float]] = {None: [], "expensive > cheap": []}
        for cost, seed in ((cost, seed) for cost in spent for seed in range(2)):
            study = study_of(objectives={"f": "min", "g": "min"}, cost=cost, seed=seed).optimize(trade, 20)
            spent[cost].append(study.usage()["expensive"])
            found[cost].append(study.hypervolume({"f": 0.5, "g": 0.5}))
        assert np.mean(spent["expensive > cheap"]) < 0.95 * np.mean(spent[None])
        assert np.mean(found["expensive > cheap"]) > 0.9 * np.mean(found[None])

    def test_the_first_trials_are_cheap(self) -> None:
        space = cm.Space({"nickel": cm.Real(0, 20), "purity": cm.Real(0, 1, expensive="low"), "other": cm.Real(0, 1)})
        model = cm.OrderCost("nickel > purity").over(space)

        def costs(cost: str | None) -> float:
            units = [
                space.to_unit(trial.params)
                for seed in range(150)
                for trial in study_of(space, cost=cost, seed=seed).ask(4)
            ]
            return float(np.exp(model.log_cost(np.array(units))).mean())

        assert costs("nickel > purity") < 0.9 * costs(None)
