"""Everything measured as Markdown, and writing it into a page."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from camobo.errors import InvalidOptionError
from camobo.paper.ablation import ablation
from camobo.paper.scorecard import claims, scorecard
from camobo.paper.statistics import Summary
from camobo.paper.table import effort, experiments

BEGIN, END = "<!-- measured: begin -->", "<!-- measured: end -->"


def measured(summaries: Sequence[Summary]) -> str:
    """The scorecard, the results, the ablation, the claims, and the time taken."""
    parts = [scorecard(summaries), experiments(summaries), ablation(summaries), claims(summaries), effort(summaries)]
    return "\n\n".join(filter(None, parts)) + "\n"


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
