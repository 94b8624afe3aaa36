"""Which code camobo's figures were measured with: the version stays the same while the code changes."""

from __future__ import annotations

import hashlib
from pathlib import Path

import camobo

DECISIVE = ("arrays.py", "space", "cost", "model", "acquisition", "strategy", "history", "study", "optuna")
"""The modules and rooms that decide which point is suggested: by a study, and by the Optuna sampler."""


def fingerprint() -> str:
    """Twelve hexadecimal digits of the source that decides suggestions."""
    digest = hashlib.sha256()
    folder = Path(camobo.__file__).parent
    for name in DECISIVE:
        for path in sorted((folder / name).rglob("*.py")) or [folder / name]:
            digest.update(path.read_bytes())
    return digest.hexdigest()[:12]
