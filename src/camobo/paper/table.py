"""Published next to measured results: one table per experiment, and the time taken."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from camobo.arrays import Array
from camobo.paper.experiments import METHODS, Experiment, Method, Published, experiment
from camobo.paper.statistics import Numbers, Summary, mean, versus
from camobo.paper.summary import beta_in, by_text, departures_in, g_of_script


def experiments(summaries: Sequence[Summary]) -> Iterator[str]:
    """One table per experiment: by the text, then with the theorem's β and with Booth as printed."""
    groups: dict[str, list[Summary]] = {}
    for summary in summaries:
        if not departures_in(summary) and not g_of_script(summary):
            groups.setdefault(_problem(summary), []).append(summary)
    for group in groups.values():
        yield _experiment_table(sorted(group, key=lambda s: not by_text(s)))


def _problem(summary: Summary) -> str:
    """What the summaries of one table share: the experiment and its options; Booth as printed has no own table."""
    setting = summary["setting"]
    return f"{setting['experiment']} {sorted((k, v) for k, v in setting['options'].items() if k != 'booth')}"


def _experiment_table(group: Sequence[Summary]) -> str:
    first = group[0]
    expensive, published = first["inputs"][0], _given(first).published
    unit = f", {published.unit}" if published is not None and published.unit else ""
    lines = [
        f"### {first['title']}",
        "",
        f"Order {' > '.join(first['inputs'])}{_options(first)}.",
        "",
        f"| method | runs | Σ {expensive}{unit}, published | measured | ratio to MO-UCB (published) | "
        f"Σ {' / '.join(first['inputs'])}, levels | hypervolume, the paper's | near the front | "
        "near, ratio to MO-UCB | money, ratio to MO-UCB |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for summary in group:
        lines += [_row(summary, method, first) for method in METHODS if method in summary["methods"]]
    return "\n".join(lines)


def _options(summary: Summary) -> str:
    """What was chosen besides the method, such as a data set."""
    hidden = ("problem", "title")
    options = summary["setting"]["options"].items()
    shown = [(key, value) for key, value in options if key not in hidden and value not in (None, "standard")]
    return "".join(f", {key} {value}" for key, value in shown)


def _row(summary: Summary, method: Method, first: Summary) -> str:
    """One method; what sets a summary apart from the first one of its table stands behind the name."""
    numbers, given = summary["methods"][method], _given(summary)
    used, published = np.array(numbers["use"], dtype=np.float64), given.published if summary is first else None
    was: float | None = None
    if published is not None and method in ("mo-ucb", "paper"):
        was = published.blind if method == "mo-ucb" else published.cost_aware
    cells = [
        METHODS[method] + _apart(summary),
        f"{len(numbers['runs'])} × {summary['setting']['iterations']}",
        "–" if was is None else f"{was:g}",
        mean(given.scale * used[:, 0]).shown(1),
        _compared(summary, method, lambda n: np.array(n["use"])[:, 0], published if method == "paper" else None),
        " / ".join(f"{total:.1f}" for total in used.mean(axis=0)),
        mean(np.array(numbers["mapped"])).shown(4),
        mean(np.array(numbers["near"])).shown(3),
        _compared(summary, method, lambda n: np.array(n["near"])),
        _compared(summary, method, lambda n: np.array(n["money"])),
    ]
    return "| " + " | ".join(cells) + " |"


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
    """The time that suggestions took, and all runs together."""
    lines = [
        "### Time",
        "",
        "Processor time of the runs by the text, in milliseconds per suggestion. Each run is one process with one "
        "thread, so two cores make two runs at once.",
        "",
        "| experiment | method | mean | around t = 50 | at the end | core-minutes |",
        "|---|---|---|---|---|---|",
    ]
    total = sum(numbers["core_seconds"] for summary in summaries for numbers in summary["methods"].values())
    for summary in filter(by_text, summaries):
        for method in (name for name in METHODS if name in summary["methods"]):
            numbers = summary["methods"][method]
            steps = numbers["milliseconds"]
            last = list(steps)[-1]
            early = f"{steps['50']:.1f}" if "50" in steps else "–"
            lines.append(
                f"| {summary['title']} | {METHODS[method]} | {numbers['milliseconds_mean']:.1f} | {early} | "
                f"{steps[last]:.1f} (t = {last}) | {numbers['core_seconds'] / 60:.1f} |"
            )
    machines = "; ".join(dict.fromkeys(summary["machine"] for summary in summaries))
    return "\n".join([*lines, "", f"{total / 3600:.1f} core-hours for everything on this page, on {machines}."])
