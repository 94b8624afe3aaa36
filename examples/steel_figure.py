"""Draws the README's picture from the steel example. Needs matplotlib: `pip install '.[paper]'`.

python examples/steel_figure.py docs/steel.png
"""

from __future__ import annotations

import sys
from typing import Any

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from steel import EVALUATIONS, REFERENCE, SEEDS, furnace, melt

METHODS: tuple[tuple[str, str | None, str, str], ...] = (
    ("camobo, told nickel > chromium", "nickel > chromium", "default", "#0072B2"),
    ("camobo, no cost", None, "default", "#E69F00"),
    ("MO-UCB, the paper's baseline", None, "paper", "#888888"),
)


def paths(cost: str | None, method: str) -> tuple[Any, Any]:
    """(seeds, evaluations) nickel used so far and hypervolume reached so far."""
    nickel, volume = [], []
    for seed in SEEDS:
        whole = melt(seed, cost, method)
        nickel.append(np.cumsum([trial.params["nickel"] for trial in whole.trials]))
        replay = type(whole)(whole.space, whole.objectives, reference=REFERENCE, seed=0)
        reached = []
        for trial in whole.trials:
            replay.add(trial.params, furnace(trial.params))
            reached.append(replay.hypervolume())
        volume.append(reached)
    return np.array(nickel), np.array(volume)


def main() -> None:
    """Two panels over the melts: nickel used, hypervolume reached."""
    plt.rcParams.update({"font.size": 11, "axes.spines.top": False, "axes.spines.right": False})
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3.8), layout="constrained")
    melts = np.arange(1, EVALUATIONS + 1)
    for label, cost, method, colour in METHODS:
        nickel, volume = paths(cost, method)
        left.plot(melts, nickel.mean(axis=0), color=colour, lw=2, label=label)
        left.fill_between(melts, nickel.min(axis=0), nickel.max(axis=0), color=colour, alpha=0.15, lw=0)
        right.plot(melts, volume.mean(axis=0), color=colour, lw=2)
        right.fill_between(melts, volume.min(axis=0), volume.max(axis=0), color=colour, alpha=0.15, lw=0)
    left.set(xlabel="melts", ylabel="nickel used, summed %", title="The dear input is used late, and less")
    right.set(xlabel="melts", ylabel="hypervolume", title="It starts behind, and arrives at the same front")
    left.legend(frameon=False, loc="upper left")
    figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "steel.png", dpi=130)


if __name__ == "__main__":
    main()
