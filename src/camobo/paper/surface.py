"""Figure 2: what cost takes off a point's promise, and how it changes with t."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

from camobo.arrays import Array
from camobo.cost.order import Order
from camobo.cost.ordered import OrderCost
from camobo.cost.paper import ExponentialProduct
from camobo.cost.thrift import Thrift
from camobo.paper.drawing import COLOURS, pyplot, save, styled
from camobo.paper.experiments import METHODS, Method
from camobo.space.inputs import Real
from camobo.space.space import Space
from camobo.strategy.funds import funds
from camobo.strategy.plan import Data, Plan

_STEPS = (1, 10, 20, 1000)
_ROWS: tuple[Method, ...] = ("paper", "printed", "default")
_ORDER = Order.parse("x1 > x2")
_SPACE = Space({"x1": Real(0, 1), "x2": Real(0, 1)})


@styled()
def cost_surface(folder: Path) -> list[Path]:
    """Draw the share taken off over (x1, x2) at t = 1, 10, 20, 1000 for x1 > x2: C of the paper, both ways; ours."""
    plt = pyplot()
    figure, rows = plt.subplots(len(_ROWS), len(_STEPS), figsize=(12, 8.6), sharex=True, sharey=True)
    ticks = np.linspace(0.0, 1.0, 81)
    units = np.stack(np.meshgrid(ticks, ticks), axis=-1).reshape(-1, 2)
    for method, panels in zip(_ROWS, rows, strict=True):
        for axes, step in zip(panels, _STEPS, strict=True):
            share = taken_off(method, step, units).reshape(81, 81)
            image = axes.contourf(ticks, ticks, share, np.linspace(0.0, 1.0, 21), cmap="cividis")
            lines = axes.contour(
                ticks, ticks, share, 5, colors="black" if share.mean() > 0.5 else "white", linewidths=0.7
            )
            axes.clabel(lines, fontsize=7, fmt=f"%.{max(2, math.ceil(1.0 - math.log10(np.ptp(share))))}f")
            exponent = f", γ = {_thrift(step).gamma:.2g}" if method == "default" else ""
            axes.set_title(f"{METHODS[method]}, t = {step}{exponent}", color=COLOURS[method])
            axes.set_aspect("equal")
        panels[0].set_ylabel("x2 (cheaper)")
    for axes in rows[-1]:
        axes.set_xlabel("x1 (more expensive)")
    figure.colorbar(image, ax=rows, label="share of the promise taken off", shrink=0.6)
    figure.suptitle(
        "CA-MOBO: C(x, t), with the mean of all weights that agree with x1 > x2\n"
        "camobo's default: 1 − (c(x) / c(0))^−γ, without a budget"
    )
    return [save(figure, folder, "cost-surface")]


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
    """The default strategy's discount at a step of a study without a budget."""
    plan = Plan(_SPACE, {"y": "min"}, OrderCost(_ORDER))
    none = np.empty((0, 2))
    discount = funds(plan, Data(none, none[:, :1], none, none, step), None).thrift(plan)
    if discount is None:
        raise RuntimeError("an order has no discount")
    return discount
