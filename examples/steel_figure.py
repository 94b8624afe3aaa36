"""Draws the README's picture from the steel example. Needs matplotlib: `pip install '.[paper]'`.

python examples/steel_figure.py docs/steel.png
"""

from __future__ import annotations

import sys

import matplotlib

import camobo as cm

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from steel import SEEDS, melt, path

METHODS: tuple[tuple[str, str | None, str, str], ...] = (
    ('camobo, told "nickel > chromium"', "nickel > chromium", "default", "#0072B2"),
    ("camobo without cost", None, "default", "#E69F00"),
    ("MO-UCB", None, "paper", "#888888"),
)
NICKEL = np.arange(0.0, 201.0, 5.0)


def curve(study: cm.Study) -> list[float]:
    """The hypervolume reached by the time so much nickel was used."""
    steps = path(study)
    return [max((volume for used, volume in steps if used <= nickel), default=0.0) for nickel in NICKEL]


def main() -> None:
    """The front found, as a share of the best found by any, against the nickel used for it: means and quartiles."""
    found = {label: np.array([curve(melt(seed, cost, method)) for seed in SEEDS]) for label, cost, method, _ in METHODS}
    best = max(volumes.max() for volumes in found.values())
    plt.rcParams.update({"font.size": 12, "axes.spines.top": False, "axes.spines.right": False})
    figure, axes = plt.subplots(figsize=(8.5, 3.6), layout="constrained")
    for label, _, _, colour in METHODS:
        share = 100.0 * found[label] / best
        axes.plot(NICKEL, share.mean(axis=0), color=colour, lw=2.5, label=label)
        axes.fill_between(NICKEL, *np.quantile(share, (0.25, 0.75), axis=0), color=colour, alpha=0.12, lw=0)
    axes.set(xlabel="nickel used, summed over the melts (%)", ylabel="of the best front found (%)", ylim=(0, 101))
    axes.legend(frameon=False, loc="lower right")
    figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "steel.png", dpi=130)


if __name__ == "__main__":
    main()
