"""What the commands print: tables for people, plain lines for pipes, JSON for programs.

On a terminal a table is drawn by Rich. Into a file or a pipe, or with NO_COLOR, it is lines of aligned columns that are
never wrapped. Whatever a user typed is shown without control characters: a note cannot repaint a terminal.
"""

from __future__ import annotations

import json
import math
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from camobo.cli.words import spoken


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table."""

    title: str
    right: bool = False
    """Whether its cells are numbers, which end at the same place."""


def clean(text: str, keep: str = "") -> str:
    r"""Text with whatever is not printable spelt out.

    >>> clean("a\x1b[2Jb\nc")
    'a\\x1b[2Jb\\nc'
    """
    return "".join(c if c.isprintable() or c in keep else c.encode("unicode_escape").decode("ascii") for c in text)


def cell(fact: Any) -> str:
    """A fact as a table shows it; six digits of a number say enough, JSON and CSV have the rest."""
    if fact is None:
        return ""
    if isinstance(fact, bool):
        return "yes" if fact else "no"
    if isinstance(fact, float):
        return f"{fact:.6g}" if math.isfinite(fact) else "too large to compute"
    return clean(str(fact))


def fancy() -> bool:
    """Whether standard output is a terminal that takes colours and lines."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def table(columns: Sequence[Column], rows: Sequence[Sequence[Any]]) -> None:
    """Print a table."""
    cells = [[cell(fact) for fact in row] for row in rows]
    titles = [clean(column.title) for column in columns]
    if fancy():
        _drawn(columns, titles, cells)
        return
    widths = [max(map(len, parts)) for parts in zip(titles, *cells, strict=True)]
    for parts in [titles, *cells]:
        line = "  ".join(
            part.rjust(width) if column.right else part.ljust(width)
            for part, width, column in zip(parts, widths, columns, strict=True)
        )
        print(line.rstrip())


def _drawn(columns: Sequence[Column], titles: list[str], cells: list[list[str]]) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    drawn = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold")
    for column, title in zip(columns, titles, strict=True):
        drawn.add_column(Text(title), justify="right" if column.right else "left", overflow="fold")
    for row in cells:
        drawn.add_row(*map(Text, row))
    Console().print(drawn)


def say(text: str = "") -> None:
    """Print a line."""
    print(clean(text, keep="\n"))


def head(text: str) -> None:
    """Print the line above a table."""
    print(f"\n\x1b[1m{clean(text)}\x1b[0m" if fancy() else f"\n{clean(text)}")


def hint(text: str) -> None:
    """What to do next: on standard error, so that a file or a pipe gets the facts alone."""
    sys.stdout.flush()  # where both go to the same place, in the order they were said
    print(clean(text, keep="\n"), file=sys.stderr)


def error(text: str) -> None:
    """One error, on standard error."""
    sys.stdout.flush()
    bold, end = ("\x1b[1;31m", "\x1b[0m") if sys.stderr.isatty() and not os.environ.get("NO_COLOR") else ("", "")
    print(f"{bold}Error:{end} {clean(spoken(text), keep=chr(10))}", file=sys.stderr)


def _finite(fact: Any) -> Any:
    if isinstance(fact, Mapping):
        return {name: _finite(part) for name, part in fact.items()}
    if isinstance(fact, (list, tuple)):
        return [_finite(part) for part in fact]
    return None if isinstance(fact, float) and not math.isfinite(fact) else fact


def as_json(facts: Mapping[str, Any]) -> None:
    """Print JSON; a number too large for a float to hold is null."""
    utf8 = (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
    print(json.dumps(_finite(facts), indent=2, allow_nan=False, ensure_ascii=not utf8, default=str))
