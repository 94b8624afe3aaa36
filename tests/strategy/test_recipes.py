from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from camobo.acquisition.pareto import on_front
from camobo.model.models import refit_point, refit_regularly
from camobo.problems import dtlz2
from camobo.strategy.plan import Data
from camobo.strategy.recipes import modelled
from camobo.strategy.suggest import models_of
from tests.support.plans import data, measure, plan, some, with_outliers
from tests.support.strategies import law


class TestRefitting:
    @law
    @given(st.integers(1, 5000), st.integers(1, 50))
    def test_a_refit_is_never_on_more_observations_than_there_are_nor_far_behind(self, count: int, every: int) -> None:
        for fitted_on, behind in (
            (partial(refit_point, every=every), max(every, count / 10 + 1)),
            (partial(refit_regularly, every=every, first=6), every),
        ):
            assert 1 <= fitted_on(count) <= count
            assert fitted_on(count + 1) >= fitted_on(count)
            assert count - fitted_on(count) < behind

    @law
    @given(st.integers(3, 20), st.integers(0, 500))
    def test_the_paper_refits_at_every_tenth_after_the_initial_observations(self, first: int, later: int) -> None:
        assert refit_regularly(first + later, 10, first) == first + 10 * (later // 10)

    @law
    @given(st.integers(1, 50))
    def test_early_observations_are_all_fitted_on(self, every: int) -> None:
        assert all(refit_point(n, every) == n for n in range(1, 2 * min(every, 10)))

    def test_the_more_evaluations_between_fits_the_fewer_fits(self) -> None:
        fits = [len({refit_point(n, every) for n in range(1, 150)}) for every in (1, 5, 10, 25, 50)]
        assert fits == sorted(fits, reverse=True)
        assert fits[0] == 149

    def test_hyper_parameters_stay_between_the_papers_refits_and_move_at_them(self) -> None:
        given = plan(method="paper", seed=2)
        units = some(given, 22)
        lengths = {n: models_of(given, data(given, units[:n])).gps[0].hyper.lengths for n in (3, 4, 12, 13)}
        np.testing.assert_array_equal(lengths[3], lengths[4])
        np.testing.assert_array_equal(lengths[3], lengths[12])
        assert np.any(lengths[12] != lengths[13])

    @pytest.mark.parametrize(("method", "kernels"), [("paper", ["se", "se"]), ("default", ["se", "matern52"])])
    def test_the_paper_models_everything_as_smooth_around_zero_and_the_default_what_is(
        self, method: str, kernels: list[str]
    ) -> None:
        given = plan(method=method, seed=2)
        units = some(given, 30)
        centred = units - 0.4
        values = np.column_stack([(centred**2).sum(axis=1), np.abs(centred).sum(axis=1)])
        models = models_of(given, replace(data(given, units), values=values))
        assert [model.kernel for model in models.gps] == kernels
        assert all((model.hyper.mean == 0.0) == (method == "paper") for model in models.gps)

    def test_nothing_is_modelled_as_smooth_with_fewer_than_five_observations_per_feature(self) -> None:
        given = plan(seed=2)
        features = given.space.features(some(given, 1)).shape[1]
        units = some(given, 5 * features)
        values = np.repeat(((units - 0.4) ** 2).sum(axis=1)[:, None], 2, axis=1)
        for n, kernel in ((len(units) - 1, "matern52"), (len(units), "se")):
            models = models_of(given, replace(data(given, units[:n]), values=values[:n]))
            assert [model.kernel for model in models.gps] == [kernel, kernel]

    @pytest.mark.parametrize("seed", [0, 1])
    def test_what_is_smooth_is_predicted_to_a_hundredth(self, seed: int) -> None:
        # Started only from the rough fit's length scales, a smooth fit has a poor optimum for one objective per seed.
        problem = dtlz2(4, 2)
        given, none = plan(problem.space), np.zeros((0, 4))
        units = np.random.default_rng(seed).random((400, 4))
        values = problem.evaluate(units)
        models = models_of(given, Data(units[:100], values[:100], none, none, 101))
        for m, model in enumerate(models.gps):
            error = model.predict(units[100:])[0] - values[100:, m]
            assert np.sqrt(np.mean(error**2)) < 0.01 * values[:, m].std()

    @pytest.mark.parametrize(("method", "kernels"), [("paper", ["se", "se"]), ("default", ["humps", "se"])])
    def test_the_default_models_humps_with_a_kernel_of_their_own(self, method: str, kernels: list[str]) -> None:
        given = plan(method=method, seed=2)
        units = some(given, 30)
        values = np.column_stack([np.sin(25 * units).prod(axis=1), units.sum(axis=1)])
        models = models_of(given, replace(data(given, units), values=values))
        assert [model.kernel for model in models.gps] == kernels

    def test_models_have_seen_all_the_data(self) -> None:
        given = plan(method="paper", seed=2)
        known = data(given, some(given, 17))
        models = models_of(given, known)
        assert models.fitted == 13
        for m, model in enumerate(models.gps):
            assert len(model.z) == 17
            mean, deviation = model.predict(known.units)
            np.testing.assert_allclose(mean, known.values[:, m], atol=1e-2)
            assert np.all(deviation < 0.05)

    def test_outliers_are_compressed_but_not_in_the_paper_s_method(self) -> None:
        for method, compressed in (("default", True), ("paper", False)):
            given = plan(method=method, constraints=("c",))
            models = models_of(given, with_outliers(given, 30))
            for model in models.gps:
                assert (np.ptp(np.sort(model.z)[2:-2]) > 0.1) == compressed


class TestManyObservations:
    def test_up_to_two_thousand_all_of_them_are_modelled(self) -> None:
        assert modelled(np.zeros((2000, 2))).tolist() == list(range(2000))

    def test_beyond_them_the_front_is_kept_with_an_even_sample_of_the_rest(self) -> None:
        values = measure(np.random.default_rng(0).random((6000, 2)))
        kept = modelled(values)
        assert len(kept) == 2000
        assert np.all(np.diff(kept) > 0)
        assert set(np.flatnonzero(on_front(values))) <= set(kept)
        assert np.histogram(kept, bins=4, range=(0, 6000))[0].min() > 400

    def test_a_front_of_thousands_leaves_room_for_the_rest(self) -> None:
        angle = np.linspace(0.0, np.pi / 2.0, 5000)
        values = np.vstack([np.column_stack([np.cos(angle), np.sin(angle)]), np.zeros((1000, 2))])
        kept = modelled(values)
        assert len(kept) == 2000
        assert (kept >= 5000).sum() >= 150
