"""Studies changed from outside, as a forger would: with hashes that are right again."""

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path

from camobo.storage.chain import Links, hash_of_description, hash_of_event


def change(path: Path, *statements: str, forge: bool = False) -> None:
    """Run SQL on a study's file; with `forge`, make all its hashes right afterwards."""
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for statement in statements:
            connection.execute(statement)
        if forge:
            _forge(connection)
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _forge(connection: sqlite3.Connection) -> None:
    connection.text_factory = lambda text: text.decode("utf-8", "surrogateescape")
    rows = connection.execute("SELECT number, kind, trial, at, who, new, old FROM events ORDER BY number").fetchall()
    hashes = [
        hash_of_event(number, kind, trial, at, _text(who), _text(new), old and _text(old))
        for number, kind, trial, at, who, new, old in rows
    ]
    pairs = [(each, row[0]) for each, row in zip(hashes, rows, strict=True)]
    connection.executemany("UPDATE events SET hash = ? WHERE number = ?", pairs)
    ((document, created),) = connection.execute("SELECT document, created FROM study").fetchall()
    first = hash_of_description(_text(document), created)
    links = Links(0, first).after(hashes)
    connection.execute("UPDATE study SET hash = ?, count = ?, chain = ?", (first, links.count, links.chain))


def _text(value: object) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
