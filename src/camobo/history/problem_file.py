"""Problem files: a plan that people write in TOML. A mistake is an error that names the file and the place in it."""

from __future__ import annotations

import re
import sys
from pathlib import Path

from camobo.checks import SQLITE_HEADER
from camobo.errors import CamoboError, InvalidOptionError, shown
from camobo.files import contents
from camobo.history.document import Document, read_plan
from camobo.strategy.affordable import check_terms
from camobo.strategy.plan import Plan

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_AT_LINE = re.compile(r" \(at line (\d+), column (\d+)\)$")


def read_toml(path: str | Path) -> Document:
    """The document in a problem file."""
    data = contents(path)
    if data.startswith(SQLITE_HEADER):
        raise InvalidOptionError(f"{path}: is a database, perhaps a study, not a problem file. Name a TOML file.")
    try:
        text = data.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise InvalidOptionError(
            f"{path}, line {line}: not text in UTF-8 (byte {data[error.start]:#04x}). Save it from the editor as UTF-8."
        ) from error
    try:
        return tomllib.loads(text)
    except RecursionError as error:
        raise InvalidOptionError(f"{path}: not valid TOML: too many nested brackets.") from error
    except ValueError as error:  # TOMLDecodeError, or a number of thousands of digits, which Python refuses
        raise InvalidOptionError(_toml_mistake(path, text, str(error))) from error


def _toml_mistake(path: str | Path, text: str, said: str) -> str:
    """The message for a file that is not valid TOML: the line, and the name of anything given twice."""
    said = "a number of thousands of digits" if said.startswith("Exceeds the limit") else said
    found = _AT_LINE.search(said)
    if found is None:
        return f"{path}: not valid TOML: {said}."
    place, what = f"{path}, line {found[1]}, column {found[2]}", said[: found.start()]
    line = text.split("\n")[int(found[1]) - 1].strip()
    key, sign, _ = line.partition("=")
    if what == "Cannot overwrite a value" and sign:
        return f"{place}: {key.strip()} is given twice. Remove one of the two lines."
    if what.startswith("Cannot declare") and line.startswith("["):
        return f"{place}: {line.partition('#')[0].strip()} is given twice. Put all its lines under one heading."
    return f"{place}: not valid TOML: {what}." + (f" The line is {shown(line)}." if line else "")


def plan_of_toml(path: str | Path) -> tuple[Plan, Document]:
    """The plan that a problem file describes, and the document it was read from."""
    document = read_toml(path)
    try:
        plan = read_plan(document)
        check_terms(plan)
        return plan, document
    except CamoboError as error:
        raise error.within(str(path)) from error
