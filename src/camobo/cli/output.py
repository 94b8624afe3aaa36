"""What the commands print: tables for people, plain lines for pipes, JSON for programs.

On a terminal Rich draws a table no wider than the terminal; if it does not fit, each row becomes a block of lines.
Lines break at spaces only, never inside a number. In a file or a pipe, or with NO_COLOR, a table is aligned columns
that never wrap. Whatever is printed here has its control characters escaped (`printable`), and what is said in words
its passwords hidden (`redacted`): a note cannot repaint a terminal, a hint does not tell how to log in.
"""

from __future__ import annotations

import contextlib
import json
import logging
import math
import os
import re
import sys
import traceback
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from camobo.cli import phrases
from camobo.errors import CamoboError
from camobo.hints import printable, redacted

_NO_BREAK = "\N{NO-BREAK SPACE}"
_LEAST_WIDTH = 20
"""Text is not wrapped into a narrower column: one word per line is harder to read than a block."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table."""

    title: str
    right: bool = False
    """Whether its cells are right-aligned, as numbers are."""


def safe(text: str) -> str:
    """Text that may be shown: no control characters but line breaks, no passwords in URLs."""
    return printable(redacted(text), keep="\n")


def cell(fact: Any) -> str:
    """A fact as a table shows it, numbers with six digits; JSON and CSV have all digits."""
    if fact is None:
        return ""
    if isinstance(fact, bool):
        return "yes" if fact else "no"
    if isinstance(fact, float):
        return f"{fact:.6g}" if math.isfinite(fact) else "too large to compute"
    return printable(str(fact), keep=_NO_BREAK)


def unbroken(text: str) -> str:
    """Text that a table never breaks, such as a name with its value."""
    return printable(text).replace(" ", _NO_BREAK)


def local_time(when: datetime | str | None) -> str | None:
    """A time in the local time zone."""
    if when is None:
        return None
    local = (datetime.fromisoformat(when) if isinstance(when, str) else when).astimezone()
    return unbroken(f"{local:%Y-%m-%d %H:%M:%S}")


def fancy() -> bool:
    """Whether standard output is a terminal that takes colours and lines."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def table(columns: Sequence[Column], rows: Sequence[Sequence[Any]]) -> None:
    """Print a table."""
    cells = [[cell(fact) for fact in row] for row in rows]
    titles = [printable(column.title) for column in columns]
    if fancy():
        used = [
            i for i in range(len(columns)) if not cells or any(row[i] for row in cells)
        ]  # a terminal has no room for empty columns
        _drawn([columns[i] for i in used], [titles[i] for i in used], [[row[i] for i in used] for row in cells])
        return
    cells = [[text.replace(_NO_BREAK, " ") for text in row] for row in cells]
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

    console = Console()
    widths = _widths(titles, cells, console.width - 3 * len(columns) + 1)  # minus padding and gaps
    if widths is None:
        _blocks(titles, cells, console.width)
        return
    drawn = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold")
    for column, title, width in zip(columns, titles, widths, strict=True):
        heading = Text("\n".join(_lines(title, width)))
        drawn.add_column(heading, justify="right" if column.right else "left", width=width, no_wrap=True)
    for row in cells:
        drawn.add_row(*(Text("\n".join(_lines(text, width))) for text, width in zip(row, widths, strict=True)))
    console.print(drawn)


def _widths(titles: list[str], cells: list[list[str]], room: int) -> list[int] | None:
    """The width of each column so that the table fits; None if a word or number would have to be broken."""
    from rich.cells import cell_len

    def longest_word(text: str) -> int:
        return max(map(cell_len, text.split(" ")))

    by_column = list(zip(*cells, strict=True)) or [()] * len(titles)
    least, widths = [], []
    for title, texts in zip(titles, by_column, strict=True):
        least.append(max([longest_word(title), *(max(longest_word(t), min(cell_len(t), _LEAST_WIDTH)) for t in texts)]))
        widths.append(max([cell_len(title), *map(cell_len, texts)]))
    if sum(least) > room:
        return None
    while sum(widths) > room:
        widest = max((width, i) for i, width in enumerate(widths) if width > least[i])[1]
        widths[widest] = max(least[widest], widths[widest] - (sum(widths) - room + 1) // 2)
    return widths


def _lines(text: str, width: int) -> list[str]:
    """Text as lines of at most `width`, broken at spaces; a longer word gets a line of its own."""
    from rich.cells import cell_len

    lines = [""]
    if cell_len(text) <= width:
        return [text.replace(_NO_BREAK, " ")]
    for word in text.split(" "):
        longer = f"{lines[-1]} {word}" if lines[-1] else word
        lines[-1:] = [longer] if not lines[-1] or cell_len(longer) <= width else [lines[-1], word]
    return [line.replace(_NO_BREAK, " ") for line in lines]


def _blocks(titles: list[str], cells: list[list[str]], room: int) -> None:
    """Print a table that is too wide as one block per row: the first cell as heading, then one line per cell."""
    from rich.cells import cell_len

    indent = max(map(cell_len, titles[1:]), default=0) + 4
    beside = all(cell_len(word) <= room - indent for row in cells for text in row[1:] for word in text.split(" "))
    for row in cells:
        head(f"{titles[0]} {row[0]}".replace(_NO_BREAK, " "))
        for title, text in zip(titles[1:], row[1:], strict=True):
            lines = _lines(text, room - (indent if beside else 4)) if text else []
            if beside and lines:
                print(f"  {title}{' ' * (indent - 2 - cell_len(title))}{lines.pop(0)}")
            elif lines:
                print(f"  {title}")
            for line in lines:
                print(f"{' ' * (indent if beside else 4)}{line}")


def say(text: str = "") -> None:
    """Print a line."""
    print(safe(text))


def head(text: str) -> None:
    """Print the heading of a table."""
    print(f"\n\x1b[1m{printable(text)}\x1b[0m" if fancy() else f"\n{printable(text)}")


def hint(text: str) -> None:
    """Say what to do next, on standard error: a file or a pipe gets only the results."""
    sys.stdout.flush()  # keeps the order if both go to the same terminal
    print(safe(text), file=sys.stderr)


def error(given: CamoboError | str) -> None:
    """Print an error on standard error."""
    sys.stdout.flush()
    text = phrases.error(given) if isinstance(given, CamoboError) else given
    bold, end = ("\x1b[1;31m", "\x1b[0m") if sys.stderr.isatty() and not os.environ.get("NO_COLOR") else ("", "")
    print(f"{bold}Error:{end} {safe(text)}", file=sys.stderr)


def failure() -> None:
    """Print the exception being handled with its traceback on standard error."""
    sys.stdout.flush()
    print(safe(traceback.format_exc()), end="", file=sys.stderr)


class _PrintLog(logging.Handler):
    """Prints messages to the current standard error, which a progress bar replaces for a while."""

    def emit(self, record: logging.LogRecord) -> None:
        if isinstance(record.args, tuple):  # errors carry advice, which is a command here
            record.args = tuple(phrases.error(a) if isinstance(a, CamoboError) else a for a in record.args)
        print(safe(record.getMessage()), file=sys.stderr)


@contextlib.contextmanager
def messages() -> Iterator[None]:
    """Print what camobo logs; otherwise Python would print warnings as they are."""
    logger, handler = logging.getLogger("camobo"), _PrintLog(logging.INFO)
    logger.addHandler(handler)
    try:
        yield
    finally:
        logger.removeHandler(handler)


def contents(text: str) -> None:
    """Print the text of a file, such as CSV.

    Into a pipe or a file it goes as it is: programs read it there, and `camobo import` must get back every character.
    On a terminal, where only people read, control characters are escaped.
    """
    sys.stdout.write(printable(text, keep="\n") if sys.stdout.isatty() else text)


def _finite(fact: Any) -> Any:
    """Plain data with numbers that are not finite replaced by None."""
    if isinstance(fact, Mapping):
        return {name: _finite(part) for name, part in fact.items()}
    if isinstance(fact, (list, tuple)):
        return [_finite(part) for part in fact]
    return None if isinstance(fact, float) and not math.isfinite(fact) else fact


def as_json(facts: Mapping[str, Any]) -> None:
    r"""Print JSON; a number that is not finite is null.

    An unprintable character is written as its \u escape, on terminals and elsewhere: programs read the same text.
    """
    utf8 = (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
    text = json.dumps(_finite(facts), indent=2, allow_nan=False, ensure_ascii=not utf8, default=str)
    print(_PERHAPS_UNPRINTABLE.sub(_in_json, text))


_PERHAPS_UNPRINTABLE = re.compile("[^\\n -~]")


def _in_json(found: re.Match[str]) -> str:
    """A character of a string in JSON: itself if it is printable, else its escape, of two parts if need be."""
    if found[0].isprintable():
        return found[0]
    code = found[0].encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{code[i : i + 4]}" for i in range(0, len(code), 4))
