"""Results files: one line of JSON per run, written as soon as the run ends."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parent.parent / "results"
FILE = RESULTS / "money.jsonl"
CACHE = Path(__file__).parent / "cache"
"""What is not committed."""
SCRATCH = CACHE / "scratch.jsonl"
"""Runs with other constants: to choose by, not to be kept."""

KEY = ("family", "case", "method", "price", "seed", "budget", "settings", "fingerprint")
Key = tuple[Any, ...]


def make_cache() -> None:
    """Make the folder for what is not committed, and say so to git."""
    CACHE.mkdir(exist_ok=True)
    (CACHE / ".gitignore").write_text("*\n")


def key_of(record: dict[str, Any]) -> Key:
    """What makes a run the same run."""
    return tuple(record[name] for name in KEY)


def read(file: Path) -> dict[Key, dict[str, Any]]:
    """All whole records by key, the last of each; a line that a kill cut off is ignored."""
    if not file.exists():
        return {}
    whole = file.read_text(encoding="utf-8").split("\n")[:-1]
    return {key_of(record): record for record in map(json.loads, whole)}


def append(file: Path, record: dict[str, Any]) -> None:
    """Add a record. What a kill cut off is removed first."""
    file.parent.mkdir(exist_ok=True)
    with file.open("ab+") as opened:
        size = opened.tell()
        opened.seek(max(0, size - 1))
        if size and opened.read(1) != b"\n":
            opened.seek(0)
            opened.truncate(opened.read().rfind(b"\n") + 1)
        opened.write((json.dumps(record, allow_nan=False, separators=(",", ":")) + "\n").encode())
