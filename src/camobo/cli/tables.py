"""Tables from files: CSV or Excel, recognised by their content; what their columns are, and what their rows say.

A mistake is an error with its line and column, raised before anything is recorded. Columns that camobo does not know,
as a notebook has them, are left alone, and that is said; a name that is nearly a known one is a mistake.
"""

from __future__ import annotations

import contextlib
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from camobo import files
from camobo.checks import SQLITE_HEADER
from camobo.cli import csv_files, excel, output
from camobo.cli.csv_cells import Heading, headings
from camobo.errors import CamoboError, InvalidOptionError, InvalidValueError, StorageError, shown
from camobo.hints import meant
from camobo.history.trial import Trial
from camobo.strategy.plan import Plan

_COMMA = re.compile("[+\N{MINUS SIGN}-]?\\d*,\\d+(?:[eE][+-]?\\d+)?", re.ASCII)
_POINT = re.compile("[+\N{MINUS SIGN}-]?(?:\\d+\\.\\d*|\\.\\d+)(?:[eE][+-]?\\d+)?", re.ASCII)


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
        found = self.get("about", name)
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


def check_writable(path: str) -> None:
    """Refuse the name of a file in a format that cannot be written, before any work is done."""
    ending = Path(path).suffix.lower()
    if ending == excel.ENDING:
        excel.library()
    elif ending in (".xls", ".xlsm", ".xlsb", ".ods"):
        raise InvalidOptionError(f"{path}: files that end with {ending} cannot be written. Use .xlsx or .csv.")


def contents(path: str, plan: Plan, trials: Sequence[Trial], about: Sequence[str]) -> str | bytes:
    """Trials as the contents of a file: a workbook if its name ends with .xlsx, otherwise CSV."""
    if Path(path).suffix.lower() == excel.ENDING:
        return excel.workbook(plan, trials, about, to_fill_in=about == csv_files.SHEET)
    return csv_files.csv_text(plan, trials, about)


def read_rows(path: str, plan: Plan) -> list[Row]:
    """The rows of a study's file that are not empty."""
    return read_table(path, headings(plan))


def read_table(path: str, columns_known: Sequence[Heading]) -> list[Row]:
    """The rows of a file that are not empty; its first line names the columns, in any order."""
    name, data = _data_of(path)
    known = {heading.title: heading for heading in columns_known} | {each.label: each for each in columns_known}
    separator = None
    if excel.is_workbook(name, data):
        lines = excel.lines(name, data)
    else:
        lines, separator = csv_files.csv_lines(name, data, known)
    filled = [(line, cells) for line, cells in lines if any(cell.strip() for cell in cells)]
    labels = ", ".join(heading.label for heading in columns_known)
    if not filled:
        raise InvalidValueError(f"{name}: is empty. Need a first line with column names: {labels}.")
    (first, head), *rest = filled
    columns = _columns(f"{name}, line {first}", head, known, labels)
    if separator is None:  # beside the table of a workbook there may be remarks
        width = max(len(cells) for _, cells in filled)
        columns += [None] * (width - len(columns))
    _say_what_is_not_read(name, head, columns, rest)
    rows = [Row(name, line, _by_column(f"{name}, line {line}", cells, columns)) for line, cells in rest]
    return rows if separator in (None, ",") else _with_points(rows, columns)


def _data_of(path: str) -> tuple[str, bytes]:
    name = "standard input" if path == "-" else path
    if not path.strip():
        raise InvalidOptionError("the name of the file is empty. Name a file, or - for standard input.")
    if path == "-" and sys.stdin is None:
        raise StorageError("standard input is closed. Name a file, or redirect one into it.")
    data = files.contents(name, sys.stdin.buffer) if path == "-" else files.contents(path)
    if data.startswith(SQLITE_HEADER):
        raise InvalidValueError(f"{name}: is a database, perhaps a study. To get a CSV file, use camobo export.")
    return name, data


def _columns(place: str, cells: list[str], known: Mapping[str, Heading], labels: str) -> list[Heading | None]:
    """What the columns hold; None for those that camobo does not know."""
    while cells and not cells[-1].strip():
        cells = cells[:-1]
    found = [known.get(label) or known.get(label.strip()) for label in cells]
    for i, (label, heading) in enumerate(zip(cells, found, strict=True)):
        nearly = "" if heading is not None else meant(label, known)
        if nearly or not any(found):
            apart = " Put commas, semicolons or tabs between the cells." if len(cells) == 1 else ""
            raise InvalidValueError(
                f"{place}, column {i + 1}: unknown column {shown(label)}.{nearly}{apart} "
                f"Rename or remove it; the columns can be {labels}."
            )
        if heading is not None and heading in found[:i]:
            raise InvalidValueError(f"{place}, column {i + 1}: column {label!r} appears twice. Remove one of them.")
    return found


def _say_what_is_not_read(
    name: str, head: list[str], columns: Sequence[Heading | None], rest: Sequence[tuple[int, list[str]]]
) -> None:
    """Name the columns that are left alone though something stands in them."""
    left = [
        head[j] if j < len(head) and head[j].strip() else f"number {j + 1}"
        for j, column in enumerate(columns)
        if column is None and any(len(cells) > j and cells[j].strip() for _, cells in rest)
    ]
    if left:
        what = f"column {left[0]} is" if len(left) == 1 else f"columns {', '.join(left)} are"
        output.hint(f"{name}: {what} not read. What should stay with a trial goes into column note.")


def _by_column(place: str, cells: list[str], columns: Sequence[Heading | None]) -> dict[tuple[str, str], str]:
    if any(cell.strip() for cell in cells[len(columns) :]):
        raise InvalidValueError(
            f"{place}: has {len(cells)} cells, but the first line has {len(columns)}. Is there a comma in a number or "
            "a text? Write numbers with a decimal point or separate cells with semicolons, and put text in quotes."
        )
    filled = [*cells, *[""] * (len(columns) - len(cells))]  # empty cells at the end of a row may be missing
    return {(c.kind, c.name): cell for c, cell in zip(columns, filled, strict=False) if c is not None}


def _with_points(rows: list[Row], columns: Sequence[Heading | None]) -> list[Row]:
    """The rows with decimal points in place of decimal commas, which a file has for all numbers or for none.

    Where commas do not separate cells a comma in a number is a decimal one, unless other numbers have points: then
    either may stand for thousands.
    """
    numbers = [column for column in columns if column is not None and column.number]
    first: dict[str, tuple[Row, Heading, str]] = {}
    for row in rows:
        for column in numbers:
            text = row.get(column.kind, column.name).strip()
            for sign, pattern in (("comma", _COMMA), ("point", _POINT)):
                if pattern.fullmatch(text):
                    first.setdefault(sign, (row, column, text))
    if len(first) == 2:
        (row, column, comma), (other, another, point) = first["comma"], first["point"]
        raise InvalidValueError(
            f"{row.at(column.label)}: {shown(comma)} has a comma, but line {other.line}, column {another.label} a "
            f"point: {shown(point)}. Write all numbers of the file one way: {comma.replace(',', '.')} or "
            f"{point.replace('.', ',')}."
        )
    if "comma" not in first:
        return rows
    keys = {(column.kind, column.name) for column in numbers}
    return [
        replace(
            row,
            cells={
                key: text.replace(",", ".") if key in keys and _COMMA.fullmatch(text.strip()) else text
                for key, text in row.cells.items()
            },
        )
        for row in rows
    ]


def column_of(plan: Plan, kind: str, name: str) -> str:
    """The label of a column in the file."""
    return next(h.label for h in headings(plan) if h.kind == kind and h.name == name)
