from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from camobo.gp import GP, Hyper, _Prior, condition, fit, negative_log_posterior
from camobo.inputs import Array
from camobo.kernels import KernelName
from strategies import law

KERNELS: list[KernelName] = ["se", "matern52", "humps"]
every_kernel = pytest.mark.parametrize("kernel", KERNELS)


def naive_shape(kernel: KernelName, a: Array, b: Array, lengths: Array) -> Array:
    """k from a tensor of pairwise differences, as the textbooks have it."""
    differences = (a[:, None, :] - b[None, :, :]) / lengths
    r = np.sqrt((differences**2).sum(axis=2))
    if kernel == "se":
        return np.asarray(np.exp(-(r**2) / 2))
    if kernel == "matern52":
        return naive_matern(r)
    effects = naive_matern(np.abs(differences)).mean(axis=2)
    return np.asarray(0.7 * effects + 0.2 * naive_matern(r) + 0.1 / (1 + (r / 8) ** 2))


def naive_matern(r: Array) -> Array:
    return np.asarray((1 + math.sqrt(5) * r + 5 * r**2 / 3) * np.exp(-math.sqrt(5) * r))


def naive_posterior(
    x: Array, z: Array, hyper: Hyper, kernel: KernelName, points: Array, *, jitter: float = 0.0
) -> tuple[Array, Array]:
    """Eq. 1 with a general solver and no factor kept."""
    K = hyper.signal * naive_shape(kernel, x, x, hyper.lengths)
    K += (hyper.noise + jitter * hyper.signal) * np.eye(len(x))
    k = hyper.signal * naive_shape(kernel, points, x, hyper.lengths)
    variance = hyper.signal - np.einsum("bn,nb->b", k, np.linalg.solve(K, k.T))
    return k @ np.linalg.solve(K, z), np.sqrt(variance)


def wavy(x: Array) -> Array:
    """A smooth function of any number of inputs that all matter."""
    return np.asarray(np.sin(3 * x) @ np.linspace(1, 2, x.shape[1]) + np.cos(2 * x.sum(axis=1)))


def data(n: int, f: int, seed: int = 0) -> tuple[Array, Array]:
    rng = np.random.default_rng(seed)
    x = rng.random((n, f))
    return x, wavy(x) + 0.1 * rng.standard_normal(n)


def hyper_of(f: int, seed: int = 0, *, noise: float = 1e-3) -> Hyper:
    rng = np.random.default_rng(seed)
    return Hyper(np.asarray(rng.uniform(0.3, 1.5, f) * math.sqrt(f)), float(rng.uniform(0.5, 3.0)), noise)


@st.composite
def problems(draw: st.DrawFn) -> tuple[Array, Array, Hyper, KernelName, Array]:
    """Data, hyper-parameters, a kernel and points to ask about."""
    n, f, seed = draw(st.integers(1, 25)), draw(st.integers(1, 8)), draw(st.integers(0, 2**32))
    x, y = data(n, f, seed)
    noise = 10.0 ** draw(st.floats(-4, 0))
    points = np.random.default_rng(seed + 1).random((draw(st.integers(1, 7)), f))
    return x, y, hyper_of(f, seed, noise=noise), draw(st.sampled_from(KERNELS)), points


class TestPosterior:
    @law
    @given(problems())
    def test_the_posterior_is_that_of_the_textbook(
        self, problem: tuple[Array, Array, Hyper, KernelName, Array]
    ) -> None:
        x, y, hyper, kernel, points = problem
        gp = condition(x, y, hyper, kernel=kernel)
        mean, deviation = gp.posterior(points)
        expected_mean, expected_deviation = naive_posterior(x, gp.standardise(y), hyper, kernel, points)
        np.testing.assert_allclose(mean, expected_mean, rtol=0, atol=1e-8)
        np.testing.assert_allclose(deviation, expected_deviation, rtol=0, atol=1e-8)
        assert gp.jitter == 0.0

    @pytest.mark.parametrize("kernel", ["se", "matern52"])  # it knows no kernel of some of the inputs
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
    @pytest.mark.filterwarnings("ignore")  # torch and its friends deprecate things of their own
    def test_the_posterior_is_that_of_botorch(self, kernel: KernelName, n: int, f: int) -> None:
        torch = pytest.importorskip("torch", reason="BoTorch is the oracle here, and torch is not installed")
        models = pytest.importorskip("botorch.models", reason="BoTorch is the oracle here")
        import gpytorch

        x, y = data(n, f)
        hyper = hyper_of(f)
        gp = condition(x, y, hyper, kernel=kernel)

        def part(made: Callable[..., Any], share: float, width: float, seen: list[int], **options: Any) -> Any:
            shape = made(ard_num_dims=len(seen), active_dims=seen, **options).double()
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
    def test_predictions_are_the_posterior_in_the_units_of_the_data(
        self, problem: tuple[Array, Array, Hyper, KernelName, Array]
    ) -> None:
        x, y, hyper, kernel, points = problem
        gp = condition(x, y, hyper, kernel=kernel)
        mean, deviation = gp.predict(points)
        np.testing.assert_allclose(gp.standardise(mean), gp.posterior(points)[0], rtol=1e-9, atol=1e-9)
        moved = condition(x, 7.0 - 3.0 * y, hyper, kernel=kernel).predict(points)
        if len(y) > 1:  # one value alone says nothing of its scale
            np.testing.assert_allclose(moved[0], 7.0 - 3.0 * mean, rtol=1e-8, atol=1e-8)
            np.testing.assert_allclose(moved[1], 3.0 * deviation, rtol=1e-8)

    @every_kernel
    def test_far_from_the_data_nothing_is_known_but_the_prior(self, kernel: KernelName) -> None:
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


def central_differences(function: Callable[[Array], float], at: Array, step: float) -> Array:
    """(len(at),) the slope of a scalar function along each coordinate."""
    slopes = np.zeros_like(at)
    for j in range(len(at)):
        shift = np.zeros_like(at)
        shift[j] = step
        slopes[j] = (function(at + shift) - function(at - shift)) / (2 * step)
    return slopes


class TestGradients:
    @law
    @given(problems())
    def test_gradients_of_the_posterior_match_central_differences(
        self, problem: tuple[Array, Array, Hyper, KernelName, Array]
    ) -> None:
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
    @given(problems(), st.integers(0, 2**32))
    def test_the_gradient_of_the_fit_matches_central_differences(
        self, problem: tuple[Array, Array, Hyper, KernelName, Array], seed: int
    ) -> None:
        x, y, hyper, kernel, _ = problem
        prior = _Prior(x.shape[1])
        z = (y - y.mean()) / (y.std() or 1.0)
        p = np.log([*hyper.lengths, hyper.signal, hyper.noise])
        p[:-1] += np.random.default_rng(seed).uniform(-1, 1, len(p) - 1)
        value, gradient = negative_log_posterior(x, z, kernel, prior, p)
        expected = central_differences(lambda q: negative_log_posterior(x, z, kernel, prior, q)[0], p, 1e-5)
        np.testing.assert_allclose(gradient, expected, rtol=1e-5, atol=1e-6 * (1 + abs(value)))

    @law
    @given(problems(), st.booleans())
    def test_what_the_fit_minimises_is_the_likelihood_times_the_prior(
        self, problem: tuple[Array, Array, Hyper, KernelName, Array], learn_mean: bool
    ) -> None:
        x, y, hyper, kernel, _ = problem
        prior = _Prior(x.shape[1], learn_mean)

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
    def test_evidence_is_what_the_fit_maximises(self, problem: tuple[Array, Array, Hyper, KernelName, Array]) -> None:
        x, y, hyper, kernel, _ = problem
        z = condition(x, y, hyper, kernel=kernel).z
        expected = negative_log_posterior(x, z, kernel, _Prior(x.shape[1], learn_mean=False), hyper.logarithms)[0]
        gp = condition(x, y, hyper, kernel=kernel)
        assume(gp.jitter == 0.0)
        assert gp.log_evidence == pytest.approx(-expected, rel=1e-9, abs=1e-9)


class TestAppend:
    @law
    @given(problems(), st.integers(1, 6))
    def test_appending_is_conditioning_on_everything(
        self, problem: tuple[Array, Array, Hyper, KernelName, Array], count: int
    ) -> None:
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
    def test_appending_leaves_the_old_process_as_it_was(
        self, problem: tuple[Array, Array, Hyper, KernelName, Array]
    ) -> None:
        x, y, hyper, kernel, points = problem
        gp = condition(x, y, hyper, kernel=kernel)
        before = gp.posterior(points)
        gp.append(points[0], 100.0)
        np.testing.assert_array_equal(gp.posterior(points), before)

    @law
    @given(problems())
    def test_a_process_that_believes_itself_moves_nowhere_and_narrows(
        self, problem: tuple[Array, Array, Hyper, KernelName, Array]
    ) -> None:
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
    def test_to_believe_points_at_once_is_to_believe_one_after_another(
        self, problem: tuple[Array, Array, Hyper, KernelName, Array]
    ) -> None:
        x, y, hyper, kernel, points = problem
        gp = condition(x, y, hyper, kernel=kernel)
        one_by_one = gp
        for i in range(len(points)):
            one_by_one = one_by_one.believe(points[i : i + 1])
        unseen = np.random.default_rng(0).random((20, x.shape[1]))
        for found, expected in zip(gp.believe(points).posterior(unseen), one_by_one.posterior(unseen), strict=True):
            np.testing.assert_allclose(found, expected, rtol=0, atol=1e-6)

    def test_to_believe_nothing_is_to_be_the_same(self) -> None:
        gp = fit(*data(10, 2))
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


class TestSurvival:
    """Data that break careless code: each fit is finite, and a rescue says that it happened."""

    @every_kernel
    def test_duplicates_need_no_jitter_when_there_is_noise(self, kernel: KernelName) -> None:
        x, y = data(10, 2)
        gp = fit(np.vstack([x, x, x]), np.concatenate([y, y, y + 0.1]), kernel=kernel)
        assert gp.jitter == 0.0
        assert all(np.all(np.isfinite(part)) for part in gp.predict(x))

    @every_kernel
    def test_duplicates_without_noise_are_survived_with_a_jitter_that_is_reported(self, kernel: KernelName) -> None:
        x, y = data(10, 2)
        hyper = Hyper(np.full(2, 0.5), 2.0, 0.0)
        gp = condition(np.vstack([x, x]), np.concatenate([y, y]), hyper, kernel=kernel)
        assert 0 < gp.jitter <= 1e-8
        np.testing.assert_allclose(gp.predict(x)[0], y, atol=1e-3)
        expected = naive_posterior(np.vstack([x, x]), gp.z, hyper, kernel, x + 0.1, jitter=gp.jitter)
        np.testing.assert_allclose(gp.posterior(x + 0.1)[0], expected[0], atol=1e-4)

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
        """2**±498 is about 1e±150, and a power of two, so not even the rounding may change."""
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
    def test_points_on_a_line_are_survived(self, kernel: KernelName) -> None:
        t = np.linspace(0, 1, 40)
        x = t[:, None] * np.array([1.0, 0.5, 0.25])
        gp = fit(x, np.sin(6 * t), kernel=kernel)
        middle = 0.5 * (x[1:] + x[:-1])
        np.testing.assert_allclose(gp.predict(middle)[0], np.sin(6 * middle[:, 0]), atol=0.02)

    @every_kernel
    def test_an_input_that_never_varied_is_survived(self, kernel: KernelName) -> None:
        x, y = data(20, 3)
        x[:, 1] = 0.4
        mean, _ = fit(x, y, kernel=kernel).predict(x)
        assert np.corrcoef(mean, y)[0, 1] > 0.9

    @every_kernel
    def test_an_outlier_far_away_is_survived(self, kernel: KernelName) -> None:
        x, y = data(30, 2)
        y[7] = 1e12
        assert all(np.all(np.isfinite(part)) for part in fit(x, y, kernel=kernel).predict(x))

    @every_kernel
    def test_points_closer_than_rounding_are_survived(self, kernel: KernelName) -> None:
        x, y = data(10, 2)
        twins = np.vstack([x, x + 1e-12])
        gp = condition(twins, np.concatenate([y, y + 1.0]), Hyper(np.full(2, 0.005), 1.0, 0.0), kernel=kernel)
        assert all(np.all(np.isfinite(part)) for part in gp.predict(x))


def gentle(x: Array) -> Array:
    """A function that rises with every input, and bends."""
    return np.asarray(np.sin(1.5 * x) @ np.linspace(1, 2, x.shape[1]) + np.cos(2 * x[:, :2].sum(axis=1)))


def held_out_error(function: Callable[[Array], Array], n: int, f: int, kernel: KernelName, seed: int) -> float:
    """Root mean square error of a fit to n noisy values on 200 points it never saw; predicting the mean has 1."""
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
    def test_predictions_halve_the_error_of_the_mean_on_points_never_seen(self, kernel: KernelName, f: int) -> None:
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
        gp, prior = fit(x, y, kernel=kernel), _Prior(3)

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


class TestShortSight:
    @pytest.mark.parametrize(
        ("lengths", "n", "expected"),
        [
            ((0.05, 0.05), 100, True),  # a hundred neighbourhoods
            ((0.05, 0.05), 200, False),
            ((0.05, 5.0), 19, False),  # too few to tell
            ((0.02, 5.0), 20, True),  # twenty-five, along one input
            ((0.05, 5.0), 20, False),
            ((5.0, 5.0), 100, False),
        ],
    )
    def test_it_is_fewer_than_two_observations_a_neighbourhood(
        self, lengths: tuple[float, float], n: int, expected: bool
    ) -> None:
        gp = condition(*data(n, 2), Hyper(np.array(lengths), noise=0.1))
        assert gp.short_sighted == expected

    @pytest.mark.parametrize(("noise", "expected"), [(1e-6, False), (0.09, False), (0.11, True)])
    def test_is_noisy_if_a_tenth_of_what_it_saw_is_noise(self, noise: float, expected: bool) -> None:
        x, y = data(30, 2)
        assert condition(x, 1e6 * y + 7.0, Hyper(np.array([0.5, 0.5]), noise=noise)).noisy == expected


def test_a_process_cannot_be_changed() -> None:
    gp: GP = condition(*data(5, 1), hyper_of(1))
    with pytest.raises(AttributeError):
        gp.jitter = 1.0  # type: ignore[misc]


def test_nothing_warns_when_a_point_far_outside_the_data_is_asked_about() -> None:
    gp = condition(*data(5, 1), hyper_of(1))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        mean, deviation = gp.predict(np.array([[1e9]]))
    assert np.isfinite(mean[0])
    assert np.isfinite(deviation[0])
