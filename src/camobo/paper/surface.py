"""Figure 2: what cost takes off a point's promise, and how it changes with t; beside it, the same of the default."""

from __future__ import annotations

import math
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from camobo.arrays import Array
from camobo.cost.budget import Budget
from camobo.cost.order import Order
from camobo.cost.ordered import OrderCost
from camobo.cost.paper import ExponentialProduct
from camobo.cost.thrift import Thrift
from camobo.paper.drawing import Panel, composite, save, styled, titled
from camobo.paper.experiments import Method
from camobo.space.inputs import Real
from camobo.space.space import Space
from camobo.strategy.funds import funds
from camobo.strategy.plan import Data, Plan

_STEPS = (1, 10, 20, 1000)
_LEFT = {1.0: "At the start", 0.05: "1/20 of the budget left"}
_TRIALS = 1000
_ORDER = Order.parse("x1 > x2")
_SPACE = Space({"x1": Real(0, 1), "x2": Real(0, 1)})
_TICKS = np.linspace(0.0, 1.0, 81)
_SIZE = (2.6, 2.1)


@styled()
def cost_surface(folder: Path) -> list[Path]:
    """Draw Figure 2 for x1 > x2: the paper's C(x, t) at four times; in another file what camobo's default takes off.

    Returns the paths of the PNG files.
    """
    units = np.stack(np.meshgrid(_TICKS, _TICKS), axis=-1).reshape(-1, 2)
    costs: list[Panel] = [partial(_surface, share=taken_off("paper", t, units), title=f"t = {t}") for t in _STEPS]
    discounts: list[Panel] = [
        partial(
            _surface,
            share=taken_off("default", 1 + round((1.0 - left) * _TRIALS), units),
            title=f"{when}, γ = {_thrift(1 + round((1.0 - left) * _TRIALS)).gamma:g}",
        )
        for left, when in _LEFT.items()
    ]
    return [
        save(_composite(costs, "Cost C(x, t) of CA-MOBO, for x1 > x2"), folder, "cost-surface"),
        save(
            _composite(discounts, "Share of promise that camobo's default takes off, for x1 > x2"),
            folder,
            "cost-surface-default",
        ),
    ]


def _composite(panels: list[Panel], title: str) -> Any:
    return composite(panels, title, [], size=_SIZE, columns=2)


def _surface(axes: Any, share: Array, title: str) -> None:
    """(n,) shares taken off over the square, in colours of their own range, with labelled contours and a scale."""
    height = share.reshape(len(_TICKS), len(_TICKS))
    image = axes.contourf(_TICKS, _TICKS, height, 12, cmap="cividis")
    middle = float(height.min() + height.max()) / 2.0
    inner = np.quantile(height, [0.08, 0.92])  # contours in the corners have no room for a label
    levels = [float(level) for level in image.levels[1:-1:2] if inner[0] <= level <= inner[1]]
    colours = ["white" if level < middle else "black" for level in levels]
    lines = axes.contour(_TICKS, _TICKS, height, levels, colors=colours, linewidths=0.5)
    form = f"%.{max(2, math.ceil(1.0 - math.log10(np.ptp(height))))}f"
    axes.clabel(lines, fontsize=5.5, fmt=form)
    axes.set(xticks=[0.0, 0.5, 1.0], yticks=[0.0, 0.5, 1.0])
    scale = axes.figure.colorbar(image, ax=axes, ticks=image.levels[::3], format=form, pad=0.03)
    scale.outline.set_linewidth(0.4)
    titled(axes, title, "x1 (more expensive)", "x2 (cheaper)")


def taken_off(method: Method, step: int, units: Array) -> Array:
    """(n,) the share of the promise of (n, 2) points that a method takes off at a step.

    For CA-MOBO it is C (Eq. 8), with mean weights instead of drawn ones. For the default it is
    1 − (c(x) / c(0))^−γ: only ratios matter, so it is counted from the cheapest point.
    """
    if method == "default":
        discount = _thrift(step)
        return np.asarray(-np.expm1(discount.log(units) - discount.log(_SPACE.cheapest()[None, :])))
    if method == "mo-ucb":
        return np.zeros(len(units))
    weights = (_ORDER.reversed() if method == "paper" else _ORDER).centre()
    rates = 1.0 / (weights * step + 1.0)
    return np.asarray(-np.expm1(ExponentialProduct(_SPACE, np.arange(2), rates).log(units)))


def _thrift(step: int) -> Thrift:
    """The default strategy's discount at a step of a study of `_TRIALS` trials."""
    plan = Plan(_SPACE, {"y": "min"}, OrderCost(_ORDER), Budget(trials=_TRIALS))
    none = np.empty((0, 2))
    discount = funds(plan, Data(none, none[:, :1], none, none, step), None).thrift(plan)
    if discount is None:
        raise RuntimeError("an order has no discount")
    return discount
