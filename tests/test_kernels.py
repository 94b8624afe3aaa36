from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from camobo.gp import fit
from camobo.inputs import Array
from camobo.kernels import KERNELS, KernelName, Shape, correlations, matern52, near_and_far, squared_exponential
from strategies import law

MATERN_AND_HUMPS: list[KernelName] = ["humps", "matern52"]
every_shape = pytest.mark.parametrize("shape", [squared_exponential, matern52, near_and_far])


class TestShapes:
    @every_shape
    def test_a_point_is_wholly_like_itself(self, shape: Shape) -> None:
        assert shape(np.zeros((1, 1)))[0] == pytest.approx(1.0, rel=1e-15)

    @every_shape
    def test_likeness_falls_with_distance(self, shape: Shape) -> None:
        k, _ = shape(np.linspace(0.0, 50.0, 100)[None, :])
        assert np.all(np.diff(k) < 0.0)
        assert np.all(k > 0.0)

    @every_shape
    def test_the_slope_is_twice_the_derivative_by_the_squared_distance(self, shape: Shape) -> None:
        r2 = np.linspace(0.1, 30.0, 40)[None, :]
        step = 1e-6
        numeric = (shape(r2 + step)[0] - shape(r2 - step)[0]) / step
        np.testing.assert_allclose(shape(r2)[1], numeric, rtol=1e-5, atol=1e-9)

    @every_shape
    def test_what_is_written_into_arrays_is_what_is_returned_otherwise(self, shape: Shape) -> None:
        r2 = np.random.default_rng(0).random((3, 4)) * 9
        kept = r2.copy()
        expected = shape(r2)
        np.testing.assert_array_equal(r2, kept)
        k, g = np.empty((2, 3, 4))
        found = shape(r2, out=(k, g))
        assert found[0] is k
        assert found[1] is g
        np.testing.assert_array_equal(found, expected)


@law
@given(seed=st.integers(0, 10**6), f=st.integers(1, 5), kernel=st.sampled_from(list(KERNELS)))
def test_the_slopes_of_a_kernel_are_its_gradient(seed: int, f: int, kernel: KernelName) -> None:
    rng = np.random.default_rng(seed)
    points, x, lengths = rng.random((2, f)), rng.random((3, f)), rng.uniform(0.2, 2.0, f)
    _, slopes = correlations(kernel, points, x, lengths)
    for j in range(f):
        step = np.zeros(f)
        step[j] = 1e-6
        ahead, behind = (correlations(kernel, points + sign * step, x, lengths)[0] for sign in (1, -1))
        g = sum(part for seen, part in slopes if j in range(f)[seen])
        analytic = g * np.subtract.outer(points[:, j], x[:, j]) / lengths[j] ** 2
        np.testing.assert_allclose(analytic, (ahead - behind) / 2e-6, rtol=1e-4, atol=1e-7)


def rows_of_humps(x: Array) -> Array:
    """Five humps along each input, on a plane that rises with the first."""
    return np.asarray(np.sin(30 * x).sum(axis=1) + 2 * x[:, 0])


def humps_without_rows(x: Array) -> Array:
    """A chequerboard on the same plane: no input does anything by itself but rise."""
    return np.asarray(np.sin(20 * x).prod(axis=1) + 2 * x[:, 0])


class TestHumps:
    @staticmethod
    def foretold(
        function: Callable[[Array], Array], kernel: KernelName, seed: int, *, seen: float
    ) -> tuple[float, float]:
        """Error where nothing was seen, and how far predictions there lie above what was seen where x1 < `seen`."""
        rng = np.random.default_rng(seed)
        x, unseen = rng.random((60, 2)), rng.random((300, 2))
        x[:, 0] *= seen
        if seen < 1.0:
            unseen[:, 0] = seen + (1.0 - seen) * unseen[:, 0]
        mean, _ = fit(x, function(x), kernel=kernel).predict(unseen)
        error = np.sqrt(np.mean((mean - function(unseen)) ** 2))
        return float(error), float(mean.mean() - function(x).mean())

    @pytest.mark.parametrize("seed", range(4))
    def test_humps_in_rows_are_foretold_where_rows_cross(self, seed: int) -> None:
        errors = [self.foretold(rows_of_humps, kernel, seed, seen=1.0)[0] for kernel in MATERN_AND_HUMPS]
        assert errors[0] < 0.6 * errors[1]

    def test_humps_in_no_rows_are_foretold_no_worse(self) -> None:
        ours, matern = (
            np.mean([self.foretold(humps_without_rows, kernel, seed, seen=1.0)[0] for seed in range(6)])
            for kernel in MATERN_AND_HUMPS
        )
        assert ours < 1.02 * matern

    def test_a_trend_under_them_is_followed_beyond_what_was_seen(self) -> None:
        ours, matern = (
            np.mean([self.foretold(humps_without_rows, kernel, seed, seen=0.7)[1] for seed in range(8)])
            for kernel in MATERN_AND_HUMPS
        )
        assert ours > 1.5 * matern > 0.0
