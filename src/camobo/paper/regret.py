"""The paper's regrets and Theorem 1's bound.

    S_θ(y) = min_m θ_m y_m           objectives mapped to [0, 1], larger better, so that R = 0 (Eq. 5)
    r_t    = max_x S_θt(f(x)) (1 − C(x, t)) − S_θt(f(x_t)) (1 − C(x_t, t))      instantaneous (Eq. 10)
    R(T)   = Σ_t r_t                                                            cumulative (Eq. 11)
    R'(t)  = R(t) / t                                                           average (Eq. 12)

The inner maximum is over the whole space: a dense sample, made once per problem (`survey`), whose best few points for
every t are refined, all t together. It never uses candidates of the optimiser it judges.

Regret alone says little: S ≤ 1 and 1 − C falls like 1/t under the paper's cost, so the sum is O(log² T) whatever is
chosen. Read it together with the hypervolume and the money spent.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from camobo.acquisition.pareto import on_front
from camobo.acquisition.scalarisation import chebyshev
from camobo.acquisition.utilities import beta_theory
from camobo.arrays import Array
from camobo.cost.protocol import Discount
from camobo.model.hyper import Hyper
from camobo.model.kernels import KernelName, correlations
from camobo.space.sampling import quasi_random
from camobo.space.space import Space

_DENSE, _STARTS, _ROUNDS, _WAYS = 1 << 15, 4, 36, 8
_MARKED = 5  # inputs whose ends and middles are combined in all ways
_GREEDY_SHARE = 1.0 - 1.0 / math.e


@dataclass(frozen=True, slots=True)
class Survey:
    """Objectives over a whole space: their ranges, and the points that can be best for some θ and some cost.

    `points` (n, d) are in the unit cube, `values` (n, M) in [0, 1]. Points are left out if another is at least as good
    in every objective and no more expensive in any input: no scalarisation prefers them, and no cost that
    never falls as an input leaves its cheap end.
    """

    space: Space
    function: Callable[[Array], Array]
    worst: Array
    best: Array
    points: Array
    values: Array

    def mapped(self, units: Array) -> Array:
        """(n, M) objectives at (n, d) points, mapped to 0 at the worst value in the space and 1 at the best."""
        return np.clip((self.function(units) - self.worst) / (self.best - self.worst), 0.0, 1.0)


def survey(space: Space, function: Callable[[Array], Array], *, count: int = _DENSE, seed: int = 0) -> Survey:
    """Sample a function (n, d) -> (n, M), larger is better, densely over the space and its faces at the cheap ends.

    >>> from camobo.space.inputs import Real
    >>> square = Space({"x1": Real(0, 1), "x2": Real(0, 1)})
    >>> found = survey(square, lambda u: np.column_stack([u[:, 0], 3.0 - 2.0 * u[:, 1]]), count=256)
    >>> found.worst.tolist(), found.best.tolist()
    ([0.0, 1.0], [1.0, 3.0])
    """
    rng = np.random.default_rng(seed)
    d = space.dimension
    levels = quasi_random(count, d, rng)
    levels[count // 2 :] *= rng.random((count - count // 2, d)) < 0.5
    marks = np.meshgrid(*[[0.0, 0.5, 1.0]] * min(d, _MARKED), indexing="ij")
    corners = np.stack(marks, axis=-1).reshape(-1, len(marks))
    points = space.at_expense(np.vstack([levels, np.pad(corners, ((0, 0), (0, d - len(marks))))]))
    values = function(points)
    objectives = range(values.shape[1])
    best = np.array([_highest(space, function, points, values, m, 1.0) for m in objectives])
    worst = np.array([-_highest(space, function, points, values, m, -1.0) for m in objectives])
    best = np.where(best > worst, best, worst + 1.0)  # a constant objective maps to 0
    kept = on_front(np.hstack([values, -space.expense(points)]))
    mapped = np.clip((values[kept] - worst) / (best - worst), 0.0, 1.0)
    return Survey(space, function, worst, best, points[kept], mapped)


def _highest(
    space: Space, function: Callable[[Array], Array], points: Array, values: Array, m: int, sign: float
) -> float:
    """The maximum of sign × objective m, refined from the best of the sampled points."""
    starts = points[np.argsort(-sign * values[:, m], kind="stable")[:_STARTS]]
    return float(_refined(space, lambda units: sign * function(units[0])[None, :, m], starts[None])[0])


def best_scores(surveyed: Survey, weights: Array, discounts: Sequence[Discount | None], own: Array) -> Array:
    """(T,) max_x S_θt(f(x)) (1 − C(x, t)) for (T, M) weights θ and T discounts; (T, d) own points are tried too."""
    starts = np.empty((len(weights), _STARTS, surveyed.space.dimension))
    starts[:, 0] = own
    wanted = min(_STARTS - 1, len(surveyed.points))
    for t, (theta, discount) in enumerate(zip(weights, discounts, strict=True)):
        score = chebyshev(surveyed.values, theta, np.zeros(len(theta)))
        if discount is not None:
            score = score * np.exp(discount.log(surveyed.points))
        starts[t, 1:] = surveyed.points[np.resize(np.argpartition(-score, wanted - 1)[:wanted], _STARTS - 1)]

    def scores(units: Array) -> Array:
        """(T, b) scores at (T, b, d) points."""
        flat = units.reshape(-1, units.shape[-1])
        values = surveyed.mapped(flat).reshape(*units.shape[:2], -1)
        score = chebyshev(values, weights[:, None, :], np.zeros(weights.shape[1]))
        shares = [1.0 if c is None else np.exp(c.log(units[t])) for t, c in enumerate(discounts)]
        return np.asarray(score * np.stack([np.broadcast_to(share, score.shape[1]) for share in shares]))

    return _refined(surveyed.space, scores, starts)


def _refined(space: Space, scores: Callable[[Array], Array], starts: Array) -> Array:
    """(T,) the highest score that a pattern search with shrinking steps reaches from (T, s, d) starts.

    It steps along every coordinate, and along random directions to get past the kinks of S, a minimum.
    """
    T, s, d = starts.shape
    rng = np.random.default_rng(0)
    x, value = starts.copy(), scores(starts)
    size = np.full((T, s), 0.05)
    axes = np.vstack([np.eye(d), -np.eye(d)])
    rows, columns = np.arange(T)[:, None], np.arange(s)[None, :]
    for _ in range(_ROUNDS):
        ways = rng.standard_normal((_WAYS, d))
        ways = np.vstack([axes, ways / np.linalg.norm(ways, axis=1, keepdims=True)])
        ahead = np.clip(x[:, :, None, :] + size[:, :, None, None] * ways, 0.0, 1.0)
        ahead = space.snap(ahead.reshape(-1, d)).reshape(T, s * len(ways), d)
        reached = scores(ahead).reshape(T, s, len(ways))
        pick: NDArray[np.intp] = reached.argmax(axis=2)
        gained = reached[rows, columns, pick] > value
        x = np.where(gained[:, :, None], ahead.reshape(T, s, len(ways), d)[rows, columns, pick], x)
        value = np.where(gained, reached[rows, columns, pick], value)
        size = np.where(gained, size, 0.6 * size)
    return np.asarray(value.max(axis=1))


def instantaneous(surveyed: Survey, units: Array, weights: Array, discounts: Sequence[Discount | None]) -> Array:
    """(T,) r_t (Eq. 10) of (T, d) chosen points, for (T, M) weights θ_t and T discounts 1 − C; None means C = 0."""
    score = chebyshev(surveyed.mapped(units), weights, np.zeros(weights.shape[1]))
    shares = [1.0 if c is None else math.exp(float(c.log(units[t : t + 1])[0])) for t, c in enumerate(discounts)]
    own = score * np.array(shares)
    return np.asarray(np.maximum(best_scores(surveyed, weights, discounts, units) - own, 0.0))


def against(
    points: Array, values: Array, units: Array, scores: Array, weights: Array, discounts: Sequence[Discount | None]
) -> Array:
    """(T,) r_t like `instantaneous`, where the best is only known among (n, d) measured points: a lower bound.

    `values` (n, M) are theirs and `scores` (T, M) those of the chosen `units`, all mapped to [0, 1].
    """
    zero, found = np.zeros(weights.shape[1]), np.empty(len(units))
    for t, (theta, discount) in enumerate(zip(weights, discounts, strict=True)):
        best, own = chebyshev(values, theta, zero), chebyshev(scores[t], theta, zero)
        if discount is not None:
            best = best * np.exp(discount.log(points))
            own = own * math.exp(float(discount.log(units[t : t + 1])[0]))
        found[t] = max(0.0, float(best.max() - own))
    return found


def cumulative(regrets: Array) -> Array:
    """(…, T) R(t) = Σ r (Eq. 11)."""
    return np.asarray(np.cumsum(regrets, axis=-1))


def average(regrets: Array) -> Array:
    """(…, T) R'(t) = R(t) / t (Eq. 12)."""
    return np.asarray(cumulative(regrets) / np.arange(1, regrets.shape[-1] + 1))


def information_gain(points: Array, hyper: Hyper, kernel: KernelName, count: int) -> Array:
    """(count,) upper bounds on γ_1, γ_2, …: the maximum information gain of that many observations at (n, f) points.

    Choosing the most uncertain point greedily gains at least 1 − 1/e of the maximum (Srinivas et al. 2010), so the
    greedy gain divided by that is at least γ. Points may be chosen more than once. O(n count²).
    """
    ratio = hyper.signal / hyper.noise
    variance = np.ones(len(points))
    columns = np.empty((count, len(points)))
    gain = np.empty(count)
    for t in range(count):
        i = int(variance.argmax())
        gain[t] = 0.5 * math.log1p(ratio * variance[i])
        correlation, _ = correlations(kernel, points[i : i + 1], points, hyper.lengths)
        column = correlation[0] - columns[:t, i] @ columns[:t]
        columns[t] = column / math.sqrt(variance[i] + 1.0 / ratio)
        variance = np.maximum(variance - columns[t] ** 2, 0.0)
    return np.asarray(np.cumsum(gain) / _GREEDY_SHARE)


@dataclass(frozen=True, slots=True)
class Prior:
    """What Theorem 1 needs per objective: γ_t for every t, noise variance and amplitude.

    The theorem assumes a kernel of variance 1. So `noise` is relative to the kernel's variance, and `amplitude`, the
    kernel's standard deviation in units of the objective's range, scales the result back.
    """

    gains: Array
    noise: float
    amplitude: float


def theorem_bound(weights: Array, priors: Sequence[Prior], log_points: float, factor: float = 1.0) -> Array:
    """(T,) Theorem 1's bound on R(t), t = 1 … T:  Ū (M t β_t Σ_m γ_t(m) / ln(1 + σ_m⁻²))^½ + (π²/3) M E[U].

    U_θ = max_m θ_m bounds the slope of S_θ in any objective. Its mean E[U] and root mean square Ū are over the (T, M)
    weights drawn up to t. `log_points` is ln |X|. With amplitudes other than 1, M in the second term is their sum.
    `factor` multiplies the γ_t: printed 1, but what the proof uses holds with 2 only (`docs/paper.md`).
    """
    t = np.arange(1, len(weights) + 1)
    steepness = weights.max(axis=1)
    root_mean_square = np.sqrt(np.cumsum(steepness**2) / t)
    beta = np.array([beta_theory(int(step), log_points) for step in t])
    spread = factor * sum(p.amplitude**2 * p.gains / math.log1p(1.0 / p.noise) for p in priors)
    tail = math.pi**2 / 3.0 * sum(p.amplitude for p in priors) * np.cumsum(steepness) / t
    return np.asarray(root_mean_square * np.sqrt(len(priors) * t * beta * spread) + tail)
