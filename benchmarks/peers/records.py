"""Results files: a line of JSON a measurement, written as soon as it is made, read back by what it was of."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parent.parent / "results"


def read(file: Path, *keys: str) -> dict[tuple[Any, ...], dict[str, Any]]:
    """The last record of each kind, by its values under `keys`; a line cut off by a crash is passed over."""
    found = {}
    for line in file.read_text().splitlines() if file.exists() else []:
        try:
            record = json.loads(line)
        except json.JSONDecodeError:
            continue
        found[tuple(record[key] for key in keys)] = record
    return found


def append(file: Path, record: dict[str, Any]) -> None:
    """One line more. A line that was cut off is ended first."""
    file.parent.mkdir(exist_ok=True)
    cut_off = file.exists() and file.stat().st_size > 0 and not file.read_bytes().endswith(b"\n")
    with file.open("a") as lines:
        lines.write("\n" * cut_off + json.dumps(record, allow_nan=False, ensure_ascii=False) + "\n")
