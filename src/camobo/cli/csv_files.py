"""Reading and writing CSV files: sheets to fill in, results, whole studies, price lists.

Files read may be UTF-8 with or without a byte order mark, and separate cells with commas, semicolons, tabs or what
a first line such as sep=; says, which spreadsheets write. A mistake is an error with its line and column, raised
before anything is recorded.
"""

from __future__ import annotations

import contextlib
import csv
import errno
import io
import os
import re
import stat
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from camobo.checks import SQLITE_HEADER
from camobo.cli import output
from camobo.cli.csv_cells import Heading, harmless, headings, original, row_of
from camobo.errors import CamoboError, InvalidOptionError, InvalidValueError, StorageError, shown
from camobo.files import contents, replacing
from camobo.hints import meant
from camobo.history.trial import Trial
from camobo.strategy.plan import Plan

SHEET = ("trial", "cost", "note", "failed")
EXPORT = ("trial", "state", "cost", "note", "reason", "owner", "added")
_MOST_CELL = 10_000_000
_SEPARATOR = re.compile(r'"?sep=([^\r\n"])"?[,;\t ]*(?:\r?\n|$)', re.IGNORECASE)
_COMPANIONS = ("-wal", "-shm", "-journal", "-ask", "-owners")
"""Endings of the files next to a study's file."""


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a file: its line, and its cells by column."""

    file: str
    line: int
    cells: Mapping[tuple[str, str], str]
    """By kind and name: ("objective", "strength")."""

    @property
    def place(self) -> str:
        """File and line, for errors."""
        return f"{self.file}, line {self.line}"

    def get(self, kind: str, name: str) -> str:
        """The text of a cell; empty if the column is missing."""
        return self.cells.get((kind, name), "")

    def text(self, name: str) -> str | None:
        """The text of a column such as note; None if it is empty."""
        found = original(self.get("about", name))
        return found if found.strip() else None

    def blank(self, kind: str | None = None) -> bool:
        """Whether all cells, or all of one kind, are empty."""
        return not any(text.strip() for (which, _), text in self.cells.items() if kind in (None, which))

    def at(self, name: str) -> str:
        """File, line and column, for errors."""
        return f"{self.place}, column {name}"

    @contextlib.contextmanager
    def placed(self) -> Iterator[None]:
        """Errors raised inside name the line."""
        try:
            yield
        except CamoboError as error:
            if error.place is not None and error.place.startswith(self.place):
                raise
            raise error.within(self.place) from error


def csv_text(plan: Plan, trials: Sequence[Trial], about: Sequence[str]) -> str:
    """Trials as the text of a CSV file."""
    columns = headings(plan, about)
    lines = [_line([harmless(column.label) for column in columns])]
    lines += [_line(row_of(plan, trial, columns)) for trial in trials]
    return "".join(lines)


def _line(cells: list[str]) -> str:
    """A row as text. With "\\n" as line end, the csv module would not quote cells that hold a "\\r"."""
    out = io.StringIO(newline="")
    csv.writer(out, lineterminator="\r\n").writerow(cells)
    return out.getvalue()[:-2] + "\n"


def refuse_existing(path: str | Path, *, force: bool) -> None:
    """Refuse to overwrite a file without `force`, and a study or a device in any case."""
    if "\0" in str(path):
        raise InvalidOptionError(
            f"{shown(str(path))}: a file name cannot contain null characters. Choose another name."
        )
    if str(path) == "-" or not os.path.lexists(path):
        return
    name = os.path.realpath(path)
    companion_of = next((name.removesuffix(end) for end in _COMPANIONS if name.endswith(end)), None)
    if _is_database(name) or (companion_of is not None and _is_database(companion_of)):
        what = "is a database, perhaps a study" if companion_of is None else f"belongs to the study {companion_of}"
        raise InvalidOptionError(f"{path}: {what}. --force does not overwrite it. Choose another name.")
    if not force:
        raise InvalidOptionError(
            f"{path}: already exists and was not changed. Choose another name, or give --force to overwrite it."
        )
    if os.path.exists(path) and not os.path.isdir(path) and not os.path.isfile(path):
        # A link to a missing file is fine; for a folder new_file has its own message.
        raise InvalidOptionError(f"{path}: is not a regular file and was not changed. Name a file.")


def _is_database(path: str) -> bool:
    if not os.path.isfile(path):
        return False
    with open(path, "rb") as file:
        return file.read(len(SQLITE_HEADER)) == SQLITE_HEADER


@contextlib.contextmanager
def new_file(path: str | Path, *, marked: bool = True) -> Iterator[Callable[[str], None]]:
    """A function that writes a text file, for use in a `with` block; "-" is standard output, with control
    characters escaped if that is a terminal.

    The file appears complete, and only if the block succeeds. `marked` says that spreadsheets read it: they need a byte
    order mark to recognise UTF-8.
    """
    if str(path) == "-":
        texts: list[str] = []
        yield texts.append
        output.contents("".join(texts))
        return
    target = Path(os.path.realpath(path))  # write to where a link points
    try:
        if not target.absolute().parent.is_dir():
            raise StorageError(f"{path}: its folder does not exist. Create {target.absolute().parent} first.")
        if stat.S_ISDIR(_mode(target)):
            raise StorageError(f"{path}: is a folder. Name a file.")
        with replacing(target) as write:
            yield lambda text: write(text.encode("utf-8" if text.isascii() or not marked else "utf-8-sig"))
    except CamoboError:
        raise  # StorageError is an OSError too, and says more
    except OSError as error:
        full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        remedy = "Free some space, or name a file elsewhere." if full else "Name another file."
        raise StorageError(f"{path}: cannot be written: {error.strerror or error}. {remedy}") from error


def _mode(path: Path) -> int:
    """The mode of a file, 0 if it does not exist. Raises for an impossible name, before anything else is done."""
    try:
        return os.lstat(path).st_mode
    except FileNotFoundError:
        return 0


def read_rows(path: str, plan: Plan) -> list[Row]:
    """The rows of a study's file that are not empty."""
    return read_table(path, headings(plan))


def read_table(path: str, columns_known: Sequence[Heading]) -> list[Row]:
    """The rows of a file that are not empty; its first line must name known columns, in any order."""
    name, text = _text_of(path)
    csv.field_size_limit(_MOST_CELL)
    known = {heading.label: heading for heading in columns_known}
    separator = _SEPARATOR.match(text)
    delimiter = separator[1] if separator else _delimiter(text, known)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    columns: list[Heading] | None = None
    rows: list[Row] = []
    last = None if text.endswith(("\n", "\r")) else len(io.StringIO(text, newline="").readlines())
    while True:
        line = reader.line_num + 1
        place = f"{name}, line {line}"
        try:
            cells = next(reader, None)
        except csv.Error as error:
            raise InvalidValueError(f"{place}: not valid CSV: {error}. Is a quote left open?") from error
        if cells is None:
            break
        if not any(cell.strip() for cell in cells) or (separator and reader.line_num == 1):
            continue
        if columns is None:
            columns = _columns(place, cells, known)
            continue
        rows.append(Row(name, line, _by_column(place, cells, columns)))
        if len(cells) < len(columns) and reader.line_num == last:
            raise InvalidValueError(
                f"{place}: the file ends in the middle of this row, after {len(cells)} of {len(columns)} cells and "
                "without a line break, as if it was cut off. Get the whole file; if it is complete, "
                "end it with a line break."
            )
    if columns is None:
        raise InvalidValueError(f"{name}: is empty. Need a first line with column names: {_listed(known)}.")
    return rows


def _text_of(path: str) -> tuple[str, str]:
    name = "standard input" if path == "-" else path
    if not path.strip():
        raise InvalidOptionError("the name of the CSV file is empty. Name a file, or - for standard input.")
    if path == "-" and sys.stdin is None:
        raise StorageError("standard input is closed. Name a file, or redirect one into it.")
    data = contents(name, sys.stdin.buffer) if path == "-" else contents(path)
    if data.startswith(SQLITE_HEADER):
        raise InvalidValueError(f"{name}: is a database, perhaps a study. To get a CSV file, use camobo export.")
    try:
        return name, data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise InvalidValueError(
            f"{name}, line {line}: not UTF-8 text. In the spreadsheet, save it as CSV UTF-8."
        ) from error


def _delimiter(text: str, known: dict[str, Heading]) -> str:
    """The delimiter that gives the first line the most known column names, or else the most cells."""
    first = next((line for line in text.splitlines() if line.strip(" \t,;")), "")

    def names(delimiter: str) -> tuple[int, int]:
        cells = next(csv.reader([first], delimiter=delimiter), [])
        return sum(original(cell).strip() in known for cell in cells), len(cells)

    return max((",", ";", "\t"), key=names)


def _listed(known: dict[str, Heading]) -> str:
    return ", ".join(known)


def _columns(place: str, cells: list[str], known: dict[str, Heading]) -> list[Heading]:
    found: list[Heading] = []
    while cells and not cells[-1].strip():
        cells = cells[:-1]
    for i, cell in enumerate(cells):
        label = original(cell)
        heading = known.get(label) or known.get(label.strip())
        if heading is None:
            apart = " Put commas, semicolons or tabs between the cells." if len(cells) == 1 else ""
            raise InvalidValueError(
                f"{place}, column {i + 1}: unknown column {shown(label)}.{meant(label, known)}{apart} "
                f"Rename or remove it; the columns can be {_listed(known)}."
            )
        if heading in found:
            raise InvalidValueError(f"{place}, column {i + 1}: column {label!r} appears twice. Remove one of them.")
        found.append(heading)
    return found


def _by_column(place: str, cells: list[str], columns: list[Heading]) -> dict[tuple[str, str], str]:
    if any(cell.strip() for cell in cells[len(columns) :]):
        raise InvalidValueError(
            f"{place}: has {len(cells)} cells, but the first line has {len(columns)}. Is there a comma in a number or "
            "a text? Write numbers with a decimal point, and put text in quotes."
        )
    filled = [*cells, *[""] * (len(columns) - len(cells))]  # empty cells at the end of a row may be missing
    return {(c.kind, c.name): cell for c, cell in zip(columns, filled, strict=False)}


def column_of(plan: Plan, kind: str, name: str) -> str:
    """The label of a column in the file."""
    return next(h.label for h in headings(plan) if h.kind == kind and h.name == name)
