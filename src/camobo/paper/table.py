"""The table: published beside measured, and a plain sentence for every claim of the paper.

Methods are compared run by run, since run r of each starts from the same observations. Intervals hold 95 %: by
resampling runs for means and ratios, Wilson's for shares of runs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from camobo.errors import InvalidOptionError
from camobo.inputs import Array
from camobo.paper.experiments import METHODS, Published, experiment

Numbers: TypeAlias = Mapping[str, Any]
Summary: TypeAlias = Mapping[str, Any]

BEGIN, END = "<!-- measured: begin -->", "<!-- measured: end -->"
_RESAMPLES = 4000


@dataclass(frozen=True, slots=True)
class Interval:
    """An estimate and the ends of its 95 % interval."""

    value: float
    low: float
    high: float

    def shown(self, digits: int) -> str:
        """`0.512 [0.498, 0.527]`; one run has no interval, and a ratio to nothing no value."""
        if math.isnan(self.value):
            return "–"
        if math.isnan(self.low):
            return f"{self.value:.{digits}f}"
        return f"{self.value:.{digits}f} [{self.low:.{digits}f}, {self.high:.{digits}f}]"


def mean(values: Array) -> Interval:
    """The mean of (R,) runs."""
    return ratio(values, np.ones(len(values)))


def ratio(values: Array, others: Array) -> Interval:
    """The ratio of the means of (R,) paired runs, its interval by resampling the pairs."""
    estimate = float(values.mean() / others.mean()) if others.mean() != 0.0 else math.nan
    if len(values) < 2 or math.isnan(estimate):
        return Interval(estimate, math.nan, math.nan)
    picks = np.random.default_rng(0).integers(len(values), size=(_RESAMPLES, len(values)))
    above, below = values[picks].mean(axis=1), others[picks].mean(axis=1)
    low, high = np.percentile(above[below != 0.0] / below[below != 0.0], [2.5, 97.5])
    return Interval(estimate, float(low), float(high))


def share(held: NDArray[np.bool_]) -> Interval:
    """How often something held in (R,) runs, with Wilson's interval.

    >>> share(np.array([True] * 50)).shown(2)
    '1.00 [0.93, 1.00]'
    """
    n, p, z = len(held), float(held.mean()), 1.959964
    centre, width = p + z * z / (2 * n), z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    scale = 1 + z * z / n
    return Interval(p, max(0.0, (centre - width) / scale), min(1.0, (centre + width) / scale))


def table(summaries: Sequence[Summary]) -> str:
    """Markdown: a table an experiment, the claims, and what it took."""
    parts = [_experiment_table(summary) for summary in summaries]
    parts.append(_claims(summaries))
    parts.append(_effort(summaries))
    return "\n\n".join(parts) + "\n"


def _published(summary: Summary) -> tuple[Published | None, float]:
    given = experiment(summary["setting"]["experiment"], summary["setting"]["options"])
    return given.published, given.scale


def _experiment_table(summary: Summary) -> str:
    setting, methods = summary["setting"], summary["methods"]
    dear = summary["inputs"][0]
    published, scale = _published(summary)
    unit = f", {published.unit}" if published is not None and published.unit else ""
    options = ", ".join(f"{key} {value}" for key, value in setting["options"].items() if value is not None)
    lines = [
        f"### {summary['title']}",
        "",
        f"{_runs(methods)} × {setting['iterations']} iterations, order {' > '.join(summary['inputs'])}"
        + (f" ({options})" if options else "")
        + ".",
        "",
        f"| method | Σ {dear}{unit}, published | Σ {dear}{unit}, measured | ratio to MO-UCB (published) | "
        f"order kept, share of runs | hypervolume, the paper's | hypervolume, near the front | near, ratio to MO-UCB | "
        f"money, ratio to MO-UCB |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for method in (name for name in METHODS if name in methods):
        numbers = methods[method]
        used = np.array(numbers["use"])
        was = "–"
        if published is not None and method in ("mo-ucb", "paper"):
            was = f"{published.blind if method == 'mo-ucb' else published.cost_aware:g}"
        cells = [
            METHODS[method],
            was,
            mean(scale * used[:, 0]).shown(1),
            _compared(summary, method, lambda n: np.array(n["use"])[:, 0], published if method == "paper" else None),
            share(in_order(used)).shown(2),
            mean(np.array(numbers["mapped"])).shown(4),
            mean(np.array(numbers["near"])).shown(3),
            _compared(summary, method, lambda n: np.array(n["near"])),
            _compared(summary, method, lambda n: np.array(n["money"])),
        ]
        lines.append("| " + " | ".join(cells) + " |")
    sums = "; ".join(
        f"{METHODS[method]} {' / '.join(f'{x:.1f}' for x in np.array(methods[method]['use']).mean(axis=0))}"
        for method in METHODS
        if method in methods
    )
    return "\n".join([*lines, "", f"Mean sums of {', '.join(summary['inputs'])}, mapped to [0, 1]: {sums}."])


def _runs(methods: Mapping[str, Numbers]) -> str:
    counts = {len(numbers["runs"]) for numbers in methods.values()}
    if len(counts) == 1:
        count = counts.pop()
        return f"{count} run{'s' * (count > 1)}"
    return ", ".join(f"{len(methods[name]['runs'])} runs of {METHODS[name]}" for name in METHODS if name in methods)


def _compared(
    summary: Summary, method: str, pick: Callable[[Numbers], Array], published: Published | None = None
) -> str:
    if method == "mo-ucb" or "mo-ucb" not in summary["methods"]:
        return "–"
    found = versus(summary, method, pick)
    return found.shown(3) + (f" ({published.cost_aware / published.blind:.2f})" if published is not None else "")


def versus(summary: Summary, method: str, pick: Callable[[Numbers], Array]) -> Interval:
    """A method's mean of a number, relative to MO-UCB's over the same runs."""
    a, b = summary["methods"][method], summary["methods"]["mo-ucb"]
    both = sorted(set(a["runs"]) & set(b["runs"]))
    rows = [pick(m)[[m["runs"].index(run) for run in both]] for m in (a, b)]
    return ratio(rows[0], rows[1])


def in_order(used: Array) -> NDArray[np.bool_]:
    """(R,) whether the sums of (R, k) inputs, dearest first, rise strictly."""
    return np.asarray(np.all(np.diff(used, axis=1) > 0, axis=1))


def _effort(summaries: Sequence[Summary]) -> str:
    lines = [
        "### Time",
        "",
        "Processor time; a run has one process with one thread, and a machine with two cores makes two at once.",
        "",
        "| experiment | method | ms a suggestion, mean | around t = 50 | at the end | growth | core-minutes |",
        "|---|---|---|---|---|---|---|",
    ]
    total = 0.0
    for summary in summaries:
        for method in (name for name in METHODS if name in summary["methods"]):
            numbers = summary["methods"][method]
            steps = numbers["milliseconds"]
            first, last = next(iter(steps)), list(steps)[-1]
            early = f"{steps['50']:.1f}" if "50" in steps else "–"
            growth = f"{steps[last] / steps[first]:.1f}×" if first == "50" and last != first else "–"
            total += numbers["core_seconds"]
            lines.append(
                f"| {summary['title']} | {METHODS[method]} | {numbers['milliseconds_mean']:.1f} | {early} | "
                f"{steps[last]:.1f} (t = {last}) | {growth} | {numbers['core_seconds'] / 60:.1f} |"
            )
    machines = "; ".join(dict.fromkeys(summary["machine"] for summary in summaries))
    return "\n".join([*lines, "", f"{total / 3600:.2f} core-hours in all, on {machines}."])


def _claims(summaries: Sequence[Summary]) -> str:
    from camobo.paper.claims import judged

    lines = ["### The paper's claims", "", "| claim | verdict | measured |", "|---|---|---|"]
    lines += [f"| {claim} | {verdict} | {evidence} |" for claim, verdict, evidence in judged(summaries)]
    return "\n".join(lines)


def write_between(path: Path, text: str) -> None:
    """Put the table into a page, between its two marks, leaving the rest as it is."""
    try:
        page = path.read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidOptionError(
            f"--write: {path} cannot be read ({error}). Give a page of UTF-8 text with the lines {BEGIN} and {END}."
        ) from error
    if page.count(BEGIN) != 1 or page.count(END) != 1 or page.index(BEGIN) > page.index(END):
        raise InvalidOptionError(f"--write: {path} needs one line {BEGIN} and, after it, one line {END}.")
    head, tail = page[: page.index(BEGIN) + len(BEGIN)], page[page.index(END) :]
    made, target = f"\n\n{text}\n", path.resolve()  # where a link leads: the link stays
    beside = target.with_name(f".{path.name}.new")
    try:
        beside.write_bytes((head + (made.replace("\n", "\r\n") if "\r\n" in page else made) + tail).encode("utf-8"))
        beside.replace(target)
    except OSError as error:
        raise InvalidOptionError(f"--write: {path} cannot be written ({error.strerror}).") from error
