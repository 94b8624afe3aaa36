"""Draws what `thrift` does, from the steel example: docs/method.md. Needs matplotlib: `pip install '.[paper]'`.

python examples/thrift_figure.py docs/thrift.png
"""

from __future__ import annotations

import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from steel import EVALUATIONS, melt, path

SEEDS = range(1, 11)
THRIFTS = ((0.0, "#888888"), (0.5, "#56B4E9"), (1.0, "#0072B2"), (3.0, "#D55E00"))
NICKEL = np.arange(0.0, 151.0, 2.0)
TOGETHER = 5


def main() -> None:
    """The front found for the nickel used, and the nickel in each melt, for four values."""
    paths = {thrift: [path(melt(seed, "nickel > chromium", thrift=thrift)) for seed in SEEDS] for thrift, _ in THRIFTS}
    best = max(volume for runs in paths.values() for run in runs for _, volume in run)
    plt.rcParams.update({"font.size": 11, "axes.spines.top": False, "axes.spines.right": False})
    figure, (front, use) = plt.subplots(1, 2, figsize=(9.5, 3.6), layout="constrained")
    for thrift, colour in THRIFTS:
        found = [[max((v for used, v in run if used <= n), default=0.0) for n in NICKEL] for run in paths[thrift]]
        front.plot(NICKEL, 100.0 * np.mean(found, axis=0) / best, color=colour, lw=2.5, label=f"thrift = {thrift:g}")
        amounts = np.mean([np.diff([used for used, _ in run], prepend=0.0) for run in paths[thrift]], axis=0)
        melts = np.arange(TOGETHER, EVALUATIONS + 1, TOGETHER) - (TOGETHER - 1) / 2
        use.plot(melts, amounts.reshape(-1, TOGETHER).mean(axis=1), color=colour, lw=2.5, marker="o", ms=4)
    front.set(xlabel="nickel used, summed over the melts (%)", ylabel="of the best front found (%)", ylim=(0, 101))
    front.legend(frameon=False, loc="lower right")
    use.set(xlabel="melt", ylabel=f"nickel per melt (%), mean of {TOGETHER} melts", ylim=(0, None))
    figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "thrift.png", dpi=110)


if __name__ == "__main__":
    main()
