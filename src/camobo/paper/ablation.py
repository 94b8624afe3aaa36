"""From the paper's text to the authors' script, one departure at a time."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from camobo.paper.statistics import Summary, mean
from camobo.paper.summary import beta_in, by_script, by_text, departures_in, g_of_script
from camobo.paper.table import heading, row

_STEPS = {
    "length": "length scale 0.032",
    "search": "argmax over 1,024 random points",
    "variance": "variance for deviation",
    "sorted": "sorted weights",
    "starts": "two cheap starts",
    "model": "no model: argmin C",
}


def ablation(summaries: Sequence[Summary]) -> str:
    """One table: every problem with departures, from the text to the authors' script; empty without any."""
    names = list(dict.fromkeys(s["setting"]["experiment"] for s in summaries if departures_in(s)))
    if not names:
        return ""
    used = ["Σ of each input", "Σ of the most expensive", "of front members"]
    columns = ["Algorithm 1 with", "runs", f"CA-MOBO: {used[0]}", *used[1:], f"MO-UCB: {used[0]}", *used[1:]]
    columns += ["near the front: CA-MOBO", "MO-UCB"]
    lines = ["### From the text to the authors' script", "", row(columns), "|---" * len(columns) + "|"]
    for name in names:
        rows = [s for s in summaries if s["setting"]["experiment"] == name and (departures_in(s) or by_text(s))]
        rows.sort(key=_place)
        lines.append(heading(rows[0]["title"], f": {' > '.join(rows[0]['inputs'])}", len(columns)))
        lines += map(_ablated, rows)
    return "\n".join(lines)


def _place(summary: Summary) -> tuple[bool, int, bool, bool]:
    """Where a row stands: departures are added one by one, and the row without a model comes last."""
    departs = departures_in(summary)
    return "model" in departs, len(departs), g_of_script(summary), beta_in(summary) == "theory"


def _ablated(summary: Summary) -> str:
    """One row: what was added last, and what it did."""
    departs = departures_in(summary)
    label = "the text" if not departs else f"+ {_STEPS[departs[-1]]}"
    if departs == ("model",):
        label = _STEPS["model"]
    elif by_script(summary):
        label = "+ β of Theorem 1: the script"
    elif g_of_script(summary):
        label = "+ 9/29 in g"
    cells = [label, str(len(next(iter(summary["methods"].values()))["runs"]))]
    near = []
    for method in ("paper", "mo-ucb"):
        numbers = summary["methods"].get(method)
        if numbers is None:
            cells += ["–", "–", "–"]
            near.append("–")
            continue
        used, members = (np.array(numbers[key], dtype=np.float64) for key in ("use", "use_front"))
        cells += [
            " / ".join(f"{total:.0f}" for total in used.mean(axis=0)),
            mean(used[:, 0]).shown(1),
            mean(members[:, 0]).shown(1),
        ]
        near.append(mean(np.array(numbers["near"])).shown(3))
    return row([*cells, *near])
