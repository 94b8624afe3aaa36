from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from camobo.acquisition.pareto import hypervolume
from camobo.paper import results
from camobo.paper.experiments import Method, experiment
from camobo.paper.folder import Setting
from tests.support.paper_runs import record

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

    def test_the_use_of_inputs_is_summed_in_the_order_s_order(self, monkeypatch: pytest.MonkeyPatch) -> None:
        one = record(CROSS)
        found = results.curves([one], CROSS)["paper"]
        assert found.use[0] == pytest.approx(np.cumsum(one.units, axis=0))
        other = replace(experiment("cross-holder", {}), order="x2 > x1")
        monkeypatch.setattr(results, "experiment", lambda *_: other)
        turned = results.curves([one], CROSS)["paper"]
        assert turned.use[0] == pytest.approx(found.use[0][:, ::-1])
        assert turned.use_front[0] == pytest.approx(found.use_front[0][::-1])

    def test_each_step_is_credited_with_the_latest_member_of_the_front(self) -> None:
        """Two first points and five chosen ones, of objectives to minimise."""
        one = replace(
            record(replace(CROSS, iterations=5)),
            first_units=np.array([[0.1, 0.2], [0.3, 0.4]]),
            first_values=np.array([[1.0, 4.0], [4.0, 1.0]]),
            units=np.array([[0.7, 0.7], [0.5, 0.6], [0.8, 0.8], [0.9, 0.1], [0.2, 0.2]]),
            values=np.array([[5.0, 5.0], [2.0, 2.0], [3.0, 3.0], [0.5, 3.5], [2.0, 2.0]]),
        )
        found = results.curves([one], CROSS)["paper"]
        # dominated, so the last of the first ones; on the front; dominated; on the front; no better than the second
        latest = np.array([[0.3, 0.4], [0.5, 0.6], [0.5, 0.6], [0.9, 0.1], [0.9, 0.1]])
        assert found.use_front == pytest.approx(latest.sum(axis=0)[None])
        assert found.use[0, -1] == pytest.approx([3.1, 2.4])

    def test_methods_come_in_their_fixed_order_and_only_those_with_runs(self) -> None:
        made = [record(CROSS, method) for method in ("default", "mo-ucb")]
        assert list(results.curves(made, CROSS)) == ["mo-ucb", "default"]

    def test_with_a_formula_regrets_are_those_of_the_runs_and_have_a_bound(self) -> None:
        one = record(CROSS)
        found = results.curves([one], CROSS)["paper"]
        for curve, kept in ((found.regrets, one.regrets), (found.own_regrets, one.own_regrets)):
            assert curve is not None
            assert kept is not None
            assert curve.tolist() == [kept.tolist()]
        assert found.bounds is not None
        assert found.bounds.shape == (1, 12)

    def test_without_a_formula_regret_is_against_the_best_that_any_run_measured(self) -> None:
        made = [record(FOREST, "mo-ucb", run) for run in range(2)]
        made[1].values[3] = 0.0  # better than all others in both objectives, which are minimised
        found = results.curves(made, FOREST)["mo-ucb"]
        assert found.own_regrets is not None
        assert found.own_regrets.shape == (2, 12)
        assert np.argwhere(found.own_regrets == 0.0).tolist() == [[1, 3]]
        assert found.bounds is None

    def test_the_default_and_departures_without_a_formula_have_no_regrets(self) -> None:
        cases: list[tuple[Setting, Method]] = [(FOREST, "default"), (replace(FOREST, departures=("length",)), "mo-ucb")]
        for setting, method in cases:
            found = results.curves([record(setting, method)], setting)[method]
            assert (found.regrets, found.own_regrets, found.bounds) == (None, None, None)

    def test_without_a_formula_the_front_of_all_runs_is_the_best(self) -> None:
        made = [record(FOREST, "paper", run) for run in range(4)]
        scale = results.scale_of(experiment("forest", FOREST.options), FOREST, made)
        values = -np.vstack([part for one in made for part in (one.first_values, one.values)])
        assert hypervolume(values, scale.reference) == pytest.approx(scale.near_volume)
