"""The table of published and measured results, and the verdict on every claim of the paper."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np

from camobo.arrays import Array
from camobo.errors import InvalidOptionError
from camobo.paper.experiments import METHODS, Published, experiment
from camobo.paper.statistics import Numbers, Summary, in_order, mean, share, versus
from camobo.paper.verdicts import judged

BEGIN, END = "<!-- measured: begin -->", "<!-- measured: end -->"


def table(summaries: Sequence[Summary]) -> str:
    """Markdown: one table per experiment, the claims, and the time taken."""
    parts = [_experiment_table(summary) for summary in summaries]
    parts.append(_claims(summaries))
    parts.append(_effort(summaries))
    return "\n\n".join(parts) + "\n"


def _published(summary: Summary) -> tuple[Published | None, float]:
    given = experiment(summary["setting"]["experiment"], summary["setting"]["options"])
    return given.published, given.scale


def _experiment_table(summary: Summary) -> str:
    setting, methods = summary["setting"], summary["methods"]
    expensive = summary["inputs"][0]
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
        f"| method | Σ {expensive}{unit}, published | Σ {expensive}{unit}, measured | ratio to MO-UCB (published) | "
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


def _effort(summaries: Sequence[Summary]) -> str:
    lines = [
        "### Time",
        "",
        "Processor time. Each run is one process with one thread, so two cores make two runs at once.",
        "",
        "| experiment | method | ms per suggestion, mean | around t = 50 | at the end | growth | core-minutes |",
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
    lines = ["### The paper's claims", "", "| claim | verdict | measured |", "|---|---|---|"]
    lines += [f"| {claim} | {verdict} | {evidence} |" for claim, verdict, evidence in judged(summaries)]
    return "\n".join(lines)


def write_between(path: Path, text: str) -> None:
    """Write the table into a page, between its two markers; the rest stays as it is."""
    try:
        page = path.read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidOptionError(
            f"--write: {path} cannot be read ({error}). Give a page of UTF-8 text with the lines {BEGIN} and {END}."
        ) from error
    if page.count(BEGIN) != 1 or page.count(END) != 1 or page.index(BEGIN) > page.index(END):
        raise InvalidOptionError(f"--write: {path} needs one line {BEGIN} and one line {END} after it.")
    head, tail = page[: page.index(BEGIN) + len(BEGIN)], page[page.index(END) :]
    inserted, target = f"\n\n{text}\n", path.resolve()  # a symbolic link stays one
    if "\r\n" in page:
        inserted = inserted.replace("\n", "\r\n")
    beside = target.with_name(f".{path.name}.new")
    try:
        beside.write_bytes((head + inserted + tail).encode("utf-8"))
        beside.replace(target)
    except OSError as error:
        raise InvalidOptionError(f"--write: {path} cannot be written ({error.strerror}).") from error
