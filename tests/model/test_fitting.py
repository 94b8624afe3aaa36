from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from camobo.arrays import Array
from camobo.model import fitting
from camobo.model.fitting import fit, negative_log_posterior
from camobo.model.hyper import Hyper, Prior
from camobo.model.kernels import KernelName
from camobo.model.transforms import Standard
from tests.support.gaussian_processes import (
    Problem,
    central_differences,
    data,
    every_kernel,
    naive_shape,
    problems,
    wavy,
)
from tests.support.strategies import law


class TestNegativeLogPosterior:
    @law
    @given(problems(), st.integers(0, 2**32))
    def test_the_gradient_of_the_fit_matches_central_differences(self, problem: Problem, seed: int) -> None:
        x, y, hyper, kernel, _ = problem
        prior = Prior(x.shape[1])
        z = (y - y.mean()) / (y.std() or 1.0)
        p = np.log([*hyper.lengths, hyper.signal, hyper.noise])
        p[:-1] += np.random.default_rng(seed).uniform(-1, 1, len(p) - 1)
        value, gradient = negative_log_posterior(x, z, kernel, prior, p)
        expected = central_differences(lambda q: negative_log_posterior(x, z, kernel, prior, q)[0], p, 1e-5)
        np.testing.assert_allclose(gradient, expected, rtol=1e-5, atol=1e-6 * (1 + abs(value)))

    @law
    @given(problems(), st.booleans())
    def test_what_the_fit_minimises_is_the_likelihood_times_the_prior(self, problem: Problem, learn_mean: bool) -> None:
        x, y, hyper, kernel, _ = problem
        prior = Prior(x.shape[1], learn_mean)

        def value(of: Hyper) -> float:
            p = np.log([*of.lengths, of.signal, of.noise])
            return negative_log_posterior(x, y, kernel, prior, p)[0]

        def textbook(of: Hyper) -> float:
            K = of.signal * naive_shape(kernel, x, x, of.lengths) + of.noise * np.eye(len(x))
            p = np.log([*of.lengths, of.signal, of.noise])
            log_prior = -0.5 * (((p - prior.centre) / prior.deviation) ** 2).sum()
            ones = np.ones_like(y)
            mean = ones @ np.linalg.solve(K, y) / (ones @ np.linalg.solve(K, ones)) if learn_mean else 0.0
            left = y - mean
            return float(0.5 * np.linalg.slogdet(K)[1] + 0.5 * left @ np.linalg.solve(K, left) - log_prior)

        other = Hyper(hyper.lengths * 1.3, hyper.signal * 0.8, hyper.noise * 2)
        # Up to a constant: only differences can be compared.
        expected = textbook(hyper) - textbook(other)
        assert value(hyper) - value(other) == pytest.approx(expected, rel=1e-7, abs=1e-7)

    @law
    @given(problems())
    def test_a_workspace_changes_no_bit(self, problem: Problem) -> None:
        x, y, hyper, kernel, _ = problem
        workspace = fitting._workspace(len(y))
        for scale in (1.0, 0.7):  # twice: what the first call left in the workspace must not matter
            p = Hyper(hyper.lengths * scale, hyper.signal, hyper.noise).logarithms
            fresh = negative_log_posterior(x, y, kernel, Prior(x.shape[1]), p)
            reused = negative_log_posterior(x, y, kernel, Prior(x.shape[1]), p, workspace)
            assert reused[0] == fresh[0]
            np.testing.assert_array_equal(reused[1], fresh[1])

    @every_kernel
    def test_a_covariance_that_does_not_factorise_has_a_huge_value_and_no_gradient(self, kernel: KernelName) -> None:
        x, y = data(6, 2)
        p = np.array([0.0, 0.0, 0.0, -800.0])  # e^-800 = 0: no noise
        value, gradient = negative_log_posterior(np.vstack([x, x]), np.append(y, y), kernel, Prior(2), p)
        assert value == 1e25
        assert not gradient.any()


class TestDifficultData:
    @every_kernel
    def test_duplicates_need_no_jitter_when_there_is_noise(self, kernel: KernelName) -> None:
        x, y = data(10, 2)
        gp = fit(np.vstack([x, x, x]), np.concatenate([y, y, y + 0.1]), kernel=kernel)
        assert gp.jitter == 0.0
        assert all(np.all(np.isfinite(part)) for part in gp.predict(x))

    @every_kernel
    @pytest.mark.parametrize("level", [0.0, 1.0, -3e5, 1e-200, 1e200])
    def test_constant_outputs_are_predicted_to_stay_constant(self, kernel: KernelName, level: float) -> None:
        x, _ = data(12, 3)
        gp = fit(x, np.full(12, level), kernel=kernel)
        mean, deviation = gp.predict(np.random.default_rng(1).random((5, 3)))
        np.testing.assert_allclose(mean, level, rtol=1e-9)
        assert np.all(np.isfinite(deviation) & (deviation > 0))

    @every_kernel
    @pytest.mark.parametrize("power", [-498, 498])
    def test_the_size_of_the_outputs_does_not_matter(self, kernel: KernelName, power: int) -> None:
        """2**±498 is about 1e±150. A power of two changes no rounding, so results must agree to the bit."""
        x, y = data(20, 2)
        points, size = np.random.default_rng(1).random((5, 2)), 2.0**power
        plain, scaled = fit(x, y, kernel=kernel).predict(points), fit(x, y * size, kernel=kernel).predict(points)
        np.testing.assert_array_equal(scaled[0], plain[0] * size)
        np.testing.assert_array_equal(scaled[1], plain[1] * size)

    @every_kernel
    @pytest.mark.parametrize("size", [1e-300, 1e-150, 1e150, 1e300])
    def test_very_small_and_very_large_outputs_are_predicted_in_their_own_units(
        self, kernel: KernelName, size: float
    ) -> None:
        x, y = data(20, 2)
        mean, deviation = fit(x, y * size, kernel=kernel).predict(x)
        np.testing.assert_allclose(mean / size, y, atol=0.5)
        assert np.all((deviation / size > 0) & (deviation / size < 1))

    @every_kernel
    @pytest.mark.parametrize("f", [1, 20])
    def test_one_observation_is_enough(self, kernel: KernelName, f: int) -> None:
        gp = fit(np.full((1, f), 0.3), np.array([42.0]), kernel=kernel)
        mean, deviation = gp.predict(np.vstack([np.full(f, 0.3), np.full(f, 0.9)]))
        np.testing.assert_allclose(mean, 42.0)
        assert 0 < deviation[0] < deviation[1]

    @every_kernel
    def test_points_on_a_line_are_fitted(self, kernel: KernelName) -> None:
        t = np.linspace(0, 1, 40)
        x = t[:, None] * np.array([1.0, 0.5, 0.25])
        gp = fit(x, np.sin(6 * t), kernel=kernel)
        middle = 0.5 * (x[1:] + x[:-1])
        np.testing.assert_allclose(gp.predict(middle)[0], np.sin(6 * middle[:, 0]), atol=0.02)

    @every_kernel
    def test_an_input_that_never_varies_does_no_harm(self, kernel: KernelName) -> None:
        x, y = data(20, 3)
        x[:, 1] = 0.4
        mean, _ = fit(x, y, kernel=kernel).predict(x)
        assert np.corrcoef(mean, y)[0, 1] > 0.9

    @every_kernel
    def test_a_far_outlier_leaves_predictions_finite(self, kernel: KernelName) -> None:
        x, y = data(30, 2)
        y[7] = 1e12
        assert all(np.all(np.isfinite(part)) for part in fit(x, y, kernel=kernel).predict(x))


def gentle(x: Array) -> Array:
    """A function that rises with every input, with some curvature."""
    return np.asarray(np.sin(1.5 * x) @ np.linspace(1, 2, x.shape[1]) + np.cos(2 * x[:, :2].sum(axis=1)))


def held_out_error(function: Callable[[Array], Array], n: int, f: int, kernel: KernelName, seed: int) -> float:
    """Root mean square error on 200 unseen points, relative to predicting the mean."""
    rng = np.random.default_rng(seed)
    x, unseen = rng.random((n, f)), np.random.default_rng(1000 + seed).random((200, f))
    error = fit(x, function(x) + 0.1 * rng.standard_normal(n), kernel=kernel).predict(unseen)[0] - function(unseen)
    return float(np.sqrt(np.mean(error**2)) / np.std(function(unseen)))


class TestFit:
    @every_kernel
    def test_the_same_data_give_the_same_fit_to_the_last_bit(self, kernel: KernelName) -> None:
        x, y = data(40, 4)
        a, b = fit(x, y, kernel=kernel), fit(x.copy(), y.copy(), kernel=kernel)
        np.testing.assert_array_equal(a.hyper.lengths, b.hyper.lengths)
        assert (a.hyper.signal, a.hyper.noise) == (b.hyper.signal, b.hyper.noise)
        np.testing.assert_array_equal(a.factor, b.factor)

    @every_kernel
    def test_the_data_are_not_changed(self, kernel: KernelName) -> None:
        x, y = data(20, 2)
        before = x.copy(), y.copy()
        fit(x, y, kernel=kernel).append(x[0], 1.0).posterior_gradients(x)
        np.testing.assert_array_equal(x, before[0])
        np.testing.assert_array_equal(y, before[1])

    @every_kernel
    @pytest.mark.parametrize("seed", range(3))
    def test_inputs_that_do_not_matter_get_long_length_scales(self, kernel: KernelName, seed: int) -> None:
        x = np.random.default_rng(seed).random((60, 6))
        lengths = fit(x, np.sin(5 * x[:, 1]) + 2 * x[:, 4] ** 2, kernel=kernel).hyper.lengths
        matter = [1, 4]
        others = np.delete(lengths, matter)
        assert others.min() > 3 * lengths[matter].max()

    @every_kernel
    @pytest.mark.parametrize("noise", [0.03, 0.1, 0.3])
    @pytest.mark.parametrize("seed", range(2))
    def test_noise_is_inferred_within_a_factor_of_three(self, kernel: KernelName, noise: float, seed: int) -> None:
        rng = np.random.default_rng(seed)
        x = rng.random((80, 2))
        gp = fit(x, np.sin(5 * x[:, 0]) + x[:, 1] + noise * rng.standard_normal(80), kernel=kernel)
        inferred = math.sqrt(gp.hyper.noise) * gp.standard.scale
        assert noise / 3 < inferred < noise * 3

    @every_kernel
    def test_without_noise_little_noise_is_inferred(self, kernel: KernelName) -> None:
        x = np.random.default_rng(0).random((80, 2))
        gp = fit(x, np.sin(5 * x[:, 0]) + x[:, 1], kernel=kernel)
        assert math.sqrt(gp.hyper.noise) < 0.01

    @every_kernel
    @pytest.mark.parametrize("f", [2, 5, 10, 20])
    def test_predictions_halve_the_error_of_the_mean_on_unseen_points(self, kernel: KernelName, f: int) -> None:
        for seed in range(3):
            assert held_out_error(gentle, 60, f, kernel, seed) < 0.5

    @every_kernel
    @pytest.mark.parametrize(("n", "f"), [(20, 2), (60, 5)])
    def test_predictions_halve_the_error_of_the_mean_on_a_function_with_humps(
        self, kernel: KernelName, n: int, f: int
    ) -> None:
        for seed in range(3):
            assert held_out_error(wavy, n, f, kernel, seed) < 0.5

    @every_kernel
    def test_predictions_beat_the_mean_clearly_on_a_function_with_ten_humps(self, kernel: KernelName) -> None:
        assert np.mean([held_out_error(wavy, 60, 10, kernel, seed) for seed in range(4)]) < 0.75

    @every_kernel
    def test_most_unseen_values_lie_within_three_deviations(self, kernel: KernelName) -> None:
        inside = []
        for seed in range(4):
            x, y = data(40, 3, seed)
            unseen = np.random.default_rng(50 + seed).random((200, 3))
            mean, deviation = fit(x, y, kernel=kernel).predict(unseen)
            inside.append(np.abs(mean - wavy(unseen)) < 3 * deviation)
        assert np.mean(inside) > 0.9

    @every_kernel
    def test_a_fit_is_no_worse_than_any_of_many_random_guesses(self, kernel: KernelName) -> None:
        x, y = data(40, 3)
        gp, prior = fit(x, y, kernel=kernel), Prior(3)

        def loss(p: Array) -> float:
            return negative_log_posterior(x, gp.z, kernel, prior, p)[0]

        found = loss(np.log([*gp.hyper.lengths, gp.hyper.signal, gp.hyper.noise]))
        guesses = prior.centre + prior.deviation * np.random.default_rng(0).uniform(-2, 2, (300, 5))
        assert found <= min(loss(guess) for guess in guesses)

    def test_more_observations_than_the_subset_are_all_used(self) -> None:
        x, y = data(200, 2)
        gp = fit(x, y)
        assert len(gp.z) == 200
        np.testing.assert_allclose(gp.predict(x)[0], wavy(x), atol=0.15)

    def test_many_observations_are_raced_and_polished_on_subsets_and_conditioned_on_in_full(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(fitting, "_RACED", 20)
        monkeypatch.setattr(fitting, "_POLISHED", 40)
        sizes = []
        descend = fitting._descend

        def watched(x: Array, *rest: Any) -> tuple[float, Array]:
            sizes.append(len(x))
            return descend(x, *rest)

        monkeypatch.setattr(fitting, "_descend", watched)
        x, y = data(60, 2)
        gp = fit(x, y)
        assert sizes == [20, 20, 40]
        np.testing.assert_array_equal(gp.x, x)

    @every_kernel
    def test_a_mean_of_zero_stays_zero_and_a_learned_one_is_that_of_least_squares(self, kernel: KernelName) -> None:
        x, y = data(15, 2)
        assert fit(x, y, kernel=kernel, mean="zero").hyper.mean == 0.0
        gp = fit(x, y, kernel=kernel)
        K = gp.hyper.signal * naive_shape(kernel, x, x, gp.hyper.lengths) + gp.hyper.noise * np.eye(len(x))
        weights = np.linalg.solve(K, np.ones(len(x)))
        assert gp.hyper.mean == pytest.approx(weights @ gp.z / weights.sum(), rel=1e-6)
        assert gp.hyper.mean != 0.0

    def test_a_given_standard_is_used_instead_of_the_data_s_own(self) -> None:
        x, y = data(15, 2)
        standard = Standard(offset=1.0, scale=4.0)
        gp = fit(x, y, standard=standard)
        assert gp.standard is standard
        np.testing.assert_array_equal(gp.z, standard.of(y))
