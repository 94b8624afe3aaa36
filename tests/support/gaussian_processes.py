"""Data, hyper-parameters and textbook formulas that the tests of Gaussian processes compare against."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeAlias

import numpy as np
import pytest
from hypothesis import strategies as st

from camobo.arrays import Array
from camobo.model.hyper import Hyper
from camobo.model.kernels import KernelName

Problem: TypeAlias = tuple[Array, Array, Hyper, KernelName, Array]
"""Features (n, f), values (n,), hyper-parameters, a kernel and (b, f) points to predict at."""

KERNELS: list[KernelName] = ["se", "matern52", "humps"]
every_kernel = pytest.mark.parametrize("kernel", KERNELS)


def naive_shape(kernel: KernelName, a: Array, b: Array, lengths: Array) -> Array:
    """k from a tensor of pairwise differences, as in a textbook."""
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
    """Eq. 1 with a general solver."""
    K = hyper.signal * naive_shape(kernel, x, x, hyper.lengths)
    K += (hyper.noise + jitter * hyper.signal) * np.eye(len(x))
    k = hyper.signal * naive_shape(kernel, points, x, hyper.lengths)
    variance = hyper.signal - np.einsum("bn,nb->b", k, np.linalg.solve(K, k.T))
    return k @ np.linalg.solve(K, z), np.sqrt(variance)


def wavy(x: Array) -> Array:
    """A smooth function of any number of inputs, all relevant."""
    return np.asarray(np.sin(3 * x) @ np.linspace(1, 2, x.shape[1]) + np.cos(2 * x.sum(axis=1)))


def data(n: int, f: int, seed: int = 0) -> tuple[Array, Array]:
    rng = np.random.default_rng(seed)
    x = rng.random((n, f))
    return x, wavy(x) + 0.1 * rng.standard_normal(n)


def hyper_of(f: int, seed: int = 0, *, noise: float = 1e-3) -> Hyper:
    rng = np.random.default_rng(seed)
    return Hyper(np.asarray(rng.uniform(0.3, 1.5, f) * math.sqrt(f)), float(rng.uniform(0.5, 3.0)), noise)


@st.composite
def problems(draw: st.DrawFn) -> Problem:
    """Data, hyper-parameters, a kernel and points to predict at."""
    n, f, seed = draw(st.integers(1, 25)), draw(st.integers(1, 8)), draw(st.integers(0, 2**32))
    x, y = data(n, f, seed)
    noise = 10.0 ** draw(st.floats(-4, 0))
    points = np.random.default_rng(seed + 1).random((draw(st.integers(1, 7)), f))
    return x, y, hyper_of(f, seed, noise=noise), draw(st.sampled_from(KERNELS)), points


def central_differences(function: Callable[[Array], float], at: Array, step: float) -> Array:
    """(len(at),) the slope of a scalar function along each coordinate."""
    slopes = np.zeros_like(at)
    for j in range(len(at)):
        shift = np.zeros_like(at)
        shift[j] = step
        slopes[j] = (function(at + shift) - function(at - shift)) / (2 * step)
    return slopes
