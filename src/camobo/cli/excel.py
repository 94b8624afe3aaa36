"""Excel workbooks (.xlsx), with openpyxl: the extra `excel`.

Text is written as text, whatever it begins with, and numbers with all their digits. Of a formula the value is read that
the spreadsheet stored with it; nothing is computed here, and no macro runs.
"""

from __future__ import annotations

import io
import re
import warnings
import zipfile
from collections.abc import Iterator, Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

from camobo.cli import output
from camobo.cli.csv_cells import Fact, Heading, facts_of, headings
from camobo.errors import InvalidOptionError, InvalidValueError, MissingExtraError
from camobo.hints import counted
from camobo.history.trial import Trial
from camobo.space.inputs import Categorical, Integer, Real
from camobo.strategy.plan import Plan

ENDING = ".xlsx"
_ZIP, _OLE = b"PK\x03\x04", b"\xd0\xcf\x11\xe0"
_MOST_BYTES = 100_000_000
"""Unpacked: a small file can claim to be enormous."""
_MOST_CELLS = 1_000_000
_LONGEST_TEXT = 32767  # openpyxl, as Excel, would cut the rest off
_WIDEST, _NARROWEST = 40, 8
_LAST_COLUMN = 16384
_OPEN = ("cost", "note", "failed")
"""What is told beside results."""
_NOT_IN_XML = re.compile("[\x00-\x08\x0b-\x1f\ud800-\udfff\ufffe\uffff]|_(?=x[0-9A-Fa-f]{4}_)")
_ESCAPE = re.compile("_x([0-9A-Fa-f]{4})_")
_QUOTED = re.compile(r'"[^"]*"|\\.')


def library() -> Any:
    """openpyxl, or an error that names the extra."""
    try:
        import openpyxl
    except ImportError as error:
        raise MissingExtraError(
            "Excel files need openpyxl, which is not installed. Install it with: pip install 'camobo[excel]'. "
            "Or use a CSV file, which spreadsheets open and save too."
        ) from error
    return openpyxl


def is_workbook(name: str, data: bytes) -> bool:
    """Whether data is an Excel workbook; an error if it is another kind of spreadsheet."""
    if data.startswith(_OLE):
        raise InvalidValueError(
            f"{name}: is an old Excel file (.xls), or has a password. Save it as .xlsx without a password, or as CSV."
        )
    return data.startswith(_ZIP)


def lines(name: str, data: bytes) -> list[tuple[int, list[str]]]:
    """The number of each row of the first sheet, and its cells as text."""
    openpyxl = library()
    _check_size(name, data)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about styles and rules that it does not know
            computed, typed = (
                openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=computed, keep_links=False)
                for computed in (True, False)
            )
            found = list(_rows(name, computed.worksheets[0], typed.worksheets[0]))
    except (InvalidValueError, MemoryError):
        raise
    except Exception as error:  # of a damaged file, openpyxl and the parsers below it raise whatever comes
        raise InvalidValueError(
            f"{name}: cannot be read as an Excel workbook: {type(error).__name__}: {error}. "
            "Open it in a spreadsheet and save it again, or save it as CSV."
        ) from error
    others = len(computed.sheetnames) - 1
    if others:
        output.hint(f"{name}: only its first sheet is read; {counted(others, 'other is', 'others are')} not.")
    return found


def _check_size(name: str, data: bytes) -> None:
    """Refuse what is no workbook, and one too large to unpack."""
    try:
        parts = zipfile.ZipFile(io.BytesIO(data)).infolist()
    except zipfile.BadZipFile as error:
        raise InvalidValueError(f"{name}: is damaged: {error}. Get the whole file.") from error
    if not any(part.filename.lower() == "xl/workbook.xml" for part in parts):
        raise InvalidValueError(f"{name}: is not an Excel workbook. In the spreadsheet, save it as .xlsx or as CSV.")
    size = sum(part.file_size for part in parts)
    if size > _MOST_BYTES:
        raise InvalidValueError(
            f"{name}: unpacks to {size / 1e6:.0f} MB, more than {_MOST_BYTES / 1e6:.0f}. Save it as CSV."
        )


def _rows(name: str, computed: Any, typed: Any) -> Iterator[tuple[int, list[str]]]:
    for sheet in (computed, typed):
        sheet.reset_dimensions()  # a sheet may say that it is smaller than it is
    cells = 0
    pairs = zip(computed.iter_rows(), typed.iter_rows(), strict=True)
    for line, (values, formulas) in enumerate(pairs, start=1):
        cells += 1 + len(values)
        if cells > _MOST_CELLS:
            raise InvalidValueError(
                f"{name}: has more than {_MOST_CELLS:,} cells, perhaps empty ones with a format. "
                "Delete what is not needed, or save it as CSV."
            )
        yield line, [_text(value, formula) for value, formula in zip(values, formulas, strict=True)]


def _text(cell: Any, typed: Any) -> str:
    """A cell as it would stand in a CSV file. A formula without a value is its own text, which is no number."""
    value = cell.value
    if value is None and typed.data_type == "f":
        value = getattr(typed.value, "text", typed.value)  # of an array, the formula is inside
    if value is None:
        return ""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, (int, float)):
        percent = "%" in _QUOTED.sub("", cell.number_format or "")  # shown as 5 %, stored as 0.05
        return f"{float(f'{100 * value:.15g}')!r} %" if percent else repr(value)
    if isinstance(value, datetime) and value.time() == time():
        return value.date().isoformat()
    if isinstance(value, (date, time)):
        return value.isoformat()
    if isinstance(value, timedelta):
        return str(value)
    return _ESCAPE.sub(lambda found: chr(int(found[1], 16)), str(value))


def workbook(plan: Plan, trials: Sequence[Trial], about: Sequence[str], *, to_fill_in: bool) -> bytes:
    """Trials as the bytes of a workbook; if it is to be filled in, recipes are locked, without a password."""
    openpyxl = library()
    from openpyxl.styles import Alignment, Font, PatternFill, Protection

    columns = headings(plan, about)
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "trials"
    for j, column in enumerate(columns, start=1):
        head = _write(sheet.cell(1, j), column.title, column.title)
        head.font, head.fill = Font(bold=True), PatternFill("solid", fgColor="E7E6E6")
        head.alignment = Alignment(wrap_text=True, vertical="top")
    free = Protection(locked=False)
    for i, trial in enumerate(trials, start=2):
        for j, (column, fact) in enumerate(zip(columns, facts_of(plan, trial, columns), strict=True), start=1):
            cell = _write(
                sheet.cell(i, j), fact, f"trial {trial.number}: {column.name}", choice=_is_choice(plan, column)
            )
            cell.number_format = _format(plan, column)
            if column.kind == "objective" or (column.kind == "about" and column.name in _OPEN):
                cell.protection = free
    _lay_out(sheet, columns)
    if to_fill_in:
        beyond = sheet.column_dimensions[openpyxl.utils.get_column_letter(len(columns) + 1)]
        beyond.min, beyond.max, beyond.protection = len(columns) + 1, _LAST_COLUMN, free
        sheet.protection.sheet = True
        sheet.protection.formatColumns = sheet.protection.formatRows = False  # False: allowed
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def _is_choice(plan: Plan, column: Heading) -> bool:
    return column.kind == "input" and isinstance(plan.space.inputs[column.name], Categorical)


def _write(cell: Any, fact: Fact, what: str, *, choice: bool = False) -> Any:
    """Put a fact into a cell: a number as a number, all else as text that no spreadsheet runs.

    A choice that is a number with no decimals but a decimal point, or a truth value, would come back as another choice.
    """
    if fact is None:
        return cell
    if isinstance(fact, (int, float)) and not isinstance(fact, bool) and not (choice and repr(fact).endswith(".0")):
        cell.value, cell.data_type = repr(fact), "n"  # a float would be written with 16 digits
        return cell
    plain = str(fact).lower() if isinstance(fact, bool) else str(fact)
    text = _NOT_IN_XML.sub(lambda found: f"_x{ord(found[0]):04X}_", plain)
    if len(text) > _LONGEST_TEXT:
        raise InvalidOptionError(
            f"{what}: has {len(text):,} characters; an Excel cell holds {_LONGEST_TEXT:,}. Write a CSV file instead."
        )
    if text:
        cell.value, cell.data_type, cell.quotePrefix = text, "s", True
    return cell


def _format(plan: Plan, column: Heading) -> str:
    """How a spreadsheet shows the cells of a column: numbers with the digits of their step, text as text."""
    given = plan.space.inputs[column.name] if column.kind == "input" else None
    if isinstance(given, Integer) or (column.kind, column.name) == ("about", "trial"):
        return "0"
    if isinstance(given, Real) and given.step is not None:
        decimals = max(
            -int(Decimal(repr(number)).normalize().as_tuple().exponent) for number in (given.low, given.step)
        )
        return "0." + "0" * decimals if decimals > 0 else "0"
    return "General" if column.number else "@"


def _lay_out(sheet: Any, columns: Sequence[Heading]) -> None:
    """Columns as wide as what is in them, the first row and column always in view, a page as wide as the table."""
    for j, column in enumerate(columns, start=1):
        texts = [str(cell.value) for (cell,) in sheet.iter_rows(min_row=2, min_col=j, max_col=j) if cell.value]
        widest = max([len(column.title), *map(len, texts)]) + 2
        sheet.column_dimensions[sheet.cell(1, j).column_letter].width = min(max(widest, _NARROWEST), _WIDEST)
    sheet.freeze_panes = "B2"
    sheet.print_title_rows = "1:1"
    sheet.page_setup.orientation = "landscape"
    sheet.page_setup.fitToWidth, sheet.page_setup.fitToHeight = 1, 0
    sheet.sheet_properties.pageSetUpPr.fitToPage = True
