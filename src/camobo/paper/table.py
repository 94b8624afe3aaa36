"""Published next to measured results: one table of all experiments, and the time taken."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from camobo.arrays import Array
from camobo.paper.experiments import METHODS, Experiment, Method, Published, experiment
from camobo.paper.statistics import Numbers, Summary, mean, versus
from camobo.paper.summary import beta_in, by_text, departures_in, g_of_script


def experiments(summaries: Sequence[Summary]) -> str:
    """One table: every experiment by the text, then with the theorem's β and with Booth as printed; empty without any.

    What was published has columns if there is any.
    """
    groups: dict[str, list[Summary]] = {}
    for summary in summaries:
        if not departures_in(summary) and not g_of_script(summary):
            groups.setdefault(_problem(summary), []).append(summary)
    if not groups:
        return ""
    ordered = [sorted(group, key=lambda s: not by_text(s)) for group in groups.values()]
    compared = any(_given(first).published is not None for first, *_ in ordered)
    top = "Σ of the most expensive input"
    sums = [f"{top}, published", "measured", "ratio to MO-UCB (published)"] if compared else [top, "ratio to MO-UCB"]
    volumes = ["hypervolume, the paper's", "near the front", "near, ratio to MO-UCB"]
    columns = ["method", "runs", *sums, "Σ of each input, levels", *volumes, "money, ratio to MO-UCB"]
    lines = ["### Results", "", row(columns), "|---" * len(columns) + "|"]
    for group in ordered:
        lines.append(heading(group[0]["title"], _what(group[0]), len(columns)))
        for summary in group:
            published = _given(summary).published if summary is group[0] else None
            methods = (method for method in METHODS if method in summary["methods"])
            lines += [row(_cells(summary, method, published, compared)) for method in methods]
    return "\n".join(lines)


def row(cells: Sequence[str]) -> str:
    """A row of a Markdown table."""
    return "| " + " | ".join(cells) + " |"


def heading(title: str, rest: str, columns: int) -> str:
    """The row with a bold title above an experiment's own, in a table of so many columns."""
    return f"| **{as_cell(title)}**{as_cell(rest)} |" + " |" * (columns - 1)


def as_cell(text: str) -> str:
    """Text that stays in one cell: titles and names may be anybody's.

    >>> as_cell("a | b")
    'a \\\\| b'
    """
    return text.replace("|", "\\|").replace("\n", " ")


def _problem(summary: Summary) -> str:
    """What the summaries below one heading share: the experiment and its options; Booth as printed has no own one."""
    setting = summary["setting"]
    return f"{setting['experiment']} {sorted((k, v) for k, v in setting['options'].items() if k != 'booth')}"


def _what(summary: Summary) -> str:
    """The order of an experiment, what was chosen besides the method, such as a data set, and the unit of sums."""
    hidden, published = ("problem", "title"), _given(summary).published
    options = summary["setting"]["options"].items()
    shown = [f", {key} {value}" for key, value in options if key not in hidden and value not in (None, "standard")]
    unit = f"; Σ in {published.unit}" if published is not None and published.unit else ""
    return f": {' > '.join(summary['inputs'])}{''.join(shown)}{unit}"


def _cells(summary: Summary, method: Method, published: Published | None, compared: bool) -> list[str]:
    """One method; what sets a summary apart from the first one below its heading stands behind the name."""
    numbers, used = summary["methods"][method], np.array(summary["methods"][method]["use"], dtype=np.float64)
    was = {"mo-ucb": published.blind, "paper": published.cost_aware}.get(method) if published is not None else None
    return [
        METHODS[method] + _apart(summary),
        f"{len(numbers['runs'])} × {summary['setting']['iterations']}",
        *(["–" if was is None else f"{was:g}"] if compared else []),
        mean(_given(summary).scale * used[:, 0]).shown(1),
        _compared(summary, method, lambda n: np.array(n["use"])[:, 0], published if method == "paper" else None),
        " / ".join(f"{total:.1f}" for total in used.mean(axis=0)),
        mean(np.array(numbers["mapped"])).shown(4),
        mean(np.array(numbers["near"])).shown(3),
        _compared(summary, method, lambda n: np.array(n["near"])),
        _compared(summary, method, lambda n: np.array(n["money"])),
    ]


def _apart(summary: Summary) -> str:
    booth = ", Booth as printed" if summary["setting"]["options"].get("booth") == "printed" else ""
    return (", β of Theorem 1" if beta_in(summary) == "theory" else "") + booth


def _compared(
    summary: Summary, method: str, pick: Callable[[Numbers], Array], published: Published | None = None
) -> str:
    if method == "mo-ucb" or "mo-ucb" not in summary["methods"]:
        return "–"
    found = versus(summary, method, pick)
    return found.shown(3) + (f" ({published.cost_aware / published.blind:.2f})" if published is not None else "")


def _given(summary: Summary) -> Experiment:
    return experiment(summary["setting"]["experiment"], summary["setting"]["options"])


def effort(summaries: Sequence[Summary]) -> str:
    """The time that suggestions took in the runs by the text, and the sum of all runs."""
    timed = [summary for summary in summaries if by_text(summary)]
    methods = [method for method in METHODS if any(method in summary["methods"] for summary in timed)]
    columns = [
        "ms of processor time per suggestion: mean / around t = 50 / at the end",
        *(METHODS[method] for method in methods),
        "core-minutes",
    ]
    lines = ["### Time", ""]
    if timed:
        lines += [row(columns), "|---" * len(columns) + "|"]
        for summary in timed:
            cells = [_milliseconds(summary, method) for method in methods]
            lines.append(row([as_cell(summary["title"]), *cells, f"{_core_seconds(summary) / 60:.1f}"]))
        lines.append("")
    total = sum(map(_core_seconds, summaries))
    shown = f"{total / 3600:.1f} core-hours" if total >= 360 else f"{total / 60:.2g} core-minutes"
    machines = "; ".join(dict.fromkeys(summary["machine"] for summary in summaries))
    return "\n".join([*lines, f"{shown} for all runs, each one process with one thread, on {machines}."])


def _milliseconds(summary: Summary, method: Method) -> str:
    if method not in summary["methods"]:
        return "–"
    numbers = summary["methods"][method]
    steps = numbers["milliseconds"]
    early = f"{steps['50']:.1f}" if "50" in steps else "–"
    return f"{numbers['milliseconds_mean']:.1f} / {early} / {steps[list(steps)[-1]]:.1f}"


def _core_seconds(summary: Summary) -> float:
    return sum(float(numbers["core_seconds"]) for numbers in summary["methods"].values())
