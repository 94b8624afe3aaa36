"""The verdicts on the paper's claims: how many hold, and each with what was measured."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TypeAlias

from camobo.paper.claims import VERDICTS, Finding, Verdict, findings, of_figure_two
from camobo.paper.statistics import Summary
from camobo.paper.summary import by_script, by_text
from camobo.paper.surface import taken_off
from camobo.paper.table import heading, row

COLUMNS: Mapping[str, str] = {
    "ascending": "CA-MOBO, ascending",
    "printed": "CA-MOBO, as printed",
    "script": "the authors' script",
}
"""What claims are judged for: both readings of the weights by the text, and the script."""

Judged: TypeAlias = dict[str, list[tuple[str, Finding]]]
"""By column, the claims about an experiment with their findings."""


def judged(summaries: Sequence[Summary]) -> dict[str, Judged]:
    """By experiment, its claims in three columns: both readings of the weights, and the authors' script.

    None without an experiment of the paper. Figure 2 needs no runs and comes first.
    """
    found: dict[str, Judged] = {
        "Figure 2": {
            "ascending": of_figure_two(lambda t, units: taken_off("paper", t, units)),
            "printed": of_figure_two(lambda t, units: taken_off("printed", t, units)),
        }
    }
    for summary in summaries:
        columns = {"ascending": "paper", "printed": "printed"} if by_text(summary) else {}
        if by_script(summary):
            columns = {"script": "paper"}
        for column, method in columns.items():
            if found_here := findings(summary, method):
                rows = found.setdefault(summary["title"], {})
                rows[column] = [(claim.text, finding) for claim, finding in found_here]
    return found if len(found) > 1 else {}


def scorecard(summaries: Sequence[Summary]) -> str:
    """How many claims hold, by experiment; empty without an experiment of the paper."""
    found = judged(summaries)
    if not found:
        return ""
    head = ["claims that hold / are contradicted / are not shown", *found, "all"]
    lines = ["### Scorecard", "", row(head), "|---" * len(head) + "|"]
    for column, name in COLUMNS.items():
        counts = [Counter(finding.verdict for _, finding in rows.get(column, ())) for rows in found.values()]
        lines.append(row([name, *map(_counts, counts), f"**{_counts(sum(counts, Counter()))}**"]))
    return "\n".join(lines)


def _counts(counts: Counter[Verdict]) -> str:
    return " / ".join(str(counts[verdict]) for verdict in VERDICTS) if counts else "–"


def claims(summaries: Sequence[Summary]) -> str:
    """Every claim, its verdicts, and what was measured with ascending weights or, without these, by the script.

    Empty without an experiment of the paper.
    """
    by_experiment = judged(summaries)
    if not by_experiment:
        return ""
    lines = [
        "### The paper's claims",
        "",
        "| claim | ascending | as printed | script | measured, ascending |",
        "|---|---|---|---|---|",
    ]
    for title, columns in by_experiment.items():
        lines.append(heading(title, "", 5))
        claims = dict.fromkeys(text for rows in columns.values() for text, _ in rows)
        for text in claims:
            found = {column: dict(rows).get(text) for column, rows in columns.items()}
            verdicts = [_verdict(found.get(column)) for column in COLUMNS]
            shown = found.get("ascending") or next(finding for finding in found.values() if finding is not None)
            lines.append(row([text, *verdicts, shown.evidence]))
    return "\n".join(lines)


def _verdict(found: Finding | None) -> str:
    return "" if found is None else f"**{found.verdict}**" if found.verdict != "holds" else found.verdict
