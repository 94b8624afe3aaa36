"""SQLite files as somebody else looks at them, without camobo."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any


def rows(path: Path, query: str) -> list[Any]:
    connection = sqlite3.connect(path)
    try:
        return connection.execute(query).fetchall()
    finally:
        connection.close()
