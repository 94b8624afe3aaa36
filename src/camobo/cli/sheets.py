"""CSV files: sheets to fill in, results to read back, whole studies to take elsewhere.

Read, a file may be UTF-8 with or without a mark at its start, with commas, semicolons or tabs between its cells, or
what a first line such as sep=; says, which spreadsheets write. A mistake is an error with the line and the column,
found before anything of the file has counted.
"""

from __future__ import annotations

import contextlib
import csv
import errno
import io
import os
import re
import secrets
import stat
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from camobo.cli.cells import Heading, harmless, headings, original, row_of
from camobo.errors import CamoboError, InvalidOptionError, InvalidValueError, StorageError, shown
from camobo.hints import meant
from camobo.plan import Plan
from camobo.trial import Trial

SHEET = ("trial", "cost", "note", "failed")
EXPORT = ("trial", "state", "cost", "note", "reason", "owner", "added")
_MOST_CELL = 10_000_000
_SEPARATOR = re.compile(r'"?sep=([^\r\n"])"?[,;\t ]*(?:\r?\n|$)', re.IGNORECASE)
_DATABASE = b"SQLite format 3\0"
_BESIDE = ("-wal", "-shm", "-journal", "-ask", "-owners")
"""What a study's file has beside it."""


@dataclass(frozen=True, slots=True)
class Row:
    """A line of a file: where it stands, and its cells by column."""

    file: str
    line: int
    cells: dict[tuple[str, str], str]
    """By kind and name: ("objective", "strength")."""

    @property
    def place(self) -> str:
        """Where it stands, for errors."""
        return f"{self.file}, line {self.line}"

    def get(self, kind: str, name: str) -> str:
        """A cell as it stands there; empty if there is no such column."""
        return self.cells.get((kind, name), "")

    def text(self, name: str) -> str | None:
        """A cell of text, such as the note; None if it is empty."""
        found = original(self.get("about", name))
        return found if found.strip() else None

    def blank(self, kind: str | None = None) -> bool:
        """Whether no cell of a kind, or none at all, says anything."""
        return not any(text.strip() for (which, _), text in self.cells.items() if kind in (None, which))

    def at(self, name: str) -> str:
        """The place of a cell, for errors."""
        return f"{self.place}, column {name}"

    @contextlib.contextmanager
    def placed(self) -> Iterator[None]:
        """Errors raised inside say which line."""
        try:
            yield
        except CamoboError as error:
            if str(error).startswith(self.place):
                raise
            raise type(error)(f"{self.place}: {error}") from error


def csv_text(plan: Plan, trials: Sequence[Trial], about: Sequence[str]) -> str:
    """Trials as the text of a CSV file."""
    columns = headings(plan, about)
    lines = [_line([harmless(column.label) for column in columns])]
    lines += [_line(row_of(plan, trial, columns)) for trial in trials]
    return "".join(lines)


def _line(cells: list[str]) -> str:
    """A row as text. The writer quotes what its line's end holds: told "\\n" alone, it would leave a "\\r" bare."""
    out = io.StringIO(newline="")
    csv.writer(out, lineterminator="\r\n").writerow(cells)
    return out.getvalue()[:-2] + "\n"


def refuse_existing(path: str | Path, *, force: bool) -> None:
    """Do not write over a file that is there, before anything else is done; over a study or a device never."""
    if "\0" in str(path):
        raise InvalidOptionError(f"{shown(str(path))}: no file can be called so. Give a name without null characters.")
    if str(path) == "-" or not os.path.lexists(path):
        return
    name = os.path.realpath(path)
    beside = next((name.removesuffix(end) for end in _BESIDE if name.endswith(end)), None)
    if _is_database(name) or (beside is not None and _is_database(beside)):
        what = "is a database, perhaps a study" if beside is None else f"belongs to the study {beside}"
        raise InvalidOptionError(f"{path}: {what}. Not even --force writes over it: give another name.")
    if not force:
        raise InvalidOptionError(f"{path}: is there already and was left as it is. Give another name, or --force.")
    if os.path.exists(path) and not os.path.isdir(path) and not os.path.isfile(path):
        # A link to what is not there yet is fine; a folder has a message of its own.
        raise InvalidOptionError(f"{path}: is not a plain file and was left as it is. Name a file.")


def _is_database(path: str) -> bool:
    if not os.path.isfile(path):
        return False
    with open(path, "rb") as file:
        return file.read(len(_DATABASE)) == _DATABASE


@contextlib.contextmanager
def new_file(path: str | Path) -> Iterator[Callable[[str], None]]:
    """Something to write a text file with, which appears whole, and only if all that is done meanwhile succeeds.

    "-" is standard output.
    """
    if str(path) == "-":
        texts: list[str] = []
        yield texts.append
        sys.stdout.write("".join(texts))
        return
    target = Path(os.path.realpath(path))  # a link stays one
    fresh = target.with_name(f".camobo-{secrets.token_hex(6)}")

    def write(text: str) -> None:
        # The mark at the start tells a spreadsheet that it is UTF-8.
        with open(fresh, "x", encoding="utf-8" if text.isascii() else "utf-8-sig", newline="") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())

    try:
        if not target.absolute().parent.is_dir():
            raise StorageError(f"{path}: its folder does not exist. Create {target.absolute().parent} first.")
        if stat.S_ISDIR(_mode(target)):
            raise StorageError(f"{path}: is a folder. Name a file.")
        yield write
        os.replace(fresh, target)
    except CamoboError:
        raise  # StorageError is an OSError too, and says more
    except OSError as error:
        room = error.errno in (errno.ENOSPC, errno.EDQUOT)
        mend = "Make room, or name a file elsewhere." if room else "Name another file."
        raise StorageError(f"{path}: cannot be written: {error.strerror or error}. {mend}") from error
    finally:
        with contextlib.suppress(OSError):  # a file system that cannot be written has said so above
            fresh.unlink(missing_ok=True)


def _mode(path: Path) -> int:
    """What is there; 0 for nothing. A name that cannot be raises, before anything is done for its sake."""
    try:
        return os.lstat(path).st_mode
    except FileNotFoundError:
        return 0


def read_rows(path: str, plan: Plan) -> list[Row]:
    """The rows of a file that say anything."""
    name, text = _text_of(path)
    csv.field_size_limit(_MOST_CELL)
    known = {heading.label: heading for heading in headings(plan)}
    said = _SEPARATOR.match(text)
    delimiter = said[1] if said else _delimiter(text, known)
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
            raise InvalidValueError(f"{place}: not valid CSV: {error}. A quote that is not closed?") from error
        if cells is None:
            break
        if not any(cell.strip() for cell in cells) or (said and reader.line_num == 1):
            continue
        if columns is None:
            columns = _columns(place, cells, known)
            continue
        rows.append(Row(name, line, _by_column(place, cells, columns)))
        if len(cells) < len(columns) and reader.line_num == last:
            raise InvalidValueError(
                f"{place}: the file ends inside this row, after {len(cells)} of {len(columns)} cells and without a "
                "line break, as if it were cut off. Get the whole file; if this is all of it, end it with a line break."
            )
    if columns is None:
        raise InvalidValueError(f"{name}: is empty. Need a first line with the names of the columns: {_listed(known)}.")
    return rows


def _text_of(path: str) -> tuple[str, str]:
    name = "standard input" if path == "-" else path
    if not path.strip():
        raise InvalidOptionError("the name of the CSV file is empty. Name a file, or - for standard input.")
    if path == "-" and sys.stdin is None:
        raise StorageError("standard input is closed. Name a file, or let something come in.")
    try:
        data = sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
    except OSError as error:
        raise StorageError(f"{path}: cannot be read: {error.strerror or error}.") from error
    if data.startswith(_DATABASE):
        raise InvalidValueError(f"{name}: is a database, perhaps a study. What export wrote of it can be read.")
    try:
        return name, data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise InvalidValueError(
            f"{name}, line {line}: not text in UTF-8. Save it from the spreadsheet as CSV UTF-8."
        ) from error


def _delimiter(text: str, known: dict[str, Heading]) -> str:
    """What separates the first line's cells, told by the names it then has, or by their number if none is known."""
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
                f"{place}, column {i + 1}: nothing is called {shown(label)}.{meant(label, known)}{apart} "
                f"Name it, or take it out; the columns can be {_listed(known)}."
            )
        if heading in found:
            raise InvalidValueError(f"{place}, column {i + 1}: {label!r} is there twice. Take one of them out.")
        found.append(heading)
    return found


def _by_column(place: str, cells: list[str], columns: list[Heading]) -> dict[tuple[str, str], str]:
    if any(cell.strip() for cell in cells[len(columns) :]):
        raise InvalidValueError(
            f"{place}: has {len(cells)} cells, the first line {len(columns)}. "
            "A comma in a number or a text? Write numbers with a point, and put text in quotes."
        )
    filled = [*cells, *[""] * (len(columns) - len(cells))]  # a row may end where its last cells are empty
    return {(c.kind, c.name): cell for c, cell in zip(columns, filled, strict=False)}


def column_of(plan: Plan, kind: str, name: str) -> str:
    """What a column is called in the file."""
    return next(h.label for h in headings(plan) if h.kind == kind and h.name == name)
