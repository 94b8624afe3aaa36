"""A learned cost that is bound by its order, to compare with the one that is built: prices fitted within the order."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from scipy.optimize import minimize

import camobo as cm
from camobo.cost.ordered import LevelSum
from money.case import Floats

SPREAD, SLACK = 1.0, 0.15  # deviation of the log of a price from the order's centre, and of a receipt
FALL, STEP = 0.02, 0.25  # a cost falls if it is so much less, in logs, after a step of that share of an input's range


def prices_within(said: LevelSum, order: cm.Order, points: Floats, logs: Floats) -> LevelSum:
    """The sum of levels whose prices agree with the order and fit (r,) log receipts at (r, d) points best."""
    levels, names = said.levels.of(points), order.names
    centre = np.log(np.concatenate([[said.base], np.maximum(said.weights, 1e-6)]))
    pairs = [(a, b) for a in range(len(names)) for b in range(len(names)) if order.costs_more(names[a], names[b])]
    ranks = np.zeros((len(pairs), len(centre) + 1))
    for row, (more, less) in enumerate(pairs):
        ranks[row, 2 + more], ranks[row, 2 + less] = 1.0, -1.0

    def loss(z: Floats) -> tuple[float, Floats]:
        """Of the log magnitude and the log prices, the base first."""
        prices = np.exp(z[1:])
        cost = prices[0] + levels @ prices[1:]
        wrong, off = z[0] + np.log(cost) - logs, z[1:] - centre
        shares = np.column_stack([np.ones(len(cost)), levels]) * prices / cost[:, None]
        slope = np.concatenate([[wrong.sum() / SLACK**2], wrong @ shares / SLACK**2 + off / SPREAD**2])
        return float(0.5 * (wrong @ wrong / SLACK**2 + off @ off / SPREAD**2)), slope

    start = np.concatenate([[(logs - said.log_cost(points)).mean()], centre])
    within: list[Any] = [{"type": "ineq", "fun": lambda z: ranks @ z, "jac": lambda z: ranks}] if pairs else []
    found = minimize(loss, start, jac=True, method="SLSQP", constraints=within).x
    prices = np.exp(found[1:] + found[0])
    return replace(said, weights=prices[1:], base=float(prices[0]), in_money=True)


def falls(log_cost: Callable[[Floats], Floats], said: LevelSum, units: Floats) -> float:
    """The share of steps towards the expensive end of an ordered input after which a point is said to cost less."""
    space, steps, fallen = said.levels.space, 0, 0
    for j in said.levels.columns:
        moved = units.copy()
        moved[:, j] = np.clip(moved[:, j] + STEP, 0.0, 1.0)
        moved = space.snap(moved)
        rise = np.sign(said.levels.of(moved).sum(axis=1) - said.levels.of(units).sum(axis=1))
        change = rise * (log_cost(moved) - log_cost(units))
        steps, fallen = steps + int((rise != 0).sum()), fallen + int((change[rise != 0] < -FALL).sum())
    return fallen / steps
