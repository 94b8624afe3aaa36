"""Figures that take a search, found once and kept in known.json: best hypervolumes, and the clairvoyant's money.

    python -m money.find           finds what is missing (about 20 minutes)

A search in another place, with another NumPy, may end with slightly other figures; those in the file are what counts.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from money.case import Floats
from money.search import best_volume

FILE = Path(__file__).parent / "known.json"


def read() -> dict[str, dict[str, Any]]:
    """All figures: by kind, then by name."""
    return json.loads(FILE.read_text()) if FILE.exists() else {}


def keep(kind: str, name: str, found: Any) -> None:
    """Add a figure to the file. Call it from one process only."""
    figures = read()
    figures.setdefault(kind, {})[name] = found
    text = json.dumps({kind: dict(sorted(named.items())) for kind, named in sorted(figures.items())}, indent=0)
    beside = FILE.with_suffix(".new")
    beside.write_text(text + "\n")
    beside.replace(FILE)  # at once: a kill leaves the old file or the new one


def best_hypervolume(
    name: str, evaluate: Callable[[Floats], Floats], inputs: int, reference: tuple[float, ...]
) -> float:
    """The best hypervolume on file, or else of a search made now, which is not kept."""
    figure = read().get("best", {}).get(name)
    return best_volume(evaluate, inputs, reference) if figure is None else float(figure)
