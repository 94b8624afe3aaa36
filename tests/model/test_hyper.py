from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

from camobo.model.hyper import USUAL, VAGUE, Hyper, Prior
from tests.support.strategies import law

features = st.integers(1, 20)


class TestHyper:
    @law
    @given(features, st.integers(0, 2**32))
    def test_its_logarithms_are_length_scales_then_signal_then_noise(self, f: int, seed: int) -> None:
        p = np.random.default_rng(seed).normal(size=f + 2)
        signal, noise = (float(value) for value in np.exp(p[f:]))
        np.testing.assert_allclose(Hyper(np.exp(p[:f]), signal, noise).logarithms, p, rtol=1e-12, atol=1e-12)

    def test_the_mean_is_not_among_them(self) -> None:
        a, b = (Hyper(np.ones(2), mean=mean).logarithms for mean in (0.0, 3.0))
        np.testing.assert_array_equal(a, b)

    def test_it_cannot_be_changed(self) -> None:
        with pytest.raises(AttributeError):
            Hyper(np.ones(1)).noise = 1.0  # type: ignore[misc]


class TestPrior:
    @law
    @given(features, st.integers(0, 2**32))
    def test_its_penalty_is_minus_the_log_density_of_normal_logarithms(self, f: int, seed: int) -> None:
        prior = Prior(f)
        a, b = np.random.default_rng(seed).normal(scale=3.0, size=(2, f + 2))
        log_density = [float(np.sum(norm.logpdf(p, prior.centre, prior.deviation))) for p in (a, b)]
        found = prior.penalty(a) - prior.penalty(b)  # up to a constant: only differences can be compared
        assert found == pytest.approx(log_density[1] - log_density[0], rel=1e-9, abs=1e-9)

    @law
    @given(features)
    def test_its_penalty_is_zero_at_the_centre_and_a_half_one_deviation_away(self, f: int) -> None:
        prior = Prior(f)
        assert prior.penalty(prior.centre) == 0.0
        for j in range(f + 2):
            away = prior.centre.copy()
            away[j] += prior.deviation[j]
            assert prior.penalty(away) == pytest.approx(0.5)

    @law
    @given(features)
    def test_the_median_length_scale_grows_with_the_square_root_of_the_number_of_features(self, f: int) -> None:
        for lengths, median in {USUAL: 0.25, VAGUE: math.exp(math.sqrt(2.0))}.items():
            medians = np.exp(Prior(f, lengths=lengths).centre)
            np.testing.assert_allclose(medians[:f], median * math.sqrt(f))
            assert medians[f] == pytest.approx(1.0)
            assert medians[f + 1] == pytest.approx(1e-5)
