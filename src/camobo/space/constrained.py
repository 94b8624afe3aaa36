"""The region that constraints leave: a polytope, one for each choice of counted inputs, and the steps inside it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from camobo.arrays import Array
from camobo.errors import InvalidSpaceError
from camobo.space.exchange import exchanges
from camobo.space.feasible import lowest
from camobo.space.polytope import INSIDE, Polytope, null_space
from camobo.space.region import Box, Project
from camobo.space.rounding import Rounding
from camobo.space.rows import Rows
from camobo.space.sampling import farthest_first, quasi_random

_PIECES = 32  # choices of counted inputs that a sample is drawn from
_BLOCK = 256  # draws among which the next one is as far as possible from those before it
_KNOWN = 64  # points that one is taken from where rounding found none


@dataclass(frozen=True, eq=False)
class Constrained:
    """A region with constraints. Every point it gives meets all of them; sums of stepped inputs are exact."""

    box: Box
    rows: Rows

    @property
    def stepped(self) -> bool:
        """Whether any input has steps or choices, or some are counted."""
        return self.box.stepped or bool(self.rows.counts)

    @property
    def turns(self) -> int:
        """How many calls of `neighbours` show all neighbours of a point."""
        return max(1, -(-len(self._exchanges) // (2 * len(self.rows.steps))))

    @cached_property
    def _exchanges(self) -> Array:
        return exchanges(self.rows)

    @cached_property
    def _rounding(self) -> Rounding:
        return Rounding.of(self.rows, self._exchanges)

    @cached_property
    def _whole(self) -> Polytope:
        """Counts aside."""
        return self.rows.polytope()

    @cached_property
    def _moved_along(self) -> bool:
        """Whether inputs without steps must give way when those with steps move."""
        with_steps, without = self.rows.matrix[:, self.rows.steps > 0], self.rows.matrix[:, self.rows.steps == 0]
        return bool((np.any(with_steps != 0.0, axis=1) & np.any(without != 0.0, axis=1)).any())

    def holds(self, units: Array) -> NDArray[np.bool_]:
        """(n,) whether (n, d) points that can be evaluated lie inside."""
        return self.rows.hold(self.rows.counted(self.rows.linear(units)))

    def settle(self, units: Array) -> Array:
        """(n, d) points inside that can be evaluated, near the given ones: projected, then rounded."""
        found = np.array(self.box.settle(units))
        out = np.flatnonzero(~self.holds(found))
        if len(out):
            moved, good = self._inside(units[out])
            near = self._known[np.abs(units[out][~good][:, None, :] - self._known).sum(axis=2).argmin(axis=1)]
            moved[~good] = near
            found[out] = moved
        return found

    def _inside(self, units: Array) -> tuple[Array, NDArray[np.bool_]]:
        """(n, d) points inside near the given ones, and where there really is one."""
        z = self.rows.linear(np.clip(units, 0.0, 1.0))
        low, high = self._bounds(z)
        z, possible = self._projected(z, low, high)
        z = self._rounding.rounded(z, low, high) if (self.rows.steps > 0).any() else z
        z = self._filled(z, low, high) if self._moved_along else z
        found = self.box.settle(self.rows.units(z))
        return found, possible & self.holds(found)

    def _bounds(self, z: Array) -> tuple[Array, Array]:
        """(n, d) z between which the inputs of each point may lie: of those counted, only the highest leave 0."""
        low = np.zeros(z.shape)
        high = np.tile(self._whole.high, (len(z), 1))
        for columns, _, most in self.rows.counts:
            rank = np.argsort(np.argsort(-z[:, columns] * high[:, columns], axis=1, kind="stable"), axis=1)
            high[:, columns] = np.where(rank < most, high[:, columns], 0.0)
        for columns, least, _ in self.rows.counts:
            rank = np.argsort(np.argsort(-(z[:, columns] + 1.0) * high[:, columns], axis=1, kind="stable"), axis=1)
            must = (rank < least) & (high[:, columns] > 0.0)
            low[:, columns] = np.where(must, self.rows.least_above[columns], low[:, columns])
        return low, high

    def _projected(self, z: Array, low: Array, high: Array) -> tuple[Array, NDArray[np.bool_]]:
        """(n, d) z moved to the nearest ones that meet all sums between (n, d) bounds, and where there are any."""
        limited, found = self.rows.limited, z.copy()
        target = np.where(limited, z, 0.0)
        possible = self._whole.inside(target) & np.all((target >= low) & (target <= high), axis=1)
        pieces: dict[bytes, Polytope] = {}
        for i in np.flatnonzero(~possible):
            kind = low[i].tobytes() + high[i].tobytes()
            if kind not in pieces:
                pieces[kind] = self._whole.within(low[i], high[i])
            nearest = pieces[kind].nearest(target[i])
            if nearest is not None:
                found[i, limited], possible[i] = nearest[limited], True
        return found, possible

    def _filled(self, z: Array, low: Array, high: Array) -> Array:
        """(n, d) z whose inputs without steps give way to those with steps; the same where that is not possible."""
        stays = self.rows.steps > 0
        return self._projected(z, np.where(stays, z, low), np.where(stays, z, high))[0]

    @cached_property
    def _known(self) -> Array:
        """(k, d) some points inside: the last resort of `settle`, found once."""
        corner = self._settled_corner(np.zeros(len(self.rows.steps)))
        drawn, good = self._inside(self._draw(_KNOWN, np.random.default_rng(0)))
        found = np.vstack([corner, drawn[good]])
        found = found[self.holds(found)]
        if len(found) == 0:
            raise InvalidSpaceError(
                "constraints: no point could be computed that meets all of them to a billionth. "
                "Leave some room, such as <= and >= in place of ==."
            )
        return found

    def _settled_corner(self, slope: Array) -> Array:
        """(0 or 1, d) the point inside where a linear function of z is least."""
        z = lowest(self.rows, slope)
        if z is None:
            return np.zeros((0, len(slope)))
        found = self.box.settle(self.rows.units(z[None, :]))
        if self.holds(found)[0]:
            return found
        found, good = self._inside(self.rows.units(z[None, :]))
        return found[good]

    def lowest(self, slope: Array, at: Array) -> Array:
        """(d,) the point inside where the function is least that is linear in values and has a slope `at` a point."""
        slope = slope / self.rows.curve(at)
        found = self._settled_corner(slope)
        return np.asarray(found[0] if len(found) else self._known[np.argmin(self.rows.linear(self._known) @ slope)])

    def sample(self, count: int, rng: np.random.Generator) -> Array:
        """(count, d) points inside that can be evaluated: uniform, then rounded; among counted inputs all equal."""
        return self.settle(self._draw(count, rng))

    def _draw(self, count: int, rng: np.random.Generator) -> Array:
        """(count, d) points of the unit cube that meet the constraints, steps aside."""
        found = rng.random((count, len(self.rows.steps)))
        limited = self.rows.limited
        if not self.rows.counts:
            drawn = self._whole.sample(count, rng)
        else:
            low, high = self._bounds(rng.random((_PIECES, len(limited))))
            bounds = np.unique(np.hstack([low, high]), axis=0)
            rng.shuffle(bounds)
            pieces = [self._whole.within(*np.split(each, 2)) for each in bounds]
            pieces = [piece for piece in pieces if piece.centre is not None]
            if not pieces:
                return found
            shares = -(-count // len(pieces))
            drawn = np.vstack([piece.solid.walk_from_centre(shares, rng) for piece in pieces])
            drawn = drawn[rng.permutation(len(drawn))[:count]]
        found[:, limited] = self.rows.units(drawn)[:, limited]
        return found

    def spread(self, count: int, rng: np.random.Generator, beside: int = 0) -> Array:
        """(count, d + beside) draws, each of the first as far as possible from those before it, and even numbers.

        As many are drawn for 2000 as for 1000, so that one more asked for does not change those before.
        """
        numbers = quasi_random(count, beside, rng) if beside else np.zeros((count, 0))
        drawn = _BLOCK
        while drawn < count:
            drawn *= 8
        points = self._draw(drawn, rng)
        return np.hstack([np.vstack([farthest_first(points[:_BLOCK]), points[_BLOCK:]])[:count], numbers])

    def neighbours(self, points: Array, turn: int = 0) -> list[Array]:
        """For each of (b, d) points (m, d) ones inside: single steps, exchanges, another input of a count."""
        z = self.rows.linear(points)
        near = [self._exchanged(z, turn)]
        near += [[self.rows.linear(self.box.alone(point, self._single)) for point in points]]
        near += [[self._swapped(each, turn) for each in z]] if self.rows.counts else []
        owner = np.concatenate([np.repeat(np.arange(len(z)), [len(each) for each in kind]) for kind in near])
        moved = np.vstack([each for kind in near for each in kind])
        if self._moved_along or self.rows.counts:
            low, high = self._bounds(moved)
            moved = self._filled(moved, low, high)
        found = self.rows.units(moved)
        found = self.box.settle(found) if found is not moved else found
        good = self.holds(found) & np.any(found != points[owner], axis=1)
        return [found[good & (owner == i)] for i in range(len(z))]

    @cached_property
    def _single(self) -> list[int]:
        """Inputs with steps or choices that can move alone."""
        bound = np.any(self.rows.matrix[self.rows.equal & self.rows.whole] != 0.0, axis=0)
        return [j for j, given in enumerate(self.box.inputs) if not given.continuous and not bound[j]]

    def _exchanged(self, z: Array, turn: int) -> list[Array]:
        """For each of (b, d) z (m, d) after exchanges: one step, a tenth of the range, as far as the ranges allow."""
        moves, lengths = self._tenths
        moves, lengths = moves[turn % self.turns :: self.turns], lengths[turn % self.turns :: self.turns]
        moves, lengths = np.vstack([moves, -moves]), np.concatenate([lengths, lengths])
        y, size = self.rows.counted(z)[:, None, :], self.rows.size
        with np.errstate(divide="ignore", invalid="ignore"):
            room = np.where(moves > 0, (size - y) / moves, np.where(moves < 0, -y / moves, np.inf))
        most = np.floor(room.min(axis=2, initial=np.inf))
        steps = np.stack([np.ones(most.shape), np.minimum(lengths, most), most], axis=1)
        moved = (y[:, None] + steps[..., None] * moves) / size
        fits = np.broadcast_to(most[:, None] >= 1, steps.shape)
        return [each[fit] for each, fit in zip(moved, fits, strict=True)]

    @cached_property
    def _tenths(self) -> tuple[Array, Array]:
        """(p, d) exchanges, and (p,) how often each takes to move an input by a tenth of its range."""
        moves = self._exchanges
        tenth = np.min(
            np.where(moves != 0, self.rows.size / np.maximum(np.abs(moves), 1.0), np.inf), axis=1, initial=np.inf
        )
        return moves, np.maximum(2.0, np.rint(0.1 * tenth))

    def _swapped(self, z: Array, turn: int) -> Array:
        """(m, d) z where a counted input changes places with one at its low end, a different one each turn."""
        found = []
        for columns, _, _ in self.rows.counts:
            above, below = columns[z[columns] > 0.0], columns[z[columns] <= 0.0]
            for i in above if len(below) else ():
                j = below[(turn + int(i)) % len(below)]
                row = z.copy()
                row[i], row[j] = 0.0, z[i]
                found.append(row)
        return self.rows.counted(np.array(found).reshape(-1, len(z))) / self.rows.size

    def ground(self, points: Array) -> Slopes:
        """The region around (b, d) points inside, whose steps, choices and counts stay."""
        z = self.rows.linear(points)
        low, high = self._bounds(z)
        open_ = np.array([given.continuous for given in self.box.inputs])
        for columns, _, _ in self.rows.counts:
            high[:, columns] = np.where(z[:, columns] > 0.0, high[:, columns], 0.0)
        high = np.where(self.rows.limited, high, 1.0)
        pieces = [
            self._whole.within(np.where(open_, low[i], z[i]), np.where(open_, high[i], z[i])) for i in range(len(z))
        ]
        return Slopes(self.rows, tuple(pieces), points)


@dataclass(frozen=True, eq=False)
class Slopes:
    """One polytope per point, in which gradients lead."""

    rows: Rows
    pieces: tuple[Polytope, ...]
    starts: Array

    def project(self, points: Array) -> Array:
        """(b, d) the nearest points inside; the starts where rounding errors leave none."""
        found = self.starts.copy()
        for i, (piece, z) in enumerate(zip(self.pieces, self.rows.linear(np.clip(points, 0.0, 1.0)), strict=True)):
            nearest = piece.nearest(z)
            if nearest is not None:
                found[i] = self.rows.units(nearest[None, :])[0]
        return found

    def face(self, points: Array, slopes: Array) -> Project:
        """Projects vectors on what no constraint at the points stops."""
        kept = np.array([self._kept(*each) for each in zip(self.pieces, points, slopes, strict=True)])
        return lambda vectors: np.asarray(np.einsum("bij,bj->bi", kept, vectors))

    def _kept(self, piece: Polytope, point: Array, slope: Array) -> Array:
        """(d, d) the projection on directions that keep sums, fixed inputs, and constraints that the slope pushes."""
        z, free = self.rows.linear(point[None, :])[0], np.flatnonzero(piece.free)
        curve = self.rows.curve(point)[free]
        sums, rows = piece.sums[:, free] * curve, piece.rows[:, free] * curve
        uphill = null_space(sums)
        uphill = uphill @ (uphill.T @ slope[free])
        tight = (piece.most - piece.rows @ z < INSIDE) & (rows @ uphill > 0.0)
        walls = ((z <= piece.low)[free] & (uphill < 0.0)) | ((z >= piece.high)[free] & (uphill > 0.0))
        basis = null_space(np.vstack([sums, rows[tight], np.eye(len(free))[walls]]))
        found = np.zeros((len(z), len(z)))
        found[np.ix_(free, free)] = basis @ basis.T
        return found
