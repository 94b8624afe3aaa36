"""Results files: one line of JSON per measurement, compressed, written as soon as it is made.

A file is a sequence of gzip members, so that `zcat` reads it and a record is added without rewriting the rest.
"""

from __future__ import annotations

import fcntl
import gzip
import json
import zlib
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parent.parent / "results"


def read(file: Path, *keys: str) -> dict[tuple[Any, ...], dict[str, Any]]:
    """The last record of each kind, by its values under `keys`; what a crash cut off is ignored."""
    text, _ = _complete(file.read_bytes()) if file.exists() else (b"", 0)
    records = [json.loads(line) for line in text.decode().splitlines()]
    return {tuple(record[key] for key in keys): record for record in records}


def append(file: Path, record: dict[str, Any]) -> None:
    """Add a record. What a crash cut off is removed first. Several processes may append to the same file."""
    file.parent.mkdir(exist_ok=True)
    line = json.dumps(record, allow_nan=False, ensure_ascii=False) + "\n"
    with file.open("ab+") as opened:
        fcntl.flock(opened, fcntl.LOCK_EX)
        opened.seek(0)
        _, end = _complete(opened.read())
        opened.truncate(end)
        opened.write(gzip.compress(line.encode(), mtime=0))


def _complete(packed: bytes) -> tuple[bytes, int]:
    """The content of all complete gzip members, and where the last of them ends."""
    content, rest = [], packed
    while rest:
        member = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
        try:
            part = member.decompress(rest)
        except zlib.error:
            break
        if not member.eof:
            break
        content.append(part)
        rest = member.unused_data
    return b"".join(content), len(packed) - len(rest)
