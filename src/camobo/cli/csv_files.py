"""Reading and writing CSV files: sheets to fill in, results, whole studies, price lists.

Files read may be UTF-8 with or without a byte order mark, and separate cells with commas, semicolons, tabs or what
a first line such as sep=; says, which spreadsheets write.
"""

from __future__ import annotations

import contextlib
import csv
import errno
import io
import os
import re
import stat
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path

from camobo.checks import SQLITE_HEADER
from camobo.cli import output
from camobo.cli.csv_cells import facts_of, harmless, headings, original, written
from camobo.errors import CamoboError, InvalidOptionError, InvalidValueError, StorageError, shown
from camobo.files import replacing
from camobo.history.trial import Trial
from camobo.strategy.plan import Plan

SHEET = ("trial", "cost", "note", "failed")
EXPORT = ("trial", "state", "cost", "note", "reason", "owner", "added")
_MOST_CELL = 10_000_000
_SEPARATOR = re.compile(r'"?sep=([^\r\n"])"?[,;\t ]*(?:\r?\n|$)', re.IGNORECASE)
_COMPANIONS = ("-wal", "-shm", "-journal", "-ask", "-owners")
"""Endings of the files next to a study's file."""


def csv_text(plan: Plan, trials: Sequence[Trial], about: Sequence[str]) -> str:
    """Trials as the text of a CSV file."""
    columns = headings(plan, about)
    lines = [_line([harmless(column.label) for column in columns])]
    lines += [_line([written(fact) for fact in facts_of(plan, trial, columns)]) for trial in trials]
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
def new_file(path: str | Path, *, marked: bool = True) -> Iterator[Callable[[str | bytes], None]]:
    """A function that writes a file of text or bytes, for use in a `with` block; "-" is standard output, with control
    characters escaped if that is a terminal.

    The file appears complete, and only if the block succeeds. `marked` says that spreadsheets read it: they need a byte
    order mark to recognise UTF-8.
    """
    if str(path) == "-":
        texts: list[str] = []
        yield lambda text: texts.append(text if isinstance(text, str) else text.decode("utf-8"))
        output.contents("".join(texts))
        return
    target = Path(os.path.realpath(path))  # write to where a link points
    try:
        if not target.absolute().parent.is_dir():
            raise StorageError(f"{path}: its folder does not exist. Create {target.absolute().parent} first.")
        if stat.S_ISDIR(_mode(target)):
            raise StorageError(f"{path}: is a folder. Name a file.")
        with replacing(target) as write:
            yield lambda text: write(_encoded(text, marked=marked))
    except CamoboError:
        raise  # StorageError is an OSError too, and says more
    except OSError as error:
        full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        remedy = "Free some space, or name a file elsewhere." if full else "Name another file."
        raise StorageError(f"{path}: cannot be written: {error.strerror or error}. {remedy}") from error


def _encoded(text: str | bytes, *, marked: bool) -> bytes:
    if isinstance(text, bytes):
        return text
    return text.encode("utf-8" if text.isascii() or not marked else "utf-8-sig")


def _mode(path: Path) -> int:
    """The mode of a file, 0 if it does not exist. Raises for an impossible name, before anything else is done."""
    try:
        return os.lstat(path).st_mode
    except FileNotFoundError:
        return 0


def csv_lines(name: str, data: bytes, known: Collection[str]) -> tuple[list[tuple[int, list[str]]], str]:
    """The number of each row's first line, and its cells; and what separates the cells."""
    text = _decoded(name, data)
    csv.field_size_limit(_MOST_CELL)
    named = _SEPARATOR.match(text)
    delimiter = named[1] if named else _delimiter(text, known)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    last = None if text.endswith(("\n", "\r")) else len(io.StringIO(text, newline="").readlines())
    lines: list[tuple[int, list[str]]] = []
    width = 0
    while True:
        line = reader.line_num + 1
        place = f"{name}, line {line}"
        try:
            cells = next(reader, None)
        except csv.Error as error:
            raise InvalidValueError(f"{place}: not valid CSV: {error}. Is a quote left open?") from error
        if cells is None:
            return lines, delimiter
        if not any(cell.strip() for cell in cells) or (named and reader.line_num == 1):
            continue
        width = width or max(i for i, cell in enumerate(cells, start=1) if cell.strip())
        if lines and len(cells) < width and reader.line_num == last:
            raise InvalidValueError(
                f"{place}: the file ends in the middle of this row, after {len(cells)} of {width} cells and "
                "without a line break, as if it was cut off. Get the whole file; if it is complete, "
                "end it with a line break."
            )
        lines.append((line, [original(cell) for cell in cells]))


def _decoded(name: str, data: bytes) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise InvalidValueError(
            f"{name}, line {line}: not UTF-8 text. In the spreadsheet, save it as CSV UTF-8."
        ) from error


def _delimiter(text: str, known: Collection[str]) -> str:
    """The delimiter that gives the first line the most known column names, or else the most cells."""
    first = next((line for line in text.splitlines() if line.strip(" \t,;")), "")

    def names(delimiter: str) -> tuple[int, int]:
        cells = next(csv.reader([first], delimiter=delimiter), [])
        return sum(original(cell).strip() in known for cell in cells), len(cells)

    return max((",", ";", "\t"), key=names)
