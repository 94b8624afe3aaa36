"""Batched quasi-Newton ascent in the unit cube."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from camobo.acquisition.surface import Surface
from camobo.arrays import Array
from camobo.space.region import BoxGround, Ground


def ascend(surface: Surface, starts: Array, *, steps: int, ground: Ground | None = None) -> Array:
    """(b, d) where the starts end after at most `steps` quasi-Newton steps uphill in the unit cube.

    Projected BFGS, all starts in one batch: a step costs one evaluation of the surface at b points, however many of
    them are still backtracking. A coordinate stays at a bound while its gradient points outside.
    ground: what of the unit cube may be walked on; None: all of it.
    """
    ground = BoxGround() if ground is None else ground
    b, d = starts.shape
    x = starts.copy()
    value, slope = surface.with_gradient(x)
    size = np.maximum(np.linalg.norm(slope, axis=1), 1e-300)
    curvature = np.eye(d) * (0.1 / size)[:, None, None]  # inverse Hessian; the first step has length 0.1
    initial = np.ones(b, dtype=np.bool_)
    length = np.ones(b)
    for _ in range(steps):
        along = ground.face(x, slope)
        uphill = along(slope)
        step = along(np.einsum("bij,bj->bi", curvature, uphill))
        lost = np.einsum("bi,bi->b", step, uphill) <= 0.0
        step[lost] = uphill[lost] * (0.1 / size[lost])[:, None]
        ahead = ground.project(x + length[:, None] * step)
        move = ahead - x
        if np.abs(move).max() < 1e-7:
            break
        new_value, new_slope = surface.with_gradient(ahead)
        good = new_value > value + 1e-4 * np.einsum("bi,bi->b", slope, move)
        _update(curvature, initial, move, slope - new_slope, good)
        x[good], value[good], slope[good] = ahead[good], new_value[good], new_slope[good]
        length = np.where(good, 1.0, 0.25 * length)
    return x


def _update(curvature: Array, initial: NDArray[np.bool_], move: Array, change: Array, good: NDArray[np.bool_]) -> None:
    """BFGS update of (b, d, d) inverse Hessians, in place, where a step was good and curvature is positive.

    initial: (b,) which inverse Hessians were never updated; these are rescaled first.
    """
    product = np.einsum("bi,bi->b", move, change)
    rows = np.flatnonzero(good & (product > 1e-12))
    if len(rows) == 0:
        return
    s, y, rho = move[rows], change[rows], 1.0 / product[rows]
    first = initial[rows]
    scale = product[rows] / np.einsum("bi,bi->b", y, y)
    start = np.where(first[:, None, None], np.eye(s.shape[1]) * scale[:, None, None], curvature[rows])
    left = np.eye(s.shape[1]) - rho[:, None, None] * s[:, :, None] * y[:, None, :]
    curvature[rows] = left @ start @ left.transpose(0, 2, 1) + rho[:, None, None] * s[:, :, None] * s[:, None, :]
    initial[rows] = False
