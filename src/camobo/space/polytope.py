"""What linear constraints leave of a box: uniform draws from it, nearest points in it, longest steps within it.

Coordinates z run from 0 to 1 along each input and are linear in its value, also where the unit coordinate u is not:

    z = (x − low) / (high − low),    u = log(1 + z (ratio − 1)) / log ratio    for an input with a log scale.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from camobo.arrays import Array

INSIDE = 1e-9
"""How far beyond a constraint, whose largest coefficient is 1, a point may lie."""
_AT_BOUND = 1e-12  # nearer to a bound, a coordinate is put on it
_THIN = 1e-7  # a polytope with less room is flat in some direction
_WALKERS = 256
_WARM_UP = 3  # rounds of it, each with directions that the round before has learned
_ISOTROPIC = 0.25  # the share of directions that do not come from the walkers


def log_from_linear(z: Array, ratio: Array) -> Array:
    """Unit coordinates of linear ones; `ratio` is high / low for an input with a log scale, else 1."""
    curved = ratio > 1.0
    safe = np.where(curved, ratio, 2.0)
    return np.asarray(np.where(curved, np.log1p(np.clip(z, 0.0, 1.0) * (safe - 1.0)) / np.log(safe), z))


def linear_from_log(u: Array, ratio: Array) -> Array:
    """Linear coordinates of unit ones."""
    curved = ratio > 1.0
    safe = np.where(curved, ratio, 2.0)
    return np.asarray(np.where(curved, np.expm1(u * np.log(safe)) / (safe - 1.0), u))


def null_space(rows: Array) -> Array:
    """(d, r) an orthonormal basis of the directions along which no row changes."""
    if rows.size == 0:
        return np.eye(rows.shape[1])
    _, sizes, right = np.linalg.svd(rows)
    rank = int((sizes > 1e-10 * max(1.0, sizes[0])).sum())
    return np.ascontiguousarray(right[rank:].T)


@dataclass(frozen=True, eq=False)
class Polytope:
    """{z : rows z ≤ most, sums z = totals, low ≤ z ≤ high}.

    rows: (m, d); sums: (q, d); low, high: (d,), equal where a coordinate is fixed; ratio: (d,) of log scales, else 1.
    No log scale is part of a sum.
    """

    rows: Array
    most: Array
    sums: Array
    totals: Array
    low: Array
    high: Array
    ratio: Array

    def within(self, low: Array, high: Array) -> Polytope:
        """The part of it between other bounds."""
        return replace(self, low=low, high=high)

    @cached_property
    def free(self) -> NDArray[np.bool_]:
        """(d,) which coordinates are not fixed."""
        return np.asarray(self.low < self.high)

    @cached_property
    def basis(self) -> Array:
        """(d, r) orthonormal directions that keep the sums and the fixed coordinates."""
        inner = null_space(self.sums[:, self.free])
        found = np.zeros((len(self.low), inner.shape[1]))
        found[self.free] = inner
        return found

    @cached_property
    def _correction(self) -> Array:
        """(d, q) what to add to the free coordinates to change the sums by one."""
        found = np.zeros((len(self.low), len(self.sums)))
        found[self.free] = np.linalg.pinv(self.sums[:, self.free])
        return found

    def inside(self, points: Array) -> NDArray[np.bool_]:
        """(n,) which of (n, d) points lie in it, up to rounding."""
        good = np.all((points >= self.low - INSIDE) & (points <= self.high + INSIDE), axis=1)
        good &= np.all(points @ self.rows.T <= self.most + INSIDE, axis=1)
        return np.asarray(good & np.all(np.abs(points @ self.sums.T - self.totals) <= INSIDE, axis=1))

    def nearest(self, point: Array) -> Array | None:
        """(d,) the point of it nearest to a (d,) point; None if it is empty.

        Least distance programming (Lawson and Hanson 1974, chapter 23): the constraints on a step w from the point,
        G w ≥ h, become a non-negative least squares problem whose residual is the step.
        """
        from scipy.optimize import nnls  # late: SciPy takes longer to load than all else here

        start = np.where(self.free, point, self.low)
        start = start - self._correction @ (self.sums @ start - self.totals)
        basis = self.basis
        inner = basis[self.free]
        room = np.concatenate(
            [self.most - self.rows @ start, (self.high - start)[self.free], (start - self.low)[self.free]]
        )
        if (room < 0.0).any():
            within = np.vstack([self.rows @ basis, inner, -inner])
            matrix = np.vstack([-within.T, -room])
            target = np.zeros(len(matrix))
            target[-1] = 1.0
            try:
                weights, size = nnls(matrix, target)
            except RuntimeError:  # too many iterations: as if there were none, for which every caller has an answer
                return None
            if size < 1e-7:
                return None
            residual = matrix @ weights - target
            start = start - basis @ (residual[:-1] / residual[-1])
        start = self._tidied(start[None, :])
        return np.asarray(start[0]) if self.inside(start)[0] else None

    def _tidied(self, points: Array) -> Array:
        """(n, d) points with coordinates that differ from a bound by rounding put on it."""
        points = np.where(points - self.low < _AT_BOUND, self.low, points)
        return np.asarray(np.where(self.high - points < _AT_BOUND, self.high, points))

    def chords(self, points: Array, directions: Array) -> tuple[Array, Array]:
        """(n,) how far (n, d) points inside can go against and along (n, d) directions that keep the sums."""
        with np.errstate(divide="ignore", invalid="ignore"):
            speeds = directions @ self.rows.T
            ends = (self.most - points @ self.rows.T) / speeds
            walls = (self.high - points) / directions, (self.low - points) / directions
        moves = np.abs(directions) > _AT_BOUND
        ahead = np.where(moves, np.maximum(*walls), np.inf).min(axis=1)
        behind = np.where(moves, np.minimum(*walls), -np.inf).max(axis=1)
        ahead = np.minimum(ahead, np.where(speeds > _AT_BOUND, ends, np.inf).min(axis=1, initial=np.inf))
        behind = np.maximum(behind, np.where(speeds < -_AT_BOUND, ends, -np.inf).max(axis=1, initial=-np.inf))
        return np.maximum(-behind, 0.0), np.maximum(ahead, 0.0)

    def longest_step(self, points: Array, directions: Array) -> Array:
        """(n,) how far (n, d) points inside can go along (n, d) directions that keep the sums."""
        return self.chords(points, directions)[1]

    @cached_property
    def centre(self) -> Array | None:
        """(d,) a point as far as possible from all constraints; None if it is empty."""
        found = self._roomiest()
        return None if found is None else self.nearest(found[0])

    def _roomiest(self) -> tuple[Array, float] | None:
        """The centre, and how far it is from the nearest constraint: the inscribed ball of the free directions."""
        found = self._solve(np.r_[np.zeros(len(self.low)), -1.0], room=True)
        return None if found is None else (self._tidied(found[None, :-1])[0], float(found[-1]))

    def _solve(self, objective: Array, *, room: bool = False) -> Array | None:
        """(d,) where a linear objective is least; with `room` (d + 1,), the last being the distance to keep."""
        from scipy.optimize import linprog  # late, as above

        d = len(self.low)
        widths = np.linalg.norm(self.rows @ self.basis, axis=1)
        sizes = np.linalg.norm(self.basis, axis=1)
        upper, lower = np.eye(d)[self.free], -np.eye(d)[self.free]
        beside = np.concatenate([widths, sizes[self.free], sizes[self.free]])[:, None] if room else None
        left = np.vstack([self.rows, upper, lower])
        right = np.concatenate([self.most, self.high[self.free], -self.low[self.free]])
        sums = np.hstack([self.sums, np.zeros((len(self.sums), 1))]) if room else self.sums
        bounds = [(low, high) for low, high in zip(self.low, self.high, strict=True)] + [(0.0, None)] * room
        found = linprog(
            objective,
            left if beside is None else np.hstack([left, beside]),
            right,
            sums if len(sums) else None,
            self.totals if len(sums) else None,
            bounds,
        )
        return np.asarray(found.x) if found.status == 0 else None

    @cached_property
    def solid(self) -> Polytope:
        """The same with constraints that leave no room, such as a + b ≤ 0 from 0 on, as sums and fixed coordinates."""
        found = self._roomiest()
        if found is None or found[1] > _THIN or not self.basis.size:
            return self
        low, high = self.low.copy(), self.high.copy()
        for j in np.flatnonzero(self.free):
            ends = [self._solve(sign * np.eye(len(low))[j]) for sign in (1.0, -1.0)]
            if ends[0] is not None and ends[1] is not None and ends[1][j] - ends[0][j] < _THIN:
                low[j] = high[j] = np.clip(ends[0][j], low[j], high[j])
        least = [self._solve(row) for row in self.rows]
        tight = np.array(
            [x is not None and m - r @ x < _THIN for r, m, x in zip(self.rows, self.most, least, strict=True)],
            dtype=bool,
        )
        sums, totals = np.vstack([self.sums, self.rows[tight]]), np.concatenate([self.totals, self.most[tight]])
        return Polytope(self.rows[~tight], self.most[~tight], sums, totals, low, high, self.ratio)

    @cached_property
    def _walkers(self) -> Array:
        """(w, d) points spread over it, from which draws start and whose differences are their directions."""
        rng = np.random.default_rng(0)
        points, others = np.tile(self._start, (_WALKERS, 1)), np.zeros((0, len(self.low)))
        for _ in range(_WARM_UP):
            points = self._walk(points, others, 4 * self.basis.shape[1] + 16, rng)
            others = points
        return points

    @property
    def _start(self) -> Array:
        return self.low if self.centre is None else self.centre

    def sample(self, count: int, rng: np.random.Generator) -> Array:
        """(count, d) points drawn from it, uniform in unit coordinates. It must not be empty.

        Hit-and-run (Smith 1984): each step is uniform on the chord through a point. Directions are differences of
        walkers that were spread over it before, so that a thin polytope is crossed as fast as a round one.
        """
        solid = self.solid
        starts = solid._walkers[rng.integers(_WALKERS, size=count)]
        points = solid._walk(starts, solid._walkers, 4 * solid.basis.shape[1] + 8, rng)
        for i in np.flatnonzero(~self.inside(points)):  # by a rounding error of the linear program that began it
            points[i] = self._put_right(points[i])
        return points

    def _put_right(self, point: Array) -> Array:
        nearest = self.nearest(point)
        return self._start if nearest is None else nearest

    def walk_from_centre(self, count: int, rng: np.random.Generator) -> Array:
        """(count, d) points where walks from the centre end: cheaper than `sample` for a polytope used once."""
        return self._walk(
            np.tile(self._start, (count, 1)), np.zeros((0, len(self.low))), 4 * self.basis.shape[1] + 16, rng
        )

    def _walk(self, points: Array, walkers: Array, steps: int, rng: np.random.Generator) -> Array:
        """(n, d) where the points are after so many steps."""
        straight = self.basis * (self.ratio == 1.0)[:, None]
        curved = np.flatnonzero(self.free & (self.ratio > 1.0))
        if not straight.any() and len(curved) == 0:
            return points
        n = len(points)
        for step in range(steps):
            along = rng.standard_normal((n, straight.shape[1]))
            if len(walkers):
                pairs = rng.integers(len(walkers), size=(2, n))
                learned = rng.random(n) >= _ISOTROPIC
                along[learned] = ((walkers[pairs[0]] - walkers[pairs[1]]) @ straight)[learned]
            directions = along @ straight.T
            directions /= np.maximum(np.abs(directions).max(axis=1, keepdims=True), 1e-300)
            points = self._on_chord(points, directions, rng)
            if len(curved):
                one = np.zeros(points.shape)
                one[:, curved[step % len(curved)]] = 1.0
                points = self._on_chord(points, one, rng)
        return self._tidied(points)

    def _on_chord(self, points: Array, directions: Array, rng: np.random.Generator) -> Array:
        """(n, d) points uniform, in unit coordinates, on the chords along directions: straight, or one log scale."""
        behind, ahead = self.chords(points, directions)
        ahead, behind = np.where(np.isfinite(ahead), ahead, 0.0), np.where(np.isfinite(behind), behind, 0.0)
        share = rng.random(len(points))
        if not (directions[:, self.ratio > 1.0]).any():
            drawn = points + (share * (ahead + behind) - behind)[:, None] * directions
        else:
            ends = [log_from_linear(points + by[:, None] * directions, self.ratio) for by in (-behind, ahead)]
            along = linear_from_log(ends[0] + share[:, None] * (ends[1] - ends[0]), self.ratio)
            drawn = np.where(directions != 0.0, along, points)
        return np.clip(drawn, self.low, self.high)
