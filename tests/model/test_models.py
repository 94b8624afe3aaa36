from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from camobo.arrays import Array
from camobo.model.gp import GP, condition
from camobo.model.hyper import Hyper
from camobo.model.models import Models, update_models
from tests.support.strategies import law


@dataclass
class Recorded:
    """A recipe that fits at multiples of five, skips some observations if asked, and records its fits."""

    skipped: tuple[int, ...] = ()
    fits: list[tuple[int, Array, Array]] = field(default_factory=list)

    def fitted_on(self, count: int) -> int:
        return max(1, 5 * (count // 5))

    def modelled(self, values: Array) -> NDArray[np.intp]:
        return np.array([i for i in range(len(values)) if i not in self.skipped])

    def fit(self, outcome: int, features: Array, values: Array) -> GP:
        self.fits.append((outcome, features, values))
        lengths = np.full(features.shape[1], 0.3 + 0.1 * len(values) + 0.05 * outcome)
        return condition(features, values, Hyper(lengths, noise=1e-3))


def observations(count: int, seed: int = 0) -> tuple[Array, Array, Array]:
    """(n, 2) units, (n, 3) features and (n, 2) values."""
    units = np.random.default_rng(seed).random((count, 2))
    features = np.column_stack([units, units[:, 0] > 0.5])
    return units, features, np.column_stack([np.sin(5 * units).sum(axis=1), units[:, 0] - units[:, 1] ** 2])


def models_of(count: int, cached: Models | None = None, recipe: Recorded | None = None) -> Models:
    """Models of the first `count` observations."""
    units, features, values = observations(20)
    return update_models(recipe or Recorded(), units[:count], features[:count], values[:count], cached)


def assert_bitwise_equal(found: Models, expected: Models) -> None:
    assert found.fitted == expected.fitted
    np.testing.assert_array_equal(found.units, expected.units)
    np.testing.assert_array_equal(found.values, expected.values)
    for ours, theirs in zip(found.gps, expected.gps, strict=True):
        for part in ("x", "z", "factor", "dual"):
            np.testing.assert_array_equal(getattr(ours, part), getattr(theirs, part))
        assert (ours.standard, ours.jitter) == (theirs.standard, theirs.jitter)


class TestWithoutCache:
    @pytest.mark.parametrize("count", [1, 5, 9, 10, 13])
    def test_each_outcome_is_fitted_on_the_prefix_and_has_seen_everything(self, count: int) -> None:
        recipe = Recorded()
        units, features, values = observations(20)
        models = models_of(count, recipe=recipe)
        fitted = recipe.fitted_on(count)
        assert models.fitted == fitted
        assert [outcome for outcome, _, _ in recipe.fits] == [0, 1]
        for m, (_, fitted_features, fitted_values) in enumerate(recipe.fits):
            np.testing.assert_array_equal(fitted_features, features[:fitted])
            np.testing.assert_array_equal(fitted_values, values[:fitted, m])
            np.testing.assert_array_equal(models.gps[m].x, features[:count])
            np.testing.assert_allclose(models.gps[m].z, models.gps[m].standardise(values[:count, m]))
        np.testing.assert_array_equal(models.units, units[:count])

    def test_observations_that_the_recipe_leaves_out_are_left_out_of_the_fit_and_later_ones_are_appended(self) -> None:
        _, features, _ = observations(20)
        models = models_of(7, recipe=Recorded(skipped=(1, 3)))
        for gp in models.gps:
            np.testing.assert_array_equal(gp.x, features[[0, 2, 4, 5, 6]])


class TestCache:
    @law
    @given(st.integers(1, 20), st.integers(1, 20))
    def test_from_any_cache_the_models_are_bitwise_those_of_a_fresh_start(self, before: int, now: int) -> None:
        assert_bitwise_equal(models_of(now, cached=models_of(before)), models_of(now))

    @pytest.mark.parametrize(("before", "now"), [(5, 5), (5, 6), (11, 14)])
    def test_a_cache_of_a_prefix_saves_the_fit(self, before: int, now: int) -> None:
        cached, recipe = models_of(before), Recorded()
        models = models_of(now, cached=cached, recipe=recipe)
        assert recipe.fits == []
        np.testing.assert_array_equal(models.gps[0].hyper.lengths, cached.gps[0].hyper.lengths)

    def test_a_cache_from_before_the_last_refit_is_ignored(self) -> None:
        recipe = Recorded()
        models_of(10, cached=models_of(9), recipe=recipe)
        assert [len(values) for _, _, values in recipe.fits] == [10, 10]

    def test_a_cache_that_has_seen_more_is_ignored(self) -> None:
        recipe = Recorded()
        assert_bitwise_equal(models_of(6, cached=models_of(8), recipe=recipe), models_of(6))
        assert len(recipe.fits) == 2

    @pytest.mark.parametrize("what", ["units", "values"])
    def test_a_cache_of_other_data_is_ignored(self, what: str) -> None:
        cached = models_of(7)
        changed = getattr(cached, what).copy()
        changed[2, 0] = np.nextafter(changed[2, 0], 2.0)
        recipe = Recorded()
        models = models_of(8, cached=replace(cached, **{what: changed}), recipe=recipe)
        assert len(recipe.fits) == 2
        assert_bitwise_equal(models, models_of(8))

    def test_the_cached_models_stay_as_they_were(self) -> None:
        cached = models_of(6)
        before = [gp.factor.copy() for gp in cached.gps]
        models_of(9, cached=cached)
        assert len(cached.units) == 6
        for gp, factor in zip(cached.gps, before, strict=True):
            np.testing.assert_array_equal(gp.factor, factor)
