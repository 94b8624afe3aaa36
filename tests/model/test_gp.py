from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from camobo.arrays import Array
from camobo.model.fitting import negative_log_posterior
from camobo.model.gp import GP, condition
from camobo.model.hyper import Hyper, Prior
from camobo.model.kernels import KernelName
from tests.support.gaussian_processes import (
    Problem,
    central_differences,
    data,
    every_kernel,
    hyper_of,
    naive_posterior,
    problems,
)
from tests.support.strategies import law


class TestPosterior:
    @law
    @given(problems())
    def test_the_posterior_is_that_of_the_textbook(self, problem: Problem) -> None:
        x, y, hyper, kernel, points = problem
        gp = condition(x, y, hyper, kernel=kernel)
        mean, deviation = gp.posterior(points)
        expected_mean, expected_deviation = naive_posterior(x, gp.standardise(y), hyper, kernel, points)
        np.testing.assert_allclose(mean, expected_mean, rtol=0, atol=1e-8)
        np.testing.assert_allclose(deviation, expected_deviation, rtol=0, atol=1e-8)
        assert gp.jitter == 0.0

    @pytest.mark.parametrize("kernel", ["se", "matern52"])  # scikit-learn has no kernels over a subset of the inputs
    @pytest.mark.parametrize(("n", "f"), [(1, 1), (5, 2), (40, 3), (60, 20)])
    def test_the_posterior_is_that_of_scikit_learn(self, kernel: KernelName, n: int, f: int) -> None:
        kernels = pytest.importorskip("sklearn.gaussian_process.kernels", reason="scikit-learn is the oracle here")
        from sklearn.gaussian_process import GaussianProcessRegressor

        x, y = data(n, f)
        hyper = hyper_of(f)
        gp = condition(x, y, hyper, kernel=kernel)
        shape = kernels.RBF(hyper.lengths) if kernel == "se" else kernels.Matern(hyper.lengths, nu=2.5)
        oracle = GaussianProcessRegressor(
            kernels.ConstantKernel(hyper.signal) * shape, alpha=hyper.noise, optimizer=None, normalize_y=False
        )
        scale = y.std() if n > 1 else abs(y[0])
        oracle.fit(x, (y - y.mean()) / scale)
        points = np.vstack([np.random.default_rng(9).random((30, f)), x[:3]])
        expected_mean, expected_deviation = oracle.predict(points, return_std=True)
        for ours, expected in zip(gp.posterior(points), (expected_mean, expected_deviation), strict=True):
            np.testing.assert_allclose(ours, expected, rtol=0, atol=1e-8)
        mean, deviation = gp.predict(points)
        np.testing.assert_allclose(mean, y.mean() + scale * expected_mean, rtol=0, atol=1e-8)
        np.testing.assert_allclose(deviation, scale * expected_deviation, rtol=0, atol=1e-8)

    @every_kernel
    @pytest.mark.parametrize(("n", "f"), [(5, 2), (40, 3), (60, 20)])
    @pytest.mark.filterwarnings("ignore")  # deprecations inside torch and its dependencies
    def test_the_posterior_is_that_of_botorch(self, kernel: KernelName, n: int, f: int) -> None:
        torch = pytest.importorskip("torch", reason="BoTorch is the oracle here, and torch is not installed")
        models = pytest.importorskip("botorch.models", reason="BoTorch is the oracle here")
        import gpytorch

        x, y = data(n, f)
        hyper = hyper_of(f)
        gp = condition(x, y, hyper, kernel=kernel)

        def part(kind: Callable[..., Any], share: float, width: float, seen: list[int], **options: Any) -> Any:
            shape = kind(ard_num_dims=len(seen), active_dims=seen, **options).double()
            shape.lengthscale = torch.as_tensor(width * hyper.lengths[seen])
            whole = gpytorch.kernels.ScaleKernel(shape).double()
            whole.outputscale = share * hyper.signal
            return whole

        rbf, matern, rational = (getattr(gpytorch.kernels, f"{name}Kernel") for name in ("RBF", "Matern", "RQ"))
        every = list(range(f))
        if kernel == "se":
            covariance = part(rbf, 1.0, 1.0, every)
        elif kernel == "matern52":
            covariance = part(matern, 1.0, 1.0, every, nu=2.5)
        else:
            covariance = part(rational, 0.1, math.sqrt(32.0), every)
            covariance.base_kernel.alpha = 1.0
            covariance = covariance + part(matern, 0.2, 1.0, every, nu=2.5)
            for j in every:
                covariance = covariance + part(matern, 0.7 / f, 1.0, [j], nu=2.5)
        z = torch.as_tensor(gp.standardise(y)[:, None])
        model = models.SingleTaskGP(
            torch.as_tensor(x),
            z,
            train_Yvar=torch.full_like(z, hyper.noise),
            covar_module=covariance,
            mean_module=gpytorch.means.ZeroMean(),
            outcome_transform=None,
        ).double()
        points = np.random.default_rng(9).random((30, f))
        with torch.no_grad():
            posterior = model.posterior(torch.as_tensor(points))
        mean, deviation = gp.posterior(points)
        np.testing.assert_allclose(mean, posterior.mean.numpy()[:, 0], rtol=0, atol=1e-6)
        np.testing.assert_allclose(deviation, posterior.variance.sqrt().numpy()[:, 0], rtol=0, atol=1e-6)

    @law
    @given(problems())
    def test_predictions_are_the_posterior_in_the_units_of_the_data(self, problem: Problem) -> None:
        x, y, hyper, kernel, points = problem
        gp = condition(x, y, hyper, kernel=kernel)
        mean, deviation = gp.predict(points)
        np.testing.assert_allclose(gp.standardise(mean), gp.posterior(points)[0], rtol=1e-9, atol=1e-9)
        moved = condition(x, 7.0 - 3.0 * y, hyper, kernel=kernel).predict(points)
        if len(y) > 1:  # a single value has no scale
            np.testing.assert_allclose(moved[0], 7.0 - 3.0 * mean, rtol=1e-8, atol=1e-8)
            np.testing.assert_allclose(moved[1], 3.0 * deviation, rtol=1e-8)

    @law
    @given(problems())
    def test_the_expected_value_is_the_mean_of_the_prediction(self, problem: Problem) -> None:
        x, y, hyper, kernel, points = problem
        gp = condition(x, y, hyper, kernel=kernel)
        np.testing.assert_allclose(gp.expected(points), gp.predict(points)[0], rtol=1e-12, atol=1e-12)

    @every_kernel
    def test_far_from_the_data_the_posterior_is_the_prior(self, kernel: KernelName) -> None:
        x, y = data(20, 2)
        hyper = hyper_of(2)
        mean, deviation = condition(x, y, hyper, kernel=kernel).posterior(np.full((1, 2), 1e9))
        assert mean == pytest.approx(0.0, abs=1e-12)
        assert deviation == pytest.approx(math.sqrt(hyper.signal), rel=1e-12)

    @every_kernel
    def test_without_noise_the_mean_goes_through_the_data_and_the_deviation_vanishes(self, kernel: KernelName) -> None:
        x, y = data(15, 2)
        mean, deviation = condition(x, y, Hyper(np.full(2, 0.3), 1.0, 1e-10), kernel=kernel).predict(x)
        np.testing.assert_allclose(mean, y, atol=1e-6)
        assert np.all(deviation < 1e-4)


class TestGradients:
    @law
    @given(problems())
    def test_gradients_of_the_posterior_match_central_differences(self, problem: Problem) -> None:
        x, y, hyper, kernel, points = problem
        gp = condition(x, y, hyper, kernel=kernel)
        mean, deviation, mean_slope, deviation_slope = gp.posterior_gradients(points)
        for ours, plain in zip((mean, deviation), gp.posterior(points), strict=True):
            np.testing.assert_array_equal(ours, plain)
        for b, point in enumerate(points):
            for which, slope in enumerate((mean_slope, deviation_slope)):

                def moment(at: Array, which: int = which) -> float:
                    return float(gp.posterior(at[None, :])[which][0])

                expected = central_differences(moment, point, 1e-5)
                np.testing.assert_allclose(slope[b], expected, rtol=1e-5, atol=1e-6)

    @law
    @given(problems())
    def test_the_gradient_of_the_expected_value_matches_central_differences(self, problem: Problem) -> None:
        x, y, hyper, kernel, points = problem
        gp = condition(x, y, hyper, kernel=kernel)
        slopes = gp.expected_slope(points)
        _, _, mean_slope, _ = gp.posterior_gradients(points)
        np.testing.assert_allclose(slopes, gp.standard.scale * mean_slope, rtol=1e-9, atol=1e-9)
        for slope, point in zip(slopes, points, strict=True):
            expected = central_differences(lambda at: float(gp.expected(at[None, :])[0]), point, 1e-5)
            np.testing.assert_allclose(slope, expected, rtol=1e-5, atol=1e-6 * (1.0 + np.abs(y).max()))


class TestEvidence:
    @law
    @given(problems())
    def test_evidence_is_what_the_fit_maximises(self, problem: Problem) -> None:
        x, y, hyper, kernel, _ = problem
        z = condition(x, y, hyper, kernel=kernel).z
        prior = Prior(x.shape[1], learn_mean=False)
        expected = negative_log_posterior(x, z, kernel, prior, hyper.logarithms)[0]
        gp = condition(x, y, hyper, kernel=kernel)
        assume(gp.jitter == 0.0)
        assert gp.log_evidence(prior) == pytest.approx(-expected, rel=1e-9, abs=1e-9)


class TestAppend:
    @law
    @given(problems(), st.integers(1, 6))
    def test_appending_is_conditioning_on_everything(self, problem: Problem, count: int) -> None:
        x, y, hyper, kernel, points = problem
        gp = condition(x, y, hyper, kernel=kernel)
        more_x, more_y = data(count, x.shape[1], seed=77)
        appended = gp
        for point, value in zip(more_x, more_y, strict=True):
            appended = appended.append(point, value)
        everything, z = np.vstack([x, more_x]), gp.standardise(np.concatenate([y, more_y]))
        for ours, expected in zip(
            appended.posterior(points), naive_posterior(everything, z, hyper, kernel, points), strict=True
        ):
            np.testing.assert_allclose(ours, expected, rtol=0, atol=1e-8)
        np.testing.assert_allclose(appended.z, z, rtol=1e-12, atol=1e-12)
        assert (appended.standard, appended.hyper) == (gp.standard, gp.hyper)

    @law
    @given(problems())
    def test_appending_leaves_the_old_process_as_it_was(self, problem: Problem) -> None:
        x, y, hyper, kernel, points = problem
        gp = condition(x, y, hyper, kernel=kernel)
        before = gp.posterior(points)
        gp.append(points[0], 100.0)
        np.testing.assert_array_equal(gp.posterior(points), before)

    @law
    @given(problems())
    def test_believing_its_own_prediction_keeps_the_mean_and_narrows_the_deviation(self, problem: Problem) -> None:
        x, y, hyper, kernel, points = problem
        gp = condition(x, y, hyper, kernel=kernel)
        believing = gp.believe(points[:1])
        (mean, deviation), (new_mean, new_deviation) = gp.posterior(points), believing.posterior(points)
        np.testing.assert_allclose(new_mean, mean, rtol=0, atol=1e-8)
        assert np.all(new_deviation <= deviation + 1e-9)
        variance = deviation[0] ** 2
        expected = math.sqrt(variance * hyper.noise / (variance + hyper.noise))
        assert new_deviation[0] == pytest.approx(expected, rel=1e-5)

    @law
    @given(problems())
    def test_believing_points_together_is_believing_them_one_after_another(self, problem: Problem) -> None:
        x, y, hyper, kernel, points = problem
        gp = condition(x, y, hyper, kernel=kernel)
        one_by_one = gp
        for i in range(len(points)):
            one_by_one = one_by_one.believe(points[i : i + 1])
        unseen = np.random.default_rng(0).random((20, x.shape[1]))
        for found, expected in zip(gp.believe(points).posterior(unseen), one_by_one.posterior(unseen), strict=True):
            np.testing.assert_allclose(found, expected, rtol=0, atol=1e-6)

    def test_believing_no_points_changes_nothing(self) -> None:
        gp = condition(*data(10, 2), hyper_of(2))
        assert gp.believe(np.zeros((0, 2))) is gp

    @every_kernel
    def test_a_point_can_be_appended_again_and_again(self, kernel: KernelName) -> None:
        x, y = data(10, 2)
        gp = condition(x, y, Hyper(np.full(2, 0.5), 1.0, 0.0), kernel=kernel)
        for _ in range(5):
            gp = gp.append(x[0], y[0])
        assert gp.jitter > 0
        mean, deviation = gp.predict(x)
        np.testing.assert_allclose(mean, y, atol=1e-3)
        assert np.all(np.isfinite(deviation))


class TestJitter:
    @every_kernel
    def test_duplicates_without_noise_factorise_with_a_reported_jitter(self, kernel: KernelName) -> None:
        x, y = data(10, 2)
        hyper = Hyper(np.full(2, 0.5), 2.0, 0.0)
        gp = condition(np.vstack([x, x]), np.concatenate([y, y]), hyper, kernel=kernel)
        assert 0 < gp.jitter <= 1e-8
        np.testing.assert_allclose(gp.predict(x)[0], y, atol=1e-3)
        expected = naive_posterior(np.vstack([x, x]), gp.z, hyper, kernel, x + 0.1, jitter=gp.jitter)
        np.testing.assert_allclose(gp.posterior(x + 0.1)[0], expected[0], atol=1e-4)

    @every_kernel
    def test_points_closer_than_rounding_get_finite_predictions(self, kernel: KernelName) -> None:
        x, y = data(10, 2)
        twins = np.vstack([x, x + 1e-12])
        gp = condition(twins, np.concatenate([y, y + 1.0]), Hyper(np.full(2, 0.005), 1.0, 0.0), kernel=kernel)
        assert all(np.all(np.isfinite(part)) for part in gp.predict(x))


class TestDiagnosis:
    @pytest.mark.parametrize(
        ("lengths", "n", "expected"),
        [
            ((0.05, 0.05), 100, True),  # 100 neighbourhoods
            ((0.05, 0.05), 200, False),
            ((0.05, 5.0), 19, False),  # too few observations to judge
            ((0.02, 5.0), 20, True),  # 25 neighbourhoods, along one input
            ((0.05, 5.0), 20, False),
            ((5.0, 5.0), 100, False),
        ],
    )
    def test_it_is_short_sighted_with_fewer_than_two_observations_per_neighbourhood(
        self, lengths: tuple[float, float], n: int, expected: bool
    ) -> None:
        gp = condition(*data(n, 2), Hyper(np.array(lengths), noise=0.1))
        assert gp.short_sighted == expected

    @pytest.mark.parametrize(("noise", "expected"), [(1e-6, False), (0.09, False), (0.11, True)])
    def test_it_is_noisy_if_noise_is_more_than_a_tenth_of_the_variance(self, noise: float, expected: bool) -> None:
        x, y = data(30, 2)
        assert condition(x, 1e6 * y + 7.0, Hyper(np.array([0.5, 0.5]), noise=noise)).noisy == expected


def test_a_process_cannot_be_changed() -> None:
    gp: GP = condition(*data(5, 1), hyper_of(1))
    with pytest.raises(AttributeError):
        gp.jitter = 1.0  # type: ignore[misc]


def test_predicting_far_outside_the_data_does_not_warn() -> None:
    gp = condition(*data(5, 1), hyper_of(1))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        mean, deviation = gp.predict(np.array([[1e9]]))
    assert np.isfinite(mean[0])
    assert np.isfinite(deviation[0])
