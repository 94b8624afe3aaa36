"""Figure 2: the cost of a point, and how it changes with t."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

from camobo.cost.additive import AdditiveCost
from camobo.cost.moment import Moment
from camobo.cost.order import Order
from camobo.cost.paper import ExponentialProduct
from camobo.cost.protocol import Discount
from camobo.paper.drawing import COLOURS, pyplot, save, styled
from camobo.paper.experiments import ADDITIVE_COOLING, ADDITIVE_STRENGTH, METHODS


@styled()
def cost_surface(folder: Path) -> list[Path]:
    """Draw C over (x1, x2) at t = 1, 10, 20, 1000 for x1 > x2: the paper's cost, both ways, and the additive one."""
    plt = pyplot()
    steps = (1, 10, 20, 1000)
    figure, rows = plt.subplots(3, len(steps), figsize=(12, 8.6), sharex=True, sharey=True)
    ticks = np.linspace(0.0, 1.0, 81)
    levels = np.stack(np.meshgrid(ticks, ticks), axis=-1).reshape(-1, 2)
    for method, panels in zip(("paper", "printed", "additive"), rows, strict=True):
        for axes, step in zip(panels, steps, strict=True):
            cost = -np.expm1(_centred(method, step).log(levels)).reshape(81, 81)
            image = axes.contourf(ticks, ticks, cost, np.linspace(0.0, 1.0, 21), cmap="cividis")
            lines = axes.contour(
                ticks, ticks, cost, 5, colors="black" if cost.mean() > 0.5 else "white", linewidths=0.7
            )
            axes.clabel(lines, fontsize=7, fmt=f"%.{max(2, math.ceil(1.0 - math.log10(np.ptp(cost))))}f")
            axes.set_title(f"{METHODS[method]}, t = {step}", color=COLOURS[method])  # type: ignore[index]
            axes.set_aspect("equal")
        panels[0].set_ylabel("x2 (cheaper)")
    for axes in rows[-1]:
        axes.set_xlabel("x1 (more expensive)")
    figure.colorbar(image, ax=rows, label="C(x, t)", shrink=0.6)
    figure.suptitle(
        "The cost of a point, with the mean of all weights that agree with x1 > x2; additive: without a budget"
    )
    return [save(figure, folder, "cost-surface")]


def _centred(method: str, step: int) -> Discount:
    """The discount of a method at a step, with mean weights instead of drawn ones."""
    order = Order.parse("x1 > x2")
    if method == "additive":
        cost = AdditiveCost(order, strength=ADDITIVE_STRENGTH, cooling=ADDITIVE_COOLING, power=0.0)
        return cost.at(Moment(step), order.names, np.random.default_rng(0))
    weights = (order.reversed() if method == "paper" else order).centre()
    return ExponentialProduct(np.arange(2), 1.0 / (weights * step + 1.0))
